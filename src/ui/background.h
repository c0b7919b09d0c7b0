/* The background colour of the terminal: what the environment says, and the terminal's answer to a
 * query. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "ui/theme.h"

/* The query for the background colour (OSC 11). Source: XTerm Control Sequences. */
#define BACKGROUND_QUERY "\033]11;?\033\\"

/* Seconds after which the program stops waiting for the terminal's answer to the query for the
 * background colour. An answer about the background colour that arrives later is still read and
 * used. */
#define BACKGROUND_DEADLINE 0.1

/* Reads the background colour from the values of the environment variables TERM and COLORFGBG,
 * either of which may be NULL. rgb: 0xRRGGBB. Returns false if the environment variables do not
 * determine the background colour. */
bool background_stated(const char *term, const char *colorfgbg, uint32_t *rgb);

/* Returns whether a terminal of this name understands the query. Old terminals would print it. */
bool background_can_ask(const char *term, int colours);

/* What is known about the terminal's background colour, and the terminal's answer to the query,
 * which arrives character by character. All zero: nothing is known. Times are in seconds. */
struct background {
	struct ground ground;
	bool changed;	/* the known background colour has changed; the caller resets this flag */
	double asked;	/* time at which the query was sent; 0: no query was sent */
	bool due;	/* the terminal has not answered the query for its background colour yet */
	bool answering; /* the control string that the terminal is sending may be the answer to the
			   query */
	char text[32];	/* the characters of the terminal's control string after "Esc ]" */
	int length;
};

/* Notes that the query for the background colour was sent at the time `now`. */
void background_asked(struct background *background, double now);
/* Returns the seconds during which the terminal's answer is still awaited; INFINITY: no answer is
 * awaited. */
double background_awaits(const struct background *background, double now);
/* Stops waiting for the terminal's answer if BACKGROUND_DEADLINE seconds have passed. */
void background_expire(struct background *background, double now);

/* Notes that the terminal begins to send a control string, perhaps the answer about its background.
 */
void background_begin(struct background *background);
/* Takes the next character of the terminal's control string; ends: the string ends with this
 * character. Returns false if the character does not belong to an answer about the background
 * colour. */
bool background_string(struct background *background, wint_t character, bool ends);
