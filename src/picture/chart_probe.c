#include "picture/chart_reports.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "picture/chart_knobs.h"

/* A smaller difference in cycles is within one level. */
#define SAME_LEVEL 1.08

static const char *page_words(enum page_kind kind, const struct probe_curve *curve)
{
	const char *got = curve->count ? curve->point[curve->count - 1].facts.pages : "";

	if (kind == PAGES_4K)
		return "4 KiB pages";
	if (kind == PAGES_AUTO)
		return "default pages";
	return strcmp(got, "huge") == 0	   ? "huge pages"
	       : strcmp(got, "mixed") == 0 ? "huge pages, not all"
					   : "huge pages, not available";
}

/* ---- curves ---- */

/* Adds a curve as a series, if it has points. */
static void add_curve(struct chart *chart, const char *name, const struct probe_curve *curve,
	enum sweeps_figure figure, struct chart_source *source)
{
	struct chart_series *series = curve->count ? chart_add_series(chart, name) : NULL;

	for (int i = 0; series && i < curve->count; i++) {
		const struct probe_point *from = &curve->point[i];
		struct chart_point point =
			figure_point(figure, &from->sample, &from->facts, NULL, NULL, from->x);

		chart_add_point(series, &point);
		chart_note(source, &from->sample);
	}
}

static int add_pages(struct chart *chart, const struct probe_curve curves[PAGE_KINDS],
	struct chart_source *source)
{
	int count = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		count += curves[kind].count > 0;
		add_curve(chart, page_words((enum page_kind)kind, &curves[kind]), &curves[kind],
			SWEEPS_CPE, source);
	}
	return count;
}

/* ---- what was found ---- */

/* "48 KiB", "21 to 24 MiB"; "no size" if unknown. */
static void size_words(const struct hierarchy_level *level, char *buffer, size_t size)
{
	char lo[12], hi[12], *unit_lo, *unit_hi;

	units_bytes_long((int64_t)llround(level->bytes_lo), lo, sizeof(lo));
	units_bytes_long((int64_t)llround(level->bytes_hi), hi, sizeof(hi));
	unit_lo = strchr(lo, ' ');
	unit_hi = strchr(hi, ' ');
	/* A range only if its ends differ; the unit once. */
	if (unit_lo && unit_hi && strcmp(unit_lo, unit_hi) == 0 && strcmp(lo, hi) != 0)
		*unit_lo = '\0';
	if (level->unstable && strcmp(lo, hi) != 0)
		snprintf(buffer, size, "%s to %s", lo, hi);
	else
		units_bytes_long((int64_t)llround(level->bytes), buffer, size);
}

static bool has_size(const struct hierarchy_level *level)
{
	return isfinite(level->bytes) && level->bytes > 0;
}

static void mark_level(struct chart *chart, const struct hierarchy_level *level)
{
	struct chart_mark mark = { .at = level->bytes,
		.lo = level->unstable ? level->bytes_lo : level->bytes,
		.hi = level->unstable ? level->bytes_hi : level->bytes,
		.pages = level->kind == LEVEL_TLB };
	char words[CHART_NAME - 20];

	if (!has_size(level))
		return;
	size_words(level, words, sizeof(words));
	if (level->kind == LEVEL_TLB && isfinite(level->entries))
		chart_print(mark.text, "%s %s%.0f", level->name, level->unstable ? "about " : "",
			level->entries);
	else
		chart_print(mark.text, "%s %s", level->name, words);
	chart_add_mark(chart, &mark);
}

/* The level with that latency; NULL: none. */
static const struct hierarchy_level *level_of(const struct hierarchy *hierarchy, double cycles)
{
	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *level = &hierarchy->level[i];

		if (level->kind != LEVEL_TLB && level->cycles > 0 &&
			cycles < level->cycles * SAME_LEVEL && cycles > level->cycles / SAME_LEVEL)
			return level;
	}
	return NULL;
}

static void add_plateaus(
	struct chart *chart, const struct hierarchy *hierarchy, const struct plateaus *plateaus)
{
	const struct hierarchy_level *before = NULL;

	for (int i = 0; i < plateaus->count; i++) {
		const struct plateau *plateau = &plateaus->plateau[i];
		const struct hierarchy_level *level = level_of(hierarchy, plateau->cycles);
		const struct hierarchy_level *memory = hierarchy_memory(hierarchy);
		char figure[12], ns[12], text[CHART_NAME + 8];

		/* Curves of two page sizes differ most there: the value is between theirs. */
		if (!level && i == plateaus->count - 1 && memory)
			level = memory;
		scale_figure(plateau->cycles, figure, sizeof(figure));
		if (level && level != before && level->kind == LEVEL_MEMORY &&
			isfinite(level->ns)) {
			scale_figure(level->ns * plateau->cycles / level->cycles, ns, sizeof(ns));
			chart_print(text, "%s: %s cycles, %s ns", level->name, figure, ns);
		} else if (level && level != before) {
			chart_print(text, "%s: %s cycles", level->name, figure);
		} else {
			chart_print(text, "%s cycles", figure);
		}
		/* A possible climb that belongs to no level has no name. */
		if (!level && plateau->confidence < 0.5)
			continue;
		before = level ? level : before;
		chart_add_flat(chart, plateau->from, plateau->to, plateau->cycles, text);
	}
}

