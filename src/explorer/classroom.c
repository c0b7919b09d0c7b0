#include "explorer/classroom_inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/text.h"
#include "base/units.h"
#include "explorer/lesson_report.h"
#include "lesson/lesson_progress.h"

/* Seconds for which a doubtful measurement is repeated before it judges a guess all the same. */
static const double DOUBT_MOST = 5;
/* Seconds after which a guess does not wait for more trials or for the whole curve: on a busy core,
 * the first request of a slow loop takes long. */
static const double WAIT_MOST = 20;
/* Seconds within which a second command closes a lesson with answers. */
static const double LEAVE_SECONDS = 10;

const char classroom_waits[] = "the answer comes as soon as the measurement is good enough";

/* ---- opening and steps ---- */

/* Opens a lesson whose file has no mistakes. *lesson is NULL after a failure. */
static struct status open_good(const char *word, struct lesson **lesson)
{
	struct lesson_mistakes mistakes = { 0 };
	struct status status = lesson_open(word, lesson, &mistakes);

	if (status_is_ok(&status) && mistakes.count)
		status = status_usage("%.120s:%d:%d: %.200s", (*lesson)->origin,
			mistakes.mistake->line, mistakes.mistake->column, mistakes.mistake->words);
	else if (status_is_ok(&status) && (*lesson)->step_count == 0)
		status = status_usage("the lesson %.120s has no steps", (*lesson)->origin);
	lesson_mistakes_free(&mistakes);
	if (!status_is_ok(&status)) {
		lesson_free(*lesson);
		*lesson = NULL;
	}
	return status;
}

struct status classroom_check(const char *word)
{
	struct lesson *lesson;
	struct status status = open_good(word, &lesson);

	lesson_free(lesson);
	return status;
}

struct status classroom_open(struct session *session, const char *word)
{
	struct classroom *classroom = &session->classroom;
	struct lesson *lesson;
	struct status status = open_good(word, &lesson);

	if (!status_is_ok(&status))
		return status;
	classroom_close(session);
	classroom->lesson = lesson;
	classroom->taken = memory_new((size_t)lesson->step_count, sizeof(*classroom->taken));
	if (!classroom->shown)
		classroom->shown = memory_new(SHOWN_COUNT, sizeof(*classroom->shown));
	/* A panel from before the lesson has other things to say than its first step. */
	screen_order(session, "", NULL);
	screen_answer(session, NULL);
	classroom_go(session, 0);
	return status;
}

void classroom_close(struct session *session)
{
	struct classroom *classroom = &session->classroom;
	struct text *shown = classroom->shown;

	guess_drop(session);
	for (int i = 0; classroom->lesson && i < classroom->lesson->step_count; i++) {
		free(classroom->taken[i].prompt);
		free(classroom->taken[i].explained);
		free(classroom->taken[i].picture);
	}
	free(classroom->report);
	lesson_free(classroom->lesson);
	free(classroom->taken);
	*classroom = (struct classroom){ .shown = shown };
}

bool classroom_may_close(struct session *session)
{
	struct classroom *classroom = &session->classroom;
	int answered = 0;

	for (int i = 0; classroom->lesson && i < classroom->lesson->step_count; i++)
		answered += classroom->taken[i].answered;
	if (answered == 0 || session->now < classroom->leaves_until)
		return true;
	classroom->leaves_until = session->now + LEAVE_SECONDS;
	session_notice(session, false, "again closes the lesson and forgets its %d answer%s",
		answered, answered == 1 ? "" : "s");
	return false;
}

void classroom_end(struct session *session)
{
	struct classroom *classroom = &session->classroom;

	classroom_close(session);
	for (int i = 0; classroom->shown && i < SHOWN_COUNT; i++)
		text_free(&classroom->shown[i]);
	free(classroom->shown);
}

/* Returns the knob that the keys turn in a step: the knob of a question about a knee, or the last
 * knob with numbers in which the setting differs from A; else the chosen knob stays, because a
 * curve over a few words shows less than a curve over sizes. */
