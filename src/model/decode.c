/* Finding the loop of a function: the same for every instruction set. */
#include "model/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* One byte of the function: what begins there. */
struct place {
	uint8_t length;      /* of the instruction that begins here; 0: none was decoded here */
	uint8_t flow;        /* enum insn_flow */
	bool pending;        /* a jump leads here that has not been followed yet */
	int32_t target;      /* of a branch or jump: the offset that it leads to, or -1: outside */
};

/* A backward branch or jump and what it leads back to: offsets. */
struct span {
	int32_t first, last;
	int count;           /* instructions */
	bool returns;        /* the function is left in between: these are two pieces of code, not one loop */
};

struct function {
	const uint8_t *code;
	int32_t size;
	struct place *place;
};

static int32_t offset_of(const struct function *function, const struct insn *insn)
{
	uint64_t offset = insn->target - (uint64_t)(uintptr_t)function->code;

	if ((insn->flow != FLOW_BRANCH && insn->flow != FLOW_JUMP) || offset >= (uint64_t)function->size)
		return -1;
	return (int32_t)offset;
}

static void decode_at(const struct function *function, int32_t offset, struct insn *insn)
{
	decode_insn(function->code + offset, (size_t)(function->size - offset),
		(uint64_t)(uintptr_t)(function->code + offset), insn);
}

/* Whether execution goes on behind it only if something jumps there. */
static bool ends(const struct insn *insn)
{
	switch (insn->flow) {
	case FLOW_JUMP:
	case FLOW_INDIRECT:
	case FLOW_RETURN:
		return true;
	case FLOW_OTHER:
		return strcmp(insn->mnemonic, "syscall") != 0 && strcmp(insn->mnemonic, "svc") != 0;
	default:
		return false;
	}
}

/* Decodes what can be reached from the entry, and what stands between that: cases of a jump table, say. What lies behind the
 * function is not looked at; conditional branches tell how far it goes at least. */
static void read_function(const struct function *function)
{
	int32_t at = 0, extent = 0, lowest = 0;
	struct insn insn;

	function->place[0].pending = true;
	for (;;) {
		while (lowest < function->size && !function->place[lowest].pending)
			lowest++;
		if (lowest >= function->size)
			return;
		at = lowest;
		do {
			struct place *place = &function->place[at];
			int32_t next;

			place->pending = false;
			if (place->length)
				break;
			decode_at(function, at, &insn);
			next = at + insn.length;
			place->length = insn.length;
			place->flow = (uint8_t)insn.flow;
			place->target = offset_of(function, &insn);
			if (place->target >= 0 && !function->place[place->target].length) {
				function->place[place->target].pending = true;
				if (place->target < lowest)
					lowest = place->target;
			}
			if (insn.flow == FLOW_BRANCH && place->target > extent)
				extent = place->target;
			if (ends(&insn) && next >= extent)
				break;
			at = next;
		} while (at < function->size);
	}
}

/* Where the next instruction stands; the end of the span when it was not decoded or runs out of it. */
static int32_t after(const struct function *function, const struct span *span, int32_t at)
{
	int32_t next = at + function->place[at].length;

	return next <= span->last && function->place[next].length ? next : span->last + 1;
}

/* Whether a turn can be gone from `at` to the span's end without leaving it, for every place of it, from the back. reaches[i]
 * belongs to span->first + i. */
static void find_way(const struct function *function, const struct span *span, bool *reaches)
{
	for (int32_t at = span->last; at >= span->first; at--) {
		const struct place *place = &function->place[at];
		int32_t next;
		bool on, over;

		reaches[at - span->first] = at == span->last;
		if (!place->length || at == span->last)
			continue;
		next = after(function, span, at);
		on = next <= span->last && reaches[next - span->first];
		over = place->target > at && place->target <= span->last && reaches[place->target - span->first];
		if (place->flow == FLOW_BRANCH)
			reaches[at - span->first] = on || over;
		else if (place->flow == FLOW_JUMP)
			reaches[at - span->first] = over;
		else
			reaches[at - span->first] = on && place->flow != FLOW_RETURN && place->flow != FLOW_INDIRECT;
	}
}

/* The next instruction in memory; what nothing leads to in between (padding behind a jump) is passed over. */
static int32_t following(const struct function *function, const struct span *span, int32_t at)
{
	at += function->place[at].length;
	while (at < span->last && !function->place[at].length)
		at++;
	return at;
}

