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
	tree_put("/proc/self/cgroup", "0::/user.slice/job\n");
	tree_put("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
	tree_put("/sys/fs/cgroup/user.slice/job/memory.current", "1048576\n");
	tree_put("/proc/self/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max data size             unlimited            unlimited            bytes     \n"
		"Max address space         unlimited            unlimited            bytes     \n");
	check_memory(8192, "");
}

TEST(a_group_above_bounds_it)
{
	tree_put("/proc/self/cgroup", "0::/user.slice/job\n");
	tree_put("/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
	tree_put("/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
	tree_put("/sys/fs/cgroup/user.slice/memory.current", "536870912\n");
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
	tree_put("/proc/self/cgroup", "0::/docker/0123456789abcdef\n");
	tree_put("/sys/fs/cgroup/memory.max", "268435456\n");
	tree_put("/sys/fs/cgroup/memory.current", "0\n");
	check_memory(256, "the control group allows 256 MiB");
}

TEST(groups_of_version_1_bound_it_too)
{
	tree_put("/proc/self/cgroup", "5:devices:/\n4:memory:/job/7\n1:cpu:/\n0::/\n");
	tree_put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	tree_put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "99999999999\n");
	check_memory(8192, "");
	tree_put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n");
	tree_put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1610612736\n");
	tree_put("/sys/fs/cgroup/memory/job/memory.stat",
		"inactive_file 1\ntotal_inactive_file 1073741824\n");
	check_memory(1536, "the control group allows 2 GiB");
}

TEST(a_full_group_leaves_nothing)
{
	tree_put("/proc/self/cgroup", "0::/\n");
	tree_put("/sys/fs/cgroup/memory.max", "1073741824\n");
	tree_put("/sys/fs/cgroup/memory.current", "1073745920\n");
	check_memory(0, "the control group allows 1 GiB");
}

TEST(limits_of_the_process_bound_it)
{
	tree_put("/proc/self/status",
		"Name:\tslexplore\nVmSize:\t  262144 kB\nVmData:\t  131072 kB\n");
	tree_put("/proc/self/limits",
		"Max data size             unlimited            unlimited            bytes     \n"
		"Max address space         1073741824           unlimited            bytes     \n");
	check_memory(768, "the process' limit of address space is 1 GiB (ulimit -v)");
	tree_put("/proc/self/limits",
		"Max data size             536870912            unlimited            bytes     \n"
		"Max address space         1073741824           unlimited            bytes     \n");
	check_memory(384, "the process' limit of data is 512 MiB (ulimit -d)");
}

TEST(what_makes_no_sense_bounds_nothing)
{
	tree_put("/proc/self/cgroup", "0::\n4:memory\nnonsense\n");
	tree_put("/sys/fs/cgroup/memory.max", "a lot\n");
	tree_put("/proc/self/limits", "Max address space\nMax data size   \n");
	check_memory(8192, "");
}

RUN_TESTS(.each_set_up = begin, .each_tear_down = tree_end)
