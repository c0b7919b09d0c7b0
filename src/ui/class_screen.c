/* The screen of a class: follows files of answers, and shows one question after another. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/monotonic.h"
#include "recording/answers_follow.h"
#include "ui/class_view.h"
#include "ui/keys.h"
#include "ui/screen.h"
#include "ui/signals.h"
#include "ui/terminal.h"
#include "ui/ui.h"

/* Identifies a question by its lesson and step, because its index changes when answers to other
 * questions arrive. */
struct question_name {
	char lesson[64];
	int step;
};

struct class_screen {
	struct answers_follow *follow;
	struct canvas canvas;
	enum theme theme;
	const char *folder;
	char **course;		    /* the names of the lessons in their order */
	struct question_name front; /* the question on the screen; step 0: no question yet */
	int revealed_count;
	struct question_name *revealed;
	bool blank, resized, quit;
	struct words message; /* the effect of the last key, if the key changed nothing */
	int ended_by;	      /* the signal that ended the program; 0: none */
};

/* ---- questions ---- */

static struct question_name name_of(const struct answer *answer)
{
	struct question_name name = { .step = answer->step };

	memcpy(name.lesson, answer->lesson, sizeof(name.lesson));
	return name;
}

static bool same_question(const struct question_name *a, const struct question_name *b)
{
	return a->step == b->step && strcmp(a->lesson, b->lesson) == 0;
}

static int find_revealed(const struct class_screen *screen)
{
	for (int i = 0; i < screen->revealed_count; i++)
		if (same_question(&screen->revealed[i], &screen->front))
			return i;
	return -1;
}

/* Finds the answers to the question on the screen. If no question is on the screen yet, chooses the
 * first question. */
static void find_front(struct class_screen *screen, struct class_view *view)
{
	const struct answers *answers = view->answers;

	if (screen->front.step == 0 && answers->count)
		screen->front = name_of(&answers->answer[0]);
	for (int begin = 0, end; begin < answers->count; begin = end) {
		struct class_question question;
		struct question_name name = name_of(&answers->answer[begin]);

		end = class_question(answers, begin, &question);
		if (!same_question(&name, &screen->front))
			continue;
		view->begin = begin;
		view->end = end;
	}
}

static void choose(struct class_screen *screen, int by)
{
	const struct answers *answers = answers_follow_all(screen->follow);
	const struct answer *before = NULL;

	for (int begin = 0, end; begin < answers->count; begin = end) {
		struct class_question question;
		struct question_name name = name_of(&answers->answer[begin]);
		bool front = same_question(&name, &screen->front);

		end = class_question(answers, begin, &question);
		if (by == -2 || (by == 2 && end == answers->count)) {
			screen->front = name;
			return;
		}
		if (front && by == -1 && before)
			screen->front = name_of(before);
		if (front && by == 1 && end < answers->count)
			screen->front = name_of(&answers->answer[end]);
		if (front && by != 2)
			return;
		before = &answers->answer[begin];
	}
	/* The answers to the question on the screen have vanished, so find_front() chooses the
	 * first question. */
	if (by != 2)
		screen->front.step = 0;
}

/* Brings another question to the screen. `by`: -1 the previous question, 1 the next, -2 the first,
 * 2 the last. */
static void go(struct class_screen *screen, int by)
{
	struct question_name before = screen->front;

	choose(screen, by);
	if (answers_follow_all(screen->follow)->count == 0)
		screen->message = words_of("no answers yet: there is no question to show");
	else if (same_question(&before, &screen->front))
		screen->message = words_of(by > 0 ? "this is the last question with answers"
						  : "this is the first question with answers");
}

static void reveal(struct class_screen *screen)
{
	int index = find_revealed(screen);

	if (answers_follow_all(screen->follow)->count == 0) {
		screen->message = words_of("no answers yet: there is nothing to reveal");
		return;
	}
	if (index >= 0) {
		screen->revealed[index] = screen->revealed[--screen->revealed_count];
		return;
	}
	screen->revealed = memory_grow(
		screen->revealed, (size_t)screen->revealed_count, sizeof(*screen->revealed));
	screen->revealed[screen->revealed_count++] = screen->front;
}

/* ---- the event loop ---- */

