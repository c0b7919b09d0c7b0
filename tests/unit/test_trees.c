/* tree-lookup: every tree holds its keys where they belong, and every way to look them up finds the
 * same. */
#include "laid.h"

#include <math.h>

#include "base/random.h"
#include "kernels/tree.h"

enum { SMALL = 48 << 10 };

static const struct kernel *kernel;

static int setup(void **state)
{
	kernel = kernel_find("tree-lookup");
	return kernel ? laid_begin(state) : -1;
}

static void initial(int64_t *v)
{
	laid_initial(kernel, v);
	v[TREE_SIZE] = SMALL;
}

static bool allowed(const int64_t *v)
{
	return kernel_check(kernel, v).code == STATUS_OK;
}

/* The next layout that the knobs allow, from { 0 } on; false: that was the last. */
static bool next_layout(int64_t *v)
{
	do {
		if (++v[TREE_ORDER] > ORDER_SORTED) {
			v[TREE_ORDER] = 0;
			if (++v[TREE_KEYS] == KEYS_CHOICES) {
				v[TREE_KEYS] = 0;
				if (v[TREE_BALANCED]-- == 0) {
					v[TREE_BALANCED] = 1;
					if (++v[TREE_BARE] > 1)
						return false;
				}
			}
		}
		v[TREE_CHILD] = v[TREE_BARE] ? CHILD_COMPUTED : CHILD_POINTER;
	} while (!allowed(v));
	return true;
}

/* In order through the pointers: the next key is the next larger one, and stands where it is said
 * to. Returns the height. */
static unsigned in_order(const struct tree *tree, const uint64_t *node, uint64_t *rank)
{
	unsigned height = 0;

	if (node == (const uint64_t *)(const void *)memory + tree->nodes * tree->words)
		return 0;
	for (unsigned child = 0; child <= tree->keys; child++) {
		unsigned below =
			in_order(tree, (const uint64_t *)(uintptr_t)node[tree->keys + child], rank);

		height = below > height ? below : height;
		if (child == tree->keys)
			break;
		assert_int_equal(node[child], asked_present(*rank));
		assert_int_equal((uint64_t)((const unsigned char *)node - memory),
			tree_place(tree, *rank) * tree->words * 8);
		++*rank;
	}
	return height + 1;
}

TEST(every_key_has_its_place)
{
	int64_t v[KNOBS_MAX];
	int layouts = 0;

	initial(v);
	do {
		for (v[TREE_SIZE] = 1536; v[TREE_SIZE] < 40000;
			v[TREE_SIZE] = v[TREE_SIZE] * 5 / 4 + 24) {
			struct kernel_run run;
			struct tree tree = tree_make(v, LAID_SEED);
			uint64_t rank = 0;

			laid_at(kernel, v, &run);
			assert_int_equal(run.layout.laid_out, kernel_footprint(kernel, v));
			assert_true(run.layout.laid_out <= (uint64_t)v[TREE_SIZE]);
			for (uint64_t node = 0; v[TREE_BALANCED] && node < tree.nodes; node++)
				for (unsigned slot = 0, found; slot < tree.keys; slot++) {
					uint64_t at = tree_rank(&tree, node, slot);

					assert_true(at < tree_keys(&tree));
					assert_int_equal(tree_node_of(&tree, at, &found), node);
					assert_int_equal(found, slot);
				}
			if (v[TREE_BARE])
				continue;
			assert_int_equal(in_order(&tree, tree_root(&tree, memory), &rank),
				tree_height(&tree, memory));
			assert_int_equal(rank, tree_keys(&tree));
		}
		layouts++;
	} while (next_layout(v));
	/* Three orders of one key and two of more; two without balance; without pointers, level
	 * order, and sorted of one key. */
	assert_int_equal(layouts, 3 + 3 * 2 + 2 + 4 + 1);
}

/* Random insertion: the mean depth of a key is 2 (1 + 1/n) H(n) - 3 below the root, the height
 * about 4.3 ln n. */
TEST(without_balance_trees_are_deeper)
{
	int64_t v[KNOBS_MAX];
	struct kernel_run run;
	struct tree tree;
	double harmonic = 0, visited = 0, count, wanted;

	initial(v);
	v[TREE_SIZE] = MEMORY;
	v[TREE_BALANCED] = 0;
	laid_at(kernel, v, &run);
	tree = tree_make(v, LAID_SEED);
	count = (double)tree.nodes;
	for (double i = 1; i <= count; i++)
		harmonic += 1 / i;
	for (uint64_t rank = 0; rank < tree.nodes; rank++) {
		const uint64_t *node = tree_root(&tree, memory);
		uint64_t key = asked_present(rank);

		for (visited++; *node != key; visited++)
			node = (const uint64_t *)(uintptr_t)node[key < *node ? 1 : 2];
	}
	visited /= count;
	wanted = 2 * (1 + 1 / count) * harmonic - 3;
	check_near(visited, wanted, 0.08 * wanted);
	assert_in_range(tree_height(&tree, memory), 2 * log2(count), 3.2 * log2(count));
	/* What the figures say of it. */
	wanted = 0;
	for (int i = 0; i < run.walk.reaches; i++)
		wanted += run.walk.reach[i].lines;
	check_near(wanted, visited, 0.05 * visited);
	check_near(run.walk.mispredicts * 2, visited, 0.05 * visited);
}

