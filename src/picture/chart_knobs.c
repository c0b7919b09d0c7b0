#include "picture/chart_knobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"
#include "model/limits/misses.h"
#include "model/memory/plateaus.h"

/* A scale is logarithmic if the ratio of its highest to its lowest value is above a limit. The
 * limits are different for latencies, other times and throughput. */
static const double LOG_LATENCY = 3, LOG_TIME = 12, LOG_THROUGHPUT = 40;

enum sweeps_figure figure_choose(const struct kernel *kernel, int x_knob, bool moves)
{
	bool over_memory = kernel->knobs[x_knob].axis == AXIS_SIZE ||
			   kernel->knobs[x_knob].axis == AXIS_STRIDE;

	return moves && over_memory && !kernel->plot_cpe ? SWEEPS_GBPS : SWEEPS_CPE;
}

void figure_title(
	const struct named_sweep *named, enum sweeps_figure figure, struct chart_axis *axis)
{
	struct text title = { 0 };

	sweeps_figure_title(named, figure, &title);
	chart_print(axis->title, "%s", text_string(&title));
	text_free(&title);
}

enum scale_kind figure_scale(
	enum sweeps_figure figure, const struct kernel *kernel, double least, double most)
{
	double ratio = least > 0 ? most / least : 1, from = LOG_TIME;

	if (figure == SWEEPS_GBPS || figure == SWEEPS_BYTES_PER_CYCLE || figure == SWEEPS_SPEEDUP ||
		sweeps_paced(figure))
		from = LOG_THROUGHPUT;
	else if (kernel->plot_cpe)
		from = LOG_LATENCY;
	return ratio > from ? SCALE_LOG : SCALE_LINEAR;
}

/* Returns the value of the chart's quantity (GB/s, for example) if the sample had `cpe` cycles per
 * element at the same core clock. */
static double figure_at(enum sweeps_figure figure, const struct sample *sample, double cpe,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base)
{
	struct sample other = *sample;
	double ratio = cpe / sample->cpe;

	other.cpe = cpe;
	other.ns *= ratio;
	other.gbps /= ratio;
	other.bytes_per_cycle /= ratio;
	return sweeps_value(figure, &other, facts, sample_ratios, base);
}

struct chart_point figure_point(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base, double x)
{
	struct chart_point point = { x, sweeps_value(figure, sample, facts, sample_ratios, base),
		NAN, NAN, NAN, NAN, false };

	if (!isfinite(point.y))
		return point;
	point.doubtful = sample->contended || sample->unsettled;
	if (sample->trials > 3) {
		double a = figure_at(figure, sample, sample->cpe_lo, facts, sample_ratios, base);
		double b = figure_at(figure, sample, sample->cpe_hi, facts, sample_ratios, base);

		/* Throughput is the inverse of cycles, so the lower and the upper quartile are
		 * swapped. */
		point.lo = fmin(a, b);
		point.hi = fmax(a, b);
	}
	if (sample->modes == 2) {
		double a = figure_at(figure, sample, sample->mode_low, facts, sample_ratios, base);
		double b = figure_at(figure, sample, sample->mode_high, facts, sample_ratios, base);

		point.other = fmin(a, b);
		point.other_y = fmax(a, b);
	}
	return point;
}

void knob_title(const struct knob *knob, struct chart_axis *axis)
{
	chart_print(axis->title, "%s (%s)", knob->name, knob->help);
}

/* Writes a knob's value as a tick label: "64 KiB", "random", "8". */
static void knob_label(const struct knob *knob, int64_t value, char *buffer, size_t size)
{
	text_copy_clean(buffer, size,
		knob->kind == KNOB_BYTES ? units_size_long(value).text
					 : setting_value(knob, value).text);
}

void knob_series(const struct knob *knob, int64_t value, char *buffer, size_t size)
{
	char label[CHART_NAME];

	knob_label(knob, value, label, sizeof(label));
	/* Add the knob's name to a number, except to a number of bytes, which is clear without the
	 * name. */
	if (knob->kind != KNOB_BYTES && label[0] >= '0' && label[0] <= '9')
		snprintf(buffer, size, "%s %s", knob->name, label);
	else
		snprintf(buffer, size, "%s", label);
}

void knob_heading(struct chart *chart, const struct setting *setting, unsigned except)
{
	struct text line = { 0 };

	chart_print(chart->title, "%s: %s", setting->kernel->name, setting->kernel->title);
	for (int i = 0; i < setting->kernel->knob_count; i++) {
		if (except >> i & 1)
			continue;
		/* In the subtitle of a chart, omit knobs such as `pages` and `cores` if they have
		 * their default values. */
		if (setting->kernel->knobs[i].asks != ASKS_NOTHING &&
			setting->v[i] == setting->kernel->knobs[i].initial)
			continue;
		text_addf(&line, "%s%s=%s", line.length ? "  " : "", setting->kernel->knobs[i].name,
			setting_shown(&setting->kernel->knobs[i], setting->v[i]).text);
	}
	text_copy_clean(chart->subtitle, sizeof(chart->subtitle), text_string(&line));
	text_free(&line);
}

