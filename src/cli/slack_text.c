/* The report of `slexplore run --slack`: the pressure of a loop on each resource of the core,
 * measured with added instructions (experiment/slack/slack.h). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/format.h"
#include "cli/work.h"
#include "experiment/slack/slack.h"
#include "picture/chart_reports.h"

static bool is_measured(const struct slack_resource *resource)
{
	return resource->kind != SLACK_WAITS && resource->kind != SLACK_FAILED;
}

static void put_resource(FILE *out, const struct slack_resource *resource)
{
	char range[32] = "";

	if (!is_measured(resource))
		return;
	snprintf(
		range, sizeof(range), "%.2f to %.2f", resource->pressure_lo, resource->pressure_hi);
	fprintf(out, "%-13s%7.2f  %-15s%-10s%7.1f%7.2f%s  %s\n", slack_shown(resource->name),
		resource->pressure, range, slack_kinds[resource->kind], resource->slack,
		resource->model, slack_differs(resource, resource->model) ? " *" : "  ",
		resource->line);
}

/* Prints the resources of the core (ports, for example) whose pressure could not be measured, each
 * reason once. */
static void put_failures(FILE *out, const struct slack_report *slack)
{
	for (int i = 0; i < slack->count; i++) {
		const struct slack_resource *resource = &slack->resource[i];
		struct text names = { 0 };
		bool said = false;

		for (int k = 0; k < i; k++)
			said |= slack->resource[k].kind == SLACK_FAILED &&
				strcmp(slack->resource[k].why, resource->why) == 0;
		if (resource->kind != SLACK_FAILED || said)
			continue;
		for (int k = i; k < slack->count; k++)
			if (slack->resource[k].kind == SLACK_FAILED &&
				strcmp(slack->resource[k].why, resource->why) == 0)
				text_addf(&names, "%s%s", names.length ? ", " : "",
					slack_shown(slack->resource[k].name));
		text_print(out, TEXT_COLUMNS, "not measured: ", 2,
			words_of("%s: %s", text_string(&names), resource->why).text);
		text_free(&names);
	}
}

static void slack_text(struct report *report, const void *item)
{
	const struct slack_report *slack = item;
	FILE *out = report->out;
	struct text line = { 0 };
	bool differs = false;

	setting_format(&slack->setting, &line);
	fprintf(out, "%s%s\n", report->records ? "\n" : "", text_string(&line));
	text_free(&line);
	fprintf(out, "cycles   %s an iteration; quartiles %s to %s; source: %s\n",
		units_value(slack->cycles).text, units_value(slack->cycles_lo).text,
		units_value(slack->cycles_hi).text, source_name(slack->cycles_from));
	fprintf(out, "\n%-13s%7s  %-15s%-10s%7s%7s    %s\n", "resource", "probed", "range", "kind",
		"slack", "model", "filler");
	for (int i = 0; i < slack->count; i++) {
		put_resource(out, &slack->resource[i]);
		differs |= is_measured(&slack->resource[i]) &&
			   slack_differs(&slack->resource[i], slack->resource[i].model);
	}
	put_failures(out, slack);
	if (differs)
		fprintf(out, "*: differs from the core model of %s\n", slack->title);
	if (slack->contradiction[0])
		text_print(out, TEXT_COLUMNS, "contradicted: ", 2, slack->contradiction);
	if (slack->contended)
		fputs("CONTENDED: another thread shares this core, so values may be wrong\n", out);
	if (!slack->complete)
		fputs("Not complete: the measurement was interrupted, or its time was over.\n",
			out);
}

static void slack_end(struct report *report)
{
	fputs("\nprobed: cycles an iteration for which the loop keeps the resource busy\n"
	      "slack: number of fillers that fit in one iteration at no cost\n"
	      "at least: the slack may be larger, and the pressure lower than probed\n",
		report->out);
}

static void slack_data(struct report *report, const struct records *records, const void *item)
{
	records_slack(
		records, item, report->machine ? report->machine->name : NULL, report->records + 1);
}

const struct subject subject_slack = { "resource",
	"id,host,kernel,setting,uarch,cycles,resource,kind,pressure,pressure_lo,pressure_hi,slack,"
	"slack_lo,slack_hi,model,filler,each,took,contended?,why",
	NULL, slack_text, slack_data, slack_end };

/* ---- Measuring */

static struct campaign prepare(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds)
{
	return (struct campaign){ &campaign_slack, slack_new(setting, explanation, seed, seconds) };
}

static const void *item_of(const void *self)
{
	return slack_report(self);
}

static struct chart *chart_of(const void *item, const struct chart_origin *origin)
{
	return chart_pressure(item, origin);
}

static struct chart *chart_over(
	const void *const *items, int count, int knob, const struct chart_origin *origin)
{
	return chart_pressures((const struct slack_report *const *)items, count, knob, origin);
}

const struct loop_experiment slack_experiment = { .subject = &subject_slack,
	.patience = 8,
	.prepare = prepare,
	.item = item_of,
	.chart = chart_of,
	.chart_over = chart_over,
	.item_bytes = sizeof(struct slack_report) };
