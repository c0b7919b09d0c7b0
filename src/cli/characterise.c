/* slexplore characterise: what the running core is, measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/data.h"
#include "base/text.h"
#include "cli/bench.h"
#include "cli/characterise_text.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/interrupt.h"
#include "model/choice.h"
#include "picture/picture_file.h"

/* How often the line of progress changes, seconds. */
#define PROGRESS_EVERY 0.1

enum { DIFFERENCES = 2048 };

/* ---- options */

static struct status apply_output(struct cli *cli, const char *value)
{
	cli->output = value;
	return *value ? status_ok() : status_make(STATUS_USAGE, "--output: a file's name is wanted, as in --output mine.uarch");
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
	struct status status = cli->output ? picture_file_check(cli->output) : status_ok();

	if (status_is_ok(&status) && cli->install && !data_own_path("uarch", &path))
		status = status_make(STATUS_FAILED, "--install: neither SLEXPLORE_DATA, XDG_CONFIG_HOME nor HOME says where files of one's own are; --output "
			"FILE writes one anywhere");
	text_free(&path);
	return status;
}

static struct status install(struct cli *cli, const struct characterise_report *report, const struct text *model)
{
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool aside;

	text_addf(&name, "uarch/%s.uarch", report->name);
	status = data_own_save(text_string(&name), text_string(model), &path, &aside);
	if (status_is_ok(&status) && aside)
		cli_note(cli, "the file that was there is now %s~", text_string(&path));
	if (status_is_ok(&status))
		cli_note(cli, "%s: this core's model from now on, by its name %s", text_string(&path), report->name);
	text_free(&name);
	text_free(&path);
	return status;
}

static struct status write_files(struct cli *cli, const struct characterise_report *report, const struct text *model)
{
	struct status status = status_ok();

	if (cli->output)
		status = picture_file_save(cli->output, model, false);
	if (status_is_ok(&status) && cli->output)
		cli_note(cli, "%s: the core model; --uarch takes a file's path, too", cli->output);
	/* A part of a model would be this core's from then on, in place of the whole that the program has. */
	if (status_is_ok(&status) && cli->install && !report->complete)
		cli_note(cli, "not installed: the measuring was not complete; --output FILE writes what there is");
	else if (status_is_ok(&status) && cli->install)
		status = install(cli, report, model);
	return status;
}

/* ---- measuring */

static void progress_show(const struct cli *cli, const struct characterise_report *report, double now, double *next)
{
	if (now < *next)
		return;
	*next = now + PROGRESS_EVERY;
	fprintf(cli->err, "\r%-7s %-58s%3.0f %% ", characterise_stage_names[report->stage], report->doing, floor(report->done * 100));
	fflush(cli->err);
}

static void measure(struct cli *cli, struct bench *bench, struct characterise *characterise)
{
	struct result *result = memory_new(1, sizeof(*result));
	bool progress = !cli->quiet && isatty(fileno(cli->err));
	struct request request;
	uint64_t generation = 0;
	double next = 0;

	while (!interrupt_signal() && characterise_next(characterise, bench_now(), &request)) {
		request.generation = ++generation;
		if (progress)
			progress_show(cli, characterise_report(characterise), bench_now(), &next);
		if (bench_measure(bench, &request, result))
			characterise_accept(characterise, bench_now(), result);
	}
	characterise_stop(characterise, bench_now());
	if (progress)
		fprintf(cli->err, "\r%76s\r", "");
	free(result);
}

static bool anything(const struct measured *measured)
{
	for (int i = 0; i < measured->op_count; i++)
		if (measured->op[i].latency.known || measured->op[i].each.known)
			return true;
	return false;
}

/* ---- telling */

/* The model that the program has of this core without what is measured now. */
static void find_shipped(const struct bench *bench, const struct characterise_report *report, struct uarch_choice *shipped)
{
	struct status status = uarch_choose(NULL, bench->machine, shipped);

	if (status_is_ok(&status) && shipped->uarch && strcmp(uarch_name(shipped->uarch), report->name) != 0)
		return;
	uarch_choice_free(shipped);
	*shipped = (struct uarch_choice){ 0 };
}

