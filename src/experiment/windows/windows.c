/* Measures one curve of time over filler instructions for each buffer of the core, and finds its
 * knee. knee_next() chooses the number of fillers for each point of a curve. */
#include "experiment/windows/windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

/* A visit, one measurement of a point, ends after QUIET quiet trials of 75 microseconds each, or
 * after VISIT seconds. A measurement of a point also ends after PATIENCE trials if none of them was
 * quiet. A measurement of VISIT seconds has about 3 × QUIET trials. */
enum { QUIET = 8, PATIENCE = 16 };
#define VISIT 0.0025

/* VISITS: number of measurements of each point on a contended core. SEARCHES: largest number of
 * searches for an unclear knee. */
enum { VISITS = 3, SEARCHES = 2 };

/* A point without a valid trial is measured again and again for HOPE seconds. On a busy core,
 * context switches may disturb every trial of a measurement. */
#define HOPE 2.0

/* A point is measured again if the relative noise of its curve exceeds NOISY, or if the relative
 * distance of its quartiles exceeds SCATTERED. */
#define NOISY	  0.07
#define SCATTERED 0.2

/* Largest number of filler instructions to measure: about twice the entries of today's largest
 * buffers. */
#define MOST 2048

/* The usual number of points of a curve needed to find a knee; used to estimate the progress. */
#define POINTS_USUAL 22.0

struct windows {
	struct windows_report report;
	int fillers, filler; /* indices of the kernel's knobs `fillers` and `filler` */
	bool over;	     /* true if the measurement has ended */
	int preferred; /* index of the row (kind of filler instruction) to measure first; -1: no row
			  is preferred */
	/* The members below are valid only while windows_measure() runs. */
	const struct measurer *measurer;
	double begin;
	struct result *result;
	int searches; /* number of searches for the knee of the current row's curve */
	int requests;
};

static struct setting setting_at(
	const struct windows *windows, const struct windows_row *row, double x)
{
	struct setting setting = windows->report.options.setting;

	setting.v[windows->filler] = row->choice;
	setting.v[windows->fillers] = (int64_t)x;
	return setting;
}

static void fail_row(struct windows_row *row, const char *why)
{
	row->state = WINDOWS_FAILED;
	snprintf(row->why, sizeof(row->why), "%.*s", WINDOWS_NOTE - 1, why);
}

/* Returns what a filler fills on a core. */
static const struct window_filler *fact_of(const struct uarch *uarch, const char *filler)
{
	int kind = window_kind(filler);
	double flags = buffers_size(uarch, window_flags.buffer);

	if (kind < 0)
		return NULL;
	return kind == WINDOW_ADD && flags < buffers_size(uarch, window_fillers[kind].buffer)
		       ? &window_flags
		       : &window_fillers[kind];
}

/* Fails a row whose nodes stay in L2: the core finishes their loads before a buffer is full, so a
 * rise of the curve would have another cause. */
static void refuse_near_nodes(const struct windows *windows, struct windows_row *row)
{
	uint64_t near = machine_cache(windows->report.machine, 2),
		 bytes = kernel_footprint(row->setting.kernel, row->setting.v);

	if (bytes <= near)
		fail_row(
			row, words_of("%s of nodes stay in L2 (%s): no miss is long enough to fill "
				      "a buffer, so raise size far above L2",
				     units_size_long((int64_t)bytes).text,
				     units_size_long((int64_t)near).text)
				     .text);
}

static void add_row(struct windows *windows, int64_t choice, const char *name)
{
	struct windows_report *report = &windows->report;
	struct windows_row *row = &report->row[report->count++];
	const struct knob *knob = &report->options.setting.kernel->knobs[windows->fillers];
	struct status status;

	row->filler = name;
	row->choice = choice;
	row->fact = fact_of(NULL, name);
	row->most = fmin(MOST, (double)knob->max);
	row->entries = NAN;
	row->ghz = NAN;
	row->setting = setting_at(windows, row, (double)knob->min);
	knee_find(&row->curve, row->most, &row->knee);
	status = setting_check(&row->setting,
		report->machine->known ? machine_means(report->machine) : MEMORY_LIMITS_UNKNOWN);
	if (!status_is_ok(&status))
		fail_row(row, status.text);
	else
		refuse_near_nodes(windows, row);
}

