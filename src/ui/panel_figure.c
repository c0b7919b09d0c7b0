/* The measured value: cycles per element, its certainty and source, the rates that follow from it,
 * and its ratio to the pinned value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "experiment/setting/cells.h"
#include "model/counts/counts.h"
#include "ui/panels.h"
#include "ui/shapes.h"

/* Lines in the order shown, each with a rank. If there are too few rows, lines with the highest
 * rank are removed. */
enum { LINES_MAX = 24, RATES_WIDE = 30 };

struct line {
	int rank, rows;
	enum style style;
	char text[280];
	bool big;   /* text is the value, drawn in large digits */
	bool strip; /* the course of the latest trials follows the text */
};

struct lines {
	int count;
	struct line line[LINES_MAX];
};

static struct line *add(struct lines *lines, int rank, enum style style)
{
	struct line *line =
		&lines->line[lines->count < LINES_MAX - 1 ? lines->count++ : LINES_MAX - 1];

	*line = (struct line){ .rank = rank, .rows = 1, .style = style };
	return line;
}

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	(void)scene;
	snprintf(buffer, size, "cycles per element");
}

/* Why there is no value: it failed, or is not measured yet. A value of another setting is never
 * shown. */
static void add_absence(
	struct lines *lines, const struct view *view, const struct canvas *canvas, int width)
{
	struct line *line = add(lines, 0, STYLE_DIM);
	char bytes[32], left[40];
	uint64_t footprint;

	if (view->failure[0]) {
		line->style = STYLE_BAD;
		snprintf(line->text, sizeof(line->text), "not measured: %s", view->failure);
	} else if (view->frozen && !view->measuring) {
		snprintf(line->text, sizeof(line->text), "frozen before it was measured");
	} else if (view->probing) {
		snprintf(line->text, sizeof(line->text),
			view->characterising ? "measured after the core"
					     : "measured after the probe");
	} else {
		snprintf(line->text, sizeof(line->text), "measuring…");
		footprint = kernel_footprint(view->setting.kernel, view->setting.v);
		if (panels_ahead(view, line->text, sizeof(line->text), left)) {
			line->rows = canvas_wrap_rows(canvas, width, line->text);
			line = add(lines, 1, STYLE_KEY);
			snprintf(line->text, sizeof(line->text), "%s%sEsc ends it", left,
				*left ? "; " : "");
		} else if (view->waiting > PANELS_PREPARING && footprint > 0) {
			units_bytes_long((int64_t)footprint, bytes, sizeof(bytes));
			snprintf(line->text, sizeof(line->text), "measuring… preparing %s", bytes);
		}
	}
	line->rows = canvas_wrap_rows(canvas, width, line->text);
}

/* "under 1 s", "12 s", "3 min", "2 h". */
static void format_age(double seconds, char *buffer, size_t size)
{
	if (seconds < 1)
		snprintf(buffer, size, "under 1 s");
	else if (seconds < 100)
		snprintf(buffer, size, "%.0f s", floor(seconds));
	else if (seconds < 6000)
		snprintf(buffer, size, "%.0f min", floor(seconds / 60));
	else
		snprintf(buffer, size, "%.0f h", floor(seconds / 3600));
}

/* The last quiet value, which remains visible while the present one is contended. */
static void add_quiet(struct lines *lines, const struct view *view)
{
	char age[32];

	if (!view->sample.contended || !view->quiet.valid)
		return;
	format_age(view->quiet_age, age, sizeof(age));
	snprintf(add(lines, 1, STYLE_GOOD)->text, sizeof(lines->line[0].text), "quiet: %s, %s ago",
		panels_number(view->quiet.cpe).text, age);
}

/* "contended: 12 % of trials quiet", "two modes: 0.750 (62 %), 1.021". */
static void add_doubts(
	struct lines *lines, const struct sample *sample, const struct canvas *canvas, int width)
{
	char low[24], high[24];
	struct line *line;

