/* What a kernel says about its way through its data: how many cache lines an element touches, in
 * which order, and how far apart. The core model computes the limits of caches and memory from it.
 */
#pragma once

#include <stdbool.h>

enum { KERNEL_REACHES = 32 };

/* The source of a load's address. */
enum reach_way {
	REACH_CHAINED, /* The previous load of the chain returns the address of the load. */
	REACH_GUESSED, /* The address of the load follows from a predicted branch. The load waits
			  only after a misprediction. */
	REACH_FREE,    /* The address of the load depends on no other load, but no prefetcher can
			  predict the order of addresses. */
	REACH_ORDERED, /* The loads are in address order. Prefetchers fetch each line in time. */
};

/* The loads of a kernel that go to one part of its data, such as one level of a tree. A tree
 * search, for example, visits small and large parts of its data in turn. */
struct kernel_reach {
	double lines; /* number of cache lines that the loads of this part of the data touch per
			 element */
	double range; /* Bytes of memory over which the cache lines of this part of the data are
			 scattered. The number includes all parts of the data that are visited at
			 least equally often. */
	enum reach_way way;
	double least; /* Bytes of the cache lines of this part of the data alone, if each pass over
			 the data touches the same lines. If a cache prefers lines that are touched
			 again to prefetched lines, the cache needs only `least` bytes. 0: equal to
			 `range`. */
	bool written; /* The element writes these lines, so they go back when a cache evicts them.
		       */
};

/* Facts about the loop's way through its data that the machine code does not show: memory accesses
 * and branches, per element. A field of struct kernel_walk is 0 if its fact does not apply. */
struct kernel_walk {
	double lines;	/* Number of cache lines per element that are touched for the first time in
			   one pass over the data. A larger cache or memory must supply a line at its
			   first touch. If the accesses are scattered, each access to another line
			   than the previous access counts. */
	double step;	/* bytes from one access to the next access, if the distance is constant */
	double spacing; /* Distances between the cache lines that the loop accesses are multiples of
			   this number of bytes, in any order of the accesses. 0: equal to `step`.
			 */
	/* Numbers of lines per element, out of those `spacing` apart, that the loop loads and then
	 * stores to, and that it stores to without loading them. */
	double changed, overwritten;
	const char *access; /* the word that texts use for an access of the loop, such as "read";
			       NULL: the word is "element" */
	bool scattered;	    /* No prefetcher can predict the order of the accesses. */
	double visits; /* The number of times that a pass over the data visits each cache line, if
			  the accesses are scattered and all passes have the same order. 0: each
			  line is equally likely to be used next. */
	double range;  /* bytes of memory over which the lines are scattered; 0: the size of the
			  working set */
	double chains; /* number of independent chains of loads that share the cache lines evenly;
			  0: one chain loads all lines */
	double far_lines; /* The number of cache lines, out of `lines`, that come from the whole
			   * data. far_lines is used if the loop reads a small part of its data many
			   * times, then moves to the next part. 0: the loop does not repeat parts.
			   */
	double far_range; /* bytes of memory over which the lines of `far_lines` are scattered */
	bool apart;	  /* Each access lies at least one page away from the next access. */
	int reaches; /* Number of used entries of the array reach[], which describes parts of the
			data of different size, in the order of the chain of loads. The entries
			replace the fields lines, range and scattered if their values differ along
			the chain. */
	struct kernel_reach reach[KERNEL_REACHES];
	const char *waits; /* The reason why the address of the next load that can miss is late, as
			      static text: "the next node's address is in this node". NULL: no
			      reason is stated. */
	double splits;	   /* number of loads and stores per element that cross a cache line */
	double aliases; /* number of loads per element whose address differs from that of a recent
			   store by a multiple of 4 KiB */
	double mispredicts; /* number of mispredictions per element that no branch predictor can
			       avoid */
	double repeated;    /* number of these mispredictions until the same branches come again, so
			       that a predictor learns a part of them; 0: nothing is learnt */
	bool jumps;	    /* the mispredictions are of indirect jumps, not of branches */
	bool ends;	/* the last branch of each chain of loads is mispredicted, so the next chain
			   begins after the end of this chain */
	bool foreseen;	/* The address of each load of the chain is that of the load before, minus a
			   constant. A core may then guess the address before it has it. */
	bool flushed;	/* The kernel flushes its data from all caches before each pass over them,
			   so memory supplies each line. */
	double places;	/* Number of places in memory at which the loop writes in turn; at each
			   place it writes in address order. 0: one place or a few. */
	double stored;	/* number of cache lines per element that the stores at these places touch
			   for the first time in one pass over the data */
	double further; /* Mean number of further loads of a chain of dependent loads, after the
			   loads that every chain has. The number of loads varies from chain to
			   chain as in a Poisson distribution, and an unpredictable branch ends the
			   chain. After a mispredicted branch at the end of a chain, the core
			   already executes the next chain of loads. The loads of the next chain are
			   needed anyway, so the cache misses of both chains overlap. */
	double restart; /* Number of elements after which loop-carried dependency chains start
			 * again. The new chains overlap with the previous chains. 0: the chains
			 * never start again.
			 */
	/* The code between the last element of one dependence chain and the first element of the
	 * next chain. The innermost loop, which the core model reads, does not contain the code
	 * between two dependence chains. */
	struct {
		double instructions;
		double steps; /* number of single-cycle instructions that compute, one after the
				 other and after a load, the address of the next chain's first
				 element */
	} between;
};
