/* A probe as a picture: latency over working-set size with what was found in it; or one of its
 * other parts. */
#ifndef SLX_PICTURE_CHART_PROBE_H
#define SLX_PICTURE_CHART_PROBE_H

#include "experiment/probe/probe.h"
#include "picture/chart.h"

/* The part that stands for the whole: latency where it is measured, else the first that is;
 * PROBE_PARTS: nothing is. */
enum probe_part chart_probe_part(const struct probe_report *report);

/* The chart of a part, as far as it is measured: the caller's. */
struct chart *chart_probe(
	const struct probe_report *report, enum probe_part part, const struct chart_origin *origin);

#endif
