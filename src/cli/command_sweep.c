/* slexplore sweep: measures one sample for each combination of knob values. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"
#include "cli/model.h"
#include "cli/named.h"
#include "cli/work.h"
#include "experiment/sweep/sweep.h"
#include "kernels/knob_rows.h"
#include "picture/chart_sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/text.h"

/* Values of L3 and memory that differ from a measurement are measured again after RENEW_SECONDS. */
#define RENEW_SECONDS 5

/* Values of the options that only sweep has. */
struct asked {
	enum chart_look chart;
};

static struct status apply_chart(struct cli *cli, const char *value)
{
	for (int i = 0; chart_look_names[i]; i++) {
		if (strcmp(chart_look_names[i], value) != 0)
			continue;
		((struct asked *)cli->own)->chart = (enum chart_look)i;
		return status_ok();
	}
	return status_usage("unknown --chart %.40s: use auto, lines, heat or relief", value);
}

/* The measured settings of one side of a comparison of two sweeps, A and B. */
struct side {
	struct side_row {
		struct setting setting;
		struct sample sample;
	} * row;
	size_t count;
	bool varies[KNOBS_MAX]; /* the knobs with several values */
};

struct output {
	struct cli *cli;
	struct bench *bench;
	struct model model;
	struct named named;
	struct report report;
	/* Facts about the run with the largest working set, for the notes. */
	struct run_facts largest;
	struct sweep *sweep;
	struct chart_sweep *drawn; /* data of the picture; NULL: no picture is drawn */
	bool begun;		   /* the report has begun */
	uint64_t failed;
	struct progress_line line;
	bool printed;	   /* cells (samples of the sweep) were printed since the last flush of the
			      output */
	struct side *side; /* the side of the comparison; NULL: a single sweep */
	/* Number of words at the end that B takes from A, as far as its kernel has their knobs; -1:
	 * the sweep is A, or a single sweep. */
	int inherited;
};

static void progress_show(struct output *output)
{
	struct sweep_progress progress;

	if (!progress_line_due(&output->line))
		return;
	progress = sweep_progress(output->sweep);
	progress_line_show(&output->line,
		"%.0f%% done, at most %.1f s left; %" PRIu64 " of %" PRIu64 " cells complete ",
		floor(progress.done * 100), progress.remaining, progress.finished, progress.cells);
}

/* Begins the report. The printed table begins after the first setting was measured, because that
 * measurement shows which events can be counted. */
static void begin(struct output *output)
{
	if (output->begun)
		return;
	output->begun = true;
	output->report.counts = &sweep_report(output->sweep)->counts;
	if (output->side && output->report.format == formats[0])
		fputs(output->inherited < 0 ? "A  " : "\nB  ", output->cli->out);
	report_begin(&output->report);
}

static void print_cell(struct output *output, const struct cell *cell)
{
	struct report_row row;

	begin(output);
	/* To compute limits, the model may have to measure latencies, with the worker that measures
	 * the sweep. The sweep must first receive the results that it has already requested from
	 * the worker. The pointer `cell` remains valid. */
	if (model_measures(&output->model, &cell->setting)) {
		sweep_drain(output->sweep);
		model_measure(&output->model, output->bench, &cell->setting);
	}
	if (model_drifted(&output->model, &cell->setting, &cell->sample, RENEW_SECONDS)) {
		sweep_drain(output->sweep);
		model_renew(&output->model, output->bench, &cell->setting);
	}
	output->report.explanation = model_explain(&output->model, &cell->setting);
	output->report.counts = cell->counts;
	output->report.peak = output->model.memory.peak;
	report_row(&output->report, &cell->setting, &cell->sample, &cell->facts, &row);
	row.what.speedup =
		named_take(&output->named, cell, &row.sample_ratios, output->report.explanation);
	row.what.published = named_published(&output->named, &cell->setting);
	report_write(&output->report, &subject_sweep, &row.what);
	if (output->drawn)
		chart_sweep_add(output->drawn, cell, &row.sample_ratios);
	if (cell->facts.footprint > output->largest.footprint)
		output->largest = cell->facts;
	if (output->side) {
		struct side *side = output->side;

		side->row = memory_grow(side->row, side->count, sizeof(*side->row));
		side->row[side->count++] = (struct side_row){ cell->setting, cell->sample };
	}
}

