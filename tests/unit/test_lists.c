/* Lists: permutations that are computed, and the kernels that walk lists, beyond what
 * test_kernels.c asks of every kernel. */
#include "laid.h"

#include "kernels/list_lookup.h"
#include "kernels/shuffle.h"

/* ---- Permutations */

TEST(shuffles_are_permutations)
{
	static const uint64_t counts[] = { 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1000, 4096, 100003 };
	unsigned char *seen = test_malloc(100003);

	for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct shuffle shuffle = shuffle_make(counts[k], seed);

			memset(seen, 0, counts[k]);
			for (uint64_t i = 0; i < counts[k]; i++) {
				uint64_t to = shuffle_to(&shuffle, i);

				assert_true(to < counts[k]);
				assert_int_equal(seen[to], 0);
				seen[to] = 1;
				assert_int_equal(shuffle_from(&shuffle, to), i);
			}
		}
	test_free(seen);
}

/* Neighbours land anywhere: of a random permutation, one pair in 500 stays within 65 places, half
 * of them rise, and one number stays where it is. */
TEST(shuffles_scatter)
{
	const uint64_t count = 1 << 16;
	struct shuffle shuffle = shuffle_make(count, 9), other = shuffle_make(count, 10);
	int near = 0, rising = 0, alike = 0;

	for (uint64_t i = 0; i + 1 < count; i++) {
		int64_t step =
			(int64_t)shuffle_to(&shuffle, i + 1) - (int64_t)shuffle_to(&shuffle, i);

		near += step >= -65 && step <= 65;
		rising += step > 0;
		alike += shuffle_to(&shuffle, i) == shuffle_to(&other, i);
	}
	assert_in_range(near, 65, 260);
	assert_in_range(rising, 32000, 33500);
	assert_in_range(alike, 0, 12);
}

/* ---- chains */

/* A pass in pieces adds up to what a plain loop over the memory does. */
TEST(chains_add_up_all)
{
	static const struct {
		const char *setting;
		uint64_t stride;
	} rows[] = {
		{ "chains chain=sum acc=1", 1 },
		{ "chains chain=sum acc=2", 1 },
		{ "chains chain=sum acc=4", 1 },
		{ "chains chain=sum acc=8", 1 },
		{ "chains chain=load order=sequential", 2 },
		{ "chains chain=load order=random", 2 },
	};

	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		struct kernel_run run = laid(rows[r].setting);
		uint64_t sum = 0, pieces = 0, stride = rows[r].stride;

		for (uint64_t i = 0; i < run.ring; i++)
			sum += ((uint64_t *)(void *)memory)[i * stride + stride - 1];
		for (uint64_t i = 0; i < run.ring; i += 64) {
			run.kernel->call(&run, run.ring - i < 64 ? run.ring - i : 64);
			pieces += run.result;
		}
		assert_int_equal(pieces, sum);
		run.kernel->call(&run, run.ring * 2);
		assert_int_equal(run.result, 2 * sum);
	}
}

TEST(chains_refuses_what_cannot_be)
{
	struct setting setting = laid_fitted("chains acc=4", "acc");

	laid_refuses("chains acc=4", "acc=4");
	assert_int_equal(setting.v[kernel_knob(setting.kernel, "chain")], 1);
	laid_refuses("chains chain=sum order=random", "order=random");
}

/* ---- list-lookup: what is where */

/* A run at the initial setting but for these, not laid out yet. */
static struct kernel_run lookup_at(
	int form, int64_t nodes, int64_t misplaced, int64_t deleted, int64_t group)
{
	struct kernel_run run = { .kernel = kernel_find("list-lookup"),
		.memory = memory,
		.seed = LAID_SEED,
		.work.cancel = &never };

	laid_initial(run.kernel, run.v);
	run.v[LOOKUP_SIZE] = nodes * (int64_t)sizeof(struct list_node);
	run.v[LOOKUP_FORM] = form;
	run.v[LOOKUP_MISPLACED] = misplaced;
	run.v[LOOKUP_DELETED] = deleted;
	run.v[LOOKUP_GROUP] = group;
	assert_true(kernel_footprint(run.kernel, run.v) <= MEMORY);
	return run;
}

