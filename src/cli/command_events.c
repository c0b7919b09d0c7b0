/* slexplore events: lists the events that this machine or another core can count, and searches all
 * events by words. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "engine/counters/counters.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"

/* ---- Text */

/* Widths, in columns, of the titles and the names of events. A longer title or name is printed on
 * its own line. */
enum { TITLE = 30, NAME = 38 };

static void survey_text(struct report *report, const void *item)
{
	const struct event_survey *survey = item;
	const struct uarch *uarch = report->core->uarch;
	FILE *out = report->out;

	fprintf(out, "core      %s\n", uarch ? uarch->title : "not recognised");
	if (survey->generic)
		fprintf(out,
			"events    the generic ones that the kernel has for every processor\n");
	else
		fprintf(out, "events    with the names of libpfm %s%s%s\n", counters_version(),
			*survey->pmu ? ", PMU " : "", survey->pmu);
	if (*survey->doubt)
		fprintf(out, "          %s\n", survey->doubt);
	if (*survey->why)
		fprintf(out, "counters  none here: %s\n", survey->why);
	else
		fprintf(out, "counters  %s\n",
			survey->tried		? "tried on this machine"
			: report->core->foreign ? "not tried: another core's"
						: "not tried");
	fprintf(out, "lacking   ");
	for (int i = 0; i < survey->lacking_count; i++)
		fprintf(out, "%s%s", i ? ", " : "", event_roles[survey->lacking[i]].title);
	fprintf(out, "%s\n\n", survey->lacking_count ? "" : "nothing");
}

/* Prints an event with its state: whether it can be counted, or why not. The state is printed next
 * to the event's name if there is room, else below the name. */
static void event_text(struct report *report, const void *item)
{
	const struct event_line *event = item;
	FILE *out = report->out;
	const char *outcome = *event->note			   ? event->note
			      : strcmp(event->state, "known") == 0 ? "counted"
								   : "";

	if (strlen(event->title) > TITLE)
		fprintf(out, "  %s\n  %-*s ", event->title, TITLE, "");
	else
		fprintf(out, "  %-*s ", TITLE, event->title);
	if (!*outcome)
		fprintf(out, "%s\n", event->name);
	else if (strlen(event->name) <= NAME)
		fprintf(out, "%-*s %s\n", NAME, event->name, outcome);
	else
		fprintf(out, "%s\n  %-*s %-*s %s\n", event->name, TITLE, "", NAME, "", outcome);
}

static void found_text(struct report *report, const void *item)
{
	const struct event_line *event = item;

	fprintf(report->out, "%s\n%s%s%s", event->name, *event->help ? "    " : "", event->help,
		*event->help ? "\n" : "");
}

static void found_end_text(struct report *report)
{
	fprintf(report->out, "%u event%s\n", report->records, report->records == 1 ? "" : "s");
}

/* ---- Data */

static void survey_data(struct report *report, const struct records *records, const void *item)
{
	const struct event_survey *survey = item;
	struct json_t *object = record_new(records, "events", report->records + 1), *lacking;

	if (report->machine)
		record_set_string(object, "machine", report->machine->name);
	record_set_string(object, "uarch", report_core(report));
	record_set_string(object, "libpfm", counters_version());
	record_set_words(object, "pmu", survey->pmu);
	record_set_flag(object, "generic", survey->generic);
	if (survey->tried)
		record_set_boolean(object, "available", !*survey->why);
	record_set_words(object, "why", survey->why);
	record_set_words(object, "doubt", survey->doubt);
	lacking = record_list(object, "lacking");
	for (int i = 0; i < survey->lacking_count; i++)
		record_append_string(lacking, event_roles[survey->lacking[i]].name);
	record_write(records, object);
}

static void event_data(struct report *report, const struct records *records, const void *item)
{
	const struct event_line *event = item;
	struct json_t *object = record_new(records, "event", report->records + 1);

	record_set_string(object, "uarch", report_core(report));
	record_set_string(object, "name", event->name);
	record_set_words(object, "role", event->role);
	record_set_words(object, "state", event->state);
	record_set_words(object, "note", event->note);
	record_set_words(object, "help", event->help);
	record_write(records, object);
}

#define COLUMNS "uarch,role,name,state,note,help"

const struct subject subject_survey = { .text = survey_text, .data = survey_data };
const struct subject subject_events = { "event", COLUMNS, NULL, event_text, event_data, NULL };
const struct subject subject_found = { "event", COLUMNS, NULL, found_text, event_data,
	found_end_text };

/* ---- The subcommand */

/* Time limit in seconds, and number of trials without interference, of the measurement that tests
 * which events can be counted. The limits EVENTS_SECONDS and EVENTS_QUIET are enough for a few
 * trials and for one pass of every group of events. */
#define EVENTS_SECONDS 0.1
enum { EVENTS_QUIET = 20 };

/* ---- search by words */

