/* So many a cycle: rename width, loads, stores, their addresses, lines they cross, taken branches.
 */
#include "model/limits/tally.h"

#include <math.h>

#include "model/graph/forwards.h"

/* Bytes of a cache line: of every core there is a file for. */
enum { LINE = 64 };

/* `count` things of a path at `each` a cycle. */
static void add_rate(struct tally *tally, enum limit_kind kind, double count, double each,
	const char *one, const char *many)
{
	char number[24], rate[24];

	if (count > 0 && uarch_known(each) && each > 0)
		limits_add(tally, kind, count / each, "%s %s, %s a cycle",
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

/* Accesses per path over the end of a line, as seen. */
static void seen_splits(const struct loop *loop, double *loads, double *stores)
{
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			if (forwards_loads(insn, k))
				*loads += crosses(loop->path[s].address[k], &insn->memory[k]);
			if (forwards_stores(insn, k))
				*stores += crosses(loop->path[s].address[k], &insn->memory[k]);
		}
	}
}

/* One side: cycles for `count` accesses of which `split` cross a line, each of those counting as
 * `each`. */
struct side {
	double count, each, rate;
};

static double side_cycles(const struct side *side, double split)
{
	return side->rate > 0 ? (side->count + split * (fmax(side->each, 1) - 1)) / side->rate : 0;
}

/* Splits that nobody assigned to loads or stores go where they cost least: the limit must hold
 * whichever they are. The larger of two straight lines, one rising and one falling: lowest where
 * they meet, or at an end. */
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
	/* Instructions that nobody counted may be those that cross. */
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
			limits_add_unknown(tally, LIMIT_SPLITS,
				"%s %s cross a line; what that costs here is not known", count,
				i ? "stores" : "loads");
		else
			limits_add(tally, LIMIT_SPLITS, side_cycles(side, crossing),
				"%s %s, %s of them over a line and counting %s",
				words_number(side->count / tally->turns, all), what, count,
				words_number(side->each, each));
	}
}

void limits_throughput(struct tally *tally)
{
	add_width(tally);
	add_accesses(tally);
	add_splits(tally);
	add_rate(tally, LIMIT_TAKEN, tally->taken, uarch_fact(tally->uarch, CAP_TAKEN),
		"taken branch", "taken branches");
}
