/* Calibration of the reference clock. */
#include "engine/clock.h"

#include <math.h>
#include <time.h>

#include "base/stats.h"

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

/* Links a watch link takes, from slopes: the smallest of many, since contention only ever slows the watch chain and
 * the median of a contended spell would mislead. */
static double find_link(void)
{
	double ratio[60];
	int count = 0;

	for (int i = 0; i < 60; i++) {
		uint64_t a = clock_ticks();
		clock_chain(2560);
		uint64_t b = clock_ticks();
		clock_chain(5120);
		uint64_t c = clock_ticks();
		clock_watch(8192);
		uint64_t d = clock_ticks();
		clock_watch(16384);
		uint64_t e = clock_ticks();
		double chain = ((double)(c - b) - (double)(b - a)) / 2560;
		double watch = ((double)(e - d) - (double)(d - c)) / 8192;

		if (chain > 0 && watch > 0)
			ratio[count++] = chain / watch;
	}
	stats_sort(ratio, (size_t)count);
	return stats_quantile(ratio, (size_t)count, 0.75);
}

/* Cycles of a turn of the watch loops: the quick end of many, as contention only slows them down. quickest: lowered to the fewest
 * ticks that a cycle took meanwhile. */
static double find_turn(double overhead, double *quickest)
{
	double cycles[60];
	int count = 0;

	for (int i = 0; i < 60; i++) {
		uint64_t a = clock_ticks();
		clock_chain(2560);
		uint64_t b = clock_ticks();
		clock_chain(5120);
		uint64_t c = clock_ticks();
		clock_turn(CLOCK_TURNS);
		uint64_t d = clock_ticks();
		double chain = ((double)(c - b) - (double)(b - a)) / (2560.0 * CLOCK_LINK_CYCLES);

		if (chain <= 0)
			continue;
		*quickest = fmin(*quickest, chain);
		cycles[count++] = ((double)(d - c) - overhead) / chain / CLOCK_TURNS;
	}
	stats_sort(cycles, (size_t)count);
	return count > 0 ? stats_quantile(cycles, (size_t)count, 0.1) : 1;
}

void clock_learn(struct clock *clock, double turns, double ghz)
{
	bool slow = !(ghz >= 0.97 * clock->ghz);

	if (ghz > clock->ghz)
		clock->ghz = ghz;
	/* A little is noise. */
	if (!slow && turns > 0.4 && turns < 0.93)
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
	/* A slope may come out a little short: no more than the noise is taken off. */
	clock->ghz = isfinite(quickest) ? 0.98 * clock->hz / quickest * 1e-9 : 0;
}
