/* The cells that the session measures by itself, and what contention does to them. */
#include "answered.h"

/* Answers every live request for a while: `quiet` quiet trials of CPE 2 and `contended` contended
 * ones of 3. */
static double mixed_spell(double now, double seconds, unsigned quiet, unsigned contended)
{
	for (double until = now + seconds; now < until; now += 0.001) {
		session_advance(session, now);
		if (fake.pending) {
			struct result result = fake_result(&fake.request, quiet + contended, 2);

			for (unsigned i = quiet; i < quiet + contended; i++) {
				result.trials.trial[i].fate = TRIAL_CONTENDED;
				result.trials.trial[i].cpe = 3;
			}
			fake_push(&fake, &result);
		}
	}
	session_advance(session, now);
	return now;
}

TEST(a_contended_spell_passes)
{
	start(&kernel_odd, LIMIT);
	double now = mixed_spell(100, 4, 40, 0);

	check_near(look(now)->sample.quiet, 1, 0);
	assert_int_equal(view.sample.dropped, 0);
	/* Shorter than the pool: the quiet trials from before still give the figure, and the share
	 * tells. */
	now = mixed_spell(now, 1, 0, 150);
	assert_false(look(now)->sample.contended);
	check_near(view.sample.cpe, 2, 0.01);
	assert_true(view.sample.quiet > 0.05 && view.sample.quiet < 0.25);
	/* Longer: it is said, and what is shown is what is. */
	now = mixed_spell(now, 3, 0, 150);
	assert_true(look(now)->sample.contended);
	check_near(view.sample.cpe, 3, 0.01);
	check_near(view.sample.quiet, 0, 0);
	/* Over: within two seconds nothing of it is left. */
	now = mixed_spell(now, 2.5, 40, 0);
	assert_false(look(now)->sample.contended);
	check_near(view.sample.quiet, 1, 0);
	assert_int_equal(view.sample.dropped, 0);
}

/* A contended figure does not take the place of a quiet one of the same setting, even one from
 * before. */
TEST(the_last_quiet_figure_is_kept)
{
	start(&kernel_fold, LIMIT);
	double now = mixed_spell(100, 3, 40, 0);

	assert_true(look(now)->quiet.valid);
	check_near(view.quiet_age, 0, 0.2);
	now = mixed_spell(now, 6, 0, 150);
	assert_true(look(now)->sample.contended);
	check_near(view.sample.cpe, 3, 0.01);
	assert_true(view.quiet.valid && !view.quiet.contended);
	check_near(view.quiet.cpe, 2, 0.01);
	assert_true(view.quiet_age > 3 && view.quiet_age < 6.2);

	/* A setting that was never quiet has none; back again, it is remembered with its age. */
	check_ok(session_command(session, "set size=100k", now));
	now = mixed_spell(now, 3, 0, 150);
	assert_true(look(now)->sample.contended);
	assert_false(view.quiet.valid);
	check_ok(session_command(session, "set size=32k", now));
	assert_true(look(now)->quiet.valid);
	check_near(view.quiet.cpe, 2, 0.01);
	assert_true(view.quiet_age > 6 && view.quiet_age < 9.2);
}

TEST(the_view_tells_off_grid_settings_from_cells)
{
	start(&kernel_fold, LIMIT);

	assert_int_equal(look(100)->grid.place_y.where, AXIS_AT);
	assert_int_equal(view.by_size.place.where, AXIS_AT);
	assert_int_equal(view.by_size.place.index, view.by_size.here);
	check_ok(session_command(session, "set size=48k stride=64", 100));
	assert_int_equal(look(100)->grid.place_y.where, AXIS_BETWEEN);
	assert_int_equal(view.grid.place_x.where, AXIS_BEYOND);
	assert_int_equal(view.by_stride.place.where, AXIS_AT);
	check_ok(session_command(session, "set size=3g", 100));
	assert_int_equal(look(100)->by_size.place.where, AXIS_BEYOND);
	assert_int_equal(view.grid.place_y.where, AXIS_BEYOND);
	check_ok(session_command(session, "set size=64", 100));
	assert_int_equal(look(100)->by_size.place.where, AXIS_BEFORE);
}