struct windows *windows_new(
	const struct machine *machine, const struct windows_options *options, struct status *status)
{
	const struct kernel *kernel = options->setting.kernel;
	int fillers = kernel_knob(kernel, WINDOWS_FILLERS),
	    filler = kernel_knob(kernel, WINDOWS_FILLER);
	struct windows *windows;

	*status = status_ok();
	if (fillers < 0 || filler < 0 || kernel->knobs[filler].kind != KNOB_CHOICE) {
		*status = status_usage("kernel %s has no filler instructions between two cache "
				       "misses: use kernel %s",
			kernel->name, WINDOWS_KERNEL);
		return NULL;
	}
	windows = memory_new(1, sizeof(*windows));
	windows->fillers = fillers;
	windows->filler = filler;
	windows->preferred = -1;
	windows->report.machine = machine;
	windows->report.options = *options;
	windows->report.now = -1;
	buffers_load(&windows->report.buffers);
	for (int i = 0; kernel->knobs[filler].choices[i] && windows->report.count < WINDOWS_ROWS;
		i++)
		if (options->fillers == 0 || options->fillers >> i & 1)
			add_row(windows, i, kernel->knobs[filler].choices[i]);
	windows_model(windows, options->uarch, options->foreign);
	return windows;
}

void windows_model(struct windows *windows, const struct uarch *uarch, bool foreign)
{
	struct windows_report *report = &windows->report;

	report->options.uarch = NULL;
	report->options.foreign = foreign;
	snprintf(report->core, sizeof(report->core), "%s", uarch ? uarch->title : "");
	snprintf(report->uarch, sizeof(report->uarch), "%s", uarch ? uarch->name : "");
	for (int i = 0; i < report->count; i++) {
		struct windows_row *row = &report->row[i];

		row->fact = fact_of(uarch, row->filler);
		row->entries = row->fact ? buffers_size(uarch, row->fact->buffer) : (double)NAN;
	}
}

void windows_free(struct windows *windows)
{
	free(windows);
}

struct status windows_read_fillers(
	const struct kernel *kernel, const char *const *words, int count, uint64_t *fillers)
{
	int knob = kernel_knob(kernel, WINDOWS_FILLER);
	const char *const *choices = knob < 0 ? NULL : kernel->knobs[knob].choices;
	size_t choice_count = 0;
	char remedy[64];

	*fillers = 0;
	while (choices && choices[choice_count])
		choice_count++;
	for (int i = 0; i < count; i++) {
		size_t choice = 0;

		while (choice < choice_count && strcmp(choices[choice], words[i]) != 0)
			choice++;
		if (choice < choice_count) {
			*fillers |= UINT64_C(1) << choice;
			continue;
		}
		snprintf(remedy, sizeof(remedy), "\"slexplore list %s\" has them", kernel->name);
		return status_unknown("unknown filler", words[i], choices, choice_count, remedy);
	}
	return status_ok();
}

/* ---- rows ---- */

static bool is_left(const struct windows_row *row)
{
	return row->state == WINDOWS_WAITS || row->state == WINDOWS_GOES_ON;
}

/* A program on the core's other hyper-thread may take half of most buffers for milliseconds. The
 * measured curve then has a sharp knee at half of the entries, such as 256 of 512 (Redwood Cove:
 * once in a hundred runs). Nothing else in the measurement shows that a program on the other
 * hyper-thread took half of a buffer. To detect another program on the core, the measurement checks
 * each sharp knee after all rows, with a point at BEHIND times the knee. If the cycles beyond the
 * knee have not risen, the program on the other hyper-thread caused the knee. */
enum { CHECKS = 2 };
#define BEHIND 1.05

static bool wants_check(const struct windows_row *row)
{
	return row->state == WINDOWS_DONE && row->knee.kind == KNEE_SHARP && row->checks < CHECKS &&
	       ceil(BEHIND * row->knee.to) <= row->most;
}

/* Returns the index of the row (kind of filler instruction) to measure next: the preferred row,
 * else the current row, else the first unfinished row, else a row with an unchecked knee. Returns
 * -1 if no row (kind of filler instruction) is left to measure. */
