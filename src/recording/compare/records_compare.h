/* The JSON records of a comparison. data/records lists them; the manual explains them in FORMATS.
 */
#pragma once

#include "recording/compare/differ.h"

struct records;

/* The result of a comparison: of two sides A and B, or of many hosts. */
struct comparison {
	const struct compared *compared;
	const struct differ_pairs *pairs; /* NULL: many hosts */
	const struct differ_fleet *fleet; /* NULL: two sides */
	int left_out; /* number of hosts that only one side has, and that are not compared */
};

/* The names in JSON records of the reasons why input lines were not used: "cut", "repeated" … */
extern const char *const line_group_names[LINE_GROUPS];

/* Returns the name of host or file number `unit` in a comparison of many. */
const char *comparison_unit(const struct comparison *comparison, int unit);

/* Writes a record "comparison", which counts the input lines in each group. If two sides A and B
 * are compared, writes a record "compared" for each quantity. For many hosts, writes a record
 * "spread" for each quantity of each processor model, and a record "odd" for each value that
 * differs. */
void records_comparison(
	const struct records *records, const struct comparison *comparison, unsigned id);
