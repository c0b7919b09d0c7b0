/* Chooses the points that each stage of the probe measures. Latency curves grow in rounds. The
 * first round of a stage measures points over the whole range; later rounds add points near the
 * knees and repeat doubtful points. Within a round of measurements, the points are sorted by size,
 * because a working set grows or shrinks faster than it is laid out again. The parts for line size,
 * bandwidth, parallel chains and several cores need the cache levels that the latency curve shows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/probe/probe_state.h"

/* Later rounds of measurements add points to a curve only up to fine_most bytes. A working set of
 * more than fine_most bytes takes too long to lay out, and its knee moves from run to run. */
static const uint64_t fine_most = 64 << 20;

/* For a working set of more than far_from bytes, the caches take long to reach steady state. */
static const double far_from = 8 << 20;

/* TIGHT: if the upper and lower bound of a knee have a smaller ratio, the knee needs no more
 * points. SAME: two points of a curve count as one if their sizes have a smaller ratio. */
#define TIGHT 1.015
#define SAME  1.004

/* A knee at more than own_most times the size of the core's own caches belongs to a shared
 * cache. */
static const double own_most = 2;

/* A new point near a corner of the curve is useful only if the two sizes have a ratio below
 * CORNER_WIDEST. */
#define CORNER_WIDEST 1.3

/* Bytes between two accesses of the TLB curve. The loads of the TLB curve use one line per page,
 * and each line lies in another set of the first cache. */
enum { PAGE_STRIDE = PROBE_PAGE + 64 };

/* The fewest and the most pages of the TLB curve. PAGES_FEW is a number of pages that any
 * first-level TLB covers. PAGES_MANY is twice the largest second-level TLB today (4,096 entries),
 * which makes the last plateau visible. */
enum { PAGES_FEW = 8, PAGES_MANY = 8192 };

/* Fewest bytes of each core's working set when several cores measure together, unless the option
 * max_size or the memory limit is smaller. */
static const uint64_t each_most = 64 << 20;

/* Two orders of the points to measure (tasks) for qsort(). upward() sorts the points to measure by
 * the bytes of their working sets. downward() sorts the points larger than PROBE_CHEAP bytes from
 * large to small, then the other points from small to large. downward() is used after a round that
 * ended with the largest point, because a working set shrinks as fast as it grows. */
