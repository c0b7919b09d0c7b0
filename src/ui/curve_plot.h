/* Draws curves of measured points, with the plateaus (cache levels) and knees (bends) found in
 * them. */
#pragma once

#include "experiment/probe/probe.h"
#include "experiment/windows/windows.h"
#include "ui/canvas.h"

/* The smallest number of rows and columns of a plot. */
enum { PROBE_PLOT_ROWS = 5, WINDOW_PLOT_ROWS = 6, CURVE_PLOT_COLUMNS = 30 };

/* Draws a probe's latency over working-set size; both axes are logarithmic. A point with 4k pages
 * is drawn as o, a point with huge pages as x, and both in one cell as *. If the trials of a point
 * have two typical values (modes), the point is drawn at both values. A vertical line with the name
 * of a level (cache or memory) marks where its plateau ends. The latency in cycles is written above
 * each plateau. */
void probe_plot_draw(struct box at, const struct probe_report *report);

/* Draws cycles over the number of fillers between two misses; both axes are linear. Points are o. A
 * horizontal line on each side of the knee shows the cycles before and after the knee. The knee is
 * a vertical line with its value on top. The uncertainty range of the knee is shaded if it is wider
 * than a column. The letter M marks the number of fillers that fills the core model's buffer.
 * Parameter `here`: the present number of fillers, marked on the axis; negative: no mark. */
void window_plot_draw(struct box at, const struct windows_row *row, double here);
