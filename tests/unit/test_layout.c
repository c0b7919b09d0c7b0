/* Rectangles at every size. */
#include "check.h"
#include "lesson/lesson.h"
#include "ui/layout.h"

enum { ROWS = 13 };

/* Like the table of panels: what is wanted may be switched off by name. */
static const struct layout_row all[ROWS] = {
	{ "line", AREA_LINE, 1, 1, true },
	{ "header", AREA_HEADER, 60, 1, true },
	{ "kernels", AREA_KERNELS, 13, 8, true },
	{ "knobs", AREA_KNOBS, 20, 8, true },
	{ "figure", AREA_FIGURE, 20, 8, true },
	{ "about", AREA_ABOUT, 20, 8, true },
	{ "curves", AREA_BODY, 40, 5, true },
	{ "by-stride", AREA_BODY, 40, 8, true },
	{ "limits", AREA_BODY, 40, 6, true },
	{ "mountain", AREA_TALL, 56, 10, true },
	{ "trials", AREA_BODY, 40, 7, true },
	{ "notice", AREA_NOTICE, 60, 1, true },
	{ "keys", AREA_KEYS, 60, 1, true },
};

/* A layout without the rows of the mask. */
static struct layout without(unsigned mask, int width, int height, int top_rows)
{
	struct layout_row rows[ROWS];
	struct layout layout;

	for (int i = 0; i < ROWS; i++) {
		rows[i] = all[i];
		rows[i].wanted = !(mask >> i & 1);
	}
	layout_compute(width, height, rows, ROWS, top_rows, false, &layout);
	return layout;
}

static void no_overlap_and_nothing_outside(const struct layout *layout, int width, int height)
{
	static unsigned char taken[80][250];

	memset(taken, 0, sizeof(taken));
	for (int i = 0; i < layout->count; i++) {
		struct box at = layout->item[i].at;

		if (at.x < 0 || at.y < 0 || at.width < 1 || at.height < 1 ||
			at.x + at.width > width || at.y + at.height > height)
			fail_msg("%s is outside at %dx%d", layout->item[i].name, width, height);
		for (int y = at.y; y < at.y + at.height; y++)
			for (int x = at.x; x < at.x + at.width; x++)
				if (taken[y][x]++)
					fail_msg("%s overlaps at %dx%d", layout->item[i].name,
						width, height);
	}
}

TEST(every_size_is_sound)
{
	static const char *const required[] = { "header", "kernels", "knobs", "figure", "curves",
		"notice", "keys" };
	/* Everything; no mountain; nothing but one slice. */
	static const unsigned masks[] = { 0, 1u << 9, 1u << 7 | 1u << 8 | 1u << 9 | 1u << 10 };

	for (int width = 1; width <= 250; width++) {
		for (int height = 1; height <= 80; height += CHECK_REPEATS(1, 3)) {
			for (size_t i = 0; i < 3; i++) {
				struct layout layout =
					without(masks[i], width, height, 13 + (int)i);

				no_overlap_and_nothing_outside(&layout, width, height);
				if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
					assert_int_equal(layout.count, 1);
					assert_non_null(layout_find(&layout, "line"));
					continue;
				}
				assert_null(layout_find(&layout, "line"));
				for (size_t j = 0; j < sizeof(required) / sizeof(required[0]); j++)
					if (!layout_find(&layout, required[j]))
						fail_msg("no %s at %dx%d", required[j], width,
							height);
			}
		}
	}
}

TEST(rows_have_their_least_size)
{
	for (int width = LAYOUT_MIN_WIDTH; width <= 250; width++) {
		for (int height = LAYOUT_MIN_HEIGHT; height <= 80; height++) {
			struct layout layout = without(0, width, height, 13);

			for (int i = 1; i < ROWS; i++) {
				const struct box *at = layout_find(&layout, all[i].name);

				/* Beside the first slice there is always room for another, however
				 * low. */
				if (at && at->height < all[i].min_height &&
					at->y != layout_find(&layout, "curves")->y)
					fail_msg("%s has %d rows at %dx%d", all[i].name, at->height,
						width, height);
			}
		}
	}
}

TEST(more_room_shows_more_in_order)
{
	struct layout usual = without(1u << 8, 80, 24, 13), wide = without(1u << 8, 120, 40, 13);
	struct layout full = without(0, 200, 60, 13);

	assert_null(layout_find(&usual, "mountain"));
	assert_null(layout_find(&usual, "trials"));
	assert_non_null(layout_find(&wide, "by-stride"));
	assert_non_null(layout_find(&wide, "mountain"));
	assert_non_null(layout_find(&wide, "trials"));
	for (int i = 1; i < ROWS; i++)
		assert_non_null(layout_find(&full, all[i].name));
	/* The figure and one slice have room to be read at the usual size. */
	assert_true(layout_find(&usual, "figure")->width >= 30);
	assert_true(layout_find(&usual, "figure")->height >= 11);
	assert_int_equal(layout_find(&usual, "curves")->width, 80);
}

