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
	struct result (*answer)(struct play *play, const struct request *request);
	double takes;
	unsigned taken, failed;
	struct setting order[4096]; /* of the cells taken */
	struct sample samples[4096];
	unsigned visits_by_size[64];	  /* by the logarithm of the size */
	unsigned stop_after;		  /* visits; 0: never */
	void (*watch)(struct play *play); /* called with the sink's meanwhile(); NULL: nobody */
	double last;			  /* what it saw */
	double counted;			  /* the sum of the first event over cells */
};

/* Quiet trials that scatter, so that it takes 64 of them to know their median well. */
static struct result scattered(const struct request *request, unsigned count)
{
	struct result result = fake_result(request, count, 1.5);

	fake_trials(&result.trials, count, 1.5, 0.015, 0.01);
	return result;
}

static struct result quiet_answer(struct play *play, const struct request *request)
{
	(void)play;
	return scattered(request, 16);
}

static struct result precise_answer(struct play *play, const struct request *request)
{
	(void)play;
	return fake_result(request, 32, 1.5);
}

static void begin(
	struct play *play, const struct kernel *kernel, double seconds, const char *const *words)
{
	const struct sweep_options options = { .seconds = seconds, .seed = 7 };

	memset(play, 0, sizeof(*play));
	play->answer = quiet_answer;
	play->takes = 0.001;
	play->sweep = sweep_new(kernel, &options);
	for (; *words; words++)
		check_ok(sweep_assign(play->sweep, *words));
}

static struct result answered(void *context, const struct request *request)
{
	struct play *play = context;
	struct result result;

	assert_true(play->visits++ < 200000);
	if (request->kernel == &kernel_fold)
		play->visits_by_size[__builtin_ctzll((uint64_t)request->v[FOLD_SIZE])]++;
	result = play->answer(play, request);
	play->now += play->takes;
	result.at = 0;
	play->fake.stopped = play->visits == play->stop_after;
	return result;
}

static void finished(void *context, const struct cell *cell)
{
	struct play *play = context;

	assert_true(play->taken < 4096);
	play->order[play->taken] = cell->setting;
	play->samples[play->taken++] = cell->sample;
	play->failed += cell->failure.code != STATUS_OK;
	if (cell->counts)
		play->counted += cell->counts->event[0].value;
}

static void meanwhile(void *context)
{
	struct play *play = context;

	if (play->watch)
		play->watch(play);
}

static void run_ahead(struct play *play, int ahead)
{
	const struct sweep_sink sink = {
		.context = play, .finished = finished, .meanwhile = meanwhile
	};
	bool stopped = play->fake.stopped;
	struct measurer measurer;

	play->fake = (struct fake_measurer){
		.answer = answered, .context = play, .now = &play->now, .stopped = stopped
	};
	measurer = fake_measurer(&play->fake, ahead);
	sweep_measure(play->sweep, &measurer, &sink);
	assert_int_equal(play->fake.under_way, 0);
}

static void run(struct play *play)
{
	run_ahead(play, 1);
}

TEST(gives_the_cross_product_in_the_order_typed)
{
	static const char *const words[] = { "acc=2,1", "unroll=2..4:2", "op=*", NULL };
	struct play *play = malloc(sizeof(*play));
	const struct sweep_axis *axes;
	size_t count;

	begin(play, &kernel_fold, 0, words);
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	axes = sweep_axes(play->sweep, &count);
	assert_int_equal(count, 3);
	assert_int_equal(axes[0].knob, FOLD_ACC);
	assert_int_equal(axes[1].count, 2);
	run(play);
	assert_int_equal(play->taken, 8);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(play->order[i].v[FOLD_ACC], i < 4 ? 2 : 1);
		assert_int_equal(play->order[i].v[FOLD_UNROLL], i / 2 % 2 ? 4 : 2);
		assert_int_equal(play->order[i].v[FOLD_OP], i % 2);
		assert_int_equal(play->order[i].v[FOLD_SIZE], 32768);
		assert_true(play->samples[i].valid);
	}
	sweep_free(play->sweep);
	free(play);
}

