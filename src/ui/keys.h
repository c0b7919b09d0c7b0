/* Keys: which command each one stands for, read from data/keys. Pure.
 *
 * A key is a number: its character, or one of the KEY_ codes here. screen.c makes them from what
 * the terminal sends, scripts from their names. */
#ifndef SLX_UI_KEYS_H
#define SLX_UI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "base/status.h"
#include "explorer/command.h"
#include "explorer/view.h"

enum key_code {
	KEYCODE_NONE = 0,
	KEYCODE_ENTER = 0x110000, /* beyond every character */
	KEYCODE_ESC,
	KEYCODE_TAB,
	KEYCODE_BACKTAB,
	KEYCODE_BACKSPACE,
	KEYCODE_DELETE,
	KEYCODE_INSERT,
	KEYCODE_UP,
	KEYCODE_DOWN,
	KEYCODE_LEFT,
	KEYCODE_RIGHT,
	KEYCODE_HOME,
	KEYCODE_END,
	KEYCODE_PAGEUP,
	KEYCODE_PAGEDOWN,
	KEYCODE_F1,
	KEYCODE_F12 = KEYCODE_F1 + 11,
	KEYCODE_CONTROL_A,
	KEYCODE_CONTROL_Z = KEYCODE_CONTROL_A + 25,
	KEYCODE_DIGIT,
	KEYCODE_CHAR, /* classes: only in key rows */
};

/* Where a key is pressed. */
enum context {
	CONTEXT_MAIN,
	CONTEXT_ENTRY,
	CONTEXT_FIND,
	CONTEXT_HELP,
	CONTEXT_TEXT,
	CONTEXT_COUNT
};

enum { KEYS_MAX = 160 };

struct key_row {
	enum context context;
	int code;
	char key[16]; /* as written */
	char command[64];
	char word[16]; /* for the key bar; empty: not there */
	char note[96];
};

struct keys {
	int count;
	struct key_row row[KEYS_MAX];
};

/* Reads the text of a key file. Every command must begin like one of `commands` (ended by a NULL
 * name) or be "redraw", "page up" or "page down", which the user interface does by itself.
 * STATUS_USAGE: "ORIGIN:LINE: reason". */
struct status keys_parse(struct keys *keys, const char *text, const char *origin,
	const struct command_row *commands);

/* The number of a named key, KEYCODE_NONE when there is none of that name; and the name of a
 * number. */
int keys_code(const char *name);
void keys_name(int code, char *buffer, size_t size);

/* "main", "entry", … */
const char *keys_context_name(enum context context);

/* Where the keys go now. */
enum context keys_context(const struct view *view);

/* The row that a key has in a context: named itself first, else through its class. NULL: the key
 * does nothing there. */
const struct key_row *keys_find(const struct keys *keys, enum context context, int code);

/* The row's command with {char}, {find} and {find-1} filled in. */
void keys_expand(const struct key_row *row, int code, const char *find, char *buffer, size_t size);

/* ---- control sequences that are no key known here ----
 *
 * A terminal reports its cursor's place or its colours in them, and sends keys that its description
 * lacks. They are read to their end, so that none of their characters counts as a key. As in
 * ECMA-48. */

/* Characters after Esc that tell which it is. */
enum { SEQUENCE_LOOK = 2 };

enum sequence {
	SEQUENCE_NONE,	  /* Esc was a key, and these are keys, too */
	SEQUENCE_CONTROL, /* Esc [ …: goes on until sequence_ends() */
	SEQUENCE_STRING,  /* a string of the terminal's: likewise */
	SEQUENCE_SHORT	  /* over with these two */
};

/* Which sequence the characters begin that came together with an Esc, right after it: `count` of
 * them, SEQUENCE_LOOK at most. */
enum sequence sequence_after_escape(const wint_t *after, size_t count);

/* Whether the sequence ends with this character; before: the one before it. */
bool sequence_ends(enum sequence sequence, wint_t before, wint_t character);

#endif
