#include "model/block.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Of loops with a few more turns than this the end is mispredicted each time, which blocks that the pages keep small anyway pay dearly: measured
 * on Redwood Cove, blocks of 40 and 48 took 25 to 30 % longer than those of 32, going down two columns. */
enum { TURNS_PREDICTED = 32 };

/* Of blocks that the pages keep small anyway, so many times smaller ones cost less than what they save, each element from the cache before: the
 * ends of lines come that much more often. */
#define LITTLE_LESS 1.5

/* Rows begin and sums end in step when N is a multiple of this; of smaller blocks it would take too much. */
enum { STEP = 8, STEP_FROM = 32 };

int64_t block_fits(double bytes, int blocks, int element_bytes)
{
	if (!(bytes > 0) || blocks < 1 || element_bytes < 1)
		return 0;
	/* A square that is exact may come out a little low. */
	return (int64_t)floor(sqrt(bytes / blocks / element_bytes) + 1e-9);
}

static bool known(double value)
{
	return isfinite(value) && value > 0;
}

/* Latency behind a level divided by its own; NAN: one of them is not known. */
static double climb_after(const struct block_question *question, int level)
{
	double own = question->level[level].latency;
	double next = level + 1 < question->level_count ? question->level[level + 1].latency : (double)NAN;

	return known(own) && known(next) ? next / own : (double)NAN;
}

/* The level that blocks are fitted to; -1: none. Where not all climbs are known, the last of the core's own. */
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

/* The first level up to the one behind that whose latency nobody knows; NULL: all are known. */
static const char *first_unknown(const struct block_question *question, int level)
{
	for (int i = 0; i <= level + 1 && i < question->level_count; i++)
		if (!known(question->level[i].latency))
			return question->level[i].name;
	return NULL;
}

/* What the level before holds of one block alone; 0: there is none. */
static int64_t near(const struct block_question *question, int level)
{
	return level > 0 ? block_fits(question->level[level - 1].bytes, 1, question->bytes) : 0;
}

static void add(struct block_advice *advice, const char *words)
{
	size_t used = strlen(advice->why);

	snprintf(advice->why + used, sizeof(advice->why) - used, "%s", words);
}

static void explain(const struct block_question *question, bool by_climb, struct block_advice *advice)
{
	static const char *const counts[] = { "", "one block", "two blocks", "three blocks", "four blocks" };
	const struct block_level *level = &question->level[advice->level];
	const struct block_level *next = advice->level + 1 < question->level_count ? level + 1 : NULL;
	char size[32], words[160];

	units_bytes_long((int64_t)level->bytes, size, sizeof(size));
	snprintf(advice->why, sizeof(advice->why), "%s of %lld x %lld %d-byte elements fit %s (%s)",
		question->blocks < 5 ? counts[question->blocks] : "the blocks", (long long)advice->fits, (long long)advice->fits, question->bytes,
		level->name, size);
	if (by_climb && next)
		snprintf(words, sizeof(words), ", behind which the latency climbs most, from %.3g to %.3g cycles%s", level->latency, next->latency,
			next->measured ? " as measured" : "");
	else if (first_unknown(question, advice->level))
		snprintf(words, sizeof(words), ", the core's last own cache; the latency of %s is not known here", first_unknown(question, advice->level));
	else
		snprintf(words, sizeof(words), ", the core's last own cache");
	add(advice, words);
	switch (advice->by) {
	case BLOCK_PAGES:
	case BLOCK_TURNS:
	case BLOCK_NEAR:
		snprintf(words, sizeof(words), "; but each row takes %.3g page%s of the first TLB, which holds %.0f%s", question->pages,
			 question->pages > 1 ? "s" : "", question->entries, question->pages_assumed ? " (assumed)" : "");
		break;
	case BLOCK_WINDOW:
		snprintf(words, sizeof(words), "; but only %.0f elements of a sum are under way at once, and shorter sums overlap",
			floor(question->window));
		break;
	case BLOCK_MOST:
		snprintf(words, sizeof(words), "; the whole matrices fit it too");
		break;
	default:
		return;
	}
	add(advice, words);
	if (advice->by == BLOCK_TURNS)
		add(advice, "; and of a little over 32 turns a loop's end is mispredicted");
	if (advice->by == BLOCK_NEAR) {
		units_bytes_long((int64_t)level[-1].bytes, size, sizeof(size));
		snprintf(words, sizeof(words), "; and of little less, %lld x %lld, one block fits %s (%s)", (long long)near(question, advice->level),
			(long long)near(question, advice->level), level[-1].name, size);
		add(advice, words);
	}
}

/* A smaller bound takes over; what stays is a whole number of steps. */
static void bound(struct block_advice *advice, enum block_bound by, double most)
{
	if (!known(most) || most >= (double)advice->n)
		return;
	advice->n = (int64_t)floor(most);
	advice->by = by;
}

void block_advise(const struct block_question *question, struct block_advice *advice)
{
	double turns = TURNS_PREDICTED * (question->turn > 0 ? question->turn : 1);
	bool by_climb;

	*advice = (struct block_advice){ .level = choose(question, &by_climb), .climb = NAN };
	if (advice->level < 0)
		return;
	advice->climb = climb_after(question, advice->level);
	advice->fits = advice->n = block_fits(question->level[advice->level].bytes, question->blocks, question->bytes);
	if (question->pages > 0)
		bound(advice, BLOCK_PAGES, question->entries / question->pages);
	if (advice->by == BLOCK_PAGES && (double)advice->n < 2 * turns)
		bound(advice, BLOCK_TURNS, turns);
	if (advice->by == BLOCK_PAGES && LITTLE_LESS * (double)near(question, advice->level) > (double)advice->n)
		bound(advice, BLOCK_NEAR, (double)near(question, advice->level));
	bound(advice, BLOCK_WINDOW, question->window);
	if (advice->n >= STEP_FROM)
		advice->n -= advice->n % STEP;
	if (advice->n >= question->most) {
		advice->n = question->most;
		advice->by = BLOCK_MOST;
	}
	if (advice->n < question->least)
		advice->n = question->least;
	explain(question, by_climb, advice);
}
