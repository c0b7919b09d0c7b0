#include "model/windows/buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "kernels/window.h"

enum { FIELDS = 4 };

static void read_rest(struct buffers *buffers, char *line)
{
	struct buffer_rest *rest = &buffers->rest[buffers->rest_count];
	char *field[FIELDS], *end;

	if (buffers->rest_count == BUFFERS_RESTS || data_fields(line, field, FIELDS) != 3)
		return;
	rest->most = strtod(field[1], &end);
	if (end == field[1] || *end || !(rest->most > 0) || rest->most > 1000)
		return;
	buffers->rest_count += data_field(rest->buffer, sizeof(rest->buffer), field[0]) &&
			       data_field(rest->words, sizeof(rest->words), field[2]);
}

static void read_published(struct buffers *buffers, char *line)
{
	struct buffer_published *published = &buffers->published[buffers->published_count];
	char *field[FIELDS];

	if (buffers->published_count < BUFFERS_PUBLISHED && data_fields(line, field, FIELDS) == 4)
		buffers->published_count +=
			data_field(published->buffer, sizeof(published->buffer), field[0]) &&
			data_field(published->core, sizeof(published->core), field[1]) &&
			data_field(published->entries, sizeof(published->entries), field[2]) &&
			data_field(published->source, sizeof(published->source), field[3]);
}

void buffers_load(struct buffers *buffers)
{
	static const char rests[] = "rest ", published[] = "published ";
	char *text, *line, *next;
	struct status status = data_load("windows", &text, NULL);

	buffers->rest_count = buffers->published_count = 0;
	if (!status_is_ok(&status))
		return;
	for (line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		if (strncmp(line, rests, strlen(rests)) == 0)
			read_rest(buffers, line + strlen(rests));
		else if (strncmp(line, published, strlen(published)) == 0)
			read_published(buffers, line + strlen(published));
	}
	free(text);
}

double buffers_size(const struct uarch *uarch, const char *buffer)
{
	char words[40];
	enum uarch_fact size;
	double entries;

	snprintf(words, sizeof(words), "size %s", buffer);
	size = uarch_fact_find(words);
	entries = uarch && size < SIZE_COUNT ? uarch_fact(uarch, size) : (double)NAN;
	return entries > 0 ? entries : (double)NAN;
}

