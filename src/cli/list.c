/* slexplore list: every kernel with its knobs, and every sweep that has a name. */
#include "cli/cli.h"
#include "cli/format.h"
#include "experiment/sweep/sweeps.h"
#include "kernels/kernel.h"

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

static int list_run(struct cli *cli)
{
	struct report report;
	struct sweeps sweeps;
	struct status status = sweeps_load(&sweeps);

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

const struct cli_command command_list = {
	.name = "list",
	.help = "kernels with their knobs, ranges, defaults and sources; sweeps that have a name",
	.arguments = "[KERNEL|NAME ...]",
	.common = { "format", "quiet" },
	.run = list_run,
};
