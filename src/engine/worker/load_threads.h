/* Load threads: other cores run the same kernel as the measured one, each on its own working set,
 * or stream through memory, while the measured core makes its trials. Each thread is bound to a
 * core.
 *
 * - load_threads_gather(): threads start and lay out their memory
 * - load_threads_begin(): waits until all are ready; then they run
 * - load_threads_count(): their bytes count from here …
 * - load_threads_rest(): … to here; they still run
 * - load_threads_dismiss(): they end
 *
 * Their memory stays for the next time, until load_threads_give_back(). One thread calls all
 * functions. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "kernels/kernel.h"

/* The work of a thread in a short time. The system is asked for thread times right before and right
 * after, outside `seconds`. */
struct span {
	uint64_t bytes; /* that the thread read and wrote */
	double seconds; /* that this took */
	double at;	/* seconds between the two questions … */
	double on;	/* … in which the thread ran */
	long switches;	/* involuntary context switches between them */
};

/* The spans of one thread. Zeroed: none. */
struct spans {
	uint64_t bytes; /* in undisturbed spans */
	double seconds; /* that these lasted */
	unsigned rejected;
};

/* Adds a span; rejects one in which something else used the processor: there was a context switch,
 * or the thread did not run for a part of the span, as under a hypervisor. */
void spans_add(struct spans *spans, const struct span *span);

/* Bytes a second in the undisturbed spans; NAN: there are none. */
double spans_rate(const struct spans *spans);

struct load_threads;

struct load_threads_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	int cores;	       /* that run the kernel: the nearest to the measured core */
	int streams;	       /* that stream */
	uint64_t share;	       /* bytes of memory for each core that runs the kernel */
	uint64_t stream_bytes; /* bytes that each stream reads */
	uint64_t limit;	       /* bytes of memory for all of them */
	double now;	       /* seconds */
};

/* cpu: the measured core. NULL: no memory. The topology must outlive it. */
struct load_threads *load_threads_new(const struct topology *topology, int cpu);

/* Dismiss the threads first. */
void load_threads_free(struct load_threads *threads);

/* Starts the threads; *cancel ends their preparations. STATUS_FAILED: there are not so many cores,
 * or no thread can be had; then none runs. */
struct status load_threads_gather(struct load_threads *threads,
	const struct load_threads_request *request, const atomic_bool *cancel);

/* Waits until all threads are ready, then starts the load. Returns OK where there are none, else
 * the first failure; STATUS_CANCELLED when *cancel was set. When not OK, the threads are dismissed.
 */
struct status load_threads_begin(struct load_threads *threads);

/* Nothing to do without threads. load_threads_count() waits up to 50 ms until each thread counts.
 */
void load_threads_count(struct load_threads *threads);
void load_threads_rest(struct load_threads *threads);

/* Ends the threads, within about 0.1 ms plus one call. Returns the rate of all of them together
 * while they counted, 10^9 bytes a second, from undisturbed spans only. NAN: a thread never
 * counted, or was disturbed all the time. */
double load_threads_dismiss(struct load_threads *threads);

/* Bytes of memory held. */
uint64_t load_threads_held(const struct load_threads *threads);

/* Frees memory that was not used for `idle` seconds; 0: all of it. */
void load_threads_give_back(struct load_threads *threads, double now, double idle);
