/* What explaining found, kept: kernels whose way through the loop depends on data are stepped
 * through, which takes tens of milliseconds, so each setting is stepped once. Of the last settings
 * whole explanations are kept, of many the prediction. */
#ifndef SLX_EXPERIMENT_ADVICE_READINGS_H
#define SLX_EXPERIMENT_ADVICE_READINGS_H

#include <stdbool.h>

#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

struct readings;

struct readings *readings_new(void);
void readings_free(struct readings *readings);
void readings_clear(
	struct readings *readings); /* another core, another seed: nothing holds any more */

/* Whether explaining takes long enough to be noticed. */
bool readings_slow(const struct kernel *kernel);

/* The explanation kept of a setting, or NULL. Valid until readings_keep() or readings_clear(). */
struct explanation *readings_find(struct readings *readings, const struct setting *setting);

/* Room to explain a setting in, which is found from then on; the one that was kept longest gives
 * way. */
struct explanation *readings_keep(struct readings *readings, const struct setting *setting);

/* Keeps an explanation of a setting that was made elsewhere. Returns the one that gives way, the
 * caller's now. */
struct explanation *readings_put(
	struct readings *readings, const struct setting *setting, struct explanation *explanation);

/* The predicted CPE of a setting: whether it is known, and what it is (NAN: explained, and there is
 * none). */
bool readings_predicted(
	const struct readings *readings, const struct setting *setting, double *cpe);
void readings_predict(struct readings *readings, const struct setting *setting, double cpe);

#endif
