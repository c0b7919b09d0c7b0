/* What comes after the limits: code that is read in another thread, and advice. */
#include "insight_fakes.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "explorer/state.h"

/* ---- code that is read in another thread ---- */

static atomic_bool held;
static atomic_int answered;
static pthread_t drawing;

/* Only the thread that draws must not wait. */
static void answer_slowly(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	assert_false(pthread_equal(pthread_self(), drawing));
	while (atomic_load(&held))
		sched_yield();
	answer(context, question, explanation);
	atomic_fetch_add(&answered, 1);
}

static const struct explainer slow_explainer = { .recognise = recognise,
	.load = load,
	.unload = unload,
	.explain = answer_slowly,
	.background_explain = true };

static void start_slow(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .seed = 5, .explainer = &slow_explainer };
	memset(&model, 0, sizeof(model));
	model.match = UARCH_EXACT;
	drawing = pthread_self();
	atomic_store(&held, true);
	atomic_store(&answered, 0);
	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 100);
}

/* Begins to read the code of a kernel. The answer waits until `held` is false. */
static void begin_reading(struct kernel *kernel)
{
	*kernel = stepped_fold();
	start_slow(kernel);
	session_advance(session, 100.07);
	assert_true(insight_thinks(session));
}

/* Until so many were answered, and what came of it has been seen. */
static void await_answers(int count, double now)
{
	while (atomic_load(&answered) < count)
		sched_yield();
	while (insight_thinks(session)) {
		sched_yield();
		session_advance(session, now);
	}
}

TEST(stepped_code_is_read_while_others_go_on)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	begin_reading(&kernel);
	/* Keys do not wait for it, and the next look comes soon, but not at once. */
	assert_string_equal(look(101)->limits_note, "reading the code…");
	assert_true(session_next(session, 100.07) > 0 && session_next(session, 100.07) < 0.016);
	assert_false(session_idle(session));
	check_ok(session_command(session, "set acc=2", 100.08));
	session_advance(session, 100.2);
	assert_null(look(101)->explanation);
	/* What was read is of the setting before; then the present one's turn comes. */
	atomic_store(&held, false);
	while (atomic_load(&answered) < 2)
		session_advance(session, 100.2);
	while (!look(101)->explanation)
		session_advance(session, 100.2);
	check_near(view.explanation->limits.bound, 2, 0);
}

/* A user's own loop is stepped through too, which takes up to a second. */
TEST(code_of_an_own_loop_is_read_while_others_go_on)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = kernel_fold;
	kernel.own = (const struct own *)(const void *)&kernel; /* only compared with NULL */
	start_slow(&kernel);

	fake_answer(&fake, 40, 4);
	session_advance(session, 100.01);
	session_advance(session, 100.07);
	assert_true(insight_thinks(session));
	/* The loop on screen stays in memory; an older one may give way to another. */
	insight_spare_own(&session->insight, &kernel);
	assert_true(insight_thinks(session));
	atomic_store(&held, false);
	insight_spare_own(&session->insight, &kernel_fold);
	assert_false(insight_thinks(session));
	assert_int_equal(atomic_load(&answered), 1);
}

TEST(advice_asks_for_one_after_the_other)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_slow(&kernel);
	double now = 101;

	atomic_store(&held, false);
	session_advance(session, now);
	await_answers(1, now);
	assert_non_null(look(101)->explanation);
	assert_int_equal(view.advice.kind, ADVICE_NONE);
	for (int i = 0; i < 100 && look(101)->advice.kind == ADVICE_NONE; i++) {
		int before = atomic_load(&answered);

		session_advance(session, now += 0.2);
		if (insight_thinks(session))
			await_answers(before + 1, now);
		/* No more than one at a time. */
		assert_true(atomic_load(&answered) <= before + 1);
	}
	assert_int_equal(view.advice.kind, ADVICE_KNOB);
	assert_true(atomic_load(&answered) > 2);
}

