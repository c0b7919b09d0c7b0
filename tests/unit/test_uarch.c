#include "check.h"

#include "base/data.h"
#include "model/uarch.h"

static void every_core_parses(void **state)
{
	const char *const *names = uarch_names(NULL);

	(void)state;
	assert_non_null(names[0]);
	for (; *names; names++) {
		struct uarch *uarch;

		check_ok(uarch_load(*names, NULL, &uarch));
		assert_string_equal(uarch_name(uarch), *names);
		uarch_free(uarch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_core_parses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
