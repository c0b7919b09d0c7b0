/* Finding a function and its loop in C source, embedded or packed. */
#include "check.h"

#include "experiment/listing.h"

static const char source[] = "#include \"x.h\"\n"
			     "static int walk(int n);\n"
			     "\n"
			     "/* walk(n) is it. */\n"
			     "static int other(int n)\n"
			     "{\n"
			     "\treturn walk(n);\n"
			     "}\n"
			     "\n"
			     "KERNEL_LOOP static int walk(int n)\n"
			     "{\n"
			     "\tfor (int i = 0; i < n; i++) {\n"
			     "\t\tdo {\n"
			     "\t\t\tx();\n"
			     "\t\t} while (n--);\n"
			     "\t\ty();\n"
			     "\t}\n"
			     "\treturn n;\n"
			     "}\n"
			     "\n"
			     "static int plain(int n)\n"
			     "{\n"
			     "\twhile (n > 0)\n"
			     "\t\tn -= 2;\n"
			     "\treturn n;\n"
			     "}\n";

TEST(a_definition_and_its_innermost_loop_are_found)
{
	struct listing *listing = listing_parse("kernels/x.c", source, "walk");

	assert_non_null(listing);
	assert_string_equal(listing->line[listing->first], "KERNEL_LOOP static int walk(int n)");
	assert_string_equal(listing->line[listing->last], "}");
	assert_int_equal(listing->last, 18);
	assert_string_equal(listing->line[listing->loop_first], "\t\tdo {");
	assert_string_equal(listing->line[listing->loop_last], "\t\t} while (n--);");
	listing_free(listing);

	listing = listing_parse("kernels/x.c", source, "plain");
	assert_non_null(listing);
	assert_string_equal(listing->line[listing->loop_first], "\twhile (n > 0)");
	assert_string_equal(listing->line[listing->loop_last], "\t\tn -= 2;");
	listing_free(listing);

	listing = listing_parse("kernels/x.c", source, "other");
	assert_non_null(listing);
	assert_int_equal(listing->loop_first, -1);
	listing_free(listing);
	assert_null(listing_parse("kernels/x.c", source, "wal"));
	assert_null(listing_parse("kernels/x.c", "", "walk"));
}

TEST(what_a_macro_makes_is_found)
{
	static const char text[] =
		"#define MAKE(name) \\\n\tint name(int n)\n\n/* Both add. "
		"*/\nMAKE(made_64,\n\t\"addps (\")\n"
		"MAKE(made_128,\n\t\"vaddps (\")\nMAKE(made_256,\n\t\"\")\n\nstatic const int "
		"list[] = {\n\tmade_128,\n};\n";
	struct listing *listing = listing_parse("kernels/x.c", text, "made_128");

	assert_non_null(listing);
	assert_string_equal(listing->line[listing->first], "/* Both add. */");
	assert_string_equal(listing->line[listing->loop_first], "MAKE(made_128,");
	assert_string_equal(listing->line[listing->loop_last], "\t\"vaddps (\")");
	assert_int_equal(listing->last, listing->loop_last);
	listing_free(listing);
	listing = listing_parse("mine.S", "\t.globl loop\nloop:\n\tret\n", "loop");
	assert_non_null(listing);
	assert_int_equal(listing->first, 1);
	assert_int_equal(listing->last, 2);
	listing_free(listing);
}

/* The use of a macro has no loop to read. The loop is in an argument, in a macro of the maker, or
 * in a function that the use calls. */
TEST(the_loop_that_a_macro_hides_is_shown)
{
	static const char text[] =
		"#define BODY(times) \\\n\t\"1: load x\\n\" \\\n\ttimes \\\n\t\"add "
		"y\\n\" \\\n\t\"jne 1b\\n\"\n"
		"#define TWO \\\n\t\"mul x\\n\" \\\n\t\"mul y\\n\"\n"
		"#define ONE \"mul x\\n\"\n"
		"#define MAKE(name, times) \\\n\tvoid name(void) { __asm__(BODY(times)); }\n"
		"#define CALL(name, call) \\\n\tvoid name(void) { call; }\n\n"
		"void walk(int n)\n{\n\twhile (n)\n\t\tn--;\n}\n\n"
		"MAKE(by_one, ONE)\nMAKE(by_two, TWO)\nCALL(called, walk(3))\n";
	static const struct {
		const char *function, *first, *last;
	} rows[] = {
		{ "by_one", "#define BODY(times) \\", "\t\"jne 1b\\n\"" },
		{ "by_two", "#define TWO \\", "\t\"mul y\\n\"" },
		{ "called", "\twhile (n)", "\t\tn--;" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct listing *listing = listing_parse("kernels/x.c", text, rows[i].function);

		assert_non_null(listing);
		assert_string_equal(listing->line[listing->loop_first], rows[i].first);
		assert_string_equal(listing->line[listing->loop_last], rows[i].last);
		assert_true(listing->first <= listing->loop_first);
		assert_true(listing->last >= listing->loop_last);
		listing_free(listing);
	}
}

static const char packed[] = "packed TYPE\n"
			     "void @(TYPE *x)\n"
			     "{\n"
			     "\t(*x)++;\n"
			     "}\n"
			     "%\n"
			     "inc_TYPE_s1 ###$#%#%#&\n"
			     "inc_TYPE_sn ###$#%#&\n";

TEST(a_packed_function_comes_out_whole)
{
	char *text = listing_unpack(packed, "inc_f64_s1");

	assert_string_equal(text, "void inc_f64_s1(f64 *x)\n{\n\t(*x)++;\n\t(*x)++;\n}\n");
	free(text);
	text = listing_unpack(packed, "inc_i32_sn");
	assert_string_equal(text, "void inc_i32_sn(i32 *x)\n{\n\t(*x)++;\n}\n");
	free(text);
	assert_null(listing_unpack(packed, "inc_f64_s2"));
	assert_null(listing_unpack(packed, "inc__s1"));
	assert_null(listing_unpack(packed, "inc_f64_more_s1"));
	assert_null(listing_unpack("", "inc_f64_s1"));
	assert_null(listing_unpack("packed TYPE\n", "inc_f64_s1"));
}

TEST(every_loop_of_combine_is_embedded)
{
	static const char *const names[] = { "combine_mul_f64_u8_a4_s1",
		"combine_add_i32_u16_a16_sn", "combine_add_f32_u2_r_s1" };
	const struct kernel *combine = kernel_find("combine");

	assert_non_null(combine);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct listing *listing = listing_find(combine, names[i]);

		if (!listing)
			fail_msg("no source of %s", names[i]);
		check_contains(listing->line[listing->first], names[i]);
		assert_true(listing->generated);
		assert_true(
			listing->loop_first > 0 && listing->loop_last > listing->loop_first + 3);
		check_contains(listing->line[listing->loop_first], "do {");
		listing_free(listing);
	}
	assert_null(listing_find(combine, "combine_mul_f64_u4_a5_s1"));
	assert_null(listing_find(combine, NULL));
}

RUN_TESTS()
