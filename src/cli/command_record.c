/* slexplore record: measures settings, and writes them to a recording that can be replayed. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/model.h"
#include "cli/work.h"
#include "experiment/campaign.h"
#include "experiment/sweep/sweep.h"
#include "lesson/lesson_check.h"
#include "recording/recording.h"
#include "recording/tour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "engine/own/own.h"

/* Default time, in seconds, of a tour of all kernels. The option --time-budget changes the time of
 * the tour. */
#define TOUR_SECONDS 20.0
/* The shortest and the longest time of one visit, in seconds; a visit is one measurement of a
 * setting. Settings that need more trials are measured again in the remaining time. */
#define VISIT_LEAST 0.004
#define VISIT_MOST  0.05
enum { VISIT_QUIET = 60, VISIT_PATIENCE = 12 };
/* A setting is not measured again if the median of its trials is known to this relative
 * precision. */
#define PRECISION 0.01
struct recorder {
	struct cli *cli;
	struct bench bench;
	struct model model;
	struct core core;
	struct recording *recording;
	struct sweep *sweep; /* the sweep to record; NULL: a tour of all kernels is recorded */
	/* Facts about the run with the largest working set, for the notes. */
	struct run_facts largest;
	struct counts first; /* the first event counts of the recording, for the notes */
	uint64_t failed;
	struct progress_line line;
};

/* ---- progress ---- */

static void progress_show(struct recorder *recorder, double share, double remaining)
{
	if (progress_line_due(&recorder->line))
		progress_line_show(&recorder->line, "%.0f%% done%s; %d settings recorded ",
			floor(share * 100),
			remaining > 0 ? words_of(", at most %.0f s left", ceil(remaining)).text
				      : "",
			recording_state(recorder->recording).settings);
}

/* ---- writing ---- */

/* Whether the recording has ended because a write to its file has failed. */
static bool recording_ended(const struct recorder *recorder)
{
	struct status status = recording_state(recorder->recording).status;

	return !status_is_ok(&status);
}

static const struct event_plan *plan_of(const struct recorder *recorder)
{
	return recorder->model.events.counters.id ? &recorder->model.events : NULL;
}

static void explain_cell(struct recorder *recorder, const struct setting *setting)
{
	const struct event_plan *plan = plan_of(recorder);
	const struct explanation *explanation;
	double modelled[COUNTERS_MAX];

	if (!recording_lacks_limits(recorder->recording, setting))
		return;
	model_measure(&recorder->model, &recorder->bench, setting);
	explanation = model_explain(&recorder->model, setting);
	if (!explanation)
		return;
	for (int i = 0; plan && i < plan->counters.count; i++)
		modelled[i] = events_modelled(&plan->meaning[i], explanation);
	recording_explain(recorder->recording, setting, explanation, plan, modelled);
}

/* Writes a measured setting to the recording. Each setting is written after its first measurement,
 * so that a program that is killed loses no measured setting. When the setting needs no further
 * measurement (`finished`), a sample with the further trials replaces the first sample. */
static void write_sample(struct recorder *recorder, const struct cell *cell, bool finished)
{
	/* If no event was counted, the recording gets the reason. */
	const struct counts *none = recorder->first.count == 0 ? &recorder->first : NULL;
	const struct counts *counts = cell->counts ? cell->counts : none;
	struct recording_entry entry = { &cell->setting, cell->trials, &cell->facts,
		plan_of(recorder), counts, .continued = true, .first = !finished };

	if (!cell->trials || !cell->sample.valid)
		return;
	if (recording_wants(recorder->recording, &cell->setting, &cell->sample, counts) || finished)
		recording_add(recorder->recording, &entry);
	if (cell->facts.footprint > recorder->largest.footprint)
		recorder->largest = cell->facts;
}

/* Writes a finished cell (the sample of one setting) and its limits to the recording, or prints why
 * its measurement failed. */
static void finish_cell(struct recorder *recorder, const struct cell *cell)
{
	if (status_is_ok(&cell->failure)) {
		write_sample(recorder, cell, true);
		explain_cell(recorder, &cell->setting);
	} else {
		progress_line_clear(&recorder->line);
		work_print_failure(recorder->cli, cell);
		recorder->failed++;
	}
	recorder->bench.ended = recording_ended(recorder);
}

/* ---- a tour ---- */

