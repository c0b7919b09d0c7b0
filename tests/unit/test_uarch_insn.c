/* Instructions on cores made for this test: classes, slots, fusion; and which core a processor is.
 */
#include "table.h"
#include "uarch_fakes.h"

/* ---- instructions */

static struct uarch_insn ask(const struct uarch *uarch, const struct insn *insn)
{
	struct uarch_insn facts;

	uarch_insn(uarch, insn, &facts);
	return facts;
}

#define INSN(name, operands, bits, ...) \
	(&(struct insn){                \
		.known = true, .mnemonic = name, .shape = operands, .width = bits, __VA_ARGS__ })
#define LOADS(...)  .memory_count = 1, .memory = { { .load = true, .base = 1, __VA_ARGS__ } }
#define STORES(...) .memory_count = 1, .memory = { { .store = true, .base = 1, __VA_ARGS__ } }

TEST(rules_are_taken_in_order)
{
	const struct uarch_ops *ops;
	struct table table;

	check_ok(ops_load("x86_64", &ops));
	table_open(&table, "uarch-insn", "rules");
	while (table_next(&table, 4)) {
		struct insn insn = {
			.known = true, .immediate = true, .value = (int64_t)table_number(&table, 2)
		};
		int number;

		set_words(insn.mnemonic, table.field[0]);
		set_words(insn.shape, table.field[1]);
		number = ops_find(ops, &insn);
		assert_true(number >= 0 || number == OPS_NONE);
		table_expect(
			&table, number < 0 ? "none" : ops->classes[number]->name, table.field[3]);
	}
}

/* "OP LOAD STORE BASE TAKEN SLOTS", "-" where there is none; "unknown". */
static void describe(const struct uarch_insn *facts, char *words, size_t size)
{
	const struct uarch_class *const classes[] = { facts->op, facts->load, facts->store,
		facts->base, facts->taken };
	struct text text = { 0 };

	for (int i = 0; i < 5; i++)
		text_addf(&text, "%s ", classes[i] ? classes[i]->name : "-");
	text_addf(&text, "%g%s", facts->slots, facts->eliminated ? " eliminated" : "");
	snprintf(words, size, "%s", facts->known ? text_string(&text) : "unknown");
	text_free(&text);
}

