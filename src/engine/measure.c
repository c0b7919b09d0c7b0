/* Trials: see measure.h. Between two clock readings stands nothing but the code that is timed. */
#include "engine/measure.h"

#include <math.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/counting.h"

/* Links of the chains. The shorter reference region lasts 7,680 cycles, about 2 µs; trials must be short, so that
 * most of them meet no interruption, and long against the counter's step. */
enum { CHAIN_SHORT = 2560, CHAIN_LONG = 5120, WATCH_LINKS = MEASURE_WATCH_LINKS };

/* The smallest n of a trial whose whole working set is one pass: in less, what a call costs apart from its elements
 * shows in the slope. */
enum { RING_MINIMUM = 2048 };

/* Seconds of the shorter timed region: in the first cache, where a trial should be over before an interruption
 * comes; and beyond, where each stretch starts anew in cold lines and must be long enough to settle. */
static const double region_near = 5e-6;
static const double region_far = 25e-6;

/* A trial of a whole ring may last seconds. Where it lasts longer than this, time in which something else had the core is taken off it; away for
 * more than that share of its time it is contended: its data had to come back, too. */
#define LONG_TRIAL 0.001
#define AWAY_MOST 0.01

/* The reference chain before and after a trial may differ by so much; of one that lasts long the clock wanders meanwhile, and the mean of both is
 * what there is. */
#define DRIFT_MOST 0.02
#define DRIFT_LONG 0.06

/* Lines that are touched beforehand where some are met more often than others: a hundred times what a core's own caches hold, as most are met there,
 * and those that are not have to push out what else there is. */
enum { WALKED_LINES = 1 << 22 };

/* Complete runs that take less than this, seconds, are over before anyone looks how far they are. */
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

/* Reads one byte of every line, in the order of memory: the quickest way to bring a working set into the caches. */
static void touch(const struct kernel_run *run, uint64_t bytes, double until, const atomic_bool *cancel)
{
	const volatile unsigned char *memory = run->memory;

	for (uint64_t i = 0; i < bytes; i += 64) {
		(void)memory[i];
		if (i % (1 << 18) == 0 && (clock_seconds() > until || atomic_load(cancel)))
			return;
	}
}

/* Whether some parts of the data are met more often than others. */
static bool uneven(const struct kernel_run *run)
{
	for (int k = 1; k < run->reaches; k++)
		if (run->reach[k].range < run->reach[0].range || run->reach[k].range > run->reach[0].range)
			return true;
	return false;
}

/* Walks until what is met often is in the nearer caches, where it stays. Reading everything once leaves there what was read last: lookups in a tree of
 * 4 MiB, whose nodes lie in random order, then took 1.2 to 1.9 times as long as later on, in the first 80 ms. */
static void walk_warm(struct kernel_run *run, uint64_t piece, double until, const atomic_bool *cancel)
{
	double lines = 0;

	while (lines < WALKED_LINES && clock_seconds() < until && !atomic_load(cancel)) {
		run->kernel->call(run, piece);
		lines += run->lines * (double)piece;
	}
}

/* On what fits the first cache, calls begin at the ring's beginning, and end where they like. */
static struct stretch within_ring(const struct kernel_run *run, double each)
{
	uint64_t turns = run->ring / run->granule;
	struct stretch stretch = { .half = turns / 8 * run->granule, .whole = (turns - 1) * run->granule };

	stretch.calls = (unsigned)fmax(1, fmin(1000, ceil(2 * region_near / (each * (double)stretch.whole))));
	return stretch;
}

