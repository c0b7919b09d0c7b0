/* Measures the tasks (points of curves) of each stage of the probe, and adds each result to the
 * report. */
#include "experiment/probe/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"
#include "experiment/probe/probe_state.h"
#include "model/core/uarch.h"

/* A visit, which is one measurement of a point, ends after PATIENCE trials if none of them was
 * quiet. A later measurement repeats a point that had no quiet trials. */
enum { PATIENCE = 10 };

/* The largest number of measurements of one point in one round of the probe. */
enum { VISITS = 2 };

/* A point of a curve needs no further measurement if the relative precision of its median is
 * PRECISION. */
#define PRECISION 0.004

/* LAP: if one pass over the working set takes less than LAP seconds, a measurement makes a complete
 * pass before its trials. WARM: longest time in seconds for which a measurement walks through the
 * working set before its trials. */
#define LAP  0.003
#define WARM 0.06

/* Seconds of one measurement of a point with several cores. A measurement with several cores is
 * long, because all cores must reach full speed. */
#define VISIT_CORES 0.05

/* Seconds between two analyses of the measured curves while the probe measures. */
#define ANALYSE_EVERY 0.15

/* Fills the sizes of the data TLBs that the processor states, or else its core model. */
static void state_tlbs(const struct machine *machine, double stated[DTLBS])
{
	static const enum uarch_fact facts[DTLBS] = { SIZE_TLB1, SIZE_TLB2 };
	struct uarch_choice core = { 0 };
	struct status status;

	for (int i = 0; i < DTLBS; i++)
		stated[i] = machine->processor.dtlb[i];
	if (stated[0] > 0 && stated[1] > 0)
		return;
	status = uarch_choose(NULL, machine, &core);
	for (int i = 0; status_is_ok(&status) && core.uarch && i < DTLBS; i++)
		if (!(stated[i] > 0))
			stated[i] = core.uarch->fact[facts[i]];
	uarch_choice_free(&core);
}

struct probe *probe_new(
	const struct machine *machine, const struct probe_options *options, struct status *status)
{
	const struct units_text least = units_size((int64_t)PROBE_LEAST);
	struct probe *probe;

	*status = status_ok();
	if (options->max_size && options->max_size < PROBE_LEAST) {
		*status = status_usage(
			"working sets up to %s are too small for a probe: use at least %s",
			units_size((int64_t)options->max_size).text, least.text);
		return NULL;
	}
	if (machine->memory_limit && machine->memory_limit < PROBE_LEAST) {
		*status = status_failed("there is no memory for a working set of %s", least.text);
		return NULL;
	}
	probe = memory_new(1, sizeof(*probe));
	probe->report.machine = machine;
	probe->report.options = *options;
	if (probe->report.options.max_size == 0)
		probe->report.options.max_size = PROBE_SIZE;
	if (probe->report.options.parts == 0)
		probe->report.options.parts =
			((1u << PROBE_PARTS) - 1) & ~(1u << PROBE_CORES | 1u << PROBE_TRANSFER);
	probe->report.asked_size = probe->report.options.max_size;
	state_tlbs(machine, probe->tlb_stated);
	literature_load(&probe->report.published, "bandwidths");
	probe->cells = cells_new();
	probe_plan(probe);
	if (probe->report.options.parts >> PROBE_TRANSFER & 1)
		probe->report.transfer = core_map_new(machine->places, machine->processors);
	probe_analyse(probe);
	return probe;
}

void probe_free(struct probe *probe)
{
	if (!probe)
		return;
	cells_free(probe->cells);
	core_map_free(probe->report.transfer);
	free(probe);
}

/* ---- the report ---- */

/* Stores the measured sample of a task in the curve or bandwidth to which the task belongs. */
static void keep(struct probe *probe, const struct probe_task *task, const struct cell *cell)
{
	struct probe_point point = { .setting = task->setting,
		.x = task->x,
		.sample = cell->sample,
		.facts = cell->facts,
		.fine = task->fine };
	struct probe_curve *curve = task->curve;
	int at = 0;

	if (!curve) {
		struct probe_band *band = &probe->report.band[task->band];
		const struct sample *sample = &cell->sample;
		double line = probe->report.machine->cache_count
				      ? probe->report.machine->cache[0].line
				      : 0;

		band->point[task->operation] = point;
		band->lines[task->operation] =
			sample->valid ? sample->bytes_per_cycle / (line > 0 ? line : 64) : NAN;
		return;
	}
	/* A measured setting without a valid trial adds no point to the curve. */
	if (!cell->sample.valid && (cell->visits == 0 || !status_is_ok(&cell->failure)))
		return;
	while (at < curve->count && curve->point[at].x < point.x)
		at++;
	if (at == curve->count || curve->point[at].x > point.x) {
		if (curve->count == PROBE_POINTS)
			return;
		memmove(&curve->point[at + 1], &curve->point[at],
			(size_t)(curve->count - at) * sizeof(curve->point[0]));
		curve->count++;
	}
	curve->point[at] = point;
}

