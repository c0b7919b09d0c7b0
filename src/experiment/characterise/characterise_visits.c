#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "experiment/characterise/characterise_inside.h"

/* Seconds of a visit, one measurement of a loop: about 30 trials of 30 microseconds each. */
#define VISIT 0.0015

/* A visit (one measurement of a loop) ends after QUIET quiet trials, or after PATIENCE trials if
 * none of them was quiet. A measurement of a loop without quiet trials is repeated later. */
enum { QUIET = 24, PATIENCE = 10 };

/* On Redwood Cove, 512-bit operations are throttled for up to a millisecond after other code. While
 * operations are throttled, the measured clock is wrong, and the first 50 trials are useless. If
 * the first measurement of a loop with 512-bit operations gives no value, the next measurements are
 * longer. */
#define VISIT_WIDE 0.004
enum { QUIET_WIDE = 3 * QUIET, PATIENCE_WIDE = 80 };

/* Seconds of a failed visit after which code of the user has probably been stopped, because it
 * never returned. */
#define ENDLESS 1.0

/* VISITS_UNLIKELY: largest number of measurements of a loop that gives an impossible value. */
enum { VISITS_UNLIKELY = 6 };
#define PRECISION 0.002

bool characterise_lacks(const struct characterise *run, const struct kernel *kernel)
{
	return !evaluate_loop(&run->values, kernel).known &&
	       !evaluate_has_failed(&run->values, kernel);
}

bool characterise_stopped(const struct characterise *run)
{
	return measurer_stopped(run->visits.measurer);
}

double characterise_elapsed(const struct characterise *run)
{
	return measurer_now(run->visits.measurer) - run->begin;
}

static bool wanted(void *context, unsigned index)
{
	const struct characterise *run = context;
	const struct loop_item *item = &run->items[run->first + (int)index];
	int all = run->options.quick || item->kind == ITEM_MIX ? 1 : ROUNDS_ALL;

	if (item->visits > (unsigned)run->round ||
		(run->round >= ROUNDS && evaluate_loop(&run->values, item->kernel).known))
		return false;
	return run->round < all || !evaluate_is_settled(&run->values, item->kernel) ||
	       (item->visits < VISITS_UNLIKELY && !evaluate_is_plausible(&run->values, item));
}

/* Returns whether every loop of the stage has a plausible measured value. */
static bool all_known(const struct characterise *run)
{
	int i = run->first;

	while (i < run->item_count && evaluate_is_plausible(&run->values, &run->items[i]))
		i++;
	return i == run->item_count;
}

/* Every loop is measured at least once, unless the user's recipes contain endless loops: each of
 * them takes seconds. If the user named classes, a stage with unknown values may use the whole
 * time, because later stages depend on these values. */
bool characterise_late(void *context)
{
	struct characterise *run = context;
	double seconds = run->report.seconds = characterise_elapsed(run);
	double most = run->options.seconds, share = run->before + run->share;

	if (run->options.classes && seconds > share * most && !all_known(run))
		share = 1;
	return seconds > share * most &&
	       (run->round >= 1 || run->endless || run->stage == CHARACTERISE_PORTS);
}

static void show_progress(struct characterise *run)
{
	struct characterise_report *report = &run->report;
	double part = 0;
	int count = run->item_count - run->first;

	if (run->inner)
		part = run->inner_done;
	else if (run->stage == CHARACTERISE_PORTS)
		part = fmin(1, (report->seconds / run->options.seconds - run->before) / run->share);
	else if (count)
		part = fmin(0.99, (run->round + (double)run->item / count) / (ROUNDS_ALL + 1));
	report->done = fmax(report->done, fmin(1, run->before + run->share * fmax(part, 0)));
}

void characterise_note(struct characterise *run, const struct result *result)
{
	struct characterise_report *report = &run->report;

	report->visits++;
	if (result->trials.count) {
		report->cycles_from = result->facts.cycles_from;
		report->cpu = result->facts.cpu;
	}
	report->seconds = characterise_elapsed(run);
	show_progress(run);
}

static void ask(void *context, unsigned index, struct request *request)
{
	struct characterise *run = context;
	struct characterise_report *report = &run->report;
	const struct loop_item *item = &run->items[run->first + (int)index];

	run->item = (int)index;
	*request = (struct request){ .kernel = item->kernel,
		.seed = run->options.seed,
		.budget = { .seconds = VISIT, .quiet_wanted = QUIET, .patience = PATIENCE } };
	if (item->visits > 0 && evaluate_is_wide(item->kernel) &&
		!evaluate_is_plausible(&run->values, item))
		request->budget = (struct budget){
			.seconds = VISIT_WIDE, .quiet_wanted = QUIET_WIDE, .patience = PATIENCE_WIDE
		};
	report->stage = run->stage;
	snprintf(report->doing, sizeof(report->doing), "ports: %d mixes",
		report->measured.mix_count + item->of + 1);
	if (item->kind != ITEM_MIX)
		memcpy(report->doing,
			recipes_words(&run->values.recipes, item->kind, item->of).text,
			sizeof(report->doing));
}

/* Returns the median core clock of the quiet trials of one measurement; 0: too few trials were
 * quiet. */
static double median_ghz(const struct trials *trials)
{
	double ghz[TRIALS_MAX];
	size_t count = 0;

	for (unsigned i = 0; i < trials->count; i++)
		if (trials->trial[i].fate == TRIAL_QUIET)
			ghz[count++] = trials->trial[i].ghz;
	return count >= PATIENCE ? stats_median(ghz, count) : 0;
}

static void accept(void *context, unsigned index, const struct result *result, double seconds)
{
	struct characterise *run = context;
	struct loop_item *item = &run->items[run->first + (int)index];
	struct setting setting = { .kernel = item->kernel };
	struct cell *cell = cells_get(run->values.cells, &setting, true);

	if (evaluate_is_wide(item->kernel))
		run->values.wide_ghz = fmax(run->values.wide_ghz, median_ghz(&result->trials));
	cell_visit(cell, result, QUIET, PRECISION, UINT32_MAX);
	if (result->status.code != STATUS_CANCELLED)
		item->visits++;
	run->endless |= !status_is_ok(&cell->failure) && seconds > ENDLESS;
	if (!status_is_ok(&cell->failure))
		notes_add(&run->report.notes, "%s: not measured: %.120s", run->report.doing,
			cell->failure.text);
	characterise_note(run, result);
}

void characterise_items(struct characterise *run, int rounds)
{
	struct visits *visits = &run->visits;

	visits->count = (unsigned)(run->item_count - run->first);
	for (run->round = 0; run->round < rounds && !characterise_stopped(run); run->round++) {
		unsigned i = 0;

		while (i < visits->count && !wanted(run, i))
			i++;
		if (i == visits->count || characterise_late(run))
			return;
		visits_round(visits);
	}
}

void characterise_begin(struct characterise *run, const struct measurer *measurer)
{
	run->visits = (struct visits){ .measurer = measurer,
		.context = run,
		.repeat = true,
		.wanted = wanted,
		.late = characterise_late,
		.ask = ask,
		.accept = accept };
	run->begin = measurer_now(measurer);
}
