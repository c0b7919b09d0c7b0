#include "experiment/listing.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

/* ---- packed files (format: kernels/pack.awk) ---- */

/* Returns whether a name with a placeholder, from a packed source file, fits the function's name.
 * `hole` is the placeholder for one word of the function's name. The word of the function's name
 * that replaces the placeholder begins at index *from of `function`, and has *length characters. */
static bool name_fits(const char *name, size_t name_length, const char *hole, const char *function,
	size_t *from, size_t *length)
{
	const char *at = strstr(name, hole);
	size_t before, after, whole = strlen(function);

	if (!at || at + strlen(hole) > name + name_length)
		return false;
	before = (size_t)(at - name);
	after = name_length - before - strlen(hole);
	if (whole <= before + after || strncmp(name, function, before) != 0 ||
		strncmp(at + strlen(hole), function + whole - after, after) != 0)
		return false;
	*from = before;
	*length = whole - before - after;
	for (size_t i = 0; i < *length; i++)
		if (!isalnum((unsigned char)function[before + i]))
			return false;
	return true;
}

/* Adds a line. Replaces "@" in a packed source text by the function's name, and the placeholder
 * `hole` by the word `filling`. */
static void add_line(struct text *text, const char *line, size_t length, const char *hole,
	const char *function, const char *filling, size_t filling_length)
{
	for (size_t i = 0; i < length;) {
		if (line[i] == '@') {
			text_add(text, function);
			i++;
		} else if (strncmp(line + i, hole, strlen(hole)) == 0) {
			text_addn(text, filling, filling_length);
			i += strlen(hole);
		} else {
			text_addn(text, line + i++, 1);
		}
	}
	text_addn(text, "\n", 1);
}

char *listing_unpack(const char *packed, const char *function)
{
	const char *lines = strchr(packed, '\n'), *names = strstr(packed, "\n%\n");
	char hole[32];
	size_t from, length;

	if (sscanf(packed, "packed %31s", hole) != 1 || !lines || !names)
		return NULL;
	lines++;
	for (const char *at = names + 3; *at;
		at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
		size_t name = strcspn(at, " \n"), end = strcspn(at, "\n");
		struct text text = { 0 };

		if (!name_fits(at, name, hole, function, &from, &length))
			continue;
		for (const char *code = at + name + 1; code + 1 < at + end; code += 2) {
			int wanted = 90 * (code[0] - '#') + (code[1] - '#');
			const char *line = lines;

			while (wanted-- > 0 && line < names)
				line += strcspn(line, "\n") + 1;
			if (line > names)
				break;
			add_line(&text, line, strcspn(line, "\n"), hole, function, function + from,
				length);
		}
		return text.bytes;
	}
	return NULL;
}

/* ---- finding functions and loops in a file ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the text after `word` in the line, or NULL if the line does not contain the word. */
static const char *word_in(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
		if ((at == line || !is_word(at[-1])) && !is_word(at[length]))
			return at + length;
	return NULL;
}

/* Whether a line uses a macro: it begins with a word in capitals and a parenthesis. */
static bool is_macro_use(const char *line)
{
	size_t length = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return length > 0 && line[length] == '(';
}

/* Returns the first line of the function's definition. In C source of kernels, the first line of a
 * definition begins in the first column, and does not end in a semicolon. In the definition, a
 * parenthesis (in assembly a colon) follows the function's name. If `made` is true, a macro defines
 * the function; the result is then the line that passes the name to the macro. */
static int find_function(const struct listing *listing, const char *function, bool made)
{
	for (int i = 0; i < listing->line_count; i++) {
		const char *line = listing->line[i], *after = word_in(line, function),
			   *open = strchr(line, '(');
		size_t length = strlen(line);

		if (!after || isspace((unsigned char)line[0]) || strchr("#*/", line[0]))
			continue;
		if (made ? is_word(line[0]) && open && open < after &&
					(*after == ',' || *after == ')')
			 : (*after == '(' || *after == ':') && line[length - 1] != ';' &&
					!is_macro_use(line))
			return i;
	}
	return -1;
}

/* Returns the last line of the function, which has its closing brace. If a macro defines the
 * function (`made` is true), returns the line with the macro's closing parenthesis. */
static int find_end(const struct listing *listing, int first, bool made)
{
	int last = first, open = 0;

	while (!made && last + 1 < listing->line_count && listing->line[last][0] != '}')
		last++;
	if (!made)
		return last;
	for (;; last++) {
		bool quoted = false;

		for (const char *c = listing->line[last]; *c; c++) {
			if (*c == '"' && (c == listing->line[last] || c[-1] != '\\'))
				quoted = !quoted;
			if (!quoted)
				open += (*c == '(') - (*c == ')');
		}
		if (open <= 0 || last + 1 == listing->line_count)
			return last;
	}
}

