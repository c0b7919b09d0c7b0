/* The list of kernels, the chosen one marked and kept in sight. */
#include <string.h>

#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	int count = 0, built_in, first = 0;

	while (kernel_registry[count])
		count++;
	/* An own loop stands behind them, by the last part of its path. */
	built_in = count;
	count += view->own != NULL;
	if (count > at.height) {
		first = view->kernel_index - at.height / 2;
		if (first > count - at.height)
			first = count - at.height;
		if (first < 0)
			first = 0;
	}
	for (int row = 0; row < at.height && first + row < count; row++) {
		bool chosen = first + row == view->kernel_index;
		enum style style = chosen ? STYLE_FIGURE : STYLE_TEXT;
		const char *name = first + row < built_in ? kernel_registry[first + row]->name :
			strrchr(view->own, '/') ? strrchr(view->own, '/') + 1 : view->own;

		if (chosen)
			canvas_glyph(canvas, at, 0, row, view->focus == FOCUS_KERNELS ? STYLE_FOCUS : STYLE_DIM,
				GLYPH_POINTER);
		canvas_text(canvas, at, 2, row, style, name);
	}
	/* More above or below. */
	if (first > 0)
		canvas_glyph(canvas, at, at.width - 1, 0, STYLE_DIM, GLYPH_UP);
	if (first + at.height < count)
		canvas_glyph(canvas, at, at.width - 1, at.height - 1, STYLE_DIM, GLYPH_DOWN);
}

const struct panel panel_kernels = {
	.name = "kernels", .title = "kernels", .draw = draw, .focus = FOCUS_KERNELS,
};
