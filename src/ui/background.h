/* The background colour of the terminal: what the environment says, and the terminal's answer to a
 * query. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

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

/* An answer to the query that arrives character by character. */
struct background_answer {
	char text[32]; /* the characters after "Esc ]" */
	int length;
};

/* Takes the next character of a string from the terminal. Returns false if the string is no answer
 * to the query; the answer is then empty again. */
bool background_take(struct background_answer *answer, wint_t character);

/* Returns whether the answer is complete but for its end (BEL, or Esc \), and reads the colour. */
bool background_read(const struct background_answer *answer, uint32_t *rgb);
