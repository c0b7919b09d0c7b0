#include <time.h>

#include "base/random.h"
#include "loop_limits.h"

static struct uarch *odd, *banked; /* cores for tests */
static const struct limits_place nowhere;

static struct uarch *load(const char *name)
{
	struct uarch *uarch;

	check_ok(uarch_load(name, "x86_64", &uarch));
	return uarch;
}

static void check_limit(enum limit_kind kind, double cycles, const char *cause)
{
	check_near(cycles_of(kind), cycles, 1e-9);
	assert_string_equal(cause_of(kind), cause);
}

/* Which one binds, how many cycles an iteration, and its cause. */
static void check_bound(const char *name, double cycles, const char *cause)
{
	assert_true(limits.binding >= 0);
	if (strcmp(limit_rows[limits.limit[limits.binding].kind].name, name) ||
		fabs(limits.limit[limits.binding].cycles - cycles) > 1e-6)
		fail_msg("%s %.4f (%s) binds, not %s %.4f",
			limit_rows[limits.limit[limits.binding].kind].name,
			limits.limit[limits.binding].cycles, limits.limit[limits.binding].cause,
			name, cycles);
	assert_string_equal(limits.limit[limits.binding].cause, cause);
	check_near(limits.bound, limits.limit[limits.binding].cpe, 0);
	assert_true(limits.predicted >= limits.bound);
}

static double pressure_of(const char *port)
{
	for (int i = 0; i < limits.port_count; i++)
		if (!strcmp(limits.uarch->port[i], port))
			return limits.pressure[i];
	fail_msg("no port %s", port);
	return 0;
}

/* ---- The figures of "Performance speed limits" (Travis Downs), on Skylake */

TEST(sum_halves_is_limited_by_the_width)
{
	limits_of(*state,
		"mov r8d,dword [rdi+rcx*4]; mov edx,dword [rdi+rcx*4+4]; add rcx,2; mov r11d,r8d; "
		"movzx r8d,r8d; mov r9d,edx; shr r11d,16; movzx edx,edx; shr r9d,16; add edx,r8d; "
		"add r9d,r11d; add eax,edx; add r10d,r9d; cmp rcx,rsi; jb top",
		2);
	check_bound("width", 3.5, "14 fused micro-ops, 4 a cycle");
	check_near(limits.bound, 1.75, 1e-12);
	check_near(limits.slots, 14, 0);
	check_near(limits.instructions, 15, 0);
	assert_true(limits.insn[14].fused);
	check_near(limits.insn[14].slots, 0, 0);
	assert_true(limits.insn[3].eliminated);
	assert_int_equal(limits.unknown, 0);
}

TEST(mul_by_is_limited_by_port_1)
{
	limits_of(*state,
		"mov r10d,dword [rdi+rcx*4+4]; mov r8d,r10d; imul r8d,ecx; imul r8d,edx; imul "
		"r8d,ecx; add rcx,1; imul r8d,r9d; mov r9d,r10d; add eax,r8d; cmp rcx,rsi; jne top",
		1);
	check_bound("ports", 4, "4 multiplications on p1");
	check_near(cycles_of(LIMIT_WIDTH), 2.5, 1e-9);
	check_near(pressure_of("p1"), 4, 1e-9);
	check_near(pressure_of("p2"), 0.5, 1e-9);
	check_near(pressure_of("p3"), 0.5, 1e-9);
	check_near(pressure_of("p4") + pressure_of("p7"), 0, 0);
	assert_true(pressure_of("p0") + pressure_of("p5") + pressure_of("p6") >= 3 - 1e-9);
	assert_true(pressure_of("p0") + pressure_of("p5") + pressure_of("p6") <= 5 + 1e-9);
	assert_int_equal(limits.bottleneck, 2);
	assert_string_equal(limits.insn[0].ports, "p23");
	assert_string_equal(limits.insn[2].ports, "p1");
	assert_string_equal(limits.insn[1].ports, "");
	assert_string_equal(limits.insn[5].ports, "p0156");
}

TEST(mul_chain_is_limited_by_latency)
{
	limits_of(*state, "imul eax,dword [rdi]; add rdi,4; cmp rdi,rdx; jne top", 1);
	check_bound("latency", 3, "chain of 1 multiplication: 3 cycles");
	assert_true(limits.insn[0].carried);
	assert_false(limits.insn[1].carried);
	check_near(cycles_of(LIMIT_WIDTH), 0.75, 1e-9);
	check_near(cycles_of(LIMIT_PORTS), 1, 1e-9);
	limits_of(*state,
		"imul eax,dword [rdi]; imul r8d,dword [rdi+4]; imul r9d,dword [rdi+8]; imul "
		"r10d,dword [rdi+12]; add rdi,16; cmp rdi,rdx; jne top",
		4);
	check_bound("ports", 4, "4 multiplications on p1");
	check_near(limits.bound, 1, 1e-12);
	check_near(cycles_of(LIMIT_LATENCY), 3, 1e-9);
}

