/* Computes throughput limits from the largest number of events that a core can execute in a cycle.
 * Events are rename slots, loads, stores, addresses, accesses across lines, and taken branches. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adds the limit of `count` events per path, if the core can execute `each` events per cycle. */
static void add_rate(struct tally *tally, enum limit_kind kind, double count, double each,
	const char *one, const char *many)
{
	if (count > 0 && uarch_known(each) && each > 0)
		limits_add(tally, kind, count / each, "%s %s, %s a cycle",
			words_turn(tally, count).text, count == tally->turns ? one : many,
			words_number(each).text);
}

double limits_addresses(const struct tally *tally)
{
	double sum = tally_all(tally->loads) + tally_all(tally->stores);

	for (int i = 0; i < tally->loop->insn_count; i++)
		if (tally->facts[i].store && !strcmp(tally->facts[i].store->name, "store-back"))
			sum -= tally->insn[i].times;
	return sum;
}

double limits_vector_operations(const struct tally *tally)
{
	double sum = 0;

	for (int i = 0; i < tally->loop->insn_count; i++)
		sum += tally->loop->insn[i].vector ? tally->insn[i].times : 0;
	return sum;
}

static void add_width(struct tally *tally)
{
	double pairs = 0, insns = 0;

	for (int i = 0; i < tally->loop->insn_count; i++) {
		pairs += tally->insn[i].second;
		insns += tally->insn[i].fuses ? 0 : tally->insn[i].times;
	}
	add_rate(tally, LIMIT_WIDTH, tally->slots, tally->uarch->width,
		pairs > 0 ? "fused micro-op" : "micro-op",
		pairs > 0 ? "fused micro-ops" : "micro-ops");
	add_rate(tally, LIMIT_WIDTH, insns, tally->uarch->fact[EXTRA_INSTRUCTIONS],
		pairs > 0 ? "fused instruction" : "instruction",
		pairs > 0 ? "fused instructions" : "instructions");
	add_rate(tally, LIMIT_WIDTH, limits_vector_operations(tally),
		tally->uarch->fact[CAP_VECTORS], "vector operation", "vector operations");
	tally->limits->slots = tally->slots;
	tally->limits->unlaminated = tally->unlaminated;
}

static void add_accesses(struct tally *tally)
{
	const struct uarch *uarch = tally->uarch;
	double loads = tally_all(tally->loads), stores = tally_all(tally->stores);

	add_rate(tally, LIMIT_LOADS, loads, uarch->fact[CAP_LOADS], "load", "loads");
	add_rate(tally, LIMIT_VECTOR_LOADS, tally->loads[ACCESS_VECTOR],
		uarch->fact[CAP_LOADS_VECTOR], "load into a vector register",
		"loads into vector registers");
	add_rate(tally, LIMIT_VECTOR_LOADS, tally->loads[ACCESS_512], uarch->fact[CAP_LOADS_512],
		"load of 512 bits", "loads of 512 bits");
	add_rate(tally, LIMIT_STORES, stores, uarch->fact[CAP_STORES], "store", "stores");
	add_rate(tally, LIMIT_STORES, tally->stores[ACCESS_VECTOR], uarch->fact[CAP_STORES_VECTOR],
		"store of a vector register", "stores of vector registers");
	add_rate(tally, LIMIT_STORES, tally->stores[ACCESS_512], uarch->fact[CAP_STORES_512],
		"store of 512 bits", "stores of 512 bits");
	if (loads > 0 && stores > 0)
		add_rate(tally, LIMIT_ADDRESSES, limits_addresses(tally), uarch->fact[CAP_MEMORY],
			"access", "loads and stores");
	if (tally->complex_stores > 0)
		add_rate(tally, LIMIT_COMPLEX, loads + tally->complex_stores,
			uarch->fact[CAP_COMPLEX], "indexed store",
			loads > 0 ? "loads and indexed stores" : "indexed stores");
}

/* ---- Accesses that cross a cache line */

/* The loads, or the stores, of a path: `count` accesses at `rate` accesses per cycle. An access
 * that crosses a cache line counts as `each` accesses. */
struct side {
	const char *what;
	double count, each, rate;
	double split;		/* number of accesses per path that cross a cache line */
	double wide, wide_each; /* number of accesses of 512 bits that cross no line, and the number
				   of accesses that each of them counts as */
};

/* Whether the core executes a load of 512 bits as two loads of 256 bits. */
static bool loads_halves(const struct uarch *uarch)
{
	return uarch->fact[CAP_LOADS_512] > 0 &&
	       uarch->fact[CAP_LOADS_512] * 2 <= uarch->fact[CAP_LOADS_VECTOR];
}

