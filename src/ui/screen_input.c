/* Reads keys, the mouse, pasted text and answers of the terminal with ncurses. */
#include <curses.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/text.h"
#include "ui/keys.h"
#include "ui/screen.h"
#include "ui/screen_inside.h"

/* Seconds to wait for the next character of a control sequence, long enough for a slow serial line.
 */
#define SEQUENCE_PAUSE 0.2

/* Numbers that ncurses returns for the marks before and after a pasted text. ncurses uses smaller
 * numbers for keys. */
enum { PASTE_BEGINS = 2000, PASTE_ENDS };

/* A pasted text longer than PASTE_MOST bytes is cut. If the end of a pasted text does not arrive
 * within PASTE_PAUSE seconds after its last character, or within ESC_PAUSE seconds after an Esc, or
 * if a second Esc follows at once, the text ends there: terminals paste no Esc, so the user typed
 * it because the end was lost. */
enum { PASTE_MOST = 4096 };
#define PASTE_PAUSE 3.0
#define ESC_PAUSE   0.5

/* The parameters of the control sequence that begins a pasted text, and the sequence that ends it.
 */
static const char paste_begins[] = "200~", paste_ends[] = "\033[201~";

const char input_mouse_off[] = "\033[?1006;1000l";

/* The state of the input. There is one terminal. */
static struct {
	enum sequence sequence; /* kind of the terminal's control sequence that is being skipped;
				   SEQUENCE_NONE: none */
	wint_t sequence_last; /* last character of the control sequence read so far; 0: none yet */
	double sequence_at; /* time at which the last character of the control sequence arrived, in
			       seconds */
	char parameters[8]; /* the first characters of a control sequence after "Esc [" */
	double escaped_at;  /* time of a single Esc, in seconds, if it is the last key and an answer
			       was  due then; otherwise 0 */
	bool mouse;	    /* the terminal reports the mouse */
	bool pasting;	    /* the characters that arrive are pasted text */
	struct text pasted;
	double pasted_at; /* time of the pasted text's last character, in seconds */
	struct background background;
} input;

struct background *input_open(void)
{
	/* In bracketed-paste mode, the terminal marks pasted text, so that the text is not read as
	 * keys. */
	define_key("\033[200~", PASTE_BEGINS);
	define_key(paste_ends, PASTE_ENDS);
	return &input.background;
}

void input_close(void)
{
	text_free(&input.pasted);
}

/* ---- the mouse ---- */

void screen_mouse(bool used)
{
	if (used == input.mouse)
		return;
	input.mouse = used;
	/* With a click interval of 0, ncurses reports each press of a mouse button at once and does
	 * not wait for a second click. */
	mouseinterval(0);
	mousemask(used ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
}

static struct input mouse_input(void)
{
	MEVENT event;

	if (getmouse(&event) != OK)
		return (struct input){ .code = KEYCODE_NONE };
	return (struct input){ .code = event.bstate & BUTTON1_PRESSED	? KEYCODE_CLICK
				       : event.bstate & BUTTON4_PRESSED ? KEYCODE_WHEEL_UP
				       : event.bstate & BUTTON5_PRESSED ? KEYCODE_WHEEL_DOWN
									: KEYCODE_NONE,
		.x = event.x,
		.y = event.y };
}

/* ---- keys ---- */

/* Returns the number of a key. kind: the return value of get_wch(). */
static int code_of(int kind, wint_t key)
{
	static const struct {
		int kind;
		wint_t curses;
		int code;
	} keys[] = { { KEY_CODE_YES, KEY_UP, KEYCODE_UP }, { KEY_CODE_YES, KEY_DOWN, KEYCODE_DOWN },
		{ KEY_CODE_YES, KEY_LEFT, KEYCODE_LEFT },
		{ KEY_CODE_YES, KEY_RIGHT, KEYCODE_RIGHT },
		{ KEY_CODE_YES, KEY_HOME, KEYCODE_HOME }, { KEY_CODE_YES, KEY_END, KEYCODE_END },
		{ KEY_CODE_YES, KEY_PPAGE, KEYCODE_PAGEUP },
		{ KEY_CODE_YES, KEY_NPAGE, KEYCODE_PAGEDOWN },
		{ KEY_CODE_YES, KEY_BTAB, KEYCODE_BACKTAB },
		{ KEY_CODE_YES, KEY_BACKSPACE, KEYCODE_BACKSPACE },
		{ KEY_CODE_YES, KEY_DC, KEYCODE_DELETE }, { KEY_CODE_YES, KEY_IC, KEYCODE_INSERT },
		{ KEY_CODE_YES, KEY_ENTER, KEYCODE_ENTER }, { OK, '\r', KEYCODE_ENTER },
		{ OK, '\n', KEYCODE_ENTER }, { OK, '\t', KEYCODE_TAB }, { OK, 27, KEYCODE_ESC },
		{ OK, 8, KEYCODE_BACKSPACE }, { OK, 127, KEYCODE_BACKSPACE } };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].kind == kind && keys[i].curses == key)
			return keys[i].code;
	if (kind == KEY_CODE_YES && key >= KEY_F(1) && key <= KEY_F(12))
		return KEYCODE_F1 + (int)(key - KEY_F(1));
	/* KEY_RESIZE (new size of the terminal) is not a key; other special keys of ncurses have no
	 * command. */
	if (kind == KEY_CODE_YES)
		return key == KEY_RESIZE || key >= PASTE_BEGINS ? KEYCODE_NONE : KEYCODE_UNKNOWN;
	if (key >= 1 && key <= 26)
		return KEYCODE_CONTROL_A + (int)key - 1;
	return key >= ' ' ? (int)key : KEYCODE_NONE;
}

