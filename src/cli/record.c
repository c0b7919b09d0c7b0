/* slexplore record: measures, and writes it to a file that can be replayed. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/model.h"
#include "cli/progress_line.h"
#include "cli/words.h"
#include "experiment/sweep/sweep.h"
#include "recording/recording.h"
#include "recording/tour.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/own/own.h"

/* A tour of every kernel, unless --time-budget says otherwise. */
#define TOUR_SECONDS 20.0
/* One visit: seconds, and quiet trials that are enough. What is not told by so many is visited
 * again in what time is left. */
#define VISIT_LEAST 0.004
#define VISIT_MOST  0.05
enum { VISIT_QUIET = 60, VISIT_PATIENCE = 12 };
/* The median is then to be known this well, relatively. */
#define PRECISION 0.01
struct recorder {
	struct cli *cli;
	struct bench bench;
	struct model model;
	struct core core;
	bool has_core;
	struct recording *recording;
	struct result *result;
	struct run_facts largest; /* of the setting with the largest working set, for notes */
	struct counts first;	  /* the first that there are, for notes */
	uint64_t failed;
	struct progress_line line;
};

/* ---- progress ---- */

static void progress_show(struct recorder *recorder, double share, double remaining)
{
	char left[40] = "";

	if (!progress_line_due(&recorder->line))
		return;
	if (remaining > 0)
		snprintf(left, sizeof(left), ", at most %.0f s left", ceil(remaining));
	progress_line_show(&recorder->line, "%.0f%% done%s; %d settings recorded ",
		floor(share * 100), left, recording_settings(recorder->recording));
}

/* ---- writing ---- */

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

/* A measured setting into the recording, with its limits. */
static void write_cell(struct recorder *recorder, const struct cell *cell)
{
	/* Or why there are none. */
	const struct counts *none = recorder->first.count == 0 ? &recorder->first : NULL;
	const struct counts *counts = cell->counts ? cell->counts : none;
	struct recording_entry entry = { &cell->setting, cell->trials, &cell->facts,
		plan_of(recorder), counts };

	if (!cell->trials || !cell->sample.valid)
		return;
	if (recording_wants(recorder->recording, &cell->setting, &cell->sample, counts))
		recording_add(recorder->recording, &entry);
	explain_cell(recorder, &cell->setting);
	if (cell->facts.footprint > recorder->largest.footprint)
		recorder->largest = cell->facts;
}

static void tell_failure(struct recorder *recorder, const struct cell *cell)
{
	struct text name = { 0 };

	progress_line_clear(&recorder->line);
	setting_format(&cell->setting, &name);
	fprintf(recorder->cli->err, "slexplore: %s: %s\n", text_string(&name), cell->failure.text);
	text_free(&name);
	recorder->failed++;
}

static bool goes_on(const struct recorder *recorder)
{
	return status_is_ok(recording_status(recorder->recording)) && !interrupt_signal();
}

/* ---- a tour ---- */

/* One visit of a setting; the cell takes it in. */
static void visit(struct recorder *recorder, struct cell *cell, double seconds)
{
	struct request request = {
		.kernel = cell->setting.kernel,
		.seed = recorder->cli->seed,
		.budget = { .seconds = fmin(fmax(seconds, VISIT_LEAST), VISIT_MOST),
			.quiet_wanted = VISIT_QUIET,
			.patience = VISIT_PATIENCE },
		.plan = recorder->model.events.counters,
	};

	memcpy(request.v, cell->setting.v, sizeof(request.v));
	if (!bench_measure(&recorder->bench, &request, recorder->result))
		return;
	cell_visit(cell, recorder->result, VISIT_QUIET, PRECISION, UINT32_MAX);
	if (recorder->first.count == 0)
		recorder->first = recorder->result->counts;
}

/* A cell that more visits cannot make better, or only little. */
static bool good(const struct cell *cell)
{
	return cell->settled ||
	       (cell->sample.valid && !cell->sample.contended && !cell->sample.provisional);
}

/* Every setting once, and those whose figure is in doubt again as long as there is time; each is
 * written when it is good, and in the end all that there is. Who named a time gets no more, and is
 * told what it was too short for. */
