/* Compares the measured values of two sides, A and B (runs, files or hosts). See differ.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/differences.h"
#include "base/text.h"
#include "recording/compare/differ.h"

const char *const differ_verdict_names[] = { "equal", "differs", "unsure", "only a", "only b" };

/* Values of A and B that differ by less than this share of A never count as different. A quiet
 * sample of a chain with a known latency is within 0.9 % (doc/accuracy.md).
 */
static const double effect_least = 0.01;

/* The largest error of one run's median, as a share of the median of many runs. run_own, for values
 * in the core's own caches: twice the largest error of quiet runs (0.3 %), rounded up. run_shared,
 * for values of L3, memory and the clock: the largest error of 12 settings, 11 %
 * (doc/accuracy.md). */
static const double run_own = 0.01, run_shared = 0.11;

/* Sessions that are minutes or hours apart differ more than the runs of one session, because other
 * programs then use L3 and memory more or less. So the range of a value of L3, memory or the clock
 * grows by this share of its width on both ends. */
static const double session_share = 0.5;

/* The largest accepted probability that chance alone explains any of the reported differences. */
static const double chance_most = 0.01;

/* TEST_RUNS: least runs on each side for a statistical test of runs, and to judge a point of a
 * curve or a contended value. TEST_TRIALS: least trials on each side for a test of trials. */
enum { TEST_RUNS = 5, TEST_TRIALS = 20 };

/* The least runs of each side to judge values that change from run to run, if both sides have the
 * same processor. Of 60 pairs of single probes of one machine, 28 had such a value apart; of 40
 * comparisons of five probes with one, 11; of 40 comparisons of three with three, 1. */
enum { CHANGING_RUNS = 3 };

/* A measured value, with the pair of hosts, the quantity and the side (A or B) for which it is
 * compared. */
struct placed {
	int pair, quantity, side;
	const struct compared_value *value;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->pair != y->pair)
		return x->pair - y->pair;
	if (x->quantity != y->quantity)
		return x->quantity - y->quantity;
	if (x->side != y->side)
		return x->side - y->side;
	return (x->value > y->value) - (x->value < y->value);
}

static int by_effect(const void *a, const void *b)
{
	const struct differ_row *x = a, *y = b;
	bool x_differs = x->verdict == DIFFER_DIFFERS, y_differs = y->verdict == DIFFER_DIFFERS;
	double x_effect = fabs(log(x->ratio)), y_effect = fabs(log(y->ratio));

	if (x_differs != y_differs)
		return y_differs - x_differs;
	if (isnan(x_effect) != isnan(y_effect))
		return isnan(x_effect) - isnan(y_effect);
	if (isnan(x_effect) || x_effect == y_effect)
		return x->quantity - y->quantity;
	return x_effect < y_effect ? 1 : -1;
}

/* The values of one quantity on one side. */
struct values {
	const struct compared_value **value;
	size_t count;
};

/* Copies the median of each run, or, if `trials` is true, the cycles of all trials of all runs. */
static size_t copy_values(
	const struct compared *compared, const struct values *from, bool trials, double **copy)
{
	size_t count = 0, at = 0;

	for (size_t i = 0; i < from->count; i++)
		count += trials ? from->value[i]->trials_count : 1;
	*copy = memory_new(count ? count : 1, sizeof(**copy));
	for (size_t i = 0; i < from->count; i++) {
		const struct compared_value *value = from->value[i];

		if (!trials)
			(*copy)[at++] = value->value;
		for (uint32_t k = 0; trials && k < value->trials_count; k++)
			(*copy)[at++] = (double)compared->trials[value->trials_first + k];
	}
	return count;
}

static double test(const struct compared *compared, const struct values *a, const struct values *b)
{
	bool trials = a->count < TEST_RUNS || b->count < TEST_RUNS;
	double *one, *other, chance;
	size_t count_a = copy_values(compared, a, trials, &one),
	       count_b = copy_values(compared, b, trials, &other);

	chance = trials && (count_a < TEST_TRIALS || count_b < TEST_TRIALS)
			 ? (double)NAN
			 : differences_mann_whitney(one, count_a, other, count_b);
	free(one);
	free(other);
	return chance;
}

/* Returns the smallest probability that the rank test of `a` runs against `b` runs can give. */
static double least_chance(int a, int b)
{
	return 2 * exp(lgamma(a + 1) + lgamma(b + 1) - lgamma(a + b + 1));
}

/* The range of the values of one side (A or B), widened by the error of few runs. */
struct range {
	double lo, hi;
};

/* Returns the range of a value, with room for the error of few runs. If `whole` is true, the range
 * contains the values of all runs, not only their quartiles. `few` is set if there are too few runs
 * for a test: then the range grows by its own width, times 3 / runs. */
