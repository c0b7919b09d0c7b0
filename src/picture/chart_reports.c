#include "picture/chart_reports.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "picture/chart_knobs.h"

/* Maximum number of limits on a page: the highest limits, and always the binding limit. */
enum { LIMITS_MOST = 8 };

static struct chart_bar *add_bar(struct chart *chart, enum chart_bar_kind kind, double value)
{
	struct chart_bar *bar = &chart->bar[chart->bar_count++];

	*bar = (struct chart_bar){ .kind = kind, .value = value, .lo = NAN, .hi = NAN };
	return bar;
}

static void add_limit(struct chart *chart, const struct limits *limits, int index)
{
	const struct limit *limit = &limits->limit[index];
	bool binds = index == limits->binding, known = limit->known;
	struct chart_bar *bar = add_bar(chart,
		!known	      ? BAR_UNKNOWN
		: binds	      ? BAR_BINDING
		: limit->hard ? BAR_HARD
			      : BAR_SOFT,
		known ? limit->cpe : NAN);

	chart_print(bar->name, "%s%s", limit_rows[limit->kind].name, limit->hard ? "" : " (soft)");
	chart_print(bar->cause, "%s%s", known ? "" : "unknown: ", limit->cause);
	chart_print(bar->value_words, "%s%s", units_value(limit->cpe).text,
		binds				? " binds"
		: index == limits->predicted_by ? " predicted"
						: "");
}

static void add_rest(struct chart *chart, int count)
{
	struct chart_bar *bar = add_bar(chart, BAR_UNKNOWN, NAN);

	chart_print(bar->name, "%d more", count);
	chart_print(bar->cause, "lower or unknown");
}

static void add_measured(struct chart *chart, const struct sample *sample)
{
	struct chart_bar *bar = add_bar(chart, BAR_MEASURED, sample->cpe);
	const char *doubt = sample->provisional ? NULL : sample_doubt(sample);

	bar->lo = sample->cpe_lo;
	bar->hi = sample->cpe_hi;
	chart_print(bar->name, "measured");
	chart_print(bar->value_words, "%s", units_value(sample->cpe).text);
	chart_print(bar->cause, "quartiles %s to %s%s%s", units_value(sample->cpe_lo).text,
		units_value(sample->cpe_hi).text, doubt ? "; " : "", doubt ? doubt : "");
}

struct chart *chart_limits(const struct explanation *explanation, const struct setting *setting,
	const struct sample *sample, const char *words, const struct chart_origin *origin)
{
	const struct limits *limits = &explanation->limits;
	struct chart *chart = chart_new(CHART_BARS);
	struct chart_source source = { .source = SOURCE_MODEL };
	int shown = limits->limit_count <= LIMITS_MOST ? limits->limit_count : LIMITS_MOST - 1;
	double most = 0;

	for (int i = 0; i < shown; i++)
		add_limit(chart, limits,
			i < shown - 1 || limits->binding < shown ? i : limits->binding);
	if (shown < limits->limit_count)
		add_rest(chart, limits->limit_count - shown);
	if (sample && sample->valid) {
		add_measured(chart, sample);
		chart_note(&source, sample);
	}
	for (int i = 0; i < chart->bar_count; i++) {
		most = fmax(most, isfinite(chart->bar[i].value) ? chart->bar[i].value : 0);
		most = fmax(most, isfinite(chart->bar[i].hi) ? chart->bar[i].hi : 0);
	}
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, most);
	chart_print(chart->x.title, "cycles per %s", setting->kernel->element);
	knob_heading(chart, setting, 0);
	chart_print(chart->title, "%s: what limits it%s%s", setting->kernel->name,
		explanation->foreign ? " on another core, " : "",
		explanation->foreign && limits->uarch ? limits->uarch->title : "");
	chart_print(chart->remark, "%s%s", *words ? "Measured: " : "", words);
	chart_cite(chart, origin, &source);
	chart_print(
		chart->legend, "limits M: from the loop's machine code and a model of the core");
	if (source.source == SOURCE_MODEL)
		chart_print(chart->source, "nothing was measured");
	return chart;
}

/* ---- windows ---- */

/* Smallest number of curves with which x is logarithmic, because sizes of buffers differ by a
 * factor of ten or more.
 */
enum { LOGARITHMIC_FROM = 2 };

static bool has_knee(const struct windows_row *row)
{
	return (row->knee.kind == KNEE_SHARP || row->knee.kind == KNEE_SOFT) &&
	       isfinite(row->knee.x);
}

/* Returns the number of fillers that fills a buffer of the core model; NAN: the buffer's size is
 * unknown. */
static double full_at(const struct windows_row *row)
{
	return row->fact ? buffers_full(row->fact, row->entries) : (double)NAN;
}

static void add_series(
	struct chart *chart, const struct windows_row *row, const char *name, bool logarithmic)
{
	struct chart_series *series = chart_add_series(chart, name);

	for (int i = 0; series && i < row->curve.count; i++) {
		const struct knee_point *from = &row->curve.point[i];
		const struct chart_point point = { from->x, from->y, from->lo, from->hi, NAN, NAN,
			row->contended };

		if (from->x > 0 || !logarithmic)
			chart_add_point(series, &point);
	}
}

/* Marks the number of fillers at which the buffer of the core model is full. Equal marks are added
 * only once.
 */