TEST(indirect_is_limited_by_its_loads)
{
	limits_of(*state,
		"mov r8d,dword [rsi+rdx*4-4]; add ecx,dword [rdi+r8*4]; mov r8d,dword "
		"[rsi+rdx*4-8]; add eax,dword [rdi+r8*4]; sub rdx,2; jne top",
		2);
	check_bound("loads", 2, "4 loads, 2 a cycle");
	check_near(cycles_of(LIMIT_WIDTH), 1.25, 1e-9);
	limits_of(*state,
		"mov rcx,qword [rsi+rdx*4-8]; mov r9,rcx; mov ecx,ecx; shr r9,32; add eax,dword "
		"[rdi+rcx*4]; add r8d,dword [rdi+r9*4]; sub rdx,2; jne top",
		2);
	check_bound("width", 1.75, "7 fused micro-ops, 4 a cycle");
	limits_of(*state,
		"mov r8,qword [rsi+rdx*4-8]; mov r9d,r8d; shr r8,32; add ecx,dword [rdi+r8*4]; add "
		"eax,dword [rdi+r9*4]; add rdx,-2; jne top",
		2);
	/* Three loads at two a cycle take as long as six micro-ops at four. */
	check_near(limits.bound * 2, 1.5, 1e-9);
	check_near(cycles_of(LIMIT_WIDTH), 1.5, 1e-9);
}

TEST(three_ways_to_address_three_arrays)
{
	limits_of(*state,
		"mov r8d,dword [rsi+rax*4]; add r8d,dword [rdi+rax*4]; mov dword [rdx+rax*4],r8d; "
		"add rax,1; cmp rcx,rax; jne top",
		1);
	check_bound("complex-addressing", 1.5, "3 loads and indexed stores, 2 a cycle");
	limits_of(*state,
		"mov eax,dword [rdx+rsi]; add eax,dword [rdx+rdi]; mov dword [rdx],eax; add rdx,4; "
		"cmp rcx,rdx; ja top",
		1);
	check_bound("width", 1.25, "5 fused micro-ops, 4 a cycle");
	assert_null(find(LIMIT_COMPLEX));
	limits_of(*state,
		"mov r8d,dword [rsi]; add r8d,dword [rdi]; mov dword [rdx],r8d; add rsi,4; add "
		"rdi,4; add rdx,4; cmp rcx,rdx; jne top",
		1);
	check_bound("width", 1.75, "7 fused micro-ops, 4 a cycle");
	assert_true(limits.chain.assumed);
}

/* ---- A core with every number, all different */

#define CORE_HEAD                                             \
	"uarch odd A core for tests\n"                        \
	"isa x86_64\n"                                        \
	"width 4 [M]\n"                                       \
	"ports a0 a1 a2 a3 l10 l11 st [M]\n"                  \
	"units div\n"                                         \
	"set alu a0 a1 a2 a3\n"                               \
	"class move latency 0 ports none [M]\n"               \
	"class zero latency 0 ports none [M]\n"               \
	"class alu latency 1 ports alu [M]\n"                 \
	"class lea latency 1 ports alu [M]\n"                 \
	"class carry latency 1 ports a0 [M]\n"                \
	"class imul latency 3 ports a1 [M]\n"                 \
	"class branch ports a2,a3 [M]\n"                      \
	"class taken ports a3 [M]\n"                          \
	"class load latency 4 ports l10,l11 [M]\n"            \
	"class vload latency 6 ports l10,l11 [M]\n"           \
	"class store ports l10,l11 + st [M]\n"                \
	"class vstore ports l10,l11 + 2*st [M]\n"             \
	"class fadd latency 4 ports a0,a1 [M]\n"              \
	"class div latency 20 slots 2 ports a0 + div:9 [M]\n" \
	"fuse cmp with all [M]\n"
#define CORE_REST                            \
	"cap loads 3 [M]\n"                  \
	"cap loads-vector 1.5 [M]\n"         \
	"cap loads-512 1 [M]\n"              \
	"cap stores 1 [M]\n"                 \
	"cap stores-512 0.5 [M]\n"           \
	"cap memory 2.5 [M]\n"               \
	"cap taken 0.5 [M]\n"                \
	"size rob 100 [M]\n"                 \
	"size opcache 6 [M]\n"               \
	"size tlb1 16 [M]\n"                 \
	"extra forward 7 [M]\n"              \
	"extra forward-renamed 0 [M]\n"      \
	"extra mispredict 20 [M]\n"          \
	"extra tlb2 8 [M]\n"                 \
	"extra alu-saturation 2 [M]\n"       \
	"extra fetch-bytes 16 [M]\n"         \
	"extra decode 2 [M]\n"               \
	"extra misses 10 [M]\n"              \
	"extra split-load 2 [M]\n"           \
	"extra split-store 3 [M]\n"          \
	"cache 1 bytes 1024 latency 4 [M]\n" \
	"cache 2 bytes 4096 latency 14 lines 0.5 [M]\n"

#define CORE_BANKS "cap loads-bank 1 [M]\ncap store-lines 0.5 [M]\n"

static struct uarch *parse(const char *text)
{
	struct uarch *uarch;

	check_ok(uarch_parse(text, "core", &uarch));
	return uarch;
}

static int set_up(void **state)
{
	*state = load("skylake");
	odd = parse(CORE_HEAD CORE_REST);
	banked = parse(CORE_HEAD CORE_REST CORE_BANKS);
	return 0;
}

static int tear_down(void **state)
{
	uarch_free(*state);
	uarch_free(odd);
	uarch_free(banked);
	return 0;
}

TEST(each_rate_has_its_limit)
{
	limits_of(odd,
		"mov rax,[rsi]; mov rbx,[rsi+8]; vmovupd ymm0,[rdi]; vmovupd zmm1,[rdi+64]; mov "
		"[rdx],rax; vmovupd zmmword [r8],zmm1; cmp rcx,rdx; jne top",
		1);
	check_near(cycles_of(LIMIT_LOADS), 4 / 3.0, 1e-9);
	check_near(cycles_of(LIMIT_VECTOR_LOADS), 2 / 1.5, 1e-9);
	check_near(cycles_of(LIMIT_STORES), 2, 1e-9);
	check_near(cycles_of(LIMIT_ADDRESSES), 6 / 2.5, 1e-9);
	check_near(cycles_of(LIMIT_TAKEN), 2, 1e-9);
	check_bound("ports", 3, "1 store, 1 vector store on st");
}

