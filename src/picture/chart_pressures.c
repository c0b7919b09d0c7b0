/* The chart of probed pressure over one knob: see chart_reports.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "picture/chart_knobs.h"
#include "picture/chart_reports.h"

/* LINES_MOST: largest number of resources in a chart. IDLE: a resource that is busy for fewer
 * cycles per iteration than this at each setting has no line. */
enum { LINES_MOST = 7 };
#define IDLE 0.15

static const struct slack_resource *resource_of(const struct slack_report *report, const char *name)
{
	for (int i = 0; i < report->count; i++)
		if (strcmp(report->resource[i].name, name) == 0 &&
			report->resource[i].kind != SLACK_WAITS &&
			report->resource[i].kind != SLACK_FAILED)
			return &report->resource[i];
	return NULL;
}

/* Returns the largest pressure on a resource at any setting. */
static double most_of(const struct slack_report *const *reports, int count, const char *name)
{
	double most = 0;

	for (int i = 0; i < count; i++) {
		const struct slack_resource *resource = resource_of(reports[i], name);

		if (resource)
			most = fmax(most, resource->pressure);
	}
	return most;
}

/* Lists the names of the busiest resources, the busiest first. Returns their number. */
static int busiest_first(
	const struct slack_report *const *reports, int count, const char *names[SLACK_RESOURCES])
{
	int found = 0;

	for (int i = 0; i < reports[0]->count; i++) {
		const char *name = reports[0]->resource[i].name;
		double most = most_of(reports, count, name);
		int at = found;

		if (most < IDLE)
			continue;
		for (; at > 0 && most_of(reports, count, names[at - 1]) < most; at--)
			names[at] = names[at - 1];
		names[at] = name;
		found++;
	}
	return found < LINES_MOST ? found : LINES_MOST;
}

static int by_value(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

	return one < other ? -1 : one > other;
}

/* Adds the line of a resource, or, if `name` is NULL, of the cycles of an iteration. */
static void add_line(struct chart *chart, const struct slack_report *const *reports, int count,
	int knob, const int64_t *values, const char *name)
{
	struct chart_series *series =
		chart_add_series(chart, name ? slack_shown(name) : "one iteration");

	for (int i = 0; series && i < count; i++)
		for (int k = 0; k < count; k++) {
			const struct slack_report *report = reports[k];
			const struct slack_resource *resource =
				name ? resource_of(report, name) : NULL;
			struct chart_point point = {
				chart->x.scale.kind == SCALE_STEPS ? i : (double)values[i], NAN,
				NAN, NAN, NAN, NAN, false
			};

			if (report->setting.v[knob] != values[i])
				continue;
			if (resource) {
				point.y = resource->pressure;
				point.lo = resource->pressure_lo;
				point.hi = resource->pressure_hi;
				point.doubtful =
					resource->kind != SLACK_EXACT || resource->contended;
			} else if (!name) {
				point.y = report->cycles;
				point.lo = report->cycles_lo;
				point.hi = report->cycles_hi;
			}
			chart_add_point(series, &point);
			break;
		}
}

struct chart *chart_pressures(const struct slack_report *const *reports, int count, int knob,
	const struct chart_origin *origin)
{
	const struct knob *x = count ? &reports[0]->setting.kernel->knobs[knob] : NULL;
	const struct chart_source source = { .source = count ? reports[0]->cycles_from
							     : SOURCE_NONE };
	const char *names[SLACK_RESOURCES];
	double *numbers;
	int64_t *values;
	struct chart *chart;
	int lines;

	if (count == 0)
		return NULL;
	chart = chart_new(CHART_LINES);
	values = memory_new((size_t)count, sizeof(*values));
	numbers = memory_new((size_t)count, sizeof(*numbers));
	for (int i = 0; i < count; i++)
		values[i] = reports[i]->setting.v[knob];
	qsort(values, (size_t)count, sizeof(*values), by_value);
	for (int i = 0; i < count; i++)
		numbers[i] = (double)values[i];
	chart->x.scale.kind = x->kind == KNOB_CHOICE ? SCALE_STEPS
			      : x->kind == KNOB_BYTES && values[0] > 0
				      ? SCALE_BYTES
				      : scale_choose(numbers, count);
	chart->joined = chart->x.scale.kind != SCALE_STEPS;
	if (!chart->joined)
		knob_steps(&chart->x, x, values, count);
	lines = busiest_first(reports, count, names);
	add_line(chart, reports, count, knob, values, NULL);
	for (int i = 0; i < lines; i++)
		add_line(chart, reports, count, knob, values, names[i]);
	chart_fit(chart, chart->x.scale.kind, SCALE_LINEAR);
	chart->x.scale.whole = chart->x.scale.kind == SCALE_LINEAR;
	knob_title(x, &chart->x);
	chart_print(chart->y.title, "cycles per iteration");
	knob_heading(chart, &reports[0]->setting, 1u << knob);
	chart_print(chart->title, "%s: how long it keeps each resource busy",
		reports[0]->setting.kernel->name);
	chart_cite(chart, origin, &source);
	chart_print(chart->legend, "P: probed by added instructions; hollow points: upper bounds "
				   "and ambiguous values");
	free(values);
	free(numbers);
	return chart;
}
