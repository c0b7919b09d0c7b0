/* Lookups of keys, shared by the kernels hash-lookup and tree-lookup: see asked.h. */
#include "kernels/asked.h"

/* Minimum number of lookups that the check makes. */
enum { VERIFIED = 1024 };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void asked_prepare(struct kernel_run *run, const struct asked_kind *kind, uint64_t keys,
	int64_t percent, int64_t at_once, bool whole)
{
	struct asked *asked = (struct asked *)(void *)run->kept;
	uint64_t lookups = (uint64_t)at_once;

	*asked = asked_make(run->seed, keys, percent);
	asked->batch = ASKED_BATCH / lookups * lookups;
	asked->kind = kind;
	run->granule = lookups;
	run->period = lookups;
	run->ring = ASKED_WHOLE / (2 * lookups) * 2 * lookups;
	run->complete = whole;
	run->position = 0;
}

uint64_t asked_next(struct kernel_run *run, uint64_t *keys, uint64_t *left)
{
	const struct asked asked =
		*asked_of(run); /* `asked` is a local copy, because the compiler then knows that
				   stores to keys[] do not change `asked`. */
	uint64_t from = run->position, count = least(least(*left, asked.batch), run->ring - from);

	if (count == 0 || (run->complete && !kernel_goes_on(run, from + count, run->ring)))
		return 0;
	asked_fill(&asked, from, keys, count);
	run->position = from + count < run->ring ? from + count : 0;
	*left -= count;
	return count;
}

void asked_begin_at(struct kernel_run *run, double share)
{
	uint64_t turns = run->ring / run->granule, at = (uint64_t)(share * (double)turns);

	run->position = at % turns * run->granule;
}

/* Checks run->result after `count` lookups that began at lookup number `from`. */
static struct status check_result(const struct kernel_run *run, uint64_t from, uint64_t count)
{
	const struct asked *asked = asked_of(run);
	uint64_t found = 0, sum = 0, right;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = asked_key(asked, (from + i) % run->ring);

		if (asked_is_there(key)) {
			found++;
			sum += asked->kind->value(run, asked_rank(key));
		}
	}
	right = asked_result(found, sum);
	if (run->result == right)
		return status_ok();
	return status_failed(
		"%s found %llu of %llu keys, and %s with the sum %llu; expected %llu and %llu",
		run->kernel->name, (unsigned long long)asked_found(run->result),
		(unsigned long long)count, asked->kind->adds,
		(unsigned long long)asked_places(run->result),
		(unsigned long long)asked_found(right), (unsigned long long)asked_places(right));
}

/* Checks lookups that start near the last lookup number and continue with the first one. Because
 * the check starts near the last lookup, the caches do not yet hold the data that the first trials
 * load. */
struct status asked_verify(struct kernel_run *run)
{
	const struct asked *asked = asked_of(run);
	uint64_t from = run->ring - run->granule * (VERIFIED / 2 / run->granule),
		 count = (VERIFIED / run->granule + 1) * run->granule;
	bool complete = run->complete;

	for (uint64_t i = 0; i < count; i++)
		if (!asked->kind->ends(run, asked_key(asked, (from + i) % run->ring)))
			return status_failed(
				"%s: a search left the memory of its data, or did not end",
				run->kernel->name);
	run->position = from;
	run->complete = false;
	run->kernel->call(run, count);
	run->complete = complete;
	return check_result(run, from, count);
}

struct status asked_proof(struct kernel_run *run)
{
	return check_result(run, 0, run->ring);
}
