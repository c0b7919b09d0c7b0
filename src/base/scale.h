/* The scales of a chart's axes: where a value stands, and which values are marked. Pure. */
#ifndef SLX_BASE_SCALE_H
#define SLX_BASE_SCALE_H

#include <stdbool.h>

enum scale_kind {
	SCALE_LINEAR,
	SCALE_LOG,   /* marked at 1, 2 and 5 in each power of ten */
	SCALE_LOG2,  /* whole numbers, marked at powers of two */
	SCALE_BYTES, /* the same of bytes: 4 KiB, 64 KiB, 1 MiB */
	SCALE_STEPS, /* 0, 1, 2 … at equal distances, each with a name of its own */
};

struct scale {
	enum scale_kind kind;
	double low, high; /* low < high; above 0 where it is logarithmic */
	bool whole;	  /* SCALE_LINEAR: only whole numbers are marked */
	bool brief;	  /* SCALE_BYTES: labels as one types them, 64k */
};

enum { SCALE_TICKS = 64, SCALE_LABEL = 24 };

struct scale_tick {
	double value;
	bool minor; /* a stroke without a label, which is then empty */
	char label[SCALE_LABEL];
};

/* A scale on which `least` … `most` find room: a linear one begins at 0 unless there are negative
 * values, and its ends are marks or half-way between two. Of bytes, powers of two and steps the
 * ends are those values themselves. Values that make no scale (none, not above 0) give one all the
 * same. */
struct scale scale_fit(enum scale_kind kind, double least, double most);

/* The least round number (1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten) that is not below a value:
 * the end of an axis that begins at 0. 1 for anything not above 0. */
double scale_ceiling(double value);

/* The kind for these ascending values of a knob: logarithmic where they grow by factors. */
enum scale_kind scale_choose(const double *values, int count);

/* Where a value stands, 0 at the low end, 1 at the high one, beyond them outside; NAN where it has
 * no place. */
double scale_place(const struct scale *scale, double value);

/* The marks, ascending, as many as have room. extent(context, label) is what a label takes along
 * the axis, its distance to the next included, in the same unit as `room`, the length of the axis.
 * Returns how many. None for SCALE_STEPS, whose names are the chart's. */
int scale_ticks(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	struct scale_tick ticks[SCALE_TICKS]);

/* "47.3", "0.125": three figures, as marks and labels have them. */
void scale_figure(double value, char *buffer, unsigned size);

#endif
