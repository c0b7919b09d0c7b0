/* Where what others published puts one way of doing something before another and this machine does
 * not: which, and why, by the figures at hand. Pure. */
#ifndef SLX_EXPERIMENT_SWEEP_SWEEPS_ORDER_H
#define SLX_EXPERIMENT_SWEEP_SWEEPS_ORDER_H

#include "base/text.h"
#include "experiment/sweep/sweeps.h"

/* A setting that was measured, and what is known of it. */
struct sweeps_row {
	struct setting setting;
	struct sample sample;
	struct run_facts facts;
	struct sample_ratios sample_ratios;
	enum limit_kind limit; /* that binds; LIMIT_COUNT: unknown */
	double bound;	       /* cycles per element; NAN */
};

/* What binds it, for such a row; explanation may be NULL. */
void sweeps_row_limit(struct sweeps_row *row, const struct explanation *explanation);

/* For each place where published times or speedups can be compared with these rows, a line: the two
 * ways whose order differs most, or nothing; if all agree, one line that says so. Nothing where
 * there is nothing to compare. The ways are the values of the baseline's knob. */
void sweeps_order(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);

#endif