TEST(a_divider_is_no_port)
{
	limits_of(odd, "div rax,rbx; mov rax,rcx; imul r8,r9; cmp rcx,rdx; jne top", 1);
	check_bound("divider", 9, "1 division, 9 cycles of div");
	check_near(cycles_of(LIMIT_PORTS), 1, 1e-9);
	check_near(pressure_of("div"), 9, 1e-9);
	assert_string_equal(limits.insn[0].ports, "a0 + div:9");
	check_near(limits.insn[0].slots, 2, 0);
	check_near(limits.insn[0].latency, 20, 0);
}

TEST(ports_are_named_in_short)
{
	limits_of(odd, "add rax,[rsi]; vmovupd ymmword [rdi],ymm0; add qword [r8],rbx; jne top", 1);
	assert_string_equal(limits.insn[0].ports, "l10,11 + a0-3");
	check_near(limits.insn[0].latency, 5, 0);
	assert_string_equal(limits.insn[1].ports, "l10,11 + 2*st");
	assert_false(uarch_known(limits.insn[1].latency));
	assert_string_equal(limits.insn[2].ports, "l10,11 + l10,11 + st + a0-3");
	assert_string_equal(limits.insn[3].ports, "a3");
}

TEST(splits_count_more_than_once)
{
	struct limits_place place = { .walk.splits = 0.5 };

	limits_of_place(odd, "mov rax,[rsi]; mov rbx,[rsi+8]; jne top", 2, &place);
	check_limit(LIMIT_SPLITS, 1, "2 loads; 1 of them cross a line and count as 2");
	limits_of_place(odd, "mov [rsi],rax; jne top", 2, &place);
	check_near(cycles_of(LIMIT_SPLITS), 3, 1e-9);
	/* Loads or stores? Nobody said: the limit holds for both, and here for loads, which cost
	 * less. */
	limits_of_place(odd, "mov [rsi],rax; mov rbx,[rdi]; jne top", 2, &place);
	check_near(cycles_of(LIMIT_SPLITS), 2 / 3.0, 1e-6);
}

static uint64_t unaligned(int turn, int insn, int operand)
{
	(void)insn, (void)operand;
	return 0x1000 + 60 + 16 * (uint64_t)turn;
}

TEST(splits_are_seen_where_addresses_are)
{
	struct loop loop;

	assembly_loop("mov rax,[rsi]; add rsi,16; jne top", &loop);
	assembly_step(&loop, 8, unaligned); /* of 60 76 92 108 124 …, every fourth crosses */
	limits_compute(&loop, odd, &nowhere, &limits);
	check_limit(LIMIT_SPLITS, 10 / 3.0, "1 load; 0.25 of them cross a line and count as 2");
	loop_free(&loop);
}

/* ---- Banks, and lines stored to */

TEST(loads_of_one_place_share_a_bank)
{
	limits_of(banked, "mov rax,[rsi]; mov rbx,[rsi+64]; mov rcx,[rsi+72]; add rsi,128; jne top",
		1);
	check_limit(LIMIT_BANKS, 2,
		"2 loads at the same offset in their lines, 1 a cycle from one bank");
	/* They overlap in some bytes. */
	limits_of(banked, "vmovupd ymm0,[rsi]; mov rbx,[rsi+80]; add rsi,64; jne top", 1);
	check_near(cycles_of(LIMIT_BANKS), 2, 1e-9);
	/* Another place each turn: turns overlap as they like. Another base: nobody knows.
	 * Neighbours. */
	limits_of(banked, "mov rax,[rsi]; mov rbx,[rsi+64]; add rsi,8; jne top", 1);
	assert_null(find(LIMIT_BANKS));
	limits_of(banked, "mov rax,[rsi]; mov rbx,[rdi+64]; add rsi,64; jne top", 1);
	assert_null(find(LIMIT_BANKS));
	limits_of(banked, "mov rax,[rsi]; mov rbx,[rsi+72]; add rsi,64; jne top", 1);
	assert_null(find(LIMIT_BANKS));
}

static uint64_t two_lines(int turn, int insn, int operand)
{
	(void)operand;
	return 0x1000 + 8 * (uint64_t)turn + (insn == 1 ? 0x800 : 0);
}

