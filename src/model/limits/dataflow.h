/* The dependence graph of a loop with times: each instruction begins as soon as its inputs are
 * available. No port, no buffer and no width limits the times, so they are lower bounds. Two
 * iterations show what the next iteration waits for. */
#pragma once

#include <stdbool.h>

#include "model/limits/timeline.h"

/* One execution of one instruction. */
struct dataflow_row {
	int insn;		 /* index of the instruction in loop->insn */
	int turn;		 /* iteration: 0 or 1 */
	enum timeline_kind kind; /* TIMELINE_WORK also for instructions without a port */
	bool carried;		 /* the instruction is part of the slowest loop-carried chain */
	double start, end; /* cycle in which the first part begins, and cycle from which the result
			      is available. The first row without inputs starts in cycle 0 */
};

/* A part of an instruction that takes time: a load, an operation, a store. */
struct dataflow_part {
	int row;
	bool carried; /* the part is on the slowest loop-carried chain */
	double start, end;
};

/* A dependence between two rows. */
struct dataflow_edge {
	int from, to;	/* rows, from < to */
	double out, in; /* cycle from which the result is available; cycle in which the part that
			   needs the result begins */
	bool slack;	/* the consumer waits for a later input than this one */
	bool carried; /* both rows are part of the slowest loop-carried chain, and there is no slack
		       */
	bool memory;  /* the value goes through memory, from a store to a load */
};

struct dataflow {
	bool known;
	char why[160]; /* if not known: the reason */
	double chain;  /* cycles per iteration of the slowest carried chain; 0: there is none */
	int row_count, part_count, edge_count;
	struct dataflow_row *row;   /* in program order */
	struct dataflow_part *part; /* in the order of their rows */
	struct dataflow_edge *edge; /* in ascending order of `to`, one for each pair of rows */
};

/* Fills the dataflow of an explanation, which must be OK. The dataflow must be zeroed or filled
 * before. */
void dataflow_make(const struct explanation *explanation, struct dataflow *dataflow);
void dataflow_free(struct dataflow *dataflow);
