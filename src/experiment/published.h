/* Published values of a kernel's loop, read from data/published. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "experiment/setting/setting.h"

struct published {
	char core[24];	 /* name of the core that the values are for: "skylake" */
	double cycles;	 /* cycles per iteration */
	char ports[160]; /* micro-ops per port: "p0=1.06 p1=4.00 …"; empty: unknown */
	char source[128];
	/* Where the published text, the core model and measurements differ; empty: no
	 * difference. */
	char remark[240];
};

/* Finds the published values of a setting: values for the core `uarch`, else values for any other
 * core, without their ports and remark, which are about that core's model. `uarch` is NULL if the
 * core is unknown. Returns false if data/published has no values for
 * the setting. published_find() skips lines of data/published with errors, because a test checks
 * the shipped file. */
bool published_find(const struct setting *setting, const char *uarch, struct published *published);

/* Returns the published value of a port in published->ports; -1: the value is unknown. */
double published_port(const struct published *published, const char *port);

/* Adds the published cycles with their core and source: "4.01 cycles an iteration on skylake
 * (Downs, …)". If an iteration has several elements, also adds the cycles of one element. */
void published_words(const struct published *published, const struct setting *setting,
	double elements, struct text *words);
