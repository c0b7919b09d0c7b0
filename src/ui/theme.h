/* The look of each style, as plain data: screen.c turns it into terminal attributes. Pure. Colour
 * is never the only carrier: a word, a glyph or a marker repeats its meaning, so every look may
 * lose its colours. */
#pragma once

#include <stdbool.h>

#include "ui/canvas.h"

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

struct look {
	short foreground, background; /* colour numbers of the terminal; -1: its default */
	unsigned attributes;	      /* LOOK_ bits */
};

struct theme {
	struct look look[STYLE_COUNT];
};

/* Fills the theme for a terminal with `colours` colours (0 or less: monochrome). no_color removes
 * every colour and keeps the attributes. contrast uses bold, reverse, underline, the terminal's two
 * default colours and bright ones, and nothing dim. */
void theme_choose(struct theme *theme, int colors, bool no_color, bool contrast);

/* Settings of the environment: NO_COLOR set and not empty; SLEXPLORE_THEME=high-contrast or
 * contrast. */
bool theme_no_color(void);
bool theme_contrast(void);
/* The value of SLEXPLORE_THEME if it is unknown, else NULL. */
const char *theme_unknown(void);
