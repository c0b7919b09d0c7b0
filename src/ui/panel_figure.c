/* Shows the measured value: cycles per element, certainty, source, rates computed from the cycles,
 * and the ratio to the pinned value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "experiment/setting/cells.h"
#include "lesson/lesson.h"
#include "model/counts/counts.h"
#include "ui/panels.h"
#include "ui/shapes.h"

/* The smallest width in columns at which two rates share a line. */
enum { RATES_WIDE = 30 };

/* Tags that mark the lines of this panel that are not plain text (the large digits, and the small
 * bars of the latest trials), or that have other words if they are cut. */
enum { TAG_NONE, TAG_DIGITS, TAG_COURSE, TAG_DISCARDED, TAG_RATIO };

/* Returns the largest usual height of large digits, at most `rows`, at which the number fits in
 * `width` columns; 0: the number does not fit. */
static int digits_step(const char *figure, int width, int rows)
{
	static const int steps[] = { 11, 7, 5, DIGITS_HEIGHT };

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] <= rows && digits_fit(figure, width, steps[i]) == steps[i])
			return steps[i];
	return 0;
}

/* Adds a number in digits that are as large as the screen allows, or as text. */
static void add_digits(struct lines *lines, enum style style, const char *figure)
{
	const struct canvas *canvas = lines->at.canvas;
	int rows =
		digits_step(figure, lines->at.width, layout_digits(canvas->width, canvas->height));
	struct line *line = lines_add(lines, 0, style, "%s", figure);

	line->tag = rows ? TAG_DIGITS : TAG_NONE;
	line->rows = rows ? rows : 1;
}

/* Adds the predicted value of a program's loop, which is never measured. */
static void add_predicted(struct lines *lines, const struct view *view)
{
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;

	if (!limits || limits->predicted_by < 0) {
		lines_add(lines, 0, STYLE_DIM, "%s", view->limits_note);
		return;
	}
	add_digits(lines, STYLE_FIGURE, units_cycles(limits->predicted).text);
	if (*limits_at_least(limits))
		lines_add(lines, 0, STYLE_WARN,
			"predicted: at least this; not measured (M)\npredicted: at least this (M)");
	else
		lines_add(lines, 0, STYLE_WARN,
			"predicted, not measured (M)\npredicted, not measured\npredicted (M)");
}

/* Adds a line with the reason why there is no measured value: the measurement failed or has not
 * finished. This panel never shows the value of a setting other than the present one. */
static void add_absence(struct lines *lines, const struct view *view)
{
	uint64_t footprint = kernel_footprint(view->setting.kernel, view->setting.v);
	struct ahead ahead = panels_ahead(view);

	if (view->setting.kernel->function) {
		add_predicted(lines, view);
	} else if (view->failure[0]) {
		lines_add(lines, 0, STYLE_BAD, "not measured: %s", view->failure);
	} else if (view->hidden & HIDDEN_CPE) {
		add_digits(lines, STYLE_FIGURE, "?");
		lines_add(lines, 0, STYLE_DIM, "hidden until you answer");
	} else if (view->frozen && !view->measuring) {
		lines_add(lines, 0, STYLE_DIM, "frozen before the first sample");
	} else if (view->probing) {
		lines_add(lines, 0, STYLE_DIM, "measured after the %s",
			view->characterising ? "core"
			: view->sweeping     ? "sweep"
					     : "probe");
	} else if (ahead.text[0]) {
		lines_add(lines, 0, STYLE_DIM, "%s", ahead.text);
		lines_add(lines, 1, STYLE_KEY, "%s%sEsc ends it", ahead.left,
			ahead.left[0] ? "; " : "");
	} else if (view->waiting > PANELS_PREPARING && footprint > 0) {
		lines_add(lines, 0, STYLE_DIM, "measuring… preparing %s",
			units_size_long((int64_t)footprint).text);
	} else {
		lines_add(lines, 0, STYLE_DIM, "measuring…");
	}
}

