#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "lesson/class_guesses.h"
#include "lesson/class_report.h"
#include "lesson/lesson_class.h"
#include "lesson/lesson_progress.h"

static char folder[] = "/tmp/slexplore-class-XXXXXX";
static struct answers answers;
static struct text text;

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : 1;
}

static int end(void **state)
{
	(void)state;
	return rmdir(folder);
}

static int clear(void **state)
{
	(void)state;
	answers_free(&answers);
	text_free(&text);
	text = (struct text){ 0 };
	return 0;
}

static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Writes the answer of a student, and whether it is right. */
static void write_answer(FILE *file, const char *who, int step, const char *guess, double measured)
{
	struct answer answer = { .step = step, .measured = measured, .lo = NAN, .hi = NAN };

	set_words(answer.who, who);
	set_words(answer.lesson, "chains");
	set_words(answer.title, "One");
	set_words(answer.ask, "number");
	set_words(answer.guess, guess);
	set_words(answer.verdict, *guess ? strcmp(guess, "3") == 0 ? "right" : "wrong" : "skipped");
	snprintf(answer.truth, sizeof(answer.truth), "%.2f", measured);
	set_words(answer.machine, measured > 3.5 ? "Old core" : "New core");
	answer.number = *guess ? atof(guess) : NAN;
	assert_true(answers_write(file, &answer));
}

/* A wrong answer to the first step of "chains". */
static struct answer wrong_answer(const char *who, const char *ask, const char *guess)
{
	struct answer answer = { .step = 1, .number = NAN, .measured = 3, .lo = NAN, .hi = NAN };

	set_words(answer.who, who);
	set_words(answer.lesson, "chains");
	set_words(answer.ask, ask);
	set_words(answer.guess, guess);
	set_words(answer.verdict, "wrong");
	return answer;
}

static char *course[] = { (char[]){ "cycles" }, (char[]){ "chains" }, NULL };

/* The questions come in the order of the course, and not of the alphabet; other lessons follow. */
TEST(answers_are_in_the_order_of_the_course)
{
	static const char *const lessons[] = { "a", "chains", "cycles", "b" };
	static const char *const sorted[] = { "cycles", "chains", "a", "b" };
	FILE *file = fopen(path_of("o.jsonl"), "w");

	for (int i = 0; i < 4; i++) {
		struct answer answer = wrong_answer("w", "number", "3");

		set_words(answer.lesson, lessons[i]);
		assert_true(answers_write(file, &answer));
	}
	fclose(file);
	check_ok(answers_read(&answers, folder));
	class_sort(&answers, course);
	for (int i = 0; i < 4; i++)
		assert_string_equal(answers.answer[i].lesson, sorted[i]);
	unlink(path_of("o.jsonl"));
}

TEST(answers_are_counted_by_question_and_guess)
{
	struct class_question question;
	FILE *file = fopen(path_of("a.jsonl"), "w");
	int next;

	write_answer(file, "anna", 2, "1", 3.0);
	write_answer(file, "anna", 1, "3", 3.0);
	write_answer(file, "anna", 1, "4", 3.1);
	write_answer(file, "ben", 1, "", 4.0);
	write_answer(file, "eva", 1, "3", 4.2);
	fputs("{\"record\":\"answer\"}\nno answer\n\x1b[31m\n{\"half", file);
	fclose(file);
	check_ok(answers_read(&answers, folder));
	assert_int_equal(answers.count, 4);
	assert_int_equal(answers.files, 1);
	assert_int_equal(answers.refused, 3);
	class_sort(&answers, course);
	next = class_question(&answers, 0, &question);
	assert_int_equal(next, 3);
	/* The second answer of one student replaces the first one. */
	assert_int_equal(question.students, 3);
	assert_int_equal(question.right, 1);
	assert_int_equal(question.wrong, 1);
	assert_int_equal(question.skipped, 1);
	class_text(&answers, &text);
	check_parts(text_string(&text), "chains, step 1: One", "1 right, 1 wrong, 1 skipped",
		"2 on Old core: 4.00 to 4.20", "no answers: 3 lines");
	text_clear(&text);
	class_csv(&answers, &text);
	check_parts(text_string(&text), "\"chains\",1,\"One\",3,1,1,1,\"3\",1\n",
		"\"chains\",2,\"One\",1,0,1,0,\"1\",1\n");
	unlink(path_of("a.jsonl"));
}

