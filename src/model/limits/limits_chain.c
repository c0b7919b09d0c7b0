/* Chains: the slowest chain that the loop carries, and chains of loads over small and large parts
 * of the data in turn (down a tree, along a bucket). */
#include "model/limits/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The carried chain */

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

	/* A long chain keeps only its first links: the turns that these links take. */
	if (chain->link_count == CHAIN_MAX && chain->cycles > 0) {
		double cycles = 0;

		for (int i = 0; i < chain->link_count; i++)
			cycles += (double)chain->link[i].cycles;
		turns = cycles / (chain->cycles / tally->turns);
		for (int i = 0; i < count; i++)
			if (fabs(use[i].count / turns - rint(use[i].count / turns)) < 0.05)
				use[i].count = rint(use[i].count / turns) * turns;
	}
	/* A chain of many turns is described per turn where its counts are whole numbers per turn.
	 */
	for (int i = 0; i < count; i++)
		even &= fabs(use[i].count / turns - rint(use[i].count / turns)) < 1e-6;
	if (!even)
		snprintf(over, sizeof(over), " in %.0f iterations", turns);
	words_uses(use, count, even ? turns : 1, 3, what, sizeof(what));
	snprintf(buffer, size, "%s%s%s", what[0] ? what : "values carried along", over,
		chain->through_memory ? ", through memory" : "");
}

/* Elements of a new chain that overlap with the chain before: no more than fit the reorder buffer,
 * whose operations fit the scheduler. INFINITY: unknown. */
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

/* The share of a chain's cycles that remains when a new chain begins every `restart` elements.
 * Chain k begins once all but the last `together` elements before it are done. Two bounds
 * approximate the result: the first chain that has to wait, and the next one, which waits for all
 * of that chain. */
static double restart_share(double restart, double together)
{
	double first = floor(together / restart) + 1;

	return fmax(1 - together / (first * restart), 1 / (first + 1));
}

