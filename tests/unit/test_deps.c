#include "check.h"

#include <time.h>

#include "assembly.h"
#include "base/random.h"
#include "model/graph/deps.h"

/* A core whose every latency is another number, so that sums tell what they are made of. */
static const char core[] = "uarch odd A core for tests\n"
			   "isa x86_64\n"
			   "width 4 [M]\n"
			   "ports p0 p1 p2 [M]\n"
			   "units div\n"
			   "class move latency 0 ports none [M]\n"
			   "class zero latency 0 ports none [M]\n"
			   "class alu latency 1 ports p0,p1 [M]\n"
			   "class carry latency 2 ports p0 [M]\n"
			   "class lea latency 1 ports p0,p1 [M]\n"
			   "class shift latency 1 ports p0,p1 [M]\n"
			   "class imul latency 3 ports p1 [M]\n"
			   "class branch ports p0 [M]\n"
			   "class load latency 5 ports p2 [M]\n"
			   "class vload latency 7 ports p2 [M]\n"
			   "class store ports p2 [M]\n"
			   "class vstore ports p2 [M]\n"
			   "class fadd latency 4 ports p0,p1 [M]\n"
			   "class fmul latency 6 ports p0,p1 [M]\n"
			   "class fma latency 8 accumulate 2 ports p0 [M]\n"
			   "class div ports p0 + div:9 [M]\n"
			   "chain fadd fadd 3 [M]\n"
			   "extra scaled-index 10 [M]\n"
			   "extra sign 20 [M]\n"
			   "extra forward 11 [M]\n"
			   "extra forward-renamed 0 [M]\n"
			   "extra forward-vector 13 [M]\n"
			   "extra forward-512 17 [M]\n"
			   "extra forward-fails 31 [M]\n";

static int set_up(void **state)
{
	struct uarch *uarch;

	check_ok(uarch_parse(core, "core", &uarch));
	*state = uarch;
	return 0;
}

static int tear_down(void **state)
{
	uarch_free(*state);
	return 0;
}

static struct chain chain;

/* The links make up the whole, and a link is a step of the path. */
static void check_links(const struct loop *loop)
{
	double sum = 0;

	for (int i = 0; i < chain.link_count; i++) {
		sum += chain.link[i].cycles;
		assert_true(chain.link[i].step < loop->path_count);
		assert_true(chain.link[i].load || chain.link[i].store || chain.link[i].alu);
	}
	if (chain.link_count < CHAIN_MAX)
		check_near(sum, chain.cycles * chain.spans, 1e-3 * (1 + sum));
	if (chain.cycles > 0)
		assert_true(chain.spans >= 1 && chain.link_count > 0);
}

static void find_chain(const struct loop *loop, const struct uarch *uarch, bool renamed)
{
	struct uarch_insn *facts = calloc((size_t)loop->insn_count + 1, sizeof(*facts));

	assert_non_null(facts);
	for (int i = 0; i < loop->insn_count; i++)
		uarch_insn(uarch, &loop->insn[i], &facts[i]);
	deps_chain(loop, uarch, facts, renamed ? RENAMES_ALL : RENAMES_NONE, 0, &chain);
	free(facts);
}

static double chain_of(const struct uarch *uarch, const char *source, bool renamed)
{
	struct loop loop;

	assembly_loop(source, &loop);
	find_chain(&loop, uarch, renamed);
	check_links(&loop);
	loop_free(&loop);
	return chain.cycles;
}

#define check_chain(source, cycles) check_near(chain_of(*state, source, true), cycles, 1e-9)

TEST(what_is_carried_in_a_register_is_the_chain)
{
	check_chain("mov r8d,dword [rdi+rcx*4]; imul eax,r8d; add rcx,1; cmp rcx,rsi; jne top", 3);
	assert_int_equal(chain.link_count, 1);
	assert_int_equal(chain.link[0].step, 1);
	assert_true(chain.link[0].alu && !chain.link[0].load);
	check_near(chain.loads, 0, 0);
	assert_false(chain.through_memory);
	assert_int_equal(chain.unknown, 0);
	/* Four multiplications of values that a load brings anew: only the sum and the counter are
	 * carried. */
	check_chain("mov r10d,dword [rdi+rcx*4+4]; mov r8d,r10d; imul r8d,ecx; imul r8d,edx; imul "
		    "r8d,ecx; add rcx,1; "
		    "imul r8d,r9d; mov r9d,r10d; add eax,r8d; cmp rcx,rsi; jne top",
		1);
	check_chain("add rax,[rdi]; add rbx,rcx", 1);
	check_chain("mov rax,[rdi]; add rbx,rcx", 1);
	check_chain("mov rax,[rdi]; mov rbx,rcx; cmp rax,rbx; jne top", 0);
	assert_int_equal(chain.link_count, 0);
}

