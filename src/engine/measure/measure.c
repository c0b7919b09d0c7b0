/* Trials: see measure.h. Between two clock readings stands nothing but the code that is timed. */
#include "engine/measure/measure.h"

#include <math.h>
#include <sched.h>

#include "base/stats.h"
#include "engine/counters/counting.h"
#include "engine/measure/settle.h"

/* Links of the chains. The shorter reference region lasts 7,680 cycles, about 2 µs; trials must be
 * short, so that most of them meet no interruption, and long against the counter's step. */
enum { CHAIN_SHORT = 2560, CHAIN_LONG = 5120, WATCH_LINKS = MEASURE_WATCH_LINKS };

/* The smallest n of a trial whose whole working set is one pass: in less, what a call costs apart
 * from its elements shows in the slope. */
enum { RING_MINIMUM = 2048 };

/* Seconds of the shorter timed region: in the first cache, where a trial should be over before an
 * interruption comes; and beyond, where each stretch starts anew in cold lines and must be long
 * enough to settle. */
static const double region_near = 5e-6;
static const double region_far = 25e-6;

/* A trial of a whole ring may last seconds. Where it lasts longer than this, time in which
 * something else had the core is taken off it; away for more than that share of its time it is
 * contended: its data had to come back, too. */
#define LONG_TRIAL 0.001
#define AWAY_MOST  0.01

/* The reference chain before and after a trial may differ by so much; of one that lasts long the
 * clock wanders meanwhile, and the mean of both is what there is. */
#define DRIFT_MOST 0.02
#define DRIFT_LONG 0.06

/* Complete runs that take less than this, seconds, are over before anyone looks how far they are.
 */
#define TOLD_LEAST 0.05

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static double seconds_of_call(const struct measure *measure, uint64_t elements)
{
	struct kernel_run *run = measure->run;
	uint64_t begin, end;

	begin = clock_ticks();
	run->kernel->call(run, elements);
	clock_fence();
	end = clock_ticks();
	return (double)(end - begin) / measure->clock->hz;
}

/* Reads one byte of every line, in the order of memory: the quickest way to bring a working set
 * into the caches. */
static void touch(
	const struct kernel_run *run, uint64_t bytes, double until, const atomic_bool *cancel)
{
	const volatile unsigned char *memory = run->memory;

	for (uint64_t i = 0; i < bytes; i += 64) {
		(void)memory[i];
		if (i % (1 << 18) == 0 && (clock_seconds() > until || atomic_load(cancel)))
			return;
	}
}

/* On what fits the first cache, calls begin at the ring's beginning, and end where they like. */
static struct stretch within_ring(const struct kernel_run *run, double each)
{
	uint64_t turns = run->ring / run->granule;
	struct stretch stretch = { .half = turns / 8 * run->granule,
		.whole = (turns - 1) * run->granule };

	stretch.calls = (unsigned)fmax(
		1, fmin(1000, ceil(2 * region_near / (each * (double)stretch.whole))));
	return stretch;
}

/* Beyond the first cache calls go on where the last one stopped. */
static void choose_long(struct measure *measure, double region)
{
	const struct kernel_run *run = measure->run;

	measure->half = round_up((uint64_t)(region / measure->each) + 1, run->granule);
	if (measure->half < round_up(RING_MINIMUM / 2, run->granule) && measure->each < 2e-8)
		measure->half = round_up(RING_MINIMUM / 2, run->granule);
	measure->whole = 2 * measure->half;
}

void measure_settled(struct measure *measure, double each)
{
	const struct kernel_run *run = measure->run;

	measure->each = each;
	measure->lap = each * (double)run->ring;
	measure->begin = clock_seconds();
	if (!measure->far || measure->rewind || run->complete || run->period || !(each > 0))
		return;
	choose_long(measure, fmax(region_far, 400 * measure->clock->step / measure->clock->hz));
	measure->count = (struct stretch){
		.half = measure->half, .whole = measure->whole, .calls = measure->calls
	};
}

