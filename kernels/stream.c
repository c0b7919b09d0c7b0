/* Calls and checks the loops of kernels that stream through an array: see stream.h. */
#include "kernels/stream.h"

#include <string.h>

/* VALUE: the byte that loops write. MARK: the byte that the check writes between the places that a
 * strided loop accesses. Loops must not overwrite these gaps. */
enum { VALUE = 0x5a, MARK = 0x33 };

/* Number of iterations that the check examines. */
enum { VERIFIED = 48 };

static inline void walk_on(struct kernel_run *run, uint64_t elements, struct stream_walk *walk)
{
	const struct stream_plan *plan = stream_plan(run);

	walk->a = run->memory;
	walk->b = run->memory + plan->part + plan->gap;
	walk->stride = plan->library ? plan->turn : plan->distance;
	walk->turns = elements / run->granule;
	walk->at = run->position;
	walk->last = (run->ring / run->granule - 1) * plan->turn;
	memset(walk->value, VALUE, sizeof(walk->value));
	((stream_loop *)run->code.start)(walk);
	run->position = walk->at;
}

void stream_call(struct kernel_run *run, uint64_t elements)
{
	struct stream_walk walk;

	walk_on(run, elements, &walk);
}

void stream_begin_at(struct kernel_run *run, double share)
{
	uint64_t turns = run->ring / run->granule;

	run->position = (uint64_t)(share * (double)turns) % turns * stream_plan(run)->turn;
}

/* ---- The check */

static struct status wrong(const struct kernel_run *run, const char *what, uint64_t place)
{
	int op = kernel_knob(run->kernel, "op");

	return status_failed("%s op=%s %s at place number %llu of the array", run->kernel->name,
		run->kernel->knobs[op].choices[run->v[op]], what, (unsigned long long)place);
}

/* Fills the words of the array that contain `count` bytes from `offset` on. */
static void lay_words(struct kernel_run *run, uint64_t offset, uint64_t count)
{
	for (uint64_t i = offset / 8; i < (offset + count + 7) / 8; i++)
		((uint64_t *)(void *)run->memory)[i] = stream_word(run->seed, i);
}

/* Returns whether the `count` bytes at `bytes` equal the data of the array at `offset`. */
static bool holds(
	const struct kernel_run *run, const unsigned char *bytes, uint64_t offset, uint64_t count)
{
	/* The narrowest access has 4 bytes, which are half of a word. */
	for (uint64_t i = 0; i < count; i += 4) {
		uint64_t word = stream_word(run->seed, (offset + i) / 8);

		if (memcmp(bytes + i, (const unsigned char *)&word + (offset + i) % 8, 4) != 0)
			return false;
	}
	return true;
}

/* Checks a loop that only reads. Each call makes one iteration, because the loop keeps only the
 * last loaded values. If the array is short, the check continues at the start of the array after
 * its end. */
static struct status verify_reads(struct kernel_run *run, const struct stream_plan *plan)
{
	uint64_t ring = run->ring / STREAM_UNROLL,
		 turns = ring < VERIFIED ? ring + ring / 2 : VERIFIED;
	/* For accesses of 8 bytes or less, only the second half of walk.found[] is valid. */
	uint64_t first = plan->width <= 8 ? STREAM_UNROLL / 2 : 0;
	struct stream_walk walk;

	for (uint64_t turn = 0; turn < turns; turn++) {
		uint64_t place = turn % ring * STREAM_UNROLL, offset = place * plan->distance;

		for (uint64_t k = 0; plan->writes && k < STREAM_UNROLL; k++)
			lay_words(run, offset + k * plan->distance, plan->width);
		memset(walk.found, 0, sizeof(walk.found));
		walk_on(run, STREAM_UNROLL, &walk);
		for (uint64_t k = 0; k < STREAM_UNROLL; k++, place++, offset += plan->distance) {
			if (k >= first && !holds(run, walk.found[k], offset, plan->width))
				return wrong(run, "read a wrong value", place);
			if (!plan->writes && !holds(run, run->memory + offset, offset, plan->width))
				return wrong(run, "wrote instead of reading", place);
		}
	}
	return status_ok();
}

/* Checks a loop that writes. After a call, each place that the loop writes must hold the right
 * value, and the gaps between these places must still hold MARK. */
static struct status verify_writes(struct kernel_run *run, const struct stream_plan *plan)
{
	uint64_t turns = run->ring / run->granule, count, width = plan->width;
	unsigned char *array = run->memory + (plan->copies ? plan->part + plan->gap : 0);
	unsigned char written[STREAM_WIDEST], marks[4];

	/* One block of the C library is long, so the check makes one iteration. */
	turns = plan->library ? 1 : turns < VERIFIED ? turns : VERIFIED;
	count = turns * run->granule;
	memset(written, plan->library ? 0 : VALUE, sizeof(written));
	memset(marks, MARK, sizeof(marks));
	if (plan->copies)
		lay_words(run, 0, turns * plan->turn);
	memset(array, MARK, turns * plan->turn);
	stream_call(run, count);
	for (uint64_t place = 0; place < count; place++) {
		uint64_t offset = place * plan->distance;
		const unsigned char *bytes = array + offset;

		if (plan->copies ? !holds(run, bytes, offset, width)
				 : memcmp(bytes, written, width) != 0)
			return wrong(run, "left a wrong value", place);
		for (uint64_t gap = width; gap < plan->distance; gap += 4)
			if (memcmp(bytes + gap, marks, sizeof(marks)) != 0)
				return wrong(run, "wrote too much", place);
	}
	return status_ok();
}

struct status stream_verify(struct kernel_run *run)
{
	const struct stream_plan *plan = stream_plan(run);
	struct status status = status_ok();

	if (plan->reads && !plan->copies)
		status = verify_reads(run, plan);
	kernel_rewind(run);
	if (status_is_ok(&status) && plan->writes)
		status = verify_writes(run, plan);
	return status;
}
