/* What every format says of counters: counted, estimated, unavailable, none. */
#include "fakes.h"
#include "written.h"

#include <errno.h>
#include <jansson.h>

#include "model/counts/counts.h"

static struct event_plan plan;
static struct counts counts;
static struct explanation explanation;
static struct sample sample;

static void add(enum event_role role, const char *words, const char *title, const char *name,
	struct count count)
{
	int i = plan.counters.count++;
	struct uarch_event *meaning = &plan.meaning[i];

	meaning->role = role;
	snprintf(meaning->words, sizeof(meaning->words), "%s", words);
	snprintf(meaning->title, sizeof(meaning->title), "%s", title);
	snprintf(meaning->name, sizeof(meaning->name), "%s", name);
	snprintf(plan.counters.event[i].name, sizeof(plan.counters.event[i].name), "%s", name);
	counts.event[counts.count++] = count;
}

static struct count known(double value)
{
	return (struct count){ .state = COUNT_KNOWN,
		.value = value,
		.lo = value * 0.99,
		.hi = value * 1.01,
		.share = 1,
		.passes = 9 };
}

/* Four cycles and eleven instructions an element, in the code as well; all that can be wrong with
 * the others. */
static int set_up(void **state)
{
	struct count scaled = known(0.25);

	scaled.state = COUNT_SCALED;
	scaled.share = 0.5f;
	memset(&plan, 0, sizeof(plan));
	memset(&counts, 0, sizeof(counts));
	plan.counters.id = counts.id = 1;
	counts.groups = 2;
	set_words(counts.pmu, "cpu_core");
	counts.direct = true;
	add(ROLE_CYCLES, "", "cycles", "odd::CYCLES", known(4));
	add(ROLE_INSTRUCTIONS, "", "instructions", "odd::INSTRUCTIONS", known(11));
	add(ROLE_UOPS, "", "micro-ops", "odd::UOPS", known(10.004));
	add(ROLE_PORTS, "", "p2 p3", "odd::PORTS:P23", known(0.75));
	add(ROLE_STALLED, "back end", "stalled: back end", "odd::STALLED:BACK_END", scaled);
	add(ROLE_L1_MISSES, "", "L1 misses", "odd::L1", (struct count){ .state = COUNT_SILENT });
	add(ROLE_L2_MISSES, "", "L2 misses", "odd::L2",
		(struct count){ .state = COUNT_REFUSED, .error = EACCES });
	add(ROLE_L3_MISSES, "", "L3 misses", "odd::L3",
		(struct count){ .state = COUNT_REFUSED, .error = EACCES });
	add(ROLE_DTLB_WALKS, "", "page walks", "odd::WALKS", (struct count){ .state = COUNT_HELD });
	add(ROLE_EXTRA, "", "odd::OTHER", "odd::OTHER", known(0));
	memset(&explanation, 0, sizeof(explanation));
	explanation.loop.path_count = 22;
	explanation.loop.elements = 2;
	explanation.loop.insns_per_element = 11;
	explanation.limits.binding = -1;
	explanation.limits.predicted_by = -1;
	sample = fake_sample(4);
	sample.cycles_from = SOURCE_COUNTER;
	sample.check = 1.001;
	return 0;
}

/* A report of one sample at a time, not begun yet. */
static void prepare_counted(const char *format, const struct subject *subject)
{
	prepare(format, subject);
	report.explanation = &explanation;
	report.events = &plan;
	report.counts = &counts;
	setting_init(&report.setting, &kernel_fold);
}

static void put_sample(void)
{
	const struct run_facts facts = {
		.cpu = 1, .bound = true, .cycles_from = sample.cycles_from, .pages = "4k"
	};

	write_sample(&report.setting, &sample, &facts);
}

/* The end of the report. */
static void finish(void)
{
	end();
	assert_null(strstr(written, "nan"));
}

/* One sample in that format, now in `written`. */
static void write_one(const char *format, const struct subject *subject)
{
	prepare_counted(format, subject);
	report_begin(&report);
	put_sample();
	finish();
}

TEST(text_stands_counts_beside_the_model)
{
	write_one("text", &subject_run);
	check_parts(written, "source: counter\n",
		"counters per element, C counted by cpu_core, M predicted by the core model; read "
		"directly\n",
		"\n  cycles                                4.000 C\n",
		"\n  instructions                          11.00 C    11.00 M\n",
		"\n  instructions a cycle                  2.750 C\n",
		"\n  p2 p3                                 0.750 C\n",
		"\n  stalled: back end                     0.250 C  an estimate", "50 %");
	/* Asked for, counted, and really none. */
	check_contains(written, "\n  odd::OTHER                            0.000 C\n");
	assert_null(strstr(written, "DOUBT"));
}

