/* A probe's report as text (probe_text.c), and its curve as a plot or as a table
 * (probe_curve_text.c). */
#ifndef SLX_CLI_PROBE_TEXT_H
#define SLX_CLI_PROBE_TEXT_H

#include <stdio.h>

#include "cli/format.h"
#include "experiment/probe/probe.h"

void probe_text(struct report *report, const struct probe_report *probe);

/* Latency over working-set size in 80 columns; nothing where there is no curve. */
void probe_text_plot(FILE *out, const struct probe_report *probe);

/* Every point that was measured, a line each. */
void probe_text_points(FILE *out, const struct probe_report *probe);

#endif
