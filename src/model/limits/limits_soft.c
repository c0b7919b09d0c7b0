/* Soft limits: known effects of the front end, port assignment, mispredictions, page walks and
 * store forwarding. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/graph/forwards.h"
#include "model/limits/pipeline.h"

/* Bytes of code per entry of an op cache, on every core whose file has `line-ops`. */
enum { CODE_LINE = 64 };

/* ---- Front end */

/* Micro-ops of the distinct instructions on the path: the op cache has to hold these. */
static double footprint(const struct tally *tally)
{
	double slots = 0;

	for (int i = 0; i < tally->loop->insn_count; i++)
		if (tally->insn[i].times > 0)
			slots += tally->facts[i].slots;
	return slots;
}

/* The decoders take so many bytes and so many instructions a cycle. */
static void add_decoders(struct tally *tally, enum limit_kind kind, const char *why)
{
	double bytes = uarch_fact(tally->uarch, EXTRA_FETCH_BYTES),
	       each = uarch_fact(tally->uarch, EXTRA_DECODE);
	char all[24], rate[24];

	if (bytes > 0)
		limits_add(tally, kind, tally->bytes / bytes, CAUSE_DECODED_BYTES, why,
			words_number(tally->bytes / tally->turns, all), words_number(bytes, rate));
	if (each > 0)
		limits_add(tally, kind, tally->loop->path_count / each, CAUSE_DECODED, why,
			words_number(tally->loop->path_count / tally->turns, all),
			words_number(each, rate));
	if (bytes <= 0 && each <= 0 && kind == LIMIT_OPCACHE)
		limits_add_unknown(tally, kind, CAUSE_DECODE_UNKNOWN, why);
}

static void add_front_end(struct tally *tally)
{
	double holds = uarch_fact(tally->uarch, SIZE_OPCACHE),
	       each = uarch_fact(tally->uarch, EXTRA_OPCACHE_OPS);
	char all[24], rate[24];

	if (holds <= 0)
		add_decoders(tally, LIMIT_DECODE, "");
	else if (footprint(tally) > holds)
		add_decoders(tally, LIMIT_OPCACHE, "beyond the op cache: ");
	else if (each > 0 && each < uarch_width(tally->uarch))
		limits_add(tally, LIMIT_OPCACHE, tally->slots / each, CAUSE_OPCACHE,
			words_number(tally->slots / tally->turns, all), words_number(each, rate));
}

/* Each line of code on the path is an access of the op cache, which returns a limited number of
 * micro-ops. */
static void add_alignment(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	double most = uarch_fact(tally->uarch, EXTRA_LINE_OPS), cycles = 0, slots = 0, lines = 0;
	char number[24], rate[24], all[24];

	if (most <= 0 || loop->path_count == 0)
		return;
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];
		const struct loop_step *next = s + 1 < loop->path_count ? &loop->path[s + 1] : NULL;
		bool jumps = insn->flow != FLOW_NONE && loop->path[s].taken;

		slots += tally->insn[loop->path[s].insn].fuses
				 ? 0
				 : tally->facts[loop->path[s].insn].slots;
		if (next && !jumps &&
			loop->insn[next->insn].address / CODE_LINE == insn->address / CODE_LINE)
			continue;
		cycles += fmax(1, ceil(slots / most - 1e-9));
		lines++;
		slots = 0;
	}
	if (cycles > tally->slots / uarch_width(tally->uarch) + 1e-9)
		limits_add(tally, LIMIT_ALIGNMENT, cycles, CAUSE_ALIGNMENT,
			words_number(tally->slots / tally->turns, all),
			words_number(lines / tally->turns, number), words_number(most, rate));
}

/* Indexed memory operands that rename splits in two: known for whole groups of instructions only.
 */
static void add_unlamination(struct tally *tally)
{
	double slots = tally->slots + tally->unlaminated;
	char all[24], more[24], rate[24];

	if (tally->unlaminated > 0 && uarch_width(tally->uarch) > 0)
		limits_add(tally, LIMIT_UNLAMINATION, slots / uarch_width(tally->uarch),
			CAUSE_UNLAMINATION, words_number(slots / tally->turns, all),
			words_number(tally->unlaminated / tally->turns, more),
			words_number(uarch_width(tally->uarch), rate));
}

/* ---- Execution */

/* A loop of loads, single-cycle operations and a branch completes fewer operations a cycle than
 * there are ports. */
