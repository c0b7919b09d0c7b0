/* The command line that reopens what is on screen. */
#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	int row = canvas_wrap(canvas, at, 0, STYLE_DIM,
			  "This command line reopens what is on screen:") +
		  1;

	canvas_wrap(canvas, at, row, STYLE_FIGURE, scene->view->text);
}

const struct panel panel_text = {
	.name = "text",
	.title = "command line",
	.draw = draw,
	.most_rows = 9,
	.focus = FOCUS_COUNT,
};
