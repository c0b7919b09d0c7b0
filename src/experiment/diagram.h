/* The timeline and the dependence graph of a loop as rows of cells, for the panels and for the
 * subcommand explain. Pure. */
#pragma once

#include <stdint.h>

#include "base/text.h"
#include "model/limits/dataflow.h"
#include "model/limits/timeline.h"

/* Returns the text of an instruction without the sizes of memory operands. */
struct words diagram_insn(const struct loop *loop, int insn);

/* Returns the cycles of the timeline next to the prediction, in a sentence. */
struct words diagram_sentence(const struct timeline *timeline);

/* Returns the cycles of the carried chain, in a sentence. */
struct words diagram_chain(const struct dataflow *dataflow);

/* Returns the number of cycles in a column, so that `cycles` need at most `columns` columns: 1, 2,
 * 5, 10, … */
double diagram_cycles(double cycles, int columns);

/* Returns a line with a number at each tenth column: "0         10        20". `from` is the first
 * cycle, `each` the number of cycles in a column. */
struct words diagram_ruler(double from, double each, int columns);

/* Returns the ports that timeline_port() gives a letter other than the end of their name: "a p10, b
 * p11". Only ports that the timeline uses are listed. The text is empty if there is none. */
struct words diagram_ports(const struct timeline *timeline, const struct uarch *uarch);

/* Returns the letters of the ports that the row's micro-ops use, in the order of their starts:
 * "21". "": none. */
struct words diagram_row_ports(const struct timeline *timeline, const struct timeline_row *row);

/* Returns what a row of the timeline waits for, in a sentence. */
struct words diagram_waits(const struct loop *loop, const struct uarch *uarch,
	const struct timeline *timeline, int row);

/* Returns the rows that a row of the dataflow depends on, by the numbers of their instructions from
 * 1: "1 3'"; ' marks the previous iteration. */
struct words diagram_needs(const struct dataflow *dataflow, int row);

/* A cell of the dependence graph: a set of these bits. */
enum diagram_cell {
	DIAGRAM_LEFT = 1,
	DIAGRAM_RIGHT = 2,
	DIAGRAM_UP = 4,
	DIAGRAM_DOWN = 8,     /* lines from the middle of the cell to its sides */
	DIAGRAM_BAR = 16,     /* the instruction executes */
	DIAGRAM_SLACK = 32,   /* a line to an instruction that waits for a later input */
	DIAGRAM_CARRIED = 64, /* part of the slowest loop-carried chain */
	DIAGRAM_CHOSEN = 128, /* part of the chosen row, or a line that begins or ends there */
};

/* The part of the graph to draw. Rows are rows of the dataflow. A column is a part of a cycle. */
struct diagram_window {
	int row, rows, column, columns;
	double per_cycle; /* columns of a cycle; at least 2 if each line shall have a column */
};

/* Returns the columns of a cycle, so that the graph fits in `columns` columns if possible: 4, 3, 2,
 * 1, 1/2, 1/5, … */
double diagram_per_cycle(const struct dataflow *dataflow, int columns);

/* Returns the number of columns of the whole graph. */
int diagram_columns(const struct dataflow *dataflow, double per_cycle);

/* Fills rows × columns cells. `chosen` is a row, or -1. */
void diagram_draw(const struct dataflow *dataflow, const struct diagram_window *window, int chosen,
	uint8_t *cells);
