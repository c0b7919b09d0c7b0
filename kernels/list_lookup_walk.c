/* Calls the loops of list-lookup for all lookups: chooses the values to look up, starts and stops
 * after any number of comparisons, and checks the results. */
#include "kernels/list_lookup.h"

#include <string.h>

#include "base/units.h"

/* Number of comparisons between two checks for cancellation. Between two checks for cancellation,
 * the comparisons take about ten milliseconds if every load misses. */
enum { AT_ONCE = 1 << 17 };

enum { LINE = 64 };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- Memory layout */

struct list lookup_list_of(const int64_t *v, unsigned char *memory, uint64_t seed)
{
	return list_of(memory, (uint64_t)v[LOOKUP_SIZE] / sizeof(struct list_node),
		(uint64_t)1 << v[LOOKUP_GROUP], (int)v[LOOKUP_MISPLACED], (int)v[LOOKUP_DELETED],
		seed);
}

_Static_assert(sizeof(struct list) <= sizeof(((struct kernel_run *)0)->kept),
	"a run has room for its list");

const struct list *lookup_list(const struct kernel_run *run)
{
	return (const struct list *)(const void *)run->kept;
}

uint64_t lookup_tables_at(const struct list *list)
{
	return round_up(list_bytes(list), LINE);
}

uint64_t lookup_index_at(const struct list *list)
{
	return lookup_tables_at(list) + round_up(sizeof(struct lookup_tables), LINE);
}

uint64_t lookup_end(const struct list *list)
{
	return lookup_index_at(list) + list->linked * sizeof(struct list_node *);
}

struct lookup_tables *lookup_tables(const struct kernel_run *run)
{
	return (struct lookup_tables *)(void *)(run->memory + lookup_tables_at(lookup_list(run)));
}

const struct list_node **lookup_index(const struct kernel_run *run)
{
	return (const struct list_node **)(void *)(run->memory + lookup_index_at(lookup_list(run)));
}

/* ---- Values to look up */

uint64_t lookup_hits(const int64_t *v)
{
	return (uint64_t)(v[LOOKUP_VALUES] * v[LOOKUP_FOUND] + 50) / 100;
}

/* Decides which looked-up values are in the list, and in which node. The list is divided into as
 * many equal parts as there are such values, and each part holds one of them. The total length of
 * all searches therefore hardly depends on the seed. */
bool lookup_hit(const struct kernel_run *run, uint64_t k, uint64_t *index)
{
	const struct list *list = lookup_list(run);
	uint64_t hits = lookup_hits(run->v);
	struct shuffle turn = shuffle_make((uint64_t)run->v[LOOKUP_VALUES], run->seed + 2);
	struct random random = { run->seed + 3 + k };
	uint64_t stretch = shuffle_to(&turn, k), from, to;

	if (stretch >= hits)
		return false;
	from = (uint64_t)((double)list->linked / (double)hits * (double)stretch);
	to = (uint64_t)((double)list->linked / (double)hits * (double)(stretch + 1));
	*index =
		least(to > from ? from + random_below(&random, to - from) : from, list->linked - 1);
	return true;
}

/* Returns the k-th value to look up, or a value that fills the table up to whole vectors. No node
 * has an odd value. */
static int32_t value_of(const struct kernel_run *run, uint64_t k)
{
	struct random random = { run->seed + 3 + k };
	uint64_t index;

	return k < (uint64_t)run->v[LOOKUP_VALUES] && lookup_hit(run, k, &index)
		       ? list_value(list_rank(lookup_list(run), index))
		       : (int32_t)(random_next(&random) >> 33) | 1;
}

static bool by_value(const int64_t *v)
{
	return v[LOOKUP_FORM] != FORM_INTERLEAVED;
}

/* Returns the number of comparisons that the search for one value makes up to the node at position
 * `index` of the list, including that node. */
static uint64_t comparisons(const struct kernel_run *run, uint64_t index)
{
	const struct list *list = lookup_list(run);

	if (run->v[LOOKUP_FORM] == FORM_UNROLLED)
		return (index / list->group + 1) * list->group;
	if (run->v[LOOKUP_FORM] == FORM_ARRAY) {
		uint64_t place = list_place(list, list_rank(list, index) / list->group);

		return list_before(list, LIST_BY_PLACE, place) * list->group + index % list->group +
		       1;
	}
	return index + 1;
}

