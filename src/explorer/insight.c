/* Finds the limits of the present setting. The session computes the limits again as soon as the
 * setting or the core changes. If the kernel's code must be single-stepped to find its executed
 * instructions, a background thread computes the limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/job.h"
#include "engine/own/own.h"
#include "explorer/advisable.h"
#include "explorer/state.h"

/* Seconds for which a setting must stay unchanged before the search for advice begins. The search
 * for advice explains up to 40 settings, which takes too long while the user holds a key down. */
static const double ADVICE_DELAY = 0.15;
/* Seconds for which a setting must stay unchanged before its code is stepped through. Stepping
 * through a kernel takes 20 to 50 ms, or 200 ms under a hypervisor that traps each step. */
static const double READING_DELAY = 0.06;

/* During the search for advice, seconds between two settings that are stepped through. While the
 * user waits for the advice, the shorter pause ADVICE_PAUSE_WANTED applies. */
static const double ADVICE_PAUSE = 0.1, ADVICE_PAUSE_WANTED = 0.01;

/* ---- in a background thread ---- */

/* Whether a background thread may read the kernel's code and compute its limits. */
static bool background_possible(const struct insight *insight, const struct kernel *kernel)
{
	return insight->explainer->background_explain && explain_cache_slow(kernel);
}

static void explain_in_background(void *context)
{
	struct background_explain *background = context;

	background->explainer->explain(
		background->explainer->context, &background->question, background->explanation);
}

static void background_begin(struct insight *insight, const struct explain_question *question,
	const struct setting *setting)
{
	struct background_explain *background = &insight->background_explain;

	if (!background->explanation)
		background->explanation = explanation_new();
	background->explainer = insight->explainer;
	background->setting = *setting;
	background->question = *question;
	background->question.kernel = background->setting.kernel;
	background->question.v = background->setting.v;
	background->stale = false;
	background->job = job_begin(explain_in_background, background);
}

static void background_wait(struct insight *insight)
{
	job_end(insight->background_explain.job);
	insight->background_explain.job = NULL;
}

void insight_spare_own(struct insight *insight, const struct kernel *newest)
{
	const struct kernel *kernel = insight->background_explain.setting.kernel;

	if (insight->background_explain.job && kernel->own && kernel != newest)
		background_wait(insight);
}

static bool background_take(struct insight *insight)
{
	struct background_explain *background = &insight->background_explain;

	if (!background->job || !job_over(background->job))
		return false;
	background_wait(insight);
	return !background->stale;
}

void insight_unload(struct insight *insight)
{
	background_wait(insight);
	if (insight->loaded)
		insight->explainer->unload(insight->explainer->context, &insight->core);
	insight->loaded = false;
	insight->setting.kernel = NULL;
	insight->reading = insight->renewing = false;
	explain_cache_clear(insight->explain_cache);
	explain_cache_clear(insight->quick);
}

void insight_start(struct session *session, const struct explainer *explainer, const char *uarch)
{
	struct insight *insight = &session->insight;

	memory_probe_init(&session->memory);
	insight->explainer = explainer;
	if (!explainer)
		return;
	insight->own = insight->explanation = explanation_new();
	insight->explain_cache = explain_cache_new();
	insight->quick = explain_cache_new();
	insight->scratch = explanation_new();
	snprintf(insight->wanted, sizeof(insight->wanted), "%s", uarch ? uarch : "");
	if (session->replay) {
		const struct replay_place *place = replay_summary(session->replay).place;
		const struct core *core = replay_summary(session->replay).core;

		insight->nearest = place->nearest;
		if (core && place->foreign)
			snprintf(insight->wanted, sizeof(insight->wanted), "%s", core->name);
	}
}

void insight_end(struct session *session)
{
	struct insight *insight = &session->insight;

	if (!insight->explainer)
		return;
	insight_unload(insight);
	explanation_free(insight->background_explain.explanation);
	for (int i = 0; i < insight->measured_count; i++)
		free(insight->measured[i]);
	free(insight->measured);
	explanation_free(insight->own);
	explanation_free(insight->scratch);
	explain_cache_free(insight->explain_cache);
	explain_cache_free(insight->quick);
	listing_free(insight->listing);
}
/* ---- the explanation ---- */

bool insight_foreign(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return insight->wanted[0] && !(insight->loaded && insight->fits) &&
	       !(insight->match == UARCH_EXACT && strcmp(insight->wanted, insight->running) == 0);
}

