/* Buffers of a core that fill while a load misses: which filler of the kernel `window` fills which, and how large others say they are:
 * data/windows. Pure, but for reading that. */
#ifndef SLX_MODEL_BUFFERS_H
#define SLX_MODEL_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/knee.h"
#include "model/uarch.h"

enum { BUFFERS_FILLERS = 48, BUFFERS_PUBLISHED = 96, BUFFERS_WORDS = 240 };

struct buffer_filler {
	char name[16];        /* as the knob has it: "nop" */
	char buffer[16];      /* "rob": the word of core files, or one of its own */
	char title[32];       /* "reorder buffer" */
	double own;           /* besides the fillers up to so many entries are taken … */
	char what[64];        /* … by these: "of the loop itself" */
};

struct buffer_published {
	char buffer[16];
	char core[32];        /* "Skylake" */
	char entries[24];     /* as published: "224", "14-15", "352 (reported)" */
	char source[64];
};

struct buffers {
	int filler_count, published_count;
	struct buffer_filler filler[BUFFERS_FILLERS];
	struct buffer_published published[BUFFERS_PUBLISHED];
};

/* Rows that make no sense are passed over: a test of the shipped file finds them. */
void buffers_load(struct buffers *buffers);

/* NULL: nothing is known of that filler. */
const struct buffer_filler *buffers_filler(const struct buffers *buffers, const char *name);

/* Entries that a core's model gives a buffer; NAN: it gives none, or there is no model. */
double buffers_size(const struct uarch *uarch, const char *buffer);

/* "Sandy Bridge 168, Skylake 224" of a buffer, as many as have room, the last ones listed first left out; *source: of the first. False, and an empty
 * text: nobody published anything. */
bool buffers_published(const struct buffers *buffers, const char *buffer, char *words, size_t size, const char **source);

/* The knee beside the core model's entries, in words: "506 fillers + 6 of the loop itself = 512 entries". filler NULL: nothing is known of it;
 * entries NAN: of the core. Empty where nothing is to be said. */
void buffers_difference(const struct knee *knee, const struct buffer_filler *filler, double entries, char words[BUFFERS_WORDS]);

/* "506", "505 to 507", "about 85 (60 to 110)", "none up to 1024", "-": where the knee is. */
void buffers_knee(const struct knee *knee, double most, char *words, size_t size);

#endif
