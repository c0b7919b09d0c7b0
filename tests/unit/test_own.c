/* Own loops: the comment's grammar, and the memory it asks for. */
#include "check.h"
#include "table.h"

#include <math.h>

#include "engine/own/own.h"
#include "engine/own/own_comment.h"

static struct own_description described;

static void read_ok(const char *comment)
{
	char text[600];

	snprintf(text, sizeof(text), "#include <stdio.h>\n/* %s */\nlong loop(long n);\n", comment);
	check_ok(own_describe(text, "mine.c", &described));
}

TEST(test_all_words)
{
	const struct own_argument *argument = described.argument;

	read_ok("slexplore: elements=2*n a=f64[n]:1.5 b=i32[n+2]:random(n) c=list(n/4,64) "
		"d=u8[100] n=4096 multiple=8 "
		"cflags=\"-O3 -march=native\"");
	assert_int_equal(own_count(&described.elements, 10), 20);
	assert_int_equal(argument[0].content, OWN_NUMBER);
	assert_int_equal(argument[0].type, OWN_F64);
	check_near(argument[0].first.real, 1.5, 0);
	assert_int_equal(argument[1].content, OWN_RANDOM);
	assert_int_equal(own_count(&argument[1].count, 64), 66);
	assert_int_equal(own_count(&argument[1].bound, 64), 64);
	assert_int_equal(argument[2].content, OWN_LIST);
	assert_int_equal(argument[2].spacing, 64);
	assert_false(argument[2].sequential);
	assert_int_equal(own_count(&argument[2].count, 64), 16);
	assert_int_equal(own_argument_bytes(&argument[3], 64), 100);
	assert_int_equal(described.n, 4096);
	assert_int_equal(described.multiple, 8);
	assert_string_equal(described.cflags.words, "-O3 -march=native");
	assert_int_equal(own_bytes(&described, 64), 64 * 8 + 66 * 4 + 16 * 64 + 100);
}

TEST(test_counts)
{
	static const struct {
		const char *count;
		int64_t value; /* at n = 64 */
	} row[] = { { "n", 64 }, { "2*n", 128 }, { "n*2", 128 }, { "n/4", 16 }, { "n+3", 67 },
		{ "2*n+16", 144 }, { "n*2 + 1", 129 }, { "3*n/2", 96 }, { "n/2+5", 37 },
		{ "7", 7 } };
	char comment[64];

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		snprintf(comment, sizeof(comment), "slexplore: a=u8[%s]", row[i].count);
		read_ok(comment);
		assert_int_equal(own_argument_bytes(&described.argument[0], 64), row[i].value);
	}
}

TEST(test_forms)
{
	/* Blanks, several comments, other comment signs, what is not described. */
	check_ok(own_describe(
		"# slexplore: a = f32 [ 2 * n ] : 1e-3\r\n// slexplore: multiple=3 elements=n/2\n",
		"x.S", &described));
	assert_int_equal(own_argument_bytes(&described.argument[0], 16), 128);
	check_near(described.argument[0].first.real, 1e-3, 0);
	assert_int_equal(described.argument[1].content, OWN_NOTHING);
	assert_int_equal(described.multiple, 6);
	assert_string_equal(described.cflags.words, "");
	read_ok("slexplore:");
	assert_int_equal(described.n, 4096);
	read_ok("slexplore: a=u8[n]");
	assert_int_equal(described.n, 16384);
	/* The default fits 16 KiB, and never becomes tiny. */
	read_ok("slexplore: a=f64[n] b=f64[n]");
	assert_int_equal(described.n, 1024);
	read_ok("slexplore: a=list(n,256)");
	assert_int_equal(described.n, 256);
	read_ok("slexplore: a=list(n,64,sequential)");
	assert_true(described.argument[0].sequential);
	read_ok("slexplore: a=i64[n]:permutation b=u16[n]:index c=i8[n]:-128 "
		"d=u64[n]:18446744073709549568");
	assert_int_equal(described.argument[0].content, OWN_PERMUTATION);
	assert_int_equal(described.argument[1].content, OWN_INDEX);
	check_near(described.argument[2].first.real, -128, 0);
	read_ok("slexplore: cflags=-O1 a=f64[n]");
	assert_string_equal(described.cflags.words, "-O1");
	/* The thirteenth argument is m, the one after it o. */
	read_ok("slexplore: m=u8[n] o=u16[n] z=i32[n]");
	assert_int_equal(own_argument_bytes(&described.argument[12], 16), 16);
	assert_int_equal(own_argument_bytes(&described.argument[13], 16), 32);
	assert_int_equal(own_argument_bytes(&described.argument[24], 16), 64);
}

