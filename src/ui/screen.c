/* Shows canvases and reads keys with ncurses. */
#include "ui/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/text.h"
#include "ui/background.h"
#include "ui/keys.h"
#include "ui/terminal.h"
#include "ui/theme.h"

/* An Esc without a further character within these milliseconds is the key Esc, not the start of a
 * control sequence. */
enum { ESCAPE_DELAY = 25 };

/* Seconds to wait for the next character of a control sequence, long enough for a slow serial line.
 */
#define SEQUENCE_PAUSE 0.2

/* Numbers that ncurses returns for the marks before and after a pasted text. ncurses uses smaller
 * numbers for keys. */
enum { PASTE_BEGINS = 2000, PASTE_ENDS };

/* A pasted text longer than PASTE_MOST bytes is cut. If the end of a pasted text does not arrive
 * within PASTE_PAUSE seconds after its last character, the text ends there. */
enum { PASTE_MOST = 4096 };
#define PASTE_PAUSE 3.0

/* The parameters of the control sequence that begins a pasted text, and the sequence that ends it.
 */
static const char paste_begins[] = "200~", paste_ends[] = "\033[201~";

/* The state of the terminal. The struct is static because the handler of a fatal signal needs the
 * struct. */
static struct {
	SCREEN *terminal;
	FILE *output; /* stream of ncurses; its descriptor leads to the terminal or to `frame` */
	int frame;    /* descriptor of a memory file for a frame's bytes; -1: no such file */
	char *bytes;  /* of a frame being sent */
	struct theme_wanted wanted;
	struct looks looks;
	bool colours;	      /* ncurses has set up colours */
	bool stale;	      /* the looks must be chosen again */
	struct ground ground; /* the terminal's background */
	double asked;	      /* time of the query for the background, in seconds; 0: none */
	bool answer_due;      /* the terminal has not answered the query yet */
	bool answering;	      /* the string that is being read may be the answer */
	bool escaped;	      /* the last key was a single Esc while an answer was due */
	struct background_answer answer;
	struct canvas shown; /* the content of the terminal; width 0: the content is unknown */
	cchar_t *line;	     /* a row being sent */
	bool modes_known;
	struct termios modes; /* the terminal's modes before the program opened the screen */
	char restore[192];    /* the string that leaves the full screen, for emergencies */
	volatile bool open;
	enum sequence
		sequence;     /* kind of the control sequence being skipped; SEQUENCE_NONE: none */
	wint_t sequence_last; /* last character of the sequence; 0: none yet */
	double sequence_at;   /* time of the sequence's last character, in seconds */
	char parameters[8];   /* the first characters of the sequence after "Esc [" */
	bool mouse;	      /* the terminal reports the mouse */
	bool pasting;	      /* the characters that arrive are pasted text */
	struct text pasted;
	double pasted_at; /* time of the pasted text's last character, in seconds */
} screen;

struct status screen_check(void)
{
	struct terminal_facts facts;

	terminal_read(&facts);
	return terminal_usable(&facts);
}

static void write_all(const char *bytes, size_t count)
{
	while (count > 0) {
		struct pollfd wait = { .fd = STDOUT_FILENO, .events = POLLOUT };
		ssize_t written = write(STDOUT_FILENO, bytes, count);

		if (written >= 0) {
			bytes += written;
			count -= (size_t)written;
		} else if (errno == EAGAIN) {
			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			return; /* the terminal is closed; the next read of the input reports the
				   error */
		}
	}
}

/* Ends the use of the mouse on every terminal that has one. */
static const char mouse_off[] = "\033[?1006;1000l";

/* Appends a terminal capability without its padding, because only tputs() interprets padding. */
static void add_string(const char *capability)
{
	const char *from = tigetstr(capability);
	size_t used = strlen(screen.restore);

	if (!from || from == (const char *)-1)
		return;
	while (*from && used + 1 < sizeof(screen.restore)) {
		if (from[0] == '$' && from[1] == '<' && strchr(from, '>'))
			from = strchr(from, '>') + 1;
		else
			screen.restore[used++] = *from++;
	}
	screen.restore[used] = '\0';
}

/* Sends a terminal capability without arguments, if the terminal has it. */
static void send(const char *capability)
{
	const char *string = tigetstr(capability);

	if (string && string != (const char *)-1)
		write_all(string, strlen(string));
}

/* ---- looks, and the terminal's background ---- */

/* Returns the ncurses colour pair of a style; 0: the terminal's default colours. */
static short pair_of(enum style style)
{
	const struct look *look = &screen.looks.look[style];

	return look->foreground >= 0 || look->background >= 0 ? (short)(style + 1) : 0;
}