static void add_saturation(struct tally *tally)
{
	double each = uarch_fact(tally->uarch, EXTRA_ALU_SATURATION);
	char number[24], rate[24];

	if (each > 0 && tally_all(tally->loads) > 0 && tally->branches > 0)
		limits_add(tally, LIMIT_SATURATION, tally->simple / each, CAUSE_SATURATION,
			words_number(tally->simple / tally->turns, number),
			words_number(each, rate));
}

/* Cycles of the pipeline model, where rename chooses each port. */
static void add_scheduling(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	struct pipeline_insn *insns;
	double cycles;
	char number[24];

	/* What is run there never begins anew. */
	if (!(uarch_fact(tally->uarch, EXTRA_BINDS_PORTS) > 0) || tally->place->restart > 0)
		return;
	insns = memory_new((size_t)loop->insn_count + 1, sizeof(*insns));
	for (int i = 0; i < loop->insn_count; i++) {
		insns[i].fused_second = tally->insn[i].second > 0;
		insns[i].fused_first = tally->insn[i].first > 0;
		insns[i].materialised = tally->insn[i].materialised > tally->insn[i].times / 2;
		insns[i].slots =
			insns[i].fused_second || tally->insn[i].joins ? 0 : tally->facts[i].slots;
	}
	cycles = pipeline_run(loop, tally->uarch, tally->facts, insns);
	free(insns);
	if (cycles > tally->bound * 1.005)
		limits_add(tally, LIMIT_SCHEDULING, cycles, CAUSE_SCHEDULING,
			words_number(cycles / tally->turns, number));
}

/* Cycles of the chain when the core renames fewer loads to stores; 0: no more than when it renames
 * all. */
static double chain_with(const struct tally *tally, enum deps_renaming renaming)
{
	struct chain chain;

	deps_chain(tally->loop, tally->uarch, tally->facts, renaming, 0, &chain);
	return chain.through_memory && chain.cycles > tally->limits->chain.cycles + 1e-9
		       ? chain.cycles
		       : 0;
}

/* Cycles of the chain where the core has not learnt which load follows which store. Some pairs are
 * expected to be slow; for the others the cause is shown without a prediction. */
static void add_forwarding(struct tally *tally)
{
	double likely, worst;
	char number[24];

	if (!uarch_known(uarch_fact(tally->uarch, EXTRA_FORWARD_RENAMED)))
		return;
	worst = chain_with(tally, RENAMES_NONE);
	likely = worst > 0 ? chain_with(tally, RENAMES_PLAIN) : 0;
	if (likely > 0)
		limits_add(tally, LIMIT_FORWARDING, likely, CAUSE_FORWARDING,
			words_number(likely / tally->turns, number));
	else if (worst > 0)
		limits_add_unknown(tally, LIMIT_FORWARDING, CAUSE_FORWARDING_MAYBE,
			words_number(worst / tally->turns, number));
}

/* A core that first compares the low 12 bits of addresses takes such a load for one that depends on
 * the store. */
static void add_aliasing(struct tally *tally)
{
	double queue = uarch_fact(tally->uarch, SIZE_STORE_QUEUE);
	int aliases = forwards_aliases(tally->loop, queue > 0 && queue < 64 ? (int)queue : 64);
	char number[24];

	if (aliases > 0)
		limits_add_unknown(tally, LIMIT_ALIASING, CAUSE_ALIASING,
			words_number(aliases / tally->turns, number),
			aliases == tally->turns ? "" : "s");
}

/* ---- Costs on top of the binding limit: no useful work overlaps with them */

