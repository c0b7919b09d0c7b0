/* What the session asks the model, and when. */
#include "insight_fakes.h"

#include "explorer/state.h"

TEST(limits_follow_the_setting_in_the_same_step)
{
	start(UARCH_EXACT, NULL, LIMIT);

	assert_non_null(look(101)->explanation);
	check_near(view.explanation->limits.bound, 4, 0);
	assert_int_equal(model.asked, 1);
	check_ok(session_command(session, "set acc=2", 100.01));
	check_near(look(101)->explanation->limits.bound, 2, 0);
	assert_int_equal(model.asked, 2);
	/* Not asked again for what is known. */
	session_advance(session, 100.02);
	check_ok(session_command(session, "again", 100.03));
	assert_int_equal(model.asked, 2);
}

TEST(stepped_code_is_read_when_the_setting_stays_and_once)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);

	/* No key waits for it: the frame says what is to come. */
	assert_int_equal(model.asked, 0);
	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "reading the code…");
	assert_false(session_idle(session));
	session_advance(session, 100.1);
	assert_int_equal(model.asked, 1);
	check_near(look(101)->explanation->limits.bound, 4, 0);
	/* While keys repeat it is not read, and the panels keep their room. */
	check_ok(session_command(session, "set acc=2", 100.11));
	session_advance(session, 100.14);
	check_ok(session_command(session, "set acc=3", 100.15));
	session_advance(session, 100.18);
	assert_int_equal(model.asked, 1);
	assert_null(look(101)->explanation);
	assert_non_null(view.outline);
	/* What was read is known. */
	check_ok(session_command(session, "set acc=1", 100.19));
	check_near(look(101)->explanation->limits.bound, 4, 0);
	assert_null(view.outline);
	assert_int_equal(model.asked, 1);
}

TEST(limits_stay_while_they_are_computed_again_with_new_latencies)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);
	session_advance(session, 100.1);
	assert_false(look(101)->limits_renewed);

	insight_refresh(session);
	assert_non_null(look(101)->explanation);
	assert_true(view.limits_renewed);
	assert_string_equal(view.limits_note, "");
	assert_int_equal(insight_code_lines(session), 5);
	assert_int_equal(model.asked, 1);
	/* A second latency arrives before the limits with the first latency are known. */
	insight_refresh(session);
	assert_true(look(101)->limits_renewed);
	session_advance(session, 100.2);
	assert_int_equal(model.asked, 2);
	assert_false(look(101)->limits_renewed);
	/* The old limits of another setting, or of other code, are not shown. */
	insight_refresh(session);
	check_ok(session_command(session, "set acc=2", 100.3));
	assert_null(look(101)->explanation);
	session_advance(session, 100.5);
	insight_refresh(session);
	insight_forget(session);
	assert_null(look(101)->explanation);
	assert_false(view.limits_renewed);
}

TEST(a_core_that_is_not_known_is_never_guessed)
{
	start(UARCH_NEAREST, NULL, LIMIT);

	assert_null(look(101)->explanation);
	assert_int_equal(model.asked, 0);
	check_contains(view.limits_note, "core not recognised; nearest: Core own");
	assert_true(session_command_works(session, "uarch nearest"));
	check_ok(session_command(session, "uarch nearest", 100.1));
	assert_non_null(look(101)->explanation);
	assert_true(view.nearest);
	assert_false(view.foreign);
	assert_false(model.foreign);
	assert_false(session_command_works(session, "uarch nearest"));
	check_ok(session_command(session, "undo", 100.2));
	assert_null(look(101)->explanation);
	assert_string_equal(
		view.screen.notice, "back to limits of no core: there is no earlier change");
	end(NULL);

	start(UARCH_NONE, NULL, LIMIT);
	check_contains(look(101)->limits_note, "core not recognised");
	check_fails(session_command(session, "uarch nearest", 100.1), STATUS_USAGE,
		"no core model is similar");
}

/* A file of a core that characterise wrote here has a match line for this processor. */
TEST(a_core_file_that_matches_this_processor_is_of_this_core)
{
	start(UARCH_EXACT, NULL, LIMIT);
	set_words(fake.machine.arch, "x86_64");
	set_words(fake.machine.processor.vendor, "Maker");
	fake.machine.processor.family = 6;

	check_ok(session_command(session, "uarch ./6.uarch", 100.1));
	assert_false(look(101)->foreign);
	assert_false(model.foreign);
	assert_string_equal(view.core->title, "Mine");
	assert_int_not_equal(view.gap.kind, GAP_FOREIGN);
	check_ok(session_command(session, "uarch ./5.uarch", 100.2));
	assert_true(look(101)->foreign);
	assert_true(model.foreign);
	assert_int_equal(view.gap.kind, GAP_FOREIGN);
	check_ok(session_command(session, "uarch", 100.3));
	assert_false(look(101)->foreign);
}

