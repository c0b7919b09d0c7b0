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
#include "experiment/characterise/evaluate.h"
#include "experiment/visits.h"
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

/* Seconds of the whole measurement, and the share of each stage. */
#define SECONDS	      18.0
#define SECONDS_QUICK 6.0
static const double shares[CHARACTERISE_STAGES] = { 0.28, 0.16, 0.15, 0.06, 0.35 },
		    shares_classes[CHARACTERISE_STAGES] = { 0.6, 0.4, 0, 0, 0 };

const char *const characterise_stage_names[] = { "classes", "slots", "caches", "windows", "ports",
	NULL };
_Static_assert(sizeof(characterise_stage_names) / sizeof(*characterise_stage_names) ==
		       CHARACTERISE_STAGES + 1,
	"a name for each stage");

/* Room for loops, and mixes of one batch. */
enum { ITEMS = 4096, MIX_BATCH = 48 };

struct characterise {
	struct characterise_report report;
	struct characterise_options options;
	struct evaluation values;
	enum characterise_stage stage;
	int round;
	int item_count, item;
	struct loop_item *items; /* of the current stage */
	int all_count;
	struct loop_item *all; /* of earlier stages */
	int left_out;	       /* repeated loops of earlier stages: 1 classes, 2 slots, 3 done */
	bool again;	       /* add only loops without a value */
	double begin;
	struct visits visits;		   /* over the items */
	const struct campaign *inner;	   /* the probe or the windows, while they measure */
	double inner_done;		   /* 0…1 */
	const struct result *inner_result; /* of its current request */
	struct measured_mix *next;	   /* mixes of the current batch */
	int next_count;			   /* mixes that the last search found */
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
	struct evaluation *values = &characterise->values;

	evaluate_loops(values);
	evaluate_slots(values, characterise->all, characterise->all_count);
	evaluate_slots(values, characterise->items, characterise->item_count);
}

/* ---- loops of each stage */

static void add(struct characterise *characterise, enum item_kind kind, int of,
	const struct kernel *kernel, unsigned nops)
{
	struct setting setting = { .kernel = kernel };
	const struct cell *cell = kernel && characterise->again
					  ? cells_get(characterise->values.cells, &setting, false)
					  : NULL;

	if (kernel && characterise->again &&
		(evaluate_loop(&characterise->values, kernel).known ||
			(cell && !status_is_ok(&cell->failure))))
		return;
	if (kernel && characterise->item_count < ITEMS)
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
		if (*recipes->classes[i].free)
			add_slots_of(
				characterise, ITEM_SLOTS, i, loop_of_each(&recipes->classes[i]));
	for (int i = 0; i < recipes->fact_count; i++)
		if (recipes->facts[i].how == HOW_SLOTS)
			add_slots_of(characterise, ITEM_FACT_SLOTS, i,
				loop_of_fact(&recipes->facts[i], false));
}

static struct probe *new_probe(struct characterise *characterise)
{
	const struct machine *machine = characterise->report.machine;
	struct probe_options options = { .parts = 1u << PROBE_LATENCY | 1u << PROBE_TLB |
						  1u << PROBE_BANDWIDTH,
		.max_size = CACHES_SIZE,
		.seed = characterise->options.seed,
		.seconds = SECONDS_CACHES };
	struct status status;
	struct probe *probe = probe_new(machine, &options, &status);

	if (!probe)
		add_note(characterise, "caches: %.160s", status.text);
	return probe;
}

/* Fillers whose buffers have a `size` line. */
static const enum window_kind window_kinds[] = { WINDOW_NOP, WINDOW_ADD, WINDOW_VECTOR, WINDOW_LOAD,
	WINDOW_STORE, WINDOW_BRANCH, WINDOW_WAIT };

static struct windows *new_windows(struct characterise *characterise)
{
	struct windows_options options = { .seed = characterise->options.seed,
		.seconds = SECONDS_WINDOWS };
	const struct kernel *kernel = kernel_find(WINDOWS_KERNEL);
	struct windows *windows;
	struct status status;

