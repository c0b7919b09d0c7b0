#include "model/graph/forwards.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Addresses of a loop that was not stepped */

static bool general(int reg)
{
	return reg >= REG_GENERAL && reg < REG_VECTOR;
}

static struct address_value fresh(struct address_walk *walk)
{
	return (struct address_value){ .root = walk->next_root++ };
}

/* Additions and multiplications may wrap around, as in the processor. */
static int64_t add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The address of a memory operand, from the register values before the instruction runs. */
static struct address address_of(
	const struct address_walk *walk, const struct insn *insn, int operand)
{
	const struct insn_memory *memory = &insn->memory[operand];
	struct address address = { .scale = 1, .known = true, .constant = memory->disp };

	if (memory->vector_index || memory->base >= REG_COUNT || memory->index >= REG_COUNT)
		return (struct address){ .known = false };
	if (memory->base != REG_NONE) {
		address.base = walk->value[memory->base].root;
		address.constant = add(address.constant, walk->value[memory->base].offset);
	}
	if (memory->index != REG_NONE) {
		address.index = walk->value[memory->index].root;
		address.scale = memory->scale ? memory->scale : 1;
		address.constant = add(
			address.constant, times(walk->value[memory->index].offset, address.scale));
	}
	/* Base and index with scale 1 get a fixed order, so that equal addresses have equal fields.
	 */
	if (address.scale == 1 && address.index && address.index < address.base) {
		int base = address.base;

		address.base = address.index;
		address.index = base;
	}
	return address;
}

/* The general register that the instruction reads, if it reads exactly one; otherwise REG_NONE. */
static int only_source(const struct insn *insn)
{
	int source = REG_NONE, count = 0;

	for (int i = 0; i < insn->read_count; i++)
		if (general(insn->reads[i])) {
			source = insn->reads[i];
			count++;
		}
	return count == 1 ? source : REG_NONE;
}

/* Computes the result of an instruction that copies a register or adds a constant to a register.
 * Returns false for an instruction that neither copies a register nor adds a constant. */
static bool sum(
	const struct address_walk *walk, const struct insn *insn, struct address_value *value)
{
	const struct insn_memory *memory = &insn->memory[0];
	const char *name = insn->mnemonic;
	int source = only_source(insn);
	int64_t constant;

	if (insn->address_only && insn->memory_count == 1) {
		if (memory->base == REG_NONE || memory->base >= REG_COUNT ||
			memory->index != REG_NONE || memory->relative || insn->width < 64)
			return false;
		*value = walk->value[memory->base];
		value->offset = add(value->offset, memory->disp);
		return true;
	}
	if (insn->memory_count || insn->vector || source == REG_NONE)
		return false;
	if (insn->move) { /* a copy of 32 bits clears the upper half */
		*value = walk->value[source];
		return insn->width == 64;
	}
	if (strstr(insn->text,
		    "lsl")) /* on AArch64, an added constant may be shifted left by 12 bits */
		return false;
	if (insn->immediate && (!strcmp(name, "add") || !strcmp(name, "adds")))
		constant = insn->value;
	else if (insn->immediate && (!strcmp(name, "sub") || !strcmp(name, "subs")))
		constant = times(insn->value, -1);
	else if (!strcmp(name, "inc") || !strcmp(name, "dec"))
		constant = name[0] == 'i' ? 1 : -1;
	else
		return false;
	*value = walk->value[source];
	value->offset = add(value->offset, constant);
	return true;
}

/* Updates the register values that `walk` tracks along the path, after one instruction. */
static void pass(struct address_walk *walk, const struct insn *insn)
{
	const struct insn_memory *memory = &insn->memory[0];
	bool moved = insn->writeback && insn->memory_count > 0 && general(memory->base);
	struct address_value value, base = walk->value[moved ? memory->base : REG_NONE];
	bool summed = sum(walk, insn, &value);

	for (int i = 0; i < insn->write_count; i++)
		if (general(insn->writes[i]))
			walk->value[insn->writes[i]] = summed ? value : fresh(walk);
	base.offset = add(base.offset, insn->step);
	if (moved) /* a step of 0 in a post-indexed access means that a register holds the step, so
		      the new base is unknown */
		walk->value[memory->base] = insn->step ? base : fresh(walk);
}

