#include "experiment/sweep/sweep_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/sweep/blocks.h"

struct sweep_table {
	const struct machine *machine;
	struct named_sweep named;
	struct sweep_table_options options;
	struct event_plan events; /* events.counters.count is 0 if nothing is counted */
	struct memory_probe memory;
	struct explanation
		*explanation; /* explanation of the last row; NULL: there is no core model
			       */
	struct sweep *sweep;
	struct sweep_table_report report;
	/* The next three fields are for the functions that the sweep calls back while it measures.
	 */
	const struct measurer *measurer;
	struct explain_question question;
	double begin;
};

/* ---- the rows ---- */

/* Creates the sweep and the rows from the present words of the named sweep. */
static struct status build(struct sweep_table *table)
{
	const struct sweep_options options = { .seed = table->options.seed };
	struct sweep_table_report *report = &table->report;
	struct sweep_progress progress;
	struct setting settings[SWEEP_TABLE_ROWS];
	struct status status;

	sweep_free(table->sweep);
	table->sweep = sweep_new(table->named.kernel, &options);
	status = sweeps_assign(&table->named, table->sweep);
	if (status_is_ok(&status))
		status = sweep_begin(table->sweep, table->options.memory_limits);
	if (!status_is_ok(&status))
		return status;
	if (sweep_progress(table->sweep).cells > SWEEP_TABLE_ROWS)
		return status_usage(
			"%s has more than %d settings here: give its knobs fewer values",
			table->named.name, SWEEP_TABLE_ROWS);
	report->row_count = sweep_settings(table->sweep, settings, SWEEP_TABLE_ROWS);
	free(report->row);
	free(report->state);
	report->row = memory_new(report->row_count, sizeof(*report->row));
	report->state = memory_new(report->row_count, sizeof(*report->state));
	for (size_t i = 0; i < report->row_count; i++) {
		report->row[i] = (struct sweeps_row){
			.setting = settings[i], .limit = LIMIT_COUNT, .bound = NAN
		};
		sample_ratios_none(&report->row[i].sample_ratios);
	}
	report->notes.count = 0;
	progress = sweep_progress(table->sweep);
	if (progress.excluded)
		notes_add(&report->notes, "%llu settings are left out: %.160s",
			(unsigned long long)progress.excluded, progress.why_excluded);
	report->axis_count = sweep_report(table->sweep)->axis_count;
	report->axes = sweep_report(table->sweep)->axes;
	return status;
}

static void choose_figures(struct sweep_table *table)
{
	struct sweep_table_report *report = &table->report;

	report->figure[report->figure_count++] = table->named.figure;
	for (int i = 0; i < SWEEPS_FIGURES; i++)
		if ((enum sweeps_figure)i != table->named.figure &&
			sweeps_asks(&table->named, (enum sweeps_figure)i))
			report->figure[report->figure_count++] = (enum sweeps_figure)i;
}

struct sweep_table *sweep_table_new(const struct machine *machine,
	const struct sweep_table_options *options, struct status *status)
{
	struct sweep_table *table = memory_new(1, sizeof(*table));

	table->machine = machine;
	table->options = *options;
	table->memory = options->memory;
	if (options->events)
		table->events = *options->events;
	sweeps_copy(options->named, &table->named);
	sweeps_settle(&table->named);
	table->report.named = &table->named;
	if (options->explainer)
		table->explanation = explanation_new();
	choose_figures(table);
	*status = build(table);
	if (status_is_ok(status)) {
		sweeps_words(&table->named, table->report.row, table->report.row_count,
			&table->report.words);
		return table;
	}
	sweep_table_free(table);
	return NULL;
}

void sweep_table_free(struct sweep_table *table)
{
	if (!table)
		return;
	if (table->options.explainer)
		table->options.explainer->unload(
			table->options.explainer->context, &table->options.core);
	explanation_free(table->explanation);
	sweeps_clear(&table->named);
	sweep_free(table->sweep);
	free(table->report.row);
	free(table->report.state);
	text_free(&table->report.words);
	free(table);
}

/* ---- the model ---- */

static void explain_row(void *argument)
{
	struct sweep_table *table = argument;
	const struct explainer *explainer = table->options.explainer;

	explainer->explain(explainer->context, &table->question, table->explanation);
}

/* Computes the limits of a setting; NULL: there is no core model, or the measurement was stopped.
 */
static const struct explanation *explain_setting(
	struct sweep_table *table, const struct setting *setting)
{
	if (!table->explanation)
		return NULL;
	table->question = (struct explain_question){
		.kernel = setting->kernel,
		.v = setting->v,
		.seed = table->options.seed,
		.uarch = table->options.core.uarch,
		.foreign = table->options.foreign,
		.machine = table->machine,
		.measured = table->memory.facts,
	};
	return measurer_compute(table->measurer, explain_row, table) ? table->explanation : NULL;
}

