/* session_advance() takes measured results from the engine, and sends the engine the next request
 * when it is due. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/fronts.h"
#include "explorer/state.h"

/* Seconds between two repeated measurements of neighbouring settings whose measurements so far were
 * all disturbed by other programs. When other work on the core has ended, a better sample replaces
 * the contended sample of a setting. */
static const double DOUBT_PERIOD = 0.5;
/* Seconds between two checks whether a background thread of the explorer has finished. A background
 * thread that computes limits or advice takes tens of milliseconds. */
static const double THOUGHT = 0.004;

static bool machine_look(struct session *session)
{
	const struct machine *machine = session_machine(session);

	if (session->machine_known || !machine || !atomic_load(&machine->known))
		return false;
	session->machine_known = true;
	session->memory_limits = machine_means(machine);
	insight_look(session);
	curves_renew(session);
	counted_look(session);
	if (record_begin(session))
		session_forget_cells(session);
	return true;
}

struct session *session_new(const struct engine *engine, const struct session_options *options)
{
	struct session *session = memory_new(1, sizeof(*session));

	session->engine = *engine;
	session->replay = options->replay;
	session->record_path = options->record ? memory_string(options->record) : NULL;
	session->seed = options->seed;
	open_allow(session, options->opens, options->swapped);
	session->invocation = memory_string(options->invocation ? options->invocation : "");
	session->setting = options->setting;
	screen_begin(session);
	saved_begin(session, options->saved);
	while (kernel_registry[session->kernel_count])
		session->kernel_count++;
	session->kernels = memory_new((size_t)session->kernel_count + 2, sizeof(*session->kernels));
	for (int i = 0; i < session->kernel_count; i++)
		if (!session->replay || !replay_first(session->replay, kernel_registry[i],
						&session->kernels[i].setting))
			setting_init(&session->kernels[i].setting, kernel_registry[i]);
	if (session->setting.kernel->own)
		session_own_adopt(session, &session->setting);
	session->cells = cells_new();
	session->sweeps = memory_new(1, sizeof(*session->sweeps));
	insight_start(session, options->explainer, options->uarch);
	counted_start(session, options);
	diagrams_start(session);
	machine_look(session);
	live_begin(&session->live);
	requests_begin(session);
	session_choose_knob(session, playback_knob(session));
	plan_build(session);
	fronts_follow(session);
	for (int i = 0; i < options->command_count; i++)
		opening_add(session, options->commands[i]);
	if (options->compared)
		session_pin_setting(session, options->compared);
	if (options->offer && !session->replay)
		reopen_offer(session);
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	session_interrupt(session);
	classroom_settle(session);
	session_own_stop(session);
	campaigns_end(session);
	recording_close(session->recording);
	beside_close(session);
	open_drop(session);
	screen_end(session);
	free(session->record_path);
	insight_end(session);
	programs_end(session);
	counted_end(session);
	diagrams_end(session);
	undo_end(session);
	cells_free(session->cells);
	sweeps_free(&session->sweeps->all);
	free(session->sweeps);
	classroom_end(session);
	answering_end(session);
	saved_end(session);
	opening_end(session);
	free(session->kernels);
	free(session->invocation);
	free(session);
}

/* ---- results ---- */

/* Takes a measured result for the present setting, which the screen shows. */
static void take_live(struct session *session, const struct result *result)
{
	if (result->status.code != STATUS_OK && result->status.code != STATUS_CANCELLED) {
		session_fail(session, result->status.text);
		return;
	}
	counted_take(session, result);
	live_take(&session->live, result, session->replay, session_idle(session), session->now);
}

/* Returns whether the view changed. */
static bool take(struct session *session, const struct result *result)
{
	struct setting setting = { .kernel = result->kernel };
	bool current = result->generation == session->live.request;
	struct cell *cell;

	if (!requests_returned(session, result))
		return false;
	memcpy(setting.v, result->v, sizeof(setting.v));
	if (result->tag >= TAG_CAMPAIGN) {
		if (result->final)
			campaigns_take(session, (enum campaign_of)(result->tag - TAG_CAMPAIGN),
				&setting, result);
		return result->final;
	}
	if (result->tag == TAG_MEMORY) {
		if (result->final)
			insight_memory(session, result);
		return result->final;
	}
	/* While the user has frozen the screen, the sample of the present setting does not change.
	 * If freezing the screen cancelled a request, the result of that request still counts for
	 * its setting. */
	if (current && !(session->frozen && session->live.sample.valid))
		take_live(session, result);
	cell = plan_take(session, &setting, result, current);
	if (cell) {
		record_cell(session, cell, false);
		cell_compact(cell);
	}
	session_pin_take(session);
	insight_doubt(session);
	return true;
}

/* ---- requests ---- */

