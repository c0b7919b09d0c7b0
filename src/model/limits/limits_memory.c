/* Memory: the cost of a working set that the first-level cache does not hold. levels.c says which
 * level serves which share. */
#include "model/limits/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first level that serves accesses and whose latency (or lines a cycle) is unknown; NULL: all
 * are known. */
static const struct level *without(const struct level *level, bool lines)
{
	for (int i = L2; i < LEVELS; i++)
		if (level[i].share > 0 && !levels_known(&level[i], lines))
			return &level[i];
	return NULL;
}

/* Loads of the chain are served by the levels of the working set, where no prefetcher can follow.
 * No more loads miss than lines are touched: the other loads hit a line just fetched. */
static void add_chain(struct tally *tally, const struct level *level)
{
	const struct level *missing = without(level, false);
	struct chain slow;
	double first = tally->limits->chain.loads > 0
			       ? tally->limits->chain.load_cycles / tally->limits->chain.loads
			       : 0;
	double average = 0, more, cycles;
	char where[64], number[24], each[24];

	if (uarch_known(level[L1].latency) && first <= 0)
		first = level[L1].latency;
	for (int i = L2; i < LEVELS; i++)
		average += level[i].share * level[i].latency;
	more = missing ? 0 : average - (1 - level[L1].share) * first;
	deps_chain(tally->loop, tally->uarch, tally->facts, RENAMES_ALL,
		missing ? 1000 : fmax(more, 0), &slow);
	if (slow.loads <= 0)
		return;
	if (missing) {
		levels_add_missing(tally, LIMIT_MEMORY_LATENCY, missing, "latency");
		return;
	}
	cycles = slow.cycles - (slow.loads - limits_chained_misses(tally, &slow)) * fmax(more, 0);
	if (cycles <= tally->limits->chain.cycles + 1e-9)
		return;
	levels_describe(level, where, sizeof(where));
	limits_add(tally, LIMIT_MEMORY_LATENCY, cycles, CAUSE_CHAINED_LOADS,
		words_number(limits_chained_misses(tally, &slow) / tally->turns, number),
		limits_chained_misses(tally, &slow) / tally->turns == 1 ? "" : "s",
		words_number(first + more, each), where);
}

/* ---- Lines */

static void add_lines(struct tally *tally, const struct level *level)
{
	double lines = levels_lines(tally, WAYS_ALL) * tally->elements, cycles = 0;
	char where[64], number[24], rate[24];

	for (int i = L2; i < LEVELS; i++)
		if (level[i].share > 0 && !(level[i].lines > 0) &&
			(level[i].measured || level[i].share + level[L1].share > 1 - 1e-9)) {
			levels_add_missing(tally, LIMIT_MEMORY_LINES, &level[i], "lines a cycle");
			return;
		}
	/* Lines from an L2 whose rate the core's file lacks count as free, so that the sum stays a
	 * bound. */
	for (int i = L2; i < LEVELS; i++)
		if (level[i].lines > 0)
			cycles += lines * level[i].share / level[i].lines;
	levels_describe(level, where, sizeof(where));
	limits_add(tally, LIMIT_MEMORY_LINES, cycles, CAUSE_LINES,
		words_number(lines / tally->turns, number), lines == tally->turns ? "" : "s",
		words_number(cycles > 0 ? lines / cycles : 0, rate), where);
}

/* ---- The window: how many misses are in flight at once, where each is a load whose address the
 * previous miss loaded. Instructions between two misses fill the reorder buffer and other buffers.
 */

/* A load whose address the same load fetched one turn before. */
static bool chases(const struct insn *insn)
{
	return insn->known && insn->memory_count == 1 && insn->memory[0].load &&
	       !insn->memory[0].store && insn->write_count == 1 &&
	       (insn->memory[0].base == insn->writes[0] ||
		       insn->memory[0].index == insn->writes[0]);
}

/* Instructions from one miss to others after it. */
struct span {
	double taken[SIZE_COUNT]; /* entries, the first miss's among them */
	bool waits[REG_COUNT];	  /* registers that wait for the first miss */
};

static bool depends(const struct span *span, const struct insn *insn)
{
	for (int i = 0; i < insn->read_count; i++)
		if (span->waits[insn->reads[i]])
			return true;
	for (int i = 0; i < insn->memory_count; i++)
		if (span->waits[insn->memory[i].base] || span->waits[insn->memory[i].index])
			return true;
	return false;
}

static enum uarch_fact scheduler_of(const struct tally *tally, const struct insn *insn)
{
	bool load = insn->memory_count > 0 && !insn->address_only;
	enum uarch_fact own = load ? SIZE_LOAD_SCHEDULER : SIZE_VECTOR_SCHEDULER;

