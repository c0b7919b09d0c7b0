/* The results of a search in the find overlay. Private to find*.c. */
#pragma once

#include "explorer/find_words.h"
#include "explorer/state.h"

struct result_found {
	enum rank rank;
	bool absent; /* true: the result cannot be opened here */
	size_t order;
	struct view_found found;
};

struct search {
	const struct session *session;
	const char *text;
	struct result_found *result;
	size_t count, order;
	int more; /* number of further functions of the open program that match */
};

/* Returns the reason why a command of the find overlay cannot run here; empty text: the command can
 * run, or its panel is already open. */
struct words find_absence(const struct session *session, const char *command);

/* Fills a result with the label "SHOWN — HELP". */
void find_fill(struct view_found *found, const char *shown, const char *help, const char *command,
	const char *why);

/* Removes the reason why a result cannot be opened here from its label. */
void find_cut_reason(struct view_found *found);

/* Adds a result with the label "SHOWN — HELP" to the find overlay, unless the overlay already has a
 * result with the same command. The result runs `command` when the user chooses it. `why` is the
 * reason why the result cannot be opened here; empty: it can be opened. */
void find_add(struct search *search, enum rank rank, const char *shown, const char *help,
	const char *command, const char *why);

/* Adds a result without a look for the same command among the other results. */
void find_append(struct search *search, enum rank rank, const char *shown, const char *help,
	const char *command, const char *why);

/* Adds a result to the find overlay if the result matches the typed text. `name` and `shown` are
 * two names of the result ("unroll" and "combine unroll"); `more` has further words to find the
 * result by. */
void find_offer(struct search *search, const char *name, const char *shown, const char *help,
	const char *more, const char *command);

/* ---- find_files.c: results from files */

/* Add the own loops, the programs and the recordings in the present folder, and a typed path. */
void find_offer_own(struct search *search);
void find_offer_programs(struct search *search);
void find_offer_recordings(struct search *search);
/* Adds the functions of the open program. */
void find_offer_functions(struct search *search);
