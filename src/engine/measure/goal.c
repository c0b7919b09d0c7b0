/* Rounds of trials. Each round of trials times the kernel once or twice, between two timings of the
 * reference chain and of the watch chain (which shows a busy hyper-thread) and loops. Only the
 * timed code of the kernel runs between two readings of the clock. */
#include "engine/measure/goal.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "engine/counters/counting.h"

/* The maximum number of trials (timings of the kernel) in a round. */
enum { ROUND_TRIALS = 2 };

/* A trial whose window loop (which shows a hyper-thread that is awake) takes more than this
 * multiple of its time on an undisturbed core counts as one whose watch loops are as slow. On
 * Golden Cove, an awake hyper-thread makes the window loop 1.8 times as slow, and noise is below 1
 * %. */
#define WINDOW_SLOW 1.2

struct chain_time {
	double slope; /* ticks per core cycle */
	double total; /* ticks of the short and the long run of the reference chain of dependent
			 instructions together */
};

/* Times measured before and after the kernel: of the instruction chains that serve as clock, and of
 * the thread (from the system). */
struct timed_round {
	struct chain_time before, after;
	uint64_t watch, turns; /* ticks of the watch chain and of the iterations of the watch loops
				  (which show a busy hyper-thread); `turns` is the higher value of
				  before and after the kernel */
	uint64_t window; /* ticks of the window loop (which shows a hyper-thread that is awake), the
			    higher value of before and after the kernel; 0: not timed */
	struct clock_thread was, now;
};

struct rounds {
	struct measure *measure;
	double hz;	 /* ticks per second */
	unsigned stable; /* number of successive rounds of trials with a stable clock */
	/* the last round of trials; its `before` and `was` are used in the next round */
	struct timed_round last;
};

/* Number of dependent instructions (links) in the two timed runs of the reference chain. The
 * shorter timed run of the reference chain of dependent instructions lasts 7,680 cycles, about 2
 * us. Most trials with chain runs of this length meet no interrupt, and the shorter run is long
 * compared with the counter's step. */
enum { CHAIN_SHORT = 2560, CHAIN_LONG = 5120 };

/* If a trial of a kind that may last seconds is longer than LONG_TRIAL seconds, the time of other
 * threads on the core is subtracted. If other threads use more than the share AWAY_MOST of the
 * trial, the trial is contended, because its data also left the caches. */
#define LONG_TRIAL 0.001
#define AWAY_MOST  0.01

/* Largest relative difference between the times of the reference chain of dependent instructions
 * before and after a trial. The core clock changes during a long trial, so the limit DRIFT_LONG of
 * a long trial is higher. Trials use the mean of the reference chain's times before and after the
 * trial. */
#define DRIFT_MOST 0.02
#define DRIFT_LONG 0.06

/* Returns the time of one timed region (calls of the kernel), in ticks. */
static inline uint64_t region_ticks(const struct measure *measure, uint64_t elements)
{
	uint64_t begin;

	measure->run->excluded = 0;
	begin = clock_ticks();
	measure_calls(measure, elements, measure->time.calls);
	return clock_ticks() - begin - measure->run->excluded;
}

/* Times one region as region_ticks() does, and also reads the core cycles of user space. The cycles
 * are read outside the timed region, because reading them may need a system call. The function is
 * never inlined, so that regions of both lengths execute the same extra instructions. */
static __attribute__((noinline)) uint64_t region_counted(
	const struct measure *measure, uint64_t elements, uint64_t *cycles)
{
	uint64_t begin = counting_read_cycles(measure->counting);
	uint64_t ticks = region_ticks(measure, elements);

	*cycles = counting_read_cycles(measure->counting) - begin;
	return ticks;
}

static struct chain_time chain_ticks(const struct clock *clock)
{
	uint64_t a = clock_ticks();
	clock_chain(CHAIN_SHORT);
	uint64_t b = clock_ticks();
	clock_chain(CHAIN_LONG);
	uint64_t c = clock_ticks();

	return (struct chain_time){
		.slope = ((double)(c - b) - (double)(b - a)) /
			 ((CHAIN_LONG - CHAIN_SHORT) * clock->link),
		.total = (double)(c - a),
	};
}

/* Returns the seconds, during a trial, in which other threads ran on the core. The time of other
 * threads is 0 if there was no context switch. */
static double away(const struct clock_thread *before, const struct clock_thread *after)
{
	if (after->switches == before->switches)
		return 0;
	return fmax(after->at - before->at - (after->on - before->on), 0);
}

/* Whether the time of other threads is subtracted from trials. A trial may last seconds if it runs
 * over a whole ring of data, or if it calls the user's own loop with much data. */
