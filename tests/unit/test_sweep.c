#include "fakes.h"

#include "experiment/sweep/sweep.h"
#include "fake_measurer.h"

/* A sweep with made-up answers and time. */
struct play {
	struct sweep *sweep;
	struct fake_measurer fake;
	double now;
	unsigned visits;
	/* The answer to a request: quiet trials and their CPE; seconds it takes. */
	struct result (*answer)(const struct request *request);
	double takes;
	const struct counter_plan *plan;
	unsigned taken, failed;
	struct setting order[4096]; /* of the cells taken */
	struct sample samples[4096];
	unsigned visits_by_size[64]; /* by the logarithm of the size */
	unsigned stop_after;	     /* visits; 0: never */
	void (*watch)(void);	     /* called with the sink's before_wait(); NULL: nobody */
	double last;		     /* what it saw */
	double counted;		     /* the sum of the first event over cells */
};

/* Quiet trials that scatter, so that it takes 64 of them to know their median well. */
static struct result scattered(const struct request *request, unsigned count)
{
	struct result result = fake_result(request, count, 1.5);

	fake_trials(&result.trials, count, 1.5, 0.015, 0.01);
	return result;
}

static struct result quiet_answer(const struct request *request)
{
	return scattered(request, 16);
}

static struct result precise_answer(const struct request *request)
{
	return fake_result(request, 32, 1.5);
}

static struct play *play = &(struct play){ 0 };

/* A sweep of these words, which blanks separate. */
static struct status begin_limited(const struct kernel *kernel, double seconds, const char *words,
	struct memory_limits memory_limits)
{
	const struct sweep_options options = { .seconds = seconds, .seed = 7 };
	char copy[128], *rest;

	sweep_free(play->sweep);
	memset(play, 0, sizeof(*play));
	play->answer = quiet_answer;
	play->takes = 0.001;
	play->sweep = sweep_new(kernel, &options);
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		check_ok(sweep_assign(play->sweep, word));
	return sweep_begin(play->sweep, memory_limits);
}

static void begin(const struct kernel *kernel, double seconds, const char *words)
{
	check_ok(begin_limited(kernel, seconds, words, MEMORY_LIMITS_UNKNOWN));
}

static struct sweep_progress progress_now(void)
{
	return sweep_progress(play->sweep);
}

static struct result answered(void *context, const struct request *request)
{
	struct result result;

	assert_true(play->visits++ < 200000);
	if (request->kernel == &kernel_fold)
		play->visits_by_size[__builtin_ctzll((uint64_t)request->v[FOLD_SIZE])]++;
	result = play->answer(request);
	play->now += play->takes;
	result.at = 0;
	play->fake.stopped = play->visits == play->stop_after;
	return result;
}

static void finished(void *context, const struct cell *cell)
{
	assert_true(play->taken < 4096);
	play->order[play->taken] = cell->setting;
	play->samples[play->taken++] = cell->sample;
	play->failed += cell->failure.code != STATUS_OK;
	if (cell->counts)
		play->counted += cell->counts->event[0].value;
}

static void before_wait(void *context)
{
	if (play->watch)
		play->watch();
}

static void run_ahead(int ahead)
{
	const struct sweep_sink sink = { .finished = finished, .before_wait = before_wait };
	bool stopped = play->fake.stopped;
	struct measurer measurer;

	play->fake =
		(struct fake_measurer){ .answer = answered, .now = &play->now, .stopped = stopped };
	measurer = fake_measurer(&play->fake, ahead);
	sweep_measure(play->sweep, &measurer, play->plan, &sink);
	assert_int_equal(play->fake.under_way, 0);
}

static void run(void)
{
	run_ahead(1);
}

/* A sweep of these words with these answers. */
static void run_words(const char *words, struct result (*answer)(const struct request *request))
{
	begin(&kernel_fold, 0, words);
	play->answer = answer;
	run();
}

