#include "experiment/characterise/characterise.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/campaign.h"
#include "experiment/characterise/recipes.h"
#include "kernels/window.h"

/* Seconds of a visit: about 30 trials of 30 microseconds each. */
#define VISIT 0.0015

/* Quiet trials that end a visit, and trials without a quiet one after which a visit ends and is
 * repeated later. */
enum { QUIET = 24, PATIENCE = 10 };

/* On Redwood Cove, operations of 512 bits are throttled for up to a millisecond after other code,
 * and then the clock is wrong for a while: none of the first 50 trials counts. Such a loop gets
 * this longer visit if the first one gave no value. */
#define VISIT_WIDE 0.004
enum { QUIET_WIDE = 3 * QUIET, PATIENCE_WIDE = 80 };

/* Visits for a loop whose value is impossible. */
enum { VISITS_UNLIKELY = 6 };
#define PRECISION 0.002

/* Rounds over the loops of a stage. The first two visit every loop, so that each is measured at two
 * times. Later ones visit loops with an imprecise value, and after ROUNDS only loops without one. A
 * mix needs one round. */
enum { ROUNDS = 400, ROUNDS_ALL = 2, ROUNDS_MIX = 4 };

/* Seconds of the whole measurement. */
#define SECONDS	      18.0
#define SECONDS_QUICK 6.0

/* Room for the loops of all stages, and mixes of one batch. */
enum { ITEMS = 4096, MIX_BATCH = 48 };

struct characterise {
	struct characterise_report report;
	struct characterise_options options;
	struct evaluation values;
	enum characterise_stage stage;
	int round;
	int first, item_count; /* loops of the current stage: items[first] to [item_count - 1] */
	struct loop_item items[ITEMS]; /* before them: the loops for slots of earlier stages */
	int item;		       /* the current one */
	bool again;		       /* add only loops without a value */
	double begin;
	struct visits visits;		     /* over the items */
	const struct campaign *inner;	     /* the probe or the windows, while they measure */
	double inner_done;		     /* 0…1 */
	struct measured_mix next[MIX_BATCH]; /* mixes of the current batch */
	int next_count;			     /* mixes that the last search found */
};

/* The largest working set of the stage of caches: larger than any second-level cache. */
#define CACHES_SIZE (UINT64_C(16) << 20)

/* Seconds of the probe and of the windows. */
#define SECONDS_CACHES	2.5
#define SECONDS_WINDOWS 1.6

/* Enough nops next to an instruction that the rename width is the limit. */
#define NOPS_OVER 1.6
enum { NOPS_MOST = 360 };

static void add_note(struct characterise *characterise, const char *format, ...)
{
	struct characterise_report *report = &characterise->report;
	va_list arguments;

	if (report->note_count == CHARACTERISE_NOTES)
		return;
	va_start(arguments, format);
	vsnprintf(report->note[report->note_count], sizeof(report->note[0]), format, arguments);
	va_end(arguments);
	for (int i = 0; i < report->note_count; i++)
		if (strcmp(report->note[i], report->note[report->note_count]) == 0)
			return;
	report->note_count++;
}

/* Computes everything that the loops so far show. */
static void evaluate(struct characterise *characterise)
{
	evaluate_loops(&characterise->values);
	evaluate_slots(&characterise->values, characterise->items, characterise->item_count);
}

/* Whether the loop could not run: a note of its own says why. */
static bool has_failed(const struct characterise *characterise, const struct kernel *kernel)
{
	const struct cell *cell = evaluate_cell(&characterise->values, kernel);

	return cell && !status_is_ok(&cell->failure);
}

/* ---- loops of each stage */

static void add(struct characterise *characterise, enum item_kind kind, int of,
	const struct kernel *kernel, unsigned nops)
{
	if (kernel && characterise->item_count < ITEMS &&
		!(characterise->again && (evaluate_loop(&characterise->values, kernel).known ||
						 has_failed(characterise, kernel))))
		characterise->items[characterise->item_count++] = (struct loop_item){
			.kind = kind, .of = of, .kernel = kernel, .nops = nops
		};
}

static void add_loop(void *context, enum item_kind kind, int of, const struct kernel *kernel)
{
	add(context, kind, of, kernel, 0);
}

/* Adds the loop with so many nops that they take 1.6 times as long as the loop alone. */
static void add_slots_of(
	struct characterise *characterise, enum item_kind kind, int of, const struct kernel *kernel)
{
	double width = characterise->report.measured.width.value;
	struct figure alone = evaluate_loop(&characterise->values, kernel);
	unsigned nops;

