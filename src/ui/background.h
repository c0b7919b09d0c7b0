/* The background colour of the terminal: what the environment says, and the terminal's answer to a
 * query. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#include "ui/theme.h"

/* The query for the background colour (OSC 11). Source: XTerm Control Sequences. */
#define BACKGROUND_QUERY "\033]11;?\033\\"

/* Seconds after which a query without an answer is considered unanswered. A later answer is still
 * read and used. */
#define BACKGROUND_DEADLINE 0.1

/* Reads the background colour from the values of the environment variables TERM and COLORFGBG,
 * either of which may be NULL. rgb: 0xRRGGBB. Returns false if they do not say. */
bool background_stated(const char *term, const char *colorfgbg, uint32_t *rgb);

/* Returns whether a terminal of this name understands the query. Old terminals would print it. */
bool background_can_ask(const char *term, int colours);

/* What is known about the background, and the answer to the query, which arrives character by
 * character. All zero: nothing is known. Times are in seconds. */
struct background {
	struct ground ground;
	bool changed;	/* the ground has changed; the user of the struct resets this */
	double asked;	/* time of the query; 0: none */
	bool due;	/* the terminal has not answered yet */
	bool answering; /* the string that arrives may be the answer */
	char text[32];	/* the characters of that string after "Esc ]" */
	int length;
};

/* Notes that the query was sent at the time `now`. */
void background_asked(struct background *background, double now);
/* Returns the seconds until the deadline; INFINITY: the ground does not depend on an answer. */
double background_awaits(const struct background *background, double now);
/* Gives up waiting if the deadline is over. */
void background_expire(struct background *background, double now);

/* Notes that a string from the terminal begins. */
void background_begin(struct background *background);
/* Takes the next character of the string; ends: the string ends with this character. Returns false
 * if the character belongs to no answer. */
bool background_string(struct background *background, wint_t character, bool ends);
