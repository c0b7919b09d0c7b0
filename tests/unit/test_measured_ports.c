/* Ports found again from what cores measure: core models that are shipped, their classes'
 * throughputs and whatever mixes the search asks for, computed from their ports with noise; then
 * pairs and triples that it did not ask for. Names of ports do not matter. */
#include "check.h"

#include "made_cores.h"

#include "model/measured/infer.h"

static struct generated made;
static struct measured measured;
static struct measured_ports ports;

struct rate {
	int mixes, good;
};

/* Classes side by side, drawn by chance, in numbers that each take about as long. */
static bool draw(
	struct generated *from, const struct measured *m, int parts, struct measured_mix *mix)
{
	double longest = 1;

	*mix = (struct measured_mix){ .count = parts };
	for (int i = 0; i < parts; i++) {
		mix->op[i] = (int)(made_random(from) * m->op_count);
		longest = fmax(longest, m->op[mix->op[i]].each.value);
		for (int k = 0; k < i; k++)
			if (mix->op[k] == mix->op[i])
				return false;
	}
	for (int i = 0; i < parts; i++)
		mix->times[i] = fmax(1,
			round(longest * (0.5 + made_random(from)) / m->op[mix->op[i]].each.value));
	return longest < 20;
}

static double cycles_by_ports(const struct measured_mix *mix)
{
	static struct inference in = { .measured = &measured, .to = &ports };

	in.width = measured.width.value;
	return infer_cycles(&in, mix);
}

static struct rate try(int parts, int mixes)
{
	struct rate rate = { 0 };

	while (rate.mixes < mixes) {
		struct measured_mix mix;
		double by_ports;

		if (!draw(&made, &measured, parts, &mix))
			continue;
		by_ports = cycles_by_ports(&mix);
		if (isnan(by_ports))
			continue;
		rate.mixes++;
		rate.good += fabs(by_ports / made_cycles(&made, &mix) - 1) < 0.05;
	}
	return rate;
}

static int known(void)
{
	int count = 0;

	for (int i = 0; i < measured.op_count; i++)
		count += ports.known[i];
	return count;
}

/* Cores whose ports differ most. Under emulation and a sanitizer, which are slow: two of them. */
static const char *const *tried(void)
{
	static const char *const unlike[] = { "cortex-a72", "neoverse-n1", "redwood-cove", "zen2",
		"zen5", NULL };
	static const char *const two[] = { "cortex-a72", "neoverse-n1", NULL };

	return CHECK_REPEATS(true, false) ? unlike : two;
}

TEST(cores_are_found_again)
{
	static const struct {
		double noise, outliers;
		int pairs, triples, known;
	} under[] = {
		{ 0.003, 0, 89, 83, 88 },
		{ 0.01, 0.01, 93, 90, 95 },
	};

	for (const char *const *name = tried(); *name; name++)
		for (int k = 0; k < 2; k++) {
			struct rate one, two, three;
			int percent;

			if (k == 1 && strcmp(*name, "zen5") != 0 &&
				strcmp(*name, "neoverse-n1") != 0)
				continue;
			made_begin(&made, *name, under[k].noise, under[k].outliers, 7 + (unsigned)k,
				&measured);
			made_measure(&made, &measured, 1200);
			measured_find_ports(&measured, &ports);
			one = try(1, 200);
			two = try(2, 1000);
			three = try(3, 1000);
			percent = known() * 100 / measured.op_count;
			print_message(
				"%s, noise %.1f %%: %d mixes asked for, ports of %d %% of classes; "
				"within 5 %%: alone %.1f %%, pairs %.1f %%, triples %.1f %%\n",
				*name, 100 * under[k].noise, made.asked, percent, one.good / 2.0,
				two.good / 10.0, three.good / 10.0);
			assert_in_range(two.good, under[k].pairs * 10, 1000);
			assert_in_range(three.good, under[k].triples * 10, 1000);
			assert_in_range(percent, under[k].known, 100);
			made_end(&made);
		}
}

static void begin_small(const char *classes)
{
	char text[600];

	snprintf(text, sizeof(text),
		"uarch x X\nisa x86_64\nwidth 6 [M]\nports a b c d e f g h i j [M]\nclass alu "
		"latency 1 ports a,b,c,d,e [M]\n"
		"class shift latency 1 ports a,b [M]\nclass imul latency 3 ports c [M]\nclass "
		"vload latency 6 ports f,g,h [M]\n%s",
		classes);
	check_ok(uarch_parse(text, "x", &made.uarch));
	made_begin_core(&made, 0.002, 0, 5, &measured);
}

static int op_named(const char *name)
{
	for (int i = 0; i < measured.op_count; i++)
		if (strcmp(measured.op[i].name, name) == 0)
			return i;
	fail_msg("no class %s", name);
	return -1;
}

/* Moves that are a little slower than the width, and extensions so slow (by a disturbance) that
 * they look like the work of five ports. */