static int choose_row(const struct windows *windows)
{
	const struct windows_report *report = &windows->report;

	if (windows->preferred >= 0 && is_left(&report->row[windows->preferred]))
		return windows->preferred;
	if (report->now >= 0 && is_left(&report->row[report->now]))
		return report->now;
	for (int i = 0; i < report->count; i++)
		if (is_left(&report->row[i]))
			return i;
	for (int i = 0; i < report->count; i++)
		if (wants_check(&report->row[i]))
			return i;
	return -1;
}

void windows_prefer(struct windows *windows, int64_t choice)
{
	const struct windows_row *row = windows_row(&windows->report, choice);

	windows->preferred = row ? (int)(row - windows->report.row) : -1;
}

bool windows_over(const struct windows *windows)
{
	return windows->over || choose_row(windows) < 0;
}

static double share_done(const struct windows_report *report)
{
	double done = 0;

	for (int i = 0; i < report->count; i++)
		done += is_left(&report->row[i])
				? fmin(0.95, report->row[i].curve.count / POINTS_USUAL)
				: 1;
	return report->count ? done / report->count : 1;
}

static void add_point(
	struct windows *windows, struct windows_row *row, double x, const struct sample *sample)
{
	const struct knee_point point = { x, sample->cpe, sample->cpe_lo, sample->cpe_hi };

	row->contended |= sample->contended;
	row->ghz = sample->ghz;
	row->cycles_from = sample->cycles_from;
	knee_add(&row->curve, &point);
	knee_find(&row->curve, row->most, &row->knee);
	windows->report.done = share_done(&windows->report);
}

static void end_row(struct windows *windows, struct windows_row *row)
{
	row->state = WINDOWS_DONE;
	if (isfinite(row->knee.x))
		row->setting = setting_at(windows, row, row->knee.x);
}

/* Finds the next number of filler instructions to measure for this kind of filler. If the knee of
 * the curve is unclear, the search for the knee begins again. */
static bool next_place(struct windows *windows, struct windows_row *row, double *x)
{
	double least = (double)row->setting.kernel->knobs[windows->fillers].min;

	if (knee_next(&row->curve, least, row->most, x))
		return true;
	if (row->knee.kind != KNEE_UNCLEAR || ++windows->searches >= SEARCHES)
		return false;
	row->curve.count = 0;
	row->contended = false; /* the contention was seen in the points that were just removed */
	return knee_next(&row->curve, least, row->most, x);
}

/* ---- measuring ---- */

static bool time_is_up(const struct windows *windows)
{
	const double seconds = windows->report.options.seconds;

	return seconds > 0 && measurer_now(windows->measurer) - windows->begin >= seconds;
}

/* Makes one measurement with x filler instructions. Returns false if a measurement has no result,
 * because the request was taken back or cancelled. */
static bool visit(struct windows *windows, struct windows_row *row, double x)
{
	struct windows_report *report = &windows->report;
	const struct windows_options *options = &report->options;
	struct setting setting = setting_at(windows, row, x);
	double asked = measurer_now(windows->measurer), now, seconds = VISIT;
	struct request request;

	if (options->seconds > 0)
		seconds = fmax(0.001, fmin(seconds, options->seconds - (asked - windows->begin)));
	request = (struct request){
		.kernel = setting.kernel,
		.seed = options->seed,
		.background = true,
		/* Each measurement begins at another position in the working set, because the lines
		   of the previous measurement still lie in nearer caches. */
		.place = visits_place(windows->requests++),
		.budget = { .seconds = seconds, .quiet_wanted = QUIET, .patience = PATIENCE },
	};
	memcpy(request.v, setting.v, sizeof(request.v));
	snprintf(report->doing, sizeof(report->doing), "%s, %.0f filler%s", row->filler, x,
		x == 1 ? "" : "s");
	if (!measurer_measure(windows->measurer, &request, windows->result))
		return false;
	now = measurer_now(windows->measurer);
	report->seconds = now - windows->begin;
	row->seconds += now - asked;
	row->requests++;
	return windows->result->status.code != STATUS_CANCELLED;
}

