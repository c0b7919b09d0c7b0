/* Where threads and memory are put, on machines that hwloc makes up. */
#include "check.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"
#include "engine/machine/topology.h"

static struct topology *machine(const char *description)
{
	struct status status;
	struct topology *topology;

	setenv("HWLOC_SYNTHETIC", description, 1);
	topology = topology_load(&status);
	unsetenv("HWLOC_SYNTHETIC");
	check_ok(status);
	return topology;
}

static void check_others(const char *description, int cpu, int most, int count, const int *expected)
{
	struct topology *topology = machine(description);
	int others[64];

	assert_int_equal(topology_others(topology, cpu, others, most), count);
	for (int i = 0; i < count; i++)
		assert_int_equal(others[i], expected[i]);
	topology_free(topology);
}

TEST(others_get_cores_of_their_own_first)
{
	/* Numbers go round the cores, as on most machines: processor 4 is core 0's second thread.
	 */
	check_others("core:4 pu:2(indexes=0,4,1,5,2,6,3,7)", 1, 64, 7,
		(const int[]){ 0, 2, 3, 4, 5, 6, 7 });
	/* Or stay in the core. Of the measured one's, the second thread comes last. */
	check_others("core:4 pu:2", 2, 64, 7, (const int[]){ 0, 4, 6, 1, 3, 5, 7 });
	check_others("core:4 pu:2", 3, 64, 7, (const int[]){ 0, 4, 6, 1, 2, 5, 7 });
	check_others("core:4 pu:2", 3, 2, 2, (const int[]){ 0, 4 });
	check_others("core:1 pu:1", 0, 64, 0, NULL);
	check_others("core:2 pu:1", 1, 64, 1, (const int[]){ 0 });
}

TEST(others_come_from_the_same_node_first)
{
	check_others("numa:2 core:2 pu:2", 4, 64, 7, (const int[]){ 6, 0, 2, 5, 7, 1, 3 });
}

TEST(a_node_that_is_not_there_is_refused)
{
	struct topology *two = machine("numa:2 core:2 pu:1"), *one = machine("core:2 pu:1");
	struct status status;

	check_ok(topology_check_node(two, 0));
	check_ok(topology_check_node(two, 1));
	status = topology_check_node(two, 2);
	assert_int_equal(status.code, STATUS_FAILED);
	assert_string_equal(status.text, "node=2: this process may use only memory nodes 0-1");
	check_ok(topology_check_node(one, 0));
	status = topology_check_node(one, 3);
	assert_int_equal(status.code, STATUS_FAILED);
	assert_string_equal(status.text, "node=3: this process may use only memory node 0");
	assert_int_equal(topology_node_of(two, 0), 0);
	assert_int_equal(topology_node_of(two, 3), 1);
	/* Where there is nothing to choose there is nothing to tell. */
	assert_int_equal(topology_node_of(one, 0), -1);
	assert_int_equal(topology_memory_node(one, two, 1), -1);
	topology_free(two);
	topology_free(one);
}

static bool without_memory;

/* Replaces the function of the C library with which hwloc allocates masks. */
cpu_set_t *__sched_cpualloc(size_t count)
{
	return without_memory ? NULL : malloc(CPU_ALLOC_SIZE(count));
}

TEST(without_memory_a_message_ends_the_program)
{
	struct status status;
	struct topology *topology;
	int how;
	pid_t child;

	/* An emulator of another instruction set ends the child itself at this access. */
	if (!CHECK_PATIENT)
		skip();
	topology = topology_load(&status);
	check_ok(status);
	child = fork();
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL); /* cmocka has a handler */
		fatal_catch();
		without_memory = true;
		topology_keep_off(topology, 0, -1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how));
	assert_int_equal(WEXITSTATUS(how), 1);
	topology_free(topology);
}

RUN_TESTS()