bool limits_crosses_line(const struct uarch *uarch, uint64_t address, unsigned size)
{
	return address && address % LINE + size > LINE &&
	       !(size == LINE && address % (LINE / 2) == 0 && loads_halves(uarch));
}

/* Counts accesses per path that cross a line, and loads of 512 bits that do not. The addresses come
 * from a single-stepped loop. `vectors` counts loads of vectors, which `loads` contains, too. */
static void count_splits(
	const struct tally *tally, struct side *loads, struct side *stores, struct side *vectors)
{
	const struct loop *loop = tally->loop;

	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			bool crosses = insn->memory[k].accesses <= 1 &&
				       limits_crosses_line(tally->uarch, loop->path[s].address[k],
					       insn->memory[k].size);

			loads->split += crosses && insn_loads(insn, k);
			loads->wide += !crosses && insn_loads(insn, k) &&
				       insn->memory[k].accesses <= 1 &&
				       insn->memory[k].size == LINE;
			vectors->split += crosses && insn_loads(insn, k) && insn->vector;
			stores->split += crosses && insn_stores(insn, k);
		}
	}
}

static double side_cycles(const struct side *side, double split)
{
	return side->rate > 0 ? (side->count + split * (fmax(side->each, 1) - 1) +
					side->wide * fmax(side->wide_each - 1, 0)) /
					side->rate
			      : 0;
}

/* Adds the limit of a core that executes a vector load across a line alone in its cycle, and begins
 * vector loads in order. Measured on Zen 4: four loads, one of which crosses a line, take 3 cycles;
 * if every second load crosses a line, 4 cycles. The order of loads in the core's queues is not
 * certain, so the limit of vector loads across cache lines is soft. */
static void add_lone_splits(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	double rate = tally->uarch->fact[CAP_LOADS_VECTOR], cycles = 0, run = 0, splits = 0;

	if (!(tally->uarch->fact[EXTRA_SPLIT_ALONE] > 0) || !(rate > 0) || !loop->stepped ||
		tally->loads[ACCESS_512] > 0)
		return;
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			if (!insn->vector || !insn_loads(insn, k) || insn->memory[k].accesses > 1)
				continue;
			if (!limits_crosses_line(
				    tally->uarch, loop->path[s].address[k], insn->memory[k].size)) {
				run++;
				continue;
			}
			cycles += ceil(run / rate) + 1;
			splits++;
			run = 0;
		}
	}
	cycles += run / rate;
	tally->sampled = true;
	if (splits > 0)
		limits_add(tally, LIMIT_SPLITS, cycles,
			"%s vector load%s, %s of them across a line: these begin alone and in "
			"order",
			words_turn(tally, tally->loads[ACCESS_VECTOR]).text,
			words_s(tally, tally->loads[ACCESS_VECTOR]),
			words_turn(tally, splits).text);
	tally->sampled = false;
}

/* Divides the accesses that cross a line between loads and stores, if it is unknown which accesses
 * cross a line. The division of split accesses between loads and stores with the lowest cost is
 * used, so the limit is a lower bound. The function returns the number of split loads at which the
 * rising cost of loads meets the falling cost of stores. */
static double share_out(const struct side *loads, const struct side *stores, double splits)
{
	double gap = side_cycles(stores, splits) - side_cycles(loads, 0);
	double slopes = gap + side_cycles(loads, splits) - side_cycles(stores, 0);

	if (loads->count <= 0 || (stores->count > 0 && gap <= 0))
		return 0;
	return stores->count > 0 && slopes > gap ? splits * gap / slopes : splits;
}