TEST(stores_to_many_lines_go_one_by_one)
{
	struct limits_place place = { .walk.scattered = true, .walk.range = 6400, .walk.lines = 2 };
	struct loop loop;

	limits_of(banked, "mov [rsi],rax; mov [rsi+128],rbx; jne top", 1);
	check_limit(
		LIMIT_STORE_LINES, 4, "2 stores, 0.5 lines a cycle: few neighbours share a line");
	/* Three and two in a row: two cycles and one; the other way round none is next to its like.
	 */
	limits_of(banked,
		"mov [rsi],rax; mov [rsi+8],rax; mov [rsi+16],rax; mov [rsi+128],rax; mov "
		"[rsi+136],rax; jne top",
		1);
	check_near(cycles_of(LIMIT_STORE_LINES), 6, 1e-9);
	limits_of(banked,
		"mov [rsi],rax; mov [rsi+128],rax; mov [rsi+8],rax; mov [rsi+136],rax; jne top", 1);
	check_near(cycles_of(LIMIT_STORE_LINES), 8, 1e-9);
	/* May lie in one line, or meets its neighbour of the next turn, or the other base may lead
	 * there. */
	limits_of(banked, "mov [rsi],rax; mov [rsi+56],rbx; jne top", 1);
	assert_null(find(LIMIT_STORE_LINES));
	limits_of(banked, "mov [rsi],rax; mov [rsi+128],rbx; add rsi,128; jne top", 1);
	assert_null(find(LIMIT_STORE_LINES));
	limits_of(banked, "mov [rsi],rax; mov [rdi+128],rbx; jne top", 1);
	assert_null(find(LIMIT_STORE_LINES));
	/* Seen to be apart. */
	assembly_loop("mov [rsi],rax; mov [rdi],rbx; jne top", &loop);
	assembly_step(&loop, 8, two_lines);
	limits_compute(&loop, banked, &nowhere, &limits);
	assert_true(cycles_of(LIMIT_STORE_LINES) > 28);
	loop_free(&loop);
	/* At random places of 100 lines two neighbours meet once in a hundred. */
	limits_of_place(banked, "mov [rsi+rax*8],rcx; mov [rsi+rbx*8],rcx; jne top", 1, &place);
	check_near(cycles_of(LIMIT_STORE_LINES), 2 / 0.5 * 0.99, 1e-9);
}

/* ---- Memory */

TEST(a_chain_waits_for_the_levels_that_it_reaches)
{
	struct limits_place place = { .walk.lines = 1, .walk.scattered = true };
	const char *walk = "mov rax,[rax]; cmp rax,rcx; jne top";

	place.working_set = 1024;
	limits_of_place(odd, walk, 1, &place);
	check_bound("latency", 4, "chain of 1 load: 4 cycles");
	assert_null(find(LIMIT_MEMORY_LATENCY));
	/* A fourth in L1, three fourths in L2. */
	place.working_set = 4096;
	limits_of_place(odd, walk, 1, &place);
	check_bound("memory-latency", 4 * 0.25 + 14 * 0.75,
		"1 chained load at 11.5 cycles: 25 % L1, 75 % L2");
	/* Beyond L2, this machine has to tell. */
	place.working_set = 1024 * 16;
	limits_of_place(odd, walk, 1, &place);
	check_bound("latency", 4, "chain of 1 load: 4 cycles");
	assert_false(find(LIMIT_MEMORY_LATENCY) && find(LIMIT_MEMORY_LATENCY)->known);
	place.cache[2] = 1024 * 8;
	limits_of_place(odd, walk, 1, &place);
	assert_non_null(find(LIMIT_MEMORY_LATENCY));
	assert_false(find(LIMIT_MEMORY_LATENCY)->known);
	assert_string_equal(
		cause_of(LIMIT_MEMORY_LATENCY), "L3 latency of this machine not measured yet");
	place.l3 = (struct memory_level){
		.known = true, .latency = 50, .lines = 0.25, .bytes = 1024 * 4
	};
	place.memory = (struct memory_level){ .known = true, .latency = 300, .lines = 0.1 };
	limits_of_place(odd, walk, 1, &place);
	check_near(
		cycles_of(LIMIT_MEMORY_LATENCY), (4 * 1 + 14 * 4 + 50 * 8 + 300 * 3) / 16.0, 1e-9);
	/* In order, prefetchers follow: no bound. */
	place.walk.scattered = false;
	limits_of_place(odd, walk, 1, &place);
	assert_null(find(LIMIT_MEMORY_LATENCY));
	check_near(cycles_of(LIMIT_MEMORY_LINES), (4 / 0.5 + 8 / 0.25 + 3 / 0.1) / 16, 1e-9);
	/* Two loads of the chain, one new line an element. */
	place.walk.scattered = true;
	limits_of_place(odd, "mov rax,[rax]; mov rax,[rax]; cmp rax,rcx; jne top", 1, &place);
	check_near(cycles_of(LIMIT_MEMORY_LATENCY), 4 + (4 * 1 + 14 * 4 + 50 * 8 + 300 * 3) / 16.0,
		1e-9);
}

TEST(lines_come_at_a_rate)
{
	struct limits_place place = { .walk.lines = 0.125, .working_set = 2048 };

	limits_of_place(odd,
		"vmovupd ymm0,[rsi]; vmovupd ymm1,[rsi+32]; add rsi,64; cmp rsi,rcx; jne top", 8,
		&place);
	check_limit(LIMIT_MEMORY_LINES, 0.5 / 0.5, "1 line at 1 a cycle: 50 % L1, 50 % L2");
	place.working_set = 1 << 20;
	limits_of_place(odd, "vmovupd ymm0,[rsi]; add rsi,64; cmp rsi,rcx; jne top", 8, &place);
	assert_false(find(LIMIT_MEMORY_LINES)->known);
}

/* Columns of 2,048 bytes of lines, gone down again and again, in a matrix of 16 KiB: a cache that
 * holds the columns still gets a line of the matrix with every eighth element. */
