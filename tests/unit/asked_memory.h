/* Requests for the values of memory, and answers to them. */
#pragma once

#include "check.h"

#include <math.h>

#include "experiment/memory.h"
#include "experiment/probe/probe.h"
#include "experiment/setting/setting.h"

static inline struct machine machine_of_caches(uint64_t l1, uint64_t l2, uint64_t l3)
{
	struct machine machine = { .cache_count = l3 ? 3 : 2, .memory_limit = (uint64_t)4 << 30 };

	machine.cache[0] = (struct machine_cache){ 1, l1, 64, 8 };
	machine.cache[1] = (struct machine_cache){ 2, l2, 64, 8 };
	machine.cache[2] = (struct machine_cache){ 3, l3, 64, 8 };
	return machine;
}

static struct machine machine;
static struct memory_probe probe;
static struct request request;

static inline void begin(uint64_t l1, uint64_t l2, uint64_t l3)
{
	machine = machine_of_caches(l1, l2, l3);
	memory_probe_init(&probe);
}

static inline int set_up(void **state)
{
	begin(32 << 10, 512 << 10, 32 << 20);
	return 0;
}

/* Whether something is missing for a working set of so many bytes; the request then asks for it. */
static inline bool next(uint64_t bytes)
{
	return memory_probe_next(&probe, &machine, bytes, 1, &request);
}

static inline void accept(const struct result *result)
{
	memory_probe_accept(&probe, &machine, 12, result);
}

static inline int64_t size_asked(void)
{
	return request.v[kernel_axis(request.kernel, AXIS_SIZE)];
}

/* An answer whose trials all say the same. */
static inline struct result *answer(double cpe)
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

static inline int64_t chains_asked(void)
{
	int knob = kernel_knob(request.kernel, "chains");

	return knob < 0 ? 0 : request.v[knob];
}

/* Whether the walk that is asked for visits a line of each page. */
static inline bool visits_pages(void)
{
	int knob = kernel_knob(request.kernel, "stride");

	return knob >= 0 && request.v[knob] > 4096;
}

/* Whether stores are asked for that bypass the caches. */
static inline bool goes_past(void)
{
	int knob = kernel_knob(request.kernel, "stores");

	return knob >= 0 && request.v[knob] > 0;
}

/* This process has `held` bytes of L3. Random walks take 4 cycles in L1, 12 in L2, 50 in L3, and
 * 400 in memory. */
static inline struct result *answer_of(double held)
{
	const double size = (double)size_asked(), own1 = (double)machine.cache[0].bytes,
		     own2 = (double)machine.cache[1].bytes, own = own1 + own2;
	double near = fmin(held / (size - own), 1), far = near * 50 + (1 - near) * 400;

	/* Several chains are fast: L3 keeps all that they visit. */
	if (chains_asked() == 8)
		far = 50;
	if (chains_asked() > 0)
		return answer(far / (double)chains_asked());
	/* A walk in address order takes 2 cycles per line in L3, 10 in memory. */
	if (strcmp(request.kernel->name, "mountain") == 0)
		return answer(10 - 8 * fmin(4 * held / size, 1));
	return answer(10);
}

static inline void ask_all(uint64_t bytes, double held)
{
	for (int asked = 0; next(bytes); asked++) {
		assert_true(asked < 40);
		accept(answer_of(held));
	}
}
