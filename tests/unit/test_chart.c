/* What makers of charts put on them, from made-up kernels and samples. */
#include "fakes.h"

#include "experiment/setting/cells.h"
#include "explorer/actions.h"
#include "picture/chart_knobs.h"
#include "picture/chart_reports.h"
#include "picture/chart_sweep.h"

/* Refused as wrong usage, in words that hold these. */
#define check_refused(outcome, part)                                \
	do {                                                        \
		struct status check_outcome = (outcome);            \
		assert_int_equal(check_outcome.code, STATUS_USAGE); \
		check_contains(check_outcome.text, part);           \
	} while (0)

static const struct machine this_machine = {
	.name = "Fake(R) Core(TM) 9000",
	.host = "here",
	.cpu = 3,
	.virtualised = true,
	.cache_count = 2,
	.cache = { { 1, 48 << 10, 64 }, { 2, 2 << 20, 64 } },
	.clock_name = "imul chain, 3 cycles a link",
};
static const struct chart_origin origin = { .machine = &this_machine,
	.core = "Fake Lake (Pond and Puddle, and other waters of its kind)",
	.now = 1767225600 };

static struct sample sample_of(double cpe, double bytes)
{
	struct sample sample = fake_sample(cpe);

	sample.cpe_hi = 1.02 * cpe;
	if (bytes > 0) {
		sample.bytes_per_cycle = bytes / cpe;
		sample.gbps = 4 * sample.bytes_per_cycle;
	}
	return sample;
}

static struct sweep_axis axis_of(int knob, const int64_t *values, size_t count)
{
	return (struct sweep_axis){ .knob = knob, .count = count, .values = (int64_t *)values };
}

static const int64_t sizes[] = { 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288 },
		     strides[] = { 1, 2, 4, 8 }, accs[] = { 4, 2, 1 };
static const int64_t ops[] = { 0, 1 };

/* What a test works with; forget() frees it after each test. */
static struct setting setting;
static struct chart_sweep *gathered;
static struct chart *chart;
static struct explanation *explanation;
static struct probe_report *report;
static struct view *view;

static int forget(void **state)
{
	chart_free(chart);
	chart_sweep_free(gathered);
	explanation_free(explanation);
	free(report);
	free(view);
	chart = NULL;
	gathered = NULL;
	explanation = NULL;
	report = NULL;
	view = NULL;
	return 0;
}

static void begin(const struct kernel *kernel, const struct sweep_axis *axes, size_t count,
	const struct named_sweep *named, enum chart_look look)
{
	setting_init(&setting, kernel);
	check_ok(chart_sweep_new(&setting, axes, count, named, look, &gathered));
}

static void add(double cpe, double bytes)
{
	struct cell cell = { .setting = setting, .sample = sample_of(cpe, bytes) };

	chart_sweep_add(gathered, &cell, NULL);
}

static void make(void)
{
	chart = chart_sweep_make(gathered, &origin);
}

TEST(the_knob_with_most_values_is_x)
{
	const struct sweep_axis axes[] = { axis_of(FOLD_OP, ops, 2), axis_of(FOLD_ACC, accs, 3) };

	begin(&kernel_fold, axes, 2, NULL, LOOK_AUTO);
	for (int op = 0; op < 2; op++) {
		for (int i = 0; i < 3; i++) {
			setting.v[FOLD_OP] = op;
			setting.v[FOLD_ACC] = accs[i];
			add(3.0 / (double)accs[i] + op, 8);
		}
	}
	assert_int_equal(chart_sweep_count(gathered), 6);
	make();
	assert_int_equal(chart->kind, CHART_LINES);
	assert_true(chart->joined);
	assert_int_equal(chart->series_count, 2);
	assert_string_equal(chart->series[0].name, "add");
	assert_string_equal(chart->series[1].name, "mul");
	/* Ascending, whatever the order in which they were listed. */
	for (int i = 0; i < 3; i++) {
		check_near(chart->series[0].point[i].x, (double)accs[2 - i], 0);
		check_near(chart->series[0].point[i].y, 3.0 / (double)accs[2 - i], 1e-12);
		check_near(chart->series[1].point[i].lo, (3.0 / (double)accs[2 - i] + 1) * 0.99,
			1e-12);
	}
	assert_string_equal(chart->title, "fold: combine an array");
	assert_string_equal(chart->subtitle, "unroll=4  size=32k  stride=1");
	assert_string_equal(chart->x.title, "acc (accumulators, side by side)");
	assert_string_equal(chart->y.title, "cycles per element");
	check_contains(chart->source, "R: cycles by the reference clock, imul chain, 3 cycles a "
				      "link; medians of 150 trials");
	check_contains(chart->legend, "quartiles");
	assert_string_equal(chart->machine, "Fake Core 9000: Fake Lake, core 3, virtual");
	check_contains(chart->made, "on here, slexplore ");
}

