/* Time in ticks of the processor's fast counter, and chains of dependent instructions whose latency
 * is certain: a clock that ticks in core cycles where nothing else does.
 *
 * clock_x86.c and clock_arm64.c hold the chains. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_CHAIN_UNIT = 64 };

#if defined(__x86_64__)

/* 32-bit imul takes 3 cycles on every Intel core since Nehalem and every AMD core since Zen; unlike
 * an add chain it keeps its pace while a hyper-thread sibling is busy: measured on Zen 5 next to an
 * add chain that then took 2.5 to 3.5 % longer. */
#define CLOCK_LINK_CYCLES 3
#define CLOCK_CHAIN_NAME  "imul chain, 3 cycles a link"
#define CLOCK_HAS_WATCH	  true

/* lfence on both sides: nothing before still runs when the counter is read, nothing after has
 * begun. */
static inline uint64_t clock_ticks(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

/* Waits until all before it has been done. */
static inline void clock_fence(void)
{
	__asm__ volatile("lfence" ::: "memory");
}

#elif defined(__aarch64__)

/* A register add takes one cycle on every core of interest; multiplies differ. There is no second
 * chain that a busy neighbour would slow apart from the first, so nothing is watched. */
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

/* Cleans the upper vector halves, which slow scalar code down on some cores. */
void clock_clean_vectors(void);

/* What was found out about the clock at the start. All ticks are those of clock_ticks(). */
struct clock {
	double hz;	 /* ticks per second */
	double step;	 /* granularity: the smallest difference seen between two readings, ticks */
	double overhead; /* of timing an empty region, ticks */
	double link;	 /* cycles a link of the reference chain takes */
	bool link_sure;	 /* whether the watch chain confirms it (always where there is none): where
			    one is slower than the other, it is disturbed */
	bool watched;	 /* whether there is a watch chain */
	double ghz;	 /* the fastest core clock that clock_learn() has seen; 0: none yet */
	double turn;	 /* cycles a turn of the watch loops takes, at the best that was seen
			    (clock_learn()) */
	bool turn_sure;	 /* false: nothing was seen while the chain ran at its full speed; what is
			    learnt next counts in any case */
	uint64_t epoch;	 /* ticks … */
	double epoch_seconds; /* … and CLOCK_MONOTONIC_RAW at the same time, to refine hz later */
};

/* Seconds of CLOCK_MONOTONIC_RAW. */
double clock_seconds(void);

/* What the system knows of the calling thread. */
struct clock_thread {
	long switches; /* involuntary context switches */
	double at;     /* seconds of clock_seconds() */
	double on;     /* seconds that the thread has run */
};

struct clock_thread clock_thread(void);

/* Finds the counter's step and overhead, and checks the chains against each other; takes about 3
 * ms, on the core that is to be measured. */
void clock_calibrate(struct clock *clock);

/* Takes in what a turn of the watch loops took at its best lately, as a multiple of what was known:
 * calibrated next to a busy sibling the value is too high. ghz: the core clock by the reference
 * chain in the same trials; where the chain itself ran slow, as it does after code of 512-bit
 * vectors, everything else looks quick, and nothing is learnt. */
void clock_learn(struct clock *clock, double turns, double ghz);

/* Ticks that the reference chain took for CLOCK_READ_LINKS links, and the watch loops right after
 * it for CLOCK_TURNS turns. */
struct clock_reading {
	double links, turns;
};

enum { CLOCK_READ_LINKS = 7680 };

/* Cycles of a turn: the quick end of many readings, as contention only slows the loops down, and
 * only of those in which the chain ran at its full speed (quickest: the fewest ticks that it was
 * seen to take): it may be slow for a while, by up to three, and everything else then looks quick,
 * and all that came after would look disturbed. NAN: it was slow in nearly all. Pure. */
double clock_turn_of(const struct clock_reading *readings, int count, double quickest);

/* Turns that one reading of the watch loops makes. */
enum { CLOCK_TURNS = 3072 };

/* Ticks per second as known by now: the longer after clock_calibrate(), the better. */
double clock_hz(const struct clock *clock);

/* Runs links of the reference chain (a multiple of CLOCK_CHAIN_UNIT). */
void clock_chain(uint64_t links);

/* Runs links of the watch chain, one cycle each on a core that is ours alone; nothing where there
 * is none. */
void clock_watch(uint64_t links);

/* Runs turns of the watch loops: the smallest there is, and one of nothing but nops that fills the
 * width of the pipeline. A busy sibling takes its share of the front end, and both then take about
 * twice as long; measured on Zen 3 the small loop shows contention at once where the watch chain
 * misses most of it, on Redwood Cove the wide one does, where neither other feels anything. struct
 * clock knows what a turn takes alone. */
void clock_turn(uint64_t turns);
