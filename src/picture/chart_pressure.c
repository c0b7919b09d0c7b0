/* The chart of probed pressure: see chart_reports.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "picture/chart_knobs.h"
#include "picture/chart_reports.h"

/* RESOURCES_MOST: largest number of resources on a page. IDLE: a resource that is busy for fewer
 * cycles per iteration than this, and idle by the core model too, has no bar in the chart. FULL: a
 * resource that is free for fewer cycles of an iteration than this may limit the loop. */
enum { RESOURCES_MOST = 9 };
#define IDLE 0.15
#define FULL 0.1

static bool is_measured(const struct slack_resource *resource)
{
	return resource->kind != SLACK_WAITS && resource->kind != SLACK_FAILED;
}

static bool is_shown(const struct slack_resource *resource)
{
	return is_measured(resource) && (resource->pressure >= IDLE || resource->model >= IDLE);
}

/* Lists the busy resources of the report in *order, the busiest first. Returns their number. */
static int busiest_first(
	const struct slack_report *report, const struct slack_resource *order[SLACK_RESOURCES])
{
	int count = 0;

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *resource = &report->resource[i];
		int at = count;

		if (!is_shown(resource))
			continue;
		for (; at > 0 && order[at - 1]->pressure < resource->pressure; at--)
			order[at] = order[at - 1];
		order[at] = resource;
		count++;
	}
	return count;
}

static void add_resource(struct chart *chart, const struct slack_report *report,
	const struct slack_resource *resource)
{
	struct chart_bar *bar = &chart->bar[chart->bar_count++];
	bool exact = resource->kind == SLACK_EXACT,
	     full = exact && resource->pressure >= report->cycles - FULL;

	*bar = (struct chart_bar){ .kind = !exact ? BAR_SOFT
					   : full ? BAR_BINDING
						  : BAR_HARD,
		.value = resource->pressure,
		.lo = resource->pressure_lo,
		.hi = resource->pressure_hi };
	chart_print(bar->name, "%s", slack_shown(resource->name));
	chart_print(bar->value_words, "%s%.2f%s",
		resource->kind == SLACK_AT_LEAST ? "at most " : "", resource->pressure,
		full ? " full" : "");
	chart_print(bar->cause, "core model %.2f; slack: %s%.1f of \"%s\"%s", resource->model,
		resource->kind == SLACK_AT_LEAST ? "at least " : "", resource->slack,
		resource->line, resource->kind == SLACK_AMBIGUOUS ? "; ambiguous" : "");
}

static void add_cycles(struct chart *chart, const struct slack_report *report)
{
	struct chart_bar *bar = &chart->bar[chart->bar_count++];

	*bar = (struct chart_bar){ .kind = BAR_MEASURED,
		.value = report->cycles,
		.lo = report->cycles_lo,
		.hi = report->cycles_hi };
	chart_print(bar->name, "one iteration");
	chart_print(bar->value_words, "%s", units_value(report->cycles).text);
	chart_print(bar->cause, "measured without added instructions");
}

struct chart *chart_pressure(const struct slack_report *report, const struct chart_origin *origin)
{
	const struct slack_resource *order[SLACK_RESOURCES];
	int count = busiest_first(report, order), measured = 0, failed = 0;
	int shown = count < RESOURCES_MOST ? count : RESOURCES_MOST;
	const struct chart_source source = { .source = report->cycles_from };
	const char *others = count > shown ? "less busy" : "idle";
	double most = report->cycles_hi;
	struct chart *chart;

	for (int i = 0; i < report->count; i++) {
		measured += is_measured(&report->resource[i]);
		failed += report->resource[i].kind == SLACK_FAILED;
	}
	if (measured == 0)
		return NULL;
	chart = chart_new(CHART_BARS);
	for (int i = 0; i < shown; i++) {
		add_resource(chart, report, order[i]);
		most = fmax(most, order[i]->pressure_hi);
	}
	add_cycles(chart, report);
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, most);
	chart_print(chart->x.title, "cycles per iteration");
	knob_heading(chart, &report->setting, 0);
	chart_print(chart->title, "%s: how long it keeps each resource busy",
		report->setting.kernel->name);
	if (report->contradiction[0])
		chart_print(chart->remark, "%.*s", CHART_TEXT - 1, report->contradiction);
	else if (failed)
		chart_print(chart->remark, "%d more resources are %s, and %d could not be measured",
			measured - shown, others, failed);
	else
		chart_print(chart->remark, "%d more resources are %s", measured - shown, others);
	chart_cite(chart, origin, &source);
	chart_print(chart->legend,
		"P: probed by added instructions; light bars: upper bounds and ambiguous values");
	return chart;
}
