#include "model/memory/recency.h"

#include <math.h>
#include <stdbool.h>

/* Bytes of a cache line, as kernels assume. */
#define LINE 64

/* Number of halvings in the binary search for the age at which a cache evicts a line. */
enum { HALVINGS = 60 };

/* If each line of a part of the data was used PASSES times on average, all of the lines were used.
 */
#define PASSES 40

/* Cache lines that are equally likely to be used next. */
struct lines {
	double count; /* number of cache lines */
	double rate;  /* accesses to these cache lines per element of the loop */
};

/* Whether the accesses touch the lines of a part of the data (reach) in the same order in each
 * pass. */
static bool in_order(const struct kernel_reach *reach)
{
	return reach->way == REACH_ORDERED || reach->least > 0;
}

/* Returns the cache lines of one part of the data (walk->reach[index]). The range of a part of the
 * data includes all parts with more frequent accesses, so its own lines lie beyond the next smaller
 * range. Parts of the data with the same range share their cache lines. */
static struct lines lines_of(const struct kernel_walk *walk, int index)
{
	const struct kernel_reach *reach = &walk->reach[index];
	struct lines lines = { 0 };
	double before = 0;

	for (int i = 0; i < walk->reaches; i++) {
		const struct kernel_reach *other = &walk->reach[i];

		if (other->range < reach->range)
			before = fmax(before, other->range);
		if (i == index ||
			(other->range == reach->range && !in_order(other) && !in_order(reach)))
			lines.rate += other->lines;
	}
	lines.count = (reach->least > 0 ? reach->least : reach->range - before) / LINE;
	return lines;
}

/* Whether an earlier part of the data has the same lines as the part `index`. */
static bool is_counted(const struct kernel_walk *walk, int index)
{
	for (int i = 0; i < index; i++)
		if (!in_order(&walk->reach[i]) && !in_order(&walk->reach[index]) &&
			walk->reach[i].range == walk->reach[index].range)
			return true;
	return false;
}

/* Returns the average number of different lines that `age` elements of the loop touch. `lines` has
 * an entry for each part of the data (reach). */
static double touched(
	const struct kernel_walk *walk, const struct lines lines[KERNEL_REACHES], double age)
{
	double sum = 0;

	for (int i = 0; i < walk->reaches; i++) {
		double accesses = lines[i].rate * age;

		if (in_order(&walk->reach[i]))
			sum += fmin(accesses, lines[i].count);
		else if (lines[i].count > 0)
			sum += lines[i].count * -expm1(-accesses / lines[i].count);
	}
	return sum;
}

double recency_age(const struct kernel_walk *walk, double bytes)
{
	struct lines lines[KERNEL_REACHES];
	double low = 0, high = 1, range = 0;

	for (int i = 0; i < walk->reaches; i++) {
		range = fmax(range, walk->reach[i].range);
		lines[i] = lines_of(walk, i);
		if (is_counted(walk, i))
			lines[i] = (struct lines){ 0 };
		if (lines[i].rate > 0)
			high = fmax(high, PASSES * lines[i].count / lines[i].rate);
	}
	if (range <= bytes || touched(walk, lines, high) * LINE <= bytes)
		return (double)INFINITY;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = (low + high) / 2;

		*(touched(walk, lines, middle) * LINE <= bytes ? &low : &high) = middle;
	}
	return low;
}

double recency_missed(const struct kernel_walk *walk, int reach, double bytes, double age)
{
	struct lines lines = lines_of(walk, reach);
	const struct kernel_reach *part = &walk->reach[reach];

	if (isinf(age) || !(lines.count > 0))
		return 0;
	/* Some caches keep lines that are touched again rather than lines that prefetchers fetch. A
	 * cache that prefers reused lines needs space for the lines of this part of the data alone.
	 */
	if (part->least > 0 && part->least < part->range)
		return fmax(1 - bytes / part->least, 0);
	if (in_order(part))
		return lines.rate * age < lines.count ? 1 : 0;
	return exp(-lines.rate * age / lines.count);
}
