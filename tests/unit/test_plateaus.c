#include "curves.h"

/* A rate over fewer seeds scatters more. In points of percent. */
enum { SEEDS = CHECK_REPEATS(300, 40), SCATTER = CHECK_REPEATS(0, 8) };

#define THREE                                                                                     \
	.level = { { 4, 48 * KIB, 0 }, { 14, 1 * MIB, 8 }, { 55, 16 * MIB, 16 }, { 400, 0, 0 } }, \
	.levels = 4, .beginning = 4 * KIB, .end = 256 * MIB, .octave = 4
#define FLAT .level = { { 20, 0, 0 } }, .levels = 1, .beginning = 4 * KIB, .end = 256 * MIB
#define WIDE .beginning = 4 * KIB, .end = 1024 * MIB, .noise = 0.015

static const struct generated three = { THREE };

/* Whether the levels that were put in came out: each latency within `off`, each size within its
 * knee's range or close to it. */
static bool found_all(const struct generated *made, const struct plateaus *plateaus, double off)
{
	if (plateaus->count != made->levels)
		return false;
	for (int i = 0; i < plateaus->count; i++) {
		const struct plateau *plateau = &plateaus->plateau[i];
		const struct plateau_knee *knee = &plateaus->knee[i];

		if (fabs(log(plateau->cycles / made->level[i].cycles)) > off)
			return false;
		if (i + 1 < plateaus->count && (made->level[i].bytes < knee->lo * 0.94 ||
						       made->level[i].bytes > knee->hi * 1.06))
			return false;
	}
	return true;
}

/* How many percent of the seeds come out right. */
static double success(const struct generated *made, double off)
{
	int right = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct made_curve curve;
		struct plateaus plateaus;

		made_fill(made, seed * 7919, 0, 0, &curve);
		plateaus_find(curve.point, curve.count, &plateaus);
		right += found_all(made, &plateaus, off);
	}
	return 100.0 * right / SEEDS;
}

TEST(a_clean_curve_is_read_exactly)
{
	struct made_curve curve;
	struct plateaus plateaus;

	made_fill(&three, 1, 0, 0, &curve);
	plateaus_find(curve.point, curve.count, &plateaus);
	assert_int_equal(plateaus.count, 4);
	for (int i = 0; i < 4; i++)
		check_near(plateaus.plateau[i].cycles, three.level[i].cycles,
			0.02 * three.level[i].cycles);
	for (int i = 0; i < 3; i++) {
		assert_true(plateaus.knee[i].lo <= plateaus.knee[i].bytes &&
			    plateaus.knee[i].bytes <= plateaus.knee[i].hi);
		assert_true(plateaus.knee[i].corner <= plateaus.knee[i].bytes);
		assert_true(plateaus.knee[i].confidence > 0.99);
		assert_false(plateaus.knee[i].gradual);
		assert_false(plateaus.plateau[i].unstable);
	}
	check_near(plateaus.knee[0].bytes / KIB, 48, 3);
	check_near(plateaus.knee[1].third / MIB, 1, 0.1);
}

TEST(levels_are_found_in_curves_with_errors)
{
	static const struct {
		struct generated made;
		double off, least; /* error of a latency; percent of the seeds that must be right */
	} rows[] = {
		{ { THREE, .noise = 0.003 }, 0.02, 100 },
		{ { THREE, .noise = 0.02 }, 0.04, 99 },
		{ { THREE, .noise = 0.06 }, 0.1, 90 },
		{ { THREE, .noise = 0.12 }, 0.2, 85 },
		{ { THREE, .noise = 0.01, .drift = 0.03 }, 0.08, 99 },
		{ { THREE, .noise = 0.01, .spikes = 0.05 }, 0.05, 85 },
		/* One odd point in eight: some lie next to a knee. */
		{ { THREE, .noise = 0.01, .spikes = 0.12 }, 0.08, 70 },
		{ { THREE, .noise = 0.01, .two_modes = 0.1 }, 0.15, 85 },
		{ { THREE, .noise = 0.02, .memory_growth = 0.05 }, 0.2, 93 },
		{ { THREE, .noise = 0.02, .memory_growth = 0.1 }, 0.35, 80 },
		{ { FLAT, .noise = 0.002 }, 0.01, 100 },
		{ { FLAT, .noise = 0.05 }, 0.05, 99 },
		{ { FLAT, .noise = 0.2 }, 0.2, 97 },
		{ { WIDE, .level = { { 5, 0, 0 } }, .levels = 1 }, 0.05, 99 },
		{ { WIDE, .level = { { 4, 32 * KIB, 0 }, { 300, 0, 0 } }, .levels = 2 }, 0.05, 99 },
		{ { WIDE, .level = { { 4, 32 * KIB, 0 }, { 15, 512 * KIB, 16 }, { 180, 0, 0 } },
			  .levels = 3 },
			0.05, 99 },
		{ { WIDE,
			  .level = { { 4, 32 * KIB, 0 }, { 12, 256 * KIB, 8 }, { 40, 4 * MIB, 16 },
				  { 120, 64 * MIB, 16 }, { 420, 0, 0 } },
			  .levels = 5 },
			0.05, 99 },
		/* An octave and a half of each level is flat. */
		{ { .level = { { 4, 32 * KIB, 0 }, { 14, 192 * KIB, 8 }, { 45, 1536 * KIB, 16 },
			    { 300, 0, 0 } },
			  .levels = 4,
			  .beginning = 8 * KIB,
			  .end = 64 * MIB,
			  .noise = 0.01 },
			0.08, 93 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double right = success(&rows[i].made, rows[i].off);

		if (right < rows[i].least - SCATTER)
			fail_msg("row %zu: right in %.1f %%, not in %.1f %%", i, right,
				rows[i].least);
	}
}

TEST(a_gradual_climb_says_so)
{
	struct generated made = three;
	int gradual = 0;

	made.noise = 0.02;
	made.level[1].bytes = 1024 * MIB;
	made.level[2] = made.level[3];
	made.levels = 3;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct made_curve curve;
		struct plateaus plateaus;

		made_fill(&made, seed, 0, 0, &curve);
		/* From 1 to 32 MiB it climbs evenly. */
		for (int i = 0; i < curve.count; i++) {
			double share = fmin(1, fmax(0, log2(curve.point[i].bytes / MIB) / 5));

			if (curve.point[i].bytes > MIB)
				curve.point[i].cycles = 14 * pow(400.0 / 14, share) *
							exp(0.02 * (2.0 * (i % 7) / 6 - 1));
		}
		plateaus_find(curve.point, curve.count, &plateaus);
		gradual += plateaus.count == 3 && plateaus.knee[1].gradual &&
			   plateaus.knee[1].lo < 3 * MIB && plateaus.knee[1].hi > 6 * MIB;
	}
	assert_in_range(gradual, SEEDS * 98 / 100, SEEDS);
}

