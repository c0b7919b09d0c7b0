/* Points, faces that hide what is behind them, and the mountain as a relief. */
#include "drawn.h"
#include "fakes.h"

#include <locale.h>

#include "ui/mountain_relief.h"
#include "ui/shapes.h"

static const char *show(const struct dots *dots, bool ascii)
{
	struct canvas canvas;

	canvas_init(&canvas, dots->width / 2, dots->height / 4, ascii);
	dots_show(dots, canvas_box(&canvas), 0, 0, STYLE_HERE);
	printed(&canvas);
	canvas_free(&canvas);
	return shown;
}

TEST(lines_run_from_end_to_end)
{
	struct dots dots;

	dots_init(&dots, 4, 2);
	dots_line(&dots, (struct dots_point){ 0, 7 }, (struct dots_point){ 7, 0 }, STYLE_TEXT);
	for (int i = 0; i < 8; i++)
		assert_true(dots_on(&dots, i, 7 - i));
	assert_false(dots_on(&dots, 1, 7));
	assert_string_equal(show(&dots, false), "  ⡠⠊\n⡠⠊\n");
	assert_string_equal(show(&dots, true), "  //\n//\n");
	/* What leaves the picture is left out, and one point is a line too. */
	dots_line(&dots, (struct dots_point){ -20, 3 }, (struct dots_point){ 20, 3 }, STYLE_TEXT);
	assert_true(dots_on(&dots, 0, 3) && dots_on(&dots, 7, 3));
	dots_line(&dots, (struct dots_point){ 1, 1 }, (struct dots_point){ 1, 1 }, STYLE_TEXT);
	assert_true(dots_on(&dots, 1, 1));
	assert_false(dots_on(&dots, -1, 0) || dots_on(&dots, 0, 8));
	dots_free(&dots);
}

TEST(faces_hide_what_is_behind_them)
{
	static const struct dots_point face[] = { { 4, 4 }, { 11, 4 }, { 11, 11 }, { 4, 11 } };
	static const struct dots_point bow[] = { { 4, 4 }, { 11, 11 }, { 11, 4 }, { 4, 11 } };
	struct dots dots;

	dots_init(&dots, 8, 4);
	for (int y = 0; y < 16; y++)
		dots_line(&dots, (struct dots_point){ 0, y }, (struct dots_point){ 15, y },
			STYLE_TEXT);
	dots_hide(&dots, face, 4);
	for (int y = 0; y < 16; y++)
		for (int x = 0; x < 16; x++)
			assert_int_equal(dots_on(&dots, x, y), x < 4 || x > 11 || y < 4 || y > 11);
	/* One whose edges cross stays within its corners. */
	for (int y = 0; y < 16; y++)
		dots_line(&dots, (struct dots_point){ 0, y }, (struct dots_point){ 15, y },
			STYLE_TEXT);
	dots_hide(&dots, bow, 4);
	assert_false(dots_on(&dots, 4, 4) || dots_on(&dots, 11, 11));
	assert_true(dots_on(&dots, 3, 8) && dots_on(&dots, 12, 8) && dots_on(&dots, 8, 3) &&
		    dots_on(&dots, 8, 12));
	/* Beyond the picture there is nothing to hide. */
	dots_hide(&dots,
		(const struct dots_point[]){ { -50, -50 }, { 90, -50 }, { 90, 90 }, { -50, 90 } },
		4);
	for (int i = 0; i < 16; i++)
		assert_false(dots_on(&dots, i, i));
	dots_free(&dots);
}

TEST(the_cursors_style_comes_first)
{
	struct dots dots;
	struct canvas canvas;

	dots_init(&dots, 1, 1);
	dots_line(&dots, (struct dots_point){ 0, 0 }, (struct dots_point){ 0, 3 }, STYLE_SHADE7);
	dots_line(&dots, (struct dots_point){ 1, 0 }, (struct dots_point){ 1, 0 }, STYLE_SHADE1);
	canvas_init(&canvas, 1, 1, false);
	dots_show(&dots, (struct box){ 0, 0, 1, 1, &canvas }, 0, 0, STYLE_HERE);
	assert_int_equal(canvas.cells[0].style, STYLE_SHADE7);
	assert_int_equal(canvas.cells[0].character, 0x284f);
	dots_line(&dots, (struct dots_point){ 1, 1 }, (struct dots_point){ 1, 1 }, STYLE_HERE);
	dots_show(&dots, (struct box){ 0, 0, 1, 1, &canvas }, 0, 0, STYLE_HERE);
	assert_int_equal(canvas.cells[0].style, STYLE_HERE);
	canvas_free(&canvas);
	dots_free(&dots);
}