/* The place of each key, as it stands in memory. */
static void places(const struct tree *tree, uint64_t *place)
{
	const uint64_t *nodes = (const uint64_t *)(const void *)memory;

	for (uint64_t node = 0; node < tree->nodes; node++)
		for (unsigned slot = 0; slot < tree->keys; slot++)
			place[asked_rank(nodes[node * tree->words + slot])] = node;
}

static uint64_t plain(const int64_t *v, const struct tree *tree, const uint64_t *place,
	uint64_t from, uint64_t count)
{
	struct asked asked = asked_make(LAID_SEED, tree_keys(tree), v[TREE_FOUND]);
	uint64_t found = 0, sum = 0;

	for (uint64_t i = from; i < from + count; i++) {
		uint64_t key = asked_key(&asked, i);

		found += asked_is_there(key);
		sum += asked_is_there(key) ? place[asked_rank(key)] : 0;
	}
	return asked_result(found, sum);
}

/* All of one call, and in stretches of any length, and of any share of keys that are there. */
TEST(every_way_finds_the_same)
{
	static const int64_t at_once[] = { 1, 2, 3, 16, 63, 64 };
	static uint64_t place[SMALL / 8];
	struct random random = { 3 };
	int64_t v[KNOBS_MAX];
	int ways = 0;

	initial(v);
	do {
		for (int way = 0; way < 4 * 6; way++) {
			struct kernel_run run;
			struct tree tree;
			uint64_t count, found = 0, sum = 0;
			int64_t with = v[TREE_CHILD];

			v[TREE_FORM] = way % 2;
			v[TREE_CHILD] = way / 2 % 2;
			v[TREE_LOOKUPS] = at_once[way / 4];
			v[TREE_FOUND] = (int64_t)random_below(&random, 21) * 5;
			/* Full last levels, and any. */
			v[TREE_SIZE] = way % 3 ? 1536 + (int64_t)random_below(&random, SMALL - 1536)
					       : SMALL;
			if (allowed(v)) {
				laid_at(kernel, v, &run);
				tree = tree_make(v, LAID_SEED);
				places(&tree, place);
				count = 700 / run.granule * run.granule;
				kernel->call(&run, count);
				if (run.result != plain(v, &tree, place, 0, count))
					fail_msg("order %d keys %d balanced %d bare %d child %d "
						 "form %d lookups %d found %d",
						(int)v[TREE_ORDER], (int)v[TREE_KEYS],
						(int)v[TREE_BALANCED], (int)v[TREE_BARE],
						(int)v[TREE_CHILD], (int)v[TREE_FORM],
						(int)v[TREE_LOOKUPS], (int)v[TREE_FOUND]);
				kernel_rewind(&run);
				for (uint64_t left = count; left > 0; left -= count) {
					count = (1 + random_below(&random, 5)) * run.granule;
					count = count < left ? count : left;
					kernel->call(&run, count);
					found += asked_found(run.result);
					sum += asked_places(run.result);
				}
				assert_int_equal(asked_result(found, sum),
					plain(v, &tree, place, 0, 700 / run.granule * run.granule));
				check_ok(kernel_verify(&run));
				ways++;
			}
			v[TREE_CHILD] = with;
		}
	} while (next_layout(v));
	/* 11 layouts have pointers, 6 of those without can also be computed as well as the 5 that
	 * are bare; two forms each. */
	assert_int_equal(ways, (11 + 5 + 5) * 2 * 6);
}

/* The key of rank 0 is written as 1 when three quarters of the nodes are there: the flag that stops
 * it. */