/* The plateaus of the curve with the fewest TLB steps: huge pages if there are any. */
static const struct plateaus *best_plateaus(const struct plateaus plateaus[PAGE_KINDS])
{
	static const enum page_kind order[] = { PAGES_HUGE, PAGES_4K, PAGES_AUTO };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (plateaus[order[i]].count)
			return &plateaus[order[i]];
	return &plateaus[PAGES_AUTO];
}

/* The most important remark: the first contradiction to the system. */
static void add_remark(struct chart *chart, const struct hierarchy *hierarchy)
{
	for (int i = 0; i < hierarchy->finding_count; i++) {
		if (!hierarchy->finding[i].disagreement)
			continue;
		chart_print(chart->remark, "%.*s", (int)sizeof(chart->remark) - 1,
			hierarchy->finding[i].text);
		return;
	}
}

/* ---- the parts ---- */

static void make_latency(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	add_pages(chart, report->lines, source);
	chart_fit(chart, SCALE_BYTES, SCALE_LOG);
	for (int i = 0; i < report->hierarchy.level_count; i++)
		mark_level(chart, &report->hierarchy.level[i]);
	add_plateaus(chart, &report->hierarchy, best_plateaus(report->hierarchy.lines));
	add_remark(chart, &report->hierarchy);
	chart_print(chart->title, "Load latency over the size of the working set");
	chart_print(chart->subtitle, "each load waits for the previous one, in random order");
	chart_print(chart->x.title, "working set");
	chart_print(chart->y.title, "cycles per load");
}

static void make_tlb(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	add_pages(chart, report->pages, source);
	for (int i = 0; i < chart->series_count; i++)
		for (int k = 0; k < chart->series[i].count; k++)
			chart->series[i].point[k].x /= 4096;
	chart_fit(chart, SCALE_LOG2, SCALE_LOG);
	for (int i = 0; i < report->hierarchy.level_count; i++) {
		if (report->hierarchy.level[i].kind != LEVEL_TLB)
			continue;
		mark_level(chart, &report->hierarchy.level[i]);
		if (chart->mark_count) {
			struct chart_mark *mark = &chart->mark[chart->mark_count - 1];

			mark->at /= 4096;
			mark->lo /= 4096;
			mark->hi /= 4096;
		}
	}
	chart_print(chart->title, "Load latency over pages, one cache line of each");
	chart_print(chart->subtitle, "each load waits for the previous one, in random order");
	chart_print(chart->x.title, "pages of 4 KiB");
	chart_print(chart->y.title, "cycles per load");
}

static void make_line(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	struct chart_mark mark = { .at = report->hierarchy.line,
		.lo = report->hierarchy.line,
		.hi = report->hierarchy.line };

	add_curve(chart, "", &report->pairs, SWEEPS_CPE, source);
	chart_fit(chart, SCALE_BYTES, SCALE_LINEAR);
	if (isfinite(mark.at)) {
		chart_print(mark.text, "line: %.0f bytes", mark.at);
		chart_add_mark(chart, &mark);
	}
	chart_print(chart->title, "Two loads at once, over the distance between them");
	chart_print(chart->subtitle, "the second load of a cache line costs little");
	chart_print(chart->x.title, "bytes between the two loads");
	chart_print(chart->y.title, "cycles per pair");
}

static void make_bandwidth(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	static const char *const operations[PROBE_OPERATIONS] = { "read", "write", "copy" };
	char words[PROBE_BANDS][CHART_NAME];
	const char *names[PROBE_BANDS];

	for (int i = 0; i < report->band_count; i++) {
		char bytes[24];

		units_bytes_long((int64_t)report->band[i].size, bytes, sizeof(bytes));
		chart_print(words[i], "%s, %s", report->band[i].level, bytes);
		names[i] = words[i];
	}
	chart_name_axis(&chart->x, names, report->band_count);
	for (int operation = 0; operation < PROBE_OPERATIONS; operation++) {
		struct chart_series *series = chart_add_series(chart, operations[operation]);

		for (int i = 0; i < report->band_count; i++) {
			const struct probe_point *from = &report->band[i].point[operation];
			struct chart_point point = figure_point(
				SWEEPS_BYTES_PER_CYCLE, &from->sample, &from->facts, NULL, NULL, i);
			char figure[24];

			chart_add_point(series, &point);
			chart_note(source, &from->sample);
			scale_figure(point.y, figure, sizeof(figure));
			if (isfinite(point.y))
				chart_add_call(chart, operation, i, point.y, figure);
		}
	}
	chart_fit(chart, SCALE_STEPS, SCALE_LOG);
	chart_print(chart->title, "Bandwidth of each level, one core");
	chart_print(chart->subtitle,
		"bytes that the code itself reads and writes, of a working set that the level "
		"holds");
	chart_print(chart->y.title, "bytes per cycle");
}

