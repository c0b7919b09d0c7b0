/* slexplore explain: the loop, its limits and ports; nothing is timed. */
#include "cli/cli.h"
#include "cli/drawing.h"
#include "cli/format.h"
#include "cli/messages.h"
#include "cli/model.h"
#include "cli/words.h"

#include "engine/machine/machine.h"
#include "picture/chart_reports.h"

static int explain_setting(struct cli *cli, struct model *model, const struct setting *setting)
{
	const struct explanation *explanation = model_explain(model, setting);
	struct chart_origin origin = drawing_origin(model->machine, &model->core);
	struct report report;
	struct blocks blocks;

	if (!explanation) {
		struct status status =
			*model->core.nearest ? status_failed("%s: --uarch %s takes it",
						       model->core.how, model->core.nearest)
					     : status_failed("%s; --uarch NAME takes a core model",
						       model->core.how);

		return cli_fail(cli, &status);
	}
	if (!status_is_ok(&explanation->status))
		return cli_fail(cli, &explanation->status);
	report_init(&report, cli->out, REPORT_EXPLAIN);
	report.machine = model->machine;
	report.setting = *setting;
	report.seed = cli->seed;
	report.core = &model->core;
	report.explanation = explanation;
	if (model_blocks(model, setting, &blocks))
		report.blocks = &blocks;
	report.whatif = &cli->whatif;
	if (cli->format->begin)
		cli->format->begin(&report);
	cli->format->explain(&report, setting, explanation);
	if (cli->format->end)
		cli->format->end(&report);
	if (drawing_wanted(cli))
		return drawing_save(cli, chart_ladder(explanation, setting, NULL, "", &origin),
			cli_finish(cli, CLI_DONE));
	return cli_finish(cli, CLI_DONE);
}

static int explain_run(struct cli *cli)
{
	struct machine machine = { .cpu = -1 };
	struct setting setting;
	struct model model;
	struct status status;
	int exit_status;

	status = words_kernel(cli, &setting.kernel);
	if (status_is_ok(&status))
		status = words_setting(cli, &setting);
	if (status_is_ok(&status))
		status = drawing_check(cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, &status);
	machine_identify(&machine);
	machine_survey(&machine);
	/* What there is to say of the core stands in the answer itself. */
	cli->quiet = true;
	status = model_open(&model, cli, &machine);
	if (!status_is_ok(&status))
		return cli_fail(cli, &status);
	exit_status = explain_setting(cli, &model, &setting);
	model_close(&model);
	return exit_status;
}

const struct cli_command command_explain = {
	.name = "explain",
	.help = "the machine code of a kernel and every limit on its speed; nothing is timed",
	.arguments = "KERNEL|FILE [knob=value ...]",
	.more = "Hard limits are lower bounds in core clock cycles, the highest binds; soft ones "
		"are effects that usually cost that\n"
		"much. Then come the ports, and each instruction. --uarch asks about another core "
		"of this instruction set, --format\n"
		"json holds everything, csv the limits alone. What needs this machine's L3 or DRAM "
		"is measured by run, not here.\n"
		"FILE is a loop of your own, ./mine.c or ./mine.S; some of it runs once, step by "
		"step, in a process of its own.\n",
	.common = { "format", "seed", "quiet", "uarch", "whatif", "picture", "gnuplot", "theme" },
	.run = explain_run,
};
