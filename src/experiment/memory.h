/* The memory probe measures L3 and memory once, when a working set first exceeds the core's own
 * caches. The memory probe measures latency and lines per cycle of L3 and memory, and one core's
 * highest read bandwidth. The memory probe also measures walks in random order over large working
 * sets. The measured values depend on the machine, so core files do not contain them.
 * memory_probe_next() gives the next missing request; pass the request's result to
 * memory_probe_accept(). */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"
#include "model/limits/limits.h"

struct memory_probe {
	struct memory_level l3, memory; /* latency and lines per cycle of L3 and of memory; member
					   `known` is true after the measurement */
	struct memory_point point[MEMORY_POINTS];
	double peak; /* highest read bandwidth of one core from memory, in 10^9 bytes per second; 0:
			not measured */
	unsigned done; /* a bit for each finished step of the memory probe, successful or not */
	int again;     /* number of measurements of the current step that gave no reliable value */
	int step; /* the step of the memory probe that is measured now; -1: no step is measured */
};

void memory_probe_init(struct memory_probe *probe);

/* Fills the next request that is needed for a working set of `working_set` bytes. `scattered` is
 * true if a kernel walks the working set in random order. The caller sets the generation and tag of
 * the request to measure. Returns false if no measurement of L3 or memory is missing: the working
 * set fits the core's own caches, or all steps are done. */
bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, bool scattered, uint64_t seed, struct request *request);

/* Returns whether a kernel with the knob values v walks its data in an order that no prefetcher can
 * follow. The kernel's description of its memory accesses gives the order. */
bool memory_scattered(const struct kernel *kernel, const int64_t *v);

/* Adds the final result of the request from memory_probe_next(). A cancelled request of the memory
 * probe is repeated later. l1 and l2 are the latencies of the core's own caches, in cycles.
 * memory_probe_accept() uses l1 and l2 to subtract the time of accesses that hit these caches. */
void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l1,
	double l2, const struct result *result);

struct probe_report;

/* Copies the values of L3 and memory from a probe's report, so that the memory probe does not
 * measure them again. Returns whether the report had a value of L3 or memory. */
bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report);
