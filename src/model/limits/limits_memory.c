/* Computes the memory limits: the cost of a working set that is larger than the first-level cache.
 */
#include "model/limits/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/limits/pipeline.h"
#include "model/limits/retire.h"

/* The largest number of places in memory at which a loop reads or writes in order and prefetchers
 * still follow. Measured on Zen 4: chained loads of the next line of a random place take 15 to 28
 * cycles with up to 16 places, 100 with 32, and 260 to 330 with 128 to 1,024. */
#define PLACES_FOLLOWED 16

/* Number of missing cache lines that arrive at the same time if a loop stores at more places in
 * memory than prefetchers follow. Measured on Zen 4: stores of 4 bytes at random places of 64 to
 * 1,024 take 6 to 9 cycles more than at 16 places, or 100 to 140 cycles more per line, where a line
 * of memory takes 650 cycles. */
enum { STORES_MISSING = 6 };

/* Returns the share of the time of chained loads that remains if chains begin again, so that the
 * next ones fit the reorder buffer at the same time. */
static double share_alone(const struct tally *tally)
{
	double restart = tally->place->walk.restart, together = limits_in_buffer(tally);

	return restart <= 0 ? 1 : isfinite(together) ? limits_restart_share(restart, together) : 0;
}

/* Adds a limit without cycles if the cache or memory level `level` lacks the number called `what`,
 * such as "latency". `level` is NULL if every level has the number. Returns true if `level` is not
 * NULL, so a number of a memory level is missing. */
static bool add_missing(
	struct tally *tally, enum limit_kind kind, const struct level *level, const char *what)
{
	if (level && level->measured)
		tally->limits->incomplete = true;
	if (level)
		limits_add_unknown(tally, kind,
			level->measured ? "%s %s of this machine not measured yet"
					: "%s %s is not in the file of this core",
			level->name, what);
	return level;
}

double limits_chained_misses(const struct tally *tally, const struct chain *chain)
{
	return fmin(chain->loads, levels_lines(tally, 1 << REACH_CHAINED) * tally->elements /
					  fmax(tally->place->walk.chains, 1));
}

double limits_reach_walks(const struct tally *tally, double bytes, double cost, double *share)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double loads = 0, walks = 0;

	for (int k = 0; k < walk->reaches; k++) {
		if (walk->reach[k].way != REACH_CHAINED)
			continue;
		loads += walk->reach[k].lines;
		walks += walk->reach[k].range > bytes
				 ? walk->reach[k].lines * (1 - bytes / walk->reach[k].range)
				 : 0;
	}
	*share = loads > 0 ? walks / loads : 0;
	return walks * cost * tally->elements / fmax(walk->chains, 1) * share_alone(tally);
}

/* ---- Chained loads of several parts of the data (reaches) */

/* Computes in *cycles the cycles per element of all loads from parts of the data (reaches) of kind
 * `way`. Returns the number of loads per element. 0: no reach of kind `way` has loads, or a number
 * is missing and an unknown limit was added. */
static double add_up(struct tally *tally, enum reach_way way, enum limit_kind kind,
	struct level level[LEVELS], double *cycles)
{
	double loads = tally->place->walk.reaches ? levels_lines(tally, 1 << way) : 0;

	if (!(loads > 0) || !levels_spread(tally, kind, SLOW, 1 << way, level) ||
		add_missing(tally, kind, levels_without(level, L1), "latency"))
		return 0;
	*cycles = 0;
	for (int i = L1; i < LEVELS; i++)
		*cycles += loads * level[i].share * level[i].latency;
	levels_note_estimate(tally, level);
	return loads;
}

/* Formats a number of loads with three digits, because an element may have a small fraction of a
 * load. */
static struct limit_words loads_words(double loads)
{
	struct limit_words words = { "" };

	words_add(&words, loads < 100 ? "%.3g" : "%.0f", loads);
	return words;
}

/* Describes the loads by memory level: "12 in L1, 5 in L2 at 16, 4 in memory at 320 cycles". */
static struct limit_words describe(const struct level level[LEVELS], double loads)
{
	struct limit_words words = { "" };
	bool latency = false;