int address_list(const struct loop *loop, struct address_walk *walk, struct address_access *list)
{
	int count = 0;

	for (int reg = 0; reg < REG_COUNT; reg++)
		walk->value[reg] = (struct address_value){ .root = reg };
	walk->next_root = REG_COUNT;
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = &loop->insn[loop->path[s].insn];

		for (int k = 0; k < INSN_MEMORY; k++)
			if (insn_loads(insn, k) || insn_stores(insn, k))
				list[count++] = (struct address_access){ .step = s,
					.operand = k,
					.size = insn->memory[k].size,
					.load = insn_loads(insn, k),
					.store = insn_stores(insn, k),
					.address = address_of(walk, insn, k) };
		pass(walk, insn);
	}
	return count;
}

bool address_comparable(const struct address *a, const struct address *b)
{
	return a->known && b->known && a->base == b->base && a->index == b->index &&
	       a->scale == b->scale;
}

bool address_apart(const struct address *a, const struct address *b, int stack)
{
	return a->known && b->known && (a->base == stack) != (b->base == stack);
}

/* Computes how much a register's value grows from one pass through the path to the next. Returns
 * false if the register's value does not grow by a constant from path to path. */
static bool growth_of(const struct address_walk *walk, int root, int64_t *growth)
{
	if (root >= REG_COUNT || walk->value[root].root != root)
		return false;
	*growth = walk->value[root].offset;
	return true;
}

bool address_growth(const struct address_walk *walk, const struct address *address, int64_t *growth)
{
	int64_t base = 0, index = 0;

	if ((address->base && !growth_of(walk, address->base, &base)) ||
		(address->index && !growth_of(walk, address->index, &index)))
		return false;
	*growth = add(base, times(index, address->scale));
	return true;
}

/* ---- Known addresses. A hash table finds stores by the 8-byte blocks of memory that they wrote,
 * the latest store first. */

struct piece {
	uint64_t number; /* number of the 8-byte block: address ÷ 8 */
	int step, operand;
	int before; /* index of the previous entry (an 8-byte block that a store wrote) in the same
		       hash bucket; -1: none */
};

struct written {
	int *bucket;
	unsigned mask;
	struct piece *piece;
	int count;
};

static unsigned bucket_of(const struct written *written, uint64_t number)
{
	return (unsigned)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 40) & written->mask;
}

static void written_begin(struct written *written, int stores)
{
	unsigned buckets = 64;

	while (buckets < 2u * (unsigned)stores)
		buckets *= 2;
	*written =
		(struct written){ .bucket = memory_new(buckets, sizeof(int)), .mask = buckets - 1 };
	memset(written->bucket, -1, buckets * sizeof(int));
}

static void written_add(
	struct written *written, uint64_t address, unsigned size, int step, int operand)
{
	for (uint64_t number = address / 8; number <= (address + size - 1) / 8; number++) {
		int *last = &written->bucket[bucket_of(written, number)];

		written->piece = memory_grow(
			written->piece, (size_t)written->count, sizeof(*written->piece));
		written->piece[written->count] = (struct piece){ number, step, operand, *last };
		*last = written->count++;
	}
}

static bool overlap(uint64_t a, unsigned a_size, uint64_t b, unsigned b_size)
{
	return a < b + b_size && b < a + a_size;
}

static const struct insn *insn_of(const struct loop *loop, int step)
{
	return &loop->insn[loop->path[step].insn];
}

/* Finds the latest store so far that wrote one of the `size` bytes at `address`. */
static void written_find(const struct written *written, const struct loop *loop, uint64_t address,
	unsigned size, struct forward *forward)
{
	for (uint64_t number = address / 8; number <= (address + size - 1) / 8; number++) {
		for (int i = written->bucket[bucket_of(written, number)]; i >= 0;
			i = written->piece[i].before) {
			const struct piece *piece = &written->piece[i];
			const struct insn_memory *store =
				&insn_of(loop, piece->step)->memory[piece->operand];
			uint64_t at = loop->path[piece->step].address[piece->operand];

			if (piece->step < forward->step)
				break;
			if (piece->number != number || !overlap(address, size, at, store->size))
				continue;
			*forward = (struct forward){ .step = piece->step,
				.operand = piece->operand,
				.inside = address >= at && address + size <= at + store->size,
				.same_start = address == at };
			break;
		}
	}
}

/* All occurrences of one load operand in the path, and the store that the load reads from. */
struct occurrences {
	bool found;	      /* true: a load of this operand found a store that wrote its bytes */
	int first;	      /* number of the first occurrence whose load found a store */
	struct forward store; /* the store that the first load found */
	int store_insn, back; /* index of the store's instruction, and number of occurrences from
				 the store to the load */
	bool regular; /* true: every later load found the same store instruction, equally many
			 occurrences earlier */
};