TEST(instructions_have_classes_and_slots)
{
	struct uarch *base = load("base"), *child = load("child"), *arm = load("arm");
	const struct {
		const struct uarch *uarch;
		const struct insn *insn;
		const char *expected;
	} rows[] = {
		{ base, INSN("addpd", "v,v", 128), "fadd - - - - 1" },
		{ base, INSN("vaddpd", "v,v,v", 512), "fadd.512 - - - - 2" },
		{ base, INSN("div", "r", 64), "div.64 - - - - 1" },
		/* Of 32 bits nobody says anything. */
		{ base, INSN("div", "r", 32), "unknown" },
		{ base, INSN("shl", "r,i", 64, .immediate = true, .value = 1), "two - - - - 2" },
		{ base, INSN("lea", "r,[bd]", 64), "alu - - - - 1" },
		{ base, INSN("xlat", "", 64), "unknown" },
		{ base, INSN("quiet", "", 64), "silent - - - - 1" },
		{ base, &(struct insn){ .known = false, .mnemonic = "add" }, "unknown" },
		/* Roles come before rules. */
		{ base, INSN("sub", "r,r", 64, .zeroing = true), "zero - - - - 1 eliminated" },
		{ base, INSN("mov", "r,r", 64, .move = true), "move - - - - 1 eliminated" },
		/* This core has no class for copies of vectors: its rules say nothing either. */
		{ base, INSN("movaps", "v,v", 128, .move = true, .vector = true), "unknown" },
		{ base, INSN("nop", "", 0), "nop - - - - 1 eliminated" },
		{ base, INSN("sub", "r,r", 64), "alu - - - - 1" },
		{ base, INSN("jne", "t", 0, .flow = FLOW_BRANCH, .condition = "ne"),
			"branch - - - taken 1" },
		{ base, INSN("jmp", "t", 0, .flow = FLOW_JUMP), "taken - - - - 1" },
		{ base, INSN("ret", "", 0, .flow = FLOW_RETURN, .writeback = true, LOADS()),
			"taken load - - - 1" },
		{ base, INSN("syscall", "", 0, .flow = FLOW_OTHER), "unknown" },
		/* Memory operands. */
		{ base, INSN("mov", "r,m", 64, LOADS()), "- load - - - 1" },
		{ base, INSN("movdqu", "v,m", 256, .vector = true, LOADS(.size = 32)),
			"- vload.256 - - - 1" },
		{ base, INSN("movdqu", "v,m", 512, .vector = true, LOADS(.size = 64)),
			"- vload - - - 1" },
		{ base, INSN("add", "r,m", 64, LOADS()), "alu load - - - 1" },
		{ base, INSN("mov", "m,r", 64, STORES(.disp = 2047)), "- - store - - 1" },
		{ base, INSN("mov", "m,r", 64, STORES(.disp = 2048)), "- - store-complex - - 1" },
		{ base, INSN("mov", "m,r", 64, STORES(.disp = -1)), "- - store-complex - - 1" },
		{ base, INSN("mov", "m,r", 64, STORES(.index = 2)), "- - store-complex - - 1" },
		{ base, INSN("mov", "m,r", 64, STORES(.relative = true)),
			"- - store-complex - - 1" },
		/* Of vectors this core does not tell them apart. */
		{ base, INSN("movdqu", "m,v", 128, .vector = true, STORES(.size = 16, .index = 2)),
			"- - vstore - - 1" },
		{ base, INSN("add", "m,r", 64, STORES(.load = true)), "alu load store - - 2" },
		{ child, INSN("add", "m,r", 64, STORES(.load = true)), "alu load store - - 1" },
		/* A gather: its operation's slots, and a plain load for each element. */
		{ base,
			INSN("vgather", "v,m,v", 256, .vector = true,
				LOADS(.accesses = 8, .size = 32, .index = 40,
					.vector_index = true)),
			"fadd vload - - - 1" },
		/* Pairs and changed bases. */
		{ arm, INSN("ldp", "r,r,m", 64, LOADS(.accesses = 2, .size = 16)),
			"- load-pair - - - 1" },
		{ arm, INSN("ldp", "v,v,m", 64, .vector = true, LOADS(.accesses = 2, .size = 16)),
			"- vload - - - 2" },
		{ arm, INSN("str", "r,m", 64, .writeback = true, STORES()),
			"- - store writeback - 1" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch_insn facts = ask(rows[i].uarch, rows[i].insn);
		char words[120];

		describe(&facts, words, sizeof(words));
		if (strcmp(words, rows[i].expected) != 0)
			fail_msg("row %zu, %s %s: \"%s\", not \"%s\"", i, rows[i].insn->mnemonic,
				rows[i].insn->shape, words, rows[i].expected);
	}
	assert_false(uarch_known(arm->width));
	uarch_free(base);
	uarch_free(child);
	uarch_free(arm);
}

TEST(un_lamination_follows_the_core)
{
	struct uarch *haswell = load("base"), *bridge = load("child"), *never = load("plain");
	const struct insn *const add = INSN("add", "r,m", 64, .read_count = 1, .reads = { 5 },
		.write_count = 2, .writes = { 5, REG_FLAGS }, LOADS(.index = 2));
	const struct insn *const adc = INSN("add", "r,m", 64, .read_count = 2,
		.reads = { 5, REG_CARRY }, .write_count = 1, .writes = { 5 }, LOADS(.index = 2));
	const struct insn *const abs = INSN("addpd", "v,m", 128, .vector = true, .write_count = 1,
		.writes = { 33 }, LOADS(.index = 2));
	const struct insn *const three =
		INSN("vaddpd", "v,v,m", 128, .vector = true, .read_count = 1, .reads = { 33 },
			.write_count = 1, .writes = { 33 }, LOADS(.index = 2));
	const struct insn *const store = INSN("mov", "m,r", 64, STORES(.index = 2));
	const struct insn *const load = INSN("mov", "r,m", 64, LOADS(.index = 2));
	const struct insn *const direct = INSN("vaddpd", "v,v,m", 128, LOADS(.disp = 64));
	const struct insn *const modify = INSN("add", "m,r", 64, .memory_count = 1,
		.memory = { { .load = true, .store = true, .index = 2, .accesses = 1 } });

	check_near(ask(haswell, add).unlaminated, 0, 0);
	check_near(ask(haswell, adc).unlaminated, 1, 0);
	check_near(ask(haswell, abs).unlaminated, 1, 0);
	check_near(ask(haswell, three).unlaminated, 1, 0);
	check_near(ask(haswell, three).slots, 2, 0);
	check_near(ask(haswell, store).unlaminated, 0, 0);
	check_near(ask(haswell, load).unlaminated, 0, 0);
	check_near(ask(haswell, direct).unlaminated, 0, 0);
	check_near(ask(bridge, add).unlaminated, 1, 0);
	check_near(ask(bridge, store).unlaminated, 1, 0);
	check_near(ask(bridge, load).unlaminated, 0, 0);
	check_near(ask(never, three).unlaminated, 0, 0);
	/* Zen 4: instructions of vector registers keep their memory operand, additions to memory
	 * take two slots with and without an index. */
	haswell->laminated = LAMINATED_VECTORS | LAMINATED_MODIFY;
	check_near(ask(haswell, three).unlaminated, 0, 0);
	check_near(ask(haswell, abs).unlaminated, 0, 0);
	check_near(ask(haswell, add).unlaminated, 1, 0);
	check_near(ask(haswell, store).unlaminated, 1, 0);
	check_near(ask(haswell, modify).unlaminated, 0, 0);
	uarch_free(haswell);
	uarch_free(bridge);
	uarch_free(never);
}

TEST(pairs_fuse_as_the_core_says)
{
	static const struct insn ne = { .known = true, .flow = FLOW_BRANCH, .condition = "ne" },
				 g = { .known = true, .flow = FLOW_BRANCH, .condition = "g" },
				 cbz = { .known = true, .flow = FLOW_BRANCH },
				 jump = { .known = true, .flow = FLOW_JUMP };
	struct uarch *base = load("base"), *child = load("child"), *arm = load("arm");
	const struct insn *const cmp = INSN("cmp", "r,r", 64), *const test =
								       INSN("test", "r,r", 64);

	assert_true(uarch_fuses(base, cmp, &ne));
	assert_true(uarch_fuses(base, test, &ne));
	assert_false(uarch_fuses(base, cmp, &g));
	assert_false(uarch_fuses(base, cmp, &jump));
	assert_false(uarch_fuses(base, cmp, &cbz));
	assert_false(uarch_fuses(base, INSN("sub", "r,r", 64), &ne));
	assert_true(uarch_fuses(base, INSN("cmp", "r,m", 64, LOADS()), &ne));
	assert_true(uarch_fuses(base, INSN("cmp", "r,i", 64, .immediate = true), &ne));
	assert_false(uarch_fuses(base, INSN("cmp", "m,i", 64, .immediate = true, LOADS()), &ne));
	assert_true(uarch_fuses(base, INSN("add", "r,r", 64), &g));
	assert_false(uarch_fuses(base, INSN("add", "r,i", 64, .immediate = true), &g));
	assert_true(uarch_fuses(base, INSN("add", "r,m", 64, LOADS()), &g));
	assert_false(uarch_fuses(base, INSN("add", "m,r", 64, STORES(.load = true)), &g));
	assert_true(uarch_fuses(base, INSN("and", "r,m", 64, LOADS(.relative = true)), &g));
	assert_false(uarch_fuses(
		base, INSN("and", "m,i", 64, .immediate = true, LOADS(.relative = true)), &g));
	assert_true(uarch_fuses(child, cmp, &ne));
	assert_false(uarch_fuses(child, test, &ne));
	assert_true(uarch_fuses(arm, cmp, &ne));
	assert_false(uarch_fuses(arm, cmp, &cbz));
	uarch_free(base);
	uarch_free(child);
	uarch_free(arm);
}

/* ---- recognition */

static struct machine intel(unsigned model, unsigned stepping, const char *features)
{
	struct machine machine = { .arch = "x86_64",
		.processor = { .vendor = "GenuineIntel",
			.family = 6,
			.model = model,
			.stepping = stepping } };

	snprintf(machine.processor.features, sizeof(machine.processor.features), "%s", features);
	return machine;
}

TEST(the_line_with_most_conditions_wins)
{
	struct machine machine;
	char name[24], why[160], features[80];
	struct table table;

	table_open(&table, "uarch-insn", "recognised");
	while (table_next(&table, 5)) {
		double number[2];

		table_numbers(&table, 0, number, 2);
		snprintf(features, sizeof(features), " %s ", table.field[1]);
		machine = intel((unsigned)number[0], (unsigned)number[1], features);
		assert_int_equal(uarch_recognise(&machine, name, why),
			table_yes(&table, 3) ? UARCH_EXACT : UARCH_NEAREST);
		table_expect(&table, name, table.field[2]);
		if (!strstr(why, table.field[4]))
			table_fail(&table, "the reason is: %s", why);
	}
	machine = intel(0x10, 0, "");
	snprintf(machine.processor.vendor, sizeof(machine.processor.vendor), "CentaurHauls");
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NONE);
	assert_string_equal(name, "");
	assert_string_equal(why,
		"there is no core model for CentaurHauls, family 6, model 16 (10), nor "
		"for others of that maker");
	snprintf(machine.processor.vendor, sizeof(machine.processor.vendor), "AuthenticAMD");
	machine.processor.family = 0x1a;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NEAREST);
	assert_string_equal(name, "other");
}

