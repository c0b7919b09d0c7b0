/* The timeline and the dependence graph of a loop: their cycles equal the prediction, and their
 * times are right. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "assembly.h"
#include "experiment/diagram.h"
#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "model/core/uarch.h"
#include "model/limits/dataflow.h"
#include "model/limits/timeline.h"
#include "picture/chart_diagrams.h"

static struct explanation *explanation;
static struct timeline timeline;
static struct dataflow dataflow;

static int set_up(void **state)
{
	explanation = explanation_new();
	return 0;
}

static int tear_down(void **state)
{
	timeline_free(&timeline);
	dataflow_free(&dataflow);
	explanation_free(explanation);
	return 0;
}

/* Explains a loop of assembly on a core that is described by a text. */
static struct uarch *explain_text(const char *core, const char *source)
{
	struct uarch *uarch;

	check_ok(uarch_parse(core, "x", &uarch));
	loop_free(&explanation->loop);
	assembly_loop(source, &explanation->loop);
	limits_compute(
		&explanation->loop, uarch, &(struct limits_place){ 0 }, &explanation->limits);
	timeline_make(explanation, &timeline);
	dataflow_make(explanation, &dataflow);
	return uarch;
}

/* Two ports, one for loads: a load takes 4 cycles, a multiplication 3, an addition 1. */
static const char small[] = "uarch x X\nisa x86_64\nwidth 2 [M]\nports p0 p1 p2 [M]\n"
			    "class load latency 4 ports p2 [M]\nclass imul latency 3 ports p1 [M]\n"
			    "class alu latency 1 ports p0,p1 [M]\nclass branch ports p0 [M]\n"
			    "class nop ports none [M]\nsize rob 64 [M]\nsize scheduler 32 [M]\n";

static void check_row(int row, double renamed, double started, double done, double retired)
{
	const struct timeline_row *found = &timeline.row[row];

	if (fabs(found->renamed - renamed) > 1e-3 ||
		fabs(timeline.op[found->op].start - started) > 1e-3 ||
		fabs(found->done - done) > 1e-3 || fabs(found->retired - retired) > 1e-3)
		fail_msg("row %d: renamed %g, started %g, done %g, retired %g", row, found->renamed,
			timeline.op[found->op].start, found->done, found->retired);
}

/* The load and the multiplication are renamed in cycle 0, the branch in cycle 1. The load begins in
 * cycle 1 and the multiplication in cycle 5, when its factor is loaded. The branch reads the flags
 * of the multiplication. The next multiplication waits for this one, so an iteration takes 3
 * cycles. */
TEST(three_instructions_have_the_times_of_a_calculation_by_hand)
{
	struct uarch *uarch = explain_text(small, "mov eax, [rsi]; imul ebx, eax; jne");

	check_near(explanation->limits.predicted, 3, 1e-9);
	assert_true(timeline.known && !timeline.differs);
	check_near(timeline.cycles, 3, 0.02);
	check_row(0, 0, 1, 5, 5);
	check_row(1, 0, 5, 8, 8);
	check_row(2, 1, 8, 9, 9);
	check_row(3, 1, 2, 6, 9);
	check_row(4, 2, 8, 11, 11);
	check_row(5, 2, 11, 12, 12);
	check_row(7, 3, 11, 14, 14);
	assert_string_equal(diagram_row_ports(&timeline, &timeline.row[1]).text, "1");
	assert_int_equal(timeline.row[1].cause, 0);
	assert_int_equal(timeline.row[4].cause, 1);
	assert_true(timeline.row[1].carried && !timeline.row[0].carried);
	/* D, four cycles of waiting, port 1, two further cycles, R. */
	for (int i = 0; i < 9; i++)
		assert_int_equal(
			timeline_letter(&timeline, &timeline.row[1], i, 1), "D====1eeR"[i]);
	for (int i = 0; i < 10; i++)
		assert_int_equal(
			timeline_letter(&timeline, &timeline.row[3], i, 1), " D2eee---R"[i]);
	uarch_free(uarch);
}

