/* What a core does with the best assignment: ports chosen at rename, additions done there, loads
 * linked to stores, copies that keep what is forwarded. Values in comments were measured on Redwood
 * Cove, or on Zen 5 if the comment says so. */
#include "loop_limits.h"
#include "model/limits/tally.h"

/* A loop of six copies of a text, and a counter. */
#define PAIRS(text) text text text text text text "sub rdi, 1; jne"

static struct uarch *redwood, *golden, *zen4, *zen5;

static int set_up(void **state)
{
	check_ok(uarch_load("redwood-cove", "x86_64", &redwood));
	check_ok(uarch_load("golden-cove", "x86_64", &golden));
	check_ok(uarch_load("zen4", "x86_64", &zen4));
	check_ok(uarch_load("zen5", "x86_64", &zen5));
	return 0;
}

static int tear_down(void **state)
{
	uarch_free(redwood);
	uarch_free(golden);
	uarch_free(zen4);
	uarch_free(zen5);
	return 0;
}

/* k independent operations, a counter, and the fused branch: (k + 2) ÷ 5 cycles
 * (0.81, 1.01, 1.21, 1.41, 1.61 for 2…6). The counter's addition is done at rename, but the branch
 * needs the sum. */
TEST(a_counter_that_is_compared_takes_a_port)
{
	limits_of(redwood,
		"lea eax, [rdx+rdx]; lea ebx, [rdx+rdx]; lea r8d, [rdx+rdx]; lea r9d, [rdx+rdx]; "
		"add rcx, 1; cmp rcx, rdi; jne",
		1);
	check_near(cycles_of(LIMIT_PORTS), 6 / 5.0, 1e-9);
	/* One that only addresses use does not. */
	limits_of(redwood,
		"lea eax, [rdx+rdx]; lea ebx, [rdx+rdx]; lea r8d, [rdx+rdx]; lea r9d, [rdx+rdx]; "
		"mov r10, [rcx]; add rcx, 8; add rsi, rdx; cmp rsi, rdi; jne",
		1);
	check_near(cycles_of(LIMIT_PORTS), 6 / 5.0, 1e-9);
}