	for (int i = L1; i < LEVELS; i++) {
		if (level[i].share < 0.01)
			continue;
		latency = i > L1 || level[i].share > 1 - 1e-9;
		words_add(&words, latency ? "%s%s in %s at %s" : "%s%s in %s",
			*words.text ? ", " : "", loads_words(loads * level[i].share).text,
			level[i].name, words_number(round(level[i].latency)).text);
	}
	if (latency)
		words_add(&words, " cycles");
	return words;
}

double limits_in_buffer(const struct tally *tally)
{
	double rob = tally->uarch->fact[SIZE_ROB];

	return uarch_known(rob) && tally->slots > 0 ? rob / tally->slots * tally->elements
						    : (double)INFINITY;
}

/* Returns the average latency of the dependence chain's loads if all of them hit the first-level
 * cache. Returns 0 if the dependence chain has no loads. */
static double first_latency(const struct chain *chain)
{
	return chain->loads > 0 ? chain->load_cycles / chain->loads : 0;
}

/* Returns the cycles of the dependence chain per path, including the operations between its loads.
 * The loads alone need `cycles`. Returns 0 if the dependence chain does not continue from element
 * to element. */
static double with_operations(const struct tally *tally, double loads, double cycles)
{
	const struct chain *chain = &tally->limits->chain;

	if (chain->loads < loads * (1 - 1e-9))
		return 0;
	return chain->cycles + fmax(cycles - loads * first_latency(chain), 0);
}

/* Adds the limit of short dependence chains of loads. Each chain and the next chain overlap in
 * part. Each load frees its entries of the reorder buffer when it retires, so a chain of `loads`
 * loads holds the entries of its last load only at its end. */
static void add_partly(struct tally *tally, double together, double loads)
{
	double restart = tally->place->walk.restart, part = fmax(1 - 1 / loads, 0);

	limits_add(tally, LIMIT_OVERLAP,
		tally->alone * fmin(restart / (together + restart * part), 1),
		"chains of %s loads overlap in part: each leaves the reorder buffer load by load",
		loads_words(loads * restart).text);
}

/* Adds the limit of dependence chains that have different numbers of loads. The reorder buffer
 * frees entries in program order, so a long chain holds up the shorter chains after it. */
static void add_uneven(struct tally *tally, double together, double loads, double cycles)
{
	const struct kernel_walk *walk = &tally->place->walk;
	struct retire retire = { .service = limits_highest(tally->limits) / tally->elements *
					    fmax(walk->chains, 1),
		.fixed = cycles - walk->further * cycles / loads,
		.each = cycles / loads,
		.further = walk->further,
		.chains = fmax(walk->chains, 1),
		.window = together / walk->restart };

	if (walk->further > 0 && loads > walk->further)
		limits_add(tally, LIMIT_OVERLAP, tally->elements * retire_cycles(&retire),
			"chains of %s to %s loads leave the reorder buffer in order: a long one "
			"holds up the others",
			loads_words(loads - walk->further).text,
			loads_words(ceil(loads + walk->further)).text);
}

static void add_reaches(struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double share = tally->elements / fmax(walk->chains, 1), together, cycles, loads;
	struct level level[LEVELS];
	struct limit_words overlap = { "" };

	loads = add_up(tally, REACH_CHAINED, LIMIT_MEMORY_LATENCY, level, &cycles);
	if (loads > 0) {
		tally->alone =
			fmax(share * cycles, with_operations(tally, share * loads, share * cycles));
		together = limits_in_buffer(tally);
		if (walk->chains > 1)
			words_add(&overlap, "; %s chains at once", words_number(walk->chains).text);
		else if (walk->restart > 0 && isfinite(together) && together >= walk->restart)
			words_add(&overlap, "; %.0f more in the reorder buffer",
				floor(together / walk->restart));
		limits_add(tally, LIMIT_MEMORY_LATENCY, tally->alone * share_alone(tally),
			"%s load%s one after the other: %s%s", loads_words(loads).text,
			loads == 1 ? "" : "s", describe(level, loads).text, overlap.text);
		if (walk->restart > 0 && isfinite(together)) {
			tally->limits->overlap = together;
			add_partly(tally, together, loads);
			add_uneven(tally, together, loads, cycles);
		}
	}
	/* If the address of a load was predicted correctly, the load does not wait. */
	loads = add_up(tally, REACH_GUESSED, LIMIT_MISPREDICTION, level, &cycles);
	if (loads > 0)
		tally->wait = cycles / loads;
}

