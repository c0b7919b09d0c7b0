#include "engine/measure/measure.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"

/* Minimum number of elements of a trial whose working set is walked in one pass. If a trial has
 * fewer elements, the cost of a call is visible in the time per element. */
enum { RING_MINIMUM = 2048 };

/* Seconds of the shorter of the two timed regions of a trial. If the working set fits the
 * first-level cache, a trial should end before the next interrupt. For a larger working set, each
 * timed stretch of elements begins with lines that are in no near cache, and needs time to settle.
 */
static const double region_near = 5e-6, region_far = 25e-6;

/* Returns the time in seconds by settle->now. If `settle` is NULL or has no clock, the time in
 * seconds is by the measurement's clock. */
static double now(const struct measure *measure, const struct settle *settle)
{
	return settle && settle->now ? settle->now() : (double)clock_ticks() / measure->clock->hz;
}

static double seconds_of(const struct measure *measure, const struct settle *settle,
	struct kernel_run *run, uint64_t elements)
{
	double begin = now(measure, settle);

	run->excluded = 0;
	run->kernel->call(run, elements);
	clock_fence();
	return now(measure, settle) - begin - (double)run->excluded / measure->clock->hz;
}

/* Reads one byte of every line in memory order: the fastest way to bring a working set into the
 * caches. */
static void touch(
	const struct kernel_run *run, uint64_t bytes, double until, const atomic_bool *cancel)
{
	const volatile unsigned char *memory = run->memory;

	for (uint64_t i = 0; i < bytes; i += 64) {
		(void)memory[i];
		if (i % (1 << 18) == 0 && (clock_seconds() > until || atomic_load(cancel)))
			return;
	}
}

/* Returns the seconds of the shorter timed region of a trial; a coarse counter requires longer
 * regions. */
static double region_of(const struct measure *measure, bool near)
{
	return fmax(
		near ? region_near : region_far, 400 * measure->clock->step / measure->clock->hz);
}

/* The calls of a region and their preparation, such as the user's setup(), last about this many
 * seconds at most. Longer regions meet context switches, so their trials are rejected. */
static const double prepared_most = 2e-3;

/* Returns the number of calls of `seconds` each that last as long as a region. */
static unsigned calls_for(const struct measure *measure, double region, double seconds)
{
	double most = 1000;

	if (measure->preparing > 0)
		most = fmin(most, prepared_most / (measure->preparing + seconds));
	return (unsigned)fmax(1, fmin(most, ceil(region / seconds)));
}

static struct stretch choose(const struct measure *measure, bool near, uint64_t period)
{
	const struct kernel_run *run = measure->run;
	bool halved = run->kernel->halved;
	uint64_t ring = run->ring, granule = run->granule,
		 least = round_up(RING_MINIMUM / 2, granule);
	double region = region_of(measure, near), each = measure->each;
	struct stretch stretch = { .calls = 1 };

	if (run->complete) {
		/* For a complete run, the cost of a call is part of the measured value, but the
		 * cost of the fence is not. */
		stretch.whole = ring;
		stretch.calls = calls_for(measure, region, each * (double)ring);
		return stretch;
	}
	if (run->kernel->isolated && halved && measure->far && each * (double)ring >= region) {
		/* One call of the user's own loop goes over all data or half of them, never over
		 * other parts. The calls on half a stretch of data are only a warm-up, which goes
		 * over all data too. A call over half of the data would leave other lines in the
		 * caches. */
		stretch.half = stretch.whole = ring;
	} else if (period) {
		stretch.half = round_up((uint64_t)(fmax(region, region_far) / each) + 1, period);
	} else if (!near) {
		stretch.half = round_up((uint64_t)(region / each) + 1, granule);
		if (stretch.half < least && each < 2e-8)
			stretch.half = least;
	} else if (run->kernel->seamless) {
		/* Make one long call of the kernel for each of the two lengths. A misprediction at
		 * the end of a long call has little effect, even if it occurs for one length only.
		 */
		stretch.half = round_up((uint64_t)(region / each) + RING_MINIMUM / 2, granule);
	} else {
		/* For a long ring of data, the two lengths of a call are half a pass and a whole
		 * pass over the ring. For a short ring of data, the two lengths of a call are
		 * several whole passes over the ring. */
		if (!run->passes && ((ring >= RING_MINIMUM && ring >= 2 * granule) || halved)) {
			stretch.half = halved ? ring / 2 : ring / 2 / granule * granule;
			stretch.whole = ring;
		} else {
			stretch.half = round_up(RING_MINIMUM / 2, ring);
		}
		stretch.calls = calls_for(measure, region, each * (double)stretch.half);
	}
	if (stretch.whole == 0)
		stretch.whole = 2 * stretch.half;
	return stretch;
}

