#include "experiment/advice/gap.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

__attribute__((format(printf, 2, 3))) static void add(struct gap *gap, const char *format, ...)
{
	size_t used = strlen(gap->words);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(gap->words + used, sizeof(gap->words) - used, format, arguments);
	va_end(arguments);
}

/* A prediction that explains less than this share of what is above the limit is not named. */
#define LITTLE 0.02

/* The program treats fewer mispredictions per element than this number as none. */
#define NO_MISPREDICTIONS 0.01

/* Whether a limit's number of cycles is unknown, and it may explain half of the gap of so many
 * cycles per element. */
static bool is_unknown(const struct limits *limits, const struct limit *limit, double cycles)
{
	/* A measurement on data that the branch predictor has learnt is not explained by
	 * mispredictions on fresh data. */
	bool learnt = limit->kind == LIMIT_MISPREDICTION && limits->mispredicts < NO_MISPREDICTIONS;

	return !limit->known && !learnt && !(limit->most > 0 && limit->most < cycles / 2);
}

/* Returns the first limit that is_unknown(); NULL: there is none. LIMIT_ALIGNMENT, late code, comes
 * last: nothing in the loop shows that its code arrives late. */
static const struct limit *unknown_limit(const struct limits *limits, double cycles)
{
	const struct limit *late = NULL;

	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];

		if (is_unknown(limits, limit, cycles) && limit->kind != LIMIT_ALIGNMENT)
			return limit;
		if (is_unknown(limits, limit, cycles))
			late = limit;
	}
	return late;
}

/* Adds to the gap's text the reason why a limit may be too low. If a measurement is much higher
 * than the prediction, the likely cause is a limit whose number of cycles is unknown, except for
 * LIMIT_ALIGNMENT. */
static void add_unknown(const struct limits *limits, struct gap *gap)
{
	const struct limit *limit = unknown_limit(limits, gap->cycles);
	bool late = false;

	if (limits->unknown > 0) {
		add(gap, "; %d instruction%s unknown to the core model", limits->unknown,
			limits->unknown == 1 ? " is" : "s are");
		return;
	}
	if (!limit)
		return;
	for (int i = 0; i < limits->limit_count; i++)
		late = late ||
		       (limits->limit[i].kind == LIMIT_ALIGNMENT && &limits->limit[i] != limit &&
			       is_unknown(limits, &limits->limit[i], gap->cycles));
	gap->likely =
		limit->kind != LIMIT_ALIGNMENT && gap->percent > 100 * GAP_LARGE && *limit->cause;
	if (gap->likely)
		add(gap, "; likely %s: %s", limit_rows[limit->kind].name, limit->cause);
	else
		add(gap, "; %s%s not known here", limit_rows[limit->kind].name,
			late ? " and alignment are" : " is");
}

/* Adds to the gap's text the distance from the limit or from the prediction: "0.178 (53 %) above
 * the limit", or "9.916 above the prediction, 19 times the prediction". */
static void add_far(struct gap *gap)
{
	const char *from = gap->soft ? "prediction" : "limit",
		   *side = gap->cycles < 0 ? "below" : "above";
	const struct units_text cycles = units_value(fabs(gap->cycles));

	if (gap->percent < 300)
		add(gap, "%s (%.0f %%) %s the %s", cycles.text, fabs(gap->percent), side, from);
	else
		add(gap, "%s above the %s, %.*f times the %s", cycles.text, from,
			gap->percent < 900, 1 + gap->percent / 100, from);
}

/* Whether the spread of the prediction and that of the measurement overlap. The prediction has a
 * spread if it depends on values of this machine that were measured. */
static bool within_spreads(const struct sample *sample, const struct limits *limits)
{
	double spread = limits->limit[limits->predicted_by].spread;

	return spread > 0 && sample->cpe_lo <= limits->predicted + spread &&
	       sample->cpe_hi >= limits->predicted - spread;
}

/* Describes a measurement that is neither below nor at the limit. If a soft limit is the
 * prediction, the measurement is compared with the prediction. */
static void above(const struct sample *sample, const struct limits *limits, struct gap *gap)
{
	const struct words all = limits_predicted_by(limits, 0),
			   names = limits_predicted_by(limits, limits->bound);
	const double part = limits->predicted - limits->bound, whole = sample->cpe - limits->bound;

	if (gap->soft && fabs(gap->percent) <= 100 * GAP_PREDICTED) {
		gap->kind = GAP_SOFT;
		add(gap, "as predicted, by %s", all.text);
		snprintf(gap->brief, sizeof(gap->brief), "at it");
		return;
	}
	if (gap->soft && within_spreads(sample, limits)) {
		gap->kind = GAP_SOFT;
		add_far(gap);
		add(gap, ", within the spreads, by %s", all.text);
		snprintf(gap->brief, sizeof(gap->brief), "within the spread");
		return;
	}
	gap->kind = GAP_ABOVE;
	snprintf(gap->brief, sizeof(gap->brief), "%s%s", gap->cycles < 0 ? "-" : "+",
		units_value(fabs(gap->cycles)).text);
	if (!gap->soft && gap->percent <= 100 * GAP_PREDICTED) {
		add(gap, "%s above the limit, at most %.0f %%: nothing to explain",
			units_value(gap->cycles).text, 100 * GAP_PREDICTED);
		return;
	}
	add_far(gap);
	if (gap->cycles > 0 && gap->soft && part > LITTLE * whole)
		add(gap, ": %s explain%s %s of the %s above the limit", names.text,
			strstr(names.text, " and ") ? "" : "s", units_value(part).text,
			units_value(whole).text);
	else if (gap->cycles > 0 && !unknown_limit(limits, gap->cycles))
		add(gap, ": no known effect explains it");
	if (gap->percent > 100 * GAP_LARGE && gap->soft &&
		limits->limit[limits->predicted_by].kind == LIMIT_MISPREDICTION)
		add(gap, "; the number of mispredictions is an estimate");
	add_unknown(limits, gap);
}

