/* Draws the core-to-core latencies as a heat map. */
#pragma once

#include "experiment/cores/core_map.h"
#include "ui/canvas.h"

/* The smallest number of rows of the map. */
enum { CORES_PLOT_ROWS = 6 };

/* Draws a cell, two columns wide, for each pair of processors. On a large machine, several
 * neighbouring processors share a row and a column. A cell has the letter of its latency group
 * (core_group_letter()); fast groups are bright. */
void cores_plot_draw(struct box at, const struct core_map *map);
