#include "check.h"

#include <math.h>

#include "engine/progress.h"

TEST(a_stage_begins_with_nothing_of_it_done)
{
	struct progress progress = { 0 };
	struct progress_seen seen = progress_see(&progress);

	assert_int_equal(seen.stage, STAGE_NONE);
	progress_begin(&progress, STAGE_LAYING, 0, 0);
	atomic_store(&progress.share, 430);
	seen = progress_see(&progress);
	assert_int_equal(seen.stage, STAGE_LAYING);
	assert_float_equal(seen.share, 0.43, 1e-9);
	progress_begin(&progress, STAGE_RUNNING, 1, 3);
	seen = progress_see(&progress);
	assert_int_equal(seen.stage, STAGE_RUNNING);
	assert_true(seen.share == 0);
	progress_end(&progress);
	assert_int_equal(progress_see(&progress).stage, STAGE_NONE);
	/* Nobody asks. */
	progress_begin(NULL, STAGE_LAYING, 0, 0);
	progress_end(NULL);
}

TEST(runs_are_shares_of_all_of_them)
{
	struct progress progress = { 0 };
	struct progress_seen seen;

	progress_begin(&progress, STAGE_RUNNING, 2, 4);
	atomic_store(&progress.share, 500);
	seen = progress_see(&progress);
	assert_int_equal(seen.run, 2);
	assert_int_equal(seen.runs, 4);
	assert_float_equal(seen.share, 0.375, 1e-9);
	/* More than can be told apart. */
	progress_begin(&progress, STAGE_RUNNING, 1u << 20, 1u << 21);
	seen = progress_see(&progress);
	assert_true(seen.share <= 1 && seen.run == seen.runs);
	atomic_store(&progress.share, 2000);
	assert_true(progress_see(&progress).share <= 1);
}

TEST(what_is_left_follows_from_what_was_seen)
{
	struct outlook outlook = { 0 };
	struct progress_seen seen = { .stage = STAGE_LAYING, .share = 0.1 };

	assert_true(isnan(outlook_left(&outlook, 10)));
	assert_true(isnan(outlook_note(&outlook, &seen, 10)));
	seen.share = 0.11;
	assert_true(isnan(outlook_note(&outlook, &seen, 10.5)));
	seen.share = 0.3;
	assert_float_equal(outlook_note(&outlook, &seen, 12), 7, 1e-9);
	/* Another stage begins anew. */
	seen = (struct progress_seen){ .stage = STAGE_RUNNING, .run = 1, .runs = 1, .share = 0.5 };
	assert_true(isnan(outlook_note(&outlook, &seen, 13)));
	seen.share = 0.75;
	assert_float_equal(outlook_note(&outlook, &seen, 14), 1, 1e-9);
	/* More runs are planned than before: their share is smaller. */
	seen.share = 0.6;
	assert_true(isnan(outlook_note(&outlook, &seen, 15)));
	seen.share = 0.7;
	assert_true(isnan(outlook_note(&outlook, &seen, 15.1))); /* too short a while */
	assert_float_equal(outlook_note(&outlook, &seen, 16), 3, 1e-9);
	seen.share = 0.4;
	assert_true(isnan(outlook_note(&outlook, &seen, 16)));
	seen.stage = STAGE_NONE;
	assert_true(isnan(outlook_note(&outlook, &seen, 17)));
}

TEST(it_is_told_in_a_line)
{
	struct progress_seen seen = { .stage = STAGE_LAYING, .share = 0.4399 };
	char words[80];

	progress_words(&seen, 384 << 20, words, sizeof(words));
	assert_string_equal(words, "laying out 384 MiB: 43 %");
	seen.stage = STAGE_MEMORY;
	progress_words(&seen, 384 << 20, words, sizeof(words));
	assert_string_equal(words, "taking 384 MiB of memory: 43 %");
	seen = (struct progress_seen){ .stage = STAGE_RUNNING, .share = 0.5, .run = 2, .runs = 3 };
	progress_words(&seen, 1, words, sizeof(words));
	assert_string_equal(words, "complete run 2 of 3: 50 %");
	seen.run = seen.runs = 1;
	progress_words(&seen, 1, words, sizeof(words));
	assert_string_equal(words, "complete run: 50 %");
	seen.stage = STAGE_NONE;
	progress_words(&seen, 1, words, sizeof(words));
	assert_string_equal(words, "");
	progress_left_words(0.2, words, sizeof(words));
	assert_string_equal(words, "about 1 s left");
	progress_left_words(98.3, words, sizeof(words));
	assert_string_equal(words, "about 99 s left");
	progress_left_words(150, words, sizeof(words));
	assert_string_equal(words, "about 3 min left");
	progress_left_words(NAN, words, sizeof(words));
	assert_string_equal(words, "");
}

RUN_TESTS()
