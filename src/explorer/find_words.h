/* How well names match a text typed in the search, and other common words for commands
 * (data/synonyms). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* How well a result of the search matches the typed text, best first. */
enum rank {
	RANK_LINE,    /* the typed text is a complete command */
	RANK_NAME,    /* the text is the name */
	RANK_SYNONYM, /* the typed text is one of the field's words for the result (data/synonyms)
		       */
	RANK_BEGINS,  /* the result's name begins with the typed text */
	RANK_SYNONYM_BEGINS,
	RANK_WORD,     /* a word of the result's name begins with the typed text */
	RANK_CONTAINS, /* the result's name contains each word of the typed text */
	RANK_SYNONYM_CONTAINS,
	RANK_HELP, /* the result's name and description together contain each word of the typed text
		    */
	RANK_NONE
};

/* Returns how well a name matches the text: a value up to RANK_CONTAINS, or RANK_NONE. */
enum rank find_rank(const char *text, const char *name);
/* Whether each word of the typed text occurs in `name` or in `help`, the result's description. */
bool find_contains(const char *text, const char *name, const char *help);

/* A line of data/synonyms: words that the field uses, and the command that the find overlay offers
 * for these words. */
struct synonym {
	char *command; /* "-": the program has no command for these words, and `help` names the
			  nearest alternative */
	char *help;
	char *words; /* the field's words for the command: phrases, each ended by a NUL; the last
			phrase is empty */
};

/* The lines of data/synonyms. */
struct synonyms {
	bool read;
	struct synonym *row;
	size_t count;
	struct status status; /* the first error in the file data/synonyms */
};

/* Returns the lines of data/synonyms, which are read at the first call. */
const struct synonyms *find_synonyms(void);
/* Returns how well the best phrase in a line of data/synonyms matches the typed text. */
enum rank find_rank_synonym(const char *text, const struct synonym *row);