struct tour {
	struct recorder *recorder;
	struct cell *cells;
	int count; /* number of cells */
	/* The user has set the time of the tour of all kernels, so no measurement begins after
	 * `end`. */
	bool strict;
	double start, end, seconds;
	/* In a round, the tour measures each setting that has no good sample yet. `round` is the
	 * number of the present round, from 0; `open` is the number of settings without a good
	 * sample. */
	int round, open;
	int left; /* number of settings that may still be measured in the present round of the tour
		   */
};

/* Whether the sample of a setting is so good that more measurements would hardly improve it. */
static bool is_good(const struct cell *cell)
{
	return cell->visits && (cell->settled || (cell->sample.valid && !cell->sample.contended &&
							 !cell->sample.provisional));
}

static bool tour_wants(void *context, unsigned index)
{
	const struct tour *tour = context;

	return !is_good(&tour->cells[index]);
}

/* Whether the tour's time is over. If the user has not set a time, the tour always completes its
 * first round. */
static bool tour_is_late(void *context)
{
	const struct tour *tour = context;

	return (tour->round > 0 || tour->strict) && monotonic_seconds() >= tour->end;
}

/* Makes the measurement request for a setting. Each setting gets an equal share of the tour's
 * remaining time, half for the measurement and half for computing limits. */
static void tour_ask(void *context, unsigned index, struct request *request)
{
	struct tour *tour = context;
	const struct recorder *recorder = tour->recorder;
	const struct setting *setting = &tour->cells[index].setting;
	double seconds = (tour->end - monotonic_seconds()) / tour->left-- / 2;

	*request = (struct request){
		.kernel = setting->kernel,
		.seed = recorder->cli->seed,
		.budget = { .seconds = fmin(fmax(seconds, VISIT_LEAST), VISIT_MOST),
			.quiet_wanted = VISIT_QUIET,
			.patience = VISIT_PATIENCE },
		.plan = recorder->model.events.counters,
	};
	memcpy(request->v, setting->v, sizeof(request->v));
}

static void tour_accept(void *context, unsigned index, const struct result *result, double seconds)
{
	struct tour *tour = context;
	struct recorder *recorder = tour->recorder;
	struct cell *cell = &tour->cells[index];
	double now;

	(void)seconds;
	cell_visit(cell, result, VISIT_QUIET, PRECISION, UINT32_MAX);
	if (recorder->first.count == 0)
		recorder->first = result->counts;
	if (!is_good(cell)) {
		write_sample(recorder, cell, false);
		return;
	}
	tour->open--;
	finish_cell(recorder, cell);
	cell_compact(cell);
	/* If the time is over before the first round ends, the progress line shows the share of
	 * finished settings. */
	now = monotonic_seconds();
	progress_show(recorder,
		fmax(now < tour->end ? (now - tour->start) / tour->seconds : 0,
			1 - (double)tour->open / tour->count),
		fmax(tour->end - now, 0));
}

/* Measures every setting once, and measures settings with doubtful samples again while time is
 * left. A setting is written to the recording after its first measurement, and again as soon as its
 * sample is good, or at the end. */
static void record_settings(struct recorder *recorder, const struct setting_index *settings)
{
	const struct measurer measurer = bench_measurer(&recorder->bench, 1);
	struct cell *cells = memory_new((size_t)settings->count + 1, sizeof(*cells));
	struct tour tour = { .recorder = recorder,
		.cells = cells,
		.strict = recorder->cli->time_budget > 0,
		.count = settings->count,
		.open = settings->count };
	struct visits visits = { .measurer = &measurer,
		.context = &tour,
		.count = (unsigned)settings->count,
		.wanted = tour_wants,
		.late = tour_is_late,
		.ask = tour_ask,
		.accept = tour_accept };
	int unvisited = 0;

	tour.seconds = tour.strict ? recorder->cli->time_budget : TOUR_SECONDS;
	tour.start = monotonic_seconds();
	tour.end = tour.start + tour.seconds;
	for (int i = 0; i < settings->count; i++)
		cells[i].setting = settings->setting[i];
	for (; tour.open > 0 && !measurer_stopped(&measurer) &&
		(tour.round == 0 || monotonic_seconds() < tour.end);
		tour.round++) {
		tour.left = tour.open;
		visits_round(&visits);
	}
	visits_free(&visits);
	for (int i = 0; i < settings->count; i++) {
		unvisited += cells[i].visits == 0;
		if (cells[i].visits && !is_good(&cells[i]) && !recording_ended(recorder))
			finish_cell(recorder, &cells[i]);
		free(cells[i].trials);
		free(cells[i].counts);
	}
	free(cells);
	progress_line_clear(&recorder->line);
	if (unvisited && !measurer_stopped(&measurer))
		cli_note(recorder->cli,
			"the time was too short to measure %d of %d settings: run the same command "
			"again to record the other settings",
			unvisited, settings->count);
}

