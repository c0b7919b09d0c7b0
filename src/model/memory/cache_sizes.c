#include "model/memory/cache_sizes.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "kernels/kernel.h"

/* If more than this share of the chains of the measurement overlap, more chains would overlap too.
 */
#define ALL_CHAINS 0.9

static struct cache_size size_exact(double bytes, enum cache_source source)
{
	return (struct cache_size){ bytes, bytes, bytes, bytes > 0 ? source : CACHE_UNKNOWN, 0, 0 };
}

static struct cache_size size_of(const struct machine *machine, const struct uarch *uarch,
	bool foreign, const struct memory_facts *measured, int level)
{
	const struct uarch_cache *cache = uarch ? uarch_cache(uarch, level + 1) : NULL;
	double stated = machine ? (double)machine_cache(machine, level + 1) : 0,
	       documented = cache && uarch_known(cache->bytes) ? cache->bytes : 0;

	if (foreign)
		return size_exact(documented, CACHE_DOCUMENTED);
	if (measured && measured->cache[level].bytes > 0) {
		struct cache_size size = measured->cache[level];

		size.stated = stated;
		return size;
	}
	return stated > 0 ? size_exact(stated, CACHE_STATED)
			  : size_exact(documented, CACHE_DOCUMENTED);
}

struct cache_sizes cache_sizes(const struct machine *machine, const struct uarch *uarch,
	bool foreign, const struct memory_facts *measured)
{
	struct cache_sizes sizes = { .line = 0 };

	for (int i = 0; i < CACHE_LEVELS; i++)
		sizes.level[i] = size_of(machine, uarch, foreign, measured, i);
	/* If other processes leave this process less of L3 than the size of L2, L3 keeps no line
	 * that L2 does not keep. */
	for (int i = 1; i < CACHE_LEVELS; i++) {
		struct cache_size *size = &sizes.level[i];
		double least = sizes.level[i - 1].bytes;

		if (size->source != CACHE_MEASURED || size->bytes >= least)
			continue;
		size->bytes = size->lo = least;
		size->hi = fmax(size->hi, least);
	}
	for (int i = 0; machine && !foreign && i < machine->cache_count; i++) {
		int level = machine->cache[i].level;

		if (level >= 1 && level <= CACHE_LEVELS)
			sizes.level[level - 1].ways = machine->cache[i].ways;
	}
	for (int i = 0; machine && i < machine->cache_count; i++)
		if (machine->cache[i].line > 0 &&
			(sizes.line <= 0 || machine->cache[i].line < sizes.line))
			sizes.line = machine->cache[i].line;
	return sizes;
}

struct cache_text cache_words(const struct cache_sizes *caches, int level)
{
	const struct cache_size *size = &caches->level[level];
	struct cache_text text;
	int used = snprintf(text.text, sizeof(text.text), "L%d %s", level + 1,
		units_size_long((int64_t)size->bytes).text);

	if (size->source == CACHE_UNKNOWN)
		return text;
	used += snprintf(text.text + used, sizeof(text.text) - (size_t)used, " (%s",
		cache_source_name(size->source));
	if (size->source == CACHE_MEASURED && size->hi > size->lo)
		used += snprintf(text.text + used, sizeof(text.text) - (size_t)used, ": %s to %s",
			units_size_long((int64_t)size->lo).text,
			units_size_long((int64_t)size->hi).text);
	/* A virtual machine, or a core next to busy cores, has only a part of a shared cache. */
	if (size->stated > size->hi)
		used += snprintf(text.text + used, sizeof(text.text) - (size_t)used,
			", of %s stated", units_size_long((int64_t)size->stated).text);
	snprintf(text.text + used, sizeof(text.text) - (size_t)used, ")");
	return text;
}

const char *cache_source_name(enum cache_source source)
{
	static const char *const names[] = { NULL, "stated", "documented", "measured" };

	return names[source];
}

/* The number of ways of a cache, if the system does not state it. The assumed number is small,
 * because a cache with few ways evicts more lines. */
enum { WAYS_UNKNOWN = 8 };

double cache_cyclic_missed(const struct cache_size *cache, double bytes)
{
	int ways = cache->ways > 0 ? cache->ways : WAYS_UNKNOWN;
	double mean, term, fewer = 0;

	if (!(cache->bytes > 0))
		return 1;
	mean = bytes / cache->bytes * ways;
	term = exp(-mean);
	/* A line misses if its set has at least as many other lines as ways. */
	for (int i = 0; i < ways; i++) {
		fewer += term;
		term *= mean / (i + 1);
	}
	return fmax(1 - fewer, 0);
}

