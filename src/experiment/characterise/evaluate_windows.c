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
	struct measured *measured, const char *word, const struct knee *knee)
{
	for (int i = 0; i < measured->buffer_count; i++) {
		struct measured_buffer *there = &measured->buffer[i];

		if (strcmp(there->word, word) == 0)
			return knee->kind == KNEE_SHARP && there->knee.kind != KNEE_SHARP ? there
											  : NULL;
	}
	return measured->buffer_count < MEASURED_BUFFERS
		       ? &measured->buffer[measured->buffer_count++]
		       : NULL;
}

void evaluate_windows(struct measured *measured, const struct windows_report *windows)
{
	const double rob = rob_entries(windows);

	measured->buffer_count = 0;
	for (int i = 0; i < windows->count; i++) {
		const struct windows_row *row = &windows->row[i];
		struct measured_buffer *buffer;
		const char *word = row->fact ? word_of(windows, row) : NULL;

		if (!word || fabs(row->fact->each - 1) > 1e-9 ||
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
