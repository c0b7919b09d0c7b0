#include "engine/measure/line.h"

#include <math.h>

#include "base/stats.h"

/* A test takes ROUNDS rounds of calls. A test of long calls ends after TEST_SECONDS seconds, if
 * ROUNDS_LEAST rounds are made. */
enum { ROUNDS = 25, ROUNDS_LEAST = 5, TESTS = 3 };
#define TEST_SECONDS 0.1

/* Slopes that differ by at most this share are equal: no step is searched. */
#define LINE_EVEN 0.02

/* Times of half the elements and of all elements must differ by more than this share. The time of a
 * real loop is proportional to n, which makes half the time. RISES_CLEARLY: because a busy machine,
 * and a core that guesses which load gets a stored value, change the lowest times: by up to 17 % if
 * another thread uses the core's units. RISES_LEAST: if nearly all rounds show it. */
#define RISES_LEAST   0.02
#define RISES_CLEARLY 0.25

static bool is_longer(double whole, double half, double share, double step)
{
	return whole - half > share * whole + step;
}

bool line_rises(const double *half, const double *whole, unsigned count, double step)
{
	double lowest_half = INFINITY, lowest = INFINITY, least;
	unsigned clearly = 0, longer = 0;

	for (unsigned i = 0; i < count; i++) {
		clearly += i < LINE_FIRST && is_longer(whole[i], half[i], RISES_CLEARLY, step);
		longer += is_longer(whole[i], half[i], RISES_LEAST, step);
		lowest_half = fmin(lowest_half, half[i]);
		lowest = fmin(lowest, whole[i]);
	}
	/* One comparison proves nothing if other processes disturb it. Interference only makes
	 * calls longer, so the lowest times of many rounds decide. A small difference counts only
	 * if four of five rounds show it: half of them do by chance. */
	least = 5 * longer >= 4 * count ? RISES_LEAST : RISES_CLEARLY;
	return clearly >= LINE_FIRST - 1 ||
	       (count >= LINE_ROUNDS && is_longer(lowest, lowest_half, least, step));
}

static double slope(const double *ticks, const uint64_t *elements, int from, int to)
{
	return (ticks[to] - ticks[from]) / (double)(elements[to] - elements[from]);
}

/* Finds the lengths between which the time rises evenly, where the time of a call has steps. The
 * slope between two successive lengths is the time per element, and more if a step lies there. So
 * the longest run of at least two equal, lowest slopes has no step. The steps of all other slopes
 * together are at most `step`. Returns false if there is no such run. */
static bool find_even(
	const double *ticks, const uint64_t *elements, double step, int *from, int *to)
{
	double lowest = INFINITY, steps = 0;

	for (int i = LINE_HALF; i < LINE_WHOLE; i++)
		lowest = fmin(lowest, slope(ticks, elements, i, i + 1));
	*from = *to = LINE_HALF;
	for (int i = LINE_HALF, begin = i; i < LINE_WHOLE; i++) {
		double more = slope(ticks, elements, i, i + 1) - lowest;

		if (more > LINE_BENT * lowest) {
			steps += more * (double)(elements[i + 1] - elements[i]);
			begin = i + 1;
		} else if (i + 1 - begin >= *to - *from) {
			*from = begin;
			*to = i + 1;
		}
	}
	return lowest > 0 && *to - *from >= 2 && steps <= step;
}

