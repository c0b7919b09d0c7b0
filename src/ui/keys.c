/* Reads data/keys, and finds the command of a key. */
#include "ui/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"

static const char *const context_names[] = {
	[CONTEXT_MAIN] = "main",
	[CONTEXT_ENTRY] = "entry",
	[CONTEXT_GUESS] = "guess",
	[CONTEXT_FIND] = "find",
	[CONTEXT_HELP] = "help",
	[CONTEXT_TEXT] = "text",
	[CONTEXT_PAGE] = "page",
	[CONTEXT_ANSWERS] = "answers",
};
_Static_assert(sizeof(context_names) / sizeof(context_names[0]) == CONTEXT_COUNT,
	"every context has a name");

static const struct {
	const char *name;
	int code;
} named[] = { { "Space", ' ' }, { "Enter", KEYCODE_ENTER }, { "Esc", KEYCODE_ESC },
	{ "Tab", KEYCODE_TAB }, { "BackTab", KEYCODE_BACKTAB }, { "Backspace", KEYCODE_BACKSPACE },
	{ "Delete", KEYCODE_DELETE }, { "Insert", KEYCODE_INSERT }, { "Up", KEYCODE_UP },
	{ "Down", KEYCODE_DOWN }, { "Left", KEYCODE_LEFT }, { "Right", KEYCODE_RIGHT },
	{ "Home", KEYCODE_HOME }, { "End", KEYCODE_END }, { "PageUp", KEYCODE_PAGEUP },
	{ "PageDown", KEYCODE_PAGEDOWN }, { "Digit", KEYCODE_DIGIT }, { "Char", KEYCODE_CHAR } };

int keys_code(const char *name)
{
	int number;
	char rest;

	if (name[0] > ' ' && name[0] < 0x7f && !name[1])
		return name[0];
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strcmp(named[i].name, name) == 0)
			return named[i].code;
	if (name[0] == 'F' && sscanf(name, "F%2d%c", &number, &rest) == 1 && number >= 1 &&
		number <= 12)
		return KEYCODE_F1 + number - 1;
	if (name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z' && !name[3])
		return KEYCODE_CONTROL_A + name[2] - 'a';
	return KEYCODE_NONE;
}

struct words keys_name(int code)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (named[i].code == code)
			return words_of("%s", named[i].name);
	if (code >= KEYCODE_F1 && code <= KEYCODE_F12)
		return words_of("F%d", code - KEYCODE_F1 + 1);
	if (code >= KEYCODE_CONTROL_A && code <= KEYCODE_CONTROL_Z)
		return words_of("C-%c", 'a' + code - KEYCODE_CONTROL_A);
	return words_of("%.1s", code > ' ' && code < 0x7f ? (const char[]){ (char)code, 0 } : "");
}

/* Maximum number of commands from which the suggestion for a misspelt command is chosen. */
enum { COMMANDS_MAX = 160 };

static bool check_command(
	struct rows *rows, const char *command, const struct command_row *commands)
{
	const char *names[COMMANDS_MAX];
	size_t count = 0, length = strcspn(command, " ");
	struct words word = words_of("%.*s", (int)length, command);
	/* The user interface itself runs the commands "redraw" and "page". */
	bool known = strcmp(word.text, "redraw") == 0 || strcmp(word.text, "page") == 0;

	for (int i = 0; commands[i].name && !known; i++) {
		const char *name = commands[i].name;

		known = strncmp(name, word.text, length) == 0 &&
			(name[length] == '\0' || name[length] == ' ');
		if (count < COMMANDS_MAX)
			names[count++] = name;
	}
	return known || rows_unknown(rows, "command", word.text, names, count);
}

/* Cuts a text at the character `mark`, and removes blanks around the cut. Returns the part after
 * `mark`, or NULL if the text has no `mark`. */
static char *cut_at(char *text, const char *mark)
{
	char *found = strstr(text, mark), *end = found;

	if (!found)
		return NULL;
	while (end > text && end[-1] == ' ')
		end--;
	*end = '\0';
	found += strlen(mark);
	return found + strspn(found, " \t");
}

