/* What was measured as the text of a core's file, and read back. */
#include "check.h"

#include "made_cores.h"

#include "model/measured/infer.h"

static struct generated made;
static struct measured measured;
static struct measured_ports ports;
static struct model_difference difference[4096];

/* What was written, and read back. */
static char *text;
static struct uarch *uarch;

static struct figure figure(double value, double spread)
{
	return (struct figure){ true, value, value - spread, value + spread };
}

static struct measured_op *add_op(const char *name, double latency, double each, double slots)
{
	struct measured_op *op = &measured.op[measured.op_count++];

	snprintf(op->name, sizeof(op->name), "%s", name);
	if (latency >= 0)
		op->latency = figure(latency, 0.01);
	op->each = figure(each, each * 0.004);
	op->slots = figure(slots, 0.01);
	return op;
}

struct told {
	const char *word;
	double value, spread;
};

static void add_facts(const struct told *told, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct measured_fact *fact = &measured.fact[measured.fact_count++];

		snprintf(fact->word, sizeof(fact->word), "%s", told[i].word);
		fact->figure = figure(told[i].value, told[i].spread);
	}
}

static void add_buffer(const char *word, enum knee_kind kind, double x, double own)
{
	struct measured_buffer *buffer = &measured.buffers.buffer[measured.buffers.count++];

	snprintf(buffer->word, sizeof(buffer->word), "%s", word);
	buffer->knee = (struct knee){
		.kind = kind, .x = x, .lo = x - 1, .hi = x + 2, .from = x - 4, .to = x + 20
	};
	buffer->own = own;
}

/* A little of a core: what can be known of it without any mix. */
static void set_small(void)
{
	memset(&measured, 0, sizeof(measured));
	memset(&ports, 0, sizeof(ports));
	strcpy(measured.isa, "x86_64");
	strcpy(measured.processor, "Made # [1]");
	strcpy(measured.match, "vendor GenuineIntel family 6 model a7");
	measured.width = figure(5.97, 0.02);
	add_op("alu", 0.996, 0.2004, 1);
	add_op("fadd", 3.012, 0.5, 1);
	add_op("fround", 7.88, 1, 2);
	add_op("move", 0.01, 0.168, 1);
	add_op("fma", 4, 0.5, 1)->accumulate = figure(2.01, 0.01);
	add_op("div.64", 15.03, 10.1, 5);
	ports.ports = 3;
	ports.units = 1;
	for (int i = 0; i < measured.op_count; i++)
		ports.known[i] = true;
	ports.term_count[0] = ports.term_count[1] = 1;
	ports.term[0][0] = (struct uarch_term){ 7, 1, 1 };
	ports.term[1][0] = (struct uarch_term){ 3, 1, 1 };
	ports.term_count[2] = 1;
	ports.term[2][0] = (struct uarch_term){ 3, 2, 1 };
	ports.known[4] = false;
	ports.term_count[5] = 2;
	ports.term[5][0] = (struct uarch_term){ 2, 3, 1 };
	ports.term[5][1] = (struct uarch_term){ 8, 1, 10.1f };
}

static void read_back(void)
{
	struct text written = { 0 };

	measured_write(&measured, &ports, "made", &written);
	check_ok(uarch_parse(text_string(&written), "made.uarch", &uarch));
	text = memory_string(text_string(&written));
	text_free(&written);
}

static int begin(void **state)
{
	set_small();
	return 0;
}

static int end(void **state)
{
	free(text);
	uarch_free(uarch);
	text = NULL;
	uarch = NULL;
	return 0;
}

