#include <math.h>

#include "probe_fakes.h"

#include "fakes.h"

#include "experiment/probe/probe.h"

#define PLAY probe
#define PLAY_FIELDS                                  \
	unsigned of_kernel[2], of_pages[PAGE_KINDS]; \
	uint64_t largest;                            \
	int64_t width; /* of the last request for bandwidth */
#include "campaign_play.h"

static struct result quiet_answer(const struct request *request)
{
	return fake_result(request, 40, cycles_of(request));
}

static void play_prepare(struct play *new)
{
}

static void play_check(const struct request *request)
{
	uint64_t bytes = kernel_footprint(request->kernel, request->v);
	bool band = request->kernel == &kernel_band;

	for (int i = 0; i < request->kernel->knob_count; i++)
		if (request->kernel->knobs[i].kind != KNOB_CHOICE)
			assert_true(request->v[i] >= request->kernel->knobs[i].min);
	assert_true(play->report->done < 1);
	play->of_kernel[band]++;
	play->of_pages[request->v[band ? BAND_PAGES : CHASE_PAGES]]++;
	if (band)
		play->width = request->v[BAND_WIDTH];
	play->largest = bytes > play->largest ? bytes : play->largest;
}

TEST(measures_everything_with_both_kinds_of_pages)
{
	const struct probe_report *report;

	run();
	report = play->report;
	assert_true(report->complete);
	assert_true(report->done == 1);
	assert_true(fabs(report->seconds - play->now) < 1e-9);
	assert_int_equal(report->notes.count, 0);
	for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++) {
		const struct probe_curve *curve = &report->lines[kind];

		/* Eleven octaves of four points, the finer ones, and fewer where each takes long to
		 * come to steady state. */
		assert_true(curve->count > (kind == PAGES_HUGE ? 55 : 50));
		assert_true(curve->point[0].x == 4096);
		assert_true(curve->point[curve->count - 1].x == 256 << 20);
		assert_int_equal(curve->point[0].setting.v[CHASE_PAGES], kind);
		for (int i = 0; i + 1 < curve->count; i++) {
			assert_true(curve->point[i].x < curve->point[i + 1].x);
			assert_true(curve->point[i + 1].x / curve->point[i].x <
				    (curve->point[i].x < 8 << 20 ? 1.2
					    : kind == PAGES_HUGE ? 1.42
								 : 2.01));
		}
		assert_true(report->pages[kind].count > 36);
	}
	assert_int_equal(report->lines[PAGES_AUTO].count, 0);
	assert_true(report->pairs.count >= 8);
	assert_true(report->parallel.count >= 6);
	assert_int_equal(report->cores.count, 0);
	assert_int_equal(report->band_count, 4);
	assert_string_equal(report->band[0].level, "L1d");
	assert_string_equal(report->band[3].level, "memory");
	for (int i = 0; i < report->band_count; i++)
		for (int operation = 0; operation < PROBE_OPERATIONS; operation++)
			assert_true(report->band[i].point[operation].sample.valid);
}

/* Where the made-up caches end, the nearest points on either side are close. */
TEST(looks_closely_at_knees)
{
	static const double edges[] = { 48 << 10, 2 << 20 };
	const struct probe_share *share;
	run();
	for (size_t i = 0; i < 2; i++) {
		const struct probe_curve *curve = &play->report->lines[PAGES_HUGE];
		int at = 0;

		while (at + 1 < curve->count && curve->point[at + 1].x <= edges[i])
			at++;
		assert_true(curve->point[at + 1].x / curve->point[at].x < 1.02);
		assert_true(curve->point[at].fine || curve->point[at + 1].fine);
	}
	/* The last cache's end is looked at again and again. */
	share = &play->report->share;
	assert_true(share->count >= 4);
	for (int i = 0; i < share->count; i++) {
		assert_true(
			share->bytes[i] > 13.5 * (1 << 20) && share->bytes[i] < 18.5 * (1 << 20));
		assert_true(i == 0 || share->at[i] > share->at[i - 1]);
	}
	/* And of the TLB to a page or two. */
	for (int i = 0; i + 1 < play->report->pages[PAGES_4K].count; i++) {
		const struct probe_point *point = &play->report->pages[PAGES_4K].point[i];

		if (point->x <= 96 * 4096 && point[1].x > 96 * 4096)
			assert_true(point[1].x - point->x <= 2 * 4096);
	}
}

