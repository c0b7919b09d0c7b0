#include "experiment/cores/core_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"

/* ---- cells ---- */

/* Fills the cell of a row and a column of processors. `ns` has room for all pairs of a cell. */
static void fill_cell(const struct core_map *map, const struct core_cells *cells, int row,
	int column, double *ns, struct core_cell *cell)
{
	unsigned of[CORE_GROUPS] = { 0 };
	size_t count = 0;

	*cell = (struct core_cell){ .ns = NAN, .group = -1 };
	for (int i = row * cells->per; i < (row + 1) * cells->per && i < map->count; i++)
		for (int j = column * cells->per; j < (column + 1) * cells->per && j < map->count;
			j++) {
			const struct core_value *value;

			if (i == j || (row == column && j > i))
				continue;
			value = core_map_value(map, i, j);
			if (value->trials == 0)
				continue;
			ns[count++] = value->ns;
			if (value->group >= 0 &&
				(++of[value->group] > (cell->group < 0 ? 0 : of[cell->group])))
				cell->group = value->group;
		}
	if (count)
		cell->ns = stats_median(ns, count);
}

/* Returns the number of the part of the machine to which a processor belongs. The parts are sockets
 * (`level` 0), dies (1) or L3 caches (2). */
static int part_of(const struct processor_place *place, int level)
{
	return level == 0 ? place->package : level == 1 ? place->die : place->l3;
}

static int part_level(const struct core_map *map)
{
	for (int level = 0; level < 3; level++)
		for (int i = 1; i < map->count; i++)
			if (part_of(&map->place[i], level) != part_of(&map->place[0], level))
				return level;
	return 0;
}

void core_cells_fill(const struct core_map *map, int most, struct core_cells *cells)
{
	int level = part_level(map);
	double *ns;

	memset(cells, 0, sizeof(*cells));
	for (cells->per = 1; (map->count + cells->per - 1) / cells->per > most;)
		cells->per *= 2;
	cells->count = (map->count + cells->per - 1) / cells->per;
	ns = memory_new((size_t)cells->per * (size_t)cells->per, sizeof(*ns));
	for (int row = 0; row < cells->count; row++)
		for (int column = 0; column < cells->count; column++)
			fill_cell(map, cells, row, column, ns, &cells->cell[row][column]);
	for (int row = 1; row < cells->count; row++)
		cells->begins[row] = part_of(&map->place[row * cells->per], level) !=
				     part_of(&map->place[(row - 1) * cells->per], level);
	free(ns);
}

struct words core_cells_part(const struct core_map *map, const struct core_cells *cells, int row)
{
	static const char *const names[] = { "socket", "die", "L3" };
	int level = part_level(map), part = part_of(&map->place[row * cells->per], level);

	return part < 0 ? words_of(" ") : words_of("%s %d", names[level], part);
}

char core_group_letter(int group)
{
	return group < 0 ? '.' : (char)('a' + group);
}

/* ---- text ---- */

/* NUMBERS: largest number of processors whose values are printed as numbers. NUMBER: columns of a
 * printed number. LABEL: columns of a row's label. ROWS: largest number of rows of a map of
 * letters. FRAME: lines of the printed text that are neither rows nor groups. */
enum { NUMBERS = 14, NUMBER = 5, LABEL = 6, ROWS = CORE_MAP_LINES, FRAME = 5 };

static struct words ns_words(double ns)
{
	return !isfinite(ns) ? words_of("-")
	       : ns < 99.95  ? words_of("%.1f", ns)
			     : words_of("%.0f", ns);
}

static void put_numbers(FILE *out, const struct core_map *map)
{
	fprintf(out, "%*s", LABEL, "");
	for (int j = 0; j < map->count; j++)
		fprintf(out, "%*d", NUMBER, map->place[j].cpu);
	fputc('\n', out);
	for (int i = 0; i < map->count; i++) {
		fprintf(out, "%*d", LABEL, map->place[i].cpu);
		for (int j = 0; j < map->count; j++)
			fprintf(out, "%*s", NUMBER,
				i == j ? "" : ns_words(core_map_value(map, i, j)->ns).text);
		fputc('\n', out);
	}
}

