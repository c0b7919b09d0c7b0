#include "picture/chart_knobs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"
#include "model/plateaus.h"

/* Cycles that differ by so much are shown on a logarithmic scale, throughput by so much more. */
static const double LOG_CYCLES = 12, LOG_GBPS = 300;

enum measure measure_choose(const struct kernel *kernel, int x_knob, bool moves)
{
	bool over_memory = kernel->knobs[x_knob].axis == AXIS_SIZE || kernel->knobs[x_knob].axis == AXIS_STRIDE;

	return moves && over_memory && !kernel->plot_cpe ? MEASURE_GBPS : MEASURE_CPE;
}

double measure_of(enum measure measure, const struct sample *sample)
{
	if (!sample->valid)
		return NAN;
	return measure == MEASURE_GBPS ? sample->gbps : sample->cpe;
}

void measure_title(enum measure measure, const struct kernel *kernel, char *buffer, size_t size)
{
	if (measure == MEASURE_GBPS)
		snprintf(buffer, size, "GB/s");
	else
		snprintf(buffer, size, "cycles per %s", kernel->element);
}

enum scale_kind measure_scale(enum measure measure, const struct kernel *kernel, double least, double most)
{
	double ratio = least > 0 ? most / least : 1;

	if (measure == MEASURE_GBPS)
		return ratio > LOG_GBPS ? SCALE_LOG : SCALE_LINEAR;
	return ratio > (kernel->plot_cpe ? LOG_CYCLES / 4 : LOG_CYCLES) ? SCALE_LOG : SCALE_LINEAR;
}

struct chart_point measure_point(enum measure measure, const struct sample *sample, double x)
{
	struct chart_point point = { x, measure_of(measure, sample), NAN, NAN, NAN, NAN, false };
	/* Throughput is the inverse of cycles: its quartiles change places. */
	double cycles = sample->cpe * sample->gbps;

	if (!sample->valid)
		return point;
	point.doubtful = sample->contended;
	if (sample->trials > 3) {
		point.lo = measure == MEASURE_GBPS ? cycles / sample->cpe_hi : sample->cpe_lo;
		point.hi = measure == MEASURE_GBPS ? cycles / sample->cpe_lo : sample->cpe_hi;
	}
	if (sample->modes == 2) {
		point.other = measure == MEASURE_GBPS ? cycles / sample->mode_high : sample->mode_low;
		point.other_y = measure == MEASURE_GBPS ? cycles / sample->mode_low : sample->mode_high;
	}
	return point;
}

void knob_title(const struct knob *knob, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s (%s)", knob->name, knob->help);
}

void knob_label(const struct knob *knob, int64_t value, char *buffer, size_t size)
{
	if (knob->kind == KNOB_BYTES)
		units_bytes_long(value, buffer, size);
	else
		setting_format_value(knob, value, buffer, size);
}

void knob_series(const struct knob *knob, int64_t value, char *buffer, size_t size)
{
	char label[CHART_NAME];

	knob_label(knob, value, label, sizeof(label));
	if (knob->kind == KNOB_COUNT)
		snprintf(buffer, size, "%s %s", knob->name, label);
	else
		snprintf(buffer, size, "%s", label);
}

void knob_settings(const struct setting *setting, unsigned except, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < setting->kernel->knob_count && used < size; i++) {
		char value[64];

		if (except >> i & 1)
			continue;
		setting_show_value(&setting->kernel->knobs[i], setting->v[i], value, sizeof(value));
		used += (size_t)snprintf(buffer + used, size - used, "%s%s=%s", used ? "  " : "", setting->kernel->knobs[i].name, value);
	}
}

void knob_heading(const struct kernel *kernel, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s: %s", kernel->name, kernel->title);
}

void knob_steps(struct chart_axis *axis, const struct knob *knob, const int64_t *values, int count)
{
	char (*labels)[CHART_NAME] = memory_new((size_t)count, sizeof(*labels));
	const char **names = memory_new((size_t)count, sizeof(*names));

	for (int i = 0; i < count; i++) {
		knob_label(knob, values[i], labels[i], sizeof(labels[i]));
		names[i] = labels[i];
	}
	chart_name_axis(axis, names, count);
	free(labels);
	free(names);
}

/* "5.0 cycles", "about 42 GB/s". */
static void plateau_words(enum measure measure, const struct plateau *plateau, double value, char *buffer, size_t size)
{
	char figure[24];

	scale_figure(value, figure, sizeof(figure));
	snprintf(buffer, size, "%s%s %s", plateau->unstable ? "about " : "", figure, measure == MEASURE_GBPS ? "GB/s" : "cycles");
}

void mark_plateaus(struct chart *chart, enum measure measure, const struct sample *samples)
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
		curve[count] = (struct curve_point){ .bytes = series->point[i].x, .cycles = sample->cpe, .lo = sample->cpe_lo,
			.hi = sample->cpe_hi, .doubtful = sample->contended, .two_modes = sample->modes == 2,
			.mode_low = sample->mode_low, .mode_high = sample->mode_high, .share_low = sample->mode_share_low };
		values[count++] = series->point[i].y;
	}
	plateaus_find(curve, count, &plateaus);
	for (int i = 0; i < plateaus.count; i++) {
		const struct plateau *plateau = &plateaus.plateau[i];
		int points = plateau->last - plateau->first + 1;
		char text[CHART_NAME];
		double level;

		/* One point is no plateau. */
		if (points < 2)
			continue;
		level = stats_median(&values[plateau->first], (size_t)points);
		plateau_words(measure, plateau, level, text, sizeof(text));
		chart_add_flat(chart, plateau->from, plateau->to, level, text);
	}
	free(values);
	free(curve);
}

void mark_caches(struct chart *chart, const struct machine *machine)
{
	for (int i = 0; machine && i < machine->cache_count; i++) {
		const struct machine_cache *cache = &machine->cache[i];
		struct chart_mark mark = { .at = (double)cache->bytes, .lo = (double)cache->bytes, .hi = (double)cache->bytes, .stated = true };
		char bytes[24];

		if (!cache->bytes)
			continue;
		units_bytes_long((int64_t)cache->bytes, bytes, sizeof(bytes));
		snprintf(mark.text, sizeof(mark.text), "L%d%s %s", cache->level, cache->level == 1 ? "d" : "", bytes);
		chart_add_mark(chart, &mark);
	}
}

void mark_grid_caches(struct chart *chart, const struct machine *machine, const int64_t *sizes, int count)
{
	double *values = memory_new((size_t)count, sizeof(*values));

	for (int i = 0; i < count; i++)
		values[i] = (double)sizes[i];
	chart->marks_on_y = true;
	mark_caches(chart, machine);
	for (int i = 0; i < chart->mark_count; i++) {
		struct chart_mark *mark = &chart->mark[i];

		mark->at = mark->lo = mark->hi = chart_step(values, count, mark->at);
	}
	free(values);
}
