/* Scales that stay while a kernel is chosen, A next to the present values, and screens of every
 * size. */
#include "drawn.h"
#include "fakes.h"

#include <locale.h>

extern const struct panel panel_limits, panel_by_size;

static struct explanation explanation;
static struct steady steady;

/* A view of one sample of `cpe` cycles and one limit of the same cycles. */
static void begin(double cpe)
{
	view_begin(&kernel_fold);
	view.sample.cpe = cpe;
	memset(&explanation, 0, sizeof(explanation));
	explanation.limits = (struct limits){ .limit_count = 1, .elements = 1, .turns = 1 };
	explanation.limits.limit[0] =
		(struct limit){ .kind = LIMIT_LATENCY, .hard = true, .known = true, .cpe = cpe };
	view.explanation = &explanation;
}

/* The limits with the scales of the frames so far. */
static const char *bars(void)
{
	struct scene scene = { .view = &view };
	struct canvas canvas;

	steady_hold(&steady, &view);
	canvas_init(&canvas, 80, 8, true);
	panel_limits.draw(canvas_box(&canvas), &scene);
	printed(&canvas);
	canvas_free(&canvas);
	return shown;
}

/* The length of the bar in the row that begins with `title`. */
static int bar_of(const char *rows, const char *title)
{
	const char *row = strstr(rows, title), *from;

	assert_non_null(row);
	from = row + 1 + strcspn(row + 1, "#*:\n");
	return (int)strspn(from, "#*:");
}

TEST(a_limit_that_halves_is_a_bar_that_halves)
{
	int whole;

	memset(&steady, 0, sizeof(steady));
	begin(4);
	whole = bar_of(bars(), "latency");
	assert_int_equal(bar_of(shown, "measured"), whole);
	begin(2);
	assert_int_equal(bar_of(bars(), "latency"), (whole + 1) / 2);
	assert_int_equal(bar_of(shown, "measured"), (whole + 1) / 2);
	lacks(title(&panel_limits), "full bar");
	begin(0.25);
	bars();
	check_contains(title(&panel_limits), ", full bar: 4.000 (a: new scale)");
	begin(2);
	/* Another kernel, or the command `again`, begins the scale again. */
	view.epoch = 1;
	assert_int_equal(bar_of(bars(), "latency"), whole);
}

TEST(a_disturbed_value_widens_one_frame)
{
	memset(&steady, 0, sizeof(steady));
	begin(4);
	view.sample.cpe = 40;
	view.sample.contended = true;
	steady_hold(&steady, &view);
	check_near(view.scales.limits.high, 40, 1e-9);
	begin(4);
	steady_hold(&steady, &view);
	check_near(view.scales.limits.high, 4, 1e-9);
}

TEST(ports_and_mountain_keep_their_scale)
{
	memset(&steady, 0, sizeof(steady));
	for (int pass = 0; pass < 2; pass++) {
		begin(4);
		explanation.limits.port_count = 1;
		explanation.limits.pressure[0] = pass ? 2 : 4;
		view.grid.present = true;
		view.grid.top = pass ? 30 : 61;
		steady_hold(&steady, &view);
		check_near(view.scales.ports.high, 4, 1e-9);
		check_near(view.grid.top, 61, 1e-6);
	}
	/* A mountain without a point has no scale. */
	view.grid.top = 0;
	steady_hold(&steady, &view);
	check_near(view.grid.top, 0, 0);
}

TEST(a_has_a_bar_on_the_same_scale)
{
	memset(&steady, 0, sizeof(steady));
	begin(2);
	view.pinned = view.a_comparable = true;
	view.a_setting = view.setting;
	view.a = view.sample;
	view.a_limit = LIMIT_COUNT;
	view.a.cpe = 4;
	bars();
	assert_int_equal(bar_of(shown, "\nA "), 2 * bar_of(shown, "measured"));
	/* Cycles of another element are no length on this scale. */
	view.a_comparable = false;
	assert_null(strstr(bars(), "\nA "));
}

