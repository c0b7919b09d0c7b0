/* Counts each group of a plan over the same steady loop. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"
#include "engine/clock/clock.h"
#include "engine/counters/counting.h"
#include "engine/measure/measure.h"

/* The most passes over a group. */
enum { PASSES_MOST = 32 };

/* Seconds. A round of passes, one for each group, is not begun later than this; and where one pass
 * takes long, as of a loop that runs for seconds, what is left of the first round waits for the
 * next request, which begins there. */
static const double rounds_until = 0.15, round_until = 2;

/* Less than this share of the time is a turn with others. */
static const double whole_time = 0.995;

/* What the passes of one group gave. */
struct passes {
	unsigned made;
	uint64_t enabled, running;
	double slope[COUNTERS_MAX][PASSES_MOST]; /* per element; by the group's order */
};

/* What rises over one region. One function for both lengths, never inlined: what reading takes is
 * then the same to the instruction, and cancels. */
static __attribute__((noinline)) bool count_region(const struct counting *counting,
	const struct counter_group *group, struct measure *measure, uint64_t elements,
	uint64_t rise[COUNTERS_MAX])
{
	uint64_t begin[COUNTERS_MAX], end[COUNTERS_MAX];
	bool good = group_values(counting->calls, group, begin);

	measure_region(measure, elements);
	good = group_values(counting->calls, group, end) && good;
	/* Differences are right whatever passed the end of 64 bits meanwhile. */
	for (int i = 0; i < group->count; i++)
		rise[i] = end[i] - begin[i];
	return good;
}

/* One pass of one group: false when it did not count. */
static bool pass(struct counting *counting, const struct counter_group *group,
	struct measure *measure, struct passes *passes)
{
	const struct perf_calls *calls = counting->calls;
	const struct stretch *stretch = &measure->count;
	double elements = (double)stretch->calls * (double)(stretch->whole - stretch->half);
	uint64_t less[COUNTERS_MAX], more[COUNTERS_MAX];
	struct group_reading before, after;
	double share = 1;
	bool good;

	good = group_start(calls, group) && group_read(calls, group, &before);
	if (good) {
		if (measure->rewind)
			measure_region(measure, stretch->half);
		good = count_region(counting, group, measure, stretch->half, less);
		good = count_region(counting, group, measure, stretch->whole, more) && good;
		good = group_read(calls, group, &after) && good;
	}
	group_stop(calls, group);
	if (!good)
		return false;
	if (after.enabled > before.enabled)
		share = (double)(after.running - before.running) /
			(double)(after.enabled - before.enabled);
	passes->enabled += after.enabled - before.enabled;
	passes->running += after.running - before.running;
	if (share <= 0)
		return false;
	for (int i = 0; i < group->count; i++) {
		passes->slope[i][passes->made] =
			((double)more[i] - (double)less[i]) / elements / share;
		if (less[i] > 0 || more[i] > 0)
			counting->event[group->event[i]].moved = true;
	}
	passes->made++;
	return true;
}

static void summarise(const struct counting *counting, const struct counter_group *group,
	struct passes *passes, struct counts *counts)
{
	double share = passes->enabled > 0 ? (double)passes->running / (double)passes->enabled : 1;

	for (int i = 0; i < group->count; i++) {
		int index = group->event[i];
		struct count *count = &counts->event[index];
		double *slope = passes->slope[i];

		count->passes = passes->made;
		count->share = (float)share;
		if (passes->made == 0)
			continue;
		stats_sort(slope, passes->made);
		/* Below zero lies nothing that can be counted: noise about zero. */
		count->value = fmax(0, stats_quantile(slope, passes->made, 0.5));
		count->lo = fmax(0, stats_quantile(slope, passes->made, 0.25));
		count->hi = fmax(0, stats_quantile(slope, passes->made, 0.75));
		if (!counting->event[index].moved ||
			(counting->plan.event[index].must && count->value <= 0))
			count->state = COUNT_SILENT;
		else
			count->state = share < whole_time ? COUNT_SCALED : COUNT_KNOWN;
	}
}

/* Where nothing is known: one line that says why. */
static void say_why(const struct counting *counting, struct counts *counts)
{
	char words[120];

	for (int i = 0; i < counts->count; i++)
		if (count_known(&counts->event[i]) || counts->event[i].state == COUNT_NONE)
			return;
	if (counting->none) {
		snprintf(counts->why, sizeof(counts->why), "%s", counting->why);
		counts->count = 0;
	} else if (counts->count > 0) {
		count_words(&counts->event[0], words, sizeof(words));
		snprintf(counts->why, sizeof(counts->why),
			"none of these events can be counted: %s", words);
	}
}

void counting_measure(struct counting *counting, struct measure *measure, unsigned passes,
	const atomic_bool *cancel, struct counts *counts)
{
	bool tried[COUNTERS_MAX] = { false };
	struct passes *made;
	int hardware = 0;
	double begin = clock_seconds();

	*counts = (struct counts){ .id = counting->open };
	if (counting->open == 0)
		return;
	counts->count = counting->plan.count;
	counts->groups = counting->group_count;
	snprintf(counts->pmu, sizeof(counts->pmu), "%s", counting->pmu.name);
	for (int i = 0; i < counts->count; i++) {
		counts->event[i].state = counting->event[i].state;
		counts->event[i].error = counting->event[i].error;
	}
	if (counting->group_count == 0) {
		say_why(counting, counts);
		return;
	}
	made = memory_new((size_t)counting->group_count, sizeof(*made));
	if (counting->clock.count > 0)
		group_stop(counting->calls, &counting->clock);
	for (unsigned round = 0; round < passes && round < PASSES_MOST; round++) {
		if (round > 0 && clock_seconds() - begin > rounds_until)
			break;
		for (int i = 0; i < counting->group_count && !atomic_load(cancel); i++) {
			int group = (counting->first + i) % counting->group_count;

			if (clock_seconds() - begin > round_until) {
				counting->first = group;
				break;
			}
			tried[group] = true;
			pass(counting, &counting->group[group], measure, &made[group]);
		}
	}
	for (int i = 0; i < counting->group_count; i++) {
		const struct counter_group *group = &counting->group[i];

		summarise(counting, group, &made[i], counts);
		/* What the kernel counts itself is in no register. */
		if (counting_is_hardware(&counting->event[group->event[0]].code)) {
			counts->direct = group->direct && (counts->direct || hardware == 0);
			hardware++;
		}
		for (int k = 0; k < group->count && made[i].made == 0 && tried[i]; k++)
			counts->event[group->event[k]].state = COUNT_HELD;
	}
	counts->next = counting->first;
	free(made);
	counting_start_clock(counting);
	say_why(counting, counts);
}
