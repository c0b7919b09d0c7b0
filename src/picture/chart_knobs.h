/* Functions for charts of kernels: a knob becomes an axis, a sample a point, the machine's caches
 * become marks. Pure. */
#pragma once

#include "experiment/setting/setting.h"
#include "experiment/sweep/sweep.h"
#include "picture/chart.h"

/* Chooses the quantity to show over a knob, as the explorer does. The quantity is throughput if at
 * least one sample has a throughput (`moves`), the knob is a size or stride, and the kernel's plot
 * does not show cycles. Otherwise the quantity is cycles. Parameter `moves`: whether at least one
 * sample has a throughput. */
enum sweeps_figure figure_choose(const struct kernel *kernel, int x_knob, bool moves);

/* Sets the title of an axis: "cycles per array element read", "GB/s". */
void figure_title(
	const struct named_sweep *named, enum sweeps_figure figure, struct chart_axis *axis);

/* Returns the kind of scale for an axis that shows a quantity from `least` to `most`. */
enum scale_kind figure_scale(
	enum sweeps_figure figure, const struct kernel *kernel, double least, double most);

/* Makes a chart point at x from a sample, with the sample's quartiles and modes. An invalid sample
 * becomes a gap in the line. Parameters for sweeps_value(): facts of the sample's run,
 * sample_ratios (NULL: unknown), and base, the baseline of a speedup. */
struct chart_point figure_point(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base, double x);

/* Sets the title of an axis: "size (bytes of the array)". */
void knob_title(const struct knob *knob, struct chart_axis *axis);

/* Writes a knob's value: "64 KiB", "random". Adds the knob's name if the value alone is unclear:
 * "stride 8". */
void knob_series(const struct knob *knob, int64_t value, char *buffer, size_t size);

/* Sets the chart's title to the kernel's name and title: "combine: reduce an array". Sets the
 * chart's subtitle to the setting: "op=mul type=f64 …". The subtitle omits the knobs in `except`
 * (one bit for each knob). The subtitle also omits knobs that request memory or cores (pages, cores
 * …) if they have their default value.
 */
void knob_heading(struct chart *chart, const struct setting *setting, unsigned except);

/* Gives an axis `count` values of a knob as named steps, and sets the title of the axis. */
void knob_steps(struct chart_axis *axis, const struct knob *knob, const int64_t *values, int count);

/* Labels the flat parts of the first series: "5.0 cycles", "42 GB/s". `samples`: the measured
 * samples of the points of this series, over working-set sizes. An invalid sample is a gap between
 * points. */
void mark_plateaus(struct chart *chart, enum sweeps_figure figure, const struct sample *samples);

/* Marks the sizes of the data caches in bytes. The mark of a measured size also shows the range of
 * the size. */
void mark_caches(struct chart *chart, const struct cache_sizes *caches);
/* Marks the sizes of the data caches like mark_caches(), but between the rows of a grid with
 * ascending sizes. */
void mark_grid_caches(
	struct chart *chart, const struct cache_sizes *caches, const int64_t *sizes, int count);
/* Marks the stride from which each access touches its own cache line of `line` bytes. In a grid
 * with ascending strides, the mark of a stride is between two columns. */
void mark_grid_line(struct chart *chart, double line, const struct setting *setting,
	int stride_knob, const int64_t *strides, int count);