/* Adds the limit of chained loads, each of which needs the result of an earlier load. No prefetcher
 * can follow the order of chained loads. At most one load per touched line misses: all other loads
 * of the line hit, because the line was just fetched. */
static void add_chain(struct tally *tally, const struct level *level)
{
	const struct level *missing = levels_without(level, L2);
	struct chain slow;
	double first = first_latency(&tally->limits->chain), average = 0, more, cycles, misses;

	if (uarch_known(level[L1].latency) && first <= 0)
		first = level[L1].latency;
	for (int i = L2; i < LEVELS; i++)
		average += level[i].share * level[i].latency;
	more = missing ? 0 : average - (1 - level[L1].share) * first;
	deps_chain(tally->loop, tally->uarch, tally->facts, RENAMES_ALL,
		missing ? 1000 : fmax(more, 0), &slow);
	if (slow.loads <= 0 || add_missing(tally, LIMIT_MEMORY_LATENCY, missing, "latency"))
		return;
	misses = limits_chained_misses(tally, &slow);
	cycles = slow.cycles - (slow.loads - misses) * fmax(more, 0);
	if (cycles <= tally->limits->chain.cycles + 1e-9)
		return;
	limits_add(tally, LIMIT_MEMORY_LATENCY, cycles, "%s chained load%s at %s cycles: %s",
		words_turn(tally, misses).text, words_s(tally, misses),
		words_number(first + more).text, levels_describe(level).text);
}

/* ---- The limit of cache lines per cycle */

static void add_lines(struct tally *tally, const struct level *level)
{
	double lines = levels_lines(tally, WAYS_ALL) * tally->elements, cycles = 0;

	for (int i = L2; i < LEVELS; i++)
		if (level[i].share > 0 && !(level[i].lines > 0) &&
			(level[i].measured || level[i].share + level[L1].share > 1 - 1e-9) &&
			add_missing(tally, LIMIT_MEMORY_LINES, &level[i], "lines a cycle"))
			return;
	/* If the core's file has no bandwidth for L2, cache lines from L2 add no cycles to this
	 * limit. Without the cycles for lines from L2, the sum is still a lower bound. */
	for (int i = L2; i < LEVELS; i++)
		if (level[i].lines > 0)
			cycles += lines * level[i].share / level[i].lines;
	limits_add(tally, LIMIT_MEMORY_LINES, cycles, "%s line%s at %s a cycle: %s",
		words_turn(tally, lines).text, words_s(tally, lines),
		words_number(cycles > 0 ? lines / cycles : 0).text, levels_describe(level).text);
}

/* Adds the limit of lines at the rate at which loops in practice get lines from the second-level
 * cache. Loops in address order have this limit from limits_ordered(). */
static void add_sustained(struct tally *tally, const struct level *level)
{
	const struct kernel_walk *walk = &tally->place->walk;
	const double *fact = tally->uarch->fact;
	double lines = levels_lines(tally, WAYS_ALL) * tally->elements,
	       rate = fact[EXTRA_SUSTAINED_LINE] > 0 ? 1 / fact[EXTRA_SUSTAINED_LINE]
						     : level[L2].lines,
	       each = limits_second_cycles(tally, rate), cycles;
	bool sampled = tally->sampled;

	if (!(each > 0) || !(fact[EXTRA_SUSTAINED_LINE] > 0 || each > 1 / rate) ||
		!(level[L2].share > 0) || !(walk->scattered || walk->reaches > 0))
		return;
	cycles = lines * level[L2].share * each;
	for (int i = L3; i < LEVELS; i++)
		if (level[i].lines > 0)
			cycles += lines * level[i].share / level[i].lines;
	tally->sampled = true;
	limits_add(tally, LIMIT_EVICTED, cycles, "%s line%s, %s cycles for a line from L2: %s",
		words_turn(tally, lines).text, words_s(tally, lines), words_number(each).text,
		levels_describe(level).text);
	tally->sampled = sampled;
}