static int search(struct cli *cli, const struct machine *machine, const struct uarch_choice *core)
{
	const char *pmu = core->uarch && *core->uarch->pmu ? core->uarch->pmu : NULL;
	struct text words = { 0 };
	struct counter_offer *offers;
	struct report report;
	size_t count;

	for (int i = 0; i < cli->word_count; i++)
		text_addf(&words, "%s%s", i ? " " : "", cli->words[i]);
	count = counters_search(text_string(&words), pmu, NULL, 0);
	if (count == 0) {
		struct status status =
			status_failed("libpfm %s has no event for this machine with \"%.120s\" in "
				      "its name or description",
				counters_version(), text_string(&words));

		text_free(&words);
		return cli_fail(cli, status);
	}
	offers = memory_new(count, sizeof(*offers));
	count = counters_search(text_string(&words), pmu, offers, count);
	report_init(&report, cli, &subject_found, machine);
	report.core = core;
	report_begin(&report);
	for (size_t i = 0; i < count; i++)
		report_write(&report, &subject_found,
			&(struct event_line){ .role = "",
				.title = "",
				.name = offers[i].name,
				.state = "",
				.note = "",
				.help = offers[i].help });
	report_end(&report);
	free(offers);
	text_free(&words);
	return CLI_DONE;
}

/* ---- the core's own events */

/* Opens all events and runs the first kernel, because only a run shows which events count. Returns
 * false if the run has no result. */
static bool try_events(struct cli *cli, const struct event_plan *plan, struct counts *counts)
{
	struct result *result;
	struct request request;
	struct setting setting;
	struct bench bench;
	struct status status = bench_open(&bench, cli);
	bool tried;

	if (!status_is_ok(&status)) {
		cli_note(cli, "which events this machine can count is not known: %s", status.text);
		return false;
	}
	result = memory_new(1, sizeof(*result));
	setting_init(&setting, kernel_registry[0]);
	request = bench_request(cli, &setting, EVENTS_SECONDS, EVENTS_QUIET);
	request.plan = plan->counters;
	tried = bench_measure(&bench, &request, result) && result->counts.id == plan->counters.id;
	*counts = result->counts;
	free(result);
	bench_close(&bench);
	return tried;
}

/* Finds libpfm's description of an event. An event with several unit masks has no description. */
static void find_help(const char *name, struct counter_offer *offer)
{
	enum { MOST = 64 };
	const char *event = strstr(name, "::");
	char pmu[COUNTER_NAME] = "";
	struct counter_offer *found;
	size_t count;

	*offer = (struct counter_offer){ .name = "" };
	if (!event)
		return;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(event - name), name);
	found = memory_new(MOST, sizeof(*found));
	count = counters_search(event + 2, pmu, found, MOST);
	for (size_t i = 0; i < count && i < MOST; i++)
		if (strcasecmp(found[i].name, name) == 0)
			*offer = found[i];
	free(found);
}

static void write_event(
	struct report *report, const struct uarch_event *meaning, const struct count *count)
{
	char role[EVENT_TITLE + 32], note[160] = "";
	struct counter_offer offer;

	counts_role(meaning, role, sizeof(role));
	if (count)
		count_words(count, note, sizeof(note));
	find_help(meaning->name, &offer);
	report_write(report, &subject_events,
		&(struct event_line){ .role = role,
			.title = events_title(meaning, NULL).text,
			.name = meaning->name,
			.state = count ? counts_state(count->state) : "",
			.note = note,
			.help = offer.help });
}

static int list(struct cli *cli, const struct machine *machine, const struct uarch_choice *core)
{
	struct event_plan *plan = memory_new(1, sizeof(*plan));
	struct counts *counts = memory_new(1, sizeof(*counts));
	enum event_role lacking[ROLE_COUNT];
	struct event_survey survey;
	struct report report;

	events_plan(core->uarch, NULL, 0, plan);
	plan->counters.id = 1;
	survey = (struct event_survey){ .pmu = core->uarch ? core->uarch->pmu : "",
		.generic = plan->generic,
		.doubt = plan->why,
		.lacking_count = events_lacking(plan, lacking),
		.lacking = lacking };
	survey.tried = !core->foreign && try_events(cli, plan, counts);
	survey.why = survey.tried ? counts->why : "";
	report_init(&report, cli, &subject_events, machine);
	report.core = core;
	report_begin(&report);
	report_write(&report, &subject_survey, &survey);
	for (int i = 0; i < plan->counters.count; i++)
		write_event(&report, &plan->meaning[i],
			survey.tried && i < counts->count ? &counts->event[i] : NULL);
	report_end(&report);
	free(counts);
	free(plan);
	return CLI_DONE;
}

static int events_run(struct cli *cli)
{
	struct machine machine = { .cpu = -1 };
	struct uarch_choice core;
	struct status status = counters_ready();
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	machine_identify(&machine);
	machine_survey(&machine);
	status = uarch_choose(cli->uarch, &machine, &core);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	if (!core.uarch)
		cli_note(cli, "%s%s%s", core.how, *core.nearest ? ": --uarch takes " : "",
			core.nearest);
	exit_status = cli->word_count ? search(cli, &machine, &core) : list(cli, &machine, &core);
	uarch_choice_free(&core);
	return exit_status;
}

const struct cli_command command_events = {
	.name = "events",
	.help = "list the events that this machine can count, or search for events",
	.arguments = "[WORD ...]",
	.common = { "format", "cpu", "seed", "time-budget", "quiet", "uarch" },
	.run = events_run,
};
