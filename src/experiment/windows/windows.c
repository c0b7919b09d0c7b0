/* See windows.h: one knee after the other, each where knee_next() looks. */
#include "experiment/windows/windows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "experiment/campaign.h"

/* A visit: some trials of 75 microseconds each, and seconds that are enough for three times as
 * many. */
enum { QUIET = 8, PATIENCE = 16 };
#define VISIT 0.0025

/* How often a point is asked for while something shares the core; and how often a knee that stays
 * unclear is looked for. */
enum { VISITS = 3, SEARCHES = 2 };

/* Seconds for which a point is asked for that came to nothing at all: on a busy core each trial of
 * some visits meets a switch. */
#define HOPE 2.0

/* Points that are off by more, usually, and quartiles that are further apart, are to be looked at
 * again. */
#define NOISY	  0.07
#define SCATTERED 0.2

/* Fillers to look at, at most, where no knee comes before: twice what today's largest buffers hold.
 */
#define MOST 2048

/* Successive multiples of it, less their whole part, spread evenly however many there are. */
#define GOLDEN 0.618033988749895

/* Points that a knee takes, about: for saying how much is done. */
#define POINTS_USUAL 22.0

struct windows {
	struct windows_report report;
	int fillers, filler; /* the kernel's knobs */
	bool waiting, stopped, begun;
	double begin, asked;
	double x;	    /* of the request under way */
	int visits;	    /* made at x */
	double spent;	    /* seconds of them */
	struct sample best; /* of them */
	int searches;	    /* of the row under way, begun */
	int preferred;	    /* a row; -1 */
	int requests;
};

static struct windows_row *row_of(struct windows *windows)
{
	return windows->report.now < 0 ? NULL : &windows->report.row[windows->report.now];
}

static struct setting setting_at(
	const struct windows *windows, const struct windows_row *row, double x)
{
	struct setting setting = windows->report.options.setting;

	setting.v[windows->filler] = row->choice;
	setting.v[windows->fillers] = (int64_t)x;
	return setting;
}

