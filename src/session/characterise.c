/* The loop around requests: see characterise.h. */
#include "session/characterise.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/stats.h"
#include "session/characterise_state.h"

/* Seconds of a visit: some thirty trials of some thirty microseconds each. */
#define VISIT 0.0015

/* Quiet trials that end a visit; trials without a quiet one after which it gives up and comes back later; and how well the median is to be known,
 * relatively, for a loop to be left alone. */
enum { QUIET = 24, PATIENCE = 10 };
#define PRECISION 0.002

/* Rounds over the loops of a stage: the first two visit all, so that each is met at two times at least, the others what is not known well enough yet,
 * as long as there is time. Of a mix one is enough where it is. */
enum { ROUNDS = 400, ROUNDS_ALL = 2, ROUNDS_MIX = 4 };

/* Mixes asked for at a time. */
enum { BATCH = 48 };

/* Seconds that all is to take, and those of the caches; and how much of the whole each stage is, for progress. */
#define SECONDS 18.0
#define SECONDS_QUICK 6.0
#define SECONDS_CACHES 2.5
static const double shares[CHARACTERISE_STAGES] = { 0.28, 0.16, 0.15, 0.06, 0.35 }, shares_classes[CHARACTERISE_STAGES] = { 0.6, 0.4, 0, 0, 0 };

/* The largest working set of the caches' stage: beyond any second cache. */
#define CACHES_SIZE (UINT64_C(16) << 20)

/* Nops beside what slots are asked of: so many that the width binds, whatever else does. */
#define NOPS_OVER 1.6
enum { NOPS_MOST = 360 };

const char *const characterise_stage_names[] = { "classes", "slots", "caches", "windows", "ports", NULL };
_Static_assert(sizeof(characterise_stage_names) / sizeof(*characterise_stage_names) == CHARACTERISE_STAGES + 1, "a name for each stage");

static void note(struct characterise *characterise, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct characterise *characterise, const char *format, ...)
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

/* ---- beginning */

/* A name that nothing in the data file has. */
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
			found = found || strcmp(names[k], classes[i]) == 0 || (strncmp(names[k], classes[i], length) == 0 && names[k][length] == '.');
		if (found)
			continue;
		nearest_names(classes[i], names, (size_t)recipes.class_count, near, sizeof(near));
		status = status_make(STATUS_USAGE, "no class \"%.40s\" can be measured on this machine%s%s%s", classes[i], *near ? "; did you mean " :
			"; \"slexplore explain\" names those of a loop", near, *near ? "?" : "");
	}
	recipes_free(&recipes);
	return status;
}

static void name_ops(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;

	for (int i = 0; i < characterise->recipes.class_count; i++) {
		struct class_recipe *recipe = &characterise->recipes.classes[i];
		struct measured_op *op = &measured->op[measured->op_count];

		recipe->op = measured->op_count++;
		memcpy(op->name, recipe->name, sizeof(op->name));
		memcpy(op->load, recipe->load, sizeof(op->load));
		memcpy(op->store, recipe->store, sizeof(op->store));
	}
}

struct characterise *characterise_new(const struct machine *machine, const struct characterise_options *options, struct status *status)
{
	struct characterise *characterise;

	*status = options->classes ? check_names(options->classes) : status_ok();
	if (!status_is_ok(status))
		return NULL;
	characterise = memory_new(1, sizeof(*characterise));
	*status = recipes_load(options->classes, &characterise->recipes);
	if (!status_is_ok(status)) {
		free(characterise);
		return NULL;
	}
	characterise->options = *options;
	if (characterise->options.seconds <= 0)
		characterise->options.seconds = options->quick ? SECONDS_QUICK : SECONDS;
	characterise->report.machine = machine;
	characterise->cells = cells_new();
	characterise->items = memory_new(ITEMS, sizeof(*characterise->items));
	characterise->all = memory_new(ITEMS, sizeof(*characterise->all));
	characterise->next = memory_new(BATCH, sizeof(*characterise->next));
	characterise->nop = -1;
	name_ops(characterise);
	figures_identity(&characterise->report);
	return characterise;
}

void characterise_free(struct characterise *characterise)
{
	if (!characterise)
		return;
	probe_free(characterise->probe);
	cells_free(characterise->cells);
	recipes_free(&characterise->recipes);
	free(characterise->items);
	free(characterise->all);
	free(characterise->next);
	free(characterise);
}

