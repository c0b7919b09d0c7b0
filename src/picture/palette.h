/* Colours of light and dark pictures. They are legible on their page, and people with red-green
 * colour blindness can distinguish them. */
#pragma once

struct colour {
	double red, green, blue; /* 0…1, sRGB */
};

enum picture_theme { PICTURE_LIGHT, PICTURE_DARK, PICTURE_THEMES };

/* "light", "dark"; ended by NULL. */
extern const char *const picture_theme_names[];

/* The number of distinct colours. Later series repeat the colours with other dashes. */
enum { PALETTE_SERIES = 6 };

/* The colour of an ink (enum ink, or INK_SERIES plus a series). */
struct colour palette_ink(enum picture_theme theme, int ink);

/* The colour of series number `series` among `count` series that follow the values of a knob. */
struct colour palette_ordered(enum picture_theme theme, int series, int count);

/* The colour of an ink in a chart. The chart's series may be ordered. */
struct chart;
struct colour palette_chart_ink(enum picture_theme theme, const struct chart *chart, int ink);

/* The colour of a position on the ramp, 0…1: from dark to light, in even steps. */
struct colour palette_ramp(double share);
