/* This computer: what it is, and what it allows. Filled once, by the worker, soon after the start;
 * read by everyone after `known` is set. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "engine/memory/memory_limits.h"

enum { MACHINE_CACHES = 6 };

struct machine_cache {
	int level;
	uint64_t bytes; /* as the system states it */
	unsigned line;	/* bytes; 0 unknown */
};

/* What the processor says of itself; numbers it does not tell are 0. A hypervisor may have changed
 * them. */
struct processor {
	char vendor[16]; /* x86: "GenuineIntel" */
	unsigned family, model, stepping;
	unsigned implementer, part; /* AArch64: of MIDR_EL1 */
	/* Words, each between blanks (" avx2 avx512f "): what core models may ask for. x86: avx2
	 * avx512f avx512fp16 avx-vnni amx-tile amx-fp16, hybrid-e on an efficiency core, and
	 * l1i-64k for the size of the L1 instruction cache. */
	char features[160];
	uint64_t l1i_bytes;
};

struct machine {
	atomic_bool known; /* everything below is final once this is set */
	char host[64];
	char name[96]; /* "AMD EPYC, family 19h model 01h" */
	char arch[16]; /* "x86_64", "aarch64" */
	struct processor processor;
	bool virtualised;
	int processors;	     /* that this process may run on */
	int nodes;	     /* memory nodes that it may use; 0: not known */
	int cpu;	     /* the core that is measured; -1 unknown */
	bool bound;	     /* whether the worker is bound to it */
	char bind_note[160]; /* why not, or why this core; empty when all is as wished */
	bool apart;	     /* whether the user interface can run on another core */
	int cache_count;
	struct machine_cache
		cache[MACHINE_CACHES]; /* data and unified, of the measured core, from L1 */
	uint64_t memory_limit; /* the largest working set on offer, all of them together: half of
				  the free memory, bytes */
	enum memory_limits_bound memory_bound;
	char memory_note[96]; /* what bounds it besides what is free: "the control group allows 1
				 GiB"; empty: nothing */
	double tick_hz;	      /* of the fast counter */
	double tick_step;     /* its granularity, in ticks */
	char clock_name[64];  /* the reference chain: "imul chain, 3 cycles a link" */
	bool watched;	      /* a second chain distinguishes quiet trials from contended ones */
	bool huge_pages;      /* whether transparent huge pages may be had */
	char huge_note[96];   /* why not */
};

/* Fills host, name, arch, processor, virtualised, memory_limit and the huge page fields; the rest
 * is the worker's. */
void machine_identify(struct machine *machine);

/* All words but "l1i-32k" and the like; NULL ends the list. */
extern const char *const processor_features[];

/* Adds a word to the features if there is room. Inline: processor_x86.c calls it, and machine.c
 * calls processor_x86.c. */
static inline void processor_add(struct processor *processor, const char *feature)
{
	size_t used = strlen(processor->features);

	if (used + strlen(feature) + 3 <= sizeof(processor->features))
		snprintf(processor->features + used, sizeof(processor->features) - used, "%s%s ",
			used ? "" : " ", feature);
}

/* Whether the features have that word. */
bool processor_has(const struct processor *processor, const char *feature);

/* Fills processors, cpu and the caches without a worker: takes 2 ms. What cannot be had stays
 * empty. */
void machine_survey(struct machine *machine);

struct memory_limits machine_means(const struct machine *machine);

/* Size in bytes of the data cache of that level, or 0. */
uint64_t machine_cache(const struct machine *machine, int level);
/* What the core's own caches hold, bytes: the second one (cores share the third), or the first
 * where there is no second; 256 KiB where the system does not say. */
uint64_t machine_own_caches(const struct machine *machine);
/* The last data cache's size in bytes, or 0. */
uint64_t machine_last_cache(const struct machine *machine);

/* Fills name, processor and virtualised. On hybrid processors the features are those of the core
 * that the caller runs on, which should be the measured one. processor_x86.c, processor_arm64.c. */
void identify_processor(struct machine *machine);