TEST_WITH(numbers_are_read_back, begin, end)
{
	static const struct told told[] = {
		{ "cap loads", 2.85, 0.01 },
		{ "extra forward", 6.3, 0.2 },
		{ "chain fadd fadd", 2.004, 0.004 },
		{ "chain fadd nothing", 2, 0 },
		{ "cache 1 bytes", 49152, 0 },
		{ "cache 1 latency", 5.003, 0.002 },
		{ "cache 2 latency", 16, 0.002 },
		{ "size opcache", 4000, 96 },
		{ "extra mood", 1, 0 },
	};
	const struct uarch_class *class;

	add_facts(told, sizeof(told) / sizeof(*told));
	/* Tried and not measured: its relative's numbers are not its own. */
	strcpy(measured.op[measured.op_count++].name, "fadd.512");
	read_back();
	assert_false(uarch_known(uarch_find(uarch, "fadd", 512)->latency));
	assert_string_equal(uarch->title, "Made 1, measured");
	check_near(uarch->width, 6, 0);
	check_near(uarch->width_spread, 0.05, 1e-9);
	class = uarch_find(uarch, "alu", 0);
	check_near(class->latency, 1, 0);
	check_near(class->latency_spread, 0.014, 1e-9);
	check_near(class->each, 0.2004, 1e-9);
	check_near(class->each_spread, 0.001, 1e-9);
	assert_int_equal(class->term_count, 1);
	assert_int_equal(class->term[0].ports, 7);
	check_contains(text, "class alu latency 1±0.014 each 0.2004±0.001 ports p0,p1,p2 "
			     "[measured]      # latency 0.996\n");
	/* 7.88 is no whole number. */
	check_near(uarch_find(uarch, "fround", 0)->latency, 7.88, 0);
	check_near(uarch_find(uarch, "fround", 0)->slots, 2, 0);
	check_near(uarch_find(uarch, "move", 0)->latency, 0, 0);
	assert_true(uarch_find(uarch, "move", 0)->executes);
	assert_false(uarch_find(uarch, "fma", 0)->executes);
	check_near(uarch_find(uarch, "fma", 0)->accumulate, 2, 0);
	class = uarch_find(uarch, "div", 64);
	check_near(class->slots, 5, 0);
	check_near((double)class->term[1].cycles, 10.1, 1e-6);
	assert_string_equal(uarch->port[3], "div");
	assert_true(3 >= uarch->port_count);
	check_near(uarch->fact[CAP_LOADS], 2.85, 0);
	check_near(uarch->fact[EXTRA_FORWARD], 6.3, 0);
	check_near(uarch->fact_spread[EXTRA_FORWARD], 0.2, 1e-9);
	assert_int_equal(uarch->chain_count, 1);
	check_near(uarch_cache(uarch, 1)->latency, 5, 0);
	/* Nothing of a cache without its size, nothing of what has no word. */
	assert_null(uarch_cache(uarch, 2));
	check_parts(text, "# extra mood: 1;", "# chain fadd nothing: 2;");
	check_near(uarch->fact[SIZE_OPCACHE], 4000, 0);
}

/* Of some classes alone: what executes where was not asked, and their slots are what was measured.
 */
TEST_WITH(a_long_title_ends_before_a_comma, begin, end)
{
	strcpy(measured.processor, "Oxide Virtual Turin-like Processor, family 1ah model 02h");
	read_back();
	assert_string_equal(uarch->title, "Oxide Virtual Turin-like Processor, measured");
}

TEST_WITH(without_ports_slots_are_those_measured, begin, end)
{
	memset(&ports, 0, sizeof(ports));
	measured.op[0].slots.value = 1.04;
	strcpy(add_op("store", -1, 0.5, 1.97)->store, "vstore");
	read_back();
	check_near(uarch_find(uarch, "alu", 0)->slots, 1, 0);
	check_near(uarch_find(uarch, "fround", 0)->slots, 2, 0);
	check_near(uarch_find(uarch, "div", 64)->slots, 5, 0);
	assert_null(strstr(text, "class alu latency 1±0.014 each 0.2004±0.001 slots"));
	assert_false(uarch_find(uarch, "alu", 0)->executes);
}

TEST_WITH(buffers_are_knees_and_what_the_loop_takes, begin, end)
{
	add_buffer("rob", KNEE_SHARP, 506, 6);
	add_buffer("vectors", KNEE_SOFT, 330, 2);
	add_buffer("load-queue", KNEE_NONE, 0, 2);
	add_buffer("store-queue", KNEE_UNCLEAR, 100, 2);
	read_back();
	check_near(uarch->fact[SIZE_ROB], 512, 0);
	check_near(uarch->fact_spread[SIZE_ROB], 2, 0);
	check_near(uarch->fact[SIZE_VECTORS], 332, 0);
	check_contains(text, "not sharp: the time rises from 326 to 350 fillers");
	assert_false(uarch_known(uarch->fact[SIZE_LOAD_QUEUE]));
	assert_false(uarch_known(uarch->fact[SIZE_STORE_QUEUE]));
	check_contains(text, "# size load-queue: the time did not rise");
}