/* A file that another program wrote may have an answer without a guess. Options that nobody chose
 * are listed all the same. */
TEST(answers_without_a_guess_are_counted)
{
	FILE *file = fopen(path_of("g.jsonl"), "w");
	struct answer answer = { .step = 1, .measured = NAN, .lo = NAN, .hi = NAN, .choice = 1 };

	set_words(answer.who, "w");
	set_words(answer.lesson, "chains");
	set_words(answer.title, "One product");
	set_words(answer.ask, "choice");
	set_words(answer.verdict, "undecided");
	assert_true(answers_write(file, &answer));
	/* A choice that no question has. */
	fputs("{\"record\":\"answer\",\"who\":\"k\",\"lesson\":\"chains\",\"step\":1,\"verdict\":"
	      "\"wrong\",\"choice\":2147483648}\n",
		file);
	fclose(file);
	check_ok(answers_read(&answers, path_of("g.jsonl")));
	assert_int_equal(answers.count, 2);
	assert_int_equal(answers.answer[1].choice, 0);
	class_sort(&answers, course);
	class_text(&answers, &text);
	check_contains(text_string(&text), "0    more than 2");
	check_contains(text_string(&text), "How many cycles does the loop take for one element?");
	unlink(path_of("g.jsonl"));
}

/* Students are whole, and one student is no students. */
TEST(pictures_count_students_in_whole_numbers)
{
	FILE *file = fopen(path_of("p.jsonl"), "w");
	struct answer answer = { .step = 1, .measured = 3, .lo = NAN, .hi = NAN, .number = 3 };
	struct scale_tick ticks[SCALE_TICKS];
	struct chart *chart;
	int count;

	set_words(answer.who, "p");
	set_words(answer.lesson, "pictures");
	set_words(answer.title, "One");
	set_words(answer.guess, "3");
	set_words(answer.verdict, "right");
	assert_true(answers_write(file, &answer));
	fclose(file);
	check_ok(answers_read(&answers, path_of("p.jsonl")));
	chart = class_chart(&answers, 0, answers.count);
	check_contains(chart->subtitle, "step 1: 1 student, 1 right");
	count = scale_ticks(&chart->y.scale, 40, NULL, NULL, ticks);
	assert_int_equal(count, 2);
	assert_string_equal(ticks[0].label, "0");
	assert_string_equal(ticks[1].label, "1");
	chart_free(chart);
	unlink(path_of("p.jsonl"));
}

/* A student who starts the program again has another random word, but the same name. */
TEST(equal_names_in_one_file_are_one_student)
{
	static const char *const words[] = { "a", "b", "c", "d" };
	FILE *file = fopen(path_of("n.jsonl"), "w");

	for (int i = 0; i < 4; i++) {
		struct answer answer = wrong_answer(words[i], "number", words[i]);

		set_words(answer.name, i < 2 ? "Anna" : "");
		assert_true(answers_write(file, &answer));
	}
	fclose(file);
	check_ok(answers_read(&answers, folder));
	assert_int_equal(answers.count, 3);
	assert_string_equal(answers.answer[0].guess, "b");
	unlink(path_of("n.jsonl"));
}

/* The counts of the guesses of 40 students are those that this test computes itself. */
TEST(the_guesses_of_a_class_are_counted_exactly)
{
	FILE *file = fopen(path_of("c.jsonl"), "w");
	int counted[50] = { 0 }, joined = 0;
	struct class_guesses guesses;
	struct class_measured measured;

	for (int i = 0; i < 40; i++) {
		int guess = i * i % 47 + 1;

		write_answer(file, words_of("student %d", i).text, 1, words_of("%d", guess).text,
			3 + 0.01 * i);
		counted[guess]++;
	}
	fclose(file);
	check_ok(answers_read(&answers, path_of("c.jsonl")));
	class_sort(&answers, course);
	guesses = class_guesses_of(&answers, 0, 40);
	assert_true(guesses.numbers);
	for (int i = 0; i < guesses.count; i++) {
		assert_int_equal(guesses.guess[i].count, counted[(int)guesses.guess[i].low]);
		assert_true(i == 0 || guesses.guess[i].low > guesses.guess[i - 1].low);
	}
	class_guesses_join(&guesses, 6);
	assert_int_equal(guesses.count, 6);
	for (int i = 0; i < 6; i++)
		joined += guesses.guess[i].count;
	assert_int_equal(joined, 40);
	class_guesses_free(&guesses);
	class_measured_of(&answers, 0, 40, &measured);
	check_near(measured.median, 3.19, 1e-9);
	assert_string_equal(measured.usual, "3.19");
	class_csv(&answers, &text);
	for (int guess = 1; guess < 50; guess++)
		if (counted[guess])
			check_contains(text_string(&text),
				words_of(",\"%d\",%d\n", guess, counted[guess]).text);
	unlink(path_of("c.jsonl"));
}

