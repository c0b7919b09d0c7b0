/* Finds the loop of a function, and follows generated code. decode.c is the same for every
 * instruction set. */
#include "model/code/decode.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/code/flow.h"

/* One byte of the function's code. The fields describe the instruction that begins at this byte. */
struct place {
	uint8_t length; /* length of the instruction in bytes; 0: no instruction was decoded at this
			   byte */
	uint8_t flow; /* how the instruction changes the flow of control: a value of enum insn_flow
		       */
	bool pending; /* a jump leads to this byte, and read_function() has not followed the jump
			 yet */
	int32_t target; /* offset of the target of a branch or jump; -1: the target lies outside the
			   function */
	/* measure_span() sets the fields `listed` and `reaches` again for each possible loop of the
	 * function. */
	bool listed;  /* the span contains this instruction */
	bool reaches; /* execution can get from this byte to the last instruction of the possible
			 loop without leaving the loop */
};

/* A possible loop in the function's code: `last` is the offset of a backward branch or jump,
 * `first` is the offset of its target. */
struct span {
	int32_t first, last;
	int count;    /* number of instructions of the possible loop */
	bool returns; /* a return or indirect jump lies inside the possible loop, so it may be two
			 pieces of code and not one loop */
};

struct function {
	const uint8_t *code;
	int32_t size;
	int32_t end; /* offset of the first byte after all decoded instructions */
	struct place *place;
	bool more; /* there are bytes after those that are read */
	bool cut;  /* the function continues after the bytes that were read */
};

/* read_whole() first reads FUNCTION_FIRST bytes of a function, because few functions are longer. */
enum { FUNCTION_FIRST = 8192 };

/* No instruction has more bytes (x86: 15). */
enum { INSN_LONGEST = 15 };

static int32_t offset_of(const struct function *function, const struct flow *flow)
{
	uint64_t offset = flow->target - (uint64_t)(uintptr_t)function->code;

	if ((flow->kind != FLOW_BRANCH && flow->kind != FLOW_JUMP) ||
		offset >= (uint64_t)function->size)
		return -1;
	return (int32_t)offset;
}

static void decode_at(const struct function *function, int32_t offset, struct insn *insn)
{
	decode_insn(function->code + offset, (size_t)(function->size - offset),
		(uint64_t)(uintptr_t)(function->code + offset), insn);
}

/* Reads the length and the flow of control of the instruction at an offset. Sets *ends to whether
 * execution never continues with the instruction after it; only a jump then reaches the code after
 * it. */
static struct flow flow_at(const struct function *function, int32_t offset, bool *ends)
{
	const uint8_t *code = function->code + offset;
	struct flow flow =
		flow_read(code, (size_t)(function->size - offset), (uint64_t)(uintptr_t)code);
	struct insn insn;

	*ends = flow_ends(&flow);
	if (flow.length && flow.kind != FLOW_OTHER)
		return flow;
	/* The last instruction may be cut. Its first bytes must not be decoded as others. */
	if (!flow.length && function->more && function->size - offset < INSN_LONGEST)
		return (struct flow){ .length = (uint8_t)(function->size - offset) };
	/* The decoder knows the length of bytes that are no instruction, and tells a system call,
	 * which returns, from a trap. */
	decode_at(function, offset, &insn);
	*ends = insn.flow == FLOW_OTHER && !decode_is(insn.mnemonic, "syscall svc");
	return (struct flow){ .length = insn.length, .kind = (uint8_t)insn.flow };
}

/* Decodes the instructions of a function that execution can reach from its entry. Instructions
 * between reachable instructions, such as the cases of a jump table, are decoded too. The function
 * extends at least to the farthest target of its conditional branches. read_function() does not
 * read code after the end of the function. */
