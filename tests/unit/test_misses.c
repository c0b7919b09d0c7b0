/* The textbook's exercises, and what was measured where the textbook stops. */
#include "check.h"
#include "table.h"

#include <math.h>

#include "model/limits/misses.h"

static const double KIB = 1024, MIB = 1024 * 1024;

/* The misses of a walk in caches of three levels. */
static struct misses find(
	const struct kernel_walk *walk, double working_set, double l1, double l2, double l3)
{
	struct misses misses;

	const struct cache_sizes caches = {
		.level = { { .bytes = l1 }, { .bytes = l2 }, { .bytes = l3 } }, .line = 64
	};

	misses_find(walk, working_set, &caches, &misses);
	return misses;
}

/* An array of elements of so many bytes, read at a stride, in one cache. */
static struct misses ask(double size, double stride, double element, double line, double bytes)
{
	const struct cache_sizes caches = { .level[0].bytes = bytes, .line = line };
	/* Kernels count in lines of 64 bytes. */
	struct kernel_walk walk = {
		.lines = fmin(1, stride * element / 64), .step = stride * element, .access = "read"
	};
	struct misses misses;

	misses_find(&walk, size, &caches, &misses);
	assert_true(misses.known);
	return misses;
}

static void check_words(const struct misses *misses, int level, const char *expected)
{
	check_contains(misses_words(misses, level).text, expected);
}

static void check_note(const struct misses *misses, const char *expected)
{
	assert_string_equal(misses_note(misses, 0).text, expected);
}

/* What is the miss rate? What if the cache were twice as large? */
TEST(the_textbooks_exercises)
{
	struct table table;

	table_open(&table, "misses", "exercises");
	while (table_next(&table, 2)) {
		struct misses_whatif twice = { 0 };
		struct misses misses, then;
		double n[5], rate[2];

		table_numbers(&table, 0, n, 5);
		table_numbers(&table, 1, rate, 2);
		misses = ask(n[0] * KIB, n[1], n[2], n[3], n[4] * KIB);
		check_near(misses.level[0].each, rate[0], 1e-9);
		check_ok(misses_whatif_parse("2x", &twice));
		misses_if(&misses, &twice, &then);
		check_near(then.level[0].each, rate[1], 1e-9);
		check_near(then.level[0].bytes, 2 * n[4] * KIB, 0);
	}
}

/* L1 of 48 KiB, lines of 64 bytes, measured: where the walk stays fast it fits. */
TEST(strides_that_leave_lines_out_need_less)
{
	static const struct {
		double size, stride;
		bool fits;
	} measured[] = { { 128, 24, true }, { 256, 24, false }, { 64, 17, true },
		{ 128, 17, false }, { 80, 15, true }, { 88, 15, true }, { 128, 15, false },
		{ 64, 12, true }, { 88, 12, false }, { 48, 16, true }, { 64, 16, false },
		{ 48, 32, true }, { 64, 32, false }, { 64, 9, false }, { 64, 8, false } };

	for (unsigned i = 0; i < sizeof(measured) / sizeof(*measured); i++) {
		struct misses misses =
			ask(measured[i].size * KIB, measured[i].stride, 8, 64, 48 * KIB);

		assert_int_equal(misses.level[0].fits, measured[i].fits);
	}
	check_near(misses_held(128 * KIB, 192, 64, true), 128 * KIB / 3, 1e-6);
	check_near(misses_held(128 * KIB, 384, 64, true), 128 * KIB / 3, 1e-6);
	check_near(misses_held(128 * KIB, 384, 64, false), 128 * KIB / 6, 1e-6);
	check_near(misses_held(128 * KIB, 96, 64, true), 128 * KIB * 2 / 3, 1e-6);
	check_near(misses_held(128 * KIB, 0, 64, true), 128 * KIB, 0);
	check_near(misses_held(128 * KIB, 64, 64, true), 128 * KIB, 0);
	/* No step leaves fewer sets than one, of those that a page of lines has. */
	check_near(misses_crowd(4096, 64), 64, 0);
	check_near(misses_crowd(4160, 64), 1, 0);
	check_near(misses_crowd(65536, 64), 64, 0);
	check_near(misses_crowd(8200, 64), 1, 0);
}

TEST(every_level_has_its_own_answer)
{
	const struct kernel_walk copy = { .lines = 2, .step = 128, .access = "copy" };
	struct misses misses = find(&copy, 1 * MIB, 48 * KIB, 2 * MIB, 0);

	check_near(misses.level[0].each, 2, 0);
	check_near(misses.level[1].each, 0, 0);
	assert_true(isnan(misses.level[2].each));
	check_words(&misses, 0, "every copy misses 2 times: 2 lines for each");
	check_words(&misses, 1, "no miss after the first pass: all 1 MiB stay");
	check_words(&misses, 2, "unavailable: the size of this cache is not known");
}

