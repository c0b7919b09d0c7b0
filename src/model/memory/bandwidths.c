#include "model/memory/bandwidths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

enum { FIELDS = 4 };

void bandwidths_load(struct bandwidths *bandwidths)
{
	char *text, *line, *rest;
	struct status status = data_load("bandwidths", &text, NULL);

	bandwidths->count = 0;
	if (!status_is_ok(&status))
		return;
	for (line = strtok_r(text, "\n", &rest); line && bandwidths->count < BANDWIDTHS_MOST;
		line = strtok_r(NULL, "\n", &rest)) {
		struct published_lines *row = &bandwidths->row[bandwidths->count];
		char *field[FIELDS];

		if (*line != '#' && data_fields(line, field, FIELDS) == FIELDS)
			bandwidths->count += data_field(row->level, sizeof(row->level), field[0]) &&
					     data_field(row->core, sizeof(row->core), field[1]) &&
					     data_field(row->lines, sizeof(row->lines), field[2]) &&
					     data_field(row->source, sizeof(row->source), field[3]);
	}
	free(text);
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
