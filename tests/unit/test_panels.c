/* What panels say of views that no engine would bring about at will. */
#include "limits_view.h"

#include "experiment/characterise/characterise.h"
#include "experiment/probe/probe.h"
#include "experiment/windows/windows.h"
#include "kernels/window.h"

extern const struct panel panel_figure, panel_trials, panel_header, panel_mountain, panel_limits,
	panel_ports, panel_code, panel_source, panel_notice, panel_line, panel_about, panel_windows,
	panel_knobs, panel_timeline;

TEST(trials_are_told_in_words)
{
	int rows;

	begin();
	view.sample.off_contended = 509;
	view.sample.off_clock = 990;
	view.sample.off_interrupted = 9;
	/* The counts of all reasons add up to the number of discarded trials. */
	check_parts(draw(&panel_figure, 31, 15), "85 quiet trials used, 1509 not",
		"990 clock, 509 contended,", "interrupted, 1 not settled",
		"quartiles 1.990 .. 2.010");
	/* With one row less than all reasons need, the main reason stays. */
	for (rows = 15; rows > 0 && strstr(draw(&panel_figure, 31, rows), "9 interrupted"); rows--)
		;
	check_contains(draw(&panel_figure, 31, rows), "not: mainly 990 clock changed");
	/* It matters more than the second row of rates while most trials were discarded. */
	draw(&panel_figure, 31, rows - 1);
	check_contains(shown, "not: mainly 990 clock changed");
	lacks(shown, "B/cycle");
	view.sample.trials = 1;
	view.sample.dropped = 0;
	check_parts(draw(&panel_figure, 31, 12), "1 quiet trial used, 0 not",
		"no quartiles from 1 trial\n");
	view.sample.trials = 4;
	check_contains(draw(&panel_figure, 31, 12), "no quartiles from 4 trials");
	view.sample.trials = 480;
	view.sample.contended = view.sample.mixed = true;
	check_parts(draw(&panel_figure, 46, 14), "480 trials used, contended ones too",
		"contended: 12 % of trials quiet");
	lacks(shown, "480 quiet");
	view.facts.cpe_fresh = 3 * view.sample.cpe;
	check_contains(draw(&panel_figure, 46, 14), "on repeated data; 6.000 on fresh data");
	check_contains(draw(&panel_figure, 31, 14), "fresh data: 6.000");
	view.facts.cpe_fresh = 0;
}

TEST(where_and_beside_whom_it_ran_is_told)
{
	begin();
	draw(&panel_figure, 31, 12);
	check_lacks(shown, "cores", "node", "asked");
	view.facts = (struct run_facts){ .asked = PAGES_HUGE,
		.pages = "4k",
		.pages_note = "none of 64 MiB could be got",
		.cores = 4,
		.others_gbps = 48,
		.nodes = 2,
		.node = 1 };
	view.sample.total_gbps = 64;
	check_parts(draw(&panel_figure, 31, 12), "all 4 cores 64.00 GB/s",
		"huge asked, 4k got: none of 64\nMiB could be got");
	check_contains(draw(&panel_figure, 46, 14), "node 1");
	/* They stay where there is little room, before counts of trials and large digits. */
	check_parts(draw(&panel_figure, 31, 7), "all 4 cores 64.00 GB/s",
		"huge asked, 4k got: none of 64");
	/* As asked is nothing to tell; what others streamed is. */
	view.facts.pages_note[0] = '\0';
	view.facts.cores = 1;
	view.facts.streams = 3;
	check_contains(draw(&panel_figure, 31, 12), "3 streams 48.00 GB/s");
	/* A sum that lacks one is none. */
	view.facts.streams = 0;
	view.facts.cores = 2;
	view.facts.others_gbps = view.sample.total_gbps = NAN;
	check_contains(draw(&panel_figure, 31, 14), "2 cores: the bandwidth of all");
	lacks(shown, "asked");
}