/* A list in random order visits each line once in a pass, so a cache holds all lines or none. */
TEST(a_list_in_random_order_misses_each_line_beyond_the_cache)
{
	struct kernel_walk list = {
		.lines = 1, .step = 64, .scattered = true, .visits = 1, .access = "node"
	};
	struct misses misses = find(&list, 1 * MIB, 48 * KIB, 2 * MIB, 0);

	check_words(&misses, 0, "every node is a miss: 1 line for each");
	check_words(&misses, 1, "no miss after the first pass: all 1 MiB stay");
	/* Nodes of every second line. */
	list.step = 0;
	list.range = 512 * KIB;
	misses = find(&list, 1 * MIB, 48 * KIB, 600 * KIB, 0);
	check_near(misses.level[0].each, 1, 0);
	check_words(&misses, 1, "no miss after the first pass: the accessed lines are 512 KiB");
	/* Four nodes share a line: a line that was used lately is still there. */
	list = (struct kernel_walk){
		.lines = 1, .step = 16, .scattered = true, .visits = 4, .access = "node"
	};
	misses = find(&list, 96 * KIB, 48 * KIB, 2 * MIB, 0);
	check_near(misses.level[0].each, pow(0.5, 0.75), 1e-9);
	check_words(&misses, 0, "about 0.595 misses per node");
	/* Without a repeated order, chance decides. */
	list.visits = 0;
	misses = find(&list, 96 * KIB, 48 * KIB, 2 * MIB, 0);
	assert_false(misses.known);
	check_contains(misses.why, "random");
}

/* The limits know more than the sizes: full sets of L2, and what walks find in L3. */
TEST(says_the_misses_of_the_limits)
{
	const struct kernel_walk list = {
		.lines = 1, .scattered = true, .visits = 1, .range = 512 * KIB, .access = "load"
	};
	struct misses misses = find(&list, 512 * KIB, 32 * KIB, MIB, 4 * MIB);

	check_words(&misses, 1, "no miss");
	misses_take(&misses, (const double[]){ 1, 0.005, 0 });
	check_words(&misses, 1, "no miss");
	misses_take(&misses, (const double[]){ 1, 0.05, 0 });
	check_words(&misses, 1, "about 0.05 misses per load: some sets get more lines");
	check_words(&misses, 2, "no miss");

	misses = find(&list, 512 * KIB, 32 * KIB, 64 * KIB, 128 * KIB);
	check_words(&misses, 2, "every load is a miss");
	misses_take(&misses, (const double[]){ 1, 1, 0.25 });
	check_words(&misses, 1, "every load is a miss");
	check_words(&misses, 2, "about 0.25 misses per load: walks");
}

TEST(words_are_a_students)
{
	static const struct {
		double size, stride;
		const char *words;
	} cases[] = {
		{ 128, 8, "every read is a miss: 1 line for each" },
		{ 128, 2, "one read in 4 is a miss: 0.25 lines for each" },
		{ 128, 3, "3 reads in 8 are misses: 0.375 lines for each" },
		{ 32, 3, "no miss after the first pass: all 32 KiB stay" },
		{ 128, 24, "no miss after the first pass: the accessed lines are 43 KiB" },
	};
	struct misses misses;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		misses = ask(cases[i].size * KIB, cases[i].stride, 8, 64, 48 * KIB);
		check_words(&misses, 0, cases[i].words);
	}
	/* A share that is no fraction of small numbers. */
	misses = ask(128 * KIB, 1, 8.1, 64, 48 * KIB);
	check_words(&misses, 0, "0.127 misses per read: 0.127 lines for each");
}

TEST(near_the_edge_it_says_so)
{
	struct misses misses = ask(96 * KIB, 15, 8, 64, 48 * KIB);

	assert_true(misses.level[0].edge && !misses.level[0].fits);
	check_note(&misses, "near the edge, 51 KiB in 48 KiB: some lines may stay");
	misses = ask(44 * KIB, 1, 8, 64, 48 * KIB);
	check_note(&misses, "near the edge, 44 KiB in 48 KiB: some lines may be evicted");
	misses = ask(64 * KIB, 1, 8, 64, 48 * KIB);
	check_note(&misses, "");
	misses = ask(32 * KIB, 1, 8, 64, 48 * KIB);
	assert_false(misses.level[0].edge);
}

