/* The loop around requests: see characterise.h. */
#include "experiment/characterise/characterise.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/campaign.h"
#include "experiment/characterise/characterise_state.h"

/* Seconds of a visit: some thirty trials of some thirty microseconds each. */
#define VISIT 0.0015

/* Quiet trials that end a visit; trials without a quiet one after which it gives up and comes back
 * later; and how well the median is to be known, relatively, for a loop to be left alone. */
enum { QUIET = 24, PATIENCE = 10 };

/* Sums and products of 512 bits are throttled for up to a millisecond whenever they come after
 * something else, and the clock is wrong behind them for a while (Redwood Cove): of the first 50
 * trials none counts. A loop of such vectors of which nothing is known after a visit gets this in
 * the next. */
#define VISIT_WIDE 0.004
enum { QUIET_WIDE = 3 * QUIET, PATIENCE_WIDE = 80 };

/* Visits that a figure is given which cannot be right. */
enum { VISITS_UNLIKELY = 6 };
#define PRECISION 0.002

/* Rounds over the loops of a stage: the first two visit all, so that each is met at two times at
 * least, the others what is not known well enough yet, as long as there is time; after so many only
 * that of which nothing is known. Of a mix one is enough where it is. */
enum { ROUNDS = 400, ROUNDS_ALL = 2, ROUNDS_MIX = 4 };

/* Seconds that all is to take, and those of the caches; and how much of the whole each stage is,
 * for progress. */
#define SECONDS	      18.0
#define SECONDS_QUICK 6.0
static const double shares[CHARACTERISE_STAGES] = { 0.28, 0.16, 0.15, 0.06, 0.35 },
		    shares_classes[CHARACTERISE_STAGES] = { 0.6, 0.4, 0, 0, 0 };

const char *const characterise_stage_names[] = { "classes", "slots", "caches", "windows", "ports",
	NULL };
_Static_assert(sizeof(characterise_stage_names) / sizeof(*characterise_stage_names) ==
		       CHARACTERISE_STAGES + 1,
	"a name for each stage");

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
			found = found || strcmp(names[k], classes[i]) == 0 ||
				(strncmp(names[k], classes[i], length) == 0 &&
					names[k][length] == '.');
		if (found)
			continue;
		nearest_names(classes[i], names, (size_t)recipes.class_count, near, sizeof(near));
		status = status_make(STATUS_USAGE,
			"no class \"%.40s\" can be measured on this machine%s%s%s", classes[i],
			*near ? "; did you mean " : "; \"slexplore explain\" names those of a loop",
			near, *near ? "?" : "");
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
	characterise->next = memory_new(MIX_BATCH, sizeof(*characterise->next));
	characterise->nop = -1;
	name_ops(characterise);
	figures_identity(&characterise->report);
	return characterise;
}

void characterise_free(struct characterise *characterise)
{
	if (!characterise)
		return;
	cells_free(characterise->cells);
	recipes_free(&characterise->recipes);
	free(characterise->items);
	free(characterise->all);
	free(characterise->next);
	free(characterise);
}

static double share_of(const struct characterise *characterise, int stage)
{
	return characterise->options.classes ? shares_classes[stage] : shares[stage];
}

static bool item_wanted(const struct characterise *characterise, const struct item *item)
{
	int all = characterise->options.quick || item->kind == ITEM_MIX ? 1 : ROUNDS_ALL;

	if (item->visits > (unsigned)characterise->round ||
		(characterise->round >= ROUNDS && figure_of(characterise, item->kernel).known))
		return false;
	return characterise->round < all || !figure_settled(characterise, item->kernel) ||
	       (item->visits < VISITS_UNLIKELY && !figure_likely(characterise, item));
}

/* Of the loops of this stage. */
static bool all_known(const struct characterise *characterise)
{
	for (int i = 0; i < characterise->item_count; i++)
		if (!figure_likely(characterise, &characterise->items[i]))
			return false;
	return true;
}