TEST(text_sums_up_what_is_unavailable)
{
	write_one("text", &subject_run);
	assert_null(strstr(written, "\n  L1 misses  "));
	check_parts(written,
		"\n"
		"  L1 misses: unavailable; stays at zero in a loop where most events occur\n",
		"\n  L2 misses, L3 misses: unavailable; ", "\n  page walks: unavailable; ");
	/* However many they are. */
	for (int i = counts.count; i < COUNTERS_MAX; i++)
		add(ROLE_STALLED, "a long reason", "stalled: a long reason", "odd::L4",
			(struct count){ .state = COUNT_SILENT });
	write_one("text", &subject_run);
	check_contains(written,
		"\n"
		"  31 others: unavailable; stays at zero in a loop where most events occur\n");
}

TEST(text_flags_what_cannot_both_be_right)
{
	counts.event[1].value = 11.12;
	sample.check = 0.97;
	write_one("text", &subject_run);
	check_parts(written, "11.12 C    11.00 M  +0.120\n",
		"11.12 instructions counted, 11.00 in the code: one of the two is wrong\n",
		"the reference chain gives 3.0% fewer cycles than the counter\n");
	/* Within 1 % and 2 %. */
	counts.event[1].value = 11.1;
	sample.check = 1.019;
	write_one("text", &subject_run);
	assert_null(strstr(written, "DOUBT"));
	/* An estimate is no witness. */
	counts.event[1].value = 20;
	counts.event[1].state = COUNT_SCALED;
	write_one("text", &subject_run);
	assert_null(strstr(written, "DOUBT"));
	counts.event[1].state = COUNT_KNOWN;
	/* Where data decide what runs, a sample of them was stepped. */
	counts.event[1].value = 10.5;
	write_one("text", &subject_run);
	check_contains(written, "DOUBT");
	explanation.loop.varies = true;
	write_one("text", &subject_run);
	assert_null(strstr(written, "DOUBT"));
	explanation.loop.varies = false;
	/* Nothing was read of the code. */
	counts.event[1].value = 20;
	explanation.status = status_failed("no decoder");
	write_one("text", &subject_run);
	assert_null(strstr(written, "DOUBT"));
}

TEST(text_has_ipc_in_tables_of_sweeps)
{
	write_one("text", &subject_sweep);
	check_parts(written, "IPC\n", " 2.750\n");
	counts.count = 0;
	write_one("text", &subject_sweep);
	assert_null(strstr(written, "IPC"));
}

TEST(text_has_columns_of_events_that_were_asked_for)
{
	static const char *const asked[] = { "odd::OTHER", "ODD::ports:p23", "odd::L1",
		"odd::NOT_IN_THE_PLAN" };

	prepare_counted("text", &subject_sweep);
	report.asked = asked;
	report.asked_count = 4;
	report_begin(&report);
	put_sample();
	finish();
	check_parts(written, "   IPC    OTHER  ports:p23       L1  NOT_IN_THE_PLAN\n",
		" 2.750    0.000      0.750        -                -\n");
}

/* Where nothing could be counted, formats are as if nobody had asked. */
TEST(without_counters_nothing_is_said)
{
	static const char *const names[] = { "text", "csv", "json" };

	sample.cycles_from = SOURCE_REFERENCE;
	sample.check = NAN;
	counts.count = 0;
	set_words(counts.why, "this guest was given none");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *with;

		write_one(names[i], &subject_run);
		with = strdup(written);
		prepare_counted(names[i], &subject_run);
		report_begin(&report);
		report.events = NULL;
		report.counts = NULL;
		put_sample();
		finish();
		assert_string_equal(with, written);
		free(with);
	}
}

static const char *word_at(const json_t *list, size_t index)
{
	const char *word = json_string_value(json_array_get(list, index));

	return word ? word : "";
}

TEST(json_has_every_event_with_its_state)
{
	json_t *object, *events, *event;
	size_t seen = 0;
	char *line;

	write_one("json", &subject_run);
	line = strtok(written, "\n");
	object = parse(line);
	check_members(object,
		"{'instructions': 11, 'ipc': 2.75, 'check': 1.001, 'cycles_from': 'counter'}");
	json_decref(object);
	while ((line = strtok(NULL, "\n"))) {
		assert_true(strlen(line) < RECORD_MOST);
		object = parse(line);
		check_members(object, "{'record': 'counters', 'id': 1, 'passes': 2, 'pmu': "
				      "'cpu_core', 'direct': true}");
		events = json_object_get(object, "events");
		for (size_t i = 0; i < json_array_size(events); i++, seen++) {
			const struct count *count = &counts.event[seen];

			event = json_array_get(events, i);
			assert_string_equal(word_at(event, 0), plan.counters.event[seen].name);
			assert_string_equal(word_at(event, 5), counts_state(count->state));
			if (count_known(count))
				check_near(json_real_value(json_array_get(event, 2)), count->value,
					1e-12);
			else
				assert_true(json_is_null(json_array_get(event, 2)) &&
					    *word_at(event, 6));
			if (count->state == COUNT_REFUSED)
				assert_int_equal(
					json_integer_value(json_array_get(event, 7)), EACCES);
			if (count->state == COUNT_SCALED)
				check_near(json_real_value(json_array_get(event, 6)), 0.5, 1e-12);
			if (seen == 3)
				assert_string_equal(word_at(event, 1), "ports p2 p3");
			if (seen == 4)
				assert_string_equal(word_at(event, 1), "stalled back end");
		}
		json_decref(object);
	}
	assert_int_equal(seen, counts.count);
}