/* The measured value and the limits are per element, the timeline is per iteration. */
TEST(a_timeline_relates_iterations_to_elements)
{
	struct timeline made = { .known = true, .cycles = 6, .predicted = 6, .elements = 0.125 };

	check_contains(
		diagram_sentence(&made).text, "6.000 cycles an iteration, 8 iterations an element");
	made.elements = 1;
	assert_null(strstr(diagram_sentence(&made).text, "element"));
}

/* The multiplication of the second iteration begins 3 cycles after that of the first. */
TEST(a_graph_has_the_times_of_its_longest_paths)
{
	struct uarch *uarch = explain_text(small, "mov eax, [rsi]; imul ebx, eax; jne");
	int carried = 0;

	assert_int_equal(dataflow.row_count, 6);
	check_near(dataflow.chain, 3, 1e-9);
	check_near(dataflow.row[1].start, 4, 1e-6);
	check_near(dataflow.row[1].end, 7, 1e-6);
	check_near(dataflow.row[3].start, 0, 1e-6);
	check_near(dataflow.row[4].start, 7, 1e-6);
	for (int i = 0; i < dataflow.edge_count; i++) {
		const struct dataflow_edge *edge = &dataflow.edge[i];

		carried += edge->carried;
		if (edge->from == 3 && edge->to == 4)
			assert_true(edge->slack);
		if (edge->from == 1 && edge->to == 4)
			assert_true(edge->carried && !edge->slack);
	}
	assert_int_equal(carried, 1);
	assert_string_equal(diagram_needs(&dataflow, 4).text, "2' 1");
	uarch_free(uarch);
}

/* A load with an addition is two micro-ops on two ports; a comparison and its branch are one. An
 * unknown instruction takes part in nothing. */
TEST(each_kind_of_instruction_has_its_row)
{
	struct uarch *uarch = explain_text(
		"uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 p1 p2 [M]\n"
		"class load latency 4 ports p2 [M]\nclass alu latency 1 ports p0,p1 [M]\n"
		"class branch ports p0 [M]\nclass move latency 0 ports none [M]\nfuse cmp with e "
		"ne [M]\n",
		"mov rbx, rax; add rax, [rsi]; cpuid; cmp rax, rdi; jne");

	assert_true(timeline.known);
	assert_int_equal(timeline.row[1].op_count, 2);
	assert_string_equal(diagram_row_ports(&timeline, &timeline.row[1]).text, "20");
	assert_int_equal(timeline.row[0].kind, TIMELINE_NO_PORT);
	assert_int_equal(timeline.row[0].op_count, 0);
	assert_int_equal(timeline.row[4].kind, TIMELINE_FUSED);
	assert_int_equal(timeline.row[3].op_count, 1);
	assert_int_equal(timeline.row[2].kind, TIMELINE_UNKNOWN);
	assert_int_equal(timeline_letter(&timeline, &timeline.row[2], 0, 1), ' ');
	uarch_free(uarch);
}

/* Three ports take loads, but two loads a cycle begin. No port waits until the others are idle. */
TEST(a_limited_rate_lets_the_oldest_pass)
{
	struct uarch *uarch = explain_text(
		"uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 p1 p2 p3 [M]\ncap loads 2 [M]\n"
		"class load latency 4 ports p1,p2,p3 [M]\nclass branch ports p0 [M]\n"
		"size rob 256 [M]\nsize scheduler 64 [M]\n",
		"mov eax, [rsi]; mov eax, [rsi]; mov eax, [rsi]; mov eax, [rsi]; mov eax, [rsi]; "
		"mov eax, [rsi]; jne");

	check_near(timeline.cycles, 3, 0.02);
	for (int i = 0; i < timeline.row_count; i++)
		if (timeline.row[i].op_count)
			assert_true(
				timeline.op[timeline.row[i].op].start - timeline.row[i].renamed <
				40);
	uarch_free(uarch);
}

/* The stored value is there in cycle 1, so a load that is renamed to its store would begin before
 * cycle 0. */
