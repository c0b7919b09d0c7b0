/* The command language, against an engine that need not answer. */
#include "played.h"

#include <dirent.h>
#include <unistd.h>

#include "explorer/command.h"
#include "explorer/state.h"

static const uint64_t LIMIT = UINT64_C(8) << 30;
static const struct memory_limits MEMORY_LIMITS = { .memory = UINT64_C(8) << 30 };

static void start(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .invocation = "--cpu 3" };

	session_free(session);
	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 1);
}

static int start_fold(void **state)
{
	start(&kernel_fold);
	return 0;
}

static void answer(double cpe)
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
static const struct view *run(const char *line)
{
	if (!session_command_works(session, line))
		fail_msg("\"%s\" does not work", line);
	check_ok(session_command(session, line, 1));
	return look(1);
}

/* A command that must be refused with that text, change nothing but the notice, and not work. */
static void refused(const char *line, const char *message)
{
	static struct view before;
	struct status status;

	/* A view keeps old entries of the find overlay after its last entry. */
	memset(&before, 0, sizeof(before));
	memset(&view, 0, sizeof(view));
	session_view(session, 1, &before);
	assert_false(session_command_works(session, line));
	status = session_command(session, line, 1);
	check_usage(status, message);
	look(1);
	assert_string_equal(view.screen.notice, message);
	assert_true(view.screen.notice_bad);
	memcpy(view.screen.notice, before.screen.notice, sizeof(view.screen.notice));
	view.screen.notice_bad = before.screen.notice_bad;
	view.screen.notice_until = before.screen.notice_until;
	/* Functions return parts of the misses, with any bytes between the members. */
	memcpy(&view.misses, &before.misses, sizeof(view.misses));
	assert_memory_equal(&view, &before, sizeof(view));
}

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