void measure_begin(struct measure *measure, struct kernel_run *run, const struct clock *clock, uint64_t first_cache,
	uint64_t warm_most, double warm_seconds, const atomic_bool *cancel)
{
	uint64_t footprint = run->kernel->footprint(run->v);
	bool near = footprint <= first_cache;
	double until = clock_seconds() + warm_seconds, region, seconds, each, shortest;
	uint64_t pilot = round_up(512, run->granule), period = near && run->passes ? 0 : run->period;

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
	if (!near && uneven(run) && !run->complete && !run->kernel->cold)
		walk_warm(run, pilot, until, cancel);
	seconds = fmin(seconds, seconds_of_call(measure, pilot)) / (double)pilot;
	/* A coarse counter may not have moved in what a cancelled pilot measured. */
	if (seconds <= 0)
		seconds = 1e-9;
	each = seconds;

	region = near ? region_near : region_far;
	shortest = 400 * clock->step / clock->hz;
	if (region < shortest)
		region = shortest;
	measure->rewind = near && !period;
	if (run->complete) {
		/* What a call costs apart from its elements is part of the whole; only the fence is not. */
		measure->rewind = true;
		measure->whole = run->ring;
		measure->calls = (unsigned)fmax(1, fmin(ceil(region / (seconds * (double)run->ring)), 1000));
	} else if (period) {
		region = fmax(region, region_far);
		measure->half = round_up((uint64_t)(region / seconds) + 1, period);
		measure->whole = 2 * measure->half;
	} else if (near && run->kernel->seamless) {
		/* One long call each: a misprediction at its end, which may strike one side alone, then weighs little. */
		measure->half = round_up((uint64_t)(region / seconds) + RING_MINIMUM / 2, run->granule);
		measure->whole = 2 * measure->half;
	} else if (near) {
		/* Whole passes of a small ring on either side; half a pass and a pass of one that is long enough. */
		uint64_t passes = (RING_MINIMUM / 2 + run->ring - 1) / run->ring;

		if (!run->passes && ((run->ring >= RING_MINIMUM && run->ring >= 2 * run->granule) || run->kernel->halved)) {
			measure->whole = run->ring;
			measure->half = run->kernel->halved ? run->ring / 2 :
				run->ring / 2 / run->granule * run->granule;
		} else {
			measure->half = passes * run->ring;
			measure->whole = 2 * measure->half;
		}
		seconds *= (double)measure->half;
		if (seconds < region)
			measure->calls = (unsigned)fmin(ceil(region / seconds), 1000);
	} else {
		measure->half = round_up((uint64_t)(region / seconds) + 1, run->granule);
		if (measure->half < round_up(RING_MINIMUM / 2, run->granule) && seconds < 2e-8)
			measure->half = round_up(RING_MINIMUM / 2, run->granule);
		measure->whole = 2 * measure->half;
	}
	if (near && !run->kernel->halved && !run->complete && !period && run->ring >= 8 * run->granule)
		measure->count = within_ring(run, each);
	else
		measure->count = (struct stretch){ .half = measure->half, .whole = measure->whole, .calls = measure->calls };
	run->kernel->rewind(run);
	measure->begin = clock_seconds();
}

/* One timed region: calls on the given number of elements. */
static inline uint64_t region_ticks(const struct measure *measure, uint64_t elements, unsigned calls)
{
	struct kernel_run *run = measure->run;
	void (*call)(struct kernel_run *, uint64_t) = run->kernel->call;
	void (*rewind)(struct kernel_run *) = run->kernel->rewind;
	uint64_t begin = clock_ticks();

	for (unsigned i = 0; i < calls; i++) {
		if (measure->rewind)
			rewind(run);
		call(run, elements);
		clock_fence();
	}
	return clock_ticks() - begin;
}

void measure_region(struct measure *measure, uint64_t elements)
{
	region_ticks(measure, elements, measure->count.calls);
}

/* The same with the core cycles of user space, which are read outside the ticks: reading them may take a system call. Never inlined:
 * what stands between the readings besides is then the same for both lengths. */
static __attribute__((noinline)) uint64_t region_counted(const struct measure *measure, uint64_t elements, uint64_t *cycles)
{
	uint64_t begin = counting_read_cycles(measure->counting);
	uint64_t ticks = region_ticks(measure, elements, measure->calls);

	*cycles = counting_read_cycles(measure->counting) - begin;
	return ticks;
}

