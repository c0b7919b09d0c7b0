/* Computes every speed limit of a loop on a core: the minimum number of cycles, and the cause. No
 * function in this file reads a clock.
 *
 * Hard limits are lower bounds: a correct measurement is never below a hard limit. Soft limits are
 * estimates of known effects. A loop may run faster than a soft limit. limit_rows.h explains how to
 * add a limit. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "kernels/kernel.h"
#include "model/code/loop.h"
#include "model/core/uarch.h"
#include "model/graph/deps.h"
#include "model/memory/cache_sizes.h"

#define LIMIT(id, ...) LIMIT_##id,
enum limit_kind {
#include "model/limits/limit_rows.h"
	LIMIT_COUNT
};

/* The kinds of resources that limit a loop. */
enum limit_resource { RESOURCE_PIPELINE, RESOURCE_PORTS, RESOURCE_CHAIN, RESOURCE_MEMORY };

/* Describes the data of the loop, and the machine's caches and memory. */
struct limits_place {
	struct kernel_walk walk; /* order of the accesses to the data; walk.mispredicts is negative
				    if unknown */
	double working_set; /* bytes of data that the loop uses; 0: the data fit the first-level
			       cache */
	double mispredicts_spread; /* ± of walk.mispredicts, if the core learns a part of them */
	double learnt;	 /* mispredictions per element that the core has learnt; walk.mispredicts is
			    without them */
	double executed; /* number of branches until the same branches come again */
	struct cache_sizes caches;
	struct memory_facts measured;
	double page;	  /* bytes of a memory page; 0: unknown */
	double cores;	  /* number of cores that run the loop at once; 0: one */
	double call;	  /* number of elements of one call of an own loop; 0: no own loop */
	bool shared_line; /* several cores write to one cache line */
	bool fresh; /* each call of the loop gets fresh random data, so the branch predictor learns
		       no sequence of values */
};

struct limit {
	enum limit_kind kind;
	bool known; /* false: the limit applies, but a number is missing; cause names the number */
	bool hard;
	bool adds;	 /* the effect adds its cycles to those of the next lower limit, because no
			    useful work overlaps with it */
	double cycles;	 /* the limit in cycles per path through the loop */
	double cpe;	 /* the limit in cycles per element of the data */
	char cause[160]; /* cause of the limit as text: "14 fused micro-ops, 4 a cycle" */
	double spread; /* spread of cpe (±, distance to the quartiles): from the number of counted
			  mispredictions and the penalty's spread in the core file, and from
			  measurements of L3 and memory; 0: no spread is known */
	double early;  /* cycles per element by which the limit is lower in runs in which the core
			  executes operations early (`extra early-vectors`) */
	double most;   /* of a limit whose cycles are unknown: the most cycles per element that its
			  effect may take; 0: no bound is known */
};

/* An instruction of the loop, for the listing of the explanation. */
struct limit_insn {
	bool known;
	bool fused; /* the instruction is fused with the previous instruction into one micro-op */
	bool eliminated;
	bool carried;	/* the instruction is part of the slowest loop-carried chain */
	double slots;	/* rename slots of the instruction; 0 for the second half of a fused pair */
	double latency; /* latency in cycles from register to register, including a load in the
			   instruction; UARCH_UNKNOWN: unknown */
	double loading; /* cycles of `latency` that the load takes before the operation begins; 0:
			   the instruction is not a load with an operation */
	char ports[40]; /* ports of the micro-ops: "p0156", "p23 + p06", "A0-3"; empty: the
			   instruction needs no port */
	double count;	/* number of executions of the instruction per path */
};

struct limits {
	const struct uarch *uarch;
	double turns, elements;	    /* number of iterations and of data elements of the path */
	double instructions, slots; /* number of instructions and of rename slots per path */
	double unlaminated; /* additional rename slots per path, if micro-fused instructions are
			       split */
	double mispredicts; /* branch mispredictions per element; NAN: unknown */
	double beyond[3];   /* minimum number of cache lines per element that come from levels after
			       L1, from levels after L2, and from memory; NAN: unknown */
	int limit_count;
	struct limit limit[LIMIT_COUNT]; /* the limits that apply, highest first; limits with an
					    unknown number come last */
	int binding;	  /* index of the highest known hard limit; -1: no hard limit is known */
	double bound;	  /* cycles per element of the binding limit; 0: no limit is known */
	double predicted; /* cycles per element of the highest known limit, hard or soft */
	/* true: a limit is unknown only until L3 or memory of this machine is measured, so the
	 * prediction may be too low */
	bool incomplete;
	int predicted_by; /* index of the highest known limit, hard or soft; -1: no limit is known
			   */
	int port_count;	  /* number of execution ports and units in the arrays; ports come first */
	double pressure[UARCH_PORTS],
		naive[UARCH_PORTS]; /* cycles per iteration for which each port is busy: with the
				       best assignment, and with an even split */
	uint32_t bottleneck;	    /* all ports and units with the highest pressure, one bit for
				       each */
	int unknown; /* number of instructions that cannot be decoded or are in no table: no limit
			counts them */
	char unknown_names[96]; /* names of the first instructions counted in `unknown` */
	struct chain chain;
	double overlap; /* number of elements of a new dependence chain that overlap with the
			   previous chain; 0: no new chain begins, or unknown */
	double restart; /* number of elements after which a new dependence chain begins; 0: never */
	int insn_count, insn_room;
	struct limit_insn *insn; /* one entry for each instruction of the loop; owned by the struct,
				    and kept between calls of limits_compute() */
};

