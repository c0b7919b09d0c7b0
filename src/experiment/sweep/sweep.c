#include "experiment/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "experiment/campaign.h"
#include "experiment/setting/setting.h"

enum {
	/* BLOCK: number of cells of a block. The trials of a block need 40 MB at most. */
	BLOCK = 2048,
	ROUNDS = 4,
	VISITS_MAX = 400,
	/* A cell without a value gets VISITS_EMPTY visits, even after the time is over. A visit to
	 * a slow cell has one long run, which interference may spoil. */
	VISITS_EMPTY = 3,
	/* A visit ends after PATIENCE trials if none of them was quiet. A round on a contended core
	 * is then short, which saves time for later rounds. */
	PATIENCE = 10,
	/* A cell is settled by QUIET_WANTED quiet trials, if the trials agree. A cell needs fewer
	 * trials than a single sample, because the cell's visits are at different times. */
	QUIET_WANTED = 64,
	/* A far cell (beyond the core's own caches) gets at least FAR_VISITS visits, one in every
	 * second round. Each visit to a far cell uses another place in memory, and walks its
	 * working set until the caches are in steady state. */
	FAR_VISITS = 2,
	FAR_EVERY = 2,
	/* PLACES: number of places in memory at which a working set may begin. SHIFT: bytes between
	 * two places (engine/memory/working_sets.h). At each place, the working set uses different
	 * pages. The place changes with the round, so that all cells of one round can share a
	 * layout. */
	PLACES = 3,
	SHIFT = 16 << 20,
	/* When the user stops the sweep, the sink receives the cells with at least FEWEST trials.
	 * The shortest visit makes FEWEST trials. */
	FEWEST = 3,
	/* Largest number of combinations: at 9 ms for each cell, the sweep would take a day. */
	COMBINATIONS_MAX = 10000000,
};

/* Seconds of trials for a cell. SECONDS_LARGE is for working sets of more than LARGE bytes, which
 * need longer calls and vary more. The time to bring the caches to steady state is not included. */
#define SECONDS_SMALL 0.009
#define SECONDS_LARGE 0.012
#define LARGE	      (1u << 20)

/* Relative precision of the median at which a cell is settled. PRECISION_LARGE is for working sets
 * beyond the core's own caches. More precision is useless there, because other processes change a
 * shared cache from one sweep to the next. */
#define PRECISION_SMALL 0.002
#define PRECISION_LARGE 0.005

/* A visit stops early when the relative precision of its median is PRECISION_ENOUGH. */
#define PRECISION_ENOUGH 0.001

/* In a sweep of few cells, each cell gets SECONDS_SINGLE seconds, like a single sample. If the
 * cells would then need more than SECONDS_FEW seconds together, each cell gets a smaller time. */
#define SECONDS_SINGLE 0.12
#define SECONDS_FEW    2.0

/* Seconds of the shortest visit. A shorter visit would be inefficient, because starting a visit
 * takes time. */
#define VISIT_SHORTEST 0.002

struct sweep {
	const struct kernel *kernel;
	struct sweep_options options;
	struct memory_limits memory_limits;
	const struct counter_plan *plan; /* the events to count; NULL: nothing is counted */
	struct sweep_report report;
	struct sweep_progress progress;
	double scale;	   /* factor by which the seconds of each cell are multiplied */
	double base_total; /* sum of the seconds of all cells, before the factor `scale` is applied
			    */

	uint64_t odometer;  /* number of the first combination of the next block */
	struct cell *cells; /* cells of the current block */
	unsigned *order;    /* the order of the cells in a round */
	unsigned count, taken, settled;
	uint64_t finished; /* number of cells in the earlier blocks */
	bool measured;	   /* true if all cells of the current block have enough visits */
	int round, rounds;
	bool troubled_only; /* true: the current round visits only cells without a value or with a
			       doubtful value */
	double block_base;  /* sum of the seconds of the block's cells, before the factor `scale` is
			       applied */
	double allowance;   /* seconds that the current block may use */
	double spent;
	double planned; /* planned seconds of all visits so far */

	struct visits visits;
	const struct sweep_sink *sink;
	bool stopped;
};

