/* The walk to steady state, over kernels whose elements take as long as a script says. */
#include "check.h"

#include "engine/measure/goal.h"
#include "engine/measure/measure.h"

enum { RING = 4096 };

static uint64_t walked;
static double (*microseconds)(uint64_t walked); /* of the next element */

/* Seconds of a clock that only the kernel moves: load of the machine changes nothing. */
static double passed;

static double now(void)
{
	return passed;
}

static uint64_t eight_megabytes(const int64_t *v)
{
	return 8 << 20;
}

static void walk(struct kernel_run *run, uint64_t elements)
{
	run->position = (run->position + elements) % run->ring;
	for (uint64_t i = 0; i < elements; i++)
		passed += 1e-6 * microseconds(walked++);
}

/* The same in real time, for trials. */
static void spin(struct kernel_run *run, uint64_t elements)
{
	double begin = passed, until = clock_seconds();

	walk(run, elements);
	until += passed - begin;
	while (clock_seconds() < until)
		;
}

static void begin_again(struct kernel_run *run)
{
	run->position = 0;
}

static void begin_at(struct kernel_run *run, double share)
{
	run->position = (uint64_t)(share * (double)run->ring);
}

static struct kernel kernel = {
	.name = "script", .footprint = eight_megabytes, .rewind = begin_again, .begin_at = begin_at
};

/* Settles a walk over a ring of 4,096 elements. */
static struct measure settled(double (*script)(uint64_t), double seconds, uint64_t own_bytes)
{
	static atomic_bool cancel;
	static struct settle settle;
	static struct kernel_run run;
	static struct clock clock;
	struct measure measure;

	kernel.call = walk;
	run = (struct kernel_run){ .kernel = &kernel,
		.work.cancel = &cancel,
		.ring = RING,
		.granule = 1,
		.walk.lines = 1,
		.walk.scattered = true };
	if (!clock.hz)
		clock_calibrate(&clock);
	settle = (struct settle){ .own_bytes = own_bytes, .seconds = seconds, .now = now };
	microseconds = script;
	walked = 0;
	measure = (struct measure){
		.run = &run, .clock = &clock, .time.calls = 1, .cpu = -1, .each = 1e-6 * script(0)
	};
	measure_settle(&measure, &settle, &cancel);
	kernel.call = spin;
	return measure;
}

static double steady(uint64_t at)
{
	return 2;
}

/* What the caches held at the start is found again in the first two laps, less and less. */
static double fading(uint64_t at)
{
	return at < 2 * RING ? 0.5 + 1.5 * (double)at / (2 * RING) : 2;
}

static double endless(uint64_t at)
{
	return 1 + 4 * (double)at / RING;
}

TEST(a_steady_walk_takes_a_lap)
{
	struct measure measure = settled(steady, 10, 1 << 20);

	assert_true(measure.far);
	assert_false(measure.drifts);
	assert_true(walked >= RING);
	check_near(measure.each, 2e-6, 1e-9);
	check_near(measure.lap, 2e-6 * RING, 1e-9 * RING);
}

/* A trial is short, but a call of an own loop ends only after half of the data or all data. */
TEST(only_own_loops_walk_over_all_data_in_a_trial)
{
	kernel.halved = true;
	assert_true(settled(steady, 10, 1 << 20).time.whole < RING / 2);
	kernel.isolated = true;
	assert_int_equal(settled(steady, 10, 1 << 20).time.whole, RING);
	kernel.halved = kernel.isolated = false;
}

TEST(a_walk_goes_on_until_it_drifts_no_more)
{
	struct measure measure = settled(fading, 10, 1 << 20);

	assert_false(measure.drifts);
	assert_true(walked > 2 * RING);
	check_near(measure.each, 2e-6, 1e-9);
}

/* Slower and slower for many more pieces than are kept. */
static double long_fading(uint64_t at)
{
	return at < 120000 ? 1 + 3.0 * (double)at / 120000 : 4;
}

TEST(the_end_of_a_long_drift_is_seen)
{
	struct measure measure = settled(long_fading, 20, 1 << 20);

	assert_false(measure.drifts);
	assert_true(walked > 120000 && walked < 300000);
}

TEST(what_drifts_on_is_said_to)
{
	struct measure measure = settled(endless, 0.1, 1 << 20);

	assert_true(measure.drifts);
	assert_true(walked > 1000);
}

/* Nobody else takes lines from the core's own caches: a lap brings them all. */
TEST(inside_the_own_caches_one_lap_is_enough)
{
	struct measure measure = settled(endless, 10, 16 << 20);

	assert_false(measure.far);
	assert_false(measure.drifts);
	assert_true(walked >= RING && walked < 2 * RING);
}

/* Returns how many of at most 200 trials of a walk are marked as unsettled. `seconds`: of the walk
 * before the trials. `quiet`: the trials end with so many quiet ones. */
static unsigned marked_of(double (*script)(uint64_t), double seconds, unsigned quiet)
{
	static struct trials trials;
	struct measure measure = settled(script, seconds, 1 << 20);
	struct measure_goal goal = { .quiet = quiet, .trials = 200, .until = clock_seconds() + 60 };
	const atomic_bool cancel = false;
	unsigned marked = 0;

	memset(&trials, 0, sizeof(trials));
	measure.cpu = -1;
	measure_trials(&measure, &trials, &goal, &cancel);
	for (unsigned i = 0; i < trials.count; i++)
		marked += trials.trial[i].unsettled;
	assert_true(trials_quiet(&trials) >= quiet || trials.count == 200);
	return marked;
}

/* Trials that still drift at the end are marked; those of a steady walk are not. Trials take real
 * time, so on a busy machine noise may hide the drift of some attempts, or look like one. */
TEST(drifting_trials_are_marked)
{
	unsigned marked = 0;

	for (int attempt = 0; attempt < 8 && marked == 0; attempt++)
		marked = marked_of(endless, 0.05, TRIALS_MAX);
	assert_int_equal(marked, 200);
	for (int attempt = 0; attempt < 8 && marked > 0; attempt++)
		marked = marked_of(steady, 1, 20);
	assert_int_equal(marked, 0);
}

/* The elements of the calls of a trial, in their order. */
static uint64_t called[4];
static unsigned calls;

static void note(struct kernel_run *run, uint64_t elements)
{
	if (calls < 4)
		called[calls] = elements;
	calls++;
}

/* The system calls before a trial may empty the TLB. So a trial walks over all data before its
 * timed regions, if the data fit the core's own caches. */
TEST(a_trial_begins_with_an_untimed_walk_over_the_data)
{
	static struct trials trials;
	struct measure_goal goal = { .quiet = 1, .trials = 1, .until = clock_seconds() + 60 };
	const atomic_bool cancel = false;
	struct measure measure = settled(steady, 10, 16 << 20);

	kernel.call = note;
	calls = 0;
	memset(&trials, 0, sizeof(trials));
	measure.each = 1e-9;
	measure.time = (struct stretch){ .half = 1000, .whole = 2000, .calls = 1 };
	measure_trials(&measure, &trials, &goal, &cancel);
	assert_int_equal(calls, 3);
	assert_true(called[0] >= 2 * RING);
	assert_int_equal(called[1], 1000);
	assert_int_equal(called[2], 2000);

	measure = settled(steady, 10, 1 << 20);
	kernel.call = note;
	calls = 0;
	memset(&trials, 0, sizeof(trials));
	measure_trials(&measure, &trials, &goal, &cancel);
	assert_int_equal(calls, 2);
}

RUN_TESTS()
