/* What explaining found, kept: kernels whose way through the loop depends on data are stepped
 * through, which takes tens of milliseconds, so each setting is stepped once. Of the last settings
 * whole explanations are kept, of many the prediction. */
#ifndef SLX_EXPERIMENT_ADVICE_EXPLAIN_CACHE_H
#define SLX_EXPERIMENT_ADVICE_EXPLAIN_CACHE_H

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

/* The explanation kept of a setting, or NULL. Valid until readings_keep() or readings_clear(). */
struct explanation *explain_cache_find(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Room to explain a setting in, which is found from then on; the one that was kept longest gives
 * way. */
struct explanation *explain_cache_keep(
	struct explain_cache *explain_cache, const struct setting *setting);

/* Keeps an explanation of a setting that was made elsewhere. Returns the one that gives way, the
 * caller's now. */
struct explanation *explain_cache_put(struct explain_cache *explain_cache,
	const struct setting *setting, struct explanation *explanation);

/* The predicted CPE of a setting: whether it is known, and what it is (NAN: explained, and there is
 * none). */
bool explain_cache_predicted(
	const struct explain_cache *explain_cache, const struct setting *setting, double *cpe);
void explain_cache_predict(
	struct explain_cache *explain_cache, const struct setting *setting, double cpe);

#endif
