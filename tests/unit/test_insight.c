/* What the session asks the model, and when. */
#include "played.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "explorer/state.h"

enum { LIMIT = 1 << 30 };

/* A refusal of that code whose text holds the part. */
#define check_fails(outcome, wanted, part)                     \
	do {                                                   \
		struct status check_failed = (outcome);        \
		assert_int_equal(check_failed.code, (wanted)); \
		check_contains(check_failed.text, part);       \
	} while (0)

/* A model that counts what it is asked; its CPE is that of so many accumulators. */
static struct {
	enum uarch_match match;
	int asked, loaded;
	bool foreign, fails;
	int64_t acc;
} model;

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	snprintf(name, CORE_NAME, "%s", model.match == UARCH_NONE ? "" : "own");
	snprintf(why, 160, "%s", "It looks alike.");
	return model.match;
}

/* Loads a core model from a file "./FAMILY.uarch", with a match line for that family. */
static struct status load_file(const char *name, struct core *core)
{
	struct text text = { 0 };
	struct status status;

	text_addf(&text,
		"uarch mine Mine\nisa x86_64\nmatch vendor Maker family %.1s [M]\nwidth 4 "
		"[M]\nports p0 [M]\n",
		name + 2);
	status = uarch_parse(text_string(&text), name, &core->uarch);
	text_free(&text);
	snprintf(core->name, sizeof(core->name), "mine");
	snprintf(core->title, sizeof(core->title), "Mine");
	model.loaded += status_is_ok(&status);
	return status;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	if (name[0] == '.')
		return load_file(name, core);
	if (strcmp(name, "own") != 0 && strcmp(name, "other") != 0)
		return status_usage("unknown core \"%s\"; there are other, own", name);
	memset(core, 0, sizeof(*core));
	snprintf(core->name, sizeof(core->name), "%s", name);
	snprintf(core->title, sizeof(core->title), "Core %s", name);
	model.loaded++;
	return status_ok();
}

static void unload(void *context, struct core *core)
{
	uarch_free(core->uarch);
	core->uarch = NULL;
	model.loaded--;
}

static void answer(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	struct limits *limits = &explanation->limits;
	model.asked++;
	model.foreign = question->foreign;
	loop_clear(&explanation->loop);
	limits_clear(limits);
	limits->binding = limits->predicted_by = 0;
	explanation->status = model.fails ? status_failed("no loop is there") : status_ok();
	explanation->loop.insn_count = 5;
	model.acc =
		strcmp(question->kernel->name, kernel_fold.name) == 0 ? question->v[FOLD_ACC] : 1;
	limits->limit_count = 1;
	limits->limit[0] = (struct limit){
		.kind = LIMIT_LATENCY, .known = true, .hard = true, .cpe = 4.0 / (double)model.acc
	};
	limits->bound = limits->predicted = limits->limit[0].cpe;
	explanation->misses.caches.level[0].bytes = 32 << 10;
}

static const struct explainer explainer = {
	.recognise = recognise, .load = load, .unload = unload, .explain = answer
};

static void start_kernel(
	const struct kernel *kernel, enum uarch_match match, const char *uarch, uint64_t memory)
{
	struct engine engine = fake_init(&fake, memory);
	struct session_options options = { .seed = 5, .explainer = &explainer, .uarch = uarch };
	memset(&model, 0, sizeof(model));
	model.match = match;
	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 100);
}

static void start(enum uarch_match match, const char *uarch, uint64_t memory)
{
	start_kernel(&kernel_fold, match, uarch, memory);
}

static int end(void **state)
{
	played_end(state);
	assert_int_equal(model.loaded, 0);
	return 0;
}

TEST(limits_follow_the_setting_in_the_same_step)
{
	start(UARCH_EXACT, NULL, LIMIT);

	assert_non_null(look(101)->explanation);
	check_near(view.explanation->limits.bound, 4, 0);
	assert_int_equal(model.asked, 1);
	check_ok(session_command(session, "set acc=2", 100.01));
	check_near(look(101)->explanation->limits.bound, 2, 0);
	assert_int_equal(model.asked, 2);
	/* Not asked again for what is known. */
	session_advance(session, 100.02);
	check_ok(session_command(session, "again", 100.03));
	assert_int_equal(model.asked, 2);
}

