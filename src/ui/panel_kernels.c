/* The list of kernels. The chosen one is marked and visible. */
#include <string.h>

#include "ui/panels.h"

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct view *view = scene->view;
	int count = 0, kernels = 0, first = 0, chosen_row = 0, index[VIEW_KERNELS + 1];

	for (; kernel_registry[kernels]; kernels++) {
		if (kernels >= VIEW_KERNELS || view->kernel_absent[kernels])
			continue;
		if (kernels == view->kernel_index)
			chosen_row = count;
		index[count++] = kernels;
	}
	/* An own loop comes after them, by the last part of its path. */
	if (view->own) {
		if (view->kernel_index == kernels)
			chosen_row = count;
		index[count++] = kernels;
	}
	if (count > at.height) {
		first = chosen_row - at.height / 2;
		if (first > count - at.height)
			first = count - at.height;
		if (first < 0)
			first = 0;
	}
	for (int row = 0; row < at.height && first + row < count; row++) {
		int kernel = index[first + row];
		bool chosen = kernel == view->kernel_index;
		enum style style = chosen ? STYLE_FIGURE : STYLE_TEXT;
		const char *name = kernel < kernels	     ? kernel_registry[kernel]->name
				   : strrchr(view->own, '/') ? strrchr(view->own, '/') + 1
							     : view->own;

		if (chosen)
			canvas_glyph(canvas, at, 0, row,
				panels_named(view->focus, "kernels") ? STYLE_FOCUS : STYLE_DIM,
				GLYPH_POINTER);
		canvas_text(canvas, at, 2, row, style, name);
	}
	/* Arrows: more kernels above or below. */
	if (first > 0)
		canvas_glyph(canvas, at, at.width - 1, 0, STYLE_DIM, GLYPH_UP);
	if (first + at.height < count)
		canvas_glyph(canvas, at, at.width - 1, at.height - 1, STYLE_DIM, GLYPH_DOWN);
}

const struct panel panel_kernels = {
	.name = "kernels",
	.title = "kernels",
	.draw = draw,
	.focus = "kernels",
};

/* ---- what the chosen one is ---- */

/* The kernel's title, what to look for, and its source in the literature. */

static void about_title(const struct scene *scene, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", scene->view->setting.kernel->name);
}

static void draw_about(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	const struct kernel *kernel = scene->view->setting.kernel;
	int need, row = 0;

	if (at.width > 84)
		at.width = 84; /* longer lines are hard to read */
	need = canvas_wrap_rows(canvas, at.width, kernel->title) +
	       canvas_wrap_rows(canvas, at.width, kernel->look_for);
	if (need <= at.height)
		row = canvas_wrap(canvas, at, 0, STYLE_FIGURE, kernel->title);
	row += canvas_wrap(canvas, at, row, STYLE_TEXT, kernel->look_for);
	need = canvas_wrap_rows(canvas, at.width, kernel->document);
	if (row + 1 + need <= at.height)
		canvas_wrap(canvas, at, row + 1, STYLE_DIM, kernel->document);
	else if (row + need <= at.height)
		canvas_wrap(canvas, at, row, STYLE_DIM, kernel->document);
}

const struct panel panel_about = { .name = "about", .title_of = about_title, .draw = draw_about };
