#include "fakes.h"
#include "table.h"

#include "experiment/setting/setting.h"
#include "kernels/knob_rows.h"

static const uint64_t LIMIT = (UINT64_C(23) << 30) / 2; /* 11.5 GiB */
static const struct memory_limits MEMORY_LIMITS = { .memory = (UINT64_C(23) << 30) / 2 };

static struct setting fold(int64_t op, int64_t unroll, int64_t acc, int64_t size, int64_t stride)
{
	return (struct setting){ &kernel_fold, { op, unroll, acc, size, stride } };
}

/* Moves a knob by steps. It must then have the expected value, and report whether it moved. */
static void check_step(struct setting *setting, int knob, int steps, int64_t expected,
	struct memory_limits memory_limits)
{
	bool moves = setting->v[knob] != expected;

	assert_int_equal(setting_step(setting, knob, steps, memory_limits), moves);
	assert_true(setting->v[knob] == expected);
}

TEST(finds_kernels_and_suggests)
{
	const struct kernel *kernel;

	check_ok(setting_find_kernel("walk-list", &kernel));
	assert_ptr_equal(kernel, &kernel_walk);
	check_usage(setting_find_kernel("flod", &kernel), "no kernel \"flod\"; did you mean fold?");
	assert_null(kernel);
	check_usage(setting_find_kernel("xyzzy", &kernel),
		"no kernel \"xyzzy\"; slexplore list shows all");
	check_usage(setting_find_kernel("", &kernel), "no kernel \"\"; slexplore list shows all");
}

