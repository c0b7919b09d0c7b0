/* Curves as they were measured: what is known of those machines has to come out of every one. */
#include "recorded.h"

static bool reaches(const struct hierarchy_curve *curve, double bytes)
{
	return curve->count > 0 && curve->points[curve->count - 1].bytes >= bytes;
}

static void check_curves(const char *name)
{
	const char *tree = getenv("top_srcdir");
	char path[300];
	struct recorded *recorded;
	struct hierarchy *hierarchy = calloc(1, sizeof(*hierarchy));
	const struct hierarchy_level *first, *second, *tlb;

	assert_non_null(hierarchy);
	snprintf(path, sizeof(path), "%s/tests/data/curves/%s", tree ? tree : ".", name);
	recorded = recorded_read(path);
	hierarchy_find(&recorded->input, hierarchy);
	hierarchy_say(&recorded->input, hierarchy);
	first = hierarchy_cache(hierarchy, 1);
	second = hierarchy_cache(hierarchy, 2);
	tlb = hierarchy_tlb(hierarchy, 1);
	if (recorded->l1) {
		assert_non_null(first);
		check_near(first->bytes, recorded->l1, 0);
		check_near(first->cycles, recorded->l1_cycles, 0.02 * recorded->l1_cycles);
		assert_non_null(second);
		check_near(second->bytes, recorded->l2, 0);
		check_near(second->cycles, recorded->l2_cycles, 0.02 * recorded->l2_cycles);
		if (reaches(&recorded->input.lines[PAGES_HUGE], 64 << 20) ||
			reaches(&recorded->input.lines[PAGES_AUTO], 64 << 20))
			assert_non_null(hierarchy_memory(hierarchy));
		/* What is shown of a size holds it. */
		assert_true(first->bytes_lo * 0.97 <= recorded->l1 &&
			    recorded->l1 <= first->bytes_hi * 1.04);
		assert_true(second->bytes_lo * 0.97 <= recorded->l2 &&
			    recorded->l2 <= second->bytes_hi * 1.04);
	} else {
		assert_int_equal(hierarchy->level_count, 0);
	}
	if (recorded->line)
		check_near(hierarchy->line, recorded->line, 0);
	if (recorded->entries) {
		assert_non_null(tlb);
		check_near(tlb->entries, recorded->entries, 2);
	}
	free(recorded);
	free(hierarchy);
}

TEST(quiet_and_busy_machines_are_the_same_machine)
{
	static const char *const names[] = { "granite-rapids-1", "granite-rapids-2",
		"granite-rapids-3", "granite-rapids-4", "granite-rapids-5", "granite-rapids-6",
		"granite-rapids-7", "granite-rapids-8" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_curves(names[i]);
}

TEST(four_points_an_octave_are_enough)
{
	check_curves("prototype-1");
	check_curves("prototype-2");
}

TEST(four_points_in_all_are_not)
{
	check_curves("zen5-coarse");
}

RUN_TESTS()
