/* The reader for all data files with words or fields on each line: keys, sweeps, windows, and core
 * models.
 *
 *	struct rows rows;
 *
 *	rows_load(&rows, "windows");              (or rows_begin(), for a text in memory)
 *	while (rows_next(&rows)) {                 each line that is neither empty nor a comment
 *		char *word = rows_word(&rows);     "rest"; then the cursor is at the fields
 *		char *field[3];
 *
 *		if (strcmp(word, "rest") != 0)
 *			rows_unknown(&rows, "line", word, words, word_count);
 *		else if (rows_fields(&rows, field, 3) != 3)
 *			rows_fail(&rows, "expected: rest BUFFER | MOST | WORDS");
 *		else if (rows_copy(&rows, "buffer", field[0], to->buffer, sizeof(to->buffer)) &&
 *			 rows_number(&rows, "most", field[1], 0, 1000, &to->most))
 *			count++;
 *	}
 *	status = rows_end(&rows);                  the first failure: "ORIGIN:LINE: …"
 *
 * The first error in the file ends the loop, unless rows.lenient is set. A function that fails
 * returns false (or -1), so that calls can be joined with &&. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct rows {
	struct status status; /* the first error in the file; the caller may change the code of this
				 status */
	int line;	      /* number of the current line, from 1 */
	bool inline_comments; /* set after rows_begin(): "#" anywhere in a line begins a comment */
	bool lenient;	      /* set after rows_begin(): rows_next() continues after a bad line */

	/* Private. */
	char origin[256], *loaded, *buffer, *at;
	const char *next;
	size_t capacity;
};

/* Begins to read a text. The caller owns the text and keeps it until rows_end(). Messages call the
 * text `origin`. */
void rows_begin(struct rows *rows, const char *text, const char *origin);

/* Begins to read a data file (data_load()). A file that cannot be read is the first failure. */
void rows_load(struct rows *rows, const char *name);

/* Reads the next line with content, without blanks at its ends. Returns false at the end of the
 * text and after a failure. Invalid UTF-8 and control characters are failures. */
bool rows_next(struct rows *rows);

/* Frees the buffers. Returns the reader's status; rows->status stays valid. */
struct status rows_end(struct rows *rows);

/* The following functions return parts of the current line in place: the caller may change these
 * parts until the next rows_next(). */

/* Copies the NAME of a line "[NAME]", cut to size. Returns false if the line has another form. */
bool rows_section(const struct rows *rows, char *name, size_t size);
/* Returns the next word of the line, and moves the cursor past this word. Returns "" at the line's
 * end. */
char *rows_word(struct rows *rows);
/* Returns all text of the line after the cursor; "" at the line's end. */
char *rows_rest(struct rows *rows);
/* Splits the rest of the line: rows_words() at blanks, rows_fields() at bars ("|"), without the
 * blanks around them. Returns the number of parts, or most + 1 if the line has more parts than
 * `most`. Missing parts become empty strings. */
int rows_words(struct rows *rows, char *word[], int most);
int rows_fields(struct rows *rows, char *field[], int most);

/* Sets the status (STATUS_FAILED) to "ORIGIN:LINE: …", unless the status already is a failure.
 * Always returns false. */
bool rows_fail(struct rows *rows, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes a failure that another function returned the reader's status, with "ORIGIN:LINE: " before
 * its text. Returns whether status is OK. */
bool rows_check(struct rows *rows, const struct status *status);

/* Fails with status_unknown(). Always returns false. */
bool rows_unknown(struct rows *rows, const char *what, const char *word, const char *const *names,
	size_t count);

/* Returns the index of `word` among `names`. If `word` is not in `names`, rows_choice() calls
 * rows_unknown() and returns -1. */
int rows_choice(
	struct rows *rows, const char *what, const char *word, const char *const *names, int count);

/* Copies a complete word. Fails if the word is empty or longer than size - 1 bytes. */
bool rows_copy(struct rows *rows, const char *what, const char *word, char *to, size_t size);

/* Copies a word that has only letters, digits and the characters in `more`. */
bool rows_name(struct rows *rows, const char *what, const char *word, const char *more, char *to,
	size_t size);

/* Reads a decimal number without sign or exponent, from least to most. */
bool rows_number(struct rows *rows, const char *what, const char *word, double least, double most,
	double *value);

/* Returns a status with the message "ORIGIN:LINE: …", for an error in a line that was read
 * earlier. */
struct status rows_status(const char *origin, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads the first `length` bytes of word as a decimal number, in any locale. Returns false if these
 * bytes are not a number. */
bool rows_decimal(const char *word, size_t length, double *value);
