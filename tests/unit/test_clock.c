/* What is learnt of the watch loops while measuring. */
#include "check.h"

#include "engine/clock/clock.h"
#include "engine/measure/measure.h"
#include "engine/worker/quietest.h"

TEST(a_better_turn_is_learnt)
{
	struct clock clock = { .turn = 2, .turn_sure = true, .ghz = 4 };

	clock_learn(&clock, 0.5, 4);
	check_near(clock.turn, 1, 1e-12);
	/* Noise, slower ones and nothing at all change nothing. */
	clock_learn(&clock, 0.97, 4);
	clock_learn(&clock, 1.8, 4);
	clock_learn(&clock, NAN, NAN);
	check_near(clock.turn, 1, 1e-12);
}

/* Against a chain that runs slow, loops look quick that are not. */
TEST(nothing_is_learnt_of_a_slow_chain)
{
	struct clock clock = { .turn = 1, .turn_sure = true };

	clock_learn(&clock, 1, 3.6);
	clock_learn(&clock, 0.6, 2.2);
	check_near(clock.turn, 1, 1e-12);
	clock_learn(&clock, 0.8, 3.6);
	check_near(clock.turn, 0.8, 1e-12);
}

/* Where the chain was slow all the while that the clock was calibrated, the first that is not slow
 * tells the turn; contention never raises it. */
TEST(what_was_never_seen_is_learnt_whatever_it_is)
{
	struct clock clock = { .turn = 1, .ghz = 3.6, .turn_sure = false };

	clock_learn(&clock, 2.1, 1.8);
	check_near(clock.turn, 1, 1e-12);
	clock_learn(&clock, 1.68, 3.6);
	check_near(clock.turn, 1.68, 1e-12);
	clock_learn(&clock, 1.9, 3.65);
	check_near(clock.turn, 1.68, 1e-12);
	clock_learn(&clock, 0.9, 3.65);
	check_near(clock.turn, 0.9 * 1.68, 1e-12);
}

/* Next to a hyper-thread that is busy all the time, the calibration itself is slow. */
TEST(a_calibration_beside_a_busy_hyper_thread_takes_the_turn_of_the_core_model)
{
	struct clock clock = { .turn = 2.6, .turn_sure = true, .ghz = 3.6, .watched = true };

	clock_expect(&clock, &(struct clock_alone){ 0 });
	check_near(clock.turn, 2.6, 1e-12);
	clock_expect(&clock, &(struct clock_alone){ .turn = 2.2 });
	check_near(clock.turn, 2.6, 1e-12);
	clock_expect(&clock, &(struct clock_alone){ .turn = 1.646, .buffer = 512 });
	check_near(clock.turn, 1.646, 1e-12);
	assert_int_equal(clock.buffer, 512);
	check_near(clock.window, 0, 0);
	clock_expect(&clock, &(struct clock_alone){ .buffer = 512, .window = 0.66 });
	check_near(clock.window, 0.66 * 46 * 3, 1e-9);
	clock.turn_sure = false;
	clock_expect(&clock, &(struct clock_alone){ .turn = 1.6 });
	check_near(clock.turn, 1.6, 1e-12);
	clock_learn(&clock, 1.5, 3.6);
	check_near(clock.turn, 1.6, 1e-12);
}

/* A pass fits the whole reorder buffer, and its nops do not fit half of it, on all cores from Sandy
 * Bridge to Golden Cove. */
TEST(the_window_loop_fits_only_the_whole_reorder_buffer)
{
	for (unsigned entries = 160; entries <= 520; entries += 8) {
		struct clock_window window = clock_window_of(entries);

		assert_true(window.links + window.nops + 4 < 0.75 * entries);
		assert_true(window.nops > entries / 2);
		/* Even a core of four slots a cycle renames a pass before its chain ends. */
		assert_true((window.links + window.nops + 4) / 4.0 <
			    window.links * CLOCK_WINDOW_LINK_CYCLES);
	}
	assert_true(clock_window_of(4096).links <= CLOCK_WINDOW_LINKS);
	assert_true(clock_window_of(4096).nops <= CLOCK_WINDOW_NOPS);
}

/* Where the other hyper-thread is awake in all readings, nothing is known, and nothing is said. */
TEST(a_window_that_never_overlapped_is_unknown)
{
	struct clock_window window = clock_window_of(512);
	double cycles[24];

	for (int i = 0; i < 24; i++)
		cycles[i] = i % 6 == 0 ? 93 + 0.01 * i : 176;
	check_near(clock_window_from(&window, cycles, 24), 93, 0.2);
	for (int i = 0; i < 24; i++)
		cycles[i] = 170 + i;
	check_near(clock_window_from(&window, cycles, 24), 0, 0);
}

