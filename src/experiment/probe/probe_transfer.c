/* Measures the time of a cache line from core to core for each pair of processors, in the probe's
 * part core-to-core. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "experiment/probe/probe_state.h"

/* Seconds between two updates of the groups while the probe measures. */
#define GROUP_EVERY 0.5

/* A pair with fewer undisturbed trials than this number is visited again. */
enum { TRIALS_LEAST = PAIR_TRIALS / 4 };

/* If the user sets no time limit, pairs with fewer than TRIALS_LEAST trials are visited again for
 * up to PATIENCE seconds. */
#define PATIENCE 3.0

/* If the system says that two processors share an L3, but a line takes more nanoseconds than this,
 * the system is probably wrong. c2clat's published values inside one L3 are below 100 ns. */
static const double l3_most = 150;

/* One visit of a pair, as work for measurer_compute(). */
struct work {
	const struct probe_options *options;
	const struct topology *topology;
	int a, b;
	unsigned visit;
	struct pair_trials trials;
	struct status status;
};

static void visit_pair(void *argument)
{
	struct work *work = argument;

	work->status = (work->options->visit ? work->options->visit : core_pair_visit)(
		work->topology, work->a, work->b, work->visit, PAIR_SECONDS, &work->trials);
}

/* Visits all pairs that have fewer than `wanted` trials, in the order of a tour. Returns false if
 * the time is over, the measurer stopped, or a pair could not be measured. */
static bool tour(struct probe *probe, struct work *work, unsigned wanted, double until)
{
	const struct measurer *measurer = probe->visits.measurer;
	struct probe_report *report = &probe->report;
	struct core_map *map = report->transfer;
	struct core_tour tour = { 0 };
	int i, j;

	while (core_tour_next(&tour, map->count, &i, &j)) {
		if (core_map_value(map, i, j)->trials >= wanted)
			continue;
		if (measurer_stopped(measurer) || measurer_now(measurer) >= until)
			return false;
		work->a = map->place[i].cpu;
		work->b = map->place[j].cpu;
		snprintf(report->doing, sizeof(report->doing), "core to core, processors %d and %d",
			work->a, work->b);
		if (!measurer_compute(measurer, visit_pair, work))
			return false;
		if (!status_is_ok(&work->status)) {
			notes_add(&report->notes, "core-to-core: %s", work->status.text);
			return false;
		}
		core_map_add(map, i, j, &work->trials);
		report->seconds = measurer_now(measurer) - probe->begin;
		probe->tasks_done++;
		if (probe->tasks_done > probe->task_count)
			probe->task_count = probe->tasks_done;
		report->done = fmax(report->done, probe_share_done(probe));
		if (report->seconds - probe->analysed >= GROUP_EVERY) {
			core_map_group(map);
			probe->analysed = report->seconds;
		}
	}
	return true;
}

/* Waits until the time of the next visit of all pairs: the visits are spread evenly over the time
 * of the stage. */
static void wait_for_visit(const struct measurer *measurer, double begin, double seconds, int visit)
{
	double rest = begin + seconds * visit / PAIR_VISITS - measurer_now(measurer);

	if (rest > 0 && rest < 1 && !measurer_stopped(measurer))
		nanosleep(&(struct timespec){ .tv_nsec = (long)(rest * 1e9) }, NULL);
}

/* Adds notes about pairs without a value, and about a tree that the values contradict. */
static void judge(struct probe *probe)
{
	struct probe_report *report = &probe->report;
	const struct core_map *map = report->transfer;
	unsigned slow = 0;

	if (map->measured && map->measured < map->pairs)
		notes_add(&report->notes,
			"core-to-core: %u of %u pairs are measured, spread evenly over the "
			"machine; --time-budget %.0f suffices for all",
			map->measured, map->pairs,
			ceil(1.1 * map->pairs * (PAIR_SECONDS + PAIR_THREADS)));
	for (int i = 0; i < map->count; i++)
		for (int j = 0; j < i; j++)
			slow += place_relation(&map->place[i], &map->place[j]) <= RELATION_L3 &&
				core_map_value(map, i, j)->ns > l3_most;
	if (slow)
		notes_add(&report->notes,
			"core-to-core: the system says that %u pair%s of processors with more than "
			"%.0f ns share%s an L3; the system is probably wrong, as in some virtual "
			"machines",
			slow, slow == 1 ? "" : "s", l3_most, slow == 1 ? "s" : "");
}

bool probe_transfer_run(struct probe *probe, const struct probe_stage *stage)
{
	const struct measurer *measurer = probe->visits.measurer;
	struct probe_report *report = &probe->report;
	struct work work = { .options = &report->options };
	double begin = measurer_now(measurer), until = begin + stage->seconds;
	struct topology *topology = NULL;

	if (!report->options.visit) {
		topology = topology_load(&work.status);
		if (!topology) {
			notes_add(&report->notes, "core-to-core: %s", work.status.text);
			return true;
		}
	}
	work.topology = topology;
	report->part = PROBE_TRANSFER;
	probe->round = probe->tasks_done = 0;
	probe->task_count = (int)fmax(1, ceil(stage->seconds / (PAIR_SECONDS + PAIR_THREADS)));
	while (work.visit < PAIR_VISITS && tour(probe, &work, UINT32_MAX, until)) {
		work.visit++;
		if (!report->options.visit)
			wait_for_visit(measurer, begin, stage->seconds, (int)work.visit);
	}
	/* Pairs with too few undisturbed trials are visited again, for a limited time. */
	if (report->options.seconds <= 0)
		until += PATIENCE;
	while (work.visit > 0 && status_is_ok(&work.status)) {
		int done = probe->tasks_done;

		if (!tour(probe, &work, TRIALS_LEAST, until) || probe->tasks_done == done)
			break;
		work.visit++;
	}
	topology_free(topology);
	core_map_group(report->transfer);
	judge(probe);
	return !measurer_stopped(measurer);
}
