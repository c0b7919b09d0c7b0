/* The command language, against an engine that need not answer. */
#include "fakes.h"

#include <dirent.h>
#include <unistd.h>

#include "explorer/command.h"
#include "explorer/session.h"

static struct fake_engine fake;
static struct view view;
static const uint64_t LIMIT = UINT64_C(8) << 30;
static const struct memory_limits MEMORY_LIMITS = { .memory = UINT64_C(8) << 30 };

static struct session *start(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .invocation = "--cpu 3" };
	struct session *session;

	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 1);
	return session;
}

static const struct view *look(const struct session *session)
{
	session_view(session, 1, &view);
	return &view;
}

static void answer(struct session *session, double cpe)
{
	while (fake.request.background || !fake.pending) {
		if (fake.pending)
			fake_answer(&fake, 60, 1);
		session_advance(session, 2);
	}
	fake_answer(&fake, 60, cpe);
	session_advance(session, 1);
}

/* Runs a command that must succeed, after works() must have said so. */
static const struct view *run(struct session *session, const char *line)
{
	if (!session_command_works(session, line))
		fail_msg("\"%s\" does not work", line);
	check_ok(session_command(session, line, 1));
	return look(session);
}

/* A command that must be refused with that text, change nothing but the notice, and not work. */
static void refused(struct session *session, const char *line, const char *message)
{
	struct view before;
	struct status status;

	session_view(session, 1, &before);
	assert_false(session_command_works(session, line));
	status = session_command(session, line, 1);
	check_usage(status, message);
	look(session);
	assert_string_equal(view.notice, message);
	assert_true(view.notice_bad);
	memcpy(view.notice, before.notice, sizeof(view.notice));
	view.notice_bad = before.notice_bad;
	assert_memory_equal(&view, &before, sizeof(view));
}

TEST(every_row_is_whole)
{
	const struct command_row *row = command_rows();

	assert_non_null(row->name);
	for (; row->name; row++) {
		assert_non_null(row->arguments);
		assert_non_null(row->help);
		assert_non_null(row->run);
		assert_true(row->help[0] != '\0');
		/* Find runs the name alone. */
		assert_false((row->flags & COMMAND_FOUND) && row->arguments[0]);
		for (const struct command_row *other = row + 1; other->name; other++)
			assert_string_not_equal(row->name, other->name);
	}
}

TEST(unknown_commands_get_the_nearest)
{
	struct session *session = start(&kernel_fold);

	refused(session, "kernl fold", "unknown command \"kernl fold\"; did you mean kernel?");
	refused(session, "frezee", "unknown command \"frezee\"; did you mean freeze?");
	refused(session, "xyzzy", "unknown command \"xyzzy\"; help shows all");
	refused(session, "move",
		"unknown command \"move\"; there are move left, move right, move up, move down");
	refused(session, "entry sideways",
		"unknown command \"entry sideways\"; there are entry accept, entry drop, entry "
		"erase");
	refused(session, "freeze now", "freeze takes no argument, and \"now\" is one");
	refused(session, "pin swap 2", "pin swap takes no argument, and \"2\" is one");
	refused(session, "FREEZE", "unknown command \"FREEZE\"; did you mean freeze?");
	/* Nothing is no command, and harmless. */
	check_ok(session_command(session, "", 1));
	check_ok(session_command(session, " \t ", 1));
	session_free(session);
}

TEST(kernels_are_chosen_and_keep_their_settings)
{
	struct session *session = start(&kernel_fold);

	run(session, "set acc=4");
	run(session, "knob stride");
	assert_ptr_equal(run(session, "kernel walk-list")->setting.kernel, &kernel_walk);
	assert_int_equal(view.kernel_index, 1);
	assert_int_equal(view.knob, 0);
	run(session, "set order=random");
	assert_ptr_equal(run(session, "kernel previous")->setting.kernel, &kernel_fold);
	assert_int_equal(view.setting.v[FOLD_ACC], 4);
	assert_int_equal(view.knob, FOLD_STRIDE);
	assert_int_equal(run(session, "kernel next")->setting.v[WALK_ORDER], 1);
	assert_int_equal(run(session, "kernel fold unroll")->knob, FOLD_UNROLL);
	assert_string_equal(view.focus, "knobs");
	refused(session, "kernel previous", "this is the first kernel");
	refused(session, "kernel", "kernel takes the name of one (slexplore list shows all)");
	refused(session, "kernel flod",
		"no kernel \"flod\"; did you mean fold? (slexplore list shows all)");
	refused(session, "kernel walk-list odrer",
		"walk-list has no knob \"odrer\"; did you mean order?");
	assert_false(session_command_works(session, "kernel fold"));
	session_free(session);
}

