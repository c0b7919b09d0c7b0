/* Windows as a picture, from a core made up. */
#include "windows_fakes.h"

#include "explorer/actions.h"
#include "picture/chart_reports.h"

static const struct machine this_machine = {
	.memory_limit = UINT64_C(8) << 30, .processors = 2, .cpu = 3, .name = "Test CPU"
};
static const struct chart_origin origin = { .machine = &this_machine, .now = 1767225600 };

/* Measured to its end; fillers: a bit each, 0: all. */
static struct windows *measured(uint64_t fillers, unsigned most, bool foreign)
{
	struct windows_options options = { .fillers = fillers, .seed = 3, .foreign = foreign };

	setting_init(&options.setting, &kernel_window);
	return windows_played(&this_machine, options, "golden-cove", most);
}

static const struct chart_mark *mark_of(const struct chart *chart, const char *words)
{
	for (int i = 0; i < chart->mark_count; i++)
		if (strstr(chart->mark[i].text, words))
			return &chart->mark[i];
	fail_msg("no mark %s", words);
	return NULL;
}

TEST(one_curve_has_its_knee_and_the_models_line)
{
	struct windows *windows = measured(1u << FILL_NOP, 10000, false);
	const struct windows_row *row = &windows_report(windows)->row[0];
	struct chart *chart = chart_windows(windows_report(windows), NULL, &origin);

	assert_non_null(chart);
	assert_string_equal(
		chart->title, "Reorder buffer: two misses with more and more nops between them");
	assert_string_equal(chart->x.title, "nops between the two misses");
	assert_string_equal(chart->y.title, "cycles per iteration");
	check_contains(chart->subtitle, "size=64m");
	assert_null(strstr(chart->subtitle, "fillers="));
	assert_int_equal(chart->series_count, 1);
	assert_int_equal(chart->series[0].count, row->curve.count);
	check_near(chart->series[0].point[0].x, row->curve.point[0].x, 0);
	check_near(chart->series[0].point[3].y, row->curve.point[3].y, 0);
	check_near(chart->series[0].point[3].hi, row->curve.point[3].hi, 0);
	assert_int_equal(chart->mark_count, 2);
	check_near(mark_of(chart, "knee: 506")->at, 506, 0);
	assert_false(mark_of(chart, "knee: 506")->stated);
	/* 512 entries, of which the loop takes some: so many nops fill them. */
	check_near(mark_of(chart, "core model: 512 entries")->at,
		(512 - row->fact->own) / row->fact->each, 1e-9);
	assert_true(mark_of(chart, "core model: 512 entries")->stated);
	assert_int_equal(chart->flat_count, 2);
	check_contains(chart->remark, "508 of 512 entries");
	check_contains(chart->source, "R: cycles by the reference clock");
	check_contains(chart->legend, "quartiles; dashed: entries of the core model");
	assert_true(chart->x.scale.high > 510);
	chart_free(chart);
	windows_free(windows);
}

TEST(another_cores_entries_are_called_so)
{
	struct windows *windows = measured(1u << FILL_NOP, 10000, true);
	struct chart *chart = chart_windows(windows_report(windows), NULL, &origin);

	check_contains(chart->legend, "entries of the core model, Intel Golden Cove");
	chart_free(chart);
	windows_free(windows);
}

TEST(several_are_told_apart_by_name_and_knee)
{
	struct windows *windows = measured(0, 10000, false);
	struct chart *chart = chart_windows(windows_report(windows), NULL, &origin);
	bool nop = false, other = false;

	/* One of them cannot be had here. */
	assert_int_equal(chart->series_count, FILL_KINDS - 1);
	for (int i = 0; i < chart->series_count; i++) {
		nop |= strcmp(chart->series[i].name, "nop: 506") == 0;
		other |= strcmp(chart->series[i].name, "other: none up to 1024") == 0;
		/* No place on a logarithmic scale. */
		for (int k = 0; k < chart->series[i].count; k++)
			assert_true(chart->series[i].point[k].x > 0);
	}
	assert_true(nop && other);
	assert_int_equal(chart->x.scale.kind, SCALE_LOG2);
	/* A name at each knee that there is. */
	assert_int_equal(chart->call_count, 5);
	assert_string_equal(chart->call[0].text, "nop");
	check_near(chart->call[0].x, 506, 0);
	mark_of(chart, "reorder buffer 512");
	mark_of(chart, "load queue 192");
	chart_free(chart);
	windows_free(windows);
}

TEST(what_is_not_measured_has_no_picture)
{
	struct windows *windows = measured(1u << FILL_NOP | 1u << FILL_LOAD, 1, false);
	const struct windows_report *report = windows_report(windows);
	struct chart *chart;

	/* A single point of the first, and nothing of the other. */
	chart = chart_windows(report, NULL, &origin);
	assert_int_equal(chart->series[0].count, 1);
	assert_null(strstr(chart->legend, "knee"));
	chart_free(chart);
	assert_null(chart_windows(report, &report->row[1], &origin));
	windows_free(windows);
	windows = measured(0, 0, false);
	assert_null(chart_windows(windows_report(windows), NULL, &origin));
	windows_free(windows);
}

TEST(on_screen_it_is_the_present_fillers)
{
	struct windows *windows = measured(0, 10000, false);
	const struct windows_report *report = windows_report(windows);
	struct view *view = calloc(1, sizeof(*view));
	struct chart *chart;
	struct status status;
	const char *what;

	setting_init(&view->setting, &kernel_window);
	view->machine = &this_machine;
	view->screen.front = view->screen.focus = "windows";
	status = chart_view(view, &origin, &chart, &what);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "nothing of it is measured");
	view->windows = report;
	view->window = windows_row(report, FILL_LOAD);
	check_ok(chart_view(view, &origin, &chart, &what));
	assert_string_equal(what, "windows");
	check_contains(chart->title, "Load queue");
	check_near(mark_of(chart, "knee: 190")->at, 190, 0);
	chart_free(chart);
	free(view);
	windows_free(windows);
}

RUN_TESTS()
