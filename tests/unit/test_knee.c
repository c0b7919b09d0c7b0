#include "knees.h"
#include "table.h"

/* A rate over fewer seeds scatters more. In points of percent. */
enum { SEEDS = CHECK_REPEATS(100, 10), SCATTER = CHECK_REPEATS(0, 5), MOST = 1024 };

struct tally {
	double right;		 /* percent whose knee is within `off` */
	double wrong;		 /* percent that name a sharp knee elsewhere, its range included */
	double kind[KNEE_KINDS]; /* percent */
	double points;		 /* mean */
	int points_most;
};

static struct tally tally_of(const struct made_window *made, double off)
{
	struct tally tally = { 0 };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct knee_curve curve;
		struct knee knee;
		int points = made_search(made, seed * 7919, MOST, &curve, &knee);

		tally.points += (double)points / SEEDS;
		tally.points_most = points > tally.points_most ? points : tally.points_most;
		tally.kind[knee.kind] += 100.0 / SEEDS;
		tally.right += 100.0 / SEEDS * (fabs(knee.x - made->knee) <= off);
		tally.wrong += 100.0 / SEEDS *
			       (knee.kind == KNEE_SHARP &&
				       (knee.lo > made->knee + off || knee.hi < made->knee - off));
	}
	return tally;
}

/* What is put in comes out in so many percent of the searches, is called so, and is wrong while it
 * is called sharp in no more than so many. */
static void check_rates(const struct made_window *made, double off, enum knee_kind kind,
	double right, double called, double wrong)
{
	struct tally tally = tally_of(made, off);

	if (kind != KNEE_NONE && tally.right < right - SCATTER)
		fail_msg("right in %.1f %%, not in %.1f %%", tally.right, right);
	if (tally.kind[kind] < called - SCATTER)
		fail_msg("called %s in %.1f %%, not in %.1f %%", knee_kind_names[kind],
			tally.kind[kind], called);
	if (tally.wrong > wrong + SCATTER)
		fail_msg(
			"wrong and called sharp in %.1f %%, more than %.1f %%", tally.wrong, wrong);
	assert_int_equal((int)tally.kind[KNEE_UNKNOWN], 0);
	assert_true(tally.points_most <= 44);
}

/* Made-up windows, and how often the search is right. */
TEST(knees_are_found)
{
	static const char *const kinds[] = { "unknown", "sharp", "soft", "none" };
	struct table table;

	table_open(&table, "knee", "windows");
	while (table_next(&table, 3)) {
		enum knee_kind kind = (enum knee_kind)table_choice(&table, 0, kinds, 4);
		double made[7], right[4];

		table_numbers(&table, 1, made, 7);
		table_numbers(&table, 2, right, 4);
		check_rates(&(struct made_window){ .latency = 600,
				    .knee = made[0],
				    .second = made[1],
				    .spread = made[2],
				    .width = made[3],
				    .noise = made[4],
				    .spikes = made[5],
				    .drift = made[6] },
			right[0], kind, right[1], right[2], right[3]);
	}
}

/* Each point takes some milliseconds. */
TEST(few_points_are_enough)
{
	struct made_window made = { .latency = 600, .width = 6, .knee = 442, .noise = 0.01 };
	struct tally tally = tally_of(&made, 0);

	assert_true(tally.points < 22);
	assert_true(tally.points_most < 26);
}

/* With a fifth of noise most curves are called unclear, and hardly one is named wrongly. */
TEST(much_noise_is_called_so)
{
	struct made_window made = { .latency = 600, .width = 6, .knee = 442, .noise = 0.2 };
	struct tally tally = tally_of(&made, 5);

	assert_true(tally.kind[KNEE_UNCLEAR] > 60);
	assert_true(tally.wrong < 8);
}

/* After the knee the fillers' own work goes on: that is another rise, and not the first. */
TEST(growth_after_a_rise_does_not_hide_it)
{
	for (int noise = 1; noise <= 4; noise++) {
		struct made_window made = { .latency = 590,
			.width = 6,
			.knee = 277,
			.spread = 16,
			.noise = 0.01 * noise,
			.growth = 0.2 };
		struct tally tally = tally_of(&made, 8);

		assert_true(tally.right >= 98);
		assert_true(tally.kind[KNEE_SOFT] + tally.kind[KNEE_SHARP] >= 98);
	}
}

