/* Finds the path through a loop by single-stepping a child process (ptrace). The explorer marks
 * results from stepping with the letter S.
 *
 * The child is a fork of this process, so its code cannot harm the explorer. A step needs two
 * context switches and a debug exception. A step takes 1 to 3 µs on plain hardware, or 20 µs if a
 * hypervisor traps each exception. Single-stepping is slow, so the two runs of a plan should need
 * only hundreds or thousands of steps. */
#pragma once

#include "base/status.h"
#include "kernels/kernel.h"
#include "model/code/loop.h"

/* Processes `count` data elements in the child process, while the parent single-steps the child.
 * The function runs several times, after fork(), so it must not use locks or allocate memory. */
typedef void step_run(void *context, uint64_t count);

/* The child calls this function once before stepping, for work that the explorer must not do itself
 * (loading foreign code). The function may allocate memory. A step_prepare() function returns 0 if
 * it succeeded; otherwise it fills in plan->failure and returns another number. */
typedef int step_prepare(void *context);

struct step_plan {
	step_run *run;
	void *context;
	uint64_t shorter,
		longer; /* numbers of data elements of the two runs: shorter < longer; both are
			   multiples of the number that the kernel processes at a time */
	int most_steps; /* stepping fails after this many instructions in one run (> 0) */
	double seconds; /* stepping fails after this many seconds; see step_late() */
	double latest;	/* time, from monotonic_seconds(), at which stepping fails even on a busy
			   machine; 0: no such time */
	step_prepare *prepare; /* function that prepares the child; NULL: nothing to prepare */
	step_prepare *renew;   /* function that draws fresh data for the next call: the child then
				  repeats calls of `longer` elements without end; NULL: two runs */
	bool kept; /* the executed instructions (steps) of the shorter of two runs are kept too */
	bool cold; /* the child does not run once at full speed before it is single-stepped */
	const char *called; /* how the code is called, for the message of an access to memory that
			       does not exist; NULL: not said */
	const struct status *failure; /* reason why `prepare` failed, in memory that parent and
					 child share; NULL if `prepare` is NULL */
};

/* On a busy machine, stepping may need up to STEP_LATEST times plan->seconds. If parent and child
 * were idle for nearly all of the time, the stepped code waits for some event. The event for which
 * the stepped code waits may never happen, so stepping of idle processes ends after plan->seconds.
 */
#define STEP_LATEST 4.0
#define STEP_IDLE   0.1

/* Seconds that parent and child ran, and seconds that they waited for a processor. */
struct step_share {
	double ran, waited;
};

/* Whether stepping must end after `elapsed` seconds; `seconds` is the limit of the plan. */
bool step_late(double elapsed, const struct step_share *share, double seconds);

/* Single-steps both runs of the kernel and fills `loop`, which the caller has initialised. `loop`
 * receives the instructions of the loop with the most steps. The path in `loop` is several
 * iterations from the middle of the longer run, with memory addresses. `loop` also receives the
 * elements and the exact instructions per element. An inner loop with few iterations is reported
 * together with its outer loop. Before stepping, the shorter run executes once at full speed, so
 * that one-time work, for example lazy binding, is not stepped. An instruction that repeats itself
 * (rep movsb) counts as one step. STATUS_FAILED: stepping is not allowed (the text names the
 * reason: seccomp, Yama, an emulator), a signal ended the run, or no instruction repeats. */
struct status step_loop(const struct step_plan *plan, struct loop *loop);

struct own;

/* Steps the user's own loop (engine/own/own.h), compiled for the values v of its knobs. Fills
 * `loop` from a run on few elements, enough for some dozens of iterations. If the data for the
 * setting's n are larger than that run's, some thousand steps of a call with n follow, from the
 * first iteration of the hot loop on. These steps show how the loop goes through its data: *walk
 * receives the order of the accesses, and *walked says whether *walk is known. The path of executed
 * instructions in `loop` then comes from the call with n, because more data may lead to other
 * paths. If the loop's branches depend on its data, calls with n on fresh data are also
 * single-stepped. *branches receives the executed branches of these calls; the caller frees
 * branches->branch. STATUS_FAILED: as for step_loop(), or the file does not compile, or the library
 * cannot be loaded. */
struct status step_own(const struct own *own, const int64_t *v, uint64_t seed, struct loop *loop,
	struct kernel_walk *walk, bool *walked, struct loop_branches *branches);