/* The largest second-level TLB that there is is seen to its end, and what comes behind it is a
 * plateau. */
static struct result misses_a_second_tlb(const struct request *request)
{
	double cycles = cycles_of(request),
	       pages = (double)request->v[CHASE_SIZE] / (double)request->v[CHASE_STRIDE];

	if (request->kernel == &kernel_chase && request->v[CHASE_STRIDE] > 4096 && pages > 4096)
		cycles += 40 * fmin(1, (pages - 4096) / 256);
	return fake_result(request, 40, cycles);
}

TEST(sees_beyond_the_largest_tlb)
{
	const struct hierarchy_level *second;

	run_answered(misses_a_second_tlb);
	second = hierarchy_level(&play->report->hierarchy, LEVEL_TLB, 2);
	assert_non_null(second);
	check_near(second->entries, 4096, 41);
	check_near(second->cycles, 40, 1);
}

/* Large working sets are reached step by step, and not laid out from nothing. */
static uint64_t before_bytes;
static unsigned jumps;

static struct result watch_growth(const struct request *request)
{
	uint64_t bytes = kernel_footprint(request->kernel, request->v);

	if (request->kernel == &kernel_chase && bytes > 64 << 20 && bytes > before_bytes * 2.1)
		jumps++;
	before_bytes = bytes;
	return quiet_answer(request);
}

TEST(reaches_large_working_sets_step_by_step)
{
	before_bytes = jumps = 0;
	run_answered(watch_growth);
	assert_int_equal(jumps, 0);
}

TEST(asks_for_the_parts_named_alone)
{
	play->options.parts = 1u << PROBE_LATENCY;
	play->options.pages[PAGES_HUGE] = true;
	play->options.max_size = 1 << 20;
	run();
	assert_true(play->report->complete);
	assert_int_equal(play->of_kernel[1], 0);
	assert_int_equal(play->of_pages[PAGES_4K], 0);
	assert_int_equal(play->largest, 1 << 20);
	assert_int_equal(play->report->pages[PAGES_HUGE].count, 0);
	assert_int_equal(play->report->parallel.count, 0);
}

TEST(bandwidth_alone_goes_by_what_the_system_states)
{
	play->options.parts = 1u << PROBE_BANDWIDTH;
	run();
	assert_true(play->report->complete);
	assert_int_equal(play->report->band_count, 4);
	assert_string_equal(play->report->band[0].level, "L1d");
	assert_true(play->report->band[1].size > 48 << 10 && play->report->band[1].size < 2 << 20);
	assert_true(play->report->band[3].point[PROBE_COPY].sample.valid);
	assert_true(noted("latency was not measured"));
}

TEST(several_cores_only_when_asked_for)
{
	play->options.parts = 1u << PROBE_CORES;
	run();
	assert_int_equal(play->report->cores.count, 2);
	assert_int_equal(play->report->loaded.count, 2);
	assert_true(play->report->loaded.point[1].x == 1);
	assert_int_equal(play->report->loaded.point[1].setting.v[CHASE_STREAMS], 1);
	play_again();
	play->machine.processors = 1;
	play->options.parts = 1u << PROBE_CORES;
	run();
	assert_int_equal(play->requests, 0);
	assert_true(noted("one only"));
}

TEST(of_many_cores_a_few_numbers_do)
{
	const struct probe_curve *cores;

	play->machine.processors = 96;
	play->machine.memory_limit = UINT64_C(96) << 25; /* 32 MiB for each */
	play->options.parts = 1u << PROBE_CORES;
	run();
	cores = &play->report->cores;
	assert_int_equal(cores->count, 8);
	assert_true(cores->point[7].x == 96);
	assert_int_equal(cores->point[7].setting.v[BAND_SIZE], 32 << 20);
	assert_true(play->report->loaded.point[play->report->loaded.count - 1].x == 95);
}

TEST(stays_within_the_memory_that_is_free)
{
	play->machine.memory_limit = 100 << 20;
	run();
	assert_true(play->report->complete);
	assert_true(play->largest <= 100 << 20);
	assert_int_equal(play->report->asked_size, 256 << 20);
	assert_int_equal(play->report->options.max_size, 100 << 20);
	assert_true(noted("100 MiB instead of 256 MiB: half of this machine's free memory"));
	play_again();
	play->machine.memory_limit = 100 << 20;
	play->machine.memory_bound = MEMORY_LIMITS_GROUP;
	run();
	assert_true(
		noted("100 MiB instead of 256 MiB: half of what the control group still allows"));
}

