/* The other cores: threads that do the same as the measured one, each on a working set of its own,
 * or that stream through memory, while it makes its trials. Each is bound to a core, and all begin
 * together.
 *
 * - crew_gather(): threads start, and get their memory laid out
 * - crew_begin(): waits until all are ready; from here on they run
 *     crew_count()    what they move from here on counts …
 * - crew_rest(): … up to here; they run on
 * - crew_dismiss(): they end
 *
 * Their memory stays for the next time, until crew_give_back(). All of it is called from one
 * thread. */
#ifndef SLX_ENGINE_WORKER_LOAD_THREADS_H
#define SLX_ENGINE_WORKER_LOAD_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/machine/topology.h"
#include "kernels/kernel.h"

/* What a thread did in a moment, and what the system says of it. The system is asked right before
 * and right after the span, outside `seconds`. */
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

/* Whether something else had the processor: a context switch says so, or time in which the thread
 * did not run, as under a hypervisor. Its own speed says nothing. */
bool span_is_disturbed(const struct span *span);

/* Adds a span, unless it was disturbed. */
void spans_add(struct spans *spans, const struct span *span);

/* Bytes a second in the undisturbed spans; NAN: there are none. */
double spans_rate(const struct spans *spans);

struct load_threads;

struct load_threads_request {
	const struct kernel *kernel;
	const int64_t *v;
	uint64_t seed;
	int cores;	/* that do the same; crew_gather() takes the nearest to the measured one */
	int streams;	/* that stream */
	uint64_t share; /* bytes of memory that each of the former may hold */
	uint64_t stream_bytes; /* that each of the latter goes through */
	uint64_t limit;	       /* bytes of memory that all of them may hold together */
	double now;	       /* seconds */
};

/* cpu: the measured core. NULL: no memory. The topology must outlive it. */
struct load_threads *load_threads_new(const struct topology *topology, int cpu);

/* Threads must have been dismissed. */
void load_threads_free(struct load_threads *load_threads);

/* Starts the threads; *cancel ends their preparations. STATUS_FAILED: there are not so many cores,
 * or no thread can be had; then none runs. */
struct status load_threads_gather(struct load_threads *load_threads,
	const struct load_threads_request *request, const atomic_bool *cancel);

/* How it went: nothing to say where nobody was gathered, else the first failure there was,
 * STATUS_CANCELLED when *cancel was set. When not OK, the threads are dismissed. */
struct status load_threads_begin(struct load_threads *load_threads);

/* Harmless when nobody is there. crew_count() waits, a while, until each of them counts. */
void load_threads_count(struct load_threads *load_threads);
void load_threads_rest(struct load_threads *load_threads);

/* Ends the threads, within about 0.1 ms plus one call. Returns the 10^9 bytes a second that all of
 * them together read and wrote while they counted, each in the spans that nothing disturbed
 * (spans.h). NAN: one of them never counted, or was disturbed all the time. Harmless when nobody is
 * there. */
double load_threads_dismiss(struct load_threads *load_threads);

/* Bytes of memory held. */
uint64_t load_threads_held(const struct load_threads *load_threads);

/* Gives the memory back that was not needed for `idle` seconds; 0: all of it. */
void load_threads_give_back(struct load_threads *load_threads, double now, double idle);

#endif
