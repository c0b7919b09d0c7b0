/* Charts of what was found out about a loop or a machine: limits, costs, pressure, a probe. */
#include "charted.h"

#include "picture/chart_reports.h"

/* ---- the limits ---- */

static void set_limits(int limits)
{
	explanation = explanation_new();
	explanation->limits.limit_count = limits;
	for (int i = 0; i < limits; i++) {
		explanation->limits.limit[i] = (struct limit){ .kind = (enum limit_kind)i,
			.known = i != limits - 1,
			.hard = i != 0,
			.cpe = limits - i };
		snprintf(explanation->limits.limit[i].cause,
			sizeof(explanation->limits.limit[i].cause), "cause %d", i);
	}
	explanation->limits.binding = limits > 12 ? 11 : 1;
	explanation->limits.predicted_by = 0;
}

TEST(the_chart_of_limits_has_what_was_measured)
{
	struct sample sample = sample_of(2.5, 8);

	setting_init(&setting, &kernel_fold);
	set_limits(4);
	chart = chart_limits(explanation, &setting, &sample, "at the limit", &origin);
	assert_int_equal(chart->bar_count, 5);
	assert_int_equal(chart->bar[0].kind, BAR_SOFT);
	check_contains(chart->bar[0].name, "(soft)");
	assert_string_equal(chart->bar[0].value_words, "4.000 predicted");
	assert_int_equal(chart->bar[1].kind, BAR_BINDING);
	assert_string_equal(chart->bar[1].value_words, "3.000 binds");
	assert_string_equal(chart->bar[1].cause, "cause 1");
	assert_int_equal(chart->bar[2].kind, BAR_HARD);
	assert_int_equal(chart->bar[3].kind, BAR_UNKNOWN);
	assert_true(isnan(chart->bar[3].value));
	assert_string_equal(chart->bar[3].cause, "unknown: cause 3");
	assert_int_equal(chart->bar[4].kind, BAR_MEASURED);
	check_near(chart->bar[4].value, 2.5, 0);
	check_contains(chart->remark, "at the limit");
	assert_true(chart->x.scale.high >= 4);
}

/* The most expensive instructions have bars, in the order of the code, and the loop has the last
 * one. */
TEST(costs_have_a_bar_for_each_expensive_instruction)
{
	struct cost_report *costs = memory_new(1, sizeof(*costs));

	setting_init(&costs->setting, &kernel_fold);
	assert_null(chart_costs(costs, &origin));
	costs->cpe = (struct cost_value){ 3, 2.9, 3.1 };
	costs->cycles_from = SOURCE_REFERENCE;
	costs->count = 14;
	for (int i = 0; i < costs->count; i++) {
		struct cost_insn *insn = &costs->insn[i];

		*insn = (struct cost_insn){
			.model = 0.2, .twice = { 0.1, 0.1, 0.1 }, .later = { NAN, NAN, NAN }
		};
		/* The third and fourth are the cheapest but one; the second has no cost. */
		insn->cost.value = i == 1	      ? (double)NAN
				   : i == 2 || i == 3 ? 0.01
				   : i == 5	      ? 2
						      : 0.1;
		insn->cost.lo = insn->cost.hi = insn->cost.value;
		snprintf(insn->text, sizeof(insn->text), "add r%d, 1", i);
	}
	costs->insn[6].contended = true;
	chart = chart_costs(costs, &origin);
	assert_int_equal(chart->bar_count, 12);
	assert_string_equal(chart->bar[0].name, "add r0, 1");
	assert_string_equal(chart->bar[1].name, "add r4, 1");
	assert_string_equal(chart->bar[2].name, "add r5, 1");
	assert_string_equal(chart->bar[2].value_words, "2.00");
	assert_int_equal(chart->bar[2].kind, BAR_BINDING);
	assert_int_equal(chart->bar[3].kind, BAR_SOFT);
	assert_int_equal(chart->bar[4].kind, BAR_HARD);
	assert_string_equal(chart->bar[4].cause, "core model 0.20; twice 0.10; later -");
	assert_int_equal(chart->bar[11].kind, BAR_MEASURED);
	assert_string_equal(chart->remark,
		"the 11 most expensive of 14 instructions, in the order of the code");
	free(costs);
}