	if (sample->contended) {
		line = add(lines, 1, STYLE_WARN);
		snprintf(line->text, sizeof(line->text), "contended: the core was shared");
		if (isfinite(sample->quiet))
			snprintf(line->text, sizeof(line->text),
				"contended: %.0f %% of trials quiet", 100 * sample->quiet);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "contended");
	}
	if (sample->unsettled) {
		line = add(lines, 1, STYLE_WARN);
		snprintf(line->text, sizeof(line->text), "not settled: it still drifts");
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "not settled");
	}
	if (sample->places > 1) {
		units_figure(sample->place_lo, low, sizeof(low));
		units_figure(sample->place_hi, high, sizeof(high));
		line = add(lines, 7, STYLE_TEXT);
		snprintf(line->text, sizeof(line->text), "%u placements %s ... %s", sample->places,
			low, high);
	}
	if (sample->provisional) {
		line = add(lines, 1, STYLE_WARN);
		snprintf(line->text, sizeof(line->text), "provisional: few trials yet");
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "provisional");
	}
	if (sample->modes == 2) {
		units_figure(sample->mode_low, low, sizeof(low));
		units_figure(sample->mode_high, high, sizeof(high));
		line = add(lines, 1, STYLE_WARN);
		snprintf(line->text, sizeof(line->text), "two modes: %s (%.0f %%), %s", low,
			100 * sample->mode_share_low, high);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "modes %s, %s", low, high);
	}
}

/* The fewest trials that show a course. */
enum { COURSE_LEAST = 8 };

/* "last 1.9 s ▁▁▁▅▅▅▁": shows a value that changes between modes, or drifts. */
static void add_course(struct lines *lines, const struct view *view)
{
	struct line *line;

	if ((view->sample.modes != 2 && !view->sample.unsettled) ||
		view->strip_count < COURSE_LEAST)
		return;
	line = add(lines, 3, STYLE_WARN);
	line->strip = true;
	if (view->strip_span >= 0.05 && !view->replay)
		snprintf(line->text, sizeof(line->text), "last %.1f s ", view->strip_span);
	else
		snprintf(line->text, sizeof(line->text), "trials ");
}

/* How many trials were used, and how many were not. */
static void add_trials(struct lines *lines, const struct sample *sample,
	const struct view_counters *counters, const struct canvas *canvas, int width)
{
	struct line *line = add(lines, 4, STYLE_TEXT);
	const char *quiet = isfinite(sample->quiet) ? "quiet " : "",
		   *trials = sample->trials == 1 ? "trial" : "trials";

	if (sample->mixed) {
		line->rank = 5; /* the line above already says contended */
		snprintf(line->text, sizeof(line->text), "%u %s used, contended ones too",
			sample->trials, trials);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "%u %s, contended ones too",
				sample->trials, trials);
	} else {
		snprintf(line->text, sizeof(line->text), "%u %s%s used, %u not", sample->trials,
			quiet, trials, sample->dropped);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "%u %sused, %u not",
				sample->trials, quiet, sample->dropped);
	}
	line = add(lines, 2, STYLE_TEXT);
	snprintf(line->text, sizeof(line->text), "%s", panels_source(sample->cycles_from));
	if (counters->check > 0 && counts_clocks_differ(counters->check)) {
		line->style = STYLE_WARN;
		snprintf(line->text, sizeof(line->text), "%s; R says %.2f of it",
			panels_source(sample->cycles_from), counters->check);
	}
	if (counters->ipc > 0) {
		snprintf(add(lines, 9, STYLE_TEXT)->text, sizeof(line->text),
			"%s instructions a cycle C", panels_number(counters->ipc).text);
	}
	/* A contended value has the share of quiet trials in the same line. */
	if (sample->contended && isfinite(sample->quiet))
		return;
	line = add(lines, 10, STYLE_TEXT);
	if (isfinite(sample->quiet))
		snprintf(line->text, sizeof(line->text), "%.0f %% of trials quiet",
			100 * sample->quiet);
	else
		snprintf(line->text, sizeof(line->text), "contention is not detected");
}

