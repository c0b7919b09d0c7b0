/* Measures the explorer as a terminal program, from the terminal's side: runs slexplore on a
 * pseudo-terminal, sends keys, and reads its output into a screen (vt.c). A time begins before the
 * fork, or before a key is written. It ends when the bytes that show the effect have come.
 *
 *   bench/terminal [PART ...]        SLEXPLORE names the program; without parts, all parts run
 *
 * The parts are:
 * - start: the first complete frame; the time from q, or from SIGTERM, to the end of the process
 * - keys: Up, Down and Tab to the first bytes of the redrawn screen, live and frozen
 * - knob: a step of acc in combine size=16k to its first figure, to one that is not provisional,
 * and to one that is not contended; and how much the first figure differs from the last
 * - row: each kernel: a step of its first knob to the full row of probed pressure, and keys to the
 * redrawn screen while the row fills
 * - load: by the second: processor time of the user interface's thread and of the process, and
 * bytes written; live with all experiments done, left alone for a while, and frozen
 * - agree: the figure on a live screen against `slexplore run` of the same setting, in turn. The
 * screen is frozen while `slexplore run` measures. Contended readings count only if fewer than five
 * readings are not contended.
 *
 * series.h describes the rows. Other programs on the machine disturb: work on the sibling of the
 * measured processor makes figures contended, and work on another processor makes answers late.
 * This program keeps off the measured processor. The exit status is 0 if at least one value was
 * measured, else 1. */
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stats.h"
#include "bench/explorer.h"
#include "bench/series.h"
#include "kernels/kernel.h"

enum {
	STARTS = 20,
	KEYS = 200,
	CHANGES = 100,
	ROWS = 4,
	LIVE_SECONDS = 5,
	FROZEN_SECONDS = 3,
	READINGS = 30,
	READINGS_LEAST = 5
};
/* Seconds after which something does not come any more. */
static const double LIMIT = 5, FULL_LIMIT = 180;
/* Seconds without a key after which the explorer measures once a second, even on a busy core. */
static const double CALM = 45;
/* The largest share of a processor that the live measurement of one setting takes. */
static const double LIVE_MOST = 0.5;
/* Seconds for which a setting must stay before its pressure is measured. */
static const double STAY = 0.3;
/* How long a reading's screen is live before it is read: a few of its ten figures a second. */
static const double READING = 0.35;

#define UP   "\033OA"
#define DOWN "\033OB"
#define TAB  "\t"

/* The largest one is for starts alone: that is when a terminal has every cell to show. */
static const struct {
	int width, height;
} sizes[] = { { 80, 24 }, { 120, 40 }, { 400, 100 } };
enum { START_SIZES = sizeof(sizes) / sizeof(sizes[0]), SIZES = START_SIZES - 1 };

static void note_unknown(const struct explorer *explorer)
{
	if (explorer->vt.unknown)
		printf("  %lu sequences that this terminal does not know: what it read may be "
		       "wrong\n",
			explorer->vt.unknown);
}

/* ---- start ---- */

enum ending { QUIT_AT_ONCE, QUIT, TERMINATE, ENDINGS };

/* One life of the program; the times it took go into the series. */
static void one_start(int size, enum ending ending, struct series *first, struct series *end)
{
	struct explorer explorer;
	int wanted = ending == TERMINATE ? 128 + SIGTERM : 0;
	double since;

	explorer_start(&explorer, sizes[size].width, sizes[size].height, "explore");
	series_add(first,
		explorer_wait(&explorer, explorer_complete, NULL, LIMIT) - explorer.started_at);
	if (ending != QUIT_AT_ONCE)
		explorer_wait(&explorer, explorer_figure, NULL, LIMIT);
	since = explorer_now();
	if (ending == TERMINATE)
		kill(explorer.pid, SIGTERM);
	else
		explorer_key(&explorer, "q");
	series_add(end, explorer_wait_end(&explorer, since));
	if (explorer.ended &&
		(!WIFEXITED(explorer.status) || WEXITSTATUS(explorer.status) != wanted))
		printf("  ended with status %#x, and exit status %d was expected\n",
			(unsigned)explorer.status, wanted);
	note_unknown(&explorer);
	explorer_free(&explorer);
}