struct chain_time {
	double slope;      /* ticks a cycle */
	double total;      /* ticks of both regions */
};

static struct chain_time chain_ticks(const struct clock *clock)
{
	uint64_t a = clock_ticks();
	clock_chain(CHAIN_SHORT);
	uint64_t b = clock_ticks();
	clock_chain(CHAIN_LONG);
	uint64_t c = clock_ticks();

	return (struct chain_time){
		.slope = ((double)(c - b) - (double)(b - a)) / ((CHAIN_LONG - CHAIN_SHORT) * clock->link),
		.total = (double)(c - a),
	};
}

/* What the system says of this thread. */
struct presence {
	long switches;       /* involuntary ones */
	double on, at;       /* seconds that it ran, and of the clock */
};

static struct presence presence(void)
{
	struct rusage usage;
	struct timespec on;

	getrusage(RUSAGE_THREAD, &usage);
	/* What rusage says of it goes by the system's ticks. */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on);
	return (struct presence){
		.switches = usage.ru_nivcsw, .on = (double)on.tv_sec + (double)on.tv_nsec * 1e-9, .at = clock_seconds(),
	};
}

/* Seconds that something else ran meanwhile; 0: nothing did. */
static double away(const struct presence *before, const struct presence *after)
{
	if (after->switches == before->switches)
		return 0;
	return fmax(after->at - before->at - (after->on - before->on), 0);
}

/* Whether a trial lasts so long itself that it meets switches whatever is done. */
static bool is_long(const struct measure *measure, const struct presence *before, const struct presence *after)
{
	return measure->run->complete && after->at - before->at >= LONG_TRIAL;
}

/* One region, in ticks, and in cycles where they are counted: of the program alone. Of a complete run, which may last seconds, without the time in
 * which something else ran. */
static uint64_t region(const struct measure *measure, uint64_t elements, double hz, uint64_t *cycles)
{
	struct presence first = { 0 }, last;
	uint64_t ticks;
	double gone;

	if (measure->run->complete)
		first = presence();
	ticks = measure->counting ? region_counted(measure, elements, cycles) : region_ticks(measure, elements, measure->calls);
	if (!measure->run->complete)
		return ticks;
	last = presence();
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

/* Others have taken the counter: from here on, and for what was measured before, the reference chain is the clock. */
static void lose_counter(struct measure *measure, struct trials *trials)
{
	measure->counting = NULL;
	for (unsigned i = 0; i < trials->count; i++)
		trial_uncount(&trials->trial[i]);
}

/* Tells of the complete run that comes next: of those that must be made, and of those that the time is enough for. */
static void tell_run(const struct measure *measure, const struct measure_goal *goal, unsigned made, unsigned fewest, double each)
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
	progress_begin(measure->progress, STAGE_RUNNING, made + 1, made + (unsigned)fmin(more, TRIALS_MAX));
}

