/* Characterising in the explorer: it replaces the live measurement while it runs, and the limits
 * then use its core model. */
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "experiment/characterise/characterise.h"
#include "explorer/state.h"

static const struct characterise *machine_of(const struct session *session)
{
	return session->campaigns[CAMPAIGN_CORE].campaign.self;
}

/* The measured model becomes this core's. */
static void over(struct session *session)
{
	const struct characterise_report *report = characterise_report(machine_of(session));
	struct text model = { 0 };
	struct status status;

	if (!report->measured.width.known) {
		session_notice(session, true, "this core could not be measured: %.140s",
			report->note_count ? report->note[0] : "it was never quiet");
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
	.kind = &campaign_characterise, .apart = true, .over = over
};

const struct characterise_report *session_core(const struct session *session)
{
	return campaign_runs(session, CAMPAIGN_CORE) ? characterise_report(machine_of(session))
						     : NULL;
}

/* ---- commands ---- */

bool action_characterise_works(const struct session *session, const char *arguments)
{
	return session->machine_known && !session->replay && session->insight.explainer &&
	       session->insight.explainer->read && !session_apart(session);
}

struct status action_characterise(struct session *session, const char *arguments, double now)
{
	struct characterise_options options = { .seed = session->seed };
	struct characterise *machine;
	struct status status;

	if (session->replay)
		return playback_refuse(session);
	if (!session->insight.explainer || !session->insight.explainer->read)
		return status_usage("there are no core models here");
	if (!action_characterise_works(session, arguments))
		return status_usage(session_apart(session)
					    ? "another measurement runs: stop it first"
					    : "this machine is not known yet");
	machine = characterise_new(
		session->engine.machine(session->engine.context), &options, &status);
	if (!machine)
		return status;
	session_begin_campaign(session, CAMPAIGN_CORE, &campaign_row_core, machine, now);
	return status_ok();
}

struct status action_characterise_stop(struct session *session, const char *arguments, double now)
{
	if (!campaign_runs(session, CAMPAIGN_CORE))
		return status_usage("characterising does not run: \"characterise\" begins it");
	campaign_halt(session, CAMPAIGN_CORE, now);
	return status_ok();
}

bool action_characterise_stop_works(const struct session *session, const char *arguments)
{
	return campaign_runs(session, CAMPAIGN_CORE);
}

bool action_characterise_save_works(const struct session *session, const char *arguments)
{
	return session->insight.adopted != NULL;
}

struct status action_characterise_save(struct session *session, const char *arguments, double now)
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
