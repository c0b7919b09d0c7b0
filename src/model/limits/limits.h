/* Every speed limit of a loop on a core: how many cycles at least, and why. Pure: no clock, no I/O.
 *
 * Hard limits are lower bounds: a true measurement never beats one. Soft ones are known effects
 * that usually cost that much, but are no bounds. To add a limit: limit_rows.h says how. */
#ifndef SLX_MODEL_LIMITS_LIMITS_H
#define SLX_MODEL_LIMITS_LIMITS_H

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

/* What binds. */
enum limit_resource { RESOURCE_PIPELINE, RESOURCE_PORTS, RESOURCE_CHAIN, RESOURCE_MEMORY };

/* What a level beyond the core's own caches does, measured on this machine. */
struct memory_level {
	bool known;
	double latency; /* cycles, load to use, random order */
	double lines;	/* a cycle, in order */
	double bytes;	/* its size; of memory 0 */
};

/* What loads in random order over so many bytes take here, those aside that a core's own caches
 * serve. A machine may state a last cache that its hypervisor gives to many: what larger ranges
 * take is then more than that cache's latency. */
enum { MEMORY_POINTS = 2 };
struct memory_point {
	double bytes;
	double latency; /* cycles; 0: not measured */
};

/* What the loop runs on, besides the core. */
struct limits_place {
	double working_set; /* bytes; 0: fits the first-level cache */
	double lines;	    /* per element, as struct kernel_run has it */
	bool scattered;
	double range;		     /* bytes that those lines range over; 0: the working set */
	double far_lines, far_range; /* likewise of the walk that goes round the first one; 0: there
					is none */
	double chains; /* chains of loads that share those lines evenly; 0: one may meet all */
	bool apart;    /* accesses are pages from each other */
	int reaches;   /* likewise: in place of lines, range and scattered; 0: those hold */
	struct kernel_reach reach[KERNEL_REACHES];
	double restart;	    /* elements after which chains begin anew; 0: never */
	double splits;	    /* per element */
	double mispredicts; /* per element; negative: nobody says */
	double cache[3];    /* bytes of L1d, L2, L3 as this machine states them; 0: none or unknown.
			       Those of the core's    file stand in for L1 and L2 when another core is
			       asked about */
	struct memory_level l3, memory;
	struct memory_point point[MEMORY_POINTS]; /* small first */
	double page;				  /* bytes; 0 unknown */
};

struct limit {
	enum limit_kind kind;
	bool known; /* false: it applies, but a number is missing; cause says which */
	bool hard;
	double cycles;	 /* per path */
	double cpe;	 /* per element */
	char cause[160]; /* "14 fused micro-ops, 4 a cycle" */
};

/* What one instruction of the loop does to the core, for the listing. */
struct limit_insn {
	bool known;
	bool fused; /* with the one before it into one micro-op */
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
	double unlaminated; /* slots per path that come on top where micro-fused forms are split */
	double mispredicts; /* per element; NAN: nobody says */
	double beyond[3];   /* cache lines per element that come from beyond L1, beyond L2, and from
			       memory, at least; NAN: unknown */
	int limit_count;
	struct limit limit[LIMIT_COUNT]; /* those that apply, highest first; unknown ones last */
	int binding;			 /* index of the highest known hard limit; -1: none */
	double bound;			 /* its CPE; 0: none */
	double predicted;		 /* CPE: the highest of all known ones */
	int predicted_by;		 /* its index, -1 */
	int port_count;			 /* ports, then units */
	double pressure[UARCH_PORTS], naive[UARCH_PORTS]; /* cycles per turn */
	uint32_t bottleneck;				  /* ports that bind */
	int unknown; /* instructions that could not be decoded or are in no table: counted nowhere
			else */
	char unknown_names[96]; /* the first of them */
	struct chain chain;
	double overlap; /* elements of a chain begun anew that are under way beside what it follows;
			   0: it never begins anew, or nobody knows */
	int insn_count, insn_room;
	struct limit_insn *insn; /* of each of the loop's instructions; owned, kept from one filling
				    to the next */
};

/* Makes room for that many instructions; limits_free() gives it back. */
void limits_reserve(struct limits *limits, int insns);
void limits_free(struct limits *limits);

/* Empty, the room kept. What was never filled must be zeroed. */
void limits_clear(struct limits *limits);

/* Fills limits (kilobytes: not for the stack of a small thread), which are zeroed or were filled
 * before. */
void limits_compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits);

/* "latency"; its title for people, "loop-carried latency". */
const char *limit_name(enum limit_kind kind);
const char *limit_title(enum limit_kind kind);
/* The kind of that name, or LIMIT_COUNT. */
enum limit_kind limit_find(const char *name);

/* What a change of the code that lowers it does: "breaks the chain". */
const char *limit_eases(enum limit_kind kind);
/* What to do against it where no knob does it: a sentence. */
const char *limit_remedy(enum limit_kind kind);

enum limit_resource limit_resource(enum limit_kind kind);
bool limit_is_hard(enum limit_kind kind);
/* Of two equal limits the one of lower rank is named first. */
int limit_rank(enum limit_kind kind);

#endif