/* Pairs of a mnemonic and a branch on each condition: one slot where `fuses` has all letters of the
 * condition. */
static void add_fusions(const char *mnemonic, const char *fuses)
{
	static const char *const conditions[] = { "o", "b", "e", "be", "s", "p", "l", "le" };

	for (int i = 0; i < 8; i++) {
		const char *condition = conditions[i];
		bool one = strspn(condition, fuses) == strlen(condition);
		char word[24];

		snprintf(word, sizeof(word), "fuse %s %s", mnemonic, condition);
		add_facts(&(struct told){ word, one ? 1.02 : 2, 0.01 }, 1);
	}
}

TEST_WITH(rules_come_from_slots, begin, end)
{
	static const struct told told[] = {
		{ "fuse cmp memory-immediate", 2, 0.01 },
		{ "fuse sub memory-immediate", 1.99, 0.01 },
		{ "fuse sub memory", 1, 0.01 },
		{ "fuse add after copy", 1, 0.01 },
		{ "fuse sub after copy", 2, 0.01 },
		{ "fuse xor after copy", 1, 0.01 },
		{ "unlaminate three-operand", 2, 0.01 },
		{ "unlaminate two-operand", 1, 0.01 },
		{ "unlaminate stores", 1.9, 0.01 },
	};

	add_fusions("test", "obespl");
	add_fusions("cmp", "be");
	add_fusions("sub", "be");
	add_fusions("or", "");
	add_facts(told, sizeof(told) / sizeof(*told));
	read_back();
	check_parts(text, "fuse test with all [measured]\n",
		"fuse cmp sub with b ae e ne be a unless memory-immediate [measured]\n",
		"fuse add xor after copy [measured]\n",
		"unlaminate indexed unless two-operand [measured]\n");
	assert_null(strstr(text, "fuse or"));
}

/* Micro-ops that fuse and are counted as two would make a limit too high: of what could not be
 * measured, they are counted once. */
TEST_WITH(what_may_fuse_and_was_not_measured_does, begin, end)
{
	static const struct told told[] = {
		{ "fuse cmp o", 2, 0.01 },
		{ "fuse cmp b", 1, 0.01 },
		{ "fuse cmp e", 1, 0.01 },
		{ "fuse test o", 1, 0.01 },
		{ "fuse xor e", 1, 0.01 },
		{ "fuse cmp memory-immediate", 2, 0.01 },
		{ "fuse add after copy", 1, 0.01 },
		{ "fuse sub after copy", 2, 0.01 },
	};

	add_facts(told, sizeof(told) / sizeof(*told));
	for (int i = 2; i < 8; i++)
		measured.fact[measured.fact_count - (int)(sizeof(told) / sizeof(*told)) + i]
			.figure.known = i == 7;
	read_back();
	check_parts(text, "fuse cmp with b ae e ne [measured]\n",
		"fuse test with o no [measured]\n", "fuse xor with e ne [measured]\n",
		"fuse add after copy [measured]\n", "# 5 pairs ");
}

/* The ratio that was measured becomes a yes or no, with what it was beside it. */
static void check_early(double slower, double binds, const char *words)
{
	const struct told told = { "extra binds-ports", slower, 0.005 };

	add_facts(&told, 1);
	read_back();
	check_near(uarch->fact[EXTRA_BINDS_PORTS], binds, 0);
	check_contains(text, words);
}

TEST_WITH(ports_are_chosen_early, begin, end)
{
	check_early(1.277, 1,
		"extra binds-ports 1 [measured]      # chains of single cycles take 1.277 (1.272 "
		"to 1.282) times as long");
}

TEST_WITH(ports_are_not_chosen_early, begin, end)
{
	check_early(1.003, 0,
		"extra binds-ports 0 [measured]      # chains of single cycles take 1.003 (0.998 "
		"to 1.008) times as long");
}

/* Jumps whose port nobody found: three a cycle where two branches go are none of theirs; fewer may
 * be. */
