/* What the machine does beyond the core's own caches: latency and lines a cycle of L3 and of
 * memory, what random walks over larger sets take where the last cache is said to hold those too,
 * and the most that one core reads from memory: measured here once, when a working set first
 * reaches so far. They belong to the machine, so no core's file has them.
 *
 * A state machine without I/O: ask for the next request, hand back its result. */
#ifndef SLX_EXPERIMENT_MEMORY_H
#define SLX_EXPERIMENT_MEMORY_H

#include <stdbool.h>

#include "engine/engine.h"
#include "model/limits/limits.h"

struct memory_probe {
	struct memory_level l3, memory; /* known as far as measured */
	struct memory_point point[MEMORY_POINTS];
	double peak;   /* 10^9 bytes a second that one core reads from memory; 0: not measured */
	unsigned done; /* steps that were made, a bit each, successful or not */
	int again;     /* how often the step under way gave no value that is sure */
	int step;      /* the one that is out; -1: none */
};

void memory_probe_init(struct memory_probe *probe);

/* Fills the next request that a working set of that many bytes wants, walked in random order or not
 * (generation and tag are the caller's). Returns false when nothing is missing: the set stays in
 * the core's own caches, or all was measured or tried. */
bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, bool scattered, uint64_t seed, struct request *request);

/* Whether a kernel at a setting walks its data in an order that no prefetcher follows, as far as
 * its figures tell. */
bool memory_scattered(const struct kernel *kernel, const int64_t *v);

/* Takes the final result of that request; a cancelled one is asked for again. l1, l2: the core's
 * own latencies in cycles, taken off by the share of accesses that those caches serve; 0: unknown
 * (the figure is then a little low, as a bound may be). */
void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l1,
	double l2, const struct result *result);

struct probe_report;

/* Takes over what a probe found of L3 and of memory: then nothing of it is measured again. Returns
 * whether there was anything. */
bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report);

#endif
