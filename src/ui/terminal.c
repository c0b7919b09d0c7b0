#include "ui/terminal.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* term.h defines macros with plain names (lines, columns), so no other header may follow term.h. */
#include <curses.h>
#include <term.h>

void terminal_read(struct terminal_facts *facts)
{
	const char *term = getenv("TERM");
	struct winsize size;
	int error;

	*facts = (struct terminal_facts){ .database = true,
		.input = isatty(STDIN_FILENO),
		.output = isatty(STDOUT_FILENO),
		.no_colour = theme_no_color() };
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
	/* setupterm() only reads the terminal's description, and writes nothing to the terminal. */
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
		return status_usage("the explorer needs a terminal with a movable cursor, which "
				    "TERM=%s is not; %s",
			facts->term, others);
	return status_ok();
}

/* ---- looks for 256, 16, 8 and 0 colours ---- */

/* The look of each style on each kind of terminal. With 256 colours, the shades go from dark blue
 * over green to yellow, so that both lightness and hue show their order. With 16 and 8 colours,
 * each style has the colour nearest to its colour among 256. */
static const struct {
	short in256, in16, in8;
	unsigned attributes; /* with colours */
	unsigned plain;	     /* without */
	unsigned contrast;   /* attributes of the high-contrast look; 0: the attributes of a look
				without colours, but not dim */
	short bright;	     /* bright colour of the high-contrast look; 0: default colour */
} looks[STYLE_COUNT] = {
	[STYLE_TEXT] = { -1, -1, -1, 0, 0 },
	[STYLE_DIM] = { 244, 8, -1, 0, LOOK_DIM },
	[STYLE_TITLE] = { 110, 12, 6, 0, LOOK_BOLD, LOOK_BOLD | LOOK_UNDERLINE },
	[STYLE_FIGURE] = { -1, -1, -1, LOOK_BOLD, LOOK_BOLD },
	[STYLE_FOCUS] = { 221, 11, 3, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD | LOOK_REVERSE },
	[STYLE_SELECTED] = { -1, -1, -1, LOOK_REVERSE, LOOK_REVERSE },
	[STYLE_KEY] = { 221, 11, 3, LOOK_BOLD, LOOK_BOLD },
	[STYLE_GOOD] = { 114, 10, 2, 0, 0, LOOK_BOLD, 10 },
	[STYLE_WARN] = { 215, 11, 3, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD, 11 },
	[STYLE_BAD] = { 203, 9, 1, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD | LOOK_REVERSE, 9 },
	[STYLE_A] = { 180, 13, 5, 0, 0 },
	[STYLE_B] = { 117, 14, 6, LOOK_BOLD, LOOK_BOLD },
	[STYLE_HERE] = { 221, 11, 3, LOOK_BOLD, LOOK_BOLD, LOOK_BOLD | LOOK_REVERSE },
	[STYLE_BAR] = { 73, 6, 6, 0, 0 },
	[STYLE_SHADE0] = { 60, 4, 4, 0, LOOK_DIM },
	[STYLE_SHADE1] = { 61, 4, 4, 0, LOOK_DIM },
	[STYLE_SHADE0 + 2] = { 67, 12, 4, 0, 0 },
	[STYLE_SHADE0 + 3] = { 73, 6, 6, 0, 0 },
	[STYLE_SHADE0 + 4] = { 78, 2, 6, 0, 0 },
	[STYLE_SHADE0 + 5] = { 114, 10, 2, 0, 0 },
	[STYLE_SHADE0 + 6] = { 185, 3, 3, 0, LOOK_BOLD },
	[STYLE_SHADE7] = { 228, 11, 3, LOOK_BOLD, LOOK_BOLD },
};

/* In the high-contrast look, text has the terminal's default foreground colour. Bright colours are
 * used only where a colour has a meaning. */
void theme_choose(struct theme *theme, int colors, bool no_color, bool contrast)
{
	if (no_color)
		colors = 0;
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct look *look = &theme->look[i];

		*look = (struct look){ -1, -1, looks[i].plain };
		if (contrast) {
			look->attributes = looks[i].contrast ? looks[i].contrast
							     : looks[i].plain & ~(unsigned)LOOK_DIM;
			if (looks[i].bright && colors >= 16)
				look->foreground = looks[i].bright;
		} else if (colors >= 8) {
			look->foreground = colors >= 256  ? looks[i].in256
					   : colors >= 16 ? looks[i].in16
							  : looks[i].in8;
			look->attributes = looks[i].attributes;
			if (colors < 16 && i == STYLE_DIM)
				look->attributes = LOOK_DIM;
		}
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
