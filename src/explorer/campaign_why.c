/* Measures the loop on screen with and without changes that show why it is slower than its limit
 * (experiment/why/why.h). The user starts the measurement of the causes of a gap. The measurement
 * of the causes runs alongside the live measurement, and ends early if the setting on screen
 * changes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "experiment/advice/gap.h"
#include "experiment/why/why.h"
#include "explorer/actions.h"

static const struct why_report *report_of(const struct session *session)
{
	const struct why *why = session->campaigns[CAMPAIGN_WHY].campaign.self;

	return why ? why_report(why) : NULL;
}

/* Returns the report about the causes of the gap of the setting on screen; NULL: no causes were
 * measured. */
static const struct why_report *present(const struct session *session)
{
	const struct why_report *report = report_of(session);

	if (session->replay)
		return replay_why(session->replay, replay_find(session->replay, &session->setting));
	return report && setting_equal(&report->setting, &session->setting) ? report : NULL;
}

static bool is_wanted(const struct session *session)
{
	return present(session) && session->live.answered && !session->live.failed;
}

static void show(struct session *session)
{
	const struct why_report *report = present(session);
	char *page;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	why_print(out, report);
	fclose(out);
	overlay_page(session, "why", "why the loop is slower than its limit", page);
}

static void over(struct session *session)
{
	const struct why_report *report = report_of(session);
	int compared = why_compared(report);

	if (session->recording && report->complete)
		recording_why(session->recording, report);
	if (!report->complete)
		return;
	if (session->screen.overlay == OVERLAY_NONE)
		show(session);
	if (report->gap > 0)
		session_notice(session, false, "%d pair%s compared in %.1f s", compared,
			compared == 1 ? "" : "s", report->seconds);
	else
		session_notice(session, false, "%s",
			report->below ? why_below
				      : "the loop is as fast as predicted: nothing to explain");
}

static const struct campaign_row row = { .kind = &campaign_why, .wanted = is_wanted, .over = over };

void why_advance(struct session *session)
{
	if (session->campaigns[CAMPAIGN_WHY].running && !present(session))
		campaign_end(session, CAMPAIGN_WHY);
}

void why_view(const struct session *session, struct view *view)
{
	/* The causes were found with the model of this core. */
	view->why = insight_foreign(session) ? NULL : present(session);
}

/* ---- The command */

static double predict(void *context, const struct setting *setting)
{
	const struct explanation *explanation = insight_of(context, setting);

	return explanation && status_is_ok(&explanation->status) &&
			       explanation->limits.predicted_by >= 0
		       ? explanation->limits.predicted
		       : NAN;
}

static bool has_gap(const struct session *session)
{
	return session->live.sample.valid &&
	       session->live.sample.cpe >
		       (1 + WHY_GAP) * session->insight.explanation->limits.bound;
}

static struct status refusal(const struct session *session)
{
	if (session->replay && !present(session))
		return playback_refuse(session);
	if (session->replay)
		return status_ok();
	if (session->setting.kernel->function)
		return status_usage("the loops of a program are not run, so there is no gap");
	if (session->live.failed)
		return status_usage("this setting could not be measured, so it has no gap");
	if (session->insight.reading)
		return status_usage("the speed limits of this setting are being computed: press "
				    "again when they are on screen");
	if (!insight_ready(session))
		return status_usage("the speed limits of this setting are not known, so no gap "
				    "above them is known");
	if (insight_foreign(session))
		return status_usage("the speed limits are those of another core, so no gap above "
				    "them is known");
	/* If the core is contended, its gap may come from another core. */
	if (!why_applies(&session->setting, session->insight.explanation) &&
		session->live.sample.valid && !session->live.sample.contended)
		return status_usage("no pair of measurements applies to this loop, so a gap has no "
				    "known cause");
	return machine_refusal(session);
}

/* Returns the reason why the loop on screen has no gap. */
static const char *no_gap(const struct session *session)
{
	const struct sample *sample = &session->live.sample;

	return sample->valid && !sample->contended &&
			       gap_is_below(sample->cpe,
				       gap_least(&session->insight.explanation->limits))
		       ? why_below
		       : "the loop is at its limit: there is no gap of more than 5 %";
}

/* Begins to measure the causes of the gap of the setting on screen. If the causes were measured
 * before, the command shows the report about them. If the report about the causes is already on
 * screen, the command measures the causes again. */
static struct status run_why(const struct session *session, struct session *change, char *arguments)
{
	const struct why_report *report = present(session);
	bool shown = overlay_shows_page(session, "why");

	(void)arguments;
	if (!change)
		return command_effect(report || has_gap(session), no_gap(session));
	if (report && report->complete && (!shown || session->replay)) {
		show(change);
	} else if (!report || report->complete) {
		struct why_question question = { .setting = &session->setting,
			.explanation = session->insight.explanation,
			.seed = session->seed,
			.predict = predict,
			.context = change };

		overlay_open(change, OVERLAY_NONE);
		campaign_begin(change, CAMPAIGN_WHY, &row, why_new(&question));
		session_notice(
			change, false, "comparing pairs for up to 2 s: what makes the loop slow?");
	}
	return status_ok();
}

const struct command_row commands_why[] = {
	{ "why", .run = run_why, .refusal = refusal, .shows = HIDDEN_CPE | HIDDEN_LIMITS },
	{ .name = NULL },
};
