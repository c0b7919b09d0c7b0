/* Charts of machines from their records. See shown.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/shown.h"

/* Largest number of named steps on an axis. */
enum { STEPS = 40 };

static struct chart *begin(const char *title, const char *x, const char *y)
{
	struct chart *chart = chart_new(CHART_LINES);

	chart->joined = true;
	chart_print(chart->title, "%s", title);
	chart_print(chart->x.title, "%s", x);
	chart_print(chart->y.title, "%s", y);
	return chart;
}

/* Returns the chart, or frees it and returns NULL if it has no points. */
static struct chart *finish(struct chart *chart, enum scale_kind x, enum scale_kind y)
{
	int points = 0;

	for (int i = 0; i < chart->series_count; i++)
		points += chart->series[i].count;
	if (!points) {
		chart_free(chart);
		return NULL;
	}
	chart_fit(chart, x, y);
	return chart;
}

/* Adds a point with quartiles. The points of a series come in ascending order of x. A point that is
 * not to the right of the last one is a repetition, and is omitted. */
static void add_point(
	struct chart_series *series, double x, double y, double lo, double hi, bool doubtful)
{
	const struct chart_point point = { x, y, lo, hi, NAN, NAN, doubtful };

	if (!(y > 0) || !(x >= 0) || (series->count && x <= series->point[series->count - 1].x))
		return;
	chart_add_point(series, &point);
}

/* ---- Curves of a probe */

struct curve {
	const char *part;  /* part of the probe */
	const char *pages; /* requested pages; NULL: any */
	bool in_ns;   /* true: the unit is nanoseconds, because cycles of machines with different
			 clocks differ */
	double per_x; /* number by which the x of a sample is divided */
};

static void add_curve(const struct shown *shown, int index, const struct curve *curve,
	struct chart_series *series)
{
	const struct json_t *sample;
	size_t at = 0;

	while (series && (sample = shown_next(shown, index, "sample", &at))) {
		double cpe = kept_number(sample, "cpe"),
		       unit = curve->in_ns ? kept_number(sample, "ns") / cpe : 1;

		if (strcmp(kept_word(sample, "part").text, curve->part) != 0 ||
			(curve->pages &&
				strcmp(kept_word(kept_object(sample, "knobs"), "pages").text,
					curve->pages) != 0))
			continue;
		add_point(series, kept_number(sample, "x") / curve->per_x, cpe * unit,
			kept_number(sample, "cpe_lo") * unit, kept_number(sample, "cpe_hi") * unit,
			kept_flag(sample, "contended"));
	}
}

/* Returns the requested pages of a machine's best latency curve: huge pages, if they were measured.
 * NULL: no latency curve was measured. */
static const char *best_pages(const struct shown *shown, int index)
{
	static const char *const order[] = { "huge", "4k", "auto" };
	const struct json_t *sample;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		for (size_t at = 0; (sample = shown_next(shown, index, "sample", &at));)
			if (strcmp(kept_word(sample, "part").text, "latency") == 0 &&
				strcmp(kept_word(kept_object(sample, "knobs"), "pages").text,
					order[i]) == 0)
				return order[i];
	return NULL;
}

static void add_page_curves(const struct shown *shown, struct curve *curve, struct chart *chart)
{
	static const char *const pages[] = { "huge", "4k", "auto" }, *const words[] = {
		"huge pages", "4 KiB pages", "default pages"
	};

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++) {
		struct chart_series *series = chart_add_series(chart, words[i]);

		curve->pages = pages[i];
		add_curve(shown, 0, curve, series);
		if (series && !series->count)
			chart->series_count--;
	}
}

static void add_machine_curves(const struct shown *shown, struct curve *curve, struct chart *chart)
{
	for (int i = 0; i < shown->count; i++) {
		curve->pages = best_pages(shown, i);
		add_curve(shown, i, curve, chart_add_series(chart, shown_name(shown, i)));
	}
}

