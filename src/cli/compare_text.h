/* The text of `slexplore compare`. Reports use its words for quantities, values and causes. */
#pragma once

#include "base/text.h"
#include "base/units.h"
#include "recording/compare/differ.h"

struct report;

/* Writes the result of `slexplore compare` (struct comparison) as text. If report->points is true,
 * also lists quantities of machines that do not differ: points of curves, and quantities that are
 * equal on both sides. */
void compare_text(struct report *report, const void *item);

/* Returns the name of a quantity with its unit and the letters of its values' sources: "level L2,
 * cycles R". */
struct words compare_name(const struct compared_quantity *quantity);
/* Returns a value of the quantity without its unit; bytes as by units_size_long(). */
struct units_text compare_value(const struct compared_quantity *quantity, double value);
/* Returns half of the distance between the quartiles, as a share of the value: "±0.4%". */
struct units_text compare_spread(const struct differ_value *value);
/* Returns the change of a value from its ratio to the other value: "+4.0%", "×12". */
struct units_text compare_change(double ratio);
/* Adds the possible causes of a difference between machines, such as a lower clock, separated by
 * semicolons. `causes` has the bits of enum differ_cause, `facts` are those of the machine, and
 * `usual` those of the machines that it is compared with. */
void compare_causes(struct text *text, unsigned causes, const struct differ_facts *facts,
	const struct differ_facts *usual);