/* `sub rdi,1` alone is done at rename; fused with its branch it takes its cycle. */
TEST(a_countdown_takes_its_cycle)
{
	limits_of(redwood, "sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 1, 1e-9);
	limits_of(redwood, "add rcx, 1; cmp rcx, rdi; jne", 1);
	assert_true(cycles_of(LIMIT_LATENCY) < 0.5);
}

/* Four chains of additions and a countdown fill the five ports: 1.33 cycles where the limits say 1.
 */
TEST(ports_chosen_at_rename_lose_what_the_best_assignment_has)
{
	limits_of(redwood,
		"add eax, ebx; add ecx, ebx; add edx, ebx; add r8d, ebx; sub rdi, 1; jne", 1);
	check_near(limits.bound, 1, 1e-9);
	assert_true(cycles_of(LIMIT_SCHEDULING) > 1.2 && cycles_of(LIMIT_SCHEDULING) < 1.45);
	/* Whatever the ports do, a long chain is the same. */
	limits_of(redwood, "imul eax, ebx; add rcx, 1; cmp rcx, rdi; jne", 1);
	check_near(limits.bound, 3, 1e-9);
	check_near(limits.predicted, 3, 0.02);
}

/* Measured on Zen 4: a random number generator takes 5.5 cycles, its chain 4; a sum 1.0. */
TEST(rename_of_zen_4_chooses_ports_knowing_the_same_cycle)
{
	limits_of(zen4,
		"mov rdx, rax; mov rcx, rax; add rsi, 4; imul rdx, r10; lea rax, [rdx+rdi]; mov "
		"rdx, rcx; "
		"shr rdx, 18; xor rdx, rcx; shr rcx, 59; shr rdx, 27; ror edx, cl; imul rdx, r8; "
		"shr rdx, 32; "
		"mov [rsi-4], edx; cmp rsi, r9; jne",
		1);
	check_near(limits.bound, 4, 1e-9);
	check_near(limits.predicted, 5, 0.3);
	/* The front end supplies an iteration per cycle, so no operation of the chain waits behind
	 * another. */
	limits_of(zen4, "add eax, [rdx]; add rdx, 4; cmp rdx, rdi; jne", 1);
	check_near(limits.predicted, 1, 0.02);
}

/* A load, an addition and a store to the same place: 7.36 cycles with a register behind the load, 1
 * apart from it. */
TEST(a_load_that_is_one_slot_with_its_operation_is_not_linked_to_its_store)
{
	limits_of(redwood,
		"mov rax, [rsi]; add rax, rdx; mov [rsi], rax; add rcx, 1; cmp rcx, rdi; jne", 1);
	check_near(limits.bound, 1, 1e-9);
	check_near(limits.predicted, 7, 0.1);
	limits_of(redwood,
		"mov rax, [rsi]; mov r8, [rdx]; add rax, r8; mov [rsi], rax; add rcx, 1; cmp "
		"rcx, rdi; jne",
		1);
	check_near(limits.predicted, limits.bound, 0.1);
	limits_of(redwood,
		"mov rax, [rsi]; imul rax, rdx; mov [rsi], rax; add rcx, 1; cmp rcx, rdi; jne", 1);
	check_near(limits.bound, 3, 1e-9);
	check_near(limits.predicted, 3, 0.1);
}

/* Additions of floating-point numbers follow each other after 2 cycles instead of 3, also where the
 * sum was copied between. */
TEST(a_copy_keeps_what_is_forwarded)
{
	limits_of(redwood,
		"vaddsd xmm0, xmm0, xmm1; vaddsd xmm0, xmm0, xmm2; add rcx, 1; cmp rcx, rdi; jne",
		1);
	check_near(cycles_of(LIMIT_LATENCY), 4, 1e-9);
	limits_of(redwood,
		"vaddsd xmm0, xmm0, xmm1; movaps xmm3, xmm0; vaddsd xmm3, xmm3, xmm2; movaps "
		"xmm0, xmm3; add rcx, 1; cmp rcx, rdi; jne",
		1);
	check_near(cycles_of(LIMIT_LATENCY), 4, 1e-9);
}

/* What holds a unit for 4.25 cycles holds it four times in 17, not in 20. */
TEST(fractions_of_cycles_add_up)
{
	struct uarch *uarch;

	check_ok(uarch_parse("uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 p1 [M]\nunits "
			     "slow\nclass popcnt latency 3 ports p1 + slow:4.25 [M]\n"
			     "class bswap latency 1 ports slow:0.5 [M]\nclass nop ports none [M]\n"
			     "class branch ports p0 [M]\nextra binds-ports 1 [M]\n",
		"x", &uarch));
	limits_of(uarch, "popcnt rax, rbx; jne", 1);
	check_near(limits.bound, 4.25, 1e-9);
	check_near(limits.predicted, 4.25, 0.03);
	/* Nor does what takes half a cycle take all of it. */
	limits_of(uarch,
		"bswap eax; bswap ebx; bswap ecx; bswap edx; bswap esi; bswap edi; nop; jne", 1);
	check_near(limits.bound, 3, 1e-9);
	check_near(limits.predicted, 3, 0.1);
	uarch_free(uarch);
}

TEST(an_empty_path_says_nothing)
{
	struct loop loop;

	loop_init(&loop, 4, 4);
	check_near(
		pipeline_run(&(struct tally){ .loop = &loop, .uarch = redwood }, 0, false), 0, 0);
	loop_free(&loop);
}

/* Computes the limits on Zen 4 of a loop whose last branch is mispredicted on fresh data, and whose
 * calls execute `branches` branches. Returns the cycles with mispredictions; -1: unknown. */
static double mispredicted(const char *source, bool fresh, double branches)
{
	struct limits_place place = { .fresh = fresh };
	struct loop loop;

	caches_of_core(zen4, &place);
	assembly_loop(source, &loop);
	loop.path[loop.path_count - 1].wrong = true;
	loop.fresh = loop.elements = 1;
	loop.learnt = 0;
	loop.branches = branches;
	limits_compute(&loop, zen4, &place, &limits);
	loop_free(&loop);
	return cycles_of(LIMIT_MISPREDICTION);
}

/* A branch that can be executed at once costs the core file's number; one that waits for two
 * multiplications costs their latency too. */
TEST(a_misprediction_costs_the_wait_for_its_branch)
{
	double soon = mispredicted("test ebx, ebx; jne", true, 1),
	       late = mispredicted(
		       "mov eax, ebx; imul eax, ecx; imul eax, ecx; test eax, eax; jne", true, 1);

	assert_true(soon >= 19 && soon < 21);
	assert_true(late > soon + 5 && late < soon + 9);
}

/* Learnt branches cost nothing, or the correction of the fast predictor if they are many. */
TEST(learnt_branches_are_not_mispredicted)
{
	assert_true(mispredicted("test ebx, ebx; jne", false, 100) < 0);
	check_contains(cause_of(LIMIT_MISPREDICTION), "on fresh data");
	check_near(mispredicted("test ebx, ebx; jne", false, 5000), 4, 0.2);
}

/* Without the directions of its branches, a loop's prediction says what it lacks. */
TEST(branches_that_were_not_stepped_are_reported)
{
	struct limits_place place = { 0 };
	struct loop loop;

	caches_of_core(zen5, &place);
	assembly_loop("test ebx, ebx; jne", &loop);
	loop.branches = -1;
	limits_compute(&loop, zen5, &place, &limits);
	loop_free(&loop);
	assert_true(cycles_of(LIMIT_MISPREDICTION) < 0);
	check_contains(cause_of(LIMIT_MISPREDICTION), "branches go both ways");
}

/* Zen 5: a comparison and cmovb take 2 cycles in a chain, cmovl and cmova 3. */
TEST(a_conditional_move_of_two_flags_takes_a_cycle_more)
{
	limits_of(zen5, "cmp eax, edx; cmovb eax, edx; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 2, 1e-9);
	limits_of(zen5, "cmp eax, edx; cmovl eax, edx; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 3, 1e-9);
	/* The registers are read a cycle after the flags. */
	limits_of(zen5, "add eax, edx; test esi, esi; cmovl eax, ecx; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 2, 1e-9);
	check_contains(cause_of(LIMIT_LATENCY), "1 integer operation, 1 conditional move");
	limits_of(redwood, "cmp eax, edx; cmovl eax, edx; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_LATENCY), 2, 1e-9);
}

/* Zen 5: a chain through rdx of mul takes 4 cycles, and a chain through rax 3 cycles. mulx is like
 * mul. */
TEST(the_upper_half_of_a_product_comes_a_cycle_later)
{
	static const struct {
		const char *loop;
		double cycles;
	} rows[] = {
		{ "mul rcx; sub rdi, 1; jne", 3 },
		{ "mov rax, rcx; mul rdx; sub rdi, 1; jne", 4 },
		{ "mul rcx; mov rax, rdx; sub rdi, 1; jne", 4 },
		{ "mulx rdx, rsi, rcx; sub rdi, 1; jne", 4 },
		{ "mulx rsi, rdx, rcx; sub rdi, 1; jne", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		limits_of(zen5, rows[i].loop, 1);
		check_near(cycles_of(LIMIT_LATENCY), rows[i].cycles, 1e-9);
	}
}

/* Golden Cove: a remainder comes 4 cycles after the quotient, and the upper half of a product a
 * cycle after the lower one. A multiplication with a sum as one operand takes a cycle longer from
 * the other one too. 512 bits in flight close a port to other vector operations: four operations on
 * two ports then take 4 cycles. */
TEST(golden_cove_has_its_measured_latencies)
{
	static const struct {
		const char *loop;
		enum limit_kind kind;
		double cycles;
	} rows[] = {
		{ "div r8; sub rdi, 1; jne", LIMIT_LATENCY, 18 },
		{ "xor edx, edx; div r8; sub rdi, 1; jne", LIMIT_LATENCY, 14 },
		{ "xor edx, edx; div r8; mov rax, rdx; sub rdi, 1; jne", LIMIT_LATENCY, 18 },
		{ "mul rcx; sub rdi, 1; jne", LIMIT_LATENCY, 3 },
		{ "mul rcx; mov rax, rdx; sub rdi, 1; jne", LIMIT_LATENCY, 4 },
		{ "vmulsd xmm0, xmm0, xmm1; sub rdi, 1; jne", LIMIT_LATENCY, 4 },
		{ "vaddsd xmm3, xmm1, xmm4; vmulsd xmm0, xmm0, xmm3; sub rdi, 1; jne",
			LIMIT_LATENCY, 5 },
		{ "vaddsd xmm3, xmm1, xmm4; movaps xmm5, xmm3; vmulsd xmm0, xmm0, xmm5; sub rdi, "
		  "1; jne",
			LIMIT_LATENCY, 5 },
		{ "vaddsd xmm0, xmm0, xmm1; vmulsd xmm0, xmm0, xmm2; sub rdi, 1; jne",
			LIMIT_LATENCY, 7 },
		{ "vmulpd ymm0, ymm1, ymm2; vmulpd ymm3, ymm1, ymm2; vshufps ymm4, ymm1, ymm2, 1; "
		  "vshufps ymm5, ymm1, ymm2, 1; sub rdi, 1; jne",
			LIMIT_PORTS, 4 / 3.0 },
		{ "vmulpd ymm0, ymm1, ymm2; vmulpd ymm3, ymm1, ymm2; vshufps ymm4, ymm1, ymm2, 1; "
		  "vshufps ymm5, ymm1, ymm2, 1; vmovupd zmm6, [rsi]; sub rdi, 1; jne",
			LIMIT_PORTS, 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		limits_of(golden, rows[i].loop, 1);
		if (fabs(cycles_of(rows[i].kind) - rows[i].cycles) > 1e-9)
			fail_msg("%s: %g for %g cycles", rows[i].loop, cycles_of(rows[i].kind),
				rows[i].cycles);
	}
	/* The micro-ops of a division wait for each other on their port. Its latency contains that.
	 */
	limits_of(golden, "xor edx, edx; div r8; sub rdi, 1; jne", 1);
	assert_false(cycles_of(LIMIT_SCHEDULING) > 14);
}

/* Golden Cove: a sum of products of integers takes 1.64 cycles each, because the sum takes a cycle
 * longer on two of its three ports. A minimum can only go to these two: 2 cycles. A shuffle takes
 * no longer, nor does a sum of permuted values. */
TEST(results_that_cross_come_later_on_some_ports)
{
	limits_of(golden, PAIRS("vpmuludq ymm1, ymm2, ymm3; vpaddq ymm0, ymm0, ymm1; "), 6);
	check_near(cycles_of(LIMIT_LATENCY), 6, 1e-9);
	assert_true(cycles_of(LIMIT_SCHEDULING) > 1.5 * 6 && cycles_of(LIMIT_SCHEDULING) < 1.8 * 6);
	limits_of(golden, PAIRS("vpmuludq ymm1, ymm2, ymm3; vpminud ymm0, ymm0, ymm1; "), 6);
	check_near(cycles_of(LIMIT_LATENCY), 12, 1e-9);
	limits_of(golden, PAIRS("vpmuludq ymm1, ymm2, ymm3; vpshufb ymm0, ymm0, ymm1; "), 6);
	check_near(cycles_of(LIMIT_LATENCY), 6, 1e-9);
	assert_false(cycles_of(LIMIT_SCHEDULING) > 1.2 * 6);
	limits_of(golden, PAIRS("vpermd ymm1, ymm2, ymm3; vpaddq ymm0, ymm0, ymm1; "), 6);
	assert_false(cycles_of(LIMIT_SCHEDULING) > 1.2 * 6);
}

/* Zen 5: 11 copies of vectors take 1.84 cycles. A store and a zeroing idiom count as copies. */
TEST(vector_operations_are_renamed_at_a_rate_of_their_own)
{
	limits_of(zen5,
		"movaps xmm0, xmm7; movaps xmm1, xmm7; movaps xmm2, xmm7; movaps xmm3, xmm7; "
		"movaps xmm4, xmm7; movaps xmm5, xmm7; movaps xmm6, xmm7; movaps xmm0, xmm7; "
		"movaps xmm1, xmm7; movaps xmm2, xmm7; movaps xmm3, xmm7; sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_WIDTH), 11 / 6.0, 1e-9);
	limits_of(zen5,
		"movaps xmm0, xmm7; movaps xmm1, xmm7; movaps xmm2, xmm7; movaps xmm3, xmm7; "
		"movaps xmm4, xmm7; xorps xmm5, xmm5; movss [rsi], xmm0; sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_WIDTH), 7 / 6.0, 1e-9);
	limits_of(zen5,
		"movaps xmm0, xmm7; movaps xmm1, xmm7; movaps xmm2, xmm7; movaps xmm3, xmm7; "
		"movaps xmm4, xmm7; movaps xmm5, xmm7; movss [rsi], xmm0; sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_WIDTH), 7 / 6.0, 1e-9);
}

/* Zen 5: two additions to memory and two loads take 1.23 cycles: each addition computes its address
 * once. Eight loads and four stores take 3.4 cycles. */
TEST(loads_and_stores_compete_for_ports)
{
#define LOADS "mov rax, [rsi]; mov rbx, [rsi+8]; mov rcx, [rsi+16]; mov r8, [rsi+24]; "
	limits_of(zen5,
		"mov rax, [rsi]; mov rbx, [rsi+8]; add dword [rdx], 1; add dword [rdx+64], 1; "
		"sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_ADDRESSES), 1, 1e-9);
	limits_of(zen5,
		LOADS LOADS "mov [rdx], r9; mov [rdx+8], r9; mov [rdx+16], r9; mov [rdx+24], r9; "
			    "sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_ADDRESSES), 3, 1e-9);
	check_near(limits.predicted, 3.4, 0.3);
#undef LOADS
}

/* Zen 5: 8 copies and a load take 1.67 cycles, 6 copies and 2 loads 1.56, 5 copies and a load 1.00.
 */
TEST(a_vector_load_takes_more_than_a_slot)
{
#define COPIES_5                                                                       \
	"movaps xmm0, xmm7; movaps xmm1, xmm7; movaps xmm2, xmm7; movaps xmm3, xmm7; " \
	"movaps xmm4, xmm7; "
	limits_of(zen5, COPIES_5 "movaps xmm5, [rsi]; sub rdi, 1; jne", 1);
	check_near(limits.predicted, 1, 0.01);
	limits_of(zen5,
		COPIES_5 "movaps xmm0, xmm7; movaps xmm5, [rsi]; movaps xmm6, [rsi+8]; "
			 "sub rdi, 1; jne",
		1);
	check_near(limits.predicted, 1.56, 0.05);
	check_near(limits.bound, 8 / 6.0, 1e-9);
	limits_of(zen5,
		COPIES_5 "movaps xmm0, xmm7; movaps xmm1, xmm7; movaps xmm2, xmm7; "
			 "movaps xmm6, [rsi]; sub rdi, 1; jne",
		1);
	check_near(limits.predicted, 1.67, 0.06);
#undef COPIES_5
}

/* Zen 5: four stores next to 24 moves take 4.86 cycles, as 28 moves would: a port of the integer
 * operations delivers a store's data. */
TEST(the_data_of_a_store_needs_an_integer_port)
{
	limits_of(zen5,
		"mov eax, 5; mov ecx, 5; mov edx, 5; mov r8d, 5; mov r9d, 5; mov [rsi], r10; "
		"sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_PORTS), 7 / 6.0, 1e-9);
	limits_of(zen5,
		"mov eax, 5; mov ecx, 5; mov edx, 5; mov r8d, 5; mov r9d, 5; movss [rsi], xmm0; "
		"sub rdi, 1; jne",
		1);
	check_near(cycles_of(LIMIT_PORTS), 1, 1e-9);
}

/* Zen 5: an operation that needs the result of a competing operation is selected too early, and
 * loses a cycle of a port. Twelve pairs and a counter take 6.85 cycles, where the ports allow 4.17;
 * as many independent operations take 4.28. With two nops for each pair, rename supplies so few
 * pairs that they do not compete: 6.11 cycles. */
TEST(competing_operations_that_depend_on_each_other_lose_cycles_of_ports)
{
	limits_of(zen5, PAIRS("mov eax, 5; add eax, 1; mov ecx, 5; add ecx, 1; "), 1);
	check_near(cycles_of(LIMIT_PORTS), 25 / 6.0, 1e-9);
	check_near(cycles_of(LIMIT_SCHEDULING), 6.4, 0.6);
	limits_of(zen5, PAIRS("mov eax, 5; mov edx, 5; mov ecx, 5; mov r8d, 5; "), 1);
	assert_true(limits.limit[limits.predicted_by].kind != LIMIT_SCHEDULING);
	limits_of(zen5,
		PAIRS("mov eax, 5; add eax, 1; nop; nop; mov ecx, 5; add ecx, 1; nop; nop; "), 1);
	assert_true(limits.limit[limits.predicted_by].kind != LIMIT_SCHEDULING);
}

/* A division has one port: it waits for a place in the part of the scheduler that has this port.
 * Measured on Zen 5: 19 pairs and a division take 11.6 cycles, and their ports allow 6.8. */
TEST(a_division_finds_the_part_with_its_port)
{
	limits_of(zen5,
		"mov eax, 5; mov edx, 0; div r9d; " PAIRS(
			"lea ecx, [rsi]; add ecx, 1; lea r8d, [rsi]; add r8d, 1; lea "
			"r10d, [rsi]; add r10d, 1; "),
		1);
	assert_true(cycles_of(LIMIT_SCHEDULING) > 1.2 * cycles_of(LIMIT_PORTS));
}

/* Zen 5: 24 operations wait for a row of ten multiplications, 30 cycles long, and 36 wait in the
 * next loop: 13.98 and 19.77 cycles. An entry of the scheduler is free again some cycles after its
 * operation has started. */
TEST(operations_that_have_started_keep_their_entries)
{
#define ROW   "mov edx, r15d; " MUL_5 MUL_5
#define MUL_5 "imul edx, r14d; imul edx, r14d; imul edx, r14d; imul edx, r14d; imul edx, r14d; "
#define WAIT_6                                                                                 \
	"lea eax, [rdx]; lea ecx, [rdx]; lea esi, [rdx]; lea r8d, [rdx]; lea r9d, [rdx]; lea " \
	"r10d, [rdx]; "
	limits_of(zen5, ROW WAIT_6 WAIT_6 WAIT_6 WAIT_6 "sub rdi, 1; jne", 1);
	check_near(limits.predicted, 13.98, 0.6);
	limits_of(zen5, ROW WAIT_6 WAIT_6 WAIT_6 WAIT_6 WAIT_6 WAIT_6 "sub rdi, 1; jne", 1);
	check_near(limits.predicted, 19.77, 1.8);
#undef ROW
#undef MUL_5
#undef WAIT_6
}

/* Zen 5: the load reads the bytes of two stores, so it waits until both are in the cache. The
 * instructions between the load and the next stores retire after it: 20.94 cycles with 40 nops.
 * Instructions between the stores and the load cost nothing more: 15.98 cycles. */
TEST(a_load_of_two_stores_waits_and_what_follows_retires_later)
{
#define NOPS_8	"nop; nop; nop; nop; nop; nop; nop; nop; "
#define NOPS_40 NOPS_8 NOPS_8 NOPS_8 NOPS_8 NOPS_8
#define STORES	"mov [rsi], rax; mov [rsi+8], rcx; "
	limits_of(zen5, STORES "movdqa xmm0, [rsi]; " NOPS_40 "sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_FORWARDING), 20.94, 0.5);
	limits_of(zen5, STORES NOPS_40 "movdqa xmm0, [rsi]; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_FORWARDING), 15.98, 0.5);
	limits_of(zen5, STORES NOPS_40 "mov rdx, [rsi]; sub rdi, 1; jne", 1);
	assert_true(limits.limit[limits.predicted_by].kind != LIMIT_FORWARDING);
}

/* Zen 5: runs of square roots (4.5 cycles each) and of divisions (2.5) take whole cycles. One of
 * each takes 8 to 9 cycles, two square roots and a division 12. */
TEST(runs_of_one_class_on_the_divider_take_whole_cycles)
{
	limits_of(zen5, "sqrtps xmm0, xmm8; divps xmm4, xmm8; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_DIVIDER), 7, 1e-9);
	check_near(cycles_of(LIMIT_SCHEDULING), 8, 1e-9);
	limits_of(
		zen5, "sqrtps xmm0, xmm8; divps xmm4, xmm8; sqrtps xmm1, xmm8; sub rdi, 1; jne", 1);
	check_near(cycles_of(LIMIT_SCHEDULING), 12, 1e-9);
	limits_of(zen5, "sqrtps xmm0, xmm8; sqrtps xmm1, xmm8; sub rdi, 1; jne", 1);
	assert_true(limits.limit[limits.predicted_by].kind != LIMIT_SCHEDULING);
}

/* Zen 5: rename binds vector operations to ports, so that operations of a chain wait although
 * another port is free. Eight chains in random order take 8.91 cycles, where ports and chains allow
 * 7. A chain alone waits for no port. */
TEST(vector_operations_bound_at_rename_wait_for_their_port)
{
	limits_of(zen5,
		"pshufb xmm6, xmm13; paddd xmm0, xmm13; addps xmm1, xmm14; "
		"paddd xmm7, xmm14; paddd xmm6, xmm13; pshufb xmm3, xmm14; "
		"addps xmm6, xmm13; addps xmm5, xmm14; pshufb xmm2, xmm13; "
		"paddd xmm4, xmm13; paddd xmm2, xmm13; addps xmm4, xmm13; paddd xmm3, xmm14; "
		"addps xmm3, xmm14; paddd xmm5, xmm14; addps xmm2, xmm13; "
		"pshufb xmm1, xmm14; addps xmm7, xmm14; pshufb xmm7, xmm14; "
		"addps xmm0, xmm13; pshufb xmm0, xmm13; paddd xmm1, xmm14; "
		"pshufb xmm5, xmm14; pshufb xmm4, xmm13; "
		"sub rdi, 1; jne",
		1);
	check_near(limits.bound, 7, 1e-9);
	check_near(cycles_of(LIMIT_SCHEDULING), 8.91, 1);
	limits_of(zen5, "addps xmm0, xmm8; mulps xmm0, xmm9; sub rdi, 1; jne", 1);
	assert_true(limits.limit[limits.predicted_by].kind != LIMIT_SCHEDULING);
}

/* Zen 5: a store of 64 bytes and 1, 2, 3 and 5 multiply-adds take 1.6, 2.1, 2.5 and 3.5 cycles. Two
 * operations with two sources and the store take 1.07. */
TEST(a_third_source_needs_a_port_of_store_data)
{
#define MULTIPLY_ADD(to) "movaps zmm" to ", zmm10; vfmadd231ps zmm" to ", zmm8, zmm8; "
#define STORE		 "vmovups [rdx], zmm11; sub rdi, 1; jne"
	limits_of(zen5, MULTIPLY_ADD("0") STORE, 1);
	check_near(cycles_of(LIMIT_SCHEDULING), 1.5, 0.1);
	check_near(limits.bound, 1, 1e-9);
	limits_of(zen5, MULTIPLY_ADD("0") MULTIPLY_ADD("1") MULTIPLY_ADD("2") STORE, 1);
	check_near(cycles_of(LIMIT_SCHEDULING), 2.5, 0.1);
	limits_of(zen5,
		"vmulps zmm0, zmm8, zmm9; vmulps zmm1, zmm8, [rsi]; vmovups [rdx], zmm11; "
		"sub rdi, 1; jne",
		1);
	assert_true(cycles_of(LIMIT_SCHEDULING) < 1.2);
#undef STORE
#undef MULTIPLY_ADD
}

/* Zen 5: eight multiply-adds of 256 bits and four stores take 4.02 cycles, as without stores. */
TEST(a_third_source_of_256_bits_needs_no_further_port)
{
#define MULTIPLY_ADD(to) "movaps ymm" to ", ymm13; vfmadd213ps ymm" to ", ymm14, ymm15; "
	limits_of(zen5,
		MULTIPLY_ADD("0") MULTIPLY_ADD("1") MULTIPLY_ADD("2") MULTIPLY_ADD("3")
			MULTIPLY_ADD("4") MULTIPLY_ADD("5") MULTIPLY_ADD("6")
				MULTIPLY_ADD("7") "vmovups [rdx], ymm0; vmovups [rdx+32], ymm1; "
						  "vmovups [rdx+64], ymm2; vmovups [rdx+96], ymm3; "
						  "sub rdi, 1; jne",
		1);
	check_near(limits.predicted, 4.02, 0.05);
#undef MULTIPLY_ADD
}

/* Zen 5: two multiplications and four additions take 1.40 cycles, one and eight 1.86, a full one
 * and six 1.68. Six multiplications alone take 2.01. */
TEST(late_results_keep_ports_from_other_operations)
{
#define ADDITIONS_4 "lea r8, [rsi+1]; lea r9, [rsi+2]; lea r10, [rsi+3]; lea r11, [rsi+4]; "
#define ADDITIONS_2 "lea r12, [rsi+5]; lea r13, [rsi+6]; "
#define LOOP_END    "sub rdi, 1; jne"
	limits_of(zen5, "imul rax, rsi, 3; imul rcx, rsi, 3; " ADDITIONS_4 LOOP_END, 1);
	check_near(limits.predicted, 1.40, 0.05);
	limits_of(zen5,
		"imul rax, rsi, 3; " ADDITIONS_4 ADDITIONS_2
		"lea r14, [rsi+7]; lea r15, [rsi+8]; " LOOP_END,
		1);
	check_near(limits.predicted, 1.86, 0.05);
	limits_of(zen5, "mulx rax, rcx, rsi; " ADDITIONS_4 ADDITIONS_2 LOOP_END, 1);
	check_near(limits.predicted, 1.68, 0.05);
	limits_of(zen5,
		"imul rax, rsi, 3; imul rcx, rsi, 3; imul rdx, rsi, 3; imul r8, rsi, 3; "
		"imul r9, rsi, 3; imul r10, rsi, 3; " LOOP_END,
		1);
	check_near(limits.predicted, 2.01, 0.05);
#undef LOOP_END
#undef ADDITIONS_2
#undef ADDITIONS_4
}

/* Zen 5: two copies of 32 bytes take 1.49 cycles. Four loads and a store take 2.0. */
TEST(loads_and_stores_of_vectors_compete)
{
	limits_of(zen5,
		"vmovups ymm0, [rsi]; vmovups ymm1, [rsi+32]; vmovups [rdx], ymm0; "
		"vmovups [rdx+32], ymm1; sub rdi, 1; jne",
		1);
	check_near(limits.predicted, 1.49, 0.1);
	limits_of(zen5,
		"vmovups ymm0, [rsi]; vmovups ymm1, [rsi+32]; vmovups ymm2, [rsi+64]; "
		"vmovups ymm3, [rsi+96]; vmovups [rdx], ymm0; sub rdi, 1; jne",
		1);
	check_near(limits.predicted, 2.0, 0.05);
}

/* Zen 5: four copies with an addition to each, and the end of the loop, take 1.00 cycles: nine
 * slots would take 1.13. Four shifts to the right need slots of their own. */
TEST(a_copy_and_an_addition_to_it_share_a_slot)
{
#define CHANGED(to, change) "mov " to ", rsi; " change " " to ", 5; "
#define FOUR(change) \
	CHANGED("rax", change) CHANGED("rcx", change) CHANGED("r8", change) CHANGED("r9", change)
	limits_of(zen5, FOUR("add") "sub rdi, 1; jne", 1);
	check_near(limits.slots, 5, 1e-9);
	check_near(limits.bound, 1, 1e-9);
	limits_of(zen5, FOUR("shr") "sub rdi, 1; jne", 1);
	check_near(limits.slots, 9, 1e-9);
#undef FOUR
#undef CHANGED
}

/* Exchanges are done at rename. Each has two inputs, so that a row of them has 2^36 paths. */
TEST(a_row_of_exchanges_is_simulated_in_linear_time)
{
	limits_of(zen5,
		"imul rax, rcx; " PAIRS("xchg rax, rdx; xchg rax, rdx; xchg rax, rdx; "
					"xchg rax, rdx; xchg rax, rdx; xchg rax, rdx; "
					"add r8d, 1; add r9d, 1; add r10d, 1; add r11d, 1; "
					"add r8d, 1; add r9d, 1; add r10d, 1; add r11d, 1; "
					"add r8d, 1; add r9d, 1; add r10d, 1; add r11d, 1; "),
		1);
	assert_true(limits.predicted > 9);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