static void add_row(struct windows *windows, int64_t choice, const char *name)
{
	struct windows_report *report = &windows->report;
	struct windows_row *row = &report->row[report->count++];
	const struct knob *knob = &report->options.setting.kernel->knobs[windows->fillers];
	struct status status;

	row->filler = name;
	row->choice = choice;
	row->fact = window_kind(name) < 0 ? NULL : &window_fillers[window_kind(name)];
	row->most = fmin(MOST, (double)knob->max);
	row->entries = NAN;
	row->ghz = NAN;
	row->setting = setting_at(windows, row, (double)knob->min);
	knee_find(&row->curve, row->most, &row->knee);
	status = setting_check(&row->setting,
		report->machine->known ? machine_means(report->machine) : MEMORY_LIMITS_UNKNOWN);
	if (!status_is_ok(&status)) {
		row->state = WINDOWS_FAILED;
		snprintf(row->why, sizeof(row->why), "%s", status.text);
	}
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
		*status = status_make(STATUS_USAGE, "%s has no fillers between two misses: %s has",
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
	snprintf(report->core, sizeof(report->core), "%s", uarch ? uarch_title(uarch) : "");
	snprintf(report->uarch, sizeof(report->uarch), "%s", uarch ? uarch_name(uarch) : "");
	for (int i = 0; i < report->count; i++) {
		struct windows_row *row = &report->row[i];

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

	*fillers = 0;
	while (choices && choices[choice_count])
		choice_count++;
	for (int i = 0; i < count; i++) {
		size_t choice = 0;
		char near[128] = "";

		while (choice < choice_count && strcmp(choices[choice], words[i]) != 0)
			choice++;
		if (choice < choice_count) {
			*fillers |= UINT64_C(1) << choice;
			continue;
		}
		nearest_names(words[i], choices, choice_count, near, sizeof(near));
		if (*near)
			return status_make(STATUS_USAGE,
				"there is no filler \"%.60s\"; did you mean %s?", words[i], near);
		return status_make(STATUS_USAGE,
			"there is no filler \"%.60s\"; \"slexplore list %s\" has them", words[i],
			kernel->name);
	}
	return status_ok();
}

/* ---- rows ---- */

static bool is_left(const struct windows_row *row)
{
	return row->state == WINDOWS_WAITS || row->state == WINDOWS_GOES_ON;
}

/* Whatever else runs on the core's other thread takes its half of most buffers, and only that:
 * nothing else of it need be felt, and a sharp knee lies at 256 of 512 (Redwood Cove: once in a
 * hundred runs). It lasts for milliseconds. So each sharp knee is looked at again when all are
 * measured, right behind where it was found: where cycles have not risen there, it was another's.
 */
enum { CHECKS = 2 };
#define BEHIND 1.05

static bool wants_check(const struct windows_row *row)
{
	return row->state == WINDOWS_DONE && row->knee.kind == KNEE_SHARP && row->checks < CHECKS &&
	       ceil(BEHIND * row->knee.to) <= row->most;
}

/* The preferred row, else the one under way, else the first that is left, else one whose knee is to
 * be looked at again; -1: none is. */
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
	windows->preferred = -1;
	for (int i = 0; i < windows->report.count; i++)
		if (windows->report.row[i].choice == choice)
			windows->preferred = i;
}

bool windows_over(const struct windows *windows)
{
	return windows->stopped || (!windows->waiting && choose_row(windows) < 0);
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

/* The point under way, by the best of its visits; nothing where none came to anything. */
static void keep_point(struct windows *windows, struct windows_row *row)
{
	if (windows->visits > 0 && windows->best.valid) {
		row->setting = setting_at(windows, row, windows->x);
		add_point(windows, row, windows->x, &windows->best);
	}
	windows->visits = 0;
}

static void finish(struct windows *windows, double now)
{
	struct windows_report *report = &windows->report;

	/* A point that was to be visited once more is better than none. */
	if (report->now >= 0)
		keep_point(windows, row_of(windows));
	if (windows->begun)
		report->seconds = now - windows->begin;
	report->done = share_done(report);
	report->now = -1;
	report->doing[0] = '\0';
	windows->waiting = false;
}

static void end_row(struct windows *windows, struct windows_row *row)
{
	row->state = WINDOWS_DONE;
	if (isfinite(row->knee.x))
		row->setting = setting_at(windows, row, row->knee.x);
}

/* The next place to look at in this row. One that stays unclear is looked for anew. */
static bool next_place(struct windows *windows, struct windows_row *row)
{
	double least = (double)row->setting.kernel->knobs[windows->fillers].min;

	if (knee_next(&row->curve, least, row->most, &windows->x))
		return true;
	if (row->knee.kind != KNEE_UNCLEAR || ++windows->searches >= SEARCHES)
		return false;
	row->curve.count = 0;
	row->contended = false; /* those points are gone */
	return knee_next(&row->curve, least, row->most, &windows->x);
}

bool windows_next(struct windows *windows, double now, struct request *request)
{
	struct windows_report *report = &windows->report;
	const struct windows_options *options = &report->options;
	struct windows_row *row;
	struct setting setting;
	double seconds = VISIT;

	if (windows->stopped || windows->waiting)
		return false;
	if (!windows->begun) {
		windows->begun = true;
		windows->begin = now;
	}
	for (;;) {
		int chosen = choose_row(windows);

		if (chosen < 0) {
			report->complete = true;
			finish(windows, now);
			return false;
		}
		if (chosen != report->now)
			windows->visits = windows->searches = 0;
		report->now = chosen;
		row = row_of(windows);
		if (wants_check(row)) {
			windows->x = ceil(BEHIND * row->knee.to);
			break;
		}
		row->state = WINDOWS_GOES_ON;
		if (windows->visits > 0 || next_place(windows, row))
			break;
		end_row(windows, row);
	}
	if (options->seconds > 0 && now - windows->begin >= options->seconds && wants_check(row)) {
		report->complete = true;
		windows_stop(windows, now);
		return false;
	}
	if (options->seconds > 0 && now - windows->begin >= options->seconds) {
		snprintf(report->note, sizeof(report->note),
			"the time was up before all was measured: %.3g s were asked for",
			options->seconds);
		windows_stop(windows, now);
		return false;
	}
	if (options->seconds > 0)
		seconds = fmax(0.001, fmin(seconds, options->seconds - (now - windows->begin)));
	setting = setting_at(windows, row, windows->x);
	*request = (struct request){
		.kernel = setting.kernel,
		.seed = options->seed,
		.background = true,
		/* Each visit elsewhere: what the last one walked lies in nearer caches. */
		.place = fmod(windows->requests++ * GOLDEN, 1),
		.budget = { .seconds = seconds, .quiet_wanted = QUIET, .patience = PATIENCE },
	};
	memcpy(request->v, setting.v, sizeof(request->v));
	snprintf(report->doing, sizeof(report->doing), "%s, %.0f filler%s", row->filler, windows->x,
		windows->x == 1 ? "" : "s");
	windows->waiting = true;
	windows->asked = now;
	return true;
}

static void fail_row(struct windows *windows, struct windows_row *row, const char *why)
{
	row->state = WINDOWS_FAILED;
	snprintf(row->why, sizeof(row->why), "%s", why);
	windows->visits = 0;
}

static bool is_better(const struct sample *sample, const struct sample *than)
{
	if (!sample->valid || !than->valid)
		return sample->valid;
	return sample->contended != than->contended ? than->contended : sample->cpe < than->cpe;
}

/* Where points scatter, because others use the memory, each is looked at twice: what disturbs it
 * makes it slower. */
static int visits_wanted(const struct windows_row *row, const struct sample *sample)
{
	if (!sample->valid || sample->contended)
		return VISITS;
	return row->knee.noise > NOISY || sample->cpe_hi - sample->cpe_lo > SCATTERED * sample->cpe
		       ? 2
		       : 1;
}

/* A knee is looked at again: it stands, or is looked for anew. */
static void check_row(struct windows *windows, struct windows_row *row, const struct result *result)
{
	struct sample sample;

	row->checks++;
	if (!status_is_ok(&result->status))
		return;
	sample_summarise(&result->trials, &result->facts, &sample);
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

void windows_accept(struct windows *windows, double now, const struct result *result)
{
	struct windows_report *report = &windows->report;
	struct windows_row *row = row_of(windows);
	struct setting setting;
	struct sample sample;
	char why[48];

	if (!windows->waiting || !row || !result->final)
		return;
	setting = setting_at(windows, row, windows->x);
	if (result->kernel != setting.kernel ||
		memcmp(result->v, setting.v,
			sizeof(setting.v[0]) * (size_t)setting.kernel->knob_count) != 0)
		return;
	windows->waiting = false;
	report->seconds = now - windows->begin;
	row->seconds += now - windows->asked;
	windows->spent = (windows->visits ? windows->spent : 0) + now - windows->asked;
	row->requests++;
	if (result->status.code == STATUS_CANCELLED)
		return;
	if (wants_check(row)) {
		check_row(windows, row, result);
		return;
	}
	if (!status_is_ok(&result->status)) {
		fail_row(windows, row, result->status.text);
		return;
	}
	sample_summarise(&result->trials, &result->facts, &sample);
	if (windows->visits == 0 || is_better(&sample, &windows->best))
		windows->best = sample;
	if (++windows->visits < visits_wanted(row, &sample) ||
		(!windows->best.valid && windows->spent < HOPE))
		return;
	if (windows->best.valid) {
		keep_point(windows, row);
		return;
	}
	snprintf(why, sizeof(why), "no undisturbed trial in %d visits", windows->visits);
	fail_row(windows, row, why);
}

void windows_give(
	struct windows *windows, const struct setting *setting, const struct sample *sample)
{
	struct setting wanted = *setting;

	wanted.v[windows->filler] = windows->report.options.setting.v[windows->filler];
	wanted.v[windows->fillers] = windows->report.options.setting.v[windows->fillers];
	if (!sample->valid || !setting_equal(&wanted, &windows->report.options.setting))
		return;
	for (int i = 0; i < windows->report.count; i++) {
		struct windows_row *row = &windows->report.row[i];

		if (row->choice != setting->v[windows->filler])
			continue;
		add_point(windows, row, (double)setting->v[windows->fillers], sample);
		end_row(windows, row);
		row->checks = CHECKS;
	}
	windows->report.done = share_done(&windows->report);
}

void windows_lose(struct windows *windows)
{
	windows->waiting = false;
}

void windows_stop(struct windows *windows, double now)
{
	if (windows->stopped)
		return;
	windows->stopped = true;
	finish(windows, now);
}

const struct windows_report *windows_report(const struct windows *windows)
{
	return &windows->report;
}

const char *windows_why(const struct windows_report *report)
{
	const char *why = "no undisturbed trial";

	for (int i = 0; i < report->count; i++)
		if (report->row[i].why[0])
			why = report->row[i].why;
	/* What a row came to says less than that it had no time. */
	return report->note[0] ? report->note : why;
}

const struct windows_row *windows_row(const struct windows_report *report, int64_t choice)
{
	for (int i = 0; i < report->count; i++)
		if (report->row[i].choice == choice)
			return &report->row[i];
	return NULL;
}

/* ---- as a campaign ---- */

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
