/* The explorer's interface to the model. The model recognises the core, and finds the limits of a
 * kernel. Tests, and replays of recordings, implement the interface without core models and machine
 * code. */
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
	char name[CORE_NAME], title[64]; /* name and title of the core: "zen3", "AMD Zen 3" */
	int port_count; /* number of entries in `port`: ports first, then units, in the order of
			   struct limits */
	char port[UARCH_PORTS][16];
	bool unit[UARCH_PORTS];
	struct uarch *uarch; /* the core model, owned by the explainer; may be NULL */
};

struct explainer {
	void *context;
	/* Recognises the core, like uarch_recognise(). */
	enum uarch_match (*recognise)(
		void *context, const struct machine *machine, char name[CORE_NAME], char why[160]);
	/* Loads a core model, which the caller frees with unload(). Returns STATUS_USAGE in the
	 * same cases as uarch_load(). */
	struct status (*load)(void *context, const char *name, const char *isa, struct core *core);
	void (*unload)(void *context, struct core *core);
	/* Explains a setting, like explain(). */
	void (*explain)(void *context, const struct explain_question *question,
		struct explanation *explanation);
	/* Plans the events to count on this machine: the running core's events and the extra
	 * events, like events_plan(). The plan of counter events does not depend on the chosen core
	 * model. The caller sets the id of the plan of counter events. If `events` is NULL, nothing
	 * is counted. */
	void (*events)(void *context, const struct machine *machine, const char *const *extra,
		int extra_count, struct event_plan *plan);
	/* Returns the predicted count of an event, like events_modelled(). If `modelled` is NULL,
	 * the model does not predict events. */
	double (*modelled)(void *context, const struct uarch_event *meaning,
		const struct explanation *explanation);
	/* Loads a core model like load(), but from a text, not from a file. If `read` is NULL, core
	 * models that slexplore measured are not supported. */
	struct status (*read)(void *context, const char *text, struct core *core);
	bool background_explain; /* true: explain() may run in another thread while this thread
				    calls the other functions */
};

/* The explainer that uses src/model. */
extern const struct explainer explainer_model;

/* A cache of explanations. Some kernels contain branches that depend on their data. To explain a
 * kernel that branches on its data, the model steps through the code, which takes tens of
 * milliseconds. The cache keeps complete explanations of the last few settings, and predictions for
 * many settings. */
struct explain_cache;

struct explain_cache *explain_cache_new(void);
void explain_cache_free(struct explain_cache *explain_cache);
/* Empties the cache. The caller empties the cache of explanations after a change of the core model
 * or the seed. */
void explain_cache_clear(struct explain_cache *explain_cache);

/* Returns whether computing an explanation of the kernel takes noticeable time. */
bool explain_cache_slow(const struct kernel *kernel);

/* Finds the explanation of a setting in the cache, or returns NULL. The explanation found in the
 * cache is valid until explain_cache_keep() or explain_cache_clear() is called. */
struct explanation *explain_cache_find(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Returns a buffer for the explanation of a setting, which replaces the oldest explanation in the
 * cache. explain_cache_find() then finds the buffer. */
struct explanation *explain_cache_keep(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Adds an explanation of a setting to the cache, which then owns the explanation. Returns the
 * replaced explanation, which the caller then owns. */
struct explanation *explain_cache_put(struct explain_cache *explain_cache,
	const struct setting *setting, struct explanation *explanation);

/* Returns whether the cache has the prediction of a setting. *cpe is NAN if the explanation gave no
 * prediction. */
bool explain_cache_predicted(
	const struct explain_cache *explain_cache, const struct setting *setting, double *cpe);
void explain_cache_predict(
	struct explain_cache *explain_cache, const struct setting *setting, double cpe);
