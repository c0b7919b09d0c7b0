/* What the kernel is, what to look for, and where it comes from. */
#include "ui/panels.h"

static void title_of(const struct scene *scene, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", scene->view->setting.kernel->name);
}

static void draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
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

const struct panel panel_about = {
	.name = "about", .title_of = title_of, .draw = draw, .focus = FOCUS_COUNT
};
