#include "experiment/characterise/characterise.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/characterise/recipes.h"
#include "kernels/window.h"

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

/* VISITS_UNLIKELY: largest number of measurements of a loop that gives an impossible value. */
enum { VISITS_UNLIKELY = 6 };
#define PRECISION 0.002

/* Numbers of times (rounds) that all loops of a stage of the core's measurement are measured. The
 * first ROUNDS_ALL rounds measure every loop, so that each loop is measured at two different times.
 * After ROUNDS_ALL rounds, only loops with an imprecise value are measured again. After ROUNDS
 * rounds, only loops without a value are measured again. A loop that mixes instruction classes
 * needs one measurement, and gets ROUNDS_MIX rounds at most. */
enum { ROUNDS = 400, ROUNDS_ALL = 2, ROUNDS_MIX = 4 };

/* Default time limit in seconds of the whole measurement of a core. SECONDS_QUICK is the time limit
 * with the option `quick`. */
#define SECONDS	      18.0
#define SECONDS_QUICK 6.0

/* ITEMS: largest number of loops in all stages. MIX_BATCH: largest number of loops that mix
 * instruction classes in one batch. */
enum { ITEMS = 4096, MIX_BATCH = 48 };

struct characterise {
	struct characterise_report report;
	struct characterise_options options;
	struct evaluation values;
	enum characterise_stage stage;
	int round;
	int first, item_count;	       /* the current stage measures the loops items[first] to
					  items[item_count - 1] */
	struct loop_item items[ITEMS]; /* the loops to measure; entries before `first` are loops
					  from earlier stages that measure rename slots */
	int item;		       /* index of the current loop */
	bool again;		       /* true: add only loops that have no measured value yet */
	double begin;
	struct visits
		visits; /* the scheduler's state of the measurements of the loops in `items` */
	const struct campaign *inner; /* the inner measurement of caches (probe) or buffer sizes
					 (windows) that runs now; NULL: neither runs */
	double inner_done; /* progress of the inner measurement (caches or buffer sizes), from 0 to
			      1 */
	struct measured_mix next[MIX_BATCH]; /* the mixes of instruction classes that are measured
						in the current batch */
	int next_count;			     /* number of mixes in `next` */
};

/* Bytes of the probe's largest working set, which is larger than any second-level cache. */
#define CACHES_SIZE (UINT64_C(16) << 20)

/* Time limits, in seconds, of the probe (caches) and of the windows (buffer sizes). */
#define SECONDS_CACHES	2.5
#define SECONDS_WINDOWS 1.6

/* A loop that measures rename slots has so many nops that the rename width limits the loop: see
 * add_slots_of(). */
#define NOPS_OVER 1.6
enum { NOPS_MOST = 360 };

/* Computes latencies, throughputs and facts of the core from the loops measured so far. */
static void evaluate(struct characterise *run)
{
	evaluate_loops(&run->values);
	evaluate_slots(&run->values, run->items, run->item_count);
}

/* Returns whether the loop has no value yet, but a later measurement may give a value. */
static bool lacks_value(const struct characterise *run, const struct kernel *kernel)
{
	return !evaluate_loop(&run->values, kernel).known &&
	       !evaluate_has_failed(&run->values, kernel);
}

/* ---- loops of each stage */

static void add(void *context, enum item_kind kind, int of, const struct kernel *kernel)
{
	struct characterise *run = context;

	if (kernel && run->item_count < ITEMS && (!run->again || lacks_value(run, kernel)))
		run->items[run->item_count++] = (struct loop_item){ .kind = kind,
			.of = of,
			.kernel = kernel,
			/* An earlier measurement of the core may already have found a precise
			   value. */
			.visits = evaluate_is_settled(&run->values, kernel) ? ROUNDS_ALL : 0 };
}

/* Adds a copy of the loop with additional nops. The additional nops alone take NOPS_OVER times the
 * cycles of the original loop. */
static void add_slots_of(
	struct characterise *run, enum item_kind kind, int of, const struct kernel *kernel)
{
	double width = run->report.measured.width.value;
	struct figure alone = evaluate_loop(&run->values, kernel);
	int first = run->item_count;
	unsigned nops;