	if (!alone.known || !characterise->report.measured.width.known)
		return;
	nops = (unsigned)ceil(width * fmax(1, alone.value) * NOPS_OVER);
	if (nops <= NOPS_MOST)
		add(characterise, kind, of,
			loop_with_nops(kernel,
				characterise->values.recipes.width[characterise->values.nop], nops),
			nops);
}

static void add_slots(struct characterise *characterise)
{
	const struct recipes *recipes = &characterise->values.recipes;

	for (int i = 0; i < recipes->class_count; i++)
		add_slots_of(characterise, ITEM_SLOTS, i,
			recipe_kernel(&recipes->classes[i], LOOP_FREE));
	for (int i = 0; i < recipes->fact_count; i++)
		if (recipes->facts[i].how == HOW_SLOTS)
			add_slots_of(characterise, ITEM_FACT_SLOTS, i,
				recipe_kernel(&recipes->facts[i], LOOP_FACT));
}

static double share_of(const struct characterise *characterise, int stage);

static void name_ops(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;

	for (int i = 0; i < characterise->values.recipes.class_count; i++) {
		const struct recipe *recipe = &characterise->values.recipes.classes[i];
		struct measured_op *op = &measured->op[measured->op_count];

		op->bits = recipe->bits;
		op->accesses = recipe->accesses;
		measured->op_count++;
		memcpy(op->name, recipe->word, sizeof(op->name));
		memcpy(op->load, recipe->load, sizeof(op->load));
		memcpy(op->store, recipe->store, sizeof(op->store));
	}
}

struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status)
{
	struct characterise *characterise = memory_new(1, sizeof(*characterise));

	*status = recipes_load(options->classes, &characterise->values.recipes);
	if (!status_is_ok(status)) {
		free(characterise);
		return NULL;
	}
	characterise->options = *options;
	if (characterise->options.seconds <= 0)
		characterise->options.seconds = options->quick ? SECONDS_QUICK : SECONDS;
	characterise->report.machine = machine;
	characterise->values.cells = cells_new();
	characterise->values.nop = -1;
	characterise->values.measured = &characterise->report.measured;
	name_ops(characterise);
	evaluate_identity(machine, &characterise->report.measured, characterise->report.name);
	return characterise;
}

void characterise_free(struct characterise *characterise)
{
	if (!characterise)
		return;
	cells_free(characterise->values.cells);
	recipes_free(&characterise->values.recipes);
	free(characterise);
}

/* The share of the time of all stages before this one. */
static double share_before(const struct characterise *characterise, int stage)
{
	double share = 0;

	while (stage-- > 0)
		share += share_of(characterise, stage);
	return share;
}

static bool item_wanted(const struct characterise *characterise, const struct loop_item *item)
{
	int all = characterise->options.quick || item->kind == ITEM_MIX ? 1 : ROUNDS_ALL;

	if (item->visits > (unsigned)characterise->round ||
		(characterise->round >= ROUNDS &&
			evaluate_loop(&characterise->values, item->kernel).known))
		return false;
	return characterise->round < all ||
	       !evaluate_is_settled(&characterise->values, item->kernel) ||
	       (item->visits < VISITS_UNLIKELY &&
		       !evaluate_is_plausible(&characterise->values, item));
}

/* Whether every loop of the stage has a plausible value. */
static bool all_known(const struct characterise *characterise)
{
	for (int i = characterise->first; i < characterise->item_count; i++)
		if (!evaluate_is_plausible(&characterise->values, &characterise->items[i]))
			return false;
	return true;
}

/* Whether the share of this stage and the earlier ones is over. A stage keeps all the time if later
 * ones depend on a value that is still unknown. */
static bool stage_late(const struct characterise *characterise)
{
	double seconds = characterise->report.seconds, most = characterise->options.seconds,
	       share = share_before(characterise, (int)characterise->stage + 1);

	if (characterise->options.classes && seconds > share * most && !all_known(characterise))
		share = 1;
	return seconds > share * most &&
	       (characterise->round >= 1 || characterise->stage == CHARACTERISE_PORTS);
}

static bool any_wanted(const struct characterise *characterise)
{
	for (int i = characterise->first; i < characterise->item_count; i++)
		if (item_wanted(characterise, &characterise->items[i]))
			return true;
	return false;
}

/* ---- requests */

static void show_progress(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;
	double before = share_before(characterise, (int)characterise->stage),
	       here = share_of(characterise, (int)characterise->stage), part = 0;
	int count = characterise->item_count - characterise->first;

	if (characterise->inner)
		part = characterise->inner_done;
	else if (characterise->stage == CHARACTERISE_PORTS)
		part = fmin(1, (report->seconds / characterise->options.seconds - before) / here);
	else if (count)
		part = fmin(0.99, (characterise->round + (double)characterise->item / count) /
					  (ROUNDS_ALL + 1));
	report->done = fmax(report->done, fmin(1, before + here * fmax(part, 0)));
}

