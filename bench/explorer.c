#include "bench/explorer.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ui/shapes.h"

/* The screen is in a state when it stays there for so long; longer than the pauses within a frame.
 */
static const double SILENCE = 0.002;
static const double BURST = 0.005;
enum { POINTER = 0x25b8, LINE = 0x2500, TITLES = 1, WORDS_MAX = 24 };

static cpu_set_t all_processors;
static bool kept_off;

double explorer_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void explorer_keep_off(int cpu)
{
	cpu_set_t mine;

	if (kept_off || sched_getaffinity(0, sizeof(all_processors), &all_processors) != 0)
		return;
	mine = all_processors;
	if (cpu >= 0)
		CPU_CLR(cpu, &mine);
	kept_off = CPU_COUNT(&mine) > 0 && sched_setaffinity(0, sizeof(mine), &mine) == 0;
}

void explorer_child(void)
{
	static const char *const unset[] = { "NO_COLOR", "SLEXPLORE_THEME", "LINES", "COLUMNS",
		NULL };

	if (kept_off)
		sched_setaffinity(0, sizeof(all_processors), &all_processors);
	for (int i = 0; unset[i]; i++)
		unsetenv(unset[i]);
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
}

void explorer_start(struct explorer *explorer, int width, int height, const char *words)
{
	struct winsize size = { .ws_col = (unsigned short)width, .ws_row = (unsigned short)height };
	char *program = getenv("SLEXPLORE"), *argument[WORDS_MAX] = { program },
	     *copy = strdup(words), *rest = copy;

	for (int i = 1; i < WORDS_MAX - 1 && (argument[i] = strtok_r(rest, " ", &rest)); i++)
		;
	*explorer = (struct explorer){ .read_at = -INFINITY };
	vt_init(&explorer->vt, width, height);
	explorer->started_at = explorer_now();
	explorer->pid = forkpty(&explorer->terminal, NULL, NULL, &size);
	if (explorer->pid == 0) {
		explorer_child();
		execv(program, argument);
		_exit(127);
	}
	if (explorer->pid < 0) {
		fprintf(stderr, "no pseudo-terminal: %s\n", strerror(errno));
		exit(1);
	}
	free(copy);
}

void explorer_free(struct explorer *explorer)
{
	if (!explorer->ended) {
		kill(explorer->pid, SIGKILL);
		waitpid(explorer->pid, &explorer->status, 0);
	}
	close(explorer->terminal);
	vt_free(&explorer->vt);
}

void explorer_key(struct explorer *explorer, const char *bytes)
{
	if (write(explorer->terminal, bytes, strlen(bytes)) < 0)
		perror("key");
}

/* Takes what is there, or comes within so many seconds. False: nothing did. */
static bool take(struct explorer *explorer, double seconds)
{
	struct pollfd wait = { .fd = explorer->terminal, .events = POLLIN };
	struct timespec time = { (time_t)seconds, (long)((seconds - floor(seconds)) * 1e9) };
	char buffer[8192];
	ssize_t count;
	double now;

	if (explorer->ended || ppoll(&wait, 1, &time, NULL) <= 0)
		return false;
	count = read(explorer->terminal, buffer, sizeof(buffer));
	now = explorer_now();
	if (count <= 0) {
		/* The terminal was let go of: the process ends. */
		explorer->ended = waitpid(explorer->pid, &explorer->status, 0) == explorer->pid;
		explorer->ended_at = explorer_now();
		return false;
	}
	explorer->bursts += now - explorer->read_at > BURST;
	explorer->bytes += (unsigned long)count;
	explorer->read_at = now;
	vt_write(&explorer->vt, buffer, (size_t)count);
	return true;
}

void explorer_pump(struct explorer *explorer, double seconds)
{
	double until = explorer_now() + seconds, now;

	while (!explorer->ended && (now = explorer_now()) < until)
		take(explorer, until - now);
}

double explorer_wait(
	struct explorer *explorer, explorer_state *state, const void *context, double limit)
{
	double until = explorer_now() + limit, since = NAN;

	while (!explorer->ended) {
		double left = until - explorer_now();

		if (!state(explorer, context))
			since = NAN;
		else if (isnan(since))
			since = explorer->read_at;
		if (isnan(since) && left <= 0)
			return NAN;
		if (!take(explorer, isnan(since) ? left : SILENCE) && !isnan(since))
			return since;
	}
	return NAN;
}

double explorer_wait_end(struct explorer *explorer, double since)
{
	double until = explorer_now() + 10, now;

	while (!explorer->ended && (now = explorer_now()) < until)
		take(explorer, until - now);
	return explorer->ended ? explorer->ended_at - since : NAN;
}

/* ---- Reading the screen ---- */

/* The column where a title stands, -1: nowhere. */
static int title_column(const struct explorer *explorer, const char *title)
{
	char row[VT_WIDTH_MAX + 1];
	const char *at = strstr(vt_row(&explorer->vt, 0, TITLES, row), title);

	return at ? (int)(at - row) : -1;
}

bool explorer_complete(struct explorer *explorer, const void *context)
{
	char row[VT_WIDTH_MAX + 1];
	bool panel = false;

	(void)context;
	/* A panel below the knobs: the slices or the limits. */
	for (int y = TITLES + 1; y < explorer->vt.height; y++) {
		vt_row(&explorer->vt, 0, y, row);
		panel |= strstr(row, " over size") || strncmp(row, "limits", 6) == 0;
	}
	return panel && title_column(explorer, "kernels") >= 0 &&
	       title_column(explorer, "knobs") >= 0 && title_column(explorer, "cycles per ") >= 0 &&
	       strstr(vt_row(&explorer->vt, 0, explorer->vt.height - 1, row), "q quit") != NULL;
}