/* Whether a setting must be measured. A setting is not measured if the recording already has a good
 * sample and the limits of the setting. */
static bool wanted(const struct recorder *recorder, const struct setting *setting)
{
	const struct sample good_one = { .valid = true };

	return recording_wants(recorder->recording, setting, &good_one, NULL) ||
	       recording_lacks_limits(recorder->recording, setting);
}

/* Adds the settings of all lessons, so that a class can do the lessons with the recording. */
static void add_lessons(const struct machine *machine, struct setting_index *settings)
{
	struct setting_index found = { 0 };
	int count;
	struct lesson **lessons = lessons_all(&count);

	for (int i = 0; i < count; i++) {
		lesson_settings(lessons[i], machine, &found);
		lesson_free(lessons[i]);
	}
	free(lessons);
	for (int i = 0; i < found.count; i++) {
		struct status status = setting_check(&found.setting[i], machine_means(machine));

		if (status_is_ok(&status))
			setting_index_add(settings, &found.setting[i]);
	}
	setting_index_free(&found);
}

static void record_tour(struct recorder *recorder)
{
	const struct machine *machine = recorder->bench.machine;
	struct setting_index all = { 0 }, settings = { 0 };

	add_lessons(machine, &all);
	for (int i = 0; kernel_registry[i]; i++)
		tour_add(&all, kernel_registry[i], machine_last_cache(machine),
			machine_means(machine));
	for (int i = 0; i < all.count; i++)
		if (wanted(recorder, &all.setting[i]))
			setting_index_add(&settings, &all.setting[i]);
	if (settings.count < all.count)
		cli_note(recorder->cli, "%d of %d settings are recorded already",
			all.count - settings.count, all.count);
	record_settings(recorder, &settings);
	setting_index_free(&settings);
	setting_index_free(&all);
}

/* ---- one kernel ---- */

static void finished(void *context, const struct cell *cell)
{
	struct recorder *recorder = context;

	recorder->first = sweep_report(recorder->sweep)->counts;
	finish_cell(recorder, cell);
}

static void visited(void *context, const struct cell *cell)
{
	struct recorder *recorder = context;

	recorder->first = sweep_report(recorder->sweep)->counts;
	if (status_is_ok(&cell->failure))
		write_sample(recorder, cell, cell->settled);
	recorder->bench.ended = recording_ended(recorder);
}

static void before_wait(void *context)
{
	struct recorder *recorder = context;
	struct sweep_progress progress = sweep_progress(recorder->sweep);

	progress_show(recorder, progress.done, progress.remaining);
}

static void record_sweep(struct recorder *recorder)
{
	const struct sweep_sink sink = { .context = recorder,
		.finished = finished,
		.visited = visited,
		.before_wait = before_wait };
	const struct measurer measurer = bench_measurer(&recorder->bench, 1);

	sweep_measure(recorder->sweep, &measurer, &recorder->model.events.counters, &sink);
	progress_line_clear(&recorder->line);
}

/* Reads the words of a sweep. *sweep stays NULL if the words request a tour. Mistakes in the words
 * are reported before any measurement. */
static struct status parse(const struct cli *cli, struct sweep **sweep)
{
	const struct sweep_options options = { .seconds = cli->time_budget, .seed = cli->seed };
	char **words = cli->words + 1;
	int count = cli->word_count - 1;
	const struct kernel *kernel;
	struct status status;

	if (cli->word_count == 0)
		return status_usage("missing file name: slexplore record FILE");
	if (kernel_find(cli->words[0]) || strchr(cli->words[0], '='))
		return status_usage(
			"missing file name: slexplore record FILE %.60s", cli->words[0]);
	/* The words after the file name have the syntax of the words of slexplore sweep. */
	if (count == 0)
		return status_ok();
	if (own_is_path(words[0]))
		return status_usage("%.100s: own loops cannot be recorded: a recording does not "
				    "contain their code",
			words[0]);
	status = setting_find_kernel(words[0], &kernel);
	if (status_is_ok(&status))
		*sweep = sweep_new(kernel, &options);
	for (int i = 1; i < count && status_is_ok(&status); i++)
		status = sweep_assign(*sweep, words[i]);
	return status;
}

