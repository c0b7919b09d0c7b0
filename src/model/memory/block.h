/* How large the blocks of blocked code should be, by the rule of the case study: so many N x N
 * blocks fit one level of cache. Pure.
 *
 * The level is the one with the largest relative rise of latency after it, among the core's own
 * levels. A core's share of a shared cache is not certain. These facts make blocks smaller:
 *
 * - pages: The innermost loop goes down rows of a page each, or sums wait for rows. The first TLB
 *   holds fewer pages.
 * - turns: The end of a loop with slightly more turns than the predictor learns is mispredicted
 * each time. Slightly fewer turns are better.
 * - near: The outer loop uses one block again and again. If the previous cache holds that block,
 * its elements come from there, but lines are shorter and end more often. The cycles of both
 * decide.
 * - window: Sums wait for each other, and the core's window holds fewer elements than a line of a
 *   block. Then it reaches too little of the next line's sum.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_LEVELS = 5 };

struct block_level {
	const char *name; /* "L2" */
	double bytes;	  /* 0: none that blocks could be fitted to: memory */
	double latency;	  /* cycles, load to use; 0 or NAN: unknown */
	double lines;	  /* that come from it in a cycle; 0 or NAN: unknown */
	bool shared;	  /* with other cores */
	bool measured; /* the latency was measured on this machine; else it is from the core's file
			*/
};

struct block_question {
	int level_count;
	struct block_level
		level[BLOCK_LEVELS]; /* from the fastest on, memory last if it is there */
	int blocks;		     /* N x N blocks in use at a time */
	int bytes;		     /* of an element */
	int64_t least, most;	     /* that N may be */
	double pages;	    /* that a row of each block takes together, of those that have N rows */
	bool down;	    /* the innermost loop goes down rows */
	bool meet;	    /* it goes along rows that meet in few sets of a cache */
	double entries;	    /* of the first TLB */
	bool pages_assumed; /* the core's number of entries is unknown: this one is used */
	double turn;	    /* elements in one turn of the innermost loop; 0: 1 */
	double mispredict;  /* cycles that it costs; 0 or NAN: unknown */
	double window; /* elements of a sum under way at once, where a chain of them would bind;
			  else 0 */
};

/* The fact that determines the size. */
enum block_bound { BLOCK_CACHE, BLOCK_PAGES, BLOCK_TURNS, BLOCK_NEAR, BLOCK_WINDOW, BLOCK_MOST };

struct block_advice {
	int64_t n;    /* 0: unknown, because no cache size is known */
	int level;    /* in the question's list */
	int64_t fits; /* N for the level alone */
	double climb; /* latency of the next level divided by this level's; NAN: unknown */
	enum block_bound by;
	bool paged;    /* pages reduced the size */
	char why[420]; /* "three blocks of 8-byte elements fit L2 (2 MiB): behind it the latency
			  climbs most, from 16 to 98 cycles" */
};

/* N from the level's bytes: the square root of the elements that one block may use. */
int64_t block_fits(double bytes, int blocks, int element_bytes);

void block_advise(const struct block_question *question, struct block_advice *advice);
