/* slexplore list: every kernel with its knobs, and every sweep that has a name. */
#include <string.h>

#include "cli/cli.h"
#include "cli/format.h"
#include "cli/messages.h"
#include "experiment/sweep/sweeps.h"
#include "kernels/kernel.h"
#include "model/limits/limits.h"
#include "recording/records.h"

/* The names of kernels and sweeps that are asked for: all where none is. */
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

static void write_named(
	const struct cli *cli, struct report *report, const char *name, const struct sweeps *sweeps)
{
	if (kernel_find(name))
		cli->format->kernel(report, kernel_find(name));
	else if (cli->format->named)
		cli->format->named(report, sweeps_find(sweeps, name));
}

/* ---- What the program has, a name a line: for scripts that compare it with the manual */

static void dump_fields(FILE *out)
{
	for (const struct field *field = sample_fields; field->name; field++)
		if (field->group != FIELDS_RECORD)
			fprintf(out, "%s\t%s\t%s\t%s\n", field->name, field_type_name(field->type),
				field->unit, field->help);
}

static void dump_records(FILE *out)
{
	for (const struct record_kind *kind = record_kinds; kind->name; kind++)
		fprintf(out, "%s\t%s\t%s\n", kind->fields ? "formats" : "recordings", kind->name,
			kind->fields ? kind->fields : "");
}

static void dump_limits(FILE *out)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		fprintf(out, "%s\n", limit_rows[i].name);
}

static void dump_roles(FILE *out)
{
	for (int i = 0; i < ROLE_COUNT; i++)
		fprintf(out, "%s\n", role_name((enum event_role)i));
}

static const struct dump {
	const char *name;
	void (*write)(FILE *out);
} dumps[] = {
	{ "fields", dump_fields },
	{ "records", dump_records },
	{ "limits", dump_limits },
	{ "roles", dump_roles },
};

/* Values of the own options. */
struct asked {
	void (*dump)(FILE *out); /* NULL: none */
};

static struct status apply_dump(struct cli *cli, const char *value)
{
	struct asked *asked = cli->own;

	for (size_t i = 0; i < sizeof(dumps) / sizeof(*dumps); i++)
		if (strcmp(dumps[i].name, value) == 0)
			asked->dump = dumps[i].write;
	return asked->dump
		       ? status_ok()
		       : status_usage("unknown --dump %.40s: use fields, records, limits or roles",
				 value);
}

static int list_run(struct cli *cli)
{
	const struct asked *asked = cli->own;
	struct report report;
	struct sweeps sweeps;
	struct status status;

	if (asked->dump) {
		asked->dump(cli->out);
		return CLI_DONE;
	}
	status = sweeps_load(&sweeps);
	/* Names first, so that a mistake in the second one prints nothing of the first. */
	if (status_is_ok(&status))
		status = check_names(cli, &sweeps);
	if (!status_is_ok(&status)) {
		sweeps_free(&sweeps);
		return cli_fail(cli, &status);
	}
	report_init(&report, cli->out, REPORT_KERNELS);
	if (cli->format->begin)
		cli->format->begin(&report);
	for (int i = 0; i < cli->word_count; i++)
		write_named(cli, &report, cli->words[i], &sweeps);
	for (int i = 0; cli->word_count == 0 && kernel_registry[i]; i++)
		cli->format->kernel(&report, kernel_registry[i]);
	for (int i = 0; cli->word_count == 0 && i < sweeps.count && cli->format->named; i++)
		cli->format->named(&report, &sweeps.sweep[i]);
	if (cli->format->end)
		cli->format->end(&report);
	sweeps_free(&sweeps);
	return CLI_DONE;
}

static const struct cli_option options[] = {
	{ "dump", "LIST", NULL, apply_dump },
	{ .name = NULL },
};

const struct cli_command command_list = {
	.name = "list",
	.help = "kernels with their knobs, ranges, defaults and sources; sweeps that have a name",
	.arguments = "[KERNEL|NAME ...]",
	.options = options,
	.own_size = sizeof(struct asked),
	.common = { "format", "quiet" },
	.run = list_run,
};
