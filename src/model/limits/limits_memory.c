/* The slowest chain, and memory: what a working set costs that the first-level cache does not hold.
 * levels.c has what is served where. */
#include "model/limits/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first level that serves anything and has no such figure; NULL: all have. */
static const struct level *without(const struct level *level, bool lines)
{
	for (int i = L2; i < LEVELS; i++)
		if (level[i].share > 0 && !levels_known(&level[i], lines))
			return &level[i];
	return NULL;
}

/* ---- The chain */

static void add_use(struct class_use *use, int *count, int room, const struct uarch_class *class)
{
	int i = 0;

	while (i < *count && use[i].class != class)
		i++;
	if (i == room)
		return;
	if (i == *count)
		use[(*count)++] = (struct class_use){ .class = class };
	use[i].count++;
}

/* The chain's links, by class, over all the turns that it spans. */
static int chain_uses(
	const struct tally *tally, const struct chain *chain, struct class_use *use, int room)
{
	int count = 0;

	for (int i = 0; i < chain->link_count; i++) {
		const struct chain_link *link = &chain->link[i];
		const struct uarch_insn *facts = &tally->facts[tally->loop->path[link->step].insn];

		if (link->load && facts->load && link->cycles > 0)
			add_use(use, &count, room, facts->load);
		if (link->alu && facts->op && !facts->eliminated && link->cycles > 0)
			add_use(use, &count, room, facts->op);
	}
	return count;
}

static void describe_chain(
	const struct tally *tally, const struct chain *chain, char *buffer, size_t size)
{
	enum { ROOM = 24 };
	struct class_use use[ROOM];
	double turns = chain->spans * tally->turns;
	int count = chain_uses(tally, chain, use, ROOM);
	bool even = true;
	char what[100], over[40] = "";

	/* Of a long chain only the first links are there: as many turns of it as their cycles are.
	 */
	if (chain->link_count == CHAIN_MAX && chain->cycles > 0) {
		double cycles = 0;

		for (int i = 0; i < chain->link_count; i++)
			cycles += (double)chain->link[i].cycles;
		turns = cycles / (chain->cycles / tally->turns);
		for (int i = 0; i < count; i++)
			if (fabs(use[i].count / turns - rint(use[i].count / turns)) < 0.05)
				use[i].count = rint(use[i].count / turns) * turns;
	}
	/* A chain of many turns is told by the turn where it comes out even. */
	for (int i = 0; i < count; i++)
		even &= fabs(use[i].count / turns - rint(use[i].count / turns)) < 1e-6;
	if (!even)
		snprintf(over, sizeof(over), " in %.0f iterations", turns);
	words_uses(use, count, even ? turns : 1, 3, what, sizeof(what));
	snprintf(buffer, size, "%s%s%s", what[0] ? what : "values carried along", over,
		chain->through_memory ? ", through memory" : "");
}

/* Elements of a chain begun anew that are under way beside what it follows: no more than stand in
 * the reorder buffer, and of them no more than wait in the scheduler. INFINITY: not known. */
static double overlap(const struct tally *tally, const struct chain *chain)
{
	double rob = uarch_fact(tally->uarch, SIZE_ROB),
	       scheduler = uarch_fact(tally->uarch, SIZE_SCHEDULER);
	double together = INFINITY, operations = 0;

	for (int i = 0; i < chain->link_count; i++)
		operations += chain->link[i].alu && chain->link[i].cycles > 0;
	if (chain->link_count == CHAIN_MAX)
		operations = 0;
	if (uarch_known(rob) && tally->slots > 0)
		together = rob / tally->slots;
	if (uarch_known(scheduler) && operations > 0)
		together = fmin(together, scheduler / (operations / chain->spans));
	return together * tally->elements;
}

/* The share of a chain's cycles that is left when it begins anew every `restart` elements. Of those
 * that follow, the k-th begins when all but the last `together` elements before it are through. Two
 * bounds come close to what follows from that: the first k that has to wait at all, and the next,
 * which waits for the whole of the one. */
double limits_restart_share(double restart, double together)
{
	double first = floor(together / restart) + 1;

	return fmax(1 - together / (first * restart), 1 / (first + 1));
}

