/* Computes the size of blocks for blocked code, by the rule of the case study: a number of N x N
 * blocks must fit one cache level. Pure.
 *
 * The level is one of the core's own levels: the one after which latency rises most, as a ratio. A
 * shared cache does not count, because the core's part of it is uncertain. These facts make blocks
 * smaller:
 *
 * - pages: The innermost loop goes down rows of one page each, or sums wait for rows. The first TLB
 * holds fewer pages.
 * - turns: If a loop has slightly more turns than the predictor learns, its end is mispredicted
 * each time. Slightly fewer turns are better.
 * - near: The outer loop uses one block again and again. If the previous cache holds that block,
 * its elements come from there. But its lines are shorter and end more often. The total cycles
 * decide.
 * - window: Sums wait for each other, and the core's window holds fewer elements than a line of a
 * block. The window then contains too little of the next line's sum. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_LEVELS = 5 };

struct block_level {
	const char *name; /* "L2" */
	double bytes;	  /* 0: no size to fit, as for memory */
	double latency;	  /* cycles, load-to-use; 0 or NAN: unknown */
	double lines;	  /* lines a cycle from this level; 0 or NAN: unknown */
	bool shared;	  /* shared with other cores */
	bool measured;	  /* the latency was measured on this machine; otherwise it comes from the
			     core's file */
};

struct block_question {
	int level_count;
	struct block_level
		level[BLOCK_LEVELS]; /* the fastest level first; memory last, if present */
	int blocks;		     /* number of N x N blocks in use at the same time */
	int bytes;		     /* bytes of an element */
	int64_t least, most;	     /* range of N */
	double pages;	/* pages that one row of each block needs in total; only blocks with N rows
			   count */
	bool down;	/* the innermost loop goes down rows */
	bool meet;	/* the innermost loop goes along rows that share a few sets of a cache */
	double entries; /* entries of the first TLB */
	bool pages_assumed; /* the number of entries is unknown: entries is an assumption */
	double turn;	    /* elements in one turn of the innermost loop; 0: 1 */
	double mispredict;  /* cycles of a misprediction; 0 or NAN: unknown */
	double window; /* elements of a sum in flight at the same time, if their chain would be the
			  limit; otherwise 0 */
};

/* The fact that determines the size. */
enum block_bound { BLOCK_CACHE, BLOCK_PAGES, BLOCK_TURNS, BLOCK_NEAR, BLOCK_WINDOW, BLOCK_MOST };

struct block_advice {
	int64_t n;    /* 0: unknown, because no cache size is known */
	int level;    /* index in the question's list; -1: no level */
	int64_t fits; /* N if only the cache level counted */
	enum block_bound by;
	bool paged;    /* pages reduced the size */
	char why[420]; /* "three blocks of 295 x 295 8-byte elements fit L2 (2 MiB), after which
			  latency rises most, from 16 to 98 cycles" */
};

/* The largest N so that `blocks` blocks of N x N elements fit `bytes`. */
int64_t block_fits(double bytes, int blocks, int element_bytes);

void block_advise(const struct block_question *question, struct block_advice *advice);
