/* What the points measured so far say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "experiment/probe/probe_state.h"

void probe_keep(struct probe *probe, const struct probe_task *task, const struct cell *cell)
{
	struct probe_point point = { .setting = task->setting,
		.x = task->x,
		.sample = cell->sample,
		.facts = cell->facts,
		.fine = task->fine };
	struct probe_curve *curve = task->curve;
	int at = 0;

	if (!curve) {
		struct probe_band *band = &probe->report.band[task->band];
		const struct sample *sample = &cell->sample;
		double line = probe->report.machine->cache_count
				      ? probe->report.machine->cache[0].line
				      : 0;

		band->point[task->operation] = point;
		band->lines[task->operation] =
			sample->valid ? sample->bytes_per_cycle / (line > 0 ? line : 64) : NAN;
		return;
	}
	/* What could not be measured at all is no point: a note says why, or it was cancelled
	 * before it came to anything. */
	if (!cell->sample.valid && cell->visits == 0)
		return;
	if (!cell->sample.valid && !status_is_ok(&cell->failure))
		return;
	while (at < curve->count && curve->point[at].x < point.x)
		at++;
	if (at == curve->count || curve->point[at].x > point.x) {
		if (curve->count == PROBE_POINTS)
			return;
		memmove(&curve->point[at + 1], &curve->point[at],
			(size_t)(curve->count - at) * sizeof(curve->point[0]));
		curve->count++;
	}
	curve->point[at] = point;
}

/* A curve as the model reads it. */
struct plain {
	struct curve_point point[PROBE_POINTS];
	int count;
};

static struct hierarchy_curve plain_curve(struct plain *plain, const struct probe_curve *curve)
{
	plain->count = 0;
	for (int i = 0; i < curve->count; i++) {
		const struct sample *sample = &curve->point[i].sample;

		if (!sample->valid)
			continue;
		plain->point[plain->count++] = (struct curve_point){
			.bytes = curve->point[i].x,
			.cycles = sample->cpe,
			.lo = sample->cpe_lo,
			.hi = sample->cpe_hi,
			.doubtful = sample_doubt(sample) != NULL,
			.two_modes = sample->modes == 2,
			.mode_low = sample->mode_low,
			.mode_high = sample->mode_high,
			.share_low = sample->mode_share_low,
		};
	}
	return (struct hierarchy_curve){ plain->point, plain->count };
}

/* The pages really got, of the largest working set: small ones get what there is. */
static const char *pages_got(const struct probe_curve *curve)
{
	return curve->count ? curve->point[curve->count - 1].facts.pages : NULL;
}

static double median_ghz(const struct probe_report *report)
{
	double ghz[PAGE_KINDS * PROBE_POINTS];
	size_t count = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < report->lines[kind].count; i++)
			if (report->lines[kind].point[i].sample.valid)
				ghz[count++] = report->lines[kind].point[i].sample.ghz;
	return count ? stats_median(ghz, count) : NAN;
}

/* Another run may find it so much beyond the range of this one's looks, as a ratio: with that 93 %
 * of 400 pairs of runs held each other's value (20 runs within a minute, on a virtual machine with
 * busy neighbours). Looks that agree are of a cache that nobody else uses. */
static const double share_off = 1.6, share_agrees = 1.1;

static struct hierarchy_share share_of(const struct probe_share *share)
{
	double bytes[PROBE_SHARES], off;

	if (share->count == 0)
		return (struct hierarchy_share){ 0 };
	memcpy(bytes, share->bytes, sizeof(bytes));
	stats_sort(bytes, (size_t)share->count);
	off = bytes[share->count - 1] > share_agrees * bytes[0] ? share_off : share_agrees;
	return (struct hierarchy_share){
		.looks = share->count,
		.bytes = stats_quantile(bytes, (size_t)share->count, 0.5),
		.lo = bytes[0] / off,
		.hi = bytes[share->count - 1] * off,
		.seconds = share->at[share->count - 1] - share->at[0],
	};
}

void probe_analyse(struct probe *probe)
{
	struct probe_report *report = &probe->report;
	struct plain *plain = memory_new(2 * PAGE_KINDS + 1, sizeof(*plain));
	struct hierarchy_input input = { .machine = report->machine, .ghz = median_ghz(report) };

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		input.lines[kind] = plain_curve(&plain[kind], &report->lines[kind]);
		input.pages[kind] = plain_curve(&plain[PAGE_KINDS + kind], &report->pages[kind]);
		input.got[kind] = pages_got(&report->lines[kind]);
	}
	input.share = share_of(&report->share);
	input.pairs = plain_curve(&plain[2 * PAGE_KINDS], &report->pairs);
	hierarchy_find(&input, &report->hierarchy);
	free(plain);
}
