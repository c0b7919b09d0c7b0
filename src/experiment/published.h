/* Published values of a kernel's loop, read from data/published. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "engine/measure/trials.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

struct published {
	char core[24];	 /* name of the core that the values are for: "skylake" */
	double cycles;	 /* cycles per iteration */
	bool limit;	 /* the cycles are a limit that the source computes, not a measurement */
	char ports[160]; /* micro-ops per port: "p0=1.06 p1=4.00 …"; empty: unknown */
	char source[128];
	/* Where the published text, the core model and measurements differ; empty: no
	 * difference. */
	char remark[240];
	/* The published values contradict their own text or the core model, so a measurement
	 * should decide. */
	bool doubt;
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

/* The limits of one loop on the core of the published cycles (theirs) and on the running core
 * (ours). Cycles are per iteration. */
struct published_limits {
	bool known; /* both limits are known */
	struct published_limit {
		double cycles;
		enum limit_kind kind;
	} theirs, ours;
};

/* Computes both limits, if the published values are in doubt. `question` asks about the setting;
 * its core does not matter. `running` is the name of the running core; "": the core is unknown. */
void published_limits(const struct published *published, const struct explainer *explainer,
	const struct explain_question *question, const char *running,
	struct published_limits *limits);

/* Adds a sentence that says which is right: the published cycles or the limit of their core. The
 * measured cycles of the running core decide, compared with the running core's own limit. A slow
 * sample decides less than a fast one, because interference makes code slower. Adds nothing if the
 * published cycles and the limit of their core agree. */
void published_verdict(const struct published *published, const struct published_limits *limits,
	double elements, const struct sample *sample, struct text *words);

/* Adds a sentence for the ports whose published micro-ops differ from the core model: what the
 * running core counted, and so which is right, or that the running core cannot tell. `counted` has
 * the count per iteration of each port of the model; NAN: the port was not counted. */
void published_ports_verdict(const struct published *published, const struct limits *limits,
	const double *counted, struct text *words);
