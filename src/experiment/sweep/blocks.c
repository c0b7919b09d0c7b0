#include "experiment/sweep/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/setting/setting.h"

/* If the latency of a chain of sums exceeds every other limit by the factor CHAIN_BINDS, matrix
 * blocks with shorter rows are better, because the chains of several rows then overlap. */
#define CHAIN_BINDS 1.5

/* Assumed entries of the first-level TLB if the core file does not give the number. Most large
 * cores have a first-level TLB of 64 entries. */
#define TLB_ASSUMED 64

static int find_levels(
	const struct blocks_question *question, struct block_level level[BLOCK_LEVELS])
{
	const struct uarch *uarch =
		question->explanation ? question->explanation->limits.uarch : NULL;
	/* The measured latencies are those of the running core. */
	const bool here =
		question->measured && !(question->explanation && question->explanation->foreign);
	const struct memory_level far[] = { here ? question->measured->l3
						 : (struct memory_level){ 0 },
		here ? question->measured->memory : (struct memory_level){ 0 } };
	double last = question->caches.level[2].bytes;
	int count = 0;

	for (int i = 1; i <= 2; i++) {
		const struct uarch_cache *cache = uarch ? uarch_cache(uarch, i) : NULL;
		double bytes = question->caches.level[i - 1].bytes;

		if (bytes > 0)
			level[count++] = (struct block_level){ .name = i == 1 ? "L1d" : "L2",
				.bytes = bytes,
				.latency = cache ? cache->latency : 0,
				.lines = cache ? cache->lines : 0 };
	}
	for (int i = last > 0 ? 0 : 1; i < 2; i++)
		level[count++] = (struct block_level){ .name = i ? "memory" : "L3",
			.bytes = i ? 0 : last,
			.shared = true,
			.latency = far[i].known ? far[i].latency : 0,
			.measured = far[i].known };
	return count;
}

/* Returns the number of a sum's elements that the core executes at the same time. 0: the chain of
 * the sum is not the highest limit. */
static double window_of(const struct limits *limits)
{
	double chain = limits->elements > 0 ? limits->chain.cycles / limits->elements : 0,
	       others = 0;

	for (int i = 0; i < limits->limit_count; i++) {
		const struct limit *limit = &limits->limit[i];

		if (limit->known && limit->hard &&
			limit_rows[limit->kind].resource != RESOURCE_CHAIN &&
			limit_rows[limit->kind].resource != RESOURCE_MEMORY)
			others = fmax(others, limit->cpe);
	}
	return chain > CHAIN_BINDS * others ? limits->overlap : 0;
}

/* Whether all lines of the loop's blocks stay in the cache of a level for certain. */
static bool fits_well(const struct blocks_question *question, int index)
{
	const struct misses *misses = &question->explanation->misses;
	const struct misses_level *level = &misses->level[index];

	return misses->known && level->fits && !level->edge && !level->crowded &&
	       level->bytes <= question->caches.level[index].bytes;
}

bool blocks_find(const struct blocks_question *question, struct blocks *blocks)
{
	const struct kernel *kernel = question->setting->kernel;
	const struct explanation *explanation = question->explanation;
	const struct kernel_block *block = &blocks->block;
	struct block_question ask;

	memset(blocks, 0, sizeof(*blocks));
	if (!kernel->block || !kernel->block(question->setting->v, &blocks->block))
		return false;
	ask = (struct block_question){ .blocks = block->blocks,
		.bytes = block->bytes,
		.least = kernel->knobs[block->knob].min,
		.most = block->most };
	ask.level_count = find_levels(question, ask.level);
	if (explanation && status_is_ok(&explanation->status)) {
		const struct uarch *uarch = explanation->limits.uarch;
		double entries = uarch ? uarch->fact[SIZE_TLB1] : 0;

		ask.pages_assumed = !(entries > 0);
		ask.pages = block->pages;
		ask.down = block->down;
		ask.meet = block->meet;
		ask.entries = ask.pages_assumed ? TLB_ASSUMED : entries;
		ask.turn = explanation->granule;
		ask.mispredict = uarch ? uarch->fact[EXTRA_MISPREDICT] : 0;
		ask.window = block->sums ? window_of(&explanation->limits) : 0;
	}
	block_advise(&ask, &blocks->advice);
	blocks->as_good = explanation && blocks->advice.by == BLOCK_NEAR &&
			  question->setting->v[block->knob] > blocks->advice.n &&
			  fits_well(question, blocks->advice.level - 1);
	return blocks->advice.n > 0;
}

void blocks_note(
	const struct blocks *blocks, int64_t value, double cpe, struct blocks_measured *measured)
{
	if (measured->count++ == 0)
		measured->advised_cpe = NAN;
	if (measured->best == 0 || cpe < measured->best_cpe) {
		measured->best = value;
		measured->best_cpe = cpe;
	}
	if (value == blocks->advice.n)
		measured->advised_cpe = cpe;
}

void blocks_look(const struct blocks *blocks, const struct setting *setting,
	const struct cells *cells, struct memory_limits memory_limits,
	struct blocks_measured *measured)
{
	int64_t values[64];
	int count =
		axis_values(&setting->kernel->knobs[blocks->block.knob], memory_limits, values, 62);
	struct setting other = *setting;

	memset(measured, 0, sizeof(*measured));
	values[count++] = blocks->advice.n;
	values[count++] = setting->v[blocks->block.knob];
	for (int i = 0; i < count; i++) {
		const struct cell *cell;
		int same = 0;

		while (values[same] != values[i])
			same++;
		other.v[blocks->block.knob] = values[i];
		/* The last two values of the list of block sizes may repeat earlier values. */
		cell = same < i ? NULL : cells_get((struct cells *)cells, &other, false);
		if (cell && cell->sample.valid && !cell->sample.contended &&
			!cell->sample.unsettled)
			blocks_note(blocks, values[i], cell->sample.cpe, measured);
	}
}

struct blocks_text blocks_finding(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured)
{
	struct blocks_text text;
	int used = snprintf(text.text, sizeof(text.text), "%s=%lld advised",
		setting->kernel->knobs[blocks->block.knob].name, (long long)blocks->advice.n);
	char *rest = text.text + used;
	size_t size = sizeof(text.text) - (size_t)used;

	if (!measured || measured->count < 2)
		return text;
	if (measured->best == blocks->advice.n)
		snprintf(rest, size, ", and the best of %d measured", measured->count);
	else if (isfinite(measured->advised_cpe))
		snprintf(rest, size, "; best of %d measured: %lld, where it takes %.1f %% less",
			measured->count, (long long)measured->best,
			100 * (1 - measured->best_cpe / measured->advised_cpe));
	else
		snprintf(rest, size, "; best of %d measured: %lld", measured->count,
			(long long)measured->best);
	return text;
}

struct blocks_text blocks_words(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured)
{
	struct blocks_text text = blocks_finding(blocks, setting, measured);
	size_t used = strlen(text.text);

	if (blocks->as_good && !(measured && measured->count > 1)) {
		snprintf(text.text, sizeof(text.text),
			"%s=%lld: one block stays in L1d, as one of the recommended %lld would",
			setting->kernel->knobs[blocks->block.knob].name,
			(long long)setting->v[blocks->block.knob], (long long)blocks->advice.n);
		return text;
	}
	snprintf(text.text + used, sizeof(text.text) - used, ": %s", blocks->advice.why);
	return text;
}
