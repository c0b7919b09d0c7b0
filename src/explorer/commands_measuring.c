/* Commands for what is measured, counted, predicted, compared and recorded. */
#include <stdio.h>
#include <string.h>

#include "explorer/actions.h"

static struct status machine_unknown(void)
{
	return status_usage("this machine is not known yet");
}

/* ---- advice ---- */

static bool works_remedy(const struct session *session, const char *arguments)
{
	return insight_ready(session) && session->insight.advice.kind == ADVICE_KNOB;
}

static struct status run_remedy(struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;
	if (!insight->reading && !insight_ready(session))
		return status_usage("the limits are not known: there is nothing to advise");
	if (insight_slow(session) && !insight->advised) {
		insight_want_advice(session, true);
		session_notice(session, false, "reading the code of other settings…");
	} else {
		while (!insight_advise(session) && insight_ready(session))
			;
		session_follow_advice(session);
	}
	return status_ok();
}

/* ---- the core to predict for ---- */

static struct status no_model(void)
{
	return status_usage("there are no core models here");
}

/* A recording holds the limits of one core. */
static struct status keeps_core(const struct session *session)
{
	const struct core *core = replay_summary(session->replay).core;

	return status_usage("a replay shows the limits that were recorded%s%s",
		core ? ": those of " : ", and none were", core ? core->title : "");
}

static struct status run_uarch(struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;
	struct status status;
	if (session->replay)
		return keeps_core(session);
	if (!insight->explainer)
		return no_model();
	if (!insight->looked)
		return machine_unknown();
	status = insight_ask(session, arguments);
	if (!status_is_ok(&status))
		return status;
	curves_renew(session);
	if (insight_foreign(session))
		session_notice(session, false,
			"limits are now predicted for %s, not this core; \"uarch\" goes "
			"back",
			insight->core.title);
	return status;
}

static bool works_uarch(const struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;

	return insight->explainer && insight->looked && !session->replay &&
	       strcmp(arguments, insight->wanted) != 0;
}

static bool works_uarch_nearest(const struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;
	return insight->explainer && insight->match == UARCH_NEAREST && !insight->nearest &&
	       !session->replay;
}

static struct status run_uarch_nearest(struct session *session, const char *arguments)
{
	const struct insight *insight = &session->insight;
	if (session->replay)
		return keeps_core(session);
	if (!insight->explainer)
		return no_model();
	if (insight->match != UARCH_NEAREST)
		return status_usage(insight->match == UARCH_EXACT
					    ? "this core has a model of its own"
					    : "no core that is known is near this one");
	insight_take_nearest(session);
	return status_ok();
}

/* ---- events ---- */

static struct status run_event(struct session *session, const char *arguments)
{
	struct status status;

	if (counted_index(&session->counted, arguments) < 0) {
		status = counted_check(session, arguments);
		if (!status_is_ok(&status))
			return status;
		counted_add(session, arguments);
		live_hasten(&session->live, session->now);
		if (session->frozen)
			session_notice(session, false, "%.80s is counted once measuring goes on",
				arguments);
	} else {
		session_notice(session, false, "%.80s is counted already", arguments);
	}
	/* Events asked for by name come first. */
	counted_scroll(session, 0);
	screen_bring(session, "counters");
	return status_ok();
}

static bool works_event(const struct session *session, const char *arguments)
{
	struct status status;

	if (counted_index(&session->counted, arguments) >= 0)
		return !screen_in_front(session, "counters");
	status = counted_check(session, arguments);
	return status_is_ok(&status);
}

static struct status not_extra(const struct counted *counted, const char *name)
{
	char near[96] = "";

	if (counted->extra_count == 0)
		return status_usage("no event was added by name");
	if (counted_index(counted, name) >= 0)
		return status_usage(
			"%.60s is one of this core's own events; only events added by name are "
			"dropped",
			name);
	nearest_names(name, (const char *const *)counted->extra, (size_t)counted->extra_count, near,
		sizeof(near));
	return status_usage("%.60s was not added%s%s%s", name, near[0] ? "; did you mean " : "",
		near, near[0] ? "?" : "");
}

static bool works_event_drop(const struct session *session, const char *arguments)
{
	const struct counted *counted = &session->counted;

	return *arguments ? counted_extra(counted, arguments) >= 0 : counted->extra_count > 0;
}

