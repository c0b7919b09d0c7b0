/* Commands of a lesson: its steps, its questions, and the guesses. */
#include <string.h>

#include "base/text.h"
#include "explorer/actions.h"
#include "lesson/lesson_progress.h"

static struct status no_lesson(const struct session *session)
{
	return command_unless(
		classroom_step(session), "no lesson is open: the key L lists the lessons");
}

static struct status no_question(const struct session *session)
{
	struct status status = no_lesson(session);

	if (!status_is_ok(&status) || classroom_asks(session))
		return status;
	return status_usage("%s", session->classroom.guessed
					  ? classroom_waits
					  : "no question is open: Enter goes to the next step");
}

/* ---- steps ---- */

static struct status run_lesson(
	const struct session *session, struct session *change, char *arguments)
{
	struct status status = status_ok();

	if (!session->machine_known)
		return status_usage("slexplore has not identified this machine yet");
	if (*arguments)
		return change ? classroom_open(change, arguments) : classroom_check(arguments);
	if (!change)
		return status;
	/* If the user types "lesson " in the search, the list of results has all lessons. */
	if (classroom_step(session))
		classroom_return(change);
	else
		session_command(change, "find lesson ", session->now);
	return status;
}

/* Shows what was answered, at the end of the lesson. */
static void show_end(struct session *session)
{
	struct text text = { 0 };

	classroom_summary(session, &text);
	overlay_page(session, "lesson",
		words_of("%s: the end of the lesson", session->classroom.lesson->title).text,
		memory_string(text_string(&text)));
	text_free(&text);
}

/* Closes the lesson, and the page of its answers. The answers are gone then, so it asks first,
 * unless their page is shown. */
static void act_end(struct session *session)
{
	bool page = overlay_shows_page(session, "lesson");

	if (!page && !classroom_may_close(session))
		return;
	if (page)
		overlay_open(session, OVERLAY_NONE);
	classroom_close(session);
}

/* ---- the file of answers ---- */

static struct status run_record(
	const struct session *session, struct session *change, char *arguments)
{
	(void)session;
	return answering_begin(change, arguments);
}

static struct status run_name(
	const struct session *session, struct session *change, char *arguments)
{
	(void)session;
	if (change)
		answering_name(change, arguments);
	return status_ok();
}

/* ---- from step to step ---- */

static struct status run_step(const struct session *session, struct session *change, char *given)
{
	const struct classroom *classroom = &session->classroom;
	int to = classroom->step + command_direction(given);

	if (to < 0)
		return status_usage("this is the first step of the lesson");
	if (change && to > classroom->step && session->saved.kept)
		lesson_progress_keep(classroom->lesson->name, to);
	if (change && to < classroom->lesson->step_count)
		classroom_go(change, to);
	else if (change)
		show_end(change);
	return status_ok();
}

/* The last row to which the text of a lesson scrolls. */
enum { SCROLL_MOST = 400 };

static struct status run_scroll(
	const struct session *session, struct session *change, char *arguments)
{
	int by = 0, first = session->classroom.first;

	if (!action_steps(arguments, &by) || !by)
		return status_usage("lesson scroll needs +N or -N, the number of rows");
	if (!change)
		return command_effect(by > 0 ? first < SCROLL_MOST : first > 0,
			by > 0 ? "this is the last line" : "this is the first line");
	classroom_scroll(change, by < -first		    ? 0
				 : by > SCROLL_MOST - first ? SCROLL_MOST
							    : first + by);
	return status_ok();
}

/* Answers the question if one is open, else goes to the next step. */
static struct status run_go(const struct session *session, struct session *change, char *arguments)
{
	(void)arguments;
	if (classroom_asks(session)) {
		if (change)
			classroom_answer(change);
		return status_ok();
	}
	if (session->classroom.guessed)
		return no_question(session);
	return run_step(session, change, (char[]){ "+1" });
}

/* The key Enter: in a lesson, goes on; else acts on the panel of the arrow keys. */
static struct status run_enter(
	const struct session *session, struct session *change, char *arguments)
{
	return classroom_step(session) ? run_go(session, change, arguments)
				       : action_enter(session, change);
}

