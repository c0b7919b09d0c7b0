/* See follow.h. */
#include "model/code/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/code/decode.h"

enum { CALLS_DEEP = 64 };

struct way {
	uint64_t begin, end, at;
	uint64_t known[REG_COUNT]; /* addresses that instructions put into registers; 0: unknown */
	uint64_t back[CALLS_DEEP];
	int deep;
	uint64_t *seen; /* addresses of the path, as it goes; room of LOOP_MOST */
	bool *taken;
	int count;
};

static void decode_there(const struct way *way, uint64_t address, struct insn *insn)
{
	decode_insn(
		(const uint8_t *)(uintptr_t)address, (size_t)(way->end - address), address, insn);
}

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

static struct status follow(struct way *way, uint64_t top)
{
	struct insn insn;

	do {
		if (way->at < way->begin || way->at >= way->end || way->count == LOOP_MOST)
			return way->count == LOOP_MOST
				       ? status_failed("the loop has more than %d instructions",
						 LOOP_MOST)
				       : status_failed("the path through the loop leaves its code");
		decode_there(way, way->at, &insn);
		if (!insn.known)
			return status_failed(
				"the path through the loop reaches bytes that are no instruction");
		way->seen[way->count] = way->at;
		if (!advance(way, &insn, top, &way->taken[way->count]))
			return status_failed("the target of \"%s\" is not known", insn.text);
		note_registers(way, &insn);
		way->count++;
	} while (way->at != top);
	return status_ok();
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int index_of(const uint64_t *sorted, int count, uint64_t address)
{
	const uint64_t *found =
		bsearch(&address, sorted, (size_t)count, sizeof(*sorted), by_address);

	return found ? (int)(found - sorted) : 0;
}

/* Each instruction once, in the order of memory, and the path through them. */
static void fill(const struct way *way, double elements, struct loop *loop)
{
	uint64_t *sorted = memory_new((size_t)way->count, sizeof(*sorted));
	int count = 0;

	memcpy(sorted, way->seen, (size_t)way->count * sizeof(*sorted));
	qsort(sorted, (size_t)way->count, sizeof(*sorted), by_address);
	for (int i = 0; i < way->count; i++)
		if (i == 0 || sorted[i] != sorted[i - 1])
			sorted[count++] = sorted[i];
	loop_reserve(loop, count, way->count);
	for (int i = 0; i < count; i++)
		decode_there(way, sorted[i], &loop->insn[i]);
	loop->insn_count = count;
	for (int i = 0; i < way->count; i++)
		loop->path[i] =
			(struct loop_step){ .insn = (uint16_t)index_of(sorted, count, way->seen[i]),
				.taken = way->taken[i] };
	loop->path_count = way->count;
	loop->elements = elements;
	loop->insns_per_element = way->count / elements;
	free(sorted);
}

struct status follow_loop(
	const void *code, size_t size, const void *top, double elements, struct loop *loop)
{
	uint64_t begin = (uint64_t)(uintptr_t)code, first = (uint64_t)(uintptr_t)top;
	struct way *way = memory_new(1, sizeof(*way));
	struct status status;

	loop_clear(loop);
	*way = (struct way){ .begin = begin,
		.end = begin + size,
		.at = first,
		.seen = memory_new(LOOP_MOST, sizeof(*way->seen)),
		.taken = memory_new(LOOP_MOST, sizeof(*way->taken)) };
	status = follow(way, first);
	if (status_is_ok(&status))
		fill(way, elements, loop);
	free(way->seen);
	free(way->taken);
	free(way);
	return status;
}
