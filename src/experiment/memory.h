/* Measures the machine beyond the core's own caches, once, when a working set first reaches so
 * far: latency and lines a cycle of L3 and of memory, random walks over larger sets that the last
 * cache should hold, and the most that one core reads from memory. These values belong to the
 * machine, so no core's file has them.  memory_probe_next() gives the next missing request; hand
 * its result to memory_probe_accept(). */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"
#include "model/limits/limits.h"

struct memory_probe {
	struct memory_level l3, memory; /* known as far as measured */
	struct memory_point point[MEMORY_POINTS];
	double peak;   /* 10^9 bytes a second that one core reads from memory; 0: not measured */
	unsigned done; /* steps that were made, a bit each, successful or not */
	int again;     /* visits to the step under way without a certain value */
	int step;      /* the step under way; -1: none */
};

void memory_probe_init(struct memory_probe *probe);

/* Fills the next request for a working set of that many bytes, walked in random order or not;
 * generation and tag are the caller's. Returns false when nothing is missing: the set stays in
 * the core's own caches, or everything was measured or tried. */
bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, bool scattered, uint64_t seed, struct request *request);

/* Whether a kernel at a setting walks its data in an order that no prefetcher follows, as far as
 * the model can tell. */
bool memory_scattered(const struct kernel *kernel, const int64_t *v);

/* Takes the final result of that request; a cancelled one is asked for again. l1, l2: the core's
 * own latencies in cycles, subtracted for the accesses that those caches serve; 0: unknown (the
 * value is then a little low, as a bound may be). */
void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l1,
	double l2, const struct result *result);

struct probe_report;

/* Takes the values of L3 and memory from a probe, so that they are not measured again. Returns
 * whether the probe had any. */
bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report);
