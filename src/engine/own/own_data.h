/* The data of an own loop, which is a loop in the user's own source file. own_data.c reads the
 * comment that describes the data, and lays the data out in memory.
 *
 * The description is one line in a comment, anywhere in the file. Several description lines add up;
 * each of them begins with "slexplore:".
 *
 *     slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64)
 *
 * Blanks between tokens are ignored. Each word of the description line may occur once: Forms:
 *   - TYPE[COUNT]: an array of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, all 0 (1.0 for f32 and f64)
 *   - TYPE[COUNT]:NUMBER: every element has this value: 7, -1.5, 1e-3
 *   - TYPE[COUNT]:random(COUNT): random whole numbers from 0 to COUNT-1; f32 and f64: random
 *     numbers from 0 to below COUNT
 *   - TYPE[COUNT]:index: 0, 1, 2, ...
 *   - TYPE[COUNT]:permutation: each index of the array once. Following the permutation (i = a[i])
 *     visits every element before the walk returns to the first element. A permutation requires an
 *     integer type
 *   - list(COUNT,SPACING): a linked list of COUNT nodes. Nodes are SPACING bytes apart (a multiple
 *     of 8). Each node begins with the pointer to the next node (NULL in the last node); its other
 *     bytes are 0. The order of the nodes is random, or sequential with
 *     list(COUNT,SPACING,sequential)
 * - elements=COUNT: number of elements, for results per element; it is n if this word is missing
 * - n=NUMBER: initial value of the knob n; the default keeps all arrays together at or below 16
 *   KiB, where possible
 * - multiple=NUMBER: both n and n/2 are multiples of this number
 * - cflags=-O3: compiler flags instead of -O2; with blanks: cflags="-O3 -march=native"
 *
 * COUNT is n, K*n, n+K, n/K or a whole number. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/own/own_change.h"

enum { OWN_ARGUMENTS = 4, OWN_CFLAGS = 256 };

/* A count that depends on n: its value is times × n ÷ over + plus. */
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
	enum own_content
		content;	/* kind of the argument's data; OWN_NOTHING: the argument is NULL */
	enum own_type type;	/* type of an array's elements; unused for a list */
	struct own_count count; /* number of elements of an array, or of nodes of a list */
	double number;		/* OWN_NUMBER: value of every element */
	struct own_count bound; /* OWN_RANDOM: all values are below this count */
	int64_t spacing;	/* OWN_LIST: distance between two nodes, bytes */
	bool sequential;	/* OWN_LIST: the order of the nodes is sequential, not random */
};

struct own_description {
	struct own_argument argument[OWN_ARGUMENTS];
	struct own_count elements;
	int64_t n;	  /* initial value of the knob n; 0: the description does not give it */
	int64_t multiple; /* n must be a multiple of this number (>= 1), which follows from
			     multiple= and from each n/K */
	bool has_cflags;
	char cflags[OWN_CFLAGS];
	struct own_change change; /* a change of the data that the file describes */
};

enum { OWN_N_MIN = 16, OWN_N_MAX = 1 << 30 };

/* Reads the description of an own loop's data from a source file's text. Fails with STATUS_USAGE.
 * An error message begins with `origin` ("mine.c:3: …"), names the wrong word, and says what is
 * expected. */
struct status own_describe(
	const char *text, const char *origin, struct own_description *description);

/* Returns the value of a count for this n: 0 or a positive number. */
int64_t own_count(const struct own_count *count, int64_t n);

/* Returns a description with changed data. `change` may be NULL: the data are not changed. */
struct own_description own_change_apply(
	const struct own_description *description, const struct own_change *change);

/* Return the bytes of memory for one argument, or for all arguments. */
uint64_t own_argument_bytes(const struct own_argument *argument, int64_t n);
uint64_t own_bytes(const struct own_description *description, int64_t n);

/* Fails if the element type of an argument cannot hold the argument's largest value for this n. */
struct status own_description_check(
	const struct own_description *description, const char *origin, int64_t n);

struct own_data {
	void *argument[OWN_ARGUMENTS]; /* pointers that the loop receives as a, b, c and d; NULL:
					  the description has no data for this argument */
	/* The node of a linked list that is the last one if the loop is called with the shorter n.
	 * The pointer to the last node is NULL if both values of n use the same list. */
	void **cut[OWN_ARGUMENTS];
	void *next[2][OWN_ARGUMENTS]; /* the two values of the next pointer of node `cut`: [0] in
					 the whole list, [1] in the shortened list (NULL) */
};

/* Bytes of memory that the layout needs: own_bytes() plus the gaps between arguments. */
uint64_t own_data_bytes(const struct own_description *description, int64_t n);

/* Lays out all arguments for n in `memory`, which must be zeroed and aligned to a page. The
 * parameter `shorter` (< n) is a second number of elements for the loop; own_data_shorten() can cut
 * the lists to this length. If `shorter` is 0, the data are laid out for one value of n only. The
 * same seed gives the same data of the own loop. */
void own_data_make(struct own_data *data, const struct own_description *description, int64_t n,
	int64_t shorter, uint64_t seed, void *memory);

/* Cuts the own loop's linked lists for the shorter n, or restores the lists. Cutting and restoring
 * a linked list run the same instructions, because callers count instructions. */
static inline void own_data_shorten(struct own_data *data, bool shorten)
{
	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (data->cut[i])
			*data->cut[i] = data->next[shorten][i];
}
