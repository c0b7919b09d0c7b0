/* Time in ticks of the processor's fast counter, and chains of dependent instructions with known
 * latency. Chains of dependent instructions count core cycles on machines without a hardware
 * counter for them.
 *
 * clock_x86.c and clock_arm64.c hold the chains. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CLOCK_CHAIN_UNIT = 64 };

#if defined(__x86_64__)

/* A 32-bit imul has a latency of 3 cycles on Intel cores since Nehalem and on AMD cores since Zen.
 * A busy hyper-thread sibling does not slow the imul chain down. Next to a busy hyper-thread
 * sibling on Zen 5, an add chain was 2.5 to 3.5 % slower. */
#define CLOCK_LINK_CYCLES 3
#define CLOCK_CHAIN_NAME  "imul chain, 3 cycles a link"
#define CLOCK_HAS_WATCH	  true

/* The first lfence before reading the counter waits for all earlier instructions. The second
 * lfence, after the first, keeps later instructions from starting before the counter is read. */
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

/* A register add has a latency of one cycle on every supported AArch64 core; multiplication
 * latencies differ. AArch64 has no watch chain: no second chain reacts to a busy sibling
 * differently from the add chain. */
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

/* Clears the upper halves of the vector registers: on some cores, upper halves in use slow scalar
 * code down. */
void clock_clean_vectors(void);

/* Properties of the clock, found at the start of the program. All ticks in struct clock are ticks
 * of clock_ticks(), the processor's fast counter. */
struct clock {
	double hz;   /* ticks per second */
	double step; /* granularity of the processor's fast counter: the smallest difference seen
			between two readings, ticks */
	double overhead; /* duration of a timed region with no code in it, ticks */
	double link;	 /* latency of one instruction (link) of the reference chain of dependent
			    instructions, cycles */
	bool link_sure;	 /* true: the watch chain (which shows a busy hyper-thread) confirms the
			    latency `link` of the reference chain's instruction (always true without
			    a watch chain). If link_sure is true, an instruction chain that is slower
			    than the other one is disturbed */
	bool watched; /* true: this processor has a watch chain, a second chain of instructions that
			 shows a busy hyper-thread */
	double ghz; /* the highest core clock that clock_learn() has seen, GHz; 0: clock_learn() has
		       not seen a core clock yet */
	double turn;	 /* cycles for one iteration (turn) of the watch loops (which show a busy
			    hyper-thread), the lowest value seen (clock_learn()) */
	bool turn_sure;	 /* false: the watch loops (which show a busy hyper-thread) were never timed
			    while the reference chain ran at full speed, so clock_learn() accepts any
			    next value */
	unsigned buffer; /* entries of the reorder buffer if one thread uses the core; 0: unknown */
	double window;	 /* cycles for a pass of the window loop (which shows a hyper-thread that is
			    awake) on an undisturbed core; 0: unknown, because no pass has shown yet
			    that its chains run at the same time */
	uint64_t epoch;	 /* time of the calibration, ticks */
	double epoch_seconds; /* time of the calibration by CLOCK_MONOTONIC_RAW, seconds; clock_hz()
				 uses it to refine hz later */
};

/* The time by CLOCK_MONOTONIC_RAW, seconds. */
double clock_seconds(void);

/* The operating system's data on the calling thread. */
struct clock_thread {
	long switches; /* number of involuntary context switches of the thread */
	double at;     /* time at which these data were read, by clock_seconds() */
	double on;     /* run time of the thread, seconds */
};

struct clock_thread clock_thread(void);

/* Finds the counter's step and overhead, and compares the reference chain with the watch chain
 * (which shows a busy hyper-thread). Call clock_calibrate() on the core that will be measured. The
 * calibration lasts 2 ms; up to about 20 ms on a disturbed core. */
void clock_calibrate(struct clock *clock);

/* Raises clock->ghz to `ghz` if `ghz` is higher. Lowers clock->turn if recent trials had faster
 * watch loops: the calibration may have run next to a busy hyper-thread. The parameter `turns` is
 * the best recent time of an iteration of the watch loops (which show a busy hyper-thread) ÷
 * clock->turn. The parameter `ghz` is the core clock by the reference chain of dependent
 * instructions in the trials that gave `turns`. If `ghz` is low, the reference chain of dependent
 * instructions itself ran slowly, as after 512-bit vector code. All other code then looks fast
 * compared with the slow reference chain of dependent instructions, so clock_learn() ignores
 * `turns`. */
void clock_learn(struct clock *clock, double turns, double ghz);

/* What the core model says of a core that one thread uses alone. */
struct clock_alone {
	double turn;	 /* cycles of one iteration of the watch loops; 0: unknown */
	unsigned buffer; /* entries of the reorder buffer; 0: unknown */
	double window;	 /* cycles of a pass of the window loop, divided by those of its dependent
			    multiplications; 0: unknown */
};

