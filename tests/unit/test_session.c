/* The session against an engine that answers when the test says so. */
#include "experiment/advice/explainer.h"
#include "played.h"

static const uint64_t LIMIT = UINT64_C(8) << 30;

static void start(const struct kernel *kernel, uint64_t memory_limit)
{
	struct engine engine = fake_init(&fake, memory_limit);

	played_begin(
		&engine, (struct session_options){ .seed = 5, .invocation = "--cpu 3" }, kernel);
}

static double figure_of(const struct request *request)
{
	return 1 + (double)(request->v[FOLD_SIZE] % 1000003) / 1e6 +
	       (double)request->v[FOLD_STRIDE];
}

static void answer_one(void)
{
	fake_answer(&fake, 60, figure_of(&fake.request));
}

/* Lets time pass until nothing is wanted or the deadline comes; each request takes `took` seconds.
 */
static double run_on(double now, double until, double took)
{
	return now < until ? played(now,
				     &(struct playing){
					     .took = took, .answer = answer_one, .until = until })
			   : now;
}

/* As run_on(), until everything is measured. */
static double run_idle(double now)
{
	now = run_on(now, now + 1000, 0.004);
	assert_true(session_idle(session));
	return now;
}

TEST(the_first_request_shows_a_figure_early)
{
	start(&kernel_fold, LIMIT);
	struct result result;

	assert_true(fake.pending);
	assert_false(fake.request.background);
	assert_int_equal(fake.request.seed, 5);
	check_near(fake.request.budget.seconds, 0.12, 1e-9);
	assert_int_equal(fake.request.budget.quiet_wanted, 150);
	assert_int_equal(fake.request.budget.provisional, 12);
	assert_true(session_next(session, 100) < 0);
	assert_false(look(100.5)->sample.valid);
	assert_true(view.measuring);
	check_near(view.waiting, 0.5, 1e-9);

	result = fake_result(&fake.request, 12, 3);
	result.final = false;
	fake_push(&fake, &result);
	assert_true(session_advance(session, 100.01));
	assert_true(look(100.01)->sample.valid);
	assert_true(view.sample.provisional);
	check_near(view.sample.cpe, 3, 0.01);
	check_near(view.waiting, 0, 0);
	assert_int_equal(view.strip_count, 12);
	assert_false(session_idle(session));

	fake_answer(&fake, 150, 3);
	assert_true(session_advance(session, 100.05));
	assert_false(look(100.05)->sample.provisional);
	assert_int_equal(view.sample.trials, 150);
}

TEST(live_requests_come_ten_times_a_second)
{
	start(&kernel_odd, LIMIT);
	double now;
	unsigned before;

	now = run_idle(100);
	before = fake.live;
	for (int step = 0; step < 2000; step++) {
		now += 0.001;
		session_advance(session, now);
		if (fake.pending) {
			check_near(fake.request.budget.seconds, 0.03, 1e-9);
			assert_int_equal(fake.request.budget.provisional, 0);
			fake_answer(&fake, 20, 2);
		}
	}
	assert_in_range(fake.live - before, 18, 21);
}

TEST(slow_answers_still_leave_two_thirds_of_the_time)
{
	start(&kernel_odd, LIMIT);
	double now = run_idle(100), asked;

	now += session_next(session, now);
	session_advance(session, now);
	assert_true(fake.pending && !fake.request.background);
	asked = now;
	now += 0.06;
	fake_answer(&fake, 3, 2);
	session_advance(session, now);
	check_near(now + session_next(session, now), asked + 0.18, 1e-6);
}

/* The size that the engine was asked for when the model was last asked. */
static int64_t measured_while_explained;

static void explain_later(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	measured_while_explained = fake.pending ? fake.request.v[FOLD_SIZE] : 0;
	(void)context;
	(void)question;
	explanation->status = status_failed("no model");
}

TEST(the_engine_measures_while_the_model_computes)
{
	struct engine engine = fake_init(&fake, LIMIT);
	static struct explainer explainer; /* the session uses it until the tear-down */

	explainer = explainer_model;
	explainer.explain = explain_later;
	snprintf(fake.machine.arch, sizeof(fake.machine.arch), "x86_64");
	played_begin(&engine, (struct session_options){ .explainer = &explainer, .uarch = "zen4" },
		&kernel_fold);
	fake_answer(&fake, 60, 7);
	session_advance(session, 100.1);
	measured_while_explained = 0;
	check_ok(session_command(session, "set size=64k", 100.2));
	assert_int_equal(measured_while_explained, 65536);
}

