/* Parsing data/keys, and look-ups in it. */
#include "ui/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

static const char *const context_names[] = {
	[CONTEXT_MAIN] = "main",
	[CONTEXT_ENTRY] = "entry",
	[CONTEXT_FIND] = "find",
	[CONTEXT_HELP] = "help",
	[CONTEXT_TEXT] = "text",
};
_Static_assert(sizeof(context_names) / sizeof(context_names[0]) == CONTEXT_COUNT,
	"every context has a name");

static const struct {
	const char *name;
	int code;
} named[] = {
	{ "Space", ' ' },
	{ "Enter", KEYCODE_ENTER },
	{ "Esc", KEYCODE_ESC },
	{ "Tab", KEYCODE_TAB },
	{ "BackTab", KEYCODE_BACKTAB },
	{ "Backspace", KEYCODE_BACKSPACE },
	{ "Delete", KEYCODE_DELETE },
	{ "Insert", KEYCODE_INSERT },
	{ "Up", KEYCODE_UP },
	{ "Down", KEYCODE_DOWN },
	{ "Left", KEYCODE_LEFT },
	{ "Right", KEYCODE_RIGHT },
	{ "Home", KEYCODE_HOME },
	{ "End", KEYCODE_END },
	{ "PageUp", KEYCODE_PAGEUP },
	{ "PageDown", KEYCODE_PAGEDOWN },
	{ "Digit", KEYCODE_DIGIT },
	{ "Char", KEYCODE_CHAR },
	{ NULL, KEYCODE_NONE },
};

const char *keys_context_name(enum context context)
{
	return context_names[context];
}

