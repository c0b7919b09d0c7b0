#include "engine/measure/goal.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "engine/measure/rounds.h"
#include "engine/measure/settle.h"

/* Complete runs that take less than this, seconds, are over before anyone looks how far they are.
 */
#define REPORT_LEAST 0.05

/* Tells of the complete run that comes next: of those that must be made, and of those that the time
 * is enough for. */
static void report_run(const struct measure *measure, const struct measure_goal *goal,
	unsigned made, unsigned fewest, double each)
{
	double now = clock_seconds(), more = 0;

	if (!measure->run->complete || !measure->progress)
		return;
	if (made > 0 && each < REPORT_LEAST) {
		progress_end(measure->progress);
		return;
	}
	if (made > 0)
		more = ceil(fmax(goal->until - now, 0) / each);
	more = fmax(more, made < fewest ? fewest - made : 1);
	progress_begin(measure->progress, STAGE_RUNNING, made + 1,
		made + (unsigned)fmin(more, TRIALS_MAX));
}

/* The quiet trials of the present placement in steady state, oldest first: their places in the set.
 */
static unsigned steady_trials(
	const struct measure *measure, const struct trials *trials, unsigned *index)
{
	unsigned count = 0;

	for (unsigned i = 0; i < trials->count; i++)
		if (trials->trial[i].place == measure->place &&
			trials->trial[i].fate == TRIAL_QUIET && !trials->trial[i].unsettled)
			index[count++] = i;
	return count;
}

/* Whether trials beyond the core's own caches drift; `from`: the index of the last that should not
 * count then. */
static bool trials_drift(const struct measure *measure, const struct trials *trials, unsigned *from)
{
	unsigned index[TRIALS_MAX], count = steady_trials(measure, trials, index);
	double cpe[TRIALS_MAX];

	for (unsigned i = 0; i < count; i++)
		cpe[i] = trials->trial[index[i]].cpe;
	*from = count > 0 ? index[count / 2] : 0;
	return stats_drift(cpe, count, SETTLE_DRIFT);
}

static void mark_unsettled(const struct measure *measure, struct trials *trials, unsigned before)
{
	for (unsigned i = 0; i < before; i++)
		if (trials->trial[i].place == measure->place)
			trials->trial[i].unsettled = true;
}

/* Time is up or there is enough: trials that still drift are marked, and so are a few that cannot
 * tell where the walk before them drifted. */
static void mark_drifting(const struct measure *measure, struct trials *trials)
{
	unsigned from, index[TRIALS_MAX];

	if (!measure->far)
		return;
	if (trials_drift(measure, trials, &from) ||
		(measure->drifts && steady_trials(measure, trials, index) < TRIALS_SETTLED))
		mark_unsettled(measure, trials, trials->count);
}

/* The median is known precisely enough, and more trials would only take time. */
static bool is_precise(
	const struct measure *measure, const struct trials *trials, const struct measure_goal *goal)
{
	const struct run_facts facts = { .calls = 1 };
	struct sample sample;

	if (goal->precision <= 0 || measure->far || trials_quiet(trials) < QUIET_ENOUGH)
		return false;
	sample_summarise(trials, &facts, &sample);
	return sample.valid && !sample.contended && sample_precision(&sample) <= goal->precision;
}

/* Whether the goal is reached. What drifts goes on: its older half does not count. */
static bool is_reached(
	const struct measure *measure, struct trials *trials, const struct measure_goal *goal)
{
	unsigned from;

	trials_classify(trials);
	if (is_precise(measure, trials, goal))
		return true;
	if (trials_quiet(trials) < goal->quiet)
		return false;
	if (!measure->far || trials->count == 0)
		return true;
	if ((double)trials->trial[trials->count - 1].at < fmin(measure->lap, SETTLE_LAP))
		return false;
	if (!trials_drift(measure, trials, &from))
		return true;
	mark_unsettled(measure, trials, from);
	return false;
}

/* Trials rejected for other reasons than contention say nothing of whether the core is shared. */
static bool is_hopeless(struct trials *trials)
{
	unsigned judged = 0, quiet = 0;

	trials_classify(trials);
	for (unsigned i = 0; i < trials->count; i++) {
		judged += trials->trial[i].fate <= TRIAL_CONTENDED;
		quiet += trials->trial[i].fate == TRIAL_QUIET;
	}
	return judged >= 3 && quiet * 10 < trials->count;
}

void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel)
{
	double began = clock_seconds();
	unsigned made = 0, checked = 0, waited = 0;
	unsigned fewest = measure->run->complete ? goal->fewest > 0 ? goal->fewest : 1 : 3;
	bool counted = measure->counting;
	struct rounds rounds;

	rounds_begin(&rounds, measure);
	while (trials->count < goal->trials && !atomic_load(cancel)) {
		struct trial trial[ROUND_TRIALS];
		unsigned count;

		report_run(measure, goal, made, fewest,
			made > 0 ? (clock_seconds() - began) / made : 0);
		count = rounds_make(&rounds, goal->trials - trials->count, trial);
		/* A cancelled complete run ended early. */
		if (measure->run->complete && atomic_load(cancel))
			break;
		if (counted && !measure->counting)
			for (unsigned i = 0; i < trials->count; i++)
				trial_uncount(&trials->trial[i]);
		counted = measure->counting;
		/* The set is full and time is left: a contended spell may end yet. */
		if (trials->count + count > TRIALS_MAX) {
			trials_classify(trials);
			trials_make_room(trials);
		}
		memcpy(trials->trial + trials->count, trial, count * sizeof(*trial));
		trials->count += count;
		made += count;
		if (made >= fewest &&
			(double)trials->trial[trials->count - 1].at + measure->begin > goal->until)
			break;
		if (goal->patience > 0 && made / goal->patience > waited) {
			waited = made / goal->patience;
			if (is_hopeless(trials))
				break;
		}
		if ((trials->count >= goal->quiet || goal->precision > 0) && made / 8 > checked) {
			checked = made / 8;
			if (is_reached(measure, trials, goal))
				break;
		}
	}
	trials_classify(trials);
	mark_drifting(measure, trials);
}
