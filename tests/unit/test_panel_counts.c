/* What panels say of counters and of recordings, in views that no engine would bring about at will.
 */
#include "drawn.h"
#include "fakes.h"

#include "experiment/changed.h"
#include "experiment/setting/setting.h"
#include "experiment/slack/slack.h"

#include <errno.h>
#include <locale.h>

extern const struct panel panel_figure, panel_header, panel_ports, panel_counters;

static struct event_plan plan;
static struct core core;
static struct explanation *explanation;

enum { CYCLES, INSTRUCTIONS, PORT_01, PORT_2, L3, WALKS };

static void plan_add(enum event_role role, uint32_t ports, const char *title, double value)
{
	struct counts *counts = &view.counters.counts;

	plan.meaning[plan.counters.count] = (struct uarch_event){ .role = role, .ports = ports };
	snprintf(plan.meaning[plan.counters.count].title, EVENT_TITLE, "%s", title);
	snprintf(plan.meaning[plan.counters.count].core, sizeof(plan.meaning[0].core), "own");
	snprintf(plan.counters.event[plan.counters.count].name, COUNTER_NAME, "own::%s", title);
	view.counters.modelled[plan.counters.count] = NAN;
	counts->event[plan.counters.count++] = (struct count){ .state = COUNT_KNOWN,
		.value = value,
		.lo = value * 0.99,
		.hi = value * 1.01,
		.passes = 9 };
	counts->count = plan.counters.count;
}

/* A core that counts p0 and p1 together, p2 alone, and p3 not at all. */
static void begin(void)
{
	struct limits *limits;

	if (!explanation)
		explanation = explanation_new();
	limits = &explanation->limits;
	limits_clear(limits);
	loop_clear(&explanation->loop);
	memset(&plan, 0, sizeof(plan));
	view_begin(&kernel_fold);
	view.sample.cycles_from = SOURCE_COUNTER;
	view.counters = (struct view_counters){
		.plan = &plan, .ipc = NAN, .counted = NAN, .decoded = NAN, .check = NAN
	};
	plan.counters.id = view.counters.counts.id = 1;
	view.counters.counts.direct = true;
	view.counters.counts.groups = 1;
	plan_add(ROLE_CYCLES, 0, "cycles", 2);
	plan_add(ROLE_INSTRUCTIONS, 0, "instructions", 3);
	plan_add(ROLE_PORTS, 3, "p0 p1", 1.25);
	plan_add(ROLE_PORTS, 4, "p2", 0.5);
	plan_add(ROLE_L3_MISSES, 0, "L3 misses", 0.125);
	plan_add(ROLE_DTLB_WALKS, 0, "page walks", 0);
	core = (struct core){ .name = "own",
		.title = "Own Core",
		.port_count = 4,
		.port = { "p0", "p1", "p2", "p3" } };
	limits->turns = 1;
	limits->elements = 4;
	limits->binding = limits->predicted_by = -1;
	limits->port_count = 4;
	limits->pressure[0] = limits->pressure[1] = limits->naive[0] = limits->naive[1] = 2;
	limits->pressure[2] = limits->naive[2] = 2;
	limits->pressure[3] = limits->naive[3] = 1;
	view.explanation = explanation;
	view.core = &core;
}

/* ---- the table ---- */

TEST(the_table_tells_known_from_doubtful_and_unavailable)
{
	struct counts *counts = &view.counters.counts;

	begin();
	counts->event[L3].state = COUNT_SCALED;
	counts->event[WALKS] = (struct count){ .state = COUNT_SILENT };
	counts->event[PORT_2] = (struct count){ .state = COUNT_REFUSED, .error = EACCES };
	view.counters.modelled[PORT_01] = 1;
	view.counters.modelled[INSTRUCTIONS] = 3;
	draw(&panel_counters, 100, 20);
	check_parts(shown, "quartiles", "1.238 .. 1.262", "+0.250",
		"3.000    3.000        =", "~0.125", "~ estimate",
		"unavailable: p2 (refused: the kernel does not allow it "
		"(kernel.perf_event_paranoid)); page walks\n"
		"(stays at zero in a loop where most events occur)\n",
		"no event here for");
	check_contains(title(&panel_counters), "C read directly, M Own Core");
	counts->direct = false;
	counts->groups = 4;
	check_contains(title(&panel_counters), "C read by system call in 4 passes");
	/* Nothing unavailable is written as a figure. */
	lacks(shown, " 0.000");
	/* Too few passes for quartiles: no heading either. */
	for (int i = 0; i < counts->count; i++)
		counts->event[i].passes = 2;
	lacks(draw(&panel_counters, 100, 20), "quartiles");
	/* Where reasons have no room, names have. */
	check_contains(draw(&panel_counters, 80, 4),
		"unavailable: p2, page walks; slexplore events says why\n");
	check_contains(draw(&panel_counters, 44, 4), "unavailable: p2, page walks\n");
	/* One that was asked for by name keeps its row. */
	plan_add(ROLE_EXTRA, 0, "ASKED", 1);
	view.counters.counts.event[WALKS + 1] = (struct count){ .state = COUNT_SILENT };
	check_contains(draw(&panel_counters, 80, 20),
		"own::ASKED     unavailable: stays at zero in a loop where most events occur\n");
}