/* ---- stages */

static void add(struct characterise *characterise, enum item_kind kind, int of, const struct kernel *kernel, unsigned nops)
{
	if (kernel && characterise->item_count < ITEMS)
		characterise->items[characterise->item_count++] = (struct item){ .kind = kind, .of = of, .kernel = kernel, .nops = nops };
}

static void add_loop(void *context, enum item_kind kind, int of, const struct kernel *kernel)
{
	add(context, kind, of, kernel, 0);
}

/* With nops that take half as long again as what they stand beside, alone. */
static void add_slots_of(struct characterise *characterise, enum item_kind kind, int of, const struct kernel *kernel)
{
	double width = characterise->report.measured.width.value;
	struct figure alone = figure_of(characterise, kernel);
	unsigned nops;

	if (!alone.known || !characterise->report.measured.width.known)
		return;
	nops = (unsigned)ceil(width * fmax(1, alone.value) * NOPS_OVER);
	if (nops <= NOPS_MOST)
		add(characterise, kind, of, loop_with_nops(kernel, characterise->recipes.width[characterise->nop], nops), nops);
}

static void add_slots(struct characterise *characterise)
{
	const struct recipes *recipes = &characterise->recipes;

	for (int i = 0; i < recipes->class_count; i++)
		if (*recipes->classes[i].free)
			add_slots_of(characterise, ITEM_SLOTS, i, loop_of_each(&recipes->classes[i]));
	for (int i = 0; i < recipes->fact_count; i++)
		if (recipes->facts[i].how == HOW_SLOTS)
			add_slots_of(characterise, ITEM_FACT_SLOTS, i, loop_of_fact(&recipes->facts[i], false));
}

static void begin_caches(struct characterise *characterise)
{
	const struct machine *machine = characterise->report.machine;
	struct probe_options options = { .parts = 1u << PROBE_LATENCY | 1u << PROBE_TLB | 1u << PROBE_BANDWIDTH, .max_size = CACHES_SIZE,
		.seed = characterise->options.seed, .seconds = SECONDS_CACHES };
	struct status status;

	characterise->probe = probe_new(machine, &options, &status);
	if (!characterise->probe)
		note(characterise, "caches: %.160s", status.text);
}

/* Answers what the last batch asked, and asks for the next. */
static void take_mixes(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;

	for (int i = 0; i < characterise->item_count; i++) {
		const struct item *item = &characterise->items[i];
		struct measured_mix *mix = &characterise->next[item->of];

		mix->cycles = figure_of(characterise, item->kernel);
	}
	for (int i = 0; i < BATCH && characterise->next[i].count > 0 && measured->mix_count < MEASURED_MIXES; i++)
		measured->mix[measured->mix_count++] = characterise->next[i];
	memset(characterise->next, 0, BATCH * sizeof(*characterise->next));
}

static void add_mixes(struct characterise *characterise)
{
	struct measured *measured = &characterise->report.measured;
	int count = measured->mix_count + BATCH <= MEASURED_MIXES ? measured_next(measured, characterise->next, BATCH) : 0;

	for (int i = 0; i < count; i++)
		add(characterise, ITEM_MIX, i, loop_of_mix(&characterise->recipes, measured, &characterise->next[i]), 0);
	/* None that could be made: they are answered all the same. */
	if (count > 0 && characterise->item_count == 0) {
		take_mixes(characterise);
		add_mixes(characterise);
	}
}

static void keep_items(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;

	for (int i = 0; i < characterise->item_count; i++) {
		struct setting setting = { .kernel = characterise->items[i].kernel };
		const struct cell *cell = cells_get(characterise->cells, &setting, false);
		struct figure figure = figure_of(characterise, setting.kernel);

		report->loops++;
		/* Why others failed, a note of their own says. */
		report->unmeasured += !figure.known && !(cell && !status_is_ok(&cell->failure));
	}
	for (int i = 0; i < characterise->item_count && characterise->all_count < ITEMS; i++)
		if (characterise->items[i].kind == ITEM_SLOTS || characterise->items[i].kind == ITEM_FACT_SLOTS)
			characterise->all[characterise->all_count++] = characterise->items[i];
	characterise->item_count = characterise->item = characterise->round = 0;
}