TEST(sizes_and_strides_make_a_mountain)
{
	const struct sweep_axis axes[] = { axis_of(FOLD_SIZE, sizes, 8),
		axis_of(FOLD_STRIDE, strides, 4) };

	begin(&kernel_fold, axes, 2, NULL, LOOK_AUTO);
	for (int y = 0; y < 8; y++) {
		for (int x = 0; x < 4; x++) {
			setting.v[FOLD_SIZE] = sizes[y];
			setting.v[FOLD_STRIDE] = strides[x];
			if (x != 3 || y != 7)
				add((1 + y) * (double)strides[x], 8);
		}
	}
	make();
	assert_int_equal(chart->kind, CHART_RELIEF);
	assert_int_equal(chart->x.count, 4);
	assert_int_equal(chart->y.count, 8);
	assert_string_equal(chart->x.name[3], "8");
	assert_string_equal(chart->y.name[0], "4 KiB");
	assert_string_equal(chart->z.title, "GB/s");
	check_near(chart->grid[0], 32, 1e-9);
	check_near(chart->grid[2 * 4 + 1], 32.0 / 6, 1e-9);
	assert_true(isnan(chart->grid[7 * 4 + 3]));
	assert_int_equal(chart->call_count, 1);
	assert_string_equal(chart->call[0].text, "32.0 GB/s");
	/* 48 KiB lies between 32 and 64, nearer to the latter on a logarithmic scale. */
	assert_false(chart->mark[0].across);
	check_near(chart->mark[0].at, 3 + log2(1.5), 1e-9);
	check_near(chart->mark[1].at, 7.5, 1e-9);
	assert_string_equal(chart->legend, "quartiles: ±1.5 % of a value (median), "
					   "±1.5 % at most");
}

/* A level that keeps no more than the level before it has no place of its own. */
TEST(a_cache_without_room_of_its_own_is_not_marked)
{
	static const struct cache_sizes caches = {
		.level = { { .bytes = 48 << 10 }, { .bytes = 1 << 20 }, { .bytes = 1 << 20 } }
	};
	const struct sweep_axis axes[] = { axis_of(FOLD_SIZE, sizes, 8),
		axis_of(FOLD_STRIDE, strides, 4) };
	struct chart_origin crowded = origin;

	crowded.caches = &caches;
	begin(&kernel_fold, axes, 2, NULL, LOOK_AUTO);
	add(3, 8);
	chart = chart_sweep_make(gathered, &crowded);
	assert_int_equal(chart->mark_count, 2);
	check_contains(chart->mark[1].text, "L2");
}

TEST(any_two_knobs_make_a_grid_when_asked)
{
	const struct sweep_axis axes[] = { axis_of(FOLD_OP, ops, 2), axis_of(FOLD_ACC, accs, 3) };

	begin(&kernel_fold, axes, 2, NULL, LOOK_HEAT);
	add(3, 8);
	make();
	assert_int_equal(chart->kind, CHART_HEAT);
	assert_string_equal(chart->z.title, "cycles per element");
	assert_string_equal(chart->x.name[0], "1");
	assert_string_equal(chart->y.name[1], "mul");
	check_near(chart->grid[0], 3, 1e-12);
	assert_true(isnan(chart->grid[1]));
}