TEST(says_why_there_is_no_answer)
{
	static const struct {
		struct kernel_walk walk;
		const char *why;
	} cases[] = {
		{ { .lines = 1, .scattered = true }, "random order" },
		{ { .lines = 0 }, "working set" },
		{ { .lines = NAN }, "not known" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct kernel_walk *walk = isnan(cases[i].walk.lines) ? NULL : &cases[i].walk;
		struct misses misses = find(walk, 65536, 48 * KIB, 2 * MIB, 0);

		assert_false(misses.known);
		check_contains(misses.why, cases[i].why);
		check_words(&misses, 0, "unavailable: ");
		check_note(&misses, "");
	}
}

TEST(what_if_is_a_factor_or_a_size)
{
	static const char *const wrong[] = { "", "x", "2", "0x", "2x ", "-1x", "0", "1.5m", "L4 2x",
		"L1", "L1 ", "L12x", "2xx", "9999x", "0x10x" };
	static const struct {
		const char *text, *words;
		double l1, l2, l3;
	} in_turn[] = {
		{ "2x", "caches 2x as large", 96, 4096, 65536 },
		{ "64k", "L1 of 64 KiB, L2 2x as large, L3 2x as large", 64, 4096, 65536 },
		{ "off", "", 48, 2048, 32768 },
		{ "64k", "L1 of 64 KiB", 64, 2048, 32768 },
		{ "L2 4m", "L1 of 64 KiB, L2 of 4 MiB", 64, 4096, 32768 },
		{ "l3 0.5X", "L1 of 64 KiB, L2 of 4 MiB, L3 0.5x as large", 64, 4096, 16384 },
		{ "1x", "caches 1x as large", 48, 2048, 32768 },
	};
	const struct kernel_walk walk = { .lines = 1, .step = 64 };
	struct misses_whatif whatif = { 0 };
	struct misses misses = find(&walk, 65536, 48 * KIB, 2 * MIB, 32 * MIB), then;

	for (unsigned i = 0; i < sizeof(in_turn) / sizeof(*in_turn); i++) {
		check_ok(misses_whatif_parse(in_turn[i].text, &whatif));
		assert_string_equal(misses_whatif_words(&whatif).text, in_turn[i].words);
		misses_if(&misses, &whatif, &then);
		check_near(then.caches.level[0].bytes, in_turn[i].l1 * KIB, 0);
		check_near(then.caches.level[1].bytes, in_turn[i].l2 * KIB, 0);
		check_near(then.caches.level[2].bytes, in_turn[i].l3 * KIB, 0);
	}
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct misses_whatif before = whatif;
		struct status status = misses_whatif_parse(wrong[i], &whatif);

		assert_int_equal(status.code, STATUS_USAGE);
		check_contains(status.text, wrong[i]);
		assert_memory_equal(&before, &whatif, sizeof(before));
	}
}

/* What kernels say of themselves. */
TEST(kernels_answer_for_their_walks)
{
	static const struct {
		const char *kernel, *knob;
		int64_t size, value;
		double l1;
	} cases[] = {
		{ "mountain", "stride", 128 << 10, 8, 1 },
		{ "mountain", "stride", 128 << 10, 2, 0.25 },
		{ "mountain", "stride", 32 << 10, 8, 0 },
		{ "mountain", "stride", 128 << 10, 24, 0 },
		{ "combine", "stride", 128 << 10, 8, 1 },
		{ "list-length", "spacing", 128 << 10, 16, 0.25 },
	};
	struct machine machine = { .cache_count = 2,
		.cache = { { 1, 48 << 10, 64 }, { 2, 2 << 20, 64 } } };
	const struct cache_sizes caches = cache_sizes(&machine, NULL, false, NULL);
	struct misses misses;
	int64_t v[KNOBS_MAX] = { 0 };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct kernel *kernel = kernel_find(cases[i].kernel);

		for (int k = 0; k < kernel->knob_count; k++)
			v[k] = kernel->knobs[k].initial;
		/* Of combine, doubles. */
		if (kernel_knob(kernel, "type") >= 0)
			v[kernel_knob(kernel, "type")] = 3;
		if (kernel_knob(kernel, "order") >= 0)
			v[kernel_knob(kernel, "order")] = 0;
		v[kernel_axis(kernel, AXIS_SIZE)] = cases[i].size;
		v[kernel_knob(kernel, cases[i].knob)] = cases[i].value;
		misses_of(kernel, v, &caches, &misses);
		assert_true(misses.known);
		check_near(misses.level[0].each, cases[i].l1, 1e-9);
		check_near(misses.level[1].each, 0, 0);
		assert_true(isnan(misses.level[2].each));
		check_near(misses.line, 64, 0);
	}
	/* A list in random order comes to each line of its nodes again and again. */
	v[kernel_knob(kernel_find("list-length"), "order")] = 1;
	misses_of(kernel_find("list-length"), v, &caches, &misses);
	assert_true(misses.known);
	assert_true(misses.level[0].each > 0 && misses.level[0].each <= 1);
}

