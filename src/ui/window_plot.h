/* A curve of cycles over the fillers between two misses, on the canvas: both axes linear, with the
 * knee that was found in it and the entries that the core's model has. */
#ifndef SLX_UI_WINDOW_PLOT_H
#define SLX_UI_WINDOW_PLOT_H

#include "experiment/windows/windows.h"
#include "ui/canvas.h"

/* The fewest rows and columns that show anything. */
enum { WINDOW_PLOT_ROWS = 6, WINDOW_PLOT_COLUMNS = 30 };

/* here: the present number of fillers, marked on the axis; negative: it is on no curve. */
void window_plot_draw(
	struct canvas *canvas, struct rectangle at, const struct windows_row *row, double here);

#endif
