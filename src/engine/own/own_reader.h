/* Reads a loop's description token by token, up to the first mistake; arguments, knobs and flags
 * have files of their own. Private to own_*.c. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "engine/own/own_data.h"

/* The largest number in a COUNT: with this limit, no count overflows for n up to 2^30. */
#define NUMBER_MAX (INT64_C(1) << 30)
enum { OVER_MAX = 1 << 20 };

/* The characters that separate two words in the description of a user's loop. */
#define BLANKS " \t\v\f\r"

/* The words of a description other than the names of arguments. */
enum word { WORD_ELEMENTS, WORD_N, WORD_MULTIPLE, WORD_CFLAGS, WORD_KNOB, WORDS };
extern const char *const own_word_names[WORDS];

/* Returns the index of the word with this name; -1: no word has it. */
int own_word_of(const char *name);

struct reader {
	const char *at;	   /* position in the comment's line */
	const char *word;  /* start of the current word */
	const char *token; /* start of the current token: the place of a mistake */
	const char *line_start;
	const char *origin;
	int line;
	int column; /* column of line_start in the source file, from 1 */
	struct status status;
	struct own_description *description;
	unsigned arguments_given, words_given; /* the words of the description that were seen so
						  far: one bit for each */
};

/* Whether the reader has found no mistake so far. */
bool reader_ok(const struct reader *reader);

/* Sets the reader's status, unless the status already holds an error. The error message about the
 * description shows the wrong word up to the next blank. */
__attribute__((format(printf, 2, 3))) void reader_wrong(
	struct reader *reader, const char *format, ...);

/* Skips blanks. The next token begins there. */
const char *reader_begin(struct reader *reader);

/* Skips blanks and the character `wanted`. Returns false, and skips nothing, if another character
 * than `wanted` follows the blanks. */
bool reader_take(struct reader *reader, char wanted);

/* Skips the character `wanted`, which must come next; `form` is an example of the right text. */
void reader_need(struct reader *reader, char wanted, const char *form);

/* Reads a name of letters, digits and underscores from the description of an own loop's data. The
 * name is empty if the description has no name there, or one of OWN_NAME or more characters. */
void reader_take_name(struct reader *reader, char name[OWN_NAME]);

/* Reads a whole number, such as 4096 or 4k. Returns false if the description has no number here, or
 * if the number is not from `low` to `high`. */
bool reader_take_whole(struct reader *reader, int64_t low, int64_t high, int64_t *value);

/* Requires that the loop's parameter n is also a multiple of this number. */
void reader_need_multiple(struct reader *reader, int64_t multiple);

/* Reads a COUNT (a number of elements that may depend on n), such as 3*n or n/2. */
void reader_take_count(struct reader *reader, struct own_count *count);

/* Reads the data of one argument, such as f64[n]:1.0 (own_argument.c). */
void own_take_argument(struct reader *reader, struct own_argument *argument);

/* Reads NAME=VALUES after the word knob (own_knobs.c). */
void own_take_knob(struct reader *reader);

/* Reads sets of flags that commas separate; a set in quotation marks may contain blanks
 * (own_knobs.c). */
void own_take_cflags(struct reader *reader);