struct sweep *sweep_new(const struct kernel *kernel, const struct sweep_options *options)
{
	struct sweep *sweep = memory_new(1, sizeof(*sweep));

	sweep->kernel = kernel;
	sweep->options = *options;
	return sweep;
}

static void block_clear(struct sweep *sweep)
{
	for (unsigned i = 0; i < sweep->count; i++) {
		free(sweep->cells[i].trials);
		free(sweep->cells[i].counts);
	}
	sweep->finished += sweep->count;
	sweep->count = sweep->taken = sweep->settled = 0;
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	block_clear(sweep);
	for (size_t i = 0; i < sweep->report.axis_count; i++)
		free(sweep->report.axes[i].values);
	free(sweep->cells);
	free(sweep->order);
	free(sweep);
}

struct status sweep_assign(struct sweep *sweep, const char *assignment)
{
	const char *values;
	struct sweep_axis axis;
	struct status status = setting_split(sweep->kernel, assignment, &axis.knob, &values);

	for (size_t i = 0; i < sweep->report.axis_count && status_is_ok(&status); i++)
		if (sweep->report.axes[i].knob == axis.knob)
			status = setting_twice(&sweep->kernel->knobs[axis.knob]);
	if (status_is_ok(&status))
		status = axis_parse_list(&sweep->kernel->knobs[axis.knob], values,
			MEMORY_LIMITS_UNKNOWN, &axis.values, &axis.count);
	if (status_is_ok(&status))
		sweep->report.axes[sweep->report.axis_count++] = axis;
	return status;
}

/* Fills the setting with the combination of that number. The last knob varies fastest. */
static void combination(const struct sweep *sweep, uint64_t number, struct setting *setting)
{
	setting_init(setting, sweep->kernel);
	for (size_t i = sweep->report.axis_count; i-- > 0;) {
		const struct sweep_axis *axis = &sweep->report.axes[i];

		setting->v[axis->knob] = axis->values[number % axis->count];
		number /= axis->count;
	}
}

static uint64_t footprint(const struct setting *setting)
{
	return kernel_footprint(setting->kernel, setting->v);
}

/* Returns the seconds for a cell, before the factor `scale` is applied. */
static double base_seconds(const struct setting *setting)
{
	return footprint(setting) > LARGE ? SECONDS_LARGE : SECONDS_SMALL;
}

struct status sweep_begin(struct sweep *sweep, struct memory_limits memory_limits)
{
	struct sweep_progress *progress = &sweep->progress;
	double few;

	sweep->memory_limits = memory_limits;
	progress->combinations = 1;
	for (size_t i = 0; i < sweep->report.axis_count; i++) {
		if (progress->combinations > COMBINATIONS_MAX / sweep->report.axes[i].count)
			return status_usage(
				"more than %d combinations; take fewer values, a larger step (:N) "
				"or a factor (*N)",
				COMBINATIONS_MAX);
		progress->combinations *= sweep->report.axes[i].count;
	}
	for (uint64_t i = 0; i < progress->combinations; i++) {
		struct setting setting;
		struct status status;

		combination(sweep, i, &setting);
		status = setting_check(&setting, memory_limits);
		if (status_is_ok(&status)) {
			if (progress->cells++ == 0)
				sweep->report.first = setting;
			sweep->base_total += base_seconds(&setting);
		} else if (progress->excluded++ == 0) {
			memcpy(progress->why_excluded, status.text, sizeof(status.text));
		}
	}
	if (progress->cells == 0)
		return status_usage("no combination is left: %.200s", progress->why_excluded);
	few = fmin((double)progress->cells * SECONDS_SINGLE, SECONDS_FEW);
	sweep->scale = sweep->options.seconds > 0 ? sweep->options.seconds / sweep->base_total
						  : fmax(few / sweep->base_total, 1);
	sweep->cells = memory_new(BLOCK, sizeof(*sweep->cells));
	sweep->order = memory_new(BLOCK, sizeof(*sweep->order));
	sweep->measured = true;
	return status_ok();
}

const struct sweep_report *sweep_report(const struct sweep *sweep)
{
	return &sweep->report;
}