TEST(a_knee_has_its_range_and_the_cycles_on_both_sides)
{
	const struct made_window
		soft = { .latency = 600, .width = 6, .knee = 204, .spread = 60, .noise = 0.01 },
		two = { .latency = 600, .width = 6, .knee = 88, .second = 442, .noise = 0.02 },
		none = { .latency = 600, .width = 6, .noise = 0.02 },
		work = { .latency = 600, .width = 1, .noise = 0.02 };
	struct knee_curve curve;
	struct knee knee;

	made_search(&soft, 1, MOST, &curve, &knee);
	assert_true(knee.lo == knee.from && knee.hi == knee.to);
	assert_true(knee.from > 165 && knee.from < 185 && knee.to > 223 && knee.to < 245);
	assert_true(fabs(knee.before - 610) < 25 && fabs(knee.after - 1245) < 50);
	made_search(&two, 3, MOST, &curve, &knee);
	assert_true(fabs(knee.after / knee.before - 1.5) < 0.1);
	made_search(&none, 3, MOST, &curve, &knee);
	assert_true(curve.count < 12);
	assert_true(isnan(knee.x) && isnan(knee.lo) && isnan(knee.hi) && isnan(knee.after));
	assert_false(knee.work);
	assert_true(fabs(knee.before / 600 - 1) < 0.1);
	made_search(&work, 3, MOST, &curve, &knee);
	assert_true(knee.work);
}

/* Nor is work that comes on top of the misses: by and by the time is twice as long. */
TEST(slow_growth_is_no_knee)
{
	struct made_window made = { .latency = 300, .width = 6, .knee = 100000, .noise = 0.02 };
	struct random random = { 5 };
	struct knee_curve curve = { 0 };
	struct knee knee;
	double x;

	while (knee_next(&curve, 0, MOST, &x)) {
		struct knee_point point = made_window_point(&made, &random, 0, x);

		point.y += point.lo = x * 0.8;
		point.hi = point.lo = point.y;
		assert_true(knee_add(&curve, &point));
	}
	knee_find(&curve, MOST, &knee);
	assert_int_equal(knee.kind, KNEE_NONE);
	assert_true(knee.work);
}

/* ---- the pieces ---- */

static struct knee_curve made_by_hand(const double *pairs, int count)
{
	struct knee_curve curve = { 0 };

	for (int i = 0; i < count; i++) {
		struct knee_point point = { .x = pairs[2 * i],
			.y = pairs[2 * i + 1],
			.lo = pairs[2 * i + 1],
			.hi = pairs[2 * i + 1] };

		assert_true(knee_add(&curve, &point));
	}
	return curve;
}

static struct knee find_by_hand(const double *pairs, int count)
{
	struct knee_curve curve = made_by_hand(pairs, count);
	struct knee knee;

	knee_find(&curve, MOST, &knee);
	return knee;
}

TEST(points_keep_their_order_and_their_number)
{
	struct knee_curve curve = { 0 };
	struct knee_point point = { .x = 64, .y = 3, .lo = 2, .hi = 4 };

	assert_true(knee_add(&curve, &point));
	point.x = 8;
	assert_true(knee_add(&curve, &point));
	point.y = 5;
	assert_true(knee_add(&curve, &point));
	assert_int_equal(curve.count, 2);
	assert_true(curve.point[0].x == 8 && curve.point[0].y == 5 && curve.point[1].x == 64);
	assert_ptr_equal(knee_at(&curve, 64), &curve.point[1]);
	assert_null(knee_at(&curve, 9));
	point.y = NAN;
	assert_false(knee_add(&curve, &point));
	point.y = 0;
	assert_false(knee_add(&curve, &point));
	point.y = 1;
	for (int x = 0; curve.count < KNEE_POINTS; x++) {
		point.x = x;
		assert_true(knee_add(&curve, &point));
	}
	point.x = 5000;
	assert_false(knee_add(&curve, &point));
	point.x = 64;
	assert_true(knee_add(&curve, &point));
}

TEST(doubling_comes_first)
{
	static const double up[] = { 1, 8, 16, 32, 64, 128 };
	struct knee_curve curve = { 0 };
	double x;

	for (size_t i = 0; i < sizeof(up) / sizeof(*up); i++) {
		struct knee_point point = { .x = up[i], .y = 100, .lo = 99, .hi = 101 };

		assert_true(knee_next(&curve, 1, 200, &x));
		assert_true(x == up[i]);
		knee_add(&curve, &point);
	}
	assert_true(knee_next(&curve, 1, 200, &x));
	assert_true(x == 200);
}