static bool read_code(struct rows *rows, const char *key, struct key_row *row)
{
	row->code = keys_code(key);
	if (row->code == KEYCODE_NONE)
		return rows_fail(rows,
			"unknown key \"%.20s\": expected one character or a name such as F1, Tab, "
			"C-l",
			key);
	return rows_copy(rows, "the key", key, row->key, sizeof(row->key));
}

/* Reads a line of the form "KEY COMMAND # WORD | NOTE"; WORD is optional. */
static bool read_key(struct rows *rows, struct key_row *row)
{
	char *key = rows_word(rows), *command = rows_rest(rows), *note = cut_at(command, "# "),
	     *after = note ? cut_at(note, " | ") : NULL;

	if (!*command || !note)
		return rows_fail(rows, "key \"%.20s\" has no %s: expected KEY COMMAND # NOTE", key,
			note || !*command ? "command" : "note");
	if (!read_code(rows, key, row))
		return false;
	if (after &&
		!rows_copy(rows, "the word of the key bar", note, row->word, sizeof(row->word)))
		return false;
	return rows_copy(rows, "the command", command, row->command, sizeof(row->command)) &&
	       rows_copy(rows, "the note", after ? after : note, row->note, sizeof(row->note));
}

static bool add_key(struct rows *rows, struct keys *keys, enum context context,
	const struct command_row *commands)
{
	struct key_row row = { .context = context };

	if (context == CONTEXT_COUNT)
		return rows_fail(rows, "a key before the first section, for example [main]");
	if (!read_key(rows, &row) || !check_command(rows, row.command, commands))
		return false;
	for (int i = 0; i < keys->count; i++)
		if (keys->row[i].context == row.context && keys->row[i].code == row.code)
			return rows_fail(rows, "key \"%s\" is already \"%s\" in [%s]", row.key,
				keys->row[i].command, context_names[row.context]);
	if (keys->count == KEYS_MAX)
		return rows_fail(rows, "more than %d keys", KEYS_MAX);
	keys->row[keys->count++] = row;
	return true;
}

struct status keys_parse(
	struct keys *keys, const char *text, const char *origin, const struct command_row *commands)
{
	enum context context = CONTEXT_COUNT;
	struct rows rows;
	char name[16];

	keys->count = 0;
	rows_begin(&rows, text, origin);
	while (rows_next(&rows))
		if (rows_section(&rows, name, sizeof(name)))
			context = (enum context)rows_choice(
				&rows, "context", name, context_names, CONTEXT_COUNT);
		else
			add_key(&rows, keys, context, commands);
	if (keys->count == 0)
		rows_fail(&rows, "this file has no keys with commands");
	if (!status_is_ok(&rows.status))
		rows.status.code = STATUS_USAGE;
	return rows_end(&rows);
}

struct status keys_override(struct keys *keys, const char *lines, const char *origin,
	const struct command_row *commands)
{
	struct rows rows;

	rows_begin(&rows, lines, origin);
	rows.lenient = true;
	while (rows_next(&rows)) {
		struct key_row row = { .context = CONTEXT_MAIN };
		int at = 0;

		if (!read_code(&rows, rows_word(&rows), &row) ||
			!rows_copy(&rows, "the command", rows_rest(&rows), row.command,
				sizeof(row.command)) ||
			!check_command(&rows, row.command, commands))
			continue;
		snprintf(row.note, sizeof(row.note), "%s (a saved setting)", row.command);
		while (at < keys->count &&
			(keys->row[at].context != row.context || keys->row[at].code != row.code))
			at++;
		if (at == KEYS_MAX)
			rows_fail(&rows, "more than %d keys", KEYS_MAX);
		else
			keys->row[at] = row;
		keys->count += at == keys->count && at < KEYS_MAX;
	}
	return rows_end(&rows);
}

enum context keys_context(const struct screen *screen)
{
	switch (screen->overlay) {
	case OVERLAY_HELP: return CONTEXT_HELP;
	case OVERLAY_FIND: return CONTEXT_FIND;
	case OVERLAY_TEXT: return CONTEXT_TEXT;
	case OVERLAY_PAGE: return screen->page_answers ? CONTEXT_ANSWERS : CONTEXT_PAGE;
	case OVERLAY_NONE: break;
	}
	return screen->entry[0] ? CONTEXT_ENTRY : screen->guessing ? CONTEXT_GUESS : CONTEXT_MAIN;
}

