/* What this process has of the last cache. Neighbours use it too, so it ends nowhere for long: a
 * few sizes around its end are walked in steady laps, and again while the rest of the probe goes
 * on. */
#include <math.h>

#include "experiment/probe/probe_state.h"

/* Three sizes to an octave. */
#define SHARE_STEP 1.26

/* Larger ones take too long to walk again and again. */
static const double share_most = 64 << 20;

/* So many looks, and over so many seconds, are made however late it is: from less nothing can be
 * said of how it varies. */
enum { LOOKS_LEAST = 3 };
static const double looks_span = 1;

static bool is_enough(const struct probe_share *share)
{
	return share->count >= LOOKS_LEAST &&
	       share->at[share->count - 1] - share->at[0] >= looks_span;
}

/* The core's own caches are not looked at: sizes begin this much beyond them. */
static const double share_least = 1.25;

/* What a lap takes in which half of the lines come from memory; 0: memory was not reached. */
static double half_of_memory(const struct probe *probe)
{
	const struct hierarchy_level *memory = hierarchy_memory(&probe->report.hierarchy);

	return memory ? memory->cycles / 2 : 0;
}

/* Where points in ascending order of bytes cross a level for the first time, on logarithmic scales;
 * *side: -1 where all are above, 1 where all are below. */
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

/* Where the curve that was measured first crosses it; 0: nowhere. */
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

/* The look that is over becomes a figure. */
static void conclude(struct probe *probe)
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
		conclude(probe);
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
			probe_start(&task.setting, "latency", stage->pages) &&
			probe_set(&task.setting, "size", (int64_t)bytes) &&
			probe_set(&task.setting, "stride", 64) &&
			probe_choose(&task.setting, "order", "random") &&
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
