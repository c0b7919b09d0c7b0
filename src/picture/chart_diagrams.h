/* Charts of the timeline and of the dependence graph of a loop. The caller owns each chart. */
#pragma once

#include "experiment/setting/setting.h"
#include "model/limits/dataflow.h"
#include "model/limits/timeline.h"
#include "picture/chart.h"

/* Makes the chart of a timeline: the instructions of the first iterations over cycles. Returns NULL
 * if the timeline is not known. */
struct chart *chart_timeline(const struct explanation *explanation, const struct setting *setting,
	const struct timeline *timeline, const struct chart_origin *origin);

/* Makes the chart of a dependence graph: the instructions of two iterations over cycles, with a
 * line for each dependence. Returns NULL if the graph is not known. */
struct chart *chart_graph(const struct explanation *explanation, const struct setting *setting,
	const struct dataflow *dataflow, const struct chart_origin *origin);