TEST(the_grid_knows_its_contended_cells)
{
	start(&kernel_fold, LIMIT);
	double now = mixed_spell(100, 1, 0, 60);

	look(now);
	assert_true(isfinite(view.grid.gbps[view.grid.here_y][view.grid.here_x]));
	assert_true(view.grid.contended[view.grid.here_y][view.grid.here_x]);
}

/* What is said to be used and dropped is of the same stretch of time, however fast trials come in.
 */
TEST(used_and_dropped_agree_with_the_quiet_share)
{
	start(&kernel_odd, LIMIT);
	double now = mixed_spell(100, 3, 150, 15);

	look(now);
	assert_true(view.sample.trials >= 300);
	check_near((double)view.sample.trials / (view.sample.trials + view.sample.dropped),
		150.0 / 165, 0.001);
	check_near(view.sample.quiet, 150.0 / 165, 0.001);
}

/* A cell that was contended at every visit is measured again later, and gets its quiet figure. */
TEST(contended_cells_are_looked_at_again)
{
	start(&kernel_fold, LIMIT);
	double now = 100;
	bool spell = true;
	int contended = 0;

	for (int i = 0; i < 200000 && !(session_idle(session) && !spell); i++) {
		now += 0.001;
		session_advance(session, now);
		if (fake.pending) {
			struct result result = fake_result(&fake.request, 60, 2);

			for (unsigned k = 0; spell && k < 60; k++)
				result.trials.trial[k].fate = TRIAL_CONTENDED;
			fake_push(&fake, &result);
		}
		if (spell && session_idle(session)) {
			look(now);
			for (int p = 0; p < view.by_size.count; p++)
				contended += view.by_size.point[p].sample.contended;
			assert_true(contended > 2);
			spell = false;
			i = 0;
		}
	}
	assert_false(spell);
	for (double until = now + 300; now < until; now += 0.01) {
		session_advance(session, now);
		if (fake.pending)
			fake_answer(&fake, 60, 2);
	}
	look(now);
	for (int p = 0; p < view.by_size.count; p++)
		assert_false(view.by_size.point[p].sample.contended);
}

TEST(slices_and_grid_fill_and_then_the_core_rests)
{
	start(&kernel_fold, LIMIT);
	double now = run_idle(100);
	unsigned before;

	look(now);
	assert_int_equal(view.cells_settled, view.cells_wanted);
	assert_int_equal(view.by_size.knob, FOLD_SIZE);
	assert_int_equal(view.by_stride.knob, FOLD_STRIDE);
	assert_int_equal(view.by_size.point[view.by_size.here].value, 32768);
	assert_int_equal(view.by_stride.here, 0);
	for (int i = 0; i < view.by_size.count; i++) {
		assert_true(view.by_size.point[i].possible && view.by_size.point[i].settled);
		check_near(view.by_size.point[i].sample.cpe,
			2 + (double)(view.by_size.point[i].value % 1000003) / 1e6, 0.02);
	}
	assert_true(view.grid.present);
	assert_int_equal(view.grid.x[view.grid.here_x], 1);
	assert_int_equal(view.grid.y[view.grid.here_y], 32768);
	for (int y = 0; y < view.grid.ny; y++)
		for (int x = 0; x < view.grid.nx; x++)
			assert_true(
				view.grid.gbps[y][x] > 0 && view.grid.gbps[y][x] <= view.grid.top);
	/* At rest only the live setting is measured, ten times a second. */
	before = fake.background;
	for (double until = now + 2; now < until; now += 0.005) {
		session_advance(session, now);
		if (fake.pending)
			fake_answer(&fake, 60, 2);
	}
	assert_int_equal(fake.background, before);
}

TEST(one_background_request_at_a_time_nearest_first)
{
	start(&kernel_fold, LIMIT);
	unsigned submits;

	fake_answer(&fake, 150, 2);
	session_advance(session, 100.01);
	assert_true(fake.pending && fake.request.background);
	check_near(fake.request.budget.seconds, 0.004, 1e-9);
	assert_int_equal(fake.request.v[FOLD_SIZE], 24576);
	submits = fake.submits;
	/* Nothing more while it is under way, not even when the live setting is due. */
	session_advance(session, 101);
	assert_int_equal(fake.submits, submits);
	assert_true(session_next(session, 101) < 0);
	fake_answer(&fake, 50, 2);
	session_advance(session, 101.01);
	assert_false(fake.request.background);
}