TEST(set_takes_one_or_many_knobs)
{
	struct session *session = start(&kernel_fold);

	run(session, "  set \t acc=4   unroll=8 size=64k ");
	assert_int_equal(view.setting.v[FOLD_ACC], 4);
	assert_int_equal(view.setting.v[FOLD_UNROLL], 8);
	assert_int_equal(view.setting.v[FOLD_SIZE], 65536);
	assert_string_equal(view.notice, "");
	/* A knob that was not named follows, and the notice says so. */
	run(session, "set unroll=2");
	assert_int_equal(view.setting.v[FOLD_ACC], 2);
	assert_string_equal(view.notice, "acc followed to 2");
	assert_false(view.notice_bad);
	/* One that was named does not. */
	refused(session, "set acc=4 unroll=2", "acc=4 needs unroll=4 or more");
	refused(session, "set acc=banana", "acc=banana: a whole number from 1 to 16");
	refused(session, "set stride=2 acc=99", "acc=99: a whole number from 1 to 16");
	refused(session, "set unrol=4", "fold has no knob \"unrol\"; did you mean unroll?");
	refused(session, "set size=999g",
		"size=999g is beyond half of this machine's free memory (8 GiB)");
	refused(session, "set acc", "\"acc\": write KNOB=VALUE, as in op=add");
	refused(session, "set", "set takes KNOB=VALUE, as in op=VALUE");
	assert_false(session_command_works(session, "set unroll=2"));
	/* A later success clears the complaint. */
	assert_string_equal(run(session, "set stride=2")->notice, "");
	session_free(session);
}

TEST(knobs_are_chosen_and_stepped)
{
	struct session *session = start(&kernel_fold);

	assert_int_equal(run(session, "knob acc")->knob, FOLD_ACC);
	assert_int_equal(run(session, "knob +1")->setting.v[FOLD_ACC], 2);
	assert_string_equal(view.notice, "");
	run(session, "knob +4");
	assert_int_equal(view.setting.v[FOLD_ACC], 6);
	assert_string_equal(view.notice, "unroll followed to 6");
	assert_int_equal(run(session, "knob -100")->setting.v[FOLD_ACC], 1);
	refused(session, "knob -1", "acc=1 goes no further: 1 to 16");
	refused(session, "knob 3",
		"knob takes +N or -N to step the chosen knob, next, previous, or a name");
	refused(session, "knob",
		"knob takes +N or -N to step the chosen knob, next, previous, or a name");
	refused(session, "knob +x",
		"knob takes +N or -N to step the chosen knob, next, previous, or a name");
	refused(session, "knob +99999999999999999999",
		"knob takes +N or -N to step the chosen knob, next, previous, or a name");
	refused(session, "knob acd", "fold has no knob \"acd\"; did you mean acc?");
	assert_int_equal(run(session, "knob next")->knob, FOLD_SIZE);
	assert_int_equal(run(session, "knob previous")->knob, FOLD_ACC);
	run(session, "knob op");
	refused(session, "knob previous", "this is the first knob");
	run(session, "knob stride");
	refused(session, "knob next", "this is the last knob");
	assert_int_equal(run(session, "knob +999999999999")->setting.v[FOLD_STRIDE], 64);
	session_free(session);
}