	if (!alone.known || !run->report.measured.width.known)
		return;
	nops = (unsigned)ceil(width * fmax(1, alone.value) * NOPS_OVER);
	if (nops > NOPS_MOST)
		return;
	add(run, kind, of,
		loop_with_nops(kernel, run->values.recipes.width[run->values.nop], nops));
	if (run->item_count > first)
		run->items[first].nops = nops;
}

static void add_slots(struct characterise *run)
{
	const struct recipes *recipes = &run->values.recipes;

	for (int i = 0; i < recipes->class_count; i++)
		add_slots_of(run, ITEM_SLOTS, i, recipe_kernel(&recipes->classes[i], LOOP_FREE));
	for (int i = 0; i < recipes->fact_count; i++)
		if (recipes->facts[i].how == HOW_SLOTS)
			add_slots_of(run, ITEM_FACT_SLOTS, i,
				recipe_kernel(&recipes->facts[i], LOOP_FACT));
}

static double share_of(const struct characterise *run, int stage);

static void name_ops(struct characterise *run)
{
	struct measured *measured = &run->report.measured;

	measured->op_count = run->values.recipes.class_count;
	for (int i = 0; i < measured->op_count; i++) {
		const struct recipe *recipe = &run->values.recipes.classes[i];
		struct measured_op *op = &measured->op[i];

		op->bits = recipe->bits;
		op->accesses = recipe->accesses;
		memcpy(op->name, recipe->word, sizeof(op->name));
		memcpy(op->load, recipe->load, sizeof(op->load));
		memcpy(op->store, recipe->store, sizeof(op->store));
	}
}

struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status)
{
	struct characterise *run = memory_new(1, sizeof(*run));

	*status = recipes_load(options->classes, &run->values.recipes);
	if (!status_is_ok(status)) {
		free(run);
		return NULL;
	}
	run->options = *options;
	if (run->options.seconds <= 0)
		run->options.seconds = options->quick ? SECONDS_QUICK : SECONDS;
	run->report.machine = machine;
	run->values.cells = cells_new();
	run->values.nop = -1;
	run->values.measured = &run->report.measured;
	name_ops(run);
	evaluate_identity(machine, &run->report.measured, run->report.name);
	return run;
}

struct characterise *characterise_go_on(struct characterise *before)
{
	struct characterise *run = memory_new(1, sizeof(*run));

	run->options = before->options;
	run->report.machine = before->report.machine;
	run->values = before->values;
	run->values.nop = -1;
	run->values.measured = &run->report.measured;
	before->values.recipes = (struct recipes){ 0 };
	before->values.cells = cells_new();
	name_ops(run);
	evaluate_identity(run->report.machine, &run->report.measured, run->report.name);
	return run;
}

void characterise_free(struct characterise *run)
{
	if (!run)
		return;
	cells_free(run->values.cells);
	recipes_free(&run->values.recipes);
	free(run);
}

static bool stopped(const struct characterise *run)
{
	return measurer_stopped(run->visits.measurer);
}

static double elapsed(const struct characterise *run)
{
	return measurer_now(run->visits.measurer) - run->begin;
}

