/* The model as the explorer sees it: which core this is, and what limits a kernel on it. An
 * interface, so that tests and replays have explainers without core models and machine code. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "model/core/uarch.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"

enum { CORE_NAME = 24 };

/* A loaded core model, with the names that panels show. */
struct core {
	char name[CORE_NAME], title[64]; /* "zen3", "AMD Zen 3" */
	int port_count;			 /* ports, then units, as in struct limits */
	char port[UARCH_PORTS][16];
	bool unit[UARCH_PORTS];
	struct uarch *uarch; /* the explainer's own; may be NULL */
};

struct explainer {
	void *context;
	/* Like uarch_recognise(). */
	enum uarch_match (*recognise)(
		void *context, const struct machine *machine, char name[CORE_NAME], char why[160]);
	/* Fills core, which unload() empties again. STATUS_USAGE as uarch_load(). */
	struct status (*load)(void *context, const char *name, const char *isa, struct core *core);
	void (*unload)(void *context, struct core *core);
	/* Like explain(). */
	void (*explain)(void *context, const struct explain_question *question,
		struct explanation *explanation);
	/* What to count on this machine, whichever core limits are asked for: the running core's
	 * events and the extra ones (events_plan()). The id stays for the caller. NULL: nothing is
	 * counted. */
	void (*events)(void *context, const struct machine *machine, const char *const *extra,
		int extra_count, struct event_plan *plan);
	/* Like events_modelled(). NULL: the model says nothing of events. */
	double (*modelled)(void *context, const struct uarch_event *meaning,
		const struct explanation *explanation);
	/* Like load(), of a model's text in place of its name. NULL: nothing is measured that could
	 * be read. */
	struct status (*read)(void *context, const char *text, struct core *core);
	bool background_explain; /* explain() may be called in another thread, while the others are
				  * in this one
				  */
};

/* The one that asks src/model. */
extern const struct explainer explainer_model;