/* fold, but its way depends on the data. */
static struct kernel stepped_fold(void)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = kernel_fold;

	kernel.stepped = true;
	return kernel;
}

TEST(stepped_code_is_read_when_the_setting_stays_and_once)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);

	/* No key waits for it: the frame says what is to come. */
	assert_int_equal(model.asked, 0);
	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "reading the code…");
	assert_false(session_idle(session));
	session_advance(session, 100.1);
	assert_int_equal(model.asked, 1);
	check_near(look(101)->explanation->limits.bound, 4, 0);
	/* While keys repeat it is not read, and the panels keep their room. */
	check_ok(session_command(session, "set acc=2", 100.11));
	session_advance(session, 100.14);
	check_ok(session_command(session, "set acc=3", 100.15));
	session_advance(session, 100.18);
	assert_int_equal(model.asked, 1);
	assert_null(look(101)->explanation);
	assert_non_null(view.outline);
	/* What was read is known. */
	check_ok(session_command(session, "set acc=1", 100.19));
	check_near(look(101)->explanation->limits.bound, 4, 0);
	assert_null(view.outline);
	assert_int_equal(model.asked, 1);
}

TEST(limits_stay_while_they_are_computed_again_with_new_latencies)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);
	session_advance(session, 100.1);
	assert_false(look(101)->limits_renewed);

	insight_refresh(session);
	assert_non_null(look(101)->explanation);
	assert_true(view.limits_renewed);
	assert_string_equal(view.limits_note, "");
	assert_int_equal(insight_code_lines(session), 5);
	assert_int_equal(model.asked, 1);
	/* A second latency arrives before the limits with the first latency are known. */
	insight_refresh(session);
	assert_true(look(101)->limits_renewed);
	session_advance(session, 100.2);
	assert_int_equal(model.asked, 2);
	assert_false(look(101)->limits_renewed);
	/* The old limits of another setting, or of other code, are not shown. */
	insight_refresh(session);
	check_ok(session_command(session, "set acc=2", 100.3));
	assert_null(look(101)->explanation);
	session_advance(session, 100.5);
	insight_refresh(session);
	insight_forget(session);
	assert_null(look(101)->explanation);
	assert_false(view.limits_renewed);
}

/* ---- code that is read in another thread ---- */

static atomic_bool held;
static atomic_int answered;
static pthread_t drawing;

/* Only the thread that draws must not wait. */
static void answer_slowly(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	assert_false(pthread_equal(pthread_self(), drawing));
	while (atomic_load(&held))
		sched_yield();
	answer(context, question, explanation);
	atomic_fetch_add(&answered, 1);
}

static const struct explainer slow_explainer = { .recognise = recognise,
	.load = load,
	.unload = unload,
	.explain = answer_slowly,
	.background_explain = true };

static void start_slow(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .seed = 5, .explainer = &slow_explainer };
	memset(&model, 0, sizeof(model));
	model.match = UARCH_EXACT;
	drawing = pthread_self();
	atomic_store(&held, true);
	atomic_store(&answered, 0);
	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 100);
}

/* Until so many were answered, and what came of it has been seen. */
static void await_answers(int count, double now)
{
	while (atomic_load(&answered) < count)
		sched_yield();
	while (insight_thinks(session)) {
		sched_yield();
		session_advance(session, now);
	}
}

TEST(stepped_code_is_read_while_others_go_on)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_slow(&kernel);

	session_advance(session, 100.07);
	assert_true(insight_thinks(session));
	/* Keys do not wait for it, and the next look comes soon, but not at once. */
	assert_string_equal(look(101)->limits_note, "reading the code…");
	assert_true(session_next(session, 100.07) > 0 && session_next(session, 100.07) < 0.016);
	assert_false(session_idle(session));
	check_ok(session_command(session, "set acc=2", 100.08));
	session_advance(session, 100.2);
	assert_null(look(101)->explanation);
	/* What was read is of the setting before; then the present one's turn comes. */
	atomic_store(&held, false);
	while (atomic_load(&answered) < 2)
		session_advance(session, 100.2);
	while (!look(101)->explanation)
		session_advance(session, 100.2);
	check_near(view.explanation->limits.bound, 2, 0);
}