TEST(a_load_of_a_value_that_was_stored_at_once_begins)
{
	struct uarch *uarch;

	check_ok(uarch_load("golden-cove", "x86_64", &uarch));
	loop_free(&explanation->loop);
	assembly_loop("mov [rsi], rax; mov rbx, [rsi]; add rcx, 1; cmp rcx, rdi; jne",
		&explanation->loop);
	limits_compute(
		&explanation->loop, uarch, &(struct limits_place){ 0 }, &explanation->limits);
	timeline_make(explanation, &timeline);
	assert_true(timeline.known && !timeline.differs);
	uarch_free(uarch);
}

/* Chains of 64 multiplications of 3 cycles: the run overlaps the end of one with the begin of the
 * next, as far as the reorder buffer allows. Chains of one iteration do not wait for each other. */
TEST(chains_that_begin_anew_overlap)
{
	static const double restarts[] = { 0, 64, 2 }, least[] = { 3, 1.5, 1 },
			    most[] = { 3, 2.95, 1.55 };
	struct uarch *uarch;

	check_ok(uarch_parse(small, "x", &uarch));
	for (int i = 0; i < 3; i++) {
		struct limits_place place = { .walk.restart = restarts[i] };

		loop_free(&explanation->loop);
		assembly_loop("imul ebx, eax; add rcx, 1", &explanation->loop);
		limits_compute(&explanation->loop, uarch, &place, &explanation->limits);
		timeline_make(explanation, &timeline);
		assert_true(timeline.known);
		if (timeline.cycles < least[i] - 0.02 || timeline.cycles > most[i] + 0.02)
			fail_msg("restart %g: %g cycles, not %g to %g", restarts[i],
				timeline.cycles, least[i], most[i]);
	}
	uarch_free(uarch);
}

/* The pictures have the rows, the bars and the lines of the diagrams. */
TEST(diagrams_become_charts)
{
	struct uarch *uarch = explain_text(small, "mov eax, [rsi]; imul ebx, eax; jne");
	const struct chart_origin origin = { .now = 1767225600 };
	struct setting setting;
	struct chart *chart;
	int bars = 0;

	setting_init(&setting, kernel_registry[0]);
	chart = chart_timeline(explanation, &setting, &timeline, &origin);
	assert_int_equal(chart->kind, CHART_SPANS);
	assert_int_equal(chart->y.count, 24);
	for (int i = 0; i < chart->span_count; i++) {
		const struct chart_span *span = &chart->span[i];

		assert_true(span->to > span->from && span->row < chart->y.count);
		bars += span->kind == SPAN_WORKS || span->kind == SPAN_CHAIN;
		if (span->row == 1 && span->kind == SPAN_CHAIN) {
			check_near(span->from, 5, 1e-3);
			check_near(span->to, 8, 1e-3);
			assert_string_equal(span->text, "1");
		}
	}
	assert_int_equal(bars, 24);
	check_contains(chart->remark, "3.000 cycles an iteration, as predicted");
	chart_free(chart);
	chart = chart_graph(explanation, &setting, &dataflow, &origin);
	assert_int_equal(chart->y.count, 6);
	assert_int_equal(chart->link_count, dataflow.edge_count);
	chart_free(chart);
	uarch_free(uarch);
}

#if defined(__x86_64__)
static void initial(const struct kernel *kernel, int64_t *v)
{
	memset(v, 0, KNOBS_MAX * sizeof(*v));
	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
}

/* The slowest chain of each kernel, walked in the graph, takes the cycles of the limit. */
static void check_chain(const struct kernel *kernel, const char *core)
{
	const struct loop *loop = &explanation->loop;
	double chain = explanation->limits.chain.cycles / explanation->limits.turns;

	dataflow_make(explanation, &dataflow);
	assert_true(dataflow.known);
	for (int i = 0; i < dataflow.edge_count; i++) {
		const struct dataflow_edge *edge = &dataflow.edge[i];

		assert_true(edge->from < edge->to && edge->to < dataflow.row_count);
		if (edge->out > edge->in + 1e-3)
			fail_msg("%s on %s: %s needs a result before it is available", kernel->name,
				core, loop->insn[dataflow.row[edge->to].insn].text);
	}
	check_near(dataflow.chain, chain, 1e-9);
}

/* Ten multiplications in a row take 30 cycles an iteration, and one port takes 10. Three iterations
 * must overlap for 10 cycles: a scheduler of 8 entries does not hold them. */
