#include "experiment/characterise/characterise.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/characterise/characterise_inside.h"
#include "kernels/window.h"

/* Default time limit in seconds of the whole measurement of a core. SECONDS_QUICK is the time limit
 * with the option `quick`. */
#define SECONDS	      18.0
#define SECONDS_QUICK 6.0

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

/* ---- loops of each stage */

static void add(void *context, enum item_kind kind, int of, const struct kernel *kernel)
{
	struct characterise *run = context;

	if (kernel && run->item_count < ITEMS && (!run->again || characterise_lacks(run, kernel)))
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

/* ---- the stages */

static void measure_classes(struct characterise *run)
{
	recipes_each(&run->values.recipes, add, run);
	characterise_items(run, INT_MAX);
}

static void measure_slots(struct characterise *run)
{
	add_slots(run);
	characterise_items(run, INT_MAX);
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
	characterise_note(run, result);
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
				     1u << WINDOW_WAIT | 1u << WINDOW_CONSTANT;

static void measure_pass(struct characterise *run, struct measured_buffers *pass)
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
	evaluate_windows(pass, windows_report(windows));
	windows_free(windows);
}

/* A program on the core's other hyper-thread takes a part of each buffer, often unseen. So the
 * windows are measured in WINDOWS_PASSES independent passes at most, until two agree on each
 * buffer. */
enum { WINDOWS_PASSES = 3 };

static void measure_windows(struct characterise *run)
{
	struct measured_buffers passes[WINDOWS_PASSES] = { { 0 } };
	bool agreed = false;

	for (int i = 0; i < WINDOWS_PASSES && !agreed && !characterise_stopped(run); i++) {
		measure_pass(run, &passes[i]);
		agreed = evaluate_passes(passes, i + 1, &run->report.measured.buffers) && i > 0;
	}
}

/* Measures again the loops for classes and rename slots that have no value, because the ports are
 * computed from these values. The core may have been busy during the first stages. */
static void measure_again(struct characterise *run)
{
	for (int pass = 0; pass < 2; pass++) {
		if (characterise_stopped(run) || characterise_late(run))
			return;
		run->again = true;
		if (pass == 0)
			recipes_each(&run->values.recipes, add, run);
		else
			add_slots(run);
		run->again = false;
		characterise_items(run, ROUNDS_MIX);
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
			if (characterise_lacks(run, item->kernel) &&
				(!cell || cell->visits < VISITS_MIX))
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
	while (!characterise_stopped(run) && !characterise_late(run) &&
		measured->mix_count + MIX_BATCH <= MEASURED_MIXES) {
		run->next_count = 0;
		if (!measurer_compute(run->visits.measurer, find_mixes, run) ||
			characterise_stopped(run))
			return;
		run->report.all_mixes = run->next_count == 0;
		if (run->report.all_mixes)
			return;
		for (int i = 0; i < run->next_count; i++)
			add(run, ITEM_MIX, i,
				loop_of_mix(&run->values.recipes, measured, &run->next[i]));
		characterise_items(run, ROUNDS_MIX);
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
		report->unmeasured += characterise_lacks(run, item->kernel);
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
	report->seconds = characterise_elapsed(run);
	evaluate(run);
	if (report->unmeasured > 0 && run->endless)
		notes_add(&run->report.notes,
			"%d of %d loops have no value: code that does not return took the time",
			report->unmeasured, report->loops);
	else if (report->unmeasured > 0 && report->unmeasured == report->loops)
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
	if (report->ported && !report->all_mixes)
		notes_add(&run->report.notes,
			"the time was over after %d mix%s of classes: the ports are a guess; "
			"measure "
			"again on a quiet core, or with a longer time budget",
			report->ports.fitted.mixes, report->ports.fitted.mixes == 1 ? "" : "es");
}

void characterise_measure(struct characterise *run, const struct measurer *measurer)
{
	struct characterise_report *report = &run->report;

	characterise_begin(run, measurer);
	for (int stage = 0; stage < CHARACTERISE_STAGES && !characterise_stopped(run); stage++) {
		run->stage = (enum characterise_stage)stage;
		run->before += run->share;
		run->share = share_of(run, stage);
		run->round = run->item = 0;
		if (run->share > 0 && !(run->options.quick && stage == CHARACTERISE_PORTS))
			stages[stage].measure(run);
		if (characterise_stopped(run))
			break;
		keep_items(run);
		evaluate(run);
	}
	report->complete = !characterise_stopped(run);
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
