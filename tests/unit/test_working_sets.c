/* Working sets that are kept apart, shared and given back, with real memory and a kernel made up
 * for it. */
#include "check.h"

#include <sys/resource.h>

#include "engine/memory/working_sets.h"
#include "kernels/knob_rows.h"

enum { SIZE, KIND, PAGES, NODE };
enum { MIB = 1 << 20 };

static const struct knob knobs[] = {
	[SIZE] = KNOB_ROW_BYTES("size", "bytes", 1, KNOB_MAX_MEMORY, MIB),
	[KIND] = KNOB_ROW_COUNT("kind", "what is laid out", 0, 9, 0),
	[PAGES] = KNOB_ROW_PAGES,
	[NODE] = KNOB_ROW_NODE,
};

static uint64_t laid_footprint(const int64_t *v)
{
	return (uint64_t)v[SIZE];
}

static uint64_t laid_layout(const int64_t *v)
{
	return (uint64_t)v[KIND];
}

/* Writes the first byte of each MiB that is not laid out yet, and reads back the others. */
static struct status laid_prepare(struct kernel_run *run)
{
	uint64_t bytes = (uint64_t)run->v[SIZE];

	for (uint64_t at = 0; at < bytes; at += MIB) {
		if (at >= run->layout.prepared)
			run->memory[at] = (unsigned char)(run->v[KIND] * 16 + 1);
		else if (run->memory[at] != run->v[KIND] * 16 + 1)
			return status_failed("what was laid out is gone");
	}
	run->layout.laid_out = bytes > run->layout.prepared ? bytes : run->layout.prepared;
	return status_ok();
}

static const struct kernel nests = { .name = "nests",
	.knobs = knobs,
	.knob_count = 4,
	.footprint = laid_footprint,
	.layout = laid_layout,
	.prepare = laid_prepare,
	.layout_nests = true };
static const struct kernel stands = { .name = "stands",
	.knobs = knobs,
	.knob_count = 4,
	.footprint = laid_footprint,
	.layout = laid_layout,
	.prepare = laid_prepare };

struct bench {
	struct topology *topology;
	struct working_sets sets;
	struct working_set_request request;
	int64_t v[KNOBS_MAX];
	atomic_bool cancel;
	struct kernel_run run;
	struct slot *slot;
};

static struct bench bench;

static void begin(const struct kernel *kernel, uint64_t limit)
{
	struct status status;

	bench = (struct bench){ .topology = topology_load(&status) };
	check_ok(status);
	bench.sets = (struct working_sets){ .topology = bench.topology };
	bench.request = (struct working_set_request){
		.kernel = kernel, .v = bench.v, .seed = 1, .limit = limit
	};
}

static int end(void **state)
{
	working_sets_free(&bench.sets);
	assert_int_equal(working_sets_held(&bench.sets), 0);
	topology_free(bench.topology);
	bench = (struct bench){ 0 };
	return 0;
}

static struct status try_lay(void)
{
	return working_sets_lay(
		&bench.sets, &bench.request, &bench.cancel, &bench.run, &bench.slot);
}

/* Lays a working set out, of which so many MiB must have been laid out already; -1: any. */
static void lay(int64_t mib, int64_t kind, enum page_kind pages, int64_t found)
{
	bench.v[SIZE] = mib * MIB;
	bench.v[KIND] = kind;
	bench.v[PAGES] = pages;
	check_ok(try_lay());
	assert_ptr_equal(bench.run.memory, bench.slot->arena.memory);
	assert_true(bench.slot->arena.touched >= (uint64_t)mib * MIB);
	assert_true(working_sets_held(&bench.sets) <= bench.request.limit);
	if (found >= 0)
		assert_int_equal(bench.run.layout.prepared / MIB, found);
}

static void check_held(uint64_t mib)
{
	assert_int_equal(working_sets_held(&bench.sets), mib * MIB);
}

TEST(what_grows_keeps_what_was_laid_out)
{
	begin(&nests, 64 * MIB);
	lay(1, 0, PAGES_AUTO, 0);
	for (int64_t mib = 2; mib <= 16; mib++)
		lay(mib, 0, PAGES_AUTO, mib - 1);
	lay(4, 0, PAGES_AUTO, 16);
	/* Another layout, another seed, another kernel: from the beginning, in the same memory. */
	lay(4, 1, PAGES_AUTO, 0);
	bench.request.seed = 2;
	lay(4, 1, PAGES_AUTO, 0);
	bench.request.kernel = &stands;
	lay(4, 1, PAGES_AUTO, 0);
	lay(4, 1, PAGES_AUTO, 4);
	check_held(16);
}

TEST(kinds_of_pages_do_not_disturb_each_other)
{
	unsigned char *small, *huge;

	begin(&nests, 64 * MIB);
	lay(8, 0, PAGES_4K, 0);
	small = bench.run.memory;
	lay(8, 0, PAGES_HUGE, 0);
	huge = bench.run.memory;
	assert_ptr_not_equal(small, huge);
	lay(10, 0, PAGES_4K, 8);
	assert_ptr_equal(bench.run.memory, small);
	lay(10, 0, PAGES_HUGE, 8);
	assert_ptr_equal(bench.run.memory, huge);
	/* As the system gives them: those that it gives where it can. */
	lay(10, 0, PAGES_AUTO, 10);
	assert_ptr_equal(bench.run.memory, huge);
}