/* Returns the pair of a blank on the theme's own background. A blank in pair 0 equals an erased
 * cell, so ncurses can erase instead of writing blanks. */
static short blank_pair(void)
{
	return screen.looks.look[STYLE_TEXT].background >= 0 ? pair_of(STYLE_TEXT) : 0;
}

static void choose_looks(void)
{
	const wchar_t blank[2] = { L' ', 0 };
	cchar_t background;

	if (!screen.colours && (!screen.wanted.no_colour || screen.wanted.theme != THEME_AUTO))
		screen.colours = has_colors() && start_color() == OK &&
				 use_default_colors() == OK &&
				 (COLORS <= 0 || COLOR_PAIRS > STYLE_COUNT);
	theme_choose(&screen.looks, &screen.wanted, screen.colours ? COLORS : 0, &screen.ground);
	for (int i = 0; i < STYLE_COUNT; i++)
		if (pair_of((enum style)i))
			init_pair((short)(i + 1), screen.looks.look[i].foreground,
				screen.looks.look[i].background);
	setcchar(&background, blank, A_NORMAL, blank_pair(), NULL);
	bkgrndset(&background);
}

/* Finds out the terminal's background, once. The first frame does not wait for an answer. */
static void ask_background(void)
{
	const char *term = getenv("TERM");

	if (screen.asked > 0 || screen.ground.state == GROUND_KNOWN || theme_no_color())
		return;
	if (background_stated(term, getenv("COLORFGBG"), &screen.ground.rgb))
		screen.ground.state = GROUND_KNOWN;
	if (!background_can_ask(term, tigetnum("colors")) ||
		write(STDOUT_FILENO, BACKGROUND_QUERY, strlen(BACKGROUND_QUERY)) <= 0)
		return;
	if (screen.ground.state == GROUND_UNKNOWN)
		screen.ground.state = GROUND_ASKED;
	screen.asked = monotonic_seconds();
	screen.answer_due = true;
}

double screen_awaits(void)
{
	return screen.ground.state == GROUND_ASKED
		       ? fmax(screen.asked + BACKGROUND_DEADLINE - monotonic_seconds(), 0)
		       : INFINITY;
}

bool screen_answered(void)
{
	return screen.stale;
}

bool screen_style(enum theme theme, bool present)
{
	if (theme == THEME_AUTO)
		ask_background();
	if (screen_awaits() <= 0) {
		screen.ground.state = GROUND_UNKNOWN;
		screen.stale = true;
	}
	if (screen.stale || theme != screen.wanted.theme || present != screen.wanted.present) {
		screen.wanted = (struct theme_wanted){ theme, present, theme_no_color() };
		choose_looks();
		screen_forget();
		screen.stale = false;
	}
	return screen.looks.solid;
}

/* Takes a character of the string that may be the terminal's answer. Returns false if the character
 * belongs to no answer. */
static bool take_answer(wint_t key)
{
	bool ends = sequence_ends(SEQUENCE_STRING, screen.sequence_last, key);
	uint32_t rgb;

	if (ends && background_read(&screen.answer, &rgb)) {
		screen.stale = screen.ground.state != GROUND_KNOWN || screen.ground.rgb != rgb;
		screen.ground = (struct ground){ GROUND_KNOWN, rgb };
		screen.answer_due = false;
	}
	screen.answering = !ends && background_take(&screen.answer, key);
	return ends || screen.answering;
}

/* Waits briefly for the answer, so that the shell does not receive it as typed text. Keys that
 * arrive meanwhile are discarded. */
static void await_answer(void)
{
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };

	while (screen.answer_due) {
		double left = screen.asked + BACKGROUND_DEADLINE - monotonic_seconds();

		if (left <= 0 || poll(&wait, 1, (int)ceil(left * 1000)) <= 0 ||
			(wait.revents & (POLLHUP | POLLERR | POLLNVAL)))
			return;
		screen_input();
	}
}

/* Opens a separate output stream for ncurses. The stream's descriptor can change while standard
 * output remains the terminal. */
static bool open_output(void)
{
	int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

	screen.output = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	if (!screen.output && descriptor >= 0)
		close(descriptor);
	return screen.output != NULL;
}

static void close_output(void)
{
	fclose(screen.output);
	screen.output = NULL;
	if (screen.frame >= 0)
		close(screen.frame);
	screen.frame = -1;
	free(screen.bytes);
	screen.bytes = NULL;
}

struct status screen_open(void)
{
	struct status status = screen_check();

