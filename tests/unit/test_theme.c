/* Themes: contrast of every style in every theme as WCAG 2.1 defines it, and the background of the
 * terminal, from its environment and from its answer. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "ui/background.h"
#include "ui/theme.h"

static const struct ground unknown, asked = { .state = GROUND_ASKED };
static struct looks looks;

static void choose(enum theme theme, int colours, bool no_colour, const struct ground *ground)
{
	const struct theme_wanted wanted = { .theme = theme, .no_colour = no_colour };

	theme_choose(&looks, &wanted, colours, ground);
}

/* The palette of the Linux console; xterm's is theme_rgb(). */
static const uint32_t console[16] = { 0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa,
	0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff,
	0xffffff };

/* The console shows bold text in a brighter colour. */
static uint32_t on_console(int colour, unsigned attributes)
{
	return console[colour < 8 && attributes & LOOK_BOLD ? colour + 8 : colour];
}

static double least_of(enum theme theme)
{
	return theme == THEME_PRESENTER || theme == THEME_CONTRAST ? THEME_VERY_LEGIBLE
								   : THEME_LEGIBLE;
}

static void check_contrast(enum theme theme, int colours, int style, double contrast)
{
	if (contrast < least_of(theme))
		fail_msg("theme %s, %d colours, style %d: contrast %.2f", theme_names[theme],
			colours, style, contrast);
}

TEST(contrast_is_that_of_the_guidelines)
{
	assert_float_equal(theme_contrast(0, 0xffffff), 21, 1e-9);
	assert_float_equal(theme_contrast(0x777777, 0xffffff), 4.48, 0.005);
	assert_float_equal(theme_contrast(0x808080, 0x808080), 1, 1e-9);
	assert_int_equal(theme_rgb(16), 0);
	assert_int_equal(theme_rgb(110), 0x87afd7);
	assert_int_equal(theme_rgb(231), 0xffffff);
	assert_int_equal(theme_rgb(244), 0x808080);
}

/* A named theme paints its background, so its contrast is known. */
TEST(every_style_of_every_theme_is_legible)
{
	static const int depths[] = { 256, 16, 8 };

	for (int theme = THEME_DARK; theme < THEME_COUNT; theme++)
		for (int i = 0; i < 3; i++) {
			choose((enum theme)theme, depths[i], false, &unknown);
			for (int style = 0; style < STYLE_BODY; style++) {
				const struct look *look = &looks.look[style];

				if (look->foreground < 0) {
					/* Attributes alone, on the terminal's own background. */
					assert_int_equal(depths[i], 8);
					assert_int_equal(look->background, -1);
					continue;
				}
				assert_true(look->background >= 0);
				check_contrast((enum theme)theme, depths[i], style,
					theme_contrast(theme_rgb(look->foreground),
						theme_rgb(look->background)));
				if (depths[i] < 256)
					check_contrast((enum theme)theme, depths[i], style,
						theme_contrast(on_console(look->foreground,
								       look->attributes),
							console[look->background]));
			}
		}
}

static uint32_t behind(const struct look *look, const struct ground *ground)
{
	return look->background < 0 ? ground->rgb : theme_rgb(look->background);
}

/* On any background of the terminal, the theme keeps it and is legible, or paints its own. In
 * presenter mode, every theme is very legible. */
TEST(the_theme_fits_any_background)
{
	int kept = 0;

	for (uint32_t i = 0; i < 512; i++) {
		struct ground ground = { GROUND_KNOWN,
			(i >> 6) * 0x240000 | (i >> 3 & 7) * 0x2400 | (i & 7) * 0x24 };

		for (int present = 0; present < 2; present++) {
			struct theme_wanted wanted = {
				.theme = present ? (enum theme)(i % THEME_COUNT) : THEME_AUTO,
				.present = present
			};

			theme_choose(&looks, &wanted, 256, &ground);
			kept += looks.look[STYLE_TEXT].background < 0;
			for (int style = 0; style < STYLE_BODY; style++) {
				const struct look *look = &looks.look[style];

				check_contrast(present ? THEME_PRESENTER : THEME_AUTO, 256, style,
					theme_contrast(theme_rgb(look->foreground),
						behind(look, &ground)));
			}
		}
	}
	assert_in_range(kept, 20, 400);
}

