/* The recommended block size of the present setting, next to the best one measured:
 * model/memory/block.h has the rule; this module asks it with a kernel, a machine and a core. */
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
	const struct explanation *explanation; /* of the setting, on the core to advise for; NULL:
						  only cache sizes are known */
	struct memory_level l3, memory;	       /* as far as measured */
};

struct blocks {
	struct kernel_block block;
	struct block_advice advice;
};

/* False: the setting has no blocks, or no cache's size is known. */
bool blocks_find(const struct blocks_question *question, struct blocks *blocks);

/* Measurements of a setting with different values of the block's knob: the fastest, and the one at
 * the advised value. */
struct blocks_measured {
	int64_t best; /* the value; 0: nothing was measured */
	double best_cpe;
	double advised_cpe; /* NAN: not measured */
	int count;	    /* measured values */
};

void blocks_note(
	const struct blocks *blocks, int64_t value, double cpe, struct blocks_measured *measured);

/* Looks the measurements up among the cells of slices over the knob. */
void blocks_look(const struct blocks *blocks, const struct setting *setting,
	const struct cells *cells, struct memory_limits memory_limits,
	struct blocks_measured *measured);

/* "block=288 advised; best of 12 measured: 64, where it takes 5 % less"; measured may be NULL. */
struct blocks_text {
	char text[160];
};
struct blocks_text blocks_finding(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured);

/* The finding with its reason: "…: three blocks … fit L2 …". */
void blocks_words(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured, char *buffer, size_t size);
