/* What Golden Cove does at rename and behind it: which instructions it splits in a cycle, which
 * ports it chooses, what it combines, and what waits for results and stores. Values in comments
 * were measured on this core. */
#include "loop_limits.h"

/* A loop of six copies of a text, and a counter. */
#define PAIRS(text) text text text text text text "sub rdi, 1; jne"

static struct uarch *golden;

static int set_up(void **state)
{
	check_ok(uarch_load("golden-cove", "x86_64", &golden));
	return 0;
}

static int tear_down(void **state)
{
	uarch_free(golden);
	return 0;
}

/* The prediction for one instruction that rename splits, `nops` nops and the branch. */
static double with_split(int nops)
{
	struct words words = words_of("vpand xmm0, xmm1, [rdi+rcx*8]; ");

	for (int i = 0; i < nops; i++)
		words = words_of("%snop; ", words.text);
	limits_of(golden, words_of("%ssub rax, 1; jne", words.text).text, 1);
	return limits.predicted;
}

TEST(rename_splits_two_instructions_in_its_first_three_slots)
{
	check_near(with_split(9), 2.01, 0.02);
	check_near(with_split(10), 2.34, 0.02);
	check_near(with_split(11), 2.51, 0.02);
	for (int nops = 12; nops <= 15; nops++)
		check_near(with_split(nops), 3.0, 0.02);
	check_near(with_split(16), 3.34, 0.02);
	/* It is not the choice of ports that takes the time. */
	assert_null(find(LIMIT_SCHEDULING));
	/* Twelve of them, 25 slots: 5.99 cycles; twelve and a nop behind each second 6.0. */
	limits_of(golden,
		PAIRS("vpand xmm0, xmm1, [rdi+rcx*8]; vpand xmm2, xmm1, [rdi+rcx*8+64]; "), 1);
	check_near(cycles_of(LIMIT_UNLAMINATION), 6, 0.02);
	limits_of(golden,
		PAIRS("vpand xmm0, xmm1, [rdi+rcx*8]; vpand xmm2, xmm1, [rdi+rcx*8+64]; nop; "), 1);
	check_near(cycles_of(LIMIT_UNLAMINATION), 6, 0.02);
}

/* The cause says why 9 micro-ops take 2 cycles, and not 9 / 6. */
TEST(slots_that_stay_empty_are_a_part_of_the_cause)
{
	limits_of(golden,
		"mov eax, [rdi]; add rdi, 4; shr eax, cl; and eax, r8d; add dword ptr "
		"[rdx+rax*4], 1; cmp rsi, rdi; jne",
		1);
	check_near(cycles_of(LIMIT_UNLAMINATION), 2, 0.02);
	check_contains(find(LIMIT_UNLAMINATION)->cause, "at most 2, in its first 3 slots");
	/* All slots of two splits and two other instructions are full. */
	limits_of(golden,
		"vpand xmm0, xmm1, [rdi+rdx*8]; vpand xmm2, xmm1, [rsi+rdx*8]; add rdx, 1; "
		"cmp rdx, rcx; jne",
		1);
	assert_null(strstr(find(LIMIT_UNLAMINATION)->cause, "empty"));
}

/* A sum of bytes and the sum of its sums take 1.11 cycles on Golden Cove. */
TEST(slots_of_golden_cove_take_ports_in_turn)
{
	limits_of(golden,
		"movzx ecx, byte ptr [rsi]; add rsi, 1; add edx, ecx; add eax, edx; cmp rsi, rdi; "
		"jne",
		1);
	check_near(limits.predicted, 1.11, 0.1);
}

/* A set of two micro-ops on Golden Cove reads flags in the first, and the rest of its register in
 * the second: 2.02 cycles with an addition behind it, 3.99 if the comparison is part of the chain.
 */
TEST(a_set_combines_with_its_register_last)
{
	limits_of(golden, "cmp rax, rbx; seta cl; add ecx, edx; sub rsi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 2, 1e-9);
	check_near(limits.predicted, 2, 0.1);
	limits_of(golden, "cmp rcx, rbx; seta cl; add ecx, edx; sub rsi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 4, 1e-9);
}

/* All on port 1: a multiplication of an iteration waits for that of the one before, and keeps the
 * port from one exchange of bytes, whose result would come at the same time: 4.0, 5.0 and 5.0
 * cycles with two, three and three exchanges. Multiplications that wait for none fill these
 * gaps: 4.03. */
TEST(a_late_result_keeps_its_port_from_others)
{
#define SWAPS "bswap edx; bswap ebx; bswap esi; "
	limits_of(golden, "imul r9, rax; bswap edx; bswap ebx; sub rdi, 1; jne", 1);
	check_near(limits.predicted, 4.0, 0.1);
	limits_of(golden, "imul r9, rax; " SWAPS "sub rdi, 1; jne", 1);
	check_near(limits.predicted, 5.0, 0.1);
	limits_of(golden, "imul r9, rax; " SWAPS "rol r8, 25; andn r10, r11, r12; sub rdi, 1; jne",
		1);
	check_near(limits.predicted, 5.0, 0.1);
	limits_of(golden, "imul r9, rax, 7; " SWAPS "sub rdi, 1; jne", 1);
	check_near(limits.predicted, 4.0, 0.1);
#undef SWAPS
	/* Three chains of multiplications on one port fall into step: 3.0 cycles. */
	limits_of(golden, "imul rbx, rbx; imul r9, rax; imul r12, rbx; sub rdi, 1; jne", 1);
	check_near(limits.predicted, 3.0, 0.1);
}

/* Two stores of a byte and a load of both: 15.9 cycles, and 30.9 with 120 nops. Twice: 31.9. */
TEST(a_load_of_two_stores_waits_until_they_are_in_the_cache)
{
#define NOPS_8	"nop; nop; nop; nop; nop; nop; nop; nop; "
#define NOPS_40 NOPS_8 NOPS_8 NOPS_8 NOPS_8 NOPS_8
#define BYTES	"mov [rsi], al; mov [rsi+1], al; movzx ecx, word ptr [rsi]; "
	limits_of(golden, BYTES "sub rdi, 1; jne", 1);
	check_near(limits.predicted, 15.9, 0.3);
	limits_of(golden, BYTES NOPS_40 NOPS_40 NOPS_40 "sub rdi, 1; jne", 1);
	check_near(limits.predicted, 30.9, 0.3);
	limits_of(golden,
		BYTES "mov [rsi+64], al; mov [rsi+65], al; movzx ecx, word ptr [rsi+64]; sub rdi, "
		      "1; jne",
		1);
	check_near(limits.predicted, 31.9, 0.6);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
