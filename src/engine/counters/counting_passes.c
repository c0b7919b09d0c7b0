/* Counts the events of open groups. One pass counts one group of events, while the same loop runs
 * again and again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"
#include "engine/clock/clock.h"
#include "engine/counters/counting.h"
#include "engine/measure/measure.h"

/* Maximum number of counting passes for each group of events. */
enum { PASSES_MOST = 32 };

/* Time limits in seconds for counting events, from the start of counting. When counting events, a
 * round is one pass over the loop for each group of events. A new round of counting begins only
 * before `rounds_until`; a new pass begins only before `round_until`. The next request begins
 * counting with the first event group that this request did not reach. */
static const double rounds_until = 0.15, round_until = 2;

/* If an event group ran for a share of the time smaller than whole_time, the group shared its
 * counters. */
static const double whole_time = 0.995;

/* The results of the counting passes of one group of events. */
struct passes {
	unsigned tried, made;
	uint64_t enabled, running;
	double slope[COUNTERS_MAX]
		    [PASSES_MOST]; /* counts per element of each counting pass; the first index is
				      the event's position in the group */
};

/* Counts how much each event rises over one region: calls of the kernel on half a stretch or a
 * whole stretch of elements. Counting over half a stretch of elements and over the whole stretch
 * both use this function, which is never inlined. Reading the counters then needs the same
 * instructions for half a stretch and for a whole stretch of elements. The difference of the counts
 * for half and whole stretch of elements does not contain the instructions that read the counters.
 */
static __attribute__((noinline)) bool count_region(const struct counter_group *group,
	struct measure *measure, uint64_t elements, uint64_t rise[COUNTERS_MAX])
{
	uint64_t begin[COUNTERS_MAX], end[COUNTERS_MAX];
	bool good = group_values(group, begin);

	measure_region(measure, elements);
	good = group_values(group, end) && good;
	/* Differences of unsigned counts stay correct when a counter overflows 64 bits. */
	for (int i = 0; i < group->count; i++)
		rise[i] = end[i] - begin[i];
	return good;
}

/* Runs one counting pass of one event group, and adds the counts per element (slopes) to *passes.
 */
static void pass(struct counting *counting, const struct counter_group *group,
	struct measure *measure, struct passes *passes)
{
	const struct stretch *stretch = &measure->count;
	double elements = (double)stretch->calls * (double)(stretch->whole - stretch->half);
	uint64_t less[COUNTERS_MAX], more[COUNTERS_MAX];
	struct group_reading before, after;
	double share = 1;
	bool good;

	passes->tried++;
	good = group_start(group) && group_read(group, &before);
	if (good) {
		if (measure->rewind)
			measure_region(measure, stretch->half);
		good = count_region(group, measure, stretch->half, less);
		good = count_region(group, measure, stretch->whole, more) && good;
		good = group_read(group, &after) && good;
	}
	group_stop(group);
	if (!good)
		return;
	if (after.enabled > before.enabled)
		share = (double)(after.running - before.running) /
			(double)(after.enabled - before.enabled);
	passes->enabled += after.enabled - before.enabled;
	passes->running += after.running - before.running;
	if (share <= 0)
		return;
	for (int i = 0; i < group->count; i++) {
		passes->slope[i][passes->made] =
			((double)more[i] - (double)less[i]) / elements / share;
		if (less[i] > 0 || more[i] > 0)
			counting->event[group->event[i]].moved = true;
	}
	passes->made++;
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
		if (passes->made == 0) {
			if (passes->tried > 0)
				count->state = COUNT_HELD;
			continue;
		}
		stats_sort(slope, passes->made);
		/* An event count cannot be negative: a negative count per element is noise around
		 * zero. */
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

/* If no event could be counted, sets counts->why to one line with the reason. */
static void say_nothing_known(const struct counting *counting, struct counts *counts)
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
	made = memory_new((size_t)counting->group_count, sizeof(*made));
	if (counting->group_count > 0 && counting->clock.count > 0)
		group_stop(&counting->clock);
	for (unsigned round = 0; round < passes && round < PASSES_MOST &&
				 (round == 0 || clock_seconds() - begin <= rounds_until);
		round++) {
		for (int i = 0; i < counting->group_count && !atomic_load(cancel); i++) {
			int group = (counting->first + i) % counting->group_count;

			if (clock_seconds() - begin > round_until) {
				counting->first = group;
				break;
			}
			pass(counting, &counting->group[group], measure, &made[group]);
		}
	}
	for (int i = 0; i < counting->group_count; i++) {
		const struct counter_group *group = &counting->group[i];

		summarise(counting, group, &made[i], counts);
		/* Software events have no counter register: ignore them here. */
		if (counting_is_hardware(counting, group->event[0])) {
			counts->direct = group->direct && (counts->direct || hardware == 0);
			hardware++;
		}
	}
	counts->next = counting->first;
	free(made);
	if (counting->group_count > 0)
		counting_start_clock(counting);
	say_nothing_known(counting, counts);
}
