/* A named sweep in the session: found by its name, measured row by row, next to its published
 * values. */
#include "fakes.h"

#include "played.h"

#include "experiment/sweep/sweep_table.h"
#include "explorer/state.h"

static const char sweeps_text[] = "sweep fold-acc\n"
				  "title Folding over accumulators\n"
				  "kernel fold op=add,mul unroll=4 acc=1,2,8\n"
				  "x acc\n"
				  "lines op\n"
				  "y cpe\n"
				  "baseline op=add\n"
				  "published cpe 3 op=mul acc=1\n"
				  "published cpi over 1.5 op=mul acc=1 | so it says\n"
				  "published speedup 0.5 op=mul acc=2\n"
				  "note a note\n"
				  "source A document\n";

static unsigned loaded; /* core models loaded and not unloaded */

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	snprintf(name, CORE_NAME, "made");
	*why = '\0';
	return UARCH_EXACT;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	*core = (struct core){ .name = "made", .title = "A made core" };
	loaded++;
	return status_ok();
}

static void unload(void *context, struct core *core)
{
	loaded--;
}

/* Two instructions per element, whatever the setting. */
static void explain_made(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	explanation->status = status_ok();
	explanation->loop.insns_per_element = 2;
	explanation->limits.binding = -1;
}

static const struct explainer explainer = {
	.recognise = recognise, .load = load, .unload = unload, .explain = explain_made
};

/* add: 2 cycles, mul: 4; both divided by the accumulators. */
static void answer_one(void)
{
	const int64_t *v = fake.request.v;

	fake_answer(&fake, 64,
		(v[FOLD_OP] ? 4.0 : 2.0) /
			(double)(fake.request.kernel == &kernel_fold ? v[FOLD_ACC] : 1));
}

static void start(void)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	fake.machine.processors = 2;
	loaded = 0;
	played_begin(&engine, (struct session_options){ .seed = 5, .explainer = &explainer },
		&kernel_walk);
	session->sweeps->done = true;
	check_ok(sweeps_read(sweeps_text, "here", false, &session->sweeps->all));
}

static double play(double now, unsigned most)
{
	struct playing playing = { .took = 0.002, .answer = answer_one, .most = most };

	return played(now, &playing);
}

static double value(int row, enum sweeps_figure figure)
{
	return sweeps_row_value(view.sweep->named, figure, &view.sweep->row[row], view.sweep->row,
		view.sweep->row_count);
}

static void check_refused(struct status status, const char *part)
{
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, part);
}

TEST(find_opens_a_sweep_and_its_table_fills)
{
	start();
	double now = play(100, 10);

	check_refused(session_command(session, "view sweep", now), "sweep NAME");
	command("find fold-a", now);
	assert_string_equal(look(now)->screen.found[0].command, "sweep fold-acc");
	check_contains(view.screen.found[0].label, "Folding over accumulators");
	command("choose", now);
	look(now);
	assert_true(view.sweeping && view.probing);
	assert_string_equal(view.screen.front, "sweep");
	assert_ptr_equal(view.setting.kernel, &kernel_fold);
	/* acc=8 needs unroll=8. */
	assert_int_equal(view.sweep->row_count, 4);
	check_contains(view.sweep->notes.note[0], "2 settings are left out: acc=8");
	assert_int_equal(view.sweep->state[0], SWEEP_TABLE_WAITS);
	now = play(now, 2);
	look(now);
	assert_true(view.sweeping);
	assert_true(view.sweep->done > 0 && view.sweep->done < 1);
	now = play(now, 0);
	look(now);
	assert_false(view.sweeping);
	assert_true(view.sweep->complete);
	for (int i = 0; i < 4; i++)
		assert_int_equal(view.sweep->state[i], SWEEP_TABLE_DONE);
	check_contains(view.screen.notice, "fold-acc measured in");
	/* Afterwards the present setting is measured. */
	assert_true(view.sample.valid);
}

TEST(measured_values_stand_beside_the_published_ones)
{
	start();
	double now = 100, lo, hi;

	command("sweep fold-acc", now);
	now = play(now, 0);
	look(now);
	check_near(value(0, SWEEPS_CPE), 2, 0.01);
	check_near(value(3, SWEEPS_CPE), 2, 0.01);
	check_near(value(2, SWEEPS_CPI), 2, 0.01);
	check_near(value(3, SWEEPS_SPEEDUP), 0.5, 0.01);
	assert_true(sweeps_row_spread(view.sweep->named, SWEEPS_CPE, &view.sweep->row[2],
		view.sweep->row, view.sweep->row_count, &lo, &hi));
	assert_true(lo < 4 && hi > 4 && hi < 4.1);
	assert_int_equal(view.sweep->figure_count, 3);
	assert_int_equal(view.sweep->figure[0], SWEEPS_CPE);
	check_near(sweeps_published_find(view.sweep->named, SWEEPS_CPE, &view.sweep->row[2].setting)
			   ->value,
		3, 0);
	assert_null(
		sweeps_published_find(view.sweep->named, SWEEPS_CPE, &view.sweep->row[3].setting));
	check_parts(text_string(&view.sweep->words), "a note", "source: A document");
}

/* The arrows walk from row to row; the setting follows. */
TEST(arrows_choose_rows)
{
	start();
	double now = 100;

	command("sweep fold-acc", now);
	now = play(now, 0);
	command("move down", now);
	assert_int_equal(look(now)->setting.v[FOLD_ACC], 2);
	command("move down", now);
	assert_int_equal(look(now)->setting.v[FOLD_OP], 1);
	assert_int_equal(view.setting.v[FOLD_ACC], 1);
	command("move down", now);
	check_refused(session_command(session, "move down", now), "nothing further");
	command("set acc=3", now);
	command("move up", now);
	assert_int_equal(look(now)->setting.v[FOLD_OP], 0);
}

TEST(a_sweep_ends_early_and_begins_with_other_values)
{
	start();
	double now = 100;

	command("sweep fold-acc acc=1,2,4 unroll=8", now);
	now = play(now, 3);
	command("close", now);
	/* The sweep runs in a thread of its own. */
	while (campaigns_think(session))
		session_advance(session, now += 0.001);
	look(now);
	assert_false(view.sweeping);
	assert_false(view.sweep->complete);
	assert_int_equal(view.sweep->row_count, 6);
	check_contains(view.screen.notice, "stopped");
	check_refused(session_command(session, "sweep stop", now), "no sweep is running");
	check_refused(session_command(session, "sweep fold-ac", now), "fold-acc");
	check_refused(session_command(session, "sweep fold-acc n=3", now), "no knob \"n\"");
	check_refused(session_command(session, "sweep", now), "needs a name");
	check_refused(session_command(session, "sweep fold-acc acc=8", now), "acc=8 needs unroll");
	command("sweep fold-acc op=mul acc=2", now);
	assert_int_equal(look(now)->sweep->row_count, 1);
	command("sweep fold-acc", now);
	assert_int_equal(look(now)->sweep->row_count, 4);
}

/* Every core model that was loaded for a sweep is unloaded with it. */
TEST(the_core_model_of_a_sweep_is_unloaded)
{
	start();
	unsigned before = loaded;

	command("sweep fold-acc", 100);
	command("sweep fold-acc", 100);
	assert_int_equal(loaded, before + 1);
	session_free(session);
	session = NULL;
	assert_int_equal(loaded, 0);
}

RUN_TESTS(.each_tear_down = played_end)