/* Counts a span's instructions. False when it is no loop: its first instruction cannot come to its last. */
static bool measure_span(const struct function *function, struct span *span, bool *reaches)
{
	int32_t at = span->first;

	span->count = 1;
	span->returns = false;
	while (at < span->last) {
		span->returns |= function->place[at].flow == FLOW_RETURN || function->place[at].flow == FLOW_INDIRECT;
		at = following(function, span, at);
		span->count++;
	}
	if (at != span->last)
		return false;
	find_way(function, span, reaches);
	return reaches[0];
}

/* The innermost loop; of several the one with most instructions, those in one piece first. */
static bool find_loop(const struct function *function, bool *reaches, struct span *best)
{
	struct span *spans = NULL;
	int count = 0, room = 0;
	bool found = false;

	for (int32_t at = 0; at < function->size; at++) {
		const struct place *place = &function->place[at];
		struct span span = { place->target, at, 0, false };

		if (!place->length || (place->flow != FLOW_BRANCH && place->flow != FLOW_JUMP) || place->target < 0 ||
		    place->target > at || !measure_span(function, &span, reaches))
			continue;
		if (count == room) {
			room = room ? 2 * room : 16;
			spans = memory_resize(spans, (size_t)room, sizeof(*spans));
		}
		spans[count++] = span;
	}
	for (int i = 0; i < count; i++) {
		bool innermost = true;

		for (int k = 0; k < count && innermost; k++)
			innermost = k == i || spans[k].first < spans[i].first || spans[k].last > spans[i].last ||
				(spans[k].first == spans[i].first && spans[k].last == spans[i].last);
		if (!innermost)
			continue;
		if (!found || (best->returns && !spans[i].returns) ||
		    (best->returns == spans[i].returns && spans[i].count > best->count))
			*best = spans[i];
		found = true;
	}
	free(spans);
	return found;
}

/* The instructions of the span, and the path: on through conditional branches where that leads round, along jumps. */
static void fill_loop(const struct function *function, const struct span *span, const bool *reaches, struct loop *loop)
{
	uint64_t base = (uint64_t)(uintptr_t)function->code;
	int32_t next = span->first;

	for (int32_t at = span->first; at <= span->last; at = following(function, span, at)) {
		struct insn *insn = &loop->insn[loop->insn_count++];

		decode_at(function, at, insn);
		loop->unknown += !insn->known;
		loop->forks += insn->flow == FLOW_BRANCH && at != span->last;
	}
	for (int i = 0; i < loop->insn_count; i++) {
		const struct place *place;
		struct loop_step *step;
		int32_t at = (int32_t)(loop->insn[i].address - base), on;

		if (at != next)
			continue;
		place = &function->place[at];
		on = after(function, span, at);
		step = &loop->path[loop->path_count++];
		memset(step, 0, sizeof(*step));
		step->insn = (uint16_t)i;
		step->taken = at == span->last || place->flow == FLOW_JUMP ||
			(place->flow == FLOW_BRANCH && !(on <= span->last && reaches[on - span->first]));
		next = step->taken ? place->target : on;
	}
}

struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop)
{
	struct function function = { .code = code, .size = (int32_t)(size < DECODE_FUNCTION ? size : DECODE_FUNCTION) };
	struct status status = status_ok();
	struct span span;
	bool *reaches;

	loop_clear(loop);
	if (!size)
		return status_make(STATUS_FAILED, "no loop in a function of no bytes");
	function.place = memory_new((size_t)function.size, sizeof(*function.place));
	reaches = memory_new((size_t)function.size, sizeof(*reaches));
	read_function(&function);
	if (!find_loop(&function, reaches, &span)) {
		status = status_make(STATUS_FAILED, "no loop in the function's machine code");
	} else if (span.count > loop->insn_room || span.count > loop->path_room) {
		status = status_make(STATUS_FAILED, "a loop of %d instructions; there is room for %d", span.count,
			loop->insn_room < loop->path_room ? loop->insn_room : loop->path_room);
	} else {
		find_way(&function, &span, reaches);
		fill_loop(&function, &span, reaches, loop);
		loop->elements = elements;
		loop->insns_per_element = loop->path_count / elements;
	}
	free(reaches);
	free(function.place);
	return status;
}
