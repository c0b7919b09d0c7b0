/* Counts the work of a path of the loop, calls each group of limits, and sorts the limits. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/limits/misses.h"

/* ---- Counting the work of a path */

/* Whether a branch in the loop's path jumps. */
static bool jumps(const struct loop *loop, int step)
{
	enum insn_flow flow = loop->insn[loop->path[step].insn].flow;

	if (flow == FLOW_NONE || flow == FLOW_OTHER)
		return false;
	return flow != FLOW_BRANCH || loop->path[step].taken;
}

/* Sets the class of a branch that is fused with an instruction that writes a general register: on
 * some cores the pair needs a port for the result, and cannot go to a port for branches alone. */
static void set_result_class(struct tally *tally, int branch)
{
	const struct insn *first = &tally->loop->insn[branch - 1];
	const struct uarch_class *class = uarch_find(tally->uarch, "branch-result", 0);

	for (int i = 0; class && i < first->write_count; i++)
		if (first->writes[i] < REG_VECTOR)
			tally->facts[branch].op = tally->facts[branch].taken = class;
}

static void walk_path(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	int before = loop->path_count > 0 ? loop->path[loop->path_count - 1].insn : 0;

	for (int i = 1; i < loop->insn_count; i++) {
		const struct insn *first = &loop->insn[i - 1], *second = &loop->insn[i];
		struct insn_tally *insn = &tally->insn[i];

		if (!first->known || !second->known ||
			first->address + first->length != second->address)
			continue;
		insn->fuses = second->flow == FLOW_BRANCH && tally->facts[i - 1].known &&
			      tally->facts[i].known && uarch_fuses(tally->uarch, first, second);
		if (insn->fuses)
			set_result_class(tally, i);
		insn->joins = !insn->fuses && !insn[-1].joins &&
			      uarch_fuses_behind(tally->uarch, first, second);
		tally->facts[i - 1].joined =
			insn->joins && first->memory_count > 0 && second->write_count > 0;
	}
	for (int s = 0; s < loop->path_count; s++) {
		int now = loop->path[s].insn;
		struct insn_tally *insn = &tally->insn[now];

		insn->times++;
		insn->taken += jumps(loop, s);
		if (insn->fuses && before == now - 1) {
			insn->second++;
			tally->insn[before].first++;
		} else if (insn->joins && before == now - 1) {
			insn->joined++;
		}
		before = now;
	}
}

/* ---- Additions of constants at rename */

/* Whether an instruction is an addition of a constant that the rename stage of the core performs.
 * Rename then keeps the result as a register plus a constant until an instruction needs the sum. */
static bool adds_at_rename(const struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];

	return tally->facts[number].eliminated && !insn->move && !insn->zeroing &&
	       insn->write_count > 0 &&
	       (insn->immediate || insn->address_only || insn->read_count == 1) &&
	       insn->writes[0] < REG_VECTOR;
}

/* Whether an instruction needs the sum of an addition that the rename stage has performed. A
 * further addition of a constant does not need that sum, because rename only adds up the constants.
 */
static bool is_needed(const struct tally *tally, int step)
{
	const struct loop *loop = tally->loop;
	int reg = loop->insn[loop->path[step].insn].writes[0];

	for (int i = 1; i <= loop->path_count; i++) {
		int number = loop->path[(step + i) % loop->path_count].insn;
		const struct insn *insn = &loop->insn[number];

		if (memchr(insn->reads, reg, (size_t)insn->read_count) &&
			!adds_at_rename(tally, number))
			return true;
		if (memchr(insn->writes, reg, (size_t)insn->write_count))
			return false;
	}
	return false;
}

/* Finds additions of constants that need an execution unit, because the addition is fused with a
 * branch or an instruction needs the sum. */
static void materialise(struct tally *tally)
{
	const struct loop *loop = tally->loop;

	for (int i = 0; i < loop->insn_count; i++) {
		const struct uarch_class *alu =
			uarch_find(tally->uarch, "alu", loop->insn[i].width);

		if (tally->insn[i].first > 0 && adds_at_rename(tally, i) && alu) {
			tally->facts[i].eliminated = false;
			tally->facts[i].op = alu;
		}
	}
	if (!(tally->uarch->fact[EXTRA_MATERIALISES] > 0))
		return;
	for (int s = 0; s < loop->path_count; s++)
		if (adds_at_rename(tally, loop->path[s].insn) && is_needed(tally, s))
			tally->insn[loop->path[s].insn].materialised++;
}

/* ---- Vector operations next to operations of 512 bits */