/* While the present value is contended (disturbed by another program), adds the last value without
 * contention, and how old it is. Examples of ages: "under 1 s", "12 s", "3 min", "2 h". */
static void add_quiet(struct lines *lines, const struct view *view)
{
	double age = view->quiet_age;

	if (view->sample.contended && view->quiet.valid)
		lines_add(lines, 1, STYLE_GOOD,
			age < 1 ? "quiet: %1$s, under 1 s ago\nquiet: %1$s just now\nquiet: %1$s"
			: age < 100  ? "quiet: %1$s, %2$.0f s ago\nquiet: %1$s"
			: age < 6000 ? "quiet: %1$s, %2$.0f min ago\nquiet: %1$s"
				     : "quiet: %1$s, %2$.0f h ago\nquiet: %1$s",
			units_value(view->quiet.cpe).text,
			floor(age < 100	     ? age
				: age < 6000 ? age / 60
					     : age / 3600));
}

/* Adds a line with doubts about the measured value: "contended: 12 % of trials quiet", "two modes:
 * 0.750 (62 %), 1.021". */
static void add_doubts(struct lines *lines, const struct sample *sample,
	const struct run_facts *facts, const struct explanation *explanation)
{
	double repeated, fresh;
	struct units_text low = units_value(sample->mode_low),
			  high = units_value(sample->mode_high);

	if (sample->others_away)
		lines_add(lines, 1, STYLE_WARN,
			"contended: the other core%1$s ran %2$.0f %% of the time\n"
			"contended: the other core%1$s busy\ncontended",
			facts->cores > 2 || facts->streams > 1 ? "s" : "", 100 * facts->on_cpu);
	else if (sample->contended && isfinite(sample->quiet))
		lines_add(lines, 1, STYLE_WARN, "contended: %.0f %% of trials quiet\ncontended",
			100 * sample->quiet);
	else if (sample->contended)
		lines_add(lines, 1, STYLE_WARN, "contended: the core was shared\ncontended");
	if (sample->unsettled)
		lines_add(lines, 1, STYLE_WARN, "not settled: it still drifts\nnot settled");
	if (sample->bent)
		lines_add(lines, 1, STYLE_WARN,
			"not linear: %1$s with a smaller n\nnot linear: %2$s\nnot linear",
			units_value(sample->cpe * sample->bend).text,
			sample_grows(sample) ? "faster than n" : "use a larger n");
	if (sample->varies && sample->modes != 2)
		lines_add(lines, 1, STYLE_WARN,
			"varies: %1$s to %2$s in quiet trials\nvaries: %1$s to %2$s\nvaries",
			units_value(sample->cpe_lo).text, units_value(sample->cpe_hi).text);
	if (sample_learnt(sample, facts, &repeated, &fresh) && explain_learns(explanation))
		lines_add(lines, 1, STYLE_WARN,
			facts->cpe_repeated > 0
				? "on fresh data; %1$s on repeated data\nrepeated data: %1$s"
				: "on repeated data; %1$s on fresh data\nfresh data: %1$s",
			units_cycles(facts->cpe_repeated > 0 ? repeated : fresh).text);
	if (sample->places > 1)
		lines_add(lines, 7, STYLE_TEXT, "%u placements %s … %s", sample->places,
			units_value(sample->place_lo).text, units_value(sample->place_hi).text);
	if (sample->provisional)
		lines_add(lines, 1, STYLE_WARN, "provisional: few trials yet\nprovisional");
	if (sample->modes == 2)
		lines_add(lines, 1, STYLE_WARN,
			"two modes: %1$s (%2$.0f %%), %3$s\nmodes %1$s, %3$s", low.text,
			100 * sample->mode_share_low, high.text);
}

/* The smallest number of trials for which the panel shows the course (the latest trials as small
 * bars). */
enum { COURSE_LEAST = 8 };