static void act_skip(struct session *session)
{
	classroom_skip(session, false);
	run_step(session, session, (char[]){ "+1" });
}

static void act_reveal(struct session *session)
{
	classroom_skip(session, true);
}

static struct status hint_refusal(const struct session *session)
{
	struct status status = no_lesson(session);

	if (status_is_ok(&status) && !classroom_step(session)->hint.words)
		return status_usage("this step has no hint");
	if (status_is_ok(&status) && session->classroom.taken[session->classroom.step].answered)
		return status_usage("the question is answered: the hint belongs to an open one");
	return status;
}

static bool hint_useful(const struct session *session)
{
	return !session->classroom.taken[session->classroom.step].hinted;
}

static struct status run_report(
	const struct session *session, struct session *change, char *arguments)
{
	(void)session;
	if (!*arguments)
		return status_usage("lesson report needs a file name that ends in .html or .md");
	return change ? classroom_report(change, arguments) : status_ok();
}

/* ---- guesses ---- */

static struct status run_guess(
	const struct session *session, struct session *change, char *arguments)
{
	if (*arguments)
		return classroom_guess(session, change, arguments);
	if (change)
		classroom_answer(change);
	return status_ok();
}

static struct status not_typing(const struct session *session)
{
	return command_unless(session->screen.guessing, "no answer is being typed");
}

static bool expects_letter(const struct lesson_step *step)
{
	enum lesson_ask ask = step ? step->question.ask : ASK_NOTHING;

	return ask == ASK_CHOICE || ask == ASK_FASTER || ask == ASK_LIMIT;
}

static struct status run_type(
	const struct session *session, struct session *change, char *arguments)
{
	size_t length = *arguments ? text_character(arguments) : 0;

	if (length == 0 || arguments[length])
		return status_usage("guess type needs one character");
	/* A choice is one letter, so another letter replaces it. */
	if (change && expects_letter(classroom_step(session)))
		change->screen.guess[0] = '\0';
	if (strlen(session->screen.guess) + length >= LESSON_GUESS)
		return status_usage("an answer has at most %d bytes", LESSON_GUESS - 1);
	if (change)
		guess_add(change, arguments);
	return status_ok();
}

static struct status run_accept(
	const struct session *session, struct session *change, char *arguments)
{
	struct words guess = words_of("%s", session->screen.guess);

	(void)arguments;
	return classroom_guess(session, change, guess.text);
}

/* ---- the table ---- */

const struct command_row commands_lesson[] = {
	{ "enter", .run = run_enter },
	{ "lesson", .run = run_lesson, .verbatim = true },
	{ "lesson go", .run = run_go, .refusal = no_lesson },
	{ "lesson next", .run = run_step, .refusal = no_lesson, .given = "+1" },
	{ "lesson back", .run = run_step, .refusal = no_lesson, .given = "-1" },
	{ "lesson scroll", .run = run_scroll, .refusal = no_lesson },
	{ "lesson hint", classroom_hint, .refusal = hint_refusal, .useful = hint_useful,
		.useless = "the hint is already shown" },
	{ "lesson reveal", act_reveal, .refusal = no_question },
	{ "lesson skip", act_skip, .refusal = no_question },
	{ "lesson aside", classroom_aside, .refusal = no_lesson },
	{ "lesson repeat", classroom_repeat, .refusal = no_lesson },
	{ "lesson record", .run = run_record, .verbatim = true },
	{ "lesson name", .run = run_name, .verbatim = true },
	{ "lesson report", .run = run_report, .refusal = no_lesson, .verbatim = true },
	{ "lesson end", act_end, .refusal = no_lesson },
	{ "guess", .run = run_guess, .refusal = no_question, .verbatim = true },
	{ "guess type", .run = run_type, .refusal = not_typing, .verbatim = true },
	{ "guess erase", guess_erase, .refusal = not_typing },
	{ "guess accept", .run = run_accept, .refusal = not_typing },
	{ "guess drop", guess_drop, .refusal = not_typing },
	{ .name = NULL },
};
