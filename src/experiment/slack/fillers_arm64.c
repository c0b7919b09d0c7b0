/* Fillers of AArch64: see fillers.h. The address of the fillers' data memory is in a general
 * register. */
#include <string.h>

#include "experiment/slack/fillers.h"
#include "experiment/slack/spare.h"
#include "kernels/assemble.h"

const struct filler fillers[] = {
	{ FILLS_WIDTH, "nop", NULL, NULL, NULL },
	{ FILLS_LOADS, "ldr %r, [%l]", NULL, NULL, NULL },
	{ FILLS_VECTOR_LOADS, "ldr d%n, [%l]", NULL, NULL, NULL },
	{ FILLS_STORES, "str %p, [%s]", NULL, NULL, NULL },
	{ FILLS_VECTOR_STORES, "str d%m, [%s]", NULL, NULL, NULL },
	{ FILLS_TAKEN, "jump", NULL, NULL, NULL },
	{ FILLS_PORTS, "add %r, %p, #1", NULL, NULL, NULL },
	{ FILLS_PORTS, "eor %r, %p, %p", NULL, NULL, NULL },
	{ FILLS_PORTS, "lsr %r, %p, #3", NULL, NULL, NULL },
	{ FILLS_PORTS, "clz %r, %p", NULL, NULL, NULL },
	{ FILLS_PORTS, "mul %e, %q, %q", NULL, NULL, NULL },
	{ FILLS_PORTS, "mul %r, %p, %p", NULL, NULL, NULL },
	{ FILLS_PORTS, "smull %r, %q, %q", NULL, NULL, NULL },
	{ FILLS_PORTS, "crc32x %e, %q, %p", "crc32", NULL, NULL },
	{ FILLS_PORTS, "ldr %r, [%l]", NULL, NULL, NULL },
	{ FILLS_PORTS, "pass", NULL, NULL, NULL },
	{ FILLS_PORTS, "jump", NULL, NULL, NULL },
	{ FILLS_PORTS, "fadd d%n, d%m, d%m", NULL, NULL, NULL },
	{ FILLS_PORTS, "fmul d%n, d%m, d%m", NULL, NULL, NULL },
	{ FILLS_PORTS, "add v%n.4s, v%m.4s, v%m.4s", NULL, NULL, NULL },
	{ FILLS_PORTS, "shl v%n.4s, v%m.4s, #3", NULL, NULL, NULL },
	{ FILLS_PORTS, "addv s%n, v%m.4s", NULL, NULL, NULL },
	{ FILLS_PORTS, "mul v%n.2s, v%m.2s, v%m.2s", NULL, NULL, NULL },
	{ FILLS_PORTS, "frintz d%n, d%m", NULL, NULL, NULL },
	{ FILLS_PORTS, "fmov %r, d%m", NULL, NULL, NULL },
	{ FILLS_PORTS, "fmov d%n, %p", NULL, NULL, NULL },
	{ FILLS_PORTS, "subs %r, %p, %p", NULL, NULL, NULL },
	{ FILLS_PORTS, "ands %r, %p, %p", NULL, NULL, NULL },
	{ FILLS_PORTS, "fcmp d%m, d%m", NULL, NULL, NULL },
	{ FILLS_PORTS, "fdiv d%n, d%m, d%m", NULL, NULL, NULL },
	{ FILLS_PORTS, "sdiv %r, %p, %p", NULL, NULL, NULL },
};
const unsigned filler_count = sizeof(fillers) / sizeof(*fillers);
_Static_assert(sizeof(fillers) / sizeof(*fillers) <= FILLERS_MOST, "too many fillers");

struct status filler_find_data(
	struct spare_usage *usage, struct filler_places *places, struct spare_frame *frame)
{
	struct status status = spare_general(usage, 1, 0, &places->base, frame);
	struct code_line *line = &frame->before[frame->before_count++];
	size_t length = 0;

	if (status_is_ok(&status))
		status = encode_address(spare_general_names[places->base][0], line->bytes, &length);
	usage->loop[REG_GENERAL + places->base] = true;
	line->length = (uint8_t)length;
	line->distance_at = 1;
	line->target = places->data;
	return status;
}

void filler_address(
	const struct filler_places *places, int offset, struct text *text, uint64_t *target)
{
	text_addf(text, "%s, #%d", spare_general_names[places->base][0], offset);
	*target = 0;
}

static void set_word(struct code_line *line, uint32_t word)
{
	*line = (struct code_line){ .length = sizeof(word) };
	memcpy(line->bytes, &word, sizeof(word));
}

void filler_jump(struct code_line *line)
{
	set_word(line, 0x14000001);
	line->skips = true;
}

/* cbnz xzr, to the next instruction. */
void filler_pass(struct code_line *line)
{
	set_word(line, 0xb500003f);
}

const char filler_load_numbers[] = "ldr q%m, [%v]";
