/* The screen of a class: files of answers that change while they are followed, and what the screen
 * shows before and after the teacher reveals the measured values. */
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drawn.h"
#include "recording/answers_follow.h"
#include "ui/class_view.h"
#include "ui/keys.h"

static char folder[] = "/tmp/slexplore-live-XXXXXX";
static struct answers_follow *follow;
static struct canvas canvas;
static double now;

static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Replaces the text of a file. */
static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	fputs(text, file);
	fclose(file);
}

#define ANSWER(who, step, guess, verdict, measured)                                      \
	"{\"record\":\"answer\",\"version\":1,\"who\":\"" who "\",\"name\":\"" who       \
	"\",\"lesson\":\"chains\",\"step\":" #step                                       \
	",\"title\":\"Two accumulators\",\"guess\":\"" guess "\",\"number\":" guess      \
	",\"verdict\":\"" verdict "\",\"truth\":\"" measured "\",\"measured\":" measured \
	",\"machine\":\"A core\"}\n"

static char *course[] = { NULL };

/* Checks the files one second later, when the next check is due. */
static bool look(void)
{
	bool changed;

	now += 1;
	changed = answers_follow_update(follow, now);
	class_sort(answers_follow_all(follow), course);
	return changed;
}

static int count(void)
{
	return answers_follow_all(follow)->count;
}

static int begin(void **state)
{
	char *paths[] = { folder };
	static char *kept[1];

	(void)state;
	kept[0] = paths[0];
	check_ok(answers_follow_new(kept, 1, &follow));
	canvas_init(&canvas, 80, 24, false);
	return 0;
}

static int end(void **state)
{
	(void)state;
	answers_follow_free(follow);
	canvas_free(&canvas);
	return system(words_of("rm -rf %s/*", folder).text);
}

static int set_up(void **state)
{
	(void)state;
	return setlocale(LC_CTYPE, "C.UTF-8") && mkdtemp(folder) ? 0 : 1;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

TEST(files_that_appear_grow_shrink_and_vanish_are_followed)
{
	assert_false(look());
	write_file("a.jsonl", ANSWER("anna", 1, "3", "right", "3.02") "{\"record\":\"ans");
	write_file("notes.txt", ANSWER("none", 1, "3", "right", "3.02"));
	assert_true(look());
	assert_int_equal(count(), 1);
	assert_int_equal(answers_follow_all(follow)->refused, 0);
	assert_false(look());
	/* The half-written line is complete now; another student's line is no answer. */
	write_file("a.jsonl",
		ANSWER("anna", 1, "3", "right", "3.02") ANSWER("anna", 2, "1", "wrong", "1.51"));
	write_file("\033[31mb\n.jsonl", "{\"record\":\"answer\"}\n");
	assert_true(look());
	assert_int_equal(count(), 2);
	assert_int_equal(answers_follow_all(follow)->refused, 1);
	write_file("a.jsonl", ANSWER("anna", 1, "4", "wrong", "3.02"));
	assert_true(look());
	assert_int_equal(count(), 1);
	unlink(path_of("a.jsonl"));
	assert_true(look());
	assert_int_equal(count(), 0);
	/* A pipe must not stop the program. */
	mkfifo(path_of("c.jsonl"), 0600);
	assert_false(look());
}

TEST(the_system_reports_a_change_before_the_next_look_is_due)
{
	if (answers_follow_descriptor(follow) < 0)
		skip();
	look();
	write_file("a.jsonl", ANSWER("anna", 1, "3", "right", "3.02"));
	assert_false(answers_follow_update(follow, now));
	assert_true(answers_follow_next(follow, now) < 0.1);
	assert_true(answers_follow_update(follow, now + 0.1));
}

TEST(answers_stay_while_the_folder_cannot_be_read)
{
	struct words away = words_of("%s-away", folder);

	write_file("a.jsonl", ANSWER("anna", 1, "3", "right", "3.02"));
	look();
	assert_int_equal(rename(folder, away.text), 0);
	look();
	assert_int_equal(count(), 1);
	assert_true(answers_follow_trouble(follow)[0]);
	assert_int_equal(rename(away.text, folder), 0);
	look();
	assert_int_equal(count(), 1);
	assert_string_equal(answers_follow_trouble(follow), "");
}

static const char *screen_of(bool revealed, int width, int height)
{
	struct class_question question;
	struct class_view class = { .answers = answers_follow_all(follow),
		.revealed = revealed,
		.folder = folder,
		.message = "",
		.trouble = "" };

	if (class.answers->count)
		class.end = class_question(class.answers, 0, &question);
	canvas_resize(&canvas, width, height);
	class_draw(&canvas, &class);
	return printed(&canvas);
}

TEST(the_measured_values_are_hidden_until_the_teacher_reveals_them)
{
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 }, { 40, 12 },
		{ 20, 5 } };

	write_file("a.jsonl",
		ANSWER("anna", 1, "3", "right", "3.02") ANSWER("anna", 2, "1", "wrong", "1.51"));
	write_file("b.jsonl", ANSWER("ben", 1, "7", "wrong", "3.02"));
	write_file("c.jsonl", ANSWER("eva", 2, "5", "wrong", "1.51"));
	look();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const char *screen = screen_of(false, sizes[i][0], sizes[i][1]);

		assert_null(strstr(screen, "3.02"));
		assert_null(strstr(screen, "right"));
	}
	check_parts(screen_of(false, 80, 24), "Two accumulators", "answers to step  1: 2",
		"of 3 answered", "not yet: eva");
	/* On a small screen, whole words are omitted, and no number is cut. */
	check_contains(screen_of(true, 20, 5), " 2 of 3   3.02\n");
	check_parts(screen_of(true, 80, 24), "1  right", "3.02 on 2 × A core");
}

