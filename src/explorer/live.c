/* The figure of the present setting: its requests, and what they brought within the last seconds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "explorer/state.h"

/* The setting on screen: ten times a second, in at most a third of the core's time. The first
 * request after a change may take longer, since it has to become a quiet sample, and shows a first
 * figure early. The period grows by these steps while the figure is steady and no command comes. */
static const double LIVE_PERIODS[] = { 0.1, 0.2, 0.4, 0.8, 1.0 };
enum { LIVE_STEPS = sizeof(LIVE_PERIODS) / sizeof(LIVE_PERIODS[0]) };
/* How long the figure has to be steady at a step after the first one, which takes a full pool. */
static const double STEP_SECONDS = 1;
/* Seconds of a request beyond which the pause grows: the last step takes a tenth of a core. */
static const double LIVE_LONG = 0.1;
static const struct budget live_budget = { .seconds = 0.03, .quiet_wanted = 150 };
static const struct budget first_budget = {
	.seconds = 0.12, .quiet_wanted = 150, .provisional = 12
};
/* The longest pause that a slow request may cause, and the least after it, for a cell. */
static const double LIVE_PERIOD_LONGEST = 0.3, LIVE_TURN = 0.001;
/* Trials older than this no longer count for the figure on screen. */
static const double POOL_SECONDS = 2.0;
enum { POOL_QUIET = 150 };
/* Fewer trials are enough where they are long: so many, in so many seconds. */
enum { POOL_FEW = 8 };
static const double POOL_LONG = 2 * SECONDS_SETTLED;
/* A steady figure moves by no more than its quartiles are apart, or by this share of it: by the
 * larger one where there are too few trials for quartiles. */
static const double STEADY_SHARE = 0.005, STEADY_SHARE_FEW = 0.03;
/* Trials that a second's requests put on the strip: it is full after two seconds. */
static const double TICKS_A_SECOND = VIEW_STRIP / 2.0;

/* How far the live request is. */
void live_look_ahead(struct session *session, double now)
{
	struct progress_seen seen = { .stage = STAGE_NONE };

	if (session->engine.progress && session->outstanding && session->outstanding_live)
		seen = session->engine.progress(session->engine.context);
	outlook_note(&session->outlook, &seen, now);
}

bool session_prepares(const struct session *session)
{
	return session->outlook.seen.stage != STAGE_NONE && session->outstanding &&
	       session->outstanding_live && !session->live.sample.valid;
}

void session_stop(struct session *session)
{
	struct live *live = &session->live;

	session_interrupt(session);
	live->failed = true;
	snprintf(live->failure, sizeof(live->failure),
		"ended before there was a figure; a measures it");
	/* Its neighbours take as long. */
	session->plan.count = 0;
}

void live_fail(struct session *session, const char *why)
{
	struct live *live = &session->live;

	live->failed = true;
	memset(&live->sample, 0, sizeof(live->sample));
	snprintf(live->failure, sizeof(live->failure), "%s", why);
	/* A loop that crashes or never ends does so at its neighbours, too: each would cost
	 * seconds. */
	if (session->setting.kernel->isolated)
		session->plan.count = 0;
	session_notice(session, true, "%s", why);
}

void live_submit(struct session *session, double now)
{
	struct live *live = &session->live;
	struct status status = session_allows(session, &session->setting);

	if (!status_is_ok(&status)) {
		session_interrupt(session);
		live_fail(session, status.text);
		return;
	}
	live->asked_at = now;
	live->ticked = 0;
	request_setting(
		session, &session->setting, true, live->answered ? &live_budget : &first_budget);
	live->request = session->generation;
}

/* Whether a sample's figure may stand for its setting later on. */
bool live_is_good(const struct sample *sample)
{
	return sample->valid && !sample_doubt(sample);
}

double live_period(const struct live *live)
{
	return LIVE_PERIODS[live->made_up ? 0 : live->step];
}

/* The pause from one request to the next, after one that took so many seconds. */
static double live_pause(int step, double took)
{
	double period = LIVE_PERIODS[step];

	if (step == 0)
		return fmin(fmax(3 * took, period), LIVE_PERIOD_LONGEST);
	return period * fmax(took / LIVE_LONG, 1);
}

