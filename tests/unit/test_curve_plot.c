/* The curve of a filler: its names are whole wherever the knee and the core model's entries lie.
 * The bars of a slice. */
#include "drawn.h"
#include "fakes.h"

#include <locale.h>

#include "ui/curve_plot.h"

static void plot(const struct windows_row *row, int width, int height)
{
	struct canvas canvas;

	canvas_init(&canvas, width, height, true);
	window_plot_draw(canvas_box(&canvas), row, 100);
	printed(&canvas);
	canvas_free(&canvas);
}

/* Flat up to the knee, twice as high behind; 0: flat to the end. */
static struct windows_row row_of(double knee, double most, double entries)
{
	struct windows_row row = { .entries = entries };

	for (double x = 0; x <= most; x = x < 8 ? 8 : 2 * x)
		assert_true(knee_add(&row.curve, &(struct knee_point){ .x = x,
							 .y = knee > 0 && x > knee ? 1200 : 600,
							 .lo = 590,
							 .hi = 1210 }));
	row.knee = knee > 0 ? (struct knee){ .kind = KNEE_SHARP,
		.x = knee,
		.lo = knee,
		.hi = knee,
		.from = knee,
		.to = knee + 1,
		.before = 600,
		.after = 1200 }
			    : (struct knee){ .kind = KNEE_NONE,
				      .x = NAN,
				      .lo = NAN,
				      .hi = NAN,
				      .from = NAN,
				      .to = NAN,
				      .before = 600,
				      .after = NAN };
	return row;
}

TEST(names_are_whole)
{
	for (int width = CURVE_PLOT_COLUMNS; width < 130; width += 7)
		for (double entries = 10; entries < 1100; entries += CHECK_REPEATS(9, 61)) {
			char wanted[24], found[24];
			struct windows_row row = row_of(0, 1024, entries);

			snprintf(wanted, sizeof(wanted), "M %.0f", entries);
			plot(&row, width, WINDOW_PLOT_ROWS + 3);
			/* Beyond the last number of fillers it has no place. */
			if (entries <= 1024 && !strstr(shown, wanted))
				fail_msg("no \"%s\" in %d columns:\n%s", wanted, width, shown);
			for (double knee = 0.5 * entries; knee < 1.5 * entries;
				knee += entries / 7) {
				row = row_of(floor(knee), 1024, entries);
				snprintf(found, sizeof(found), "%.0f", floor(knee));
				plot(&row, width, WINDOW_PLOT_ROWS + 3);
				if (!strstr(shown, wanted) || !strstr(shown, found))
					fail_msg("no \"%s\" or no \"%s\" in %d columns:\n%s",
						wanted, found, width, shown);
			}
		}
}

/* Two entries each: half as many of them fill the buffer. */
TEST(entries_stand_where_fillers_take_them)
{
	struct windows_row pairs = row_of(96, 1024, 200), singles = row_of(96, 1024, 100);
	char paired[sizeof(shown)], *label;

	pairs.fact = &window_fillers[WINDOW_LINK];
	check_near(pairs.fact->each, 2, 0);
	check_near(pairs.fact->own, 0, 0);
	plot(&pairs, 80, WINDOW_PLOT_ROWS + 3);
	label = strstr(shown, "M 200");
	assert_non_null(label);
	memcpy(label, "M 100", 5);
	memcpy(paired, shown, sizeof(shown));
	plot(&singles, 80, WINDOW_PLOT_ROWS + 3);
	assert_string_equal(paired, shown);
}

/* Where misses take thousands of cycles the scale has digits, not powers. */
TEST(large_scales_have_digits)
{
	struct windows_row row = row_of(100, 1024, 0);

	for (int i = 0; i < row.curve.count; i++) {
		row.curve.point[i].y *= 15;
		row.curve.point[i].lo *= 15;
		row.curve.point[i].hi *= 15;
	}
	plot(&row, 80, WINDOW_PLOT_ROWS + 3);
	if (strstr(shown, "e+") || !strstr(shown, "20000"))
		fail_msg("%s", shown);
}

extern const struct panel panel_by_size;

/* Returns the character in a column of a row of what was printed last. */
static char printed_at(int row, ptrdiff_t column)
{
	const char *line = shown;

	for (; row > 0; row--)
		line = strchr(line, '\n') + 1;
	return column < (ptrdiff_t)strcspn(line, "\n") ? line[column] : ' ';
}

/* A setting between two points has its own value above its mark, not the value of a neighbour. */
TEST(a_setting_between_two_points_has_its_own_bar)
{
	struct view_slice *slice = &view.by_size;
	const int bars = 8;
	const char *mark;
	ptrdiff_t column;

	view_begin(&kernel_fold);
	view.by_stride.knob = -1;
	*slice = (struct view_slice){
		.knob = FOLD_SIZE, .count = 2, .here = -1, .place = { AXIS_BETWEEN, 0, 0.5 }
	};
	for (int i = 0; i < slice->count; i++) {
		slice->point[i] = (struct view_point){
			.value = 1024 << i, .possible = true, .valid = true, .settled = true
		};
		slice->point[i].sample = view.sample;
		slice->point[i].sample.bytes_per_cycle = 32;
	}
	view.setting.v[FOLD_SIZE] = 1536;
	view.sample.bytes_per_cycle = 8;
	mark = strchr(draw(&panel_by_size, 40, bars + 2), '^');
	assert_non_null(mark);
	column = mark - shown;
	while (column > 0 && shown[column - 1] != '\n')
		column--;
	column = mark - shown - column;
	/* The scale ends at 40, so the bars of 32 begin in row 1. */
	assert_int_equal(printed_at(1, column), ' ');
	assert_int_not_equal(printed_at(bars - 1, column), ' ');
	assert_null(strstr(
		panel_by_size.title_of(&(struct scene){ .view = &view }).text, "provisional"));
	slice->point[1].settled = false;
	check_contains(panel_by_size.title_of(&(struct scene){ .view = &view }).text,
		"(grey: provisional)");
	slice->point[1].settled = true;
	view.sample.bytes_per_cycle = 32;
	draw(&panel_by_size, 40, bars + 2);
	assert_int_not_equal(printed_at(1, column), ' ');
}

static int set_up(void **state)
{
	setlocale(LC_ALL, "C.UTF-8");
	return 0;
}

RUN_TESTS(.set_up = set_up)