/* Fails unless the values of the knob are these, separated by blanks. */
static void has_values(const struct own_knob *knob, const char *wanted)
{
	char text[OWN_WORDS] = "";

	for (const char *at = knob->words; *at; at += strlen(at) + 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", *text ? " " : "",
			at);
	assert_string_equal(text, wanted);
}

TEST(test_knobs)
{
	read_ok("slexplore: knob unroll=1..8 knob Block=8..64*2 knob type = float, double n=64");
	assert_int_equal(described.knobs, 3);
	assert_string_equal(described.knob[0].name, "unroll");
	assert_int_equal(described.knob[0].low, 1);
	assert_int_equal(described.knob[0].high, 8);
	has_values(&described.knob[0], "");
	assert_string_equal(described.knob[1].name, "Block");
	has_values(&described.knob[1], "8 16 32 64");
	has_values(&described.knob[2], "float double");
	assert_int_equal(described.n, 64);
	read_ok("slexplore: knob one=4");
	has_values(&described.knob[0], "4");
}

/* A comma separates sets of flags only before a dash that begins a set. */
TEST(test_flags)
{
	struct own_knob knob, more;

	check_ok(own_read_flags("-O2,-O3", &knob));
	has_values(&knob, "-O2 -O3");
	check_ok(own_read_flags("-Wl,-z,now -O1,-DX=1,2", &knob));
	assert_string_equal(knob.words, "-Wl,-z,now -O1");
	assert_string_equal(knob.words + strlen(knob.words) + 1, "-DX=1,2");
	check_ok(own_read_flags("-O2,-DX=1,2", &more));
	check_ok(own_add_flags(&more, &knob));
	assert_string_equal(knob.words + 15, "-DX=1,2");
	assert_string_equal(knob.words + 23, "-O2");
	check_usage(
		own_read_flags("-O2,-O2", &knob), "cflags=-O2,-O2: a value is twice in the list");
	read_ok("slexplore: cflags=-O2,\"-O3 -funroll-loops\" a=f64[n]");
	assert_string_equal(described.cflags.words + 4, "-O3 -funroll-loops");
	assert_int_equal(own_argument_bytes(&described.argument[0], 16), 128);
}

/* A line that continues a description without the mark would be ignored. */
TEST(test_continued)
{
	check_contains(
		own_describe("x\n/* slexplore: n=64\n * a=f64[n] */", "mine.c", &described).text,
		"mine.c:3:4: \"a=f64[n]\": this line continues a description");
	check_contains(
		own_describe("// slexplore: n=64\n//  knob x=1..2\n", "mine.c", &described).text,
		"mine.c:2:5: \"knob\": this line continues a description");
	check_ok(own_describe(
		"// slexplore: n=64\n// slexplore: a=f64[n]\na=1;\n", "mine.c", &described));
	check_ok(own_describe("/* slexplore: n=64\n\n a sum of a=f64 */", "mine.c", &described));
	check_ok(own_describe("// slexplore: n=64\na=1;\n", "mine.c", &described));
}

TEST(test_wrong)
{
	struct table table;

	table_open(&table, "own", "wrong");
	while (table_next(&table, 2)) {
		char text[300];
		struct status status;

		snprintf(text, sizeof(text), "int x;\n/* slexplore: %s */\n", table.field[0]);
		status = own_describe(text, "mine.c", &described);
		if (status.code != STATUS_USAGE)
			table_fail(&table, "this is taken");
		check_parts(status.text, "mine.c:2:", table.field[1]);
	}
	check_contains(own_describe("int x;", "mine.c", &described).text,
		"mine.c: no comment says which data loop() uses");
}

