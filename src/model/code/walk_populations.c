/* Groups of cache lines that are equally likely to be used next (populations): how many lines
 * random accesses choose from, and the parts of the data that follow. */
#include "model/code/walk_inside.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"

static double greatest_common(double a, double b)
{
	return b < 0.5 ? a : greatest_common(b, fmod(a, b));
}

/* Estimates from a sample of random accesses how many cache lines the accesses choose from. Many
 * repeated cache lines in the sample mean that the accesses choose from few lines. If all lines lie
 * multiples of a distance apart (a grid), as on one level of a binary search, *grid receives the
 * distance. *sure is set if the estimated number is far below the number of lines in the whole
 * range. */
static double estimate(const double *line, int count, double *grid, bool *sure)
{
	double extent = line[count - 1] - line[0] + 1, common = 0, least = extent, low, high;
	int different = 1;

	for (int i = 1; i < count; i++) {
		double gap = line[i] - line[i - 1];

		if (gap < 0.5)
			continue;
		different++;
		common = greatest_common(gap, common);
		least = fmin(least, gap);
	}
	*sure = true;
	*grid = fmax(common, 1);
	/* n random accesses to P equally likely cache lines touch P (1 - exp(-n/P)) different lines
	 * on average. */
	if (different < 0.9 * count) {
		low = different;
		high = extent;
		for (int i = 0; i < 50; i++) {
			double middle = (low + high) / 2;

			*(middle * -expm1(-count / middle) < different ? &low : &high) = middle;
		}
		return low;
	}
	/* The smallest gap between n random lines is about extent/n², so only a larger gap means
	 * that the lines lie on a grid. */
	if (extent / least < 0.25 * count * count)
		return extent / least + 1;
	*sure = false;
	return extent / *grid;
}

void populations_add(
	struct finder *finder, double lines, double bytes, enum reach_way way, bool written)
{
	struct population *found = finder->population;
	int i = 0;

	if (!(lines > 0) || !(bytes > 0))
		return;
	while (i < finder->population_count &&
		!(found[i].way == way && found[i].written == written &&
			fabs(found[i].bytes - bytes) <= 0.02 * bytes))
		i++;
	if (i == finder->population_count) {
		if (i == 2 * KERNEL_REACHES)
			return;
		found[finder->population_count++] = (struct population){ 0, bytes, way, written };
	}
	found[i].lines += lines;
}

static enum reach_way way_of(const struct finder *finder, const struct stream *stream)
{
	return stream->chained				? REACH_CHAINED
	       : !stream->loaded && finder->wrong > 0.1 ? REACH_GUESSED
							: REACH_FREE;
}

void populations_add_scattered(struct finder *finder, int index, double *grid)
{
	struct stream *stream = &finder->stream[index];
	const struct walk_array *array = &finder->question->array[stream->array];
	double *line = memory_new((size_t)stream->count + 1, sizeof(*line)),
	       scale = array->whole / (double)array->bytes, before = 0, growth = 0;
	int positions = 0;

	for (int i = 0; i < finder->access_count; i++)
		if (finder->access[i].stream == index && finder->access[i].position >= positions)
			positions = finder->access[i].position + 1;
	for (int position = 0; position < positions; position++) {
		int count = 0, fresh = 0;
		double lines = (double)array->bytes / LINE, every = 1;
		bool sure = false;

		for (int i = 0; i < finder->access_count; i++) {
			const struct access *access = &finder->access[i];

			if (access->stream != index || access->position != position)
				continue;
			line[count++] = floor((double)access->address / LINE);
			fresh += access->fresh;
		}
		if (fresh == 0)
			continue;
		stats_sort(line, (size_t)count);
		if (count >= SAMPLES_LEAST)
			lines = estimate(line, count, &every, &sure);
		/* A small table is in the first-level cache after its first use. */
		if (sure && positions == 1 && lines <= RECENT)
			break;
		if (sure && before > 0 && lines > 1.3 * before)
			growth = lines / before;
		if (!sure && growth > 1 && before > 0 && before * growth < lines) {
			lines = before * growth;
			sure = true;
		}
		before = sure ? lines : 0;
		*grid = *grid > 0 ? fmin(*grid, every * LINE) : every * LINE;
		stream->far = true;
		populations_add(finder, fresh / finder->elements,
			lines * LINE * (sure && lines < 0.5 * array->bytes / LINE ? 1 : scale),
			way_of(finder, stream), stream_writes(finder, stream));
	}
	free(line);
}

/* Gathers have no known addresses. Gather instructions are assumed to read the largest array that
 * no other load reads. */
void populations_add_gathered(struct finder *finder)
{
	double whole = 0, bytes = 0;

	for (int i = 0; i < finder->question->arrays; i++) {
		bool used = false;

		whole = fmax(whole, finder->question->array[i].whole);
		for (int k = 0; k < finder->stream_count; k++)
			used |= finder->stream[k].array == i;
		if (!used)
			bytes = fmax(bytes, finder->question->array[i].whole);
	}
	populations_add(finder, finder->gathered / finder->elements, bytes > 0 ? bytes : whole,
		REACH_FREE, false);
}

static int compare_density(const void *a, const void *b)
{
	const struct population *x = a, *y = b;
	double left = x->lines / x->bytes, right = y->lines / y->bytes;

	return (left < right) - (left > right);
}

void populations_describe(struct finder *finder)
{
	struct kernel_walk *walk = finder->walk;
	double bytes = 0, lines = 0;

	qsort(finder->population, (size_t)finder->population_count, sizeof(*finder->population),
		compare_density);
	for (int i = 0; i < finder->population_count; i++)
		lines += finder->population[i].lines;
	walk->lines = lines;
	for (int i = 0; i < finder->population_count && walk->reaches < KERNEL_REACHES; i++) {
		const struct population *part = &finder->population[i];

		bytes += part->bytes;
		if (part->lines >= NEGLIGIBLE * NEGLIGIBLE * lines)
			walk->reach[walk->reaches++] = (struct kernel_reach){ .lines = part->lines,
				.range = bytes,
				.way = part->way,
				.written = part->written };
	}
}
