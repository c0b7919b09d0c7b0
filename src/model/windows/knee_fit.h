/* What fits a curve best: a step, or a ramp. For knee.c alone. */
#ifndef SLX_MODEL_WINDOWS_KNEE_FIT_H
#define SLX_MODEL_WINDOWS_KNEE_FIT_H

#include "model/windows/knee.h"

/* Doubling begins there; below, fillers count as so many. */
enum { KNEE_FIRST = 8 };

/* A level of fewer points than that may be a disturbed one. */
enum { KNEE_FEWEST = 3 };

struct knee_rise {
	int a, b; /* the last point before the rise, the first after it */
	double before, after;
	double misfit;	    /* INFINITY: no rise */
	double outstanding; /* the rise, in what both levels are off, usually */
	int above;	    /* points that the level after it rests on */
};

struct knee_fit {
	double noise;
	struct knee_rise step[KNEE_POINTS]; /* between i and i + 1 */
	double best;			    /* the least misfit of any; INFINITY: no rise */
	int first,
		last; /* the steps that are as likely as the first good one, and the best of them */
	int chosen;
	int next;	       /* a later good one; -1 */
	struct knee_rise rise; /* the chosen step, or a ramp that fits better */
	bool ramp;
};

/* False: there is no rise. */
bool knee_fit_make(const struct knee_curve *curve, struct knee_fit *fit);

/* Whether the step between point i and the next is as likely as the best. */
bool knee_fit_likely(const struct knee_fit *fit, int i);

/* How far away from x points still speak of the levels round it. */
double knee_reach(double x);

#endif