TEST(gives_the_cross_product_in_the_order_typed)
{
	begin(&kernel_fold, 0, "acc=2,1 unroll=2..4:2 op=*");
	assert_int_equal(sweep_report(play->sweep)->axis_count, 3);
	assert_int_equal(sweep_report(play->sweep)->axes[0].knob, FOLD_ACC);
	assert_int_equal(sweep_report(play->sweep)->axes[1].count, 2);
	run();
	assert_int_equal(play->taken, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(play->order[i].v[FOLD_ACC], i < 4 ? 2 : 1);
		assert_int_equal(play->order[i].v[FOLD_UNROLL], i / 2 % 2 ? 4 : 2);
		assert_int_equal(play->order[i].v[FOLD_OP], i % 2);
		assert_int_equal(play->order[i].v[FOLD_SIZE], 32768);
		assert_true(play->samples[i].valid);
	}
}

TEST(counts_what_the_kernel_excludes)
{
	begin(&kernel_fold, 0, "unroll=1..16 acc=1..16");
	assert_int_equal(progress_now().combinations, 256);
	assert_int_equal(progress_now().excluded, 120);
	assert_int_equal(progress_now().cells, 136);
	assert_string_equal(progress_now().why_excluded, "acc=2 needs unroll=2 or more");
	run();
	assert_int_equal(play->taken, 136);
	assert_int_equal(progress_now().finished, 136);
}

TEST(excludes_what_memory_cannot_hold)
{
	check_ok(begin_limited(
		&kernel_fold, 0, "size=1m..16m*2", (struct memory_limits){ .memory = 4 << 20 }));
	assert_int_equal(progress_now().cells, 3);
	assert_int_equal(progress_now().excluded, 2);
	check_contains(progress_now().why_excluded, "8m");
}

static void refused(struct status status, const char *part)
{
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, part);
}

TEST(refuses_wrong_words)
{
	begin(&kernel_fold, 0, "");
	refused(sweep_assign(play->sweep, "accc=1"), "accc");
	refused(sweep_assign(play->sweep, "acc"), "acc");
	refused(sweep_assign(play->sweep, "acc=1..17"), "acc");
	check_ok(sweep_assign(play->sweep, "acc=1"));
	refused(sweep_assign(play->sweep, "acc=2"), "acc is given twice");
	refused(begin_limited(&kernel_fold, 0, "acc=9 unroll=1,2", MEMORY_LIMITS_UNKNOWN),
		"no combination of knob values is left: acc=9 needs");
	refused(begin_limited(
			&kernel_fold, 0, "size=1k..90k:1 stride=1..64 op=*", MEMORY_LIMITS_UNKNOWN),
		"more than 10000000 combinations");
}

/* The order of visits: the logarithms of their sizes. */
static char visited[64];

/* Every cell once before any cell twice, each visit beginning elsewhere in the walk, and memory
 * moving with the rounds alone. */
static struct result in_rounds(const struct request *request)
{
	static double place[16];
	static uint64_t shift[4];
	static unsigned seen;
	unsigned visit = play->visits - 1, round = visit / 4,
		 bit = 1u << __builtin_ctzll((uint64_t)request->v[FOLD_SIZE]);

	assert_int_equal(request->seed, 7);
	place[visit] = request->place;
	for (unsigned i = 0; i < visit; i++)
		assert_true(fabs(place[i] - place[visit]) > 0.01);
	if (visit % 4 == 0) {
		seen = 0;
		shift[round] = request->shift;
	}
	assert_false(seen & bit);
	seen |= bit;
	assert_int_equal(request->shift, shift[round]);
	if (round > 1)
		assert_int_not_equal(shift[round], shift[round - 2]);
	visited[visit] = (char)('a' + __builtin_ctzll((uint64_t)request->v[FOLD_SIZE]));
	return scattered(request, 16);
}

