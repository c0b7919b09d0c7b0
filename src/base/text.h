/* A growing string. Start with a zeroed struct text; end with text_free(). If memory runs out, the
 * program exits with status 1. Growing strings are small and are never built in timed regions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
	char *bytes;   /* the string with a NUL at its end; NULL before the first addition */
	size_t length; /* bytes of the string, without the NUL */
	size_t capacity;
};

void text_add(struct text *text, const char *string);
void text_addn(struct text *text, const char *bytes, size_t length);
void text_addf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *text); /* empties the text, keeps the memory */
void text_free(struct text *text);
const char *text_string(const struct text *text); /* the string of a text: never NULL; valid until
						     the next change of the text */

/* Adds a string from outside the program, made safe for a terminal or a file. Malformed bytes,
 * control characters and direction marks become '?'. Adds at most `most` bytes, in whole
 * characters. */
void text_add_clean(struct text *text, const char *string, size_t most);

/* Adds text from outside the program, as text_add_clean() does, but keeps newlines and tabs. */
void text_add_clean_lines(struct text *text, const char *string);

/* Adds a string in the form that XML and HTML require, made safe as text_add_clean_lines() does. */
void text_add_xml(struct text *text, const char *string);
/* Adds the base64 form of a string (RFC 4648). */
void text_add_base64(struct text *text, const char *string);

/* Copies a string to a buffer and makes it safe, as text_add_clean() does; the copy is cut to whole
 * characters. */
void text_copy_clean(char *buffer, size_t size, const char *string);

/* Removes an incomplete UTF-8 character from the end of a full buffer of `size` bytes. */
void text_cut_clean(char *buffer, size_t size);

/* Returns the bytes of the UTF-8 character at `at` (RFC 3629). The result is 0 for a malformed
 * character, a control character, or a character that changes the direction of writing. */
size_t text_character(const char *at);

/* A character in UTF-8, as a string. */
struct utf8 {
	char bytes[5];
};
/* Returns the UTF-8 form of a code point (RFC 3629); "?" if no character has this code point, or if
 * text_character() refuses it. */
struct utf8 utf8_of(uint32_t code);

/* A formatted text by value: words_of(…).text is valid until the end of the full expression. A text
 * longer than the buffer is cut. */
struct words {
	char text[640];
};
struct words words_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
	int columns;	/* columns of a line, at least 1 */
	bool cut_words; /* true: a word longer than a line is cut; false: the long word exceeds the
			   line */
	text_columns *columns_of; /* returns the bytes of the character at `at` (at least 1) and
				     sets its columns; NULL: each character has one column */
	const void *context;	  /* first argument of columns_of() */
};

/* Returns the bytes of the first line, which ends at a blank or line feed. The pointer *next
 * receives the text after the line break; next may be NULL. */
size_t text_line(const struct text_wrap *wrap, const char *text, const char **next);

enum { TEXT_COLUMNS = 80 }; /* the default width of a terminal */

/* Prints `first`, then `words` wrapped at `columns`, then a line feed. Each further line begins
 * with `indent` blanks. A word longer than a line exceeds the line. */
void text_print(FILE *out, int columns, const char *first, int indent, const char *words);

/* For the mistyped word `wrong`, the most similar names: "a, b or c"; at most three, or at most six
 * that are all as near. A name is near if its edit distance from `wrong` is small, or if one of the
 * two words begins with the other word. The text is empty if no name is near. */
struct near_names {
	char text[160];
};
struct near_names nearest_names(const char *wrong, const char *const *names, size_t count);

/* The memory functions allocate memory, or end the program with a message if memory is refused. Use
 * the memory functions only for small objects. Working sets use the arena, which reports refused
 * memory instead of ending the program. */
void *memory_new(size_t count, size_t size); /* zeroed */
void *memory_resize(void *memory, size_t count, size_t size);
/* Returns an array of `count` elements, moved if necessary, with room for one more. Use
 * memory_grow() only for arrays that start as NULL and grow one element at a time: their allocated
 * size doubles. */
void *memory_grow(void *memory, size_t count, size_t size);
char *memory_string(const char *string);
/* Keeps the memory of all threads together, and large blocks apart, so that memory_give_back()
 * finds whole free pages, and the memory of a long-running program does not grow. Call this
 * function before the first thread starts. */
void memory_keep_together(void);
/* Gives freed memory back to the operating system. Takes about a millisecond. */
void memory_give_back(void);
