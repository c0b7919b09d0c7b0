#include "experiment/memory.h"

#include <math.h>
#include <string.h>

#include "experiment/memory_steps.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"

/* PROBE_SECONDS: seconds of each measurement. PROBE_QUIET: number of quiet trials after which a
 * measurement ends. PROBE_SHORT and SHORT_QUIET: seconds and number of quiet trials of measurements
 * that read memory in address order, or one line of each page. TRIES: largest number of
 * measurements of a step (L3 or memory) that give no reliable value. */
#define PROBE_SECONDS 0.04
#define PROBE_SHORT   0.015
enum { PROBE_QUIET = 40, SHORT_QUIET = 16, TRIES = 3 };

/* Seconds, and number of quiet trials, of a measurement of the last cache. The trials are few, and
 * follow immediately after the working set was read, before other processes evict it from the
 * cache. */
#define PROBE_FRESH 0.005
enum { FRESH_QUIET = 12 };

/* Loads in random order count as reaching memory if their mean latency exceeds FAR_FROM_CACHE times
 * the latency of L3. */
#define FAR_FROM_CACHE 1.5

/* Latency of L3 in cycles, if other processes left so little of L3 that its latency could not be
 * measured. Typical latencies of L3 are 40 to 75 cycles; the size of L3 depends little on the
 * value. */
#define L3_ASSUMED 50

/* The size of L3 is computed from the mean latency of loads in random order. If L3 serves less than
 * SERVED_LEAST or more than SERVED_MOST of the L2 misses of these loads, the computed size is only
 * a bound. */
#define SERVED_LEAST 0.1
#define SERVED_MOST  0.9

/* A point of the probe's curve is used if its size differs by less than this number of powers of
 * two. */
#define SAME_SIZE 0.1

/* The range of a measured size is made wider by this factor before it is compared with the stated
 * size. */
#define AGREE 1.03

void memory_probe_init(struct memory_probe *probe)
{
	*probe = (struct memory_probe){ .step = -1 };
}

void memory_probe_renew(struct memory_probe *probe)
{
	probe->done = 0;
}

/* Whether the limits of a loop depend on measured values of L3 or memory. The loop may also be
 * slower than its highest limit because such a value is unknown or too low. */
static bool depends_on_memory(const struct limits *limits)
{
	const struct limit *by = &limits->limit[limits->predicted_by];

	return limits->beyond[1] > 0 ||
	       (!by->hard && limit_rows[by->kind].resource == RESOURCE_MEMORY);
}

bool memory_probe_drifted(const struct limits *limits, const struct sample *sample, double share)
{
	return limits->predicted_by >= 0 && depends_on_memory(limits) && sample->valid &&
	       !sample->provisional && !sample->contended && !sample->unsettled &&
	       fabs(sample->cpe / limits->predicted - 1) > share;
}

static double own_caches(const struct machine *machine)
{
	return (double)(machine_cache(machine, 1) + machine_cache(machine, 2));
}

static double l3_latency(const struct memory_probe *probe)
{
	return probe->facts.l3.latency > 0 ? probe->facts.l3.latency : L3_ASSUMED;
}

static bool reaches_memory(const struct memory_probe *probe)
{
	for (int i = 0; i < MEMORY_POINTS; i++)
		if (probe->facts.point[i].latency > FAR_FROM_CACHE * l3_latency(probe))
			return true;
	return false;
}

/* Returns the largest working set in bytes for which a step of the memory probe is not needed. A
 * working set needs the measurement with the next larger size of memory. Memory is also measured as
 * soon as loads in random order reach it. */
static uint64_t needed_beyond(
	const struct memory_probe *probe, const struct machine *machine, int step)
{
	uint64_t own = machine_own_caches(machine),
		 before = memory_step_size(machine, step < POINT_LAST ? step : POINT_LAST) / BEYOND;

	if (step == L2_LINES)
		return machine_cache(machine, 1);
	if (memory_step_is_flushed(step))
		return KERNEL_REACH_FLUSHED - 1;
	/* L2 may evict cache lines of a loop whose data are smaller than L2, so L3 is also measured
	 * for working sets above a quarter of L2. */
	if (step < POINT_FIRST)
		return machine_cache(machine, 2) / 4;
	if (before < own || (step >= POINT_LAST && reaches_memory(probe)))
		return own;
	return before;
}

bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, uint64_t seed, struct request *request)
{
	for (int step = 0; step < MEMORY_STEPS; step++) {
		uint64_t size = memory_step_size(machine, step);
		struct setting setting;

		if (probe->done >> step & 1 || working_set <= needed_beyond(probe, machine, step))
			continue;
		if (size == 0 || (machine->memory_limit && size > machine->memory_limit) ||
			!setting_read(&setting, memory_step_setting(step))) {
			probe->done |= 1u << step;
			continue;
		}
		setting.v[kernel_axis(setting.kernel, AXIS_SIZE)] = (int64_t)size;
		*request = (struct request){ .kernel = setting.kernel,
			.seed = seed,
			.background = true,
			.budget = { .seconds = PROBE_SECONDS, .quiet_wanted = PROBE_QUIET } };
		/* The largest working set that is read in address order gives the bandwidth of
		 * memory, so it is measured for longer. */
		if ((memory_step_is_stream(step) && step != STREAM_LAST) || step == SKIPPED ||
			step == PAST || memory_step_is_pages(step))
			request->budget = (struct budget){ .seconds = PROBE_SHORT,
				.quiet_wanted = SHORT_QUIET };
		if (step < POINT_FIRST)
			request->budget = (struct budget){
				.seconds = PROBE_FRESH, .quiet_wanted = FRESH_QUIET, .fresh = true
			};
		memcpy(request->v, setting.v, sizeof(request->v));
		probe->step = step;
		return true;
	}
	return false;
}

/* Returns the mean latency of the loads that miss the core's own caches, in a chain of loads over
 * `size` bytes whose loads take `cycles` cycles in the mean. A load that hits L2 takes `l2` cycles.
 * 0: the measured values contradict each other. */
