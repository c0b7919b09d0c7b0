/* The caches of the measured core, as the system states them. */
#include "base/units.h"
#include "ui/panels.h"

static void draw(struct box at, const struct scene *scene)
{
	const struct machine *machine = scene->view->machine;
	struct lines lines = { .at = at };

	for (int i = 0; i < machine->cache_count; i++)
		lines_add(&lines, i, STYLE_TEXT, "L%d %s", machine->cache[i].level,
			units_size_long((int64_t)machine->cache[i].bytes).text);
	lines_draw(&lines, 0);
}

static bool wanted(const struct view *view)
{
	return view->machine && atomic_load(&view->machine->known) &&
	       panels_named(view->front, "caches");
}

const struct panel panel_caches = {
	.name = "caches",
	.title = "caches, as the system states them",
	.draw = draw,
	.wanted = wanted,
};