static void occurrences_add(struct occurrences *load, int number, const struct loop *loop,
	const struct forward *forward, int store_number)
{
	int insn = forward->step < 0 ? -1 : loop->path[forward->step].insn;

	if (load->found)
		load->regular &= insn == load->store_insn &&
				 forward->operand == load->store.operand &&
				 number - store_number == load->back &&
				 forward->same_start == load->store.same_start;
	else if (insn >= 0)
		*load = (struct occurrences){ true, number, *forward, insn, number - store_number,
			true };
}

/* Lists the steps of each instruction in order: steps[starts[insn]] … steps[starts[insn + 1] - 1].
 * `number` receives the occurrence number of each step. */
static void index_path(const struct loop *loop, int *starts, int *steps, int *number)
{
	for (int s = 0; s < loop->path_count; s++)
		number[s] = starts[loop->path[s].insn + 1]++;
	for (int i = 0; i < loop->insn_count; i++)
		starts[i + 1] += starts[i];
	for (int s = 0; s < loop->path_count; s++)
		steps[starts[loop->path[s].insn] + number[s]] = s;
}

/* Finds the store for a load at the beginning of the path, which reads from a store of the previous
 * path. If the path has several iterations, the later iterations show from which store the load
 * reads. All later iterations of the loop must have found the same store, the same number of
 * iterations earlier. */
static void wrap(const struct occurrences *load, int number, const int *starts, const int *steps,
	struct forward *forward)
{
	int stores, which = number - load->back;

	if (!load->found || !load->regular || number >= load->first || which >= 0)
		return;
	stores = starts[load->store_insn + 1] - starts[load->store_insn];
	*forward = load->store;
	forward->distance = (-which + stores - 1) / stores;
	forward->step = steps[starts[load->store_insn] + which + forward->distance * stores];
}

static bool find_seen(const struct loop *loop, struct forward *forwards)
{
	int *starts = memory_new((size_t)loop->insn_count + 1, sizeof(int));
	int *steps = memory_new((size_t)loop->path_count, sizeof(int));
	int *number = memory_new((size_t)loop->path_count, sizeof(int));
	struct occurrences *loads =
		memory_new((size_t)loop->insn_count * INSN_MEMORY, sizeof(*loads));
	struct written written;
	bool unseen = false, any_store = false;
	int count = 0;

	index_path(loop, starts, steps, number);
	written_begin(&written, loop->path_count);
	for (int s = 0; s < loop->path_count; s++) {
		const struct insn *insn = insn_of(loop, s);

		for (int k = 0; k < INSN_MEMORY; k++) {
			struct forward *forward = &forwards[count];
			uint64_t address = loop->path[s].address[k];

			if (!insn_loads(insn, k))
				continue;
			count++;
			*forward = (struct forward){ .step = -1 };
			if (!address || !insn->memory[k].size) {
				unseen = true;
				continue;
			}
			written_find(&written, loop, address, insn->memory[k].size, forward);
			occurrences_add(&loads[loop->path[s].insn * INSN_MEMORY + k], number[s],
				loop, forward, forward->step >= 0 ? number[forward->step] : 0);
		}
		for (int k = 0; k < INSN_MEMORY; k++) {
			uint64_t address = loop->path[s].address[k];

			if (!insn_stores(insn, k))
				continue;
			any_store = true;
			if (address && insn->memory[k].size)
				written_add(&written, address, insn->memory[k].size, s, k);
			else
				unseen = true;
		}
	}
	for (int s = 0; s < loop->path_count; s++)
		for (int k = 0; k < INSN_MEMORY; k++) {
			const struct occurrences *load =
				&loads[loop->path[s].insn * INSN_MEMORY + k];

			if (!insn_loads(insn_of(loop, s), k))
				continue;
			if (forwards->step < 0)
				wrap(load, number[s], starts, steps, forwards);
			unseen |= load->found && !load->regular;
			forwards++;
		}
	free(written.bucket);
	free(written.piece);
	free(starts);
	free(steps);
	free(number);
	free(loads);
	return unseen && any_store && count > 0;
}

/* ---- Unknown addresses: registers plus constants. */

/* The smallest number of paths from the store to a load that reads the stored bytes; -1: no load
 * reads them. The load's address grows by *grows bytes per path. If `grows` is NULL, the growth of
 * the load's address is unknown, and only a load in the same path counts. */
