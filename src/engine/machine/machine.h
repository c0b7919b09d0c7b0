/* Facts about this computer and its limits. The worker (the measuring thread) fills in the facts
 * about the machine once, soon after the program's start. Other threads read the facts about the
 * machine after `known` is set. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/memory/memory_limits.h"

enum { MACHINE_CACHES = 6, DTLBS = 2 };

struct machine_cache {
	int level;
	uint64_t bytes; /* size of the cache in bytes, as the system reports it */
	unsigned line;	/* bytes of a cache line; 0: unknown */
	int ways;	/* number of ways of the cache: lines in each set; 0: unknown */
};

/* The processor's description of itself; unknown numbers are 0. A hypervisor may have changed the
 * numbers that the processor reports. */
struct processor {
	char vendor[16]; /* vendor of an x86 processor: "GenuineIntel" */
	unsigned family, model, stepping;
	unsigned implementer, part; /* AArch64: fields of MIDR_EL1 */
	/* Feature words, each between blanks (" avx2 avx512f "). A core model's file may require
	 * feature words of the processor. The instruction set words of x86 are avx2 avx512f
	 * avx512fp16 avx-vnni amx-tile amx-fp16. The word hybrid-e means an efficiency core. A word
	 * such as l1i-64k gives the size of the L1 instruction cache. */
	char features[160];
	uint64_t l1i_bytes;
	unsigned dtlb[DTLBS]; /* entries of the first and second data TLB for pages of 4 KiB; 0:
				 the processor does not state them */
	char microcode[24];   /* version of the microcode: "0xa101148"; "": unknown */
};

/* The place of a processor in the tree of the machine. The numbers of packages, dies, caches and
 * cores count from 0 over the whole machine, as hwloc does. -1: the system names no such level. */
struct processor_place {
	int cpu;  /* the system's number of the processor */
	int node; /* the system's number of the memory node; -1: the machine has one node */
	int package, die, l3, l2, core;
	int thread; /* number of the hardware thread in its core, from 0 */
};

/* The smallest part of the machine that two processors share. */
enum place_relation {
	RELATION_CORE, /* two threads of one core */
	RELATION_L3,
	RELATION_DIE,
	RELATION_PACKAGE,
	RELATION_MACHINE,
	RELATIONS
};
enum place_relation place_relation(
	const struct processor_place *a, const struct processor_place *b);

struct machine {
	atomic_bool known; /* true: all other fields of struct machine are final; set last */
	char host[64];
	char name[96]; /* name of the processor: "AMD EPYC, family 19h model 01h" */
	char arch[16]; /* name of the architecture: "x86_64", "aarch64" */
	struct processor processor;
	bool virtualised;
	int processors; /* number of processors that this process may use */
	/* The places of these processors in the tree of the machine, in the order of the tree; the
	 * worker frees them at its end. NULL: unknown. */
	struct processor_place *places;
	int node_end; /* one more than the largest number of a memory node that this process may
			 use; 0: unknown */
	int cpu;      /* the measured core; -1: unknown */
	bool bound;   /* true: the worker, the measuring thread, is bound to the measured core */
	char bind_note[160]; /* reason why the measuring thread is not bound to a core, or why it
				uses this core; empty: it runs as requested */
	bool apart; /* whether the user interface can run on a core other than the measured core */
	int cache_count;
	struct machine_cache cache[MACHINE_CACHES]; /* data and unified caches of the measured core,
						       beginning with L1 */
	uint64_t memory_limit; /* memory limit for all working sets together, in bytes: half of the
				  free memory */
	enum memory_limits_bound memory_bound;
	char memory_note[96]; /* text on a memory limit other than the free memory: "the control
				 group allows 1 GiB"; empty: no other limit */
	double tick_hz;	      /* frequency of the fast counter */
	double tick_step;     /* granularity of the processor's fast counter, in ticks */
	char clock_name[64];  /* name of the instruction chain that counts cycles: "imul chain, 3
				 cycles a link" */
	bool watched; /* true: a watch chain (a second chain of instructions) separates quiet trials
			 from contended trials */
	bool huge_pages;    /* whether transparent huge pages are available */
	char huge_note[96]; /* why huge pages are not available */
};

/* Fills in host, name, arch, processor, virtualised, memory_limit and the huge page fields. The
 * worker, the measuring thread, fills in all other fields of struct machine. */
void machine_identify(struct machine *machine);

/* All words for features of processors except l1i-32k and similar words; the list ends with NULL.
 */
extern const char *const processor_features[];

/* Adds a word to the processor's feature words if there is space. The function is inline, because
 * processor_x86.c calls it and machine.c calls processor_x86.c. */
static inline void processor_add(struct processor *processor, const char *feature)
{
	size_t used = strlen(processor->features);

	if (used + strlen(feature) + 3 <= sizeof(processor->features))
		snprintf(processor->features + used, sizeof(processor->features) - used, "%s%s ",
			used ? "" : " ", feature);
}

/* Whether the features of a processor contain this word. */
bool processor_has(const struct processor *processor, const char *feature);

/* Fills in the fields processors, node_end, cpu and cache of struct machine without a measuring
 * thread; needs about 2 ms. Facts about the machine that cannot be read stay empty. */
void machine_survey(struct machine *machine);

struct memory_limits machine_means(const struct machine *machine);

/* The size in bytes of the data cache of the level `level`; 0: the size is unknown. */
uint64_t machine_cache(const struct machine *machine, int level);
/* The size of the core's own caches, bytes. The size of the core's own caches is that of the
 * second-level cache, because cores share the third-level cache. On a machine without a
 * second-level cache, the result is the size of the first-level cache. If the system reports
 * neither cache, the result is 256 KiB. */
uint64_t machine_own_caches(const struct machine *machine);
/* The size in bytes of the last data cache; 0: the size is unknown. */
uint64_t machine_last_cache(const struct machine *machine);

/* Fills in name, processor and virtualised. On hybrid processors the features are those of the core
 * on which the caller runs; the caller should run on the measured core. See processor_x86.c,
 * processor_arm64.c. */
void identify_processor(struct machine *machine);

/* Appends a description of the machine: "NAME, virtual machine, core 3 at 4.00 GHz". `ghz` is NAN
 * if the clock is unknown. */
void machine_text(const struct machine *machine, double ghz, struct text *text);
