#include "model/windows/buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "kernels/window.h"

/* ---- Published values of other cores */

enum { FIELDS = 4 };

/* Adds a published value from the rest of the current line: "NAME | CORE | VALUE | SOURCE". */
static void add_row(struct literature *literature, struct rows *rows)
{
	struct literature_row *row = &literature->row[literature->count];
	char *field[FIELDS];

	if (literature->count == LITERATURE_ROWS)
		return;
	if (rows_fields(rows, field, FIELDS) != FIELDS)
		rows_fail(rows, "expected: NAME | CORE | VALUE | SOURCE");
	else
		literature->count +=
			rows_copy(rows, "the name", field[0], row->name, sizeof(row->name)) &&
			rows_copy(rows, "the core", field[1], row->core, sizeof(row->core)) &&
			rows_copy(rows, "the value", field[2], row->value, sizeof(row->value)) &&
			rows_copy(rows, "the source", field[3], row->source, sizeof(row->source));
}

void literature_load(struct literature *literature, const char *file)
{
	struct rows rows;

	literature->count = 0;
	rows_load(&rows, file);
	rows.lenient = true;
	while (rows_next(&rows))
		add_row(literature, &rows);
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

/* ---- The file data/windows */

static bool read_rest(struct rows *rows, struct buffer_rest *rest)
{
	char *field[3];

	if (rows_fields(rows, field, 3) != 3)
		return rows_fail(rows, "expected: rest BUFFER | MOST | WORDS");
	return rows_copy(rows, "the buffer", field[0], rest->buffer, sizeof(rest->buffer)) &&
	       rows_number(rows, "the most entries", field[1], 1, 1000, &rest->most) &&
	       rows_copy(rows, "the reason", field[2], rest->words, sizeof(rest->words));
}

void buffers_load(struct buffers *buffers)
{
	struct rows rows;

	buffers->rest_count = buffers->published.count = 0;
	rows_load(&rows, "windows");
	rows.lenient = true;
	while (rows_next(&rows)) {
		const char *word = rows_word(&rows);

		if (strcmp(word, "rest") == 0 && buffers->rest_count < BUFFERS_RESTS)
			buffers->rest_count +=
				read_rest(&rows, &buffers->rest[buffers->rest_count]);
		else if (strcmp(word, "published") == 0)
			add_row(&buffers->published, &rows);
	}
	rows_end(&rows);
}

double buffers_size(const struct uarch *uarch, const char *buffer)
{
	char words[40];
	enum uarch_fact size;
	double entries;

	snprintf(words, sizeof(words), "size %s", buffer);
	size = uarch_fact_find(words);
	entries = uarch && size < SIZE_COUNT ? uarch->fact[size] : (double)NAN;
	return entries > 0 ? entries : (double)NAN;
}

/* ---- Knees and entries as words ---- */

static const struct buffer_rest *rest_of(const struct buffers *buffers, const char *buffer)
{
	for (int i = 0; i < buffers->rest_count; i++)
		if (strcmp(buffers->rest[i].buffer, buffer) == 0)
			return &buffers->rest[i];
	return NULL;
}

/* Returns the number of buffer entries that the filler instructions and the loop's own instructions
 * occupy. If the kind of filler instruction is unknown, each filler instruction is assumed to
 * occupy one entry. */
static double entries_of(const struct window_filler *filler, double fillers)
{
	return filler ? fillers * filler->each + filler->own : fillers;
}

double buffers_full(const struct window_filler *filler, double entries)
{
	return filler && filler->each > 0 ? (entries - filler->own) / filler->each : entries;
}

/* A measured buffer size that differs from the size in the core file by more than this share is
 * rejected. On Zen 4, for example, four nops share an entry of the reorder buffer. */
#define NEAR_SHARE 0.2

static void add_sharp(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, struct text *words)
{
	const struct buffer_rest *rest = filler ? rest_of(buffers, filler->buffer) : NULL;
	double found = entries_of(filler, knee->x), less = entries - found;

	if (!filler) {
		text_addf(words, "%.0f fillers; the core file has %.0f entries", knee->x, entries);
		return;
	}
	/* Write the entries as a sum: "506 nops + 2 for the loop = ", "23 x 2 calls by two jumps =
	 * ". */
	text_addf(words, "%.0f ", knee->x);
	if (filler->each != 1)
		text_addf(words, "x %g ", filler->each);
	text_add(words, filler->counts);
	if (filler->own > 0)
		text_addf(words, " + %g for the loop", filler->own);
	text_add(words, " = ");
	if (less == 0)
		text_addf(words, "%.0f entries, as in the core file", found);
	else if (fabs(less) <= (knee->hi - knee->lo) * filler->each)
		text_addf(words, "about %.0f entries; the core file has %.0f", found, entries);
	else if (less > 0 && rest && less <= rest->most)
		text_addf(words, "%.0f of %.0f entries: %s", found, entries, rest->words);
	else if (fabs(less) <= NEAR_SHARE * entries)
		text_addf(words, "%.0f entries: %.0f %s than in the core file", found, fabs(less),
			less > 0 ? "fewer" : "more");
	else if (less > 0)
		text_addf(words,
			"%.0f of %.0f entries: another buffer fills first, or the core file is "
			"wrong",
			found, entries);
	else
		text_addf(words,
			"%.0f, but the core file has %.0f entries: several share an entry, some "
			"leave early, or the file is wrong",
			found, entries);
}

void buffers_difference(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS])
{
	bool known = isfinite(entries);
	struct text text = { 0 };

	if (knee->kind == KNEE_SHARP && known) {
		add_sharp(buffers, knee, filler, entries, &text);
	} else if (knee->kind == KNEE_SOFT) {
		text_addf(&text, "not sharp: it rises from %.0f to %.0f fillers", knee->from,
			knee->to);
		if (entries > entries_of(filler, knee->from) &&
			entries <= entries_of(filler, knee->to))
			text_addf(&text, ", and the core file's %.0f lies in this range", entries);
	} else if (knee->kind == KNEE_NONE && knee->work) {
		text_add(&text, "the time grows only with the fillers' own work: no buffer was "
				"full before");
	} else if (knee->kind == KNEE_NONE && known) {
		text_addf(&text, "these fillers do not use the %.0f entries of the core file",
			entries);
	} else if (knee->kind == KNEE_UNCLEAR && knee->sparse) {
		text_add(&text, "too few points: measure more of them");
	} else if (knee->kind == KNEE_UNCLEAR) {
		text_addf(&text, "noise: points deviate by %.0f %%", 100 * knee->noise);
	}
	snprintf(words, BUFFERS_WORDS, "%s", text_string(&text));
	text_free(&text);
}

struct knee_words buffers_knee(const struct knee *knee, double last)
{
	struct knee_words words;

	if (knee->kind == KNEE_NONE)
		snprintf(words.text, sizeof(words.text), "none up to %.0f", last);
	else if (knee->kind == KNEE_SOFT)
		snprintf(words.text, sizeof(words.text), "about %.0f (%.0f to %.0f)", knee->x,
			knee->from, knee->to);
	else if (knee->kind == KNEE_SHARP && knee->hi > knee->lo)
		snprintf(words.text, sizeof(words.text), "%.0f (%.0f to %.0f)", knee->x, knee->lo,
			knee->hi);
	else if (knee->kind == KNEE_SHARP)
		snprintf(words.text, sizeof(words.text), "%.0f", knee->x);
	else if (knee->kind == KNEE_UNCLEAR && isfinite(knee->lo))
		snprintf(words.text, sizeof(words.text), "%.0f to %.0f", knee->lo, knee->hi);
	else
		snprintf(words.text, sizeof(words.text), "%s",
			knee->kind == KNEE_UNCLEAR ? "?" : "-");
	return words;
}