TEST(cells_are_visited_in_rounds)
{
	start(&kernel_walk, LIMIT);
	int64_t seen[64][2];
	int count = 0, wanted;
	double now = 100;

	check_ok(session_command(session, "knob order", now));
	wanted = (int)look(now)->cells_wanted;
	/* Wide answers never settle at once: each cell comes once before any comes again. */
	while (count < wanted - 1) {
		struct result result;

		session_advance(session, now);
		now += 0.001;
		if (!fake.pending)
			continue;
		result = fake_result(&fake.request, 20, 2);
		if (fake.request.background) {
			assert_true(count < 64);
			for (int i = 0; i < count; i++)
				assert_false(seen[i][0] == fake.request.v[WALK_SIZE] &&
					     seen[i][1] == fake.request.v[WALK_ORDER]);
			seen[count][0] = fake.request.v[WALK_SIZE];
			seen[count++][1] = fake.request.v[WALK_ORDER];
		}
		fake_push(&fake, &result);
	}
	assert_true(count > 30);
}

TEST(settled_cells_are_used_again)
{
	start(&kernel_fold, LIMIT);
	double now = run_idle(100);
	unsigned before = fake.background;

	/* Only the size slice at the new size's stride exists already; walking along it asks
	 * nothing new. */
	check_ok(session_command(session, "set size=16k", now));
	look(now);
	assert_int_equal(view.cells_settled, view.cells_wanted - 8); /* the sparse strides */
	assert_false(view.sample.valid);
	now = run_idle(now);
	assert_true(fake.background - before <= 8);
}

TEST(impossible_points_are_never_requested)
{
	start(&kernel_odd, LIMIT);
	double now = 100;
	unsigned asked = 0;

	for (; !session_idle(session); now += 0.001) {
		session_advance(session, now);
		if (!fake.pending)
			continue;
		assert_int_equal(fake.request.v[0] % 2, 1);
		asked++;
		fake_answer(&fake, 60, 2);
	}
	assert_true(asked >= 5);
	look(now);
	assert_int_equal(view.by_size.knob, -1);
	assert_false(view.grid.present);
	assert_int_equal(view.by_stride.knob, 0);
	assert_int_equal(view.by_stride.count, 9);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(view.by_stride.point[i].possible, i % 2 == 0);
		assert_int_equal(view.by_stride.point[i].valid, i % 2 == 0);
	}
	assert_int_equal(view.cells_wanted, 5);
}

TEST(the_second_slice_follows_the_selected_knob)
{
	start(&kernel_walk, LIMIT);

	assert_int_equal(look(100)->by_stride.knob, -1); /* size is selected */
	check_ok(session_command(session, "knob next", 100));
	assert_int_equal(look(100)->by_stride.knob, WALK_SPACING);
	assert_int_equal(view.by_stride.count, 16);
	check_ok(session_command(session, "knob order", 100));
	assert_int_equal(look(100)->by_stride.knob, WALK_ORDER);
	assert_int_equal(view.by_stride.count, 3);
}

/* Keys held down for a long time: the table of cells stays bounded, and every pointer good. */
TEST(a_long_walk_keeps_working)
{
	if (!CHECK_PATIENT)
		skip();
	start(&kernel_fold, LIMIT);
	double now = 100;

	for (int i = 0; i < CHECK_REPEATS(7000, 700); i++) {
		char line[64];

		snprintf(line, sizeof(line), "set size=%d stride=%d", 4096 + 8 * (i % 9001),
			1 + i % 64);
		check_ok(session_command(session, line, now));
		fake_answer(&fake, 30, 2);
		now += 0.002;
		session_advance(session, now);
		assert_true(fake.pending);
	}
	assert_true(look(now)->sample.valid);
}

RUN_TESTS(.each_tear_down = played_end)
