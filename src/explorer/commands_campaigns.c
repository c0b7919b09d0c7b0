/* Commands for the probe and the core measurement. While the probe or the core measurement runs, it
 * replaces the live measurement of the present setting. After the probe or the core measurement,
 * the computed limits use its results. */
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

/* Passes the probe's latencies to the limits, so the explorer need not measure the latencies
 * again. */
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

/* Parses the names of parts of a probe, such as "latency tlb", and sets the bit of each named part
 * in *parts. */
static struct status read_parts(char *arguments, unsigned *parts)
{
	for (char *word; (word = strsep(&arguments, " "));) {
		enum probe_part part = probe_part_find(word);

		if (part == PROBE_PARTS)
			return status_usage(
				"probe only \"%.40s\": latency, tlb, line, bandwidth, parallel or "
				"cores",
				word);
		*parts |= 1u << part;
	}
	return status_ok();
}

static struct status begin_probe(struct session *session, unsigned parts)
{
	struct probe_options options = { .seed = session->seed, .parts = parts };
	struct probe *probe;
	struct status status;

	probe = probe_new(session_machine(session), &options, &status);
	if (!probe)
		return status;
	session_begin_campaign(session, CAMPAIGN_PROBE, &campaign_row_probe, probe);
	screen_bring(session, "probe");
	return status_ok();
}

/* Shows the probe that is running, or begins a probe. */
static struct status run_probe(
	const struct session *session, struct session *change, char *arguments)
{
	(void)arguments;
	if (change && !campaign_runs(session, CAMPAIGN_PROBE))
		return begin_probe(change, 0);
	if (change)
		screen_bring(change, "probe");
	return status_ok();
}

static struct status run_probe_only(
	const struct session *session, struct session *change, char *arguments)
{
	unsigned parts = 0;
	struct status status = *arguments
				       ? read_parts(arguments, &parts)
				       : status_usage("probe only takes parts: latency, tlb, line, "
						      "bandwidth, parallel, cores");

	(void)session;
	return change && status_is_ok(&status) ? begin_probe(change, parts) : status;
}

static struct status run_stop(const struct session *session, struct session *change, char *given)
{
	bool probe = strcmp(given, "probe") == 0;
	enum campaign_of which = probe ? CAMPAIGN_PROBE : CAMPAIGN_CORE;

	if (!campaign_runs(session, which))
		return status_usage(
			probe ? "no probe is running: \"probe\" starts one"
			      : "nothing is being characterised: \"characterise\" starts it");
	if (change)
		campaign_halt(change, which);
	return status_ok();
}

/* ---- characterising ---- */

static const struct characterise *core_of(const struct session *session)
{
	return session->campaigns[CAMPAIGN_CORE].campaign.self;
}

/* After this core was measured, uses the measured core model for its limits. */
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
		session_notice(session, true,
			"no core model could be made of the measured values: %.160s", status.text);
	else
		session_notice(session, false,
			"%s in %.0f s: the limits now come from it; \"characterise save\" keeps it",
			report->complete ? "measured" : "stopped", report->seconds);
}

const struct campaign_row campaign_row_core = {
	.kind = &campaign_characterise, .apart = true, .over = core_over
};

const struct characterise_report *session_core(const struct session *session)
{
	return campaign_runs(session, CAMPAIGN_CORE) ? characterise_report(core_of(session)) : NULL;
}

static struct status characterise_refusal(const struct session *session)
{
	const struct explainer *explainer = session->insight.explainer;

	if (session->replay)
		return playback_refuse(session);
	if (!explainer || !explainer->read)
		return status_usage("there are no core models here");
	if (session_apart(session))
		return status_usage("another measurement is running: stop it first");
	return machine_refusal(session);
}

static struct status run_characterise(
	const struct session *session, struct session *change, char *arguments)
{
	struct characterise_options options = { .seed = session->seed };
	struct characterise *machine;
	struct status status;

	(void)arguments;
	if (!change)
		return status_ok();
	machine = characterise_new(session_machine(session), &options, &status);
	if (machine)
		session_begin_campaign(change, CAMPAIGN_CORE, &campaign_row_core, machine);
	return status;
}

static struct status run_characterise_save(
	const struct session *session, struct session *change, char *arguments)
{
	const struct insight *insight = &session->insight;
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool kept;

	(void)arguments;
	if (!insight->adopted)
		return status_usage(
			"there is no measured core model to save: run \"characterise\" first");
	if (!change)
		return status_ok();
	text_addf(&name, "uarch/%s.uarch", insight->adopted_name);
	status = data_own_save(text_string(&name), insight->adopted, &path, &kept);
	if (status_is_ok(&status))
		session_notice(change, false, "saved as %.150s%s", text_string(&path),
			kept ? "; the previous file now ends in ~" : "");
	text_free(&name);
	text_free(&path);
	return status;
}

/* ---- the table ---- */

const struct command_row commands_campaigns[] = {
	{ "probe", .run = run_probe, .refusal = machine_refusal },
	{ "probe only", .run = run_probe_only, .refusal = machine_refusal },
	{ "probe stop", .run = run_stop, .given = "probe" },
	{ "characterise", .run = run_characterise, .refusal = characterise_refusal },
	{ "characterise stop", .run = run_stop, .given = "core" },
	{ "characterise save", .run = run_characterise_save },
	{ .name = NULL },
};