TEST(a_full_scheduler_keeps_iterations_from_overlapping)
{
	static const char format[] =
		"uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 p1 [M]\nclass imul latency 3 "
		"ports p1 [M]\nclass alu latency 1 ports p0 [M]\nclass branch ports p0 [M]\n"
		"size rob 512 [M]\nsize scheduler %d [M]\n%s";
	static const char source[] = "mov eax, 3; imul eax, ebx; imul eax, ebx; imul eax, ebx; "
				     "imul eax, ebx; imul eax, ebx; imul eax, ebx; imul eax, ebx; "
				     "imul eax, ebx; imul eax, ebx; imul eax, ebx; dec ecx; jne";
	static const struct {
		int entries;
		const char *more;
		double least, most;
	} rows[] = {
		{ 200, "", 10, 10 },
		{ 8, "", 11, 20 },
		{ 200, "size port-scheduler 8 [M]\n", 11, 20 },
		{ 12, "extra scheduler-hold 4 [M]\n", 11, 20 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char core[600];
		const struct limit *by;
		struct uarch *uarch;

		snprintf(core, sizeof(core), format, rows[i].entries, rows[i].more);
		uarch = explain_text(core, source);
		by = &explanation->limits.limit[explanation->limits.predicted_by];
		print_message("row %zu: %g, the timeline %g\n", i, explanation->limits.predicted,
			timeline.cycles);
		assert_in_range(explanation->limits.predicted * 100, rows[i].least * 100,
			rows[i].most * 100);
		assert_int_equal(by->kind, i == 0 ? LIMIT_PORTS : LIMIT_OVERLAP);
		assert_false(timeline.differs);
		uarch_free(uarch);
	}
}

/* Every kernel at its default knobs, on cores that choose ports at rename and on cores that do not.
 * Zen 2's file lacks the cost of a misprediction, so its limits of tree-lookup and hash-lookup
 * leave out that searches cannot overlap, and the buffers of the run are full. A kernel whose code
 * is single-stepped is tried on three cores, and on one under a sanitizer: each step takes long. */
TEST(cycles_equal_the_prediction)
{
	static const char *const cores[] = { "zen2", "zen3", "zen4", "zen5", "ivy-bridge",
		"haswell", "skylake", "icelake", "golden-cove", "redwood-cove" };
	int equal = 0;

	for (size_t c = 0; c < sizeof(cores) / sizeof(cores[0]); c += CHECK_REPEATS(1, 4)) {
		struct uarch *uarch;

		check_ok(uarch_load(cores[c], "x86_64", &uarch));
		for (int k = 0; kernel_registry[k]; k++) {
			const struct kernel *kernel = kernel_registry[k];
			int64_t v[KNOBS_MAX];
			struct explain_question question = {
				.kernel = kernel, .v = v, .seed = 1, .uarch = uarch, .foreign = true
			};

			if (kernel->stepped && c % CHECK_REPEATS(4, 16))
				continue;
			initial(kernel, v);
			explain(&question, explanation);
			/* Where nothing may be traced, nothing can be stepped. */
			if (!status_is_ok(&explanation->status) && kernel->stepped)
				continue;
			check_ok(explanation->status);
			timeline_make(explanation, &timeline);
			assert_true(timeline.known);
			check_chain(kernel, cores[c]);
			/* In a run of evicted lines, loads run ahead of the stores for a while. The
			 * micro-ops of a locked instruction can delay its successor by a cycle. */
			if ((explanation->limits.limit[explanation->limits.predicted_by].kind ==
					    LIMIT_EVICTED ||
				    strcmp(kernel->name, "atomic") == 0) &&
				fabs(timeline.cycles / timeline.predicted - 1) < 0.06)
				continue;
			if (timeline.differs && (strcmp(cores[c], "zen2") != 0 || !kernel->stepped))
				fail_msg("%s on %s: %g cycles an iteration, predicted %g",
					kernel->name, cores[c], timeline.cycles,
					timeline.predicted);
			equal += !timeline.differs;
		}
		uarch_free(uarch);
	}
	assert_true(equal >= CHECK_REPEATS(200, 60));
}
#endif

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
