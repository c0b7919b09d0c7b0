/* The path through a loop, found by single-stepping a child process (ptrace). Source S.
 *
 * The child is a fork of this process: its code cannot harm the explorer. A step costs two context
 * switches and a debug exception: 1 to 3 µs on plain hardware, 20 µs where a hypervisor traps each
 * exception. So plans are for some hundred or thousand steps. */
#pragma once

#include "base/status.h"
#include "model/code/loop.h"

/* Runs `count` elements in the child, between two marks that the stepper sets. Must be fit to run
 * after fork() (no locks, no allocation), and to run several times. */
typedef void step_run(void *context, uint64_t count);

/* Called once in the child before anything is stepped, for work that the explorer must not do
 * itself, as loading foreign code. May allocate. Returns 0, or another number after it filled in
 * `failure`. */
typedef int step_prepare(void *context);

struct step_plan {
	step_run *run;
	void *context;
	uint64_t shorter, longer; /* elements of the two runs: shorter < longer, both multiples of
				     the granule */
	int most_steps;		  /* give up after this many instructions in one run (> 0) */
	double seconds;		  /* and after running for so long */
	step_prepare *prepare;	  /* NULL: none */
	const struct status *failure; /* in memory that the child shares; NULL where prepare is */
};

/* On a busy machine stepping ends after STEP_LATEST times its seconds. Where the two processes
 * hardly ran nor waited for a processor, the code waits for an event that may never come. */
#define STEP_LATEST 10.0
#define STEP_IDLE   0.1

/* Seconds that the two processes ran, and that they were ready while others did. */
struct step_share {
	double ran, waited;
};

/* Whether stepping must end after `elapsed` seconds. */
bool step_late(double elapsed, const struct step_share *share, double seconds);

/* Steps both runs and fills `loop` (initialised by the caller): the instructions of the loop that
 * takes most steps, the path of several turns from the middle of the longer run with their
 * addresses, elements, and exact instructions per element. A loop inside a loop with few turns is
 * taken together with the outer one. The shorter run first runs natively once, so that one-time
 * work (lazy binding) does not count. An instruction that repeats itself (rep movsb) counts once.
 * STATUS_FAILED: stepping is not allowed (the text says why: seccomp, Yama, an emulator), a signal
 * ended the run, or no instruction repeats. */
struct status step_loop(const struct step_plan *plan, struct loop *loop);

struct own;

/* Steps an own loop (engine/own/own.h): fills `loop` from a run on few elements, enough for some
 * dozens of turns. Facts that depend on the size of the data, above all addresses, are those of the
 * small run. STATUS_FAILED as step_loop(), and for a library that cannot be loaded. Takes some
 * thousand steps. */
struct status step_own(const struct own *own, uint64_t seed, struct loop *loop);