TEST(values_are_typed)
{
	struct session *session = start(&kernel_fold);

	run(session, "knob size");
	refused(session, "entry accept", "no value is being typed");
	run(session, "digit 9");
	assert_string_equal(view.notice, "size: 64 to 8 GiB (half of the free memory)");
	assert_false(view.notice_bad);
	run(session, "digit 6");
	assert_string_equal(run(session, "digit K")->entry, "96K");
	assert_int_equal(view.setting.v[FOLD_SIZE], 32768);
	assert_int_equal(run(session, "entry accept")->setting.v[FOLD_SIZE], 98304);
	assert_string_equal(view.entry, "");
	assert_string_equal(view.notice, "");

	run(session, "digit 7");
	assert_string_equal(run(session, "digit 5")->entry, "75");
	assert_string_equal(run(session, "entry erase")->entry, "7");
	assert_string_equal(run(session, "close")->entry, "");
	run(session, "digit 7");
	assert_string_equal(run(session, "entry drop")->entry, "");
	run(session, "digit 7");
	assert_string_equal(run(session, "knob next")->entry, "");
	refused(session, "digit 12", "\"12\" is not one character of a value of stride");
	refused(session, "digit", "\"\" is not one character of a value of stride");
	refused(session, "digit \xc3", "\"\xc3\" is not one character of a value of stride");
	/* Others follow a typed value too. */
	run(session, "knob acc");
	run(session, "digit 9");
	assert_int_equal(run(session, "entry accept")->setting.v[FOLD_UNROLL], 9);
	assert_string_equal(view.notice, "unroll followed to 9");
	session_free(session);
}

/* Nothing that is typed vanishes: what makes no sense is refused as a whole. */
TEST(typed_characters_never_vanish)
{
	static const char typed[] = "1.5 q+]k";
	struct session *session = start(&kernel_fold);

	run(session, "knob size");
	for (const char *c = typed; *c; c++) {
		char line[] = "digit ?";

		line[6] = *c;
		run(session, line);
	}
	assert_string_equal(view.entry, typed);
	check_usage(session_command(session, "entry accept", 1),
		"size=1.5 q+]k: a size such as 32k or 4m, from 64 to 8 GiB (half of the free "
		"memory)");
	assert_string_equal(look(session)->entry, typed);
	assert_true(view.entry_refused);
	assert_int_equal(view.setting.v[FOLD_SIZE], 32768);
	/* It can be mended, and refused again. */
	assert_string_equal(run(session, "entry erase")->entry, "1.5 q+]");
	assert_false(view.entry_refused);
	assert_int_equal(session_command(session, "entry accept", 1).code, STATUS_USAGE);
	assert_true(look(session)->entry_refused);
	/* The next character begins a new one. */
	assert_string_equal(run(session, "digit 4")->entry, "4");
	assert_false(view.entry_refused);
	/* Longer than any value has room for. */
	for (int i = 1; i < 20; i++)
		run(session, "digit 1");
	assert_int_equal(strlen(view.entry), 20);
	refused(session, "digit 1", "a value of size has at most 20 characters");
	check_usage(session_command(session, "entry accept", 1),
		"size=41111111111111111111 is beyond half of this machine's free memory (8 GiB)");
	assert_string_equal(run(session, "digit 5")->entry, "5");
	session_free(session);
}

/* Moving on leaves the value that was being typed, even where there is nowhere to go. */
TEST(moving_leaves_the_typed_value)
{
	static const char *const moves[] = { "move up", "move down", "focus next",
		"focus previous" };
	struct session *session = start(&kernel_fold);

	for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
		check_ok(session_command(session, i == 0 ? "knob op" : "knob stride", 1));
		check_ok(session_command(session, "focus knobs", 1));
		if (i == 0)
			check_ok(session_command(session, "kernel walk-list size", 1));
		run(session, "digit 7");
		session_command(session, moves[i], 1);
		assert_string_equal(look(session)->entry, "");
		check_ok(session_command(session, "kernel fold", 1));
	}
	session_free(session);
}