/* Several uses of a macro that defines kernel functions may form a group of lines under one
 * comment. Returns the line of the group's comment, or `first` if the group has no comment. */
static int find_comment(const struct listing *listing, int first)
{
	int line = first;

	while (line > 0 && listing->line[line - 1][0] && listing->line[line][0] != '/')
		line--;
	return listing->line[line][0] == '/' ? line : first;
}

/* ---- the loop of a function that a macro defines */

/* A macro with at least this number of lines of assembly is shown as the loop of a kernel.
 * ARGUMENT_LINES: for a macro that is an argument of the macro that defines the kernel's function;
 * LOOP_LINES: for other macros. */
enum { ARGUMENT_LINES = 2, LOOP_LINES = 3 };

/* Returns the line that defines a macro; -1: the file does not define the macro. If a kernel's file
 * defines a macro twice, the definition for x86-64 comes first. */
static int find_macro(const struct listing *listing, const char *name, size_t length)
{
	int found = -1;

	for (int i = 0; i < listing->line_count; i++) {
		const char *line = listing->line[i];

		if (strncmp(line, "#define ", 8) != 0 || strncmp(line + 8, name, length) != 0 ||
			is_word(line[8 + length]))
			continue;
		found = i;
#if defined(__x86_64__)
		break;
#endif
	}
	return found;
}

/* Returns the last line of a macro's definition, which is the first without a backslash at its end.
 */
static int macro_end(const struct listing *listing, int line)
{
	while (line + 1 < listing->line_count && *listing->line[line] &&
		listing->line[line][strlen(listing->line[line]) - 1] == '\\')
		line++;
	return line;
}

/* Returns the number of source lines with at least two letters in quotes, such as lines of inline
 * assembly. */
static int quoted_lines(const struct listing *listing, int first, int last)
{
	int count = 0;

	for (int i = first; i <= last; i++) {
		bool quoted = false, text = false;

		for (const char *c = listing->line[i]; *c; c++) {
			quoted ^= *c == '"';
			text |= quoted && isalpha((unsigned char)c[0]) &&
				isalpha((unsigned char)c[1]);
		}
		count += text;
	}
	return count;
}

/* Looks in the lines first…last for macros of this file, and in their definitions for further
 * macros. The definition with the most lines of instructions becomes the loop of the listing.
 * `most` is the largest such number of lines that was found before. If `arguments` is true, looks
 * only at macros that the lines first…last pass to another macro. Returns the new largest number.
 */
static int find_macro_loop(struct listing *listing, int first, int last, bool arguments, int most)
{
	for (int i = first; i <= last; i++)
		for (const char *c = listing->line[i]; *c; c++) {
			size_t length = 0;
			int line, end, count;

			while (is_word(c[length]))
				length++;
			line = length > 1 && !(arguments && c == listing->line[first])
				       ? find_macro(listing, c, length)
				       : -1;
			c += length ? length - 1 : 0;
			/* In a kernel's file, macros are defined before their uses, so the
			 * recursive search through macros ends. */
			if (line < 0 || line >= first)
				continue;
			end = macro_end(listing, line);
			count = quoted_lines(listing, line, end);
			if (count > most) {
				most = count;
				listing->loop_first = line;
				listing->loop_last = end;
			}
			if (!arguments)
				most = find_macro_loop(listing, line, end, false, most);
		}
	return most;
}

/* Returns the number of tabs at the start of the line. */
static int depth_of(const char *line)
{
	return (int)strspn(line, "\t");
}

/* Finds the innermost loop of the function: the for, while or do statement with the deepest
 * indentation. If several loops have the same deepest indentation, finds the longest of these
 * loops. */
static void find_loop(struct listing *listing)
{
	int deepest = -1, longest = 0;

	for (int i = listing->first + 1; i < listing->last; i++) {
		const char *line = listing->line[i];
		int depth = depth_of(line), end = i + 1;

		line += depth;
		if (!((word_in(line, "for") == line + 3) || (word_in(line, "while") == line + 5) ||
			    (word_in(line, "do") == line + 2)))
			continue;
		/* A loop body without braces ends before the first line with the loop's
		 * indentation. A loop body with braces ends at the first line with the loop's
		 * indentation. */
		while (end < listing->last &&
			(depth_of(listing->line[end]) > depth || !*listing->line[end] ||
				*listing->line[end] == '#'))
			end++;
		if (depth_of(listing->line[end]) != depth || listing->line[end][depth] != '}')
			end--;
		if (end == i && strncmp(line, "do", 2) == 0)
			continue;
		if (depth > deepest || (depth == deepest && end - i > longest)) {
			deepest = depth;
			longest = end - i;
			listing->loop_first = i;
			listing->loop_last = end;
		}
	}
}

