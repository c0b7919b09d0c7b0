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
	/* BLOCK: number of cells (settings) that a sweep measures together, before it starts the
	   next block. The trials of a block of cells (settings measured together) need 40 MB at
	   most. */
	BLOCK = 2048,
	ROUNDS = 4,
	VISITS_MAX = 400,
	/* A cell (setting) without a value is measured VISITS_EMPTY times, even after the sweep's
	   time is over. A measurement (visit) of a slow setting has one long run, which
	   interference may spoil. */
	VISITS_EMPTY = 3,
	/* A measurement of a setting (visit) ends after PATIENCE trials if none of them was quiet.
	   A round of measurements on a contended core is then short, which saves time for later
	   rounds. */
	PATIENCE = 10,
	/* A cell (setting) is settled after QUIET_WANTED quiet trials, if the trials agree. A cell
	   (setting) of a sweep needs fewer trials than a single sample, because its trials come
	   from different times. */
	QUIET_WANTED = 64,
	/* A cell whose data exceed the core's own caches is measured at least FAR_VISITS times,
	   once in every second round. Each measurement of data beyond the core's own caches uses
	   another position in memory, and walks its working set until the caches are in steady
	   state. */
	FAR_VISITS = 2,
	FAR_EVERY = 2,
	/* PLACES: number of positions in memory at which a working set may begin. SHIFT: bytes
	   between two positions at which a working set may begin (engine/memory/working_sets.h). At
	   each position in memory, the working set uses different pages. The working set's position
	   in memory changes with the round, so that all settings of one round can share a layout of
	   their data. */
	PLACES = 3,
	SHIFT = 16 << 20,
	/* When the user stops the sweep, the sink (the sweep's output) receives the settings with
	   at least FEWEST trials. The shortest measurement of a setting makes FEWEST trials. */
	FEWEST = 3,
	/* Largest number of knob combinations in a sweep: at 9 ms for each setting, the sweep would
	   take a day. */
	COMBINATIONS_MAX = 10000000,
};

/* Seconds of trials for each setting (cell) of a sweep. SECONDS_LARGE is for working sets of more
 * than LARGE bytes, which need longer calls and vary more. The time to bring the caches to steady
 * state is not included. */
#define SECONDS_SMALL 0.009
#define SECONDS_LARGE 0.012
#define LARGE	      (1u << 20)

/* Relative precision of the median at which a cell (setting) needs no more trials. PRECISION_LARGE
 * is for working sets beyond the core's own caches. More precision is useless for working sets
 * beyond the core's own caches, because other processes change a shared cache from one sweep to the
 * next. */
#define PRECISION_SMALL 0.002
#define PRECISION_LARGE 0.005

/* A measurement of a setting (visit) stops early when the relative precision of its median is
 * PRECISION_ENOUGH. */
#define PRECISION_ENOUGH 0.001

/* In a sweep of few settings, each setting is measured for SECONDS_SINGLE seconds, like a single
 * sample. If the settings of a sweep would then need more than SECONDS_FEW seconds together, each
 * gets a smaller time. */
#define SECONDS_SINGLE 0.12
#define SECONDS_FEW    2.0

/* Seconds of the shortest visit. A shorter measurement would be inefficient, because starting a
 * measurement takes time. */
#define VISIT_SHORTEST 0.002

struct sweep {
	const struct kernel *kernel;
	struct sweep_options options;
	struct memory_limits memory_limits;
	const struct counter_plan *plan; /* the events to count; NULL: nothing is counted */
	struct sweep_report report;
	struct sweep_progress progress;
	double scale;	   /* factor by which the seconds of each cell (setting) are multiplied */
	double base_total; /* sum of the seconds of all cells (settings), before the factor `scale`
			      is applied */

