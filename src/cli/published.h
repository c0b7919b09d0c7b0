/* Published values of a kernel's loop on a core, read from data/published. */
#pragma once

#include <stdbool.h>

#include "experiment/setting/setting.h"

struct published {
	double cycles;	 /* cycles per iteration */
	char ports[160]; /* "p0=1.06 p1=4.00 …"; empty: unknown */
	char source[96];
	char remark[240]; /* where the text, the model and measurements differ; empty: nothing */
};

/* Finds the published values of a setting on a core. Returns false if there are none. Lines with
 * errors are skipped, because a test checks the shipped file. */
bool published_find(const struct setting *setting, const char *uarch, struct published *published);

/* Returns the value of a port; -1: unknown. */
double published_port(const struct published *published, const char *port);
