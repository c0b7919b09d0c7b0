/* Finds the knee of a curve: time over the number of instructions between two cache misses. At the
 * knee, a buffer of the core is full, and the misses no longer overlap. Pure.
 *
 * Use: while (knee_next(&curve, least, most, &x)), measure at x and call knee_add(). Then call
 * knee_find().
 *
 * Curves have more than one step: noise, disturbed points, a base that rises with the fillers' own
 * work, a second buffer that fills later. */
#pragma once

#include <stdbool.h>

enum { KNEE_POINTS = 160 };

struct knee_point {
	double x;	  /* number of fillers */
	double y, lo, hi; /* cycles per iteration: median, quartiles */
};

struct knee_curve {
	int count; /* points in ascending order of x */
	struct knee_point point[KNEE_POINTS];
};

enum knee_kind {
	KNEE_UNKNOWN, /* too few points were measured */
	KNEE_SHARP,
	KNEE_SOFT,    /* a gradual rise: wider than the rise of a buffer with one fixed size */
	KNEE_NONE,    /* no rise up to the largest number of fillers */
	KNEE_UNCLEAR, /* there is a rise, but the points do not show where */
	KNEE_KINDS
};

/* By kind: "sharp", "soft", "none", … */
extern const char *const knee_kind_names[];

/* If there are several rises: the first. `again` is the position of the next. */
struct knee {
	enum knee_kind kind;
	double x, lo,
		hi; /* x: the largest number of fillers with which the misses still overlap; lo, hi:
		       its range. For a soft knee, x is the middle of the rise. NAN: no knee */
	double from, to;      /* the last point before the rise, and the first point after it; for a
				 sharp rise, they are close together */
	double before, after; /* cycles per iteration before and after the rise; without a rise,
				 only `before` is set */
	double noise;	      /* typical relative error of a point */
	double again;	      /* fillers before a later rise; NAN: no later rise */
	bool sparse; /* the knee is unclear because points are missing in its range or after the
			rise, not because of noise */
	bool work;   /* no knee: the time grows early with the fillers' own work, which would hide a
			knee */
};

/* Adds a point in order of x, or replaces the point with the same x. Returns false if the curve is
 * full, or a value is not positive. */
bool knee_add(struct knee_curve *curve, const struct knee_point *point);

/* The point at x; NULL: not measured. */
const struct knee_point *knee_at(const struct knee_curve *curve, double x);

/* The next x to measure: a whole number from least to most that was not measured yet. First x
 * doubles until the time has risen. Then the gap is halved. Then points around the knee follow,
 * more of them if the points are noisy. Returns false if more points would not help. */
bool knee_next(const struct knee_curve *curve, double least, double most, double *x);

void knee_find(const struct knee_curve *curve, double most, struct knee *knee);
