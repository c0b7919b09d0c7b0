#include "cli/work.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/progress_line.h"

static void show(struct progress_line *line, const struct campaign *campaign)
{
	struct campaign_state state = campaign_state(campaign);

	if (state.stage)
		progress_line_show(line, "%-7s %-58s%3.0f %% ", state.stage, state.doing,
			floor(state.done * 100));
	else
		progress_line_show(line, "%-66s%3.0f %% ", state.doing, floor(state.done * 100));
}

bool work_carry_out(struct cli *cli, struct bench *bench, const struct campaign *campaign)
{
	struct result *result = memory_new(1, sizeof(*result));
	struct progress_line line;
	struct request request;
	uint64_t generation = 0;

	progress_line_begin(&line, cli, bench);
	while (!interrupt_signal() && campaign_next(campaign, bench_now(), &request)) {
		request.generation = ++generation;
		/* The worker measures while the line is written. */
		bench_submit(bench, &request, result);
		if (progress_line_due(&line))
			show(&line, campaign);
		if (bench_await(bench))
			campaign_accept(campaign, bench_now(), result);
	}
	campaign_stop(campaign, bench_now());
	progress_line_clear(&line);
	bench->slow = NULL;
	free(result);
	return campaign_state(campaign).any;
}

void work_report(const struct cli *cli, const struct bench *bench, enum report_kind kind,
	struct report *report)
{
	report_init(report, cli->out, kind);
	report->machine = bench->machine;
	report->seed = cli->seed;
	report->points = cli->points;
	if (cli->format->begin)
		cli->format->begin(report);
}

void work_reported(const struct cli *cli, struct report *report)
{
	if (cli->format->end)
		cli->format->end(report);
}

int work_conclude(struct cli *cli, const struct bench *bench, const struct campaign *campaign,
	const char *printed)
{
	struct campaign_state state = campaign_state(campaign);

	if (interrupt_signal()) {
		cli_note(cli, "interrupted: %s", state.any ? printed : "nothing was measured yet");
		return 128 + interrupt_signal();
	}
	if (!state.any) {
		struct status status =
			status_make(STATUS_FAILED, "nothing could be measured: %.200s",
				*state.why ? state.why : "no undisturbed trial");

		return cli_fail(cli, &status);
	}
	bench_note_bound(bench, cli);
	return CLI_DONE;
}
