#include "cli/work.h"

#include <math.h>

#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/progress_line.h"

struct work {
	const struct campaign *campaign;
	struct progress_line line;
};

static void show(void *context)
{
	struct work *work = context;
	struct campaign_state state;

	if (!progress_line_due(&work->line))
		return;
	state = campaign_state(work->campaign);
	if (state.stage)
		progress_line_show(&work->line, "%-7s %-58s%3.0f %% ", state.stage, state.doing,
			floor(state.done * 100));
	else
		progress_line_show(
			&work->line, "%-66s%3.0f %% ", state.doing, floor(state.done * 100));
}

bool work_carry_out(struct cli *cli, struct bench *bench, const struct campaign *campaign)
{
	const struct measurer measurer = bench_measurer(bench, 1);
	struct work work = { .campaign = campaign };

	progress_line_begin(&work.line, cli, bench);
	bench->submitted = show;
	bench->submitted_context = &work;
	campaign->kind->measure(campaign->self, &measurer);
	progress_line_clear(&work.line);
	bench->submitted = NULL;
	bench->slow = NULL;
	return campaign_state(campaign).any;
}

void work_report(const struct cli *cli, const struct bench *bench, const struct subject *subject,
	const void *item)
{
	struct report report;

	report_init(&report, cli, subject, bench->machine);
	report_whole(&report, item);
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
		struct status status = status_failed("nothing could be measured: %.200s",
			*state.why ? state.why : "no undisturbed trial");

		return cli_fail(cli, &status);
	}
	bench_note_bound(bench, cli);
	return CLI_DONE;
}
