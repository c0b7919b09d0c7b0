/* The ladder of limits as a picture: each a bar in cycles per element, and what was measured below
 * them. */
#ifndef SLX_PICTURE_CHART_LADDER_H
#define SLX_PICTURE_CHART_LADDER_H

#include "experiment/setting/setting.h"
#include "model/limits/explain.h"
#include "picture/chart.h"

/* Of an explanation that is there (its status is OK). sample: what was measured at the setting;
 * NULL or not valid: nothing. words: what the two have to do with each other, "at the limit"; may
 * be empty. The caller's. */
struct chart *chart_ladder(const struct explanation *explanation, const struct setting *setting,
	const struct sample *sample, const char *words, const struct chart_origin *origin);

#endif