static bool subtracts(const struct measure *measure)
{
	return measure->run->complete ||
	       (measure->run->kernel->isolated &&
		       measure->each * (double)measure->time.whole * measure->time.calls >=
			       LONG_TRIAL);
}

/* Whether a trial is so long that it always meets context switches. */
static bool is_long(const struct measure *measure, const struct clock_thread *before,
	const struct clock_thread *after)
{
	return subtracts(measure) && after->at - before->at >= LONG_TRIAL;
}

/* Returns the ticks of one timed region, and its user-space cycles if cycles are counted. If the
 * timed part of the code lasts long, the time in which other threads ran on the core is subtracted.
 */
static uint64_t region(
	const struct measure *measure, uint64_t elements, double hz, uint64_t *cycles)
{
	struct clock_thread first = { 0 }, last;
	uint64_t ticks;
	bool away_counts = subtracts(measure);
	double gone;

	if (away_counts)
		first = clock_thread();
	ticks = measure->counting ? region_counted(measure, elements, cycles)
				  : region_ticks(measure, elements);
	if (!away_counts)
		return ticks;
	last = clock_thread();
	gone = away(&first, &last) * hz;
	return ticks - (gone < (double)ticks ? (uint64_t)gone : ticks);
}

/* Times of the kernel's calls on half a stretch and on a whole stretch of elements, from clock
 * readings. */
struct timed {
	uint64_t half, whole;		    /* ticks */
	uint64_t half_cycles, whole_cycles; /* core cycles of the calls on half a stretch and on a
					       whole stretch of elements, if cycles are counted */
};

/* Trials shorter than ROUND_SHORT seconds share one timing of the instruction chains while the
 * clock is stable. The clock is stable if, in each of the last ROUNDS_STABLE rounds of trials, the
 * times of the chain before and after differed by at most the share ROUND_STABLE. */
#define ROUND_SHORT  60e-6
#define ROUND_STABLE 0.003
enum { ROUNDS_STABLE = 3 };

static unsigned trials_of_round(const struct measure *measure, unsigned stable)
{
	double seconds = measure->each *
			 (double)((measure->time.half + measure->time.whole) * measure->time.calls);

	return stable >= ROUNDS_STABLE && !measure->far && !measure->run->complete &&
			       seconds < ROUND_SHORT
		       ? ROUND_TRIALS
		       : 1;
}

static uint64_t turn_ticks(void)
{
	uint64_t begin = clock_ticks();

	clock_turn(CLOCK_TURNS);
	return clock_ticks() - begin;
}

static uint64_t window_ticks(const struct clock *clock)
{
	const struct clock_window window = clock_window_of(clock->buffer);
	uint64_t begin;

	if (!clock->watched || !(clock->window > 0))
		return 0;
	/* The first pass brings the code back into the caches. */
	clock_window(&window, 1);
	begin = clock_ticks();
	clock_window(&window, CLOCK_WINDOWS);
	return clock_ticks() - begin;
}

static uint64_t watch_ticks(void)
{
	uint64_t begin = clock_ticks();

	clock_watch(TRIAL_WATCH_LINKS);
	return clock_ticks() - begin;
}

/* The number of untimed passes over the data before a trial, and the most seconds that they take: a
 * pass over data that fit the second-level cache takes 20 to 80 microseconds. */
enum { UNTIMED_PASSES = 3 };
#define UNTIMED_MOST 2e-4

/* Walks over the data, untimed. A system call, which comes before each trial, may empty the TLB:
 * Linux with page-table isolation does so if the processor has no PCID. Only the first of the two
 * timed regions would then include the page walks: measured 13.3 in place of 14.0 cycles for loads
 * from 256 KiB, and 0.4 to 75 in place of 21 for loads from 1,500 pages. The page walks of the
 * first pass evict data from the first-level cache, so a second pass follows. */
static void walk_untimed(const struct measure *measure)
{
	const struct kernel_run *run = measure->run;
	double elements = fmin(UNTIMED_PASSES * (double)run->ring,
		ceil(UNTIMED_MOST / fmax(measure->each, 1e-12)));

	measure_calls(
		measure, round_up((uint64_t)elements, run->period ? run->period : run->granule), 1);
}

/* Times the kernel `count` times between two timings of the chains of dependent instructions: the
 * reference chain and the watch chain. round->before and round->was come from the previous round.
 */
static void time_round(const struct measure *measure, struct timed_round *round,
	struct timed *timed, unsigned count, double hz)
{
	const struct clock *clock = measure->clock;