TEST(a_quiet_figure_stands_beside_a_contended_one)
{
	begin();
	view.quiet = view.sample;
	view.quiet.cpe = 0.498;
	view.quiet_age = 12.7;
	lacks(draw(&panel_figure, 31, 10), "quiet: ");
	view.sample.contended = true;
	check_contains(draw(&panel_figure, 31, 10), "quiet: 0.498, 12 s ago");
	view.quiet_age = 200;
	check_contains(draw(&panel_figure, 31, 10), "quiet: 0.498, 3 min ago");
	check_contains(draw(&panel_header, 80, 1), "contended");
	/* The smallest panel has the value with its whole age, or alone. */
	check_contains(draw(&panel_figure, 23, 10), "quiet: 0.498, 3 min ago\n");
	check_contains(draw(&panel_figure, 22, 10), "quiet: 0.498\n");
	view.quiet_age = 0.4;
	check_contains(draw(&panel_figure, 23, 10), "quiet: 0.498 just now\n");
}

/* The smallest panel of the measured value leaves words out, but ends no line within them. */
TEST(lines_of_a_small_figure_are_whole)
{
	begin();
	view.pinned = view.a_comparable = true;
	view.a = view.sample;
	view.a.provisional = true;
	view.a_setting = view.setting;
	view.a_limit = LIMIT_COUNT;
	view.ratio = 1.004;
	draw(&panel_figure, 23, 7);
	check_parts(shown, "A 2.000 this setting\n", "B/A  1.004  uncertain\n");
}

/* B of that CPE, its quartiles one per cent to either side; A is 2. */
/* Live figures rest meanwhile, and say so. */
TEST(a_probe_under_way_is_told_wherever_a_figure_waits)
{
	static struct probe_report report;

	begin();
	report.done = 0.316;
	view.probe = &report;
	view.probing = true;
	check_contains(draw(&panel_header, 80, 1), "probing 31 %");
	view.sample.valid = false;
	check_contains(draw(&panel_figure, 31, 12), "measured after the probe");
	lacks(shown, "measuring");
	view.frozen = true;
	check_contains(draw(&panel_header, 80, 1), "frozen");
	view.frozen = view.probing = false;
	check_contains(draw(&panel_header, 80, 1), "measuring");
	check_contains(draw(&panel_figure, 31, 12), "measuring");
	view.probe = NULL;
}

static void compare_with(double cpe)
{
	view.pinned = view.a_comparable = true;
	view.a_setting = view.setting;
	view.a = view.sample;
	view.a_limit = LIMIT_COUNT;
	view.sample.cpe = cpe;
	view.sample.cpe_lo = 0.99 * cpe;
	view.sample.cpe_hi = 1.01 * cpe;
	view.ratio = cpe / view.a.cpe;
}

TEST(a_difference_within_the_spread_is_none)
{
	begin();
	compare_with(1.98);
	check_contains(draw(&panel_figure, 60, 14), "equal within the spread");
	lacks(shown, "faster");
	begin();
	compare_with(1.5);
	check_contains(draw(&panel_figure, 60, 14), "B is 1.33x faster");
	lacks(shown, "B contended");
	/* The wide quartiles of a contended value overlap those of a value that differs by far. */
	view.a.contended = true;
	view.sample.cpe_hi = 1.2 * view.a.cpe;
	check_contains(draw(&panel_figure, 60, 14), "uncertain: spreads overlap, A contended");
	lacks(shown, "equal");
	view.sample.cpe_hi = 1.01 * view.sample.cpe;
	view.a.contended = true;
	view.sample.provisional = true;
	check_contains(
		draw(&panel_figure, 60, 14), "B is 1.33x faster, A contended, B provisional");
}

TEST(a_low_panel_keeps_the_comparison)
{
	for (int contended = 0; contended < 2; contended++) {
		begin();
		compare_with(1.5);
		view.sample.contended = contended;
		check_contains(draw(&panel_figure, 24, 6), "B/A  0.750");
		lacks(shown, "reference clock");
	}
	begin();
	check_contains(draw(&panel_figure, 24, 6), "reference clock");
}