TEST(the_table_scrolls_to_its_end)
{
	struct scene scene = { .view = &view };
	struct canvas canvas;

	begin();
	canvas_init(&canvas, 40, 4, true);
	assert_int_equal(
		panel_counters.scroll_end((struct box){ 0, 0, 40, 4, &canvas }, &scene), 3);
	assert_int_equal(
		panel_counters.scroll_end((struct box){ 0, 0, 40, 7, &canvas }, &scene), 0);
	canvas_free(&canvas);
	check_parts(draw(&panel_counters, 40, 4), "instructions", "v\n");
	lacks(shown, "page walks");
	view.counters.first = 9;
	check_parts(draw(&panel_counters, 40, 4), "page walks", "^\n");
	lacks(shown, "instructions");
	/* Two columns side by side need half the rows. */
	check_parts(draw(&panel_counters, 80, 4), "page walks", "cycles");
}

TEST(those_asked_for_by_name_come_first)
{
	begin();
	plan_add(ROLE_EXTRA, 0, "A_VERY_LONG_EVENT_OF_ITS_OWN:ANY", 0.5);
	draw(&panel_counters, 70, 20);
	assert_true(strstr(shown, "own::A_VERY") &&
		    strstr(shown, "own::A_VERY") < strstr(shown, "cycles"));
	/* Where its name has no room, what tells it apart from others stays. */
	check_contains(draw(&panel_counters, 40, 20), "A_VERY_LONG_EVENT_OF_IT..");
	lacks(shown, "own::");
}

TEST(why_there_are_none_takes_the_place_of_the_table)
{
	begin();
	view.counters.counts = (struct counts){ 0 };
	assert_false(panel_counters.wanted(&view));
	view.screen.front = "counters";
	assert_true(panel_counters.wanted(&view));
	check_contains(draw(&panel_counters, 60, 6), "counting..");
	view.frozen = true;
	check_contains(draw(&panel_counters, 60, 6), "frozen before the first count");
	snprintf(view.counters.why, sizeof(view.counters.why), "this guest has no PMU");
	check_parts(draw(&panel_counters, 60, 6), "C unavailable: this guest has no PMU\n",
		"slexplore doctor");
	view.replay = "lecture.jsonl";
	lacks(draw(&panel_counters, 60, 6), "doctor");
	view.counters.plan = NULL;
	assert_false(panel_counters.wanted(&view));
}

/* A recording has no more than it has: nobody is counting. */
TEST(a_replay_counts_nothing_more)
{
	begin();
	plan_add(ROLE_EXTRA, 0, "ASKED", 1);
	view.counters.counts.event[WALKS + 1] = (struct count){ .state = COUNT_NONE };
	check_contains(draw(&panel_counters, 100, 20), "counting..");
	view.replay = "lecture.jsonl";
	check_contains(draw(&panel_counters, 100, 20), "not counted");
	lacks(shown, "counting..");
}

