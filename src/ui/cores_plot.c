#include "ui/cores_plot.h"

#include <stdlib.h>

#include "base/text.h"
#include "experiment/cores/core_cells.h"

/* LABEL: columns of a row's label. CELL: columns of a cell. SHADES: number of shades of areas. */
enum { LABEL = 5, CELL = 2, SHADES = 8 };

static enum style style_of(const struct core_map *map, int group)
{
	int groups = map->group_count > 1 ? map->group_count - 1 : 1;

	return (enum style)(STYLE_AREA0 + (SHADES - 1) - group * (SHADES - 1) / groups);
}

static void draw_cell(struct box at, int x, int y, const struct core_map *map, int group)
{
	const char letter[] = { core_group_letter(group), '\0' };

	if (group < 0 || !at.canvas->solid) {
		canvas_put(at, x + 1, y, group < 0 ? STYLE_DIM : STYLE_TEXT, letter);
		return;
	}
	canvas_glyph(at, x, y, style_of(map, group), GLYPH_SHADE0);
	canvas_put(at, x + 1, y, style_of(map, group), letter);
}

/* Writes the number of the first processor above some columns. */
static void draw_names(struct box at, const struct core_map *map, const struct core_cells *cells)
{
	int end = 0;

	for (int column = 0; column < cells->count; column++) {
		int x = LABEL + CELL * column + 1;
		struct words name = words_of("%d", map->place[column * cells->per].cpu);

		if (x >= end && (column % 4 == 0 || cells->begins[column]) &&
			x + canvas_columns(at, name.text) <= at.width)
			end = x + 1 + canvas_put(at, x, 0, STYLE_DIM, name.text);
	}
}

void cores_plot_draw(struct box at, const struct core_map *map)
{
	struct core_cells *cells;
	int most = int_least(int_least(at.height - 2, (at.width - LABEL) / CELL), CORE_CELLS);

	if (at.height < CORES_PLOT_ROWS || most < 2)
		return;
	if (map->measured == 0) {
		canvas_text(at, 0, at.height / 2, STYLE_DIM, "the map grows from here");
		return;
	}
	cells = memory_new(1, sizeof(*cells));
	core_cells_fill(map, most, cells);
	draw_names(at, map, cells);
	for (int row = 0; row < cells->count; row++) {
		canvas_text(at, 0, row + 1, STYLE_DIM, "%*d", LABEL - 1,
			map->place[row * cells->per].cpu);
		for (int column = 0; column < cells->count; column++)
			if (row != column || cells->per > 1)
				draw_cell(at, LABEL + CELL * column, row + 1, map,
					cells->cell[row][column].group);
	}
	if (cells->per > 1)
		canvas_text(at, LABEL, cells->count + 1, STYLE_DIM, "each cell: %d x %d processors",
			cells->per, cells->per);
	free(cells);
}
