/* Plans a probe: the parts to measure and the time of each part. The plan omits parts of the probe
 * if memory, huge pages or time are insufficient. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/memory/memory_limits.h"
#include "experiment/probe/probe_state.h"

/* Estimated times, used to keep a time limit and to show the progress. SECONDS_BYTE: seconds to
 * allocate and lay out a new byte, on a virtual machine with slow memory allocation.
 * SECONDS_REQUEST: seconds that a request to measure takes in addition to its trials.
 * SECONDS_LAY_OUT: seconds for each byte of a working set whose data are laid out in memory again.
 */
#define SECONDS_BYTE	3.5e-9
#define SECONDS_REQUEST 0.0008
#define SECONDS_LAY_OUT 0.5e-9

/* Estimated seconds to walk a working set larger than the core's own caches until the caches are in
 * steady state. */
#define SECONDS_SETTLE 0.015

/* Number of points of a curve for each doubling of the size in the first round of measurements. If
 * the time limit is short, OCTAVE_SHORT points are measured for each doubling of the size. */
enum { OCTAVE = 4, OCTAVE_SHORT = 2 };

/* Smallest and largest factor by which the probe's plan changes the time of each measurement. The
 * probe's time limit decides by which factor the time of each measurement changes. */
#define SCALE_LEAST 0.35
#define SCALE_MOST  10.0

/* If time is short, the plan reduces the largest working set to shrink_least bytes, which still
 * shows the caches of most machines. */
static const uint64_t shrink_least = 16 << 20;

/* Seconds of a visit. VISIT_NEAR: seconds of a measurement whose working set fits the core's own
 * caches. VISIT_MIDDLE: seconds of a measurement whose working set is larger than the core's own
 * caches. VISIT_FAR: seconds of a measurement that covers only a small part of its working set. */
#define VISIT_NEAR   0.0028
#define VISIT_MIDDLE 0.005
#define VISIT_FAR    0.008

/* Smallest and largest working set, in bytes, for the measurement of parallel chains. */
#define PARALLEL_LEAST (32.0 * (1 << 20))
#define PARALLEL_MOST  (128.0 * (1 << 20))

enum { LINE = 64 };

bool probe_is_far(const struct setting *setting)
{
	const struct kernel *kernel = setting->kernel;
	int stride = kernel_knob(kernel, "stride");
	double bytes = (double)kernel_footprint(kernel, setting->v);

	/* If the distance between the nodes of the pointer chain exceeds a line, the walk uses only
	 * one line per node. */
	if (stride >= 0 && setting->v[stride] > LINE)
		bytes *= LINE / (double)setting->v[stride];
	return bytes > PROBE_FAR;
}

double probe_visit_seconds(const struct probe *probe, uint64_t bytes)
{
	return probe->scale * (bytes <= PROBE_FAR	     ? VISIT_NEAR
				      : bytes <= PROBE_CHEAP ? VISIT_MIDDLE
							     : VISIT_FAR);
}

/* A probe should end in about three seconds, so it omits optional measurements after SOON seconds.
 * If the user sets a time limit for the probe, SOON is not used. */
#define SOON 2.0

bool probe_late(const struct probe *probe)
{
	return probe->report.options.seconds <= 0 && probe->report.seconds > SOON;
}

const char *const probe_part_names[] = { "latency", "tlb", "line", "bandwidth", "parallel", "cores",
	"core-to-core", NULL };
_Static_assert(sizeof(probe_part_names) / sizeof(probe_part_names[0]) == PROBE_PARTS + 1,
	"a name for each part");

enum probe_part probe_part_find(const char *name)
{
	enum probe_part part = 0;

	while (part < PROBE_PARTS && strcmp(probe_part_names[part], name) != 0)
		part++;
	return part;
}

bool probe_part_add(const char *name, unsigned *parts)
{
	enum probe_part part = probe_part_find(name);

	if (part == PROBE_PARTS)
		return false;
	*parts |= 1u << part;
	if (part == PROBE_CORES)
		*parts |= 1u << PROBE_TRANSFER;
	return true;
}

