/* The open lesson: its present step, the student's guesses, and the judgement by measured values.
 * Only classroom.c writes a `struct classroom`, except for the field `shown`. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "engine/measure/trials.h"
#include "experiment/setting/setting.h"
#include "lesson/lesson.h"
#include "lesson/lesson_judge.h"
#include "model/limits/limits.h"

struct session;
struct text;
struct view;

/* What the student did in one step of the lesson. */
struct step_taken {
	bool answered; /* true: the guess for the step's question was judged, or the student skipped
			  the question */
	bool hinted;   /* the student asked for the hint */
	struct lesson_guess guess;
	struct lesson_judgement judgement;
	/* The texts of the question and the explanation, with the measured values that judged the
	 * guess filled in; owned. */
	char *prompt, *explained;
	bool filled; /* every measured value of `explained` was known */
	/* For a report of the lesson: the step's setting, its sample, and a picture of its limits
	 * (SVG, owned; NULL: none). */
	struct setting setting;
	struct sample sample;
	char *picture;
	struct sample a; /* the sample of A that judged the guess; not valid: the step has no A */
	bool changed;	 /* since the answer, a panel has shown other digits than the explanation */
};

struct classroom {
	struct lesson *lesson;	  /* the open lesson, owned; NULL: no lesson is open */
	struct step_taken *taken; /* one for each step */
	int step;
	/* The guess of the present step waits for a measurement that is good enough to judge it,
	 * since the time `guessed_at`. */
	bool guessed;
	double guessed_at;
	/* The limits of A (the setting compared with), without the facts of single instructions;
	 * valid if `a_known`. */
	bool aside;	     /* the usual panels replace the text of the lesson for a while */
	double leaves_until; /* until this time, the command that closes the lesson closes it;
				before, it asks */
	int first;	     /* the first row of the lesson's text on screen */
	bool a_known;
	struct limits a_limits;
	struct text *shown; /* the lesson's texts for the screen (SHOWN_TEXT …), filled with
			       measured values for each frame */
	char *report; /* path of the lesson's report, a page with the student's answers; NULL: none
		       */
};

void classroom_end(struct session *session);

/* From now on, writes a report of the open lesson (HTML or Markdown) to this file after each
 * answer. STATUS_USAGE: the name of the report's file does not end in .html or .md. STATUS_FAILED:
 * the report's file cannot be written. */
struct status classroom_report(struct session *session, const char *path);

/* Opens the lesson with this name or file at its first step. STATUS_USAGE: no lesson has this name,
 * or the lesson's file has a mistake, whose line and column the message names. */
struct status classroom_open(struct session *session, const char *word);
/* Checks whether the lesson could be opened. */
struct status classroom_check(const char *word);
void classroom_close(struct session *session);
/* Whether the open lesson may be closed: if it has answers, the first call only says that they
 * would be forgotten. */
bool classroom_may_close(struct session *session);

/* Returns the present step; NULL: no lesson is open. */
const struct lesson_step *classroom_step(const struct session *session);
/* Goes to a step of the lesson; shows its setting, its A (the setting compared with) and its panel.
 */
void classroom_go(struct session *session, int step);
/* Shows the setting, the A (setting compared with) and the panel of the lesson's present step
 * again. If the step's setting is already on screen, switches between the text of the lesson and
 * the usual panels. */
void classroom_return(struct session *session);
/* Scrolls the text of the lesson to its row `first`. */
void classroom_scroll(struct session *session, int first);
/* Shows the usual panels in place of the text of the lesson. */
void classroom_aside(struct session *session);
/* Whether the user has left the lesson's step: the setting on screen, or A, is not the step's. */
bool classroom_away(const struct session *session);

/* The message while an answer waits for its measurement. */
extern const char classroom_waits[];
/* Whether the step's question still waits for a guess. The result is true only if this machine, or
 * the replayed recording, has the setting of the question. */
bool classroom_asks(const struct session *session);
/* Takes a guess as the student typed it. STATUS_USAGE: the message says what the question expects.
 * If `change` is NULL, only checks the guess. */
struct status classroom_guess(
	const struct session *session, struct session *change, const char *typed);
/* Ends the lesson's question without a guess, and records the question as skipped. If `wait` is
 * true, the right answer of the skipped question is shown only after the measurement that decides
 * it. */
void classroom_skip(struct session *session, bool wait);
/* Opens the line in which the student types the answer. */
void classroom_answer(struct session *session);
void classroom_hint(struct session *session);
/* Measures the step's setting again, and judges its guess again. */
void classroom_repeat(struct session *session);

/* Judges a guess that still waits for a better measurement by the present one, so that the answer
 * is recorded when the explorer ends. */
void classroom_settle(struct session *session);

/* Judges the guess as soon as the measurement is good enough. Returns whether the view changed. */
bool classroom_advance(struct session *session);

/* Returns the groups of numbers (enum lesson_hidden) that the screen hides, because the open
 * question asks for them; 0: no question is open. */
unsigned classroom_hidden(const struct session *session);
/* Fills the lesson's part of the view, and removes from the view the numbers that the open question
 * asks for. Call classroom_view() after all other parts of the view are filled. */
void classroom_view(const struct session *session, struct view *view);

/* Adds a line for each step of the lesson, with the student's guess and the measured value. */
void classroom_summary(const struct session *session, struct text *text);
