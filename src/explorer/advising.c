/* The advice on the present setting in the explorer: looked for a few settings at a time, and
 * followed on command. */
#include "base/units.h"
#include "explorer/actions.h"
#include "explorer/state.h"

/* Settings whose code is read at once, in a few milliseconds (0.2 to 1.1 each); the next as soon as
 * keys and frames had their turn. */
enum { ADVICE_AT_ONCE = 4 };
/* Of code that is stepped through one at a time, with pauses; shorter ones when someone waits for
 * it. */
static const double ADVICE_PAUSE = 0.1, ADVICE_PAUSE_WANTED = 0.01;

/* In a replay: whether the recording holds that setting. */
static bool is_recorded(const void *replay, const struct setting *setting)
{
	return replay_find(replay, setting) >= 0;
}

bool advise_on(struct session *session, double now)
{
	struct insight *insight = &session->insight;
	struct explain_question ask = insight_question(session);
	bool slow = insight_slow(session),
	     background_explain =
		     slow && background_explain_possible(insight, session->setting.kernel);
	struct setting later = { .kernel = NULL };
	struct advice_question question = { .setting = &session->setting,
		.explanation = insight->explanation,
		.explainer = insight->explainer,
		.ask = &ask,
		.memory_limits = session->memory_limits,
		.scratch = insight->scratch,
		.explain_cache = slow ? insight->explain_cache : insight->quick,
		.later = background_explain ? &later : NULL,
		.fresh = session->replay ? 0
			 : slow		 ? 1
					 : ADVICE_AT_ONCE,
		.allowed = session->replay ? is_recorded : NULL,
		.context = session->replay };

	if (insight->advised || !insight_ready(session))
		return insight->advised;
	insight->advised = advice_find(&question, &insight->advice);
	if (later.kernel)
		background_explain_begin(insight, &ask, &later);
	insight->advice_due = now + (!slow			     ? 0
					    : insight->remedy_wanted ? ADVICE_PAUSE_WANTED
								     : ADVICE_PAUSE);
	return insight->advised;
}

/* ---- commands ---- */

bool action_remedy_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return insight_ready(session) && session->insight.advice.kind == ADVICE_KNOB;
}

/* Turns the knob that was found, or says what would help. */
void advise_follow(struct session *session, double now)
{
	struct advice advice = session->insight.advice;
	char from[24];

	session->insight.remedy_wanted = false;
	if (!insight_ready(session) || advice.kind == ADVICE_NONE) {
		session_notice(
			session, true, "the limits are not known: there is nothing to advise");
	} else if (advice.kind == ADVICE_KNOB) {
		units_figure(advice.from, from, sizeof(from));
		session_go(session, &advice.setting, now);
		session->knob = advice.knob;
		plan_build(session); /* the second slice may run over that knob */
		session_notice(session, false, "%s, %s before", advice.words, from);
	} else {
		session_notice(session, false,
			session->replay
				? "no setting recorded beside this one gains 10 %% or more. %s"
				: "no knob gains 10 %% or more. %s",
			advice.words);
	}
}

struct status action_remedy(struct session *session, const char *arguments, double now)
{
	struct insight *insight = &session->insight;

	(void)arguments;
	if (!insight->reading && !insight_ready(session))
		return status_make(
			STATUS_USAGE, "the limits are not known: there is nothing to advise");
	if (insight_slow(session) && !insight->advised) {
		insight->remedy_wanted = true;
		insight->advice_due = now;
		session_notice(session, false, "reading the code of other settings…");
	} else {
		while (!advise_on(session, now) && insight_ready(session))
			;
		advise_follow(session, now);
	}
	return status_ok();
}