static int knob_of(const struct session *session, const struct lesson_step *step,
	const struct setting *setting)
{
	const struct setting *pinned = &step->pinned;

	if (step->question.ask == ASK_KNEE)
		return step->question.knob;
	if (pinned->kernel == setting->kernel)
		for (int k = setting->kernel->knob_count - 1; k >= 0; k--)
			if (!setting->kernel->knobs[k].choices && setting->v[k] != pinned->v[k])
				return k;
	return session->knob;
}

void classroom_go(struct session *session, int to)
{
	struct classroom *classroom = &session->classroom;
	const struct lesson_step *step = &classroom->lesson->step[to];
	struct status status = status_ok();
	struct setting setting;

	/* A student who leaves a step while the guess waits has answered all the same. */
	if (to != classroom->step)
		classroom_settle(session);
	for (int i = 0; to != classroom->step && i < SHOWN_COUNT; i++)
		text_clear(&classroom->shown[i]);
	classroom->step = to;
	classroom->first = 0;
	classroom->guessed = classroom->a_known = classroom->aside = false;
	guess_drop(session);
	overlay_open(session, OVERLAY_NONE);
	insight_want_advice(session, false);
	if (session->frozen)
		session_freeze(session, false);
	beside_close(session);
	if (classroom_setting(session, &setting)) {
		session_go(session, &setting);
		session_choose_knob(session, knob_of(session, step, &setting));
	}
	if (step->pinned.kernel)
		status = playback_allows(session, &step->pinned);
	if (!step->pinned.kernel || !status_is_ok(&status))
		session_unpin(session);
	else if (!session->pinned.there || !setting_equal(&session->pinned.setting, &step->pinned))
		session_pin_setting(session, &step->pinned);
	/* The commands of the lesson's step run one after the other, each as soon as it can have an
	 * effect. */
	if (step->panel)
		opening_add(session, words_of("view %s", step->panel).text);
	for (int i = 0; i < step->command_count; i++)
		if (opening_harmless(step->command[i].words))
			opening_add(session, step->command[i].words);
}

void classroom_return(struct session *session)
{
	struct classroom *classroom = &session->classroom;

	if (!classroom_away(session))
		classroom->aside = !classroom->aside;
	else
		classroom_go(session, classroom->step);
}

void classroom_scroll(struct session *session, int first)
{
	session->classroom.first = first;
}

void classroom_aside(struct session *session)
{
	session->classroom.aside = true;
}

/* ---- the question ---- */

/* Whether the step has a question that is not answered yet. */
static bool is_open(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);

	return step && step->question.ask != ASK_NOTHING && !classroom_taken(session)->answered &&
	       classroom_here(session, NULL);
}

bool classroom_asks(const struct session *session)
{
	return is_open(session) && !session->classroom.guessed;
}

unsigned classroom_hidden(const struct session *session)
{
	return is_open(session) ? lesson_hides(classroom_step(session)) : 0;
}

struct status classroom_guess(
	const struct session *session, struct session *change, const char *typed)
{
	struct collected measured;
	struct lesson_guess guess;
	struct status status;

	if (!classroom_asks(session))
		return status_usage("no question of a lesson waits for a guess");
	classroom_measure(session, &measured);
	status = lesson_guess_read(classroom_step(session), &measured.values, typed, &guess);
	if (!status_is_ok(&status) || !change)
		return status;
	if (classroom_away(session))
		classroom_go(change, session->classroom.step);
	change->classroom.taken[session->classroom.step].guess = guess;
	change->classroom.guessed = true;
	change->classroom.guessed_at = session->now;
	guess_drop(change);
	change->classroom.aside = false;
	if (session->frozen)
		session_freeze(change, false);
	classroom_advance(change);
	return status;
}

void classroom_answer(struct session *session)
{
	session->classroom.aside = false;
	guess_open(session, "");
}

void classroom_hint(struct session *session)
{
	session->classroom.taken[session->classroom.step].hinted = true;
}

