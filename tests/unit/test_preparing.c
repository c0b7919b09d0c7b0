/* A worker that is watched while it prepares and makes complete runs, with a kernel that goes on
 * when the test says so. */
#include "check.h"

#include <poll.h>
#include <sched.h>
#include <time.h>

#include "engine/worker/worker.h"
#include "kernels/knob_rows.h"

enum { COUNT = 1 << 20, AT = 430 };
enum { SIZE, WHOLE };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size", "bytes", COUNT, 16 * COUNT, COUNT),
	[WHOLE] = KNOB_ROW_COUNT("whole", "complete runs", 0, 1, 0),
};

/* What holds the kernel up, and what it found when it was called. */
static atomic_bool hold_prepare, hold_call;
static atomic_int found_wrong;

static uint64_t slow_footprint(const int64_t *v)
{
	return (uint64_t)v[SIZE];
}

static uint64_t slow_layout(const int64_t *v)
{
	return (uint64_t)v[WHOLE] * 0;
}

/* Goes on a little, then waits, then goes on: false when it was cancelled. */
static bool waits(struct kernel_run *run, atomic_bool *hold)
{
	while (atomic_load(hold)) {
		if (!kernel_goes_on(run, AT, 1000))
			return false;
		sched_yield();
	}
	return kernel_goes_on(run, AT + 1, 1000);
}

/* Each layout is written anew unless the very same is there; a half of it must never be taken for
 * one. */
static struct status slow_prepare(struct kernel_run *run)
{
	uint64_t bytes = (uint64_t)run->v[SIZE];

	if (run->layout.prepared == bytes) {
		for (uint64_t i = 0; i < bytes; i += 4096)
			if (run->memory[i] != (unsigned char)(bytes >> 20))
				atomic_fetch_add(&found_wrong, 1);
	} else {
		for (uint64_t i = 0; i < bytes; i += 4096) {
			if (i == bytes / 2 && !waits(run, &hold_prepare))
				return status_make(
					STATUS_CANCELLED, "stopped while it was laid out");
			run->memory[i] = (unsigned char)(bytes >> 20);
		}
	}
	run->layout.laid_out = bytes;
	run->ring = COUNT;
	run->granule = 1;
	run->bytes = 8;
	run->complete = run->v[WHOLE];
	run->code.start = (const void *)slow_prepare;
	return status_ok();
}

static void slow_call(struct kernel_run *run, uint64_t elements)
{
	for (volatile uint64_t i = 0; i < elements; i++)
		run->result += i;
	if (run->complete && elements == run->ring)
		waits(run, &hold_call);
}

static void slow_rewind(struct kernel_run *run)
{
	run->position = 0;
}

static const struct kernel slow = { .name = "slow",
	.knobs = knobs,
	.knob_count = 2,
	.footprint = slow_footprint,
	.layout = slow_layout,
	.prepare = slow_prepare,
	.call = slow_call,
	.rewind = slow_rewind };

static struct worker *worker;
static struct engine engine;

static int start(void **state)
{
	const struct worker_options options = { .cpu = -1 };
	struct status status;

	worker = worker_start(&options, &status);
	check_ok(status);
	check_ok(worker_wait_ready(worker));
	engine = worker_engine(worker);
	atomic_store(&hold_prepare, false);
	atomic_store(&hold_call, false);
	atomic_store(&found_wrong, 0);
	return 0;
}

static int stop(void **state)
{
	worker_stop(worker);
	assert_int_equal(atomic_load(&found_wrong), 0);
	return 0;
}

static void submit(uint64_t generation, int64_t mib, int64_t whole)
{
	struct request request = { .generation = generation,
		.kernel = &slow,
		.v = { mib << 20, whole },
		.seed = 1,
		.budget = { .seconds = 0.005, .quiet_wanted = 4, .fewest = 3 } };

	engine.submit(engine.context, &request);
}

static void await(uint64_t generation, enum status_code code)
{
	static struct result result;
	struct pollfd wait = { .fd = engine.descriptor, .events = POLLIN };

	while (!engine.take(engine.context, &result))
		if (poll(&wait, 1, 600000) != 1)
			fail_msg("no answer within ten minutes");
	assert_true(result.final);
	assert_int_equal(result.generation, generation);
	assert_int_equal(result.status.code, code);
}

/* Looks until that stage has come so far; one that never comes ends the test. */
static struct progress_seen await_stage(enum stage stage, double share)
{
	const time_t until = time(NULL) + 600;
	struct progress_seen seen;

	do {
		seen = engine.progress(engine.context);
		if (time(NULL) > until)
			fail_msg("the stage does not come within ten minutes");
		sched_yield();
	} while (seen.stage != stage || seen.share < share);
	return seen;
}

TEST(laying_out_is_seen_and_ended_at_once)
{
	assert_int_equal(engine.progress(engine.context).stage, STAGE_NONE);
	submit(1, 2, 0);
	await(1, STATUS_OK);
	assert_int_equal(engine.progress(engine.context).stage, STAGE_NONE);
	/* In its place, in the same memory: cancelled half-way. */
	atomic_store(&hold_prepare, true);
	submit(2, 1, 0);
	assert_float_equal(await_stage(STAGE_LAYING, AT / 1000.0).share, AT / 1000.0, 1e-9);
	engine.cancel(engine.context);
	await(2, STATUS_CANCELLED);
	assert_int_equal(engine.progress(engine.context).stage, STAGE_NONE);
	/* What was there before is half overwritten: nothing of it counts. */
	atomic_store(&hold_prepare, false);
	submit(3, 2, 0);
	await(3, STATUS_OK);
	submit(4, 2, 0);
	await(4, STATUS_OK);
}

TEST(another_request_ends_it_too)
{
	atomic_store(&hold_prepare, true);
	submit(1, 4, 0);
	await_stage(STAGE_LAYING, AT / 1000.0);
	atomic_store(&hold_prepare, true);
	submit(2, 8, 0);
	await(1, STATUS_CANCELLED);
	await_stage(STAGE_LAYING, AT / 1000.0);
	atomic_store(&hold_prepare, false);
	await(2, STATUS_OK);
	/* Nor does the end of the program wait for it. */
	atomic_store(&hold_prepare, true);
	submit(3, 2, 0);
	await_stage(STAGE_LAYING, AT / 1000.0);
}

TEST(complete_runs_say_which_of_how_many)
{
	struct progress_seen seen;

	atomic_store(&hold_call, true);
	submit(1, 1, 1);
	seen = await_stage(STAGE_RUNNING, AT / 1000.0 / 3);
	assert_int_equal(seen.run, 1);
	assert_int_equal(seen.runs, 3);
	assert_float_equal(seen.share, AT / 1000.0 / 3, 1e-9);
	engine.cancel(engine.context);
	await(1, STATUS_CANCELLED);
	assert_int_equal(engine.progress(engine.context).stage, STAGE_NONE);
	atomic_store(&hold_call, false);
	submit(2, 1, 1);
	await(2, STATUS_OK);
}

RUN_TESTS(.each_set_up = start, .each_tear_down = stop)
