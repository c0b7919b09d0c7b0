/* Colours of light and dark pictures. The colours are legible on their page, and people with
 * red-green colour blindness can distinguish the colours. */
#pragma once

struct colour {
	double red, green, blue; /* 0…1, sRGB */
};

enum picture_theme { PICTURE_LIGHT, PICTURE_DARK, PICTURE_THEMES };

/* "light", "dark"; ended by NULL. */
extern const char *const picture_theme_names[];

/* The number of distinct colours of series. Further series repeat the colours with other dashes. */
enum { PALETTE_SERIES = 6 };

/* Returns the colour of an ink: a value of enum ink, or INK_SERIES plus the number of a series. */
struct colour palette_ink(enum picture_theme theme, int ink);

/* Returns the colour of series number `series` of `count` series that are ordered by a knob's
 * values. */
struct colour palette_ordered(enum picture_theme theme, int series, int count);

/* Returns the colour of an ink in a chart, whose series may be ordered. */
struct chart;
struct colour palette_chart_ink(enum picture_theme theme, const struct chart *chart, int ink);

/* Returns the colour at a position on the colour ramp, which goes evenly from dark (0) to light
 * (1). */
struct colour palette_ramp(double share);
