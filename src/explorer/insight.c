/* What limits the present setting: asked of the explainer whenever the setting or the core changes,
 * in the same step; and the commands that have to do with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explorer/actions.h"
#include "explorer/state.h"

/* Advice asks for up to 40 settings: only of one that stays, never while a key is held down. */
static const double ADVICE_DELAY = 0.15;
/* Code that is stepped through takes some 20 to 50 ms to read: not in a key's frame, and not while
 * a key repeats. */
static const double READING_DELAY = 0.06;

/* ---- which core ---- */

static const struct machine *machine_of(const struct session *session)
{
	return session->engine.machine(session->engine.context);
}

/* The core that is asked about: empty when there is none to ask about. */
static const char *core_name(const struct insight *insight)
{
	if (insight->wanted[0])
		return insight->wanted;
	if (insight->adopted)
		return insight->adopted_name;
	return insight->match == UARCH_EXACT || insight->nearest ? insight->running : "";
}

static void unload(struct insight *insight)
{
	background_explain_wait(insight);
	if (insight->loaded)
		insight->explainer->unload(insight->explainer->context, &insight->core);
	insight->loaded = false;
	insight->setting.kernel = NULL;
	insight->reading = false;
	explain_cache_clear(insight->explain_cache);
	explain_cache_clear(insight->quick);
}

/* Why there is no core to ask about. */
static void note_core(struct insight *insight, const char *isa)
{
	struct core core;
	struct status status;

	if (insight->match == UARCH_NEAREST) {
		status = insight->explainer->load(
			insight->explainer->context, insight->running, isa, &core);
		snprintf(insight->note, sizeof(insight->note),
			"core not recognised; nearest: %.40s. Press u to use it, marked as "
			"such, or M to measure this one, or start with --uarch NAME.%s%.130s%s",
			status_is_ok(&status) ? core.title : insight->running,
			insight->why[0] ? " (" : "", insight->why, insight->why[0] ? ")" : "");
		if (status_is_ok(&status))
			insight->explainer->unload(insight->explainer->context, &core);
	} else {
		snprintf(insight->note, sizeof(insight->note),
			"core not recognised: no limits. M measures it; the command \"uarch NAME\" "
			"predicts for a core that is known.");
	}
}

/* Loads the core that is asked about, if it is not there yet. */
static void load(struct session *session)
{
	struct insight *insight = &session->insight;
	const char *name = core_name(insight);
	struct status status;

	if (insight->loaded && strcmp(insight->core.name, name) == 0)
		return;
	unload(insight);
	insight->note[0] = '\0';
	if (!name[0] && session->replay)
		snprintf(insight->note, sizeof(insight->note), "no limits were recorded%s%.250s",
			replay_place(session->replay)->note[0] ? ": " : "",
			replay_place(session->replay)->note);
	else if (!name[0])
		note_core(insight, machine_of(session)->arch);
	if (!name[0])
		return;
	if (insight->adopted && strcmp(name, insight->adopted_name) == 0)
		status = insight->explainer->read(
			insight->explainer->context, insight->adopted, &insight->core);
	else
		status = insight->explainer->load(insight->explainer->context, name,
			machine_of(session)->arch, &insight->core);
	insight->loaded = status_is_ok(&status);
	if (!insight->loaded)
		snprintf(insight->note, sizeof(insight->note), "no limits: %s", status.text);
}

void insight_start(struct session *session, const struct explainer *explainer, const char *uarch)
{
	struct insight *insight = &session->insight;

	insight->explainer = explainer;
	if (!explainer)
		return;
	insight->own = insight->explanation = explanation_new();
	insight->explain_cache = explain_cache_new();
	insight->quick = explain_cache_new();
	insight->scratch = explanation_new();
	snprintf(insight->wanted, sizeof(insight->wanted), "%s", uarch ? uarch : "");
	if (!session->replay)
		return;
	insight->nearest = replay_place(session->replay)->nearest;
	if (replay_core(session->replay) && replay_place(session->replay)->foreign)
		snprintf(insight->wanted, sizeof(insight->wanted), "%s",
			replay_core(session->replay)->name);
}

void insight_end(struct session *session)
{
	struct insight *insight = &session->insight;

	if (!insight->explainer)
		return;
	unload(insight);
	background_explain_end(insight);
	free(insight->adopted);
	explanation_free(insight->own);
	explanation_free(insight->scratch);
	explain_cache_free(insight->explain_cache);
	explain_cache_free(insight->quick);
	listing_free(insight->listing);
}

/* A core that no file is of can measure itself. */
static void offer(struct session *session)
{
	const struct insight *insight = &session->insight;

	if (insight->match != UARCH_EXACT && !insight->wanted[0] && !session->replay &&
		insight->explainer->read)
		session_notice(session, false,
			"no core model fits this processor: M measures it in 20 s%s",
			insight->match == UARCH_NEAREST ? "; u takes the nearest" : "");
}