/* ---- The limit of cache misses that overlap */

/* Adds the limit of the core's buffer that fills first, if the buffer allows fewer than `most`
 * misses in flight. `wait` is the number of cycles of all `misses` (cache misses of a path), one
 * after the other. */
static void add_window(struct tally *tally, const double together[SIZE_COUNT], double most,
	double wait, double misses)
{
	static const char *const names[SIZE_COUNT] = { [SIZE_SCHEDULER] = "the scheduler",
		[SIZE_LOAD_QUEUE] = "the load queue",
		[SIZE_STORE_QUEUE] = "the store queue",
		[SIZE_REGISTERS] = "integer registers",
		[SIZE_FLAGS] = "the flags' registers",
		[SIZE_VECTORS] = "vector registers",
		[SIZE_BRANCHES] = "branches in flight",
		[SIZE_CALLS] = "calls in flight",
		[SIZE_LOAD_SCHEDULER] = "the loads' scheduler",
		[SIZE_VECTOR_SCHEDULER] = "the vectors' scheduler",
		[SIZE_WAITING_VECTORS] = "the vectors' scheduler and its queue" };
	int fullest = SIZE_ROB;

	for (int size = 0; size < SIZE_COUNT; size++)
		if (names[size] && together[size] < together[fullest])
			fullest = size;
	if (names[fullest] && together[fullest] < most)
		limits_add(tally, LIMIT_WINDOW, wait / together[fullest],
			"misses of %s cycles, %s at a time: the %s entries of %s fill up between "
			"them",
			words_number(wait / misses).text, words_number(together[fullest]).text,
			words_number(tally->uarch->fact[fullest]).text, names[fullest]);
}

/* Returns the largest number of misses for which the core waits at the same time: measured on this
 * machine, or from the core's file. INFINITY: unknown. */
static double most_misses(const struct tally *tally)
{
	double most = memory_parallel(&tally->place->measured, tally->uarch->fact[EXTRA_MISSES]);

	return most > 0 ? most : (double)INFINITY;
}

/* Adds the limit of independent cache misses. The number of misses in flight is limited by the
 * reorder buffer and by the first-level cache, which can wait for a limited number of lines. */
static void add_misses(struct tally *tally, const struct level *level)
{
	double lines = levels_lines(tally, WAYS_WAITING) * tally->elements;
	double misses = lines * (1 - level[L1].share), wait = 0;
	double rob = tally->uarch->fact[SIZE_ROB], most = most_misses(tally), together = INFINITY;
	double queue = tally->uarch->fact[SIZE_STORE_QUEUE], window[SIZE_COUNT];
	bool by_buffer, one_by_one = limits_in_flight(tally, window);

	if (one_by_one)
		together = window[SIZE_ROB];
	else if (uarch_known(rob) && tally->slots > 0 && !limits_prefetches(tally->loop))
		together = fmax(1, ceil(rob / (tally->slots / misses)));
	/* A store leaves the reorder buffer before its line arrives, and waits in the store queue.
	 */
	if (tally_all(tally->stores) > 0 && !one_by_one)
		together += uarch_known(queue) ? queue : INFINITY;
	by_buffer = together <= most;
	if (!by_buffer)
		together = most;
	if (!isfinite(together) ||
		add_missing(tally, LIMIT_MISSES, levels_without(level, L2), "latency"))
		return;
	for (int i = L2; i < LEVELS; i++)
		wait += lines * level[i].share * level[i].latency;
	limits_add(tally, LIMIT_MISSES, wait / together, "misses of %s cycles, %s at a time %s",
		words_number(wait / misses).text, words_number(together).text,
		by_buffer ? "in the reorder buffer" : "in the L1 cache");
	if (one_by_one)
		add_window(tally, window, together, wait, misses);
}

