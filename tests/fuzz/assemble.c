/* Any line as assembly: it is refused in words, or it becomes one instruction of as many bytes as
 * the decoder reads. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/assemble.h"
#include "model/code/decode.h"

const size_t fuzz_longest = 80;

#if defined(__x86_64__)
const struct fuzz_seed fuzz_seeds[] = {
	FUZZ_TEXT("mov rax, [rbx+rcx*8-16]"),
	FUZZ_TEXT("add dword ptr [rsp+0x1000], 0x7f"),
	FUZZ_TEXT("vaddps zmm0 {k1} {z}, zmm1, [rax]"),
	FUZZ_TEXT("lock add qword ptr [rax], rcx"),
	FUZZ_TEXT("vblendvps ymm0, ymm1, ymm2, ymm3"),
	FUZZ_TEXT("cmovz rax, rcx"),
	FUZZ_TEXT("vpgatherdd ymm0, [rax+ymm1*4], ymm2"),
	FUZZ_TEXT("imul rax, rcx, 18446744073709551615"),
	FUZZ_TEXT("mov ecx, 0xffffffff"),
	FUZZ_TEXT("lea r9, [rip-2147483648]"),
	FUZZ_TEXT("vpcmpd k1 {k2}, zmm1, zmm2, 1"),
	FUZZ_TEXT("shl [rax], cl"),
	{ NULL, 0 },
};
#else
const struct fuzz_seed fuzz_seeds[] = {
	FUZZ_TEXT("add x0, sp, #4096"),
	FUZZ_TEXT("ldr x0, [x1, x2, lsl #3]"),
	FUZZ_TEXT("ldp q0, q1, [sp], #-64"),
	FUZZ_TEXT("mov x0, #-1"),
	FUZZ_TEXT("fadd v0.4s, v1.4s, v2.4s"),
	FUZZ_TEXT("orr w0, w1, #0x55555555"),
	FUZZ_TEXT("ubfx x0, x1, #3, #9"),
	FUZZ_TEXT("tbl v0.16b, {v1.16b}, v2.16b"),
	FUZZ_TEXT("csel x0, x1, xzr, lt"),
	FUZZ_TEXT("prfm pldl1keep, [x0, #8]"),
	FUZZ_TEXT("str q0, [x1, #16]!"),
	FUZZ_TEXT("lsl w0, w1, #31"),
	{ NULL, 0 },
};
#endif

#define check(what) ((what) ? (void)0 : broken(__LINE__, #what, line))

static _Noreturn void broken(int number, const char *what, const char *line)
{
	fprintf(stderr, "tests/fuzz/assemble.c:%d: not so: %s; of \"%s\"\n", number, what, line);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct assembly as;
	unsigned char room[32];
	char line[128] = "";
	struct status status;
	struct insn insn;

	memcpy(line, data, size < sizeof(line) - 1 ? size : sizeof(line) - 1);
	memset(room, 0xa5, sizeof(room));
	assemble_begin(&as, room, 16);
	assemble(&as, "%s", line);
	status = assemble_end(&as);
	for (size_t i = (size_t)(as.at - room); i < sizeof(room); i++)
		check(room[i] == 0xa5);
	if (!status_is_ok(&status)) {
		check(status.code == STATUS_FAILED && status.text[0] && as.at == room);
		return 0;
	}
	check(as.at > room && as.at <= room + 16);
	decode_insn(room, (size_t)(as.at - room), 0x1000, &insn);
	check(!insn.known || insn.length == as.at - room);
	return 0;
}
