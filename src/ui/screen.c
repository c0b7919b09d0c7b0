/* Shows canvases with ncurses; screen_input.c reads keys. */
#include "ui/screen.h"

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "ui/screen_inside.h"
#include "ui/terminal.h"
#include "ui/theme.h"

/* An Esc without a further character within these milliseconds is the key Esc, not the start of a
 * control sequence. */
enum { ESCAPE_DELAY = 25 };

/* The state of the terminal. The struct is static because the handler of a fatal signal needs the
 * struct. */
static struct {
	SCREEN *terminal;
	FILE *output;	/* output stream of ncurses; its descriptor leads to the terminal or to the
			   memory file `frame` */
	int descriptor; /* of `output` */
	int frame;   /* file descriptor of a memory file that collects a frame's bytes; -1: no such
			file */
	char *bytes; /* of a frame being sent */
	struct theme_wanted wanted;
	struct looks looks;
	bool colours;		       /* ncurses has set up colours */
	struct background *background; /* the terminal's background */
	struct canvas shown; /* the content of the terminal; width 0: the content is unknown */
	cchar_t *line;	     /* a row being sent */
	bool modes_known;
	struct termios modes; /* the terminal's modes before the program opened the screen */
	char restore[192];    /* the control string that leaves the full screen after a crash */
	atomic_bool opening;  /* screen_open() is changing the terminal's modes */
	atomic_bool ended;    /* screen_emergency() was called: the terminal is not opened again */
	volatile bool open;
} screen;

struct status screen_check(void)
{
	struct terminal_facts facts;

	terminal_read(&facts);
	return terminal_usable(&facts);
}

