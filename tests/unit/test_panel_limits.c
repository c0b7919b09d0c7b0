/* How the panels show limits, the gap and published values. */
#include "limits_view.h"

extern const struct panel panel_figure, panel_trials, panel_header, panel_mountain, panel_limits,
	panel_ports, panel_code, panel_source, panel_notice, panel_line, panel_about, panel_windows,
	panel_knobs;

TEST(the_panel_of_limits_tells_hard_from_soft_and_unknown)
{
	begin_limits();
	draw(&panel_limits, 78, 12);
	check_parts(shown, "(soft) ", " 4.500 <- predicted", " 4.000 <- binds",
		"unknown: the missing number", "measured", " 4.400 R", "the hard cause");
	lacks(shown, "the width's cause");
	check_parts(shown, "the gap's words", "r: acc=2 shortens the chain");
	/* A soft bar has other marks than a hard one. */
	check_parts(shown, "(soft) ....", " ####");
	/* Wide, each has its cause beside it. */
	check_parts(draw(&panel_limits, 120, 10), "the width's cause", "quartiles 1.990 .. 2.010");
	/* Low, what has no place is counted. */
	check_parts(draw(&panel_limits, 60, 7), "1 more limit, 1.000; 1 unknown", "measured");
	/* Limits that the advice names have rows, before higher ones. */
	lacks(shown, "the missing number");
	view.advice.about = UINT64_C(1) << LIMIT_MEMORY_LINES;
	check_parts(draw(&panel_limits, 60, 7), "scheduling", "<- binds", "the missing number");
	lacks(shown, "width");
	view.advice.about = 0;
	/* A counted limit has the digits that its own row would have. */
	explanation->limits.limit[2].cpe = 0.0625;
	check_contains(draw(&panel_limits, 60, 7), "1 more limit, 0.0625");
	/* Very low, the binding one is still there, though a soft one is higher. */
	check_parts(draw(&panel_limits, 60, 4), "binds", "measured");
}

/* The cycles of a cause are those of an iteration: if the cause has no room for its number of
 * elements, the title has it. Whichever fits, one of both is on the screen. */
TEST(the_panel_of_limits_or_its_title_says_for_how_many_elements_a_cause_counts)
{
	enum { HERE, OTHER, NEAR, WAYS };

	begin_limits();
	explanation->limits.elements = 8;
	snprintf(explanation->limits.limit[1].cause, sizeof(explanation->limits.limit[1].cause),
		"4.5 cycles, and 4 mispredictions of 20.5 with their waits");
	for (int way = HERE; way < WAYS; way++) {
		view.foreign = way == OTHER;
		view.nearest = way == NEAR;
		for (int width = 48; width <= 110; width++) {
			struct layout layout = { .count = 1,
				.item = { { "limits", { .width = width, .height = 12 } } } };
			struct scene scene = { .view = &view, .layout = &layout };
			struct words title = panel_limits.title_of(&scene);
			struct canvas canvas;

			canvas_init(&canvas, width, 1, true);
			panels_rule(canvas_box(&canvas), title.text, false);
			title = words_of("%s", printed(&canvas));
			canvas_free(&canvas);
			if (!strstr(draw(&panel_limits, width, 12), "8 elements"))
				check_contains(title.text, "8 elements");
		}
	}
	view.foreign = view.nearest = false;
	explanation->limits.elements = 1;
}

/* A cause that is a list is never shown without its end, as if the rest were not there. */
TEST(the_panel_of_limits_does_not_end_a_list_at_a_comma)
{
	begin_limits();
	snprintf(explanation->limits.limit[1].cause, sizeof(explanation->limits.limit[1].cause),
		"chain of 1 address computation, 1 locked operation, 1 conditional move: 20 "
		"cycles");
	for (int width = 40; width <= 80; width++) {
		draw(&panel_limits, width, 6);
		if (strstr(shown, "address computation"))
			check_contains(shown, "address computation,");
	}
	explanation->waits = "the next node's address is in this node";
	lacks(draw(&panel_limits, 48, 7), "The next load waits\n");
	explanation->waits = NULL;
}

/* Where rows are short, the cause of the gap stays, and the advice gives way. */
TEST(the_panel_of_limits_keeps_the_likely_cause_before_the_advice)
{
	static const char words[] =
		"0.500 (100 %) above the limit; likely taken-branches: 2 taken branches, 1 a cycle";

	begin_limits();
	view.gap = (struct gap){ .kind = GAP_ABOVE, .likely = true };
	snprintf(view.gap.words, sizeof(view.gap.words), "%s", words);
	view.advice = (struct advice){ .kind = ADVICE_SENTENCE,
		.words = "Jump less: unroll the loop, and let the likely way fall through." };
	check_parts(
		draw(&panel_limits, 60, 12), "likely taken-branches: 2", "1 a cycle", "Jump less");
	check_parts(draw(&panel_limits, 60, 7), "likely taken-branches: 2", "1 a cycle");
	lacks(shown, "Jump less");
	/* Without a cause, the advice stays. */
	view.gap.likely = false;
	check_contains(draw(&panel_limits, 60, 7), "Jump less");
}