	if (!kernel)
		return NULL;
	setting_init(&options.setting, kernel);
	for (size_t i = 0; i < sizeof(window_kinds) / sizeof(*window_kinds); i++)
		options.fillers |= UINT64_C(1) << window_kinds[i];
	windows = windows_new(characterise->report.machine, &options, &status);
	if (!windows)
		add_note(characterise, "windows: %.160s", status.text);
	return windows;
}

/* Visits without a quiet core after which a mix counts as not measurable. */
enum { VISITS_MIX = 24 };

static bool come_back(const struct characterise *characterise, const struct loop_item *item)
{
	struct setting setting = { .kernel = item->kernel };
	const struct cell *cell = cells_get(characterise->values.cells, &setting, false);

	return !evaluate_loop(&characterise->values, item->kernel).known &&
	       (!cell || (status_is_ok(&cell->failure) && cell->visits < VISITS_MIX));
}

/* Keeps a loop that earlier stages could not measure. */
static void take_again(struct characterise *characterise, const struct loop_item *item)
{
	bool slots = item->kind == ITEM_SLOTS || item->kind == ITEM_FACT_SLOTS;

	if (!evaluate_loop(&characterise->values, item->kernel).known)
		return;
	characterise->report.unmeasured -= characterise->report.unmeasured > 0;
	if (slots && characterise->all_count < ITEMS)
		characterise->all[characterise->all_count++] = *item;
}

/* The core may have been busy during the first stages. Measures the missing classes and slots once
 * more, because ports follow from them. */
static bool add_left_out(struct characterise *characterise)
{
	while (characterise->left_out < 2 && characterise->item_count == 0) {
		if (characterise->left_out > 0)
			evaluate(characterise);
		characterise->again = true;
		if (characterise->left_out++ == 0)
			recipes_each(&characterise->values.recipes, add_loop, characterise);
		else
			add_slots(characterise);
		characterise->again = false;
	}
	if (characterise->item_count == 0 && characterise->left_out == 2) {
		characterise->left_out++;
		evaluate(characterise);
	}
	return characterise->item_count > 0;
}

static void take_mixes(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;
	bool open[MIX_BATCH] = { false };

	for (int i = 0; i < characterise->item_count; i++) {
		const struct loop_item *item = &characterise->items[i];

		if (item->kind == ITEM_MIX) {
			characterise->next[item->of].cycles =
				evaluate_loop(&characterise->values, item->kernel);
			open[item->of] = come_back(characterise, item);
		} else {
			take_again(characterise, item);
		}
	}
	for (int i = 0; i < MIX_BATCH && characterise->next[i].count > 0 &&
			measured->mix_count < MEASURED_MIXES;
		i++)
		if (!open[i])
			measured->mix[measured->mix_count++] = characterise->next[i];
	memset(characterise->next, 0, MIX_BATCH * sizeof(*characterise->next));
}

static void find_mixes(void *context)
{
	struct characterise *characterise = context;

	characterise->next_count =
		measured_next(&characterise->report.measured, characterise->next, MIX_BATCH);
}

static void add_mixes(struct characterise *characterise)
{
	const struct measured *measured = &characterise->report.measured;

	do {
		characterise->next_count = 0;
		if (add_left_out(characterise) ||
			measured->mix_count + MIX_BATCH > MEASURED_MIXES ||
			!measurer_compute(
				characterise->visits.measurer, find_mixes, characterise) ||
			measurer_stopped(characterise->visits.measurer))
			break;
		for (int i = 0; i < characterise->next_count; i++)
			add(characterise, ITEM_MIX, i,
				loop_of_mix(&characterise->values.recipes, measured,
					&characterise->next[i]),
				0);
		/* Mixes without a loop get the answer "unknown". */
		if (characterise->next_count > 0 && characterise->item_count == 0)
			take_mixes(characterise);
	} while (characterise->next_count > 0 && characterise->item_count == 0);
	/* An interrupted search has no result. */
	if (characterise->item_count == 0)
		memset(characterise->next, 0, MIX_BATCH * sizeof(*characterise->next));
}

