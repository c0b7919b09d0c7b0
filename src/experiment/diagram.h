/* The timeline and the dependence graph of a loop as rows of characters, for the panels and for the
 * subcommand explain. Pure. */
#pragma once

#include <stdint.h>

#include "base/text.h"
#include "model/limits/dataflow.h"
#include "model/limits/timeline.h"

/* Returns the text of an instruction without the sizes of memory operands. */
struct words diagram_insn(const struct loop *loop, int insn);

/* Returns "an iteration", with its number of elements if that is not 1: measured values and limits
 * are cycles per element. */
struct words diagram_iteration(double elements);

/* Returns the cause of a limit with the unit of its numbers: "4 loads, 3 a cycle (an iteration of 4
 * elements)". Without the unit if an iteration has one element, or the cause has no numbers of an
 * iteration. */
struct words diagram_cause(const struct limits *limits, const struct limit *limit);

/* Returns a sentence with the cycles per iteration of the simulated run, next to the predicted
 * cycles. */
struct words diagram_sentence(const struct timeline *timeline);

/* Returns a sentence with the cycles per iteration of the slowest loop-carried chain. */
struct words diagram_chain(const struct dataflow *dataflow);

/* Returns the number of cycles in each column of the timeline: the smallest of 1, 2,
 * 5, 10, … with which `cycles` cycles need at most `columns` columns. */
double diagram_cycles(double cycles, int columns);

/* Returns the timeline's scale: a line of text with the cycle at each tenth column. `from` is the
 * first cycle, `each` the number of cycles in a column. */
struct words diagram_ruler(double from, double each, int columns);

/* Explains the letters that stand for ports whose names have no own digit in the timeline: "a p10,
 * b p11". Only ports that the timeline uses are listed. The text is empty if the timeline uses no
 * port with a letter. */
struct words diagram_ports(const struct timeline *timeline, const struct uarch *uarch);

/* Returns the letters of the ports that an instruction's micro-ops use in the timeline, in the
 * order of their starts: "21". "": none. */
struct words diagram_row_ports(const struct timeline *timeline, const struct timeline_row *row);

/* Returns a sentence that says for what an instruction, a row of the timeline, waits. */
struct words diagram_waits(const struct loop *loop, const struct uarch *uarch,
	const struct timeline *timeline, int row);

/* Returns the instructions on whose results a row of the dependence graph depends, by their numbers
 * from 1: "1 3'"; ' marks the previous iteration. */
struct words diagram_needs(const struct dataflow *dataflow, int row);

/* A character cell of the drawn dependence graph: a set of these bits. */
enum diagram_cell {
	DIAGRAM_LEFT = 1,
	DIAGRAM_RIGHT = 2,
	DIAGRAM_UP = 4,
	DIAGRAM_DOWN = 8,   /* lines from the middle of the character cell to its left, right, upper
			       and lower side */
	DIAGRAM_BAR = 16,   /* the instruction executes */
	DIAGRAM_SLACK = 32, /* part of a dependence that delays nothing: the instruction waits for a
			       later input */
	DIAGRAM_CARRIED = 64, /* part of the slowest loop-carried chain */
	DIAGRAM_CHOSEN = 128, /* part of the instruction that the user chose, or of a line that
				 begins or ends there */
};

/* The visible part of the dependence graph. A row is one execution of an instruction. Columns are
 * positions in time. */
struct diagram_window {
	int row, rows, column, columns;
	double per_cycle; /* number of columns for each cycle; at least 2 if each line of a
			     dependence shall have its own column */
};

/* Returns the number of columns for each cycle with which the graph fits in `columns` columns if
 * possible: 4, 3, 2, 1, 1/2, 1/5, … */
double diagram_per_cycle(const struct dataflow *dataflow, int columns);

/* Returns the number of columns of the whole graph. */
int diagram_columns(const struct dataflow *dataflow, double per_cycle);

/* Draws the visible part of the graph: fills rows × columns character cells. `chosen` is the row
 * that the user chose, or -1. */
void diagram_draw(const struct dataflow *dataflow, const struct diagram_window *window, int chosen,
	uint8_t *cells);
