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

static bool find_blocks(
	const struct session *session, const struct setting *setting, struct blocks *blocks)
{
	const struct blocks_question question = { .setting = setting,
		.explanation = session->insight.explanation,
		.caches = session->insight.explanation->misses.caches,
		.measured = &session->memory.facts };

	return blocks_find(&question, blocks);
}

int64_t advisable_block(const struct session *session, int *knob)
{
	struct blocks blocks;

	if (!find_blocks(session, &session->setting, &blocks))
		return 0;
	*knob = blocks.block.knob;
	return blocks.advice.n;
}

/* Whether a setting has blocks of another size than the present and the recommended one. The model
 * lacks the lines of the next block and those that a larger block evicts: matmul n=1000 takes 3.2
 * cycles with blocks of 16 on Zen 3, predicted 1.4; with form=blocked-transposed acc=4 on Golden
 * Cove, blocks of 256 take 1.07, predicted 0.76, and blocks of 64 take 1.03. */
static bool is_other_block(const struct session *session, const struct setting *setting)
{
	struct blocks blocks;

	return find_blocks(session, setting, &blocks) &&
	       setting->v[blocks.block.knob] != blocks.advice.n &&
	       setting->v[blocks.block.knob] != session->setting.v[blocks.block.knob];
}

bool advisable_allowed(const void *context, const struct setting *setting)
{
	const struct session *session = context;
	bool measured = advisable_measured(session, setting) > 0 &&
			advisable_measured(session, &session->setting) > 0;

	if (!measured && is_other_block(session, setting))
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