static void keep_items(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;

	for (int i = 0; i < characterise->item_count; i++) {
		struct setting setting = { .kernel = characterise->items[i].kernel };
		const struct cell *cell = cells_get(characterise->values.cells, &setting, false);
		struct figure figure = evaluate_loop(&characterise->values, setting.kernel);

		report->loops++;
		/* A failed loop has its own note. */
		report->unmeasured += !figure.known && !(cell && !status_is_ok(&cell->failure));
	}
	for (int i = 0; i < characterise->item_count && characterise->all_count < ITEMS; i++)
		if (characterise->items[i].kind == ITEM_SLOTS ||
			characterise->items[i].kind == ITEM_FACT_SLOTS)
			characterise->all[characterise->all_count++] = characterise->items[i];
	characterise->item_count = characterise->item = characterise->round = 0;
}

static void add_loops(struct characterise *characterise)
{
	if (characterise->stage == CHARACTERISE_CLASSES)
		recipes_each(&characterise->values.recipes, add_loop, characterise);
	else
		add_slots(characterise);
}

/* ---- beginning */

/* Fails for a name that is not in the data file. */
static struct status check_names(const char *const *classes)
{
	const char *names[MEASURED_OPS + 1] = { NULL };
	struct recipes recipes;
	struct status status = recipes_load(NULL, &recipes);

	if (!status_is_ok(&status))
		return status;
	for (int i = 0; i < recipes.class_count; i++)
		names[i] = recipes.classes[i].name;
	for (int i = 0; classes[i] && status_is_ok(&status); i++) {
		size_t length = strlen(classes[i]);
		bool found = false;
		char near[128] = "";

		for (int k = 0; k < recipes.class_count; k++)
			found = found || strcmp(names[k], classes[i]) == 0 ||
				(strncmp(names[k], classes[i], length) == 0 &&
					names[k][length] == '.');
		if (found)
			continue;
		nearest_names(classes[i], names, (size_t)recipes.class_count, near, sizeof(near));
		status = status_usage("no class \"%.40s\" can be measured on this machine%s%s%s",
			classes[i],
			*near ? "; did you mean " : "; \"slexplore explain\" names those of a loop",
			near, *near ? "?" : "");
	}
	recipes_free(&recipes);
	return status;
}

static void name_ops(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;

	for (int i = 0; i < characterise->values.recipes.class_count; i++) {
		struct class_recipe *recipe = &characterise->values.recipes.classes[i];
		struct measured_op *op = &measured->op[measured->op_count];

		op->bits = recipe->bits;
		op->accesses = recipe->accesses;
		recipe->op = measured->op_count++;
		memcpy(op->name, recipe->name, sizeof(op->name));
		memcpy(op->load, recipe->load, sizeof(op->load));
		memcpy(op->store, recipe->store, sizeof(op->store));
	}
}

struct characterise *characterise_new(const struct machine *machine,
	const struct characterise_options *options, struct status *status)
{
	struct characterise *characterise;

	*status = options->classes ? check_names(options->classes) : status_ok();
	if (!status_is_ok(status))
		return NULL;
	characterise = memory_new(1, sizeof(*characterise));
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
	characterise->items = memory_new(ITEMS, sizeof(*characterise->items));
	characterise->all = memory_new(ITEMS, sizeof(*characterise->all));
	characterise->next = memory_new(MIX_BATCH, sizeof(*characterise->next));
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
	free(characterise->items);
	free(characterise->all);
	free(characterise->next);
	free(characterise);
}

