/* The session against an engine that answers when the test says so. */
#include "answered.h"

#include "experiment/advice/explainer.h"

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
