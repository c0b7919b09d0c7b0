/* Commands that choose, step and type values of knobs. */
#include "commanded.h"

#include "explorer/command.h"

TEST(set_takes_one_or_many_knobs)
{
	run("  set \t acc=4   unroll=8 size=64k ");
	assert_int_equal(view.setting.v[FOLD_ACC], 4);
	assert_int_equal(view.setting.v[FOLD_UNROLL], 8);
	assert_int_equal(view.setting.v[FOLD_SIZE], 65536);
	assert_string_equal(view.screen.notice, "");
	/* A knob that was not named follows, and the notice says so. */
	run("set unroll=2");
	assert_int_equal(view.setting.v[FOLD_ACC], 2);
	assert_string_equal(view.screen.notice, "acc followed to 2");
	assert_false(view.screen.notice_bad);
	/* One that was named does not. */
	refused("set acc=4 unroll=2", "acc=4 needs unroll=4 or more");
	refused("set acc=banana", "acc=banana: use a whole number from 1 to 16");
	refused("set stride=2 acc=99", "acc=99: use a whole number from 1 to 16");
	refused("set unrol=4", "fold has no knob \"unrol\"; did you mean unroll?");
	refused("set size=999g", "size=999g is beyond half of this machine's free memory (8 GiB)");
	refused("set acc", "\"acc\": write KNOB=VALUE, as in op=add");
	refused("set", "set needs KNOB=VALUE, for example op=VALUE");
	assert_false(session_command_works(session, "set unroll=2"));
	/* A later success clears the complaint. */
	assert_string_equal(run("set stride=2")->screen.notice, "");
}

TEST(knobs_are_chosen_and_stepped)
{
	assert_int_equal(run("knob acc")->knob, FOLD_ACC);
	assert_int_equal(run("knob +1")->setting.v[FOLD_ACC], 2);
	assert_string_equal(view.screen.notice, "");
	run("knob +4");
	assert_int_equal(view.setting.v[FOLD_ACC], 6);
	assert_string_equal(view.screen.notice, "unroll followed to 6");
	assert_int_equal(run("knob -100")->setting.v[FOLD_ACC], 1);
	refused("knob -1", "acc=1 goes no further: 1 to 16");
	refused("knob 3",
		"knob needs +N or -N (steps of the chosen knob), next, previous, or a name");
	refused("knob",
		"knob needs +N or -N (steps of the chosen knob), next, previous, or a name");
	refused("knob +x",
		"knob needs +N or -N (steps of the chosen knob), next, previous, or a name");
	refused("knob +99999999999999999999",
		"knob needs +N or -N (steps of the chosen knob), next, previous, or a name");
	refused("knob acd", "fold has no knob \"acd\"; did you mean acc?");
	assert_int_equal(run("knob next")->knob, FOLD_SIZE);
	assert_int_equal(run("knob previous")->knob, FOLD_ACC);
	run("knob op");
	refused("knob previous", "this is the first knob");
	run("knob stride");
	refused("knob next", "this is the last knob");
	assert_int_equal(run("knob +999999999999")->setting.v[FOLD_STRIDE], 64);
}

TEST(values_are_typed)
{
	run("knob size");
	refused("entry accept", "no value is being typed");
	run("digit 9");
	assert_string_equal(view.screen.notice, "size: 64 to 8g (half of the free memory)");
	assert_false(view.screen.notice_bad);
	run("digit 6");
	assert_string_equal(run("digit K")->screen.entry, "96K");
	assert_int_equal(view.setting.v[FOLD_SIZE], 32768);
	assert_int_equal(run("entry accept")->setting.v[FOLD_SIZE], 98304);
	assert_string_equal(view.screen.entry, "");
	assert_string_equal(view.screen.notice, "");

	run("digit 7");
	assert_string_equal(run("digit 5")->screen.entry, "75");
	assert_string_equal(run("entry erase")->screen.entry, "7");
	assert_string_equal(run("close")->screen.entry, "");
	run("digit 7");
	assert_string_equal(run("entry drop")->screen.entry, "");
	run("digit 7");
	assert_string_equal(run("knob next")->screen.entry, "");
	refused("digit 12", "\"12\" cannot be typed into a value of stride");
	refused("digit", "\"\" cannot be typed into a value of stride");
	refused("digit \xc3", "\"?\" cannot be typed into a value of stride");
	/* Others follow a typed value too. */
	run("knob acc");
	run("digit 9");
	assert_int_equal(run("entry accept")->setting.v[FOLD_UNROLL], 9);
	assert_string_equal(view.screen.notice, "unroll followed to 9");
}

