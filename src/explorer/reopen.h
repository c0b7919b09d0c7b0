/* The command line that opens the present screen again, and the last setting of the session before.
 */
#pragma once

#include <stdbool.h>

struct session;

/* Runs the commands of the opening (opening.h) that can have an effect now. Returns whether the
 * view changed. */
bool opening_advance(struct session *session);

/* Offers to open the last setting of the session before, in a notice on screen. */
void reopen_offer(struct session *session);
