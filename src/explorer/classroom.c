#include "explorer/classroom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/lesson_report.h"
#include "explorer/mask.h"
#include "explorer/state.h"
#include "lesson/expression.h"

/* Seconds for which a doubtful measurement is repeated before it judges a guess all the same. */
static const double DOUBT_MOST = 5;

/* The texts of a step that the view shows. */
enum { SHOWN_TEXT, SHOWN_PROMPT, SHOWN_HINT, SHOWN_EXPLAIN, SHOWN_COUNT };

/* ---- the present step ---- */

const struct lesson_step *classroom_step(const struct session *session)
{
	const struct classroom *classroom = &session->classroom;

	return classroom->lesson ? &classroom->lesson->step[classroom->step] : NULL;
}

static const struct step_taken *taken(const struct session *session)
{
	return &session->classroom.taken[session->classroom.step];
}

/* Finds the setting of the present step: its own one, or that of the last step before that has one.
 * Returns false if no step has a setting. */
static bool setting_of(const struct session *session, struct setting *setting)
{
	const struct classroom *classroom = &session->classroom;
	int step = classroom->step;

	while (step > 0 && !classroom->lesson->step[step].setting.kernel)
		step--;
	*setting = classroom->lesson->step[step].setting;
	/* A recording may lack the exact setting: the lesson then uses the nearest recorded one. */
	if (setting->kernel && session->replay)
		replay_nearest(session->replay, setting, 0);
	return setting->kernel;
}

/* Whether a setting can be shown: in a replay, it was recorded. */
static bool is_recorded(const struct session *session, const struct setting *setting)
{
	return !session->replay || replay_find(session->replay, setting) >= 0;
}

/* Whether the recording that is replayed has everything that the step compares. */
static bool is_step_recorded(const struct session *session)
{
	const struct classroom *classroom = &session->classroom;
	const struct lesson_step *step = classroom_step(session);
	int index = classroom->step;

	while (index > 0 && !classroom->lesson->step[index].setting.kernel)
		index--;
	return (!classroom->lesson->step[index].setting.kernel ||
		       is_recorded(session, &classroom->lesson->step[index].setting)) &&
	       (!step->pinned.kernel || is_recorded(session, &step->pinned));
}

bool classroom_away(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);
	struct setting setting;

	if (setting_of(session, &setting) && !setting_equal(&setting, &session->setting))
		return true;
	return step->pinned.kernel &&
	       (!session->pinned.there || !setting_equal(&step->pinned, &session->pinned.setting));
}

/* ---- measured values ---- */

/* Memory to which struct lesson_values points. */
struct collected {
	struct lesson_values values;
	struct cache_sizes caches;
	struct sample now, a;
	struct limits limits; /* without the hidden numbers */
	struct lesson_point curve[VIEW_SLICE];
	bool complete; /* every point of the curve has enough trials */
};

/* Adds the measured points of the curve over the knob of the question. */
static void add_curve(const struct session *session, struct collected *measured)
{
	const struct lesson_question *question = &classroom_step(session)->question;
	const struct plan *plan = &session->plan;
	const struct plan_slice *slice =
		plan->by_size.knob == question->knob ? &plan->by_size : &plan->by_stride;

	measured->complete = true;
	if (question->ask != ASK_KNEE || slice->knob != question->knob)
		return;
	for (int i = 0; i < slice->count; i++) {
		const struct cell *cell =
			slice->planned[i] < 0 ? NULL : plan->planned[slice->planned[i]].cell;

		if (slice->planned[i] < 0 || slice->value[i] < question->least ||
			slice->value[i] > question->most)
			continue;
		measured->complete &= cell && cell->settled;
		if (cell && cell->sample.valid)
			measured->curve[measured->values.curve_count++] =
				(struct lesson_point){ (double)slice->value[i], cell->sample.cpe };
	}
	measured->values.curve = measured->curve;
	measured->values.curve_bytes =
		session->setting.kernel->knobs[slice->knob].kind == KNOB_BYTES;
}

/* Collects the values that a lesson can name. */
static void measure(const struct session *session, struct collected *measured)
{
	const struct classroom *classroom = &session->classroom;
	struct lesson_values *values = &measured->values;

	*values = (struct lesson_values){ .machine = session_machine(session),
		.no_core = !session->insight.loaded && session->insight.note[0] };
	measured->caches = insight_own_caches(session);
	values->caches = &measured->caches;
	measured->now = session->live.sample;
	values->now = &measured->now;
	measured->a = session->pinned.sample;
	if (session->pinned.there)
		values->a = &measured->a;
	if (insight_ready(session))
		values->limits = &session->insight.explanation->limits;
	if (classroom->a_known)
		values->a_limits = &classroom->a_limits;
	add_curve(session, measured);
}

/* Removes the times of a sample, and its clock if `clock` is true. */
static void hide_sample(struct sample *sample, bool time, bool clock)
{
	if (time)
		sample->cpe = sample->cpe_lo = sample->cpe_hi = sample->bytes_per_cycle = NAN;
	if (time || clock)
		sample->ns = sample->gbps = NAN;
	if (clock)
		sample->ghz = NAN;
}

