/* The list of kernels, the chosen one marked and kept in sight. */
#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	int count = 0, first = 0;

	while (kernel_registry[count])
		count++;
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

		if (chosen)
			canvas_glyph(canvas, at, 0, row, view->focus == FOCUS_KERNELS ? STYLE_FOCUS : STYLE_DIM,
				GLYPH_POINTER);
		canvas_text(canvas, at, 2, row, style, kernel_registry[first + row]->name);
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
