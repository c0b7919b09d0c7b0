#include "experiment/changed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"
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

/* ---- Whether changed loops can be compared with the loop itself */

/* Two speeds of a loop differ by more than the share OTHER. The loop and its copy are measured
 * PAIRS times in turn; FEW undisturbed measurements of both are compared. */
#define OTHER 0.1
enum { PAIRS = 4, FEW = 3 };

struct status changed_steady(const double *cpe, int count)
{
	double median = count > 0 ? cpe[count / 2] : 0;

	if (count < FEW || cpe[1] >= (1 - OTHER) * median)
		return status_ok();
	return status_failed("the loop has two speeds, %s and %s cycles per element, without any "
			     "change, so changes of its code show nothing",
		units_value(cpe[0]).text, units_value(median).text);
}

/* Adds an undisturbed measurement to the list in ascending order. */
static struct status add_quiet(
	struct changed *changed, const struct code_change *change, double *cpe, int *count)
{
	struct changed_point point;
	struct status status = changed_measure(changed, change, 1, &point);

	if (!status_is_ok(&status) || point.contended)
		return status;
	cpe[(*count)++] = point.cpe;
	stats_sort(cpe, (size_t)*count);
	return status;
}

struct status changed_same(struct changed *changed, const struct code_change *copy)
{
	const struct code_change itself = { .bytes = 0 };
	double loop[PAIRS], copied[PAIRS], a, b;
	int loops = 0, copies = 0;
	struct status status = status_ok();

	for (int i = 0; i < PAIRS && status_is_ok(&status); i++) {
		status = add_quiet(changed, &itself, loop, &loops);
		if (status_is_ok(&status))
			status = add_quiet(changed, copy, copied, &copies);
	}
	if (status_is_ok(&status))
		status = changed_steady(copied, copies);
	if (!status_is_ok(&status) || loops < FEW || copies < FEW)
		return status;
	a = loop[loops / 2];
	b = copied[copies / 2];
	if (fmax(a, b) <= (1 + OTHER) * fmin(a, b))
		return status;
	return status_failed("the loop has two speeds, %s cycles per element here and %s in a copy "
			     "of its code at another place, so changes of its code show nothing",
		units_value(a).text, units_value(b).text);
}

void changed_free(struct changed *changed)
{
	free(changed->result);
	changed->result = NULL;
}