static void read_function(struct function *function)
{
	int32_t extent = 0, lowest = 0;

	function->end = 0;
	function->place[0].pending = true;
	while (lowest < function->size) {
		int32_t at = lowest, next;

		lowest += !function->place[at].pending;
		for (bool on = function->place[at].pending; on && at < function->size; at = next) {
			struct place *place = &function->place[at];
			struct flow flow;
			bool ends;

			place->pending = false;
			if (place->length)
				break;
			flow = flow_at(function, at, &ends);
			next = at + flow.length;
			place->length = flow.length;
			place->flow = flow.kind;
			place->target = offset_of(function, &flow);
			if (next > function->end)
				function->end = next;
			/* An unconditional jump far ahead may lead into another function, so only
			 * conditional branches extend this function. */
			function->cut |= next >= function->size && !ends;
			function->cut |= flow.kind == FLOW_BRANCH && place->target < 0 &&
					 flow.target >= (uint64_t)(uintptr_t)function->code +
								(uint64_t)function->size;
			if (place->target >= 0 && !function->place[place->target].length) {
				function->place[place->target].pending = true;
				if (place->target < lowest)
					lowest = place->target;
			}
			if (flow.kind == FLOW_BRANCH && place->target > extent)
				extent = place->target;
			on = !ends || next < extent;
		}
	}
}

/* The offset of the next decoded instruction in a possible loop of the function. Bytes that were
 * not decoded, such as padding after a jump, are skipped. */
static int32_t following(const struct function *function, const struct span *span, int32_t at)
{
	at += function->place[at].length;
	while (at < span->last && !function->place[at].length)
		at++;
	return at;
}

/* Whether execution can get from the code at offset `at` to the end of a possible loop, the span.
 * find_way() answers the question for each offset of the span, from last to first, so the answer
 * for `at` must be ready. */
static bool reaches(const struct function *function, const struct span *span, int32_t at)
{
	return at <= span->last && function->place[at].listed && function->place[at].reaches;
}

static void find_way(const struct function *function, const struct span *span, int32_t at)
{
	struct place *place = &function->place[at];
	bool on = reaches(function, span, at + place->length);
	bool over = place->target > at && reaches(function, span, place->target);

	place->reaches = at == span->last ||
			 (over && (place->flow == FLOW_BRANCH || place->flow == FLOW_JUMP)) ||
			 (on && (place->flow == FLOW_BRANCH || place->flow == FLOW_NONE ||
					place->flow == FLOW_CALL));
}

/* Lists the instructions of a possible loop, a span of the function's code. Returns false if the
 * possible loop is no loop, because execution cannot get from its first to its last instruction. */
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
	if (!function->place[span->last].listed) /* the last instruction is not listed, because two
						    decoded instructions overlap */
		return false;
	for (at = span->last; at >= span->first; at--)
		if (function->place[at].listed)
			find_way(function, span, at);
	return function->place[span->first].reaches;
}

/* Chooses the innermost loop of the decoded function. If there are several innermost loops, a loop
 * without a return wins; among equal loops, the loop with the most instructions wins. */
static bool find_loop(const struct function *function, struct span *best)
{
	int32_t latest = -1; /* offset of the start of the last innermost loop before `at` */

	*best = (struct span){ 0 };
	for (int32_t at = 0; at < function->end; at++) {
		const struct place *place = &function->place[at];
		struct span span = { place->target, at, 0, false };

		/* The loops of a function are found in the order of their ends. A loop that begins
		 * at or before `latest`, the start of the innermost loop found last, encloses an
		 * earlier loop. */
		if (!place->length || place->target < 0 || place->target > at ||
			!measure_span(function, &span) || span.first <= latest)
			continue;
		latest = span.first;
		if (best->count == 0 || (best->returns && !span.returns) ||
			(best->returns == span.returns && span.count > best->count))
			*best = span;
	}
	return best->count > 0;
}

/* Fills in the instructions of the loop, and the path: their order of execution in one iteration.
 * The path follows jumps. The assumed path through the loop takes a conditional branch only if the
 * loop cannot continue without taking it. */
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
		int32_t at = (int32_t)(loop->insn[i].address - base);
		const struct place *place = &function->place[at];
		bool taken = at == span->last || place->flow == FLOW_JUMP ||
			     (place->flow == FLOW_BRANCH &&
				     !reaches(function, span, at + place->length));

		if (at != next)
			continue;
		loop->path[loop->path_count++] =
			(struct loop_step){ .insn = (uint16_t)i, .taken = taken };
		next = taken ? place->target : at + place->length;
	}
}