/* Whether the calls of a stretch may have MEASURE_STEPS lengths, without being much shorter. */
static bool has_steps(const struct stretch *stretch, uint64_t granule)
{
	return stretch->calls >= MEASURE_STEPS && stretch->half >= 4 * MEASURE_STEPS * granule;
}

void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel)
{
	uint64_t footprint = kernel_footprint(run->kernel, run->v);
	bool near = footprint <= first_cache;
	uint64_t pilot = round_up(512, run->granule), turns = run->ring / run->granule,
		 period = near && run->passes ? 0 : run->period;
	double until = clock_seconds() + warm_seconds, seconds;

	*measure = (struct measure){ .run = run, .clock = clock, .cpu = -1 };
	clock_clean_vectors();
	if (footprint <= warm_most && !run->kernel->cold)
		touch(run, footprint, until, cancel);

	/* Double the length of the call until the call is long enough to time. The pilot calls,
	 * which find the length of a call, also bring the ring of data into the caches. */
	seconds = seconds_of(measure, NULL, run, pilot);
	while (seconds < 4e-6 && !atomic_load(cancel)) {
		pilot *= 2;
		seconds = seconds_of(measure, NULL, run, pilot);
	}
	seconds = fmin(seconds, seconds_of(measure, NULL, run, pilot)) / (double)pilot;
	measure->preparing =
		(double)run->excluded / clock->hz / fmax(1, (double)pilot / (double)run->ring);
	/* A coarse counter may show no time at all for a pilot call that was cancelled. */
	measure->each = seconds > 0 ? seconds : 1e-9;
	measure->lap = measure->each * (double)run->ring;
	measure->rewind = run->complete || (near && !period);
	measure->time = measure->count = choose(measure, near, period);
	/* If the data fit the first-level cache, calls for counting events start at the beginning
	 * of the data (the ring) and stop before its end. */
	if (near && !run->kernel->halved && !run->complete && !period && turns >= 8) {
		measure->count.half = turns / 8 * run->granule;
		measure->count.whole = (turns - 1) * run->granule;
		measure->count.calls = calls_for(
			measure, 2 * region_near, measure->each * (double)measure->count.whole);
	}
	if (measure->rewind && !run->complete && !run->kernel->halved &&
		has_steps(&measure->time, run->granule) && has_steps(&measure->count, run->granule))
		measure->step = run->granule;
	kernel_rewind(run);
	measure->begin = clock_seconds();
}

void measure_region(struct measure *measure, uint64_t elements)
{
	measure_calls(measure, elements, measure->count.calls);
}

/* ---- steady state */

enum {
	LINE = 64,
	/* PIECES_OF_LAP: number of timed pieces into which one pass over the working set (lap) is
	   divided. PIECES_LEAST: minimum number of timed pieces of the untimed walk over the data
	   that can show a trend. PIECES_MOST: maximum number of pieces of the walk over the data
	   whose times are kept. */
	PIECES_OF_LAP = 24,
	PIECES_LEAST = 18,
	PIECES_MOST = 480,
	/* Number of elements that are walked again to test whether their lines are still in a
	   cache. */
	REACH_ELEMENTS = 96,
	/* Minimum number of cache lines touched by a walk that uses parts of its data unequally
	   often: about a hundred times the lines of a core's own caches. Most accesses of a walk
	   that uses parts of its data unequally often fall into small parts. The accesses outside
	   the small, often used parts of the data must evict all older lines. */
	UNEVEN_LINES = 1 << 22,
};

