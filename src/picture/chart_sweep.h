/* A sweep as a picture: lines over the knob with the most values, one for each combination of the
 * others; or a grid of two knobs, from above or as a landscape. Cells are handed over as they come.
 */
#ifndef SLX_PICTURE_CHART_SWEEP_H
#define SLX_PICTURE_CHART_SWEEP_H

#include "experiment/sweep/sweep.h"
#include "experiment/sweep/sweeps.h"
#include "picture/chart.h"

enum chart_look { LOOK_AUTO, LOOK_LINES, LOOK_HEAT, LOOK_RELIEF, LOOKS };

/* "auto", "lines", "heat", "relief"; ended by NULL. */
extern const char *const chart_look_names[];

struct chart_sweep;

/* Of a sweep that has begun; axes are copied. named: how it is looked at, as its name has it;
 * borrowed; NULL: it has none. LOOK_AUTO: a landscape for throughput over size and stride, else
 * lines. STATUS_USAGE, and *gathered NULL, for a look that these axes do not have, or more lines
 * than a picture holds. */
struct status chart_sweep_new(const struct setting *setting, const struct sweep_axis *axes,
	size_t axis_count, const struct named_sweep *named, enum chart_look look,
	struct chart_sweep **gathered);
void chart_sweep_free(struct chart_sweep *gathered); /* NULL: nothing */

/* A finished cell; what is needed of it is copied. One that failed leaves a gap. pace: what else is
 * known of it; NULL: nothing. */
void chart_sweep_add(struct chart_sweep *gathered, const struct cell *cell,
	const struct sample_ratios *sample_ratios);

/* How many cells there are that can be drawn. */
int chart_sweep_count(const struct chart_sweep *gathered);

/* The chart of what there is so far; the caller's. */
struct chart *chart_sweep_make(
	const struct chart_sweep *gathered, const struct chart_origin *origin);

#endif