/* The lines that list the groups. */
struct legend {
	int count;
	int width; /* columns of the longest line */
	struct words line[CORE_GROUPS + 1];
};

/* Returns the larger of a width and the width of some words. */
static int widest(int width, const char *words)
{
	int size = (int)strlen(words);

	return size > width ? size : width;
}

/* Fills the list of groups. `shortest`: with a column of shortest trials. */
static void legend_fill(const struct core_map *map, bool shortest, struct legend *legend)
{
	struct words name[CORE_GROUPS];
	int longest = 0;

	for (int i = 0; i < map->group_count; i++) {
		const struct core_group *group = &map->group[i];

		name[i] = words_of("%s (%s)", group->name,
			units_text("%u pair%s", group->pairs, group->pairs == 1 ? "" : "s").text);
		longest = widest(longest, name[i].text);
	}
	legend->count = map->group_count + 1;
	legend->line[0] = words_of(
		"   %-*s%8s%s  quartiles", longest, "pairs", "ns", shortest ? "  shortest" : "");
	for (int i = 0; i < map->group_count; i++) {
		const struct core_group *group = &map->group[i];

		legend->line[i + 1] = words_of("%c  %-*s%8s%*s  %s to %s", core_group_letter(i),
			longest, name[i].text, ns_words(group->ns).text, shortest ? 10 : 0,
			shortest ? ns_words(group->least).text : "", ns_words(group->lo).text,
			ns_words(group->hi).text);
	}
	legend->width = 0;
	for (int i = 0; i < legend->count; i++)
		legend->width = widest(legend->width, legend->line[i].text);
}

static void put_legend(FILE *out, const struct legend *legend)
{
	fputc('\n', out);
	for (int i = 0; i < legend->count; i++)
		fprintf(out, "%s\n", legend->line[i].text);
}

/* A map of letters: the cells below the diagonal, and the list of groups. */
struct letters {
	struct core_cells cells;
	struct legend legend;
	bool ruled;  /* a line of dashes is above each part of the machine */
	bool beside; /* the list of groups is to the right of the first rows */
};

/* Returns the column at which the list of groups begins if it is to the right of the rows. */
static int legend_column(const struct letters *letters)
{
	return LABEL + 2 * letters->legend.count + 4;
}

static int letters_lines(const struct letters *letters)
{
	int lines = FRAME + letters->cells.count;

	for (int row = 1; letters->ruled && row < letters->cells.count; row++)
		lines += letters->cells.begins[row];
	return letters->beside ? lines : lines + 1 + letters->legend.count;
}

/* Chooses the smallest cells with which the printed text has at most CORE_MAP_LINES lines. */
static void letters_fill(const struct core_map *map, struct letters *letters)
{
	int most = ROWS;

	legend_fill(map, false, &letters->legend);
	do {
		core_cells_fill(map, most, &letters->cells);
		letters->beside = letters->cells.count >= letters->legend.count &&
				  legend_column(letters) + letters->legend.width <= TEXT_COLUMNS;
		letters->ruled = true;
		if (letters_lines(letters) > CORE_MAP_LINES)
			letters->ruled = false;
		most = letters->cells.count - 1;
	} while (letters_lines(letters) > CORE_MAP_LINES && most > 1);
}

/* Prints, below some columns of cells, the number of the column's first processor. */
static void put_column_names(FILE *out, const struct core_map *map, const struct core_cells *cells)
{
	char line[TEXT_COLUMNS + 1];
	int end = 0;

	memset(line, ' ', TEXT_COLUMNS);
	for (int column = 0; column < cells->count; column++) {
		char name[16];
		int at = LABEL + 2 * column + 1,
		    size = snprintf(name, sizeof(name), "%d", map->place[column * cells->per].cpu);

		if ((column % 4 != 0 && !cells->begins[column]) || at < end ||
			at + size > TEXT_COLUMNS)
			continue;
		memcpy(line + at, name, (size_t)size);
		end = at + size + 1;
	}
	while (end > 0 && line[end - 1] == ' ')
		end--;
	fprintf(out, "%.*s\n", end, line);
}

