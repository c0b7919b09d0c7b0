#include "explorer/counted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "explorer/state.h"
#include "model/counts/counts.h"

static uint32_t plan_id(const struct counted *counted)
{
	return counted->plan ? counted->plan->counters.id : 0;
}

/* ---- the events to count ---- */

static int plan_index(const struct event_plan *plan, const char *name)
{
	for (int i = 0; plan && i < plan->counters.count; i++)
		if (strcasecmp(plan->counters.event[i].name, name) == 0)
			return i;
	return -1;
}

int counted_index(const struct counted *counted, const char *name)
{
	return plan_index(counted->plan, name);
}

int counted_extra(const struct counted *counted, const char *name)
{
	for (int i = 0; i < counted->extra_count; i++)
		if (strcasecmp(counted->extra[i], name) == 0)
			return i;
	return -1;
}

/* Copies event counts from one event plan (the list of events to count) to another plan. Events
 * that are in both event plans keep their counts. */
static void carry(const struct event_plan *from, const struct event_plan *to, struct counts *counts)
{
	struct counts old = *counts;

	if (!from || old.id != from->counters.id || old.count == 0)
		return;
	memset(counts->event, 0, sizeof(counts->event));
	counts->id = to->counters.id;
	counts->count = to->counters.count;
	for (int i = 0; i < to->counters.count; i++) {
		int before = plan_index(from, to->counters.event[i].name);

		if (before >= 0 && before < old.count)
			counts->event[i] = old.event[before];
	}
}

/* Makes a new plan of events to count, which includes the events that the user named. */
static void make_plan(struct session *session)
{
	struct counted *counted = &session->counted;
	const struct explainer *explainer = session->insight.explainer;
	struct event_plan *plan = memory_new(1, sizeof(*plan)), *old = counted->plan;

	explainer->events(explainer->context, session_machine(session),
		(const char *const *)counted->extra, counted->extra_count, plan);
	plan->counters.id = plan_id(counted) + 1;
	carry(old, plan, &counted->counts);
	counted->plan = plan;
	counted->why[0] = '\0';
	free(old);
	counted_renew(session);
}

void counted_start(struct session *session, const struct session_options *options)
{
	struct counted *counted = &session->counted;

	for (int i = 0; i < options->event_count && i < EXTRA_EVENTS; i++)
		counted->extra[counted->extra_count++] = memory_string(options->events[i]);
}

void counted_end(struct session *session)
{
	struct counted *counted = &session->counted;

	for (int i = 0; i < counted->extra_count; i++)
		free(counted->extra[i]);
	free(counted->plan);
}

void counted_look(struct session *session)
{
	if (session->insight.explainer && session->insight.explainer->events)
		make_plan(session);
}

void counted_format(const struct session *session, struct text *text)
{
	for (int i = 0; i < session->counted.extra_count; i++)
		text_addf(text, " --event %s", session->counted.extra[i]);
}

/* ---- results ---- */

void counted_restart(struct session *session)
{
	struct counted *counted = &session->counted;

	counted->asked_id = counted->answered_id = 0;
	memset(&counted->counts, 0, sizeof(counted->counts));
}

void counted_asked(struct session *session)
{
	session->counted.asked_id = plan_id(&session->counted);
}

void counted_take(struct session *session, const struct result *result)
{
	struct counted *counted = &session->counted;
	const struct counts *counts = &result->counts;
	uint32_t id = plan_id(counted);

	if (id == 0 || !result->final || result->status.code != STATUS_OK ||
		counted->asked_id != id)
		return;
	counted->answered_id = id;
	if (counts->id == id) {
		counts_renew(&counted->counts, counts);
		/* A recorded reason why events were not counted may say "this machine" and mean the
		 * recorded machine. */
		snprintf(counted->why, sizeof(counted->why), "%s%s",
			session->engine.holds && !counts->count ? "when this was recorded: " : "",
			counts->count	 ? ""
			: counts->why[0] ? counts->why
					 : "nothing could be counted");
	} else if (counts->id == 0) {
		snprintf(counted->why, sizeof(counted->why), "%s",
			session->engine.holds ? "this setting was recorded without counters"
					      : "no event is counted for this loop");
	}
}

