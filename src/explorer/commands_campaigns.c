/* Commands for the probe, the core measurement and named sweeps. While a probe, a core measurement
 * or a named sweep runs, it replaces the live measurement. The limits use the latencies that the
 * probe has measured, and the core model that the core measurement has made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "experiment/characterise/characterised.h"
#include "experiment/probe/probe_text.h"
#include "explorer/actions.h"

/* ---- the probe ---- */

const struct probe_report *session_probe(const struct session *session)
{
	const struct probe *probe = session->campaigns[CAMPAIGN_PROBE].campaign.self;

	return probe ? probe_report(probe) : NULL;
}

/* Shows the report of the probe on the whole screen. */
static void show_probe(struct session *session)
{
	const struct probe_report *report = session_probe(session);
	char *page;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	probe_print(out, report, false);
	fclose(out);
	overlay_page(session, "probe",
		words_of("memory hierarchy, probed in %.1f s", report->seconds).text, page);
}

/* Passes the probe's latencies to the limits, so the explorer need not measure the latencies
 * again. */
static void probe_over(struct session *session)
{
	const struct probe_report *report = session_probe(session);

	insight_learn(session, report);
	if (report->complete && session->screen.overlay == OVERLAY_NONE)
		show_probe(session);
	session_notice(session, false,
		report->complete ? "probed in %.1f s: P shows it again; then P measures again"
				 : "the probe was stopped after %.1f s",
		report->seconds);
}

const struct campaign_row campaign_row_probe = {
	.kind = &campaign_probe, .apart = true, .over = probe_over
};

/* Parses the names of parts of a probe, such as "latency tlb", and sets the bit of each named part
 * in *parts. */
static struct status read_parts(char *arguments, unsigned *parts)
{
	for (char *word; (word = strsep(&arguments, " "));) {
		if (!probe_part_add(word, parts))
			return status_usage("probe only \"%.40s\": expected latency, tlb, line, "
					    "bandwidth, parallel, cores or core-to-core",
				word);
	}
	return status_ok();
}

static struct status begin_probe(struct session *session, unsigned parts)
{
	struct probe_options options = { .seed = session->seed, .parts = parts };
	struct probe *probe;
	struct status status;

	probe = probe_new(session_machine(session), &options, &status);
	if (!probe)
		return status;
	overlay_open(session, OVERLAY_NONE);
	session_begin_campaign(session, CAMPAIGN_PROBE, &campaign_row_probe, probe);
	screen_bring(session, "probe");
	return status_ok();
}

/* Shows the probe that is running, or the result of a complete probe. If the result of a complete
 * probe is already on screen, or if there is no probe, the command begins a probe. */
static struct status run_probe(
	const struct session *session, struct session *change, char *arguments)
{
	const struct probe_report *report = session_probe(session);

	(void)arguments;
	if (!change)
		return status_ok();
	if (campaign_runs(session, CAMPAIGN_PROBE)) {
		screen_bring(change, "probe");
	} else if (report && report->complete && !overlay_shows_page(session, "probe")) {
		screen_bring(change, "probe");
		show_probe(change);
	} else {
		return begin_probe(change, 0);
	}
	return status_ok();
}

static struct status run_probe_only(
	const struct session *session, struct session *change, char *arguments)
{
	unsigned parts = 0;
	struct status status =
		*arguments ? read_parts(arguments, &parts)
			   : status_usage("probe only needs what to measure: latency, tlb, line, "
					  "bandwidth, parallel, cores, core-to-core");

	(void)session;
	return change && status_is_ok(&status) ? begin_probe(change, parts) : status;
}

static struct status run_stop(const struct session *session, struct session *change, char *given)
{
	enum campaign_of which = *given == 'p'	 ? CAMPAIGN_PROBE
				 : *given == 's' ? CAMPAIGN_SWEEP
						 : CAMPAIGN_CORE;

	if (!campaign_runs(session, which))
		return status_usage("%s",
			which == CAMPAIGN_PROBE	  ? "no probe is running: \"probe\" starts one"
			: which == CAMPAIGN_SWEEP ? "no sweep is running: \"sweep NAME\" starts one"
						  : "nothing is being characterised: "
						    "\"characterise\" starts it");
	if (change)
		campaign_halt(change, which);
	return status_ok();
}

/* ---- characterising ---- */

static const struct characterise *core_of(const struct session *session)
{
	return session->campaigns[CAMPAIGN_CORE].campaign.self;
}

/* Shows the measured core model on the whole screen, and its differences from the shipped core
 * model. */