/* Adds the course of the latest trials: "last 1.9 s ▁▁▁▅▅▅▁". The course shows whether the value
 * changes between modes, or drifts. */
static void add_course(struct lines *lines, const struct view *view)
{
	bool span = view->strip_span >= 0.05 && !view->replay;

	if ((view->sample.modes == 2 || view->sample.varies || view->sample.unsettled) &&
		view->strip_count >= COURSE_LEAST)
		lines_add(lines, 3, STYLE_WARN, span ? "last %.1f s " : "trials ", view->strip_span)
			->tag = TAG_COURSE;
}

/* Adds the reasons why trials were discarded: "not: 31 clock changed, 4 contended". If `main_only`
 * is true, adds only the most frequent reason: "not: mainly 31 clock changed". */
static void add_discarded(struct lines *lines, const struct sample *sample, bool main_only)
{
	const struct {
		unsigned count;
		const char *words, *brief;
	} reasons[] = {
		{ sample->off_clock, "clock changed", "clock" },
		{ sample->off_contended, "contended", "contended" },
		{ sample->off_interrupted, "interrupted", "interrupted" },
		{ sample->dropped - sample->off_clock - sample->off_contended -
				sample->off_interrupted,
			"not settled", "not settled" },
	};
	struct words words = { "not:" }, brief = { "not:" };
	struct line *line;
	size_t most = 0;

	if (!sample->dropped)
		return;
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].count > reasons[most].count)
			most = i;
		if (!reasons[i].count)
			continue;
		words = words_of("%s%s %u %s", words.text, words.text[4] ? "," : "",
			reasons[i].count, reasons[i].words);
		brief = words_of("%s%s %u %s", brief.text, brief.text[4] ? "," : "",
			reasons[i].count, reasons[i].brief);
	}
	if (main_only)
		words = brief =
			words_of("not: mainly %u %s", reasons[most].count, reasons[most].words);
	line = lines_add(lines, 10, STYLE_TEXT, "%s\n%s", words.text, brief.text);
	line->tag = TAG_DISCARDED;
	/* If most trials were discarded, a row with the reason matters more than rates. */
	if (line->rows == 1 && sample->dropped > sample->trials)
		line->rank = 7;
}

/* Adds the number of used trials, the number of discarded trials, and the clock frequency. */
static void add_trials(struct lines *lines, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const struct view_counters *counters = &view->counters;
	const char *quiet = isfinite(sample->quiet) ? "quiet " : "",
		   *trials = sample->trials == 1 ? "trial" : "trials",
		   *source = panels_source(sample->cycles_from);

	/* For a contended value, a line above has already reported the share of quiet trials. */
	if (sample->mixed)
		lines_add(lines, 5, STYLE_TEXT,
			"%1$u %2$s used, contended ones too\n%1$u %2$s, contended ones too",
			sample->trials, trials);
	else
		lines_add(lines, 5, STYLE_TEXT,
			"%1$u %2$s%3$s used, %4$u not\n%1$u %2$sused, %4$u not", sample->trials,
			quiet, trials, sample->dropped);
	add_discarded(lines, sample, false);
	if (counters->check > 0 && counts_clocks_differ(counters->check))
		lines_add(lines, 2, STYLE_WARN, "%s; R says %.2f of it", source, counters->check);
	else
		/* The comparison with A matters more. */
		lines_add(lines, view->pinned ? 4 : 2, STYLE_TEXT, "%s", source);
	if (counters->ipc > 0)
		lines_add(lines, 9, STYLE_TEXT, "%s instructions a cycle C",
			units_value(counters->ipc).text);
	if (!isfinite(sample->quiet))
		lines_add(lines, 10, STYLE_TEXT, "contention cannot be detected");
}

