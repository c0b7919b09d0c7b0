/* The find line and what it found. */
#include <string.h>

#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	const char *find = view->find;
	int rows = at.height - 2, first = 0, length = (int)strlen(find), x;

	x = canvas_text(canvas, at, 0, 0, STYLE_KEY, "/ ");
	/* Of a long one the end is on screen, where it is written; what is typed is ASCII. */
	if (length > at.width - x - 1 && at.width - x - 2 > 0) {
		canvas_glyph(canvas, at, x++, 0, STYLE_DIM, GLYPH_ELLIPSIS);
		find += length - (at.width - x - 1);
		while (((unsigned char)*find & 0xc0) == 0x80)
			find++;
	}
	canvas_textf(canvas, at, x, 0, STYLE_FIGURE, "%s_", find);
	if (view->found_count == 0) {
		canvas_text(canvas, at, 0, 2, STYLE_WARN, "nothing of that name");
		return;
	}
	if (view->found_count > rows)
		first = view->found_selected - rows / 2;
	if (first > view->found_count - rows)
		first = view->found_count - rows;
	if (first < 0)
		first = 0;
	if (view->found_more)
		canvas_textf(canvas, at, 2, 1, STYLE_DIM,
			"and %d more event%s: another word leaves fewer", view->found_more,
			view->found_more == 1 ? "" : "s");
	for (int i = 0; i < rows && first + i < view->found_count; i++) {
		bool chosen = first + i == view->found_selected;

		if (chosen)
			canvas_glyph(canvas, at, 0, 2 + i, STYLE_FOCUS, GLYPH_POINTER);
		canvas_text(canvas, at, 2, 2 + i, chosen ? STYLE_FOCUS : STYLE_TEXT,
			view->found[first + i].label);
	}
}

const struct panel panel_find = {
	.name = "find", .title = "find", .draw = draw, .focus = FOCUS_COUNT
};
