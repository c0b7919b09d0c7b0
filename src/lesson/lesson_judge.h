/* Judges guesses by measured values, and fills the texts of a lesson with measured values. Pure. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "lesson/lesson.h"
#include "model/limits/limits.h"
#include "model/memory/cache_sizes.h"

/* A measured point of the curve over the knob that a question for a knee (ASK_KNEE) names. */
struct lesson_point {
	double at;  /* the knob's value */
	double cpe; /* cycles per element */
};

/* All measured values that a lesson's texts and conditions can name, such as the samples of the
 * present setting and A. While a value is not known, its pointer is NULL, or its sample is not
 * valid. */
struct lesson_values {
	const struct machine *machine;
	const struct cache_sizes *caches;
	const struct sample *now, *a;		/* the samples of the present setting and of A */
	const struct limits *limits, *a_limits; /* `limits`: the limits of the present setting;
						   `a_limits`: those of the setting A */
	const struct lesson_point *curve;	/* ascending by `at` */
	int curve_count;
	double width; /* the core's width in micro-ops per cycle, if `limits` does not contain it;
			 0: unknown */
	bool no_core; /* no core model is in use, so there will be no limits */
	bool early;   /* the student left the step before all of its values were measured */
	bool curve_bytes; /* the knob of the curve is a size in bytes */
};

/* Lists the words of the statements `needs` and `unless`: "l3", "limits", "avx2" … Returns their
 * number, at most `most`. */
size_t lesson_need_names(const char **names, size_t most);

/* Returns whether the machine has everything that the step needs. If the machine lacks something,
 * *why receives the reason; `why` may be NULL. On a machine that lacks something, the step shows
 * its text `otherwise`, and asks no question.
 */
bool lesson_here(
	const struct lesson_step *step, const struct lesson_values *values, struct words *why);

/* A possible answer of a question with answers to choose from. */
struct lesson_answer {
	char words[160]; /* the text of the option, with its values filled in */
	bool right; /* true: the measured values make the answer the right one; false: wrong, or
		       values are not known yet */
};

/* Fills the possible answers of ASK_CHOICE, ASK_FASTER and ASK_LIMIT. Returns their number; 0: the
 * question has none, or the values are not known yet. The order of the answers does not depend on
 * the measured values, so it does not give away the right one.
 */
int lesson_answers(const struct lesson_step *step, const struct lesson_values *values,
	struct lesson_answer answer[LESSON_OPTIONS]);

struct lesson_guess {
	bool skipped;
	bool revealed;		 /* the student asked for the answer, and skipped the question so */
	double number;		 /* ASK_NUMBER, ASK_KNEE */
	int choice;		 /* index of the chosen answer, from 0 */
	char text[LESSON_GUESS]; /* the guess in words, for the file of answers */
};

/* Reads a guess as a student types it: "3", "0.75", "48k", "b", "2", the words of an answer, or
 * free text. STATUS_USAGE: the message says what the question expects. */
struct status lesson_guess_read(const struct lesson_step *step, const struct lesson_values *values,
	const char *typed, struct lesson_guess *guess);

enum lesson_verdict {
	VERDICT_UNDECIDED, /* no judgement: a measured value is missing, or not exactly one answer
			      is right */
	VERDICT_RIGHT,
	VERDICT_WRONG,
	VERDICT_SKIPPED,
	VERDICT_KEPT, /* free text is kept, and not judged */
};

/* The names of verdicts in files: "undecided", "right", "wrong", "skipped", "kept". */
extern const char *const lesson_verdict_names[];

struct lesson_judgement {
	enum lesson_verdict verdict;
	double measured, lo, hi; /* for guesses of a number (ASK_NUMBER, ASK_KNEE): the measured
				    value and its quartiles; NAN: unknown */
	double ratio; /* the guessed number divided by the measured value; NAN: unknown */
	int right; /* index of the right answer; -1: none. If several limits are equal, a guess of
		      any of them is right, and `right` is the guessed one. */
	bool computed; /* the core model alone decides the answer, without a measurement */
	/* Why the measurement should be repeated before it judges: "contended", "not settled" …;
	 * NULL: the measurement is good. Static text. */
	const char *doubt;
	char truth[160]; /* the measured value or the right answer in words: "3.00" */
	char words[240]; /* one sentence: "Right: you said 3, measured 3.00 (2.99 to 3.01)." */
};

/* Judges a guess. A guess is judged even by a doubtful measurement; judgement->doubt then names the
 * reason. */
void lesson_judge(const struct lesson_step *step, const struct lesson_values *values,
	const struct lesson_guess *guess, struct lesson_judgement *judgement);

/* Fills a text: each expression in braces becomes its value. A value that is not known becomes "?".
 * Returns whether all values were known. If `from` has no words, nothing is added to `to`. */
bool lesson_fill(
	const struct lesson_text *from, const struct lesson_values *values, struct text *to);

/* Returns the number of screen lines that `text` needs if it is wrapped at `columns`; its braces
 * are filled already. Empty lines between paragraphs count. */
int lesson_lines(const char *text, int columns);