TEST(a_load_on_the_chain_counts_with_its_address)
{
	check_chain("mov rax,[rax]; cmp rax,rbx; jne top", 5);
	check_near(chain.loads, 1, 0);
	check_near(chain.load_cycles, 5, 0);
	check_chain("mov rax,[rdi+rax]", 5);
	check_chain("mov rax,[rdi+rax*8]", 15);
	check_near(chain.load_cycles, 5, 0);
	check_chain("movsxd rax,dword [rax]", 25);
	check_chain("movsxd rax,dword [rdi+rax*4]; add rax,1", 36);
	check_chain("add rax,[rdi+rax]", 6);
	check_near(chain.loads, 1, 0);
	check_chain("add rax,[rdi]", 1);
	check_near(chain.loads, 0, 0);
}

TEST(zeroing_and_elimination_cost_nothing)
{
	check_chain("imul rax,rbx; xor rax,rax; add rax,rcx", 0);
	check_chain("mov rbx,rax; imul rbx,rcx; mov rax,rbx", 3);
	check_near(chain.link_count, 3, 0);
}

/* rax goes to rbx, rbx to rcx, rcx back to rax: each value takes three turns to come round. */
TEST(a_cycle_may_span_several_turns)
{
	check_chain("mov rdx,rcx; mov rcx,rbx; mov rbx,rax; imul rdx,rsi; mov rax,rdx", 1);
	check_near(chain.spans, 3, 0);
	check_chain("xchg rax,rbx; imul rax,rsi", 1.5);
	check_near(chain.spans, 2, 0);
}

TEST(flags_are_registers)
{
	check_chain("adc rax,[rdi]; inc rcx; jne top", 2);
	check_chain("adc rax,[rdi]; lea rdi,[rdi+8]", 2);
	/* Each adc of a turn waits for the carry of the one before. */
	check_chain("adc rax,[rdi]; adc rbx,[rdi+8]; adc rdx,[rdi+16]; lea rdi,[rdi+24]; dec rcx; "
		    "jne top",
		6);
}

TEST(forwarding_shortens_a_latency)
{
	check_chain("vaddsd xmm0,xmm0,xmm1", 3);
	check_chain("vaddsd xmm0,xmm0,xmm1; vmulsd xmm0,xmm0,xmm2", 10);
	check_chain("vfmadd231sd xmm0,xmm1,xmm2", 2);
	check_chain("vfmadd231sd xmm1,xmm0,xmm2; vmovapd xmm0,xmm1", 8);
	check_chain("vmulsd xmm0,xmm0,xmm3; vfmadd231sd xmm0,xmm1,xmm2", 14);
}

