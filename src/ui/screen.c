/* Shows canvases and reads keys with ncurses. */
#include "ui/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
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
#include "ui/keys.h"
#include "ui/terminal.h"

/* An Esc without a further character within these milliseconds is the key Esc, not the start of a
 * control sequence. */
enum { ESCAPE_DELAY = 25 };

/* Seconds to wait for the next character of a control sequence, long enough for a slow serial line.
 */
#define SEQUENCE_PAUSE 0.2

/* The state of the terminal. The struct is static because the handler of a fatal signal needs the
 * struct. */
static struct {
	SCREEN *terminal;
	FILE *output; /* stream of ncurses; its descriptor leads to the terminal or to `frame` */
	int frame;    /* descriptor of a memory file for a frame's bytes; -1: no such file */
	char *bytes;  /* of a frame being sent */
	struct theme theme;
	bool colours;
	struct canvas shown; /* the content of the terminal; width 0: the content is unknown */
	cchar_t *line;	     /* a row being sent */
	bool modes_known;
	struct termios modes; /* the terminal's modes before the program opened the screen */
	char restore[128];    /* the string that leaves the full screen, for emergencies */
	volatile bool open;
	enum sequence
		sequence;     /* kind of the control sequence being skipped; SEQUENCE_NONE: none */
	wint_t sequence_last; /* last character of the sequence; 0: none yet */
	double sequence_at;   /* time of the sequence's last character, in seconds */
} screen;

struct status screen_check(void)
{
	struct terminal_facts facts;

	terminal_read(&facts);
	return terminal_usable(&facts);
}

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

static void choose_colours(void)
{
	bool no_color = theme_no_color();

	/* Keep the user's own background. */
	screen.colours = !no_color && has_colors() && start_color() == OK &&
			 use_default_colors() == OK && (COLORS <= 0 || COLOR_PAIRS > STYLE_COUNT);
	theme_choose(&screen.theme, screen.colours ? COLORS : 0, no_color, theme_contrast());
	for (int i = 0; i < STYLE_COUNT && screen.colours; i++)
		init_pair((short)(i + 1), screen.theme.look[i].foreground,
			screen.theme.look[i].background);
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
	screen.open = true;
	choose_colours();
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	/* Without typeahead(-1), ncurses stops drawing a frame when a key arrives. */
	typeahead(-1);
	curs_set(0);
	canvas_init(&screen.shown, 0, 0, false);
	return status;
}

void screen_close(void)
{
	if (!screen.open)
		return;
	endwin();
	screen.open = false;
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
	endwin();
}

void screen_resume(void)
{
	/* The first refresh after endwin() sets the terminal's modes again. */
	screen_forget();
	refresh();
	curs_set(0);
}

static attr_t attributes_of(const struct look *look)
{
	return (look->attributes & LOOK_BOLD ? A_BOLD : 0) |
	       (look->attributes & LOOK_DIM ? A_DIM : 0) |
	       (look->attributes & LOOK_REVERSE ? A_REVERSE : 0) |
	       (look->attributes & LOOK_UNDERLINE ? A_UNDERLINE : 0);
}

/* Returns the ncurses colour pair of a style; 0: the terminal's default colours. A blank in pair 0
 * equals an erased cell, so ncurses can erase instead of writing blanks. */
static short pair_of(enum style style)
{
	return screen.colours && screen.theme.look[style].foreground >= 0 ? (short)(style + 1) : 0;
}

static bool same_cell(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->character == b->character && a->style == b->style;
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
		wchar_t characters[2] = { cell->character, 0 };

		if (!cell->character)
			continue;
		/* Most cells equal the cell to their left, and a copy is faster than setcchar(). */
		if (last && same_cell(cell, last))
			screen.line[count] = screen.line[count - 1];
		else
			setcchar(&screen.line[count], characters,
				attributes_of(&screen.theme.look[cell->style]),
				pair_of(cell->style), NULL);
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
	if (kind == KEY_CODE_YES)
		return key >= KEY_F(1) && key <= KEY_F(12) ? KEYCODE_F1 + (int)(key - KEY_F(1))
							   : KEYCODE_NONE;
	if (key >= 1 && key <= 26)
		return KEYCODE_CONTROL_A + (int)key - 1;
	return key >= ' ' ? (int)key : KEYCODE_NONE;
}

/* Returns whether the Esc just read begins a control sequence. Characters that do not belong to the
 * sequence are returned to the input. */
static bool begins_sequence(void)
{
	wint_t after[SEQUENCE_LOOK];
	size_t count = 0;
	int kind = OK;

	while (count < SEQUENCE_LOOK && (kind = get_wch(&after[count])) == OK)
		count++;
	if (kind == KEY_CODE_YES)
		ungetch((int)after[count]);
	screen.sequence = sequence_after_escape(after, count);
	if (screen.sequence == SEQUENCE_SHORT)
		return true;
	screen.sequence_last = 0;
	screen.sequence_at = monotonic_seconds();
	/* If Esc begins a sequence, the first character after Esc is consumed. All other characters
	 * read after the Esc are returned to the input, and are read again later. */
	while (count > (screen.sequence == SEQUENCE_NONE ? 0 : 1))
		unget_wch((wchar_t)after[--count]);
	return screen.sequence != SEQUENCE_NONE;
}

/* Returns whether the character belongs to the control sequence being skipped. */
static bool within_sequence(wint_t key)
{
	double at = monotonic_seconds();
	bool ends;

	/* Stop skipping if the sequence has not ended in time, or if a control character interrupts
	 * it. */
	if (screen.sequence == SEQUENCE_SHORT || at - screen.sequence_at > SEQUENCE_PAUSE ||
		(screen.sequence == SEQUENCE_CONTROL && key < ' '))
		screen.sequence = SEQUENCE_NONE;
	if (screen.sequence == SEQUENCE_NONE)
		return false;
	ends = sequence_ends(screen.sequence, screen.sequence_last, key);
	screen.sequence_last = key;
	screen.sequence_at = at;
	if (ends)
		screen.sequence = SEQUENCE_NONE;
	return true;
}

int screen_key(void)
{
	wint_t key;
	int kind;

	/* Ignore unknown keys, and the key by which ncurses reports a new size. */
	while ((kind = get_wch(&key)) != ERR) {
		int code = code_of(kind, key);

		if (kind == OK && (within_sequence(key) || (key == 27 && begins_sequence())))
			continue;
		if (code != KEYCODE_NONE)
			return code;
	}
	return KEYCODE_NONE;
}