/* Instructions per element, and what memory delivers. */
static void add_pace(
	struct lines *lines, const struct view *view, const struct canvas *canvas, int width)
{
	const struct sample_ratios *sample_ratios = &view->sample_ratios;
	char each[24], cpi[24], words[100];
	struct line *line;

	if (sample_ratios->instructions > 0 && !view->foreign) {
		units_figure(sample_ratios->instructions, each, sizeof(each));
		units_figure(sample_ratios->cpi, cpi, sizeof(cpi));
		/* For walks that wait for their loads, it is half of the explanation. */
		line = add(
			lines, view->explanation && view->explanation->waits ? 7 : 11, STYLE_TEXT);
		snprintf(line->text, sizeof(line->text), "%s instructions %s, CPI %s", each,
			sample_ratios_source(sample_ratios->instructions_from), cpi);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "%s instructions %c, CPI %s", each,
				(char)sample_ratios->instructions_from, cpi);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, sizeof(line->text), "%s instr %c, CPI %s", each,
				(char)sample_ratios->instructions_from, cpi);
	}
	sample_ratios_traffic_words(sample_ratios, true, words, sizeof(words));
	if (*words) {
		line = add(lines, 6, STYLE_TEXT);
		snprintf(line->text, sizeof(line->text), "%c %s", (char)sample_ratios->lines_from,
			words);
		line->rows = canvas_wrap_rows(canvas, width, line->text);
	}
}

/* The quartiles of the trials; a few trials have none. */
static void add_spread(struct lines *lines, const struct sample *sample)
{
	struct line *line = add(lines, 2, STYLE_TEXT);

	if (sample->trials < PANELS_QUARTILES_FROM) {
		snprintf(line->text, sizeof(line->text), "no quartiles from %u trial%s",
			sample->trials, sample->trials == 1 ? "" : "s");
		return;
	}
	snprintf(line->text, sizeof(line->text), "quartiles %s … %s",
		panels_number(sample->cpe_lo).text, panels_number(sample->cpe_hi).text);
}

/* One rate: "  0.183 ns   T". Empty if there is none: the code moves no bytes, or its data decide
 * how many. */
static void rate(
	char *buffer, size_t size, double value, const char *unit, int unit_width, char source)
{

	*buffer = '\0';
	if (!isfinite(value))
		return;
	snprintf(buffer, size, "%6s %-*s %c", panels_number(value).text, unit_width, unit, source);
}

/* Two rates side by side or on two lines. */
static void add_pair(
	struct lines *lines, int rank, const char *first, const char *second, bool wide)
{
	struct line *line;

	if (*first) {
		line = add(lines, rank, STYLE_TEXT);
		snprintf(line->text, sizeof(line->text), "%s%s%s", first,
			wide && *second ? "  " : "", wide ? second : "");
	}
	if (*second && (!wide || !*first))
		snprintf(add(lines, rank + 1, STYLE_TEXT)->text, sizeof(line->text), "%s", second);
}

/* Times are wall time; values per cycle have the source of the cycles. */
static void add_rates(struct lines *lines, const struct sample *sample, int width)
{
	char cycles = sample->cycles_from ? (char)sample->cycles_from : ' ';
	char ns[48], ghz[48], gbps[48], per_cycle[48];
	bool wide = width >= RATES_WIDE;

	rate(ns, sizeof(ns), sample->ns, "ns", wide ? 3 : 7, 'T');
	rate(ghz, sizeof(ghz), sample->ghz, "GHz", wide ? 3 : 7, cycles);
	rate(gbps, sizeof(gbps), sample->gbps, "GB/s", 7, 'T');
	rate(per_cycle, sizeof(per_cycle), sample->bytes_per_cycle, "B/cycle", 7, cycles);
	add_pair(lines, 5, ns, gbps, wide);
	add_pair(lines, 8, ghz, per_cycle, wide);
}

