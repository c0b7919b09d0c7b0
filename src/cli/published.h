/* Values that others measured of a kernel's loop on a core: data/published. */
#pragma once

#include <stdbool.h>

#include "experiment/setting/setting.h"

struct published {
	double cycles;	 /* an iteration */
	char ports[160]; /* "p0=1.06 p1=4.00 …"; empty: unknown */
	char source[96];
};

/* Finds the published values of a setting on a core; false: none. Lines with errors are skipped: a
 * test of the shipped file finds them. */
bool published_find(const struct setting *setting, const char *uarch, struct published *published);

/* The value of a port, or -1. */
double published_port(const struct published *published, const char *port);