/* Adds instructions per element, and the memory traffic. */
static void add_ratios(struct lines *lines, const struct view *view)
{
	const struct sample_ratios *ratios = &view->sample_ratios;
	struct units_text each = units_value(ratios->instructions), cpi = units_value(ratios->cpi);
	char words[100];

	/* The number of instructions per element matters also for kernels that follow pointers and
	 * wait for their loads. */
	if (ratios->instructions > 0 && !view->foreign)
		lines_add(lines, view->explanation && view->explanation->waits ? 7 : 11, STYLE_TEXT,
			"%1$s instructions (%2$s), CPI %4$s\n%1$s instr (%2$s), CPI %4$s\n"
			"%1$s instr %3$c, CPI %4$s",
			each.text, sample_ratios_source(ratios->instructions_from),
			(char)ratios->instructions_from, cpi.text);
	sample_ratios_traffic_words(ratios, true, words, sizeof(words));
	if (*words)
		lines_add(lines, 6, STYLE_TEXT, "%c %s", (char)ratios->lines_from, words);
}

/* Adds the quartiles of the trials, if there are enough trials. */
static void add_spread(struct lines *lines, const struct sample *sample)
{
	if (sample->trials < PANELS_QUARTILES_FROM)
		lines_add(lines, 2, STYLE_TEXT, "no quartiles from %u trial%s", sample->trials,
			sample->trials == 1 ? "" : "s");
	else if (sample->cpe >= sample->cpe_hi && sample->cpe_lo < sample->cpe)
		/* The value is a mean that slow trials raised above the upper quartile. */
		lines_add(lines, 2, STYLE_TEXT,
			"mean; a quarter of the trials: under %1$s\nmean; a quarter is under %1$s",
			units_cycles(sample->cpe_lo).text);
	else
		lines_add(lines, 2, STYLE_TEXT, "quartiles %s … %s",
			units_cycles(sample->cpe_lo).text, units_cycles(sample->cpe_hi).text);
}

/* Returns one rate with its unit and source: "  0.183 ns   T". The text is empty if the rate is
 * unknown: the code moves no bytes, or the number of bytes depends on the data. */
static struct words rate(double value, const char *unit, int unit_width, char source)
{
	if (!isfinite(value))
		return (struct words){ "" };
	return words_of("%6s %-*s %c", units_value(value).text, unit_width, unit, source);
}

/* Adds two rates, such as GB/s and bytes per cycle, side by side or on two lines. */
static void add_pair(
	struct lines *lines, int rank, const struct words *first, const struct words *second)
{
	bool both = lines->at.width >= RATES_WIDE && first->text[0] && second->text[0];

	lines_add(lines, rank, STYLE_TEXT, "%s%s%s", first->text, both ? "  " : "",
		both ? second->text : "");
	if (!both)
		lines_add(lines, rank + 1, STYLE_TEXT, "%s", second->text);
}

/* Adds the rates. Rates per second come from wall time; rates per cycle have the same source as the
 * cycles. */
static void add_rates(struct lines *lines, const struct sample *sample)
{
	char cycles = sample->cycles_from ? (char)sample->cycles_from : ' ';
	int unit = lines->at.width >= RATES_WIDE ? 3 : 7;
	struct words ns = rate(sample->ns, "ns", unit, 'T'),
		     ghz = rate(sample->ghz, "GHz", unit, cycles),
		     gbps = rate(sample->gbps, "GB/s", 7, 'T'),
		     per_cycle = rate(sample->bytes_per_cycle, "B/cycle", 7, cycles);

	add_pair(lines, 5, &ns, &gbps);
	add_pair(lines, 8, &ghz, &per_cycle);
}

/* Adds what other cores did during the measurement, the memory node, and the size of pages if it
 * differs from the request. */
static void add_place(struct lines *lines, const struct view *view)
{
	const struct placed placed = placed_words(&view->facts, &view->sample);
	bool elsewhere = view->facts.node_note[0];

	lines_add(lines, 4, STYLE_TEXT, "%s", placed.others);
	lines_add(lines, 4, STYLE_WARN, "%s", placed.pages);
	lines_add(lines, elsewhere ? 4 : 9, elsewhere ? STYLE_WARN : STYLE_TEXT, "%s", placed.node);
}

