/* The user's choices in a session are the setting, the knob, the freeze of the screen, and A, the
 * setting compared with. After a change of the setting, the measurement, the limits and the plan of
 * neighbouring settings begin again for the new setting. */
#include "base/units.h"
#include "explorer/state.h"

int session_kernel_index(const struct session *session, const struct kernel *kernel)
{
	if (kernel->own)
		return session->kernel_count;
	if (kernel->function)
		return session->kernel_count + 1;
	for (int i = 0; kernel_registry[i]; i++)
		if (kernel_registry[i] == kernel)
			return i;
	return -1;
}

const struct sweeps *session_sweeps(const struct session *session)
{
	struct read_sweeps *sweeps = session->sweeps;

	/* Errors in the file of named sweeps are ignored here, because the sweep command reports
	 * them. */
	if (!sweeps->done)
		sweeps_load(&sweeps->all);
	sweeps->done = true;
	return &sweeps->all;
}

void session_choose_knob(struct session *session, int knob)
{
	if (session->knob == knob)
		return;
	session->knob = knob;
	entry_drop(session);
	plan_follow_knob(session);
}

/* ---- measuring the present setting ---- */

void session_fail(struct session *session, const char *why)
{
	live_fail(&session->live, why);
	/* A loop that crashes or never ends probably fails in neighbouring settings, too, and each
	 * failure would take seconds. */
	if (session->setting.kernel->isolated)
		plan_stop(session);
	session_notice(session, true, "%s", why);
}

void session_submit(struct session *session)
{
	struct status status = playback_allows(session, &session->setting);

	if (session->setting.kernel->function) {
		session_interrupt(session);
		live_stop(&session->live, "slexplore does not run programs");
		return;
	}
	if (!status_is_ok(&status)) {
		session_interrupt(session);
		session_fail(session, status.text);
		return;
	}
	/* A new request for the present setting makes the engine cancel the previous request, which
	 * may belong to a long measurement (campaign). */
	campaigns_lose(session);
	counted_asked(session);
	live_asked(&session->live,
		request_setting(session, &session->setting, true, live_budget(&session->live)),
		session->now);
}

bool session_prepares(const struct session *session)
{
	return session->requests.outlook.seen.stage != STAGE_NONE && requests_live(session) &&
	       !session->live.sample.valid;
}

void session_stop(struct session *session)
{
	session_interrupt(session);
	live_stop(&session->live, "ended before the first sample; the key a measures again");
	/* The settings around the present one are not measured, because each would take about as
	 * long as the present setting. */
	plan_stop(session);
}

/* If the present setting was measured earlier, takes its sample from the table of measured
 * settings. */
static void recall(struct session *session)
{
	const struct cell *cell = cells_get(session->cells, &session->setting, false);

	if (!cell)
		return;
	counted_recall(session, cell);
	live_recall(&session->live, cell);
}

/* Measures the present setting again, from the beginning. */
static void restart(struct session *session)
{
	live_restart(&session->live, session->now);
	counted_restart(session);
	recall(session);
	plan_renew(session);
	if (screen_focused(session, "mountain") && !session->plan.grid.present)
		screen_focus(session, "knobs");
	/* The engine measures while this thread computes the limits. */
	if (!session->frozen && !session_apart(session))
		session_submit(session);
	insight_renew(session);
	curves_renew(session);
}

void session_go(struct session *session, const struct setting *setting)
{
	int old = session_kernel_index(session, session->setting.kernel);
	int new = session_kernel_index(session, setting->kernel);
	bool other;

	if (setting_equal(&session->setting, setting))
		return;
	if (setting->kernel != session->setting.kernel) {
		if (old >= 0)
			session->kernels[old] =
				(struct remembered){ session->setting, session->knob };
		session->knob = new >= 0 ? session->kernels[new].knob : 0;
		session->epoch++;
		if (setting->kernel->function && !session->setting.kernel->function)
			session->programs.from = old;
		if (session->recording && (setting->kernel->own || setting->kernel->function))
			session_notice(session, false,
				"%s are not recorded: a replay would not have their code",
				setting->kernel->own ? "own loops" : "functions of programs");
	}
	other = session->setting.kernel != setting->kernel;
	session->setting = *setting;
	if (other)
		session->knob = playback_knob(session);
	session->turned = true;
	entry_drop(session);
	restart(session);
}

