#include "session/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/state.h"

enum { TAG_LIVE = 1, TAG_CELL, TAG_MEMORY, TAG_PROBE, TAG_WINDOW };

/* The setting on screen: ten times a second, in at most a third of the core's time. The first request after a
 * change may take longer, since it has to become a quiet sample, and shows a first figure early. */
static const double LIVE_PERIOD = 0.1;
static const struct budget live_budget = { .seconds = 0.03, .quiet_wanted = 150 };
static const struct budget first_budget = { .seconds = 0.12, .quiet_wanted = 150, .provisional = 12 };
/* The longest pause that a slow request may cause. */
static const double LIVE_PERIOD_LONGEST = 0.3;
/* Trials older than this no longer count for the figure on screen. */
static const double POOL_SECONDS = 2.0;
enum { POOL_QUIET = 150 };
/* Trials of one request that go on the strip: ten requests a second fill it in two seconds. */
enum { TICKS_OF_REQUEST = VIEW_STRIP / 20 };

/* The share of a circle by which steps of it never meet. */
static const double GOLDEN = 0.6180339887;

/* Cells: short visits, so that the live setting never waits long; a larger working set needs more time for as
 * many trials. */
static const double VISIT_SMALL = 0.004, VISIT_LARGE = 0.008;
enum { VISIT_LARGE_FROM = 1 << 20, CELL_QUIET = 40, CELL_VISITS = 5 };
static const double CELL_PRECISION = 0.01;
/* Beyond this many cells the table starts anew: some 15 KB each while unsettled. */
enum { CELLS_MOST = 6000 };
/* Cells that were contended at every visit are looked at again this often once all others are done: a spell ends, and
 * its figures should not stay. */
static const double DOUBT_PERIOD = 0.5;

void session_notice(struct session *session, bool bad, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(session->notice, sizeof(session->notice), format, arguments);
	va_end(arguments);
	session->notice_bad = bad;
	session->notice_until = INFINITY;
}

int session_kernel_index(const struct session *session, const struct kernel *kernel)
{
	if (kernel->own)
		return session->kernel_count;
	for (int i = 0; kernel_registry[i]; i++)
		if (kernel_registry[i] == kernel)
			return i;
	return -1;
}

void session_pin(struct session *session)
{
	session->pinned = true;
	session->a_setting = session->setting;
	session->a = session->live.sample;
	session->a_limit = insight_binding(session);
}

static bool machine_look(struct session *session)
{
	const struct machine *machine = session->engine.machine(session->engine.context);

	if (session->machine_known || !machine || !atomic_load(&machine->known))
		return false;
	session->machine_known = true;
	session->means = machine_means(machine);
	insight_look(session);
	windowing_renew(session);
	counted_look(session);
	record_begin(session);
	return true;
}

struct status session_allows(const struct session *session, const struct setting *setting)
{
	if (!session->replay)
		return setting_check(setting, session->means);
	return replay_find(session->replay, setting) >= 0 ? status_ok() :
		status_make(STATUS_USAGE, "this setting was not recorded");
}

static void drop_outstanding(struct session *session)
{
	if (session->outstanding)
		session->engine.cancel(session->engine.context);
	session->outstanding = 0;
	probing_lose(session);
	characterising_lose(session);
	windowing_lose(session);
}

void session_interrupt(struct session *session)
{
	drop_outstanding(session);
}

/* How far the live request is. */
static void look_ahead(struct session *session, double now)
{
	struct progress_seen seen = { .stage = STAGE_NONE };

	if (session->engine.progress && session->outstanding && session->outstanding_live)
		seen = session->engine.progress(session->engine.context);
	outlook_note(&session->outlook, &seen, now);
}

bool session_prepares(const struct session *session)
{
	return session->outlook.seen.stage != STAGE_NONE && session->outstanding && session->outstanding_live && !session->live.sample.valid;
}

void session_stop(struct session *session)
{
	struct live *live = &session->live;

	drop_outstanding(session);
	live->failed = true;
	snprintf(live->failure, sizeof(live->failure), "ended before there was a figure; a measures it");
	/* Its neighbours take as long. */
	session->plan.count = 0;
}