/* One line over sizes: plateaus have their figures, the caches their places. */
TEST(a_line_over_sizes_has_plateaus)
{
	const struct sweep_axis axes[] = { axis_of(WALK_SIZE, sizes, 8) };

	begin(&kernel_walk, axes, 1, NULL, LOOK_AUTO);
	for (int i = 0; i < 8; i++) {
		setting.v[WALK_SIZE] = sizes[i];
		add(sizes[i] <= 48 << 10 ? 5 : 16, 0);
	}
	make();
	assert_int_equal(chart->x.scale.kind, SCALE_BYTES);
	assert_int_equal(chart->flat_count, 2);
	assert_string_equal(chart->flat[0].text, "5.00 cycles");
	assert_string_equal(chart->flat[1].text, "16.0 cycles");
	check_near(chart->flat[0].from, 4096, 0);
	check_near(chart->flat[0].to, 32768, 0);
	assert_int_equal(chart->mark_count, 2);
	assert_string_equal(chart->mark[0].text, "L1d 48 KiB");
	check_near(chart->mark[0].at, 49152, 0);
	assert_string_equal(chart->mark[1].text, "L2 2 MiB");
}

TEST(what_cannot_be_drawn_is_refused)
{
	int64_t many[32];
	struct sweep_axis axes[3];

	for (int i = 0; i < 32; i++)
		many[i] = i + 1;
	setting_init(&setting, &kernel_fold);
	axes[0] = axis_of(FOLD_UNROLL, many, 16);
	axes[1] = axis_of(FOLD_ACC, many, 16);
	axes[2] = axis_of(FOLD_OP, ops, 2);
	check_refused(chart_sweep_new(&setting, axes, 3, NULL, LOOK_AUTO, &gathered), "32 lines");
	assert_null(gathered);
	check_refused(chart_sweep_new(&setting, axes, 3, NULL, LOOK_HEAT, &gathered), "two knobs");
	check_refused(
		chart_sweep_new(&setting, axes, 1, NULL, LOOK_RELIEF, &gathered), "two knobs");
	check_refused(
		chart_sweep_new(&setting, axes, 0, NULL, LOOK_AUTO, &gathered), "several values");
	axes[1] = axis_of(FOLD_STRIDE, many, 32);
	axes[0] = axis_of(FOLD_SIZE, sizes, 8);
	check_ok(chart_sweep_new(&setting, axes, 2, NULL, LOOK_LINES, &gathered));
}

TEST(choices_are_not_joined)
{
	const struct sweep_axis axes[] = { axis_of(FOLD_OP, ops, 2) };

	begin(&kernel_fold, axes, 1, NULL, LOOK_AUTO);
	add(1.5, 8);
	make();
	assert_false(chart->joined);
	assert_string_equal(chart->x.name[0], "add");
	check_near(chart->series[0].point[0].y, 1.5, 1e-12);
	assert_true(isnan(chart->series[0].point[1].y));
	assert_string_equal(chart->call[0].text, "1.50");
}

