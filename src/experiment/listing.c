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
			 : (*after == '(' || *after == ':') && line[length - 1] != ';')
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
			(depth_of(listing->line[end]) > depth || !*listing->line[end]))
			end++;
		if (listing->line[end][depth_of(listing->line[end])] != '}')
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

struct listing *listing_parse(const char *file, const char *text, const char *function)
{
	struct listing *listing = memory_new(1, sizeof(*listing));
	bool made;

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
	if (made) {
		/* The source views mark the macro use that defines the kernel's function like a
		 * loop, and show the other lines of its group for comparison. */
		listing->loop_first = listing->first;
		listing->loop_last = listing->last;
		listing->first = find_comment(listing, listing->first);
	} else {
		find_loop(listing);
	}
	return listing;
}

struct listing *listing_find(const struct kernel *kernel, const char *function)
{
	char stem[64], name[72], *own = NULL;
	const char *text;
	struct listing *listing = NULL;

	if (!function)
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
