/* The loop around requests: see probe.h. */
#include "experiment/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "experiment/campaign.h"
#include "experiment/probe/probe_state.h"

/* Trials without a quiet one after which a visit gives up: the point is visited again. */
enum { PATIENCE = 10 };

/* Visits to a point within one round, while its working set is laid out and nothing has to be laid
 * out again for it. */
enum { VISITS = 2 };

/* Quartiles of the median are to be known this well, relatively, for a point to be left alone. */
#define PRECISION 0.004

/* Laps up to this long, seconds, are walked whole before trials; and the longest that a point may
 * take to come to steady state. There are many of them. */
#define LAP  0.003
#define WARM 0.06

/* Successive multiples of it, less their whole part, spread evenly however many there are. */
#define GOLDEN 0.618033988749895

/* Seconds of a visit with several cores, which all have to come to full speed. */
#define VISIT_CORES 0.05

/* While requests go on the report is analysed this often, for those who watch. */
#define ANALYSE_EVERY 0.15

const char *const probe_part_names[] = { "latency", "tlb", "line", "bandwidth", "parallel", "cores",
	NULL };
_Static_assert(sizeof(probe_part_names) / sizeof(probe_part_names[0]) == PROBE_PARTS + 1,
	"a name for each part");

enum probe_part probe_part_find(const char *name)
{
	int part = 0;

	while (probe_part_names[part] && strcmp(probe_part_names[part], name) != 0)
		part++;
	return (enum probe_part)part;
}

struct probe *probe_new(
	const struct machine *machine, const struct probe_options *options, struct status *status)
{
	struct probe *probe;
	char most[32], least[32];

	*status = status_ok();
	units_bytes((int64_t)PROBE_LEAST, least, sizeof(least));
	if (options->max_size && options->max_size < PROBE_LEAST) {
		units_bytes((int64_t)options->max_size, most, sizeof(most));
		*status = status_make(STATUS_USAGE,
			"working sets up to %s tell nothing of a machine: %s are the least", most,
			least);
		return NULL;
	}
	if (machine->memory_limit && machine->memory_limit < PROBE_LEAST) {
		*status = status_make(
			STATUS_FAILED, "there is no memory for a working set of %s", least);
		return NULL;
	}
	probe = memory_new(1, sizeof(*probe));
	probe->report.machine = machine;
	probe->report.options = *options;
	if (probe->report.options.max_size == 0)
		probe->report.options.max_size = PROBE_SIZE;
	if (probe->report.options.parts == 0)
		probe->report.options.parts = ((1u << PROBE_PARTS) - 1) & ~(1u << PROBE_CORES);
	probe->report.asked_size = probe->report.options.max_size;
	bandwidths_load(&probe->report.published);
	probe->cells = cells_new();
	probe_plan(probe);
	probe_analyse(probe);
	return probe;
}

void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	cells_free(probe->cells);
	free(probe);
}

/* A task that is finished for this round. */
static bool task_done(const struct probe *probe, const struct probe_task *task)
{
	const struct cell *cell = cells_get(probe->cells, &task->setting, false);

	if (task->visits == 0)
		return false;
	if (task->share)
		return true;
	return task->visits >= (probe_late(probe) ? 1 : VISITS) ||
	       (cell && cell->sample.valid && probe_is_far(&task->setting)) || !cell ||
	       cell->settled || !sample_doubt(&cell->sample);
}

static double share_done(const struct probe *probe)
{
	double total = 0, done = 0, part;

	for (int i = 0; i < probe->stage_count; i++) {
		total += probe->stages[i].seconds;
		if (i < probe->stage)
			done += probe->stages[i].seconds;
	}
	if (probe->stage < probe->stage_count && probe->task_count) {
		/* The first round is the most of a part; how many follow is not known. */
		bool measured = probe->task < probe->task_count &&
				task_done(probe, &probe->tasks[probe->task]);

		part = (double)(probe->task + measured) / probe->task_count;
		part = probe->round == 0 ? 0.7 * part : 1 - 0.3 / (probe->round + part);
		done += part * probe->stages[probe->stage].seconds;
	}
	return total > 0 ? done / total : 1;
}

static void finish(struct probe *probe, double now)
{
	if (probe->begun)
		probe->report.seconds = now - probe->begin;
	probe->stopped = true;
	probe->waiting = false;
	probe->report.doing[0] = '\0';
	probe_analyse(probe);
}

/* The next task that is not done, over rounds and stages; false: none is left. */
static bool next_task(struct probe *probe)
{
	for (;;) {
		while (probe->task < probe->task_count) {
			if (!task_done(probe, &probe->tasks[probe->task]))
				return true;
			probe->task++;
		}
		if (probe->stage == probe->stage_count)
			return false;
		if (probe->task_count) {
			probe_analyse(probe);
			probe->round++;
		}
		probe->task = probe->task_count = 0;
		probe->stages[probe->stage].fill(probe, &probe->stages[probe->stage], probe->round);
		if (probe->task_count == 0) {
			probe->stage++;
			probe->round = 0;
		}
	}
}

/* "latency, 4k pages, 2.8m". */
static void say_doing(
	struct probe *probe, const struct probe_task *task, const struct probe_stage *stage)
{
	static const char *const words[PAGE_KINDS] = { "", ", 4k pages", ", huge pages" };
	struct probe_report *report = &probe->report;
	char x[32];

