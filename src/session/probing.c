/* The probe in the explorer: its commands, and its requests in place of live ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/actions.h"
#include "session/state.h"

bool probing_runs(const struct session *session)
{
	return session->probing.probe && session->probing.running;
}

/* The probe's own time stands still while it is paused. */
static double probe_time(const struct probing *probing, double now)
{
	return now - probing->paused;
}

void probing_end(struct session *session)
{
	probe_free(session->probing.probe);
	session->probing = (struct probing){ 0 };
}

void probing_lose(struct session *session)
{
	struct probing *probing = &session->probing;

	if (probing->generation)
		probe_lose(probing->probe);
	probing->generation = 0;
}

void probing_pause(struct session *session, bool pause, double now)
{
	struct probing *probing = &session->probing;

	if (!probing_runs(session))
		return;
	probing_lose(session);
	if (pause)
		probing->paused_at = now;
	else
		probing->paused += now - probing->paused_at;
}

/* What is measured now stands in for what the explorer would have measured by itself. */
static void finish(struct session *session)
{
	struct probing *probing = &session->probing;
	const struct probe_report *report = probe_report(probing->probe);

	probing->running = false;
	probing_lose(session);
	if (memory_probe_learn(&session->memory, report)) {
		insight_forget(session);
		insight_renew(session);
	}
	session_notice(session, false, report->complete ? "probed in %.1f s: \"slexplore probe\" prints the same" :
		"the probe was stopped after %.1f s", report->seconds);
}

bool probing_submit(struct session *session, double now, struct request *request)
{
	struct probing *probing = &session->probing;

	if (!probe_next(probing->probe, probe_time(probing, now), request)) {
		finish(session);
		return false;
	}
	probing->generation = request->generation = ++session->generation;
	return true;
}

void probing_take(struct session *session, const struct result *result, double now)
{
	struct probing *probing = &session->probing;

	if (!probing->generation || result->generation != probing->generation)
		return;
	probing->generation = 0;
	probe_accept(probing->probe, probe_time(probing, now), result);
}

void probing_view(const struct session *session, struct view *view)
{
	view->probe = session->probing.probe ? probe_report(session->probing.probe) : NULL;
	view->probing = probing_runs(session);
}

/* ---- commands ---- */

/* "latency tlb": a bit each. */
static struct status read_parts(const char *arguments, unsigned *parts)
{
	char *words = memory_string(arguments), *rest, *word;
	struct status status = status_ok();

	*parts = 0;
	for (word = strtok_r(words, " ", &rest); word && status_is_ok(&status); word = strtok_r(NULL, " ", &rest)) {
		enum probe_part part = probe_part_find(word);

		if (part == PROBE_PARTS)
			status = status_make(STATUS_USAGE, "probe only \"%.40s\": latency, tlb, line, bandwidth, parallel or cores", word);
		else
			*parts |= 1u << part;
	}
	free(words);
	return status;
}

static struct status begin(struct session *session, unsigned parts, double now)
{
	struct probe_options options = { .seed = session->seed, .parts = parts };
	struct probe *probe;
	struct status status;

	if (session->replay)
		return recorded_refuse(session);
	if (!session->machine_known)
		return status_make(STATUS_USAGE, "this machine is not known yet");
	probe = probe_new(session->engine.machine(session->engine.context), &options, &status);
	if (!probe)
		return status;
	session_interrupt(session);
	probing_end(session);
	session->probing = (struct probing){ .probe = probe, .running = true };
	session->frozen = false;
	return action_view(session, "probe", now);
}

/* While one is under way it comes to the front. */
struct status action_probe(struct session *session, const char *arguments, double now)
{
	(void)arguments;
	return probing_runs(session) ? action_view(session, "probe", now) : begin(session, 0, now);
}

struct status action_probe_only(struct session *session, const char *arguments, double now)
{
	unsigned parts;
	struct status status = read_parts(arguments, &parts);

	if (status_is_ok(&status) && !parts)
		status = status_make(STATUS_USAGE, "probe only takes parts: latency, tlb, line, bandwidth, parallel, cores");
	return status_is_ok(&status) ? begin(session, parts, now) : status;
}

bool action_probe_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return session->machine_known && !session->replay;
}

struct status action_probe_stop(struct session *session, const char *arguments, double now)
{
	(void)arguments;
	if (!probing_runs(session))
		return status_make(STATUS_USAGE, "no probe is under way; the command \"probe\" begins one");
	session_interrupt(session);
	probe_stop(session->probing.probe, probe_time(&session->probing, now));
	finish(session);
	return status_ok();
}

bool action_probe_stop_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return probing_runs(session);
}
