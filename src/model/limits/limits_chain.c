/* Computes the limit of the slowest loop-carried dependence chain, and the number of misses in
 * flight in several chains of loads. */
#include "model/limits/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The loop-carried chain */

static struct limit_words describe_chain(const struct tally *tally, const struct chain *chain)
{
	struct class_uses uses = { 0 }; /* number of links (instructions) of the chain by class of
					   instruction, over all iterations of the chain */
	double turns = chain->spans * tally->turns, cycles = 0;
	bool cut = chain->link_count == CHAIN_MAX && chain->cycles > 0, even = true;
	struct limit_words words;

	for (int i = 0; i < chain->link_count; i++) {
		const struct chain_link *link = &chain->link[i];
		const struct uarch_insn *facts = &tally->facts[tally->loop->path[link->step].insn];

		cycles += (double)link->cycles;
		if (link->load && link->cycles > 0)
			uses_add(&uses, facts->load, 1);
		if (link->alu && !facts->eliminated && link->cycles > 0)
			uses_add(&uses, facts->op, 1);
	}
	/* If the dependence chain is long, only its first links (instructions) are stored. Compute
	 * the number of iterations of the stored links. */
	if (cut)
		turns = cycles / (chain->cycles / tally->turns);
	/* If the counts of the chain per iteration are whole numbers, describe the chain per
	 * iteration. */
	for (int i = 0; i < uses.count; i++) {
		double each = uses.use[i].count / turns;

		if (cut && fabs(each - rint(each)) < 0.05)
			uses.use[i].count = rint(each) * turns;
		else
			even &= fabs(each - rint(each)) < 1e-6;
	}
	words = words_uses(&uses, even ? turns : 1, 3);
	free(uses.use);
	if (!*words.text)
		words_add(&words, "values carried along");
	if (!even)
		words_add(&words, " in %.0f iterations", turns);
	if (chain->through_memory)
		words_add(&words, ", through memory");
	return words;
}

/* Number of operations that execute and have already left the scheduler: one for each of three
 * chains that overlap. */
enum { OVERLAPPING = 3 };

/* Counts the instructions of the path that have the operation `op` and wait for their own last
 * result: the links of the slowest chain and of parallel chains. */
static double count_waiting(const struct tally *tally, const struct uarch_class *op)
{
	const struct loop *loop = tally->loop;
	double count = 0;

	for (int i = 0; i < loop->path_count; i++) {
		const struct insn *insn = &loop->insn[loop->path[i].insn];
		bool waits = false;

		for (int k = 0; k < insn->read_count; k++)
			waits |= insn->write_count > 0 && insn->reads[k] == insn->writes[0];
		count += waits && tally->facts[loop->path[i].insn].op == op;
	}
	return count;
}

/* Whether an operation runs on one port only: its micro-ops wait in the scheduler of that port. */
static bool has_one_port(const struct uarch_class *op)
{
	for (int i = 0; op && i < op->term_count; i++)
		if (op->term[i].count > 0 && __builtin_popcount(op->term[i].ports) == 1)
			return true;
	return false;
}

/* Returns the number of data elements of a new dependence chain that overlap with the previous
 * chain. The reorder buffer must hold the overlapping elements, and the scheduler must hold their
 * operations. Returns INFINITY elements if the sizes of reorder buffer and scheduler are unknown.
 */
static double overlap(const struct tally *tally, const struct chain *chain)
{
	double rob = tally->uarch->fact[SIZE_ROB], scheduler = tally->uarch->fact[SIZE_SCHEDULER],
	       of_port = tally->uarch->fact[SIZE_PORT_SCHEDULER];
	double together = INFINITY, operations = 0, alone = 0;

	for (int i = 0; i < chain->link_count && chain->link_count < CHAIN_MAX; i++) {
		const struct chain_link *link = &chain->link[i];
		int insn = tally->loop->path[link->step].insn;

		if (!link->alu || link->cycles <= 0)
			continue;
		operations++;
		if (!tally->loop->insn[insn].vector && has_one_port(tally->facts[insn].op))
			alone = fmax(alone, count_waiting(tally, tally->facts[insn].op));
	}
	if (uarch_known(rob) && tally->slots > 0)
		together = rob / tally->slots;
	if (uarch_known(scheduler) && operations > 0)
		together = fmin(together, scheduler / (operations / chain->spans));
	if (uarch_known(of_port) && alone > 0)
		together = fmin(together, (of_port + OVERLAPPING) / alone);
	return together * tally->elements;
}

