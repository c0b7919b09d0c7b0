/* How many calls a timed region makes, and on how many elements. */
#include "engine/measure/measure.h"

#include <math.h>

/* The smallest n of a trial whose whole working set is one pass: with fewer elements the cost of a
 * call shows in the slope. */
enum { RING_MINIMUM = 2048 };

/* Seconds of the shorter timed region. In the first cache a trial should end before the next
 * interrupt. Beyond, each stretch begins in cold lines and must be long enough to settle. */
static const double region_near = 5e-6;
static const double region_far = 25e-6;

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static double seconds_of_call(const struct measure *measure, uint64_t elements)
{
	struct kernel_run *run = measure->run;
	uint64_t begin, end;

	begin = clock_ticks();
	run->kernel->call(run, elements);
	clock_fence();
	end = clock_ticks();
	return (double)(end - begin) / measure->clock->hz;
}

/* Reads one byte of every line, in the order of memory: the quickest way to bring a working set
 * into the caches. */
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

/* On what fits the first cache, calls begin at the ring's beginning, and end where they like. */
static struct stretch within_ring(const struct kernel_run *run, double each)
{
	uint64_t turns = run->ring / run->granule;
	struct stretch stretch = { .half = turns / 8 * run->granule,
		.whole = (turns - 1) * run->granule };

	stretch.calls = (unsigned)fmax(
		1, fmin(1000, ceil(2 * region_near / (each * (double)stretch.whole))));
	return stretch;
}

/* Beyond the first cache calls go on where the last one stopped. */
static void choose_long(struct measure *measure, double region)
{
	const struct kernel_run *run = measure->run;

	measure->half = round_up((uint64_t)(region / measure->each) + 1, run->granule);
	if (measure->half < round_up(RING_MINIMUM / 2, run->granule) && measure->each < 2e-8)
		measure->half = round_up(RING_MINIMUM / 2, run->granule);
	measure->whole = 2 * measure->half;
}

void measure_settled(struct measure *measure, double each)
{
	const struct kernel_run *run = measure->run;

	measure->each = each;
	measure->lap = each * (double)run->ring;
	measure->begin = clock_seconds();
	if (!measure->far || measure->rewind || run->complete || run->period || !(each > 0))
		return;
	choose_long(measure, fmax(region_far, 400 * measure->clock->step / measure->clock->hz));
	measure->count = (struct stretch){
		.half = measure->half, .whole = measure->whole, .calls = measure->calls
	};
}

void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel)
{
	uint64_t footprint = kernel_footprint(run->kernel, run->v);
	bool near = footprint <= first_cache;
	double until = clock_seconds() + warm_seconds, region, seconds, each, shortest;
	uint64_t pilot = round_up(512, run->granule),
		 period = near && run->passes ? 0 : run->period;

	*measure = (struct measure){ .run = run, .clock = clock, .calls = 1, .cpu = -1 };
	clock_clean_vectors();
	if (footprint <= warm_most && !run->kernel->cold)
		touch(run, footprint, until, cancel);

	/* Double a call until it lasts long enough to be judged; that also walks the ring warm. */
	seconds = seconds_of_call(measure, pilot);
	while (seconds < 4e-6 && !atomic_load(cancel)) {
		pilot *= 2;
		seconds = seconds_of_call(measure, pilot);
	}
	seconds = fmin(seconds, seconds_of_call(measure, pilot)) / (double)pilot;
	/* A coarse counter may not have moved in what a cancelled pilot measured. */
	if (seconds <= 0)
		seconds = 1e-9;
	measure->each = each = seconds;
	measure->lap = each * (double)run->ring;

	region = near ? region_near : region_far;
	shortest = 400 * clock->step / clock->hz;
	if (region < shortest)
		region = shortest;
	measure->rewind = near && !period;
	if (run->complete) {
		/* What a call costs apart from its elements is part of the whole; only the fence is
		 * not. */
		measure->rewind = true;
		measure->whole = run->ring;
		measure->calls =
			(unsigned)fmax(1, fmin(ceil(region / (seconds * (double)run->ring)), 1000));
	} else if (period) {
		region = fmax(region, region_far);
		measure->half = round_up((uint64_t)(region / seconds) + 1, period);
		measure->whole = 2 * measure->half;
	} else if (near && run->kernel->seamless) {
		/* One long call each: a misprediction at its end, which may strike one side alone,
		 * then weighs little. */
		measure->half =
			round_up((uint64_t)(region / seconds) + RING_MINIMUM / 2, run->granule);
		measure->whole = 2 * measure->half;
	} else if (near) {
		/* Whole passes of a small ring on either side; half a pass and a pass of one that
		 * is long enough. */
		uint64_t passes = (RING_MINIMUM / 2 + run->ring - 1) / run->ring;

		if (!run->passes && ((run->ring >= RING_MINIMUM && run->ring >= 2 * run->granule) ||
					    run->kernel->halved)) {
			measure->whole = run->ring;
			measure->half = run->kernel->halved
						? run->ring / 2
						: run->ring / 2 / run->granule * run->granule;
		} else {
			measure->half = passes * run->ring;
			measure->whole = 2 * measure->half;
		}
		seconds *= (double)measure->half;
		if (seconds < region)
			measure->calls = (unsigned)fmin(ceil(region / seconds), 1000);
	} else {
		choose_long(measure, region);
	}
	if (near && !run->kernel->halved && !run->complete && !period &&
		run->ring >= 8 * run->granule)
		measure->count = within_ring(run, each);
	else
		measure->count = (struct stretch){
			.half = measure->half, .whole = measure->whole, .calls = measure->calls
		};
	kernel_rewind(run);
	measure->begin = clock_seconds();
}

void measure_region(struct measure *measure, uint64_t elements)
{
	measure_calls(measure, elements, measure->count.calls);
}
