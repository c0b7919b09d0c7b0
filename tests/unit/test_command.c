/* The command language, against an engine that need not answer. */
#include "commanded.h"

#include "explorer/state.h"

TEST(every_row_is_whole)
{
	const struct command_row *row = command_rows();

	assert_non_null(row->name);
	for (; row->name; row++) {
		assert_non_null(row->arguments);
		assert_non_null(row->help);
		assert_true(!row->act != !row->run);
		assert_false(row->act && row->arguments[0]);
		assert_true(row->help[0] != '\0');
		/* Find runs the name alone. */
		assert_false(row->found && row->arguments[0]);
		for (const struct command_row *other = row + 1; other->name; other++)
			assert_string_not_equal(row->name, other->name);
	}
}

TEST(unknown_commands_get_the_nearest)
{
	refused("kernl fold", "unknown command \"kernl fold\"; did you mean kernel?");
	refused("frezee", "unknown command \"frezee\"; did you mean freeze?");
	refused("xyzzy", "unknown command \"xyzzy\"; help shows all");
	refused("move",
		"unknown command \"move\"; there are move left, move right, move up, move down");
	refused("entry sideways",
		"unknown command \"entry sideways\"; there are entry accept, entry drop, entry "
		"erase");
	refused("freeze now", "freeze takes no argument, but has \"now\"");
	refused("pin swap 2", "pin swap takes no argument, but has \"2\"");
	refused("FREEZE", "unknown command \"FREEZE\"; did you mean freeze?");
	/* Nothing is no command, and harmless. */
	check_ok(session_command(session, "", 1));
	check_ok(session_command(session, " \t ", 1));
}

TEST(kernels_are_chosen_and_keep_their_settings)
{
	run("set acc=4");
	run("knob stride");
	assert_ptr_equal(run("kernel walk-list")->setting.kernel, &kernel_walk);
	assert_int_equal(view.kernel_index, 1);
	assert_int_equal(view.knob, 0);
	run("set order=random");
	assert_ptr_equal(run("kernel previous")->setting.kernel, &kernel_fold);
	assert_int_equal(view.setting.v[FOLD_ACC], 4);
	assert_int_equal(view.knob, FOLD_STRIDE);
	assert_int_equal(run("kernel next")->setting.v[WALK_ORDER], 1);
	assert_int_equal(run("kernel fold unroll")->knob, FOLD_UNROLL);
	assert_string_equal(view.screen.focus, "knobs");
	refused("kernel previous", "this is the first kernel");
	refused("kernel", "kernel needs a name: slexplore list shows all kernels");
	refused("kernel flod", "no kernel \"flod\"; did you mean fold?");
	refused("kernel walk-list odrer", "walk-list has no knob \"odrer\"; did you mean order?");
	assert_false(session_command_works(session, "kernel fold"));
}

TEST(a_kernel_is_chosen_with_its_setting)
{
	run("set acc=4");
	assert_ptr_equal(run("kernel walk-list order=random")->setting.kernel, &kernel_walk);
	assert_int_equal(view.setting.v[WALK_ORDER], 1);
	assert_string_equal(view.screen.notice, "");
	assert_ptr_equal(run("kernel fold unroll=8")->setting.kernel, &kernel_fold);
	assert_int_equal(view.setting.v[FOLD_ACC], 4);
	assert_int_equal(view.setting.v[FOLD_UNROLL], 8);
	refused("kernel walk-list odrer=random",
		"walk-list has no knob \"odrer\"; did you mean order?");
	assert_ptr_equal(view.setting.kernel, &kernel_fold);
	/* The find line takes it as the command line does. */
	run("find walk-list order=sequential");
	assert_string_equal(view.screen.found[0].command, "kernel walk-list order=sequential");
	assert_int_equal(run("choose")->setting.v[WALK_ORDER], 0);
	assert_ptr_equal(view.setting.kernel, &kernel_walk);
}

