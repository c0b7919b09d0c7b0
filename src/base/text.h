/* A growing string. Zero-initialise to start; text_free() to end. Out of memory ends the program
 * (status 1): these strings are small, and only ever built outside timed regions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text {
	char *bytes;   /* NUL-terminated once anything was added; NULL before */
	size_t length; /* without the NUL */
	size_t capacity;
};

void text_add(struct text *text, const char *string);
void text_addn(struct text *text, const char *bytes, size_t length);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *text); /* empties, keeps the memory */
void text_free(struct text *text);
const char *text_string(const struct text *text); /* never NULL; valid until the next change */

/* Adds a string from outside the program, made safe for a terminal or a file: malformed bytes,
 * control characters and direction marks become '?'. Adds at most `most` bytes, and whole
 * characters only. */
void text_add_clean(struct text *text, const char *string, size_t most);

/* Removes an incomplete UTF-8 character from the end of a full buffer of `size` bytes. */
void text_cut_clean(char *buffer, size_t size);

/* Bytes of the valid UTF-8 character at `at` (RFC 3629); 0 for a malformed or control character,
 * and for one that turns the direction of writing. */
size_t text_character(const char *at);

/* Word wrap:
 *
 *	struct text_wrap wrap = { .columns = 80 };
 *
 *	while (*text) {
 *		const char *line = text;
 *		size_t bytes = text_line(&wrap, line, &text);
 *		... bytes of line are one line
 *	}
 */
typedef size_t text_columns(const void *context, const char *at, int *columns);

struct text_wrap {
	int columns;		  /* of a line, at least 1 */
	bool cut_words;		  /* a word longer than a line is cut; else it sticks out */
	text_columns *columns_of; /* returns the bytes of the character at `at` (at least 1) and
				   * sets its columns; NULL: a column each */
	const void *context;	  /* for columns_of */
};

/* Bytes of the first line: broken at a blank or line feed. *next (may be NULL) is the text after
 * the break. */
size_t text_line(const struct text_wrap *wrap, const char *text, const char **next);

enum { TEXT_COLUMNS = 80 }; /* of a terminal that nobody widened */

/* Prints words after `first`, wrapped at `columns`, each further line after `indent` blanks, and a
 * line feed. Longer words stick out. */
void text_print(FILE *out, int columns, const char *first, int indent, const char *words);

/* Appends to buffer the up to three names nearest to `wrong` (by edit distance; a common beginning
 * is near), as "a, b or c"; nothing where no name is near. */
void nearest_names(
	const char *wrong, const char *const *names, size_t count, char *buffer, size_t size);

/* malloc(), calloc() and realloc() that end the program with one line when memory is refused. For
 * small things only: working sets come from the arena, which reports a refusal instead. */
void *memory_new(size_t count, size_t size); /* zeroed */
void *memory_resize(void *memory, size_t count, size_t size);
char *memory_string(const char *string);