TEST(a_stale_figure_is_never_shown)
{
	start(&kernel_fold, LIMIT);
	struct request old = fake.request;
	struct result result;

	fake_answer(&fake, 60, 7);
	session_advance(session, 100.1);
	assert_true(look(100.1)->sample.valid);
	check_ok(session_command(session, "set size=64k", 100.2));
	/* The change asked at once, without waiting for the next advance. */
	assert_true(fake.pending);
	assert_int_equal(fake.request.v[FOLD_SIZE], 65536);
	check_near(fake.request.budget.seconds, 0.12, 1e-9);
	assert_false(look(100.2)->sample.valid);
	assert_int_equal(view.strip_count, 0);

	/* What the old setting's request still brings is not shown. */
	old.generation = fake.request.generation - 1;
	result = fake_result(&old, 60, 7);
	fake_push(&fake, &result);
	session_advance(session, 100.3);
	assert_false(look(100.3)->sample.valid);
	fake_answer(&fake, 60, 9);
	session_advance(session, 100.4);
	check_near(look(100.4)->sample.cpe, 9, 0.02);
}

TEST(going_back_does_not_bring_the_old_request_back)
{
	start(&kernel_fold, LIMIT);
	struct request first = fake.request;
	struct result result;

	check_ok(session_command(session, "set size=64k", 100.1));
	check_ok(session_command(session, "set size=32k", 100.2));
	result = fake_result(&first, 60, 7);
	fake_push(&fake, &result);
	session_advance(session, 100.3);
	/* The same setting, but from before the changes: good for its cell alone. */
	assert_false(look(100.3)->sample.valid);
	assert_true(view.by_size.here >= 0);
	assert_true(view.by_size.point[view.by_size.here].valid);
}

TEST(what_a_cancelled_request_brought_counts_for_its_cell)
{
	start(&kernel_fold, LIMIT);
	struct result result;

	result = fake_result(&fake.request, 30, 4);
	result.status = status_make(STATUS_CANCELLED, "stopped");
	check_ok(session_command(session, "set size=64k", 100.01));
	fake_push(&fake, &result);
	session_advance(session, 100.02);
	look(100.02);
	for (int i = 0; i < view.by_size.count; i++)
		assert_int_equal(view.by_size.point[i].valid, view.by_size.point[i].value == 32768);
	assert_false(view.sample.valid);
}

TEST(the_pool_forgets_after_two_seconds)
{
	start(&kernel_odd, LIMIT);
	double now = 100;

	for (int i = 0; i < 6000; i++) {
		now += 0.001;
		session_advance(session, now);
		if (fake.pending)
			fake_answer(&fake, 5, now < 102 ? 2 : 3);
	}
	check_near(look(now)->sample.cpe, 3, 0.01);
	check_near(view.sample.cpe_lo, 3, 0.01);
	assert_in_range(view.sample.trials, 80, 110);
	assert_true(view.strip_count <= VIEW_STRIP);
	assert_true(view.strip_span > 0);
}

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