static struct range range_of(const struct differ_value *value, bool shared, bool whole, bool few)
{
	struct range range = { value->lo, value->hi };
	double more = (shared ? run_shared : run_own) * value->value / value->runs;

	if (whole) {
		range.lo = fmin(range.lo, value->least);
		range.hi = fmax(range.hi, value->most);
	}
	if (shared)
		more += (range.hi - range.lo) * session_share;
	if (few && value->runs > 1)
		more += (range.hi - range.lo) * 3 / value->runs;
	return (struct range){ range.lo - more, range.hi + more };
}

/* Returns the largest change from A's to B's value, as a share of A's value, with which the ranges
 * of both values overlap. Other programs may change L3, memory and the clock for all runs of one
 * side, one after the other. So values of L3, memory and the clock differ only if all runs of A are
 * above, or below, all runs of B. */
static double room_of(
	const struct differ_value *a, const struct differ_value *b, bool shared, bool few)
{
	struct range one = range_of(a, shared, shared || few, few),
		     other = range_of(b, shared, shared || few, few);

	return (b->value > a->value ? one.hi - a->value + b->value - other.lo
				    : a->value - one.lo + other.hi - b->value) /
	       a->value;
}

/* Returns whether a value of one side (A or B) is doubtful: contended, uncertain with fewer than
 * TEST_RUNS runs, or missing in more than half of the side's probes. A probe measures some points
 * only if it needs them to find a knee, and may not find each level. */
static bool is_doubtful(const struct compared_quantity *quantity, const struct differ_value *value,
	const struct differ_facts *facts)
{
	bool rough = quantity->kind >= COMPARED_UNCERTAIN,
	     of_probe = rough || strncmp(quantity->subject, "level ", 6) == 0;

	if (value->contended || (value->runs < TEST_RUNS && rough))
		return true;
	return of_probe && 2 * (unsigned)value->runs < facts->probes;
}

/* Returns whether a value changes from run to run more than its quartiles in one run. The pages of
 * a run, the clock, the latencies of the core's own caches, and settings whose data fit these
 * caches do not. All other values do: they are from L3, memory or other cores, or a run measures
 * them in few places of memory, or once (sizes, buffers, classes of instructions, probed pressure).
 */
static bool is_changing(const struct compared_quantity *quantity)
{
	bool of_cache =
		strncmp(quantity->subject, "level ", 6) == 0 && !strstr(quantity->subject, "TLB");

	if (strcmp(quantity->field, "huge") == 0 || strcmp(quantity->field, "ghz") == 0)
		return false;
	return quantity->shared || !(strcmp(quantity->field, "cpe") == 0 ||
					   (of_cache && strcmp(quantity->field, "cycles") == 0));
}

static bool is_same_processor(const struct differ_pair *pair)
{
	return pair->a.model && pair->b.model && strcmp(pair->a.model, pair->b.model) == 0;
}

/* Returns whether the quantity is a condition of the measurement, such as the share of quiet
 * trials, which states how busy the core was. Conditions are judged alone, so they take no part in
 * the correction for many tests. */
static bool is_condition(const struct compared_quantity *quantity)
{
	return differ_condition(quantity, 1) > 0;
}

static enum differ_verdict judge_condition(double least, const struct differ_row *row)
{
	const struct differ_value *a = &row->a, *b = &row->b;

	if (fabs(a->value - b->value) < least || (a->lo <= b->hi && b->lo <= a->hi))
		return DIFFER_EQUAL;
	return a->runs >= TEST_RUNS && b->runs >= TEST_RUNS && row->chance <= chance_most
		       ? DIFFER_DIFFERS
		       : DIFFER_UNSURE;
}

/* Judges whether the values of one quantity differ between A and B, and sets row->room; row->chance
 * is already corrected for the number of tests. `tests` is the number of quantities that were
 * tested for this pair of hosts. */
static enum differ_verdict judge(const struct compared *compared, const struct differ_pair *pair,
	struct differ_row *row, int tests)
{
	const struct compared_quantity *quantity = &compared->quantity[row->quantity];
	/* With few runs, even values that are far apart cannot reach the probability that the
	 * corrected test requires. */
	bool few = least_chance(row->a.runs, row->b.runs) * tests > chance_most;

