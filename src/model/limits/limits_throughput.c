/* Rates: at most so many rename slots, loads, stores, addresses, line splits, accesses to a bank or
 * a line of the first-level cache, and taken branches in a cycle. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "model/graph/address.h"
#include "model/graph/forwards.h"

/* Bytes of a cache line, on every core with a file. */
enum { LINE = 64 };

/* Adds the limit of `count` events per path at `each` a cycle. */
static void add_rate(struct tally *tally, enum limit_kind kind, double count, double each,
	const char *one, const char *many)
{
	char number[24], rate[24];

	if (count > 0 && uarch_known(each) && each > 0)
		limits_add(tally, kind, count / each, CAUSE_RATE,
			words_number(count / tally->turns, number),
			count == tally->turns ? one : many, words_number(each, rate));
}

static void add_width(struct tally *tally)
{
	double pairs = 0;

	for (int i = 0; i < tally->loop->insn_count; i++)
		pairs += tally->insn[i].second;
	add_rate(tally, LIMIT_WIDTH, tally->slots, uarch_width(tally->uarch),
		pairs > 0 ? "fused micro-op" : "micro-op",
		pairs > 0 ? "fused micro-ops" : "micro-ops");
	tally->limits->slots = tally->slots;
	tally->limits->unlaminated = tally->unlaminated;
}

static void add_accesses(struct tally *tally)
{
	const struct uarch *uarch = tally->uarch;
	double loads = tally_all(tally->loads), stores = tally_all(tally->stores);

	add_rate(tally, LIMIT_LOADS, loads, uarch_fact(uarch, CAP_LOADS), "load", "loads");
	add_rate(tally, LIMIT_VECTOR_LOADS, tally->loads[ACCESS_VECTOR],
		uarch_fact(uarch, CAP_LOADS_VECTOR), "vector load", "vector loads");
	add_rate(tally, LIMIT_VECTOR_LOADS, tally->loads[ACCESS_512],
		uarch_fact(uarch, CAP_LOADS_512), "load of 512 bits", "loads of 512 bits");
	add_rate(tally, LIMIT_STORES, stores, uarch_fact(uarch, CAP_STORES), "store", "stores");
	add_rate(tally, LIMIT_STORES, tally->stores[ACCESS_VECTOR],
		uarch_fact(uarch, CAP_STORES_VECTOR), "vector store", "vector stores");
	add_rate(tally, LIMIT_STORES, tally->stores[ACCESS_512], uarch_fact(uarch, CAP_STORES_512),
		"store of 512 bits", "stores of 512 bits");
	if (loads > 0 && stores > 0)
		add_rate(tally, LIMIT_ADDRESSES, loads + stores, uarch_fact(uarch, CAP_MEMORY),
			"access", "loads and stores");
	if (tally->complex_stores > 0)
		add_rate(tally, LIMIT_COMPLEX, loads + tally->complex_stores,
			uarch_fact(uarch, CAP_COMPLEX), "indexed store",
			loads > 0 ? "loads and indexed stores" : "indexed stores");
}

/* ---- Split lines */

static bool crosses(uint64_t address, const struct insn_memory *memory)
{
	return memory->accesses <= 1 && address && address % LINE + memory->size > LINE;
}

/* Accesses per path that cross a line, by the addresses of a stepped loop. */
static void seen_splits(const struct loop *loop, double *loads, double *stores)
{
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			if (insn_loads(insn, k))
				*loads += crosses(loop->path[s].address[k], &insn->memory[k]);
			if (insn_stores(insn, k))
				*stores += crosses(loop->path[s].address[k], &insn->memory[k]);
		}
	}
}

/* Loads or stores: `count` accesses, of which a split one counts as `each`, at `rate` a cycle. */
struct side {
	double count, each, rate;
};

static double side_cycles(const struct side *side, double split)
{
	return side->rate > 0 ? (side->count + split * (fmax(side->each, 1) - 1)) / side->rate : 0;
}

/* Unknown splits go to loads or stores, wherever they cost least, so that the limit holds in either
 * case. Of a rising and a falling straight line the larger is lowest where they cross, or at an
 * end. */
