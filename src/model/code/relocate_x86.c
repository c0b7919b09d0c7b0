/* Moves instructions of x86-64: see relocate.h. */
#include "model/code/relocate.h"

#include <string.h>

#include "model/code/rewrite.h"

static bool is_jump(const struct insn *insn)
{
	return insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP;
}

static bool is_short_jump(const struct insn *insn)
{
	return is_jump(insn) && insn->distance_bytes == 1;
}

bool relocate_possible(const struct insn *insn)
{
	bool relative = insn->target != 0;

	for (int i = 0; i < insn->memory_count; i++)
		relative |= insn->memory[i].relative;
	return !relative || insn->distance_bytes == 4 || is_short_jump(insn);
}

bool relocate_reaches(const struct insn *insn, uint64_t from, uint64_t target)
{
	int64_t distance = (int64_t)(target - (from + insn->length));

	return !is_short_jump(insn) || distance == (int8_t)distance;
}

/* A jump with a distance of 32 bits has 5 bytes, or 6 bytes if it is conditional. The jumps jrcxz
 * and loop have no form with a 32-bit distance, and jumps with a prefix, which are rare, are not
 * lengthened. */
size_t relocate_length(const struct insn *insn, bool longer)
{
	if (!longer)
		return insn->length;
	if (insn->length != 2 || (insn->flow == FLOW_BRANCH && !insn->condition[0]))
		return 0;
	return insn->flow == FLOW_JUMP ? 5 : 6;
}

/* Writes the distance from the end of an instruction to its target. */
static bool write_distance(uint8_t *distance, size_t bytes, const uint8_t *end, uint64_t target)
{
	int64_t value = (int64_t)(target - (uint64_t)(uintptr_t)end);
	int32_t narrow = (int32_t)value;

	memcpy(distance, &narrow, bytes);
	return bytes == 1 ? value == (int8_t)value : value == narrow;
}

bool relocate_insn(const struct insn *insn, bool longer, uint8_t *to, uint64_t target)
{
	size_t length = relocate_length(insn, longer), at = insn->distance_at,
	       bytes = insn->distance_bytes;

	memcpy(to, (const void *)(uintptr_t)insn->address, insn->length);
	if (longer) {
		if (insn->flow == FLOW_JUMP) {
			to[0] = 0xe9;
		} else {
			to[1] = (uint8_t)(0x80 | (to[0] & 15));
			to[0] = 0x0f;
		}
		bytes = 4;
		at = length - bytes;
	}
	return bytes == 0 || write_distance(to + at, bytes, to + length, target);
}

bool relocate_line(const struct code_line *line, uint8_t *to)
{
	memcpy(to, line->bytes, line->length);
	return !line->distance_at ||
	       write_distance(to + line->distance_at, 4, to + line->length, line->target);
}

/* The jump has 2 bytes, and its distance 8 bits. Bytes that never run are traps (int3). */
void relocate_skip(uint8_t *to, size_t length, size_t bytes)
{
	to[1] = (uint8_t)bytes;
	memset(to + length, 0xcc, bytes);
}
