/* The ladder of limits: a bar in cycles per element for each limit, the highest first, and below
 * them the measured value on the same scale. Hard limits are solid, soft effects are light and
 * labelled. An unknown limit shows its reason instead of a bar. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "ui/panels.h"

/* From this width on the cause is next to the bar; columns of a number; the most for titles. */
enum { CAUSES_FROM = 92, FIGURE = 7, TITLE_MOST = 30 };

static const char binds[] = "◀ binds", predicted[] = "◀ predicted", soft[] = " (soft)";

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	const struct view *view = scene->view;
	char core[64];

	if (!view->core) {
		snprintf(buffer, size, "limits");
		return;
	}
	panels_core(view->core, core, sizeof(core));
	snprintf(buffer, size,
		view->foreign	? "limits for %s, not this core"
		: view->nearest ? "limits of %s, the nearest known core"
				: "limits in cycles per element, M %s",
		core);
}

static bool wanted(const struct view *view)
{
	return view->explanation || view->outline || view->limits_note[0];
}

/* The columns of a row. */
struct columns {
	int title, bar, tail,
		cause; /* widths of the first three; the last one begins there, 0: none */
	bool brief;    /* little room: the tail labels soft limits */
	double scale;  /* CPE of the longest bar */
};

static void measure(const struct canvas *canvas, const struct view *view, int width, bool brief,
	struct columns *columns)
{
	const struct limits *limits = &view->explanation->limits;

	*columns = (struct columns){ .title = canvas_columns(canvas, "measured"),
		.tail = canvas_columns(canvas, binds) + 1,
		.brief = brief };
	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];
		int used = canvas_columns(canvas, limit_rows[limit->kind].title) +
			   (limit->hard || brief ? 0 : canvas_columns(canvas, soft));

		columns->title = used > columns->title ? used : columns->title;
		if (limit->known)
			columns->scale = fmax(columns->scale, limit->cpe);
	}
	if (limits->predicted_by != limits->binding && !brief)
		columns->tail = canvas_columns(canvas, predicted) + 1;
	if (columns->title > TITLE_MOST)
		columns->title = TITLE_MOST;
	if (view->sample.valid)
		columns->scale = fmax(columns->scale, view->sample.cpe);
	columns->bar = width - columns->title - 1 - FIGURE - 1 - columns->tail;
	if (width >= CAUSES_FROM) {
		columns->bar -= (width - columns->title) * 9 / 20;
		columns->cause = columns->title + 1 + columns->bar + FIGURE + 1 + columns->tail + 1;
	}
	if (columns->bar < 12 && !brief)
		measure(canvas, view, width, true, columns);
	if (columns->bar < 4)
		columns->bar = 4;
}

/* A bar with half-cell precision; a value above 0 has at least half a cell. */
static void draw_bar(struct canvas *canvas, struct rectangle at, int x, int y, int width,
	double share, enum style style, enum glyph glyph)
{
	int halves = (int)lround(share * width * 2);

	if (halves < 1)
		halves = 1;
	for (int i = 0; i < halves / 2 && i < width; i++)
		canvas_glyph(canvas, at, x + i, y, style, glyph);
	if (halves % 2 && halves / 2 < width)
		canvas_glyph(canvas, at, x + halves / 2, y, style,
			glyph == GLYPH_SHADE4 ? GLYPH_LEFT_HALF : glyph);
}

