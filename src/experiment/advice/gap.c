#include "experiment/advice/gap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Adds why a limit may be too low. */
static void add_unknown(const struct limits *limits, char *words, size_t size)
{
	size_t used = strlen(words);

	if (limits->unknown > 0) {
		snprintf(words + used, size - used, "; %d instruction%s unknown to the core model",
			limits->unknown, limits->unknown == 1 ? " is" : "s are");
		return;
	}
	for (int i = 0; i < limits->limit_count; i++) {
		if (limits->limit[i].known)
			continue;
		snprintf(words + used, size - used, "; not known here: %s",
			limit_title(limits->limit[i].kind));
		return;
	}
}

/* "0.178 (53 %) above", or "9.916 above, 19 times the limit". */
static void how_far(const struct gap *gap, char *buffer, size_t size)
{
	char cycles[24];

	units_figure(gap->cycles, cycles, sizeof(cycles));
	if (gap->percent < 300)
		snprintf(buffer, size, "%s (%.0f %%) above", cycles, gap->percent);
	else
		snprintf(buffer, size, "%s above, %.*f times the limit", cycles, gap->percent < 900,
			1 + gap->percent / 100);
}

/* Above the limit: whether a soft effect accounts for it, wholly or in part. */
static void above(double measured, const struct limits *limits, struct gap *gap)
{
	const struct limit *by =
		limits->predicted_by >= 0 ? &limits->limit[limits->predicted_by] : NULL;
	double ratio = limits->predicted > 0 ? measured / limits->predicted : 0;
	const char *title = by ? limit_title(by->kind) : "";
	char cycles[24], predicted[24], far[80];

	how_far(gap, far, sizeof(far));
	units_figure(gap->cycles, cycles, sizeof(cycles));
	units_figure(limits->predicted, predicted, sizeof(predicted));
	gap->kind = GAP_ABOVE;
	snprintf(gap->brief, sizeof(gap->brief), "+%s", cycles);
	if (by && !by->hard && fabs(ratio - 1) <= GAP_PREDICTED) {
		gap->kind = GAP_SOFT;
		snprintf(gap->words, sizeof(gap->words), "%s, explained by %s", far, title);
		return;
	}
	if (by && !by->hard && ratio < 1)
		snprintf(gap->words, sizeof(gap->words), "%s: with %s up to %s is expected", far,
			title, predicted);
	else if (by && !by->hard)
		snprintf(gap->words, sizeof(gap->words), "%s, up to %s explained by %s", far,
			predicted, title);
	else
		snprintf(gap->words, sizeof(gap->words),
			"%s: no effect that is known here explains it", far);
	add_unknown(limits, gap->words, sizeof(gap->words));
}

/* The gap of a disturbed sample is not the loop's. */
static void qualify(const struct sample *sample, struct gap *gap)
{
	size_t used = strlen(gap->words);
	char far[80];

	if (gap->kind == GAP_AT_LIMIT)
		return;
	how_far(gap, far, sizeof(far));
	if (sample->contended && gap->kind == GAP_BELOW)
		snprintf(gap->words, sizeof(gap->words),
			"measured below the limit, but contended: the figure may be off");
	else if (sample->contended)
		snprintf(gap->words, sizeof(gap->words), "%s, but contended: the core was shared",
			far);
	else if (sample->unsettled)
		snprintf(gap->words, sizeof(gap->words),
			"%s, but not settled: the caches were not in steady state", far);
	else if (sample->provisional)
		snprintf(gap->words + used, sizeof(gap->words) - used, " (provisional)");
}

const char *gap_suspect(enum limit_kind kind)
{
	if (limit_resource(kind) == RESOURCE_MEMORY)
		return "the caches and memory answer faster now than when their figures were taken";
	return "the core model, or the clock, is wrong here";
}

void gap_find(const struct sample *sample, const struct limits *limits, const char *core,
	bool assumed, struct gap *gap)
{
	char cycles[24];
	size_t used;

	memset(gap, 0, sizeof(*gap));
	if (core && !assumed) {
		gap->kind = GAP_FOREIGN;
		snprintf(gap->words, sizeof(gap->words), "limits of %s, not this core: no gap",
			core);
		snprintf(gap->brief, sizeof(gap->brief), "another core's");
		return;
	}
	if (!sample->valid || limits->binding < 0 || !(limits->bound > 0))
		return;
	gap->cycles = sample->cpe - limits->bound;
	gap->percent = 100 * gap->cycles / limits->bound;
	units_figure(-gap->cycles, cycles, sizeof(cycles));
	if (gap->percent < -100 * GAP_AT) {
		gap->kind = GAP_BELOW;
		snprintf(gap->words, sizeof(gap->words),
			"measured %s (%.0f %%) below the limit: ", cycles, -gap->percent);
		used = strlen(gap->words);
		if (core)
			snprintf(gap->words + used, sizeof(gap->words) - used,
				"this core is faster than %s", core);
		else
			snprintf(gap->words + used, sizeof(gap->words) - used, "%s",
				gap_suspect(limits->limit[limits->binding].kind));
		snprintf(gap->brief, sizeof(gap->brief), "measured below it");
	} else if (gap->percent <= 100 * GAP_AT) {
		gap->kind = GAP_AT_LIMIT;
		snprintf(gap->words, sizeof(gap->words), "at the limit");
		snprintf(gap->brief, sizeof(gap->brief), "at it");
	} else {
		above(sample->cpe, limits, gap);
	}
	qualify(sample, gap);
}
