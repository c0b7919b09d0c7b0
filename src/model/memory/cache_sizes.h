/* The sizes of the data caches that a process has on the measured core. cache_sizes() is the only
 * function that chooses between a measured, a stated and a documented size. All limits, misses,
 * marks of charts and block sizes use its result, so they cannot contradict each other.
 *
 * A virtual machine often states a third-level cache (L3) that many other guests share. A process
 * then has only a part of that cache, and the part changes with time. */
#pragma once

#include <stdbool.h>

#include "engine/machine/machine.h"
#include "model/core/uarch.h"

enum { CACHE_LEVELS = 3 }; /* number of cache levels, from L1 to L3 */

/* The origin of a cache size. */
enum cache_source {
	CACHE_UNKNOWN,
	CACHE_STATED,	  /* the operating system states the size */
	CACHE_DOCUMENTED, /* the size comes from the file of another core */
	CACHE_MEASURED,	  /* the size was measured on this machine */
};

struct cache_size {
	double bytes; /* size of the cache; 0: no cache, or unknown */
	double lo,
		hi; /* range of the size in bytes; equal to `bytes` if the size is not measured */
	enum cache_source source;
	int ways;      /* number of lines in each set of the cache; 0: unknown */
	double stated; /* of a measured size: the size in bytes that the operating system states; 0:
			  none */
};

struct cache_sizes {
	struct cache_size level[CACHE_LEVELS];
	double line; /* bytes of a cache line; 0: unknown */
};

/* Latency and bandwidth of the shared last cache or of memory, as measured on this machine. */
struct memory_level {
	bool known;
	double latency; /* load-to-use latency in cycles, for loads in random order */
	double lines;	/* bandwidth: cache lines per cycle, read in address order */
};

/* Returns the share of the accesses that miss a cache, if a loop touches `bytes` bytes of lines
 * again and again in the same order. A cache set that gets more lines than it has ways keeps none
 * of these lines until their next use. Lines are spread over the sets as if at random: some cores
 * choose the set by a hash of the address, and the system scatters pages over memory. Measured on
 * Zen 4 with an L2 of 8 ways: chains of loads over 1/4, 1/2, 3/4 and 1 of its size take 14.0, 17.6,
 * 24 and 31 cycles; computed 14.0, 16, 25 and 37. */
double cache_cyclic_missed(const struct cache_size *cache, double bytes);

/* As cache_cyclic_missed(), for lines that are spread evenly over the sets: if there are a few more
 * lines than the cache holds, only some sets get more lines than they have ways. Measured on Zen 5
 * with an L1 of 48 KiB and 12 ways: chains of loads over 49, 50, 51 and 52 KiB take 6.6, 8.9, 11.6
 * and 14.0 cycles; computed 6.7, 9.2, 11.6 and 14. */
double cache_even_missed(const struct cache_size *cache, double bytes);

/* Measured mean latency of loads in random order over a range of bytes. Loads that hit the core's
 * own caches are left out, so the mean is over hits in L3 and accesses to memory. */
enum { MEMORY_POINTS = 8 };
struct memory_point {
	double bytes;	/* bytes of the measured range of memory; 0: not measured */
	double latency; /* mean latency in cycles */
	double lo, hi;	/* quartiles of the latency */
};

/* Measured bandwidth if one value of each cache line of a memory range is read, in address order.
 */
struct memory_stream {
	double bytes; /* bytes of the measured range of memory; 0: not measured */
	double lines; /* cache lines per cycle */
};

/* Measured cycles per load if one line of each page of 4 KiB is read. All lines fit L2, so the
 * cycles beyond the latency of L2 are page table walks, as far as the TLBs do not cover the pages.
 */
enum { MEMORY_PAGES = 3 };
struct memory_pages {
	double pages;	/* number of pages; 0: not measured */
	double chained; /* cycles per load if each load waits for the previous load; 0: not measured
			 */
	double independent; /* cycles per load if many loads overlap; 0: not measured */
};

/* Measured latency of loads of lines that were flushed from all caches. The latency grows with the
 * range of memory, because page table walks take longer, above all in virtual machines. */
enum { MEMORY_FLUSHED = 2 };

/* Spreads of measured values (±, distance to the quartiles), each as a share of its value. 0: not
 * measured. */
struct memory_spreads {
	double l3_latency, l3_lines, memory_lines, parallel, skipped_lines, past_lines,
		stream[MEMORY_POINTS];
};

/* All values of the caches and of memory that were measured on this machine. A struct of zeros
 * means that no value was measured. */