TEST(counts_what_the_kernel_excludes)
{
	static const char *const words[] = { "unroll=1..16", "acc=1..16", NULL };
	struct play *play = malloc(sizeof(*play));
	struct sweep_progress progress;

	begin(play, &kernel_fold, 0, words);
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	sweep_progress(play->sweep, &progress);
	assert_int_equal(progress.combinations, 256);
	assert_int_equal(progress.excluded, 120);
	assert_int_equal(progress.cells, 136);
	assert_string_equal(progress.why_excluded, "acc=2 needs unroll=2 or more");
	run(play);
	assert_int_equal(play->taken, 136);
	sweep_progress(play->sweep, &progress);
	assert_int_equal(progress.finished, 136);
	sweep_free(play->sweep);
	free(play);
}

TEST(excludes_what_memory_cannot_hold)
{
	static const char *const words[] = { "size=1m..16m*2", NULL };
	struct play *play = malloc(sizeof(*play));
	struct sweep_progress progress;

	begin(play, &kernel_fold, 0, words);
	check_ok(sweep_begin(play->sweep, (struct memory_limits){ .memory = 4 << 20 }));
	sweep_progress(play->sweep, &progress);
	assert_int_equal(progress.cells, 3);
	assert_int_equal(progress.excluded, 2);
	check_contains(progress.why_excluded, "8m");
	sweep_free(play->sweep);
	free(play);
}

TEST(refuses_wrong_words)
{
	static const char *const none[] = { NULL }, *const impossible[] = { "acc=9", "unroll=1,2",
		NULL };
	struct play *play = malloc(sizeof(*play));
	struct status status;

	begin(play, &kernel_fold, 0, none);
	assert_int_equal(sweep_assign(play->sweep, "accc=1").code, STATUS_USAGE);
	assert_int_equal(sweep_assign(play->sweep, "acc").code, STATUS_USAGE);
	assert_int_equal(sweep_assign(play->sweep, "acc=1..17").code, STATUS_USAGE);
	check_ok(sweep_assign(play->sweep, "acc=1"));
	status = sweep_assign(play->sweep, "acc=2");
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "acc is given twice");
	sweep_free(play->sweep);

	begin(play, &kernel_fold, 0, impossible);
	status = sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "no combination is left: acc=9 needs");
	sweep_free(play->sweep);

	begin(play, &kernel_fold, 0,
		(const char *const[]){ "size=1k..90k:1", "stride=1..64", "op=*", NULL });
	status = sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "more than 10000000 combinations");
	sweep_free(play->sweep);
	free(play);
}

/* The order of visits: the logarithms of their sizes. */
static char visited[64];

/* Every cell once before any cell twice, each visit beginning elsewhere in the walk, and memory
 * moving with the rounds alone. */
static struct result in_rounds(struct play *play, const struct request *request)
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
	static const char *const words[] = { "size=256k,32k,128k,64k", NULL };
	struct play *play = malloc(sizeof(*play));
	char first[sizeof(visited)];

	begin(play, &kernel_fold, 0, words);
	play->answer = in_rounds;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(strlen(visited), 16);
	assert_true(memcmp(visited, visited + 4, 4) != 0 || memcmp(visited, visited + 8, 4) != 0);
	/* The seed decides: the same again. */
	memcpy(first, visited, sizeof(first));
	sweep_free(play->sweep);
	begin(play, &kernel_fold, 0, words);
	play->answer = in_rounds;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_string_equal(visited, first);
	/* 16 of 64 quiet trials a visit: four visits settle a cell. */
	assert_int_equal(play->visits, 16);
	assert_int_equal(play->order[0].v[FOLD_SIZE], 256 << 10);
	assert_int_equal(play->order[3].v[FOLD_SIZE], 64 << 10);
	sweep_free(play->sweep);
	free(play);
}

/* However well the first visit knows its median: the second one is of another placement in memory.
 */
TEST(cells_beyond_the_own_caches_are_visited_twice)
{
	static const char *const words[] = { "size=64k,8m", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = precise_answer;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits_by_size[16], 1);
	assert_int_equal(play->visits_by_size[23], 2);
	sweep_free(play->sweep);
	free(play);
}

