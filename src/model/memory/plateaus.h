/* Flat parts of a latency curve over the working-set size, and the knees between them: change
 * points of the logarithm. Pure. */
#pragma once

#include <stdbool.h>

/* One point of a curve: cycles at a working set. */
struct curve_point {
	double bytes;
	double cycles, lo, hi; /* median and quartiles */
	bool doubtful;	       /* contended, or few trials: the point has less weight */
	bool two_modes;	       /* true: mode_low, mode_high and share_low are valid */
	double mode_low, mode_high, share_low;
};

/* The largest number of points that are used. */
enum { CURVE_POINTS = 512 };

/* Curves with fewer points are not evidence. Knees or plateaus with less confidence are not
 * evidence, either. */
enum { PLATEAUS_POINTS = 8 };
#define KNEE_SURE    0.6
#define PLATEAU_SURE 0.5

enum { PLATEAUS_MAX = 8 };

struct plateau {
	int first, last;       /* points, inclusive */
	double from, to;       /* bytes of these points; the true end of the plateau is its knee */
	double cycles, lo, hi; /* latency of the plateau: median and quartiles of its points */
	bool unstable;	       /* its points scatter or have two modes: report a range */
	double confidence; /* 0…1: probability that its points are a level, not part of a climb */
};

/* The knee between plateau i and plateau i + 1. */
struct plateau_knee {
	double bytes;	   /* where the curve crosses half of the rise, on a logarithmic scale */
	double lo, hi;	   /* the range of the knee in bytes */
	double third;	   /* bytes where a third of the accesses miss, estimated from the cycles. A
			      cache that is just full has so many misses, because its sets fill by
			      chance. If the latency is five times that of the lower plateau at a smaller
			      size, that size counts */
	double corner;	   /* bytes where the curve begins to leave the lower plateau */
	double confidence; /* 0…1: probability that the knee exists */
	bool gradual; /* its lower half alone needs most of an octave: show a range, not a size */
};

struct plateaus {
	int count;
	struct plateau plateau[PLATEAUS_MAX];
	struct plateau_knee knee[PLATEAUS_MAX - 1]; /* count - 1 knees */
};

/* Finds the plateaus of points. Points must be in ascending order of bytes, without equal sizes.
 * Fewer than four points are one plateau. */
void plateaus_find(const struct curve_point *points, int count, struct plateaus *plateaus);

/* Where a curve of two levels rises, on a logarithmic scale: bytes of the first point in the upper
 * half of the rise. NAN: the rise is not larger than the noise. */
double plateaus_rise(const struct curve_point *points, int count);
