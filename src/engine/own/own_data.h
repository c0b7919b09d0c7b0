/* The data of an own loop, which is a loop in the user's own source file: its description, and its
 * layout in memory. own_comment.h reads the description from a comment in the source file. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "base/text.h"
#include "engine/own/own_change.h"

/* OWN_ARGUMENTS: largest number of arrays of an own loop, which have the names a to z without n.
 * OWN_KNOBS: largest number of knobs that a comment in the user's source file describes.
 * OWN_VALUES: largest number of values in the list of an own loop's knob. OWN_WORDS: bytes of this
 * list. */
enum { OWN_ARGUMENTS = 25, OWN_KNOBS = 8, OWN_NAME = 16, OWN_VALUES = 32, OWN_WORDS = 512 };

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

/* A type of array elements. */
struct own_type_row {
	const char *name;
	unsigned bytes;
	bool is_float;
	/* The smallest and the largest value of a type for whole numbers. */
	int64_t low;
	uint64_t high;
};
extern const struct own_type_row own_types[OWN_TYPES];

enum own_content {
	OWN_NOTHING,
	OWN_NUMBER,
	OWN_RANDOM, /* random numbers from 0 to below `bound` */
	OWN_RANGE,  /* random numbers from `first` to `last` */
	OWN_ZIPF,   /* random whole numbers below `bound`, small ones more often */
	OWN_SHARE,  /* the share `share` of the elements is 1, the others are 0 */
	OWN_INDEX,
	OWN_PERMUTATION,
	OWN_LIST,
	OWN_STRINGS
};

/* The order of random values in an array. A permutation in ascending order is the cycle 1, 2, 3 …
 * 0: each element has the index of the next. */
enum own_order { OWN_AS_MADE, OWN_SORTED, OWN_REVERSED };

/* A value of an array element. */
struct own_value {
	double real;	/* the value of an array element of a floating-point type */
	uint64_t whole; /* the value of an array element of a whole-number type, as 64 bits in two's
			   complement */
};

struct own_argument {
	enum own_content
		content;	/* kind of the argument's data; OWN_NOTHING: the argument is NULL */
	enum own_type type;	/* type of an array's elements; unused for a list */
	struct own_count count; /* number of elements of an array, or of nodes of a list */
	enum own_order order;
	struct own_value first; /* OWN_NUMBER: value of every element; OWN_RANGE: the lowest one */
	struct own_value last;	/* OWN_RANGE: the highest value */
	struct own_count bound; /* OWN_RANDOM, OWN_ZIPF: all values are below this count */
	double share;		/* OWN_SHARE: from 0 to 1 */
	double skew; /* OWN_ZIPF: value k is (k + 1)^-skew times as frequent as value 0 */
	int64_t shortest, longest; /* OWN_STRINGS: lengths of the strings, bytes without the '\0' */
	int64_t align; /* the array begins `offset` bytes after a multiple of `align` bytes; 0: at a
			  cache line of its own in a page */
	int64_t offset;	 /* bytes */
	int64_t spacing; /* OWN_LIST: distance between two nodes, bytes */
	bool sequential; /* OWN_LIST: the order of the nodes is sequential, not random */
};

/* A knob whose value the compiler receives: a macro of the user's source file, or cflags. */
struct own_knob {
	char name[OWN_NAME];
	int64_t low, high; /* the range of a knob for whole numbers; unused if there are words */
	/* The texts of a knob's values, one after another, each ended by '\0'.
	 * An empty text ends the list of a knob's values. If the list of a knob's values is empty,
	 * the values are the whole numbers from low to high. */
	char words[OWN_WORDS];
};

struct own_description {
	struct own_argument argument[OWN_ARGUMENTS];
	struct own_count elements;
	int64_t n;	  /* initial value of the knob n */
	bool n_given;	  /* the description gives the initial value of the knob n */
	int64_t multiple; /* n must be a multiple of this number (>= 1), which follows from
			     multiple= and from each n/K */
	struct own_knob knob[OWN_KNOBS]; /* the knobs that the user's comment describes, in the
					    order of the comment */
	int knobs;			 /* number of knobs */
	struct own_knob cflags; /* sets of compiler flags; an empty list: the comment gives none */
	struct own_change change; /* a change of the data that the file describes */
};

enum { OWN_N_MIN = 16, OWN_N_MAX = 1 << 30 };

/* Returns the name of an argument: 'a' for argument 0. No argument has the name n, because n is the
 * length of the data. */
static inline char own_argument_name(int argument)
{
	return (char)('a' + argument + (argument >= 'n' - 'a'));
}

/* Returns how the user's function is called, for the message of an access to memory that does not
 * exist: ", which is called as loop(n, a, b)", or that the description omits an argument before
 * another one. The omitted argument is NULL, which is rarely what the user means. */
struct words own_call_words(const struct own_description *description);

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

/* Number of shorter n with which a loop can be called. */
enum { OWN_CUTS = 5 };

struct own_data {
	void *argument[OWN_ARGUMENTS]; /* pointers that the loop receives as a, b, c and so on;
					  NULL: the description has no data for this argument */
	/* The node of a linked list that is the last one if the loop is called with a shorter n,
	 * for each shorter n. The pointer to the last node is NULL if the shorter n uses the same
	 * list.
	 */
	void **cut[OWN_CUTS][OWN_ARGUMENTS];
	void *next[OWN_CUTS][OWN_ARGUMENTS]; /* the values of the next pointers of the nodes `cut`
						in the whole list */
	int lists; /* number of arguments of loop() up to the last linked list */
};

/* Bytes of memory that the layout needs: own_bytes() plus the gaps between arguments. */
uint64_t own_data_bytes(const struct own_description *description, int64_t n);

/* Lays out all arguments for n in `memory`, which must be zeroed and aligned to a page. The
 * parameter `shorter` (< n) is a second number of elements for the loop; own_data_shorten() can cut
 * the lists to this length (number 1). If `shorter` is 0, the data are laid out for one value of n
 * only. The same seed gives the same data of the own loop. */
void own_data_make(struct own_data *data, const struct own_description *description, int64_t n,
	int64_t shorter, uint64_t seed, void *memory);

/* Whether any argument has random values, which own_data_draw() draws again. */
bool own_data_draws(const struct own_description *description);

/* Draws all random values again: the numbers, permutations and strings of all arrays, as for
 * own_data_make() with another seed. Linked lists and arrays without random values stay as the loop
 * has left them. */
void own_data_draw(struct own_data *data, const struct own_description *description, int64_t n,
	struct random *random);

/* Finds the nodes at which own_data_shorten() cuts the lists for the shorter n number `which` (from
 * 1 to OWN_CUTS). */
void own_data_cut(struct own_data *data, const struct own_description *description, int64_t n,
	int which, int64_t shorter);

/* Cuts the own loop's linked lists for the shorter n of this number (from 1), or restores the
 * lists (0). Cutting and restoring a linked list run the same instructions, because callers count
 * instructions. */
static inline void own_data_shorten(struct own_data *data, int shorten)
{
	for (int i = 0; i < data->lists; i++)
		for (int which = 0; which < OWN_CUTS; which++)
			if (data->cut[which][i]) {
				uintptr_t kept = (uintptr_t)data->next[which][i];

				*data->cut[which][i] =
					(void *)(kept & ((uintptr_t)(shorten == which + 1) - 1));
			}
}
