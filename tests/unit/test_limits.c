/* The limits of loops of assembly: rows of a loop and its limits first, then other properties. */
#include <time.h>

#include "base/random.h"
#include "loop_limits.h"

/* ---- The cores: Skylake, and a core with every number, all different */

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

enum core { SKYLAKE, ODD, BANKED, FETCHING, CORES };
static struct uarch *cores[CORES];
static struct uarch *const *const odd = &cores[ODD];
static const struct limits_place nowhere;

static struct uarch *parse(const char *text)
{
	struct uarch *uarch;

	check_ok(uarch_parse(text, "core", &uarch));
	return uarch;
}

static int set_up(void **state)
{
	check_ok(uarch_load("skylake", "x86_64", &cores[SKYLAKE]));
	cores[ODD] = parse(CORE_HEAD CORE_REST);
	cores[BANKED] = parse(CORE_HEAD CORE_REST CORE_BANKS);
	cores[FETCHING] = parse(CORE_HEAD "extra fetch-bytes 5 [M]\nextra decode 2 [M]\n");
	*state = cores[SKYLAKE];
	return 0;
}

static int tear_down(void **state)
{
	for (int i = 0; i < CORES; i++)
		uarch_free(cores[i]);
	return 0;
}

static double pressure_of(const char *port)
{
	for (int i = 0; i < limits.port_count; i++)
		if (!strcmp(limits.uarch->port[i], port))
			return limits.pressure[i];
	fail_msg("no port %s", port);
	return 0;
}

/* Addresses of steps. */
static uint64_t unaligned(int turn, int insn, int operand)
{
	return 0x1000 + 60 + 16 * (uint64_t)turn;
}

static uint64_t page_apart(int turn, int insn, int operand)
{
	return (insn == 0 ? 0x10000 : 0x20000) + 8 * (uint64_t)turn;
}

static uint64_t two_lines(int turn, int insn, int operand)
{
	return 0x1000 + 8 * (uint64_t)turn + (insn == 1 ? 0x800 : 0);
}

/* Places of walks. */
static const struct limits_place half_split = { .walk.splits = 0.5 };
static const struct limits_place two_scattered = {
	.walk = { .scattered = true, .range = 6400, .lines = 2 }
};
static const struct limits_place eighth_of_2_kib = { .walk.lines = 0.125, .working_set = 2048 };
static const struct limits_place eighth_of_1_mib = { .walk.lines = 0.125, .working_set = 1 << 20 };
static const struct limits_place mispredicting = { .walk.mispredicts = 0.1 };
static const struct limits_place paged = {
	.walk = { .lines = 1, .scattered = true, .mispredicts = 0.1 },
	.working_set = 4 * 65536.0,
	.page = 4096,
	.cache = { 65536, 1 << 20 }
};
#define SCATTERED .walk = { .lines = 1, .scattered = true }
#define L3_AND_MEMORY                                                                           \
	.cache[2] = 8192, .l3 = { .known = true, .latency = 50, .lines = 0.25, .bytes = 4096 }, \
	.memory = { .known = true, .latency = 300, .lines = 0.1 }
static const struct limits_place scattered_1_kib = { SCATTERED, .working_set = 1024 };
static const struct limits_place scattered_4_kib = { SCATTERED, .working_set = 4096 };
static const struct limits_place scattered_16_kib = { SCATTERED, .working_set = 16384 };
static const struct limits_place l3_unmeasured = { SCATTERED, .working_set = 16384,
	.cache[2] = 8192 };
static const struct limits_place all_levels = { SCATTERED, .working_set = 16384, L3_AND_MEMORY };
static const struct limits_place in_order = {
	.walk.lines = 1, .working_set = 16384, L3_AND_MEMORY
};
static const struct limits_place missing = { SCATTERED, .working_set = 1 << 20, .page = 4096,
	.l3 = { .known = true, .latency = 50, .lines = 1, .bytes = 8192 },
	.memory = { .known = true, .latency = 300, .lines = 1 } };
#define MISS	   ((14 * 4.0 + 50 * 8 + 300 * 1011) / 1024)
#define ALL_LEVELS ((4 * 1 + 14 * 4 + 50 * 8 + 300 * 3) / 16.0)

