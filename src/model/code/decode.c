/* Finding the loop of a function, and following generated code: the same for every instruction set.
 */
#include "model/code/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* One byte of the function, and the instruction that begins there. */
struct place {
	uint8_t length; /* of the instruction that begins here; 0: none was decoded here */
	uint8_t flow;	/* enum insn_flow */
	bool pending;	/* a jump leads here that has not been followed yet */
	int32_t target; /* of a branch or jump: the offset that it leads to, or -1: outside */
	/* Of the span that was last measured: */
	bool listed;  /* one of its instructions */
	bool reaches; /* and from it a turn can be ended without leaving the span */
};

/* A backward branch or jump and its target: offsets. */
struct span {
	int32_t first, last;
	int count;    /* instructions */
	bool returns; /* the function is left in between: these are two pieces of code, not one loop
		       */
};

struct function {
	const uint8_t *code;
	int32_t size;
	struct place *place;
	bool cut; /* it continues after the bytes that are read */
};

/* The first size of the bytes that are read: few functions have more. */
enum { FUNCTION_FIRST = 8192 };

static int32_t offset_of(const struct function *function, const struct insn *insn)
{
	uint64_t offset = insn->target - (uint64_t)(uintptr_t)function->code;

	if ((insn->flow != FLOW_BRANCH && insn->flow != FLOW_JUMP) ||
		offset >= (uint64_t)function->size)
		return -1;
	return (int32_t)offset;
}

static void decode_at(const struct function *function, int32_t offset, struct insn *insn)
{
	decode_insn(function->code + offset, (size_t)(function->size - offset),
		(uint64_t)(uintptr_t)(function->code + offset), insn);
}

/* Whether only a jump reaches the instruction after it. */
static bool ends(const struct insn *insn)
{
	switch (insn->flow) {
	case FLOW_JUMP:
	case FLOW_INDIRECT:
	case FLOW_RETURN: return true;
	case FLOW_OTHER:
		return strcmp(insn->mnemonic, "syscall") != 0 && strcmp(insn->mnemonic, "svc") != 0;
	default: return false;
	}
}

/* Decodes the instructions that the entry reaches, and those between them (cases of a jump table).
 * Conditional branches show the least extent of the function; code after that is not read. */
static void read_function(struct function *function)
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
			/* A jump far ahead may lead into another function, and does not extend this
			 * one. */
			function->cut |= next >= function->size && !ends(&insn);
			function->cut |= insn.flow == FLOW_BRANCH && place->target < 0 &&
					 insn.target >= (uint64_t)(uintptr_t)function->code +
								(uint64_t)function->size;
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

/* The next instruction in memory. Bytes that nothing reaches (padding after a jump) are skipped. */
static int32_t following(const struct function *function, const struct span *span, int32_t at)
{
	at += function->place[at].length;
	while (at < span->last && !function->place[at].length)
		at++;
	return at;
}

/* Whether a turn can end from there; the places after it are measured already. */
static bool reaches(const struct function *function, const struct span *span, int32_t at)
{
	return at <= span->last && function->place[at].listed && function->place[at].reaches;
}

static void find_way(const struct function *function, const struct span *span, int32_t at)
{
	struct place *place = &function->place[at];
	bool on = reaches(function, span, at + place->length);
	bool over = place->target > at && reaches(function, span, place->target);

	if (at == span->last)
		place->reaches = true;
	else if (place->flow == FLOW_BRANCH)
		place->reaches = on || over;
	else if (place->flow == FLOW_JUMP)
		place->reaches = over;
	else
		place->reaches = on && place->flow != FLOW_RETURN && place->flow != FLOW_INDIRECT &&
				 place->flow != FLOW_OTHER;
}

/* Lists a span's instructions. False when it is no loop: its first instruction cannot come to its
 * last. */
