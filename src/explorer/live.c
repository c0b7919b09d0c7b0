#include "explorer/live.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds between two requests for the setting on screen. After a command of the user, there are
 * ten requests per second, which use at most a third of the core's time. The seconds between
 * requests grow by these steps while the sample is steady and the user gives no command. The first
 * request after a change of the setting may last longer, because it must find enough quiet trials.
 * The first request for a new setting reports a provisional sample early. */
static const double LIVE_PERIODS[] = { 0.1, 0.2, 0.4, 0.8, 1.0 };
enum { LIVE_STEPS = sizeof(LIVE_PERIODS) / sizeof(LIVE_PERIODS[0]) };
/* Seconds for which the sample must be steady before the time between requests grows to the next
 * step. The first step of the time between requests lasts POOL_SECONDS. */
static const double STEP_SECONDS = 1;
/* After a request that takes longer than LIVE_LONG seconds, the pause until the next request grows
 * with the request's time. At the last step of the time between requests, the live measurement uses
 * a tenth of the core's time. */
static const double LIVE_LONG = 0.1;
static const struct budget next_budget = { .seconds = 0.03, .quiet_wanted = 150 };
static const struct budget first_budget = {
	.seconds = 0.12, .quiet_wanted = 150, .provisional = 12
};
/* LIVE_PERIOD_LONGEST is the longest time in seconds between requests that a slow request may cause
 * at the first step. LIVE_TURN is the shortest pause in seconds, long enough to begin the
 * measurement of another setting. */
static const double LIVE_PERIOD_LONGEST = 0.3, LIVE_TURN = 0.001;
/* Trials older than this number of seconds are removed from the sample on screen. */
static const double POOL_SECONDS = 2.0;
enum { POOL_QUIET = 150 };
/* On a core that other programs disturb, the sample is never steady for long. After this number of
 * requests at the first step without a command of the user, every second request is at the last
 * step. */
enum { FREQUENT_MOST = 300 };
/* If trials are long, the pool (the trials of the last seconds) is large enough with POOL_FEW
 * trials that take POOL_LONG seconds in total. */
enum { POOL_FEW = 8 };
static const double POOL_LONG = 2 * SECONDS_SETTLED;
/* A sample is steady if its CPE changes by at most the distance of its quartiles or by the share
 * STEADY_SHARE. STEADY_SHARE_FEW is used in place of STEADY_SHARE if the sample has too few trials
 * for quartiles. */
static const double STEADY_SHARE = 0.005, STEADY_SHARE_FEW = 0.03;
/* Number of trials per second that are drawn on the strip chart. The strip chart is full after two
 * seconds. */
static const double TICKS_A_SECOND = VIEW_STRIP / 2.0;

void live_begin(struct live *live)
{
	live->due = -INFINITY;
	live->changed_at = live->ghz = NAN;
}

void live_begin_at(struct live *live, double now)
{
	if (isnan(live->changed_at))
		live->changed_at = now;
}

void live_restart(struct live *live, double now)
{
	*live = (struct live){
		.changed_at = now, .due = now, .ghz = live->ghz, .ghz_from = live->ghz_from
	};
}

void live_recall(struct live *live, const struct cell *cell)
{
	if (!live_is_good(&cell->sample))
		return;
	live->quiet = cell->sample;
	live->quiet_at = cell->at;
}

const struct sample *live_best(const struct live *live)
{
	return live->sample.contended && live->quiet.valid ? &live->quiet : &live->sample;
}

void live_asked(struct live *live, uint64_t generation, double now)
{
	live->request = generation;
	live->asked_at = now;
	live->ticked = 0;
}

const struct budget *live_budget(const struct live *live)
{
	return live->answered ? &next_budget : &first_budget;
}

void live_hasten(struct live *live, double now)
{
	live->due = now;
}

void live_wait_again(struct live *live, double now)
{
	if (!live->answered)
		live->changed_at = now;
}

void live_fail(struct live *live, const char *why)
{
	memset(&live->sample, 0, sizeof(live->sample));
	live_stop(live, why);
}

void live_stop(struct live *live, const char *why)
{
	live->failed = true;
	snprintf(live->failure, sizeof(live->failure), "%s", why);
}

bool live_is_good(const struct sample *sample)
{
	return sample->valid && !sample_doubt(sample);
}

double live_period(const struct live *live)
{
	return LIVE_PERIODS[live->next_step];
}

/* Returns the seconds from the start of a request to the start of the next request. The request
 * took `took` seconds. */
static double live_pause(int step, double took)
{
	double period = LIVE_PERIODS[step];

	if (step == 0)
		return fmin(fmax(3 * took, period), LIVE_PERIOD_LONGEST);
	return period * fmax(took / LIVE_LONG, 1);
}

/* Whether the pool of recent trials would hold enough trials if a request started every `pause`
 * seconds. */
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

