/* Measured values, and their row in a table.
 *
 * Each row shows the number of values, the least, the median, the most and the unit; then the bar,
 * how many values are within it, and whether the median, or each value, is within it. A value that
 * never came is beyond the bar. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SERIES_MAX = 2048 };

struct series {
	double value[SERIES_MAX];
	size_t count, lost; /* lost: never came */
};

/* Adds a value; NAN: the value never came. */
void series_add(struct series *series, double value);

/* Prints the heading of a part of the table. */
void series_head(const char *part);

/* Prints a row, with all values multiplied by `scale`. bar: NAN for none; `each`: every value has
 * to be within it, not the median alone. */
void series_row(const char *label, struct series *series, double scale, const char *unit,
	double bar, bool each);
