/* slexplore list: prints every kernel with its knobs, and every named sweep. */
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "experiment/sweep/sweep.h"
#include "kernels/kernel.h"
#include "model/limits/limits.h"
#include "recording/records.h"

/* ---- Kernels and named sweeps, as text and as data */

enum { TEXT_WIDTH = 96 };

static void kernel_text(struct report *report, const void *item)
{
	const struct kernel *kernel = item;
	FILE *out = report->out;
	int widest = 0;

	if (report->records)
		fputc('\n', out);
	fprintf(out, "%s: %s\n", kernel->name, kernel->title);
	text_print(out, TEXT_WIDTH, "    ", 4, kernel->look_for);
	fprintf(out, "    CPE counts: %s\n    From: %s\n", kernel->element, kernel->document);
	for (int i = 0; i < kernel->knob_count; i++)
		if ((int)strlen(kernel->knobs[i].name) > widest)
			widest = (int)strlen(kernel->knobs[i].name);
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];

		fprintf(out, "    %-*s = %-10s  %s: %s\n", widest, knob->name,
			setting_value(knob, knob->initial).text, knob->help,
			setting_range(knob, MEMORY_LIMITS_UNKNOWN).text);
	}
}

static void knob_data(struct report *report, const struct records *records,
	const struct kernel *kernel, const struct knob *knob)
{
	static const char *const kinds[] = {
		[KNOB_COUNT] = "count", [KNOB_BYTES] = "bytes", [KNOB_CHOICE] = "choice"
	};
	struct json_t *object = record_new(records, "knob", report->records + 1), *choices;

	record_set_string(object, "kernel", kernel->name);
	record_set_string(object, "knob", knob->name);
	record_set_string(object, "kind", kinds[knob->kind]);
	record_set_string(object, "help", knob->help);
	if (records->row)
		record_set_string(object, "default", setting_value(knob, knob->initial).text);
	else
		record_set_knob(object, "default", knob, knob->initial);
	record_set_string(object, "range", setting_range(knob, MEMORY_LIMITS_UNKNOWN).text);
	record_set_cell(records, object, "element", kernel->element);
	record_set_cell(records, object, "document", kernel->document);
	if (knob->kind == KNOB_CHOICE) {
		choices = record_list(object, "choices");
		for (const char *const *choice = knob->choices; *choice; choice++)
			record_append_string(choices, *choice);
	} else {
		record_set_integer(object, "min", knob->min);
		/* A knob's maximum is null if it depends on the machine, because the subcommand
		 * list does not examine the machine. */
		if (knob->max >= KNOB_MAX_CORES)
			record_set_null(object, "max");
		else
			record_set_integer(object, "max", knob->max);
		if (knob->multiple > 1)
			record_set_integer(object, "multiple", knob->multiple);
	}
	record_write(records, object);
}

static void kernel_data(struct report *report, const struct records *records, const void *item)
{
	const struct kernel *kernel = item;
	struct json_t *object = record_new(records, "kernel", report->records + 1);

	record_set_string(object, "kernel", kernel->name);
	record_set_string(object, "title", kernel->title);
	record_set_string(object, "element", kernel->element);
	record_set_string(object, "document", kernel->document);
	record_set_string(object, "look_for", kernel->look_for);
	record_write(records, object);
	for (int i = 0; i < kernel->knob_count; i++)
		knob_data(report, records, kernel, &kernel->knobs[i]);
}

const struct subject subject_kernel = { "knob",
	"kernel,element,document,knob,kind,default,range,help", NULL, kernel_text, kernel_data,
	NULL };

static void named_sweep_text(struct report *report, const void *item)
{
	const struct named_sweep *sweep = item;

	if (report->records)
		fputc('\n', report->out);
	fprintf(report->out, "%s: %s\n    Sweeps: %s", sweep->name, sweep->title,
		sweep->kernel->name);
	for (int i = 0; i < sweep->word_count; i++)
		fprintf(report->out, " %s", sweep->word[i]);
	fputc('\n', report->out);
	for (int i = 0; i < sweep->claim_count; i++)
		fprintf(report->out, "    Claim: %s\n", sweep->claim[i].words);
	if (*sweep->source)
		fprintf(report->out, "    From: %s\n", sweep->source);
}