TEST(a_mean_above_the_quartiles_has_its_words)
{
	begin();
	view.sample.cpe_hi = view.sample.cpe;
	check_contains(draw(&panel_figure, 46, 14), "mean; a quarter of the trials: under 1.990");
	check_contains(draw(&panel_figure, 31, 14), "mean; a quarter is under 1.990");
}

TEST(what_a_has_of_its_own_is_cut_at_a_word)
{
	begin();
	compare_with(1.5);
	view.a_setting.kernel = &kernel_walk;
	setting_init(&view.a_setting, &kernel_walk);
	/* The size is the same; the rest has no room. */
	check_contains(draw(&panel_figure, 31, 14), "A    2.000  walk-list ..\n");
	check_contains(draw(&panel_figure, 70, 14), "walk-list spacing=16 order=sequential\n");
	/* What bound it is said where there is room. */
	view.a_limit = LIMIT_LATENCY;
	check_contains(draw(&panel_figure, 70, 14), "order=sequential, limit: latency\n");
	check_contains(draw(&panel_figure, 31, 14), "A    2.000  walk-list ..\n");
}

TEST(what_is_being_read_keeps_its_room)
{
	static struct explanation before;

	begin();
	before.loop.insn_count = 12;
	view.outline = &before;
	snprintf(view.limits_note, sizeof(view.limits_note), "reading the code");
	assert_true(panel_code.wanted(&view));
	assert_in_range(panel_code.best_rows(&view), 12, 18);
	assert_string_equal(title(&panel_code), "code");
	check_contains(draw(&panel_code, 60, 8), "reading the code");
	check_contains(draw(&panel_limits, 60, 8), "reading the code");
	check_contains(draw(&panel_figure, 40, 12), "reading the code");
}

TEST(the_strip_does_not_reach_below_nothing)
{
	begin();
	view.strip_count = 40;
	for (int i = 0; i < 40; i++)
		view.strip[i] = (struct view_tick){ i % 2 ? 0.1 : 3, TRIAL_QUIET };
	draw(&panel_trials, 60, 8);
	check_contains(shown, "0.000");
	lacks(shown, "-1.");
	check_contains(shown, "^v off the scale");
}

TEST(the_title_never_gives_another_cells_figure)
{
	begin();
	view.grid = (struct view_grid){ .present = true,
		.size_knob = FOLD_SIZE,
		.stride_knob = FOLD_STRIDE,
		.nx = 2,
		.ny = 2,
		.x = { 1, 2 },
		.y = { 32768, 65536 },
		.gbps = { { 31, 32 }, { 33, 34 } },
		.top = 34 };
	assert_string_equal(title(&panel_mountain), "mountain: 31.00 GB/s T at 32k, stride 1");
	check_contains(draw(&panel_mountain, 56, 6), "@");
	view.setting.v[FOLD_SIZE] = 48 * 1024;
	view.grid.place_y = axis_find(view.grid.y, 2, view.setting.v[FOLD_SIZE]);
	assert_string_equal(title(&panel_mountain), "mountain: here 48k, stride 1");
	lacks(draw(&panel_mountain, 56, 6), "@");
	/* Between the two rows, each of two lines. */
	check_parts(shown, "      >#", "64k >#");
	view.setting.v[FOLD_STRIDE] = 64;
	view.grid.place_x = axis_find(view.grid.x, 2, 64);
	view.grid.contended[1][1] = true;
	assert_string_equal(title(&panel_mountain),
		"mountain: here 48k, stride 64, off the grid  (× contended)\n"
		"mountain: here 48k, stride 64, off the grid  (× contended)\n"
		"mountain: here 48k, stride 64, off the grid");
	lacks(draw(&panel_mountain, 56, 6), "@");
	check_contains(shown, "x");
}