static int upward(const void *a, const void *b)
{
	const struct probe_task *x = a, *y = b;
	uint64_t bx = probe_task_bytes(x), by = probe_task_bytes(y);

	if (bx != by)
		return bx < by ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

static int downward(const void *a, const void *b)
{
	bool x_large = probe_task_bytes(a) > PROBE_CHEAP,
	     y_large = probe_task_bytes(b) > PROBE_CHEAP;

	if (x_large != y_large)
		return x_large ? -1 : 1;
	return x_large ? -upward(a, b) : upward(a, b);
}

/* ---- latency curves ---- */

static struct probe_curve *curve_of(struct probe *probe, const struct probe_stage *stage)
{
	return stage->part == PROBE_LATENCY ? &probe->report.lines[stage->pages]
					    : &probe->report.pages[stage->pages];
}

/* Returns whether the curve already has a point near x. */
static bool has_near(const struct probe_curve *curve, double x)
{
	for (int i = 0; i < curve->count; i++)
		if (x < curve->point[i].x * SAME && curve->point[i].x < x * SAME)
			return true;
	return false;
}

/* Adds a point of x bytes to the points to measure in this round. For a TLB curve, x is the memory
 * that the TLB must cover. */
static void add_at(struct probe *probe, const struct probe_stage *stage, double x, bool fine)
{
	bool pages = stage->part == PROBE_TLB;
	struct probe_curve *curve = curve_of(probe, stage);
	long long unit = pages ? PROBE_PAGE : 64, stride = pages ? PAGE_STRIDE : 64,
		  count = (long long)(x / (double)unit + 0.5);

	if (pages || !fine || (x <= (double)fine_most && !has_near(curve, x)))
		probe_add(probe, stage->pages,
			(struct probe_task){
				.curve = curve, .x = (double)(count * unit), .fine = fine },
			"latency size=%lld stride=%lld order=random", count * stride, stride);
}

/* Adds to the points to measure points that divide a range of sizes into `parts` equal parts on a
 * logarithmic scale. */
static void divide(
	struct probe *probe, const struct probe_stage *stage, double from, double to, int parts)
{
	for (int i = 1; i < parts; i++)
		add_at(probe, stage, from * pow(to / from, (double)i / parts), true);
}

/* Adds points to measure near each knee of the curve that begins at `most` bytes or less. A gradual
 * knee gets additional points only once, because it has no exact position on the curve. */
static void refine(struct probe *probe, const struct probe_stage *stage,
	const struct plateaus *plateaus, int round, double most)
{
	for (int i = 0; i + 1 < plateaus->count; i++) {
		const struct plateau_knee *knee = &plateaus->knee[i];
		double from = fmin(knee->lo, knee->corner), to = knee->hi;

		if (!(from > 0) || !(to > from) || from > most)
			continue;
		if (knee->gradual) {
			if (round == 1)
				divide(probe, stage, from, to, 8);
		} else if (round == 1) {
			divide(probe, stage, from, to, 6);
		} else if (knee->hi / knee->lo > TIGHT) {
			divide(probe, stage, knee->lo, knee->hi, 4);
		}
	}
}

/* The number of pages at which the first page misses the TLB shows the number of TLB entries. Adds
 * points to measure from each corner of the TLB curve up to the knee, page by page or in eight
 * steps. */
static void refine_corners(
	struct probe *probe, const struct probe_stage *stage, const struct plateaus *plateaus)
{
	for (int i = 0; i + 1 < plateaus->count; i++) {
		double from = plateaus->knee[i].corner / PROBE_PAGE,
		       to = plateaus->knee[i].lo / PROBE_PAGE, step = fmax(1, (to - from) / 8);

		for (double pages = from + step; pages < to && to < from * CORNER_WIDEST;
			pages += step)
			add_at(probe, stage, pages * PROBE_PAGE, true);
	}
}

/* Clears the knee at which the accessed lines fill the first cache, because this knee does not show
 * a TLB size. */
static void ignore_caches(const struct probe *probe, struct plateaus *plateaus)
{
	const struct hierarchy_level *first =
		hierarchy_level(&probe->report.hierarchy, LEVEL_CACHE, 1);
	double bytes = first ? first->bytes : (double)machine_cache(probe->report.machine, 1);

	for (int i = 0; i + 1 < plateaus->count; i++)
		if (bytes > 0 &&
			fabs(log2(plateaus->knee[i].bytes / PROBE_PAGE * 64 / bytes)) < 0.5)
			plateaus->knee[i].lo = plateaus->knee[i].hi = plateaus->knee[i].corner = 0;
}

/* Returns n: the first round of measurements covers every n-th point of the curve. Large working
 * sets take long to measure, so n is larger for large sizes. For the curve with the second kind of
 * pages, n (only every n-th point is measured) is largest. */
static int spread(const struct probe *probe, enum page_kind pages, double size)
{
	bool last =
		size * 2 >
		(double)probe->report.options
			.max_size; /* memory's latency is measured at sizes above max_size / 2 */

	if (size <= far_from || probe->octave < 4)
		return 1;
	return (pages == probe_best_pages(probe) ? 2 : 4) / (last ? 2 : 1);
}

static void fill_latency(struct probe *probe, const struct probe_stage *stage, int round)
{
	const struct probe_report *report = &probe->report;
	double most = (double)report->options.max_size, size;

	if (round == 0) {
		for (int i = 0;
			(size = PROBE_SMALLEST * exp2((double)i / probe->octave)) < most * 0.999;
			i++)
			if (i % spread(probe, stage->pages, size) == 0)
				add_at(probe, stage, size, false);
		add_at(probe, stage, most, false);
	} else if (round < probe->rounds) {
		/* Knees of shared caches get more points only once, because fill_share() measures
		 * this process's share of the cache. */
		refine(probe, stage, &report->hierarchy.lines[stage->pages], round,
			round == 1 && stage->pages == probe_best_pages(probe)
				? (double)fine_most
				: own_most * (double)machine_own_caches(report->machine));
		probe_again(probe, curve_of(probe, stage), round == 1 && !probe_late(probe));
	}
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]),
		round == 1 ? downward : upward);
}