TEST(parses_each_kind)
{
	static const struct {
		int knob;
		const char *typed;
		int64_t value;
	} rows[] = { { FOLD_OP, "mul", 1 }, { FOLD_ACC, "16", 16 }, { FOLD_SIZE, "64k", 65536 },
		{ FOLD_SIZE, "999g", INT64_C(999) << 30 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t value = -1;

		check_ok(setting_parse_value(&fold_knobs[rows[i].knob], rows[i].typed,
			i < 3 ? MEMORY_LIMITS : MEMORY_LIMITS_UNKNOWN, &value));
		assert_true(value == rows[i].value);
	}
}

/* A count takes a suffix if it can be a million or more. */
TEST(large_counts_take_suffixes)
{
	struct knob count = KNOB_ROW_COUNT("n", "", 0, 1 << 20, 0);
	int64_t value = 0;

	check_ok(setting_parse_value(&count, "1m", MEMORY_LIMITS, &value));
	assert_int_equal(value, 1 << 20);
	count.max--;
	assert_int_equal(
		setting_parse_value(&count, "1k", MEMORY_LIMITS, &value).code, STATUS_USAGE);
}

TEST(values_are_written_as_typed_and_shown_short)
{
	static const struct knob many = {
		.name = "n", .kind = KNOB_COUNT, .max = INT64_C(1) << 32
	};
	static const struct {
		const struct knob *knob;
		int64_t value;
		const char *typed, *shown;
	} rows[] = {
		{ &fold_knobs[FOLD_OP], 0, "add", "add" },
		{ &fold_knobs[FOLD_OP], 1, "mul", "mul" },
		{ &fold_knobs[FOLD_OP], 2, "2", "2" },
		{ &fold_knobs[FOLD_OP], -1, "-1", "-1" },
		{ &fold_knobs[FOLD_SIZE], 1000000, "1000000", "976.5k" },
		{ &fold_knobs[FOLD_SIZE], 65536, "64k", "64k" },
		{ &fold_knobs[FOLD_ACC], 1024, "1024", "1024" },
		{ &many, INT64_C(1) << 30, "1073741824", "1g" },
		{ &many, 1000000007, "1000000007", "1000000007" },
		{ &many, 65536, "65536", "65536" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_string_equal(setting_value(rows[i].knob, rows[i].value).text, rows[i].typed);
		assert_string_equal(setting_shown(rows[i].knob, rows[i].value).text, rows[i].shown);
	}
}

TEST(a_setting_is_read_from_words)
{
	static const struct {
		const char *words;
		bool good;
		int64_t acc;
	} rows[] = { { "fold unroll=4 acc=3", true, 3 }, { "fold", true, 1 },
		{ "fold acc=5", false, 0 }, { "fold acc=99", false, 0 }, { "fold acc", false, 0 },
		{ "flod acc=3", false, 0 }, { "fold unroll=8 acc=5 size=4k", true, 5 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct setting setting;

		if (setting_read(&setting, rows[i].words) != rows[i].good)
			fail_msg("%s", rows[i].words);
		if (rows[i].good)
			assert_int_equal(setting.v[FOLD_ACC], rows[i].acc);
	}
}

TEST(says_what_would_be_right)
{
	struct table table;

	table_open(&table, "setting", "bad values");
	while (table_next(&table, 3)) {
		int64_t value = 42;

		check_usage(setting_parse_value(fake_knob(table.field[0]), table.field[1],
				    MEMORY_LIMITS, &value),
			table.field[2]);
		assert_int_equal(value, 42);
	}
	check_usage(setting_parse_value(&fold_knobs[FOLD_SIZE], "99999999t", MEMORY_LIMITS_UNKNOWN,
			    &(int64_t){ 0 }),
		"size=99999999t: use a size such as 32k, from 64 and up");
}

TEST(messages_stay_one_short_line)
{
	char longer[5000];
	struct status status;
	int64_t value;

	memset(longer, '7', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	status = setting_parse_value(&fold_knobs[FOLD_ACC], longer, MEMORY_LIMITS, &value);
	check_contains(status.text, ": use a whole number from 1 to 16");
	status = setting_parse_value(&fold_knobs[FOLD_ACC], "4\n\033[2J", MEMORY_LIMITS, &value);
	assert_string_equal(status.text, "acc=4??[2J: use a whole number from 1 to 16");
}

TEST(assigns_knobs)
{
	static const char *const wrong[][2] = {
		{ "unrol=4", "fold has no knob \"unrol\"; did you mean unroll?" },
		{ "colour=4", "fold has no knob \"colour\"; one of op, unroll, acc, size, stride" },
		{ "acc", "\"acc\": write KNOB=VALUE, as in op=add" },
		{ "=4", "\"=4\": write KNOB=VALUE, as in op=add" },
		{ "", "\"\": write KNOB=VALUE, as in op=add" },
		{ "acc=4=4", "acc=4=4: use a whole number from 1 to 16" },
	};
	struct setting setting;

	memset(&setting, 1, sizeof(setting));
	setting_init(&setting, &kernel_fold);
	assert_int_equal(setting.v[KNOBS_MAX - 1], 0);
	check_ok(setting_assign(&setting, "acc=3", MEMORY_LIMITS));
	check_ok(setting_assign(&setting, "op=mul", MEMORY_LIMITS));
	assert_int_equal(setting.v[FOLD_ACC], 3);
	assert_int_equal(setting.v[FOLD_OP], 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_usage(setting_assign(&setting, wrong[i][0], MEMORY_LIMITS), wrong[i][1]);
	assert_int_equal(setting.v[FOLD_ACC], 3);
}

TEST(checks_ranges_combination_and_memory)
{
	struct setting good = fold(0, 4, 4, 32768, 1), range = fold(0, 17, 1, 32768, 1);
	struct setting combination = fold(0, 2, 4, 32768, 1), choice = fold(2, 2, 1, 32768, 1);
	struct setting beyond = fold(0, 4, 4, INT64_C(12) << 30, 1);

	check_ok(setting_check(&good, MEMORY_LIMITS));
	check_ok(setting_check(&good, MEMORY_LIMITS_UNKNOWN));
	check_usage(
		setting_check(&range, MEMORY_LIMITS), "unroll=17: use a whole number from 1 to 16");
	check_usage(setting_check(&combination, MEMORY_LIMITS), "acc=4 needs unroll=4 or more");
	check_usage(setting_check(&choice, MEMORY_LIMITS), "op=2: use add or mul");
	check_usage(setting_check(&beyond, MEMORY_LIMITS),
		"size=12g is beyond half of this machine's free memory (11.5 GiB)");
	check_ok(setting_check(&beyond, MEMORY_LIMITS_UNKNOWN));
}

TEST(steps_stay_in_range_and_fit_the_others)
{
	struct setting setting = fold(0, 4, 4, 32768, 1);

	check_step(&setting, FOLD_UNROLL, -2, 2, MEMORY_LIMITS);
	assert_int_equal(setting.v[FOLD_ACC], 2);
	check_step(&setting, FOLD_ACC, +5, 7, MEMORY_LIMITS);
	assert_int_equal(setting.v[FOLD_UNROLL], 7);
	check_step(&setting, FOLD_UNROLL, +1000000, 16, MEMORY_LIMITS);
	assert_false(setting_step(&setting, FOLD_UNROLL, +1, MEMORY_LIMITS));
	check_step(&setting, FOLD_UNROLL, -1000000, 1, MEMORY_LIMITS);
	assert_false(setting_step(&setting, FOLD_UNROLL, -1, MEMORY_LIMITS));
	assert_false(setting_step(&setting, FOLD_UNROLL, 0, MEMORY_LIMITS));
	assert_true(setting_step(&setting, FOLD_OP, +1, MEMORY_LIMITS));
	assert_false(setting_step(&setting, FOLD_OP, +1, MEMORY_LIMITS));
}

TEST(sizes_step_on_a_ladder)
{
	struct setting setting = fold(0, 1, 1, 32768, 1);

	check_step(&setting, FOLD_SIZE, +1, 65536, MEMORY_LIMITS);
	check_step(&setting, FOLD_SIZE, -2, 16384, MEMORY_LIMITS);
	/* From between two rungs to the next rung. */
	setting.v[FOLD_SIZE] = 20000;
	check_step(&setting, FOLD_SIZE, +1, 32768, MEMORY_LIMITS);
	setting.v[FOLD_SIZE] = 20000;
	check_step(&setting, FOLD_SIZE, -1, 16384, MEMORY_LIMITS);
	/* The upper end is what the machine has; from there down to a round size again. */
	setting.v[FOLD_SIZE] = INT64_C(8) << 30;
	check_step(&setting, FOLD_SIZE, +1, (int64_t)LIMIT, MEMORY_LIMITS);
	assert_false(setting_step(&setting, FOLD_SIZE, +1, MEMORY_LIMITS));
	check_step(&setting, FOLD_SIZE, -1, INT64_C(8) << 30, MEMORY_LIMITS);
	check_step(&setting, FOLD_SIZE, -100, 64, MEMORY_LIMITS);
	assert_false(setting_step(&setting, FOLD_SIZE, -1, MEMORY_LIMITS));
	/* Without a known limit a long way up ends without overflow. */
	assert_true(setting_step(&setting, FOLD_SIZE, +1000, MEMORY_LIMITS_UNKNOWN));
	assert_true(setting.v[FOLD_SIZE] > INT64_C(1) << 60);
	assert_false(setting_step(&setting, FOLD_SIZE, +1, MEMORY_LIMITS_UNKNOWN));
}

/* A kernel with one knob, as in the row. */
TEST(steps_land_on_exact_values)
{
	struct table table;

	table_open(&table, "setting", "steps");
	while (table_next(&table, 1)) {
		double n[8];

		table_numbers(&table, 0, n, 8);

		const struct knob knob = KNOB_ROW_COUNT("n", "", (int64_t)n[0], (int64_t)n[1],
			(int64_t)n[2], .multiple = (int64_t)n[3], .factor = (int64_t)n[4]);
		const struct kernel kernel = {
			.name = "k", .knobs = &knob, .knob_count = 1, .footprint = first_size
		};
		struct setting setting = { &kernel, { (int64_t)n[5] } };

		assert_int_equal(setting_step(&setting, 0, (int)n[6], MEMORY_LIMITS), n[5] != n[7]);
		if (setting.v[0] != (int64_t)n[7])
			table_fail(&table, "gives %lld", (long long)setting.v[0]);
	}
}

/* Without knobs an example is made up. */
TEST(a_kernel_without_knobs_shows_an_example)
{
	static const struct kernel bare = { .name = "bare" };
	const char *values;
	int knob;

	check_usage(setting_split(&bare, "x", &knob, &values),
		"\"x\": write KNOB=VALUE, as in size=32k");
}

TEST(steps_respect_multiples)
{
	struct setting setting;

	setting_init(&setting, &kernel_walk);
	check_step(&setting, WALK_SPACING, +2, 48, MEMORY_LIMITS);
	check_step(&setting, WALK_SPACING, +100, 256, MEMORY_LIMITS);
	setting.v[WALK_SIZE] = 16;
	assert_false(setting_step(&setting, WALK_SIZE, -1, MEMORY_LIMITS));
	assert_true(
		setting_step(&setting, WALK_SIZE, +100, (struct memory_limits){ .memory = 1000 }));
	assert_int_equal(setting.v[WALK_SIZE], 992);
	check_ok(setting_check(&setting, (struct memory_limits){ .memory = 1000 }));
}

TEST(steps_pass_over_what_nothing_fits)
{
	struct setting setting;

	setting_init(&setting, &kernel_odd);
	check_step(&setting, 0, +1, 5, MEMORY_LIMITS);
	check_step(&setting, 0, -1, 3, MEMORY_LIMITS);
	setting.v[0] = 9;
	assert_false(setting_step(&setting, 0, +1, MEMORY_LIMITS));
	assert_int_equal(setting.v[0], 9);
}

TEST(writes_what_it_reads)
{
	struct setting setting = fold(1, 8, 4, 98304, 3), again;
	struct text text = { 0 };
	char *word, *rest;

	setting_format(&setting, &text);
	assert_string_equal(text_string(&text), "fold op=mul unroll=8 acc=4 size=96k stride=3");
	setting_init(&again, &kernel_fold);
	assert_false(setting_equal(&again, &setting));
	word = strtok_r(text.bytes, " ", &rest);
	while ((word = strtok_r(NULL, " ", &rest)))
		check_ok(setting_assign(&again, word, MEMORY_LIMITS));
	assert_true(setting_equal(&again, &setting));
	text_free(&text);
	setting_init(&again, &kernel_walk);
	assert_false(setting_equal(&again, &setting));
}

TEST(ranges_in_words)
{
	static const struct {
		const struct knob *knob;
		uint64_t limit;
		const char *words;
	} rows[] = {
		{ &fold_knobs[FOLD_ACC], 0, "1 to 16" },
		{ &fold_knobs[FOLD_OP], 0, "add or mul" },
		{ &walk_knobs[WALK_ORDER], 0, "sequential, random or reverse" },
		{ &walk_knobs[WALK_SPACING], 0, "16 to 256, in steps of 16" },
		{ &fold_knobs[FOLD_SIZE], 0, "64 and up" },
		{ &fold_knobs[FOLD_SIZE], 1 << 20, "64 to 1m (half of the free memory)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct memory_limits limits = { .memory = rows[i].limit };

		assert_string_equal(setting_range(rows[i].knob, limits).text, rows[i].words);
	}
	assert_int_equal(setting_max(&fold_knobs[FOLD_OP], MEMORY_LIMITS_UNKNOWN), 1);
	assert_int_equal(
		setting_max(&fold_knobs[FOLD_SIZE], (struct memory_limits){ .memory = 1000 }),
		1000);
	assert_int_equal(
		setting_max(&walk_knobs[WALK_SIZE], (struct memory_limits){ .memory = 1000 }), 992);
	assert_int_equal(
		setting_max(&walk_knobs[WALK_SPACING], (struct memory_limits){ .memory = 100 }),
		256);
}

/* A size with a maximum of its own promises no more than the machine has. */
TEST(memory_bounds_every_size)
{
	static const struct knob knob = KNOB_ROW_BYTES(
		"size", "", 512, (int64_t)24 << 30, 4096, .axis = AXIS_SIZE, .factor = 2);
	const struct memory_limits small = { .memory = (uint64_t)8 << 30 },
				   large = { .memory = (uint64_t)1 << 40 };
	int64_t value;

	assert_string_equal(
		setting_range(&knob, small).text, "512 to 8g (half of the free memory)");
	assert_string_equal(setting_range(&knob, large).text, "512 to 24g");
	assert_string_equal(setting_range(&knob, MEMORY_LIMITS_UNKNOWN).text, "512 to 24g");
	check_usage(setting_parse_value(&knob, "20g", small, &value),
		"size=20g is beyond half of this machine's free memory (8 GiB)");
}

/* A kernel whose knobs ask for everything that the engine gives. */
enum { PLACED_SIZE, PLACED_PAGES, PLACED_NODE, PLACED_CORES, PLACED_STREAMS, PLACED_KNOBS };

static const struct knob placed_knobs[] = {
	[PLACED_SIZE] = KNOB_ROW_SIZE("bytes", 16384),
	[PLACED_PAGES] = KNOB_ROW_PAGES,
	[PLACED_NODE] = KNOB_ROW_NODE,
	[PLACED_CORES] = KNOB_ROW_CORES,
	[PLACED_STREAMS] = KNOB_ROW_STREAMS,
};

static uint64_t placed_footprint(const int64_t *v)
{
	return (uint64_t)v[PLACED_SIZE];
}

static const struct kernel placed = { .name = "placed",
	.knobs = placed_knobs,
	.knob_count = PLACED_KNOBS,
	.footprint = placed_footprint };

static uint64_t doubled_footprint(const int64_t *v)
{
	return 2 * (uint64_t)v[PLACED_SIZE];
}

static const struct kernel doubled = { .name = "doubled",
	.knobs = placed_knobs,
	.knob_count = PLACED_KNOBS,
	.footprint = doubled_footprint };

TEST(cores_go_as_far_as_this_process_may)
{
	const struct memory_limits one = { .processors = 1 }, two = { .processors = 2 },
				   many = { .processors = 64 };
	const struct knob *cores = &placed_knobs[PLACED_CORES],
			  *streams = &placed_knobs[PLACED_STREAMS];
	struct setting setting;
	int64_t value;

	check_ok(setting_parse_value(cores, "2", two, &value));
	assert_int_equal(value, 2);
	check_ok(setting_parse_value(cores, "1000", MEMORY_LIMITS_UNKNOWN, &value));
	check_usage(setting_parse_value(cores, "3", two, &value),
		"cores=3: this process may use only 2 processors");
	check_usage(setting_parse_value(cores, "2", one, &value),
		"cores=2: this process may use only 1 processor");
	check_usage(setting_parse_value(cores, "0", two, &value),
		"cores=0: use a whole number from 1 to 2");
	check_usage(setting_parse_value(cores, "1k", two, &value),
		"cores=1k: use a whole number from 1 to 2");
	check_usage(setting_parse_value(streams, "2", two, &value),
		"streams=2: this process may use only 2 processors, which includes the measured "
		"one");
	assert_int_equal(setting_max(cores, many), 64);
	assert_int_equal(setting_max(streams, many), 63);
	assert_int_equal(setting_max(streams, one), 0);
	assert_string_equal(setting_range(cores, MEMORY_LIMITS_UNKNOWN).text, "1 to all");
	assert_string_equal(setting_range(streams, MEMORY_LIMITS_UNKNOWN).text, "0 to all but one");
	assert_string_equal(setting_range(streams, many).text, "0 to 63");

	setting_init(&setting, &placed);
	check_step(&setting, PLACED_CORES, +100, 64, many);
	check_ok(setting_check(&setting, many));
	setting.v[PLACED_STREAMS] = 1;
	check_usage(setting_check(&setting, many),
		"cores=64 and streams=1: this process may use 64 processors");
	check_usage(
		setting_check(&setting, two), "cores=64: this process may use only 2 processors");
	check_ok(setting_check(&setting, MEMORY_LIMITS_UNKNOWN));
}

TEST(nodes_go_as_far_as_this_process_may)
{
	const struct memory_limits one = { .node_end = 1 }, many = { .node_end = 64 };
	const struct knob *node = &placed_knobs[PLACED_NODE];
	struct setting setting;
	int64_t value;

	assert_int_equal(setting_max(node, one), 1);
	assert_int_equal(setting_max(node, many), 16);
	assert_int_equal(setting_max(node, MEMORY_LIMITS_UNKNOWN), 16);
	check_ok(setting_parse_value(node, "0", one, &value));
	check_ok(setting_parse_value(node, "15", MEMORY_LIMITS_UNKNOWN, &value));
	check_usage(setting_parse_value(node, "1", one, &value),
		"node=1: the last memory node that this process may use is 0");
	check_usage(setting_parse_value(node, "x", one, &value), "node=x: use local or 0");
	setting_init(&setting, &placed);
	check_step(&setting, PLACED_NODE, +100, 1, one);
}

TEST(memory_is_counted_for_all_cores)
{
	const struct memory_limits memory_limits = { .memory = 256 << 20, .processors = 8 };
	struct setting setting;

	setting_init(&setting, &placed);
	setting.v[PLACED_SIZE] = 64 << 20;
	setting.v[PLACED_CORES] = 4;
	check_ok(setting_check(&setting, memory_limits));
	setting.v[PLACED_CORES] = 5;
	check_usage(setting_check(&setting, memory_limits),
		"placed needs 320 MiB here, for all cores together, beyond half of this machine's "
		"free memory (256 MiB)");
	setting.v[PLACED_CORES] = 1;
	setting.v[PLACED_STREAMS] = 3;
	check_ok(setting_check(&setting, memory_limits));
	setting.v[PLACED_STREAMS] = 4;
	assert_int_equal(setting_check(&setting, memory_limits).code, STATUS_USAGE);
	/* What bounds it is named. */
	setting.v[PLACED_SIZE] = 1 << 30;
	check_usage(setting_check(&setting, (struct memory_limits){ .memory = 256 << 20,
						    .bound = MEMORY_LIMITS_GROUP }),
		"size=1g is beyond half of what the control group still allows (256 MiB)");
	check_usage(setting_check(&setting, (struct memory_limits){ .memory = 256 << 20,
						    .bound = MEMORY_LIMITS_ADDRESSES }),
		"size=1g is beyond half of what ulimit -v still allows (256 MiB)");
	/* One core that needs more than its size. */
	setting.v[PLACED_SIZE] = 200 << 20;
	setting.v[PLACED_CORES] = 1;
	setting.v[PLACED_STREAMS] = 0;
	check_ok(setting_check(&setting, memory_limits));
	setting.kernel = &doubled;
	check_usage(setting_check(&setting, memory_limits),
		"doubled needs 400 MiB here, beyond half of this machine's free memory (256 MiB)");
	setting.v[PLACED_SIZE] = 128 << 20;
	check_ok(setting_check(&setting, memory_limits));
	setting.kernel = &placed;
	/* More than can be counted is more than there is. */
	setting.v[PLACED_SIZE] = INT64_MAX;
	setting.v[PLACED_CORES] = 8;
	assert_true(kernel_need(&placed, setting.v).memory == UINT64_MAX);
}

RUN_TESTS()