int keys_code(const char *name)
{
	int number;
	char rest;

	if (name[0] > ' ' && name[0] < 0x7f && !name[1])
		return name[0];
	for (int i = 0; named[i].name; i++)
		if (strcmp(named[i].name, name) == 0)
			return named[i].code;
	if (name[0] == 'F' && sscanf(name, "F%2d%c", &number, &rest) == 1 && number >= 1 &&
		number <= 12)
		return KEYCODE_F1 + number - 1;
	if (name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z' && !name[3])
		return KEYCODE_CONTROL_A + name[2] - 'a';
	return KEYCODE_NONE;
}

void keys_name(int code, char *buffer, size_t size)
{
	snprintf(buffer, size, "?");
	for (int i = 0; named[i].name; i++) {
		if (named[i].code == code) {
			snprintf(buffer, size, "%s", named[i].name);
			return;
		}
	}
	if (code > ' ' && code < 0x7f)
		snprintf(buffer, size, "%c", code);
	else if (code >= KEYCODE_F1 && code <= KEYCODE_F12)
		snprintf(buffer, size, "F%d", code - KEYCODE_F1 + 1);
	else if (code >= KEYCODE_CONTROL_A && code <= KEYCODE_CONTROL_Z)
		snprintf(buffer, size, "C-%c", 'a' + code - KEYCODE_CONTROL_A);
}

/* Cuts blanks at both ends, in place. */
static char *trim(char *string)
{
	size_t length;

	string += strspn(string, " \t\r");
	length = strlen(string);
	while (length > 0 && strchr(" \t\r", string[length - 1]))
		string[--length] = '\0';
	return string;
}

/* Copies a field; false when it is too long. */
static bool field(char *to, size_t size, const char *from)
{
	return (size_t)snprintf(to, size, "%s", from) < size;
}

/* What the user interface does by itself, without the session. */
static const char *const own_words[] = { "redraw", "page", NULL };

static struct status known_command(
	const char *command, const struct command_row *commands, const char *origin, int line)
{
	const char *names[96];
	size_t count = 0, length = strcspn(command, " ");
	char word[64], near[96] = "";

	snprintf(word, sizeof(word), "%.*s", (int)length, command);
	for (int i = 0; own_words[i]; i++)
		if (strcmp(own_words[i], word) == 0)
			return status_ok();
	for (int i = 0; commands[i].name; i++) {
		if (strncmp(commands[i].name, word, length) == 0 &&
			(commands[i].name[length] == '\0' || commands[i].name[length] == ' '))
			return status_ok();
		if (count < sizeof(names) / sizeof(names[0]))
			names[count++] = commands[i].name;
	}
	nearest_names(word, names, count, near, sizeof(near));
	return status_make(STATUS_USAGE, "%s:%d: no command \"%s\"%s%s%s", origin, line, word,
		near[0] ? ": did you mean " : "", near, near[0] ? "?" : "");
}

/* One line "KEY COMMAND # WORD | NOTE" into a row. */
static struct status parse_row(struct key_row *row, char *text, const char *origin, int line)
{
	char *key = trim(text), *command = key + strcspn(key, " \t"), *note, *bar;

	if (!*command || !*trim(command))
		return status_make(STATUS_USAGE,
			"%s:%d: key \"%s\" has no command: expected KEY COMMAND # NOTE", origin,
			line, key);
	*command++ = '\0';
	note = strstr(command, "# ");
	if (note) {
		*note = '\0';
		note += 2;
	}
	command = trim(command);
	if (!*command)
		return status_make(STATUS_USAGE,
			"%s:%d: key \"%s\" has no command: expected KEY COMMAND # NOTE", origin,
			line, key);
	if (!note || !*trim(note))
		return status_make(STATUS_USAGE,
			"%s:%d: key \"%s\" has no note: expected KEY COMMAND # NOTE", origin, line,
			key);
	row->code = keys_code(key);
	if (row->code == KEYCODE_NONE)
		return status_make(STATUS_USAGE,
			"%s:%d: no key is called \"%s\": expected one character or a name such as "
			"F1, Tab, C-l",
			origin, line, key);
	bar = strstr(note, " | ");
	if (bar) {
		*bar = '\0';
		if (!field(row->word, sizeof(row->word), trim(note)))
			return status_make(STATUS_USAGE,
				"%s:%d: the word for the key bar is longer than %zu characters",
				origin, line, sizeof(row->word) - 1);
		note = bar + 3;
	}
	if (!field(row->key, sizeof(row->key), key) ||
		!field(row->command, sizeof(row->command), command) ||
		!field(row->note, sizeof(row->note), trim(note)))
		return status_make(STATUS_USAGE,
			"%s:%d: too long: a command has up to %zu characters, a note up to %zu",
			origin, line, sizeof(row->command) - 1, sizeof(row->note) - 1);
	return status_ok();
}

/* "[find]" into its number; CONTEXT_COUNT when there is none of that name. */
static enum context parse_context(const char *line)
{
	size_t length = strlen(line);

	for (int i = 0; i < CONTEXT_COUNT; i++)
		if (length == strlen(context_names[i]) + 2 && line[length - 1] == ']' &&
			strncmp(line + 1, context_names[i], length - 2) == 0)
			return (enum context)i;
	return CONTEXT_COUNT;
}

/* One trimmed line that is neither empty nor a comment. */
static struct status parse_line(struct keys *keys, char *line, int number, enum context *context,
	const char *origin, const struct command_row *commands)
{
	struct key_row row = { .code = KEYCODE_NONE };
	struct status status;

	/* "[" alone is a key as well; a context has a name and a bracket at its end. */
	if (line[0] == '[' && line[1] && line[1] != ' ' && line[1] != '\t') {
		*context = parse_context(line);
		if (*context == CONTEXT_COUNT)
			return status_make(STATUS_USAGE,
				"%s:%d: no context %s: expected [main], [entry], [find], [help] or "
				"[text]",
				origin, number, line);
		return status_ok();
	}
	if (*context == CONTEXT_COUNT)
		return status_make(STATUS_USAGE,
			"%s:%d: a key before the first context, such as [main]", origin, number);
	status = parse_row(&row, line, origin, number);
	if (!status_is_ok(&status))
		return status;
	row.context = *context;
	status = known_command(row.command, commands, origin, number);
	if (!status_is_ok(&status))
		return status;
	for (int i = 0; i < keys->count; i++)
		if (keys->row[i].context == row.context && keys->row[i].code == row.code)
			return status_make(STATUS_USAGE,
				"%s:%d: key \"%s\" is already \"%s\" in [%s]", origin, number,
				row.key, keys->row[i].command, context_names[row.context]);
	if (keys->count == KEYS_MAX)
		return status_make(
			STATUS_USAGE, "%s:%d: more than %d keys", origin, number, KEYS_MAX);
	keys->row[keys->count++] = row;
	return status_ok();
}

struct status keys_parse(
	struct keys *keys, const char *text, const char *origin, const struct command_row *commands)
{
	enum context context = CONTEXT_COUNT;

	keys->count = 0;
	for (int number = 1; *text; number++) {
		size_t length = strcspn(text, "\n");
		struct status status;
		char buffer[256], *line;

		if (length >= sizeof(buffer))
			return status_make(STATUS_USAGE,
				"%s:%d: the line is longer than %zu characters", origin, number,
				sizeof(buffer) - 1);
		memcpy(buffer, text, length);
		buffer[length] = '\0';
		text += length + (text[length] == '\n');
		line = trim(buffer);
		if (!*line || *line == '#')
			continue;
		status = parse_line(keys, line, number, &context, origin, commands);
		if (!status_is_ok(&status))
			return status;
	}
	if (keys->count == 0)
		return status_make(STATUS_USAGE, "%s: no keys in it", origin);
	return status_ok();
}

enum context keys_context(const struct view *view)
{
	switch (view->overlay) {
	case OVERLAY_HELP:
		return CONTEXT_HELP;
	case OVERLAY_FIND:
		return CONTEXT_FIND;
	case OVERLAY_TEXT:
		return CONTEXT_TEXT;
	case OVERLAY_NONE:
		break;
	}
	return view->entry[0] ? CONTEXT_ENTRY : CONTEXT_MAIN;
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

/* Appends up to `size`, cutting at whole pieces. */
static void append(char *buffer, size_t size, const char *piece, size_t length)
{
	size_t used = strlen(buffer);

	if (used + length < size) {
		memcpy(buffer + used, piece, length);
		buffer[used + length] = '\0';
	}
}

void keys_expand(const struct key_row *row, int code, const char *find, char *buffer, size_t size)
{
	size_t shorter = strlen(find);
	/* Names and commands are ASCII: what is typed beyond it cannot be part of any. */
	char typed = code >= ' ' && code < 0x7f ? (char)code : '?';

	if (shorter > 0)
		shorter--;
	buffer[0] = '\0';
	for (const char *from = row->command; *from;) {
		if (strncmp(from, "{char}", 6) == 0) {
			append(buffer, size, &typed, 1);
			from += 6;
		} else if (strncmp(from, "{find-1}", 8) == 0) {
			append(buffer, size, find, shorter);
			from += 8;
		} else if (strncmp(from, "{find}", 6) == 0) {
			append(buffer, size, find, strlen(find));
			from += 6;
		} else {
			append(buffer, size, from++, 1);
		}
	}
}

/* ---- control sequences ---- */

enum { BELL = 7, ESCAPE = 27 };

static bool between(wint_t character, wint_t from, wint_t to)
{
	return character >= from && character <= to;
}

static bool is_digit(wint_t character)
{
	return between(character, '0', '9');
}

static bool is_letter(wint_t character)
{
	return between(character, 'A', 'Z') || between(character, 'a', 'z');
}

enum sequence sequence_after_escape(const wint_t *after, size_t count)
{
	if (count < 1)
		return SEQUENCE_NONE;
	if (after[0] == '[')
		return SEQUENCE_CONTROL;
	/* The others begin with letters that are keys as well, pressed right after Esc. */
	if (count < 2)
		return SEQUENCE_NONE;
	if (after[0] == 'O' && is_letter(after[1]))
		return SEQUENCE_SHORT;
	if (after[0] == ']' && is_digit(after[1]))
		return SEQUENCE_STRING;
	if (after[0] == 'P' && (is_digit(after[1]) || after[1] == '>' || after[1] == '!'))
		return SEQUENCE_STRING;
	return SEQUENCE_NONE;
}

bool sequence_ends(enum sequence sequence, wint_t before, wint_t character)
{
	switch (sequence) {
	case SEQUENCE_CONTROL:
		/* The Linux console's function keys: Esc [ [ A. */
		if (before == 0 && character == '[')
			return false;
		/* Parameters, and what stands between them and the end. */
		return !between(character, 0x20, 0x3f);
	case SEQUENCE_STRING:
		return character == BELL || (before == ESCAPE && character == '\\');
	default:
		return true;
	}
}