static void add_splits(struct tally *tally)
{
	const double *fact = tally->uarch->fact;
	struct side side[] = {
		{ "load", tally_all(tally->loads), fact[EXTRA_SPLIT_LOAD], fact[CAP_LOADS], 0 },
		{ "store", tally_all(tally->stores), fact[EXTRA_SPLIT_STORE], fact[CAP_STORES], 0 },
		{ "vector load",
			tally->loads[ACCESS_VECTOR] +
				(loads_halves(tally->uarch) ? tally->loads[ACCESS_512] : 0),
			fact[EXTRA_SPLIT_LOAD], fact[CAP_LOADS_VECTOR], 0 },
	};
	double splits = tally->place->walk.splits * tally->elements;

	/* Measured on Golden Cove: four loads of 512 bits and one across a line take 3.07 cycles.
	 */
	if (!uarch_known(fact[CAP_LOADS_VECTOR]) && fact[CAP_LOADS_512] > 0)
		side[0].wide_each = fact[CAP_LOADS] / fact[CAP_LOADS_512];
	if (tally->loop->stepped)
		count_splits(tally, &side[0], &side[1], &side[2]);
	/* If the loop has unknown instructions, the split accesses may belong to the unknown
	 * instructions, so no limit is added. */
	if (side[0].split + side[1].split <= 0 && tally->limits->unknown == 0 && splits > 0) {
		splits = fmin(splits, side[0].count + side[1].count);
		side[0].split = share_out(&side[0], &side[1], splits);
		side[1].split = splits - side[0].split;
		if (side[2].count == side[0].count)
			side[2].split = side[0].split;
	}
	for (int i = 0; i < 3; i++) {
		struct limit_words crossing = words_turn(tally, side[i].split);

		if (side[i].split <= 1e-9 || !uarch_known(side[i].rate))
			continue;
		if (!uarch_known(side[i].each))
			limits_add_unknown(tally, LIMIT_SPLITS,
				"%s %ss cross a line; its cost is not known", crossing.text,
				side[i].what);
		else
			limits_add(tally, LIMIT_SPLITS, side_cycles(&side[i], side[i].split),
				"%s %s%s, %s across a line count as %s%s: %s a cycle",
				words_turn(tally, side[i].count).text, side[i].what,
				words_s(tally, side[i].count), crossing.text,
				words_number(side[i].each).text,
				side[i].wide > 0 && side[i].wide_each > 1
					? words_of(", others of 512 bits as %s",
						  words_number(side[i].wide_each).text)
						  .text
					: "",
				words_number(side[i].rate).text);
	}
	add_lone_splits(tally);
}

/* Whether each pass takes the same branches. */
static bool takes_the_same(const struct tally *tally)
{
	for (int i = 0; i < tally->loop->insn_count; i++)
		if (tally->insn[i].taken > 0 && fabs(tally->insn[i].taken - tally->turns) > 1e-9)
			return false;
	return true;
}

/* Adds the limit of a core that predicts two taken branches together. If each pass takes the same
 * branches, the pairs are the same each time, and an odd number leaves one branch without a
 * partner. Returns whether the limit was added. */
static bool add_taken_pairs(struct tally *tally)
{
	double taken = tally->taken / tally->turns, cycles = ceil(taken / 2 - 1e-9) * tally->turns;

	if (!(tally->uarch->fact[EXTRA_TAKEN_PAIRS] > 0) || taken < 1.5 ||
		cycles <= tally->taken / 2 + 1e-9 || !takes_the_same(tally))
		return false;
	limits_add(tally, LIMIT_TAKEN, cycles,
		"%s taken branches, which are predicted in pairs: %s cycles",
		words_turn(tally, tally->taken).text, words_turn(tally, cycles).text);
	return true;
}

/* Some cores execute one taken branch per cycle only if the loop has no other taken branch than its
 * own. */
static void add_taken(struct tally *tally)
{
	double each = tally->uarch->fact[CAP_TAKEN],
	       several = tally->uarch->fact[CAP_TAKEN_SEVERAL],
	       called = tally->uarch->fact[CAP_CALLS], calls = 0;

	for (int i = 0; i < tally->loop->insn_count; i++)
		if (tally->loop->insn[i].flow == FLOW_CALL ||
			tally->loop->insn[i].flow == FLOW_RETURN)
			calls += tally->insn[i].times;

	if (tally->taken <= tally->turns || !uarch_known(several))
		several = each;
	if (calls <= 0 && add_taken_pairs(tally))
		return;
	if (calls > 0 && uarch_known(called) && several > 0)
		limits_add(tally, LIMIT_TAKEN, (tally->taken - calls) / several + calls / called,
			"%s calls and returns, %s a cycle, and %s other taken branches, %s a cycle",
			words_turn(tally, calls).text, words_number(called).text,
			words_turn(tally, tally->taken - calls).text, words_number(several).text);
	else if (several > each)
		limits_add(tally, LIMIT_TAKEN, tally->taken / several,
			"%s taken branches, at best %s a cycle",
			words_turn(tally, tally->taken).text, words_number(several).text);
	else
		add_rate(tally, LIMIT_TAKEN, tally->taken, several, "taken branch",
			"taken branches");
	if (tally->taken > tally->turns && !uarch_known(several))
		limits_add_unknown(tally, LIMIT_TAKEN, "%s taken branches; their rate is not known",
			words_turn(tally, tally->taken).text);
}

void limits_throughput(struct tally *tally)
{
	add_width(tally);
	add_accesses(tally);
	add_splits(tally);
	add_taken(tally);
}