TEST(a_body_without_rows_is_no_trouble)
{
	struct layout layout =
		without(1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 10, 80, 24, 13);

	no_overlap_and_nothing_outside(&layout, 80, 24);
	assert_non_null(layout_find(&layout, "figure"));
}

/* Rows of the body alone, as the table of panels has them. */
static struct layout body(struct layout_row *rows, int count, int width, int height)
{
	struct layout layout;

	for (int i = 0; i < count; i++)
		rows[i].wanted = true;
	layout_compute(width, height, rows, count, 13, false, &layout);
	no_overlap_and_nothing_outside(&layout, width, height);
	return layout;
}

TEST(lists_have_their_best_height_and_plots_the_rest)
{
	struct layout_row rows[] = {
		{ .name = "plot", .area = AREA_BODY, .min_width = 40, .min_height = 5 },
		{ .name = "list",
			.area = AREA_BODY,
			.min_width = 40,
			.min_height = 6,
			.best_height = 9 },
	};
	struct layout layout = body(rows, 2, 90, 44);

	/* 44 rows less the frame's 3 and the top's 13 are 28. */
	assert_int_equal(layout_find(&layout, "list")->height, 9);
	assert_int_equal(layout_find(&layout, "plot")->height, 19);
}

TEST(extra_rows_leave_others_their_comfort)
{
	struct layout_row rows[] = {
		{ .name = "plot", .area = AREA_BODY, .min_width = 40, .min_height = 5 },
		{ .name = "list",
			.area = AREA_BODY,
			.min_width = 40,
			.min_height = 6,
			.best_height = 12 },
		{ .name = "extra",
			.area = AREA_BODY,
			.min_width = 40,
			.min_height = 6,
			.extra = true },
	};
	struct layout low = body(rows, 3, 90, 41), high = body(rows, 3, 90, 42);

	assert_null(layout_find(&low, "extra"));
	assert_non_null(layout_find(&high, "extra"));
	assert_true(layout_find(&high, "list")->height == 12);
	rows[2].extra = false;
	low = body(rows, 3, 90, 41);
	assert_non_null(layout_find(&low, "extra"));
}

TEST(rows_stand_in_the_order_of_their_places)
{
	struct layout_row rows[] = {
		{ .name = "a", .area = AREA_BODY, .min_width = 40, .min_height = 5, .place = 1 },
		{ .name = "b", .area = AREA_BODY, .min_width = 40, .min_height = 5, .place = 3 },
		{ .name = "c", .area = AREA_BODY, .min_width = 40, .min_height = 5, .place = 2 },
	};
	struct layout layout = body(rows, 3, 90, 44);

	assert_true(layout_find(&layout, "a")->y < layout_find(&layout, "c")->y);
	assert_true(layout_find(&layout, "c")->y < layout_find(&layout, "b")->y);
}

TEST(what_is_in_front_has_its_height_first)
{
	struct layout_row rows[] = {
		{ .name = "front",
			.area = AREA_BODY,
			.min_width = 40,
			.min_height = 5,
			.best_height = 14,
			.front = true },
		{ .name = "b", .area = AREA_BODY, .min_width = 40, .min_height = 5, .place = 1 },
		{ .name = "c", .area = AREA_BODY, .min_width = 40, .min_height = 5, .place = 1 },
	};
	struct layout layout = body(rows, 3, 90, 44);

	assert_true(layout_find(&layout, "front")->height >= 14);
	assert_int_equal(layout_find(&layout, "front")->y, 14);
	layout = body(rows, 3, 80, 24);
	assert_non_null(layout_find(&layout, "front"));
	assert_null(layout_find(&layout, "b"));
}

/* What has the screen to itself leaves the first row, and the last two. */
TEST(the_whole_screen_is_one_panels)
{
	struct layout_row rows[ROWS];
	struct layout layout;

	memcpy(rows, all, sizeof(rows));
	rows[9].alone = true;
	layout_compute(100, 30, rows, ROWS, 13, false, &layout);
	assert_int_equal(layout.count, 4);
	no_overlap_and_nothing_outside(&layout, 100, 30);
	assert_int_equal(layout_find(&layout, "mountain")->height, 27);
	assert_int_equal(layout_find(&layout, "mountain")->width, 100);
	/* Not where it is not wanted, or there is one line only. */
	layout_compute(40, 10, rows, ROWS, 13, false, &layout);
	assert_null(layout_find(&layout, "mountain"));
	rows[9].wanted = false;
	layout_compute(100, 30, rows, ROWS, 13, false, &layout);
	assert_non_null(layout_find(&layout, "knobs"));
}

