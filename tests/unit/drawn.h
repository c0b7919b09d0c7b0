/* Canvases and panels as text. Include in one source file of a test. */
#pragma once

#include "check.h"

#include "ui/panels.h"
#include "ui/steady.h"

static struct view view;  /* what draw() and title() show */
static char shown[40000]; /* what was printed last */

/* A view of a kernel with one quiet sample. */
static inline void view_begin(const struct kernel *kernel)
{
	memset(&view, 0, sizeof(view));
	setting_init(&view.setting, kernel);
	view.ratio = view.last_ghz = NAN;
	view.sample = (struct sample){ .valid = true,
		.cpe = 2,
		.cpe_lo = 1.99,
		.cpe_hi = 2.01,
		.trials = 85,
		.quiet = 1,
		.ghz = 4,
		.ns = 0.5,
		.gbps = 16,
		.bytes_per_cycle = 4,
		.cycles_from = SOURCE_REFERENCE,
		.modes = 1 };
}

/* The canvas as text, in `shown`. */
static inline const char *printed(struct canvas *canvas)
{
	FILE *file = fmemopen(shown, sizeof(shown) - 1, "w");

	memset(shown, 0, sizeof(shown));
	canvas_print(canvas, file);
	fclose(file);
	return shown;
}

/* Fails if a panel draws outside its box. */
static inline void draws_inside(
	const struct panel *panel, const struct scene *scene, int width, int height)
{
	enum { BELOW = 8 };
	struct canvas canvas;

	canvas_init(&canvas, width, height + BELOW, true);
	panel->draw(box_part(canvas_box(&canvas), 0, 0, width, height), scene);
	for (int i = width * height; i < width * (height + BELOW); i++)
		if (canvas.cells[i].character != L' ')
			fail_msg("%s draws outside its box of %d x %d", panel->name, width, height);
	canvas_free(&canvas);
}

static inline const char *draw(const struct panel *panel, int width, int height)
{
	struct scene scene = { .view = &view };
	struct steady steady = { 0 };
	struct canvas canvas;

	steady_hold(&steady, &view);
	canvas_init(&canvas, width, height, true);
	panel->draw(canvas_box(&canvas), &scene);
	printed(&canvas);
	canvas_free(&canvas);
	draws_inside(panel, &scene, width, height);
	return shown;
}

static inline const char *title(const struct panel *panel)
{
	struct scene scene = { .view = &view };
	static struct words words;

	words = panel->title_of(&scene);
	return words.text;
}

#define lacks(string, part) assert_null(strstr((string), (part)))

/* Neither of several parts. */
#define check_lacks(string, ...) check_no_part(string, (const char *const[]){ __VA_ARGS__, NULL })
static inline void check_no_part(const char *string, const char *const *parts)
{
	for (; *parts; parts++)
		if (strstr(string, *parts))
			fail_msg("\"%s\" contains \"%s\"", string, *parts);
}