static bool is_better(const struct sample *sample, const struct sample *than)
{
	return sample->valid &&
	       (!than->valid || (sample->contended != than->contended ? than->contended
								      : sample->cpe < than->cpe));
}

/* Returns the number of measurements that a point needs. Trials scatter if other processes use the
 * memory. If trials scatter, each point is measured twice, and the faster result counts, because
 * interference only slows a measurement. */
static int visits_wanted(const struct windows_row *row, const struct sample *sample)
{
	if (!sample->valid || sample->contended)
		return VISITS;
	return row->knee.noise > NOISY || sample->cpe_hi - sample->cpe_lo > SCATTERED * sample->cpe
		       ? 2
		       : 1;
}

/* Measures the point with x filler instructions up to the needed number of times, and adds the best
 * result to the curve. If the user prefers another kind of filler during the measurement, the point
 * is discarded. */
static void measure_point(struct windows *windows, struct windows_row *row, double x)
{
	const double begin = measurer_now(windows->measurer);
	struct sample best = { 0 }, sample;
	bool enough = false;
	char why[56];
	int visits = 0;

	while (!enough && !measurer_stopped(windows->measurer) && !time_is_up(windows) &&
		choose_row(windows) == windows->report.now) {
		if (!visit(windows, row, x))
			continue;
		if (!status_is_ok(&windows->result->status)) {
			fail_row(row, windows->result->status.text);
			return;
		}
		sample_summarise(&windows->result->trials, &windows->result->facts, &sample);
		if (is_better(&sample, &best))
			best = sample;
		enough = ++visits >= visits_wanted(row, &sample) &&
			 (best.valid || measurer_now(windows->measurer) - begin >= HOPE);
	}
	if (best.valid && choose_row(windows) == windows->report.now) {
		row->setting = setting_at(windows, row, x);
		add_point(windows, row, x, &best);
	} else if (enough) {
		snprintf(why, sizeof(why), "every trial in %d measurements was disturbed", visits);
		fail_row(row, why);
	}
}

/* Measures one point of the curve beyond the knee. If the cycles beyond the knee have not risen,
 * the search for the knee begins again. */
static void check_knee(struct windows *windows, struct windows_row *row)
{
	const double x = ceil(BEHIND * row->knee.to);
	struct sample sample;

	if (!visit(windows, row, x))
		return;
	row->checks++;
	if (!status_is_ok(&windows->result->status))
		return;
	sample_summarise(&windows->result->trials, &windows->result->facts, &sample);
	if (!sample.valid || sample.contended)
		return;
	if (sample.cpe >= (row->knee.before + row->knee.after) / 2) {
		row->checks = CHECKS;
		return;
	}
	row->state = WINDOWS_WAITS;
	row->curve.count = 0;
	row->contended = false;
	knee_find(&row->curve, row->most, &row->knee);
	windows->searches = 0;
}

/* Chooses one kind of filler instruction (row) after another, and measures the points of its curve.
 * Returns whether all points of all curves are measured. */
static bool measure_rows(struct windows *windows)
{
	struct windows_report *report = &windows->report;

	while (!measurer_stopped(windows->measurer)) {
		int chosen = choose_row(windows);
		struct windows_row *row;
		bool check;
		double x;

		if (chosen < 0)
			return true;
		row = &report->row[chosen];
		check = wants_check(row);
		if (chosen != report->now)
			windows->searches = 0;
		report->now = chosen;
		if (!check)
			row->state = WINDOWS_GOES_ON;
		if (!check && !next_place(windows, row, &x)) {
			end_row(windows, row);
			continue;
		}
		if (time_is_up(windows)) {
			if (!check)
				notes_add(&report->notes,
					"the time of %.3g s was too short to measure everything",
					report->options.seconds);
			return check;
		}
		if (check)
			check_knee(windows, row);
		else
			measure_point(windows, row, x);
	}
	return false;
}

void windows_measure(struct windows *windows, const struct measurer *measurer)
{
	struct windows_report *report = &windows->report;

	windows->measurer = measurer;
	windows->begin = measurer_now(measurer);
	windows->result = memory_new(1, sizeof(*windows->result));
	report->complete = measure_rows(windows);
	free(windows->result);
	report->seconds = measurer_now(measurer) - windows->begin;
	windows_close(windows);
}

