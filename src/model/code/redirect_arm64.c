/* No copies of AArch64 instructions: only code of x86-64 is changed (see rewrite.h). */
#include "model/code/redirect.h"

size_t redirect_insn(
	const uint8_t *bytes, size_t size, int from, int to, uint8_t copy[REDIRECT_LONGEST])
{
	(void)bytes, (void)size, (void)from, (void)to, (void)copy;
	return 0;
}
