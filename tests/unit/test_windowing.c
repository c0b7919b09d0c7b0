/* The windows in the session, against an engine that answers when the test says so. */
#include "windows_fakes.h"

#include "played.h"

#include "experiment/advice/explainer.h"
#include "experiment/windows/windows.h"
#include "explorer/state.h"
#include "model/core/uarch.h"

static struct session *start(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	fake.machine.processors = 2;
	return played_begin(&engine, (struct session_options){ .seed = 5 }, kernel);
}

/* A point of a curve, not the live figure. */
static bool of_curve(void)
{
	return fake.request.kernel == &kernel_window && fake.request.background &&
	       fake.request.budget.quiet_wanted < 20;
}

static void answer_one(void)
{
	fake_answer(&fake, of_curve() ? 9 : 150,
		fake.request.kernel == &kernel_window ? window_cycles(fake.request.v) : 2);
}

/* Answers requests, 4 ms each, until so many points of curves were, or nothing is wanted. *points:
 * how many those are. */
static double answer(struct session *session, double now, unsigned most, unsigned *points)
{
	struct playing sample_ratios = {
		.took = 0.004, .answer = answer_one, .counts = of_curve, .most = most
	};

	now = played(session, now, &sample_ratios);
	*points = sample_ratios.answered;
	return now;
}

TEST(the_curve_of_the_present_filler_comes_first)
{
	struct session *session = start(&kernel_window);
	unsigned points;
	double now;

	assert_string_equal(look(session, 100)->front, "windows");
	assert_non_null(view.windows);
	assert_non_null(view.window);
	assert_true(view.windowing);
	now = answer(session, 100, 30, &points);
	look(session, now);
	assert_string_equal(view.window->filler, "nop");
	assert_int_equal(view.window->state, WINDOWS_DONE);
	check_near(view.window->knee.x, 506, 0);
	/* Live figures go on meanwhile. */
	assert_true(view.sample.valid);
	check_near(view.sample.cpe, window_cycles(view.setting.v), 2);
	command(session, "set filler=store", now);
	now = answer(session, now, 25, &points);
	look(session, now);
	assert_string_equal(view.window->filler, "store");
	check_near(view.window->knee.x, 110, 0);
	session_free(session);
}

TEST(all_curves_fill_in_and_then_it_rests)
{
	struct session *session = start(&kernel_window);
	unsigned points;
	double now = answer(session, 100, 100000, &points);

	look(session, now);
	assert_false(view.windowing);
	assert_true(points > 80 && points < 300);
	for (int i = 0; i < view.windows->count; i++)
		assert_true(view.windows->row[i].state == WINDOWS_DONE ||
			    view.windows->row[i].state == WINDOWS_FAILED);
	check_near(windows_row(view.windows, FILL_WAIT)->knee.x, 97, 0);
	/* Another filler asks for nothing more; another remedy for everything. */
	command(session, "set filler=load", now);
	now = answer(session, now, 1, &points);
	assert_int_equal(points, 0);
	command(session, "set remedy=prefetch", now);
	now = answer(session, now, 20, &points);
	assert_int_equal(points, 20);
	assert_int_equal(look(session, now)->window->knee.kind, KNEE_NONE);
	/* What is measured anew is. */
	now = answer(session, now, 100000, &points);
	command(session, "again", now);
	look(session, now);
	assert_int_equal(view.window->curve.count, 0);
	now = answer(session, now, 5, &points);
	assert_int_equal(points, 5);
	session_free(session);
}

TEST(other_kernels_have_no_windows)
{
	struct session *session = start(&kernel_fold);
	unsigned points;
	double now = answer(session, 100, 1, &points);

	assert_string_equal(look(session, now)->front, "slices");
	assert_null(view.windows);
	check_usage(session_command(session, "view windows", now),
		"view windows: there is none of fold");
	command(session, "kernel window", now);
	assert_string_equal(look(session, now)->front, "windows");
	now = answer(session, now, 10, &points);
	/* What the user brings to the front stays there. */
	command(session, "view slices", now);
	command(session, "set filler=store", now);
	assert_string_equal(look(session, now)->front, "slices");
	command(session, "view windows", now);
	command(session, "kernel fold", now);
	assert_string_equal(look(session, now)->front, "slices");
	assert_false(view.windowing);
	/* What there is stays. */
	command(session, "kernel window", now);
	assert_true(look(session, now)->windows->row[FILL_NOP].curve.count >= 8);
	assert_string_equal(view.front, "windows");
	session_free(session);
}

TEST(freezing_and_other_settings_take_a_request_back)
{
	struct session *session = start(&kernel_window);
	unsigned points;
	double now = answer(session, 100, 6, &points);

	while (!fake.pending || !of_curve()) {
		if (fake.pending)
			fake_answer(&fake, 150, 600);
		now += 0.01;
		session_advance(session, now);
	}
	command(session, "freeze", now);
	assert_false(fake.pending);
	session_advance(session, now + 1);
	assert_false(fake.pending);
	command(session, "freeze", now + 100);
	now = answer(session, now + 100, 40, &points);
	check_near(look(session, now)->window->knee.x, 506, 0);
	/* And what stood still took no time. */
	assert_true(view.windows->seconds < 50);
	session_free(session);
}

/* The slice over fillers would be another curve of the same, at places of its own. */
TEST(there_is_no_slice_over_fillers)
{
	struct session *session = start(&kernel_window);

	command(session, "knob fillers", 100);
	assert_int_equal(look(session, 100)->by_stride.knob, -1);
	command(session, "knob filler", 100);
	assert_int_equal(look(session, 100)->by_stride.knob, WINDOW_FILLER);
	session_free(session);
}

/* ---- entries beside the curves, of cores of one line more each */

static const char core_text[] =
	"uarch a A core\nisa x86_64\nmatch vendor Nobody family 6 [M]\nwidth 4 [M]\nports p0 "
	"[M]\nclass alu latency 1 ports p0 [M]\n";

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	(void)context, (void)machine;
	snprintf(name, CORE_NAME, "a");
	*why = '\0';
	return UARCH_EXACT;
}

static struct status read_core(void *context, const char *line, struct core *core)
{
	char text[512];

	(void)context;
	snprintf(text, sizeof(text), "%s%s", core_text, line);
	memset(core, 0, sizeof(*core));
	snprintf(core->name, sizeof(core->name), "a");
	return uarch_parse(text, "core", &core->uarch);
}

static struct status load_core(void *context, const char *name, const char *isa, struct core *core)
{
	(void)name, (void)isa;
	return read_core(context, "size rob 224 [M]\n", core);
}

static void unload_core(void *context, struct core *core)
{
	(void)context;
	uarch_free(core->uarch);
	core->uarch = NULL;
}

static void explain_nothing(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	(void)context, (void)question;
	explanation->status = status_failed("not here");
}

TEST(a_core_that_measured_itself_stands_beside_the_curves)
{
	static const struct explainer explainer = { .recognise = recognise,
		.load = load_core,
		.unload = unload_core,
		.explain = explain_nothing,
		.read = read_core };
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);
	struct session *session;

	fake.machine.processors = 2;
	session = played_begin(&engine,
		(struct session_options){ .seed = 5, .explainer = &explainer }, &kernel_window);
	assert_string_equal(look(session, 100)->window->filler, "nop");
	check_near(view.window->entries, 224, 1e-9);
	check_ok(insight_adopt(session, "size rob 300 [M]\n", "measured"));
	curves_renew(session);
	check_near(look(session, 101)->window->entries, 300, 1e-9);
	session_free(session);
}

RUN_TESTS()