/* A measured curve in the form that the model of the memory hierarchy reads. */
struct plain {
	struct curve_point point[PROBE_POINTS];
	int count;
};

static struct hierarchy_curve plain_curve(struct plain *plain, const struct probe_curve *curve)
{
	plain->count = 0;
	for (int i = 0; i < curve->count; i++) {
		const struct sample *sample = &curve->point[i].sample;

		if (!sample->valid)
			continue;
		plain->point[plain->count++] = (struct curve_point){
			.bytes = curve->point[i].x,
			.cycles = sample->cpe,
			.lo = sample->cpe_lo,
			.hi = sample->cpe_hi,
			.doubtful = sample_doubt(sample) != NULL,
			.two_modes = sample->modes == 2,
			.mode_low = sample->mode_low,
			.mode_high = sample->mode_high,
			.share_low = sample->mode_share_low,
		};
	}
	return (struct hierarchy_curve){ plain->point, plain->count };
}

double probe_ghz(const struct probe_report *report)
{
	double ghz[PAGE_KINDS * PROBE_POINTS];
	size_t count = 0;

	for (int kind = 0; kind < PAGE_KINDS; kind++)
		for (int i = 0; i < report->lines[kind].count; i++)
			if (report->lines[kind].point[i].sample.valid)
				ghz[count++] = report->lines[kind].point[i].sample.ghz;
	for (int i = 0; i < report->band_count && count < sizeof(ghz) / sizeof(*ghz); i++)
		if (report->band[i].point[PROBE_READ].sample.valid)
			ghz[count++] = report->band[i].point[PROBE_READ].sample.ghz;
	return count ? stats_median(ghz, count) : NAN;
}

/* Another run of the probe may measure a share of the last cache outside this run's range, by the
 * ratio share_off. With share_off = 1.6, 93 % of 400 pairs of runs agreed about the share of the
 * last cache. The value of share_off comes from 20 runs of the probe within a minute, on a virtual
 * machine whose host was busy. If all values of the share of the last cache in a run agree within
 * the ratio share_agrees, no other process uses the last cache. If no other process uses the last
 * cache, the range of this process's share of it is widened only by the factor share_agrees. */
static const double share_off = 1.6, share_agrees = 1.1;

static struct hierarchy_share share_of(const struct probe_share *share)
{
	double bytes[PROBE_SHARES], off;

	if (share->count == 0)
		return (struct hierarchy_share){ 0 };
	memcpy(bytes, share->bytes, sizeof(bytes));
	stats_sort(bytes, (size_t)share->count);
	off = bytes[share->count - 1] > share_agrees * bytes[0] ? share_off : share_agrees;
	return (struct hierarchy_share){
		.looks = share->count,
		.bytes = stats_quantile(bytes, (size_t)share->count, 0.5),
		.lo = bytes[0] / off,
		.hi = bytes[share->count - 1] * off,
		.seconds = share->at[share->count - 1] - share->at[0],
	};
}

void probe_analyse(struct probe *probe)
{
	struct probe_report *report = &probe->report;
	struct plain *plain = memory_new(2 * PAGE_KINDS + 1, sizeof(*plain));
	struct hierarchy_input input = { .machine = report->machine, .ghz = probe_ghz(report) };

	for (int kind = 0; kind < PAGE_KINDS; kind++) {
		input.lines[kind] = plain_curve(&plain[kind], &report->lines[kind]);
		input.pages[kind] = plain_curve(&plain[PAGE_KINDS + kind], &report->pages[kind]);
		/* The kind of pages is taken from the largest working set, because small working
		 * sets may lie in any pages. */
		if (report->lines[kind].count)
			input.got[kind] = report->lines[kind]
						  .point[report->lines[kind].count - 1]
						  .facts.pages;
	}
	memcpy(input.tlb_stated, probe->tlb_stated, sizeof(input.tlb_stated));
	input.share = share_of(&report->share);
	input.pairs = plain_curve(&plain[2 * PAGE_KINDS], &report->pairs);
	hierarchy_find(&input, &report->hierarchy);
	hierarchy_say(&input, &report->hierarchy);
	free(plain);
}

