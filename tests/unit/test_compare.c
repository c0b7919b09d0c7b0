/* Reading and comparing measured values: src/recording/compare/. */
#include "compared_lines.h"

#include "recording/compare/differ.h"

static uint64_t counted(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < LINE_GROUPS; i++)
		sum += compared.group[i];
	return sum;
}

TEST_WITH(every_line_is_counted_once, begin, end)
{
	add_sample("n1", "P", 1, 2, 3);
	add_sample("n1", "P", 1, 2, 3); /* the same line again */
	text_add(&lines, "srun: job 17 queued and waiting for resources\n\n");
	text_add(&lines, "0: ");
	add_sample("n2", "P", 1, 2, 3.01);
	text_add(&lines, "{\"v\":1,\"record\":\"sample\",\"id\":1,\"ho\n");
	text_add(&lines, "{\"v\":1,\"record\":\"sam"); /* a cut joins two records */
	add_sample("n3", "P", 1, 2, 3.02);
	text_add(&lines, "{\"v\":1,\"record\":\"fortune\",\"host\":\"n1\"}\n");
	text_add(&lines, "{\"v\":1,\"record\":\"sample\",\"id\":1,\"cpe\":2}\n");
	text_add(&lines, "{\"v\":1,\"record\":\"note\",\"id\":9,\"host\":\"n1\",\"text\":\"x\"}\n");
	text_add(&lines, "{\"v\":1,\"record\":\"note\",\"id\":8,\"host\":\"n1\",\"more\":1}\n");
	text_add(&lines, "{\"level\":\"info\"}");
	read_as("all", 0);
	compared_finish(&compared);
	assert_int_equal(compared.lines, 12);
	assert_int_equal(counted(), 12);
	assert_int_equal(compared.group[LINES_USED], 3);
	assert_int_equal(compared.group[LINES_REPEATED], 1);
	assert_int_equal(compared.group[LINES_OTHER], 3);
	assert_int_equal(compared.group[LINES_CUT], 1);
	assert_int_equal(compared.group[LINES_UNKNOWN], 1);
	assert_int_equal(compared.group[LINES_HOMELESS], 1);
	assert_int_equal(compared.group[LINES_DESCRIBING], 1);
	assert_int_equal(compared.group[LINES_UNFINISHED], 1);
	assert_int_equal(compared.cut, 2);
	assert_int_equal(compared.beside, 2);
	assert_int_equal(compared.first_line, 3);
	assert_string_equal(compared.kinds.string[0], "fortune");
}

TEST_WITH(long_records_of_several_hosts_may_be_mixed, begin, end)
{
	for (int part = 0; part < 2; part++)
		for (int host = 1; host <= 2; host++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"%s\",\"id\":1,\"host\":\"n%d\",%s}\n",
				part ? "more" : "level", host,
				part ? "\"of\":\"level\",\"cycles\":4.5"
				     : "\"name\":\"L1d\",\"more\":1");
	read_as("mixed", 0);
	assert_int_equal(compared.value_count, 2);
	assert_int_equal(compared.group[LINES_USED], 4);
	assert_string_equal(compared.quantity[0].subject, "level L1d");
	check_near(compared.value[1].value, 4.5, 0);
}

TEST_WITH(equal_lines_of_two_reports_are_two_values, begin, end)
{
	for (int run = 0; run < 2; run++)
		text_addf(&lines,
			"{\"v\":1,\"record\":\"core\",\"id\":1,\"host\":\"n1\",\"seconds\":%d}\n"
			"{\"v\":1,\"record\":\"fact\",\"id\":2,\"host\":\"n1\",\"name\":\"rename\","
			"\"value\":6}\n",
			run);
	text_add(&lines, "{\"v\":1,\"record\":\"core\",\"id\":1,\"host\":\"n1\",\"seconds\":0}\n");
	text_add(&lines,
		"{\"v\":1,\"record\":\"fact\",\"id\":2,\"host\":\"n1\",\"name\":\"rename\","
		"\"value\":6}\n");
	read_as("facts", 0);
	assert_int_equal(compared.value_count, 2);
	assert_int_equal(compared.group[LINES_REPEATED], 2);
}

