/* Counts the work of one path of the loop (a tally), and collects the limits. Each group of limits
 * (throughput, memory, …) adds its limits to the list in struct limits. Private to limits*.c: other
 * files read limits.h. */
#pragma once

#include "model/limits/limits.h"
#include "model/limits/ports.h"

/* Counts how often each class of instructions is used, for example in a path. The caller frees
 * `use`. */
struct class_uses {
	int count;
	struct class_use {
		const struct uarch_class *class;
		double count;
	} * use;
};

void uses_add(struct class_uses *uses, const struct uarch_class *class, double count);

enum { ACCESS_GENERAL, ACCESS_VECTOR, ACCESS_512, ACCESS_KINDS };

/* Bytes of a cache line, on every core that has a core file. */
enum { LINE = 64 };

/* Values of the fact `extra late-results`: a multiplication's result keeps its port from other
 * results, by a formula for their mean number; or in the simulation. */
enum late_results { LATE_RESULTS_MEAN = 1, LATE_RESULTS_BLOCK = 2 };

/* The work of one path (executed instructions) through the loop. */
struct tally {
	const struct loop *loop;
	const struct uarch *uarch;
	const struct limits_place *place;
	struct limits *limits;
	struct uarch_insn
		*facts; /* facts from the core model, one entry for each instruction of the loop */
	struct insn_tally {
		double times; /* number of executions of the instruction in the path */
		double taken; /* number of executions in which the instruction jumps, as a taken
				 branch */
		double first, second; /* number of executions of the instruction as the first or
					 second half of a macro-fused pair */
		bool fuses; /* the instruction is a branch that fuses with the previous instruction
			     */
		bool joins; /* the instruction shares one rename slot with the previous copy or load
			     */
		double joined; /* number of executions in which the instruction shares a rename slot
				  with the previous one */
		double materialised; /* number of executions that the rename stage could eliminate,
					but that need a micro-op because other instructions use the
					result */
	} * insn;
	struct class_uses uses;
	double turns, elements;
	double slots, unlaminated; /* rename slots of the path; unlaminated are additional slots for
				      split micro-fused instructions */
	double loads[ACCESS_KINDS],
		stores[ACCESS_KINDS]; /* number of loads and of stores by register: general, vector,
					 512-bit vector; ACCESS_VECTOR includes ACCESS_512 */
	double complex_stores;
	double branches, taken; /* number of all branches, and number of branches that jump */
	double bytes;		/* bytes of code executed in the path */
	double alone; /* cycles per path of the chains of loads, if no chain overlaps with the next
			 chain; 0: the loop has no chain of loads */
	double wait;  /* cycles for which a load with a mispredicted address waits; 0: the loop
			 predicts no addresses */
	bool sampled; /* the limits that are added now are soft (estimates), because they depend on
			 measured values of L3 or memory, or on evicted cache lines */
	bool adds; /* the cycles of the limits that are added now come on top of the highest other
		      limit */
	double bound; /* cycles per path of the highest limit before limits_soft() */
};

static inline double tally_all(const double accesses[ACCESS_KINDS])
{
	return accesses[ACCESS_GENERAL] + accesses[ACCESS_VECTOR];
}

/* Counts the work of a path. The caller fills the fields `loop`, `uarch`, `turns` and `elements`
 * before. tally_close() frees the memory. */
void tally_open(struct tally *tally);
void tally_close(struct tally *tally);

/* Adds a limit of `cycles` per path. If the kind already has a limit, the higher limit stays.
 * Ignores cycles of 0 or less. */
