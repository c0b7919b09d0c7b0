/* Reads CSV that a format wrote: a cell by its row and its column's name. */
#pragma once

#include "check.h"

/* The cell at an index of a line that ends in a newline; NULL: the line ends before. */
static inline const char *csv_field(const char *line, int index, char *cell, size_t size)
{
	size_t length = 0;
	bool quoted = false;

	for (; *line && *line != '\n' && index >= 0; line++) {
		if (*line == '"')
			quoted = !quoted;
		else if (*line == ',' && !quoted)
			index--;
		else if (index == 0 && length + 1 < size)
			cell[length++] = *line;
	}
	cell[length] = '\0';
	return index > 0 ? NULL : cell;
}

static inline int csv_column(const char *text, const char *name)
{
	char cell[64];

	for (int i = 0; csv_field(text, i, cell, sizeof(cell)); i++)
		if (strcmp(cell, name) == 0)
			return i;
	return -1;
}

/* The cell of a column in a row, from 1: the line after the header. */
static inline const char *csv_at(const char *text, int row, const char *name)
{
	static char cell[256];
	const char *line = text;

	for (int i = 0; i < row; i++) {
		line = strchr(line, '\n');
		if (!line++)
			fail_msg("no row %d", row);
	}
	if (csv_column(text, name) < 0)
		fail_msg("no column %s", name);
	assert_non_null(csv_field(line, csv_column(text, name), cell, sizeof(cell)));
	return cell;
}

/* How many cells the first line has. */
static inline int csv_width(const char *line)
{
	char cell[256];
	int count = 0;

	while (csv_field(line, count, cell, sizeof(cell)))
		count++;
	return count;
}

/* Checks cells of a row: pairs of a column and its cell, ended by NULL. */
#define check_cells(text, row, ...) \
	check_each_cell(text, row, (const char *const[]){ __VA_ARGS__, NULL })
static inline void check_each_cell(const char *text, int row, const char *const *pairs)
{
	for (; *pairs; pairs += 2)
		if (strcmp(csv_at(text, row, pairs[0]), pairs[1]) != 0)
			fail_msg("%s is \"%s\", not \"%s\"", pairs[0], csv_at(text, row, pairs[0]),
				pairs[1]);
}
