/* The front end of shipped core models: loops of nops at an address, and their limits. */
#include <inttypes.h>

#include "table_limits.h"

static struct uarch *core;

/* Appends an instruction to the loop, and returns the address after it. */
static uint64_t append(struct loop *loop, uint64_t address, const char *line, unsigned length)
{
	struct insn insn = assembly_insn(line);

	insn.address = address;
	insn.length = (uint8_t)length;
	loop->insn[loop->insn_count] = insn;
	loop->path[loop->path_count++] = (struct loop_step){ .insn = (uint16_t)loop->insn_count++,
		.taken = insn.flow == FLOW_JUMP || insn.flow == FLOW_CALL ||
			 insn.flow == FLOW_RETURN };
	return address + length;
}

/* Computes the limits of a row's loop: "loop CORE ADDRESS" and its words. */
static void compute_row(struct table *table, const char *place, char *words)
{
	char name[24];
	uint64_t address;
	struct loop loop;
	bool arm;

	assert_int_equal(sscanf(place, "loop %23s %" SCNu64, name, &address), 2);
	arm = strncmp(name, "neoverse", 8) == 0;
	if (!core || strcmp(core->name, name) != 0) {
		uarch_free(core);
		check_ok(uarch_load(name, arm ? "aarch64" : "x86_64", &core));
	}
	loop_init(&loop, LOOP_MOST, LOOP_MOST);
	for (char *word; (word = strtok_r(words, " ", &words));) {
		unsigned count, length;

		if (strcmp(word, "jmp") == 0)
			address = append(&loop, address, "jmp next", 2);
		else if (strcmp(word, "call") == 0)
			address = append(&loop, address, "call next", 5);
		else if (strcmp(word, "ret") == 0)
			address = append(&loop, address, "ret", 1);
		else if (strcmp(word, "jc") == 0)
			address = append(&loop, address, "jb next", 2);
		else if (sscanf(word, "%ux%u", &count, &length) != 2)
			table_fail(table, "unknown word \"%s\"", word);
		else
			for (unsigned i = 0; i < count; i++)
				address = append(&loop, address, "nop", length);
	}
	if (!arm)
		address = append(&loop, address, "sub rax,1", 4);
	append(&loop, address, "jne top", arm ? 4 : 2);
	loop.path[loop.path_count - 1].taken = true;
	loop.elements = 1;
	limits_compute(&loop, core, &(struct limits_place){ 0 }, &limits);
	loop_free(&loop);
}

/* Computes the limits of a nest of two loops, which runs twice: the inner loop has `turns`
 * iterations. `address` is the address of the outer loop, which begins 16 bytes before the inner
 * loop. */
static void compute_nest(uint64_t address, int turns)
{
	struct loop loop;

	loop_init(&loop, LOOP_MOST, LOOP_MOST);
	address = append(&loop, address, "mov rcx,rdx", 16);
	address = append(&loop, address, "sub rcx,1", 4);
	address = append(&loop, address, "jne top", 2);
	loop.insn[2].target = loop.insn[1].address;
	address = append(&loop, address, "sub rax,1", 4);
	append(&loop, address, "jne top", 2);
	loop.insn[4].target = loop.insn[0].address;
	loop.path_count = 0;
	for (int outer = 0; outer < 2; outer++) {
		loop.path[loop.path_count++] = (struct loop_step){ .insn = 0 };
		for (int i = 1; i <= turns; i++) {
			loop.path[loop.path_count++] = (struct loop_step){ .insn = 1 };
			loop.path[loop.path_count++] =
				(struct loop_step){ .insn = 2, .taken = i < turns };
		}
		loop.path[loop.path_count++] = (struct loop_step){ .insn = 3 };
		loop.path[loop.path_count++] = (struct loop_step){ .insn = 4, .taken = true };
	}
	loop.stepped = true;
	loop.turns = 2 * turns;
	loop.elements = 2;
	limits_compute(&loop, core, &(struct limits_place){ 0 }, &limits);
	loop_free(&loop);
}

/* An inner loop takes the same branch again and again; only the other branch of the block is late.
 */
TEST(a_branch_that_repeats_is_not_dense)
{
	uarch_free(core);
	check_ok(uarch_load("golden-cove", "x86_64", &core));
	compute_nest(0, 100);
	check_near(find(LIMIT_DENSE_BRANCHES)->cpe, 101.4, 1e-9);
}

TEST(the_end_of_an_inner_loop_takes_cycles)
{
	uarch_free(core);
	check_ok(uarch_load("zen4", "x86_64", &core));
	compute_nest(0, 25);
	check_near(find(LIMIT_LOOP_EXITS)->cpe, 26, 1e-9);
	assert_false(find(LIMIT_LOOP_EXITS)->hard);
	compute_nest(0, 26);
	check_near(find(LIMIT_LOOP_EXITS)->cpe, 29, 1e-9);
	/* The predictor knows a single iteration before, and a loop in two windows hides the wait.
	 */
	compute_nest(0, 2);
	assert_null(find(LIMIT_LOOP_EXITS));
	compute_nest(43, 25);
	assert_null(find(LIMIT_LOOP_EXITS));
	uarch_free(core);
	core = NULL;
}

TEST(the_end_of_a_long_inner_loop_is_mispredicted)
{
	uarch_free(core);
	check_ok(uarch_load("zen3", "x86_64", &core));
	compute_nest(0, 25);
	check_near(find(LIMIT_LOOP_EXITS)->cpe, 25, 1e-9);
	compute_nest(0, 26);
	check_near(find(LIMIT_LOOP_EXITS)->cpe, 26 + 3, 1e-9);
	compute_nest(0, 122);
	check_near(find(LIMIT_LOOP_EXITS)->cpe, 122 + 20, 1e-9);
	assert_false(find(LIMIT_LOOP_EXITS)->hard);
	/* A loop in two windows hides a wait, but no misprediction. */
	compute_nest(43, 100);
	assert_null(find(LIMIT_LOOP_EXITS));
	compute_nest(43, 122);
	assert_true(find(LIMIT_LOOP_EXITS)->cpe > 122 + 20 - 1e-9);
	uarch_free(core);
	core = NULL;
}

TEST(loops_have_the_limits_of_their_rows)
{
	struct table table;

	table_open(&table, "front-end", "loops");
	while (table_next(&table, 2))
		if (strncmp(table.field[0], "loop ", 5) == 0)
			compute_row(&table, table.field[0], table.field[1]);
		else
			check_row_limit(&table, table.field[0], table.field[1]);
	uarch_free(core);
}

RUN_TESTS()
