/* Lays out the list of the kernel list-lookup: see list_lookup.h. */
#include "kernels/list_lookup.h"

/* Number of groups between two checks of run->work.cancel. */
enum { CANCEL_EVERY = 4096 };

static uint64_t blocks_of(const struct list *list)
{
	return list->groups / LIST_BLOCK + 1;
}

static uint64_t share_of(uint64_t count, int percent)
{
	return (count / 100) * (uint64_t)percent + (count % 100 * (uint64_t)percent + 50) / 100;
}

struct list list_of(unsigned char *memory, uint64_t nodes, uint64_t group, int misplaced,
	int deleted, uint64_t seed)
{
	struct list list = {
		.nodes = (struct list_node *)(void *)memory, .group = group, .groups = nodes / group
	};

	list.count = list.groups * group;
	list.misplaced = share_of(list.groups, misplaced) / 2 * 2;
	list.deleted = share_of(list.groups, deleted);
	if (list.deleted >= list.groups)
		list.deleted = list.groups - 1;
	list.linked = (list.groups - list.deleted) * group;
	list.places = shuffle_make(list.groups, seed);
	list.deletions = shuffle_make(list.groups, seed + 1);
	if (memory) {
		list.before[LIST_BY_RANK] =
			(uint32_t *)(void *)(memory + list.count * sizeof(struct list_node));
		list.before[LIST_BY_PLACE] = list.before[LIST_BY_RANK] + blocks_of(&list);
	}
	return list;
}

uint64_t list_bytes(const struct list *list)
{
	return list->count * sizeof(struct list_node) + 2 * blocks_of(list) * sizeof(uint32_t);
}

/* The permutation list->places puts the numbers of all groups into random order. The first
 * `misplaced` groups in this random order form pairs, and the two groups of each pair exchange
 * places. */
uint64_t list_place(const struct list *list, uint64_t rank)
{
	uint64_t order;

	if (list->misplaced == 0)
		return rank;
	order = shuffle_to(&list->places, rank);
	return order < list->misplaced ? shuffle_from(&list->places, order ^ 1) : rank;
}

bool list_deleted(const struct list *list, uint64_t rank)
{
	return list->deleted > 0 && shuffle_to(&list->deletions, rank) < list->deleted;
}

void list_group(const struct list *list, uint64_t rank, struct list_node *nodes)
{
	uint64_t place = list_place(list, rank), next = rank + 1;
	const struct list_node *at = list->nodes + place * list->group, *after = NULL;
	bool deleted = list_deleted(list, rank);

	while (next < list->groups && list_deleted(list, next))
		next++;
	if (next < list->groups)
		after = list->nodes + list_place(list, next) * list->group;
	for (uint64_t i = 0; i < list->group; i++)
		nodes[i] = (struct list_node){
			.next = deleted		      ? LIST_DELETED
				: i + 1 < list->group ? at + i + 1
						      : after,
			.value = list_value(rank * list->group + i),
			.rest = { (int32_t)place, (int32_t)rank, (int32_t)i },
		};
}

bool list_write(const struct list *list, struct kernel_run *run, uint64_t of)
{
	uint64_t linked[2] = { 0 };

	for (uint64_t i = 0; i < list->groups; i++) {
		uint64_t rank = list_place(list, i);

		if (i % CANCEL_EVERY == 0 && !kernel_goes_on(run, i, of))
			return false;
		if (i % LIST_BLOCK == 0)
			for (int by = 0; by < 2; by++)
				list->before[by][i / LIST_BLOCK] = (uint32_t)linked[by];
		list_group(list, rank, list->nodes + i * list->group);
		linked[LIST_BY_RANK] += !list_deleted(list, i);
		linked[LIST_BY_PLACE] += !list_deleted(list, rank);
	}
	return true;
}

static bool linked_at(const struct list *list, int by, uint64_t at)
{
	return !list_deleted(list, by == LIST_BY_RANK ? at : list_place(list, at));
}

uint64_t list_before(const struct list *list, int by, uint64_t at)
{
	uint64_t i = at / LIST_BLOCK * LIST_BLOCK, linked;

	if (list->deleted == 0)
		return at;
	for (linked = list->before[by][at / LIST_BLOCK]; i < at; i++)
		linked += linked_at(list, by, i);
	return linked;
}

uint64_t list_linked(const struct list *list, int by, uint64_t index)
{
	const uint32_t *before = list->before[by];
	uint64_t low = 0, high = (list->groups - 1) / LIST_BLOCK, at, linked;

	if (list->deleted == 0)
		return index;
	/* The binary search finds the last block of groups that has at most `index` linked groups
	 * before it. */
	while (low < high) {
		uint64_t middle = (low + high + 1) / 2;

		if (before[middle] <= index)
			low = middle;
		else
			high = middle - 1;
	}
	at = low * LIST_BLOCK;
	for (linked = before[low]; !linked_at(list, by, at) || linked++ < index; at++)
		;
	return at;
}

uint64_t list_rank(const struct list *list, uint64_t index)
{
	return list_linked(list, LIST_BY_RANK, index / list->group) * list->group +
	       index % list->group;
}

const struct list_node *list_at(const struct list *list, uint64_t index)
{
	uint64_t rank = list_rank(list, index);

	return list->nodes + list_place(list, rank / list->group) * list->group +
	       rank % list->group;
}
