#include "picture/palette.h"

#include <stddef.h>
#include <stdint.h>

#include "picture/page.h"

const char *const picture_theme_names[] = { "light", "dark", NULL };
_Static_assert(sizeof(picture_theme_names) / sizeof(picture_theme_names[0]) == PICTURE_THEMES + 1,
	"a name for each theme");

static const uint32_t inks[INK_COUNT][PICTURE_THEMES] = {
	/* light, dark theme */
	[INK_PAGE] = { 0xffffff, 0x15181d },
	[INK_TEXT] = { 0x1a1a1f, 0xf2f3f5 },
	[INK_DIM] = { 0x5c5f66, 0xa9afba },
	[INK_FAINT] = { 0xb4b8c0, 0x5b626d },
	[INK_GRID] = { 0xe4e6ea, 0x2b3038 },
	[INK_STATED] = { 0x5c5f66, 0xa9afba },
	[INK_FOUND] = { 0x7a3b14, 0xf0c987 },
	[INK_HARD] = { 0x7fa8c9, 0x4f7f9e },
	[INK_BINDING] = { 0xc24f00, 0xe69f00 },
	[INK_SOFT] = { 0x7a7d85, 0x8d94a0 },
	[INK_MEASURED] = { 0x0072b2, 0x56b4e9 },
	[INK_ON_LIGHT] = { 0x101014, 0x101014 },
	[INK_ON_DARK] = { 0xffffff, 0xffffff },
};

/* The colours are from Okabe and Ito, Color Universal Design (2008). Each colour is darkened or
 * lightened to a contrast of 3 to 1 with the page. People with red-green colour blindness can still
 * distinguish the colours. The test test_palette.c checks the contrast and the differences between
 * colours. */
static const uint32_t series[PICTURE_THEMES][PALETTE_SERIES] = {
	[PICTURE_LIGHT] = { 0x0072b2, 0xd55e00, 0x2fa56b, 0xa377a5, 0x7a3b14, 0x262626 },
	[PICTURE_DARK] = { 0x56b4e9, 0xe69f00, 0x42e58f, 0xdc8aa0, 0xfff04a, 0xffffff },
};

/* Eight colours of Viridis (van der Walt and Smith, for matplotlib, 2015; CC0). */
static const uint32_t ramp[] = { 0x440154, 0x46327e, 0x365c8d, 0x277f8e, 0x1fa187, 0x4ac16d,
	0xa0da39, 0xfde725 };

static struct colour of(uint32_t rgb)
{
	return (struct colour){ (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0,
		(rgb & 0xff) / 255.0 };
}

struct colour palette_ink(enum picture_theme theme, int ink)
{
	if (ink >= INK_SERIES)
		return of(series[theme][(ink - INK_SERIES) % PALETTE_SERIES]);
	return of(inks[ink][theme]);
}

struct colour palette_ordered(enum picture_theme theme, int index, int count)
{
	double share = count > 1 ? (double)index / (count - 1) : 0.5;

	/* Use only the part of the colour ramp that has enough contrast with the page. */
	return palette_ramp(theme == PICTURE_LIGHT ? 0.02 + 0.66 * share : 0.36 + 0.62 * share);
}

struct colour palette_ramp(double share)
{
	const int last = (int)(sizeof(ramp) / sizeof(ramp[0])) - 1;
	double at = share > 0 ? share < 1 ? share * last : last : 0, part;
	int below = (int)at < last ? (int)at : last - 1;
	struct colour a = of(ramp[below]), b = of(ramp[below + 1]);

	part = at - below;
	return (struct colour){ a.red + part * (b.red - a.red),
		a.green + part * (b.green - a.green), a.blue + part * (b.blue - a.blue) };
}

struct colour palette_chart_ink(enum picture_theme theme, const struct chart *chart, int ink)
{
	if (ink >= INK_SERIES && chart->ordered && chart->series_count > 1)
		return palette_ordered(theme, ink - INK_SERIES, chart->series_count);
	return palette_ink(theme, ink);
}