static double behind(const struct machine *machine, double cycles, double size, double l2)
{
	const struct cache_sizes sizes = cache_sizes(machine, NULL, false, NULL);
	double missed = cache_cyclic_missed(&sizes.level[1], size),
	       latency = (cycles - (1 - missed) * l2) / missed;

	return latency > l2 ? latency : 0;
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

/* Returns the part of the accesses beyond L2 that L3 serves, if the mean latency of these accesses
 * is `latency`. `memory` is the latency of memory. */
static double served(const struct memory_probe *probe, double latency, double memory)
{
	double l3 = l3_latency(probe);

	return fmin(fmax((memory - latency) / (memory - l3), 0), 1);
}

/* Returns the measurement of random loads over the most data. If the largest size gave no reliable
 * value, returns the largest size that gave one, provided that its loads reach memory. */
static const struct memory_point *largest_walk(const struct memory_probe *probe)
{
	const struct memory_point *point = probe->facts.point;
	int last = MEMORY_POINTS - 1, i = last;

	while (probe->done >> POINT_LAST & 1 && i > 0 && !(point[i].latency > 0))
		i--;
	return point[i].latency > FAR_FROM_CACHE * l3_latency(probe) ? &point[i] : &point[last];
}

/* Computes the size of L3 and the latency of memory from the mean latencies of random loads. L3
 * holds `bytes` bytes of a working set, so data larger than `bytes` plus the own caches reach
 * memory. The latency of memory is the mean latency of loads from the largest size, without their
 * hits in L3. The size of L3 is computed from the measurement in which L3 serves about half of the
 * loads. */
static void find_sizes(struct memory_probe *probe, const struct machine *machine)
{
	struct memory_facts *facts = &probe->facts;
	const struct memory_point *last = largest_walk(probe), *best = NULL;
	double own = own_caches(machine), memory = last->latency, nearest = 1,
	       stated = (double)machine_cache(machine, 3);
	struct cache_size *size = &facts->cache[2];

	if (memory > 0)
		facts->memory.latency = memory;
	facts->memory.known = facts->memory.latency > 0 && facts->memory.lines > 0;
	if (stated <= 0 || !(memory > FAR_FROM_CACHE * l3_latency(probe)))
		return;
	for (int i = 0; &facts->point[i] < last; i++) {
		double share = served(probe, facts->point[i].latency, memory),
		       off = fabs(share - 0.5);

		/* Of several measurements whose data fit L3, the largest says most about the size
		 * of L3. */
		if (facts->point[i].latency > 0 &&
			(off < nearest || (off == nearest && share > 0.5))) {
			nearest = off;
			best = &facts->point[i];
		}
	}
	if (!best)
		return;
	/* The computed latency of memory depends on the size of L3, and the reverse: three rounds
	 * suffice. */
	for (int round = 0; round < 3; round++) {
		double bytes = (best->bytes - own) * served(probe, best->latency, memory),
		       held = fmin(bytes / (last->bytes - own), 0.9);

		memory = (last->latency - held * l3_latency(probe)) / (1 - held);
	}
	*size = (struct cache_size){
		.bytes = (best->bytes - own) * served(probe, best->latency, memory),
		.lo = (best->bytes - own) * served(probe, best->hi, memory),
		.hi = (best->bytes - own) * served(probe, best->lo, memory),
		.source = CACHE_MEASURED,
	};
	facts->memory.latency = memory;
	/* If L3 serves almost every load, L3 may be larger, up to the next larger size that was
	 * measured. If L3 serves almost no load, this process may have no part of L3, or so small a
	 * part that latencies do not show it. */
	if (served(probe, best->latency, memory) > SERVED_MOST) {
		size->hi = best[1].bytes - own;
		size->bytes = sqrt(size->lo * size->hi);
	}
	if (served(probe, best->latency, memory) < SERVED_LEAST) {
		size->lo = 0;
		if (!(size->hi > 0))
			size->hi = SERVED_LEAST * (best->bytes - own);
		size->bytes = fmax(size->bytes, size->hi / 2);
	}
	/* If the measured range of L3's size contains the stated size, the stated size is used. */
	if (size->lo <= stated * AGREE && stated <= size->hi * AGREE)
		*size = (struct cache_size){ 0 };
}

/* Returns the spread of a sample (±, distance to the quartiles) as a share of its value. */
static double spread_of(const struct sample *sample)
{
	return (sample->cpe_hi - sample->cpe_lo) / 2 / sample->cpe;
}

/* Stores a measured number of cycles per line as a number of lines per cycle. Other programs change
 * the speed of L3 and memory from second to second. A value that is measured again, because a loop
 * differs from its prediction, becomes the mean of both measurements, and its spread contains both.
 */
static void put_lines(double *lines, double *spread, double cycles, const struct sample *sample)
{
	double before = *lines > 0 ? 1 / *lines : cycles, mean = (before + cycles) / 2;

	*lines = 1 / mean;
	*spread = fmax(spread_of(sample), fabs(before - cycles) / 2 / mean);
}

/* As put_lines(), for latencies. */
static void put_latency(struct memory_point *point, const struct memory_point *now)
{
	const struct memory_point before = point->latency > 0 ? *point : *now;

	if (!(now->latency > 0))
		return;
	*point = (struct memory_point){ .bytes = now->bytes,
		.latency = (before.latency + now->latency) / 2,
		.lo = fmin(before.latency, now->lo),
		.hi = fmax(before.latency, now->hi) };
}

/* Stores the measured bandwidth of reading memory in address order. On some cores, reading one
 * value of each line moves more lines. */
static void put_peak(struct memory_probe *probe, const struct sample *sample)
{
	double strided = memory_strided_cycles(&probe->facts);

	if (!isfinite(sample->gbps) || !(sample->ghz > 0))
		return;
	probe->peak = sample->gbps * sample->cpe / sample->cpe_lo;
	if (strided > 0)
		probe->peak = fmax(probe->peak, LINE * sample->ghz / strided);
	put_lines(&probe->facts.memory.lines, &probe->facts.spread.memory_lines,
		LINE * sample->ghz / sample->gbps, sample);
}

/* Stores the measured mean latency of loads in random order over `size` bytes. */
static void put_point(struct memory_probe *probe, const struct machine *machine, int step,
	double size, double l2, const struct sample *sample)
{
	probe->done |= 1u << step;
	put_latency(&probe->facts.point[step - POINT_FIRST],
		&(struct memory_point){ .bytes = size,
			.latency = behind(machine, sample->cpe, size, l2),
			.lo = behind(machine, sample->cpe_lo, size, l2),
			.hi = behind(machine, sample->cpe_hi, size, l2) });
}

static void put_pages(struct memory_facts *facts, int step, double cycles)
{
	struct memory_pages *walk = &facts->pages[(step - CHAINED_PAGES) % MEMORY_PAGES];

	walk->pages = (double)memory_step_pages(step);
	if (step < INDEPENDENT_PAGES)
		walk->chained = cycles;
	else
		walk->independent = cycles;
}

void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l2,
	const struct result *result)
{
	int step = probe->step;
	struct memory_facts *facts = &probe->facts;
	struct sample sample;
	double size, cycles;

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
	if (!sample.valid || sample.unsettled || !(sample.cpe_lo > 0)) {
		find_sizes(probe, machine);
		return;
	}
	size = (double)memory_step_size(machine, step);
	cycles = step < POINT_FIRST ? fastest(&result->trials, &sample) : sample.cpe;
	if (step == L3_LATENCY) {
		facts->l3_walk = cycles * L3_CHAINS;
		/* Several chains of loads return to a line sooner than a single chain, so other
		 * processes evict fewer lines in the meantime. */
		facts->l3.latency = behind(machine, facts->l3_walk, size, l2);
		facts->spread.l3_latency = spread_of(&sample);
	} else if (step == L2_LINES)
		facts->l2_lines = 1 / cycles;
	else if (step == L3_LINES) {
		/* Reads in address order read the whole working set before they read a line again.
		 * All lines that are read in address order therefore come from the measured level.
		 */
		put_lines(&facts->l3.lines, &facts->spread.l3_lines, cycles, &sample);
	} else if (step == SKIPPED)
		put_lines(&facts->skipped_lines, &facts->spread.skipped_lines, cycles, &sample);
	else if (step == PAST)
		put_lines(&facts->past_lines, &facts->spread.past_lines, cycles * LINE / PAST_WIDTH,
			&sample);
	else if (memory_step_is_stream(step)) {
		facts->stream[STREAM_FIRST - step].bytes = size;
		put_lines(&facts->stream[STREAM_FIRST - step].lines,
			&facts->spread.stream[STREAM_FIRST - step], cycles, &sample);
	} else if (memory_step_is_pages(step))
		put_pages(facts, step, sample.cpe);
	else if (memory_step_is_flushed(step))
		/* The two loads of an iteration wait at the same time. */
		put_latency(&facts->flushed[FLUSHED_FIRST - step],
			&(struct memory_point){ .bytes = size,
				.latency = sample.cpe,
				.lo = sample.cpe_lo,
				.hi = sample.cpe_hi });
	else if (step == PARALLEL) {
		facts->parallel = facts->memory.latency / sample.cpe_lo;
		facts->spread.parallel = spread_of(&sample);
	} else if (step == PEAK)
		put_peak(probe, &sample);
	else
		put_point(probe, machine, step, size, l2, &sample);
	facts->l3.known = facts->l3.latency > 0 && facts->l3.lines > 0;
	/* The measured bandwidth of L2 says nothing about L3 and memory, whose values may come from
	 * a probe. */
	if (step != L2_LINES)
		find_sizes(probe, machine);
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

/* Copies a level's latency, lines per cycle and their spread from the probe's report. */
static bool learn(struct memory_level *level, double *spread, const struct probe_report *report,
	const struct hierarchy_level *found)
{
	const struct probe_band *band = found ? band_of(report, found->name) : NULL;

	if (!band || !(found->cycles > 0))
		return false;
	*level = (struct memory_level){
		.known = true, .latency = found->cycles, .lines = band->lines[PROBE_READ]
	};
	*spread = spread_of(&band->point[PROBE_READ].sample);
	return true;
}

/* Copies the mean latencies of random loads from the probe's latency curve. */
static void learn_points(struct memory_probe *probe, const struct probe_report *report)
{
	const struct probe_curve *curve =
		&report->lines[report->lines[PAGES_HUGE].count > 0 ? PAGES_HUGE : PAGES_AUTO];
	const struct hierarchy_level *l2 = hierarchy_level(&report->hierarchy, LEVEL_CACHE, 2);

	for (int step = POINT_FIRST; l2 && step <= POINT_LAST; step++)
		for (int i = 0; i < curve->count; i++) {
			const struct probe_point *point = &curve->point[i];

			if (point->sample.valid &&
				fabs(log2(point->x / (double)memory_step_size(
							     report->machine, step))) < SAME_SIZE)
				put_point(probe, report->machine, step, point->x, l2->cycles,
					&point->sample);
		}
}

bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report)
{
	struct memory_facts *facts = &probe->facts;
	bool l3 = learn(&facts->l3, &facts->spread.l3_lines, report,
		hierarchy_level(&report->hierarchy, LEVEL_CACHE, 3));
	bool memory = learn(&facts->memory, &facts->spread.memory_lines, report,
		hierarchy_level(&report->hierarchy, LEVEL_MEMORY, 0));

	for (int i = 0; i < CACHE_LEVELS; i++) {
		const struct hierarchy_level *found =
			hierarchy_level(&report->hierarchy, LEVEL_CACHE, i + 1);

		if (found && isfinite(found->bytes) && found->bytes > 0 &&
			hierarchy_disagrees(found))
			facts->cache[i] = (struct cache_size){ found->bytes, found->bytes_lo,
				found->bytes_hi, CACHE_MEASURED, 0 };
	}
	if (memory) {
		const struct sample *sample = &band_of(report, "memory")->point[PROBE_READ].sample;

		probe->peak =
			isfinite(sample->gbps) ? sample->gbps * sample->cpe / sample->cpe_lo : 0;
	}
	if (probe->peak > 0)
		probe->done |= 1u << PEAK;
	if (l3)
		probe->done |= 1u << L3_LATENCY | 1u << L3_LINES;
	if (memory) {
		/* The probe's cache sizes and latency curve replace the memory probe's own
		 * measurements. */
		memset(facts->point, 0, sizeof(facts->point));
		learn_points(probe, report);
		probe->done |= (2u << POINT_LAST) - (1u << POINT_FIRST);
	}
	return l3 || memory;
}