void session_freeze(struct session *session, bool frozen)
{
	session->frozen = frozen;
	campaigns_pause(session, frozen);
	if (frozen) {
		session_interrupt(session);
		return;
	}
	live_hasten(&session->live, session->now);
	live_wait_again(&session->live, session->now);
	if (!session->live.failed && !session_apart(session))
		session_submit(session);
}

void session_forget_cells(struct session *session)
{
	plan_forget(session);
	plan_build(session);
}

void session_forget(struct session *session)
{
	session_interrupt(session);
	requests_forget(session);
	plan_forget(session);
	counted_forget(session);
	campaign_end(session, CAMPAIGN_WINDOWS);
	campaigns_pause(session, false);
	session->frozen = false;
	session->epoch++;
	restart(session);
}

void session_begin_campaign(
	struct session *session, enum campaign_of which, const struct campaign_row *row, void *self)
{
	session_interrupt(session);
	campaigns_pause(session, false);
	session->frozen = false;
	campaign_begin(session, which, row, self);
}

/* ---- A, the pinned setting ---- */

void session_pin(struct session *session)
{
	session->pinned = (struct pinned){ .there = true,
		.setting = session->setting,
		.sample = *live_best(&session->live),
		.limit = insight_binding(session) };
}

void session_pin_setting(struct session *session, const struct setting *setting)
{
	session->pinned = (struct pinned){
		.there = true, .awaited = true, .setting = *setting, .limit = LIMIT_COUNT
	};
	if (session->replay)
		playback_cell(session, cells_get(session->cells, setting, true));
	session_pin_take(session);
}

void session_pin_outdate(struct session *session)
{
	session->pinned.outdated = true;
}

bool session_pin_request(struct session *session)
{
	if (!session->pinned.awaited)
		return false;
	request_setting(session, &session->pinned.setting, false, live_budget(&session->live));
	return true;
}

void session_pin_again(struct session *session)
{
	session->pinned.awaited = true;
}

void session_pin_take(struct session *session)
{
	struct pinned *pinned = &session->pinned;
	const struct cell *cell;

	if (!pinned->awaited)
		return;
	cell = cells_get(session->cells, &pinned->setting, false);
	if (!cell)
		return;
	pinned->sample = cell->sample;
	pinned->awaited = !cell->settled;
	/* The user's own loop has been compiled, and has not crashed. */
	if (cell->settled && cell->sample.valid && pinned->setting.kernel->own)
		pinned->limit = insight_limit_of(session, &pinned->setting);
	if (!cell->settled || cell->sample.valid)
		return;
	session_notice(session, true, "A could not be measured: %s", cell->failure.text);
	pinned->there = false;
}

bool session_pin_limit(struct session *session)
{
	return insight_take_limit(session, &session->pinned.limit);
}

void session_unpin(struct session *session)
{
	session->pinned = (struct pinned){ .there = false };
}

void session_repin(struct session *session, const struct pinned *pinned)
{
	session->pinned = *pinned;
}

/* ---- the advice ---- */

void session_follow_advice(struct session *session)
{
	struct advice advice = session->insight.advice;

	insight_want_advice(session, false);
	if (!insight_ready(session) || advice.kind == ADVICE_NONE) {
		session_notice(
			session, true, "there is no advice, because the limits are not known");
	} else if (advice.kind == ADVICE_KNOB) {
		insight_follow(session);
		session_go(session, &advice.setting);
		session_choose_knob(session, advice.knob);
		session_notice(session, false, advice.from > 0 ? "%s, %s before" : "%s",
			advice.words, units_value(advice.from).text);
	} else {
		const struct kernel *kernel = session->setting.kernel;
		struct words found = words_of(
			"%s", session->replay  ? "no other recorded setting gains 10 % or more"
			      : advice.partial ? "no knob is known yet to gain 10 % or more"
					       : "no knob is predicted to gain 10 % or more");

		if (advice.unready >= 0)
			found = words_of("other values of %s are not compiled yet: turn it with + "
					 "to see what they gain",
				kernel->knobs[advice.unready].name);
		session_notice(session, false, "%s. %s", found.text, advice.words);
	}
}