/* A user's own loop is stepped through too, which takes up to a second. */
TEST(code_of_an_own_loop_is_read_while_others_go_on)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = kernel_fold;
	kernel.own = (const struct own *)(const void *)&kernel; /* only compared with NULL */
	start_slow(&kernel);

	fake_answer(&fake, 40, 4);
	session_advance(session, 100.01);
	session_advance(session, 100.07);
	assert_true(insight_thinks(session));
	/* The loop on screen stays in memory; an older one may give way to another. */
	insight_spare_own(&session->insight, &kernel);
	assert_true(insight_thinks(session));
	atomic_store(&held, false);
	insight_spare_own(&session->insight, &kernel_fold);
	assert_false(insight_thinks(session));
	assert_int_equal(atomic_load(&answered), 1);
}

TEST(advice_asks_for_one_after_the_other)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_slow(&kernel);
	double now = 101;

	atomic_store(&held, false);
	session_advance(session, now);
	await_answers(1, now);
	assert_non_null(look(101)->explanation);
	assert_int_equal(view.advice.kind, ADVICE_NONE);
	for (int i = 0; i < 100 && look(101)->advice.kind == ADVICE_NONE; i++) {
		int before = atomic_load(&answered);

		session_advance(session, now += 0.2);
		if (insight_thinks(session))
			await_answers(before + 1, now);
		/* No more than one at a time. */
		assert_true(atomic_load(&answered) <= before + 1);
	}
	assert_int_equal(view.advice.kind, ADVICE_KNOB);
	assert_true(atomic_load(&answered) > 2);
}

TEST(what_is_read_of_another_core_is_thrown_away)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_slow(&kernel);

	session_advance(session, 100.07);
	assert_true(insight_thinks(session));
	/* Its model goes away: that waits. */
	atomic_store(&held, false);
	check_ok(session_command(session, "uarch other", 100.1));
	assert_int_equal(atomic_load(&answered), 1);
	assert_null(look(101)->explanation);
	session_advance(session, 100.2);
	await_answers(2, 100.2);
	assert_non_null(look(101)->explanation);
	assert_true(model.foreign);
	/* And so does who ends while it reads. */
	check_ok(session_command(session, "set acc=4", 100.3));
	session_advance(session, 100.4);
	assert_true(insight_thinks(session));
}

TEST(advice_on_stepped_code_is_followed_when_it_is_found)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = stepped_fold();
	start_kernel(&kernel, UARCH_EXACT, NULL, LIMIT);
	double now = 100.01;
	int before;

	check_ok(session_command(session, "remedy", now));
	check_contains(look(101)->screen.notice, "reading the code of other settings");
	for (int i = 0; i < 100 && look(101)->setting.v[FOLD_ACC] == 1; i++) {
		before = model.asked;
		now += 0.1;
		session_advance(session, now);
		assert_true(model.asked <= before + 1); /* at most one at a time */
	}
	assert_true(view.setting.v[FOLD_ACC] > 4);
	check_contains(view.screen.notice, "shortens the chain");
	/* Not when another setting was chosen meanwhile. */
	check_ok(session_command(session, "set acc=1", now));
	check_ok(session_command(session, "set acc=3", now));
	check_ok(session_command(session, "remedy", now));
	check_ok(session_command(session, "set acc=5", now));
	for (int i = 0; i < 100; i++)
		session_advance(session, now += 0.1);
	assert_int_equal(look(101)->setting.v[FOLD_ACC], 5);
}