	round->watch = clock->watched ? watch_ticks() : 0;
	round->turns = clock->watched ? turn_ticks() : 0;
	round->window = window_ticks(clock);
	/* Make one untimed call: after some microseconds of scalar code, the vector units need
	 * about as long to reach full speed. Without the untimed call, only the first timed region
	 * would include the time in which the vector units reach full speed. */
	if (measure->rewind)
		region_ticks(measure, measure->time.half);
	else if (!measure->far && !measure->run->walk.flushed)
		walk_untimed(measure);
	for (unsigned i = 0; i < count; i++) {
		timed[i] = (struct timed){ 0 };
		timed[i].half = region(measure, measure->time.half, hz, &timed[i].half_cycles);
		timed[i].whole = region(measure, measure->time.whole, hz, &timed[i].whole_cycles);
	}
	/* A long timed region of the kernel has evicted the code of the instruction chains from the
	 * caches. Run the instruction chains once untimed: without this warm-up, the core clock
	 * seemed 3 to 13 % too fast. */
	clock_turn(CLOCK_CHAIN_UNIT);
	clock_chain(CLOCK_CHAIN_UNIT);
	if (clock->watched) {
		uint64_t turns = turn_ticks(), window = window_ticks(clock);

		round->turns = turns > round->turns ? turns : round->turns;
		round->window = window > round->window ? window : round->window;
	}
	round->after = chain_ticks(clock);
	round->now = clock_thread();
}

/* The fate of a trial (quiet, or the reason to discard it), judged by its round and not by the
 * trial's own time. */
static enum trial_fate fate_of(const struct measure *measure, const struct timed_round *round)
{
	double most = round->now.at - round->was.at > LONG_TRIAL ? DRIFT_LONG : DRIFT_MOST;

	if (round->before.slope <= 0 || round->after.slope <= 0)
		return TRIAL_BROKEN;
	if (round->now.switches != round->was.switches &&
		!is_long(measure, &round->was, &round->now))
		return TRIAL_SWITCHED;
	if (measure->cpu >= 0 && sched_getcpu() != measure->cpu)
		return TRIAL_MOVED;
	if (fabs(round->after.total - round->before.total) > most * round->before.total)
		return TRIAL_DRIFTED;
	return TRIAL_QUIET;
}

static struct trial make_trial(const struct measure *measure, const struct timed_round *round,
	const struct timed *timed, enum trial_fate fate, double hz)
{
	const struct clock *clock = measure->clock;
	/* For a working set larger than the core's own caches, prefetchers and memory queues
	 * restart after each pause. For about 50 us after a pause, prefetchers and queues run
	 * faster or slower than in an endless walk. Subtracting the time of half the elements would
	 * double the error of such a spell (reads of a line each: 17 cycles instead of 13). For a
	 * working set larger than the core's own caches, the calls on half the elements are
	 * therefore only a warm-up, and the cost of a call is negligible. */
	double elements = (double)measure->time.calls *
			  (double)(measure->far ? measure->time.whole
						: measure->time.whole - measure->time.half);
	double cycle = (round->before.slope + round->after.slope) / 2, cycles = 1;
	double slope =
		((double)timed->whole - (measure->far ? clock->overhead : (double)timed->half)) /
		elements;
	struct trial trial = {
		.cpe = slope / cycle,
		.ghz = hz / cycle * 1e-9,
		.check = NAN,
		.watch = trial_watch(clock, (double)round->watch, cycle),
		.turns = clock->watched ? (float)(((double)round->turns - clock->overhead) / cycle /
						  clock->turn / CLOCK_TURNS)
					: NAN,
		.at = (float)(clock_seconds() - measure->begin),
		.fate = (uint8_t)fate,
		.place = measure->place,
	};

	if (measure->counting)
		cycles = ((double)timed->whole_cycles -
				 (measure->far ? 0 : (double)timed->half_cycles)) /
			 elements;
	if (slope <= 0 || cycles <= 0)
		trial.fate = TRIAL_BROKEN;
	/* If cycles are counted, the trial uses the counted cycles. The trial's cycles per element
	 * by the reference chain of dependent instructions are only used for the field `check`. */
	if (measure->counting && trial.fate != TRIAL_BROKEN) {
		trial.check = (float)(trial.cpe / cycles);
		trial.cpe = cycles;
		trial.ghz = cycles / (slope / hz) * 1e-9;
	}
	if (round->window > 0) {
		double slower =
			clock_window_cycles(clock, (double)round->window, cycle) / clock->window;

		if (slower > WINDOW_SLOW)
			trial.turns = fmaxf(trial.turns, (float)slower);
	}
	/* trials_classify() judges a trial by the time of its watch chain, so a long time marks the
	 * trial as contended. */
	if (is_long(measure, &round->was, &round->now) &&
		away(&round->was, &round->now) > AWAY_MOST * (round->now.at - round->was.at) &&
		clock->watched)
		trial.turns = fmaxf(trial.turns, 2);
	return trial;
}

