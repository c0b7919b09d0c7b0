/* slexplore run: measures one sample. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/model.h"
#include "cli/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "experiment/advice/gap.h"
#include "experiment/why/why.h"
#include "picture/chart_reports.h"

/* Time limit of the measurement, in seconds. The subcommand run takes less than 0.2 s, including
 * the start and the exit of the program. On a quiet core, 150 quiet trials take 5 to 15 ms; the
 * remaining time is for waiting until contention ends. */
#define RUN_SECONDS 0.15
enum { RUN_QUIET = 150, RUN_PLACEMENTS = 3 };

/* Time limit of `run --why`, without the start and the exit of the program, and the least time for
 * causes after L3 and memory were measured. */
#define WHY_SECONDS 1.6
#define WHY_LEAST   0.9

/* Number of trials if one trial takes longer than RUN_SECONDS: enough for quartiles. */
enum { RUN_FEWEST = 3 };

/* Draws the bars of limits with the measured value. If the limits are unknown, prints an
 * error. */
static int draw(struct cli *cli, const struct model *model, const struct setting *setting,
	const struct explanation *explanation, const struct sample *sample, int exit_status)
{
	struct chart_origin origin = drawing_origin(model->machine, &model->core);
	struct gap gap;

	if (!explanation || !status_is_ok(&explanation->status)) {
		cli_fail(cli,
			status_failed(
				"there is no picture, because the limits are not known: %.140s",
				explanation ? explanation->status.text : model->core.how));
		return exit_status == CLI_DONE ? CLI_UNMEASURED : exit_status;
	}
	gap_find(sample, &explanation->limits,
		model->core.foreign ? model->core.uarch->title : NULL, false, &gap);
	return drawing_save(
		cli, chart_limits(explanation, setting, sample, gap.words, &origin), exit_status);
}

/* The report of one setting, or of two settings A and B. */
struct compared {
	struct report report;
	struct setting setting; /* the setting A */
	struct sample sample;	/* the sample of A */
	bool two;
	int printed; /* number of samples that were printed */
};

/* Prints the ratio of the sample B to the sample A, as the explorer does. */
static void print_ratio(const struct cli *cli, const struct compared *compared,
	const struct setting *setting, const struct sample *b)
{
	const struct sample *a = &compared->sample;
	struct words incomparable = setting_incomparable(&compared->setting, setting);
	double ratio = b->cpe / a->cpe;
	bool same = fabs(ratio - 1) < 0.005 || (a->cpe_lo <= b->cpe_hi && b->cpe_lo <= a->cpe_hi);
	const char *doubt = sample_doubt(a) ? sample_doubt(a) : sample_doubt(b);

	if (*incomparable.text) {
		fprintf(cli->out, "B/A      %s\n", incomparable.text);
		return;
	}
	fprintf(cli->out, "B/A      %s: B %s%s%s\n", units_cycles(ratio).text,
		same ? "equals A within the spread"
		     : words_of("%s than A", units_versus(ratio).text).text,
		doubt ? "; a sample is " : "", doubt ? doubt : "");
}

/* Prints the result of the only setting, or of the setting A, or of the setting B with its ratio to
 * A. */
static void print_sample(const struct cli *cli, struct compared *compared,
	const struct setting *setting, const struct report_row *row, const struct sample *sample)
{
	struct report *report = &compared->report;
	bool text = report->format == formats[0];

	if (!compared->two) {
		report_whole(report, &row->what);
		return;
	}
	if (compared->printed == 0)
		report_begin(report);
	if (text)
		fprintf(cli->out, "%s  ", compared->printed ? "\nB" : "A");
	report_write(report, &subject_run, &row->what);
	if (compared->printed++ == 0) {
		compared->setting = *setting;
		compared->sample = *sample;
		return;
	}
	report_end(report);
	if (text)
		print_ratio(cli, compared, setting, sample);
}

