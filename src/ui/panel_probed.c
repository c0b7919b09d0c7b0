/* Shows measured port pressure (source letter P) below the ports: for each resource of the core,
 * the cycles per iteration for which the loop keeps the resource busy. If the core model has
 * another value for a resource, the panel shows the model's value too. For idle resources that
 * agree with the core model, the panel shows only their number. */
#include <string.h>

#include "experiment/slack/slack.h"
#include "ui/panels.h"

/* Resources that are busy for fewer than IDLE cycles per iteration are shown as idle. A value whose
 * spread is more than WIDE cycles is shown with its own spread; the first word has the largest
 * spread of the others. */
#define IDLE 0.15
#define WIDE 0.1

/* The place where the next word of the text about port pressure is drawn. */
struct flow {
	struct box at;
	int x, y;
	bool cut; /* the panel has too few rows for the text */
};

/* How the panel shows a resource: its value, or as one of the resources that it only counts. */
enum group {
	SHOWN,
	IDLE_AS_MODELLED,
	CONTENDED, /* noise of a contended core looks like pressure */
	UNCLEAR,   /* the added instructions took other times than the core model says, so the value
		      may be far off */
	NOT_MEASURED,
	TO_MEASURE,
	GROUPS
};

/* Whether a later measurement may still change the value: a value that differs from the core model
 * is measured again before the probe is complete. */
static bool is_provisional(const struct slack_report *slack, const struct slack_resource *resource)
{
	return !slack->complete && resource->kind == SLACK_EXACT &&
	       slack_differs(resource, resource->model);
}

static enum group group_of(const struct slack_report *slack, const struct slack_resource *resource)
{
	if (resource->kind == SLACK_FAILED)
		return NOT_MEASURED;
	if (resource->kind == SLACK_WAITS)
		return TO_MEASURE;
	if (resource->contended)
		return CONTENDED;
	if (resource->kind == SLACK_AMBIGUOUS)
		return UNCLEAR;
	if (is_provisional(slack, resource))
		return TO_MEASURE;
	return resource->kind == SLACK_EXACT && resource->pressure < IDLE && resource->model < IDLE
		       ? IDLE_AS_MODELLED
		       : SHOWN;
}

/* Draws a word of the text about port pressure, in the next row if the word does not fit. Draws
 * nothing if the panel has no further row for the word. If the text is cut, the last row keeps room
 * for the ellipsis. The word has `bytes` bytes. */
static void put_word(struct flow *flow, enum style style, const char *word, int bytes)
{
	bool last = flow->cut && flow->y == flow->at.height - 1;
	int width = 0;

	for (int i = 0; i < bytes; i++)
		width += (word[i] & 0xc0) != 0x80;
	if (flow->x > 0 && flow->x + width > flow->at.width - 2 * last) {
		flow->x = 0;
		flow->y++;
	}
	if (flow->y < flow->at.height)
		canvas_text(flow->at, flow->x, flow->y, style, "%.*s", bytes, word);
	flow->x += width + 2;
}

static void put(struct flow *flow, enum style style, struct words words)
{
	put_word(flow, style, words.text, (int)strlen(words.text));
}

/* Draws a sentence, which continues in the next row if it does not fit. */
static void put_sentence(struct flow *flow, const char *text)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		put_word(flow, STYLE_DIM, text, length);
		flow->x--; /* one space between words, not two */
		text += length + strspn(text + length, " ");
	}
}

/* Returns the spread of a measured value, half the distance of its quartiles. A bound has none: 0.
 */
static double spread_of(const struct slack_resource *resource)
{
	return resource->kind == SLACK_EXACT ? (resource->pressure_hi - resource->pressure_lo) / 2
					     : 0;
}

static struct words words_of_resource(const struct slack_resource *resource)
{
	const char *bound = resource->kind == SLACK_AT_LEAST ? "<" : "";
	double spread = spread_of(resource);
	struct words words =
		words_of("%s %s%.2f", slack_shown(resource->name), bound, resource->pressure);

