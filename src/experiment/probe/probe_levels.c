/* The points that need the levels found before: the line size, the bandwidth of each level, and in
 * memory chains at once and several cores. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/probe/probe_state.h"

/* The working set of chains at once, bytes. */
#define PARALLEL_LEAST (32.0 * (1 << 20))
#define PARALLEL_MOST  (128.0 * (1 << 20))

/* And of each core, where several cores measure at once. */
static const uint64_t each_most = 64 << 20;

/* Well inside a level of so many bytes, of which the level before holds `before`; 0: it is the
 * first. */
static uint64_t inside(double before, double bytes)
{
	double size = before > 0 ? sqrt(before * bytes) : bytes / 2;

	return (uint64_t)(size / PROBE_PAGE) * PROBE_PAGE;
}

/* ---- the line size ---- */

void probe_fill_line(struct probe *probe, const struct probe_stage *stage, int round)
{
	static const int distances[] = { 16, 32, 48, 64, 96, 128, 192, 256, 512 };
	struct probe_report *report = &probe->report;
	const struct hierarchy_level *first = hierarchy_cache(&report->hierarchy, 1);
	const struct hierarchy_level *second = hierarchy_cache(&report->hierarchy, 2);
	uint64_t size = first && second ? inside(first->bytes, second->bytes) : 256 << 10;

	if (round == 0) {
		for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
			struct setting setting;

			if (probe_latency(
				    &setting, stage->pages, (int64_t)size, distances[i], "pairs"))
				probe_add_point(
					probe, &report->pairs, &setting, distances[i], false);
		}
	} else if (round < 3 && round < probe->rounds) {
		probe_look_again(probe, &report->pairs, false);
	}
	report->pairs.wanted = report->pairs.count + probe->task_count;
}

/* ---- bandwidth of each level ---- */

/* The widest accesses of this processor: the last choice that the kernel allows. */
static void widen(struct setting *setting)
{
	int knob = kernel_knob(setting->kernel, "width");
	int64_t before = knob >= 0 ? setting->v[knob] : 0, width = 0;

	if (knob < 0)
		return;
	while (setting->kernel->knobs[knob].choices[width + 1])
		width++;
	for (; width >= 0; width--) {
		setting->v[knob] = width;
		if (probe_allowed(setting))
			return;
	}
	setting->v[knob] = before;
}

static void add_band(struct probe *probe, enum page_kind pages, const char *level, uint64_t size)
{
	static const char *const operations[PROBE_OPERATIONS] = { "frd", "fwr", "fcp" };
	struct probe_report *report = &probe->report;
	struct probe_band *band = &report->band[report->band_count];
	struct setting least;

	if (report->band_count == PROBE_BANDS || !probe_start(&least, "bandwidth", pages))
		return;
	probe_set(&least, "size", (int64_t)size);
	if (!probe_allowed(&least)) {
		probe_note(probe, "bandwidth: %s is too small for a working set well inside it",
			level);
		return;
	}
	memset(band, 0, sizeof(*band));
	snprintf(band->level, sizeof(band->level), "%s", level);
	band->size = size;
	for (int i = 0; i < PROBE_OPERATIONS; i++) {
		struct probe_task task = {
			.band = report->band_count, .operation = i, .x = (double)size
		};

		band->lines[i] = NAN;
		probe_start(&task.setting, "bandwidth", pages);
		probe_set(&task.setting, "size", (int64_t)size);
		probe_choose(&task.setting, "op", operations[i]);
		widen(&task.setting);
		band->point[i] = (struct probe_point){ .setting = task.setting, .x = task.x };
		probe_add_task(probe, &task);
	}
	report->band_count++;
}

/* A working set well inside each level that was found. */
static void add_found(struct probe *probe, enum page_kind pages)
{
	const struct hierarchy *hierarchy = &probe->report.hierarchy;
	double before = 0;

	for (int number = 1; number < LEVELS_MAX; number++) {
		const struct hierarchy_level *level = hierarchy_cache(hierarchy, number);

		if (!level || !(level->bytes > before))
			continue;
		/* Of a cache without a stable size, the part that is certain. */
		add_band(probe, pages, level->name,
			inside(before, level->unstable ? fmax(level->bytes_lo, 2 * before)
						       : level->bytes));
		before = level->bytes;
	}
	if (hierarchy_memory(hierarchy))
		add_band(probe, pages, "memory", probe->report.options.max_size);
}

