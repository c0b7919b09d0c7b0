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
#include "experiment/characterise/characterise.h"
#include "model/core/uarch.h"

/* ---- Text */

static double spread_of(const struct figure *figure)
{
	return fmax(figure->hi - figure->value, figure->value - figure->lo);
}

/* Prints a value with its spread, "3.00 +-0.010", or "-" if the value is unknown. `width` is the
 * number of columns of the widest value. */
static void put(FILE *out, const struct figure *figure, int width)
{
	double spread = spread_of(figure);

	if (!figure->known) {
		fprintf(out, " %*s %7s", width, "-", "");
		return;
	}
	fprintf(out, fabs(figure->value) >= 1000 ? " %*.0f" : " %*.2f", width, figure->value);
	fprintf(out, spread < 1 ? " +-%-5.3f" : " +-%-5.3g", spread);
}

static void add_ports(const struct measured_ports *ports, int op, struct text *text)
{
	if (!ports->known[op])
		return;
	if (ports->term_count[op] == 0)
		text_add(text, "none");
	for (int i = 0; i < ports->term_count[op]; i++) {
		const struct uarch_term *term = &ports->term[op][i];
		const char *comma = "";

		text_add(text, i ? " + " : "");
		if (fabs((double)term->count - 1) > 1e-6)
			text_addf(text, "%.3g*", (double)term->count);
		for (int port = 0; port < ports->ports + ports->units; port++)
			if (term->ports >> port & 1) {
				text_addf(text, "%s%s%d", comma, port < ports->ports ? "p" : "unit",
					port < ports->ports ? port : port - ports->ports);
				comma = ",";
			}
		if (fabs((double)term->cycles - 1) > 1e-6)
			text_addf(text, ":%.3g", (double)term->cycles);
	}
}

static void put_classes(FILE *out, const struct characterise_report *report)
{
	const struct measured *measured = &report->measured;

	fprintf(out, "\n%-21s %7s %6s %6s %7s %5s %7s  %s\n", "class", "latency", "", "each", "",
		"slots", "", report->ported ? "ports" : "");
	for (int i = 0; i < measured->op_count; i++) {
		const struct measured_op *op = &measured->op[i];
		struct text ports = { 0 };

		if (report->ported)
			add_ports(&report->ports, i, &ports);
		fprintf(out, "%-21s", op->name);
		put(out, &op->latency, 7);
		put(out, &op->each, 6);
		put(out, &op->slots, 5);
		fprintf(out, "  %s", text_string(&ports));
		if (op->accumulate.known)
			fprintf(out, "%saddend %.2f +-%.2g", ports.length ? ", " : "",
				op->accumulate.value, spread_of(&op->accumulate));
		fprintf(out, "\n");
		text_free(&ports);
	}
}

static void put_facts(FILE *out, const struct measured *measured)
{
	if (measured->fact_count + measured->buffer_count == 0)
		return;
	fprintf(out, "\n");
	for (int i = 0; i < measured->fact_count; i++) {
		const struct measured_fact *fact = &measured->fact[i];

		if (!fact->figure.known)
			continue;
		fprintf(out, "%-34s", fact->word);
		put(out, &fact->figure, 10);
		fprintf(out, "  %s\n", fact->words);
	}
	for (int i = 0; i < measured->buffer_count; i++) {
		const struct measured_buffer *buffer = &measured->buffer[i];

		if (buffer->knee.kind == KNEE_SHARP || buffer->knee.kind == KNEE_SOFT)
			fprintf(out, "size %-29s %10.0f +-%-5.2g  %s%s\n", buffer->word,
				buffer->knee.x + buffer->own,
				(buffer->knee.hi - buffer->knee.lo) / 2, buffer->words,
				buffer->knee.kind == KNEE_SOFT ? "; no sharp knee" : "");
	}
}

/* Adds a line that compares a number of the measured core model with the shipped core model:
 * "latency of fadd: measured 3.00 +-0.01, shipped 3: agrees". */
static void add_difference(
	struct text *text, const struct model_difference *difference, const char *name)
{
	text_addf(text, "  %s: ", difference->what);
	if (isnan(difference->a))
		text_add(text, "not measured");
	else
		text_addf(text, "measured %.4g", difference->a);
	if (!isnan(difference->a) && difference->a_spread > 0)
		text_addf(text, " +-%.2g", difference->a_spread);
	if (isnan(difference->b))
		text_addf(text, ", %s says nothing\n", name);
	else
		text_addf(text, ", %s %.4g%s\n", name, difference->b,
			difference->agrees ? ": agrees" : "");
}

