/* Characterising in the explorer: the running core measures itself in place of live figures, and its limits follow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "session/actions.h"
#include "session/characterise.h"
#include "session/state.h"

bool characterising_runs(const struct session *session)
{
	return session->characterising.machine && session->characterising.running;
}

static double own_time(const struct characterising *characterising, double now)
{
	return now - characterising->paused;
}

void characterising_end(struct session *session)
{
	characterise_free(session->characterising.machine);
	session->characterising = (struct characterising){ 0 };
}

void characterising_lose(struct session *session)
{
	struct characterising *characterising = &session->characterising;

	if (characterising->generation)
		characterise_lose(characterising->machine);
	characterising->generation = 0;
}

void characterising_pause(struct session *session, bool pause, double now)
{
	struct characterising *characterising = &session->characterising;

	if (!characterising_runs(session))
		return;
	characterising_lose(session);
	if (pause)
		characterising->paused_at = now;
	else
		characterising->paused += now - characterising->paused_at;
}

/* What was measured is this core's model from now on. */
static void finish(struct session *session)
{
	struct characterising *characterising = &session->characterising;
	const struct characterise_report *report = characterise_report(characterising->machine);
	struct text model = { 0 };
	struct status status;

	characterising->running = false;
	characterising_lose(session);
	if (!report->measured.width.known) {
		session_notice(session, true, "this core could not be measured: %.140s", report->note_count ? report->note[0] : "it was never quiet");
		return;
	}
	characterise_model(report, &model, NULL);
	status = insight_adopt(session, text_string(&model), report->name);
	text_free(&model);
	if (!status_is_ok(&status))
		session_notice(session, true, "what was measured makes no core model: %.160s", status.text);
	else
		session_notice(session, false, "%s in %.0f s: limits are this core's; \"characterise save\" keeps them",
			report->complete ? "measured" : "stopped", report->seconds);
}

bool characterising_submit(struct session *session, double now, struct request *request)
{
	struct characterising *characterising = &session->characterising;

	if (!characterise_next(characterising->machine, own_time(characterising, now), request)) {
		finish(session);
		return false;
	}
	characterising->generation = request->generation = ++session->generation;
	return true;
}

void characterising_take(struct session *session, const struct result *result, double now)
{
	struct characterising *characterising = &session->characterising;

	if (!characterising->generation || result->generation != characterising->generation)
		return;
	characterising->generation = 0;
	characterise_accept(characterising->machine, own_time(characterising, now), result);
}

const struct characterise_report *characterising_view(const struct session *session)
{
	return characterising_runs(session) ? characterise_report(session->characterising.machine) : NULL;
}

void characterising_stop(struct session *session, double now)
{
	if (!characterising_runs(session))
		return;
	session_interrupt(session);
	characterise_stop(session->characterising.machine, own_time(&session->characterising, now));
	finish(session);
}

/* ---- commands ---- */

bool action_characterise_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return session->machine_known && !session->replay && session->insight.explainer && session->insight.explainer->read &&
		!session_apart(session);
}

struct status action_characterise(struct session *session, const char *arguments, double now)
{
	struct characterise_options options = { .seed = session->seed };
	struct characterise *machine;
	struct status status;

	(void)arguments, (void)now;
	if (session->replay)
		return recorded_refuse(session);
	if (!session->insight.explainer || !session->insight.explainer->read)
		return status_make(STATUS_USAGE, "there are no core models here that one could be measured for");
	if (!action_characterise_works(session, arguments))
		return status_make(STATUS_USAGE, session_apart(session) ? "something else is being measured; end that first" :
			"this machine is not known yet");
	machine = characterise_new(session->engine.machine(session->engine.context), &options, &status);
	if (!machine)
		return status;
	session_interrupt(session);
	characterising_end(session);
	session->characterising = (struct characterising){ .machine = machine, .running = true };
	session->frozen = false;
	return status_ok();
}

struct status action_characterise_stop(struct session *session, const char *arguments, double now)
{
	(void)arguments;
	if (!characterising_runs(session))
		return status_make(STATUS_USAGE, "this core is not being measured; the command \"characterise\" begins it");
	characterising_stop(session, now);
	return status_ok();
}

bool action_characterise_stop_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return characterising_runs(session);
}

bool action_characterise_save_works(const struct session *session, const char *arguments)
{
	(void)arguments;
	return session->insight.adopted != NULL;
}

struct status action_characterise_save(struct session *session, const char *arguments, double now)
{
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool aside;

	(void)arguments, (void)now;
	if (!session->insight.adopted)
		return status_make(STATUS_USAGE, "nothing was measured of this core that could be saved; the command \"characterise\" does");
	text_addf(&name, "uarch/%s.uarch", session->insight.adopted_name);
	status = data_own_save(text_string(&name), session->insight.adopted, &path, &aside);
	if (status_is_ok(&status))
		session_notice(session, false, "saved as %.150s%s", text_string(&path), aside ? "; the file that was there now ends in ~" : "");
	text_free(&name);
	text_free(&path);
	return status;
}