static struct list prepare(struct kernel_run *run)
{
	check_ok(kernel_check(run->kernel, run->v));
	run->layout.prepared = 0;
	check_ok(laid_prepare(run));
	return *lookup_list(run);
}

/* The list goes once through every node that is not deleted, and as many as said stand where their
 * rank is not. */
TEST(lists_are_what_their_shares_say)
{
	static const int64_t shares[] = { 0, 5, 25, 50, 100 };
	unsigned char *met = test_malloc(5000);

	for (size_t m = 0; m < sizeof(shares) / sizeof(*shares); m++)
		for (size_t d = 0; d < 4; d++)
			for (int64_t group = 0; group < 5; group++) {
				struct kernel_run run =
					lookup_at(FORM_SIMPLE, 5000, shares[m], shares[d], group);
				uint64_t linked = 0, out = 0, unlinked = 0, groups;
				struct list list = prepare(&run);

				groups = list.groups;
				memset(met, 0, 5000);
				for (const struct list_node *node = list_at(&list, 0); node;
					node = node->next) {
					uint64_t place = (uint64_t)(node - list.nodes);

					assert_true(place < list.count && !met[place]);
					met[place] = 1;
					assert_ptr_equal(node, list_at(&list, linked));
					linked++;
				}
				assert_int_equal(linked, list.linked);
				for (uint64_t i = 0; i < list.count; i++) {
					assert_int_equal(
						met[i], list.nodes[i].next != LIST_DELETED);
					unlinked += !met[i];
				}
				assert_int_equal(unlinked >> group,
					(groups * (uint64_t)shares[d] + 50) / 100);
				for (uint64_t rank = 0; rank < groups; rank++) {
					out += list_place(&list, rank) != rank;
					assert_int_equal(
						list_place(&list, list_place(&list, rank)), rank);
					assert_int_equal(
						list.nodes[list_place(&list, rank) << group].value,
						list_value(rank << group));
				}
				assert_int_equal(
					out, (groups * (uint64_t)shares[m] + 50) / 100 / 2 * 2);
			}
	test_free(met);
}

/* Lines that jumps lead to are counted: a limit may not take them for more. */
TEST(figures_know_the_lines_of_misplaced_groups)
{
	enum { NODES = 60000, LINES = NODES * sizeof(struct list_node) / 64 };
	static bool met[LINES + 1];

	for (int64_t misplaced = 5; misplaced <= 100; misplaced += misplaced < 50 ? 20 : 55)
		for (int64_t deleted = 0; deleted <= 50; deleted += 50)
			for (int64_t group = 0; group < 5; group++) {
				struct kernel_run run =
					lookup_at(group ? FORM_UNROLLED : FORM_SIMPLE, NODES,
						misplaced, deleted, group);
				double lines = 0;
				struct list list = prepare(&run);

				memset(met, 0, sizeof(met));
				for (uint64_t rank = 0; rank < list.groups; rank++) {
					const struct list_node *node =
						list.nodes + list_place(&list, rank) * list.group;
					size_t line =
						(size_t)((const unsigned char *)node - memory) / 64;

					if (list_place(&list, rank) != rank &&
						!list_deleted(&list, rank) && !met[line]) {
						met[line] = true;
						lines++;
					}
				}
				assert_int_equal(run.walk.reach[0].way, REACH_CHAINED);
				/* Of single nodes a line has two beginnings or three: the figure
				 * goes by their mean. */
				check_near(run.walk.reach[0].least / 64, lines,
					(group == 0 ? 0.1 : 0.05) * lines + 10);
				assert_true(run.walk.reach[0].least <= run.walk.reach[0].range);
			}
}