static void add_words(struct lines *lines, int rank, enum style style, const char *words,
	const struct canvas *canvas, int width)
{
	struct line *line;

	if (!*words)
		return;
	line = add(lines, rank, style);
	snprintf(line->text, sizeof(line->text), "%s", words);
	line->rows = canvas_wrap_rows(canvas, width, line->text);
}

/* The place of the run: traffic of other threads belongs to the rates, and pages other than
 * requested are a doubt. */
static void add_place(
	struct lines *lines, const struct view *view, const struct canvas *canvas, int width)
{
	const struct placed placed = placed_words(&view->facts, &view->sample);

	add_words(lines, 4, STYLE_TEXT, placed.others, canvas, width);
	add_words(lines, 4, STYLE_WARN, placed.pages, canvas, width);
	add_words(lines, view->facts.node_note[0] ? 4 : 9,
		view->facts.node_note[0] ? STYLE_WARN : STYLE_TEXT, placed.node, canvas, width);
}

/* The binding limit, the gap, and the key that helps: "limit 3.000 M latency, at it". */
static void add_limit(
	struct lines *lines, const struct scene *scene, const struct canvas *canvas, int width)
{
	const struct view *view = scene->view;
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;
	struct line *line;
	char bound[24], gap[64] = "";
	size_t size = sizeof(line->text);

	if (!limits) {
		if (view->limits_note[0]) {
			line = add(lines, 9, STYLE_DIM);
			snprintf(line->text, size, "%.*s", (int)strcspn(view->limits_note, ";."),
				view->limits_note);
			panels_cut(canvas, width, 2, line->text, size);
			line->rows = canvas_wrap_rows(canvas, width, line->text);
		}
		return;
	}
	line = add(lines, 2, view->gap.kind == GAP_BELOW ? STYLE_BAD : STYLE_TEXT);
	if (limits->binding < 0) {
		snprintf(line->text, size, "no hard limit is known");
	} else {
		const char *name = limit_rows[limits->limit[limits->binding].kind].name;

		units_figure(limits->bound, bound, sizeof(bound));
		if (view->foreign || view->nearest)
			snprintf(gap, sizeof(gap), " on %s%s", view->core->name,
				view->nearest ? ", assumed" : "");
		else if (view->gap.brief[0])
			snprintf(gap, sizeof(gap), ", %.40s", view->gap.brief);
		snprintf(line->text, size, "limit %s M %s%s", bound, name, gap);
		panels_cut(canvas, width, 2, line->text, size);
		line->rows = canvas_wrap_rows(canvas, width, line->text);
	}
	if (panels_shown(scene, "ladder"))
		return;
	if (view->advice.kind == ADVICE_KNOB) {
		units_figure(view->advice.to, bound, sizeof(bound));
		line = add(lines, 5, STYLE_KEY);
		snprintf(line->text, size, "r %s: %s predicted", view->advice.brief, bound);
		if (canvas_columns(canvas, line->text) > width)
			snprintf(line->text, size, "r %s: %s M", view->advice.brief, bound);
	} else if (limits->predicted_by >= 0 && limits->predicted_by != limits->binding) {
		units_figure(limits->predicted, bound, sizeof(bound));
		line = add(lines, 7, STYLE_TEXT);
		snprintf(line->text, size, "predicted %s M %s", bound,
			limit_rows[limits->limit[limits->predicted_by].kind].name);
	}
}

/* Whether two values do not differ significantly: their quartiles overlap, or they are equal within
 * the noise. */
static bool same_within_spread(const struct sample *a, const struct sample *b, double ratio)
{
	return fabs(ratio - 1) < 0.005 || (a->cpe_lo <= b->cpe_hi && b->cpe_lo <= a->cpe_hi);
}