/* Nothing that is typed vanishes: what makes no sense is refused as a whole. */
TEST(typed_characters_never_vanish)
{
	static const char typed[] = "1.5 q+]k";
	run("knob size");
	for (const char *c = typed; *c; c++) {
		char line[] = "digit ?";

		line[6] = *c;
		run(line);
	}
	assert_string_equal(view.screen.entry, typed);
	check_usage(session_command(session, "entry accept", 1),
		"size=1.5 q+]k: use a size such as 32k, from 64 to 8g (half of the free "
		"memory)");
	assert_string_equal(look(1)->screen.entry, typed);
	assert_true(view.screen.entry_refused);
	assert_int_equal(view.setting.v[FOLD_SIZE], 32768);
	/* It can be mended, and refused again. */
	assert_string_equal(run("entry erase")->screen.entry, "1.5 q+]");
	assert_false(view.screen.entry_refused);
	assert_int_equal(session_command(session, "entry accept", 1).code, STATUS_USAGE);
	assert_true(look(1)->screen.entry_refused);
	/* The next character begins a new one. */
	assert_string_equal(run("digit 4")->screen.entry, "4");
	assert_false(view.screen.entry_refused);
	/* Longer than any value has room for. */
	for (int i = 1; i < 20; i++)
		run("digit 1");
	assert_int_equal(strlen(view.screen.entry), 20);
	refused("digit 1", "a value of size has at most 20 characters");
	check_usage(session_command(session, "entry accept", 1),
		"size=41111111111111111111 is beyond half of this machine's free memory (8 GiB)");
	assert_string_equal(run("digit 5")->screen.entry, "5");
}

/* Moving on leaves the value that was being typed, even where there is nowhere to go. */
TEST(moving_leaves_the_typed_value)
{
	static const char *const moves[] = { "move up", "move down", "focus next",
		"focus previous" };
	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		check_ok(session_command(session, i == 0 ? "knob op" : "knob stride", 1));
		check_ok(session_command(session, "focus knobs", 1));
		if (i == 0)
			check_ok(session_command(session, "kernel walk-list size", 1));
		run("digit 7");
		session_command(session, moves[i], 1);
		assert_string_equal(look(1)->screen.entry, "");
		check_ok(session_command(session, "kernel fold", 1));
	}
}

/* Messages of commands go away by themselves, the range of a value being typed does not. */
TEST(messages_go_away)
{
	run("knob stride");
	assert_false(session_command_works(session, "knob next"));
	session_command(session, "knob next", 1);
	session_advance(session, 2);
	assert_string_equal(look(1)->screen.notice, "this is the last knob");
	run("freeze");
	session_command(session, "knob next", 10);
	assert_true(session_next(session, 10) > 1 && session_next(session, 10) < 10);
	assert_true(session_advance(session, 20));
	assert_string_equal(look(1)->screen.notice, "");
	assert_true(session_next(session, 20) < 0);
	session_command(session, "digit 7", 20);
	session_advance(session, 1000);
	assert_string_equal(look(1)->screen.notice, "stride: 1 to 64");
	session_say(session, "something");
	session_advance(session, 2000);
	assert_string_equal(look(1)->screen.notice, "something");
}

TEST(choices_are_taken_by_number)
{
	start(&kernel_walk);

	run("knob order");
	assert_int_equal(run("digit 3")->setting.v[WALK_ORDER], 2);
	assert_string_equal(view.screen.entry, "");
	refused("digit 4", "order has no choice \"4\": 1 sequential, 2 random, 3 reverse");
	refused("digit k", "order has no choice \"k\": 1 sequential, 2 random, 3 reverse");
	assert_false(session_command_works(session, "digit 3"));
}

/* Choices that are numbers are typed as these numbers: 4 is the value 4, not the fourth value. */
TEST(numbers_of_choices_are_values)
{
	static const char *const numbers[] = { "1", "4", "16", NULL };
	struct kernel kernel = kernel_walk;
	struct knob *knobs = memory_new((size_t)kernel.knob_count, sizeof(*knobs));

	memcpy(knobs, kernel_walk.knobs, (size_t)kernel.knob_count * sizeof(*knobs));
	knobs[WALK_ORDER].choices = numbers;
	kernel.knobs = knobs;
	start(&kernel);
	run("knob order");
	assert_string_equal(run("digit 4")->screen.entry, "4");
	assert_int_equal(run("entry accept")->setting.v[WALK_ORDER], 1);
	run("digit 1");
	run("digit 6");
	assert_int_equal(run("entry accept")->setting.v[WALK_ORDER], 2);
	start(&kernel_walk);
	free(knobs);
}

RUN_TESTS(.set_up = enter_directory, .tear_down = leave_directory, .each_set_up = start_fold,
	.each_tear_down = played_end)