static bool mark_entries(struct chart *chart, const struct windows_row *row, bool alone)
{
	struct chart_mark mark = { .at = full_at(row), .stated = true };

	if (!(mark.at > 0))
		return false;
	mark.lo = mark.hi = mark.at;
	if (alone)
		chart_print(mark.text, "core model: %.0f entries", row->entries);
	else
		chart_print(mark.text, "%.24s %.0f", row->fact->title, row->entries);
	for (int i = 0; i < chart->mark_count; i++)
		if (strcmp(chart->mark[i].text, mark.text) == 0)
			return true;
	chart_add_mark(chart, &mark);
	return true;
}

static void mark_knee(struct chart *chart, const struct windows_row *row)
{
	struct chart_mark mark = { .at = row->knee.x, .lo = row->knee.lo, .hi = row->knee.hi };

	chart_print(mark.text, "knee: %.31s", buffers_knee(&row->knee, windows_last(row)).text);
	if (!isfinite(mark.lo) || !isfinite(mark.hi))
		mark.lo = mark.hi = mark.at;
	chart_add_mark(chart, &mark);
}

/* Labels the flat part before the rise of the curve, and the flat part after it, with their cycles.
 */
static void add_flats(struct chart *chart, const struct windows_row *row)
{
	const struct knee_curve *curve = &row->curve;
	const struct knee *knee = &row->knee;

	if (isfinite(knee->before) && isfinite(knee->from))
		chart_add_flat(chart, curve->point[0].x, knee->from, knee->before,
			words_of("%.0f cycles", knee->before).text);
	if (isfinite(knee->after) && isfinite(knee->to))
		chart_add_flat(chart, knee->to, curve->point[curve->count - 1].x, knee->after,
			words_of("%.0f cycles", knee->after).text);
}

static bool make_one(
	struct chart *chart, const struct windows_report *report, const struct windows_row *row)
{
	const char *counts = row->fact ? row->fact->counts : "fillers";
	char words[BUFFERS_WORDS];
	bool modelled;

	add_series(chart, row, "", false);
	chart_fit(chart, SCALE_LINEAR, SCALE_LINEAR);
	modelled = mark_entries(chart, row, true);
	/* Extend the x scale to the mark of the core model's buffer. */
	if (modelled && full_at(row) > chart->x.scale.high)
		chart->x.scale.high = full_at(row) * 1.03;
	if (has_knee(row))
		mark_knee(chart, row);
	add_flats(chart, row);
	chart_print(chart->title, "%s: two misses with more and more %.40s between them",
		row->fact ? row->fact->title : row->filler, counts);
	if (chart->title[0] >= 'a' && chart->title[0] <= 'z')
		chart->title[0] = (char)(chart->title[0] - 'a' + 'A');
	chart_print(chart->x.title, "%.60s between the two misses", counts);
	windows_difference(report, row, words);
	chart_print(chart->remark, "%.*s", (int)sizeof(chart->remark) - 1, words);
	return modelled;
}

static bool make_all(struct chart *chart, const struct windows_report *report)
{
	bool modelled = false;

	for (int i = 0; i < report->count; i++) {
		const struct windows_row *row = &report->row[i];

		if (row->curve.count == 0)
			continue;
		add_series(chart, row,
			words_of("%.14s: %.31s", row->filler,
				buffers_knee(&row->knee, windows_last(row)).text)
				.text,
			true);
		modelled |= mark_entries(chart, row, false);
		/* Label the last point before the rise of the curve. */
		if (has_knee(row))
			chart_add_call(chart, chart->series_count - 1, row->knee.x,
				row->knee.before, row->filler);
	}
	chart_fit(chart, SCALE_LOG2, SCALE_LINEAR);
	chart_print(chart->title,
		"How far the core looks ahead: two misses with more and more between them");
	chart_print(chart->x.title, "fillers between the two misses");
	return modelled;
}

struct chart *chart_windows(const struct windows_report *report, const struct windows_row *row,
	const struct chart_origin *origin)
{
	const struct windows_row *first = row;
	struct chart_source source = { 0 };
	struct chart *chart;
	int rows = 0;
	bool modelled;

	for (int i = 0; i < report->count && !row; i++) {
		if (report->row[i].curve.count == 0)
			continue;
		first = rows++ ? first : &report->row[i];
	}
	if (!first || first->curve.count == 0)
		return NULL;
	source.source = first->cycles_from;
	chart = chart_new(CHART_LINES);
	knob_heading(chart, &report->options.setting,
		1u << kernel_knob(report->options.setting.kernel, WINDOWS_FILLERS) |
			1u << kernel_knob(report->options.setting.kernel, WINDOWS_FILLER));
	chart->joined = true;
	modelled =
		rows < LOGARITHMIC_FROM ? make_one(chart, report, first) : make_all(chart, report);
	chart_print(chart->y.title, "cycles per iteration");
	chart_cite(chart, origin, &source);
	if (modelled) {
		size_t used = strlen(chart->legend);

		snprintf(chart->legend + used, sizeof(chart->legend) - used,
			"%sdashed: entries of the core model%s%s", used ? "; " : "",
			report->options.foreign ? ", " : "",
			report->options.foreign ? report->core : "");
	}
	return chart;
}
