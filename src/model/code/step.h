/* The way through a loop, found by stepping a child process through it, one instruction at a time
 * (ptrace). Source S.
 *
 * The child is a fork of this process: what it runs cannot harm the explorer. A step costs two
 * context switches and a debug exception: 1 to 3 µs on plain hardware, 20 µs where a hypervisor
 * looks at each exception. So plans are for some hundred or thousand steps. */
#ifndef SLX_MODEL_CODE_STEP_H
#define SLX_MODEL_CODE_STEP_H

#include "base/status.h"
#include "model/code/loop.h"

/* What the child runs: `count` elements' worth of the code. Called in the child, between two marks
 * that the stepper sets; must be fit to run after fork() (no locks, no allocation), and to run
 * several times. */
typedef void step_run(void *context, uint64_t count);

/* Called once in the child, natively, before anything is stepped: what run() needs and the explorer
 * must not do itself, such as loading code that is not its own. May ask for memory. Returns 0, or a
 * number from 1 to 99 that says what went wrong, which `failure` below turns into words; NULL:
 * there is nothing to do. */
typedef int step_prepare(void *context);

struct step_plan {
	step_run *run;
	void *context;
	uint64_t shorter, longer; /* elements of the two runs: shorter < longer, both multiples of
				     the granule */
	int most_steps;		  /* give up after this many instructions in one run (> 0) */
	double seconds;		  /* and after running for so long */
	step_prepare *prepare;	  /* NULL: none */
	/* Called in the parent for a number that prepare() returned; fills text (size 200). NULL
	 * where prepare is. */
	void (*failure)(void *context, int number, char *text);
};

/* However busy the machine is, stepping ends after so many times its seconds; and where the two
 * processes hardly ran, nor waited for a processor, the code waits for something that may never
 * come. */
#define STEP_LATEST 10.0
#define STEP_IDLE   0.1

/* Seconds that the two processes ran, and that they were ready while others did. */
struct step_share {
	double ran, waited;
};

/* Whether it is to end, after so many seconds. */
bool step_late(double elapsed, const struct step_share *share, double seconds);

/* Steps both runs and fills `loop` (initialised by the caller): the instructions of the loop that
 * takes most of the steps, the path of several of its turns from the middle of the longer run with
 * the addresses it touched, elements and exact instructions per element. A loop inside a loop with
 * few turns is taken together with the outer one. STATUS_FAILED when stepping is not allowed here
 * (the text says why: seccomp, Yama, an emulator), or the run ended by a signal (named), or no
 * instruction repeats. The shorter run is made once natively first, so that what happens only once
 * (symbols that are bound lazily) is not counted. An instruction that repeats itself (rep movsb)
 * counts once. */
struct status step_loop(const struct step_plan *plan, struct loop *loop);

#endif
