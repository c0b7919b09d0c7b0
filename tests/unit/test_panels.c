/* What panels say of views that no engine would bring about at will. */
#include "drawn.h"
#include "fakes.h"

#include <locale.h>

#include "experiment/characterise/characterise.h"
#include "experiment/cost/cost.h"
#include "experiment/probe/probe.h"
#include "experiment/windows/windows.h"
#include "kernels/window.h"

extern const struct panel panel_figure, panel_strip, panel_header, panel_mountain, panel_ladder,
	panel_ports, panel_code, panel_source, panel_notice, panel_line, panel_about, panel_windows,
	panel_knobs;

/* A view of one quiet sample. */
static void begin(void)
{
	view_begin(&kernel_fold);
	view.sample.dropped = 1509;
	view.sample.quiet = 0.12;
}

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
	check_contains(draw(&panel_ladder, 60, 8), "reading the code");
	check_contains(draw(&panel_figure, 40, 12), "reading the code");
}

TEST(the_strip_does_not_reach_below_nothing)
{
	begin();
	view.strip_count = 40;
	for (int i = 0; i < 40; i++)
		view.strip[i] = (struct view_tick){ i % 2 ? 0.1 : 3, TRIAL_QUIET };
	draw(&panel_strip, 60, 8);
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

/* ---- limits ---- */

static struct explanation *explanation;
static struct core core;

/* Two hard limits, a soft effect, one that is not known; three instructions, the first two a chain.
 */
static void begin_limits(void)
{
	static const char *const texts[] = { "imul rax, rbx", "add rax, rcx", "bogus" };
	struct limits *limits;

	begin();
	if (!explanation)
		explanation = explanation_new();
	limits = &explanation->limits;
	limits_clear(limits);
	limits->binding = limits->predicted_by = 0;
	limits_reserve(limits, 3);
	core = (struct core){ .name = "own",
		.title = "Own Core",
		.port_count = 3,
		.port = { "p0", "p1", "div" },
		.unit = { false, false, true } };
	limits->limit_count = 4;
	limits->limit[0] =
		(struct limit){ LIMIT_SCHEDULING, true, false, false, 4.5, 4.5, "the soft cause" };
	limits->limit[1] =
		(struct limit){ LIMIT_LATENCY, true, true, false, 4, 4, "the hard cause" };
	limits->limit[2] =
		(struct limit){ LIMIT_WIDTH, true, true, false, 1, 1, "the width's cause" };
	limits->limit[3] = (struct limit){ LIMIT_MEMORY_LINES, false, true, false, 0, 0,
		"the missing number" };
	limits->binding = 1;
	limits->bound = 4;
	limits->predicted = 4.5;
	limits->turns = limits->elements = 1;
	limits->slots = 2;
	limits->unknown = 1;
	limits->port_count = 3;
	limits->pressure[0] = 1.5;
	limits->pressure[1] = 0.5;
	limits->naive[0] = limits->naive[1] = 1;
	limits->bottleneck = 1;
	limits->chain.cycles = 4;
	loop_clear(&explanation->loop);
	explanation->loop.insn_count = 3;
	for (int i = 0; i < 3; i++) {
		struct insn *insn = &explanation->loop.insn[i];

		*insn = (struct insn){ .address = 0x400000 + (uint64_t)i * 4,
			.length = 4,
			.known = true,
			.write_count = 1 };
		snprintf(insn->text, sizeof(insn->text), "%s", texts[i]);
		limits->insn[i] = (struct limit_insn){
			.known = i < 2, .carried = i < 2, .slots = 1, .latency = 3, .count = 1
		};
		snprintf(limits->insn[i].ports, sizeof(limits->insn[i].ports), "p%d", i);
	}
	view.sample.cpe = 4.4;
	view.explanation = explanation;
	view.core = &core;
	view.gap = (struct gap){ .kind = GAP_SOFT, .words = "the gap's words", .brief = "+0.400" };
	view.advice = (struct advice){ .kind = ADVICE_KNOB,
		.to = 2,
		.words = "acc=2 shortens the chain: 2.000 predicted",
		.set = "acc=2",
		.brief = "acc=2" };
}

TEST(the_ladder_tells_hard_from_soft_and_unknown)
{
	begin_limits();
	draw(&panel_ladder, 78, 12);
	check_parts(shown, "(soft) ", " 4.500 <- predicted", " 4.000 <- binds",
		"unknown: the missing number", "measured", " 4.400 R", "the hard cause");
	lacks(shown, "the width's cause");
	check_parts(shown, "the gap's words", "r: acc=2 shortens the chain");
	/* A soft bar has other marks than a hard one. */
	check_parts(shown, "(soft) ....", " ####");
	/* Wide, each has its cause beside it. */
	check_parts(draw(&panel_ladder, 120, 10), "the width's cause", "quartiles 1.990 .. 2.010");
	/* Low, what has no place is counted. */
	check_parts(draw(&panel_ladder, 60, 7), "more", "1 unknown", "measured");
	/* Limits that the advice names have rows, before higher ones. */
	lacks(shown, "the missing number");
	view.advice.about = UINT64_C(1) << LIMIT_MEMORY_LINES;
	check_parts(draw(&panel_ladder, 60, 7), "scheduling", "<- binds", "the missing number");
	lacks(shown, "width");
	view.advice.about = 0;
	/* A counted limit has the digits that its own row would have. */
	explanation->limits.limit[2].cpe = 0.0625;
	check_contains(draw(&panel_ladder, 60, 7), "up to 0.0625");
	/* Very low, the binding one is still there, though a soft one is higher. */
	check_parts(draw(&panel_ladder, 60, 4), "binds", "measured");
}

/* A cause that is a list is never shown without its end, as if the rest were not there. */
TEST(the_ladder_does_not_end_a_list_at_a_comma)
{
	begin_limits();
	snprintf(explanation->limits.limit[1].cause, sizeof(explanation->limits.limit[1].cause),
		"chain of 1 address computation, 1 locked operation, 1 conditional move: 20 "
		"cycles");
	for (int width = 40; width <= 80; width++) {
		draw(&panel_ladder, width, 6);
		if (strstr(shown, "address computation"))
			check_contains(shown, "address computation,");
	}
	explanation->waits = "the next node's address is in this node";
	lacks(draw(&panel_ladder, 48, 7), "The next load waits\n");
	explanation->waits = NULL;
}

/* Where rows are short, the cause of the gap stays, and the advice gives way. */
TEST(the_ladder_keeps_the_likely_cause_before_the_advice)
{
	static const char words[] =
		"0.500 (100 %) above the limit; likely taken-branches: 2 taken branches, 1 a cycle";

	begin_limits();
	view.gap = (struct gap){ .kind = GAP_ABOVE, .likely = true };
	snprintf(view.gap.words, sizeof(view.gap.words), "%s", words);
	view.advice = (struct advice){ .kind = ADVICE_SENTENCE,
		.words = "Jump less: unroll the loop, and let the likely way fall through." };
	check_parts(
		draw(&panel_ladder, 60, 12), "likely taken-branches: 2", "1 a cycle", "Jump less");
	check_parts(draw(&panel_ladder, 60, 7), "likely taken-branches: 2", "1 a cycle");
	lacks(shown, "Jump less");
	/* Without a cause, the advice stays. */
	view.gap.likely = false;
	check_contains(draw(&panel_ladder, 60, 7), "Jump less");
}

/* The state of the measured value stands whole before the quartiles. */
TEST(the_ladder_shows_a_contended_value_as_a_whole_word)
{
	begin_limits();
	view.sample.contended = true;
	check_contains(draw(&panel_ladder, 120, 10), " 4.400 R contended");
	explanation->limits.predicted_by = explanation->limits.binding;
	check_contains(draw(&panel_ladder, 120, 10), "contended, quartiles 1.990 .. 2.010");
	view.sample.contended = false;
}

/* Under the bars: what the next load waits for, and where others published another order. */
TEST(the_ladder_says_what_the_next_load_waits_for)
{
	begin_limits();
	explanation->waits = "the next node's address is in this node";
	snprintf(view.order, sizeof(view.order),
		"published: array before interleaved; here interleaved is 2.10 times as fast");
	draw(&panel_ladder, 100, 20);
	check_parts(shown, "the next node's address is in this node",
		"published: array before interleaved; here interleaved is 2.10 times as fast");
	/* Without its end, the sentence says nothing: it gives way. */
	draw(&panel_ladder, 50, 8);
	lacks(shown, "The next load");
	check_contains(shown, "published: array");
	explanation->waits = NULL;
}

/* Published cycles have their core and source: per element next to the limit, and under the bars
 * per iteration, with the remark. */
TEST(published_cycles_are_shown_with_their_source)
{
	const struct published published = { .core = "skylake",
		.cycles = 4.01,
		.source = "Downs, Performance Speed Limits",
		.remark = "The ports differ." };
	const double elements = explanation->limits.elements, turns = explanation->limits.turns;

	begin_limits();
	explanation->limits.elements = 2;
	explanation->limits.turns = 1;
	draw(&panel_ladder, 100, 20);
	assert_null(strstr(shown, "published"));
	view.published = &published;
	draw(&panel_ladder, 100, 20);
	check_parts(shown, "published: 4.01 cycles an iteration, 2.005 per",
		"on skylake (Downs, Performance Speed Limits)", "The ports differ.");
	check_parts(draw(&panel_figure, 46, 16), "published 2.005 on skylake");
	explanation->limits.elements = elements;
	explanation->limits.turns = (int)turns;
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

/* What is frozen is not being measured; but a request that is under way ends. */
TEST(the_ladder_waits_for_no_figure_while_frozen)
{
	begin_limits();
	view.sample.valid = false;
	check_contains(draw(&panel_ladder, 60, 12), "measuring");
	view.frozen = true;
	check_contains(draw(&panel_ladder, 60, 12), "not measured");
	lacks(shown, "measuring");
	view.measuring = true;
	check_contains(draw(&panel_ladder, 60, 12), "measuring");
}

TEST(another_core_is_named_in_each_title)
{
	static const struct panel *const panels[] = { &panel_ladder, &panel_ports };

	begin_limits();
	view.foreign = true;
	for (size_t i = 0; i < 2; i++) {
		check_contains(title(panels[i]), "Own Core");
		check_contains(title(panels[i]), "not this core");
	}
	check_contains(draw(&panel_figure, 60, 14), "limit 4.000 M latency on own");
	view.foreign = false;
	view.nearest = true;
	for (size_t i = 0; i < 2; i++) {
		check_contains(title(panels[i]), "the nearest");
	}
	check_contains(draw(&panel_figure, 60, 14), "on own, assumed");
	check_contains(title(&panel_code), "code on own: 3 instructions");
}

TEST(the_figure_has_limit_gap_and_key)
{
	begin_limits();
	check_parts(draw(&panel_figure, 31, 10), "limit 4.000 M latency, +0.400\n",
		"r acc=2: 2.000 predicted");
	view.explanation = NULL;
	snprintf(view.limits_note, sizeof(view.limits_note), "core not recognised; nearest: X");
	check_contains(draw(&panel_figure, 31, 12), "core not recognised\n");
}

/* A narrow row leaves out the spread of a prediction before the gap. */
TEST(a_narrow_row_keeps_the_gap)
{
	begin_limits();
	explanation->limits.limit[1].spread = 0.125;
	check_parts(draw(&panel_line, 59, 12), "limit 4.000", "0.125 M latency, +0.400");
	check_contains(draw(&panel_line, 30, 12), "limit 4.000 M latency, +0.400");
	explanation->limits.limit[1].spread = 0;
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

TEST(ports_and_units_stand_apart)
{
	begin_limits();
	draw(&panel_ports, 40, 8);
	check_parts(shown, "p0 ", "1.50<-", "units\ndiv");
	/* The even split has its mark where it differs. */
	check_parts(shown, "|", "split evenly");
	check_contains(draw(&panel_ports, 40, 3), "and 2 less full");
	explanation->limits.naive[0] = 1.5;
	explanation->limits.naive[1] = 0.5;
	check_contains(draw(&panel_ports, 40, 8), "an even split is best");
	/* A unit with a long name leaves the values of all ports their columns. */
	snprintf(core.port[2], sizeof(core.port[2]), "permute-two");
	check_parts(draw(&panel_ports, 21, 8), "1.50<-", "0.50", "permut", "0.00");
}

TEST(code_shows_chain_fusion_and_the_unknown)
{
	begin_limits();
	assert_string_equal(title(&panel_code),
		"code: 3 instructions, 2 micro-ops for 1 element, 1 unknown\n"
		"code: 3 instructions, 2 micro-ops for 1 element, 1 unknown\n"
		"code: 3 instructions, 2 micro-ops, 1 unknown");
	draw(&panel_code, 60, 8);
	check_parts(shown, "+@  0 imul rax, rbx", "+@  4 add rax, rcx", "?  unknown",
		"the carried chain: 4 cycles");
	lacks(shown, "runs");
	explanation->limits.insn[1].fused = true;
	explanation->limits.insn[1].count = 0.5;
	explanation->limits.insn[0].eliminated = true;
	draw(&panel_code, 60, 8);
	check_parts(shown, "+@+ 0 imul", "x0.50", "eliminated");
	/* Two of three lines, from the second on. */
	view.code_first = 7;
	draw(&panel_code, 60, 3);
	lacks(shown, "imul");
	check_contains(shown, "bogus");
	snprintf(explanation->loop.insn[2].text, sizeof(explanation->loop.insn[2].text),
		"jne 0x400004");
	explanation->loop.insn[2].flow = FLOW_BRANCH;
	explanation->loop.insn[2].target = 0x400004;
	check_contains(draw(&panel_code, 60, 3), "jne -> 4 ");
	explanation->loop.insn[2].target = 0x400400;
	check_contains(draw(&panel_code, 60, 3), "jne 0x400004");
	snprintf(explanation->loop.insn[2].text, sizeof(explanation->loop.insn[2].text),
		"jne 0x400400");
	check_contains(draw(&panel_code, 60, 3), "jne -> outside");
	explanation->loop.stepped = true;
	explanation->loop.turns = 128;
	explanation->loop.insns_per_element = 7.25;
	assert_string_equal(title(&panel_code),
		"code, S: stepped 128 turns, 7.25 instructions an element, 1 unknown\n"
		"code, S: 7.25 instructions an element, 1 unknown");
}

/* The cost of each instruction, with its error and the model's cost as far as there is room. */
TEST(code_shows_the_cost_of_each_instruction)
{
	static struct cost_report cost;
	const struct cost_value unknown = { NAN, NAN, NAN };

	begin_limits();
	cost = (struct cost_report){ .count = 2, .cpe = { 4, 4, 4 } };
	cost.insn[0] = (struct cost_insn){
		.cost = { 3, 2.96, 3.04 }, .twice = { 0, 0, 0 }, .later = { 1, 1, 1 }, .model = 3
	};
	cost.insn[1] = (struct cost_insn){ .offset = 4, .cost = unknown, .model = 1 };
	view.cost = &cost;
	check_contains(title(&panel_code), ", P cost per element");
	/* The shortest wording names no column that has no room. */
	explanation->loop.stepped = true;
	assert_null(strstr(strrchr(title(&panel_code), '\n'), "P cost"));
	explanation->loop.stepped = false;
	check_parts(draw(&panel_code, 80, 9), "P cost        M cost", "3.00 +-0.04   3.00", "..",
		"1.00");
	lacks(shown, "sum of P costs");
	cost.insn[1].cost = (struct cost_value){ 1, 1, 1 };
	check_contains(draw(&panel_code, 80, 9), "sum of P costs: 4.00 of 4.00 cycles per element");
	lacks(draw(&panel_code, 52, 9), "M cost");
	check_contains(shown, "P cost");
	/* Less than the loop's cycles has a meaning, if there is room for it. */
	cost.insn[1].cost = (struct cost_value){ 0.5, 0.5, 0.5 };
	check_contains(draw(&panel_code, 110, 9), "3.50 of 4.00 cycles per element; the rest: no");
	check_contains(draw(&panel_code, 60, 9), "sum of P costs: 3.50 of 4.00 cycles per element");
	/* What cannot be is not shown. */
	cost.insn[1].cost = (struct cost_value){ -5, -5, -5 };
	lacks(draw(&panel_code, 80, 9), "-5.00");
	cost.status = status_failed("two speeds");
	check_contains(draw(&panel_code, 80, 10), "P cost unavailable: two speeds");
	lacks(shown, "3.00 +-0.04");
	cost.status = status_ok();
	cost.insn[1].cost = (struct cost_value){ 1, 1, 1 };
	/* The noise of a contended core is no cost. */
	cost.insn[1].contended = true;
	check_parts(draw(&panel_code, 80, 10), "?", "core contended: 1 cost not shown");
	cost.insn[1].contended = false;
	set_words(cost.insn[1].why_twice, "a second execution would change memory again");
	set_words(cost.insn[1].why_later, "the result is in memory");
	check_contains(
		draw(&panel_code, 80, 10), "-: a second execution would change memory again");
	lacks(shown, "sum of P costs");
	/* A long list of ports leaves room for the costs. */
	snprintf(explanation->limits.insn[0].ports, sizeof(explanation->limits.insn[0].ports),
		"p0-3 + p0-3 + p4-7 + micro:20");
	check_parts(draw(&panel_code, 60, 9), "imul rax, rbx", "P cost", "  3.00");
	explanation->loop.insn[1].flow = FLOW_BRANCH;
	check_contains(draw(&panel_code, 80, 10), " jump ");
	cost = (struct cost_report){ .status = status_failed("the loop is too long") };
	check_contains(draw(&panel_code, 80, 9), "P cost unavailable: the loop is too long");
	lacks(shown, "M cost");
	view.cost = NULL;
}

TEST(source_keeps_its_loop_in_sight)
{
	struct listing *listing = listing_parse("kernels/x.c",
		"int f(int n)\n{\n\tint a = 0;\n\tint b = 1;\n\n\twhile (n--)\n"
		"\t\ta += b;\n\treturn a;\n}\n",
		"f");

	begin();
	view.listing = listing;
	check_parts(draw(&panel_source, 40, 9), "1   int f(int n)\n", "6 +     while (n--)\n",
		"7 +         a += b;\n");
	draw(&panel_source, 40, 3);
	lacks(shown, "int f");
	check_parts(shown, "while (n--)", "a += b;");
	draw(&panel_source, 40, 1);
	check_contains(shown, "while (n--)");
	listing_free(listing);
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
