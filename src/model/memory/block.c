#include "model/memory/block.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/units.h"

/* If a loop has slightly more than TURNS_PREDICTED iterations, the end of the loop is mispredicted
 * each time. On Redwood Cove, with a loop down two columns, blocks of 40 and 48 needed 25 to 30 %
 * more time than blocks of 32. */
enum { TURNS_PREDICTED = 32 };

/* LINE_ENDS is the number of additional cycles at the end of each line of a block (one run of the
 * innermost loop). The additional cycles are caused by the last additions of a sum, and the first
 * loads of the next line. On Redwood Cove, 5 to 17 additional cycles at the end of each line of a
 * block were measured, sometimes up to 40. MISPREDICT_ASSUMED is the cost of a misprediction in
 * cycles, if the core's file has no value. */
#define LINE_ENDS	   14.0
#define MISPREDICT_ASSUMED 20.0

/* The share of a cache that one block may use. If a block of the matrix is not larger than this
 * share, it stays in the cache while lines of the other matrices pass through. If a block filled
 * more than NEAR_SHARE of L1, each step of the loop needed up to a fifth more time. */
#define NEAR_SHARE 0.6

/* The share of the out-of-order window that a line of a block may use, so that enough of the next
 * line is in flight. Lines of a block that filled the whole window needed 6 to 21 % more time than
 * lines of the best size. Lines of a block that filled WINDOW_SHARE of the window needed 0 to 9 %
 * more time. */
#define WINDOW_SHARE 0.75

enum { LINE = 64 };

/* If N is a multiple of STEP, rows begin on the same boundary and sums need no remainder. If N is
 * below STEP_FROM, N is not rounded, because the block would lose too much of its size. */
enum { STEP = 8, STEP_FROM = 32 };

int64_t block_fits(double bytes, int blocks, int element_bytes)
{
	if (!(bytes > 0) || blocks < 1 || element_bytes < 1)
		return 0;
	/* The computed square root may be slightly too low even for the exact square of a whole
	 * number. */
	return (int64_t)floor(sqrt(bytes / blocks / element_bytes) + 1e-9);
}

static bool known(double value)
{
	return isfinite(value) && value > 0;
}

/* Returns the latency of the next level divided by the latency of `level`. Returns NAN if the
 * latency of one of the two levels is unknown. */
static double climb_after(const struct block_question *question, int level)
{
	double own = question->level[level].latency;
	double next = level + 1 < question->level_count ? question->level[level + 1].latency
							: (double)NAN;

	return known(own) && known(next) ? next / own : (double)NAN;
}

/* Returns the cache level whose size decides the size of blocks. Returns -1 if no cache size is
 * known. If a ratio of latencies is unknown, the result is the last cache level that belongs to the
 * core alone. */
static int choose(const struct block_question *question, bool *by_climb)
{
	int best = -1, last = -1;

	*by_climb = true;
	for (int i = 0; i < question->level_count; i++) {
		const struct block_level *level = &question->level[i];

		if (!known(level->bytes) || level->shared)
			continue;
		last = i;
		if (isnan(climb_after(question, i)))
			*by_climb = false;
		else if (best < 0 || climb_after(question, i) > climb_after(question, best))
			best = i;
	}
	return *by_climb ? best : last;
}

/* Rounds n down to a multiple of STEP. A block size below STEP_FROM is not rounded. */
static int64_t stepped(int64_t n)
{
	return n >= STEP_FROM ? n - n % STEP : n;
}

static double turns_predicted(const struct block_question *question)
{
	return TURNS_PREDICTED * (question->turn > 0 ? question->turn : 1);
}

/* Returns the overhead of a block of n rows, in cycles per element. The overhead consists of the
 * ends of lines, and of loads from `level` if the previous level cannot hold the block. Returns NAN
 * if the bandwidth of the cache level is unknown. */
static double cost_of(const struct block_question *question, int level, int64_t n)
{
	double mispredict = known(question->mispredict) ? question->mispredict : MISPREDICT_ASSUMED;
	double ends =
		(LINE_ENDS + ((double)n > turns_predicted(question) ? mispredict : 0)) / (double)n;

	if ((double)(n * n * question->bytes) <= NEAR_SHARE * question->level[level - 1].bytes)
		return ends;
	return known(question->level[level].lines)
		       ? ends + question->bytes / (LINE * question->level[level].lines)
		       : (double)NAN;
}

/* Returns the block size that fits a share of the next faster cache level, if its overhead is
 * smaller than that of size n. Returns 0 if that smaller block has no smaller overhead, or is not
 * possible. */