enum limit_kind insight_binding(const struct session *session)
{
	const struct limits *limits;

	if (!insight_ready(session) || insight_foreign(session))
		return LIMIT_COUNT;
	limits = &session->insight.explanation->limits;
	return limits->binding < 0 ? LIMIT_COUNT : limits->limit[limits->binding].kind;
}

bool insight_slow(const struct session *session)
{
	return !session->replay && explain_cache_slow(session->setting.kernel);
}

static struct explain_question question_of(const struct session *session)
{
	return (struct explain_question){
		.kernel = session->setting.kernel,
		.v = session->setting.v,
		.seed = session->seed,
		.uarch = session->insight.core.uarch,
		.foreign = insight_foreign(session),
		.machine = session_machine(session),
		.measured = session->memory.facts,
	};
}

static struct explain_question question_about(
	const struct session *session, const struct setting *setting)
{
	struct explain_question question = question_of(session);

	question.kernel = setting->kernel;
	question.v = setting->v;
	return question;
}

/* The session calls begin_advice() after the limits of the present setting were computed. Finds the
 * published cycles and the source code of the setting and the model's values of the counted events,
 * and begins the search for advice. */
static void begin_advice(struct session *session)
{
	struct insight *insight = &session->insight;
	const struct explanation *explanation = insight->explanation;
	const struct kernel *kernel = insight->setting.kernel;
	const char *function = status_is_ok(&explanation->status) ? explanation->function : NULL;

	insight->number++;
	insight->renewing = false;
	insight->advised = false;
	insight->advice_due = -INFINITY;
	insight->advice = (struct advice){ 0 };
	insight->is_published =
		published_find(&insight->setting, insight->core.name, &insight->published);
	insight->published_limits.known = false;
	if (insight->is_published && insight->published.doubt && !session->replay) {
		struct explain_question question = question_of(session);

		published_limits(&insight->published, insight->explainer, &question,
			insight->match == UARCH_EXACT ? insight->running : "",
			&insight->published_limits);
	}
	counted_renew(session);
	if (insight->source_of == kernel && insight->function == function)
		return;
	listing_free(insight->listing);
	insight->listing = listing_find(kernel, function);
	insight->source_of = kernel;
	insight->function = function;
}

static void read_code(struct session *session)
{
	struct insight *insight = &session->insight;
	struct explain_question question = question_of(session);
	bool slow = insight_slow(session);

	insight->explanation =
		slow ? explain_cache_keep(insight->explain_cache, &session->setting) : insight->own;
	insight->explainer->explain(insight->explainer->context, &question, insight->explanation);
	if (slow && status_is_ok(&insight->explanation->status))
		explain_cache_predict(insight->explain_cache, &session->setting,
			insight->explanation->limits.predicted);
	insight->reading = false;
	begin_advice(session);
}

void insight_renew(struct session *session)
{
	struct insight *insight = &session->insight;
	struct explanation *kept;

	if (!insight->loaded ||
		(insight->setting.kernel && setting_equal(&insight->setting, &session->setting)))
		return;
	if (insight->setting.kernel != session->setting.kernel)
		insight->code_first = 0;
	insight->setting = session->setting;
	insight->advice_wanted = false;
	insight->reading = insight->renewing = false;
	if (!insight_slow(session)) {
		read_code(session);
		return;
	}
	kept = explain_cache_find(insight->explain_cache, &session->setting);
	if (!kept) {
		insight->reading = true;
		return;
	}
	insight->explanation = kept;
	begin_advice(session);
}

void insight_forget(struct session *session)
{
	struct insight *insight = &session->insight;

	if (!insight->loaded)
		return;
	explain_cache_clear(insight->explain_cache);
	explain_cache_clear(insight->quick);
	insight->background_explain.stale = true;
	insight->setting.kernel = NULL;
	insight->reading = insight->renewing = false;
}

void insight_refresh(struct session *session)
{
	struct insight *insight = &session->insight;
	bool same = insight->setting.kernel && setting_equal(&insight->setting, &session->setting),
	     known = same && insight_shown(session), wanted = same && insight->advice_wanted;

	insight_forget(session);
	insight_renew(session);
	insight->renewing = known && insight->reading;
	insight->advice_wanted = wanted;
}

const struct explanation *insight_of(struct session *session, const struct setting *setting)
{
	struct insight *insight = &session->insight;
	struct explain_question question;

	if (!insight->loaded || explain_cache_slow(setting->kernel))
		return NULL;
	question = question_about(session, setting);
	insight->explainer->explain(insight->explainer->context, &question, insight->scratch);
	return insight->scratch;
}

