/* Parts of the panel that draws the memory mountain: throughput over size and stride. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "explorer/view.h"
#include "ui/canvas.h"

/* The number of shades of the memory mountain's cells. Each shade stands for a range of throughput
 * with a factor of √2, counted down from the highest throughput. */
enum { MOUNTAIN_SHADES = 8 };
int mountain_shade(double gbps, double top);

/* Returns whether the present size and stride are a cell of the mountain's grid of sizes and
 * strides. */
bool mountain_at(const struct view_grid *grid);

/* Returns the smallest cache that holds the working-set size of the mountain's row y: "L1", "L2",
 * "L3" or "mem"; "" if unknown. If `first` is true, also returns "" if the previous row has the
 * same cache. */
const char *mountain_level(const struct view_grid *grid, int y, bool first);

/* Returns whether a rectangle is large enough for the relief. */
bool mountain_relief_fits(struct box at);

/* Draws a surface over size and stride, seen from the largest sizes. Returns false, and draws
 * nothing, if the rectangle is too small. */
bool mountain_relief(struct box at, const struct view *view);

/* Draws a slice (bytes per cycle over one knob, the other knobs being constant), with one bar for
 * each value of the knob. A slice shows bytes per cycle, because that ratio does not change with
 * the core's clock frequency. If the kernel moves no bytes, a slice shows cycles per element. */
struct words slice_title(const struct view *view, const struct view_slice *slice);
void slice_draw(struct box at, const struct view *view, const struct view_slice *slice);
