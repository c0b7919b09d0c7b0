/* A slice as bars: one value a point along a knob. Drawn by the two slice panels. */
#ifndef SLX_UI_PLOT_H
#define SLX_UI_PLOT_H

#include <stddef.h>

#include "explorer/view.h"
#include "ui/canvas.h"

/* "GB/s over size", or cycles per element for a kernel that moves no bytes. */
void plot_title(const struct view *view, const struct view_slice *slice, char *buffer, size_t size);

void plot_draw(struct canvas *canvas, struct rectangle at, const struct view *view,
	const struct view_slice *slice);

/* The least round number (1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten) that is not below value:
 * the end of an axis. 1 for anything not above 0. */
double plot_ceiling(double value);

#endif