	if ((load || insn->vector) && uarch_known(uarch_fact(tally->uarch, own)))
		return own;
	return SIZE_SCHEDULER;
}

/* Adds the entries that a step takes. `first`: the others wait for this miss; `miss`: another miss,
 * which has to pass through the scheduler. */
static void take(const struct tally *tally, int step, bool first, bool miss, struct span *span)
{
	int number = tally->loop->path[step].insn;
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	bool half = tally->insn[number].second > 0, joined = tally->insn[number].joins,
	     waits = !first && depends(span, insn);
	bool made = facts->known && !facts->eliminated && !insn->zeroing;

	span->taken[SIZE_ROB] += facts->known && !half && !joined ? facts->slots : 0;
	span->taken[SIZE_BRANCHES] += insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER;
	span->taken[SIZE_CALLS] += insn->flow == FLOW_CALL;
	for (int i = 0; i < insn->write_count && made; i++) {
		/* Rename updates the stack pointer of calls. */
		span->taken[SIZE_REGISTERS] += insn->writes[i] < REG_VECTOR &&
					       !(insn->writeback && insn->flow != FLOW_NONE);
		span->taken[SIZE_VECTORS] +=
			insn->writes[i] >= REG_VECTOR && insn->writes[i] < REG_MASK;
	}
	for (int i = 0; i < insn->memory_count && !insn->address_only; i++) {
		span->taken[SIZE_LOAD_QUEUE] += insn->memory[i].load;
		span->taken[SIZE_STORE_QUEUE] += insn->memory[i].store;
	}
	if ((waits || miss) && made && insn->flow == FLOW_NONE)
		span->taken[scheduler_of(tally, insn)]++;
	for (int i = 0; i < insn->write_count; i++)
		span->waits[insn->writes[i]] = first || (waits && !insn->zeroing);
}

/* Misses in flight before each buffer is full, from the miss at `start` once around the loop. */
static void look_from(const struct tally *tally, int start, double together[SIZE_COUNT])
{
	const struct loop *loop = tally->loop;
	struct span span = { { 0 }, { false } };
	double found[SIZE_COUNT] = { 0 };

	for (int i = 0; i < loop->path_count; i++) {
		int step = (start + i) % loop->path_count;
		bool miss = chases(&loop->insn[loop->path[step].insn]);

		take(tally, step, i == 0, miss && i > 0, &span);
		for (int size = 0; size < SIZE_COUNT && miss; size++)
			found[size] += span.taken[size] <= uarch_fact(tally->uarch, size);
	}
	for (int size = 0; size < SIZE_COUNT; size++)
		together[size] = fmax(together[size], fmax(found[size], 1));
}

/* Whether there are software prefetches: they leave the reorder buffer before their line is there.
 */
static bool prefetches(const struct loop *loop)
{
	for (int i = 0; i < loop->insn_count; i++)
		if (strncmp(loop->insn[i].mnemonic, "prefetch", 8) == 0 ||
			strncmp(loop->insn[i].mnemonic, "prfm", 4) == 0)
			return true;
	return false;
}

/* How many misses are in flight together at most, by each of the core's buffers: from one miss to
 * others after it the loop takes no more entries than the buffer has. INFINITY: its size is not
 * known. False: misses are not known one by one. */
static bool in_flight_one_by_one(const struct tally *tally, double together[SIZE_COUNT])
{
	const struct loop *loop = tally->loop;
	int misses = 0;

	for (int size = 0; size < SIZE_COUNT; size++)
		together[size] = 0;
	if (loop->stepped || prefetches(loop))
		return false;
	for (int i = 0; i < loop->path_count; i++)
		misses += chases(&loop->insn[loop->path[i].insn]);
	if (misses < 2 || fabs(misses - tally->place->lines * tally->elements) > 1e-6)
		return false;
	for (int i = 0; i < loop->path_count; i++)
		if (chases(&loop->insn[loop->path[i].insn]))
			look_from(tally, i, together);
	for (int size = 0; size < SIZE_COUNT; size++)
		if (!uarch_known(uarch_fact(tally->uarch, size)))
			together[size] = INFINITY;
	return true;
}

/* Adds the limit of the fullest buffer, if it has fewer than `most` misses in flight; wait: cycles
 * of all `misses` of a path one after the other. */