static void named_sweep_data(struct report *report, const struct records *records, const void *item)
{
	const struct named_sweep *sweep = item;
	struct json_t *object = record_new(records, "sweep", report->records + 1), *list;

	record_set_string(object, "name", sweep->name);
	record_set_string(object, "title", sweep->title);
	record_set_string(object, "kernel", sweep->kernel->name);
	list = record_list(object, "words");
	for (int i = 0; i < sweep->word_count; i++)
		record_append_string(list, sweep->word[i]);
	record_set_string(object, "x", sweep->kernel->knobs[sweep->x].name);
	list = record_list(object, "lines");
	for (int i = 0; i < sweep->line_count; i++)
		record_append_string(list, sweep->kernel->knobs[sweep->line[i]].name);
	record_set_string(object, "y", sweeps_figure_names[sweep->figure]);
	record_set_words(object, "document", sweep->source);
	list = record_list(object, "claims");
	for (int i = 0; i < sweep->claim_count; i++)
		record_append_string(list, sweep->claim[i].words);
	record_write(records, object);
}

const struct subject subject_named = { NULL, NULL, NULL, named_sweep_text, named_sweep_data, NULL };

/* ---- The subcommand */

/* Checks that every word is the name of a kernel or a sweep. */
static struct status check_names(const struct cli *cli, const struct sweeps *sweeps)
{
	struct status status = status_ok();

	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++) {
		const struct kernel *kernel;

		if (!sweeps_find(sweeps, cli->words[i]))
			status = setting_find_kernel(cli->words[i], &kernel);
	}
	return status;
}

/* Values of the options that only list has. */
struct asked {
	const char *dump; /* name of the list that --dump prints; NULL: --dump was not given */
};

/* Prints a data file of the program, with tabs between the fields of a row. */
static void dump_rows(FILE *out, const char *name)
{
	struct rows rows;
	char *field[4];

	rows_load(&rows, name);
	while (rows_next(&rows)) {
		int count = rows_fields(&rows, field, 4);

		for (int i = 0; i < count; i++)
			fprintf(out, "%s%s", i ? "\t" : "", field[i]);
		fputc('\n', out);
	}
	rows_end(&rows);
}

/* Prints a list of names, one name per line. Scripts compare the names with the manual. */
static int dump(const struct cli *cli, const char *list)
{
	if (strcmp(list, "fields") == 0 || strcmp(list, "records") == 0)
		dump_rows(cli->out, list);
	else if (strcmp(list, "limits") == 0)
		for (int i = 0; i < LIMIT_COUNT; i++)
			fprintf(cli->out, "%s\n", limit_rows[i].name);
	else if (strcmp(list, "roles") == 0)
		for (int i = 0; i < ROLE_COUNT; i++)
			fprintf(cli->out, "%s\n", event_roles[i].name);
	else
		return cli_fail(cli, status_usage("unknown --dump %.40s: use fields, records, "
						  "limits or roles",
					     list));
	return CLI_DONE;
}

static int list_run(struct cli *cli)
{
	const struct asked *asked = cli->own;
	struct report report;
	struct sweeps sweeps;
	struct status status;

	if (asked->dump)
		return dump(cli, asked->dump);
	status = sweeps_load(&sweeps);
	/* All names are checked first, so a mistake in any name prints no results. */
	if (status_is_ok(&status))
		status = check_names(cli, &sweeps);
	if (!status_is_ok(&status)) {
		sweeps_free(&sweeps);
		return cli_fail(cli, status);
	}
	report_init(&report, cli, &subject_kernel, NULL);
	report_begin(&report);
	for (int i = 0; i < cli->word_count; i++) {
		const struct kernel *kernel = kernel_find(cli->words[i]);

		if (kernel)
			report_write(&report, &subject_kernel, kernel);
		else
			report_write(&report, &subject_named, sweeps_find(&sweeps, cli->words[i]));
	}
	for (int i = 0; cli->word_count == 0 && kernel_registry[i]; i++)
		report_write(&report, &subject_kernel, kernel_registry[i]);
	for (int i = 0; cli->word_count == 0 && i < sweeps.count; i++)
		report_write(&report, &subject_named, &sweeps.sweep[i]);
	report_end(&report);
	sweeps_free(&sweeps);
	return CLI_DONE;
}

static const struct cli_option options[] = {
	{ "dump", "LIST", NULL, OPTION_IN_OWN(struct asked, dump) },
	{ .name = NULL },
};

const struct cli_command command_list = {
	.name = "list",
	.help = "list kernels with their knobs, ranges, defaults and sources; list named sweeps",
	.arguments = "[KERNEL|SWEEP ...]",
	.options = options,
	.own_size = sizeof(struct asked),
	.common = { "format", "quiet" },
	.run = list_run,
};
