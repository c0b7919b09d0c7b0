/* Campaigns in the session: characterising, which computes in its thread, and the probe.
 */
#include "probe_fakes.h"

#include "made_loops.h"
#include "played.h"

#include <sched.h>

#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "explorer/state.h"

/* Models are read by others; here it is enough that one was made. */
static unsigned models;

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	*name = *why = '\0';
	return UARCH_NONE;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	return status_usage("there is none");
}

static void unload(void *context, struct core *core)
{
}

static void explain_nothing(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	explanation->status = status_failed("there is no model");
}

static struct status read_model(void *context, const char *text, struct core *core)
{
	models += *text != '\0';
	return status_failed("that is enough");
}

static const struct explainer explainer = { .recognise = recognise,
	.load = load,
	.unload = unload,
	.explain = explain_nothing,
	.read = read_model };

static void start(void)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	snprintf(fake.machine.arch, sizeof(fake.machine.arch), "x86_64");
	fake.machine.huge_pages = true;
	fake.machine.processors = 2;
	models = 0;
	played_begin(&engine, (struct session_options){ .seed = 5, .explainer = &explainer },
		&kernel_fold);
}

static double figure_of(const struct request *request)
{
	const struct generated_loop *loop = generated_loop_of(request->kernel);

	return loop ? made_cycles(loop)
	       : request->kernel == &kernel_chase || request->kernel == &kernel_band
		       ? cycles_of(request)
		       : 2;
}

/* Another program disturbs all loops of vector registers. */
static bool disturbing;

static void answer_request(void)
{
	struct result result = fake_result(&fake.request, 40, figure_of(&fake.request));
	const struct generated_loop *loop = generated_loop_of(fake.request.kernel);

	if (disturbing && loop && loop->part[0].bits)
		for (unsigned i = 0; i < result.trials.count; i++)
			result.trials.trial[i].fate = TRIAL_CONTENDED;
	fake_push(&fake, &result);
}

/* Answers requests, 2 ms each, until it thinks or is over. */
static double answer(double now)
{
	for (unsigned count = 0;
		count < 40000 && look(now)->characterising && !campaigns_think(session); count++) {
		session_advance(session, now);
		if (fake.pending)
			answer_request();
		now += 0.002;
	}
	return now;
}

/* Meanwhile the session is asked again soon, and asks for nothing. */
static double think(double now)
{
	unsigned submits = fake.submits;

	assert_true(campaigns_think(session));
	while (campaigns_think(session)) {
		double next = session_next(session, now);

		assert_true(next > 0 && next < 0.016);
		assert_false(session_idle(session));
		sched_yield();
		session_advance(session, now += 0.001);
	}
	assert_true(fake.submits <= submits + 1);
	return now;
}

TEST(it_thinks_while_others_go_on_and_comes_to_its_end)
{
	start();
	unsigned thoughts = 0;
	double now = 100.01;

	command("characterise", now);
	for (now = answer(now); view.characterising; now = answer(now), thoughts++)
		now = think(now);
	assert_true(thoughts > 0);
	assert_int_equal(models, 1);
	assert_false(session_apart(session));
}

/* A model without many loops does not replace one that has them. */
TEST(a_model_of_a_busy_core_is_not_taken)
{
	start();
	double now = 100.01;

	session->insight.loaded = true;
	disturbing = true;
	command("characterise", now);
	for (now = answer(now); view.characterising; now = answer(now))
		now = think(now);
	disturbing = false;
	session->insight.loaded = false;
	assert_int_equal(models, 0);
	check_contains(look(now)->screen.notice, "the core model did not change");
	check_contains(look(now)->screen.notice, "busy core");
}

TEST(ended_while_it_thinks_it_ends_when_it_has)
{
	start();
	double now = 100.01;

	command("characterise", now);
	now = answer(now);
	assert_true(campaigns_think(session));
	command("characterise stop", now);
	/* What it thought of is not over because the view is frozen. */
	if (session_apart(session))
		command("freeze", now);
	while (session_apart(session)) {
		assert_true(session_next(session, now) >= 0);
		sched_yield();
		session_advance(session, now += 0.001);
	}
	/* Half of a model is no model: the limits stay as they were. */
	assert_int_equal(models, 0);
	check_contains(look(now)->screen.notice, "the core model did not change");
	assert_null(look(now)->characterising);
}

TEST(frozen_it_is_not_asked)
{
	start();
	double now = 100.01;

	command("characterise", now);
	now = answer(now);
	command("freeze", now);
	assert_false(campaigns_think(session));
	session_advance(session, now + 1);
	assert_true(session_next(session, now + 1) < 0);
	assert_non_null(look(now + 1)->characterising);
	command("freeze", now + 50);
	/* A computation that ends within one call of session_advance() is not seen, so this may be
	 * the last one. */
	think(now + 50);
}

/* ---- the probe ---- */

static void start_probe(void)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	fake.machine.huge_pages = true;
	fake.machine.processors = 2;
	played_begin(&engine, (struct session_options){ .seed = 5 }, &kernel_fold);
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
static double answer_probe(double now, unsigned most)
{
	return most ? played(now,
			      &(struct playing){
				      .took = 0.004, .answer = answer_one, .most = most })
		    : now;
}

