/* A lesson in the explorer, over the canned engine: its steps, guesses and report. */
#include "check.h"

#include <unistd.h>

#include "../screen/canned.h"
#include "base/data.h"
#include "base/text.h"
#include "explorer/session.h"
#include "recording/answers.h"

static struct canned canned;
static struct explainer explainer;
static struct session *session;
static struct view view;
static char folder[] = "/tmp/slexplore-class-XXXXXX";

static void pass(double seconds)
{
	double until = canned.now + seconds;

	while (canned.now < until) {
		session_advance(session, canned.now);
		canned_pass(&canned, 0.05, -1);
	}
	session_view(session, canned.now, &view);
}

static enum status_code command(const char *line)
{
	enum status_code code = session_command(session, line, canned.now).code;

	pass(0.5);
	return code;
}

static void open_lesson(const char *steps)
{
	struct words path = words_of("%s/a.lesson", folder);
	FILE *file = fopen(path.text, "w");

	fprintf(file, "title Products & <sums>\nminutes 1\n\n%s", steps);
	fclose(file);
	command(words_of("lesson %s", path.text).text);
	assert_string_equal(session_screen(session)->notice, "");
}

static const char two_steps[] = "step One\n  A text.\nsetting combine op=mul unroll=1 acc=1\n"
				"ask number cpe\n  How many?\nexplain It took {cpe}.\n\n"
				"step Two\n  A text.\nsetting combine op=mul unroll=2 acc=2\n"
				"ask number cpe\n  How many?\nexplain It took {cpe}.\n";

static int begin(void **state)
{
	struct session_options options = { .seed = 1, .invocation = "" };
	struct engine engine = canned_engine(&canned);

	canned_init(&canned, true);
	explainer = canned_explainer(&canned);
	options.explainer = &explainer;
	setting_init(&options.setting, kernel_find("combine"));
	session = session_new(&engine, &options);
	return 0;
}

static int end(void **state)
{
	session_free(session);
	return 0;
}

static int set_up(void **state)
{
	return mkdtemp(folder) ? 0 : 1;
}

static int tear_down(void **state)
{
	unlink(words_of("%s/a.lesson", folder).text);
	return rmdir(folder);
}

TEST(a_guess_is_judged_by_the_measurement)
{
	open_lesson(two_steps);
	assert_true(view.lesson.asks);
	assert_false(view.sample.valid);
	assert_true(view.measured);
	assert_int_equal(command("guess 3"), STATUS_OK);
	assert_int_equal(view.lesson.judgement->verdict, VERDICT_RIGHT);
	assert_true(view.sample.valid);
	assert_string_equal(view.lesson.explain, "It took 3.00.");
	/* A hint belongs to an open question. */
	assert_int_equal(command("lesson hint"), STATUS_USAGE);
	command("lesson next");
	assert_false(view.sample.valid);
	command("guess 3");
	assert_int_equal(view.lesson.judgement->verdict, VERDICT_WRONG);
}

/* What a kernel says about its setting may answer the question. */
TEST(a_remark_comes_after_the_answer)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul type=i64 unroll=16 acc=16\n"
		    "ask choice\n  Which?\noption one when cpe < 900\noption two otherwise\n"
		    "explain So.\n");
	assert_true(view.lesson.asks);
	assert_null(view.remark);
	assert_int_equal(command("guess a"), STATUS_OK);
	pass(2);
	assert_non_null(view.lesson.judgement);
	assert_non_null(view.remark);
}

TEST(a_panel_from_before_the_lesson_does_not_stay)
{
	command("view code");
	assert_string_equal(view.screen.front, "code");
	open_lesson(two_steps);
	assert_string_not_equal(view.screen.front, "code");
}

TEST(the_keys_turn_the_knob_that_a_step_compares)
{
	/* Not a knob whose values are words: its curve would have two points. */
	open_lesson(
		"step One\n  A text.\nsetting combine op=mul unroll=4 acc=4 shape=reassociated\n"
		"pin combine op=mul unroll=1 acc=1 shape=separate\n"
		"ask number cpe\n  How many?\nexplain It took {cpe}.\n");
	assert_string_equal(view.setting.kernel->knobs[view.knob].name, "acc");
}