/* ---- Loops and their limits */

enum { ABSENT = -2, UNKNOWN = -1 };

/* What a loop must have. */
static const struct expected {
	enum core core;
	const char *source; /* NULL: as the row before */
	struct {
		enum limit_kind kind;
		double cycles;	   /* or ABSENT, UNKNOWN; 0: no more limits */
		const char *cause; /* NULL: any */
	} limit[4];
	const struct limits_place *place; /* NULL: nowhere */
	double elements;		  /* 0: 1 */
	double predicted;		  /* cycles; 0: any */
	bool binds;			  /* the first limit binds */
	uint64_t (*address)(int turn, int insn, int operand);
	int turns;
} expected[] = {
	/* The loops of "Performance speed limits" (Travis Downs), on Skylake. */
	{ SKYLAKE,
		"mov r8d,dword [rdi+rcx*4]; mov edx,dword [rdi+rcx*4+4]; add rcx,2; mov r11d,r8d; "
		"movzx r8d,r8d; mov r9d,edx; shr r11d,16; movzx edx,edx; shr r9d,16; add edx,r8d; "
		"add r9d,r11d; add eax,edx; add r10d,r9d; cmp rcx,rsi; jb top",
		{ { LIMIT_WIDTH, 3.5, "14 fused micro-ops, 4 a cycle" } }, .elements = 2,
		.binds = true },
	{ SKYLAKE,
		"mov r10d,dword [rdi+rcx*4+4]; mov r8d,r10d; imul r8d,ecx; imul r8d,edx; imul "
		"r8d,ecx; add rcx,1; imul r8d,r9d; mov r9d,r10d; add eax,r8d; cmp rcx,rsi; jne top",
		{ { LIMIT_PORTS, 4, "4 multiplications on p1" }, { LIMIT_WIDTH, 2.5 } },
		.binds = true },
	{ SKYLAKE, "imul eax,dword [rdi]; add rdi,4; cmp rdi,rdx; jne top",
		{ { LIMIT_LATENCY, 3, "chain of 1 multiplication: 3 cycles" },
			{ LIMIT_WIDTH, 0.75 }, { LIMIT_PORTS, 1 } },
		.binds = true },
	{ SKYLAKE,
		"imul eax,dword [rdi]; imul r8d,dword [rdi+4]; imul r9d,dword [rdi+8]; imul "
		"r10d,dword [rdi+12]; add rdi,16; cmp rdi,rdx; jne top",
		{ { LIMIT_PORTS, 4, "4 multiplications on p1" }, { LIMIT_LATENCY, 3 } },
		.elements = 4, .binds = true },
	{ SKYLAKE,
		"mov r8d,dword [rsi+rdx*4-4]; add ecx,dword [rdi+r8*4]; mov r8d,dword "
		"[rsi+rdx*4-8]; add eax,dword [rdi+r8*4]; sub rdx,2; jne top",
		{ { LIMIT_LOADS, 2, "4 loads, 2 a cycle" }, { LIMIT_WIDTH, 1.25 } }, .elements = 2,
		.binds = true },
	{ SKYLAKE,
		"mov rcx,qword [rsi+rdx*4-8]; mov r9,rcx; mov ecx,ecx; shr r9,32; add eax,dword "
		"[rdi+rcx*4]; add r8d,dword [rdi+r9*4]; sub rdx,2; jne top",
		{ { LIMIT_WIDTH, 1.75, "7 fused micro-ops, 4 a cycle" } }, .elements = 2,
		.binds = true },
	/* Three loads at two a cycle take as long as six micro-ops at four. */
	{ SKYLAKE,
		"mov r8,qword [rsi+rdx*4-8]; mov r9d,r8d; shr r8,32; add ecx,dword [rdi+r8*4]; add "
		"eax,dword [rdi+r9*4]; add rdx,-2; jne top",
		{ { LIMIT_WIDTH, 1.5 }, { LIMIT_LOADS, 1.5 } }, .predicted = 1.5, .elements = 2 },
	{ SKYLAKE,
		"mov r8d,dword [rsi+rax*4]; add r8d,dword [rdi+rax*4]; mov dword [rdx+rax*4],r8d; "
		"add rax,1; cmp rcx,rax; jne top",
		{ { LIMIT_COMPLEX, 1.5, "3 loads and indexed stores, 2 a cycle" } },
		.binds = true },
	{ SKYLAKE,
		"mov eax,dword [rdx+rsi]; add eax,dword [rdx+rdi]; mov dword [rdx],eax; add rdx,4; "
		"cmp rcx,rdx; ja top",
		{ { LIMIT_WIDTH, 1.25, "5 fused micro-ops, 4 a cycle" },
			{ LIMIT_COMPLEX, ABSENT } },
		.binds = true },
	{ SKYLAKE,
		"mov r8d,dword [rsi]; add r8d,dword [rdi]; mov dword [rdx],r8d; add rsi,4; add "
		"rdi,4; add rdx,4; cmp rcx,rdx; jne top",
		{ { LIMIT_WIDTH, 1.75, "7 fused micro-ops, 4 a cycle" } }, .binds = true },
	/* Micro-ops that are split at rename are a soft limit. */
	{ SKYLAKE,
		"vaddsd xmm0,xmm1,qword [rdi+rcx*8]; vaddsd xmm2,xmm3,qword [rsi+rcx*8]; add "
		"rcx,1; cmp rcx,rdx; jne top",
		{ { LIMIT_WIDTH, 1 }, { LIMIT_UNLAMINATION, 1.5 } } },
	/* A loop counter does not bind where another limit is as high. */
	{ SKYLAKE, "imul rax,rbx,3; add rcx,1; cmp rcx,rdx; jne top",
		{ { LIMIT_PORTS, 1, "1 multiplication on p1" }, { LIMIT_LATENCY, 1 },
			{ LIMIT_TAKEN, 1 } },
		.binds = true },
	{ SKYLAKE, "add rcx,1; jmp next; cmp rcx,rdx; jne top",
		{ { LIMIT_TAKEN, 2, "2 taken branches, 1 a cycle" } }, .binds = true },
	{ SKYLAKE, "add rax,[rdi]; add rdi,8; cmp rdi,rdx; jne top",
		{ { LIMIT_LATENCY, 1, "chain of 1 integer operation: 1 cycle" } }, .binds = true },

	/* Each rate has its limit. */
	{ ODD,
		"mov rax,[rsi]; mov rbx,[rsi+8]; vmovupd ymm0,[rdi]; vmovupd zmm1,[rdi+64]; mov "
		"[rdx],rax; vmovupd zmmword [r8],zmm1; cmp rcx,rdx; jne top",
		{ { LIMIT_PORTS, 3, "1 store, 1 vector store on st" }, { LIMIT_LOADS, 4 / 3.0 },
			{ LIMIT_VECTOR_LOADS, 2 / 1.5 }, { LIMIT_STORES, 2 } },
		.binds = true },
	{ ODD, NULL, { { LIMIT_ADDRESSES, 6 / 2.5 }, { LIMIT_TAKEN, 2 } } },
	{ ODD, "div rax,rbx; mov rax,rcx; imul r8,r9; cmp rcx,rdx; jne top",
		{ { LIMIT_DIVIDER, 9, "1 division, 9 cycles of div" }, { LIMIT_PORTS, 1 } },
		.binds = true },

	/* Accesses that cross lines count more than once. */
	{ ODD, "mov rax,[rsi]; mov rbx,[rsi+8]; jne top",
		{ { LIMIT_SPLITS, 1, "2 loads; 1 of them cross a line and count as 2" } },
		&half_split, .elements = 2 },
	{ ODD, "mov [rsi],rax; jne top", { { LIMIT_SPLITS, 3 } }, &half_split, .elements = 2 },
	/* Loads or stores are unknown: the limit holds for both, so the cheaper loads count. */
	{ ODD, "mov [rsi],rax; mov rbx,[rdi]; jne top", { { LIMIT_SPLITS, 2 / 3.0 } }, &half_split,
		.elements = 2 },
	/* Of 60 76 92 108 124 … every fourth crosses a line. */
	{ ODD, "mov rax,[rsi]; add rsi,16; jne top",
		{ { LIMIT_SPLITS, 10 / 3.0, "1 load; 0.25 of them cross a line and count as 2" } },
		.address = unaligned, .turns = 8 },

	/* Loads of one bank; the second loop's loads overlap in some bytes. */
	{ BANKED, "mov rax,[rsi]; mov rbx,[rsi+64]; mov rcx,[rsi+72]; add rsi,128; jne top",
		{ { LIMIT_BANKS, 2,
			"2 loads at the same offset in their lines, 1 a cycle from one bank" } } },
	{ BANKED, "vmovupd ymm0,[rsi]; mov rbx,[rsi+80]; add rsi,64; jne top",
		{ { LIMIT_BANKS, 2 } } },
	/* Another place in each turn, another base, and neighbours. */
	{ BANKED, "mov rax,[rsi]; mov rbx,[rsi+64]; add rsi,8; jne top",
		{ { LIMIT_BANKS, ABSENT } } },
	{ BANKED, "mov rax,[rsi]; mov rbx,[rdi+64]; add rsi,64; jne top",
		{ { LIMIT_BANKS, ABSENT } } },
	{ BANKED, "mov rax,[rsi]; mov rbx,[rsi+72]; add rsi,64; jne top",
		{ { LIMIT_BANKS, ABSENT } } },

	/* Stores to several lines. */
	{ BANKED, "mov [rsi],rax; mov [rsi+128],rbx; jne top",
		{ { LIMIT_STORE_LINES, 4,
			"2 stores, 0.5 lines a cycle: few neighbours share a line" } } },
	/* Three and two stores in a row take two cycles and one; in turns, no two share a line. */
	{ BANKED,
		"mov [rsi],rax; mov [rsi+8],rax; mov [rsi+16],rax; mov [rsi+128],rax; mov "
		"[rsi+136],rax; jne top",
		{ { LIMIT_STORE_LINES, 6 } } },
	{ BANKED, "mov [rsi],rax; mov [rsi+128],rax; mov [rsi+8],rax; mov [rsi+136],rax; jne top",
		{ { LIMIT_STORE_LINES, 8 } } },
	/* One line is possible: near, a neighbour in the next turn, or another base. */
	{ BANKED, "mov [rsi],rax; mov [rsi+56],rbx; jne top", { { LIMIT_STORE_LINES, ABSENT } } },
	{ BANKED, "mov [rsi],rax; mov [rsi+128],rbx; add rsi,128; jne top",
		{ { LIMIT_STORE_LINES, ABSENT } } },
	{ BANKED, "mov [rsi],rax; mov [rdi+128],rbx; jne top", { { LIMIT_STORE_LINES, ABSENT } } },
	/* Addresses show different lines. */
	{ BANKED, "mov [rsi],rax; mov [rdi],rbx; jne top", { { LIMIT_STORE_LINES, 30 } },
		.address = two_lines, .turns = 8 },
	/* At random places of 100 lines, two neighbours share a line once in a hundred times. */
	{ BANKED, "mov [rsi+rax*8],rcx; mov [rsi+rbx*8],rcx; jne top",
		{ { LIMIT_STORE_LINES, 2 / 0.5 * 0.99 } }, &two_scattered },

	/* A chain of loads waits for the levels that it reaches. */
	{ ODD, "mov rax,[rax]; cmp rax,rcx; jne top",
		{ { LIMIT_LATENCY, 4, "chain of 1 load: 4 cycles" },
			{ LIMIT_MEMORY_LATENCY, ABSENT } },
		&scattered_1_kib, .binds = true },
	{ ODD, NULL,
		{ { LIMIT_MEMORY_LATENCY, 4 * 0.25 + 14 * 0.75,
			"1 chained load at 11.5 cycles: 25 % L1, 75 % L2" } },
		&scattered_4_kib, .binds = true },
	{ ODD, NULL,
		{ { LIMIT_LATENCY, 4, "chain of 1 load: 4 cycles" },
			{ LIMIT_MEMORY_LATENCY, ABSENT } },
		&scattered_16_kib, .binds = true },
	{ ODD, NULL,
		{ { LIMIT_MEMORY_LATENCY, UNKNOWN,
			"L3 latency of this machine not measured yet" } },
		&l3_unmeasured },
	{ ODD, NULL, { { LIMIT_MEMORY_LATENCY, ALL_LEVELS } }, &all_levels },
	/* Prefetchers follow a walk in order: no bound. */
	{ ODD, NULL,
		{ { LIMIT_MEMORY_LATENCY, ABSENT },
			{ LIMIT_MEMORY_LINES, (4 / 0.5 + 8 / 0.25 + 3 / 0.1) / 16 } },
		&in_order },
	/* Two loads of the chain, one new line an element. */
	{ ODD, "mov rax,[rax]; mov rax,[rax]; cmp rax,rcx; jne top",
		{ { LIMIT_MEMORY_LATENCY, 4 + ALL_LEVELS } }, &all_levels },

	/* Lines come at a rate. */
	{ ODD, "vmovupd ymm0,[rsi]; vmovupd ymm1,[rsi+32]; add rsi,64; cmp rsi,rcx; jne top",
		{ { LIMIT_MEMORY_LINES, 0.5 / 0.5, "1 line at 1 a cycle: 50 % L1, 50 % L2" } },
		&eighth_of_2_kib, .elements = 8 },
	{ ODD, "vmovupd ymm0,[rsi]; add rsi,64; cmp rsi,rcx; jne top",
		{ { LIMIT_MEMORY_LINES, UNKNOWN } }, &eighth_of_1_mib, .elements = 8 },

	/* Misses overlap as far as the reorder buffer reaches. */
	{ ODD, "mov rax,[rsi+rdx*8]; add rbx,rax; imul rdx,r8; add rdx,r9; cmp rbx,rcx; jne top",
		{ { LIMIT_MISSES, MISS / 10,
			"misses of 296.93 cycles, 10 at a time in the L1 cache" } },
		&missing },
	/* With so many instructions between two misses, the buffer holds four. */
	{ ODD,
		"mov rax,[rsi+rdx*8]; add rbx,rax; add r8,rax; add r9,rax; add r10,rax; add "
		"r11,rax; add r12,rax; add r13,rax; add r14,rax; add r15,rax; add rbx,rax; add "
		"r8,rax; add r9,rax; add r10,rax; add r11,rax; add r12,rax; add r13,rax; add "
		"r14,rax; add r15,rax; add rbx,rax; add r8,rax; add r9,rax; add r10,rax; add "
		"r11,rax; add r12,rax; imul rdx,rdi; cmp rbx,rcx; jne top",
		{ { LIMIT_MISSES, MISS / 4,
			"misses of 296.93 cycles, 4 at a time in the reorder buffer" } },
		&missing },

	/* Soft limits add to the bound. */
	{ ODD, "imul rax,rbx; imul rax,rcx; cmp rax,rdx; jne top",
		{ { LIMIT_LATENCY, 6, "chain of 2 multiplications: 6 cycles" },
			{ LIMIT_MISPREDICTION, 8,
				"the binding limit, and 0.1 mispredictions of 20 cycles" } },
		&mispredicting, .predicted = 8, .binds = true },
	{ ODD, "mov rax,[rax]; cmp rax,rcx; jne top",
		{ { LIMIT_MEMORY_LATENCY, 4 * 0.25 + 14 * 0.75 },
			{ LIMIT_PAGE_WALKS, 11.5 + 0.75 * 8 },
			{ LIMIT_MISPREDICTION, 11.5 + 0.75 * 8 + 2 } },
		&paged },
	{ ODD,
		"mov rax,[rsi]; add rbx,rax; add rcx,rax; add rdx,rax; add r8,rax; add r9,rax; cmp "
		"rcx,rdx; jne top",
		{ { LIMIT_OPCACHE, 8 / 2.0,
			  "beyond the op cache: 8 instructions, 2 decoded a cycle" },
			{ LIMIT_SATURATION, 6 / 2.0 } } },
	{ ODD, "mov rax,[rsi]; add rbx,rax; cmp rcx,rdx; jne top", { { LIMIT_OPCACHE, ABSENT } } },
	{ ODD, "add rbx,rax; cmp rcx,rdx; jne top", { { LIMIT_SATURATION, ABSENT } } },
	{ FETCHING, "mov rax,[rsi]; cmp rcx,rdx; jne top", { { LIMIT_DECODE, 12 / 5.0 } } },
	{ ODD, "imul rax,rbx; mov [rsi+r8*8],rax; mov rax,[rsi+r8*8]; cmp rcx,rdx; jne top",
		{ { LIMIT_LATENCY, 3, "chain of 1 multiplication, through memory: 3 cycles" },
			{ LIMIT_FORWARDING, 10 } },
		.predicted = 10 },
	/* A likely renaming: its cost is shown, not predicted. */
	{ ODD, "imul rax,rbx; mov [rsp+8],rax; mov rax,[rsp+8]; cmp rcx,rdx; jne top",
		{ { LIMIT_LATENCY, 3 },
			{ LIMIT_FORWARDING, UNKNOWN,
				"10 cycles whenever the core does not link a load to its store" } },
		.predicted = 3 },
	{ SKYLAKE, "mov [rsi],rax; mov rbx,[rdi]; jne top",
		{ { LIMIT_ALIASING, UNKNOWN,
			"1 load a multiple of 4 KiB from a recent store; cost not known" } },
		.address = page_apart, .turns = 4 },

	/* Several turns read like one. */
	{ SKYLAKE, "mov rax,[rdi]; imul rbx,rax; add rdi,8; cmp rdi,rcx; jne top",
		{ { LIMIT_LATENCY, 18, "chain of 1 multiplication: 3 cycles" },
			{ LIMIT_WIDTH, 6, "4 fused micro-ops, 4 a cycle" },
			{ LIMIT_PORTS, 6, "1 multiplication on p1" } },
		.address = page_apart, .turns = 6, .elements = 6 },
};

