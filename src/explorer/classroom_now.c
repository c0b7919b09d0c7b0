#include <math.h>

#include "explorer/classroom_inside.h"
#include "explorer/mask.h"
#include "lesson/expression.h"

const struct lesson_step *classroom_step(const struct session *session)
{
	const struct classroom *classroom = &session->classroom;

	return classroom->lesson ? &classroom->lesson->step[classroom->step] : NULL;
}

const struct step_taken *classroom_taken(const struct session *session)
{
	return &session->classroom.taken[session->classroom.step];
}

bool classroom_setting(const struct session *session, struct setting *setting)
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

/* Whether a setting can be shown: in a replay, only settings in the recording can. */
static bool is_recorded(const struct session *session, const struct setting *setting)
{
	return !session->replay || replay_find(session->replay, setting) >= 0;
}

bool classroom_recorded(const struct session *session)
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

	if (classroom_setting(session, &setting) && !setting_equal(&setting, &session->setting))
		return true;
	return step->pinned.kernel &&
	       (!session->pinned.there || !setting_equal(&step->pinned, &session->pinned.setting));
}

/* ---- measured values ---- */

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

void classroom_measure(const struct session *session, struct collected *measured)
{
	const struct classroom *classroom = &session->classroom;
	struct lesson_values *values = &measured->values;

	*values = (struct lesson_values){ .machine = session_machine(session),
		.no_core = !session->insight.loaded && session->insight.note[0] };
	measured->caches = insight_own_caches(session);
	values->caches = &measured->caches;
	values->now = &measured->now;
	measured->now = (struct sample){ .valid = false };
	measured->complete = true;
	/* Values of another setting are none of the step. */
	if (classroom_away(session))
		return;
	measured->now = *live_best(&session->live);
	measured->a = session->pinned.sample;
	if (session->pinned.there)
		values->a = &measured->a;
	if (insight_ready(session))
		values->limits = &session->insight.explanation->limits;
	if (classroom->a_known)
		values->a_limits = &classroom->a_limits;
	add_curve(session, measured);
}

/* Replaces values of a sample by NAN: its times if `time` is true, its clock frequency if `clock`
 * is true. */
static void hide_sample(struct sample *sample, bool time, bool clock)
{
	if (time)
		sample->cpe = sample->cpe_lo = sample->cpe_hi = sample->bytes_per_cycle = NAN;
	if (time || clock)
		sample->ns = sample->gbps = NAN;
	if (clock)
		sample->ghz = NAN;
}

void classroom_hide(struct collected *measured, unsigned hidden)
{
	struct lesson_values *values = &measured->values;

	hide_sample(&measured->now, hidden & HIDDEN_CPE, hidden & HIDDEN_CLOCK);
	hide_sample(&measured->a, hidden & HIDDEN_A, hidden & HIDDEN_CLOCK);
	/* A question that hides the limits does not hide the core's width in micro-ops per cycle,
	 * which is the same for every loop. */
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

bool classroom_here(const struct session *session, struct words *why)
{
	struct collected measured;

	classroom_measure(session, &measured);
	return classroom_recorded(session) &&
	       lesson_here(classroom_step(session), &measured.values, why);
}
