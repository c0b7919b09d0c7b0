/* Trials to sample: what is used, what is dropped, what the sample says of itself. */
#include "check.h"

#include "engine/measure/measure.h"
#include "engine/measure/trials.h"

static const struct run_facts facts = {
	.cycles_from = SOURCE_REFERENCE, .bytes = 8, .watched = true
};

static void add(struct trials *trials, double cpe, enum trial_fate fate)
{
	trials->trial[trials->count++] = (struct trial){
		.cpe = cpe, .ghz = 4, .watch = 1, .turns = 1, .fate = (uint8_t)fate
	};
}

TEST(nothing_gives_no_sample)
{
	struct trials trials = { 0 };
	struct sample sample;

	sample_summarise(&trials, &facts, &sample);
	assert_false(sample.valid);
	add(&trials, 3, TRIAL_BROKEN);
	add(&trials, 3, TRIAL_SWITCHED);
	sample_summarise(&trials, &facts, &sample);
	assert_false(sample.valid);
}

TEST(quiet_trials_are_used_and_contended_ones_not)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 100; i++)
		add(&trials, 3 + 0.001 * (i - 50), TRIAL_QUIET);
	for (int i = 0; i < 300; i++)
		add(&trials, 4, TRIAL_CONTENDED);
	for (int i = 0; i < 20; i++)
		add(&trials, 9, TRIAL_SWITCHED);
	sample_summarise(&trials, &facts, &sample);
	assert_true(sample.valid);
	assert_false(sample.contended);
	assert_false(sample.provisional);
	assert_int_equal(sample.trials, 100);
	assert_int_equal(sample.dropped, 320);
	check_near(sample.cpe, 3, 0.001);
	check_near(sample.cpe_lo, 2.975, 0.001);
	check_near(sample.cpe_hi, 3.025, 0.001);
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
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 5; i++)
		add(&trials, 3, TRIAL_QUIET);
	for (int i = 0; i < 200; i++)
		add(&trials, 3.3, TRIAL_CONTENDED);
	sample_summarise(&trials, &facts, &sample);
	assert_true(sample.contended);
	assert_true(sample.mixed);
	assert_int_equal(sample.trials, 205);
	check_near(sample.cpe, 3.3, 1e-9);
	check_near(sample.quiet, 5.0 / 205, 1e-9);
}

/* A handful of quiet trials gives a better figure than hundreds of contended ones, though none to
 * vouch for. */
TEST(a_handful_of_quiet_trials_is_used_alone)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 12; i++)
		add(&trials, 3, TRIAL_QUIET);
	for (int i = 0; i < 200; i++)
		add(&trials, 3.3, TRIAL_CONTENDED);
	sample_summarise(&trials, &facts, &sample);
	assert_true(sample.contended);
	assert_false(sample.mixed);
	assert_int_equal(sample.trials, 12);
	check_near(sample.cpe, 3, 1e-9);
}

/* Contention slows the reference chain in some trials: read with it, they would undercut the true
 * figure. */
TEST(a_slowed_clock_is_not_believed)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 200; i++) {
		add(&trials, i % 3 ? 2.9 : 3, TRIAL_CONTENDED);
		trials.trial[i].ghz = i % 3 ? 4 * 2.9 / 3 : 4;
	}
	sample_summarise(&trials, &facts, &sample);
	assert_true(sample.contended);
	check_near(sample.cpe, 3, 1e-9);
	check_near(sample.ghz, 4, 1e-9);
	check_near(sample.ns, 0.75, 1e-9);
}

/* By the counter, with the reference chain beside it. */
static void add_counted(
	struct trials *trials, double cpe, double ghz, double check, enum trial_fate fate)
{
	add(trials, cpe, fate);
	trials->trial[trials->count - 1].ghz = ghz;
	trials->trial[trials->count - 1].check = (float)check;
}

