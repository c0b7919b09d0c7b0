/* Themes: the look of each style on terminals with 256, 16, 8 and no colours. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "explorer/session.h"
#include "ui/canvas.h"

/* The look of a style, which screen.c converts into terminal attributes. The screen can be read
 * without colours: a word, a glyph or a marker always has the same meaning as a colour. */
enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

struct look {
	short foreground, background; /* colour numbers of the terminal; -1: its default */
	unsigned attributes;	      /* LOOK_ bits */
};

/* The background colour of the terminal itself. */
struct ground {
	enum { GROUND_UNKNOWN, GROUND_ASKED, GROUND_KNOWN } state;
	uint32_t rgb; /* 0xRRGGBB, if known */
};

struct looks {
	struct look look[STYLE_COUNT];
	bool solid; /* true: areas are shown as solid background colours (see canvas.solid) */
};

/* What the user wants. */
struct theme_wanted {
	enum theme theme;
	bool present;	/* presenter mode is on: the dark or light theme with the most contrast */
	bool no_colour; /* THEME_AUTO uses no colours */
};

/* Chooses the look of each style for a terminal with `colours` colours (0 or less: monochrome).
 * A named theme paints its own background. THEME_AUTO is light or dark, as the terminal's
 * background, and keeps that background if all text has enough contrast on it. Until the terminal
 * has answered the query for its background, THEME_AUTO uses no colours. On terminals with fewer
 * than 16 colours, light themes use only attributes, because the few colours are not legible on
 * white in all palettes. */
void theme_choose(struct looks *looks, const struct theme_wanted *wanted, int colours,
	const struct ground *ground);

/* Returns the named theme that is wanted on a background of the terminal. */
enum theme theme_named(const struct theme_wanted *wanted, const struct ground *ground);

/* Returns the colour with a number from 0 to 255 as 0xRRGGBB: the fixed colours of xterm from 16
 * on, and xterm's default palette for smaller numbers. Source: xterm's file 256colres.pl. */
uint32_t theme_rgb(int colour);

/* Returns the ratio of contrast between two colours, from 1 to 21. Source: Web Content
 * Accessibility Guidelines 2.1, "contrast ratio". */
double theme_contrast(uint32_t rgb, uint32_t other);

/* The smallest ratio of contrast of a style's text, and that of the themes for bright rooms and for
 * high contrast. Source: Web Content Accessibility Guidelines 2.1, levels AA and AAA. */
#define THEME_LEGIBLE	   4.5
#define THEME_VERY_LEGIBLE 7.0

/* Returns whether the environment variable NO_COLOR is set and not empty. */
bool theme_no_color(void);
