#include "picture/chart_reports.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "picture/chart_cores.h"
#include "picture/chart_knobs.h"

/* Two latencies whose ratio is smaller than SAME_LEVEL belong to the same cache level. */
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

/* Adds a point to a series and returns the point. */
static struct chart_point add_point(struct chart_series *series, enum sweeps_figure figure,
	const struct probe_point *from, const struct sample *base, double x,
	struct chart_source *source)
{
	struct chart_point point = figure_point(figure, &from->sample, &from->facts, NULL, base, x);

	chart_add_point(series, &point);
	chart_note(source, &from->sample);
	return point;
}

/* Adds a curve as a series of the chart, if the curve has points. */
static void add_curve(struct chart *chart, const char *name, const struct probe_curve *curve,
	enum sweeps_figure figure, struct chart_source *source)
{
	struct chart_series *series = curve->count ? chart_add_series(chart, name) : NULL;

	for (int i = 0; series && i < curve->count; i++)
		add_point(series, figure, &curve->point[i], NULL, curve->point[i].x, source);
}

static void add_pages(struct chart *chart, const struct probe_curve curves[PAGE_KINDS],
	struct chart_source *source)
{
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		add_curve(chart, page_words((enum page_kind)kind, &curves[kind]), &curves[kind],
			SWEEPS_CPE, source);
}

/* ---- levels and remarks ---- */

/* Returns the size of a cache level in words: "48 KiB", "21 to 24 MiB". */
static struct words size_words(const struct hierarchy_level *level)
{
	struct units_text low = units_size_long((int64_t)llround(level->bytes_lo)),
			  high = units_size_long((int64_t)llround(level->bytes_hi));
	char *unit_lo = strchr(low.text, ' '), *unit_hi = strchr(high.text, ' ');

	if (!level->unstable || strcmp(low.text, high.text) == 0)
		return words_of("%s", units_size_long((int64_t)llround(level->bytes)).text);
	/* If both sizes have the same unit, write the unit only once. */
	if (unit_lo && unit_hi && strcmp(unit_lo, unit_hi) == 0)
		*unit_lo = '\0';
	return words_of("%s to %s", low.text, high.text);
}

static void mark_level(struct chart *chart, const struct hierarchy_level *level)
{
	struct chart_mark mark = { .at = level->bytes,
		.lo = level->unstable ? level->bytes_lo : level->bytes,
		.hi = level->unstable ? level->bytes_hi : level->bytes,
		.pages = level->kind == LEVEL_TLB };

	if (!isfinite(level->bytes) || level->bytes <= 0)
		return;
	if (level->kind == LEVEL_TLB && isfinite(level->entries))
		chart_print(mark.text, "%s %s%.0f", level->name, level->unstable ? "about " : "",
			level->entries);
	else
		chart_print(mark.text, "%s %.27s", level->name, size_words(level).text);
	chart_add_mark(chart, &mark);
}

/* Returns the level of the hierarchy whose latency is about `cycles`; NULL: there is no such level.
 */
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
	const struct hierarchy_level *before = NULL,
				     *memory = hierarchy_level(hierarchy, LEVEL_MEMORY, 0);

	for (int i = 0; i < plateaus->count; i++) {
		const struct plateau *plateau = &plateaus->plateau[i];
		const struct hierarchy_level *level = level_of(hierarchy, plateau->cycles);
		struct scale_words cycles = scale_figure(plateau->cycles);
		struct words text;

		/* Latency curves measured with two page sizes differ most where the data lie in
		 * main memory. In memory, the level's latency lies between the curves, so
		 * level_of() may find no level. */
		if (!level && i == plateaus->count - 1)
			level = memory;
		/* Do not label an uncertain plateau that belongs to no level. */
		if (!level && plateau->confidence < 0.5)
			continue;
		if (!level || level == before)
			text = words_of("%s cycles", cycles.text);
		else if (level->kind == LEVEL_MEMORY && isfinite(level->ns))
			text = words_of("%s: %s cycles, %s ns", level->name, cycles.text,
				scale_figure(level->ns * plateau->cycles / level->cycles).text);
		else
			text = words_of("%s: %s cycles", level->name, cycles.text);
		before = level ? level : before;
		chart_add_flat(chart, plateau->from, plateau->to, plateau->cycles, text.text);
	}
}

