/* Finds the limits of the present setting. The session computes the limits again as soon as the
 * setting or the core changes. If the kernel's code must be single-stepped to find its executed
 * instructions, a background thread computes the limits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/job.h"
#include "engine/own/own.h"
#include "explorer/state.h"

/* Values of L3 and memory that differ from a measurement are measured again after RENEW_SECONDS. */
#define RENEW_SECONDS 5

/* Seconds for which a setting must stay unchanged before the search for advice begins. The search
 * for advice explains up to 40 settings, which takes too long while the user holds a key down. */
static const double ADVICE_DELAY = 0.15;
/* Seconds for which a setting must stay unchanged before its code is stepped through. Stepping
 * through a kernel takes 20 to 50 ms, or 200 ms under a hypervisor that traps each step. */
static const double READING_DELAY = 0.06;

/* Number of settings whose limits one call of insight_advise() computes, in 0.2 to 1.1 ms each.
 * Keys are handled and the screen is drawn between two calls of insight_advise(). */
enum { ADVICE_AT_ONCE = 4 };
/* During the search for advice, seconds between two settings that are stepped through. While the
 * user waits for the advice, the shorter pause ADVICE_PAUSE_WANTED applies. */
static const double ADVICE_PAUSE = 0.1, ADVICE_PAUSE_WANTED = 0.01;

/* ---- in a background thread ---- */

/* Whether a background thread may read the kernel's code and compute its limits. Own loops are
 * excluded, because the session may replace their code at any time. */
static bool background_possible(const struct insight *insight, const struct kernel *kernel)
{
	return insight->explainer->background_explain && kernel->stepped && !kernel->own;
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

static bool background_take(struct insight *insight)
{
	struct background_explain *background = &insight->background_explain;

	if (!background->job || !job_over(background->job))
		return false;
	background_wait(insight);
	return !background->stale;
}

/* ---- which core ---- */

/* Returns the name of the core for which limits are predicted; empty: there is no core model. */
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
	background_wait(insight);
	if (insight->loaded)
		insight->explainer->unload(insight->explainer->context, &insight->core);
	insight->loaded = false;
	insight->setting.kernel = NULL;
	insight->reading = false;
	explain_cache_clear(insight->explain_cache);
	explain_cache_clear(insight->quick);
}

/* Writes the note that says why there is no core model to predict with. */
static void note_core(struct session *session)
{
	struct insight *insight = &session->insight;
	const char *why =
		session->replay ? replay_summary(session->replay).place->note : insight->why;
	struct core core;
	struct status status;

	if (session->replay) {
		snprintf(insight->note, sizeof(insight->note), "no limits were recorded%s%.250s",
			*why ? ": " : "", why);
	} else if (insight->match == UARCH_NEAREST) {
		status = insight->explainer->load(insight->explainer->context, insight->running,
			session_machine(session)->arch, &core);
		snprintf(insight->note, sizeof(insight->note),
			"core not recognised; nearest: %.40s. u uses it (and marks all results), M "
			"measures this core, --uarch NAME chooses another.%s%.130s%s",
			status_is_ok(&status) ? core.title : insight->running, *why ? " (" : "",
			why, *why ? ")" : "");
		if (status_is_ok(&status))
			insight->explainer->unload(insight->explainer->context, &core);
	} else {
		snprintf(insight->note, sizeof(insight->note),
			"core not recognised: no limits. M measures this core; the command \"uarch "
			"NAME\" predicts for a known core.");
	}
}

/* Loads the core model with this name: the model that was measured here, or a file. */
static struct status load_named(const struct session *session, const char *name, struct core *core)
{
	const struct insight *insight = &session->insight;
	const struct explainer *explainer = insight->explainer;

	return insight->adopted && strcmp(name, insight->adopted_name) == 0
		       ? explainer->read(explainer->context, insight->adopted, core)
		       : explainer->load(
				 explainer->context, name, session_machine(session)->arch, core);
}

bool insight_copy_core(const struct session *session, struct core *core)
{
	struct status status;

	if (!session->insight.loaded)
		return false;
	status = load_named(session, core_name(&session->insight), core);
	return status_is_ok(&status);
}

