/* slexplore characterise: what the running core is, measured. */
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/characterise_text.h"
#include "cli/cli.h"
#include "cli/work.h"
#include "model/core/uarch.h"

enum { DIFFERENCES = 2048 };

/* ---- options */

static struct status apply_output(struct cli *cli, const char *value)
{
	cli->output = value;
	return *value ? status_ok()
		      : status_make(STATUS_USAGE,
				"--output: a file's name is wanted, as in --output mine.uarch");
}

static struct status apply_install(struct cli *cli, const char *value)
{
	(void)value;
	cli->install = true;
	return status_ok();
}

static struct status apply_quick(struct cli *cli, const char *value)
{
	(void)value;
	cli->quick = true;
	return status_ok();
}

static struct status apply_agreements(struct cli *cli, const char *value)
{
	(void)value;
	cli->agreements = true;
	return status_ok();
}

/* ---- files */

/* Before anything is measured: whether the files could be written. */
static struct status check_files(const struct cli *cli)
{
	struct text path = { 0 };
	struct status status = cli->output ? file_check(cli->output) : status_ok();

	if (status_is_ok(&status) && cli->install && !data_own_path("uarch", &path))
		status = status_make(STATUS_FAILED,
			"--install: neither SLEXPLORE_DATA, XDG_CONFIG_HOME nor HOME says where "
			"files of one's own are; --output "
			"FILE writes one anywhere");
	text_free(&path);
	return status;
}

static struct status install(
	struct cli *cli, const struct characterise_report *report, const struct text *model)
{
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool background_explain;

	text_addf(&name, "uarch/%s.uarch", report->name);
	status = data_own_save(text_string(&name), text_string(model), &path, &background_explain);
	if (status_is_ok(&status) && background_explain)
		cli_note(cli, "the file that was there is now %s~", text_string(&path));
	if (status_is_ok(&status))
		cli_note(cli, "%s: this core's model from now on, by its name %s",
			text_string(&path), report->name);
	text_free(&name);
	text_free(&path);
	return status;
}

static struct status write_files(
	struct cli *cli, const struct characterise_report *report, const struct text *model)
{
	struct status status = status_ok();

	if (cli->output)
		status = file_save(cli->output, model, false);
	if (status_is_ok(&status) && cli->output)
		cli_note(cli, "%s: the core model; --uarch takes a file's path, too", cli->output);
	/* A part of a model would be this core's from then on, in place of the whole that the
	 * program has. */
	if (status_is_ok(&status) && cli->install && !report->complete)
		cli_note(cli, "not installed: the measuring was not complete; --output FILE writes "
			      "what there is");
	else if (status_is_ok(&status) && cli->install)
		status = install(cli, report, model);
	return status;
}

/* ---- telling */

/* The model that the program has of this core without what is measured now. */
static void find_shipped(const struct bench *bench, const struct characterise_report *report,
	struct uarch_choice *shipped)
{
	struct status status = uarch_choose(NULL, bench->machine, shipped);

	if (status_is_ok(&status) && shipped->uarch &&
		strcmp(uarch_name(shipped->uarch), report->name) != 0)
		return;
	uarch_choice_free(shipped);
	*shipped = (struct uarch_choice){ 0 };
}

static int tell(
	struct cli *cli, const struct bench *bench, const struct characterise_report *report)
{
	struct model_difference *difference = memory_new(DIFFERENCES, sizeof(*difference));
	struct characterised characterised = {
		.report = report, .difference = difference, .agreements = cli->agreements
	};
	struct uarch_choice shipped = { 0 };
	struct uarch *measured = NULL;
	struct text model = { 0 };
	struct report head;
	struct status status = characterise_model(report, &model, &measured);
	int exit_status;

	find_shipped(bench, report, &shipped);
	characterised.measured = measured;
	characterised.shipped = shipped.uarch;
	if (measured && shipped.uarch)
		characterised.difference_count =
			model_differences(measured, shipped.uarch, difference, DIFFERENCES);
	if (characterised.difference_count > DIFFERENCES)
		characterised.difference_count = DIFFERENCES;
	work_report(cli, bench, REPORT_CORE, &head);
	cli->format->core(&head, &characterised);
	work_reported(cli, &head);
	if (status_is_ok(&status))
		status = write_files(cli, report, &model);
	exit_status = status_is_ok(&status) ? CLI_DONE : cli_fail(cli, &status);
	text_free(&model);
	uarch_free(measured);
	uarch_choice_free(&shipped);
	free(difference);
	return exit_status;
}

static int carry_out(struct cli *cli, struct bench *bench, struct characterise *characterise)
{
	const struct campaign campaign = { &campaign_characterise, characterise };
	struct status status = check_files(cli);
	int exit_status = CLI_DONE, concluded;

	if (!status_is_ok(&status))
		return cli_fail(cli, &status);
	if (work_carry_out(cli, bench, &campaign))
		exit_status = tell(cli, bench, characterise_report(characterise));
	concluded = work_conclude(
		cli, bench, &campaign, "what was measured so far is told and written");
	return concluded == CLI_DONE ? exit_status : concluded;
}

static int characterise_run(struct cli *cli)
{
	struct characterise_options options = {
		.seed = cli->seed, .seconds = cli->time_budget, .quick = cli->quick
	};
	const char **classes = memory_new((size_t)cli->word_count + 1, sizeof(*classes));
	struct characterise *characterise = NULL;
	struct bench bench = { 0 };
	struct status status = bench_open(&bench, cli);
	int exit_status;

	if (status_is_ok(&status) && cli->install && cli->word_count) {
		bench_close(&bench);
		status = status_make(STATUS_USAGE,
			"--install wants the whole core; of some classes (%.60s…) a model is "
			"written by --output FILE",
			cli->words[0]);
	}
	for (int i = 0; i < cli->word_count; i++)
		classes[i] = cli->words[i];
	if (cli->word_count)
		options.classes = classes;
	if (status_is_ok(&status)) {
		characterise = characterise_new(bench.machine, &options, &status);
		exit_status = characterise ? carry_out(cli, &bench, characterise)
					   : cli_fail(cli, &status);
		bench_close(&bench);
	} else {
		exit_status = cli_fail(cli, &status);
	}
	characterise_free(characterise);
	free(classes);
	return exit_status;
}

static const struct cli_option own_options[] = {
	{ "output", "FILE", "write the core model there", apply_output },
	{ "install", NULL, "put the core model where the program finds it", apply_install },
	{ "quick", NULL, "one look at each loop, and no ports: in some 6 seconds", apply_quick },
	{ "agreements", NULL, "say also what agrees with the core model that there is",
		apply_agreements },
	{ NULL, NULL, NULL, NULL },
};

const struct cli_command command_characterise = {
	.name = "characterise",
	.help = "what this core is, measured without counters: a core model of it",
	.arguments = "[CLASS...]",
	.more = "Latency, throughput and slots of each class of instructions, what executes beside "
		"what, caches, forwarding, fusion; and what of it differs\n"
		"from the core model that the program has. With classes (fadd, or fadd.512) these "
		"alone.\n",
	.options = own_options,
	.common = { "format", "cpu", "seed", "time-budget", "quiet" },
	.run = characterise_run,
};
