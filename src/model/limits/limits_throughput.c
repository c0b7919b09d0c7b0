/* Computes throughput limits from the largest number of events that a core can execute in a cycle.
 * Events are rename slots, loads, stores, addresses, line splits, accesses to a cache bank or a
 * cache line, and taken branches. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/graph/forwards.h"

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
	double split; /* number of accesses per path that cross a cache line */
};

/* Whether the core executes a load of 512 bits as two loads of 256 bits. */
static bool loads_halves(const struct uarch *uarch)
{
	return uarch->fact[CAP_LOADS_512] > 0 &&
	       uarch->fact[CAP_LOADS_512] * 2 <= uarch->fact[CAP_LOADS_VECTOR];
}

/* Whether a memory access crosses the end of a cache line. If the core executes a 64-byte access as
 * two 32-byte halves, the access does not count as crossing if each half lies in one cache line
 * (measured on Zen 4). */
static bool crosses_line(const struct uarch *uarch, uint64_t address, unsigned size)
{
	return address && address % LINE + size > LINE &&
	       !(size == LINE && address % (LINE / 2) == 0 && loads_halves(uarch));
}

/* Counts accesses per path that cross a line. The addresses come from a single-stepped loop.
 * `vectors` counts loads of vectors, which `loads` contains, too. */
static void count_splits(
	const struct tally *tally, struct side *loads, struct side *stores, struct side *vectors)
{
	const struct loop *loop = tally->loop;

	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++) {
			bool crosses = insn->memory[k].accesses <= 1 &&
				       crosses_line(tally->uarch, loop->path[s].address[k],
					       insn->memory[k].size);

			loads->split += crosses && insn_loads(insn, k);
			vectors->split += crosses && insn_loads(insn, k) && insn->vector;
			stores->split += crosses && insn_stores(insn, k);
		}
	}
}

static double side_cycles(const struct side *side, double split)
{
	return side->rate > 0 ? (side->count + split * (fmax(side->each, 1) - 1)) / side->rate : 0;
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
			if (!crosses_line(
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
				"%s %s%s, %s across a line count as %s: %s a cycle",
				words_turn(tally, side[i].count).text, side[i].what,
				words_s(tally, side[i].count), crossing.text,
				words_number(side[i].each).text, words_number(side[i].rate).text);
	}
	add_lone_splits(tally);
}

/* ---- The first-level cache: loads per cycle from one bank, and stored lines per cycle. Accesses
 * whose addresses relative to each other are unknown add no cycles to the limit. */

/* A load or store that the loop's path executes. */
struct access {
	struct address address;
	int64_t growth; /* bytes by which the address of the access grows from one pass through the
			   path to the next */
	bool grows;	/* true: the address grows by a constant from path to path */
	uint64_t seen;	/* address of the access in the single-stepped loop; 0: unknown */
	int size;
	bool counted; /* true if crowded(), which counts loads at the same offset of a cache line,
			 has already counted the load */
};

struct accesses {
	int count;
	struct access *access;
};

/* Returns the loads or the stores of the path, in order. The caller frees `access`. */
static struct accesses collect(const struct loop *loop, bool stores)
{
	struct address_access *list =
		memory_new((size_t)loop->path_count * INSN_MEMORY + 1, sizeof(*list));
	struct address_walk walk;
	int count = address_list(loop, &walk, list);
	struct accesses all = { 0, memory_new((size_t)count + 1, sizeof(*all.access)) };

	for (int i = 0; i < count; i++) {
		const struct loop_step *step = &loop->path[list[i].step];
		const struct insn_memory *memory = &loop->insn[step->insn].memory[list[i].operand];
		struct access *access = &all.access[all.count];

		if (stores ? !list[i].store : !list[i].load)
			continue;
		*access = (struct access){ .address = list[i].address, .size = list[i].size };
		access->grows = address_growth(&walk, &access->address, &access->growth);
		/* The elements of a gather or scatter have unrelated addresses, so its address is
		 * not used. */
		if (loop->stepped && !memory->vector_index)
			access->seen = step->address[list[i].operand];
		all.count++;
	}
	free(list);
	return all;
}

/* ---- Loads from one cache bank */

/* Returns the largest number of loads that read the same byte offset of a line. The loads share a
 * base address that moves by whole lines, so each load reads the same offsets on every path. */
static int crowded(const struct accesses *loads, int first)
{
	const struct access *one = &loads->access[first];
	int reads[LINE] = { 0 }, most = 0;

	for (int i = first; i < loads->count; i++) {
		struct access *load = &loads->access[i];

		if (load->counted || !address_comparable(&one->address, &load->address))
			continue;
		load->counted = true;
		for (int byte = 0; byte < load->size && byte < LINE; byte++) {
			int *at = &reads[(uint64_t)(load->address.constant + byte) % LINE];

			most = ++*at > most ? *at : most;
		}
	}
	return most;
}