size_t sweep_settings(const struct sweep *sweep, struct setting *settings, size_t most)
{
	size_t count = 0;

	for (uint64_t i = 0; i < sweep->progress.combinations && count < most; i++) {
		struct status status;

		combination(sweep, i, &settings[count]);
		status = setting_check(&settings[count], sweep->memory_limits);
		count += status_is_ok(&status);
	}
	return count;
}

/* The position of a cell in a round. Cells with the same data are visited one after another, so
 * that they share one layout. Sharing a layout saves most of the time of large working sets. If the
 * layout of a small working set is part of a larger layout (layout_nests), cells of all sizes share
 * a layout. */
struct place {
	uint64_t layout, footprint;
	uint64_t chance; /* sort key of the cell in a round: random bits of the group, then random
			    bits of the cell */
	unsigned cell;
};

/* Compares two places for qsort(): by their random sort keys, then by their data. */
static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->chance != y->chance)
		return x->chance < y->chance ? -1 : 1;
	if (x->layout != y->layout)
		return x->layout < y->layout ? -1 : 1;
	if (x->footprint != y->footprint)
		return x->footprint < y->footprint ? -1 : 1;
	return x->cell < y->cell ? -1 : x->cell > y->cell;
}

/* Shuffles the groups of cells that share a layout, and the cells of each group, for a round. After
 * the shuffle, each cell follows a different cell in each round, and finds other data in the
 * caches. The seed and the round determine the order. */
static void round_shuffle(struct sweep *sweep)
{
	const struct kernel *kernel = sweep->kernel;
	struct place *places = memory_new(sweep->count, sizeof(*places));
	struct random random = { sweep->options.seed +
				 (uint64_t)sweep->round * 0x9e3779b97f4a7c15u + sweep->odometer };
	unsigned first = 0;

	for (unsigned i = 0; i < sweep->count; i++) {
		const struct setting *setting = &sweep->cells[i].setting;

		places[i].layout = kernel_layout(kernel, setting->v);
		places[i].footprint = kernel->layout_nests ? 0 : footprint(setting);
		places[i].cell = i;
	}
	/* All sort keys are still 0, so this call sorts the places by their data. */
	qsort(places, sweep->count, sizeof(*places), compare_places);
	for (unsigned i = 1; i <= sweep->count; i++) {
		uint64_t group;

		if (i < sweep->count && places[i].layout == places[first].layout &&
			places[i].footprint == places[first].footprint)
			continue;
		group = random_next(&random) >> 32 << 32;
		for (unsigned k = first; k < i; k++)
			places[k].chance = group | random_next(&random) >> 32;
		first = i;
	}
	qsort(places, sweep->count, sizeof(*places), compare_places);
	for (unsigned i = 0; i < sweep->count; i++)
		sweep->order[i] = places[i].cell;
	free(places);
}

static bool is_far(const struct cell *cell)
{
	return footprint(&cell->setting) > LARGE;
}

/* Fills the next block with cells. Returns false if no combination is left. */
static bool block_load(struct sweep *sweep)
{
	double shortest = INFINITY;

	block_clear(sweep);
	sweep->block_base = 0;
	while (sweep->count < BLOCK && sweep->odometer < sweep->progress.combinations) {
		struct cell *cell = &sweep->cells[sweep->count];
		struct status status;

		memset(cell, 0, sizeof(*cell));
		combination(sweep, sweep->odometer++, &cell->setting);
		status = setting_check(&cell->setting, sweep->memory_limits);
		if (!status_is_ok(&status))
			continue;
		sweep->block_base += base_seconds(&cell->setting);
		shortest = fmin(shortest, base_seconds(&cell->setting) * sweep->scale);
		sweep->count++;
	}
	if (sweep->count == 0)
		return false;
	sweep->rounds = ROUNDS;
	while (sweep->rounds > 1 && shortest / sweep->rounds < VISIT_SHORTEST)
		sweep->rounds--;
	sweep->round = 0;
	sweep->troubled_only = false;
	/* A new block also gets the time that earlier blocks saved. If earlier blocks used too much
	 * time, the new block gets less. */
	sweep->allowance += sweep->block_base * sweep->scale;
	sweep->measured = false;
	return true;
}

