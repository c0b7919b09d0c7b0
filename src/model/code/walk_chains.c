/* Which loads in random order wait for each other, and which branches wait for such loads: values
 * are followed through registers and memory along the trace. */
#include "model/code/walk_inside.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* Number of latest stores whose dependence on loads is remembered, for later loads of the stored
 * values. */
enum { STORED = 256 };

/* A load of a cache line that another load requested at most this number of steps (executed
 * instructions) before waits for the line, too. */
enum { ON_THE_WAY = 32 };

/* The loads on which the value of a register depends. */
struct taint {
	double depth; /* longest chain of scattered loads */
	int stream; /* stream (memory operand) of the last load of the dependence chain; -1: none */
	bool loaded; /* the value of the register depends on some load of an array */
};

struct flow {
	struct taint reg[REG_COUNT];
	struct {
		uint64_t address;
		struct taint value;
	} stored[STORED];
	struct recent {
		uint64_t line;
		struct taint value; /* the loads that must finish before the cache line arrives in
				       the first-level cache */
		int step;	    /* index in the trace of the load that brings the cache line */
	} recent[RECENT];
	int next;	/* index of the entry of `recent` (lines touched last) to replace next */
	double deepest; /* longest chain so far */
};

static void join(struct taint *into, const struct taint *from)
{
	if (from->depth > into->depth) {
		into->depth = from->depth;
		into->stream = from->stream;
	}
	into->loaded |= from->loaded;
}

/* Notes that a cache line was touched. *fresh receives whether the cache line was not among the
 * most recently touched lines. */
static struct recent *touch(struct flow *flow, uint64_t address, int step, bool *fresh)
{
	struct recent *recent = &flow->recent[flow->next];

	*fresh = false;
	for (int i = 0; i < RECENT; i++)
		if (flow->recent[i].line == address / LINE)
			return &flow->recent[i];
	*fresh = true;
	*recent = (struct recent){ address / LINE, { .stream = -1 }, step };
	flow->next = (flow->next + 1) % RECENT;
	return recent;
}

/* Returns the loads on which a loaded value depends (its taint); `address` is the taint of its
 * address. A load of a cache line that an earlier load requested waits for the same loads as the
 * earlier load. */
static struct taint load(struct finder *finder, struct flow *flow, const struct access *access,
	struct recent *recent, uint64_t at, struct taint address)
{
	struct stream *stream = access ? &finder->stream[access->stream] : NULL;

	if (flow->stored[at / 8 % STORED].address == at && at)
		join(&address, &flow->stored[at / 8 % STORED].value);
	if (!stream)
		return address;
	if (stream->order == SCATTERED) {
		stream->loaded |= address.loaded;
		if (address.depth > 0 && address.stream >= 0) {
			stream->chained = true;
			finder->stream[address.stream].chained = true;
		}
	}
	address.loaded = true;
	if (access->fresh) {
		address.depth++;
		address.stream = access->stream;
		recent->value = address;
	}
	if (stream->order == SCATTERED)
		join(&address, &recent->value);
	return address;
}

/* Follows the dependences of values through one executed instruction. `next` is the index of its
 * first access to an array. */
static void follow(struct finder *finder, struct flow *flow, int step, int *next, double *branch)
{
	const struct insn *insn = insn_of(finder, step);
	const struct loop_step *seen = &finder->question->trace.seen[step];
	struct taint result = { .stream = -1 };

	for (int i = 0; i < insn->read_count; i++)
		join(&result, &flow->reg[insn->reads[i]]);
	for (int k = 0; k < insn->memory_count; k++) {
		bool loads = insn_loads(insn, k);
		struct taint address = flow->reg[insn->memory[k].base];
		struct access *access = NULL;
		struct recent *recent = NULL;

		join(&address, &flow->reg[insn->memory[k].index]);
		if (*next < finder->access_count && finder->access[*next].step == step &&
			finder->access[*next].operand == k)
			access = &finder->access[(*next)++];
		if (access) {
			bool fresh, scattered;

			recent = touch(flow, access->address, step, &fresh);
			scattered = finder->stream[access->stream].order == SCATTERED;
			access->fresh = fresh && scattered;
			access->late = loads && scattered && step - recent->step <= ON_THE_WAY;
		}
		if (loads)
			address = load(finder, flow, access, recent, seen->address[k], address);
		if (loads || insn->address_only)
			join(&result, &address);
	}
	for (int k = 0; k < insn->memory_count; k++)
		if (insn_stores(insn, k) && seen->address[k]) {
			flow->stored[seen->address[k] / 8 % STORED].address = seen->address[k];
			flow->stored[seen->address[k] / 8 % STORED].value = result;
		}
	if (insn->zeroing)
		result = (struct taint){ .stream = -1 };
	for (int i = 0; i < insn->write_count; i++)
		if (insn->writes[i] != REG_NONE)
			flow->reg[insn->writes[i]] = result;
	flow->deepest = fmax(flow->deepest, result.depth);
	if (insn->flow == FLOW_BRANCH)
		branch[seen->insn] += result.depth > 0;
}

/* Returns the branches per element that depend on loads in random order and go both ways without a
 * pattern. No branch predictor can learn branches that depend on large random data. */
static double irregular(const struct finder *finder, const double *branch)
{
	const struct step_trace *trace = &finder->question->trace;
	double wrong = 0;

	for (int i = 0; i < trace->insn_count; i++) {
		double times = 0, taken = 0, changes = 0;
		int last = -1;

		if (!(branch[i] > 0))
			continue;
		for (int k = finder->from; k < finder->to; k++) {
			bool goes = insn_of(finder, k + 1)->address !=
				    trace->insn[i].address + trace->insn[i].length;

			if (trace->seen[k].insn != i)
				continue;
			times++;
			taken += goes;
			changes += last >= 0 && last != goes;
			last = goes;
		}
		if (times >= 16 && changes > times / 8 && changes < times * 7 / 8)
			wrong += fmin(taken, times - taken);
	}
	return wrong / finder->elements;
}

void chains_find(struct finder *finder)
{
	struct flow *flow = memory_new(1, sizeof(*flow));
	int insns = finder->question->trace.insn_count, next = 0,
	    half = finder->from + (finder->to - finder->from) / 2, rounds = 0;
	double *branch = memory_new((size_t)insns + 1, sizeof(*branch)), middle = 0;

	for (int i = 0; i < REG_COUNT; i++)
		flow->reg[i].stream = -1;
	for (int i = finder->from; i < finder->to; i++) {
		if (i <= half && finder->question->trace.seen[i].insn == finder->question->mark)
			rounds++;
		if (i == half)
			middle = flow->deepest;
		follow(finder, flow, i, &next, branch);
	}
	finder->growth =
		(flow->deepest - middle) /
		fmax(finder->elements - rounds * finder->question->each, finder->question->each);
	finder->depth = flow->deepest;
	finder->wrong = irregular(finder, branch);
	free(branch);
	free(flow);
}
