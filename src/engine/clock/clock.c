#include "engine/clock/clock.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "base/monotonic.h"
#include "base/stats.h"

/* Number of readings, during calibration, of the two clocks of dependent instructions (the
 * reference chain and the watch loops). */
enum { CLOCK_READINGS = 60 };

/* Number of timings of the window loop in clock_find_window(). */
enum { WINDOW_READINGS = 24 };

double clock_seconds(void)
{
	return clock_read(CLOCK_MONOTONIC_RAW);
}

struct clock_thread clock_thread(void)
{
	struct rusage usage;
	double on;

	getrusage(RUSAGE_THREAD, &usage);
	/* rusage may count run time in scheduler ticks; CLOCK_THREAD_CPUTIME_ID is exact. */
	on = clock_read(CLOCK_THREAD_CPUTIME_ID);
	return (struct clock_thread){
		.switches = usage.ru_nivcsw, .at = clock_seconds(), .on = on
	};
}

double clock_hz(const struct clock *clock)
{
	double seconds = clock_seconds() - clock->epoch_seconds;

	/* Reading both clocks has an error of about 100 ns, which is below 0.01 % after 2 ms. */
	if (seconds < 2e-3)
		return clock->hz;
	return (double)(clock_ticks() - clock->epoch) / seconds;
}

/* Returns the smallest positive difference between successive readings. Under a hypervisor that
 * scales the counter, the counter may move in steps of many ticks. */