void limits_latency(struct tally *tally)
{
	struct chain *chain = &tally->limits->chain;
	double restart = tally->place->restart, together;
	char what[160], number[24], every[24];

	deps_chain_missing(tally->loop, tally->uarch, tally->facts, RENAMES_ALL, 0, chain);
	if (chain->cycles <= 0)
		return;
	describe_chain(tally, chain, what, sizeof(what));
	words_number(chain->cycles / tally->turns, number);
	together = restart > 0 ? overlap(tally, chain) : 0;
	tally->limits->overlap = isfinite(together) ? together : 0;
	if (restart > 0 && isfinite(together) && limits_restart_share(restart, together) > 0.99) {
		/* Seldom enough to say no more of it. */
		limits_add(tally, LIMIT_LATENCY,
			chain->cycles * limits_restart_share(restart, together),
			"chain of %s: %s cycle%s", what, number,
			chain->cycles == tally->turns ? "" : "s");
	} else if (restart > 0 && isfinite(together)) {
		limits_add(tally, LIMIT_LATENCY,
			chain->cycles * limits_restart_share(restart, together),
			"chain of %s: %s cycle%s, but begun anew every %s%s: up to %.0f of them "
			"overlap with those before",
			what, number, chain->cycles == tally->turns ? "" : "s",
			restart == 1 ? "" : words_number(restart, every),
			restart == 1 ? "element" : " elements", floor(together));
	} else if (restart <= 0) {
		limits_add(tally, LIMIT_LATENCY, chain->cycles, "chain of %s: %s cycle%s", what,
			number, chain->cycles == tally->turns ? "" : "s");
	}
	for (int i = 0; i < chain->link_count; i++)
		tally->limits->insn[tally->loop->path[chain->link[i].step].insn].carried = true;
}

double limits_chained_misses(const struct tally *tally, const struct chain *chain)
{
	return fmin(chain->loads, (tally->place->reaches ? levels_lines(tally, WAYS(REACH_CHAINED))
							 : tally->place->lines) *
					  tally->elements / fmax(tally->place->chains, 1));
}

/* Loads of the chain go to the working set's levels. Only where no prefetcher follows, and no more
 * of them than lines are touched: the rest find their line just fetched. */
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
	deps_chain_missing(tally->loop, tally->uarch, tally->facts, RENAMES_ALL,
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
	limits_add(tally, LIMIT_MEMORY_LATENCY, cycles, "%s chained load%s at %s cycles: %s",
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
	/* A core's file without the rate of its L2: those lines then count as free, which keeps the
	 * sum a bound. */
	for (int i = L2; i < LEVELS; i++)
		if (level[i].lines > 0)
			cycles += lines * level[i].share / level[i].lines;
	levels_describe(level, where, sizeof(where));
	limits_add(tally, LIMIT_MEMORY_LINES, cycles, "%s line%s at %s a cycle: %s",
		words_number(lines / tally->turns, number), lines == tally->turns ? "" : "s",
		words_number(cycles > 0 ? lines / cycles : 0, rate), where);
}

/* Misses that do not wait for each other overlap as far as they are in flight together: they must
 * stand in the reorder buffer at the same time, and the first-level cache waits for so many lines
 * at once. */
static void add_misses(struct tally *tally, const struct level *level)
{
	const struct level *missing = without(level, false);
	double lines = levels_lines(tally, WAYS_WAITING) * tally->elements;
	double misses = lines * (1 - level[L1].share), wait = 0;
	double rob = uarch_fact(tally->uarch, SIZE_ROB),
	       most = uarch_fact(tally->uarch, EXTRA_MISSES), together = INFINITY;
	double queue = uarch_fact(tally->uarch, SIZE_STORE_QUEUE), window[SIZE_COUNT];
	bool by_buffer = true, one_by_one = limits_window(tally, window);
	char number[24], each[24];

	if (one_by_one)
		together = window[SIZE_ROB];
	else if (uarch_known(rob) && tally->slots > 0 && !limits_prefetches(tally->loop))
		together = fmax(1, ceil(rob / (tally->slots / misses)));
	/* Stores leave the reorder buffer before their line is there, and wait in a queue of their
	 * own. */
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
	limits_add(tally, LIMIT_MISSES, wait / together, "misses of %s cycles, %s at a time %s",
		words_number(wait / misses, each), words_number(together, number),
		by_buffer ? "in the reorder buffer" : "in the L1 cache");
	if (one_by_one)
		limits_add_window(tally, window, together, wait, misses);
}

/* Whether there are misses that need not wait for each other. Of reaches the ordered ones are in
 * flight before anyone waits for them. */
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
	/* What the first cache holds comes from nowhere else. */
	bool fits = levels_cache(tally, L1) > 0 && !limits_spills(tally);

	beyond[0] = beyond[1] = beyond[2] = fits ? 0 : (double)NAN;
	limits_reach(tally);
	if (!limits_spills(tally) || lines <= 0)
		return;
	if (!levels_spread(tally, WAYS_ALL, level, &missing)) {
		limits_add_unknown(
			tally, LIMIT_MEMORY_LINES, "size of the %s cache is not known", missing);
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