/* Messages of commands go away by themselves, the range of a value being typed does not. */
TEST(messages_go_away)
{
	struct session *session = start(&kernel_fold);

	run(session, "knob stride");
	assert_false(session_command_works(session, "knob next"));
	session_command(session, "knob next", 1);
	session_advance(session, 2);
	assert_string_equal(look(session)->notice, "this is the last knob");
	run(session, "freeze");
	session_command(session, "knob next", 10);
	assert_true(session_next(session, 10) > 1 && session_next(session, 10) < 10);
	assert_true(session_advance(session, 20));
	assert_string_equal(look(session)->notice, "");
	assert_true(session_next(session, 20) < 0);
	session_command(session, "digit 7", 20);
	session_advance(session, 1000);
	assert_string_equal(look(session)->notice, "stride: 1 to 64");
	session_say(session, "something");
	session_advance(session, 2000);
	assert_string_equal(look(session)->notice, "something");
	session_free(session);
}

TEST(choices_are_taken_by_number)
{
	struct session *session = start(&kernel_walk);

	run(session, "knob order");
	assert_int_equal(run(session, "digit 3")->setting.v[WALK_ORDER], 2);
	assert_string_equal(view.entry, "");
	refused(session, "digit 4", "order has no choice \"4\": 1 sequential, 2 random, 3 reverse");
	refused(session, "digit k", "order has no choice \"k\": 1 sequential, 2 random, 3 reverse");
	assert_false(session_command_works(session, "digit 3"));
	session_free(session);
}

TEST(focus_goes_round)
{
	struct session *session = start(&kernel_fold);

	assert_string_equal(look(session)->focus, "knobs");
	assert_string_equal(run(session, "focus next")->focus, "slices");
	assert_string_equal(run(session, "focus next")->focus, "mountain");
	assert_string_equal(run(session, "focus next")->focus, "kernels");
	assert_string_equal(run(session, "focus previous")->focus, "mountain");
	assert_string_equal(run(session, "focus previous")->focus, "slices");
	assert_string_equal(run(session, "focus kernels")->focus, "kernels");
	assert_false(session_command_works(session, "focus kernels"));
	refused(session, "focus pocus",
		"focus \"pocus\": next, previous, kernels, knobs, slices, code, counters or "
		"mountain");
	session_free(session);
}

TEST(arrows_act_on_the_focus)
{
	struct session *session = start(&kernel_fold);

	assert_int_equal(run(session, "move down")->knob, 1);
	assert_int_equal(run(session, "move right")->setting.v[FOLD_UNROLL], 5);
	assert_int_equal(run(session, "move left")->setting.v[FOLD_UNROLL], 4);
	assert_int_equal(run(session, "move up")->knob, 0);
	refused(session, "move up", "this is the first knob");
	refused(session, "move left", "op=add goes no further: add or mul");

	run(session, "focus kernels");
	refused(session, "move left", "nothing further that way");
	refused(session, "move up", "nothing further that way");
	assert_int_equal(run(session, "move down")->kernel_index, 1);
	assert_int_equal(run(session, "move up")->kernel_index, 0);
	session_free(session);
}

TEST(arrows_walk_the_mountain)
{
	struct session *session = start(&kernel_fold);

	run(session, "focus slices");
	assert_int_equal(run(session, "move right")->setting.v[FOLD_SIZE], 49152);
	assert_int_equal(run(session, "move right")->setting.v[FOLD_SIZE], 65536);
	assert_int_equal(run(session, "move left")->setting.v[FOLD_SIZE], 49152);
	assert_int_equal(view.by_size.point[view.by_size.here].value, 49152);
	refused(session, "move down", "nothing further that way");
	assert_int_equal(run(session, "move up")->setting.v[FOLD_STRIDE], 2);
	assert_int_equal(run(session, "move down")->setting.v[FOLD_STRIDE], 1);
	/* From between two points to the next one. */
	run(session, "set size=50000 stride=63");
	assert_int_equal(view.by_size.here, -1);
	assert_int_equal(view.by_stride.here, -1);
	assert_int_equal(run(session, "move right")->setting.v[FOLD_SIZE], 65536);
	assert_int_equal(run(session, "move up")->setting.v[FOLD_STRIDE], 64);
	session_free(session);

	/* No size: left and right go along the only slice, over what is impossible. */
	session = start(&kernel_odd);
	run(session, "focus slices");
	assert_int_equal(run(session, "move right")->setting.v[0], 5);
	assert_int_equal(run(session, "move left")->setting.v[0], 3);
	session_free(session);
}

