/* Facts about this computer and its limits. The worker fills them in once, soon after the start.
 * Other threads read them after `known` is set. */
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
	uint64_t bytes; /* as the system reports it */
	unsigned line;	/* bytes; 0 unknown */
};

/* The processor's description of itself; unknown numbers are 0. A hypervisor may have changed them.
 */
struct processor {
	char vendor[16]; /* x86: "GenuineIntel" */
	unsigned family, model, stepping;
	unsigned implementer, part; /* AArch64: fields of MIDR_EL1 */
	/* Words, each between blanks (" avx2 avx512f "), which core models may require. x86: avx2
	 * avx512f avx512fp16 avx-vnni amx-tile amx-fp16. hybrid-e: an efficiency core. l1i-64k: the
	 * size of the L1 instruction cache. */
	char features[160];
	uint64_t l1i_bytes;
};

struct machine {
	atomic_bool known; /* set last; everything below is then final */
	char host[64];
	char name[96]; /* "AMD EPYC, family 19h model 01h" */
	char arch[16]; /* "x86_64", "aarch64" */
	struct processor processor;
	bool virtualised;
	int processors;	     /* number of processors that this process may use */
	int nodes;	     /* number of memory nodes that this process may use; 0: unknown */
	int cpu;	     /* the measured core; -1: unknown */
	bool bound;	     /* whether the worker is bound to it */
	char bind_note[160]; /* why the worker is not bound, or why it uses this core; empty: all as
				requested */
	bool apart;	     /* whether the user interface can run on another core */
	int cache_count;
	struct machine_cache
		cache[MACHINE_CACHES]; /* data and unified caches of the measured core, from L1 */
	uint64_t memory_limit; /* limit for all working sets together, in bytes: half of the free
				  memory */
	enum memory_limits_bound memory_bound;
	char memory_note[96]; /* a limit other than the free memory: "the control group allows 1
				 GiB"; empty: no other limit */
	double tick_hz;	      /* frequency of the fast counter */
	double tick_step;     /* granularity of the fast counter, in ticks */
	char clock_name[64];  /* the reference chain: "imul chain, 3 cycles a link" */
	bool watched;	      /* a watch chain separates quiet trials from contended ones */
	bool huge_pages;      /* whether transparent huge pages are available */
	char huge_note[96];   /* why huge pages are not available */
};

/* Fills in host, name, arch, processor, virtualised, memory_limit and the huge page fields. The
 * worker fills in the rest. */
void machine_identify(struct machine *machine);

/* All feature words except l1i-32k and similar; ends with NULL. */
extern const char *const processor_features[];

/* Adds a word to the features if there is space. Inline, because processor_x86.c calls it and
 * machine.c calls processor_x86.c. */
static inline void processor_add(struct processor *processor, const char *feature)
{
	size_t used = strlen(processor->features);

	if (used + strlen(feature) + 3 <= sizeof(processor->features))
		snprintf(processor->features + used, sizeof(processor->features) - used, "%s%s ",
			used ? "" : " ", feature);
}

/* Whether the features contain that word. */
bool processor_has(const struct processor *processor, const char *feature);

/* Fills in processors, nodes, cpu and the caches without a worker; lasts about 2 ms. Facts that
 * cannot be read stay empty. */
void machine_survey(struct machine *machine);

struct memory_limits machine_means(const struct machine *machine);

/* Size in bytes of the data cache of that level, or 0. */
uint64_t machine_cache(const struct machine *machine, int level);
/* The size of the core's own caches, bytes. This is the second-level cache, because cores share the
 * third; or the first-level cache if there is no second. 256 KiB if the system reports neither. */
uint64_t machine_own_caches(const struct machine *machine);
/* The size in bytes of the last data cache, or 0. */
uint64_t machine_last_cache(const struct machine *machine);

/* Fills in name, processor and virtualised. On hybrid processors the features belong to the core on
 * which the caller runs, which should be the measured one. See processor_x86.c, processor_arm64.c.
 */
void identify_processor(struct machine *machine);