static void check_row(const struct expected *row)
{
	const char *source = row->source;
	struct loop loop;

	for (const struct expected *before = row; !source; before--)
		source = before->source;
	assembly_loop(source, &loop);
	loop.elements = row->elements > 0 ? row->elements : 1;
	if (row->address)
		assembly_step(&loop, row->turns, row->address);
	limits_compute(&loop, cores[row->core], row->place ? row->place : &nowhere, &limits);
	loop_free(&loop);
	for (size_t i = 0; i < 4 && row->limit[i].cycles != 0; i++) {
		const struct limit *limit = find(row->limit[i].kind);
		double cycles = limit ? cycles_of(row->limit[i].kind) : ABSENT;

		if (fabs(cycles - row->limit[i].cycles) > 1e-9 ||
			(row->limit[i].cause && strcmp(limit->cause, row->limit[i].cause)))
			fail_msg("%s: %s %.9g (%s), not %.9g (%s)", source,
				limit_rows[row->limit[i].kind].name, cycles,
				limit ? limit->cause : "", row->limit[i].cycles,
				row->limit[i].cause);
	}
	assert_true(limits.predicted >= limits.bound);
	if (row->binds) {
		assert_int_equal(limits.limit[limits.binding].kind, row->limit[0].kind);
		check_near(limits.bound, limits.limit[limits.binding].cpe, 0);
	}
	if (row->predicted > 0)
		check_near(limits.predicted * limits.elements, row->predicted, 1e-9);
}

