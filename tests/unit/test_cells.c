#include "fakes.h"

#include <malloc.h>

#include "experiment/setting/cells.h"

static struct setting fold_of_size(int64_t size)
{
	struct setting setting;

	setting_init(&setting, &kernel_fold);
	setting.v[FOLD_SIZE] = size;
	return setting;
}

static struct setting setting; /* of the cell */
static struct cell cell;

static int set_up(void **state)
{
	setting = fold_of_size(64);
	cell = (struct cell){ .setting = setting };
	return 0;
}

static int tear_down(void **state)
{
	free(cell.trials);
	free(cell.counts);
	return 0;
}

static struct result visit(unsigned count, double spread)
{
	struct request request = { .generation = 1, .kernel = setting.kernel };
	struct result result = fake_result(&request, count, 2);

	fake_trials(&result.trials, count, 2, spread, 0.01);
	return result;
}

TEST(finds_what_was_put_in_at_a_stable_address)
{
	struct cells *cells = cells_new();
	struct cell *first[3000];
	struct setting other;

	for (int i = 0; i < 3000; i++) {
		other = fold_of_size(64 + i);
		assert_null(cells_get(cells, &other, false));
		first[i] = cells_get(cells, &other, true);
		assert_true(setting_equal(&first[i]->setting, &other));
	}
	assert_int_equal(cells_count(cells), 3000);
	for (int i = 0; i < 3000; i++) {
		other = fold_of_size(64 + i);
		assert_ptr_equal(cells_get(cells, &other, i % 2), first[i]);
	}
	assert_int_equal(cells_count(cells), 3000);
	setting_init(&other, &kernel_walk);
	assert_null(cells_get(cells, &other, false));
	cells_clear(cells);
	assert_int_equal(cells_count(cells), 0);
	other = fold_of_size(64);
	assert_null(cells_get(cells, &other, false));
	cells_free(cells);
	cells_free(NULL);
}

TEST(settles_with_enough_quiet_and_narrow_trials)
{
	struct result result = visit(20, 0.01);

	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_false(cell.settled);
	assert_int_equal(cell.visits, 1);
	assert_true(cell.sample.valid);
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_true(cell.settled);
	assert_int_equal(cell.visits, 2);
	assert_int_equal(cell.trials->count, 40);
	check_near(cell.sample.cpe, 2, 0.001);
	cell_compact(&cell);
	assert_null(cell.trials);
	assert_true(cell.sample.valid);
}

TEST(wide_trials_take_more_visits_but_not_for_ever)
{
	struct result result = visit(50, 0.5);

	for (int i = 0; i < 4; i++) {
		cell_visit(&cell, &result, 40, 0.01, 5);
		assert_false(cell.settled);
		cell_compact(&cell);
		assert_non_null(cell.trials);
	}
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_true(cell.settled);
	assert_int_equal(cell.trials->count, 250);
	assert_int_equal(cell.failure.code, STATUS_OK);
	cell_compact(&cell);
}

TEST(contended_trials_do_not_settle_early)
{
	struct result result = fake_disturb(visit(100, 0.001), TRIAL_CONTENDED, 1);

	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_true(cell.sample.contended);
	assert_false(cell.settled);
}

/* Whole products that last a second each: no one waits for a hundred of them. */
TEST(seconds_of_trials_settle)
{
	struct result result = visit(1, 0);

	result.facts.call =
		(uint64_t)(1.2e9 * result.trials.trial[0].ghz / result.trials.trial[0].cpe);
	result.facts.calls = 1;
	cell_visit(&cell, &result, 150, 0.002, 100);
	assert_true(cell.sample.valid && !cell.settled);
	cell_visit(&cell, &result, 150, 0.002, 100);
	assert_true(cell.settled);
}

