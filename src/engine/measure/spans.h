/* The work of another core in spans, and the rate of those that nothing disturbed. Pure. */
#ifndef SLX_ENGINE_MEASURE_SPANS_H
#define SLX_ENGINE_MEASURE_SPANS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
