/* A loop whose events are counted by a processor of counting_fakes.h.
 *
 * The fixtures are setup() and teardown(). */
#pragma once

#include "check.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counting_fakes.h"

#include "base/text.h"
#include "engine/counters/counting.h"
#include "engine/measure/goal.h"
#include "engine/measure/measure.h"
#include "tree.h"

#define CYCLES	     "perf::PERF_COUNT_HW_CPU_CYCLES"
#define INSTRUCTIONS "perf::PERF_COUNT_HW_INSTRUCTIONS"

/* ---- what is measured: a loop that tells the processor how far it went ---- */

static volatile uint64_t spun;

static inline void call(struct kernel_run *run, uint64_t elements)
{
	/* Some time passes too. */
	for (uint64_t i = 0; i < elements; i++)
		spun = spun + 1;
	fake_run((struct pmu_fake *)(uintptr_t)run->cursor, elements);
}

static inline void rewind_nothing(struct kernel_run *run)
{
}

static const struct kernel loop = { .name = "loop", .call = call, .rewind = rewind_nothing };

struct bench {
	struct pmu_fake pmu;
	struct perf_calls kernel;
	struct counting *counting;
	struct counter_plan plan;
	struct kernel_run run;
	struct clock clock;
	struct measure measure;
	struct counts counts;
	atomic_bool cancel;
};

static struct bench *bench;
static const struct counts *counts; /* of the bench */

static inline int setup(void **state)
{
	bench = memory_new(1, sizeof(*bench));
	counts = &bench->counts;
	tree_begin(state);
	pmu_init(&bench->pmu);
	bench->kernel = pmu_kernel(&bench->pmu);
	bench->plan = (struct counter_plan){ .id = 1, .cycles = -1 };
	bench->run = (struct kernel_run){ .kernel = &loop, .cursor = &bench->pmu };
	bench->measure = (struct measure){ .run = &bench->run,
		.clock = &bench->clock,
		.time = { .half = 1000, .whole = 2000, .calls = 3 },
		.count = { .half = 1000, .whole = 2000, .calls = 3 },
		.rewind = true,
		.cpu = -1 };
	return 0;
}

static inline int teardown(void **state)
{
	counting_free(bench->counting);
	/* Nothing is left open or mapped. */
	assert_int_equal(pmu_open_count(&bench->pmu), 0);
	assert_int_equal(bench->pmu.maps, bench->pmu.unmaps);
	tree_end(state);
	free(bench);
	return 0;
}

static inline void plan_add(const char *name, bool must)
{
	struct counter_event *event = &bench->plan.event[bench->plan.count++];

	snprintf(event->name, sizeof(event->name), "%s", name);
	event->must = must;
}

/* Core cycles as the clock of trials. */
static inline void plan_clock(void)
{
	bench->plan.cycles = bench->plan.count;
	plan_add(CYCLES, true);
}

static inline void refuse_all(int error)
{
	for (int i = 0; i < bench->pmu.events; i++)
		bench->pmu.event[i].error = error;
}

/* Events of the processor's own: per element 0.25 and 0.5 and … */
static inline void plan_add_raw(int count)
{
	for (int i = 1; i <= count; i++) {
		char name[40];

		snprintf(name, sizeof(name), "perf_raw::r%x", 0x100 + i);
		pmu_add(&bench->pmu, PERF_TYPE_RAW, 0x100 + (uint64_t)i, 0.25 * i, (uint64_t)i,
			100);
		plan_add(name, false);
	}
}

static inline void use(void)
{
	if (!bench->counting)
		bench->counting = counting_new(0, tree.root, &bench->kernel);
	counting_use(bench->counting, &bench->plan);
}

static const struct counts *count(void)
{
	use();
	counting_measure(bench->counting, &bench->measure, 5, &bench->cancel, &bench->counts);
	return &bench->counts;
}

static inline void check_count(int event, enum count_state state, double value)
{
	if (counts->event[event].state != state)
		fail_msg("event %d is in state %d, not %d (error %d)", event,
			counts->event[event].state, state, counts->event[event].error);
	check_near(counts->event[event].value, value, 1e-9);
	check_near(counts->event[event].lo, value, 1e-9);
	check_near(counts->event[event].hi, value, 1e-9);
}
