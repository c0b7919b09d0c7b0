/* A screen too small for panels: setting, value, state and how to quit, on as many rows as there
 * are. One row shows the value and how to quit, as far as they fit. */
#include <stdio.h>

#include "base/units.h"
#include "ui/panels.h"

/* Narrower screens use only their first row. */
enum { ROWS_FROM = 20 };

/* Draws the first line that fits whole. Returns false if none does. */
static bool draw_fitting(struct canvas *canvas, struct rectangle at, int y, enum style style,
	const char *const *lines, int count)
{
	for (int i = 0; i < count; i++) {
		if (canvas_columns(canvas, lines[i]) <= at.width) {
			canvas_text(canvas, at, 0, y, style, lines[i]);
			return true;
		}
	}
	return false;
}

/* The value in fewer and fewer columns: rounded, never cut. */
static void draw_figure(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *kernel = view->setting.kernel->name, *state = panels_state(view), *frozen;
	char figure[24], whole[160], middle[96], named[96], marked[48], two[16], one[16], zero[16];
	const char *lines[] = { whole, middle, named, marked, figure, two, one, zero };
	const char *comma = state[0] ? ", " : "";

	frozen = view->frozen ? ", frozen" : view->recording ? ", recording" : "";
	units_figure(sample->cpe, figure, sizeof(figure));
	snprintf(whole, sizeof(whole), "%s  CPE %s %c%s%s%s  q quits  (panels from %dx%d)", kernel,
		figure, (char)sample->cycles_from, comma, state, frozen, LAYOUT_MIN_WIDTH,
		LAYOUT_MIN_HEIGHT);
	snprintf(middle, sizeof(middle), "%s  CPE %s %c%s%s%s  q quits", kernel, figure,
		(char)sample->cycles_from, comma, state, frozen);
	snprintf(named, sizeof(named), "CPE %s %c%s%s  q quits", figure, (char)sample->cycles_from,
		comma, state);
	snprintf(marked, sizeof(marked), "%s%s  q", figure, state[0] ? "?" : "");
	snprintf(two, sizeof(two), "%.2f", sample->cpe);
	snprintf(one, sizeof(one), "%.1f", sample->cpe);
	snprintf(zero, sizeof(zero), "%.0f", sample->cpe);
	draw_fitting(canvas, at, 0, STYLE_FIGURE, lines, (int)(sizeof(lines) / sizeof(lines[0])));
}

/* One row: the value, or why there is none. */
static void draw_short(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	static const char *const waiting[] = { "measuring…  q quits", "…  q", "…" };
	static const char *const probing[] = { "probing…  q quits", "…  q", "…" };
	static const char *const core[] = { "this core…  q quits", "…  q", "…" };
	static const char *const frozen[] = { "frozen, not measured  q quits", "frozen  q", "-" };
	char refused[300], ahead[100], left[40];
	const char *preparing[] = { ahead, "measuring…  q quits", "…  q", "…" };
	const char *failed[] = { refused, "not measured  q quits", "failed  q", "-" };

	if (view->sample.valid) {
		draw_figure(canvas, at, view);
	} else if (view->failure[0]) {
		snprintf(refused, sizeof(refused), "not measured: %s  q quits", view->failure);
		draw_fitting(canvas, at, 0, STYLE_BAD, failed, 4);
	} else if (panels_ahead(view, ahead, sizeof(ahead), left)) {
		draw_fitting(canvas, at, 0, STYLE_DIM, preparing, 4);
	} else {
		draw_fitting(canvas, at, 0, STYLE_DIM,
			view->frozen	       ? frozen
			: view->characterising ? core
			: view->probing	       ? probing
					       : waiting,
			3);
	}
}

/* The value in a row of its own, with spread and source if they fit. */
static void draw_figure_row(
	struct canvas *canvas, struct rectangle at, int y, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *source = panels_source(sample->cycles_from);
	bool spread = sample->trials >= PANELS_QUARTILES_FROM;
	char figure[24], lo[24], hi[24], whole[128], middle[96], narrow[64];
	const char *lines[] = { whole, middle, narrow, figure };

	units_figure(sample->cpe, figure, sizeof(figure));
	units_figure(sample->cpe_lo, lo, sizeof(lo));
	units_figure(sample->cpe_hi, hi, sizeof(hi));
	snprintf(whole, sizeof(whole), "CPE %s  quartiles %s … %s  %s", figure, lo, hi, source);
	snprintf(middle, sizeof(middle), "CPE %s  %s … %s  %.1s", figure, lo, hi, source);
	if (!spread)
		snprintf(whole, sizeof(whole), "CPE %s  %s", figure, source);
	snprintf(narrow, sizeof(narrow), "CPE %s  %.1s", figure, source);
	if (!spread)
		snprintf(middle, sizeof(middle), "%s", narrow);
	draw_fitting(canvas, at, y, panels_state(view)[0] ? STYLE_WARN : STYLE_FIGURE, lines,
		(int)(sizeof(lines) / sizeof(lines[0])));
}