/* Returns the index of the limit to which the gap (the distance of the measured value) belongs: the
 * prediction of a soft limit, or the binding limit. */
static int gap_limit(const struct view *view, const struct limits *limits)
{
	return view->gap.soft ? limits->predicted_by : limits->binding;
}

/* The groups of numbers (enum lesson_hidden): while a lesson's question hides one of them, no limit
 * is shown. */
enum { LIMITS_HIDDEN = HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES };

/* Returns a limit with its word: "limit 3.000", "predicted 4.500" for a soft limit, or "predicted
 * at least 3.000" if a cost of the loop is unknown. */
static struct words named_limit(const struct limits *limits, bool soft, int index)
{
	const char *at_least = limits_at_least(limits);

	return words_of("%s %s%s", soft || *at_least ? "predicted" : "limit", at_least,
		units_cycles(limits->limit[index].cpe).text);
}

/* Returns the names of the limits that cause the predicted cycles, or of the limit at `index`. */
static struct words name_of(const struct limits *limits, bool predicted, int index)
{
	return predicted ? limits_predicted_by(limits, 0)
			 : words_of("%s", limit_rows[limits->limit[index].kind].name);
}

/* `measured`: with this word before the distance of the measured value. */
static struct words limit_words(const struct view *view, bool with_spread, bool measured)
{
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;
	struct words gap = { "" }, spread = { "" };
	int first = limits ? gap_limit(view, limits) : -1;

	if (view->hidden & LIMITS_HIDDEN)
		return words_of("limits hidden");
	if (first < 0)
		return words_of(limits ? "no hard limit is known" : "");
	if (view->limits_renewed)
		gap = words_of(", computed again…");
	else if (view->foreign || view->nearest)
		gap = words_of(" on %s%s", view->core->name, view->nearest ? ", assumed" : "");
	else if (view->gap.brief[0])
		gap = words_of(", %s%.40s",
			measured && strchr("+-", view->gap.brief[0]) ? "measured " : "",
			view->gap.brief);
	if (limits_uncertain(limits->limit[first].cpe, limits->limit[first].spread))
		spread = words_of(" (uncertain)");
	else if (with_spread && limits->limit[first].spread > limits->limit[first].cpe / 1000)
		spread = words_of(" ±%s", units_value(limits->limit[first].spread).text);
	return words_of("%s%s M %s%s", named_limit(limits, view->gap.soft, first).text, spread.text,
		name_of(limits, view->gap.soft, first).text, gap.text);
}

struct words panels_limit(const struct view *view)
{
	return limit_words(view, true, true);
}

struct words panels_limit_short(const struct view *view)
{
	return limit_words(view, false, false);
}

/* Adds the binding limit, the gap to the measured value, and the key to press next: "limit 3.000 M
 * latency, at it". */