/* Damaged records may have any number. */
TEST_WITH(absurd_values_are_ignored, begin, end)
{
	static const char *const values[] = { "1e308", "1e-308", "-1", "0", "1e400", "\"3\"", "3" };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		text_addf(&lines,
			"{\"v\":1,\"record\":\"level\",\"id\":%zu,\"host\":\"n1\",\"name\":\"L%"
			"zu\","
			"\"cycles\":%s}\n",
			i + 1, i, values[i]);
	read_as("absurd", 0);
	assert_int_equal(compared.value_count, 1);
	check_near(compared.value[0].value, 3, 0);
}

/* Adds ten runs of three settings, with a noise of 0.5 %. */
static void add_runs(struct random *random, double first)
{
	for (int run = 0; run < 10; run++)
		for (int acc = 1; acc <= 3; acc++) {
			double noise = (double)random_below(random, 1000) / 1e5;

			add_sample("n1", "P", acc, acc, (acc == 1 ? first : 1) * (1 + noise));
		}
}

static int differing(double first, struct differ_row *row)
{
	struct random random = { 5 };
	struct differ_pairs pairs;
	int count, left_out;

	add_runs(&random, 1);
	read_as("a", 0);
	add_runs(&random, first);
	read_as("b", 1);
	compared_finish(&compared);
	pairs = differ_pairs(&compared, &left_out);
	assert_int_equal(pairs.count, 1);
	/* Three settings, the core clock, the shares of quiet trials and of huge pages. */
	assert_int_equal(pairs.pair[0].count, 6);
	count = pairs.pair[0].verdicts[DIFFER_DIFFERS];
	*row = pairs.pair[0].row[0];
	differ_pairs_free(&pairs);
	return count;
}

TEST_WITH(a_difference_beyond_the_spread_of_runs_is_found, begin, end)
{
	struct differ_row row;

	assert_int_equal(differing(1.05, &row), 1);
	assert_string_equal(compared.quantity[row.quantity].subject, "combine pages=auto");
	check_near(row.ratio, 1.05, 0.01);
	assert_int_equal(row.a.runs, 10);
	assert_true(row.chance < 1e-4);
}

TEST_WITH(noise_is_no_difference, begin, end)
{
	struct differ_row row;

	assert_int_equal(differing(1, &row), 0);
}

TEST_WITH(a_large_difference_of_two_runs_is_found_a_small_one_is_not, begin, end)
{
	struct differ_pairs pairs;
	int left_out;

	add_sample("n1", "P", 1, 1, 1);
	add_sample("n1", "P", 2, 2, 1);
	read_as("a", 0);
	add_sample("n1", "P", 1, 1, 1.015);
	add_sample("n1", "P", 2, 2, 1.2);
	read_as("b", 1);
	pairs = differ_pairs(&compared, &left_out);
	assert_int_equal(pairs.pair[0].verdicts[DIFFER_DIFFERS], 1);
	check_near(pairs.pair[0].row[0].ratio, 1.2, 1e-6);
	/* One run may be wrong by 1 %, so two runs that differ by 2 % may be equal. */
	for (int i = 0; i < pairs.pair[0].count; i++) {
		const struct differ_row *row = &pairs.pair[0].row[i];

		if (strcmp(compared.quantity[row->quantity].field, "cpe") != 0)
			continue;
		assert_true(row->room > 0.02 && row->room < 0.03);
		assert_int_equal(row->ratio - 1 > row->room, row->verdict == DIFFER_DIFFERS);
	}
	differ_pairs_free(&pairs);
}

