/* Computes the gap between a measurement and its limits, in numbers and words. The functions of
 * this file have no side effects. */
#pragma once

#include "engine/measure/trials.h"
#include "model/limits/limits.h"

/* A measurement is at a limit if their relative distance is at most GAP_AT. A prediction explains a
 * measurement if their relative distance is at most GAP_PREDICTED, or if their spreads overlap. */
#define GAP_AT	      0.03
#define GAP_PREDICTED 0.05
/* A gap is large, and gets a likely cause, if it is more than GAP_LARGE of the limit or prediction.
 */
#define GAP_LARGE 0.3

enum gap_kind {
	GAP_NONE, /* no gap: nothing is measured, no hard limit is known, or the prediction is
		     incomplete */
	GAP_AT_LIMIT,
	GAP_EARLY,   /* the measurement is below the limit by what early operations save */
	GAP_SOFT,    /* the measurement is as a soft limit predicts */
	GAP_ABOVE,   /* the measurement is above the limit, without a known reason */
	GAP_BELOW,   /* the measurement is below the limit, which is impossible, so the core model
			must be wrong */
	GAP_FOREIGN, /* the limit belongs to another core, so there is no gap */
};

struct gap {
	enum gap_kind kind;
	bool soft;   /* a soft limit is the prediction, and the gap begins at the prediction */
	bool likely; /* the words name a limit that is the likely cause of the gap */
	double cycles, percent; /* measured value minus prediction or binding limit, in cycles and
				   in percent of the prediction or limit */
	char words[400];	/* the gap in words: "0.250 (50 %) above the prediction" */
	char brief[40];		/* short form of the gap between measurement and limit: "at it", "as
				   predicted", "+0.250" */
};

/* Returns the cycles per element below which no measurement can be: the highest hard limit if the
 * core executes as many operations early as it can. Pure. */
double gap_least(const struct limits *limits);

/* Whether a measurement is so far below `least`, the result of gap_least(), that the core model or
 * the clock is wrong. */
static inline bool gap_is_below(double cpe, double least)
{
	return cpe < (1 - GAP_AT) * least;
}

/* Computes the gap of a sample, which may be invalid. `core` is the title of the core whose limits
 * are used; NULL: the running core. `assumed` is true if the running core has no model, so the
 * model of `core` is used instead. */
void gap_find(const struct sample *sample, const struct limits *limits, const char *core,
	bool assumed, struct gap *gap);
