/* The knee of a curve of time over the number of instructions between two misses: there a buffer of
 * the core is full, and the misses no longer overlap. Pure.
 *
 * while (knee_next(&curve, least, most, &x)) measure at x, and knee_add(); then knee_find().
 *
 * Curves have more than one step: noise, disturbed points, a base that rises with the fillers' own
 * work, a second buffer that fills later. */
#pragma once

#include <stdbool.h>

enum { KNEE_POINTS = 160 };

struct knee_point {
	double x;	  /* fillers */
	double y, lo, hi; /* cycles of an iteration: median, quartiles */
};

struct knee_curve {
	int count; /* ascending x */
	struct knee_point point[KNEE_POINTS];
};

enum knee_kind {
	KNEE_UNKNOWN, /* too little is measured yet */
	KNEE_SHARP,
	KNEE_SOFT, /* the rise is spread over more fillers than a buffer of one size would have it
		    */
	KNEE_NONE, /* no rise up to the most fillers that were tried */
	KNEE_UNCLEAR, /* a rise that noise hides: the curve does not say where */
	KNEE_KINDS
};

/* "sharp", "soft", "none", …; by the kind. */
extern const char *const knee_kind_names[];

/* Of several rises the first; `again` has the next. */
struct knee {
	enum knee_kind kind;
	double x, lo,
		hi; /* the last number of fillers at which the misses still overlap, and the range
		       it lies in; of a soft one the middle of the rise. NAN where there is none */
	double from, to; /* the last point before the rise and the first one after it: apart by a
			    few where it is sharp */
	double before, after; /* cycles of an iteration on either side; of none, `before` alone */
	double noise;	      /* how far a point is off, usually, relatively */
	double again;	      /* fillers before a later rise; NAN: none */
	bool sparse; /* unclear since points are missing in its range or after the rise, not because
			of noise */
	bool work; /* there is no knee because the time grows with the fillers' own work from early
		      on: it would hide one */
};

/* Adds a point in order of x, or replaces the one of the same x. False: there is no room, or a
 * value is not positive. */
bool knee_add(struct knee_curve *curve, const struct knee_point *point);

/* The point at x, or NULL. */
const struct knee_point *knee_at(const struct knee_curve *curve, double x);

/* The next x to measure, a whole number from least to most that was not measured: doubling until
 * the time has risen, then halving the gap, then points around the knee, more where they scatter.
 * False: more points would add nothing. */
bool knee_next(const struct knee_curve *curve, double least, double most, double *x);

void knee_find(const struct knee_curve *curve, double most, struct knee *knee);