/* Adds ten runs of one setting, of which the first `contended` have no quiet trials. */
static void add_contended(double cpe, int contended)
{
	for (int run = 0; run < 10; run++)
		text_addf(&lines,
			"{\"v\":1,\"record\":\"sample\",\"id\":1,\"host\":\"n1\","
			"\"kernel\":\"combine\",\"knobs\":{\"acc\":2},\"cpe\":%.4f,"
			"\"quiet\":%.3f,\"contended\":%s,\"ghz\":3.7}\n",
			cpe * (run < contended ? 1.3 : 1) + 0.0001 * run,
			run < contended ? 0.01 * run : 0.9 + 0.001 * run,
			run < contended ? "true" : "false");
}

/* Compares two sides, and returns the number of differences. */
static int differing_sides(struct differ_pairs *pairs)
{
	int left_out;

	compared_finish(&compared);
	*pairs = differ_pairs(&compared, &left_out);
	return pairs->pair[0].verdicts[DIFFER_DIFFERS];
}

/* Adds a recording's 60 trials and sample of one setting; every trial is `shift` away from a place
 * between 0.98 and 1.02. */
static void add_recorded(int id, double cpe, double shift)
{
	text_addf(&lines, "{\"v\":1,\"record\":\"trials\",\"id\":%d,\"host\":\"n1\",\"trials\":[",
		id);
	for (int i = 0; i < 60; i++)
		text_addf(&lines, "%s[%.5f,3.7,1,1,%d,0]", i ? "," : "",
			shift + 0.98 + 0.04 * (i * 37 % 60) / 60, i);
	text_add(&lines, "]}\n");
	add_sample("n1", "P", id, id, cpe);
}

TEST_WITH(trials_of_recordings_decide_if_there_is_one_run, begin, end)
{
	struct differ_pairs pairs;
	int differ = 0;

	/* Both medians differ by 5 %; only the trials of the first setting do, too. */
	add_recorded(1, 1, 0);
	add_recorded(2, 1, 0);
	read_as("a", 0);
	add_recorded(1, 1.05, 0.05);
	add_recorded(2, 1.05, 0);
	read_as("b", 1);
	assert_int_equal(compared.trial_count, 240);
	assert_int_equal(differing_sides(&pairs), 1);
	for (int i = 0; i < pairs.pair[0].count; i++) {
		const struct differ_row *row = &pairs.pair[0].row[i];

		if (strcmp(compared.quantity[row->quantity].field, "cpe") != 0)
			continue;
		assert_int_equal(row->verdict == DIFFER_DIFFERS, row->chance < 1e-6);
		differ += row->verdict == DIFFER_DIFFERS;
	}
	assert_int_equal(differ, 1);
	differ_pairs_free(&pairs);
}

/* A sample that was to be replaced does not state its share of quiet trials. It does not count as
 * quiet. */
TEST_WITH(only_stated_shares_of_quiet_trials_count, begin, end)
{
	struct differ_facts facts = { 0 };

	add_contended(3, 10);
	for (int id = 2; id < 12; id++)
		text_addf(&lines,
			"{\"v\":1,\"record\":\"sample\",\"id\":%d,\"host\":\"n1\","
			"\"kernel\":\"combine\",\"knobs\":{\"acc\":3},\"cpe\":2.0,"
			"\"contended\":true,\"ghz\":3.7}\n",
			id);
	read_as("a", 0);
	compared_finish(&compared);
	differ_facts_add(&facts, &compared, 0);
	differ_facts_mean(&facts);
	assert_int_equal(facts.samples, 20);
	assert_true(fabs(facts.quiet - 0.045) < 1e-6);
}

TEST_WITH(contention_of_one_side_is_the_only_difference, begin, end)
{
	struct differ_pairs pairs;

	add_contended(3, 0);
	read_as("a", 0);
	add_contended(3, 9);
	read_as("b", 1);
	assert_int_equal(differing_sides(&pairs), 1);
	assert_string_equal(compared.quantity[pairs.pair[0].row[0].quantity].field, "quiet");
	assert_true(pairs.pair[0].b_causes >> CAUSE_NEIGHBOUR & 1);
	differ_pairs_free(&pairs);
}

