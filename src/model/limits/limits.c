#include "model/limits/limits_tally.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Every limit. Of two that are equal the one of lower rank is named first: the more particular one,
 * which tells more. */
static const struct row {
	const char *name, *title, *remedy;
	int rank;
} rows[] = {
	[LIMIT_WIDTH] = { "width", "pipeline width",
		"Do the same with fewer instructions: unroll, fold loads into operations, drop "
		"moves, use vectors.",
		12 },
	[LIMIT_PORTS] = { "ports", "port pressure",
		"Use operations that run on other ports, or fewer of those that share the crowded "
		"ones.",
		11 },
	[LIMIT_DIVIDER] = { "divider", "divider",
		"Divide less: multiply by a reciprocal computed once, or divide narrower numbers.",
		3 },
	[LIMIT_LOADS] = { "loads", "load throughput",
		"Load less often: keep values in registers, or fetch several at once with one "
		"wider load.",
		6 },
	[LIMIT_VECTOR_LOADS] = { "vector-loads", "vector load throughput",
		"Do more with each vector that is loaded: keep it in a register and reuse it.", 5 },
	[LIMIT_STORES] = { "stores", "store throughput",
		"Store less often: keep results in registers, or write several at once with one "
		"wider store.",
		7 },
	[LIMIT_ADDRESSES] = { "addresses", "address generation",
		"Fewer memory accesses: combine neighbouring ones, or keep values in registers.",
		9 },
	[LIMIT_COMPLEX] = { "complex-addressing", "complex addressing",
		"Address stores by one register and a small constant: move the pointer, not an "
		"index.",
		8 },
	[LIMIT_SPLITS] = { "split-lines", "split cache lines",
		"Align the data, so that no access crosses the end of a 64-byte line.", 4 },
	[LIMIT_BANKS] = { "bank-conflicts", "bank conflicts",
		"Spread loads over different places of their lines: pad rows, so that their "
		"distance is no multiple of 64 bytes.",
		4 },
	[LIMIT_STORE_LINES] = { "store-lines", "lines stored to",
		"Store to one line after the other: neighbouring stores to the same line go "
		"together.",
		5 },
	[LIMIT_TAKEN] = { "taken-branches", "taken branches",
		"Jump less: unroll the loop, and let the likely way fall through.", 10 },
	[LIMIT_LATENCY] = { "latency", "loop-carried latency",
		"Break the chain: use more accumulators, or an operation of lower latency.", 2 },
	[LIMIT_MEMORY_LATENCY] = { "memory-latency", "memory latency",
		"Make the data smaller or put it in the order of use; walk several chains at the "
		"same time.",
		0 },
	[LIMIT_MEMORY_LINES] = { "memory-lines", "memory bandwidth",
		"Touch fewer cache lines: pack the data, use all of a line, work in blocks that "
		"fit a cache.",
		1 },
	[LIMIT_MISSES] = { "misses-in-flight", "misses in flight",
		"Put loads that miss closer together, with fewer instructions between, or prefetch "
		"ahead.",
		1 },
	[LIMIT_ALIGNMENT] = { "alignment", "code alignment",
		"Align the loop's start to 64 bytes, or make it shorter.", 20 },
	[LIMIT_OPCACHE] = { "op-cache", "op cache",
		"Unroll less: a loop that fits the op cache need not be decoded again.", 20 },
	[LIMIT_DECODE] = { "decode", "instruction decoding",
		"Use shorter instructions: small constants, low registers, no needless prefixes.",
		20 },
	[LIMIT_SCHEDULING] = { "scheduling", "port conflicts",
		"Fewer operations that may only go to the crowded ports, or unroll, so that a bad "
		"choice of port matters less.",
		20 },
	[LIMIT_SATURATION] = { "alu-saturation", "integer unit saturation",
		"Fewer single-cycle operations beside the loads: unroll, or use vectors.", 20 },
	[LIMIT_MISPREDICTION] = { "misprediction", "branch misprediction",
		"Compute both ways and select (conditional move), or sort the data so that "
		"branches repeat.",
		20 },
	[LIMIT_FORWARDING] = { "forwarding", "store forwarding",
		"Keep the value in a register instead of storing it and loading it again.", 20 },
	[LIMIT_PAGE_WALKS] = { "page-walks", "page table walks",
		"Use huge pages, or work on fewer pages at a time.", 20 },
	[LIMIT_ALIASING] = { "4k-aliasing", "4 KiB aliasing",
		"Shift one of the arrays, so that loads do not follow stores at a multiple of 4 "
		"KiB.",
		20 },
	[LIMIT_UNLAMINATION] = { "un-lamination", "split micro-ops",
		"Address by a pointer alone: with an index, an operation and its load count as "
		"two.",
		20 },
	[LIMIT_WINDOW] = { "window", "out-of-order window",
		"Between loads that miss, take less of what is full; put these loads together, or "
		"prefetch ahead.",
		20 },
};
_Static_assert(sizeof(rows) / sizeof(*rows) == LIMIT_COUNT, "a limit without a row");

const char *limit_name(enum limit_kind kind)
{
	return rows[kind].name;
}

const char *limit_title(enum limit_kind kind)
{
	return rows[kind].title;
}

const char *limit_remedy(enum limit_kind kind)
{
	return rows[kind].remedy;
}

enum limit_kind limit_find(const char *name)
{
	int kind = 0;

	while (kind < LIMIT_COUNT && strcmp(rows[kind].name, name) != 0)
		kind++;
	return (enum limit_kind)kind;
}

/* ---- Noting limits */

/* The entry of that kind: the one there is, or a new one. */
static struct limit *entry(struct tally *tally, enum limit_kind kind)
{
	struct limits *limits = tally->limits;

	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].kind == kind)
			return &limits->limit[i];
	limits->limit[limits->limit_count] =
		(struct limit){ .kind = kind, .hard = kind < LIMIT_FIRST_SOFT };
	return &limits->limit[limits->limit_count++];
}

void limits_add(struct tally *tally, enum limit_kind kind, double cycles, const char *format, ...)
{
	struct limit *limit;
	va_list list;

	if (!isfinite(cycles) || cycles <= 0)
		return;
	limit = entry(tally, kind);
	if (limit->known && limit->cycles >= cycles)
		return;
	limit->known = true;
	limit->cycles = cycles;
	limit->cpe = cycles / tally->elements;
	va_start(list, format);
	vsnprintf(limit->cause, sizeof(limit->cause), format, list);
	va_end(list);
	text_cut_clean(limit->cause, sizeof(limit->cause));
}

void limits_add_unknown(struct tally *tally, enum limit_kind kind, const char *format, ...)
{
	struct limit *limit = entry(tally, kind);
	va_list list;

	if (limit->known)
		return;
	va_start(list, format);
	vsnprintf(limit->cause, sizeof(limit->cause), format, list);
	va_end(list);
	text_cut_clean(limit->cause, sizeof(limit->cause));
}

/* ---- The whole */

/* Highest first; equal ones (rounding aside) hard before soft and by rank; unknown ones last. */
static int compare(const void *a, const void *b)
{
	const struct limit *x = a, *y = b;
	double difference = rint(y->cycles * 1e6) - rint(x->cycles * 1e6);

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && difference != 0)
		return difference > 0 ? 1 : -1;
	if (rows[x->kind].rank != rows[y->kind].rank)
		return rows[x->kind].rank - rows[y->kind].rank;
	return (int)x->kind - (int)y->kind;
}

/* Every loop has a counter and a branch that closes it: those are the last of equals to name. */
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
	limits_banks(&tally);
	limits_ports(&tally);
	limits_latency(&tally);
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