/* Whether the sample on screen is close to the sample that was measured while requests were most
 * frequent. The result of the last request must also be close to the earlier sample, unless that
 * result has too few quiet trials. */
static bool is_steady(const struct live *live, const struct sample *request)
{
	const struct sample *sample = &live->sample, *steady = &live->steady;

	if (!live_is_good(sample) || sample->modes != steady->modes || !near_steady(steady, sample))
		return false;
	return !live_is_good(request) || near_steady(steady, request);
}

static void live_hurry(struct live *live, double now)
{
	live->step = 0;
	live->steady = live->sample;
	live->steady_since = now;
}

/* After a request that took `took` seconds, changes the time between requests to its next step, or
 * back to the first step. */
static void live_slow_down(
	struct live *live, const struct sample *request, double took, bool idle, double now)
{
	if (!idle || !is_steady(live, request)) {
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

/* Chooses the step for the next request. After a request whose trials were disturbed by other
 * programs, the next request follows soon, to keep enough quiet trials. */
static void live_choose_step(struct live *live, bool contended, bool idle)
{
	live->next_step = contended ? 0 : live->step;
	if (!idle)
		return;
	if (live->next_step == 0 && live->frequent == FREQUENT_MOST)
		live->next_step = LIVE_STEPS - 1;
	if (live->next_step == 0)
		live->frequent++;
	else if (live->next_step == LIVE_STEPS - 1 && live->frequent > 0)
		live->frequent--;
}

void live_wake(struct live *live, double now)
{
	if (live->next_step > 0)
		live->due = fmin(live->due, live->asked_at + LIVE_PERIODS[0]);
	live_hurry(live, now);
	live->frequent = 0;
}

/* Adds at most `most` of the request's new trials to the strip chart. The trials chosen for the
 * strip chart are spread evenly over the new trials. */
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

/* Stores how many trials of a request were quiet and how many were disturbed, and removes such
 * counts older than `oldest`. */
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

/* Adds a request's trials to the pool of recent trials, and removes trials older than POOL_SECONDS.
 * If the pool (the trials of the last seconds) has no room, removes the oldest requests as long as
 * POOL_QUIET quiet trials remain. If the pool still has no room for the new trials, removes single
 * trials. Quiet trials are removed from the pool last, because short contention must not remove the
 * sample. pool->forgotten counts the removed trials that are younger than POOL_SECONDS. */
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
	/* The trials of whole requests are removed first, so the counts of used and of dropped
	 * trials cover the same time. */
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

void live_take(struct live *live, const struct result *result, bool replayed, bool idle, double now)
{
	double took = now - live->asked_at;
	struct sample request;

	if (result->trials.count) {
		/* A result that comes from a recording contains all trials of the setting. */
		strip_add(live, &result->trials,
			replayed ? VIEW_STRIP
				 : (unsigned)lrint(TICKS_A_SECOND * live_period(live)));
		/* The pool of recent trials must not mix trials whose cycles come from different
		 * sources. */
		if (live->facts.cycles_from != result->facts.cycles_from)
			live->pool.count = 0;
		facts_renew(&live->facts, &result->facts, (unsigned)live->tally_count);
		if (replayed)
			live->pool = result->trials;
		else if (result->final)
			pool_add(live, &result->trials);
		/* A provisional result arrives while the pool of trials is still empty, so its own
		 * trials are summarised. */
		if (result->final || !live->sample.valid)
			sample_summarise(result->final ? &live->pool : &result->trials,
				&live->facts, &live->sample);
		if (live->sample.valid) {
			live->ghz = live->sample.ghz;
			live->ghz_from = live->sample.cycles_from;
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
	live_slow_down(live, &request, took, idle, now);
	live_choose_step(live, request.contended, idle);
	live->due = live->asked_at + live_pause(live->next_step, took);
	live->due = fmax(live->due, now + LIVE_TURN);
	/* In a replay of a recording, another request would give the same answer. */
	if (replayed)
		live->due = INFINITY;
}

static void view_strip(const struct live *live, struct view *view)
{
	double first = 0, last = 0;

	view->strip_count = live->tick_count;
	for (int i = 0; i < live->tick_count; i++) {
		const struct tick *tick = &live->ticks[(live->tick_first + i) % VIEW_STRIP];

		view->strip[i] = (struct view_tick){ tick->cpe, tick->fate };
		if (i == 0)
			first = tick->at;
		last = tick->at;
	}
	view->strip_span = last > first ? last - first : 0;
}

void live_view(const struct live *live, double now, struct view *view)
{
	view->sample = live->sample;
	view->facts = live->facts;
	view->quiet = live->quiet;
	if (live->quiet.valid && now > live->quiet_at)
		view->quiet_age = now - live->quiet_at;
	view->last_ghz = live->ghz;
	view->last_source = live->ghz_from;
	snprintf(view->failure, sizeof(view->failure), "%s", live->failure);
	view_strip(live, view);
}
