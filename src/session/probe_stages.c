/* The points of each part: rounds of tasks, the first over the whole range, later ones where the curve bends and where a point is in
 * doubt. Within a round working sets grow, so that what is laid out for one serves the next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/place.h"
#include "session/probe_state.h"

/* Seconds of a visit: in the core's own caches; beyond them, where single accesses take as long as a hundred there; and where besides the
 * trials of one visit go over a small part of the working set only. */
#define VISIT_NEAR 0.0028
#define VISIT_MIDDLE 0.005
#define VISIT_FAR 0.008

/* Working sets up to this are laid out anew in no time. */
static const uint64_t cheap_most = 8 << 20;

/* Knees are looked at closely up to here: laying out more for each round takes too long for what may move from run to run anyway. */
static const uint64_t fine_most = 64 << 20;

/* A knee's range is tight, and two points are the same. */
#define TIGHT 1.015
#define SAME 1.004

/* A page and a line: one line a page, each in another set of the first cache. */
enum { PAGE = 4096, PAGE_STRIDE = PAGE + 64 };

/* Pages of the curve over pages: from far below any first-level TLB to beyond the second level of today's cores. */
enum { PAGES_FEW = 8, PAGES_MANY = 4096 };

/* The working set of chains at once, bytes. */
#define PARALLEL_LEAST (32.0 * (1 << 20))
#define PARALLEL_MOST (128.0 * (1 << 20))

double probe_visit_seconds(const struct probe *probe, uint64_t bytes)
{
	return probe->scale * (bytes <= 1 << 20 ? VISIT_NEAR : bytes <= cheap_most ? VISIT_MIDDLE : VISIT_FAR);
}

/* ---- tasks ---- */

static void add_task(struct probe *probe, const struct probe_task *task)
{
	if (probe->task_count < PROBE_TASKS)
		probe->tasks[probe->task_count++] = *task;
}

static uint64_t task_bytes(const struct probe_task *task)
{
	return task->setting.kernel->footprint(task->setting.v);
}

static int by_size(const void *a, const void *b)
{
	const struct probe_task *x = a, *y = b;
	uint64_t bx = task_bytes(x), by = task_bytes(y);

	if (bx != by)
		return bx < by ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

static void sort_tasks(struct probe *probe)
{
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]), by_size);
}

/* After a round that ended with the largest working set: from there down first, since taking back what was laid out last is as quick as
 * laying it out was; then the small ones, upward again. */
static int from_the_top(const void *a, const void *b)
{
	bool x_large = task_bytes(a) > cheap_most, y_large = task_bytes(b) > cheap_most;

	if (x_large != y_large)
		return x_large ? -1 : 1;
	return x_large ? -by_size(a, b) : by_size(a, b);
}

void probe_drop_larger(struct probe *probe, uint64_t bytes)
{
	int kept = probe->task + 1;

	for (int i = kept; i < probe->task_count; i++)
		if (task_bytes(&probe->tasks[i]) < bytes)
			probe->tasks[kept++] = probe->tasks[i];
	probe->task_count = kept < probe->task_count ? kept : probe->task_count;
}

/* ---- settings ---- */

/* One knob by name; of a choice the value is its name. False when the kernel has no such knob or choice. */
static bool set(struct setting *setting, const char *name, int64_t value)
{
	int knob = kernel_knob(setting->kernel, name);

	if (knob >= 0)
		setting->v[knob] = value;
	return knob >= 0;
}

static bool choose(struct setting *setting, const char *name, const char *choice)
{
	int knob = kernel_knob(setting->kernel, name);
	const char *const *choices = knob >= 0 ? setting->kernel->knobs[knob].choices : NULL;

	for (int i = 0; choices && choices[i]; i++)
		if (strcmp(choices[i], choice) == 0) {
			setting->v[knob] = i;
			return true;
		}
	return false;
}

/* A kernel at its initial setting with these pages. False: there is no such kernel. */
static bool start(struct setting *setting, const char *kernel, enum page_kind pages)
{
	int knob;

	setting->kernel = kernel_find(kernel);
	if (!setting->kernel)
		return false;
	setting_init(setting, setting->kernel);
	knob = kernel_asking(setting->kernel, ASKS_PAGES);
	if (knob >= 0)
		setting->v[knob] = pages;
	return true;
}