static bool measure_span(const struct function *function, struct span *span)
{
	int32_t at = span->first;

	for (int32_t i = span->first; i <= span->last; i++)
		function->place[i].listed = false;
	span->count = 0;
	span->returns = false;
	for (; at <= span->last; at = following(function, span, at)) {
		struct place *place = &function->place[at];

		place->listed = true;
		span->count++;
		span->returns |= place->flow == FLOW_RETURN || place->flow == FLOW_INDIRECT;
	}
	if (!function->place[span->last].listed) /* instructions that overlap */
		return false;
	for (at = span->last; at >= span->first; at--)
		if (function->place[at].listed)
			find_way(function, span, at);
	return function->place[span->first].reaches;
}

/* The innermost loop. Of several, loops without a return come first, then the one with most
 * instructions. */
static bool find_loop(const struct function *function, struct span *best)
{
	struct span *spans = NULL;
	int count = 0, room = 0;
	bool found = false;

	for (int32_t at = 0; at < function->size; at++) {
		const struct place *place = &function->place[at];
		struct span span = { place->target, at, 0, false };

		if (!place->length || (place->flow != FLOW_BRANCH && place->flow != FLOW_JUMP) ||
			place->target < 0 || place->target > at || !measure_span(function, &span))
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
			innermost = k == i || spans[k].first < spans[i].first ||
				    spans[k].last > spans[i].last ||
				    (spans[k].first == spans[i].first &&
					    spans[k].last == spans[i].last);
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

/* The instructions of the span, and the path: on through conditional branches where that leads
 * round, along jumps. */
static void fill_loop(const struct function *function, const struct span *span, struct loop *loop)
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
		int32_t at = (int32_t)(loop->insn[i].address - base);

		if (at != next)
			continue;
		place = &function->place[at];
		step = &loop->path[loop->path_count++];
		memset(step, 0, sizeof(*step));
		step->insn = (uint16_t)i;
		step->taken = at == span->last || place->flow == FLOW_JUMP ||
			      (place->flow == FLOW_BRANCH &&
				      !reaches(function, span, at + place->length));
		next = step->taken ? place->target : at + place->length;
	}
}

/* Reads the function, and more of its bytes while it continues. */
static void read_whole(struct function *function, size_t size)
{
	int32_t most = (int32_t)(size < DECODE_FUNCTION ? size : DECODE_FUNCTION);

	function->size = most < FUNCTION_FIRST ? most : FUNCTION_FIRST;
	for (;;) {
		function->cut = false;
		function->place = memory_new((size_t)function->size, sizeof(*function->place));
		read_function(function);
		if (!function->cut || function->size == most)
			return;
		free(function->place);
		function->size = function->size < most / 8 ? function->size * 8 : most;
	}
}

struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop)
{
	struct function function = { .code = code };
	struct status status = status_ok();
	struct span span;

	loop_clear(loop);
	if (!size)
		return status_failed("no loop in a function of no bytes");
	read_whole(&function, size);
	if (!find_loop(&function, &span)) {
		status = status_failed("no loop in the function's machine code");
	} else if (span.count > LOOP_MOST) {
		status = status_failed("the loop has %d instructions, more than the limit of %d",
			span.count, LOOP_MOST);
	} else {
		loop_reserve(loop, span.count, span.count);
		measure_span(&function, &span);
		fill_loop(&function, &span, loop);
		loop->elements = elements;
		loop->insns_per_element = loop->path_count / elements;
	}
	free(function.place);
	return status;
}

/* ---- Following straight code */

enum { CALLS_DEEP = 64 };

struct way {
	uint64_t begin, end, at;
	uint64_t known[REG_COUNT]; /* addresses that instructions put into registers; 0: unknown */
	uint64_t back[CALLS_DEEP];
	int deep;
	int *met; /* by byte of the code: 1 + the index of the instruction that begins there */
	struct insn *insn;
	int insn_count, insn_room;
	struct loop_step seen[LOOP_MOST]; /* the path */
	int count;
};