double cache_even_missed(const struct cache_size *cache, double bytes)
{
	int ways = cache->ways > 0 ? cache->ways : WAYS_UNKNOWN;
	double mean, more;

	if (!(cache->bytes > 0))
		return 1;
	mean = bytes / cache->bytes * ways;
	/* The share of the sets that have one line more than they have ways, if others have not. */
	more = fmax(mean - ways, 0);
	return more < 1 ? more * (ways + 1) / mean : 1;
}

/* Returns the latency at `range` bytes between two measured ranges. */
static double latency_between(
	const struct memory_point *below, const struct memory_point *above, double range)
{
	return below->latency + (above->latency - below->latency) * log(range / below->bytes) /
					log(above->bytes / below->bytes);
}

double memory_latency(const struct memory_facts *measured, double range)
{
	const struct memory_point *below = NULL;

	for (int i = 0; i < MEMORY_POINTS; i++) {
		const struct memory_point *point = &measured->point[i];

		if (!(point->latency > 0))
			continue;
		if (point->bytes == range)
			return point->latency;
		if (point->bytes > range)
			return below ? latency_between(below, point, range) : 0;
		below = point;
	}
	return 0;
}

double memory_flushed_latency(const struct memory_facts *measured, double range)
{
	const struct memory_point *below = NULL;

	for (int i = 0; i < MEMORY_FLUSHED; i++) {
		const struct memory_point *point = &measured->flushed[i];

		if (!(point->latency > 0))
			continue;
		if (point->bytes >= range)
			return below ? latency_between(below, point, range) : point->latency;
		below = point;
	}
	return below ? below->latency : 0;
}

/* Bytes of a cache line. */
#define LINE 64

/* If reading memory in address order is less than STREAM_APART times as slow as reading L3, the
 * times do not show which lines came from L3. */
#define STREAM_APART 1.5

/* Loads of a line in the loop that measures the bandwidth of memory: 8 bytes each. */
#define READ_LOADS 8

double memory_parallel(const struct memory_facts *measured, double stated)
{
	if (measured->parallel > 0 && measured->parallel < ALL_CHAINS * KERNEL_CHAINS)
		return measured->parallel;
	return fmax(fmax(measured->parallel, stated), 0);
}

double memory_strided_cycles(const struct memory_facts *measured)
{
	const struct memory_stream *last = &measured->stream[MEMORY_POINTS - 1];

	return last->lines > 0 ? 1 / last->lines : 0;
}

double memory_read_cycles(const struct memory_facts *measured, double loads)
{
	double most = measured->memory.lines > 0 ? 1 / measured->memory.lines : 0,
	       least = memory_strided_cycles(measured),
	       share = log2(fmax(loads, 1)) / log2(READ_LOADS);

	return most > least && least > 0 ? least + share * (most - least) : most;
}

double memory_step_cycles(const struct memory_facts *measured, double step)
{
	double next = memory_strided_cycles(measured),
	       skipped = measured->skipped_lines > 0 ? 1 / measured->skipped_lines : 0,
	       share = fmin(fmax(step / LINE - 1, 0), 1);

	return next > 0 ? next + share * fmax(skipped - next, 0) : 0;
}

/* Returns the share of L2 misses that L3 served in the measurement `stream`, which reads lines in
 * address order. Returns NAN if the share of L3 is unknown. */
static double stream_share(const struct memory_facts *measured, const struct memory_stream *stream)
{
	double far = memory_strided_cycles(measured), near = measured->l3.lines;

	if (!(stream->lines > 0) || !(near > 0) || !(far > STREAM_APART / near))
		return NAN;
	return fmin(fmax((far - 1 / stream->lines) / (far - 1 / near), 0), 1);
}

double memory_stream_share(const struct memory_facts *measured, double range)
{
	double below_bytes = 0, below = 1;

	if (isnan(stream_share(measured, &measured->stream[MEMORY_POINTS - 1])))
		return NAN;
	for (int i = 0; i < MEMORY_POINTS; i++) {
		const struct memory_stream *stream = &measured->stream[i];
		double share = stream_share(measured, stream);

		if (isnan(share))
			continue;
		if (range <= stream->bytes)
			return below_bytes > 0
				       ? below + (share - below) * log(range / below_bytes) /
							 log(stream->bytes / below_bytes)
				       : share;
		below_bytes = stream->bytes;
		below = share;
	}
	return 0;
}

