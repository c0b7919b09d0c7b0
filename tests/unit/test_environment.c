#include "check.h"

#include <errno.h>

#include "engine/machine/environment.h"
#include "tree.h"

static struct environment env;
static struct cpu_times times;

TEST(knows_nothing_of_an_empty_tree)
{
	environment_read(&env, tree.root);
	environment_read_core(&env, tree.root, 0);
	assert_int_equal(env.paranoid, -9);
	assert_int_equal(env.turbo, -1);
	assert_int_equal(env.smt, -1);
	assert_int_equal(env.hypervisor, -1);
	assert_true(isnan(env.quota));
	assert_true(isnan(env.load));
	assert_int_equal(env.memory_total, -1);
	assert_int_equal(env.memory_available, -1);
	assert_int_equal(env.memory_limit, -1);
	assert_int_equal(env.locked_limit, -1);
	assert_int_equal(env.huge_reserved, -1);
	assert_string_equal(env.governor, "");
	assert_string_equal(env.thp, "");
	assert_string_equal(env.allowed, "");
	assert_false(env.container);
	environment_times(&times, tree.root, 0);
	assert_false(times.known);
}

TEST(reads_a_server)
{
	tree_load("environment", "reads a server");

	environment_read(&env, tree.root);
	environment_read_core(&env, tree.root, 3);
	assert_int_equal(env.paranoid, 4);
	assert_int_equal(env.hypervisor, 0);
	assert_string_equal(env.hypervisor_name, "");
	assert_int_equal(env.memory_total, 65536000ll << 10);
	assert_int_equal(env.memory_available, 32768000ll << 10);
	assert_int_equal(env.memory_limit, -1);
	assert_int_equal(env.huge_reserved, 16);
	assert_int_equal(env.huge_free, 8);
	assert_string_equal(env.allowed, "0-5,8,10-11");
	assert_int_equal(environment_list_count(env.allowed), 9);
	assert_int_equal(env.locked_limit, 65536);
	check_near(env.quota, 1.5, 1e-9);
	check_near(env.load, 3.25, 1e-9);
	assert_string_equal(env.governor, "powersave");
	assert_string_equal(env.frequency_driver, "intel_pstate");
	assert_string_equal(env.siblings, "3,19");
	assert_int_equal(env.turbo, 0);
	assert_int_equal(env.smt, 1);
	assert_string_equal(env.isolated, "");
	assert_string_equal(env.thp, "madvise");
	assert_string_equal(env.clocksource, "tsc");
}

TEST(reads_a_guest)
{
	tree_load("environment", "reads a guest");
	environment_read(&env, tree.root);
	assert_int_equal(env.hypervisor, 1);
	assert_string_equal(env.hypervisor_name, "KVM (Amazon EC2)");
	assert_int_equal(env.turbo, 1);
	assert_true(isnan(env.quota));
	assert_int_equal(env.memory_limit, 1 << 30);
	assert_true(env.locked_limit == INT64_MAX);
	assert_true(env.container);
}

TEST(firmware_gives_an_arm_guest_away)
{
	tree_load("environment", "firmware gives an arm guest away");
	environment_read(&env, tree.root);
	assert_int_equal(env.hypervisor, 1);
	assert_string_equal(env.hypervisor_name, "KVM or QEMU");
}

TEST(reads_times_of_one_core_or_all)
{
	tree_put("/proc/stat", "cpu  10 20 30 400 50 6 7 80 0 0\ncpu0 1 2 3 40 5 6 7 8 0 0\n"
			       "cpu1 9 18 27 360 45 0 0 72 0 0\nintr 5\n");
	environment_times(&times, tree.root, -1);
	assert_true(times.known);
	assert_int_equal(times.busy, 10 + 20 + 30 + 6 + 7);
	assert_int_equal(times.idle, 450);
	assert_int_equal(times.steal, 80);
	environment_times(&times, tree.root, 1);
	assert_true(times.known);
	assert_int_equal(times.steal, 72);
	environment_times(&times, tree.root, 2);
	assert_false(times.known);
}

TEST(counts_threads_that_run)
{
	tree_put("/proc/loadavg", "0.50 0.40 0.30 3/345 9216\n");
	assert_true(environment_runnable(tree.root) == 3);
	tree_put("/proc/loadavg", "0.50 0.40\n");
	assert_true(isnan(environment_runnable(tree.root)));
}

TEST(stands_nonsense)
{
	tree_load("environment", "stands nonsense");
	environment_read(&env, tree.root);
	assert_int_equal(env.paranoid, -9);
	assert_true(isnan(env.load));
	assert_true(isnan(env.quota));
	assert_string_equal(env.thp, "");
	environment_times(&times, tree.root, 0);
	assert_false(times.known);
}

TEST(counts_lists)
{
	assert_int_equal(environment_list_count("0"), 1);
	assert_int_equal(environment_list_count("0-7"), 8);
	assert_int_equal(environment_list_count("0-1,4,6-7"), 5);
	assert_int_equal(environment_list_count(""), 0);
	assert_int_equal(environment_list_count("7-0"), 0);
	assert_int_equal(environment_list_count("a"), 0);
	assert_int_equal(environment_list_count("1;2"), 0);
}

TEST(a_counter_opens_or_has_a_reason)
{
	int error = environment_counter_error();

	assert_true(error >= 0);
	/* These would mean that the request itself was wrong. */
	assert_int_not_equal(error, EINVAL);
	assert_int_not_equal(error, E2BIG);
	assert_int_not_equal(error, EFAULT);
}

RUN_TESTS(.each_set_up = tree_begin, .each_tear_down = tree_end)
