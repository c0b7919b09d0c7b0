#include "model/buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

enum { FIELDS = 5 };

/* Cuts a line at its bars, each field without the blanks at its ends; a missing one is empty. Returns how many there are. */
static int split(char *line, char *field[FIELDS])
{
	int count = 0;

	for (int i = 0; i < FIELDS; i++)
		field[i] = line + strlen(line);
	while (line && count < FIELDS) {
		char *bar = strchr(line, '|'), *end;

		if (bar)
			*bar = '\0';
		line += strspn(line, " \t");
		for (end = line + strlen(line); end > line && strchr(" \t\r", end[-1]); end--)
			;
		*end = '\0';
		field[count++] = line;
		line = bar ? bar + 1 : NULL;
	}
	return line ? FIELDS + 1 : count;
}

static bool copy(char *to, size_t size, const char *from)
{
	if (!*from || strlen(from) >= size)
		return false;
	memcpy(to, from, strlen(from) + 1);
	return true;
}

static void read_filler(struct buffers *buffers, char *line)
{
	struct buffer_filler *filler = &buffers->filler[buffers->filler_count];
	char *field[FIELDS], *end;

	if (buffers->filler_count == BUFFERS_FILLERS || split(line, field) != 5)
		return;
	filler->own = strtod(field[3], &end);
	if (end == field[3] || *end || !(filler->own >= 0) || filler->own > 1000)
		return;
	buffers->filler_count += copy(filler->name, sizeof(filler->name), field[0]) && copy(filler->buffer, sizeof(filler->buffer), field[1]) &&
		copy(filler->title, sizeof(filler->title), field[2]) && copy(filler->what, sizeof(filler->what), field[4]);
}

static void read_published(struct buffers *buffers, char *line)
{
	struct buffer_published *published = &buffers->published[buffers->published_count];
	char *field[FIELDS];

	if (buffers->published_count < BUFFERS_PUBLISHED && split(line, field) == 4)
		buffers->published_count += copy(published->buffer, sizeof(published->buffer), field[0]) &&
			copy(published->core, sizeof(published->core), field[1]) &&
			copy(published->entries, sizeof(published->entries), field[2]) &&
			copy(published->source, sizeof(published->source), field[3]);
}

void buffers_load(struct buffers *buffers)
{
	static const char filler[] = "filler ", published[] = "published ";
	char *text, *line, *rest;
	struct status status = data_load("windows", &text, NULL);

	buffers->filler_count = buffers->published_count = 0;
	if (!status_is_ok(&status))
		return;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, filler, strlen(filler)) == 0)
			read_filler(buffers, line + strlen(filler));
		else if (strncmp(line, published, strlen(published)) == 0)
			read_published(buffers, line + strlen(published));
	}
	free(text);
}

const struct buffer_filler *buffers_filler(const struct buffers *buffers, const char *name)
{
	for (int i = 0; i < buffers->filler_count; i++)
		if (strcmp(buffers->filler[i].name, name) == 0)
			return &buffers->filler[i];
	return NULL;
}

double buffers_size(const struct uarch *uarch, const char *buffer)
{
	enum uarch_size size = uarch_size_find(buffer);
	double entries = uarch && size < SIZE_COUNT ? uarch_size(uarch, size) : (double)NAN;

	return entries > 0 ? entries : (double)NAN;
}

bool buffers_published(const struct buffers *buffers, const char *buffer, char *words, size_t size, const char **source)
{
	size_t used = 0;

	words[0] = '\0';
	if (source)
		*source = NULL;
	/* The newest are listed last, and matter most. */
	for (int i = buffers->published_count - 1; i >= 0; i--) {
		const struct buffer_published *row = &buffers->published[i];
		char more[72];
		int length;

		if (strcmp(row->buffer, buffer) != 0)
			continue;
		length = snprintf(more, sizeof(more), "%s %s%s", row->core, row->entries, used ? ", " : "");
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

void buffers_difference(const struct knee *knee, const struct buffer_filler *filler, double entries, char words[BUFFERS_WORDS])
{
	double less = entries - knee->x;

	words[0] = '\0';
	if (knee->kind == KNEE_SOFT && isfinite(entries) && entries > knee->from && entries <= knee->to)
		snprintf(words, BUFFERS_WORDS, "not sharp: the rise from %.0f to %.0f has the core file's %.0f in it", knee->from, knee->to, entries);
	else if (knee->kind == KNEE_SOFT)
		snprintf(words, BUFFERS_WORDS, "not sharp: it rises from %.0f to %.0f fillers", knee->from, knee->to);
	else if (knee->kind == KNEE_UNCLEAR)
		snprintf(words, BUFFERS_WORDS, "something disturbs it: points are off by %.0f %%", 100 * knee->noise);
	else if (knee->kind == KNEE_NONE && knee->work)
		snprintf(words, BUFFERS_WORDS, "the fillers' own work takes longer than the misses, before anything is full");
	else if (knee->kind == KNEE_NONE && isfinite(entries))
		snprintf(words, BUFFERS_WORDS, "they take none of the %.0f entries that the core's file has", entries);
	if (words[0] || knee->kind != KNEE_SHARP || !isfinite(entries))
		return;
	if (less > 0 && filler && less <= filler->own)
		snprintf(words, BUFFERS_WORDS, "%.0f fillers + %.0f %s = %.0f entries", knee->x, less, filler->what, entries);
	else if (less > knee->hi - knee->x)
		snprintf(words, BUFFERS_WORDS, "%.0f fewer than the core's file has", less);
	else if (-less > knee->x - knee->lo)
		snprintf(words, BUFFERS_WORDS, "%.0f more than the core's file has", -less);
	else
		snprintf(words, BUFFERS_WORDS, "as many as the core's file has");
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
	case KNEE_SOFT: snprintf(words, size, "about %.0f (%.0f to %.0f)", knee->x, knee->from, knee->to); break;
	case KNEE_NONE: snprintf(words, size, "none up to %.0f", most); break;
	case KNEE_UNCLEAR:
		if (isfinite(knee->lo))
			snprintf(words, size, "%.0f to %.0f", knee->lo, knee->hi);
		else
			snprintf(words, size, "?");
		break;
	default: snprintf(words, size, "-");
	}
}