/* Whether its kernel allows the setting, within the knobs' ranges. */
static bool allowed(const struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;
	struct status status;

	for (int i = 0; i < kernel->knob_count; i++)
		if (kernel->knobs[i].kind != KNOB_CHOICE &&
			(setting->v[i] < kernel->knobs[i].min || setting->v[i] > kernel->knobs[i].max))
			return false;
	if (!kernel->check)
		return true;
	status = kernel->check(setting->v);
	return status_is_ok(&status);
}

/* Adds a point at x to a curve, unless one is there already or is wanted in this round. */
static void add_point(struct probe *probe, struct probe_curve *curve, const struct setting *setting, double x, bool fine)
{
	struct probe_task task = { .curve = curve, .setting = *setting, .x = x, .fine = fine };

	for (int i = 0; i < curve->count; i++)
		if (setting_equal(&curve->point[i].setting, setting))
			return;
	for (int i = 0; i < probe->task_count; i++)
		if (probe->tasks[i].curve == curve && setting_equal(&probe->tasks[i].setting, setting))
			return;
	if (curve->count + probe->task_count < PROBE_POINTS && allowed(setting))
		add_task(probe, &task);
}

/* Visits again every point of a curve, or (not all) what is in doubt and laid out quickly. */
static void look_again(struct probe *probe, struct probe_curve *curve, bool all)
{
	for (int i = 0; i < curve->count; i++) {
		const struct probe_point *point = &curve->point[i];
		const struct sample *sample = &point->sample;
		const struct cell *cell = cells_get(probe->cells, &point->setting, false);
		struct probe_task task = { .curve = curve, .setting = point->setting, .x = point->x, .fine = point->fine };

		if (!cell || !status_is_ok(&cell->failure))
			continue;
		if (all || (task_bytes(&task) <= cheap_most && (!sample->valid || sample->contended || sample->provisional)))
			add_task(probe, &task);
	}
}

/* ---- where a curve bends ---- */

/* Points that divide a range evenly on a logarithmic scale, in so many parts. */
static void divide(double from, double to, int parts, void (*add)(void *context, double x), void *context)
{
	for (int i = 1; i < parts; i++)
		add(context, from * pow(to / from, (double)i / parts));
}

struct adding {
	struct probe *probe;
	struct probe_curve *curve;
	enum page_kind pages;
};

/* Whether the curve has a point so near that another would say the same. */
static bool has_near(const struct probe_curve *curve, double x)
{
	for (int i = 0; i < curve->count; i++)
		if (x < curve->point[i].x * SAME && curve->point[i].x < x * SAME)
			return true;
	return false;
}

static void add_lines(void *context, double x, bool fine)
{
	struct adding *adding = context;
	struct setting setting;
	int64_t size = (int64_t)(x / 64 + 0.5) * 64;

	if (start(&setting, "latency", adding->pages) && set(&setting, "size", size) && set(&setting, "stride", 64) &&
		choose(&setting, "order", "random"))
		add_point(adding->probe, adding->curve, &setting, (double)size, fine);
}

static void add_fine_lines(void *context, double x)
{
	struct adding *adding = context;

	if (x <= (double)fine_most && !has_near(adding->curve, x))
		add_lines(context, x, true);
}

/* One line a page: the curve's x is what the TLB has to reach. */
static void add_pages(void *context, double pages, bool fine)
{
	struct adding *adding = context;
	struct setting setting;
	int64_t count = (int64_t)(pages + 0.5);

	if (start(&setting, "latency", adding->pages) && set(&setting, "stride", PAGE_STRIDE) &&
		set(&setting, "size", count * PAGE_STRIDE) && choose(&setting, "order", "random"))
		add_point(adding->probe, adding->curve, &setting, (double)(count * PAGE), fine);
}

static void add_fine_pages(void *context, double x)
{
	add_pages(context, x / PAGE, true);
}

/* Closer points about the knees of a curve; few of those that climb slowly, since no point is theirs. */
static void refine(struct adding *adding, const struct plateaus *plateaus, int round, void (*add)(void *, double))
{
	for (int i = 0; i + 1 < plateaus->count; i++) {
		const struct knee *knee = &plateaus->knee[i];
		double from = fmin(knee->lo, knee->corner), to = knee->hi;

		if (!(from > 0) || !(to > from))
			continue;
		if (knee->gradual) {
			if (round == 1)
				divide(from, to, 8, add, adding);
		} else if (round == 1) {
			divide(from, to, 6, add, adding);
		} else if (knee->hi / knee->lo > TIGHT) {
			divide(knee->lo, knee->hi, 4, add, adding);
		}
	}
}

