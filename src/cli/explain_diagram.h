/* The timeline and the dependence graph of an explanation, as text and as records. */
#pragma once

#include "cli/format.h"
#include "picture/chart.h"

/* The output functions of the timeline and of the graph get the setting as their item, and the
 * explanation from the report. */
extern const struct subject subject_timeline, subject_graph; /* struct setting */

/* Returns the chart of the timeline, or of the graph if `timeline` is false; NULL: unknown. */
struct chart *diagram_chart(const struct report *report, const struct setting *setting,
	bool timeline, const struct chart_origin *origin);
