#include "picture/chart_sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/setting/cells.h"
#include "picture/chart_knobs.h"

/* One knob with its distinct values in ascending order. */
struct chart_sweep_axis {
	int knob, count;
	int64_t *values;
};

struct chart_sweep {
	struct setting setting; /* setting with the values of the knobs that do not vary */
	enum chart_look look;	/* resolved, not LOOK_AUTO */
	int axis_count; /* number of knobs that vary; the first knob is x, the second knob is y of a
			   grid */
	struct chart_sweep_axis axis[KNOBS_MAX];
	struct cells *cells; /* the cells so far */
	struct chart_source source;
	bool moves; /* at least one sample of the sweep has a throughput */
	struct named_sweep
		named; /* how to show the values; for a sweep without a name, `named`
			  holds only the kernel. The text in `named` is borrowed from the caller */
};

const char *const chart_look_names[] = { "auto", "lines", "heat", "relief", NULL };
_Static_assert(
	sizeof(chart_look_names) / sizeof(chart_look_names[0]) == LOOKS + 1, "a name for each");

/* Limits for the number of values. GRID_LEAST, GRID_MOST: smallest and largest number of values on
 * each axis of a grid. RELIEF_LEAST: smallest number of values on each axis if a relief is chosen
 * by default. VALUES_MOST: line_count() stops counting above this number. */
enum { GRID_LEAST = 2, RELIEF_LEAST = 4, GRID_MOST = 64, VALUES_MOST = 4096 };

