#include "lesson/lesson_class.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lesson/class_guesses.h"

/* GUESSES: the most different guesses that the report lists. */
enum { GUESSES = 24, BAR = 30, INDENT = 2 };

static bool same_question(const struct answer *a, const struct answer *b)
{
	return strcmp(a->lesson, b->lesson) == 0 && a->step == b->step;
}

/* The index of a lesson in the course; lessons that are not in the course come after it. */
static int place_in_course(const char *lesson, char *const *course)
{
	int place = 0;

	while (course[place] && strcmp(course[place], lesson) != 0)
		place++;
	return place;
}

static int compare_answers(const void *a, const void *b, void *course)
{
	const struct answer *left = a, *right = b;
	int places = place_in_course(left->lesson, course) - place_in_course(right->lesson, course);
	int names = strcmp(left->lesson, right->lesson);

	return places != 0 ? places : names != 0 ? names : left->step - right->step;
}

void class_sort(struct answers *answers, char *const *course)
{
	if (answers->count > 1)
		qsort_r(answers->answer, (size_t)answers->count, sizeof(*answers->answer),
			compare_answers, (void *)course);
}

int class_question(const struct answers *answers, int begin, struct class_question *question)
{
	int end = begin;

	*question = (struct class_question){ .first = &answers->answer[begin] };
	for (; end < answers->count && same_question(question->first, &answers->answer[end]);
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

static void add_histogram(struct text *text, struct class_guesses *guesses, int skipped)
{
	int most;

	class_guesses_rank(guesses);
	class_guesses_join(guesses, GUESSES);
	most = class_guesses_most(guesses);
	most = skipped > most ? skipped : most;
	for (int i = 0; i < guesses->count; i++) {
		const struct class_guess *guess = &guesses->guess[i];

		text_addf(text, "  %4d  %.*s  %s\n", guess->count,
			(guess->count * BAR + most - 1) / most, "##############################",
			class_guess_words(guess).text);
	}
	if (skipped)
		text_addf(text, "  %4d  skipped\n", skipped);
}

/* Adds the measured values of the machines of one kind. */
static void add_machine(struct text *text, const struct class_machine *machine)
{
	text_addf(text, "  %4d on ", machine->count);
	text_add_clean(text, machine->name[0] ? machine->name : "an unknown machine", 96);
	text_addf(text, ": %s%s", class_machine_words(machine).text,
		machine->differs ? "  (differs from most)" : "");
	if (machine->doubtful)
		text_addf(text, "  (%d of the measurements are doubtful)", machine->doubtful);
	text_add(text, "\n");
}

/* Adds the words of the question, if this machine has its lesson. */
static void add_prompt(struct text *text, const struct answer *answer)
{
	struct text_wrap wrap = { .columns = TEXT_COLUMNS - INDENT };
	struct words prompt = class_prompt(answer);

	for (const char *rest = prompt.text; *rest;) {
		const char *line = rest;
		size_t bytes = text_line(&wrap, line, &rest);

		text_addf(text, "\n%*s%.*s", INDENT, "", (int)bytes, line);
	}
}

static void add_question(struct text *text, const struct answers *answers, int begin, int end,
	const struct class_question *question)
{
	struct class_guesses guesses = class_guesses_of(answers, begin, end);
	struct class_measured measured;

	text_add_clean(text, question->first->lesson, 64);
	text_addf(text, ", step %d: ", question->first->step);
	text_add_clean(text, question->first->title, 80);
	add_prompt(text, question->first);
	text_addf(text, "\n  %d answer%s: %d right, %d wrong, %d skipped", question->students,
		question->students == 1 ? "" : "s", question->right, question->wrong,
		question->skipped);
	if (question->other)
		text_addf(text, ", %d not judged", question->other);
	text_add(text, "\n");
	add_histogram(text, &guesses, question->skipped);
	class_guesses_free(&guesses);
	text_add(text, "  measured:\n");
	class_measured_of(answers, begin, end, &measured);
	for (int i = 0; i < measured.count; i++)
		add_machine(text, &measured.machine[i]);
	if (measured.others)
		text_addf(text, "  %4d on other machines\n", measured.others);
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
	text_add(text, answers->count ? "\n"
				      : ": students write them with slexplore lesson NAME --record "
					"FILE.jsonl\n");
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

	text_add(text, "lesson,step,title,students,right,wrong,skipped,guess,count\n");
	for (int begin = 0, end; begin < answers->count; begin = end) {
		struct class_guesses guesses;

		end = class_question(answers, begin, &question);
		guesses = class_guesses_of(answers, begin, end);
		class_guesses_rank(&guesses);
		for (int i = 0; i < guesses.count || i == 0; i++) {
			add_field(text, question.first->lesson);
			text_addf(text, ",%d,", question.first->step);
			add_field(text, question.first->title);
			text_addf(text, ",%d,%d,%d,%d,", question.students, question.right,
				question.wrong, question.skipped);
			add_field(text, guesses.count ? guesses.guess[i].words : "");
			text_addf(text, ",%d\n", guesses.count ? guesses.guess[i].count : 0);
		}
		class_guesses_free(&guesses);
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
	answer->choice = guess->skipped ? 0 : guess->choice + 1;
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
