/* The loop around requests: see characterise.h. */
#include "experiment/characterise/characterise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/job.h"
#include "base/nearest.h"
#include "base/stats.h"
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
	job_end(characterise->job);
	probe_free(characterise->probe);
	windows_free(characterise->windows);
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
		if (characterise->probe || characterise->windows || characterise->job)
			return NULL;
		if (characterise->item_count &&
			(++characterise->round < ROUNDS_MIX ||
				characterise->stage != CHARACTERISE_PORTS) &&
			any_wanted(characterise) && !stage_late(characterise)) {
			characterise->item = 0;
			continue;
		}
		if (characterise->stage == CHARACTERISE_PORTS && characterise->item_count) {
			characterise_take_mixes(characterise);
			characterise->item_count = characterise->item = characterise->round = 0;
			if (!stage_late(characterise))
				characterise_add_mixes(characterise);
			if (characterise->item_count)
				continue;
			if (characterise->job)
				return NULL;
		}
		characterise_keep_items(characterise);
		figures_fill(characterise);
		if (characterise->stage < CHARACTERISE_STAGES)
			characterise->stage++;
		if (!characterise_begin_stage(characterise))
			return NULL;
		if (characterise->probe || characterise->windows || characterise->job)
			return NULL;
	}
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
	if (characterise->probe)
		part = probe_report(characterise->probe)->done;
	else if (characterise->windows)
		part = windows_report(characterise->windows)->done;
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

static void find_ports(void *context)
{
	struct characterise *characterise = context;

	measured_find_ports(&characterise->report.measured, &characterise->report.ports);
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
		characterise_take_mixes(characterise);
	if (characterise->probe) {
		probe_stop(characterise->probe, now);
		figures_caches(characterise, probe_report(characterise->probe));
	}
	if (characterise->windows) {
		windows_stop(characterise->windows, now);
		figures_windows(characterise, windows_report(characterise->windows));
	}
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
	if (!report->measured.width.known || report->measured.mix_count == 0)
		return;
	if (characterise->options.background_explain) {
		characterise->concluding = true;
		characterise->job = job_begin(find_ports, characterise);
		return;
	}
	find_ports(characterise);
	report->ported = true;
}

/* What a job has found, once it is over. */
static void take_job(struct characterise *characterise)
{
	if (!characterise->job || !job_over(characterise->job))
		return;
	job_end(characterise->job);
	characterise->job = NULL;
	if (characterise->concluding) {
		characterise->report.ported = true;
		return;
	}
	if (!characterise->ended) {
		characterise_add_found(characterise);
		return;
	}
	/* Nobody has measured what it wanted to know. */
	memset(characterise->next, 0, MIX_BATCH * sizeof(*characterise->next));
	finish(characterise, characterise->ended_at);
}

static bool next_of_probe(struct characterise *characterise, double now, struct request *request)
{
	if (probe_next(characterise->probe, now, request)) {
		snprintf(characterise->report.doing, sizeof(characterise->report.doing), "%s",
			probe_report(characterise->probe)->doing);
		characterise->report.stage = CHARACTERISE_CACHES;
		return true;
	}
	figures_caches(characterise, probe_report(characterise->probe));
	probe_free(characterise->probe);
	characterise->probe = NULL;
	return false;
}

static bool next_of_windows(struct characterise *characterise, double now, struct request *request)
{
	if (windows_next(characterise->windows, now, request)) {
		snprintf(characterise->report.doing, sizeof(characterise->report.doing), "%s",
			windows_report(characterise->windows)->doing);
		characterise->report.stage = CHARACTERISE_WINDOWS;
		return true;
	}
	figures_windows(characterise, windows_report(characterise->windows));
	windows_free(characterise->windows);
	characterise->windows = NULL;
	return false;
}

bool characterise_next(struct characterise *characterise, double now, struct request *request)
{
	struct item *item;

	take_job(characterise);
	if (characterise->stopped || characterise->waiting || characterise->job)
		return false;
	if (!characterise->begun) {
		characterise->begun = true;
		characterise->begin = now;
		characterise_begin_stage(characterise);
	}
	characterise->report.seconds = now - characterise->begin;
	for (;;) {
		if ((characterise->probe && next_of_probe(characterise, now, request)) ||
			(characterise->windows && next_of_windows(characterise, now, request))) {
			characterise->waiting = true;
			return true;
		}
		item = next_item(characterise);
		if (characterise->job)
			return false;
		if (item || !(characterise->probe || characterise->windows))
			break;
	}
	if (!item) {
		characterise->report.complete = true;
		characterise->report.done = 1;
		finish(characterise, now);
		return false;
	}
	*request = (struct request){ .kernel = item->kernel,
		.seed = characterise->options.seed,
		.budget = { .seconds = VISIT, .quiet_wanted = QUIET, .patience = PATIENCE } };
	if (item->visits > 0 && figure_wide(item->kernel) && !figure_likely(characterise, item))
		request->budget = (struct budget){
			.seconds = VISIT_WIDE, .quiet_wanted = QUIET_WIDE, .patience = PATIENCE_WIDE
		};
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
	} else if (characterise->windows) {
		characterise->waiting = false;
		windows_accept(characterise->windows, now, result);
	} else {
		item = &characterise->items[characterise->item];
		if (result->kernel != item->kernel)
			return;
		characterise->waiting = false;
		cell = cells_get(characterise->cells, &setting, true);
		if (figure_wide(result->kernel))
			characterise->wide_ghz =
				fmax(characterise->wide_ghz, median_ghz(&result->trials));
		cell_visit(cell, result, QUIET, PRECISION, UINT32_MAX);
		if (result->status.code != STATUS_CANCELLED)
			item->visits++;
		if (!status_is_ok(&cell->failure))
			characterise_note(
				characterise, "%s: %.120s", report->doing, cell->failure.text);
	}
	report->visits++;
	if (result->trials.count) {
		report->cycles_from = result->facts.cycles_from;
		report->cpu = result->facts.cpu;
	}
	report->seconds = now - characterise->begin;
	tell_progress(characterise);
}

void characterise_lose(struct characterise *characterise)
{
	if (characterise->waiting && characterise->probe)
		probe_lose(characterise->probe);
	if (characterise->waiting && characterise->windows)
		windows_lose(characterise->windows);
	characterise->waiting = false;
}

void characterise_stop(struct characterise *characterise, double now)
{
	if (characterise->stopped)
		return;
	if (!characterise->job) {
		finish(characterise, now);
		return;
	}
	characterise->stopped = characterise->ended = true;
	characterise->ended_at = now;
}

bool characterise_thinks(const struct characterise *characterise)
{
	return characterise->job != NULL;
}

const struct characterise_report *characterise_report(const struct characterise *characterise)
{
	return &characterise->report;
}

/* ---- as a campaign ---- */

static void characterise_state(
	const struct characterise *characterise, struct campaign_state *state)
{
	const struct characterise_report *report = &characterise->report;

	state->done = report->done;
	state->stage = characterise_stage_names[report->stage];
	state->doing = report->doing;
	state->thinks = characterise_thinks(characterise);
	for (int i = 0; i < report->measured.op_count; i++)
		state->any |=
			report->measured.op[i].latency.known || report->measured.op[i].each.known;
	if (report->note_count)
		state->why = report->note[0];
}

CAMPAIGN_KIND(characterise);
