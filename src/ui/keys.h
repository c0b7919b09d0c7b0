/* Keys and their commands, read from data/keys. Pure.
 *
 * A key is a number: its character, or a KEYCODE_ value. screen_input.c makes the number of a key
 * from terminal input; scripts make the number from the key's name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

#include "base/status.h"
#include "base/text.h"
#include "explorer/command.h"
#include "explorer/view.h"

enum key_code {
	KEYCODE_NONE = 0,
	KEYCODE_ENTER = 0x110000, /* greater than every character */
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
	KEYCODE_CHAR, /* KEYCODE_DIGIT and KEYCODE_CHAR are classes of keys, used only in rows of
			 data/keys */
	/* KEYCODE_ values for input that cannot be a key of data/keys: */
	KEYCODE_UNKNOWN, /* a key without a name, for example F13 or Alt-5 */
	KEYCODE_CLICK,
	KEYCODE_WHEEL_UP,
	KEYCODE_WHEEL_DOWN,
	KEYCODE_PASTE
};

/* One event of the terminal's input. */
struct input {
	int code;	    /* the key; KEYCODE_NONE: no input is waiting */
	int x, y;	    /* for the mouse: the cell under the pointer */
	const char *pasted; /* for KEYCODE_PASTE: the text; valid until the next event */
};

/* The state of the screen (for example, an open overlay), which determines which command a key has.
 */
enum context {
	CONTEXT_MAIN,
	CONTEXT_ENTRY,
	CONTEXT_GUESS,
	CONTEXT_FIND,
	CONTEXT_HELP,
	CONTEXT_TEXT,
	CONTEXT_PAGE,
	CONTEXT_ANSWERS,
	CONTEXT_COUNT
};

enum { KEYS_MAX = 160 };

struct key_row {
	enum context context;
	int code;
	char key[16]; /* as written in the file */
	char command[64];
	char word[40]; /* the word for this key in the key bar; empty: the key bar omits this key */
	char note[96];
};

struct keys {
	int count;
	struct key_row row[KEYS_MAX];
};

/* Reads the text of a file with keys and their commands, such as data/keys. Every command must
 * begin with a name in `commands` (ended by a NULL name), or be "redraw", "page up" or "page down".
 * The user interface, not the session, runs the commands "redraw", "page up" and "page down".
 * STATUS_USAGE: the text has an error, and the message is "ORIGIN:LINE: reason". */
struct status keys_parse(struct keys *keys, const char *text, const char *origin,
	const struct command_row *commands);

/* Gives other commands to keys of the section [main] in data/keys; each line of the text is KEY
 * COMMAND. The lines of the text have the same numbers as in the file `origin`, which error
 * messages name. A wrong line of the text is ignored; the returned status names the first wrong
 * line. */
struct status keys_override(struct keys *keys, const char *lines, const char *origin,
	const struct command_row *commands);

/* Returns the number of a named key; KEYCODE_NONE for an unknown name. */
int keys_code(const char *name);

/* Returns the name of a key, which keys_code() understands; an empty string for a number that no
 * key has. */
struct words keys_name(int code);

/* Returns the state of the screen (an overlay is open, the user types a value …) that determines
 * the command of the next key. */
enum context keys_context(const struct screen *screen);

/* Returns the line of data/keys (a row) that gives a key its command in a state of the screen. A
 * line that names the key has priority over a line for a class of keys, such as all digits. NULL:
 * the pressed key does nothing in this state of the screen. */
const struct key_row *keys_find(const struct keys *keys, enum context context, int code);

/* Writes the command in a line of data/keys to `buffer`, with {char}, {find} and {find-1}
 * replaced. */
void keys_expand(const struct key_row *row, int code, const char *find, char *buffer, size_t size);

/* ---- control sequences that are not a known key ----
 *
 * Terminals use control sequences to report the cursor position or colours. Terminals also send
 * control sequences for keys that terminfo does not describe. The explorer skips an unknown control
 * sequence to its end, so that its characters are not read as keys. The grammar of control
 * sequences is from ECMA-48. */

/* How many characters after Esc decide which kind of control sequence begins. */
enum { SEQUENCE_LOOK = 2 };

enum sequence {
	SEQUENCE_NONE, /* the characters after Esc form no sequence: the user pressed the key Esc */
	SEQUENCE_ALT,  /* a key pressed together with Alt: Esc and one character */
	SEQUENCE_CONTROL, /* a sequence that begins with "Esc ["; sequence_ends() finds its end */
	SEQUENCE_STRING,  /* a string from the terminal; sequence_ends() finds its end */
	SEQUENCE_SHORT	  /* a sequence of Esc and two more characters */
};

/* Returns the kind of sequence that begins with Esc and the characters in `after`. Parameter
 * `after`: the `count` characters (at most SEQUENCE_LOOK) that arrived together with the Esc. */
enum sequence sequence_after_escape(const wint_t *after, size_t count);

/* Returns whether a control sequence ends with `character`. Parameter `before`: the previous
 * character of the sequence; 0: `character` is its first character. */
bool sequence_ends(enum sequence sequence, wint_t before, wint_t character);

/* Returns whether the end of a string from the terminal was lost: the string contains an Esc that
 * no backslash follows, so the user pressed that Esc, and `character` is a key. */
bool sequence_is_cut(enum sequence sequence, wint_t before, wint_t character);
