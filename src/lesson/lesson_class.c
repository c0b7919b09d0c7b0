#include "lesson/lesson_class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

/* GROUPS: the most different guesses, or different machines, of one question that the class report
 * lists. */
enum { GROUPS = 24, BAR = 30 };

/* Students' answers that share the same words: the guess, or the machine with its right answer. */
struct group {
	const char *words;
	double number; /* the guess as a number, by which groups are sorted; NAN: groups are sorted
			  by their count */
	int count;
};

struct groups {
	int count, others; /* others: number of answers that fit in no group, because the array is
			      full */
	struct group group[GROUPS];
};

static int compare_answers(const void *a, const void *b)
{
	const struct answer *left = a, *right = b;
	int order = strcmp(left->lesson, right->lesson);

	return order != 0 ? order : left->step - right->step;
}

void class_sort(struct answers *answers)
{
	if (answers->count > 1)
		qsort(answers->answer, (size_t)answers->count, sizeof(*answers->answer),
			compare_answers);
}

int class_question(const struct answers *answers, int begin, struct class_question *question)
{
	int end = begin;

	*question = (struct class_question){ .first = &answers->answer[begin] };
	for (; end < answers->count && compare_answers(question->first, &answers->answer[end]) == 0;
		end++) {
		const char *verdict = answers->answer[end].verdict;

		question->students++;
		if (strcmp(verdict, "right") == 0)
			question->right++;
		else if (strcmp(verdict, "wrong") == 0)
			question->wrong++;
		else if (strcmp(verdict, "skipped") == 0)
			question->skipped++;
		else
			question->other++;
	}
	return end;
}

static void add_to_group(struct groups *groups, const char *words, double number)
{
	for (int i = 0; i < groups->count; i++)
		if (strcmp(groups->group[i].words, words) == 0) {
			groups->group[i].count++;
			return;
		}
	if (groups->count == GROUPS)
		groups->others++;
	else
		groups->group[groups->count++] = (struct group){ words, number, 1 };
}

/* Sorts guesses that are numbers in ascending order, and guesses that are words by the number of
 * students who gave them. */
static int compare_groups(const void *a, const void *b)
{
	const struct group *left = a, *right = b;

	if (isfinite(left->number) && isfinite(right->number))
		return (left->number > right->number) - (left->number < right->number);
	if (isfinite(left->number) != isfinite(right->number))
		return isfinite(left->number) ? -1 : 1;
	return left->count != right->count ? right->count - left->count
					   : strcmp(left->words, right->words);
}

static void group_guesses(const struct answers *answers, int begin, int end, struct groups *groups)
{
	groups->count = groups->others = 0;
	for (int i = begin; i < end; i++) {
		const struct answer *answer = &answers->answer[i];

		if (answer->guess[0])
			add_to_group(groups, answer->guess, answer->number);
	}
	qsort(groups->group, (size_t)groups->count, sizeof(*groups->group), compare_groups);
}

static void add_histogram(struct text *text, const struct groups *groups, int skipped)
{
	int most = skipped;

	for (int i = 0; i < groups->count; i++)
		most = groups->group[i].count > most ? groups->group[i].count : most;
	for (int i = 0; i < groups->count; i++) {
		int bar = (groups->group[i].count * BAR + most - 1) / most;

		text_addf(text, "  %4d  %.*s  ", groups->group[i].count, bar,
			"##############################");
		text_add_clean(text, groups->group[i].words, 120);
		text_add(text, "\n");
	}
	if (groups->others)
		text_addf(text, "  %4d  other guesses\n", groups->others);
	if (skipped)
		text_addf(text, "  %4d  skipped\n", skipped);
}

/* Adds the measured values of one machine, from all students' answers to one question. */
static void add_machine(struct text *text, const struct answers *answers, int begin, int end,
	const struct group *machine, const char *usual)
{
	double low = NAN, high = NAN;
	const char *truth = "", *differs = "";
	int doubtful = 0;

	for (int i = begin; i < end; i++) {
		const struct answer *answer = &answers->answer[i];

		if (strcmp(answer->machine, machine->words) != 0)
			continue;
		low = fmin(low, answer->measured);
		high = fmax(high, answer->measured);
		doubtful += answer->doubt[0] != '\0';
		if (answer->truth[0])
			truth = answer->truth;
		if (answer->truth[0] && usual && strcmp(answer->truth, usual) != 0)
			differs = answer->truth;
	}
	text_addf(text, "  %4d on ", machine->count);
	text_add_clean(text, machine->words[0] ? machine->words : "an unknown machine", 96);
	text_add(text, ": ");
	if (isfinite(low) && low < high)
		text_addf(text, "%s to %s", units_cycles(low).text, units_cycles(high).text);
	else if (isfinite(low))
		text_add(text, units_cycles(low).text);
	else
		text_add_clean(text, *differs ? differs : *truth ? truth : "nothing measured", 120);
	if (*differs)
		text_add(text, "  (differs from most)");
	if (doubtful)
		text_addf(text, "  (%d of the measurements are doubtful)", doubtful);
	text_add(text, "\n");
}

/* Returns the right answer that most machines gave to a question; NULL: the question asks for a
 * number. */