enum page_kind probe_best_pages(const struct probe *probe)
{
	static const enum page_kind order[] = { PAGES_HUGE, PAGES_AUTO, PAGES_4K };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
		if (probe->report.options.pages[order[i]])
			return order[i];
	return PAGES_AUTO;
}

uint64_t probe_task_bytes(const struct probe_task *task)
{
	return kernel_footprint(task->setting.kernel, task->setting.v);
}

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

/* Omits kinds of pages that are unavailable, and sizes of working sets for which memory is too
 * small. */
static void keep_within_memory(struct probe_report *report)
{
	struct probe_options *options = &report->options;
	const struct machine *machine = report->machine;

	if (!options->pages[PAGES_AUTO] && !options->pages[PAGES_4K] && !options->pages[PAGES_HUGE])
		options->pages[PAGES_4K] = options->pages[PAGES_HUGE] = true;
	if (options->pages[PAGES_HUGE] && !machine->huge_pages) {
		options->pages[PAGES_HUGE] = false;
		report->huge_refused = true;
		options->pages[PAGES_4K] = options->pages[PAGES_4K] || !options->pages[PAGES_AUTO];
		notes_add(&report->notes, "no huge pages: %s",
			machine->huge_note[0] ? machine->huge_note : "this system grants none");
	}
	if (machine->memory_limit && options->max_size > machine->memory_limit) {
		options->max_size = machine->memory_limit / 4096 * 4096;
		notes_add(&report->notes, "working sets up to %s instead of %s: %s",
			units_size_long((int64_t)options->max_size).text,
			units_size_long((int64_t)report->asked_size).text,
			memory_limits_half(machine->memory_bound));
	}
}

/* Omits the parts of the probe that this machine cannot measure. */
static void keep_within_means(struct probe *probe)
{
	struct probe_report *report = &probe->report;
	struct probe_options *options = &report->options;
	const struct machine *machine = report->machine;

	/* The core-to-core latencies need only a few lines of memory. */
	if (options->parts != 1u << PROBE_TRANSFER)
		keep_within_memory(report);
	if (options->parts >> PROBE_CORES & 1 && machine->processors < 2) {
		options->parts &= ~(1u << PROBE_CORES);
		notes_add(&probe->report.notes, "cores: this process may use one only");
	}
	if (options->parts >> PROBE_TRANSFER & 1 && (machine->processors < 2 || !machine->places)) {
		options->parts &= ~(1u << PROBE_TRANSFER);
		notes_add(&probe->report.notes,
			machine->processors < 2
				? "core-to-core: needs two processors, but this process may use "
				  "only one"
				: "core-to-core: the system does not report the topology of its "
				  "processors");
	}
}

/* ---- stages ---- */

/* Estimates the seconds of a latency curve: all points, repeated points at small sizes, and
 * additional points near two or three knees. */
static double latency_seconds(const struct probe *probe)
{
	uint64_t most = probe->report.options.max_size;
	double total = 0;

	for (double size = PROBE_SMALLEST; size <= (double)most; size *= 2) {
		bool far = (uint64_t)size > machine_own_caches(probe->report.machine);
		double visit = probe_visit_seconds(probe, (uint64_t)size) + SECONDS_REQUEST +
			       (far ? SECONDS_SETTLE : 0);

		total += (far ? 0.5 : 1) * probe->octave * visit * (probe->rounds > 1 ? 2 : 1);
	}
	return probe->rounds == 1
		       ? total
		       : total + 30 * (probe_visit_seconds(probe, 1 << 20) + SECONDS_REQUEST);
}

/* Without a time limit, most seconds for one visit of each pair of processors. */
#define TRANSFER_MOST 7.0

/* Least seconds for all visits of all pairs. On a virtual machine, the latency of a pair changes by
 * 5 % or more within a tenth of a second, so the visits must be further apart. */
#define TRANSFER_LEAST 0.6

static double all_pairs(const struct probe *probe)
{
	double processors = probe->report.machine->processors;

	return processors * (processors - 1) / 2;
}

