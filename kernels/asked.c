/* Lookups as hash-lookup and tree-lookup share them: see asked.h. */
#include "kernels/asked.h"

/* Lookups that verifying makes, or a few more. */
enum { VERIFIED = 1024 };

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void asked_lay(struct kernel_run *run, struct asked *asked, uint64_t lookups, bool whole)
{
	asked->batch = ASKED_BATCH / lookups * lookups;
	run->granule = lookups;
	run->period = lookups;
	run->ring = ASKED_WHOLE / (2 * lookups) * 2 * lookups;
	run->complete = whole;
	run->position = 0;
}

uint64_t asked_next(
	struct kernel_run *run, const struct asked *asked, uint64_t *keys, uint64_t *left)
{
	uint64_t from = run->position, count = least(least(*left, asked->batch), run->ring - from);
	const struct asked own = *asked; /* which keys cannot be written over */

	if (count == 0 || (run->complete && !kernel_goes_on(run, from + count, run->ring)))
		return 0;
	asked_fill(&own, from, keys, count);
	run->position = from + count < run->ring ? from + count : 0;
	*left -= count;
	return count;
}

void asked_begin_at(struct kernel_run *run, double share)
{
	uint64_t turns = run->ring / run->granule, at = (uint64_t)(share * (double)turns);

	run->position = at % turns * run->granule;
}

static uint64_t expected(const struct kernel_run *run, const struct asked *asked, uint64_t from,
	uint64_t count, const struct asked_sum *sum)
{
	uint64_t found = 0, places = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t key = asked_key(asked, (from + i) % run->ring);

		if (asked_is_there(key)) {
			found++;
			places += sum->value(sum->in, asked_rank(key));
		}
	}
	return asked_result(found, places);
}

static struct status compare(
	const struct kernel_run *run, uint64_t count, uint64_t want, const struct asked_sum *sum)
{
	if (run->result == want)
		return status_ok();
	return status_failed(
		"%s found %llu of %llu keys, and %s that add up to %llu; right are %llu and %llu",
		run->kernel->name, (unsigned long long)asked_found(run->result),
		(unsigned long long)count, sum->of, (unsigned long long)asked_places(run->result),
		(unsigned long long)asked_found(want), (unsigned long long)asked_places(want));
}

/* Round the ring's end, so that lookups of the first trials are in no cache yet. */
uint64_t asked_verified(const struct kernel_run *run, uint64_t *from)
{
	*from = run->ring - run->granule * (VERIFIED / 2 / run->granule);
	return (VERIFIED / run->granule + 1) * run->granule;
}

struct status asked_verify(
	struct kernel_run *run, const struct asked *asked, const struct asked_sum *sum)
{
	uint64_t from, count = asked_verified(run, &from);
	bool complete = run->complete;

	run->position = from;
	run->complete = false;
	run->kernel->call(run, count);
	run->complete = complete;
	run->position = 0;
	return compare(run, count, expected(run, asked, from, count, sum), sum);
}

struct status asked_proof(
	struct kernel_run *run, const struct asked *asked, const struct asked_sum *sum)
{
	return compare(run, run->ring, expected(run, asked, 0, run->ring, sum), sum);
}
