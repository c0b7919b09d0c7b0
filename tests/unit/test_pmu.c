/* Which PMU serves a processor, told by trees of made-up machines. */
#include "check.h"

#include "engine/counters/pmu.h"
#include "tree.h"

#define DEVICES "/sys/bus/event_source/devices/"

static struct pmu pmu;

static void find(int cpu)
{
	pmu_find(&pmu, tree.root, cpu);
}

static void check_words(const char *expected)
{
	char words[160];

	pmu_words(&pmu, words, sizeof(words));
	assert_string_equal(words, expected);
}

TEST(nothing_is_known_of_an_empty_tree)
{
	find(0);
	assert_string_equal(pmu.name, "");
	assert_string_equal(pmu.others, "");
	assert_int_equal(pmu.type, 4);
	assert_int_equal(pmu.paranoid, -9);
	assert_int_equal(pmu.nmi_watchdog, -1);
	assert_int_equal(pmu.user_access, -1);
	assert_int_equal(pmu.rdpmc, -1);
	assert_int_equal(pmu.guest, -1);
	check_words("");
}

TEST(one_kind_of_processor)
{
	tree_load("pmu", "one kind of processor");
	find(3);
	assert_string_equal(pmu.name, "cpu");
	assert_int_equal(pmu.type, 4);
	assert_false(pmu.extended);
	assert_false(pmu.arm);
	assert_int_equal(pmu.rdpmc, 1);
	assert_int_equal(pmu.paranoid, -1);
	assert_int_equal(pmu.nmi_watchdog, 1);
	assert_int_equal(pmu.user_read, 0);
	check_words("counts on cpu");
}

TEST(two_kinds_on_x86)
{
	tree_load("pmu", "two kinds on x86");
	find(2);
	assert_string_equal(pmu.name, "cpu_core");
	assert_int_equal(pmu.type, 4);
	assert_true(pmu.extended);
	check_words("counts on cpu_core (processors 0-15), not on cpu_atom 16-23");
	find(20);
	assert_string_equal(pmu.name, "cpu_atom");
	assert_int_equal(pmu.type, 10);
	assert_true(pmu.extended);
	/* On none of them. */
	find(99);
	assert_string_equal(pmu.name, "");
}

TEST(arm_lists_its_processors_always)
{
	tree_load("pmu", "arm lists its processors always");
	find(1);
	assert_string_equal(pmu.name, "armv8_pmuv3_0");
	assert_int_equal(pmu.type, 8);
	assert_true(pmu.arm);
	assert_false(pmu.extended);
	assert_int_equal(pmu.user_access, 0);
	assert_int_equal(pmu.user_read, 0);
	tree_put("/proc/sys/kernel/perf_user_access", "1\n");
	find(1);
	assert_int_equal(pmu.user_read, 2);
}

TEST(apple_counts_by_numbers_of_its_own)
{
	tree_load("pmu", "apple counts by numbers of its own");
	find(5);
	assert_string_equal(pmu.name, "apple_firestorm_pmu");
	assert_int_equal(pmu.type, 9);
	assert_true(pmu.extended);
	assert_false(pmu.arm);
}

/* A virtual machine that was given efficient cores alone. */
TEST(half_a_hybrid_names_its_pmu)
{
	tree_load("pmu", "half a hybrid names its pmu");
	find(0);
	assert_int_equal(pmu.type, 10);
	assert_true(pmu.extended);
}

TEST(odd_files_are_no_facts)
{
	tree_load("pmu", "odd files are no facts");
	find(0);
	assert_string_equal(pmu.name, "");
	tree_load("pmu", "odd files are no facts 2");
	find(0);
	assert_string_equal(pmu.name, "armv8_pmuv3_0");
	assert_int_equal(pmu.type, 4);
	assert_int_equal(pmu.user_read, 0);
}

TEST(lists_hold_numbers)
{
	static const struct {
		const char *list;
		int number;
		bool held;
	} rows[] = { { "0-7,9", 0, true }, { "0-7,9", 7, true }, { "0-7,9", 9, true },
		{ "0-7,9", 8, false }, { "", 0, false }, { "x", 0, false }, { "1-", 1, false },
		{ "3;4", 4, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(pmu_list_holds(rows[i].list, rows[i].number), rows[i].held);
}

RUN_TESTS(.each_set_up = tree_begin, .each_tear_down = tree_end)
