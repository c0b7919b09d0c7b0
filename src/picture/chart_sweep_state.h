/* A sweep's cells as they are gathered, for chart_sweep*.c alone. */
#ifndef SLX_PICTURE_CHART_SWEEP_STATE_H
#define SLX_PICTURE_CHART_SWEEP_STATE_H

#include "experiment/setting/cells.h"
#include "picture/chart_sweep.h"

/* One knob, its values ascending and without repeats. */
struct chart_sweep_axis {
	int knob, count;
	int64_t *values;
};

struct chart_sweep {
	struct setting setting; /* the knobs that do not vary */
	enum chart_look look;	/* LOOK_AUTO no more */
	int axis_count;		/* knobs that vary; the first is x, of a grid the second y */
	struct chart_sweep_axis axis[KNOBS_MAX];
	struct cells *cells; /* what has come */
	struct chart_source source;
	bool moves;		  /* some sample has a throughput */
	struct named_sweep named; /* how the figures are looked at; of one without a name the kernel
				     alone. Its words are borrowed */
};

const struct knob *chart_sweep_knob(const struct chart_sweep *gathered, int axis);

/* Combinations of the knobs that are not x. */
int chart_sweep_lines(const struct chart_sweep *gathered);

#endif