/* Returns the plateaus (flat parts) of the latency curve with huge pages, if it was measured,
 * because TLBs add the fewest steps to this curve. */
static const struct plateaus *best_plateaus(const struct plateaus plateaus[PAGE_KINDS])
{
	static const enum page_kind order[] = { PAGES_HUGE, PAGES_4K, PAGES_AUTO };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (plateaus[order[i]].count)
			return &plateaus[order[i]];
	return &plateaus[PAGES_AUTO];
}

/* Adds the most important finding of the probe as a remark to the chart: the first finding that
 * contradicts the system's data. */
static void add_remark(struct chart *chart, const struct hierarchy *hierarchy)
{
	for (int i = 0; i < hierarchy->finding_count && !chart->remark[0]; i++)
		if (hierarchy->finding[i].disagreement)
			chart_print(chart->remark, "%.*s", (int)sizeof(chart->remark) - 1,
				hierarchy->finding[i].text);
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
}

static void make_tlb(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	add_pages(chart, report->pages, source);
	for (int i = 0; i < chart->series_count; i++)
		for (int k = 0; k < chart->series[i].count; k++)
			chart->series[i].point[k].x /= 4096;
	chart_fit(chart, SCALE_LOG2, SCALE_LOG);
	for (int i = 0; i < report->hierarchy.level_count; i++)
		if (report->hierarchy.level[i].kind == LEVEL_TLB)
			mark_level(chart, &report->hierarchy.level[i]);
	for (int i = 0; i < chart->mark_count; i++) {
		chart->mark[i].at /= 4096;
		chart->mark[i].lo /= 4096;
		chart->mark[i].hi /= 4096;
	}
}

static void make_line(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	double line = report->hierarchy.line;
	struct chart_mark mark = { .at = line, .lo = line, .hi = line };

	add_curve(chart, "", &report->pairs, SWEEPS_CPE, source);
	chart_fit(chart, SCALE_BYTES, SCALE_LINEAR);
	chart_print(mark.text, "line: %.0f bytes", line);
	if (isfinite(line))
		chart_add_mark(chart, &mark);
}

static void make_bandwidth(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	static const char *const operations[PROBE_OPERATIONS] = { "read", "write", "copy" };
	struct words words[PROBE_BANDS];
	const char *names[PROBE_BANDS];

	for (int i = 0; i < report->band_count; i++) {
		words[i] = words_of("%s, %s", report->band[i].level,
			units_size_long((int64_t)report->band[i].size).text);
		names[i] = words[i].text;
	}
	chart_name_axis(&chart->x, names, report->band_count);
	for (int operation = 0; operation < PROBE_OPERATIONS; operation++) {
		struct chart_series *series = chart_add_series(chart, operations[operation]);

		for (int i = 0; i < report->band_count; i++) {
			struct chart_point point = add_point(series, SWEEPS_BYTES_PER_CYCLE,
				&report->band[i].point[operation], NULL, i, source);

			if (isfinite(point.y))
				chart_add_call(
					chart, operation, i, point.y, scale_figure(point.y).text);
		}
	}
	chart_fit(chart, SCALE_STEPS, SCALE_LOG);
}

/* Makes the chart of parallel chains: the speedup of several chains over one chain. */
static void make_parallel(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	const struct probe_curve *curve = &report->parallel;
	const struct sample *one = &curve->point[0].sample;
	struct chart_series *series = chart_add_series(chart, "");
	double best = 0, at = 1;

	for (int i = 0; i < curve->count; i++) {
		struct chart_point point = add_point(
			series, SWEEPS_SPEEDUP, &curve->point[i], one, curve->point[i].x, source);

		if (point.y > best) {
			best = point.y;
			at = point.x;
		}
	}
	chart_fit(chart, SCALE_LOG2, SCALE_LINEAR);
	if (best > 0)
		chart_add_call(chart, -1, at, best,
			words_of("%s times at %.0f", scale_figure(best).text, at).text);
	chart_print(chart->subtitle, "a single load takes %s ns", scale_figure(one->ns).text);
}