TEST(stopped_half_way_it_goes_on)
{
	for (int balanced = 0; balanced < 2; balanced++) {
		struct setting setting =
			laid_setting(balanced ? "tree-lookup size=4m order=level"
					      : "tree-lookup size=4m balanced=0 order=sorted");
		struct kernel_run run = laid_run(kernel, setting.v);
		struct tree tree = tree_make(run.v, LAID_SEED);
		atomic_uint progress = 0;

		memset(memory, 0, MEMORY);
		run.work.cancel =
			(const atomic_bool *)(const void *)(memory +
							    tree_place(&tree, 0) * tree.words * 8);
		run.work.progress = &progress;
		assert_int_equal(laid_prepare(&run).code, STATUS_CANCELLED);
		assert_in_range(progress, 1, 999);
		if (balanced)
			assert_true(run.layout.laid_out > MEMORY / 2 &&
				    run.layout.laid_out < MEMORY - 65536);
		else
			assert_int_equal(run.layout.laid_out, 0); /* begins again */
		run.layout.prepared = run.layout.laid_out;
		run.work.cancel = &never;
		check_ok(laid_prepare(&run));
		assert_int_equal(run.layout.laid_out, kernel_footprint(kernel, run.v));
		check_ok(kernel_verify(&run));
	}
}

/* What is laid out for a few lookups is enough for them, whatever else the memory holds. */
TEST(samples_have_what_they_meet)
{
	enum { LOOKUPS = 24 };
	int64_t v[KNOBS_MAX];

	initial(v);
	v[TREE_FOUND] = 50;
	do {
		struct kernel_run run;
		uint64_t result;

		int64_t with = v[TREE_CHILD];

		if (!v[TREE_BALANCED])
			continue;
		for (int way = 0; way < 4; way++) {
			v[TREE_FORM] = way % 2;
			v[TREE_CHILD] = way / 2;
			if (!allowed(v))
				continue;
			v[TREE_SIZE] = SMALL + 200;
			laid_at(kernel, v, &run);
			kernel->call(&run, LOOKUPS);
			result = run.result;
			memset(memory, 0xaa, SMALL + 200);
			run = laid_run(kernel, v);
			run.layout.sample = LOOKUPS;
			check_ok(laid_prepare(&run));
			kernel->call(&run, LOOKUPS);
			assert_int_equal(run.result, result);
		}
		v[TREE_FORM] = 0;
		v[TREE_CHILD] = with;
	} while (next_layout(v));
}

/* What each search meets, counted: as the figures say, level by level. */
TEST(figures_are_those_of_the_walk)
{
	int64_t v[KNOBS_MAX];

	initial(v);
	for (v[TREE_FOUND] = 0; v[TREE_FOUND] <= 100; v[TREE_FOUND] += 50)
		for (v[TREE_SIZE] = 30000; v[TREE_SIZE] < 50000; v[TREE_SIZE] += 7000) {
			enum { LOOKUPS = 20000 };
			struct kernel_run run;
			struct tree tree = tree_make(v, LAID_SEED);
			struct asked asked = asked_make(LAID_SEED, tree_keys(&tree), v[TREE_FOUND]);
			double met[KERNEL_REACHES] = { 0 };

			laid_at(kernel, v, &run);
			assert_int_equal(run.walk.reaches, tree.levels);
			for (int i = 0; i < LOOKUPS; i++) {
				uint64_t key = asked_key(&asked, (uint64_t)i), at = 0;

				for (int level = 0; at < tree.nodes; level++) {
					uint64_t here = asked_present(tree_rank(&tree, at, 0));

					met[level]++;
					if (key == here)
						break;
					at = 2 * at + (key < here ? 1 : 2);
				}
			}
			for (int level = 0; level < run.walk.reaches; level++) {
				check_near(run.walk.reach[level].lines, met[level] / LOOKUPS, 0.02);
				assert_true(run.walk.reach[level].range <=
					    (double)kernel_footprint(kernel, v));
				assert_true(level == 0 || run.walk.reach[level].range >
								  run.walk.reach[level - 1].range);
			}
		}
}

/* All lookups at once: what was found is proved by what is known of the keys, and a wrong number is
 * not. */
TEST(whole_runs_are_proved)
{
	struct kernel_run run = laid("tree-lookup size=1536 child=computed order=level "
				     "form=branch-free found=50 whole=1");

	assert_true(run.complete);
	assert_int_equal(run.ring, 16 << 20);
	kernel->call(&run, 0);
	kernel_rewind(&run);
	kernel->call(&run, run.ring);
	check_ok(kernel->proof(&run));
	run.result += (uint64_t)1 << 38;
	assert_int_equal(kernel->proof(&run).code, STATUS_FAILED);
	check_contains(kernel->proof(&run).text, "tree-lookup found 83");
}

TEST(what_cannot_be_is_named)
{
	laid_refuses("tree-lookup child=computed", "child=computed");
	laid_refuses("tree-lookup bare=1", "bare=1");
	laid_refuses("tree-lookup balanced=0 keys=7", "balanced=0 7");
	laid_refuses("tree-lookup keys=3 order=sorted", "order=sorted 3");
}

RUN_TESTS(.set_up = setup, .tear_down = laid_end)
