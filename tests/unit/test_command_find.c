/* Commands of the overlay that finds kernels, knobs and commands. */
#include "commanded.h"

#include "explorer/state.h"

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
	/* find searches for a word, even if the word is the name of a command. */
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

RUN_TESTS(.set_up = enter_directory, .tear_down = leave_directory, .each_set_up = start_fold,
	.each_tear_down = played_end)