TEST(test_check)
{
	read_ok("slexplore: a=u8[n]:random(n)");
	check_ok(own_description_check(&described, "mine.c", 256));
	check_usage(own_description_check(&described, "mine.c", 258),
		"mine.c: at n=258 the array a holds numbers up to 257, but its type u8 only up to "
		"255");
}

TEST(changed_data_have_the_same_sizes_and_other_values)
{
	const struct own_change change = {
		.ones = true, .ordered = true, .shift = 4, .apart = 8, .spacing = 64
	};
	struct own_description changed;
	struct own_data data;
	unsigned char *memory;
	const int32_t *numbers;
	const char *node;

	read_ok("slexplore: a=f64[n]:1e-310 b=i32[n]:random(n) c=list(n,4096) "
		"d=i32[n]:permutation");
	changed = own_change_apply(&described, NULL);
	assert_memory_equal(&changed, &described, sizeof(changed));
	changed = own_change_apply(&described, &change);
	memory = aligned_alloc(4096, (own_data_bytes(&changed, 100) + 4095) / 4096 * 4096);
	memset(memory, 0, own_data_bytes(&changed, 100));
	own_data_make(&data, &changed, 100, 50, 1, memory);
	/* The pointers of a list stay at multiples of 8 bytes. */
	for (int i = 0; i < 4; i++)
		assert_int_equal((uintptr_t)data.argument[i] % 64, i == 2 ? 0 : 4);
	assert_int_equal(
		((uintptr_t)data.argument[1] - (uintptr_t)data.argument[0]) % 4096, (17 + 8) * 64);
	assert_true(memcmp(data.argument[0], &(double){ 1 }, sizeof(double)) == 0);
	numbers = data.argument[1];
	for (int i = 1; i < 100; i++)
		assert_true(numbers[i] >= numbers[i - 1] && numbers[i] < 100);
	node = data.argument[2];
	assert_ptr_equal(*(const void *const *)(const void *)node, node + 4096 + 64);
	numbers = data.argument[3];
	for (int i = 0; i < 100; i++)
		assert_int_equal(numbers[i], (i + 1) % 100);
	free(memory);
}

TEST(test_data)
{
	struct own_data data;
	unsigned char *memory;
	const int32_t *next;
	const double *share;
	int64_t at = 0, nodes = 0;

	read_ok("slexplore: a=f64[n]:random(10) b=i32[n]:permutation c=list(n,64) "
		"d=u16[n+1]:index");
	memory = aligned_alloc(4096, (own_data_bytes(&described, 100) + 4095) / 4096 * 4096);
	memset(memory, 0, own_data_bytes(&described, 100));
	own_data_make(&data, &described, 100, 50, 1, memory);
	share = data.argument[0];
	for (int i = 0; i < 100; i++)
		assert_true(share[i] >= 0 && share[i] < 10);
	/* One cycle through all. */
	next = data.argument[1];
	for (int i = 0; i < 100; i++) {
		assert_int_equal(at == 0, i == 0);
		at = next[at];
	}
	assert_int_equal(at, 0);
	for (void **node = data.argument[2]; node; node = *node)
		nodes++;
	assert_int_equal(nodes, 100);
	own_data_shorten(&data, true);
	nodes = 0;
	for (void **node = data.argument[2]; node; node = *node)
		nodes++;
	assert_int_equal(nodes, 50);
	own_data_shorten(&data, false);
	for (void **node = data.argument[2]; node; node = *node)
		nodes++;
	assert_int_equal(nodes, 150);
	own_data_cut(&data, &described, 100, 2, 25);
	for (int shorten = 0, want[] = { 100, 50, 25 }; shorten < 3; shorten++) {
		own_data_shorten(&data, shorten);
		nodes = 0;
		for (void **node = data.argument[2]; node; node = *node)
			nodes++;
		assert_int_equal(nodes, want[shorten]);
	}
	assert_int_equal(((const uint16_t *)data.argument[3])[100], 100);
	/* Apart within a page. */
	for (int i = 0; i < 4; i++) {
		assert_int_equal((uintptr_t)data.argument[i] % 64, 0);
		for (int k = 0; k < i; k++)
			assert_in_range(
				((uintptr_t)data.argument[i] - (uintptr_t)data.argument[k]) % 4096,
				800, 3300);
	}
	free(memory);
}

