/* Trials to sample: what is used, what is dropped, what the sample says of itself. */
#include "check.h"

#include <stdlib.h>

#include "engine/measure/measure.h"
#include "engine/measure/trials.h"

static const struct run_facts facts = {
	.cycles_from = SOURCE_REFERENCE, .bytes = 8, .watched = true
};

static const struct run_facts counted = { .cycles_from = SOURCE_COUNTER, .watched = true };

/* Empty at the start of each test. */
static struct trials trials;
static struct sample sample;

static int empty(void **state)
{
	trials = (struct trials){ 0 };
	return 0;
}

static void add_to(struct trials *to, int count, double cpe, enum trial_fate fate)
{
	while (count-- > 0)
		to->trial[to->count++] = (struct trial){
			.cpe = cpe, .ghz = 4, .watch = 1, .turns = 1, .fate = (uint8_t)fate
		};
}

static void add(int count, double cpe, enum trial_fate fate)
{
	add_to(&trials, count, cpe, fate);
}

static void summarise(const struct run_facts *from)
{
	sample_summarise(&trials, from, &sample);
}

/* Median and quartiles. */
static void check_cpe(double cpe, double lo, double hi, double tolerance)
{
	check_near(sample.cpe, cpe, tolerance);
	check_near(sample.cpe_lo, lo, tolerance);
	check_near(sample.cpe_hi, hi, tolerance);
}

TEST(nothing_gives_no_sample)
{
	summarise(&facts);
	assert_false(sample.valid);
	add(1, 3, TRIAL_BROKEN);
	add(1, 3, TRIAL_SWITCHED);
	summarise(&facts);
	assert_false(sample.valid);
}

TEST(quiet_trials_are_used_and_contended_ones_not)
{
	for (int i = 0; i < 100; i++)
		add(1, 3 + 0.001 * (i - 50), TRIAL_QUIET);
	add(300, 4, TRIAL_CONTENDED);
	add(20, 9, TRIAL_SWITCHED);
	summarise(&facts);
	assert_true(sample.valid);
	assert_false(sample.contended);
	assert_false(sample.provisional);
	assert_int_equal(sample.trials, 100);
	assert_int_equal(sample.dropped, 320);
	assert_int_equal(sample.off_contended, 300);
	assert_int_equal(sample.off_interrupted, 20);
	assert_int_equal(sample.off_clock, 0);
	check_cpe(3, 2.975, 3.025, 0.001);
	check_near(sample.quiet, 0.25, 1e-9);
	check_near(sample.ghz, 4, 1e-9);
	check_near(sample.ns, 0.75, 0.001);
	check_near(sample.gbps, 8 / sample.ns, 1e-9);
	check_near(sample.bytes_per_cycle, 8 / sample.cpe, 1e-9);
	assert_int_equal(sample.cycles_from, SOURCE_REFERENCE);
	assert_int_equal(sample.modes, 1);
}

TEST(too_few_quiet_trials_are_said_to_be)
{
	add(5, 3, TRIAL_QUIET);
	add(200, 3.3, TRIAL_CONTENDED);
	summarise(&facts);
	assert_true(sample.contended);
	assert_true(sample.mixed);
	assert_int_equal(sample.trials, 205);
	check_near(sample.cpe, 3.3, 1e-9);
	check_near(sample.quiet, 5.0 / 205, 1e-9);
}

/* All trials of a lock can be quiet while the core that waits for the same lock does not run. */
/* A loop of 5.0 cycles beside a busy hyper-thread: a fifth of the trials seemed quiet. */
TEST(few_quiet_trials_that_differ_are_contended)
{
	for (int i = 0; i < 100; i++)
		add(1, 9.7 + 0.012 * (i - 50), TRIAL_QUIET);
	add(400, 9.9, TRIAL_CONTENDED);
	summarise(&facts);
	assert_true(sample.contended && !sample.mixed);
	check_cpe(9.7, 9.4, 10, 0.02);
	/* In memory, times differ on a quiet core too. */
	summarise(&(struct run_facts){
		.cycles_from = SOURCE_REFERENCE, .bytes = 8, .watched = true, .far = true });
	assert_false(sample.contended);
}