/* Duration of the shortest timed piece of a walk over the data, seconds: a shorter piece would only
 * measure the clock's steps. */
static const double piece_least = 5e-5;

/* An access whose line is still in a cache takes less than this share of the mean time per element
 * of the walk over the data. */
static const double found_again = 0.75;

/* The walk over the data before the trials was too short if lines that it touched this share of the
 * walk ago are still in a cache. */
static const double found_far = 0.7;

/* A newly measured reuse distance at which lines are still in a cache (reach) is at least this
 * share of the previous one. */
static const double reach_keeps = 0.7;

/* Returns the bytes of the cache lines that an element touches. */
static double bytes_per_element(const struct kernel_run *run)
{
	double lines = 0;

	for (int i = 0; i < run->walk.reaches; i++)
		lines += run->walk.reach[i].lines;
	return (run->walk.reaches > 0 ? lines : run->walk.lines) * LINE;
}

/* Returns the bytes of the cache lines that one pass over the data (lap) touches: few bytes for a
 * walk that touches one line per page. */
static double lines_bytes(const struct kernel_run *run)
{
	double bytes = (double)kernel_footprint(run->kernel, run->v);

	return run->walk.scattered && run->walk.range > 0 && run->walk.reaches == 0
		       ? fmin(run->walk.range, bytes)
		       : bytes;
}

static bool is_uneven(const struct kernel_run *run)
{
	for (int i = 1; i < run->walk.reaches; i++)
		if (run->walk.reach[i].range < run->walk.reach[0].range ||
			run->walk.reach[i].range > run->walk.reach[0].range)
			return true;
	return false;
}

static uint64_t whole_units(double value, uint64_t unit)
{
	return round_up((uint64_t)fmax(1, ceil(value)), unit);
}

/* Returns the number of elements to walk before the first test whether old lines are still in a
 * cache: a pass over the data, or a part of it. */
static double needed(const struct kernel_run *run, const struct settle *settle, bool marked)
{
	double lap = (double)run->ring, bytes = bytes_per_element(run), need = lap;

	if (is_uneven(run) && bytes > 0)
		return UNEVEN_LINES * LINE / bytes;
	if (marked && bytes > 0)
		need = 2 * fmax(settle->reach, (double)settle->own_bytes) / bytes;
	return fmin(need, lap);
}

/* Saves a position (state) of the walk over the data, from which the walk can be repeated. If the
 * list of saved positions of the walk is full, every second one is removed first. */
static void set_mark(struct settle *settle, const struct kernel_run *run, uint64_t walked)
{
	if (settle->marks == SETTLE_MARKS) {
		for (unsigned i = 0; i < SETTLE_MARKS / 2; i++)
			settle->mark[i] = settle->mark[2 * i];
		settle->marks = SETTLE_MARKS / 2;
	}
	settle->mark[settle->marks++] = (struct settle_mark){ walked, *run };
}

/* For each mark (a saved position in the walk), the oldest first: goes back to the mark, and tests
 * whether the lines there are still in a cache. Updates settle->reach. Returns whether the lines at
 * the oldest mark are still in a cache: if so, the walk was too short to measure the reuse
 * distance. */
static bool measure_reach(
	const struct measure *measure, struct settle *settle, uint64_t walked, double each)
{
	const struct kernel_run *run = measure->run;
	uint64_t elements = round_up(REACH_ELEMENTS, run->granule);
	double reach = 0, before = 0;

	/* A single mark of the walk whose lines are read fast may be chance: the mark after it must
	 * be fast, too. */
	for (unsigned i = 0; i < settle->marks; i++) {
		struct kernel_run again = settle->mark[i].run;
		double seconds = seconds_of(measure, settle, &again, elements) / (double)elements;

		if (seconds >= found_again * each)
			before = 0;
		else if (before > 0 && reach <= 0)
			reach = before;
		else if (reach <= 0)
			before = (double)(walked - settle->mark[i].walked) * bytes_per_element(run);
	}
	settle->reach = fmax(fmax(reach, (double)settle->own_bytes), reach_keeps * settle->reach);
	return reach > found_far * (double)walked * bytes_per_element(run);
}