static void rounds_begin(struct rounds *rounds, struct measure *measure)
{
	*rounds = (struct rounds){
		.measure = measure, .hz = clock_hz(measure->clock), .last.was = clock_thread()
	};
	clock_clean_vectors();
	clock_chain(CHAIN_LONG);
	rounds->last.before = chain_ticks(measure->clock);
}

/* Times one round of trials and judges its trials by all criteria except the watch chain (which
 * shows a busy hyper-thread) and loops, which trials_classify() uses. Returns the number of trials
 * in the round, at most `most`. If the cycle counter is lost, rounds_make() sets measure->counting
 * to NULL, and the trials use the reference chain of dependent instructions. */
static __attribute__((noinline)) unsigned rounds_make(
	struct rounds *rounds, unsigned most, struct trial trial[ROUND_TRIALS])
{
	struct measure *measure = rounds->measure;
	struct timed_round *round = &rounds->last;
	unsigned count = trials_of_round(measure, rounds->stable);
	struct timed timed[ROUND_TRIALS];
	enum trial_fate fate;

	if (count > most)
		count = most;
	time_round(measure, round, timed, count, rounds->hz);
	fate = fate_of(measure, round);
	if (measure->counting && !counting_cycles(measure->counting))
		measure->counting = NULL;
	for (unsigned i = 0; i < count; i++)
		trial[i] = make_trial(measure, round, &timed[i], fate, rounds->hz);
	rounds->stable = fate == TRIAL_QUIET && fabs(round->after.total - round->before.total) <=
							ROUND_STABLE * round->before.total
				 ? rounds->stable + 1
				 : 0;
	round->was = round->now;
	round->before = round->after;
	return count;
}

/* ---- until the goal is reached */

/* Minimum duration, in seconds, of complete runs with a progress report: shorter runs end too soon
 * for a report. */
#define REPORT_LEAST 0.05

/* Reports the next complete run of the kernel over its data, and the number of planned runs. The
 * planned complete runs of the kernel are the runs that must be made, or the runs that fit into the
 * time. */
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

/* Finds the quiet (undisturbed) trials of the working set's current position in memory in steady
 * state, oldest first. The array `index` receives the positions of the quiet trials in the set of
 * trials. Returns the number of trials found. */
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

/* Whether the times of the trials drift, for a working set larger than the core's own caches. If
 * the times of the trials drift, trials before index *from should not be used. */
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

/* Marks trials as unsettled whose times still drift after the last trial. Trials are also marked as
 * unsettled if the untimed walk before the first trial drifted and there are too few trials to
 * detect a drift. */
static void mark_drifting(const struct measure *measure, struct trials *trials)
{
	unsigned from, index[TRIALS_MAX];

	if (!measure->far)
		return;
	if (trials_drift(measure, trials, &from) ||
		(measure->drifts && steady_trials(measure, trials, index) < TRIALS_SETTLED))
		mark_unsettled(measure, trials, trials->count);
}

/* Whether the median of the trials is so precise that more trials are not needed. */
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

/* Whether the goal is reached. If the times of the trials drift, the goal is not reached: the older
 * half of the trials is marked as unsettled, and more trials follow. */
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

/* Whether fewer than a tenth of the trials are quiet. Trials rejected for other reasons than
 * contention do not show whether the core is shared. */
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
	unsigned most = goal->trials > 0 ? goal->trials : UINT_MAX;
	bool counted = measure->counting;
	struct rounds rounds;

	rounds_begin(&rounds, measure);
	while (trials->count < most && !atomic_load(cancel)) {
		struct trial trial[ROUND_TRIALS];
		unsigned count;

		report_run(measure, goal, made, fewest,
			made > 0 ? (clock_seconds() - began) / made : 0);
		count = rounds_make(&rounds, most - trials->count, trial);
		/* A cancelled run did not go over the kernel's whole data (the ring): discard the
		 * trial of this run. */
		if (measure->run->complete && atomic_load(cancel))
			break;
		if (counted && !measure->counting)
			for (unsigned i = 0; i < trials->count; i++)
				trial_uncount(&trials->trial[i]);
		counted = measure->counting;
		/* The set of trials is full but time is left: remove old trials to make room for
		 * more, because the contention may still end. */
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

struct run_facts measure_facts(const struct measure *measure)
{
	const struct kernel_run *run = measure->run;

	return (struct run_facts){
		.cycles_from = measure_source(measure),
		.ring = run->ring,
		.granule = run->granule,
		.bytes = run->bytes,
		.footprint = kernel_footprint(run->kernel, run->v),
		.call = measure->time.whole,
		.calls = measure->time.calls,
		.watched = measure->clock->watched,
		.far = measure->far,
	};
}
