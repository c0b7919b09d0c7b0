/* Draws the bars of limits: a bar in cycles per element for each limit, the highest first. The
 * measured value is below the limits, on the same scale. Hard limits are solid; soft limits are
 * light and labelled. The row of an unknown limit shows the reason instead of a bar. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "experiment/why/why.h"
#include "lesson/lesson.h"
#include "ui/panels.h"
#include "ui/steady.h"

/* CAUSES_FROM: smallest width of the panel, in columns, at which the cause of a limit is next to
 * its bar. FIGURE: width of a number. TITLE_MOST: largest width, in columns, of a limit's title. */
enum { CAUSES_FROM = 92, FIGURE = 7, TITLE_MOST = 30 };

/* Most rows of limits that sentences below the bars leave free. */
enum { NEEDED_MOST = 5 };

/* Next to causes, a full bar is not made shorter than this to give them room. */
enum { BAR_LEAST = 16 };

static const char binds[] = "◀ binds", predicted[] = "◀ predicted", at_least[] = "◀ at least",
		  soft[] = " (soft)";

/* If the scale is at least this many times as long as the longest bar, all bars are short, so the
 * title says how many cycles a full bar is. */
enum { SCALE_TOLD = 8 };

/* Returns the last clause of the title: how many cycles a full bar is, if the bars are short
 * because an earlier setting had higher limits. */
static struct words full_bar(const struct view *view)
{
	double longest = view->sample.valid ? view->sample.cpe : 0;

	for (int i = 0; view->explanation && i < view->explanation->limits.limit_count; i++)
		if (view->explanation->limits.limit[i].known)
			longest = fmax(longest, view->explanation->limits.limit[i].cpe);
	if (steady_has_a(view))
		longest = fmax(longest, view->a.cpe);
	if (!(longest > 0) || view->scales.limits.high <= SCALE_TOLD * longest)
		return (struct words){ "" };
	return words_of(
		", full bar: %s (a: new scale)", units_value(view->scales.limits.high).text);
}

/* Returns the limit that causes most of the cycles with which the measurement is compared; NULL: no
 * hard limit is known. */
static const struct limit *compared(const struct view *view)
{
	const struct limits *limits = &view->explanation->limits;
	int from = view->gap.soft ? limits_main(limits) : limits->binding;

	return from < 0 ? NULL : &limits->limit[from];
}

/* Returns the last clause of the title: for how many elements the causes count, if that is not the
 * unit of the bars, and not next to the cause below the bars. */
static struct words unit_of_causes(const struct scene *scene)
{
	const struct explanation *explanation = scene->view->explanation;
	const struct box *at = scene->layout ? layout_find(scene->layout, "limits") : NULL;
	const struct limit *limit = at && explanation ? compared(scene->view) : NULL;
	struct words each = explanation ? panels_iteration(explanation) : (struct words){ "" };
	const char *count = strpbrk(each.text, "0123456789");
	struct words wordings = { "" };

	if (!at || !count)
		return (struct words){ "" };
	if (at->width >= CAUSES_FROM)
		return words_of("; causes for %s", each.text);
	if (limit)
		wordings = panels_cause(explanation, NULL, limit);
	if (!strchr(wordings.text, '\n') ||
		strlen(limit->cause) + strlen(" ()") + strlen(count) <= (size_t)at->width)
		return (struct words){ "" };
	return words_of("; cause for %s", count);
}

static struct words title_of(const struct scene *scene)
{
	const struct view *view = scene->view;

	return words_of(!view->core ? "limits%1$s%2$s"
			: view->limits_renewed
				? "limits, M %1$s, computed again with new latencies of memory…\n"
				  "limits, M %1$s, computed again…\nlimits, computed again…"
			: view->foreign ? "limits for %1$s, not this core%2$s%3$s\n"
					  "%1$s, not this core%2$s%3$s\n"
					  "%1$s, not this core%2$s"
			: view->nearest ? "limits of %1$s, the nearest known core%2$s%3$s\n"
					  "nearest core %1$s%2$s%3$s\n"
					  "limits of %1$s, the nearest known core%2$s"
					: "limits in cycles per %4$s, M %1$s%2$s%3$s\n"
					  "limits in cycles per %4$s, M%2$s%3$s\n"
					  "limits, M %1$s%2$s%3$s\nlimits%2$s%3$s",
		view->core ? panels_core(view->core).text : "", full_bar(view).text,
		unit_of_causes(scene).text, view->setting.kernel->element);
}

static bool wanted(const struct view *view)
{
	return view->explanation || view->outline || view->limits_note[0];
}

