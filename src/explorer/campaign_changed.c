/* Experiments that change the code of the loop on screen: the pressure on each port
 * (experiment/slack/slack.h), and the cost of each instruction (experiment/cost/cost.h).
 * Experiments with changed code begin when the setting on screen has not changed for a moment, and
 * run alongside the live measurement.
 */
#include <string.h>

#include "experiment/cost/cost.h"
#include "experiment/slack/slack.h"
#include "explorer/state.h"

/* Seconds for which a setting must stay on screen before the experiments on its loop begin. */
static const double STAY = 0.3;

/* Seconds after which port pressure that other processes disturbed is measured again, if the core
 * is quiet by then. */
static const double AGAIN = 5;

static const struct slack_report *slack_of(const struct session *session)
{
	const struct slack *slack = session->campaigns[CAMPAIGN_SLACK].campaign.self;

	return slack ? slack_report(slack) : NULL;
}

static const struct cost_report *cost_of(const struct session *session)
{
	const struct cost *cost = session->campaigns[CAMPAIGN_COST].campaign.self;

	return cost ? cost_report(cost) : NULL;
}

/* Whether a finished experiment belongs to the setting on screen, and to the core model loaded now.
 * `uarch` is the name of the experiment's core model. */
static bool is_of(const struct session *session, const struct setting *setting, const char *uarch)
{
	return setting_equal(setting, &session->setting) &&
	       (!session->insight.loaded || !uarch[0] ||
		       strcmp(uarch, session->insight.core.name) == 0);
}

static bool has_slack(const struct session *session)
{
	const struct slack_report *report = slack_of(session);

	return report && is_of(session, &report->setting, report->uarch);
}

static bool has_cost(const struct session *session)
{
	const struct cost_report *report = cost_of(session);

	return report && is_of(session, &report->setting, report->uarch);
}

/* Whether experiments may run now. */
static bool is_allowed(const struct session *session)
{
	return !session->replay && session->live.answered && !session->live.failed;
}

/* Whether all settings around the present one are measured. */
static bool is_idle(const struct session *session)
{
	return plan_next(&session->plan) < 0;
}

/* The first pressure of each port comes before the settings around the present one, because it
 * must be on screen within a second. After that, unless the panel of ports is in front, port
 * pressure gets every second request to the engine. */
static bool slack_wanted(const struct session *session)
{
	return has_slack(session) && is_allowed(session) &&
	       (!slack_of(session)->complete || screen_in_front(session, "ports") ||
		       session->requests.generation % 2 == 0 || is_idle(session));
}

/* The costs of instructions take several seconds, so they are measured after the settings around
 * the present one. If the panel of code is in front, the first round of costs comes before these
 * settings, and further rounds get every second request. */
static bool cost_wanted(const struct session *session)
{
	bool turn = has_cost(session) &&
		    (!cost_of(session)->complete || session->requests.generation % 2 == 0);

	return has_cost(session) && is_allowed(session) &&
	       ((screen_in_front(session, "code") && turn) || is_idle(session));
}

static void slack_over(struct session *session)
{
	const struct slack_report *report = slack_of(session);

	if (session->recording && report->complete)
		recording_slack(session->recording, report);
}

static void cost_over(struct session *session)
{
	const struct cost_report *report = cost_of(session);

	if (session->recording && report->complete)
		recording_cost(session->recording, report);
}

static const struct campaign_row slack_row = {
	.kind = &campaign_slack, .wanted = slack_wanted, .over = slack_over
};
static const struct campaign_row cost_row = {
	.kind = &campaign_cost, .wanted = cost_wanted, .over = cost_over
};

/* Whether other processes disturbed the port pressure, but no longer disturb the setting. */
static bool is_quiet_now(const struct session *session)
{
	return slack_of(session)->complete && slack_of(session)->contended &&
	       session->live.sample.valid && !sample_doubt(&session->live.sample) &&
	       campaign_rests(session, CAMPAIGN_SLACK) >= AGAIN;
}

void changed_advance(struct session *session)
{
	const struct explanation *explanation = session->insight.explanation;

	if (!session->engine.changes || session->replay || session->frozen ||
		!insight_ready(session) || insight_foreign(session) || !session->live.answered ||
		session->now - session->live.changed_at < STAY)
		return;
	if (!has_slack(session))
		campaign_begin(session, CAMPAIGN_SLACK, &slack_row,
			slack_new(&session->setting, explanation, session->seed, 0));
	else if (is_quiet_now(session))
		campaign_again(session, CAMPAIGN_SLACK);
	if (!has_cost(session))
		campaign_begin(session, CAMPAIGN_COST, &cost_row,
			cost_new(&session->setting, explanation, session->seed, 0));
}

void changed_view(const struct session *session, struct view *view)
{
	int played = session->replay ? replay_find(session->replay, &session->setting) : -1;

	if (session->replay) {
		view->slack = replay_slack(session->replay, played);
		view->cost = replay_cost(session->replay, played);
		return;
	}
	view->slack = has_slack(session) ? slack_of(session) : NULL;
	view->cost = has_cost(session) ? cost_of(session) : NULL;
}
