/* The points of latency curves, in rounds: the first round covers the whole range, later ones add
 * points near the knees and repeat doubtful points. Within a round working sets only grow or only
 * shrink, so that the layout for one serves the next. */
#include <math.h>
#include <stdlib.h>

#include "experiment/probe/probe_state.h"

/* Closer points are added up to this size. Beyond it the layout for each round takes too long, and
 * the knee moves from run to run anyway. */
static const uint64_t fine_most = 64 << 20;

/* From here on a point takes long to reach steady state. */
static const double far_from = 8 << 20;

/* The ratio of a tight knee range, and of two points that count as one. */
#define TIGHT 1.015
#define SAME  1.004

/* Knees beyond this multiple of the core's own caches belong to other caches. */
static const double own_most = 2;

/* Points beyond this ratio from a corner do not describe it. */
#define CORNER_WIDEST 1.3

/* One line a page, each in a different set of the first cache. */
enum { PAGE_STRIDE = PROBE_PAGE + 64 };

/* Pages of the curve over pages: from far below any first-level TLB to an octave beyond the second
 * level of today's cores (up to 4,096 entries), which a plateau needs. */
enum { PAGES_FEW = 8, PAGES_MANY = 8192 };

/* ---- where a curve bends ---- */

/* Adds points that divide a range into equal parts on a logarithmic scale. */
static void divide(
	double from, double to, int parts, void (*add)(void *context, double x), void *context)
{
	for (int i = 1; i < parts; i++)
		add(context, from * pow(to / from, (double)i / parts));
}

struct adding {
	struct probe *probe;
	struct probe_curve *curve;
	enum page_kind pages;
};

/* Whether the curve has a point so near that another would add nothing. */
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

	if (probe_latency(&setting, adding->pages, size, 64, "random"))
		probe_add_point(adding->probe, adding->curve, &setting, (double)size, fine);
}

static void add_fine_lines(void *context, double x)
{
	struct adding *adding = context;

	if (x <= (double)fine_most && !has_near(adding->curve, x))
		add_lines(context, x, true);
}

/* One line a page: the curve's x is the bytes that the TLB must cover. */
static void add_pages(void *context, double pages, bool fine)
{
	struct adding *adding = context;
	struct setting setting;
	int64_t count = (int64_t)(pages + 0.5);

	if (probe_latency(&setting, adding->pages, count * PAGE_STRIDE, PAGE_STRIDE, "random"))
		probe_add_point(
			adding->probe, adding->curve, &setting, (double)(count * PROBE_PAGE), fine);
}

static void add_fine_pages(void *context, double x)
{
	add_pages(context, x / PROBE_PAGE, true);
}

/* Adds points near the knees of a curve that begin at no more than `most` bytes; few for a gradual
 * knee, which no single point locates. */
