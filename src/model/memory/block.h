/* Computes the size of blocks for blocked code, such as a matrix multiplication. A given number of
 * N x N blocks must fit one cache level.
 *
 * The cache level is the core's own level after which latency rises most, as a ratio. A shared
 * cache does not count, because it is uncertain how much of a shared cache the core gets. Four
 * facts make blocks smaller:
 *
 * - pages: The rows of a block may need more pages than the first-level TLB holds. The block is
 * made smaller if the innermost loop goes down the rows, or if sums wait for rows.
 * - turns: If a loop has slightly more iterations than the branch predictor can learn, the end of
 * the loop is mispredicted each time. Slightly fewer iterations of a loop than the predictor can
 * learn are better.
 * - near: The outer loop uses one block again and again. A smaller block may fit the next faster
 * cache, but the lines of a smaller block are shorter and end more often. The block size with fewer
 * cycles in total is used.
 * - window: The sum of the next line starts late if sums wait for each other, and the core's
 * out-of-order window holds fewer elements than a line of a block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_LEVELS = 5 };

struct block_level {
	const char *name; /* name of the level: "L2" */
	double bytes;	/* size of the level in bytes; 0: blocks cannot be fitted to this level, for
			   example memory */
	double latency; /* load-to-use latency of the level in cycles; 0 or NAN: unknown */
	double lines;	/* bandwidth: cache lines per cycle from the level; 0 or NAN: unknown */
	bool shared;	/* true: the cache level is shared with other cores */
	bool measured;	/* the latency was measured on this machine; otherwise it comes from the
			   core's file */
};

struct block_question {
	int level_count;
	struct block_level level[BLOCK_LEVELS]; /* cache levels, the fastest level first; memory
						   comes last, if present */
	int blocks;				/* number of N x N blocks in use at the same time */
	int bytes;				/* bytes of a matrix element */
	int64_t least, most;			/* smallest and largest allowed N */
	double pages; /* number of pages that one row of each block needs in total; only blocks with
			 N rows count */
	bool down;    /* true: the innermost loop goes down the rows of a matrix block */
	bool meet; /* the innermost loop goes along rows, and the rows share a few sets of a cache
		    */
	double entries;	    /* number of entries of the first-level TLB */
	bool pages_assumed; /* the true number of TLB entries is unknown: `entries` is an assumption
			     */
	double turn; /* number of elements in one iteration of the innermost loop; 0 means 1 */
	double mispredict; /* cycles of a branch misprediction; 0 or NAN: unknown */
	double window; /* number of elements of a sum that are in flight at the same time; 0 if the
			  dependence chain of the sum is not the limit */
};

/* The fact that determines the size of a block. */
enum block_bound { BLOCK_CACHE, BLOCK_PAGES, BLOCK_TURNS, BLOCK_NEAR, BLOCK_WINDOW, BLOCK_MOST };

struct block_advice {
	int64_t n;    /* recommended N; 0: unknown, because no cache size is known */
	int level;    /* index of the cache level in question->level; -1: no level */
	int64_t fits; /* largest N (block size) for the cache level alone, before other facts reduce
			 N */
	enum block_bound by;
	bool paged;    /* true: the block size N was reduced because the first-level TLB has too few
			  entries */
	char why[420]; /* reason for the size: "three blocks of 295 x 295 8-byte elements fit L2 (2
			  MiB), after which latency rises most, from 16 to 98 cycles" */
};

/* Returns the largest N for which `blocks` blocks of N x N elements fit into `bytes`. */
int64_t block_fits(double bytes, int blocks, int element_bytes);

void block_advise(const struct block_question *question, struct block_advice *advice);
