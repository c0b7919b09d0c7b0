#include "model/windows/literature.h"

#include <stdio.h>
#include <string.h>

enum { FIELDS = 4 };

bool literature_add(struct literature *literature, struct rows *rows)
{
	struct literature_row *row = &literature->row[literature->count];
	char *field[FIELDS];

	if (literature->count == LITERATURE_ROWS)
		return false;
	if (rows_fields(rows, field, FIELDS) != FIELDS)
		return rows_fail(rows, "expected: NAME | CORE | VALUE | SOURCE");
	if (!rows_copy(rows, "the name", field[0], row->name, sizeof(row->name)) ||
		!rows_copy(rows, "the core", field[1], row->core, sizeof(row->core)) ||
		!rows_copy(rows, "the value", field[2], row->value, sizeof(row->value)) ||
		!rows_copy(rows, "the source", field[3], row->source, sizeof(row->source)))
		return false;
	literature->count++;
	return true;
}

void literature_load(struct literature *literature, const char *file)
{
	struct rows rows;

	literature->count = 0;
	rows_load(&rows, file);
	rows.lenient = true;
	while (rows_next(&rows))
		literature_add(literature, &rows);
	rows_end(&rows);
}

bool literature_words(const struct literature *literature, const char *name, char *words,
	size_t size, const char **source)
{
	size_t used = 0;

	words[0] = '\0';
	if (source)
		*source = NULL;
	for (int i = literature->count - 1; i >= 0; i--) {
		const struct literature_row *row = &literature->row[i];
		char more[72];
		int length;

		if (strcmp(row->name, name) != 0)
			continue;
		length = snprintf(
			more, sizeof(more), "%s %s%s", row->core, row->value, used ? ", " : "");
		if (used + (size_t)length >= size)
			break;
		memmove(words + length, words, used + 1);
		memcpy(words, more, (size_t)length);
		used += (size_t)length;
		if (source)
			*source = row->source;
	}
	return used > 0;
}