static void refine(struct adding *adding, const struct plateaus *plateaus, int round, double most,
	void (*add)(void *, double))
{
	for (int i = 0; i + 1 < plateaus->count; i++) {
		const struct plateau_knee *knee = &plateaus->knee[i];
		double from = fmin(knee->lo, knee->corner), to = knee->hi;

		if (!(from > 0) || !(to > from) || from > most)
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

/* The number of TLB entries shows where the first pages miss: points page by page, or in a few
 * steps, from there to where a quarter of the pages miss. */
static void refine_corners(struct adding *adding, const struct plateaus *plateaus)
{
	for (int i = 0; i + 1 < plateaus->count; i++) {
		double from = plateaus->knee[i].corner / PROBE_PAGE,
		       to = plateaus->knee[i].lo / PROBE_PAGE, step = fmax(1, (to - from) / 8);

		for (double pages = from + step; pages < to && to < from * CORNER_WIDEST;
			pages += step)
			add_pages(adding, pages, true);
	}
}

/* Ignores the knee where the lines, not the pages, fill the first cache. */
static void ignore_caches(const struct probe *probe, struct plateaus *plateaus)
{
	const struct hierarchy_level *first = hierarchy_cache(&probe->report.hierarchy, 1);
	double bytes = first ? first->bytes : (double)machine_cache(probe->report.machine, 1);

	for (int i = 0; i + 1 < plateaus->count; i++)
		if (bytes > 0 &&
			fabs(log2(plateaus->knee[i].bytes / PROBE_PAGE * 64 / bytes)) < 0.5)
			plateaus->knee[i].lo = plateaus->knee[i].hi = plateaus->knee[i].corner = 0;
}

/* ---- parts ---- */

/* The first round measures every n-th point: fewer where each takes long to reach steady state, and
 * fewest with the second kind of pages. */
static int spread(const struct probe *probe, enum page_kind pages, double size)
{
	bool last = size * 2 > (double)probe->report.options
				       .max_size; /* memory's latency comes from these sizes */

	if (size <= far_from || probe->octave < 4)
		return 1;
	return (pages == probe_best_pages(probe) ? 2 : 4) / (last ? 2 : 1);
}

void probe_fill_latency(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	struct adding adding = { probe, &report->lines[stage->pages], stage->pages };
	double most = (double)probe->report.options.max_size;

	if (round == 0) {
		for (int i = 0; PROBE_SMALLEST * exp2((double)i / probe->octave) < most * 0.999;
			i++) {
			double size = PROBE_SMALLEST * exp2((double)i / probe->octave);

			if (i % spread(probe, stage->pages, size) == 0)
				add_lines(&adding, size, false);
		}
		add_lines(&adding, most, false);
	} else if (round < probe->rounds) {
		/* Knees of shared caches get closer points once; the share is measured otherwise.
		 */
		refine(&adding, &report->hierarchy.lines[stage->pages], round,
			round == 1 && stage->pages == probe_best_pages(probe)
				? (double)fine_most
				: own_most * (double)machine_own_caches(report->machine),
			add_fine_lines);
		probe_look_again(probe, adding.curve, round == 1 && !probe_late(probe));
	}
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]),
		round == 1 ? probe_downward : probe_upward);
	adding.curve->wanted = adding.curve->count + probe->task_count;
}

void probe_fill_tlb(struct probe *probe, const struct probe_stage *stage, int round)
{
	struct probe_report *report = &probe->report;
	struct adding adding = { probe, &report->pages[stage->pages], stage->pages };
	struct plateaus plateaus = report->hierarchy.pages[stage->pages];
	double most = fmin(PAGES_MANY, (double)(probe->report.options.max_size / PAGE_STRIDE));

	if (round == 0) {
		for (int i = 0; PAGES_FEW * exp2((double)i / probe->octave) <= most; i++)
			add_pages(&adding, PAGES_FEW * exp2((double)i / probe->octave), false);
	} else if (round < probe->rounds) {
		ignore_caches(probe, &plateaus);
		refine(&adding, &plateaus, round, INFINITY, add_fine_pages);
		if (round > 1)
			refine_corners(&adding, &plateaus);
		probe_look_again(probe, adding.curve, false);
	}
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]), probe_upward);
	adding.curve->wanted = adding.curve->count + probe->task_count;
}

/* ---- this process's share of the last cache ---- */

/* Neighbours use the last cache too, so its size for one process varies. The probe walks a few
 * sizes around its end in steady laps, and again between the other parts. */

/* Three sizes to an octave. */
#define SHARE_STEP 1.26

/* Larger sizes take too long to walk repeatedly. */
static const double share_most = 64 << 20;

/* Looks, and seconds between the first and the last, that the variation needs, however late the
 * probe is. */
enum { LOOKS_LEAST = 3 };
static const double looks_span = 1;

static bool is_enough(const struct probe_share *share)
{
	return share->count >= LOOKS_LEAST &&
	       share->at[share->count - 1] - share->at[0] >= looks_span;
}