void classroom_repeat(struct session *session)
{
	struct classroom *classroom = &session->classroom;
	struct step_taken *step = &classroom->taken[classroom->step];

	if (classroom_away(session))
		classroom_go(session, classroom->step);
	session_forget(session);
	if (!step->answered || step->guess.skipped ||
		classroom_step(session)->question.ask == ASK_TEXT)
		return;
	step->answered = false;
	classroom->guessed = true;
	classroom->guessed_at = session->now;
}

/* ---- the judgement ---- */

/* Returns why the sample of A, the setting that the lesson's step compares with, is doubtful; NULL:
 * it is good, or the step has no A. */
static const char *doubt_of_a(const struct session *session)
{
	return classroom_step(session)->pinned.kernel && session->pinned.sample.valid
		       ? sample_doubt(&session->pinned.sample)
		       : NULL;
}

/* Returns which value of the step's question is not measured or computed yet; NULL: all are, or one
 * never will be. */
static const char *missing(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);
	const struct live *live = &session->live;
	bool patient = session->now - session->classroom.guessed_at < WAIT_MOST;
	struct collected measured;

	if (live->failed || step->question.ask == ASK_TEXT)
		return NULL;
	if (session->insight.reading)
		return "reading the code";
	/* A question about limits is judged without a sample, because limits are computed. */
	if (step->question.ask == ASK_LIMIT)
		return NULL;
	/* A guess does not wait for more trials of a recorded sample, because a recording gets no
	 * more trials. */
	if (!live->sample.valid ||
		(patient && (!live->answered || (live->sample.provisional && !session->replay))))
		return "measuring";
	if (step->pinned.kernel && !session->pinned.there)
		return NULL;
	if (step->pinned.kernel && session->pinned.awaited && !doubt_of_a(session) &&
		(patient || !session->pinned.sample.valid))
		return "measuring A";
	classroom_measure(session, &measured);
	if (!measured.complete && patient)
		return "measuring the curve";
	return NULL;
}

const char *classroom_awaits(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);
	const char *awaited = missing(session), *doubt;

	if (awaited || session->live.failed || step->question.ask == ASK_TEXT ||
		step->question.ask == ASK_LIMIT || (step->pinned.kernel && !session->pinned.there))
		return awaited;
	doubt = sample_doubt(&session->live.sample);
	if (!doubt)
		doubt = doubt_of_a(session);
	if (session->replay || session->now - session->classroom.guessed_at >= DOUBT_MOST)
		return NULL;
	return doubt;
}

/* Replaces a stored text by a text of the lesson, in which measured values fill the braces. Returns
 * whether all values were known. */
static bool keep(char **kept, const struct lesson_text *from, const struct lesson_values *values)
{
	struct text text = { 0 };
	bool filled = lesson_fill(from, values, &text);

	free(*kept);
	*kept = memory_string(text_string(&text));
	text_free(&text);
	return filled;
}

/* Fills an explanation again whose question was answered before all its values were measured. */
static void fill_again(struct session *session)
{
	const struct lesson_step *step = classroom_step(session);
	struct step_taken *now = &session->classroom.taken[session->classroom.step];
	struct collected measured;

	if (!step || !now->answered || now->filled || !classroom_here(session, NULL) ||
		!session->live.sample.valid)
		return;
	classroom_measure(session, &measured);
	now->filled = keep(&now->explained, &step->explain, &measured.values);
}

static bool digits_differ(double left, double right)
{
	return strcmp(units_cycles(left).text, units_cycles(right).text) != 0;
}

/* Notes when the panels show other digits than the explanation, because the measurement goes on.
 * This stays noted: else the row that says so would come and go with the noise. */
static void note_change(struct session *session)
{
	const struct sample *now = &session->live.sample, *a = &session->pinned.sample;
	struct step_taken *taken = &session->classroom.taken[session->classroom.step];

	if (!taken->answered || !taken->sample.valid || !now->valid || session->replay)
		return;
	taken->changed |= digits_differ(now->cpe, taken->sample.cpe);
	if (taken->a.valid && a->valid)
		taken->changed |=
			digits_differ(a->cpe, taken->a.cpe) ||
			digits_differ(now->cpe / a->cpe, taken->sample.cpe / taken->a.cpe);
}