static void add_limit(struct lines *lines, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct limits *limits = view->explanation ? &view->explanation->limits : NULL;
	const char *note = view->limits_note;
	struct words limit;
	int first, second;

	if (!limits && !(view->hidden & LIMITS_HIDDEN)) {
		line_cut(lines,
			lines_add(lines, 9, STYLE_DIM, "%.*s", (int)strcspn(note, ";."), note), 2);
		return;
	}
	if (view->hidden & LIMITS_HIDDEN) {
		lines_put(lines, 9, STYLE_DIM, panels_limit(view));
		return;
	}
	first = gap_limit(view, limits);
	second = view->gap.soft ? limits->binding : limits->predicted_by;
	limit = panels_limit(view);
	if (canvas_rows(lines->at, limit.text) >
		canvas_rows(lines->at, limit_words(view, true, false).text))
		limit = limit_words(view, true, false);
	/* If words about the measured value need another row, they are left out for a value near
	 * its limit or prediction. */
	if ((view->gap.kind == GAP_AT_LIMIT || view->gap.kind == GAP_EARLY ||
		    view->gap.kind == GAP_SOFT) &&
		!view->nearest && strchr(limit.text, ','))
		limit = words_of("%s\n%.*s", limit.text,
			(int)(strrchr(limit.text, ',') - limit.text), limit.text);
	line_cut(lines,
		lines_put(lines, 2, view->gap.kind == GAP_BELOW ? STYLE_BAD : STYLE_TEXT, limit),
		2);
	if (view->published)
		lines_add(lines, 3, STYLE_TEXT, "published %1$s%2$s on %3$s\npublished %1$s%2$s",
			view->published->limit ? "limit " : "",
			units_cycles(view->published->cycles * limits->turns / limits->elements)
				.text,
			view->published->core);
	if (panels_shown(scene, "limits"))
		return;
	if (view->advice.kind == ADVICE_KNOB)
		lines_add(lines, 5, STYLE_KEY,
			"r %1$s: %3$s %4$s\nr %1$s: CPE %3$s%5$s\nr %1$s: %3$s%5$s\n"
			"r %2$s: CPE %3$s%5$s\nr %2$s: %3$s%5$s",
			view->advice.set, view->advice.brief, units_cycles(view->advice.to).text,
			view->advice.measured ? "measured" : "predicted",
			view->advice.measured ? "" : " M");
	else if (second >= 0 && second != first)
		lines_add(lines, 7, STYLE_TEXT, "%s M %s",
			named_limit(limits, !view->gap.soft, second).text,
			name_of(limits, !view->gap.soft, second).text);
}

static void add_pinned(struct lines *lines, const struct view *view)
{
	struct units_text value = units_cycles(view->a.cpe);
	struct words setting, limit;
	bool doubtful;

	if (view->hidden & HIDDEN_A)
		snprintf(value.text, sizeof(value.text), "?");

	if (!view->pinned && view->a_recording)
		lines_add(lines, 3, STYLE_A, "A    not in %s\nA    not in the other recording",
			view->a_recording);
	if (!view->pinned)
		return;
	setting = panels_a(view);
	limit = words_of("%s%s", view->a_limit == LIMIT_COUNT ? "" : ", limit: ",
		view->a_limit == LIMIT_COUNT ? "" : limit_rows[view->a_limit].name);
	lines_add(lines, 3, STYLE_A,
		"A    %1$s  %2$s%3$s\nA    %1$s  %2$s\nA %1$s %2$s\nA    %1$s  %2$s", value.text,
		setting.text, limit.text);
	line_cut(lines, &lines->line[lines->count - 1], 1);
	doubtful = sample_doubt(&view->a) || sample_doubt(&view->sample);
	lines_put(lines, 2, doubtful ? STYLE_WARN : STYLE_B, panels_ratio(view))->tag =
		doubtful && view->a_comparable && isfinite(view->ratio) ? TAG_RATIO : TAG_NONE;
}

/* In a panel with fewer rows, warnings about the value have priority over large digits. */
enum { DIGITS_FROM = 8 };

/* Lines of the panel up to this rank (0: most important) are cut to one row before they are
 * removed. */
enum { RANK_KEPT = 3 };

/* Each line of the panel has a rank, which decides which lines are removed first: 0 is the most
 * important. While the lines do not fit, first removes unimportant lines (of the reasons of
 * discarded trials, the main reason stays longest), then makes large digits smaller, cuts important
 * lines to one row, and at last removes them. */