static void part_start(void)
{
	static const char *const labels[] = { "q right after the first frame, to exit",
		"q while live, to exit", "SIGTERM while live, to exit" };
	struct series end[ENDINGS] = { 0 };
	char label[80];

	series_head("start and quit");
	for (int size = 0; size < START_SIZES; size++) {
		struct series first = { 0 };

		for (int i = 0; i < STARTS; i++)
			one_start(size, (enum ending)(i % ENDINGS), &first, &end[i % ENDINGS]);
		snprintf(label, sizeof(label), "fork to first complete frame, %dx%d",
			sizes[size].width, sizes[size].height);
		series_row(label, &first, 1e3, "ms", 15, false);
	}
	for (int i = 0; i < ENDINGS; i++)
		series_row(labels[i], &end[i], 1e3, "ms", 1000, true);
}

/* ---- keys ---- */

static bool pointers_moved(struct explorer *explorer, const void *before)
{
	return explorer_pointers(explorer) != *(const uint64_t *)before;
}

/* Sends a key and returns the seconds until what it moves has moved. */
static double key_time(struct explorer *explorer, const char *key)
{
	uint64_t before = explorer_pointers(explorer);
	double since = explorer_now();

	explorer_key(explorer, key);
	return explorer_wait(explorer, pointers_moved, &before, LIMIT) - since;
}

/* Down, Up, and Tab through all panes back to the knobs, where the next round begins. */
static const char *next_key(const struct explorer *explorer, const char *last)
{
	if (strcmp(last, DOWN) == 0)
		return UP;
	return strcmp(last, TAB) == 0 && explorer_in_knobs(explorer) ? DOWN : TAB;
}

static void part_keys(void)
{
	series_head("key to redraw");
	for (int size = 0; size < SIZES; size++) {
		struct explorer explorer;

		explorer_start(&explorer, sizes[size].width, sizes[size].height,
			"explore combine size=16k");
		explorer_wait(&explorer, explorer_settled, NULL, LIMIT);
		for (int frozen = 0; frozen <= 1; frozen++) {
			struct series series = { 0 };
			const char *key = TAB;
			char label[80];

			if (frozen) {
				explorer_key(&explorer, " ");
				explorer_wait(&explorer, explorer_says, "frozen", LIMIT);
			}
			for (int i = 0; i < KEYS; i++) {
				key = next_key(&explorer, key);
				series_add(&series, key_time(&explorer, key));
				/* At any point of the time between two frames. */
				explorer_pump(&explorer, 0.001 * (5 + rand() % 30));
			}
			snprintf(label, sizeof(label), "Down, Up, Tab to redraw, %s, %dx%d",
				frozen ? "frozen" : "live", sizes[size].width, sizes[size].height);
			series_row(label, &series, 1e3, "ms", 5, false);
		}
		note_unknown(&explorer);
		explorer_free(&explorer);
	}
}

/* ---- knob ---- */

struct goal {
	char value[16]; /* of acc: the one that was before */
	explorer_state *state;
};

/* A figure that belongs to another value of acc than before. */
static bool changed_and(struct explorer *explorer, const void *context)
{
	const struct goal *goal = context;
	char value[16];

	explorer_knob(explorer, "acc", value, sizeof(value));
	return value[0] && strcmp(value, goal->value) != 0 && goal->state(explorer, NULL);
}

static void part_knob(void)
{
	static explorer_state *const states[] = { explorer_figure, explorer_settled,
		explorer_quiet };
	struct series series[3] = { 0 }, apart = { 0 };
	struct explorer explorer;
	size_t contended = 0;

	series_head("a step of acc (combine size=16k unroll=16, 80x24)");
	explorer_start(&explorer, sizes[0].width, sizes[0].height,
		"explore combine size=16k unroll=16 acc=1");
	explorer_wait(&explorer, explorer_settled, NULL, LIMIT);
	for (int i = 0; i < 3; i++)
		key_time(&explorer, DOWN); /* op, type, unroll, acc */
	for (int i = 0; i < CHANGES; i++) {
		struct goal goal;
		double since, at = 0, cpe[3];

		explorer_knob(&explorer, "acc", goal.value, sizeof(goal.value));
		since = explorer_now();
		explorer_key(&explorer, i / 15 % 2 ? "-" : "+");
		for (int j = 0; j < 3 && !isnan(at); j++) {
			goal.state = states[j];
			at = explorer_wait(&explorer, changed_and, &goal, LIMIT);
			series_add(&series[j], at - since);
			cpe[j] = explorer_cpe(&explorer);
			if (j == 1)
				contended += explorer_contended(&explorer);
		}
		if (!isnan(at))
			series_add(&apart, fabs(cpe[0] / cpe[2] - 1));
		explorer_pump(&explorer, 0.001 * (5 + rand() % 30));
	}
	series_row("key to a figure, provisional or not", &series[0], 1e3, "ms", 50, false);
	series_row("key to a figure that is not provisional", &series[1], 1e3, "ms", NAN, false);
	series_row("key to a quiet figure", &series[2], 1e3, "ms", 150, false);
	series_row("the first figure's difference from the quiet", &apart, 100, "%", NAN, false);
	printf("  %zu of %d were contended when they ceased to be provisional\n", contended,
		CHANGES);
	note_unknown(&explorer);
	explorer_free(&explorer);
}