bool insight_shipped_core(const struct session *session, struct core *core)
{
	const struct insight *insight = &session->insight;
	struct status status;

	if (!insight->running[0])
		return false;
	status = insight->explainer->load(insight->explainer->context, insight->running,
		session_machine(session)->arch, core);
	return status_is_ok(&status);
}

/* Loads the core model to predict with, unless that model is already loaded. */
static void load(struct session *session)
{
	struct insight *insight = &session->insight;
	const char *name = core_name(insight);
	struct status status;

	if (insight->loaded && strcmp(insight->core.name, name) == 0)
		return;
	unload(insight);
	insight->note[0] = '\0';
	if (!name[0]) {
		note_core(session);
		return;
	}
	status = load_named(session, name, &insight->core);
	insight->loaded = status_is_ok(&status);
	if (!insight->loaded)
		snprintf(insight->note, sizeof(insight->note), "no limits: %.270s", status.text);
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
	unload(insight);
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

/* If the running core has no model, shows a message that offers to measure the core. */
static void offer(struct session *session)
{
	const struct insight *insight = &session->insight;

	if (insight->match != UARCH_EXACT && !insight->wanted[0] && !session->replay &&
		insight->explainer->read)
		session_notice(session, false,
			"no core model fits this processor: M measures one in 20 s%s",
			insight->match == UARCH_NEAREST ? "; u takes the nearest" : "");
}

void insight_look(struct session *session)
{
	struct insight *insight = &session->insight;

	if (!insight->explainer)
		return;
	insight->looked = true;
	insight->match = insight->explainer->recognise(insight->explainer->context,
		session_machine(session), insight->running, insight->why);
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
	insight->measured = memory_grow(
		insight->measured, (size_t)insight->measured_count, sizeof(*insight->measured));
	insight->adopted = insight->measured[insight->measured_count++] = memory_string(text);
	snprintf(insight->adopted_name, sizeof(insight->adopted_name), "%s", name);
	insight->wanted[0] = '\0';
	load(session);
	insight_renew(session);
	return status;
}

struct status insight_ask(struct session *session, const char *name)
{
	struct insight *insight = &session->insight;
	struct core core = { 0 };
	struct status status = status_ok();

	if (*name)
		status = insight->explainer->load(
			insight->explainer->context, name, session_machine(session)->arch, &core);
	if (!status_is_ok(&status))
		return status;
	snprintf(insight->wanted, sizeof(insight->wanted), "%s",
		strchr(name, '/') ? name : core.name);
	if (*name)
		insight->explainer->unload(insight->explainer->context, &core);
	load(session);
	insight_renew(session);
	return status;
}

struct core_choice insight_choice(const struct session *session)
{
	const struct insight *insight = &session->insight;
	struct core_choice choice = { .nearest = insight->nearest, .adopted = insight->adopted };

	memcpy(choice.wanted, insight->wanted, sizeof(choice.wanted));
	return choice;
}

void insight_choose(struct session *session, const struct core_choice *choice)
{
	struct insight *insight = &session->insight;

	/* All core models measured on this machine have the same name, so a name cannot show
	 * whether the right model is loaded: always unload. */
	unload(insight);
	memcpy(insight->wanted, choice->wanted, sizeof(insight->wanted));
	insight->nearest = choice->nearest;
	insight->adopted = choice->adopted;
	load(session);
	insight_renew(session);
}

void insight_take_nearest(struct session *session)
{
	session->insight.nearest = true;
	insight_ask(session, "");
}

bool insight_foreign(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return insight->wanted[0] &&
	       !(insight->match == UARCH_EXACT && strcmp(insight->wanted, insight->running) == 0);
}

/* ---- the explanation ---- */

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

struct cache_sizes insight_caches(const struct session *session)
{
	return cache_sizes(session->machine_known ? session_machine(session) : NULL,
		session->insight.core.uarch, insight_foreign(session), &session->memory.facts);
}

struct cache_sizes insight_own_caches(const struct session *session)
{
	if (!insight_foreign(session))
		return insight_caches(session);
	return cache_sizes(session->machine_known ? session_machine(session) : NULL, NULL, false,
		&session->memory.facts);
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
	insight->background_explain.stale = true;
	insight->setting.kernel = NULL;
	insight->reading = false;
}

const struct explanation *insight_of(struct session *session, const struct setting *setting)
{
	struct insight *insight = &session->insight;
	struct explain_question question;

	if (!insight->loaded || explain_cache_slow(setting->kernel))
		return NULL;
	question = question_of(session);
	question.kernel = setting->kernel;
	question.v = setting->v;
	insight->explainer->explain(insight->explainer->context, &question, insight->scratch);
	return insight->scratch;
}

enum limit_kind insight_limit_of(struct session *session, const struct setting *setting)
{
	struct insight *insight = &session->insight;
	struct explain_question question;
	const struct limits *limits = &insight->scratch->limits;

	if (!insight->loaded || insight_foreign(session))
		return LIMIT_COUNT;
	question = question_of(session);
	question.kernel = setting->kernel;
	question.v = setting->v;
	insight->explainer->explain(insight->explainer->context, &question, insight->scratch);
	return status_is_ok(&insight->scratch->status) && limits->binding >= 0
		       ? limits->limit[limits->binding].kind
		       : LIMIT_COUNT;
}

/* Call memory_known() after a new L3 or memory latency was measured. The limits of the present
 * setting are then computed again. */
static void memory_known(struct session *session)
{
	insight_forget(session);
	insight_renew(session);
}

/* Whether the measured speed differs from its prediction, which uses values of L3 or memory that
 * were measured some time ago. */
static bool memory_drifted(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return memory_probe_drifted(&insight->explanation->limits, &session->live.sample) &&
	       insight->memory_at + RENEW_SECONDS <= session->now;
}

bool insight_lacks_memory(struct session *session, struct request *request)
{
	const struct kernel *kernel = session->setting.kernel;

	if (!insight_ready(session) || insight_foreign(session))
		return false;
	if (memory_drifted(session)) {
		session->insight.memory_at = session->now;
		memory_probe_renew(&session->memory);
	}

	return memory_probe_next(&session->memory, session_machine(session),
		kernel_footprint(kernel, session->setting.v), session->seed, request);
}

void insight_learn(struct session *session, const struct probe_report *report)
{
	if (memory_probe_learn(&session->memory, report))
		memory_known(session);
}

void insight_memory(struct session *session, const struct result *result)
{
	struct insight *insight = &session->insight;
	const struct uarch_cache *cache[2] = { NULL, NULL };
	struct memory_probe was = session->memory;

	for (int level = 1; insight->core.uarch && level <= 2; level++)
		cache[level - 1] = uarch_cache(insight->core.uarch, level);
	memory_probe_accept(&session->memory, session_machine(session),
		cache[0] ? cache[0]->latency : 0, cache[1] ? cache[1]->latency : 0, result);
	session->insight.memory_at = session->now;
	/* If no measured latency has changed, the limits computed with these latencies remain
	 * valid. */
	if (memcmp(&was.facts, &session->memory.facts, sizeof(was.facts)) == 0)
		return;
	memory_known(session);
}

/* ---- the advice ---- */

/* Whether the replayed recording contains a sample of a setting. */
static bool is_recorded(const void *replay, const struct setting *setting)
{
	return replay_find(replay, setting) >= 0;
}

/* Whether an own loop is compiled for a setting. The search for advice runs in the thread of the
 * screen, which must not wait for the compiler. */
static bool is_compiled(const void *nothing, const struct setting *setting)
{
	(void)nothing;
	return own_is_built(setting->kernel->own, setting->v);
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
		.fresh = session->replay ? 0
			 : slow		 ? 1
					 : ADVICE_AT_ONCE,
		.allowed = session->replay		  ? is_recorded
			   : session->setting.kernel->own ? is_compiled
							  : NULL,
		.context = session->replay };

	if (insight->advised || !insight_ready(session))
		return insight->advised;
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

	return insight->advice_wanted && !insight->reading &&
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
	return insight_ready(session) ? session->insight.explanation->loop.insn_count : 0;
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
	if (insight->reading && status_is_ok(&insight->explanation->status) &&
		insight->explanation->loop.insn_count)
		view->outline = insight->explanation;
	if (insight->source_of == insight->setting.kernel &&
		(insight->reading || status_is_ok(&insight->explanation->status)))
		view->listing = insight->listing;
	if (insight->reading)
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
