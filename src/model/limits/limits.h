/* Every speed limit of a loop on a core: the minimum number of cycles, and the cause. Pure: no
 * clock, no I/O.
 *
 * Hard limits are lower bounds: a correct measurement is never below one. Soft limits are known
 * effects that usually cost this much, but they are no bounds. limit_rows.h explains how to add a
 * limit. */
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

/* The kinds of resources that limit a loop. */
enum limit_resource { RESOURCE_PIPELINE, RESOURCE_PORTS, RESOURCE_CHAIN, RESOURCE_MEMORY };

/* A memory level beyond the core's own caches, measured on this machine. */
struct memory_level {
	bool known;
	double latency; /* cycles, load-to-use, random order */
	double lines;	/* lines a cycle, in address order */
	double bytes;	/* its size; 0 for memory */
};

/* Latency of loads in random order over a range, without loads that hit the core's own caches. A
 * hypervisor may share the last cache between many guests. Latency over a large range is then
 * higher than the latency of that cache. */
enum { MEMORY_POINTS = 2 };
struct memory_point {
	double bytes;
	double latency; /* cycles; 0: not measured */
};

/* The data of the loop, and the machine's memory. */
struct limits_place {
	struct kernel_walk walk; /* mispredicts is negative if unknown */
	double working_set;	 /* bytes; 0: fits the first-level cache */
	double cache[3]; /* bytes of L1d, L2, L3 that this machine states; 0: none, or unknown. For
			    another core, L1 and L2 come from its file. */
	struct memory_level l3, memory;
	struct memory_point point[MEMORY_POINTS]; /* small range first */
	double page;				  /* bytes; 0: unknown */
};

struct limit {
	enum limit_kind kind;
	bool known; /* false: the limit applies, but a number is missing; cause names the number */
	bool hard;
	double cycles;	 /* per path */
	double cpe;	 /* per element */
	char cause[160]; /* "14 fused micro-ops, 4 a cycle" */
};

/* One instruction of the loop, for the listing. */
struct limit_insn {
	bool known;
	bool fused; /* fused with the previous instruction into one micro-op */
	bool eliminated;
	bool carried;	/* part of the slowest carried chain */
	double slots;	/* rename slots; 0 for the second half of a fused pair */
	double latency; /* from register to register, including the load if there is one;
			   UARCH_UNKNOWN */
	char ports[40]; /* "p0156", "p23 + p06", "A0-3"; empty: none */
	double count;	/* executions per path */
};

struct limits {
	const struct uarch *uarch;
	double turns, elements;	    /* of the path */
	double instructions, slots; /* per path */
	double unlaminated;	    /* additional slots per path, if micro-fused forms are split */
	double mispredicts;	    /* per element; NAN: unknown */
	double beyond[3]; /* minimum number of cache lines per element that come from beyond L1,
			     from beyond L2, and from memory; NAN: unknown */
	int limit_count;
	struct limit
		limit[LIMIT_COUNT]; /* the limits that apply, highest first; unknown ones last */
	int binding;		    /* index of the highest known hard limit; -1: none */
	double bound;		    /* CPE of the binding limit; 0: none */
	double predicted;	    /* CPE: the highest known limit, hard or soft */
	int predicted_by;	    /* index of that limit; -1: none */
	int port_count;		    /* number of ports and units; ports come first */
	double pressure[UARCH_PORTS], naive[UARCH_PORTS]; /* cycles per turn */
	uint32_t bottleneck;				  /* the ports that bind */
	int unknown; /* instructions that cannot be decoded or are in no table: no limit counts them
		      */
	char unknown_names[96]; /* the first unknown instructions */
	struct chain chain;
	double overlap; /* elements of a new chain that overlap with the previous chain; 0: no new
			   chain begins, or unknown */
	int insn_count, insn_room;
	struct limit_insn *insn; /* one entry for each instruction of the loop; owned, and kept
				    between calls of limits_compute() */
};

/* Reserves memory for this many instructions; limits_free() frees it. */
void limits_reserve(struct limits *limits, int insns);
void limits_free(struct limits *limits);

/* Empties limits and keeps their memory. A new struct must be zeroed first. */
void limits_clear(struct limits *limits);

/* Fills limits, which must be zeroed or filled before. The struct needs kilobytes: too much for a
 * small stack. */
void limits_compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits);

/* A row of limit_rows.h. */
struct limit_row {
	const char *name, *title; /* "latency", "loop-carried latency" */
	enum limit_resource resource;
	int rank; /* of two equal limits, the limit of lower rank is named first */
	bool hard;
};

extern const struct limit_row limit_rows[LIMIT_COUNT];

/* What a change of the code that lowers this limit does: "breaks the chain". */
const char *limit_eases(enum limit_kind kind);
/* A sentence: what to do if no knob helps. */
const char *limit_remedy(enum limit_kind kind);

/* The limit kind with this name. LIMIT_COUNT: none. */
enum limit_kind limit_find(const char *name);
