/* Which settings the search for advice may name, and what is measured of them: the session's
 * answers to the questions of an advice_question, whose context is the session. */
#pragma once

#include <stdbool.h>

#include "experiment/setting/setting.h"

struct session;

/* The measured CPE of a setting; NAN: not measured, or contended. */
double advisable_measured(const void *session, const struct setting *setting);
/* Whether a setting was measured, and was not faster than the present setting: then a prediction
 * that it is faster is wrong. */
bool advisable_refuted(const struct session *session, const struct setting *setting);
/* Returns the recommended size of the blocks of the present setting, and its knob; 0: none. */
int64_t advisable_block(const struct session *session, int *knob);
/* Whether the search may advise a setting: no unmeasured blocks of another size than the present
 * and the recommended one, and this machine can run the setting or a replayed recording contains
 * it. */
bool advisable_allowed(const void *session, const struct setting *setting);
/* Whether an own loop is compiled for a setting: the search must not wait for the compiler. */
bool advisable_ready(const void *session, const struct setting *setting);
