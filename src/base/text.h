/* A growing string. Zero-initialise to start; text_free() to end. Out of memory ends the program
 * (status 1): these strings are small, and only ever built outside timed regions. */
#ifndef SLX_BASE_TEXT_H
#define SLX_BASE_TEXT_H

#include <stddef.h>

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

/* Adds a string as valid UTF-8 without control characters and those that turn the direction of
 * writing, each byte that is none replaced by '?', and cut to at most `most` bytes between
 * characters: what comes from elsewhere and goes to a terminal or into a file. */
void text_add_clean(struct text *text, const char *string, size_t most);

/* For a fixed buffer of `size` bytes that something long was formatted into: takes off a UTF-8
 * character of which only the beginning found room. */
void text_cut_clean(char *buffer, size_t size);

/* malloc(), calloc() and realloc() that end the program with one line when memory is refused. For
 * small things only: working sets come from the arena, which reports a refusal instead. */
void *memory_new(size_t count, size_t size); /* zeroed */
void *memory_resize(void *memory, size_t count, size_t size);
char *memory_string(const char *string);

#endif
