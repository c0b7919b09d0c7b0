#include "cli/work.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/model.h"
#include "experiment/sweep/sweep.h"
#include "model/core/uarch.h"
#include "picture/picture.h"

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
		return interrupt_exit(CLI_DONE);
	}
	if (!state.any)
		return cli_fail(cli, status_failed("nothing could be measured: %.200s",
					     *state.why ? state.why : "no undisturbed trial"));
	bench_note_bound(bench, cli);
	return CLI_DONE;
}

/* ---- Experiments on one loop */

const struct loop_experiment *work_experiment(const struct cli *cli)
{
	return cli->slack ? &slack_experiment : cli->cost ? &cost_experiment : NULL;
}

struct status work_experiment_allowed(const struct cli *cli)
{
	const struct loop_experiment *experiment = work_experiment(cli);
	bool sweep = strcmp(cli->command->name, "sweep") == 0;

	if (cli->slack + cli->cost + cli->why > 1)
		return status_usage(
			"--slack, --cost and --why exclude each other: use one of them");
	if (drawing_wanted(cli) && sweep && experiment && !experiment->chart_over)
		return status_usage("--%s draws a picture of one setting: use slexplore run",
			experiment->subject->record);
	if (drawing_wanted(cli) && cli->why)
		return status_usage("--why draws no picture: leave out --picture and --gnuplot");
	return status_ok();
}

/* Copies of the items that a sweep measured, one for each setting, for a picture. gathered_free()
 * frees the copies. */
struct gathered {
	const void **item;
	int count;
};

static void gather(struct gathered *gathered, const void *item, size_t bytes)
{
	void *copy = memory_new(1, bytes);

	memcpy(copy, item, bytes);
	gathered->item = memory_grow(gathered->item, (size_t)gathered->count, sizeof(void *));
	gathered->item[gathered->count++] = copy;
}

static void gathered_free(struct gathered *gathered)
{
	for (int i = 0; i < gathered->count; i++)
		free((void *)(uintptr_t)gathered->item[i]);
	free(gathered->item);
}

static int experiment_once(struct cli *cli, struct bench *bench, struct report *report,
	const struct loop_experiment *experiment, const struct setting *setting,
	const struct campaign *campaign, struct gathered *gathered)
{
	struct text name = { 0 };
	int exit_status = CLI_DONE;

	if (work_carry_out(cli, bench, campaign)) {
		if (!report->begun)
			report_begin(report);
		report->begun = true;
		report_write(report, experiment->subject, experiment->item(campaign->self));
		if (drawing_wanted(cli))
			gather(gathered, experiment->item(campaign->self), experiment->item_bytes);
	} else if (!interrupt_signal()) {
		setting_format(setting, &name);
		exit_status = cli_fail(cli, status_failed("%.120s: %.180s", text_string(&name),
						    campaign_state(campaign).why));
		text_free(&name);
	}
	return interrupt_exit(exit_status);
}

int work_experiment_on(struct cli *cli, struct bench *bench, struct model *model,
	const struct loop_experiment *experiment, const struct setting *settings, size_t count,
	int knob)
{
	double seconds = cli->time_budget > 0 ? cli->time_budget : experiment->patience;
	const struct chart_origin origin = drawing_origin(model->machine, &model->core);
	struct gathered gathered = { .count = 0 };
	struct report report;
	int exit_status = CLI_DONE;

	report_init(&report, cli, experiment->subject, bench->machine);
	for (size_t i = 0; i < count && !interrupt_signal(); i++) {
		const struct campaign campaign = experiment->prepare(
			&settings[i], model_explain(model, &settings[i]), cli->seed, seconds);
		int failed = experiment_once(
			cli, bench, &report, experiment, &settings[i], &campaign, &gathered);

		exit_status = failed ? failed : exit_status;
		campaign.kind->release(campaign.self);
	}
	if (report.begun)
		report_end(&report);
	if (gathered.count > 0)
		exit_status = drawing_save(cli,
			knob < 0 ? experiment->chart(gathered.item[0], &origin)
				 : experiment->chart_over(
					   gathered.item, gathered.count, knob, &origin),
			exit_status);
	gathered_free(&gathered);
	return exit_status;
}

/* ---- Sweeps */

struct status work_begin_sweep(
	const struct cli *cli, const struct bench *bench, struct sweep *sweep)
{
	struct status status = sweep_begin(sweep, machine_means(bench->machine));
	struct sweep_progress progress;

	if (!status_is_ok(&status))
		return status;
	progress = sweep_progress(sweep);
	if (progress.excluded)
		cli_note(cli,
			"%" PRIu64 " of %" PRIu64 " combinations of knob values are skipped: %s",
			progress.excluded, progress.combinations, progress.why_excluded);
	return status;
}

void work_print_failure(const struct cli *cli, const struct cell *cell)
{
	struct text name = { 0 };

	setting_format(&cell->setting, &name);
	fprintf(cli->err, "slexplore: %s: %s\n", text_string(&name), cell->failure.text);
	text_free(&name);
}

/* ---- Pictures */

bool drawing_wanted(const struct cli *cli)
{
	return cli->picture || cli->gnuplot;
}

struct chart_origin drawing_origin(const struct machine *machine, const struct uarch_choice *choice)
{
	return (struct chart_origin){ .machine = machine,
		.now = time(NULL),
		.core = choice && choice->uarch && !choice->foreign ? choice->uarch->title : NULL };
}

int drawing_save(const struct cli *cli, struct chart *chart, int exit_status)
{
	const char *const paths[] = { cli->picture, cli->gnuplot };

	if (!chart)
		cli_note(cli, "there is no picture: nothing was measured");
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) && chart; i++) {
		struct status status =
			paths[i] ? picture_save(chart, cli->theme, paths[i]) : status_ok();

		if (status_is_ok(&status))
			continue;
		cli_fail(cli, status);
		exit_status = exit_status == CLI_DONE ? CLI_UNMEASURED : exit_status;
	}
	chart_free(chart);
	return exit_status;
}
