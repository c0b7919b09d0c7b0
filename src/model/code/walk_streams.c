/* The order of the accesses of each memory operand (stream): in order, at several places in turn,
 * or scattered; and which streams repeat the cache lines of others. */
#include "model/code/walk_inside.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/text.h"

/* The accesses of an instruction (a stream) are in order if this share of the distances between
 * consecutive addresses is alike. */
#define ALIKE 0.7

/* Returns how often the most frequent of `count` sorted values occurs, and sets *value to it. */
static int most_frequent(const double *sorted, int count, double *value)
{
	int most = 0;

	for (int i = 0, from = 0; i < count; i++) {
		if (sorted[i] > sorted[from])
			from = i;
		if (i - from + 1 > most) {
			most = i - from + 1;
			*value = sorted[i];
		}
	}
	return most;
}

/* Whether accesses continue in turn at several places in memory, as the stores of a radix sort do.
 * Each address is used once. Returns the number of places in memory at which the accesses continue
 * in turn; 0: the accesses are not of this kind. */
static double places_of(const double *address, int count, double size)
{
	int follows = 0, again = 0, judged = 0;

	for (int i = count / 2; i < count; i++) {
		bool followed = false, repeated = false;

		for (int k = 0; k < i; k++) {
			followed |= fabs(address[i] - address[k] - size) < 0.5;
			repeated |= fabs(address[i] - address[k]) < 0.5;
		}
		follows += followed;
		again += repeated;
		judged++;
	}
	if (judged < SAMPLES_LEAST || again > judged / 20 || follows < judged / 2)
		return 0;
	/* The places in memory at which accesses continue lie apart from each other. */
	judged = 0;
	for (int i = 0; i < count; i++) {
		bool last = true;

		for (int k = i + 1; k < count && last; k++)
			last = fabs(address[k] - address[i] - size) > 0.5;
		judged += last;
	}
	return judged;
}

static void judge_order(struct finder *finder, int index)
{
	struct stream *stream = &finder->stream[index];
	const struct insn *insn = &finder->question->trace.insn[stream->insn];
	double *address = memory_new((size_t)stream->count + 1, sizeof(*address)),
	       *delta = memory_new((size_t)stream->count + 1, sizeof(*delta)), mode = 0, sum = 0,
	       way = 0;
	int count = 0, near = 0, same;

	for (int i = 0; i < finder->access_count; i++)
		if (finder->access[i].stream == index)
			address[count++] = (double)finder->access[i].address;
	for (int i = 0; i + 1 < count; i++) {
		delta[i] = address[i + 1] - address[i];
		if (fabs(delta[i]) > 2 * LINE)
			continue;
		near++;
		sum += delta[i];
		way += fabs(delta[i]);
	}
	stats_sort(delta, (size_t)(count > 0 ? count - 1 : 0));
	same = most_frequent(delta, count - 1, &mode);
	stream->order = SCATTERED;
	if (count < 2) {
		stream->order = FIXED;
	} else if (near >= ALIKE * (count - 1) && fabs(sum) >= 0.9 * way) {
		stream->step = sum / near;
		stream->order = stream->step < 0 || stream->step > 0 ? ORDERED : FIXED;
	} else if (same >= ALIKE * (count - 1)) {
		stream->step = mode;
		stream->order = mode < 0 || mode > 0 ? ORDERED : FIXED;
	} else {
		stream->places = places_of(address, count, insn->memory[stream->operand].size);
		if (stream->places > 0) {
			stream->order = ORDERED;
			stream->step = insn->memory[stream->operand].size;
		}
	}
	free(address);
	free(delta);
}

double stream_rate(const struct finder *finder, const struct stream *stream)
{
	return stream->count / finder->elements;
}

double stream_lines(const struct finder *finder, const struct stream *stream)
{
	return stream_rate(finder, stream) * fmin(fabs(stream->step) / LINE, 1);
}

/* Whether two streams with the same step over one array access the same lines. In steps of whole
 * lines, the place in its line decides: loads of 32 bytes at 32 and at 64 use different lines. In
 * other steps, the place in the line changes. */
static bool same_lines(const struct stream *one, const struct stream *other)
{
	double step = fabs(one->step), off;

	if (!(step > LINE))
		return true;
	if (fmod(step, LINE) > 0) {
		off = fmod(fabs((double)other->first - (double)one->first), step);
		return fmin(off, step - off) < LINE;
	}
	off = floor((double)other->first / LINE) - floor((double)one->first / LINE);
	return !(fmod(fabs(off), step / LINE) > 0);
}

/* Finds streams that repeat the lines of an earlier stream of the same array: an unrolled loop
 * reads several values of a line, and a stencil reads a row again that was the next row before. */
static void find_repeats(struct finder *finder)
{
	for (int i = 0; i < finder->stream_count; i++)
		for (int k = 0; k < finder->stream_count; k++) {
			struct stream *stream = &finder->stream[i];
			const struct stream *other = &finder->stream[k];
			double step = fabs(stream->step), apart;

			if (i == k || stream->order != ORDERED || other->order != ORDERED ||
				other->repeats || stream->array != other->array ||
				stream->places > 0 || other->places > 0 ||
				fabs(stream->step - other->step) > 0.05 * step)
				continue;
			apart = (double)other->first - (double)stream->first;
			if (!same_lines(stream, other))
				continue;
			/* Of two instructions that access an array in order, the one that is ahead
			 * touches a cache line first. */
			if (stream->step < 0)
				apart = -apart;
			if (apart < 0 || (apart <= 0 && k > i))
				continue;
			if (!stream->repeats || apart < stream->distance)
				stream->distance = apart;
			stream->repeats = true;
		}
}

void streams_judge(struct finder *finder)
{
	for (int i = 0; i < finder->stream_count; i++)
		judge_order(finder, i);
	find_repeats(finder);
}
