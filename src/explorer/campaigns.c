/* What asks for many requests (campaign.h), in the explorer: the core that measures itself and the
 * probe in place of live figures, the windows beside them. Which there are is a row of the table
 * here, and what each is about is in its own file. */
#include <math.h>
#include <stdio.h>

#include "explorer/state.h"

struct campaign_row {
	bool apart; /* live figures and cells rest meanwhile */
	bool (*wanted)(
		const struct session *session); /* now, while it has something left; NULL: always */
	void (*over)(struct session *session);	/* it has just ended: what follows; NULL: nothing */
	/* A result of its requests, taken back or not; NULL: nothing beside */
	void (*answered)(struct session *session, const struct setting *setting,
		const struct result *result, double now);
};

static const struct campaign_row rows[CAMPAIGNS] = {
	[CAMPAIGN_CORE] = { .apart = true, .over = characterising_over },
	[CAMPAIGN_PROBE] = { .apart = true, .over = probing_over },
	[CAMPAIGN_WINDOWS] = { .wanted = windowing_wanted, .answered = windowing_answered },
};

bool campaign_runs(const struct session *session, enum campaign_of which)
{
	const struct under_way *under_way = &session->campaigns[which];

	return under_way->campaign.self && under_way->running &&
	       (!rows[which].wanted || rows[which].wanted(session));
}

static bool any_runs(const struct session *session, bool apart)
{
	for (int i = 0; i < CAMPAIGNS; i++)
		if (rows[i].apart == apart && campaign_runs(session, (enum campaign_of)i))
			return true;
	return false;
}

bool session_apart(const struct session *session)
{
	return any_runs(session, true);
}

bool campaigns_beside(const struct session *session)
{
	return any_runs(session, false);
}

/* A campaign's own time stands still while it is paused. */
static double own_time(const struct under_way *under_way, double now)
{
	return now - under_way->paused;
}

static void lose(struct under_way *under_way)
{
	if (under_way->generation)
		campaign_lose(&under_way->campaign);
	under_way->generation = 0;
}

void campaigns_lose(struct session *session)
{
	for (int i = 0; i < CAMPAIGNS; i++)
		lose(&session->campaigns[i]);
}

void campaigns_pause(struct session *session, bool pause, double now)
{
	for (int i = 0; i < CAMPAIGNS; i++) {
		struct under_way *under_way = &session->campaigns[i];

		lose(under_way);
		if (pause && !under_way->stands)
			under_way->stands_since = now;
		else if (!pause && under_way->stands)
			under_way->paused += now - under_way->stands_since;
		under_way->stands = pause;
	}
}

void campaign_end(struct session *session, enum campaign_of which)
{
	struct under_way *under_way = &session->campaigns[which];

	if (under_way->campaign.self)
		under_way->campaign.kind->release(under_way->campaign.self);
	*under_way = (struct under_way){ 0 };
}

void campaigns_end(struct session *session)
{
	for (int i = 0; i < CAMPAIGNS; i++)
		campaign_end(session, (enum campaign_of)i);
}

void campaign_begin(struct session *session, enum campaign_of which,
	const struct campaign_kind *kind, void *self)
{
	campaign_end(session, which);
	session->campaigns[which] =
		(struct under_way){ .campaign = { kind, self }, .running = true };
}

void campaign_begin_now(struct session *session, enum campaign_of which,
	const struct campaign_kind *kind, void *self, double now)
{
	session_interrupt(session);
	campaigns_pause(session, false, now);
	session->frozen = false;
	campaign_begin(session, which, kind, self);
}

static void over(struct session *session, enum campaign_of which)
{
	struct under_way *under_way = &session->campaigns[which];

	under_way->running = false;
	lose(under_way);
	if (rows[which].over)
		rows[which].over(session);
}

void campaign_halt(struct session *session, enum campaign_of which, double now)
{
	struct under_way *under_way = &session->campaigns[which];

	if (!campaign_runs(session, which))
		return;
	session_interrupt(session);
	campaign_stop(&under_way->campaign,
		own_time(under_way, under_way->stands ? under_way->stands_since : now));
	under_way->halted = true;
	campaigns_look(session, now);
}

bool campaigns_think(const struct session *session)
{
	for (int i = 0; i < CAMPAIGNS; i++) {
		const struct under_way *under_way = &session->campaigns[i];

		if (campaign_runs(session, (enum campaign_of)i) &&
			(under_way->halted || !session->frozen) &&
			campaign_state(&under_way->campaign).thinks)
			return true;
	}
	return false;
}

bool campaigns_look(struct session *session, double now)
{
	struct request request;
	bool any = false;

	for (int i = 0; i < CAMPAIGNS; i++) {
		struct under_way *under_way = &session->campaigns[i];

		if (!under_way->halted || !under_way->running)
			continue;
		if (campaign_next(&under_way->campaign, now, &request) ||
			campaign_state(&under_way->campaign).thinks)
			continue;
		over(session, (enum campaign_of)i);
		any = true;
	}
	return any;
}

bool campaigns_next(struct session *session, bool apart, double now, struct request *request,
	enum campaign_of *which)
{
	for (int i = 0; i < CAMPAIGNS; i++) {
		struct under_way *under_way = &session->campaigns[i];

		*which = (enum campaign_of)i;
		if (rows[i].apart != apart || !campaign_runs(session, *which))
			continue;
		if (!campaign_next(&under_way->campaign, own_time(under_way, now), request)) {
			if (!campaign_state(&under_way->campaign).thinks)
				over(session, *which);
			return false;
		}
		under_way->generation = request->generation = ++session->generation;
		return true;
	}
	return false;
}

void campaigns_take(struct session *session, enum campaign_of which, const struct setting *setting,
	const struct result *result, double now)
{
	struct under_way *under_way = &session->campaigns[which];

	if (under_way->generation && result->generation == under_way->generation) {
		under_way->generation = 0;
		campaign_accept(&under_way->campaign, own_time(under_way, now), result);
	}
	if (rows[which].answered)
		rows[which].answered(session, setting, result, now);
}