static void tour(struct recorder *recorder, const struct setting_index *settings)
{
	bool strict = recorder->cli->time_budget > 0;
	double seconds = strict ? recorder->cli->time_budget : TOUR_SECONDS;
	struct cell *cells = memory_new((size_t)settings->count + 1, sizeof(*cells));
	double start = bench_now(), end = start + seconds;
	int open = settings->count, unvisited = 0;

	for (int round = 0; open > 0 && goes_on(recorder) && (round == 0 || bench_now() < end);
		round++) {
		int left = open;

		for (int i = 0; i < settings->count && goes_on(recorder); i++) {
			struct cell *cell = &cells[i];
			double now = bench_now();

			cell->setting = settings->setting[i];
			if (cell->visits && good(cell))
				continue;
			/* Later rounds end with the time; the first is made whole unless a time was
			 * asked for. Explaining takes its part. */
			if ((round > 0 || strict) && now >= end)
				break;
			visit(recorder, cell, (end - now) / left-- / 2);
			if (!good(cell))
				continue;
			open--;
			if (status_is_ok(&cell->failure))
				write_cell(recorder, cell);
			else
				tell_failure(recorder, cell);
			cell_compact(cell);
			/* The time is over before the first round is: then settings tell how far it
			 * is. */
			progress_show(recorder,
				fmax(bench_now() < end ? (bench_now() - start) / seconds : 0,
					1 - (double)open / settings->count),
				fmax(end - bench_now(), 0));
		}
	}
	for (int i = 0; i < settings->count; i++) {
		unvisited += cells[i].visits == 0;
		if (cells[i].visits && !good(&cells[i]) &&
			status_is_ok(recording_status(recorder->recording)))
			write_cell(recorder, &cells[i]);
		free(cells[i].trials);
		free(cells[i].counts);
	}
	free(cells);
	progress_line_clear(&recorder->line);
	if (unvisited && goes_on(recorder))
		cli_note(recorder->cli,
			"the time was too short for %d of %d settings: the same command goes on "
			"with them",
			unvisited, settings->count);
}

/* What is recorded already is left alone. */
static bool wanted(const struct recorder *recorder, const struct setting *setting)
{
	const struct sample good_one = { .valid = true };

	return recording_wants(recorder->recording, setting, &good_one, NULL) ||
	       recording_lacks_limits(recorder->recording, setting);
}

static void record_tour(struct recorder *recorder)
{
	const struct machine *machine = recorder->bench.machine;
	struct setting_index all = { 0 }, settings = { 0 };

	for (int i = 0; kernel_registry[i]; i++)
		tour_add(&all, kernel_registry[i], machine_last_cache(machine),
			machine_means(machine));
	for (int i = 0; i < all.count; i++)
		if (wanted(recorder, &all.setting[i]))
			setting_index_add(&settings, &all.setting[i]);
	if (settings.count < all.count)
		cli_note(recorder->cli, "%d of %d settings are recorded already",
			all.count - settings.count, all.count);
	tour(recorder, &settings);
	setting_index_free(&settings);
	setting_index_free(&all);
}

/* ---- one kernel ---- */

static void take_cells(struct recorder *recorder, struct sweep *sweep)
{
	const struct cell *cell;

	while ((cell = sweep_take(sweep))) {
		if (status_is_ok(&cell->failure))
			write_cell(recorder, cell);
		else
			tell_failure(recorder, cell);
	}
}

static void record_sweep(struct recorder *recorder, struct sweep *sweep)
{
	struct sweep_progress progress;

	sweep_count(sweep, &recorder->model.events.counters);
	while (!sweep_done(sweep) && status_is_ok(recording_status(recorder->recording))) {
		struct request request;

		take_cells(recorder, sweep);
		if (sweep_next(sweep, bench_now(), &request) &&
			bench_measure(&recorder->bench, &request, recorder->result)) {
			sweep_accept(sweep, bench_now(), recorder->result);
			if (recorder->first.count == 0)
				recorder->first = recorder->result->counts;
			sweep_progress(sweep, &progress);
			progress_show(recorder, progress.done, progress.remaining);
		}
		if (interrupt_signal())
			sweep_stop(sweep);
	}
	progress_line_clear(&recorder->line);
}

/* Reads what is to be swept; *sweep stays NULL for a tour. What is wrong is said before anything
 * starts. */
static struct status parse(struct cli *cli, struct sweep **sweep)
{
	const struct sweep_options options = { .seconds = cli->time_budget, .seed = cli->seed };
	const struct kernel *kernel;
	struct status status;

	if (cli->word_count == 0)
		return status_make(STATUS_USAGE, "record wants the name of the file to write");
	if (kernel_find(cli->words[0]) || strchr(cli->words[0], '='))
		return status_make(STATUS_USAGE,
			"record wants a file first, as in slexplore record FILE %.60s",
			cli->words[0]);
	if (cli->word_count == 1)
		return status_ok();
	if (own_is_path(cli->words[1]))
		return status_make(STATUS_USAGE,
			"%.100s: own loops are not recorded: who replays it has not their code",
			cli->words[1]);
	/* The words after the file are as sweep takes them. */
	cli->words++;
	cli->word_count--;
	status = setting_find_kernel(cli->words[0], &kernel);
	if (status_is_ok(&status))
		*sweep = sweep_new(kernel, &options);
	for (int i = 1; i < cli->word_count && status_is_ok(&status); i++)
		status = sweep_assign(*sweep, cli->words[i]);
	cli->words--;
	cli->word_count++;
	return status;
}

