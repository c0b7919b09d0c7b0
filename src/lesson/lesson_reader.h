/* The reader of lesson files: the present line, its words with their places, and the texts that
 * indented lines continue. Private to the files lesson_*.c. */
#pragma once

#include "lesson/lesson.h"

/* A word of a line. */
struct lesson_word {
	char text[64]; /* cut to size */
	int column;
};

struct lesson_reader {
	struct lesson *lesson;
	struct lesson_step *step; /* NULL: before the first step */
	struct lesson_mistakes *mistakes;
	char *line; /* the present line, without the blanks at its end */
	size_t capacity;
	int number;		    /* number of the present line, from 1 */
	const char *at;		    /* the part of the line that is not read yet */
	struct lesson_text *target; /* the text that indented lines continue; NULL: none */
	int indent;	/* blanks before the first indented line of this text; -1: none yet */
	bool paragraph; /* an empty line came after the last line of text */
	bool kept;     /* true: the last line of text ends with a line feed, so the next line is not
			  joined to it */
	unsigned seen; /* one bit for each kind of statement that this step has had so far */
	struct lesson_place hide, show, otherwise;
	bool unknown;  /* the step's question has an unknown kind, so it is not checked further */
	bool misspelt; /* the step has an unknown statement, which may be the one that is missing */
	bool without_a; /* the step's lack of a setting A is already reported */
};

/* Returns the column of a place in the present line. */
int line_column(const struct lesson_reader *reader, const char *at);

/* Report a mistake in the present line, or at an earlier place. */
void line_wrong(struct lesson_reader *reader, int column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void line_wrong_at(struct lesson_reader *reader, struct lesson_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void line_blanks(struct lesson_reader *reader); /* skips blanks */
/* Takes the next word; its text is "" at the end of the line. */
struct lesson_word line_word(struct lesson_reader *reader);
/* Returns the place of the next word. */
struct lesson_place line_place(const struct lesson_reader *reader);
/* Returns the rest of the line as a string of its own. If the rest of the line is empty, reports a
 * mistake and returns NULL. */
char *line_rest(struct lesson_reader *reader, const char *expected);
/* Reports a mistake if the line has more words. */
void line_nothing_more(struct lesson_reader *reader);

/* Begins a text with the rest of the statement's line; indented lines continue it. */
void line_text(struct lesson_reader *reader, struct lesson_text *text);
/* Takes an indented line, which continues a text. */
void line_indented(struct lesson_reader *reader);

/* Read the statements `ask` and `option`, after their first word. */
void read_ask(struct lesson_reader *reader);
void read_option(struct lesson_reader *reader);

/* Checks a complete step: its question, and the values that its texts show. */
void check_step(struct lesson_reader *reader);