static void finished(void *context, const struct cell *cell)
{
	struct output *output = context;

	if (output->bench->ended)
		return;
	if (!output->printed)
		progress_line_clear(&output->line);
	output->printed = true;
	if (status_is_ok(&cell->failure)) {
		print_cell(output, cell);
		return;
	}
	work_print_failure(output->cli, cell);
	output->failed++;
}

/* Flushes the output after each cell, so a reader of the output sees the cell at once. If the
 * reader has closed the output, ends the sweep. */
static void before_wait(void *context)
{
	struct output *output = context;

	if (output->printed && fflush(output->cli->out) != 0)
		output->bench->ended = true;
	output->printed = false;
	progress_show(output);
}

/* Draws the measured cells after the sweep has finished or was interrupted. */
static int draw(const struct output *output, int exit_status)
{
	struct chart_origin origin = drawing_origin(output->bench->machine, &output->model.core);
	struct cache_sizes caches = model_caches(&output->model);

	origin.caches = &caches;
	if (!output->drawn)
		return exit_status;
	return drawing_save(output->cli,
		chart_sweep_count(output->drawn) ? chart_sweep_make(output->drawn, &origin) : NULL,
		exit_status);
}

/* Whether every setting of the sweep leaves at least one processor unused. Without an unused
 * processor, the computation of one setting's limits would disturb the trials of the next
 * setting. */
static bool processor_to_spare(const struct output *output)
{
	const struct machine *machine = output->bench->machine;
	const struct sweep_report *report = sweep_report(output->sweep);
	struct setting setting = report->first;

	for (size_t i = 0; i < report->axis_count; i++) {
		const struct sweep_axis *axis = &report->axes[i];
		int64_t *value = &setting.v[axis->knob];

		if (axis->knob != kernel_asking(setting.kernel, ASKS_CORES) &&
			axis->knob != kernel_asking(setting.kernel, ASKS_STREAMS))
			continue;
		for (size_t k = 0; k < axis->count; k++)
			if (axis->values[k] > *value)
				*value = axis->values[k];
	}
	return machine->apart &&
	       kernel_need(setting.kernel, setting.v).processors < machine->processors;
}

static int measure(struct output *output)
{
	const struct sweep_sink sink = {
		.context = output, .finished = finished, .before_wait = before_wait
	};
	const struct measurer measurer =
		bench_measurer(output->bench, processor_to_spare(output) ? BENCH_VISITS : 1);

	progress_line_begin(&output->line, output->cli, output->bench);
	sweep_measure(output->sweep, &measurer, &output->model.events.counters, &sink);
	progress_line_clear(&output->line);
	begin(output);
	report_end(&output->report);
	if (output->report.format == formats[0])
		named_text(&output->named, &output->model, output->cli->out);
	if (!output->bench->ended) {
		bench_notes(output->bench, output->cli, &output->largest);
		model_notes(&output->model, output->cli, &sweep_report(output->sweep)->counts);
	}
	if (interrupt_signal()) {
		cli_note(output->cli,
			"interrupted: %u of %" PRIu64 " settings are measured and printed",
			output->report.records, sweep_progress(output->sweep).cells);
		return draw(output, interrupt_exit(CLI_DONE));
	}
	return draw(output, output->failed ? CLI_UNMEASURED : CLI_DONE);
}

/* Returns the number of the only knob with several values; -1: each knob has one value; -2: several
 * knobs have several values. */
static int knob_over(const struct output *output)
{
	const struct sweep_report *report = sweep_report(output->sweep);
	int knob = -1;

	for (size_t i = 0; i < report->axis_count; i++)
		if (report->axes[i].count > 1)
			knob = knob == -1 ? report->axes[i].knob : -2;
	return knob;
}

/* Begins the sweep with the combinations of knob values whose data fit in this machine's memory,
 * and prepares the report. */
static struct status prepare(struct output *output)
{
	struct status status = work_begin_sweep(output->cli, output->bench, output->sweep);

