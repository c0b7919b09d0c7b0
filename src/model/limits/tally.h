/* The counted work of one path of the loop, and the list of limits. Each group of limits adds to
 * this list. Private to limits*.c: other files read limits.h. */
#pragma once

#include "model/limits/limits.h"
#include "model/limits/ports.h"

/* Counts how often classes are used, for example in a path. The caller frees `use`. */
struct class_uses {
	int count;
	struct class_use {
		const struct uarch_class *class;
		double count;
	} * use;
};

void uses_add(struct class_uses *uses, const struct uarch_class *class, double count);

enum { ACCESS_GENERAL, ACCESS_VECTOR, ACCESS_512, ACCESS_KINDS };

/* The work of the loop in one path. */
struct tally {
	const struct loop *loop;
	const struct uarch *uarch;
	const struct limits_place *place;
	struct limits *limits;
	struct uarch_insn *facts; /* one for each instruction of the loop */
	struct insn_tally {
		double times;	      /* executions in the path */
		double taken;	      /* executions in which this branch jumps */
		double first, second; /* executions as the first or second half of a fused pair */
		bool fuses;	      /* fuses with the previous instruction into a branch */
		bool joins;	      /* joins the previous copy or load in one slot */
		double joined;	      /* executions in which it joins */
		double materialised;  /* executions that rename could do, but that need a micro-op
					 because others use the result */
	} * insn;
	struct class_uses uses;
	double turns, elements;
	double slots, unlaminated; /* slots does not include unlaminated */
	double loads[ACCESS_KINDS],
		stores[ACCESS_KINDS]; /* accesses of general registers, of vectors, and of 512-bit
					 vectors; ACCESS_VECTOR includes ACCESS_512 */
	double complex_stores;
	double branches, taken; /* all branches; branches that jump */
	double simple;		/* single-cycle operations of general registers */
	double bytes;		/* bytes of code */
	double alone; /* cycles per path of load chains, if they do not overlap with new chains; 0:
			 no such chains */
	double wait;  /* cycles that a load with a mispredicted address waits; 0: the loop predicts
			 no addresses */
	double bound; /* cycles per path of the highest hard limit; set after all hard limits are
			 known */
};

static inline double tally_all(const double accesses[ACCESS_KINDS])
{
	return accesses[ACCESS_GENERAL] + accesses[ACCESS_VECTOR];
}

/* Adds a limit of `cycles` per path. If the kind already has a limit, the higher limit stays.
 * Ignores cycles of 0 or less. */
void limits_add(struct tally *tally, enum limit_kind kind, double cycles, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a limit that applies but lacks a number. */
void limits_add_unknown(struct tally *tally, enum limit_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The groups of limits, in this order. */
void limits_throughput(struct tally *tally);
void limits_ports(struct tally *tally);
void limits_chain(struct tally *tally);
void limits_memory(struct tally *tally);
void limits_soft(struct tally *tally);

/* Loads per path in the slowest chain that each touch a different line of the working set. */
double limits_chained_misses(const struct tally *tally, const struct chain *chain);
/* The share of a chain's cycles that remains if a new chain begins every `restart` elements. The
 * new chain overlaps with the last `together` elements before it. */
double limits_restart_share(double restart, double together);
/* Whether the loop has software prefetches. They leave the reorder buffer before their line
 * arrives. */
bool limits_prefetches(const struct loop *loop);
/* The largest number of misses in flight together, for each buffer of the core. The instructions
 * from one miss to a later miss must fit the buffer. INFINITY: the size of the buffer is unknown.
 * Returns false if the individual misses are unknown. */
bool limits_in_flight(const struct tally *tally, double together[SIZE_COUNT]);
/* Cycles per path that chained loads wait for the second TLB. A hit in the second TLB costs `cost`;
 * the first TLB reaches over `bytes`. *share: the share of chained loads that wait. */
double limits_reach_walks(const struct tally *tally, double bytes, double cost, double *share);

/* Cycles per path if the core chooses ports at rename (pipeline.c). 0: unknown, because the width
 * is unknown or the path is empty. */
double pipeline_run(const struct tally *tally);

/* ---- Words (limit_words.c) */

/* Text returned by value: words_number(…).text is valid to the end of the full expression. */
struct limit_words {
	char text[160];
};
void words_add(struct limit_words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A set of ports: "p0156", "alu0-3", "p2,3,11". */
struct limit_words words_ports(const struct uarch *uarch, uint32_t ports);
/* A number without needless digits: "3", "1.75". */
struct limit_words words_number(double number);
/* Like words_number(), but converts a count per path to a count per turn. */
static inline struct limit_words words_turn(const struct tally *tally, double count)
{
	return words_number(count / tally->turns);
}
/* The plural "s" for a count per path, after its conversion to a count per turn. */
static inline const char *words_s(const struct tally *tally, double count)
{
	return count == tally->turns ? "" : "s";
}
/* "4 multiplications, 2 shifts": combines similar classes, the most frequent first. Names at most
 * `most` kinds; the rest is "others". */
struct limit_words words_uses(const struct class_uses *uses, double divide, int most);
