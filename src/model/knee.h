/* The knee of a curve of time over the number of instructions between two misses: where a buffer of the core is full and the misses no longer
 * overlap. Pure: points in, the next place to look at and the knee out. */
#ifndef SLX_MODEL_KNEE_H
#define SLX_MODEL_KNEE_H

#include <stdbool.h>

enum { KNEE_POINTS = 160 };

struct knee_point {
	double x;                 /* fillers */
	double y, lo, hi;         /* cycles of an iteration: median, quartiles */
};

struct knee_curve {
	int count;                /* ascending x */
	struct knee_point point[KNEE_POINTS];
};

enum knee_kind {
	KNEE_UNKNOWN,             /* too little is measured yet */
	KNEE_SHARP,
	KNEE_SOFT,                /* the rise is spread over more fillers than a buffer of one size would have it */
	KNEE_NONE,                /* no rise up to the most fillers that were tried */
	KNEE_UNCLEAR,             /* a rise that noise hides: the curve does not say where */
};

struct knee {
	enum knee_kind kind;
	double x, lo, hi;         /* the last number of fillers at which the misses still overlap, and the range it lies in */
	double from, to;          /* where the rise begins and ends: apart by a few where it is sharp */
	double before, after;     /* cycles of an iteration on either side */
};

/* Puts a point in its place; one of the same x is replaced. False: there is no room. */
bool knee_add(struct knee_curve *curve, const struct knee_point *point);

/* The next x to look at, least … most: first doubling until the time has risen, then halving the gap, then a few round the knee, until it is known
 * as well as it can be. False: nothing more to learn. */
bool knee_next(const struct knee_curve *curve, double least, double most, double *x);

void knee_find(const struct knee_curve *curve, double most, struct knee *knee);

#endif
