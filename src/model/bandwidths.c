#include "model/bandwidths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

/* The next field of a row, without the blanks at its ends; `row` moves behind its bar. False: it is empty, or has no room. */
static bool take(char **row, char *field, size_t size)
{
	char *bar = *row ? strchr(*row, '|') : NULL, *from = *row;
	size_t length;

	if (!from)
		return false;
	length = bar ? (size_t)(bar - from) : strlen(from);
	*row = bar ? bar + 1 : NULL;
	for (; length > 0 && (*from == ' ' || *from == '\t'); length--)
		from++;
	while (length > 0 && strchr(" \t\r", from[length - 1]))
		length--;
	if (length == 0 || length >= size)
		return false;
	memcpy(field, from, length);
	field[length] = '\0';
	return true;
}

void bandwidths_load(struct bandwidths *bandwidths)
{
	char *text, *line, *rest;
	struct status status = data_load("bandwidths", &text, NULL);

	bandwidths->count = 0;
	if (!status_is_ok(&status))
		return;
	for (line = strtok_r(text, "\n", &rest); line && bandwidths->count < BANDWIDTHS_MOST; line = strtok_r(NULL, "\n", &rest)) {
		struct published_lines *row = &bandwidths->row[bandwidths->count];

		if (*line != '#' && take(&line, row->level, sizeof(row->level)) && take(&line, row->core, sizeof(row->core)) &&
			take(&line, row->lines, sizeof(row->lines)) && take(&line, row->source, sizeof(row->source)) && !line)
			bandwidths->count++;
	}
	free(text);
}

bool bandwidths_words(const struct bandwidths *bandwidths, const char *level, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < bandwidths->count && used < size; i++) {
		const struct published_lines *row = &bandwidths->row[i];

		if (strcmp(row->level, level) == 0)
			used += (size_t)snprintf(buffer + used, size - used, "%s%s %s", used ? ", " : "", row->core, row->lines);
	}
	return used > 0;
}
