/* The steps of the memory probe (memory.h): the loop of each, and how much memory it reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/machine/machine.h"
#include "model/limits/limits.h"

/* To measure L3, the working set is BEYOND times the size of L2: a small working set is used
 * because other processes also use L3. The sizes of memory that random loads read differ by the
 * factor BEYOND, up to BEYOND times the size of the last cache. */
enum { BEYOND = 2 };

/* Number of independent chains of loads with which the latency of L3 is measured. Any core can wait
 * for this number of misses at the same time. */
enum { L3_CHAINS = 8 };

/* Bytes of a cache line. */
#define LINE 64

/* Bytes of a store that bypasses the caches. */
#define PAST_WIDTH 16

enum memory_step {
	L2_LINES,
	L3_LATENCY,
	L3_LINES,
	POINT_FIRST,
	POINT_LAST = POINT_FIRST + MEMORY_POINTS - 1,
	PARALLEL,
	SKIPPED,
	STREAM_LAST, /* the largest size of memory first: the data of smaller sizes are then already
			laid out */
	STREAM_FIRST = STREAM_LAST + MEMORY_POINTS - 1,
	CHAINED_PAGES,
	INDEPENDENT_PAGES = CHAINED_PAGES + MEMORY_PAGES,
	PAGES_END = INDEPENDENT_PAGES + MEMORY_PAGES - 1,
	FLUSHED_LAST, /* the largest size of memory first */
	FLUSHED_FIRST = FLUSHED_LAST + MEMORY_FLUSHED - 1,
	PEAK,
	PAST, /* stores that bypass the caches */
	MEMORY_STEPS
};

static inline bool memory_step_is_point(int step)
{
	return step >= POINT_FIRST && step <= POINT_LAST;
}

static inline bool memory_step_is_stream(int step)
{
	return step >= STREAM_LAST && step <= STREAM_FIRST;
}

static inline bool memory_step_is_pages(int step)
{
	return step >= CHAINED_PAGES && step <= PAGES_END;
}

static inline bool memory_step_is_flushed(int step)
{
	return step >= FLUSHED_LAST && step <= FLUSHED_FIRST;
}

/* The kernel and knob values of a step, without the knob for the size. */
const char *memory_step_setting(int step);

/* The number of pages that a step visits to measure page walks. */
uint64_t memory_step_pages(int step);

/* The number of bytes that a step reads; 0: the machine does not need the step. */
uint64_t memory_step_size(const struct machine *machine, int step);
