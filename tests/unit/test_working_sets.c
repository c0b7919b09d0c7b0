/* Working sets that are kept apart, shared and given back, with real memory and a kernel made up
 * for it. */
#include "check.h"

#include <sys/resource.h>

#include "engine/memory/working_sets.h"
#include "kernels/knob_rows.h"

enum { SIZE, KIND, PAGES, NODE };
enum { MIB = 1 << 20 };

static const struct knob knobs[] = {
	[SIZE] = { .name = "size",
		.help = "bytes",
		.kind = KNOB_BYTES,
		.min = 1,
		.max = KNOB_MAX_MEMORY,
		.initial = MIB },
	[KIND] = { .name = "kind",
		.help = "what is laid out",
		.kind = KNOB_COUNT,
		.min = 0,
		.max = 9 },
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
	struct working_sets working_sets;
	struct working_set_request request;
	int64_t v[KNOBS_MAX];
	atomic_bool cancel;
	struct kernel_run run;
	struct slot *slot;
};

static void begin(struct bench *bench, const struct kernel *kernel, uint64_t limit)
{
	struct status status;

	*bench = (struct bench){ .topology = topology_load(&status) };
	check_ok(status);
	bench->working_sets = (struct working_sets){ .topology = bench->topology };
	bench->request = (struct working_set_request){
		.kernel = kernel, .v = bench->v, .seed = 1, .limit = limit
	};
}

static void end(struct bench *bench)
{
	working_sets_free(&bench->working_sets);
	assert_int_equal(working_sets_held(&bench->working_sets), 0);
	topology_free(bench->topology);
}

/* Lays a working set out; returns how many bytes were found laid out already. */
static uint64_t lay(struct bench *bench, int64_t mib, int64_t kind, enum page_kind pages)
{
	bench->v[SIZE] = mib * MIB;
	bench->v[KIND] = kind;
	bench->v[PAGES] = pages;
	check_ok(working_sets_lay(
		&bench->working_sets, &bench->request, &bench->cancel, &bench->run, &bench->slot));
	assert_ptr_equal(bench->run.memory, bench->slot->arena.memory);
	assert_true(bench->slot->arena.touched >= (uint64_t)mib * MIB);
	assert_true(working_sets_held(&bench->working_sets) <= bench->request.limit);
	return bench->run.layout.prepared / MIB;
}

TEST(what_grows_keeps_what_was_laid_out)
{
	struct bench bench;

	begin(&bench, &nests, 64 * MIB);
	assert_int_equal(lay(&bench, 1, 0, PAGES_AUTO), 0);
	for (int64_t mib = 2; mib <= 16; mib++)
		assert_int_equal(lay(&bench, mib, 0, PAGES_AUTO), mib - 1);
	assert_int_equal(lay(&bench, 4, 0, PAGES_AUTO), 16);
	/* Another layout, another seed, another kernel: from the beginning, in the same memory. */
	assert_int_equal(lay(&bench, 4, 1, PAGES_AUTO), 0);
	bench.request.seed = 2;
	assert_int_equal(lay(&bench, 4, 1, PAGES_AUTO), 0);
	bench.request.kernel = &stands;
	assert_int_equal(lay(&bench, 4, 1, PAGES_AUTO), 0);
	assert_int_equal(lay(&bench, 4, 1, PAGES_AUTO), 4);
	assert_int_equal(working_sets_held(&bench.working_sets), 16 * MIB);
	end(&bench);
}

TEST(kinds_of_pages_do_not_disturb_each_other)
{
	struct bench bench;
	unsigned char *small, *huge;

	begin(&bench, &nests, 64 * MIB);
	assert_int_equal(lay(&bench, 8, 0, PAGES_4K), 0);
	small = bench.run.memory;
	assert_int_equal(lay(&bench, 8, 0, PAGES_HUGE), 0);
	huge = bench.run.memory;
	assert_ptr_not_equal(small, huge);
	assert_int_equal(lay(&bench, 10, 0, PAGES_4K), 8);
	assert_ptr_equal(bench.run.memory, small);
	assert_int_equal(lay(&bench, 10, 0, PAGES_HUGE), 8);
	assert_ptr_equal(bench.run.memory, huge);
	/* As the system gives them: those that it gives where it can. */
	assert_int_equal(lay(&bench, 10, 0, PAGES_AUTO), 10);
	assert_ptr_equal(bench.run.memory, huge);
	end(&bench);
}

TEST(one_alone_takes_the_place_of_others)
{
	struct bench bench;

	begin(&bench, &nests, 64 * MIB);
	lay(&bench, 8, 0, PAGES_HUGE);
	lay(&bench, 8, 0, PAGES_4K);
	assert_int_equal(working_sets_held(&bench.working_sets), 16 * MIB);
	bench.request.alone = true;
	assert_int_equal(lay(&bench, 4, 0, PAGES_4K), 8); /* its own stays */
	assert_int_equal(working_sets_held(&bench.working_sets), 8 * MIB);
	assert_int_equal(lay(&bench, 2, 0, PAGES_HUGE), 0);
	assert_int_equal(working_sets_held(&bench.working_sets), 2 * MIB);
	end(&bench);
}

