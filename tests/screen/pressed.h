/* The test that no key acts unseen. */
#pragma once

#include <stdio.h>

#include "ui/frontend.h"

/* Presses every key on the present screen, each from the same state, and names those that neither
 * change the screen nor show a message. Keys with the same command are pressed once. Returns how
 * many act unseen. */
int pressed(struct frontend *front, const char *name, double now, FILE *out);
