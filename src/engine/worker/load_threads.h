/* Load threads work on other cores while the measured core makes its trials. Load threads run the
 * same kernel as the measured core, each on its own working set, or they stream through memory.
 * Each load thread is bound to a core.
 *
 * - load_threads_gather(): the threads start and lay out their memory
 * - load_threads_begin(): waits until all threads are ready, then lets the threads run
 * - load_threads_count(): starts counting the bytes of the threads
 * - load_threads_rest(): stops counting; the threads still run
 * - load_threads_dismiss(): ends the threads
 *
 * The memory of the load threads is kept for the next request, until load_threads_give_back() frees
 * it. Only one thread may call the functions of load_threads.h. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "kernels/kernel.h"

/* A span is the work of a load thread in a short time. A load thread reads its run time from the
 * system just before and just after the work, outside `seconds`. */
struct span {
	uint64_t bytes; /* bytes read and written by the load thread in the span */
	double seconds; /* duration in seconds of the reads and writes of the span */
	double at;	/* seconds between the two readings of the load thread's run time */
	double on; /* seconds in which the load thread ran between the two readings of its run time
		    */
	long switches; /* number of involuntary context switches between the two readings of the run
			  time */
};

/* Whether another thread used the processor during a span of work. Another thread used it if the
 * load thread was switched out, or did not run for part of the span, as happens under a hypervisor.
 */
bool span_disturbed(const struct span *span);

/* Sums over the spans of one load thread. A zeroed struct of sums has no spans of work. */
struct spans {
	uint64_t bytes; /* bytes of undisturbed spans */
	double seconds; /* seconds of undisturbed spans */
	unsigned rejected;
	double at, on; /* seconds between the readings of the run time, and seconds in which the
			  load thread ran, of all spans whose run time was counted */
};

/* Adds a span of a load thread's work to the sums, or rejects it if it is disturbed. */
void spans_add(struct spans *spans, const struct span *span);

/* Bytes per second in the undisturbed spans of a load thread; NAN: no undisturbed spans. */
double spans_rate(const struct spans *spans);

/* The share of the time of all spans in which the load thread ran. 0: there are no spans; NAN: the
 * system does not count run times finely enough. */
double spans_on(const struct spans *spans);

struct load_threads;

struct load_threads_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	int cores;	/* number of other cores that run the kernel as load: those nearest to the
			   measured core */
	int streams;	/* number of other cores that stream through memory as load */
	uint64_t share; /* bytes of memory for each core that runs the kernel */
	uint64_t stream_bytes; /* bytes that each stream reads */
	uint64_t limit;	       /* bytes of memory for all load threads */
	double now;	       /* current time, seconds */
};

/* Prepares load threads. The parameter `cpu` is the measured core. If too little memory is
 * available for the load threads, returns NULL. The topology must outlive the load threads. */
struct load_threads *load_threads_new(const struct topology *topology, int cpu);

/* Frees everything. Call load_threads_dismiss() first. */
void load_threads_free(struct load_threads *threads);

/* Starts the load threads; if *cancel is set, the threads stop their preparation. STATUS_FAILED:
 * there are too few cores, or a thread cannot be created; no load thread runs then. */
struct status load_threads_gather(struct load_threads *threads,
	const struct load_threads_request *request, const atomic_bool *cancel);

/* Waits until all load threads are ready, then starts the load. Returns the first failure of a load
 * thread, or STATUS_CANCELLED if *cancel was set. If no load threads were started, the result is
 * STATUS_OK. If load_threads_begin() does not return STATUS_OK, the load threads have ended. */
struct status load_threads_begin(struct load_threads *threads);

/* load_threads_count() and load_threads_rest() do nothing without load threads.
 * load_threads_count() waits up to 50 ms until each thread counts. */
void load_threads_count(struct load_threads *threads);
void load_threads_rest(struct load_threads *threads);

/* Ends the load threads, within about 0.1 ms plus the time of one call of the kernel. Returns the
 * total rate of the load threads while they counted, in 10^9 bytes per second, from undisturbed
 * spans only. The total rate is NAN if a load thread never counted, or if all its spans were
 * disturbed. If `on` is not NULL, *on is the smallest share of its time in which a load thread ran
 * on its processor while it counted; 0: a load thread never counted. */
double load_threads_dismiss(struct load_threads *threads, double *on);

/* Memory that the load threads share with the measured core (kernel_run.shared); NULL: none. */
unsigned char *load_threads_shared(const struct load_threads *threads);

/* Bytes of memory that all load threads hold. */
uint64_t load_threads_held(const struct load_threads *threads);

/* Frees memory of load threads that was not used for `idle` seconds; idle = 0 frees all memory of
 * load threads. */
void load_threads_give_back(struct load_threads *threads, double now, double idle);
