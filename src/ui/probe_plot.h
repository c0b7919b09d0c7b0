/* A probe's curve of latency over working-set size, on the canvas: both axes logarithmic, with what
 * was found in it. */
#ifndef SLX_UI_PROBE_PLOT_H
#define SLX_UI_PROBE_PLOT_H

#include "experiment/probe/probe.h"
#include "ui/canvas.h"

/* The fewest rows and columns that show anything. */
enum { PROBE_PLOT_ROWS = 5, PROBE_PLOT_COLUMNS = 30 };

void probe_plot_draw(struct canvas *canvas, struct rectangle at, const struct probe_report *report);

#endif
