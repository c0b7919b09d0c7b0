/* What is asked of the machine beyond the core's own caches, and what is made of the answers. */
#include "check.h"

#include "experiment/memory.h"
#include "experiment/probe/probe.h"

static struct machine machine_of_caches(uint64_t l1, uint64_t l2, uint64_t l3)
{
	struct machine machine = { .cache_count = l3 ? 3 : 2, .memory_limit = (uint64_t)4 << 30 };

	machine.cache[0] = (struct machine_cache){ 1, l1, 64 };
	machine.cache[1] = (struct machine_cache){ 2, l2, 64 };
	machine.cache[2] = (struct machine_cache){ 3, l3, 64 };
	return machine;
}

static struct machine machine;
static struct memory_probe probe;
static struct request request;

static void begin(uint64_t l1, uint64_t l2, uint64_t l3)
{
	machine = machine_of_caches(l1, l2, l3);
	memory_probe_init(&probe);
}

static int set_up(void **state)
{
	begin(32 << 10, 512 << 10, 32 << 20);
	return 0;
}

/* Whether something is missing for a working set of so many bytes; the request then asks for it. */
static bool next(uint64_t bytes, bool scattered)
{
	return memory_probe_next(&probe, &machine, bytes, scattered, 1, &request);
}

static void accept(const struct result *result)
{
	memory_probe_accept(&probe, &machine, 4, 12, result);
}

static int64_t size_asked(void)
{
	return request.v[kernel_axis(request.kernel, AXIS_SIZE)];
}

/* An answer whose trials all say the same. */
static struct result *answer(double cpe)
{
	static struct result result;

	memset(&result, 0, sizeof(result));
	result.kernel = request.kernel;
	result.final = true;
	result.facts = (struct run_facts){ .cycles_from = SOURCE_REFERENCE, .bytes = 8 };
	result.trials.count = 60;
	for (int i = 0; i < 60; i++)
		result.trials.trial[i] =
			(struct trial){ .cpe = cpe, .ghz = 3, .watch = 1, .turns = 1 };
	return &result;
}

TEST(nothing_is_asked_for_what_stays_in_the_core)
{
	assert_false(next(512 << 10, false));
	assert_true(next((512 << 10) + 64, false));
	assert_string_equal(request.kernel->name, "list-length");
	assert_true(request.budget.seconds > 0 && request.budget.quiet_wanted > 0);
}

/* 2 x 512K: 1/32 of the nodes in L1 (4 cycles), 15/32 in L2 (12), the rest in L3, 46 cycles. The
 * fastest trial counts: neighbours slow the others. */
TEST(latency_is_that_of_the_level_alone)
{
	struct result *slowed;

	assert_true(next(1 << 20, false));
	assert_true(request.budget.fresh);
	slowed = answer(300);
	slowed->trials.trial[7].cpe = (4 + 15 * 12 + 16 * 46) / 32.0;
	accept(slowed);
	assert_false(probe.l3.known);
	assert_true(next(1 << 20, false));
	assert_string_equal(request.kernel->name, "mountain");
	accept(answer(5));
	assert_true(probe.l3.known);
	check_near(probe.l3.latency, 46, 1e-6);
	check_near(probe.l3.lines, 0.2, 1e-9);
	assert_false(next(1 << 20, false));
	/* Beyond L3 there is more to ask. */
	assert_true(next(64 << 20, false));
}

TEST(a_cancelled_step_is_asked_for_again)
{
	struct result cancelled = { .final = true,
		.status = status_make(STATUS_CANCELLED, "stopped") };

	assert_true(next(1 << 20, false));
	accept(&cancelled);
	assert_true(next(1 << 20, false));
	assert_string_equal(request.kernel->name, "list-length");
}

/* A value that was not in steady state is no input to a limit. */
TEST(what_did_not_settle_stays_unknown)
{
	for (int asked = 0; next(256 << 20, false); asked++) {
		struct result *result = answer(500);

		assert_true(asked < 20); /* it is not asked for for ever */

		for (unsigned i = 0; i < result->trials.count; i++)
			result->trials.trial[i].unsettled = true;
		accept(result);
	}
	assert_false(probe.l3.known);
	assert_false(probe.memory.known);
	check_near(probe.peak, 0, 0);
}

TEST(what_contradicts_itself_stays_unknown)
{
	while (next(1 << 20, false))
		accept(answer(5));
	assert_false(probe.l3.known);
}

