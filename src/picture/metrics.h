/* Measures the width of text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The widths of a font. The painter supplies the widths of its font; metrics_plain is used if there
 * is no painter. */
struct metrics {
	void *context;
	double (*width)(
		void *context, const char *text, double size, bool bold); /* in the unit of size */
};

/* Widths of DejaVu Sans, the widest of the usual fonts. Text that fits in DejaVu Sans also fits in
 * narrower fonts. */
extern const struct metrics metrics_plain;

/* The height of letters above and below their baseline, for a text size of 1. */
#define METRICS_ABOVE 0.77
#define METRICS_BELOW 0.23

double metrics_width(const struct metrics *metrics, const char *text, double size, bool bold);

/* Returns the largest text size from `most` down to `least` at which the text fits into the width
 * `room`. If no size fits, cuts the text with an ellipsis and returns `least`. The buffer `text`
 * holds `size` bytes. */
double metrics_fit(const struct metrics *metrics, char *text, size_t size, double most,
	double least, bool bold, double room);