/* A few questions at a time, so that no key waits for them all. */
static void await_advice(double now)
{
	int turns = 0, asked = model.asked;

	for (; look(101)->advice.kind == ADVICE_NONE; turns++, now += 0.02) {
		int before = model.asked;

		assert_true(turns < 100);
		session_advance(session, now);
		assert_true(model.asked <= before + 1);
	}
	assert_true(turns > 1 && model.asked > asked + 4);
}

TEST(advice_waits_until_a_setting_stays)
{
	start(UARCH_EXACT, NULL, LIMIT);

	check_ok(session_command(session, "set acc=2", 100.05));
	session_advance(session, 100.1);
	assert_int_equal(look(101)->advice.kind, ADVICE_NONE);
	assert_false(session_command_works(session, "remedy"));
	assert_in_range((int)(1000 * session_next(session, 100.1)), 95, 105);
	await_advice(100.3);
	/* No knob of this kernel says that it is another form: any may be turned. */
	assert_int_equal(look(101)->advice.kind, ADVICE_KNOB);
	assert_int_equal(view.advice.setting.v[FOLD_ACC], 16);
	assert_true(session_command_works(session, "remedy"));
	check_ok(session_command(session, "remedy", 100.4));
	assert_int_equal(look(101)->setting.v[FOLD_ACC], 16);
	check_contains(view.screen.notice, "acc=16");
	check_near(view.explanation->limits.bound, 0.25, 0);
	check_ok(session_command(session, "undo", 100.5));
	assert_int_equal(look(101)->setting.v[FOLD_ACC], 2);
}

/* A prediction that a measurement contradicts is no advice. */
TEST(a_measured_setting_that_is_no_faster_is_not_advised)
{
	struct setting slow;
	struct cell *cell;

	start(UARCH_EXACT, NULL, LIMIT);
	check_ok(session_command(session, "set acc=2", 100.05));
	await_advice(100.3);
	slow = look(101)->advice.setting;
	assert_int_equal(slow.v[FOLD_ACC], 16);
	session->live.sample.valid = true;
	session->live.sample.cpe = 2;
	cell = cells_get(session->cells, &slow, true);
	cell->sample.valid = true;
	cell->sample.cpe = 1;
	insight_doubt(session);
	assert_int_equal(look(101)->advice.kind, ADVICE_KNOB);
	cell->sample.cpe = 1.95;
	insight_doubt(session);
	assert_int_equal(look(101)->advice.kind, ADVICE_NONE);
	for (int i = 0; i < 100 && view.advice.kind == ADVICE_NONE; i++) {
		insight_advise(session);
		look(101);
	}
	assert_int_equal(view.advice.kind, ADVICE_KNOB);
	assert_int_equal(view.advice.setting.v[FOLD_ACC], 15);
}

/* Advice that was wrong is called so as soon as its setting is measured. */
TEST(followed_advice_that_slows_down_is_told)
{
	start(UARCH_EXACT, NULL, LIMIT);
	check_ok(session_command(session, "set acc=2", 100.05));
	await_advice(100.3);
	session->live.sample =
		(struct sample){ .valid = true, .cpe = 2, .cpe_lo = 1.99, .cpe_hi = 2.01 };
	check_ok(session_command(session, "remedy", 100.4));
	check_contains(look(101)->screen.notice, "predicted");
	session->live.sample = (struct sample){
		.valid = true, .provisional = true, .cpe = 3, .cpe_lo = 2.9, .cpe_hi = 3.1
	};
	insight_doubt(session);
	check_contains(look(101)->screen.notice, "predicted");
	session->live.sample.provisional = false;
	insight_doubt(session);
	check_contains(
		look(101)->screen.notice, "3.000 measured, 2.000 before: the prediction was wrong");
	notice_clear(session);
	insight_doubt(session);
	assert_string_equal(look(101)->screen.notice, "");
}

static struct status eight_at_most(const int64_t *v)
{
	return v[FOLD_ACC] > 8 ? status_failed("this processor lacks acc=9") : status_ok();
}