TEST(the_clock_stays_known_and_the_hint_goes)
{
	start(&kernel_fold, LIMIT);

	assert_true(isnan(look(100)->last_ghz));
	assert_string_equal(view.hint, "what to press");
	fake_answer(&fake, 60, 2);
	session_advance(session, 100.1);
	check_ok(session_command(session, "set size=64k", 100.2));
	assert_false(look(100.2)->sample.valid);
	check_near(view.last_ghz, 4, 1e-9);
	assert_int_equal(view.last_source, SOURCE_REFERENCE);
	assert_null(view.hint);
	check_ok(session_command(session, "set size=32k", 100.3));
	assert_null(look(100.3)->hint);
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

TEST(the_strip_is_in_order_of_time)
{
	start(&kernel_odd, LIMIT);
	double now = 100, last = 0;
	unsigned round = 0;

	for (int i = 0; i < 9000; i++) {
		now += 0.001;
		session_advance(session, now);
		if (fake.pending)
			fake_answer(&fake, 100, 1 + round++);
	}
	session_advance(session, now);
	look(now);
	assert_int_equal(view.strip_count, VIEW_STRIP);
	for (int i = 0; i < view.strip_count; i++) {
		assert_true(view.strip[i].cpe >= last * 0.9);
		last = view.strip[i].cpe;
	}
	check_near(last, round, 0.01 * round);
	assert_true(view.strip_span > 1.5 && view.strip_span < 2.5);
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

TEST(a_failure_is_shown_and_not_asked_again)
{
	start(&kernel_odd, LIMIT);
	struct result result = fake_result(&fake.request, 0, 0);
	double now = 100;

	result.status = status_failed("n=3: memory was refused");
	fake_push(&fake, &result);
	session_advance(session, now);
	assert_string_equal(look(now)->failure, "n=3: memory was refused");
	assert_string_equal(view.screen.notice, "n=3: memory was refused");
	assert_true(view.screen.notice_bad);
	assert_false(view.sample.valid);
	assert_false(view.measuring && !fake.request.background);
	check_near(view.waiting, 0, 0);
	for (int i = 0; i < 3000; i++) {
		now += 0.001;
		session_advance(session, now);
		if (fake.pending)
			fake_answer(&fake, 60, 2);
	}
	assert_int_equal(fake.live, 1);
	assert_true(session_idle(session));
	assert_true(session_next(session, now) < 0);
	/* The other cells were measured all the same. */
	assert_int_equal(look(now)->cells_settled, 5);

	check_ok(session_command(session, "again", now));
	assert_int_equal(fake.live, 2);
	assert_string_equal(look(now)->failure, "");
	fake_answer(&fake, 60, 2);
	session_advance(session, now);
	assert_true(look(now)->sample.valid);
}

TEST(a_working_set_beyond_memory_fails_without_a_request)
{
	struct engine engine = fake_init(&fake, 0);
	struct session_options options = { .invocation = "" };
	setting_init(&options.setting, &kernel_fold);
	options.setting.v[FOLD_SIZE] = INT64_C(64) << 30;
	session = session_new(&engine, &options);
	session_advance(session, 100);
	assert_true(fake.pending);
	assert_int_equal(look(100)->memory_limits.memory, 0);
	/* The machine becomes known. */
	fake.machine.memory_limit = LIMIT;
	atomic_store(&fake.machine.known, true);
	assert_true(session_advance(session, 100.1));
	check_contains(
		look(100.1)->failure, "size=64g is beyond half of this machine's free memory");
	assert_true(view.memory_limits.memory == LIMIT);
	assert_int_equal(fake.cancels, 1);
	check_ok(session_command(session, "set size=32k", 100.2));
	assert_true(fake.pending);
	assert_string_equal(look(100.2)->failure, "");
}

TEST(frozen_nothing_is_asked_and_nothing_changes)
{
	start(&kernel_fold, LIMIT);
	struct request request;
	struct result result;
	unsigned submits;

	fake_answer(&fake, 60, 2);
	session_advance(session, 100.1);
	session_advance(session, 100.2);
	assert_true(fake.pending);
	request = fake.request;
	check_ok(session_command(session, "freeze", 100.2));
	assert_int_equal(fake.cancels, 1);
	assert_true(look(100.2)->frozen);
	assert_true(session_idle(session));
	assert_true(session_next(session, 100.2) < 0);
	submits = fake.submits;
	result = fake_result(&request, 5, 2);
	result.status = status_make(STATUS_CANCELLED, "stopped");
	fake_push(&fake, &result);
	for (int i = 0; i < 100; i++)
		session_advance(session, 101 + i);
	assert_int_equal(fake.submits, submits);
	check_near(look(200)->sample.cpe, 2, 0.01);

	/* A knob turned while frozen shows nothing, and asks nothing, until it goes on. */
	check_ok(session_command(session, "set acc=3", 201));
	assert_int_equal(fake.submits, submits);
	assert_false(look(205)->sample.valid);
	check_near(view.waiting, 0, 0);
	assert_false(view.measuring);
	check_ok(session_command(session, "freeze", 206));
	assert_int_equal(fake.submits, submits + 1);
	assert_int_equal(fake.request.budget.provisional, 12);
	assert_false(fake.request.background);
	fake_answer(&fake, 60, 5);
	session_advance(session, 206.1);
	check_near(look(206.1)->sample.cpe, 5, 0.01);
}

TEST(frozen_and_back_at_once_keeps_the_figure_right)
{
	start(&kernel_odd, LIMIT);
	struct request first = fake.request;
	struct result result;

	check_ok(session_command(session, "freeze", 100.01));
	check_ok(session_command(session, "freeze", 100.02));
	assert_true(fake.request.generation > first.generation);
	result = fake_result(&first, 8, 4);
	result.status = status_make(STATUS_CANCELLED, "stopped");
	fake_push(&fake, &result);
	session_advance(session, 100.03);
	assert_true(fake.pending);
	fake_answer(&fake, 150, 4);
	session_advance(session, 100.1);
	assert_int_equal(look(100.1)->sample.trials, 150);
}

TEST(an_engine_that_cancels_by_itself_is_not_hurried)
{
	start(&kernel_fold, LIMIT);
	double now = 100;

	for (int i = 0; i < 1000; i++) {
		now += 0.001;
		session_advance(session, now);
		if (fake.pending) {
			struct result result = fake_result(&fake.request, 0, 0);

			result.status = status_make(STATUS_CANCELLED, "stopped");
			fake_push(&fake, &result);
		}
	}
	assert_true(fake.submits < 30);
	assert_false(session_idle(session));
}

TEST(again_forgets_every_figure)
{
	start(&kernel_fold, LIMIT);
	double now = run_idle(100);
	struct request old;
	struct result late;

	now += session_next(session, now);
	session_advance(session, now);
	old = fake.request;
	check_ok(session_command(session, "again", now));
	look(now);
	assert_false(view.sample.valid);
	assert_int_equal(view.cells_settled, 0);
	assert_true(view.cells_wanted > 100);
	/* What was under way before counts for nothing. */
	late = fake_result(&old, 60, 77);
	fake_push(&fake, &late);
	session_advance(session, now);
	look(now);
	assert_false(view.sample.valid);
	assert_false(view.by_size.point[view.by_size.here].valid);
	run_idle(now);
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

/* What takes long to lay out says how far it is, can be ended, and is not begun again before it is
 * asked for. */
TEST(a_long_preparation_is_seen_and_ended)
{
	start(&kernel_fold, LIMIT);
	unsigned submits;

	assert_false(session_command_works(session, "close"));
	fake.ahead = (struct progress_seen){ .stage = STAGE_LAYING, .share = 0.1 };
	session_advance(session, 100.1);
	assert_int_equal(look(100.1)->ahead.stage, STAGE_LAYING);
	assert_true(isnan(view.ahead_left));
	fake.ahead.share = 0.3;
	session_advance(session, 101.1);
	assert_float_equal(look(101.1)->ahead_left, 3.5, 1e-9);
	assert_true(session_command_works(session, "close"));
	submits = fake.submits;
	check_ok(session_command(session, "close", 101.2));
	assert_false(fake.pending);
	fake.ahead.stage = STAGE_NONE;
	for (double now = 101.2; now < 110; now += 0.25)
		session_advance(session, now);
	assert_int_equal(fake.submits, submits);
	check_contains(look(110)->failure, "a measures again");
	assert_true(session_idle(session));
	/* Asked for again, or another setting. */
	check_ok(session_command(session, "again", 110));
	assert_true(fake.pending);
	fake.ahead.stage = STAGE_LAYING;
	session_advance(session, 111);
	check_ok(session_command(session, "close", 111));
	assert_false(fake.pending);
	check_ok(session_command(session, "set unroll=5", 112));
	assert_true(fake.pending);
	assert_string_equal(look(112)->failure, "");
}

/* While a figure is there the typed value goes, and nothing is ended. */
TEST(a_figure_that_is_measured_anew_is_not_ended)
{
	start(&kernel_fold, LIMIT);

	fake_answer(&fake, 60, 2);
	session_advance(session, 100.1);
	session_advance(session, 100.6);
	assert_true(fake.pending);
	fake.ahead =
		(struct progress_seen){ .stage = STAGE_RUNNING, .share = 0.1, .run = 1, .runs = 1 };
	session_advance(session, 100.7);
	assert_false(session_command_works(session, "close"));
}

RUN_TESTS(.each_tear_down = played_end)
