/* Explains a kernel at one setting: reads or steps its loop, and computes every limit on a core. It
 * measures no time.
 *
 * The kernel gets little data (its size knob is at the minimum), in its own memory. An explanation
 * therefore needs well under a millisecond. Facts that depend on the true size come from the
 * setting. */
#pragma once

#include "engine/machine/machine.h"
#include "kernels/kernel.h"
#include "model/limits/limits.h"
#include "model/limits/misses.h"

struct explain_question {
	const struct kernel *kernel;
	const int64_t *v; /* knob values of the setting */
	uint64_t seed;
	const struct uarch *uarch;	/* the core to explain for */
	bool foreign;			/* the core is not the running core */
	const struct machine *machine;	/* cache sizes; may be NULL */
	struct memory_level l3, memory; /* known only if measured */
	struct memory_point point[MEMORY_POINTS];
};

struct explanation {
	struct status status; /* not OK: the reason why there is no explanation */
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool foreign;
	struct loop loop;
	struct limits limits;
	const char *function; /* function in the source file; NULL: unknown */
	double granule;	      /* elements per iteration */
	const char *waits;    /* the event that the next load's address waits for: a clause, static
				 text; NULL: unknown */
	struct misses misses; /* misses of this walk in the caches that the limits use */
};

struct explanation *explanation_new(void);
void explanation_free(struct explanation *explanation);

/* The event that the next load waits for, from the kernel's description. NULL: unknown. */
const char *explain_waits(const struct kernel *kernel, const int64_t *v);

/* Fills the explanation and replaces its old content. */
void explain(const struct explain_question *question, struct explanation *explanation);

/* Name of the binding limit. NULL: none. */
const char *explain_binding(const struct explanation *explanation);
