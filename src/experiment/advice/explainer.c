#include "experiment/advice/explainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/program/function_loops.h"

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	(void)context;
	return uarch_recognise(machine, name, why);
}

/* Copies the names of a loaded model for the panels. */
static struct status named(struct core *core, struct status status)
{
	const struct uarch *uarch = core->uarch;

	if (!status_is_ok(&status))
		return status;
	snprintf(core->name, sizeof(core->name), "%s", uarch->name);
	snprintf(core->title, sizeof(core->title), "%s", uarch->title);
	core->port_count = uarch_port_count(uarch);
	for (int i = 0; i < core->port_count && i < UARCH_PORTS; i++) {
		snprintf(core->port[i], sizeof(core->port[i]), "%s", uarch->port[i]);
		core->unit[i] = i >= uarch->port_count;
	}
	return status;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	(void)context;
	*core = (struct core){ .name = "" };
	return named(core, uarch_load(name, isa, &core->uarch));
}

static struct status read_text(void *context, const char *text, struct core *core)
{
	(void)context;
	*core = (struct core){ .name = "" };
	return named(core, uarch_parse(text, "what was measured", &core->uarch));
}

static void unload(void *context, struct core *core)
{
	(void)context;
	uarch_free(core->uarch);
	memset(core, 0, sizeof(*core));
}

static void ask(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	const struct function_loops *function = question->kernel->function;

	(void)context;
	if (function)
		function_loops_explain(function, function_loops_chosen(function, question->v),
			question, explanation);
	else
		explain(question, explanation);
}

static void events(void *context, const struct machine *machine, const char *const *extra,
	int extra_count, struct event_plan *plan)
{
	(void)context;
	events_plan_here(machine, extra, extra_count, plan);
}

static double modelled(
	void *context, const struct uarch_event *meaning, const struct explanation *explanation)
{
	(void)context;
	return events_modelled(meaning, explanation);
}

const struct explainer explainer_model = { NULL, recognise, load, unload, ask, events, modelled,
	read_text, true };

/* ---- the cache ---- */

/* The cache of explained settings keeps few complete explanations, because they are large. The
 * cache of explained settings keeps many predictions of cycles, because advice needs many of them.
 */
enum { WHOLE = 8, PREDICTIONS = 256 };

struct explain_cache {
	struct {
		struct setting setting; /* setting of the cached explanation or prediction; if its
					   kernel is NULL, the entry is unused */
		struct explanation *explanation;
	} whole[WHOLE];
	struct {
		struct setting setting;
		double cpe;
	} prediction[PREDICTIONS];
	unsigned whole_made,
		predictions_made; /* numbers of explanations and predictions ever added to the
				     cache; a new entry replaces the oldest entry */
};

struct explain_cache *explain_cache_new(void)
{
	return memory_new(1, sizeof(struct explain_cache));
}

void explain_cache_free(struct explain_cache *cache)
{
	for (int i = 0; cache && i < WHOLE; i++)
		explanation_free(cache->whole[i].explanation);
	free(cache);
}

void explain_cache_clear(struct explain_cache *cache)
{
	for (int i = 0; i < WHOLE; i++)
		cache->whole[i].setting.kernel = NULL;
	for (int i = 0; i < PREDICTIONS; i++)
		cache->prediction[i].setting.kernel = NULL;
}

bool explain_cache_slow(const struct kernel *kernel)
{
	return kernel->stepped || kernel->own || kernel->function;
}

struct explanation *explain_cache_find(struct explain_cache *cache, const struct setting *setting)
{
	for (int i = 0; i < WHOLE; i++)
		if (setting_equal(setting, &cache->whole[i].setting))
			return cache->whole[i].explanation;
	return NULL;
}

struct explanation *explain_cache_put(
	struct explain_cache *cache, const struct setting *setting, struct explanation *explanation)
{
	unsigned place = cache->whole_made++ % WHOLE;
	struct explanation *before = cache->whole[place].explanation;

	cache->whole[place].setting = *setting;
	cache->whole[place].explanation = explanation;
	return before ? before : explanation_new();
}

struct explanation *explain_cache_keep(struct explain_cache *cache, const struct setting *setting)
{
	struct explanation *explanation = explain_cache_put(cache, setting, NULL);

	cache->whole[(cache->whole_made - 1) % WHOLE].explanation = explanation;
	return explanation;
}

bool explain_cache_predicted(
	const struct explain_cache *cache, const struct setting *setting, double *cpe)
{
	for (int i = 0; i < PREDICTIONS; i++)
		if (setting_equal(setting, &cache->prediction[i].setting)) {
			*cpe = cache->prediction[i].cpe;
			return true;
		}
	return false;
}

void explain_cache_predict(struct explain_cache *cache, const struct setting *setting, double cpe)
{
	unsigned place = cache->predictions_made++ % PREDICTIONS;

	cache->prediction[place].setting = *setting;
	cache->prediction[place].cpe = cpe;
}