/* Lays out the described data for 1,000 elements in memory that the caller frees. */
static unsigned char *lay_out(struct own_data *data)
{
	size_t bytes = (own_data_bytes(&described, 1000) + 4095) / 4096 * 4096;
	unsigned char *memory = aligned_alloc(4096, bytes);

	memset(memory, 0, bytes);
	own_data_make(data, &described, 1000, 500, 1, memory);
	return memory;
}

TEST(test_values)
{
	struct own_data data;
	unsigned char *memory;
	int64_t ones = 0, zeros = 0, seen = 0;
	const int16_t *range;
	const int32_t *sorted, *reversed, *zipf;

	read_ok("slexplore: a=i16[n]:random(-9..9) b=u64[n]:18446744073709551615 "
		"c=i64[n]:-9223372036854775808 d=u8[n]:30% e=i32[n]:random(-500..500),sorted "
		"f=i32[n]:zipf(100) g=u64[n]:random h=i32[n]:index,reversed "
		"j=f32[n]:random(-1..1)");
	memory = lay_out(&data);
	range = data.argument[0];
	sorted = data.argument[4];
	zipf = data.argument[5];
	reversed = data.argument[7];
	for (int i = 0; i < 1000; i++) {
		assert_in_range(range[i] + 9, 0, 18);
		seen |= 1 << (range[i] + 9);
		assert_true(((const uint64_t *)data.argument[1])[i] == UINT64_MAX);
		assert_true(((const int64_t *)data.argument[2])[i] == INT64_MIN);
		ones += ((const uint8_t *)data.argument[3])[i];
		assert_true(i == 0 || sorted[i] >= sorted[i - 1]);
		assert_in_range(sorted[i] + 500, 0, 1000);
		assert_in_range(zipf[i], 0, 99);
		zeros += zipf[i] == 0;
		assert_int_equal(reversed[i], 999 - i);
		assert_true(fabsf(((const float *)data.argument[9])[i]) <= 1);
	}
	assert_int_equal(seen, (1 << 19) - 1);
	/* Five standard deviations around 300, and around 1 / H(100) = 0.193 of 1,000. */
	assert_in_range(ones, 228, 372);
	assert_in_range(zeros, 131, 255);
	free(memory);
}

TEST(test_strings_and_places)
{
	struct own_data data;
	unsigned char *memory;
	char *const *strings;
	bool seen[6] = { false };

	read_ok("slexplore: a=strings(n,3..8) b=u8[n]:1,align=4096,offset=3 c=list(n,64),offset=8");
	memory = lay_out(&data);
	strings = data.argument[0];
	for (int i = 0; i < 1000; i++) {
		size_t length = strlen(strings[i]);

		assert_in_range(length, 3, 8);
		seen[length - 3] = true;
		assert_int_equal(strspn(strings[i], "abcdefghijklmnopqrstuvwxyz"), length);
	}
	for (int i = 0; i < 6; i++)
		assert_true(seen[i]);
	assert_int_equal((uintptr_t)data.argument[1] % 4096, 3);
	assert_int_equal((uintptr_t)data.argument[2] % 64, 8);
	free(memory);
}

TEST(test_paths)
{
	assert_true(own_is_path("./mine"));
	assert_true(own_is_path("/tmp/x"));
	assert_true(own_is_path("../x.c"));
	assert_true(own_is_path("mine.c"));
	assert_true(own_is_path("dir/mine.S"));
	assert_true(own_is_path("mine.cpp"));
	assert_true(own_is_path("mine.rs"));
	assert_false(own_is_path("mine.rsx"));
	assert_false(own_is_path("combine"));
	assert_false(own_is_path(".c"));
	assert_false(own_is_path(""));
}

RUN_TESTS()