/* Adds ten runs of two samples. Other threads run in turn with the second sample. */
static void add_shared(double on_cpu, double runnable)
{
	for (int run = 0; run < 10; run++)
		for (int acc = 1; acc <= 2; acc++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"sample\",\"id\":%d,\"host\":\"n1\","
				"\"kernel\":\"combine\",\"knobs\":{\"acc\":%d},\"cpe\":%d.%d,"
				"\"on_cpu\":%.3f,\"runnable\":%.2f,\"load_average\":%.1f}\n",
				acc, acc, acc, run, acc == 1 ? 1 : on_cpu, runnable + 0.01 * run,
				runnable);
}

/* The causes of the only difference of B, whose samples other threads disturbed. */
static unsigned causes_of_others(double on_cpu, double runnable, const char *field)
{
	struct differ_pairs pairs;
	unsigned causes;

	add_shared(1, 1);
	read_as("a", 0);
	add_shared(on_cpu, runnable);
	read_as("b", 1);
	assert_int_equal(differing_sides(&pairs), 1);
	assert_string_equal(compared.quantity[pairs.pair[0].row[0].quantity].field, field);
	causes = pairs.pair[0].b_causes;
	differ_pairs_free(&pairs);
	compared_free(&compared);
	compared = (struct compared){ 0 };
	return causes;
}

TEST_WITH(a_busy_process_on_the_same_processor_is_no_busy_neighbour, begin, end)
{
	/* The second sample takes three times as long, so two of four units of time are lost. */
	assert_int_equal(causes_of_others(1 / 3.0, 2, "on_cpu"), 1u << CAUSE_PREEMPTED);
	assert_int_equal(causes_of_others(1, 2, "busy"), 1u << CAUSE_BUSY);
}

TEST_WITH(contended_runs_do_not_hide_a_difference_and_make_none, begin, end)
{
	struct differ_pairs pairs;

	add_contended(3, 3);
	read_as("a", 0);
	add_contended(3, 1);
	read_as("b", 1);
	assert_int_equal(differing_sides(&pairs), 0);
	differ_pairs_free(&pairs);
	compared_free(&compared);
	compared = (struct compared){ 0 };
	add_contended(3, 3);
	read_as("a", 0);
	add_contended(3.2, 4);
	read_as("b", 1);
	assert_int_equal(differing_sides(&pairs), 1);
	check_near(pairs.pair[0].row[0].ratio, 3.2 / 3, 0.001);
	differ_pairs_free(&pairs);
}

TEST_WITH(values_of_memory_must_differ_beyond_the_spread_of_sessions, begin, end)
{
	struct differ_pairs pairs;

	/* The latency of memory scatters by 20 %. All values of B are above all values of A. */
	for (int side = 0; side < 2; side++) {
		for (int run = 0; run < 10; run++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"probe\",\"id\":1,\"host\":\"n1\","
				"\"seconds\":%d}\n{\"v\":1,\"record\":\"level\",\"id\":2,"
				"\"host\":\"n1\",\"name\":\"memory\",\"cycles\":500,\"ns\":%d}\n"
				"{\"v\":1,\"record\":\"level\",\"id\":3,\"host\":\"n1\","
				"\"name\":\"L3\",\"cycles\":50,\"ns\":%d}\n",
				run, (side ? 125 : 100) + 2 * run, (side ? 40 : 20) + run % 2);
		/* Only few probes of B find the second TLB. */
		for (int run = 0; run < (side ? 4 : 10); run++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"level\",\"id\":%d,\"host\":\"n1\","
				"\"name\":\"L2 DTLB\",\"cycles\":%d,\"unstable\":true}\n",
				run + 9, side ? 90 : 30);
		/* A step of the curve of pages has no name to compare by. */
		for (int run = 0; run < 10; run++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"level\",\"id\":%d,\"host\":\"n1\","
				"\"name\":\"step\",\"kind\":\"tlb\",\"number\":0,\"entries\":%d}\n",
				run + 90, side ? 900 : 300);
		read_as(side ? "b" : "a", side);
	}
	assert_int_equal(differing_sides(&pairs), 1);
	assert_string_equal(compared.quantity[pairs.pair[0].row[0].quantity].subject, "level L3");
	/* B is slower in L3 only, and A in nothing. */
	assert_int_equal(pairs.pair[0].b_causes, 1u << CAUSE_BEYOND);
	assert_int_equal(pairs.pair[0].a_causes, 0);
	differ_pairs_free(&pairs);
}