TEST(a_sample_whose_other_core_was_away_is_contended)
{
	struct run_facts shared = facts;

	add(100, 23, TRIAL_QUIET);
	shared.on_cpu = 0.4;
	summarise(&shared);
	assert_false(sample.contended);
	shared.cores = 2;
	summarise(&shared);
	assert_true(sample.contended && sample.others_away);
	shared.on_cpu = 0.97;
	summarise(&shared);
	assert_false(sample.contended || sample.others_away);
	shared.cores = 1;
	shared.streams = 1;
	shared.on_cpu = 0;
	summarise(&shared);
	assert_true(sample.others_away);
}

/* A handful of quiet trials gives a better figure than hundreds of contended ones, though none to
 * vouch for. */
TEST(a_handful_of_quiet_trials_is_used_alone)
{
	add(12, 3, TRIAL_QUIET);
	add(200, 3.3, TRIAL_CONTENDED);
	summarise(&facts);
	assert_true(sample.contended);
	assert_false(sample.mixed);
	assert_int_equal(sample.trials, 12);
	check_near(sample.cpe, 3, 1e-9);
}

/* Contention slows the reference chain in some trials: read with it, they would undercut the true
 * figure. */
TEST(a_slowed_clock_is_not_believed)
{
	for (int i = 0; i < 200; i++) {
		add(1, i % 3 ? 2.9 : 3, TRIAL_CONTENDED);
		trials.trial[i].ghz = i % 3 ? 4 * 2.9 / 3 : 4;
	}
	summarise(&facts);
	assert_true(sample.contended);
	check_near(sample.cpe, 3, 1e-9);
	check_near(sample.ghz, 4, 1e-9);
	check_near(sample.ns, 0.75, 1e-9);
}

/* By the counter, with the reference chain beside it. */
static void add_counted(double cpe, double ghz, double check, enum trial_fate fate)
{
	add(1, cpe, fate);
	trials.trial[trials.count - 1].ghz = ghz;
	trials.trial[trials.count - 1].check = (float)check;
}

TEST(counted_trials_carry_the_chains_opinion)
{
	for (int i = 0; i < 40; i++)
		add_counted(2, 3 + 0.01 * (i % 3), 1.01, TRIAL_QUIET);
	add_counted(2, 3, 5, TRIAL_BROKEN);
	summarise(&counted);
	check_near(sample.cpe, 2, 1e-12);
	check_near(sample.ghz, 3.01, 1e-12);
	check_near(sample.check, 1.01, 1e-6);
	assert_int_equal(sample.cycles_from, SOURCE_COUNTER);
	/* Without a counter there is nothing to compare with. */
	trials.count = 0;
	add(40, 2, TRIAL_QUIET);
	summarise(&facts);
	assert_true(isnan(sample.check));
	trials.count = 0;
	summarise(&counted);
	assert_true(isnan(sample.check));
}

/* The rule that the fastest clock is nearest to the truth is the chain's; what is counted is true
 * each time. */
TEST(counted_clocks_are_believed)
{
	for (int i = 0; i < 30; i++)
		add_counted(2, i % 2 ? 2 : 4, 1, TRIAL_CONTENDED);
	summarise(&counted);
	assert_true(sample.mixed);
	check_near(sample.cpe_lo, 2, 1e-12);
	check_near(sample.cpe_hi, 2, 1e-12);
	check_near(sample.ghz, 3, 1e-12);
}

/* The counter was lost, or found, between two requests at the same setting. */
TEST(a_counter_that_comes_or_goes_mixes_no_clocks)
{
	for (int i = 0; i < 30; i++) {
		add_counted(2, 3, 1.5, TRIAL_QUIET);
		add_counted(3, 4.5, NAN, TRIAL_QUIET);
	}
	summarise(&facts);
	check_near(sample.cpe_lo, 3, 1e-6);
	check_near(sample.cpe_hi, 3, 1e-6);
	check_near(sample.ghz, 4.5, 1e-6);
	assert_int_equal(sample.trials, 60);
	assert_true(isnan(sample.check));
	summarise(&counted);
	check_near(sample.cpe_lo, 2, 1e-6);
	check_near(sample.cpe_hi, 2, 1e-6);
	check_near(sample.check, 1.5, 1e-6);
	assert_int_equal(sample.trials, 30);
	/* As do those that never knew of a check. */
	trials.count = 0;
	add(30, 3, TRIAL_QUIET);
	summarise(&counted);
	assert_int_equal(sample.trials, 30);
}

