/* The inside of the open lesson, for classroom.c, classroom_now.c and classroom_view.c. */
#pragma once

#include "explorer/classroom.h"
#include "explorer/state.h"

/* Indices of the texts of a lesson's step on screen: text, question, hint and explanation. */
enum { SHOWN_TEXT, SHOWN_PROMPT, SHOWN_HINT, SHOWN_EXPLAIN, SHOWN_COUNT };

/* The measured values of a lesson's step: `values` points to the other fields. */
struct collected {
	struct lesson_values values;
	struct cache_sizes caches;
	struct sample now, a;
	struct limits limits; /* without the hidden numbers */
	struct lesson_point curve[VIEW_SLICE];
	bool complete; /* true: each point of the curve over the question's knob was measured with
			  enough trials */
};

/* ---- classroom_now.c: the present step, and the values that were measured for it */

/* What the student did in the present step. */
const struct step_taken *classroom_taken(const struct session *session);

/* Finds the setting of the lesson's present step. A step without a setting has that of the last
 * earlier step with one. Returns false if no step has a setting. */
bool classroom_setting(const struct session *session, struct setting *setting);

/* Whether the replayed recording contains the setting of the lesson's step and its A, the setting
 * compared with.
 */
bool classroom_recorded(const struct session *session);

/* Collects the measured values that the texts and conditions of a lesson can name, such as `cpe`.
 * Values of a setting other than the step's are unknown. */
void classroom_measure(const struct session *session, struct collected *measured);

/* Removes the measured values that a lesson's open question asks for, so that no text shows them.
 */
void classroom_hide(struct collected *measured, unsigned hidden);

/* Whether the machine has what the lesson's step needs, such as an L3 cache or AVX2; if not, *why
 * receives the reason. */
bool classroom_here(const struct session *session, struct words *why);

/* ---- classroom.c */

/* Returns why the student's guess cannot be judged yet, such as "measuring"; NULL: the guess can be
 * judged. */
const char *classroom_awaits(const struct session *session);
