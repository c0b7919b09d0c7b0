/* Buffers of a core that fill while a load misses, in words: the knee, the core model's entries,
 * and published sizes (data/windows). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/rows.h"
#include "model/core/uarch.h"
#include "model/windows/knee.h"

/* What others published of other cores: rows of a data file, each of a name, a core, a value as it
 * was printed, and a source. */
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

/* Adds the row whose fields follow in the current line: "NAME | CORE | VALUE | SOURCE". False: the
 * line is bad (rows_fail()), or there is no room. */
bool literature_add(struct literature *literature, struct rows *rows);

/* Reads a data file of nothing but rows. Bad lines are skipped: a test of the shipped file finds
 * them. */
void literature_load(struct literature *literature, const char *file);

/* "Sandy Bridge 168, Skylake 224" of a name: the last rows, as many as fit; *source (may be NULL):
 * of the first of them. False, and an empty text: nothing was published. */
bool literature_words(const struct literature *literature, const char *name, char *words,
	size_t size, const char **source);

/* ---- Buffers */

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
struct knee_words {
	char text[48];
};
struct knee_words buffers_knee(const struct knee *knee, double most);