TEST(focus_goes_round)
{
	assert_string_equal(look(1)->screen.focus, "knobs");
	assert_string_equal(run("focus next")->screen.focus, "curves");
	assert_string_equal(run("focus next")->screen.focus, "mountain");
	assert_string_equal(run("focus next")->screen.focus, "kernels");
	assert_string_equal(run("focus previous")->screen.focus, "mountain");
	assert_string_equal(run("focus previous")->screen.focus, "curves");
	assert_string_equal(run("focus kernels")->screen.focus, "kernels");
	assert_false(session_command_works(session, "focus kernels"));
	refused("focus pocus", "focus \"pocus\": next, previous, kernels, knobs, curves, code, "
			       "counters, mountain, sweep, timeline or graph");
}

TEST(arrows_act_on_the_focus)
{
	assert_int_equal(run("move down")->knob, 1);
	assert_int_equal(run("move right")->setting.v[FOLD_UNROLL], 5);
	assert_int_equal(run("move left")->setting.v[FOLD_UNROLL], 4);
	assert_int_equal(run("move up")->knob, 0);
	refused("move up", "this is the first knob");
	refused("move left", "op=add goes no further: add or mul");

	run("focus kernels");
	refused("move left", "nothing further that way");
	refused("move up", "nothing further that way");
	assert_int_equal(run("move down")->kernel_index, 1);
	assert_int_equal(run("move up")->kernel_index, 0);
}

TEST(arrows_walk_the_mountain)
{
	run("focus curves");
	assert_int_equal(run("move right")->setting.v[FOLD_SIZE], 49152);
	assert_int_equal(run("move right")->setting.v[FOLD_SIZE], 65536);
	assert_int_equal(run("move left")->setting.v[FOLD_SIZE], 49152);
	assert_int_equal(view.by_size.point[view.by_size.here].value, 49152);
	refused("move down", "nothing further that way");
	assert_int_equal(run("move up")->setting.v[FOLD_STRIDE], 2);
	assert_int_equal(run("move down")->setting.v[FOLD_STRIDE], 1);
	/* From between two points to the next one. */
	run("set size=50000 stride=63");
	assert_int_equal(view.by_size.here, -1);
	assert_int_equal(view.by_stride.here, -1);
	assert_int_equal(run("move right")->setting.v[FOLD_SIZE], 65536);
	assert_int_equal(run("move up")->setting.v[FOLD_STRIDE], 64);
	/* No size: left and right go along the only slice, over what is impossible. */
	start(&kernel_odd);
	run("focus curves");
	assert_int_equal(run("move right")->setting.v[0], 5);
	assert_int_equal(run("move left")->setting.v[0], 3);
}

TEST(arrows_walk_over_the_grid)
{
	run("view mountain");
	assert_string_equal(view.screen.focus, "mountain");
	assert_int_equal(run("move down")->setting.v[FOLD_SIZE], 65536);
	assert_int_equal(run("move up")->setting.v[FOLD_SIZE], 32768);
	assert_int_equal(run("move up")->setting.v[FOLD_SIZE], 16384);
	refused("move up", "nothing further that way");
	assert_false(session_command_works(session, "move up"));
	refused("move left", "nothing further that way");
	assert_int_equal(run("move right")->setting.v[FOLD_STRIDE], 2);
	assert_int_equal(view.grid.here_x, 1);
	assert_int_equal(view.grid.here_y, 0);
	/* What is walked on is measured at once. */
	assert_true(view.measuring);
	/* From between two rows, and from beyond the last column, back on it. */
	run("set size=50000 stride=40");
	assert_int_equal(run("move down")->setting.v[FOLD_SIZE], 65536);
	run("set size=50000");
	assert_int_equal(run("move up")->setting.v[FOLD_SIZE], 32768);
	refused("move right", "nothing further that way");
	assert_int_equal(run("move left")->setting.v[FOLD_STRIDE], 16);
	run("set size=8192");
	assert_int_equal(run("move down")->setting.v[FOLD_SIZE], 16384);
	/* With another front, or another kernel, arrows turn knobs again. */
	run("view curves");
	assert_string_equal(view.screen.focus, "knobs");
	run("mountain");
	assert_string_equal(view.screen.front, "mountain");
	assert_string_equal(view.screen.focus, "mountain");
	run("focus knobs");
	assert_string_equal(run("mountain")->screen.focus, "mountain");
	assert_string_equal(run("mountain")->screen.front, "curves");
	run("mountain");
	run("kernel odd");
	assert_false(view.grid.present);
	assert_string_equal(view.screen.focus, "knobs");
	refused("mountain", "odd has no mountain: it needs the knobs size and stride");
	refused("relief", "odd has no mountain: it needs the knobs size and stride");
	refused("focus mountain", "focus mountain: nothing to show for odd");
}