void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock,
	uint64_t first_cache, uint64_t warm_most, double warm_seconds, const atomic_bool *cancel)
{
	uint64_t footprint = kernel_footprint(run->kernel, run->v);
	bool near = footprint <= first_cache;
	double until = clock_seconds() + warm_seconds, region, seconds, each, shortest;
	uint64_t pilot = round_up(512, run->granule),
		 period = near && run->passes ? 0 : run->period;

	*measure = (struct measure){ .run = run, .clock = clock, .calls = 1, .cpu = -1 };
	clock_clean_vectors();
	if (footprint <= warm_most && !run->kernel->cold)
		touch(run, footprint, until, cancel);

	/* Double a call until it lasts long enough to be judged; that also walks the ring warm. */
	seconds = seconds_of_call(measure, pilot);
	while (seconds < 4e-6 && !atomic_load(cancel)) {
		pilot *= 2;
		seconds = seconds_of_call(measure, pilot);
	}
	seconds = fmin(seconds, seconds_of_call(measure, pilot)) / (double)pilot;
	/* A coarse counter may not have moved in what a cancelled pilot measured. */
	if (seconds <= 0)
		seconds = 1e-9;
	measure->each = each = seconds;
	measure->lap = each * (double)run->ring;

	region = near ? region_near : region_far;
	shortest = 400 * clock->step / clock->hz;
	if (region < shortest)
		region = shortest;
	measure->rewind = near && !period;
	if (run->complete) {
		/* What a call costs apart from its elements is part of the whole; only the fence is
		 * not. */
		measure->rewind = true;
		measure->whole = run->ring;
		measure->calls =
			(unsigned)fmax(1, fmin(ceil(region / (seconds * (double)run->ring)), 1000));
	} else if (period) {
		region = fmax(region, region_far);
		measure->half = round_up((uint64_t)(region / seconds) + 1, period);
		measure->whole = 2 * measure->half;
	} else if (near && run->kernel->seamless) {
		/* One long call each: a misprediction at its end, which may strike one side alone,
		 * then weighs little. */
		measure->half =
			round_up((uint64_t)(region / seconds) + RING_MINIMUM / 2, run->granule);
		measure->whole = 2 * measure->half;
	} else if (near) {
		/* Whole passes of a small ring on either side; half a pass and a pass of one that
		 * is long enough. */
		uint64_t passes = (RING_MINIMUM / 2 + run->ring - 1) / run->ring;

		if (!run->passes && ((run->ring >= RING_MINIMUM && run->ring >= 2 * run->granule) ||
					    run->kernel->halved)) {
			measure->whole = run->ring;
			measure->half = run->kernel->halved
						? run->ring / 2
						: run->ring / 2 / run->granule * run->granule;
		} else {
			measure->half = passes * run->ring;
			measure->whole = 2 * measure->half;
		}
		seconds *= (double)measure->half;
		if (seconds < region)
			measure->calls = (unsigned)fmin(ceil(region / seconds), 1000);
	} else {
		choose_long(measure, region);
	}
	if (near && !run->kernel->halved && !run->complete && !period &&
		run->ring >= 8 * run->granule)
		measure->count = within_ring(run, each);
	else
		measure->count = (struct stretch){
			.half = measure->half, .whole = measure->whole, .calls = measure->calls
		};
	kernel_rewind(run);
	measure->begin = clock_seconds();
}

/* One timed region: calls on the given number of elements. */
static inline uint64_t region_ticks(
	const struct measure *measure, uint64_t elements, unsigned calls)
{
	struct kernel_run *run = measure->run;
	void (*call)(struct kernel_run *, uint64_t) = run->kernel->call;
	uint64_t begin = clock_ticks();

	for (unsigned i = 0; i < calls; i++) {
		if (measure->rewind)
			kernel_rewind(run);
		call(run, elements);
		clock_fence();
	}
	return clock_ticks() - begin;
}

void measure_region(struct measure *measure, uint64_t elements)
{
	region_ticks(measure, elements, measure->count.calls);
}

/* The same with the core cycles of user space, which are read outside the ticks: reading them may
 * take a system call. Never inlined: what stands between the readings besides is then the same for
 * both lengths. */
static __attribute__((noinline)) uint64_t region_counted(
	const struct measure *measure, uint64_t elements, uint64_t *cycles)
{
	uint64_t begin = counting_read_cycles(measure->counting);
	uint64_t ticks = region_ticks(measure, elements, measure->calls);

	*cycles = counting_read_cycles(measure->counting) - begin;
	return ticks;
}

struct chain_time {
	double slope; /* ticks a cycle */
	double total; /* ticks of both regions */
};

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

/* Seconds that something else ran meanwhile; 0: nothing did. */
static double away(const struct clock_thread *before, const struct clock_thread *after)
{
	if (after->switches == before->switches)
		return 0;
	return fmax(after->at - before->at - (after->on - before->on), 0);
}

/* Whether a trial lasts so long itself that it meets switches whatever is done. */
static bool is_long(const struct measure *measure, const struct clock_thread *before,
	const struct clock_thread *after)
{
	return measure->run->complete && after->at - before->at >= LONG_TRIAL;
}

