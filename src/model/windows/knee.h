/* The knee of a curve of time over the number of instructions between two misses: where a buffer of
 * the core is full and the misses no longer overlap. Pure: points in, the next place to look at and
 * the knee out.
 *
 *     while (knee_next(&curve, least, most, &x))
 *         …measure there, knee_add(&curve, &point)…
 *     knee_find(&curve, most, &knee);
 *
 * What time curves have besides one step: noise, single points that something disturbed, a base
 * that rises with the fillers' own work, a second buffer that fills later. */
#ifndef SLX_MODEL_WINDOWS_KNEE_H
#define SLX_MODEL_WINDOWS_KNEE_H

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

/* Of several rises the first; `again` tells of the next. */
struct knee {
	enum knee_kind kind;
	double x, lo,
		hi; /* the last number of fillers at which the misses still overlap, and the range
		       it lies in; of a soft one the middle of the rise. NAN where there is none */
	double from, to; /* the last point before the rise and the first one after it: apart by a
			    few where it is sharp */
	double before, after; /* cycles of an iteration on either side; of none, `before` alone */
	double noise;	      /* how far a point is off, usually, relatively */
	double again;	      /* a further rise is after so many fillers; NAN: none was seen */
	bool sparse; /* unclear for want of points in its range or behind the rise, not for noise */
	bool work; /* there is no knee because the time grows with the fillers' own work from early
		      on: it would hide one */
};

/* Puts a point in its place; one of the same x is replaced. False: there is no room, or a figure is
 * not positive. */
bool knee_add(struct knee_curve *curve, const struct knee_point *point);

/* The point at x, or NULL. */
const struct knee_point *knee_at(const struct knee_curve *curve, double x);

/* The next x to look at, least … most, whole: first doubling until the time has risen, then halving
 * the gap, then a few round the knee, until it is known as well as it can be; where points scatter,
 * more of them. Never one that is there already. False: nothing more to learn. */
bool knee_next(const struct knee_curve *curve, double least, double most, double *x);

void knee_find(const struct knee_curve *curve, double most, struct knee *knee);

#endif
