/* How many misses stand in the core's window at once: of loops whose misses are known one by one,
 * since each is a load that leads to the next. What stands between two of them fills the reorder
 * buffer, and each of the other buffers that it takes an entry of. */
#include "model/limits/tally.h"

#include <math.h>
#include <string.h>

/* A load whose address it loaded itself, a turn ago. */
static bool chases(const struct insn *insn)
{
	return insn->known && insn->memory_count == 1 && insn->memory[0].load &&
	       !insn->memory[0].store && insn->write_count == 1 &&
	       (insn->memory[0].base == insn->writes[0] ||
		       insn->memory[0].index == insn->writes[0]);
}

/* What stands between one miss and others behind it. */
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

/* A step's entries. `first`: it is the miss that the others wait for; `miss`: another one, which
 * has to pass through the scheduler. */
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
		/* The stack pointer of calls moves at rename. */
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

/* From the miss at `start` once round the loop: how many are in flight before each buffer is full.
 */
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

bool limits_prefetches(const struct loop *loop)
{
	for (int i = 0; i < loop->insn_count; i++)
		if (strncmp(loop->insn[i].mnemonic, "prefetch", 8) == 0 ||
			strncmp(loop->insn[i].mnemonic, "prfm", 4) == 0)
			return true;
	return false;
}

bool limits_window(const struct tally *tally, double together[SIZE_COUNT])
{
	const struct loop *loop = tally->loop;
	int misses = 0;

	for (int size = 0; size < SIZE_COUNT; size++)
		together[size] = 0;
	if (loop->stepped || limits_prefetches(loop))
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

void limits_add_window(struct tally *tally, const double together[SIZE_COUNT], double most,
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
		limits_add(tally, LIMIT_WINDOW, wait / together[fullest],
			"misses of %s cycles, %s at a time, the %s entries of %s full between",
			words_number(wait / misses, each), words_number(together[fullest], number),
			words_number(uarch_fact(tally->uarch, fullest), size_of), names[fullest]);
}
