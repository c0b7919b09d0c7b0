/* How much memory this process may take, from made-up trees of /proc and /sys. */
#include "tree.h"

#include "engine/memory/memory_limits.h"

enum { MIB = 1 << 20 };

static int begin(void **state)
{
	tree_begin(state);
	tree_put("/proc/meminfo",
		"MemTotal:       16777216 kB\nMemFree:         1000 kB\nMemAvailable:    8388608 "
		"kB\n");
	return 0;
}

static void check_memory(uint64_t left, const char *expected)
{
	struct memory_limits_memory memory = memory_limits_memory(tree.root);
	char words[96];

	memory_limits_words(&memory, words, sizeof(words));
	assert_string_equal(words, expected);
	assert_int_equal(memory.left / MIB, left);
}

TEST(nothing_bounds_what_is_free)
{
	tree_load("memory-limits", "nothing bounds what is free");
	check_memory(8192, "");
}

TEST(a_group_above_bounds_it)
{
	tree_load("memory-limits", "a group above bounds it");
	check_memory(512, "the control group allows 1 GiB");
	/* What is cached of files goes when it is needed. */
	tree_put("/sys/fs/cgroup/user.slice/memory.stat",
		"anon 100000000\ninactive_file 268435456\nactive_file 1048576\n");
	check_memory(768, "the control group allows 1 GiB");
}

/* In a container the path of the group is that of the host, and what is mounted is the group
 * itself. */
TEST(a_container_sees_its_own_group)
{
	tree_load("memory-limits", "a container sees its own group");
	check_memory(256, "the control group allows 256 MiB");
}

TEST(groups_of_version_1_bound_it_too)
{
	tree_load("memory-limits", "groups of version 1 bound it too");
	check_memory(8192, "");
	tree_load("memory-limits", "groups of version 1 bound it too 2");
	check_memory(1536, "the control group allows 2 GiB");
}

TEST(a_full_group_leaves_nothing)
{
	tree_load("memory-limits", "a full group leaves nothing");
	check_memory(0, "the control group allows 1 GiB");
}

TEST(limits_of_the_process_bound_it)
{
	tree_load("memory-limits", "limits of the process bound it");
	check_memory(768, "the process' limit of address space is 1 GiB (ulimit -v)");
	tree_put("/proc/self/limits",
		"Max data size             536870912            unlimited            bytes     \n"
		"Max address space         1073741824           unlimited            bytes     \n");
	check_memory(384, "the process' limit of data is 512 MiB (ulimit -d)");
}

TEST(what_makes_no_sense_bounds_nothing)
{
	tree_load("memory-limits", "what makes no sense bounds nothing");
	check_memory(8192, "");
}

RUN_TESTS(.each_set_up = begin, .each_tear_down = tree_end)