static void fill_tlb(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct plateaus plateaus = probe->report.hierarchy.pages[stage->pages];
	double most = fmin(PAGES_MANY, (double)(probe->report.options.max_size / PAGE_STRIDE));

	if (round == 0) {
		for (int i = 0; PAGES_FEW * exp2((double)i / probe->octave) <= most; i++)
			add_at(probe, stage,
				PROBE_PAGE * PAGES_FEW * exp2((double)i / probe->octave), false);
	} else if (round < probe->rounds) {
		ignore_caches(probe, &plateaus);
		refine(probe, stage, &plateaus, round, INFINITY);
		if (round > 1)
			refine_corners(probe, stage, &plateaus);
		probe_again(probe, curve_of(probe, stage), false);
	}
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]), upward);
}

/* Returns the bytes of a working set that fits a cache of `bytes` bytes, but not the previous cache
 * of `before` bytes. For the first cache level, `before` (the size of the previous cache) is 0. */
static uint64_t inside(double before, double bytes)
{
	double size = before > 0 ? sqrt(before * bytes) : bytes / 2;

	return (uint64_t)(size / PROBE_PAGE) * PROBE_PAGE;
}

/* ---- the line size ---- */

static void fill_line(struct probe *probe, const struct probe_stage *stage, int round)
{
	static const int distances[] = { 16, 32, 48, 64, 96, 128, 192, 256, 512 };
	struct probe_report *report = &probe->report;
	const struct hierarchy_level *first = hierarchy_level(&report->hierarchy, LEVEL_CACHE, 1);
	const struct hierarchy_level *second = hierarchy_level(&report->hierarchy, LEVEL_CACHE, 2);
	uint64_t size = first && second ? inside(first->bytes, second->bytes) : 256 << 10;

	for (size_t i = 0; round == 0 && i < sizeof(distances) / sizeof(*distances); i++)
		probe_add(probe, stage->pages,
			(struct probe_task){ .curve = &report->pairs, .x = distances[i] },
			"latency size=%llu stride=%d order=pairs", (unsigned long long)size,
			distances[i]);
	if (round > 0 && round < 3 && round < probe->rounds)
		probe_again(probe, &report->pairs, false);
}

/* ---- bandwidth of each level ---- */

static void add_band(struct probe *probe, enum page_kind pages, const char *level, uint64_t size)
{
	static const char *const operations[PROBE_OPERATIONS] = { "frd", "fwr", "fcp" };
	struct probe_report *report = &probe->report;
	struct probe_band *band = &report->band[report->band_count];
	int before = probe->task_count;

	if (report->band_count == PROBE_BANDS || !kernel_find("bandwidth"))
		return;
	*band = (struct probe_band){ .size = size, .lines = { NAN, NAN, NAN } };
	snprintf(band->level, sizeof(band->level), "%s", level);
	for (int i = 0; i < PROBE_OPERATIONS; i++)
		if (!probe_add(probe, pages,
			    (struct probe_task){
				    .band = report->band_count, .operation = i, .x = (double)size },
			    "bandwidth size=%llu op=%s", (unsigned long long)size, operations[i])) {
			probe->task_count = before;
			notes_add(&probe->report.notes,
				"bandwidth: %s is too small to hold a working set", level);
			return;
		}
	report->band_count++;
	for (int i = before; i < probe->task_count; i++)
		band->point[i - before] = (struct probe_point){ .setting = probe->tasks[i].setting,
			.x = probe->tasks[i].x };
}

/* Adds a bandwidth measurement for each level found by the latency curve. The working set of each
 * bandwidth measurement lies well inside its cache level. */
static void add_found(struct probe *probe, enum page_kind pages)
{
	const struct hierarchy *hierarchy = &probe->report.hierarchy;
	double before = 0;

	for (int number = 1; number < LEVELS_MAX; number++) {
		const struct hierarchy_level *level =
			hierarchy_level(hierarchy, LEVEL_CACHE, number);

		if (!level || !(level->bytes > before))
			continue;
		/* If the cache's size is not stable, use its lower bound. */
		add_band(probe, pages, level->name,
			inside(before, level->unstable ? fmax(level->bytes_lo, 2 * before)
						       : level->bytes));
		before = level->bytes;
	}
	if (hierarchy_level(hierarchy, LEVEL_MEMORY, 0))
		add_band(probe, pages, "memory", probe->report.options.max_size);
}