/* Whether the pool holds enough trials for the figure when requests come at such a pause. */
static bool pool_lasts(const struct live *live, double pause)
{
	double requests = fmax(floor(POOL_SECONDS / pause), 1);
	double share = requests / (live->tally_count > 0 ? live->tally_count : 1);

	if (share >= 1 || share * trials_quiet(&live->pool) >= POOL_QUIET)
		return true;
	return share * live->sample.trials >= POOL_FEW && share * live->sample.seconds >= POOL_LONG;
}

static bool near_steady(const struct sample *steady, const struct sample *sample)
{
	double share = steady->trials < POOL_FEW ? STEADY_SHARE_FEW : STEADY_SHARE;
	double spread = fmax(steady->cpe_hi - steady->cpe_lo, share * steady->cpe);

	return fabs(sample->cpe - steady->cpe) <= spread;
}

/* Whether the figure is as it was at the first step. A request with too few quiet trials says
 * nothing: the figure comes from the pool. */
static bool is_steady(const struct live *live, const struct sample *request)
{
	const struct sample *figure = &live->sample, *steady = &live->steady;

	if (!live_is_good(figure) || figure->modes != steady->modes || !near_steady(steady, figure))
		return false;
	return !live_is_good(request) || near_steady(steady, request);
}

static void live_hurry(struct live *live, double now)
{
	live->step = 0;
	live->steady = live->sample;
	live->steady_since = now;
}

/* After a request that took so many seconds: goes on to the next step, or back to the first one. */
static void live_slow_down(
	struct session *session, const struct sample *request, double took, double now)
{
	struct live *live = &session->live;

	if (!session_idle(session) || !is_steady(live, request)) {
		live_hurry(live, now);
		return;
	}
	if (request->contended || live->step == LIVE_STEPS - 1 ||
		now - live->steady_since < (live->step > 0 ? STEP_SECONDS : POOL_SECONDS) ||
		!pool_lasts(live, live_pause(live->step + 1, took)))
		return;
	live->step++;
	live->steady_since = now;
}

void live_wake(struct live *live, double now)
{
	if (live->step > 0)
		live->due = fmin(live->due, live->asked_at + LIVE_PERIODS[0]);
	live_hurry(live, now);
}

/* Puts an even selection of the request's new trials on the strip: so many at most. */
static void strip_add(struct live *live, const struct trials *trials, unsigned most)
{
	unsigned fresh = trials->count > live->ticked ? trials->count - live->ticked : 0;
	unsigned chosen = fresh < most ? fresh : most;

	for (unsigned i = 0; i < chosen; i++) {
		const struct trial *trial = &trials->trial[live->ticked + i * fresh / chosen];
		int place = (live->tick_first + live->tick_count) % VIEW_STRIP;

		live->ticks[place] = (struct tick){ trial->cpe, live->asked_at + (double)trial->at,
			trial->fate };
		if (live->tick_count < VIEW_STRIP)
			live->tick_count++;
		else
			live->tick_first = (live->tick_first + 1) % VIEW_STRIP;
	}
	live->ticked = trials->count;
}

/* Notes how a request's trials ended, and lets the notes from before `oldest` go. */
static void tally_add(struct live *live, const struct trials *trials, float oldest)
{
	struct tally tally = { .at = trials->trial[trials->count - 1].at };
	int stale = live->tally_count == TALLIES ? 1 : 0;

	for (unsigned i = 0; i < TRIAL_FATES; i++)
		tally.fate[i] = trials->forgotten[i];
	for (unsigned i = 0; i < trials->count; i++)
		tally.fate[trials->trial[i].fate]++;
	while (stale < live->tally_count && live->tallies[stale].at < oldest)
		stale++;
	live->tally_count -= stale;
	memmove(live->tallies, live->tallies + stale,
		(size_t)live->tally_count * sizeof(live->tallies[0]));
	live->tallies[live->tally_count++] = tally;
}

