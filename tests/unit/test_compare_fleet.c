/* Comparing many hosts: the ones that differ from the others with their processor. */
#include "compared_lines.h"

#include "recording/compare/differ.h"

/* Adds 12 hosts of one model, the last with another value, and two hosts of other models. */
static struct differ_fleet fleet_with(double last)
{
	char host[16];

	for (int i = 0; i < 12; i++)
		for (int acc = 1; acc <= 2; acc++) {
			snprintf(host, sizeof(host), "n%d", i);
			add_sample(host, "P", acc, acc, i == 11 ? last : 1);
		}
	add_sample("other", "Q", 1, 1, 7);
	read_as("fleet", 0);
	compared_finish(&compared);
	return differ_fleet(&compared, false);
}

TEST_WITH(the_odd_host_of_a_model_is_found, begin, end)
{
	struct differ_fleet fleet = fleet_with(1.1);

	assert_int_equal(fleet.order_count, 2);
	assert_string_equal(compared.hosts.string[fleet.order[0]], "n11");
	assert_int_equal(fleet.unit[fleet.order[0]].odd_count, 2);
	check_near(fleet.odd[0].ratio, 1.1, 1e-6);
	/* The only host of its model. */
	assert_string_equal(compared.hosts.string[fleet.order[1]], "other");
	assert_true(fleet.unit[fleet.order[1]].rare);
	assert_int_equal(fleet.unit[fleet.order[1]].causes, 1u << CAUSE_PROCESSOR);
	differ_fleet_free(&fleet);
}

TEST_WITH(identical_hosts_do_not_differ, begin, end)
{
	struct differ_fleet fleet = fleet_with(1.004);

	assert_int_equal(fleet.order_count, 1);
	assert_int_equal(fleet.odd_count, 0);
	differ_fleet_free(&fleet);
}

/* The probed size of L2 on the last host, in KiB. */
static int last_l2 = 1024;

/* Adds a probe of a host: its latency at four working sets from 4 MiB on, and some samples of L1.
 * `contended` is the number of contended samples of L1. */
static void add_probe(const char *host, int number, const double *ns, double l1, int contended)
{
	text_addf(
		&lines, "{\"v\":1,\"record\":\"probe\",\"id\":%d,\"host\":\"%s\"}\n", number, host);
	for (int i = 0; i < 24; i++) {
		int64_t size = i < 20 ? 4096 + 64 * i : INT64_C(1) << (i + 2);
		double cycles = 4 * (i < 20 ? l1 : ns[i - 20]);
		bool busy = i < contended;

		text_addf(&lines,
			"{\"v\":1,\"record\":\"sample\",\"id\":%d,\"host\":\"%s\",\"machine\":"
			"\"P\","
			"\"part\":\"latency\",\"x\":%jd,\"kernel\":\"latency\",\"knobs\":{"
			"\"size\":%jd,\"pages\":\"huge\"},\"cpe\":%.6f,\"cpe_lo\":%.6f,"
			"\"cpe_hi\":%.6f,\"ns\":%.6f,\"quiet\":%d,\"ghz\":4,\"pages\":\"huge\"%s}"
			"\n",
			100 * number + i, host, (intmax_t)size, (intmax_t)size, cycles,
			0.999 * cycles, 1.001 * cycles, cycles / 4, !busy,
			busy ? ",\"contended\":true" : "");
	}
	text_addf(&lines,
		"{\"v\":1,\"record\":\"level\",\"id\":%d,\"host\":\"%s\",\"name\":\"L1d\","
		"\"cycles\":%.6f}\n",
		100 * number + 50, host, 4 * l1);
	text_addf(&lines,
		"{\"v\":1,\"record\":\"level\",\"id\":%d,\"host\":\"%s\",\"name\":\"L2\","
		"\"bytes\":%d}\n",
		100 * number + 51, host, 1024 * (strcmp(host, "last") == 0 ? last_l2 : 1024));
}

/* Returns a fleet of ten equal hosts and one with other values, measured by `runs` probes. */
static struct differ_fleet fleet_probed(const double *ns, double l1, int contended, int runs)
{
	static const double usual[] = { 10, 11, 12, 100 };
	char host[16];

