/* Which PMU serves a processor, told by trees of made-up machines. */
#include "check.h"

#include "engine/counters/pmu.h"
#include "tree.h"

#define DEVICES "/sys/bus/event_source/devices/"

static int setup(void **state)
{
	*state = tree_new();
	return 0;
}

static int teardown(void **state)
{
	tree_free(*state);
	return 0;
}

TEST_WITH(nothing_is_known_of_an_empty_tree, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;
	char words[160];

	pmu_find(&pmu, tree->root, 0);
	assert_string_equal(pmu.name, "");
	assert_string_equal(pmu.others, "");
	assert_int_equal(pmu.type, 4);
	assert_int_equal(pmu.paranoid, -9);
	assert_int_equal(pmu.nmi_watchdog, -1);
	assert_int_equal(pmu.user_access, -1);
	assert_int_equal(pmu.rdpmc, -1);
	assert_int_equal(pmu.guest, -1);
	pmu_words(&pmu, words, sizeof(words));
	assert_string_equal(words, "");
}

TEST_WITH(one_kind_of_processor, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;
	char words[160];

	tree_put(tree, DEVICES "cpu/type", "4\n");
	tree_put(tree, DEVICES "cpu/rdpmc", "1\n");
	tree_put(tree, DEVICES "uncore_imc_0/type", "12\n");
	tree_put(tree, DEVICES "uncore_imc_0/cpumask", "0\n");
	tree_put(tree, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	tree_put(tree, "/proc/sys/kernel/nmi_watchdog", "1\n");
	pmu_find(&pmu, tree->root, 3);
	assert_string_equal(pmu.name, "cpu");
	assert_int_equal(pmu.type, 4);
	assert_false(pmu.extended);
	assert_false(pmu.arm);
	assert_int_equal(pmu.rdpmc, 1);
	assert_int_equal(pmu.paranoid, -1);
	assert_int_equal(pmu.nmi_watchdog, 1);
	assert_int_equal(pmu.user_read, 0);
	pmu_words(&pmu, words, sizeof(words));
	assert_string_equal(words, "counts on cpu");
}

TEST_WITH(two_kinds_on_x86, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;
	char words[160];

	tree_put(tree, DEVICES "cpu_core/type", "4\n");
	tree_put(tree, DEVICES "cpu_core/cpus", "0-15\n");
	tree_put(tree, DEVICES "cpu_atom/type", "10\n");
	tree_put(tree, DEVICES "cpu_atom/cpus", "16-23\n");
	pmu_find(&pmu, tree->root, 2);
	assert_string_equal(pmu.name, "cpu_core");
	assert_int_equal(pmu.type, 4);
	assert_true(pmu.extended);
	pmu_words(&pmu, words, sizeof(words));
	assert_string_equal(words, "counts on cpu_core (processors 0-15), not on cpu_atom 16-23");
	pmu_find(&pmu, tree->root, 20);
	assert_string_equal(pmu.name, "cpu_atom");
	assert_int_equal(pmu.type, 10);
	assert_true(pmu.extended);
	/* On none of them. */
	pmu_find(&pmu, tree->root, 99);
	assert_string_equal(pmu.name, "");
}

TEST_WITH(arm_lists_its_processors_always, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;

	tree_put(tree, DEVICES "armv8_pmuv3_0/type", "8\n");
	tree_put(tree, DEVICES "armv8_pmuv3_0/cpus", "0-3\n");
	tree_put(tree, DEVICES "armv8_pmuv3_0/format/rdpmc", "config1:1\n");
	tree_put(tree, DEVICES "arm_dsu_0/associated_cpus", "0-3\n");
	tree_put(tree, "/proc/sys/kernel/perf_user_access", "0\n");
	pmu_find(&pmu, tree->root, 1);
	assert_string_equal(pmu.name, "armv8_pmuv3_0");
	assert_int_equal(pmu.type, 8);
	assert_true(pmu.arm);
	assert_false(pmu.extended);
	assert_int_equal(pmu.user_access, 0);
	assert_int_equal(pmu.user_read, 0);
	tree_put(tree, "/proc/sys/kernel/perf_user_access", "1\n");
	pmu_find(&pmu, tree->root, 1);
	assert_int_equal(pmu.user_read, 2);
}

TEST_WITH(apple_counts_by_numbers_of_its_own, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;

	tree_put(tree, DEVICES "apple_icestorm_pmu/type", "8\n");
	tree_put(tree, DEVICES "apple_icestorm_pmu/cpus", "0-3\n");
	tree_put(tree, DEVICES "apple_firestorm_pmu/type", "9\n");
	tree_put(tree, DEVICES "apple_firestorm_pmu/cpus", "4-7\n");
	pmu_find(&pmu, tree->root, 5);
	assert_string_equal(pmu.name, "apple_firestorm_pmu");
	assert_int_equal(pmu.type, 9);
	assert_true(pmu.extended);
	assert_false(pmu.arm);
}

/* A virtual machine that was given efficient cores alone. */
TEST_WITH(half_a_hybrid_names_its_pmu, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;

	tree_put(tree, DEVICES "cpu_atom/type", "10\n");
	tree_put(tree, DEVICES "cpu_atom/cpus", "0-3\n");
	pmu_find(&pmu, tree->root, 0);
	assert_int_equal(pmu.type, 10);
	assert_true(pmu.extended);
}

TEST_WITH(odd_files_are_no_facts, setup, teardown)
{
	struct tree *tree = *state;
	struct pmu pmu;

	tree_put(tree, DEVICES "armv8_pmuv3_0/type", "eight\n");
	tree_put(tree, DEVICES "armv8_pmuv3_0/cpus", "0-\n");
	pmu_find(&pmu, tree->root, 0);
	assert_string_equal(pmu.name, "");
	tree_put(tree, DEVICES "armv8_pmuv3_0/cpus", "0\n");
	tree_put(tree, DEVICES "armv8_pmuv3_0/format/rdpmc", "config1:99\n");
	tree_put(tree, "/proc/sys/kernel/perf_user_access", "1\n");
	pmu_find(&pmu, tree->root, 0);
	assert_string_equal(pmu.name, "armv8_pmuv3_0");
	assert_int_equal(pmu.type, 4);
	assert_int_equal(pmu.user_read, 0);
}

TEST(lists_hold_numbers)
{
	assert_true(pmu_list_holds("0-7,9", 0));
	assert_true(pmu_list_holds("0-7,9", 7));
	assert_true(pmu_list_holds("0-7,9", 9));
	assert_false(pmu_list_holds("0-7,9", 8));
	assert_false(pmu_list_holds("", 0));
	assert_false(pmu_list_holds("x", 0));
	assert_false(pmu_list_holds("1-", 1));
	assert_false(pmu_list_holds("3;4", 4));
}

RUN_TESTS()
