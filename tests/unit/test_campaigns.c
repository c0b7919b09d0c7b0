/* What asks for many requests, in the session: one that works something out in a thread of its own.
 */
#include "probe_fakes.h"

#include "made_loops.h"
#include "played.h"

#include <sched.h>

#include "experiment/characterise/characterise.h"
#include "explorer/state.h"

/* Models are read by others; here it is enough that one was made. */
static unsigned models;

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	(void)context, (void)machine;
	*name = *why = '\0';
	return UARCH_NONE;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	(void)context, (void)name, (void)isa, (void)core;
	return status_make(STATUS_USAGE, "there is none");
}

static void unload(void *context, struct core *core)
{
	(void)context, (void)core;
}

static void explain_nothing(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	(void)context, (void)question;
	explanation->status = status_make(STATUS_FAILED, "there is no model");
}

static struct status read_model(void *context, const char *text, struct core *core)
{
	(void)context, (void)core;
	models += *text != '\0';
	return status_make(STATUS_FAILED, "that is enough");
}

static const struct explainer explainer = { .recognise = recognise,
	.load = load,
	.unload = unload,
	.explain = explain_nothing,
	.read = read_model };

static struct session *start(void)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	snprintf(fake.machine.arch, sizeof(fake.machine.arch), "x86_64");
	fake.machine.huge_pages = true;
	fake.machine.processors = 2;
	models = 0;
	return played_begin(&engine, (struct session_options){ .seed = 5, .explainer = &explainer },
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

/* Answers requests, 2 ms each, until it thinks or is over. */
static double answer(struct session *session, double now)
{
	for (unsigned count = 0;
		count < 40000 && look(session, now)->characterising && !campaigns_think(session);
		count++) {
		session_advance(session, now);
		if (fake.pending)
			fake_answer(&fake, 40, figure_of(&fake.request));
		now += 0.002;
	}
	return now;
}

/* Meanwhile the session is asked again soon, and asks for nothing. */
static double think(struct session *session, double now)
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

static void it_thinks_while_others_go_on_and_comes_to_its_end(void **state)
{
	struct session *session = start();
	unsigned thoughts = 0;
	double now = 100.01;

	(void)state;
	command(session, "characterise", now);
	for (now = answer(session, now); view.characterising;
		now = answer(session, now), thoughts++)
		now = think(session, now);
	assert_true(thoughts > 1);
	assert_int_equal(models, 1);
	assert_false(session_apart(session));
	session_free(session);
}

static void ended_while_it_thinks_it_ends_when_it_has(void **state)
{
	struct session *session = start();
	double now = 100.01;

	(void)state;
	command(session, "characterise", now);
	now = answer(session, now);
	assert_true(campaigns_think(session));
	command(session, "characterise stop", now);
	/* What it thought of is not over because the view is frozen. */
	if (session_apart(session))
		command(session, "freeze", now);
	while (session_apart(session)) {
		assert_true(session_next(session, now) >= 0);
		sched_yield();
		session_advance(session, now += 0.001);
	}
	assert_int_equal(models, 1);
	assert_null(look(session, now)->characterising);
	session_free(session);
}

static void frozen_it_is_not_asked(void **state)
{
	struct session *session = start();
	double now = 100.01;

	(void)state;
	command(session, "characterise", now);
	now = answer(session, now);
	command(session, "freeze", now);
	assert_false(campaigns_think(session));
	session_advance(session, now + 1);
	assert_true(session_next(session, now + 1) < 0);
	assert_non_null(look(session, now + 1)->characterising);
	command(session, "freeze", now + 50);
	now = think(session, now + 50);
	assert_non_null(look(session, now)->characterising);
	/* And away with it as it is. */
	session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_thinks_while_others_go_on_and_comes_to_its_end),
		cmocka_unit_test(ended_while_it_thinks_it_ends_when_it_has),
		cmocka_unit_test(frozen_it_is_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
