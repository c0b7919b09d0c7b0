/* Load threads work on other cores while the measured core makes its trials. They run the same
 * kernel, each on its own working set, or they stream through memory. Each thread is bound to a
 * core.
 *
 * - load_threads_gather(): the threads start and lay out their memory
 * - load_threads_begin(): waits until all threads are ready; then they run
 * - load_threads_count(): starts counting their bytes
 * - load_threads_rest(): stops counting; the threads still run
 * - load_threads_dismiss(): ends the threads
 *
 * Their memory is kept for the next request, until load_threads_give_back(). One thread calls all
 * functions. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "kernels/kernel.h"

/* The work of a thread in a short time. The thread reads its run time from the system just before
 * and just after the work, outside `seconds`. */
struct span {
	uint64_t bytes; /* read and written by the thread */
	double seconds; /* duration of the reads and writes */
	double at;	/* seconds between the two readings of the run time */
	double on;	/* seconds of `at` in which the thread ran */
	long switches;	/* involuntary context switches between the two readings */
};

/* Sums over the spans of one thread. Zeroed: no spans. */
struct spans {
	uint64_t bytes; /* of undisturbed spans */
	double seconds; /* of undisturbed spans */
	unsigned rejected;
};

/* Adds a span, or rejects it if another thread used the processor. Signs of this: a context switch,
 * or the thread did not run for part of the span, as happens under a hypervisor. */
void spans_add(struct spans *spans, const struct span *span);

/* Bytes per second in the undisturbed spans; NAN: no undisturbed spans. */
double spans_rate(const struct spans *spans);

struct load_threads;

struct load_threads_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	int cores;	/* number of cores that run the kernel: the nearest to the measured core */
	int streams;	/* number of cores that stream */
	uint64_t share; /* bytes of memory for each core that runs the kernel */
	uint64_t stream_bytes; /* bytes that each stream reads */
	uint64_t limit;	       /* bytes of memory for all load threads */
	double now;	       /* seconds */
};

/* cpu: the measured core. NULL: out of memory. The topology must outlive the load threads. */
struct load_threads *load_threads_new(const struct topology *topology, int cpu);

/* Frees everything. Call load_threads_dismiss() first. */
void load_threads_free(struct load_threads *threads);

/* Starts the threads; *cancel stops their preparation. STATUS_FAILED: too few cores, or a thread
 * cannot be created. No thread runs then. */
struct status load_threads_gather(struct load_threads *threads,
	const struct load_threads_request *request, const atomic_bool *cancel);

/* Waits until all threads are ready, then starts the load. Returns OK if there are no threads, else
 * the first failure. Returns STATUS_CANCELLED if *cancel was set. When the result is not OK, the
 * threads are dismissed. */
struct status load_threads_begin(struct load_threads *threads);

/* Both do nothing without threads. load_threads_count() waits up to 50 ms until each thread counts.
 */
void load_threads_count(struct load_threads *threads);
void load_threads_rest(struct load_threads *threads);

/* Ends the threads, within about 0.1 ms plus one call. Returns their total rate while they counted,
 * in 10^9 bytes per second, from undisturbed spans only. NAN: a thread never counted, or all its
 * spans were disturbed. */
double load_threads_dismiss(struct load_threads *threads);

/* Bytes of memory that all load threads hold. */
uint64_t load_threads_held(const struct load_threads *threads);

/* Frees memory that was not used for `idle` seconds; idle = 0: frees all memory. */
void load_threads_give_back(struct load_threads *threads, double now, double idle);
