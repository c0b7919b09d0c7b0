/* The explorer's interface to the model: it recognises the core, and finds the limits of a kernel.
 * Tests and replays implement it without core models and machine code. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "experiment/setting/setting.h"
#include "model/core/uarch.h"
#include "model/counts/events.h"
#include "model/limits/explain.h"

enum { CORE_NAME = 24 };

/* A loaded core model, with the names that panels show. */
struct core {
	char name[CORE_NAME], title[64]; /* "zen3", "AMD Zen 3" */
	int port_count;			 /* ports, then units, in the order of struct limits */
	char port[UARCH_PORTS][16];
	bool unit[UARCH_PORTS];
	struct uarch *uarch; /* owned by the explainer; may be NULL */
};

struct explainer {
	void *context;
	/* Like uarch_recognise(). */
	enum uarch_match (*recognise)(
		void *context, const struct machine *machine, char name[CORE_NAME], char why[160]);
	/* Loads a core model; free it with unload(). STATUS_USAGE: like uarch_load(). */
	struct status (*load)(void *context, const char *name, const char *isa, struct core *core);
	void (*unload)(void *context, struct core *core);
	/* Like explain(). */
	void (*explain)(void *context, const struct explain_question *question,
		struct explanation *explanation);
	/* Plans the events to count on this machine: the running core's events and the extra events
	 * (events_plan()). The chosen core model does not matter. The caller sets the plan's id.
	 * NULL: nothing is counted. */
	void (*events)(void *context, const struct machine *machine, const char *const *extra,
		int extra_count, struct event_plan *plan);
	/* Like events_modelled(). NULL: the model does not predict events. */
	double (*modelled)(void *context, const struct uarch_event *meaning,
		const struct explanation *explanation);
	/* Like load(), but reads the text of a core model. NULL: measured models are not supported.
	 */
	struct status (*read)(void *context, const char *text, struct core *core);
	bool background_explain; /* explain() may run in another thread while this thread calls the
				    other functions */
};

/* The explainer that uses src/model. */
extern const struct explainer explainer_model;

/* A cache of explanations. Some kernels branch on their data. To explain them, the model steps
 * through the code, which takes tens of milliseconds. The cache keeps complete explanations of the
 * last few settings, and predictions for many settings. */
struct explain_cache;

struct explain_cache *explain_cache_new(void);
void explain_cache_free(struct explain_cache *explain_cache);
/* Empties the cache. Call it after a change of the core or the seed. */
void explain_cache_clear(struct explain_cache *explain_cache);

/* Whether an explanation of this kernel takes noticeable time. */
bool explain_cache_slow(const struct kernel *kernel);

/* Finds the explanation of a setting, or returns NULL. Valid until explain_cache_keep() or
 * explain_cache_clear(). */
struct explanation *explain_cache_find(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Returns a buffer for the explanation of a setting. explain_cache_find() then finds it. It
 * replaces the oldest explanation. */
struct explanation *explain_cache_keep(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Adds an explanation of a setting; the cache owns it. Returns the replaced explanation, which the
 * caller owns. */
struct explanation *explain_cache_put(struct explain_cache *explain_cache,
	const struct setting *setting, struct explanation *explanation);

/* Returns whether the cache has the prediction of a setting. *cpe is NAN if the explanation gave no
 * prediction. */
bool explain_cache_predicted(
	const struct explain_cache *explain_cache, const struct setting *setting, double *cpe);
void explain_cache_predict(
	struct explain_cache *explain_cache, const struct setting *setting, double cpe);