TEST(instructions_that_differ_say_which_may_be_wrong)
{
	begin();
	view.counters.counted = 3;
	view.counters.decoded = 2.5;
	view.counters.ipc = 1.5;
	lacks(draw(&panel_counters, 120, 20), "wrong");
	check_contains(shown, "1.500 instructions a cycle C");
	view.counters.differ = true;
	check_contains(draw(&panel_counters, 160, 20),
		"3.000 instructions counted C, 2.500 in the code as read M");
	explanation->loop.forks = 1;
	check_contains(draw(&panel_counters, 160, 20), "a branch in the loop jumps");
	explanation->loop.unknown = 1;
	check_contains(draw(&panel_counters, 160, 20), "are not instructions");
	explanation->loop.stepped = true;
	check_contains(draw(&panel_counters, 200, 20), "as stepped S: single-stepping is exact");
	/* On a low panel the table keeps half of the rows. */
	draw(&panel_counters, 40, 6);
	check_parts(shown, "contradiction:", "cycles");
}

TEST(two_clocks_that_disagree_are_told)
{
	begin();
	view.counters.check = 1.004;
	check_contains(draw(&panel_counters, 80, 20), "1.004 of C");
	check_contains(draw(&panel_figure, 40, 14), "C counter\n");
	view.counters.check = 1.05;
	check_contains(draw(&panel_counters, 120, 20), "R is 1.05 of the counter C");
	check_contains(draw(&panel_figure, 40, 14), "C counter; R says 1.05 of it");
	view.counters.check = NAN;
	lacks(draw(&panel_counters, 120, 20), "R is");
	lacks(draw(&panel_figure, 40, 14), "instructions a cycle");
	view.counters.ipc = 1.5;
	check_contains(draw(&panel_figure, 40, 14), "1.500 instructions a cycle C");
}

/* ---- ports ---- */

TEST(ports_have_a_pair_of_bars_and_the_difference)
{
	const struct kernel *kernel;
	struct kernel program;

	begin();
	kernel = view.setting.kernel;
	/* Four elements an iteration: 1.25 of each is 5 of an iteration. */
	draw(&panel_ports, 40, 10);
	check_parts(shown, "p0 p1 M ######", "4.00\n      C ****", "5.00  +1.00",
		"2.00      =", "p3    M ###");
	check_contains(title(&panel_ports), "C counted, M Own Core");
	/* Low: a row each, with the figure behind the bar. */
	check_contains(draw(&panel_ports, 40, 4), "4.00  C    5.00");
	/* Not counted yet, and unavailable, are no zeros. */
	view.counters.counts.event[PORT_2] = (struct count){ .state = COUNT_SILENT };
	check_contains(draw(&panel_ports, 80, 10), "C unavailable: stays at ");
	check_contains(draw(&panel_ports, 40, 4), "C       -");
	view.counters.counts.count = 0;
	check_contains(draw(&panel_ports, 40, 10), "C counting..");
	view.frozen = true;
	lacks(draw(&panel_ports, 40, 10), "C counting..");
	check_contains(shown, "\n"
			      "C: frozen before the first count\n");
	lacks(title(&panel_ports), "C counted");
	view.frozen = false;
	/* A program's function is never run, so nothing of it is counted. */
	program = *view.setting.kernel;
	program.function = (const void *)"";
	view.setting.kernel = &program;
	lacks(title(&panel_ports), "C counted");
	lacks(draw(&panel_ports, 40, 10), " C ");
	view.setting.kernel = kernel;
	/* All of them unavailable: the reason once, and bars as without counters. */
	view.counters.counts.count = plan.counters.count;
	view.counters.counts.event[PORT_01] = (struct count){ .state = COUNT_SILENT };
	check_contains(draw(&panel_ports, 70, 10),
		"\n"
		"C unavailable: stays at zero in a loop where most events occur\n");
	lacks(shown, "M #");
}

/* A contended probe gives noise, which is no pressure. */
TEST(contended_probed_pressure_is_not_shown)
{
	static struct slack_report slack;

	begin();
	slack = (struct slack_report){ .count = 2, .complete = true, .contended = true };
	for (int i = 0; i < slack.count; i++)
		slack.resource[i] = (struct slack_resource){ .name = "fdiv",
			.kind = i ? SLACK_EXACT : SLACK_AMBIGUOUS,
			.pressure = 2.79 - i,
			.contended = true };
	view.slack = &slack;
	check_contains(draw(&panel_ports, 78, 14), "core contended: 2 values not shown");
	lacks(shown, "2.79");
	slack.resource[1].contended = false;
	check_parts(draw(&panel_ports, 78, 14), "fdiv 1.79", "core contended: 1 value not shown");
	lacks(shown, "2.79");
	/* A long reason continues in the next row. */
	slack = (struct slack_report){ 0 };
	slack.status = status_failed("the branches of the loop go both ways in each iteration");
	draw(&panel_ports, 40, 14);
	check_parts(shown, "P unavailable: the branches of the loop\n",
		"go both ways in each iteration");
	view.slack = NULL;
}

