/* Runs campaigns, which are long measurements (experiment/campaign.h), in the explorer. The core
 * measurement and the probe replace the live measurement of the present setting while they run. The
 * windows campaign (buffer sizes) runs next to the live measurement (campaign_windows.c). */
#include "base/text.h"
#include "explorer/state.h"

bool campaign_runs(const struct session *session, enum campaign_of which)
{
	const struct under_way *under_way = &session->campaigns[which];

	return under_way->running && (!under_way->row->wanted || under_way->row->wanted(session));
}

static bool any_runs(const struct session *session, bool apart)
{
	for (int i = 0; i < CAMPAIGNS; i++)
		if (session->campaigns[i].running && session->campaigns[i].row->apart == apart &&
			campaign_runs(session, (enum campaign_of)i))
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

/* Returns the time `now` on the clock of the long measurement, which stops during its pauses. */
static double own_time(const struct under_way *under_way, double now)
{
	return now - under_way->paused;
}

static void lose(struct under_way *under_way)
{
	if (under_way->turns)
		turns_lose(under_way->turns);
	under_way->generation = 0;
}

void campaigns_lose(struct session *session)
{
	for (int i = 0; i < CAMPAIGNS; i++)
		lose(&session->campaigns[i]);
}

void session_interrupt(struct session *session)
{
	requests_cancel(session);
	campaigns_lose(session);
}

void campaign_choose_again(struct session *session, enum campaign_of which)
{
	if (session->campaigns[which].turns && !session->campaigns[which].generation)
		turns_lose(session->campaigns[which].turns);
}

void campaigns_pause(struct session *session, bool pause)
{
	for (int i = 0; i < CAMPAIGNS; i++) {
		struct under_way *under_way = &session->campaigns[i];

		lose(under_way);
		if (pause && !under_way->stands)
			under_way->stands_since = session->now;
		else if (!pause && under_way->stands)
			under_way->paused += session->now - under_way->stands_since;
		under_way->stands = pause;
	}
}

void campaign_end(struct session *session, enum campaign_of which)
{
	struct under_way *under_way = &session->campaigns[which];

	turns_free(under_way->turns);
	if (under_way->row) {
		under_way->row->kind->release(under_way->campaign.self);
		memory_give_back();
	}
	*under_way = (struct under_way){ 0 };
}

void campaigns_end(struct session *session)
{
	for (int i = 0; i < CAMPAIGNS; i++)
		campaign_end(session, (enum campaign_of)i);
}

void campaign_begin(
	struct session *session, enum campaign_of which, const struct campaign_row *row, void *self)
{
	struct under_way *under_way = &session->campaigns[which];

	campaign_end(session, which);
	*under_way =
		(struct under_way){ .row = row, .campaign = { row->kind, self }, .running = true };
	under_way->turns = turns_new(&under_way->campaign);
}

void campaign_again(struct session *session, enum campaign_of which)
{
	struct under_way *under_way = &session->campaigns[which];

	turns_free(under_way->turns);
	under_way->turns = turns_new(&under_way->campaign);
	under_way->running = true;
	under_way->halted = false;
}

double campaign_rests(const struct session *session, enum campaign_of which)
{
	const struct under_way *under_way = &session->campaigns[which];

	return under_way->row && !under_way->running ? session->now - under_way->ended : 0;
}

static void over(struct session *session, enum campaign_of which)
{
	struct under_way *under_way = &session->campaigns[which];

	under_way->running = false;
	under_way->ended = session->now;
	lose(under_way);
	if (under_way->row->over)
		under_way->row->over(session);
}

void campaign_halt(struct session *session, enum campaign_of which)
{
	struct under_way *under_way = &session->campaigns[which];

	if (!campaign_runs(session, which))
		return;
	session_interrupt(session);
	turns_stop(under_way->turns);
	under_way->halted = true;
	campaigns_look(session);
}

bool campaigns_think(const struct session *session)
{
	for (int i = 0; i < CAMPAIGNS; i++) {
		const struct under_way *under_way = &session->campaigns[i];

		if (campaign_runs(session, (enum campaign_of)i) &&
			(under_way->halted || !session->frozen) && turns_compute(under_way->turns))
			return true;
	}
	return false;
}

bool campaigns_look(struct session *session)
{
	struct request request;
	bool any = false;

	for (int i = 0; i < CAMPAIGNS; i++) {
		struct under_way *under_way = &session->campaigns[i];

		if (!under_way->halted || !under_way->running)
			continue;
		turns_next(under_way->turns,
			own_time(under_way,
				under_way->stands ? under_way->stands_since : session->now),
			&request);
		if (!turns_over(under_way->turns))
			continue;
		over(session, (enum campaign_of)i);
		any = true;
	}
	return any;
}

bool campaigns_next(struct session *session, bool apart)
{
	struct request request;

	for (int i = 0; i < CAMPAIGNS; i++) {
		struct under_way *under_way = &session->campaigns[i];

		if (!campaign_runs(session, (enum campaign_of)i) || under_way->row->apart != apart)
			continue;
		if (!turns_next(under_way->turns, own_time(under_way, session->now), &request)) {
			if (turns_over(under_way->turns))
				over(session, (enum campaign_of)i);
			return false;
		}
		under_way->generation = request_send(session, &request, TAG_CAMPAIGN + (unsigned)i);
		return true;
	}
	return false;
}

void campaigns_take(struct session *session, enum campaign_of which, const struct setting *setting,
	const struct result *result)
{
	struct under_way *under_way = &session->campaigns[which];

	if (under_way->generation && result->generation == under_way->generation) {
		under_way->generation = 0;
		turns_accept(under_way->turns, own_time(under_way, session->now), result);
	}
	if (under_way->row && under_way->row->answered)
		under_way->row->answered(session, setting, result);
}