/* Removes the values that the open question asks for. */
static void hide(struct collected *measured, unsigned hidden)
{
	struct lesson_values *values = &measured->values;

	hide_sample(&measured->now, hidden & HIDDEN_CPE, hidden & HIDDEN_CLOCK);
	hide_sample(&measured->a, hidden & HIDDEN_A, hidden & HIDDEN_CLOCK);
	/* The width of the core is no limit of the loop, so it stays visible. */
	values->width = lesson_width(values->limits);
	if (hidden & (HIDDEN_LIMITS | HIDDEN_BINDING) && values->limits) {
		measured->limits = *values->limits;
		mask_limits(&measured->limits);
		values->limits = &measured->limits;
	}
	if (hidden & (HIDDEN_LIMITS | HIDDEN_BINDING))
		values->a_limits = NULL;
	if (hidden & HIDDEN_CACHES)
		values->caches = NULL;
	if (hidden & (HIDDEN_CPE | HIDDEN_CURVE))
		values->curve_count = 0;
}

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

void classroom_end(struct session *session)
{
	struct classroom *classroom = &session->classroom;

	classroom_close(session);
	for (int i = 0; classroom->shown && i < SHOWN_COUNT; i++)
		text_free(&classroom->shown[i]);
	free(classroom->shown);
}

void classroom_go(struct session *session, int to)
{
	struct classroom *classroom = &session->classroom;
	const struct lesson_step *step = &classroom->lesson->step[to];
	struct status status = status_ok();
	struct setting setting;

	classroom->step = to;
	classroom->guessed = classroom->a_known = classroom->aside = false;
	guess_drop(session);
	overlay_open(session, OVERLAY_NONE);
	insight_want_advice(session, false);
	if (session->frozen)
		session_freeze(session, false);
	beside_close(session);
	if (setting_of(session, &setting)) {
		session_go(session, &setting);
		session_choose_knob(session,
			step->question.ask == ASK_KNEE ? step->question.knob : session->knob);
	}
	if (step->pinned.kernel)
		status = playback_allows(session, &step->pinned);
	if (!step->pinned.kernel || !status_is_ok(&status))
		session_unpin(session);
	else if (!session->pinned.there || !setting_equal(&session->pinned.setting, &step->pinned))
		session_pin_setting(session, &step->pinned);
	/* These commands run as soon as each can have an effect. */
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

/* ---- the question ---- */

/* Whether the machine has what the step needs. */
static bool is_here(const struct session *session, struct words *why)
{
	struct collected measured;

	measure(session, &measured);
	return is_step_recorded(session) &&
	       lesson_here(classroom_step(session), &measured.values, why);
}

/* Whether the step has a question that is not answered yet. */
static bool is_open(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);

	return step && step->question.ask != ASK_NOTHING && !taken(session)->answered &&
	       is_here(session, NULL);
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
	measure(session, &measured);
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

/* Returns the doubt about the sample of the step's A; NULL: none, or the step has no A. */
static const char *doubt_of_a(const struct session *session)
{
	return classroom_step(session)->pinned.kernel && session->pinned.sample.valid
		       ? sample_doubt(&session->pinned.sample)
		       : NULL;
}

/* Why the guess cannot be judged yet; NULL: it can. */
static const char *awaited(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);
	const struct live *live = &session->live;
	struct collected measured;
	const char *doubt;

	if (live->failed || step->question.ask == ASK_TEXT)
		return NULL;
	if (session->insight.reading)
		return "reading the code";
	/* Limits are computed, so no sample is needed to judge them. */
	if (step->question.ask == ASK_LIMIT)
		return NULL;
	/* The samples of a recording do not become better. */
	if (!live->sample.valid || !live->answered ||
		(live->sample.provisional && !session->replay))
		return "measuring";
	if (step->pinned.kernel && !session->pinned.there)
		return NULL;
	if (step->pinned.kernel && session->pinned.awaited && !doubt_of_a(session))
		return "measuring A";
	measure(session, &measured);
	if (!measured.complete && session->now - session->classroom.guessed_at < 4 * DOUBT_MOST)
		return "measuring the curve";
	doubt = sample_doubt(&live->sample);
	if (!doubt)
		doubt = doubt_of_a(session);
	if (session->replay || session->now - session->classroom.guessed_at >= DOUBT_MOST)
		return NULL;
	return doubt;
}

/* Replaces a kept text by a text of the lesson, with its values. */
static void keep(char **kept, const struct lesson_text *from, const struct lesson_values *values)
{
	struct text text = { 0 };

	lesson_fill(from, values, &text);
	free(*kept);
	*kept = memory_string(text_string(&text));
	text_free(&text);
}

