/* The timeline of a loop: the cycles in which each instruction is renamed, waits, executes and
 * retires. The times are from a run of the simulated pipeline (pipeline.c), from its first cycle
 * on.
 *
 * A core that chooses ports at rename has the run that the limit `scheduling` comes from. For all
 * other cores, ports have equal shares of the work, as in the port limit. Rates that are no ports
 * (loads per cycle, lines per cycle, …) let one access pass per period. The cycles of the run
 * therefore equal the prediction, except where `differs` is true. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/limits/explain.h"

/* A micro-op. */
struct timeline_op {
	uint8_t port;	   /* index of the port or unit in uarch->port */
	double start, end; /* cycle of its start, and cycle from which its result is available */
};

enum timeline_kind {
	TIMELINE_WORK,
	TIMELINE_NO_PORT, /* the instruction needs no port: rename eliminates it, or it is a nop */
	TIMELINE_FUSED,	  /* second half of a macro-fused pair: the row before shows the pair */
	TIMELINE_UNKNOWN, /* the core model does not know the instruction; it takes part in nothing
			   */
};

/* One execution of one instruction. Times are in cycles; the first row is renamed in cycle 0. */
struct timeline_row {
	int insn; /* index of the instruction in loop->insn */
	int turn; /* iteration, from 0 */
	enum timeline_kind kind;
	bool carried;	  /* the instruction is part of the slowest loop-carried chain */
	double renamed;	  /* cycle in which the instruction is renamed and enters the scheduler */
	double ready;	  /* cycle from which the inputs of the first micro-op are available */
	double done;	  /* cycle from which all results are available */
	double retired;	  /* cycle in which the instruction retires */
	int op, op_count; /* index of its first micro-op in `op`, and number of its micro-ops */
	int cause; /* row whose result the first micro-op waited for; -1: it waited for none, or for
		      a row before the timeline */
};

struct timeline {
	bool known;
	char why[160];	    /* if not known: the reason */
	double cycles;	    /* cycles per iteration of the run in its steady state */
	double predicted;   /* predicted cycles per iteration */
	bool differs;	    /* `cycles` is not the prediction */
	enum limit_kind by; /* the limit that predicts */
	char note[160]; /* a sentence: what the run takes from the prediction, or why `differs` is
			   true; "": nothing */
	int row_count;
	struct timeline_row *row; /* in program order; whole passes over the path */
	int op_count;
	struct timeline_op *op;
};

/* Fills the timeline of an explanation, which must be OK. The timeline must be zeroed or filled
 * before; its memory is used again. A run takes about a millisecond. */
void timeline_make(const struct explanation *explanation, struct timeline *timeline);
void timeline_free(struct timeline *timeline);

/* Returns the letter of a row in the cells of `cycles` cycles from `from` on:
 *     D  renamed (dispatched)        =  waits for inputs or a port
 *     0…9 a…  a micro-op starts on the port with this letter (timeline_port())
 *     e  executes                    -  done, waits for older instructions
 *     R  retires                     blank: not in the pipeline */
char timeline_letter(const struct timeline *timeline, const struct timeline_row *row, double from,
	double cycles);

/* Returns the letter of a port: 0…9 a b c d f g … */
char timeline_port(int port);
