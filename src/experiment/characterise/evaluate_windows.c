/* The sizes of a core's buffers, from the knees of windows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/characterise/characterise_inside.h"
#include "kernels/window.h"

/* A buffer that holds at least this share of the reorder buffer's entries was not seen full: the
 * reorder buffer filled first. */
#define ROB_FULL 0.97
/* A buffer with less than this share of another one's entries is another buffer. */
#define FEWER 0.9

static bool is_rob(const struct windows_row *row)
{
	return strcmp(row->fact->buffer, "rob") == 0;
}

/* Returns the largest number of measured entries of the reorder buffer; INFINITY: none was
 * measured. */
static double rob_entries(const struct windows_report *windows)
{
	double most = 0;

	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];

		if (row->fact && is_rob(row) && row->knee.kind == KNEE_SHARP)
			most = fmax(most, row->knee.x + row->fact->own);
	}
	return most > 0 ? most : INFINITY;
}

/* Returns the entries of a filler at a sharp knee; 0: not found. */
static double entries_of(const struct windows_report *windows, enum window_kind kind)
{
	for (int i = 0; i < windows->count; i++)
		if (strcmp(windows->row[i].filler, window_fillers[kind].name) == 0 &&
			windows->row[i].knee.kind == KNEE_SHARP)
			return windows->row[i].knee.x + window_fillers[kind].own;
	return 0;
}

/* Constants and additions both take integer registers, but only additions take registers for flags.
 * If clearly fewer additions fit, the flags' registers were full first. */
static const char *word_of(const struct windows_report *windows, const struct windows_row *row)
{
	double constants = entries_of(windows, WINDOW_CONSTANT),
	       additions = entries_of(windows, WINDOW_ADD);
	bool apart = additions > 0 && additions < FEWER * constants;

	if (strcmp(row->filler, window_fillers[WINDOW_ADD].name) == 0)
		return apart ? window_flags.buffer : row->fact->buffer;
	if (strcmp(row->filler, window_fillers[WINDOW_CONSTANT].name) == 0 && !apart &&
		additions > 0)
		return NULL;
	return row->fact->buffer;
}

/* Returns the place for a buffer. Two fillers may take the same one, and a core file states it
 * once: a sharp knee counts more than one that is not. NULL: the buffer is there already. */
static struct measured_buffer *place_for(
	struct measured_buffers *measured, const char *word, const struct knee *knee)
{
	for (int i = 0; i < measured->count; i++) {
		struct measured_buffer *there = &measured->buffer[i];

		if (strcmp(there->word, word) == 0)
			return knee->kind == KNEE_SHARP && there->knee.kind != KNEE_SHARP ? there
											  : NULL;
	}
	return measured->count < MEASURED_BUFFERS ? &measured->buffer[measured->count++] : NULL;
}

void evaluate_windows(struct measured_buffers *measured, const struct windows_report *windows)
{
	const double rob = rob_entries(windows);

	measured->count = 0;
	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];
		struct measured_buffer *buffer;
		const char *word = row->fact ? word_of(windows, row) : NULL;

		if (!word || fabs(row->fact->each - 1) > 1e-9 || row->contended ||
			(row->knee.kind != KNEE_SHARP && row->knee.kind != KNEE_SOFT) ||
			(!is_rob(row) && row->knee.x + row->fact->own >= ROB_FULL * rob))
			continue;
		buffer = place_for(measured, word, &row->knee);
		if (!buffer)
			continue;
		*buffer = (struct measured_buffer){ .knee = row->knee, .own = row->fact->own };
		snprintf(buffer->word, sizeof(buffer->word), "%s", word);
		snprintf(
			buffer->words, sizeof(buffer->words), "%s between two misses", row->filler);
	}
}

/* ---- Independent passes */

/* Two passes agree on a buffer if their knees are at most SAME_MOST entries or the share SAME_SHARE
 * apart. */
enum { SAME_MOST = 2 };
#define SAME_SHARE 0.02

static bool agree(const struct measured_buffer *a, const struct measured_buffer *b)
{
	return fabs(a->knee.x - b->knee.x) <=
	       fmax(SAME_MOST, SAME_SHARE * fmax(a->knee.x, b->knee.x));
}

static const struct measured_buffer *find_buffer(
	const struct measured_buffers *pass, const char *word)
{
	for (int i = 0; i < pass->count; i++)
		if (strcmp(pass->buffer[i].word, word) == 0)
			return &pass->buffer[i];
	return NULL;
}

/* Returns the largest size of a buffer on which two passes agree. If no two passes agree, the knee
 * is unclear, from the smallest to the largest knee. */
static struct measured_buffer join(
	const struct measured_buffers *passes, int count, const struct measured_buffer *of)
{
	struct measured_buffer best = *of, all = *of;
	bool found = false;

	for (int a = 0; a < count; a++) {
		const struct measured_buffer *one = find_buffer(&passes[a], of->word);

		for (int b = 0; b < count && one; b++) {
			const struct measured_buffer *other = find_buffer(&passes[b], of->word);

			if (!other)
				continue;
			all.knee.lo = fmin(all.knee.lo, other->knee.lo);
			all.knee.hi = fmax(all.knee.hi, other->knee.hi);
			if (a == b || !agree(one, other) || one->knee.x < other->knee.x ||
				(found && one->knee.x < best.knee.x))
				continue;
			found = true;
			best = *one;
			best.knee.lo = fmin(one->knee.lo, other->knee.lo);
			best.knee.hi = fmax(one->knee.hi, other->knee.hi);
		}
	}
	all.knee.kind = KNEE_UNCLEAR;
	return found ? best : all;
}

bool evaluate_passes(const struct measured_buffers *passes, int count, struct measured_buffers *to)
{
	bool agreed = true;

	to->count = 0;
	for (int i = 0; i < count; i++)
		for (int k = 0; k < passes[i].count && to->count < MEASURED_BUFFERS; k++) {
			const struct measured_buffer *of = &passes[i].buffer[k];

			if (find_buffer(to, of->word))
				continue;
			to->buffer[to->count] = join(passes, count, of);
			agreed &= to->buffer[to->count++].knee.kind != KNEE_UNCLEAR;
		}
	return agreed;
}
