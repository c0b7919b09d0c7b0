#include "picture/chart.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "config.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "(not configured)"
#endif

struct chart *chart_new(enum chart_kind kind)
{
	struct chart *chart = memory_new(1, sizeof(*chart));

	chart->kind = kind;
	return chart;
}

void chart_free(struct chart *chart)
{
	if (!chart)
		return;
	for (int i = 0; i < chart->series_count; i++)
		free(chart->series[i].point);
	free(chart->x.name);
	free(chart->y.name);
	free(chart->z.name);
	free(chart->grid);
	free(chart->spread);
	free(chart->doubtful);
	free(chart->span);
	free(chart->link);
	free(chart);
}

void chart_format(char *buffer, size_t size, const char *format, ...)
{
	char words[CHART_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	text_copy_clean(buffer, size, words);
}

/* Copies a text into a buffer of CHART_TEXT bytes, and frees the text. */
static void put_line(char *buffer, struct text *text)
{
	text_copy_clean(buffer, CHART_TEXT, text_string(text));
	text_free(text);
}

struct chart_series *chart_add_series(struct chart *chart, const char *name)
{
	struct chart_series *series = &chart->series[chart->series_count];

	if (chart->series_count == CHART_SERIES)
		return NULL;
	chart->series_count++;
	text_copy_clean(series->name, sizeof(series->name), name);
	return series;
}

void chart_add_point(struct chart_series *series, const struct chart_point *point)
{
	series->point = memory_grow(series->point, (size_t)series->count, sizeof(*series->point));
	series->point[series->count++] = *point;
}

void chart_add_span(struct chart *chart, const struct chart_span *span)
{
	chart->span = memory_grow(chart->span, (size_t)chart->span_count, sizeof(*chart->span));
	chart->span[chart->span_count++] = *span;
}

void chart_add_link(struct chart *chart, const struct chart_link *link)
{
	chart->link = memory_grow(chart->link, (size_t)chart->link_count, sizeof(*chart->link));
	chart->link[chart->link_count++] = *link;
}

void chart_add_flat(struct chart *chart, double from, double to, double y, const char *text)
{
	struct chart_flat *flat = &chart->flat[chart->flat_count];

	if (chart->flat_count == CHART_FLATS)
		return;
	chart->flat_count++;
	*flat = (struct chart_flat){ .from = from, .to = to, .y = y };
	text_copy_clean(flat->text, sizeof(flat->text), text);
}

void chart_add_mark(struct chart *chart, const struct chart_mark *mark)
{
	if (chart->mark_count < CHART_MARKS)
		chart->mark[chart->mark_count++] = *mark;
}

void chart_add_call(struct chart *chart, int series, double x, double y, const char *text)
{
	struct chart_call *call = &chart->call[chart->call_count];

	if (chart->call_count == CHART_CALLS)
		return;
	chart->call_count++;
	*call = (struct chart_call){ .series = series, .x = x, .y = y };
	text_copy_clean(call->text, sizeof(call->text), text);
}

void chart_name_axis(struct chart_axis *axis, const char *const *names, int count)
{
	axis->count = count;
	axis->name = memory_resize(axis->name, (size_t)count, sizeof(*axis->name));
	for (int i = 0; i < count; i++)
		text_copy_clean(axis->name[i], sizeof(axis->name[i]), names[i]);
	axis->scale = scale_fit(SCALE_STEPS, 0, count - 1);
}

void chart_make_grid(struct chart *chart)
{
	size_t cells = (size_t)chart->x.count * (size_t)chart->y.count;

	chart->grid = memory_resize(chart->grid, cells, sizeof(*chart->grid));
	chart->doubtful = memory_resize(chart->doubtful, cells, sizeof(*chart->doubtful));
	chart->spread = memory_resize(chart->spread, cells, sizeof(*chart->spread));
	for (size_t i = 0; i < cells; i++) {
		chart->grid[i] = chart->spread[i] = NAN;
		chart->doubtful[i] = false;
	}
}

static void stretch(double value, bool positive, double *least, double *most)
{
	if (!isfinite(value) || (positive && !(value > 0)))
		return;
	*least = fmin(*least, value);
	*most = fmax(*most, value);
}

void chart_fit(struct chart *chart, enum scale_kind x, enum scale_kind y)
{
	double left = INFINITY, right = -INFINITY, bottom = INFINITY, top = -INFINITY;
	bool log_x = x != SCALE_LINEAR && x != SCALE_STEPS, log_y = y != SCALE_LINEAR;

	for (int i = 0; i < chart->series_count; i++)
		for (int k = 0; k < chart->series[i].count; k++) {
			const struct chart_point *point = &chart->series[i].point[k];

			const double heights[] = { point->y, point->lo, point->hi, point->other,
				point->other_y };

			stretch(point->x, log_x, &left, &right);
			for (size_t h = 0; h < sizeof(heights) / sizeof(heights[0]); h++)
				stretch(heights[h], log_y, &bottom, &top);
		}
	chart->y.scale = scale_fit(y, bottom, top);
	if (x == SCALE_STEPS)
		return;
	chart->x.scale = scale_fit(x, left, right);
	if (x != SCALE_LINEAR || !isfinite(left))
		return;
	/* The scale of the x axis ends near the lowest and highest x of the points, not at round
	 * numbers. */
	chart->x.scale.low = left < right ? left - 0.03 * (right - left) : left - 1;
	chart->x.scale.high = left < right ? right + 0.03 * (right - left) : right + 1;
}

static void call_highest(struct chart *chart)
{
	int best = -1;

	for (int i = 0; i < chart->x.count * chart->y.count; i++)
		if (isfinite(chart->grid[i]) && (best < 0 || chart->grid[i] > chart->grid[best]))
			best = i;
	if (best < 0)
		return;
	chart_add_call(chart, -1, best % chart->x.count, best / chart->x.count,
		words_of(strlen(chart->z.title) < 8 ? "%s %s" : "%s",
			scale_figure(chart->grid[best]).text, chart->z.title)
			.text);
}

void chart_grid_scale(struct chart *chart, double least, double most)
{
	bool heat = chart->kind == CHART_HEAT;

	/* A relief has linear heights. A heat map uses the full colour ramp; if values differ much,
	 * a logarithmic scale shows small values better. */
	if (heat && least > 0 && most > 4 * least)
		chart->z.scale = (struct scale){ SCALE_LOG, least, most, false };
	else if (heat && least < most)
		chart->z.scale = (struct scale){ SCALE_LINEAR, least, most, false };
	else
		chart->z.scale = scale_fit(SCALE_LINEAR, fmin(least, 0), most);
	call_highest(chart);
}

double chart_step(const double *values, int count, double value)
{
	if (count < 1 || !isfinite(value))
		return NAN;
	if (value < values[0])
		return -0.5;
	for (int i = 0; i + 1 < count; i++) {
		if (value > values[i + 1])
			continue;
		if (values[i] > 0)
			return i + log(value / values[i]) / log(values[i + 1] / values[i]);
		return i + (value - values[i]) / (values[i + 1] - values[i]);
	}
	return value > values[count - 1] ? count - 0.5 : count - 1;
}

/* Adds the machine's name without trade mark signs. */
static void add_machine(struct text *line, const struct machine *machine)
{
	static const char *const trade[] = { "(R)", "(TM)", "(r)", "(tm)" };
	bool known = machine && machine->name[0];
	struct words name = words_of("%s", known ? machine->name : "unknown processor");

	for (size_t i = 0; i < sizeof(trade) / sizeof(trade[0]); i++)
		for (char *at; (at = strstr(name.text, trade[i]));)
			memmove(at, at + strlen(trade[i]), strlen(at + strlen(trade[i])) + 1);
	text_add_clean(line, name.text, 90);
}

/* Writes the machine, the time and the program into the text of the page's corner. */
static void sign(struct chart *chart, const struct chart_origin *origin)
{
	const struct machine *machine = origin->machine;
	struct text line = { 0 };
	struct tm parts;
	char when[40] = "";

	add_machine(&line, machine);
	if (origin->core && *origin->core && !(machine && strstr(machine->name, origin->core))) {
		/* The core's name without its list of processors: "Intel Golden Cove (Sapphire
		 * ...". */
		const char *list = strstr(origin->core, " (");

		text_add(&line, ": ");
		text_add_clean(&line, origin->core, list ? (size_t)(list - origin->core) : 60);
	}
	if (machine && machine->cpu >= 0)
		text_addf(&line, ", core %d", machine->cpu);
	if (machine && machine->virtualised)
		text_add(&line, ", virtual");
	put_line(chart->machine, &line);
	if (localtime_r(&origin->now, &parts))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &parts);
	text_addf(
		&line, "%s%s", origin->when ? "recorded " : "", origin->when ? origin->when : when);
	if (machine && machine->host[0]) {
		text_add(&line, ", on ");
		text_add_clean(&line, machine->host, 40);
	}
	text_addf(&line, ", slexplore %s", origin->program ? origin->program : PACKAGE_VERSION);
	put_line(chart->made, &line);
}