static double share_out(const struct side *loads, const struct side *stores, double splits)
{
	double low = loads->count > 0 ? 0 : -1, high = splits;

	if (loads->count <= 0)
		return 0;
	if (stores->count <= 0)
		return splits;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (side_cycles(loads, middle) < side_cycles(stores, splits - middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void add_splits(struct tally *tally)
{
	const struct uarch *uarch = tally->uarch;
	struct side load = { tally_all(tally->loads), uarch_fact(uarch, EXTRA_SPLIT_LOAD),
		uarch_fact(uarch, CAP_LOADS) };
	struct side store = { tally_all(tally->stores), uarch_fact(uarch, EXTRA_SPLIT_STORE),
		uarch_fact(uarch, CAP_STORES) };
	double loads = 0, stores = 0, splits;
	char count[24], all[24], each[24];

	if (tally->loop->stepped)
		seen_splits(tally->loop, &loads, &stores);
	splits = tally->place->splits * tally->elements;
	/* Unknown instructions may be the ones that cross. */
	if (loads + stores <= 0 && tally->limits->unknown == 0) {
		splits = fmin(splits, load.count + store.count);
		loads = splits > 0 ? share_out(&load, &store, splits) : 0;
		stores = splits > 0 ? splits - loads : 0;
	}
	if (loads <= 1e-9 && stores <= 1e-9)
		return;
	for (int i = 0; i < 2; i++) {
		const struct side *side = i ? &store : &load;
		double crossing = i ? stores : loads;
		bool one = side->count == tally->turns;
		const char *what = i ? one ? "store" : "stores" : one ? "load" : "loads";

		if (crossing <= 1e-9 || !uarch_known(side->rate))
			continue;
		words_number(crossing / tally->turns, count);
		if (!uarch_known(side->each))
			limits_add_unknown(tally, LIMIT_SPLITS, CAUSE_SPLITS_UNKNOWN, count,
				i ? "stores" : "loads");
		else
			limits_add(tally, LIMIT_SPLITS, side_cycles(side, crossing), CAUSE_SPLITS,
				words_number(side->count / tally->turns, all), what, count,
				words_number(side->each, each));
	}
}

/* ---- The first-level cache: loads a cycle from one of its banks, stored lines a cycle. Accesses
 * whose relative addresses the code does not show count as free. */

/* One access of the path. */
struct access {
	struct address address;
	int64_t growth; /* bytes from one path to the next */
	bool grows;	/* by a constant */
	uint64_t seen;	/* its address, 0: not seen */
	int size;
};

struct accesses {
	struct access *load, *store;
	int loads, stores;
};

static void collect(const struct loop *loop, struct accesses *all)
{
	struct address_access *list =
		memory_new((size_t)loop->path_count * INSN_MEMORY + 1, sizeof(*list));
	struct address_walk walk;
	int count = address_list(loop, &walk, list);

	for (int i = 0; i < count; i++) {
		const struct loop_step *step = &loop->path[list[i].step];
		const struct insn_memory *memory = &loop->insn[step->insn].memory[list[i].operand];
		struct access access = { .address = list[i].address, .size = list[i].size };

		access.grows = address_growth(&walk, &access.address, &access.growth);
		/* Elements of gathers and scatters have unrelated addresses. */
		if (loop->stepped && !memory->vector_index)
			access.seen = step->address[list[i].operand];
		if (list[i].load)
			all->load[all->loads++] = access;
		if (list[i].store)
			all->store[all->stores++] = access;
	}
	free(list);
}

/* ---- Banks */

static int place_in_line(int64_t address)
{
	return (int)((uint64_t)address % LINE);
}

/* Loads that read the same offsets in lines on every path: they share a base that moves by whole
 * lines. The most of them that read one byte of a line. */
static int crowded(const struct accesses *all, int first, bool *counted)
{
	const struct access *one = &all->load[first];
	int reads[LINE] = { 0 }, most = 0;

	for (int i = first; i < all->loads; i++) {
		const struct access *load = &all->load[i];

		if (counted[i] || !address_comparable(&one->address, &load->address))
			continue;
		counted[i] = true;
		for (int byte = 0; byte < load->size && byte < LINE; byte++) {
			int *at = &reads[place_in_line(load->address.constant + byte)];

			if (++*at > most)
				most = *at;
		}
	}
	return most;
}

static void add_banks(struct tally *tally, const struct accesses *all)
{
	double each = uarch_fact(tally->uarch, CAP_LOADS_BANK);
	bool *counted = memory_new((size_t)all->loads + 1, sizeof(*counted));
	int most = 0;
	char number[24], rate[24];

	for (int i = 0; i < all->loads; i++) {
		const struct access *load = &all->load[i];
		int here;

		if (counted[i] || !load->address.known || !load->grows || load->growth % LINE != 0)
			continue;
		here = crowded(all, i, counted);
		most = here > most ? here : most;
	}
	free(counted);
	if (most > 1 && uarch_known(each) && each > 0)
		limits_add(tally, LIMIT_BANKS, most / each, CAUSE_BANKS,
			words_number(most / tally->turns, number), most == tally->turns ? "" : "s",
			words_number(each, rate));
}

/* ---- Lines stored to */

/* Whether two stores may go to the same line. later: the second is of the next path. */
static bool may_share(const struct access *a, const struct access *b, bool later)
{
	int64_t apart;

	if (a->seen && b->seen && !later)
		return b->seen / LINE <= (a->seen + (uint64_t)a->size - 1) / LINE &&
		       a->seen / LINE <= (b->seen + (uint64_t)b->size - 1) / LINE;
	if (!address_comparable(&a->address, &b->address) || (later && !b->grows))
		return true;
	apart = (int64_t)((uint64_t)b->address.constant + (later ? (uint64_t)b->growth : 0) -
			  (uint64_t)a->address.constant);
	return apart < 0 ? -apart < LINE + b->size - 1 : apart < LINE + a->size - 1;
}

/* Cycles for the path's stores in order. Up to `together` of them complete at once while they are
 * neighbours in the same line. */
static double store_cycles(const struct accesses *all, double together)
{
	int first = 0, run = 1;
	double cycles = 0;

	/* Begin where a line ends. */
	while (first < all->stores &&
		may_share(&all->store[(first + all->stores - 1) % all->stores], &all->store[first],
			first == 0))
		first++;
	if (first == all->stores)
		return all->stores / together;
	for (int i = 1; i <= all->stores; i++) {
		int before = (first + i - 1) % all->stores, at = (first + i) % all->stores;

		if (i < all->stores && may_share(&all->store[before], &all->store[at], at == 0)) {
			run++;
			continue;
		}
		cycles += ceil(run / together);
		run = 1;
	}
	return cycles;
}

static void add_store_lines(struct tally *tally, const struct accesses *all)
{
	const struct limits_place *place = tally->place;
	double lines = uarch_fact(tally->uarch, CAP_STORE_LINES), stores = tally_all(tally->stores),
	       cycles, random = 0;
	double together = uarch_fact(tally->uarch, CAP_STORES);
	char number[24], rate[24];

	if (!uarch_known(lines) || lines <= 0 || !uarch_known(together) || together <= lines ||
		stores <= 0)
		return;
	/* Random stores over this range: two neighbours share a line by chance. */
	if (place->scattered && place->range > LINE &&
		place->lines * tally->elements > stores - 1e-9)
		random = stores * (1 - LINE / place->range) / lines;
	cycles = all->stores > 0 ? store_cycles(all, together / lines) / lines : 0;
	if (fmax(cycles, random) <= stores / together + 1e-9)
		return;
	limits_add(tally, LIMIT_STORE_LINES, fmax(cycles, random), CAUSE_STORE_LINES,
		words_number(stores / tally->turns, number), stores == tally->turns ? "" : "s",
		words_number(lines, rate), lines == 1 ? "" : "s");
}

static void add_banks_and_lines(struct tally *tally)
{
	size_t room = (size_t)tally->loop->path_count * INSN_MEMORY + 1;
	struct accesses all = { memory_new(room, sizeof(*all.load)),
		memory_new(room, sizeof(*all.store)), 0, 0 };

	collect(tally->loop, &all);
	add_banks(tally, &all);
	add_store_lines(tally, &all);
	free(all.load);
	free(all.store);
}

void limits_throughput(struct tally *tally)
{
	add_width(tally);
	add_accesses(tally);
	add_splits(tally);
	add_rate(tally, LIMIT_TAKEN, tally->taken, uarch_fact(tally->uarch, CAP_TAKEN),
		"taken branch", "taken branches");
	add_banks_and_lines(tally);
}