/* Returns the seconds for the core-to-core latencies. Without a time limit, TRANSFER_MOST seconds
 * suffice for one visit of each pair of 64 processors. On a machine with few pairs, each pair is
 * visited several times. */
static double transfer_seconds(const struct probe *probe)
{
	const struct probe_options *options = &probe->report.options;
	double each = PAIR_SECONDS + PAIR_THREADS, once = all_pairs(probe) * each,
	       all = fmin(once * PAIR_VISITS,
		       fmax(fmin(once * 3, TRANSFER_MOST / 4), fmin(once, TRANSFER_MOST)));

	all = fmax(all, TRANSFER_LEAST);
	if (options->seconds <= 0)
		return all;
	return options->parts == 1u << PROBE_TRANSFER
		       ? fmin(options->seconds, fmax(once * PAIR_VISITS, TRANSFER_LEAST))
		       : fmin(all, options->seconds / 2);
}

static double part_seconds(const struct probe *probe, enum probe_part part)
{
	double small = probe_visit_seconds(probe, 4096) + SECONDS_REQUEST;
	double large = probe_visit_seconds(probe, UINT64_MAX) + SECONDS_REQUEST;

	switch (part) {
	case PROBE_LATENCY: return latency_seconds(probe);
	case PROBE_TLB:
		/* The number of pages doubles ten times along the curve of a TLB measurement. */
		return (10 * probe->octave + (probe->rounds > 1 ? 40 : 0)) * small;
	case PROBE_LINE: return 12 * small;
	case PROBE_BANDWIDTH: return (9 * 2 * small + 3 * large) * 1.5;
	case PROBE_PARALLEL:
		return 7 * (large + SECONDS_LAY_OUT * (double)probe_parallel_bytes(probe));
	case PROBE_CORES: return 0.1 * (1 + 2 * log2(probe->report.machine->processors));
	case PROBE_TRANSFER: return transfer_seconds(probe);
	case PROBE_PARTS: break;
	}
	return 0;
}

/* The share of the last cache is measured several times, between the other parts, to show how the
 * share varies. */
#define SHARE PROBE_PARTS

static void add_stages(
	struct probe *probe, enum page_kind pages, const enum probe_part *parts, int count)
{
	for (int i = 0; i < count; i++) {
		bool share = parts[i] == SHARE;
		enum probe_part part = share ? PROBE_LATENCY : parts[i];
		double seconds = part_seconds(probe, part);

		if (!(probe->report.options.parts >> part & 1) ||
			(share && (probe->rounds == 1 || probe->octave == OCTAVE_SHORT)))
			continue;
		if (share)
			seconds = SHARE_SIZES *
				  (probe_visit_seconds(probe, UINT64_MAX) + SECONDS_SETTLE);
		else if (part == PROBE_LATENCY)
			seconds += (double)probe->report.options.max_size * SECONDS_BYTE;
		probe->stages[probe->stage_count++] = (struct probe_stage){ part,
			share ? probe_best_pages(probe) : pages, share, seconds };
	}
}

/* Fills the list of stages. The stages with the first latency curve and all parts that depend on it
 * come first, to give an interrupted probe the most results. The stages for the other kind of pages
 * follow the first latency curve and the parts that depend on it. Returns the estimated seconds of
 * all stages of the probe. */
static double lay_out(struct probe *probe)
{
	static const enum probe_part first[] = { PROBE_LATENCY, SHARE, PROBE_TLB, SHARE, PROBE_LINE,
		PROBE_BANDWIDTH, SHARE, PROBE_PARALLEL, PROBE_CORES, PROBE_TRANSFER, SHARE },
				     other[] = { PROBE_LATENCY, PROBE_TLB, SHARE };
	enum page_kind best = probe_best_pages(probe);
	double seconds = 0;

	probe->stage_count = 0;
	add_stages(probe, best, first, sizeof(first) / sizeof(*first));
	for (int kind = 0; kind < PAGE_KINDS; kind++)
		if (kind != (int)best && probe->report.options.pages[kind])
			add_stages(probe, (enum page_kind)kind, other, 3);
	for (int i = 0; i < probe->stage_count; i++)
		seconds += probe->stages[i].seconds;
	return seconds;
}

