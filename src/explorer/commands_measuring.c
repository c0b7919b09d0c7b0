/* Commands of the explorer that measure, count, predict, compare and record. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "experiment/advice/advice.h"
#include "explorer/actions.h"
#include "model/program/elf.h"

struct status machine_refusal(const struct session *session)
{
	if (session->replay)
		return playback_refuse(session);
	return command_unless(
		session->machine_known, "slexplore has not identified this machine yet");
}

/* ---- advice ---- */

static bool remedy_useful(const struct session *session)
{
	return insight_ready(session) && session->insight.advice.kind == ADVICE_KNOB;
}

static struct status remedy_refusal(const struct session *session)
{
	return command_unless(session->insight.reading || insight_ready(session),
		"there is no advice, because the limits are not known");
}

static void act_remedy(struct session *session)
{
	if (insight_slow(session) && !session->insight.advised) {
		insight_want_advice(session, true);
		session_notice(session, false, "reading the code of other settings…");
		return;
	}
	while (!insight_advise(session) && insight_ready(session))
		;
	session_follow_advice(session);
}

/* ---- a limit in words ---- */

static const struct limit *limit_named(const struct session *session, const char *name)
{
	const struct limits *limits = &session->insight.explanation->limits;

	for (int i = 0; i < limits->limit_count; i++)
		if (strcmp(limit_rows[limits->limit[i].kind].name, name) == 0)
			return &limits->limit[i];
	return NULL;
}

static void explain_limit(struct session *session, const struct limit *limit)
{
	const struct limits *limits = &session->insight.explanation->limits;
	bool binds = limits->binding >= 0 && limit == &limits->limit[limits->binding];
	struct words spread = { "" };
	struct text text = { 0 };

	if (limit->spread > 0)
		spread = words_of(" ± %s", units_value(limit->spread).text);
	if (limit->known)
		text_addf(&text, "%s%s cycles per %s%s\n", units_value(limit->cpe).text,
			spread.text, session->setting.kernel->element,
			binds ? ": the binding limit, the highest of the hard limits" : "");
	text_addf(&text, "%s%s\n\n%s\n\n%s", limit->known ? "" : "unknown: ", limit->cause,
		limit->hard
			? "A hard limit: no code with these instructions runs faster on this "
			  "core."
			: "A soft limit: an estimate of a known effect; the loop may run faster.",
		advice_sentence(session->setting.kernel, session->insight.explanation, limit->kind)
			.text);
	overlay_text(session, limit_rows[limit->kind].name, text_string(&text));
	text_free(&text);
}

static struct status run_limit(
	const struct session *session, struct session *change, char *arguments)
{
	const struct limit *limit;

	if (!insight_shown(session))
		return status_usage("the limits of this setting are not known");
	limit = limit_named(session, arguments);
	if (!limit) {
		const struct limits *limits = &session->insight.explanation->limits;
		const char *names[LIMIT_COUNT];

		for (int i = 0; i < limits->limit_count; i++)
			names[i] = limit_rows[limits->limit[i].kind].name;
		return status_unknown("this setting has no limit", arguments, names,
			(size_t)limits->limit_count, NULL);
	}
	if (change)
		explain_limit(change, limit);
	return status_ok();
}

/* ---- the core to predict for ---- */

/* In a replay, refuses to choose another core, because a recording has the limits of one core
 * only. */
static struct status uarch_refusal(const struct session *session)
{
	const struct core *core = session->replay ? replay_summary(session->replay).core : NULL;

	if (session->replay)
		return status_usage("a replay shows the limits that were recorded%s%s",
			core ? ": those of " : ", and none were", core ? core->title : "");
	return command_unless(session->insight.explainer,
		"this session has no core models to predict limits with");
}