TEST(too_little_says_nothing)
{
	static const double few[] = { 0, 100, 8, 101 };
	static const double rising[] = { 0, 100, 8, 101, 16, 99, 32, 100, 64, 101, 128, 200 };
	struct knee_curve curve = { 0 };
	struct knee knee;

	knee_find(&curve, MOST, &knee);
	assert_int_equal(knee.kind, KNEE_UNKNOWN);
	assert_true(isnan(knee.x));
	knee = find_by_hand(few, 2);
	assert_int_equal(knee.kind, KNEE_UNKNOWN);
	knee = find_by_hand(rising, 6);
	assert_int_equal(knee.kind, KNEE_UNKNOWN);
}

/* A first point that happened to be fast is no step. */
TEST(a_fast_point_at_the_beginning_is_no_knee)
{
	static const double points[] = { 0, 520, 8, 700, 16, 690, 32, 710, 64, 700, 128, 705, 192,
		700, 224, 720, 240, 710, 248, 715, 252, 1180, 256, 1190, 260, 1200, 512, 1210 };
	struct knee knee = find_by_hand(points, 14);

	assert_int_equal(knee.kind, KNEE_SHARP);
	assert_true(knee.lo == 248 && knee.hi == 251);
}

/* While it is looked for the range is what is known. */
TEST(the_range_shrinks_as_points_come)
{
	static const double points[] = { 0, 100, 8, 101, 16, 99, 32, 100, 64, 101, 128, 200, 256,
		205, 80, 100, 104, 200, 92, 100 };
	struct knee knee = find_by_hand(points, 7);

	assert_true(knee.lo == 64 && knee.hi == 127);
	assert_true(knee.x == 95);
	assert_true(isnan(knee.again));
	/* That is too little to name it. */
	assert_int_equal(knee.kind, KNEE_UNCLEAR);
	knee = find_by_hand(points, 10);
	assert_true(knee.lo == 92 && knee.hi == 103);
	assert_true(knee.from == 92 && knee.to == 104);
	assert_int_equal(knee.kind, KNEE_SHARP);
}

/* A wide gap says nothing of where in it the knee is, however clear the rise. */
TEST(a_wide_gap_is_unclear)
{
	static const double points[] = { 0, 100, 8, 101, 16, 99, 32, 100, 64, 101, 128, 200, 140,
		201, 160, 200, 180, 201, 70, 100, 118, 200, 74, 100 };
	struct knee knee = find_by_hand(points, 9);

	assert_true(knee.lo == 64 && knee.hi == 127);
	assert_int_equal(knee.kind, KNEE_UNCLEAR);
	knee = find_by_hand(points, 12);
	assert_true(knee.lo == 74 && knee.hi == 117);
	assert_int_equal(knee.kind, KNEE_UNCLEAR);
	assert_true(knee.sparse);
}

/* A point half-way up belongs to whichever side it is nearer to. */
TEST(the_likelier_step_weighs_more)
{
	double points[] = { 0, 100, 8, 101, 16, 99, 32, 100, 64, 101, 96, 0, 128, 200, 256, 205,
		512, 203 };
	struct knee knee;

	points[11] = 125;
	knee = find_by_hand(points, 9);
	assert_true(knee.x > 96 && knee.x < 150);
	points[11] = 165;
	knee = find_by_hand(points, 9);
	assert_true(knee.x > 64 && knee.x < 96);
}

/* Points as doubling looks at them, to the end. */
static struct knee find_doubling(const double y[9])
{
	double points[18];

	for (int i = 0; i < 9; i++) {
		points[2 * i] = i ? 4 << i : 0;
		points[2 * i + 1] = y[i];
	}
	return find_by_hand(points, 9);
}

/* One may be fast by chance. */
TEST(cycles_without_a_knee_are_those_of_most_points)
{
	const double fast[] = { 100, 101, 100, 50, 100, 101, 100, 100, 101 };
	struct knee knee = find_doubling(fast);

	assert_int_equal(knee.kind, KNEE_NONE);
	assert_true(knee.before >= 100 && knee.before <= 101);
}

/* Doubling alone has little beside a point that was disturbed: that is no knee to be sure of. */
TEST(one_slow_point_is_no_sharp_knee)
{
	double points[9];

	for (int slow = 0; slow < 8; slow++) {
		struct knee knee;

		for (int i = 0; i < 9; i++)
			points[i] = i == slow ? 300 : 100 + i % 2;
		knee = find_doubling(points);
		assert_true(knee.kind == KNEE_NONE || knee.kind == KNEE_UNCLEAR);
	}
}