static int by_value(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

static void copy_axis(const struct sweep_axis *from, struct chart_sweep_axis *axis)
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

/* Returns how well an axis is suited to be x. The x axis of a named sweep has priority, then
 * numeric knobs, then knobs with more values. Among equal knobs, sizes have priority over strides,
 * and strides over other knobs. */
static double suits_x(const struct chart_sweep *gathered, int axis)
{
	static const int rank[] = { [AXIS_NONE] = 0, [AXIS_SIZE] = 2, [AXIS_STRIDE] = 1 };
	const struct knob *knob = knob_of(gathered, axis);

	return 2e12 * (gathered->axis[axis].knob == gathered->named.x) +
	       1e12 * (knob->kind != KNOB_CHOICE) + 4.0 * gathered->axis[axis].count +
	       rank[knob->axis];
}

static int choose_x(const struct chart_sweep *gathered)
{
	int best = 0;

	for (int i = 1; i < gathered->axis_count; i++)
		if (suits_x(gathered, i) > suits_x(gathered, best))
			best = i;
	return best;
}

/* Moves a knob to the front of the list of varying knobs, which makes it the x axis. All other
 * knobs keep their order. */
static void bring(struct chart_sweep *gathered, int index)
{
	struct chart_sweep_axis kept = gathered->axis[index];

	for (; index > 0; index--)
		gathered->axis[index] = gathered->axis[index - 1];
	gathered->axis[0] = kept;
}

/* Returns whether size and stride are the only knobs that vary, with enough values to draw a memory
 * mountain. */
static bool is_mountain(const struct chart_sweep *gathered)
{
	const struct kernel *kernel = gathered->setting.kernel;

	return gathered->axis_count == 2 && !kernel->plot_cpe &&
	       knob_of(gathered, 0)->axis != knob_of(gathered, 1)->axis &&
	       knob_of(gathered, 0)->axis != AXIS_NONE && knob_of(gathered, 1)->axis != AXIS_NONE &&
	       gathered->axis[0].count >= RELIEF_LEAST && gathered->axis[1].count >= RELIEF_LEAST &&
	       gathered->axis[0].count <= GRID_MOST && gathered->axis[1].count <= GRID_MOST;
}

/* Returns the number of combinations of the values of all knobs except x. */
static int line_count(const struct chart_sweep *gathered)
{
	int count = 1;

	for (int i = 1; i < gathered->axis_count && count <= VALUES_MOST; i++)
		count *= gathered->axis[i].count;
	return count;
}

static struct status check_look(const struct chart_sweep *gathered)
{
	const struct chart_sweep_axis *axis = gathered->axis;

	if (gathered->look == LOOK_LINES && line_count(gathered) > CHART_SERIES)
		return status_usage("%d lines over %s are too many for a picture: at most %d; give "
				    "the other knobs fewer values%s",
			line_count(gathered), knob_of(gathered, 0)->name, CHART_SERIES,
			gathered->axis_count == 2 ? ", or take --chart heat" : "");
	if (gathered->look == LOOK_LINES)
		return status_ok();
	if (gathered->axis_count != 2 || axis[0].count < GRID_LEAST || axis[1].count < GRID_LEAST)
		return status_usage("--chart %s needs two knobs with several values each",
			chart_look_names[gathered->look]);
	if (axis[0].count > GRID_MOST || axis[1].count > GRID_MOST)
		return status_usage(
			"--chart %s: a grid of %d by %d values is too large for a picture: use at "
			"most %d values of each knob",
			chart_look_names[gathered->look], axis[0].count, axis[1].count, GRID_MOST);
	return status_ok();
}

struct status chart_sweep_new(const struct setting *setting, const struct sweep_axis *axes,
	size_t axis_count, const struct named_sweep *named, enum chart_look look,
	struct chart_sweep **result)
{
	struct chart_sweep *gathered = memory_new(1, sizeof(*gathered));
	struct status status;

	gathered->setting = *setting;
	gathered->cells = cells_new();
	gathered->named = (struct named_sweep){ .kernel = setting->kernel, .x = -1, .base = -1 };
	if (named)
		gathered->named = *named;
	for (size_t i = 0; i < axis_count; i++)
		if (axes[i].count > 1 || axis_count == 1)
			copy_axis(&axes[i], &gathered->axis[gathered->axis_count++]);
	*result = NULL;
	if (gathered->axis_count == 0) {
		status = status_usage(
			"a picture of a sweep needs a knob with several values, for example %s=*",
			setting->kernel->knob_count ? setting->kernel->knobs[0].name : "");
	} else {
		bring(gathered, choose_x(gathered));
		gathered->look = look != LOOK_AUTO	 ? look
				 : is_mountain(gathered) ? LOOK_RELIEF
							 : LOOK_LINES;
		/* As in the explorer, sizes are on the y axis and strides on the x axis. */
		if (gathered->look != LOOK_LINES && gathered->axis_count == 2 &&
			(knob_of(gathered, 0)->axis == AXIS_SIZE ||
				knob_of(gathered, 1)->axis == AXIS_STRIDE))
			bring(gathered, 1);
		status = check_look(gathered);
	}
	if (status_is_ok(&status))
		*result = gathered;
	else
		chart_sweep_free(gathered);
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

void chart_sweep_add(struct chart_sweep *gathered, const struct cell *cell,
	const struct sample_ratios *sample_ratios)
{
	struct cell *kept;

	if (!status_is_ok(&cell->failure) || !cell->sample.valid)
		return;
	kept = cells_get(gathered->cells, &cell->setting, true);
	kept->sample = cell->sample;
	kept->facts = cell->facts;
	if (sample_ratios)
		kept->sample_ratios = *sample_ratios;
	chart_note(&gathered->source, &cell->sample);
	gathered->moves |= isfinite(cell->sample.gbps);
}

int chart_sweep_count(const struct chart_sweep *gathered)
{
	return (int)cells_count(gathered->cells);
}

/* ---- the chart ---- */

static enum sweeps_figure figure_of(const struct chart_sweep *gathered, int x_knob)
{
	return gathered->named.name[0]
		       ? gathered->named.figure
		       : figure_choose(gathered->setting.kernel, x_knob, gathered->moves);
}

/* Returns the point of the chart, at x, for a setting. The line has a gap at x if the setting, or
 * the baseline of its speedup, was not measured. */
static struct chart_point point_of(const struct chart_sweep *gathered, enum sweeps_figure figure,
	const struct setting *setting, double x)
{
	static const struct sample none;
	const struct cell *cell = cells_get(gathered->cells, setting, false), *base = NULL;
	struct setting at;

	if (figure == SWEEPS_SPEEDUP && sweeps_baseline(&gathered->named, setting, &at))
		base = cells_get(gathered->cells, &at, false);
	return figure_point(figure, cell ? &cell->sample : &none, cell ? &cell->facts : NULL,
		cell ? &cell->sample_ratios : NULL, base ? &base->sample : NULL, x);
}

/* ---- lines ---- */

/* Each line of the chart has its own values of all knobs except x. Returns the setting of line
 * number `number`; from line to line, the last knob varies fastest. */
static struct setting line_of(const struct chart_sweep *gathered, int number)
{
	struct setting setting = gathered->setting;

	for (int i = gathered->axis_count - 1; i >= 1; i--) {
		const struct chart_sweep_axis *axis = &gathered->axis[i];

		setting.v[axis->knob] = axis->values[number % axis->count];
		number /= axis->count;
	}
	return setting;
}

/* Returns the name of the line that contains a setting: the values of all knobs except x. */
static struct words name_of(const struct chart_sweep *gathered, const struct setting *setting)
{
	struct words words = { "" };

	for (int i = 1; i < gathered->axis_count; i++) {
		size_t used = strlen(words.text);
		char value[CHART_NAME];

		knob_series(knob_of(gathered, i), setting->v[gathered->axis[i].knob], value,
			sizeof(value));
		snprintf(words.text + used, sizeof(words.text) - used, "%s%s", used ? ", " : "",
			value);
	}
	return words;
}

/* Returns whether at least one point of a setting's line was measured. If the kernel allows none of
 * the settings of a line, the line is omitted.
 */
static bool any_of(const struct chart_sweep *gathered, struct setting setting)
{
	const struct chart_sweep_axis *x = &gathered->axis[0];

	for (int i = 0; i < x->count; i++) {
		setting.v[x->knob] = x->values[i];
		if (cells_get(gathered->cells, &setting, false))
			return true;
	}
	return false;
}

static void add_line(const struct chart_sweep *gathered, enum sweeps_figure figure, int number,
	struct chart *chart)
{
	const struct chart_sweep_axis *x = &gathered->axis[0];
	int lines = line_count(gathered);
	/* Draw the points of different lines at the same step side by side. */
	double shift = (number - (lines - 1) / 2.0) * fmin(0.12, 0.7 / lines);
	struct setting setting = line_of(gathered, number);
	struct chart_series *series;

	if (!any_of(gathered, setting))
		return;
	series = chart_add_series(chart, name_of(gathered, &setting).text);
	for (int i = 0; series && i < x->count; i++) {
		struct chart_point point;

		setting.v[x->knob] = x->values[i];
		point = point_of(gathered, figure, &setting,
			chart->x.scale.kind == SCALE_STEPS ? i + shift : (double)x->values[i]);
		chart_add_point(series, &point);
	}
}

/* Adds published values of the quantity that the chart shows. Only speedups and cycles per
 * instruction are comparable between machines; times are not comparable. */
static void add_published(
	const struct chart_sweep *gathered, enum sweeps_figure figure, struct chart *chart)
{
	const struct named_sweep *named = &gathered->named;
	const struct chart_sweep_axis *x = &gathered->axis[0];
	struct chart_series *series = NULL;

	for (int i = 0;
		i < named->published_count && (figure == SWEEPS_SPEEDUP || sweeps_paced(figure));
		i++) {
		const struct sweeps_published *published = &named->published[i];
		double at = (double)published->setting.v[x->knob];
		struct chart_point point = { at, published->value, NAN, NAN, NAN, NAN, false };

		if (published->figure != figure || !published->named[x->knob] ||
			at < (double)x->values[0] || at > (double)x->values[x->count - 1])
			continue;
		if (!series)
			series = chart_add_series(chart, "published");
		if (!series)
			return;
		series->loose = true;
		chart_add_point(series, &point);
	}
}

static enum scale_kind x_scale(const struct chart_sweep *gathered)
{
	const struct chart_sweep_axis *x = &gathered->axis[0];
	double *values = memory_new((size_t)x->count, sizeof(*values));
	enum scale_kind kind;

	for (int i = 0; i < x->count; i++)
		values[i] = (double)x->values[i];
	kind = scale_choose(values, x->count);
	free(values);
	if (knob_of(gathered, 0)->kind == KNOB_CHOICE)
		return SCALE_STEPS;
	if (knob_of(gathered, 0)->kind == KNOB_BYTES && x->values[0] > 0)
		return SCALE_BYTES;
	if (gathered->named.name[0])
		return gathered->named.log_x && x->values[0] > 0 ? SCALE_LOG2 : SCALE_LINEAR;
	return kind;
}

/* Labels the flat parts of a single line over sizes. */
static void add_plateaus(
	const struct chart_sweep *gathered, enum sweeps_figure figure, struct chart *chart)
{
	const struct chart_sweep_axis *x = &gathered->axis[0];
	struct sample *samples = memory_new((size_t)x->count, sizeof(*samples));
	struct setting setting = gathered->setting;

	for (int i = 0; i < x->count; i++) {
		const struct cell *cell;

		setting.v[x->knob] = x->values[i];
		cell = cells_get(gathered->cells, &setting, false);
		if (cell)
			samples[i] = cell->sample;
	}
	mark_plateaus(chart, figure, samples);
	free(samples);
}

static struct chart *make_lines(const struct chart_sweep *gathered)
{
	const struct kernel *kernel = gathered->setting.kernel;
	const struct knob *knob = knob_of(gathered, 0);
	enum sweeps_figure figure = figure_of(gathered, gathered->axis[0].knob);
	struct chart *chart = chart_new(CHART_LINES);
	enum scale_kind kind = x_scale(gathered);
	double least = INFINITY, most = -INFINITY;

	chart->joined = kind != SCALE_STEPS;
	chart->x.scale.kind = kind;
	if (kind == SCALE_STEPS)
		knob_steps(&chart->x, knob, gathered->axis[0].values, gathered->axis[0].count);
	for (int i = 0; i < line_count(gathered); i++)
		add_line(gathered, figure, i, chart);
	/* If a numeric knob has many lines, shades of one colour show the order of the knob's
	 * values. */
	chart->ordered = gathered->axis_count == 2 && knob_of(gathered, 1)->kind != KNOB_CHOICE &&
			 chart->series_count > 4;
	if (chart->joined)
		add_published(gathered, figure, chart);
	for (int i = 0; i < chart->series_count; i++)
		for (int k = 0; k < chart->series[i].count; k++) {
			least = fmin(least, chart->series[i].point[k].y);
			most = fmax(most, chart->series[i].point[k].y);
		}
	chart_fit(chart, kind,
		gathered->named.log_y && least > 0 ? SCALE_LOG
						   : figure_scale(figure, kernel, least, most));
	chart->x.scale.whole = kind == SCALE_LINEAR;
	/* If the chart has a single line over choices, label each point of the line. */
	for (int i = 0;
		kind == SCALE_STEPS && chart->series_count == 1 && i < chart->series[0].count;
		i++) {
		double y = chart->series[0].point[i].y;

		chart_add_call(chart, -1, i, y, scale_figure(y).text);
	}
	if (gathered->axis_count == 1 && knob->axis == AXIS_SIZE)
		add_plateaus(gathered, figure, chart);
	knob_title(knob, &chart->x);
	figure_title(&gathered->named, figure, &chart->y);
	return chart;
}

/* ---- grids ---- */

static struct chart *make_grid(const struct chart_sweep *gathered)
{
	const struct chart_sweep_axis *x = &gathered->axis[0], *y = &gathered->axis[1];
	enum sweeps_figure figure = figure_of(gathered, y->knob);
	struct chart *chart = chart_new(gathered->look == LOOK_HEAT ? CHART_HEAT : CHART_RELIEF);
	struct setting setting = gathered->setting;
	double least = INFINITY, most = -INFINITY;

	knob_steps(&chart->x, knob_of(gathered, 0), x->values, x->count);
	knob_steps(&chart->y, knob_of(gathered, 1), y->values, y->count);
	chart_make_grid(chart);
	for (int row = 0; row < y->count; row++)
		for (int column = 0; column < x->count; column++) {
			struct chart_point point;

			setting.v[x->knob] = x->values[column];
			setting.v[y->knob] = y->values[row];
			point = point_of(gathered, figure, &setting, 0);
			chart->grid[row * x->count + column] = point.y;
			chart->doubtful[row * x->count + column] = point.doubtful;
			chart->spread[row * x->count + column] =
				fabs(point.hi - point.lo) / 2 / point.y;
			least = fmin(least, point.y);
			most = fmax(most, point.y);
		}
	figure_title(&gathered->named, figure, &chart->z);
	chart_grid_scale(chart, least, most);
	return chart;
}

struct chart *chart_sweep_make(
	const struct chart_sweep *gathered, const struct chart_origin *origin)
{
	struct chart *chart =
		gathered->look == LOOK_LINES ? make_lines(gathered) : make_grid(gathered);
	struct cache_sizes caches =
		origin->caches ? *origin->caches : cache_sizes(origin->machine, NULL, false, NULL);
	unsigned swept = 0;

	for (int i = 0; i < gathered->axis_count; i++)
		swept |= 1u << gathered->axis[i].knob;
	knob_heading(chart, &gathered->setting, swept);
	if (gathered->named.title[0])
		chart_print(chart->title, "%s", gathered->named.title);
	if (gathered->named.source[0])
		chart_print(chart->after, "after %s", gathered->named.source);
	if (gathered->look == LOOK_LINES && knob_of(gathered, 0)->axis == AXIS_SIZE)
		mark_caches(chart, &caches);
	else if (gathered->look != LOOK_LINES && knob_of(gathered, 1)->axis == AXIS_SIZE)
		mark_grid_caches(chart, &caches, gathered->axis[1].values, gathered->axis[1].count);
	if (gathered->look != LOOK_LINES && knob_of(gathered, 0)->axis == AXIS_STRIDE)
		mark_grid_line(chart, caches.line, &gathered->setting, gathered->axis[0].knob,
			gathered->axis[0].values, gathered->axis[0].count);
	chart_cite(chart, origin, &gathered->source);
	return chart;
}