/* Returns the number of loads of the path, if the walk through the data shows that each load reads
 * the same offset of another line. The stride may be in a register, so the code does not show it.
 */
static double walked_by_lines(const struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double loads = tally_all(tally->loads);

	return walk->step > 0 && fmod(walk->step, LINE) == 0 && !walk->scattered &&
			       walk->reaches == 0 && !tally->loop->stepped &&
			       loads <= walk->lines * tally->elements + 1e-9
		       ? loads
		       : 0;
}

static void add_banks(struct tally *tally)
{
	double each = tally->uarch->fact[CAP_LOADS_BANK], most;
	struct accesses loads;

	if (!(each > 0))
		return;
	most = walked_by_lines(tally);
	loads = collect(tally->loop, false);
	for (int i = 0; i < loads.count; i++) {
		const struct access *load = &loads.access[i];

		if (!load->counted && load->address.known && load->grows &&
			load->growth % LINE == 0)
			most = fmax(most, crowded(&loads, i));
	}
	free(loads.access);
	if (most > 1)
		limits_add(tally, LIMIT_BANKS, most / each,
			"%s load%s at the same offset in their lines, %s a cycle from one bank",
			words_turn(tally, most).text, words_s(tally, most),
			words_number(each).text);
}

/* ---- Stores to different blocks of memory: cache lines on most cores */

/* Replaces each store that crosses the end of a block by two stores, one to each block. Of the two
 * stores, the one to the block of the previous store comes first. */
static void divide(struct accesses *stores, int64_t block)
{
	struct accesses parts = { 0,
		memory_new((size_t)stores->count * 2 + 1, sizeof(*parts.access)) };
	uint64_t last = 0;

	for (int i = 0; i < stores->count; i++) {
		struct access part[2] = { stores->access[i], stores->access[i] };
		int64_t first = block - (int64_t)(part[0].seen % (uint64_t)block);
		bool high;

		if (!part[0].seen || first >= part[0].size) {
			parts.access[parts.count++] = part[0];
			last = part[0].seen / (uint64_t)block;
			continue;
		}
		part[1].seen += (uint64_t)first;
		high = last == part[1].seen / (uint64_t)block;
		parts.access[parts.count++] = part[high];
		parts.access[parts.count++] = part[!high];
		last = part[!high].seen / (uint64_t)block;
	}
	free(stores->access);
	*stores = parts;
}

/* Whether a store may write to the same aligned block of bytes as the store `back` stores before.
 * Before the first store of the path come the last stores of the previous path. `back` is at most
 * the number of stores. */
static bool may_share_with(const struct accesses *stores, int at, int back, int64_t block)
{
	const struct access *b = &stores->access[at],
			    *a = &stores->access[(at + stores->count - back) % stores->count];
	bool later = at < back;
	int64_t apart;

	if (a->seen && b->seen && !later)
		return a->seen / (uint64_t)block == b->seen / (uint64_t)block;
	if (!address_comparable(&a->address, &b->address) || (later && !b->grows))
		return true;
	apart = (int64_t)((uint64_t)b->address.constant + (later ? (uint64_t)b->growth : 0) -
			  (uint64_t)a->address.constant);
	return apart < 0 ? -apart < block + b->size - 1 : apart < block + a->size - 1;
}

static bool may_share(const struct accesses *stores, int at, int64_t block)
{
	return may_share_with(stores, at, 1, block);
}

/* Whether a store certainly writes to a block to which an earlier store of the path wrote. */
static bool shares(const struct accesses *stores, int at, int back, int64_t block)
{
	return stores->access[at].seen && stores->access[at - back].seen &&
	       stores->access[at].seen / (uint64_t)block ==
		       stores->access[at - back].seen / (uint64_t)block;
}

/* Returns the number of blocks that the stores of the path write, if a store shares the write of an
 * earlier store to one of the last `most` different blocks. */
static double blocks_written(const struct accesses *stores, int most, int64_t block)
{
	double written = 0;

	for (int i = 0; i < stores->count; i++) {
		bool merged = false;

		for (int back = 1, different = 0;
			!merged && back <= stores->count && different < most; back++) {
			bool seen = false;

			merged = may_share_with(stores, i, back, block);
			for (int k = 1; !seen && k < back && i >= back; k++)
				seen = shares(stores, i - k, back - k, block);
			different += !seen;
		}
		written += !merged;
	}
	return written;
}