/* Counted one by one. */
TEST(linked_groups_are_counted_by_rank_and_by_place)
{
	struct kernel_run run = lookup_at(FORM_ARRAY, 4000, 30, 40, 1);
	struct list list = prepare(&run);

	for (int by = 0; by < 2; by++) {
		uint64_t linked = 0;

		for (uint64_t at = 0; at < list.groups; at++) {
			bool deleted = list_deleted(
				&list, by == LIST_BY_RANK ? at : list_place(&list, at));

			assert_int_equal(list_before(&list, by, at), linked);
			if (!deleted)
				assert_int_equal(list_linked(&list, by, linked++), at);
		}
		assert_int_equal(linked * list.group, list.linked);
	}
}

/* ---- list-lookup: what is found */

static bool in_list(const struct list *list, int32_t value)
{
	for (const struct list_node *node = list_at(list, 0); node; node = node->next)
		if (node->value == value)
			return true;
	return false;
}

static const struct {
	int form, inner;
	int64_t group;
} ways[] = { { FORM_SIMPLE, INNER_SCALAR, 0 }, { FORM_INTERLEAVED, INNER_SCALAR, 0 },
	{ FORM_INTERLEAVED, INNER_VECTOR, 0 }, { FORM_INTERLEAVED, INNER_ANY, 0 },
	{ FORM_ARRAY, INNER_SCALAR, 0 }, { FORM_INDEX, INNER_SCALAR, 0 },
	{ FORM_SIMPLE, INNER_SCALAR, 2 }, { FORM_UNROLLED, INNER_SCALAR, 1 },
	{ FORM_UNROLLED, INNER_SCALAR, 2 }, { FORM_UNROLLED, INNER_SCALAR, 3 },
	{ FORM_UNROLLED, INNER_SCALAR, 4 }, { FORM_ARRAY, INNER_SCALAR, 3 } };
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static struct kernel_run way_at(
	size_t way, int64_t values, int64_t found, int64_t misplaced, int64_t deleted)
{
	struct kernel_run run =
		lookup_at(ways[way].form, 2000, misplaced, deleted, ways[way].group);

	run.v[LOOKUP_INNER] = ways[way].inner;
	run.v[LOOKUP_VALUES] = values;
	run.v[LOOKUP_FOUND] = found;
	return run;
}

TEST(every_form_is_tried)
{
	for (int form = 0; form < FORMS; form++) {
		bool tried = false;

		for (size_t way = 0; way < WAYS; way++)
			tried |= ways[way].form == form;
		if (!tried)
			fail_msg("no way through the list has form %d", form);
	}
}

/* Every way through the list finds what a plain search finds, and that is the share that was asked
 * for. */
TEST(all_forms_find_the_same)
{
	static const int64_t counts[] = { 1, 3, 64, 130 };

	for (size_t way = 0; way < WAYS; way++)
		for (size_t c = 0; c < 4; c++)
			for (int64_t found = 0; found <= 100; found += 50)
				for (int64_t deleted = 0; deleted <= 30; deleted += 30) {
					struct kernel_run run =
						way_at(way, counts[c], found, 25, deleted);
					const struct lookup_tables *tables;
					uint64_t hits = 0;
					struct list list;

					run.v[LOOKUP_WHOLE] = 1;
					list = prepare(&run);
					tables = lookup_tables(&run);
					run.kernel->call(&run, run.ring);
					assert_int_equal(run.position, 0);
					check_ok(run.kernel->proof(&run));
					for (int64_t k = 0; k < counts[c]; k++) {
						assert_int_equal(tables->found[k] != 0,
							in_list(&list, tables->values[k]));
						hits += tables->found[k] != 0;
					}
					assert_int_equal(hits, (counts[c] * found + 50) / 100);
				}
}

/* Comparisons that a plain search value by value makes. */
static uint64_t plain_comparisons(const struct kernel_run *run, const struct list *list)
{
	const struct lookup_tables *tables = lookup_tables(run);
	uint64_t all = 0;

	for (int64_t k = 0; k < run->v[LOOKUP_VALUES]; k++)
		for (const struct list_node *node = list_at(list, 0); node; node = node->next) {
			all++;
			if (node->value == tables->values[k])
				break;
		}
	return all;
}