/* Parallel chains: the speedup over one chain. */
static void make_parallel(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	const struct probe_curve *curve = &report->parallel;
	const struct sample *one = &curve->point[0].sample;
	struct chart_series *series = chart_add_series(chart, "");
	double best = 0, at = 1;
	char figure[24], ns[24], text[CHART_NAME];

	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *from = &curve->point[i];
		struct chart_point point = figure_point(
			SWEEPS_SPEEDUP, &from->sample, &from->facts, NULL, one, from->x);

		chart_add_point(series, &point);
		chart_note(source, &from->sample);
		if (point.y > best) {
			best = point.y;
			at = from->x;
		}
	}
	chart_fit(chart, SCALE_LOG2, SCALE_LINEAR);
	scale_figure(best, figure, sizeof(figure));
	chart_print(text, "%s times at %.0f", figure, at);
	if (best > 0)
		chart_add_call(chart, -1, at, best, text);
	scale_figure(one->ns, ns, sizeof(ns));
	chart_print(chart->title, "Parallel misses: loads from memory, in parallel chains");
	chart_print(chart->subtitle, "a single load takes %s ns", ns);
	chart_print(chart->x.title, "parallel chains");
	chart_print(chart->y.title, "times as fast as one");
}

static void make_cores(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	struct chart_series *series = chart_add_series(chart, "");

	for (int i = 0; i < report->cores.count; i++) {
		const struct probe_point *from = &report->cores.point[i];
		struct chart_point point =
			figure_point(SWEEPS_GBPS, &from->sample, &from->facts, NULL, NULL, from->x);
		/* The sum of all cores. */
		double all = isfinite(from->sample.total_gbps) && from->sample.gbps > 0
				     ? from->sample.total_gbps / from->sample.gbps
				     : 1;

		point.y *= all;
		point.lo *= all;
		point.hi *= all;
		point.other *= all;
		point.other_y *= all;
		chart_add_point(series, &point);
		chart_note(source, &from->sample);
	}
	chart_fit(chart, SCALE_LINEAR, SCALE_LINEAR);
	chart->x.scale.whole = true;
	chart_print(chart->title, "Memory bandwidth over the number of reading cores");
	chart_print(chart->x.title, "cores");
	chart_print(chart->y.title, "GB/s, sum of all cores");
}

static bool any_curve(const struct probe_curve curves[PAGE_KINDS])
{
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		if (curves[kind].count)
			return true;
	return false;
}

static bool is_measured(const struct probe_report *report, enum probe_part part)
{
	switch (part) {
	case PROBE_LATENCY: return any_curve(report->lines);
	case PROBE_TLB: return any_curve(report->pages);
	case PROBE_LINE: return report->pairs.count > 0;
	case PROBE_BANDWIDTH: return report->band_count > 0;
	case PROBE_PARALLEL: return report->parallel.count > 0;
	case PROBE_CORES: return report->cores.count > 0;
	case PROBE_PARTS: break;
	}
	return false;
}

enum probe_part chart_probe_part(const struct probe_report *report)
{
	/* Other parts measure latency too, to find the levels. */
	unsigned asked = report->options.parts;

	for (int part = 0; part < PROBE_PARTS; part++)
		if (asked && !(asked & 1u << PROBE_LATENCY) && asked >> part & 1 &&
			is_measured(report, (enum probe_part)part))
			return (enum probe_part)part;
	for (int part = 0; part < PROBE_PARTS; part++)
		if (is_measured(report, (enum probe_part)part))
			return (enum probe_part)part;
	return PROBE_PARTS;
}

struct chart *chart_probe(
	const struct probe_report *report, enum probe_part part, const struct chart_origin *origin)
{
	static void (*const parts[PROBE_PARTS])(struct chart * chart,
		const struct probe_report *report, struct chart_source *source) = {
		[PROBE_LATENCY] = make_latency,
		[PROBE_TLB] = make_tlb,
		[PROBE_LINE] = make_line,
		[PROBE_BANDWIDTH] = make_bandwidth,
		[PROBE_PARALLEL] = make_parallel,
		[PROBE_CORES] = make_cores,
	};
	struct chart *chart = chart_new(CHART_LINES);
	struct chart_source source = { 0 };

	chart->joined = true;
	parts[part](chart, report, &source);
	chart_sign(chart, origin);
	chart_cite(chart, origin->machine, &source);
	return chart;
}
