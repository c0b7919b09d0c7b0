/* A cache of explanations. Kernels whose path depends on data are stepped through, which takes tens
 * of milliseconds, so that each setting is stepped once. The cache keeps whole explanations of the
 * last settings, and the predictions of many. */
#pragma once

#include <stdbool.h>

#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

struct explain_cache;

struct explain_cache *explain_cache_new(void);
void explain_cache_free(struct explain_cache *explain_cache);
void explain_cache_clear(struct explain_cache
		*explain_cache); /* another core, another seed: nothing holds any more */

/* Whether explaining takes long enough to be noticed. */
bool explain_cache_slow(const struct kernel *kernel);

/* The explanation of a setting, or NULL. Valid until explain_cache_keep() or explain_cache_clear().
 */
struct explanation *explain_cache_find(
	struct explain_cache *explain_cache, const struct setting *setting);

/* A buffer for the explanation of a setting, which explain_cache_find() returns from then on; the
 * oldest one is replaced. */
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