static const char *doubt_of(const struct sample *sample)
{
	return sample_doubt(sample);
}

static void add_ratio(
	struct lines *lines, const struct view *view, const struct canvas *canvas, int width)
{
	const struct sample *a = &view->a, *b = &view->sample;
	const char *a_doubt = doubt_of(a), *b_doubt = doubt_of(b);
	struct line *line = add(lines, 3, STYLE_B);
	char words[64];
	size_t used;

	if (!isfinite(view->ratio) || view->ratio <= 0) {
		snprintf(line->text, sizeof(line->text), "B/A  -  B is not measured yet");
		return;
	}
	if (same_within_spread(a, b, view->ratio))
		snprintf(words, sizeof(words), "the same within the spread");
	else if (view->ratio < 1)
		snprintf(words, sizeof(words), "B is %.2f× faster", 1 / view->ratio);
	else
		snprintf(words, sizeof(words), "B is %.2f× slower", view->ratio);
	used = (size_t)snprintf(line->text, sizeof(line->text), "B/A  %s  %s",
		panels_number(view->ratio).text, words);
	if (a_doubt || b_doubt) {
		line->style = STYLE_WARN;
		if (a_doubt && b_doubt && strcmp(a_doubt, b_doubt) == 0)
			snprintf(
				line->text + used, sizeof(line->text) - used, ", both %s", a_doubt);
		else
			snprintf(line->text + used, sizeof(line->text) - used, "%s%s%s%s",
				a_doubt ? ", A " : "", a_doubt ? a_doubt : "",
				b_doubt ? ", B " : "", b_doubt ? b_doubt : "");
	}
	line->rows = canvas_wrap_rows(canvas, width, line->text);
}

static void add_pinned(
	struct lines *lines, const struct view *view, const struct canvas *canvas, int width)
{
	char words[200];
	struct line *line;
	size_t used;

	if (!view->pinned)
		return;
	panels_setting(&view->a_setting, &view->setting, words, sizeof(words));
	line = add(lines, 3, STYLE_A);
	snprintf(line->text, sizeof(line->text), "A    %s  %s", panels_number(view->a.cpe).text,
		words[0] ? words : "this setting");
	used = strlen(line->text);
	if (view->a_limit != LIMIT_COUNT) {
		snprintf(line->text + used, sizeof(line->text) - used, ", limit: %s",
			limit_rows[view->a_limit].name);
		if (canvas_columns(canvas, line->text) > width)
			line->text[used] = '\0';
	}
	panels_cut(canvas, width, 1, line->text, sizeof(line->text));
	add_ratio(lines, view, canvas, width);
}

static int total(const struct lines *lines)
{
	int rows = 0;

	for (int i = 0; i < lines->count; i++)
		rows += lines->line[i].rows;
	return rows;
}

/* Removes lines of the highest rank until the rest fits. */
static void shorten(struct lines *lines, int height)
{
	while (lines->count > 1 && total(lines) > height) {
		int worst = 0;

		for (int i = 1; i < lines->count; i++)
			if (lines->line[i].rank >= lines->line[worst].rank)
				worst = i;
		if (lines->line[0].big && lines->line[0].rows > 1 && lines->line[worst].rank <= 4) {
			/* Important lines have priority over large digits. */
			lines->line[0].rows = 1;
			continue;
		}
		memmove(&lines->line[worst], &lines->line[worst + 1],
			(size_t)(lines->count - worst - 1) * sizeof(lines->line[0]));
		lines->count--;
	}
}

