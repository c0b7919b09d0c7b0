/* The last message; while there is none, how far the core is that measures itself, what this
 * machine refused and every figure suffers from, or what to press first. What was refused where a
 * recording was made is not said of the machine before which one sits. */
#include <math.h>
#include <stdio.h>

#include "experiment/characterise/characterise.h"
#include "ui/panels.h"

static void refusals(const struct machine *machine, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	if (!machine->bound)
		used = (size_t)snprintf(buffer, size, "%s", machine->bind_note);
	if (!machine->huge_pages && used < size)
		snprintf(buffer + used, size - used, "%s%s", used ? "; " : "", machine->huge_note);
}

/* A message that is too long takes the row above as well, unless an overlay ends there. */
static void draw_notice(struct canvas *canvas, struct rectangle at, const struct view *view,
	enum style style, const char *notice)
{
	struct rectangle words = { at.x + 1, at.y - 1, at.width - 2, 2 };

	if (canvas_columns(canvas, notice) <= words.width || view->overlay != OVERLAY_NONE) {
		canvas_text(canvas, at, 1, 0, style, notice);
		return;
	}
	canvas_fill(canvas, (struct rectangle){ at.x, at.y - 1, at.width, 2 }, STYLE_TEXT);
	canvas_wrap(canvas, words, 0, style, notice);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	char refused[320], doing[200];

	if (view->notice[0]) {
		draw_notice(
			canvas, at, view, view->notice_bad ? STYLE_BAD : STYLE_TEXT, view->notice);
	} else if (view->characterising) {
		snprintf(doing, sizeof(doing),
			"this core measures itself, %.0f %%%s%s; Esc ends it",
			floor(100 * view->characterising->done),
			view->characterising->doing[0] ? ": " : "", view->characterising->doing);
		draw_notice(canvas, at, view, STYLE_TEXT, doing);
	} else if (view->machine && view->machine->known) {
		refused[0] = '\0';
		if (!view->replay)
			refusals(view->machine, refused, sizeof(refused));
		canvas_text(canvas, at, 1, 0, STYLE_DIM,
			refused[0] || !view->hint ? refused : view->hint);
	}
}

const struct panel panel_notice = { .name = "notice", .draw = draw, .focus = FOCUS_COUNT };
