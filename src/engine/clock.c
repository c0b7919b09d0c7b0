/* Calibration of the reference clock. */
#include "engine/clock.h"

#include <math.h>
#include <time.h>

#include "base/stats.h"

/* Of the chain and the loops, while the clock is calibrated. */
enum { CLOCK_READINGS = 60 };

double clock_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clock_hz(const struct clock *clock)
{
	double seconds = clock_seconds() - clock->epoch_seconds;

	/* Reading both clocks is good to about 100 ns: after 2 ms that is better than 0.01 %. */
	if (seconds < 2e-3)
		return clock->hz;
	return (double)(clock_ticks() - clock->epoch) / seconds;
}

/* The smallest positive difference of readings in a row. The plain counter may move in steps of many ticks, as it
 * does under hypervisors that scale it. */
static double find_step(void)
{
	uint64_t smallest = UINT64_MAX, before = clock_ticks();

	for (int i = 0; i < 400; i++) {
		uint64_t now = clock_ticks();

		/* Odd delays shift the readings against the counter's grid, so that its step shows. */
		for (volatile int spin = 0; spin < i % 7; spin++)
			;
		if (now > before && now - before < smallest)
			smallest = now - before;
		before = now;
	}
	return smallest == UINT64_MAX ? 1 : (double)smallest;
}

static double find_overhead(void)
{
	double empty[101];

	for (int i = 0; i < 101; i++) {
		uint64_t begin = clock_ticks();

		empty[i] = (double)(clock_ticks() - begin);
	}
	return stats_median(empty, 101);
}

/* Reference links that fit the time of a watch link, from the quickest of many readings of either: each may run slow for a while, and neither ever
 * runs fast. */
static double find_link(void)
{
	double chain = INFINITY, watch = INFINITY;

	for (int i = 0; i < 60; i++) {
		uint64_t a = clock_ticks();
		clock_chain(CLOCK_READ_LINKS);
		uint64_t b = clock_ticks();
		clock_watch(3 * CLOCK_READ_LINKS);
		uint64_t c = clock_ticks();

		chain = fmin(chain, (double)(b - a));
		watch = fmin(watch, (double)(c - b));
	}
	return 3 * chain / watch;
}

/* Readings of the chain may be longer than the best by so much and count. */
#define CHAIN_FULL 1.02

double clock_turn_of(const struct clock_reading *readings, int count, double *quickest)
{
	double cycles[CLOCK_READINGS], least = INFINITY;
	size_t used = 0;

	for (int i = 0; i < count; i++)
		least = fmin(least, readings[i].links);
	*quickest = least / CLOCK_READ_LINKS / CLOCK_LINK_CYCLES;
	for (int i = 0; i < count && used < CLOCK_READINGS; i++)
		if (readings[i].links <= CHAIN_FULL * least)
			cycles[used++] = readings[i].turns / readings[i].links * CLOCK_READ_LINKS * CLOCK_LINK_CYCLES / CLOCK_TURNS;
	stats_sort(cycles, used);
	return used > 0 ? stats_quantile(cycles, used, 0.1) : 1;
}

static double find_turn(double overhead, double *quickest)
{
	struct clock_reading readings[CLOCK_READINGS];

	for (int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t a = clock_ticks();
		clock_chain(CLOCK_READ_LINKS);
		uint64_t b = clock_ticks();
		clock_turn(CLOCK_TURNS);
		uint64_t c = clock_ticks();

		readings[i] = (struct clock_reading){ (double)(b - a) - overhead, (double)(c - b) - overhead };
	}
	return clock_turn_of(readings, CLOCK_READINGS, quickest);
}

/* The core clock by the chain is no better known than this. A clock that goes up by more was not at its best before. */
#define GHZ_NOISE 0.03

void clock_learn(struct clock *clock, double turns, double ghz)
{
	bool slow = !(ghz >= (1 - GHZ_NOISE) * clock->ghz), first = clock->ghz > 0 && ghz > (1 + 2 * GHZ_NOISE) * clock->ghz;

	if (ghz > clock->ghz)
		clock->ghz = ghz;
	/* A little is noise. */
	if (!slow && turns > 0.4 && (turns < 0.93 || (first && turns > 1.07)))
		clock->turn *= turns;
}

void clock_calibrate(struct clock *clock)
{
	double begin = clock_seconds(), quickest = INFINITY;

	*clock = (struct clock){ .link = CLOCK_LINK_CYCLES, .link_sure = true, .watched = CLOCK_HAS_WATCH, .turn = 1 };
	clock->epoch = clock_ticks();
	clock->epoch_seconds = clock_seconds();
	/* Up to speed first: a core fresh from sleep runs slowly for some hundred microseconds. */
	clock_chain(1 << 16);
	clock->step = find_step();
	clock->overhead = find_overhead();
	if (CLOCK_HAS_WATCH) {
		double link = find_link();

		clock->turn = find_turn(clock->overhead, &quickest);
		clock->link_sure = fabs(link - CLOCK_LINK_CYCLES) < 0.06 * CLOCK_LINK_CYCLES;
	}
	while (clock_seconds() - begin < 2e-3)
		clock_chain(1024);
	clock->hz = (double)(clock_ticks() - clock->epoch) / (clock_seconds() - clock->epoch_seconds);
	clock->ghz = isfinite(quickest) ? clock->hz / quickest * 1e-9 : 0;
}