void limits_add(struct tally *tally, enum limit_kind kind, double cycles, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Sets the spread (±) of a known limit, in cycles per path. */
void limits_set_spread(struct tally *tally, enum limit_kind kind, double cycles);
/* Sets the most cycles per path that the effect of a limit with unknown cycles may take. */
void limits_set_most(struct tally *tally, enum limit_kind kind, double cycles);
/* Sets the cycles per path by which a known limit is lower if operations execute early. */
void limits_set_early(struct tally *tally, enum limit_kind kind, double cycles);
/* Adds a limit that applies, but whose number of cycles is unknown. */
void limits_add_unknown(struct tally *tally, enum limit_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns the cycles of the loop's highest known limit so far, per pass through the executed
 * instructions (path). */
double limits_highest(const struct limits *limits);

/* Each of the next six functions adds one group of limits. limits_compute() calls the functions
 * limits_throughput() to limits_soft() in the order of their declarations. */
void limits_throughput(struct tally *tally);
void limits_first_cache(struct tally *tally);
void limits_ports(struct tally *tally);
void limits_chain(struct tally *tally);
void limits_memory(struct tally *tally);
void limits_ordered(struct tally *tally);
/* memory_only: adds only limits that may depend on L3 or memory. */
void limits_soft(struct tally *tally, bool memory_only);

/* Whether a memory access crosses the end of a cache line. If the core executes a 64-byte access as
 * two 32-byte halves, the access does not count as crossing if each half lies in one cache line
 * (measured on Zen 4). */
bool limits_crosses_line(const struct uarch *uarch, uint64_t address, unsigned size);

/* Returns the number of addresses that the accesses of the path compute. */
double limits_addresses(const struct tally *tally);
/* Returns the number of operations of the path at the rename stage of the vector unit. Loads,
 * stores, eliminated copies and zeroing idioms count once. */
double limits_vector_operations(const struct tally *tally);

/* Adds the limits of the front end: what the decoders, the micro-op cache or the loop buffer supply
 * per cycle (front_end.c). limits_soft() calls this function. */
void limits_front_end(struct tally *tally);

/* A limit of the front end that is far below the highest hard limit is not listed, because the
 * front end limits nearly every loop a little more than rename. */
static inline bool limits_front_end_matters(const struct tally *tally, double cycles)
{
	return cycles > 0.8 * tally->bound;
}

/* Adds the limit of inner loops: the front end supplies a window of code, or a taken branch, per
 * cycle, and waits at the end of each inner loop until the slower predictor has corrected the fast
 * one. The micro-op cache supplies `windows` windows of code per path. */
void limits_loop_exits(struct tally *tally, double windows);

/* Adds the soft limit of taken branches that lie close together (dense_branches.c). limits_soft()
 * calls this function. */
void limits_dense_branches(struct tally *tally);

/* Adds the soft limit of multiplications, whose results keep ports from other operations
 * (limits_ports.c). limits_soft() calls this function. */
void limits_late_results(struct tally *tally);

/* Adds the soft limit of schedulers that receive one micro-op per cycle each (limits_intake.c).
 * limits_soft() calls this function. */
void limits_intake(struct tally *tally);

/* Adds the limit of mispredicted branches (limits_branches.c); limits_soft() calls this function.
 * `walks`: cycles of page walks per path, which come before it. */
void limits_mispredictions(struct tally *tally, double walks);

/* Adds soft limits that depend on the order of instructions (limits_order.c). limits_soft() calls
 * this function. */
void limits_order(struct tally *tally);

/* Returns the number of loads per path in the slowest chain that each touch a different line of the
 * working set. */
double limits_chained_misses(const struct tally *tally, const struct chain *chain);
/* Returns the share of a dependence chain's cycles that remains if a new chain begins every
 * `restart` elements. The core executes the new chain at the same time as the last `together`
 * elements of the previous chain. */
double limits_restart_share(double restart, double together);
/* Returns the cycles of an average line that L2 sends to L1 at `rate` lines per cycle, if the core
 * needs more for lines that the loop writes: they go back to L2 when they leave L1. 0: unknown. */
double limits_second_cycles(const struct tally *tally, double rate);
/* Returns the number of elements whose instructions fit the reorder buffer at the same time.
 * Returns INFINITY elements if the size of the reorder buffer is unknown. */
double limits_in_buffer(const struct tally *tally);
/* Whether the loop has software prefetches. A prefetch leaves the reorder buffer before its line
 * arrives. */
bool limits_prefetches(const struct loop *loop);
/* Computes how many misses can be in flight at the same time, for each buffer of the core. The
 * instructions from the first miss in flight to the last must fit the buffer. INFINITY: the size of
 * the buffer is unknown. Returns false if it is unknown which loads miss. */
bool limits_in_flight(const struct tally *tally, double together[SIZE_COUNT]);
/* Returns the cycles per path for which chained loads wait for the second-level TLB. A hit in the
 * second-level TLB costs `cost` cycles; the first-level TLB covers `bytes`. *share receives the
 * share of chained loads that wait for the second-level TLB. */
double limits_reach_walks(const struct tally *tally, double bytes, double cost, double *share);

/* Simulates the loop (pipeline.c), and returns the cycles per path. If `ideal` is true, micro-ops
 * get the best ports; otherwise the simulated core chooses ports at rename. If `restart` is not 0,
 * new dependence chains begin after `restart` passes through the executed instructions. Returns 0
 * cycles if the rename width is unknown, or the path is empty. */
double pipeline_run(const struct tally *tally, double restart, bool ideal);

/* Simulates the loop with the mispredictions that its path marks, and returns the cycles per path.
 * The next instruction is renamed `refill` cycles after a mispredicted branch is executed; 0: all
 * branches are predicted. */
double pipeline_run_refilled(const struct tally *tally, double refill);

/* Simulates the loop on a core whose integer scheduler has parts (pipeline_parts.c), and returns
 * the cycles per path. The front end needs `cycles` for a path; 0: the front end is no limit. */
double pipeline_run_supplied(const struct tally *tally, double cycles);

/* How much of the core's buffers a loop needs to reach a speed, as shares of the sizes of the
 * buffers. */
struct pipeline_need {
	double scheduler; /* share of the entries that are used in the fullest scheduler */
	double rob;	  /* share of the reorder buffer */
};

/* Estimates how many entries of the core's buffers the loop needs if the executed instructions
 * (path) take `cycles` cycles. The estimate assumes that instructions are renamed at a constant
 * rate, and wait for the slowest chain of their inputs. All shares of the buffers are 0 if the
 * sizes of the buffers are unknown. */
struct pipeline_need pipeline_needs(const struct tally *tally, double cycles);

/* ---- Words for causes of limits (limit_words.c) */

/* Text returned by value: words_number(…).text is valid to the end of the full expression. */
struct limit_words {
	char text[160];
};
void words_add(struct limit_words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Formats a set of ports: "p0156", "alu0-3", "p2,3,11". */
struct limit_words words_ports(const struct uarch *uarch, uint32_t ports);
/* Formats a number without needless digits: "3", "1.75". */
struct limit_words words_number(double number);
/* Like words_number(), but converts a count per path to a count per iteration of the loop. */
static inline struct limit_words words_turn(const struct tally *tally, double count)
{
	return words_number(count / tally->turns);
}
/* Returns the plural ending "s", or "", for a count per path that is printed as a count per
 * iteration. If the printed count is 1, the result is an empty text. */
static inline const char *words_s(const struct tally *tally, double count)
{
	return count == tally->turns ? "" : "s";
}
/* Lists the counted classes of instructions as text: "4 multiplications, 2 shifts". Similar classes
 * are combined, and the most frequent comes first. The text of counted classes names at most `most`
 * kinds of instructions, and counts all further kinds as "others". */
struct limit_words words_uses(const struct class_uses *uses, double divide, int most);
