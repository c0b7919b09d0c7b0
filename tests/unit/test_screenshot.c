/* The screen as an SVG picture. */
#include "check.h"

#include <locale.h>
#include <unistd.h>

#include "base/data.h"
#include "ui/screenshot.h"

static struct canvas canvas;
static struct text svg;

static const char *drawn(enum theme theme)
{
	text_clear(&svg);
	screenshot_draw(&canvas, theme, "a <title>", &svg);
	return text_string(&svg);
}

static int begin(void **state)
{
	canvas_init(&canvas, 20, 3, false);
	return 0;
}

static int end(void **state)
{
	canvas_free(&canvas);
	text_free(&svg);
	return 0;
}

static int set_up(void **state)
{
	return setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8") ? 0 : 1;
}

TEST(words_are_text_on_the_grid)
{
	struct box at = canvas_box(&canvas);

	canvas_put(at, 2, 1, STYLE_FIGURE, "a<b & c  d");
	canvas_put(at, 0, 2, STYLE_TEXT, "1 ÷ 2");
	check_contains(drawn(THEME_DARK), "<title>a &lt;title&gt;</title>");
	check_contains(
		text_string(&svg), "x=\"18\" y=\"32\" textLength=\"63\">a&lt;b &amp; c</text>");
	check_contains(text_string(&svg), "x=\"99\" y=\"32\" textLength=\"9\">d</text>");
	check_contains(text_string(&svg), "x=\"0\" y=\"50\" textLength=\"45\">1 ÷ 2</text>");
}

TEST(another_style_begins_another_text)
{
	struct box at = canvas_box(&canvas);

	canvas_put(at, 0, 0, STYLE_KEY, "q");
	canvas_put(at, 2, 0, STYLE_TEXT, "quit");
	check_contains(drawn(THEME_LIGHT), "textLength=\"9\">q</text>");
	check_contains(text_string(&svg), "x=\"18\" y=\"14\" textLength=\"36\">quit</text>");
}

/* No font draws a bar, a line or an arrow. */
TEST(every_symbol_is_a_shape)
{
	struct box at = canvas_box(&canvas);

	for (int glyph = 0; glyph < GLYPH_COUNT; glyph++) {
		wchar_t symbol = canvas.glyphs[glyph];

		canvas_clear(&canvas);
		canvas_glyph(at, 3, 1, STYLE_BAR, (enum glyph)glyph);
		if (symbol < 0x2500 || symbol > 0x25ff)
			continue;
		if (strstr(drawn(THEME_DARK), "<text"))
			fail_msg("U+%04x is text", (unsigned)symbol);
		check_contains(text_string(&svg), " d=\"M");
	}
	canvas_clear(&canvas);
	canvas_dots(at, 0, 0, STYLE_BAR, 1, '.');
	assert_null(strstr(drawn(THEME_DARK), "<text"));
	check_contains(text_string(&svg), "M1.5 1.5h2v2h-2z");
}

TEST(equal_blocks_are_one_shape)
{
	struct box at = canvas_box(&canvas);

	for (int i = 0; i < 5; i++) {
		canvas_glyph(at, i, 0, STYLE_BAR, GLYPH_BAR4);
		canvas_glyph(at, i, 1, STYLE_DIM, GLYPH_SHADE1);
	}
	check_contains(drawn(THEME_DARK), "d=\"M0 9h45v9h-45z\"/>");
	check_contains(text_string(&svg), "opacity=\"0.25\" d=\"M0 18h45v18h-45z\"/>");
}

TEST(a_reversed_text_has_a_background)
{
	canvas_put(canvas_box(&canvas), 4, 0, STYLE_SELECTED, "here");
	check_contains(drawn(THEME_DARK), "d=\"M36 0h36v18h-36z\"/>");
	assert_null(strstr(drawn(THEME_DARK), "#ffffffff"));
}

TEST(new_files_have_new_names)
{
	char directory[] = "/tmp/slexplore-shot-XXXXXX", path[64] = "", *text;

	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
	drawn(THEME_DARK);
	check_ok(screenshot_save(&svg, path, sizeof(path)));
	assert_string_equal(path, "slexplore-screen-1.svg");
	path[0] = '\0';
	check_ok(screenshot_save(&svg, path, sizeof(path)));
	assert_string_equal(path, "slexplore-screen-2.svg");
	check_ok(screenshot_save(&svg, path, sizeof(path)));
	check_ok(data_read(path, &text));
	assert_string_equal(text, text_string(&svg));
	free(text);
	strcpy(path, "x.png");
	check_usage(screenshot_save(&svg, path, sizeof(path)),
		"screenshot to x.png: the name must end in .svg");
	strcpy(path, "none/x.svg");
	assert_int_equal(screenshot_save(&svg, path, sizeof(path)).code, STATUS_FAILED);
	remove("slexplore-screen-1.svg");
	remove("slexplore-screen-2.svg");
	assert_int_equal(rmdir(directory), 0);
}

RUN_TESTS(.set_up = set_up, .each_set_up = begin, .each_tear_down = end)