static void add_jumps(double taken)
{
	const struct told told = { "cap taken", taken, 0.01 };

	add_op("branch", -1, 0.5, 1);
	add_op("jump", -1, 0.5, 1);
	ports.known[measured.op_count - 2] = true;
	ports.term_count[measured.op_count - 2] = 1;
	ports.term[measured.op_count - 2][0] = (struct uarch_term){ 6, 1, 1 };
	add_facts(&told, 1);
	read_back();
}

TEST_WITH(jumps_are_no_branches_where_more_go, begin, end)
{
	add_jumps(3);
	assert_non_null(strstr(text, "class jump"));
	assert_int_equal(uarch_find(uarch, "jump", 0)->term_count, 0);
}

TEST_WITH(jumps_may_be_branches_where_fewer_go, begin, end)
{
	add_jumps(1);
	assert_null(strstr(text, "class jump"));
}

/* Eight accesses of a gather hold something for 4 cycles, two of another for 1.5: half a cycle
 * each, whatever the gather. */
TEST_WITH(gathers_hold_something_for_each_access, begin, end)
{
	const struct uarch_class *class;
	int last;

	add_op("vload", 6, 0.5, 1);
	last = measured.op_count - 1;
	ports.known[last] = true;
	ports.term_count[last] = 1;
	ports.term[last][0] = (struct uarch_term){ 6, 1, 1 };
	for (int i = 0; i < 2; i++) {
		struct measured_op *op = add_op(i ? "gather.128" : "gather", -1, i ? 1.5 : 4, 7);

		last = measured.op_count - 1;
		strcpy(op->load, "vload");
		op->accesses = i ? 2 : 8;
		ports.known[last] = true;
		ports.term_count[last] = 1;
		ports.term[last][0] = (struct uarch_term){ 8, 1, i ? 1.5f : 4 };
	}
	read_back();
	class = uarch_find(uarch, "gather-load", 0);
	assert_non_null(class);
	check_near(class->latency, 6, 0);
	assert_int_equal(class->term_count, 2);
	assert_int_equal(class->term[0].ports, 6);
	assert_int_equal(class->term[1].ports, 8);
	check_near((double)class->term[1].cycles, 0.5, 1e-6);
	assert_int_equal(uarch_find(uarch, "gather", 256)->term_count, 0);
	check_near(uarch_find(uarch, "gather", 256)->slots, 7, 0);
	assert_null(uarch_find(uarch, "scatter-store", 0));
}

TEST_WITH(the_match_line_fits_the_processor, begin, end)
{
	struct machine machine = { .arch = "x86_64",
		.processor = { .vendor = "GenuineIntel",
			.family = 6,
			.model = 0xa7,
			.stepping = 1,
			.features = " avx2 avx512f avx512fp16 avx-vnni amx-tile amx-fp16 l1i-64k ",
			.l1i_bytes = 65536 } };
	snprintf(measured.match, sizeof(measured.match),
		"vendor GenuineIntel family 6 model a7 stepping 1 with l1i-64k with amx-fp16");
	read_back();
	assert_true(uarch_fits(uarch, &machine));
	machine.processor.stepping = 2;
	assert_false(uarch_fits(uarch, &machine));
}

/* All of a core: what is found and written predicts, once read, what was found. */
TEST_WITH(a_core_is_read_back, begin, end)
{
	static const char *const cores[] = { "neoverse-n1", "redwood-cove", "zen5" };

	for (int k = 0; k < CHECK_REPEATS(3, 1); k++) {
		made_begin(&made, cores[k], 0.002, 0, 3, &measured);
		made_measure(&made, &measured, 400);
		measured_find_ports(&measured, &ports);
		read_back();
		assert_string_equal(uarch->isa, made.uarch->isa);
		for (int i = 0; i < measured.op_count; i++) {
			const struct uarch_class *class = uarch_find(uarch, measured.op[i].name, 0);

			assert_non_null(class);
			assert_string_equal(class->name, measured.op[i].name);
			check_near(
				class->each, measured.op[i].each.value, 1e-4 * class->each + 1e-6);
			if (uarch_known(made.class[i] -> latency))
				check_near(class->latency, made.class[i] -> latency,
					0.05 + 0.01 * class -> latency);
			assert_int_equal(class->executes, ports.known[i]);
			assert_int_equal(
				class->term_count, ports.known[i] ? ports.term_count[i] : 0);
			for (int t = 0; t < class->term_count; t++)
				assert_int_equal(class->term[t].ports, ports.term[i][t].ports);
			if (ports.known[i])
				check_near(
					class->slots, measured_own_slots(&measured.op[i]), 0.021);
		}
		end(state);
		made_end(&made);
	}
}