/* What is called memory lies beyond the last cache, where that is a large one, too. */
TEST(several_cores_read_beyond_the_last_cache)
{
	play->machine.cache[2].bytes = 96 << 20;
	play->options.parts = 1u << PROBE_CORES;
	run();
	assert_int_equal(play->report->cores.point[0].setting.v[BAND_SIZE], 128 << 20);
	assert_int_equal(play->report->loaded.point[0].setting.v[CHASE_SIZE], 128 << 20);
}

/* A cache of 6 KiB, or what others on a busy machine make look like one. */
static struct result tiny_cache(const struct request *request)
{
	bool small = request->kernel == &kernel_chase && request->v[CHASE_ORDER] != 2 &&
		     request->v[CHASE_STRIDE] <= 4096 && request->v[CHASE_SIZE] <= 6 << 10;

	return fake_result(request, 40, small ? 1 : cycles_of(request));
}

/* Half of the smallest cache may be less than the kernel takes. */
TEST(nothing_is_asked_that_is_not_allowed)
{
	run_answered(tiny_cache);
	assert_true(hierarchy_level(&play->report->hierarchy, LEVEL_CACHE, 1)->bytes < 8 << 10);
	assert_true(noted("bandwidth: L1d is too small to hold a working set"));
	assert_string_equal(play->report->band[0].level, "L2");
}

TEST(says_why_there_are_no_huge_pages)
{
	play->machine.huge_pages = false;
	snprintf(play->machine.huge_note, sizeof(play->machine.huge_note), "switched off");
	run();
	assert_true(play->report->complete);
	assert_int_equal(play->of_pages[PAGES_HUGE], 0);
	assert_true(play->of_pages[PAGES_4K] > 0);
	assert_true(noted("no huge pages: switched off"));
}

TEST(takes_the_widest_accesses_there_are)
{
	run();
	assert_int_equal(play->width, 2); /* 32; 64 is refused */
}

/* ---- trouble ---- */

static struct result refuse_large(const struct request *request)
{
	struct result result = quiet_answer(request);

	if (kernel_footprint(request->kernel, request->v) > 64 << 20) {
		result.status = status_failed("128 MiB of memory refused");
		result.trials.count = 0;
	}
	return result;
}

TEST(goes_on_without_the_memory_that_is_refused)
{
	const struct probe_curve *curve;

	run_answered(refuse_large);
	curve = &play->report->lines[PAGES_4K];
	assert_true(play->report->complete);
	assert_true(noted("128 MiB of memory refused"));
	assert_true(curve->point[curve->count - 1].x == 64 << 20);
	assert_true(
		play->report->band[3].point[0].sample.valid); /* of memory, within what there is */
	/* Asked for once, not for each size. */
	assert_true(play->report->notes.count == 1);
}

static struct result first_contended(const struct request *request)
{
	struct result result = quiet_answer(request);

	/* The first look at each point finds the core taken. */
	return play->requests <= 70 ? fake_disturb(result, TRIAL_CONTENDED, 1.3) : result;
}

TEST(visits_contended_points_again)
{
	run_answered(first_contended);
	for (int i = 0; i < play->report->lines[PAGES_HUGE].count; i++) {
		const struct probe_point *point = &play->report->lines[PAGES_HUGE].point[i];

		/* Beyond the core's own caches a busy sibling changes next to nothing, and another
		 * look takes long. */
		if (point->x > 1 << 20)
			continue;
		assert_false(point->sample.contended);
		assert_true(fabs(point->sample.cpe / (point->x <= 48 << 10	     ? 5
							     : point->x <= 96 * 4096 ? 16
							     : point->x <= 2 << 20   ? 23
										     : 87) -
				    1) < 0.01);
	}
}

static struct result cancel_third(const struct request *request)
{
	struct result result = quiet_answer(request);

	if (play->requests == 3) {
		result.trials.count = 0;
		result.status = status_make(STATUS_CANCELLED, "stopped");
	}
	return result;
}

TEST(asks_again_for_what_was_cancelled)
{
	struct play *plain = play;

	run();
	play = play_new();
	run_answered(cancel_third);
	assert_int_equal(play->requests, plain->requests + 1);
	assert_int_equal(
		play->report->lines[PAGES_HUGE].count, plain->report->lines[PAGES_HUGE].count);
	play_free(plain);
}