/* The arrows are on the mountain, which has few rows, because a lesson is above it. */
TEST(a_low_mountain_stays_in_its_box)
{
	begin();
	view.grid = (struct view_grid){ .present = true,
		.size_knob = FOLD_SIZE,
		.stride_knob = FOLD_STRIDE,
		.nx = 8,
		.ny = 14,
		.top = 34 };
	for (int i = 0; i < 14; i++) {
		view.grid.x[i % 8] = i % 8 + 1;
		view.grid.y[i] = 4096 << i;
	}
	view.screen.front = view.screen.focus = "mountain";
	for (int height = 1; height < 24; height++)
		draw(&panel_mountain, 56, height);
}

/* Beside the cycles: instructions with their source, and what memory brings. */
TEST(instructions_and_traffic_stand_beside_the_figure)
{
	begin();
	sample_ratios_none(&view.sample_ratios);
	lacks(draw(&panel_figure, 50, 16), "instructions");
	view.sample_ratios.instructions = 5;
	view.sample_ratios.instructions_from = SOURCE_STEPPED;
	view.sample_ratios.cpi = 0.4;
	view.sample_ratios.traffic = 3.21;
	view.sample_ratios.peak = 11.4;
	view.sample_ratios.share = 3.21 / 11.4;
	view.sample_ratios.lines_from = SOURCE_MODEL;
	check_parts(draw(&panel_figure, 50, 16), "5.000 instructions (stepped), CPI 0.400",
		"M 3.210 GB/s from memory, 28 % of peak");
	check_contains(draw(&panel_figure, 32, 16), "5.000 instr (stepped), CPI 0.400");
	view.sample_ratios.instructions = 1234.5;
	check_contains(draw(&panel_figure, 28, 16), "instr S, CPI 0.400");
}

/* How many bytes a search touches its data decide: no rate is made up, and none is left out in its
 * place. */
TEST(a_rate_that_nobody_knows_is_not_shown)
{
	begin();
	check_parts(draw(&panel_figure, 50, 16), " 0.500 ns  T   16.00 GB/s    T",
		" 4.000 GHz R   4.000 B/cycle R");
	view.sample.gbps = view.sample.bytes_per_cycle = NAN;
	for (int width = 20; width <= 50; width += 10) {
		check_parts(draw(&panel_figure, width, 16), " 0.500 ns", " 4.000 GHz");
		check_lacks(shown, "GB/s", "B/cycle");
	}
	view.sample.ns = NAN;
	view.sample.gbps = 16;
	check_contains(draw(&panel_figure, 50, 16), " 16.00 GB/s    T");
	lacks(shown, " ns ");
}

/* While the core measures itself one line says how far it is, but what a key brought about comes
 * first. */
TEST(a_message_comes_before_how_far_the_core_is)
{
	struct characterise_report report = { .done = 0.37, .doing = "latency of fadd" };

	begin();
	view.probing = true;
	view.characterising = &report;
	check_contains(draw(&panel_notice, 80, 1), "37 %: latency of fadd");
	snprintf(view.screen.notice, sizeof(view.screen.notice), "there is no sample to pin yet");
	check_contains(draw(&panel_notice, 80, 1), "there is no sample to pin yet");
	view.screen.notice[0] = '\0';
	report.doing[0] = '\0';
	check_contains(draw(&panel_notice, 80, 1), "37 %;");
	/* On the smallest screens, too, it is not the probe. */
	view.sample.valid = false;
	check_parts(draw(&panel_line, 40, 12), "measured after the core", "characterising");
	lacks(shown, "prob");
	lacks(draw(&panel_line, 30, 2), "prob");
	view.characterising = NULL;
	check_contains(draw(&panel_line, 40, 12), "measured after the probe");
}

/* While data are laid out: how far, in place of the figure. */
TEST(a_long_preparation_says_how_far_it_is)
{
	begin();
	view.sample.valid = false;
	view.measuring = true;
	view.waiting = 0.5;
	view.ahead = (struct progress_seen){ .stage = STAGE_LAYING, .share = 0.43 };
	view.ahead_left = 12;
	view.setting.v[FOLD_SIZE] = 384 << 20;
	check_parts(draw(&panel_figure, 40, 12), "laying out 384 MiB: 43 %",
		"about 12 s left; Esc ends it");
	view.ahead_left = NAN;
	check_contains(draw(&panel_figure, 40, 12), "Esc ends it");
	view.waiting = 0.1;
	lacks(draw(&panel_figure, 40, 12), "laying out");
}

