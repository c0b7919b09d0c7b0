/* How each style looks, as plain data: screen.c turns it into terminal attributes. Pure.
 *
 * Colour is never the only carrier: what a colour says is also said by a word, a glyph or a marker,
 * so every look below may lose its colours. */
#ifndef SLX_UI_THEME_H
#define SLX_UI_THEME_H

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

/* Fills the theme for a terminal with that many colours (0 or less: monochrome). no_color drops
 * every colour and keeps the attributes; contrast uses only bold, reverse, underline and the
 * terminal's own two colours plus bright ones, and nothing dim. */
void theme_choose(struct theme *theme, int colors, bool no_color, bool contrast);

/* The wishes of the environment: NO_COLOR set and not empty; SLEXPLORE_THEME=high-contrast, or
 * contrast for short. */
bool theme_no_color(void);
bool theme_contrast(void);
/* What SLEXPLORE_THEME says when there is no such theme, else NULL. */
const char *theme_unknown(void);

#endif