static const struct model_difference *find_difference(int count, const char *what)
{
	for (int i = 0; i < count; i++)
		if (strcmp(difference[i].what, what) == 0)
			return &difference[i];
	return NULL;
}

TEST(differences_are_judged_by_the_spread)
{
	static const char head[] =
		"uarch x An X\nisa x86_64\nwidth 4 [M]\nports p0 p1 p2 [M]\nclass fadd latency 4 "
		"ports p0,p1 [M]\nclass imul latency 3 ports p1 [M]\n"
		"class shuffle latency 2 late 1 ports p2 [M]\nclass lea-three latency 2 late 1 "
		"ports p0 [M]\nclass gather latency 9 ports p0 [M]\ncap taken 1 [M]\nextra "
		"mispredict 16 "
		"[M]\nsize rob 224 [M]\n";
	static const char tail[] =
		"uarch y Y\nisa x86_64\nwidth 4±0.01 [measured]\nports a b c [measured]\nclass "
		"fadd latency 4.1±0.04 each 0.505±0.001 ports b,c [measured]\n"
		"class imul latency 4±0.01 each 1±0.001 ports a [measured]\nclass shuffle latency "
		"1±0.01 each 1±0.001 ports c [measured]\nclass lea-three latency 2±0.01 each "
		"1±0.001 ports b [measured]\nclass gather latency 9±0.1 each 9±0.1 ports b "
		"[measured]\nextra mispredict 18±2 [measured]\n"
		"size rob 224±3 [measured]\n";
	struct uarch *a, *b;
	int count;

	check_ok(uarch_parse(tail, "tail", &a));
	check_ok(uarch_parse(head, "head", &b));
	count = model_differences(a, b, difference, 4096);
	assert_in_range(count, 10, 30);
	assert_true(find_difference(count, "width")->agrees);
	assert_true(find_difference(count, "latency of fadd")->agrees);
	assert_false(find_difference(count, "latency of imul")->agrees);
	/* A chain measures the latency from one operand, and either of two latencies may be its. */
	assert_true(find_difference(count, "latency of shuffle")->agrees);
	assert_true(find_difference(count, "latency of lea-three")->agrees);
	/* The loads of a gather are no part of its class. */
	assert_null(find_difference(count, "reciprocal throughput of gather"));
	assert_true(find_difference(count, "extra mispredict")->agrees);
	assert_true(isnan(find_difference(count, "cap taken")->a));
	check_near(find_difference(count, "cap taken")->b, 1, 0);
	assert_true(find_difference(count, "reciprocal throughput of fadd")->agrees);
	/* Which of its two ports fadd shares is not the same; that its ports have other names is
	 * nothing. */
	assert_true(find_difference(count, "2 fadd and 1 imul") ||
		    find_difference(count, "2 fadd and 1 shuffle"));
	assert_null(find_difference(count, "1 imul and 1 shuffle"));
	/* A core differs in nothing from itself. */
	count = model_differences(b, b, difference, 4096);
	for (int i = 0; i < count; i++)
		assert_true(difference[i].agrees);
	uarch_free(a);
	uarch_free(b);
}

TEST_WITH(spreads_stand_beside_what_was_measured_only, begin, end)
{
	static const char *const bad[] = { "width 4±0.1 [M]", "width 4±x [measured]",
		"width 4± [measured]", "width ±4 [measured]" };

	for (int i = 0; i < 4; i++) {
		char lines[200];
		struct status status;

		snprintf(lines, sizeof(lines), "uarch x X\nisa x86_64\n%s\nports p0 [M]\n", bad[i]);
		status = uarch_parse(lines, "x.uarch", &uarch);
		assert_int_equal(status.code, STATUS_FAILED);
		check_parts(status.text, "width", "x.uarch:3:");
	}
	/* Beside another source it is the measured number. */
	check_ok(uarch_parse(
		"uarch x X\nisa x86_64\nwidth 4±0.1 [M,measured]\nports p0 [M]\n", "x", &uarch));
	check_near(uarch->width_spread, 0.1, 0);
}

RUN_TESTS()
