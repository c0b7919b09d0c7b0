/* Finds the recommended block size of a setting of a blocked matrix kernel, and the best measured
 * block size. model/memory/block.h contains the rule for the recommended size. blocks.c applies the
 * rule for the block size to a kernel, a machine and a core. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "model/limits/explain.h"
#include "model/memory/block.h"

struct blocks_question {
	const struct setting *setting;
	const struct explanation *explanation; /* explanation of the setting on the chosen core;
						  NULL: only cache sizes are known */
	struct cache_sizes caches;
	const struct memory_facts *measured; /* values of L3 and memory on this machine; may be
						NULL */
};

struct blocks {
	struct kernel_block block;
	struct block_advice advice;
	/* The present blocks are larger than the recommended ones, which fit a faster cache, but
	 * fit that cache too: the recommended ones are not predicted to be faster. */
	bool as_good;
};

/* Returns false if the setting's kernel has no blocks or no cache size is known. */
bool blocks_find(const struct blocks_question *question, struct blocks *blocks);

/* Summary of measurements of one setting with different block sizes: the fastest measurement, and
 * the measurement at the advised block size. */
struct blocks_measured {
	int64_t best; /* the fastest measured block size; 0: nothing was measured */
	double best_cpe;
	double advised_cpe; /* cycles per element with the advised block size; NAN: not measured */
	int count;	    /* number of measured block sizes */
};

void blocks_note(
	const struct blocks *blocks, int64_t value, double cpe, struct blocks_measured *measured);

/* Finds, among the settings that the explorer has measured, those that differ from the setting only
 * in the block size. */
void blocks_look(const struct blocks *blocks, const struct setting *setting,
	const struct cells *cells, struct memory_limits memory_limits,
	struct blocks_measured *measured);

/* Returns "block=288 advised; best of 12 measured: 64, where it takes 5 % less". `measured` may be
 * NULL. */
struct blocks_text {
	char text[600];
};
struct blocks_text blocks_finding(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured);

/* Returns the text of blocks_finding() and the reason ("three blocks … fit L2"); or that the
 * present blocks are as good, unless several sizes are measured. */
struct blocks_text blocks_words(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured);
