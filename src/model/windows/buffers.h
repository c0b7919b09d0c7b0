/* Describes in words the buffers of a core that fill up during a cache miss: the knee, the entries
 * in the core model, and published sizes (data/windows). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/core/uarch.h"
#include "model/windows/knee.h"

/* Published values of other cores: rows of a data file. Each row has a name, a core, a value as
 * printed, and a source. */
enum { LITERATURE_ROWS = 96 };

struct literature_row {
	char name[24];	/* "rob", "L2" */
	char core[32];	/* "Skylake" */
	char value[24]; /* "224", "14-15", "about 0.1" */
	char source[64];
};

struct literature {
	int count;
	struct literature_row row[LITERATURE_ROWS];
};

/* Reads a data file that has only such rows. Skips malformed lines: a test of the shipped file
 * finds them. */
void literature_load(struct literature *literature, const char *file);

/* The published values of a name: "Sandy Bridge 168, Skylake 224". Returns the last rows, as many
 * as fit. *source is the source of the first of these rows; source may be NULL. Returns false and
 * an empty text if nothing was published. */
bool literature_words(const struct literature *literature, const char *name, char *words,
	size_t size, const char **source);

/* ---- Buffers */

struct window_filler;

enum { BUFFERS_RESTS = 24, BUFFERS_WORDS = 320 };

struct buffer_rest {
	char buffer[24]; /* "rob": the name in core files, or the kernel's own name */
	double most;	 /* up to this many entries cannot be filled … */
	char words[80];	 /* … for this reason */
};

struct buffers {
	int rest_count;
	struct buffer_rest rest[BUFFERS_RESTS];
	struct literature published; /* published entries, by buffer */
};

/* Skips malformed rows: a test of the shipped file finds them. */
void buffers_load(struct buffers *buffers);

/* Entries of a buffer in the core model; NAN: the model does not state them, or there is no model.
 */
double buffers_size(const struct uarch *uarch, const char *buffer);

/* The number of fillers that fill this many entries together with the loop. If the filler is
 * unknown, returns `entries`. */
double buffers_full(const struct window_filler *filler, double entries);

/* Compares the knee with the core model's entries, in words: "506 nops + 2 for the loop = 508 of
 * 512 entries: the rest could not be filled". filler NULL: unknown; entries NAN: the core model
 * does not state them. The text is empty if there is nothing to report. */
void buffers_difference(const struct buffers *buffers, const struct knee *knee,
	const struct window_filler *filler, double entries, char words[BUFFERS_WORDS]);

/* The position of the knee in words: "506", "506 (505 to 507)", "about 85 (60 to 110)", "none up to
 * 1024", "-". */
struct knee_words {
	char text[48];
};
struct knee_words buffers_knee(const struct knee *knee, double most);
