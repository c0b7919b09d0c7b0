/* The slices of the mountain through the present setting: over size, and over stride (or, for a
 * kernel without one, over the chosen knob). Where only one has room it is the one of the chosen
 * knob. */
#include <stdio.h>

#include "ui/panels.h"
#include "ui/plot.h"

/* What the first panel shows. */
static const struct view_slice *first_slice(const struct scene *scene)
{
	const struct view *view = scene->view;

	/* A kernel without a size has the other one alone. */
	if (view->by_size.knob < 0 || (!scene->by_stride_shown && view->by_stride.knob >= 0 &&
					      view->knob == view->by_stride.knob))
		return &view->by_stride;
	return &view->by_size;
}

static void first_title(const struct scene *scene, char *buffer, size_t size)
{
	plot_title(scene->view, first_slice(scene), buffer, size);
}

static void first_draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	plot_draw(canvas, at, scene->view, first_slice(scene));
}

static bool first_wanted(const struct view *view)
{
	return view->by_size.knob >= 0 || view->by_stride.knob >= 0;
}

static void second_title(const struct scene *scene, char *buffer, size_t size)
{
	plot_title(scene->view, &scene->view->by_stride, buffer, size);
}

static void second_draw(struct canvas *canvas, struct rectangle at, const struct scene *scene)
{
	plot_draw(canvas, at, scene->view, &scene->view->by_stride);
}

static bool second_wanted(const struct view *view)
{
	return view->by_size.knob >= 0 && view->by_stride.knob >= 0;
}

const struct panel panel_by_size = {
	.name = "by-size",
	.title_of = first_title,
	.draw = first_draw,
	.wanted = first_wanted,
	.focus = FOCUS_SLICES,
};

const struct panel panel_by_stride = {
	.name = "by-stride",
	.title_of = second_title,
	.draw = second_draw,
	.wanted = second_wanted,
	.focus = FOCUS_SLICES,
};