/* A sweep with a name says itself what is looked at, along what, and whose it was. */
TEST(a_named_sweep_is_drawn_as_it_says)
{
	const struct sweep_axis axes[] = { axis_of(FOLD_OP, ops, 2), axis_of(FOLD_ACC, accs, 3),
		axis_of(FOLD_UNROLL, accs, 3) };
	struct named_sweep named = { .name = "fold-speedup",
		.title = "What accumulators bring",
		.source = "Somebody, A Paper",
		.kernel = &kernel_fold,
		.x = FOLD_UNROLL,
		.figure = SWEEPS_SPEEDUP,
		.base = FOLD_ACC,
		.base_value = 1,
		.published_count = 2,
		.published = { { .figure = SWEEPS_SPEEDUP,
				       .value = 1.9,
				       .setting.v[FOLD_UNROLL] = 2,
				       .named[FOLD_UNROLL] = true },
			{ .figure = SWEEPS_SECONDS,
				.value = 30,
				.setting.v[FOLD_UNROLL] = 2,
				.named[FOLD_UNROLL] = true } } };

	begin(&kernel_fold, axes, 3, &named, LOOK_AUTO);
	/* Of one operation alone; acc=4 is only there with unroll=4. */
	for (int unroll = 0; unroll < 3; unroll++) {
		for (int acc = unroll; acc < 3; acc++) {
			setting.v[FOLD_UNROLL] = accs[unroll];
			setting.v[FOLD_ACC] = accs[acc];
			add(6.0 / (double)accs[acc], 8);
		}
	}
	make();
	assert_string_equal(chart->title, "What accumulators bring");
	assert_string_equal(chart->after, "after Somebody, A Paper");
	check_contains(chart->x.title, "unroll");
	assert_string_equal(chart->y.title, "speedup over acc=1");
	/* Nothing of mul was measured: it has no lines. */
	assert_int_equal(chart->series_count, 4);
	assert_string_equal(chart->series[0].name, "add, acc 1");
	assert_string_equal(chart->series[2].name, "add, acc 4");
	for (int i = 0; i < 3; i++)
		check_near(chart->series[0].point[i].y, 1, 1e-12);
	assert_true(isnan(chart->series[2].point[0].y));
	check_near(chart->series[2].point[2].y, 4, 1e-12);
	/* A faster quartile is the higher speedup. */
	check_near(chart->series[2].point[2].hi, 4 / 0.99, 1e-12);
	assert_string_equal(chart->series[3].name, "published");
	assert_true(chart->series[3].loose);
	assert_int_equal(chart->series[3].count, 1);
	check_near(chart->series[3].point[0].y, 1.9, 1e-12);
}

/* ---- samples as points ---- */

TEST(throughput_turns_quartiles_and_modes_round)
{
	struct sample sample = sample_of(2, 8);
	struct chart_point point;

	sample.modes = 2;
	sample.mode_low = 1.9;
	sample.mode_high = 3.8;
	sample.contended = true;
	point = figure_point(SWEEPS_GBPS, &sample, NULL, NULL, NULL, 7);
	check_near(point.y, 16, 1e-12);
	check_near(point.lo, 32 / 2.04, 1e-12);
	check_near(point.hi, 32 / 1.98, 1e-12);
	check_near(point.other, 32 / 3.8, 1e-12);
	check_near(point.other_y, 32 / 1.9, 1e-12);
	assert_true(point.doubtful);
	point = figure_point(SWEEPS_CPE, &sample, NULL, NULL, NULL, 7);
	check_near(point.lo, 1.98, 1e-12);
	check_near(point.other, 1.9, 1e-12);
	sample.valid = false;
	assert_true(isnan(figure_point(SWEEPS_CPE, &sample, NULL, NULL, NULL, 7).y));
}

TEST(a_step_is_found_between_values)
{
	static const double values[] = { 16, 32, 64, 128 };

	check_near(chart_step(values, 4, 32), 1, 1e-12);
	check_near(chart_step(values, 4, 48), 1 + log2(1.5), 1e-12);
	check_near(chart_step(values, 4, 8), -0.5, 1e-12);
	check_near(chart_step(values, 4, 1000), 3.5, 1e-12);
	check_near(chart_step(values, 4, 128), 3, 1e-12);
}

/* ---- the ladder ---- */

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