static void show_core(struct session *session)
{
	const struct explainer *explainer = session->insight.explainer;
	const struct characterise_report *report = characterise_report(core_of(session));
	struct characterised characterised = { .report = report, .differences_first = true };
	struct core shipped;
	bool is_shipped = insight_shipped_core(session, &shipped);
	struct uarch *measured = NULL;
	struct text model = { 0 };
	char *page;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	characterise_model(report, &model, &measured);
	characterised.measured = measured;
	characterised.shipped = is_shipped ? shipped.uarch : NULL;
	characterised_compare(&characterised);
	characterised_print(out, &characterised);
	fclose(out);
	overlay_page(session, "characterise",
		words_of("this core, measured in %.0f s", report->seconds).text, page);
	text_free(&model);
	uarch_free(measured);
	free(characterised.difference);
	if (is_shipped)
		explainer->unload(explainer->context, &shipped);
}

/* Whether the measured core model would lack values that the present one has: one in MISSING_SHARE
 * loops never ran on a quiet core. */
enum { MISSING_SHARE = 20 };

static bool is_worse(const struct session *session, const struct characterise_report *report)
{
	return session->insight.loaded && report->unmeasured * MISSING_SHARE > report->loops;
}

/* After this core was measured, uses the measured core model for its limits. */
static void core_over(struct session *session)
{
	const struct characterise_report *report = characterise_report(core_of(session));
	const struct choices before = undo_look(session);
	struct text model = { 0 };
	struct status status;

	/* If the core measurement was stopped early, its incomplete core model must not replace the
	 * complete core model. */
	if (!report->complete) {
		session_notice(session, false,
			"characterising stopped after %.0f s: the core model did not change; M "
			"goes on",
			report->seconds);
		return;
	}
	if (!report->measured.width.known || is_worse(session, report)) {
		if (session->screen.overlay == OVERLAY_NONE)
			show_core(session);
		session_notice(session, true,
			"the core model did not change: %d of %d loops have no value (busy core); "
			"M goes on",
			report->unmeasured, report->loops);
		return;
	}
	characterise_model(report, &model, NULL);
	status = insight_adopt(session, text_string(&model), report->name);
	undo_note(session, &before);
	curves_renew(session);
	text_free(&model);
	if (session->screen.overlay == OVERLAY_NONE)
		show_core(session);
	if (!status_is_ok(&status))
		session_notice(session, true,
			"no core model could be made of the measured values: %.160s", status.text);
	else if (report->unmeasured > 0)
		session_notice(session, false,
			"the limits now come from the measured core; %d of %d loops lack a value, "
			"because the core was busy: M goes on, U goes back",
			report->unmeasured, report->loops);
	else
		session_notice(session, false,
			"measured in %.0f s: the limits now use it; U goes back, "
			"\"characterise save\" keeps it",
			report->seconds);
}

const struct campaign_row campaign_row_core = {
	.kind = &campaign_characterise, .apart = true, .over = core_over
};

const struct characterise_report *session_core(const struct session *session)
{
	return campaign_runs(session, CAMPAIGN_CORE) ? characterise_report(core_of(session)) : NULL;
}

static struct status characterise_refusal(const struct session *session)
{
	const struct explainer *explainer = session->insight.explainer;

	if (session->replay)
		return playback_refuse(session);
	if (!explainer || !explainer->read)
		return status_usage("this session has no core models to predict limits with");
	if (session_apart(session))
		return status_usage("another long measurement is running: end it first (key Esc)");
	return machine_refusal(session);
}

static struct status run_characterise(
	const struct session *session, struct session *change, char *arguments)
{
	struct characterise_options options = { .seed = session->seed };
	struct characterise *machine = session->campaigns[CAMPAIGN_CORE].campaign.self;
	const struct characterise_report *report = machine ? characterise_report(machine) : NULL;
	struct status status = status_ok();

	(void)arguments;
	if (!change)
		return status_ok();
	if (report && report->complete && report->measured.width.known &&
		!overlay_shows_page(session, "characterise")) {
		show_core(change);
		return status_ok();
	}
	overlay_open(change, OVERLAY_NONE);
	/* If the last measurement was stopped or the core was busy, its values are kept. */
	if (report && (!report->complete || report->unmeasured > 0))
		machine = characterise_go_on(machine);
	else
		machine = characterise_new(session_machine(session), &options, &status);
	if (machine)
		session_begin_campaign(change, CAMPAIGN_CORE, &campaign_row_core, machine);
	return status;
}