/* The first two visits of 8m come to no steady state. */
static struct result drifting_at_8m(struct play *play, const struct request *request)
{
	struct result result = precise_answer(play, request);

	if (request->v[FOLD_SIZE] == 8 << 20 && play->visits_by_size[23] <= 2)
		for (unsigned i = 0; i < result.trials.count; i++)
			result.trials.trial[i].unsettled = true;
	return result;
}

TEST(what_did_not_settle_is_visited_again)
{
	static const char *const words[] = { "size=4m,8m", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = drifting_at_8m;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits_by_size[22], 2);
	assert_int_equal(play->visits_by_size[23], 3);
	for (unsigned i = 0; i < 2; i++)
		assert_false(play->samples[i].unsettled);
	sweep_free(play->sweep);
	free(play);
}

/* One size meets contention on its first visits. */
static struct result contended_at_64k(struct play *play, const struct request *request)
{
	struct result result = scattered(request, 16);

	if (request->v[FOLD_SIZE] == 64 << 10 && play->visits_by_size[16] <= 6)
		for (unsigned i = 0; i < result.trials.count; i++)
			result.trials.trial[i].fate = TRIAL_CONTENDED;
	return result;
}

TEST(returns_to_contended_cells)
{
	static const char *const words[] = { "size=32k..256k*2", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = contended_at_64k;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits_by_size[15], 4);
	assert_int_equal(play->visits_by_size[16], 10);
	assert_int_equal(play->visits_by_size[17], 4);
	assert_int_equal(play->taken, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_false(play->samples[i].contended);
	sweep_free(play->sweep);
	free(play);
}

static struct result never_quiet(struct play *play, const struct request *request)
{
	struct result result = fake_result(request, 16, 1.5);

	(void)play;
	for (unsigned i = 0; i < result.trials.count; i++)
		result.trials.trial[i].fate = TRIAL_CONTENDED;
	return result;
}

TEST(ends_when_its_time_is_up)
{
	static const char *const words[] = { "size=32k..256k*2", "stride=1..8", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0.32, words);
	play->answer = never_quiet;
	play->takes = 0.004;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->taken, 32);
	assert_int_equal(play->failed, 0);
	assert_true(play->now <= 0.32 + play->takes);
	for (unsigned i = 0; i < 32; i++)
		assert_true(play->samples[i].contended);
	sweep_free(play->sweep);

	/* Far too little time: still each cell once, and nothing twice. */
	begin(play, &kernel_fold, 0.001, words);
	play->takes = 0.004;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits, 32);
	assert_int_equal(play->taken, 32);
	sweep_free(play->sweep);
	free(play);
}

static struct result fails_at_64k(struct play *play, const struct request *request)
{
	struct result result = fake_result(request, 16, 1.5);

	(void)play;
	if (request->v[FOLD_SIZE] == 64 << 10) {
		result.status = status_failed("memory was refused");
		result.trials.count = 0;
	}
	return result;
}

/* The first run of each is disturbed; one at 4k always is. */
static struct result disturbed_answer(struct play *play, const struct request *request)
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
	static const char *const words[] = { "size=4k,8k,16k", NULL };
	struct play play;

	begin(&play, &kernel_fold, 0, words);
	play.answer = disturbed_answer;
	play.takes = 100;
	check_ok(sweep_begin(play.sweep, MEMORY_LIMITS_UNKNOWN));
	run(&play);
	assert_int_equal(play.taken, 3);
	assert_int_equal(play.failed, 1);
	assert_int_equal(play.visits_by_size[12], 3);
	assert_int_equal(play.visits_by_size[13], 2);
	assert_int_equal(play.visits_by_size[14], 2);
	sweep_free(play.sweep);
}

TEST(goes_on_after_a_cell_that_fails)
{
	static const char *const words[] = { "size=32k..256k*2", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = fails_at_64k;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->taken, 4);
	assert_int_equal(play->failed, 1);
	assert_int_equal(play->visits_by_size[16], 1);
	assert_true(play->samples[0].valid && play->samples[2].valid && play->samples[3].valid);
	sweep_free(play->sweep);
	free(play);
}

