/* The lesson's part of the view. */
#include <math.h>

#include "explorer/classroom_inside.h"
#include "explorer/mask.h"

/* Fills one text of the lesson for the screen: measured values replace its expressions in braces.
 * While another setting than the step's is on screen, a text keeps its values. */
static const char *shown(const struct session *session, int which, const struct lesson_text *text,
	const struct lesson_values *values)
{
	struct text *to = &session->classroom.shown[which];

	if (to->length && classroom_away(session))
		return text_string(to);
	text_clear(to);
	lesson_fill(text, values, to);
	return text_string(to);
}

/* Whether A is the setting that the step compares with: other settings that the user pins may show
 * the number that the question asks for. */
static bool is_own_a(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);

	return !session->beside.replay && step->pinned.kernel &&
	       setting_equal(&step->pinned, &session->pinned.setting);
}

/* The measured time has changed if it differs by more than this share. */
#define DRIFT 0.05

static bool has_drifted(const struct sample *then, const struct sample *now)
{
	return then->valid && now->valid && fabs(now->cpe / then->cpe - 1) > DRIFT;
}

/* Fills how the numbers on screen differ from those of the explanation. The explanation has none if
 * its question was computed, and its text has no value. */
static void fill_change(const struct session *session, struct view *view)
{
	const struct step_taken *taken = classroom_taken(session);

	if (!taken->answered || view->lesson.away || session->replay ||
		(taken->judgement.computed && classroom_step(session)->explain.hole_count == 0))
		return;
	view->lesson.changed = taken->changed;
	if (has_drifted(&taken->sample, &view->sample))
		view->lesson.judged_cpe = taken->sample.cpe;
	if (has_drifted(&taken->a, &view->a))
		view->lesson.judged_a = taken->a.cpe;
}

void classroom_view(const struct session *session, struct view *view)
{
	const struct classroom *classroom = &session->classroom;
	const struct lesson_step *step = classroom_step(session);
	struct view_lesson *lesson = &view->lesson;
	const struct step_taken *now;
	struct collected measured;
	bool here;

	if (!step)
		return;
	now = classroom_taken(session);
	lesson->title = classroom->lesson->title;
	lesson->step_title = step->title;
	lesson->step = classroom->step;
	lesson->steps = classroom->lesson->step_count;
	classroom_measure(session, &measured);
	here = classroom_here(session, NULL);
	lesson->aside = classroom->aside;
	lesson->asks = classroom_asks(session);
	lesson->away = classroom_away(session);
	lesson->first = classroom->first;
	lesson->awaited = classroom->guessed ? classroom_awaits(session) : NULL;
	lesson->guess = lesson->awaited && !now->guess.skipped ? now->guess.text : NULL;
	lesson->answer_count = here ? lesson_answers(step, &measured.values, lesson->answer) : 0;
	lesson->number = step->question.ask == ASK_NUMBER || step->question.ask == ASK_KNEE;
	lesson->free_text = step->question.ask == ASK_TEXT;
	view->hidden = classroom_hidden(session);
	if (view->hidden & HIDDEN_CPE && !is_own_a(session))
		view->hidden |= HIDDEN_A;
	mask_view(view);
	classroom_hide(&measured, view->hidden);
	lesson->absent = !classroom_recorded(session);
	/* The text describes a loop that is not on screen. */
	if (!lesson->absent)
		lesson->text = shown(session, SHOWN_TEXT, here ? &step->text : &step->otherwise,
			&measured.values);
	if (here && step->question.ask != ASK_NOTHING)
		lesson->prompt = step->question.prompt.words
					 ? shown(session, SHOWN_PROMPT, &step->question.prompt,
						   &measured.values)
					 : lesson_usual_prompt(step->question.ask);
	lesson->has_hint = here && step->hint.words;
	if (now->hinted && lesson->has_hint)
		lesson->hint = shown(session, SHOWN_HINT, &step->hint, &measured.values);
	fill_change(session, view);
	if (now->answered)
		lesson->judgement = &now->judgement;
	if (now->answered)
		lesson->explain = now->explained;
	else if (here && step->question.ask == ASK_NOTHING && !lesson->away)
		lesson->explain = shown(session, SHOWN_EXPLAIN, &step->explain, &measured.values);
}