static struct status run_uarch(
	const struct session *session, struct session *change, char *arguments)
{
	const struct insight *insight = &session->insight;
	struct status status;

	if (!insight->looked)
		return status_usage("slexplore has not identified this machine yet");
	if (!change)
		return command_effect(strcmp(arguments, insight->wanted) != 0,
			"limits are already predicted for this core model");
	status = insight_ask(change, arguments);
	if (!status_is_ok(&status))
		return status;
	curves_renew(change);
	if (insight_foreign(session))
		session_notice(change, false,
			"limits are now predicted for %s, not for this core; \"uarch\" returns to "
			"this core",
			insight->core.title);
	return status;
}

static struct status nearest_refusal(const struct session *session)
{
	struct status refused = uarch_refusal(session);

	if (!status_is_ok(&refused) || session->insight.match == UARCH_NEAREST)
		return refused;
	return status_usage(session->insight.match == UARCH_EXACT
				    ? "this core has its own model"
				    : "no core model is similar to this core");
}

static bool nearest_useful(const struct session *session)
{
	return !session->insight.nearest;
}

/* ---- events ---- */

static struct status run_event(
	const struct session *session, struct session *change, char *arguments)
{
	bool known = counted_index(&session->counted, arguments) >= 0;
	struct status status = known ? status_ok() : counted_check(session, arguments);

	if (!change && known)
		return command_effect(
			!screen_in_front(session, "counters"), "the counters are already in front");
	if (!change || !status_is_ok(&status))
		return status;
	if (known) {
		session_notice(change, false, "%.80s is counted already", arguments);
	} else {
		counted_add(change, arguments);
		live_hasten(&change->live, session->now);
		if (session->frozen)
			session_notice(change, false,
				"%.80s will be counted when measuring continues", arguments);
	}
	/* The list of events on screen begins with the events that the user named. */
	counted_scroll(change, 0);
	screen_bring(change, "counters");
	return status;
}

static struct status not_extra(const struct counted *counted, const char *name)
{
	if (counted->extra_count == 0)
		return status_usage("the user has added no events to count");
	if (counted_index(counted, name) >= 0)
		return status_usage("%.60s belongs to this core's standard events; only added "
				    "events can be dropped",
			name);
	return status_unknown("no event was added as", name, (const char *const *)counted->extra,
		(size_t)counted->extra_count, NULL);
}

static struct status run_event_drop(
	const struct session *session, struct session *change, char *arguments)
{
	const struct counted *counted = &session->counted;
	int event = *arguments ? counted_extra(counted, arguments) : -1;

	if (*arguments ? event < 0 : counted->extra_count == 0)
		return not_extra(counted, arguments);
	if (change)
		counted_drop(change, event);
	return status_ok();
}

/* ---- A, the pinned setting ---- */

static struct status pin_refusal(const struct session *session)
{
	if (session->beside.replay)
		return status_usage("A, the values to compare with, is a recording: key d (pin "
				    "drop) removes it");
	return command_unless(session->live.sample.valid, "there is no sample to pin yet");
}

static void act_pin(struct session *session)
{
	session_pin(session);
	session_notice(session, false, "this result is now A: turn a knob to compare; d forgets A");
}

static struct status run_pin_setting(
	const struct session *session, struct session *change, char *arguments)
{
	struct setting setting;
	const struct kernel *kernel;
	struct status status = setting_find_kernel(strsep(&arguments, " "), &kernel);

	if (!status_is_ok(&status))
		return status;
	setting_init(&setting, kernel);
	for (char *word; status_is_ok(&status) && (word = strsep(&arguments, " "));)
		status = setting_assign(&setting, word,
			session->replay ? MEMORY_LIMITS_UNKNOWN : session->memory_limits);
	if (status_is_ok(&status))
		status = playback_allows(session, &setting);
	if (status_is_ok(&status) && change)
		session_pin_setting(change, &setting);
	return status;
}

static void act_unpin(struct session *session)
{
	if (session->beside.replay)
		beside_close(session);
	else
		session_unpin(session);
}