static int measure(struct cli *cli, struct bench *bench, struct model *model,
	const struct setting *setting, struct compared *compared)
{
	struct result *result = memory_new(1, sizeof(*result));
	struct request request = bench_request(cli, setting, RUN_SECONDS, RUN_QUIET);
	struct progress_line line;
	struct sample sample = { 0 };
	struct report *report = &compared->report;
	struct report_row row;
	struct blocks blocks, whatif_blocks;
	int exit_status = CLI_DONE;
	bool answered;

	request.budget.fewest = RUN_FEWEST;
	request.budget.placements = RUN_PLACEMENTS;
	request.budget.warm_seconds = cli->time_budget;
	request.plan = model->events.counters;
	progress_line_begin(&line, cli, bench);
	answered = bench_measure(bench, &request, result);
	if (answered && (status_is_ok(&result->status) || result->status.code == STATUS_CANCELLED))
		sample_summarise(&result->trials, &result->facts, &sample);
	exit_status = interrupt_exit(exit_status);
	if (exit_status != CLI_DONE) {
		cli_note(cli, "interrupted: %s",
			sample.valid && !sample.provisional ? "the trials so far are printed"
							    : "nothing was measured yet");
	} else if (!status_is_ok(&result->status)) {
		exit_status = cli_fail(cli, result->status);
	} else if (!sample.valid) {
		exit_status = cli_fail(cli,
			status_failed("%s could not be measured: none of %u trials went "
				      "undisturbed; try a longer --time-budget%s",
				setting->kernel->name, result->trials.count,
				setting->kernel->own ? ", or a smaller n for shorter calls" : ""));
	}
	/* After an interrupt, the sample is printed only if it has enough trials (is not
	 * provisional). */
	if (sample.valid && (exit_status == CLI_DONE || !sample.provisional)) {
		if (compared->printed == 0)
			report_init(report, cli, &subject_run, bench->machine);
		report->setting = *setting;
		report->core = &model->core;
		model_measure(model, bench, setting);
		/* Values of L3 and memory that have changed are measured again before the report
		 * says that the prediction is wrong. */
		if (model_drifted(model, setting, &sample, 0))
			model_renew(model, bench, setting);
		if (model_blocks(model, setting, NULL, &blocks))
			report->blocks = &blocks;
		if (cli->whatif.asked && model_blocks(model, setting, &cli->whatif, &whatif_blocks))
			report->whatif_blocks = &whatif_blocks;
		report->explanation = model_explain(model, setting);
		report->events = &model->events;
		report->counts = &result->counts;
		report->peak = model->memory.peak;
		report_row(report, setting, &sample, &result->facts, &row);
		print_sample(cli, compared, setting, &row, &sample);
		bench_notes(bench, cli, &result->facts);
		model_notes(model, cli, &result->counts);
		if (drawing_wanted(cli))
			exit_status = draw(
				cli, model, setting, report->explanation, &sample, exit_status);
	}
	free(result);
	return interrupt_exit(exit_status);
}

/* Makes an experiment on the loop at one setting. */
static int experiment(
	struct cli *cli, struct bench *bench, struct model *model, const struct setting *setting)
{
	int exit_status =
		work_experiment_on(cli, bench, model, work_experiment(cli), setting, 1, -1);

	bench_note_bound(bench, cli);
	/* A signal may come before the first measurement. */
	return interrupt_exit(exit_status);
}

static double predict(void *context, const struct setting *setting)
{
	const struct explanation *explanation = model_explain(context, setting);

	return explanation && status_is_ok(&explanation->status) &&
			       explanation->limits.predicted_by >= 0
		       ? explanation->limits.predicted
		       : NAN;
}

/* Measures the loop with and without changes that show why one setting is slower than its limit. */
static int explain_gap(
	struct cli *cli, struct bench *bench, struct model *model, const struct setting *setting)
{
	struct why_question question = {
		.setting = setting, .seed = cli->seed, .predict = predict, .context = model
	};
	struct campaign campaign = { .kind = &campaign_why };
	double begin = monotonic_seconds();
	struct why *why;
	int exit_status;

