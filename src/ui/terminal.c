#include "ui/terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* term.h defines macros with plain names (lines, columns): include no other header after it. */
#include <curses.h>
#include <term.h>

void terminal_read(struct terminal_facts *facts)
{
	const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
	struct winsize size;
	int error;

	*facts = (struct terminal_facts){ .database = true };
	facts->input = isatty(STDIN_FILENO);
	facts->output = isatty(STDOUT_FILENO);
	facts->no_colour = no_colour && *no_colour;
	snprintf(facts->charset, sizeof(facts->charset), "%s", nl_langinfo(CODESET));
	facts->utf8 =
		strcasecmp(facts->charset, "UTF-8") == 0 || strcasecmp(facts->charset, "utf8") == 0;
	if (facts->output && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
		facts->width = size.ws_col;
		facts->height = size.ws_row;
	}
	if (!term || !*term)
		return;
	snprintf(facts->term, sizeof(facts->term), "%s", term);
	/* setupterm() only reads the terminal's description. It writes nothing to the terminal. */
	if (setupterm(term, STDOUT_FILENO, &error) != OK) {
		facts->database = error >= 0;
		return;
	}
	facts->described = true;
	facts->addressable = tigetstr("cup") != NULL && tigetstr("cup") != (char *)-1;
	facts->colours = tigetnum("colors") > 0 ? tigetnum("colors") : 0;
	del_curterm(cur_term);
}

struct status terminal_usable(const struct terminal_facts *facts)
{
	static const char others[] = "run, sweep, list and doctor work without one";

	if (!facts->input || !facts->output)
		return status_usage("the explorer needs a terminal, and standard %s is not one; %s",
			facts->input ? "output" : "input", others);
	if (!*facts->term)
		return status_usage(
			"the explorer needs a known terminal, but TERM is not set; %s", others);
	if (!facts->database)
		return status_usage("no terminal description for TERM=%s here (install "
				    "ncurses-base, or set TERMINFO)",
			facts->term);
	if (!facts->described)
		return status_usage("no terminal description for TERM=%s here (try "
				    "TERM=xterm-256color, or install ncurses-term)",
			facts->term);
	if (!facts->addressable)
		return status_usage("the explorer needs a terminal whose cursor can be moved, and "
				    "TERM=%s is none; %s",
			facts->term, others);
	return status_ok();
}

/* ---- looks for 256, 16, 8 and 0 colours ---- */

/* The look of each style on each kind of terminal. With 256 colours, the shades go from dark blue
 * over green to yellow, so that both lightness and hue show their order. With 16 and 8 colours, the
 * nearest colours are used. */
static const struct {
	short in256, in16, in8;
	unsigned attributes; /* with colours */
	unsigned plain;	     /* without */
} looks[STYLE_COUNT] = {
	[STYLE_TEXT] = { -1, -1, -1, 0, 0 },
	[STYLE_DIM] = { 244, 8, -1, 0, LOOK_DIM },
	[STYLE_TITLE] = { 110, 12, 6, 0, LOOK_BOLD },
	[STYLE_FIGURE] = { -1, -1, -1, LOOK_BOLD, LOOK_BOLD },
	[STYLE_FOCUS] = { 221, 11, 3, LOOK_BOLD, LOOK_BOLD },
	[STYLE_SELECTED] = { -1, -1, -1, LOOK_REVERSE, LOOK_REVERSE },
	[STYLE_KEY] = { 221, 11, 3, LOOK_BOLD, LOOK_BOLD },
	[STYLE_GOOD] = { 114, 10, 2, 0, 0 },
	[STYLE_WARN] = { 215, 11, 3, LOOK_BOLD, LOOK_BOLD },
	[STYLE_BAD] = { 203, 9, 1, LOOK_BOLD, LOOK_BOLD },
	[STYLE_A] = { 180, 13, 5, 0, 0 },
	[STYLE_B] = { 117, 14, 6, LOOK_BOLD, LOOK_BOLD },
	[STYLE_HERE] = { 221, 11, 3, LOOK_BOLD, LOOK_BOLD },
	[STYLE_BAR] = { 73, 6, 6, 0, 0 },
	[STYLE_SHADE0] = { 60, 4, 4, 0, LOOK_DIM },
	[STYLE_SHADE1] = { 61, 4, 4, 0, LOOK_DIM },
	[STYLE_SHADE2] = { 67, 12, 4, 0, 0 },
	[STYLE_SHADE3] = { 73, 6, 6, 0, 0 },
	[STYLE_SHADE4] = { 78, 2, 6, 0, 0 },
	[STYLE_SHADE5] = { 114, 10, 2, 0, 0 },
	[STYLE_SHADE6] = { 185, 3, 3, 0, LOOK_BOLD },
	[STYLE_SHADE7] = { 228, 11, 3, LOOK_BOLD, LOOK_BOLD },
};

/* Returns the high-contrast look: text in the terminal's default foreground, and bright colours
 * only if they have a meaning. */
static struct look contrast_look(enum style style, int colors, bool no_color)
{
	struct look look = { -1, -1, looks[style].plain & ~(unsigned)LOOK_DIM };
	bool bright = colors >= 16 && !no_color;

	switch (style) {
	case STYLE_TITLE: look.attributes = LOOK_BOLD | LOOK_UNDERLINE; break;
	case STYLE_WARN: look.foreground = bright ? 11 : -1; break;
	case STYLE_BAD:
		look.foreground = bright ? 9 : -1;
		look.attributes |= LOOK_REVERSE;
		break;
	case STYLE_GOOD:
		look.foreground = bright ? 10 : -1;
		look.attributes |= LOOK_BOLD;
		break;
	case STYLE_FOCUS: look.attributes = LOOK_BOLD | LOOK_REVERSE; break;
	case STYLE_HERE: look.attributes = LOOK_BOLD | LOOK_REVERSE; break;
	default: break;
	}
	return look;
}

void theme_choose(struct theme *theme, int colors, bool no_color, bool contrast)
{
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct look *look = &theme->look[i];

		look->background = -1;
		if (contrast) {
			*look = contrast_look((enum style)i, colors, no_color);
			continue;
		}
		if (no_color || colors < 8) {
			look->foreground = -1;
			look->attributes = looks[i].plain;
			continue;
		}
		look->foreground = colors >= 256  ? looks[i].in256
				   : colors >= 16 ? looks[i].in16
						  : looks[i].in8;
		look->attributes = looks[i].attributes;
		if (colors < 16 && i == STYLE_DIM)
			look->attributes = LOOK_DIM;
	}
}

bool theme_no_color(void)
{
	const char *value = getenv("NO_COLOR");

	return value && *value;
}

bool theme_contrast(void)
{
	const char *value = getenv("SLEXPLORE_THEME");

	return value && (strcmp(value, "high-contrast") == 0 || strcmp(value, "contrast") == 0);
}

const char *theme_unknown(void)
{
	const char *value = getenv("SLEXPLORE_THEME");

	return value && *value && !theme_contrast() ? value : NULL;
}