static int64_t nearer(const struct block_question *question, int level, int64_t n)
{
	int64_t near = level > 0 ? stepped(block_fits(NEAR_SHARE * question->level[level - 1].bytes,
					   1, question->bytes))
				 : 0;

	if (question->meet || near < 1 || near >= n || near < question->least ||
		(double)near * question->pages > question->entries)
		return 0;
	return cost_of(question, level, near) < cost_of(question, level, n) ? near : 0;
}

/* Adds how many pages of the first TLB a row of a block takes. */
static void add_pages(const struct block_question *question, struct text *why)
{
	text_addf(why, "each row takes %.3g page%s of the first TLB, which holds %.0f%s",
		question->pages, question->pages > 1 ? "s" : "", question->entries,
		question->pages_assumed ? " (assumed)" : "");
}

static void explain(
	const struct block_question *question, bool by_climb, struct block_advice *advice)
{
	static const char *const counts[] = { "", "one block", "two blocks", "three blocks",
		"four blocks" };
	const struct block_level *level = &question->level[advice->level];
	const struct block_level *next =
		advice->level + 1 < question->level_count ? level + 1 : NULL;
	struct text why = { 0 };
	int unknown = 0; /* index of the first cache level with unknown latency */

	while (unknown < question->level_count && known(question->level[unknown].latency))
		unknown++;
	/* The text begins with the limit that decides the advised block size, because narrow
	 * screens show only the text's beginning. */
	if (advice->by == BLOCK_WINDOW)
		text_addf(&why,
			"the core works on only %.0f elements of a sum at once, and shorter sums "
			"overlap; ",
			floor(question->window));
	if (advice->by == BLOCK_NEAR)
		text_addf(&why,
			"one block of %lld x %lld stays in %s (%s), which saves more than the "
			"ends of shorter lines cost; ",
			(long long)advice->n, (long long)advice->n, level[-1].name,
			units_size_long((int64_t)level[-1].bytes).text);
	if (advice->by == BLOCK_PAGES) {
		add_pages(question, &why);
		text_add(&why, "; ");
	}
	text_addf(&why, "%s of %lld x %lld %d-byte elements fit %s (%s)",
		question->blocks < 5 ? counts[question->blocks] : "the blocks",
		(long long)advice->fits, (long long)advice->fits, question->bytes, level->name,
		units_size_long((int64_t)level->bytes).text);
	if (by_climb && next)
		text_addf(&why, ", after which latency rises most, from %.3g to %.3g cycles%s",
			level->latency, next->latency, next->measured ? " as measured" : "");
	else
		text_add(&why, ", the core's last own cache");
	if (!(by_climb && next) && unknown <= advice->level + 1 && unknown < question->level_count)
		text_addf(&why, "; the latency of %s is not known here",
			question->level[unknown].name);
	if (advice->paged && advice->by != BLOCK_PAGES) {
		text_add(&why, "; but ");
		add_pages(question, &why);
	}
	if (advice->by == BLOCK_TURNS)
		text_add(
			&why, "; and the end of a loop of just over 32 iterations is mispredicted");
	if (advice->by == BLOCK_MOST)
		text_add(&why, "; the whole matrices fit it too");
	snprintf(advice->why, sizeof(advice->why), "%s", text_string(&why));
	text_free(&why);
}

/* Reduces the block size N to `most` if it is larger, and stores the reason `by`. */
static void bound(struct block_advice *advice, enum block_bound by, double most)
{
	if (!known(most) || most >= (double)advice->n)
		return;
	advice->n = (int64_t)floor(most);
	advice->by = by;
}

void block_advise(const struct block_question *question, struct block_advice *advice)
{
	bool by_climb;
	int64_t near;

	*advice = (struct block_advice){ .level = choose(question, &by_climb) };
	if (advice->level < 0)
		return;
	advice->fits = advice->n =
		block_fits(question->level[advice->level].bytes, question->blocks, question->bytes);
	/* If the sums of the matrix multiplication wait for each other, the first inputs of each
	 * sum must be available, so the pages of all rows count. */
	if ((question->down || known(question->window)) && question->pages > 0)
		bound(advice, BLOCK_PAGES, question->entries / question->pages);
	advice->paged = advice->by == BLOCK_PAGES;
	if (advice->paged && (double)advice->n < 2 * turns_predicted(question))
		bound(advice, BLOCK_TURNS, turns_predicted(question));
	near = nearer(question, advice->level, stepped(advice->n));
	if (near > 0)
		bound(advice, BLOCK_NEAR, (double)near);
	bound(advice, BLOCK_WINDOW, WINDOW_SHARE * question->window);
	advice->n = stepped(advice->n);
	if (advice->n >= question->most) {
		advice->n = question->most;
		advice->by = BLOCK_MOST;
	}
	if (advice->n < question->least)
		advice->n = question->least;
	explain(question, by_climb, advice);
}