/* Notes the registers that hold an address of the code after the instruction. */
static void note_registers(struct way *way, const struct insn *insn)
{
	for (int i = 0; i < insn->write_count; i++)
		way->known[insn->writes[i]] = 0;
	if (insn->write_count != 1 || insn->flow != FLOW_NONE)
		return;
	if (insn->address_only && insn->memory_count && insn->memory[0].relative)
		way->known[insn->writes[0]] = (uint64_t)insn->memory[0].disp;
	else if (strcmp(insn->mnemonic, "adr") == 0)
		way->known[insn->writes[0]] = (uint64_t)insn->value;
}

/* The target of a jump by a register; 0: unknown. */
static uint64_t through_register(const struct way *way, const struct insn *insn)
{
	return insn->read_count == 1 && insn->memory_count == 0 ? way->known[insn->reads[0]] : 0;
}

static bool call(struct way *way, uint64_t target, uint64_t back)
{
	if (way->deep == CALLS_DEEP || !target)
		return false;
	way->back[way->deep++] = back;
	way->at = target;
	return true;
}

/* One step; false: the way is lost. */
static bool advance(struct way *way, const struct insn *insn, uint64_t top, bool *taken)
{
	uint64_t next = way->at + insn->length;

	*taken = true;
	switch (insn->flow) {
	case FLOW_JUMP: way->at = insn->target; return insn->target != 0;
	case FLOW_INDIRECT: way->at = through_register(way, insn); return way->at != 0;
	case FLOW_CALL:
		return call(way, insn->target ? insn->target : through_register(way, insn), next);
	case FLOW_RETURN: way->at = way->deep > 0 ? way->back[--way->deep] : 0; return way->at != 0;
	case FLOW_BRANCH:
		*taken = insn->target == top;
		way->at = *taken ? top : next;
		return true;
	case FLOW_OTHER: return false;
	default:
		*taken = false;
		way->at = next;
		return true;
	}
}

/* The instruction at way->at, decoded once. */
static const struct insn *meet(struct way *way)
{
	int *met = &way->met[way->at - way->begin];

	if (*met)
		return &way->insn[*met - 1];
	if (way->insn_count == way->insn_room) {
		way->insn_room = way->insn_room ? way->insn_room * 2 : 256;
		way->insn = memory_resize(way->insn, (size_t)way->insn_room, sizeof(*way->insn));
	}
	decode_insn((const uint8_t *)(uintptr_t)way->at, (size_t)(way->end - way->at), way->at,
		&way->insn[way->insn_count]);
	*met = ++way->insn_count;
	return &way->insn[*met - 1];
}

static struct status follow(struct way *way, uint64_t top)
{
	do {
		const struct insn *insn;

		if (way->count == LOOP_MOST)
			return status_failed("the loop has more than %d instructions", LOOP_MOST);
		if (way->at < way->begin || way->at >= way->end)
			return status_failed("the path through the loop leaves its code");
		insn = meet(way);
		if (!insn->known)
			return status_failed(
				"the path through the loop reaches bytes that are no instruction");
		way->seen[way->count].insn = (uint16_t)(insn - way->insn);
		if (!advance(way, insn, top, &way->seen[way->count].taken))
			return status_failed("the target of \"%s\" is not known", insn->text);
		note_registers(way, insn);
		way->count++;
	} while (way->at != top);
	return status_ok();
}

struct status follow_loop(
	const void *code, size_t size, const void *top, double elements, struct loop *loop)
{
	uint64_t begin = (uint64_t)(uintptr_t)code, first = (uint64_t)(uintptr_t)top;
	struct way *way = memory_new(1, sizeof(*way));
	struct status status;

	loop_clear(loop);
	way->begin = begin;
	way->end = begin + size;
	way->at = first;
	way->met = memory_new(size, sizeof(*way->met));
	status = follow(way, first);
	if (status_is_ok(&status)) {
		loop_fill(loop, way->insn, way->insn_count, way->seen, way->count);
		loop->elements = elements;
		loop->insns_per_element = way->count / elements;
	}
	free(way->met);
	free(way->insn);
	free(way);
	return status;
}
