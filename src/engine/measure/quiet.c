/* What tells quiet trials from disturbed ones: the watch chain and the watch loops, beside the
 * reference chain. See measure.h. Pure. */
#include <math.h>

#include "base/stats.h"
#include "engine/measure/measure.h"

/* Slower than these is contended. A busy sibling costs the watch chain 2.5 to 3.5 % on Zen 5, noise
 * after smoothing 0.5 %. On Zen 3 it leaves the chain alone at most times, but turns of the small
 * watch loop then take 1.65 to 2.5 cycles instead of 1.00 to 1.14, with nothing in between (120,000
 * readings beside a busy sibling); on Redwood Cove the wide one takes twice as long. Either makes
 * both together more than a third slower. */
static const double watch_slow = 1.015, turns_slow = 1.2;

/* The reference chain is slower at times than the watch chain beside it, by up to three, for
 * milliseconds (Redwood Cove): cycles by it are then too few by as much, whatever is timed. One
 * reading is good to some 1 %. */
static const double chain_slow = 0.95;

float measure_watch(const struct clock *clock, double ticks, double cycle)
{
	double told = (ticks - clock->overhead) / cycle / MEASURE_WATCH_LINKS;

	if (!clock->watched)
		return NAN;
	return (float)(clock->link_sure && told > 0 && told < chain_slow ? 1 / told : told);
}

void measure_classify(struct trials *trials)
{
	for (unsigned i = 0; i < trials->count; i++) {
		struct trial *trial = &trials->trial[i];
		double links[5], turns[5];
		unsigned from = i < 2 ? 0 : i - 2, count = 0;

		if (trial->fate != TRIAL_QUIET && trial->fate != TRIAL_CONTENDED)
			continue;
		if (from + 5 > trials->count)
			from = trials->count < 5 ? 0 : trials->count - 5;
		for (unsigned k = from; k < trials->count && count < 5; k++)
			if (!isnan(trials->trial[k].watch) && !isnan(trials->trial[k].turns)) {
				links[count] = (double)trials->trial[k].watch;
				turns[count++] = (double)trials->trial[k].turns;
			}
		trial->fate = TRIAL_QUIET;
		if (count > 0 && (stats_median(links, count) > watch_slow ||
					 stats_median(turns, count) > turns_slow ||
					 (double)trial->turns > turns_slow))
			trial->fate = TRIAL_CONTENDED;
	}
}

static double chain_ghz(const struct trial *trial)
{
	return trial->check > 0 ? trial->ghz * (double)trial->check : trial->ghz;
}

double measure_best_turns(const struct trials *trials, double *ghz)
{
	double turns[TRIALS_MAX], clocks[TRIALS_MAX];
	size_t count = 0;

	/* By the reference chain, also where another clock counts. */
	for (unsigned i = 0; i < trials->count; i++)
		if (!isnan(trials->trial[i].turns) && trials->trial[i].fate <= TRIAL_CONTENDED)
			clocks[count++] = chain_ghz(&trials->trial[i]);
	*ghz = NAN;
	if (count < 10)
		return NAN;
	stats_sort(clocks, count);
	*ghz = stats_quantile(clocks, count, 0.9);
	/* Only of trials in which the chain itself ran at full speed. */
	count = 0;
	for (unsigned i = 0; i < trials->count; i++)
		if (!isnan(trials->trial[i].turns) && trials->trial[i].fate <= TRIAL_CONTENDED &&
			chain_ghz(&trials->trial[i]) >= 0.99 * *ghz)
			turns[count++] = (double)trials->trial[i].turns;
	if (count < 10)
		return NAN;
	stats_sort(turns, count);
	return stats_quantile(turns, count, 0.1);
}