static double find_step(void)
{
	uint64_t smallest = UINT64_MAX, before = clock_ticks();

	for (int i = 0; i < 400; i++) {
		uint64_t now = clock_ticks();

		/* Delays of different length between readings make the size of a counter step
		 * visible. */
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

/* Returns the latency of one instruction (link) of the reference chain, in instructions of the
 * watch chain (which shows a busy hyper-thread). To compare the two instruction chains, the
 * function uses the fastest of many readings of each chain, including earlier readings (*chain and
 * *watch, in ticks). Each chain of dependent instructions may run slowly for a while, but no chain
 * ever runs too fast. */
static double find_link(double *chain, double *watch)
{
	for (int i = 0; i < CLOCK_READINGS; i++) {
		uint64_t a = clock_ticks();
		clock_chain(CLOCK_READ_LINKS);
		uint64_t b = clock_ticks();
		clock_watch(3 * CLOCK_READ_LINKS);
		uint64_t c = clock_ticks();

		*chain = fmin(*chain, (double)(b - a));
		*watch = fmin(*watch, (double)(c - b));
	}
	return 3 * *chain / *watch;
}

/* A timing of the reference chain of dependent instructions is used if its time is at most this
 * multiple of the best time. Small differences between timings of the chain are normal, because the
 * core clock frequency varies. */
#define CHAIN_FULL 1.06

/* Minimum number of timings of the watch loops (which show a busy hyper-thread): with fewer
 * timings, the 0.1 quantile is not reliable. */
enum { READINGS_LEAST = 10 };

double clock_turn_of(const struct clock_reading *readings, int count, double quickest)
{
	double cycles[CLOCK_READINGS];
	size_t used = 0;

	for (int i = 0; i < count && used < CLOCK_READINGS; i++)
		if (readings[i].links <= CHAIN_FULL * quickest)
			cycles[used++] = readings[i].turns / readings[i].links * CLOCK_READ_LINKS *
					 CLOCK_LINK_CYCLES / CLOCK_TURNS;
	if (used < READINGS_LEAST)
		return NAN;
	stats_sort(cycles, used);
	return stats_quantile(cycles, used, 0.1);
}

void clock_read_turns(struct clock_reading *readings, int count)
{
	for (int i = 0; i < count; i++) {
		uint64_t a = clock_ticks();
		clock_chain(CLOCK_READ_LINKS);
		uint64_t b = clock_ticks();
		clock_turn(CLOCK_TURNS);
		uint64_t c = clock_ticks();

		readings[i] = (struct clock_reading){ (double)(b - a), (double)(c - b) };
	}
}

/* Returns the ticks of one iteration (turn) of the watch loops, which detect a busy hyper-thread.
 * *chain is the fewest ticks so far of CLOCK_READ_LINKS instructions of the reference chain;
 * find_turn() lowers *chain if a timing needs fewer ticks. */
static double find_turn(double overhead, double *chain)
{
	struct clock_reading readings[CLOCK_READINGS];

	clock_read_turns(readings, CLOCK_READINGS);
	for (int i = 0; i < CLOCK_READINGS; i++) {
		readings[i].turns -= overhead;
		*chain = fmin(*chain, readings[i].links);
	}
	return clock_turn_of(readings, CLOCK_READINGS, *chain);
}

void clock_learn(struct clock *clock, double turns, double ghz)
{
	bool slow = !(ghz >= 0.97 * clock->ghz);

	if (ghz > clock->ghz)
		clock->ghz = ghz;
	/* A small improvement of the time per iteration of the watch loops (which show a busy
	 * hyper-thread) is only noise. */
	if (slow || !(turns > 0.4) || (turns >= 0.93 && clock->turn_sure))
		return;
	clock->turn *= turns;
	clock->turn_sure = true;
}

void clock_expect(struct clock *clock, const struct clock_alone *alone)
{
	if (!clock->watched)
		return;
	if (alone->turn > 0 && (!clock->turn_sure || clock->turn > 1.25 * alone->turn)) {
		clock->turn = alone->turn;
		clock->turn_sure = true;
	}
	clock->buffer = alone->buffer;
	clock->window =
		alone->window * clock_window_of(alone->buffer).links * CLOCK_WINDOW_LINK_CYCLES;
}

struct clock_window clock_window_of(unsigned entries)
{
	return (struct clock_window){
		.links = (unsigned)fmin(entries / 11, CLOCK_WINDOW_LINKS),
		.nops = (unsigned)fmin(entries * 0.58 + 4, CLOCK_WINDOW_NOPS),
	};
}

double clock_window_cycles(const struct clock *clock, double ticks, double cycle)
{
	return (ticks - clock->overhead) / cycle / CLOCK_WINDOWS;
}

/* The chains of two passes run at the same time if a pass takes less than this share of the time of
 * its chain: 0.66 on Golden Cove, and 1.2 in half a reorder buffer. */
#define WINDOW_OVERLAPS 0.85

double clock_window_from(const struct clock_window *window, double *cycles, unsigned count)
{
	double fast;

	stats_sort(cycles, count);
	fast = stats_quantile(cycles, count, 0.1);
	return fast < WINDOW_OVERLAPS * window->links * CLOCK_WINDOW_LINK_CYCLES ? fast : 0;
}

void clock_find_window(struct clock *clock)
{
	const struct clock_window window = clock_window_of(clock->buffer);
	double cycles[WINDOW_READINGS];

	if (!clock->watched || clock->buffer == 0 || clock->window > 0)
		return;
	clock_window(&window, CLOCK_WINDOWS);
	for (unsigned i = 0; i < WINDOW_READINGS; i++) {
		uint64_t a = clock_ticks();
		clock_chain(CLOCK_CHAIN_UNIT * 8);
		uint64_t b = clock_ticks();
		clock_window(&window, CLOCK_WINDOWS);
		uint64_t c = clock_ticks();

		cycles[i] = clock_window_cycles(clock, (double)(c - b),
			((double)(b - a) - clock->overhead) /
				(CLOCK_CHAIN_UNIT * 8 * CLOCK_LINK_CYCLES));
	}
	clock->window = clock_window_from(&window, cycles, WINDOW_READINGS);
}

/* Time limit for the calibration, seconds: the reference chain of dependent instructions should
 * reach full speed within this time. */
#define CALIBRATED_BY 0.02

static void calibrate_watch(struct clock *clock, double begin)
{
	double chain = INFINITY, watch = INFINITY, turn;

	do
		clock->link_sure = fabs(find_link(&chain, &watch) - CLOCK_LINK_CYCLES) <
				   0.06 * CLOCK_LINK_CYCLES;
	while (!clock->link_sure && clock_seconds() - begin < CALIBRATED_BY / 2);
	do
		turn = find_turn(clock->overhead, &chain);
	while (isnan(turn) && clock_seconds() - begin < CALIBRATED_BY);
	clock->turn_sure = !isnan(turn);
	clock->turn = clock->turn_sure ? turn : 1;
	/* clock->ghz is in cycles per tick at first: the caller multiplies it by the counter's
	 * rate. */
	clock->ghz = (double)CLOCK_READ_LINKS * CLOCK_LINK_CYCLES / chain;
}

void clock_calibrate(struct clock *clock)
{
	double begin = clock_seconds();

	*clock = (struct clock){ .link = CLOCK_LINK_CYCLES,
		.link_sure = true,
		.watched = CLOCK_HAS_WATCH,
		.turn = 1,
		.turn_sure = true };
	clock->epoch = clock_ticks();
	clock->epoch_seconds = clock_seconds();
	/* Warm up first: a core that wakes from sleep runs slowly for some hundred microseconds. */
	clock_chain(1 << 16);
	clock->step = find_step();
	clock->overhead = find_overhead();
	if (CLOCK_HAS_WATCH)
		calibrate_watch(clock, begin);
	while (clock_seconds() - begin < 2e-3)
		clock_chain(1024);
	clock->hz =
		(double)(clock_ticks() - clock->epoch) / (clock_seconds() - clock->epoch_seconds);
	clock->ghz *= clock->hz * 1e-9;
}