/* The columns of a row. */
struct columns {
	int title, bar, tail, cause; /* widths of a row's title, bar and tail; cause: column at
					which the limit's cause begins, 0: no cause is shown */
	bool brief;   /* the panel is narrow, so the text after the bar labels soft limits */
	double scale; /* cycles per element of a bar that fills its column */
};

/* Makes the bars shorter, as far as causes of limits then fit that do not fit next to longer bars.
 */
static void make_room(struct box at, const struct limits *limits, struct columns *columns)
{
	int room = at.width - columns->cause, most = room + columns->bar - BAR_LEAST, widest = room;

	for (int i = 0; i < limits->limit_count; i++) {
		int width = limits->limit[i].known ? canvas_columns(at, limits->limit[i].cause) : 0;

		if (width <= most)
			widest = int_most(widest, width);
	}
	columns->bar -= widest - room;
	columns->cause -= widest - room;
}

static struct columns measure(struct box at, const struct view *view, bool brief)
{
	const struct limits *limits = &view->explanation->limits;
	struct columns columns = { .title = canvas_columns(at, "measured"),
		.tail = canvas_columns(at, binds) + 1,
		.brief = brief,
		.scale = view->scales.limits.high };

	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		int used = canvas_columns(at, limit_rows[limit->kind].name) +
			   (limit->hard || brief ? 0 : canvas_columns(at, soft));

		columns.title = int_most(columns.title, used);
	}
	if (limits->predicted_by != limits->binding && !brief)
		columns.tail = canvas_columns(at, predicted) + 1;
	columns.title = int_least(columns.title, TITLE_MOST);
	columns.bar = at.width - columns.title - 1 - FIGURE - 1 - columns.tail;
	if (at.width >= CAUSES_FROM) {
		columns.bar -= (at.width - columns.title) * 9 / 20;
		columns.cause = columns.title + 1 + columns.bar + FIGURE + 1 + columns.tail + 1;
		make_room(at, limits, &columns);
	}
	if (columns.bar < 12 && !brief)
		return measure(at, view, true);
	columns.bar = int_most(columns.bar, 4);
	return columns;
}

/* Draws a bar. The bar of a value above 0 is at least one cell long. */
static void draw_bar(struct box at, int y, const struct columns *columns, double cpe,
	enum style style, enum glyph glyph)
{
	double share = columns->scale > 0 ? cpe / columns->scale : 0;
	int length = int_most((int)lround(share * columns->bar), 1);

	for (int i = 0; i < int_least(length, columns->bar); i++)
		canvas_glyph(at, columns->title + 1 + i, y, style, glyph);
}

/* Returns the box of the cause in a row with this number of screen rows. */
static struct box cause_box(struct box at, int y, const struct columns *columns, int rows)
{
	return box_part(at, columns->cause, y, at.width - columns->cause, rows);
}

/* Returns the screen rows of a limit: its cause gets more than one if it does not fit in one row,
 * and the panel has `spare` rows. */
static int rows_of(
	struct box at, const struct columns *columns, const struct limit *limit, int spare)
{
	int rows = columns->cause && limit->known
			   ? canvas_rows(cause_box(at, 0, columns, at.height), limit->cause)
			   : 1;

	return rows > 1 && rows - 1 <= spare ? rows : 1;
}

/* Draws a limit in `rows` screen rows. */
static void draw_limit(struct box at, int y, int rows, const struct columns *columns,
	const struct limits *limits, int index)
{
	const struct limit *limit = &limits->limit[index];
	bool binding = index == limits->binding;
	enum style style = binding ? STYLE_FIGURE : STYLE_TEXT;
	int x = columns->title + 1;

	canvas_clicked(
		box_part(at, 0, y, at.width, rows), "limit %s", limit_rows[limit->kind].name);
	canvas_text(box_part(at, 0, 0, columns->title, at.height), 0, y, style, "%s%s",
		limit_rows[limit->kind].name, limit->hard || columns->brief ? "" : soft);
	if (!limit->known) {
		struct words unknown = words_of("unknown: %s", limit->cause);
		struct box row = box_part(at, x, y, at.width - x, 1);

		panels_cut_clauses(row, 1, unknown.text, sizeof(unknown.text));
		canvas_put(row, 0, 0, STYLE_DIM, unknown.text);
		return;
	}
	draw_bar(at, y, columns, limit->cpe,
		!limit->hard ? STYLE_DIM
		: binding    ? STYLE_WARN
			     : STYLE_BAR,
		/* Bars of hard limits are drawn with GLYPH_BAR7, which leaves a gap to the bar in
		   the row above. */
		limit->hard ? GLYPH_BAR7 : GLYPH_SHADE1);
	x += columns->bar + FIGURE;
	canvas_put_right(at, x, y, style, units_cycles(limit->cpe).text);
	if (binding)
		canvas_text(at, x + 1, y, STYLE_WARN, binds);
	else if (index == limits->predicted_by)
		canvas_text(at, x + 1, y, STYLE_WARN, "%s",
			columns->brief		   ? "◀ soft"
			: *limits_at_least(limits) ? at_least
						   : predicted);
	else if (!limit->hard && columns->brief)
		canvas_text(at, x + 1, y, STYLE_DIM, "  soft");
	if (columns->cause && rows > 1)
		canvas_wrap(cause_box(at, y, columns, rows), 0, STYLE_DIM, limit->cause);
	else if (columns->cause)
		canvas_put(at, columns->cause, y, STYLE_DIM, limit->cause);
}

