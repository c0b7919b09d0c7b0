/* Scales of a chart's axes: the place of a value on the axis, and the tick marks. Pure. */
#pragma once

#include <stdbool.h>

enum scale_kind {
	SCALE_LINEAR,
	SCALE_LOG,   /* marks at 1, 2 and 5 in each power of ten */
	SCALE_LOG2,  /* scale of whole numbers, with tick marks at powers of two */
	SCALE_BYTES, /* as SCALE_LOG2, labelled in bytes: 4 KiB, 64 KiB, 1 MiB */
	SCALE_STEPS, /* steps 0, 1, 2 … at equal distances; each step has a name */
};

struct scale {
	enum scale_kind kind;
	double low, high; /* ends of the scale: low < high; above 0 if the scale is logarithmic */
	bool whole;	  /* SCALE_LINEAR: marks at whole numbers only */
	bool brief;	  /* SCALE_BYTES: labels as users type them, 64k */
};

enum { SCALE_TICKS = 64, SCALE_LABEL = 24 };

struct scale_tick {
	double value;
	bool minor; /* a short tick mark with an empty label */
	char label[SCALE_LABEL];
};

/* A scale for `least` … `most`. A linear scale begins at 0 if no value is negative, and ends at a
 * mark or halfway between two marks. SCALE_LOG ends at marks. Scales of the kinds SCALE_BYTES,
 * SCALE_LOG2 and SCALE_STEPS end a small margin beyond the values. Invalid values (NAN, or not
 * above 0) also give a valid scale. */
struct scale scale_fit(enum scale_kind kind, double least, double most);

/* The end of an axis that begins at 0: the smallest round number >= value. Round numbers are
 * 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten. Returns 1 for a value that is not above 0. */
double scale_ceiling(double value);

/* The rule of steady scales: while a kernel is chosen, the axis of a panel only grows, so that a
 * value that halves is a bar that halves. Widens `scale` until the axis has the values `least` …
 * `most`. A linear axis begins at 0 and ends at scale_ceiling(); a value up to 2 % above the end
 * still fits. An axis with high = 0 has no value yet. To let an axis shrink, the caller sets its
 * ends to 0. Values that are not above 0 do not change the axis. */
void scale_widen(struct scale *scale, double least, double most);

/* The kind of scale for ascending values of a knob: SCALE_LOG2 if the values grow by factors,
 * otherwise SCALE_LINEAR. */
enum scale_kind scale_choose(const double *values, int count);

/* The place of a value on the axis: 0 at the low end, 1 at the high end. Values beyond the ends
 * give places below 0 or above 1. The result is NAN if the value has no place on the axis. */
double scale_place(const struct scale *scale, double value);

/* Fills `ticks` with the tick marks of an axis in ascending order, as many as fit on the axis. The
 * parameter `room` is the length of the axis. The result of extent(context, label) is the length of
 * a label plus its distance to the next label, in the unit of `room`. If extent is NULL, each label
 * needs 2 rows of text. Returns the number of marks. The result is 0 for SCALE_STEPS: the chart
 * itself draws the names of the steps. */
int scale_ticks(const struct scale *scale, double room,
	double (*extent)(void *context, const char *label), void *context,
	struct scale_tick ticks[SCALE_TICKS]);

/* Writes a value for marks and labels, with two or three digits: "47.3", "0.12". */
struct scale_words {
	char text[24];
};
struct scale_words scale_figure(double value);