static void draw_limit(struct canvas *canvas, struct rectangle at, int y,
	const struct columns *columns, const struct limits *limits, int index)
{
	const struct limit *limit = &limits->limit[index];
	bool binding = index == limits->binding;
	enum style style = binding ? STYLE_FIGURE : STYLE_TEXT;
	struct rectangle title_at = { at.x, at.y, columns->title, at.height };
	int x = columns->title + 1;
	char title[48];

	snprintf(title, sizeof(title), "%s%s", limit_rows[limit->kind].title,
		limit->hard || columns->brief ? "" : soft);
	canvas_text(canvas, title_at, 0, y, style, title);
	if (!limit->known) {
		char reason[200];

		snprintf(reason, sizeof(reason), "unknown: %s", limit->cause);
		canvas_text(canvas, at, x, y, STYLE_DIM, reason);
		return;
	}
	draw_bar(canvas, at, x, y, columns->bar,
		columns->scale > 0 ? limit->cpe / columns->scale : 0,
		!limit->hard ? STYLE_DIM
		: binding    ? STYLE_WARN
			     : STYLE_BAR,
		limit->hard ? GLYPH_SHADE4 : GLYPH_SHADE1);
	x += columns->bar + FIGURE;
	canvas_text_right(canvas, at, x, y, style, panels_number(limit->cpe).text);
	if (binding)
		canvas_text(canvas, at, x + 1, y, STYLE_WARN, binds);
	else if (index == limits->predicted_by)
		canvas_text(
			canvas, at, x + 1, y, STYLE_WARN, columns->brief ? "◀ soft" : predicted);
	else if (!limit->hard && columns->brief)
		canvas_text(canvas, at, x + 1, y, STYLE_DIM, "  soft");
	if (columns->cause)
		canvas_text(canvas, at, columns->cause, y, STYLE_DIM, limit->cause);
}

/* The measured value with its source and spread. */
static void draw_measured(struct canvas *canvas, struct rectangle at, int y,
	const struct columns *columns, const struct view *view)
{
	const struct sample *sample = &view->sample;
	enum style style = panels_state(view)[0] ? STYLE_WARN : STYLE_FIGURE;
	int x = columns->title + 1;
	char tail[64];

	canvas_text(canvas, at, 0, y, STYLE_FIGURE, "measured");
	if (!sample->valid) {
		canvas_text(canvas, at, x, y, STYLE_DIM,
			view->failure[0] || (view->frozen && !view->measuring) ? "not measured"
			: view->characterising				       ? "after the core"
			: view->probing					       ? "after the probe"
									       : "measuring…");
		return;
	}
	draw_bar(canvas, at, x, y, columns->bar,
		columns->scale > 0 ? sample->cpe / columns->scale : 0, STYLE_FIGURE, GLYPH_SHADE3);
	x += columns->bar + FIGURE;
	canvas_text_right(canvas, at, x, y, style, panels_number(sample->cpe).text);
	snprintf(tail, sizeof(tail), "%c %s", (char)sample->cycles_from, panels_state(view));
	canvas_text(canvas, at, x + 1, y, style, tail);
	snprintf(tail, sizeof(tail), "quartiles %s … %s", panels_number(sample->cpe_lo).text,
		panels_number(sample->cpe_hi).text);
	if (columns->cause && sample->trials >= PANELS_QUARTILES_FROM)
		canvas_text(canvas, at, columns->cause, y, STYLE_DIM, tail);
}

/* Sentences below the bars: the binding limit's cause if no bar has it next to it, what the next
 * load waits for, the gap, the remedy, the block size, and whether the published order holds here.
 */
enum { WORDS = 6 };
struct words {
	char text[WORDS][600];
	enum style style[WORDS];
	int rows[WORDS], total;
};

static void find_words(const struct canvas *canvas, const struct view *view, int width, bool cause,
	struct words *words)
{
	const struct limits *limits = &view->explanation->limits;
	const struct advice *advice = &view->advice;

	memset(words, 0, sizeof(*words));
	if (cause && limits->binding >= 0)
		snprintf(words->text[0], sizeof(words->text[0]), "%s",
			limits->limit[limits->binding].cause);
	words->style[0] = STYLE_DIM;
	if (view->explanation->waits)
		snprintf(words->text[1], sizeof(words->text[1]), "The next load waits for: %s.",
			view->explanation->waits);
	words->style[1] = STYLE_TEXT;
	snprintf(words->text[2], sizeof(words->text[2]), "%s",
		limits->binding < 0 ? "no hard limit is known" : view->gap.words);
	words->style[2] = view->gap.kind == GAP_AT_LIMIT ? STYLE_GOOD
			  : view->gap.kind == GAP_BELOW	 ? STYLE_BAD
							 : STYLE_TEXT;
	if (advice->kind == ADVICE_KNOB)
		snprintf(words->text[3], sizeof(words->text[3]), "r: %s", advice->words);
	else if (advice->kind == ADVICE_SENTENCE)
		snprintf(words->text[3], sizeof(words->text[3]), "To go faster: %s", advice->words);
	words->style[3] = STYLE_KEY;
	snprintf(words->text[4], sizeof(words->text[4]), "%s", view->blocks);
	words->style[4] = STYLE_TEXT;
	snprintf(words->text[5], sizeof(words->text[5]), "%s", view->order);
	words->style[5] = STYLE_TEXT;
	for (int i = 0; i < WORDS; i++) {
		words->rows[i] =
			words->text[i][0] ? canvas_wrap_rows(canvas, width, words->text[i]) : 0;
		words->total += words->rows[i];
	}
}

