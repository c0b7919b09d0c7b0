/* Schedulers that receive one micro-op per cycle each, and ports that take turns. Values were
 * measured on Zen 3. */
#include "loop_limits.h"

static struct uarch *zen3;

static int set_up(void **state)
{
	check_ok(uarch_load("zen3", "x86_64", &zen3));
	return 0;
}

static int tear_down(void **state)
{
	uarch_free(zen3);
	return 0;
}

#define SHIFTS_4 "shlx eax, ecx, r9d; shlx ebx, ecx, r9d; shlx r8d, ecx, r9d; shlx esi, ecx, r9d; "
#define MOVES_4	 "cmovz r10d, r9d; cmovz r11d, r9d; cmovz r12d, r9d; cmovz r13d, r9d; "
#define SUMS_4                                                            \
	"lea r10d, [rcx+rdx]; lea r11d, [rcx+rdx]; lea r12d, [rcx+rdx]; " \
	"lea ebx, [rcx+rdx]; "

/* 4 and 4 take 3.0 cycles, 8 and 8 take 7.0, where their ports allow 2.5 and 4.5. */
TEST(shifts_and_conditional_moves_one_after_the_other)
{
	limits_of(zen3, SHIFTS_4 MOVES_4 "dec rdi; jne", 1);
	check_near(limits.predicted, 3, 0.05);
	limits_of(zen3, SHIFTS_4 SHIFTS_4 MOVES_4 MOVES_4 "dec rdi; jne", 1);
	check_near(limits.predicted, 7, 0.05);
}

/* 12 additions and the end of the loop: 3.25 cycles. */
TEST(additions_fill_all_ports)
{
	limits_of(zen3, SUMS_4 SUMS_4 SUMS_4 "dec rdi; jne", 1);
	check_near(limits.predicted, 3.25, 0.05);
}

/* Three multiplications and 12 additions take 6.0 cycles; the best ports would allow 4. */
TEST(additions_also_go_to_the_port_of_multiplications)
{
	limits_of(zen3,
		"imul eax, ecx, 5; imul r8d, ecx, 5; imul esi, ecx, 5; " SUMS_4 SUMS_4 SUMS_4
		"dec rdi; jne",
		1);
	check_near(limits.predicted, 6, 0.15);
}

/* A chain through the base of an address of three parts takes two cycles, through its index one. */
TEST(an_address_of_three_parts_adds_its_index_last)
{
	limits_of(zen3, "lea rax, [rax+rcx*4+8]; sub rdi, 1; jne", 1);
	check_near(limits.predicted, 2, 0.05);
	limits_of(zen3, "lea rax, [rcx+rax*4+8]; sub rdi, 1; jne", 1);
	check_near(limits.predicted, 1, 0.05);
}

/* Four wide multiplications, one after the other: 4.0 cycles. With six shifts: 6.5; the ports of
 * shifts serve ten micro-ops. */
TEST(a_wide_multiplication_leaves_the_other_port_to_shifts)
{
	limits_of(zen3,
		"mulx r9, r8, rcx; mulx r9, r8, rcx; mulx r9, r8, rcx; mulx r9, r8, rcx; sub rdi, "
		"1; jne",
		1);
	check_near(limits.bound, 4, 0.05);
	limits_of(zen3,
		"mulx r9, r8, rcx; mulx r9, r8, rcx; mulx r9, r8, rcx; mulx r9, r8, rcx; shlx eax, "
		"ecx, r9d; shlx ebx, ecx, r9d; shlx r10d, ecx, r9d; shlx esi, ecx, r9d; shlx r11d, "
		"ecx, r9d; shlx r12d, ecx, r9d; sub rdi, 1; jne",
		1);
	assert_true(limits.bound <= 6.5);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