void counted_recall(struct session *session, const struct cell *cell)
{
	if (cell->counts && cell->counts->id == plan_id(&session->counted))
		session->counted.counts = *cell->counts;
}

void counted_forget(struct session *session)
{
	session->counted.why[0] = '\0';
}

bool counted_awaited(const struct session *session)
{
	return session->counted.answered_id != plan_id(&session->counted);
}

bool counted_there(const struct session *session)
{
	return counted_lines(session) > 0;
}

/* ---- events that the user named ---- */

struct status counted_check(const struct session *session, const char *name)
{
	struct counter_code code;
	const struct counted *counted = &session->counted;
	const struct engine *engine = &session->engine;

	if (!*name)
		return status_usage(
			"event needs an event's name in libpfm; find (/) searches for one");
	if (!counted->plan)
		return status_usage(session->machine_known
					    ? "no hardware events are counted here"
					    : "slexplore has not identified this machine yet");
	if (!engine->encodes)
		return status_usage(
			"event %.60s: a replay cannot count; it shows the recorded counts", name);
	if (counted->extra_count == EXTRA_EVENTS || counted->plan->counters.count == COUNTERS_MAX)
		return status_usage("event %.60s: %d events are counted already, which is the "
				    "most; drop one with event drop",
			name, counted->plan->counters.count);
	return engine->encodes(name, &code);
}

void counted_add(struct session *session, const char *name)
{
	struct counted *counted = &session->counted;

	counted->extra[counted->extra_count++] = memory_string(name);
	make_plan(session);
}

void counted_drop(struct session *session, int index)
{
	struct counted *counted = &session->counted;
	int first = index < 0 ? 0 : index, end = index < 0 ? counted->extra_count : index + 1;

	for (int i = first; i < end; i++)
		free(counted->extra[i]);
	memmove(&counted->extra[first], &counted->extra[end],
		(size_t)(counted->extra_count - end) * sizeof(counted->extra[0]));
	counted->extra_count -= end - first;
	if (counted->plan)
		make_plan(session);
}

/* ---- the view ---- */

void counted_model(const struct session *session, const struct explanation *explanation,
	double modelled[COUNTERS_MAX])
{
	const struct explainer *explainer = session->insight.explainer;
	const struct event_plan *plan = session->counted.plan;

	for (int i = 0; i < COUNTERS_MAX; i++)
		modelled[i] = plan && i < plan->counters.count && explainer->modelled && explanation
				      ? explainer->modelled(
						explainer->context, &plan->meaning[i], explanation)
				      : NAN;
}

void counted_renew(struct session *session)
{
	counted_model(session, insight_ready(session) ? session->insight.explanation : NULL,
		session->counted.modelled);
}

int counted_lines(const struct session *session)
{
	return session->counted.plan ? session->counted.plan->counters.count : 0;
}

void counted_scroll(struct session *session, int first)
{
	session->counted.first = first;
}

void counted_view(const struct session *session, struct view *view)
{
	const struct counted *counted = &session->counted;
	struct view_counters *counters = &view->counters;
	uint32_t id = plan_id(counted);

	counters->plan = counted->plan;
	counters->first = counted->first;
	counters->ipc = counters->counted = counters->decoded = counters->check = NAN;
	for (int i = 0; i < COUNTERS_MAX; i++)
		counters->modelled[i] = view->explanation ? counted->modelled[i] : NAN;
	if (view->sample.valid && view->sample.cycles_from == SOURCE_COUNTER &&
		view->sample.check > 0)
		counters->check = view->sample.check;
	if (id == 0)
		return;
	if (counted->counts.id == id)
		counters->counts = counted->counts;
	if (counters->counts.count == 0)
		snprintf(counters->why, sizeof(counters->why), "%s", counted->why);
	if (view->explanation)
		counters->decoded = counts_decoded(view->explanation);
	counters->counted = counts_of(counted->plan, &counters->counts, ROLE_INSTRUCTIONS);
	counters->ipc = counts_ipc(counted->plan, &counters->counts);
	counters->differ =
		counts_instructions_doubtful(counted->plan, &counters->counts, view->explanation);
}