TEST(memory_carries_too)
{
	/* A sum kept in memory, as x[0] += …; at an address that stays. */
	check_near(chain_of(*state, "add qword [rsi],rax; cmp rdi,rdx; jne top", true), 1, 1e-9);
	assert_true(chain.through_memory);
	check_near(chain.loads, 0, 0);
	check_near(chain_of(*state, "add qword [rsi],rax; add rdi,8; cmp rdi,rdx; jne top", false),
		12, 1e-9);
	check_near(chain_of(*state, "add qword [rsi],rax; add rsi,8; cmp rsi,rdx; jne top", false),
		1, 1e-9);
	assert_false(chain.through_memory);
	assert_false(chain.assumed);
	/* Each reads what the turn before wrote: a[i] = a[i-1] + …; the address moves on. */
	check_chain("vmovsd xmm0,qword [rsi-8]; vaddsd xmm0,xmm0,[rdi]; vmovsd qword [rsi],xmm0; "
		    "add rsi,8; add rdi,8; dec rcx; "
		    "jne top",
		17);
	assert_true(chain.assumed); /* rdi may point there too */
	/* The turn before the last: twice the time. */
	check_chain("vmovsd xmm0,qword [rsi-16]; vaddsd xmm0,xmm0,xmm1; vmovsd qword [rsi],xmm0; "
		    "add rsi,8; dec rcx; jne top",
		8.5);
	check_near(chain.spans, 2, 0);
	assert_false(chain.assumed);
	check_chain("vmovsd xmm0,qword [rsi+8]; vaddsd xmm0,xmm0,xmm1; vmovsd qword [rsi],xmm0; "
		    "add rsi,8; dec rcx; jne top",
		1);
	/* Downwards, and by an index. */
	check_chain("vmovsd xmm0,qword [rsi+rcx*8+8]; vaddsd xmm0,xmm0,xmm1; vmovsd qword "
		    "[rsi+rcx*8],xmm0; sub rcx,1; jne top",
		17);
	/* Through a copy of the pointer, and an address kept in step. */
	check_chain("mov r8,rsi; mov rax,[r8]; imul rax,rbx; mov [rsi],rax; dec rcx; jne top", 3);
	check_chain(
		"lea rsi,[rsi+8]; mov rax,[rsi-8]; imul rax,rbx; mov [rsi],rax; dec rcx; jne top",
		3);
}

TEST(a_load_that_takes_from_two_stores_waits)
{
	check_chain("mov dword [rsi],eax; mov dword [rsi+4],ebx; mov rcx,[rsi]; mov rax,rcx; lea "
		    "rbx,[rcx+1]",
		32);
	/* Part of a store, not from its beginning: forwarded, but not renamed away. */
	check_chain("mov qword [rsi],rax; mov eax,dword [rsi+4]; imul eax,ebx", 14);
	check_chain("vmovupd zmmword [rsi],zmm0; vmovupd zmm0,zmmword [rsi]; vaddpd zmm0,zmm0,zmm1",
		21);
}

TEST(the_stack_engine_moves_the_pointer)
{
	check_chain("push rax; pop rax; imul rax,rbx", 3);
	assert_true(chain.through_memory);
	check_chain("push rbx; pop rcx; cmp rcx,rdx; jne top", 0);
	assert_false(chain.assumed);
	/* A slot beside what other pointers reach is apart from it. */
	check_chain("mov [rsp+8],rax; mov rbx,[rdi]; add rdi,8; cmp rdi,rdx; jne top", 1);
	assert_false(chain.assumed);
	check_chain("mov [rsi],rax; mov rbx,[rdi]; add rdi,8; cmp rdi,rdx; jne top", 1);
	assert_true(chain.assumed);
}

TEST(what_is_not_known_counts_as_nothing)
{
	check_chain("frobnicate rax,rbx; imul rax,rcx", 3);
	assert_int_equal(chain.unknown, 1);
	check_chain("div rax,rbx; add rax,rcx", 1);
	assert_int_equal(chain.unknown, 1);
}

/* A multiply-add that may take its addend late: no bound through the sum, one through the factors.
 */
TEST(an_unknown_addend_is_no_bound)
{
	struct uarch_insn facts[2] = { 0 };
	struct uarch_class late = { .name = "late",
		.latency = 8,
		.accumulate = UARCH_UNKNOWN,
		.accumulate_unknown = true };
	struct loop loop;

	facts[0] = facts[1] = (struct uarch_insn){ .known = true, .op = &late };
	assembly_loop("vfmadd231sd xmm0,xmm1,xmm2", &loop);
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 0, 1e-9);
	assert_int_equal(chain.unknown, 1);
	loop_free(&loop);
	assembly_loop("vfmadd231sd xmm1,xmm0,xmm2; vfmadd231sd xmm0,xmm1,xmm2", &loop);
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 16, 1e-9);
	loop_free(&loop);
}

TEST(misses_make_loads_of_the_chain_longer)
{
	struct uarch_insn facts[8];
	struct loop loop;

	assembly_loop(
		"mov rax,[rax+rcx]; mov rbx,[rdi]; imul rcx,rbx; imul rcx,rbx; jne top", &loop);
	for (int i = 0; i < loop.insn_count; i++)
		uarch_insn(*state, &loop.insn[i], &facts[i]);
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 6, 1e-9);
	deps_chain(&loop, *state, facts, RENAMES_ALL, 100, &chain);
	check_near(chain.cycles, 105, 1e-9);
	check_near(chain.load_cycles, 5, 1e-9);
	check_links(&loop);
	loop_free(&loop);
}