TEST(loops_have_the_limits_of_their_rows)
{
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		check_row(&expected[i]);
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

	limits_of_place(*odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(cycles_of(LIMIT_MEMORY_LINES), 2 * ((0.5 - far) / 0.5 + far / 0.25), 1e-9);
	check_near(limits.beyond[0], 1, 1e-9);
	check_near(limits.beyond[1], 2 * far, 1e-9);
	/* All columns fit the first cache: the matrix does not. */
	place.walk.range = 512;
	limits_of_place(*odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(limits.beyond[0], 0.125 * (1 - 1024.0 / 16384), 1e-9);
	/* And then both do. */
	place.walk.far_range = 1024;
	limits_of_place(*odd, "mov rax,[rsi]; add rsi,rdx; cmp rsi,rcx; jne top", 1, &place);
	check_near(limits.beyond[0], 0, 0);
	assert_null(find(LIMIT_MEMORY_LINES));
}

/* ---- Other properties of loops */

TEST(instructions_are_described)
{
	limits_of(*state, expected[0].source, 2);
	check_near(limits.slots, 14, 0);
	check_near(limits.instructions, 15, 0);
	assert_true(limits.insn[14].fused);
	check_near(limits.insn[14].slots, 0, 0);
	assert_true(limits.insn[3].eliminated);
	assert_int_equal(limits.unknown, 0);
	limits_of(*state, "imul eax,dword [rdi]; add rdi,4; cmp rdi,rdx; jne top", 1);
	assert_true(limits.insn[0].carried);
	assert_false(limits.insn[1].carried);
	limits_of(*state, "mov eax,[rdi]; add eax,[rsi]; mov [rdx],eax; add rdx,4; jne top", 1);
	assert_true(limits.chain.assumed);
	limits_of(*odd, "div rax,rbx; mov rax,rcx; imul r8,r9; cmp rcx,rdx; jne top", 1);
	assert_string_equal(limits.insn[0].ports, "a0 + div:9");
	check_near(limits.insn[0].slots, 2, 0);
	check_near(limits.insn[0].latency, 20, 0);
	limits_of(
		*odd, "add rax,[rsi]; vmovupd ymmword [rdi],ymm0; add qword [r8],rbx; jne top", 1);
	assert_string_equal(limits.insn[0].ports, "l10,11 + a0-3");
	check_near(limits.insn[0].latency, 5, 0);
	assert_string_equal(limits.insn[1].ports, "l10,11 + 2*st");
	assert_false(uarch_known(limits.insn[1].latency));
	assert_string_equal(limits.insn[2].ports, "l10,11 + l10,11 + st + a0-3");
	assert_string_equal(limits.insn[3].ports, "a3");
	limits_of(*state, "zork rax,rbx; zork rax,rcx; quux rdx", 1);
	assert_int_equal(limits.binding, -1);
	assert_int_equal(limits.predicted_by, -1);
	check_near(limits.bound, 0, 0);
	assert_int_equal(limits.unknown, 3);
	assert_string_equal(limits.unknown_names, "zork, quux");
	assert_false(limits.insn[0].known);
}

TEST(ports_have_their_pressure)
{
	double others;

	limits_of(*state, expected[1].source, 1);
	check_near(pressure_of("p1"), 4, 1e-9);
	check_near(pressure_of("p2"), 0.5, 1e-9);
	check_near(pressure_of("p3"), 0.5, 1e-9);
	check_near(pressure_of("p4") + pressure_of("p7"), 0, 0);
	others = pressure_of("p0") + pressure_of("p5") + pressure_of("p6");
	assert_true(others >= 3 - 1e-9 && others <= 5 + 1e-9);
	assert_int_equal(limits.bottleneck, 2);
	assert_string_equal(limits.insn[0].ports, "p23");
	assert_string_equal(limits.insn[1].ports, "");
	assert_string_equal(limits.insn[2].ports, "p1");
	assert_string_equal(limits.insn[5].ports, "p0156");
	limits_of(*odd, "div rax,rbx; jne top", 1);
	check_near(pressure_of("div"), 9, 1e-9);
	/* The pressure is of one turn. */
	check_row(&expected[sizeof(expected) / sizeof(expected[0]) - 1]);
	check_near(pressure_of("p1"), 1, 1e-9);
}

TEST(names_are_complete)
{
	for (int kind = 0; kind < LIMIT_COUNT; kind++) {
		assert_true(limit_rows[kind].name && *limit_rows[kind].name &&
			    limit_rows[kind].title && *limit_rows[kind].title);
		assert_int_equal(limit_find(limit_rows[kind].name), kind);
		assert_true(*limit_eases(kind) && *limit_remedy(kind) &&
			    limit_remedy(kind)[strlen(limit_remedy(kind)) - 1] == '.');
	}
	assert_int_equal(limit_find("latencies"), LIMIT_COUNT);
}

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

/* Removes about one in `one_in` lines of a core's text. */
static void thin_out(
	const char *text, struct random *random, int one_in, char *thinner, size_t size)
{
	static const char *const kept[] = { "uarch", "isa", "ports", "units", "set", "fuse",
		"extra forward-renamed", "width" };
	size_t length = 0;

	while (*text) {
		size_t line = strcspn(text, "\n") + 1;
		bool needed = false;

		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			needed |= strncmp(text, kept[i], strlen(kept[i])) == 0;
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
		limits_compute(&loop, random_below(&random, 2) ? *odd : *state, &place, &limits);
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

/* Printed, without a limit. */
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
