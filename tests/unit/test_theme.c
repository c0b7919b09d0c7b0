/* Looks, with colours and without; the end of an axis; large digits. */
#include "base/scale.h"
#include "check.h"
#include "ui/shapes.h"
#include "ui/theme.h"

static void without_colours_only_attributes_differ(void **state)
{
	static const int colours[] = { 256, 16, 8, 0, -1 };
	struct theme theme;

	(void)state;
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
		theme_choose(&theme, colours[i], true, false);
		for (int style = 0; style < STYLE_COUNT; style++) {
			assert_int_equal(theme.look[style].foreground, -1);
			assert_int_equal(theme.look[style].background, -1);
		}
		assert_int_not_equal(
			theme.look[STYLE_SELECTED].attributes, theme.look[STYLE_TEXT].attributes);
		assert_int_not_equal(
			theme.look[STYLE_BAD].attributes, theme.look[STYLE_TEXT].attributes);
	}
}

static void colours_stay_within_the_terminal(void **state)
{
	static const int colours[] = { 256, 88, 16, 8 };
	struct theme theme;

	(void)state;
	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
		for (int contrast = 0; contrast < 2; contrast++) {
			theme_choose(&theme, colours[i], false, contrast);
			for (int style = 0; style < STYLE_COUNT; style++)
				assert_true(theme.look[style].foreground < colours[i]);
		}
	}
	theme_choose(&theme, 256, false, false);
	assert_int_not_equal(theme.look[STYLE_BAD].foreground, -1);
}

static void high_contrast_has_nothing_dim(void **state)
{
	struct theme theme;

	(void)state;
	theme_choose(&theme, 256, false, true);
	for (int style = 0; style < STYLE_COUNT; style++)
		assert_false(theme.look[style].attributes & LOOK_DIM);
}

static void the_environment_names_a_theme(void **state)
{
	(void)state;
	unsetenv("SLEXPLORE_THEME");
	assert_false(theme_contrast());
	assert_null(theme_unknown());
	setenv("SLEXPLORE_THEME", "", 1);
	assert_false(theme_contrast());
	assert_null(theme_unknown());
	setenv("SLEXPLORE_THEME", "contrast", 1);
	assert_true(theme_contrast());
	setenv("SLEXPLORE_THEME", "high-contrast", 1);
	assert_true(theme_contrast());
	assert_null(theme_unknown());
	setenv("SLEXPLORE_THEME", "solarized", 1);
	assert_false(theme_contrast());
	assert_string_equal(theme_unknown(), "solarized");
	setenv("NO_COLOR", "", 1);
	assert_false(theme_no_color());
	setenv("NO_COLOR", "0", 1);
	assert_true(theme_no_color());
}

static void axes_end_at_round_numbers(void **state)
{
	(void)state;
	check_near(scale_ceiling(10.99), 15, 1e-9);
	check_near(scale_ceiling(50), 50, 1e-9);
	check_near(scale_ceiling(0.0301), 0.04, 1e-9);
	check_near(scale_ceiling(99), 100, 1e-9);
	check_near(scale_ceiling(0), 1, 0);
	check_near(scale_ceiling(NAN), 1, 0);
	for (double value = 0.001; value < 1e6; value *= 1.07)
		assert_true(scale_ceiling(value) >= value && scale_ceiling(value) <= value * 1.7);
}

static void digits_are_as_wide_as_they_say(void **state)
{
	static const char *const figures[] = { "0.752", "12.35", "1234567890", "." };
	struct canvas canvas;

	(void)state;
	assert_int_equal(digits_width("0.752"), 17);
	assert_int_equal(digits_width("-"), 0);
	assert_int_equal(digits_width(""), 0);
	for (int ascii = 0; ascii < 2; ascii++) {
		canvas_init(&canvas, 60, DIGITS_HEIGHT, ascii);
		for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
			canvas_clear(&canvas);
			digits_draw(&canvas, (struct rectangle){ 0, 0, 60, 3 }, 0, 0, STYLE_TEXT,
				figures[i]);
			for (int y = 0; y < DIGITS_HEIGHT; y++)
				for (int x = digits_width(figures[i]); x < 60; x++)
					assert_int_equal(canvas.cells[y * 60 + x].character, L' ');
		}
		canvas_free(&canvas);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_colours_only_attributes_differ),
		cmocka_unit_test(colours_stay_within_the_terminal),
		cmocka_unit_test(high_contrast_has_nothing_dim),
		cmocka_unit_test(the_environment_names_a_theme),
		cmocka_unit_test(axes_end_at_round_numbers),
		cmocka_unit_test(digits_are_as_wide_as_they_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
