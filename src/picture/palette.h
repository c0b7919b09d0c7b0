/* Colours of pictures: light and dark, told apart by people who do not see red and green apart, and
 * legible on their page. */
#ifndef SLX_PICTURE_PALETTE_H
#define SLX_PICTURE_PALETTE_H

struct colour {
	double red, green, blue; /* 0…1, sRGB */
};

enum picture_theme { PICTURE_LIGHT, PICTURE_DARK, PICTURE_THEMES };

/* "light", "dark"; ended by NULL. */
extern const char *const picture_theme_names[];

/* Distinct colours of series; a further one begins again, with other dashes. */
enum { PALETTE_SERIES = 6 };

/* Of an ink (enum ink; INK_SERIES and on: of that series). */
struct colour palette_ink(enum picture_theme theme, int ink);

/* Of a series among `count` in the order of a knob. */
struct colour palette_ordered(enum picture_theme theme, int series, int count);

/* Of an ink in a chart, whose series may have an order. */
struct chart;
struct colour palette_chart_ink(enum picture_theme theme, const struct chart *chart, int ink);

/* Of a place on the ramp, 0…1: from dark to light, evenly. */
struct colour palette_ramp(double share);

#endif