static void draw(struct class_screen *screen)
{
	struct class_view view = { .answers = answers_follow_all(screen->follow),
		.revealed = find_revealed(screen) >= 0,
		.blank = screen->blank,
		.folder = screen->folder,
		.message = screen->message.text,
		.trouble = answers_follow_trouble(screen->follow) };
	int width, height;

	if (screen->resized) {
		screen_size(&width, &height);
		screen_resize(width, height);
		canvas_resize(&screen->canvas, width, height);
		screen->resized = false;
	}
	find_front(screen, &view);
	view.revealed = find_revealed(screen) >= 0;
	screen->canvas.solid = screen_style(screen->theme, true);
	class_draw(&screen->canvas, &view);
	screen_show(&screen->canvas);
}

static void act(struct class_screen *screen, enum class_act act, int code)
{
	struct words name = keys_name(code);

	screen->message = words_of("%s", "");
	switch (act) {
	case CLASS_NEXT: go(screen, 1); break;
	case CLASS_BACK: go(screen, -1); break;
	case CLASS_FIRST: go(screen, -2); break;
	case CLASS_LAST: go(screen, 2); break;
	case CLASS_REVEAL: reveal(screen); break;
	case CLASS_BLANK: screen->blank = !screen->blank; break;
	case CLASS_REDRAW: screen_forget(); break;
	case CLASS_QUIT: screen->quit = true; break;
	case CLASS_NOTHING:
		screen->message = words_of("%s does nothing here: n, p, r and . are keys, q quits",
			name.text[0] ? name.text : "this key");
		break;
	}
}

static bool read_keys(struct class_screen *screen)
{
	struct input input;
	bool any = false;

	while (!screen->quit && (input = screen_input()).code != KEYCODE_NONE) {
		enum class_act asked = class_act_of(input.code);

		/* On a blank screen, a key only shows the screen again, unless the key quits. */
		act(screen, screen->blank && asked != CLASS_QUIT ? CLASS_BLANK : asked, input.code);
		any = true;
	}
	if (!any && !screen_answered() && screen_input_ended())
		screen->quit = true;
	return true;
}

static void handle_signal(struct class_screen *screen, int number)
{
	switch (number) {
	case SIGTSTP:
		screen_suspend();
		signals_stop();
		/* fall through */
	case SIGCONT:
		screen_resume();
		/* fall through */
	case SIGWINCH: screen->resized = true; break;
	default: screen->ended_by = number; break;
	}
}

/* Returns the milliseconds until the next check of the files, or until the wait for the terminal's
 * answer about its background ends. */
static int sleep_time(const struct class_screen *screen)
{
	return (int)ceil(1000 * fmin(answers_follow_next(screen->follow, monotonic_seconds()),
					screen_awaits()));
}

static void run(struct class_screen *screen)
{
	bool changed = true;

	while (!screen->quit && !screen->ended_by) {
		struct pollfd wait[] = {
			{ .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = signals_descriptor(), .events = POLLIN },
			{ .fd = answers_follow_descriptor(screen->follow), .events = POLLIN },
		};
		int ready;

		if (answers_follow_update(screen->follow, monotonic_seconds())) {
			class_sort(answers_follow_all(screen->follow), screen->course);
			changed = true;
		}
		if (changed)
			draw(screen);
		ready = poll(wait, 3, sleep_time(screen));
		if (ready < 0 && errno != EINTR)
			break;
		changed = ready <= 0 && isfinite(screen_awaits());
		for (int number; (number = signals_take()) != 0; changed = true)
			handle_signal(screen, number);
		if (ready > 0 && wait[0].revents & POLLIN)
			changed |= read_keys(screen);
		else if (ready > 0 && wait[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			screen->quit = true;
	}
}

struct status ui_class(const struct ui_class_options *options, int *exit_status)
{
	const char *name = options->theme ? options->theme : getenv("SLEXPLORE_THEME");
	struct class_screen screen = { .resized = true, .folder = options->paths[0] };
	struct status status = name && *name ? theme_find(name, &screen.theme) : status_ok();

	if (status_is_ok(&status))
		status = screen_check();
	if (status_is_ok(&status))
		status = answers_follow_new(options->paths, options->path_count, &screen.follow);
	if (!status_is_ok(&status))
		return status;
	screen.course = lessons_names();
	canvas_init(&screen.canvas, 1, 1, options->ascii || !terminal_is_utf8());
	status = signals_catch(screen_emergency);
	if (status_is_ok(&status))
		status = screen_open();
	if (status_is_ok(&status)) {
		run(&screen);
		screen_close();
	}
	signals_release();
	canvas_free(&screen.canvas);
	answers_follow_free(screen.follow);
	data_names_free(screen.course);
	free(screen.revealed);
	if (screen.ended_by)
		*exit_status = 128 + screen.ended_by;
	return status;
}