void windows_close(struct windows *windows)
{
	struct windows_report *report = &windows->report;

	windows->over = true;
	report->done = share_done(report);
	report->now = -1;
	report->doing[0] = '\0';
}

void windows_give(
	struct windows *windows, const struct setting *setting, const struct sample *sample)
{
	struct windows_row *row =
		(struct windows_row *)windows_row(&windows->report, setting->v[windows->filler]);
	double x = (double)setting->v[windows->fillers];
	struct setting here = row ? setting_at(windows, row, x) : *setting;

	if (!row || !sample->valid || !setting_equal(&here, setting))
		return;
	add_point(windows, row, x, sample);
	end_row(windows, row);
	row->checks = CHECKS;
	windows->report.done = share_done(&windows->report);
}

const struct windows_report *windows_report(const struct windows *windows)
{
	return &windows->report;
}

const char *windows_why(const struct windows_report *report)
{
	/* A note about the time limit explains more than the failure of one kind of filler, so the
	 * note is returned first. */
	if (report->notes.count)
		return report->notes.note[0];
	for (int i = report->count - 1; i >= 0; i--)
		if (report->row[i].why[0])
			return report->row[i].why;
	return "no undisturbed trial";
}

const struct windows_row *windows_row(const struct windows_report *report, int64_t choice)
{
	for (int i = 0; i < report->count; i++)
		if (report->row[i].choice == choice)
			return &report->row[i];
	return NULL;
}

/* Two knees are at the same place if they are at most this share apart. */
static const double same_knee = 0.01;

/* Returns the row of nops if the reorder buffer was full before the buffer of the row `row`; else
 * NULL. */
static const struct windows_row *full_before(
	const struct windows_report *report, const struct windows_row *row)
{
	for (int i = 0; i < report->count; i++) {
		const struct windows_row *nops = &report->row[i];

		if (strcmp(nops->filler, "nop") == 0 && row->fact && nops->fact &&
			strcmp(row->fact->buffer, nops->fact->buffer) != 0 &&
			nops->knee.kind == KNEE_SHARP && row->knee.kind == KNEE_SHARP &&
			fabs(row->knee.x - nops->knee.x) <= same_knee * nops->knee.x)
			return nops;
	}
	return NULL;
}

void windows_difference(const struct windows_report *report, const struct windows_row *row,
	char words[BUFFERS_WORDS])
{
	const struct windows_row *nops = full_before(report, row);
	double found = row->fact ? row->knee.x * row->fact->each + row->fact->own : row->knee.x;

	/* A thread on the same core uses half of many buffers, so the core file is not to blame. */
	if (row->contended && isfinite(found)) {
		snprintf(words, BUFFERS_WORDS,
			"another thread shared the core, so the knee may be wrong");
		return;
	}
	if (!nops) {
		buffers_difference(&report->buffers, &row->knee, row->fact, row->entries, words);
		return;
	}
	snprintf(words, BUFFERS_WORDS, "the reorder buffer was full first, as with %.0f nops",
		nops->knee.x);
	if (row->entries < found)
		snprintf(words + strlen(words), BUFFERS_WORDS - strlen(words),
			": the %.0f entries of the core file do not limit these %s", row->entries,
			row->fact->counts);
}

double windows_last(const struct windows_row *row)
{
	return row->curve.count ? row->curve.point[row->curve.count - 1].x : 0;
}

bool windows_exceeds(const struct windows_row *row)
{
	double found = row->fact ? row->knee.x * row->fact->each + row->fact->own : row->knee.x;

	return row->knee.kind == KNEE_SHARP && found > 1.2 * row->entries;
}

/* ---- the windows as a campaign ---- */

static void windows_state(const struct windows *windows, struct campaign_state *state)
{
	const struct windows_report *report = &windows->report;

	state->done = report->done;
	state->doing = report->doing;
	state->why = windows_why(report);
	for (int i = 0; i < report->count; i++)
		state->any |= report->row[i].curve.count > 0;
}

CAMPAIGN_KIND(windows);
