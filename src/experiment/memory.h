/* Measures L3 and memory once, when a working set first exceeds the core's own caches. It measures
 * latency and lines per cycle of both levels, and one core's highest read bandwidth. It also
 * measures random walks over large working sets. These values depend on the machine, so core files
 * do not have them. memory_probe_next() gives the next missing request; pass its result to
 * memory_probe_accept(). */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"
#include "model/limits/limits.h"

struct memory_probe {
	struct memory_level l3, memory; /* .known: measured */
	struct memory_point point[MEMORY_POINTS];
	double peak; /* highest read bandwidth of one core from memory, in 10^9 bytes per second; 0:
			not measured */
	unsigned done; /* finished steps, a bit each, successful or not */
	int again;     /* visits to the current step without a reliable value */
	int step;      /* the current step; -1: none */
};

void memory_probe_init(struct memory_probe *probe);

/* Fills the next request that a working set of so many bytes needs. scattered: it is walked in
 * random order. The caller sets generation and tag. Returns false if nothing is missing: the core's
 * own caches hold the set, or all steps are done. */
bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, bool scattered, uint64_t seed, struct request *request);

/* Whether a kernel at this setting walks its data in an order that no prefetcher can follow. The
 * kernel's description gives the order. */
bool memory_scattered(const struct kernel *kernel, const int64_t *v);

/* Adds the final result of the request from memory_probe_next(). A cancelled request is repeated
 * later. l1, l2: the core's own latencies in cycles, which are subtracted for the accesses that hit
 * those caches. */
void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l1,
	double l2, const struct result *result);

struct probe_report;

/* Copies the values of L3 and memory from a probe, so that they are not measured again. Returns
 * whether the probe had any of them. */
bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report);