/* Marks the sizes of caches (or the pages of TLBs) on the x axis of one machine's curve. */
static void mark_levels(const struct shown *shown, struct chart *chart, bool tlb)
{
	const struct json_t *level;

	for (size_t at = 0; (level = shown_next(shown, 0, "level", &at));) {
		double per = tlb ? 4096 : 1, bytes = kept_number(level, "bytes"),
		       lo = kept_number(level, "bytes_lo"), hi = kept_number(level, "bytes_hi"),
		       entries = kept_number(level, "entries");
		bool unstable = kept_flag(level, "unstable");
		struct words words;
		struct chart_mark mark = { .at = bytes / per,
			.lo = (unstable && isfinite(lo) ? lo : bytes) / per,
			.hi = (unstable && isfinite(hi) ? hi : bytes) / per };

		if (!(bytes > 0) || (strcmp(kept_word(level, "kind").text, "tlb") == 0) != tlb)
			continue;
		if (tlb)
			words = words_of("%s %s%.0f", kept_word(level, "name").text,
				unstable ? "about " : "", entries);
		else
			words = words_of("%s %s%s", kept_word(level, "name").text,
				unstable ? "about " : "", units_size_long((int64_t)bytes).text);
		chart_print(mark.text, "%.47s", words.text);
		chart_add_mark(chart, &mark);
	}
}

/* Labels the flat parts of one machine's latency curve with the levels' latencies. */
static void label_levels(const struct shown *shown, struct chart *chart)
{
	const struct json_t *level;
	double from =
		chart->series_count && chart->series[0].count ? chart->series[0].point[0].x : 0;

	for (size_t at = 0; (level = shown_next(shown, 0, "level", &at));) {
		bool memory = strcmp(kept_word(level, "kind").text, "memory") == 0;
		double bytes = kept_number(level, "bytes"), cycles = kept_number(level, "cycles");
		const struct chart_series *series = &chart->series[0];
		double to = memory ? series->point[series->count - 1].x : bytes;

		if (strcmp(kept_word(level, "kind").text, "tlb") == 0 || !(cycles > 0) ||
			!(to > from))
			continue;
		chart_add_flat(chart, from, to, cycles,
			words_of("%s: %s %s", kept_word(level, "name").text,
				scale_figure(memory ? kept_number(level, "ns") : cycles).text,
				memory ? "ns" : "cycles")
				.text);
		from = to;
	}
}

struct chart *shown_latency(const struct shown *shown)
{
	bool one = shown->count == 1;
	struct curve curve = { "latency", NULL, !one, 1 };
	struct chart *chart = begin(one ? "Load latency over the size of the working set"
					: "Load latency of each machine",
		"working set", one ? "cycles per load" : "ns per load");

	if (one)
		add_page_curves(shown, &curve, chart);
	else
		add_machine_curves(shown, &curve, chart);
	chart = finish(chart, SCALE_BYTES, SCALE_LOG);
	if (one && chart) {
		mark_levels(shown, chart, false);
		label_levels(shown, chart);
	}
	return chart;
}

struct chart *shown_tlb(const struct shown *shown)
{
	bool one = shown->count == 1;
	struct curve curve = { "tlb", NULL, !one, 4096 };
	struct chart *chart = begin("Load latency over pages, one cache line of each",
		"pages of 4 KiB", one ? "cycles per load" : "ns per load");

	if (one)
		add_page_curves(shown, &curve, chart);
	else
		add_machine_curves(shown, &curve, chart);
	chart = finish(chart, SCALE_LOG2, SCALE_LOG);
	if (one && chart)
		mark_levels(shown, chart, true);
	return chart;
}

struct chart *shown_parallel(const struct shown *shown)
{
	struct curve curve = { "parallel", NULL, true, 1 };
	struct chart *chart = begin("Parallel misses: loads from memory in several chains at once",
		"parallel chains", "ns per load");

	for (int i = 0; i < shown->count; i++)
		add_curve(shown, i, &curve,
			chart_add_series(chart, shown->count == 1 ? "" : shown_name(shown, i)));
	return finish(chart, SCALE_LOG2, SCALE_LOG);
}

