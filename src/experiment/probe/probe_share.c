/* Measures how much of the last cache this process can use. */
#include <math.h>

#include "experiment/probe/probe_state.h"

/* Other processes also use the last cache, so the part that one process can use varies. To find its
 * share of the last cache, the probe walks working sets of a few sizes until their latency is
 * steady. Between its other parts, the probe repeats the measurement of its share of the last
 * cache. */

/* Ratio of two neighbouring sizes in a measurement of the share of the last cache: three sizes for
 * each doubling. */
#define SHARE_STEP 1.26

/* Largest working set to measure the share of the last cache. Working sets larger than this take
 * too long to walk through repeatedly. */
static const double share_most = 64 << 20;

/* To show how the share of the last cache varies, even a late probe measures at least LOOKS_LEAST
 * values of it, over at least looks_span seconds. */
enum { LOOKS_LEAST = 3 };
static const double looks_span = 1;

/* The smallest working set to measure the share of the last cache is this multiple of the core's
 * own caches. */
static const double share_least = 1.25;

/* Returns the cycles per line of a walk in which half of the lines come from memory. 0: no working
 * set reached memory. */
static double half_of_memory(const struct probe *probe)
{
	const struct hierarchy_level *memory =
		hierarchy_level(&probe->report.hierarchy, LEVEL_MEMORY, 0);

	return memory ? memory->cycles / 2 : 0;
}

/* Returns the bytes at which a curve first crosses the latency `level`, interpolated on logarithmic
 * scales. The points of the curve are in ascending order of bytes. *inside is false if the first
 * point is above the level, or if all points are below the level. If the curve does not cross the
 * latency, the result is the bytes of its first or last point. */
static double crossing(const struct curve_point *point, int count, double level, bool *inside)
{
	int above = 0;

	while (above < count && point[above].cycles < level)
		above++;
	*inside = above > 0 && above < count;
	if (!*inside)
		return point[above == 0 ? 0 : count - 1].bytes;
	return point[above - 1].bytes *
	       pow(point[above].bytes / point[above - 1].bytes,
		       log(level / point[above - 1].cycles) /
			       log(point[above].cycles / point[above - 1].cycles));
}

/* Returns the bytes at which the latency curve crosses half of memory's latency; 0: the curve does
 * not cross that latency. */
static double first_guess(const struct probe *probe, enum page_kind pages)
{
	const struct probe_curve *curve = &probe->report.lines[pages];
	struct curve_point point[PROBE_POINTS];
	int count = 0;
	double bytes;
	bool inside;

	for (int i = 0; i < curve->count; i++)
		if (curve->point[i].sample.valid)
			point[count++] = (struct curve_point){ .bytes = curve->point[i].x,
				.cycles = curve->point[i].sample.cpe };
	if (count == 0)
		return 0;
	bytes = crossing(point, count, half_of_memory(probe), &inside);
	return inside ? bytes : 0;
}

/* Computes one value of the share of the last cache from the latencies of the measured sizes. */
static void end_look(struct probe *probe)
{
	struct probe_share *share = &probe->report.share;
	bool inside;

	if (probe->looked >= 3 && share->count < PROBE_SHARES) {
		share->bytes[share->count] =
			crossing(probe->look, probe->looked, half_of_memory(probe), &inside);
		share->at[share->count++] = probe->report.seconds;
	}
}

void probe_fill_share(struct probe *probe, const struct probe_stage *stage, int round)
{
	const struct probe_share *share = &probe->report.share;
	const struct machine *machine = probe->report.machine;
	double own = (double)machine_own_caches(machine), least = share_least * own;
	double middle =
		share->count ? share->bytes[share->count - 1] : first_guess(probe, stage->pages);

	if (round > 0)
		end_look(probe);
	probe->looked = 0;
	if (round > 0 || !(half_of_memory(probe) > 0) || !(middle > 0) ||
		machine_cache(machine, 3) <= machine_cache(machine, 2) ||
		(probe_late(probe) && share->count >= LOOKS_LEAST &&
			share->at[share->count - 1] - share->at[0] >= looks_span))
		return;
	middle = fmax(fmin(middle, share_most / SHARE_STEP / SHARE_STEP),
		least * SHARE_STEP * SHARE_STEP);
	for (int i = 0; i < SHARE_SIZES; i++) {
		double bytes = floor(middle * pow(SHARE_STEP, i - SHARE_SIZES / 2) / 64) * 64;

		if (bytes <= (double)probe->report.options.max_size)
			probe_add(probe, stage->pages,
				(struct probe_task){ .band = -1, .x = bytes, .share = true },
				"latency size=%lld order=random", (long long)bytes);
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