/* Reads the whole function. If the function continues after the bytes that were read, reads the
 * function again with more bytes. */
static void read_whole(struct function *function, size_t size)
{
	int32_t most = (int32_t)(size < DECODE_FUNCTION ? size : DECODE_FUNCTION);

	function->size = most < FUNCTION_FIRST ? most : FUNCTION_FIRST;
	for (;;) {
		function->more = function->size < most;
		function->cut = false;
		function->place = memory_new((size_t)function->size, sizeof(*function->place));
		read_function(function);
		if (!function->cut || !function->more)
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
		return status_failed("the function is empty: there is no loop");
	read_whole(&function, size);
	if (!find_loop(&function, &span)) {
		status = status_failed("no loop in the function's machine code");
	} else if (span.count > LOOP_MOST) {
		status = status_failed("the loop has %d instructions: at most %d can be explained",
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

struct status decode_function(const void *code, size_t size, struct decoded_function *decoded)
{
	struct function function = { .code = code };
	struct status status = status_ok();
	struct span span;

	*decoded = (struct decoded_function){ 0 };
	if (!size)
		return status_failed("the function is empty: there is no loop");
	read_whole(&function, size);
	if (!find_loop(&function, &span))
		status = status_failed("no loop in the function's machine code");
	for (int32_t at = 0; at < function.size && status_is_ok(&status); at++) {
		if (!function.place[at].length)
			continue;
		if (at == span.first)
			decoded->first = decoded->count;
		if (at == span.last)
			decoded->last = decoded->count;
		decoded->insn =
			memory_grow(decoded->insn, (size_t)decoded->count, sizeof(*decoded->insn));
		decode_at(&function, at, &decoded->insn[decoded->count++]);
	}
	free(function.place);
	return status;
}

void decode_function_free(struct decoded_function *decoded)
{
	free(decoded->insn);
	*decoded = (struct decoded_function){ 0 };
}

/* ---- Following generated code */

enum { CALLS_DEEP = 64 };

struct way {
	uint64_t begin, end, at;
	uint64_t known[REG_COUNT]; /* code address in each register; 0: the value of the register is
				      unknown */
	uint64_t back[CALLS_DEEP];
	int deep;
	int *met; /* for each byte of the code: 1 + the index of the instruction that begins at this
		     byte; 0: not decoded yet */
	struct insn *insn;
	int insn_count;
	struct loop_step seen[LOOP_MOST]; /* the instructions (steps) of the path followed so far,
					     in the order of execution */
	int count;
};

/* Updates `known` after an instruction: records a code address that the instruction puts into a
 * register. */
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

/* The target of a jump through a register; 0: the value of the register is unknown. */
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

/* Moves from one instruction to the next in the order of execution. Returns false if the address of
 * the instruction that executes next is unknown. */
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

/* Returns the instruction at way->at, the address in generated code that the followed path has
 * reached. Each instruction of the generated code is decoded only once. */
static const struct insn *meet(struct way *way)
{
	int *met = &way->met[way->at - way->begin];

	if (*met)
		return &way->insn[*met - 1];
	way->insn = memory_grow(way->insn, (size_t)way->insn_count, sizeof(*way->insn));
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
			return status_failed("the loop has more than %d instructions, the most "
					     "that can be explained",
				LOOP_MOST);
		if (way->at < way->begin || way->at >= way->end)
			return status_failed("the path through the loop leaves its code");
		insn = meet(way);
		if (!insn->known)
			return status_failed("the path through the loop reaches bytes that are not "
					     "an instruction");
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
	struct way *way = memory_new(1, sizeof(*way));
	struct status status;

	loop_clear(loop);
	way->begin = (uint64_t)(uintptr_t)code;
	way->end = way->begin + size;
	way->at = (uint64_t)(uintptr_t)top;
	way->met = memory_new(size, sizeof(*way->met));
	status = follow(way, way->at);
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