TEST(a_time_that_changes_after_the_answer_is_named)
{
	open_lesson(two_steps);
	command("guess 3");
	assert_true(view.lesson.judged_cpe == 0);
	canned.fixed = 4;
	command("again");
	pass(2);
	check_near(view.sample.cpe, 4, 0.1);
	/* Cycles, also where the question asks for a ratio. */
	check_near(view.lesson.judged_cpe, 3, 0.1);
	assert_string_equal(view.lesson.explain, "It took 3.00.");
}

/* A change too small for a warning, and a change of A alone: the lesson says where its numbers are
 * from, and the same note stays while noise moves the digits. */
TEST(digits_that_change_after_the_answer_are_explained)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul unroll=2 acc=2\n"
		    "pin combine op=mul unroll=1 acc=1\n"
		    "ask number cpe\n  How many?\nexplain It took {cpe}.\n");
	canned.fixed = 3;
	command("again");
	command("guess 3");
	pass(2);
	assert_non_null(view.lesson.judgement);
	canned.fixed = 3.06;
	command("again");
	pass(2);
	assert_true(view.lesson.changed);
	assert_true(view.lesson.judged_cpe == 0);
	canned.fixed = 3;
	command("again");
	pass(2);
	assert_true(view.lesson.changed);
	canned.fixed = 4;
	check_ok(session_command(session, "pin setting combine op=mul unroll=1 acc=1", canned.now));
	pass(2);
	check_near(view.lesson.judged_a, 3, 0.1);
}

TEST(an_answer_in_words_is_utf8_and_shown_safely)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul\nask text\n  Why?\nexplain So.\n");
	command("guess");
	for (const char *c = "Grüße 中"; *c; c += text_character(c))
		assert_int_equal(
			command(words_of("guess type %.*s", (int)text_character(c), c).text),
			STATUS_OK);
	assert_int_equal(command("guess type \033"), STATUS_USAGE);
	assert_int_equal(command("guess type \xff"), STATUS_USAGE);
	assert_int_equal(command("guess type \u202e"), STATUS_USAGE);
	assert_string_equal(view.screen.guess, "Grüße 中");
	command("guess erase");
	assert_string_equal(view.screen.guess, "Grüße ");
	for (int i = 0; i < 2 * LESSON_GUESS; i++)
		session_command(session, "guess type ä", canned.now);
	assert_true(strlen(session_screen(session)->guess) >= LESSON_GUESS - 2);
	assert_int_equal(command("guess accept"), STATUS_OK);
	assert_int_equal(view.lesson.judgement->verdict, VERDICT_KEPT);
}

TEST(a_refused_guess_changes_nothing)
{
	open_lesson(two_steps);
	assert_int_equal(command("guess three"), STATUS_USAGE);
	assert_true(view.lesson.asks);
}

TEST(a_skipped_question_is_recorded_as_skipped)
{
	open_lesson(two_steps);
	command("lesson skip");
	assert_int_equal(view.lesson.step, 1);
	command("lesson back");
	assert_int_equal(view.lesson.judgement->verdict, VERDICT_SKIPPED);
	check_contains(view.lesson.judgement->words, "Skipped. ");
	command("lesson next");
	command("lesson reveal");
	pass(2);
	check_contains(view.lesson.judgement->words, "Shown. Measured: ");
}

/* The message that an answer comes does not stay next to the answer. */
TEST(the_message_of_an_awaited_answer_ends_with_the_answer)
{
	open_lesson(two_steps);
	session_command(session, "again", canned.now);
	session_command(session, "lesson reveal", canned.now);
	assert_int_equal(session_command(session, "lesson reveal", canned.now).code, STATUS_USAGE);
	check_contains(session_screen(session)->notice, "the answer comes");
	for (int i = 0; i < 100 && !view.lesson.judgement; i++)
		pass(0.05);
	assert_non_null(view.lesson.judgement);
	assert_string_equal(view.screen.notice, "");
}

