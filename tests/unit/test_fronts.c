/* The panel in front: what brings it there, and what it gives way to. */
#include "check.h"
#include "fakes.h"

#include "explorer/session.h"

static struct fake_engine fake;
static struct session *session;
static struct view view;

static const struct screen *look(void)
{
	session_view(session, 1, &view);
	return &view.screen;
}

static void start(void)
{
	struct engine engine = fake_init(&fake, (uint64_t)4 << 30);
	struct session_options options = { .seed = 1 };

	setting_init(&options.setting, &kernel_fold);
	session = session_new(&engine, &options);
	session_advance(session, 1);
}

static const struct screen *run(const char *line)
{
	check_ok(session_command(session, line, 1));
	return look();
}

static void refused(const char *line, const char *part)
{
	struct status status = session_command(session, line, 1);

	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, part);
}

TEST(the_users_panel_stays_until_another_kernel_brings_its_own)
{
	start();
	assert_string_equal(look()->front, "curves");
	assert_true(view.screen.by_itself);
	assert_string_equal(run("view trials")->front, "trials");
	assert_string_equal(run("knob +1")->front, "trials");
	assert_string_equal(run("kernel walk-list")->front, "curves");
	session_free(session);
}

TEST(a_kept_panel_stays_for_other_kernels_unless_it_has_nothing_to_show)
{
	start();
	run("view trials");
	assert_true(run("view keep")->kept);
	assert_string_equal(run("kernel walk-list")->front, "trials");
	assert_string_equal(run("kernel fold")->front, "trials");
	assert_string_equal(run("view auto")->front, "curves");
	assert_false(view.screen.kept);
	/* The mountain needs size and stride. */
	assert_string_equal(run("view mountain")->front, "mountain");
	assert_string_equal(run("kernel odd")->front, "curves");
	assert_string_equal(run("kernel fold")->front, "curves");
	session_free(session);
}

TEST(a_set_of_panels_comes_with_its_first_panel_that_has_contents)
{
	start();
	assert_string_equal(run("preset memory")->front, "curves");
	assert_string_equal(view.screen.order[1], "mountain");
	assert_string_equal(run("preset 2")->preset, "memory");
	check_contains(view.screen.notice, "of 2, memory: curves, mountain");
	/* A panel without contents is not named. */
	run("kernel odd");
	run("preset memory");
	check_contains(view.screen.notice, "memory: curves");
	assert_null(strstr(view.screen.notice, "mountain"));
	run("kernel fold");
	/* Without a core model there is no code. */
	refused("preset code", "preset code: no panel of it");
	refused("preset 5", "own (4)");
	/* The panels that the user chose, the last one first. */
	refused("preset own", "bring panels to the front");
	run("view mountain");
	run("view trials");
	run("view curves");
	run("view trials");
	assert_string_equal(run("preset own")->front, "trials");
	check_contains(view.screen.notice, "4 of 4, own");
	assert_string_equal(view.screen.order[1], "curves");
	assert_string_equal(view.screen.order[2], "mountain");
	assert_null(view.screen.order[3]);
	/* Sets without contents are skipped, in both directions. */
	assert_string_equal(run("preset next")->preset, "memory");
	assert_string_equal(run("preset previous")->preset, "own");
	assert_string_equal(run("view auto")->preset, "");
	session_free(session);
}

/* A function of a program before its loops are explained. */
TEST(a_kernel_without_panels_has_no_next_set)
{
	static const struct kernel bare = { .name = "bare", .element = "iteration" };
	struct engine engine = fake_init(&fake, (uint64_t)4 << 30);
	struct session_options options = { .seed = 1, .setting.kernel = &bare };

	session = session_new(&engine, &options);
	refused("preset next", "no panel of it has something to show");
	refused("preset previous", "no panel of it has something to show");
	session_free(session);
}

TEST(the_next_panel_follows_the_one_on_which_the_arrows_act)
{
	start();
	run("view trials");
	run("focus curves");
	assert_string_equal(run("view next")->front, "mountain");
	assert_string_equal(run("view previous")->front, "curves");
	assert_string_equal(run("view previous")->front, "trials");
	/* The next panel comes even if it was in front, behind the panel on which the arrows act.
	 */
	run("view mountain");
	run("focus curves");
	assert_string_equal(run("view next")->front, "mountain");
	assert_string_not_equal(view.screen.focus, "curves");
	session_free(session);
}

TEST(closing_leaves_the_panel_on_which_the_arrows_move)
{
	start();
	/* A panel that came by itself comes so again. */
	run("mountain");
	assert_string_equal(run("close")->front, "curves");
	assert_true(view.screen.by_itself);
	run("view trials");
	run("mountain");
	assert_string_equal(look()->focus, "mountain");
	assert_string_equal(run("close")->front, "trials");
	/* The arrows do not move on this panel, so it stays. */
	assert_string_equal(run("close")->front, "trials");
	session_free(session);
}

RUN_TESTS()