TEST(arrows_walk_over_the_grid)
{
	struct session *session = start(&kernel_fold);

	run(session, "view mountain");
	assert_string_equal(view.focus, "mountain");
	assert_int_equal(run(session, "move down")->setting.v[FOLD_SIZE], 65536);
	assert_int_equal(run(session, "move up")->setting.v[FOLD_SIZE], 32768);
	assert_int_equal(run(session, "move up")->setting.v[FOLD_SIZE], 16384);
	refused(session, "move up", "nothing further that way");
	assert_false(session_command_works(session, "move up"));
	refused(session, "move left", "nothing further that way");
	assert_int_equal(run(session, "move right")->setting.v[FOLD_STRIDE], 2);
	assert_int_equal(view.grid.here_x, 1);
	assert_int_equal(view.grid.here_y, 0);
	/* What is walked on is measured at once. */
	assert_true(view.measuring);
	/* From between two rows, and from beyond the last column, back on it. */
	run(session, "set size=50000 stride=40");
	assert_int_equal(run(session, "move down")->setting.v[FOLD_SIZE], 65536);
	run(session, "set size=50000");
	assert_int_equal(run(session, "move up")->setting.v[FOLD_SIZE], 32768);
	refused(session, "move right", "nothing further that way");
	assert_int_equal(run(session, "move left")->setting.v[FOLD_STRIDE], 16);
	run(session, "set size=8192");
	assert_int_equal(run(session, "move down")->setting.v[FOLD_SIZE], 16384);
	/* With another front, or another kernel, arrows turn knobs again. */
	run(session, "view slices");
	assert_string_equal(view.focus, "knobs");
	run(session, "mountain");
	assert_string_equal(view.front, "mountain");
	assert_string_equal(view.focus, "mountain");
	run(session, "focus knobs");
	assert_string_equal(run(session, "mountain")->focus, "mountain");
	assert_string_equal(run(session, "mountain")->front, "slices");
	run(session, "mountain");
	run(session, "kernel odd");
	assert_false(view.grid.present);
	assert_string_equal(view.focus, "knobs");
	refused(session, "mountain", "there is no mountain of odd: it has no size and stride");
	refused(session, "relief", "there is no mountain of odd: it has no size and stride");
	refused(session, "focus mountain", "focus mountain: there is none of odd");
	session_free(session);
}

TEST(what_if_asks_about_other_caches)
{
	struct session *session = start(&kernel_fold);

	assert_false(run(session, "view mountain")->misses.whatif.asked);
	/* Of this kernel nothing is known: the key offers nothing, and the command may be given. */
	assert_false(session_command_works(session, "whatif"));
	run(session, "whatif 2x");
	assert_true(view.misses.whatif.asked);
	check_near(view.misses.whatif.factor[1], 2, 0);
	check_contains(view.notice, "caches 2x as large");
	check_ok(session_command(session, "whatif", 1));
	assert_false(look(session)->misses.whatif.asked);
	check_ok(session_command(session, "whatif", 1));
	check_near(look(session)->misses.whatif.factor[2], 2, 0);
	run(session, "whatif off");
	run(session, "whatif L2 4m");
	check_near(view.misses.whatif.bytes[1], 4 << 20, 0);
	refused(session, "whatif much",
		"what if \"much\": a factor (2x, 0.5x), a size (64k), either after L1, L2 or L3, "
		"or off");
	check_near(look(session)->misses.whatif.bytes[1], 4 << 20, 0);
	assert_true(session_command_works(session, "whatif off"));
	assert_false(session_command_works(session, "whatif pocus"));
	assert_false(run(session, "whatif off")->misses.whatif.asked);
	session_free(session);
}