void insight_look(struct session *session)
{
	struct insight *insight = &session->insight;

	if (!insight->explainer)
		return;
	insight->looked = true;
	insight->match = insight->explainer->recognise(
		insight->explainer->context, machine_of(session), insight->running, insight->why);
	load(session);
	insight_renew(session);
	offer(session);
}

struct status insight_adopt(struct session *session, const char *text, const char *name)
{
	struct insight *insight = &session->insight;
	struct core core;
	struct status status = insight->explainer->read(insight->explainer->context, text, &core);

	if (!status_is_ok(&status))
		return status;
	insight->explainer->unload(insight->explainer->context, &core);
	unload(insight);
	free(insight->adopted);
	insight->adopted = memory_string(text);
	snprintf(insight->adopted_name, sizeof(insight->adopted_name), "%s", name);
	insight->wanted[0] = '\0';
	load(session);
	insight_renew(session);
	windowing_renew(session);
	return status;
}

bool insight_foreign(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return insight->wanted[0] &&
	       !(insight->match == UARCH_EXACT && strcmp(insight->wanted, insight->running) == 0);
}

/* ---- the explanation ---- */

bool insight_ready(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return insight->setting.kernel && !insight->reading &&
	       status_is_ok(&insight->explanation->status);
}

enum limit_kind insight_binding(const struct session *session)
{
	const struct limits *limits;

	if (!insight_ready(session) || insight_foreign(session))
		return LIMIT_COUNT;
	limits = &session->insight.explanation->limits;
	return limits->binding < 0 ? LIMIT_COUNT : limits->limit[limits->binding].kind;
}

static void find_source(struct insight *insight)
{
	const struct explanation *explanation = insight->explanation;
	const struct kernel *kernel = insight->setting.kernel;
	const char *function = status_is_ok(&explanation->status) ? explanation->function : NULL;

	if (insight->source_of == kernel && insight->function == function)
		return;
	listing_free(insight->listing);
	insight->listing = listing_find(kernel, function);
	insight->source_of = kernel;
	insight->function = function;
}

bool insight_slow(const struct session *session)
{
	return !session->replay && explain_cache_slow(session->setting.kernel);
}

struct explain_question insight_question(const struct session *session)
{
	return (struct explain_question){
		.kernel = session->setting.kernel,
		.v = session->setting.v,
		.seed = session->seed,
		.uarch = session->insight.core.uarch,
		.foreign = insight_foreign(session),
		.machine = machine_of(session),
		.l3 = session->memory.l3,
		.memory = session->memory.memory,
		.point = { session->memory.point[0], session->memory.point[1] },
	};
}

/* The explanation is there, and its advice is to be found. */
static void begin_advice(struct session *session)
{
	struct insight *insight = &session->insight;

	insight->advised = false;
	insight->advice_due = -INFINITY;
	memset(&insight->advice, 0, sizeof(insight->advice));
	find_source(insight);
	counted_renew(session);
}

static void read_code(struct session *session)
{
	struct insight *insight = &session->insight;
	struct explain_question question = insight_question(session);
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
	insight->remedy_wanted = false;
	insight->reading = false;
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
	background_explain_forget(insight);
	insight->setting.kernel = NULL;
	insight->reading = false;
}

const struct explanation *insight_of(struct session *session, const struct setting *setting)
{
	struct insight *insight = &session->insight;
	struct explain_question question;

	if (!insight->loaded || explain_cache_slow(setting->kernel))
		return NULL;
	question = insight_question(session);
	question.kernel = setting->kernel;
	question.v = setting->v;
	insight->explainer->explain(insight->explainer->context, &question, insight->scratch);
	return insight->scratch;
}

void insight_memory(struct session *session, const struct result *result)
{
	struct insight *insight = &session->insight;
	const struct uarch_cache *cache[2] = { NULL, NULL };
	struct memory_probe was = session->memory;

	for (int level = 1; insight->core.uarch && !insight_foreign(session) && level <= 2; level++)
		cache[level - 1] = uarch_cache(insight->core.uarch, level);
	memory_probe_accept(&session->memory, machine_of(session), cache[0] ? cache[0]->latency : 0,
		cache[1] ? cache[1]->latency : 0, result);
	/* Code that is stepped through is not read again for nothing. */
	if (was.l3.known == session->memory.l3.known &&
		was.memory.known == session->memory.memory.known &&
		memcmp(was.point, session->memory.point, sizeof(was.point)) == 0)
		return;
	insight_forget(session);
	insight_renew(session);
}

double insight_due(const struct session *session)
{
	const struct insight *insight = &session->insight;
	double since = isnan(session->live.changed_at) ? -INFINITY : session->live.changed_at;

	if (background_explain_runs(insight))
		return INFINITY;
	/* An own loop may crash or never end: it is stepped through once it has shown that it does
	 * neither. */
	if (insight->reading && session->setting.kernel->own && !session->live.sample.valid)
		return INFINITY;
	if (insight->reading)
		return insight->setting.kernel ? since + READING_DELAY : INFINITY;
	if (insight->advised || !insight_ready(session))
		return INFINITY;
	return fmax(since + ADVICE_DELAY, insight->advice_due);
}