/* Makes room in the full list of the walk's timed pieces: each pair of pieces becomes one piece.
 * Returns the new number of timed pieces of the walk. */
static unsigned halve(double *taken)
{
	for (unsigned i = 0; i < PIECES_MOST / 2; i++)
		taken[i] = (taken[2 * i] + taken[2 * i + 1]) / 2;
	return PIECES_MOST / 2;
}

/* Returns the median time of an element in the last timed pieces of the walk over the data,
 * seconds. */
static double recent(const double *taken, unsigned count)
{
	unsigned last = count > PIECES_OF_LAP ? PIECES_OF_LAP : count;
	double copy[PIECES_OF_LAP];

	memcpy(copy, taken + count - last, last * sizeof(*copy));
	return stats_median(copy, last);
}

/* Walks over the data until the times of the later half of the pieces show no trend. Returns
 * whether the times of the pieces still show a trend at the end. Sets measure->each to the latest
 * seconds per element. */
static bool walk_until_steady(
	struct measure *measure, struct settle *settle, bool marks, const atomic_bool *cancel)
{
	struct kernel_run *run = measure->run;
	double need = needed(run, settle, marks), lap = (double)run->ring;
	double begin = now(measure, settle), taken[PIECES_MOST];
	double target = fmin(need * measure->each, settle->seconds);
	uint64_t walked = 0,
		 piece = whole_units(fmax(target / PIECES_OF_LAP, piece_least) / measure->each,
			 run->period ? run->period : run->granule);
	unsigned count = 0, test = PIECES_LEAST;
	bool drifts = false;

	while (!atomic_load(cancel)) {
		if (count == PIECES_MOST) {
			count = halve(taken);
			test /= 2;
		}
		if (marks)
			set_mark(settle, run, walked);
		taken[count++] = seconds_of(measure, settle, run, piece) / (double)piece;
		walked += piece;
		if (now(measure, settle) - begin > settle->seconds)
			break;
		if ((double)walked < need)
			continue;
		if (!measure->far)
			return false;
		/* The distance between tests for a trend grows: with fewer tests, a walk whose
		 * times drift is less likely to pass by chance. */
		if (count < test)
			continue;
		drifts = stats_drift(taken + count / 2, count - count / 2, SETTLE_DRIFT);
		if (!drifts &&
			(!marks || !measure_reach(measure, settle, walked, recent(taken, count)) ||
				(double)walked >= lap))
			break;
		if (!drifts)
			need = fmin(2 * (double)walked, lap);
		test = count + count / 4;
	}
	if (count >= PIECES_LEAST)
		drifts = stats_drift(taken + count / 2, count - count / 2, SETTLE_DRIFT);
	if (count > 0)
		measure->each = recent(taken, count);
	return drifts;
}

void measure_settle(struct measure *measure, struct settle *settle, const atomic_bool *cancel)
{
	struct kernel_run *run = measure->run;
	double longest = settle->lap > 0 ? settle->lap : SETTLE_LAP;

	measure->lap = measure->each * (double)run->ring;
	if (measure->rewind || run->complete || run->kernel->cold)
		return;
	measure->far = lines_bytes(run) > (double)settle->own_bytes;
	settle->marks = 0;
	measure->drifts = walk_until_steady(measure, settle,
		measure->far && run->walk.scattered && run->kernel->begin_at && !is_uneven(run) &&
			measure->lap > longest,
		cancel);
	measure->lap = measure->each * (double)run->ring;
	measure->begin = clock_seconds();
	if (measure->far && !run->period && measure->each > 0)
		measure->time = measure->count = choose(measure, false, 0);
	/* The counted events of half a stretch of data are subtracted, so the two counted lengths
	 * always differ. */
	if (measure->count.half == measure->count.whole)
		measure->count.whole = 2 * measure->count.half;
}
