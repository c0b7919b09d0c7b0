/* What a screen too small for panels shows: the figure and how to quit, whatever of it fits. */
#include <stdio.h>

#include "ui/panels.h"

/* Draws the first of the lines that fits whole; returns whether one did. */
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

/* The figure in ever fewer columns: rounded, never cut. */
static void draw_figure(struct canvas *canvas, struct rectangle at, const struct view *view)
{
	const struct sample *sample = &view->sample;
	const char *kernel = view->setting.kernel->name, *state = panels_state(view), *frozen;
	char figure[24], whole[160], middle[96], named[96], marked[48], two[16], one[16], zero[16];
	const char *lines[] = { whole, middle, named, marked, figure, two, one, zero };
	const char *comma = state[0] ? ", " : "";

	frozen = view->frozen ? ", frozen" : "";
	panels_figure(sample->cpe, figure, sizeof(figure));
	snprintf(whole, sizeof(whole), "%s  CPE %s %c%s%s%s  q quits  (panels from %dx%d)", kernel, figure,
		(char)sample->cycles_from, comma, state, frozen, LAYOUT_MIN_WIDTH, LAYOUT_MIN_HEIGHT);
	snprintf(middle, sizeof(middle), "%s  CPE %s %c%s%s%s  q quits", kernel, figure, (char)sample->cycles_from,
		comma, state, frozen);
	snprintf(named, sizeof(named), "CPE %s %c%s%s  q quits", figure, (char)sample->cycles_from, comma, state);
	snprintf(marked, sizeof(marked), "%s%s  q", figure, state[0] ? "?" : "");
	snprintf(two, sizeof(two), "%.2f", sample->cpe);
	snprintf(one, sizeof(one), "%.1f", sample->cpe);
	snprintf(zero, sizeof(zero), "%.0f", sample->cpe);
	draw_fitting(canvas, at, 0, STYLE_FIGURE, lines, (int)(sizeof(lines) / sizeof(lines[0])));
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	static const char *const quit[] = { "q quits", "q" };
	static const char *const waiting[] = { "measuring…  q quits", "…  q", "…" };
	static const char *const frozen[] = { "frozen, not measured  q quits", "frozen  q", "-" };
	const struct view *view = scene->view;
	char refused[300];
	const char *failed[] = { refused, "not measured  q quits", "failed  q", "-" };

	if (view->sample.valid) {
		draw_figure(canvas, at, view);
	} else if (view->failure[0]) {
		snprintf(refused, sizeof(refused), "not measured: %s  q quits", view->failure);
		if (at.height >= 3 && at.width >= 20) {
			/* There is room for the reason below. */
			draw_fitting(canvas, at, 0, STYLE_BAD, failed + 1, 3);
			canvas_wrap(canvas, at, 1, STYLE_TEXT, view->failure);
			return;
		}
		draw_fitting(canvas, at, 0, STYLE_BAD, failed, 4);
	} else {
		draw_fitting(canvas, at, 0, STYLE_DIM, view->frozen ? frozen : waiting, 3);
	}
	if (at.height >= 3 && at.width >= 20 && view->entry[0])
		canvas_textf(canvas, at, 0, 1, STYLE_FIGURE, "%s=%s_", view->setting.kernel->knobs[view->knob].name,
			view->entry);
	if (at.height >= 4 && at.width >= 20)
		canvas_wrap(canvas, at, 2, view->notice_bad ? STYLE_BAD : STYLE_TEXT, view->notice);
	/* Where the figure took the whole of the first row. */
	if (at.height > 1 && at.width < 18)
		draw_fitting(canvas, at, 1, STYLE_TEXT, quit, 2);
}

const struct panel panel_line = { .name = "line", .draw = draw, .focus = FOCUS_COUNT };