/* Draws the bar of the measured value, with the value's source and spread. */
static void draw_measured(
	struct box at, int y, const struct columns *columns, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *state = panels_state(view);
	enum style style = state[0] ? STYLE_WARN : STYLE_FIGURE;
	int x = columns->title + 1;

	canvas_text(at, 0, y, STYLE_FIGURE, "measured");
	if (!sample->valid) {
		canvas_text(at, x, y, STYLE_DIM,
			view->hidden & HIDDEN_CPE ? "hidden until you answer"
			: view->failure[0] || (view->frozen && !view->measuring) ? "not measured"
			: view->characterising					 ? "after the core"
			: view->sweeping					 ? "after the sweep"
			: view->probing						 ? "after the probe"
										 : "measuring…");
		return;
	}
	draw_bar(at, y, columns, sample->cpe, STYLE_FIGURE, GLYPH_SHADE3);
	x += columns->bar + FIGURE;
	canvas_put_right(at, x, y, style, units_cycles(sample->cpe).text);
	canvas_text(at, x + 1, y, style, "%c", (char)sample->cycles_from);
	/* The word for the state is shown whole, before the causes or before the quartiles, or not
	 * at all. The panel of the large digits shows the state too. */
	if (x + 3 + canvas_columns(at, state) < (columns->cause ? columns->cause : at.width + 1)) {
		canvas_put(at, x + 3, y, style, state);
		state = "";
	}
	if (!columns->cause)
		return;
	x = columns->cause;
	if (state[0])
		x += canvas_text(at, x, y, style, "%s, ", state);
	if (sample->trials >= PANELS_QUARTILES_FROM)
		canvas_text(at, x, y, STYLE_DIM, "quartiles %s … %s",
			units_cycles(sample->cpe_lo).text, units_cycles(sample->cpe_hi).text);
}

/* Draws the bar of A, the setting compared with, on the same scale. */
static void draw_a(struct box at, int y, const struct columns *columns, const struct view *view)
{
	const struct sample *a = &view->a;
	struct words name = words_of(
		"A, %s", view->a_limit == LIMIT_COUNT ? "" : limit_rows[view->a_limit].name);
	int x = columns->title + 1;

	/* The binding limit of the result A, which the user compares with, if there is room for its
	 * name. */
	if (view->a_limit == LIMIT_COUNT || !canvas_fits(at, name.text, columns->title))
		name = words_of("A");
	canvas_put(at, 0, y, STYLE_A, name.text);
	draw_bar(at, y, columns, a->cpe, STYLE_A, GLYPH_SHADE2);
	x += columns->bar + FIGURE;
	canvas_put_right(at, x, y, STYLE_A, units_cycles(a->cpe).text);
	canvas_text(at, x + 1, y, STYLE_A, "%c", (char)a->cycles_from);
	if (columns->cause)
		canvas_put(at, columns->cause, y, STYLE_A, panels_a(view).text);
}

/* Adds the published cycles of the setting with their source, and the remark about them. */
static void add_published(struct lines *words, const struct view *view)
{
	const struct limits *limits = &view->explanation->limits;
	struct text text = { 0 };

	if (!view->published)
		return;
	published_words(view->published, &view->setting, limits->elements / limits->turns, &text);
	/* The bars of limits are in cycles per element, so the short wording also uses cycles per
	 * element. */
	lines_add(words, 0, STYLE_TEXT, "published: %s\npublished %s%s on %s: %s",
		text_string(&text), view->published->limit ? "limit " : "",
		units_cycles(view->published->cycles * limits->turns / limits->elements).text,
		view->published->core, view->published->source);
	text_clear(&text);
	if (view->published_limits)
		published_verdict(view->published, view->published_limits,
			limits->elements / limits->turns, &view->sample, &text);
	lines_add(words, 1, STYLE_TEXT, "%s", text_string(&text));
	lines_add(words, 1, STYLE_DIM, "%s", view->published->remark);
	text_free(&text);
}