/* If the line `use` passes a call of a function of this file to a macro, sets the lines to show to
 * that function and its loop. Returns false if the line calls no function of this file. */
static bool find_called(struct listing *listing, int use)
{
	for (const char *c = strchr(listing->line[use], '('); c && *c; c++) {
		char name[64];
		size_t length = 0;
		int function;

		while (is_word(c[length]))
			length++;
		if (length == 0 || length >= sizeof(name) || c[length] != '(')
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)length, c);
		function = find_function(listing, name, false);
		if (function < 0)
			continue;
		listing->first = function;
		listing->last = find_end(listing, function, false);
		listing->loop_first = listing->loop_last = -1;
		find_loop(listing);
		return true;
	}
	return false;
}

/* Sets the source lines to show for a kernel's function that a macro defines; the lines first…last
 * use the macro. If this use has no instructions, the loop is the macro with the instructions, or
 * the loop of the function that the use calls. In all other cases, the use of the macro is marked
 * like a loop, and the other lines of its paragraph are shown for comparison. */
static void find_made_loop(struct listing *listing)
{
	const int first = listing->first, last = listing->last;

	listing->loop_first = first;
	listing->loop_last = last;
	if (quoted_lines(listing, first, last) == 0) {
		if (find_macro_loop(listing, first, last, true, ARGUMENT_LINES - 1) <
			ARGUMENT_LINES)
			find_macro_loop(listing, first, last, false, LOOP_LINES - 1);
		if (listing->loop_first == first && find_called(listing, first))
			return;
	}
	listing->first = find_comment(listing, listing->loop_first);
	listing->last = listing->loop_first == first ? last : listing->loop_last;
}

struct listing *listing_parse(const char *file, const char *text, const char *function)
{
	struct listing *listing;
	bool made;

	/* Most of the searched headers lack the function; to split them into lines would take most
	 * of the time between a key and the next frame. */
	if (!strstr(text, function))
		return NULL;
	listing = memory_new(1, sizeof(*listing));
	snprintf(listing->file, sizeof(listing->file), "%s", file);
	snprintf(listing->function, sizeof(listing->function), "%s", function);
	listing->text = memory_string(text);
	for (char *at = listing->text; at && *at;) {
		listing->line = memory_grow(
			listing->line, (size_t)listing->line_count, sizeof(*listing->line));
		listing->line[listing->line_count++] = strsep(&at, "\n");
	}
	listing->first = find_function(listing, function, false);
	listing->loop_first = listing->loop_last = -1;
	made = listing->first < 0;
	if (made)
		listing->first = find_function(listing, function, true);
	if (listing->first < 0) {
		listing_free(listing);
		return NULL;
	}
	listing->last = find_end(listing, listing->first, made);
	if (made)
		find_made_loop(listing);
	else
		find_loop(listing);
	return listing;
}

struct listing *listing_find(const struct kernel *kernel, const char *function)
{
	char stem[64], name[72], *own = NULL;
	const char *text;
	struct listing *listing = NULL;

	if (!function || kernel->function)
		return NULL;
	if (kernel->file) {
		text = data_built_in(kernel->file);
		if (!text && data_read(kernel->file, &own).code == STATUS_OK)
			text = own;
		listing = text ? listing_parse(kernel->file, text, function) : NULL;
		free(own);
		return listing;
	}
	snprintf(stem, sizeof(stem), "kernels/%s", kernel->name);
	snprintf(name, sizeof(name), "%s.c", stem);
	text = data_built_in(name);
	if (text)
		listing = listing_parse(name, text, function);
	for (const struct data_file *file = data_files; file->name && !listing; file++)
		/* If the kernel's own file lacks the function, a header that several kernels
		 * include may have it. */
		if (fnmatch("kernels/*.h", file->name, 0) == 0)
			listing = listing_parse(file->name, file->text, function);
	if (listing)
		return listing;
	/* The build stores generated loops in packed form. */
	snprintf(name, sizeof(name), "%s.loops", stem);
	text = data_built_in(name);
	own = text ? listing_unpack(text, function) : NULL;
	if (own)
		listing = listing_parse(stem, own, function);
	free(own);
	if (listing)
		listing->generated = true;
	return listing;
}

void listing_free(struct listing *listing)
{
	if (!listing)
		return;
	free(listing->line);
	free(listing->text);
	free(listing);
}