/* Half of a screen of 100 columns has room for the reason. */
TEST(the_reason_against_probed_pressure_fits_a_narrow_panel)
{
	struct slack_report slack = { 0 };
	struct explanation *explained = explanation_new();
	struct uarch uarch = { .port_count = 1 };
	struct setting setting;

	begin();
	view.slack = &slack;
	explained->limits.uarch = &uarch;
	assert_true(setting_read(&setting, "fold size=64m"));
	slack.status = changed_allowed(&setting, explained);
	check_contains(draw(&panel_ports, 48, 6), "P unavailable: the data do not fit L2,");
	assert_true(setting_read(&setting, "fold size=4k"));
	explained->loop.varies = true;
	slack.status = changed_allowed(&setting, explained);
	/* In one row, it ends after a clause. */
	check_contains(draw(&panel_ports, 48, 6), "P unavailable: its branches go both ways\n");
	explained->limits.uarch = NULL;
	explanation_free(explained);
	view.slack = NULL;
}

TEST(without_counters_ports_say_why_in_one_line)
{
	begin();
	view.counters.counts = (struct counts){ 0 };
	snprintf(view.counters.why, sizeof(view.counters.why), "this guest has no PMU");
	draw(&panel_ports, 50, 10);
	check_contains(shown, "\nC unavailable: this guest has no PMU\n");
	lacks(shown, " M #");
	lacks(title(&panel_ports), "C counted");
	/* Beside the legend where there is no other row. */
	check_contains(
		draw(&panel_ports, 80, 5), "an even split is best   C unavailable: this guest");
	/* Too long for its row: where it stands in full; in two where there are two. */
	snprintf(view.counters.why, sizeof(view.counters.why),
		"this guest was given no counters by the host that it runs on");
	check_contains(
		draw(&panel_ports, 80, 5), "an even split is best   C unavailable: c says why\n");
	check_contains(draw(&panel_ports, 50, 10),
		"\nC unavailable: this guest was given no counters by\nthe host that it runs on\n");
}

TEST(another_cores_ports_are_not_compared)
{
	begin();
	snprintf(core.name, sizeof(core.name), "other");
	view.foreign = true;
	draw(&panel_ports, 80, 12);
	lacks(shown, "5.00");
	check_contains(shown, "another core's ports");
}

TEST(what_is_no_port_is_not_called_one)
{
	begin();
	plan.counters.count = view.counters.counts.count = 2;
	plan_add(ROLE_DISPATCHED, 0, "dispatched: integer", 0.5);
	plan_add(ROLE_STALLED, 0, "stalled: back end", 0);
	snprintf(plan.meaning[3].words, EVENT_WORDS, "back end");
	plan_add(ROLE_STALLED, 0, "stalled: front end", 1);
	snprintf(plan.meaning[4].words, EVENT_WORDS, "front end");
	draw(&panel_ports, 80, 8);
	check_parts(shown, "C an iteration, not by port", "dispatched: integer", "2.00\n",
		"C cycles stalled an iteration");
	/* What was seen stands before what was not. */
	assert_true(strstr(shown, "front end") < strstr(shown, "back end"));
	check_contains(draw(&panel_ports, 80, 4), "and 2 more: c shows all");
	/* Under the ports where there is no room beside them. */
	check_contains(draw(&panel_ports, 40, 14), "an even split is best\n"
						   "\n"
						   "C an iteration");
	/* What is unavailable is left out; all of it: the reason once. */
	view.counters.counts.event[3] = (struct count){ .state = COUNT_SILENT };
	check_lacks(draw(&panel_ports, 80, 8), "back end", "C unavailable");
	view.counters.counts.event[2] = view.counters.counts.event[4] =
		view.counters.counts.event[3];
	check_contains(draw(&panel_ports, 80, 8),
		"\n"
		"C unavailable: stays at zero in a loop where most events occur\n");
	lacks(shown, "by port");
}

