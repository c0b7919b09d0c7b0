/* What makers of charts put on them, from made-up kernels and samples. */
#include "charted.h"

#include "picture/chart_sweep.h"

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

/* ---- what is on screen ---- */

static void show(const char *front)
{
	view = calloc(1, sizeof(*view));

	setting_init(&view->setting, &kernel_fold);
	view->machine = &this_machine;
	view->screen.front = front;
	view->screen.focus = "knobs";
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

	/* At 80x24, Tab shows the curves in place of the limits, which stay the panel in front. */
	show("curves");
	view->screen.front = "limits";
	view->screen.focus = "curves";
	check_ok(chart_view(view, &origin, &chart, &what));
	assert_string_equal(what, "slice");
	chart_free(chart);
	chart = NULL;
	view->screen.focus = "knobs";
	view->screen.front = "curves";
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
		"curves, mountain, probe, windows, sweep, limits, ports, code, timeline and graph "
		"have one");
	assert_null(chart);
	view->screen.front = "limits";
	snprintf(view->limits_note, sizeof(view->limits_note), "this core has no model");
	check_refused(chart_view(view, &origin, &chart, &what), "this core has no model");
	view->screen.front = "curves";
	for (int i = 0; i < 8; i++)
		view->by_size.point[i].valid = false;
	check_refused(chart_view(view, &origin, &chart, &what), "nothing of it is measured");
}

RUN_TESTS(.each_tear_down = forget)
