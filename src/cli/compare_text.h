/* The text of `slexplore compare`, and its words, which a report has too. */
#pragma once

#include "base/text.h"
#include "base/units.h"
#include "recording/compare/differ.h"

struct report;

/* Writes the result of `slexplore compare` (struct comparison) as text. If report->points is true,
 * also lists quantities of machines that do not differ: points of curves, and quantities that are
 * equal on both sides. */
void compare_text(struct report *report, const void *item);

/* The name of a quantity with its unit: "level L2, cycles". */
struct words compare_name(const struct compared_quantity *quantity);
struct units_text compare_value(const struct compared_quantity *quantity, double value);
/* Half of the distance between the quartiles, as a share of the value: "±0.4%". */
struct units_text compare_spread(const struct differ_value *value);
/* The change of a value: "+4.0%", "×12". */
struct units_text compare_change(double ratio);
/* Adds one sentence with the possible causes of a difference between machines, such as a lower
 * clock. */
void compare_causes(struct text *text, unsigned causes, const struct differ_facts *facts,
	const struct differ_facts *usual);