static int soonest(const struct address_access *store, const struct address_access *load,
	const int64_t *grows, bool before)
{
	static const int64_t far = INT64_C(1) << 40;
	int64_t gap, distance = 1, growth = grows ? *grows : 0;

	/* If the distance between load and store or the growth of the load's address is too large,
	 * the addresses never meet. */
	if (__builtin_sub_overflow(load->address.constant, store->address.constant, &gap) ||
		gap > far || gap < -far || growth > far || growth < -far)
		return -1;
	if (before && gap < store->size && -gap < load->size)
		return 0;
	if (!grows)
		return -1;
	if (growth > 0 && -load->size - gap >= growth)
		distance = (-load->size - gap) / growth + 1;
	if (growth < 0 && gap - store->size >= -growth)
		distance = (gap - store->size) / -growth + 1;
	if (distance > LOOP_PATH)
		return -1;
	gap += distance * growth;
	return gap < store->size && -gap < load->size ? (int)distance : -1;
}

/* Finds the last store before the load that writes one of the loaded bytes. Returns whether another
 * store, at an unknown address, may also write one of the bytes that the load reads. */
static bool find_latest(const struct address_walk *walk, const struct address_access *list,
	int count, const struct address_access *load, int stack, struct forward *forward)
{
	bool unclear = false;

	for (int i = 0; i < count; i++) {
		const struct address_access *store = &list[i];
		bool before = store->step < load->step;
		int64_t growth = 0, gap;
		bool grows;
		int distance;

		if (!store->store)
			continue;
		if (!address_comparable(&store->address, &load->address)) {
			unclear |= !address_apart(&store->address, &load->address, stack);
			continue;
		}
		grows = address_growth(walk, &load->address, &growth);
		distance = soonest(store, load, grows ? &growth : NULL, before);
		unclear |= !grows && distance < 0;
		if (distance < 0 ||
			(forward->step >= 0 && (distance > forward->distance ||
						       (distance == forward->distance &&
							       store->step < forward->step))))
			continue;
		gap = load->address.constant + distance * growth - store->address.constant;
		*forward = (struct forward){ .step = store->step,
			.operand = store->operand,
			.distance = distance,
			.inside = gap >= 0 && gap + load->size <= store->size,
			.same_start = gap == 0 };
	}
	return unclear;
}

static bool find_unseen(const struct loop *loop, int stack, struct forward *forwards, bool fill_in)
{
	struct address_access *list =
		memory_new((size_t)loop->path_count * INSN_MEMORY + 1, sizeof(*list));
	struct address_walk walk;
	int count = address_list(loop, &walk, list);
	bool unclear = false;

	for (int i = 0; i < count; i++) {
		if (!list[i].load)
			continue;
		if (!fill_in)
			*forwards = (struct forward){ .step = -1 };
		if (forwards->step < 0)
			unclear |= find_latest(&walk, list, count, &list[i], stack, forwards);
		forwards++;
	}
	free(list);
	return unclear;
}

bool forwards_find(const struct loop *loop, int stack, struct forward *forwards)
{
	bool unclear;

	if (!loop->stepped)
		return find_unseen(loop, stack, forwards, false);
	unclear = find_seen(loop, forwards);
	/* If the path has only one iteration, it cannot show values that come from the previous
	 * iteration. */
	if (loop->turns == 1)
		unclear |= find_unseen(loop, stack, forwards, true);
	return unclear;
}

int forwards_aliases(const struct loop *loop, int window)
{
	enum { MOST = 256 };
	uint64_t address[MOST];
	unsigned size[MOST];
	int aliases = 0, stores = 0;

	if (window > MOST)
		window = MOST;
	for (int s = 0; loop->stepped && window > 0 && s < loop->path_count; s++) {
		const struct insn *insn = insn_of(loop, s);

		for (int k = 0; k < INSN_MEMORY; k++) {
			uint64_t at = loop->path[s].address[k];

			if (!insn_loads(insn, k) || !at)
				continue;
			for (int i = stores > window ? stores - window : 0; i < stores; i++) {
				uint64_t store = address[i % window], gap = (at - store) & 4095;

				if ((gap < size[i % window] || 4096 - gap < insn->memory[k].size) &&
					!overlap(at, insn->memory[k].size, store,
						size[i % window])) {
					aliases++;
					break;
				}
			}
		}
		for (int k = 0; k < INSN_MEMORY; k++)
			if (insn_stores(insn, k) && loop->path[s].address[k]) {
				address[stores % window] = loop->path[s].address[k];
				size[stores++ % window] = insn->memory[k].size;
			}
	}
	return aliases;
}