TEST(a_background_that_cannot_share_has_memory_of_its_own)
{
	struct bench bench;

	begin(&bench, &stands, 64 * MIB);
	assert_int_equal(lay(&bench, 8, 0, PAGES_AUTO), 0);
	bench.request.background = true;
	assert_int_equal(lay(&bench, 2, 1, PAGES_AUTO), 0);
	bench.request.background = false;
	assert_int_equal(lay(&bench, 8, 0, PAGES_AUTO), 8);
	bench.request.background = true;
	bench.request.kernel = &nests;
	lay(&bench, 2, 1, PAGES_AUTO);
	bench.request.background = false;
	assert_int_equal(lay(&bench, 4, 1, PAGES_AUTO), 2);
	end(&bench);
}

TEST(all_together_stay_within_the_limit)
{
	struct bench bench;

	begin(&bench, &nests, 32 * MIB);
	lay(&bench, 8, 0, PAGES_4K);
	lay(&bench, 16, 0, PAGES_HUGE);
	assert_int_equal(working_sets_held(&bench.working_sets), 24 * MIB);
	/* 8 MiB are left: one more octet fits, the next does not. */
	assert_int_equal(lay(&bench, 16, 0, PAGES_4K), 8);
	assert_int_equal(working_sets_held(&bench.working_sets), 32 * MIB);
	assert_int_equal(lay(&bench, 18, 0, PAGES_4K), 16);
	assert_int_equal(working_sets_held(&bench.working_sets), 18 * MIB);
	assert_int_equal(lay(&bench, 2, 0, PAGES_HUGE), 0);
	/* A smaller set needs less of what its own kind holds: that goes before what others hold.
	 */
	bench.request.limit = 16 * MIB;
	assert_int_equal(lay(&bench, 10, 0, PAGES_4K), 10);
	assert_int_equal(working_sets_held(&bench.working_sets), 12 * MIB);
	assert_int_equal(lay(&bench, 2, 0, PAGES_HUGE), 2);
	end(&bench);
}

static uint64_t reserved(const struct bench *bench)
{
	uint64_t bytes = 0;

	for (int i = 0; i < WORKING_SETS_MAX; i++)
		bytes += bench->working_sets.slot[i].arena.reserved;
	return bytes;
}

/* Where a process may have only so much address space, what lies there to grow in would be missed
 * elsewhere. A limit that is never reached is one, too. */
TEST(scarce_addresses_are_not_hoarded)
{
	struct rlimit before, limit;
	struct bench bench;

	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	limit = before;
	if (limit.rlim_cur == RLIM_INFINITY)
		limit.rlim_cur = (rlim_t)1 << 62;
	assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
	/* Emulators say that it is done, and set none. */
	if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		skip();
	begin(&bench, &stands, 64 * MIB);
	lay(&bench, 2, 0, PAGES_AUTO);
	assert_int_equal(reserved(&bench), 64 * MIB); /* it may grow as long as it is alone */
	lay(&bench, 4, 0, PAGES_4K);
	assert_true(reserved(&bench) <= 64 * MIB);
	bench.request.background = true;
	lay(&bench, 6, 0, PAGES_AUTO);
	assert_true(reserved(&bench) <= 64 * MIB);
	bench.request.background = false;
	/* All of it is there still, and what grows is laid out anew. */
	assert_int_equal(lay(&bench, 2, 0, PAGES_AUTO), 2);
	assert_int_equal(lay(&bench, 4, 0, PAGES_4K), 4);
	assert_int_equal(lay(&bench, 32, 0, PAGES_AUTO), 0);
	assert_int_equal(lay(&bench, 4, 0, PAGES_4K), 4);
	assert_true(reserved(&bench) <= 64 * MIB);
	end(&bench);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
}

/* Much that has not been needed for a while is given back; what lies in the rest stays. */
TEST(what_is_idle_is_given_back)
{
	struct bench bench;

	begin(&bench, &nests, (uint64_t)1024 * MIB);
	bench.request.now = 100;
	/* Address space is enough for this: nothing beyond the first MiB of each piece is looked
	 * at. */
	lay(&bench, 300, 0, PAGES_HUGE);
	bench.request.now = 105;
	assert_int_equal(lay(&bench, 4, 0, PAGES_HUGE), 300);
	bench.request.now = 120;
	assert_int_equal(lay(&bench, 4, 0, PAGES_HUGE), 4);
	assert_int_equal(working_sets_held(&bench.working_sets), 4 * MIB);
	end(&bench);
}

TEST(a_node_that_is_not_there_is_refused)
{
	struct bench bench;
	struct status status;

	begin(&bench, &nests, 32 * MIB);
	lay(&bench, 2, 0, PAGES_AUTO);
	bench.v[NODE] = 16;
	status = working_sets_lay(
		&bench.working_sets, &bench.request, &bench.cancel, &bench.run, &bench.slot);
	/* Nobody has sixteen nodes, yet. */
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "node=15: this process may use memory node");
	bench.v[NODE] = 0;
	assert_int_equal(lay(&bench, 2, 0, PAGES_AUTO), 2);
	end(&bench);
}

TEST(cancelling_leaves_what_was_there)
{
	struct bench bench;
	struct status status;

	begin(&bench, &nests, 64 * MIB);
	lay(&bench, 2, 0, PAGES_AUTO);
	atomic_store(&bench.cancel, true);
	bench.v[SIZE] = 32 * MIB;
	status = working_sets_lay(
		&bench.working_sets, &bench.request, &bench.cancel, &bench.run, &bench.slot);
	assert_int_equal(status.code, STATUS_CANCELLED);
	atomic_store(&bench.cancel, false);
	assert_int_equal(lay(&bench, 32, 0, PAGES_AUTO), 2);
	end(&bench);
}

RUN_TESTS()