/* Replaces or qualifies the text about the gap between measurement and limit if interference
 * disturbed the sample. */
static void qualify(const struct sample *sample, struct gap *gap)
{
	if (gap->kind == GAP_AT_LIMIT || gap->kind == GAP_EARLY || gap->kind == GAP_SOFT)
		return;
	if (sample->contended || sample->unsettled) {
		gap->words[0] = '\0';
		gap->likely = false;
	}
	if (sample->contended && gap->kind == GAP_BELOW) {
		add(gap, "below the limit, but contended: the value may be wrong");
	} else if (sample->contended || sample->unsettled) {
		add_far(gap);
		add(gap, sample->contended
				 ? ", but contended: the core was shared"
				 : ", but not settled: the caches were not in steady state");
	} else if (sample->bent) {
		add(gap, sample_grows(sample)
				 ? ", but the time grows faster than n: does an inner loop "
				   "run to n, too?"
				 : ", but the time does not grow evenly with n: use a larger n");
	} else if (sample->provisional) {
		add(gap, " (provisional)");
	}
}

double gap_least(const struct limits *limits)
{
	double bound = 0;

	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].known && limits->limit[i].hard)
			bound = fmax(bound, limits->limit[i].cpe - limits->limit[i].early);
	return bound;
}

void gap_find(const struct sample *sample, const struct limits *limits, const char *core,
	bool assumed, struct gap *gap)
{
	double from;

	memset(gap, 0, sizeof(*gap));
	if (core && !assumed) {
		gap->kind = GAP_FOREIGN;
		add(gap, "limits of %s, not of this core: no gap", core);
		snprintf(gap->brief, sizeof(gap->brief), "another core's");
		return;
	}
	if (!sample->valid || limits->binding < 0 || !(limits->bound > 0))
		return;
	gap->soft = limits->predicted_by >= 0 && !limits->limit[limits->predicted_by].hard &&
		    sample->cpe > limits->bound * (1 + GAP_AT);
	if (limits->incomplete && sample->cpe > limits->bound * (1 + GAP_AT)) {
		add(gap, "L3 or memory is not measured: the prediction may be too low");
		snprintf(gap->brief, sizeof(gap->brief), "incomplete");
		return;
	}
	from = gap->soft ? limits->predicted : limits->bound;
	gap->cycles = sample->cpe - from;
	gap->percent = 100 * gap->cycles / from;
	if (!gap->soft && gap->percent < -100 * GAP_AT &&
		!gap_is_below(sample->cpe, gap_least(limits))) {
		gap->kind = GAP_EARLY;
		add(gap,
			"%s (%.0f %%) below the usual latency: the core executes some vector "
			"operations a cycle early in this run",
			units_value(-gap->cycles).text, -gap->percent);
		snprintf(gap->brief, sizeof(gap->brief), "-%s, early",
			units_value(-gap->cycles).text);
	} else if (!gap->soft && gap->percent < -100 * GAP_AT) {
		gap->kind = GAP_BELOW;
		add(gap, "%s (%.0f %%) below the limit: ", units_value(-gap->cycles).text,
			-gap->percent);
		/* If the speed of a loop changes within a trial, the slope between the times of
		 * half the elements and of all may be below every speed that the loop has. */
		add(gap, core ? "this core is faster than %s" : "%s",
			core ? core
			: sample->cpe_hi >= from
				? "within the quartiles, so the loop's speed may change within a "
				  "trial"
				: "the core model or the clock is wrong here");
		snprintf(gap->brief, sizeof(gap->brief), "measured below it");
	} else if (!gap->soft && gap->percent <= 100 * GAP_AT) {
		gap->kind = GAP_AT_LIMIT;
		add(gap, "at the limit");
		if (!limits->incomplete && limits->predicted > 0 &&
			sample->cpe < limits->predicted * (1 - GAP_AT))
			add(gap, ", %.0f %% below the prediction",
				100 * (1 - sample->cpe / limits->predicted));
		snprintf(gap->brief, sizeof(gap->brief), "at it");
	} else {
		above(sample, limits, gap);
	}
	qualify(sample, gap);
}
