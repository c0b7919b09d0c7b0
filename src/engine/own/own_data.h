/* The data of an own loop: the comment that describes them, and their layout in memory. Pure.
 *
 * One comment of one line (or several, each beginning with "slexplore:"; what they say adds up)
 * anywhere in the file:
 *
 *     slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64)
 *
 * Blanks between tokens do not matter. Words, each at most once:
 *
 * - a= b= c= d=: what the argument points to; one that is not described is NULL. One of
 *   - TYPE[COUNT]: an array of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, all 0 (1.0 for f32 and f64)
 *   - TYPE[COUNT]:NUMBER: all the same: 7, -1.5, 1e-3
 *   - TYPE[COUNT]:random(COUNT): whole numbers from 0 to COUNT-1; f32 and f64: any below COUNT
 *   - TYPE[COUNT]:index: 0, 1, 2, ...
 *   - TYPE[COUNT]:permutation: each of 0 ... (elements of the array)-1 once, in an order that
 *     visits all of them when it is followed (i = a[i]) before it comes back; whole numbers only
 *   - list(COUNT,SPACING): that many nodes, SPACING bytes (a multiple of 8) from one to the next,
 *     the pointer to the next node first in each and NULL in the last; the rest is 0. In random
 *     order, or list(COUNT,SPACING,sequential)
 * - elements=COUNT: what cycles are counted per; n if not given
 * - n=NUMBER: where the knob n begins; if not given, all arrays together take at most 16 KiB
 * - multiple=NUMBER: n, and half of it, are multiples of this
 * - cflags=-O3: what the compiler gets instead of -O2; with blanks: cflags="-O3 -march=native"
 *
 * COUNT is n, K*n, n+K, n/K or a whole number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { OWN_ARGUMENTS = 4, OWN_CFLAGS = 256 };

/* times × n ÷ over + plus. */
struct own_count {
	int64_t times, over, plus;
};

enum own_type {
	OWN_I8,
	OWN_U8,
	OWN_I16,
	OWN_U16,
	OWN_I32,
	OWN_U32,
	OWN_I64,
	OWN_U64,
	OWN_F32,
	OWN_F64,
	OWN_TYPES
};

enum own_content { OWN_NOTHING, OWN_NUMBER, OWN_RANDOM, OWN_INDEX, OWN_PERMUTATION, OWN_LIST };

struct own_argument {
	enum own_content content; /* OWN_NOTHING: the argument is NULL */
	enum own_type type;	  /* not of a list */
	struct own_count count;	  /* elements, or nodes */
	double number;		  /* OWN_NUMBER */
	struct own_count bound;	  /* OWN_RANDOM */
	int64_t spacing;	  /* OWN_LIST: bytes */
	bool sequential;	  /* OWN_LIST */
};

struct own_description {
	struct own_argument argument[OWN_ARGUMENTS];
	struct own_count elements;
	int64_t n;	  /* where the knob begins; 0: not given */
	int64_t multiple; /* of n, >= 1: that of the comment, and what every n/K needs */
	bool has_cflags;
	char cflags[OWN_CFLAGS];
};

enum { OWN_N_MIN = 16, OWN_N_MAX = 1 << 30 };

/* Reads the comment out of a source file's text. Messages begin with origin: "mine.c:3:
 * …", name the word, say what is wrong with it and what would be right. STATUS_USAGE. */
struct status own_describe(
	const char *text, const char *origin, struct own_description *description);

/* Never negative; may be 0. */
int64_t own_count(const struct own_count *count, int64_t n);

/* Bytes that an argument takes; that all take together. */
uint64_t own_argument_bytes(const struct own_argument *argument, int64_t n);
uint64_t own_bytes(const struct own_description *description, int64_t n);

/* Whether the types of all arguments can hold the numbers that this n asks for. */
struct status own_description_check(
	const struct own_description *description, const char *origin, int64_t n);

struct own_data {
	void *argument[OWN_ARGUMENTS]; /* a, b, c, d; NULL where not described */
	/* Where a list ends when the loop is called with the shorter n: the node. NULL: it ends
	 * where it always does. */
	void **cut[OWN_ARGUMENTS];
	void *next[2][OWN_ARGUMENTS]; /* of that node: [0] whole, [1] cut, which is NULL */
};

/* Bytes of memory that laying out takes: own_bytes() and what keeps the arguments apart. */
uint64_t own_data_bytes(const struct own_description *description, int64_t n);

/* Lays out everything for n into zeroed memory, aligned to a page. shorter (< n; 0: none) is a
 * second count that the loop will be called with: lists can then be cut to it. The same seed gives
 * the same data. */
void own_data_make(struct own_data *data, const struct own_description *description, int64_t n,
	int64_t shorter, uint64_t seed, void *memory);

/* Lists as for the shorter count, or whole again: the same instructions either way, for who counts
 * them. */
static inline void own_data_shorten(struct own_data *data, bool shorten)
{
	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (data->cut[i])
			*data->cut[i] = data->next[shorten][i];
}