	if (spread > WIDE)
		words = words_of("%s±%.2f", words.text, spread);
	if (slack_differs(resource, resource->model))
		words = words_of("%s (M %.2f)", words.text, resource->model);
	return words;
}

/* "P probed ±0.02:", with the largest spread of the values that do not show their own. */
static struct words begin_words(const struct slack_report *slack)
{
	double most = 0;

	for (int i = 0; i < slack->count; i++) {
		double spread = spread_of(&slack->resource[i]);

		if (group_of(slack, &slack->resource[i]) == SHOWN && spread <= WIDE)
			most = spread > most ? spread : most;
	}
	return most < 0.005 ? words_of("P probed:") : words_of("P probed ±%.2f:", most);
}

static enum style style_of(const struct slack_resource *resource)
{
	if (resource->kind != SLACK_EXACT)
		return STYLE_DIM;
	return slack_differs(resource, resource->model) ? STYLE_WARN : STYLE_TEXT;
}

/* Draws all words of the text about port pressure. If `at` has no rows, draws nothing and only
 * computes where the text would end. */
static void flow_words(struct flow *flow, const struct slack_report *slack)
{
	const char *why = slack->status.text;
	int count[GROUPS] = { 0 };

	if (!status_is_ok(&slack->status)) {
		put_sentence(flow, words_of("P unavailable: %s", why).text);
		return;
	}
	put(flow, STYLE_DIM, begin_words(slack));
	for (int i = 0; i < slack->count; i++) {
		const struct slack_resource *resource = &slack->resource[i];
		enum group group = group_of(slack, resource);

		if (group == SHOWN)
			put(flow, style_of(resource), words_of_resource(resource));
		if (group == NOT_MEASURED && count[group] == 0)
			why = resource->why;
		count[group]++;
	}
	/* A port of such a group may be full of operations that other ports execute, too. */
	if (count[IDLE_AS_MODELLED]) {
		put_sentence(flow,
			words_of("%d other%s: nothing that only %s execute%s",
				count[IDLE_AS_MODELLED], count[IDLE_AS_MODELLED] == 1 ? "" : "s",
				count[IDLE_AS_MODELLED] == 1 ? "it" : "they",
				count[IDLE_AS_MODELLED] == 1 ? "s" : "")
				.text);
		flow->x++;
	}
	if (count[UNCLEAR])
		put(flow, STYLE_DIM, words_of("%d unclear", count[UNCLEAR]));
	if (count[NOT_MEASURED]) {
		put_sentence(flow, words_of("%d not measured: %s", count[NOT_MEASURED], why).text);
		flow->x++;
	}
	if (count[CONTENDED])
		put(flow, STYLE_WARN,
			words_of("core contended: %d value%s not shown", count[CONTENDED],
				count[CONTENDED] == 1 ? "" : "s"));
	if (count[TO_MEASURE] && !slack->complete)
		put(flow, STYLE_DIM, words_of("%d to measure", count[TO_MEASURE]));
}

int probed_rows(const struct view *view, int width)
{
	struct flow flow = { .at = { .width = width } };

	if (!view->slack || (view->slack->count == 0 && status_is_ok(&view->slack->status)))
		return 0;
	flow_words(&flow, view->slack);
	return flow.y + 1;
}

int probed_draw(struct box at, const struct view *view)
{
	struct flow flow = { .at = at };
	int rows = probed_rows(view, at.width);

	if (rows == 0)
		return 0;
	flow.cut = rows > at.height;
	if (flow.cut && !status_is_ok(&view->slack->status)) {
		struct words why = words_of("P unavailable: %s", view->slack->status.text);

		panels_cut_clauses(at, at.height, why.text, sizeof(why.text));
		canvas_wrap(at, 0, STYLE_DIM, why.text);
		return at.height;
	}
	flow_words(&flow, view->slack);
	if (flow.cut)
		canvas_right(at, at.width, at.height - 1, STYLE_DIM, " …");
	if (view->slack->contradiction[0] && rows < at.height)
		rows += canvas_wrap(box_part(at, 0, rows, at.width, at.height - rows), 0,
			STYLE_WARN, view->slack->contradiction);
	return rows < at.height ? rows : at.height;
}
