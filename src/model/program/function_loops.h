/* A function of a program as a kernel, whose knob `loop` chooses one of the function's innermost
 * loops. The limits of a loop follow from its machine code. The code of the program is never
 * executed, so the kernel has no times: only the model reads it. */
#pragma once

#include "kernels/kernel.h"
#include "model/limits/explain.h"
#include "model/program/program_loops.h"

/* What is known of a loop before its limits. */
struct function_loop {
	struct source_line *lines; /* the source line of each instruction; NULL: unknown */
	struct text source;	   /* the source lines: "FILE:FIRST-LAST"; empty: unknown */
	struct text place;	   /* "0x1234 to 0x1256, inside 1 loop, FILE:FIRST-LAST" */
	struct text data;     /* what an iteration reads and writes; empty: nothing that moves */
	double bytes;	      /* bytes of the longest data that it goes through in order; 0: none */
	const char *bytes_of; /* if it goes through several: " of each", " of the longest" */
	struct text remark;   /* the place, the data, and what the limits leave out: calls, untaken
				 branches */
};

struct function_loops {
	struct program_function function;
	struct text name; /* name of the function, demangled, or its address */
	struct program_loops loops;
	struct function_loop *each; /* an entry for each loop */
	struct text title;
	struct knob knob;
	struct kernel kernel;
};

/* Finds the innermost loops of a function and their source lines. `file` is the name of the program
 * for titles. The program must stay open until the caller has freed *found with
 * function_loops_free(). STATUS_FAILED: the function has no loop; the message names functions that
 * it calls and that have loops. */
struct status function_loops_open(struct program *program, const struct program_function *function,
	const char *file, struct function_loops **found);
void function_loops_free(struct function_loops *found);

/* Explains one loop, from 0: see explain_program_loop(). explanation->status is STATUS_FAILED if
 * the loop is too long. Several threads may explain loops of one function. */
void function_loops_explain(const struct function_loops *found, int loop,
	const struct explain_question *question, struct explanation *explanation);

/* Returns the index of the loop that the setting of the kernel chooses, and its remark. */
int function_loops_chosen(const struct function_loops *found, const int64_t *v);
const char *function_loops_remark(const struct function_loops *found, const int64_t *v);

/* Returns the number of calls in an iteration of a loop. The limits do not count the
 * instructions of the called functions. */
int function_loops_calls(const struct loop *loop);
