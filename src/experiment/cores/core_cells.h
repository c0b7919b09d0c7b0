/* The core-to-core latencies as a square of cells, for the terminal and for pictures. On a machine
 * with too many processors for the page, a row or column holds several processors that are
 * neighbours in the tree. */
#pragma once

#include <stdio.h>

#include "experiment/cores/core_map.h"

enum { CORE_CELLS = 72 };

struct core_cells {
	int per;   /* processors of a row or column of cells */
	int count; /* number of rows and of columns */
	struct core_cell {
		double ns; /* median of the pairs of this cell; NAN: no pair is measured */
		int group; /* index of the group of most pairs of this cell; -1: no pair has a group
			    */
	} cell[CORE_CELLS][CORE_CELLS];
	/* Whether a new part of the machine begins with row i. The parts are sockets; on a machine
	 * with one socket, dies; on a machine with one die, L3 caches. */
	bool begins[CORE_CELLS];
};

/* Fills *cells, with at most `most` (≤ CORE_CELLS) rows. */
void core_cells_fill(const struct core_map *map, int most, struct core_cells *cells);

/* Returns the name of the part of the machine that begins with this row: "socket 1", "L3 2". */
struct words core_cells_part(const struct core_map *map, const struct core_cells *cells, int row);

/* Returns the letter of a group in a map of letters: 'a' for the fastest group; '.': no group. */
char core_group_letter(int group);

/* The most lines that core_map_print() prints: one less than a terminal of 40 rows has. */
enum { CORE_MAP_LINES = 39 };

/* Prints the map and the groups in 80 columns of ASCII. If `points` is true, also prints every
 * pair, with one more line for each. */
void core_map_print(FILE *out, const struct core_map *map, bool points);