	uint64_t odometer;  /* number of the first combination of knob values in the next block of
			       cells (settings) */
	struct cell *cells; /* cells of the current block */
	unsigned *order;    /* the order in which a round measures the cells (settings) */
	unsigned count, taken, settled;
	uint64_t finished; /* number of cells (settings) in the earlier blocks */
	bool measured;	   /* true if all cells (settings) of the current block were measured often
			      enough */
	int round, rounds;
	bool troubled_only; /* true: the current round measures only settings without a value or
			       with a doubtful value */
	double block_base;  /* sum of the seconds of the current block's settings, before the factor
			       `scale` is applied */
	double allowance;   /* seconds that the measurement of the current block of settings may use
			     */
	double spent;
	double planned; /* planned seconds of all measurements so far */

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

/* Fills the setting with the knob values of the combination with the given number. The last knob
 * varies fastest. */
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

/* Returns the seconds of trials for a cell (setting), before the factor `scale` is applied. */
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
		return status_usage(
			"no combination of knob values is left: %.200s", progress->why_excluded);
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

/* The position of a cell (setting) in a round of measurements. Cells with the same data are visited
 * one after another, so that they share one layout. Sharing a layout saves most of the time of
 * large working sets. If the layout of a small working set is part of a larger layout
 * (layout_nests), cells of all sizes share a layout. */
struct place {
	uint64_t layout, footprint;
	uint64_t chance; /* sort key of the cell (setting) in a round: random bits of its group with
			    the same data, then random bits of the cell */
	unsigned cell;
};

/* Compares two positions in the order of a round for qsort(): by their random sort keys, then by
 * their data. */
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

/* Shuffles, for a round of measurements, the groups of settings that share a data layout, and the
 * settings of each group. After the shuffle, each setting follows a different setting in each
 * round, and finds other data in the caches. The seed and the number of the round determine the
 * order of the settings. */
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
	/* All sort keys are still 0, so this call sorts the settings by their data. */
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

/* Fills the next block of the sweep with cells (settings), one for each combination of knob values.
 * Returns false if no combination of knob values is left. */
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
	/* A new block of settings also gets the time that earlier blocks saved. If earlier blocks
	 * of settings used too much time, the new block gets less. */
	sweep->allowance += sweep->block_base * sweep->scale;
	sweep->measured = false;
	return true;
}

/* Returns whether a cell (setting) has a doubtful value or no value. */
static bool troubled(const struct cell *cell)
{
	return !cell->sample.valid || sample_doubt(&cell->sample);
}

static bool empty(const struct cell *cell)
{
	return !cell->settled && !cell->sample.valid && cell->visits < VISITS_EMPTY;
}

/* Returns whether the sweep's time for the current block of settings is over. After the time of a
 * block is over, only settings without a value are measured. */
static bool overdrawn(const struct sweep *sweep)
{
	return sweep->round > 0 && sweep->spent >= sweep->allowance;
}

/* The first round measures every setting, even after the time is over. After the first round of
 * measurements, a round ends when the time of the block of settings is over. */
static bool is_late(void *context)
{
	const struct sweep *sweep = context;
	bool late = overdrawn(sweep);

	for (unsigned i = 0; i < sweep->count && late; i++)
		late = !empty(&sweep->cells[i]);
	return late;
}

/* Returns whether the block of settings needs another round of measurements. */
static bool next_round(struct sweep *sweep)
{
	unsigned open = 0, bad = 0;

	sweep->round++;
	for (unsigned i = 0; i < sweep->count; i++) {
		open += !sweep->cells[i].settled;
		bad += !sweep->cells[i].settled && troubled(&sweep->cells[i]);
	}
	/* After the planned rounds of measurements, settings with doubtful values get the remaining
	 * time first. */
	sweep->troubled_only = sweep->round >= sweep->rounds && bad > 0;
	return open > 0 && !is_late(sweep);
}

/* Returns the seconds of one measurement: the seconds for the setting, divided by the planned
 * number of its measurements. */
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
	/* In the planned rounds, settings whose data fit the core's own caches are measured in each
	 * round, and larger ones in every second round. After the planned rounds of measurements,
	 * each round measures settings of all sizes. */
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
				/* A time limit set by the user also limits the walk over the data
				 * that brings the caches to steady state. */
				.warm_seconds = sweep->options.seconds > 0 ? seconds : 0,
				/* On a quiet core, a measurement of a setting ends early and saves
				 * time. Each measurement has at least TRIALS_SETTLED trials, so that
				 * its value is precise enough if the user stops the sweep. */
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

/* Returns the next cell (setting) in the order of the combinations, or NULL if the next cell is not
 * finished. */
static const struct cell *take(struct sweep *sweep)
{
	while (sweep->taken < sweep->count) {
		struct cell *cell = &sweep->cells[sweep->taken];

		if (!cell->settled && !sweep->measured && !sweep->stopped)
			return NULL;
		sweep->taken++;
		/* If the sweep was stopped, a setting that is not precise enough and has fewer than
		 * FEWEST trials is skipped. */
		if (sweep->stopped && !cell->settled && status_is_ok(&cell->failure) &&
			!(cell->sample.valid && cell->sample.trials >= FEWEST))
			continue;
		/* If the time is over, a setting's value is reported even from few trials. A sample
		 * says from how many trials its value was computed. */
		if (!cell->settled && status_is_ok(&cell->failure) && !cell->sample.valid)
			cell->failure = status_failed(
				"every trial in %u measurements was disturbed", cell->visits);
		return cell;
	}
	return NULL;
}

/* Passes finished cells (settings) to the sink, until the result of the oldest submitted
 * measurement is available. */
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
	sweep->sink->before_wait(sweep->sink->context);
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
		.before_wait = hand_out };
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
	/* If the measurements so far took longer than planned, the estimate of the total time for
	 * one round grows in proportion. */
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