/* Sizes begin at this multiple of the core's own caches. */
static const double share_least = 1.25;

/* Cycles of a lap in which half of the lines come from memory; 0: memory was not reached. */
static double half_of_memory(const struct probe *probe)
{
	const struct hierarchy_level *memory = hierarchy_memory(&probe->report.hierarchy);

	return memory ? memory->cycles / 2 : 0;
}

/* Where points in ascending order of bytes first cross a level, on logarithmic scales; *side: -1
 * when all are above, 1 when all are below, else 0. */
static double crossing(const struct curve_point *point, int count, double level, int *side)
{
	int above = 0;

	while (above < count && point[above].cycles < level)
		above++;
	*side = above == 0 ? -1 : above == count ? 1 : 0;
	if (*side)
		return point[above == 0 ? 0 : count - 1].bytes;
	return point[above - 1].bytes *
	       pow(point[above].bytes / point[above - 1].bytes,
		       log(level / point[above - 1].cycles) /
			       log(point[above].cycles / point[above - 1].cycles));
}

/* Where the latency curve crosses half of memory's latency; 0: nowhere. */
static double first_guess(const struct probe *probe, enum page_kind pages)
{
	const struct probe_curve *curve = &probe->report.lines[pages];
	struct curve_point point[PROBE_POINTS];
	int count = 0, side;
	double bytes;

	for (int i = 0; i < curve->count; i++)
		if (curve->point[i].sample.valid)
			point[count++] = (struct curve_point){ .bytes = curve->point[i].x,
				.cycles = curve->point[i].sample.cpe };
	if (count == 0)
		return 0;
	bytes = crossing(point, count, half_of_memory(probe), &side);
	return side == 0 ? bytes : 0;
}

/* The finished look becomes one value. */
static void end_look(struct probe *probe)
{
	struct probe_share *share = &probe->report.share;

	if (probe->looked >= 3 && share->count < PROBE_SHARES) {
		share->bytes[share->count] = crossing(probe->look, probe->looked,
			half_of_memory(probe), &share->censored[share->count]);
		share->at[share->count++] = probe->report.seconds;
	}
	probe->looked = 0;
}

void probe_fill_share(struct probe *probe, const struct probe_stage *stage, int round)
{
	const struct probe_share *share = &probe->report.share;
	const struct machine *machine = probe->report.machine;
	double own = (double)machine_own_caches(machine), least = share_least * own;
	double middle =
		share->count ? share->bytes[share->count - 1] : first_guess(probe, stage->pages);

	if (round > 0) {
		end_look(probe);
		return;
	}
	probe->looked = 0;
	if (!(half_of_memory(probe) > 0) || !(middle > 0) ||
		machine_cache(machine, 3) <= machine_cache(machine, 2) ||
		(probe_late(probe) && is_enough(share)))
		return;
	middle = fmax(fmin(middle, share_most / SHARE_STEP / SHARE_STEP),
		least * SHARE_STEP * SHARE_STEP);
	for (int i = 0; i < SHARE_SIZES; i++) {
		double bytes = floor(middle * pow(SHARE_STEP, i - SHARE_SIZES / 2) / 64) * 64;
		struct probe_task task = { .band = -1, .x = bytes, .share = true };

		if (bytes <= (double)probe->report.options.max_size &&
			probe_latency(&task.setting, stage->pages, (int64_t)bytes, 64, "random") &&
			probe_allowed(&task.setting))
			probe_add_task(probe, &task);
	}
}

void probe_take_share(
	struct probe *probe, const struct probe_task *task, const struct result *result)
{
	struct sample sample;

	if (result->status.code != STATUS_OK || probe->looked == SHARE_SIZES)
		return;
	sample_summarise(&result->trials, &result->facts, &sample);
	if (sample.valid)
		probe->look[probe->looked++] =
			(struct curve_point){ .bytes = task->x, .cycles = sample.cpe };
}
