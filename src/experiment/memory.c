#include "experiment/memory.h"

#include <math.h>
#include <string.h>

#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"
#include "model/limits/misses.h"

/* PROBE_SECONDS: seconds of each measurement. PROBE_QUIET: number of quiet trials after which a
 * measurement ends. TRIES: largest number of measurements of a step (L3 or memory) that give no
 * reliable value. */
#define PROBE_SECONDS 0.06
enum { PROBE_QUIET = 40, TRIES = 3 };

/* Seconds, and number of quiet trials, of a measurement of the last cache. The trials are few, and
 * follow immediately after the working set was read, before other processes evict it from the
 * cache. */
#define PROBE_FRESH 0.005
enum { FRESH_QUIET = 12 };

/* To measure L3 or memory, the working set is BEYOND times the size of the previous cache. For L3,
 * a small working set is used because other processes also use L3. For memory, a working set of
 * twice the last cache gets most lines from memory in steady state. */
enum { BEYOND = 2 };

/* If the last cache is larger than last_cache_most bytes, memory is not measured, because the
 * layout of the working set would take seconds. Walks in random order over working sets of `points`
 * bytes replace the measurement of memory. */
static const uint64_t last_cache_most = 256u << 20;
static const uint64_t points[MEMORY_POINTS] = { 32u << 20, 256u << 20 };

/* A walk over data in random order counts as a walk in memory if its latency exceeds FAR_FROM_CACHE
 * times the latency of L3. */
#define FAR_FROM_CACHE 1.5

enum step {
	L3_LATENCY,
	L3_LINES,
	MEMORY_LATENCY,
	MEMORY_LINES,
	POINT_FIRST,
	POINT_LAST = POINT_FIRST + MEMORY_POINTS - 1,
	PEAK,
	STEPS
};

/* The kernel and knob values that measure each step of the memory probe, without the knob for the
 * size. */
static const char *const settings[STEPS] = {
	[L3_LATENCY] = "list-length spacing=64 order=random",
	[L3_LINES] = "mountain stride=8",
	[MEMORY_LATENCY] = "list-length spacing=64 order=random",
	[MEMORY_LINES] = "mountain stride=8",
	[POINT_FIRST] = "latency stride=64 order=random",
	[POINT_LAST] = "latency stride=64 order=random",
	[PEAK] = "bandwidth op=frd",
};

void memory_probe_init(struct memory_probe *probe)
{
	*probe = (struct memory_probe){ .step = -1 };
	for (int i = 0; i < MEMORY_POINTS; i++)
		probe->point[i].bytes = (double)points[i];
}

/* Returns the size in bytes above which most lines of a working set come from memory; 0:
 * unknown. */
static uint64_t memory_from(const struct memory_probe *probe, const struct machine *machine)
{
	uint64_t last =
		machine_cache(machine, 3) ? machine_cache(machine, 3) : machine_last_cache(machine);

	for (int i = 0; i < MEMORY_POINTS; i++)
		if (probe->l3.known && probe->point[i].latency > FAR_FROM_CACHE * probe->l3.latency)
			return points[i];
	return last <= last_cache_most ? last : points[MEMORY_POINTS - 1];
}

/* Returns the bytes of working set above which a step of the memory probe is needed; 0: never
 * needed. Every working set beyond the caches needs the measurement at the first point, because it
 * also shows where memory begins. */
static uint64_t wanted_from(
	const struct memory_probe *probe, const struct machine *machine, int step, bool scattered)
{
	if (step >= POINT_FIRST && step <= POINT_LAST)
		return (scattered || step == POINT_FIRST) &&
				       points[step - POINT_FIRST] < machine_cache(machine, 3)
			       ? points[step - POINT_FIRST] - 1
			       : 0;
	if (step == PEAK)
		return memory_from(probe, machine);
	return machine_cache(machine, step < MEMORY_LATENCY ? 2 : 3);
}

static uint64_t size_of(const struct machine *machine, int step)
{
	uint64_t before = machine_cache(machine, step < MEMORY_LATENCY ? 2 : 3),
		 most = points[MEMORY_POINTS - 1];

	if (step >= POINT_FIRST && step <= POINT_LAST)
		return points[step - POINT_FIRST];
	if (step == PEAK)
		return before && BEYOND * before < most ? BEYOND * before : most;
	if (step < MEMORY_LATENCY && machine_cache(machine, 3) < 2 * BEYOND * before)
		return 0; /* the step is skipped: the machine has no L3 that differs enough from L2
			   */
	if (step >= MEMORY_LATENCY && before > last_cache_most)
		return 0;
	return BEYOND * before;
}

bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, bool scattered, uint64_t seed, struct request *request)
{
	for (int step = 0; step < STEPS; step++) {
		uint64_t from = wanted_from(probe, machine, step, scattered),
			 size = size_of(machine, step);
		struct setting setting;

		if (probe->done >> step & 1 || from == 0 || working_set <= from)
			continue;
		if (size == 0 || (machine->memory_limit && size > machine->memory_limit) ||
			!setting_read(&setting, settings[step])) {
			probe->done |= 1u << step;
			continue;
		}
		setting.v[kernel_axis(setting.kernel, AXIS_SIZE)] = (int64_t)size;
		*request = (struct request){ .kernel = setting.kernel,
			.seed = seed,
			.background = true,
			.budget = { .seconds = PROBE_SECONDS, .quiet_wanted = PROBE_QUIET } };
		if (step < MEMORY_LATENCY)
			request->budget = (struct budget){
				.seconds = PROBE_FRESH, .quiet_wanted = FRESH_QUIET, .fresh = true
			};
		memcpy(request->v, setting.v, sizeof(request->v));
		probe->step = step;
		return true;
	}
	return false;
}