/* ---- row ---- */

static bool shows(const struct explorer *explorer, const char *words)
{
	char line[VT_WIDTH_MAX + 1];

	for (int y = 0; y < explorer->vt.height; y++)
		if (strstr(vt_row(&explorer->vt, 0, y, line), words))
			return true;
	return false;
}

/* Every resource has a value, or the row says why there is none. */
static bool row_full(struct explorer *explorer, const void *context)
{
	(void)context;
	return shows(explorer, "P unavailable") ||
	       (shows(explorer, "P probed:") && !shows(explorer, " to measure"));
}

static bool row_empty(struct explorer *explorer, const void *context)
{
	return !row_full(explorer, context);
}

/* Measures one kernel. `keys` receives the times of all keys while rows fill. */
static void row_of(const char *kernel, struct series *keys)
{
	struct series fill = { 0 };
	struct explorer explorer;
	char words[64], label[80];

	snprintf(words, sizeof(words), "explore %s", kernel);
	explorer_start(&explorer, sizes[1].width, sizes[1].height, words);
	explorer_wait(&explorer, explorer_settled, NULL, LIMIT);
	explorer_wait(&explorer, row_full, NULL, LIMIT);
	for (int i = 0; i < ROWS && shows(&explorer, "P probed:"); i++) {
		double since = explorer_now();
		int k = 0;

		explorer_key(&explorer, i % 2 ? "-" : "+");
		if (isnan(explorer_wait(&explorer, row_empty, NULL, 0.5)))
			break;
		for (; !row_full(&explorer, NULL) && explorer_now() - since < LIMIT; k++) {
			series_add(keys, key_time(&explorer, k % 2 ? UP : DOWN));
			explorer_pump(&explorer, 0.001 * (5 + rand() % 30));
		}
		series_add(&fill, row_full(&explorer, NULL) ? explorer.read_at - since : NAN);
		/* The first knob is chosen again. */
		if (k % 2)
			key_time(&explorer, UP);
	}
	snprintf(label, sizeof(label), "knob to the full row, %s", kernel);
	if (fill.count + fill.lost > 0)
		series_row(label, &fill, 1, "s", 1 + STAY, false);
	explorer_free(&explorer);
}

static void part_row(void)
{
	struct series keys = { 0 };

	series_head("probed pressure, 120x40");
	for (int i = 0; kernel_registry[i]; i++)
		row_of(kernel_registry[i]->name, &keys);
	series_row("Down, Up to redraw while the row fills", &keys, 1e3, "ms", 50, true);
}

/* ---- load ---- */

/* CPU seconds of a thread so far: exact where the kernel keeps them so, else in its ticks. */
static double thread_seconds(pid_t pid, const char *thread)
{
	char path[64], line[512] = "", *at;
	unsigned long long spent, system;
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int)pid, thread);
	file = fopen(path, "r");
	got = file && fscanf(file, "%llu", &spent) == 1;
	if (file)
		fclose(file);
	if (got && spent > 0)
		return 1e-9 * (double)spent;
	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stat", (int)pid, thread);
	file = fopen(path, "r");
	got = file && fgets(line, sizeof(line), file);
	if (file)
		fclose(file);
	/* The name in parentheses may hold blanks. */
	at = got ? strrchr(line, ')') : NULL;
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &spent,
			   &system) != 2)
		return 0;
	return (double)(spent + system) / (double)sysconf(_SC_CLK_TCK);
}

static double process_seconds(pid_t pid)
{
	char path[64];
	double sum = 0;
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			sum += thread_seconds(pid, entry->d_name);
	if (threads)
		closedir(threads);
	return sum;
}