/* ---- recordings ---- */

/* A whole frame. */
static const char *frame(int width, int height)
{
	static const struct keys keys;
	static const bool works[KEYS_MAX];
	struct canvas canvas;

	canvas_init(&canvas, width, height, true);
	panels_draw(&canvas, &view, &keys, works, NULL);
	printed(&canvas);
	canvas_free(&canvas);
	return shown;
}

TEST(a_recording_is_stamped_in_every_size)
{
	begin();
	view.by_size.knob = view.by_stride.knob = -1;
	view.replay = "/somewhere/lecture.jsonl";
	for (int overlay = OVERLAY_NONE; overlay <= OVERLAY_TEXT; overlay++) {
		view.screen.overlay = (enum overlay)overlay;
		for (int height = 1; height <= 40; height += height < 20 ? 1 : 10)
			/* A box of one row has its title alone to say so. */
			for (int width = height == 3 ? 12 : 8; width <= 130;
				width += width < 64 ? 1 : 30)
				if (!strstr(frame(width, height), "REPLAY"))
					fail_msg("no stamp on %dx%d under overlay %d:\n%s", width,
						height, overlay, shown);
	}
	view.screen.overlay = OVERLAY_NONE;
	check_contains(frame(80, 24), "slexplore  REPLAY lecture.jsonl ");
	check_contains(shown, " replay\n");
	lacks(shown, " live");
	check_contains(frame(40, 1), "REPLAY ");
	check_contains(shown, "2.000");
	check_contains(frame(30, 5), " REPLAY lecture.jsonl\nfold");
}

TEST(what_another_machine_refused_is_not_said_of_this_one)
{
	static const struct machine machine = {
		.known = true, .bound = true, .huge_note = "no huge pages there"
	};

	begin();
	view.by_size.knob = view.by_stride.knob = -1;
	view.machine = &machine;
	check_contains(frame(80, 24), "no huge pages there");
	view.replay = "lecture.jsonl";
	lacks(frame(80, 24), "no huge pages there");
}

TEST(titles_end_before_what_has_no_room)
{
	begin();
	view.by_size.knob = view.by_stride.knob = -1;
	view.screen.front = "counters";
	view.counters.counts.groups = 6;
	check_contains(
		frame(80, 24), "counters per element: C read directly in 6 passes, M Own Core -");
	check_contains(frame(60, 16), "counters per element: C read directly in 6 passes -");
}

TEST(what_is_being_recorded_is_marked)
{
	begin();
	view.by_size.knob = view.by_stride.knob = -1;
	lacks(frame(80, 24), "recording");
	view.recording = true;
	check_contains(frame(80, 24), "@ recording");
	check_contains(frame(60, 16), "@ recording");
	check_contains(frame(50, 4), "live, recording");
}

/* A pressure that differs from the core model is measured again before the probe is complete, so it
 * is not shown earlier. */
TEST(a_pressure_that_is_measured_again_is_not_shown)
{
	static struct slack_report slack;

	begin();
	slack = (struct slack_report){ .count = 3 };
	slack.resource[0] = (struct slack_resource){ .name = "width",
		.kind = SLACK_EXACT,
		.pressure = 1.63,
		.pressure_lo = 1.6,
		.pressure_hi = 1.65,
		.model = 0.62 };
	slack.resource[1] =
		(struct slack_resource){ .name = "loads", .kind = SLACK_EXACT, .pressure = 0.5 };
	slack.resource[1].model = slack.resource[1].pressure_lo = slack.resource[1].pressure_hi =
		0.5;
	slack.resource[2] = (struct slack_resource){ .name = "fdiv", .kind = SLACK_EXACT };
	view.slack = &slack;
	check_parts(draw(&panel_ports, 78, 14), "loads 0.50", "1 other: nothing", "1 to measure");
	check_lacks(shown, "1.63", "others");
	slack.complete = true;
	check_parts(draw(&panel_ports, 78, 14), "width 1.63 (M 0.62)", "1 other: nothing");
	lacks(shown, "to measure");
	view.slack = NULL;
}

/* explanation outlives the tests that share it. */
static int free_explanation(void **state)
{
	explanation_free(explanation);
	return 0;
}

static int set_up(void **state)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	return 0;
}

RUN_TESTS(.set_up = set_up, .tear_down = free_explanation)