/* Measures L3 and memory for the working set of the table's largest setting. */
static void measure_memory(struct sweep_table *table, const struct measurer *measurer)
{
	const struct sweep_table_report *report = &table->report;
	const struct setting *largest = &report->row[0].setting;
	const struct uarch *uarch = table->options.core.uarch;
	const struct uarch_cache *second = uarch ? uarch_cache(uarch, 2) : NULL;
	struct result *result;
	struct request request;

	if (!table->explanation || table->options.foreign)
		return;
	for (size_t i = 1; i < report->row_count; i++)
		if (kernel_reach(largest->kernel, report->row[i].setting.v) >
			kernel_reach(largest->kernel, largest->v))
			largest = &report->row[i].setting;
	result = memory_new(1, sizeof(*result));
	while (!measurer_stopped(measurer) &&
		memory_probe_next(&table->memory, table->machine,
			kernel_reach(largest->kernel, largest->v), table->options.seed, &request)) {
		if (measurer_measure(measurer, &request, result))
			memory_probe_accept(&table->memory, table->machine,
				second ? second->latency : 0, result);
	}
	free(result);
}

/* Replaces the word "advised" by the recommended block size of the last setting. Lists of values
 * are in ascending order, so the last setting has the largest matrices. */
static void advise(struct sweep_table *table)
{
	struct setting last = table->report.row[table->report.row_count - 1].setting;
	const struct explanation *explanation = explain_setting(table, &last);
	const struct blocks_question question = { .setting = &last,
		.caches = cache_sizes(table->machine, table->options.core.uarch,
			table->options.foreign, &table->memory.facts),
		.explanation = explanation,
		.measured = &table->memory.facts };
	struct blocks blocks;

	sweeps_advise(&table->named, blocks_find(&question, &blocks) ? blocks.advice.n : 0);
	build(table);
}

/* ---- the measurement ---- */

/* Copies the newest sample of a measured setting to the setting's row of the table. The limits of a
 * row are computed once, after the first measurement of its setting. */
static void take(struct sweep_table *table, const struct cell *cell, enum sweep_table_state state)
{
	struct sweep_table_report *report = &table->report;
	const struct event_plan *plan = table->events.counters.count ? &table->events : NULL;
	struct sweeps_row *row = (struct sweeps_row *)sweeps_row_find(
		report->row, report->row_count, &cell->setting);
	struct sample_ratios counted;
	struct sweep_progress progress = sweep_progress(table->sweep);

	report->done = progress.done;
	report->remaining = progress.remaining;
	report->seconds = measurer_now(table->measurer) - table->begin;
	if (!row)
		return;
	if (cell->sample.valid && report->state[row - report->row] == SWEEP_TABLE_WAITS) {
		const struct explanation *explanation = explain_setting(table, &cell->setting);

		sample_ratios_find(&cell->sample, explanation, plan, cell->counts,
			table->memory.peak, &row->sample_ratios);
		sweeps_row_limit(row, explanation);
	}
	row->sample = cell->sample;
	row->facts = cell->facts;
	sample_ratios_find(&cell->sample, NULL, plan, cell->counts, 0, &counted);
	if (isfinite(counted.instructions)) {
		row->sample_ratios.instructions = counted.instructions;
		row->sample_ratios.instructions_from = SOURCE_COUNTER;
	}
	sample_ratios_renew(&row->sample, &row->sample_ratios);
	if (cell->sample.valid || state != SWEEP_TABLE_PROVISIONAL)
		report->state[row - report->row] = state;
}

static void say(struct sweep_table *table)
{
	struct sweep_table_report *report = &table->report;

	text_clear(&report->words);
	sweeps_words(&table->named, report->row, report->row_count, &report->words);
}

static void visited(void *context, const struct cell *cell)
{
	take(context, cell, SWEEP_TABLE_PROVISIONAL);
}

static void finished(void *context, const struct cell *cell)
{
	struct sweep_table *table = context;

	if (!status_is_ok(&cell->failure))
		notes_add(&table->report.notes, "%.200s", cell->failure.text);
	take(table, cell,
		status_is_ok(&cell->failure) && cell->sample.valid ? SWEEP_TABLE_DONE
								   : SWEEP_TABLE_FAILED);
	say(table);
}

static void before_wait(void *context)
{
	(void)context;
}

void sweep_table_measure(struct sweep_table *table, const struct measurer *measurer)
{
	const struct sweep_sink sink = { .context = table,
		.finished = finished,
		.visited = visited,
		.before_wait = before_wait };
	struct sweep_table_report *report = &table->report;

	table->measurer = measurer;
	table->begin = measurer_now(measurer);
	snprintf(report->doing, sizeof(report->doing), "L3 and memory");
	measure_memory(table, measurer);
	if (sweeps_advises(&table->named) && !measurer_stopped(measurer))
		advise(table);
	snprintf(report->doing, sizeof(report->doing), "%s", table->named.name);
	sweep_measure(table->sweep, measurer,
		table->events.counters.count ? &table->events.counters : NULL, &sink);
	report->doing[0] = '\0';
	report->seconds = measurer_now(measurer) - table->begin;
	report->complete = !measurer_stopped(measurer);
	if (report->complete)
		report->done = 1;
	say(table);
}

const struct sweep_table_report *sweep_table_report(const struct sweep_table *table)
{
	return &table->report;
}

/* ---- the measurement as a campaign ---- */

static void sweep_table_state(const struct sweep_table *table, struct campaign_state *state)
{
	const struct sweep_table_report *report = &table->report;

	state->done = report->done;
	state->doing = report->doing;
	for (size_t i = 0; i < report->row_count; i++)
		state->any |= report->row[i].sample.valid;
}

CAMPAIGN_KIND(sweep_table);
