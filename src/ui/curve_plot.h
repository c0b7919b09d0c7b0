/* Curves of measured points on the canvas, with what was found in them. */
#pragma once

#include "experiment/probe/probe.h"
#include "experiment/windows/windows.h"
#include "ui/canvas.h"

/* The fewest rows and columns that show anything. */
enum { PROBE_PLOT_ROWS = 5, WINDOW_PLOT_ROWS = 6, CURVE_PLOT_COLUMNS = 30 };

/* A probe's latency over working-set size, both axes logarithmic. Points of 4k pages are o, of huge
 * pages x, of both *; a point with two modes is drawn at both. Where a level ends there is an
 * upright line with its name on top, and over a plateau its cycles. */
void probe_plot_draw(struct box at, const struct probe_report *report);

/* Cycles over the number of fillers between two misses, both axes linear. Points are o; on either
 * side of the knee a line shows the cycles there. The knee is an upright line with its value on
 * top, and its range is shaded where it is wider than a column. M marks the core model's entries,
 * where so many fillers use all of them. here: the present number of fillers, marked on the axis;
 * negative: it is on no curve. */
void window_plot_draw(struct box at, const struct windows_row *row, double here);
