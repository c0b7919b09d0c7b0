/* The gap between a measurement and its limits, in numbers and words. Pure. */
#pragma once

#include "engine/measure/trials.h"
#include "model/limits/limits.h"

/* Relative distances: a measurement within GAP_AT of a limit is at the limit; a prediction within
 * GAP_PREDICTED of it explains it. */
#define GAP_AT	      0.03
#define GAP_PREDICTED 0.05

enum gap_kind {
	GAP_NONE, /* nothing is measured, or no hard limit is known */
	GAP_AT_LIMIT,
	GAP_SOFT,    /* above it, as a soft effect predicts */
	GAP_ABOVE,   /* above it, and nothing known says why */
	GAP_BELOW,   /* impossible: the core model must be wrong */
	GAP_FOREIGN, /* the limit is another core's: no gap */
};

struct gap {
	enum gap_kind kind;
	double cycles, percent; /* measured minus binding limit; percent of the limit */
	char words[200];	/* "0.250 (50 %) above: ALU saturation explains it" */
	char brief[40];		/* "at it", "+0.250" */
};

/* The cause of a measurement below a limit of that kind: latencies of caches and memory vary. */
const char *gap_suspect(enum limit_kind kind);

/* core: the title of the core that the limits are of, when it is not the running one; NULL: it is.
 * assumed: the running core has no model, and that core's is used instead. sample may be invalid.
 */
void gap_find(const struct sample *sample, const struct limits *limits, const char *core,
	bool assumed, struct gap *gap);
