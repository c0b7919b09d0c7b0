/* Finds the knee of a curve of time over the number of filler instructions between two cache
 * misses. At the knee, a buffer of the core is full, and the misses no longer overlap.
 *
 * As long as knee_next(&curve, least, most, &x) returns true, measure with x fillers and call
 * knee_add(). Finally, call knee_find() to find the knee.
 *
 * A curve can have more steps than the knee. Other steps of the curve come from noise, disturbed
 * points, the work of the fillers themselves, or a second buffer that fills later. */
#pragma once

#include <stdbool.h>

enum { KNEE_POINTS = 160 };

struct knee_point {
	double x;	  /* number of filler instructions */
	double y, lo, hi; /* cycles per iteration: median and quartiles */
};

struct knee_curve {
	int count; /* number of points; the points are in ascending order of x */
	struct knee_point point[KNEE_POINTS];
};

enum knee_kind {
	KNEE_UNKNOWN, /* kind of knee unknown, because too few points were measured */
	KNEE_SHARP,
	KNEE_SOFT, /* the time rises gradually: the rise is wider than that of a buffer with one
		      fixed size */
	KNEE_NONE, /* the time of an iteration does not rise up to the largest number of fillers */
	KNEE_UNCLEAR, /* the time rises with the number of filler instructions, but the points do
			 not show where */
	KNEE_KINDS
};

/* Names of the kinds of knees (rises) of a curve, indexed by enum knee_kind: "sharp", "soft",
 * "none", … */
extern const char *const knee_kind_names[];

/* The knee of a curve. If the time over the number of fillers rises several times, the struct
 * describes the first rise, and `again` is the position of the next rise. */
struct knee {
	enum knee_kind kind;
	double x, lo, hi; /* x: the largest number of fillers with which the misses still overlap;
			     lo, hi: the range of x. For a soft knee (a gradual rise), x is the
			     middle of the rise. NAN: no knee */
	double from, to;  /* numbers of fillers at the last point before the rise and at the first
			     point after the rise */
	double before, after; /* cycles per iteration before and after the rise; without a rise,
				 only `before` is set */
	double noise;	      /* typical relative error of the time at a point */
	double again; /* number of fillers at the beginning of a later rise; NAN: no later rise */
	bool sparse;  /* the knee is unclear because points are missing in the range of the knee or
			 after the rise, not because of noise */
	bool work;    /* true: there is no knee, because the time grows with the work of the filler
			 instructions, which would hide a knee */
};

/* Adds a point to a curve in order of x, or replaces the point with the same x. Returns false if
 * the curve is full, or if point->y is not positive. */
bool knee_add(struct knee_curve *curve, const struct knee_point *point);

/* Returns the point of a curve at x. Returns NULL if no point of the curve was measured at x. */
const struct knee_point *knee_at(const struct knee_curve *curve, double x);

/* Finds the next x to measure: a whole number from least to most that was not measured yet. First,
 * the number of filler instructions x doubles until the time has risen. After the time has risen,
 * the gap between points that contains the rise is halved again and again. Finally, points around
 * the knee are measured: if the points are noisy, more of them. Returns false if more measured
 * points would not help to find the knee. */
bool knee_next(const struct knee_curve *curve, double least, double most, double *x);

void knee_find(const struct knee_curve *curve, double most, struct knee *knee);