static void make_cores(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	struct chart_series *series = chart_add_series(chart, "");

	for (int i = 0; i < report->cores.count; i++) {
		struct probe_point from = report->cores.point[i];

		/* In the chart of the part `cores`, show the sum of the throughput of all cores, if
		 * it is known. */
		if (isfinite(from.sample.total_gbps) && from.sample.gbps > 0)
			from.sample.gbps = from.sample.total_gbps;
		add_point(series, SWEEPS_GBPS, &from, NULL, from.x, source);
	}
	chart_fit(chart, SCALE_LINEAR, SCALE_LINEAR);
	chart->x.scale.whole = true;
}

static void make_transfer(
	struct chart *chart, const struct probe_report *report, struct chart_source *source)
{
	chart_cores_fill(chart, report->transfer, source);
}

static bool any_curve(const struct probe_curve curves[PAGE_KINDS])
{
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		if (curves[kind].count)
			return true;
	return false;
}

enum probe_part chart_probe_part(const struct probe_report *report)
{
	const bool measured[PROBE_PARTS] = {
		[PROBE_LATENCY] = any_curve(report->lines),
		[PROBE_TLB] = any_curve(report->pages),
		[PROBE_LINE] = report->pairs.count > 0,
		[PROBE_BANDWIDTH] = report->band_count > 0,
		[PROBE_PARALLEL] = report->parallel.count > 0,
		[PROBE_CORES] = report->cores.count > 0,
		[PROBE_TRANSFER] = report->transfer && report->transfer->measured > 0,
	};
	unsigned asked = report->options.parts;

	/* Requests for another part of the probe also measure latency, because latency shows the
	 * cache levels. */
	if (asked & 1u << PROBE_LATENCY)
		asked = 0;
	for (int pass = 0; pass < 2; pass++)
		for (int part = 0; part < PROBE_PARTS; part++)
			if (measured[part] && (pass || asked >> part & 1))
				return (enum probe_part)part;
	return PROBE_PARTS;
}

struct chart *chart_probe(
	const struct probe_report *report, enum probe_part part, const struct chart_origin *origin)
{
	static const char in_random_order[] =
		"each load waits for the previous one, in random order";
	static const struct {
		void (*make)(struct chart *chart, const struct probe_report *report,
			struct chart_source *source);
		const char *title, *subtitle, *x, *y;
	} parts[PROBE_PARTS] = {
		[PROBE_LATENCY] = { make_latency, "Load latency over the size of the working set",
			in_random_order, "working set", "cycles per load" },
		[PROBE_TLB] = { make_tlb, "Load latency over pages, one cache line of each",
			in_random_order, "pages of 4 KiB", "cycles per load" },
		[PROBE_LINE] = { make_line, "Two loads at once, over the distance between them",
			"the second load of a cache line costs little",
			"bytes between the two loads", "cycles per pair" },
		[PROBE_BANDWIDTH] = { make_bandwidth, "Bandwidth of each level, one core",
			"bytes that the code itself reads and writes, of a working set that the "
			"level holds",
			"", "bytes per cycle" },
		[PROBE_PARALLEL] = { make_parallel,
			"Parallel misses: loads from memory, in parallel chains", "",
			"parallel chains", "times as fast as one" },
		[PROBE_CORES] = { make_cores, "Memory bandwidth over the number of reading cores",
			"", "cores", "GB/s, sum of all cores" },
		[PROBE_TRANSFER] = { make_transfer,
			"Core to core: the time of a cache line, one way", "", "processor",
			"processor" },
	};
	struct chart *chart = chart_new(part == PROBE_TRANSFER ? CHART_HEAT : CHART_LINES);
	struct chart_source source = { 0 };

	chart->joined = true;
	chart_print(chart->title, "%s", parts[part].title);
	chart_print(chart->subtitle, "%s", parts[part].subtitle);
	chart_print(chart->x.title, "%s", parts[part].x);
	chart_print(chart->y.title, "%s", parts[part].y);
	chart_print(chart->z.title, "ns");
	parts[part].make(chart, report, &source);
	chart_cite(chart, origin, &source);
	return chart;
}