struct line line_judge(
	const double ticks[LINE_LENGTHS], const uint64_t elements[LINE_LENGTHS], double step)
{
	const int middle = (LINE_HALF + LINE_WHOLE) / 2;
	double far = slope(ticks, elements, middle, LINE_WHOLE),
	       near = slope(ticks, elements, LINE_HALF, middle), each, early, late;
	struct line line = { .half = elements[LINE_HALF], .whole = elements[LINE_WHOLE] };
	int from = LINE_HALF, to = LINE_WHOLE, even_from, even_to;

	if (!(far > 0) || !(near > 0))
		return line;
	line.bend = near / far;
	if (fabs(line.bend - 1) > LINE_EVEN &&
		find_even(ticks, elements, step, &even_from, &even_to)) {
		from = even_from;
		to = even_to;
		line.bend =
			slope(ticks, elements, from, from + 1) / slope(ticks, elements, to - 1, to);
		line.half = elements[from];
		line.whole = elements[to];
	}
	/* The shortest call is on the line too, unless the ends of the longer calls explain the
	 * difference. */
	each = slope(ticks, elements, from, to);
	early = slope(ticks, elements, 0, LINE_HALF);
	late = fabs(early - each) * (double)(elements[LINE_HALF] - elements[0]);
	if (fabs(early / each - 1) > fmax(LINE_BENT, fabs(line.bend - 1)) && late > step)
		line.bend = fmax(early / each, 0);
	return line;
}

static double ticks_of(const struct measure *measure, uint64_t elements)
{
	uint64_t begin;

	measure->run->excluded = 0;
	begin = clock_ticks();
	measure_calls(measure, elements, measure->time.calls);
	return (double)(clock_ticks() - begin - measure->run->excluded) / measure->time.calls;
}

/* Times calls of all lengths in turn, and judges the medians of their times. */
static struct line test_line(const struct measure *measure, const uint64_t elements[LINE_LENGTHS],
	const atomic_bool *cancel)
{
	double times[LINE_LENGTHS][ROUNDS], median[LINE_LENGTHS],
		until = clock_seconds() + TEST_SECONDS;
	unsigned count = 0;

	while (count < ROUNDS && !atomic_load(cancel) &&
		(count < ROUNDS_LEAST || clock_seconds() < until)) {
		for (int i = 0; i < LINE_LENGTHS; i++)
			times[i][count] = ticks_of(measure, elements[i]);
		count++;
	}
	if (atomic_load(cancel))
		return (struct line){ 0, elements[LINE_HALF], elements[LINE_WHOLE] };
	for (int i = 0; i < LINE_LENGTHS; i++)
		median[i] = stats_median(times[i], count);
	return line_judge(median, elements, LINE_STEP * measure->clock->hz);
}

/* Returns the line with the median bend of three. */
static struct line middle_of(const struct line line[TESTS])
{
	for (int i = 0; i < TESTS; i++) {
		const struct line *other = &line[(i + 1) % TESTS], *last = &line[(i + 2) % TESTS];

		if ((line[i].bend - other->bend) * (line[i].bend - last->bend) <= 0)
			return line[i];
	}
	return line[0];
}

double line_choose(struct measure *measure, const atomic_bool *cancel)
{
	const struct kernel_run *run = measure->run;
	struct stretch *time = &measure->time, *count = &measure->count;
	uint64_t elements[LINE_LENGTHS] = { run->shorter[0], run->ring / 2 };
	struct line line[TESTS];

	for (int i = 1; i < RUN_SHORTER; i++)
		elements[1 + i] = run->shorter[i];
	elements[LINE_WHOLE] = run->ring;
	for (int i = 1; i < LINE_LENGTHS; i++)
		if (elements[i - 1] == 0 || elements[i - 1] >= elements[i])
			return 0;
	if (time->half != elements[LINE_HALF] || time->whole != elements[LINE_WHOLE])
		return 0;
	ticks_of(measure, elements[LINE_HALF]);
	/* Interference may falsify one test of proportional time, so two of three tests decide. */
	for (int test = 0; test < TESTS; test++) {
		line[test] = test_line(measure, elements, cancel);
		if (fabs(line[test].bend - 1) <= LINE_BENT) {
			line[0] = line[1] = line[2] = line[test];
			break;
		}
	}
	line[0] = middle_of(line);
	if (count->half == time->half && count->whole == time->whole) {
		count->half = line->half;
		count->whole = line->whole;
	}
	time->half = line->half;
	time->whole = line->whole;
	return line->bend;
}
