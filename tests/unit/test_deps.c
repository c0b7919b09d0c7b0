#include "check.h"

#include <time.h>

#include "assembly.h"
#include "base/random.h"
#include "model/graph/cycle.h"
#include "model/graph/deps.h"
#include "table.h"

static int set_up(void **state)
{
	char *core = table_text("deps", "core", NULL);
	struct uarch *uarch;

	check_ok(uarch_parse(core, "core", &uarch));
	free(core);
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

/* Finds the chain of a row, and checks its facts. */
static void chain_row(struct table *table, const struct uarch *uarch)
{
	char *words = table->field[2];
	bool renamed = strncmp(words, "renamed 0", 9) != 0;
	struct loop loop;

	assembly_loop(table->field[0], &loop);
	find_chain(&loop, uarch, renamed);
	check_links(&loop);
	loop_free(&loop);

	const struct {
		const char *name;
		double value;
	} facts[] = { { "renamed", renamed }, { "links", chain.link_count },
		{ "step", chain.link[0].step }, { "alu", chain.link[0].alu },
		{ "load", chain.link[0].load }, { "loads", chain.loads },
		{ "load-cycles", chain.load_cycles }, { "spans", chain.spans },
		{ "through-memory", chain.through_memory }, { "assumed", chain.assumed },
		{ "unknown", chain.unknown } };

	if (fabs(chain.cycles - table_number(table, 1)) > 1e-9)
		table_fail(table, "%.9g cycles", chain.cycles);
	for (char *word; (word = strtok_r(words, " ", &words));) {
		double expected = strtod(strtok_r(words, " ", &words), NULL);
		size_t i = 0;

		while (i < sizeof(facts) / sizeof(facts[0]) && strcmp(facts[i].name, word) != 0)
			i++;
		if (i == sizeof(facts) / sizeof(facts[0]))
			table_fail(table, "unknown fact %s", word);
		if (facts[i].value != expected)
			table_fail(table, "%s is %g", word, facts[i].value);
	}
}

TEST(loops_have_the_chains_of_their_rows)
{
	struct table table;

	table_open(&table, "deps", "chains");
	while (table_next(&table, 3))
		chain_row(&table, *state);
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

/* Zen 5 waits for the target of a compression even if the mask sets its other elements to zero, but
 * not if it was set to zero before. A core whose file does not say so reads no replaced target. */
TEST(a_target_that_is_kept_in_part_is_read)
{
	struct uarch_class kept = { .name = "kept", .latency = 5, .accumulate = 4 },
			   zero = { .name = "zero", .latency = 0, .accumulate = UARCH_UNKNOWN };
	struct uarch_insn facts[2] = { 0 };
	struct loop loop;

	facts[0] = facts[1] = (struct uarch_insn){ .known = true, .op = &kept };
	assembly_loop("vaddpd xmm0,xmm1,xmm1", &loop);
	loop.insn[0].kept = loop.insn[0].writes[0];
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 4, 1e-9);
	kept.accumulate = UARCH_UNKNOWN;
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 0, 1e-9);
	loop_free(&loop);
	kept.accumulate = 4;
	facts[0].op = &zero;
	assembly_loop("vmulpd xmm0,xmm2,xmm2; vaddpd xmm0,xmm1,xmm1", &loop);
	loop.insn[1].kept = loop.insn[1].writes[0];
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 0, 1e-9);
	loop_free(&loop);
}

/* A gather clears its mask early: the mask carries no chain from gather to gather. */
TEST(the_mask_of_a_gather_is_no_chain)
{
	struct uarch_class gather = { .name = "gather", .latency = 28, .accumulate = 20 };
	struct uarch_insn facts[1] = { { .known = true, .op = &gather } };
	struct loop loop;

	assembly_loop("vpgatherdd xmm0,[rdi+xmm2*4],xmm3", &loop);
	loop.insn[0].kept = REG_VECTOR;
	loop.insn[0].write_count = 2;
	loop.insn[0].writes[0] = REG_VECTOR;
	loop.insn[0].writes[1] = loop.insn[0].reads[0] = REG_VECTOR + 3;
	loop.insn[0].read_count = 1;
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 20, 1e-9);
	loop.insn[0].memory[0].vector_index = false;
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	assert_true(chain.cycles >= 28);
	loop_free(&loop);
}

/* A gather needs its target late. Measured on Zen 3: gathers of eight values
 * and six multiplications of the target take 26.0 cycles: 18 and 8. */
TEST(a_gather_waits_for_its_target_at_its_end)
{
	struct uarch_class gather = { .name = "gather", .latency = 20, .accumulate = 8 },
			   product = {
				   .name = "product", .latency = 18, .accumulate = UARCH_UNKNOWN
			   };
	struct uarch_insn facts[2] = { { .known = true, .op = &gather },
		{ .known = true, .op = &product } };
	struct loop loop;

	assembly_loop("vpgatherdd xmm0,[rdi+xmm2*4],xmm3; vpmulld xmm0,xmm0,xmm1", &loop);
	loop.insn[0].kept = REG_VECTOR;
	loop.insn[0].write_count = 1;
	loop.insn[0].writes[0] = REG_VECTOR;
	loop.insn[0].read_count = 0;
	deps_chain(&loop, *state, facts, RENAMES_ALL, 0, &chain);
	check_near(chain.cycles, 26, 1e-9);
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