/* Adds a request's trials to the pool and lets the old ones go: those older than POOL_SECONDS, and
 * where room runs out the oldest requests, as long as POOL_QUIET quiet trials remain; else quiet
 * ones stay first, so that a contended spell shorter than the pool does not take the figure away;
 * `forgotten` then holds what else was made in this time, and nothing older. */
static void pool_add(struct live *live, const struct trials *trials)
{
	struct trials dated = *trials, *pool = &live->pool;
	float offset = (float)(live->asked_at - live->changed_at), oldest;
	unsigned stale = 0, fate[TRIAL_FATES] = { 0 };

	if (dated.count == 0)
		return;
	for (unsigned i = 0; i < dated.count; i++)
		dated.trial[i].at += offset;
	oldest = dated.trial[dated.count - 1].at - (float)POOL_SECONDS;
	/* Whole requests go before single trials: "used" and "dropped" then mean the same stretch
	 * of time. */
	for (int i = 0; i < live->tally_count; i++) {
		unsigned left = pool->count - stale, quiet = 0;

		for (unsigned k = stale; k < pool->count; k++)
			if (pool->trial[k].at > live->tallies[i].at)
				quiet += pool->trial[k].fate == TRIAL_QUIET;
		if (left + dated.count <= TRIALS_MAX || quiet < POOL_QUIET)
			break;
		oldest = fmaxf(oldest, nextafterf(live->tallies[i].at, INFINITY));
		while (stale < pool->count && pool->trial[stale].at < oldest)
			stale++;
	}
	while (stale < pool->count && pool->trial[stale].at < oldest)
		stale++;
	pool->count -= stale;
	memmove(pool->trial, pool->trial + stale, pool->count * sizeof(pool->trial[0]));
	if (pool->count + dated.count > TRIALS_MAX)
		trials_make_room(pool);
	trials_append(pool, &dated);

	tally_add(live, &dated, oldest);
	for (int i = 0; i < live->tally_count; i++)
		for (unsigned j = 0; j < TRIAL_FATES; j++)
			fate[j] += live->tallies[i].fate[j];
	for (unsigned i = 0; i < pool->count; i++)
		if (fate[pool->trial[i].fate])
			fate[pool->trial[i].fate]--;
	memcpy(pool->forgotten, fate, sizeof(fate));
}

void live_apply(struct session *session, const struct result *result, double now)
{
	struct live *live = &session->live;
	double took = now - live->asked_at;
	struct sample request;

	if (result->status.code != STATUS_OK && result->status.code != STATUS_CANCELLED) {
		live_fail(session, result->status.text);
		return;
	}
	counted_take(session, result);
	if (result->trials.count) {
		/* What was recorded comes once. */
		strip_add(live, &result->trials,
			session->replay ? VIEW_STRIP
					: (unsigned)lrint(TICKS_A_SECOND * live_period(live)));
		/* Cycles of one clock are not mixed with another's. */
		if (live->facts.cycles_from != result->facts.cycles_from)
			live->pool.count = 0;
		facts_renew(&live->facts, &result->facts, (unsigned)live->tally_count);
		if (session->replay)
			live->pool = result->trials;
		else if (result->final)
			pool_add(live, &result->trials);
		/* A provisional result comes before anything is in the pool. */
		if (result->final || !live->sample.valid)
			sample_summarise(result->final ? &live->pool : &result->trials,
				&live->facts, &live->sample);
		if (live->sample.valid) {
			session->ghz = live->sample.ghz;
			session->ghz_from = live->sample.cycles_from;
		}
		if (live_is_good(&live->sample)) {
			live->quiet = live->sample;
			live->quiet_at = now;
		}
	}
	if (!result->final)
		return;
	if (result->status.code == STATUS_OK)
		live->answered = true;
	sample_summarise(&result->trials, &live->facts, &request);
	live_slow_down(session, &request, took, now);
	/* A contended request is made up for at once, before the pool has too few quiet trials. */
	live->made_up = request.contended;
	live->due = live->asked_at + live_pause(live->made_up ? 0 : live->step, took);
	live->due = fmax(live->due, now + LIVE_TURN);
	/* Played again it would say the same. */
	if (session->replay)
		live->due = INFINITY;
}