TEST(closer_points_narrow_the_range)
{
	struct generated made = three;

	made.noise = 0.005;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct made_curve curve;
		struct plateaus plateaus;

		made_fill(&made, seed, 40 * KIB, 60 * KIB, &curve);
		plateaus_find(curve.point, curve.count, &plateaus);
		assert_int_equal(plateaus.count, 4);
		check_near(plateaus.knee[0].bytes / KIB, 48, 2);
		assert_true(plateaus.knee[0].hi / plateaus.knee[0].lo < 1.08);
	}
}

TEST(a_small_step_of_a_tlb_is_a_knee)
{
	struct generated made = three;
	struct made_curve curve;
	struct plateaus plateaus;
	int found = 0;

	made.noise = 0.005;
	made.level[1].bytes = 2 * MIB;
	made.tlb_bytes = 384 * KIB;
	made.tlb_cycles = 7;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		made_fill(&made, seed, 0, 0, &curve);
		plateaus_find(curve.point, curve.count, &plateaus);
		found += plateaus.count == 5 && plateaus.knee[1].corner > 300 * KIB &&
			 plateaus.knee[1].corner < 450 * KIB;
	}
	assert_true(found >= SEEDS * 98 / 100);
}

TEST(few_points_are_one_plateau)
{
	struct curve_point points[] = { { .bytes = 4096, .cycles = 5 },
		{ .bytes = 8192, .cycles = 50 }, { .bytes = 16384, .cycles = 500 } };
	struct plateaus plateaus;

	plateaus_find(points, 3, &plateaus);
	assert_int_equal(plateaus.count, 1);
	assert_int_equal(plateaus.plateau[0].first, 0);
	assert_int_equal(plateaus.plateau[0].last, 2);
	check_near(plateaus.plateau[0].cycles, 50, 0);
	plateaus_find(NULL, 0, &plateaus);
	assert_int_equal(plateaus.count, 0);
	points[0].cycles = points[2].cycles = NAN;
	points[1].cycles = 0;
	plateaus_find(points, 3, &plateaus);
	assert_int_equal(plateaus.count, 0);
}

TEST(points_without_cycles_keep_their_places)
{
	struct made_curve curve;
	struct plateaus plateaus;

	made_fill(&three, 3, 0, 0, &curve);
	curve.point[0].cycles = NAN;
	curve.point[5].cycles = -1;
	plateaus_find(curve.point, curve.count, &plateaus);
	assert_int_equal(plateaus.count, 4);
	assert_int_equal(plateaus.plateau[0].first, 1);
	check_near(plateaus.plateau[0].from, curve.point[1].bytes, 0);
	assert_int_equal(plateaus.plateau[3].last, curve.count - 1);
}

/* The first points of a curve, as while it is measured. */
TEST(any_beginning_of_a_curve_is_in_order)
{
	struct generated made = three;
	struct made_curve curve;

	made.noise = 0.1;
	made.spikes = 0.1;
	made.two_modes = 0.2;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		made_fill(&made, seed, 0, 0, &curve);
		for (int count = 1; count <= curve.count; count++) {
			struct plateaus plateaus;

			plateaus_find(curve.point, count, &plateaus);
			assert_in_range(plateaus.count, 1, PLATEAUS_MAX);
			for (int i = 0; i < plateaus.count; i++) {
				assert_true(plateaus.plateau[i].first <= plateaus.plateau[i].last &&
					    plateaus.plateau[i].last < count);
				assert_true(plateaus.plateau[i].lo <= plateaus.plateau[i].cycles);
				if (i == 0)
					continue;
				assert_true(
					plateaus.plateau[i].first > plateaus.plateau[i - 1].last);
				assert_true(plateaus.plateau[i].cycles >
					    plateaus.plateau[i - 1].cycles);
				assert_true(plateaus.knee[i - 1].lo <= plateaus.knee[i - 1].hi);
			}
		}
	}
}

RUN_TESTS()