static bool has_512(const struct tally *tally)
{
	for (int s = 0; s < tally->loop->path_count; s++) {
		const struct insn *insn = &tally->loop->insn[tally->loop->path[s].insn];

		if (insn->vector && (insn->width >= 512 ||
					    (insn->memory_count > 0 && !insn->memory[0].accesses &&
						    insn->memory[0].size > 32)))
			return true;
	}
	return false;
}

/* While operations of 512 bits are in flight, some cores close a port to all vector operations:
 * operations of less width then execute on the ports of those of 512 bits. */
static void close_ports(struct tally *tally)
{
	if (!(tally->uarch->fact[EXTRA_CLOSES_512] > 0) || !has_512(tally))
		return;
	for (int i = 0; i < tally->loop->insn_count; i++) {
		const struct uarch_class *op = tally->facts[i].op, *wide;
		char name[UARCH_NAME];

		if (!op || !tally->loop->insn[i].vector)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(op->name, "."), op->name);
		wide = uarch_find(tally->uarch, name, 512);
		/* Operations of 512 bits that take more micro-ops do so for their width. */
		if (wide && wide->executes && wide->term_count == op->term_count &&
			wide->term_count == 1 && wide->term[0].cycles <= op->term[0].cycles)
			tally->facts[i].op = wide;
	}
}

/* Whether a store has a simple address. Haswell to Skylake have one store AGU that accepts only
 * base + 0…2047. It is not published whether the store AGU accepts instruction-relative addresses
 * and pushes; such addresses count as simple here. */
static bool is_simple(const struct insn *insn, const struct insn_memory *memory)
{
	return memory->index == REG_NONE && !memory->vector_index &&
	       (memory->relative || insn->writeback ||
		       (memory->base != REG_NONE && memory->disp >= 0 && memory->disp <= 2047));
}

static void count_memory(struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	double times = tally->insn[number].times;

	for (int k = 0; k < INSN_MEMORY; k++) {
		const struct insn_memory *memory = &insn->memory[k];
		unsigned each = memory->accesses > 1 ? memory->accesses : 1;
		double load = insn_loads(insn, k) ? times * each : 0,
		       store = insn_stores(insn, k) ? times * each : 0;

		tally->loads[insn->vector ? ACCESS_VECTOR : ACCESS_GENERAL] += load;
		tally->stores[insn->vector ? ACCESS_VECTOR : ACCESS_GENERAL] += store;
		if (insn->vector && memory->size / each > 32) {
			tally->loads[ACCESS_512] += load;
			tally->stores[ACCESS_512] += store;
		}
		tally->complex_stores += is_simple(insn, memory) ? 0 : store;
		uses_add(&tally->uses, facts->load, load);
		uses_add(&tally->uses, facts->store, store);
	}
}

/* Adds the work of one instruction to the tally. A macro-fused pair counts as one operation: the
 * operation of the branch. */
static void count_insn(struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	const struct insn_tally *times = &tally->insn[number];
	double own = times->times - times->first, taken = facts->taken ? times->taken : 0;

	if (!facts->known || times->times <= 0)
		return;
	tally->slots += (facts->slots - facts->unlaminated) *
			(times->times - times->second - times->joined);
	tally->unlaminated += facts->unlaminated * times->times;
	tally->bytes += insn->length * times->times;
	if (insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER) {
		tally->branches += times->times;
		tally->taken += times->taken;
	}
	uses_add(&tally->uses, facts->op, own - taken);
	uses_add(&tally->uses, uarch_find(tally->uarch, "alu", insn->width), times->materialised);
	uses_add(&tally->uses, facts->taken, taken);
	uses_add(&tally->uses, facts->base, times->times);
	count_memory(tally, number);
}

static void describe_unknown(struct tally *tally)
{
	struct limits *limits = tally->limits;
	char *names = limits->unknown_names;

	for (int i = 0; i < tally->loop->insn_count; i++) {
		const struct insn *insn = &tally->loop->insn[i];
		const char *name = insn->known ? insn->mnemonic : "undecoded";
		size_t length = strlen(names);

		if (tally->facts[i].known || tally->insn[i].times <= 0)
			continue;
		limits->unknown++;
		if (!strstr(names, name) &&
			length + strlen(name) + 3 < sizeof(limits->unknown_names))
			snprintf(names + length, sizeof(limits->unknown_names) - length, "%s%.19s",
				length ? ", " : "", name);
	}
}

void tally_open(struct tally *tally)
{
	int count = tally->loop->insn_count;

	tally->facts = memory_new((size_t)count + 1, sizeof(*tally->facts));
	tally->insn = memory_new((size_t)count + 1, sizeof(*tally->insn));
	for (int i = 0; i < count; i++)
		uarch_insn(tally->uarch, &tally->loop->insn[i], &tally->facts[i]);
	walk_path(tally);
	materialise(tally);
	close_ports(tally);
	for (int i = 0; i < count; i++)
		count_insn(tally, i);
}