/* "contended, 12 % of trials quiet; quiet: 0.498", "frozen", "live". */
static void state_words(const struct view *view, char *buffer, size_t size)
{
	const struct sample *sample = &view->sample;
	const char *state = panels_state(view);
	const char *word = view->frozen			? "frozen"
			   : view->failure[0]		? "stopped"
			   : view->characterising	? "this core"
			   : view->probing		? "probing"
			   : state[0] || !sample->valid ? ""
			   : view->replay		? "replay"
							: "live";
	size_t used = (size_t)snprintf(buffer, size, "%s%s%s%s", word,
		(view->frozen || view->probing) && state[0] ? ", " : "", state,
		view->recording ? ", recording" : "");

	if (sample->valid && sample->contended && view->quiet.valid && used < size) {
		snprintf(buffer + used, size - used, "; quiet: %s",
			panels_number(view->quiet.cpe).text);
	}
}

/* Several rows: setting, value, state, the last message and how to quit. With two rows, the state
 * is next to the value. */
static void draw_rows(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	char words[200], quit[64], left[40];
	const char *quits[] = { quit, "q quits" };
	int last = at.height - 1;

	if (view->entry[0])
		snprintf(words, sizeof(words), "%s %s=%s_", view->setting.kernel->name,
			view->setting.kernel->knobs[view->knob].name, view->entry);
	else
		panels_setting(&view->setting, NULL, words, sizeof(words));
	panels_cut(canvas, at.width, 1, words, sizeof(words));
	canvas_text(canvas, at, 0, 0, view->entry[0] ? STYLE_FIGURE : STYLE_TITLE, words);
	if (at.height == 2) {
		draw_short(canvas, (struct rectangle){ at.x, at.y + 1, at.width, 1 }, view);
		return;
	}
	if (view->sample.valid)
		draw_figure_row(canvas, at, 1, view);
	else if (panels_ahead(view, words, sizeof(words), left))
		canvas_text(canvas, at, 0, 1, STYLE_DIM, words);
	else
		canvas_text(canvas, at, 0, 1, view->failure[0] ? STYLE_BAD : STYLE_DIM,
			view->failure[0]       ? "not measured"
			: view->frozen	       ? "frozen before it was measured"
			: view->characterising ? "measured after the core"
			: view->probing	       ? "measured after the probe"
					       : "measuring…");
	state_words(view, words, sizeof(words));
	snprintf(quit, sizeof(quit), "q quits  (panels from %dx%d)", LAYOUT_MIN_WIDTH,
		LAYOUT_MIN_HEIGHT);
	if (at.height == 3) {
		int room = at.width - 9;

		panels_cut(canvas, room, 1, words, sizeof(words));
		canvas_text(canvas, (struct rectangle){ at.x, at.y, room, at.height }, 0, 2,
			STYLE_TEXT, words);
		canvas_text_right(canvas, at, at.width, 2, STYLE_DIM, quits[1]);
		return;
	}
	at.height = last;
	if (view->failure[0]) {
		canvas_wrap(canvas, at, 2, STYLE_TEXT, view->failure);
	} else {
		canvas_text(
			canvas, at, 0, 2, panels_state(view)[0] ? STYLE_WARN : STYLE_TEXT, words);
		canvas_wrap(canvas, at, 3, view->notice_bad ? STYLE_BAD : STYLE_TEXT, view->notice);
	}
	at.height = last + 1;
	draw_fitting(canvas, at, last, STYLE_DIM, quits, 2);
}

/* The REPLAY stamp has priority: a row of its own, or the start of the only row. Returns the rest.
 */
static struct rectangle draw_stamp(
	struct canvas *canvas, struct rectangle at, const struct view *view)
{
	struct rectangle rest = { at.x, at.y + 1, at.width, at.height - 1 };
	char words[160];
	int used;

	panels_replay(view, words, sizeof(words));
	if (at.height > 1) {
		canvas_text(canvas, at, 0, 0, STYLE_SELECTED,
			canvas_columns(canvas, words) > at.width ? "REPLAY" : words);
		return rest;
	}
	used = canvas_text(canvas, at, 0, 0, STYLE_SELECTED, "REPLAY") + 1;
	return (struct rectangle){ at.x + used, at.y, at.width - used, 1 };
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	static const char *const quit[] = { "q quits", "q" };

	if (scene->view->replay)
		at = draw_stamp(canvas, at, scene->view);
	if (at.height > 1 && at.width >= ROWS_FROM) {
		draw_rows(canvas, at, scene->view);
		return;
	}
	draw_short(canvas, at, scene->view);
	/* If the value used the whole first row. */
	if (at.height > 1)
		draw_fitting(canvas, at, 1, STYLE_TEXT, quit, 2);
}

const struct panel panel_line = { .name = "line", .draw = draw };