static const char *usual_truth(
	const struct answers *answers, int begin, int end, struct groups *groups)
{
	groups->count = groups->others = 0;
	for (int i = begin; i < end; i++) {
		const struct answer *answer = &answers->answer[i];

		if (isfinite(answer->measured))
			return NULL;
		if (answer->truth[0])
			add_to_group(groups, answer->truth, NAN);
	}
	qsort(groups->group, (size_t)groups->count, sizeof(*groups->group), compare_groups);
	return groups->count > 0 ? groups->group[0].words : NULL;
}

static void add_question(struct text *text, const struct answers *answers, int begin, int end,
	const struct class_question *question)
{
	struct groups groups;
	const char *usual;

	text_add_clean(text, question->first->lesson, 64);
	text_addf(text, ", step %d: ", question->first->step);
	text_add_clean(text, question->first->title, 80);
	text_addf(text, "\n  %d answer%s: %d right, %d wrong, %d skipped", question->students,
		question->students == 1 ? "" : "s", question->right, question->wrong,
		question->skipped);
	if (question->other)
		text_addf(text, ", %d not judged", question->other);
	text_add(text, "\n");
	group_guesses(answers, begin, end, &groups);
	add_histogram(text, &groups, question->skipped);
	text_add(text, "  measured:\n");
	usual = usual_truth(answers, begin, end, &groups);
	groups.count = groups.others = 0;
	for (int i = begin; i < end; i++)
		add_to_group(&groups, answers->answer[i].machine, NAN);
	qsort(groups.group, (size_t)groups.count, sizeof(*groups.group), compare_groups);
	for (int i = 0; i < groups.count; i++)
		add_machine(text, answers, begin, end, &groups.group[i], usual);
	if (groups.others)
		text_addf(text, "  %4d on other machines\n", groups.others);
}

void class_text(const struct answers *answers, struct text *text)
{
	struct class_question question;

	for (int begin = 0, end; begin < answers->count; begin = end) {
		end = class_question(answers, begin, &question);
		if (begin > 0)
			text_add(text, "\n");
		add_question(text, answers, begin, end, &question);
	}
	text_addf(text, "%s%d answer%s in %d file%s", answers->count ? "\n" : "", answers->count,
		answers->count == 1 ? "" : "s", answers->files, answers->files == 1 ? "" : "s");
	if (answers->refused)
		text_addf(text, "; not used, because they are no answers: %d line%s",
			answers->refused, answers->refused == 1 ? "" : "s");
	text_add(text, "\n");
}

/* Adds a CSV field in quotation marks. A field that begins like a formula gets a blank, so that a
 * spreadsheet does not compute it. */
static void add_field(struct text *text, const char *words)
{
	struct text clean = { 0 };

	text_add_clean(&clean, words, 200);
	text_add(text, strchr("=+-@", *text_string(&clean)) && clean.length ? "\" " : "\"");
	for (const char *c = text_string(&clean); *c; c++)
		text_addn(text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
	text_add(text, "\"");
	text_free(&clean);
}

void class_csv(const struct answers *answers, struct text *text)
{
	struct class_question question;
	struct groups groups;

	text_add(text, "lesson,step,title,students,right,wrong,skipped,guess,count\n");
	for (int begin = 0, end; begin < answers->count; begin = end) {
		end = class_question(answers, begin, &question);
		group_guesses(answers, begin, end, &groups);
		for (int i = 0; i < groups.count || i == 0; i++) {
			add_field(text, question.first->lesson);
			text_addf(text, ",%d,", question.first->step);
			add_field(text, question.first->title);
			text_addf(text, ",%d,%d,%d,%d,", question.students, question.right,
				question.wrong, question.skipped);
			add_field(text, groups.count ? groups.group[i].words : "");
			text_addf(text, ",%d\n", groups.count ? groups.group[i].count : 0);
		}
	}
}

void class_answer(const struct lesson *lesson, int step, const struct lesson_guess *guess,
	const struct lesson_judgement *judgement, const char *machine, struct answer *answer)
{
	static const char *const asks[] = { "", "number", "choice", "faster", "limit", "knee",
		"text" };
	const time_t now = time(NULL);
	struct tm utc;

	answer->step = step + 1;
	text_copy_clean(answer->lesson, sizeof(answer->lesson), lesson->name);
	text_copy_clean(answer->title, sizeof(answer->title), lesson->step[step].title);
	snprintf(answer->ask, sizeof(answer->ask), "%s", asks[lesson->step[step].question.ask]);
	text_copy_clean(answer->guess, sizeof(answer->guess), guess->skipped ? "" : guess->text);
	answer->number = guess->skipped ? NAN : guess->number;
	snprintf(answer->verdict, sizeof(answer->verdict), "%s",
		lesson_verdict_names[judgement->verdict]);
	text_copy_clean(answer->truth, sizeof(answer->truth), judgement->truth);
	answer->measured = judgement->measured;
	answer->lo = judgement->lo;
	answer->hi = judgement->hi;
	text_copy_clean(
		answer->doubt, sizeof(answer->doubt), judgement->doubt ? judgement->doubt : "");
	text_copy_clean(answer->machine, sizeof(answer->machine), machine);
	gmtime_r(&now, &utc);
	strftime(answer->time, sizeof(answer->time), "%Y-%m-%dT%H:%M:%SZ", &utc);
}