TEST(a_measured_answer_that_nobody_chose_is_marked)
{
	write_file("a.jsonl", "{\"record\":\"answer\",\"version\":1,\"who\":\"anna\",\"name\":"
			      "\"anna\",\"lesson\":"
			      "\"chains\",\"step\":1,\"title\":\"One "
			      "product\",\"ask\":\"choice\",\"guess\":\"less "
			      "than 1: several begin in each "
			      "cycle\",\"choice\":1,\"verdict\":\"wrong\",\"truth\":"
			      "\"more than 2\",\"machine\":\"A core\"}\n");
	look();
	check_contains(screen_of(true, 80, 24), "0  measured");
	/* The words of the question are on the screen, where it has room for them. */
	check_contains(screen_of(false, 80, 24),
		"\n How many cycles does the loop take for one element?\n");
	assert_null(strstr(screen_of(false, 40, 12), "How many"));
	assert_null(strstr(screen_of(false, 80, 24), "0  measured"));
}

/* Each guess is judged by the measurement on the student's own machine. */
TEST(only_students_whose_guess_was_right_are_counted_as_right)
{
	write_file("a.jsonl", ANSWER("anna", 1, "1.5", "right", "1.52"));
	write_file("b.jsonl", ANSWER("ben", 1, "1.5", "wrong", "2.01"));
	write_file("c.jsonl", ANSWER("eva", 1, "1.5", "right", "1.51"));
	look();
	check_contains(screen_of(true, 80, 24), "3  (2 right)");
	assert_null(strstr(screen_of(false, 80, 24), "right)"));
}

TEST(no_answers_no_crash_and_every_named_key_acts)
{
	check_contains(screen_of(false, 80, 24), "No answers yet");
	screen_of(true, 1, 1);
	assert_int_equal(class_act_of('r'), CLASS_REVEAL);
	assert_int_equal(class_act_of(KEYCODE_PAGEDOWN), CLASS_NEXT);
	assert_int_equal(class_act_of('z'), CLASS_NOTHING);
	/* A key that closes things elsewhere must not end the projected screen. */
	assert_int_equal(class_act_of(KEYCODE_ESC), CLASS_NOTHING);
	assert_int_equal(class_act_of('q'), CLASS_QUIT);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_set_up = begin, .each_tear_down = end)
