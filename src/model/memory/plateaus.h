/* Flat parts of a curve of latency over working-set size, and the knees between them: change points
 * of the logarithm. Pure. */
#pragma once

#include <stdbool.h>

/* One point of a curve: cycles at a working set. */
struct curve_point {
	double bytes;
	double cycles, lo, hi; /* median and quartiles */
	bool doubtful;	       /* contended, or few trials: weighs less */
	bool two_modes;	       /* then the two, and the share of the lower one */
	double mode_low, mode_high, share_low;
};

/* The largest number of points of a curve that are used. */
enum { CURVE_POINTS = 512 };

/* Curves of fewer points, and knees or plateaus of less confidence, are not used as evidence. */
enum { PLATEAUS_POINTS = 8 };
#define KNEE_SURE    0.6
#define PLATEAU_SURE 0.5

enum { PLATEAUS_MAX = 8 };

struct plateau {
	int first, last;       /* points, inclusive */
	double from, to;       /* bytes: of these points; the plateau's true end is its knee */
	double cycles, lo, hi; /* its level: median and quartiles of its points */
	bool unstable;	       /* its points scatter or have two modes: report a range */
	double confidence;     /* 0…1: that its points are a level, not part of a climb */
};

/* Between plateau i and i + 1. */
struct plateau_knee {
	double bytes;  /* where the curve crosses half of the rise, on a logarithmic scale */
	double lo, hi; /* the range of the knee, bytes */
	double third; /* where a third of the accesses miss, by cycles (or where it is five times as
			 slow as the lower plateau, if that comes first): as many as miss a cache
			 that is just full, whose sets fill by chance */
	double corner;	   /* where it begins to leave the lower plateau */
	double confidence; /* 0…1: that the knee exists */
	bool gradual;	   /* its lower half alone takes most of an octave: a range, not a size */
};

struct plateaus {
	int count;
	struct plateau plateau[PLATEAUS_MAX];
	struct plateau_knee knee[PLATEAUS_MAX - 1]; /* count - 1 of them */
};

/* Finds plateaus in points in ascending order of bytes (all sizes differ). Fewer than four points
 * are one plateau. */
void plateaus_find(const struct curve_point *points, int count, struct plateaus *plateaus);

/* Where a curve of two levels rises: bytes of the last point in the lower half of its rise (on a
 * logarithmic scale; 0: there is none) and of the first in the upper half. False: it does not rise
 * beyond its noise. */
bool plateaus_rise(const struct curve_point *points, int count, double *below, double *above);