/* Chained loads that miss the first-level TLB. Page walks of independent loads overlap. */
static double page_walks(struct tally *tally)
{
	const struct limits_place *place = tally->place;
	double entries = uarch_fact(tally->uarch, SIZE_TLB1),
	       cost = uarch_fact(tally->uarch, EXTRA_TLB2);
	double reach = entries * place->page,
	       loads = limits_chained_misses(tally, &tally->limits->chain), share, cycles;
	char percent[24], each[24];

	if (place->reaches > 0 && entries > 0 && place->page > 0 && uarch_known(cost)) {
		cycles = limits_reach_walks(tally, reach, cost, &share);
		if (share > 0.005)
			limits_add(tally, LIMIT_PAGE_WALKS, tally->bound + cycles, CAUSE_WALKS,
				words_number(round(share * 100), percent),
				words_number(cycles / tally->turns, each));
		return cycles;
	}
	if ((!place->scattered && !place->apart) || entries <= 0 || place->page <= 0 ||
		place->working_set <= reach)
		return 0;
	if (loads <= 0 || !place->scattered) {
		limits_add_unknown(
			tally, LIMIT_PAGE_WALKS, CAUSE_WALKS_OVERLAP, words_number(entries, each));
		return 0;
	}
	share = 1 - reach / place->working_set;
	if (!uarch_known(cost)) {
		limits_add_unknown(tally, LIMIT_PAGE_WALKS, CAUSE_WALKS_COST, share * 100);
		return 0;
	}
	cycles = loads * share * cost;
	limits_add(tally, LIMIT_PAGE_WALKS, tally->bound + cycles, CAUSE_WALKS_RANDOM,
		words_number(round(share * 100), percent),
		words_number(cycles / tally->turns, each));
	return cycles;
}

/* Mispredictions per path of branches without a short pattern, by a predictor that knows nothing of
 * the data. Built-in kernels state their own number. */
static double irregular(const struct loop *loop)
{
	double wrong = 0;

	for (int i = 0; i < loop->insn_count; i++) {
		double times = 0, taken = 0, changes = 0;
		int last = -1;

		if (loop->insn[i].flow != FLOW_BRANCH)
			continue;
		for (int s = 0; s < loop->path_count; s++) {
			if (loop->path[s].insn != i)
				continue;
			times++;
			taken += loop->path[s].taken;
			changes += last >= 0 && last != loop->path[s].taken;
			last = loop->path[s].taken;
		}
		/* A branch with a regular pattern changes every time, or seldom. */
		if (times >= 16 && changes > times / 8 && changes < times * 7 / 8)
			wrong += fmin(taken, times - taken);
	}
	return wrong;
}

static void add_irregular(struct tally *tally)
{
	double each = uarch_fact(tally->uarch, EXTRA_MISPREDICT), wrong;
	char number[24], cost[24];

	if (tally->place->mispredicts >= 0 || !tally->loop->stepped)
		return;
	wrong = irregular(tally->loop);
	if (wrong < 0.01 * tally->turns)
		return;
	words_number(wrong / tally->turns, number);
	words_number(wrong * fmax(each, 0) / tally->turns, cost);
	if (uarch_known(each))
		limits_add_unknown(tally, LIMIT_MISPREDICTION, CAUSE_BRANCHES, number, cost);
	else
		limits_add_unknown(tally, LIMIT_MISPREDICTION, CAUSE_BRANCHES_COST, number);
}

/* Until a misprediction is detected no useful work begins: a new chain does not overlap with the
 * chain before. Of several mispredictions in a chain, the last one comes late. */
static double begun_late(const struct tally *tally)
{
	const struct limits_place *place = tally->place;
	double each = place->mispredicts * place->restart;

	return place->restart > 0 ? tally->alone * each / (each + 1) : tally->alone;
}

static void add_mispredictions(struct tally *tally, double walks)
{
	double each = uarch_fact(tally->uarch, EXTRA_MISPREDICT),
	       count = tally->place->mispredicts * tally->elements, base, more;
	char number[24], cost[24], wait[24];

	if (!(count > 1e-9))
		return;
	base = fmax(tally->bound, begun_late(tally));
	more = count * tally->wait / fmax(tally->place->chains, 1);
	words_number(count / tally->turns, number);
	words_number(tally->wait, wait);
	if (!uarch_known(each))
		limits_add_unknown(tally, LIMIT_MISPREDICTION, CAUSE_MISPREDICTED_COST, number);
	else if (more > 0)
		limits_add(tally, LIMIT_MISPREDICTION, base + walks + count * each + more,
			CAUSE_MISPREDICTED_LATE, number, words_number(each, cost), wait);
	else
		limits_add(tally, LIMIT_MISPREDICTION, base + walks + count * each,
			base > tally->bound + 1e-9 ? CAUSE_MISPREDICTED_CHAINS : CAUSE_MISPREDICTED,
			number, words_number(each, cost));
}

void limits_soft(struct tally *tally)
{
	add_front_end(tally);
	add_alignment(tally);
	add_unlamination(tally);
	add_scheduling(tally);
	add_saturation(tally);
	add_forwarding(tally);
	add_aliasing(tally);
	add_mispredictions(tally, page_walks(tally));
	add_irregular(tally);
}