static void write_all(const char *bytes, size_t count)
{
	/* After screen_emergency(), another thread ends the program. */
	while (count > 0 && screen.open) {
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

/* Fills screen.restore, before newterm() changes the terminal. Returns false if ncurses cannot read
 * the description of the terminal. */
static bool learn_restore(void)
{
	int error;

	screen.restore[0] = '\0';
	if (setupterm(NULL, STDOUT_FILENO, &error) != OK)
		return false;
	add_string("sgr0");
	add_string("cnorm");
	add_string("rmkx");
	add_string("rmcup");
	add_string("BD");
	snprintf(screen.restore + strlen(screen.restore),
		sizeof(screen.restore) - strlen(screen.restore), "%s", input_mouse_off);
	del_curterm(cur_term);
	return true;
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

/* Returns the ncurses colour pair of a blank on the theme's background. A blank in pair 0 equals an
 * erased cell, so ncurses can erase instead of writing blanks. */
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
	theme_choose(&screen.looks, &screen.wanted, screen.colours ? COLORS : 0,
		&screen.background->ground);
	for (int i = 0; i < STYLE_COUNT; i++)
		if (pair_of((enum style)i))
			init_pair((short)(i + 1), screen.looks.look[i].foreground,
				screen.looks.look[i].background);
	setcchar(&background, blank, A_NORMAL, blank_pair(), NULL);
	bkgrndset(&background);
}

/* At the first call, finds out the terminal's background colour: from the environment, or by a
 * query to the terminal. The first frame is drawn before the terminal has answered the query for
 * its background colour. */
static void ask_background(void)
{
	const char *term = getenv("TERM");
	struct background *background = screen.background;

	if (background->asked > 0 || background->ground.state == GROUND_KNOWN || theme_no_color())
		return;
	if (background_stated(term, getenv("COLORFGBG"), &background->ground.rgb))
		background->ground.state = GROUND_KNOWN;
	if (background_can_ask(term, tigetnum("colors"))) {
		write_all(BACKGROUND_QUERY, strlen(BACKGROUND_QUERY));
		background_asked(background, monotonic_seconds());
	}
}

double screen_awaits(void)
{
	return background_awaits(screen.background, monotonic_seconds());
}

bool screen_answered(void)
{
	return screen.background->changed;
}

bool screen_style(enum theme theme, bool present)
{
	if (theme == THEME_AUTO)
		ask_background();
	background_expire(screen.background, monotonic_seconds());
	if (screen.background->changed || theme != screen.wanted.theme ||
		present != screen.wanted.present) {
		screen.wanted = (struct theme_wanted){ theme, present, theme_no_color() };
		choose_looks();
		screen_forget();
		screen.background->changed = false;
	}
	return screen.looks.solid;
}

struct ground screen_ground(void)
{
	return screen.background->ground;
}

/* Before the end of the program, waits briefly for the terminal's answer about its background, so
 * that the shell does not receive the answer as typed text. Keys that arrive during the wait for
 * the terminal's answer are discarded. */
static void await_answer(void)
{
	struct pollfd wait = { .fd = STDIN_FILENO, .events = POLLIN };

	while (screen.background->due) {
		double left = screen.background->asked + BACKGROUND_DEADLINE - monotonic_seconds();

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
	screen.descriptor = descriptor;
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

/* Turns flow control off. Otherwise Ctrl-S would stop output, and the explorer would wait for the
 * terminal without an end. If Ctrl-S was typed before, output goes on. */
static void end_flow_control(void)
{
	struct termios modes;

	if (tcgetattr(STDIN_FILENO, &modes) != 0)
		return;
	modes.c_iflag &= ~(tcflag_t)IXON;
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

/* Restores the modes that the terminal had before end_flow_control(). */
static void restore_modes(void)
{
	if (screen.modes_known)
		tcsetattr(STDIN_FILENO, TCSANOW, &screen.modes);
}

/* The most lines and columns that are drawn: a terminal may report any size, and ncurses counts in
 * 16 bits. */
enum { SIDE_MOST = 2000 };

/* Returns the number in LINES or COLUMNS. Users set these variables if their terminal does not
 * report its size. Returns `otherwise` if the number is not believable. */
static int size_named(const char *variable, int otherwise)
{
	const char *value = getenv(variable);
	char *end;
	long number = value ? strtol(value, &end, 10) : 0;

	return number >= 1 && number <= SIDE_MOST && !*end ? (int)number : otherwise;
}

struct status screen_open(void)
{
	struct status status = screen_check();
	bool known;

	if (!status_is_ok(&status))
		return status;
	screen.modes_known = tcgetattr(STDIN_FILENO, &screen.modes) == 0;
	if (!open_output())
		return status_failed("the terminal cannot be opened: %s", strerror(errno));
	screen.frame = memfd_create("frame", MFD_CLOEXEC);
	set_escdelay(ESCAPE_DELAY);
	/* ncurses must not read the size: after endwin(), it would accept any size that the
	 * terminal reports. screen_resize() sets the size. */
	use_env(FALSE);
	use_tioctl(FALSE);
	/* ncurses does not check every allocation. */
	fatal_guard("ncurses, which draws on the terminal,");
	/* Each twice, because the system may have refused a file or memory only once. A terminal
	 * that cannot be restored is not opened. */
	known = learn_restore() || learn_restore();
	screen.opening = true;
	/* Another thread ends the program. */
	while (screen.ended)
		pause();
	end_flow_control();
	for (int i = 0; known && i < 2 && !screen.terminal; i++)
		screen.terminal = newterm(NULL, screen.output, stdin);
	if (!screen.terminal) {
		int error = terminal_refused();

		restore_modes();
		fatal_guard(NULL);
		screen.opening = false;
		close_output();
		if (error)
			return status_failed("the terminal cannot be used: %s", strerror(error));
		return status_usage(
			"the explorer cannot use this terminal (TERM=%.40s)", getenv("TERM"));
	}
	screen.open = true;
	cbreak();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	fatal_guard(NULL);
	screen.opening = false;
	/* Without typeahead(-1), ncurses stops drawing a frame when a key arrives. */
	typeahead(-1);
	curs_set(0);
	screen.background = input_open();
	send("BE");
	canvas_init(&screen.shown, 0, 0, false);
	/* After this assignment, the first screen_style() chooses the colours. */
	screen.background->changed = true;
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
	restore_modes();
	screen.open = false;
	input_close();
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
	int flags;

	screen.ended = true;
	if (!screen.open && !screen.opening)
		return;
	screen.open = false;
	/* The last write to the terminal must not block, even if the terminal accepts no more
	 * output. */
	tcflush(STDOUT_FILENO, TCOFLUSH);
	flags = fcntl(STDOUT_FILENO, F_GETFL);
	fcntl(STDOUT_FILENO, F_SETFL, flags | O_NONBLOCK);
	/* If exit() ends the program, it writes what ncurses has not written yet: into the frame.
	 */
	if (screen.frame >= 0)
		dup2(screen.frame, screen.descriptor);
	written = write(STDOUT_FILENO, screen.restore, strlen(screen.restore));
	(void)written; /* the program ends in a signal handler, which cannot handle an error of
			  write() */
	fcntl(STDOUT_FILENO, F_SETFL, flags);
	restore_modes();
}

void screen_size(int *width, int *height)
{
	struct winsize size;

	*width = size_named("COLUMNS", COLS);
	*height = size_named("LINES", LINES);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
		*width = size.ws_col;
		*height = size.ws_row;
	}
	*width = *width < SIDE_MOST ? *width : SIDE_MOST;
	*height = *height < SIDE_MOST ? *height : SIDE_MOST;
}

void screen_resize(int width, int height)
{
	/* Without memory for all of its windows, ncurses leaves them with different sizes, and then
	 * writes beyond the smaller ones. */
	if ((height != LINES || width != COLS) && resizeterm(height, width) != OK)
		fatal("out of memory: ncurses has none for a screen of %d columns and %d rows",
			width, height);
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
	restore_modes();
}

void screen_resume(void)
{
	end_flow_control();
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

/* Up to this number of blanks between words have the colours of the word before, because a change
 * of colours takes about as many bytes. */
enum { GAP_MOST = 8 };

/* Returns whether a blank of this style looks like any other blank on the theme's background. */
static bool is_plain(uint8_t style)
{
	const struct look *look = &screen.looks.look[style];

	return !(look->attributes & (LOOK_REVERSE | LOOK_UNDERLINE)) &&
	       look->background == screen.looks.look[STYLE_TEXT].background;
}

static bool is_gap(const struct canvas_cell *cell)
{
	return cell->character == L' ' && is_plain(cell->style);
}

/* Converts a cell for ncurses. All blanks of a long gap between words get equal colours, so that
 * ncurses can erase them. last: the cell before the gap, or NULL. */
static void convert(
	const struct canvas_cell *cell, int gap, const struct canvas_cell *last, cchar_t *out)
{
	const struct canvas_cell *like = gap && last ? last : cell;
	wchar_t characters[2] = { cell->character, 0 };

	if (gap && (!last || gap > GAP_MOST || !is_plain(last->style)))
		setcchar(out, characters, A_NORMAL, blank_pair(), NULL);
	else
		setcchar(out, characters, attributes_of(&screen.looks.look[like->style]),
			pair_of(like->style), NULL);
}

/* Shows the cells of a row from `first` to before `end`. */
static void show_cells(const struct canvas_cell *row, int y, int first, int end)
{
	const struct canvas_cell *last = NULL, *word = NULL;
	int count = 0, gap = 0;

	/* If the first changed cell is the right half of a wide character, begin at its left half,
	 * because ncurses adds the right half itself. */
	while (first > 0 && !row[first].character)
		first--;
	for (int x = first; x < end; x++) {
		const struct canvas_cell *cell = &row[x];
		bool more = gap > 0 && is_gap(cell);

		if (!cell->character)
			continue;
		if (!more)
			for (gap = 0; x + gap < end && is_gap(&row[x + gap]);)
				gap++;
		/* Most cells equal the cell to their left, and a copy is faster than setcchar(). */
		if (more || (last && same_cell(cell, last)))
			screen.line[count] = screen.line[count - 1];
		else
			convert(cell, gap, word, &screen.line[count]);
		last = cell;
		if (!gap)
			word = cell;
		count++;
	}
	mvadd_wchnstr(y, first, screen.line, count);
}

/* Draws the part of a row that differs from `shown`, the terminal's present content, and updates
 * `shown`. */
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
	int output = screen.descriptor;
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

/* ---- the clipboard ---- */

void screen_copy(const char *text)
{
	const char *clipboard = tigetstr("Ms"), *bytes;
	struct text encoded = { 0 };

	if (!clipboard || clipboard == (const char *)-1)
		return;
	text_add_base64(&encoded, text);
	bytes = tiparm(clipboard, "c", text_string(&encoded));
	if (bytes)
		write_all(bytes, strlen(bytes));
	text_free(&encoded);
}