/* ---- Charts with named steps */

/* The names of the steps of an axis, in the order of their first record. */
struct steps {
	int count;
	struct words name[STEPS];
};

static int step_of(struct steps *steps, const char *name)
{
	for (int i = 0; i < steps->count; i++)
		if (strcmp(steps->name[i].text, name) == 0)
			return i;
	if (steps->count == STEPS)
		return -1;
	steps->name[steps->count] = words_of("%.40s", name);
	return steps->count++;
}

static void name_steps(struct chart *chart, const struct steps *steps)
{
	const char *names[STEPS];

	for (int i = 0; i < steps->count; i++)
		names[i] = steps->name[i].text;
	chart_name_axis(&chart->x, names, steps->count);
}

/* Adds a series with one value for each step; NAN: no value. */
static void add_steps(struct chart *chart, const char *name, const double *value, const double *lo,
	const double *hi, int count)
{
	struct chart_series *series = chart_add_series(chart, name);

	for (int i = 0; series && i < count; i++)
		add_point(series, i, value[i], lo ? lo[i] : NAN, hi ? hi[i] : NAN, false);
}

/* Adds the levels of all machines, from the core to memory. One machine may lack a level. */
static void add_levels(const struct shown *shown, struct steps *steps)
{
	static const char *const levels[] = { "L1d", "L2", "L3", "L4", "memory" };

	for (size_t k = 0; k < sizeof(levels) / sizeof(*levels); k++)
		for (int i = 0; i < shown->count; i++) {
			const struct json_t *band;

			for (size_t at = 0; (band = shown_next(shown, i, "band", &at));)
				if (strcmp(kept_word(band, "level").text, levels[k]) == 0)
					step_of(steps, levels[k]);
		}
}

struct chart *shown_bandwidth(const struct shown *shown)
{
	static const char *const ops[] = { "read", "write", "copy" };
	bool one = shown->count == 1;
	struct chart *chart = begin(one ? "Bandwidth of each level, one core"
					: "Read bandwidth of each level, one core",
		"", one ? "bytes per cycle" : "GB/s");
	int series = one ? 3 : shown->count;
	struct steps steps = { 0 };
	double(*value)[STEPS] = memory_new((size_t)series + 1, sizeof(*value));

	for (int i = 0; i < series; i++)
		for (int k = 0; k < STEPS; k++)
			value[i][k] = NAN;
	add_levels(shown, &steps);
	for (int i = 0; i < series; i++) {
		const struct json_t *band;

		for (size_t at = 0; (band = shown_next(shown, one ? 0 : i, "band", &at));) {
			int step = step_of(&steps, kept_word(band, "level").text);

			if (step >= 0 && strcmp(kept_word(band, "op").text, ops[one ? i : 0]) == 0)
				value[i][step] =
					kept_number(band, one ? "bytes_per_cycle" : "gbps");
		}
	}
	name_steps(chart, &steps);
	for (int i = 0; i < series; i++)
		add_steps(chart, one ? ops[i] : shown_name(shown, i), value[i], NULL, NULL,
			steps.count);
	for (int i = 0; i < chart->series_count && series <= 3; i++)
		for (int k = 0; k < steps.count; k++)
			if (isfinite(value[i][k]))
				chart_add_call(
					chart, i, k, value[i][k], scale_figure(value[i][k]).text);
	free(value);
	return finish(chart, SCALE_STEPS, SCALE_LOG);
}

/* Adds the knee of each filler of a machine: the number of instructions between two misses at which
 * a buffer is full. */