/* Returns the accumulators that are advised to a kernel like `fold` with two; 2: no others. */
static int64_t advised_accumulators(struct kernel *kernel)
{
	int64_t advised;

	start_kernel(kernel, UARCH_EXACT, NULL, LIMIT);
	check_ok(session_command(session, "set acc=2", 100.05));
	await_advice(100.3);
	advised = look(101)->advice.kind == ADVICE_KNOB ? view.advice.setting.v[FOLD_ACC] : 2;
	session_free(session);
	session = NULL;
	return advised;
}

TEST(what_this_processor_cannot_run_is_not_advised)
{
	struct kernel picky = kernel_fold;

	picky.check = eight_at_most;
	assert_int_equal(advised_accumulators(&picky), 8);
}

static bool accumulators_are_blocks(const int64_t *v, struct kernel_block *block)
{
	*block = (struct kernel_block){ .knob = FOLD_ACC, .blocks = 3, .bytes = 8, .most = 1000 };
	return v[FOLD_ACC] > 0;
}

/* The model lacks what each further block costs, so it predicts too much of small ones. */
TEST(smaller_blocks_than_recommended_are_not_advised)
{
	struct kernel blocked = kernel_fold;

	blocked.block = accumulators_are_blocks;
	assert_int_equal(advised_accumulators(&blocked), 2);
}

TEST(advice_is_found_while_frozen)
{
	start(UARCH_EXACT, NULL, LIMIT);

	check_ok(session_command(session, "freeze", 100.01));
	check_ok(session_command(session, "set acc=2", 100.02));
	assert_false(session_idle(session));
	assert_true(session_next(session, 100.02) > 0);
	await_advice(100.3);
	assert_int_equal(look(101)->advice.kind, ADVICE_KNOB);
	assert_true(session_idle(session));
}

TEST(a_core_that_is_not_known_is_never_guessed)
{
	start(UARCH_NEAREST, NULL, LIMIT);

	assert_null(look(101)->explanation);
	assert_int_equal(model.asked, 0);
	check_contains(view.limits_note, "core not recognised; nearest: Core own");
	assert_true(session_command_works(session, "uarch nearest"));
	check_ok(session_command(session, "uarch nearest", 100.1));
	assert_non_null(look(101)->explanation);
	assert_true(view.nearest);
	assert_false(view.foreign);
	assert_false(model.foreign);
	assert_false(session_command_works(session, "uarch nearest"));
	check_ok(session_command(session, "undo", 100.2));
	assert_null(look(101)->explanation);
	assert_string_equal(
		view.screen.notice, "back to limits of no core: there is no earlier change");
	end(NULL);

	start(UARCH_NONE, NULL, LIMIT);
	check_contains(look(101)->limits_note, "core not recognised");
	check_fails(session_command(session, "uarch nearest", 100.1), STATUS_USAGE,
		"no core model is similar");
}

/* A file of a core that characterise wrote here has a match line for this processor. */
TEST(a_core_file_that_matches_this_processor_is_of_this_core)
{
	start(UARCH_EXACT, NULL, LIMIT);
	set_words(fake.machine.arch, "x86_64");
	set_words(fake.machine.processor.vendor, "Maker");
	fake.machine.processor.family = 6;

	check_ok(session_command(session, "uarch ./6.uarch", 100.1));
	assert_false(look(101)->foreign);
	assert_false(model.foreign);
	assert_string_equal(view.core->title, "Mine");
	assert_int_not_equal(view.gap.kind, GAP_FOREIGN);
	check_ok(session_command(session, "uarch ./5.uarch", 100.2));
	assert_true(look(101)->foreign);
	assert_true(model.foreign);
	assert_int_equal(view.gap.kind, GAP_FOREIGN);
	check_ok(session_command(session, "uarch", 100.3));
	assert_false(look(101)->foreign);
}