void knob_steps(struct chart_axis *axis, const struct knob *knob, const int64_t *values, int count)
{
	knob_title(knob, axis);
	axis->count = count;
	axis->name = memory_resize(axis->name, (size_t)count, sizeof(*axis->name));
	for (int i = 0; i < count; i++)
		knob_label(knob, values[i], axis->name[i], sizeof(axis->name[i]));
	axis->scale = scale_fit(SCALE_STEPS, 0, count - 1);
}

static const char *const plateau_units[SWEEPS_FIGURES] = {
	[SWEEPS_CPE] = "cycles",
	[SWEEPS_NS] = "ns",
	[SWEEPS_SECONDS] = "s",
	[SWEEPS_GBPS] = "GB/s",
	[SWEEPS_BYTES_PER_CYCLE] = "B/cycle",
	[SWEEPS_SPEEDUP] = "times",
};

void mark_plateaus(struct chart *chart, enum sweeps_figure figure, const struct sample *samples)
{
	const struct chart_series *series = &chart->series[0];
	struct curve_point *curve = memory_new((size_t)series->count, sizeof(*curve));
	double *values = memory_new((size_t)series->count, sizeof(*values));
	struct plateaus plateaus;
	int count = 0;

	for (int i = 0; i < series->count; i++) {
		const struct sample *sample = &samples[i];

		if (!sample->valid)
			continue;
		curve[count] = (struct curve_point){ .bytes = series->point[i].x,
			.cycles = sample->cpe,
			.lo = sample->cpe_lo,
			.hi = sample->cpe_hi,
			.doubtful = sample->contended || sample->unsettled,
			.two_modes = sample->modes == 2,
			.mode_low = sample->mode_low,
			.mode_high = sample->mode_high,
			.share_low = sample->mode_share_low };
		values[count++] = series->point[i].y;
	}
	plateaus_find(curve, count, &plateaus);
	for (int i = 0; i < plateaus.count; i++) {
		const struct plateau *plateau = &plateaus.plateau[i];
		int points = plateau->last - plateau->first + 1;
		char text[CHART_NAME];
		double level;

		/* A plateau (flat part) of a curve needs at least two points. */
		if (points < 2)
			continue;
		level = stats_median(&values[plateau->first], (size_t)points);
		chart_print(text, "%s%s %s", plateau->unstable ? "about " : "",
			scale_figure(level).text, plateau_units[figure]);
		chart_add_flat(chart, plateau->from, plateau->to, level, text);
	}
	free(values);
	free(curve);
}

void mark_caches(struct chart *chart, const struct cache_sizes *caches)
{
	double inner = 0;

	for (int i = 0; i < CACHE_LEVELS; i++) {
		const struct cache_size *size = &caches->level[i];
		struct chart_mark mark = { .at = size->bytes,
			.lo = size->lo,
			.hi = size->hi,
			.stated = size->source != CACHE_MEASURED };

		/* If other processes leave this process no more of L3 than L2 keeps, nothing begins
		 * at L3's size. */
		if (!(size->bytes > inner))
			continue;
		inner = size->bytes;
		chart_print(mark.text, "L%d%s %s", i + 1, i == 0 ? "d" : "",
			units_size_long((int64_t)size->bytes).text);
		chart_add_mark(chart, &mark);
	}
}

void mark_grid_caches(
	struct chart *chart, const struct cache_sizes *caches, const int64_t *sizes, int count)
{
	double *values = memory_new((size_t)count, sizeof(*values));

	for (int i = 0; i < count; i++)
		values[i] = (double)sizes[i];
	mark_caches(chart, caches);
	for (int i = 0; i < chart->mark_count; i++) {
		struct chart_mark *mark = &chart->mark[i];

		mark->at = mark->lo = mark->hi = chart_step(values, count, mark->at);
	}
	free(values);
}

void mark_grid_line(struct chart *chart, double line, const struct setting *setting,
	int stride_knob, const int64_t *strides, int count)
{
	struct setting at = *setting;
	struct kernel_walk walk;

	for (int i = 0; i < count && line > 0; i++) {
		struct chart_mark mark = {
			.at = i - 0.5, .lo = i - 0.5, .hi = i - 0.5, .stated = true, .across = true
		};

		at.v[stride_knob] = strides[i];
		if (!kernel_describe(at.kernel, at.v, &walk) || walk.step < line)
			continue;
		chart_print(mark.text, "a cache line each from here");
		if (i > 0)
			chart_add_mark(chart, &mark);
		return;
	}
}