TEST(points_all_over_the_place_are_unclear)
{
	const double scattered[] = { 100, 210, 105, 190, 95, 220, 100, 215, 110 },
		     falling[] = { 210, 200, 190, 205, 195, 100, 101, 99, 100 };
	struct knee knee = find_doubling(scattered);

	assert_int_equal(knee.kind, KNEE_UNCLEAR);
	assert_false(knee.work);
	knee = find_doubling(falling);
	assert_int_equal(knee.kind, KNEE_UNCLEAR);
	assert_true(isnan(knee.x));
}

/* Work of the fillers that is as long as they are many has steps where doubling looks; other work
 * may grow so slowly that none is seen, but that takes many points to say. */
TEST(growth_is_told_from_a_rise_that_noise_hides)
{
	const double work[] = { 100, 101, 100, 101, 110, 200, 400, 800, 1600 };
	const double few[] = { 0, 100, 128, 119, 256, 137, 384, 156, 512, 175, 640, 194, 768, 212,
		896, 231, 1024, 250 };
	struct knee_curve curve = { 0 };
	struct knee knee = find_doubling(work);

	assert_int_equal(knee.kind, KNEE_NONE);
	assert_true(knee.work);
	knee = find_by_hand(few, 9);
	assert_int_equal(knee.kind, KNEE_UNCLEAR);
	assert_true(isnan(knee.x));
	for (int loud = 0; loud < 2; loud++) {
		curve.count = 0;
		for (int i = 0; i <= 32; i++) {
			struct knee_point point = { .x = 32 * i, .y = 100 + 4.7 * i };

			point.lo = point.y * (loud ? 0.8 : 1);
			point.hi = point.y * (loud ? 1.2 : 1);
			assert_true(knee_add(&curve, &point));
		}
		knee_find(&curve, 1024, &knee);
		assert_int_equal(knee.kind, loud ? KNEE_UNCLEAR : KNEE_NONE);
		assert_true(knee.work == !loud);
	}
}

/* Of two rises the place of the second is told too. */
TEST(a_further_rise_is_told)
{
	static const double points[] = { 0, 100, 8, 101, 16, 99, 32, 100, 60, 100, 62, 101, 64, 101,
		65, 150, 66, 149, 68, 151, 70, 150, 128, 150, 250, 151, 256, 150, 260, 201, 264,
		200, 300, 199, 512, 200 };
	struct knee knee = find_by_hand(points, 18);

	assert_int_equal(knee.kind, KNEE_SHARP);
	assert_true(knee.x == 64 && knee.again == 256);
}

/* A rise by a third in figures that are off by a seventh may be none. */
TEST(a_small_rise_in_noise_is_unclear)
{
	struct knee_curve curve = { 0 };
	struct knee knee;

	for (int loud = 0; loud < 2; loud++) {
		curve.count = 0;
		for (int i = 0; i < 12; i++) {
			struct knee_point point = { .x = 95 + i, .y = i < 6 ? 100 : 133 };

			point.lo = point.y * (loud ? 0.77 : 0.99);
			point.hi = point.y * (loud ? 1.23 : 1.01);
			assert_true(knee_add(&curve, &point));
		}
		knee_find(&curve, 106, &knee);
		assert_int_equal(knee.kind, loud ? KNEE_UNCLEAR : KNEE_SHARP);
		assert_false(knee.sparse);
		assert_true(fabs(knee.x - 100) <= 2);
	}
}

/* With a point or two before it a rise has to be plain, and in noise any. */
TEST(a_rise_has_to_be_seen)
{
	static const struct {
		double before, after, noise;
		int from;
	} cases[] = {
		{ 100, 130, 0.01, 1 },
		{ 100, 160, 0.2, 1 },
		{ 100, 126, 0.3, 12 },
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct knee_curve curve = { 0 };
		struct knee knee;

		for (int i = 0; i < 24; i++) {
			struct knee_point point = { .x = 2 * i,
				.y = i < cases[k].from ? cases[k].before : cases[k].after };

			point.lo = point.y * (1 - cases[k].noise / 0.6);
			point.hi = point.y * (1 + cases[k].noise / 0.6);
			assert_true(knee_add(&curve, &point));
		}
		knee_find(&curve, 46, &knee);
		assert_int_equal(knee.kind, KNEE_NONE);
	}
}

RUN_TESTS()