TEST(what_is_read_of_another_core_is_thrown_away)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	begin_reading(&kernel);
	/* Its model goes away: that waits. */
	atomic_store(&held, false);
	check_ok(session_command(session, "uarch other", 100.1));
	assert_int_equal(atomic_load(&answered), 1);
	assert_null(look(101)->explanation);
	session_advance(session, 100.2);
	await_answers(2, 100.2);
	assert_non_null(look(101)->explanation);
	assert_true(model.foreign);
	/* And so does who ends while it reads. */
	check_ok(session_command(session, "set acc=4", 100.3));
	session_advance(session, 100.4);
	assert_true(insight_thinks(session));
}

TEST(advice_on_stepped_code_is_followed_when_it_is_found)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);
	double now = 100.01;
	int before;

	check_ok(session_command(session, "remedy", now));
	check_contains(look(101)->screen.notice, "reading the code of other settings");
	for (int i = 0; i < 100 && look(101)->setting.v[FOLD_ACC] == 1; i++) {
		before = model.asked;
		now += 0.1;
		session_advance(session, now);
		assert_true(model.asked <= before + 1); /* at most one at a time */
	}
	assert_true(view.setting.v[FOLD_ACC] > 4);
	check_contains(view.screen.notice, "shortens the chain");
	/* The remedy of a setting that the user has left changes nothing. */
	check_ok(session_command(session, "set acc=1", now));
	check_ok(session_command(session, "set acc=3", now));
	check_ok(session_command(session, "remedy", now));
	check_ok(session_command(session, "set acc=5", now));
	for (int i = 0; i < 100; i++)
		session_advance(session, now += 0.1);
	assert_int_equal(look(101)->setting.v[FOLD_ACC], 5);
}

/* Limits are computed again when a value of memory was measured; the user still waits. */
TEST(asked_advice_survives_that_limits_are_computed_again)
{
	static struct kernel kernel;

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);
	double now = 100.01;

	check_ok(session_command(session, "remedy", now));
	insight_refresh(session);
	for (int i = 0; i < 100 && look(101)->setting.v[FOLD_ACC] == 1; i++)
		session_advance(session, now += 0.1);
	assert_true(view.setting.v[FOLD_ACC] > 4);
}

/* A few questions at a time, so that no key waits for them all. */
static void await_advice(double now)
{
	int turns = 0, asked = model.asked;

	for (; look(101)->advice.kind == ADVICE_NONE; turns++, now += 0.02) {
		int before = model.asked;

		assert_true(turns < 100);
		session_advance(session, now);
		assert_true(model.asked <= before + 1);
	}
	assert_true(turns > 1 && model.asked > asked + 4);
}

TEST(advice_waits_until_a_setting_stays)
{
	start(UARCH_EXACT, NULL, LIMIT);

	check_ok(session_command(session, "set acc=2", 100.05));
	session_advance(session, 100.1);
	assert_int_equal(look(101)->advice.kind, ADVICE_NONE);
	assert_false(session_command_works(session, "remedy"));
	assert_in_range((int)(1000 * session_next(session, 100.1)), 95, 105);
	await_advice(100.3);
	/* No knob of this kernel says that it is another form: any may be turned. */
	assert_int_equal(look(101)->advice.kind, ADVICE_KNOB);
	assert_int_equal(view.advice.setting.v[FOLD_ACC], 16);
	assert_true(session_command_works(session, "remedy"));
	check_ok(session_command(session, "remedy", 100.4));
	assert_int_equal(look(101)->setting.v[FOLD_ACC], 16);
	check_contains(view.screen.notice, "acc=16");
	check_near(view.explanation->limits.bound, 0.25, 0);
	check_ok(session_command(session, "undo", 100.5));
	assert_int_equal(look(101)->setting.v[FOLD_ACC], 2);
}

