/* What rename of Golden Cove does: which instructions it splits in a cycle, which ports it chooses,
 * and what it combines. Values in comments were measured on this core. */
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

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
