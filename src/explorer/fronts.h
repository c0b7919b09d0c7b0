/* The panels that can be in front: the first panel below the knobs. */
#pragma once

#include <stdbool.h>

#include "base/status.h"

struct session;

/* Whether the panel with this name can be in front, and has something to show for the present
 * setting. */
bool front_there(const struct session *session, const char *name);
/* Returns the names of these panels one after another: index 0, 1, …; NULL: no more. */
const char *front_name_at(int index);
/* Whether the panel with this name gets the focus when it comes to the front. */
bool front_walked(const char *name);
/* Whether a panel on which the arrow keys move is in front, and has the focus. */
bool fronts_walking(const struct session *session);
/* Brings back the panel that was in front before the panel on which the arrow keys move. */
void fronts_leave(struct session *session);
/* Returns an error if the kernel has no mountain (throughput over size and stride). */
struct status mountain_refusal(const struct session *session);
/* Brings the panel that best explains a newly chosen kernel to the front, unless the user keeps the
 * panel in front. Call fronts_follow() when the kernel or its limits may have changed.
 */
void fronts_follow(struct session *session);