/* ---- parts ---- */

static uint64_t most_bytes(const struct probe *probe)
{
	return probe->report.options.max_size;
}

void probe_fill_latency(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	struct adding adding = { probe, &report->lines[stage->pages], stage->pages };
	double most = (double)most_bytes(probe);

	if (round == 0) {
		for (int i = 0; PROBE_SMALLEST * exp2((double)i / probe->octave) < most * 0.999; i++)
			add_lines(&adding, PROBE_SMALLEST * exp2((double)i / probe->octave), false);
		add_lines(&adding, most, false);
	} else if (round < probe->rounds) {
		refine(&adding, &report->hierarchy.lines[stage->pages], round, add_fine_lines);
		look_again(probe, adding.curve, round == 1);
	}
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]), round == 1 ? from_the_top : by_size);
	adding.curve->wanted = adding.curve->count + probe->task_count;
}

void probe_fill_tlb(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	struct adding adding = { probe, &report->pages[stage->pages], stage->pages };
	const struct plateaus *plateaus = &report->hierarchy.pages[stage->pages];
	double most = fmin(PAGES_MANY, (double)(most_bytes(probe) / PAGE_STRIDE));

	if (round == 0) {
		for (int i = 0; PAGES_FEW * exp2((double)i / probe->octave) <= most; i++)
			add_pages(&adding, PAGES_FEW * exp2((double)i / probe->octave), false);
	} else if (round < probe->rounds) {
		refine(&adding, plateaus, round, add_fine_pages);
		look_again(probe, adding.curve, false);
	}
	sort_tasks(probe);
	adding.curve->wanted = adding.curve->count + probe->task_count;
}

/* What a level found holds, and what the one before it holds: sizes between are well inside it. */
static uint64_t inside(double before, double bytes)
{
	double size = before > 0 ? sqrt(before * bytes) : bytes / 2;

	return (uint64_t)(size / PAGE) * PAGE;
}

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

			if (start(&setting, "latency", stage->pages) && set(&setting, "size", (int64_t)size) &&
				set(&setting, "stride", distances[i]) && choose(&setting, "order", "pairs"))
				add_point(probe, &report->pairs, &setting, distances[i], false);
		}
	} else if (round < 3 && round < probe->rounds) {
		look_again(probe, &report->pairs, false);
	}
	report->pairs.wanted = report->pairs.count + probe->task_count;
}

/* The widest accesses that this processor has; a kernel's widths ascend. */
static void widen(struct setting *setting)
{
	int knob = kernel_knob(setting->kernel, "width"), widest = 0;
	const char *const *choices = knob >= 0 ? setting->kernel->knobs[knob].choices : NULL;
	int64_t before = choices ? setting->v[knob] : 0;

	while (choices && choices[widest])
		widest++;
	while (widest-- > 0) {
		setting->v[knob] = widest;
		if (allowed(setting))
			return;
	}
	if (choices)
		setting->v[knob] = before;
}

static void add_band(struct probe *probe, enum page_kind pages, const char *level, uint64_t size)
{
	static const char *const operations[PROBE_OPERATIONS] = { "frd", "fwr", "fcp" };
	struct probe_report *report = &probe->report;
	struct probe_band *band = &report->band[report->band_count];

	if (report->band_count == PROBE_BANDS || !kernel_find("bandwidth"))
		return;
	memset(band, 0, sizeof(*band));
	snprintf(band->level, sizeof(band->level), "%s", level);
	band->size = size;
	for (int i = 0; i < PROBE_OPERATIONS; i++) {
		struct probe_task task = { .band = report->band_count, .operation = i, .x = (double)size };

		band->lines[i] = NAN;
		start(&task.setting, "bandwidth", pages);
		set(&task.setting, "size", (int64_t)size);
		choose(&task.setting, "op", operations[i]);
		widen(&task.setting);
		band->point[i] = (struct probe_point){ .setting = task.setting, .x = task.x };
		add_task(probe, &task);
	}
	report->band_count++;
}

/* A working set well inside each level that was found. */
static void add_bands(struct probe *probe, enum page_kind pages)
{
	const struct hierarchy *hierarchy = &probe->report.hierarchy;
	double before = 0;

	for (int number = 1; number < LEVELS_MAX; number++) {
		const struct hierarchy_level *level = hierarchy_cache(hierarchy, number);

		if (!level || !(level->bytes > before))
			continue;
		/* Of one without an honest size what holds for sure. */
		add_band(probe, pages, level->name, inside(before, level->unstable ? level->bytes_lo : level->bytes));
		before = level->bytes;
	}
	if (hierarchy_memory(hierarchy))
		add_band(probe, pages, "memory", most_bytes(probe));
}