static void shorten(struct lines *lines, const struct view *view)
{
	bool keep =
		view->pinned ? lines->at.height > DIGITS_HEIGHT : lines->at.height >= DIGITS_FROM;

	while (lines->count > 1 && lines_rows(lines) > lines->at.height) {
		struct line *first = &lines->line[0];
		int worst = 0, longest = 0;

		for (int i = 1; i < lines->count; i++) {
			if (lines->line[i].rank >= lines->line[worst].rank)
				worst = i;
			if (lines->line[i].rows > 1)
				longest = i;
		}
		if (lines->line[worst].rank <= 4 && first->tag == TAG_DIGITS &&
			(first->rows > DIGITS_HEIGHT || !keep)) {
			first->rows =
				digits_step(first->words.text, lines->at.width, first->rows - 1);
			first->tag = first->rows ? TAG_DIGITS : TAG_NONE;
			first->rows = int_most(first->rows, 1);
			continue;
		}
		if (lines->line[worst].rank <= RANK_KEPT && longest > 0) {
			if (lines->line[longest].tag == TAG_RATIO)
				lines->line[longest].words = words_of(
					"B/A  %s  uncertain", units_cycles(view->ratio).text);
			else
				line_cut(lines, &lines->line[longest], 1);
			lines->line[longest].rows = 1;
			continue;
		}
		if (lines->line[worst].tag == TAG_DISCARDED && lines->line[worst].rows > 1) {
			struct lines reason;

			lines_begin(&reason, lines->at);
			add_discarded(&reason, &view->sample, true);
			reason.line[0].tag = TAG_NONE;
			lines->line[worst] = reason.line[0];
			continue;
		}
		memmove(&lines->line[worst], &lines->line[worst + 1],
			(size_t)(lines->count - worst - 1) * sizeof(lines->line[0]));
		lines->count--;
	}
}

/* The title of the panel is the unit of the large digits. */
static struct words title_of(const struct scene *scene)
{
	return words_of(
		"cycles per %s\ncycles per element\ncycles", scene->view->setting.kernel->element);
}

static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct sample *sample = &view->sample;
	struct units_text value = units_cycles(sample->cpe);
	struct lines lines;
	int y = 0;

	lines_begin(&lines, at);
	if (!sample->valid) {
		add_absence(&lines, view);
		add_limit(&lines, scene);
	} else {
		add_digits(&lines, sample_doubt(sample) ? STYLE_WARN : STYLE_FIGURE, value.text);
		add_spread(&lines, sample);
		add_doubts(&lines, sample, &view->facts, view->explanation);
		add_course(&lines, view);
		add_quiet(&lines, view);
		add_limit(&lines, scene);
		add_trials(&lines, view);
		add_ratios(&lines, view);
		add_rates(&lines, sample);
		add_place(&lines, view);
	}
	add_pinned(&lines, view);
	shorten(&lines, view);
	for (int i = 0; i < lines.count; i++) {
		const struct line *line = &lines.line[i];
		struct box rest;

		/* Leave a blank row before the comparison with the pinned value, if a row is free.
		 */
		y += i > 0 && at.height - y > lines_rows(&lines) && line->style == STYLE_A;
		rest = box_part(at, 0, y, at.width, at.height - y);
		rest.height = line->rows < rest.height ? line->rows : rest.height;
		if (line->tag == TAG_DIGITS) {
			digits_draw(at, 0, y, line->rows, line->style, line->words.text);
		} else if (sample->valid && i == 0) {
			int x = canvas_put(at, 0, y, line->style, line->words.text) + 1;

			panels_fit(box_part(at, x, y, at.width - x, 1), 0, STYLE_DIM,
				"cycles per %s\ncycles", view->setting.kernel->element);
		} else if (line->tag == TAG_COURSE) {
			int x = canvas_put(at, 0, y, STYLE_DIM, line->words.text);

			course_draw(box_part(at, x, y, at.width - x, 1), view);
		} else {
			canvas_wrap(rest, 0, line->style, line->words.text);
		}
		y += line->rows;
	}
}

const struct panel panel_figure = {
	.name = "figure",
	.title_of = title_of,
	.draw = draw,
};