TEST(what_if_asks_about_other_caches)
{
	assert_false(run("view mountain")->misses.whatif.asked);
	/* Of this kernel nothing is known: the key offers nothing, and the command may be given. */
	assert_false(session_command_works(session, "whatif"));
	run("whatif 2x");
	assert_true(view.misses.whatif.asked);
	check_near(view.misses.whatif.factor[1], 2, 0);
	check_contains(view.screen.notice, "caches 2x as large");
	assert_null(strstr(view.screen.notice, "key m"));
	run("focus knobs");
	run("whatif 2x");
	check_contains(view.screen.notice, "caches 2x as large, next to the mountain (key m)");
	check_ok(session_command(session, "whatif", 1));
	assert_false(look(1)->misses.whatif.asked);
	check_ok(session_command(session, "whatif", 1));
	check_near(look(1)->misses.whatif.factor[2], 2, 0);
	run("whatif off");
	run("whatif L2 4m");
	check_near(view.misses.whatif.bytes[1], 4 << 20, 0);
	refused("whatif much",
		"what if \"much\": a factor (2x, 0.5x), a size (64k), either after L1, L2 or L3, "
		"or off");
	check_near(look(1)->misses.whatif.bytes[1], 4 << 20, 0);
	assert_true(session_command_works(session, "whatif off"));
	assert_false(session_command_works(session, "whatif pocus"));
	assert_false(run("whatif off")->misses.whatif.asked);
}

TEST(pin_compares)
{
	refused("pin", "there is no sample to pin yet");
	refused("pin swap",
		"there is no pinned result A to swap with: pin (key p) keeps this result as A");
	refused("pin drop",
		"there is no pinned result A to forget: pin (key p) keeps this result as A");
	answer(4);
	run("pin");
	assert_true(view.pinned);
	check_near(view.ratio, 1, 1e-9);
	run("set acc=2");
	assert_true(isnan(view.ratio));
	check_near(view.a.cpe, 4, 0.01);
	refused("pin swap", "there is no sample to pin yet");
	answer(2);
	check_near(look(1)->ratio, 0.5, 0.001);

	run("pin swap");
	assert_int_equal(view.setting.v[FOLD_ACC], 1);
	assert_int_equal(view.a_setting.v[FOLD_ACC], 2);
	check_near(view.a.cpe, 2, 0.01);
	assert_false(view.sample.valid);
	answer(4);
	check_near(look(1)->ratio, 2, 0.01);
	run("kernel odd");
	answer(8);
	assert_ptr_equal(run("pin swap")->setting.kernel, &kernel_fold);
	assert_int_equal(view.setting.v[FOLD_ACC], 2);
	assert_ptr_equal(view.a_setting.kernel, &kernel_odd);
	run("pin drop");
	assert_false(view.pinned);
}

