#include "picture/chart_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "picture/chart_knobs.h"
#include "session/cells.h"

const char *const chart_look_names[] = { "auto", "lines", "heat", "relief", NULL };
_Static_assert(sizeof(chart_look_names) / sizeof(chart_look_names[0]) == LOOKS + 1, "a name for each");

/* A grid has at least so many values either way, a landscape by itself so many. */
enum { GRID_LEAST = 2, RELIEF_LEAST = 4, GRID_MOST = 64, VALUES_MOST = 4096 };

/* One knob, its values ascending and without repeats. */
struct axis {
	int knob, count;
	int64_t *values;
};

struct range {
	double least, most;
};

struct chart_sweep {
	struct setting setting;      /* the knobs that do not vary */
	enum chart_look look;        /* LOOK_AUTO no more */
	int axis_count;              /* knobs that vary; the first is x, of a grid the second y */
	struct axis axis[KNOBS_MAX];
	struct cells *cells;         /* what has come */
	struct chart_source source;
	bool moves;                  /* some sample has a throughput */
	struct range cycles, gbps;
};

static int by_value(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

static void copy_axis(const struct sweep_axis *from, struct axis *axis)
{
	axis->knob = from->knob;
	axis->values = memory_new(from->count, sizeof(*axis->values));
	memcpy(axis->values, from->values, from->count * sizeof(*axis->values));
	qsort(axis->values, from->count, sizeof(*axis->values), by_value);
	axis->count = 0;
	for (size_t i = 0; i < from->count; i++)
		if (axis->count == 0 || axis->values[axis->count - 1] != axis->values[i])
			axis->values[axis->count++] = axis->values[i];
}

static const struct knob *knob_of(const struct chart_sweep *gathered, int axis)
{
	return &gathered->setting.kernel->knobs[gathered->axis[axis].knob];
}

/* Whether an axis is a better x than another: more values; of numbers rather than choices; sizes before strides before others. */
static bool better(const struct chart_sweep *gathered, int a, int b)
{
	static const int rank[] = { [AXIS_NONE] = 0, [AXIS_SIZE] = 2, [AXIS_STRIDE] = 1 };
	const struct knob *one = knob_of(gathered, a), *other = knob_of(gathered, b);

	if ((one->kind == KNOB_CHOICE) != (other->kind == KNOB_CHOICE))
		return other->kind == KNOB_CHOICE;
	if (gathered->axis[a].count != gathered->axis[b].count)
		return gathered->axis[a].count > gathered->axis[b].count;
	return rank[one->axis] > rank[other->axis];
}

static void swap(struct chart_sweep *gathered, int a, int b)
{
	struct axis kept = gathered->axis[a];

	gathered->axis[a] = gathered->axis[b];
	gathered->axis[b] = kept;
}

/* The mountain's two knobs, enough of each, and nothing else varies. */
static bool is_mountain(const struct chart_sweep *gathered)
{
	const struct kernel *kernel = gathered->setting.kernel;

	return gathered->axis_count == 2 && !kernel->plot_cpe && knob_of(gathered, 0)->axis != knob_of(gathered, 1)->axis &&
		knob_of(gathered, 0)->axis != AXIS_NONE && knob_of(gathered, 1)->axis != AXIS_NONE &&
		gathered->axis[0].count >= RELIEF_LEAST && gathered->axis[1].count >= RELIEF_LEAST &&
		gathered->axis[0].count <= GRID_MOST && gathered->axis[1].count <= GRID_MOST;
}

static int line_count(const struct chart_sweep *gathered)
{
	int count = 1;

	for (int i = 1; i < gathered->axis_count && count <= VALUES_MOST; i++)
		count *= gathered->axis[i].count;
	return count;
}

static struct status check_look(const struct chart_sweep *gathered)
{
	const struct axis *axis = gathered->axis;

	if (gathered->look == LOOK_LINES && line_count(gathered) > CHART_SERIES)
		return status_make(STATUS_USAGE, "%d lines over %s are too many for a picture, which has %d at most: give the other knobs "
			"fewer values%s", line_count(gathered), knob_of(gathered, 0)->name, CHART_SERIES,
			gathered->axis_count == 2 ? ", or take --chart heat" : "");
	if (gathered->look == LOOK_LINES)
		return status_ok();
	if (gathered->axis_count != 2 || axis[0].count < GRID_LEAST || axis[1].count < GRID_LEAST)
		return status_make(STATUS_USAGE, "--chart %s wants two knobs with several values each", chart_look_names[gathered->look]);
	if (axis[0].count > GRID_MOST || axis[1].count > GRID_MOST)
		return status_make(STATUS_USAGE, "--chart %s: %d by %d cells are too many for a picture, which has %d either way at most",
			chart_look_names[gathered->look], axis[0].count, axis[1].count, GRID_MOST);
	return status_ok();
}

struct status chart_sweep_new(const struct setting *setting, const struct sweep_axis *axes, size_t axis_count, enum chart_look look,
	struct chart_sweep **result)
{
	struct chart_sweep *gathered = memory_new(1, sizeof(*gathered));
	struct status status;

	gathered->setting = *setting;
	gathered->cells = cells_new();
	gathered->cycles = gathered->gbps = (struct range){ INFINITY, -INFINITY };
	for (size_t i = 0; i < axis_count; i++)
		if (axes[i].count > 1 || axis_count == 1)
			copy_axis(&axes[i], &gathered->axis[gathered->axis_count++]);
	*result = NULL;
	if (gathered->axis_count == 0) {
		chart_sweep_free(gathered);
		return status_make(STATUS_USAGE, "a picture of a sweep wants a knob with several values, such as %s=*",
			setting->kernel->knob_count ? setting->kernel->knobs[0].name : "");
	}
	for (int i = 1; i < gathered->axis_count; i++)
		if (better(gathered, i, 0))
			swap(gathered, 0, i);
	gathered->look = look != LOOK_AUTO ? look : is_mountain(gathered) ? LOOK_RELIEF : LOOK_LINES;
	/* Sizes go down a grid, strides across, as the explorer has them. */
	if (gathered->look != LOOK_LINES && gathered->axis_count == 2 &&
		(knob_of(gathered, 0)->axis == AXIS_SIZE || knob_of(gathered, 1)->axis == AXIS_STRIDE))
		swap(gathered, 0, 1);
	status = check_look(gathered);
	if (!status_is_ok(&status)) {
		chart_sweep_free(gathered);
		return status;
	}
	*result = gathered;
	return status;
}

void chart_sweep_free(struct chart_sweep *gathered)
{
	if (!gathered)
		return;
	for (int i = 0; i < gathered->axis_count; i++)
		free(gathered->axis[i].values);
	cells_free(gathered->cells);
	free(gathered);
}

static void widen(struct range *range, double value)
{
	if (!isfinite(value))
		return;
	range->least = fmin(range->least, value);
	range->most = fmax(range->most, value);
}

void chart_sweep_add(struct chart_sweep *gathered, const struct cell *cell)
{
	if (!status_is_ok(&cell->failure) || !cell->sample.valid)
		return;
	cells_get(gathered->cells, &cell->setting, true)->sample = cell->sample;
	chart_note(&gathered->source, &cell->sample);
	gathered->moves |= isfinite(cell->sample.gbps);
	widen(&gathered->cycles, measure_of(MEASURE_CPE, &cell->sample));
	widen(&gathered->gbps, measure_of(MEASURE_GBPS, &cell->sample));
}

int chart_sweep_count(const struct chart_sweep *gathered)
{
	return (int)cells_count(gathered->cells);
}

static const struct sample *find(const struct chart_sweep *gathered, const struct setting *setting)
{
	const struct cell *cell = cells_get(gathered->cells, setting, false);

	return cell ? &cell->sample : NULL;
}

static const struct range *range_of(const struct chart_sweep *gathered, enum measure measure)
{
	return measure == MEASURE_GBPS ? &gathered->gbps : &gathered->cycles;
}

/* ---- lines ---- */

/* The setting and the name of the line of that number: the last knob varies fastest. */
static void line_of(const struct chart_sweep *gathered, int number, struct setting *setting, char *name, size_t size)
{
	struct text words = { 0 };

	*setting = gathered->setting;
	for (int i = gathered->axis_count - 1; i >= 1; i--) {
		const struct axis *axis = &gathered->axis[i];

		setting->v[axis->knob] = axis->values[number % axis->count];
		number /= axis->count;
	}
	for (int i = 1; i < gathered->axis_count; i++) {
		char value[CHART_NAME];

		knob_series(knob_of(gathered, i), setting->v[gathered->axis[i].knob], value, sizeof(value));
		text_addf(&words, "%s%s", i > 1 ? ", " : "", value);
	}
	snprintf(name, size, "%s", text_string(&words));
	text_free(&words);
}

static void add_line(const struct chart_sweep *gathered, enum measure measure, int number, struct chart *chart)
{
	const struct axis *x = &gathered->axis[0];
	int lines = line_count(gathered);
	/* Points of one step stand side by side. */
	double aside = (number - (lines - 1) / 2.0) * fmin(0.12, 0.7 / lines);
	struct chart_series *series;
	struct setting setting;
	char name[CHART_TEXT];

	line_of(gathered, number, &setting, name, sizeof(name));
	series = chart_add_series(chart, name);
	for (int i = 0; series && i < x->count; i++) {
		const struct sample *sample, none = { 0 };
		struct chart_point point;

		setting.v[x->knob] = x->values[i];
		sample = find(gathered, &setting);
		point = measure_point(measure, sample ? sample : &none, chart->x.scale.kind == SCALE_STEPS ? i + aside :
			(double)x->values[i]);
		chart_add_point(series, &point);
	}
}

static enum scale_kind x_scale(const struct chart_sweep *gathered)
{
	const struct axis *x = &gathered->axis[0];
	double *values = memory_new((size_t)x->count, sizeof(*values));
	enum scale_kind kind;

	for (int i = 0; i < x->count; i++)
		values[i] = (double)x->values[i];
	kind = scale_choose(values, x->count);
	free(values);
	if (knob_of(gathered, 0)->kind == KNOB_CHOICE)
		return SCALE_STEPS;
	return knob_of(gathered, 0)->kind == KNOB_BYTES && x->values[0] > 0 ? SCALE_BYTES : kind;
}

/* The flat parts of the only line over sizes. */
static void add_plateaus(const struct chart_sweep *gathered, enum measure measure, struct chart *chart)
{
	const struct axis *x = &gathered->axis[0];
	struct sample *samples = memory_new((size_t)x->count, sizeof(*samples));
	struct setting setting = gathered->setting;

	for (int i = 0; i < x->count; i++) {
		const struct sample *sample;

		setting.v[x->knob] = x->values[i];
		sample = find(gathered, &setting);
		if (sample)
			samples[i] = *sample;
	}
	mark_plateaus(chart, measure, samples);
	free(samples);
}

static struct chart *make_lines(const struct chart_sweep *gathered)
{
	const struct kernel *kernel = gathered->setting.kernel;
	const struct knob *knob = knob_of(gathered, 0);
	enum measure measure = measure_choose(kernel, gathered->axis[0].knob, gathered->moves);
	struct chart *chart = chart_new(CHART_LINES);
	const struct range *range = range_of(gathered, measure);
	enum scale_kind kind = x_scale(gathered);

	chart->joined = kind != SCALE_STEPS;
	chart->x.scale.kind = kind;
	if (kind == SCALE_STEPS)
		knob_steps(&chart->x, knob, gathered->axis[0].values, gathered->axis[0].count);
	for (int i = 0; i < line_count(gathered); i++)
		add_line(gathered, measure, i, chart);
	chart_fit(chart, kind, measure_scale(measure, kernel, range->least, range->most));
	chart->x.scale.whole = kind == SCALE_LINEAR;
	for (int i = 0; kind == SCALE_STEPS && chart->series_count == 1 && i < chart->series[0].count; i++) {
		char figure[24];

		scale_figure(chart->series[0].point[i].y, figure, sizeof(figure));
		chart_add_call(chart, i, chart->series[0].point[i].y, figure);
	}
	if (gathered->axis_count == 1 && knob->axis == AXIS_SIZE)
		add_plateaus(gathered, measure, chart);
	/* Many values of one number: shades in their order. */
	chart->ordered = gathered->axis_count == 2 && knob_of(gathered, 1)->kind != KNOB_CHOICE && chart->series_count > 4;
	knob_title(knob, chart->x.title, sizeof(chart->x.title));
	measure_title(measure, kernel, chart->y.title, sizeof(chart->y.title));
	return chart;
}

/* ---- grids ---- */

static struct chart *make_grid(const struct chart_sweep *gathered)
{
	const struct kernel *kernel = gathered->setting.kernel;
	const struct axis *x = &gathered->axis[0], *y = &gathered->axis[1];
	enum measure measure = measure_choose(kernel, y->knob, gathered->moves);
	struct chart *chart = chart_new(gathered->look == LOOK_HEAT ? CHART_HEAT : CHART_RELIEF);
	const struct range *range = range_of(gathered, measure);
	struct setting setting = gathered->setting;

	knob_steps(&chart->x, knob_of(gathered, 0), x->values, x->count);
	knob_steps(&chart->y, knob_of(gathered, 1), y->values, y->count);
	chart_make_grid(chart);
	for (int row = 0; row < y->count; row++) {
		for (int column = 0; column < x->count; column++) {
			const struct sample *sample;

			setting.v[x->knob] = x->values[column];
			setting.v[y->knob] = y->values[row];
			sample = find(gathered, &setting);
			if (!sample)
				continue;
			chart->grid[row * x->count + column] = measure_of(measure, sample);
			chart->doubtful[row * x->count + column] = sample->contended;
		}
	}
	knob_title(knob_of(gathered, 0), chart->x.title, sizeof(chart->x.title));
	knob_title(knob_of(gathered, 1), chart->y.title, sizeof(chart->y.title));
	measure_title(measure, kernel, chart->z.title, sizeof(chart->z.title));
	chart_grid_scale(chart, range->least, range->most);
	return chart;
}

struct chart *chart_sweep_make(const struct chart_sweep *gathered, const struct chart_origin *origin)
{
	struct chart *chart = gathered->look == LOOK_LINES ? make_lines(gathered) : make_grid(gathered);
	unsigned swept = 0;

	for (int i = 0; i < gathered->axis_count; i++)
		swept |= 1u << gathered->axis[i].knob;
	knob_heading(gathered->setting.kernel, chart->title, sizeof(chart->title));
	knob_settings(&gathered->setting, swept, chart->subtitle, sizeof(chart->subtitle));
	if (gathered->look == LOOK_LINES && knob_of(gathered, 0)->axis == AXIS_SIZE)
		mark_caches(chart, origin->machine);
	else if (gathered->look != LOOK_LINES && knob_of(gathered, 1)->axis == AXIS_SIZE)
		mark_grid_caches(chart, origin->machine, gathered->axis[1].values, gathered->axis[1].count);
	chart_sign(chart, origin);
	chart_cite(chart, origin->machine, &gathered->source);
	return chart;
}