void chart_note(struct chart_source *source, const struct sample *sample)
{
	if (!sample->valid)
		return;
	source->least =
		source->most && source->least < sample->trials ? source->least : sample->trials;
	source->most = sample->trials > source->most ? sample->trials : source->most;
	source->source = sample->cycles_from;
}

struct chart_shows chart_series_shows(const struct chart_series *series)
{
	struct chart_shows shows = { 0 };

	for (int i = 0; i < series->count; i++) {
		const struct chart_point *point = &series->point[i];

		shows.quartiles |= isfinite(point->lo) && isfinite(point->hi);
		shows.modes |= isfinite(point->other) && isfinite(point->other_y);
		shows.doubtful |= point->doubtful;
	}
	return shows;
}

bool chart_grid_doubtful(const struct chart *chart)
{
	bool doubtful = false;

	for (int i = 0; i < chart->x.count * chart->y.count; i++)
		doubtful |= chart->doubtful[i] && isfinite(chart->grid[i]);
	return doubtful;
}

/* A value of a grid has no room for its quartiles. The legend says how far they usually are from
 * the value, and at most. */
static void tell_grid(const struct chart *chart, struct text *line)
{
	int cells = chart->x.count * chart->y.count;
	double *known = memory_new((size_t)cells + 1, sizeof(*known));
	unsigned count = 0;

	for (int i = 0; i < cells; i++)
		if (isfinite(chart->spread[i]))
			known[count++] = chart->spread[i];
	if (count) {
		stats_sort(known, count);
		text_addf(line, "quartiles: ±%.2g %% of a value (median), ±%.2g %% at most",
			100 * stats_quantile(known, count, 0.5), 100 * known[count - 1]);
	}
	free(known);
}

