#include "model/limits/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/limits/tally.h"

/* Highest first; equal ones (rounding aside) hard before soft and by rank; unknown ones last. */
static int compare(const void *a, const void *b)
{
	const struct limit *x = a, *y = b;
	double difference = rint(y->cycles * 1e6) - rint(x->cycles * 1e6);

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && difference != 0)
		return difference > 0 ? 1 : -1;
	if (limit_rank(x->kind) != limit_rank(y->kind))
		return limit_rank(x->kind) - limit_rank(y->kind);
	return (int)x->kind - (int)y->kind;
}

/* Of equal limits the loop's own branch and counter are named last: every loop has them. */
static void step_back(struct limits *limits, enum limit_kind kind)
{
	for (int i = 0; i + 1 < limits->limit_count; i++) {
		const struct limit next = limits->limit[i + 1];

		if (limits->limit[i].kind != kind || !next.known || !next.hard ||
			rint(next.cycles * 1e6) < rint(limits->limit[i].cycles * 1e6))
			continue;
		limits->limit[i + 1] = limits->limit[i];
		limits->limit[i] = next;
	}
}

/* The highest hard limit so far. */
static double bound_of(const struct limits *limits)
{
	double bound = 0;

	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].known && limits->limit[i].hard)
			bound = fmax(bound, limits->limit[i].cycles);
	return bound;
}

void limits_reserve(struct limits *limits, int insns)
{
	if (insns <= limits->insn_room)
		return;
	limits->insn = memory_resize(limits->insn, (size_t)insns, sizeof(*limits->insn));
	memset(limits->insn + limits->insn_room, 0,
		(size_t)(insns - limits->insn_room) * sizeof(*limits->insn));
	limits->insn_room = insns;
}

void limits_free(struct limits *limits)
{
	free(limits->insn);
	limits->insn = NULL;
	limits->insn_room = limits->insn_count = 0;
}

void limits_clear(struct limits *limits)
{
	struct limits kept = { .insn = limits->insn,
		.insn_room = limits->insn_room,
		.binding = -1,
		.predicted_by = -1 };

	if (kept.insn)
		memset(kept.insn, 0, (size_t)limits->insn_count * sizeof(*kept.insn));
	*limits = kept;
}

void limits_compute(const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits)
{
	struct tally tally;

	limits_clear(limits);
	limits_reserve(limits, loop->insn_count);
	limits->uarch = uarch;
	tally_begin(&tally, loop, uarch, place, limits);
	limits->turns = tally.turns;
	limits->elements = tally.elements;
	limits->instructions = loop->path_count;
	limits->mispredicts = place->mispredicts >= 0 ? place->mispredicts : (double)NAN;
	limits_throughput(&tally);
	limits_ports(&tally);
	limits_chain(&tally);
	limits_memory(&tally);
	tally.bound = bound_of(limits);
	limits_soft(&tally);
	qsort(limits->limit, (size_t)limits->limit_count, sizeof(*limits->limit), compare);
	if (tally.taken <= tally.turns)
		step_back(limits, LIMIT_TAKEN);
	if (limits->chain.counts)
		step_back(limits, LIMIT_LATENCY);
	for (int i = limits->limit_count - 1; i >= 0; i--) {
		if (!limits->limit[i].known)
			continue;
		limits->predicted = limits->limit[i].cpe;
		limits->predicted_by = i;
		if (limits->limit[i].hard) {
			limits->binding = i;
			limits->bound = limits->limit[i].cpe;
		}
	}
	tally_end(&tally);
}