bool memory_scattered(const struct kernel *kernel, const int64_t *v)
{
	struct kernel_walk walk;

	return kernel_describe(kernel, v, &walk) && (walk.scattered || walk.reaches > 0);
}

/* Returns the latency of those accesses, in random order, that miss the core's own caches. Assumes
 * that a cache which holds a fraction of the working set serves the same fraction of the accesses.
 * 0: the measured values contradict each other. */
static double behind(
	double cycles, double size, double own, double l1, double before, double nearer)
{
	double latency =
		(cycles - own / size * l1 - (before - own) / size * nearer) / (1 - before / size);

	return latency > nearer ? latency : 0;
}

/* Returns the cycles of the fastest quiet trial, because other processes can only make a shared
 * cache slower. */
static double fastest(const struct trials *trials, const struct sample *sample)
{
	double least = sample->cpe_lo;

	for (unsigned i = 0; i < trials->count; i++)
		if (trials->trial[i].fate == TRIAL_QUIET)
			least = fmin(least, trials->trial[i].cpe);
	return least;
}

/* Sets the measured latency, or lines per cycle, of L3 or memory. A latency of 0 means that the
 * measured values contradict each other. */
static void put_level(struct memory_level *level, const struct machine *machine, int step,
	double cycles, double alone, double l2)
{
	if (step == L3_LINES || step == MEMORY_LINES)
		/* A walk in address order reads the whole working set before it reads a line again.
		 * All lines of a sequential walk therefore come from the cache or memory that is
		 * measured. */
		level->lines = 1 / cycles;
	else if (step == L3_LATENCY)
		level->latency = alone;
	else
		/* Cores share the last cache, so the number of its hits is unknown. The measured
		 * latency of memory therefore includes hits in the last cache, and is still a lower
		 * bound. */
		level->latency = cycles > l2 ? cycles : 0;
	level->bytes = step < MEMORY_LATENCY ? (double)machine_cache(machine, 3) : 0;
	level->known = level->latency > 0 && level->lines > 0;
}

void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l1,
	double l2, const struct result *result)
{
	int step = probe->step;
	struct sample sample;
	double cycles, alone;

	if (step < 0)
		return;
	probe->step = -1;
	if (result->status.code == STATUS_CANCELLED)
		return;
	sample_summarise(&result->trials, &result->facts, &sample);
	/* An imprecise (unsettled) value would give a wrong limit, so the step of the memory probe
	 * is repeated. After TRIES measurements without a precise value, the value stays unknown.
	 */
	if (status_is_ok(&result->status) && (!sample.valid || sample.unsettled) &&
		++probe->again < TRIES)
		return;
	probe->again = 0;
	probe->done |= 1u << step;
	if (!sample.valid || sample.unsettled || !(sample.cpe_lo > 0))
		return;
	cycles = step < MEMORY_LATENCY ? fastest(&result->trials, &sample) : sample.cpe_lo;
	alone = behind(cycles, (double)size_of(machine, step), (double)machine_cache(machine, 1),
		l1, (double)machine_cache(machine, 2), l2);
	if (step == PEAK)
		probe->peak = isfinite(sample.gbps) ? sample.gbps * sample.cpe / cycles : 0;
	else if (step >= POINT_FIRST)
		probe->point[step - POINT_FIRST].latency = alone;
	else
		put_level(step < MEMORY_LATENCY ? &probe->l3 : &probe->memory, machine, step,
			cycles, alone, l2);
}

/* Returns the probe's bandwidth of a level, or NULL if no reliable read bandwidth was measured. */
static const struct probe_band *band_of(const struct probe_report *report, const char *level)
{
	for (int i = 0; i < report->band_count; i++) {
		const struct sample *sample = &report->band[i].point[PROBE_READ].sample;

		if (strcmp(report->band[i].level, level) == 0 && sample->valid &&
			!sample->unsettled && sample->cpe_lo > 0)
			return &report->band[i];
	}
	return NULL;
}

/* Copies a level's lowest latency and highest lines per cycle from the probe's report, because
 * limits are bounds. */
static bool learn(struct memory_level *level, const struct probe_report *report,
	const struct hierarchy_level *found)
{
	const struct probe_band *band = found ? band_of(report, found->name) : NULL;
	const struct sample *sample;

	if (!band || !(found->lo > 0))
		return false;
	sample = &band->point[PROBE_READ].sample;
	*level = (struct memory_level){ .known = true,
		.latency = found->lo,
		.lines = band->lines[PROBE_READ] * sample->cpe / sample->cpe_lo,
		.bytes = found->kind == LEVEL_CACHE ? fmax((double)found->stated, found->bytes_hi)
						    : 0 };
	return true;
}

bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report)
{
	bool l3 = learn(&probe->l3, report, hierarchy_level(&report->hierarchy, LEVEL_CACHE, 3));
	bool memory =
		learn(&probe->memory, report, hierarchy_level(&report->hierarchy, LEVEL_MEMORY, 0));

	if (memory) {
		const struct sample *sample = &band_of(report, "memory")->point[PROBE_READ].sample;

		probe->peak =
			isfinite(sample->gbps) ? sample->gbps * sample->cpe / sample->cpe_lo : 0;
	}
	if (probe->peak > 0)
		probe->done |= 1u << PEAK;
	if (l3)
		probe->done |= 1u << L3_LATENCY | 1u << L3_LINES;
	if (memory)
		probe->done |= 1u << MEMORY_LATENCY | 1u << MEMORY_LINES;
	return l3 || memory;
}