/* Returns the index of the next cell (setting) to measure; -1: no cell needs a measurement now. */
static int next_cell(struct session *session)
{
	int next = plan_next(&session->plan);

	if (next >= 0 || session->now < session->doubt_due)
		return next;
	session->doubt_due = session->now + fmax(DOUBT_PERIOD, live_period(&session->live));
	return plan_doubtful(&session->plan);
}

/* Sends the next request for a measurement to the engine if a request is due. Returns whether the
 * view changed. */
static bool submit(struct session *session)
{
	const struct live *live = &session->live;
	struct request request;
	int next;

	if (session->frozen || session->requests.outstanding ||
		session->now < session->requests.rest_until)
		return false;
	if (session_apart(session))
		return campaigns_next(session, true) || !campaigns_think(session);
	if (!live->failed && session->now >= live->due) {
		session_submit(session);
		/* While the present setting has no sample, the screen shows that a request is
		 * running. */
		return !live->sample.valid || live->failed;
	}
	if (session->replay)
		return false;
	if (insight_lacks_memory(session, &request)) {
		request_send(session, &request, TAG_MEMORY);
		return true;
	}
	if (campaigns_next(session, false))
		return true;
	if (session_pin_request(session))
		return false;
	next = next_cell(session);
	if (next >= 0)
		request_cell(session, &session->plan.planned[next].setting);
	return false;
}

/* Lists the functions of a program that was read, unless the command line names one. Returns
 * whether the view changed. */
static bool offer_functions(struct session *session)
{
	struct words notice;

	if (opening_due(session) || program_reads(session) || !program_offers(session) ||
		session->setting.kernel->function)
		return false;
	notice = words_of("%s", session->screen.notice);
	session_command(session, "find", session->now);
	session_notice(session, false, "%s", notice.text);
	return true;
}

bool session_advance(struct session *session, double now)
{
	struct result result;
	bool changed;

	session->now = now;
	changed = notice_expire(session);
	live_begin_at(&session->live, now);
	changed |= session_own_advance(session);
	changed |= program_advance(session);
	if (machine_look(session)) {
		struct status status = playback_allows(session, &session->setting);

		plan_build(session);
		if (!status_is_ok(&status) && !session->live.failed) {
			session_interrupt(session);
			session_fail(session, status.text);
		}
		changed = true;
	}
	while (session->engine.take(session->engine.context, &result))
		changed |= take(session, &result);
	changed |= insight_advance(session);
	changed |= session_pin_limit(session);
	if (insight_advice_due(session)) {
		const struct choices before = undo_look(session);

		session_follow_advice(session);
		undo_note(session, &before);
		changed = true;
	}
	changed_advance(session);
	why_advance(session);
	record_present(session);
	requests_look_ahead(session);
	changed |= campaigns_look(session);
	changed |= classroom_advance(session);
	fronts_follow(session);
	changed |= opening_advance(session);
	changed |= offer_functions(session);
	return submit(session) || changed;
}

bool session_reads(const struct session *session)
{
	return session_compiles(session) || program_reads(session);
}

/* ---- the time of the next call ---- */

/* Returns the time at which the explorer's session next has work that needs no other thread;
 * INFINITY: never. */
static double due(const struct session *session)
{
	double at = fmin(fmin(session->screen.notice[0] ? session->screen.notice_until : INFINITY,
				 fmin(session_own_next(session), program_next(session))),
		insight_due(session));
	double rest = session->requests.rest_until;

	if (session->frozen || session->requests.outstanding)
		return at;
	if (session_apart(session))
		return campaigns_think(session) ? INFINITY : rest;
	if (!session->live.failed)
		at = fmin(at, fmax(session->live.due, rest));
	if (plan_next(&session->plan) >= 0 || campaigns_beside(session) || session->pinned.awaited)
		at = fmin(at, rest);
	if (session->doubt_due < at && !session->replay && plan_doubtful(&session->plan) >= 0)
		at = fmax(session->doubt_due, rest);
	return at;
}

double session_next(const struct session *session, double now)
{
	double at = opening_due(session) ? now : due(session);

	if (campaigns_think(session) || insight_thinks(session))
		return fmin(fmax(at - now, 0), THOUGHT);
	return at == INFINITY ? -1 : fmax(at - now, 0);
}

bool session_idle(const struct session *session)
{
	if (insight_thinks(session) || insight_due(session) < INFINITY ||
		session_compiles(session) || program_reads(session))
		return false;
	if (session->frozen)
		return true;
	if (session_apart(session))
		return false;
	if (!session->live.failed && (!session->live.answered || counted_awaited(session)))
		return false;
	return plan_next(&session->plan) < 0 && !campaigns_beside(session) &&
	       !session->pinned.awaited && session->opening.next == session->opening.count;
}
