/* The panels of ports, machine code and source. */
#include "limits_view.h"

#include "experiment/cost/cost.h"

extern const struct panel panel_figure, panel_trials, panel_header, panel_mountain, panel_limits,
	panel_ports, panel_code, panel_source, panel_notice, panel_line, panel_about, panel_windows,
	panel_knobs;

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
	check_contains(title(&panel_code), ", cost in cycles per element");
	/* The shortest wording names no column that has no room. */
	explanation->loop.stepped = true;
	assert_null(strstr(strrchr(title(&panel_code), '\n'), "cost"));
	explanation->loop.stepped = false;
	check_parts(draw(&panel_code, 80, 9), "micro-ops ports", "cost, cycles  model",
		"3.00 +-0.04   3.00", "..", "1.00");
	lacks(shown, "sum of costs");
	cost.insn[1].cost = (struct cost_value){ 1, 1, 1 };
	check_contains(draw(&panel_code, 80, 9), "sum of costs: 4.00 of 4.00 cycles per element");
	lacks(draw(&panel_code, 52, 9), "model");
	check_contains(shown, " cost\n");
	check_contains(draw(&panel_code, 38, 9), " uops ports");
	/* Less than the loop's cycles has a meaning, if there is room for it. */
	cost.insn[1].cost = (struct cost_value){ 0.5, 0.5, 0.5 };
	check_contains(draw(&panel_code, 110, 9), "3.50 of 4.00 cycles per element; the rest: no");
	check_contains(draw(&panel_code, 60, 9), "sum of costs: 3.50 of 4.00 cycles per element");
	/* What cannot be is not shown. */
	cost.insn[1].cost = (struct cost_value){ -5, -5, -5 };
	lacks(draw(&panel_code, 80, 9), "-5.00");
	cost.status = status_failed("two speeds");
	check_contains(draw(&panel_code, 80, 10), "cost unavailable: two speeds");
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
	lacks(shown, "sum of costs");
	/* A long list of ports leaves room for the costs. */
	snprintf(explanation->limits.insn[0].ports, sizeof(explanation->limits.insn[0].ports),
		"p0-3 + p0-3 + p4-7 + micro:20");
	check_parts(draw(&panel_code, 60, 9), "imul rax, rbx", " cost\n", "  3.00");
	explanation->loop.insn[1].flow = FLOW_BRANCH;
	check_contains(draw(&panel_code, 80, 10), " jump ");
	cost = (struct cost_report){ .status = status_failed("the loop is too long") };
	check_contains(draw(&panel_code, 80, 9), "cost unavailable: the loop is too long");
	lacks(shown, "model");
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

RUN_TESTS(.set_up = set_up, .tear_down = free_explanation)
