/* Makes the chart of a sweep. In a chart of lines, x is one knob, and each combination of the other
 * knobs' values is a line. A grid has two knobs, and is drawn as a heat map or a relief. The caller
 * adds the samples of the sweep (its cells) one by one. */
#pragma once

#include "experiment/sweep/sweep.h"
#include "picture/chart.h"

enum chart_look { LOOK_AUTO, LOOK_LINES, LOOK_HEAT, LOOK_RELIEF, LOOKS };

/* The names of the looks: "auto", "lines", "heat", "relief"; ended by NULL. */
extern const char *const chart_look_names[];

struct chart_sweep;

/* Starts the chart of a sweep, and copies the axes. Parameter `named`: the named sweep, borrowed;
 * NULL: the sweep has no name. LOOK_AUTO chooses a relief for throughput over size and stride, else
 * lines. STATUS_USAGE: the sweep has too few or too many knobs with several values for this look,
 * or the chart would have too many lines; *gathered is then NULL. */
struct status chart_sweep_new(const struct setting *setting, const struct sweep_axis *axes,
	size_t axis_count, const struct named_sweep *named, enum chart_look look,
	struct chart_sweep **gathered);
void chart_sweep_free(struct chart_sweep *gathered); /* NULL: does nothing */

/* Copies the finished sample of a setting (a cell) into the chart. A failed measurement becomes a
 * gap in the chart. Parameter `sample_ratios`: NULL if unknown. */
void chart_sweep_add(struct chart_sweep *gathered, const struct cell *cell,
	const struct sample_ratios *sample_ratios);

/* Returns how many of the added samples can be drawn. */
int chart_sweep_count(const struct chart_sweep *gathered);

/* Makes the chart of all cells added so far; the caller owns the chart. */
struct chart *chart_sweep_make(
	const struct chart_sweep *gathered, const struct chart_origin *origin);