static void add_latency(struct tally *tally)
{
	struct chain *chain = &tally->limits->chain;
	double restart = tally->place->restart, together;
	char what[160], number[24], every[24];

	deps_chain(tally->loop, tally->uarch, tally->facts, RENAMES_ALL, 0, chain);
	if (chain->cycles <= 0)
		return;
	describe_chain(tally, chain, what, sizeof(what));
	words_number(chain->cycles / tally->turns, number);
	together = restart > 0 ? overlap(tally, chain) : 0;
	tally->limits->overlap = isfinite(together) ? together : 0;
	if (restart > 0 && isfinite(together) && restart_share(restart, together) > 0.99) {
		/* Seldom enough to say no more of it. */
		limits_add(tally, LIMIT_LATENCY, chain->cycles * restart_share(restart, together),
			CAUSE_CHAIN, what, number, chain->cycles == tally->turns ? "" : "s");
	} else if (restart > 0 && isfinite(together)) {
		limits_add(tally, LIMIT_LATENCY, chain->cycles * restart_share(restart, together),
			CAUSE_CHAIN_AGAIN, what, number, chain->cycles == tally->turns ? "" : "s",
			restart == 1 ? "" : words_number(restart, every),
			restart == 1 ? "element" : " elements", floor(together));
	} else if (restart <= 0) {
		limits_add(tally, LIMIT_LATENCY, chain->cycles, CAUSE_CHAIN, what, number,
			chain->cycles == tally->turns ? "" : "s");
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

/* ---- Chained loads of several reaches */

/* Cycles of the chained loads of an element, by the level that serves them. */
struct way_down {
	double loads, cycles;
	double count[LEVELS],
		latency[LEVELS]; /* loads served there, and what each takes on average */
};

/* False: a number is missing; an unknown limit was added. */
static bool add_up(
	struct tally *tally, enum reach_way way, enum limit_kind kind, struct way_down *down)
{
	const struct limits_place *place = tally->place;
	double sum[LEVELS] = { 0 };

	*down = (struct way_down){ 0 };
	for (int k = 0; k < place->reaches; k++) {
		struct level level[LEVELS];
		const char *missing = NULL;

		if (place->reach[k].way != way || !(place->reach[k].lines > 0))
			continue;
		if (!levels_spread_reach(tally, k, level, &missing)) {
			limits_add_unknown(tally, kind, CAUSE_NO_CACHE_SIZE, missing);
			return false;
		}
		for (int i = L1; i < LEVELS; i++) {
			double loads = place->reach[k].lines * level[i].share;

			if (loads <= 0)
				continue;
			if (!levels_known(&level[i], false)) {
				levels_add_missing(tally, kind, &level[i], "latency");
				return false;
			}
			down->count[i] += loads;
			sum[i] += loads * level[i].latency;
		}
	}
	for (int i = L1; i < LEVELS; i++) {
		down->loads += down->count[i];
		down->cycles += sum[i];
		down->latency[i] = down->count[i] > 0 ? sum[i] / down->count[i] : 0;
	}
	return down->loads > 0;
}

/* Three digits: an element may have a small fraction of a load. */
static const char *loads_words(double loads, char number[24])
{
	snprintf(number, 24, loads < 100 ? "%.3g" : "%.0f", loads);
	return number;
}

/* "12 in L1, 5 in L2 at 16, 4 in memory at 320 cycles" */
static void describe(const struct way_down *down, char *buffer, size_t size)
{
	static const char *const names[LEVELS] = { "L1", "L2", "L3", "memory" };
	char number[24], each[24];
	bool told = false;

	*buffer = '\0';
	for (int i = L1; i < LEVELS; i++) {
		size_t length = strlen(buffer);

		if (down->count[i] < 0.01 * down->loads || length >= size)
			continue;
		loads_words(down->count[i], number);
		words_number(round(down->latency[i]), each);
		told = i > L1 || down->count[i] >= down->loads;
		snprintf(buffer + length, size - length, told ? "%s%s in %s at %s" : "%s%s in %s",
			length ? ", " : "", number, names[i], each);
	}
	if (told)
		snprintf(buffer + strlen(buffer), size - strlen(buffer), " cycles");
}

/* Elements whose instructions fit the reorder buffer together; INFINITY: unknown. */
static double in_buffer(const struct tally *tally)
{
	double rob = uarch_fact(tally->uarch, SIZE_ROB);

	return uarch_known(rob) && tally->slots > 0 ? rob / tally->slots * tally->elements
						    : (double)INFINITY;
}

/* Cycles of the chain with its operations between the loads, where one chain continues from element
 * to element. */
static double with_operations(const struct tally *tally, const struct way_down *down, double share)
{
	const struct chain *chain = &tally->limits->chain;
	double first = chain->loads > 0 ? chain->load_cycles / chain->loads : 0;

	if (chain->loads < share * down->loads * (1 - 1e-9))
		return 0;
	return chain->cycles + share * fmax(down->cycles - down->loads * first, 0);
}

static void add_reaches(struct tally *tally)
{
	const struct limits_place *place = tally->place;
	double share = tally->elements / fmax(place->chains, 1), together, cycles, left = 1;
	struct way_down down;
	char where[120], loads[24], overlap[80] = "", number[24];

	if (place->reaches == 0)
		return;
	if (add_up(tally, REACH_CHAINED, LIMIT_MEMORY_LATENCY, &down)) {
		cycles = fmax(share * down.cycles, with_operations(tally, &down, share));
		tally->alone = cycles;
		together = in_buffer(tally);
		if (place->restart > 0)
			left = isfinite(together) ? restart_share(place->restart, together) : 0;
		describe(&down, where, sizeof(where));
		loads_words(down.loads, loads);
		if (place->chains > 1)
			snprintf(overlap, sizeof(overlap), "; %s chains at once",
				words_number(place->chains, number));
		else if (place->restart > 0 && isfinite(together) && together >= place->restart)
			snprintf(overlap, sizeof(overlap), "; %.0f more in the reorder buffer",
				floor(together / place->restart));
		if (left > 0)
			limits_add(tally, LIMIT_MEMORY_LATENCY, cycles * left, CAUSE_LOADS_IN_TURN,
				loads, down.loads == 1 ? "" : "s", where, overlap);
		if (place->restart > 0 && isfinite(together))
			tally->limits->overlap = together;
	}
	/* A load whose address was predicted correctly waits for nothing. */
	if (add_up(tally, REACH_GUESSED, LIMIT_MISPREDICTION, &down))
		tally->wait = down.cycles / down.loads;
}

double limits_reach_walks(const struct tally *tally, double bytes, double cost, double *share)
{
	const struct limits_place *place = tally->place;
	double loads = 0, walks = 0;

	for (int k = 0; k < place->reaches; k++) {
		if (place->reach[k].way != REACH_CHAINED)
			continue;
		loads += place->reach[k].lines;
		walks += place->reach[k].range > bytes
				 ? place->reach[k].lines * (1 - bytes / place->reach[k].range)
				 : 0;
	}
	*share = loads > 0 ? walks / loads : 0;
	return walks * cost * tally->elements / fmax(place->chains, 1);
}

void limits_chain(struct tally *tally)
{
	add_latency(tally);
	add_reaches(tally);
}