static enum limit_kind binding_of(const struct explanation *explanation)
{
	const struct limits *limits = &explanation->limits;

	return status_is_ok(&explanation->status) && limits->binding >= 0
		       ? limits->limit[limits->binding].kind
		       : LIMIT_COUNT;
}

enum limit_kind insight_limit_of(struct session *session, const struct setting *setting)
{
	struct insight *insight = &session->insight;
	struct explain_question question;

	if (!insight->loaded || insight_foreign(session))
		return LIMIT_COUNT;
	insight->limit_wanted = background_possible(insight, setting->kernel);
	if (insight->limit_wanted)
		return LIMIT_COUNT;
	question = question_about(session, setting);
	insight->explainer->explain(insight->explainer->context, &question, insight->scratch);
	return binding_of(insight->scratch);
}

bool insight_take_limit(struct session *session, enum limit_kind *limit)
{
	bool found = session->insight.a_limit_found;

	if (found)
		*limit = session->insight.a_limit;
	session->insight.a_limit_found = false;
	return found;
}

/* ---- the advice ---- */

void insight_follow(struct session *session)
{
	struct insight *insight = &session->insight;

	insight->followed = (struct setting){ .kernel = NULL };
	if (!live_is_good(&session->live.sample))
		return;
	insight->followed = insight->advice.setting;
	insight->before_followed = session->live.sample.cpe;
}

/* Tells the user if the setting of the followed advice is measured and slower than the one before.
 */
static void judge_followed(struct session *session)
{
	struct insight *insight = &session->insight;
	const struct sample *sample = &session->live.sample;

	if (!insight->followed.kernel)
		return;
	if (!setting_equal(&insight->followed, &session->setting)) {
		insight->followed.kernel = NULL;
	} else if (live_is_good(sample)) {
		insight->followed.kernel = NULL;
		if (sample->cpe_lo > insight->before_followed * (1 + ADVICE_WORTH / 2))
			session_notice(session, true,
				"%s measured, %s before: the prediction was wrong; U goes back",
				units_value(sample->cpe).text,
				units_value(insight->before_followed).text);
	}
}

void insight_doubt(struct session *session)
{
	struct insight *insight = &session->insight;

	judge_followed(session);
	if (insight->advice.kind != ADVICE_KNOB ||
		!setting_equal(&insight->setting, &session->setting) ||
		!advisable_refuted(session, &insight->advice.setting))
		return;
	insight->advice = (struct advice){ 0 };
	insight->advised = false;
}

bool insight_advise(struct session *session)
{
	struct insight *insight = &session->insight;
	struct explain_question ask = question_of(session);
	bool slow = insight_slow(session),
	     background = slow && background_possible(insight, session->setting.kernel);
	struct setting later = { .kernel = NULL };
	struct advice_question question = { .setting = &session->setting,
		.explanation = insight->explanation,
		.explainer = insight->explainer,
		.ask = &ask,
		.memory_limits = session->memory_limits,
		.scratch = insight->scratch,
		.explain_cache = slow ? insight->explain_cache : insight->quick,
		.later = background ? &later : NULL,
		/* The limits of a long loop take up to 10 ms. Between two settings, keys are
		 * handled and the screen is drawn. */
		.fresh = !session->replay,
		.allowed = advisable_allowed,
		.ready = advisable_ready,
		.measured = advisable_measured,
		.context = session };

	if (insight->advised || !insight_ready(session))
		return insight->advised;
	question.also = advisable_block(session, &question.also_knob);
	insight->advised = advice_find(&question, &insight->advice);
	if (later.kernel)
		background_begin(insight, &ask, &later);
	insight->advice_due = session->now + (!slow			      ? 0
						     : insight->advice_wanted ? ADVICE_PAUSE_WANTED
									      : ADVICE_PAUSE);
	return insight->advised;
}

bool insight_advice_due(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return insight->advice_wanted && !insight->reading && insight->setting.kernel &&
	       (insight->advised || !insight_ready(session));
}

void insight_want_advice(struct session *session, bool wanted)
{
	session->insight.advice_wanted = wanted;
	if (wanted)
		session->insight.advice_due = session->now;
}