static void live_fail(struct session *session, const char *why)
{
	struct live *live = &session->live;

	live->failed = true;
	memset(&live->sample, 0, sizeof(live->sample));
	snprintf(live->failure, sizeof(live->failure), "%s", why);
	/* A loop that crashes or never ends does so at its neighbours, too: each would cost seconds. */
	if (session->setting.kernel->isolated)
		session->plan.count = 0;
	session_notice(session, true, "%s", why);
}

static void submit(struct session *session, const struct setting *setting, bool live,
	const struct budget *budget)
{
	struct request request = {
		.generation = ++session->generation,
		.tag = live ? TAG_LIVE : TAG_CELL,
		.kernel = setting->kernel,
		.seed = session->seed,
		/* Each request elsewhere, so that a figure is not that of one place; spread evenly however many there are. */
		.place = fmod((double)session->generation * GOLDEN, 1),
		.budget = *budget,
		.background = !live,
	};

	memcpy(request.v, setting->v, sizeof(request.v));
	if (session->counted.plan)
		request.plan = session->counted.plan->counters;
	/* The engine lets what is out go for it. */
	windowing_lose(session);
	if (live)
		session->live.asked_id = request.plan.id;
	session->outstanding = request.generation;
	session->outstanding_live = live;
	session->engine.submit(session->engine.context, &request);
}

static void submit_live(struct session *session, double now)
{
	struct live *live = &session->live;
	struct status status = session_allows(session, &session->setting);

	if (!status_is_ok(&status)) {
		drop_outstanding(session);
		live_fail(session, status.text);
		return;
	}
	live->asked_at = now;
	live->ticked = 0;
	submit(session, &session->setting, true, live->answered ? &live_budget : &first_budget);
	live->request = session->generation;
}

static void submit_cell(struct session *session, const struct setting *setting)
{
	bool large = setting->kernel->footprint &&
		setting->kernel->footprint(setting->v) > VISIT_LARGE_FROM;
	struct budget budget = {
		.seconds = large ? VISIT_LARGE : VISIT_SMALL, .quiet_wanted = CELL_QUIET,
	};

	submit(session, setting, false, &budget);
}

static void forget_cells(struct session *session)
{
	cells_clear(session->cells);
	session->plan.count = 0;      /* its pointers led there */
}

void session_forget_cells(struct session *session)
{
	forget_cells(session);
	plan_build(session);
}

/* Whether a sample's figure may stand for its setting later on. */
static bool is_good(const struct sample *sample)
{
	return sample->valid && !sample->contended && !sample->provisional;
}

/* What the cell of the present setting knows from before. */
static void recall(struct session *session)
{
	const struct cell *cell = cells_get(session->cells, &session->setting, false);

	counted_recall(session, cell);
	if (!cell || !is_good(&cell->sample))
		return;
	session->live.quiet = cell->sample;
	session->live.quiet_at = cell->at;
}

void session_restart(struct session *session, double now)
{
	struct live *live = &session->live;

	memset(live, 0, sizeof(*live));
	live->changed_at = now;
	live->due = now;
	if (cells_count(session->cells) > CELLS_MOST)
		forget_cells(session);
	recall(session);
	plan_build(session);
	if (session->focus == FOCUS_MOUNTAIN && !session->plan.grid.present)
		session->focus = FOCUS_KNOBS;
	insight_renew(session);
	windowing_renew(session);
	if (!session->frozen && !session_apart(session))
		submit_live(session, now);
}

void session_go(struct session *session, const struct setting *setting, double now)
{
	int old = session_kernel_index(session, session->setting.kernel);
	int new = session_kernel_index(session, setting->kernel);

	if (setting_equal(&session->setting, setting))
		return;
	if (setting->kernel != session->setting.kernel) {
		if (old >= 0)
			session->kernels[old] = (struct remembered){ session->setting, session->knob };
		session->knob = new >= 0 ? session->kernels[new].knob : 0;
		if (session->recording && setting->kernel->own)
			session_notice(session, false, "own loops are not recorded: who replays it has not their code");
	}
	session->setting = *setting;
	session->turned = true;
	session->entry[0] = '\0';
	session_restart(session, now);
}