TEST(keeps_what_it_has_when_it_is_stopped)
{
	struct request request;

	play->stop_after = 40;
	run();
	assert_int_equal(play->requests, 40);
	assert_false(play->report->complete);
	assert_int_equal(play->report->lines[PAGES_HUGE].count, 40);
	check_near(hierarchy_level(&play->report->hierarchy, LEVEL_CACHE, 1)->bytes, 48 << 10,
		1); /* analysed as it is */
	assert_string_equal(play->report->doing, "");
	assert_true(play->report->done > 0 && play->report->done < 1);
	assert_false(turns_next(play->turns, play->now, &request));
}

TEST(a_single_point_is_more_than_nothing)
{
	play->options.parts = 1u << PROBE_CORES;
	play->stop_after = 1;
	run();
	assert_int_equal(play->report->cores.count, 1);
	assert_true(play->report->done > 0.1 && play->report->done < 1);
}

TEST(early_answers_count_for_nothing)
{
	struct request request;
	struct result result;

	begin();
	assert_true(turns_next(play->turns, 0, &request));
	result = quiet_answer(&request);
	result.final = false;
	turns_accept(play->turns, 1, &result);
	assert_int_equal(play->report->lines[PAGES_HUGE].count, 0);
	result.final = true;
	turns_accept(play->turns, 1, &result);
	assert_int_equal(play->report->lines[PAGES_HUGE].count, 1);
}

/* ---- time ---- */

TEST(keeps_to_the_time_by_measuring_less)
{
	static const double times[] = { 0.05, 0.2, 0.5, 1, 2 };

	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		play_again();
		play->options.seconds = times[i];
		run();
		assert_true(play->now < times[i] + 0.02);
		assert_true(play->report->lines[PAGES_4K].count +
				    play->report->lines[PAGES_HUGE].count >
			    15);
		assert_true(play->report->notes.count > 0);
		assert_true(noted("too short"));
	}
}

TEST(on_a_busy_machine_no_second_looks_are_taken)
{
	struct play *plain = play;

	run();
	play = play_new();
	play->takes = 0.02;
	run();
	assert_true(play->report->complete);
	assert_int_equal(play->report->notes.count, 0);
	assert_true(play->requests + 30 < plain->requests);
	/* Knees are looked at closely all the same. */
	check_near(hierarchy_level(&play->report->hierarchy, LEVEL_CACHE, 2)->bytes, 2 << 20, 1);
	assert_int_equal(play->report->lines[PAGES_4K].count, plain->report->lines[PAGES_4K].count);
	play_free(plain);
}

TEST(more_time_is_for_longer_looks)
{
	struct play *plain = play;

	run();
	play = play_new();
	play->options.seconds = 60;
	run();
	assert_true(play->report->complete);
	assert_int_equal(play->report->notes.count, 0);
	assert_int_equal(play->report->lines[PAGES_4K].count, plain->report->lines[PAGES_4K].count);
	assert_true(play->now > 2 * plain->now && play->now < 60);
	play_free(plain);
}

TEST(ends_when_the_time_is_up_whatever_is_missing)
{
	play->options.seconds = 5;
	play->takes = 0.5; /* a machine much slower than was thought */
	run();
	assert_true(play->now < 6);
	assert_false(play->report->complete);
	assert_true(noted("was too short to measure everything"));
}

TEST(refuses_what_tells_nothing)
{
	struct status status;

	play->options.max_size = 4096;
	assert_null(probe_new(&play->machine, &play->options, &status));
	assert_int_equal(status.code, STATUS_USAGE);
	assert_non_null(strstr(status.text, "4k"));
	play->options.max_size = 0;
	play->machine.memory_limit = 4096;
	assert_null(probe_new(&play->machine, &play->options, &status));
	assert_int_equal(status.code, STATUS_FAILED);
}

TEST(every_part_has_its_name)
{
	assert_int_equal(probe_part_find("latency"), PROBE_LATENCY);
	assert_int_equal(probe_part_find("cores"), PROBE_CORES);
	assert_int_equal(probe_part_find("core"), PROBE_PARTS);
}

RUN_TESTS(.each_set_up = set_up, .each_tear_down = tear_down)
