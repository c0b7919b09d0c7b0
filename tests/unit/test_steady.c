/* Scales that stay while a kernel is chosen, and A next to the present values. */
#include "drawn.h"
#include "fakes.h"

#include <locale.h>

extern const struct panel panel_ladder, panel_by_size;

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

/* The ladder with the scales of the frames so far. */
static const char *ladder(void)
{
	struct scene scene = { .view = &view };
	struct canvas canvas;

	steady_hold(&steady, &view);
	canvas_init(&canvas, 80, 8, true);
	panel_ladder.draw(canvas_box(&canvas), &scene);
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
	whole = bar_of(ladder(), "latency");
	assert_int_equal(bar_of(shown, "measured"), whole);
	begin(2);
	assert_int_equal(bar_of(ladder(), "latency"), (whole + 1) / 2);
	assert_int_equal(bar_of(shown, "measured"), (whole + 1) / 2);
	/* Another kernel, or the command `again`, begins the scale again. */
	view.epoch = 1;
	assert_int_equal(bar_of(ladder(), "latency"), whole);
}

TEST(a_disturbed_value_widens_one_frame)
{
	memset(&steady, 0, sizeof(steady));
	begin(4);
	view.sample.cpe = 40;
	view.sample.contended = true;
	steady_hold(&steady, &view);
	check_near(view.scales.ladder.high, 40, 1e-9);
	begin(4);
	steady_hold(&steady, &view);
	check_near(view.scales.ladder.high, 4, 1e-9);
}

TEST(a_has_a_bar_on_the_same_scale)
{
	memset(&steady, 0, sizeof(steady));
	begin(2);
	view.pinned = view.a_comparable = true;
	view.a_setting = view.setting;
	view.a = view.sample;
	view.a.cpe = 4;
	ladder();
	assert_int_equal(bar_of(shown, "\nA "), 2 * bar_of(shown, "measured"));
	/* Cycles of another element are no length on this scale. */
	view.a_comparable = false;
	assert_null(strstr(ladder(), "\nA "));
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

static int set_up(void **state)
{
	setlocale(LC_ALL, "C.UTF-8");
	return 0;
}

RUN_TESTS(.set_up = set_up)