/* Trials that last half a second each, of whole products say. */
TEST(a_few_long_trials_are_enough)
{
	const struct run_facts longer = { .cycles_from = SOURCE_REFERENCE,
		.bytes = 8,
		.watched = true,
		.call = 400000000,
		.calls = 1 };

	add(1, 5, TRIAL_QUIET);
	summarise(&facts);
	assert_true(sample.provisional);
	check_near(sample.seconds, 0, 0);
	summarise(&longer);
	assert_false(sample.provisional);
	check_near(sample.seconds, 0.5, 1e-9);
	add(1, 5, TRIAL_QUIET);
	summarise(&longer);
	check_near(sample.seconds, 1, 1e-9);
}

TEST(few_trials_are_provisional)
{
	for (int i = 0; i < TRIALS_SETTLED; i++) {
		summarise(&facts);
		assert_true(i == 0 || sample.provisional);
		add(1, 3, TRIAL_QUIET);
	}
	summarise(&facts);
	assert_false(sample.provisional);
}

TEST(what_cannot_be_known_is_not_a_number)
{
	const struct run_facts bare = { .cycles_from = SOURCE_REFERENCE };

	add(1, 3, TRIAL_QUIET);
	summarise(&bare);
	assert_true(isnan(sample.quiet));
	assert_true(isnan(sample.gbps));
	assert_true(isnan(sample.bytes_per_cycle));
}

TEST(two_modes_are_shown_as_two)
{
	for (int i = 0; i < 60; i++)
		add(1, 2 + 0.001 * (i % 7), TRIAL_QUIET);
	for (int i = 0; i < 40; i++)
		add(1, 2.5 + 0.001 * (i % 7), TRIAL_QUIET);
	summarise(&facts);
	assert_int_equal(sample.modes, 2);
	check_near(sample.mode_low, 2.003, 0.002);
	check_near(sample.mode_high, 2.503, 0.002);
	check_near(sample.mode_share_low, 0.6, 0.001);
}

/* Trials made before the walk was in steady state are left out as soon as there are some that were
 * not. */
TEST(only_steady_trials_are_used)
{
	for (int i = 0; i < 60; i++) {
		add(1, 50, TRIAL_QUIET);
		trials.trial[i].unsettled = true;
	}
	summarise(&facts);
	assert_true(sample.unsettled);
	assert_string_equal(sample_doubt(&sample), "not settled");
	check_near(sample.cpe, 50, 1e-9);
	assert_int_equal(trials_quiet(&trials), 0);
	for (int i = 0; i < 30; i++)
		add(1, 150 + 0.01 * i, TRIAL_QUIET);
	summarise(&facts);
	assert_false(sample.unsettled);
	assert_null(sample_doubt(&sample));
	assert_int_equal(sample.trials, 30);
	assert_int_equal(sample.dropped, 60);
	check_near(sample.cpe, 150.145, 0.01);
	assert_int_equal(trials_quiet(&trials), 30);
}

/* Beyond the core's own caches the value is what a long loop takes: the mean, without what an
 * interruption did. */
TEST(far_values_are_means)
{
	struct run_facts far = facts;

	far.far = true;
	for (int i = 0; i < 100; i++)
		add(1, i < 70 ? 100 : 150, TRIAL_QUIET);
	trials.trial[0].cpe = 9000;
	summarise(&facts);
	check_near(sample.cpe, 100, 1e-9);
	summarise(&far);
	check_cpe((67 * 100 + 29 * 150) / 96.0, 100, 150, 1e-9);
}