/* ---- the relief */

/* A surface of 4 strides and 4 sizes, all as high. */
static void plain(float gbps)
{
	memset(&view, 0, sizeof(view));
	setting_init(&view.setting, &kernel_fold);
	view.grid = (struct view_grid){ .present = true,
		.size_knob = FOLD_SIZE,
		.stride_knob = FOLD_STRIDE,
		.nx = 4,
		.ny = 4,
		.x = { 1, 2, 3, 4 },
		.y = { 16384, 32768, 65536, 131072 },
		.top = 10,
		.slope_end = -1,
		.level = { 1, 1, 2, GRID_MEMORY },
		.place_x = { .where = AXIS_BEYOND, .index = 3 },
		.place_y = { .where = AXIS_AT, .index = 1 } };
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 4; x++)
			view.grid.gbps[y][x] = gbps;
}

static struct canvas canvas;

static bool draw_relief(int width, int height)
{
	bool drawn;

	canvas_resize(&canvas, width, height);
	drawn = mountain_relief((struct box){ 0, 0, width, height, &canvas }, &view);
	printed(&canvas);
	return drawn;
}

static int cells_of(enum style style)
{
	int count = 0;

	for (int i = 0; i < canvas.width * canvas.height; i++)
		count += canvas.cells[i].style == style;
	return count;
}

TEST(a_wall_in_front_hides_what_is_lower)
{
	int seen, behind_valley, behind_wall;

	canvas_init(&canvas, 1, 1, false);
	/* The row at the back has a shade of its own. */
	plain(2);
	for (int x = 0; x < 4; x++)
		view.grid.gbps[0][x] = 0.5F;
	assert_true(draw_relief(70, 22));
	seen = cells_of(STYLE_SHADE0);
	assert_true(seen > 10);
	/* Nearer ones that reach as high on the screen leave nothing of it. */
	plain(10);
	for (int x = 0; x < 4; x++)
		view.grid.gbps[0][x] = 0.5F;
	assert_true(draw_relief(70, 22));
	behind_wall = cells_of(STYLE_SHADE0);
	assert_int_equal(behind_wall, 0);
	/* A gap in the wall lets some of it be seen. */
	for (int y = 1; y < 4; y++)
		view.grid.gbps[y][1] = view.grid.gbps[y][2] = 0.5F;
	assert_true(draw_relief(70, 22));
	behind_valley = cells_of(STYLE_SHADE0);
	assert_true(behind_valley > 0);
	canvas_free(&canvas);
}

TEST(ridges_and_sizes_are_labelled)
{
	canvas_init(&canvas, 1, 1, true);
	plain(10);
	view.grid.slope_end = 2;
	view.grid.line = 64;
	assert_true(draw_relief(70, 30));
	check_parts(shown, "16k L1", "64k L2", "128k mem", "GB/s", "^ a line of 64 bytes each");
	assert_null(strchr(shown, '@'));
	/* The cursor, and its lines. */
	view.grid.place_x = (struct axis_place){ AXIS_AT, 2, 0 };
	view.grid.here_x = 2;
	view.grid.here_y = 1;
	assert_true(draw_relief(70, 30));
	assert_non_null(strchr(shown, '@'));
	assert_true(cells_of(STYLE_HERE) > 20);
	canvas_free(&canvas);
}

TEST(what_is_not_measured_is_no_surface)
{
	canvas_init(&canvas, 1, 1, true);
	plain(NAN);
	view.grid.top = 0;
	assert_true(draw_relief(70, 22));
	for (int shade = 0; shade < 8; shade++)
		assert_int_equal(cells_of((enum style)(STYLE_SHADE0 + shade)), 0);
	/* Four cells make the first face. */
	view.grid.gbps[0][0] = view.grid.gbps[0][1] = view.grid.gbps[1][0] = 5;
	view.grid.top = 5;
	draw_relief(70, 22);
	assert_int_equal(cells_of(STYLE_SHADE7), 0);
	view.grid.gbps[1][1] = 5;
	draw_relief(70, 22);
	assert_true(cells_of(STYLE_SHADE7) > 0);
	/* Without room there is none. */
	assert_false(draw_relief(43, 22));
	assert_false(draw_relief(70, 9));
	canvas_free(&canvas);
}

