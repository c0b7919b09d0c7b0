/* The soft limit of mispredicted branches: of built-in kernels, which state their mispredictions,
 * and of own loops, whose stepped branches a branch predictor has predicted. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/limits/pipeline.h"

/* Whether the loop's mispredictions belong to a built-in kernel, or to branches that wait for loads
 * in random order that miss the first-level cache. */
static bool has_random_loads(const struct tally *tally)
{
	return tally->loop->fresh < 0 ||
	       (tally->place->walk.mispredicts > 0 && tally->limits->beyond[0] > 0);
}

/* Smallest number of mispredictions per iteration that is reported. */
#define RARE 0.01

/* Returns the cycles that one of the mispredictions marked in the path costs: the refill of the
 * pipeline, and the wait until the branch is executed. The misprediction penalty in the core model
 * is the cost of a branch that is executed in the cycle after its rename. */
static double misprediction_cost(const struct tally *tally, double *base)
{
	double each = tally->uarch->fact[EXTRA_MISPREDICT], with, marked = 0;

	for (int i = 0; i < tally->loop->path_count; i++)
		marked += tally->loop->path[i].wrong;
	*base = pipeline_run_refilled(tally, 0);
	if (!(each > 1) || marked <= 0)
		return each;
	with = pipeline_run_refilled(tally, each - 1);
	return *base > 0 && with > *base ? (with - *base) / marked : each;
}

/* Returns the cycles that a core loses by branches that its first, fast predictor gets wrong and a
 * slower one has learnt. The fast predictor learns few branches. `executed` is the number of
 * branches until the same branches come again; `learnt` of their mispredictions are learnt. */
static double correction(const struct tally *tally, double executed, double learnt)
{
	const double *fact = tally->uarch->fact;
	double cycles;

	if (!uarch_known(fact[SIZE_FAST_BRANCHES]) || executed <= fact[SIZE_FAST_BRANCHES] ||
		!uarch_known(fact[EXTRA_OVERRIDE]))
		return 0;
	cycles = learnt * fact[EXTRA_OVERRIDE];
	/* Less than a thousandth of the other limits need not be said. */
	return cycles > tally->bound / 1000 ? cycles : 0;
}

/* Adds the mispredictions of an own loop, whose executed branches a branch predictor has predicted.
 * If the branch predictor has learnt the repeated data, the limit's text gives the cycles that
 * fresh data would cost. */
static void add_unlearnt(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	double count = (tally->place->fresh ? loop->fresh : loop->learnt) * tally->elements,
	       fresh = loop->fresh * tally->elements,
	       late = tally->place->fresh ? 0
					  : fmax(loop->fresh - loop->learnt, 0) * tally->elements,
	       slower = correction(tally, loop->branches, late), cycles, each, base;
	const char *what = loop->varies ? "mispredictions of branches"
					: "mispredictions of indirect jumps or calls";

	if (loop->branches < 0)
		limits_add_unknown(tally, LIMIT_MISPREDICTION,
			"branches go both ways; their directions were not single-stepped in time");
	if (fresh < RARE * tally->turns || has_random_loads(tally))
		return;
	each = misprediction_cost(tally, &base);
	base = fmax(base, tally->bound);
	cycles = base + count * each + slower;
	if (!uarch_known(each))
		limits_add_unknown(tally, LIMIT_MISPREDICTION,
			"%s %s on fresh data; the cost of one is not known",
			words_turn(tally, fresh).text, what);
	else if (tally->place->fresh)
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			"%s cycles, and %s %s of %s with their waits", words_turn(tally, base).text,
			words_turn(tally, count).text, what, words_number(each).text);
	else if (slower > 0)
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			"%s %s, %s branches that a slower predictor has learnt: +%s "
			"cycles; +%s on fresh data",
			words_turn(tally, count).text, what, words_turn(tally, late).text,
			words_turn(tally, cycles - base).text,
			words_turn(tally, fresh * each).text);
	else if (count < RARE * tally->turns)
		limits_add_unknown(tally, LIMIT_MISPREDICTION,
			"+%s cycles on fresh data: %s %s, which are learnt on these data",
			words_turn(tally, fresh * each).text, words_turn(tally, fresh).text, what);
	else
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			"%s cycles, and %s %s, %s each; %s on fresh data",
			words_turn(tally, base).text, words_turn(tally, count).text, what,
			words_number(each).text, words_turn(tally, fresh).text);
	limits_set_spread(tally, LIMIT_MISPREDICTION,
		hypot((tally->place->fresh ? loop->fresh_spread : loop->learnt_spread) *
				tally->elements * each,
			count * tally->uarch->fact_spread[EXTRA_MISPREDICT]));
}

/* Returns the cycles for which a mispredicted branch waits for its inputs, with all data in the
 * first-level cache. A branch of a search waits for a load, a comparison, and perhaps a value that
 * was stored before. In the executed instructions, each branch counts as mispredicted if it goes in
 * its less frequent direction, or each indirect jump. *base receives the cycles per path without
 * mispredictions. Returns 0 if no branch goes in both directions, or a number is unknown. */
