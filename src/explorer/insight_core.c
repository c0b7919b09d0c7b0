/* The core for which limits are computed, and the measured costs of its caches and memory. The core
 * is the one on which the program runs, one that the user chose, or one that was measured here. */
#include <stdio.h>
#include <string.h>

#include "explorer/state.h"

/* If a measurement differs from its prediction by more than the share DRIFT, values of L3 and
 * memory that are older than RENEW_SECONDS are measured again. */
#define RENEW_SECONDS 5
#define DRIFT	      0.2

/* Returns the name of the core for which limits are predicted; empty: there is no core model. */
static const char *core_name(const struct insight *insight)
{
	if (insight->wanted[0])
		return insight->wanted;
	if (insight->adopted)
		return insight->adopted_name;
	return insight->match == UARCH_EXACT || insight->nearest ? insight->running : "";
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

/* The costs of instructions are computed with the core model. */
static void unload(struct session *session)
{
	campaign_end(session, CAMPAIGN_COST);
	insight_unload(&session->insight);
}

/* Loads the core model to predict with, unless that model is already loaded. */
static void load(struct session *session)
{
	struct insight *insight = &session->insight;
	const char *name = core_name(insight);
	struct status status;

	if (insight->loaded && strcmp(insight->core.name, name) == 0)
		return;
	unload(session);
	insight->note[0] = '\0';
	if (!name[0]) {
		note_core(session);
		return;
	}
	status = load_named(session, name, &insight->core);
	insight->loaded = status_is_ok(&status);
	insight->fits = insight->loaded && insight->core.uarch &&
			uarch_fits(insight->core.uarch, session_machine(session));
	if (!insight->loaded)
		snprintf(insight->note, sizeof(insight->note), "no limits: %.270s", status.text);
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
	unload(session);
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
	unload(session);
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

/* ---- caches and memory ---- */

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

/* Whether the measured speed differs from its prediction, which uses values of L3 or memory that
 * were measured some time ago. */
static bool memory_drifted(const struct session *session)
{
	const struct insight *insight = &session->insight;

	return memory_probe_drifted(&insight->explanation->limits, &session->live.sample, DRIFT) &&
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
		kernel_reach(kernel, session->setting.v), session->seed, request);
}

void insight_learn(struct session *session, const struct probe_report *report)
{
	if (memory_probe_learn(&session->memory, report))
		insight_refresh(session);
}

void insight_memory(struct session *session, const struct result *result)
{
	struct insight *insight = &session->insight;
	const struct uarch_cache *second =
		insight->core.uarch ? uarch_cache(insight->core.uarch, 2) : NULL;
	struct memory_probe was = session->memory;

	memory_probe_accept(
		&session->memory, session_machine(session), second ? second->latency : 0, result);
	session->insight.memory_at = session->now;
	/* If no measured latency has changed, the limits computed with these latencies remain
	 * valid. */
	if (memcmp(&was.facts, &session->memory.facts, sizeof(was.facts)) == 0)
		return;
	insight_refresh(session);
}