void tally_close(struct tally *tally)
{
	free(tally->facts);
	free(tally->insn);
	free(tally->uses.use);
}

void limits_work(const struct loop *loop, const struct uarch *uarch, struct limits_work *work)
{
	struct tally tally = { .loop = loop,
		.uarch = uarch,
		.turns = loop->turns > 0 ? loop->turns : 1,
		.elements = 1 };

	tally_open(&tally);
	*work = (struct limits_work){ .slots = (tally.slots + tally.unlaminated) / tally.turns,
		.loads = tally_all(tally.loads) / tally.turns,
		.stores = tally_all(tally.stores) / tally.turns,
		.vector_loads = tally.loads[ACCESS_VECTOR] / tally.turns,
		.vector_stores = tally.stores[ACCESS_VECTOR] / tally.turns,
		.taken = tally.taken / tally.turns };
	for (int i = 0; i < tally.uses.count && work->use_count < LIMITS_USES; i++)
		work->use[work->use_count++] = (struct limits_use){ tally.uses.use[i].class,
			tally.uses.use[i].count / tally.turns };
	tally_close(&tally);
}

/* ---- Computing and sorting all limits */

/* A loop depends on its part of L3 if it is more than SHARED_LEAST times as slow without L3. */
#define SHARED_LEAST 1.25

/* Compares two limits for qsort(): the highest limit comes first. If two limits of a loop are equal
 * except for rounding, the limit of lower rank comes first. Limits with an unknown number of cycles
 * come last. */
static int compare(const void *a, const void *b)
{
	const struct limit *x = a, *y = b;
	double difference = rint(y->cycles * 1e6) - rint(x->cycles * 1e6);

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && difference != 0)
		return difference > 0 ? 1 : -1;
	if (limit_rows[x->kind].rank != limit_rows[y->kind].rank)
		return limit_rows[x->kind].rank - limit_rows[y->kind].rank;
	return (int)x->kind - (int)y->kind;
}

/* Moves the limit of kind `kind` after all equal hard limits. limits_compute() calls step_back()
 * for the limits of the loop's own branch and counter, because every loop has these two limits. */
static void step_back(struct limits *limits, enum limit_kind kind)
{
	for (int i = 0; i + 1 < limits->limit_count; i++) {
		const struct limit next = limits->limit[i + 1];

		if (limits->limit[i].kind != kind || !next.known || !next.hard ||
			rint(next.cycles * 1e6) < rint(limits->limit[i].cycles * 1e6))
			continue;
		limits->limit[i + 1] = limits->limit[i];
		limits->limit[i] = next;
	}
}

void limits_reserve(struct limits *limits, int insns)
{
	if (insns <= limits->insn_room)
		return;
	limits->insn = memory_resize(limits->insn, (size_t)insns, sizeof(*limits->insn));
	memset(limits->insn + limits->insn_room, 0,
		(size_t)(insns - limits->insn_room) * sizeof(*limits->insn));
	limits->insn_room = insns;
}

void limits_free(struct limits *limits)
{
	free(limits->insn);
	limits->insn = NULL;
	limits->insn_room = limits->insn_count = 0;
}

void limits_clear(struct limits *limits)
{
	struct limits kept = { .insn = limits->insn,
		.insn_room = limits->insn_room,
		.binding = -1,
		.predicted_by = -1 };

	if (kept.insn)
		memset(kept.insn, 0, (size_t)limits->insn_count * sizeof(*kept.insn));
	*limits = kept;
}

/* The parts of a computation of limits. COMPUTE_MEMORY: only the limits that may depend on L3 or
 * memory. */
enum compute { COMPUTE_ALL, COMPUTE_LIMITS, COMPUTE_MEMORY };

static void compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, enum compute what, struct limits *limits);

/* Returns the cycles of the limit of kind `kind`; 0: no number is known. */
static double cycles_of(const struct limits *limits, enum limit_kind kind)
{
	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].kind == kind && limits->limit[i].known)
			return limits->limit[i].cycles;
	return 0;
}

/* Where pages lie in memory decides how many lines of a walk down columns, or of a walk that
 * touches each line once a pass in random order, use the same sets of L2, as if L2 were smaller or
 * larger by this factor. */
#define PLACING 1.25

static bool depends_on_placing(const struct kernel_walk *walk)
{
	return misses_by_placing(walk) || walk->visits == 1;
}

/* Adds the spread of limits that depend on measured values of L3 and memory, and on the places of
 * pages: half the distance between the limits with all these values at their slow and at their fast
 * quartiles. */