/* Compares what was read, and forgets it. */
static int differing_now(void)
{
	struct differ_pairs pairs;
	int differing = differing_sides(&pairs);

	differ_pairs_free(&pairs);
	compared_free(&compared);
	compared = (struct compared){ 0 };
	return differing;
}

/* Compares `runs` probes on each side, whose latencies of memory differ by half. */
static int differing_probes(const char *machine, int runs)
{
	for (int side = 0; side < 2; side++) {
		for (int run = 0; run < runs; run++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"probe\",\"id\":1,\"host\":\"n1\","
				"\"machine\":\"%s\",\"seconds\":%d}\n{\"v\":1,\"record\":\"level\","
				"\"id\":%d,\"host\":\"n1\",\"name\":\"memory\",\"cycles\":500,"
				"\"ns\":%d}\n",
				side ? machine : "P", run, run + 2, side ? 150 : 100);
		read_as(side ? "b" : "a", side);
	}
	return differing_now();
}

TEST_WITH(two_probes_of_one_processor_do_not_show_a_slower_memory, begin, end)
{
	assert_int_equal(differing_probes("P", 1), 0);
	assert_int_equal(differing_probes("P", 3), 1);
	assert_int_equal(differing_probes("Q", 1), 1);
}

TEST_WITH(refused_huge_pages_are_a_difference, begin, end)
{
	struct differ_pairs pairs;

	for (int side = 0; side < 2; side++) {
		for (int run = 0; run < 10; run++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"probe\",\"id\":1,\"host\":\"n1\","
				"\"seconds\":%d%s}\n{\"v\":1,\"record\":\"sample\",\"id\":%d,"
				"\"host\":\"n1\",\"part\":\"latency\",\"x\":4096,\"knobs\":"
				"{\"size\":4096,\"pages\":\"%s\"},\"cpe\":4.%d,\"pages\":\"%s\"}\n",
				run, side ? ",\"huge_refused\":true" : "", run + 2,
				side ? "4k" : "huge", run, side ? "4k" : "huge");
		read_as(side ? "b" : "a", side);
	}
	assert_int_equal(differing_sides(&pairs), 1);
	assert_string_equal(compared.quantity[pairs.pair[0].row[0].quantity].field, "huge");
	assert_true(pairs.pair[0].b_causes >> CAUSE_PAGES & 1);
	differ_pairs_free(&pairs);
}

TEST_WITH(quantities_of_one_side_come_last, begin, end)
{
	struct differ_pairs pairs;
	int left_out;

	for (int side = 0; side < 2; side++) {
		for (int acc = 1; acc <= 16; acc++)
			if (acc % 3 || side == acc % 2)
				add_sample("n1", "P", acc, acc, side ? 1 + 0.0001 * acc : 1);
		read_as(side ? "b" : "a", side);
	}
	pairs = differ_pairs(&compared, &left_out);
	for (int i = 1; i < pairs.pair[0].count; i++) {
		const struct differ_row *row = &pairs.pair[0].row[i];

		assert_false(isnan(row[-1].ratio) && !isnan(row->ratio));
		assert_false(fabs(log(row->ratio)) > fabs(log(row[-1].ratio)));
	}
	assert_true(isnan(pairs.pair[0].row[pairs.pair[0].count - 1].ratio));
	differ_pairs_free(&pairs);
}