TEST(counted_trials_carry_the_chains_opinion)
{
	static const struct run_facts counted = { .cycles_from = SOURCE_COUNTER, .watched = true };
	static struct trials trials;
	struct sample sample;

	trials.count = 0;
	for (int i = 0; i < 40; i++)
		add_counted(&trials, 2, 3 + 0.01 * (i % 3), 1.01, TRIAL_QUIET);
	add_counted(&trials, 2, 3, 5, TRIAL_BROKEN);
	sample_summarise(&trials, &counted, &sample);
	check_near(sample.cpe, 2, 1e-12);
	check_near(sample.ghz, 3.01, 1e-12);
	check_near(sample.check, 1.01, 1e-6);
	assert_int_equal(sample.cycles_from, SOURCE_COUNTER);
	/* Without a counter there is nothing to compare with. */
	trials.count = 0;
	for (int i = 0; i < 40; i++)
		add(&trials, 2, TRIAL_QUIET);
	sample_summarise(&trials, &facts, &sample);
	assert_true(isnan(sample.check));
	trials.count = 0;
	sample_summarise(&trials, &counted, &sample);
	assert_true(isnan(sample.check));
}

/* The rule that the fastest clock is nearest to the truth is the chain's; what is counted is true
 * each time. */
TEST(counted_clocks_are_believed)
{
	static const struct run_facts counted = { .cycles_from = SOURCE_COUNTER, .watched = true };
	static struct trials trials;
	struct sample sample;

	trials.count = 0;
	for (int i = 0; i < 30; i++)
		add_counted(&trials, 2, i % 2 ? 2 : 4, 1, TRIAL_CONTENDED);
	sample_summarise(&trials, &counted, &sample);
	assert_true(sample.mixed);
	check_near(sample.cpe_lo, 2, 1e-12);
	check_near(sample.cpe_hi, 2, 1e-12);
	check_near(sample.ghz, 3, 1e-12);
}

/* The counter was lost, or found, between two requests at the same setting. */
TEST(a_counter_that_comes_or_goes_mixes_no_clocks)
{
	static const struct run_facts counted = { .cycles_from = SOURCE_COUNTER, .watched = true };
	static struct trials trials;
	struct sample sample;

	trials.count = 0;
	for (int i = 0; i < 30; i++) {
		add_counted(&trials, 2, 3, 1.5, TRIAL_QUIET);
		add(&trials, 3, TRIAL_QUIET);
		trials.trial[trials.count - 1].ghz = 4.5;
		trials.trial[trials.count - 1].check = NAN;
	}
	sample_summarise(&trials, &facts, &sample);
	check_near(sample.cpe_lo, 3, 1e-6);
	check_near(sample.cpe_hi, 3, 1e-6);
	check_near(sample.ghz, 4.5, 1e-6);
	assert_int_equal(sample.trials, 60);
	assert_true(isnan(sample.check));
	sample_summarise(&trials, &counted, &sample);
	check_near(sample.cpe_lo, 2, 1e-6);
	check_near(sample.cpe_hi, 2, 1e-6);
	check_near(sample.check, 1.5, 1e-6);
	assert_int_equal(sample.trials, 30);
	/* As do those that never knew of a check. */
	trials.count = 0;
	for (int i = 0; i < 30; i++)
		add(&trials, 3, TRIAL_QUIET);
	sample_summarise(&trials, &counted, &sample);
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
	struct trials trials = { 0 };
	struct sample sample;

	add(&trials, 5, TRIAL_QUIET);
	sample_summarise(&trials, &facts, &sample);
	assert_true(sample.provisional);
	check_near(sample.seconds, 0, 0);
	sample_summarise(&trials, &longer, &sample);
	assert_false(sample.provisional);
	check_near(sample.seconds, 0.5, 1e-9);
	add(&trials, 5, TRIAL_QUIET);
	sample_summarise(&trials, &longer, &sample);
	check_near(sample.seconds, 1, 1e-9);
}