TEST(usual_backgrounds_are_kept)
{
	/* Black, GNOME, Nord, Dracula, Solarized dark; white, Solarized light, xterm's white. */
	static const uint32_t backgrounds[] = { 0x000000, 0x1e1e1e, 0x2e3440, 0x282a36, 0x002b36,
		0xffffff, 0xfdf6e3, 0xe5e5e5 };

	for (size_t i = 0; i < sizeof(backgrounds) / sizeof(backgrounds[0]); i++) {
		struct ground ground = { GROUND_KNOWN, backgrounds[i] };

		choose(THEME_AUTO, 256, false, &ground);
		if (looks.look[STYLE_TEXT].background >= 0)
			fail_msg("%06x is painted over", (unsigned)backgrounds[i]);
		assert_int_equal(
			theme_contrast(theme_rgb(looks.look[STYLE_TEXT].foreground), 0) > 7, i < 5);
	}
}

TEST(shades_are_in_order_and_marks_on_them_legible)
{
	for (int theme = THEME_DARK; theme < THEME_COUNT; theme++) {
		choose((enum theme)theme, 256, false, &unknown);
		assert_true(looks.solid);
		for (int i = 0; i < 8; i++) {
			const struct look *area = &looks.look[STYLE_AREA0 + i];
			uint32_t shade = theme_rgb(area->background);

			check_contrast((enum theme)theme, 256, STYLE_AREA0 + i,
				theme_contrast(theme_rgb(area->foreground), shade));
			assert_int_equal(area->background, looks.look[STYLE_SHADE0 + i].foreground);
			assert_int_equal(area->background, looks.look[STYLE_FACET0 + i].background);
			assert_int_not_equal(
				area->background, looks.look[STYLE_FACET0 + i].foreground);
			if (i > 0)
				assert_true(theme_contrast(shade, 0) >
					    1.1 * theme_contrast(
							  theme_rgb(looks.look[STYLE_AREA0 + i - 1]
									    .background),
							  0));
		}
	}
}

TEST(colours_stay_within_the_terminal)
{
	static const int colours[] = { 256, 88, 16, 8, 2, 0 };

	for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++)
		for (int theme = 0; theme < THEME_COUNT; theme++) {
			choose((enum theme)theme, colours[i], false, &unknown);
			for (int style = 0; style < STYLE_COUNT; style++) {
				assert_true(looks.look[style].foreground < int_most(colours[i], 1));
				assert_true(looks.look[style].background < int_most(colours[i], 1));
			}
			assert_int_equal(looks.solid, colours[i] >= 256);
		}
}

TEST(without_colours_there_are_attributes)
{
	struct ground white = { GROUND_KNOWN, 0xffffff };

	/* While an answer is awaited, with NO_COLOR, and on a monochrome terminal. */
	for (int i = 0; i < 3; i++) {
		choose(THEME_AUTO, i == 2 ? 0 : 256, i == 1, i == 0 ? &asked : &white);
		for (int style = 0; style < STYLE_COUNT; style++)
			assert_true(looks.look[style].foreground < 0 &&
				    looks.look[style].background < 0);
		assert_false(looks.solid);
	}
	assert_true(looks.look[STYLE_DIM].attributes & LOOK_DIM);
	/* A named theme is stronger than NO_COLOR. */
	choose(THEME_DARK, 256, true, &white);
	assert_true(looks.look[STYLE_TEXT].foreground >= 0);
	choose(THEME_CONTRAST, 0, false, &unknown);
	for (int style = 0; style < STYLE_COUNT; style++)
		assert_false(looks.look[style].attributes & LOOK_DIM);
}

TEST(names_of_themes)
{
	enum theme theme;
	struct status status;

	for (int i = 0; i < THEME_COUNT; i++) {
		status = theme_find(theme_names[i], &theme);
		assert_int_equal(status.code, STATUS_OK);
		assert_int_equal(theme, i);
	}
	status = theme_find("contrast", &theme);
	assert_int_equal(status.code, STATUS_OK);
	assert_int_equal(theme, THEME_CONTRAST);
	status = theme_find("solarized", &theme);
	assert_int_equal(status.code, STATUS_USAGE);
}

/* ---- the terminal's background ---- */

