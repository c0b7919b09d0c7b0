/* Knobs: the parameters of a kernel that a user turns, and rules between them. knob_rows.h has rows
 * for common knobs. */
#pragma once

#include <stdint.h>

enum { KNOBS_MAX = 12 };

enum knob_kind {
	KNOB_COUNT, /* The value of the knob is a whole number. */
	KNOB_BYTES, /* The value of the knob is a size in bytes. Users may type a suffix: k, m, g or
		       t. */
	KNOB_CHOICE, /* The value of the knob is the index of a choice in a list of names. */
};

/* The axis of the memory mountain plot on which a knob moves. */
enum knob_axis { AXIS_NONE, AXIS_SIZE, AXIS_STRIDE };

/* The effect of a knob. The advice on faster settings tries knobs with KNOB_FORM first. */
enum knob_role {
	KNOB_WORK, /* The knob changes the computation or the amount of data. */
	KNOB_FORM, /* The knob changes only the form of the code, as unroll, acc, width and
		      addressing do. The work stays the same. */
	KNOB_DATA, /* The knob changes the bytes of an element, or the result that the loop
		      computes, so cycles per element are not comparable between two values of the
		      knob. Advice never changes the knob. */
};

/* The resource that a knob requests from the engine. kernels/knob_rows.h defines a table row for
 * each knob that requests a resource. */
enum knob_asks {
	ASKS_NOTHING,
	ASKS_PAGES, /* The knob selects the page size of the working set: enum page_kind. */
	ASKS_NODE, /* The knob selects the memory node. The value 0 selects the node of the measured
		      core; the value n selects node n - 1. */
	ASKS_CORES,   /* The knob sets the number of cores that run the kernel at once, each on its
			 own working set. */
	ASKS_STREAMS, /* The knob sets the number of other cores that stream through memory at the
			 same time. */
	ASKS_FRESH, /* The knob chooses whether each call of an own loop gets new random data: value
		       1: new data, value 0: the same data. */
};

enum page_kind { PAGES_AUTO, PAGES_4K, PAGES_HUGE, PAGE_KINDS };

/* Values of knob.max for maxima that depend on the machine. KNOB_MAX_MEMORY: the maximum is half of
 * the free memory. KNOB_MAX_CORES: the maximum is the number of cores that this process may use.
 * For ASKS_STREAMS, KNOB_MAX_CORES means one core fewer. */
#define KNOB_MAX_MEMORY INT64_MAX
#define KNOB_MAX_CORES	(INT64_MAX - 1)

struct knob {
	const char *name; /* the name of the knob on the command line */
	const char *help; /* the help text of the knob: one line without a full stop */
	enum knob_kind kind;
	enum knob_axis axis;
	int64_t min, max; /* the smallest and the largest valid value; ignored for KNOB_CHOICE */
	int64_t initial;
	int64_t multiple; /* Values of the knob must be a multiple of this number. 0 or 1: no
			     restriction. */
	int64_t factor; /* The keys + and - multiply or divide the value by this factor. 0: the keys
			   add or subtract `multiple` (or 1). */
	const char *const *choices; /* the names of the choices of a KNOB_CHOICE, ended by NULL */
	enum knob_role role;
	enum knob_asks asks;
};

/* A rule for two knobs: if the knob where.knob is within the range of `where`, the knob needs.knob
 * must be within the range of `needs`. */
struct knob_rule {
	struct {
		int knob;
		int64_t from, to; /* the first and the last value of the knob's range */
	} where, needs;
	int64_t needs_becomes; /* the value that the knob needs.knob gets if the user changed the
				  knob where.knob and thereby broke this rule */
	int64_t where_becomes; /* the value that the knob where.knob gets if the user changed
				  another knob and thereby broke this rule */
	const char *why;       /* the message text: the reason for the rule, and the valid values */
};
