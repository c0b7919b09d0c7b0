/* The answers of a class: for each question, how many students gave which answer, and what their
 * machines measured. Pure. */
#pragma once

#include "base/text.h"
#include "lesson/lesson.h"
#include "lesson/lesson_judge.h"
#include "recording/answers.h"

/* One question of a lesson, and the answers to it. */
struct class_question {
	const struct answer *first; /* an answer to the question: its lesson, step and title */
	int students, right, wrong, skipped, other;
};

/* Orders the answers by lesson and step. */
void class_sort(struct answers *answers);
/* Finds the question of the answers from `begin` on. Returns the index after its last answer. */
int class_question(const struct answers *answers, int begin, struct class_question *question);

/* Adds the report: for each question, a histogram of the guesses, the measured values by machine,
 * and the machines whose right answer differs from that of most. The answers must be sorted. */
void class_text(const struct answers *answers, struct text *text);
/* Adds a table in CSV: a line for each guess of each question, with its count. */
void class_csv(const struct answers *answers, struct text *text);

/* Fills the answer of a student: everything except `who` and `name`. */
void class_answer(const struct lesson *lesson, int step, const struct lesson_guess *guess,
	const struct lesson_judgement *judgement, const char *machine, struct answer *answer);