static struct result as_many_as_wanted(struct play *play, const struct request *request)
{
	(void)play;
	return fake_result(request, request->budget.quiet_wanted, 1.5);
}

/* Nine of ten trials were disturbed, and the last visit had just begun. */
static struct result few_on_a_busy_core(struct play *play, const struct request *request)
{
	return fake_result(request, play->visits == 3 ? 2 : 3, 1.5);
}

TEST(stopped_on_a_busy_core_it_gives_what_few_trials_say)
{
	static const char *const words[] = { "size=32k..256k*2", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = few_on_a_busy_core;
	play->stop_after = 3;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->taken, 2);
	assert_int_equal(play->samples[0].trials, 3);
	assert_true(play->samples[0].provisional);
	assert_int_equal(play->failed, 0);
	sweep_free(play->sweep);
	free(play);
}

TEST(stopped_it_gives_what_has_enough_trials)
{
	static const char *const words[] = { "size=32k..256k*2", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = as_many_as_wanted;
	play->stop_after = 3;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits, 3);
	assert_int_equal(play->taken, 3);
	sweep_free(play->sweep);

	/* Before anything was measured. */
	begin(play, &kernel_fold, 0, words);
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	play->fake.stopped = true;
	run(play);
	assert_int_equal(play->taken, 0);
	sweep_free(play->sweep);
	free(play);
}

TEST(works_off_long_lists_in_blocks)
{
	static const char *const words[] = { "stride=1..64", "size=32k..40k:256", "op=add", NULL };
	struct play *play = malloc(sizeof(*play));
	struct sweep_progress progress;

	begin(play, &kernel_fold, 0, words);
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	sweep_progress(play->sweep, &progress);
	assert_int_equal(progress.cells, 64 * 33); /* more than one block of 2,048 */
	run(play);
	assert_int_equal(play->taken, 64 * 33);
	for (unsigned i = 0; i < play->taken; i++) {
		assert_int_equal(play->order[i].v[FOLD_STRIDE], 1 + i / 33);
		assert_int_equal(play->order[i].v[FOLD_SIZE], 32768 + 256 * (i % 33));
	}
	sweep_progress(play->sweep, &progress);
	assert_int_equal(progress.finished, 64 * 33);
	sweep_free(play->sweep);
	free(play);
}

/* The same cells in the same order, and a failed one among them, across blocks too. */
TEST(visits_may_be_under_way_while_cells_are_taken)
{
	static const char *const words[] = { "stride=1..64", "size=32k..64k:1k", "op=add", NULL };
	struct play *play[2];

	for (int i = 0; i < 2; i++) {
		play[i] = malloc(sizeof(*play[i]));
		begin(play[i], &kernel_fold, 0, words);
		play[i]->answer = fails_at_64k;
		check_ok(sweep_begin(play[i]->sweep, MEMORY_LIMITS_UNKNOWN));
		run_ahead(play[i], i + 1);
		assert_int_equal(play[i]->fake.most, i + 1);
		assert_int_equal(play[i]->taken, 64 * 33);
		assert_int_equal(play[i]->failed, 64);
	}
	assert_int_equal(play[0]->visits, play[1]->visits);
	for (unsigned i = 0; i < play[0]->taken; i++) {
		assert_true(setting_equal(&play[0]->order[i], &play[1]->order[i]));
		assert_int_equal(play[0]->samples[i].trials, play[1]->samples[i].trials);
	}
	for (int i = 0; i < 2; i++) {
		sweep_free(play[i]->sweep);
		free(play[i]);
	}
}

static struct result two_by_two(struct play *play, const struct request *request)
{
	struct sweep_progress progress;

	sweep_progress(play->sweep, &progress);
	/* Visits so far took half a second each, whether they waited for another or not. */
	check_near(progress.remaining, 10 - 0.5 * (play->visits - 1), 1e-9);
	return fake_result(request, 16, 1.5);
}

TEST(a_visit_that_waits_takes_no_time)
{
	static const char *const words[] = { "size=32k..256k*2", NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 10, words);
	play->answer = two_by_two;
	play->takes = 0.5;
	play->stop_after = 8;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run_ahead(play, 2);
	assert_true(play->visits >= 8);
	sweep_free(play->sweep);
	free(play);
}