/* Two columns of a matrix, gone down again and again: where their lines do not fit, each element
 * misses both; where they do, a line of the matrix comes with every eighth, until all of that fits
 * too. */
TEST(walks_within_walks)
{
	const struct kernel_walk walk = { .lines = 2, .far_lines = 0.125, .far_range = 8e6 };
	const struct kernel_walk plain = { .lines = 0.125, .step = 8 };
	struct misses misses = find(&walk, 2 * 1000 * 64.0, 48 * KIB, 2 * MIB, 32 * MIB);

	assert_true(misses.known);
	check_near(misses.level[0].each, 2, 1e-9);
	check_near(misses.level[1].each, 0.125, 1e-9);
	check_near(misses.level[2].each, 0, 0);
	check_words(&misses, 0, "every element misses 2 times");
	check_words(&misses, 1, "one element in 8 is a miss");
	check_words(&misses, 2, "all 7.6 MiB stay");
	/* No 1024 KiB. */
	misses = find(&plain, (1 << 20) - 100, 48 * KIB, 2 * MIB, 32 * MIB);
	check_words(&misses, 2, " 1 MiB stay");
	/* Columns of 100 rows fit the first cache. */
	misses = find(&walk, 2 * 100 * 64.0, 48 * KIB, 2 * MIB, 32 * MIB);
	check_near(misses.level[0].each, 0.125, 1e-9);
}

/* Columns whose lines lie 2 KiB apart use one set of L2 in 32: 512 lines of 1 MiB just fit if pages
 * lie evenly, and most of them do not stay if pages lie by chance. */
TEST(columns_that_just_fit_miss_in_part)
{
	struct kernel_walk walk = {
		.lines = 2, .spacing = 2048, .far_lines = 0.125, .far_range = 516e3
	};
	struct misses misses = find(&walk, 2 * 256 * 64.0, 48 * KIB, 1 * MIB, 32 * MIB);

	assert_true(misses.level[1].edge && !misses.level[1].fits);
	assert_true(misses.level[1].each > 0.8 && misses.level[1].each < 1.5);
	/* Half as many stay, and twice as many do not. */
	misses = find(&walk, 2 * 64 * 64.0, 48 * KIB, 1 * MIB, 32 * MIB);
	check_near(misses.level[1].each, 0, 0);
	misses = find(&walk, 2 * 512 * 64.0, 48 * KIB, 1 * MIB, 32 * MIB);
	assert_true(misses.level[1].each > 1.9);
	/* Rows with another line between them use all sets. */
	walk.spacing = 2048 + 64;
	misses = find(&walk, 2 * 256 * 64.0, 48 * KIB, 1 * MIB, 32 * MIB);
	check_near(misses.level[1].each, 0, 0);
}

/* Of a tree the upper levels stay, and the lower nodes of the last lookups. */
TEST(what_was_used_last_stays)
{
	struct kernel_walk walk = { .scattered = true, .access = "lookup", .reaches = 10 };
	struct misses misses;

	for (int i = 0; i < walk.reaches; i++)
		walk.reach[i] = (struct kernel_reach){ .lines = 1, .range = 64.0 * ((2 << i) - 1) };
	misses = find(&walk, 65536, 1024, 8192, 1 << 20);
	assert_true(misses.known);
	/* With 16 and 128 lines, a cache of the most frequent lines would have 6 and 3 misses. */
	assert_true(misses.level[0].each > 6.5 && misses.level[0].each < 9);
	assert_true(misses.level[1].each > 3.5 && misses.level[1].each < 5);
	check_near(misses.level[2].each, 0, 0);
	assert_true(misses.level[2].fits);
	check_words(&misses, 0, " misses per lookup: the lines used last stay");
	check_words(&misses, 2, "no miss after the first pass");
}

TEST(a_measured_l3_is_at_least_as_large_as_l2)
{
	const struct machine machine = { .cache_count = 3,
		.cache = { { 1, 32 << 10, 64 }, { 2, 1 << 20, 64 }, { 3, 32 << 20, 64 } } };
	struct memory_facts measured = { .cache[2] = { 600e3, 500e3, 700e3, CACHE_MEASURED } };
	struct cache_sizes caches = cache_sizes(&machine, NULL, false, &measured);

	check_near(caches.level[2].bytes, 1 << 20, 0);
	check_near(caches.level[2].lo, 1 << 20, 0);
	check_near(caches.level[2].hi, 1 << 20, 0);
	assert_string_equal(cache_words(&caches, 2).text, "L3 1 MiB (measured, of 32 MiB stated)");
	measured.cache[2].bytes = measured.cache[2].hi = 4e6;
	caches = cache_sizes(&machine, NULL, false, &measured);
	check_near(caches.level[2].bytes, 4e6, 0);
}

RUN_TESTS()
