/* The way through a loop, found by stepping a child process through it, one instruction at a time (ptrace). Source S.
 *
 * The child is a fork of this process: what it runs cannot harm the explorer. */
#ifndef SLX_MODEL_STEP_H
#define SLX_MODEL_STEP_H

#include "base/status.h"
#include "model/loop.h"

/* What the child runs: `count` elements' worth of the code. Called in the child, between two marks that the stepper sets; must be
 * fit to run after fork() (no locks, no allocation). */
typedef void step_run(void *context, uint64_t count);

struct step_plan {
	step_run *run;
	void *context;
	uint64_t shorter, longer;      /* elements of the two runs: shorter < longer, both multiples of the granule */
	int most_steps;                /* give up after this many instructions in one run (> 0) */
	double seconds;                /* and after this long */
};

/* Steps both runs and fills `loop` (initialised by the caller): the instructions of the loop that takes most of the steps, the
 * path of several of its turns from the middle of the longer run with the addresses it touched, elements and exact
 * instructions per element. A loop inside a loop with few turns is taken together with the outer one. STATUS_FAILED when stepping
 * is not allowed here (the text says why: seccomp, Yama, an emulator), or the run ended by a signal (named), or no instruction
 * repeats. */
struct status step_loop(const struct step_plan *plan, struct loop *loop);

#endif
