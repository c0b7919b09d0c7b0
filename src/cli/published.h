/* Published values of a kernel's loop on a core, read from data/published. */
#pragma once

#include <stdbool.h>

#include "experiment/setting/setting.h"

struct published {
	double cycles;	 /* cycles per iteration */
	char ports[160]; /* micro-ops per port: "p0=1.06 p1=4.00 …"; empty: unknown */
	char source[96];
	/* Where the published text, the core model and measurements differ; empty: no
	 * difference. */
	char remark[240];
};

/* Finds the published values of a setting on a core. Returns false if data/published has no values
 * for the setting. published_find() skips lines of data/published with errors, because a test
 * checks the shipped file. */
bool published_find(const struct setting *setting, const char *uarch, struct published *published);

/* Returns the published value of a port in published->ports; -1: the value is unknown. */
double published_port(const struct published *published, const char *port);
