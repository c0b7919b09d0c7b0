#include "experiment/memory_steps.h"

/* The largest size of memory that is read by loads in random order. The largest size is twice that
 * of the last cache, but at most RANGE_MOST bytes: the layout of more data would take seconds. */
#define RANGE_MOST ((uint64_t)256 << 20)

/* Smallest number of pages in the measurements of page walks; two more measurements double the
 * number. Second-level TLBs have 1,024 to 4,096 entries. PAGE_STRIDE: bytes from a line to the line
 * in the next page, in another set of L1. */
enum { PAGES_FEWEST = 2048, PAGE_STRIDE = 4096 + 64 };

/* The smaller range of the measurements with flushed data: the default of the kernel window. */
#define FLUSHED_LEAST ((uint64_t)16 << 20)

/* The kernel and knob values of each step of the memory probe, without the knob for the size. */
static const char *const settings[] = {
	[L2_LINES] = "mountain stride=8",
	[L3_LATENCY] = "latency stride=64 order=random chains=8", /* L3_CHAINS */
	[L3_LINES] = "mountain stride=8",
	[POINT_FIRST] = "latency stride=64 order=random",
	[PARALLEL] = "latency stride=64 order=random chains=32",
	[SKIPPED] = "mountain stride=16", /* every second line */
	[STREAM_LAST] = "mountain stride=8",
	[CHAINED_PAGES] = "latency stride=4160 order=random", /* PAGE_STRIDE */
	[INDEPENDENT_PAGES] = "latency size=8m stride=4160 order=random chains=16",
	[FLUSHED_LAST] = "window fillers=0",
	[PEAK] = "bandwidth op=frd",
	[PAST] = "bandwidth op=fwr stores=bypass width=16", /* PAST_WIDTH */
};

uint64_t memory_step_pages(int step)
{
	return (uint64_t)PAGES_FEWEST << (step - CHAINED_PAGES) % MEMORY_PAGES;
}

/* Returns the step of the memory probe whose kernel and knob values another step shares. */
static int setting_of(int step)
{
	return memory_step_is_point(step)     ? POINT_FIRST
	       : memory_step_is_stream(step)  ? STREAM_LAST
	       : memory_step_is_flushed(step) ? FLUSHED_LAST
	       : !memory_step_is_pages(step)  ? step
	       : step < INDEPENDENT_PAGES     ? CHAINED_PAGES
					      : INDEPENDENT_PAGES;
}

const char *memory_step_setting(int step)
{
	return settings[setting_of(step)];
}

uint64_t memory_step_size(const struct machine *machine, int step)
{
	uint64_t own = machine_cache(machine, 2), l3 = machine_cache(machine, 3),
		 last = l3 ? l3 : machine_last_cache(machine), most = BEYOND * last, size;

	if (most == 0 || most > RANGE_MOST)
		most = RANGE_MOST;
	if (step == L2_LINES)
		/* Half of L2, if that is more than L1 can hold. */
		return own < 4 * BEYOND * machine_cache(machine, 1) ? 0 : own / BEYOND;
	if (step < POINT_FIRST)
		/* 0: the machine has no L3 that differs enough from L2. */
		return l3 < 2 * BEYOND * own ? 0 : BEYOND * own;
	if (memory_step_is_pages(step))
		/* 0: L2 cannot hold one line of each page. */
		return own < 2 * LINE * memory_step_pages(step)
			       ? 0
			       : memory_step_pages(step) * PAGE_STRIDE;
	if (memory_step_is_flushed(step))
		return step == FLUSHED_LAST ? most : most > FLUSHED_LEAST ? FLUSHED_LEAST : 0;
	if (!memory_step_is_point(step) && !memory_step_is_stream(step))
		return most;
	size = most >> (memory_step_is_point(step) ? POINT_LAST - step : step - STREAM_LAST);
	return size == most || (l3 && size >= BEYOND * own) ? size : 0;
}