/* The sample reports the spread between placements next to the spread within them. */
TEST(placements_are_compared)
{
	for (int i = 0; i < 90; i++) {
		add(1, 40 + 2 * (i / 30) + 0.01 * (i % 30), TRIAL_QUIET);
		trials.trial[i].place = (uint8_t)(5 * (i / 30));
	}
	/* Too few of a fourth one. */
	add(1, 99, TRIAL_QUIET);
	trials.trial[90].place = 77;
	summarise(&facts);
	assert_int_equal(sample.places, 3);
	check_near(sample.place_lo, 40.145, 0.001);
	check_near(sample.place_hi, 44.145, 0.001);
	check_near(sample.cpe, 42.15, 0.02);
}

TEST(appending_keeps_the_newest_and_counts_the_rest)
{
	struct trials into = { 0 }, from = { 0 };

	for (int i = 0; i < TRIALS_MAX - 10; i++)
		add_to(&into, 1, 1, i % 2 ? TRIAL_QUIET : TRIAL_CONTENDED);
	add_to(&from, 50, 2, TRIAL_QUIET);
	trials_append(&into, &from);
	assert_in_range(into.count, 300, TRIALS_MAX);
	check_near(into.trial[into.count - 1].cpe, 2, 0);
	check_near(into.trial[into.count - 51].cpe, 1, 0);
	assert_int_equal(into.forgotten[TRIAL_QUIET], 0);
	assert_int_equal(into.forgotten[TRIAL_CONTENDED], TRIALS_MAX + 40 - into.count);
	sample_summarise(&into, &facts, &sample);
	/* Of all that were made: 295 + 50 quiet, 295 contended. */
	check_near(sample.quiet, 345.0 / 640, 1e-9);
}

TEST(a_contended_spell_makes_room_for_what_follows)
{
	for (int i = 0; i < TRIALS_MAX; i++)
		add(1, i % 10 ? 4 : 3, i % 10 ? TRIAL_CONTENDED : TRIAL_QUIET);
	trials_make_room(&trials);
	assert_true(trials.count < TRIALS_MAX / 2);
	summarise(&facts);
	assert_int_equal(sample.trials, TRIALS_MAX / 10);
	assert_int_equal(sample.dropped, TRIALS_MAX - TRIALS_MAX / 10);
	check_near(sample.quiet, 0.1, 1e-9);

	/* All quiet: half of them go all the same. */
	trials = (struct trials){ 0 };
	add(TRIALS_MAX, 3, TRIAL_QUIET);
	trials_make_room(&trials);
	assert_int_equal(trials.count, TRIALS_MAX / 2);

	/* Whatever the mixture, there is room afterwards. */
	for (int share = 0; share <= 20; share++) {
		trials = (struct trials){ 0 };
		for (int i = 0; i < TRIALS_MAX; i++)
			add(1, 3, i % 20 < share ? TRIAL_QUIET : TRIAL_CONTENDED);
		trials_make_room(&trials);
		assert_true(trials.count <= TRIALS_MAX * 3 / 4);
	}
	for (int last = 1; last < TRIALS_MAX; last *= 2) {
		trials = (struct trials){ 0 };
		for (int i = 0; i < TRIALS_MAX; i++)
			add(1, 3, i < TRIALS_MAX - last ? TRIAL_QUIET : TRIAL_CONTENDED);
		trials_make_room(&trials);
		assert_true(trials.count <= TRIALS_MAX * 3 / 4);
	}
}

TEST(contention_is_told_by_either_watch)
{
	for (int i = 0; i < 60; i++) {
		add(1, 3, TRIAL_QUIET);
		/* Readings wander by 1 %; a spell of 20 slow chains, then one of 20 slow turns. */
		trials.trial[i].watch =
			(i >= 10 && i < 30 ? 1.03f : 1.0f) + (i % 2 ? 0.01f : -0.01f);
		trials.trial[i].turns = i >= 40 ? 2.0f : 1.02f;
	}
	trials.trial[35].fate = TRIAL_SWITCHED;
	trials_classify(&trials);
	for (int i = 0; i < 60; i++) {
		if (i == 35)
			assert_int_equal(trials.trial[i].fate, TRIAL_SWITCHED);
		else if ((i >= 12 && i < 28) || i >= 42)
			assert_int_equal(trials.trial[i].fate, TRIAL_CONTENDED);
		else if (i < 8 || (i >= 32 && i < 38))
			assert_int_equal(trials.trial[i].fate, TRIAL_QUIET);
	}
}