bool buffers_published(const struct buffers *buffers, const char *buffer, char *words, size_t size,
	const char **source)
{
	size_t used = 0;

	words[0] = '\0';
	if (source)
		*source = NULL;
	for (int i = buffers->published_count - 1; i >= 0; i--) {
		const struct buffer_published *row = &buffers->published[i];
		char more[72];
		int length;

		if (strcmp(row->buffer, buffer) != 0)
			continue;
		length = snprintf(
			more, sizeof(more), "%s %s%s", row->core, row->entries, used ? ", " : "");
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

/* ---- words ---- */

static const struct buffer_rest *rest_of(const struct buffers *buffers, const char *buffer)
{
	for (int i = 0; i < buffers->rest_count; i++)
		if (strcmp(buffers->rest[i].buffer, buffer) == 0)
			return &buffers->rest[i];
	return NULL;
}

/* Entries that so many fillers take, and the loop itself. */
static double entries_of(const struct window_filler *filler, double fillers)
{
	return fillers * filler->each + filler->own;
}

double buffers_found(const struct knee *knee, const struct window_filler *filler)
{
	return filler ? entries_of(filler, knee->x) : (double)NAN;
}

double buffers_full(const struct window_filler *filler, double entries)
{
	return filler && filler->each > 0 ? (entries - filler->own) / filler->each : entries;
}

/* Whether a rise that takes its time comes by where so many entries are full. */
static bool rises_past(const struct knee *knee, const struct window_filler *filler, double entries)
{
	double from = filler ? entries_of(filler, knee->from) : knee->from,
	       to = filler ? entries_of(filler, knee->to) : knee->to;

	return isfinite(entries) && entries > from && entries <= to;
}

/* "506 nops + 2 of the loop itself", "23 x 2 calls by two jumps". */
static void say_sum(
	const struct knee *knee, const struct window_filler *filler, char *words, size_t size)
{
	int used = filler->each == 1 ? snprintf(words, size, "%.0f %s", knee->x, filler->counts)
				     : snprintf(words, size, "%.0f x %g %s", knee->x, filler->each,
					       filler->counts);

	if (filler->own > 0 && used > 0 && (size_t)used < size)
		snprintf(
			words + used, size - (size_t)used, " + %g of the loop itself", filler->own);
}

static void say_sharp(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS])
{
	const struct buffer_rest *rest = filler ? rest_of(buffers, filler->buffer) : NULL;
	double found = filler ? buffers_found(knee, filler) : knee->x, less = entries - found;
	double unsure = filler ? (knee->hi - knee->lo) * filler->each : knee->hi - knee->lo;
	char sum[160] = "";

	if (!filler) {
		snprintf(words, BUFFERS_WORDS, "%.0f fillers, and %.0f entries in the core's file",
			knee->x, entries);
		return;
	}
	say_sum(knee, filler, sum, sizeof(sum));
	if (less == 0)
		snprintf(words, BUFFERS_WORDS, "%s = %.0f entries, as the core's file has", sum,
			found);
	else if (fabs(less) <= unsure)
		snprintf(words, BUFFERS_WORDS,
			"%s = about %.0f entries, where the core's file has %.0f", sum, found,
			entries);
	else if (less > 0 && rest && less <= rest->most)
		snprintf(words, BUFFERS_WORDS, "%s = %.0f of %.0f entries: %s", sum, found, entries,
			rest->words);
	else
		snprintf(words, BUFFERS_WORDS,
			"%s = %.0f entries: %.0f %s than the core's file has", sum, found,
			fabs(less), less > 0 ? "fewer" : "more");
}

void buffers_difference(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS])
{
	bool known = isfinite(entries);

	words[0] = '\0';
	switch (knee->kind) {
	case KNEE_SHARP:
		if (known)
			say_sharp(buffers, knee, filler, entries, words);
		break;
	case KNEE_SOFT:
		if (rises_past(knee, filler, entries))
			snprintf(words, BUFFERS_WORDS,
				"not sharp: it rises from %.0f to %.0f fillers, and the core "
				"file's %.0f are among them",
				knee->from, knee->to, entries);
		else
			snprintf(words, BUFFERS_WORDS,
				"not sharp: it rises from %.0f to %.0f fillers", knee->from,
				knee->to);
		break;
	case KNEE_NONE:
		if (knee->work)
			snprintf(words, BUFFERS_WORDS,
				"the time grows by the fillers' own work, and by no step: nothing "
				"is full before");
		else if (known)
			snprintf(words, BUFFERS_WORDS,
				"they take none of the %.0f entries that the core's file has",
				entries);
		break;
	case KNEE_UNCLEAR:
		if (knee->sparse)
			snprintf(words, BUFFERS_WORDS,
				"too few points: one more between or behind may tell");
		else
			snprintf(words, BUFFERS_WORDS,
				"something disturbs it: points are off by %.0f %%",
				100 * knee->noise);
		break;
	default:
		break;
	}
}

void buffers_knee(const struct knee *knee, double most, char *words, size_t size)
{
	switch (knee->kind) {
	case KNEE_SHARP:
		if (knee->hi > knee->lo)
			snprintf(words, size, "%.0f (%.0f to %.0f)", knee->x, knee->lo, knee->hi);
		else
			snprintf(words, size, "%.0f", knee->x);
		break;
	case KNEE_SOFT:
		snprintf(words, size, "about %.0f (%.0f to %.0f)", knee->x, knee->from, knee->to);
		break;
	case KNEE_NONE:
		snprintf(words, size, "none up to %.0f", most);
		break;
	case KNEE_UNCLEAR:
		if (isfinite(knee->lo))
			snprintf(words, size, "%.0f to %.0f", knee->lo, knee->hi);
		else
			snprintf(words, size, "?");
		break;
	default:
		snprintf(words, size, "-");
	}
}
