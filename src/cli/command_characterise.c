/* slexplore characterise: measures a model of the running core. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/work.h"
#include "experiment/characterise/characterised.h"
#include "model/core/uarch.h"

/* ---- Data */

/* One value of a record. In CSV output, each value has its own row. */
struct value_row {
	const char *kind, *name, *what, *words;
};

/* Sets three fields of a JSON record: a value and the two ends of its range: "latency",
 * "latency_lo", "latency_hi". */
static void set_figure(struct report *report, const struct records *records, struct json_t *object,
	const char *key, const struct figure *figure, const struct value_row *row)
{
	struct json_t *value;

	if (!figure->known)
		return;
	if (records->row) {
		value = record_new(records, "value", 0);
		if (report->machine)
			record_set_string(value, "machine", report->machine->name);
		record_set_string(value, "kind", row->kind);
		record_set_string(value, "name", row->name);
		record_set_string(value, "figure", row->what);
		record_set_real(value, "value", figure->value);
		record_set_real(value, "lo", figure->lo);
		record_set_real(value, "hi", figure->hi);
		record_set_string(value, "words", row->words);
		record_write(records, value);
		return;
	}
	record_set_range(object, key, figure->value, figure->lo, figure->hi);
}

static void class_data(struct report *report, const struct records *records,
	const struct characterise_report *core, int index)
{
	const struct measured_op *op = &core->measured.op[index];
	static const char *const keys[] = { "latency", "accumulate", "each", "slots" };
	const struct figure *const figures[] = { &op->latency, &op->accumulate, &op->each,
		&op->slots };
	struct json_t *object = record_new(records, "class", report->records + 1);
	struct text ports = { 0 };

	if (core->ported)
		characterised_ports(&core->ports, index, &ports);
	record_set_string(object, "name", op->name);
	for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
		set_figure(report, records, object, keys[i], figures[i],
			&(struct value_row){ "class", op->name, keys[i],
				figures[i] == &op->each ? text_string(&ports) : "" });
	}
	record_set_words(object, "ports", text_string(&ports));
	record_write(records, object);
	text_free(&ports);
}

static void core_text(struct report *report, const void *item)
{
	characterised_print(report->out, item);
}

static void core_data(struct report *report, const struct records *records, const void *item)
{
	const struct characterised *characterised = item;
	const struct characterise_report *core = characterised->report;
	const struct measured *measured = &core->measured;
	struct json_t *object = record_new(records, "core", report->records + 1);

	record_set_string(object, "machine", measured->processor);
	record_set_string(object, "name", core->name);
	record_set_boolean(object, "complete", core->complete);
	record_set_real(object, "seconds", core->seconds);
	set_figure(report, records, object, "width", &measured->width,
		&(struct value_row){ "width", "", "slots", "" });
	record_set_source(object, "cycles_from", core->cycles_from);
	if (core->ported) {
		record_set_integer(object, "ports", core->ports.ports);
		record_set_integer(object, "mixes", measured->mix_count);
		record_set_real(object, "mixes_off", core->ports.fitted.median);
		record_set_real(object, "mixes_worst", core->ports.fitted.worst);
	}
	if (characterised->shipped)
		record_set_string(object, "shipped", characterised->shipped->name);
	record_write(records, object);
	for (int i = 0; i < measured->op_count; i++)
		class_data(report, records, core, i);
	for (int i = 0; i < measured->fact_count; i++) {
		const struct measured_fact *fact = &measured->fact[i];

		if (!fact->figure.known)
			continue;
		object = record_new(records, "fact", report->records + 1);
		record_set_string(object, "name", fact->word);
		set_figure(report, records, object, "value", &fact->figure,
			&(struct value_row){ "fact", fact->word, "", fact->words });
		record_set_string(object, "loop", fact->words);
		record_write(records, object);
	}
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];

		object = record_new(records, "difference", report->records + 1);
		record_set_string(object, "what", difference->what);
		record_set_real(object, "measured", difference->a);
		record_set_real(object, "shipped", difference->b);
		record_set_boolean(object, "agrees", difference->agrees);
		record_write(records, object);
	}
	for (int i = 0; i < core->notes.count; i++) {
		object = record_new(records, "note", report->records + 1);
		record_set_string(object, "text", core->notes.note[i]);
		record_write(records, object);
	}
}

const struct subject subject_core = { "value", "host,machine,kind,name,figure,value,lo,hi,words",
	NULL, core_text, core_data, NULL };

/* ---- The subcommand */

/* ---- options */

/* Values of the options that only characterise has. */
struct asked {
	const char *output; /* path of the file for the core model; NULL: no file is written */
	bool install, quick, agreements;
};

static const struct asked *asked(const struct cli *cli)
{
	return cli->own;
}

/* ---- files */

/* Checks that the output files can be written. check_files() runs before any measurement. */
static struct status check_files(const struct cli *cli)
{
	struct text path = { 0 };
	struct status status = asked(cli)->output ? file_check(asked(cli)->output) : status_ok();

	if (status_is_ok(&status) && asked(cli)->install && !data_own_path("uarch", &path))
		status = status_failed("--install: the folder for your core models is not known: "
				       "set HOME, XDG_CONFIG_HOME or "
				       "SLEXPLORE_DATA, or use --output FILE");
	text_free(&path);
	return status;
}

