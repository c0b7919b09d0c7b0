/* The model as the explorer sees it: which core this is, and what limits a kernel on it. An
 * interface, so that tests and replays have explainers without core models and machine code. */
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

/* A cache of explanations. Kernels whose path depends on data are stepped through, which takes tens
 * of milliseconds, so that each setting is stepped once. The cache keeps whole explanations of the
 * last settings, and the predictions of many. */
struct explain_cache;

struct explain_cache *explain_cache_new(void);
void explain_cache_free(struct explain_cache *explain_cache);
/* Empties the cache: another core or another seed. */
void explain_cache_clear(struct explain_cache *explain_cache);

/* Whether explaining takes long enough to be noticed. */
bool explain_cache_slow(const struct kernel *kernel);

/* The explanation of a setting, or NULL. Valid until explain_cache_keep() or explain_cache_clear().
 */
struct explanation *explain_cache_find(
	struct explain_cache *explain_cache, const struct setting *setting);

/* A buffer for the explanation of a setting, which explain_cache_find() returns from then on. It
 * replaces the oldest one. */
struct explanation *explain_cache_keep(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Takes an explanation of a setting. Returns the replaced one, which the caller owns. */
struct explanation *explain_cache_put(struct explain_cache *explain_cache,
	const struct setting *setting, struct explanation *explanation);

/* Returns whether the predicted CPE of a setting is known; NAN: it was explained, and has none. */
bool explain_cache_predicted(
	const struct explain_cache *explain_cache, const struct setting *setting, double *cpe);
void explain_cache_predict(
	struct explain_cache *explain_cache, const struct setting *setting, double cpe);