void session_freeze(struct session *session, bool frozen, double now)
{
	session->frozen = frozen;
	probing_pause(session, frozen, now);
	characterising_pause(session, frozen, now);
	if (frozen) {
		drop_outstanding(session);
		return;
	}
	session->live.due = now;
	if (!session->live.answered)
		session->live.changed_at = now;      /* the wait for a first figure begins again */
	if (!session->live.failed && !session_apart(session))
		submit_live(session, now);
}

void session_forget(struct session *session, double now)
{
	drop_outstanding(session);
	session->forgotten = session->generation;
	forget_cells(session);
	counted_forget(session);
	windowing_end(session);
	session->frozen = false;
	session_restart(session, now);
}

struct session *session_new(const struct engine *engine, const struct session_options *options)
{
	struct session *session = memory_new(1, sizeof(*session));

	session->engine = *engine;
	session->replay = options->replay;
	session->record_path = options->record ? memory_string(options->record) : NULL;
	session->seed = options->seed;
	session->painter = options->painter;
	session->invocation = memory_string(options->invocation ? options->invocation : "");
	session->setting = options->setting;
	session->focus = FOCUS_KNOBS;
	while (kernel_registry[session->kernel_count])
		session->kernel_count++;
	session->kernels = memory_new((size_t)session->kernel_count + 1, sizeof(*session->kernels));
	for (int i = 0; i < session->kernel_count; i++)
		if (!session->replay || !replay_first(session->replay, kernel_registry[i], &session->kernels[i].setting))
			setting_init(&session->kernels[i].setting, kernel_registry[i]);
	if (session->setting.kernel->own)
		session_own_adopt(session, &session->setting);
	session->cells = cells_new();
	memory_probe_init(&session->memory);
	sweeps_load(&session->sweeps);      /* whoever sweeps by name is told what is wrong with the file */
	insight_start(session, options->explainer, options->uarch);
	counted_start(session, options);
	machine_look(session);
	/* The first advance submits: there is no time yet. */
	session->live.due = -INFINITY;
	session->live.changed_at = NAN;
	session->ghz = NAN;
	session->rest_until = -INFINITY;
	plan_build(session);
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	drop_outstanding(session);
	probing_end(session);
	characterising_end(session);
	windowing_end(session);
	recording_close(session->recording);
	free(session->record_path);
	insight_end(session);
	counted_end(session);
	cells_free(session->cells);
	sweeps_free(&session->sweeps);
	free(session->kernels);
	free(session->invocation);
	free(session);
}

