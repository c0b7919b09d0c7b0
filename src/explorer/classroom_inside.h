/* The inside of the open lesson, for classroom.c, classroom_now.c and classroom_view.c. */
#pragma once

#include "explorer/classroom.h"
#include "explorer/state.h"

/* The texts of a step that the view shows. */
enum { SHOWN_TEXT, SHOWN_PROMPT, SHOWN_HINT, SHOWN_EXPLAIN, SHOWN_COUNT };

/* Memory to which struct lesson_values points. */
struct collected {
	struct lesson_values values;
	struct cache_sizes caches;
	struct sample now, a;
	struct limits limits; /* without the hidden numbers */
	struct lesson_point curve[VIEW_SLICE];
	bool complete; /* every point of the curve has enough trials */
};

/* ---- classroom_now.c: the present step, and the values that were measured for it */

/* What the student did in the present step. */
const struct step_taken *classroom_taken(const struct session *session);

/* Finds the setting of the present step: its own one, or that of the last step before that has one.
 * Returns false if no step has a setting. */
bool classroom_setting(const struct session *session, struct setting *setting);

/* Whether the recording that is replayed has everything that the step compares. */
bool classroom_recorded(const struct session *session);

/* Collects the values that a lesson can name. */
void classroom_measure(const struct session *session, struct collected *measured);

/* Removes the values that the open question asks for. */
void classroom_hide(struct collected *measured, unsigned hidden);

/* Whether the machine has what the step needs. */
bool classroom_here(const struct session *session, struct words *why);

/* ---- classroom.c */

/* Why the guess cannot be judged yet; NULL: it can. */
const char *classroom_awaits(const struct session *session);
