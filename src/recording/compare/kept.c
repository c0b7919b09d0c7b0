#include "recording/compare/kept.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "recording/compare/compared_records.h"
#include "recording/record.h"

/* The largest number of records that are kept, over all files. */
enum { KEPT_MOST = 200000 };

/* The records of a probe, of the windows and of a characterised core follow the first record of
 * their report. Other records belong to no report. */
enum { FAMILY_NONE, FAMILY_PROBE, FAMILY_TRANSFER, FAMILY_WINDOWS, FAMILY_CORE };

static int family_of(const json_t *object, const char *kind)
{
	static const struct {
		const char *kind;
		int family;
	} kinds[] = { { "probe", FAMILY_PROBE }, { "level", FAMILY_PROBE },
		{ "band", FAMILY_PROBE }, { "plateau", FAMILY_PROBE }, { "knee", FAMILY_PROBE },
		{ "finding", FAMILY_PROBE }, { "note", FAMILY_PROBE },
		{ "processor", FAMILY_TRANSFER }, { "cores", FAMILY_TRANSFER },
		{ "pair", FAMILY_TRANSFER }, { "windows", FAMILY_WINDOWS },
		{ "window", FAMILY_WINDOWS }, { "point", FAMILY_WINDOWS }, { "core", FAMILY_CORE },
		{ "class", FAMILY_CORE }, { "fact", FAMILY_CORE }, { "difference", FAMILY_CORE } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kind, kinds[i].kind) == 0)
			return kinds[i].family;
	return strcmp(kind, "sample") == 0 && *compared_word(object, "part") ? FAMILY_PROBE
									     : FAMILY_NONE;
}

/* Begins a report. The records of the part core-to-core are a family of their own. So a probe of
 * only this part does not replace the other parts of an earlier probe of the unit. */
static void begin_report(
	struct kept *kept, struct kept_last *last, const json_t *object, int family)
{
	const json_t *parts = json_object_get(object, "parts"), *part;
	bool transfer = false, others = !json_array_size(parts);
	size_t i;

	json_array_foreach(parts, i, part)
	{
		const char *name = json_string_value(part);
		bool is_transfer = name && strcmp(name, "core-to-core") == 0;

		transfer |= is_transfer;
		others |= !is_transfer;
	}
	++kept->reports;
	if (others)
		last->report[family] = kept->reports;
	if (transfer)
		last->report[FAMILY_TRANSFER] = kept->reports;
}

void kept_add(struct kept *kept, const struct compared *compared, int source, json_t *object,
	const char *kind)
{
	int family = family_of(object, kind);
	struct kept_last *last;

	if (kept->count >= KEPT_MOST) {
		kept->left_out++;
		return;
	}
	while (kept->last_count < compared->sources.count) {
		kept->last = memory_grow(kept->last, (size_t)kept->last_count, sizeof(*kept->last));
		kept->last[kept->last_count++] = (struct kept_last){ { 0 } };
	}
	last = &kept->last[source];
	if (family && compared_begins(object, kind))
		begin_report(kept, last, object, family);
	/* The first record of a probe that measured only core-to-core belongs to the family of this
	 * part. */
	if (strcmp(kind, "probe") == 0 && last->report[family] != kept->reports)
		family = FAMILY_TRANSFER;
	kept->record = memory_grow(kept->record, kept->count, sizeof(*kept->record));
	kept->record[kept->count] = (struct kept_record){ .source = source,
		.report = last->report[family],
		.family = family,
		.object = json_incref(object) };
	snprintf(kept->record[kept->count++].kind, sizeof(kept->record->kind), "%s", kind);
}

static int unit_of(const struct kept *kept, const struct compared *compared, int source)
{
	const struct compared_source *from = &compared->source[source];

	return kept->by_file ? from->file : from->host;
}

/* Returns the last report of a family of a unit, which may have several sources. */
static unsigned last_report(
	const struct kept *kept, const struct compared *compared, int unit, int family)
{
	unsigned last = 0;

	for (int i = 0; i < kept->last_count; i++)
		if (unit_of(kept, compared, i) == unit && kept->last[i].report[family] > last)
			last = kept->last[i].report[family];
	return last;
}

const json_t *kept_next(const struct kept *kept, const struct compared *compared, int unit,
	const char *kind, size_t *at)
{
	while (*at < kept->count) {
		const struct kept_record *record = &kept->record[(*at)++];

		if (strcmp(record->kind, kind) == 0 &&
			unit_of(kept, compared, record->source) == unit &&
			(!record->family || record->report == last_report(kept, compared, unit,
								      record->family)))
			return record->object;
	}
	return NULL;
}

const json_t *kept_last(
	const struct kept *kept, const struct compared *compared, int unit, const char *kind)
{
	const json_t *last = NULL, *next;
	size_t at = 0;

	while ((next = kept_next(kept, compared, unit, kind, &at)))
		last = next;
	return last;
}

struct kept_word kept_word(const json_t *object, const char *key)
{
	struct kept_word word;

	text_copy_clean(word.text, sizeof(word.text), object ? compared_word(object, key) : "");
	return word;
}

double kept_number(const json_t *object, const char *key)
{
	double number;

	record_number(object, key, -1e18, 1e18, &number);
	return number;
}

bool kept_flag(const json_t *object, const char *key)
{
	return record_flag(object, key);
}

const json_t *kept_object(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

void kept_free(struct kept *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		json_decref(kept->record[i].object);
	free(kept->record);
	free(kept->last);
	*kept = (struct kept){ 0 };
}