/* ---- Stepped loops */

static uint64_t moving(int turn, int insn, int operand)
{
	return insn == 0 ? 0x10000 + 8 * (uint64_t)turn - 8 : 0x10000 + 8 * (uint64_t)turn;
}

static uint64_t far_back(int turn, int insn, int operand)
{
	return moving(turn, insn, operand) - (insn == 0 ? 16 : 0);
}

/* By chance the same in two turns of eight. */
static uint64_t scattered(int turn, int insn, int operand)
{
	static const uint64_t at[] = { 3, 1, 4, 1, 5, 9, 2, 6 };

	return 0x20000 + 64 * at[turn % 8];
}

static double chain_stepped(const struct uarch *uarch, const char *source, int turns,
	uint64_t (*address)(int, int, int))
{
	struct loop loop;

	assembly_loop(source, &loop);
	assembly_step(&loop, turns, address);
	find_chain(&loop, uarch, true);
	check_links(&loop);
	loop_free(&loop);
	return chain.cycles / turns;
}

TEST(seen_addresses_tell_what_is_carried)
{
	const char *source =
		"vmovsd xmm0,qword [r8]; vaddsd xmm0,xmm0,xmm1; vmovsd qword [r9],xmm0; jne top";
	const char *counts = "mov rax,[rdi+r8]; imul rax,rbx; mov [rdi+r8],rax; jne top";

	for (int turns = 4; turns < 9; turns++) {
		check_near(chain_stepped(*state, source, turns, moving), 17, 1e-9);
		check_near(chain_stepped(*state, source, turns, far_back), 17 / 3.0, 1e-9);
		assert_false(chain.assumed);
	}
	/* Chance is no chain. */
	check_near(chain_stepped(*state, counts, 8, scattered), 0, 1e-9);
	assert_true(chain.assumed);
}

/* ---- The graph by itself */

/* The largest ratio by trying: no cycle is slower when starts settle, which plain Bellman-Ford
 * tells. */
static bool settles(const struct deps_edge *edges, int count, int nodes, double ratio)
{
	double start[64] = { 0 };

	for (int round = 0; round <= nodes; round++) {
		bool moved = false;

		for (int i = 0; i < count; i++) {
			double later =
				start[edges[i].from] + edges[i].weight - ratio * edges[i].distance;

			if (later > start[edges[i].to] + 1e-9) {
				start[edges[i].to] = later;
				moved = true;
			}
		}
		if (!moved)
			return true;
	}
	return false;
}

TEST(the_slowest_cycle_is_found_in_any_graph)
{
	struct random random = { 5 };

	for (int round = 0; round < 3000; round++) {
		struct deps_edge edges[200];
		int nodes = 1 + (int)random_below(&random, 30), count = 0, room[64];
		struct cycle cycle = { .edge = room };
		double weight = 0;
		int spans = 0;

		for (int to = 0; to < nodes; to++)
			for (int k = (int)random_below(&random, 4); k > 0; k--) {
				int from = (int)random_below(&random, (uint64_t)nodes),
				    far = (int)random_below(&random, 8) == 0;

				edges[count++] = (struct deps_edge){ .from = from,
					.to = to,
					.weight = (double)random_below(&random, 12) - 2,
					.distance = (from >= to) + far };
			}
		cycle_find(edges, count, nodes, &cycle);
		assert_true(settles(edges, count, nodes, cycle.ratio + 1e-6));
		if (!cycle.count) {
			check_near(cycle.ratio, 0, 0);
			continue;
		}
		assert_true(cycle.count <= nodes);
		for (int i = 0; i < cycle.count; i++) {
			assert_int_equal(edges[cycle.edge[i]].to,
				edges[cycle.edge[(i + 1) % cycle.count]].from);
			weight += edges[cycle.edge[i]].weight;
			spans += edges[cycle.edge[i]].distance;
		}
		assert_int_equal(spans, cycle.spans);
		check_near(weight / spans, cycle.ratio, 1e-9);
	}
}

/* ---- Random instructions: nothing crashes, nothing is not a number. */