/* ---- Misses in a simulated pipeline */

/* Delays the results of the loads of lines in random order by the cycles of a miss. */
static void add_miss_cycles(struct pipeline *pipeline)
{
	const double *more = pipeline->rules->context;
	struct deps_graph *graph = &pipeline->graph;

	for (int i = 0; i < graph->node_count; i++)
		if (graph->node[i].part == PART_LOAD &&
			pipeline->loop->path[graph->node[i].step].misses)
			graph->node[i].latency += *more;
	for (int i = 0; i < graph->edge_count; i++) {
		const struct deps_node *from = &graph->node[graph->edge[i].from];

		if (from->part == PART_LOAD && pipeline->loop->path[from->step].misses)
			graph->edge[i].weight += *more;
	}
}

/* Adds the limit of loads in random order, from a simulated pipeline: instructions that wait for a
 * miss hold entries of the reorder buffer and of a scheduler, so only a few misses overlap. The
 * simulated pipeline does not predict branches, so loops with mispredictions are not simulated. */
static void add_simulated(struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	const struct uarch_cache *first = uarch_cache(tally->uarch, 1);
	int ways = 1 << REACH_CHAINED | 1 << REACH_FREE, loads = 0;
	struct level level[LEVELS];
	struct pipeline_rules rules = { .ideal = true, .adjust = add_miss_cycles };
	struct pipeline *pipeline;
	double mean = 0, more;

	for (int i = 0; i < tally->loop->path_count; i++)
		loads += tally->loop->path[i].misses;
	if (loads == 0 || !tally->loop->stepped || walk->mispredicts > 0 || !first ||
		!levels_spread(tally, LIMIT_WINDOW, FAST, ways, level) || levels_without(level, L1))
		return;
	for (int i = L1; i < LEVELS; i++)
		mean += level[i].share * level[i].latency;
	more = mean - first->latency;
	if (!(more > 0))
		return;
	rules.context = &more;
	pipeline = memory_new(1, sizeof(*pipeline));
	pipeline_open(pipeline, tally, &rules);
	levels_note_estimate(tally, level);
	limits_add(tally, LIMIT_WINDOW, pipeline->cycles,
		"%s load%s in random order of %s cycles each, and what waits for them, fill the "
		"buffers of a simulated pipeline",
		words_turn(tally, loads).text, words_s(tally, loads),
		words_number(round(mean)).text);
	pipeline_close(pipeline);
	free(pipeline);
}

/* Adds the limit of a loop that writes in turn at more places in memory than prefetchers follow.
 * Stores leave the store queue in order, so a store whose cache line is missing delays all later
 * stores.
 */
static void add_places(struct tally *tally)
{
	const struct limits_place *place = tally->place;
	double range = memory_latency(&place->measured, place->working_set),
	       latency = range > 0 ? range : place->measured.memory.latency,
	       lines = place->walk.stored * tally->elements *
		       (1 - memory_stream_share(&place->measured, place->working_set));

	if (!(place->walk.places > PLACES_FOLLOWED))
		return;
	if (place->working_set > levels_cache(tally, L1) + levels_cache(tally, L2) &&
		(!(latency > 0) || isnan(lines)))
		tally->limits->incomplete = true;
	if (!(latency > 0))
		return;
	if (isnan(lines))
		limits_add_unknown(tally, LIMIT_MISSES,
			"stores at %s places in turn: a line that memory serves holds up all "
			"stores for up to %s cycles",
			words_number(place->walk.places).text, words_number(round(latency)).text);
	else if (lines > 0)
		limits_add(tally, LIMIT_MISSES,
			limits_highest(tally->limits) + lines * latency / STORES_MISSING,
			"the other limits, and stores at %s places in turn: %s line%s of memory at "
			"%s cycles, %d at a time",
			words_number(place->walk.places).text, words_turn(tally, lines).text,
			words_s(tally, lines), words_number(round(latency)).text, STORES_MISSING);
}