/* The panel shows the state of the measured value as a whole word, before the quartiles. */
TEST(the_panel_of_limits_shows_a_contended_value_as_a_whole_word)
{
	begin_limits();
	view.sample.contended = true;
	check_contains(draw(&panel_limits, 120, 10), " 4.400 R contended");
	explanation->limits.predicted_by = explanation->limits.binding;
	check_contains(draw(&panel_limits, 120, 10), "contended, quartiles 1.990 .. 2.010");
	view.sample.contended = false;
}

/* Under the bars: what the next load waits for, and where others published another order. */
TEST(the_panel_of_limits_says_what_the_next_load_waits_for)
{
	begin_limits();
	explanation->waits = "the next node's address is in this node";
	snprintf(view.order, sizeof(view.order),
		"published: array before interleaved; here interleaved is 2.10 times as fast");
	draw(&panel_limits, 100, 20);
	check_parts(shown, "the next node's address is in this node",
		"published: array before interleaved; here interleaved is 2.10 times as fast");
	/* Without its end, the sentence says nothing: it gives way. */
	draw(&panel_limits, 50, 8);
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
	draw(&panel_limits, 100, 20);
	assert_null(strstr(shown, "published"));
	view.published = &published;
	draw(&panel_limits, 100, 20);
	check_parts(shown, "published: 4.01 cycles an iteration, 2.005 per",
		"on skylake (Downs, Performance Speed Limits)", "The ports differ.");
	check_parts(draw(&panel_figure, 46, 16), "published 2.005 on skylake");
	explanation->limits.elements = elements;
	explanation->limits.turns = (int)turns;
}

/* What is frozen is not being measured; but a request that is under way ends. */
TEST(the_panel_of_limits_waits_for_no_figure_while_frozen)
{
	begin_limits();
	view.sample.valid = false;
	check_contains(draw(&panel_limits, 60, 12), "measuring");
	view.frozen = true;
	check_contains(draw(&panel_limits, 60, 12), "not measured");
	lacks(shown, "measuring");
	view.measuring = true;
	check_contains(draw(&panel_limits, 60, 12), "measuring");
}

TEST(another_core_is_named_in_each_title)
{
	static const struct panel *const panels[] = { &panel_limits, &panel_ports };

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

/* Without the cost of a misprediction, a prediction is the least that the loop takes. */
TEST(a_prediction_without_a_known_cost_says_at_least)
{
	struct limits *limits;

	begin_limits();
	limits = &explanation->limits;
	limits->limit[3] = (struct limit){ LIMIT_MISPREDICTION, false, false, true, 0, 0,
		"4 mispredictions; the cost of one is not known" };
	check_contains(draw(&panel_figure, 46, 12), "predicted at least 4.000 M latency, +0.400");
	check_contains(draw(&panel_line, 60, 12), "predicted at least 4.000 M latency");
	draw(&panel_limits, 78, 12);
	check_parts(shown, " 4.500 <- at least", "the cost of one is not known");
	/* Its row is not left out, and ends with a clause. */
	check_contains(draw(&panel_limits, 60, 7), "unknown: 4 mispredictions\n");
	/* The loop of a program has no measured value. */
	view.setting.kernel = &(struct kernel){
		.name = "main", .element = "iteration", .function = (const void *)""
	};
	view.sample.valid = false;
	check_parts(draw(&panel_figure, 46, 12), "predicted: at least this; not measured (M)");
	check_contains(draw(&panel_line, 60, 12), "at least");
	check_contains(draw(&panel_line, 60, 2), "predicted at least 4.500 M");
}

/* A port is said to bind only if it is busy for as long as the binding limit says. */
TEST(a_port_binds_only_if_the_limit_is_its_own)
{
	struct limits *limits;

	begin_limits();
	limits = &explanation->limits;
	limits->limit[1].kind = LIMIT_PORTS;
	limits->elements = 4;
	limits->turns = 2;
	limits->pressure[0] = 8;
	check_contains(draw(&panel_ports, 60, 12), "<- binds");
	/* Operations on ports that the core model does not know bind. */
	limits->pressure[0] = 1.5;
	check_contains(draw(&panel_ports, 60, 12), "<- fullest");
	lacks(shown, "binds");
	limits->limit[1].kind = LIMIT_LATENCY;
}

TEST(the_figure_has_limit_gap_and_key)
{
	begin_limits();
	check_parts(draw(&panel_figure, 31, 10), "limit 4.000 M latency, +0.400\n",
		"r acc=2: 2.000 predicted");
	check_contains(draw(&panel_figure, 46, 10), "limit 4.000 M latency, measured +0.400\n");
	/* Without the word "predicted", the value has its unit. */
	check_contains(draw(&panel_figure, 23, 10), "r acc=2: CPE 2.000 M");
	view.explanation = NULL;
	snprintf(view.limits_note, sizeof(view.limits_note), "core not recognised; nearest: X");
	check_contains(draw(&panel_figure, 31, 12), "core not recognised\n");
}

/* A narrow row leaves out the spread of a prediction before the gap. */
TEST(a_narrow_row_keeps_the_gap)
{
	begin_limits();
	explanation->limits.limit[1].spread = 0.125;
	check_parts(draw(&panel_line, 59, 12), "limit 4.000", "0.125 M latency, measured +0.400");
	check_contains(draw(&panel_line, 30, 12), "limit 4.000 M latency, +0.400");
	explanation->limits.limit[1].spread = 0;
}

RUN_TESTS(.set_up = set_up, .tear_down = free_explanation)