/* By time while no cell is settled; by cells once they are ahead. */
static void grows(struct play *play)
{
	const unsigned i = play->visits;
	struct sweep_progress progress;

	sweep_progress(play->sweep, &progress);
	check_near(progress.done, fmax(i * 0.02 / 1.92, ((int)i - 48) / 16.0), 1e-9);
	/* Of few cells each gets the time of a single sample: 1.92 s in all. */
	check_near(progress.remaining, i < 64 ? 1.92 - i * 0.02 : 0, 1e-6);
	assert_true(progress.done >= play->last);
	assert_int_equal(progress.finished, i <= 48 ? 0 : i - 48);
	play->last = progress.done;
}

static void grows_by_cells(struct play *play)
{
	struct sweep_progress progress;

	sweep_progress(play->sweep, &progress);
	check_near(progress.done, play->visits / 16.0, 1e-9);
	if (play->visits)
		check_near(progress.remaining, (16 - play->visits) * 0.01, 1e-9);
}

static void never_shrinks(struct play *play)
{
	struct sweep_progress progress;

	sweep_progress(play->sweep, &progress);
	assert_true(progress.done >= play->last && progress.done <= 1);
	assert_true(progress.remaining >= 0);
	play->last = progress.done;
}

/* No cell is settled before the last round, and yet the share of the work that is done grows from
 * the start. */
TEST(tells_the_share_of_the_work_done)
{
	static const char *const words[] = { "size=32k..256k*2", "acc=1..4", NULL };
	struct play *play = malloc(sizeof(*play));
	struct sweep_progress progress;

	begin(play, &kernel_fold, 0, words);
	play->takes = 0.02;
	play->watch = grows;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits, 64);
	sweep_progress(play->sweep, &progress);
	check_near(progress.done, 1, 0);
	check_near(progress.remaining, 0, 0);
	sweep_free(play->sweep);

	/* Too little time: one visit each, and no more than all of the work. */
	begin(play, &kernel_fold, 0.001, words);
	play->takes = 0.01;
	play->watch = grows_by_cells;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->visits, 16);
	sweep_free(play->sweep);

	/* Blocks add up. */
	begin(play, &kernel_fold, 0,
		(const char *const[]){ "stride=1..64", "size=32k..40k:256", "op=add", NULL });
	play->watch = never_shrinks;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_true(play->last > 0.5);
	sweep_free(play->sweep);
	free(play);
}

/* The answer to the first visit of each cell counts something, later ones nothing. */
static struct result counts_once(struct play *play, const struct request *request)
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

static struct result counts_nothing(struct play *play, const struct request *request)
{
	assert_int_equal(request->plan.id, 0);
	return quiet_answer(play, request);
}

TEST(every_visit_counts)
{
	static const char *const words[] = { "size=32k,64k", NULL };
	const struct counter_plan plan = {
		.id = 5, .count = 1, .cycles = 0, .event = { { .name = "fake::CYCLES" } }
	};
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_fold, 0, words);
	play->answer = counts_once;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	sweep_count(play->sweep, &plan);
	run(play);
	assert_int_equal(play->visits, 8);
	assert_int_equal(play->taken, 2);
	check_near(play->counted, 1 + 2, 0);
	assert_int_equal(sweep_counts(play->sweep)->id, 5);
	sweep_free(play->sweep);

	/* Without a plan it counts nothing. */
	begin(play, &kernel_fold, 0, words);
	play->answer = counts_nothing;
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->taken, 2);
	sweep_free(play->sweep);
	free(play);
}

TEST(sweeps_nothing_but_the_defaults)
{
	static const char *const none[] = { NULL };
	struct play *play = malloc(sizeof(*play));

	begin(play, &kernel_odd, 0, none);
	check_ok(sweep_begin(play->sweep, MEMORY_LIMITS_UNKNOWN));
	run(play);
	assert_int_equal(play->taken, 1);
	assert_int_equal(play->order[0].v[0], 3);
	sweep_free(play->sweep);
	free(play);
}

RUN_TESTS()
