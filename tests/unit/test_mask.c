/* While the question of a lesson is open, no screen, picture or text of the explorer shows the
 * number that the question asks for. Every setting of the canned engine takes 6.3275 cycles. */
#include "check.h"

#include <ctype.h>
#include <locale.h>
#include <unistd.h>

#include "../screen/canned.h"
#include "base/data.h"
#include "base/text.h"
#include "explorer/command.h"
#include "lesson/lesson.h"
#include "ui/frontend.h"

static struct canned canned;
static struct explainer explainer;
static struct session *session;
static struct frontend front;
static char folder[] = "/tmp/slexplore-mask-XXXXXX";
static struct text seen; /* everything that the explorer showed or wrote */

/* The forms of the measured time: cycles, bytes a cycle, nanoseconds, GB/s. */
static const double of_cpe[] = { 6.3275, 8 / 6.3275, 6.3275 / 4.12, 8 * 4.12 / 6.3275, 0 };
/* The limits of combine with seven accumulators: the chain, and the ports. */
static const double of_limits[] = { 3 / 7.0, 4.5 / 7, 0 };

/* Counts the numbers in a text that are within 0.6 % of one of the values. Quartiles are. */
static int count_numbers(const char *text, const double *values)
{
	int count = 0;

	for (const char *at = text; *at;) {
		char *end;
		double number;

		if (!isdigit((unsigned char)*at)) {
			at++;
			continue;
		}
		number = strtod(at, &end);
		for (int i = 0; values[i] > 0; i++)
			/* A rounded whole number names nothing. */
			if (memchr(at, '.', (size_t)(end - at)) &&
				fabs(number / values[i] - 1) < 0.006) {
				count++;
				break;
			}
		at = end;
	}
	return count;
}

static void settle(void)
{
	for (int i = 0; i < 2000; i++) {
		session_advance(session, canned.now);
		if (session_idle(session))
			return;
		canned_pass(&canned, 0.05, -1);
	}
	fail_msg("the session is never idle");
}

static void command(const char *line)
{
	session_command(session, line, canned.now);
	settle();
	text_addf(&seen, "%s\n", session_screen(session)->notice);
	if (session_screen(session)->overlay != OVERLAY_PAGE)
		text_addf(&seen, "%s\n", session_screen(session)->text);
}

static void look(int width, int height)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	canvas_resize(&front.canvas, width, height);
	frontend_draw(&front, canned.now);
	canvas_print(&front.canvas, out);
	fclose(out);
	text_add(&seen, text);
	free(text);
}

static void read_back(const char *path)
{
	char *text = NULL;

	if (access(path, R_OK) == 0) {
		data_read(path, &text);
		text_add(&seen, text ? text : "");
		free(text);
		unlink(path);
	}
}

/* Looks at every panel at every size, and writes every kind of file. */
static const char *see_everything(void)
{
	static const char *const panels[] = { "curves", "limits", "ports", "counters", "code",
		"source", "timeline", "graph", "mountain", "probe", "windows", "sweep", "trials" };
	static const char *const lines[] = { "remedy", "limit latency", "limit ports", "why",
		"yank", "close", "pin", "knob acc +1", "knob acc -1", "pin swap", "pin swap",
		"find latency", "close", "lesson hint", "help", "close", "preset ilp",
		"preset memory", "preset code", "whatif 2x", "freeze", "freeze", "undo" };
	struct words gnuplot = words_of("%s/a.gp", folder), data = words_of("%s/a.dat", folder),
		     svg = words_of("%s/a.svg", folder);

	text_clear(&seen);
	for (size_t i = 0; i < sizeof(panels) / sizeof(panels[0]); i++) {
		command(words_of("view %s", panels[i]).text);
		look(80, 24);
		look(120, 40);
		look(200, 60);
		command(words_of("picture %s", gnuplot.text).text);
		read_back(gnuplot.text);
		read_back(data.text);
	}
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		command(lines[i]);
		look(120, 40);
	}
	command("present");
	look(80, 24);
	look(30, 9);
	look(16, 1);
	command("present");
	look(12, 2);
	session_command(session, words_of("screenshot to %s", svg.text).text, canned.now);
	frontend_shoot(&front, canned.now);
	read_back(svg.text);
	return text_string(&seen);
}

static void open_lesson(const char *question)
{
	struct words path = words_of("%s/a.lesson", folder);
	FILE *file = fopen(path.text, "w");

	fprintf(file,
		"title A test\nminutes 1\n\nstep One\n  A text.\n"
		"setting combine unroll=7 acc=7 op=mul\n%s\nexplain It took {cpe}.\n",
		question);
	fclose(file);
	command(words_of("lesson %s", path.text).text);
	assert_string_equal(session_screen(session)->notice, "");
}

static int begin(void **state)
{
	struct session_options options = { .seed = 1, .invocation = "" };
	struct engine engine = canned_engine(&canned);
	struct status status;

	canned_init(&canned, true);
	canned_counters(&canned, CANNED_CLOCK);
	canned_decode(&canned);
	canned.fixed = 6.3275;
	explainer = canned_explainer(&canned);
	options.explainer = &explainer;
	setting_init(&options.setting, kernel_find("combine"));
	session = session_new(&engine, &options);
	status = frontend_init(&front, session, 80, 24, false);
	settle();
	return status_is_ok(&status) ? 0 : 1;
}

static int end(void **state)
{
	frontend_free(&front);
	session_free(session);
	uarch_free(canned.uarch);
	text_free(&seen);
	return 0;
}

static int set_up(void **state)
{
	return (setlocale(LC_CTYPE, "C.UTF-8") || setlocale(LC_CTYPE, "en_US.UTF-8")) &&
			       mkdtemp(folder)
		       ? 0
		       : 1;
}

static int tear_down(void **state)
{
	unlink(words_of("%s/a.lesson", folder).text);
	return rmdir(folder);
}

TEST(the_search_finds_the_numbers_when_no_question_is_open)
{
	open_lesson("ask number cpe\n  How many cycles?");
	command("guess 5");
	see_everything();
	assert_true(count_numbers(text_string(&seen), of_cpe) > 100);
	assert_true(count_numbers(text_string(&seen), of_limits) > 20);
}

TEST(the_time_and_the_limits_near_it_are_hidden_while_a_question_asks_for_the_time)
{
	open_lesson("ask number cpe\n  How many cycles?");
	see_everything();
	assert_int_equal(count_numbers(text_string(&seen), of_cpe), 0);
	assert_int_equal(count_numbers(text_string(&seen), of_limits), 0);
}

TEST(a_lesson_can_show_the_limits_while_its_question_asks_for_the_time)
{
	open_lesson("show limits binding\nask number cpe\n  How many cycles?");
	see_everything();
	assert_int_equal(count_numbers(text_string(&seen), of_cpe), 0);
	assert_true(count_numbers(text_string(&seen), of_limits) > 10);
}

TEST(the_limits_are_hidden_everywhere_while_a_question_asks_which_one_binds)
{
	open_lesson("ask limit\n  Which limit binds?");
	see_everything();
	assert_int_equal(count_numbers(text_string(&seen), of_limits), 0);
	assert_true(count_numbers(text_string(&seen), of_cpe) > 50);
}

TEST(the_time_near_a_limit_is_hidden_while_a_question_asks_for_the_limit)
{
	open_lesson("ask number limit\n  How high is the limit?");
	see_everything();
	assert_int_equal(count_numbers(text_string(&seen), of_cpe), 0);
	assert_int_equal(count_numbers(text_string(&seen), of_limits), 0);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_set_up = begin, .each_tear_down = end)