static double share_of(const struct characterise *characterise, int stage)
{
	return characterise->options.classes ? shares_classes[stage] : shares[stage];
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
	for (int i = 0; i < characterise->item_count; i++)
		if (!evaluate_is_plausible(&characterise->values, &characterise->items[i]))
			return false;
	return true;
}

/* Whether the share of this stage and the earlier ones is over. A stage keeps all the time if later
 * ones depend on a value that is still unknown. */
static bool stage_late(const struct characterise *characterise)
{
	double share = 0;

	for (int i = 0; i <= (int)characterise->stage && i < CHARACTERISE_STAGES; i++)
		share += share_of(characterise, i);
	if (characterise->options.classes && share < 1 &&
		characterise->report.seconds > share * characterise->options.seconds &&
		!all_known(characterise))
		share = 1;
	return characterise->report.seconds > share * characterise->options.seconds &&
	       (characterise->round >= 1 || characterise->stage == CHARACTERISE_PORTS);
}

static bool any_wanted(const struct characterise *characterise)
{
	for (int i = 0; i < characterise->item_count; i++)
		if (item_wanted(characterise, &characterise->items[i]))
			return true;
	return false;
}

/* ---- requests */

static void say_doing(struct characterise *characterise, const struct loop_item *item)
{
	struct characterise_report *report = &characterise->report;

	if (item->kind == ITEM_MIX)
		snprintf(report->doing, sizeof(report->doing), "ports: %d mixes",
			report->measured.mix_count + item->of + 1);
	else
		recipes_words(&characterise->values.recipes, item->kind, item->of, report->doing,
			sizeof(report->doing));
	report->stage = characterise->stage < CHARACTERISE_STAGES ? characterise->stage
								  : CHARACTERISE_PORTS;
}

static void tell_progress(struct characterise *characterise)
{
	double before = 0,
	       here = characterise->stage < CHARACTERISE_STAGES
			      ? share_of(characterise, (int)characterise->stage)
			      : 0,
	       part = 0;

	for (int i = 0; i < (int)characterise->stage && i < CHARACTERISE_STAGES; i++)
		before += share_of(characterise, i);
	if (characterise->inner)
		part = characterise->inner_done;
	else if (characterise->stage == CHARACTERISE_PORTS)
		part = fmin(
			1, (characterise->report.seconds / characterise->options.seconds - before) /
				   here);
	else if (characterise->item_count)
		part = fmin(0.99, (characterise->round +
					  (double)characterise->item / characterise->item_count) /
					  (ROUNDS_ALL + 1));
	characterise->report.done =
		fmax(characterise->report.done, fmin(1, before + here * fmax(part, 0)));
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
	tell_progress(characterise);
}

static bool wanted(void *context, unsigned index)
{
	const struct characterise *characterise = context;

	return item_wanted(characterise, &characterise->items[index]);
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
	const struct loop_item *item = &characterise->items[index];

	characterise->item = (int)index;
	*request = (struct request){ .kernel = item->kernel,
		.seed = characterise->options.seed,
		.budget = { .seconds = VISIT, .quiet_wanted = QUIET, .patience = PATIENCE } };
	if (item->visits > 0 && evaluate_is_wide(item->kernel) &&
		!evaluate_is_plausible(&characterise->values, item))
		request->budget = (struct budget){
			.seconds = VISIT_WIDE, .quiet_wanted = QUIET_WIDE, .patience = PATIENCE_WIDE
		};
	say_doing(characterise, item);
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
	struct loop_item *item = &characterise->items[index];
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

	visits->count = (unsigned)characterise->item_count;
	for (characterise->round = 0; characterise->round < rounds && !stopped(characterise) &&
				      any_wanted(characterise) && !late(characterise);
		characterise->round++)
		visits_round(visits);
}

/* ---- caches and windows */

/* The probe and the windows measure through this measurer, which passes their requests to the outer
 * one. */