TEST(a_small_screen_says_how_far_a_probe_is)
{
	struct probe_report report = { .done = 0.316 };

	begin();
	view.probe = &report;
	view.probing = true;
	check_contains(draw(&panel_line, 40, 10), "probing 31 %");
	view.probe = NULL;
	view.probing = false;
}

TEST(the_knobs_help_ends_at_a_semicolon_where_rows_are_short)
{
	struct knob knobs[] = { fold_knobs[FOLD_UNROLL] };
	struct kernel kernel = { .name = "one", .knobs = knobs, .knob_count = 1 };

	knobs[0].help = "only for rd, wr, rdwr, cp; places of width bytes to the next";
	view_begin(&kernel);
	check_parts(draw(&panel_knobs, 40, 5), "rdwr, cp; places", "next");
	check_contains(draw(&panel_knobs, 29, 3), "only for rd, wr, rdwr, cp\n");
	lacks(draw(&panel_knobs, 29, 2), "only");
	knobs[0].help = "either the one of the two, or else the other";
	lacks(draw(&panel_knobs, 29, 3), "either");
}

/* Choices of several words have their digit keys in every list: "-O2 -O3 -O3 -march=native" could
 * be four. */
TEST(choices_of_several_words_have_their_digits)
{
	static const char *const flags[] = { "-O2", "-O3", "-O3 -march=native", NULL };
	struct knob knobs[] = { { .name = "cflags",
		.kind = KNOB_CHOICE,
		.choices = flags,
		.max = 2,
		.help = "flags" } };
	struct kernel kernel = { .name = "one", .knobs = knobs, .knob_count = 1 };

	view_begin(&kernel);
	for (int width = 24; width <= 50; width++)
		check_contains(draw(&panel_knobs, width, 4), "1 -O2  2 -O3  3 -O3");
}

/* Fails if the drawn text does not hold `part` exactly once. */
static void check_once(const char *drawn, const char *part)
{
	const char *first = strstr(drawn, part);

	assert_non_null(first);
	assert_null(strstr(first + 1, part));
}

TEST(panels_say_nothing_twice)
{
	static struct windows_report report = { .count = 1 };
	struct windows_row *row = &report.row[0];
	struct kernel own = kernel_fold;

	*row = (struct windows_row){ .filler = "nop",
		.fact = &window_fillers[window_kind("nop")],
		.entries = 448,
		.contended = true,
		.knee = { .kind = KNEE_SHARP, .x = 441, .lo = 440, .hi = 442 } };
	view_begin(&kernel_fold);
	view.windows = &report;
	view.window = row;
	check_once(draw(&panel_windows, 78, 10), "another thread");
	row->knee = (struct knee){ .kind = KNEE_NONE, .x = NAN };
	check_once(draw(&panel_windows, 78, 10), "another thread");

	own.own = (const struct own *)&own;
	own.title = own.document = "your own loop";
	view_begin(&own);
	check_once(draw(&panel_about, 40, 10), "your own loop");
	own.own = NULL;
	own.document = "a book";
	check_parts(draw(&panel_about, 40, 10), "your own loop", "a book");
}

/* The numbers of a timeline differ from the prediction: a short title still has both. */
TEST(the_title_of_a_timeline_keeps_the_prediction)
{
	struct timeline timeline = { .known = true,
		.cycles = 1.796,
		.predicted = 1.833,
		.elements = 2,
		.differs = true,
		.by = LIMIT_SCHEDULING };

	begin();
	view.timeline = &timeline;
	check_parts(title(&panel_timeline), "timeline: 1.796 cycles an iteration of 2 elements, ",
		"\ntimeline: 1.796 cycles, 1.833 predicted by scheduling\n",
		"1.796 cycles, 1.833 predicted");
}

RUN_TESTS(.set_up = set_up, .tear_down = free_explanation)