static struct status run_event_drop(struct session *session, const char *arguments)
{
	if (!works_event_drop(session, arguments))
		return not_extra(&session->counted, arguments);
	counted_drop(session, *arguments ? counted_extra(&session->counted, arguments) : -1);
	return status_ok();
}

/* ---- A ---- */

static bool works_pin(const struct session *session, const char *arguments)
{
	return session->live.sample.valid;
}

static struct status run_pin(struct session *session, const char *arguments)
{
	if (!session->live.sample.valid)
		return status_usage("there is no sample to pin yet");
	session_pin(session);
	return status_ok();
}

static bool works_pin_swap(const struct session *session, const char *arguments)
{
	return session->pinned.there && session->live.sample.valid;
}

static struct status run_pin_swap(struct session *session, const char *arguments)
{
	struct setting back = session->pinned.setting;
	struct status status;

	if (!session->pinned.there)
		return status_usage("nothing is pinned: pin keeps the present sample as A");
	status = run_pin(session, arguments);
	if (status_is_ok(&status))
		session_go(session, &back);
	return status;
}

static bool works_pin_drop(const struct session *session, const char *arguments)
{
	return session->pinned.there;
}

static struct status run_pin_drop(struct session *session, const char *arguments)
{
	if (!session->pinned.there)
		return status_usage("nothing is pinned");
	session_unpin(session);
	return status_ok();
}

/* ---- measuring ---- */

static bool works_measuring(const struct session *session, const char *arguments)
{
	return !session->replay;
}

static struct status run_freeze(struct session *session, const char *arguments)
{
	if (session->replay)
		return playback_refuse(session);
	session_freeze(session, !session->frozen);
	return status_ok();
}

static struct status run_again(struct session *session, const char *arguments)
{
	if (session->replay)
		return playback_refuse(session);
	session_forget(session);
	return status_ok();
}

/* ---- recording ---- */

static bool works_record(const struct session *session, const char *arguments)
{
	return session->machine_known && !session->replay;
}

static struct status run_record_to(struct session *session, const char *arguments)
{
	struct status status;
	if (session->replay)
		return playback_refuse(session);
	if (!session->machine_known)
		return machine_unknown();
	if (!*arguments)
		return status_usage("record to takes the name of a file");
	status = record_open(session, arguments);
	/* Cells whose trials are gone are measured again. */
	if (status_is_ok(&status))
		session_forget_cells(session);
	return status;
}

static struct status run_record(struct session *session, const char *arguments)
{
	char name[160] = "";
	if (session->recording) {
		record_end(session);
		return status_ok();
	}
	if (session->machine_known)
		recording_name(session_machine(session), name, sizeof(name));
	return run_record_to(session, name);
}

/* ---- the table ---- */

const struct command_row commands_measuring[] = {
	{ "remedy", "", "turn the knob that lowers the predicted CPE most", run_remedy,
		works_remedy, COMMAND_FOUND },
	{ "event", "NAME", "count one more event, by libpfm's name", run_event, works_event },
	{ "event drop", "[NAME]",
		"stop counting an event; without a name: every event that was added",
		run_event_drop, works_event_drop },
	{ "uarch", "[NAME]", "predict for another core; without a name for this one", run_uarch,
		works_uarch },
	{ "uarch nearest", "", "use the nearest core model, where this core has none",
		run_uarch_nearest, works_uarch_nearest, COMMAND_FOUND },
	{ "pin", "", "keep the present sample as A and compare with it", run_pin, works_pin,
		COMMAND_FOUND },
	{ "pin swap", "", "go to A, and make the present sample A", run_pin_swap, works_pin_swap,
		COMMAND_FOUND },
	{ "pin drop", "", "forget A", run_pin_drop, works_pin_drop, COMMAND_FOUND },
	{ "freeze", "", "stop measuring, or go on", run_freeze, works_measuring, COMMAND_FOUND },
	{ "again", "", "discard every sample and measure again", run_again, works_measuring,
		COMMAND_FOUND },
	{ "record", "", "record samples to a file for replay; again: end the recording", run_record,
		works_record, COMMAND_FOUND },
	{ "record to", "FILE", "record to this file", run_record_to, works_record },
	{ .name = NULL },
};
