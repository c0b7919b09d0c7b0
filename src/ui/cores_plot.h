/* Draws the core-to-core latencies as a heat map. */
#pragma once

#include "experiment/cores/core_map.h"
#include "ui/canvas.h"

/* The smallest number of rows of the map. */
enum { CORES_PLOT_ROWS = 6 };

/* Draws a cell of two columns for each pair of processors, or for each pair of neighbours if there
 * are many. A cell has the letter of its group; fast groups are bright. */
void cores_plot_draw(struct box at, const struct core_map *map);
