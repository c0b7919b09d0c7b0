#include "explorer/session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "explorer/panes.h"

/* Beyond this many cells the table starts anew: some 15 KB each while unsettled. */
enum { CELLS_MOST = 6000 };
/* Cells that were contended at every visit are looked at again this often once all others are done:
 * a spell ends, and its figures should not stay. */
static const double DOUBT_PERIOD = 0.5;
/* How long to wait for what a thread works out, tens of milliseconds long, before another look. */
static const double THOUGHT = 0.004;

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
	session->memory_limits = machine_means(machine);
	insight_look(session);
	windowing_renew(session);
	counted_look(session);
	record_begin(session);
	return true;
}

struct status session_allows(const struct session *session, const struct setting *setting)
{
	if (!session->replay)
		return setting_check(setting, session->memory_limits);
	return replay_find(session->replay, setting) >= 0
		       ? status_ok()
		       : status_make(STATUS_USAGE, "this setting was not recorded");
}

static void forget_cells(struct session *session)
{
	cells_clear(session->cells);
	session->plan.count = 0; /* its pointers led there */
}

void session_forget_cells(struct session *session)
{
	forget_cells(session);
	plan_build(session);
}

/* What the cell of the present setting knows from before. */
static void recall(struct session *session)
{
	const struct cell *cell = cells_get(session->cells, &session->setting, false);

	counted_recall(session, cell);
	if (!cell || !live_is_good(&cell->sample))
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
	if (panes_focused(session, "mountain") && !session->plan.grid.present)
		panes_focus(session, "knobs");
	insight_renew(session);
	windowing_renew(session);
	if (!session->frozen && !session_apart(session))
		live_submit(session, now);
}

void session_go(struct session *session, const struct setting *setting, double now)
{
	int old = session_kernel_index(session, session->setting.kernel);
	int new = session_kernel_index(session, setting->kernel);

	if (setting_equal(&session->setting, setting))
		return;
	if (setting->kernel != session->setting.kernel) {
		if (old >= 0)
			session->kernels[old] =
				(struct remembered){ session->setting, session->knob };
		session->knob = new >= 0 ? session->kernels[new].knob : 0;
		if (session->recording && setting->kernel->own)
			session_notice(session, false,
				"own loops are not recorded: who replays it has not their code");
	}
	session->setting = *setting;
	session->turned = true;
	session->entry[0] = '\0';
	session_restart(session, now);
}

void session_freeze(struct session *session, bool frozen, double now)
{
	session->frozen = frozen;
	campaigns_pause(session, frozen, now);
	if (frozen) {
		session_interrupt(session);
		return;
	}
	session->live.due = now;
	if (!session->live.answered)
		session->live.changed_at = now; /* the wait for a first figure begins again */
	if (!session->live.failed && !session_apart(session))
		live_submit(session, now);
}

void session_forget(struct session *session, double now)
{
	session_interrupt(session);
	session->forgotten = session->generation;
	forget_cells(session);
	counted_forget(session);
	campaign_end(session, CAMPAIGN_WINDOWS);
	campaigns_pause(session, false, now);
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
	panes_begin(session);
	while (kernel_registry[session->kernel_count])
		session->kernel_count++;
	session->kernels = memory_new((size_t)session->kernel_count + 1, sizeof(*session->kernels));
	for (int i = 0; i < session->kernel_count; i++)
		if (!session->replay || !replay_first(session->replay, kernel_registry[i],
						&session->kernels[i].setting))
			setting_init(&session->kernels[i].setting, kernel_registry[i]);
	if (session->setting.kernel->own)
		session_own_adopt(session, &session->setting);
	session->cells = cells_new();
	memory_probe_init(&session->memory);
	sweeps_load(
		&session->sweeps); /* whoever sweeps by name is told what is wrong with the file */
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
	session_interrupt(session);
	campaigns_end(session);
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
			session_interrupt(session);
			live_fail(session, status.text);
		}
		changed = true;
	}
	while (session->engine.take(session->engine.context, &result))
		changed |= request_answered(session, &result, now);
	changed |= insight_advance(session, now);
	record_present(session);
	live_look_ahead(session, now);
	changed |= campaigns_look(session, now);
	if (session->frozen || session->outstanding)
		return changed;
	if (session_apart(session) && now >= session->rest_until)
		return request_campaign(session, true, now) || !campaigns_think(session) || changed;
	if (!live->failed && now >= live->due && now >= session->rest_until) {
		live_submit(session, now);
		/* A request that goes out is seen while there is no figure. */
		return changed || !live->sample.valid || live->failed;
	}
	if (now < session->rest_until || session->replay)
		return changed;
	if (request_memory(session) || request_campaign(session, false, now))
		return changed;
	next = plan_next(&session->plan);
	if (next < 0 && now >= session->doubt_due) {
		next = plan_doubtful(&session->plan);
		session->doubt_due = now + fmax(DOUBT_PERIOD, live_period(live));
	}
	if (next >= 0)
		request_cell(session, &session->plan.planned[next].setting);
	return changed;
}

/* When something is to be done that does not wait for anybody. */
static double next_step(const struct session *session, double now)
{
	double at = fmin(session->notice[0] ? session->notice_until : INFINITY,
		fmin(session_own_next(session), insight_due(session)));

	if (session->frozen || session->outstanding)
		return at == INFINITY ? -1 : at > now ? at - now : 0;
	if (session_apart(session))
		return campaigns_think(session) ? THOUGHT : fmax(0, session->rest_until - now);
	if (!session->live.failed)
		at = fmin(at, fmax(session->live.due, session->rest_until));
	if ((plan_next(&session->plan) >= 0 || campaigns_beside(session)) &&
		session->rest_until < at)
		at = session->rest_until;
	if (session->doubt_due < at && !session->replay && plan_doubtful(&session->plan) >= 0)
		at = fmax(session->doubt_due, session->rest_until);
	if (at == INFINITY)
		return -1;
	return at > now ? at - now : 0;
}

double session_next(const struct session *session, double now)
{
	double next = next_step(session, now);

	if (campaigns_think(session) || insight_thinks(session))
		return next < 0 ? THOUGHT : fmin(next, THOUGHT);
	return next;
}

bool session_idle(const struct session *session)
{
	if (insight_thinks(session))
		return false;
	if (insight_due(session) < INFINITY)
		return false;
	if (session->frozen)
		return true;
	if (session_apart(session))
		return false;
	if (!session->live.failed && (!session->live.answered || counted_awaited(session)))
		return false;
	return plan_next(&session->plan) < 0 && !campaigns_beside(session);
}

bool session_quit(const struct session *session)
{
	return session->quit;
}
