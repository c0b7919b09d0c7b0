#include "model/memory/bandwidths.h"

#include <stdio.h>
#include <string.h>

#include "base/rows.h"

static bool read_row(struct rows *rows, struct published_lines *row)
{
	char *field[4];

	if (rows_fields(rows, field, 4) != 4)
		return rows_fail(rows, "expected: LEVEL | CORE | LINES | SOURCE");
	return rows_copy(rows, "the level", field[0], row->level, sizeof(row->level)) &&
	       rows_copy(rows, "the core", field[1], row->core, sizeof(row->core)) &&
	       rows_copy(rows, "the lines", field[2], row->lines, sizeof(row->lines)) &&
	       rows_copy(rows, "the source", field[3], row->source, sizeof(row->source));
}

void bandwidths_load(struct bandwidths *bandwidths)
{
	struct rows rows;

	bandwidths->count = 0;
	rows_load(&rows, "bandwidths");
	rows.lenient = true;
	while (bandwidths->count < BANDWIDTHS_MOST && rows_next(&rows))
		bandwidths->count += read_row(&rows, &bandwidths->row[bandwidths->count]);
	rows_end(&rows);
}

bool bandwidths_words(
	const struct bandwidths *bandwidths, const char *level, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < bandwidths->count && used < size; i++) {
		const struct published_lines *row = &bandwidths->row[i];

		if (strcmp(row->level, level) == 0)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s %s",
				used ? ", " : "", row->core, row->lines);
	}
	return used > 0;
}
