/* Buffers of a core that fill while a load misses, in words: the knee that was found beside what
 * the core's model has and what others published (data/windows). Pure, but for reading that. */
#ifndef SLX_MODEL_WINDOWS_BUFFERS_H
#define SLX_MODEL_WINDOWS_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/core/uarch.h"
#include "model/windows/knee.h"
#include "model/windows/literature.h"

struct window_filler;

enum { BUFFERS_RESTS = 24, BUFFERS_WORDS = 320 };

struct buffer_rest {
	char buffer[24]; /* "rob": the word of core files, or one of the kernel's own */
	double most;	 /* so many entries are not the fillers' … */
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

/* Fillers at which so many entries are taken, with those of the loop itself; without a filler that
 * is known: as many as there are entries. */
double buffers_full(const struct window_filler *filler, double entries);

/* The knee beside the core model's entries, in words: "506 nops + 2 of the loop itself = 508 of 512
 * entries: the rest could not be filled". filler NULL: nothing is known of it; entries NAN: of the
 * core. Empty where nothing is to be said. */
void buffers_difference(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS]);

/* "506", "505 to 507", "about 85 (60 to 110)", "none up to 1024", "-": where the knee is. */
void buffers_knee(const struct knee *knee, double most, char *words, size_t size);

#endif