static void inner_submit(void *context, const struct request *request, struct result *result)
{
	struct characterise *characterise = context;
	const struct measurer *outer = characterise->visits.measurer;

	snprintf(characterise->report.doing, sizeof(characterise->report.doing), "%s",
		campaign_state(characterise->inner).doing);
	characterise->report.stage = characterise->stage;
	characterise->inner_result = result;
	outer->submit(outer->context, request, result);
}

static bool inner_await(void *context)
{
	struct characterise *characterise = context;
	const struct measurer *outer = characterise->visits.measurer;

	if (!outer->await(outer->context))
		return false;
	characterise->inner_done = campaign_state(characterise->inner).done;
	note_result(characterise, characterise->inner_result);
	return true;
}

static bool inner_answered(void *context)
{
	const struct measurer *outer = ((struct characterise *)context)->visits.measurer;

	return outer->answered(outer->context);
}

static bool inner_stopped(void *context)
{
	return stopped(context);
}

static double inner_now(void *context)
{
	return measurer_now(((struct characterise *)context)->visits.measurer);
}

static void measure_inner(struct characterise *characterise, const struct campaign *inner)
{
	const struct measurer measurer = { .context = characterise,
		.ahead = 1,
		.submit = inner_submit,
		.await = inner_await,
		.answered = inner_answered,
		.stopped = inner_stopped,
		.now = inner_now };

	characterise->inner = inner;
	characterise->inner_done = 0;
	inner->kind->measure(inner->self, &measurer);
	characterise->inner = NULL;
}

static void measure_caches(struct characterise *characterise)
{
	struct probe *probe = new_probe(characterise);

	if (!probe)
		return;
	measure_inner(characterise, &(struct campaign){ &campaign_probe, probe });
	evaluate_caches(&characterise->report.measured, probe_report(probe));
	probe_free(probe);
}

static void measure_windows(struct characterise *characterise)
{
	struct windows *windows = new_windows(characterise);

	if (!windows)
		return;
	measure_inner(characterise, &(struct campaign){ &campaign_windows, windows });
	evaluate_windows(&characterise->report.measured, windows_report(windows));
	windows_free(windows);
}

/* ---- the whole */

/* Measures mixes until no mix adds information. */
static void measure_ports(struct characterise *characterise)
{
	do {
		characterise->item_count = characterise->item = characterise->round = 0;
		if (!stopped(characterise) && !late(characterise))
			add_mixes(characterise);
		measure_items(characterise, ROUNDS_MIX);
		take_mixes(characterise);
	} while (characterise->item_count && !stopped(characterise));
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
	bool all = !characterise->options.classes;

	characterise->visits = (struct visits){ .measurer = measurer,
		.context = characterise,
		.repeat = true,
		.wanted = wanted,
		.late = late,
		.ask = ask,
		.accept = accept };
	characterise->begin = measurer_now(measurer);
	for (characterise->stage = CHARACTERISE_CLASSES;
		characterise->stage < CHARACTERISE_STAGES && !stopped(characterise);
		characterise->stage++) {
		characterise->item_count = characterise->item = characterise->round = 0;
		switch (characterise->stage) {
		case CHARACTERISE_CLASSES:
		case CHARACTERISE_SLOTS:
			add_loops(characterise);
			measure_items(characterise, INT_MAX);
			break;
		case CHARACTERISE_CACHES:
			if (all)
				measure_caches(characterise);
			break;
		case CHARACTERISE_WINDOWS:
			if (all)
				measure_windows(characterise);
			break;
		case CHARACTERISE_PORTS:
		case CHARACTERISE_STAGES:
			if (all && !characterise->options.quick)
				measure_ports(characterise);
			break;
		}
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
	state->stage = characterise_stage_names[report->stage];
	state->doing = report->doing;
	for (int i = 0; i < report->measured.op_count; i++)
		state->any |=
			report->measured.op[i].latency.known || report->measured.op[i].each.known;
	if (report->note_count)
		state->why = report->note[0];
}

CAMPAIGN_KIND(characterise);