void lookup_fill(struct kernel_run *run)
{
	const struct list *list = lookup_list(run);
	struct lookup_tables *tables = lookup_tables(run);
	uint64_t count = (uint64_t)run->v[LOOKUP_VALUES], all = 0;

	for (uint64_t k = 0; k < LOOKUP_VALUES_MOST; k++) {
		uint64_t index;
		bool hit = k < count && lookup_hit(run, k, &index);

		tables->values[k] = value_of(run, k);
		tables->found[k] = 0;
		tables->begin[k] = all;
		if (k < count)
			all += hit ? comparisons(run, index) : list->linked;
	}
	tables->begin[count] = all;
	run->ring = by_value(run->v) ? all : list->linked * count;
}

/* ---- The walk */

/* The comparisons of all searches are numbered from 0. Returns the number of the value whose search
 * makes comparison number `position`. */
static uint64_t value_at(const struct lookup_tables *tables, uint64_t count, uint64_t position)
{
	uint64_t low = 0, high = count - 1;

	while (low < high) {
		uint64_t middle = (low + high + 1) / 2;

		if (tables->begin[middle] <= position)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* Returns the address at which the search for one value continues after it has compared `done`
 * nodes. */
static const void *cursor_at(const struct kernel_run *run, uint64_t done)
{
	const struct list *list = lookup_list(run);

	if (done >= list->linked)
		done = 0;
	if (run->v[LOOKUP_FORM] == FORM_INDEX)
		return lookup_index(run) + done;
	if (run->v[LOOKUP_FORM] != FORM_ARRAY)
		return list_at(list, done);
	/* The first node of the array may be deleted; the search along the array then skips this
	 * node. */
	return done == 0 ? list->nodes
			 : list->nodes +
				   list_linked(list, LIST_BY_PLACE, done / list->group) *
					   list->group +
				   done % list->group;
}

static void stand_at(struct kernel_run *run, uint64_t position)
{
	const struct lookup_tables *tables = lookup_tables(run);
	uint64_t count = (uint64_t)run->v[LOOKUP_VALUES];

	run->position = run->result = position;
	run->cursor = cursor_at(
		run, by_value(run->v) ? position - tables->begin[value_at(tables, count, position)]
				      : position / count);
}

void lookup_rewind(struct kernel_run *run)
{
	stand_at(run, 0);
}

void lookup_begin_at(struct kernel_run *run, double share)
{
	uint64_t turns = run->ring / run->granule, at = (uint64_t)((double)turns * share);

	/* A measurement starts at a whole iteration, because the number of comparisons of each
	 * search is a multiple of the granule. */
	stand_at(run, (at < turns ? at : 0) * run->granule);
}

/* Returns false if the lookups must stop because the run was cancelled. Only a run with whole=1
 * checks for cancellation. */
static bool goes_on(struct kernel_run *run)
{
	return !run->complete || kernel_goes_on(run, run->position, run->ring);
}

static void all_at_once(struct kernel_run *run, uint64_t elements)
{
	const struct list *list = lookup_list(run);
	struct lookup_tables *tables = lookup_tables(run);
	struct lookup_walk walk = { .cursor = run->cursor,
		.values = tables->values,
		.found = tables->found,
		.count = (uint64_t)run->v[LOOKUP_VALUES] };
	uint64_t nodes = elements / walk.count;

	while (nodes > 0) {
		uint64_t some = least(least(nodes, AT_ONCE / walk.count),
			list->linked - run->position / walk.count);

		walk.left = some;
		((lookup_loop *)run->code.start)(&walk);
		nodes -= some;
		run->position += some * walk.count;
		if (run->position == run->ring) {
			run->position = 0;
			walk.cursor = cursor_at(run, 0);
		}
		if (nodes > 0 && !goes_on(run))
			break;
	}
	run->cursor = walk.cursor;
}

static void one_by_one(struct kernel_run *run, uint64_t elements)
{
	const struct list *list = lookup_list(run);
	struct lookup_tables *tables = lookup_tables(run);
	uint64_t count = (uint64_t)run->v[LOOKUP_VALUES], each = run->granule,
		 k = value_at(tables, count, run->position);
	uint64_t done = run->position - tables->begin[k];
	const void *first = cursor_at(run, 0);
	struct lookup_walk walk = { .cursor = run->cursor };

	while (elements > 0) {
		uint64_t most = least(least(elements, AT_ONCE), list->linked - done);
		bool found;

		walk.left = most / each;
		walk.wanted = tables->values[k];
		found = ((lookup_loop *)run->code.start)(&walk);
		most -= walk.left * each - (found ? each : 0);
		done += most;
		elements -= most;
		if (found || done == list->linked) {
			if (found)
				tables->found[k] = tables->begin[k] + done == tables->begin[k + 1]
							   ? 1
							   : LOOKUP_WRONG;
			k = k + 1 < count ? k + 1 : 0;
			done = 0;
			walk.cursor = first;
		}
		run->position = tables->begin[k] + done;
		if (elements > 0 && !goes_on(run))
			break;
	}
	run->cursor = walk.cursor;
}

/* Writes `count` (> 0) entries of the index by following the list. The caller must set index[0],
 * which is the node at which the entries begin. */
static __attribute__((noinline)) void lookup_index_nodes(
	const struct list_node **index, uint64_t count)
{
	const struct list_node *node = *index;

	do {
		*index++ = node;
		node = node->next;
		KERNEL_KEEP(node);
	} while (--count);
}

/* Builds the index, as part of the timed call. With whole=1, a call that makes all lookups first
 * builds the whole index; the empty call builds nothing. Otherwise, a call builds a share of the
 * index that equals its share of all comparisons. */
static void make_index(struct kernel_run *run, uint64_t elements)
{
	const struct list *list = lookup_list(run);
	const struct list_node **index = lookup_index(run);
	double each = (double)list->linked / (double)run->ring;
	uint64_t from = (uint64_t)((double)run->position * each),
		 to = (uint64_t)((double)(run->position + elements) * each);

	if (run->complete) {
		from = 0;
		to = run->position == 0 && elements > 0 ? list->linked : 0;
	}
	while (from < to) {
		uint64_t at = from % list->linked,
			 some = least(least(to - from, list->linked - at), AT_ONCE);

		lookup_index_nodes(index + at, some);
		from += some;
		if (from < to && !goes_on(run))
			break;
	}
}

void lookup_call(struct kernel_run *run, uint64_t elements)
{
	if (run->complete && run->position == 0 && elements > 0)
		memset(lookup_tables(run)->found, 0, sizeof(((struct lookup_tables *)0)->found));
	if (run->v[LOOKUP_FORM] == FORM_INDEX)
		make_index(run, elements);
	if (by_value(run->v))
		one_by_one(run, elements);
	else
		all_at_once(run, elements);
	run->result = run->position;
}

/* ---- Checks */

enum { LOOKED_AT = 512, STRETCH = 1024 };

static struct status check_group(const struct kernel_run *run, uint64_t rank)
{
	const struct list *list = lookup_list(run);
	uint64_t place = list_place(list, rank);
	struct list_node right[LIST_GROUP_MOST];

	list_group(list, rank, right);
	if (memcmp(list->nodes + place * list->group, right, list->group * sizeof(*right)) == 0)
		return status_ok();
	return status_failed(
		"list-lookup: the nodes of group %llu of the list have a wrong content at "
		"place %llu of %llu in memory",
		(unsigned long long)rank, (unsigned long long)place,
		(unsigned long long)run->v[LOOKUP_SIZE] / sizeof(*right));
}

/* Returns whether the comparisons with numbers from `from` to `to` must find the k-th value. */
static bool found_between(const struct kernel_run *run, uint64_t k, uint64_t from, uint64_t to)
{
	const struct lookup_tables *tables = lookup_tables(run);
	uint64_t count = (uint64_t)run->v[LOOKUP_VALUES], index, at;

	if (!lookup_hit(run, k, &index))
		return false;
	at = by_value(run->v) ? tables->begin[k + 1] - 1 : index * count + k;
	return (at >= from && at < to) || at + run->ring < to;
}

/* Makes `elements` comparisons from comparison number `from` on. Checks that these comparisons end
 * at the right position and find the right values. */
static struct status check_stretch(struct kernel_run *run, uint64_t from, uint64_t elements)
{
	struct lookup_tables *tables = lookup_tables(run);
	uint64_t count = (uint64_t)run->v[LOOKUP_VALUES], to = from + elements;
	const void *cursor;

	memset(tables->found, 0, sizeof(tables->found));
	stand_at(run, from);
	lookup_call(run, elements);
	cursor = run->cursor;
	if (run->position != to % run->ring)
		return status_failed("list-lookup: %llu comparisons of nodes from number %llu on "
				     "end at number %llu",
			(unsigned long long)elements, (unsigned long long)from,
			(unsigned long long)run->position);
	for (uint64_t k = 0; k < count; k++)
		if ((tables->found[k] != 0) != found_between(run, k, from, to) ||
			tables->found[k] == LOOKUP_WRONG)
			return status_failed(
				"list-lookup: value %llu of %llu was %s found in comparisons %llu "
				"to %llu",
				(unsigned long long)k, (unsigned long long)count,
				tables->found[k] ? "wrongly" : "not", (unsigned long long)from,
				(unsigned long long)to);
	stand_at(run, run->position);
	if (run->v[LOOKUP_FORM] != FORM_ARRAY && cursor != run->cursor)
		return status_failed(
			"list-lookup: the loop stopped at another node than the list's order says");
	return status_ok();
}

/* Checks the values to look up, and a sample of the nodes of the list and the index. */
static struct status check_data(const struct kernel_run *run)
{
	const struct list *list = lookup_list(run);
	const struct lookup_tables *tables = lookup_tables(run);
	uint64_t groups = least(LOOKED_AT, list->groups);

	for (uint64_t i = 0; i < 2 * groups; i++) {
		struct status status =
			check_group(run, i < groups ? i : list->groups - 1 - (i - groups));

		if (!status_is_ok(&status))
			return status;
	}
	for (uint64_t k = 0; k < (uint64_t)run->v[LOOKUP_VALUES]; k++)
		if (tables->values[k] != value_of(run, k))
			return status_failed("list-lookup: number %llu of the values to look up is "
					     "wrong in memory",
				(unsigned long long)k);
	for (uint64_t i = 0; run->v[LOOKUP_FORM] == FORM_INDEX && i < LOOKED_AT && i < list->linked;
		i++)
		if (lookup_index(run)[i] != list_at(list, i))
			return status_failed(
				"list-lookup: entry %llu of the index points to a wrong node",
				(unsigned long long)i);
	return status_ok();
}

/* Checks the data, then several series of comparisons. One series begins at the first comparison,
 * one continues from the last to the first comparison, and some continue from the search for one
 * value to the next. */
struct status lookup_verify(struct kernel_run *run)
{
	struct lookup_tables *tables = lookup_tables(run);
	uint64_t each = run->granule, half = round_up(least(STRETCH, run->ring / 2) / 2 + 1, each);
	uint64_t walks = by_value(run->v) ? least(4, (uint64_t)run->v[LOOKUP_VALUES]) : 0;
	bool complete = run->complete;
	struct status status = check_data(run);

	run->complete = false;
	for (uint64_t i = 0; i < 2 + walks && status_is_ok(&status); i++) {
		uint64_t end = i < 2 ? run->ring : tables->begin[i - 1];

		status = check_stretch(run, i == 0 ? 0 : end - least(half, end), 2 * half);
	}
	run->complete = complete;
	memset(tables->found, 0, sizeof(tables->found));
	return status;
}

struct status lookup_proof(struct kernel_run *run)
{
	struct lookup_tables *tables = lookup_tables(run);
	uint64_t count = (uint64_t)run->v[LOOKUP_VALUES], index;

	for (uint64_t k = 0; k < count; k++) {
		bool hit = lookup_hit(run, k, &index);

		if ((tables->found[k] != 0) != hit || tables->found[k] == LOOKUP_WRONG)
			return status_failed(
				"list-lookup says that value %llu of %llu is %s the list: %s",
				(unsigned long long)k, (unsigned long long)count,
				tables->found[k] ? "in" : "not in",
				tables->found[k] == LOOKUP_WRONG ? "it is at another node"
				: hit				 ? "it is"
								 : "it is not");
	}
	return status_ok();
}
