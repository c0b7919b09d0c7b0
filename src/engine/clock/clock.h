/* Time in ticks of the processor's fast counter, and chains of dependent instructions with known
 * latency. The chains count core cycles where no other clock does.
 *
 * clock_x86.c and clock_arm64.c hold the chains. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_CHAIN_UNIT = 64 };

#if defined(__x86_64__)

/* A 32-bit imul has a latency of 3 cycles on Intel cores since Nehalem and on AMD cores since Zen.
 * A busy hyper-thread sibling does not slow the imul chain down. Next to such a sibling on Zen 5,
 * an add chain was 2.5 to 3.5 % slower. */
#define CLOCK_LINK_CYCLES 3
#define CLOCK_CHAIN_NAME  "imul chain, 3 cycles a link"
#define CLOCK_HAS_WATCH	  true

/* The first lfence waits for all earlier instructions. The second one keeps later instructions from
 * starting before the counter is read. */
static inline uint64_t clock_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

/* Waits until all earlier instructions have completed. */
static inline void clock_fence(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

#elif defined(__aarch64__)

/* A register add has a latency of one cycle on every supported core; multiplication latencies
 * differ. No second chain reacts to a busy sibling differently from the first, so there is no watch
 * chain. */
#define CLOCK_LINK_CYCLES 1
#define CLOCK_CHAIN_NAME  "add chain, 1 cycle a link"
#define CLOCK_HAS_WATCH	  false

static inline uint64_t clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("dsb nsh\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
	return ticks;
}

static inline void clock_fence(void)
{
	__asm__ volatile("dsb nsh\n\tisb" ::: "memory");
}

#else
#error "slexplore knows the clocks of x86-64 and AArch64 only"
#endif

/* Clears the upper halves of vector registers, which slow scalar code down on some cores. */
void clock_clean_vectors(void);

/* Properties of the clock, found at the start. All ticks are those of clock_ticks(). */
struct clock {
	double hz;	 /* ticks per second */
	double step;	 /* granularity: the smallest difference seen between two readings, ticks */
	double overhead; /* ticks of an empty timed region */
	double link;	 /* latency of a link of the reference chain, cycles */
	bool link_sure;	 /* whether the watch chain confirms this latency (always true without a
			    watch chain). If so, a chain that is slower than the other is disturbed
			  */
	bool watched;	 /* whether there is a watch chain */
	double ghz;	 /* the fastest core clock that clock_learn() has seen; 0: none yet */
	double turn; /* cycles for a turn of the watch loops, the best value seen (clock_learn()) */
	bool turn_sure;	      /* false: no reading was made while the chain ran at full speed;
				 clock_learn() then accepts any next value */
	uint64_t epoch;	      /* time of the calibration, ticks */
	double epoch_seconds; /* the same time by CLOCK_MONOTONIC_RAW, to refine hz later */
};

/* The time by CLOCK_MONOTONIC_RAW, seconds. */
double clock_seconds(void);

/* The system's data on the calling thread. */
struct clock_thread {
	long switches; /* involuntary context switches */
	double at;     /* seconds of clock_seconds() */
	double on;     /* run time of the thread, seconds */
};

struct clock_thread clock_thread(void);

/* Finds the counter's step and overhead, and compares the chains. Call it on the core to be
 * measured. Lasts 2 ms; up to about 20 ms on a disturbed core. */
void clock_calibrate(struct clock *clock);

/* Raises clock->ghz to a higher `ghz`. Lowers clock->turn if recent trials had faster watch loops:
 * the calibration may have run next to a busy sibling. turns: the best recent time of a turn ÷
 * clock->turn. ghz: core clock by the reference chain in the same trials. If this is low, the chain
 * itself ran slow, as after 512-bit vector code. Everything else then looks fast, and the function
 * ignores `turns`. */
void clock_learn(struct clock *clock, double turns, double ghz);

/* Ticks of CLOCK_READ_LINKS links of the reference chain, and of CLOCK_TURNS turns of the watch
 * loops right after it. */
struct clock_reading {
	double links, turns;
};

enum { CLOCK_READ_LINKS = 7680 };

/* Cycles of a turn: the 0.1 quantile of many readings, because contention only slows the loops
 * down. It uses only readings in which the chain ran at full speed. quickest: the fewest ticks seen
 * for the chain. The chain may be up to three times slower for a while. The loops then look fast,
 * and all later trials would look disturbed. NAN: the chain was slow in nearly all readings. Pure.
 */
double clock_turn_of(const struct clock_reading *readings, int count, double quickest);

/* Turns of the watch loops in one reading. */
enum { CLOCK_TURNS = 3072 };

/* Ticks per second; more precise the longer ago clock_calibrate() was. */
double clock_hz(const struct clock *clock);

/* Runs `links` links of the reference chain (a multiple of CLOCK_CHAIN_UNIT). */
void clock_chain(uint64_t links);

/* Runs `links` links of the watch chain. A link lasts one cycle if no other thread uses the core.
 * Does nothing without a watch chain. */
void clock_watch(uint64_t links);

/* Runs `turns` turns of the two watch loops: the smallest possible loop, and a loop of nops that
 * fills the pipeline width. A busy sibling uses part of the front end, and a loop then needs about
 * twice the time. On Zen 3 the small loop shows contention at once, and the watch chain mostly
 * misses it. On Redwood Cove only the wide loop shows it. clock->turn is the time of a turn without
 * contention. */
void clock_turn(uint64_t turns);