/* A prediction that a measurement contradicts is no advice. */
TEST(a_measured_setting_that_is_no_faster_is_not_advised)
{
	struct setting slow;
	struct cell *cell;

	start(UARCH_EXACT, NULL, LIMIT);
	check_ok(session_command(session, "set acc=2", 100.05));
	await_advice(100.3);
	slow = look(101)->advice.setting;
	assert_int_equal(slow.v[FOLD_ACC], 16);
	session->live.sample.valid = true;
	session->live.sample.cpe = 2;
	cell = cells_get(session->cells, &slow, true);
	cell->sample.valid = true;
	cell->sample.cpe = 1;
	insight_doubt(session);
	assert_int_equal(look(101)->advice.kind, ADVICE_KNOB);
	cell->sample.cpe = 1.95;
	insight_doubt(session);
	assert_int_equal(look(101)->advice.kind, ADVICE_NONE);
	for (int i = 0; i < 100 && view.advice.kind == ADVICE_NONE; i++) {
		insight_advise(session);
		look(101);
	}
	assert_int_equal(view.advice.kind, ADVICE_KNOB);
	assert_int_equal(view.advice.setting.v[FOLD_ACC], 15);
}

/* Advice that was wrong is called so as soon as its setting is measured. */
TEST(followed_advice_that_slows_down_is_told)
{
	start(UARCH_EXACT, NULL, LIMIT);
	check_ok(session_command(session, "set acc=2", 100.05));
	await_advice(100.3);
	session->live.sample =
		(struct sample){ .valid = true, .cpe = 2, .cpe_lo = 1.99, .cpe_hi = 2.01 };
	check_ok(session_command(session, "remedy", 100.4));
	check_contains(look(101)->screen.notice, "predicted");
	session->live.sample = (struct sample){
		.valid = true, .provisional = true, .cpe = 3, .cpe_lo = 2.9, .cpe_hi = 3.1
	};
	insight_doubt(session);
	check_contains(look(101)->screen.notice, "predicted");
	session->live.sample.provisional = false;
	insight_doubt(session);
	check_contains(
		look(101)->screen.notice, "3.000 measured, 2.000 before: the prediction was wrong");
	notice_clear(session);
	insight_doubt(session);
	assert_string_equal(look(101)->screen.notice, "");
}

static struct status eight_at_most(const int64_t *v)
{
	return v[FOLD_ACC] > 8 ? status_failed("this processor lacks acc=9") : status_ok();
}

/* Returns the accumulators that are advised to a kernel like `fold` with two; 2: no others. */
static int64_t advised_accumulators(struct kernel *kernel)
{
	int64_t advised;

	start_kernel(kernel, UARCH_EXACT, NULL, LIMIT);
	check_ok(session_command(session, "set acc=2", 100.05));
	await_advice(100.3);
	advised = look(101)->advice.kind == ADVICE_KNOB ? view.advice.setting.v[FOLD_ACC] : 2;
	session_free(session);
	session = NULL;
	return advised;
}

TEST(what_this_processor_cannot_run_is_not_advised)
{
	struct kernel picky = kernel_fold;

	picky.check = eight_at_most;
	assert_int_equal(advised_accumulators(&picky), 8);
}

static bool accumulators_are_blocks(const int64_t *v, struct kernel_block *block)
{
	*block = (struct kernel_block){ .knob = FOLD_ACC, .blocks = 3, .bytes = 8, .most = 1000 };
	return v[FOLD_ACC] > 0;
}

/* The model lacks what each further block costs, so it predicts too much of small ones. */
TEST(smaller_blocks_than_recommended_are_not_advised)
{
	struct kernel blocked = kernel_fold;

	blocked.block = accumulators_are_blocks;
	assert_int_equal(advised_accumulators(&blocked), 2);
}

TEST(advice_is_found_while_frozen)
{
	start(UARCH_EXACT, NULL, LIMIT);

	check_ok(session_command(session, "freeze", 100.01));
	check_ok(session_command(session, "set acc=2", 100.02));
	assert_false(session_idle(session));
	assert_true(session_next(session, 100.02) > 0);
	await_advice(100.3);
	assert_int_equal(look(101)->advice.kind, ADVICE_KNOB);
	assert_true(session_idle(session));
}

RUN_TESTS(.each_tear_down = end)