void measure_trials(struct measure *measure, struct trials *trials, const struct measure_goal *goal,
	const atomic_bool *cancel)
{
	const struct clock *clock = measure->clock;
	double elements = (double)measure->calls * (double)(measure->whole - measure->half);
	double hz = clock_hz(clock);
	struct chain_time before, after;
	unsigned made = 0;
	unsigned fewest = measure->run->complete ? goal->fewest > 0 ? goal->fewest : 1 : 3;
	struct presence was = presence();
	double began = clock_seconds();

	clock_clean_vectors();
	clock_chain(CHAIN_LONG);
	before = chain_ticks(clock);
	while (trials->count < goal->trials && !atomic_load(cancel)) {
		tell_run(measure, goal, made, fewest, made > 0 ? (clock_seconds() - began) / made : 0);
		struct trial *trial = &trials->trial[trials->count];
		uint64_t half, whole, half_cycles = 0, whole_cycles = 0, watch = 0, turns = 0, turns_after = 0;
		double cycle, slope, cycles = 1;
		struct presence now;

		if (clock->watched) {
			uint64_t begin = clock_ticks();

			clock_watch(WATCH_LINKS);
			uint64_t middle = clock_ticks();
			clock_turn(CLOCK_TURNS);
			turns = clock_ticks() - middle;
			watch = middle - begin;
		}
		/* Once untimed: after some microseconds of scalar code the vector units need as long to come to full speed,
		 * and only the region that is timed first would pay for it. */
		if (measure->rewind)
			region_ticks(measure, measure->half, measure->calls);
		half = region(measure, measure->half, hz, &half_cycles);
		whole = region(measure, measure->whole, hz, &whole_cycles);
		if (measure->counting)
			cycles = ((double)whole_cycles - (double)half_cycles) / elements;
		/* A long region has put what is timed next out of the caches: bringing it back made the clock seem 3 to 13 % faster than it is. */
		clock_turn(CLOCK_CHAIN_UNIT);
		clock_chain(CLOCK_CHAIN_UNIT);
		if (clock->watched) {
			uint64_t begin = clock_ticks();

			clock_turn(CLOCK_TURNS);
			turns_after = clock_ticks() - begin;
			if (turns_after > turns)
				turns = turns_after;
		}
		after = chain_ticks(clock);

		/* The last call ended early. */
		if (measure->run->complete && atomic_load(cancel))
			break;
		now = presence();
		cycle = (before.slope + after.slope) / 2;
		slope = ((double)whole - (double)half) / elements;
		*trial = (struct trial){
			.cpe = slope / cycle,
			.ghz = hz / cycle * 1e-9,
			.check = NAN,
			.watch = measure_watch(clock, (double)watch, cycle),
			.turns = clock->watched ? (float)(((double)turns - clock->overhead) / cycle / clock->turn /
				CLOCK_TURNS) : NAN,
			.at = (float)(clock_seconds() - measure->begin),
			.fate = TRIAL_QUIET,
		};
		if (measure->counting && !counting_cycles(measure->counting))
			lose_counter(measure, trials);
		if (before.slope <= 0 || after.slope <= 0 || slope <= 0 || cycles <= 0)
			trial->fate = TRIAL_BROKEN;
		else if (now.switches != was.switches && !is_long(measure, &was, &now))
			trial->fate = TRIAL_SWITCHED;
		else if (measure->cpu >= 0 && sched_getcpu() != measure->cpu)
			trial->fate = TRIAL_MOVED;
		else if (fabs(after.total - before.total) > (now.at - was.at > LONG_TRIAL ? DRIFT_LONG : DRIFT_MOST) * before.total)
			trial->fate = TRIAL_DRIFTED;
		if (measure->counting && trial->fate != TRIAL_BROKEN)
			count_trial(trial, cycles, slope / hz);
		/* What judges trials looks at the watch. */
		if (is_long(measure, &was, &now) && away(&was, &now) > AWAY_MOST * (now.at - was.at) && clock->watched)
			trial->turns = fmaxf(trial->turns, 2);
		was = now;
		before = after;
		trials->count++;

		if (++made >= fewest && (double)trial->at + measure->begin > goal->until)
			break;
		/* Full, and time left: a contended spell may end yet. The last trials stay, so that there is something
		 * to go by if it does not. */
		if (trials->count == TRIALS_MAX) {
			measure_classify(trials);
			if (trials_quiet(trials) >= goal->quiet)
				break;
			trials_make_room(trials);
		}
		/* Not before there is something to go by: trials dropped for other reasons tell nothing. */
		if (goal->patience > 0 && made >= goal->patience && made % goal->patience == 0) {
			unsigned told = 0;

			measure_classify(trials);
			for (unsigned i = 0; i < trials->count; i++)
				told += trials->trial[i].fate <= TRIAL_CONTENDED;
			if (told >= 3 && trials_quiet(trials) * 10 < trials->count)
				break;
		}
		if (trials->count >= goal->quiet && made % 8 == 0) {
			measure_classify(trials);
			if (trials_quiet(trials) >= goal->quiet)
				break;
		}
	}
	measure_classify(trials);
}
