#include "experiment/advice/gap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

__attribute__((format(printf, 2, 3))) static void add(struct gap *gap, const char *format, ...)
{
	size_t used = strlen(gap->words);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(gap->words + used, sizeof(gap->words) - used, format, arguments);
	va_end(arguments);
}

/* Adds the reason why a limit may be too low. */
static void add_unknown(const struct limits *limits, struct gap *gap)
{
	if (limits->unknown > 0) {
		add(gap, "; %d instruction%s unknown to the core model", limits->unknown,
			limits->unknown == 1 ? " is" : "s are");
		return;
	}
	for (int i = 0; i < limits->limit_count; i++)
		if (!limits->limit[i].known) {
			add(gap, "; not known here: %s", limit_rows[limits->limit[i].kind].title);
			return;
		}
}

/* Adds the measured value's distance from the limit: "0.178 (53 %) above", or "9.916 above, 19
 * times the limit". */
static void add_far(struct gap *gap)
{
	if (gap->percent < 300)
		add(gap, "%s (%.0f %%) above", units_value(gap->cycles).text, gap->percent);
	else
		add(gap, "%s above, %.*f times the limit", units_value(gap->cycles).text,
			gap->percent < 900, 1 + gap->percent / 100);
}

/* Describes a measurement above the limit, and whether a soft limit explains the gap completely or
 * in part. */
static void above(double measured, const struct limits *limits, struct gap *gap)
{
	const struct limit *by =
		limits->predicted_by >= 0 ? &limits->limit[limits->predicted_by] : NULL;
	double ratio = limits->predicted > 0 ? measured / limits->predicted : 0;
	const struct units_text predicted = units_value(limits->predicted);
	const char *title = by ? limit_rows[by->kind].title : "";
	bool soft = by && !by->hard;

	add_far(gap);
	gap->kind = GAP_ABOVE;
	snprintf(gap->brief, sizeof(gap->brief), "+%s", units_value(gap->cycles).text);
	if (soft && fabs(ratio - 1) <= GAP_PREDICTED) {
		gap->kind = GAP_SOFT;
		add(gap, ", explained by %s", title);
		return;
	}
	if (soft && ratio < 1)
		add(gap, ": %s can explain up to %s", title, predicted.text);
	else if (soft)
		add(gap, ", up to %s explained by %s", predicted.text, title);
	else
		add(gap, ": no effect that slexplore knows explains it");
	add_unknown(limits, gap);
}

/* Replaces or qualifies the text about the gap between measurement and limit if interference
 * disturbed the sample. */
static void qualify(const struct sample *sample, struct gap *gap)
{
	if (gap->kind == GAP_AT_LIMIT)
		return;
	if (sample->contended || sample->unsettled)
		gap->words[0] = '\0';
	if (sample->contended && gap->kind == GAP_BELOW) {
		add(gap, "measured below the limit, but contended: the value may be wrong");
	} else if (sample->contended || sample->unsettled) {
		add_far(gap);
		add(gap, sample->contended
				 ? ", but contended: the core was shared"
				 : ", but not settled: the caches were not in steady state");
	} else if (sample->provisional) {
		add(gap, " (provisional)");
	}
}

const char *gap_suspect(enum limit_kind kind)
{
	if (limit_rows[kind].resource == RESOURCE_MEMORY)
		return "caches and memory are faster now than when slexplore measured their "
		       "latencies";
	return "the core model or the clock is wrong here";
}

void gap_find(const struct sample *sample, const struct limits *limits, const char *core,
	bool assumed, struct gap *gap)
{
	memset(gap, 0, sizeof(*gap));
	if (core && !assumed) {
		gap->kind = GAP_FOREIGN;
		add(gap, "limits of %s, not of this core: no gap", core);
		snprintf(gap->brief, sizeof(gap->brief), "another core's");
		return;
	}
	if (!sample->valid || limits->binding < 0 || !(limits->bound > 0))
		return;
	gap->cycles = sample->cpe - limits->bound;
	gap->percent = 100 * gap->cycles / limits->bound;
	if (gap->percent < -100 * GAP_AT) {
		gap->kind = GAP_BELOW;
		add(gap, "measured %s (%.0f %%) below the limit: ", units_value(-gap->cycles).text,
			-gap->percent);
		add(gap, core ? "this core is faster than %s" : "%s",
			core ? core : gap_suspect(limits->limit[limits->binding].kind));
		snprintf(gap->brief, sizeof(gap->brief), "measured below it");
	} else if (gap->percent <= 100 * GAP_AT) {
		gap->kind = GAP_AT_LIMIT;
		add(gap, "at the limit");
		snprintf(gap->brief, sizeof(gap->brief), "at it");
	} else {
		above(sample->cpe, limits, gap);
	}
	qualify(sample, gap);
}
