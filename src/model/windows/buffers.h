/* Describes in words the buffers of a core that fill up during a cache miss. The description of a
 * buffer uses the knee of a measured curve, the entries in the core model, and published sizes
 * (data/windows). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/core/uarch.h"
#include "model/windows/knee.h"

/* Published buffer sizes and other values of other cores, from the rows of a data file. Each row of
 * the data file has a buffer's name, a core, a value as printed, and a source. */
enum { LITERATURE_ROWS = 96 };

struct literature_row {
	char name[24];	/* name of the buffer or cache: "rob", "L2" */
	char core[32];	/* name of the core: "Skylake" */
	char value[24]; /* published value as text: "224", "14-15", "about 0.1" */
	char source[64];
};

struct literature {
	int count;
	struct literature_row row[LITERATURE_ROWS];
};

/* Reads a data file whose rows are published values. Malformed lines of the data file are skipped;
 * a test checks that the shipped file has no malformed line. */
void literature_load(struct literature *literature, const char *file);

/* Writes the published values of a buffer or cache to `words`: "Sandy Bridge 168, Skylake 224". If
 * `words` is too small for all rows, the last rows are used. *source receives the source of the
 * first row used; source may be NULL. If no value of the buffer was published, the function returns
 * false and an empty text. */
bool literature_words(const struct literature *literature, const char *name, char *words,
	size_t size, const char **source);

/* ---- Buffers of a core */

struct window_filler;

enum { BUFFERS_RESTS = 24, BUFFERS_WORDS = 320 };

struct buffer_rest {
	char buffer[24]; /* name of the buffer in core files, such as "rob", or the kernel's own
			    name */
	double most; /* largest number of entries of the buffer that filler instructions cannot use
		      */
	char words[80]; /* reason why filler instructions cannot use some entries of the buffer */
};

struct buffers {
	int rest_count;
	struct buffer_rest rest[BUFFERS_RESTS];
	struct literature published; /* published numbers of entries, by name of the buffer */
};

/* Reads data/windows. Malformed rows of data/windows are skipped; a test checks that the shipped
 * file has no malformed row. */
void buffers_load(struct buffers *buffers);

/* Returns the number of entries of the buffer called `buffer` in the core model. Returns NAN if the
 * core model does not state the buffer's entries, or there is no model. */
double buffers_size(const struct uarch *uarch, const char *buffer);

/* Returns the number of filler instructions (the kernel's instructions between two misses) that,
 * together with the loop, fill `entries` entries of a buffer. If the kind of the filler instruction
 * is unknown, returns `entries`. */
double buffers_full(const struct window_filler *filler, double entries);

/* Compares the knee with the core model's entries, in words: "506 nops + 2 for the loop = 508 of
 * 512 entries: the rest could not be filled". `filler` is NULL if the kind of filler instructions
 * is unknown. entries is NAN if the core model does not state the number of entries. The text that
 * compares knee and core model is empty if there is nothing to report. */
void buffers_difference(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS]);

/* Formats the position of a knee as words: "506", "506 (505 to 507)", "about 85 (60 to 110)", "none
 * up to 1024", "-". `last`: the largest measured number of fillers. */
struct knee_words {
	char text[48];
};
struct knee_words buffers_knee(const struct knee *knee, double last);