TEST(arm_cores_are_recognised_by_part)
{
	struct machine machine = { .arch = "aarch64",
		.processor = { .implementer = 0x41, .part = 0xd0c } };
	char name[24], why[160];

	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_EXACT);
	assert_string_equal(name, "arm");
	assert_string_equal(why, "implementer 41 part d0c");
	machine.processor.part = 0xd99;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NEAREST);
	machine.processor.implementer = 0x61;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NONE);
	machine.processor.implementer = 0;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NONE);
}

TEST(features_are_whole_words)
{
	struct processor processor = { 0 };

	assert_false(processor_has(&processor, "avx2"));
	processor_add(&processor, "avx2");
	processor_add(&processor, "avx512fp16");
	assert_string_equal(processor.features, " avx2 avx512fp16 ");
	assert_true(processor_has(&processor, "avx2"));
	assert_true(processor_has(&processor, "avx512fp16"));
	assert_false(processor_has(&processor, "avx512f"));
	assert_false(processor_has(&processor, "vx2"));
	assert_false(processor_has(&processor, ""));
	for (int i = 0; i < 40; i++)
		processor_add(&processor, "something");
	assert_true(strlen(processor.features) < sizeof(processor.features));
	assert_false(processor_has(&processor, "somethin"));
}

RUN_TESTS(.set_up = uarch_fakes_setup)