/* Whether another stage has begun; false: that was the last. */
static bool begin_stage(struct characterise *characterise)
{
	bool all = !characterise->options.classes;

	characterise->item_count = characterise->item = characterise->round = 0;
	switch (characterise->stage) {
	case CHARACTERISE_CLASSES:
		recipes_each(&characterise->recipes, add_loop, characterise);
		return true;
	case CHARACTERISE_SLOTS:
		add_slots(characterise);
		return true;
	case CHARACTERISE_CACHES:
		if (all)
			begin_caches(characterise);
		return true;
	case CHARACTERISE_WINDOWS:
		return true;
	case CHARACTERISE_PORTS:
		if (all && !characterise->options.quick)
			add_mixes(characterise);
		return true;
	case CHARACTERISE_STAGES:
		break;
	}
	return false;
}

static double share_of(const struct characterise *characterise, int stage)
{
	return characterise->options.classes ? shares_classes[stage] : shares[stage];
}

static bool item_wanted(const struct characterise *characterise, const struct item *item)
{
	int all = characterise->options.quick || item->kind == ITEM_MIX ? 1 : ROUNDS_ALL;

	if (item->visits > (unsigned)characterise->round)
		return false;
	return characterise->round < all || !figure_settled(characterise, item->kernel);
}

/* Of the time that there is, what this stage and those before it may take. */
static bool stage_late(const struct characterise *characterise)
{
	double share = 0;

	for (int i = 0; i <= (int)characterise->stage && i < CHARACTERISE_STAGES; i++)
		share += share_of(characterise, i);
	return characterise->report.seconds > share * characterise->options.seconds && (characterise->round >= 1 ||
		characterise->stage == CHARACTERISE_PORTS);
}

static bool any_wanted(const struct characterise *characterise)
{
	for (int i = 0; i < characterise->item_count; i++)
		if (item_wanted(characterise, &characterise->items[i]))
			return true;
	return false;
}

/* The next loop to visit, over rounds and stages. */
static struct item *next_item(struct characterise *characterise)
{
	for (;;) {
		while (characterise->item < characterise->item_count && !stage_late(characterise)) {
			struct item *item = &characterise->items[characterise->item];

			if (item_wanted(characterise, item))
				return item;
			characterise->item++;
		}
		if (characterise->probe)
			return NULL;
		if (characterise->item_count && ++characterise->round < (characterise->stage == CHARACTERISE_PORTS ? ROUNDS_MIX : ROUNDS) && any_wanted(characterise) && !stage_late(characterise)) {
			characterise->item = 0;
			continue;
		}
		if (characterise->stage == CHARACTERISE_PORTS && characterise->item_count) {
			take_mixes(characterise);
			characterise->item_count = characterise->item = characterise->round = 0;
			if (!stage_late(characterise))
				add_mixes(characterise);
			if (characterise->item_count)
				continue;
		}
		keep_items(characterise);
		figures_fill(characterise);
		if (characterise->stage < CHARACTERISE_STAGES)
			characterise->stage++;
		if (!begin_stage(characterise))
			return NULL;
		if (characterise->probe)
			return NULL;
	}
}

/* ---- requests */

static void say_doing(struct characterise *characterise, const struct item *item)
{
	struct characterise_report *report = &characterise->report;

	if (item->kind == ITEM_MIX)
		snprintf(report->doing, sizeof(report->doing), "ports: %d mixes", report->measured.mix_count + item->of + 1);
	else
		recipes_words(&characterise->recipes, item->kind, item->of, report->doing, sizeof(report->doing));
	report->stage = characterise->stage < CHARACTERISE_STAGES ? characterise->stage : CHARACTERISE_PORTS;
}

static void tell_progress(struct characterise *characterise)
{
	double before = 0, here = characterise->stage < CHARACTERISE_STAGES ? share_of(characterise, (int)characterise->stage) : 0, part = 0;

	for (int i = 0; i < (int)characterise->stage && i < CHARACTERISE_STAGES; i++)
		before += share_of(characterise, i);
	if (characterise->probe)
		part = probe_report(characterise->probe)->done;
	else if (characterise->stage == CHARACTERISE_PORTS)
		part = fmin(1, (characterise->report.seconds / characterise->options.seconds - before) / here);
	else if (characterise->item_count)
		part = fmin(1, (characterise->round + (double)characterise->item / characterise->item_count) / (ROUNDS_ALL + 1));
	characterise->report.done = fmax(characterise->report.done, fmin(1, before + here * fmax(part, 0)));
}