/* Returns the share of a dependence chain's cycles that remains if a new, independent chain begins
 * every `restart` data elements. A new dependence chain can begin when all previous elements are
 * done, except the last `together` elements. The returned share of the chain's cycles is the larger
 * of two bounds. The first bound of the share is that of the first dependence chain that has to
 * wait for an earlier chain. The second bound of the share is that of the next dependence chain,
 * which waits for that whole chain. */
double limits_restart_share(double restart, double together)
{
	double first = floor(together / restart) + 1;

	return fmax(1 - together / (first * restart), 1 / (first + 1));
}

/* Returns which part of the chains waits for earlier ones, as limits_restart_share() counts it: "1
 * chain in 14 waits". The cycles of a chain times this part are the cycles of the limit. */
static struct words waiting_words(double restart, double together, double share)
{
	double chains = floor(together / restart) + 2, elements = (chains - 1) * restart;

	if (share <= 1 / chains + 1e-9)
		return words_of("1 chain in %.0f waits", chains);
	return words_of("%.0f of %.0f elements wait", elements - floor(together), elements);
}

/* Whether the core may execute the slowest chain in fewer cycles than its latencies: not a bound.
 * Measured on Zen 5: chained loads that walk backward over 128 to 512 KiB take 2.4 to 3.4 cycles
 * each, where a load takes 4. */
static bool may_be_faster(const struct tally *tally, const struct chain *chain)
{
	return levels_spill(tally) && chain->loads > 0 && tally->place->walk.foreseen;
}

/* Returns the cycles per path that the slowest chain can save, because vector operations of one
 * cycle, which the core usually executes in more, may execute in one. Measured on Zen 5: a loop of
 * one vpaddd that waits for itself takes 2.0 cycles in most runs, and 1.0 to 1.6 cycles in a
 * quarter of the runs; additions, comparisons, minima and shuffles of integers do so, with and
 * without other operations beside the chain. Floating-point operations do not. */
static double early_cycles(const struct tally *tally, const struct chain *chain)
{
	double early = tally->uarch->fact[EXTRA_EARLY_VECTORS], cycles = 0;

	for (int i = 0; i < chain->link_count && early > 0; i++) {
		int insn = tally->loop->path[chain->link[i].step].insn;
		const struct uarch_class *op = tally->facts[insn].op;

		if (chain->link[i].alu && tally->loop->insn[insn].vector && op &&
			op->latency == 1 + early)
			cycles += early;
	}
	/* If the chain is longer than its stored links, all of its links may be early. */
	return chain->link_count == CHAIN_MAX ? chain->cycles * early / (1 + early)
					      : cycles / chain->spans;
}

/* Returns the number of elements of the shortest measured call of an own loop if the core begins
 * the next call before this call's chain has ended; 0: calls do not overlap. `together` is the
 * number of elements that overlap. A chain through memory goes on in the next call. The time of an
 * element is the difference of calls with n and n / 2 elements, so calls that overlap by less than
 * n / 2 elements do not change it. Measured on Zen 5: 64 chained loads take 2.65 cycles each. */
static double overlapping_call(
	const struct tally *tally, const struct chain *chain, double together)
{
	double shortest = tally->place->call / 2;

	return !chain->through_memory && isfinite(together) && together > shortest ? shortest : 0;
}