static double branch_wait(const struct tally *tally, double *base)
{
	const struct loop *loop = tally->loop;
	double each = tally->uarch->fact[EXTRA_MISPREDICT], cost = 0;
	struct tally copy = *tally;
	struct loop marked = *loop;
	struct branch_times {
		int taken, untaken;
	} * times;

	*base = 0;
	if (!loop->stepped || !uarch_known(each))
		return 0;
	times = memory_new((size_t)loop->insn_count + 1, sizeof(*times));
	marked.path = memory_new((size_t)loop->path_count + 1, sizeof(*marked.path));
	memcpy(marked.path, loop->path, (size_t)loop->path_count * sizeof(*marked.path));
	for (int i = 0; i < loop->path_count; i++)
		*(loop->path[i].taken ? &times[loop->path[i].insn].taken
				      : &times[loop->path[i].insn].untaken) += 1;
	for (int i = 0; i < loop->path_count; i++) {
		const struct branch_times *branch = &times[loop->path[i].insn];

		if (tally->place->walk.jumps)
			marked.path[i].wrong = loop->insn[loop->path[i].insn].flow == FLOW_INDIRECT;
		else
			marked.path[i].wrong =
				loop->insn[loop->path[i].insn].flow == FLOW_BRANCH &&
				(loop->path[i].taken ? branch->taken <= branch->untaken
						     : branch->untaken < branch->taken);
	}
	copy.loop = &marked;
	cost = misprediction_cost(&copy, base);
	free(marked.path);
	free(times);
	return fmax(cost - each, 0);
}

static void add_known(struct tally *tally, double walks)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double each = tally->uarch->fact[EXTRA_MISPREDICT],
	       count = walk->mispredicts * tally->elements,
	       /* The core executes the next elements while the branch waits for its load. After a
		* wrong prediction, their lines are needed anyway, so the misses of all elements in
		* the reorder buffer overlap. Measured on Zen 5 with hash tables in memory: 90
		* cycles for each lookup, where a load takes 640. */
		more = count * tally->wait / fmax(fmax(walk->chains, 1), limits_in_buffer(tally));
	/* Mispredictions make chains overlap less. No useful work begins before a misprediction is
	 * detected, so a new chain does not overlap with the previous chain. If a chain has several
	 * mispredictions, the last misprediction comes late in the chain. */
	double chain = walk->mispredicts * walk->restart;
	double late = walk->ends	  ? fmax(tally->alone, tally->limits->chain.cycles)
		      : walk->further > 0 ? 0
		      : walk->restart > 0 ? tally->alone * chain / (chain + 1)
					  : tally->alone;
	double base = fmax(tally->bound, late), first, wait, cycles,
	       learnt = tally->place->learnt * tally->elements,
	       slower = correction(tally, tally->place->executed, learnt);
	bool waits;
	struct limit_words number = words_turn(tally, count), cost = words_number(each);

	if (!(count > 1e-9 || slower > 0) || !has_random_loads(tally))
		return;
	/* If chains are long, or wait for memory, the ends of the chains hardly matter. */
	if (walk->ends && late <= 1.01 * tally->bound && count * each < 0.01 * tally->bound)
		return;
	/* While a loop waits for data beyond the first-level cache, its branches wait too, so only
	 * the longer of both waits counts. */
	wait = branch_wait(tally, &first);
	waits = first + count * wait > base + walks;
	cycles = (waits ? first + count * wait : base + walks) + count * each + more + slower;
	tally->adds = !waits && base <= tally->bound + 1e-9;
	if (!uarch_known(each))
		limits_add_unknown(tally, LIMIT_MISPREDICTION,
			"%s mispredictions; the cost of one is not known", number.text);
	else if (slower > 0)
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			"%s mispredictions of %s cycles; %s branches that a slower predictor has "
			"learnt: +%s cycles",
			number.text, cost.text, words_turn(tally, learnt).text,
			words_turn(tally, slower).text);
	else if (waits)
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			"%s cycles, and %s mispredictions of %s with their waits",
			words_turn(tally, first).text, number.text,
			words_number(each + wait + more / count).text);
	else if (more > 0)
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			"the other limits, and %s mispredictions of %s cycles, after a load of %s",
			number.text, cost.text, words_number(tally->wait).text);
	else
		limits_add(tally, LIMIT_MISPREDICTION, cycles,
			base > tally->bound + 1e-9
				? "%s mispredictions of %s cycles, and chains that do not overlap"
				: "the other limits, and %s mispredictions of %s cycles",
			number.text, cost.text);
	tally->adds = false;
	limits_set_spread(tally, LIMIT_MISPREDICTION,
		hypot(count * tally->uarch->fact_spread[EXTRA_MISPREDICT],
			tally->place->mispredicts_spread * tally->elements * (each + wait)));
}

void limits_mispredictions(struct tally *tally, double walks)
{
	add_known(tally, walks);
	add_unlearnt(tally);
}