/* ---- tasks ---- */

/* Removes all later tasks (points to measure) of the round that need at least as much memory as the
 * task with index `task`. */
static void drop_larger(struct probe *probe, unsigned task)
{
	uint64_t bytes = probe_task_bytes(&probe->tasks[task]);
	int kept = (int)task + 1;

	for (int i = kept; i < probe->task_count; i++)
		if (probe_task_bytes(&probe->tasks[i]) < bytes)
			probe->tasks[kept++] = probe->tasks[i];
	probe->task_count = kept;
	probe->visits.count = (unsigned)kept;
}

/* Returns whether a point to measure (task) needs another measurement in this round. */
static bool task_wanted(void *context, unsigned index)
{
	const struct probe *probe = context;
	const struct probe_task *task = &probe->tasks[index];
	const struct cell *cell = cells_get(probe->cells, &task->setting, false);

	if (task->visits == 0)
		return true;
	if (task->share || !cell || cell->settled || !sample_doubt(&cell->sample))
		return false;
	return task->visits < (probe_late(probe) ? 1 : VISITS) &&
	       !(cell->sample.valid && probe_is_far(&task->setting));
}

/* Writes the name of the current measurement, such as "latency, 4k pages, 2.8 MiB", to the report.
 */
static void say_doing(
	struct probe *probe, const struct probe_task *task, const struct probe_stage *stage)
{
	static const char *const words[PAGE_KINDS] = { "", ", 4k pages", ", huge pages" };
	struct probe_report *report = &probe->report;
	bool pages = stage->part == PROBE_LATENCY || stage->part == PROBE_TLB;
	const char *plural = task->x == 1 ? "" : "s";
	int used = snprintf(report->doing, sizeof(report->doing), "%s%s, ",
		probe_part_names[stage->part], pages ? words[stage->pages] : "");
	char *x = report->doing + used;
	size_t size = sizeof(report->doing) - (size_t)used;

	report->part = stage->part;
	if (stage->part == PROBE_TLB)
		snprintf(x, size, "%.0f pages touched", task->x / 4096);
	else if (stage->part == PROBE_LINE)
		snprintf(x, size, "%.0f bytes apart", task->x);
	else if (stage->part == PROBE_PARALLEL)
		snprintf(x, size, "%.0f chain%s", task->x, plural);
	else if (stage->part == PROBE_CORES)
		snprintf(x, size, "%.0f %s%s", task->x,
			task->curve == &report->loaded ? "stream" : "core", plural);
	else
		snprintf(x, size, "%s", units_size_long((int64_t)task->x).text);
}

/* ---- measuring ---- */

static double elapsed(const struct probe *probe)
{
	return measurer_now(probe->visits.measurer) - probe->begin;
}

static bool time_is_up(void *context)
{
	const struct probe *probe = context;

	return probe->report.options.seconds > 0 && elapsed(probe) >= probe->report.options.seconds;
}

static void ask(void *context, unsigned index, struct request *request)
{
	struct probe *probe = context;
	const struct probe_options *options = &probe->report.options;
	const struct probe_stage *stage = &probe->stages[probe->stage];
	const struct probe_task *task = &probe->tasks[index];
	double seconds = probe_visit_seconds(probe, probe_task_bytes(task));

	if (stage->part == PROBE_CORES)
		seconds = probe->scale * VISIT_CORES;
	if (options->seconds > 0)
		seconds = fmax(0.001, fmin(seconds, options->seconds - elapsed(probe)));
	*request = (struct request){
		.kernel = task->setting.kernel,
		.seed = options->seed,
		.alone = true,
		/* Each measurement begins at another position in the working set, because the lines
		   of the previous measurement still lie in nearer caches. */
		.place = visits_place(probe->visits.made - 1),
		.budget = { .seconds = seconds,
			.quiet_wanted = PROBE_QUIET,
			.patience = PATIENCE,
			.precision = PRECISION / 2,
			.lap_seconds = LAP,
			.warm_seconds = probe->scale * WARM },
	};
	memcpy(request->v, task->setting.v, sizeof(request->v));
	say_doing(probe, task, stage);
}