/* One region, in ticks, and in cycles where they are counted: of the program alone. Of a complete
 * run, which may last seconds, without the time in which something else ran. */
static uint64_t region(
	const struct measure *measure, uint64_t elements, double hz, uint64_t *cycles)
{
	struct clock_thread first = { 0 }, last;
	uint64_t ticks;
	double gone;

	if (measure->run->complete)
		first = clock_thread();
	ticks = measure->counting ? region_counted(measure, elements, cycles)
				  : region_ticks(measure, elements, measure->calls);
	if (!measure->run->complete)
		return ticks;
	last = clock_thread();
	gone = away(&first, &last) * hz;
	return ticks - (gone < (double)ticks ? (uint64_t)gone : ticks);
}

/* A trial by counted cycles: what the reference chain says of it becomes the check. */
static void count_trial(struct trial *trial, double cycles, double seconds)
{
	double cpe = trial->cpe;

	trial->cpe = cycles;
	trial->ghz = cycles / seconds * 1e-9;
	trial->check = (float)(cpe / cycles);
}

/* Others have taken the counter: from here on, and for what was measured before, the reference
 * chain is the clock. */
static void lose_counter(struct measure *measure, struct trials *trials)
{
	measure->counting = NULL;
	for (unsigned i = 0; i < trials->count; i++)
		trial_uncount(&trials->trial[i]);
}

/* Tells of the complete run that comes next: of those that must be made, and of those that the time
 * is enough for. */
static void tell_run(const struct measure *measure, const struct measure_goal *goal, unsigned made,
	unsigned fewest, double each)
{
	double now = clock_seconds(), more = 0;

	if (!measure->run->complete || !measure->progress)
		return;
	if (made > 0 && each < TOLD_LEAST) {
		progress_end(measure->progress);
		return;
	}
	if (made > 0)
		more = ceil(fmax(goal->until - now, 0) / each);
	more = fmax(more, made < fewest ? fewest - made : 1);
	progress_begin(measure->progress, STAGE_RUNNING, made + 1,
		made + (unsigned)fmin(more, TRIALS_MAX));
}

/* What two clock readings found of the kernel. */
struct timed {
	uint64_t half, whole;		    /* ticks */
	uint64_t half_cycles, whole_cycles; /* where they are counted */
};

/* What was timed around the kernel, and how the system saw it. */
struct round {
	struct chain_time before, after;
	uint64_t watch, turns; /* ticks; of turns the worse of before and after */
	struct clock_thread was, now;
};

/* The most trials between two readings of the chains. */
enum { ROUND_TRIALS = 2 };

/* Trials this short, seconds, share their readings of the chains while the clock is stable: rounds
 * in which the chain before and after differed by no more than this, relatively. */
#define ROUND_SHORT  60e-6
#define ROUND_STABLE 0.003
enum { ROUNDS_STABLE = 3 };

static unsigned trials_of_round(const struct measure *measure, unsigned stable)
{
	double seconds =
		measure->each * (double)((measure->half + measure->whole) * measure->calls);

	return stable >= ROUNDS_STABLE && !measure->far && !measure->run->complete &&
			       seconds < ROUND_SHORT
		       ? ROUND_TRIALS
		       : 1;
}

static uint64_t watch_ticks(uint64_t *turns)
{
	uint64_t begin = clock_ticks(), middle;

	clock_watch(WATCH_LINKS);
	middle = clock_ticks();
	clock_turn(CLOCK_TURNS);
	*turns = clock_ticks() - middle;
	return middle - begin;
}

/* Times the kernel so many times between two readings of the chains. round->before and was are
 * those of the last one. */
static void time_round(const struct measure *measure, struct round *round, struct timed *timed,
	unsigned count, double hz)
{
	const struct clock *clock = measure->clock;
	uint64_t begin, turns;

	round->watch = round->turns = 0;
	if (clock->watched)
		round->watch = watch_ticks(&round->turns);
	/* Once untimed: after some microseconds of scalar code the vector units need as long to
	 * come to full speed, and only the region that is timed first would pay for it. */
	if (measure->rewind)
		region_ticks(measure, measure->half, measure->calls);
	for (unsigned i = 0; i < count; i++) {
		timed[i] = (struct timed){ 0 };
		timed[i].half = region(measure, measure->half, hz, &timed[i].half_cycles);
		timed[i].whole = region(measure, measure->whole, hz, &timed[i].whole_cycles);
	}
	/* A long region has put what is timed next out of the caches: bringing it back made the
	 * clock seem 3 to 13 % faster than it is. */
	clock_turn(CLOCK_CHAIN_UNIT);
	clock_chain(CLOCK_CHAIN_UNIT);
	if (clock->watched) {
		begin = clock_ticks();
		clock_turn(CLOCK_TURNS);
		turns = clock_ticks() - begin;
		if (turns > round->turns)
			round->turns = turns;
	}
	round->after = chain_ticks(clock);
	round->now = clock_thread();
}