void limits_chain(struct tally *tally)
{
	struct chain *chain = &tally->limits->chain;
	double restart = tally->place->walk.restart, call, together, share, early;
	const char *s;
	struct limit_words what;

	deps_chain(tally->loop, tally->uarch, tally->facts, RENAMES_ALL, 0, chain);
	if (chain->lacks)
		limits_add_unknown(tally, LIMIT_UNKNOWN_LATENCY,
			"the core model does not know the latency of %s: the latency limit may be "
			"too low",
			chain->lacks->name);
	if (chain->cycles <= 0)
		return;
	what = describe_chain(tally, chain);
	s = words_s(tally, chain->cycles);
	together = overlap(tally, chain);
	call = restart > 0 ? 0 : overlapping_call(tally, chain, together);
	restart = fmax(restart, call);
	if (!(restart > 0))
		together = 0;
	tally->limits->overlap = isfinite(together) ? together : 0;
	share = restart > 0 ? limits_restart_share(restart, together) : 1;
	early = early_cycles(tally, chain);
	tally->sampled = may_be_faster(tally, chain);
	/* If new dependence chains begin rarely, the text of the limit does not mention new chains.
	 */
	if (share > 0.99)
		limits_add(tally, LIMIT_LATENCY, chain->cycles * share, "chain of %s: %s cycle%s%s",
			what.text, words_turn(tally, chain->cycles).text, s,
			early > 0 ? words_of(", at times %s",
					    words_turn(tally, chain->cycles - early).text)
					    .text
				  : "");
	else if (call > 0)
		limits_add(tally, LIMIT_LATENCY, chain->cycles * share,
			"chain of %s: %s cycle%s; the next call begins another one, and up to %.0f "
			"elements overlap: use a larger n",
			what.text, words_turn(tally, chain->cycles).text, s, floor(together));
	else if (isfinite(together))
		limits_add(tally, LIMIT_LATENCY, chain->cycles * share,
			"chain of %s: %s cycle%s; a new one begins every %s%s, and up to %.0f "
			"elements overlap, so %s",
			what.text, words_turn(tally, chain->cycles).text, s,
			restart == 1 ? "" : words_number(restart).text,
			restart == 1 ? "element" : " elements", floor(together),
			waiting_words(restart, together, share).text);
	tally->sampled = false;
	limits_set_early(tally, LIMIT_LATENCY, early * share);
	for (int i = 0; i < chain->link_count; i++)
		tally->limits->insn[tally->loop->path[chain->link[i].step].insn].carried = true;
}

/* ---- The window: the number of misses in flight at once. Each miss is a load whose address comes
 * from an earlier miss. Instructions between two misses take entries of the reorder buffer and of
 * other buffers. */

/* Whether an instruction is a load that gets its address from its own result in the previous
 * iteration (pointer chasing). */
static bool chases(const struct insn *insn)
{
	return insn->known && insn->memory_count == 1 && insn->memory[0].load &&
	       !insn->memory[0].store && insn->write_count == 1 &&
	       (insn->memory[0].base == insn->writes[0] ||
		       insn->memory[0].index == insn->writes[0]);
}

/* The instructions from one cache miss to later misses. */
struct span {
	double taken[SIZE_COUNT]; /* entries used in each buffer of the core between two misses,
				     including the entries of the first miss */
	bool waits[REG_COUNT];	  /* registers whose values wait for the data of the first miss */
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
	bool queue = uarch_known(tally->uarch->fact[SIZE_WAITING_VECTORS]);
	enum uarch_fact own = load    ? SIZE_LOAD_SCHEDULER
			      : queue ? SIZE_WAITING_VECTORS
				      : SIZE_VECTOR_SCHEDULER;

	if ((load || insn->vector) && uarch_known(tally->uarch->fact[own]))
		return own;
	return SIZE_SCHEDULER;
}

/* Adds the buffer entries of one instruction of the path to `span`, the instructions from one cache
 * miss to later misses. `first` is true for the first miss of the span: later instructions may wait
 * for that miss. `miss` is true for a later miss of the span: a later miss needs a scheduler entry.
 */