/* Whether the whole cause of the limit with which the measurement is compared is next to its bar.
 */
static bool cause_fits(struct box at, const struct columns *columns, const struct view *view)
{
	const struct limit *limit = compared(view);

	return columns->cause &&
	       (!limit || canvas_fits(at, limit->cause, at.width - columns->cause));
}

/* Whether the causes of the gap can be measured: the gap is large enough for an explanation, and a
 * change of the loop may show a cause. */
static bool has_causes(const struct view *view)
{
	return !view->replay && !view->why && !sample_doubt(&view->sample) &&
	       view->gap.kind == GAP_ABOVE && view->gap.percent > 100 * WHY_GAP &&
	       view->sample.valid && why_applies(&view->setting, view->explanation);
}

/* Tags of sentences that may give way. REMEDY: advises a change of the code. WAITS: says why the
 * next load waits; without its end, it says nothing. */
enum { REMEDY = 1, WAITS };

/* Adds the sentences that explain the limits, below the bars. If `cause` is true, also adds the
 * cause of the compared limit, whose bar then has no room for all of it. Further sentences below
 * the bars are about the next load, the gap, the remedy, the published cycles, the block size, and
 * the published order of results. */
static void find_words(struct lines *words, const struct view *view, bool cause)
{
	const struct limit *limit = compared(view);
	const struct advice *advice = &view->advice;

	lines_begin(words, words->at);
	if (cause && limit)
		lines_put(words, 0, STYLE_DIM, panels_cause(view->explanation, NULL, limit));
	if (view->explanation->waits)
		lines_add(words, 0, STYLE_TEXT, "The next load waits %s %s.",
			strncmp(view->explanation->waits, "nothing", 7) == 0 ? "for" : "because",
			view->explanation->waits)
			->tag = WAITS;
	lines_add(words, 0,
		view->gap.kind == GAP_AT_LIMIT ? STYLE_GOOD
		: view->gap.kind == GAP_BELOW  ? STYLE_BAD
					       : STYLE_TEXT,
		"%s%s", limit ? view->gap.words : "no hard limit is known",
		limit && has_causes(view) ? "; G measures why" : "");
	if (view->explanation->in_program)
		lines_add(words, 1, STYLE_TEXT,
			"Memory: %s.\nMemory: unknown; data in L1d assumed.",
			view->explanation->misses.why);
	if (view->why)
		lines_add(words, 0, STYLE_TEXT, "Causes of the gap: %s", why_words(view->why).text);
	if (advice->kind != ADVICE_NONE)
		lines_add(words, 0, STYLE_KEY, "%s%s", advice->kind == ADVICE_KNOB ? "r: " : "",
			advice->words)
			->tag = advice->kind == ADVICE_SENTENCE ? REMEDY : 0;
	add_published(words, view);
	lines_add(words, 0, STYLE_TEXT, "%s", view->blocks.text);
	lines_add(words, 0, STYLE_TEXT, "%s", view->order);
}

/* The limits that have a row in the panel: the highest limits, and always the binding limit, a
 * cost that the prediction lacks, and those that the advice is about. */
struct shown {
	int count, limit[LIMIT_COUNT];
	bool rest; /* true: a last row summarises the limits that have no row of their own */
};

/* Whether the panel shows a limit even if higher limits then have no row. */
static bool is_needed(const struct view *view, int index)
{
	const struct limits *limits = &view->explanation->limits;

	return index == 0 || index == limits->binding || limit_lacks_cost(&limits->limit[index]) ||
	       view->advice.about >> limits->limit[index].kind & 1;
}

/* Returns the number of limits that must have a row. */
static int count_needed(const struct view *view)
{
	int count = 0;

	for (int i = 0; i < view->explanation->limits.limit_count; i++)
		count += is_needed(view, i);
	return count;
}

static void choose(const struct view *view, int room, struct shown *shown)
{
	const struct limits *limits = &view->explanation->limits;
	int count = limits->limit_count, needed = count_needed(view);

	room = int_most(room, 2);
	*shown = (struct shown){ .rest = count > room };
	room -= shown->rest;
	/* The row of the rest gives way to a limit that must have a row. */
	if (shown->rest && needed > room) {
		shown->rest = false;
		room++;
	}
	for (int i = 0; i < count && shown->count < room; i++) {
		bool need = is_needed(view, i);

		if (need || room - shown->count > needed)
			shown->limit[shown->count++] = i;
		needed -= need;
	}
}

