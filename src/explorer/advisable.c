#include "explorer/advisable.h"

#include <math.h>

#include "engine/own/own.h"
#include "experiment/sweep/blocks.h"
#include "explorer/state.h"

double advisable_measured(const void *context, const struct setting *setting)
{
	const struct session *session = context;
	const struct cell *cell = cells_get(session->cells, setting, false);
	const struct sample *sample = setting_equal(setting, &session->setting)
					      ? &session->live.sample
				      : cell ? &cell->sample
					     : NULL;

	return sample && sample->valid && !sample->contended ? sample->cpe : (double)NAN;
}

bool advisable_refuted(const struct session *session, const struct setting *setting)
{
	return advisable_measured(session, setting) >
	       (1 - ADVICE_WORTH / 2) * advisable_measured(session, &session->setting);
}

/* Whether a setting has other blocks than the present one, and smaller ones than recommended. The
 * model lacks the lines of the next block, which cost the more the smaller the blocks are: matmul
 * n=1000 takes 3.2 cycles with blocks of 16 on Zen 3, predicted 1.4, and 2.04 with 32,
 * predicted 1.56. */
static bool is_small_block(const struct session *session, const struct setting *setting)
{
	const struct blocks_question question = { .setting = setting,
		.explanation = session->insight.explanation,
		.caches = session->insight.explanation->misses.caches,
		.measured = &session->memory.facts };
	struct blocks blocks;

	return blocks_find(&question, &blocks) && setting->v[blocks.block.knob] < blocks.advice.n &&
	       setting->v[blocks.block.knob] != session->setting.v[blocks.block.knob];
}

bool advisable_allowed(const void *context, const struct setting *setting)
{
	const struct session *session = context;

	if (is_small_block(session, setting))
		return false;
	if (session->replay)
		return replay_find(session->replay, setting) >= 0;
	return setting_check(setting, session->memory_limits).code == STATUS_OK;
}

bool advisable_ready(const void *context, const struct setting *setting)
{
	const struct session *session = context;

	return session->replay || !setting->kernel->own ||
	       own_is_built(setting->kernel->own, setting->v);
}