TEST(the_ladder_has_limits_and_what_was_measured)
{
	struct sample sample = sample_of(2.5, 8);

	setting_init(&setting, &kernel_fold);
	set_limits(4);
	chart = chart_ladder(explanation, &setting, &sample, "at the limit", &origin);
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
TEST(a_long_ladder_keeps_the_binding_limit)
{
	bool binds = false;

	setting_init(&setting, &kernel_fold);
	set_limits(14);
	chart = chart_ladder(explanation, &setting, NULL, "", &origin);
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

/* ---- what is on screen ---- */

static void show(const char *front)
{
	view = calloc(1, sizeof(*view));

	setting_init(&view->setting, &kernel_fold);
	view->machine = &this_machine;
	view->screen.front = front;
	view->by_size.knob = FOLD_SIZE;
	view->by_stride.knob = FOLD_STRIDE;
	view->by_size.count = 8;
	view->by_stride.count = 4;
	for (int i = 0; i < 8; i++)
		view->by_size.point[i] =
			(struct view_point){ sizes[i], true, true, true, sample_of(1 + i / 4, 8) };
	for (int i = 0; i < 4; i++)
		view->by_stride.point[i] = (struct view_point){ strides[i], true, i < 3, true,
			sample_of((double)strides[i], 8) };
	view->by_stride.point[3].sample.valid = false;
}

TEST(the_slice_of_the_chosen_knob_is_drawn)
{
	const char *what;

	show("slices");
	check_ok(chart_view(view, &origin, &chart, &what));
	assert_string_equal(what, "slice");
	check_contains(chart->x.title, "size");
	assert_string_equal(chart->y.title, "bytes per cycle");
	assert_int_equal(chart->series[0].count, 8);
	check_near(chart->series[0].point[7].y, 4, 1e-9);
	assert_string_equal(chart->flat[0].text, "8.00 B/cycle");
	chart_free(chart);
	view->knob = FOLD_STRIDE;
	check_ok(chart_view(view, &origin, &chart, &what));
	check_contains(chart->x.title, "stride");
	assert_true(isnan(chart->series[0].point[3].y));
}

TEST(the_mountain_is_drawn_from_above)
{
	const char *what;

	show("mountain");
	check_refused(chart_view(view, &origin, &chart, &what), "no mountain");
	view->grid = (struct view_grid){ .present = true,
		.size_knob = FOLD_SIZE,
		.stride_knob = FOLD_STRIDE,
		.nx = 2,
		.ny = 3,
		.x = { 1, 2 },
		.y = { 16384, 65536, 262144 } };
	check_refused(chart_view(view, &origin, &chart, &what), "nothing of it is measured");
	for (int i = 0; i < 6; i++)
		view->grid.gbps[i / 2][i % 2] = i == 5 ? NAN : (float)(60 - 10 * i);
	view->grid.top = 60;
	view->grid.contended[1][1] = true;
	check_ok(chart_view(view, &origin, &chart, &what));
	assert_string_equal(what, "mountain");
	assert_int_equal(chart->kind, CHART_HEAT);
	check_near(chart->grid[3], 30, 1e-6);
	assert_true(chart->doubtful[3]);
	assert_true(isnan(chart->grid[5]));
	assert_string_equal(chart->y.name[2], "256 KiB");
	check_contains(chart->legend, "contended");
	chart_free(chart);
	/* In relief, where the screen has it so. */
	view->grid.relief = true;
	check_ok(chart_view(view, &origin, &chart, &what));
	assert_int_equal(chart->kind, CHART_RELIEF);
}

TEST(what_has_no_picture_says_so)
{
	const char *what;

	show("counters");
	check_refused(chart_view(view, &origin, &chart, &what),
		"slices, mountain, probe, windows, sweep, ladder, ports, code, timeline and graph "
		"have one");
	assert_null(chart);
	view->screen.front = "ladder";
	snprintf(view->limits_note, sizeof(view->limits_note), "this core has no model");
	check_refused(chart_view(view, &origin, &chart, &what), "this core has no model");
	view->screen.front = "slices";
	for (int i = 0; i < 8; i++)
		view->by_size.point[i].valid = false;
	check_refused(chart_view(view, &origin, &chart, &what), "nothing of it is measured");
}

RUN_TESTS(.each_tear_down = forget)
