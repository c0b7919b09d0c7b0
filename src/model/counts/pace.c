#include "model/counts/pace.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "model/counts/counts.h"

void pace_none(struct pace *pace)
{
	*pace = (struct pace){ .instructions = NAN,
		.cpi = NAN,
		.lines = NAN,
		.traffic = NAN,
		.peak = NAN,
		.share = NAN };
}

static void find_instructions(const struct explanation *explanation, const struct event_plan *plan,
	const struct counts *counts, struct pace *pace)
{
	pace->instructions = counts_of(plan, counts, ROLE_INSTRUCTIONS);
	pace->instructions_from = SOURCE_COUNTER;
	if (isfinite(pace->instructions))
		return;
	pace->instructions = counts_decoded(explanation);
	pace->instructions_from = !isfinite(pace->instructions) ? SOURCE_NONE
				  : explanation->loop.stepped	? SOURCE_STEPPED
								: SOURCE_MODEL;
}

static void find_lines(const struct explanation *explanation, const struct event_plan *plan,
	const struct counts *counts, struct pace *pace)
{
	pace->lines = counts_of(plan, counts, ROLE_L3_MISSES);
	pace->lines_from = SOURCE_COUNTER;
	if (isfinite(pace->lines) || !explanation || !status_is_ok(&explanation->status))
		return;
	/* Other cores' caches miss otherwise. */
	pace->lines = explanation->foreign || !explanation->limits.uarch
			      ? (double)NAN
			      : explanation->limits.beyond[2];
	pace->lines_from = SOURCE_MODEL;
}

void pace_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak, struct pace *pace)
{
	pace_none(pace);
	find_instructions(explanation, plan, counts, pace);
	find_lines(explanation, plan, counts, pace);
	if (!isfinite(pace->lines))
		pace->lines_from = SOURCE_NONE;
	if (peak > 0)
		pace->peak = peak;
	if (!sample || !sample->valid)
		return;
	if (pace->instructions > 0)
		pace->cpi = sample->cpe / pace->instructions;
	if (sample->ns > 0)
		pace->traffic = pace->lines * PACE_LINE / sample->ns;
	pace->share = pace->traffic / pace->peak;
}

const char *pace_source(enum source source)
{
	return source == SOURCE_COUNTER	  ? "counted"
	       : source == SOURCE_STEPPED ? "stepped"
	       : source == SOURCE_MODEL	  ? "read"
					  : "unknown";
}

void pace_traffic_words(const struct pace *pace, bool brief, char *buffer, size_t size)
{
	char traffic[24], peak[24], percent[16];

	*buffer = '\0';
	/* A counter sees some misses of anything: what would be written as 0 is none. */
	if (!(pace->traffic >= 0.0005))
		return;
	units_figure(pace->traffic, traffic, sizeof(traffic));
	units_figure(pace->peak, peak, sizeof(peak));
	snprintf(percent, sizeof(percent), pace->share < 0.0095 ? "%.1g %%" : "%.0f %%",
		100 * pace->share);
	if (!isfinite(pace->share))
		snprintf(buffer, size, "%s GB/s from memory", traffic);
	else if (brief)
		snprintf(buffer, size, "%s GB/s from memory, %s of peak", traffic, percent);
	else
		snprintf(buffer, size,
			"%s GB/s from memory, %s of the %s GB/s that one core reads here", traffic,
			percent, peak);
}