TEST(pin_compares)
{
	struct session *session = start(&kernel_fold);

	refused(session, "pin", "there is no sample to pin yet");
	refused(session, "pin swap", "nothing is pinned: pin keeps the present sample as A");
	refused(session, "pin drop", "nothing is pinned");
	answer(session, 4);
	run(session, "pin");
	assert_true(view.pinned);
	check_near(view.ratio, 1, 1e-9);
	run(session, "set acc=2");
	assert_true(isnan(view.ratio));
	check_near(view.a.cpe, 4, 0.01);
	refused(session, "pin swap", "there is no sample to pin yet");
	answer(session, 2);
	check_near(look(session)->ratio, 0.5, 0.001);

	run(session, "pin swap");
	assert_int_equal(view.setting.v[FOLD_ACC], 1);
	assert_int_equal(view.a_setting.v[FOLD_ACC], 2);
	check_near(view.a.cpe, 2, 0.01);
	assert_false(view.sample.valid);
	answer(session, 4);
	check_near(look(session)->ratio, 2, 0.01);
	run(session, "kernel odd");
	answer(session, 8);
	assert_ptr_equal(run(session, "pin swap")->setting.kernel, &kernel_fold);
	assert_int_equal(view.setting.v[FOLD_ACC], 2);
	assert_ptr_equal(view.a_setting.kernel, &kernel_odd);
	run(session, "pin drop");
	assert_false(view.pinned);
	session_free(session);
}

TEST(find_narrows_and_chooses)
{
	struct session *session = start(&kernel_fold);

	refused(session, "choose", "find is not open; find TEXT opens it");
	run(session, "find");
	assert_int_equal(view.overlay, OVERLAY_FIND);
	assert_int_equal(view.found_count, 31); /* 3 kernels, 9 knobs, 19 commands */
	assert_string_equal(view.found[0].label, "fold — combine an array");
	run(session, "find unr");
	assert_string_equal(view.find, "unr");
	assert_int_equal(view.found_count, 1);
	assert_string_equal(view.found[0].label, "fold unroll — elements an iteration");
	assert_string_equal(view.found[0].command, "knob unroll");
	assert_int_equal(run(session, "choose")->knob, FOLD_UNROLL);
	assert_int_equal(view.overlay, OVERLAY_NONE);

	/* By help, in any case, every word; a knob of another kernel brings its kernel. */
	run(session, "find  Between NODES");
	assert_int_equal(view.found_count, 1);
	assert_string_equal(view.found[0].command, "kernel walk-list spacing");
	run(session, "choose");
	assert_ptr_equal(view.setting.kernel, &kernel_walk);
	assert_int_equal(view.knob, WALK_SPACING);

	/* Names that begin so come first; the selection moves and stays inside. */
	run(session, "find s");
	assert_string_equal(view.found[0].label, "walk-list size — bytes of all nodes");
	refused(session, "move up", "nothing further that way");
	refused(session, "move left", "nothing further that way");
	assert_int_equal(run(session, "move down")->found_selected, 1);
	assert_string_equal(view.found[1].command, "knob spacing");
	while (session_command_works(session, "move down"))
		run(session, "move down");
	assert_int_equal(view.found_selected, view.found_count - 1);
	assert_int_equal(run(session, "find freez")->found_selected, 0);
	assert_true(run(session, "choose")->frozen);

	run(session, "find xyzzy");
	assert_int_equal(view.found_count, 0);
	refused(session, "choose", "nothing is called \"xyzzy\"");
	assert_int_equal(run(session, "close")->overlay, OVERLAY_NONE);
	/* Longer than it can hold: cut between characters. */
	for (int odd = 0; odd < 2; odd++) {
		char line[160] = "find a";

		line[5 + odd] = '\0';
		for (int i = 0; i < 60; i++)
			strcat(line, "é");
		run(session, line);
		assert_int_equal(strlen(view.find), 94 + odd);
	}
	session_free(session);
}

/* What is looked for keeps its blanks, so that it can be a command; one in full comes first and is
 * run. */
