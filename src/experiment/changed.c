#include "experiment/changed.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/campaign.h"

/* One measurement ends after the wanted number of quiet trials, after VISIT seconds, or, if few
 * trials were quiet, after PATIENCE trials for each wanted quiet trial. */
#define VISIT 0.008
enum { PATIENCE = 2 };

/* Largest number of measurements if every trial is disturbed. */
enum { TRIES = 4 };

/* Bytes of the core's second cache; 1 MiB if they are unknown. */
static double own_bytes(const struct explanation *explanation)
{
	double bytes = explanation->misses.caches.level[1].bytes;

	return bytes > 0 ? bytes : 1 << 20;
}

struct status changed_allowed(const struct setting *setting, const struct explanation *explanation)
{
	if (!explanation || !status_is_ok(&explanation->status))
		return status_failed(
			"%.200s", explanation ? explanation->status.text : "no core model");
	if (!explanation->limits.uarch || explanation->foreign)
		return status_failed("the core model is of another core than this one");
	if ((double)kernel_footprint(setting->kernel, setting->v) > own_bytes(explanation))
		return status_failed("the data do not fit L2, and added instructions are timed "
				     "only for data that do");
	if (explanation->loop.varies)
		return status_failed("its branches go both ways, so added instructions would not "
				     "run once an iteration");
	if (kernel_need(setting->kernel, setting->v).processors > 1)
		return status_failed(
			"other cores work too, because of the knobs cores and streams");
	return status_ok();
}

/* Makes one measurement of the changed loop. Returns false if the measurement has no result,
 * because the request was taken back or cancelled. */
static bool visit(struct changed *changed, const struct code_change *change)
{
	struct request request = {
		.kernel = changed->setting->kernel,
		.seed = changed->seed,
		.background = true,
		.place = visits_place(changed->requests++),
		.budget = { .seconds = VISIT,
			.quiet_wanted = changed->quiet,
			.patience = PATIENCE * changed->quiet },
		.change = *change,
	};

	if (!changed->result)
		changed->result = memory_new(1, sizeof(*changed->result));
	memcpy(request.v, changed->setting->v, sizeof(request.v));
	return measurer_measure(changed->measurer, &request, changed->result) &&
	       changed->result->status.code != STATUS_CANCELLED;
}

static bool is_better(const struct sample *sample, const struct sample *than)
{
	return sample->valid &&
	       (!than->valid || (sample->contended != than->contended ? than->contended
								      : sample->cpe < than->cpe));
}

struct status changed_measure(struct changed *changed, const struct code_change *change, int visits,
	struct changed_point *point)
{
	struct sample best = { 0 }, sample;

	for (int made = 0; made < (best.valid ? visits : TRIES) &&
			   !measurer_stopped(changed->measurer) &&
			   (!best.valid || best.contended);) {
		if (!visit(changed, change))
			continue;
		made++;
		if (!status_is_ok(&changed->result->status))
			return changed->result->status;
		sample_summarise(&changed->result->trials, &changed->result->facts, &sample);
		if (is_better(&sample, &best))
			best = sample;
	}
	if (!best.valid)
		return measurer_stopped(changed->measurer)
			       ? status_make(STATUS_CANCELLED, "the measurement was stopped")
			       : status_failed("every trial was disturbed");
	*point = (struct changed_point){ .cpe = best.cpe,
		.lo = best.cpe_lo,
		.hi = best.cpe_hi,
		.from = best.cycles_from,
		.contended = best.contended };
	return status_ok();
}

void changed_free(struct changed *changed)
{
	free(changed->result);
	changed->result = NULL;
}
