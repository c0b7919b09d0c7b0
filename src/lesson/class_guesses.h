/* The guesses and the measured values of one question, from the answers of a class. Pure.
 *
 * The answers of a question are those from `begin` to `end` (class_question()). All strings are
 * borrowed from the answers. */
#pragma once

#include "base/text.h"
#include "recording/answers.h"

/* Equal guesses, or neighbouring numbers that are shown together. */
struct class_guess {
	const char *words, *last; /* the guess; `last`: the highest of the joined numbers */
	double low, high;	  /* the numbers of the guess; NAN: the guess is no number */
	int count, right;	  /* students with this guess; those whose guess is right */
	int joined;		  /* number of different guesses, from 1 */
	int choice; /* the number of the chosen answer, from 1; 0: there is no list of answers */
};

struct class_guesses {
	int count;
	struct class_guess *guess;
	bool numbers; /* all guesses are numbers, in ascending order */
};

/* Finds the different guesses: numbers in ascending order, chosen answers in the order of the
 * question, other words by their alphabet. End with
 * class_guesses_free(). */
struct class_guesses class_guesses_of(const struct answers *answers, int begin, int end);
void class_guesses_free(struct class_guesses *guesses);

/* Puts the most frequent guesses first. Numbers keep their order. */
void class_guesses_rank(struct class_guesses *guesses);
/* Joins guesses until there are at most `most` (from 1): the numbers that are nearest to each
 * other, or the last ones of the words. */
void class_guesses_join(struct class_guesses *guesses, int most);
/* Returns the largest number of students with one guess. */
int class_guesses_most(const struct class_guesses *guesses);
/* Returns the words of a guess, safe to show: "3", "2.9 to 3.1", "4 other guesses". */
struct words class_guess_words(const struct class_guess *guess);

/* What the machines of one kind measured. */
struct class_machine {
	const char *name;
	/* The measured values in words, lowest and highest, or the right answer. */
	const char *truth, *high_truth;
	int count; /* students with this machine */
	double low,
		high; /* the range of the measured values; NAN: the question asks for no number */
	int doubtful; /* students whose measurement was doubtful */
	bool differs; /* the right answer is not that of most students */
};

enum { CLASS_MACHINES = 24 };

struct class_measured {
	double median;	   /* of all students; NAN: the question asks for no number */
	const char *usual; /* the median in words, or the right answer of most students; "": none */
	int count, others; /* others: students whose machines are not listed */
	struct class_machine machine[CLASS_MACHINES]; /* the most frequent machines first */
};

void class_measured_of(
	const struct answers *answers, int begin, int end, struct class_measured *measured);
/* Returns words from an answer, safe to show. */
struct words class_words(const char *words);
/* Returns what a machine measured, safe to show: "2.98 to 3.05", "twice as fast". */
struct words class_machine_words(const struct class_machine *machine);

/* The students who answered any question of a lesson. */
struct class_students {
	int all, done;	     /* done: students who answered this question */
	struct text missing; /* the names of the others, as far as they gave one, with commas
				between */
};

/* Counts the students of the question's lesson. End with text_free(&students.missing). */
struct class_students class_students_of(const struct answers *answers, int begin, int end);