/* ---- colours and attributes, large digits ---- */

/* Cells that a relief of equal heights fills are areas of one shade, without holes. */
TEST(a_solid_relief_has_areas)
{
	int areas = 0, blocks = 0;

	canvas_init(&canvas, 1, 1, false);
	canvas.solid = true;
	plain(10);
	view.grid.contended[1][1] = true;
	assert_true(draw_relief(70, 22));
	for (int i = 0; i < canvas.width * canvas.height; i++) {
		enum style style = (enum style)canvas.cells[i].style;

		areas += style == STYLE_AREA0 + 7 || style == STYLE_FACET0 + 7;
		blocks += style == STYLE_SHADE7;
		/* No other shade, and no mark that would be a hole in the area. */
		assert_true(style <= STYLE_BAR || style == STYLE_AREA0 + 7 ||
			    style == STYLE_FACET0 + 7 || style == STYLE_SHADE7);
	}
	assert_true(areas > 200);
	assert_true(blocks > 10);
	assert_int_equal(cells_of(STYLE_WARN), 0);
	canvas_free(&canvas);
}

/* The cells outside the width that digits_width() promises are blank, at every height. */
static void check_width(const char *figure, int rows)
{
	int width = digits_width(figure, rows), drawn = 0;

	canvas_clear(&canvas);
	digits_draw(canvas_box(&canvas), 0, 0, rows, STYLE_TEXT, figure);
	for (int y = 0; y < canvas.height; y++)
		for (int x = 0; x < canvas.width; x++) {
			bool blank = canvas.cells[y * canvas.width + x].character == L' ';

			drawn += !blank;
			if (!blank && (x >= width || y >= rows))
				fail_msg("%s at %d rows reaches %d, %d", figure, rows, x, y);
		}
	assert_true(drawn > 0);
}

TEST(digits_are_as_wide_as_they_say)
{
	static const char *const figures[] = { "0.752", "12.35", "1234567890", "." };

	assert_int_equal(digits_width("0.752", 3), 17);
	assert_int_equal(digits_width("0.752", 5), 34);
	assert_int_equal(digits_width("0.752", 7), 38);
	assert_int_equal(digits_width("0.752", 11), 68);
	assert_int_equal(digits_width("-", 3), 0);
	assert_int_equal(digits_width("", 3), 0);
	for (int ascii = 0; ascii < 2; ascii++) {
		canvas_init(&canvas, 400, 30, ascii);
		for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
			for (int rows = DIGITS_HEIGHT; rows < 20; rows++)
				check_width(figures[i], rows);
		canvas_free(&canvas);
	}
}

TEST(digits_take_the_room_there_is)
{
	assert_int_equal(digits_fit("0.752", 80, 5), 5);
	assert_int_equal(digits_fit("0.752", 38, 40), 7);
	assert_int_equal(digits_fit("0.752", 17, 40), 3);
	assert_int_equal(digits_fit("0.752", 16, 40), 0);
	assert_int_equal(digits_fit("0.752", 80, 2), 0);
	assert_int_equal(digits_fit("-", 80, 20), 0);
}

/* The digit 2 of seven rows: strokes of two pixels. */
TEST(large_digits_have_strokes_of_one_width)
{
	static char text[400];
	FILE *file = fmemopen(text, sizeof(text) - 1, "w");

	canvas_init(&canvas, 12, 7, true);
	digits_draw(canvas_box(&canvas), 0, 0, 7, STYLE_TEXT, "2.");
	canvas_print(&canvas, file);
	fclose(file);
	canvas_free(&canvas);
	assert_string_equal(text, "#######\n     ##\n     ##\n#######\n##\n##\n#######  ##\n");
}

static int set_up(void **state)
{
	setlocale(LC_ALL, "C.UTF-8");
	return 0;
}

RUN_TESTS(.set_up = set_up)