TEST(nothing_is_probed_unless_asked_for)
{
	start_probe();

	assert_null(look(100)->probe);
	assert_false(view.probing);
	assert_false(session_command_works(session, "view probe"));
	assert_false(session_command_works(session, "probe stop"));
	assert_int_equal(session_command(session, "probe stop", 100).code, STATUS_USAGE);
	assert_int_equal(session_command(session, "view probe", 100).code, STATUS_USAGE);
	assert_int_equal(
		session_command(session, "probe only latency dinner", 100).code, STATUS_USAGE);
	assert_null(look(100)->probe);
}

TEST(live_figures_rest_while_the_probe_goes_on)
{
	start_probe();
	double now;

	command("probe", 100.01);
	assert_string_equal(look(100.01)->screen.front, "probe");
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
	look(now);
	assert_true(view.probe->lines[PAGES_HUGE].count > 50);
	assert_true(view.probe->done > 0 && view.probe->done < 1);
	assert_true(view.probe->doing[0]);
	/* Another setting does not disturb it, and waits. */
	command("set size=64k", now);
	assert_true(of_probe());
	assert_true(look(now + 1)->waiting == 0);
	now = answer_probe(now, 100000);
	look(now);
	assert_true(view.probe->complete);
	assert_false(view.probing);
	assert_non_null(strstr(view.screen.notice, "probed in"));
	/* Then live figures are there again, and the probe stays. */
	assert_true(view.sample.valid);
	assert_true(session_idle(session));
	command("view curves", now);
	command("view probe", now);
}

TEST(a_finished_probe_says_what_memory_does)
{
	start_probe();
	double now;

	fake.machine.cache[2] = (struct machine_cache){ 3, 16 << 20, 64, 8 };
	fake.machine.cache[1].bytes = 2 << 20;
	fake.machine.cache_count = 3;
	command("probe", 100.01);
	now = answer_probe(100.02, 100000);
	assert_true(look(now)->probe->complete);
	assert_string_equal(view.probe->band[3].level, "memory");
}

TEST(a_pause_costs_no_point_and_no_time)
{
	start_probe();
	double now;
	int count;

	command("probe", 100.01);
	now = answer_probe(100.02, 20);
	count = look(now)->probe->lines[PAGES_HUGE].count;
	assert_true(fake.pending);
	command("freeze", now);
	assert_false(fake.pending);
	session_advance(session, now + 50);
	assert_false(fake.pending);
	assert_true(session_next(session, now + 50) < 0);
	assert_true(look(now + 50)->probing);
	command("freeze", now + 100);
	now = answer_probe(now + 100, 1);
	assert_int_equal(look(now)->probe->lines[PAGES_HUGE].count, count + 1);
	now = answer_probe(now, 100000);
	assert_true(look(now)->probe->complete);
	assert_true(view.probe->seconds < 10);
}

TEST(begun_anew_or_stopped_while_it_stands_it_counts_no_pause)
{
	start_probe();
	double now;

	command("probe only latency", 100.01);
	now = answer_probe(100.02, 20);
	command("freeze", now);
	command("again", now + 100);
	now = answer_probe(now + 100, 100000);
	assert_true(look(now)->probe->complete);
	assert_true(view.probe->seconds < 10);
	command("probe only latency", now);
	now = answer_probe(now, 20);
	command("freeze", now);
	command("probe stop", now + 100);
	assert_true(look(now + 100)->probe->seconds < 10);
}

/* Esc ends it once nothing lies over the panels. */
TEST(closing_ends_it_after_what_lies_on_top)
{
	start_probe();
	double now;

	command("probe only latency", 100.01);
	now = answer_probe(100.02, 70);
	command("help", now);
	command("close", now);
	assert_true(look(now)->probing);
	assert_true(session_command_works(session, "close"));
	command("close", now);
	assert_false(look(now)->probing);
	assert_true(view.probe->lines[PAGES_HUGE].count > 50);
	assert_false(session_command_works(session, "close"));
}

TEST(stopped_it_keeps_what_it_has)
{
	start_probe();
	double now;

	command("probe only latency", 100.01);
	now = answer_probe(100.02, 70);
	command("probe stop", now);
	look(now);
	assert_false(view.probing);
	assert_false(view.probe->complete);
	assert_true(view.probe->lines[PAGES_HUGE].count > 50);
	assert_non_null(strstr(view.screen.notice, "stopped"));
	assert_string_equal(view.screen.front, "probe");
	session_advance(session, now);
	assert_true(fake.pending);
	assert_false(of_probe());
	/* And another begins from nothing. */
	command("probe only tlb", now + 1);
	answer_probe(now + 1, 3);
	look(now + 2);
	assert_int_equal(view.probe->lines[PAGES_HUGE].count, 0);
	assert_true(view.probe->pages[PAGES_HUGE].count > 0);
}

TEST(measuring_everything_anew_leaves_the_probe_going)
{
	start_probe();
	double now;

	command("probe only latency", 100.01);
	now = answer_probe(100.02, 10);
	command("again", now);
	now = answer_probe(now, 100000);
	assert_true(look(now)->probe->complete);
	assert_true(view.sample.valid);
}

RUN_TESTS(.each_tear_down = played_end)
