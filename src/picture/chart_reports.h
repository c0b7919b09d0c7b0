/* Charts of what was measured or computed: the ladder of limits, a probe, the windows of a core. A
 * sweep's is in chart_sweep.h. Each chart is the caller's. */
#pragma once

#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"
#include "experiment/windows/windows.h"
#include "model/limits/explain.h"
#include "picture/chart.h"

/* The ladder of limits: each a bar in cycles per element, and below them the measured value. The
 * explanation's status is OK. sample: measured at the setting; NULL or not valid: nothing. words:
 * how the two compare, "at the limit"; may be empty. */
struct chart *chart_ladder(const struct explanation *explanation, const struct setting *setting,
	const struct sample *sample, const char *words, const struct chart_origin *origin);

/* The part that represents the probe: latency if it is measured, else the first measured part;
 * PROBE_PARTS: nothing is measured. */
enum probe_part chart_probe_part(const struct probe_report *report);

/* The chart of a part, as far as it is measured. */
struct chart *chart_probe(
	const struct probe_report *report, enum probe_part part, const struct chart_origin *origin);

/* The chart of one row, or of all rows with points (row NULL). NULL: nothing is measured. */
struct chart *chart_windows(const struct windows_report *report, const struct windows_row *row,
	const struct chart_origin *origin);
