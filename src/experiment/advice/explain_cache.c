#include "experiment/advice/explain_cache.h"

#include <stdlib.h>

#include "base/text.h"

/* Whole explanations are large. Predictions serve the advice of several settings. */
enum { WHOLE = 8, PREDICTIONS = 256 };

struct explain_cache {
	struct {
		struct setting setting; /* kernel NULL: none */
		struct explanation *explanation;
	} whole[WHOLE];
	struct {
		struct setting setting;
		double cpe;
	} prediction[PREDICTIONS];
	int whole_next, predictions, prediction_next;
};

struct explain_cache *explain_cache_new(void)
{
	return memory_new(1, sizeof(struct explain_cache));
}

void explain_cache_free(struct explain_cache *explain_cache)
{
	if (!explain_cache)
		return;
	for (int i = 0; i < WHOLE; i++)
		explanation_free(explain_cache->whole[i].explanation);
	free(explain_cache);
}

void explain_cache_clear(struct explain_cache *explain_cache)
{
	for (int i = 0; i < WHOLE; i++)
		explain_cache->whole[i].setting.kernel = NULL;
	explain_cache->predictions = explain_cache->prediction_next = 0;
}

bool explain_cache_slow(const struct kernel *kernel)
{
	return kernel->stepped || kernel->own;
}

struct explanation *explain_cache_find(
	struct explain_cache *explain_cache, const struct setting *setting)
{
	for (int i = 0; i < WHOLE; i++)
		if (explain_cache->whole[i].setting.kernel &&
			setting_equal(&explain_cache->whole[i].setting, setting))
			return explain_cache->whole[i].explanation;
	return NULL;
}

struct explanation *explain_cache_keep(
	struct explain_cache *explain_cache, const struct setting *setting)
{
	int place = explain_cache->whole_next;

	explain_cache->whole_next = (place + 1) % WHOLE;
	if (!explain_cache->whole[place].explanation)
		explain_cache->whole[place].explanation = explanation_new();
	explain_cache->whole[place].setting = *setting;
	return explain_cache->whole[place].explanation;
}

struct explanation *explain_cache_put(struct explain_cache *explain_cache,
	const struct setting *setting, struct explanation *explanation)
{
	int place = explain_cache->whole_next;
	struct explanation *before = explain_cache_keep(explain_cache, setting);

	explain_cache->whole[place].explanation = explanation;
	return before;
}

bool explain_cache_predicted(
	const struct explain_cache *explain_cache, const struct setting *setting, double *cpe)
{
	for (int i = 0; i < explain_cache->predictions; i++) {
		if (!setting_equal(&explain_cache->prediction[i].setting, setting))
			continue;
		*cpe = explain_cache->prediction[i].cpe;
		return true;
	}
	return false;
}

void explain_cache_predict(
	struct explain_cache *explain_cache, const struct setting *setting, double cpe)
{
	int place = explain_cache->prediction_next;

	explain_cache->prediction_next = (place + 1) % PREDICTIONS;
	if (explain_cache->predictions < PREDICTIONS)
		explain_cache->predictions++;
	explain_cache->prediction[place].setting = *setting;
	explain_cache->prediction[place].cpe = cpe;
}
