/* An own loop at work, in a child process: the callbacks of its kernel, and what stepping calls.
 * Nothing here may run in the explorer itself. */
#ifndef SLX_ENGINE_OWN_OWN_CHILD_H
#define SLX_ENGINE_OWN_OWN_CHILD_H

#include "engine/own/own.h"
#include "engine/own/own_data.h"

/* Makes this process, just forked, fit for code that is not ours: signals as at a program's start,
 * no core file, standard streams that lead nowhere, and an end when its parent ends. */
void own_child_begin(void);

/* run->memory: own_data_bytes() of zeroed memory. Loads the library and lays out the data. */
struct status own_child_prepare(struct kernel_run *run);
void own_child_call(struct kernel_run *run, uint64_t elements);
void own_child_rewind(struct kernel_run *run);

/* Counts calls of loop() that came back, so that who waits can see that it still does. NULL: nobody
 * counts. */
void own_child_count(_Atomic uint64_t *calls);

/* For a stepper, which knows two lengths: see model/code/step_own.c. */
struct own_steps {
	const struct own *own;
	uint64_t seed;
	int64_t n[2]; /* the longer one, the shorter one */
	void *memory; /* NULL before own_steps_prepare() */
	own_loop *loop;
	struct own_data data;
	struct status *failure; /* in memory that is shared with the parent */
};

/* In the child: loads and lays out for the longer count. Returns 0, or 1 with the failure filled
 * in. */
int own_steps_prepare(void *steps);
/* In the child: calls the loop with the n of that many elements, which is one of the two lengths.
 */
void own_steps_run(void *steps, uint64_t elements);

#endif
