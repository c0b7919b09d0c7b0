/* Derives from a trace of executed instructions how a loop goes through its arrays: cache lines per
 * element, their order, dependences between loads, and reuse. The derived description of memory
 * accesses has the form that built-in kernels give (struct kernel_walk), so the same memory limits
 * follow. The functions do no input or output and keep no state. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"
#include "model/code/step_path.h"

/* An array that the loop may access. Accesses outside all arrays (stack, constants) are assumed to
 * hit the first-level cache. */
struct walk_array {
	uint64_t at, bytes; /* address and size of the array in the stepped run */
	double whole; /* bytes of the array with the user's n; may be larger than `bytes`, its size
			 in the stepped run */
};

struct walk_question {
	struct step_trace trace;
	const struct walk_array *array;
	int arrays;
	int mark;    /* index of an instruction in trace.insn that divides the trace into rounds */
	double each; /* number of elements that the loop processes from one execution of the
			instruction `mark` to the next */
	double elements; /* number of elements of one call of the loop with the user's n */
	bool *misses; /* receives for each step of the trace whether it loads from a line in random
			 order that was not touched shortly before */
};

/* Fills *walk, the description of the loop's memory accesses, which is emptied first.
 * walk->mispredicts counts only branches that wait for loads in random order; it is negative if
 * other mispredictions are unknown. Returns false if the trace has fewer than two executions of the
 * marked instruction, or no access to an array. */
bool walk_find(const struct walk_question *question, struct kernel_walk *walk);

/* Finds an instruction that runs a fixed number of times per element: its counts in two runs of
 * different length are proportional to the elements. Of several instructions that run a fixed
 * number of times per element, the one with the most executions is chosen, up to one per element.
 * `shorter` and `longer` are the numbers of executions of each instruction in a run of from[0] and
 * of from[1] elements. Returns the index of the instruction and sets *each to the number of
 * elements per execution of the instruction. Returns -1 if no instruction runs a fixed number of
 * times per element. */
int walk_mark(
	const int *shorter, const int *longer, int insns, const uint64_t from[2], double *each);
