#include "model/counts/counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Finds the first known count of an event with a role, such as L1 misses; ROLE_COUNT stands for any
 * role. NULL: no event of the plan has the role, or the event was not counted. */
static const struct count *count_of(
	const struct event_plan *plan, const struct counts *counts, enum event_role role)
{
	if (!plan || !counts || counts->id == 0 || counts->id != plan->counters.id)
		return NULL;
	for (int i = 0; i < counts->count && i < plan->counters.count; i++)
		if ((role == ROLE_COUNT || plan->meaning[i].role == role) &&
			count_known(&counts->event[i]))
			return &counts->event[i];
	return NULL;
}

bool counts_any(const struct event_plan *plan, const struct counts *counts)
{
	return count_of(plan, counts, ROLE_COUNT);
}

double counts_of(const struct event_plan *plan, const struct counts *counts, enum event_role role)
{
	const struct count *count = count_of(plan, counts, role);

	return count ? count->value : (double)NAN;
}

void counts_renew(struct counts *counts, const struct counts *newer)
{
	struct counts old = *counts;

	*counts = *newer;
	for (int i = 0; old.id == newer->id && i < newer->count && i < old.count; i++)
		if (newer->event[i].state == COUNT_NONE)
			counts->event[i] = old.event[i];
}

double counts_ipc(const struct event_plan *plan, const struct counts *counts)
{
	double cycles = counts_of(plan, counts, ROLE_CYCLES);

	return cycles > 0 ? counts_of(plan, counts, ROLE_INSTRUCTIONS) / cycles : (double)NAN;
}

bool counts_instructions_differ(double counted, double decoded, bool varies)
{
	return isfinite(counted) && isfinite(decoded) &&
	       fabs(counted - decoded) > (varies ? 0.1 : 0.01) * fmax(counted, decoded);
}

double counts_decoded(const struct explanation *explanation)
{
	if (!explanation || !status_is_ok(&explanation->status))
		return NAN;
	if (explanation->loop.insns_per_element > 0)
		return explanation->loop.insns_per_element;
	return explanation->limits.elements > 0 && explanation->limits.instructions > 0
		       ? explanation->limits.instructions / explanation->limits.elements
		       : (double)NAN;
}

bool counts_instructions_doubtful(const struct event_plan *plan, const struct counts *counts,
	const struct explanation *explanation)
{
	const struct count *count = count_of(plan, counts, ROLE_INSTRUCTIONS);

	/* A count that was scaled up from a part of the time is an estimate, so it proves nothing.
	 */
	return count && count->state != COUNT_SCALED &&
	       counts_instructions_differ(count->value, counts_decoded(explanation),
		       explanation && explanation->loop.varies);
}

bool counts_clocks_differ(double check)
{
	return isfinite(check) && fabs(check - 1) > 0.02;
}

static const char *const states[] = {
	[COUNT_NONE] = "none",
	[COUNT_KNOWN] = "known",
	[COUNT_SCALED] = "scaled",
	[COUNT_SILENT] = "silent",
	[COUNT_UNNAMED] = "unnamed",
	[COUNT_REFUSED] = "refused",
	[COUNT_HELD] = "held",
};

const char *counts_state(enum count_state state)
{
	return states[state];
}

bool counts_state_find(const char *word, enum count_state *state)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		if (strcmp(states[i], word) != 0)
			continue;
		*state = (enum count_state)i;
		return true;
	}
	return false;
}

void counts_role(const struct uarch_event *meaning, char *buffer, size_t size)
{
	struct event_title title = events_title(meaning, NULL);
	const char *words = meaning->role == ROLE_PORTS ? title.text : meaning->words;

	snprintf(buffer, size, "%s%s%s", event_roles[meaning->role].name, *words ? " " : "", words);
}

/* ---- Ratios of a sample */

void sample_ratios_none(struct sample_ratios *ratios)
{
	*ratios = (struct sample_ratios){ .instructions = NAN,
		.cpi = NAN,
		.lines = NAN,
		.traffic = NAN,
		.peak = NAN,
		.share = NAN };
}

void sample_ratios_find(const struct sample *sample, const struct explanation *explanation,
	const struct event_plan *plan, const struct counts *counts, double peak,
	struct sample_ratios *ratios)
{
	sample_ratios_none(ratios);
	ratios->instructions = counts_of(plan, counts, ROLE_INSTRUCTIONS);
	ratios->instructions_from = SOURCE_COUNTER;
	if (!isfinite(ratios->instructions)) {
		ratios->instructions = counts_decoded(explanation);
		ratios->instructions_from = !isfinite(ratios->instructions) ? SOURCE_NONE
					    : explanation->loop.stepped	    ? SOURCE_STEPPED
									    : SOURCE_MODEL;
	}
	ratios->lines = counts_of(plan, counts, ROLE_L3_MISSES);
	ratios->lines_from = SOURCE_COUNTER;
	/* A model of another core does not apply, because the caches of that core have other
	 * misses. */
	if (!isfinite(ratios->lines) && explanation && status_is_ok(&explanation->status) &&
		!explanation->foreign && explanation->limits.uarch) {
		ratios->lines = explanation->limits.beyond[2];
		ratios->lines_from = SOURCE_MODEL;
	}
	if (!isfinite(ratios->lines))
		ratios->lines_from = SOURCE_NONE;
	if (peak > 0)
		ratios->peak = peak;
	if (sample)
		sample_ratios_renew(sample, ratios);
}

void sample_ratios_renew(const struct sample *sample, struct sample_ratios *ratios)
{
	if (!sample->valid)
		return;
	if (ratios->instructions > 0)
		ratios->cpi = sample->cpe / ratios->instructions;
	if (sample->ns > 0)
		ratios->traffic = ratios->lines * SAMPLE_RATIOS_LINE / sample->ns;
	ratios->share = ratios->traffic / ratios->peak;
}

const char *sample_ratios_source(enum source source)
{
	return source == SOURCE_COUNTER	  ? "counted"
	       : source == SOURCE_STEPPED ? "stepped"
	       : source == SOURCE_MODEL	  ? "read"
					  : "unknown";
}

void sample_ratios_traffic_words(
	const struct sample_ratios *ratios, bool brief, char *buffer, size_t size)
{
	char percent[16];

	*buffer = '\0';
	/* Every loop has a few cache misses. Print no memory traffic if the printed value would be
	 * 0. */
	if (!(ratios->traffic >= 0.0005))
		return;
	snprintf(percent, sizeof(percent), ratios->share < 0.0095 ? "%.1g %%" : "%.0f %%",
		100 * ratios->share);
	if (!isfinite(ratios->share))
		snprintf(buffer, size, "%s GB/s from memory", units_value(ratios->traffic).text);
	else if (ratios->share > 1.005)
		/* The peak and the sample are from different moments, and counts from a core model
		 * are estimates. A share above 100 % is not a share. */
		snprintf(buffer, size,
			brief ? "%s GB/s from memory, at peak"
			      : "%s GB/s from memory; the memory measurement read %s GB/s with one "
				"core",
			units_value(ratios->traffic).text, units_value(ratios->peak).text);
	else if (brief)
		snprintf(buffer, size, "%s GB/s from memory, %s of peak",
			units_value(ratios->traffic).text, percent);
	else
		snprintf(buffer, size,
			"%s GB/s from memory, %s of the %s GB/s that one core reads here",
			units_value(ratios->traffic).text, percent, units_value(ratios->peak).text);
}