static void load_of(struct explorer *explorer, const char *state, int seconds, double own_bar,
	double all_bar, double bytes_bar)
{
	struct series own = { 0 }, all = { 0 }, bytes = { 0 }, frames = { 0 };
	char main_thread[16], label[80];

	snprintf(main_thread, sizeof(main_thread), "%d", (int)explorer->pid);
	for (int i = 0; i < seconds; i++) {
		double own_before = thread_seconds(explorer->pid, main_thread);
		double all_before = process_seconds(explorer->pid);
		unsigned long bytes_before = explorer->bytes, bursts_before = explorer->bursts;
		double since = explorer_now(), span;

		explorer_pump(explorer, 1);
		span = explorer_now() - since;
		series_add(&own, (thread_seconds(explorer->pid, main_thread) - own_before) / span);
		series_add(&all, (process_seconds(explorer->pid) - all_before) / span);
		series_add(&bytes, (double)(explorer->bytes - bytes_before) / span);
		series_add(&frames, (double)(explorer->bursts - bursts_before) / span);
	}
	snprintf(label, sizeof(label), "%s: CPU of the UI thread", state);
	series_row(label, &own, 100, "%", own_bar, true);
	snprintf(label, sizeof(label), "%s: CPU of the process", state);
	series_row(label, &all, 100, "%", all_bar, true);
	snprintf(label, sizeof(label), "%s: output", state);
	series_row(label, &bytes, 1e-3, "KB/s", bytes_bar, true);
	snprintf(label, sizeof(label), "%s: frames", state);
	series_row(label, &frames, 1, "1/s", NAN, false);
}

/* The header says so in one word; while slices fill it counts them. */
static bool slices_full(struct explorer *explorer, const void *context)
{
	(void)context;
	return explorer_says(explorer, "live") || explorer_says(explorer, "contended");
}

/* Waits until the explorer has measured the ports and costs of its loop, which takes the whole of
 * one processor, and says how long this took. */
static void wait_for_experiments(struct explorer *explorer)
{
	double began = explorer_now(), before, since;

	do {
		before = process_seconds(explorer->pid);
		since = explorer_now();
		explorer_pump(explorer, 1);
	} while (process_seconds(explorer->pid) - before > LIVE_MOST * (explorer_now() - since) &&
		 explorer_now() - began < FULL_LIMIT);
	printf("  the loop's ports and costs took %.0f s more\n", explorer_now() - began - 1);
}

static void part_load(void)
{
	series_head("load, by the second");
	for (int size = 0; size < SIZES; size++) {
		struct explorer explorer;
		char state[80];
		double full;

		explorer_start(&explorer, sizes[size].width, sizes[size].height,
			"explore combine size=16k");
		full = explorer_wait(&explorer, slices_full, NULL, FULL_LIMIT) -
		       explorer.started_at;
		if (isnan(full))
			printf("  the slices were not full after %.0f s: live here is still "
			       "filling them\n",
				FULL_LIMIT);
		else
			printf("  the slices were full %.1f s after the start, %.0f KB\n", full,
				1e-3 * (double)explorer.bytes);
		wait_for_experiments(&explorer);
		snprintf(
			state, sizeof(state), "live, %dx%d", sizes[size].width, sizes[size].height);
		load_of(&explorer, state, LIVE_SECONDS, 3, NAN, NAN);
		explorer_pump(&explorer, CALM);
		snprintf(state, sizeof(state), "left alone, %dx%d", sizes[size].width,
			sizes[size].height);
		load_of(&explorer, state, LIVE_SECONDS, 1, 2, NAN);
		explorer_key(&explorer, " ");
		if (isnan(explorer_wait(&explorer, explorer_says, "frozen", LIMIT)))
			printf("  it did not freeze\n");
		explorer_pump(&explorer, 0.2); /* what was under way comes to its end */
		snprintf(state, sizeof(state), "frozen, %dx%d", sizes[size].width,
			sizes[size].height);
		load_of(&explorer, state, FROZEN_SECONDS, 0.5, 0.5, 1);
		note_unknown(&explorer);
		explorer_free(&explorer);
	}
}

/* ---- agree ---- */

