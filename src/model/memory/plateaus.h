/* Finds the flat parts (plateaus) of a curve of latency over working-set size, and the knees
 * between plateaus. Knees are change points of the logarithm of latency. */
#pragma once

#include <stdbool.h>

/* A point of a latency curve: the latency in cycles at a working-set size. */
struct curve_point {
	double bytes;
	double cycles, lo, hi; /* median and quartiles of the latency */
	bool doubtful;	/* the measurement was disturbed by other activity, or has few trials: the
			   point has less weight */
	bool two_modes; /* the trials of the point have two modes: mode_low, mode_high and share_low
			   are valid */
	double mode_low, mode_high, share_low;
};

/* The largest number of points of a curve that are used. */
enum { CURVE_POINTS = 512 };

/* A curve with fewer than PLATEAUS_POINTS points is not evidence. A knee (rise of the curve) counts
 * if its confidence is at least KNEE_SURE, and a plateau if its confidence is at least
 * PLATEAU_SURE. */
enum { PLATEAUS_POINTS = 8 };
#define KNEE_SURE    0.6
#define PLATEAU_SURE 0.5

enum { PLATEAUS_MAX = 8 };

struct plateau {
	int first, last; /* indices of the first and the last point of the plateau */
	double from, to; /* bytes of the first and the last point; the true end of the plateau is
			    the following knee */
	double cycles, lo, hi; /* latency of the plateau: median and quartiles of its points */
	bool unstable; /* true: the latencies of the plateau's points scatter or have two modes, so
			  a range is reported */
	double confidence; /* probability from 0 to 1 that the points form a flat part (level) of
			      the curve, not part of a climb */
};

/* The knee (rise of the curve) between plateau i and plateau i + 1. */
struct plateau_knee {
	double bytes; /* size in bytes at which the curve crosses half of the rise, on a logarithmic
			 scale */
	double lo,
		hi;   /* the range of sizes, in bytes, in which the knee (rise of the curve) lies */
	double third; /* size in bytes at which a third of the accesses miss, estimated from the
			 cycles. In a cache that is just full, about a third of the accesses miss,
			 because its sets fill by chance. If the latency reaches five times that of
			 the lower plateau at a smaller size, the smaller size counts */
	double corner;	   /* size in bytes at which the curve begins to leave the lower plateau */
	double confidence; /* probability from 0 to 1 that the knee (rise of the curve) exists */
	bool gradual; /* true: the lower half of the rise alone needs most of an octave of size, so
			 a range is shown, not a size */
};

struct plateaus {
	int count;
	struct plateau plateau[PLATEAUS_MAX];
	struct plateau_knee knee[PLATEAUS_MAX - 1]; /* knees (rises of the curve) between adjacent
						       plateaus: count - 1 knees */
};

/* Finds the plateaus of a curve. The points of the curve must be in ascending order of bytes,
 * without equal sizes. If the curve has fewer than four points, all points form one plateau. */
void plateaus_find(const struct curve_point *points, int count, struct plateaus *plateaus);

/* Returns the size in bytes at which a curve of two levels rises. The returned size is that of the
 * first point in the upper half of the rise, on a logarithmic scale. Returns NAN if the rise of the
 * curve is not larger than the noise. */
double plateaus_rise(const struct curve_point *points, int count);
