/* The parts of the mountain panel: throughput over size and stride. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "explorer/view.h"
#include "ui/canvas.h"

/* The number of shades. Each shade covers a factor of √2 in throughput, counted down from the
 * highest throughput. */
enum { MOUNTAIN_SHADES = 8 };
int mountain_shade(double gbps, double top);

/* Returns whether the present setting is one of the grid's cells. */
bool mountain_at(const struct view_grid *grid);

/* Returns the smallest cache that holds the size of row y: "L1", "L2", "L3" or "mem"; "" if
 * unknown. If `first` is true, also returns "" if the previous row has the same cache. */
const char *mountain_level(const struct view_grid *grid, int y, bool first);

/* Draws a surface over size and stride, seen from the largest sizes. Returns false, and draws
 * nothing, if the rectangle is too small. */
bool mountain_relief(struct box at, const struct view *view);

/* Draws a slice with one bar for each point along a knob. The title of a slice is "GB/s over size".
 * If the kernel moves no bytes, the title of a slice says cycles per element. */
struct words slice_title(const struct view *view, const struct view_slice *slice);
void slice_draw(struct box at, const struct view *view, const struct view_slice *slice);
