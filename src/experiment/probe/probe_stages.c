/* The points of curves, in rounds: the first over the whole range, later ones where the curve bends
 * and where a point is in doubt. Within a round working sets grow or shrink step by step, so that
 * what is laid out for one serves the next. */
#include <math.h>
#include <stdlib.h>

#include "experiment/probe/probe_state.h"

/* Knees are looked at closely up to here: laying out more for each round takes too long for what
 * may move from run to run anyway. */
static const uint64_t fine_most = 64 << 20;

/* From here on a point takes long to come to steady state. */
static const double far_from = 8 << 20;

/* A knee's range is tight, and two points are the same. */
#define TIGHT 1.015
#define SAME  1.004

/* Knees further beyond the core's own caches than this are not theirs. */
static const double own_most = 2;

/* What lies further from a corner than this has nothing to do with it. */
#define CORNER_WIDEST 1.3

/* One line a page, each in another set of the first cache. */
enum { PAGE_STRIDE = PROBE_PAGE + 64 };

/* Pages of the curve over pages: from far below any first-level TLB to an octave beyond the second
 * level of today's cores, which has up to 4,096 entries: fewer points than that are no plateau for
 * sure. */
enum { PAGES_FEW = 8, PAGES_MANY = 8192 };

/* ---- where a curve bends ---- */

/* Points that divide a range evenly on a logarithmic scale, in so many parts. */
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

	if (probe_start(&setting, "latency", adding->pages) && probe_set(&setting, "size", size) &&
		probe_set(&setting, "stride", 64) && probe_choose(&setting, "order", "random"))
		probe_add_point(adding->probe, adding->curve, &setting, (double)size, fine);
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

	if (probe_start(&setting, "latency", adding->pages) &&
		probe_set(&setting, "stride", PAGE_STRIDE) &&
		probe_set(&setting, "size", count * PAGE_STRIDE) &&
		probe_choose(&setting, "order", "random"))
		probe_add_point(
			adding->probe, adding->curve, &setting, (double)(count * PROBE_PAGE), fine);
}

static void add_fine_pages(void *context, double x)
{
	add_pages(context, x / PROBE_PAGE, true);
}

/* Closer points about the knees of a curve that begin at no more than `most` bytes; few of those
 * that climb slowly, since no point is theirs. */
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

/* How many entries a TLB has shows where the first pages miss: page by page, or in a few steps,
 * from there to where a quarter does. */
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

/* The first cache, which so many lines fill too, is measured elsewhere: its knee is not looked at.
 */
static void leave_caches(const struct probe *probe, struct plateaus *plateaus)
{
	const struct hierarchy_level *first = hierarchy_cache(&probe->report.hierarchy, 1);
	double bytes = first ? first->bytes : (double)machine_cache(probe->report.machine, 1);

	for (int i = 0; i + 1 < plateaus->count; i++)
		if (bytes > 0 &&
			fabs(log2(plateaus->knee[i].bytes / PROBE_PAGE * 64 / bytes)) < 0.5)
			plateaus->knee[i].lo = plateaus->knee[i].hi = plateaus->knee[i].corner = 0;
}

/* ---- parts ---- */

/* Of how many points of the first pass one is measured: where each takes long to come to steady
 * state, fewer are, and fewest with the second kind of pages. */
static int spread(const struct probe *probe, enum page_kind pages, double size)
{
	bool last = size * 2 >
		    (double)probe->report.options.max_size; /* memory's latency comes from there */

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
		/* Where the last cache ends is looked at once more, and then otherwise
		 * (probe_share.c). */
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
		leave_caches(probe, &plateaus);
		refine(&adding, &plateaus, round, INFINITY, add_fine_pages);
		if (round > 1)
			refine_corners(&adding, &plateaus);
		probe_look_again(probe, adding.curve, false);
	}
	qsort(probe->tasks, (size_t)probe->task_count, sizeof(probe->tasks[0]), probe_upward);
	adding.curve->wanted = adding.curve->count + probe->task_count;
}

void probe_fill_line(struct probe *probe, const struct probe_stage *stage, int round)
{
	static const int distances[] = { 16, 32, 48, 64, 96, 128, 192, 256, 512 };
	struct probe_report *report = &probe->report;
	const struct hierarchy_level *first = hierarchy_cache(&report->hierarchy, 1);
	const struct hierarchy_level *second = hierarchy_cache(&report->hierarchy, 2);
	uint64_t size = first && second ? probe_inside(first->bytes, second->bytes) : 256 << 10;

	if (round == 0) {
		for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
			struct setting setting;

			if (probe_start(&setting, "latency", stage->pages) &&
				probe_set(&setting, "size", (int64_t)size) &&
				probe_set(&setting, "stride", distances[i]) &&
				probe_choose(&setting, "order", "pairs"))
				probe_add_point(
					probe, &report->pairs, &setting, distances[i], false);
		}
	} else if (round < 3 && round < probe->rounds) {
		probe_look_again(probe, &report->pairs, false);
	}
	report->pairs.wanted = report->pairs.count + probe->task_count;
}