void probe_fill_bandwidth(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;

	if (round == 0) {
		report->band_count = 0;
		add_bands(probe, stage->pages);
	} else if (round < 3 && round < probe->rounds) {
		for (int i = 0; i < report->band_count * PROBE_OPERATIONS; i++) {
			struct probe_task task = { .band = i / PROBE_OPERATIONS, .operation = i % PROBE_OPERATIONS };
			const struct probe_point *point = &report->band[task.band].point[task.operation];
			const struct sample *sample = &point->sample;

			task.setting = point->setting;
			task.x = point->x;
			if (task_bytes(&task) <= cheap_most && (round == 1 || sample->contended || sample->provisional))
				add_task(probe, &task);
		}
	}
}

/* Beyond the caches that were found, or else that the system states, and yet no larger than it must be: each number of chains has cycles of
 * its own, which have to be laid out. */
uint64_t probe_parallel_bytes(const struct probe *probe)
{
	const struct probe_report *report = &probe->report;
	double beyond = (double)machine_last_cache(report->machine);

	for (int i = 0; i < report->hierarchy.level_count; i++)
		if (report->hierarchy.level[i].kind == LEVEL_CACHE)
			beyond = report->hierarchy.level[i].bytes;
	beyond = fmin(fmax(2 * beyond, PARALLEL_LEAST), PARALLEL_MOST);
	return (uint64_t)fmin(beyond, (double)most_bytes(probe)) / PAGE * PAGE;
}

void probe_fill_parallel(struct probe *probe, const struct probe_stage *stage, int round)
{
	static const int chains[] = { 1, 2, 4, 8, 16, 24, 32 };
	struct probe_report *report = &probe->report;
	uint64_t size = probe_parallel_bytes(probe);

	for (size_t i = 0; round == 0 && i < sizeof(chains) / sizeof(*chains); i++) {
		struct setting setting;

		if (start(&setting, "latency", stage->pages) && set(&setting, "size", (int64_t)size) &&
			set(&setting, "stride", 64) && choose(&setting, "order", "random") && set(&setting, "chains", chains[i]))
			add_point(probe, &report->parallel, &setting, chains[i], false);
	}
	report->parallel.wanted = report->parallel.count + probe->task_count;
}

/* Working sets of several cores that together, beside `taken`, stay within the machine's means; but what is called memory is no smaller than
 * a stream: where there is not so much, it is refused in its place, with the reason. */
static uint64_t each_bytes(const struct probe *probe, uint64_t taken, int sharers)
{
	uint64_t limit = probe->report.machine->memory_limit, most = most_bytes(probe), each;

	if (!limit || most <= STREAM_BYTES)
		return most;
	each = limit > taken ? (limit - taken) / (uint64_t)sharers / PAGE * PAGE : 0;
	return each > most ? most : each > STREAM_BYTES ? each : STREAM_BYTES;
}

void probe_fill_cores(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	int processors = report->machine->processors;
	uint64_t each = each_bytes(probe, 0, processors), beside = each_bytes(probe, (uint64_t)(processors - 1) * STREAM_BYTES, 1);
	struct setting setting;

	if (round > 0)
		return;
	for (int cores = 1; cores <= processors; cores++) {
		int knob;

		if (!start(&setting, "bandwidth", stage->pages) || !set(&setting, "size", (int64_t)each) ||
			!choose(&setting, "op", "frd"))
			break;
		widen(&setting);
		knob = kernel_asking(setting.kernel, ASKS_CORES);
		if (knob < 0)
			break;
		setting.v[knob] = cores;
		add_point(probe, &report->cores, &setting, cores, false);
	}
	for (int streams = 0; streams < processors; streams++) {
		int knob;

		if (!start(&setting, "latency", stage->pages) || !set(&setting, "size", (int64_t)beside) ||
			!set(&setting, "stride", 64) || !choose(&setting, "order", "random"))
			break;
		knob = kernel_asking(setting.kernel, ASKS_STREAMS);
		if (knob < 0)
			break;
		setting.v[knob] = streams;
		add_point(probe, &report->loaded, &setting, streams, false);
	}
	report->cores.wanted = report->loaded.wanted = processors;
}