TEST(what_is_done_at_rename_takes_no_port)
{
	int move, extend;

	begin_small("class move latency 0 ports none [M]\nclass zero-extend latency 0 ports none "
		    "[M]\n");
	move = op_named("move");
	extend = op_named("zero-extend");
	measured.op[move].each = (struct figure){ true, 0.18, 0.179, 0.181 };
	measured.op[extend].each = (struct figure){ true, 0.1973, 0.196, 0.199 };
	made_measure(&made, &measured, 200);
	measured_find_ports(&measured, &ports);
	assert_true(ports.known[move] && ports.known[extend]);
	assert_int_equal(ports.term_count[move], 0);
	assert_int_equal(ports.term_count[extend], 0);
	/* Five and three are all that others show. */
	assert_int_equal(ports.ports, 8);
	/* Nor does it take more of the width than the nops beside it left. */
	check_near(measured_own_slots(&measured.op[move]), 1, 0.03);
	check_near(measured_own_slots(&measured.op[extend]), 1, 0.03);
	made_end(&made);
}

/* Vectors done in halves on the two ports that whole ones have beside each other, and one slot that
 * takes a port of these and another: each alone they look like one port's, and they are not the
 * same. */
TEST(halves_are_no_port_of_their_own)
{
	int half, both;

	begin_small("class pack latency 2 slots 1 ports i + c [M]\nclass fadd latency 3 ports i,j "
		    "[M]\nclass fadd.128 latency 3 slots 1 ports 2*i,j [M]\n"
		    "class fmul latency 3 ports i,j [M]\nclass unpack latency 3 ports j [M]\n");
	half = op_named("fadd.128");
	both = op_named("fadd");
	made_measure(&made, &measured, 300);
	measured_find_ports(&measured, &ports);
	assert_true(ports.known[half]);
	assert_int_equal(ports.term_count[half], 1);
	assert_int_equal(ports.term[half][0].ports, ports.term[both][0].ports);
	check_near((double)ports.term[half][0].cycles, 2, 0.05);
	made_end(&made);
}

/* Nobody measured them side by side: they may hold the same thing, and are not known to. */
TEST(what_holds_something_is_known_when_time_is_up)
{
	int gather, scatter;

	begin_small("class gather slots 7 ports none [M]\nclass scatter slots 20 ports none [M]\n");
	gather = op_named("gather");
	scatter = op_named("scatter");
	measured.op[gather].each = (struct figure){ true, 4.1, 4.09, 4.11 };
	measured.op[scatter].each = (struct figure){ true, 12, 11.9, 12.1 };
	made_measure(&made, &measured, 0);
	measured_find_ports(&measured, &ports);
	assert_true(ports.known[gather] && ports.known[scatter]);
	assert_int_equal(ports.term_count[gather], 1);
	assert_int_equal(ports.term_count[scatter], 1);
	assert_true(ports.term[gather][0].ports != ports.term[scatter][0].ports);
	made_end(&made);
}

TEST(a_load_is_one_slot_measured_or_not)
{
	begin_small("");
	measured.op[op_named("vload")].slots.known = false;
	made_measure(&made, &measured, 200);
	measured_find_ports(&measured, &ports);
	assert_true(ports.known[op_named("vload")]);
	assert_int_equal(__builtin_popcount(ports.term[op_named("vload")][0].ports), 3);
	made_end(&made);
}

/* Eight loads, which three ports take in 2.67 cycles, and something that takes 4.1. */
static void gathers_hold_something_of_their_own(double slots)
{
	struct measured_mix mix = { .count = 2, .times = { 1, 8 } };
	char class[80];
	int gather;

	snprintf(class, sizeof(class), "class gather slots %g ports none [M]\n", slots);
	begin_small(class);
	gather = op_named("gather");
	strcpy(measured.op[gather].load, "vload");
	measured.op[gather].accesses = 8;
	measured.op[gather].each = (struct figure){ true, 4.1, 4.09, 4.11 };
	made_measure(&made, &measured, 200);
	measured_find_ports(&measured, &ports);
	assert_true(ports.known[gather]);
	assert_int_equal(ports.units, 1);
	assert_int_equal(ports.term_count[gather], 1);
	check_near((double)ports.term[gather][0].cycles, 4.1, 0.01);
	mix.op[0] = gather;
	mix.op[1] = op_named("vload");
	check_near(cycles_by_ports(&mix), 16 / 3.0, 0.01);
	made_end(&made);
}

/* However many slots it seems to take. */
TEST(what_gathers_loads_and_holds_something_of_its_own)
{
	gathers_hold_something_of_their_own(7);
	gathers_hold_something_of_their_own(5);
}

/* Additions on five ports take 6 % longer than they could, and beside stores up to a third (Redwood
 * Cove): that is no addition that a store needs. */
TEST(what_is_slow_by_itself_is_not_laid_to_others)
{
	int store;

	made.early = 0.06;
	begin_small("class lea latency 1 ports a,b,c,d,e [M]\nclass compare latency 1 ports "
		    "a,b,c,d,e [M]\nclass load latency 5 ports f,g,h [M]\n"
		    "class sign-extend latency 1 ports c,d,e [M]\nclass store ports i,j [M]\n");
	store = op_named("store");
	measured.fact_count = 1;
	strcpy(measured.fact[0].word, "extra binds-ports");
	measured.fact[0].figure = (struct figure){ true, 1.28, 1.27, 1.29 };
	made_measure(&made, &measured, 400);
	measured_find_ports(&measured, &ports);
	made.early = 0;
	assert_true(ports.known[store]);
	assert_int_equal(ports.term_count[store], 1);
	assert_int_equal(__builtin_popcount(ports.term[store][0].ports), 2);
	made_end(&made);
}

RUN_TESTS()
