/* A sweep as a chart. Lines: x is the knob with the most values, and each combination of the other
 * knobs is a line. Grid: two knobs, as a heat map or a relief. Cells are added one by one. */
#pragma once

#include "experiment/sweep/sweep.h"
#include "picture/chart.h"

enum chart_look { LOOK_AUTO, LOOK_LINES, LOOK_HEAT, LOOK_RELIEF, LOOKS };

/* "auto", "lines", "heat", "relief"; ended by NULL. */
extern const char *const chart_look_names[];

struct chart_sweep;

/* Starts the chart of a sweep; copies the axes. named: the named sweep, borrowed; NULL: none.
 * LOOK_AUTO: a relief for throughput over size and stride, else lines. STATUS_USAGE, and *gathered
 * NULL: these axes do not allow the look, or there are too many lines. */
struct status chart_sweep_new(const struct setting *setting, const struct sweep_axis *axes,
	size_t axis_count, const struct named_sweep *named, enum chart_look look,
	struct chart_sweep **gathered);
void chart_sweep_free(struct chart_sweep *gathered); /* NULL: does nothing */

/* Copies a finished cell into the chart. A failed cell becomes a gap. sample_ratios: NULL if
 * unknown. */
void chart_sweep_add(struct chart_sweep *gathered, const struct cell *cell,
	const struct sample_ratios *sample_ratios);

/* The number of cells that can be drawn. */
int chart_sweep_count(const struct chart_sweep *gathered);

/* The chart of all cells so far; the caller owns it. */
struct chart *chart_sweep_make(
	const struct chart_sweep *gathered, const struct chart_origin *origin);