static void print(struct cli *cli, const struct bench *bench, const struct characterised *characterised)
{
	struct report report;

	report_init(&report, cli->out, REPORT_CORE);
	report.machine = bench->machine;
	report.seed = cli->seed;
	if (cli->format->begin)
		cli->format->begin(&report);
	cli->format->core(&report, characterised);
	if (cli->format->end)
		cli->format->end(&report);
}

static int tell(struct cli *cli, const struct bench *bench, const struct characterise_report *report)
{
	struct model_difference *difference = memory_new(DIFFERENCES, sizeof(*difference));
	struct characterised characterised = { .report = report, .difference = difference, .agreements = cli->agreements };
	struct uarch_choice shipped = { 0 };
	struct uarch *measured = NULL;
	struct text model = { 0 };
	struct status status = characterise_model(report, &model, &measured);
	int exit_status;

	find_shipped(bench, report, &shipped);
	characterised.measured = measured;
	characterised.shipped = shipped.uarch;
	if (measured && shipped.uarch)
		characterised.difference_count = model_differences(measured, shipped.uarch, difference, DIFFERENCES);
	if (characterised.difference_count > DIFFERENCES)
		characterised.difference_count = DIFFERENCES;
	print(cli, bench, &characterised);
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
	const struct characterise_report *report = characterise_report(characterise);
	struct status status = check_files(cli);
	int exit_status;

	if (!status_is_ok(&status))
		return cli_fail(cli, &status);
	measure(cli, bench, characterise);
	if (!anything(&report->measured)) {
		status = status_make(STATUS_FAILED, "nothing could be measured: %.180s", report->note_count ? report->note[0] : "it was interrupted at once");
		return interrupt_signal() ? 128 + interrupt_signal() : cli_fail(cli, &status);
	}
	exit_status = tell(cli, bench, report);
	if (interrupt_signal()) {
		cli_note(cli, "interrupted: what was measured so far is told and written");
		return 128 + interrupt_signal();
	}
	if (!bench->machine->bound)
		cli_note(cli, "not bound to a core: %s", *bench->machine->bind_note ? bench->machine->bind_note : "refused");
	return exit_status;
}

static int characterise_run(struct cli *cli)
{
	struct characterise_options options = { .seed = cli->seed, .seconds = cli->time_budget, .quick = cli->quick };
	const char **classes = memory_new((size_t)cli->word_count + 1, sizeof(*classes));
	struct characterise *characterise = NULL;
	struct bench bench = { 0 };
	struct status status = bench_open(&bench, cli);
	int exit_status;

	if (status_is_ok(&status) && cli->install && cli->word_count) {
		bench_close(&bench);
		status = status_make(STATUS_USAGE, "--install wants the whole core; of some classes (%.60s…) a model is written by --output FILE", cli->words[0]);
	}
	for (int i = 0; i < cli->word_count; i++)
		classes[i] = cli->words[i];
	if (cli->word_count)
		options.classes = classes;
	if (status_is_ok(&status)) {
		characterise = characterise_new(bench.machine, &options, &status);
		exit_status = characterise ? carry_out(cli, &bench, characterise) : cli_fail(cli, &status);
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
	{ "agreements", NULL, "say also what agrees with the core model that there is", apply_agreements },
	{ NULL, NULL, NULL, NULL },
};

const struct cli_command command_characterise = {
	.name = "characterise",
	.help = "what this core is, measured without counters: a core model of it",
	.arguments = "[CLASS...]",
	.more = "Latency, throughput and slots of each class of instructions, what executes beside what, caches, forwarding, fusion; and what of it differs\n"
		"from the core model that the program has. With classes (fadd, or fadd.512) these alone.\n",
	.options = own_options,
	.common = { "format", "cpu", "seed", "time-budget", "quiet" },
	.run = characterise_run,
};