/* A loop of branches took 1.06 to 1.94 cycles in quiet trials, and looked as sure as others. */
TEST(a_loop_without_one_speed_varies)
{
	add(40, 1.06, TRIAL_QUIET);
	add(40, 1.4, TRIAL_QUIET);
	add(40, 1.6, TRIAL_QUIET);
	summarise(&facts);
	assert_true(sample.varies);
	assert_string_equal(sample_doubt(&sample), "varies");
	/* Beside a busy hyper-thread, the reason is another. */
	add(400, 1.4, TRIAL_CONTENDED);
	summarise(&facts);
	assert_false(sample.varies);
	assert_string_equal(sample_doubt(&sample), "contended");
	trials.count = 0;
	add(40, 1.50, TRIAL_QUIET);
	add(40, 1.55, TRIAL_QUIET);
	add(40, 1.60, TRIAL_QUIET);
	summarise(&facts);
	assert_false(sample.varies);
	assert_null(sample_doubt(&sample));
	/* Beyond the core's own caches, trials differ, and their mean does not. */
	trials.trial[0].cpe = 9;
	for (int i = 0; i < 60; i++)
		trials.trial[i].cpe = 3;
	summarise(&(struct run_facts){
		.cycles_from = SOURCE_REFERENCE, .bytes = 8, .watched = true, .far = true });
	assert_false(sample.varies);
}

/* Values on fresh data beside a busy hyper-thread are too high, by 68 % for a loop without
 * branches. */
TEST(the_value_on_the_other_data_is_the_lowest)
{
	static const double fresh[] = { 1.679, 1.354, 0, 1.008, 1.519 };
	struct run_facts kept = { .cpe_fresh = 5 };

	for (unsigned i = 0; i < 5; i++)
		facts_renew(&kept, &(struct run_facts){ .cpe_fresh = fresh[i] }, i);
	check_near(kept.cpe_fresh, 1.008, 1e-12);
	check_near(kept.cpe_repeated, 0, 0);
}

TEST(without_a_watch_all_are_quiet)
{
	for (int i = 0; i < 20; i++) {
		add(1, 3, TRIAL_QUIET);
		trials.trial[i].watch = trials.trial[i].turns = NAN;
	}
	trials_classify(&trials);
	for (int i = 0; i < 20; i++)
		assert_int_equal(trials.trial[i].fate, TRIAL_QUIET);
}

TEST(sources_have_names)
{
	static const char *const names[] = { "counter", "reference", "stepped", "time", "model",
		"none" };
	static const char sources[] = "CRSTM";

	for (int i = 0; i < 6; i++)
		assert_string_equal(source_name((enum source)sources[i]), names[i]);
}

TEST(what_others_moved_is_the_mean_of_visits)
{
	static const struct {
		double newer;
		unsigned visits;
		double expected;
	} rows[] = { { 30, 0, 30 }, { 60, 1, 45 }, { 60, 2, 50 },
		/* Not known this time is no reason to forget it. */
		{ NAN, 3, 50 }, { 0, 4, 0 }, { NAN, 0, NAN }, { 60, 1, 60 } };
	struct run_facts seen = { 0 };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct run_facts newer = { .others_gbps = rows[i].newer, .call = 7 + i };

		facts_renew(&seen, &newer, rows[i].visits);
		assert_int_equal(seen.call, 7 + i);
		if (isnan(rows[i].expected))
			assert_true(isnan(seen.others_gbps));
		else
			check_near(seen.others_gbps, rows[i].expected, 1e-12);
	}
}

/* Quiet trials that are not settled leave room too. */
TEST(unsettled_trials_leave_room)
{
	memset(&trials, 0, sizeof(trials));
	trials.count = TRIALS_MAX;
	for (unsigned i = 0; i < TRIALS_MAX; i++)
		trials.trial[i] = (struct trial){ .fate = TRIAL_QUIET, .unsettled = true };
	trials_make_room(&trials);
	assert_true(trials.count <= TRIALS_MAX * 3 / 4);
}

RUN_TESTS(.each_set_up = empty)
