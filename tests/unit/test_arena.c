#include "check.h"

#include "engine/arena.h"

/* More than any address space holds. */
static void a_refusal_names_the_size_as_people_do(void **state)
{
	struct arena arena = { 0 };
	atomic_bool cancel = false;
	bool kept;
	struct status status = arena_need(&arena, 1ull << 54, 0, NULL, 0, &cancel, &kept);

	(void)state;
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "16384 TiB of memory refused: ");
	assert_null(arena.memory);
}

static void a_core_is_refused_before_a_topology_is_loaded(void **state)
{
	struct status status = topology_check(1023);

	(void)state;
	check_ok(topology_check(-1));
	/* Unless there are that many. */
	if (!status_is_ok(&status)) {
		assert_int_equal(status.code, STATUS_USAGE);
		check_contains(status.text, "--cpu 1023: this process may use processors ");
	}
	status = topology_check(1 << 20);
	assert_int_equal(status.code, STATUS_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refusal_names_the_size_as_people_do),
		cmocka_unit_test(a_core_is_refused_before_a_topology_is_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