/* Returns the cycles that the stores of the loop's path need, in order. Up to `together` adjacent
 * stores to one block complete in one cycle. */
static double store_cycles(const struct accesses *stores, double together, int64_t block)
{
	int first = 0, run = 1;
	double cycles = 0;

	/* Counting of the cycles begins at a store that cannot share a block (and so a cycle) with
	 * the previous store. */
	while (first < stores->count && may_share(stores, first, block))
		first++;
	if (first == stores->count)
		return stores->count / together;
	for (int i = 1; i <= stores->count; i++) {
		if (i < stores->count && may_share(stores, (first + i) % stores->count, block)) {
			run++;
			continue;
		}
		cycles += ceil(run / together);
		run = 1;
	}
	return cycles;
}

/* Returns the additional cycles of stores across the end of a cache line, besides the cycles for
 * the two blocks that each such store writes. Measured on Zen 4 with stores of 8 to 64 bytes: half
 * a cycle each. On Zen 3, 0.36 cycles over 128 lines in order, but none over 16 lines, or over
 * every second line: a soft limit. */
static double crossing_cycles(const struct tally *tally, const struct accesses *stores)
{
	double each = tally->uarch->fact[EXTRA_SPLIT_STORE], splits = 0;

	for (int i = 0; i < stores->count; i++)
		splits += crosses_line(
			tally->uarch, stores->access[i].seen, (unsigned)stores->access[i].size);
	return each > 1 && tally->uarch->fact[EXTRA_STORE_BLOCK] > 0
		       ? splits * (each - 1) / tally->uarch->fact[CAP_STORES]
		       : 0;
}

static void add_store_lines(struct tally *tally)
{
	const struct kernel_walk *walk = &tally->place->walk;
	double lines = tally->uarch->fact[CAP_STORE_LINES], stores = tally_all(tally->stores),
	       cycles, crossing, random = 0;
	double together = tally->uarch->fact[CAP_STORES],
	       block = tally->uarch->fact[EXTRA_STORE_BLOCK],
	       most = fmax(tally->uarch->fact[EXTRA_STORE_MERGE], 1);
	struct limit_words bytes;
	struct accesses all;

	if (lines <= 0 || together <= lines || stores <= 0)
		return;
	if (!(block >= 1))
		block = LINE;
	/* If stores go to random addresses of a range, a store shares a block with one of the
	 * previous stores only by chance. */
	if (walk->scattered && walk->range > LINE && walk->lines * tally->elements > stores - 1e-9)
		random = stores * fmax(1 - most * block / walk->range, 0) / lines;
	/* Stores whose stride is at least a block of bytes never share a block. The stride of the
	 * stores may be in a register, so the code does not show it. A single-stepped loop has
	 * addresses. */
	if (!walk->scattered && walk->step >= block && !tally->loop->stepped)
		random = stores / lines;
	all = collect(tally->loop, true);
	crossing = crossing_cycles(tally, &all);
	divide(&all, (int64_t)block);
	cycles = (most > 1 ? blocks_written(&all, (int)most, (int64_t)block)
			   : store_cycles(&all, together / lines, (int64_t)block)) /
		 lines;
	free(all.access);
	if (crossing > 0)
		limits_add(tally, LIMIT_SPLIT_STORES, fmax(cycles, random) + crossing,
			"%s block%s, and stores across the ends of lines: +%s cycles",
			words_turn(tally, fmax(cycles, random) * lines).text,
			words_s(tally, fmax(cycles, random) * lines),
			words_turn(tally, crossing).text);
	if (fmax(cycles, random) <= stores / together + 1e-9)
		return;
	bytes = words_number(block);
	words_add(&bytes, " bytes");
	/* In a given random order, more stores than the mean may share a block. */
	tally->sampled = random > cycles && walk->scattered && most > 1;
	limits_add(tally, LIMIT_STORE_LINES, fmax(cycles, random),
		"%s store%s, %s %s%s a cycle: few neighbouring stores share %s",
		words_turn(tally, stores).text, words_s(tally, stores), words_number(lines).text,
		block == LINE ? "line" : "block", lines == 1 ? "" : "s",
		block == LINE ? "a line" : bytes.text);
	tally->sampled = false;
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
	if (calls > 0 && uarch_known(called) && several > 0)
		limits_add(tally, LIMIT_TAKEN, (tally->taken - calls) / several + calls / called,
			"%s calls and returns, %s a cycle, and %s other taken branches, %s a cycle",
			words_turn(tally, calls).text, words_number(called).text,
			words_turn(tally, tally->taken - calls).text, words_number(several).text);
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
	add_banks(tally);
	add_store_lines(tally);
}