TEST(random_loops_have_finite_chains)
{
	struct random random = { 9 };
	struct loop loop;

	loop_init(&loop, 64, LOOP_PATH);
	for (int round = 0; round < 2000; round++) {
		loop_clear(&loop);
		loop.insn_count = 1 + (int)random_below(&random, 40);
		for (int i = 0; i < loop.insn_count; i++) {
			static const char *const words[] = { "add", "imul", "mov", "vaddsd", "xchg",
				"zork", "inc", "lea" };
			struct insn *insn = &loop.insn[i];

			for (size_t b = 0; b < sizeof(*insn); b++)
				((unsigned char *)insn)[b] = (unsigned char)random_next(&random);
			memset(insn->mnemonic, 0, sizeof(insn->mnemonic));
			memset(insn->shape, 0, sizeof(insn->shape));
			memset(insn->text, 0, sizeof(insn->text));
			memset(insn->condition, 0, sizeof(insn->condition));
			strcpy(insn->mnemonic, words[random_below(&random, 8)]);
			strcpy(insn->shape, random_below(&random, 2) ? "r,r" : "r,m");
			insn->flow = FLOW_NONE;
			insn->read_count = (uint8_t)random_below(&random, INSN_READS + 1);
			insn->write_count = (uint8_t)random_below(&random, INSN_WRITES + 1);
			insn->memory_count = (uint8_t)random_below(&random, INSN_MEMORY + 1);
			/* A bool must be one. */
			insn->known = random_below(&random, 8);
			insn->vector = insn->move = insn->zeroing = insn->masked = insn->immediate =
				insn->load_extends = false;
			insn->writeback = random_below(&random, 2);
			insn->address_only = random_below(&random, 2);
			insn->move = random_below(&random, 2);
			for (int k = 0; k < INSN_MEMORY; k++) {
				insn->memory[k].load = random_below(&random, 2);
				insn->memory[k].store = random_below(&random, 2);
				insn->memory[k].relative = insn->memory[k].vector_index = false;
				insn->memory[k].size &= 127;
			}
		}
		loop.path_count = 1 + (int)random_below(&random, 100);
		for (int s = 0; s < loop.path_count; s++) {
			loop.path[s] = (struct loop_step){ .insn = (uint16_t)random_below(&random,
								   (uint64_t)loop.insn_count) };
			for (int k = 0; k < INSN_MEMORY; k++)
				loop.path[s].address[k] =
					random_below(&random, 3) ? 4096 + random_below(&random, 300)
								 : 0;
		}
		loop.stepped = random_below(&random, 2);
		loop.turns = 1 + (int)random_below(&random, 4);
		find_chain(&loop, *state, random_below(&random, 2));
		assert_true(isfinite(chain.cycles) && chain.cycles >= 0 && chain.loads >= 0 &&
			    chain.load_cycles >= 0);
		check_links(&loop);
	}
	loop_free(&loop);
}

/* ---- How long it takes: told, not judged. */

static double microseconds(const struct uarch *uarch, const struct loop *loop, int rounds)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < rounds; i++)
		find_chain(loop, uarch, true);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
	       1e3 / rounds;
}

static uint64_t streams(int turn, int insn, int operand)
{
	return 0x100000 * (uint64_t)(insn + 1) + 8 * (uint64_t)turn;
}

TEST(time_taken)
{
	struct loop loop;

	assembly_loop("mov rax,[rdi+rcx*8]; imul rax,rbx; add rdx,rax; mov [rsi+rcx*8],rax; mov "
		      "r8,[r9+rcx*8]; add r10,r8; "
		      "vmovsd xmm0,qword [r11+rcx*8]; vaddsd xmm1,xmm1,xmm0; vmulsd "
		      "xmm2,xmm0,xmm3; vaddsd xmm4,xmm4,xmm2; "
		      "mov r12,[r9+rcx*8+8]; imul r12,r13; xor r14,r12; vaddsd xmm5,xmm5,xmm2; add "
		      "rcx,1; cmp rcx,r15; jne top",
		&loop);
	print_message("chain of %d instructions: %.1f us\n", loop.path_count,
		microseconds(*state, &loop, 1000));
	assembly_step(&loop, LOOP_PATH / loop.insn_count, streams);
	print_message(
		"chain of %d steps: %.1f us\n", loop.path_count, microseconds(*state, &loop, 20));
	assert_true(chain.cycles > 0);
	loop_free(&loop);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down)