TEST(few_trials_are_provisional)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < TRIALS_SETTLED; i++) {
		sample_summarise(&trials, &facts, &sample);
		assert_true(i == 0 || sample.provisional);
		add(&trials, 3, TRIAL_QUIET);
	}
	sample_summarise(&trials, &facts, &sample);
	assert_false(sample.provisional);
}

TEST(what_cannot_be_known_is_not_a_number)
{
	const struct run_facts bare = { .cycles_from = SOURCE_REFERENCE };
	struct trials trials = { 0 };
	struct sample sample;

	add(&trials, 3, TRIAL_QUIET);
	sample_summarise(&trials, &bare, &sample);
	assert_true(isnan(sample.quiet));
	assert_true(isnan(sample.gbps));
	assert_true(isnan(sample.bytes_per_cycle));
}

TEST(two_modes_are_shown_as_two)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 60; i++)
		add(&trials, 2 + 0.001 * (i % 7), TRIAL_QUIET);
	for (int i = 0; i < 40; i++)
		add(&trials, 2.5 + 0.001 * (i % 7), TRIAL_QUIET);
	sample_summarise(&trials, &facts, &sample);
	assert_int_equal(sample.modes, 2);
	check_near(sample.mode_low, 2.003, 0.002);
	check_near(sample.mode_high, 2.503, 0.002);
	check_near(sample.mode_share_low, 0.6, 0.001);
}

/* Trials made before the walk was in steady state are left out as soon as there are some that were
 * not. */
TEST(only_steady_trials_are_used)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 60; i++) {
		add(&trials, 50, TRIAL_QUIET);
		trials.trial[i].unsettled = true;
	}
	sample_summarise(&trials, &facts, &sample);
	assert_true(sample.unsettled);
	assert_string_equal(sample_doubt(&sample), "not settled");
	check_near(sample.cpe, 50, 1e-9);
	assert_int_equal(trials_quiet(&trials), 0);
	for (int i = 0; i < 30; i++)
		add(&trials, 150 + 0.01 * i, TRIAL_QUIET);
	sample_summarise(&trials, &facts, &sample);
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
	struct trials trials = { 0 };
	struct sample sample;

	far.far = true;
	for (int i = 0; i < 100; i++)
		add(&trials, i < 70 ? 100 : 150, TRIAL_QUIET);
	trials.trial[0].cpe = 9000;
	sample_summarise(&trials, &facts, &sample);
	check_near(sample.cpe, 100, 1e-9);
	sample_summarise(&trials, &far, &sample);
	check_near(sample.cpe, (67 * 100 + 29 * 150) / 96.0, 1e-9);
	check_near(sample.cpe_lo, 100, 1e-9);
	check_near(sample.cpe_hi, 150, 1e-9);
}

/* The sample reports the spread between placements next to the spread within them. */
TEST(placements_are_compared)
{
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < 90; i++) {
		add(&trials, 40 + 2 * (i / 30) + 0.01 * (i % 30), TRIAL_QUIET);
		trials.trial[i].place = (uint8_t)(5 * (i / 30));
	}
	/* Too few of a fourth one. */
	add(&trials, 99, TRIAL_QUIET);
	trials.trial[90].place = 77;
	sample_summarise(&trials, &facts, &sample);
	assert_int_equal(sample.places, 3);
	check_near(sample.place_lo, 40.145, 0.001);
	check_near(sample.place_hi, 44.145, 0.001);
	check_near(sample.cpe, 42.15, 0.02);
}