/* Where latency was not measured: well inside each cache that the system reports. */
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
	probe_note(probe, "bandwidth: of the caches as the system states them, since latency was "
			  "not measured");
}

void probe_fill_bandwidth(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;

	if (round == 0) {
		report->band_count = 0;
		if (report->hierarchy.level_count)
			add_found(probe, stage->pages);
		else
			add_stated(probe, stage->pages);
	} else if (round < 3 && round < probe->rounds) {
		for (int i = 0; i < report->band_count * PROBE_OPERATIONS; i++) {
			struct probe_task task = { .band = i / PROBE_OPERATIONS,
				.operation = i % PROBE_OPERATIONS };
			const struct probe_point *point =
				&report->band[task.band].point[task.operation];
			const struct sample *sample = &point->sample;

			task.setting = point->setting;
			task.x = point->x;
			if (probe_task_bytes(&task) <= PROBE_CHEAP &&
				(round == 1 || sample_doubt(sample)))
				probe_add_task(probe, &task);
		}
	}
}

/* ---- chains at once, and several cores ---- */

uint64_t probe_parallel_bytes(const struct probe *probe)
{
	const struct probe_report *report = &probe->report;
	double beyond = (double)machine_last_cache(report->machine);

	for (int i = 0; i < report->hierarchy.level_count; i++)
		if (report->hierarchy.level[i].kind == LEVEL_CACHE)
			beyond = report->hierarchy.level[i].unstable
					 ? report->hierarchy.level[i].bytes_hi
					 : report->hierarchy.level[i].bytes;
	beyond = fmin(fmax(2 * beyond, PARALLEL_LEAST), PARALLEL_MOST);
	return (uint64_t)fmin(beyond, (double)probe->report.options.max_size) / PROBE_PAGE *
	       PROBE_PAGE;
}

void probe_fill_parallel(struct probe *probe, const struct probe_stage *stage, int round)
{
	static const int chains[] = { 1, 2, 4, 8, 16, 24, 32 };
	struct probe_report *report = &probe->report;
	uint64_t size = probe_parallel_bytes(probe);

	for (size_t i = 0; round == 0 && i < sizeof(chains) / sizeof(*chains); i++) {
		struct setting setting;

		if (probe_latency(&setting, stage->pages, (int64_t)size, 64, "random") &&
			probe_set(&setting, "chains", chains[i]))
			probe_add_point(probe, &report->parallel, &setting, chains[i], false);
	}
	report->parallel.wanted = report->parallel.count + probe->task_count;
}

/* Bytes for each of so many cores: beyond the caches, as for chains at once. */
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

/* A point with so many cores or streams. */
static void add_asking(struct probe *probe, struct probe_curve *curve, struct setting *setting,
	enum knob_asks asks, int count)
{
	int knob = kernel_asking(setting->kernel, asks);

	if (knob < 0)
		return;
	setting->v[knob] = count;
	probe_add_point(probe, curve, setting, count, false);
}

void probe_fill_cores(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	int most = report->machine->processors;
	int64_t size = each_of(probe, most);
	struct setting setting;

	if (round > 0)
		return;
	/* 1, 2, 4, … and all. */
	for (int cores = 1; cores <= most;
		cores = cores < most && 2 * cores > most ? most : 2 * cores)
		if (probe_start(&setting, "bandwidth", stage->pages) &&
			probe_set(&setting, "size", size) && probe_choose(&setting, "op", "frd")) {
			widen(&setting);
			add_asking(probe, &report->cores, &setting, ASKS_CORES, cores);
		}
	for (int streams = 0; streams < most;
		streams = streams == 0					 ? 1
			  : streams < most - 1 && 2 * streams > most - 1 ? most - 1
									 : 2 * streams)
		if (probe_latency(&setting, stage->pages, size, 64, "random"))
			add_asking(probe, &report->loaded, &setting, ASKS_STREAMS, streams);
	report->cores.wanted = report->cores.count + probe->task_count;
}
