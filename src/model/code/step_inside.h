/* The inside of the single-stepper: step.c traces a child process, step_end.c says why tracing ends
 * early, step_own.c steps the user's own loops. Private to these files. */
#pragma once

#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include "model/code/step.h"

enum { STEP_CALLS = 256 };

struct tracer {
	const struct step_plan *plan;
	pid_t child;
	bool gone;    /* the child has ended, and waitpid() has reported its end */
	double begin; /* time when tracing started, from monotonic_seconds() */
	struct step_share
		before; /* time that this thread had run and waited for a processor until `begin` */

	int insn_count;
	struct insn *insn;
	int *slot; /* hash table by address, with SLOTS entries: 1 + the index of the instruction in
		      `insn`; 0: the entry is free */

	int seen_count;
	struct loop_step *seen; /* recorded steps (executed instructions) of the longer run; if
				   plan->kept, the steps of the shorter run come before them */
	int split;		/* number of recorded steps of the shorter run */
	uint64_t head; /* address, relative to loop(), at which single-stepping of a part of a call
			  begins */
	bool sampling; /* single-stepping ends without an error after plan->most_steps recorded
			  steps */
	int calls;     /* number of calls that step_calls() has stepped */
	int complete;  /* number of calls that step_calls() has stepped to their end */
	int end[STEP_CALLS]; /* number of recorded steps at the end of each call */
};

/* ---- Tracing a child (step.c) */

struct tracer step_tracer(const struct step_plan *plan);
void step_forget(struct tracer *tracer);

/* Starts the child process, and lets it run until it is ready for its first run of the loop. */
struct status step_start(struct tracer *tracer);

/* Runs the child at full speed until it is about to execute the instruction at `address`, by a
 * breakpoint. */
struct status step_run_to(struct tracer *tracer, uint64_t address);

/* Single-steps the child process until it marks the beginning or the end of a run of the loop.
 * *steps receives the number of steps. If `kept` is true, records each single-stepped instruction.
 */
struct status step_to_mark(struct tracer *tracer, bool kept, int *steps);

/* Returns how often each instruction ran in the recorded steps `from` to `to` - 1. The caller frees
 * the counts. */
int *step_counts(const struct tracer *tracer, int from, int to);

/* Single-steps both runs of the plan, and fills `loop`. */
struct status step_both(struct tracer *tracer, struct loop *loop);

/* Single-steps one call after another, for which plan->renew() draws fresh data at full speed,
 * until plan->most_steps steps are recorded. */
struct status step_calls(struct tracer *tracer, struct loop *loop);

/* Runs `how`, which single-steps a child, on one processor. Parent and child run alternately. If
 * they ran on two processors, each step would wake a processor: 80 instead of 20 µs in a virtual
 * machine. The child inherits the parent's processor. */
struct status step_on_one_processor(struct status (*how)(struct tracer *, struct loop *),
	struct tracer *tracer, struct loop *loop);

/* ---- The end of tracing (step_end.c) */

/* Adds to `share` the seconds for which this thread ran, and the seconds for which it waited for a
 * processor. */
void step_add_own_share(struct step_share *share);

/* Whether the time limit for single-stepping the child process is over. Parent and child run
 * alternately. On a busy machine, parent and child wait for other processes at every step. */
bool step_is_late(const struct tracer *tracer);

/* A timer that interrupts this thread's waits for the child process, so that step_is_late() is
 * checked even if the child blocks all signals or stops its own timer. */
struct step_watch {
	timer_t timer;
	bool there;
	sigset_t before; /* the thread's blocked signals before step_watch_begin() */
};

void step_watch_begin(struct step_watch *watch, const struct step_plan *plan);
void step_watch_end(const struct step_watch *watch);

/* The reason why ptrace cannot trace a child on this machine. */
struct status step_refused(int error);

/* Writes the file and offset of an address in the child: "mine.so+0x1139". The file and offset come
 * from the child's memory map. */
void step_describe_place(pid_t child, uint64_t address, char *buffer, size_t size);

/* Whether a signal does not come from the stepped code, but usually from the terminal.
 * Single-stepping ignores a signal from the terminal in the child, because the explorer receives it
 * too. */
bool step_passes(int number);
