/* slexplore list: every kernel with its knobs. */
#include "cli/cli.h"
#include "cli/format.h"
#include "kernels/kernel.h"

static int list_run(struct cli *cli)
{
	struct report report;

	/* Names first, so that a mistake in the second one prints nothing of the first. */
	for (int i = 0; i < cli->word_count; i++) {
		const struct kernel *kernel;
		struct status status = setting_find_kernel(cli->words[i], &kernel);

		if (!status_is_ok(&status))
			return cli_fail(cli, &status);
	}
	report_init(&report, cli->out, REPORT_KERNELS);
	if (cli->format->begin)
		cli->format->begin(&report);
	for (int i = 0; i < cli->word_count; i++)
		cli->format->kernel(&report, kernel_find(cli->words[i]));
	for (int i = 0; cli->word_count == 0 && kernel_registry[i]; i++)
		cli->format->kernel(&report, kernel_registry[i]);
	if (cli->format->end)
		cli->format->end(&report);
	return CLI_DONE;
}

const struct cli_command command_list = {
	.name = "list",
	.help = "kernels with their knobs, ranges, defaults and sources",
	.arguments = "[KERNEL ...]",
	.common = { "format", "quiet" },
	.run = list_run,
};