TEST(the_environment_states_a_background)
{
	static const struct {
		const char *term, *colorfgbg;
		int rgb; /* -1: none */
	} rows[] = { { "xterm", "15;0", 0 }, { "xterm", "0;15", 0xffffff },
		{ "xterm", "0;default;15", 0xffffff }, { "xterm", "0;7", 0xe5e5e5 },
		{ "xterm", "15;default", -1 }, { "xterm", "7", -1 }, { "xterm", "", -1 },
		{ "xterm", "0;16", -1 }, { "xterm", "0;-1", -1 }, { "xterm", "0;7x", -1 },
		{ "linux", NULL, 0 }, { "linux-16color", "0;15", 0 }, { NULL, NULL, -1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t rgb = 1;
		bool stated = background_stated(rows[i].term, rows[i].colorfgbg, &rgb);

		assert_int_equal(stated ? (int)rgb : -1, rows[i].rgb);
	}
	assert_true(background_can_ask("tmux-256color", 256));
	assert_true(background_can_ask("xterm", 8));
	assert_false(background_can_ask("vt220", 8));
	assert_false(background_can_ask(NULL, 8));
}

TEST(answers_about_the_background)
{
	static const struct {
		const char *answer;
		int taken; /* characters that belong to an answer */
		int rgb;   /* -1: not complete, or no answer */
	} rows[] = { { "11;rgb:ffff/8080/0000", 21, 0xff8000 }, { "11;rgb:ff/80/00", 15, 0xff8000 },
		{ "11;rgb:f/8/0", 12, 0xff8800 }, { "11;rgba:1e1e/1e1e/1e1e/ffff", 27, 0x1e1e1e },
		{ "11;rgb:ffff/8080/0000\033", 22, 0xff8000 }, { "11;rgb:ffff/80", 14, -1 },
		{ "11;rgb:ffff/8080/", 17, -1 }, { "11;rgb:ffff\033", 11, -1 },
		{ "11;rgb:fffff", 11, -1 }, { "11;rgb:ff/q", 10, -1 }, { "10;rgb:ff/ff/ff", 1, -1 },
		{ "11;rgb:ff//ff", 10, -1 }, { "q", 0, -1 }, { "11;?", 3, -1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct background background = { .due = true };
		int taken = 0;

		background_begin(&background);
		while (rows[i].answer[taken] &&
			background_string(
				&background, (wint_t)(unsigned char)rows[i].answer[taken], false))
			taken++;
		assert_int_equal(taken, rows[i].taken);
		background_string(&background, 7, true);
		assert_int_equal(
			background.ground.state == GROUND_KNOWN ? (int)background.ground.rgb : -1,
			rows[i].rgb);
		assert_int_equal(background.changed, rows[i].rgb >= 0);
		assert_int_equal(background.due, rows[i].rgb < 0);
	}
}

TEST(an_answer_has_an_end)
{
	struct background background = { .due = true };
	int taken = 0;

	background_begin(&background);
	while (background_string(
		&background, (wint_t) "11;rgba:ffff/ffff/ffff/ffff/ffff/ffff"[taken], false))
		assert_true(++taken < 31);
	/* A string that nobody asked for is no answer. */
	background = (struct background){ .due = false };
	background_begin(&background);
	assert_false(background_string(&background, '1', false));
}

TEST(the_deadline_ends_the_waiting_and_a_late_answer_counts)
{
	struct background background = { .due = false };

	assert_true(isinf(background_awaits(&background, 5)));
	background_asked(&background, 5);
	assert_int_equal(background.ground.state, GROUND_ASKED);
	background_expire(&background, 5 + BACKGROUND_DEADLINE / 2);
	assert_int_equal(background.ground.state, GROUND_ASKED);
	assert_float_equal(background_awaits(&background, 5 + BACKGROUND_DEADLINE / 2),
		BACKGROUND_DEADLINE / 2, 1e-6);
	background_expire(&background, 6);
	assert_int_equal(background.ground.state, GROUND_UNKNOWN);
	assert_true(background.changed);
	background.changed = false;
	background_begin(&background);
	for (const char *at = "11;rgb:ff/ff/ff"; *at; at++)
		assert_true(background_string(&background, (wint_t)*at, false));
	assert_true(background_string(&background, 7, true));
	assert_int_equal(background.ground.rgb, 0xffffff);
	assert_true(background.changed);
}

TEST(an_empty_no_color_is_not_set)
{
	setenv("NO_COLOR", "", 1);
	assert_false(theme_no_color());
	setenv("NO_COLOR", "0", 1);
	assert_true(theme_no_color());
}

RUN_TESTS()
