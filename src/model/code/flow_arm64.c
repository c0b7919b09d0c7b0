/* The flow of AArch64 instructions, each of 4 bytes. Source of the encodings: Arm Architecture
 * Reference Manual for A-profile, "Branches, exception generating and system instructions". */
#include "model/code/flow.h"

#include <string.h>

/* The signed field of `bits` bits at `low`, in bytes: branches count in words of 4 bytes. */
static uint64_t distance(uint32_t word, int low, int bits)
{
	int64_t field = (int64_t)((uint64_t)word << (64 - low - bits));

	return (uint64_t)(field >> (64 - bits)) * 4;
}

struct flow flow_read(const uint8_t *bytes, size_t size, uint64_t address)
{
	struct flow flow = { .length = 4 };
	uint32_t word;

	if (size < sizeof(word))
		return (struct flow){ 0 };
	memcpy(&word, bytes, sizeof(word));
	flow.nop = word == 0xd503201f;
	if ((word >> 16) == 0) { /* udf */
		flow.kind = FLOW_OTHER;
	} else if ((word & 0x7c000000) == 0x14000000) {
		flow.kind = word >> 31 ? FLOW_CALL : FLOW_JUMP;
		flow.target = address + distance(word, 0, 26);
	} else if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		flow.kind = FLOW_BRANCH; /* b.cond, cbz, cbnz; not bc.cond, which the decoder does
					    not know */
		flow.target = address + distance(word, 5, 19);
	} else if ((word & 0x7e000000) == 0x36000000) {
		flow.kind = FLOW_BRANCH; /* tbz, tbnz */
		flow.target = address + distance(word, 5, 14);
	} else if ((word & 0xfe000000) == 0xd6000000) { /* br, blr, ret, eret and their kin */
		unsigned operation = word >> 21 & 7;

		flow.kind = operation == 0   ? FLOW_INDIRECT
			    : operation == 1 ? FLOW_CALL
					     : FLOW_RETURN;
		flow.table = flow.kind == FLOW_INDIRECT;
	} else if ((word & 0xff000000) == 0xd4000000 && (word & 0x1f) != 1) { /* not svc */
		flow.kind = FLOW_OTHER;
	}
	return flow;
}