/* Judges the guess by the present values, and keeps what a report needs. */
static void judge(struct session *session)
{
	struct classroom *classroom = &session->classroom;
	const struct lesson_step *step = classroom_step(session);
	struct step_taken *now = &classroom->taken[classroom->step];
	struct collected measured;
	struct status status = status_ok();

	measure(session, &measured);
	lesson_judge(step, &measured.values, &now->guess, &now->judgement);
	keep(&now->prompt, &step->question.prompt, &measured.values);
	keep(&now->explained, &step->explain, &measured.values);
	now->setting = session->setting;
	now->sample = session->live.sample;
	now->answered = true;
	classroom->guessed = false;
	answering_add(session);
	free(now->picture);
	now->picture = classroom->report ? report_picture(session) : NULL;
	if (classroom->report)
		status = report_save(session);
	if (!status_is_ok(&status))
		session_notice(session, true, "%s", status.text);
}

struct status classroom_report(struct session *session, const char *path)
{
	struct classroom *classroom = &session->classroom;
	struct status status = report_check(path);

	if (!status_is_ok(&status))
		return status;
	free(classroom->report);
	classroom->report = memory_string(path);
	return report_save(session);
}

void classroom_skip(struct session *session, bool wait)
{
	struct classroom *classroom = &session->classroom;

	classroom->taken[classroom->step].guess = (struct lesson_guess){ .skipped = true };
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

	if (!classroom->lesson)
		return false;
	if (!classroom->a_known && session->pinned.there && !session->pinned.awaited &&
		(explanation = insight_of(session, &session->pinned.setting))) {
		classroom->a_limits = explanation->limits;
		classroom->a_limits.insn = NULL;
		classroom->a_known = true;
	}
	if (!classroom->guessed)
		return false;
	if (!awaited(session)) {
		judge(session);
		return true;
	}
	if (doubt_of_a(session) && !session->replay)
		session_pin_again(session);
	return false;
}

/* ---- the view ---- */

/* Fills one of the texts of the view. */
static const char *shown(const struct session *session, int which, const struct lesson_text *text,
	const struct lesson_values *values)
{
	struct text *to = &session->classroom.shown[which];

	text_clear(to);
	lesson_fill(text, values, to);
	return text_string(to);
}

/* Returns the words of a question whose file has none; NULL: the text of the step asks. */
static const char *usual_prompt(enum lesson_ask ask)
{
	return ask == ASK_FASTER  ? "Which setting is faster, A or B?"
	       : ask == ASK_LIMIT ? "Which limit binds?"
				  : NULL;
}

/* Whether A is the setting that the step compares with: other settings that the user pins may show
 * the number that the question asks for. */
static bool is_own_a(const struct session *session)
{
	const struct lesson_step *step = classroom_step(session);

	return !session->beside.replay && step->pinned.kernel &&
	       setting_equal(&step->pinned, &session->pinned.setting);
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
	now = taken(session);
	lesson->title = classroom->lesson->title;
	lesson->step_title = step->title;
	lesson->step = classroom->step;
	lesson->steps = classroom->lesson->step_count;
	measure(session, &measured);
	here = is_here(session, NULL);
	lesson->aside = classroom->aside;
	lesson->asks = classroom_asks(session);
	lesson->away = classroom_away(session);
	lesson->awaited = classroom->guessed ? awaited(session) : NULL;
	lesson->answer_count = here ? lesson_answers(step, &measured.values, lesson->answer) : 0;
	lesson->free_text = step->question.ask == ASK_TEXT;
	view->hidden = classroom_hidden(session);
	if (view->hidden & HIDDEN_CPE && !is_own_a(session))
		view->hidden |= HIDDEN_A;
	mask_view(view);
	hide(&measured, view->hidden);
	lesson->absent = !is_step_recorded(session);
	lesson->text = shown(session, SHOWN_TEXT,
		here || lesson->absent ? &step->text : &step->otherwise, &measured.values);
	if (here && step->question.ask != ASK_NOTHING)
		lesson->prompt = step->question.prompt.words
					 ? shown(session, SHOWN_PROMPT, &step->question.prompt,
						   &measured.values)
					 : usual_prompt(step->question.ask);
	lesson->has_hint = here && step->hint.words;
	if (now->hinted && lesson->has_hint)
		lesson->hint = shown(session, SHOWN_HINT, &step->hint, &measured.values);
	if (now->answered)
		lesson->judgement = &now->judgement;
	if (now->answered)
		lesson->explain = now->explained;
	else if (here && step->question.ask == ASK_NOTHING && !lesson->away)
		lesson->explain = shown(session, SHOWN_EXPLAIN, &step->explain, &measured.values);
}

void classroom_summary(const struct session *session, struct text *text)
{
	const struct classroom *classroom = &session->classroom;
	int asked = 0, right = 0;

	for (int i = 0; i < classroom->lesson->step_count; i++) {
		const struct lesson_step *step = &classroom->lesson->step[i];
		const struct step_taken *now = &classroom->taken[i];

		if (step->question.ask == ASK_NOTHING)
			continue;
		asked++;
		right += now->answered && now->judgement.verdict == VERDICT_RIGHT;
		text_addf(text, "%d. %s\n", i + 1, step->title ? step->title : "");
		text_addf(text, "   %s\n", !now->answered ? "not answered" : now->judgement.words);
	}
	text_addf(text, "\n%d of %d questions were answered right.\n", right, asked);
}