	if (!status_is_ok(&status))
		return status;
	screen.modes_known = tcgetattr(STDIN_FILENO, &screen.modes) == 0;
	if (!open_output())
		return status_failed("the terminal cannot be opened: %s", strerror(errno));
	screen.frame = memfd_create("frame", MFD_CLOEXEC);
	set_escdelay(ESCAPE_DELAY);
	screen.terminal = newterm(NULL, screen.output, stdin);
	if (!screen.terminal) {
		close_output();
		return status_usage(
			"the explorer cannot use this terminal (TERM=%.40s)", getenv("TERM"));
	}
	screen.restore[0] = '\0';
	add_string("sgr0");
	add_string("cnorm");
	add_string("rmkx");
	add_string("rmcup");
	add_string("BD");
	snprintf(screen.restore + strlen(screen.restore),
		sizeof(screen.restore) - strlen(screen.restore), "%s", mouse_off);
	screen.open = true;
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* Without typeahead(-1), ncurses stops drawing a frame when a key arrives. */
	typeahead(-1);
	curs_set(0);
	/* The terminal then marks pasted text, so that it is not read as keys. */
	define_key("\033[200~", PASTE_BEGINS);
	define_key(paste_ends, PASTE_ENDS);
	send("BE");
	canvas_init(&screen.shown, 0, 0, false);
	screen.stale = true;
	return status;
}

void screen_close(void)
{
	if (!screen.open)
		return;
	send("BD");
	screen_mouse(false);
	await_answer();
	endwin();
	screen.open = false;
	text_free(&screen.pasted);
	delscreen(screen.terminal);
	screen.terminal = NULL;
	close_output();
	canvas_free(&screen.shown);
	free(screen.line);
	screen.line = NULL;
}

void screen_emergency(void)
{
	ssize_t written;

	if (!screen.open)
		return;
	screen.open = false;
	written = write(STDOUT_FILENO, screen.restore, strlen(screen.restore));
	(void)written; /* an error of write() cannot be handled here */
	if (screen.modes_known)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen.modes);
}

void screen_size(int *width, int *height)
{
	struct winsize size;

	*width = COLS;
	*height = LINES;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
}

void screen_resize(int width, int height)
{
	if (height != LINES || width != COLS)
		resizeterm(height, width);
	screen_forget();
}

void screen_forget(void)
{
	canvas_resize(&screen.shown, 0, 0);
	clearok(curscr, TRUE);
}

void screen_suspend(void)
{
	send("BD");
	await_answer();
	endwin();
}

void screen_resume(void)
{
	/* The first refresh after endwin() sets the terminal's modes again. */
	screen_forget();
	refresh();
	send("BE");
	curs_set(0);
}

static attr_t attributes_of(const struct look *look)
{
	return (look->attributes & LOOK_BOLD ? A_BOLD : 0) |
	       (look->attributes & LOOK_DIM ? A_DIM : 0) |
	       (look->attributes & LOOK_REVERSE ? A_REVERSE : 0) |
	       (look->attributes & LOOK_UNDERLINE ? A_UNDERLINE : 0);
}

static bool same_cell(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->character == b->character && a->style == b->style;
}

/* Converts a cell for ncurses. All blanks on the theme's own background are equal, so that ncurses
 * can erase them at once. */
static void convert(const struct canvas_cell *cell, cchar_t *out)
{
	const struct look *look = &screen.looks.look[cell->style];
	wchar_t characters[2] = { cell->character, 0 };

	if (cell->character == L' ' && !(look->attributes & (LOOK_REVERSE | LOOK_UNDERLINE)) &&
		look->background == screen.looks.look[STYLE_TEXT].background)
		setcchar(out, characters, A_NORMAL, blank_pair(), NULL);
	else
		setcchar(out, characters, attributes_of(look), pair_of(cell->style), NULL);
}

/* Shows the cells of a row from `first` to before `end`. */
static void show_cells(const struct canvas_cell *row, int y, int first, int end)
{
	const struct canvas_cell *last = NULL;
	int count = 0;

	/* Begin at the left half of a wide character, because ncurses adds the right half itself.
	 */
	while (first > 0 && !row[first].character)
		first--;
	for (int x = first; x < end; x++) {
		const struct canvas_cell *cell = &row[x];

		if (!cell->character)
			continue;
		/* Most cells equal the cell to their left, and a copy is faster than setcchar(). */
		if (last && same_cell(cell, last))
			screen.line[count] = screen.line[count - 1];
		else
			convert(cell, &screen.line[count]);
		last = cell;
		count++;
	}
	mvadd_wchnstr(y, first, screen.line, count);
}