TEST(find_takes_whole_commands)
{
	struct session *session = start(&kernel_fold);

	assert_string_equal(run(session, "find set ")->find, "set ");
	assert_string_equal(run(session, "find set  size")->find, "set  size");
	run(session, "find set size=64k acc=2");
	assert_string_equal(view.found[0].command, "set size=64k acc=2");
	assert_string_equal(view.found[0].label, "set size=64k acc=2 — set knobs");
	run(session, "choose");
	assert_int_equal(view.setting.v[FOLD_SIZE], 65536);
	assert_int_equal(view.setting.v[FOLD_ACC], 2);
	assert_int_equal(view.overlay, OVERLAY_NONE);
	/* A wrong one stays, with the reason. */
	run(session, "find set acc=99");
	check_usage(session_command(session, "choose", 1), "acc=99: a whole number from 1 to 16");
	assert_int_equal(look(session)->overlay, OVERLAY_FIND);
	assert_string_equal(view.find, "set acc=99");
	/* A name alone is looked for, whatever it is the name of. */
	assert_string_equal(run(session, "find choose")->find, "choose");
	assert_int_equal(view.found_count, 0);
	assert_int_equal(run(session, "find freeze ")->found_count, 1);
	assert_string_equal(run(session, "find knob next")->found[0].command, "knob next");
	session_free(session);
}

/* What find offers must be a command, whichever kernel it is offered from. */
TEST(everything_found_is_a_command)
{
	for (int kernel = 0; kernel < 3; kernel++) {
		for (int chosen = 0;; chosen++) {
			struct session *session = start(kernel_registry[kernel]);
			struct status status;

			answer(session, 2);
			run(session, "pin");
			run(session, "find");
			for (int i = 0; i < chosen && session_command_works(session, "move down");
				i++)
				run(session, "move down");
			if (view.found_selected < chosen) {
				assert_int_equal(chosen, 31);
				session_free(session);
				break;
			}
			assert_true(session_command_works(session, "choose"));
			status = session_command(session, "choose", 1);
			if (!status_is_ok(&status)) {
				/* The ends of the list of kernels refuse, and what has to do with
				 * limits, counters or a mountain where there are none. */
				if (!strstr(status.text, "nothing to advise") &&
					!strstr(status.text, "no core models") &&
					!strstr(status.text, "nothing is counted") &&
					!strstr(status.text, "there is no mountain of"))
					check_contains(status.text, "this is the ");
				assert_int_equal(look(session)->overlay, OVERLAY_FIND);
			}
			session_free(session);
		}
	}
}

TEST(recording_begins_and_ends)
{
	struct session *session = start(&kernel_fold);
	struct status status;

	answer(session, 2);
	assert_false(look(session)->recording);
	run(session, "record to one.jsonl");
	assert_true(view.recording);
	assert_string_equal(view.notice, "recording to one.jsonl");
	session_advance(session, 2);
	run(session, "record");
	assert_false(view.recording);
	check_contains(view.notice, "recorded: 1 setting, ");
	check_contains(view.notice, ": slexplore replay one.jsonl");
	run(session, "record to one.jsonl");
	assert_string_equal(
		view.notice, "recording to one.jsonl, after the 1 setting that it holds");
	run(session, "record to two.jsonl");
	assert_true(view.recording);
	status = session_command(session, "record to /nowhere/file", 3);
	assert_int_equal(status.code, STATUS_FAILED);
	assert_string_equal(status.text, "/nowhere/file: No such file or directory");
	assert_true(look(session)->recording);
	run(session, "record");
	check_contains(view.notice, ": slexplore replay two.jsonl");
	run(session, "record");
	assert_true(view.recording);
	check_contains(view.notice, "recording to slexplore-machine-");
	session_free(session);
}

TEST(pictures_show_the_panel_in_front)
{
	struct session *session = start(&kernel_fold);
	struct status status = session_command(session, "picture", 1);

	/* Nothing is measured yet. */
	assert_int_equal(status.code, STATUS_USAGE);
	answer(session, 1.5);
	/* Names of files keep their blanks. */
	run(session, "picture dark my  slice.gp");
	assert_false(view.notice_bad);
	check_contains(view.notice, "my  slice.gp");
	assert_int_equal(unlink("my  slice.gp"), 0);
	status = session_command(session, "picture slice.xyz", 1);
	assert_int_equal(status.code, STATUS_USAGE);
	/* The key bar does not offer what would be refused. */
	run(session, "view strip");
	assert_false(session_command_works(session, "picture"));
	status = session_command(session, "picture", 1);
	assert_int_equal(status.code, STATUS_USAGE);
	session_free(session);
}