/* Whether some cache misses of the loop are independent of each other. If a part of the data (a
 * reach) is read in order, its lines do not count: they are fetched early, so no instruction waits
 * for them. */
static bool misses_wait(const struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;

	if (walk->reaches > 0)
		return levels_lines(tally, WAYS_WAITING) > 0;
	return walk->scattered && limits_chained_misses(tally, &tally->limits->chain) <
					  walk->lines * tally->elements - 1e-9;
}

/* Returns whether the loop waits for one line before it requests the next: it follows pointers, and
 * the reorder buffer holds at most two misses at once. */
static enum pace pace_of(const struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double together[SIZE_COUNT];

	if (walk->reaches > 0 || !walk->scattered)
		return FAST;
	if (!misses_wait(tally))
		return SLOW;
	return limits_in_flight(tally, together) && together[SIZE_ROB] <= 2 ? SLOW : FAST;
}

/* Returns the bytes that one pass over the path stores to memory, past the caches. */
static double stored_past(const struct loop *loop)
{
	double bytes = 0;

	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = &loop->insn[loop->path[i].insn];

		if (insn_stores_past(insn, 0))
			bytes += insn->memory[0].size;
	}
	return bytes;
}

/* Adds the limit of stores that bypass the caches. The core combines their bytes to lines, and
 * writes the lines to memory, also if the data fits a cache. */
static void add_past(struct tally *tally)
{
	double bytes = stored_past(tally->loop), lines = tally->place->measured.past_lines;

	if (!(bytes > 0))
		return;
	if (lines > 0)
		limits_add(tally, LIMIT_PAST, bytes / LINE / lines,
			"%s bytes stored to memory, past the caches, %s a cycle",
			words_turn(tally, bytes).text, words_number(LINE * lines).text);
	else
		limits_add_unknown(tally, LIMIT_PAST,
			"%s bytes stored to memory, past the caches: their bandwidth is not "
			"measured",
			words_turn(tally, bytes).text);
}

void limits_memory(struct tally *tally)
{
	struct level level[LEVELS], waiting[LEVELS];
	double *beyond = tally->limits->beyond, lines = levels_lines(tally, WAYS_ALL);
	/* If the working set fits the first-level cache, no lines come from other levels. */
	bool fits = levels_cache(tally, L1) > 0 && !levels_spill(tally);
	enum pace pace = pace_of(tally);

	if (tally->place->shared_line)
		limits_add_unknown(tally, LIMIT_MOVING,
			"%.0f cores write to one line, which moves from core to core",
			tally->place->cores);
	add_reaches(tally);
	add_past(tally);
	tally->sampled = false;
	beyond[0] = beyond[1] = beyond[2] = fits ? 0 : (double)NAN;
	if (!levels_spill(tally) || lines <= 0)
		return;
	if (!levels_spread(tally, LIMIT_MEMORY_LINES, pace, WAYS_ALL, level))
		return;
	beyond[0] = lines * (1 - level[L1].share);
	beyond[1] = lines * fmax(1 - level[L1].share - level[L2].share, 0);
	beyond[2] = lines * level[MEMORY].share;
	levels_note_estimate(tally, level);
	add_lines(tally, level);
	add_sustained(tally, level);
	if (tally->place->walk.reaches == 0 && tally->place->walk.scattered &&
		levels_spread(tally, LIMIT_MEMORY_LATENCY, SLOW, WAYS_ALL, waiting))
		add_chain(tally, waiting);
	if (misses_wait(tally) && levels_spread(tally, LIMIT_MISSES, pace, WAYS_WAITING, waiting) &&
		waiting[L1].share < 1) {
		levels_note_estimate(tally, waiting);
		add_misses(tally, waiting);
	}
	add_simulated(tally);
	tally->sampled = tally->adds = true;
	add_places(tally);
	tally->sampled = tally->adds = false;
}
