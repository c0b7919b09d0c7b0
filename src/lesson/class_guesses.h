/* The guesses and the measured values of one question, from the answers of a class. Pure.
 *
 * The answers of a question are those from `begin` to `end` (class_question()). All strings are
 * borrowed from the answers. */
#pragma once

#include "base/text.h"
#include "lesson/lesson.h"
#include "recording/answers.h"

/* Equal guesses, or neighbouring numbers that are shown together. */
struct class_guess {
	const char *words, *last; /* the guess, or the lowest and the highest of joined numbers */
	double low, high;	  /* values of these numbers; NAN: the guess is no number */
	int count, right;	  /* number of students with this guess, and with a right guess */
	int joined;		  /* number of different guesses, from 1 */
	int choice; /* the number of the chosen answer, from 1; 0: there is no list of answers */
};

struct class_guesses {
	int count;
	struct class_guess *guess;
	bool numbers;	       /* all guesses are numbers, in ascending order */
	struct lesson *lesson; /* owned; has the words of answers that nobody chose; NULL: none */
};

/* Finds the different guesses. The order is: numbers in ascending order, chosen answers in the
 * order of the question, other words in alphabetical order. If this machine has the lesson, answers
 * of the question that nobody chose are listed too, with 0 students. End with class_guesses_free().
 */
struct class_guesses class_guesses_of(const struct answers *answers, int begin, int end);
void class_guesses_free(struct class_guesses *guesses);

/* Puts the most frequent guesses first. Numbers keep their order. */
void class_guesses_rank(struct class_guesses *guesses);
/* Joins guesses until at most `most` (from 1) are left: the two numbers that are nearest to each
 * other, or the last two guesses in words. */
void class_guesses_join(struct class_guesses *guesses, int most);
/* Returns the largest number of students with one guess; at least 1. */
int class_guesses_most(const struct class_guesses *guesses);
/* Returns the words of a guess, safe to show: "3", "2.9 to 3.1", "4 other guesses". */
struct words class_guess_words(const struct class_guess *guess);

/* Returns the words of the question to which an answer belongs, from the lesson on this machine,
 * with "…" for measured values. Empty: this machine has no such question, or the question has no
 * words.
 */
struct words class_prompt(const struct answer *answer);

/* The measured values of the machines of one kind. */
struct class_machine {
	const char *name;
	/* The measured values in words, lowest and highest, or the right answer. */
	const char *truth, *high_truth;
	int count; /* number of students with this machine */
	double low,
		high; /* the range of the measured values; NAN: the question asks for no number */
	int doubtful; /* number of students whose measurement was doubtful */
	bool differs; /* the right answer is not that of most students */
};

enum { CLASS_MACHINES = 24 };

struct class_measured {
	double median;	   /* median of all students' measured values; NAN: the question asks for no
			      number */
	const char *usual; /* the median in words, or the right answer of most students; "": none */
	int count, others; /* number of listed machines; number of students with other machines */
	struct class_machine machine[CLASS_MACHINES]; /* the most frequent machines first */
};

/* Finds the measured values of a question, by kinds of machines. */
void class_measured_of(
	const struct answers *answers, int begin, int end, struct class_measured *measured);
/* Returns words from an answer, safe to show. */
struct words class_words(const char *words);
/* Returns the measured values of a machine, safe to show: "2.98 to 3.05", "twice as fast". */
struct words class_machine_words(const struct class_machine *machine);

/* The students who answered any question of a lesson. */
struct class_students {
	int all, done; /* number of students; done: number of those who answered this question */
	struct text missing; /* names of the other students who gave a name, with commas between the
				names */
};

/* Counts the students of the question's lesson. End with text_free(&students.missing). */
struct class_students class_students_of(const struct answers *answers, int begin, int end);