#ifdef __GLIBC__
/* Sessions keep thousands of cells. */
TEST(trials_take_no_more_memory_than_they_need)
{
	struct result result = visit(30, 1);

	for (int i = 0; i < 3; i++) {
		cell_visit(&cell, &result, 400, 1e-9, 100);
		assert_int_equal(cell.trials->count, 30 * (i + 1));
		assert_float_equal(cell.trials->trial[0].cpe, result.trials.trial[0].cpe, 0);
		assert_memory_equal(&cell.trials->trial[30 * i], result.trials.trial,
			30 * sizeof(struct trial));
		assert_in_range(malloc_usable_size(cell.trials), 1, sizeof(struct trials) / 4);
	}
}
#endif

TEST(a_failure_settles_and_keeps_its_reason)
{
	struct result result = visit(0, 0);

	result.status = status_failed("memory refused");
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_true(cell.settled);
	assert_false(cell.sample.valid);
	assert_string_equal(cell.failure.text, "memory refused");
}

TEST(nothing_but_disturbed_trials_end_as_a_failure)
{
	struct result result = fake_disturb(visit(10, 0), TRIAL_SWITCHED, 1);

	for (int i = 0; i < 5; i++)
		cell_visit(&cell, &result, 40, 0.01, 5);
	assert_true(cell.settled);
	assert_false(cell.sample.valid);
	assert_int_equal(cell.failure.code, STATUS_FAILED);
}

TEST(cancelled_and_provisional_results_are_no_visits)
{
	struct result result = visit(30, 0.001);

	result.final = false;
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_null(cell.trials);
	result.final = true;
	result.status = status_make(STATUS_CANCELLED, "stopped");
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_int_equal(cell.visits, 0);
	assert_int_equal(cell.trials->count, 30);
	assert_true(cell.sample.valid);
	assert_int_equal(cell.failure.code, STATUS_OK);
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_true(cell.settled);
	cell_compact(&cell);
}

TEST(counts_are_kept_where_there_are_any)
{
	struct result result = visit(5, 0.01);

	/* None, and why: that is no count. */
	result.counts.id = 3;
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_null(cell.counts);
	result.counts.count = 1;
	result.counts.event[0] = (struct count){ .state = COUNT_KNOWN, .value = 7 };
	result.status = status_make(STATUS_CANCELLED, "stopped");
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_null(cell.counts);
	result.status = status_ok();
	cell_visit(&cell, &result, 40, 0.01, 5);
	assert_non_null(cell.counts);
	check_near(cell.counts->event[0].value, 7, 0);
	result.counts.event[0].value = 8;
	cell_visit(&cell, &result, 5, 1, 5);
	assert_true(cell.settled);
	cell_compact(&cell);
	check_near(cell.counts->event[0].value, 8, 0);
	/* What there was no time for stays as it was; another plan's goes. */
	result.counts.count = 2;
	result.counts.event[0] = (struct count){ .state = COUNT_NONE };
	result.counts.event[1] = (struct count){ .state = COUNT_KNOWN, .value = 9 };
	cell_count(&cell, &result);
	check_near(cell.counts->event[0].value, 8, 0);
	check_near(cell.counts->event[1].value, 9, 0);
	result.counts.id = 4;
	cell_count(&cell, &result);
	assert_int_equal(cell.counts->event[0].state, COUNT_NONE);
}

TEST(trials_of_two_clocks_are_not_mixed)
{
	struct result result = visit(30, 0.01);

	cell_visit(&cell, &result, 400, 0.0001, 9);
	cell_visit(&cell, &result, 400, 0.0001, 9);
	assert_int_equal(cell.sample.trials, 60);
	fake_trials(&result.trials, 30, 4, 0.01, 0.01);
	result.facts.cycles_from = SOURCE_COUNTER;
	cell_visit(&cell, &result, 400, 0.0001, 9);
	assert_int_equal(cell.sample.trials, 30);
	check_near(cell.sample.cpe, 4, 0.02);
	assert_int_equal(cell.sample.cycles_from, SOURCE_COUNTER);
}

RUN_TESTS(.each_set_up = set_up, .each_tear_down = tear_down)