/* Puts an even selection of the request's new trials on the strip: so many at most. */
static void strip_add(struct live *live, const struct trials *trials, unsigned most)
{
	unsigned fresh = trials->count > live->ticked ? trials->count - live->ticked : 0;
	unsigned chosen = fresh < most ? fresh : most;

	for (unsigned i = 0; i < chosen; i++) {
		const struct trial *trial = &trials->trial[live->ticked + i * fresh / chosen];
		int place = (live->tick_first + live->tick_count) % VIEW_STRIP;

		live->ticks[place] =
			(struct tick){ trial->cpe, live->asked_at + (double)trial->at, trial->fate };
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

/* Adds a request's trials to the pool and lets the old ones go: those older than POOL_SECONDS, and where room runs
 * out the oldest requests, as long as POOL_QUIET quiet trials remain; else quiet ones stay first, so
 * that a contended spell shorter than the pool does not take the figure away; `forgotten` then holds what else
 * was made in this time, and nothing older. */
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
	/* Whole requests go before single trials: "used" and "dropped" then mean the same stretch of time. */
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

static void live_apply(struct session *session, const struct result *result, double now)
{
	struct live *live = &session->live;
	double pause;

	if (result->status.code != STATUS_OK && result->status.code != STATUS_CANCELLED) {
		live_fail(session, result->status.text);
		return;
	}
	counted_take(session, result);
	if (result->trials.count) {
		/* What was recorded comes once. */
		strip_add(live, &result->trials, session->replay ? VIEW_STRIP : TICKS_OF_REQUEST);
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
			sample_summarise(result->final ? &live->pool : &result->trials, &live->facts,
				&live->sample);
		if (live->sample.valid) {
			session->ghz = live->sample.ghz;
			session->ghz_from = live->sample.cycles_from;
		}
		if (is_good(&live->sample)) {
			live->quiet = live->sample;
			live->quiet_at = now;
		}
	}
	if (!result->final)
		return;
	if (result->status.code == STATUS_OK)
		live->answered = true;
	pause = 3 * (now - live->asked_at);
	pause = pause < LIVE_PERIOD ? LIVE_PERIOD : pause;
	live->due = live->asked_at + (pause > LIVE_PERIOD_LONGEST ? LIVE_PERIOD_LONGEST : pause);
	/* Played again it would say the same. */
	if (session->replay)
		live->due = INFINITY;
}

/* What a request brought also counts for the cell of its setting. */
static void cell_apply(struct session *session, const struct setting *setting,
	const struct result *result, bool current, double now)
{
	const struct sample *live = &session->live.sample;
	size_t count = cells_count(session->cells);
	struct cell *cell;

	if (!result->final || (result->status.code == STATUS_CANCELLED && result->trials.count == 0))
		return;
	cell = cells_get(session->cells, setting, true);
	if (cells_count(session->cells) != count)
		plan_attach(&session->plan, cell);
	if (!cell->settled) {
		if (result->trials.count)
			cell->at = now;
		cell_visit(cell, result, CELL_QUIET, CELL_PRECISION, CELL_VISITS);
		record_cell(session, cell);
		cell_compact(cell);
		return;
	}
	cell_count(cell, result);
	if (current && is_good(live)) {
		/* The live figure is the newest and has more trials than a visit. */
		cell->sample = *live;
		cell->at = now;
		cell->facts = session->live.facts;
		cell->failure = status_ok();
	} else if (cell->sample.contended) {
		struct sample again;

		sample_summarise(&result->trials, &result->facts, &again);
		if (again.valid && !again.contended) {
			cell->sample = again;
			cell->at = now;
		}
		cell->visits++;
	}
}

/* What the model lacks of this machine to judge the present working set. Returns whether something was asked for. */
static bool submit_memory(struct session *session)
{
	const struct kernel *kernel = session->setting.kernel;
	struct request request;

	if (!insight_ready(session) || !memory_probe_next(&session->memory, session->engine.machine(session->engine.context),
		kernel->footprint(session->setting.v), memory_scattered(kernel, session->setting.v), session->seed, &request))
		return false;
	request.generation = ++session->generation;
	request.tag = TAG_MEMORY;
	session->outstanding = request.generation;
	session->outstanding_live = false;
	session->engine.submit(session->engine.context, &request);
	return true;
}

/* A point of a curve: of a recording it is a cell like others, visited once. */
static void window_apply(struct session *session, const struct setting *setting, const struct result *result, double now)
{
	struct cell *cell;

	windowing_take(session, result, now);
	if (!session->recording || result->trials.count == 0)
		return;
	cell = cells_get(session->cells, setting, true);
	if (cell->settled)
		return;
	cell->at = now;
	cell_visit(cell, result, CELL_QUIET, 1, 1);
	record_point(session, cell);
	cell_compact(cell);
}

static bool result_apply(struct session *session, const struct result *result, double now)
{
	struct setting setting = { .kernel = result->kernel };
	bool current;

	if (result->generation <= session->forgotten)
		return false;
	memcpy(setting.v, result->v, sizeof(setting.v));
	current = result->generation == session->live.request;
	if (result->final && result->generation == session->outstanding) {
		session->outstanding = 0;
		/* Cancelled, and not by us: do not ask again at once. */
		if (result->status.code == STATUS_CANCELLED)
			session->rest_until = now + LIVE_PERIOD;
	}
	if (result->tag == TAG_PROBE) {
		if (result->final) {
			probing_take(session, result, now);
			characterising_take(session, result, now);
		}
		return result->final;
	}
	if (result->tag == TAG_WINDOW) {
		if (result->final)
			window_apply(session, &setting, result, now);
		return result->final;
	}
	if (result->tag == TAG_MEMORY) {
		if (result->final)
			insight_memory(session, result);
		return result->final;
	}
	/* A frozen figure stays as it is; what was cancelled by freezing still counts for its cell. */
	if (current && !(session->frozen && session->live.sample.valid))
		live_apply(session, result, now);
	cell_apply(session, &setting, result, current, now);
	return true;
}

static void submit_probe(struct session *session, double now)
{
	struct request request;

	if (!(characterising_runs(session) ? characterising_submit(session, now, &request) : probing_submit(session, now, &request)))
		return;
	request.tag = TAG_PROBE;
	session->outstanding = request.generation;
	session->outstanding_live = false;
	session->engine.submit(session->engine.context, &request);
}

static bool submit_window(struct session *session, double now)
{
	struct request request;

	if (!windowing_submit(session, now, &request))
		return false;
	request.tag = TAG_WINDOW;
	session->outstanding = request.generation;
	session->outstanding_live = false;
	session->engine.submit(session->engine.context, &request);
	return true;
}

bool session_advance(struct session *session, double now)
{
	struct live *live = &session->live;
	struct result result;
	bool changed = false;
	int next;

	if (isnan(live->changed_at))
		live->changed_at = now;
	if (session->notice[0] && now >= session->notice_until) {
		session->notice[0] = '\0';
		session->notice_bad = false;
		changed = true;
	}
	if (session_own_advance(session, now))
		changed = true;
	if (machine_look(session)) {
		struct status status = session_allows(session, &session->setting);

		plan_build(session);
		if (!status_is_ok(&status) && !live->failed) {
			drop_outstanding(session);
			live_fail(session, status.text);
		}
		changed = true;
	}
	while (session->engine.take(session->engine.context, &result))
		changed |= result_apply(session, &result, now);
	changed |= insight_advance(session, now);
	record_present(session);
	look_ahead(session, now);
	if (session->frozen || session->outstanding)
		return changed;
	if (session_apart(session) && now >= session->rest_until) {
		submit_probe(session, now);
		return true;
	}
	if (!live->failed && now >= live->due && now >= session->rest_until) {
		submit_live(session, now);
		return true;
	}
	if (now < session->rest_until || session->replay)
		return changed;
	if (submit_memory(session) || submit_window(session, now))
		return changed;
	next = plan_next(&session->plan);
	if (next < 0 && now >= session->doubt_due) {
		next = plan_doubtful(&session->plan);
		session->doubt_due = now + DOUBT_PERIOD;
	}
	if (next >= 0)
		submit_cell(session, &session->plan.planned[next].setting);
	return changed;
}

double session_next(const struct session *session, double now)
{
	double at = fmin(session->notice[0] ? session->notice_until : INFINITY,
		fmin(session_own_next(session), insight_due(session)));

	if (session->frozen || session->outstanding)
		return at == INFINITY ? -1 : at > now ? at - now : 0;
	if (session_apart(session))
		return fmax(0, session->rest_until - now);
	if (!session->live.failed)
		at = fmin(at, fmax(session->live.due, session->rest_until));
	if ((plan_next(&session->plan) >= 0 || windowing_runs(session)) && session->rest_until < at)
		at = session->rest_until;
	if (session->doubt_due < at && !session->replay && plan_doubtful(&session->plan) >= 0)
		at = fmax(session->doubt_due, session->rest_until);
	if (at == INFINITY)
		return -1;
	return at > now ? at - now : 0;
}

bool session_idle(const struct session *session)
{
	if (insight_due(session) < INFINITY)
		return false;
	if (session->frozen)
		return true;
	if (session_apart(session))
		return false;
	if (!session->live.failed && (!session->live.answered || counted_awaited(session)))
		return false;
	return plan_next(&session->plan) < 0 && !windowing_runs(session);
}

bool session_quit(const struct session *session)
{
	return session->quit;
}
