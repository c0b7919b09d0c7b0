/* The dependence graph of a loop with times: each instruction begins as soon as its inputs are
 * available. No port, no buffer and no width limits the times, so they are lower bounds. The graph
 * has two iterations, to show for which results an iteration waits. */
#pragma once

#include <stdbool.h>

#include "model/limits/timeline.h"

/* One execution of one instruction. */
struct dataflow_row {
	int insn;		 /* index of the instruction in loop->insn */
	int turn;		 /* iteration: 0 or 1 */
	enum timeline_kind kind; /* in the dependence graph, TIMELINE_WORK also for instructions
				    that need no port */
	bool carried;		 /* the instruction is part of the slowest loop-carried chain */
	double start, end; /* cycle in which the instruction's first part (a load, say) begins, and
			      cycle from which its result is available. An instruction without
			      inputs starts in cycle 0 */
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
	double out, in; /* cycle from which the producer's result is available; cycle in which the
			   consumer's part that needs the result begins */
	bool slack;	/* the consumer waits for a later input than this one */
	bool carried;	/* both instructions are part of the slowest loop-carried chain, and the
			   consumer waits for no later input */
	bool memory;	/* the value goes through memory, from a store to a load */
};

struct dataflow {
	bool known;
	char why[160];	 /* if not known: the reason */
	double chain;	 /* cycles per iteration of the slowest loop-carried chain; 0: the loop has
			    none */
	double elements; /* data elements per iteration */
	int row_count, part_count, edge_count;
	struct dataflow_row *row;   /* in program order */
	struct dataflow_part *part; /* in the order of their rows */
	struct dataflow_edge *edge; /* in ascending order of `to`, one for each pair of rows */
};

/* Computes the dependence graph with its times for an explanation, whose status must be OK. The
 * struct dataflow must be zeroed, or filled by an earlier call. */
void dataflow_make(const struct explanation *explanation, struct dataflow *dataflow);
void dataflow_free(struct dataflow *dataflow);