static struct status install(
	struct cli *cli, const struct characterise_report *report, const struct text *model)
{
	struct text name = { 0 }, path = { 0 };
	struct status status;
	bool backup;

	text_addf(&name, "uarch/%s.uarch", report->name);
	status = data_own_save(text_string(&name), text_string(model), &path, &backup);
	if (status_is_ok(&status) && backup)
		cli_note(cli, "the previous core model was renamed to %s~", text_string(&path));
	if (status_is_ok(&status))
		cli_note(cli,
			"%s: slexplore uses this core model, named %s, for this core from now on",
			text_string(&path), report->name);
	text_free(&name);
	text_free(&path);
	return status;
}

static struct status write_files(
	struct cli *cli, const struct characterise_report *report, const struct text *model)
{
	struct status status = status_ok();

	if (asked(cli)->output)
		status = file_save(asked(cli)->output, model, false);
	if (status_is_ok(&status) && asked(cli)->output)
		cli_note(cli, "%s: the core model was written; to use it, give --uarch this path",
			asked(cli)->output);
	/* An incomplete model is not installed, because it would replace the complete shipped model
	 * of this core. */
	if (status_is_ok(&status) && asked(cli)->install && !report->complete)
		cli_note(cli,
			"the core model is not installed, because the measurement is not complete; "
			"--output FILE writes the incomplete core model");
	else if (status_is_ok(&status) && asked(cli)->install)
		status = install(cli, report, model);
	return status;
}

/* ---- printing */

/* Finds the core model that the program ships for this core, not the model that was just
 * measured. */
static void find_shipped(const struct bench *bench, const struct characterise_report *report,
	struct uarch_choice *shipped)
{
	struct status status = uarch_choose(NULL, bench->machine, shipped);

	if (status_is_ok(&status) && shipped->uarch &&
		strcmp(shipped->uarch->name, report->name) != 0)
		return;
	uarch_choice_free(shipped);
	*shipped = (struct uarch_choice){ 0 };
}

static int tell(
	struct cli *cli, const struct bench *bench, const struct characterise_report *report)
{
	struct characterised characterised = { .report = report,
		.agreements = asked(cli)->agreements };
	struct uarch_choice shipped = { 0 };
	struct uarch *measured = NULL;
	struct text model = { 0 };
	struct status status = characterise_model(report, &model, &measured);
	int exit_status;

	find_shipped(bench, report, &shipped);
	characterised.measured = measured;
	characterised.shipped = shipped.uarch;
	characterised_compare(&characterised);
	work_report(cli, bench, &subject_core, &characterised);
	if (status_is_ok(&status))
		status = write_files(cli, report, &model);
	exit_status = status_is_ok(&status) ? CLI_DONE : cli_fail(cli, status);
	text_free(&model);
	uarch_free(measured);
	uarch_choice_free(&shipped);
	free(characterised.difference);
	return exit_status;
}

static int carry_out(struct cli *cli, struct bench *bench, struct characterise *characterise)
{
	const struct campaign campaign = { &campaign_characterise, characterise };
	int exit_status = CLI_DONE, concluded;

	if (work_carry_out(cli, bench, &campaign))
		exit_status = tell(cli, bench, characterise_report(characterise));
	concluded =
		work_conclude(cli, bench, &campaign, "the results so far are printed and written");
	return concluded == CLI_DONE ? exit_status : concluded;
}

static int characterise_run(struct cli *cli)
{
	struct characterise_options options = {
		.seed = cli->seed, .seconds = cli->time_budget, .quick = asked(cli)->quick
	};
	struct characterise *characterise = NULL;
	struct bench bench = { 0 };
	struct status status = status_ok();
	int exit_status;

	if (asked(cli)->install && cli->word_count)
		status = status_usage(
			"--install needs a measurement of all classes of instructions: leave out "
			"%.60s…, or use --output FILE",
			cli->words[0]);
	if (cli->word_count)
		options.classes = (const char *const *)cli->words;
	if (status_is_ok(&status))
		status = check_files(cli);
	if (status_is_ok(&status))
		status = bench_open(&bench, cli);
	if (status_is_ok(&status))
		characterise = characterise_new(bench.machine, &options, &status);
	exit_status = characterise ? carry_out(cli, &bench, characterise) : cli_fail(cli, status);
	bench_close(&bench);
	characterise_free(characterise);
	return exit_status;
}

static const struct cli_option own_options[] = {
	{ "output", "FILE", "write the core model there", OPTION_IN_OWN(struct asked, output) },
	{ "install", NULL, "save the core model in the folder where the program finds it",
		OPTION_IN_OWN(struct asked, install) },
	{ "quick", NULL, "measure each loop once, and no ports: about 6 seconds",
		OPTION_IN_OWN(struct asked, quick) },
	{ "agreements", NULL, "also list what agrees with the existing core model",
		OPTION_IN_OWN(struct asked, agreements) },
	{ .name = NULL },
};

const struct cli_command command_characterise = {
	.name = "characterise",
	.help = "measure this core without counters, and make a core model of it",
	.arguments = "[CLASS...]",
	.options = own_options,
	.own_size = sizeof(struct asked),
	.common = { "format", "cpu", "seed", "time-budget", "quiet" },
	.run = characterise_run,
};
