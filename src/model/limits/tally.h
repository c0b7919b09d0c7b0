/* The work of a loop in one path, counted, and the list to which each group of limits adds. Private
 * to limits*.c: other files read limits.h. */
#pragma once

#include "model/limits/limits.h"
#include "model/limits/ports.h"

/* How often classes are used, in a path for example. The caller frees `use`. */
struct class_uses {
	int count, room;
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
	struct uarch_insn *facts; /* by instruction */
	struct insn_tally {
		double times;	      /* in the path */
		double taken;	      /* of them, as a branch that jumps */
		double first, second; /* of them, as half of a fused pair */
		bool fuses;	      /* with the instruction before it, into a branch */
		bool joins;	      /* with the copy or load before it, into one slot */
		double joined;	      /* of them, so */
		double materialised;  /* of them, done at rename and yet executed, as others use the
					 result */
	} * insn;
	struct class_uses uses;
	double turns, elements;
	double slots, unlaminated; /* of the first, the second is not part */
	double loads[ACCESS_KINDS],
		stores[ACCESS_KINDS]; /* accesses: all, those of vectors, those of 512 bits */
	double complex_stores;
	double branches, taken; /* of any kind; that jump */
	double simple;		/* single-cycle operations of general registers */
	double bytes;		/* of code */
	double alone; /* cycles per path of chains of loads that do not overlap with new chains; 0:
			 none */
	double wait;  /* cycles that a load with a mispredicted address waits; 0: no addresses are
			 predicted */
	double bound; /* cycles per path of the highest hard limit, once all hard limits are known
		       */
};

static inline double tally_all(const double accesses[ACCESS_KINDS])
{
	return accesses[ACCESS_GENERAL] + accesses[ACCESS_VECTOR];
}

/* Adds a limit of `cycles` a path; of two limits of a kind the higher stays. Ignores cycles that
 * are not above 0. */
void limits_add(struct tally *tally, enum limit_kind kind, double cycles, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Adds a limit that applies, but lacks a number. */
void limits_add_unknown(struct tally *tally, enum limit_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The groups of limits, in this order. */
void limits_throughput(struct tally *tally);
void limits_ports(struct tally *tally);
void limits_chain(struct tally *tally);
void limits_memory(struct tally *tally);
void limits_soft(struct tally *tally);

/* Loads of the slowest chain, per path, that each reach another line of the working set. */
double limits_chained_misses(const struct tally *tally, const struct chain *chain);
/* The share of a chain's cycles that remains when a new chain begins every `restart` elements and
 * overlaps with the last `together` elements before it. */
double limits_restart_share(double restart, double together);
/* Whether there are software prefetches: they leave the reorder buffer before their line arrives.
 */
bool limits_prefetches(const struct loop *loop);
/* How many misses are in flight together at most, by each of the core's buffers: from one miss to
 * others after it the loop takes no more entries than the buffer has. INFINITY: its size is not
 * known. False: misses are not known one by one. */
bool limits_in_flight(const struct tally *tally, double together[SIZE_COUNT]);
/* Cycles per path that chained loads wait for the second TLB, where a hit takes `cost` and the
 * first one reaches over `bytes`; *share: of chained loads, those that wait. */
double limits_reach_walks(const struct tally *tally, double bytes, double cost, double *share);

/* Cycles per path when the core chooses ports at rename (pipeline.c); 0: unknown (a core of unknown
 * width, an empty path). */
double pipeline_run(const struct tally *tally);

/* ---- Words (limit_words.c) */

/* Words by value: words_number(…).text is valid to the end of the full expression. */
struct limit_words {
	char text[160];
};
void words_add(struct limit_words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A set of ports: "p0156", "alu0-3", "p2,3,11". */
struct limit_words words_ports(const struct uarch *uarch, uint32_t ports);
/* A number without needless digits: "3", "1.75". */
struct limit_words words_number(double number);
/* The same of a count per path, as a count per turn. */
static inline struct limit_words words_turn(const struct tally *tally, double count)
{
	return words_number(count / tally->turns);
}
/* The plural's "s" of a count per path, by its count per turn. */
static inline const char *words_s(const struct tally *tally, double count)
{
	return count == tally->turns ? "" : "s";
}
/* "4 multiplications, 2 shifts": uses of like classes together, the most first. `most` kinds are
 * named, the rest is "others". */
struct limit_words words_uses(const struct class_uses *uses, double divide, int most);
