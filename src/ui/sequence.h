/* Control sequences that are no key known here: what a terminal tells of itself (where its cursor
 * is, which colours it has), and keys that its description lacks. Read to their end, none of their
 * characters counts as a key: a cursor's place, say, would type its digits as a knob's value. As in
 * ECMA-48. Pure. */
#ifndef SLX_UI_SEQUENCE_H
#define SLX_UI_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

/* Characters after Esc that tell which it is. */
enum { SEQUENCE_LOOK = 2 };

enum sequence {
	SEQUENCE_NONE,	  /* Esc was a key, and these are keys, too */
	SEQUENCE_CONTROL, /* Esc [ …: goes on until sequence_ends() */
	SEQUENCE_STRING,  /* a string of the terminal's: likewise */
	SEQUENCE_SHORT	  /* over with these two */
};

/* Which sequence the characters begin that came together with an Esc, right after it: `count` of
 * them, SEQUENCE_LOOK at most. */
enum sequence sequence_after_escape(const wint_t *after, size_t count);

/* Whether the sequence ends with this character; before: the one before it. */
bool sequence_ends(enum sequence sequence, wint_t before, wint_t character);

#endif