static void add_knees(
	const struct shown *shown, int index, struct steps *steps, struct chart *chart)
{
	double knee[STEPS], lo[STEPS], hi[STEPS];
	const struct json_t *window;

	for (int i = 0; i < STEPS; i++)
		knee[i] = lo[i] = hi[i] = NAN;
	for (size_t at = 0; (window = shown_next(shown, index, "window", &at));) {
		int step = step_of(steps, kept_word(window, "filler").text);

		if (step < 0)
			continue;
		knee[step] = kept_number(window, "knee");
		lo[step] = kept_number(window, "knee_lo");
		hi[step] = kept_number(window, "knee_hi");
	}
	add_steps(chart, shown_name(shown, index), knee, lo, hi, steps->count);
}

/* Largest number of curves that can be distinguished in a chart. */
enum { CURVES_MOST = 6 };

/* Whether an earlier filler of the same machine fills the same buffer. */
static bool is_again(const struct shown *shown, const struct json_t *window)
{
	struct kept_word buffer = kept_word(window, "buffer");
	const struct json_t *before;

	for (size_t at = 0; (before = shown_next(shown, 0, "window", &at)) && before != window;)
		if (kept_number(before, "knee") > 0 &&
			strcmp(kept_word(before, "buffer").text, buffer.text) == 0)
			return true;
	return false;
}

/* Adds, for each buffer, the curve of the first filler that fills it. */
static void add_window_curves(const struct shown *shown, struct chart *chart)
{
	const struct json_t *window, *point;

	for (size_t at = 0; (window = shown_next(shown, 0, "window", &at));) {
		struct kept_word filler = kept_word(window, "filler");
		double knee = kept_number(window, "knee");
		struct chart_series *series;

		if (!(knee > 0) || is_again(shown, window) || chart->series_count == CURVES_MOST)
			continue;
		series = chart_add_series(chart, words_of("%.20s: %.0f", filler.text, knee).text);
		for (size_t next = 0; series && (point = shown_next(shown, 0, "point", &next));)
			if (strcmp(kept_word(point, "filler").text, filler.text) == 0 &&
				kept_number(point, "fillers") > 0)
				add_point(series, kept_number(point, "fillers"),
					kept_number(point, "cycles"),
					kept_number(point, "cycles_lo"),
					kept_number(point, "cycles_hi"), false);
		if (series && !series->count)
			chart->series_count--;
	}
}

struct chart *shown_windows(const struct shown *shown)
{
	struct steps steps = { 0 };
	struct chart *chart;

	if (shown->count == 1) {
		chart = begin("How far the core looks ahead",
			"instructions between two cache misses", "cycles per iteration");
		add_window_curves(shown, chart);
		return finish(chart, SCALE_LOG2, SCALE_LINEAR);
	}
	chart = begin("Instructions between two cache misses that fill each buffer", "filler",
		"instructions");
	chart->joined = false;
	for (int i = 0; i < shown->count; i++)
		add_knees(shown, i, &steps, chart);
	name_steps(chart, &steps);
	return finish(chart, SCALE_STEPS, SCALE_LOG);
}

struct chart *shown_knees(const struct shown *shown)
{
	struct chart *chart = chart_new(CHART_BARS);
	const struct json_t *window;
	double most = 0;

	for (size_t at = 0; (window = shown_next(shown, 0, "window", &at));) {
		struct chart_bar *bar = &chart->bar[chart->bar_count];
		double knee = kept_number(window, "knee"), model = kept_number(window, "entries");

		if (!(knee > 0) || chart->bar_count == CHART_BAR_COUNT)
			continue;
		*bar = (struct chart_bar){ .kind = BAR_MEASURED,
			.value = knee,
			.lo = kept_number(window, "knee_lo"),
			.hi = kept_number(window, "knee_hi") };
		chart_print(bar->name, "%.40s", kept_word(window, "filler").text);
		chart_print(bar->value_words, "%.0f", knee);
		if (model > 0)
			chart_print(bar->value_words, "%.0f (model %.0f)", knee, model);
		most = fmax(most, knee);
		chart->bar_count++;
	}
	chart_print(chart->title, "The buffers that fillers fill");
	chart_print(chart->x.title, "fillers at the knee");
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, most);
	if (!chart->bar_count) {
		chart_free(chart);
		return NULL;
	}
	return chart;
}