TEST(visits_in_rounds_in_an_order_by_chance)
{
	char first[sizeof(visited)];

	run_words("size=256k,32k,128k,64k", in_rounds);
	assert_int_equal(strlen(visited), 16);
	assert_true(memcmp(visited, visited + 4, 4) != 0 || memcmp(visited, visited + 8, 4) != 0);
	/* The seed decides: the same again. */
	memcpy(first, visited, sizeof(first));
	run_words("size=256k,32k,128k,64k", in_rounds);
	assert_string_equal(visited, first);
	/* 16 of 64 quiet trials a visit: four visits settle a cell. */
	assert_int_equal(play->visits, 16);
	assert_int_equal(play->order[0].v[FOLD_SIZE], 256 << 10);
	assert_int_equal(play->order[3].v[FOLD_SIZE], 64 << 10);
}

/* However well the first visit knows its median: the second one is of another placement in memory.
 */
TEST(cells_beyond_the_own_caches_are_visited_twice)
{
	run_words("size=64k,8m", precise_answer);
	assert_int_equal(play->visits_by_size[16], 1);
	assert_int_equal(play->visits_by_size[23], 2);
}

/* The first two visits of 8m come to no steady state. */
static struct result drifting_at_8m(const struct request *request)
{
	struct result result = precise_answer(request);

	if (request->v[FOLD_SIZE] == 8 << 20 && play->visits_by_size[23] <= 2)
		for (unsigned i = 0; i < result.trials.count; i++)
			result.trials.trial[i].unsettled = true;
	return result;
}

TEST(what_did_not_settle_is_visited_again)
{
	run_words("size=4m,8m", drifting_at_8m);
	assert_int_equal(play->visits_by_size[22], 2);
	assert_int_equal(play->visits_by_size[23], 3);
	for (unsigned i = 0; i < 2; i++)
		assert_false(play->samples[i].unsettled);
}

/* One size meets contention on its first visits. */
static struct result contended_at_64k(const struct request *request)
{
	struct result result = scattered(request, 16);

	if (request->v[FOLD_SIZE] == 64 << 10 && play->visits_by_size[16] <= 6)
		return fake_disturb(result, TRIAL_CONTENDED, 1);
	return result;
}

