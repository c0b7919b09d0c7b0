/* What panels say of views that no engine would bring about at will. */
#include "fakes.h"

#include <locale.h>

#include "ui/panels.h"

extern const struct panel panel_figure, panel_strip, panel_header, panel_mountain;

static struct view view;
static char shown[8000];

/* A view of one quiet sample. */
static void begin(void)
{
	memset(&view, 0, sizeof(view));
	setting_init(&view.setting, &kernel_fold);
	view.ratio = view.last_ghz = NAN;
	view.sample = (struct sample){ .valid = true, .cpe = 2, .cpe_lo = 1.99, .cpe_hi = 2.01, .trials = 85,
		.dropped = 1509, .quiet = 0.12, .ghz = 4, .ns = 0.5, .gbps = 16, .bytes_per_cycle = 4,
		.cycles_from = SOURCE_REFERENCE, .modes = 1 };
}

static const char *draw(const struct panel *panel, int width, int height)
{
	struct scene scene = { .view = &view };
	struct canvas canvas;
	FILE *file;

	canvas_init(&canvas, width, height, true);
	panel->draw(&canvas, (struct rectangle){ 0, 0, width, height }, &scene);
	memset(shown, 0, sizeof(shown));
	file = fmemopen(shown, sizeof(shown) - 1, "w");
	canvas_print(&canvas, file);
	fclose(file);
	canvas_free(&canvas);
	return shown;
}

#define lacks(string, part) assert_null(strstr((string), (part)))

static void trials_are_told_in_words(void **state)
{
	(void)state;
	begin();
	check_contains(draw(&panel_figure, 31, 12), "85 quiet trials used, 1509 not");
	check_contains(shown, "12 % of trials quiet");
	check_contains(shown, "quartiles 1.990 .. 2.010");
	view.sample.trials = 1;
	view.sample.dropped = 0;
	check_contains(draw(&panel_figure, 31, 12), "1 quiet trial used, 0 not");
	check_contains(shown, "no quartiles from 1 trial\n");
	view.sample.trials = 4;
	check_contains(draw(&panel_figure, 31, 12), "no quartiles from 4 trials");
	view.sample.trials = 480;
	view.sample.contended = view.sample.mixed = true;
	check_contains(draw(&panel_figure, 46, 14), "480 trials used, contended ones too");
	check_contains(shown, "contended: 12 % of trials quiet");
	lacks(shown, "480 quiet");
}

static void a_quiet_figure_stands_beside_a_contended_one(void **state)
{
	(void)state;
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
static void compare_with(double cpe)
{
	view.pinned = true;
	view.a_setting = view.setting;
	view.a = view.sample;
	view.sample.cpe = cpe;
	view.sample.cpe_lo = 0.99 * cpe;
	view.sample.cpe_hi = 1.01 * cpe;
	view.ratio = cpe / view.a.cpe;
}

static void a_difference_within_the_spread_is_none(void **state)
{
	(void)state;
	begin();
	compare_with(1.98);
	check_contains(draw(&panel_figure, 60, 14), "the same within the spread");
	lacks(shown, "faster");
	begin();
	compare_with(1.5);
	check_contains(draw(&panel_figure, 60, 14), "B is 1.33x faster");
	lacks(shown, "contended");
	view.a.contended = true;
	view.sample.provisional = true;
	check_contains(draw(&panel_figure, 60, 14), "B is 1.33x faster, A contended, B provisional");
}

static void what_a_has_of_its_own_is_cut_at_a_word(void **state)
{
	(void)state;
	begin();
	compare_with(1.5);
	view.a_setting.kernel = &kernel_walk;
	setting_init(&view.a_setting, &kernel_walk);
	/* The size is the same; the rest has no room. */
	check_contains(draw(&panel_figure, 31, 14), "A    2.000  walk-list ..\n");
	check_contains(draw(&panel_figure, 70, 14), "walk-list spacing=16 order=sequential\n");
}

static void the_strip_does_not_reach_below_nothing(void **state)
{
	(void)state;
	begin();
	view.strip_count = 40;
	for (int i = 0; i < 40; i++)
		view.strip[i] = (struct view_tick){ i % 2 ? 0.1 : 3, TRIAL_QUIET };
	draw(&panel_strip, 60, 8);
	check_contains(shown, "0.000");
	lacks(shown, "-1.");
	check_contains(shown, "^v off the scale");
}

static void the_title_never_gives_another_cells_figure(void **state)
{
	struct scene scene = { .view = &view };
	char title[160];

	(void)state;
	begin();
	view.grid = (struct view_grid){ .present = true, .size_knob = FOLD_SIZE, .stride_knob = FOLD_STRIDE, .nx = 2,
		.ny = 2, .x = { 1, 2 }, .y = { 32768, 65536 }, .gbps = { { 31, 32 }, { 33, 34 } }, .top = 34 };
	panel_mountain.title_of(&scene, title, sizeof(title));
	assert_string_equal(title, "mountain: 31.00 GB/s at 32k, stride 1");
	check_contains(draw(&panel_mountain, 56, 6), "@");
	view.setting.v[FOLD_SIZE] = 48 * 1024;
	view.grid.place_y = axis_find(view.grid.y, 2, view.setting.v[FOLD_SIZE]);
	panel_mountain.title_of(&scene, title, sizeof(title));
	assert_string_equal(title, "mountain: here 48k, stride 1");
	lacks(draw(&panel_mountain, 56, 6), "@");
	/* Between the two rows, each of two lines. */
	check_contains(shown, "      >#");
	check_contains(shown, "64k >#");
	view.setting.v[FOLD_STRIDE] = 64;
	view.grid.place_x = axis_find(view.grid.x, 2, 64);
	view.grid.contended[1][1] = true;
	panel_mountain.title_of(&scene, title, sizeof(title));
	assert_string_equal(title, "mountain: here 48k, stride 64, off the grid  (× contended)");
	lacks(draw(&panel_mountain, 56, 6), "@");
	check_contains(shown, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_are_told_in_words),
		cmocka_unit_test(a_quiet_figure_stands_beside_a_contended_one),
		cmocka_unit_test(a_difference_within_the_spread_is_none),
		cmocka_unit_test(what_a_has_of_its_own_is_cut_at_a_word),
		cmocka_unit_test(the_strip_does_not_reach_below_nothing),
		cmocka_unit_test(the_title_never_gives_another_cells_figure),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