/* ---- measuring */

static bool stopped(const struct characterise *characterise)
{
	return measurer_stopped(characterise->visits.measurer);
}

static double elapsed(const struct characterise *characterise)
{
	return measurer_now(characterise->visits.measurer) - characterise->begin;
}

/* Notes the final result of a visit. */
static void note_result(struct characterise *characterise, const struct result *result)
{
	struct characterise_report *report = &characterise->report;

	report->visits++;
	if (result->trials.count) {
		report->cycles_from = result->facts.cycles_from;
		report->cpu = result->facts.cpu;
	}
	report->seconds = elapsed(characterise);
	show_progress(characterise);
}

static bool wanted(void *context, unsigned index)
{
	const struct characterise *characterise = context;

	return item_wanted(characterise, &characterise->items[characterise->first + (int)index]);
}

static bool late(void *context)
{
	struct characterise *characterise = context;

	characterise->report.seconds = elapsed(characterise);
	return stage_late(characterise);
}

static void ask(void *context, unsigned index, struct request *request)
{
	struct characterise *characterise = context;
	struct characterise_report *report = &characterise->report;
	const struct loop_item *item = &characterise->items[characterise->first + (int)index];

	characterise->item = (int)index;
	*request = (struct request){ .kernel = item->kernel,
		.seed = characterise->options.seed,
		.budget = { .seconds = VISIT, .quiet_wanted = QUIET, .patience = PATIENCE } };
	if (item->visits > 0 && evaluate_is_wide(item->kernel) &&
		!evaluate_is_plausible(&characterise->values, item))
		request->budget = (struct budget){
			.seconds = VISIT_WIDE, .quiet_wanted = QUIET_WIDE, .patience = PATIENCE_WIDE
		};
	report->stage = characterise->stage;
	snprintf(report->doing, sizeof(report->doing), "ports: %d mixes",
		report->measured.mix_count + item->of + 1);
	if (item->kind != ITEM_MIX)
		memcpy(report->doing,
			recipes_words(&characterise->values.recipes, item->kind, item->of).text,
			sizeof(report->doing));
}

/* The median clock of a visit with enough quiet trials; else 0. */
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
	struct characterise *characterise = context;
	struct loop_item *item = &characterise->items[characterise->first + (int)index];
	struct setting setting = { .kernel = item->kernel };
	struct cell *cell = cells_get(characterise->values.cells, &setting, true);

	(void)seconds;
	if (evaluate_is_wide(item->kernel))
		characterise->values.wide_ghz =
			fmax(characterise->values.wide_ghz, median_ghz(&result->trials));
	cell_visit(cell, result, QUIET, PRECISION, UINT32_MAX);
	if (result->status.code != STATUS_CANCELLED)
		item->visits++;
	if (!status_is_ok(&cell->failure))
		add_note(
			characterise, "%s: %.120s", characterise->report.doing, cell->failure.text);
	note_result(characterise, result);
}

/* Visits the items in rounds, at most `rounds`, until all values are known or the time is over. */
static void measure_items(struct characterise *characterise, int rounds)
{
	struct visits *visits = &characterise->visits;

	visits->count = (unsigned)(characterise->item_count - characterise->first);
	for (characterise->round = 0; characterise->round < rounds && !stopped(characterise) &&
				      any_wanted(characterise) && !late(characterise);
		characterise->round++)
		visits_round(visits);
}

/* ---- the stages */

static void measure_classes(struct characterise *characterise)
{
	recipes_each(&characterise->values.recipes, add_loop, characterise);
	measure_items(characterise, INT_MAX);
}

static void measure_slots(struct characterise *characterise)
{
	add_slots(characterise);
	measure_items(characterise, INT_MAX);
}

/* Reports the requests and results of the probe and of the windows. */
static void watch(void *context, const struct result *result)
{
	struct characterise *characterise = context;
	struct characterise_report *report = &characterise->report;
	struct campaign_state state = campaign_state(characterise->inner);

	if (!result) {
		snprintf(report->doing, sizeof(report->doing), "%s", state.doing);
		report->stage = characterise->stage;
		return;
	}
	characterise->inner_done = state.done;
	note_result(characterise, result);
}

static void measure_inner(struct characterise *characterise, const struct campaign *inner)
{
	struct measurer measurer = *characterise->visits.measurer;

	measurer.ahead = 1;
	measurer.watch = watch;
	measurer.watcher = characterise;
	characterise->inner = inner;
	characterise->inner_done = 0;
	inner->kind->measure(inner->self, &measurer);
	characterise->inner = NULL;
}