/* Half of the readings with a chain that is slow by three, a few beside a busy sibling. */
TEST(turns_are_of_a_chain_at_full_speed)
{
	struct clock_reading readings[60];
	double cycle = 0.72, full = cycle * CLOCK_READ_LINKS * CLOCK_LINK_CYCLES;

	for (int i = 0; i < 60; i++) {
		readings[i].links = full * (i % 2 ? 3 : 1) * (1 + 0.002 * (i % 5));
		readings[i].turns = cycle * CLOCK_TURNS * (i % 10 == 4 ? 3.3 : 1.68);
	}
	check_near(clock_turn_of(readings, 60, full), 1.68, 0.02);
	/* Slow in nearly all: the quickest was met before. */
	assert_true(isnan(clock_turn_of(readings, 60, full / 3)));
	assert_true(isnan(clock_turn_of(readings, 18, full)));
	assert_true(isnan(clock_turn_of(readings, 0, INFINITY)));
}

/* Whichever of the two chains is slow, the trial is not quiet: where it is the reference chain, its
 * cycles are too few, by three here. */
TEST(a_slow_reference_chain_is_contention)
{
	static struct trials trials;
	struct clock clock = { .watched = true, .link_sure = true, .overhead = 30 };
	double cycle = 0.72, ticks = 30 + TRIAL_WATCH_LINKS * cycle;

	check_near(trial_watch(&clock, ticks, cycle), 1, 1e-6);
	check_near(trial_watch(&clock, 1.03 * ticks, cycle), 1.03, 1e-3);
	check_near(trial_watch(&clock, 0.99 * ticks, cycle), 0.99, 1e-3);
	check_near(trial_watch(&clock, ticks, 3 * cycle), 3, 1e-6);
	trials.count = 40;
	for (int i = 0; i < 40; i++)
		trials.trial[i] = (struct trial){ .cpe = i < 20 ? 2.8 : 0.93,
			.ghz = 3,
			.turns = 1,
			.watch = trial_watch(&clock, ticks, i < 20 ? cycle : 3 * cycle) };
	trials_classify(&trials);
	assert_int_equal(trials_quiet(&trials), 20);
	assert_int_equal(trials.trial[19].fate, TRIAL_QUIET);
	assert_int_equal(trials.trial[20].fate, TRIAL_CONTENDED);
	/* Nobody knows what a link takes there, or there is no watch. */
	clock.link_sure = false;
	check_near(trial_watch(&clock, ticks, 3 * cycle), 1.0 / 3, 1e-6);
	clock.watched = false;
	assert_true(isnan(trial_watch(&clock, ticks, cycle)));
}

TEST(few_trials_tell_nothing)
{
	static struct trials trials;
	double ghz;

	trials.count = 9;
	for (int i = 0; i < 40; i++)
		trials.trial[i] =
			(struct trial){ .cpe = 1, .ghz = 3, .turns = i < 8 ? 0.5F : 1, .watch = 1 };
	assert_true(isnan(trials_best_turns(&trials, &ghz)));
	trials.count = 40;
	check_near(trials_best_turns(&trials, &ghz), 0.5, 1e-6);
	check_near(ghz, 3, 1e-12);
}

/* A reading wanders by some percent; a busy hyper-thread makes the loops slower by a third. */
TEST(another_core_is_chosen_only_if_the_first_one_is_disturbed)
{
	assert_int_equal(quietest_of((double[]){ 1.66, 1.65, 1.70 }, 3), 0);
	assert_int_equal(quietest_of((double[]){ 1.66, 3.1, 3.2 }, 3), 0);
	assert_int_equal(quietest_of((double[]){ 3.2, 2.9, 1.66, 1.65 }, 4), 3);
	/* Where all are disturbed alike, the first one stays. */
	assert_int_equal(quietest_of((double[]){ 3.2, 3.1, 3.3 }, 3), 0);
	/* A processor that cannot be used. */
	assert_int_equal(quietest_of((double[]){ 3.2, NAN, 1.66 }, 3), 2);
	assert_int_equal(quietest_of((double[]){ NAN, 1.66 }, 2), 1);
	assert_int_equal(quietest_of((double[]){ NAN, NAN }, 2), 0);
}

RUN_TESTS()
