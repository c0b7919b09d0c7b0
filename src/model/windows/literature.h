/* What others published of other cores: rows of a data file, each of a name, a core, a value as it
 * was printed, and a source. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/rows.h"

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