TEST(chosen_answers_have_the_order_of_the_question)
{
	static const char *const words[] = { "never", "always", "sometimes" };
	FILE *file = fopen(path_of("d.jsonl"), "w");
	struct class_guesses guesses;

	for (int i = 2; i >= 0; i--) {
		struct answer answer = wrong_answer(words[i], "", words[i]);

		answer.choice = i + 1;
		assert_true(answers_write(file, &answer));
	}
	fclose(file);
	check_ok(answers_read(&answers, path_of("d.jsonl")));
	guesses = class_guesses_of(&answers, 0, 3);
	for (int i = 0; i < 3; i++)
		assert_string_equal(guesses.guess[i].words, words[i]);
	class_guesses_free(&guesses);
	unlink(path_of("d.jsonl"));
}

/* Of the question's words, measured values are left open, because they differ between machines. The
 * question of another version of the lesson is not known. */
TEST(reports_have_the_words_of_the_question)
{
	struct answer answer = { .step = 3 };

	set_words(answer.lesson, "chains");
	set_words(answer.title, "Two accumulators");
	assert_string_equal(class_prompt(&answer).text,
		"One accumulator took … cycles for an element. How many cycles with two?");
	set_words(answer.title, "Another step");
	assert_string_equal(class_prompt(&answer).text, "");
	set_words(answer.lesson, "../chains");
	assert_string_equal(class_prompt(&answer).text, "");
}

/* The lesson's file has the answers that nobody chose. A title that is not the step's means that
 * the answers are from another version of the lesson. */
TEST(answers_that_nobody_chose_are_listed_with_no_student)
{
	static const char *const titles[] = { "One product", "Another step" };

	for (int other = 0; other < 2; other++) {
		FILE *file = fopen(path_of("e.jsonl"), "w");
		struct class_guesses guesses;
		struct answer answer = wrong_answer("x", "choice", "the second one");

		answer.choice = 2;
		set_words(answer.title, titles[other]);
		assert_true(answers_write(file, &answer));
		fclose(file);
		check_ok(answers_read(&answers, path_of("e.jsonl")));
		guesses = class_guesses_of(&answers, 0, 1);
		assert_int_equal(guesses.count, other ? 1 : 3);
		for (int i = 0; i < guesses.count && !other; i++) {
			assert_int_equal(guesses.guess[i].choice, i + 1);
			assert_int_equal(guesses.guess[i].count, i == 1);
		}
		class_guesses_free(&guesses);
		answers_free(&answers);
		unlink(path_of("e.jsonl"));
	}
}

TEST(words_of_other_people_are_shown_and_not_sent)
{
	FILE *file = fopen(path_of("b.jsonl"), "w");

	write_answer(file, "x", 1, "=1+\"\033[31m", 3);
	fclose(file);
	check_ok(answers_read(&answers, path_of("b.jsonl")));
	class_csv(&answers, &text);
	class_text(&answers, &text);
	assert_null(strchr(text_string(&text), '\033'));
	check_contains(text_string(&text), "\" =1+\"\"");
	unlink(path_of("b.jsonl"));
	assert_int_equal(answers_read(&answers, path_of("none")).code, STATUS_USAGE);
}

TEST(progress_is_kept_in_the_users_folder)
{
	setenv("SLEXPLORE_DATA", folder, 1);
	assert_int_equal(lesson_progress("chains"), 0);
	lesson_progress_keep("chains", 3);
	lesson_progress_keep("caches", 1);
	lesson_progress_keep("chains", 2);
	assert_int_equal(lesson_progress("chains"), 3);
	assert_int_equal(lesson_progress("caches"), 1);
	unlink(path_of("lessons/progress"));
	rmdir(path_of("lessons"));
	unsetenv("SLEXPLORE_DATA");
}

RUN_TESTS(.set_up = begin, .tear_down = end, .each_tear_down = clear)
