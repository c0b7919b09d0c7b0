/* The innermost loops of one function of a program, found in its control flow graph. */
#pragma once

#include <stdint.h>

#include "base/status.h"
#include "model/code/loop.h"
#include "model/program/program.h"

struct program_loop {
	uint64_t begin, end; /* address of the loop's lowest instruction, and address after the
				loop's highest instruction */
	uint64_t header;     /* address at which execution enters the loop */
	int depth;	     /* depth of nesting: 1 for a loop that no other loop contains */
	int nest;	     /* private: the loop's number among all loops of the function */
};

struct program_loops {
	int count;
	struct program_loop *loop; /* the loops: deepest nesting first, then in order of address */
	bool cut; /* a jump goes to an unknown place, so that loops may be missing */
	struct function_graph *graph; /* private */
};

/* Finds the innermost loops of a function: see function_graph.h. The caller frees the result with
 * program_loops_free(). */
void program_loops_find(struct program *program, const struct program_function *function,
	struct program_loops *loops);
void program_loops_free(struct program_loops *loops);

/* The number of innermost loops of a function. */
int program_loops_count(struct program *program, const struct program_function *function);

/* Lists functions with loops that the function calls, or to which it jumps. Returns the number of
 * listed functions, at most `most`. */
size_t program_loops_called(struct program *program, const struct program_loops *loops,
	const struct program_function **called, size_t most);

/* Lists the addresses of all instructions of the function, in ascending order. The caller frees the
 * list. */
uint64_t *program_loops_addresses(const struct program_loops *loops, size_t *count);

/* The index of the loop that contains the instruction at an address; -1: none. */
int program_loop_at(const struct program_loops *loops, uint64_t address);

/* Fills `loop`, which the caller initialised, with the instructions of one loop, and with the
 * assumed path of one iteration. The assumed path through the loop takes a branch only if the
 * instruction after the branch leaves the loop. STATUS_FAILED: the loop has more than LOOP_MOST
 * instructions. */
struct status program_loop_fill(const struct program_loops *loops, int index, struct loop *loop);
