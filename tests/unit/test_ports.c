#include "check.h"

#include "base/random.h"
#include "model/limits/ports.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

static int bits(uint32_t set)
{
	return __builtin_popcount(set);
}

/* Work of the loads that may only go to ports of the set. */
static double inside(const struct port_load *loads, int count, uint32_t set)
{
	double work = 0;

	for (int i = 0; i < count; i++)
		if (!(loads[i].ports & ~set))
			work += loads[i].cycles;
	return work;
}

static double on(const double *pressure, uint32_t set)
{
	double sum = 0;

	for (; set; set &= set - 1)
		sum += pressure[__builtin_ctz(set)];
	return sum;
}

/* Whether some assignment has these pressures: every set of ports holds at least what can go
 * nowhere else (Gale's condition). */
static void check_possible(
	const struct port_load *loads, int count, int ports, const double *pressure)
{
	uint32_t all = (UINT32_C(1) << ports) - 1;

	check_near(on(pressure, all), inside(loads, count, all), 1e-9);
	for (uint32_t set = 0; set <= all; set++)
		assert_true(on(pressure, set) >= inside(loads, count, set) - 1e-9);
}

/* Whether it is the most even one: the ports above any height hold nothing that could go lower. */
static void check_even(const struct port_load *loads, int count, int ports, const double *pressure)
{
	for (int port = 0; port < ports; port++) {
		uint32_t high = 0;

		for (int other = 0; other < ports; other++)
			if (pressure[other] >= pressure[port] - 1e-9)
				high |= UINT32_C(1) << other;
		check_near(on(pressure, high), inside(loads, count, high), 1e-9);
	}
}

static int random_loads(struct random *random, struct port_load *loads, int most, int ports)
{
	int count = 1 + (int)random_below(random, (uint64_t)most);

	for (int i = 0; i < count; i++) {
		loads[i].ports = 1 + (uint32_t)random_below(random, (UINT64_C(1) << ports) - 1);
		if (random_below(random, 2)) /* narrower sets bind more often */
			loads[i].ports &=
				1 + (uint32_t)random_below(random, (UINT64_C(1) << ports) - 1);
		if (!loads[i].ports)
			loads[i].ports = 1;
		loads[i].cycles =
			(double)random_below(random, 9) / (random_below(random, 2) ? 1 : 3);
	}
	return count;
}

TEST(the_largest_pressure_is_the_densest_set)
{
	struct random random = { 3 };

	for (int round = 0; round < 3000; round++) {
		struct port_load loads[12];
		double pressure[6], most = 0, largest;
		uint32_t bottleneck;
		int ports = 1 + (int)random_below(&random, 6),
		    count = random_loads(&random, loads, 12, ports);

		largest = ports_balance(loads, count, ports, pressure, &bottleneck);
		for (uint32_t set = 1; set < UINT32_C(1) << ports; set++)
			most = fmax(most, inside(loads, count, set) / bits(set));
		check_near(largest, most, 1e-9);
		check_possible(loads, count, ports, pressure);
		check_even(loads, count, ports, pressure);
		if (most == 0) {
			assert_int_equal(bottleneck, 0);
			continue;
		}
		check_near(inside(loads, count, bottleneck), most * bits(bottleneck), 1e-9);
		for (uint32_t set = 1; set < UINT32_C(1) << ports;
			set++) /* none smaller fills itself */
			if (inside(loads, count, set) / bits(set) > most - 1e-9)
				assert_true(bits(set) >= bits(bottleneck));
	}
}

TEST(many_sets_over_many_ports_stay_exact)
{
	struct random random = { 11 };

	for (int round = 0; round < 6; round++) {
		struct port_load loads[300];
		double pressure[16];
		int count = random_loads(&random, loads, 300, 16);

		ports_balance(loads, count, 16, pressure, NULL);
		check_possible(loads, count, 16, pressure);
		check_even(loads, count, 16, pressure);
	}
}