/* Shows the part of a row that differs from `shown`, and updates `shown`. */
static void show_row(const struct canvas_cell *row, struct canvas_cell *shown, int y, int width)
{
	int first = 0, end = width;

	if (memcmp(row, shown, (size_t)width * sizeof(*row)) == 0)
		return;
	/* All cells may be equal, because rows can differ only in the padding bytes of their
	 * structs. */
	while (first < end && same_cell(&row[first], &shown[first]))
		first++;
	while (end > first && same_cell(&row[end - 1], &shown[end - 1]))
		end--;
	if (first < end)
		show_cells(row, y, first, end);
	memcpy(shown, row, (size_t)width * sizeof(*row));
}

/* ncurses writes each time it moves the cursor: hundreds of times in a large frame. Each write
 * wakes the terminal. To wake the terminal only once, ncurses writes to memory, and
 * refresh_at_once() sends the whole frame in one write. */
static void refresh_at_once(void)
{
	int output = fileno(screen.output);
	off_t length;

	if (screen.frame < 0 || dup3(screen.frame, output, O_CLOEXEC) < 0) {
		refresh();
		return;
	}
	refresh();
	dup3(STDOUT_FILENO, output, O_CLOEXEC);
	length = lseek(screen.frame, 0, SEEK_CUR);
	if (length <= 0)
		return;
	screen.bytes = memory_resize(screen.bytes, (size_t)length, 1);
	length = pread(screen.frame, screen.bytes, (size_t)length, 0);
	lseek(screen.frame, 0, SEEK_SET);
	write_all(screen.bytes, length > 0 ? (size_t)length : 0);
}

void screen_show(const struct canvas *canvas)
{
	struct canvas *shown = &screen.shown;

	if (shown->width != canvas->width || shown->height != canvas->height) {
		canvas_resize(shown, canvas->width, canvas->height);
		screen.line =
			memory_resize(screen.line, (size_t)canvas->width + 1, sizeof(*screen.line));
		erase();
	}
	for (int y = 0; y < canvas->height; y++) {
		size_t from = (size_t)y * (size_t)canvas->width;

		show_row(&canvas->cells[from], &shown->cells[from], y, canvas->width);
	}
	refresh_at_once();
}

/* ---- the mouse and the clipboard ---- */

void screen_mouse(bool used)
{
	if (used == screen.mouse)
		return;
	screen.mouse = used;
	/* With an interval of 0, ncurses reports each press at once and does not wait for a second
	 * click. */
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

/* Appends the base64 form of a text (RFC 4648). */
static void add_base64(struct text *to, const char *from)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strlen(from);

	for (size_t i = 0; i < length; i += 3) {
		size_t count = length - i < 3 ? length - i : 3;
		unsigned bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < count ? (unsigned char)from[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			text_addn(to, k <= count ? &letters[bits >> (18 - 6 * k) & 63] : "=", 1);
	}
}

void screen_copy(const char *text)
{
	const char *clipboard = tigetstr("Ms"), *bytes;
	struct text encoded = { 0 };

	if (!clipboard || clipboard == (const char *)-1)
		return;
	add_base64(&encoded, text);
	bytes = tiparm(clipboard, "c", text_string(&encoded));
	if (bytes)
		write_all(bytes, strlen(bytes));
	text_free(&encoded);
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
	/* The new size of a terminal is no key; other keys of ncurses have no command. */
	if (kind == KEY_CODE_YES)
		return key == KEY_RESIZE || key >= PASTE_BEGINS ? KEYCODE_NONE : KEYCODE_UNKNOWN;
	if (key >= 1 && key <= 26)
		return KEYCODE_CONTROL_A + (int)key - 1;
	return key >= ' ' ? (int)key : KEYCODE_NONE;
}

static void begin_sequence(enum sequence sequence)
{
	screen.sequence = sequence;
	screen.answering = screen.answer_due && sequence == SEQUENCE_STRING;
	screen.sequence_last = 0;
	screen.sequence_at = monotonic_seconds();
	screen.parameters[0] = '\0';
}

/* Finds out what the Esc just read begins. Characters that do not belong to the sequence are
 * returned to the input. */
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
	/* The answer about the background may arrive in parts. */
	if (screen.answer_due && count == 1 && after[0] == ']')
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
	size_t length = strlen(screen.parameters);

	/* The answer about the background may pause, because its grammar shows where it stops. */
	if (screen.answering && take_answer(key))
		return true;
	/* Stop skipping if the sequence has not ended in time, or if a control character interrupts
	 * it. */
	if (at - screen.sequence_at > SEQUENCE_PAUSE ||
		(screen.sequence == SEQUENCE_CONTROL && key < ' '))
		screen.sequence = SEQUENCE_NONE;
	if (screen.sequence == SEQUENCE_NONE)
		return false;
	if (length + 1 < sizeof(screen.parameters) && key < 0x80) {
		screen.parameters[length] = (char)key;
		screen.parameters[length + 1] = '\0';
	}
	return true;
}

