#include "experiment/sweep/blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/setting/setting.h"

/* So far above all else a chain of sums has to be before shorter lines, of which several overlap,
 * are worth more than fewer of them. */
#define CHAIN_BINDS 1.5

/* Entries of the first TLB where the core's file has none: those of most large cores. */
#define TLB_ASSUMED 64

/* Of another core its own two caches; of this one those that the system states. */
static double bytes_of(
	const struct blocks_question *question, const struct uarch_cache *cache, int level)
{
	double stated = question->machine ? (double)machine_cache(question->machine, level) : 0;

	return cache && uarch_known(cache->bytes) && (question->explanation->foreign || stated <= 0)
		       ? cache->bytes
		       : stated;
}

static int find_levels(
	const struct blocks_question *question, struct block_level level[BLOCK_LEVELS])
{
	static const char *const names[] = { "L1d", "L2", "L3" };
	const struct uarch *uarch =
		question->explanation ? question->explanation->limits.uarch : NULL;
	int count = 0;

	for (int i = 1; i <= 2; i++) {
		const struct uarch_cache *cache = uarch ? uarch_cache(uarch, i) : NULL;
		double bytes = bytes_of(question, cache, i);

		if (bytes > 0)
			level[count++] = (struct block_level){ .name = names[i - 1],
				.bytes = bytes,
				.latency = cache ? cache->latency : 0,
				.lines = cache ? cache->lines : 0 };
	}
	if (question->machine && machine_cache(question->machine, 3) > 0)
		level[count++] = (struct block_level){ .name = names[2],
			.bytes = (double)machine_cache(question->machine, 3),
			.shared = true,
			.latency = question->l3.known ? question->l3.latency : 0,
			.measured = question->l3.known };
	level[count++] = (struct block_level){ .name = "memory",
		.shared = true,
		.latency = question->memory.known ? question->memory.latency : 0,
		.measured = question->memory.known };
	return count;
}

/* Elements of a sum that are under way at once, where the chain of one sum alone would be the
 * highest limit. */
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

bool blocks_find(const struct blocks_question *question, struct blocks *blocks)
{
	const struct kernel *kernel = question->setting->kernel;
	const struct explanation *explanation = question->explanation;
	struct block_question ask = { 0 };

	memset(blocks, 0, sizeof(*blocks));
	if (!kernel->block || !kernel->block(question->setting->v, &blocks->block))
		return false;
	ask.level_count = find_levels(question, ask.level);
	ask.blocks = blocks->block.blocks;
	ask.bytes = blocks->block.bytes;
	ask.least = kernel->knobs[blocks->block.knob].min;
	ask.most = blocks->block.most;
	if (explanation && status_is_ok(&explanation->status)) {
		double entries = explanation->limits.uarch
					 ? uarch_fact(explanation->limits.uarch, SIZE_TLB1)
					 : 0;

		ask.pages_assumed = !(entries > 0);
		ask.pages = blocks->block.pages;
		ask.down = blocks->block.down;
		ask.meet = blocks->block.meet;
		ask.entries = ask.pages_assumed ? TLB_ASSUMED : entries;
		ask.turn = explanation->granule;
		ask.mispredict = explanation->limits.uarch
					 ? uarch_fact(explanation->limits.uarch, EXTRA_MISPREDICT)
					 : 0;
		ask.window = blocks->block.sums ? window_of(&explanation->limits) : 0;
	}
	block_advise(&ask, &blocks->advice);
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
		bool again = false;

		/* The last two may be among the others. */
		for (int k = 0; k < i; k++)
			again |= values[k] == values[i];
		other.v[blocks->block.knob] = values[i];
		cell = again ? NULL : cells_get((struct cells *)cells, &other, false);
		if (cell && cell->sample.valid && !cell->sample.contended &&
			!cell->sample.unsettled)
			blocks_note(blocks, values[i], cell->sample.cpe, measured);
	}
}

void blocks_finding(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured, char *buffer, size_t size)
{
	int used = snprintf(buffer, size, "%s=%lld advised",
		setting->kernel->knobs[blocks->block.knob].name, (long long)blocks->advice.n);

	if (!measured || measured->count < 2 || used < 0 || (size_t)used >= size)
		return;
	buffer += used;
	size -= (size_t)used;
	if (measured->best == blocks->advice.n)
		snprintf(buffer, size, ", and the best of %d measured", measured->count);
	else if (isfinite(measured->advised_cpe))
		snprintf(buffer, size, "; best of %d measured: %lld, where it takes %.1f %% less",
			measured->count, (long long)measured->best,
			100 * (1 - measured->best_cpe / measured->advised_cpe));
	else
		snprintf(buffer, size, "; best of %d measured: %lld", measured->count,
			(long long)measured->best);
}

void blocks_words(const struct blocks *blocks, const struct setting *setting,
	const struct blocks_measured *measured, char *buffer, size_t size)
{
	size_t used;

	/* What was found first: where room is short, the reason is cut. */
	blocks_finding(blocks, setting, measured, buffer, size);
	used = strlen(buffer);
	snprintf(buffer + used, size - used, ": %s", blocks->advice.why);
}