static void measure_caches(struct characterise *characterise)
{
	struct probe_options options = { .parts = 1u << PROBE_LATENCY | 1u << PROBE_TLB |
						  1u << PROBE_BANDWIDTH,
		.max_size = CACHES_SIZE,
		.seed = characterise->options.seed,
		.seconds = SECONDS_CACHES };
	struct status status;
	struct probe *probe = probe_new(characterise->report.machine, &options, &status);

	if (!probe) {
		add_note(characterise, "caches: %.160s", status.text);
		return;
	}
	measure_inner(characterise, &(struct campaign){ &campaign_probe, probe });
	evaluate_caches(&characterise->report.measured, probe_report(probe));
	probe_free(probe);
}

/* Fillers whose buffers have a `size` line. */
static const unsigned window_kinds = 1u << WINDOW_NOP | 1u << WINDOW_ADD | 1u << WINDOW_VECTOR |
				     1u << WINDOW_LOAD | 1u << WINDOW_STORE | 1u << WINDOW_BRANCH |
				     1u << WINDOW_WAIT;

static void measure_windows(struct characterise *characterise)
{
	struct windows_options options = { .seed = characterise->options.seed,
		.fillers = window_kinds,
		.seconds = SECONDS_WINDOWS };
	const struct kernel *kernel = kernel_find(WINDOWS_KERNEL);
	struct windows *windows;
	struct status status;

	if (!kernel)
		return;
	setting_init(&options.setting, kernel);
	windows = windows_new(characterise->report.machine, &options, &status);
	if (!windows) {
		add_note(characterise, "windows: %.160s", status.text);
		return;
	}
	measure_inner(characterise, &(struct campaign){ &campaign_windows, windows });
	evaluate_windows(&characterise->report.measured, windows_report(windows));
	windows_free(windows);
}

/* The core may have been busy during the first stages. Measures the missing classes and slots once
 * more, because ports follow from them. */
static void measure_again(struct characterise *characterise)
{
	for (int pass = 0; pass < 2; pass++) {
		if (stopped(characterise) || late(characterise))
			return;
		characterise->again = true;
		if (pass == 0)
			recipes_each(&characterise->values.recipes, add_loop, characterise);
		else
			add_slots(characterise);
		characterise->again = false;
		measure_items(characterise, ROUNDS_MIX);
		for (int i = characterise->first; i < characterise->item_count; i++) {
			const struct loop_item *item = &characterise->items[i];

			if (!evaluate_loop(&characterise->values, item->kernel).known)
				continue;
			characterise->report.unmeasured -= characterise->report.unmeasured > 0;
			if (item->kind == ITEM_SLOTS || item->kind == ITEM_FACT_SLOTS)
				characterise->items[characterise->first++] = *item;
		}
		characterise->item_count = characterise->first;
		evaluate(characterise);
	}
}

static void find_mixes(void *context)
{
	struct characterise *characterise = context;

	characterise->next_count =
		measured_next(&characterise->report.measured, characterise->next, MIX_BATCH);
}

/* Visits without a quiet core after which a mix counts as not measurable. */
enum { VISITS_MIX = 24 };

/* Whether a later batch measures the loop again. */
static bool comes_back(const struct characterise *characterise, const struct kernel *kernel)
{
	const struct cell *cell = evaluate_cell(&characterise->values, kernel);

	return !evaluate_loop(&characterise->values, kernel).known &&
	       !has_failed(characterise, kernel) && (!cell || cell->visits < VISITS_MIX);
}

/* Adds the batch to the measured mixes. A mix without a loop has no cycles. */
static void keep_mixes(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;
	int next = characterise->first;

	for (int i = 0; i < characterise->next_count; i++) {
		struct measured_mix *mix = &characterise->next[i];
		const struct loop_item *item = &characterise->items[next];

		if (next < characterise->item_count && item->of == i) {
			next++;
			mix->cycles = evaluate_loop(&characterise->values, item->kernel);
			if (comes_back(characterise, item->kernel))
				continue;
		}
		measured->mix[measured->mix_count++] = *mix;
	}
	characterise->item_count = characterise->first;
}