/* Judges the student's guess by the present measured values, and stores texts, sample and picture
 * for a report. */
static void judge(struct session *session)
{
	struct classroom *classroom = &session->classroom;
	const struct lesson_step *step = classroom_step(session);
	struct step_taken *now = &classroom->taken[classroom->step];
	struct collected measured;
	struct status status = status_ok();

	classroom_measure(session, &measured);
	measured.values.early = missing(session) != NULL;
	lesson_judge(step, &measured.values, &now->guess, &now->judgement);
	keep(&now->prompt, &step->question.prompt, &measured.values);
	now->filled = keep(&now->explained, &step->explain, &measured.values);
	if (!classroom_setting(session, &now->setting))
		now->setting = session->setting;
	now->sample = measured.now;
	now->a = step->pinned.kernel && session->pinned.there ? measured.a
							      : (struct sample){ .valid = false };
	now->changed = false;
	now->answered = true;
	classroom->first = 0;
	classroom->guessed = false;
	if (strcmp(session->screen.notice, classroom_waits) == 0)
		notice_clear(session);
	/* A step is done with its answer, also if the student leaves the lesson then. */
	if (session->saved.kept)
		lesson_progress_keep(classroom->lesson->name, classroom->step + 1);
	answering_add(session);
	free(now->picture);
	now->picture =
		classroom->report && !classroom_away(session) ? report_picture(session) : NULL;
	if (classroom->report)
		status = report_save(session);
	if (!status_is_ok(&status))
		session_notice(session, true, "%s", status.text);
}

void classroom_settle(struct session *session)
{
	if (session->classroom.lesson && session->classroom.guessed && !classroom_away(session))
		judge(session);
}

struct status classroom_report(struct session *session, const char *path)
{
	struct classroom *classroom = &session->classroom;
	struct status status = document_check(path);

	if (!status_is_ok(&status))
		return status;
	free(classroom->report);
	classroom->report = memory_string(path);
	return report_save(session);
}

void classroom_skip(struct session *session, bool wait)
{
	struct classroom *classroom = &session->classroom;

	classroom->taken[classroom->step].guess =
		(struct lesson_guess){ .skipped = true, .revealed = wait };
	classroom->guessed = true;
	classroom->guessed_at = session->now;
	guess_drop(session);
	if (wait)
		classroom_advance(session);
	else
		judge(session);
}

bool classroom_advance(struct session *session)
{
	struct classroom *classroom = &session->classroom;
	const struct explanation *explanation;

	if (!classroom->lesson || classroom_away(session))
		return false;
	if (!classroom->a_known && session->pinned.there && !session->pinned.awaited &&
		(explanation = insight_of(session, &session->pinned.setting))) {
		classroom->a_limits = explanation->limits;
		classroom->a_limits.insn = NULL;
		classroom->a_known = true;
	}
	fill_again(session);
	note_change(session);
	if (!classroom->guessed)
		return false;
	if (!classroom_awaits(session)) {
		judge(session);
		return true;
	}
	if (doubt_of_a(session) && !session->replay)
		session_pin_again(session);
	return false;
}

/* ---- the end ---- */

void classroom_summary(const struct session *session, struct text *text)
{
	const struct classroom *classroom = &session->classroom;
	int asked = 0, right = 0;

	for (int i = 0; i < classroom->lesson->step_count; i++) {
		const struct lesson_step *step = &classroom->lesson->step[i];
		const struct step_taken *now = &classroom->taken[i];

		if (step->question.ask == ASK_NOTHING)
			continue;
		/* A sentence is kept, and not judged. */
		asked += step->question.ask != ASK_TEXT;
		right += now->answered && now->judgement.verdict == VERDICT_RIGHT;
		text_addf(text, "%d. %s\n", i + 1, step->title ? step->title : "");
		text_addf(text, "   %s\n",
			now->answered				     ? now->judgement.words
			: classroom->guessed && classroom->step == i ? "answered, not measured yet"
								     : "not answered");
	}
	text_addf(text, "\nYou answered %d of %d question%s right.\n", right, asked,
		asked == 1 ? "" : "s");
}