TEST(a_whole_row_has_the_width_in_front_only)
{
	struct layout_row rows[] = {
		{ .name = "whole",
			.area = AREA_BODY,
			.min_width = 40,
			.min_height = 8,
			.best_height = 20,
			.front = true,
			.whole = true },
		{ .name = "b", .area = AREA_BODY, .min_width = 40, .min_height = 5, .place = 1 },
		{ .name = "tall", .area = AREA_TALL, .min_width = 50, .min_height = 8, .place = 2 },
	};
	struct layout layout = body(rows, 3, 180, 60);

	assert_int_equal(layout_find(&layout, "whole")->width, 180);
	assert_int_equal(layout_find(&layout, "whole")->height, 20);
	assert_int_equal(layout_find(&layout, "b")->y, layout_find(&layout, "whole")->y + 20);
	assert_int_equal(layout_find(&layout, "tall")->y, layout_find(&layout, "b")->y);
	/* It has all of the body where nothing has room below. */
	layout = body(rows, 3, 80, 24);
	assert_int_equal(
		layout_find(&layout, "whole")->y + layout_find(&layout, "whole")->height, 22);
	assert_null(layout_find(&layout, "b"));
	rows[0].front = false;
	layout = body(rows, 3, 180, 60);
	assert_true(layout_find(&layout, "whole")->width < 180);
}

TEST(presenter_mode_has_the_value_and_one_panel)
{
	for (int width = 1; width <= 250; width += 3) {
		for (int height = 1; height <= 80; height++) {
			struct layout layout;

			layout_compute(width, height, all, ROWS, 13, true, &layout);
			no_overlap_and_nothing_outside(&layout, width, height);
			assert_non_null(layout_find(&layout, "line"));
			assert_null(layout_find(&layout, "knobs"));
			if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT)
				continue;
			assert_non_null(layout_find(&layout, "curves"));
			assert_int_equal(layout.count, 4);
		}
	}
}

TEST(the_panel_in_front_is_the_one_presented)
{
	struct layout_row rows[ROWS];
	struct layout layout;

	memcpy(rows, all, sizeof(rows));
	rows[8].front = true;
	layout_compute(80, 24, rows, ROWS, 13, true, &layout);
	assert_non_null(layout_find(&layout, "limits"));
	assert_null(layout_find(&layout, "curves"));
}

TEST(digits_grow_with_the_screen)
{
	assert_int_equal(layout_digits(80, 24), 3);
	assert_int_equal(layout_digits(120, 40), 5);
	assert_int_equal(layout_digits(200, 60), 7);
	assert_int_equal(layout_digits(300, 100), 11);
	assert_int_equal(layout_digits(300, 24), 3);
	assert_int_equal(layout_digits(80, 100), 3);
}

TEST(a_small_screen_shows_the_text_of_a_lesson)
{
	struct layout_row rows[ROWS + 1];
	struct layout layout;

	memcpy(rows, all, sizeof(all));
	rows[ROWS] = (struct layout_row){ "lesson", AREA_LESSON, 40, 8, true };
	for (int width = 1; width < 90; width++)
		for (int height = 1; height < LAYOUT_MIN_HEIGHT; height++) {
			layout_compute(width, height, rows, ROWS + 1, 13, false, &layout);
			no_overlap_and_nothing_outside(&layout, width, height);
			assert_non_null(layout_find(&layout, "line"));
			assert_int_equal(
				layout_find(&layout, "lesson") != NULL, width >= 20 && height >= 5);
		}
}

TEST(a_long_lesson_keeps_a_row_with_the_value)
{
	struct layout_row rows[ROWS + 1];
	struct layout layout;

	memcpy(rows, all, sizeof(all));
	rows[ROWS] = (struct layout_row){ "lesson", AREA_LESSON, 40, 8, true, .best_height = 30,
		.whole_height = 25 };
	for (int height = LAYOUT_MIN_HEIGHT; height < 32; height++) {
		layout_compute(LAYOUT_MIN_WIDTH, height, rows, ROWS + 1, 13, false, &layout);
		no_overlap_and_nothing_outside(&layout, LAYOUT_MIN_WIDTH, height);
		assert_non_null(layout_find(&layout, "line"));
		assert_int_equal(layout_find(&layout, "line")->height, 1);
		assert_true(layout_find(&layout, "lesson")->height >= 12);
	}
}

TEST(a_lesson_has_the_columns_that_its_check_assumes)
{
	assert_int_equal(layout_lesson_width(80), LESSON_COLUMNS);
}

RUN_TESTS()