/* As many events as there can be, of the longest names: further records, none too long, each event
 * once. */
TEST(json_lines_stay_short)
{
	unsigned records = 0;
	size_t seen = 0;
	char name[COUNTER_NAME], *line;

	while (counts.count < COUNTERS_MAX) {
		memset(name, 'N', sizeof(name) - 1);
		snprintf(name + 100, sizeof(name) - 100, "%059d", counts.count);
		add(ROLE_EXTRA, "", "long", name,
			(struct count){ .state = COUNT_REFUSED, .error = ENOENT });
	}
	write_one("json", &subject_run);
	for (line = strtok(written, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *object = parse(line);

		assert_true(strlen(line) < RECORD_MOST);
		seen += json_array_size(json_object_get(object, "events"));
		records += json_object_get(object, "events") != NULL;
		json_decref(object);
	}
	assert_int_equal(seen, COUNTERS_MAX);
	assert_true(records > 4 && records < 40);
}

/* What is beside a sample does not count as one. */
TEST(json_ids_number_samples)
{
	prepare_counted("json", &subject_sweep);
	report_begin(&report);
	put_sample();
	put_sample();
	finish();
	assert_int_equal(report.records, 2);
	check_parts(
		written, "\"record\":\"sample\",\"id\":2,", "\"record\":\"counters\",\"id\":2,");
	assert_null(strstr(written, "\"id\":3"));
}

TEST(json_says_why_where_events_were_asked_for)
{
	json_t *object;

	prepare_counted("json", &subject_run);
	report_begin(&report);
	counts.count = 0;
	set_words(counts.why, "this guest was given none");
	report.asked_count = 1;
	put_sample();
	finish();
	strtok(written, "\n");
	object = parse(strtok(NULL, "\n"));
	check_members(object,
		"{'record': 'counters', 'why': 'this guest was given none', 'events': null}");
	assert_null(strtok(NULL, "\n"));
	json_decref(object);
}

TEST(csv_has_a_column_for_each_event_that_counts)
{
	char *line;

	prepare_counted("csv", &subject_sweep);
	report_begin(&report);
	put_sample();
	/* Of the next cell one is missing, and another comes that has no column. */
	counts.event[2].state = COUNT_HELD;
	counts.event[5] = known(7);
	put_sample();
	/* And of one there is nothing. */
	report.counts = NULL;
	put_sample();
	finish();
	line = strtok(written, "\n");
	check_contains(line, ",c_cycles,c_instructions,c_uops,c_p2_p3,c_stalled_back_end,"
			     "c_odd::OTHER");
	assert_string_equal(strrchr(line, ','), ",c_odd::OTHER");
	line = strtok(NULL, "\n");
	check_contains(line, ",4,11,10.004,0.75,0.25,0");
	line = strtok(NULL, "\n");
	check_contains(line, ",4,11,,0.75,0.25,0");
	line = strtok(NULL, "\n");
	assert_string_equal(line + strlen(line) - 6, ",,,,,,");
}

TEST(states_have_words)
{
	enum count_state back;

	for (int i = 0; i <= COUNT_HELD; i++) {
		assert_true(counts_state_find(counts_state((enum count_state)i), &back));
		assert_int_equal(back, i);
	}
	assert_false(counts_state_find("unheard-of", &back));
}

TEST(reads_counts_by_their_role)
{
	check_near(counts_of(&plan, &counts, ROLE_CYCLES), 4, 0);
	assert_true(isnan(counts_of(&plan, &counts, ROLE_L1_MISSES)));
	assert_true(isnan(counts_of(&plan, &counts, ROLE_BRANCHES)));
	assert_true(isnan(counts_of(NULL, &counts, ROLE_CYCLES)));
	assert_true(isnan(counts_of(&plan, NULL, ROLE_CYCLES)));
	/* Of another plan. */
	counts.id = 2;
	assert_true(isnan(counts_of(&plan, &counts, ROLE_CYCLES)));
	assert_true(isnan(counts_ipc(&plan, &counts)));
	counts.id = 1;
	counts.event[0].value = 0;
	assert_true(isnan(counts_ipc(&plan, &counts)));
	assert_false(counts_instructions_differ(11, 11.1, false));
	assert_false(counts_instructions_differ(1.88, 1.9375, true));
	assert_true(counts_instructions_differ(1.88, 2.1, true));
	assert_true(counts_instructions_differ(11, 11.2, false));
	assert_false(counts_instructions_differ(NAN, 11, false));
	assert_true(counts_clocks_differ(1.03));
	assert_false(counts_clocks_differ(NAN));
}

RUN_TESTS(.each_set_up = set_up)
