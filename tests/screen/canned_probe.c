/* A probe's report by formula: caches of 48 KiB, 1 MiB and 8 MiB (the system says 32), a DTLB of 96
 * entries whose step huge pages do not remove, and a point that has two modes. */
#include <math.h>
#include <stdio.h>

#include "canned.h"
#include "experiment/probe/probe_state.h"
#include "explorer/state.h"

static const double GHZ = 4.12;

/* How far a working set has outgrown a cache, 0…1; the climb takes so many octaves. */
static double outgrown(double bytes, double size, double octaves)
{
	return fmin(1, fmax(0, log2(bytes / size) / octaves + 1.0 / 3));
}

static double line_cycles(double bytes)
{
	double dtlb = bytes > 384 << 10 ? 7 * (1 - (384 << 10) / bytes) : 0;

	return 4 + 10 * outgrown(bytes, 48 << 10, 0.1) + 46 * outgrown(bytes, 1 << 20, 0.8) +
	       440 * outgrown(bytes, 8 << 20, 1.2) + dtlb;
}

static double page_cycles(double pages)
{
	return 4 + 10 * outgrown(pages * 64, 48 << 10, 0.1) +
	       7 * fmin(1, fmax(0, (pages - 96) / 16));
}

/* A few tenths of a percent, always the same. */
static double uneven(int i)
{
	return 1 + (i * 7 % 5 - 2) * 0.001;
}

static struct probe_point *add(
	struct probe_curve *curve, double x, double cycles, const char *pages)
{
	struct probe_point *point = &curve->point[curve->count];

	cycles *= uneven(curve->count++);
	*point = (struct probe_point){ .x = x,
		.sample = { .valid = true,
			.cpe = cycles,
			.cpe_lo = 0.998 * cycles,
			.cpe_hi = 1.002 * cycles,
			.trials = 40,
			.quiet = 0.9,
			.ghz = GHZ,
			.ns = cycles / GHZ,
			.gbps = NAN,
			.bytes_per_cycle = NAN,
			.check = NAN,
			.modes = 1,
			.cycles_from = SOURCE_REFERENCE } };
	snprintf(point->facts.pages, sizeof(point->facts.pages), "%s", pages);
	return point;
}

/* Up to a share of its octaves. */
static void add_lines(struct probe_curve *curve, const char *pages, double share)
{
	for (int i = 0; i <= 64 * share; i++) {
		double bytes = 64 * floor(exp2(12 + i / 4.0) / 64);
		struct probe_point *point = add(curve, bytes, line_cycles(bytes), pages);

		if (i == 44) {
			point->sample.modes = 2;
			point->sample.mode_low = 0.5 * point->sample.cpe;
			point->sample.mode_high = 1.5 * point->sample.cpe;
			point->sample.mode_share_low = 0.4;
		}
	}
}

static void add_pages(struct probe_curve *curve, const char *pages)
{
	for (double count = 8; count <= 4096;
		count = count >= 80 && count < 128 ? count + 2 : floor(count * 1.19))
		add(curve, count * 4096, page_cycles(count), pages);
}

static void add_bands(struct probe_report *report)
{
	static const struct {
		const char *level;
		uint64_t size;
		double bytes[PROBE_OPERATIONS];
	} bands[] = {
		{ "L1d", 24 << 10, { 127.5, 63.8, 96.2 } },
		{ "L2", 220 << 10, { 61, 29.4, 38.8 } },
		{ "L3", 2900 << 10, { 26.3, 14.1, 19 } },
		{ "memory", 256 << 20, { 8.7, 5.2, 7.1 } },
	};

	for (size_t i = 0; i < sizeof(bands) / sizeof(bands[0]); i++) {
		struct probe_band *band = &report->band[report->band_count++];

		snprintf(band->level, sizeof(band->level), "%s", bands[i].level);
		band->size = bands[i].size;
		for (int k = 0; k < PROBE_OPERATIONS; k++) {
			band->point[k].sample = (struct sample){ .valid = true,
				.bytes_per_cycle = bands[i].bytes[k],
				.gbps = bands[i].bytes[k] * GHZ };
			band->lines[k] = bands[i].bytes[k] / 64;
		}
	}
}

void canned_probe(struct canned *canned, struct session *session, int percent)
{
	static const int distances[] = { 16, 32, 48, 64, 96, 128, 256 },
			 chains[] = { 1, 2, 4, 8, 16, 32 };
	struct probe_options options = { .seed = 1 };
	struct probe_report *report;
	struct status status;
	struct probe *probe = probe_new(&canned->machine, &options, &status);

	if (!probe)
		return;
	report = &probe->report;
	report->done = percent / 100.0;
	report->seconds = 0.038 * percent;
	report->complete = percent == 100;
	report->notes.count = 0;
	add_lines(&report->lines[PAGES_HUGE], "huge", fmin(1, report->done / 0.4));
	if (report->done > 0.4) {
		add_lines(&report->lines[PAGES_4K], "4k", fmin(1, (report->done - 0.4) / 0.5));
		add_pages(&report->pages[PAGES_HUGE], "huge");
	}
	if (report->complete) {
		add_pages(&report->pages[PAGES_4K], "4k");
		for (size_t i = 0; i < sizeof(distances) / sizeof(distances[0]); i++)
			add(&report->pairs, distances[i], distances[i] < 64 ? 9 : 14, "huge");
		for (size_t i = 0; i < sizeof(chains) / sizeof(chains[0]); i++) {
			add(&report->parallel, chains[i], 500 / fmin(20, chains[i]), "huge");
			report->parallel.point[i].facts.footprint = 128 << 20;
			/* A list of so many bytes. */
			setting_init(&report->parallel.point[i].setting, kernel_registry[1]);
			report->parallel.point[i].setting.v[0] = 128 << 20;
		}
		add_bands(report);
	} else {
		snprintf(report->doing, sizeof(report->doing), "latency, %s pages, 2.8m",
			report->done > 0.4 ? "4k" : "huge");
	}
	probe_analyse(probe);
	campaign_begin(session, CAMPAIGN_PROBE, &campaign_row_probe, probe);
	session->campaigns[CAMPAIGN_PROBE].running = !report->complete;
	/* Nothing goes on by itself. */
	session->frozen = !report->complete;
}