/* Draws one row that summarises the limits without a row of their own: "3 more limits, up to
 * 0.250; 1 unknown". */
static void draw_rest(struct box at, int y, const struct limits *limits, const struct shown *shown)
{
	int known = 0, unknown = 0, next = 0;
	double most = NAN;

	for (int i = 0; i < limits->limit_count; i++) {
		if (next < shown->count && i == shown->limit[next]) {
			next++;
			continue;
		}
		if (limits->limit[i].known && known++ == 0)
			most = limits->limit[i].cpe;
		unknown += !limits->limit[i].known;
	}
	if (!known)
		canvas_text(at, 0, y, STYLE_DIM, "%d limit%s unknown", unknown,
			unknown == 1 ? "" : "s");
	else
		canvas_text(at, 0, y, STYLE_DIM, "%d more limit%s %s%s", known,
			known == 1 ? "," : "s, up to", units_cycles(most).text,
			unknown ? words_of("; %d unknown", unknown).text : "");
}

static bool is_cut(const struct line *line)
{
	return strstr(line->words.text, "…");
}

static void remove_line(struct lines *words, int index)
{
	memmove(&words->line[index], &words->line[index + 1],
		(size_t)(words->count - index - 1) * sizeof(words->line[0]));
	words->count--;
}

/* Shortens the advice of a change of the code, if the sentences need more than `room` rows. If the
 * gap has a likely cause, the cause matters more than the advice, which is then removed. */
static void cut_remedy(struct lines *words, const struct view *view, int room)
{
	for (int i = 0; i < words->count; i++) {
		if (words->line[i].tag != REMEDY || lines_rows(words) <= room)
			continue;
		line_cut(words, &words->line[i], 1);
		if (view->gap.likely && lines_rows(words) > room)
			remove_line(words, i);
		return;
	}
}

/* Fills the sentences below the bars, cut to `room` rows. `cause`: with the cause of the compared
 * limit, in two rows as far as the other sentences keep their rows, or if one row cuts it within a
 * clause. */
static void find_cut_words(struct lines *words, const struct view *view, bool cause, int room)
{
	for (int rows = cause ? 0 : 1; rows <= 2; rows++) {
		find_words(words, view, cause);
		cut_remedy(words, view, room);
		if (rows == 0)
			line_cut(words, &words->line[0], 2);
		else
			lines_cut(words, room, rows);
		for (int i = words->count - 1; i >= 0; i--)
			if (words->line[i].tag == WAITS && is_cut(&words->line[i]))
				remove_line(words, i);
		if (rows == 0 ? lines_rows(words) <= room : !cause || !is_cut(&words->line[0]))
			return;
	}
}

static void draw(struct box at, const struct scene *scene)
{
	const struct view *view = scene->view;
	struct lines words;
	const struct limits *limits;
	struct columns columns;
	struct shown shown;
	int y = 0, a = steady_has_a(view), room, spare;
	bool whole;

	if (!view->explanation) {
		canvas_wrap(at, 0, STYLE_TEXT, view->limits_note);
		return;
	}
	limits = &view->explanation->limits;
	columns = measure(at, view, false);
	words.at = at;
	whole = cause_fits(at, &columns, view);
	room = at.height - 1 - a -
	       int_least(limits->limit_count,
		       int_least(int_most(count_needed(view), 3), NEEDED_MOST));
	find_cut_words(&words, view, !whole && compared(view), room);
	/* First two limits and the measured values get rows of the panel, then all sentences that
	 * fit. */
	choose(view, at.height - 1 - a - lines_rows(&words), &shown);
	/* A blank row is before the sentences. */
	spare = at.height - 1 - a - lines_rows(&words) - shown.count - shown.rest - 1;
	for (int i = 0; i < shown.count; i++) {
		int rows = rows_of(at, &columns, &limits->limit[shown.limit[i]], spare);

		draw_limit(at, y, rows, &columns, limits, shown.limit[i]);
		spare -= rows - 1;
		y += rows;
	}
	if (shown.rest)
		draw_rest(at, y++, limits, &shown);
	draw_measured(at, y++, &columns, view);
	if (a)
		draw_a(at, y++, &columns, view);
	y += y + 1 + lines_rows(&words) <= at.height;
	lines_draw(&words, y);
}

/* Returns the number of rows for the rule, the limits, the measured value, A, a blank row, and the
 * sentences. */
static int best_rows(const struct view *view)
{
	const struct explanation *explanation = panels_outline(view);

	return explanation ? 2 + explanation->limits.limit_count + steady_has_a(view) + 1 + 4 : 5;
}

const struct panel panel_limits = {
	.name = "limits",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
	.hides = HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES,
};
