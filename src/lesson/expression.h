/* Expressions over measured values, in the braces of texts and in the conditions of options:
 *
 *	{A.cpe / cpe}                                    a value
 *	cpe < A.cpe / 2 and binding = ports              a condition
 *
 * Numbers may have a suffix: 48k. The operators are * / + - < <= > >= = != about, and, or. `a about
 *b` means that a and b differ by at most 10 % of b (ABOUT). Blanks are needed around "-". Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "lesson/lesson_judge.h"

#define ABOUT 0.1

enum value_kind { VALUE_UNKNOWN, VALUE_NUMBER, VALUE_WORD };

/* How a value is written. */
enum value_unit { UNIT_NONE, UNIT_BYTES, UNIT_GHZ, UNIT_NS, UNIT_GBPS };

struct expression_value {
	enum value_kind kind;
	double number; /* a condition that holds is 1, one that does not is 0 */
	enum value_unit unit;
	const char *word; /* static text */
	bool measured;	  /* the value follows from a measured time, so it is never exact */
};

struct expression {
	bool ok; /* false: `words` describes a mistake in the expression, and `offset` is its place
		    in bytes */
	size_t offset;
	char words[200];
	bool condition;	 /* true: the expression is a condition, such as `cpe < A.cpe`, so its value
			    is true or false */
	unsigned hidden; /* the groups of numbers (enum lesson_hidden) to which the values in the
			    expression belong */
	bool uses_a, uses_now, uses_knee; /* true: the expression names a value of A, of the present
					     setting, or the knee of a curve */
	struct expression_value value;
};

/* Reads `length` bytes as an expression, and computes its value. If `values` is NULL, only checks
 * how the expression is written. If one value in the expression is unknown, its result is unknown.
 */
struct expression expression_read(
	const char *text, size_t length, const struct lesson_values *values);

/* A value in words, with three digits and its unit: "3.00", "0.752", "48 KiB", "latency"; "?" if it
 * is not known. */
struct words expression_words(const struct expression_value *value);

/* The knee of a curve: the place where it crosses the middle between its lowest and its highest
 * value, on logarithmic scales. Returns NAN if the curve's highest value is less than 1.25 times
 * its lowest value. */
double curve_knee(const struct lesson_point *point, int count);

/* The width of the core in micro-ops a cycle; NAN: unknown. In a recording, which has no core
 * model, the width is computed from the recorded limit of issue width. */
double lesson_width(const struct limits *limits);