static struct status run_characterise_save(
	const struct session *session, struct session *change, char *arguments)
{
	const struct insight *insight = &session->insight;
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool kept;

	(void)arguments;
	if (!insight->adopted)
		return status_usage(
			"there is no measured core model to save: run \"characterise\" first");
	if (!change)
		return status_ok();
	text_addf(&name, "uarch/%s.uarch", insight->adopted_name);
	status = data_own_save(text_string(&name), insight->adopted, &path, &kept);
	if (status_is_ok(&status))
		session_notice(change, false, "saved as %.150s%s", text_string(&path),
			kept ? "; the previous file now ends in ~" : "");
	text_free(&name);
	text_free(&path);
	return status;
}

/* ---- named sweeps ---- */

const struct sweep_table_report *session_sweep(const struct session *session)
{
	const struct sweep_table *table = session->campaigns[CAMPAIGN_SWEEP].campaign.self;

	return table ? sweep_table_report(table) : NULL;
}

static void sweep_over(struct session *session)
{
	const struct sweep_table_report *report = session_sweep(session);

	if (report->complete)
		session_notice(session, false,
			"%s measured in %.1f s: the arrows choose a row, i draws a picture",
			report->named->name, report->seconds);
	else
		session_notice(session, false, "%s stopped after %.1f s: \"sweep %s\" starts again",
			report->named->name, report->seconds, report->named->name);
}

const struct campaign_row campaign_row_sweep = {
	.kind = &campaign_sweep_table, .apart = true, .over = sweep_over
};

/* Finds the named sweep that the first word names, and replaces its knob values by the values in
 * the other words. The caller frees the text that holds the words of the named sweep. */
static struct status read_sweep(
	const struct session *session, char *arguments, struct named_sweep *sweep)
{
	const struct sweeps *sweeps = session_sweeps(session);
	const char *names[128], *word = strsep(&arguments, " ");
	const struct named_sweep *found = sweeps_find(sweeps, word);
	struct status status = status_ok();
	size_t count = 0;
	unsigned given = 0;

	for (int i = 0; i < sweeps->count && count < 128; i++)
		names[count++] = sweeps->sweep[i].name;
	if (!*word)
		return status_usage("sweep needs a name, as in sweep %s: find (/) searches for one",
			count ? names[0] : "NAME");
	if (!found)
		return status_unknown("no named sweep", word, names, count, NULL);
	sweeps_copy(found, sweep);
	while (status_is_ok(&status) && (word = strsep(&arguments, " ")))
		status = sweeps_override(sweep, word, &given);
	if (!status_is_ok(&status))
		sweeps_clear(sweep);
	return status;
}

static struct status begin_sweep(struct session *session, const struct named_sweep *sweep)
{
	struct sweep_table_options options = { .named = sweep,
		.seed = session->seed,
		.memory_limits = session->memory_limits,
		.foreign = insight_foreign(session),
		.memory = session->memory,
		.events = session->counted.plan };
	struct sweep_table *table;
	struct setting first;
	struct status status;

	if (insight_copy_core(session, &options.core))
		options.explainer = session->insight.explainer;
	table = sweep_table_new(session_machine(session), &options, &status);
	if (!table)
		return status;
	first = sweep_table_report(table)->row[0].setting;
	session_begin_campaign(session, CAMPAIGN_SWEEP, &campaign_row_sweep, table);
	session_go(session, &first);
	session_choose_knob(session, sweep->x);
	screen_bring(session, "sweep");
	screen_focus(session, "sweep");
	return status;
}

static struct status sweep_refusal(const struct session *session)
{
	if (campaign_runs(session, CAMPAIGN_CORE) || campaign_runs(session, CAMPAIGN_PROBE))
		return status_usage("another long measurement is running: end it first (key Esc)");
	return machine_refusal(session);
}

static struct status run_sweep(
	const struct session *session, struct session *change, char *arguments)
{
	struct words given = words_of("%s", arguments ? arguments : "");
	struct named_sweep sweep;
	struct status status = read_sweep(session, arguments, &sweep);

	if (!status_is_ok(&status))
		return status;
	if (change)
		status = begin_sweep(change, &sweep);
	if (change && status_is_ok(&status))
		snprintf(change->swept, sizeof(change->swept), "%.*s", SWEPT_SIZE - 1, given.text);
	sweeps_clear(&sweep);
	return status;
}

/* ---- the table ---- */

const struct command_row commands_campaigns[] = {
	{ "probe", .run = run_probe, .refusal = machine_refusal },
	{ "probe only", .run = run_probe_only, .refusal = machine_refusal },
	{ "probe stop", .run = run_stop, .given = "probe" },
	{ "sweep", .run = run_sweep, .refusal = sweep_refusal },
	{ "sweep stop", .run = run_stop, .given = "sweep" },
	{ "characterise", .run = run_characterise, .refusal = characterise_refusal },
	{ "characterise stop", .run = run_stop, .given = "core" },
	{ "characterise save", .run = run_characterise_save },
	{ .name = NULL },
};
