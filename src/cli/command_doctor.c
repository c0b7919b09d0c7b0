/* slexplore doctor: prints the checks of this machine, with advice. */
#include "cli/bench.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "model/counts/events.h"

static void check_text(struct report *report, const void *item)
{
	const struct check *check = item;

	text_print(report->out, TEXT_COLUMNS,
		words_of("%-4s  %-10s  ", check_state_name(check->state), check->name).text, 18,
		check->finding);
	if (*check->advice)
		text_print(report->out, TEXT_COLUMNS, "                  ", 18, check->advice);
}

static void check_data(struct report *report, const struct records *records, const void *item)
{
	const struct check *check = item;
	struct json_t *object = record_new(records, "check", report->records + 1);

	if (report->machine)
		record_set_string(object, "machine", report->machine->name);
	record_set_string(object, "name", check->name);
	record_set_string(object, "state", check_state_name(check->state));
	record_set_string(object, "finding", check->finding);
	record_set_words(object, "advice", check->advice);
	record_set_real(object, "value", check->value);
	if (isfinite(check->value))
		record_set_words(object, "unit", check->unit);
	record_write(records, object);
}

const struct subject subject_check = { "check", "host,name,state,finding,advice,value,unit", NULL,
	check_text, check_data, NULL };

/* Time limit in seconds and number of quiet trials of the quick request. This number of trials is
 * enough to estimate the share of trials without interference. */
#define DOCTOR_SECONDS 0.3
enum { DOCTOR_QUIET = 400 };

/* Measures the first kernel at its default knobs, because the checks examine the core, not a
 * kernel. */
static void examine_core(struct cli *cli, struct bench *bench, struct examination *examination)
{
	struct result *result = memory_new(1, sizeof(*result));
	struct request request;
	struct setting setting;

	setting_init(&setting, kernel_registry[0]);
	request = bench_request(cli, &setting, DOCTOR_SECONDS, DOCTOR_QUIET);
	request.plan = examination->events->counters;
	environment_times(&examination->before, "", bench->machine->cpu);
	if (!bench_measure(bench, &request, result))
		result->status = status_make(STATUS_CANCELLED, "interrupted");
	environment_times(&examination->after, "", bench->machine->cpu);
	if (status_is_ok(&result->status)) {
		sample_summarise(&result->trials, &result->facts, &examination->sample);
		examination->counts = result->counts;
		memcpy(examination->pages, result->facts.pages, sizeof(examination->pages));
	} else {
		memcpy(examination->failure, result->status.text, sizeof(examination->failure));
	}
	free(result);
}

static int doctor_run(struct cli *cli)
{
	struct examination examination = { 0 };
	struct event_plan plan;
	struct report report;
	struct bench bench;
	struct status status;

	if (cli->word_count)
		return cli_fail(cli, status_usage("doctor takes no argument: %s", cli->words[0]));
	/* The environment is read before bench_open(), because bench_open() moves this thread off
	 * the measured core. */
	environment_read(&examination.environment, "");
	status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	examination.machine = bench.machine;
	events_plan_here(bench.machine, NULL, 0, &plan);
	plan.counters.id = plan.counters.count > 0;
	examination.events = &plan;
	examine_core(cli, &bench, &examination);
	if (interrupt_signal()) {
		bench_close(&bench);
		return interrupt_exit(CLI_DONE);
	}
	environment_read_core(&examination.environment, "", bench.machine->cpu);
	examination.counter_error = environment_counter_error();
	pmu_find(&examination.pmu, "", bench.machine->cpu);
	examination.root = geteuid() == 0;
	terminal_read(&examination.terminal);

	report_init(&report, cli, &subject_check, bench.machine);
	report_begin(&report);
	for (size_t i = 0; i < check_count(); i++) {
		struct check check = check_make(i, &examination);

		report_write(&report, &subject_check, &check);
	}
	report_end(&report);
	bench_close(&bench);
	/* The exit status is CLI_DONE even if a check found a problem, because the examination
	 * itself succeeded. */
	return CLI_DONE;
}

const struct cli_command command_doctor = {
	.name = "doctor",
	.help = "what this machine allows, and how to allow the rest",
	.arguments = "",
	.common = { "format", "cpu", "seed", "time-budget", "quiet" },
	.run = doctor_run,
};
