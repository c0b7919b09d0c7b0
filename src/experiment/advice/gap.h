/* The gap between a measurement and its limits, in numbers and words. These functions have no side
 * effects. */
#pragma once

#include "engine/measure/trials.h"
#include "model/limits/limits.h"

/* Relative distances. A measurement within GAP_AT of a limit is at the limit. A prediction within
 * GAP_PREDICTED of a measurement explains it. */
#define GAP_AT	      0.03
#define GAP_PREDICTED 0.05

enum gap_kind {
	GAP_NONE, /* nothing is measured, or no hard limit is known */
	GAP_AT_LIMIT,
	GAP_SOFT,    /* above the limit; a soft limit explains the gap */
	GAP_ABOVE,   /* above the limit, without a known reason */
	GAP_BELOW,   /* below the limit, which is impossible: the core model must be wrong */
	GAP_FOREIGN, /* the limit is another core's: no gap */
};

struct gap {
	enum gap_kind kind;
	double cycles, percent; /* measured minus binding limit; percent of the limit */
	char words[200];	/* "0.250 (50 %) above: ALU saturation explains it" */
	char brief[40];		/* "at it", "+0.250" */
};

/* The likely cause of a measurement below a limit of that kind. For memory limits, it is that
 * latencies of caches and memory vary. */
const char *gap_suspect(enum limit_kind kind);

/* core: the title of the limits' core; NULL: it is the running core. assumed: the running core has
 * no model, so that core's model is used instead. sample may be invalid. */
void gap_find(const struct sample *sample, const struct limits *limits, const char *core,
	bool assumed, struct gap *gap);
