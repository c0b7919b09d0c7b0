/* Charts of reports: the bars of limits, a probe, the windows of a core, pressures and costs.
 * Charts of sweeps are in chart_sweep.h. The caller owns each chart. */
#pragma once

#include "experiment/cost/cost.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"
#include "experiment/slack/slack.h"
#include "experiment/windows/windows.h"
#include "model/limits/explain.h"
#include "picture/chart.h"

/* The bars of limits: a bar for each limit in cycles per element, and the measured value below.
 * The status of the explanation (code and limits of a loop) must be OK. Parameter `sample`: the
 * sample measured at the setting; if it is NULL or not valid, the chart has no measured bar.
 * Parameter `words`: a comparison of the binding limit and the measured value, "at the limit"; may
 * be empty. */
struct chart *chart_limits(const struct explanation *explanation, const struct setting *setting,
	const struct sample *sample, const char *words, const struct chart_origin *origin);

/* Returns the part of the probe to draw by default: latency if it is measured, else the first
 * measured part. PROBE_PARTS: no part is measured. */
enum probe_part chart_probe_part(const struct probe_report *report);

/* Makes the chart of one part of the probe, with the data measured so far. */
struct chart *chart_probe(
	const struct probe_report *report, enum probe_part part, const struct chart_origin *origin);

/* Makes the chart of the curve of one filler (a row of the report), or of all fillers with measured
 * points if `row` is NULL. Returns NULL if no point of the report is measured. */
struct chart *chart_windows(const struct windows_report *report, const struct windows_row *row,
	const struct chart_origin *origin);

/* Makes the chart of the probed pressure on the resources of the core (ports, for example): a bar
 * for each busy resource in cycles per iteration, the busiest first, and the cycles of an iteration
 * below. Returns NULL if no resource is measured. */
struct chart *chart_pressure(const struct slack_report *report, const struct chart_origin *origin);

/* Makes the chart of the probed pressure on the busiest resources over one knob of the setting: a
 * line for each resource, and a line for the cycles of an iteration. The reports are of the same
 * kernel, and differ only in this knob. Returns NULL if there is no report. */
struct chart *chart_pressures(const struct slack_report *const *reports, int count, int knob,
	const struct chart_origin *origin);

/* Makes the chart of the costs of a loop's instructions: a bar for each of the most expensive
 * instructions, in the order of the code, and the cycles of an element below. Returns NULL if no
 * cost is known. */
struct chart *chart_costs(const struct cost_report *report, const struct chart_origin *origin);
