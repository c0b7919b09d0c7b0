/* slexplore windows: the buffers of the core, each found where two misses stop overlapping. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/drawing.h"
#include "cli/work.h"
#include "experiment/windows/windows.h"
#include "model/core/uarch.h"
#include "picture/chart_reports.h"

static int measure(struct cli *cli, struct bench *bench, struct windows *windows,
	const struct uarch_choice *core)
{
	const struct campaign campaign = { &campaign_windows, windows };
	bool any = work_carry_out(cli, bench, &campaign);
	struct chart_origin origin = drawing_origin(bench->machine, core);
	struct report report;
	int exit_status;

	if (any) {
		work_report(cli, bench, REPORT_WINDOWS, &report);
		cli->format->windows(&report, windows_report(windows));
		work_reported(cli, &report);
	}
	exit_status = work_conclude(cli, bench, &campaign, "what was measured so far is printed");
	return any && drawing_wanted(cli)
		       ? drawing_save(cli, chart_windows(windows_report(windows), NULL, &origin),
				 exit_status)
		       : exit_status;
}

/* ---- words and options ---- */

/* FILLER ... knob=value ..., in any order. Of the knobs that this turns itself it says how they are
 * given. */
static struct status read_words(
	const struct cli *cli, struct memory_limits memory_limits, struct windows_options *options)
{
	const struct kernel *kernel = options->setting.kernel;
	const char **fillers = memory_new((size_t)cli->word_count + 1, sizeof(*fillers));
	struct status status = status_ok();
	int count = 0;

	for (int i = 0; i < cli->word_count && status_is_ok(&status); i++) {
		if (!strchr(cli->words[i], '='))
			fillers[count++] = cli->words[i];
		else if (strncmp(cli->words[i], WINDOWS_FILLERS "=", strlen(WINDOWS_FILLERS) + 1) ==
			 0)
			status = status_make(STATUS_USAGE,
				"%.60s: how many fillers is what is looked for; \"slexplore run "
				"%s\" takes a number",
				cli->words[i], kernel->name);
		else if (strncmp(cli->words[i], WINDOWS_FILLER "=", strlen(WINDOWS_FILLER) + 1) ==
			 0)
			fillers[count++] = cli->words[i] + strlen(WINDOWS_FILLER) + 1;
		else
			status = setting_assign(&options->setting, cli->words[i], memory_limits);
	}
	if (status_is_ok(&status))
		status = windows_read_fillers(kernel, fillers, count, &options->fillers);
	free(fillers);
	return status;
}

static struct status apply_curve(struct cli *cli, const char *value)
{
	(void)value;
	cli->points = true;
	return status_ok();
}

static int windows_run(struct cli *cli)
{
	struct windows_options options = { .seed = cli->seed, .seconds = cli->time_budget };
	struct uarch_choice core = { 0 };
	struct windows *windows = NULL;
	struct bench bench = { 0 };
	struct status status = setting_find_kernel(WINDOWS_KERNEL, &options.setting.kernel);
	int exit_status;

	if (status_is_ok(&status)) {
		setting_init(&options.setting, options.setting.kernel);
		status = read_words(cli, MEMORY_LIMITS_UNKNOWN, &options);
	}
	if (status_is_ok(&status))
		status = drawing_check(cli);
	if (status_is_ok(&status))
		status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, &status);
	status = setting_check(&options.setting, machine_means(bench.machine));
	if (status_is_ok(&status))
		status = uarch_choose(cli->uarch, bench.machine, &core);
	options.uarch = core.uarch;
	options.foreign = core.foreign;
	if (status_is_ok(&status))
		windows = windows_new(bench.machine, &options, &status);
	exit_status = windows ? measure(cli, &bench, windows, &core) : cli_fail(cli, &status);
	windows_free(windows);
	uarch_choice_free(&core);
	bench_close(&bench);
	return exit_status;
}

static const struct cli_option own_options[] = {
	{ "curve", NULL, "every point of the curves besides", apply_curve },
	DRAWING_OPTIONS,
	{ NULL, NULL, NULL, NULL },
};

const struct cli_command command_windows = {
	.name = "windows",
	.help = "how far this core looks ahead: the size of each buffer that fills",
	.arguments = "[FILLER ...] [knob=value ...]",
	.more = "Two misses, and between them more and more of one instruction, until a buffer is "
		"full and the second miss waits for\n"
		"the first. Without a FILLER: all that the kernel `window` has (slexplore list "
		"window); knobs are those of the kernel.\n",
	.options = own_options,
	.common = { "uarch", "format", "cpu", "seed", "time-budget", "quiet" },
	.run = windows_run,
};
