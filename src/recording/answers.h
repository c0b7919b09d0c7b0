/* Students' answers to the questions of lessons: a file in the format JSON Lines, with one line for
 * each answer.
 *
 * A file of answers comes from another person, so it is untrusted: lines that are no answers are
 * counted and not used. An answer names no person, unless the student gave a name. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

struct answer {
	char who[20];  /* a random word for each run of the program, in place of the student's name
			*/
	char name[64]; /* the name that the student gave; empty: none */
	char lesson[64];  /* the name of the lesson */
	int step;	  /* number of the step, from 1 */
	char title[80];	  /* title of the step */
	char ask[12];	  /* the kind of question: "number", "choice" … */
	char guess[204];  /* the guess in words; empty: skipped */
	int choice;	  /* the number of the chosen answer, from 1; 0: the question has no list of
			     answers */
	double number;	  /* the guess as a number; NAN: the guess is not a number */
	char verdict[12]; /* "right", "wrong", "skipped", "undecided" or "kept" */
	char truth[164];  /* the measured value, or the right answer, in words */
	double measured, lo, hi; /* the measured value and its quartiles; NAN: the question does not
				    ask for a number */
	char doubt[24];	  /* why the measurement is doubtful: "contended"; empty: it is good */
	char machine[96]; /* name of the processor */
	char time[32];	  /* when the question was answered (UTC) */
};

struct answers {
	int count;
	struct answer *answer;
	int files;   /* files that were read */
	int refused; /* lines that are no answers */
};

/* Writes one answer of a student as a line of JSON, and flushes the file. Returns whether it was
 * written. */
bool answers_write(FILE *file, const struct answer *answer);

/* Adds the answers of a file, or of all files *.jsonl in a folder. A second answer of one student
 * to the same question replaces the first one. STATUS_USAGE: the file or folder of answers cannot
 * be read. Before the first call, fill `answers` with zeros. */
struct status answers_read(struct answers *answers, const char *path);
void answers_free(struct answers *answers);

/* Adds the answers of an open file, up to its last complete line. */
void answers_take(struct answers *answers, FILE *file);
/* Returns whether this is the name of a file of answers: *.jsonl. */
bool answers_is_name(const char *name);