/* The command `beside` makes a recording A: each setting is compared with the recorded sample of
 * the same setting. */
static struct status run_beside(
	const struct session *session, struct session *change, char *arguments)
{
	if (!*arguments && !session->beside.replay)
		return status_usage("beside needs the file of a recording, with whose samples to "
				    "compare this setting");
	return change ? beside_open(change, arguments) : status_ok();
}

/* With a program, the command `open` lists its functions. With a recording, it ends this session,
 * and the explorer then shows the recording. */
static struct status run_open(
	const struct session *session, struct session *change, char *arguments)
{
	if (elf_is_file(arguments) && session->replay)
		return status_usage("a recording has no programs: start slexplore without replay "
				    "to open one");
	if (elf_is_file(arguments))
		return change ? program_ask(change, arguments) : status_ok();
	return open_ask(session, change, arguments);
}

static struct status unpin_refusal(const struct session *session)
{
	return command_unless(session->pinned.there || session->beside.replay,
		"there is no pinned result A to forget: pin (key p) keeps this result as A");
}

/* ---- measuring ---- */

static struct status replay_refusal(const struct session *session)
{
	return session->replay ? playback_refuse(session) : status_ok();
}

static struct status measured_refusal(const struct session *session)
{
	if (session->setting.kernel->function)
		return status_usage("slexplore does not run programs, so nothing is measured here");
	return replay_refusal(session);
}

static void act_again(struct session *session)
{
	session_forget(session);
	session_notice(session, false, "all earlier values are discarded and measured again");
}

static void act_freeze(struct session *session)
{
	session_freeze(session, !session->frozen);
}

/* ---- recording ---- */

static struct status run_record_to(
	const struct session *session, struct session *change, char *arguments)
{
	struct status status;

	(void)session;
	if (!*arguments)
		return status_usage("record to needs the name of the file to write");
	status = change ? record_open(change, arguments) : status_ok();
	/* A cell (measured setting) that needs no more trials no longer stores them and cannot be
	 * recorded. All cells (measured settings) are removed, so the session measures them again.
	 */
	if (change && status_is_ok(&status))
		session_forget_cells(change);
	return status;
}

static struct status run_record(
	const struct session *session, struct session *change, char *arguments)
{
	char name[160] = "";

	(void)arguments;
	if (!session->recording || !change) {
		recording_name(session_machine(session), name, sizeof(name));
		return run_record_to(session, change, name);
	}
	record_end(change);
	return status_ok();
}

/* ---- the table ---- */

const struct command_row commands_measuring[] = {
	{ "remedy", act_remedy, .shows = HIDDEN_LIMITS | HIDDEN_BINDING, .refusal = remedy_refusal,
		.useful = remedy_useful,
		.useless = "no knob lowers the predicted CPE by 10 % or more" },
	{ "limit", .run = run_limit, .shows = HIDDEN_LIMITS | HIDDEN_BINDING | HIDDEN_CACHES },
	{ "event", .run = run_event },
	{ "event drop", .run = run_event_drop },
	{ "uarch", .run = run_uarch, .refusal = uarch_refusal },
	{ "uarch nearest", insight_take_nearest, .refusal = nearest_refusal,
		.useful = nearest_useful,
		.useless = "limits already come from the nearest core model" },
	{ "pin", act_pin, .refusal = pin_refusal },
	{ "pin setting", .run = run_pin_setting },
	{ "pin drop", act_unpin, .refusal = unpin_refusal },
	{ "beside", .run = run_beside, .verbatim = true },
	{ "open", .run = run_open, .verbatim = true },
	{ "freeze", act_freeze, .refusal = measured_refusal },
	{ "again", act_again, .refusal = measured_refusal },
	{ "record", .run = run_record, .refusal = machine_refusal },
	{ "record to", .run = run_record_to, .refusal = machine_refusal },
	{ .name = NULL },
};