	for (int i = 0; i < 10; i++) {
		snprintf(host, sizeof(host), "n%d", i);
		add_probe(host, i, usual, 1, 0);
	}
	for (int i = 0; i < runs; i++)
		add_probe("last", 10 + i, ns, l1, contended);
	read_as("fleet", 0);
	compared_finish(&compared);
	return differ_fleet(&compared, false);
}

/* Checks which of the two lists names the last host. */
static void check_last(const double *ns, double l1, int contended, int runs, bool disturbed)
{
	struct differ_fleet fleet = fleet_probed(ns, l1, contended, runs);

	assert_int_equal(fleet.order_count, !disturbed);
	assert_int_equal(fleet.disturbed_count, disturbed);
	assert_string_equal(compared.hosts.string[fleet.order[0]], "last");
	assert_int_equal(
		fleet.unit[fleet.order[0]].causes >> CAUSE_DISTURBED & 1, disturbed ? 1 : 0);
	assert_int_equal(differ_fleet_most(&fleet) > 0, !disturbed);
	differ_fleet_free(&fleet);
	compared_free(&compared);
	begin(NULL);
}

TEST_WITH(a_disturbed_host_is_not_called_slow, begin, end)
{
	static const double steady[] = { 40, 41, 42, 100 }, falling[] = { 40, 80, 42, 100 };

	check_last(steady, 1, 0, 1, false);
	check_last(falling, 1, 0, 1, true);
	/* One of 24 samples is contended: L3 and memory are doubtful, but not the latency of L1. */
	check_last(steady, 1, 1, 1, true);
	check_last(steady, 1.2, 1, 1, false);
	/* Three runs agree, so chance is no cause. */
	check_last(falling, 1, 0, 3, false);
	/* Half of the samples may be contended by chance; all of them mean a busy neighbour. */
	check_last(steady, 1, 12, 1, true);
	check_last(steady, 1, 24, 1, false);
	/* The size of L2 follows from the latency of L3. */
	last_l2 = 1280;
	check_last(falling, 1, 0, 1, true);
	check_last(steady, 1, 0, 1, false);
	last_l2 = 1024;
}

/* Compares ten equal hosts with one whose buffer has `knee` entries, and `wrong` of whose 20
 * classes take twice the cycles. */
static struct differ_fleet fleet_of_cores(int knee, int wrong)
{
	char host[16];

	for (int i = 0; i <= 10; i++) {
		bool last = i == 10;

		snprintf(host, sizeof(host), "%s%d", last ? "last" : "n", i);
		text_addf(&lines,
			"{\"v\":1,\"record\":\"window\",\"id\":1,\"host\":\"%s\",\"machine\":\"P\","
			"\"filler\":\"jal\",\"state\":\"done\",\"knee\":%d}\n",
			host, last ? knee : 48);
		for (int k = 0; k < 20; k++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"class\",\"id\":%d,\"host\":\"%s\",\"name\":"
				"\"c%d\",\"each\":%d}\n",
				k + 2, host, k, last && k < wrong ? 2 : 1);
	}
	read_as("fleet", 0);
	compared_finish(&compared);
	return differ_fleet(&compared, false);
}

static void check_cores(int knee, int wrong, int differing, int doubtful)
{
	struct differ_fleet fleet = fleet_of_cores(knee, wrong);

	assert_int_equal(fleet.order_count, differing);
	assert_int_equal(fleet.disturbed_count, doubtful);
	if (doubtful)
		assert_int_equal(fleet.unit[fleet.order[0]].causes, 1u << CAUSE_ONCE);
	differ_fleet_free(&fleet);
	compared_free(&compared);
	begin(NULL);
}

TEST_WITH(values_that_a_run_measures_once_name_a_host_only_together, begin, end)
{
	check_cores(48, 0, 0, 0);
	check_cores(47, 0, 0, 0);
	check_cores(40, 0, 1, 0);
	check_cores(48, 2, 0, 1);
	check_cores(48, 15, 1, 0);
}

RUN_TESTS()
