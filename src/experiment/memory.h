/* The memory probe measures L3 and memory once, when a working set first exceeds the core's own
 * caches. The memory probe measures the latency and lines per cycle of L3, and the mean latency of
 * random loads from data of increasing size. From the measured latencies of random loads, the
 * memory probe computes the part of L3 that this process has, and the latency of memory. At the
 * end, the memory probe measures reads in address order over the same data, page walks, loads of
 * flushed data if the kernel flushes them, and one core's highest read bandwidth. The measured
 * values depend on the machine, so core files do not contain them. memory_probe_next() gives the
 * next missing request; pass the request's result to memory_probe_accept(). */
#pragma once

#include <stdbool.h>

#include "engine/engine.h"
#include "engine/measure/trials.h"
#include "model/limits/limits.h"
#include "model/memory/cache_sizes.h"

struct memory_probe {
	struct memory_facts facts;
	double peak; /* highest read bandwidth of one core from memory, in 10^9 bytes per second; 0:
			not measured */
	unsigned done; /* a bit for each finished step of the memory probe, successful or not */
	int again;     /* number of measurements of the current step that gave no reliable value */
	int step; /* the step of the memory probe that is measured now; -1: no step is measured */
};

void memory_probe_init(struct memory_probe *probe);

/* Fills the next request that is needed for a working set of `working_set` bytes. The caller sets
 * the request's generation and tag. Returns false if no measurement is missing: the working set
 * fits the core's own caches, or all steps are done. */
bool memory_probe_next(struct memory_probe *probe, const struct machine *machine,
	uint64_t working_set, uint64_t seed, struct request *request);

/* Forgets which steps are done, so that all values are measured again. The old measured values stay
 * until they are measured again. */
void memory_probe_renew(struct memory_probe *probe);

/* Whether a reliably measured speed differs from its prediction by more than `share`, and the
 * prediction depends on measured values of L3 or memory. Other programs may change the speed of L3
 * and memory, so the caller measures both again (memory_probe_renew()) before it reports a wrong
 * prediction. */
bool memory_probe_drifted(const struct limits *limits, const struct sample *sample, double share);

/* Adds the final result of the request from memory_probe_next(). A cancelled measurement of the
 * memory probe is repeated later. l2 is the latency of L2 in cycles, which memory_probe_accept()
 * uses to subtract the time of accesses that hit L2. */
void memory_probe_accept(struct memory_probe *probe, const struct machine *machine, double l2,
	const struct result *result);

struct probe_report;

/* Copies the values of L3 and memory from a probe's report, so that the memory probe does not
 * measure them again. Returns whether the report had a value of L3 or memory. */
bool memory_probe_learn(struct memory_probe *probe, const struct probe_report *report);