/* The busiest resource is on top; idle resources have no bar; an upper bound is a light bar. */
TEST(probed_pressure_has_a_bar_for_each_busy_resource)
{
	struct slack_report *pressure = memory_new(1, sizeof(*pressure));

	setting_init(&pressure->setting, &kernel_fold);
	assert_null(chart_pressure(pressure, &origin));
	pressure->cycles = pressure->cycles_lo = pressure->cycles_hi = 3;
	pressure->cycles_from = SOURCE_REFERENCE;
	pressure->count = 4;
	pressure->resource[0] = (struct slack_resource){
		.name = "alu0-3", .kind = SLACK_AT_LEAST, .pressure = 1.5, .line = "lea"
	};
	pressure->resource[1] = (struct slack_resource){
		.name = "alu1", .kind = SLACK_EXACT, .pressure = 3, .pressure_hi = 3, .model = 3
	};
	pressure->resource[2] = (struct slack_resource){ .name = "fp", .kind = SLACK_EXACT };
	pressure->resource[3] = (struct slack_resource){ .name = "idiv", .kind = SLACK_FAILED };
	chart = chart_pressure(pressure, &origin);
	assert_int_equal(chart->bar_count, 3);
	assert_string_equal(chart->bar[0].name, "alu1");
	assert_int_equal(chart->bar[0].kind, BAR_BINDING);
	assert_string_equal(chart->bar[1].name, "alu0-3");
	assert_int_equal(chart->bar[1].kind, BAR_SOFT);
	check_contains(chart->bar[1].value_words, "at most");
	assert_int_equal(chart->bar[2].kind, BAR_MEASURED);
	check_contains(chart->remark, "1 more");
	free(pressure);
}

/* The points of a line are in the order of the knob's values. A setting at which the resource could
 * not be measured is a gap in the line. An idle resource has no line. */
TEST(probed_pressure_over_a_knob_has_a_line_for_each_busy_resource)
{
	static const int64_t values[] = { 8, 2, 4 };
	const struct slack_report *reports[3] = { NULL };

	assert_null(chart_pressures(reports, 0, FOLD_ACC, &origin));
	for (int i = 0; i < 3; i++) {
		struct slack_report *one = memory_new(1, sizeof(*one));
		double busy = (double)values[i];

		setting_init(&one->setting, &kernel_fold);
		one->setting.v[FOLD_ACC] = values[i];
		one->cycles = one->cycles_lo = one->cycles_hi = busy + 1;
		one->count = 2;
		one->resource[0] = (struct slack_resource){ .name = "fp", .kind = SLACK_EXACT };
		one->resource[1] = (struct slack_resource){ .name = "alu1",
			.kind = values[i] == 4 ? SLACK_FAILED : SLACK_AT_LEAST,
			.pressure = busy,
			.pressure_lo = 0,
			.pressure_hi = busy };
		reports[i] = one;
	}
	chart = chart_pressures(reports, 3, FOLD_ACC, &origin);
	assert_int_equal(chart->series_count, 2);
	assert_int_equal(chart->series[0].count, 3);
	assert_string_equal(chart->series[1].name, "alu1");
	assert_true(chart->series[1].point[0].y == 2 && chart->series[1].point[0].doubtful);
	assert_true(isnan(chart->series[1].point[1].y));
	assert_true(chart->series[1].point[2].y == 8 && chart->series[1].point[2].x == 8);
	for (int i = 0; i < 3; i++)
		free((void *)(uintptr_t)reports[i]);
}

/* More than a slide holds: the highest, the binding one in any case, and how many are left out. */
TEST(a_long_list_of_limits_keeps_the_binding_limit)
{
	bool binds = false;

	setting_init(&setting, &kernel_fold);
	set_limits(14);
	chart = chart_limits(explanation, &setting, NULL, "", &origin);
	assert_true(chart->bar_count <= 9);
	for (int i = 0; i < chart->bar_count; i++)
		binds |= chart->bar[i].kind == BAR_BINDING;
	assert_true(binds);
	assert_string_equal(chart->bar[chart->bar_count - 1].name, "7 more");
	assert_string_equal(chart->source, "nothing was measured");
}

/* ---- the probe ---- */

/* A level of a hierarchy. */
static void add_level(struct hierarchy *hierarchy, enum level_kind kind, const char *name,
	double cycles, double lo, double hi, bool unstable)
{
	struct hierarchy_level *level = &hierarchy->level[hierarchy->level_count++];

	*level = (struct hierarchy_level){ .kind = kind,
		.cycles = cycles,
		.ns = cycles / 4,
		.bytes = kind == LEVEL_MEMORY ? INFINITY : hi,
		.bytes_lo = lo,
		.bytes_hi = hi,
		.entries = kind == LEVEL_TLB ? hi / 4096 : NAN,
		.unstable = unstable };
	snprintf(level->name, sizeof(level->name), "%s", name);
}

static void add_probed(struct probe_curve *curve, double x, double cpe, double bytes)
{
	curve->point[curve->count++] = (struct probe_point){
		.x = x, .sample = sample_of(cpe, bytes), .facts = { .pages = "4k" }
	};
}