/* Adds a legend for the marks of doubtful points (contended, not settled) that occur in the
 * chart. */
static void tell_marks(struct chart *chart)
{
	bool quartiles = false, doubtful = false, modes = false;
	struct text line = { 0 };

	for (int i = 0; i < chart->series_count; i++) {
		struct chart_shows shows = chart_series_shows(&chart->series[i]);

		quartiles |= shows.quartiles;
		doubtful |= shows.doubtful;
		modes |= shows.modes;
	}
	doubtful |= chart->grid && chart_grid_doubtful(chart);
	if (chart->grid)
		tell_grid(chart, &line);
	if (quartiles)
		text_add(&line, chart->joined && chart->series_count <= 6
					? "bands and bars: quartiles"
					: "bars: quartiles");
	if (modes)
		text_addf(&line, "%stwo marks: two modes", line.length ? "; " : "");
	if (doubtful)
		text_addf(&line, "%s%s: contended or not settled", line.length ? "; " : "",
			chart->kind == CHART_RELIEF ? "a hollow dot"
			: chart->grid		    ? "a corner cut off"
						    : "hollow");
	put_line(chart->legend, &line);
}

void chart_cite(
	struct chart *chart, const struct chart_origin *origin, const struct chart_source *source)
{
	const struct machine *machine = origin->machine;
	struct text line = { 0 };

	switch (source->source) {
	case SOURCE_COUNTER: text_add(&line, "C: cycles counted by the processor"); break;
	case SOURCE_REFERENCE:
		text_add(&line, "R: cycles by the reference clock");
		if (machine && machine->clock_name[0]) {
			text_add(&line, ", ");
			text_add_clean(&line, machine->clock_name, 60);
		}
		break;
	case SOURCE_TIME: text_add(&line, "T: wall time"); break;
	case SOURCE_MODEL:
		text_add(&line, "M: computed from the model of the core, not measured");
		break;
	case SOURCE_STEPPED: text_add(&line, "S: single-stepped"); break;
	case SOURCE_NONE: break;
	}
	if (source->most && source->least == source->most)
		text_addf(&line, "; medians of %u trials", source->most);
	else if (source->most)
		text_addf(&line, "; medians of %u to %u trials", source->least, source->most);
	put_line(chart->source, &line);
	tell_marks(chart);
	sign(chart, origin);
}