/* Measures mixes until no mix adds information. An interrupted search has no result. */
static void measure_ports(struct characterise *characterise)
{
	const struct measured *measured = &characterise->report.measured;

	measure_again(characterise);
	while (!stopped(characterise) && !late(characterise) &&
		measured->mix_count + MIX_BATCH <= MEASURED_MIXES) {
		characterise->next_count = 0;
		if (!measurer_compute(characterise->visits.measurer, find_mixes, characterise) ||
			stopped(characterise) || characterise->next_count == 0)
			return;
		for (int i = 0; i < characterise->next_count; i++)
			add(characterise, ITEM_MIX, i,
				loop_of_mix(&characterise->values.recipes, measured,
					&characterise->next[i]),
				0);
		measure_items(characterise, ROUNDS_MIX);
		keep_mixes(characterise);
	}
}

/* The stages, and their shares of the time: of all, and where the user named classes. */
static const struct {
	const char *name;
	double share, share_classes;
	void (*measure)(struct characterise *characterise);
} stages[CHARACTERISE_STAGES] = {
	[CHARACTERISE_CLASSES] = { "classes", 0.28, 0.6, measure_classes },
	[CHARACTERISE_SLOTS] = { "slots", 0.16, 0.4, measure_slots },
	[CHARACTERISE_CACHES] = { "caches", 0.15, 0, measure_caches },
	[CHARACTERISE_WINDOWS] = { "windows", 0.06, 0, measure_windows },
	[CHARACTERISE_PORTS] = { "ports", 0.35, 0, measure_ports },
};

static double share_of(const struct characterise *characterise, int stage)
{
	return characterise->options.classes ? stages[stage].share_classes : stages[stage].share;
}

/* Counts the loops of the stage, and keeps those for slots. */
static void keep_items(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;

	for (int i = characterise->first; i < characterise->item_count; i++) {
		const struct loop_item *item = &characterise->items[i];

		report->loops++;
		report->unmeasured += !evaluate_loop(&characterise->values, item->kernel).known &&
				      !has_failed(characterise, item->kernel);
		if (item->kind == ITEM_SLOTS || item->kind == ITEM_FACT_SLOTS)
			characterise->items[characterise->first++] = *item;
	}
	characterise->item_count = characterise->first;
}

static void find_ports(void *context)
{
	struct characterise *characterise = context;

	measured_find_ports(&characterise->report.measured, &characterise->report.ports);
}

/* Computes the report from all measurements. */
static void conclude(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;

	report->doing[0] = '\0';
	report->seconds = elapsed(characterise);
	evaluate(characterise);
	if (report->unmeasured > 0 && report->unmeasured == report->loops)
		add_note(characterise,
			"core %d was never quiet in %.0f s: another process uses it, or its "
			"hyper-thread: try another core, or try again later",
			report->cpu, report->seconds);
	else if (report->unmeasured > 0)
		add_note(characterise,
			"%d of %d loops never ran on a quiet core: their values are missing",
			report->unmeasured, report->loops);
	if (report->measured.width.known && report->measured.mix_count > 0)
		report->ported =
			measurer_compute(characterise->visits.measurer, find_ports, characterise);
}

void characterise_measure(struct characterise *characterise, const struct measurer *measurer)
{
	struct characterise_report *report = &characterise->report;

	characterise->visits = (struct visits){ .measurer = measurer,
		.context = characterise,
		.repeat = true,
		.wanted = wanted,
		.late = late,
		.ask = ask,
		.accept = accept };
	characterise->begin = measurer_now(measurer);
	for (int stage = 0; stage < CHARACTERISE_STAGES && !stopped(characterise); stage++) {
		characterise->stage = (enum characterise_stage)stage;
		characterise->round = characterise->item = 0;
		if (share_of(characterise, stage) > 0 &&
			!(characterise->options.quick && stage == CHARACTERISE_PORTS))
			stages[stage].measure(characterise);
		if (stopped(characterise))
			break;
		keep_items(characterise);
		evaluate(characterise);
	}
	report->complete = !stopped(characterise);
	if (report->complete)
		report->done = 1;
	conclude(characterise);
	visits_free(&characterise->visits);
}

const struct characterise_report *characterise_report(const struct characterise *characterise)
{
	return &characterise->report;
}

struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch)
{
	measured_write(&report->measured, &report->ports, report->name, text);
	return uarch ? uarch_parse(text_string(text), report->name, uarch) : status_ok();
}

/* ---- as a campaign ---- */

static void characterise_state(
	const struct characterise *characterise, struct campaign_state *state)
{
	const struct characterise_report *report = &characterise->report;

	state->done = report->done;
	state->stage = stages[report->stage].name;
	state->doing = report->doing;
	for (int i = 0; i < report->measured.op_count; i++)
		state->any |=
			report->measured.op[i].latency.known || report->measured.op[i].each.known;
	if (report->note_count)
		state->why = report->note[0];
}

CAMPAIGN_KIND(characterise);