TEST(another_core_is_marked_and_left_again)
{
	start(UARCH_EXACT, "other", LIMIT);

	assert_true(look(101)->foreign);
	assert_true(model.foreign);
	assert_string_equal(view.core->title, "Core other");
	assert_int_equal(view.gap.kind, GAP_FOREIGN);
	check_ok(session_command(session, "yank", 100.1));
	check_contains(look(101)->screen.text, "--uarch other");
	check_ok(session_command(session, "close", 100.1));
	check_ok(session_command(session, "uarch", 100.2));
	assert_false(look(101)->foreign);
	assert_string_equal(view.core->name, "own");
	/* The running one by its name is not another one. */
	check_ok(session_command(session, "uarch own", 100.3));
	assert_false(look(101)->foreign);
	check_fails(session_command(session, "uarch none", 100.4), STATUS_USAGE,
		"unknown core \"none\"");
	assert_string_equal(look(101)->core->name, "own");
	check_ok(session_command(session, "undo", 100.5));
	check_ok(session_command(session, "undo", 100.5));
	assert_string_equal(look(101)->core->title, "Core other");
	assert_string_equal(
		view.screen.notice, "back to limits of Core other: there is no earlier change");
	assert_true(view.foreign);
}

TEST(a_machine_that_is_known_later_is_explained_then)
{
	start(UARCH_EXACT, NULL, 0);

	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "");
	fake.machine.memory_limit = LIMIT;
	atomic_store(&fake.machine.known, true);
	assert_true(session_advance(session, 100.1));
	assert_non_null(look(101)->explanation);
}

TEST(a_kernel_that_cannot_be_explained_says_why)
{
	start(UARCH_EXACT, NULL, LIMIT);

	model.fails = true;
	check_ok(session_command(session, "set acc=2", 100.1));
	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "no limits: no loop is there");
	check_fails(session_command(session, "remedy", 100.2), STATUS_USAGE, "no advice");
	check_fails(session_command(session, "view ports", 100.2), STATUS_USAGE,
		"view ports: nothing to show for fold");
}

TEST(views_go_round_and_code_scrolls)
{
	static const char *const round[] = { "limits", "ports", "code", "mountain", "trials",
		"curves" };
	start(UARCH_EXACT, NULL, LIMIT);

	/* The loop's latency binds, so the panel of limits came to the front by itself. */
	assert_string_equal(look(100)->screen.front, "limits");
	check_ok(session_command(session, "view curves", 100.1));
	for (size_t i = 0; i < sizeof(round) / sizeof(round[0]); i++) {
		check_ok(session_command(session, "view next", 100.1));
		assert_string_equal(look(101)->screen.front, round[i]);
	}
	for (size_t i = sizeof(round) / sizeof(round[0]) - 1; i-- > 0;) {
		check_ok(session_command(session, "view previous", 100.1));
		assert_string_equal(look(101)->screen.front, round[i]);
	}
	check_fails(session_command(session, "view nothing", 100.1), STATUS_USAGE,
		"next, auto, curves, limits");
	check_ok(session_command(session, "focus code", 100.1));
	check_ok(session_command(session, "move down", 100.1));
	assert_int_equal(look(101)->code_first, 1);
	check_ok(session_command(session, "code +8", 100.1));
	assert_int_equal(look(101)->code_first, 4);
	assert_false(session_command_works(session, "move down"));
	check_ok(session_command(session, "code -8", 100.1));
	assert_int_equal(look(101)->code_first, 0);
	check_fails(session_command(session, "code 8", 100.1), STATUS_USAGE, "code takes +N or -N");
	/* Arrows act on what is seen. */
	check_ok(session_command(session, "view limits", 100.1));
	assert_string_equal(look(101)->screen.focus, "knobs");
}

TEST(without_a_model_all_else_works)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .seed = 5 };
	setting_init(&options.setting, &kernel_fold);
	session = session_new(&engine, &options);
	session_advance(session, 100);
	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "");
	check_fails(session_command(session, "uarch own", 100.1), STATUS_USAGE, "no core models");
	check_ok(session_command(session, "focus curves", 100.1));
	check_ok(session_command(session, "focus next", 100.1));
	assert_string_equal(look(101)->screen.focus, "mountain");
	check_ok(session_command(session, "focus previous", 100.1));
	assert_string_equal(look(101)->screen.focus, "curves");
}

RUN_TESTS(.each_tear_down = end)
