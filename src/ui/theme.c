#include "ui/theme.h"

#include <math.h>
#include <stdlib.h>

/* ---- colours ---- */

uint32_t theme_rgb(int colour)
{
	static const uint32_t named[16] = { 0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee,
		0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff,
		0xff00ff, 0x00ffff, 0xffffff };
	static const uint32_t level[6] = { 0, 95, 135, 175, 215, 255 };
	int cube = colour - 16;

	if (colour < 16)
		return named[colour];
	if (colour >= 232)
		return (uint32_t)(8 + 10 * (colour - 232)) * 0x010101;
	return level[cube / 36] << 16 | level[cube / 6 % 6] << 8 | level[cube % 6];
}

/* Returns the relative luminance of a colour, from 0 for black to 1 for white. */
static double luminance(uint32_t rgb)
{
	static const double weight[3] = { 0.0722, 0.7152, 0.2126 };
	double sum = 0;

	for (int i = 0; i < 3; i++) {
		double part = (rgb >> 8 * i & 0xff) / 255.0;

		sum += weight[i] *
		       (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
	}
	return sum;
}

double theme_contrast(uint32_t rgb, uint32_t other)
{
	double one = luminance(rgb) + 0.05, two = luminance(other) + 0.05;

	return one > two ? one / two : two / one;
}

/* ---- the table of themes ---- */

enum { SHADES = 8, BLACK = 16, WHITE = 231 };

/* The foreground colours of a style in one theme. */
struct inks {
	short in256, in16, in8;
};

/* The background colour that each theme paints. */
static const struct inks paper[THEME_COUNT] = {
	[THEME_DARK] = { 233, 0, 0 },
	[THEME_LIGHT] = { WHITE, 15, -1 },
	[THEME_PRESENTER] = { WHITE, 15, -1 },
	[THEME_CONTRAST] = { BLACK, 0, 0 },
};

/* In each theme, the shades of areas go from dark violet over blue and green to yellow, so that
 * both lightness and hue show their order. With 16 and 8 colours, each style has a colour that is
 * legible in the palettes of xterm and of the Linux console. */
static const struct {
	struct inks ink[THEME_COUNT];
	unsigned attributes; /* with colours */
	unsigned plain;	     /* without colours */
} styles[STYLE_COUNT] = {
#define INKS(dark, light, presenter, contrast)                                             \
	{                                                                                  \
		[THEME_DARK] = dark, [THEME_LIGHT] = light, [THEME_PRESENTER] = presenter, \
		[THEME_CONTRAST] = contrast                                                \
	}
#define INK(in256, in16, in8)    \
	{                        \
		in256, in16, in8 \
	}
	/* clang-format off */
	/*                       dark              light             presenter        high-contrast */
	[STYLE_TEXT] = { INKS(INK(253, 7, 7), INK(235, 0, -1), INK(16, 0, -1), INK(231, 15, 7)), 0, 0 },
	[STYLE_DIM] = { INKS(INK(248, 7, 7), INK(241, 0, -1), INK(238, 0, -1), INK(251, 15, 7)), 0, LOOK_DIM },
	[STYLE_TITLE] = { INKS(INK(117, 14, 6), INK(25, 4, -1), INK(18, 4, -1), INK(159, 14, 6)), 0, LOOK_BOLD },
	[STYLE_FIGURE] = { INKS(INK(231, 15, 7), INK(16, 0, -1), INK(16, 0, -1), INK(231, 15, 7)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_FOCUS] = { INKS(INK(221, 11, 3), INK(125, 4, -1), INK(88, 0, -1), INK(226, 11, 3)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_SELECTED] = { INKS(INK(253, 7, 7), INK(235, 0, -1), INK(16, 0, -1), INK(231, 15, 7)), LOOK_REVERSE, LOOK_REVERSE },
	[STYLE_KEY] = { INKS(INK(221, 11, 3), INK(125, 4, -1), INK(88, 0, -1), INK(226, 11, 3)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_GOOD] = { INKS(INK(114, 10, 2), INK(22, 0, -1), INK(22, 0, -1), INK(120, 10, 7)), 0, 0 },
	[STYLE_WARN] = { INKS(INK(215, 11, 3), INK(94, 0, -1), INK(52, 0, -1), INK(220, 11, 3)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_BAD] = { INKS(INK(210, 11, 3), INK(124, 0, -1), INK(88, 0, -1), INK(217, 11, 3)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_A] = { INKS(INK(180, 7, 7), INK(90, 4, -1), INK(90, 4, -1), INK(222, 15, 7)), 0, 0 },
	[STYLE_B] = { INKS(INK(117, 14, 6), INK(25, 4, -1), INK(18, 0, -1), INK(123, 14, 6)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_HERE] = { INKS(INK(221, 11, 3), INK(125, 4, -1), INK(88, 0, -1), INK(226, 11, 3)), LOOK_BOLD, LOOK_BOLD },
	[STYLE_BAR] = { INKS(INK(80, 14, 6), INK(24, 4, -1), INK(18, 4, -1), INK(123, 14, 6)), 0, 0 },
	[STYLE_BODY] = { INKS(INK(30, 6, 6), INK(110, 4, -1), INK(111, 4, -1), INK(30, 14, 6)), 0, LOOK_DIM },
	[STYLE_SHADE0] = { INKS(INK(53, 6, 6), INK(53, 4, -1), INK(17, 4, -1), INK(53, 14, 6)), 0, LOOK_DIM },
	[STYLE_SHADE1] = { INKS(INK(55, 6, 6), INK(55, 4, -1), INK(53, 4, -1), INK(55, 14, 6)), 0, LOOK_DIM },
	[STYLE_SHADE0 + 2] = { INKS(INK(25, 6, 6), INK(25, 4, -1), INK(55, 4, -1), INK(56, 14, 6)), 0, 0 },
	[STYLE_SHADE0 + 3] = { INKS(INK(30, 14, 6), INK(30, 4, -1), INK(24, 4, -1), INK(24, 14, 6)), 0, 0 },
	[STYLE_SHADE0 + 4] = { INKS(INK(36, 2, 2), INK(36, 0, -1), INK(36, 0, -1), INK(36, 10, 2)), 0, 0 },
	[STYLE_SHADE0 + 5] = { INKS(INK(77, 10, 2), INK(77, 0, -1), INK(77, 0, -1), INK(77, 10, 2)), 0, 0 },
	[STYLE_SHADE0 + 6] = { INKS(INK(184, 3, 3), INK(184, 0, -1), INK(184, 0, -1), INK(184, 11, 3)), 0, LOOK_BOLD },
	[STYLE_SHADE7] = { INKS(INK(227, 11, 3), INK(227, 0, -1), INK(227, 0, -1), INK(227, 11, 3)), LOOK_BOLD, LOOK_BOLD },
/* clang-format on */
#undef INK
#undef INKS
};

static short of_depth(const struct inks *inks, int colours)
{
	return colours >= 256 ? inks->in256 : colours >= 16 ? inks->in16 : inks->in8;
}

/* ---- the choice ---- */

/* Fills the styles of areas. Marks on a shade are black or white, whichever has more contrast.
 * Lines between the facets of the relief have the colour of a shade two steps away. */
static void fill_areas(struct looks *looks)
{
	for (int i = 0; i < SHADES; i++) {
		short shade = looks->look[STYLE_SHADE0 + i].foreground;
		bool dark = theme_contrast(theme_rgb(shade), theme_rgb(WHITE)) >
			    theme_contrast(theme_rgb(shade), theme_rgb(BLACK));
		int line = i < 4 ? i + 2 : i - 2;

		looks->look[STYLE_AREA0 + i] =
			(struct look){ dark ? WHITE : BLACK, shade, LOOK_BOLD };
		looks->look[STYLE_FACET0 + i] =
			(struct look){ looks->look[STYLE_SHADE0 + line].foreground, shade, 0 };
	}
}

/* On a terminal without colours, a theme of high contrast uses no dim text. */
static void fill_plain(struct looks *looks, bool dim)
{
	for (int i = 0; i < STYLE_COUNT; i++)
		looks->look[i] =
			(struct look){ -1, -1, styles[i].plain & ~(dim ? 0 : (unsigned)LOOK_DIM) };
}

static void fill(struct looks *looks, enum theme theme, int colours, bool painted)
{
	short ground = painted ? of_depth(&paper[theme], colours) : -1;

	for (int i = 0; i < STYLE_AREA0; i++)
		looks->look[i] = (struct look){ of_depth(&styles[i].ink[theme], colours), ground,
			styles[i].attributes };
	looks->solid = colours >= 256;
	if (looks->solid)
		fill_areas(looks);
}

/* Returns whether all text of a theme is legible on a background. */
static bool legible(enum theme theme, int colours, uint32_t rgb)
{
	double least = theme == THEME_PRESENTER || theme == THEME_CONTRAST ? THEME_VERY_LEGIBLE
									   : THEME_LEGIBLE;

	for (int i = 0; i < STYLE_BODY; i++)
		if (theme_contrast(theme_rgb(of_depth(&styles[i].ink[theme], colours)), rgb) <
			least)
			return false;
	return true;
}

static bool light(uint32_t rgb)
{
	return theme_contrast(rgb, 0) > theme_contrast(rgb, 0xffffff);
}

enum theme theme_named(const struct theme_wanted *wanted, const struct ground *ground)
{
	enum theme theme = wanted->theme;

	if (theme == THEME_AUTO)
		theme = ground->state == GROUND_KNOWN && light(ground->rgb) ? THEME_LIGHT
									    : THEME_DARK;
	/* Presenter mode replaces the chosen theme by the light or dark theme with the most
	 * contrast. */
	if (wanted->present)
		theme = theme == THEME_LIGHT || theme == THEME_PRESENTER ? THEME_PRESENTER
									 : THEME_CONTRAST;
	return theme;
}

void theme_choose(struct looks *looks, const struct theme_wanted *wanted, int colours,
	const struct ground *ground)
{
	bool chosen = wanted->theme != THEME_AUTO, painted = true;
	enum theme theme = theme_named(wanted, ground);

	*looks = (struct looks){ 0 };
	if (colours < 8 || (colours < 16 && of_depth(&paper[theme], colours) < 0) ||
		(!chosen && (wanted->no_colour || ground->state == GROUND_ASKED))) {
		fill_plain(looks, theme != THEME_PRESENTER && theme != THEME_CONTRAST);
		return;
	}
	if (!chosen && ground->state == GROUND_KNOWN)
		painted = !legible(theme, colours, ground->rgb);
	fill(looks, theme, colours, painted);
}

bool theme_no_color(void)
{
	const char *value = getenv("NO_COLOR");

	return value && *value;
}
