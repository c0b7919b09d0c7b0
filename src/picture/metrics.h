/* How wide words are. */
#ifndef SLX_PICTURE_METRICS_H
#define SLX_PICTURE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

/* From who draws, or metrics_plain where nobody can be asked. */
struct metrics {
	void *context;
	double (*width)(
		void *context, const char *text, double size, bool bold); /* in the unit of size */
};

/* DejaVu Sans as it is, the widest of the usual fonts: words of another one then have room too. */
extern const struct metrics metrics_plain;

/* What letters take above and below the line that they stand on, for a size of 1. */
#define METRICS_ABOVE 0.77
#define METRICS_BELOW 0.23

double metrics_width(const struct metrics *metrics, const char *text, double size, bool bold);

/* The largest size from `most` down to `least` at which a text takes no more than `room`; where
 * none does it is cut, with an ellipsis, and the least. The buffer holds `size` bytes. */
double metrics_fit(const struct metrics *metrics, char *text, size_t size, double most,
	double least, bool bold, double room);

#endif