/* Adds a bandwidth measurement for each cache that the system reports, if the probe did not measure
 * latency. */
static void add_stated(struct probe *probe, enum page_kind pages)
{
	const struct machine *machine = probe->report.machine;
	uint64_t before = 0, most = probe->report.options.max_size;

	for (int i = 0; i < machine->cache_count; i++) {
		const struct machine_cache *cache = &machine->cache[i];
		uint64_t size = inside((double)before, (double)cache->bytes);
		char name[16];

		snprintf(name, sizeof(name), cache->level == 1 ? "L1d" : "L%d", cache->level);
		if (cache->bytes > before && size <= most)
			add_band(probe, pages, name, size);
		before = cache->bytes;
	}
	if (before < most)
		add_band(probe, pages, "memory", most);
	notes_add(&probe->report.notes, "bandwidth: the cache sizes are those that the system "
					"states, because latency was not measured");
}

static void fill_bandwidth(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;

	if (round == 0) {
		report->band_count = 0;
		(report->hierarchy.level_count ? add_found : add_stated)(probe, stage->pages);
	}
	if (round == 0 || round >= 3 || round >= probe->rounds)
		return;
	for (int i = 0; i < report->band_count * PROBE_OPERATIONS; i++) {
		const struct probe_point *point =
			&report->band[i / PROBE_OPERATIONS].point[i % PROBE_OPERATIONS];
		struct probe_task task = { .band = i / PROBE_OPERATIONS,
			.operation = i % PROBE_OPERATIONS,
			.setting = point->setting,
			.x = point->x };

		if (probe_task_bytes(&task) <= PROBE_CHEAP &&
			(round == 1 || sample_doubt(&point->sample)))
			probe_add_task(probe, &task);
	}
}

/* ---- parallel chains, and several cores ---- */

static void fill_parallel(struct probe *probe, const struct probe_stage *stage, int round)
{
	static const int chains[] = { 1, 2, 4, 8, 16, 24, 32 };

	for (size_t i = 0; round == 0 && i < sizeof(chains) / sizeof(*chains); i++)
		probe_add(probe, stage->pages,
			(struct probe_task){ .curve = &probe->report.parallel, .x = chains[i] },
			"latency size=%llu order=random chains=%d",
			(unsigned long long)probe_parallel_bytes(probe), chains[i]);
}

/* Returns the bytes of each core's working set if `count` cores measure together. The working set
 * exceeds the caches, as far as max_size and the memory limit allow. */
static int64_t each_of(const struct probe *probe, int count)
{
	const struct probe_report *report = &probe->report;
	uint64_t beyond = probe_parallel_bytes(probe),
		 most = beyond > each_most ? beyond : each_most;
	uint64_t bytes = report->options.max_size < most ? report->options.max_size : most;

	if (report->machine->memory_limit &&
		bytes > report->machine->memory_limit / (uint64_t)count)
		bytes = report->machine->memory_limit / (uint64_t)count;
	return (int64_t)(bytes / PROBE_PAGE * PROBE_PAGE);
}

/* Returns the next number of cores to measure: 1, 2, 4, … and finally `most`. */
static int next_count(int count, int most)
{
	return count < most && 2 * count > most ? most : 2 * count;
}

static void fill_cores(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	int most = report->machine->processors;
	long long size = each_of(probe, most);

	if (round > 0)
		return;
	for (int cores = 1; cores <= most; cores = next_count(cores, most))
		probe_add(probe, stage->pages,
			(struct probe_task){ .curve = &report->cores, .x = cores },
			"bandwidth size=%lld op=frd cores=%d", size, cores);
	for (int streams = 0; streams < most; streams = streams ? next_count(streams, most - 1) : 1)
		probe_add(probe, stage->pages,
			(struct probe_task){ .curve = &report->loaded, .x = streams },
			"latency size=%lld order=random streams=%d", size, streams);
}

void probe_fill(struct probe *probe, const struct probe_stage *stage, int round)
{
	static void (*const fills[PROBE_PARTS])(struct probe *, const struct probe_stage *, int) = {
		fill_latency, fill_tlb, fill_line, fill_bandwidth, fill_parallel, fill_cores, NULL
	};

	probe->task_count = probe->tasks_done = 0;
	(stage->share ? probe_fill_share : fills[stage->part])(probe, stage, round);
}