/* ---- a time limit ---- */

/* Reduces the probe's plan until the measurement fits the time limit. To fit the time limit, the
 * plan first shortens the time of each point, then drops points, then the largest working sets,
 * then the second kind of pages, and last whole parts of the probe. */
static void shrink(struct probe *probe)
{
	static const enum probe_part order[] = { PROBE_CORES, PROBE_TRANSFER, PROBE_PARALLEL,
		PROBE_TLB, PROBE_LINE, PROBE_BANDWIDTH };
	struct probe_options *options = &probe->report.options;
	uint64_t wanted = options->max_size;

	for (probe->scale = 1; lay_out(probe) > options->seconds && probe->scale > SCALE_LEAST;)
		probe->scale = fmax(probe->scale * 0.8, SCALE_LEAST);
	if (lay_out(probe) > options->seconds) {
		probe->octave = OCTAVE_SHORT;
		notes_add(&probe->report.notes,
			"%d points an octave instead of %d: %.3g s are too short for more",
			OCTAVE_SHORT, OCTAVE, options->seconds);
	}
	while (lay_out(probe) > options->seconds && options->max_size / 2 >= shrink_least)
		options->max_size /= 2;
	if (lay_out(probe) > options->seconds && options->pages[PAGES_HUGE] &&
		options->pages[PAGES_4K]) {
		options->pages[PAGES_HUGE] = false;
		notes_add(&probe->report.notes,
			"huge pages are left out: %.3g s are too short for both page sizes",
			options->seconds);
	}
	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && lay_out(probe) > options->seconds;
		i++) {
		if (!(options->parts >> order[i] & 1) || options->parts == 1u << order[i])
			continue;
		options->parts &= ~(1u << order[i]);
		notes_add(&probe->report.notes, "%s is left out: %.3g s are too short for it",
			probe_part_names[order[i]], options->seconds);
	}
	if (lay_out(probe) > options->seconds) {
		probe->rounds = 1;
		notes_add(&probe->report.notes,
			"no point is measured again or more closely: %.3g s are too short",
			options->seconds);
	}
	while (lay_out(probe) > options->seconds && options->max_size / 2 >= PROBE_LEAST)
		options->max_size /= 2;
	if (options->max_size < wanted)
		notes_add(&probe->report.notes,
			"working sets only up to %s: %.3g s are too short for more",
			units_size_long((int64_t)options->max_size).text, options->seconds);
}

void probe_plan(struct probe *probe)
{
	struct probe_options *options = &probe->report.options;
	double seconds;

	keep_within_means(probe);
	probe->scale = 1;
	probe->octave = OCTAVE;
	probe->rounds = PROBE_ROUNDS;
	seconds = lay_out(probe);
	if (options->seconds <= 0)
		return;
	if (seconds > options->seconds) {
		shrink(probe);
	} else {
		/* If the time limit is longer than the plan, each measurement becomes longer. */
		probe->scale = fmin(SCALE_MOST, options->seconds / seconds);
		while (probe->scale > 1 && lay_out(probe) > options->seconds)
			probe->scale = fmax(probe->scale * 0.9, 1);
	}
	lay_out(probe);
}

double probe_share_done(const struct probe *probe)
{
	double total = 0, done = 0, part;

	for (int i = 0; i < probe->stage_count; i++) {
		total += probe->stages[i].seconds;
		done += i < probe->stage ? probe->stages[i].seconds : 0;
	}
	if (probe->stage < probe->stage_count && probe->task_count) {
		/* The first round of measurements in a stage takes most of the time, and the number
		 * of later rounds is unknown. */
		part = (double)probe->tasks_done / probe->task_count;
		part = probe->round == 0 ? 0.7 * part : 1 - 0.3 / (probe->round + part);
		done += part * probe->stages[probe->stage].seconds;
	}
	return total > 0 ? done / total : 1;
}