TEST(returns_to_contended_cells)
{
	run_words("size=32k..256k*2", contended_at_64k);
	assert_int_equal(play->visits_by_size[15], 4);
	assert_int_equal(play->visits_by_size[16], 10);
	assert_int_equal(play->visits_by_size[17], 4);
	assert_int_equal(play->taken, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_false(play->samples[i].contended);
}

static struct result never_quiet(const struct request *request)
{
	return fake_disturb(fake_result(request, 16, 1.5), TRIAL_CONTENDED, 1);
}

TEST(ends_when_its_time_is_up)
{
	begin(&kernel_fold, 0.32, "size=32k..256k*2 stride=1..8");
	play->answer = never_quiet;
	play->takes = 0.004;
	run();
	assert_int_equal(play->taken, 32);
	assert_int_equal(play->failed, 0);
	assert_true(play->now <= 0.32 + play->takes);
	for (unsigned i = 0; i < 32; i++)
		assert_true(play->samples[i].contended);

	/* Far too little time: still each cell once, and nothing twice. */
	begin(&kernel_fold, 0.001, "size=32k..256k*2 stride=1..8");
	play->takes = 0.004;
	run();
	assert_int_equal(play->visits, 32);
	assert_int_equal(play->taken, 32);
}

static struct result fails_at_64k(const struct request *request)
{
	struct result result = fake_result(request, 16, 1.5);

	if (request->v[FOLD_SIZE] == 64 << 10) {
		result.status = status_failed("memory was refused");
		result.trials.count = 0;
	}
	return result;
}

/* The first run of each is disturbed; one at 4k always is. */
static struct result disturbed_answer(const struct request *request)
{
	static uint64_t seen;
	uint64_t bit = UINT64_C(1) << __builtin_ctzll((uint64_t)request->v[FOLD_SIZE]);
	struct result result = fake_result(request, 1, 1.5);

	seen = play->visits <= 1 ? 0 : seen;
	if (!(seen & bit) || request->v[FOLD_SIZE] == 4096)
		result.trials.trial[0].fate = TRIAL_BROKEN;
	seen |= bit;
	return result;
}

/* Long runs, one a visit: the time is up after the first, and still each cell that has no figure is
 * tried again, a few times. */
TEST(what_has_no_figure_is_tried_again_whatever_the_time)
{
	begin(&kernel_fold, 0, "size=4k,8k,16k");
	play->answer = disturbed_answer;
	play->takes = 100;
	run();
	assert_int_equal(play->taken, 3);
	assert_int_equal(play->failed, 1);
	assert_int_equal(play->visits_by_size[12], 3);
	assert_int_equal(play->visits_by_size[13], 2);
	assert_int_equal(play->visits_by_size[14], 2);
}

TEST(goes_on_after_a_cell_that_fails)
{
	run_words("size=32k..256k*2", fails_at_64k);
	assert_int_equal(play->taken, 4);
	assert_int_equal(play->failed, 1);
	assert_int_equal(play->visits_by_size[16], 1);
	assert_true(play->samples[0].valid && play->samples[2].valid && play->samples[3].valid);
}

static struct result as_many_as_wanted(const struct request *request)
{
	return fake_result(request, request->budget.quiet_wanted, 1.5);
}

/* Nine of ten trials were disturbed, and the last visit had just begun. */
static struct result few_on_a_busy_core(const struct request *request)
{
	return fake_result(request, play->visits == 3 ? 2 : 3, 1.5);
}

TEST(stopped_on_a_busy_core_it_gives_what_few_trials_say)
{
	begin(&kernel_fold, 0, "size=32k..256k*2");
	play->answer = few_on_a_busy_core;
	play->stop_after = 3;
	run();
	assert_int_equal(play->taken, 2);
	assert_int_equal(play->samples[0].trials, 3);
	assert_true(play->samples[0].provisional);
	assert_int_equal(play->failed, 0);
}

TEST(stopped_it_gives_what_has_enough_trials)
{
	begin(&kernel_fold, 0, "size=32k..256k*2");
	play->answer = as_many_as_wanted;
	play->stop_after = 3;
	run();
	assert_int_equal(play->visits, 3);
	assert_int_equal(play->taken, 3);

	/* Before anything was measured. */
	begin(&kernel_fold, 0, "size=32k..256k*2");
	play->fake.stopped = true;
	run();
	assert_int_equal(play->taken, 0);
}

TEST(works_off_long_lists_in_blocks)
{
	begin(&kernel_fold, 0, "stride=1..64 size=32k..40k:256 op=add");
	assert_int_equal(progress_now().cells, 64 * 33); /* more than one block of 2,048 */
	run();
	assert_int_equal(play->taken, 64 * 33);
	for (unsigned i = 0; i < play->taken; i++) {
		assert_int_equal(play->order[i].v[FOLD_STRIDE], 1 + i / 33);
		assert_int_equal(play->order[i].v[FOLD_SIZE], 32768 + 256 * (i % 33));
	}
	assert_int_equal(progress_now().finished, 64 * 33);
}

/* The same cells in the same order, and a failed one among them, across blocks too. */
TEST(visits_may_be_under_way_while_cells_are_taken)
{
	struct play *one = malloc(sizeof(*one));

	for (int ahead = 1; ahead <= 2; ahead++) {
		begin(&kernel_fold, 0, "stride=1..64 size=32k..64k:1k op=add");
		play->answer = fails_at_64k;
		run_ahead(ahead);
		assert_int_equal(play->fake.most, ahead);
		assert_int_equal(play->taken, 64 * 33);
		assert_int_equal(play->failed, 64);
		if (ahead == 1)
			memcpy(one, play, sizeof(*one));
	}
	assert_int_equal(play->visits, one->visits);
	for (unsigned i = 0; i < play->taken; i++) {
		assert_true(setting_equal(&play->order[i], &one->order[i]));
		assert_int_equal(play->samples[i].trials, one->samples[i].trials);
	}
	free(one);
}

static struct result two_by_two(const struct request *request)
{
	/* Visits so far took half a second each, whether they waited for another or not. */
	check_near(progress_now().remaining, 10 - 0.5 * (play->visits - 1), 1e-9);
	return fake_result(request, 16, 1.5);
}

TEST(a_visit_that_waits_takes_no_time)
{
	begin(&kernel_fold, 10, "size=32k..256k*2");
	play->answer = two_by_two;
	play->takes = 0.5;
	play->stop_after = 8;
	run_ahead(2);
	assert_true(play->visits >= 8);
}

/* By time while no cell is settled; by cells once they are ahead. */
static void grows(void)
{
	const unsigned i = play->visits;
	check_near(progress_now().done, fmax(i * 0.02 / 1.92, ((int)i - 48) / 16.0), 1e-9);
	/* Of few cells each gets the time of a single sample: 1.92 s in all. */
	check_near(progress_now().remaining, i < 64 ? 1.92 - i * 0.02 : 0, 1e-6);
	assert_true(progress_now().done >= play->last);
	assert_int_equal(progress_now().finished, i <= 48 ? 0 : i - 48);
	play->last = progress_now().done;
}

static void grows_by_cells(void)
{
	check_near(progress_now().done, play->visits / 16.0, 1e-9);
	if (play->visits)
		check_near(progress_now().remaining, (16 - play->visits) * 0.01, 1e-9);
}

static void never_shrinks(void)
{
	assert_true(progress_now().done >= play->last && progress_now().done <= 1);
	assert_true(progress_now().remaining >= 0);
	play->last = progress_now().done;
}

/* No cell is settled before the last round, and yet the share of the work that is done grows from
 * the start. */
TEST(tells_the_share_of_the_work_done)
{
	begin(&kernel_fold, 0, "size=32k..256k*2 acc=1..4");
	play->takes = 0.02;
	play->watch = grows;
	run();
	assert_int_equal(play->visits, 64);
	check_near(progress_now().done, 1, 0);
	check_near(progress_now().remaining, 0, 0);

	/* Too little time: one visit each, and no more than all of the work. */
	begin(&kernel_fold, 0.001, "size=32k..256k*2 acc=1..4");
	play->takes = 0.01;
	play->watch = grows_by_cells;
	run();
	assert_int_equal(play->visits, 16);

	/* Blocks add up. */
	begin(&kernel_fold, 0, "stride=1..64 size=32k..40k:256 op=add");
	play->watch = never_shrinks;
	run();
	assert_true(play->last > 0.5);
}

/* The answer to the first visit of each cell counts something, later ones nothing. */
static struct result counts_once(const struct request *request)
{
	struct result result = scattered(request, 16);

	assert_int_equal(request->plan.id, 5);
	assert_string_equal(request->plan.event[0].name, "fake::CYCLES");
	result.counts.id = request->plan.id;
	if (play->visits <= 2) {
		result.counts.count = 1;
		result.counts.event[0] =
			(struct count){ .state = COUNT_KNOWN, .value = (double)play->visits };
	}
	return result;
}

static struct result counts_nothing(const struct request *request)
{
	assert_int_equal(request->plan.id, 0);
	return quiet_answer(request);
}

TEST(every_visit_counts)
{
	const struct counter_plan plan = {
		.id = 5, .count = 1, .cycles = 0, .event = { { .name = "fake::CYCLES" } }
	};

	begin(&kernel_fold, 0, "size=32k,64k");
	play->answer = counts_once;
	play->plan = &plan;
	run();
	assert_int_equal(play->visits, 8);
	assert_int_equal(play->taken, 2);
	check_near(play->counted, 1 + 2, 0);
	assert_int_equal(sweep_report(play->sweep)->counts.id, 5);

	/* Without a plan it counts nothing. */
	run_words("size=32k,64k", counts_nothing);
	assert_int_equal(play->taken, 2);
}

TEST(sweeps_nothing_but_the_defaults)
{
	begin(&kernel_odd, 0, "");
	run();
	assert_int_equal(play->taken, 1);
	assert_int_equal(play->order[0].v[0], 3);
}

RUN_TESTS()
