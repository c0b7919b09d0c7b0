/* Two threads that pass a cache line to each other, on this machine. */
#include "check.h"

#include "engine/worker/core_pair.h"

TEST(a_line_takes_time)
{
	struct processor_place places[2];
	struct pair_trials trials;
	struct status status;
	struct topology *topology = topology_load(&status);

	check_ok(status);
	if (topology_places(topology, places, 2) < 2) {
		topology_free(topology);
		skip();
	}
	check_ok(core_pair_visit(topology, places[0].cpu, places[1].cpu, 0, 1e-5, &trials));
	assert_int_equal(trials.count + trials.rejected, 8);
	for (unsigned i = 0; i < trials.count; i++)
		assert_true(trials.ns[i] > 0.5);
	topology_free(topology);
}

TEST(a_processor_that_is_not_there_is_refused)
{
	struct pair_trials trials;
	struct status status;
	struct topology *topology = topology_load(&status);

	check_ok(status);
	assert_int_equal(core_pair_visit(topology, 0, 4000, 0, 1e-5, &trials).code, STATUS_FAILED);
	assert_int_equal(core_pair_visit(topology, 4000, 0, 0, 1e-5, &trials).code, STATUS_FAILED);
	assert_int_equal(trials.count, 0);
	topology_free(topology);
}

RUN_TESTS()