TEST(appending_keeps_the_newest_and_counts_the_rest)
{
	struct trials into = { 0 }, from = { 0 };
	struct sample sample;

	for (int i = 0; i < TRIALS_MAX - 10; i++)
		add(&into, 1, i % 2 ? TRIAL_QUIET : TRIAL_CONTENDED);
	for (int i = 0; i < 50; i++)
		add(&from, 2, TRIAL_QUIET);
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
	struct trials trials = { 0 };
	struct sample sample;

	for (int i = 0; i < TRIALS_MAX; i++)
		add(&trials, i % 10 ? 4 : 3, i % 10 ? TRIAL_CONTENDED : TRIAL_QUIET);
	trials_make_room(&trials);
	assert_true(trials.count < TRIALS_MAX / 2);
	sample_summarise(&trials, &facts, &sample);
	assert_int_equal(sample.trials, TRIALS_MAX / 10);
	assert_int_equal(sample.dropped, TRIALS_MAX - TRIALS_MAX / 10);
	check_near(sample.quiet, 0.1, 1e-9);

	/* All quiet: half of them go all the same. */
	trials = (struct trials){ 0 };
	for (int i = 0; i < TRIALS_MAX; i++)
		add(&trials, 3, TRIAL_QUIET);
	trials_make_room(&trials);
	assert_int_equal(trials.count, TRIALS_MAX / 2);

	/* Whatever the mixture, there is room afterwards. */
	for (int share = 0; share <= 20; share++) {
		trials = (struct trials){ 0 };
		for (int i = 0; i < TRIALS_MAX; i++)
			add(&trials, 3, i % 20 < share ? TRIAL_QUIET : TRIAL_CONTENDED);
		trials_make_room(&trials);
		assert_true(trials.count <= TRIALS_MAX * 3 / 4);
	}
	for (int last = 1; last < TRIALS_MAX; last *= 2) {
		trials = (struct trials){ 0 };
		for (int i = 0; i < TRIALS_MAX; i++)
			add(&trials, 3, i < TRIALS_MAX - last ? TRIAL_QUIET : TRIAL_CONTENDED);
		trials_make_room(&trials);
		assert_true(trials.count <= TRIALS_MAX * 3 / 4);
	}
}

TEST(contention_is_told_by_either_watch)
{
	struct trials trials = { 0 };

	for (int i = 0; i < 60; i++) {
		add(&trials, 3, TRIAL_QUIET);
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

TEST(without_a_watch_all_are_quiet)
{
	struct trials trials = { 0 };

	for (int i = 0; i < 20; i++) {
		add(&trials, 3, TRIAL_QUIET);
		trials.trial[i].watch = trials.trial[i].turns = NAN;
	}
	trials_classify(&trials);
	for (int i = 0; i < 20; i++)
		assert_int_equal(trials.trial[i].fate, TRIAL_QUIET);
}

TEST(sources_have_names)
{
	assert_string_equal(source_name(SOURCE_COUNTER), "counter");
	assert_string_equal(source_name(SOURCE_REFERENCE), "reference");
	assert_string_equal(source_name(SOURCE_STEPPED), "stepped");
	assert_string_equal(source_name(SOURCE_TIME), "time");
	assert_string_equal(source_name(SOURCE_MODEL), "model");
}

TEST(what_others_moved_is_the_mean_of_visits)
{
	const struct run_facts unknown = { .cores = 4, .others_gbps = NAN }, alone = { .cores = 1 };
	struct run_facts newer = { .cores = 4, .others_gbps = 30, .call = 7 }, seen = { 0 };

	facts_renew(&seen, &newer, 0);
	check_near(seen.others_gbps, 30, 1e-12);
	newer.others_gbps = 60;
	facts_renew(&seen, &newer, 1);
	check_near(seen.others_gbps, 45, 1e-12);
	newer.call = 9;
	newer.others_gbps = 60;
	facts_renew(&seen, &newer, 2);
	check_near(seen.others_gbps, 50, 1e-12);
	assert_int_equal(seen.call, 9);
	/* Not known this time is no reason to forget it. */
	facts_renew(&seen, &unknown, 3);
	check_near(seen.others_gbps, 50, 1e-12);
	facts_renew(&seen, &alone, 4);
	assert_true(seen.others_gbps == 0);
	facts_renew(&seen, &unknown, 0);
	assert_true(isnan(seen.others_gbps));
	facts_renew(&seen, &newer, 1);
	check_near(seen.others_gbps, 60, 1e-12);
}

RUN_TESTS()