	if (!status_is_ok(&status))
		return status;
	report_init(&output->report, output->cli, &subject_sweep, output->bench->machine);
	output->report.setting = sweep_report(output->sweep)->first;
	output->report.axes = sweep_report(output->sweep)->axes;
	output->report.axis_count = sweep_report(output->sweep)->axis_count;
	output->report.core = &output->model.core;
	output->report.events = &output->model.events;
	output->report.named = output->named.sweep.kernel ? &output->named.sweep : NULL;
	if (drawing_wanted(output->cli) && work_experiment(output->cli))
		return knob_over(output) == -2
			       ? status_usage("a picture of --slack shows the pressure over one "
					      "knob: give all other knobs one value")
			       : status;
	if (drawing_wanted(output->cli))
		status = chart_sweep_new(&output->report.setting, output->report.axes,
			output->report.axis_count, output->report.named,
			((const struct asked *)output->cli->own)->chart, &output->drawn);
	return status;
}

/* Makes an experiment on the loop at each setting of the sweep. */
static int experiment(struct output *output)
{
	uint64_t cells = sweep_progress(output->sweep).cells;
	struct setting *settings = memory_new((size_t)cells + 1, sizeof(*settings));
	size_t count = sweep_settings(output->sweep, settings, (size_t)cells);
	int exit_status = work_experiment_on(output->cli, output->bench, &output->model,
		work_experiment(output->cli), settings, count, knob_over(output));

	free(settings);
	return exit_status;
}

/* Creates the sweep again from the present kernel and knob values of the named sweep, or of the
 * command line. */
static struct status assign(struct output *output, const struct kernel *kernel)
{
	const struct sweep_options options = { .seconds = output->cli->time_budget,
		.seed = output->cli->seed };

	sweep_free(output->sweep);
	output->sweep = sweep_new(kernel, &options);
	return named_assign(&output->named, output->cli, output->sweep);
}

/* Removes the words that B would take from A, but whose knobs the kernel of B does not have. */
static void leave_out(struct cli *cli, const struct kernel *kernel, int inherited)
{
	int kept = cli->word_count - inherited;

	for (int i = kept; i < cli->word_count; i++) {
		size_t name = strcspn(cli->words[i], "=") + 1;
		const char *values;
		int earlier = 1, knob;
		struct status status = setting_split(kernel, cli->words[i], &knob, &values);

		while (earlier < kept && strncmp(cli->words[earlier], cli->words[i], name) != 0)
			earlier++;
		if (status_is_ok(&status) && earlier == kept)
			cli->words[kept++] = cli->words[i];
	}
	cli->word_count = kept;
}

/* Measures one sweep. `side` receives its samples; NULL: the sweep is not compared. */
static int sweep_once(struct cli *cli, struct side *side, int inherited)
{
	struct bench bench = { 0 };
	struct output output = {
		.cli = cli, .bench = &bench, .side = side, .inherited = inherited
	};
	const struct kernel *kernel;
	struct status status = named_find(&output.named, cli, &kernel);
	int exit_status;

	if (status_is_ok(&status) && inherited > 0)
		leave_out(cli, kernel, inherited);
	if (status_is_ok(&status))
		status = named_words(&output.named, cli);
	if (status_is_ok(&status))
		status = assign(&output, kernel);
	if (status_is_ok(&status))
		status = work_experiment_allowed(cli);
	if (status_is_ok(&status))
		status = bench_open(&bench, cli);
	if (status_is_ok(&status))
		status = model_open(&output.model, cli, bench.machine);
	/* The word "advised" in a named sweep stands for the recommended block size, which is known
	 * only after the machine was examined. The sweep is therefore created a second time. */
	if (status_is_ok(&status) && output.named.sweep.kernel) {
		named_advise(&output.named, &output.model, &bench);
		status = assign(&output, kernel);
	}
	if (status_is_ok(&status))
		status = prepare(&output);
	exit_status = !status_is_ok(&status) ? cli_fail(cli, status)
		      : work_experiment(cli) ? experiment(&output)
					     : measure(&output);
	for (size_t i = 0; side && output.sweep && i < sweep_report(output.sweep)->axis_count; i++)
		side->varies[sweep_report(output.sweep)->axes[i].knob] =
			sweep_report(output.sweep)->axes[i].count > 1;
	chart_sweep_free(output.drawn);
	model_close(&output.model);
	bench_close(&bench);
	sweep_free(output.sweep);
	named_free(&output.named);
	return exit_status;
}