TEST(recording_begins_and_ends)
{
	struct status status;

	answer(2);
	assert_false(look(1)->recording);
	run("record to one.jsonl");
	assert_true(view.recording);
	assert_string_equal(view.screen.notice, "recording to one.jsonl");
	session_advance(session, 2);
	run("record");
	assert_false(view.recording);
	check_parts(view.screen.notice, "recorded: 1 setting, ", ": slexplore replay one.jsonl");
	run("record to one.jsonl");
	assert_string_equal(
		view.screen.notice, "recording to one.jsonl, after the 1 setting that it holds");
	run("record to two.jsonl");
	assert_true(view.recording);
	status = session_command(session, "record to /nowhere/file", 3);
	assert_int_equal(status.code, STATUS_FAILED);
	assert_string_equal(status.text, "/nowhere/file: No such file or directory");
	assert_true(look(1)->recording);
	run("record");
	check_contains(view.screen.notice, ": slexplore replay two.jsonl");
	run("record");
	assert_true(view.recording);
	check_contains(view.screen.notice, "recording to slexplore-machine-");
}

TEST(pictures_show_the_panel_in_front)
{
	char shot[VIEW_SHOT];
	struct status status = session_command(session, "picture", 1);

	/* Nothing is measured yet. */
	assert_int_equal(status.code, STATUS_USAGE);
	answer(1.5);
	/* Names of files keep their blanks. */
	run("picture dark my  slice.gp");
	assert_false(view.screen.notice_bad);
	check_contains(view.screen.notice, "my  slice.gp");
	assert_int_equal(unlink("my  slice.gp"), 0);
	status = session_command(session, "picture slice.xyz", 1);
	assert_int_equal(status.code, STATUS_USAGE);
	/* A panel that is no chart: the whole screen is the picture. */
	run("view trials");
	status = session_command(session, "picture slice.gp", 1);
	assert_int_equal(status.code, STATUS_USAGE);
	assert_false(session_shot(session, shot, sizeof(shot)));
	run("picture");
	assert_true(session_shot(session, shot, sizeof(shot)));
	assert_string_equal(shot, "");
	run("screenshot to my  screen.svg");
	assert_true(session_shot(session, shot, sizeof(shot)));
	assert_string_equal(shot, "my  screen.svg");
	assert_false(session_shot(session, shot, sizeof(shot)));
	refused("screenshot to", "screenshot to needs a file name that ends in .svg");
}

TEST(overlays_open_scroll_and_close)
{
	assert_false(session_command_works(session, "close"));
	run("help");
	assert_int_equal(view.screen.overlay, OVERLAY_HELP);
	assert_false(session_command_works(session, "help"));
	assert_int_equal(run("move down")->screen.scroll, 1);
	assert_int_equal(run("move up")->screen.scroll, 0);
	refused("move up", "nothing further that way");
	run("move down");
	run("yank");
	assert_int_equal(view.screen.overlay, OVERLAY_TEXT);
	assert_int_equal(view.screen.scroll, 0);
	assert_string_equal(view.screen.text,
		"slexplore explore fold op=add unroll=4 acc=1 size=32k stride=1 --cpu 3");
	assert_int_equal(run("close")->screen.overlay, OVERLAY_NONE);
}

TEST(quit_only_asks_to_end)
{
	assert_false(session_quit(session));
	run("quit");
	assert_true(session_quit(session));
}

TEST(remarks_and_the_kernel_reach_the_view)
{
	assert_null(look(1)->remark);
	assert_string_equal(run("set acc=13")->remark, "spills");
}