/* A slice of three sizes at 4, 4 and 2 bytes per cycle, and A at twice as many. */
static void slice(void)
{
	static struct sample a[3];

	begin(1);
	view.by_stride.knob = -1;
	view.by_size = (struct view_slice){ .knob = kernel_knob(&kernel_fold, "size"),
		.count = 3,
		.here = -1,
		.place = { AXIS_BEYOND, 2, 0 } };
	assert_true(view.by_size.knob >= 0);
	for (int i = 0; i < 3; i++) {
		a[i] = view.sample;
		a[i].bytes_per_cycle = i < 2 ? 8 : 4;
		view.by_size.point[i] = (struct view_point){ .value = 4096 << 2 * i,
			.possible = true,
			.valid = true,
			.settled = true,
			.sample = view.sample,
			.a = &a[i] };
		view.by_size.point[i].sample.bytes_per_cycle = i < 2 ? 4 : 2;
	}
	view.caches.level[0].bytes = 16384;
}

TEST(curves_show_a_and_the_caches)
{
	slice();
	assert_string_equal(draw(&panel_by_size, 34, 8), "    8 ======= =======.\n"
							 "                     .\n"
							 "                     .\n"
							 "    4 ####### #######.=======\n"
							 "      ||||||| |||||||.:::::::\n"
							 "      ||||||| |||||||.|||||||\n"
							 "    0 -------------L1+-------->\n"
							 "      4k      16k     64k\n");
	check_contains(title(&panel_by_size), "bytes per cycle R over size");
}

/* A frame of the present view, in presenter mode or not. */
static const char *frame(int width, int height, bool present, bool ascii)
{
	static const struct keys keys;
	static const bool works[KEYS_MAX];
	static const struct pressed pressed = { "+", "turn the chosen knob up one step" };
	struct canvas canvas;

	view.screen.present = present;
	canvas_init(&canvas, width, height, ascii);
	panels_draw(&canvas, &view, &keys, works, &pressed);
	printed(&canvas);
	canvas_free(&canvas);
	return shown;
}

TEST(every_size_has_the_value_and_its_limit)
{
	static const int widths[] = { 1, 2, 3, 9, 19, 20, 21, 25, 40, 41, 59, 60, 80, 120, 200,
		300 };
	static const int heights[] = { 1, 2, 3, 4, 5, 7, 9, 10, 12, 15, 16, 24, 40, 60, 100 };

	slice();
	steady_hold(&steady, &view);
	view.a_setting = view.setting;
	view.a = view.sample;
	view.ratio = 1;
	view.a_comparable = true;
	view.screen.front = "curves";
	for (unsigned i = 0; i < 8 * 16 * 15; i++) {
		int width = widths[i / 8 % 16], height = heights[i / 128];

		view.pinned = i & 1;
		frame(width, height, i & 2, i & 4);
		if (width >= 20 && height >= 3)
			assert_non_null(strstr(shown, "fold"));
		if (width >= 20 && height >= 4)
			assert_non_null(strstr(shown, "limit 1.000"));
		if (width >= 20 && height >= 3 && (height < 16 || width < 60))
			assert_non_null(strstr(shown, view.setting.kernel->knobs[0].name));
	}
}

TEST(small_screens_show_the_knob_under_the_cursor)
{
	slice();
	view.knob = 1;
	strcpy(view.screen.entry, "9");
	check_contains(frame(40, 10, false, true), view.setting.kernel->knobs[1].name);
	check_contains(shown, "9_");
	view.pinned = view.a_comparable = true;
	view.a_setting = view.setting;
	view.a = view.sample;
	view.ratio = 1;
	/* The large digits stay when A is kept. */
	check_contains(frame(40, 10, false, true), "|_|");
	check_contains(shown, "B/A  1.000");
}

TEST(presenter_mode_shows_the_last_key)
{
	slice();
	view.screen.front = "curves";
	check_contains(frame(80, 24, true, true), "+  turn the chosen knob up one step");
	lacks(frame(80, 24, false, true), "turn the chosen knob");
}

static int set_up(void **state)
{
	setlocale(LC_ALL, "C.UTF-8");
	return 0;
}

RUN_TESTS(.set_up = set_up)