static void add_window(struct tally *tally, const double together[SIZE_COUNT], double most,
	double wait, double misses)
{
	static const char *const names[SIZE_COUNT] = { [SIZE_SCHEDULER] = "the scheduler",
		[SIZE_LOAD_QUEUE] = "the load queue",
		[SIZE_STORE_QUEUE] = "the store queue",
		[SIZE_REGISTERS] = "integer registers",
		[SIZE_VECTORS] = "vector registers",
		[SIZE_BRANCHES] = "branches in flight",
		[SIZE_CALLS] = "calls in flight",
		[SIZE_LOAD_SCHEDULER] = "the loads' scheduler",
		[SIZE_VECTOR_SCHEDULER] = "the vectors' scheduler" };
	char each[24], number[24], size_of[24];
	int fullest = SIZE_ROB;

	for (int size = 0; size < SIZE_COUNT; size++)
		if (names[size] && together[size] < together[fullest])
			fullest = size;
	if (names[fullest] && together[fullest] < most)
		limits_add(tally, LIMIT_WINDOW, wait / together[fullest], CAUSE_WINDOW,
			words_number(wait / misses, each), words_number(together[fullest], number),
			words_number(uarch_fact(tally->uarch, fullest), size_of), names[fullest]);
}

/* ---- Misses that overlap */

/* Misses that do not wait for each other overlap as far as they are in flight together: they share
 * the reorder buffer, and the first-level cache waits for a limited number of lines. */
static void add_misses(struct tally *tally, const struct level *level)
{
	const struct level *missing = without(level, false);
	double lines = levels_lines(tally, WAYS_WAITING) * tally->elements;
	double misses = lines * (1 - level[L1].share), wait = 0;
	double rob = uarch_fact(tally->uarch, SIZE_ROB),
	       most = uarch_fact(tally->uarch, EXTRA_MISSES), together = INFINITY;
	double queue = uarch_fact(tally->uarch, SIZE_STORE_QUEUE), window[SIZE_COUNT];
	bool by_buffer = true, one_by_one = in_flight_one_by_one(tally, window);
	char number[24], each[24];

	if (one_by_one)
		together = window[SIZE_ROB];
	else if (uarch_known(rob) && tally->slots > 0 && !prefetches(tally->loop))
		together = fmax(1, ceil(rob / (tally->slots / misses)));
	/* A store leaves the reorder buffer before its line arrives, and waits in the store queue.
	 */
	if (tally_all(tally->stores) > 0 && !one_by_one)
		together += uarch_known(queue) ? queue : INFINITY;
	if (uarch_known(most) && most > 0 && most < together) {
		together = most;
		by_buffer = false;
	}
	if (!isfinite(together))
		return;
	if (missing) {
		levels_add_missing(tally, LIMIT_MISSES, missing, "latency");
		return;
	}
	for (int i = L2; i < LEVELS; i++)
		wait += lines * level[i].share * level[i].latency;
	limits_add(tally, LIMIT_MISSES, wait / together, CAUSE_MISSES,
		words_number(wait / misses, each), words_number(together, number),
		by_buffer ? "in the reorder buffer" : "in the L1 cache");
	if (one_by_one)
		add_window(tally, window, together, wait, misses);
}

/* Whether some misses need not wait for each other. Ordered reaches are in flight before an
 * instruction waits for them. */
static bool misses_wait(const struct tally *tally)
{
	const struct limits_place *place = tally->place;

	if (place->reaches > 0)
		return levels_lines(tally, WAYS_WAITING) > 0;
	return place->scattered && limits_chained_misses(tally, &tally->limits->chain) <
					   place->lines * tally->elements - 1e-9;
}

void limits_memory(struct tally *tally)
{
	struct level level[LEVELS], waiting[LEVELS];
	const char *missing = NULL;
	double *beyond = tally->limits->beyond, lines = levels_lines(tally, WAYS_ALL);
	/* A working set that fits the first cache needs no other level. */
	bool fits = levels_cache(tally, L1) > 0 && !levels_spill(tally);

	beyond[0] = beyond[1] = beyond[2] = fits ? 0 : (double)NAN;
	if (!levels_spill(tally) || lines <= 0)
		return;
	if (!levels_spread(tally, WAYS_ALL, level, &missing)) {
		limits_add_unknown(tally, LIMIT_MEMORY_LINES, CAUSE_NO_CACHE_SIZE, missing);
		return;
	}
	beyond[0] = lines * (1 - level[L1].share);
	beyond[1] = lines * fmax(1 - level[L1].share - level[L2].share, 0);
	beyond[2] = lines * level[MEMORY].share;
	if (tally->place->reaches == 0 && tally->place->scattered)
		add_chain(tally, level);
	if (misses_wait(tally) && levels_spread(tally, WAYS_WAITING, waiting, &missing) &&
		waiting[L1].share < 1)
		add_misses(tally, waiting);
	add_lines(tally, level);
}