TEST_WITH(hosts_on_both_sides_are_compared_with_themselves, begin, end)
{
	struct differ_pairs pairs;
	int left_out;

	add_sample("n1", "P", 1, 1, 1);
	add_sample("n2", "P", 1, 1, 2);
	add_sample("n3", "P", 1, 1, 2);
	read_as("a", 0);
	add_sample("n1", "P", 1, 1, 1);
	add_sample("n2", "P", 1, 1, 3);
	read_as("b", 1);
	pairs = differ_pairs(&compared, &left_out);
	assert_int_equal(pairs.count, 2);
	assert_int_equal(left_out, 1);
	assert_int_equal(pairs.pair[0].verdicts[DIFFER_DIFFERS], 0);
	assert_int_equal(pairs.pair[1].verdicts[DIFFER_DIFFERS], 1);
	check_near(differ_pairs_most(&pairs), 0.5, 1e-6);
	differ_pairs_free(&pairs);
}

TEST(causes_follow_from_recorded_facts)
{
	struct differ_facts usual = { .samples = 10,
		.huge = 10,
		.quiet = 1,
		.l3_bytes = 32e6,
		.uarch = "zen4",
		.microcode = "1",
		.model = "P" },
			    facts = usual;
	const struct compared_quantity clock = { .subject = (char[]){ "core clock" },
		.field = "ghz" },
				       l2 = { .subject = (char[]){ "level L2" }, .field = "bytes" };

	assert_int_equal(differ_causes(&facts, &usual), 0);
	facts.small = 1;
	assert_int_equal(differ_causes(&facts, &usual), 1u << CAUSE_PAGES);
	facts = usual;
	facts.quiet = 0.2;
	assert_int_equal(differ_causes(&facts, &usual), 1u << CAUSE_NEIGHBOUR);
	facts = usual;
	facts.l3_bytes = 16e6;
	facts.microcode = "2";
	assert_int_equal(differ_causes(&facts, &usual), 1u << CAUSE_L3 | 1u << CAUSE_MICROCODE);
	facts = usual;
	facts.uarch = "zen3";
	assert_int_equal(differ_causes(&facts, &usual), 1u << CAUSE_PROCESSOR);
	/* One more busy processor is a cause where the others are idle, and none among thirty. */
	facts = usual;
	facts.shares = usual.shares = 10;
	facts.on_cpu = usual.on_cpu = 1;
	usual.busy = 1;
	facts.busy = 2;
	assert_int_equal(differ_causes(&facts, &usual), 1u << CAUSE_BUSY);
	usual.busy = 30;
	facts.busy = 33;
	assert_int_equal(differ_causes(&facts, &usual), 0);
	facts.busy = 50;
	assert_int_equal(differ_causes(&facts, &usual), 1u << CAUSE_BUSY);
	assert_int_equal(differ_cause_of(&clock, 0.8), 1u << CAUSE_CLOCK);
	assert_int_equal(differ_cause_of(&clock, 1.2), 0);
	assert_int_equal(differ_cause_of(&l2, 0.5), 1u << CAUSE_PROCESSOR);
}

/* Compares `runs` runs of windows on each side. `more`: further members of B's records. */
static int differing_windows(const char *machine, int runs, int b_knee, const char *more)
{
	for (int side = 0; side < 2; side++) {
		for (int run = 0; run < runs; run++)
			text_addf(&lines,
				"{\"v\":1,\"record\":\"windows\",\"id\":1,\"host\":\"n1\","
				"\"machine\":\"%s\",\"seconds\":%d}\n{\"v\":1,\"record\":"
				"\"window\","
				"\"id\":2,\"host\":\"n1\",\"filler\":\"jal\",\"state\":\"done\","
				"\"knee\":%d,\"knee_lo\":%d,\"knee_hi\":%d%s}\n",
				side ? machine : "P", run, side ? b_knee : 48, side ? b_knee : 48,
				side ? b_knee : 48, side ? more : "");
		read_as(side ? "b" : "a", side);
	}
	return differing_now();
}

TEST_WITH(one_run_of_windows_does_not_show_another_processor, begin, end)
{
	assert_int_equal(differing_windows("P", 1, 46, ""), 0);
	assert_int_equal(differing_windows("Q", 1, 46, ""), 1);
	assert_int_equal(differing_windows("P", 3, 40, ""), 1);
	assert_int_equal(differing_windows("P", 3, 40, ",\"contended\":true"), 0);
}

RUN_TESTS()
