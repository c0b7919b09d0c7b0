/* What stands in for the decoder in the statically linked program: Debian builds no archive of
 * Zydis, nor one of Capstone that is the same everywhere. These take the place of decode.c,
 * decode_ARCH.c and step.c, which the linker then leaves out: machine code is not read, so that
 * there are no limits, and that is said. */
#include "model/code/decode.h"
#include "model/code/step.h"

static struct status no_decoder(void)
{
	return status_failed("this program was linked without a decoder; one built "
			     "with make, not make portable, reads machine code");
}

void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn)
{
	(void)bytes;
	(void)size;
	*insn = (struct insn){ .address = address, .length = 1, .text = "(unknown)" };
}

struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop)
{
	(void)code;
	(void)size;
	(void)elements;
	loop_clear(loop);
	return no_decoder();
}

/* The way through code that cannot be read would tell nothing. */
struct status step_loop(const struct step_plan *plan, struct loop *loop)
{
	(void)plan;
	loop_clear(loop);
	return no_decoder();
}
