/* The last message. */
#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;

	canvas_text(canvas, at, 1, 0, view->notice_bad ? STYLE_BAD : STYLE_TEXT, view->notice);
}

const struct panel panel_notice = { .name = "notice", .draw = draw, .focus = FOCUS_COUNT };
