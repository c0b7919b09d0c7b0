/* A measured curve made ready for analysis: logarithms, how noisy each point is, and the monotone
 * curve behind the noise. Pure.
 *
 * Latency over working-set size does not really fall: what does is noise, a neighbour, or a point
 * that has two modes. So the best monotone curve, by absolute deviations, is what single odd points
 * are judged against. */
#ifndef SLX_MODEL_MEMORY_CURVE_H
#define SLX_MODEL_MEMORY_CURVE_H

#include "model/memory/plateaus.h"

enum { CURVE_POINTS = 512 };

struct curve {
	int count;
	int index[CURVE_POINTS];       /* of each in the points that it was made of: those without a
					  positive figure are left out */
	double x[CURVE_POINTS];	       /* octaves: log2 of bytes */
	double y[CURVE_POINTS];	       /* natural logarithm of cycles */
	double monotone[CURVE_POINTS]; /* of y: never falls, least absolute deviations */
	double noise[CURVE_POINTS]; /* standard deviation of y that its quartiles and its neighbours
				       speak for; never 0 */
	double weight[CURVE_POINTS]; /* 1 where points stand a quarter of an octave apart, less
					where they stand closer: ten points about a knee tell where
					it is, not ten times over that there is one */
	double clean[CURVE_POINTS]; /* y, no further from the monotone curve than twice the noise */
};

/* Takes the first CURVE_POINTS of them; they ascend. */
void curve_make(const struct curve_point *points, int count, struct curve *curve);

#endif