static void accept(void *context, unsigned index, const struct result *result, double seconds)
{
	struct probe *probe = context;
	struct probe_report *report = &probe->report;
	struct probe_task *task = &probe->tasks[index];
	struct cell *cell;

	(void)seconds;
	report->seconds = elapsed(probe);
	task->visits += task->share || result->status.code != STATUS_CANCELLED;
	if (task->share) {
		probe_take_share(probe, task, result);
	} else {
		cell = cells_get(probe->cells, &task->setting, true);
		cell_visit(cell, result, PROBE_QUIET, PRECISION, UINT32_MAX);
		keep(probe, task, cell);
		if (!status_is_ok(&cell->failure)) {
			notes_add(&probe->report.notes, "%s: %s", probe_part_names[report->part],
				cell->failure.text);
			drop_larger(probe, index);
			/* If a working set cannot be measured, later parts of the probe use at most
			 * the largest size that could. */
			if (report->part == PROBE_LATENCY && task->curve->count)
				report->options.max_size =
					(uint64_t)task->curve->point[task->curve->count - 1].x;
		}
	}
	probe->tasks_done = (int)index + !task_wanted(probe, index);
	report->done = fmax(report->done, probe_share_done(probe));
	if (!task->share && report->seconds - probe->analysed >= ANALYSE_EVERY) {
		probe_analyse(probe);
		probe->analysed = report->seconds;
	}
}

/* Measures all points of a stage of the probe, round by round. Returns false if the time limit was
 * reached or the measurer stopped. */
static bool run_stage(struct probe *probe, const struct probe_stage *stage)
{
	struct visits *visits = &probe->visits;

	if (stage->part == PROBE_TRANSFER)
		return probe_transfer_run(probe, stage);
	for (probe->round = 0;; probe->round++) {
		probe_fill(probe, stage, probe->round);
		if (probe->task_count == 0)
			return true;
		visits->count = (unsigned)probe->task_count;
		visits_round(visits);
		if (visits->position < visits->count) {
			if (!measurer_stopped(visits->measurer))
				notes_add(&probe->report.notes,
					"the time of %.3g s was too short to measure everything",
					probe->report.options.seconds);
			return false;
		}
		probe_analyse(probe);
	}
}

void probe_measure(struct probe *probe, const struct measurer *measurer)
{
	struct probe_report *report = &probe->report;
	bool complete = true;

	probe->visits = (struct visits){ .measurer = measurer,
		.context = probe,
		.repeat = true,
		.wanted = task_wanted,
		.late = time_is_up,
		.ask = ask,
		.accept = accept };
	probe->begin = measurer_now(measurer);
	for (probe->stage = 0; complete && probe->stage < probe->stage_count; probe->stage++)
		complete = run_stage(probe, &probe->stages[probe->stage]);
	visits_free(&probe->visits);
	report->complete = complete;
	if (complete)
		report->done = 1;
	report->seconds = elapsed(probe);
	report->doing[0] = '\0';
	probe_analyse(probe);
}

const struct probe_report *probe_report(const struct probe *probe)
{
	return &probe->report;
}

/* ---- loads at once ---- */

/* The speedup of N loads at once is doubtful if it is larger than N times this factor. */
#define BEYOND 1.005

bool probe_beyond(const struct probe_point *one, const struct probe_point *many)
{
	return one->x == 1 && one->sample.ns > BEYOND * many->x * many->sample.ns;
}

bool probe_parallel_words(const struct probe_curve *curve, char *words, size_t size)
{
	const struct probe_point *one = NULL, *best = NULL;

	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *point = &curve->point[i];

		if (!point->sample.valid)
			continue;
		one = point->x == 1 ? point : one;
		best = !best || point->sample.ns < best->sample.ns ? point : best;
	}
	if (!one || !best || best == one)
		return false;
	if (probe_beyond(one, best))
		snprintf(words, size,
			"%.0f loads at once: at least %.0f times as fast as one, which other "
			"activity slowed down (in %s)",
			best->x, best->x, units_size_long((int64_t)best->facts.footprint).text);
	else
		snprintf(words, size, "%.0f loads at once: %.1f times as fast as one (in %s)",
			best->x, one->sample.ns / best->sample.ns,
			units_size_long((int64_t)best->facts.footprint).text);
	return true;
}

/* ---- the probe as a campaign ---- */

static void probe_state(const struct probe *probe, struct campaign_state *state)
{
	const struct probe_report *report = &probe->report;

	state->done = report->done;
	state->doing = report->doing;
	state->any = report->pairs.count || report->band_count || report->parallel.count ||
		     report->cores.count || (report->transfer && report->transfer->measured);
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		state->any |= report->lines[kind].count || report->pages[kind].count;
	if (report->notes.count)
		state->why = report->notes.note[report->notes.count - 1];
}

CAMPAIGN_KIND(probe);