/* The value, and next to it the unit. */
static void draw_figure(struct canvas *canvas, struct rectangle at, int y, const struct line *line,
	const struct view *view)
{
	const char *element = view->setting.kernel->element;
	int x = digits_width(line->text) + 2;
	struct rectangle beside = { at.x + x, at.y + y, at.width - x, line->rows };

	if (line->rows == 1) {
		x = canvas_text(canvas, at, 0, y, line->style, line->text) + 1;
		canvas_textf(canvas, at, x, y, STYLE_DIM, "cycles per %s", element);
		return;
	}
	digits_draw(canvas, at, 0, y, line->style, line->text);
	if (beside.width >= 10 && canvas_wrap_rows(canvas, beside.width, element) < line->rows) {
		canvas_text(canvas, beside, 0, 0, STYLE_DIM, "per");
		canvas_wrap(canvas, beside, 1, STYLE_DIM, element);
	}
}

/* The median CPE of the trials in one column. Disturbed trials are used only if there are no
 * others. NAN: none. */
static double column_median(const struct view *view, int from, int to)
{
	double cpe[VIEW_STRIP];
	size_t count = 0;

	for (int pass = 0; pass < 2 && count == 0; pass++)
		for (int i = from; i < to; i++)
			if ((pass || view->strip[i].fate == TRIAL_QUIET) &&
				isfinite(view->strip[i].cpe))
				cpe[count++] = view->strip[i].cpe;
	return stats_median(cpe, count);
}

/* A bar for each column of trials, scaled from the lowest median to the highest. */
static void draw_course(
	struct canvas *canvas, struct rectangle at, int x, int y, const struct view *view)
{
	double column[VIEW_STRIP], low = INFINITY, high = -INFINITY;
	int columns = at.width - x < view->strip_count ? at.width - x : view->strip_count;

	for (int i = 0; i < columns; i++) {
		column[i] = column_median(view, i * view->strip_count / columns,
			(i + 1) * view->strip_count / columns);
		low = fmin(low, column[i]);
		high = fmax(high, column[i]);
	}
	for (int i = 0; i < columns; i++)
		if (isfinite(column[i]))
			canvas_glyph(canvas, at, x + i, y, STYLE_WARN,
				(enum glyph)(
					GLYPH_BAR1 +
					(high > low ? lround(7 * (column[i] - low) / (high - low))
						    : 0)));
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct sample *sample = &view->sample;
	struct lines lines = { 0 };
	int y = 0;

	if (!sample->valid) {
		add_absence(&lines, view, canvas, at.width);
		add_limit(&lines, scene, canvas, at.width);
	} else {
		struct line *figure = add(&lines, 0, doubt_of(sample) ? STYLE_WARN : STYLE_FIGURE);

		units_figure(sample->cpe, figure->text, sizeof(figure->text));
		figure->big = true;
		if (digits_width(figure->text) > 0 && digits_width(figure->text) <= at.width)
			figure->rows = DIGITS_HEIGHT;
		add_spread(&lines, sample);
		add_doubts(&lines, sample, canvas, at.width);
		add_course(&lines, view);
		add_quiet(&lines, view);
		add_limit(&lines, scene, canvas, at.width);
		add_trials(&lines, sample, &view->counters, canvas, at.width);
		add_pace(&lines, view, canvas, at.width);
		add_rates(&lines, sample, at.width);
		add_place(&lines, view, canvas, at.width);
	}
	add_pinned(&lines, view, canvas, at.width);
	shorten(&lines, at.height);
	for (int i = 0; i < lines.count; i++) {
		const struct line *line = &lines.line[i];
		/* Blank rows between value, rates and comparison, if there are rows left. */
		if (i > 0 && at.height - y > total(&lines) && line->style == STYLE_A)
			y++;
		if (line->big)
			draw_figure(canvas, at, y, line, view);
		else if (line->strip)
			draw_course(canvas, at,
				canvas_text(canvas, at, 0, y, STYLE_DIM, line->text), y, view);
		else
			canvas_wrap(canvas,
				(struct rectangle){ at.x, at.y, at.width,
					y + line->rows < at.height ? y + line->rows : at.height },
				y, line->style, line->text);
		y += line->rows;
	}
}

const struct panel panel_figure = {
	.name = "figure",
	.title_of = title_of,
	.draw = draw,
};
