/* How often the present setting is measured: ten times a second, and more slowly while its figure
 * is steady and no command comes. */
#include "played.h"

static const uint64_t LIMIT = UINT64_C(8) << 30;
/* Seconds of a request that brings 150 quiet trials, and that takes all of its time. */
static const double QUICK = 0.008, WHOLE = 0.03;

/* What a request brings. */
struct bringing {
	unsigned quiet, contended;
	double cpe, took;
	double trial; /* seconds of each; 0: 50 microseconds */
};

static void start(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, LIMIT);

	played_begin(&engine, (struct session_options){ .seed = 5, .invocation = "" }, kernel);
}

static void answer(const struct bringing *bringing)
{
	unsigned quiet = bringing->quiet;
	struct result result =
		fake_result(&fake.request, quiet + bringing->contended, bringing->cpe);

	for (unsigned i = quiet; i < quiet + bringing->contended; i++)
		result.trials.trial[i].fate = TRIAL_CONTENDED;
	/* As long as its trials are, at 4 GHz. */
	result.facts.calls = 1;
	result.facts.call =
		(uint64_t)((bringing->trial > 0 ? bringing->trial : 50e-6) * 4e9 / bringing->cpe);
	fake_push(&fake, &result);
}

/* Lets time pass as the explorer does: it sleeps until something is due or a result comes. */
static double pass(double now, double seconds, const struct bringing *bringing)
{
	double until = now + seconds;

	while (now < until) {
		session_advance(session, now);
		if (fake.pending) {
			now += bringing->took;
			answer(bringing);
		} else {
			double next = session_next(session, now);

			assert_true(next >= 0);
			now = fmin(now + (next > 0 ? next : 0.0001), until);
		}
	}
	session_advance(session, now);
	return now;
}

/* Live requests a second in a stretch of time that begins at *now. */
static double rate(double *now, double seconds, const struct bringing *bringing)
{
	unsigned before = fake.live;
	double from = *now;

	*now = pass(*now, seconds, bringing);
	return (fake.live - before) / (*now - from);
}

/* A session that has been left alone until it is at its slowest. */
static void slow(const struct bringing *bringing, double *now)
{
	start(&kernel_odd);

	*now = pass(100, 30, bringing);
	assert_true(session_idle(session));
	assert_true(rate(now, 10, bringing) < 1.15);
}

static const struct bringing quiet = { 150, 0, 2, QUICK };

TEST(an_untouched_explorer_slows_down_by_steps)
{
	start(&kernel_odd);
	double now = 100, last;

	/* While the slices fill and for two seconds after it stays as it is. */
	now = pass(now, 0.5, &quiet);
	assert_true(session_idle(session));
	last = rate(&now, 1.5, &quiet);
	assert_true(last > 9 && last < 10.5);
	for (int seconds = 0; seconds < 10; seconds += 2) {
		double next = rate(&now, 2, &quiet);

		assert_true(next < last + 0.5);
		last = next;
	}
	check_near(rate(&now, 20, &quiet), 1, 0.06);
}

TEST(the_figure_keeps_its_trials_at_the_slowest)
{
	double now;
	slow(&quiet, &now);

	for (int i = 0; i < 40; i++) {
		now = pass(now, 0.13, &quiet);
		assert_true(look(now)->sample.valid);
		assert_false(view.sample.provisional || view.sample.contended);
		assert_in_range(view.sample.trials, 150, 600);
		check_near(view.sample.cpe, 2, 0.01);
	}
	/* The strip still shows the last two seconds. */
	assert_int_equal(view.strip_count, VIEW_STRIP);
	assert_true(view.strip_span > 0.9 && view.strip_span < 3);
}

/* Between two requests there is nothing to do, and one that goes out is no reason to draw. */
TEST(nothing_happens_between_requests)
{
	double now;
	slow(&quiet, &now);

	assert_false(fake.pending);
	assert_true(session_next(session, now) > 0);
	now += session_next(session, now);
	assert_false(session_advance(session, now));
	assert_true(fake.pending && !fake.request.background);
	now += QUICK;
	answer(&quiet);
	assert_true(session_advance(session, now));
	assert_true(session_next(session, now) > 0.9);
	for (double at = now; at < now + 0.9; at += 0.01)
		assert_false(session_advance(session, at));
}

TEST(any_command_brings_it_back_at_once)
{
	static const char *const commands[] = { "help", "close", "no such command", "set n=5" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		double now, back;
		slow(&quiet, &now);

		now = pass(now, 0.3, &quiet);
		session_command(session, commands[i], now);
		assert_true(fake.pending || session_next(session, now) <= 0.1);
		back = rate(&now, 2, &quiet);
		assert_true(back > 9 && back < 11);
		/* And it is left alone again. */
		now = pass(now, 12, &quiet);
		assert_true(rate(&now, 10, &quiet) < 1.15);
		played_end(NULL);
	}
}

