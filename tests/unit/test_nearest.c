#include "check.h"

#include "base/nearest.h"

static const char *const names[] = { "combine", "list-length", "mountain", "latency", "bandwidth",
	"stores" };

static const char *near(const char *wrong)
{
	static char buffer[128];

	buffer[0] = '\0';
	nearest_names(wrong, names, sizeof(names) / sizeof(names[0]), buffer, sizeof(buffer));
	return buffer;
}

static void finds_the_name_that_was_meant(void **state)
{
	(void)state;
	assert_string_equal(near("combin"), "combine");
	assert_string_equal(near("cobmine"), "combine");
	assert_string_equal(near("COMBINE"), "combine");
	assert_string_equal(near("combined"), "combine");
	assert_string_equal(near("list"), "list-length");
	assert_string_equal(near("list_length"), "list-length");
	assert_string_equal(near("mountian"), "mountain");
	assert_string_equal(near("l"), "list-length or latency");
}

static void offers_nothing_that_is_far(void **state)
{
	char longer[400];

	(void)state;
	assert_string_equal(near("xyzzy"), "");
	assert_string_equal(near(""), "");
	memset(longer, 'c', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_string_equal(near(longer), "");
}

static void offers_three_at_most_nearest_first(void **state)
{
	static const char *const alike[] = { "acce", "accd", "acc", "accf", "accg" };
	char buffer[64] = "try ", tiny[6] = "";

	(void)state;
	nearest_names("acc", alike, 5, buffer, sizeof(buffer));
	assert_string_equal(buffer, "try acc, acce or accd");
	nearest_names("acc", alike, 5, tiny, sizeof(tiny));
	assert_string_equal(tiny, "acc, ");
	nearest_names("acc", alike, 0, tiny, sizeof(tiny));
	nearest_names("acc", alike, 5, tiny, 0);
	assert_string_equal(tiny, "acc, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_name_that_was_meant),
		cmocka_unit_test(offers_nothing_that_is_far),
		cmocka_unit_test(offers_three_at_most_nearest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
