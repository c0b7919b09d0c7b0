/* The values that expressions of lessons can name, such as "cpe" and "A.cpe". Pure. */
#pragma once

#include <stdbool.h>

#include "lesson/expression.h"

/* The sample and limits of one of the two settings that a lesson's step compares: A, or the present
 * one. */
struct expression_side {
	const struct sample *sample;
	const struct limits *limits;
};

struct expression_name {
	const char *name;
	unsigned hidden; /* the group of hidden numbers (enum lesson_hidden) to which this value of
			    the present setting belongs */
	enum value_unit unit;
	bool word; /* the value is shown as the name of a limit */
	bool of_a; /* the value also depends on A */
	bool knee; /* the value is the knee of a curve */
	/* The function that returns the value: of_side() for a value of one setting, such as its
	 * CPE; of_all() for any other value. */
	double (*of_side)(const struct expression_side *side);
	double (*of_all)(const struct lesson_values *values);
};

/* Room for the names of all values, and one more. */
enum { EXPRESSION_NAMES_MOST = 32 };

extern const struct expression_name expression_names[];
extern const int expression_name_count;