static void finish(struct characterise *characterise, double now)
{
	struct characterise_report *report = &characterise->report;

	if (characterise->begun)
		report->seconds = now - characterise->begin;
	characterise->stopped = true;
	characterise->waiting = false;
	report->doing[0] = '\0';
	if (characterise->stage == CHARACTERISE_PORTS)
		take_mixes(characterise);
	if (characterise->probe) {
		probe_stop(characterise->probe, now);
		figures_caches(characterise, probe_report(characterise->probe));
	}
	figures_fill(characterise);
	if (report->unmeasured > 0)
		note(characterise, "%d of %d loops did not find the core quiet often enough in the time there was: what they are for is left out", report->unmeasured, report->loops);
	if (report->measured.width.known && report->measured.mix_count > 0) {
		measured_find_ports(&report->measured, &report->ports);
		report->ported = true;
	}
}

static bool next_of_probe(struct characterise *characterise, double now, struct request *request)
{
	if (probe_next(characterise->probe, now, request)) {
		snprintf(characterise->report.doing, sizeof(characterise->report.doing), "%s", probe_report(characterise->probe)->doing);
		characterise->report.stage = CHARACTERISE_CACHES;
		return true;
	}
	figures_caches(characterise, probe_report(characterise->probe));
	probe_free(characterise->probe);
	characterise->probe = NULL;
	return false;
}

bool characterise_next(struct characterise *characterise, double now, struct request *request)
{
	struct item *item;

	if (characterise->stopped || characterise->waiting)
		return false;
	if (!characterise->begun) {
		characterise->begun = true;
		characterise->begin = now;
		begin_stage(characterise);
	}
	characterise->report.seconds = now - characterise->begin;
	for (;;) {
		if (characterise->probe && next_of_probe(characterise, now, request)) {
			characterise->waiting = true;
			return true;
		}
		item = next_item(characterise);
		if (item || !characterise->probe)
			break;
	}
	if (!item) {
		characterise->report.complete = true;
		characterise->report.done = 1;
		finish(characterise, now);
		return false;
	}
	*request = (struct request){ .kernel = item->kernel, .seed = characterise->options.seed,
		.budget = { .seconds = VISIT, .quiet_wanted = QUIET, .patience = PATIENCE } };
	say_doing(characterise, item);
	characterise->waiting = true;
	return true;
}

/* Of a visit in which the core was quiet often enough to tell. */
static double median_ghz(const struct trials *trials)
{
	double ghz[TRIALS_MAX];
	size_t count = 0;

	for (unsigned i = 0; i < trials->count; i++)
		if (trials->trial[i].fate == TRIAL_QUIET)
			ghz[count++] = trials->trial[i].ghz;
	return count >= PATIENCE ? stats_median(ghz, count) : 0;
}

void characterise_accept(struct characterise *characterise, double now, const struct result *result)
{
	struct characterise_report *report = &characterise->report;
	struct setting setting = { .kernel = result->kernel };
	struct item *item;
	struct cell *cell;

	if (!characterise->waiting || !result->final)
		return;
	if (characterise->probe) {
		characterise->waiting = false;
		probe_accept(characterise->probe, now, result);
	} else {
		item = &characterise->items[characterise->item];
		if (result->kernel != item->kernel)
			return;
		characterise->waiting = false;
		cell = cells_get(characterise->cells, &setting, true);
		if (figure_wide(result->kernel))
			characterise->wide_ghz = fmax(characterise->wide_ghz, median_ghz(&result->trials));
		cell_visit(cell, result, QUIET, PRECISION, UINT32_MAX);
		if (result->status.code != STATUS_CANCELLED)
			item->visits++;
		if (!status_is_ok(&cell->failure))
			note(characterise, "%s: %.120s", report->doing, cell->failure.text);
	}
	report->visits++;
	report->seconds = now - characterise->begin;
	tell_progress(characterise);
}

void characterise_lose(struct characterise *characterise)
{
	if (characterise->waiting && characterise->probe)
		probe_lose(characterise->probe);
	characterise->waiting = false;
}

void characterise_stop(struct characterise *characterise, double now)
{
	if (!characterise->stopped)
		finish(characterise, now);
}

const struct characterise_report *characterise_report(const struct characterise *characterise)
{
	return &characterise->report;
}
