/* The probe in the session, against an engine that answers when the test says so. */
#include "probe_fakes.h"

#include "played.h"

#include "experiment/probe/probe.h"

static struct session *start(void)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	fake.machine.huge_pages = true;
	fake.machine.processors = 2;
	return played_begin(&engine, (struct session_options){ .seed = 5 }, &kernel_fold);
}

static bool of_probe(void)
{
	return fake.request.kernel == &kernel_chase || fake.request.kernel == &kernel_band;
}

static void answer_one(void)
{
	fake_answer(&fake, 60, of_probe() ? cycles_of(&fake.request) : 2);
}

/* Answers requests, 4 ms each, until so many were answered or nothing is wanted. */
static double answer(struct session *session, double now, unsigned most)
{
	return most ? played(session, now,
			      &(struct playing){
				      .took = 0.004, .answer = answer_one, .most = most })
		    : now;
}

static void nothing_is_probed_unless_asked_for(void **state)
{
	struct session *session = start();

	(void)state;
	assert_null(look(session, 100)->probe);
	assert_false(view.probing);
	assert_false(session_command_works(session, "view probe"));
	assert_false(session_command_works(session, "probe stop"));
	assert_int_equal(session_command(session, "probe stop", 100).code, STATUS_USAGE);
	assert_int_equal(session_command(session, "view probe", 100).code, STATUS_USAGE);
	assert_int_equal(
		session_command(session, "probe only latency dinner", 100).code, STATUS_USAGE);
	assert_null(look(session, 100)->probe);
	session_free(session);
}

static void live_figures_rest_while_the_probe_goes_on(void **state)
{
	struct session *session = start();
	double now;

	(void)state;
	command(session, "probe", 100.01);
	assert_string_equal(look(session, 100.01)->front, "probe");
	assert_true(view.probing);
	for (now = 100.02; now < 101;) {
		session_advance(session, now);
		assert_true(fake.pending);
		assert_true(of_probe());
		assert_int_equal(fake.request.seed, 5);
		assert_false(session_idle(session));
		now += 0.004;
		answer_one();
	}
	session_advance(session, now);
	look(session, now);
	assert_true(view.probe->lines[PAGES_HUGE].count > 50);
	assert_true(view.probe->done > 0 && view.probe->done < 1);
	assert_true(view.probe->doing[0]);
	/* Another setting does not disturb it, and waits. */
	command(session, "set size=64k", now);
	assert_true(of_probe());
	assert_true(look(session, now + 1)->waiting == 0);
	now = answer(session, now, 100000);
	look(session, now);
	assert_true(view.probe->complete);
	assert_false(view.probing);
	assert_non_null(strstr(view.notice, "probed in"));
	/* Then live figures are there again, and the probe stays. */
	assert_true(view.sample.valid);
	assert_true(session_idle(session));
	command(session, "view slices", now);
	command(session, "view probe", now);
	session_free(session);
}

static void a_finished_probe_says_what_memory_does(void **state)
{
	struct session *session = start();
	double now;

	(void)state;
	fake.machine.cache[2] = (struct machine_cache){ 3, 16 << 20, 64 };
	fake.machine.cache[1].bytes = 2 << 20;
	fake.machine.cache_count = 3;
	command(session, "probe", 100.01);
	now = answer(session, 100.02, 100000);
	assert_true(look(session, now)->probe->complete);
	assert_string_equal(view.probe->band[3].level, "memory");
	session_free(session);
}

static void a_pause_costs_no_point_and_no_time(void **state)
{
	struct session *session = start();
	double now;
	int count;

	(void)state;
	command(session, "probe", 100.01);
	now = answer(session, 100.02, 20);
	count = look(session, now)->probe->lines[PAGES_HUGE].count;
	assert_true(fake.pending);
	command(session, "freeze", now);
	assert_false(fake.pending);
	session_advance(session, now + 50);
	assert_false(fake.pending);
	assert_true(session_next(session, now + 50) < 0);
	assert_true(look(session, now + 50)->probing);
	command(session, "freeze", now + 100);
	now = answer(session, now + 100, 1);
	assert_int_equal(look(session, now)->probe->lines[PAGES_HUGE].count, count + 1);
	now = answer(session, now, 100000);
	assert_true(look(session, now)->probe->complete);
	assert_true(view.probe->seconds < 10);
	session_free(session);
}

static void begun_anew_or_stopped_while_it_stands_it_counts_no_pause(void **state)
{
	struct session *session = start();
	double now;

	(void)state;
	command(session, "probe only latency", 100.01);
	now = answer(session, 100.02, 20);
	command(session, "freeze", now);
	command(session, "again", now + 100);
	now = answer(session, now + 100, 100000);
	assert_true(look(session, now)->probe->complete);
	assert_true(view.probe->seconds < 10);
	command(session, "probe only latency", now);
	now = answer(session, now, 20);
	command(session, "freeze", now);
	command(session, "probe stop", now + 100);
	assert_true(look(session, now + 100)->probe->seconds < 10);
	session_free(session);
}

/* Esc ends it once nothing lies over the panels. */
static void closing_ends_it_after_what_lies_on_top(void **state)
{
	struct session *session = start();
	double now;

	(void)state;
	command(session, "probe only latency", 100.01);
	now = answer(session, 100.02, 70);
	command(session, "help", now);
	command(session, "close", now);
	assert_true(look(session, now)->probing);
	assert_true(session_command_works(session, "close"));
	command(session, "close", now);
	assert_false(look(session, now)->probing);
	assert_true(view.probe->lines[PAGES_HUGE].count > 50);
	assert_false(session_command_works(session, "close"));
	session_free(session);
}

static void stopped_it_keeps_what_it_has(void **state)
{
	struct session *session = start();
	double now;

	(void)state;
	command(session, "probe only latency", 100.01);
	now = answer(session, 100.02, 70);
	command(session, "probe stop", now);
	look(session, now);
	assert_false(view.probing);
	assert_false(view.probe->complete);
	assert_true(view.probe->lines[PAGES_HUGE].count > 50);
	assert_non_null(strstr(view.notice, "stopped"));
	assert_string_equal(view.front, "probe");
	session_advance(session, now);
	assert_true(fake.pending);
	assert_false(of_probe());
	/* And another begins from nothing. */
	command(session, "probe only tlb", now + 1);
	answer(session, now + 1, 3);
	look(session, now + 2);
	assert_int_equal(view.probe->lines[PAGES_HUGE].count, 0);
	assert_true(view.probe->pages[PAGES_HUGE].count > 0);
	session_free(session);
}

static void measuring_everything_anew_leaves_the_probe_going(void **state)
{
	struct session *session = start();
	double now;

	(void)state;
	command(session, "probe only latency", 100.01);
	now = answer(session, 100.02, 10);
	command(session, "again", now);
	now = answer(session, now, 100000);
	assert_true(look(session, now)->probe->complete);
	assert_true(view.sample.valid);
	session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_probed_unless_asked_for),
		cmocka_unit_test(live_figures_rest_while_the_probe_goes_on),
		cmocka_unit_test(a_finished_probe_says_what_memory_does),
		cmocka_unit_test(a_pause_costs_no_point_and_no_time),
		cmocka_unit_test(begun_anew_or_stopped_while_it_stands_it_counts_no_pause),
		cmocka_unit_test(closing_ends_it_after_what_lies_on_top),
		cmocka_unit_test(stopped_it_keeps_what_it_has),
		cmocka_unit_test(measuring_everything_anew_leaves_the_probe_going),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