/* Returns whether a cell has a doubtful value or no value. */
static bool troubled(const struct cell *cell)
{
	return !cell->sample.valid || sample_doubt(&cell->sample);
}

static bool empty(const struct cell *cell)
{
	return !cell->settled && !cell->sample.valid && cell->visits < VISITS_EMPTY;
}

/* Returns whether the time is over. After that time, only cells without a value are visited. */
static bool overdrawn(const struct sweep *sweep)
{
	return sweep->round > 0 && sweep->spent >= sweep->allowance;
}

/* The first round visits every cell, even after the time is over. After the first round, a round
 * ends when the time of the block is over. */
static bool is_late(void *context)
{
	const struct sweep *sweep = context;
	bool late = overdrawn(sweep);

	for (unsigned i = 0; i < sweep->count && late; i++)
		late = !empty(&sweep->cells[i]);
	return late;
}

/* Returns whether the block needs another round. */
static bool next_round(struct sweep *sweep)
{
	unsigned open = 0, bad = 0;

	sweep->round++;
	for (unsigned i = 0; i < sweep->count; i++) {
		open += !sweep->cells[i].settled;
		bad += !sweep->cells[i].settled && troubled(&sweep->cells[i]);
	}
	/* After the planned rounds, doubtful cells get the remaining time first. */
	sweep->troubled_only = sweep->round >= sweep->rounds && bad > 0;
	return open > 0 && !is_late(sweep);
}

/* Returns the seconds of one visit: the seconds of the cell, divided by the planned number of its
 * visits. */
static double share_seconds(const struct sweep *sweep, const struct cell *cell)
{
	int visits = is_far(cell) ? (sweep->rounds + FAR_EVERY - 1) / FAR_EVERY : sweep->rounds;

	return base_seconds(&cell->setting) * sweep->scale / visits;
}

/* ---- visits ---- */

static bool is_wanted(void *context, unsigned index)
{
	const struct sweep *sweep = context;
	const struct cell *cell = &sweep->cells[index];

	if (overdrawn(sweep))
		return empty(cell);
	/* In the planned rounds, cells that fit the core's own caches are visited in each round,
	 * and larger cells in every second round. After the planned rounds, each round visits cells
	 * of all sizes. */
	if (is_far(cell) && sweep->round < sweep->rounds && sweep->round % FAR_EVERY != 0)
		return false;
	return !cell->settled && (!sweep->troubled_only || troubled(cell));
}

static void ask(void *context, unsigned index, struct request *request)
{
	const struct sweep *sweep = context;
	const struct cell *cell = &sweep->cells[index];
	unsigned quiet = QUIET_WANTED / (unsigned)sweep->rounds;
	double seconds = fmax(share_seconds(sweep, cell), VISIT_SHORTEST / 2);

	*request = (struct request){
		.tag = index,
		.kernel = sweep->kernel,
		.seed = sweep->options.seed,
		.place = visits_place(sweep->visits.made),
		.shift = (uint64_t)(sweep->round / FAR_EVERY % PLACES) * SHIFT,
		.budget =
			{
				.seconds = seconds,
				.precision = PRECISION_ENOUGH,
				/* A time limit set by the user also limits the walk that brings the
				 * caches to steady state. */
				.warm_seconds = sweep->options.seconds > 0 ? seconds : 0,
				/* On a quiet core, a visit ends early and saves time. Each visit
				 * has at least TRIALS_SETTLED trials, so that its value is settled
				 * if the user stops the sweep. */
				.quiet_wanted = quiet > TRIALS_SETTLED ? quiet : TRIALS_SETTLED,
				.patience = PATIENCE,
			},
	};
	memcpy(request->v, cell->setting.v, sizeof(request->v));
	if (sweep->plan)
		request->plan = *sweep->plan;
}

