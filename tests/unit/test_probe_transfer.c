/* Core-to-core latencies of an invented machine: the plan, the report, and the records. */
#include "csv.h"
#include "probe_fakes.h"

#include "fakes.h"
#include "written.h"

#include "experiment/probe/probe.h"
#include "fake_measurer.h"

extern const struct subject subject_pairs;

static double now, each; /* the simulated time, and the duration of a visit, in seconds */
static unsigned visits;
static bool disturbed;

/* A visit to a pair: about 20 ns if the processors share an L3, otherwise about 80 ns. */
static struct status made_up(const struct topology *topology, int a, int b, unsigned visit,
	double seconds, struct pair_trials *trials)
{
	*trials =
		(struct pair_trials){ .count = disturbed ? 0 : 20, .rejected = disturbed ? 8 : 1 };
	for (unsigned i = 0; i < trials->count; i++)
		trials->ns[i] = (a / 2 == b / 2 ? 20 : 80) + 0.01 * i;
	now += each;
	visits++;
	return status_ok();
}

static struct probe *probed(int processors, double seconds)
{
	static struct processor_place places[64];
	static struct fake_measurer fake;
	const struct probe_options options = {
		.seed = 3, .parts = 1u << PROBE_TRANSFER, .seconds = seconds, .visit = made_up
	};
	const struct measurer measurer = fake_measurer(&fake, 1);
	struct status status;
	struct probe *probe;

	for (int i = 0; i < processors; i++)
		places[i] = (struct processor_place){
			.cpu = i, .node = -1, .die = -1, .l3 = i / 2, .core = i
		};
	machine =
		(struct machine){ .processors = processors, .places = places, .name = "Test CPU" };
	fake = (struct fake_measurer){ .now = &now };
	now = 0;
	visits = 0;
	each = 0.003;
	probe = probe_new(&machine, &options, &status);
	check_ok(status);
	probe_measure(probe, &measurer);
	return probe;
}

TEST(each_pair_gets_a_value)
{
	struct probe *probe = probed(8, 0);
	const struct probe_report *made = probe_report(probe);

	assert_true(made->complete);
	assert_int_equal(made->transfer->measured, 28);
	assert_int_equal(made->transfer->group_count, 2);
	assert_string_equal(made->transfer->group[0].name, "same L3");
	assert_int_equal(made->transfer->group[0].pairs, 4);
	assert_int_equal(made->notes.count, 0);
	/* If there are few pairs, each pair is visited several times, with other cache lines. */
	assert_true(visits >= 3 * 28);
	probe_free(probe);
}

TEST(a_short_time_is_a_fair_sample)
{
	struct probe *probe = probed(64, 1);
	const struct probe_report *made = probe_report(probe);
	int of[64] = { 0 };

	assert_true(now < 1.05);
	assert_int_equal(made->transfer->measured, visits);
	assert_int_equal(made->transfer->group_count, 2);
	assert_int_equal(made->notes.count, 1);
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < i; j++)
			if (core_map_value(made->transfer, i, j)->trials) {
				of[i]++;
				of[j]++;
			}
	for (int i = 0; i < 64; i++)
		assert_true(of[i] >= 10 && of[i] <= 11);
	probe_free(probe);
}

/* The visits take about seven seconds of simulated time. */
TEST(all_pairs_of_64_processors_are_visited)
{
	struct probe *probe = probed(64, 0);

	assert_int_equal(probe_report(probe)->transfer->measured, 2016);
	assert_true(now < 7.5);
	probe_free(probe);
}

TEST(disturbed_trials_are_no_value)
{
	struct probe *probe;

	disturbed = true;
	probe = probed(4, 0);
	disturbed = false;
	assert_int_equal(probe_report(probe)->transfer->measured, 0);
	/* The probe waits a few seconds, because the machine may become quiet. */
	assert_true(now > 2 && now < 4);
	assert_false(campaign_state(&(struct campaign){ &campaign_probe, probe }).any);
	probe_free(probe);
}

TEST(one_processor_has_no_pair)
{
	struct probe *probe = probed(1, 0);

	assert_null(probe_report(probe)->transfer);
	assert_int_equal(visits, 0);
	assert_int_equal(probe_report(probe)->notes.count, 1);
	probe_free(probe);
}

TEST(records_have_processors_groups_and_pairs)
{
	unsigned processors = 0, groups = 0, pairs = 0;
	struct probe *probe = probed(4, 0);
	char *rest;

	prepare("json", &subject_probe);
	report_whole(&report, probe_report(probe));
	assert_int_equal(fclose(report.out), 0);
	for (char *line = strtok_r(written, "\n", &rest); line;
		line = strtok_r(NULL, "\n", &rest)) {
		json_t *object = parse(line);
		const char *record = string_at(object, "record");

		assert_true(strlen(line) < 1000);
		processors += strcmp(record, "processor") == 0;
		groups += strcmp(record, "cores") == 0;
		if (strcmp(record, "pair") == 0) {
			bool same =
				(int)number_at(object, "a") / 2 == (int)number_at(object, "b") / 2;

			pairs++;
			assert_true(same == (number_at(object, "ns") < 30));
			assert_string_equal(
				string_at(object, "group"), same ? "same L3" : "other L3");
		}
		json_decref(object);
	}
	assert_int_equal(processors, 4);
	assert_int_equal(groups, 2);
	assert_int_equal(pairs, 6);
	probe_free(probe);
}

TEST(csv_has_a_line_for_each_pair)
{
	struct probe *probe = probed(4, 0);
	unsigned lines = 0;

	prepare("csv", &subject_pairs);
	report_whole(&report, probe_report(probe));
	assert_int_equal(fclose(report.out), 0);
	for (const char *at = written; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 7);
	assert_true(strstr(written, ",0,1,20.") && strstr(written, ",0,3,80."));
	probe_free(probe);
}

RUN_TESTS()