TEST(a_walk_within_a_walk_asks_for_both)
{
	struct limits_place place = { .working_set = 48 * 1024,
		.walk.lines = 2,
		.walk.range = 2048,
		.walk.far_lines = 0.125,
		.walk.far_range = 16384,
		.walk.apart = true,
		.page = 4096,
		.cache = { 0, 0, 65536 },
		.l3 = { .known = true, .latency = 50, .lines = 0.25, .bytes = 65536 } };
	const double far = 0.0625 * (1 - 5120.0 / 16384);

	limits_of_place(odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(cycles_of(LIMIT_MEMORY_LINES), 2 * ((0.5 - far) / 0.5 + far / 0.25), 1e-9);
	check_near(limits.beyond[0], 1, 1e-9);
	check_near(limits.beyond[1], 2 * far, 1e-9);
	/* All columns fit the first cache: the matrix does not. */
	place.walk.range = 512;
	limits_of_place(odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(limits.beyond[0], 0.125 * (1 - 1024.0 / 16384), 1e-9);
	/* And then both do. */
	place.walk.far_range = 1024;
	limits_of_place(odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(limits.beyond[0], 0, 0);
	assert_null(find(LIMIT_MEMORY_LINES));
}

TEST(misses_overlap_as_far_as_the_buffer_reaches)
{
	struct limits_place place = { .walk.lines = 1,
		.walk.scattered = true,
		.working_set = 1 << 20,
		.page = 4096,
		.l3 = { .known = true, .latency = 50, .lines = 1, .bytes = 8192 },
		.memory = { .known = true, .latency = 300, .lines = 1 } };
	double miss = (14 * 4.0 + 50 * 8 + 300 * 1011) / 1024;

	limits_of_place(odd,
		"mov rax,[rsi+rdx*8]; add rbx,rax; imul rdx,r8; add rdx,r9; cmp rbx,rcx; jne top",
		1, &place);
	check_near(cycles_of(LIMIT_MISSES), miss / 10, 1e-9);
	check_contains(cause_of(LIMIT_MISSES), "10 at a time in the L1 cache");
	/* So many instructions between two that but four are in the buffer. */
	limits_of_place(odd,
		"mov rax,[rsi+rdx*8]; add rbx,rax; add r8,rax; add r9,rax; add r10,rax; add "
		"r11,rax; add r12,rax; add r13,rax; add r14,rax; add r15,rax; add rbx,rax; add "
		"r8,rax; add r9,rax; add r10,rax; add r11,rax; add r12,rax; add r13,rax; add "
		"r14,rax; add r15,rax; add rbx,rax; add r8,rax; add r9,rax; add r10,rax; add "
		"r11,rax; add r12,rax; imul rdx,rdi; cmp rbx,rcx; jne top",
		1, &place);
	check_near(cycles_of(LIMIT_MISSES), miss / 4, 1e-9);
	check_contains(cause_of(LIMIT_MISSES), "4 at a time in the reorder buffer");
}

/* ---- Soft ones */

TEST(costs_on_top_of_the_bound_are_predicted)
{
	struct limits_place place = { .walk.mispredicts = 0.1 };

	limits_of_place(odd, "imul rax,rbx; imul rax,rcx; cmp rax,rdx; jne top", 1, &place);
	check_bound("latency", 6, "chain of 2 multiplications: 6 cycles");
	check_near(limits.predicted, 8, 1e-9);
	assert_int_equal(limits.limit[limits.predicted_by].kind, LIMIT_MISPREDICTION);
	assert_string_equal(limits.limit[limits.predicted_by].cause,
		"the binding limit, and 0.1 mispredictions of 20 cycles");
	place = (struct limits_place){ .walk.lines = 1,
		.walk.scattered = true,
		.working_set = 4 * 65536.0,
		.page = 4096,
		.cache = { 65536, 1 << 20 },
		.walk.mispredicts = 0.1 };
	limits_of_place(odd, "mov rax,[rax]; cmp rax,rcx; jne top", 1, &place);
	check_near(cycles_of(LIMIT_MEMORY_LATENCY), 4 * 0.25 + 14 * 0.75, 1e-9);
	check_near(cycles_of(LIMIT_PAGE_WALKS), 11.5 + 0.75 * 8, 1e-9);
	check_near(cycles_of(LIMIT_MISPREDICTION), 11.5 + 0.75 * 8 + 2, 1e-9);
}

TEST(the_front_end_has_soft_limits)
{
	struct uarch *uarch = parse(CORE_HEAD CORE_REST),
		     *bare = parse(CORE_HEAD "extra fetch-bytes 5 [M]\nextra decode 2 [M]\n");

	limits_of(uarch,
		"mov rax,[rsi]; add rbx,rax; add rcx,rax; add rdx,rax; add r8,rax; add r9,rax; cmp "
		"rcx,rdx; jne top",
		1);
	check_near(cycles_of(LIMIT_OPCACHE), 8 / 2.0, 1e-9);
	check_contains(
		cause_of(LIMIT_OPCACHE), "beyond the op cache: 8 instructions, 2 decoded a cycle");
	check_near(cycles_of(LIMIT_SATURATION), 6 / 2.0, 1e-9);
	limits_of(uarch, "mov rax,[rsi]; add rbx,rax; cmp rcx,rdx; jne top", 1);
	assert_null(find(LIMIT_OPCACHE));
	limits_of(uarch, "add rbx,rax; cmp rcx,rdx; jne top", 1);
	assert_null(find(LIMIT_SATURATION));
	limits_of(bare, "mov rax,[rsi]; cmp rcx,rdx; jne top", 1);
	check_near(cycles_of(LIMIT_DECODE), 12 / 5.0, 1e-9);
	uarch_free(uarch);
	uarch_free(bare);
}

TEST(forwarding_that_is_not_renamed_is_soft)
{
	limits_of(odd, "imul rax,rbx; mov [rsi+r8*8],rax; mov rax,[rsi+r8*8]; cmp rcx,rdx; jne top",
		1);
	check_near(cycles_of(LIMIT_LATENCY), 3, 1e-9);
	check_near(cycles_of(LIMIT_FORWARDING), 10, 1e-9);
	assert_string_equal(
		cause_of(LIMIT_LATENCY), "chain of 1 multiplication, through memory: 3 cycles");
	check_near(limits.predicted, 10, 1e-9);
	/* Likely to be renamed: what it would cost is shown, not predicted. */
	limits_of(odd, "imul rax,rbx; mov [rsp+8],rax; mov rax,[rsp+8]; cmp rcx,rdx; jne top", 1);
	check_near(cycles_of(LIMIT_LATENCY), 3, 1e-9);
	assert_non_null(find(LIMIT_FORWARDING));
	assert_false(find(LIMIT_FORWARDING)->known);
	check_contains(cause_of(LIMIT_FORWARDING), "10 cycles whenever");
	check_near(limits.predicted, 3, 1e-9);
}

static uint64_t page_apart(int turn, int insn, int operand)
{
	(void)operand;
	return (insn == 0 ? 0x10000 : 0x20000) + 8 * (uint64_t)turn;
}

TEST(aliases_are_shown_without_a_number)
{
	struct loop loop;

	assembly_loop("mov [rsi],rax; mov rbx,[rdi]; jne top", &loop);
	assembly_step(&loop, 4, page_apart);
	limits_compute(&loop, *state, &nowhere, &limits);
	assert_non_null(find(LIMIT_ALIASING));
	assert_false(find(LIMIT_ALIASING)->known);
	check_contains(cause_of(LIMIT_ALIASING), "1 load a multiple of 4 KiB");
	assert_int_equal(limits.limit[limits.limit_count - 1].kind, LIMIT_ALIASING);
	loop_free(&loop);
}

TEST(what_is_split_at_rename_is_soft)
{
	limits_of(*state,
		"vaddsd xmm0,xmm1,qword [rdi+rcx*8]; vaddsd xmm2,xmm3,qword [rsi+rcx*8]; add "
		"rcx,1; cmp rcx,rdx; jne top",
		1);
	check_near(cycles_of(LIMIT_WIDTH), 1, 1e-9);
	check_near(cycles_of(LIMIT_UNLAMINATION), 1.5, 1e-9);
}

/* ---- What must hold of every loop */

/* Ports that are chosen at rename, before anyone knows when what may go to one of them alone will
 * be ready. */
TEST(a_choice_of_port_at_rename_is_soft)
{
	static const char loops[][240] = {
		"imul rax,rcx; add rbx,rcx; imul rdx,rcx; add rsi,rcx; imul rdi,rcx; add r8,rcx; "
		"add r9,rcx; add r10,rcx; add r11,rcx; jne top",
		"adc rax,rcx; imul rbx,rcx; add rdx,rbx; add rsi,rcx; imul rdi,rcx; add r8,rdi; "
		"adc r9,rcx; add r10,r9; jne top",
		"imul rax,rax; add rbx,rcx; add rdx,rcx; add rsi,rcx; imul rdi,rdi; jne top",
		"adc rax,rcx; add rbx,rcx; add rdx,rcx; add rsi,rcx; imul rdi,rcx; add r8,rcx; jne "
		"top",
		"add rax,[rsi]; add rbx,[rsi+8]; imul rcx,[rsi+16]; adc rdx,rdx; add rdi,rdx; jne "
		"top",
		"add rax,rax; cmp rcx,rdx; jne top",
	};
	struct uarch *plain = parse(CORE_HEAD),
		     *binds = parse(CORE_HEAD "extra binds-ports 1 [M]\n");
	int found = 0;

	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		double bound;

		limits_of(plain, loops[i], 1);
		assert_null(find(LIMIT_SCHEDULING));
		bound = limits.bound;
		limits_of(binds, loops[i], 1);
		check_near(limits.bound, bound, 0);
		if (!find(LIMIT_SCHEDULING))
			continue;
		/* Worse than the best assignment, and never so bad as one after the other. */
		assert_true(cycles_of(LIMIT_SCHEDULING) > bound &&
			    cycles_of(LIMIT_SCHEDULING) < limits.slots + 3);
		assert_true(limits.predicted >= find(LIMIT_SCHEDULING)->cpe);
		found++;
	}
	assert_true(found > 0);
	uarch_free(plain);
	uarch_free(binds);
}

TEST(names_are_complete)
{
	for (int kind = 0; kind < LIMIT_COUNT; kind++) {
		assert_true(limit_rows[kind].name && *limit_rows[kind].name &&
			    limit_rows[kind].title && *limit_rows[kind].title);
		assert_int_equal(limit_find(limit_rows[kind].name), kind);
		assert_true(limit_rows[kind].remedy &&
			    limit_rows[kind].remedy[strlen(limit_rows[kind].remedy) - 1] == '.');
	}
	assert_int_equal(limit_find("latencies"), LIMIT_COUNT);
}

TEST(a_loop_of_unknowns_has_no_limit)
{
	limits_of(*state, "zork rax,rbx; zork rax,rcx; quux rdx", 1);
	assert_int_equal(limits.binding, -1);
	assert_int_equal(limits.predicted_by, -1);
	check_near(limits.bound, 0, 0);
	assert_int_equal(limits.unknown, 3);
	assert_string_equal(limits.unknown_names, "zork, quux");
	assert_false(limits.insn[0].known);
}

TEST(a_counter_explains_nothing_that_something_else_does)
{
	limits_of(*state, "imul rax,rbx,3; add rcx,1; cmp rcx,rdx; jne top", 1);
	check_bound("ports", 1, "1 multiplication on p1");
	check_near(cycles_of(LIMIT_LATENCY), 1, 1e-12);
	check_near(cycles_of(LIMIT_TAKEN), 1, 1e-12);
	limits_of(*state, "add rcx,1; jmp next; cmp rcx,rdx; jne top", 1);
	check_bound("taken-branches", 2, "2 taken branches, 1 a cycle");
	limits_of(*state, "add rax,[rdi]; add rdi,8; cmp rdi,rdx; jne top", 1);
	check_bound("latency", 1, "chain of 1 integer operation: 1 cycle");
	assert_true(limits.insn[0].carried);
	assert_false(limits.insn[1].carried);
}

TEST(several_turns_read_like_one)
{
	struct loop loop;

	assembly_loop("mov rax,[rdi]; imul rbx,rax; add rdi,8; cmp rdi,rcx; jne top", &loop);
	assembly_step(&loop, 6, page_apart);
	limits_compute(&loop, *state, &nowhere, &limits);
	check_near(cycles_of(LIMIT_LATENCY), 18, 1e-9);
	check_near(find(LIMIT_LATENCY)->cpe, 3, 1e-9);
	assert_string_equal(cause_of(LIMIT_LATENCY), "chain of 1 multiplication: 3 cycles");
	assert_string_equal(cause_of(LIMIT_WIDTH), "4 fused micro-ops, 4 a cycle");
	assert_string_equal(cause_of(LIMIT_PORTS), "1 multiplication on p1");
	check_near(pressure_of("p1"), 1, 1e-9);
	loop_free(&loop);
}

/* Takes lines out of a core's text, from the line `begin` on one in `one_in`. */
static void thin_out(
	const char *text, struct random *random, int one_in, char *thinner, size_t size)
{
	size_t length = 0;

	while (*text) {
		size_t line = strcspn(text, "\n") + 1;
		bool needed = strncmp(text, "uarch", 5) == 0 || strncmp(text, "isa", 3) == 0 ||
			      strncmp(text, "ports", 5) == 0 || strncmp(text, "units", 5) == 0 ||
			      strncmp(text, "set", 3) == 0 || strncmp(text, "fuse", 4) == 0 ||
			      strncmp(text, "extra forward-renamed", 21) == 0 ||
			      strncmp(text, "width", 5) == 0;

		assert_true(length + line < size);
		if (needed || random_below(random, (uint64_t)one_in)) {
			memcpy(thinner + length, text, line);
			length += line;
		} else if (strncmp(text, "class ", 6) == 0 && random_below(random, 2)) {
			size_t name = 6 + strcspn(text + 6, " ");

			length += (size_t)snprintf(thinner + length, size - length,
				"%.*s ports unknown\n", (int)name, text);
		}
		text += line;
	}
	thinner[length] = '\0';
}

TEST(fewer_facts_never_raise_a_hard_limit)
{
	static const char *const loops[] = {
		"mov rax,[rsi]; add rbx,rax; imul rbx,rcx; mov [rdx],rbx; cmp rcx,rdx; jne top",
		"mov rax,[rax]; add rbx,[rax]; vmovupd ymm0,[rdi]; vaddpd ymm1,ymm1,ymm0; cmp "
		"rcx,rdx; jne top",
		"div rax,rbx; add qword [rsi],rax; adc rcx,[rdi]; lea rdi,[rdi+8]; jne top",
		"vmovsd xmm0,qword [rsi-8]; vaddsd xmm0,xmm0,xmm1; vmovsd qword [rsi],xmm0; add "
		"rsi,8; cmp rsi,rdx; jne top",
	};
	static const char full[] = CORE_HEAD CORE_REST;
	struct limits_place place = { .working_set = 16384,
		.walk.lines = 1,
		.walk.scattered = true,
		.walk.splits = 0.3,
		.l3 = { .known = true, .latency = 50, .lines = 0.5, .bytes = 8192 },
		.memory = { .known = true, .latency = 300, .lines = 0.1 } };
	struct random random = { 17 };
	struct uarch *uarch = parse(full);

	for (int round = 0; round < 400; round++) {
		char text[sizeof(full) + 1024];
		const char *source = loops[round % 4];
		struct uarch *thin;
		double bound, kinds[LIMIT_COUNT];

		place.walk.scattered = round % 8 < 4;
		thin_out(full, &random, 2 + (int)random_below(&random, 6), text, sizeof(text));
		thin = parse(text);
		limits_of_place(uarch, source, 1, &place);
		bound = limits.bound;
		for (int kind = 0; kind < LIMIT_COUNT; kind++)
			kinds[kind] = cycles_of(kind);
		limits_of_place(thin, source, 1, &place);
		if (limits.bound > bound + 1e-9)
			fail_msg("%.3f instead of %.3f (%s) with\n%s", limits.bound, bound,
				limits.limit[limits.binding].cause, text);
		for (int kind = 0; kind < LIMIT_COUNT; kind++)
			if (limit_rows[kind].hard && limit_rows[kind].resource != RESOURCE_MEMORY)
				if (cycles_of(kind) > fmax(0, kinds[kind]) + 1e-9)
					fail_msg("%s %.3f instead of %.3f with\n%s",
						limit_rows[kind].name, cycles_of(kind), kinds[kind],
						text);
		uarch_free(thin);
	}
	uarch_free(uarch);
}

TEST(random_loops_have_finite_limits)
{
	static const char *const words[] = { "add", "imul", "mov", "vaddsd", "xchg", "zork", "inc",
		"lea", "jne", "div", "vpgatherdd" };
	static const char *const shapes[] = { "r,r", "r,m", "v,v,m", "m,r", "t", "[bd]" };
	struct random random = { 23 };
	struct loop loop;

	loop_init(&loop, 64, LOOP_PATH);
	for (int round = 0; round < 2000; round++) {
		struct limits_place place = { .working_set = (double)random_below(&random, 1 << 20),
			.walk.lines = (double)random_below(&random, 3),
			.walk.scattered = random_below(&random, 2),
			.walk.splits = (double)random_below(&random, 3),
			.walk.mispredicts = (double)random_below(&random, 2),
			.page = 4096 };

		if (random_below(&random, 2))
			place.l3 = place.memory = (struct memory_level){
				.known = true, .latency = 50, .lines = 0.1, .bytes = 10000
			};
		loop_clear(&loop);
		loop.insn_count = 1 + (int)random_below(&random, 40);
		for (int i = 0; i < loop.insn_count; i++) {
			struct insn *insn = &loop.insn[i];

			memset(insn, 0, sizeof(*insn));
			insn->address = 64 * (uint64_t)i;
			insn->length =
				(uint8_t)(random_below(&random, 2) ? 64
								   : random_below(&random, 16));
			insn->known = random_below(&random, 8);
			strcpy(insn->mnemonic, words[random_below(&random, 11)]);
			strcpy(insn->shape, shapes[random_below(&random, 6)]);
			insn->flow = (enum insn_flow)random_below(&random, FLOW_OTHER + 1);
			strcpy(insn->condition, random_below(&random, 2) ? "ne" : "");
			insn->read_count = (uint8_t)random_below(&random, INSN_READS + 1);
			insn->write_count = (uint8_t)random_below(&random, INSN_WRITES + 1);
			for (int k = 0; k < INSN_READS; k++)
				insn->reads[k] = (uint8_t)random_next(&random);
			for (int k = 0; k < INSN_WRITES; k++)
				insn->writes[k] = (uint8_t)random_next(&random);
			insn->vector = random_below(&random, 2);
			insn->move = !random_below(&random, 4);
			insn->zeroing = !random_below(&random, 8);
			insn->writeback = random_below(&random, 2);
			insn->address_only = random_below(&random, 2);
			insn->width = (uint16_t)(8u << random_below(&random, 7));
			insn->memory_count = (uint8_t)random_below(&random, INSN_MEMORY + 1);
			for (int k = 0; k < INSN_MEMORY; k++)
				insn->memory[k] =
					(struct insn_memory){ .load = random_below(&random, 2),
						.store = random_below(&random, 2),
						.base = (uint8_t)random_next(&random),
						.index = (uint8_t)random_next(&random),
						.scale = (uint8_t)random_next(&random),
						.accesses = (uint8_t)random_below(&random, 17),
						.size = (uint16_t)random_below(&random, 80),
						.disp = (int64_t)random_next(&random) };
		}
		loop.path_count = (int)random_below(&random, 100);
		for (int s = 0; s < loop.path_count; s++)
			loop.path[s] = (struct loop_step){ .insn = (uint16_t)random_below(&random,
								   (uint64_t)loop.insn_count),
				.taken = random_below(&random, 2),
				.address = { random_below(&random, 9000), random_next(&random) } };
		loop.stepped = random_below(&random, 2);
		loop.turns = 1 + (int)random_below(&random, 4);
		loop.elements = (double)(1 + random_below(&random, 100));
		limits_compute(&loop, random_below(&random, 2) ? odd : *state, &place, &limits);
		assert_true(limits.limit_count <= LIMIT_COUNT);
		for (int i = 0; i < limits.limit_count; i++) {
			const struct limit *limit = &limits.limit[i];

			assert_true(*limit->cause);
			assert_true(
				!limit->known || (isfinite(limit->cycles) && limit->cycles > 0));
			if (i > 0 && limit->known)
				assert_true(limits.limit[i - 1].known &&
					    limits.limit[i - 1].cycles >= limit->cycles - 1e-5);
		}
		assert_true(isfinite(limits.bound) && isfinite(limits.predicted) &&
			    limits.predicted >= limits.bound - 1e-6);
		for (int port = 0; port < limits.port_count; port++)
			assert_true(isfinite(limits.pressure[port]) && limits.pressure[port] >= 0);
	}
	loop_free(&loop);
}

/* ---- How long it takes: told, not judged. */

TEST(time_taken)
{
	struct timespec begin, end;
	char source[4096] = "";
	struct loop loop;

	for (int i = 0; i < 12; i++)
		strcat(source, "mov rax,[rdi+rcx*8]; imul rax,rbx; add rdx,rax; ");
	strcat(source, "mov [rsi+rcx*8],rdx; add rcx,1; cmp rcx,r15; jne top");
	assembly_loop(source, &loop);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < 200; i++)
		limits_compute(&loop, *state, &nowhere, &limits);
	clock_gettime(CLOCK_MONOTONIC, &end);
	print_message("limits of %d instructions: %.1f us\n", loop.path_count,
		((double)(end.tv_sec - begin.tv_sec) * 1e9 +
			(double)(end.tv_nsec - begin.tv_nsec)) /
			1e3 / 200);
	assert_true(limits.binding >= 0);
	loop_free(&loop);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
