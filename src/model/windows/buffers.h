/* Buffers of a core that fill while a load misses, in words: the knee, the core model's entries,
 * and published sizes (data/windows). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/core/uarch.h"
#include "model/windows/knee.h"
#include "model/windows/literature.h"

struct window_filler;

enum { BUFFERS_RESTS = 24, BUFFERS_WORDS = 320 };

struct buffer_rest {
	char buffer[24]; /* "rob": the word of core files, or one of the kernel's own */
	double most;	 /* up to this many entries are not available to fillers … */
	char words[80];	 /* … because of this */
};

struct buffers {
	int rest_count;
	struct buffer_rest rest[BUFFERS_RESTS];
	struct literature published; /* entries, by buffer */
};

/* Rows that make no sense are passed over: a test of the shipped file finds them. */
void buffers_load(struct buffers *buffers);

/* Entries that a core's model gives a buffer; NAN: it gives none, or there is no model. */
double buffers_size(const struct uarch *uarch, const char *buffer);

/* The entries that a buffer seems to have by its knee: the fillers' and those that the loop itself
 * takes. NAN: there is no knee, or nothing is known of that filler (NULL). */
double buffers_found(const struct knee *knee, const struct window_filler *filler);

/* Fillers at which this many entries are full, with those of the loop; without a known filler: as
 * many as entries. */
double buffers_full(const struct window_filler *filler, double entries);

/* The knee compared with the core model's entries, in words: "506 nops + 2 for the loop = 508 of
 * 512 entries: the rest could not be filled". filler NULL: unknown; entries NAN: the core model has
 * none. Empty: nothing to say. */
void buffers_difference(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS]);

/* "506", "505 to 507", "about 85 (60 to 110)", "none up to 1024", "-": where the knee is. */
void buffers_knee(const struct knee *knee, double most, char *words, size_t size);