/* Takes what the core model says into the clock. If clock->turn is more than a quarter longer than
 * alone->turn, or unknown, clock->turn becomes alone->turn: the whole calibration ran next to a
 * busy hyper-thread, and all trials would look quiet. Pure. */
void clock_expect(struct clock *clock, const struct clock_alone *alone);

/* The instructions of one iteration (turn) of the watch loops: a loop of a decrement and a branch,
 * and an eighth of a loop of 30 nops, a decrement and a branch. */
enum { CLOCK_TURN_NOPS = 30, CLOCK_TURN_SHARE = 8 };

/* Ticks of CLOCK_READ_LINKS instructions of the reference chain, and ticks of CLOCK_TURNS
 * iterations of the watch loops (which show a busy hyper-thread) right after the chain. */
struct clock_reading {
	double links, turns;
};

enum { CLOCK_READ_LINKS = 7680 };

/* Returns the cycles of an iteration of the watch loops: the 0.1 quantile of many timings, because
 * contention only slows the loops down. Only timings of the watch loops (which show a busy
 * hyper-thread) in which the reference chain ran at full speed are used. The parameter `quickest`
 * is the fewest ticks that a timing of the reference chain of dependent instructions has needed.
 * The reference chain of dependent instructions may be up to three times slower for a while. While
 * the reference chain is slow, the watch loops look fast, and a value from such timings would make
 * all later trials look disturbed. The result is NAN if the reference chain of dependent
 * instructions was slow in nearly all timings. Pure. */
double clock_turn_of(const struct clock_reading *readings, int count, double quickest);

/* Makes `count` readings. Each lasts about 12 us. */
void clock_read_turns(struct clock_reading *readings, int count);

/* A pass of the window loop runs `links` dependent multiplications, which do not depend on those of
 * the pass before, and `nops` nops. */
struct clock_window {
	unsigned links, nops;
};

/* The most multiplications and nops of a pass, and the latency of a multiplication in cycles: that
 * of the reference chain on x86-64, which alone has a window loop. */
enum { CLOCK_WINDOW_LINKS = 64, CLOCK_WINDOW_NOPS = 512, CLOCK_WINDOW_LINK_CYCLES = 3 };

/* Chooses the window loop for a reorder buffer of `entries`. A pass fits the whole buffer, so the
 * multiplications of two passes run at the same time. The nops alone do not fit half of it. Pure.
 */
struct clock_window clock_window_of(unsigned entries);

/* The number of passes in one timing of the window loop. */
enum { CLOCK_WINDOWS = 32 };

/* Runs the window loop `passes` times. Intel and AMD cores give each of two hyper-threads half of
 * the reorder buffer while both are awake, also if the other one executes little. The window loop
 * then takes 1.8 times as long, measured on Golden Cove. The watch loops show only a hyper-thread
 * that keeps the front end busy. Of a million trials beside other guests on Golden Cove, the
 * watch loops missed 5 %, whose loops of loads took up to four times as long; where the window loop
 * was fast, 99 % were right within 4 %. */
void clock_window(const struct clock_window *window, uint64_t passes);

/* Returns the cycles of a pass of the window loop, from the ticks of CLOCK_WINDOWS passes. The
 * parameter `cycle` is the time of a core cycle by the reference chain, ticks. */
double clock_window_cycles(const struct clock *clock, double ticks, double cycle);

/* Looks for the time of the window loop on an undisturbed core, if clock->buffer is known: lasts
 * about 0.1 ms. Leaves clock->window at 0 if the chains of two passes never ran at the same time,
 * because the other hyper-thread is awake all the while, or because the core works in another way.
 * The window loop shows nothing then. */
void clock_find_window(struct clock *clock);

/* Returns the time of a pass of the window loop: the 0.1 quantile of the readings, in cycles; 0: in
 * the fastest passes, the chains did not run at the same time. Pure. */
double clock_window_from(const struct clock_window *window, double *cycles, unsigned count);

/* Number of iterations of the watch loops (which show a busy hyper-thread) in one timing. */
enum { CLOCK_TURNS = 3072 };

/* Returns the ticks per second. The counter's rate is more precise if more time has passed since
 * clock_calibrate(). */
double clock_hz(const struct clock *clock);

/* Runs `links` dependent instructions of the reference chain (a multiple of CLOCK_CHAIN_UNIT). */
void clock_chain(uint64_t links);

/* Runs `links` dependent instructions of the watch chain. An instruction (link) of the watch chain
 * lasts one cycle if no other thread uses the core. clock_watch() does nothing without a watch
 * chain. */
void clock_watch(uint64_t links);

/* Runs `turns` iterations of the two watch loops: the smallest possible loop, and a loop of nops
 * that fills the pipeline width. A busy hyper-thread sibling uses part of the front end, and a
 * watch loop then needs about twice the time. On Zen 3 the smallest watch loop shows contention at
 * once, and the watch chain mostly misses it. On Redwood Cove only the watch loop of nops shows
 * contention. clock->turn is the time of one iteration of the watch loops without contention. */
void clock_turn(uint64_t turns);