static struct status prepare_sweep(struct recorder *recorder, struct sweep *sweep)
{
	struct sweep_progress progress;
	struct status status = sweep_begin(sweep, machine_means(recorder->bench.machine));

	if (!status_is_ok(&status))
		return status;
	sweep_progress(sweep, &progress);
	if (progress.excluded)
		cli_note(recorder->cli, "%" PRIu64 " of %" PRIu64 " combinations skipped: %s",
			progress.excluded, progress.combinations, progress.why_excluded);
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
			uarch_name(recorder->model.core.uarch), machine->arch, &recorder->core);
		if (!status_is_ok(&status))
			return status;
		recorder->has_core = true;
		place.core = &recorder->core;
		place.nearest = !place.foreign && place.match == UARCH_NEAREST;
	}
	status = recording_open(recorder->cli->words[0], &place, &recorder->recording, &behind);
	if (status_is_ok(&status) && behind)
		cli_note(recorder->cli, "%s holds %d settings already: going on behind them",
			recorder->cli->words[0], recording_held(recorder->recording));
	return status;
}

/* What is in the file now. */
static int conclude(struct recorder *recorder)
{
	struct cli *cli = recorder->cli;
	const struct status *status = recording_status(recorder->recording);
	int settings = recording_settings(recorder->recording),
	    held = recording_held(recorder->recording);
	char bytes[32], more[40] = "";

	if (!status_is_ok(status))
		return cli_fail(cli, status);
	bench_notes(&recorder->bench, cli, &recorder->largest);
	model_notes(&recorder->model, cli, &recorder->first);
	if (recording_bytes(recorder->recording) < 1000000)
		snprintf(bytes, sizeof(bytes), "%.0f kB",
			(double)recording_bytes(recorder->recording) / 1e3);
	else
		snprintf(bytes, sizeof(bytes), "%.1f MB",
			(double)recording_bytes(recorder->recording) / 1e6);
	if (held)
		snprintf(more, sizeof(more), " more; %d in all", held + settings);
	cli_note(cli, "%s%d setting%s, %s%s: slexplore replay %s",
		interrupt_signal() ? "interrupted: " : "", settings, settings == 1 ? "" : "s",
		bytes, more, cli->words[0]);
	if (interrupt_signal())
		return 128 + interrupt_signal();
	return recorder->failed ? CLI_UNMEASURED : CLI_DONE;
}

static int record_run(struct cli *cli)
{
	struct recorder recorder = { .cli = cli };
	struct sweep *sweep = NULL;
	struct status status = parse(cli, &sweep);
	int exit_status;

	if (status_is_ok(&status))
		status = bench_open(&recorder.bench, cli);
	if (status_is_ok(&status) && sweep)
		status = prepare_sweep(&recorder, sweep);
	if (status_is_ok(&status))
		status = model_open(&recorder.model, cli, recorder.bench.machine);
	if (status_is_ok(&status))
		status = open_recording(&recorder);
	if (status_is_ok(&status)) {
		recorder.result = memory_new(1, sizeof(*recorder.result));
		progress_line_begin(&recorder.line, cli, &recorder.bench);
		if (sweep)
			record_sweep(&recorder, sweep);
		else
			record_tour(&recorder);
		exit_status = conclude(&recorder);
		free(recorder.result);
	} else {
		exit_status = cli_fail(cli, &status);
	}
	recording_close(recorder.recording);
	if (recorder.has_core)
		explainer_model.unload(explainer_model.context, &recorder.core);
	model_close(&recorder.model);
	bench_close(&recorder.bench);
	sweep_free(sweep);
	return exit_status;
}

const struct cli_command command_record = {
	.name = "record",
	.help = "measures, and writes it to a file that slexplore replay shows again",
	.arguments = "FILE [KERNEL [knob=values ...]]",
	.more = "Without a kernel: a tour of all of them, each at its defaults and along its "
		"knobs, in about 20 s "
		"or in --time-budget.\n"
		"With one: the cross product of values, as sweep takes them. A recording of this "
		"machine that is "
		"there already is\n"
		"gone on with; what it holds is left alone.\n",
	.common = { "cpu", "seed", "event", "uarch", "time-budget", "quiet" },
	.run = record_run,
};