double memory_fast_bytes(const struct memory_facts *measured, double slow, double cycles)
{
	double most = NAN, fast_cycles = 0, slow_cycles;

	for (int i = 0; i < MEMORY_POINTS; i++) {
		const struct memory_stream *stream = &measured->stream[i];
		double bytes = stream_share(measured, stream) * stream->bytes;

		if (isnan(bytes) || bytes < most)
			continue;
		most = bytes;
		fast_cycles = stream->bytes / LINE / stream->lines;
	}
	/* The size of L3 comes from loads in random order: L3 serves half of them, memory the
	 * others.
	 */
	slow_cycles = 2 * slow / LINE * (measured->l3.latency + measured->memory.latency) / 2;
	if (isnan(most) || slow >= most || !(slow_cycles > fast_cycles) || cycles <= fast_cycles)
		return most;
	return cycles >= slow_cycles ? slow
				     : most + (slow - most) * log(cycles / fast_cycles) /
						       log(slow_cycles / fast_cycles);
}

double memory_page_cycles(const struct memory_facts *measured, double pages, bool chained)
{
	double below_pages = 0, below = 0;

	for (int i = 0; i < MEMORY_PAGES; i++) {
		const struct memory_pages *walk = &measured->pages[i];
		double cycles = chained ? walk->chained : walk->independent;

		if (!(cycles > 0))
			continue;
		if (pages < walk->pages)
			return below_pages > 0
				       ? below + (cycles - below) * log(pages / below_pages) /
							 log(walk->pages / below_pages)
				       : 0;
		below_pages = walk->pages;
		below = cycles;
	}
	return below;
}

/* Scales the latency and the lines per cycle of a level to slower or faster values. */
static void scale_level(struct memory_level *level, double latency, double lines)
{
	level->latency *= latency;
	level->lines /= lines;
}

struct memory_facts memory_quartiles(const struct memory_facts *measured, int side)
{
	const struct memory_spreads *spread = &measured->spread;
	struct memory_facts facts = *measured;
	struct cache_size *size = &facts.cache[CACHE_LEVELS - 1];
	double far = 1;

	/* The latency of memory comes from the largest range of loads in random order. */
	for (int i = 0; i < MEMORY_POINTS; i++) {
		struct memory_point *point = &facts.point[i];
		double quartile = side > 0 ? point->hi : point->lo;

		if (!(point->latency > 0) || !(quartile > 0))
			continue;
		far = quartile / point->latency;
		point->latency = quartile;
	}
	for (int i = 0; i < MEMORY_FLUSHED; i++)
		facts.flushed[i].latency = side > 0 ? facts.flushed[i].hi : facts.flushed[i].lo;
	scale_level(&facts.l3, 1 + side * spread->l3_latency, 1 + side * spread->l3_lines);
	scale_level(&facts.memory, far, 1 + side * spread->memory_lines);
	facts.l3_walk *= 1 + side * spread->l3_latency;
	facts.parallel /= 1 + side * spread->parallel;
	facts.skipped_lines /= 1 + side * spread->skipped_lines;
	facts.past_lines /= 1 + side * spread->past_lines;
	for (int i = 0; i < MEMORY_POINTS; i++)
		facts.stream[i].lines /= 1 + side * spread->stream[i];
	if (size->source == CACHE_MEASURED)
		size->bytes = side > 0 ? size->lo : size->hi;
	return facts;
}

int cache_level_in_order(
	const struct cache_sizes *caches, const struct memory_facts *measured, double bytes)
{
	bool any = false;

	for (int level = 1; level <= CACHE_LEVELS; level++) {
		const struct cache_size *cache = &caches->level[level - 1];

		if (cache->bytes * (1 + 1.0 / 16) >= bytes ||
			(level == CACHE_LEVELS && cache->source == CACHE_MEASURED &&
				memory_stream_share(measured, bytes) >= 0.5))
			return level;
		any |= cache->bytes > 0;
	}
	return any ? CACHE_LEVELS + 1 : 0;
}