TEST(one_alone_takes_the_place_of_others)
{
	begin(&nests, 64 * MIB);
	lay(8, 0, PAGES_HUGE, -1);
	lay(8, 0, PAGES_4K, -1);
	check_held(16);
	bench.request.alone = true;
	lay(4, 0, PAGES_4K, 8); /* its own stays */
	check_held(8);
	lay(2, 0, PAGES_HUGE, 0);
	check_held(2);
}

TEST(a_background_that_cannot_share_has_memory_of_its_own)
{
	begin(&stands, 64 * MIB);
	lay(8, 0, PAGES_AUTO, 0);
	bench.request.background = true;
	lay(2, 1, PAGES_AUTO, 0);
	bench.request.background = false;
	lay(8, 0, PAGES_AUTO, 8);
	bench.request.background = true;
	bench.request.kernel = &nests;
	lay(2, 1, PAGES_AUTO, -1);
	bench.request.background = false;
	lay(4, 1, PAGES_AUTO, 2);
}

TEST(all_together_stay_within_the_limit)
{
	begin(&nests, 32 * MIB);
	lay(8, 0, PAGES_4K, -1);
	lay(16, 0, PAGES_HUGE, -1);
	check_held(24);
	/* 8 MiB are left: one more octet fits, the next does not. */
	lay(16, 0, PAGES_4K, 8);
	check_held(32);
	lay(18, 0, PAGES_4K, 16);
	check_held(18);
	lay(2, 0, PAGES_HUGE, 0);
	/* A smaller set needs less of what its own kind holds: that goes before what others hold.
	 */
	bench.request.limit = 16 * MIB;
	lay(10, 0, PAGES_4K, 10);
	check_held(12);
	lay(2, 0, PAGES_HUGE, 2);
}

static uint64_t reserved(void)
{
	uint64_t bytes = 0;

	for (int i = 0; i < WORKING_SETS_MAX; i++)
		bytes += bench.sets.slot[i].arena.reserved;
	return bytes;
}

/* Where a process may have only so much address space, what lies there to grow in would be missed
 * elsewhere. A limit that is never reached is one, too. */
TEST(scarce_addresses_are_not_hoarded)
{
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	limit = before;
	if (limit.rlim_cur == RLIM_INFINITY)
		limit.rlim_cur = (rlim_t)1 << 62;
	assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
	/* Emulators say that it is done, and set none. */
	if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		skip();
	begin(&stands, 64 * MIB);
	lay(2, 0, PAGES_AUTO, -1);
	assert_int_equal(reserved(), 64 * MIB); /* it may grow as long as it is alone */
	lay(4, 0, PAGES_4K, -1);
	assert_true(reserved() <= 64 * MIB);
	bench.request.background = true;
	lay(6, 0, PAGES_AUTO, -1);
	assert_true(reserved() <= 64 * MIB);
	bench.request.background = false;
	/* All of it is there still, and what grows is laid out anew. */
	lay(2, 0, PAGES_AUTO, 2);
	lay(4, 0, PAGES_4K, 4);
	lay(32, 0, PAGES_AUTO, 0);
	lay(4, 0, PAGES_4K, 4);
	assert_true(reserved() <= 64 * MIB);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
}

/* Much that has not been needed for a while is given back; what lies in the rest stays. */
TEST(what_is_idle_is_given_back)
{
	begin(&nests, (uint64_t)1024 * MIB);
	bench.request.now = 100;
	/* Address space is enough for this: nothing beyond the first MiB of each piece is looked
	 * at. */
	lay(300, 0, PAGES_HUGE, -1);
	bench.request.now = 105;
	lay(4, 0, PAGES_HUGE, 300);
	bench.request.now = 120;
	lay(4, 0, PAGES_HUGE, 4);
	check_held(4);
}

TEST(a_node_that_is_not_there_is_refused)
{
	struct status status;

	begin(&nests, 32 * MIB);
	lay(2, 0, PAGES_AUTO, -1);
	bench.v[NODE] = 16;
	status = try_lay();
	/* Nobody has sixteen nodes, yet. */
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "node=15: this process may use only memory node");
	bench.v[NODE] = 0;
	lay(2, 0, PAGES_AUTO, 2);
}

TEST(cancelling_leaves_what_was_there)
{
	struct status status;

	begin(&nests, 64 * MIB);
	lay(2, 0, PAGES_AUTO, -1);
	atomic_store(&bench.cancel, true);
	bench.v[SIZE] = 32 * MIB;
	status = try_lay();
	assert_int_equal(status.code, STATUS_CANCELLED);
	atomic_store(&bench.cancel, false);
	lay(32, 0, PAGES_AUTO, 2);
}

RUN_TESTS(.each_tear_down = end)