static void accept(void *context, unsigned index, const struct result *result, double seconds)
{
	struct sweep *sweep = context;
	struct cell *cell = &sweep->cells[index];

	cell_visit(cell, result, QUIET_WANTED, is_far(cell) ? PRECISION_LARGE : PRECISION_SMALL,
		VISITS_MAX);
	if (is_far(cell) && cell->visits < FAR_VISITS && status_is_ok(&cell->failure) &&
		sweep->rounds > 1)
		cell->settled = false;
	/* In the planned rounds, the time to lay out data and to bring the caches to steady state
	 * does not count, unless the user set a time limit. */
	if (sweep->options.seconds <= 0 && sweep->round < sweep->rounds)
		seconds -= result->preparing;
	sweep->spent += fmax(seconds, 0);
	sweep->planned += share_seconds(sweep, cell);
	if (cell->settled)
		sweep->settled++;
	if (sweep->report.counts.count == 0)
		sweep->report.counts = result->counts;
	if (sweep->sink->visited)
		sweep->sink->visited(sweep->sink->context, cell);
}

void sweep_drain(struct sweep *sweep)
{
	visits_drain(&sweep->visits);
}

/* ---- finished cells ---- */

/* Returns the next cell in the order of the combinations, or NULL if the next cell is not
 * finished. */
static const struct cell *take(struct sweep *sweep)
{
	while (sweep->taken < sweep->count) {
		struct cell *cell = &sweep->cells[sweep->taken];

		if (!cell->settled && !sweep->measured && !sweep->stopped)
			return NULL;
		sweep->taken++;
		/* If the sweep was stopped, an unsettled cell with fewer than FEWEST trials is
		 * skipped. */
		if (sweep->stopped && !cell->settled && status_is_ok(&cell->failure) &&
			!(cell->sample.valid && cell->sample.trials >= FEWEST))
			continue;
		/* If the time is over, a cell's value is reported even from few trials. The sample
		 * contains the number of trials. */
		if (!cell->settled && status_is_ok(&cell->failure) && !cell->sample.valid)
			cell->failure = status_failed(
				"every trial in %u visits was disturbed", cell->visits);
		return cell;
	}
	return NULL;
}

/* Passes finished cells to the sink, until the result of the oldest visit is available. */
static void hand_out(void *context)
{
	struct sweep *sweep = context;
	struct visits *visits = &sweep->visits;
	const struct cell *cell;

	while (!visits_due(visits) && (cell = take(sweep))) {
		sweep->sink->finished(sweep->sink->context, cell);
		if (visits->measurer->ahead > 1)
			visits_submit(visits);
	}
	sweep->sink->meanwhile(sweep->sink->context);
}

void sweep_measure(struct sweep *sweep, const struct measurer *measurer,
	const struct counter_plan *plan, const struct sweep_sink *sink)
{
	struct visits *visits = &sweep->visits;

	*visits = (struct visits){ .measurer = measurer,
		.context = sweep,
		.order = sweep->order,
		.wanted = is_wanted,
		.late = is_late,
		.ask = ask,
		.accept = accept,
		.meanwhile = hand_out };
	sweep->plan = plan;
	sweep->sink = sink;
	while (!measurer_stopped(measurer) && block_load(sweep)) {
		visits->count = sweep->count;
		do {
			round_shuffle(sweep);
			visits_round(visits);
		} while (!measurer_stopped(measurer) && next_round(sweep));
		sweep->stopped = measurer_stopped(measurer);
		sweep->measured = !sweep->stopped;
		visits->position = visits->count;
		hand_out(sweep);
	}
	visits_free(visits);
}

struct sweep_progress sweep_progress(struct sweep *sweep)
{
	struct sweep_progress progress = sweep->progress;
	double total = sweep->base_total * sweep->scale;

	progress.finished = sweep->finished + (sweep->measured ? sweep->count : sweep->settled);
	/* If the visits so far took longer than planned, the estimate of the total time for one
	 * round grows in proportion. */
	if (sweep->planned > 0)
		total = fmax(total, total / sweep->rounds * sweep->spent / sweep->planned);
	progress.remaining =
		progress.finished == progress.cells ? 0 : fmax(total - sweep->spent, 0);
	if (total > 0)
		sweep->progress.done = fmax(sweep->progress.done, fmin(sweep->spent / total, 1));
	if (progress.cells > 0)
		sweep->progress.done = fmax(
			sweep->progress.done, (double)progress.finished / (double)progress.cells);
	progress.done = sweep->progress.done;
	return progress;
}
