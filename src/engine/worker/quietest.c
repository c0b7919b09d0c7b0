#include "engine/worker/quietest.h"

#include <math.h>
#include <sched.h>

#include "base/stats.h"
#include "engine/clock/clock.h"

/* Another processor is taken only if the watch loops (which show a busy hyper-thread) are slower on
 * the first one by more than this factor. A busy hyper-thread makes them slower by a third at
 * least. */
#define QUIETER 1.2

/* Readings of the watch loops on a processor. */
enum { READINGS = 13 };

/* A core that wakes from sleep runs slowly for some time. This number of instructions of the
 * reference chain lasts about 20 us. */
enum { WARM_LINKS = 1 << 14 };

int quietest_of(const double *turns, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (turns[i] < turns[best] || isnan(turns[best]))
			best = isnan(turns[i]) ? best : i;
	return turns[0] > QUIETER * turns[best] || isnan(turns[0]) ? best : 0;
}

/* Returns the median time of the watch loops on a processor, compared with the reference chain of
 * dependent instructions, which a busy hyper-thread does not slow down; NAN: the processor cannot
 * be used. */
static double turns_on(const struct topology *topology, int cpu)
{
	const struct status bound = topology_bind(topology, cpu);
	struct clock_reading readings[READINGS];
	double ratio[READINGS];

	if (!status_is_ok(&bound))
		return NAN;
	clock_chain(WARM_LINKS);
	clock_turn(CLOCK_TURNS);
	clock_read_turns(readings, READINGS);
	for (int i = 0; i < READINGS; i++)
		ratio[i] = readings[i].turns / readings[i].links;
	return stats_median(ratio, READINGS);
}

int quietest_core(const struct topology *topology, int chosen)
{
	int cpu[QUIETEST_CORES] = { chosen }, count = 1;
	int others[QUIETEST_CORES - 1];
	int found = topology_others(topology, chosen, others, QUIETEST_CORES - 1);
	double turns[QUIETEST_CORES];
	cpu_set_t before;

	if (!CLOCK_HAS_WATCH || sched_getaffinity(0, sizeof(before), &before) != 0)
		return chosen;
	for (int i = 0; i < found; i++)
		if (topology_same_kind(topology, chosen, others[i]))
			cpu[count++] = others[i];
	if (count == 1)
		return chosen;
	for (int i = 0; i < count; i++)
		turns[i] = turns_on(topology, cpu[i]);
	sched_setaffinity(0, sizeof(before), &before);
	return cpu[quietest_of(turns, count)];
}