	switch (stage->part) {
	case PROBE_TLB:
		snprintf(x, sizeof(x), "%.0f pages touched", task->x / 4096);
		break;
	case PROBE_LINE:
		snprintf(x, sizeof(x), "%.0f bytes apart", task->x);
		break;
	case PROBE_PARALLEL:
		snprintf(x, sizeof(x), "%.0f chain%s", task->x, task->x == 1 ? "" : "s");
		break;
	case PROBE_CORES:
		snprintf(x, sizeof(x), "%.0f %s%s", task->x,
			task->curve == &report->loaded ? "stream" : "core",
			task->x == 1 ? "" : "s");
		break;
	default:
		units_bytes_short((int64_t)task->x, x, sizeof(x));
	}
	report->part = stage->part;
	snprintf(report->doing, sizeof(report->doing), "%s%s, %s", probe_part_names[stage->part],
		stage->part == PROBE_LATENCY || stage->part == PROBE_TLB ? words[stage->pages] : "",
		x);
}

bool probe_next(struct probe *probe, double now, struct request *request)
{
	const struct probe_options *options = &probe->report.options;
	struct probe_task *task;
	uint64_t bytes;
	double seconds;

	if (probe->stopped || probe->waiting)
		return false;
	if (!probe->begun) {
		probe->begun = true;
		probe->begin = probe->analysed = now;
	}
	if (!next_task(probe)) {
		probe->report.complete = true;
		probe->report.done = 1;
		finish(probe, now);
		return false;
	}
	if (options->seconds > 0 && now - probe->begin >= options->seconds) {
		probe_note(probe, "the time was up before all was measured: %.3g s were asked for",
			options->seconds);
		finish(probe, now);
		return false;
	}
	task = &probe->tasks[probe->task];
	bytes = task->setting.kernel->footprint(task->setting.v);
	seconds = probe_visit_seconds(probe, bytes);
	if (probe->stages[probe->stage].part == PROBE_CORES)
		seconds = probe->scale * VISIT_CORES;
	if (options->seconds > 0)
		seconds = fmax(0.001, fmin(seconds, options->seconds - (now - probe->begin)));
	*request = (struct request){
		.kernel = task->setting.kernel,
		.seed = options->seed,
		.alone = true,
		/* Each visit elsewhere in what is too long for one: what the last one walked lies
		   in nearer caches. */
		.place = fmod(probe->visits++ * GOLDEN, 1),
		.budget = { .seconds = seconds,
			.quiet_wanted = PROBE_QUIET,
			.patience = PATIENCE,
			.precision = PRECISION / 2,
			.lap_seconds = LAP,
			.warm_seconds = probe->scale * WARM },
	};
	memcpy(request->v, task->setting.v, sizeof(request->v));
	say_doing(probe, task, &probe->stages[probe->stage]);
	probe->waiting = true;
	return true;
}

void probe_accept(struct probe *probe, double now, const struct result *result)
{
	struct probe_report *report = &probe->report;
	struct probe_task *task = &probe->tasks[probe->task];
	struct cell *cell;

	if (!probe->waiting || !result->final || result->kernel != task->setting.kernel ||
		memcmp(result->v, task->setting.v,
			sizeof(result->v[0]) * (size_t)task->setting.kernel->knob_count) != 0)
		return;
	probe->waiting = false;
	report->seconds = now - probe->begin;
	if (task->share) {
		probe_take_share(probe, task, result);
		task->visits++;
		report->done = fmax(report->done, share_done(probe));
		return;
	}
	cell = cells_get(probe->cells, &task->setting, true);
	cell_visit(cell, result, PROBE_QUIET, PRECISION, UINT32_MAX);
	if (result->status.code != STATUS_CANCELLED)
		task->visits++;
	probe_keep(probe, task, cell);
	if (!status_is_ok(&cell->failure)) {
		probe_note(probe, "%s: %s", probe_part_names[report->part], cell->failure.text);
		probe_drop_larger(probe, task->setting.kernel->footprint(task->setting.v));
		/* What comes after stays within what could be had. */
		if (report->part == PROBE_LATENCY && task->curve->count)
			report->options.max_size =
				(uint64_t)task->curve->point[task->curve->count - 1].x;
	}
	report->done = fmax(report->done, share_done(probe));
	if (now - probe->analysed >= ANALYSE_EVERY) {
		probe_analyse(probe);
		probe->analysed = now;
	}
}

void probe_lose(struct probe *probe)
{
	probe->waiting = false;
}

void probe_stop(struct probe *probe, double now)
{
	if (!probe->stopped)
		finish(probe, now);
}

const struct probe_report *probe_report(const struct probe *probe)
{
	return &probe->report;
}

/* ---- as a campaign ---- */

static void probe_state(const struct probe *probe, struct campaign_state *state)
{
	const struct probe_report *report = &probe->report;

	state->done = report->done;
	state->doing = report->doing;
	state->any = report->pairs.count || report->band_count || report->parallel.count ||
		     report->cores.count;
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		state->any |= report->lines[kind].count || report->pages[kind].count;
	if (report->note_count)
		state->why = report->note[report->note_count - 1];
}

CAMPAIGN_KIND(probe);