TEST(focus_goes_round)
{
	assert_string_equal(look(1)->screen.focus, "knobs");
	assert_string_equal(run("focus next")->screen.focus, "slices");
	assert_string_equal(run("focus next")->screen.focus, "mountain");
	assert_string_equal(run("focus next")->screen.focus, "kernels");
	assert_string_equal(run("focus previous")->screen.focus, "mountain");
	assert_string_equal(run("focus previous")->screen.focus, "slices");
	assert_string_equal(run("focus kernels")->screen.focus, "kernels");
	assert_false(session_command_works(session, "focus kernels"));
	refused("focus pocus", "focus \"pocus\": next, previous, kernels, knobs, slices, code, "
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
	run("focus slices");
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
	run("focus slices");
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
	run("view slices");
	assert_string_equal(view.screen.focus, "knobs");
	run("mountain");
	assert_string_equal(view.screen.front, "mountain");
	assert_string_equal(view.screen.focus, "mountain");
	run("focus knobs");
	assert_string_equal(run("mountain")->screen.focus, "mountain");
	assert_string_equal(run("mountain")->screen.front, "slices");
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

/* What find lists without a text: 3 kernels, 9 knobs, and commands that are useful anywhere. */
static int everything(void)
{
	int count = 3 + 9;

	for (const struct command_row *row = command_rows(); row->name; row++)
		count += row->found;
	return count;
}

TEST(find_narrows_and_chooses)
{
	refused("choose", "find is not open; find TEXT opens it");
	run("find");
	assert_int_equal(view.screen.overlay, OVERLAY_FIND);
	assert_int_equal(view.screen.found_count, everything());
	assert_string_equal(view.screen.found[0].label, "fold — combine an array");
	run("find unr");
	assert_string_equal(view.screen.find, "unr");
	assert_int_equal(view.screen.found_count, 1);
	assert_string_equal(view.screen.found[0].label, "fold unroll — elements an iteration");
	assert_string_equal(view.screen.found[0].command, "knob unroll");
	assert_int_equal(run("choose")->knob, FOLD_UNROLL);
	assert_int_equal(view.screen.overlay, OVERLAY_NONE);

	/* By help, in any case, every word; a knob of another kernel brings its kernel. */
	run("find  Between NODES");
	assert_int_equal(view.screen.found_count, 1);
	assert_string_equal(view.screen.found[0].command, "kernel walk-list spacing");
	run("choose");
	assert_ptr_equal(view.setting.kernel, &kernel_walk);
	assert_int_equal(view.knob, WALK_SPACING);

	/* Names that begin so come first; the selection moves and stays inside. */
	run("find s");
	assert_string_equal(view.screen.found[0].label, "walk-list size — bytes of all nodes");
	refused("move up", "nothing further that way");
	refused("move left", "nothing further that way");
	assert_int_equal(run("move down")->screen.found_selected, 1);
	assert_string_equal(view.screen.found[1].command, "knob spacing");
	while (session_command_works(session, "move down"))
		run("move down");
	assert_int_equal(view.screen.found_selected, view.screen.found_count - 1);
	assert_int_equal(run("find freez")->screen.found_selected, 0);
	assert_true(run("choose")->frozen);

	run("find xyzzy");
	assert_int_equal(view.screen.found_count, 0);
	refused("choose", "nothing is called \"xyzzy\"");
	assert_int_equal(run("close")->screen.overlay, OVERLAY_NONE);
	/* Longer than it can hold: cut between characters. */
	for (int odd = 0; odd < 2; odd++) {
		char line[160] = "find a";

		line[5 + odd] = '\0';
		for (int i = 0; i < 60; i++)
			strcat(line, "é");
		run(line);
		assert_int_equal(strlen(view.screen.find), 94 + odd);
		assert_string_equal(view.screen.notice, "a search has at most 95 bytes");
	}
}

/* Further keys of a text that is too long do not search again, which would replace the marked
 * result. */
TEST(a_search_that_is_cut_is_made_once)
{
	char line[200] = "find";

	for (int i = 0; i < 20; i++)
		strcat(line, " size");
	assert_true(run(line)->screen.found_count > 0);
	for (int i = 0; i < 2; i++) {
		set_words(session->screen.found[0].label, "marked");
		strcat(line, " size");
		assert_string_equal(run(line)->screen.found[0].label, "marked");
		assert_string_equal(view.screen.notice, "a search has at most 95 bytes");
	}
	/* A shorter text is searched. */
	assert_string_not_equal(run("find size")->screen.found[0].label, "marked");
}

/* What is looked for keeps its blanks, so that it can be a command; one in full comes first and is
 * run. */
TEST(find_takes_whole_commands)
{
	assert_string_equal(run("find set ")->screen.find, "set ");
	assert_string_equal(run("find set  size")->screen.find, "set  size");
	run("find set size=64k acc=2");
	assert_string_equal(view.screen.found[0].command, "set size=64k acc=2");
	assert_string_equal(view.screen.found[0].label, "set size=64k acc=2 — set knobs");
	run("choose");
	assert_int_equal(view.setting.v[FOLD_SIZE], 65536);
	assert_int_equal(view.setting.v[FOLD_ACC], 2);
	assert_int_equal(view.screen.overlay, OVERLAY_NONE);
	/* A wrong one stays, with the reason. */
	run("find set acc=99");
	check_usage(
		session_command(session, "choose", 1), "acc=99: use a whole number from 1 to 16");
	assert_int_equal(look(1)->screen.overlay, OVERLAY_FIND);
	assert_string_equal(view.screen.find, "set acc=99");
	/* What a refused line may mean comes before it. */
	run("find lesson cyc");
	assert_string_equal(view.screen.found[0].command, "lesson cycles");
	/* A name alone is looked for, whatever it is the name of. */
	assert_string_equal(run("find choose")->screen.find, "choose");
	assert_int_equal(view.screen.found_count, 0);
	assert_int_equal(run("find freeze ")->screen.found_count, 1);
	assert_string_equal(run("find knob next")->screen.found[0].command, "knob next");
}

/* What find offers must be a command, whichever kernel it is offered from. */
TEST(everything_found_is_a_command)
{
	for (int kernel = 0; kernel < 3; kernel++) {
		for (int chosen = 0;; chosen++) {
			struct status status;

			start(kernel_registry[kernel]);
			answer(2);
			run("pin");
			run("find");
			for (int i = 0; i < chosen && session_command_works(session, "move down");
				i++)
				run("move down");
			if (view.screen.found_selected < chosen) {
				assert_int_equal(chosen, everything());
				break;
			}
			assert_true(session_command_works(session, "choose"));
			status = session_command(session, "choose", 1);
			if (!status_is_ok(&status)) {
				/* What has to do with limits, counters or a mountain refuses where
				 * there are none, and the list says so before. */
				if (!view.screen.found[chosen].why[0])
					check_contains(status.text, "this is the ");
				else
					assert_string_equal(view.screen.found[chosen].why,
						words_of("%.159s", status.text).text);
				assert_int_equal(look(1)->screen.overlay, OVERLAY_FIND);
			}
		}
	}
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
	run("view strip");
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
		"right", "swap", "choose", "slices", "knobs", "acc=4", "n=2", "size=1m", "op=", "=",
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
		if (works && !status_is_ok(&status) && !strstr(line, "entry accept"))
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

RUN_TESTS(.set_up = enter_directory, .tear_down = leave_directory, .each_set_up = start_fold,
	.each_tear_down = played_end)