/* One `slexplore run`, NAN when there is no figure. */
static double headless_cpe(const char *words, bool *contended)
{
	char command[256], line[1200] = "";
	const char *at;
	int ends[2];
	pid_t pid;
	FILE *from;

	*contended = false;
	snprintf(command, sizeof(command), "exec \"$SLEXPLORE\" run %s --format json", words);
	if (pipe(ends) != 0 || (pid = fork()) < 0)
		return NAN;
	if (pid == 0) {
		explorer_child();
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	from = fdopen(ends[0], "r");
	if (from) {
		if (!fgets(line, sizeof(line), from))
			line[0] = '\0';
		fclose(from);
	}
	waitpid(pid, NULL, 0);
	at = strstr(line, "\"cpe\":");
	*contended = strstr(line, "\"contended\":true") != NULL;
	return at ? strtod(at + 6, NULL) : NAN;
}

/* Readings of one setting from one side, quiet ones apart. */
struct readings {
	struct series all, quiet;
};

static void read_one(struct readings *readings, double cpe, bool contended)
{
	series_add(&readings->all, cpe);
	if (!contended)
		series_add(&readings->quiet, cpe);
}

/* What counts of one side: the quiet readings, or where they are too few on either side, all. */
static struct series *counting(struct readings *readings, bool quiet)
{
	return quiet ? &readings->quiet : &readings->all;
}

static void agree_rows(const char *words, struct readings *live, struct readings *headless)
{
	bool quiet = live->quiet.count >= READINGS_LEAST && headless->quiet.count >= READINGS_LEAST;
	struct series *screen = counting(live, quiet), *run = counting(headless, quiet),
		      difference = { 0 };
	char label[200];

	snprintf(label, sizeof(label), "%s, live", words);
	series_row(label, screen, 1, "CPE", NAN, false);
	snprintf(label, sizeof(label), "%s, run", words);
	series_row(label, run, 1, "CPE", NAN, false);
	series_add(&difference, fabs(stats_median(screen->value, screen->count) /
						stats_median(run->value, run->count) -
					1));
	series_row("  their medians' difference", &difference, 100, "%", 0.5, true);
	printf("  contended: %zu of %zu figures on the screen, %zu of %zu runs%s\n",
		live->all.count - live->quiet.count, live->all.count,
		headless->all.count - headless->quiet.count, headless->all.count,
		quiet ? "" : "; too few quiet ones: all count");
}

static void agree_one(const char *words)
{
	struct readings live = { 0 }, headless = { 0 };
	struct explorer explorer;
	char all[160];

	snprintf(all, sizeof(all), "explore %s", words);
	explorer_start(&explorer, sizes[0].width, sizes[0].height, all);
	explorer_wait(&explorer, explorer_settled, NULL, LIMIT);
	for (int i = 0; i < READINGS; i++) {
		bool contended;
		double cpe;

		explorer_pump(&explorer, READING);
		explorer_key(&explorer, " ");
		if (isnan(explorer_wait(&explorer, explorer_says, "frozen", LIMIT)))
			break;
		read_one(&live, explorer_cpe(&explorer), explorer_contended(&explorer));
		cpe = headless_cpe(words, &contended);
		read_one(&headless, cpe, contended);
		explorer_key(&explorer, " ");
	}
	agree_rows(words, &live, &headless);
	note_unknown(&explorer);
	explorer_free(&explorer);
}

static void part_agree(void)
{
	series_head("figure on a live screen against run");
	agree_one("combine op=mul type=f64 acc=1");
	agree_one("combine op=add type=i64 acc=1");
	agree_one("list-length");
}

/* ---- */

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{ "start", part_start },
	{ "keys", part_keys },
	{ "knob", part_knob },
	{ "row", part_row },
	{ "load", part_load },
	{ "agree", part_agree },
};

/* Learns which processor is measured, and keeps off it. */
static void keep_off(void)
{
	struct explorer explorer;

	explorer_start(&explorer, sizes[0].width, sizes[0].height, "explore");
	if (isnan(explorer_wait(&explorer, explorer_figure, NULL, LIMIT))) {
		fprintf(stderr, "%s shows no figure on a terminal: nothing to measure\n",
			getenv("SLEXPLORE"));
		exit(1);
	}
	explorer_keep_off(explorer_cpu(&explorer));
	explorer_free(&explorer);
}

int main(int argc, char **argv)
{
	if (!getenv("SLEXPLORE")) {
		fprintf(stderr, "SLEXPLORE is not set: it names the program to measure\n");
		return 2;
	}
	/* That digits are drawn here as they are there. */
	setlocale(LC_CTYPE, "C.UTF-8");
	keep_off();
	printf("the explorer on a pseudo-terminal, TERM=xterm-256color\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		bool wanted = argc < 2;

		for (int j = 1; j < argc; j++)
			wanted |= strcmp(argv[j], parts[i].name) == 0;
		if (wanted)
			parts[i].run();
	}
	return 0;
}