static void probe(void)
{
	struct hierarchy *hierarchy;

	report = calloc(1, sizeof(*report));
	hierarchy = &report->hierarchy;
	report->machine = &this_machine;
	for (int i = 0; i < 17; i++) {
		double size = 4096 * pow(2, i), cycles = size <= 49152	   ? 5
							 : size <= 2 << 20 ? 16
									   : 600;

		add_probed(&report->lines[PAGES_4K], size, cycles, 0);
		add_probed(&report->lines[PAGES_HUGE], size, cycles * 0.99, 0);
	}
	add_level(hierarchy, LEVEL_CACHE, "L1d", 5, 49152, 49152, false);
	add_level(hierarchy, LEVEL_CACHE, "L3", 600, 8 << 20, 16 << 20, true);
	add_level(hierarchy, LEVEL_TLB, "L1 DTLB", 7, 393216, 393216, false);
	add_level(hierarchy, LEVEL_MEMORY, "memory", 600, 0, 0, false);
	hierarchy->lines[PAGES_HUGE] = (struct plateaus){ .count = 2,
		.plateau = { { .from = 4096, .to = 32768, .cycles = 5.1, .confidence = 1 },
			{ .from = 4 << 20, .to = 256 << 20, .cycles = 500, .confidence = 1 } } };
	hierarchy->finding[hierarchy->finding_count++] =
		(struct finding){ FINDING_LINE_SIZE, true, "The system says otherwise." };
}

TEST(a_probe_is_its_latency_curve)
{
	probe();
	assert_int_equal(chart_probe_part(report), PROBE_LATENCY);
	chart = chart_probe(report, PROBE_LATENCY, &origin);
	assert_int_equal(chart->series_count, 2);
	assert_string_equal(chart->series[0].name, "4 KiB pages");
	/* What was asked for and not got is not called so. */
	assert_string_equal(chart->series[1].name, "huge pages, not available");
	assert_int_equal(chart->x.scale.kind, SCALE_BYTES);
	assert_int_equal(chart->mark_count, 3);
	assert_string_equal(chart->mark[0].text, "L1d 48 KiB");
	assert_string_equal(chart->mark[1].text, "L3 8 to 16 MiB");
	check_near(chart->mark[1].lo, 8 << 20, 0);
	assert_string_equal(chart->mark[2].text, "L1 DTLB 96");
	assert_true(chart->mark[2].pages && !chart->mark[0].pages);
	assert_string_equal(chart->flat[0].text, "L1d: 5.10 cycles");
	assert_string_equal(chart->flat[1].text, "memory: 500 cycles, 125 ns");
	assert_string_equal(chart->remark, "The system says otherwise.");
}

TEST(a_part_that_was_asked_for_is_drawn)
{
	probe();
	report->options.parts = 1u << PROBE_PARALLEL;
	assert_int_equal(chart_probe_part(report), PROBE_LATENCY); /* nothing else is there yet */
	add_probed(&report->parallel, 1, 600, 0);
	add_probed(&report->parallel, 8, 100, 0);
	add_probed(&report->parallel, 16, 120, 0);
	assert_int_equal(chart_probe_part(report), PROBE_PARALLEL);
	chart = chart_probe(report, PROBE_PARALLEL, &origin);
	check_near(chart->series[0].point[1].y, 6, 1e-12);
	assert_string_equal(chart->call[0].text, "6.00 times at 8");
	check_contains(chart->subtitle, "150 ns");
	chart_free(chart);
	report->band_count = 2;
	for (int i = 0; i < 2; i++) {
		report->band[i] = (struct probe_band){ .size = 24 << 10 << 10 * i };
		snprintf(report->band[i].level, sizeof(report->band[i].level), "L%d", i + 1);
		for (int k = 0; k < PROBE_OPERATIONS; k++)
			report->band[i].point[k].sample =
				sample_of(1 + i, k == PROBE_WRITE ? 32 : 64);
	}
	report->band[1].point[PROBE_COPY].sample.valid = false;
	chart = chart_probe(report, PROBE_BANDWIDTH, &origin);
	assert_string_equal(chart->x.name[1], "L2, 24 MiB");
	assert_string_equal(chart->series[1].name, "write");
	check_near(chart->series[1].point[1].y, 16, 1e-12);
	assert_true(isnan(chart->series[2].point[1].y));
	assert_int_equal(chart->call_count, 5);
	memset(report, 0, sizeof(*report));
	assert_int_equal(chart_probe_part(report), PROBE_PARTS);
}

RUN_TESTS(.each_tear_down = forget)
