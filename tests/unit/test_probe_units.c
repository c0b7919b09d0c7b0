/* Finds the core that differs from the others. */
#include "check.h"

#include "base/random.h"
#include "cli/probe_units.h"

enum { UNITS = 64 };

/* Gives equal cores the same values, changed by up to 1 %. */
static void fill(struct unit *units, int count, uint64_t seed)
{
	static const double values[UNIT_VALUES] = { 4, 4, 14, 13, 110, 63, 60, 30 };
	struct random random = { seed };

	for (int i = 0; i < count; i++) {
		units[i] = (struct unit){ .number = i, .cpu = 2 * i };
		for (int k = 0; k < UNIT_VALUES; k++) {
			units[i].usual[k] = NAN;
			units[i].value[k] =
				values[k] * (0.99 + 0.00002 * (double)random_below(&random, 1000));
		}
	}
}

TEST(a_slow_core_is_named_and_no_other)
{
	struct unit units[UNITS];

	for (uint64_t seed = 1; seed <= 20; seed++) {
		fill(units, UNITS, seed);
		units[17].value[UNIT_CLOCK] = 3.6;
		units[40].value[UNIT_MEMORY] = 150;
		units_judge(units, UNITS);
		for (int i = 0; i < UNITS; i++)
			assert_int_equal(units[i].odd, i == 17	 ? 1u << UNIT_CLOCK
						       : i == 40 ? 1u << UNIT_MEMORY
								 : 0);
	}
}

TEST(values_that_were_not_measured_are_not_odd)
{
	struct unit units[UNITS];

	fill(units, UNITS, 3);
	units[5].value[UNIT_L3] = NAN;
	units_judge(units, UNITS);
	for (int i = 0; i < UNITS; i++)
		assert_int_equal(units[i].odd, 0);
	/* Nor is a contended value. */
	units[6].value[UNIT_CLOCK] = 1;
	units[6].contended = 1u << UNIT_CLOCK;
	units_judge(units, UNITS);
	for (int i = 0; i < UNITS; i++)
		assert_int_equal(units[i].odd, 0);
	/* If there are only two units, the units do not show which one differs. */
	units[0].value[UNIT_CLOCK] = 1;
	units_judge(units, 2);
	assert_int_equal(units[0].odd, 0);
}

TEST(units_are_the_parts_of_the_machine)
{
	struct processor_place places[] = {
		{ .cpu = 0, .node = 0, .package = 0, .core = 0 },
		{ .cpu = 4, .node = 0, .package = 0, .core = 0, .thread = 1 },
		{ .cpu = 1, .node = 1, .package = 0, .core = 1 },
		{ .cpu = 2, .node = 2, .package = 1, .core = 2 },
	};
	struct machine machine = { .processors = 4, .places = places };
	struct unit units[4];

	assert_int_equal(units_find(&machine, UNITS_CORE, units), 3);
	assert_int_equal(units[2].cpu, 2);
	assert_int_equal(units_find(&machine, UNITS_SOCKET, units), 2);
	assert_int_equal(units[1].cpu, 2);
	assert_int_equal(units_find(&machine, UNITS_NUMA, units), 3);
	assert_int_equal(units[1].cpu, 1);
	places[0].node = places[1].node = places[2].node = places[3].node = -1;
	assert_int_equal(units_find(&machine, UNITS_NUMA, units), 1);
	/* Cores 1 and 2 share an L2. */
	places[2].l2 = places[3].l2 = 1;
	assert_int_equal(units_find(&machine, UNITS_L2, units), 2);
	assert_int_equal(units[1].cpu, 1);
	for (int i = 0; i < 4; i++)
		places[i].l2 = -1;
	assert_int_equal(units_find(&machine, UNITS_L2, units), 3);
}

RUN_TESTS()