struct memory_facts {
	struct cache_size cache[CACHE_LEVELS]; /* a size of 0 bytes was not measured */
	double l2_lines; /* bandwidth of L2: cache lines per cycle; 0: not measured */
	struct memory_level l3, memory;
	double l3_walk; /* mean latency in cycles of loads in random order over twice the core's own
			   caches. If the core's own caches keep none of these lines until the next
			   pass, the mean latency is that of L3. 0: not measured */
	double parallel; /* largest number of independent misses that one core waits for at the same
			    time; 0: not measured */
	double skipped_lines; /* cache lines per cycle if every second line of memory is read, in
				 address order; 0: not measured */
	double past_lines;    /* cache lines per cycle that stores write to memory, past the caches;
				 0: not measured */
	struct memory_point point[MEMORY_POINTS];    /* in the order of their ranges' sizes */
	struct memory_stream stream[MEMORY_POINTS];  /* in the order of their ranges' sizes */
	struct memory_pages pages[MEMORY_PAGES];     /* in the order of their numbers of pages */
	struct memory_point flushed[MEMORY_FLUSHED]; /* loads of flushed lines, in the order of
							their ranges' sizes */
	struct memory_spreads spread;
};

/* Returns the facts with each value of L3 and memory at a quartile of its measurement: the slow
 * quartiles if `side` is 1, the fast quartiles if it is -1. A value without a spread stays. */
struct memory_facts memory_quartiles(const struct memory_facts *measured, int side);

/* Returns the measured mean latency in cycles of loads in random order over a range of bytes,
 * interpolated between the two nearest measured ranges. Loads that hit the core's own caches are
 * left out. Returns 0 if the range is not between measured ranges. */
double memory_latency(const struct memory_facts *measured, double range);

/* Returns the measured latency in cycles of loads of flushed lines in a range of bytes,
 * interpolated between the measured ranges. Returns 0 if it is not measured. */
double memory_flushed_latency(const struct memory_facts *measured, double range);

/* Returns the largest number of independent misses for which the core waits at the same time. If
 * nearly all measured chains of loads overlapped, the chains and not the core were the limit: the
 * number in the core's file (`stated`; UARCH_UNKNOWN: none) then counts if it is larger. 0:
 * unknown.
 */
double memory_parallel(const struct memory_facts *measured, double stated);

/* Returns the cycles per cache line for reading one value of each line of memory, in address order.
 * Returns 0 if such reads of memory are not measured. */
double memory_strided_cycles(const struct memory_facts *measured);

/* Returns the cycles per cache line for reading all lines of memory in address order, with `loads`
 * loads of each. Loads of a line fill the load queue, so that fewer lines are in flight. On Emerald
 * Rapids, 1, 2, 4, 8 and 16 loads took 12, 13, 15, 19.5 and 23.5 cycles. 0: not measured. */
double memory_read_cycles(const struct memory_facts *measured, double loads);

/* Returns the cycles per cache line for reading memory in steps of `step` bytes, in address order.
 * Prefetchers fetch the next line, so a loop that skips lines takes longer for each line that it
 * reads. Returns 0 if reading memory in address order is not measured. */
double memory_step_cycles(const struct memory_facts *measured, double step);

/* Returns the share of L2 misses that L3 serves while a range of `range` bytes is read in address
 * order. Fast reads return to a line before other processes have evicted it, so L3 serves more of
 * fast reads than of loads that wait for each other. The returned share of L3 is between 0 and 1;
 * NAN: not measured. */
double memory_stream_share(const struct memory_facts *measured, double range);

/* Returns the level, from 1, of the first cache that holds `bytes` bytes that are read in address
 * order; CACHE_LEVELS + 1: memory; 0: no cache is known. A cache counts as large enough up to 1/16
 * above its size, because sizes found from latency curves are not more precise. If L3 was measured,
 * it holds what measured walks in order mostly found there: more than loads find that wait for each
 * other. */
int cache_level_in_order(
	const struct cache_sizes *caches, const struct memory_facts *measured, double bytes);

/* Returns how many bytes of L3 a loop still finds in L3 if it comes back to a line after `cycles`
 * cycles. The value is interpolated between the fastest measured reads and loads that wait for each
 * other. `slow` is the number of bytes of L3 that a loop finds if its loads wait for each other.
 * Returns NAN if reading memory in address order is not measured. */
double memory_fast_bytes(const struct memory_facts *measured, double slow, double cycles);

/* Returns the measured cycles per load if one line of each of `pages` pages is read again and
 * again, interpolated. Returns 0 if such loads from many pages are not measured, or if the smallest
 * measured number of pages is larger than `pages`. */
double memory_page_cycles(const struct memory_facts *measured, double pages, bool chained);

/* Returns the sizes of the caches: a measured size first, then the size that the system states.
 * If `foreign` is true, the sizes are those in the file of the core `uarch`, because the limits are
 * not for the measured core. machine, uarch and measured may be NULL. */
struct cache_sizes cache_sizes(const struct machine *machine, const struct uarch *uarch,
	bool foreign, const struct memory_facts *measured);

/* Returns the size of a cache and its origin as text: "L3 2.8 MiB (measured: 1.4 MiB to 5.6
 * MiB)", "L1 48 KiB (stated)". `level` is 0 for L1. */
struct cache_text {
	char text[96];
};
struct cache_text cache_words(const struct cache_sizes *caches, int level);

/* Returns the name of a source in records: "measured"; NULL for CACHE_UNKNOWN. */
const char *cache_source_name(enum cache_source source);
