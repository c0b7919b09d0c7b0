/* The chart of the core-to-core latencies: a heat map with a row and a column for each processor.
 */
#include "picture/chart_cores.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "experiment/cores/core_cells.h"

/* The most rows and columns of the heat map. */
enum { ROWS = 64 };

static void name_axis(
	struct chart_axis *axis, const struct core_map *map, const struct core_cells *cells)
{
	const char *names[CORE_CELLS];
	struct words *words = memory_new((size_t)cells->count, sizeof(*words));

	for (int i = 0; i < cells->count; i++) {
		words[i] = words_of("%d", map->place[i * cells->per].cpu);
		names[i] = words[i].text;
	}
	chart_name_axis(axis, names, cells->count);
	chart_print(axis->title, cells->per == 1 ? "processor" : "processor (the first of %d)",
		cells->per);
	free(words);
}

/* Marks where the parts of the machine begin. If the parts need more marks than a chart can have,
 * none is added. */
static void mark_parts(
	struct chart *chart, const struct core_map *map, const struct core_cells *cells)
{
	int parts = 0;

	for (int i = 1; i < cells->count; i++)
		parts += cells->begins[i];
	for (int i = 1; i < cells->count && 2 * parts <= CHART_MARKS; i++) {
		struct chart_mark mark = { .at = i - 0.5, .lo = i - 0.5, .hi = i - 0.5 };

		if (!cells->begins[i])
			continue;
		chart_print(mark.text, "%.40s", core_cells_part(map, cells, i).text);
		chart_add_mark(chart, &mark);
		mark.across = true;
		chart_add_mark(chart, &mark);
	}
}

static void say_groups(struct chart *chart, const struct core_map *map)
{
	struct text text = { 0 };

	for (int i = 0; i < map->group_count; i++)
		text_addf(
			&text, "%s%s %.0f ns", i ? "; " : "", map->group[i].name, map->group[i].ns);
	chart_print(chart->subtitle, "%.*s", CHART_TEXT - 1, text_string(&text));
	text_free(&text);
}

void chart_cores_fill(struct chart *chart, const struct core_map *map, struct chart_source *source)
{
	struct core_cells *cells = memory_new(1, sizeof(*cells));
	double least = INFINITY, most = 0;

	core_cells_fill(map, ROWS, cells);
	name_axis(&chart->x, map, cells);
	name_axis(&chart->y, map, cells);
	chart->x.scale.kind = SCALE_STEPS;
	chart->y.scale.kind = SCALE_STEPS;
	chart_make_grid(chart);
	for (int row = 0; row < cells->count; row++)
		for (int column = 0; column < cells->count; column++) {
			double ns = cells->cell[row][column].ns;

			chart->grid[row * cells->count + column] = ns;
			least = isfinite(ns) ? fmin(least, ns) : least;
			most = isfinite(ns) ? fmax(most, ns) : most;
		}
	chart_grid_scale(chart, least, most);
	mark_parts(chart, map, cells);
	say_groups(chart, map);
	source->source = SOURCE_TIME;
	source->least = UINT32_MAX;
	for (unsigned i = 0; i < map->pairs; i++) {
		unsigned trials = map->pair[i].trials;

		source->least = trials && trials < source->least ? trials : source->least;
		source->most = trials > source->most ? trials : source->most;
	}
	free(cells);
}