/* Ends a line of `columns` columns, with the next line of the list of groups if there is one. */
static void end_line(FILE *out, const struct letters *letters, int columns, int *listed)
{
	if (letters->beside && *listed < letters->legend.count)
		fprintf(out, "%*s%s", legend_column(letters) - columns, "",
			letters->legend.line[(*listed)++].text);
	fputc('\n', out);
}

static void put_letters(FILE *out, const struct core_map *map, const struct letters *letters)
{
	const struct core_cells *cells = &letters->cells;
	int listed = 0;

	for (int row = 0; row < cells->count; row++) {
		if (cells->begins[row] && letters->ruled) {
			fprintf(out, "%*s", LABEL, "");
			for (int column = 0; column < row; column++)
				fputs(cells->begins[column] ? "+-" : "--", out);
			end_line(out, letters, LABEL + 2 * row, &listed);
		}
		fprintf(out, "%*d", LABEL, map->place[row * cells->per].cpu);
		for (int column = 0; column <= row; column++) {
			const struct core_cell *cell = &cells->cell[row][column];
			bool alone = row == column && cells->per == 1;

			fprintf(out, "%c%c", cells->begins[column] ? '|' : ' ',
				alone ? '\\' : core_group_letter(cell->group));
		}
		end_line(out, letters, LABEL + 2 * (row + 1), &listed);
	}
	put_column_names(out, map, cells);
	if (!letters->beside)
		put_legend(out, &letters->legend);
}

static void put_pairs(FILE *out, const struct core_map *map)
{
	fprintf(out, "\n%6s%6s%8s%8s%8s%8s%8s%10s  %s\n", "from", "to", "ns", "lo", "hi", "least",
		"trials", "rejected", "group");
	for (int i = 0; i < map->count; i++)
		for (int j = 0; j < i; j++) {
			const struct core_value *value = core_map_value(map, i, j);

			if (value->trials)
				fprintf(out, "%6d%6d%8s%8s%8s%8s%8u%10u  %c\n", map->place[j].cpu,
					map->place[i].cpu, ns_words(value->ns).text,
					ns_words(value->lo).text, ns_words(value->hi).text,
					ns_words(value->least).text, value->trials, value->rejected,
					core_group_letter(value->group));
		}
}

/* Returns the share of all trials that was rejected because another thread ran. */
static double rejected_share(const struct core_map *map)
{
	double used = 0, rejected = 0;

	for (unsigned i = 0; i < map->pairs; i++) {
		used += map->pair[i].trials;
		rejected += map->pair[i].rejected;
	}
	return used + rejected > 0 ? rejected / (used + rejected) : 0;
}

void core_map_print(FILE *out, const struct core_map *map, bool points)
{
	if (map->measured == 0)
		return;
	if (map->count <= NUMBERS) {
		struct legend legend;

		legend_fill(map, true, &legend);
		fprintf(out, "\ncore to core, one way, ns\n");
		put_numbers(out, map);
		put_legend(out, &legend);
	} else {
		struct letters *letters = memory_new(1, sizeof(*letters));
		struct words each = { "" };

		letters_fill(map, letters);
		if (letters->cells.per > 1)
			each = words_of("; a row or column: %d processors, named by the first",
				letters->cells.per);
		fprintf(out, "\ncore to core, one way%s\n", each.text);
		put_letters(out, map, letters);
		free(letters);
	}
	text_print(out, TEXT_COLUMNS, "", 0,
		words_of("(timed on one of two bound threads: half of a round trip; "
			 "%u of %u pairs; %.0f %% of the trials were disturbed, and rejected%s)",
			map->measured, map->pairs, 100 * rejected_share(map),
			map->count <= NUMBERS ? "; shortest: the shortest trials, which c2clat "
						"reports, too"
					      : "")
			.text);
	if (points)
		put_pairs(out, map);
}