TEST(overlays_open_scroll_and_close)
{
	struct session *session = start(&kernel_fold);

	assert_false(session_command_works(session, "close"));
	run(session, "help");
	assert_int_equal(view.overlay, OVERLAY_HELP);
	assert_false(session_command_works(session, "help"));
	assert_int_equal(run(session, "move down")->scroll, 1);
	assert_int_equal(run(session, "move up")->scroll, 0);
	refused(session, "move up", "nothing further that way");
	run(session, "move down");
	run(session, "yank");
	assert_int_equal(view.overlay, OVERLAY_TEXT);
	assert_int_equal(view.scroll, 0);
	assert_string_equal(view.text,
		"slexplore explore fold op=add unroll=4 acc=1 size=32k stride=1 --cpu 3");
	assert_int_equal(run(session, "close")->overlay, OVERLAY_NONE);
	session_free(session);
}

TEST(quit_only_asks_to_end)
{
	struct session *session = start(&kernel_fold);

	assert_false(session_quit(session));
	run(session, "quit");
	assert_true(session_quit(session));
	session_free(session);
}

TEST(remarks_and_the_kernel_reach_the_view)
{
	struct session *session = start(&kernel_fold);

	assert_null(look(session)->remark);
	assert_string_equal(run(session, "set acc=13")->remark, "spills");
	session_free(session);
}

/* Whatever is sent: an answer, and a session that goes on. */
TEST(any_line_is_answered)
{
	static const char *const words[] = {
		"kernel",
		"set",
		"knob",
		"digit",
		"entry",
		"focus",
		"move",
		"pin",
		"freeze",
		"again",
		"find",
		"help",
		"close",
		"yank",
		"fold",
		"odd",
		"walk-list",
		"next",
		"previous",
		"accept",
		"drop",
		"erase",
		"up",
		"down",
		"left",
		"right",
		"swap",
		"choose",
		"slices",
		"knobs",
		"acc=4",
		"n=2",
		"size=1m",
		"op=",
		"=",
		"+1",
		"-3",
		"7",
		"k",
		"x\xff\x80",
		"size=64",
		"unroll=16",
		"stride=3",
	};
	struct session *session = start(&kernel_fold);
	uint64_t random = 3;
	double now = 1;
	unsigned good = 0;

	for (int round = 0; round < 4000; round++) {
		char line[128] = "";
		struct status status;
		struct setting setting;
		bool works;

		for (int count = 1 + (int)(random >> 63); count > 0; count--) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			strcat(line, words[(random >> 33) % (sizeof(words) / sizeof(words[0]))]);
			strcat(line, " ");
		}
		setting = look(session)->setting;
		works = session_command_works(session, line);
		status = session_command(session, line, now);
		if (works && !status_is_ok(&status) && !strstr(line, "entry accept"))
			fail_msg("\"%s\" works, but: %s", line, status.text);
		if (!status_is_ok(&status))
			assert_true(setting_equal(&setting, &look(session)->setting));
		good += status_is_ok(&status);
		check_ok(setting_check(&look(session)->setting, MEMORY_LIMITS));
		now += 0.01;
		session_advance(session, now);
		if (fake.pending && round % 3)
			fake_answer(&fake, 60, 2);
	}
	if (good < 300)
		fail_msg("only %u lines did anything", good);
	session_free(session);
}

/* Commands may write files: into a directory that goes again. */
static char directory[] = "/tmp/slexplore-test-XXXXXX";

static int enter_directory(void **state)
{
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
	DIR *files = opendir(".");
	struct dirent *file;
	while (files && (file = readdir(files)))
		unlink(file->d_name);
	closedir(files);
	return chdir("/") == 0 ? rmdir(directory) : -1;
}

RUN_TESTS(.set_up = enter_directory, .tear_down = leave_directory)