/* What the round says of a trial apart from its own time. */
static enum trial_fate fate_of(const struct measure *measure, const struct round *round)
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

static struct trial make_trial(const struct measure *measure, const struct round *round,
	const struct timed *timed, enum trial_fate fate, double hz)
{
	const struct clock *clock = measure->clock;
	/* Beyond the core's own caches the half only fills prefetchers and the queues to memory
	 * after the pause. For about 50 us these run faster or slower than in an endless walk, and
	 * a difference would double that (reads of a line each: 17 cycles where 13 are right).
	 * The cost of a call itself is nothing there. */
	double elements = (double)measure->calls *
			  (double)(measure->far ? measure->whole : measure->whole - measure->half);
	double cycle = (round->before.slope + round->after.slope) / 2, cycles = 1;
	double slope =
		((double)timed->whole - (measure->far ? clock->overhead : (double)timed->half)) /
		elements;
	struct trial trial = {
		.cpe = slope / cycle,
		.ghz = hz / cycle * 1e-9,
		.check = NAN,
		.watch = measure_watch(clock, (double)round->watch, cycle),
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
	if (measure->counting && trial.fate != TRIAL_BROKEN)
		count_trial(&trial, cycles, slope / hz);
	/* What judges trials looks at the watch. */
	if (is_long(measure, &round->was, &round->now) &&
		away(&round->was, &round->now) > AWAY_MOST * (round->now.at - round->was.at) &&
		clock->watched)
		trial.turns = fmaxf(trial.turns, 2);
	return trial;
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

	measure_classify(trials);
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

	measure_classify(trials);
	for (unsigned i = 0; i < trials->count; i++) {
		judged += trials->trial[i].fate <= TRIAL_CONTENDED;
		quiet += trials->trial[i].fate == TRIAL_QUIET;
	}
	return judged >= 3 && quiet * 10 < trials->count;
}

void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel)
{
	const struct clock *clock = measure->clock;
	double hz = clock_hz(clock), began = clock_seconds();
	unsigned made = 0, stable = 0, looked = 0, waited = 0;
	unsigned fewest = measure->run->complete ? goal->fewest > 0 ? goal->fewest : 1 : 3;
	struct round round = { .was = clock_thread() };
	struct timed timed[ROUND_TRIALS];

	clock_clean_vectors();
	clock_chain(CHAIN_LONG);
	round.before = chain_ticks(clock);
	while (trials->count < goal->trials && !atomic_load(cancel)) {
		unsigned count = trials_of_round(measure, stable);
		enum trial_fate fate;

		if (count > goal->trials - trials->count)
			count = goal->trials - trials->count;
		tell_run(measure, goal, made, fewest,
			made > 0 ? (clock_seconds() - began) / made : 0);
		time_round(measure, &round, timed, count, hz);
		/* The last call ended early. */
		if (measure->run->complete && atomic_load(cancel))
			break;
		fate = fate_of(measure, &round);
		if (measure->counting && !counting_cycles(measure->counting))
			lose_counter(measure, trials);
		/* Full, and time left: a contended spell may end yet. The last trials stay, so that
		 * there is something to go by if it does not. */
		if (trials->count + count > TRIALS_MAX) {
			measure_classify(trials);
			trials_make_room(trials);
		}
		for (unsigned i = 0; i < count; i++)
			trials->trial[trials->count++] =
				make_trial(measure, &round, &timed[i], fate, hz);
		stable = fate == TRIAL_QUIET && fabs(round.after.total - round.before.total) <=
							ROUND_STABLE * round.before.total
				 ? stable + 1
				 : 0;
		round.was = round.now;
		round.before = round.after;
		made += count;
		if (made >= fewest &&
			(double)trials->trial[trials->count - 1].at + measure->begin > goal->until)
			break;
		/* Not before there is something to go by. */
		if (goal->patience > 0 && made / goal->patience > waited) {
			waited = made / goal->patience;
			if (is_hopeless(trials))
				break;
		}
		if ((trials->count >= goal->quiet || goal->precision > 0) && made / 8 > looked) {
			looked = made / 8;
			if (is_reached(measure, trials, goal))
				break;
		}
	}
	measure_classify(trials);
	mark_drifting(measure, trials);
}