/* If the sentences need too many rows, each one is cut to a row. */
static void cut_words(const struct canvas *canvas, int width, int room, struct words *words)
{
	for (int i = 0; i < WORDS && words->total > room; i++) {
		if (words->rows[i] < 2)
			continue;
		panels_cut(canvas, width, 1, words->text[i], sizeof(words->text[i]));
		words->total -= words->rows[i] - 1;
		words->rows[i] = 1;
	}
}

/* The limits that have a row: the highest ones, and always the binding one. */
struct shown {
	int count, limit[LIMIT_COUNT];
	bool rest; /* one row summarises the others */
};

static void choose(const struct limits *limits, int room, struct shown *shown)
{
	int count = limits->limit_count;

	room = room < 2 ? 2 : room;
	shown->rest = count > room;
	shown->count = shown->rest ? room - 1 : count;
	for (int i = 0; i < shown->count; i++)
		shown->limit[i] = i;
	if (limits->binding < shown->count)
		return;
	/* Soft effects are higher. */
	if (shown->count == 1) {
		shown->count = 2;
		shown->rest = false;
	}
	shown->limit[shown->count - 1] = limits->binding;
}

static bool is_shown(const struct shown *shown, int index)
{
	for (int i = 0; i < shown->count; i++)
		if (shown->limit[i] == index)
			return true;
	return false;
}

/* "3 more, up to 0.250; 1 unknown" */
static void name_rest(
	const struct limits *limits, const struct shown *shown, char *buffer, size_t size)
{
	int known = 0, unknown = 0;
	char figure[24] = "";

	for (int i = 0; i < limits->limit_count; i++) {
		if (is_shown(shown, i))
			continue;
		if (limits->limit[i].known && known++ == 0)
			units_figure(limits->limit[i].cpe, figure, sizeof(figure));
		unknown += !limits->limit[i].known;
	}
	if (known && unknown)
		snprintf(buffer, size, "%d more, up to %s; %d unknown", known, figure, unknown);
	else if (known)
		snprintf(buffer, size, "%d more, up to %s", known, figure);
	else
		snprintf(buffer, size, "%d unknown", unknown);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const struct limits *limits;
	struct columns columns;
	struct words words;
	struct shown shown;
	int y = 0;
	char rest[64];

	if (!view->explanation) {
		canvas_wrap(canvas, at, 0, STYLE_TEXT, view->limits_note);
		return;
	}
	limits = &view->explanation->limits;
	measure(canvas, view, at.width, false, &columns);
	find_words(canvas, view, at.width, !columns.cause, &words);
	cut_words(canvas, at.width,
		at.height - 1 - (limits->limit_count < 3 ? limits->limit_count : 3), &words);
	/* At least two limits, the measured value, then as many sentences as fit. */
	choose(limits, at.height - 1 - words.total, &shown);
	for (int i = 0; i < shown.count; i++)
		draw_limit(canvas, at, y++, &columns, limits, shown.limit[i]);
	if (shown.rest) {
		name_rest(limits, &shown, rest, sizeof(rest));
		canvas_text(canvas, at, 0, y++, STYLE_DIM, rest);
	}
	draw_measured(canvas, at, y++, &columns, view);
	y += y + 1 + words.total <= at.height;
	for (int i = 0; i < WORDS; i++)
		if (words.rows[i] && y < at.height)
			y += canvas_wrap(canvas, at, y, words.style[i], words.text[i]);
}

/* Rule, limits, measured value, a blank row, sentences. */
static int best_rows(const struct view *view)
{
	const struct explanation *explanation = panels_outline(view);

	return explanation ? 1 + explanation->limits.limit_count + 1 + 1 + 4 : 5;
}

const struct panel panel_ladder = {
	.name = "ladder",
	.title_of = title_of,
	.draw = draw,
	.wanted = wanted,
	.best_rows = best_rows,
};
