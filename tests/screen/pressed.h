/* The test that no key acts unseen. */
#pragma once

#include <stdio.h>

#include "ui/frontend.h"

/* Presses keys on the present screen, each from the same state, and names those that neither change
 * the screen nor show a message. `all`: keys without a row in data/keys too. Returns how many. */
int pressed(struct frontend *front, const char *name, bool all, double now, FILE *out);
