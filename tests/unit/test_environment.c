#include "check.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/environment.h"

/* A tree of /proc and /sys of our own, and the files put there. */
struct tree {
	char root[64];
	char *files[32];
	int count;
};

static int setup(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -1;
	snprintf(tree->root, sizeof(tree->root), "/tmp/slexplore-test-XXXXXX");
	if (!mkdtemp(tree->root))
		return -1;
	*state = tree;
	return 0;
}

static int teardown(void **state)
{
	struct tree *tree = *state;

	while (tree->count-- > 0) {
		char *path = tree->files[tree->count], *slash;

		unlink(path);
		/* Directories go as they become empty. */
		while ((slash = strrchr(path, '/')) && (size_t)(slash - path) >= strlen(tree->root)) {
			*slash = '\0';
			if (rmdir(path) != 0)
				break;
		}
		free(path);
	}
	rmdir(tree->root);
	free(tree);
	return 0;
}

static void put(struct tree *tree, const char *path, const char *text)
{
	char *whole;
	FILE *file;

	assert_true(asprintf(&whole, "%s%s", tree->root, path) > 0);
	tree->files[tree->count++] = whole;
	for (char *c = whole + strlen(tree->root) + 1; *c; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		mkdir(whole, 0755);
		*c = '/';
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void knows_nothing_of_an_empty_tree(void **state)
{
	struct tree *tree = *state;
	struct environment environment;
	struct cpu_times times;

	environment_read(&environment, tree->root);
	environment_read_core(&environment, tree->root, 0);
	assert_int_equal(environment.paranoid, -9);
	assert_int_equal(environment.turbo, -1);
	assert_int_equal(environment.smt, -1);
	assert_int_equal(environment.hypervisor, -1);
	assert_true(isnan(environment.quota));
	assert_true(isnan(environment.load));
	assert_int_equal(environment.memory_total, -1);
	assert_int_equal(environment.memory_available, -1);
	assert_int_equal(environment.memory_limit, -1);
	assert_int_equal(environment.locked_limit, -1);
	assert_int_equal(environment.huge_reserved, -1);
	assert_string_equal(environment.governor, "");
	assert_string_equal(environment.thp, "");
	assert_string_equal(environment.allowed, "");
	assert_false(environment.container);
	environment_times(&times, tree->root, 0);
	assert_false(times.known);
}

static void reads_a_server(void **state)
{
	struct tree *tree = *state;
	struct environment environment;

	put(tree, "/proc/sys/kernel/perf_event_paranoid", "4\n");
	put(tree, "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme sse2 avx\n\n");
	put(tree, "/proc/meminfo", "MemTotal:       65536000 kB\nMemFree: 1 kB\nMemAvailable:   32768000 kB\n"
		"HugePages_Total:      16\nHugePages_Free:        8\n");
	put(tree, "/proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-5,8,10-11\n");
	put(tree, "/proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units\n"
		"Max locked memory         65536                unlimited            bytes\n");
	put(tree, "/proc/self/cgroup", "12:cpu:/old\n0::/user.slice/job\n");
	put(tree, "/proc/loadavg", "3.25 2.00 1.00 1/200 1234\n");
	put(tree, "/sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000\n");
	put(tree, "/sys/fs/cgroup/user.slice/job/memory.max", "max\n");
	put(tree, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
	put(tree, "/sys/devices/system/cpu/cpu3/cpufreq/scaling_driver", "intel_pstate\n");
	put(tree, "/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "3,19\n");
	put(tree, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	put(tree, "/sys/devices/system/cpu/smt/active", "1\n");
	put(tree, "/sys/devices/system/cpu/online", "0-31\n");
	put(tree, "/sys/devices/system/cpu/isolated", "\n");
	put(tree, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put(tree, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	put(tree, "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");

	environment_read(&environment, tree->root);
	environment_read_core(&environment, tree->root, 3);
	assert_int_equal(environment.paranoid, 4);
	assert_int_equal(environment.hypervisor, 0);
	assert_string_equal(environment.hypervisor_name, "");
	assert_int_equal(environment.memory_total, 65536000ll << 10);
	assert_int_equal(environment.memory_available, 32768000ll << 10);
	assert_int_equal(environment.memory_limit, -1);
	assert_int_equal(environment.huge_reserved, 16);
	assert_int_equal(environment.huge_free, 8);
	assert_string_equal(environment.allowed, "0-5,8,10-11");
	assert_int_equal(environment_list_count(environment.allowed), 9);
	assert_int_equal(environment.locked_limit, 65536);
	check_near(environment.quota, 1.5, 1e-9);
	check_near(environment.load, 3.25, 1e-9);
	assert_string_equal(environment.governor, "powersave");
	assert_string_equal(environment.frequency_driver, "intel_pstate");
	assert_string_equal(environment.siblings, "3,19");
	assert_int_equal(environment.turbo, 0);
	assert_int_equal(environment.smt, 1);
	assert_string_equal(environment.isolated, "");
	assert_string_equal(environment.thp, "madvise");
	assert_string_equal(environment.clocksource, "tsc");
}

static void reads_a_guest(void **state)
{
	struct tree *tree = *state;
	struct environment environment;

	put(tree, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\n\n");
	put(tree, "/sys/class/dmi/id/sys_vendor", "Amazon EC2  \n");
	put(tree, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	put(tree, "/proc/self/cgroup", "0::/\n");
	put(tree, "/sys/fs/cgroup/cpu.max", "max 100000\n");
	put(tree, "/sys/fs/cgroup/memory.max", "1073741824\n");
	put(tree, "/proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n");
	put(tree, "/.dockerenv", "");
	environment_read(&environment, tree->root);
	assert_int_equal(environment.hypervisor, 1);
	assert_string_equal(environment.hypervisor_name, "KVM (Amazon EC2)");
	assert_int_equal(environment.turbo, 1);
	assert_true(isnan(environment.quota));
	assert_int_equal(environment.memory_limit, 1 << 30);
	assert_true(environment.locked_limit == INT64_MAX);
	assert_true(environment.container);
}

static void firmware_gives_an_arm_guest_away(void **state)
{
	struct tree *tree = *state;
	struct environment environment;

	put(tree, "/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n\n");
	put(tree, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
	environment_read(&environment, tree->root);
	assert_int_equal(environment.hypervisor, 1);
	assert_string_equal(environment.hypervisor_name, "KVM or QEMU");
}

static void reads_times_of_one_core_or_all(void **state)
{
	struct tree *tree = *state;
	struct cpu_times times;

	put(tree, "/proc/stat", "cpu  10 20 30 400 50 6 7 80 0 0\ncpu0 1 2 3 40 5 6 7 8 0 0\n"
		"cpu1 9 18 27 360 45 0 0 72 0 0\nintr 5\n");
	environment_times(&times, tree->root, -1);
	assert_true(times.known);
	assert_int_equal(times.busy, 10 + 20 + 30 + 6 + 7);
	assert_int_equal(times.idle, 450);
	assert_int_equal(times.steal, 80);
	environment_times(&times, tree->root, 1);
	assert_true(times.known);
	assert_int_equal(times.steal, 72);
	environment_times(&times, tree->root, 2);
	assert_false(times.known);
}

static void stands_nonsense(void **state)
{
	struct tree *tree = *state;
	struct environment environment;
	struct cpu_times times;

	put(tree, "/proc/sys/kernel/perf_event_paranoid", "many\n");
	put(tree, "/proc/self/cgroup", "");
	put(tree, "/proc/loadavg", "?\n");
	put(tree, "/sys/fs/cgroup/cpu.max", "5\n");
	put(tree, "/sys/kernel/mm/transparent_hugepage/enabled", "always\n");
	put(tree, "/proc/stat", "cpu0 1 2 3\n");
	environment_read(&environment, tree->root);
	assert_int_equal(environment.paranoid, -9);
	assert_true(isnan(environment.load));
	assert_true(isnan(environment.quota));
	assert_string_equal(environment.thp, "");
	environment_times(&times, tree->root, 0);
	assert_false(times.known);
}

static void counts_lists(void **state)
{
	(void)state;
	assert_int_equal(environment_list_count("0"), 1);
	assert_int_equal(environment_list_count("0-7"), 8);
	assert_int_equal(environment_list_count("0-1,4,6-7"), 5);
	assert_int_equal(environment_list_count(""), 0);
	assert_int_equal(environment_list_count("7-0"), 0);
	assert_int_equal(environment_list_count("a"), 0);
	assert_int_equal(environment_list_count("1;2"), 0);
}

static void a_counter_opens_or_has_a_reason(void **state)
{
	int error = environment_counter_error();

	(void)state;
	assert_true(error >= 0);
	/* These would mean that the request itself was wrong. */
	assert_int_not_equal(error, EINVAL);
	assert_int_not_equal(error, E2BIG);
	assert_int_not_equal(error, EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knows_nothing_of_an_empty_tree, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_a_server, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_a_guest, setup, teardown),
		cmocka_unit_test_setup_teardown(firmware_gives_an_arm_guest_away, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_times_of_one_core_or_all, setup, teardown),
		cmocka_unit_test_setup_teardown(stands_nonsense, setup, teardown),
		cmocka_unit_test(counts_lists),
		cmocka_unit_test(a_counter_opens_or_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
