/* The control flow graph of a function: its instructions, its blocks, and their loops. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/code/flow.h"
#include "model/code/loop_nest.h"
#include "model/program/program.h"

/* A function's code, its instructions in the order in which they were found, and its blocks. An
 * instruction is named by its index; the place of an instruction is its offset in the function. */
struct function_graph {
	const uint8_t *code;
	uint64_t address;
	uint32_t size;
	struct flow *flow;
	uint32_t *place;
	int count, room;
	int *insn_at; /* for each offset in the function, 1 + the index of the instruction at the
			 offset; 0: none */
	bool ordered; /* the instructions were found in ascending order of their addresses */
	/* A block is a run of instructions that execute one after another. block[i] is the index of
	 * a block's first instruction; blocks are in ascending order of addresses. Graph nodes with
	 * numbers from block_count on have no instructions: each stands for a jump table. */
	int *block;
	int *block_at; /* for each instruction, 1 + the index of the block that it begins */
	int block_count, node_count, node_room;
	struct graph_node *node;
	struct loop_nest nest;
};

/* Builds the graph of a function. A jump whose target is in a register is followed if the program's
 * jump table (table of targets) is found. Without a jump table, the jump may lead to each
 * instruction of the function that no other instruction reaches, and *unknown is set. A function
 * without a jump backward has instructions but no blocks and no loops. The caller frees it. */
struct function_graph *function_graph_new(
	struct program *program, const struct program_function *function, bool *unknown);
void function_graph_free(struct function_graph *graph);

/* Returns the last instruction of a basic block. The instructions of a basic block have consecutive
 * indices. */
int graph_block_end(const struct function_graph *graph, int block);

/* The address of an instruction. */
static inline uint64_t graph_address(const struct function_graph *graph, int insn)
{
	return graph->address + graph->place[insn];
}

/* Whether the function contains the address. */
static inline bool graph_inside(const struct function_graph *graph, uint64_t address)
{
	return address - graph->address < graph->size;
}
