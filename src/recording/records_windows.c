/* The records of windows. */
#include <jansson.h>
#include <math.h>

#include "base/text.h"
#include "experiment/windows/windows.h"
#include "recording/record.h"
#include "recording/records.h"

static const char *const states[] = { "waiting", "incomplete", "done", "failed" };

static void put_head(const struct records *records, const struct windows_report *windows,
	uint64_t seed, unsigned id)
{
	json_t *object = record_new(records, "windows", id);

	record_set_string(object, "machine", windows->machine->name);
	if (windows->uarch[0])
		record_set_string(object, "uarch", windows->uarch);
	record_set_boolean(object, "complete", windows->complete);
	record_set_real(object, "done", windows->done);
	record_set_real(object, "seconds", windows->seconds);
	if (windows->note[0])
		record_set_string(object, "note", windows->note);
	record_set_integer(object, "seed", (int64_t)seed);
	record_write(records, object);
}

static void put_window(const struct records *records, const struct windows_report *windows,
	const struct windows_row *row, unsigned id)
{
	const struct knee *knee = &row->knee;
	json_t *object = record_new(records, "window", id);
	char words[BUFFERS_WORDS];

	record_set_string(object, "filler", row->filler);
	if (row->fact) {
		record_set_string(object, "buffer", row->fact->buffer);
		record_set_string(object, "title", row->fact->title);
		record_set_real(object, "each", row->fact->each);
		record_set_real(object, "own", row->fact->own);
	}
	record_set_string(object, "state", states[row->state]);
	record_set_string(object, "kind", knee_kind_names[knee->kind]);
	record_set_real(object, "knee", knee->x);
	record_set_real(object, "knee_lo", knee->lo);
	record_set_real(object, "knee_hi", knee->hi);
	record_set_real(object, "from", knee->from);
	record_set_real(object, "to", knee->to);
	record_set_real(object, "cycles_before", knee->before);
	record_set_real(object, "cycles_after", knee->after);
	if (row->cycles_from != SOURCE_NONE)
		record_set_string(object, "cycles_from", source_name(row->cycles_from));
	record_set_real(object, "noise", knee->noise);
	record_set_real(object, "again", knee->again);
	record_set_real(object, "entries", row->entries);
	record_set_real(object, "most", row->most);
	record_set_integer(object, "points", row->curve.count);
	record_set_real(object, "seconds", row->seconds);
	if (row->contended)
		record_set_boolean(object, "contended", true);
	buffers_difference(&windows->buffers, knee, row->fact, row->entries, words);
	if (row->state == WINDOWS_FAILED)
		record_set_string(object, "words", row->why);
	else if (words[0])
		record_set_string(object, "words", words);
	if (row->fact && literature_words(&windows->buffers.published, row->fact->buffer, words,
				 sizeof(words), NULL))
		record_set_string(object, "published", words);
	json_object_set_new(object, "knobs", record_knobs(&row->setting));
	record_write(records, object);
}

static void put_point(const struct records *records, const struct windows_row *row,
	const struct knee_point *point, unsigned id)
{
	json_t *object = record_new(records, "point", id);

	record_set_string(object, "filler", row->filler);
	record_set_integer(object, "fillers", (int64_t)point->x);
	record_set_real(object, "cycles", point->y);
	record_set_real(object, "cycles_lo", point->lo);
	record_set_real(object, "cycles_hi", point->hi);
	if (row->cycles_from != SOURCE_NONE)
		record_set_string(object, "cycles_from", source_name(row->cycles_from));
	record_write(records, object);
}

void records_windows(const struct records *records, const struct windows_report *windows,
	bool points, uint64_t seed, unsigned id)
{
	put_head(records, windows, seed, id++);
	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];

		put_window(records, windows, row, id++);
		for (int k = 0; points && k < row->curve.count; k++)
			put_point(records, row, &row->curve.point[k], id++);
	}
}
