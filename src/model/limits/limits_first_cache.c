/* Limits of the first-level cache: loads per cycle from one bank, and lines to which stores write.
 * Accesses whose addresses relative to each other are unknown add no cycles to the limit. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/graph/forwards.h"

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
		splits += limits_crosses_line(
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
	/* Where the blocks are lines, a store across the end of one writes both in its own cycles,
	 * which add_splits() counts. Measured on Zen 5: stores of 8 bytes across lines that are far
	 * apart take a cycle each. */
	if (block != LINE || !uarch_known(tally->uarch->fact[EXTRA_SPLIT_STORE]))
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

void limits_first_cache(struct tally *tally)
{
	add_banks(tally);
	add_store_lines(tally);
}
