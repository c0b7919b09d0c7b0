/* Explains a kernel at one setting: reads or steps its loop, and computes every limit on a core.
 * Nothing is timed.
 *
 * The kernel is laid out small (its size knob at the minimum), in memory of its own, so that this
 * takes well under a millisecond. Facts that depend on the true size come from the setting. */
#pragma once

#include "engine/machine/machine.h"
#include "kernels/kernel.h"
#include "model/limits/limits.h"
#include "model/limits/misses.h"

struct explain_question {
	const struct kernel *kernel;
	const int64_t *v; /* its knobs */
	uint64_t seed;
	const struct uarch *uarch;	/* the core asked about */
	bool foreign;			/* it is not the running one */
	const struct machine *machine;	/* cache sizes; may be NULL */
	struct memory_level l3, memory; /* as far as measured */
	struct memory_point point[MEMORY_POINTS];
};

struct explanation {
	struct status status; /* not OK: why there is nothing to show */
	const struct kernel *kernel;
	int64_t v[KNOBS_MAX];
	bool foreign;
	struct loop loop;
	struct limits limits;
	const char *function; /* of the source file; NULL */
	double granule;	      /* elements an iteration */
	const char *waits;    /* what the address of the next load waits for: a clause, static text;
				 NULL: unknown */
	struct misses misses; /* of this walk, in the caches that the limits assume */
};

struct explanation *explanation_new(void);
void explanation_free(struct explanation *explanation);

/* The event that the next load waits for, by the kernel's description; NULL: unknown. */
const char *explain_waits(const struct kernel *kernel, const int64_t *v);

/* Replaces the explanation. */
void explain(const struct explain_question *question, struct explanation *explanation);

/* CPE of the binding limit, and of the prediction; NAN: there is none. The name of the binding
 * limit, or NULL. */
double explain_bound(const struct explanation *explanation);
double explain_predicted(const struct explanation *explanation);
const char *explain_binding(const struct explanation *explanation);