	model_measure(model, bench, setting);
	question.explanation = model_explain(model, setting);
	/* The whole command `run --why` takes at most two seconds. The measurement of L3 and memory
	 * may have taken a part of the two seconds. */
	question.seconds = cli->time_budget > 0
				   ? cli->time_budget
				   : fmax(WHY_SECONDS - (monotonic_seconds() - begin), WHY_LEAST);
	campaign.self = why = why_new(&question);
	if (work_carry_out(cli, bench, &campaign))
		work_report(cli, bench, &subject_why, why_report(why));
	exit_status = work_conclude(cli, bench, &campaign, "the pairs so far are printed");
	why_free(why);
	return exit_status;
}

static void why_text(struct report *report, const void *item)
{
	why_print(report->out, item);
}

static void why_data(struct report *report, const struct records *records, const void *item)
{
	records_why(
		records, item, report->machine ? report->machine->name : NULL, report->records + 1);
}

const struct subject subject_why = { "cause",
	"id,host,kernel,setting,uarch,cpe,gap,cause,kind,with,share,share_lo,share_hi,saved,"
	"saved_lo,saved_hi,changed_cpe,changed_predicted,why",
	NULL, why_text, why_data, NULL };

/* Measures one setting, or two settings A and B to compare. */
static int measure_all(struct cli *cli, struct bench *bench, struct model *model,
	const struct setting *settings, int count)
{
	struct compared compared = { .two = count == 2 };
	int exit_status = CLI_DONE;

	for (int i = 0; i < count && exit_status == CLI_DONE; i++)
		exit_status = measure(cli, bench, model, &settings[i], &compared);
	return exit_status;
}

/* Checks that the options of the command allow two settings. */
static struct status check_two(const struct cli *cli, const struct setting *settings)
{
	if (work_experiment(cli) || cli->why || drawing_wanted(cli))
		return status_usage("vs compares two measurements: leave out --slack, --cost, "
				    "--why, --picture and --gnuplot");
	if (strcmp(cli->format->name, "csv") == 0 && settings[0].kernel != settings[1].kernel)
		return status_usage("A and B have different knobs, so one CSV table cannot hold "
				    "both: use --format json");
	return status_ok();
}

static int run_run(struct cli *cli)
{
	struct setting settings[2], *const setting = settings;
	int count;
	struct model model = { 0 };
	struct bench bench;
	struct status status;
	int exit_status;

	/* Mistakes on the command line are reported before the bench starts. */
	status = words_settings(cli, settings, &count);
	if (status_is_ok(&status) && count == 2)
		status = check_two(cli, settings);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	status = work_experiment_allowed(cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	for (int i = 0; i < count && status_is_ok(&status); i++)
		status = setting_check(&settings[i], machine_means(bench.machine));
	if (status_is_ok(&status))
		status = model_open(&model, cli, bench.machine);
	/* A picture of limits requires a core model. */
	if (status_is_ok(&status) && drawing_wanted(cli) && !model.core.uarch)
		status = status_failed("there is no picture, because the limits are not known: "
				       "%.120s; --uarch NAME chooses a core model",
			model.core.how);
	exit_status = !status_is_ok(&status) ? cli_fail(cli, status)
		      : work_experiment(cli) ? experiment(cli, &bench, &model, setting)
		      : cli->why	     ? explain_gap(cli, &bench, &model, setting)
					     : measure_all(cli, &bench, &model, settings, count);
	model_close(&model);
	bench_close(&bench);
	return exit_status;
}

const struct cli_command command_run = {
	.name = "run",
	.help = "measure a kernel at one setting",
	.arguments = "KERNEL|FILE [knob=value ...] [vs [KERNEL|FILE] [knob=value ...]]",
	.common = { "format", "cpu", "seed", "time-budget", "event", "quiet", "uarch", "slack",
		"cost", "why", "whatif", "picture", "gnuplot", "theme" },
	.run = run_run,
};
