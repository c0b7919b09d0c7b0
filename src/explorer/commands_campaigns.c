/* The probe and characterising in the explorer: they replace the live measurement while they run,
 * and the limits then use their results. */
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "explorer/actions.h"

/* ---- the probe ---- */

const struct probe_report *session_probe(const struct session *session)
{
	const struct probe *probe = session->campaigns[CAMPAIGN_PROBE].campaign.self;

	return probe ? probe_report(probe) : NULL;
}

/* The probe's values replace those that the explorer would have measured by itself. */
static void probe_over(struct session *session)
{
	const struct probe_report *report = session_probe(session);

	insight_learn(session, report);
	session_notice(session, false,
		report->complete ? "probed in %.1f s: \"slexplore probe\" prints the same"
				 : "the probe was stopped after %.1f s",
		report->seconds);
}

const struct campaign_row campaign_row_probe = {
	.kind = &campaign_probe, .apart = true, .over = probe_over
};

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

static struct status begin_probe(struct session *session, unsigned parts)
{
	struct probe_options options = { .seed = session->seed, .parts = parts };
	struct probe *probe;
	struct status status;

	if (session->replay)
		return playback_refuse(session);
	if (!session->machine_known)
		return status_usage("this machine is not known yet");
	probe = probe_new(session_machine(session), &options, &status);
	if (!probe)
		return status;
	session_begin_campaign(session, CAMPAIGN_PROBE, &campaign_row_probe, probe);
	screen_bring(session, "probe");
	return status_ok();
}

/* Shows the probe that runs, or begins one. */
static struct status run_probe(struct session *session, const char *arguments)
{
	if (!campaign_runs(session, CAMPAIGN_PROBE))
		return begin_probe(session, 0);
	screen_bring(session, "probe");
	return status_ok();
}

static struct status run_probe_only(struct session *session, const char *arguments)
{
	unsigned parts;
	struct status status = read_parts(arguments, &parts);

	if (status_is_ok(&status) && !parts)
		status = status_usage(
			"probe only takes parts: latency, tlb, line, bandwidth, parallel, cores");
	return status_is_ok(&status) ? begin_probe(session, parts) : status;
}

static bool works_probe(const struct session *session, const char *arguments)
{
	return session->machine_known && !session->replay;
}

static struct status run_probe_stop(struct session *session, const char *arguments)
{
	if (!campaign_runs(session, CAMPAIGN_PROBE))
		return status_usage("no probe runs: \"probe\" begins one");
	campaign_halt(session, CAMPAIGN_PROBE);
	return status_ok();
}

static bool works_probe_stop(const struct session *session, const char *arguments)
{
	return campaign_runs(session, CAMPAIGN_PROBE);
}

/* ---- characterising ---- */

static const struct characterise *core_of(const struct session *session)
{
	return session->campaigns[CAMPAIGN_CORE].campaign.self;
}

/* The measured model becomes this core's. */
static void core_over(struct session *session)
{
	const struct characterise_report *report = characterise_report(core_of(session));
	struct text model = { 0 };
	struct status status;

	if (!report->measured.width.known) {
		session_notice(session, true, "this core could not be measured: %.140s",
			report->notes.count ? report->notes.note[0] : "it was never quiet");
		return;
	}
	characterise_model(report, &model, NULL);
	status = insight_adopt(session, text_string(&model), report->name);
	curves_renew(session);
	text_free(&model);
	if (!status_is_ok(&status))
		session_notice(session, true, "the measured values make no core model: %.160s",
			status.text);
	else
		session_notice(session, false,
			"%s in %.0f s: limits are this core's; \"characterise save\" keeps them",
			report->complete ? "measured" : "stopped", report->seconds);
}

const struct campaign_row campaign_row_core = {
	.kind = &campaign_characterise, .apart = true, .over = core_over
};

const struct characterise_report *session_core(const struct session *session)
{
	return campaign_runs(session, CAMPAIGN_CORE) ? characterise_report(core_of(session)) : NULL;
}

static bool works_characterise(const struct session *session, const char *arguments)
{
	return session->machine_known && !session->replay && session->insight.explainer &&
	       session->insight.explainer->read && !session_apart(session);
}

static struct status run_characterise(struct session *session, const char *arguments)
{
	struct characterise_options options = { .seed = session->seed };
	struct characterise *machine;
	struct status status;

	if (session->replay)
		return playback_refuse(session);
	if (!session->insight.explainer || !session->insight.explainer->read)
		return status_usage("there are no core models here");
	if (!works_characterise(session, arguments))
		return status_usage(session_apart(session)
					    ? "another measurement runs: stop it first"
					    : "this machine is not known yet");
	machine = characterise_new(session_machine(session), &options, &status);
	if (!machine)
		return status;
	session_begin_campaign(session, CAMPAIGN_CORE, &campaign_row_core, machine);
	return status_ok();
}

static struct status run_characterise_stop(struct session *session, const char *arguments)
{
	if (!campaign_runs(session, CAMPAIGN_CORE))
		return status_usage("characterising does not run: \"characterise\" begins it");
	campaign_halt(session, CAMPAIGN_CORE);
	return status_ok();
}

static bool works_characterise_stop(const struct session *session, const char *arguments)
{
	return campaign_runs(session, CAMPAIGN_CORE);
}

static bool works_characterise_save(const struct session *session, const char *arguments)
{
	return session->insight.adopted != NULL;
}

static struct status run_characterise_save(struct session *session, const char *arguments)
{
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool background_explain;
	if (!session->insight.adopted)
		return status_usage("there is no measured core model to save: run "
				    "\"characterise\" first");
	text_addf(&name, "uarch/%s.uarch", session->insight.adopted_name);
	status = data_own_save(
		text_string(&name), session->insight.adopted, &path, &background_explain);
	if (status_is_ok(&status))
		session_notice(session, false, "saved as %.150s%s", text_string(&path),
			background_explain ? "; the file that was there now ends in ~" : "");
	text_free(&name);
	text_free(&path);
	return status;
}

/* ---- the table ---- */

const struct command_row commands_campaigns[] = {
	{ "probe", "", "measure the memory hierarchy of this machine, in seconds", run_probe,
		works_probe, COMMAND_FOUND },
	{ "probe only", "PART …",
		"measure parts of it: latency, tlb, line, bandwidth, parallel, cores",
		run_probe_only, works_probe },
	{ "probe stop", "", "end it, and keep the results so far", run_probe_stop,
		works_probe_stop },
	{ "characterise", "", "characterise this core, and use the measured model",
		run_characterise, works_characterise, COMMAND_FOUND },
	{ "characterise stop", "", "end it, and keep the results so far", run_characterise_stop,
		works_characterise_stop },
	{ "characterise save", "", "save the measured core model", run_characterise_save,
		works_characterise_save },
	{ .name = NULL },
};