static void take(const struct tally *tally, int step, bool first, bool miss, struct span *span)
{
	int number = tally->loop->path[step].insn;
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	bool half = tally->insn[number].second > 0, joined = tally->insn[number].joins,
	     waits = !first && depends(span, insn);
	bool made = facts->known && !facts->eliminated && !insn->zeroing;

	span->taken[SIZE_ROB] += facts->known && !half && !joined ? facts->slots : 0;
	span->taken[SIZE_BRANCHES] +=
		insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER &&
		(tally->loop->path[step].taken || !(tally->uarch->fact[EXTRA_TAKEN_ENTRIES] > 0));
	span->taken[SIZE_CALLS] += insn->flow == FLOW_CALL;
	span->taken[SIZE_FLAGS] +=
		made && (insn_writes(insn, REG_FLAGS) || insn_writes(insn, REG_CARRY));
	for (int i = 0; i < insn->write_count && made; i++) {
		/* A call or return updates the stack pointer at rename, so the stack pointer needs
		 * no new register. */
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

static bool prefetches(const struct insn *insn)
{
	return strncmp(insn->mnemonic, "prefetch", 8) == 0 ||
	       strncmp(insn->mnemonic, "prfm", 4) == 0;
}

bool limits_prefetches(const struct loop *loop)
{
	for (int i = 0; i < loop->insn_count; i++)
		if (prefetches(&loop->insn[i]))
			return true;
	return false;
}

/* Returns the step that prefetches the line of the miss at `step`, or the miss whose line `step`
 * prefetches; -1: there is none. */
static int partner_of(const struct loop *loop, int step)
{
	const struct insn *insn = &loop->insn[loop->path[step].insn];

	for (int other = 0; other < loop->path_count; other++) {
		const struct insn *found = &loop->insn[loop->path[other].insn];

		if ((prefetches(insn) ? chases(found) : prefetches(found)) &&
			found->memory[0].base == insn->memory[0].base)
			return other;
	}
	return -1;
}

/* Counts, for each buffer of the core, the misses in flight before the buffer is full. The count of
 * misses begins at the instruction (step) `start` and goes once around the loop. A miss is in
 * flight from its prefetch on. If the count meets a prefetch only after its miss, an earlier
 * iteration made the prefetch, before `start`. */
static void look_from(const struct tally *tally, int start, double together[SIZE_COUNT])
{
	const struct loop *loop = tally->loop;
	struct span span = { { 0 }, { false } };
	double found[SIZE_COUNT] = { 0 };

	for (int i = 0; i < loop->path_count; i++) {
		int step = (start + i) % loop->path_count, partner;
		const struct insn *insn = &loop->insn[loop->path[step].insn];
		bool miss = chases(insn), later;

		take(tally, step, i == 0, miss && i > 0, &span);
		if (!miss && !prefetches(insn))
			continue;
		partner = partner_of(loop, step);
		later = partner >= 0 && (partner - start + loop->path_count) % loop->path_count > i;
		if (miss ? partner >= 0 && !later : !later)
			continue;
		for (int size = 0; size < SIZE_COUNT; size++)
			found[size] +=
				(miss && later) || span.taken[size] <= tally->uarch->fact[size];
	}
	for (int size = 0; size < SIZE_COUNT; size++)
		together[size] = fmax(together[size], fmax(found[size], 1));
}

bool limits_in_flight(const struct tally *tally, double together[SIZE_COUNT])
{
	const struct loop *loop = tally->loop;
	int misses = 0;

	for (int size = 0; size < SIZE_COUNT; size++)
		together[size] = 0;
	if (loop->stepped)
		return false;
	for (int i = 0; i < loop->path_count; i++)
		misses += chases(&loop->insn[loop->path[i].insn]);
	if (misses < 2 || fabs(misses - tally->place->walk.lines * tally->elements) > 1e-6)
		return false;
	for (int i = 0; i < loop->path_count; i++)
		if (chases(&loop->insn[loop->path[i].insn]))
			look_from(tally, i, together);
	for (int size = 0; size < SIZE_COUNT; size++)
		if (!uarch_known(tally->uarch->fact[size]))
			together[size] = INFINITY;
	return true;
}
