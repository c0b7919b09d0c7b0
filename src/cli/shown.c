#include "cli/shown.h"

#include <stdlib.h>

static bool has_records(const struct compared *compared, const struct kept *kept, int unit)
{
	for (size_t i = 0; i < kept->count; i++) {
		const struct compared_source *from = &compared->source[kept->record[i].source];

		if ((kept->by_file ? from->file : from->host) == unit)
			return true;
	}
	return false;
}

static void add(struct shown *shown, int unit)
{
	for (int i = 0; i < shown->count; i++)
		if (shown->unit[i] == unit)
			return;
	if (!has_records(shown->compared, shown->kept, unit))
		return;
	if (shown->count < SHOWN_MOST)
		shown->unit[shown->count++] = unit;
	else
		shown->left_out++;
}

struct shown shown_all(
	const struct compared *compared, const struct kept *kept, const int *first, int count)
{
	struct shown shown = { .compared = compared, .kept = kept };
	int units = kept->by_file ? compared->files.count : compared->hosts.count;

	for (int i = 0; i < count; i++)
		add(&shown, first[i]);
	for (int unit = 0; unit < units; unit++)
		add(&shown, unit);
	return shown;
}

const char *shown_name(const struct shown *shown, int index)
{
	const struct intern *names =
		shown->kept->by_file ? &shown->compared->files : &shown->compared->hosts;

	return names->string[shown->unit[index]];
}

const struct json_t *shown_next(const struct shown *shown, int index, const char *kind, size_t *at)
{
	return kept_next(shown->kept, shown->compared, shown->unit[index], kind, at);
}

const struct json_t *shown_last(const struct shown *shown, int index, const char *kind)
{
	return kept_last(shown->kept, shown->compared, shown->unit[index], kind);
}