TEST(levels_that_are_not_there_are_not_measured)
{
	begin(32 << 10, 512 << 10, 0);
	while (next(64 << 20, false)) {
		assert_string_equal(request.kernel->name, "bandwidth");
		accept(answer(1));
	}
	begin(48 << 10, 2 << 20, (uint64_t)480 << 20);
	while (next((uint64_t)30 << 20, false)) {
		assert_true(size_asked() < 64 << 20);
		accept(answer(100));
	}
	assert_false(probe.memory.known);
}

/* Where the last cache is said to be huge, what it really gives is seen by what random walks take;
 * then memory begins there. */
TEST(a_cache_that_is_said_to_be_huge_is_looked_at)
{
	unsigned latencies = 0, peaks = 0;

	begin(48 << 10, 2 << 20, (uint64_t)480 << 20);
	while (next(64 << 20, true)) {
		const char *name = request.kernel->name;
		bool latency = strcmp(name, "latency") == 0, peak = strcmp(name, "bandwidth") == 0,
		     lines = strcmp(name, "mountain") == 0;

		if (latency || peak)
			assert_int_equal(size_asked(), latency ? 32 << 20 : 256 << 20);
		latencies += latency;
		peaks += peak;
		accept(answer(latency ? 500 : peak ? 2 : lines ? 5 : 120));
	}
	assert_int_equal(latencies, 1);
	assert_int_equal(peaks, 1);
	check_near(probe.point[0].latency,
		(500 - 48 / 32768.0 * 4 - (2048 - 48) / 32768.0 * 12) / (1 - 2 / 32.0), 1e-6);
	/* 8 bytes in 2 cycles of a third of a nanosecond. */
	check_near(probe.peak, 12, 1e-6);
	/* What still larger ones take nobody wants to know of a walk in order. */
	assert_false(next(UINT64_C(1) << 30, false));
	assert_true(next(UINT64_C(1) << 30, true));
	assert_string_equal(request.kernel->name, "latency");
}

/* A read of memory is the peak, measured once, behind a last cache of common size. */
TEST(the_peak_is_measured_once)
{
	int64_t size = 0;

	while (next(64 << 20, true)) {
		assert_string_not_equal(request.kernel->name, "latency");
		if (strcmp(request.kernel->name, "bandwidth") == 0)
			size = size_asked();
		accept(answer(10));
	}
	assert_int_equal(size, 64 << 20);
	check_near(probe.peak, 2.4, 1e-6);
	assert_false(next(UINT64_C(1) << 30, true));
}

/* What a probe found of L3 and of memory is taken over, by the best that was seen of each, and not
 * measured again. */
TEST(a_probe_answers_everything)
{
	struct probe_report *report = calloc(1, sizeof(*report));

	begin(48 << 10, 1 << 20, 4 << 20);
	assert_false(memory_probe_learn(&probe, report));
	report->hierarchy.level_count = 2;
	report->hierarchy.level[0] = (struct hierarchy_level){ .kind = LEVEL_CACHE,
		.number = 3,
		.cycles = 60,
		.lo = 55,
		.hi = 70,
		.bytes = 6 << 20,
		.bytes_lo = 5 << 20,
		.bytes_hi = 8 << 20,
		.stated = 4 << 20,
		.name = "L3" };
	report->hierarchy.level[1] = (struct hierarchy_level){
		.kind = LEVEL_MEMORY, .cycles = 400, .lo = 380, .hi = 420, .name = "memory"
	};
	report->band_count = 2;
	for (int i = 0; i < 2; i++) {
		struct probe_band *band = &report->band[i];

		snprintf(band->level, sizeof(band->level), "%s", report->hierarchy.level[i].name);
		band->lines[PROBE_READ] = i ? 0.05 : 0.2;
		band->point[PROBE_READ].sample = (struct sample){
			.valid = true, .cpe = 1.1, .cpe_lo = 1, .gbps = i ? 20 : 50
		};
	}
	assert_true(memory_probe_learn(&probe, report));
	assert_true(probe.l3.known && probe.memory.known);
	check_near(probe.l3.latency, 55, 1e-9);
	check_near(probe.l3.lines, 0.22, 1e-9);
	check_near(probe.l3.bytes, 8 << 20, 1);
	check_near(probe.memory.latency, 380, 1e-9);
	check_near(probe.memory.bytes, 0, 0);
	check_near(probe.peak, 22, 1e-9);
	assert_false(next(UINT64_C(1) << 30, false));
	free(report);
}

RUN_TESTS(.each_set_up = set_up)