static void begin_sequence(enum sequence sequence)
{
	input.sequence = sequence;
	if (sequence == SEQUENCE_STRING)
		background_begin(&input.background);
	input.sequence_last = 0;
	input.sequence_at = monotonic_seconds();
	input.parameters[0] = '\0';
}

/* Finds out which kind of control sequence, if any, begins with the Esc that was just read.
 * Characters that do not belong to the sequence are returned to the input. */
static enum sequence sequence_begins(void)
{
	wint_t after[SEQUENCE_LOOK];
	size_t count = 0, used;
	enum sequence sequence;
	int kind = OK;

	while (count < SEQUENCE_LOOK && (kind = get_wch(&after[count])) == OK)
		count++;
	if (kind == KEY_CODE_YES)
		ungetch((int)after[count]);
	sequence = sequence_after_escape(after, count);
	/* The terminal's answer about its background colour may arrive in parts. */
	if (input.background.due && count == 1 && after[0] == ']')
		sequence = SEQUENCE_STRING;
	if (sequence == SEQUENCE_SHORT)
		return sequence;
	begin_sequence(sequence == SEQUENCE_ALT ? SEQUENCE_NONE : sequence);
	/* If Esc begins a sequence, the first character after Esc is consumed. All other characters
	 * read after the Esc are returned to the input, and are read again later. */
	used = sequence == SEQUENCE_NONE ? 0 : 1;
	while (count > used)
		unget_wch((wchar_t)after[--count]);
	return sequence;
}

/* Returns whether the character belongs to the control sequence being skipped. */
static bool within_sequence(wint_t key)
{
	double at = monotonic_seconds();
	size_t length = strlen(input.parameters);

	/* The terminal's answer about its background may have pauses, because its syntax shows
	 * where it ends. */
	if (input.sequence == SEQUENCE_STRING &&
		background_string(&input.background, key,
			sequence_ends(SEQUENCE_STRING, input.sequence_last, key)))
		return true;
	/* Stop skipping if the sequence has not ended in time, if its end was lost, or if a control
	 * character interrupts it. */
	if (at - input.sequence_at > SEQUENCE_PAUSE ||
		sequence_is_cut(input.sequence, input.sequence_last, key) ||
		(input.sequence == SEQUENCE_CONTROL && key < ' '))
		input.sequence = SEQUENCE_NONE;
	if (input.sequence == SEQUENCE_NONE)
		return false;
	if (length + 1 < sizeof(input.parameters) && key < 0x80) {
		input.parameters[length] = (char)key;
		input.parameters[length + 1] = '\0';
	}
	return true;
}

static void paste_begin(void)
{
	input.pasting = true;
	input.pasted_at = monotonic_seconds();
	text_clear(&input.pasted);
}

/* Processes one character of a control sequence. Returns the key if the sequence ends and is an
 * unknown key, not an answer of the terminal; else KEYCODE_NONE. */
static int sequence_take(wint_t key)
{
	bool control = input.sequence == SEQUENCE_CONTROL,
	     ends = sequence_ends(input.sequence, input.sequence_last, key);

	input.sequence_last = key;
	input.sequence_at = monotonic_seconds();
	if (!ends)
		return KEYCODE_NONE;
	input.sequence = SEQUENCE_NONE;
	/* On a slow line, ncurses does not recognise the mark before a pasted text. */
	if (control && strcmp(input.parameters, paste_begins) == 0)
		paste_begin();
	else if (control && (key == '~' || key == 'u'))
		return KEYCODE_UNKNOWN;
	return KEYCODE_NONE;
}