	if (is_condition(quantity))
		return judge_condition(
			differ_condition(quantity, fmin(row->a.value, row->b.value)), row);
	row->room = fmax(room_of(&row->a, &row->b, quantity->shared, few), effect_least);
	if (!(fabs(row->ratio - 1) > row->room))
		return DIFFER_EQUAL;
	/* Contention may be the cause: it slows the core, and makes caches look smaller. */
	if (row->a.contended || row->b.contended)
		return DIFFER_UNSURE;
	if (is_doubtful(quantity, &row->a, &pair->a) || is_doubtful(quantity, &row->b, &pair->b))
		return DIFFER_UNSURE;
	if (is_changing(quantity) && is_same_processor(pair) &&
		(row->a.runs < CHANGING_RUNS || row->b.runs < CHANGING_RUNS))
		return DIFFER_UNSURE;
	/* If there are too few runs for a test, the test of the trials decides; without trials, the
	 * ranges decide. */
	if (few && row->a.runs >= TEST_RUNS && row->b.runs >= TEST_RUNS)
		return DIFFER_DIFFERS;
	return isnan(row->chance) || row->chance <= chance_most ? DIFFER_DIFFERS : DIFFER_UNSURE;
}

/* Returns CAUSE_BEYOND, as a bit, if a side (B or A) is slower only in values of L3 and memory;
 * otherwise 0. */
static unsigned beyond_core(
	const struct compared *compared, const struct differ_pair *pair, bool of_b)
{
	bool any = false;

	for (int i = 0; i < pair->count; i++) {
		const struct differ_row *row = &pair->row[i];
		const struct compared_quantity *quantity = &compared->quantity[row->quantity];

		if (row->verdict != DIFFER_DIFFERS || is_condition(quantity) ||
			differ_is_slower(quantity, row->ratio) != of_b)
			continue;
		if (!quantity->shared)
			return 0;
		any = true;
	}
	return any ? 1u << CAUSE_BEYOND : 0;
}

/* Judges all quantities of one pair of hosts, with probabilities corrected for the number of tests.
 * Sorts the quantities by effect. */
static void finish_pair(const struct compared *compared, struct differ_pair *pair)
{
	size_t count = (size_t)pair->count;
	double *chance = memory_new(count ? count : 1, sizeof(*chance));
	int tests = 0;

	for (size_t i = 0; i < count; i++) {
		const struct differ_row *row = &pair->row[i];
		const struct compared_quantity *quantity = &compared->quantity[row->quantity];

		/* A quantity with too few runs to judge does not count as a test in the correction.
		 */
		chance[i] = is_condition(quantity) || is_doubtful(quantity, &row->a, &pair->a) ||
					    is_doubtful(quantity, &row->b, &pair->b)
				    ? (double)NAN
				    : row->chance;
		tests += !isnan(chance[i]);
	}
	differences_holm(chance, count);
	for (size_t i = 0; i < count; i++) {
		struct differ_row *row = &pair->row[i];
		const struct compared_quantity *quantity = &compared->quantity[row->quantity];

		row->chance = is_condition(quantity) ? row->chance : chance[i];
		if (row->a.runs && row->b.runs)
			row->verdict = judge(compared, pair, row, tests);
		pair->verdicts[row->verdict]++;
		pair->equal_conditions += row->verdict == DIFFER_EQUAL && is_condition(quantity);
		if (row->verdict != DIFFER_DIFFERS)
			continue;
		pair->a_causes |= differ_cause_of(quantity, 1 / row->ratio);
		pair->b_causes |= differ_cause_of(quantity, row->ratio);
	}
	free(chance);
	if (count > 1)
		qsort(pair->row, count, sizeof(*pair->row), by_effect);
	if (pair->verdicts[DIFFER_DIFFERS]) {
		/* With enough runs, the quantities on_cpu and busy were judged themselves. */
		unsigned judged = pair->a.runs >= TEST_RUNS && pair->b.runs >= TEST_RUNS
					  ? 1u << CAUSE_PREEMPTED | 1u << CAUSE_BUSY
					  : 0;

		pair->a_causes |= differ_causes(&pair->a, &pair->b) & ~judged;
		pair->b_causes |= differ_causes(&pair->b, &pair->a) & ~judged;
	}
	if (!pair->a_causes)
		pair->a_causes = beyond_core(compared, pair, false);
	if (!pair->b_causes)
		pair->b_causes = beyond_core(compared, pair, true);
}

/* Removes contended values if the other values are at least half of all, or enough for a test. */
static void drop_contended(struct values *side)
{
	size_t kept = 0;

	for (size_t i = 0; i < side->count; i++)
		kept += !side->value[i]->contended;
	if (2 * kept < side->count && kept < TEST_RUNS)
		return;
	kept = 0;
	for (size_t i = 0; i < side->count; i++)
		if (!side->value[i]->contended)
			side->value[kept++] = side->value[i];
	side->count = kept;
}

