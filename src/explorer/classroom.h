/* The open lesson: its present step, the student's guesses, and the judgement by measured values.
 * Only classroom.c writes a `struct classroom`, except for the texts of the view. */
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
	bool answered; /* the question of the step was judged or skipped */
	bool hinted;   /* the student asked for the hint */
	struct lesson_guess guess;
	struct lesson_judgement judgement;
	/* The question and the explanation with the values that judged the guess; owned. */
	char *prompt, *explained;
	/* The setting, its sample, and its limits as a picture (SVG, owned; NULL: none), for a
	 * report. */
	struct setting setting;
	struct sample sample;
	char *picture;
};

struct classroom {
	struct lesson *lesson;	  /* owned; NULL: no lesson is open */
	struct step_taken *taken; /* one for each step */
	int step;
	/* The guess of the present step waits for a measurement that is good enough to judge it,
	 * since the time `guessed_at`. */
	bool guessed;
	double guessed_at;
	/* The limits of A, without the facts of instructions; valid if `a_known`. */
	bool aside; /* the usual panels replace the text of the lesson for a while */
	bool a_known;
	struct limits a_limits;
	struct text *shown; /* the texts of the view, filled for each frame */
	char *report;	    /* path of the file that reports the answers; NULL: none */
};

void classroom_end(struct session *session);

/* Reports the answers of the open lesson to a file after each answer. STATUS_USAGE: the name does
 * not end in .html or .md. STATUS_FAILED: the file cannot be written. */
struct status classroom_report(struct session *session, const char *path);

/* Opens the lesson with this name or file at its first step. STATUS_USAGE: the name is unknown, or
 * the file has a mistake, which the message names by line and column. */
struct status classroom_open(struct session *session, const char *word);
/* Checks whether the lesson could be opened. */
struct status classroom_check(const char *word);
void classroom_close(struct session *session);

/* Returns the present step; NULL: no lesson is open. */
const struct lesson_step *classroom_step(const struct session *session);
/* Goes to a step, and brings its setting, its A and its panel to the screen. */
void classroom_go(struct session *session, int step);
/* Returns to the setting, A and panel of the present step. If they are on screen already, shows the
 * usual panels in place of the text of the lesson, or the text again. */
void classroom_return(struct session *session);
/* Whether the setting on screen, or A, differs from those of the step. */
bool classroom_away(const struct session *session);

/* Whether the step's question still waits for a guess. The setting of the question can be measured
 * here. */
bool classroom_asks(const struct session *session);
/* Takes a guess as the student typed it. STATUS_USAGE: the message says what the question expects.
 * If `change` is NULL, only checks the guess. */
struct status classroom_guess(
	const struct session *session, struct session *change, const char *typed);
/* Ends the question without a guess, which is recorded as skipped. If `wait` is true, the answer is
 * shown as soon as it is measured. */
void classroom_skip(struct session *session, bool wait);
/* Opens the line in which the student types the answer. */
void classroom_answer(struct session *session);
void classroom_hint(struct session *session);
/* Measures the step's setting again, and judges its guess again. */
void classroom_repeat(struct session *session);

/* Judges the guess as soon as the measurement is good enough. Returns whether the view changed. */
bool classroom_advance(struct session *session);

/* The groups of numbers that the open question asks for (enum lesson_hidden); 0: no question is
 * open. */
unsigned classroom_hidden(const struct session *session);
/* Fills the lesson's part of the view, and removes from the view the numbers that the open question
 * asks for. The rest of the view must be complete. */
void classroom_view(const struct session *session, struct view *view);

/* Adds a line for each step, with the guess and the measured value. */
void classroom_summary(const struct session *session, struct text *text);