/* Returns the share of the whole time limit for the stages of measurement before `stage`. */
static double share_before(const struct characterise *run, int stage)
{
	double share = 0;

	while (stage-- > 0)
		share += share_of(run, stage);
	return share;
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

/* Returns whether the time of this stage and of all earlier stages is over. If the user named
 * classes, a stage with unknown values may use the whole time, because later stages depend on these
 * values. */
static bool late(void *context)
{
	struct characterise *run = context;
	double seconds = run->report.seconds = elapsed(run);
	double most = run->options.seconds, share = share_before(run, (int)run->stage + 1);

	if (run->options.classes && seconds > share * most && !all_known(run))
		share = 1;
	return seconds > share * most && (run->round >= 1 || run->stage == CHARACTERISE_PORTS);
}

/* ---- requests */

static void show_progress(struct characterise *run)
{
	struct characterise_report *report = &run->report;
	double before = share_before(run, (int)run->stage), here = share_of(run, (int)run->stage),
	       part = 0;
	int count = run->item_count - run->first;

	if (run->inner)
		part = run->inner_done;
	else if (run->stage == CHARACTERISE_PORTS)
		part = fmin(1, (report->seconds / run->options.seconds - before) / here);
	else if (count)
		part = fmin(0.99, (run->round + (double)run->item / count) / (ROUNDS_ALL + 1));
	report->done = fmax(report->done, fmin(1, before + here * fmax(part, 0)));
}

/* Adds the final result of one measurement of a loop to the report. */
static void note_result(struct characterise *run, const struct result *result)
{
	struct characterise_report *report = &run->report;

	report->visits++;
	if (result->trials.count) {
		report->cycles_from = result->facts.cycles_from;
		report->cpu = result->facts.cpu;
	}
	report->seconds = elapsed(run);
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

	(void)seconds;
	if (evaluate_is_wide(item->kernel))
		run->values.wide_ghz = fmax(run->values.wide_ghz, median_ghz(&result->trials));
	cell_visit(cell, result, QUIET, PRECISION, UINT32_MAX);
	if (result->status.code != STATUS_CANCELLED)
		item->visits++;
	if (!status_is_ok(&cell->failure))
		notes_add(&run->report.notes, "%s: %.120s", run->report.doing, cell->failure.text);
	note_result(run, result);
}

/* Measures the loops in rounds, until all values are known, the time is over, or the number
 * `rounds` is reached. */
static void measure_items(struct characterise *run, int rounds)
{
	struct visits *visits = &run->visits;

	visits->count = (unsigned)(run->item_count - run->first);
	for (run->round = 0; run->round < rounds && !stopped(run); run->round++) {
		unsigned i = 0;

		while (i < visits->count && !wanted(run, i))
			i++;
		if (i == visits->count || late(run))
			return;
		visits_round(visits);
	}
}

/* ---- the stages */

static void measure_classes(struct characterise *run)
{
	recipes_each(&run->values.recipes, add, run);
	measure_items(run, INT_MAX);
}

static void measure_slots(struct characterise *run)
{
	add_slots(run);
	measure_items(run, INT_MAX);
}

/* Reports the progress of the measurement of caches (probe) or buffer sizes (windows). `result` is
 * NULL before a request to the engine, and its result afterwards. */
static void watch(void *context, const struct result *result)
{
	struct characterise *run = context;
	struct characterise_report *report = &run->report;
	struct campaign_state state = campaign_state(run->inner);

	if (!result) {
		snprintf(report->doing, sizeof(report->doing), "%s", state.doing);
		report->stage = run->stage;
		return;
	}
	run->inner_done = state.done;
	note_result(run, result);
}

static void measure_inner(struct characterise *run, const struct campaign *inner)
{
	struct measurer measurer = *run->visits.measurer;

	measurer.ahead = 1;
	measurer.watch = watch;
	measurer.watcher = run;
	run->inner = inner;
	run->inner_done = 0;
	inner->kind->measure(inner->self, &measurer);
	run->inner = NULL;
}

static void measure_caches(struct characterise *run)
{
	struct probe_options options = { .parts = 1u << PROBE_LATENCY | 1u << PROBE_TLB |
						  1u << PROBE_BANDWIDTH,
		.max_size = CACHES_SIZE,
		.seed = run->options.seed,
		.seconds = SECONDS_CACHES };
	struct status status;
	struct probe *probe = probe_new(run->report.machine, &options, &status);

	if (!probe) {
		notes_add(&run->report.notes, "caches: %.160s", status.text);
		return;
	}
	measure_inner(run, &(struct campaign){ &campaign_probe, probe });
	evaluate_caches(&run->report.measured, probe_report(probe));
	probe_free(probe);
}

/* The kinds of filler instructions whose buffer has a `size` line in the core model. */
static const unsigned window_kinds = 1u << WINDOW_NOP | 1u << WINDOW_ADD | 1u << WINDOW_VECTOR |
				     1u << WINDOW_LOAD | 1u << WINDOW_STORE | 1u << WINDOW_BRANCH |
				     1u << WINDOW_WAIT;

static void measure_windows(struct characterise *run)
{
	struct windows_options options = {
		.seed = run->options.seed, .fillers = window_kinds, .seconds = SECONDS_WINDOWS
	};
	const struct kernel *kernel = kernel_find(WINDOWS_KERNEL);
	struct windows *windows;
	struct status status;

	if (!kernel)
		return;
	setting_init(&options.setting, kernel);
	windows = windows_new(run->report.machine, &options, &status);
	if (!windows) {
		notes_add(&run->report.notes, "windows: %.160s", status.text);
		return;
	}
	measure_inner(run, &(struct campaign){ &campaign_windows, windows });
	evaluate_windows(&run->report.measured, windows_report(windows));
	windows_free(windows);
}

/* Measures again the loops for classes and rename slots that have no value, because the ports are
 * computed from these values. The core may have been busy during the first stages. */
static void measure_again(struct characterise *run)
{
	for (int pass = 0; pass < 2; pass++) {
		if (stopped(run) || late(run))
			return;
		run->again = true;
		if (pass == 0)
			recipes_each(&run->values.recipes, add, run);
		else
			add_slots(run);
		run->again = false;
		measure_items(run, ROUNDS_MIX);
		for (int i = run->first; i < run->item_count; i++) {
			const struct loop_item *item = &run->items[i];

			if (!evaluate_loop(&run->values, item->kernel).known)
				continue;
			run->report.unmeasured -= run->report.unmeasured > 0;
			if (item->kind == ITEM_SLOTS || item->kind == ITEM_FACT_SLOTS)
				run->items[run->first++] = *item;
		}
		run->item_count = run->first;
		evaluate(run);
	}
}

static void find_mixes(void *context)
{
	struct characterise *run = context;

	run->next_count = measured_next(&run->report.measured, run->next, MIX_BATCH);
}

/* A mix of instruction classes that has no value after VISITS_MIX measurements is not measured
 * again. */
enum { VISITS_MIX = 24 };

/* Adds the mixes of instruction classes in the current batch to the measured mixes. If a mix of
 * instruction classes cannot run as a loop, its cycles stay unknown. */
static void keep_mixes(struct characterise *run)
{
	struct measured *measured = &run->report.measured;
	int next = run->first;

	for (int i = 0; i < run->next_count; i++) {
		struct measured_mix *mix = &run->next[i];
		const struct loop_item *item = &run->items[next];

		if (next < run->item_count && item->of == i) {
			const struct cell *cell = evaluate_cell(&run->values, item->kernel);

			next++;
			mix->cycles = evaluate_loop(&run->values, item->kernel);
			/* A mix of instruction classes without a value is not stored, so a later
			 * batch measures the mix again. */
			if (lacks_value(run, item->kernel) && (!cell || cell->visits < VISITS_MIX))
				continue;
		}
		measured->mix[measured->mix_count++] = *mix;
	}
	run->item_count = run->first;
}

/* Measures mixes of instruction classes until no further mix adds information about the ports. If
 * the search for further mixes of instruction classes is interrupted, the result of the search is
 * not used. */
static void measure_ports(struct characterise *run)
{
	const struct measured *measured = &run->report.measured;

	measure_again(run);
	while (!stopped(run) && !late(run) && measured->mix_count + MIX_BATCH <= MEASURED_MIXES) {
		run->next_count = 0;
		if (!measurer_compute(run->visits.measurer, find_mixes, run) || stopped(run) ||
			run->next_count == 0)
			return;
		for (int i = 0; i < run->next_count; i++)
			add(run, ITEM_MIX, i,
				loop_of_mix(&run->values.recipes, measured, &run->next[i]));
		measure_items(run, ROUNDS_MIX);
		keep_mixes(run);
	}
}

/* The stages of measuring a core, with each stage's share of the time limit. share_classes is a
 * stage's share of the time limit if the user named classes. */
static const struct {
	const char *name;
	double share, share_classes;
	void (*measure)(struct characterise *run);
} stages[CHARACTERISE_STAGES] = {
	[CHARACTERISE_CLASSES] = { "classes", 0.28, 0.6, measure_classes },
	[CHARACTERISE_SLOTS] = { "slots", 0.16, 0.4, measure_slots },
	[CHARACTERISE_CACHES] = { "caches", 0.15, 0, measure_caches },
	[CHARACTERISE_WINDOWS] = { "windows", 0.06, 0, measure_windows },
	[CHARACTERISE_PORTS] = { "ports", 0.35, 0, measure_ports },
};

static double share_of(const struct characterise *run, int stage)
{
	return run->options.classes ? stages[stage].share_classes : stages[stage].share;
}

/* Counts the loops of a finished stage, and removes all loops except those that measure rename
 * slots. */
static void keep_items(struct characterise *run)
{
	struct characterise_report *report = &run->report;

	for (int i = run->first; i < run->item_count; i++) {
		const struct loop_item *item = &run->items[i];

		report->loops++;
		report->unmeasured += lacks_value(run, item->kernel);
		if (item->kind == ITEM_SLOTS || item->kind == ITEM_FACT_SLOTS)
			run->items[run->first++] = *item;
	}
	run->item_count = run->first;
}

static void find_ports(void *context)
{
	struct characterise *run = context;

	measured_find_ports(&run->report.measured, &run->report.ports);
}

/* Computes the report on the core from all measurements. */
static void conclude(struct characterise *run)
{
	struct characterise_report *report = &run->report;

	report->doing[0] = '\0';
	report->seconds = elapsed(run);
	evaluate(run);
	if (report->unmeasured > 0 && report->unmeasured == report->loops)
		notes_add(&run->report.notes,
			"core %d was never quiet in %.0f s, because another process uses it or its "
			"hyper-thread: try another core, or try again later",
			report->cpu, report->seconds);
	else if (report->unmeasured > 0)
		notes_add(&run->report.notes,
			"%d of %d loops never ran on a quiet core: their values are missing",
			report->unmeasured, report->loops);
	if (report->measured.width.known && report->measured.mix_count > 0)
		report->ported = measurer_compute(run->visits.measurer, find_ports, run);
}

void characterise_measure(struct characterise *run, const struct measurer *measurer)
{
	struct characterise_report *report = &run->report;

	run->visits = (struct visits){ .measurer = measurer,
		.context = run,
		.repeat = true,
		.wanted = wanted,
		.late = late,
		.ask = ask,
		.accept = accept };
	run->begin = measurer_now(measurer);
	for (int stage = 0; stage < CHARACTERISE_STAGES && !stopped(run); stage++) {
		run->stage = (enum characterise_stage)stage;
		run->round = run->item = 0;
		if (share_of(run, stage) > 0 &&
			!(run->options.quick && stage == CHARACTERISE_PORTS))
			stages[stage].measure(run);
		if (stopped(run))
			break;
		keep_items(run);
		evaluate(run);
	}
	report->complete = !stopped(run);
	if (report->complete)
		report->done = 1;
	conclude(run);
	visits_free(&run->visits);
}

const struct characterise_report *characterise_report(const struct characterise *run)
{
	return &run->report;
}

struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch)
{
	measured_write(&report->measured, &report->ports, report->name, text);
	return uarch ? uarch_parse(text_string(text), report->name, uarch) : status_ok();
}

/* ---- the measurement as a campaign ---- */

static void characterise_state(const struct characterise *run, struct campaign_state *state)
{
	const struct characterise_report *report = &run->report;

	state->done = report->done;
	state->stage = stages[report->stage].name;
	state->doing = report->doing;
	for (int i = 0; i < report->measured.op_count; i++)
		state->any |=
			report->measured.op[i].latency.known || report->measured.op[i].each.known;
	if (report->notes.count)
		state->why = report->notes.note[0];
}

CAMPAIGN_KIND(characterise);