static void add_spreads(struct tally *tally)
{
	const struct limits_place *place = tally->place;
	struct limits *slow, *fast, *side[2];

	if (!(tally->limits->beyond[1] > 0))
		return;
	slow = side[0] = memory_new(1, sizeof(*slow));
	fast = side[1] = memory_new(1, sizeof(*fast));
	for (int i = 0; i < 2; i++) {
		struct limits_place varied = *place;
		struct cache_size *size = &varied.caches.level[CACHE_LEVELS - 1];

		varied.measured = memory_quartiles(&place->measured, i == 0 ? 1 : -1);
		if (size->source == CACHE_MEASURED)
			size->bytes = i == 0 ? size->lo : size->hi;
		if (depends_on_placing(&place->walk))
			varied.caches.level[1].bytes *= i == 0 ? 1 / PLACING : PLACING;
		compute(tally->loop, tally->uarch, &varied, COMPUTE_MEMORY, side[i]);
	}
	for (int i = 0; i < tally->limits->limit_count; i++) {
		struct limit *limit = &tally->limits->limit[i];
		double most = cycles_of(slow, limit->kind), least = cycles_of(fast, limit->kind);

		if (limit->known && !limit->hard && most > 0 && least > 0)
			limit->spread =
				hypot(limit->spread, fabs(most - least) / 2 / tally->elements);
	}
	for (int i = 0; i < 2; i++) {
		limits_free(side[i]);
		free(side[i]);
	}
}

/* Adds a limit with an unknown number of cycles if the loop would be much slower without L3. Other
 * processes and virtual machines share L3, so the part of L3 that this process has changes within
 * seconds. */
static void add_shared(struct tally *tally)
{
	struct limits_place without = *tally->place;
	struct memory_facts *measured = &without.measured;
	struct limits *worst;
	double cycles;

	if (!measured->memory.known || !measured->l3.known || !(tally->limits->beyond[1] > 0))
		return;
	without.caches.level[2] = (struct cache_size){ 0 };
	measured->l3.known = false;
	memset(measured->stream, 0, sizeof(measured->stream));
	memset(measured->point, 0, sizeof(measured->point));
	worst = memory_new(1, sizeof(*worst));
	compute(tally->loop, tally->uarch, &without, COMPUTE_LIMITS, worst);
	cycles = limits_highest(worst);
	if (cycles > SHARED_LEAST * limits_highest(tally->limits))
		limits_add_unknown(tally, LIMIT_SHARED,
			"%s cycles if other processes evict all its lines from L3, "
			"whose use changes within seconds",
			words_number(cycles / tally->elements).text);
	limits_free(worst);
	free(worst);
}

static void compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, enum compute what, struct limits *limits)
{
	struct tally tally = { .loop = loop,
		.uarch = uarch,
		.place = place,
		.limits = limits,
		.turns = loop->turns > 0 ? loop->turns : 1,
		.elements = loop->elements > 0 ? loop->elements : 1 };

	limits_clear(limits);
	limits_reserve(limits, loop->insn_count);
	limits->uarch = uarch;
	tally_open(&tally);
	describe_unknown(&tally);
	limits->turns = tally.turns;
	limits->elements = tally.elements;
	limits->instructions = loop->path_count;
	limits->restart = place->walk.restart;
	limits->mispredicts = loop->fresh >= 0 ? place->fresh ? loop->fresh : loop->learnt
			      : place->walk.mispredicts >= 0 ? place->walk.mispredicts
							     : (double)NAN;
	limits_throughput(&tally);
	limits_first_cache(&tally);
	limits_ports(&tally);
	limits_chain(&tally);
	limits_memory(&tally);
	limits_ordered(&tally);
	tally.bound = limits_highest(limits);
	limits_soft(&tally, what == COMPUTE_MEMORY);
	if (what == COMPUTE_ALL) {
		add_shared(&tally);
		add_spreads(&tally);
	}
	qsort(limits->limit, (size_t)limits->limit_count, sizeof(*limits->limit), compare);
	if (tally.taken <= tally.turns)
		step_back(limits, LIMIT_TAKEN);
	if (limits->chain.counts)
		step_back(limits, LIMIT_LATENCY);
	for (int i = limits->limit_count - 1; i >= 0; i--) {
		if (!limits->limit[i].known)
			continue;
		limits->predicted = limits->limit[i].cpe;
		limits->predicted_by = i;
		if (limits->limit[i].hard) {
			limits->binding = i;
			limits->bound = limits->limit[i].cpe;
		}
	}
	tally_close(&tally);
}

void limits_compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits)
{
	compute(loop, uarch, place, COMPUTE_ALL, limits);
}
