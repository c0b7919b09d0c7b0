/* The inside of the limits of the front end: the path in windows of code, and what the decoders
 * supply (front_end_decoders.c); the limits are in front_end.c. */
#pragma once

#include "model/limits/tally.h"

/* Successive instructions of the path that lie in one window (aligned block of code), up to a taken
 * branch. */
struct code_window {
	int first, end; /* the steps of the path in this window: first … end - 1 */
	double ops;	/* number of micro-ops */
	bool decoded;	/* the micro-op cache cannot hold the window, so the window comes from the
			   decoders */
};

struct front_end {
	const struct tally *tally;
	const double *fact; /* the core's facts, by enum uarch_fact */
	struct code_window *window;
	int windows;
	bool crowded; /* at least one window of code has too many micro-ops for the micro-op cache
		       */
	const char *over; /* text that names the micro-op cache's capacity that the loop exceeds;
			     NULL: the loop exceeds none */
	bool far;	  /* the first-level instruction cache cannot hold the loop */
};

/* The cycles and the windows of code that the decoders and the micro-op cache supply. */
struct code_supply {
	double cached, ops, decoded, bytes;
	double decoded_insns; /* number of instructions from the decoders */
	bool decodes;	      /* at least one window of code comes from the decoders */
	double alone;	      /* number of instructions that only the first decoder takes */
	enum { BY_BYTES, BY_ENDS, BY_DECODERS } by; /* what limits the decoded part */
};

const struct insn *front_end_insn(const struct front_end *front, int step);

/* Returns the number of micro-ops that an instruction takes in the micro-op cache. The second
 * instruction of a macro-fused pair takes none. */
double front_end_ops(const struct tally *tally, int insn);

/* Whether execution continues at another address than that of the next instruction in memory. */
bool front_end_leaves(const struct front_end *front, int step);

/* Returns the number of the aligned block of `bytes` bytes in which the front end fetches a step of
 * the path. A taken branch is fetched with the block that has its last byte, because the front end
 * needs this byte (measured on Zen 4). */
uint64_t front_end_block(const struct front_end *front, int step, double bytes);

/* Divides the path into windows, which the caller frees. */
void front_end_find_windows(struct front_end *front);

/* Counts the micro-ops and entries that the loop occupies in the micro-op cache, and marks the
 * windows of code that the cache cannot hold. */
void front_end_find_decoded(struct front_end *front);

/* What the micro-op cache and the decoders supply, and in how many cycles. */
struct code_supply front_end_supply(const struct front_end *front);
