/* The text of `slexplore compare`. */
#pragma once

struct report;

/* Writes the result of `slexplore compare` (struct comparison) as text. If report->points is true,
 * also lists quantities of machines that do not differ: points of curves, and quantities that are
 * equal on both sides. */
void compare_text(struct report *report, const void *item);
