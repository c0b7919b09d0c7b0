/* Explains a kernel at one setting: reads or steps the kernel's loop, and computes every limit on a
 * core. An explanation measures no time.
 *
 * The kernel gets little data (the size knob is at the minimum), so an explanation needs well under
 * a millisecond. Facts that depend on the true size of the data come from the setting. */
#pragma once

#include "engine/machine/machine.h"
#include "kernels/kernel.h"
#include "model/limits/limits.h"
#include "model/limits/misses.h"

struct explain_question {
	const struct kernel *kernel;
	const int64_t *v; /* values of the kernel's knobs at the setting to explain */
	uint64_t seed;
	const struct uarch *uarch;     /* the core for which the limits are computed */
	bool foreign;		       /* the core is not the one on which the program runs */
	const struct machine *machine; /* the machine whose cache sizes are used; may be NULL */
	struct memory_facts measured;  /* values of L3 and memory on this machine */
};

struct source_line;

struct explanation {
	struct status status; /* if not OK, the reason why there is no explanation */
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool foreign;
	struct loop loop;
	struct limits limits;
	struct limits_place place; /* the sizes of data and caches for the limits */
	const char *function; /* name of the C function that contains the loop; NULL: unknown */
	double granule;	      /* number of data elements per iteration of the loop */
	const char *waits;    /* the event that the next load's address waits for: a clause, static
				 text; NULL: unknown */
	struct misses misses; /* misses of the kernel's memory accesses in the caches that the
				 limits use */
	bool in_program; /* the loop comes from a compiled program, so its instructions have the
			    program's addresses */
	const struct source_line *lines; /* for each instruction of a program's loop, its source
					    line; NULL: a kernel, or the lines are unknown */
};

struct explanation *explanation_new(void);
void explanation_free(struct explanation *explanation);

/* Returns the event that the next load waits for, from the kernel's description. Returns NULL if it
 * is unknown for which event the next load waits. */
const char *explain_waits(const struct kernel *kernel, const int64_t *v);

/* Explains the kernel at the setting and for the core that `question` contains. The old content of
 * the explanation is replaced. */
void explain(const struct explain_question *question, struct explanation *explanation);

/* Computes the limits of the loop that the caller has put into explanation->loop, which is a loop
 * of a program and not of a kernel. `number` is the loop's number among the loops of its function.
 * The data addresses of a program's loop are unknown, so its limits assume data in the first-level
 * cache. question->kernel only names the loop. */
void explain_program_loop(
	const struct explain_question *question, int number, struct explanation *explanation);

/* Returns whether the core's predictors can learn the data of the loop: a branch goes both ways, or
 * the loop loads and stores, so that a load may need an earlier store's value. A path that was not
 * observed may be learnt. `explanation` may be NULL: the loop is unknown, and may be learnt. */
bool explain_learns(const struct explanation *explanation);

/* Returns the name of the binding limit. Returns NULL if no limit is known. */
const char *explain_binding(const struct explanation *explanation);