/* Whatever is sent: an answer, and a session that goes on. */
TEST(any_line_is_answered)
{
	static const char *const words[] = { "kernel", "set", "knob", "digit", "entry", "focus",
		"move", "pin", "freeze", "again", "find", "help", "close", "yank", "fold", "odd",
		"walk-list", "next", "previous", "accept", "drop", "erase", "up", "down", "left",
		"right", "swap", "choose", "curves", "knobs", "acc=4", "n=2", "size=1m", "op=", "=",
		"+1", "-3", "7", "k", "x\xff\x80", "size=64", "unroll=16", "stride=3" };
	const int rounds = CHECK_REPEATS(4000, 1000);
	uint64_t random = 3;
	double now = 1;
	int good = 0;

	for (int round = 0; round < rounds; round++) {
		char line[128] = "";
		struct status status;
		struct setting setting;
		bool works;

		for (int count = 1 + (int)(random >> 63); count > 0; count--) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			strcat(line, words[(random >> 33) % (sizeof(words) / sizeof(words[0]))]);
			strcat(line, " ");
		}
		setting = look(1)->setting;
		works = session_command_works(session, line);
		status = session_command(session, line, now);
		/* A typed value is refused only when it is taken. */
		if (works && !status_is_ok(&status) && !strstr(line, "entry accept") &&
			strncmp(line, "choose", 6) != 0)
			fail_msg("\"%s\" works, but: %s", line, status.text);
		if (!status_is_ok(&status))
			assert_true(setting_equal(&setting, &look(1)->setting));
		good += status_is_ok(&status);
		check_ok(setting_check(&look(1)->setting, MEMORY_LIMITS));
		now += 0.01;
		session_advance(session, now);
		if (fake.pending && round % 3)
			fake_answer(&fake, 60, 2);
	}
	if (good < rounds * 3 / 40)
		fail_msg("only %d lines did anything", good);
}

TEST(undo_goes_back_one_change_at_a_time)
{
	refused("undo", "nothing to undo: U undoes changes of kernel, knobs, core model and A");
	answer(2);
	run("set acc=4");
	run("knob stride");
	run("set stride=8");
	session_advance(session, 1);
	answer(2);
	run("pin");
	run("kernel walk-list");
	run("pin drop");
	/* Commands that change none of these leave the stack as it is. */
	run("help");
	run("close");
	assert_true(run("undo")->pinned);
	assert_string_equal(view.screen.notice, "back to the previous A");
	assert_ptr_equal(run("undo")->setting.kernel, &kernel_fold);
	assert_int_equal(view.knob, FOLD_STRIDE);
	assert_string_equal(view.screen.notice, "back to fold");
	assert_true(view.pinned);
	assert_false(run("undo")->pinned);
	assert_string_equal(view.screen.notice, "back to no A");
	assert_int_equal(run("undo")->setting.v[FOLD_STRIDE], 1);
	assert_int_equal(view.setting.v[FOLD_ACC], 4);
	assert_string_equal(view.screen.notice, "back to stride=1");
	assert_int_equal(run("undo")->setting.v[FOLD_ACC], 1);
	check_contains(view.screen.notice, ": there is no earlier change");
	assert_false(session_command_works(session, "undo"));
}

TEST(undo_reverses_a_swap_and_a_found_command_once)
{
	answer(2);
	run("pin");
	run("set acc=2 unroll=2");
	answer(1);
	run("pin swap");
	assert_int_equal(look(1)->a_setting.v[FOLD_ACC], 2);
	/* The command that find runs is one change, although two commands ran. */
	run("find set stride=4");
	run("choose");
	assert_int_equal(look(1)->setting.v[FOLD_STRIDE], 4);
	assert_int_equal(run("undo")->setting.v[FOLD_STRIDE], 1);
	assert_int_equal(view.setting.v[FOLD_ACC], 1);
	assert_int_equal(run("undo")->setting.v[FOLD_ACC], 2);
	assert_int_equal(view.a_setting.v[FOLD_ACC], 1);
}

TEST(the_oldest_of_many_changes_is_forgotten)
{
	int undone = 0;

	for (int i = 0; i < 250; i++)
		run(i % 2 ? "set stride=1" : "set stride=2");
	for (; session_command_works(session, "undo"); undone++)
		run("undo");
	assert_int_equal(undone, 200);
	assert_int_equal(look(1)->setting.v[FOLD_STRIDE], 1);
}

RUN_TESTS(.set_up = enter_directory, .tear_down = leave_directory, .each_set_up = start_fold,
	.each_tear_down = played_end)