static void add_row(const struct compared *compared, struct differ_pair *pair, int quantity,
	struct values *side)
{
	struct differ_row row = { .quantity = quantity,
		.a = differ_reduce(side[0].value, side[0].count),
		.b = differ_reduce(side[1].value, side[1].count),
		.ratio = NAN,
		.room = NAN,
		.chance = NAN,
		.verdict = side[0].count ? DIFFER_ONLY_A : DIFFER_ONLY_B };

	if (side[0].count && side[1].count) {
		row.ratio = row.b.value / row.a.value;
		row.chance = test(compared, &side[0], &side[1]);
	}
	pair->row = memory_grow(pair->row, (size_t)pair->count, sizeof(*pair->row));
	pair->row[pair->count++] = row;
}

/* Adds one row for each quantity of each pair of hosts. The values in `placed` are sorted by pair
 * of hosts, quantity and side. */
static void add_rows(const struct compared *compared, struct differ_pairs *pairs,
	const struct placed *placed, size_t count)
{
	const struct compared_value **value = memory_new(count ? count : 1, sizeof(*value));

	for (size_t i = 0, end; i < count; i = end) {
		struct values side[2] = { { &value[i], 0 }, { NULL, 0 } };

		for (end = i; end < count && placed[end].pair == placed[i].pair &&
			      placed[end].quantity == placed[i].quantity;
			end++) {
			value[end] = placed[end].value;
			side[placed[end].side].count++;
		}
		side[1].value = &value[i + side[0].count];
		drop_contended(&side[0]);
		drop_contended(&side[1]);
		add_row(compared, &pairs->pair[placed[i].pair], placed[i].quantity, side);
	}
	free(value);
}

/* For each host, pair_of receives the index of its pair in the comparison of A and B; -1: the host
 * is left out. Returns the number of pairs.
 */
static int choose_pairs(const struct compared *compared, int *pair_of, int *left_out)
{
	int hosts = compared->hosts.count, count = 0;
	unsigned char *sides = memory_new((size_t)hosts + 1, sizeof(*sides));

	for (int i = 0; i < compared->sources.count; i++)
		sides[compared->source[i].host] |= (unsigned char)(1 << compared->source[i].side);
	for (int i = 0; i < hosts; i++)
		pair_of[i] = sides[i] == 3 ? count++ : -1;
	*left_out = count ? hosts - count : 0;
	for (int i = 0; i < hosts && !count; i++)
		pair_of[i] = 0;
	free(sides);
	return count;
}

struct differ_pairs differ_pairs(const struct compared *compared, int *left_out)
{
	size_t hosts = (size_t)compared->hosts.count, count = 0;
	int *pair_of = memory_new(hosts + 1, sizeof(*pair_of));
	int common = choose_pairs(compared, pair_of, left_out);
	struct differ_pairs pairs = { .count = common ? common : 1 };
	struct placed *placed = memory_new(compared->value_count + 1, sizeof(*placed));

	pairs.pair = memory_new((size_t)pairs.count, sizeof(*pairs.pair));
	pairs.pair[0].host = -1;
	for (int i = 0; i < compared->hosts.count && common; i++)
		if (pair_of[i] >= 0)
			pairs.pair[pair_of[i]].host = i;
	for (int i = 0; i < compared->sources.count; i++) {
		const struct compared_source *source = &compared->source[i];
		struct differ_pair *pair =
			pair_of[source->host] < 0 ? NULL : &pairs.pair[pair_of[source->host]];

		if (pair)
			differ_facts_add(source->side ? &pair->b : &pair->a, compared, i);
	}
	for (size_t i = 0; i < compared->value_count; i++) {
		const struct compared_value *value = &compared->value[i];
		const struct compared_source *source = &compared->source[value->source];

		if (pair_of[source->host] >= 0)
			placed[count++] = (struct placed){ pair_of[source->host], value->quantity,
				source->side, value };
	}
	qsort(placed, count, sizeof(*placed), by_place);
	add_rows(compared, &pairs, placed, count);
	free(placed);
	free(pair_of);
	for (int i = 0; i < pairs.count; i++) {
		differ_facts_mean(&pairs.pair[i].a);
		differ_facts_mean(&pairs.pair[i].b);
		finish_pair(compared, &pairs.pair[i]);
	}
	return pairs;
}

void differ_pairs_free(struct differ_pairs *pairs)
{
	for (int i = 0; i < pairs->count; i++)
		free(pairs->pair[i].row);
	free(pairs->pair);
	*pairs = (struct differ_pairs){ 0 };
}

double differ_pairs_most(const struct differ_pairs *pairs)
{
	double most = 0;

	for (int i = 0; i < pairs->count; i++)
		for (int k = 0; k < pairs->pair[i].verdicts[DIFFER_DIFFERS]; k++)
			most = fmax(most, fabs(pairs->pair[i].row[k].ratio - 1));
	return most;
}
