/* The timeline of a loop: the cycles in which each instruction is renamed, waits, executes and
 * retires. The times are from a run of the simulated pipeline (pipeline.c), from its first cycle
 * on.
 *
 * A core that chooses ports at rename has the run that the limit `scheduling` comes from. For all
 * other cores, ports have equal shares of the work, as in the port limit. Limited rates other than
 * those of ports (loads per cycle, lines per cycle, …) let one access pass per period. The cycles
 * of the run therefore equal the prediction, except where `differs` is true. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/limits/explain.h"

/* A micro-op. */
struct timeline_op {
	uint8_t port;	   /* index of the port or unit in uarch->port */
	double start, end; /* cycle in which the micro-op starts, and cycle from which its result is
			      available */
};

enum timeline_kind {
	TIMELINE_WORK,
	TIMELINE_NO_PORT, /* the instruction needs no port: rename eliminates it, or it is a nop */
	TIMELINE_FUSED,	  /* second half of a macro-fused pair; the row of the first half shows both
			     instructions */
	TIMELINE_UNKNOWN, /* the core model does not know the instruction, which is left out of the
			     simulation */
};

/* One execution of one instruction. Times are in cycles; the instruction of the first row is
 * renamed in cycle 0. */
struct timeline_row {
	int insn; /* index of the instruction in loop->insn */
	int turn; /* iteration, from 0 */
	enum timeline_kind kind;
	bool carried;	  /* the instruction is part of the slowest loop-carried chain */
	double renamed;	  /* cycle in which the instruction is renamed and enters the scheduler */
	double ready;	  /* cycle from which the inputs of the first micro-op are available */
	double done;	  /* cycle from which all results are available */
	double retired;	  /* cycle in which the instruction retires */
	int op, op_count; /* index of the instruction's first micro-op in timeline->op, and number
			     of its micro-ops */
	int cause; /* row of the instruction whose result the first micro-op waited for; -1: none,
		      or an instruction before the timeline */
};

struct timeline {
	bool known;
	char why[160];	    /* if not known: the reason */
	double cycles;	    /* cycles per iteration of the simulated loop in its steady state */
	double predicted;   /* predicted cycles per iteration */
	double elements;    /* data elements per iteration */
	bool differs;	    /* `cycles` is not the prediction */
	enum limit_kind by; /* the limit that predicts */
	char note[160]; /* a sentence: which parts of the prediction the simulation used as given,
			   or why `differs` is true; "": nothing */
	int row_count;
	struct timeline_row *row; /* executed instructions in program order */
	int op_count;
	struct timeline_op *op;
};

/* Computes the timeline of an explanation, whose status must be OK. The struct timeline must be
 * zeroed, or filled by an earlier call, whose memory is used again. The simulation takes about a
 * millisecond. */
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