/* Whether the text before an Esc that nothing followed is all of the pasted text. */
static bool paste_escaped(void)
{
	const struct text *pasted = &input.pasted;

	return pasted->length > 0 && pasted->bytes[pasted->length - 1] == '\033';
}

/* Adds a character to the pasted text. Returns whether the text ends with this character. */
static bool paste_take(int kind, wint_t key)
{
	struct text *pasted = &input.pasted;
	size_t mark = sizeof(paste_ends) - 1;

	input.pasted_at = monotonic_seconds();
	if (kind == KEY_CODE_YES)
		return key == PASTE_ENDS;
	if (key == 27 && paste_escaped())
		return true;
	/* Only the last characters of a text that is too long are needed, to find its end. */
	if (pasted->length >= PASTE_MOST + mark) {
		pasted->length--;
		memmove(pasted->bytes + PASTE_MOST, pasted->bytes + PASTE_MOST + 1,
			pasted->length - PASTE_MOST + 1);
	}
	/* The mark after a pasted text is also added, character by character, and removed when it
	 * is complete. */
	if (key < 0x80)
		text_add(pasted, (const char[]){ (char)key, '\0' });
	else
		text_add(pasted, utf8_of(key).bytes);
	if (pasted->length < mark || strcmp(pasted->bytes + pasted->length - mark, paste_ends) != 0)
		return false;
	pasted->length -= mark;
	pasted->bytes[pasted->length] = '\0';
	return true;
}

double screen_input_due(void)
{
	return input.pasting ? input.pasted_at + (paste_escaped() ? ESC_PAUSE : PASTE_PAUSE)
			     : INFINITY;
}

/* Whether the end of the pasted text was lost. */
static bool paste_is_over(void)
{
	return monotonic_seconds() >= screen_input_due();
}

static struct input paste_end(void)
{
	if (paste_escaped())
		input.pasted.bytes[--input.pasted.length] = '\0';
	input.pasting = false;
	return (struct input){ .code = KEYCODE_PASTE, .pasted = text_string(&input.pasted) };
}

/* Returns the input that a character or key of ncurses completes; its code is KEYCODE_NONE if the
 * input is not complete. */
static struct input take(int kind, wint_t key)
{
	enum sequence sequence = SEQUENCE_NONE;

	if (input.pasting)
		return paste_take(kind, key) ? paste_end() : (struct input){ .code = KEYCODE_NONE };
	if (kind == KEY_CODE_YES && key == KEY_MOUSE)
		return mouse_input();
	if (kind == KEY_CODE_YES && key == PASTE_BEGINS)
		paste_begin();
	if (kind == OK && within_sequence(key))
		return (struct input){ .code = sequence_take(key) };
	/* If the Esc of the terminal's answer was already taken for the key Esc, "]" still begins
	 * the rest of the answer. Later it is a key: some terminals never answer. */
	if (kind == OK && key == ']' && monotonic_seconds() - input.escaped_at <= SEQUENCE_PAUSE) {
		input.escaped_at = 0;
		begin_sequence(SEQUENCE_STRING);
		return (struct input){ .code = KEYCODE_NONE };
	}
	if (kind == OK && key == 27)
		sequence = sequence_begins();
	input.escaped_at = input.background.due && key == 27 && sequence == SEQUENCE_NONE
				   ? monotonic_seconds()
				   : 0;
	if (sequence == SEQUENCE_NONE)
		return (struct input){ .code = code_of(kind, key) };
	return (struct input){ .code = sequence == SEQUENCE_ALT ? KEYCODE_UNKNOWN : KEYCODE_NONE };
}

struct input screen_input(void)
{
	struct input found = { .code = KEYCODE_NONE };
	wint_t key;
	int kind;

	while (found.code == KEYCODE_NONE && (kind = get_wch(&key)) != ERR) {
		if (paste_is_over()) {
			if (kind == OK)
				unget_wch((wchar_t)key);
			return paste_end();
		}
		found = take(kind, key);
	}
	return found.code == KEYCODE_NONE && paste_is_over() ? paste_end() : found;
}

/* More checks in a row that find waiting input mean that the input has ended. A key may arrive
 * between the read and the check, but not so often. */
enum { UNREAD_MOST = 50 };

bool screen_input_ended(void)
{
	static int unread; /* number of checks in a row that found waiting input */
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };
	int waiting = 0;

	if (poll(&wait, 1, 0) <= 0 || !(wait.revents & POLLIN)) {
		unread = 0;
		return false;
	}
	if (ioctl(STDIN_FILENO, FIONREAD, &waiting) != 0 || waiting == 0)
		return true;
	return ++unread > UNREAD_MOST;
}
