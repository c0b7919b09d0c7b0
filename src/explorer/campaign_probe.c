/* The probe in the explorer: its commands, and what follows from its report. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/probe/probe.h"
#include "explorer/state.h"

const struct probe_report *session_probe(const struct session *session)
{
	const struct probe *probe = session->campaigns[CAMPAIGN_PROBE].campaign.self;

	return probe ? probe_report(probe) : NULL;
}

/* The probe's values replace those that the explorer would have measured by itself. */
static void over(struct session *session)
{
	const struct probe_report *report = session_probe(session);

	insight_learn(session, report);
	session_notice(session, false,
		report->complete ? "probed in %.1f s: \"slexplore probe\" prints the same"
				 : "the probe was stopped after %.1f s",
		report->seconds);
}

const struct campaign_row campaign_row_probe = {
	.kind = &campaign_probe, .apart = true, .over = over
};

/* ---- commands ---- */

/* "latency tlb": a bit each. */
static struct status read_parts(const char *arguments, unsigned *parts)
{
	char *words = memory_string(arguments), *rest, *word;
	struct status status = status_ok();

	*parts = 0;
	for (word = strtok_r(words, " ", &rest); word && status_is_ok(&status);
		word = strtok_r(NULL, " ", &rest)) {
		enum probe_part part = probe_part_find(word);

		if (part == PROBE_PARTS)
			status = status_usage(
				"probe only \"%.40s\": latency, tlb, line, bandwidth, parallel or "
				"cores",
				word);
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
		return playback_refuse(session);
	if (!session->machine_known)
		return status_usage("this machine is not known yet");
	probe = probe_new(session->engine.machine(session->engine.context), &options, &status);
	if (!probe)
		return status;
	session_begin_campaign(session, CAMPAIGN_PROBE, &campaign_row_probe, probe, now);
	screen_bring(session, "probe");
	return status_ok();
}

/* Shows the probe that runs, or begins one. */
struct status action_probe(struct session *session, const char *arguments, double now)
{
	if (!campaign_runs(session, CAMPAIGN_PROBE))
		return begin(session, 0, now);
	screen_bring(session, "probe");
	return status_ok();
}

struct status action_probe_only(struct session *session, const char *arguments, double now)
{
	unsigned parts;
	struct status status = read_parts(arguments, &parts);

	if (status_is_ok(&status) && !parts)
		status = status_usage(
			"probe only takes parts: latency, tlb, line, bandwidth, parallel, cores");
	return status_is_ok(&status) ? begin(session, parts, now) : status;
}

bool action_probe_works(const struct session *session, const char *arguments)
{
	return session->machine_known && !session->replay;
}

struct status action_probe_stop(struct session *session, const char *arguments, double now)
{
	if (!campaign_runs(session, CAMPAIGN_PROBE))
		return status_usage("no probe runs: \"probe\" begins one");
	campaign_halt(session, CAMPAIGN_PROBE, now);
	return status_ok();
}

bool action_probe_stop_works(const struct session *session, const char *arguments)
{
	return campaign_runs(session, CAMPAIGN_PROBE);
}