TEST(a_figure_that_moves_brings_it_back)
{
	const struct bringing moved = { 150, 0, 2.1, QUICK };
	double now;
	slow(&quiet, &now);

	/* The first request that brings another figure is enough. */
	now = pass(now, 1.1, &moved);
	assert_true(rate(&now, 2, &moved) > 9);
	check_near(look(now)->sample.cpe, 2.1, 0.01);
	now = pass(now, 12, &moved);
	assert_true(rate(&now, 10, &moved) < 1.15);
}

/* Its trials are apart by one in a thousand: by so much, and a little more, a median wanders. */
TEST(a_figure_that_wanders_within_its_spread_does_not)
{
	double now;
	slow(&quiet, &now);

	for (int i = 0; i < 20; i++) {
		struct bringing near = quiet;

		near.cpe += i % 2 ? 0.004 : -0.004;
		assert_true(rate(&now, 3, &near) < 1.5);
	}
}

TEST(a_contended_figure_brings_it_back)
{
	const struct bringing busy = { 0, 150, 2, WHOLE };
	double now;
	slow(&quiet, &now);

	/* The pool has its quiet trials, but the next request does not wait. */
	now = pass(now, 1.1, &busy);
	assert_false(look(now)->sample.contended);
	assert_true(rate(&now, 1, &busy) > 9);
	now = pass(now, 3, &busy);
	assert_true(look(now)->sample.contended);
	assert_true(rate(&now, 20, &busy) > 9);
	now = pass(now, 15, &quiet);
	assert_true(rate(&now, 10, &quiet) < 1.15);
}

/* A core that stays busy, or is busy every now and then, is asked less after a while, until the
 * user comes back. */
TEST(a_core_that_stays_busy_is_asked_rarely)
{
	const struct bringing busy = { 0, 150, 2, WHOLE };
	unsigned before;
	double now, from;
	slow(&quiet, &now);

	now = pass(now, 40, &busy);
	assert_true(look(now)->sample.contended);
	assert_true(rate(&now, 10, &busy) < 2);
	command("freeze", now);
	command("freeze", now);
	assert_true(rate(&now, 2, &busy) > 9);
	for (int i = 0; i < 12; i++) {
		now = pass(now, 3, &busy);
		now = pass(now, 3, &quiet);
	}
	before = fake.live, from = now;
	for (int i = 0; i < 12; i++) {
		now = pass(now, 3, &busy);
		now = pass(now, 3, &quiet);
	}
	if ((fake.live - before) / (now - from) >= 3)
		fail_msg("%g requests a second", (fake.live - before) / (now - from));
}

/* One contended request is made up for by the next, and then it goes on as slowly. */
TEST(a_short_spell_costs_one_request)
{
	const struct bringing busy = { 0, 150, 2, WHOLE };
	double now;
	slow(&quiet, &now);
	unsigned before = fake.live;

	while (fake.live == before)
		now = pass(now, 0.01, &busy);
	before = fake.live;
	now = pass(now, 0.2, &quiet);
	assert_int_equal(fake.live - before, 1);
	assert_true(rate(&now, 10, &quiet) < 1.15);
}

/* Where a request brings few trials, the pool needs more of them. */
TEST(it_goes_no_slower_than_the_pool_allows)
{
	const struct bringing few = { 20, 0, 2, WHOLE };
	start(&kernel_odd);
	double now = pass(100, 30, &few), steady;

	assert_true(session_idle(session));
	steady = rate(&now, 10, &few);
	assert_true(steady > 4.5 && steady < 5.5);
	assert_false(look(now)->sample.provisional);
	assert_true(view.sample.trials >= 150);
}

/* Trials that last longer than the pool: one is all it ever has. */
TEST(long_requests_take_a_tenth_of_the_time)
{
	const struct bringing whole = { 1, 0, 2, 3, 3 };
	start(&kernel_odd);
	double now = 100, share;

	now = pass(now, 600, &whole);
	share = whole.took * rate(&now, 600, &whole);
	assert_true(session_idle(session));
	assert_true(share > 0.05 && share < 0.15);
}

TEST(unfilled_slices_keep_it_quick)
{
	start(&kernel_fold);
	const struct bringing few = { 10, 0, 2, QUICK };
	double now = pass(100, 0.5, &few);

	for (int i = 0; i < 4; i++) {
		assert_true(rate(&now, 1, &few) > 8);
		assert_false(session_idle(session));
	}
}

TEST(frozen_nothing_is_asked)
{
	double now;
	slow(&quiet, &now);
	unsigned before;

	command("freeze", now);
	before = fake.submits;
	assert_true(session_next(session, now) < 0);
	session_advance(session, now + 20);
	assert_int_equal(fake.submits, before);
	command("freeze", now + 20);
	assert_true(fake.pending);
}

RUN_TESTS(.each_tear_down = played_end)