/* ---- the file ---- */

static struct status open_recording(struct recorder *recorder)
{
	const struct machine *machine = recorder->bench.machine;
	struct recording_place place = { .machine = machine,
		.seed = recorder->cli->seed,
		.events = plan_of(recorder),
		.note = recorder->model.core.how,
		.foreign = recorder->model.core.foreign };
	char name[CORE_NAME], why[160];
	struct status status = status_ok();
	bool behind;

	place.match = uarch_recognise(machine, name, why);
	if (recorder->model.core.uarch) {
		status = explainer_model.load(explainer_model.context,
			recorder->cli->uarch ? recorder->cli->uarch
					     : recorder->model.core.uarch->name,
			machine->arch, &recorder->core);
		if (!status_is_ok(&status))
			return status;
		place.core = &recorder->core;
		place.nearest = !place.foreign && !recorder->model.core.fits &&
				place.match == UARCH_NEAREST;
	}
	status = recording_open(recorder->cli->words[0], &place, &recorder->recording, &behind);
	if (status_is_ok(&status) && behind)
		cli_note(recorder->cli,
			"the recording %s already has %d setting%s; new ones are appended",
			recorder->cli->words[0], recording_state(recorder->recording).held,
			recording_state(recorder->recording).held == 1 ? "" : "s");
	return status;
}

/* Prints a summary of the recording, and returns the exit status. */
static int conclude(struct recorder *recorder)
{
	struct cli *cli = recorder->cli;
	struct recording_state state = recording_state(recorder->recording);
	bool large = state.bytes >= 1000000;

	if (!status_is_ok(&state.status))
		return cli_fail(cli, state.status);
	bench_notes(&recorder->bench, cli, &recorder->largest);
	model_notes(&recorder->model, cli, &recorder->first);
	if (!state.settings && state.held)
		cli_note(cli, "%sno new setting; %d in all: slexplore replay %s",
			interrupt_signal() ? "interrupted: " : "", state.held, cli->words[0]);
	else
		cli_note(cli, "%s%d setting%s, %.*f %s%s: slexplore replay %s",
			interrupt_signal() ? "interrupted: " : "", state.settings,
			state.settings == 1 ? "" : "s", large,
			(double)state.bytes / (large ? 1e6 : 1e3), large ? "MB" : "kB",
			state.held ? words_of(" more; %d in all", state.held + state.settings).text
				   : "",
			cli->words[0]);
	if (interrupt_signal())
		return interrupt_exit(CLI_DONE);
	return recorder->failed ? CLI_UNMEASURED : CLI_DONE;
}

static int record_run(struct cli *cli)
{
	struct recorder recorder = { .cli = cli };
	struct status status = parse(cli, &recorder.sweep);
	int exit_status;

	if (status_is_ok(&status))
		status = bench_open(&recorder.bench, cli);
	if (status_is_ok(&status) && recorder.sweep)
		status = work_begin_sweep(cli, &recorder.bench, recorder.sweep);
	if (status_is_ok(&status))
		status = model_open(&recorder.model, cli, recorder.bench.machine);
	if (status_is_ok(&status))
		status = open_recording(&recorder);
	if (status_is_ok(&status)) {
		progress_line_begin(&recorder.line, cli, &recorder.bench);
		if (recorder.sweep)
			record_sweep(&recorder);
		else
			record_tour(&recorder);
		exit_status = conclude(&recorder);
	} else {
		exit_status = cli_fail(cli, status);
	}
	recording_close(recorder.recording);
	if (recorder.core.uarch)
		explainer_model.unload(explainer_model.context, &recorder.core);
	model_close(&recorder.model);
	bench_close(&recorder.bench);
	sweep_free(recorder.sweep);
	return exit_status;
}

const struct cli_command command_record = {
	.name = "record",
	.help = "record measurements to a file, for slexplore replay",
	.arguments = "FILE [KERNEL [knob=values ...]]",
	.common = { "cpu", "seed", "event", "uarch", "time-budget", "quiet" },
	.run = record_run,
};
