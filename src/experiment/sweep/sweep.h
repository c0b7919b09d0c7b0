/* A sweep: the cross product of lists of knob values, a sample each.
 *
 * A machine of states that does no I/O and knows no clock: it says what to measure next, is told
 * the result, and hands out finished cells in the order of the cross product. The loop around it:
 *
 *     while (!sweep_done(sweep)) {
 *         while (sweep_next(sweep, now, &request))
 *         	…submit, to be measured in this order…
 *         while ((cell = sweep_take(sweep)))
 *         	…print it, while the worker measures…
 *         if (a request is under way)
 *         	…wait for the oldest's final result, sweep_accept(sweep, now, &result)…
 *     }
 *
 * Cells are visited in rounds, a little each time, so that drift of the clock and spells of
 * contention spread over all of them (a grid visited in 4 to 6 rounds repeated within 1 to 1.5 %,
 * cell by cell, on a quiet Zen 5). Settled cells are left alone; the time they save goes to those
 * that were contended or still scatter. A cross product of many thousands is worked off in blocks,
 * which bounds the memory for trials. */
#ifndef SLX_EXPERIMENT_SWEEP_SWEEP_H
#define SLX_EXPERIMENT_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "engine/engine.h"
#include "experiment/setting/cells.h"

struct sweep_axis {
	int knob; /* index in the kernel */
	size_t count;
	int64_t *values; /* in the order listed */
};

struct sweep_options {
	double seconds; /* to measure, for all cells together; 0: by the number and size of cells */
	uint64_t seed;
};

struct sweep_progress {
	uint64_t combinations; /* of the cross product */
	uint64_t excluded; /* left out because the kernel does not allow them, or they need too much
			      memory */
	uint64_t cells;	   /* to measure: the others */
	uint64_t finished; /* of these: settled, or their time is up */
	double done; /* of the time or of the cells, whichever is further, 0...1; never less than
			before */
	double remaining; /* seconds, at most: cells that settle early end it sooner; laying out
			     data not counted */
	char why_excluded[244]; /* the kernel's word on the first of them */
};

/* Visits under way at a time. */
enum { SWEEP_VISITS = 2 };

struct sweep;

struct sweep *sweep_new(const struct kernel *kernel, const struct sweep_options *options);
void sweep_free(struct sweep *sweep);

/* "knob=values" as setting_parse_list() takes them. The first knob assigned varies slowest; knobs
 * that are not assigned keep their initial value. STATUS_USAGE for an unknown knob, a bad list, or
 * a knob given twice. */
struct status sweep_assign(struct sweep *sweep, const char *assignment);

/* After the last assignment: counts cells. means: the machine's, 0 unknown. STATUS_USAGE when no
 * combination is left or there are more than a sweep can end in a day. */
struct status sweep_begin(struct sweep *sweep, struct memory_limits memory_limits);

/* What every visit also counts; borrowed. Before the first sweep_next(). */
void sweep_count(struct sweep *sweep, const struct counter_plan *plan);

/* The assigned knobs, in order. Owned by the sweep. */
const struct sweep_axis *sweep_axes(const struct sweep *sweep, size_t *count);

/* The first allowed combination: what the knobs that do not vary are set to. After sweep_begin().
 */
const struct setting *sweep_setting(const struct sweep *sweep);

/* The next thing to measure; now in seconds of any steady clock. Called again before the result is
 * there, it gives the visit that follows: SWEEP_VISITS are under way at most. Returns false when
 * there is nothing until results have been accepted or finished cells taken, or ever. */
bool sweep_next(struct sweep *sweep, double now, struct request *request);

/* The result of the oldest request under way; others are ignored. A cancelled one keeps its trials.
 * now: when the result was there, by the clock of sweep_next(). */
void sweep_accept(struct sweep *sweep, double now, const struct result *result);

/* The next finished cell in the order of the cross product, or NULL while the next one is not
 * finished. One that could not be measured comes too, with cell->failure set. Valid until the
 * following sweep_next(). */
const struct cell *sweep_take(struct sweep *sweep);

/* Ends early: sweep_next() gives nothing any more, sweep_take() every cell that has enough trials.
 */
void sweep_stop(struct sweep *sweep);

/* Nothing left to measure or take. */
bool sweep_done(const struct sweep *sweep);

void sweep_progress(struct sweep *sweep, struct sweep_progress *progress);

#endif
