/* Measures how many cycles per iteration the loop on screen keeps each port busy: the pressure on
 * the port (experiment/slack/slack.h). The measurement of port pressure begins when the setting on
 * screen has not changed for a moment, and runs alongside the live measurement. */
#include <string.h>

#include "experiment/slack/slack.h"
#include "explorer/state.h"

/* Seconds for which a setting must stay on screen before the pressure on its ports is measured. */
static const double STAY = 0.3;

static struct slack *slack_of(const struct session *session)
{
	return session->campaigns[CAMPAIGN_SLACK].campaign.self;
}

/* Whether the measured port pressure belongs to the present setting, and to the core model loaded
 * now. */
static bool is_present(const struct session *session)
{
	const struct slack *slack = slack_of(session);

	return slack && setting_equal(&slack_report(slack)->setting, &session->setting) &&
	       (!session->insight.loaded || !slack_report(slack)->uarch[0] ||
		       strcmp(slack_report(slack)->uarch, session->insight.core.name) == 0);
}

/* If the panel of ports is not in front, the measurement of port pressure gets every second request
 * to the engine; other requests measure settings around the present one. */
static bool is_wanted(const struct session *session)
{
	return !session->replay && is_present(session) && session->live.answered &&
	       !session->live.failed &&
	       (screen_in_front(session, "ports") || session->requests.generation % 2 == 0 ||
		       plan_next(&session->plan) < 0);
}

static void over(struct session *session)
{
	const struct slack_report *report = slack_report(slack_of(session));

	if (session->recording && report->complete)
		recording_slack(session->recording, report);
}

static const struct campaign_row row = {
	.kind = &campaign_slack, .wanted = is_wanted, .over = over
};

void slack_advance(struct session *session)
{
	const struct insight *insight = &session->insight;

	if (!session->engine.changes || session->replay || session->frozen ||
		!insight_ready(session) || insight_foreign(session) || !session->live.answered ||
		session->now - session->live.changed_at < STAY || is_present(session))
		return;
	campaign_begin(session, CAMPAIGN_SLACK, &row,
		slack_new(&session->setting, insight->explanation, session->seed, 0));
}

void slack_view(const struct session *session, struct view *view)
{
	if (session->replay)
		view->slack = replay_slack(
			session->replay, replay_find(session->replay, &session->setting));
	else if (is_present(session))
		view->slack = slack_report(slack_of(session));
}
