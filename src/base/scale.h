/* Scales of axes: the place of a value, and the marks. Pure. */
#pragma once

#include <stdbool.h>

enum scale_kind {
	SCALE_LINEAR,
	SCALE_LOG,   /* marks at 1, 2 and 5 in each power of ten */
	SCALE_LOG2,  /* whole numbers, marks at powers of two */
	SCALE_BYTES, /* the same of bytes: 4 KiB, 64 KiB, 1 MiB */
	SCALE_STEPS, /* 0, 1, 2 … at equal distances, each with a name */
};

struct scale {
	enum scale_kind kind;
	double low, high; /* low < high; above 0 if logarithmic */
	bool whole;	  /* SCALE_LINEAR: marks at whole numbers only */
	bool brief;	  /* SCALE_BYTES: labels as users type them, 64k */
};

enum { SCALE_TICKS = 64, SCALE_LABEL = 24 };

struct scale_tick {
	double value;
	bool minor; /* a stroke with an empty label */
	char label[SCALE_LABEL];
};

/* A scale for `least` … `most`. A linear one begins at 0 if no value is negative, and ends at a
 * mark or halfway between two. SCALE_BYTES, SCALE_LOG2 and SCALE_STEPS end at the values
 * themselves. Invalid values (none, not above 0) also give a valid scale. */
struct scale scale_fit(enum scale_kind kind, double least, double most);

/* The least round number (1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten) that is not below a value:
 * the end of an axis that begins at 0. 1 for anything not above 0. */
double scale_ceiling(double value);

/* The kind for ascending values of a knob: logarithmic if they grow by factors. */
enum scale_kind scale_choose(const double *values, int count);

/* The place of a value: 0 at the low end, 1 at the high one, outside of these beyond the ends; NAN:
 * none. */
double scale_place(const struct scale *scale, double value);

/* The marks, ascending, as many as fit. room: the length of the axis. extent(context, label) is the
 * room of a label with its distance to the next one, in the same unit; NULL: 2, for labels in rows
 * of text. Returns the number of marks;
 * 0 for SCALE_STEPS, whose names belong to the chart. */
int scale_ticks(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	struct scale_tick ticks[SCALE_TICKS]);

/* "47.3", "0.125": three digits, as on marks and labels. */
struct scale_words {
	char text[24];
};
struct scale_words scale_figure(double value);
