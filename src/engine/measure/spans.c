#include "engine/measure/spans.h"

#include <math.h>

/* A thread that did not run for a larger share of a span was switched out. Reading both clocks is
 * good to about 1 % of a span of 100 us. */
static const double away_most = 0.05;

bool span_is_disturbed(const struct span *span)
{
	if (span->switches != 0)
		return true;
	/* Some systems count a thread's time in steps longer than a span: no step, no evidence. */
	return span->on > 0 && span->at - span->on > away_most * span->at;
}

void spans_add(struct spans *spans, const struct span *span)
{
	if (span_is_disturbed(span)) {
		spans->rejected++;
		return;
	}
	spans->bytes += span->bytes;
	spans->seconds += span->seconds;
}

double spans_rate(const struct spans *spans)
{
	return spans->seconds > 0 ? (double)spans->bytes / spans->seconds : NAN;
}