TEST(a_guess_after_play_is_judged_at_the_setting_of_the_step)
{
	open_lesson(two_steps);
	command("set acc=4 unroll=4");
	assert_true(view.lesson.away);
	/* The time of other settings is hidden too: it may tell the time of the step. */
	assert_false(view.sample.valid);
	command("guess 3");
	assert_false(view.lesson.away);
	assert_int_equal(view.lesson.judgement->verdict, VERDICT_RIGHT);
	command("set acc=4 unroll=4");
	assert_string_equal(view.lesson.explain, "It took 3.00.");
	command("lesson");
	assert_false(view.lesson.away);
}

/* A text keeps the values of the step's setting, also those that were not measured before. */
TEST(no_text_has_the_values_of_another_setting)
{
	open_lesson("step One\n  It takes {cpe}.\nsetting combine op=mul unroll=1 acc=1\n\n"
		    "step Two\n  It takes {cpe}.\nsetting combine op=mul unroll=2 acc=2\n"
		    "ask text\n  Why?\nexplain It took {cpe}.\n");
	assert_string_equal(view.lesson.text, "It takes 3.00.");
	command("set acc=4 unroll=4");
	assert_true(view.lesson.away);
	assert_string_equal(view.lesson.text, "It takes 3.00.");
	/* The key U goes back to the setting of the step before. */
	check_ok(session_command(session, "lesson next", canned.now));
	check_ok(session_command(session, "guess So.", canned.now));
	check_ok(session_command(session, "undo", canned.now));
	pass(3);
	assert_true(view.lesson.away);
	assert_null(strstr(view.lesson.text, "0.75"));
	assert_null(strstr(view.lesson.explain, "0.75"));
	command("lesson");
	pass(3);
	assert_string_equal(view.lesson.text, "It takes 1.50.");
	assert_string_equal(view.lesson.explain, "It took 1.50.");
}

TEST(a_contended_sample_is_measured_again_before_it_judges)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul unroll=13 acc=1\nask number cpe\n"
		    "  How many?\nexplain It took {cpe}.\n");
	command("guess 3");
	assert_null(view.lesson.judgement);
	assert_string_equal(view.lesson.awaited, "contended");
	pass(6);
	assert_non_null(view.lesson.judgement);
	assert_string_equal(view.lesson.judgement->doubt, "contended");
}

/* E is next to e, which measures again: answers are not lost by one key. */
TEST(a_lesson_with_answers_is_closed_by_the_second_command)
{
	open_lesson(two_steps);
	command("guess 3");
	assert_non_null(view.lesson.judgement);
	command("lesson end");
	assert_non_null(view.lesson.title);
	check_contains(view.screen.notice, "again closes the lesson and forgets its 1 answer");
	command("lesson end");
	assert_null(view.lesson.title);
	open_lesson(two_steps);
	command("lesson end");
	assert_null(view.lesson.title);
}

/* On a busy core, the first request of a slow loop may take a minute: its first trials judge. */
TEST(a_guess_does_not_wait_for_ever_for_more_trials)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul unroll=9 acc=1\nask number cpe\n"
		    "  How many?\nexplain It took {cpe}.\n");
	command("guess 3");
	assert_string_equal(view.lesson.awaited, "measuring");
	pass(15);
	assert_string_equal(view.lesson.awaited, "measuring");
	pass(6);
	assert_non_null(view.lesson.judgement);
	assert_string_equal(view.lesson.judgement->doubt, "provisional");
}

/* A student who quits while a contended sample is measured again has answered all the same. */
TEST(an_answer_that_waits_is_recorded_at_the_end)
{
	struct words path = words_of("%s/answers.jsonl", folder);
	struct answers answers = { 0 };

	command(words_of("lesson record %s", path.text).text);
	open_lesson("step One\n  A text.\nsetting combine op=mul unroll=13 acc=1\nask number cpe\n"
		    "  How many?\nexplain It took {cpe}.\n");
	command("guess 3");
	assert_string_equal(view.lesson.awaited, "contended");
	session_free(session);
	session = NULL;
	check_ok(answers_read(&answers, path.text));
	assert_int_equal(answers.count, 1);
	assert_string_equal(answers.answer[0].doubt, "contended");
	answers_free(&answers);
	unlink(path.text);
}

