/* The windows in the session, against an engine that answers when the test says so. */
#include "windows_fakes.h"

#include "played.h"

#include "experiment/advice/explainer.h"
#include "experiment/windows/windows.h"
#include "explorer/state.h"
#include "model/core/uarch.h"

static void start(const struct kernel *kernel)
{
	struct engine engine = fake_init(&fake, UINT64_C(8) << 30);

	fake.machine.processors = 2;
	played_begin(&engine, (struct session_options){ .seed = 5 }, kernel);
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
static double answer(double now, unsigned most, unsigned *points)
{
	struct playing sample_ratios = {
		.took = 0.004, .answer = answer_one, .counts = of_curve, .most = most
	};

	now = played(now, &sample_ratios);
	*points = sample_ratios.answered;
	return now;
}

TEST(the_curve_of_the_present_filler_comes_first)
{
	start(&kernel_window);
	unsigned points;
	double now;

	assert_string_equal(look(100)->screen.front, "windows");
	assert_non_null(view.windows);
	assert_non_null(view.window);
	assert_true(view.windowing);
	now = answer(100, 30, &points);
	look(now);
	assert_string_equal(view.window->filler, "nop");
	assert_int_equal(view.window->state, WINDOWS_DONE);
	check_near(view.window->knee.x, 506, 0);
	/* Live figures go on meanwhile. */
	assert_true(view.sample.valid);
	check_near(view.sample.cpe, window_cycles(view.setting.v), 2);
	command("set filler=store", now);
	now = answer(now, 25, &points);
	look(now);
	assert_string_equal(view.window->filler, "store");
	check_near(view.window->knee.x, 110, 0);
}

TEST(all_curves_fill_in_and_then_it_rests)
{
	start(&kernel_window);
	unsigned points;
	double now = answer(100, 100000, &points);

	look(now);
	assert_false(view.windowing);
	assert_true(points > 80 && points < 300);
	for (int i = 0; i < view.windows->count; i++)
		assert_true(view.windows->row[i].state == WINDOWS_DONE ||
			    view.windows->row[i].state == WINDOWS_FAILED);
	check_near(windows_row(view.windows, FILL_WAIT)->knee.x, 97, 0);
	/* Another filler asks for nothing more; another remedy for everything. */
	command("set filler=load", now);
	now = answer(now, 1, &points);
	assert_int_equal(points, 0);
	command("set remedy=prefetch", now);
	now = answer(now, 20, &points);
	assert_int_equal(points, 20);
	assert_int_equal(look(now)->window->knee.kind, KNEE_NONE);
	/* What is measured anew is. */
	now = answer(now, 100000, &points);
	command("again", now);
	look(now);
	assert_int_equal(view.window->curve.count, 0);
	now = answer(now, 5, &points);
	assert_int_equal(points, 5);
}

TEST(other_kernels_have_no_windows)
{
	start(&kernel_fold);
	unsigned points;
	double now = answer(100, 1, &points);

	assert_string_equal(look(now)->screen.front, "curves");
	assert_null(view.windows);
	check_usage(session_command(session, "view windows", now),
		"view windows: nothing to show for fold");
	command("kernel window", now);
	assert_string_equal(look(now)->screen.front, "windows");
	now = answer(now, 10, &points);
	/* What the user brings to the front stays there. */
	command("view curves", now);
	command("set filler=store", now);
	assert_string_equal(look(now)->screen.front, "curves");
	command("view windows", now);
	command("kernel fold", now);
	assert_string_equal(look(now)->screen.front, "curves");
	assert_false(view.windowing);
	/* What there is stays. */
	command("kernel window", now);
	assert_true(look(now)->windows->row[FILL_NOP].curve.count >= 8);
	assert_string_equal(view.screen.front, "windows");
}

TEST(freezing_and_other_settings_take_a_request_back)
{
	start(&kernel_window);
	unsigned points;
	double now = answer(100, 6, &points);

	while (!fake.pending || !of_curve()) {
		if (fake.pending)
			fake_answer(&fake, 150, 600);
		now += 0.01;
		session_advance(session, now);
	}
	command("freeze", now);
	assert_false(fake.pending);
	session_advance(session, now + 1);
	assert_false(fake.pending);
	command("freeze", now + 100);
	now = answer(now + 100, 40, &points);
	check_near(look(now)->window->knee.x, 506, 0);
	/* And what stood still took no time. */
	assert_true(view.windows->seconds < 50);
}

/* The slice over fillers would be another curve of the same, at places of its own. */
TEST(there_is_no_slice_over_fillers)
{
	start(&kernel_window);

	command("knob fillers", 100);
	assert_int_equal(look(100)->by_stride.knob, -1);
	command("knob filler", 100);
	assert_int_equal(look(100)->by_stride.knob, WINDOW_FILLER);
}

/* ---- entries beside the curves, of cores of one line more each */

static const char core_text[] =
	"uarch a A core\nisa x86_64\nmatch vendor Nobody family 6 [M]\nwidth 4 [M]\nports p0 "
	"[M]\nclass alu latency 1 ports p0 [M]\n";

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	snprintf(name, CORE_NAME, "a");
	*why = '\0';
	return UARCH_EXACT;
}

static struct status read_core(void *context, const char *line, struct core *core)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%s", core_text, line);
	memset(core, 0, sizeof(*core));
	snprintf(core->name, sizeof(core->name), "a");
	return uarch_parse(text, "core", &core->uarch);
}

static struct status load_core(void *context, const char *name, const char *isa, struct core *core)
{
	return read_core(context, "size rob 224 [M]\n", core);
}

static void unload_core(void *context, struct core *core)
{
	uarch_free(core->uarch);
	core->uarch = NULL;
}

static void explain_nothing(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
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
	fake.machine.processors = 2;
	played_begin(&engine, (struct session_options){ .seed = 5, .explainer = &explainer },
		&kernel_window);
	assert_string_equal(look(100)->window->filler, "nop");
	check_near(view.window->entries, 224, 1e-9);
	check_ok(insight_adopt(session, "size rob 300 [M]\n", "measured"));
	curves_renew(session);
	check_near(look(101)->window->entries, 300, 1e-9);
}

RUN_TESTS(.each_tear_down = played_end)