/* What a complete run is said to be is what a plain one takes. */
TEST(comparisons_are_counted_right)
{
	for (int64_t deleted = 0; deleted <= 30; deleted += 30)
		for (size_t way = 0; way < WAYS; way++) {
			struct kernel_run run = way_at(way, 40, 50, 25, deleted);
			struct list list = prepare(&run);
			uint64_t plain;

			plain = plain_comparisons(&run, &list);
			if (ways[way].form == FORM_INTERLEAVED)
				assert_int_equal(run.ring, 40 * list.linked);
			else if (ways[way].form == FORM_UNROLLED)
				assert_in_range(run.ring, plain, plain + 20 * (list.group - 1));
			else if (ways[way].form !=
				 FORM_ARRAY) /* which meets the nodes in another order */
				assert_int_equal(run.ring, plain);
			if (ways[way].form != FORM_INTERLEAVED)
				assert_in_range(run.ring, 25 * list.linked, 35 * list.linked);
		}
}

/* Stretches of any length, one behind the other, do what one call does. */
TEST(stretches_make_the_whole)
{
	for (size_t way = 0; way < WAYS; way++) {
		struct kernel_run run = way_at(way, 20, 50, 25, 15);
		uint64_t length = 1, walked = 0;

		prepare(&run);
		while (walked < run.ring) {
			uint64_t some = length * run.granule < run.ring - walked
						? length * run.granule
						: run.ring - walked;

			run.kernel->call(&run, some);
			walked += some;
			assert_int_equal(run.position, walked % run.ring);
			length = length * 5 / 3 + 1;
		}
		check_ok(run.kernel->proof(&run));
		/* And from anywhere in it. */
		run.kernel->begin_at(&run, 0.7);
		assert_true(run.position > run.ring / 2 && run.position % run.granule == 0);
		run.kernel->call(&run, run.ring - run.position);
		assert_int_equal(run.position, 0);
	}
}

/* A stretch writes as large a part of the index as it is of all comparisons; a complete run writes
 * all of it, first. */
TEST(an_index_is_made_on_the_way)
{
	struct kernel_run run = way_at(5, 20, 50, 25, 15);
	const struct list_node **index;
	struct list list;

	assert_int_equal(ways[5].form, FORM_INDEX);
	list = prepare(&run);
	index = lookup_index(&run);
	/* What is written next to it would be wrong if it began elsewhere. */
	run.kernel->call(&run, run.ring / 2);
	for (uint64_t i = list.linked / 2 + 2; i < list.linked; i++)
		index[i] = list.nodes;
	run.kernel->call(&run, run.ring / 4);
	for (uint64_t i = 0; i < list.linked * 3 / 4 - 2; i++)
		assert_ptr_equal(index[i], list_at(&list, i));
	assert_ptr_equal(index[list.linked - 1], list.nodes);
	run.v[LOOKUP_WHOLE] = 1;
	kernel_rewind(&run);
	run.complete = true;
	for (uint64_t i = 1; i < list.linked; i++)
		index[i] = NULL;
	/* Not by the empty call, whose time is taken off. */
	run.kernel->call(&run, 0);
	for (uint64_t i = 1; i < list.linked; i++)
		assert_null(index[i]);
	run.kernel->call(&run, run.ring);
	for (uint64_t i = 0; i < list.linked; i++)
		assert_ptr_equal(index[i], list_at(&list, i));
	check_ok(run.kernel->proof(&run));
}

/* A wrong result fails, whatever it is: a node that lost its value, one that has another's, one
 * that is passed over. */
