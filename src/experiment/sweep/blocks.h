/* The recommended block size of the present setting, next to the best one measured:
 * model/memory/block.h for the kernels, machines and cores there are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/machine/machine.h"
#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "model/limits/explain.h"
#include "model/memory/block.h"

struct blocks_question {
	const struct setting *setting;
	const struct machine *machine;
	const struct explanation *explanation; /* of the setting; its core is the one advised for;
						  NULL: sizes alone are known */
	struct memory_level l3, memory;	       /* as far as measured */
};

struct blocks {
	struct kernel_block block;
	struct block_advice advice;
};

/* False: the setting has no blocks, or no cache's size is known. */
bool blocks_find(const struct blocks_question *question, struct blocks *blocks);

/* The best of what was measured of a setting with other values of the block's knob, and what was at
 * the advised one. */
struct blocks_measured {
	int64_t best; /* the value; 0: nothing was measured */
	double best_cpe;
	double advised_cpe; /* NAN: not measured */
	int count;	    /* values that were */
};

void blocks_note(
	const struct blocks *blocks, int64_t value, double cpe, struct blocks_measured *measured);

/* Looks them up among cells: those that slices over the knob have. */
void blocks_look(const struct blocks *blocks, const struct setting *setting,
	const struct cells *cells, struct memory_limits memory_limits,
	struct blocks_measured *measured);

/* "block=288 advised; best of 12 measured: 64, where it takes 5 % less"; measured may be NULL. */
struct blocks_text {
	char text[160];
};
struct blocks_text blocks_finding(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured);

/* The same and why: "…: three blocks … fit L2 …". */
void blocks_words(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured, char *buffer, size_t size);
