/* The parts of the mountain's panel. */
#ifndef SLX_UI_MOUNTAIN_H
#define SLX_UI_MOUNTAIN_H

#include <stddef.h>

#include "explorer/view.h"
#include "ui/canvas.h"

/* The style of a throughput: a shade spans a factor of √2 below the highest. */
enum { MOUNTAIN_SHADES = 8 };
int mountain_shade(double gbps, double top);

/* Whether the present setting is one of the cells. */
bool mountain_at(const struct view_grid *grid);

/* The cache that a row of the grid stays in: "L1" … "mem", or "" where it is not known; first: or
 * where the row before has the same. */
const char *mountain_level(const struct view_grid *grid, int y, bool first);

/* The mountain alone has the screen, with all that is to be said of the cell under the cursor: it
 * was brought to the front, and arrows walk on it. */
bool mountain_whole(const struct view *view);

/* A surface over size and stride, seen from where both are large. Returns false, and draws nothing,
 * where it has no room. */
bool mountain_relief(struct canvas *canvas, struct rectangle at, const struct view *view);

/* The setting under the cursor: its figure, what binds it, what it misses, in as many rows as the
 * rectangle has. Returns how many all of it takes; without `draw` nothing is drawn. */
int mountain_words(struct canvas *canvas, struct rectangle at, const struct view *view, bool draw);

/* A slice as bars, one for each point along a knob. Its title: "GB/s over size", or cycles per
 * element for a kernel that moves no bytes. */
void slice_title(
	const struct view *view, const struct view_slice *slice, char *buffer, size_t size);
void slice_draw(struct canvas *canvas, struct rectangle at, const struct view *view,
	const struct view_slice *slice);

#endif