TEST(a_wrong_result_is_noticed)
{
	for (size_t way = 0; way < WAYS; way++) {
		struct kernel_run run = way_at(way, 40, 100, 25, 0);
		struct lookup_tables *tables;
		struct list list;
		int32_t kept;

		run.v[LOOKUP_WHOLE] = 1;
		list = prepare(&run);
		tables = lookup_tables(&run);
		for (uint64_t i = 0; i < list.count; i++)
			if (list.nodes[i].value == tables->values[11])
				list.nodes[i].value = 1;
		run.kernel->call(&run, run.ring);
		check_contains(run.kernel->proof(&run).text,
			"list-lookup says that value 11 of 40 is not in the list: it is");
		prepare(&run);
		/* One that nothing looks for has a wanted value: found too early, or again. */
		kept = tables->values[3];
		run.kernel->call(&run, run.ring);
		check_ok(run.kernel->proof(&run));
		tables->values[3] = 7;
		run.kernel->call(&run, run.ring);
		assert_int_equal(run.kernel->proof(&run).code, STATUS_FAILED);
		tables->values[3] = kept;
		run.kernel->call(&run, run.ring);
		check_ok(run.kernel->proof(&run));
	}
}

/* Found before its node: no plain search would be. */
TEST(what_is_found_elsewhere_is_noticed)
{
	struct kernel_run run = way_at(0, 40, 100, 0, 0);
	struct lookup_tables *tables;
	struct list list;
	uint64_t index;

	run.v[LOOKUP_WHOLE] = 1;
	list = prepare(&run);
	tables = lookup_tables(&run);
	assert_true(lookup_hit(&run, 5, &index));
	assert_true(index > 0);
	list.nodes[0].value = tables->values[5];
	run.kernel->call(&run, run.ring);
	check_contains(run.kernel->proof(&run).text, "it is at another node");
}

/* ---- list-lookup: how it is laid out and left */

TEST(layouts_are_the_same_for_all_forms)
{
	struct kernel_run first = way_at(0, 128, 50, 25, 10);
	unsigned char *kept = test_malloc(2000 * sizeof(struct list_node));

	prepare(&first);
	memcpy(kept, memory, 2000 * sizeof(struct list_node));
	for (size_t way = 1; way < WAYS; way++) {
		struct kernel_run run = way_at(way, 50, 10, 25, 10);

		run.layout.prepared = first.layout.laid_out;
		if (ways[way].group)
			continue;
		assert_int_equal(
			kernel_layout(run.kernel, run.v), kernel_layout(first.kernel, first.v));
		/* Nothing but the index is written again. */
		memory[8] ^= 1;
		check_ok(laid_prepare(&run));
		memory[8] ^= 1;
		assert_memory_equal(memory, kept, 2000 * sizeof(struct list_node));
		check_ok(kernel_verify(&run));
	}
	test_free(kept);
}

TEST(looking_up_can_be_cancelled)
{
	const atomic_bool cancel = true;
	atomic_uint progress = 0;

	for (size_t way = 0; way < WAYS; way++) {
		struct kernel_run run = way_at(way, 128, 50, 25, 10);

		run.v[LOOKUP_SIZE] = 100000 * (int64_t)sizeof(struct list_node);
		run.v[LOOKUP_WHOLE] = 1;
		prepare(&run);
		run.work.progress = &progress;
		run.work.cancel = &cancel;
		run.kernel->call(&run, run.ring);
		assert_true(run.position < run.ring / 4);
		run.layout.prepared = run.layout.laid_out = 0;
		assert_int_equal(laid_prepare(&run).code, STATUS_CANCELLED);
		assert_int_equal(run.layout.laid_out, 0);
		run.work.cancel = &never;
		check_ok(laid_prepare(&run));
		check_ok(kernel_verify(&run));
		assert_in_range(progress, 500, 1000);
	}
}

TEST(lookup_refuses_what_cannot_be)
{
	laid_refuses("list-lookup form=unrolled", "form=unrolled");
	laid_refuses("list-lookup form=index inner=any-of", "inner=any-of");
}

RUN_TESTS(.set_up = laid_begin, .tear_down = laid_end)