/* p0 p1 p2 p3 p4 p5 p6 p7 of Skylake: four multiplications on p1, a load, and four operations that
 * any of p0156 take. */
TEST(a_single_port_binds)
{
	const struct port_load loads[] = { { 1 << 1, 4 }, { 1 << 2 | 1 << 3, 1 }, { 0x63, 2 },
		{ 1 << 6, 1 } };
	double pressure[8], naive[8];
	uint32_t bottleneck;

	check_near(ports_balance(loads, COUNT(loads), 8, pressure, &bottleneck), 4, 0);
	assert_int_equal(bottleneck, 1 << 1);
	check_near(pressure[1], 4, 0);
	check_near(pressure[0], 1, 1e-12);
	check_near(pressure[5], 1, 1e-12);
	check_near(pressure[6], 1, 1e-12);
	check_near(pressure[2], 0.5, 0);
	check_near(pressure[3], 0.5, 0);
	check_near(pressure[4] + pressure[7], 0, 0);
	check_near(ports_naive(loads, COUNT(loads), 8, naive), 4.5, 1e-12);
	check_near(naive[0], 0.5, 1e-12);
	check_near(naive[6], 1.5, 1e-12);
}

/* Work of {0,1} gives way to work of {0}, and {1,2} to that: an even split of each would read 1.5.
 */
TEST(work_gives_way_along_a_row)
{
	const struct port_load loads[] = { { 1, 1 }, { 3, 1 }, { 6, 1 } };
	double pressure[3];

	check_near(ports_balance(loads, COUNT(loads), 3, pressure, NULL), 1, 1e-12);
	for (int port = 0; port < 3; port++)
		check_near(pressure[port], 1, 1e-12);
	check_near(ports_naive(loads, COUNT(loads), 3, pressure), 1.5, 1e-12);
}

TEST(the_last_of_32_ports_counts_and_loads_end_at_their_count)
{
	const struct port_load loads[] = { { UINT32_C(1) << 31, 2 }, { 1, 1 }, { 2, 2 }, { 1, 100 },
		{ UINT32_C(1) << 3, 100 } };
	double pressure[33] = { [32] = 7 };
	uint32_t bottleneck;

	check_near(ports_balance(loads, 3, 32, pressure, &bottleneck), 2, 0);
	/* Of two sets with the same pressure the one with the first port is named. */
	assert_int_equal(bottleneck, 2);
	check_near(pressure[31], 2, 0);
	check_near(pressure[0], 1, 0);
	check_near(pressure[32], 7, 0);
	check_near(ports_naive(loads, 3, 32, pressure), 2, 0);
	check_near(pressure[31], 2, 0);
	check_near(pressure[32], 7, 0);
	/* A port after the last one is no port. */
	check_near(ports_naive(loads + 4, 1, 4, pressure), 100, 0);
	check_near(ports_naive(loads + 4, 1, 3, pressure), 0, 0);
	check_near(ports_balance(loads + 4, 1, 4, pressure, NULL), 100, 0);
	check_near(ports_balance(loads + 4, 1, 3, pressure, NULL), 0, 0);
}

TEST(nothing_presses_nowhere)
{
	const struct port_load odd[] = { { 0, 1 }, { 1, 0 }, { 1, -2 }, { 1, (double)NAN },
		{ 1 << 9, 5 } };
	double pressure[3] = { 7, 7, 7 };
	uint32_t bottleneck = 7;

	check_near(ports_balance(NULL, 0, 3, pressure, &bottleneck), 0, 0);
	check_near(pressure[0] + pressure[1] + pressure[2], 0, 0);
	assert_int_equal(bottleneck, 0);
	check_near(ports_balance(odd, COUNT(odd), 3, pressure, &bottleneck), 0, 0);
	check_near(ports_naive(odd, COUNT(odd), 3, pressure), 0, 0);
}

RUN_TESTS()
