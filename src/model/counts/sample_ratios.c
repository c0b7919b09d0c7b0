#include "model/counts/sample_ratios.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "model/counts/counts.h"

void sample_ratios_none(struct sample_ratios *sample_ratios)
{
	*sample_ratios = (struct sample_ratios){ .instructions = NAN,
		.cpi = NAN,
		.lines = NAN,
		.traffic = NAN,
		.peak = NAN,
		.share = NAN };
}

static void find_instructions(const struct explanation *explanation, const struct event_plan *plan,
	const struct counts *counts, struct sample_ratios *sample_ratios)
{
	sample_ratios->instructions = counts_of(plan, counts, ROLE_INSTRUCTIONS);
	sample_ratios->instructions_from = SOURCE_COUNTER;
	if (isfinite(sample_ratios->instructions))
		return;
	sample_ratios->instructions = counts_decoded(explanation);
	sample_ratios->instructions_from = !isfinite(sample_ratios->instructions) ? SOURCE_NONE
					   : explanation->loop.stepped		  ? SOURCE_STEPPED
										  : SOURCE_MODEL;
}

static void find_lines(const struct explanation *explanation, const struct event_plan *plan,
	const struct counts *counts, struct sample_ratios *sample_ratios)
{
	sample_ratios->lines = counts_of(plan, counts, ROLE_L3_MISSES);
	sample_ratios->lines_from = SOURCE_COUNTER;
	if (isfinite(sample_ratios->lines) || !explanation || !status_is_ok(&explanation->status))
		return;
	/* The caches of another core miss at other times. */
	sample_ratios->lines = explanation->foreign || !explanation->limits.uarch
				       ? (double)NAN
				       : explanation->limits.beyond[2];
	sample_ratios->lines_from = SOURCE_MODEL;
}

void sample_ratios_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak,
	struct sample_ratios *sample_ratios)
{
	sample_ratios_none(sample_ratios);
	find_instructions(explanation, plan, counts, sample_ratios);
	find_lines(explanation, plan, counts, sample_ratios);
	if (!isfinite(sample_ratios->lines))
		sample_ratios->lines_from = SOURCE_NONE;
	if (peak > 0)
		sample_ratios->peak = peak;
	if (!sample || !sample->valid)
		return;
	if (sample_ratios->instructions > 0)
		sample_ratios->cpi = sample->cpe / sample_ratios->instructions;
	if (sample->ns > 0)
		sample_ratios->traffic = sample_ratios->lines * SAMPLE_RATIOS_LINE / sample->ns;
	sample_ratios->share = sample_ratios->traffic / sample_ratios->peak;
}

const char *sample_ratios_source(enum source source)
{
	return source == SOURCE_COUNTER	  ? "counted"
	       : source == SOURCE_STEPPED ? "stepped"
	       : source == SOURCE_MODEL	  ? "read"
					  : "unknown";
}

void sample_ratios_traffic_words(
	const struct sample_ratios *sample_ratios, bool brief, char *buffer, size_t size)
{
	char traffic[24], peak[24], percent[16];

	*buffer = '\0';
	/* Every loop has a few misses: show none if the value would be 0. */
	if (!(sample_ratios->traffic >= 0.0005))
		return;
	units_figure(sample_ratios->traffic, traffic, sizeof(traffic));
	units_figure(sample_ratios->peak, peak, sizeof(peak));
	snprintf(percent, sizeof(percent), sample_ratios->share < 0.0095 ? "%.1g %%" : "%.0f %%",
		100 * sample_ratios->share);
	if (!isfinite(sample_ratios->share))
		snprintf(buffer, size, "%s GB/s from memory", traffic);
	else if (brief)
		snprintf(buffer, size, "%s GB/s from memory, %s of peak", traffic, percent);
	else
		snprintf(buffer, size,
			"%s GB/s from memory, %s of the %s GB/s that one core reads here", traffic,
			percent, peak);
}