static void paste_begin(void)
{
	screen.pasting = true;
	screen.pasted_at = monotonic_seconds();
	text_clear(&screen.pasted);
}

/* Takes a character of a control sequence. Returns the key if the sequence ends and is an unknown
 * key, not an answer of the terminal; else KEYCODE_NONE. */
static int sequence_take(wint_t key)
{
	bool control = screen.sequence == SEQUENCE_CONTROL,
	     ends = sequence_ends(screen.sequence, screen.sequence_last, key);

	screen.sequence_last = key;
	screen.sequence_at = monotonic_seconds();
	if (!ends)
		return KEYCODE_NONE;
	screen.sequence = SEQUENCE_NONE;
	/* On a slow line, ncurses does not recognise the mark before a pasted text. */
	if (control && strcmp(screen.parameters, paste_begins) == 0)
		paste_begin();
	else if (control && (key == '~' || key == 'u'))
		return KEYCODE_UNKNOWN;
	return KEYCODE_NONE;
}

/* Adds a character to the pasted text. Returns whether the text ends with this character. */
static bool paste_take(int kind, wint_t key)
{
	struct text *pasted = &screen.pasted;
	size_t mark = sizeof(paste_ends) - 1;
	char bytes[MB_LEN_MAX + 1] = "?";

	screen.pasted_at = monotonic_seconds();
	if (kind == KEY_CODE_YES)
		return key == PASTE_ENDS;
	/* Only the last characters of a text that is too long are needed, to find its end. */
	if (pasted->length >= PASTE_MOST + mark) {
		pasted->length--;
		memmove(pasted->bytes + PASTE_MOST, pasted->bytes + PASTE_MOST + 1,
			pasted->length - PASTE_MOST + 1);
	}
	if (key < 0x80)
		bytes[0] = (char)key;
	else
		snprintf(bytes, sizeof(bytes), "%lc", key);
	text_add(pasted, bytes);
	if (pasted->length < mark || strcmp(pasted->bytes + pasted->length - mark, paste_ends) != 0)
		return false;
	pasted->length -= mark;
	pasted->bytes[pasted->length] = '\0';
	return true;
}

static struct input paste_end(void)
{
	screen.pasting = false;
	return (struct input){ .code = KEYCODE_PASTE, .pasted = text_string(&screen.pasted) };
}

/* Returns the input that a character or key of ncurses completes; its code is KEYCODE_NONE if the
 * input is not complete. */
static struct input take(int kind, wint_t key)
{
	enum sequence sequence = SEQUENCE_NONE;

	if (screen.pasting)
		return paste_take(kind, key) ? paste_end() : (struct input){ KEYCODE_NONE };
	if (kind == KEY_CODE_YES && key == KEY_MOUSE)
		return mouse_input();
	if (kind == KEY_CODE_YES && key == PASTE_BEGINS)
		paste_begin();
	if (kind == OK && within_sequence(key))
		return (struct input){ sequence_take(key) };
	/* The terminal's answer continues after an Esc that was taken for a key, without harm. */
	if (kind == OK && key == ']' && screen.escaped) {
		begin_sequence(SEQUENCE_STRING);
		return (struct input){ KEYCODE_NONE };
	}
	if (kind == OK && key == 27)
		sequence = sequence_begins();
	screen.escaped = screen.answer_due && key == 27 && sequence == SEQUENCE_NONE;
	if (sequence == SEQUENCE_NONE)
		return (struct input){ code_of(kind, key) };
	return (struct input){ sequence == SEQUENCE_ALT ? KEYCODE_UNKNOWN : KEYCODE_NONE };
}

struct input screen_input(void)
{
	struct input input = { KEYCODE_NONE };
	wint_t key;
	int kind;

	while (input.code == KEYCODE_NONE && (kind = get_wch(&key)) != ERR) {
		if (screen.pasting && monotonic_seconds() - screen.pasted_at > PASTE_PAUSE) {
			if (kind == OK)
				unget_wch((wchar_t)key);
			return paste_end();
		}
		input = take(kind, key);
	}
	return input;
}