bool insight_thinks(const struct session *session)
{
	return background_explain_runs(&session->insight);
}

/* What was read aside: of the present setting, or of another that the advice asks about. */
static void take_aside(struct session *session, double now)
{
	struct insight *insight = &session->insight;
	struct background_explain *background_explain = &insight->background_explain;

	if (advice_knows(background_explain->explanation))
		explain_cache_predict(insight->explain_cache, &background_explain->setting,
			background_explain->explanation->limits.predicted);
	else
		explain_cache_predict(insight->explain_cache, &background_explain->setting, NAN);
	if (!insight->reading || !setting_equal(&background_explain->setting, &session->setting))
		return;
	insight->explanation = background_explain->explanation;
	background_explain->explanation = explain_cache_put(insight->explain_cache,
		&background_explain->setting, background_explain->explanation);
	insight->reading = false;
	begin_advice(session);
	if (insight->remedy_wanted && !insight_ready(session))
		advise_follow(session, now);
}

bool insight_advance(struct session *session, double now)
{
	struct insight *insight = &session->insight;
	bool taken = background_explain_take(insight);

	if (taken)
		take_aside(session, now);
	if (background_explain_runs(insight) || now < insight_due(session))
		return taken;
	if (insight->reading && background_explain_possible(insight, session->setting.kernel)) {
		const struct explain_question question = insight_question(session);

		background_explain_begin(insight, &question, &session->setting);
		return taken;
	}
	if (session->insight.reading) {
		read_code(session);
		if (session->insight.remedy_wanted && !insight_ready(session))
			advise_follow(session, now);
		return true;
	}
	if (!advise_on(session, now))
		return taken;
	if (session->insight.remedy_wanted)
		advise_follow(session, now);
	return true;
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
	if (insight->reading) {
		snprintf(view->limits_note, sizeof(view->limits_note),
			session->live.failed && session->setting.kernel->own
				? "no limits: a loop is read once it has been measured"
				: "reading the code…");
		if (status_is_ok(&insight->explanation->status) &&
			insight->explanation->loop.insn_count)
			view->outline = insight->explanation;
		view->listing =
			insight->source_of == insight->setting.kernel ? insight->listing : NULL;
		return;
	}
	if (!status_is_ok(&insight->explanation->status)) {
		snprintf(view->limits_note, sizeof(view->limits_note), "no limits: %s",
			insight->explanation->status.text);
		return;
	}
	view->explanation = insight->explanation;
	gap_find(&view->sample, &insight->explanation->limits,
		foreign || view->nearest ? insight->core.title : NULL, view->nearest, &view->gap);
	view->advice = insight->advice;
	view->listing = insight->listing;
}

/* ---- commands ---- */

static struct status no_model(void)
{
	return status_make(STATUS_USAGE, "no core models are at hand");
}

/* What was recorded holds the limits of one core. */
static struct status keeps_core(const struct session *session)
{
	const struct core *core = replay_core(session->replay);

	return status_make(STATUS_USAGE, "a replay shows the limits that were recorded%s%s",
		core ? ": those of " : ", and none were", core ? core->title : "");
}

struct status action_uarch(struct session *session, const char *arguments, double now)
{
	struct insight *insight = &session->insight;
	struct status status;
	struct core core;

	(void)now;
	if (session->replay)
		return keeps_core(session);
	if (!insight->explainer || !insight->looked)
		return insight->explainer
			       ? status_make(STATUS_USAGE, "this machine is not known yet")
			       : no_model();
	if (*arguments) {
		status = insight->explainer->load(
			insight->explainer->context, arguments, machine_of(session)->arch, &core);
		if (!status_is_ok(&status))
			return status;
		snprintf(insight->wanted, sizeof(insight->wanted), "%s",
			strchr(arguments, '/') ? arguments : core.name);
		insight->explainer->unload(insight->explainer->context, &core);
	} else {
		insight->wanted[0] = '\0';
	}
	load(session);
	insight_renew(session);
	windowing_renew(session);
	if (insight_foreign(session))
		session_notice(session, false,
			"limits are now predicted for %s, not this core; \"uarch\" goes back",
			insight->core.title);
	return status_ok();
}

bool action_uarch_works(const struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;

	return insight->explainer && insight->looked && !session->replay &&
	       strcmp(arguments, insight->wanted) != 0;
}

bool action_uarch_nearest_works(const struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;

	(void)arguments;
	return insight->explainer && insight->match == UARCH_NEAREST && !insight->nearest &&
	       !session->replay;
}

struct status action_uarch_nearest(struct session *session, const char *arguments, double now)
{
	(void)arguments, (void)now;
	if (session->replay)
		return keeps_core(session);
	if (!session->insight.explainer)
		return no_model();
	if (session->insight.match != UARCH_NEAREST)
		return status_make(
			STATUS_USAGE, session->insight.match == UARCH_EXACT
					      ? "this core has a model of its own"
					      : "no core that is known is near this one");
	session->insight.nearest = true;
	session->insight.wanted[0] = '\0';
	load(session);
	insight_renew(session);
	return status_ok();
}