/* Reserves memory for the entries of insns instructions. limits_free() frees the memory. */
void limits_reserve(struct limits *limits, int insns);
void limits_free(struct limits *limits);

/* Empties a struct limits and keeps its memory. A struct limits must be zeroed before its first
 * use. */
void limits_clear(struct limits *limits);

/* Fills a struct limits, which must be zeroed or filled before. A struct limits needs kilobytes:
 * too much for a small stack. */
void limits_compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits);

/* The work of one loop iteration: how many instructions of each class a core executes, without
 * their ports. */
enum { LIMITS_USES = 64 };
struct limits_work {
	double slots, loads, stores, taken; /* number of rename slots, loads, stores and taken
					       branches of one iteration */
	double vector_loads, vector_stores; /* loads into and stores from vector registers, which
					       `loads` and `stores` include */
	int use_count;			    /* number of classes of instructions in `use` */
	struct limits_use {
		const struct uarch_class *class;
		double count; /* instructions of the class per iteration */
	} use[LIMITS_USES];
};
void limits_work(const struct loop *loop, const struct uarch *uarch, struct limits_work *work);

/* Writes the short name of a set of ports: "p0156", "alu0-3". */
void limits_name_ports(const struct uarch *uarch, uint32_t ports, char *name, size_t size);

/* A row of limit_rows.h: the properties of one kind of limit. */
struct limit_row {
	const char *name; /* the only name of the limit, for people and for scripts: "latency" */
	enum limit_resource resource;
	int rank; /* if two limits are equal, the limit of lower rank is named first */
	bool hard;
};

extern const struct limit_row limit_rows[LIMIT_COUNT];

/* Whether the spread of a limit is so large that its cycles say little: more than half of them. */
bool limits_uncertain(double cpe, double spread);
/* Whether a limit is a cost that the loop has for certain, but that the core model does not know:
 * the cost of a misprediction, or a latency. */
bool limit_lacks_cost(const struct limit *limit);
/* Returns "at least ", for before a predicted value, if the prediction lacks such a cost; else "".
 */
const char *limits_at_least(const struct limits *limits);
/* Returns the predicted cycles per element with their spread: "11.70 ± 0.60", "11.70", "11.70,
 * uncertain (± 9.00)", or "at least 0.562". */
struct words limits_predicted(const struct limits *limits);
/* Returns the index of the limit that causes most of the predicted cycles: predicted_by, or the
 * next lower limit if the limit predicted_by adds fewer cycles to it than it has itself. -1: no
 * limit is known. */
int limits_main(const struct limits *limits);
/* Returns the names of the limits that cause the predicted cycles above `above`, in cycles per
 * element: "memory-latency", or "memory-latency and page-walks" if the two limits show different
 * numbers. */
struct words limits_predicted_by(const struct limits *limits, double above);

/* Returns the effect of a code change that lowers limits of kind `kind`, as words: "breaks the
 * chain". */
const char *limit_eases(enum limit_kind kind);
/* Returns a sentence with advice for a limit that no knob lowers. */
const char *limit_remedy(enum limit_kind kind);

/* Returns the term of textbooks for a hard limit: "latency bound" or "throughput bound". Soft
 * limits and limits of memory have no such term, and the result is "". Source: Bryant & O'Hallaron,
 * Computer Systems: A Programmer's Perspective, section 5.7. */
const char *limit_bound(enum limit_kind kind);

/* Returns the latency of an instruction as words: "3", or "7 + 3" for a load and its operation.
 * Returns "" if the latency is unknown. */
struct words limit_latency(const struct limit_insn *insn);
/* Returns a sentence about an operation of the slowest chain that takes another time there than
 * elsewhere: "addsd takes 3 cycles, but 2 to the next operation of the chain", or a load whose
 * index is late. Empty: the chain has no such operation. */
struct words limit_sooner(const struct limits *limits, const struct loop *loop);

/* Returns the limit kind called `name`. Returns LIMIT_COUNT if no limit is called `name`. */
enum limit_kind limit_find(const char *name);
