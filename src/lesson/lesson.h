/* Lessons: courses as text files that a teacher writes. A lesson has steps; a step has text, a
 * setting to measure, perhaps a question, and an explanation that is shown afterwards.
 *
 * The manual (LESSONS) describes the format. The right answer of a question always follows from
 * measured values, and never from a number in the file. The functions of this file are pure, except
 * lesson_open(). Files are hostile input: control characters are mistakes, so that no terminal gets
 * them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "experiment/setting/setting.h"

/* The columns and lines for the text of a lesson's step on a terminal of 80x24, without the last
 * rows, which say what to do next. */
enum { LESSON_COLUMNS = 48, LESSON_LINES = 17 };

enum { LESSON_OPTIONS = 8, LESSON_GUESS = 200 };

/* A mistake in a lesson's file. */
struct lesson_mistake {
	int line, column; /* the place in the file, from 1; columns count characters */
	char words[240];  /* the message: the wrong value in the lesson's file, and what the reader
			     expected there */
};

/* All mistakes of a file, in the order in which the reader found them. Begin with a zeroed struct;
 * end with lesson_mistakes_free(). */
struct lesson_mistakes {
	int count;
	struct lesson_mistake *mistake;
};

void lesson_mistake(struct lesson_mistakes *mistakes, int line, int column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void lesson_mistakes_sort(struct lesson_mistakes *mistakes);
void lesson_mistakes_free(struct lesson_mistakes *mistakes);

/* An expression between braces in a text: "{cpe}", "{A.cpe / cpe}". */
struct lesson_hole {
	size_t offset, length; /* the place of the expression in the text, in bytes; the length
				  includes both braces */
	int line, column;      /* the place in the file */
};

/* What an expression between braces is: a value, or a part of "{if CONDITION} words {else} words
 * {end}". */
enum hole_kind { HOLE_VALUE, HOLE_IF, HOLE_ELSE, HOLE_END };

/* Returns what a hole is: `hole` begins with its brace, and has `size` bytes. *words and *length
 * are its expression: the value or the condition. */
enum hole_kind lesson_hole(const char *hole, size_t size, const char **words, size_t *length);

/* A text of a lesson. Paragraphs and lines that the teacher keeps apart end with a line feed. */
struct lesson_text {
	char *words; /* NULL: the lesson has no such text */
	int line, column;
	int hole_count;
	struct lesson_hole *hole;
};

enum lesson_ask {
	ASK_NOTHING,
	ASK_NUMBER, /* the student guesses a number, such as the cycles per element */
	ASK_CHOICE, /* the student chooses one of the options that the lesson's file lists */
	ASK_FASTER, /* the student says which of the settings A and B is faster */
	ASK_LIMIT,  /* the student says which limit of the loop is the binding one */
	ASK_KNEE,   /* the student guesses at which value of a knob the speed falls */
	ASK_TEXT,   /* the student answers with free text, which is stored, but not judged */
};

struct lesson_option {
	struct lesson_text text;
	char *when; /* the condition under which the option is the right answer; "": right if no
		       other option is */
	int line, column; /* the place of the condition */
};

/* The numbers that the screen hides while the question of a lesson waits for an answer: one bit for
 * each group of numbers. */
enum lesson_hidden {
	HIDDEN_CPE = 1 << 0,	 /* the time of the present setting, in every unit: CPE, quartiles,
				    trials, ns, GB/s, the gap, counted cycles */
	HIDDEN_CURVE = 1 << 1,	 /* all curves of speed, and the memory mountain */
	HIDDEN_RATIO = 1 << 2,	 /* the CPE of the present setting divided by that of A */
	HIDDEN_A = 1 << 3,	 /* the time of the setting A */
	HIDDEN_LIMITS = 1 << 4,	 /* values of all limits, predicted cycles, advice */
	HIDDEN_BINDING = 1 << 5, /* name of the binding limit, order of the limits */
	HIDDEN_CLOCK = 1 << 6,	 /* the clock frequency of the core */
	HIDDEN_CACHES = 1 << 7,	 /* the sizes of the caches */
};

struct lesson_question {
	enum lesson_ask ask;
	int line, column;
	struct lesson_text prompt; /* the words of the question; may be absent */
	char *subject; /* ASK_NUMBER: the expression whose value the student guesses, such as "cpe"
			  or "A.cpe / cpe" */
	int subject_line, subject_column;
	double within; /* tolerance as a share, 0.2 for 20 %: a right guess and the measured value
			  differ at most by the factor 1 + within */
	int knob; /* ASK_KNEE: index of the knob over which the curve is measured, and its least and
		     greatest value */
	int64_t least, most;
	int option_count; /* ASK_CHOICE */
	struct lesson_option option[LESSON_OPTIONS];
};

struct lesson_place {
	int line, column;
};

struct lesson_command {
	char *words; /* a command of the explorer, unchecked */
	struct lesson_place place;
};

struct lesson_step {
	char *title;
	struct lesson_place place;
	struct lesson_text text, hint, explain, otherwise;
	/* The setting to measure. If the lesson's file states no setting for the step, the setting
	 * of the step before; kernel NULL: no setting yet. */
	struct setting setting;
	struct lesson_place setting_place;
	/* The setting A, with which the step compares its setting; A's kernel is NULL if the step
	 * has no A. */
	struct setting pinned;
	struct lesson_place pinned_place;
	char *panel; /* the panel to bring to the front, as the command `view` names it; NULL: none
		      */
	struct lesson_place panel_place;
	int command_count;
	struct lesson_command *command; /* commands after the setting */
	/* Names of features that the machine must have (`need`) and must not have (`unless`), such
	 * as "l3"; see lesson_here(). */
	int need_count, unless_count;
	struct lesson_command *need, *unless;
	unsigned hidden; /* groups of numbers (enum lesson_hidden) that the lesson's file hides, in
			    addition to those that the question hides */
	unsigned shown;	 /* groups of numbers that the lesson's file shows, although the question
			    would hide them */
	struct lesson_question question; /* ASK_NOTHING: the step has no question */
};

struct lesson {
	char *name;   /* the name by which the lesson is opened: "ports" */
	char *origin; /* for messages: the path, or "built-in lessons/ports.lesson" */
	char *title, *source;
	int minutes;
	int after_count; /* lessons to take before this one */
	struct lesson_command *after;
	int step_count;
	struct lesson_step *step;
};

/* Reads a lesson from a text. `name` and `origin` name it. The result is never NULL; if the
 * lesson's text has mistakes, the result has the parts that could be read. The caller frees it with
 * lesson_free(). */
struct lesson *lesson_read(
	const char *text, const char *name, const char *origin, struct lesson_mistakes *mistakes);

/* Opens a lesson by its name, or by the path of its file (a word with "/" or ".lesson"). If no
 * lesson has the name, the STATUS_USAGE message suggests the nearest names. *lesson is NULL after a
 * failure. If the lesson's file has mistakes, they are added to `mistakes`, and the status is still
 * OK. */
struct status lesson_open(
	const char *word, struct lesson **lesson, struct lesson_mistakes *mistakes);
void lesson_free(struct lesson *lesson);
/* Whether a shipped lesson, or one of the user's folder, has this name. */
bool lesson_exists(const char *name);

/* Returns standard words for a question, if the lesson's file has none; NULL: the text of the step
 * asks the question. */
const char *lesson_usual_prompt(enum lesson_ask ask);

/* All lessons, built-in ones and the user's, in the order in which they should be taken: a lesson
 * comes after those that its statement `after` names. Mistakes in a user's file are ignored. The
 * caller frees each lesson and the array. */
struct lesson **lessons_all(int *count);
/* The names of these lessons, in the same order, with NULL at the end: free with data_names_free().
 */
char **lessons_names(void);

/* Returns the groups of numbers (enum lesson_hidden) that the step's question asks for. */
unsigned lesson_asks_for(const struct lesson_step *step);
/* Returns the groups of numbers that must not be on the screen while the step's question waits for
 * an answer: those that it asks for, and those that give the answer away. */
unsigned lesson_hides(const struct lesson_step *step);
/* The word for a group of numbers in the statements `hide` and `show`: "cpe", "limits", …; NULL
 * after the last.
 */
extern const char *const lesson_hidden_names[];
/* Names of the panels that a lesson's step can bring to the front; the last one is NULL. */
extern const char *const lesson_panels[];