double insight_due(const struct session *session)
{
	const struct insight *insight = &session->insight;
	double since = isnan(session->live.changed_at) ? -INFINITY : session->live.changed_at;

	if (insight_thinks(session))
		return INFINITY;
	/* An own loop is stepped through only after it was measured, because it may crash or never
	 * end. */
	if (insight->reading && session->setting.kernel->own && !session->live.sample.valid)
		return INFINITY;
	if (insight->reading)
		return insight->setting.kernel ? since + READING_DELAY : INFINITY;
	if (insight->limit_wanted && insight->loaded)
		return -INFINITY;
	if (insight->advised || !insight_ready(session))
		return INFINITY;
	return fmax(since + ADVICE_DELAY, insight->advice_due);
}

bool insight_thinks(const struct session *session)
{
	return session->insight.background_explain.job;
}

/* Takes the explanation (limits of a setting) that the background thread has computed. The
 * background thread explains (finds the limits of) the present setting, or a setting of the search
 * for advice. */
static void take_background(struct session *session)
{
	struct insight *insight = &session->insight;
	struct background_explain *background = &insight->background_explain;

	explain_cache_predict(insight->explain_cache, &background->setting,
		advice_knows(background->explanation) ? background->explanation->limits.predicted
						      : (double)NAN);
	if (session->pinned.there &&
		setting_equal(&background->setting, &session->pinned.setting)) {
		insight->a_limit = binding_of(background->explanation);
		insight->a_limit_found = background->setting.kernel->own != NULL;
	}
	if (!insight->reading || !setting_equal(&background->setting, &session->setting))
		return;
	insight->explanation = background->explanation;
	background->explanation = explain_cache_put(
		insight->explain_cache, &background->setting, background->explanation);
	insight->reading = false;
	begin_advice(session);
}

bool insight_advance(struct session *session)
{
	struct insight *insight = &session->insight;
	bool taken = background_take(insight);

	if (taken)
		take_background(session);
	if (insight_thinks(session) || session->now < insight_due(session))
		return taken;
	if (!insight->reading && insight->limit_wanted) {
		const struct setting *a = &session->pinned.setting;

		insight->limit_wanted = false;
		if (session->pinned.there && a->kernel->own && !insight_foreign(session)) {
			const struct explain_question question = question_about(session, a);

			background_begin(insight, &question, a);
		}
		return taken;
	}
	if (!insight->reading)
		return insight_advise(session) || taken;
	if (background_possible(insight, session->setting.kernel)) {
		const struct explain_question question = question_of(session);

		background_begin(insight, &question, &session->setting);
		return taken;
	}
	read_code(session);
	return true;
}

int insight_code_lines(const struct session *session)
{
	return insight_shown(session) ? session->insight.explanation->loop.insn_count : 0;
}

void insight_scroll(struct session *session, int first)
{
	session->insight.code_first = first;
}

void insight_view(const struct session *session, struct view *view)
{
	const struct insight *insight = &session->insight;
	bool foreign = insight_foreign(session);

	view->code_first = insight->code_first;
	snprintf(view->limits_note, sizeof(view->limits_note), "%s", insight->note);
	if (!insight->loaded)
		return;
	view->core = &insight->core;
	view->foreign = foreign;
	view->nearest = insight->nearest && !insight->wanted[0];
	if (!insight->setting.kernel)
		return;
	view->limits_renewed = insight->renewing;
	if (insight->reading && !insight->renewing && status_is_ok(&insight->explanation->status) &&
		insight->explanation->loop.insn_count)
		view->outline = insight->explanation;
	if (insight->source_of == insight->setting.kernel &&
		(insight->reading || status_is_ok(&insight->explanation->status)))
		view->listing = insight->listing;
	if (insight->reading && !insight->renewing)
		snprintf(view->limits_note, sizeof(view->limits_note),
			session->live.failed && session->setting.kernel->own
				? "no limits yet: an own loop is analysed after its first "
				  "measurement"
				: "reading the code…");
	else if (!status_is_ok(&insight->explanation->status))
		snprintf(view->limits_note, sizeof(view->limits_note), "no limits: %.270s",
			insight->explanation->status.text);
	if (*view->limits_note)
		return;
	view->explanation = insight->explanation;
	view->published = insight->is_published ? &insight->published : NULL;
	view->published_limits = &insight->published_limits;
	gap_find(&view->sample, &insight->explanation->limits,
		foreign || view->nearest ? insight->core.title : NULL, view->nearest, &view->gap);
	view->advice = insight->advice;
}