/* Whether two settings have the same values of the knobs that vary on both sides. */
static bool matches(const struct side *a, const struct setting *one, const struct side *b,
	const struct setting *other)
{
	for (int i = 0; i < one->kernel->knob_count; i++) {
		const struct knob *knob = &one->kernel->knobs[i];
		int there = a->varies[i] ? kernel_knob(other->kernel, knob->name) : -1;

		if (there >= 0 && b->varies[there] &&
			strcmp(setting_value(knob, one->v[i]).text,
				setting_value(&other->kernel->knobs[there], other->v[there])
					.text) != 0)
			return false;
	}
	return true;
}

/* Prints the knobs of A that vary. */
static void add_values(struct text *text, const struct side *side, const struct setting *setting)
{
	for (int i = 0; i < setting->kernel->knob_count; i++)
		if (side->varies[i])
			text_addf(text, "%s%s=%s", text->length ? " " : "",
				setting->kernel->knobs[i].name,
				setting_value(&setting->kernel->knobs[i], setting->v[i]).text);
}

/* Prints the ratio of B to A for each setting that both sweeps measured. Both have settings. */
static void print_ratios(FILE *out, const struct side *a, const struct side *b)
{
	struct words incomparable = setting_incomparable(&a->row[0].setting, &b->row[0].setting);
	struct text values = { 0 };

	if (*incomparable.text) {
		fprintf(out, "\nB/A %s\n", incomparable.text);
		return;
	}
	fprintf(out, "\n  %-32s %10s %10s %8s\n", "setting", "A", "B", "B/A");
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < b->count; k++) {
			const struct sample *one = &a->row[i].sample, *other = &b->row[k].sample;

			if (!one->valid || !other->valid ||
				!matches(a, &a->row[i].setting, b, &b->row[k].setting))
				continue;
			text_clear(&values);
			add_values(&values, a, &a->row[i].setting);
			fprintf(out, "  %-32s %10s %10s %8s%s\n", text_string(&values),
				units_value(one->cpe).text, units_value(other->cpe).text,
				units_value(other->cpe / one->cpe).text,
				sample_doubt(one) || sample_doubt(other) ? "  not reliable" : "");
		}
	text_free(&values);
}

/* Measures two sweeps, A and B. */
static int sweep_two(struct cli *cli, struct words_of_two *two)
{
	struct side a = { .count = 0 }, b = { .count = 0 };
	bool text = cli->format == formats[0];
	int exit_status;

	if (work_experiment(cli) || drawing_wanted(cli))
		return cli_fail(cli,
			status_usage("vs compares two measurements: leave out --slack, --cost, "
				     "--picture and --gnuplot"));
	if (strcmp(cli->format->name, "csv") == 0)
		return cli_fail(cli,
			status_usage("vs prints two tables: use --format text or --format json"));
	exit_status = sweep_once(&two->first, &a, -1);
	if (exit_status == CLI_DONE || exit_status == CLI_UNMEASURED) {
		int second = sweep_once(&two->second, &b, two->second.word_count - 1 - two->own);
		exit_status = second == CLI_DONE ? exit_status : second;
	}
	if (text && a.count > 0 && b.count > 0)
		print_ratios(cli->out, &a, &b);
	free(a.row);
	free(b.row);
	return exit_status;
}

static int sweep_run(struct cli *cli)
{
	struct words_of_two two;
	struct status status;
	int exit_status;

	words_split(cli, &two);
	status = words_of_two_check(cli, &two);
	exit_status = !status_is_ok(&status) ? cli_fail(cli, status)
		      : two.both	     ? sweep_two(cli, &two)
					     : sweep_once(cli, NULL, -1);
	free(two.list);
	return exit_status;
}

static const struct cli_option options[] = {
	{ "chart", "auto|lines|heat|relief",
		"how a picture shows a sweep (auto: relief for throughput over size and stride)",
		apply_chart },
	{ .name = NULL },
};

const struct cli_command command_sweep = {
	.name = "sweep",
	.help = "measure every combination of knob values",
	.arguments = "KERNEL|FILE|SWEEP [knob=values ...] [vs [KERNEL|FILE] [knob=values ...]]",
	.options = options,
	.own_size = sizeof(struct asked),
	.common = { "format", "cpu", "seed", "time-budget", "event", "quiet", "uarch", "slack",
		"cost", "picture", "gnuplot", "theme" },
	.run = sweep_run,
};