/* Whether the panel of the measured value contains a word. The panel reaches from its title to the
 * end of the title's line, and down to the next line. */
static bool figure_says(const struct explorer *explorer, const char *word)
{
	const struct vt *vt = &explorer->vt;
	int left = title_column(explorer, "cycles per "), right = left;
	char row[VT_WIDTH_MAX + 1];

	if (left < 0)
		return false;
	while (right < vt->width && (right < left + 19 || vt_cell(vt, right, TITLES) == LINE))
		right++;
	for (int y = TITLES + 1; y < vt->height && vt_cell(vt, vt->width / 2, y) != LINE; y++) {
		vt_row(vt, left, y, row);
		row[right - left] = '\0';
		if (strstr(row, word))
			return true;
	}
	return false;
}

/* Whether the screen has a digit of the large number at (x, y). The program's own digits are the
 * reference. */
static bool large_digit(const struct vt *vt, int x, int y, int rows, const char *digit)
{
	struct canvas canvas;
	bool same = true;

	canvas_init(&canvas, digits_width(digit, rows) + 1, rows, false);
	digits_draw(canvas_box(&canvas), 0, 0, rows, STYLE_FIGURE, digit);
	for (int i = 0; same && i < rows; i++)
		for (int j = 0; same && j < canvas.width; j++)
			same = vt_cell(vt, x + j, y + i) ==
			       (uint32_t)canvas.cells[i * canvas.width + j].character;
	canvas_free(&canvas);
	return same;
}

/* Reads a number of large digits that begins at column x. NAN: there is none of this height. */
static double large_number(const struct vt *vt, int x, int rows)
{
	char figure[16] = "", *end;
	double value;

	for (size_t count = 0; count + 1 < sizeof(figure); count++) {
		const char *digit = "0123456789.";
		char one[2] = "";

		for (; *digit; digit++) {
			one[0] = *digit;
			if (large_digit(vt, x, TITLES + 1, rows, one))
				break;
		}
		if (!*digit)
			break;
		figure[count] = *digit;
		x += digits_width(one, rows) + digits_width(".", rows);
	}
	value = strtod(figure, &end);
	return end > figure ? value : NAN;
}

double explorer_cpe(const struct explorer *explorer)
{
	int x = title_column(explorer, "cycles per ");
	char row[VT_WIDTH_MAX + 1], *end;
	double value;

	if (x < 0)
		return NAN;
	/* Where room is short, the figure is a line of text. */
	value = strtod(vt_row(&explorer->vt, x, TITLES + 1, row), &end);
	if (end > row && strncmp(end, " cycles per ", 12) == 0)
		return value;
	value = NAN;
	for (int rows = 11; rows >= DIGITS_HEIGHT && isnan(value); rows--)
		value = large_number(&explorer->vt, x, rows);
	return value;
}

bool explorer_contended(const struct explorer *explorer)
{
	/* The share of contended trials of a quiet value has no colon. */
	return figure_says(explorer, "contended:");
}

bool explorer_figure(struct explorer *explorer, const void *context)
{
	(void)context;
	return !isnan(explorer_cpe(explorer));
}

bool explorer_settled(struct explorer *explorer, const void *context)
{
	return explorer_figure(explorer, context) && figure_says(explorer, "quartiles") &&
	       !figure_says(explorer, "provisional");
}

bool explorer_quiet(struct explorer *explorer, const void *context)
{
	return explorer_settled(explorer, context) && !explorer_contended(explorer);
}

bool explorer_says(struct explorer *explorer, const void *context)
{
	char row[VT_WIDTH_MAX + 1], *last;

	vt_row(&explorer->vt, 0, 0, row);
	for (size_t length = strlen(row); length > 0 && row[length - 1] == ' '; length--)
		row[length - 1] = '\0';
	last = strrchr(row, ' ');
	return last && strcmp(last + 1, context) == 0;
}

/* A pointer and a blank come before the title of the chosen pane. */
bool explorer_in_knobs(const struct explorer *explorer)
{
	int x = title_column(explorer, "knobs");

	return x >= 2 && vt_cell(&explorer->vt, x - 2, TITLES) == POINTER;
}

void explorer_knob(const struct explorer *explorer, const char *knob, char *value, size_t size)
{
	int x = title_column(explorer, "knobs");
	size_t length = strlen(knob);
	char row[VT_WIDTH_MAX + 1];

	value[0] = '\0';
	if (explorer_in_knobs(explorer))
		x -= 2;
	for (int y = TITLES + 1; x >= 0 && y < explorer->vt.height; y++) {
		const char *found = vt_row(&explorer->vt, x + 2, y, row);

		if (strncmp(found, knob, length) != 0 || found[length] != ' ')
			continue;
		found += length + strspn(found + length, " ");
		snprintf(value, size, "%.*s", (int)strcspn(found, " "), found);
		return;
	}
}

uint64_t explorer_pointers(const struct explorer *explorer)
{
	uint64_t hash = 0;

	for (int y = 0; y < explorer->vt.height; y++)
		for (int x = 0; x < explorer->vt.width; x++)
			if (vt_cell(&explorer->vt, x, y) == POINTER)
				/* With what it points at: one pane may take another's place. */
				hash = (hash ^ (uint64_t)(y * VT_WIDTH_MAX + x) ^
					       (uint64_t)vt_cell(&explorer->vt, x + 2, y) << 32) *
					       UINT64_C(0x100000001b3) +
				       1;
	return hash;
}

int explorer_cpu(const struct explorer *explorer)
{
	char row[VT_WIDTH_MAX + 1];
	const char *at = strstr(vt_row(&explorer->vt, 0, 0, row), " cpu ");

	return at ? atoi(at + 5) : -1;
}
