/* Finds the features of the terminal, for the command doctor and for the start of the explorer.
 * Also chooses the look of each style on the terminal. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "ui/canvas.h"

struct terminal_facts {
	bool input, output; /* whether standard input and output are terminals */
	char term[32];	    /* $TERM; empty: not set */
	bool described;	    /* terminfo describes this terminal */
	bool database;	    /* a terminfo database exists; true if TERM is not set */
	bool addressable;   /* the cursor can be moved, so full-screen programs work */
	int colours;	    /* 0: none */
	bool utf8;	    /* the locale's character set */
	char charset[32];
	bool no_colour;	   /* $NO_COLOR is set and not empty */
	int width, height; /* 0: unknown */
};

void terminal_read(struct terminal_facts *facts);

/* Checks that the explorer can open on this terminal. STATUS_USAGE: the explorer cannot open, and
 * the message has the reason. Pure. */
struct status terminal_usable(const struct terminal_facts *facts);

/* ---- looks ---- */

/* The look of a style, which screen.c converts into terminal attributes. The screen can be read
 * without colours: a word, a glyph or a marker always has the same meaning as a colour. */
enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

struct look {
	short foreground, background; /* colour numbers of the terminal; -1: its default */
	unsigned attributes;	      /* LOOK_ bits */
};

struct theme {
	struct look look[STYLE_COUNT];
};

/* Fills the theme for a terminal with `colors` colours (0 or less: monochrome). If no_color is
 * true, the theme uses no colours, only attributes. If `contrast` is true, the theme uses bold,
 * reverse and underlined text, default colours and bright colours, but no dim text. */
void theme_choose(struct theme *theme, int colors, bool no_color, bool contrast);

/* The function theme_no_color() returns whether the environment variable NO_COLOR is set and not
 * empty. The function theme_contrast() returns whether the environment variable SLEXPLORE_THEME is
 * high-contrast or contrast. */
bool theme_no_color(void);
bool theme_contrast(void);
/* Returns the value of the environment variable SLEXPLORE_THEME if the value is unknown, else NULL.
 */
const char *theme_unknown(void);
