/* Cells, text, clipping, twins. */
#include <locale.h>

#include "drawn.h"

static void expect(struct canvas *canvas, const char *expected)
{
	assert_string_equal(printed(canvas), expected);
}

TEST(text_is_placed_and_measured)
{
	struct canvas canvas;

	canvas_init(&canvas, 10, 2, false);
	assert_int_equal(canvas_put(canvas_box(&canvas), 2, 1, STYLE_TEXT, "a×b"), 3);
	assert_int_equal(canvas_columns(canvas_box(&canvas), "a×b…"), 4);
	expect(&canvas, "\n  a×b\n");
	canvas_free(&canvas);
}

TEST(what_does_not_fit_ends_in_an_ellipsis)
{
	struct canvas canvas;

	canvas_init(&canvas, 10, 2, false);
	assert_int_equal(canvas_put(canvas_box(&canvas), 4, 0, STYLE_TEXT, "abcdefgh"), 6);
	canvas_put((struct box){ 0, 1, 4, 1, &canvas }, 0, 0, STYLE_TEXT, "abcd");
	expect(&canvas, "    abcde…\nabcd\n");
	canvas.ascii = true;
	canvas_clear(&canvas);
	canvas_put(canvas_box(&canvas), 4, 0, STYLE_TEXT, "abcdefgh");
	expect(&canvas, "    abcd..\n\n");
	canvas_free(&canvas);
}

TEST(nothing_is_drawn_outside_the_clip)
{
	struct canvas canvas;
	struct box clip = { 3, 0, 3, 1, &canvas };

	canvas_init(&canvas, 10, 2, false);
	canvas_put(clip, 0, 1, STYLE_TEXT, "below");
	canvas_put(clip, 0, -1, STYLE_TEXT, "above");
	canvas_put(clip, 3, 0, STYLE_TEXT, "right");
	canvas_put(clip, -2, 0, STYLE_TEXT, "abcd");
	canvas_glyph(clip, -1, 0, STYLE_TEXT, GLYPH_DOT);
	canvas_frame((struct box){ 20, 20, 5, 5, &canvas }, STYLE_TEXT, "far");
	expect(&canvas, "   cd\n\n");
	canvas_free(&canvas);
}

TEST(ascii_has_a_twin_for_everything)
{
	struct canvas canvas;
	struct box row = { 0, 0, GLYPH_COUNT + 40, 1, &canvas };

	canvas_init(&canvas, GLYPH_COUNT + 40, 1, true);
	for (int i = 0; i < GLYPH_COUNT; i++)
		canvas_glyph(row, i, 0, STYLE_TEXT, (enum glyph)i);
	canvas_put(row, GLYPH_COUNT, 0, STYLE_TEXT, "1…16 × ± — · 日 \xff");
	for (int i = 0; i < canvas.width; i++)
		assert_in_range(canvas.cells[i].character, ' ', '~');
	canvas_free(&canvas);
}

TEST(wide_characters_take_two_columns_or_none)
{
	struct canvas canvas;

	canvas_init(&canvas, 5, 1, false);
	assert_int_equal(
		canvas_put((struct box){ 0, 0, 5, 1, &canvas }, 0, 0, STYLE_TEXT, "日本"), 4);
	expect(&canvas, "日本\n");
	/* Half of one is overwritten: no other half stays. */
	canvas_put((struct box){ 0, 0, 5, 1, &canvas }, 1, 0, STYLE_TEXT, "x");
	expect(&canvas, " x本\n");
	canvas_clear(&canvas);
	canvas_put((struct box){ 0, 0, 4, 1, &canvas }, 0, 0, STYLE_TEXT, "a日本");
	expect(&canvas, "a日…\n");
	canvas_free(&canvas);
}

TEST(malformed_text_does_no_harm)
{
	struct canvas canvas;

	canvas_init(&canvas, 10, 1, true);
	canvas_put(canvas_box(&canvas), 0, 0, STYLE_TEXT, "a\xe2\x82 b\xc0\x80\x1b");
	expect(&canvas, "a?? b??\n");
	canvas_free(&canvas);
}

TEST(wrapping_breaks_at_blanks)
{
	struct canvas canvas;
	struct box at = { 0, 0, 8, 3, &canvas };

	canvas_init(&canvas, 8, 3, false);
	assert_int_equal(canvas_rows(at, "one two three incomprehensible"), 4);
	assert_int_equal(canvas_wrap(at, 0, STYLE_TEXT, "one two three incomprehensible"), 3);
	expect(&canvas, "one two\nthree\nincompr…\n");
	canvas_clear(&canvas);
	/* No part of a number looks like a number. */
	assert_int_equal(canvas_wrap(at, 1, STYLE_TEXT, "one two Zen 192 Zen 224"), 2);
	expect(&canvas, "\none two\nZen …\n");
	canvas_clear(&canvas);
	assert_int_equal(canvas_wrap(at, 1, STYLE_TEXT, "one two"), 1);
	assert_int_equal(canvas_rows(at, ""), 0);
	assert_int_equal(canvas_rows(box_part(canvas_box(&canvas), 0, 0, 0, 1), "x"), 0);
	expect(&canvas, "\none two\n\n");
	canvas_free(&canvas);
}

TEST(any_size_can_be_drawn_on)
{
	struct canvas canvas;

	canvas_init(&canvas, 0, 0, false);
	for (int size = 0; size < 5; size++) {
		canvas_resize(&canvas, size, size);
		canvas_frame((struct box){ 0, 0, size, size, &canvas }, STYLE_TEXT, "title");
		canvas_put_right(
			(struct box){ 0, 0, size, size, &canvas }, 3, 0, STYLE_TEXT, "wide 日");
		canvas_fill(canvas_box(&canvas), STYLE_BAD);
	}
	assert_int_equal(canvas.cells[0].style, STYLE_BAD);
	canvas_free(&canvas);
}

TEST(a_fill_stays_within_the_canvas_and_its_rectangle)
{
	struct canvas canvas;

	canvas_init(&canvas, 10, 2, false);
	canvas_put(canvas_box(&canvas), 0, 0, STYLE_DIM, "日本abc語!");
	canvas_put(canvas_box(&canvas), 0, 1, STYLE_DIM, "0123456789");
	/* It begins and ends within a wide character, and ends below the last row. */
	canvas_fill((struct box){ 3, 0, 5, 9, &canvas }, STYLE_BAD);
	expect(&canvas, "日       !\n012     89\n");
	assert_int_equal(canvas.cells[2].style, STYLE_DIM);
	assert_int_equal(canvas.cells[3].style, STYLE_BAD);
	assert_int_equal(canvas.cells[7].style, STYLE_BAD);
	assert_int_equal(canvas.cells[8].style, STYLE_DIM);
	/* These do not meet the canvas. */
	canvas_fill((struct box){ -5, 0, 5, 2, &canvas }, STYLE_BAD);
	canvas_fill((struct box){ 10, -3, 4, 3, &canvas }, STYLE_BAD);
	expect(&canvas, "日       !\n012     89\n");
	canvas_fill((struct box){ -2, -2, 4, 4, &canvas }, STYLE_BAD);
	expect(&canvas, "         !\n  2     89\n");
	canvas_free(&canvas);
}

/* 77: skipped. */
static int set_up(void **state)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8"))
		exit(77);
	return 0;
}

RUN_TESTS(.set_up = set_up)
