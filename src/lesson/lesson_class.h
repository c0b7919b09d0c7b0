/* The answers of a class: for each question, how many students gave which answer, and what their
 * machines measured. Pure. */
#pragma once

#include "base/text.h"
#include "lesson/lesson.h"
#include "lesson/lesson_judge.h"
#include "recording/answers.h"

/* One question of a lesson, and the answers to it. */
struct class_question {
	const struct answer *first; /* any answer: names the lesson and the step */
	int students, right, wrong, skipped, other;
};

/* Orders the answers by lesson and step. `course` has the names of the lessons in their order, and
 * ends with NULL: see lessons_names(). Other lessons follow, ordered by name. */
void class_sort(struct answers *answers, char *const *course);
/* Finds the question that answer number `begin` of the sorted answers belongs to, and counts its
 * answers. Returns the index of the first answer to the next question. */
int class_question(const struct answers *answers, int begin, struct class_question *question);

/* Adds the report of a class: for each question, a histogram of the guesses, and the measured
 * values of each machine. Machines whose right answer is not the most frequent one are listed. The
 * answers must be sorted. */
void class_text(const struct answers *answers, struct text *text);
/* Adds a table in CSV: a line for each guess of each question, with its count. */
void class_csv(const struct answers *answers, struct text *text);

/* Fills all fields of a student's answer, except `who` and `name`. */
void class_answer(const struct lesson *lesson, int step, const struct lesson_guess *guess,
	const struct lesson_judgement *judgement, const char *machine, struct answer *answer);
