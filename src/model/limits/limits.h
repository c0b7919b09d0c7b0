/* Every speed limit of a loop on a core: at least how many cycles, and why. Pure: no clock, no I/O.
 *
 * Hard limits are lower bounds: a true measurement never beats one. Soft limits are known effects
 * that usually cost that much, but are no bounds. limit_rows.h says how to add a limit. */
#pragma once

#include <stdbool.h>

#include "kernels/kernel.h"
#include "model/code/loop.h"
#include "model/core/uarch.h"
#include "model/graph/deps.h"

#define LIMIT(id, ...) LIMIT_##id,
enum limit_kind {
#include "model/limits/limit_rows.h"
	LIMIT_COUNT
};

/* The kinds of resources that bind. */
enum limit_resource { RESOURCE_PIPELINE, RESOURCE_PORTS, RESOURCE_CHAIN, RESOURCE_MEMORY };

/* A level beyond the core's own caches, as measured on this machine. */
struct memory_level {
	bool known;
	double latency; /* cycles, load to use, random order */
	double lines;	/* a cycle, in order */
	double bytes;	/* its size; of memory 0 */
};

/* Latency of loads in random order over a range, without those that hit the core's own caches. A
 * hypervisor may give a stated last cache to many guests: larger ranges then take longer than that
 * cache. */
enum { MEMORY_POINTS = 2 };
struct memory_point {
	double bytes;
	double latency; /* cycles; 0: not measured */
};

/* The data of the loop, and the machine's memory. */
struct limits_place {
	struct kernel_walk walk; /* its mispredicts are negative where they are unknown */
	double working_set;	 /* bytes; 0: fits the first-level cache */
	double cache[3]; /* bytes of L1d, L2, L3 as this machine states them; 0: none, or unknown.
			    For another core L1 and L2 come from its file. */
	struct memory_level l3, memory;
	struct memory_point point[MEMORY_POINTS]; /* small first */
	double page;				  /* bytes; 0 unknown */
};

struct limit {
	enum limit_kind kind;
	bool known; /* false: it applies, but a number is missing; cause names it */
	bool hard;
	double cycles;	 /* per path */
	double cpe;	 /* per element */
	char cause[160]; /* "14 fused micro-ops, 4 a cycle" */
};

/* One instruction of the loop, for the listing. */
struct limit_insn {
	bool known;
	bool fused; /* with the instruction before, into one micro-op */
	bool eliminated;
	bool carried;	/* on the slowest cycle */
	double slots;	/* rename slots; 0 for the second half of a fused pair */
	double latency; /* register to register, load included when it loads; UARCH_UNKNOWN */
	char ports[40]; /* "p0156", "p23 + p06", "A0-3"; empty: none */
	double count;	/* times it runs per path */
};

struct limits {
	const struct uarch *uarch;
	double turns, elements;	    /* of the path */
	double instructions, slots; /* per path */
	double unlaminated;	    /* more slots per path, where micro-fused forms are split */
	double mispredicts;	    /* per element; NAN: nobody says */
	double beyond[3]; /* cache lines per element from beyond L1, from beyond L2, and from
			     memory, at least; NAN: unknown */
	int limit_count;
	struct limit
		limit[LIMIT_COUNT]; /* the limits that apply, highest first; unknown ones last */
	int binding;		    /* index of the highest known hard limit; -1: none */
	double bound;		    /* its CPE; 0: none */
	double predicted;	    /* CPE: the highest of all known ones */
	int predicted_by;	    /* its index, -1 */
	int port_count;		    /* ports, then units */
	double pressure[UARCH_PORTS], naive[UARCH_PORTS]; /* cycles per turn */
	uint32_t bottleneck;				  /* ports that bind */
	int unknown; /* instructions that cannot be decoded or are in no table: no limit counts them
		      */
	char unknown_names[96]; /* the first of them */
	struct chain chain;
	double overlap; /* elements of a new chain that overlap with the chain before; 0: no new
			   chain begins, or unknown */
	int insn_count, insn_room;
	struct limit_insn *insn; /* one for each instruction of the loop; owned, and kept between
				    calls of limits_compute() */
};

/* Reserves memory for that many instructions; limits_free() frees it. */
void limits_reserve(struct limits *limits, int insns);
void limits_free(struct limits *limits);

/* Empties limits and keeps their memory. Zero a new struct before. */
void limits_clear(struct limits *limits);

/* Fills limits, which must be zeroed or filled before. They take kilobytes: too much for a small
 * stack. */
void limits_compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits);

/* A row of limit_rows.h. */
struct limit_row {
	const char *name, *title; /* "latency", "loop-carried latency" */
	const char *eases;	  /* what a change of the code does: "breaks the chain" */
	const char *remedy;	  /* a sentence: what to do where no knob helps */
	enum limit_resource resource;
	int rank; /* of two equal limits the one of lower rank is named first */
	bool hard;
};

extern const struct limit_row limit_rows[LIMIT_COUNT];

/* The kind of that name, or LIMIT_COUNT. */
enum limit_kind limit_find(const char *name);