static const struct key_row *find_code(const struct keys *keys, enum context context, int code)
{
	for (int i = 0; i < keys->count; i++)
		if (keys->row[i].context == context && keys->row[i].code == code)
			return &keys->row[i];
	return NULL;
}

const struct key_row *keys_find(const struct keys *keys, enum context context, int code)
{
	const struct key_row *row = find_code(keys, context, code);

	if (!row && code >= '0' && code <= '9')
		row = find_code(keys, context, KEYCODE_DIGIT);
	if (!row && code >= ' ' && code < KEYCODE_ENTER)
		row = find_code(keys, context, KEYCODE_CHAR);
	return row;
}

void keys_expand(const struct key_row *row, int code, const char *find, char *buffer, size_t size)
{
	/* Only the answers to a lesson's questions may have other characters than ASCII. */
	const bool plain = code >= ' ' && code < 0x7f;
	const struct utf8 typed =
		utf8_of(plain || row->context == CONTEXT_GUESS ? (uint32_t)code : '?');
	const struct {
		const char *mark, *words;
		size_t length;
	} marks[] = {
		{ "{char}", typed.bytes, strlen(typed.bytes) },
		{ "{find-1}", find, *find ? strlen(find) - 1 : 0 },
		{ "{find}", find, strlen(find) },
	};
	size_t used = 0, skip;

	for (const char *from = row->command; *from; from += skip) {
		const char *words = from;
		size_t length = skip = 1;

		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]) && words == from; i++)
			if (strncmp(from, marks[i].mark, strlen(marks[i].mark)) == 0) {
				words = marks[i].words;
				length = marks[i].length;
				skip = strlen(marks[i].mark);
			}
		/* If the text that replaces {char} or {find} does not fit completely, it is
		 * omitted. */
		if (used + length < size) {
			memcpy(buffer + used, words, length);
			used += length;
		}
	}
	buffer[used] = '\0';
}

/* ---- control sequences ---- */

enum { BELL = 7, ESCAPE = 27, DELETE = 127 };

static bool between(wint_t character, wint_t from, wint_t to)
{
	return character >= from && character <= to;
}

enum sequence sequence_after_escape(const wint_t *after, size_t count)
{
	if (count < 1)
		return SEQUENCE_NONE;
	if (after[0] == '[')
		return SEQUENCE_CONTROL;
	/* A control character right after Esc may be a separate key that the user pressed, not part
	 * of a sequence. */
	if (count < 2 || after[0] < ' ' || after[0] == DELETE)
		return after[0] < ' ' || after[0] == DELETE ? SEQUENCE_NONE : SEQUENCE_ALT;
	if (after[0] == 'O' && (between(after[1], 'A', 'Z') || between(after[1], 'a', 'z')))
		return SEQUENCE_SHORT;
	if ((after[0] == ']' || after[0] == 'P') && between(after[1], '0', '9'))
		return SEQUENCE_STRING;
	return after[0] == 'P' && (after[1] == '>' || after[1] == '!') ? SEQUENCE_STRING
								       : SEQUENCE_ALT;
}

bool sequence_is_cut(enum sequence sequence, wint_t before, wint_t character)
{
	return sequence == SEQUENCE_STRING && before == ESCAPE && character != '\\';
}

bool sequence_ends(enum sequence sequence, wint_t before, wint_t character)
{
	switch (sequence) {
	case SEQUENCE_CONTROL:
		/* A second '[' does not end the sequence: function keys of the Linux console send
		 * "Esc [ [ A". */
		if (before == 0 && character == '[')
			return false;
		/* Parameter characters and intermediate characters do not end the sequence. */
		return !between(character, 0x20, 0x3f);
	case SEQUENCE_STRING: return character == BELL || (before == ESCAPE && character == '\\');
	default: return true;
	}
}
