/* The chart of the core-to-core latencies. */
#pragma once

#include "experiment/cores/core_map.h"
#include "picture/chart.h"

/* Fills a chart of kind CHART_HEAT, whose titles are set. At least one pair must be measured. */
void chart_cores_fill(struct chart *chart, const struct core_map *map, struct chart_source *source);
