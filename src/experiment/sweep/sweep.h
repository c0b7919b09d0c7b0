/* A sweep: the cross product of lists of knob values, a sample each. Cells are visited in rounds,
 * a little each time, so that drift of the clock and contended spells spread over all of them (a
 * grid visited in 4 to 6 rounds repeated within 1 to 1.5 %, cell by cell, on a quiet Zen 5).
 * Settled cells are not visited again; the time that they save goes to contended and scattered
 * cells. A cross product of thousands is measured in blocks, which bounds the memory for trials.
 * */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "experiment/measurer.h"
#include "experiment/setting/axis.h"
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

/* Who uses the finished cells. */
struct sweep_sink {
	void *context;
	/* The next finished cell in the order of the cross product. One that could not be measured
	 * comes too, with cell->failure set. Valid for this call. */
	void (*finished)(void *context, const struct cell *cell);
	/* After each batch of finished cells, and before each wait: time to write and to show
	 * progress. */
	void (*meanwhile)(void *context);
};

struct sweep;

struct sweep *sweep_new(const struct kernel *kernel, const struct sweep_options *options);
void sweep_free(struct sweep *sweep);

/* "knob=values" as axis_parse_list() takes them. The first knob assigned varies slowest; knobs
 * that are not assigned keep their initial value. STATUS_USAGE for an unknown knob, a bad list, or
 * a knob given twice. */
struct status sweep_assign(struct sweep *sweep, const char *assignment);

/* After the last assignment: counts cells within the machine's memory. STATUS_USAGE when no
 * combination is left or a sweep of so many would take a day. */
struct status sweep_begin(struct sweep *sweep, struct memory_limits memory_limits);

/* What every visit also counts; borrowed. Before sweep_measure(). */
void sweep_count(struct sweep *sweep, const struct counter_plan *plan);

/* The assigned knobs, in order. Owned by the sweep. */
const struct sweep_axis *sweep_axes(const struct sweep *sweep, size_t *count);

/* The first allowed combination: it has the values of knobs that do not vary. After
 * sweep_begin(). */
const struct setting *sweep_setting(const struct sweep *sweep);

/* Measures all cells. When the measurer stops, every cell that has enough trials is handed out. */
void sweep_measure(
	struct sweep *sweep, const struct measurer *measurer, const struct sweep_sink *sink);

/* For the sink, which is called while visits are under way: waits for them, so that the sink can
 * measure something itself. */
void sweep_drain(struct sweep *sweep);

/* Counts of any visit; NULL: none has come. */
const struct counts *sweep_counts(const struct sweep *sweep);

void sweep_progress(struct sweep *sweep, struct sweep_progress *progress);