/* Of the time that there is, what this stage and those before it may take: all, where what comes
 * after rests on what is not known yet. */
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

static void say_doing(struct characterise *characterise, const struct item *item)
{
	struct characterise_report *report = &characterise->report;

	if (item->kind == ITEM_MIX)
		snprintf(report->doing, sizeof(report->doing), "ports: %d mixes",
			report->measured.mix_count + item->of + 1);
	else
		recipes_words(&characterise->recipes, item->kind, item->of, report->doing,
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

/* The final result of any visit. */
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
	const struct item *item = &characterise->items[index];

	characterise->item = (int)index;
	*request = (struct request){ .kernel = item->kernel,
		.seed = characterise->options.seed,
		.budget = { .seconds = VISIT, .quiet_wanted = QUIET, .patience = PATIENCE } };
	if (item->visits > 0 && figure_wide(item->kernel) && !figure_likely(characterise, item))
		request->budget = (struct budget){
			.seconds = VISIT_WIDE, .quiet_wanted = QUIET_WIDE, .patience = PATIENCE_WIDE
		};
	say_doing(characterise, item);
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

static void accept(void *context, unsigned index, const struct result *result, double seconds)
{
	struct characterise *characterise = context;
	struct item *item = &characterise->items[index];
	struct setting setting = { .kernel = item->kernel };
	struct cell *cell = cells_get(characterise->cells, &setting, true);

	(void)seconds;
	if (figure_wide(item->kernel))
		characterise->wide_ghz = fmax(characterise->wide_ghz, median_ghz(&result->trials));
	cell_visit(cell, result, QUIET, PRECISION, UINT32_MAX);
	if (result->status.code != STATUS_CANCELLED)
		item->visits++;
	if (!status_is_ok(&cell->failure))
		characterise_note(
			characterise, "%s: %.120s", characterise->report.doing, cell->failure.text);
	note_result(characterise, result);
}

/* Visits the items in rounds, until so many, or all of them are known, or their time is over. */
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

/* The measurer of the probe and the windows that are part of this: their requests go on to the
 * outer one. */

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
	struct probe *probe = characterise_caches(characterise);

	if (!probe)
		return;
	measure_inner(characterise, &(struct campaign){ &campaign_probe, probe });
	figures_caches(characterise, probe_report(probe));
	probe_free(probe);
}

static void measure_windows(struct characterise *characterise)
{
	struct windows *windows = characterise_windows(characterise);

	if (!windows)
		return;
	measure_inner(characterise, &(struct campaign){ &campaign_windows, windows });
	figures_windows(characterise, windows_report(windows));
	windows_free(windows);
}

/* ---- the whole */

/* Asks for mixes until none tells anything new. */
static void measure_ports(struct characterise *characterise)
{
	do {
		characterise->item_count = characterise->item = characterise->round = 0;
		if (!stopped(characterise) && !late(characterise))
			characterise_add_mixes(characterise);
		measure_items(characterise, ROUNDS_MIX);
		characterise_take_mixes(characterise);
	} while (characterise->item_count && !stopped(characterise));
}

static void find_ports(void *context)
{
	struct characterise *characterise = context;

	measured_find_ports(&characterise->report.measured, &characterise->report.ports);
}

/* Whatever was measured becomes the report. */
static void conclude(struct characterise *characterise)
{
	struct characterise_report *report = &characterise->report;

	report->doing[0] = '\0';
	report->seconds = elapsed(characterise);
	figures_fill(characterise);
	if (report->unmeasured > 0 && report->unmeasured == report->loops)
		characterise_note(characterise,
			"core %d was never quiet in %.0f s: something else uses it, or the "
			"processor beside it; another core may be free, or this one later",
			report->cpu, report->seconds);
	else if (report->unmeasured > 0)
		characterise_note(characterise,
			"%d of %d loops did not find the core quiet often enough in the time there "
			"was: what they are for is left out",
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
			characterise_add_loops(characterise);
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
		characterise_keep_items(characterise);
		figures_fill(characterise);
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
