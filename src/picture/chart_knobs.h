/* What charts of kernels have in common: a knob as an axis, a sample as a point, the caches of the
 * machine as marks. Pure. */
#ifndef SLX_PICTURE_CHART_KNOBS_H
#define SLX_PICTURE_CHART_KNOBS_H

#include "experiment/setting/setting.h"
#include "experiment/sweep/sweeps.h"
#include "picture/chart.h"

/* What is shown of samples over a knob, as the explorer's slices do: throughput over sizes and
 * strides of a kernel that moves bytes, unless latency is its point; otherwise, and over any other
 * knob, cycles. moves: some sample has a throughput. */
enum sweeps_figure figure_choose(const struct kernel *kernel, int x_knob, bool moves);

/* "cycles per array element read", "GB/s". */
void figure_title(
	enum sweeps_figure figure, const struct kernel *kernel, char *buffer, size_t size);

/* The scale of its axis for values from `least` to `most`. */
enum scale_kind figure_scale(
	enum sweeps_figure figure, const struct kernel *kernel, double least, double most);

/* A sample with its quartiles and modes at x; one that is not valid is a gap. facts (of its run),
 * pace (NULL: unknown) and base (what a speedup is relative to) as sweeps_value() wants them. */
struct chart_point figure_point(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base, double x);

/* "size (bytes of the array)". */
void knob_title(const struct knob *knob, char *buffer, size_t size);

/* "64 KiB", "random"; with the knob's name where the value alone says little: "stride 8". */
void knob_series(const struct knob *knob, int64_t value, char *buffer, size_t size);

/* "op=mul type=f64 …": every knob but those of `except` (a bit each), and those of place (pages,
 * cores …) that are as they are initially. */
void knob_settings(const struct setting *setting, unsigned except, char *buffer, size_t size);

/* The kernel's name and title: "combine: reduce an array". */
void knob_heading(const struct kernel *kernel, char *buffer, size_t size);

/* An axis with these values of a knob as steps. */
void knob_steps(struct chart_axis *axis, const struct knob *knob, const int64_t *values, int count);

/* The flat parts of the first series, whose points are these samples over sizes, each with its
 * figure: "5.0 cycles", "42 GB/s". A sample that is not valid is a gap. */
void mark_plateaus(struct chart *chart, enum sweeps_figure figure, const struct sample *samples);

/* Where the data caches end, as the system states them, in bytes. */
void mark_caches(struct chart *chart, const struct machine *machine);
/* The same between the rows of a grid, whose sizes ascend. */
void mark_grid_caches(
	struct chart *chart, const struct machine *machine, const int64_t *sizes, int count);
/* Between the columns of a grid, whose strides ascend: from where on each access touches a cache
 * line of its own. */
void mark_grid_line(struct chart *chart, const struct machine *machine,
	const struct setting *setting, int stride_knob, const int64_t *strides, int count);

#endif
