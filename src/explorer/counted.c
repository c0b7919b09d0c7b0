/* What is counted at the present setting, and what the model says it should be. */
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

/* ---- what to count ---- */

int counted_index(const struct event_plan *plan, const char *name)
{
	for (int i = 0; plan && i < plan->counters.count; i++)
		if (strcasecmp(plan->counters.event[i].name, name) == 0)
			return i;
	return -1;
}

/* Counts of one plan under another: what both count is known still. */
static void carry(const struct event_plan *from, const struct event_plan *to, struct counts *counts)
{
	struct counts old = *counts;

	if (!from || old.id != from->counters.id || old.count == 0)
		return;
	memset(counts->event, 0, sizeof(counts->event));
	counts->id = to->counters.id;
	counts->count = to->counters.count;
	for (int i = 0; i < to->counters.count; i++) {
		int before = counted_index(from, to->counters.event[i].name);

		if (before >= 0 && before < old.count)
			counts->event[i] = old.event[before];
	}
}

void counted_plan(struct session *session)
{
	struct counted *counted = &session->counted;
	const struct explainer *explainer = session->insight.explainer;
	struct event_plan *plan = memory_new(1, sizeof(*plan)), *old = counted->plan;

	explainer->events(explainer->context, session->engine.machine(session->engine.context),
		(const char *const *)counted->extra, counted->extra_count, plan);
	plan->counters.id = plan_id(counted) + 1;
	carry(old, plan, &session->live.counts);
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
		counted_plan(session);
}

void counted_format(const struct session *session, struct text *text)
{
	for (int i = 0; i < session->counted.extra_count; i++)
		text_addf(text, " --event %s", session->counted.extra[i]);
}

/* ---- what was counted ---- */

void counted_take(struct session *session, const struct result *result)
{
	struct counted *counted = &session->counted;
	const struct counts *counts = &result->counts;
	uint32_t id = plan_id(counted);

	if (id == 0 || !result->final || result->status.code != STATUS_OK ||
		session->live.asked_id != id)
		return;
	session->live.answered_id = id;
	if (counts->id == id) {
		counts_renew(&session->live.counts, counts);
		/* "This machine" in a recording is not the reader's. */
		snprintf(counted->why, sizeof(counted->why), "%s%s",
			session->engine.holds && !counts->count ? "when this was recorded: " : "",
			counts->count	 ? ""
			: counts->why[0] ? counts->why
					 : "nothing could be counted");
	} else if (counts->id == 0) {
		snprintf(counted->why, sizeof(counted->why), "%s",
			session->engine.holds ? "this was recorded without counters"
					      : "nothing is counted of this loop");
	}
}

void counted_recall(struct session *session, const struct cell *cell)
{
	if (cell && cell->counts && cell->counts->id == plan_id(&session->counted))
		session->live.counts = *cell->counts;
}

void counted_forget(struct session *session)
{
	session->counted.why[0] = '\0';
}

bool counted_awaited(const struct session *session)
{
	return session->live.answered_id != plan_id(&session->counted);
}

bool counted_there(const struct session *session)
{
	return session->counted.plan && session->counted.plan->counters.count > 0;
}

/* ---- beside the model ---- */

void counted_renew(struct session *session)
{
	struct counted *counted = &session->counted;
	const struct event_plan *plan = counted->plan;
	const struct explainer *explainer = session->insight.explainer;

	for (int i = 0; i < COUNTERS_MAX; i++)
		counted->modelled[i] = NAN;
	if (!plan || !explainer->modelled || !insight_ready(session))
		return;
	for (int i = 0; i < plan->counters.count; i++)
		counted->modelled[i] = explainer->modelled(
			explainer->context, &plan->meaning[i], session->insight.explanation);
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
		counters->modelled[i] = NAN;
	if (view->sample.valid && view->sample.cycles_from == SOURCE_COUNTER &&
		view->sample.check > 0)
		counters->check = view->sample.check;
	if (id == 0)
		return;
	if (session->live.counts.id == id)
		counters->counts = session->live.counts;
	if (counters->counts.count == 0)
		snprintf(counters->why, sizeof(counters->why), "%s", counted->why);
	if (view->explanation) {
		memcpy(counters->modelled, counted->modelled, sizeof(counters->modelled));
		counters->decoded = counts_decoded(view->explanation);
	}
	counters->counted = counts_of(counted->plan, &counters->counts, ROLE_INSTRUCTIONS);
	counters->ipc = counts_ipc(counted->plan, &counters->counts);
	counters->differ =
		counts_instructions_doubtful(counted->plan, &counters->counts, view->explanation);
}