/* The largest number of printed differences of mixes. A mix is a loop with instructions of two
 * classes side by side. */
enum { MIXES_SHOWN = 12 };

static void put_differences(FILE *out, const struct characterised *characterised)
{
	enum { AGREES, DIFFERS, ALONE, KINDS };
	int count[KINDS] = { 0 }, mixes = 0;
	struct text list = { 0 };
	const char *name;

	if (!characterised->shipped)
		return;
	name = characterised->shipped->name;
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];
		int kind = isnan(difference->a) || isnan(difference->b) ? ALONE
			   : difference->agrees				? AGREES
									: DIFFERS;

		count[kind]++;
		if (characterised->agreements ||
			(kind == DIFFERS &&
				(!strstr(difference->what, " and ") || ++mixes <= MIXES_SHOWN)))
			add_difference(&list, difference, name);
	}
	fprintf(out,
		"\n"
		"against %s: %d values agree, %d differ, %d are in only one of the two models%s\n"
		"%s",
		name, count[AGREES], count[DIFFERS], count[ALONE], count[DIFFERS] ? ":" : "",
		text_string(&list));
	if (mixes > MIXES_SHOWN)
		fprintf(out, "  ... and %d more classes side by side; --agreements lists all\n",
			mixes - MIXES_SHOWN);
	text_free(&list);
}

static void core_text(struct report *report, const void *item)
{
	const struct characterised *characterised = item;
	const struct characterise_report *core = characterised->report;
	const struct measured *measured = &core->measured;
	FILE *out = report->out;

	fprintf(out, "%s: %s, measured in %.1f s\n", core->name, measured->processor,
		core->seconds);
	if (measured->width.known)
		fprintf(out, "width %.2f slots a cycle (%.2f to %.2f)\n", measured->width.value,
			measured->width.lo, measured->width.hi);
	if (core->cycles_from != SOURCE_NONE)
		fprintf(out,
			"cycles: %s; +-: distance to the farther quartile, or to the end of the "
			"range\n",
			format_cycles_source(core->cycles_from));
	if (core->ported)
		fprintf(out,
			"%d ports, inferred from %d mixes of classes; they predict these mixes "
			"with a median error of %.1f %%, at worst %.1f %%\n",
			core->ports.ports, core->ports.fitted.mixes,
			100 * core->ports.fitted.median, 100 * core->ports.fitted.worst);
	if (core->ported && core->ports.disagrees[0])
		fprintf(out, "* %s\n", core->ports.disagrees);
	for (int i = 0; i < core->notes.count; i++)
		fprintf(out, "* %s\n", core->notes.note[i]);
	put_classes(out, core);
	put_facts(out, measured);
	put_differences(out, characterised);
}

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
		add_ports(&core->ports, index, &ports);
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

enum { DIFFERENCES = 2048 };

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
		status = status_failed(
			"--install: no folder for your own files: set HOME, XDG_CONFIG_HOME or "
			"SLEXPLORE_DATA; --output FILE writes one anywhere");
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
		cli_note(cli, "the previous file is now %s~", text_string(&path));
	if (status_is_ok(&status))
		cli_note(cli, "%s: from now on the model of this core, named %s",
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
		cli_note(cli, "%s: the core model; to use it: --uarch with this path",
			asked(cli)->output);
	/* An incomplete model is not installed, because it would replace the complete shipped model
	 * of this core. */
	if (status_is_ok(&status) && asked(cli)->install && !report->complete)
		cli_note(cli, "not installed: the measurement is not complete; --output FILE "
			      "writes what was measured");
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
	struct model_difference *difference = memory_new(DIFFERENCES, sizeof(*difference));
	struct characterised characterised = {
		.report = report, .difference = difference, .agreements = asked(cli)->agreements
	};
	struct uarch_choice shipped = { 0 };
	struct uarch *measured = NULL;
	struct text model = { 0 };
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
	work_report(cli, bench, &subject_core, &characterised);
	if (status_is_ok(&status))
		status = write_files(cli, report, &model);
	exit_status = status_is_ok(&status) ? CLI_DONE : cli_fail(cli, status);
	text_free(&model);
	uarch_free(measured);
	uarch_choice_free(&shipped);
	free(difference);
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
		status = status_usage("--install needs a measurement of the whole core; with "
				      "classes (%.60s…) use --output FILE",
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