/* So has a student who goes to the next step. */
TEST(an_answer_that_waits_is_judged_when_the_step_is_left)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul unroll=13 acc=1\nask number cpe\n"
		    "  How many?\nexplain It took {cpe}.\n\nstep Two\n  A text.\n"
		    "setting combine op=mul unroll=1 acc=1\nask number cpe\n  How many?\n"
		    "explain It took {cpe}.\n");
	command("guess 77");
	assert_string_equal(view.lesson.awaited, "contended");
	command("lesson next");
	assert_int_equal(view.lesson.step, 1);
	check_ok(session_command(session, "guess 55", canned.now));
	check_ok(session_command(session, "lesson back", canned.now));
	pass(0.5);
	assert_non_null(view.lesson.judgement);
	check_contains(view.lesson.judgement->words, "Your guess: 77");
	command("lesson next");
	assert_non_null(view.lesson.judgement);
	check_contains(view.lesson.judgement->words, "Your guess: 55");
}

TEST(a_step_that_is_left_before_its_value_was_measured_says_so)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul unroll=1 acc=1\n\n"
		    "step Two\n  A text.\nsetting combine op=mul unroll=7 acc=7\n"
		    "ask number cpe\n  How many?\nexplain It took {cpe}.\n");
	check_ok(session_command(session, "lesson next", canned.now));
	check_ok(session_command(session, "guess 55", canned.now));
	check_ok(session_command(session, "lesson back", canned.now));
	command("lesson next");
	assert_non_null(view.lesson.judgement);
	assert_string_equal(view.lesson.judgement->words,
		"Your guess: 55. Left before the value was measured.");
	/* Once it is measured, the explanation has it. */
	assert_null(strchr(view.lesson.explain, '?'));
	check_contains(view.lesson.explain, "It took 0.");
}

TEST(another_letter_replaces_a_refused_choice)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul\nask choice\n  Which?\n"
		    "option one when cpe < 100\noption two otherwise\nexplain So.\n");
	command("guess");
	command("guess type 4");
	assert_int_equal(command("guess accept"), STATUS_USAGE);
	command("guess type a");
	assert_string_equal(view.screen.guess, "a");
	assert_int_equal(command("guess accept"), STATUS_OK);
}

TEST(a_lesson_runs_no_command_that_does_more_than_show)
{
	open_lesson("step One\n  A text.\nsetting combine op=mul\ndo view limits\n");
	assert_string_equal(view.screen.front, "limits");
	for (int i = 0; i < 2; i++) {
		static const char *const bad[] = { "record to x.jsonl", "kernel ./evil.c" };
		struct words path = words_of("%s/a.lesson", folder);
		FILE *file = fopen(path.text, "w");

		fprintf(file,
			"title A\nminutes 1\n\nstep One\n  A text.\nsetting combine op=mul\ndo "
			"%s\n",
			bad[i]);
		fclose(file);
		command(words_of("lesson %s", path.text).text);
		assert_false(view.recording);
		assert_null(view.own);
		assert_int_not_equal(access("x.jsonl", F_OK), 0);
	}
}

TEST(the_report_has_the_answers_and_no_script)
{
	struct words html = words_of("%s/a.html", folder), markdown = words_of("%s/a.md", folder);
	char *text;

	open_lesson(two_steps);
	assert_int_equal(command("lesson report a.txt"), STATUS_USAGE);
	assert_int_equal(command(words_of("lesson report %s", markdown.text).text), STATUS_OK);
	command("guess 5");
	data_read(markdown.text, &text);
	check_contains(text, "# Products & \\<sums\\>");
	check_contains(text, "**Guess:** 5");
	check_contains(text, "It took 3.00.");
	free(text);
	command(words_of("lesson report %s", html.text).text);
	command("lesson skip");
	data_read(html.text, &text);
	check_contains(text, "<h1>Products &amp; &lt;sums&gt;</h1>");
	check_contains(text, "0 of 2 questions");
	check_contains(text, "<span class=\"mark wrong\">");
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "http:"));
	free(text);
	unlink(html.text);
	unlink(markdown.text);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_set_up = begin, .each_tear_down = end)