TEST(another_core_is_marked_and_left_again)
{
	start(UARCH_EXACT, "other", LIMIT);

	assert_true(look(101)->foreign);
	assert_true(model.foreign);
	assert_string_equal(view.core->title, "Core other");
	assert_int_equal(view.gap.kind, GAP_FOREIGN);
	check_ok(session_command(session, "yank", 100.1));
	check_contains(look(101)->screen.text, "--uarch other");
	check_ok(session_command(session, "close", 100.1));
	check_ok(session_command(session, "uarch", 100.2));
	assert_false(look(101)->foreign);
	assert_string_equal(view.core->name, "own");
	/* The running one by its name is not another one. */
	check_ok(session_command(session, "uarch own", 100.3));
	assert_false(look(101)->foreign);
	check_fails(session_command(session, "uarch none", 100.4), STATUS_USAGE,
		"unknown core \"none\"");
	assert_string_equal(look(101)->core->name, "own");
	check_ok(session_command(session, "undo", 100.5));
	check_ok(session_command(session, "undo", 100.5));
	assert_string_equal(look(101)->core->title, "Core other");
	assert_string_equal(
		view.screen.notice, "back to limits of Core other: there is no earlier change");
	assert_true(view.foreign);
}

TEST(a_machine_that_is_known_later_is_explained_then)
{
	start(UARCH_EXACT, NULL, 0);

	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "");
	fake.machine.memory_limit = LIMIT;
	atomic_store(&fake.machine.known, true);
	assert_true(session_advance(session, 100.1));
	assert_non_null(look(101)->explanation);
}

TEST(a_kernel_that_cannot_be_explained_says_why)
{
	start(UARCH_EXACT, NULL, LIMIT);

	model.fails = true;
	check_ok(session_command(session, "set acc=2", 100.1));
	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "no limits: no loop is there");
	check_fails(session_command(session, "remedy", 100.2), STATUS_USAGE, "no advice");
	check_fails(session_command(session, "view ports", 100.2), STATUS_USAGE,
		"view ports: nothing to show for fold");
}

TEST(views_go_round_and_code_scrolls)
{
	static const char *const round[] = { "ladder", "ports", "code", "mountain", "strip",
		"slices" };
	start(UARCH_EXACT, NULL, LIMIT);

	/* The loop's latency binds, so the ladder came to the front by itself. */
	assert_string_equal(look(100)->screen.front, "ladder");
	check_ok(session_command(session, "view slices", 100.1));
	for (size_t i = 0; i < sizeof(round) / sizeof(round[0]); i++) {
		check_ok(session_command(session, "view next", 100.1));
		assert_string_equal(look(101)->screen.front, round[i]);
	}
	for (size_t i = sizeof(round) / sizeof(round[0]) - 1; i-- > 0;) {
		check_ok(session_command(session, "view previous", 100.1));
		assert_string_equal(look(101)->screen.front, round[i]);
	}
	check_fails(session_command(session, "view nothing", 100.1), STATUS_USAGE,
		"next, auto, slices, ladder");
	check_ok(session_command(session, "focus code", 100.1));
	check_ok(session_command(session, "move down", 100.1));
	assert_int_equal(look(101)->code_first, 1);
	check_ok(session_command(session, "code +8", 100.1));
	assert_int_equal(look(101)->code_first, 4);
	assert_false(session_command_works(session, "move down"));
	check_ok(session_command(session, "code -8", 100.1));
	assert_int_equal(look(101)->code_first, 0);
	check_fails(session_command(session, "code 8", 100.1), STATUS_USAGE, "code takes +N or -N");
	/* Arrows act on what is seen. */
	check_ok(session_command(session, "view ladder", 100.1));
	assert_string_equal(look(101)->screen.focus, "knobs");
}

TEST(without_a_model_all_else_works)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .seed = 5 };
	setting_init(&options.setting, &kernel_fold);
	session = session_new(&engine, &options);
	session_advance(session, 100);
	assert_null(look(101)->explanation);
	assert_string_equal(view.limits_note, "");
	check_fails(session_command(session, "uarch own", 100.1), STATUS_USAGE, "no core models");
	check_ok(session_command(session, "focus slices", 100.1));
	check_ok(session_command(session, "focus next", 100.1));
	assert_string_equal(look(101)->screen.focus, "mountain");
	check_ok(session_command(session, "focus previous", 100.1));
	assert_string_equal(look(101)->screen.focus, "slices");
}

RUN_TESTS(.each_tear_down = end)
