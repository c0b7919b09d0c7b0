/* Finds the micro-ops of complex instruction classes: those with several micro-ops, or one that
 * holds a unit. Each measured mix contains one instruction of the complex class and many
 * instructions of a known class. The known class fills its ports, so each micro-op of the other
 * class that needs one of these ports adds time. A guess about the micro-ops of a class is a
 * multiset of known port sets, one for each micro-op. The search for micro-ops compares all guesses
 * with the measured mixes. Finally, the search for micro-ops asks to measure the mix that best
 * separates the remaining guesses. infer_units.c then finds the units that classes hold. */
#include "model/measured/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { SETS = 48, MOST_OPS = 6, GUESSES = 96, TRIES = 1600, TESTS = 32, BASE = 12, FORMS = 48 };

/* Room for the port work of the other instruction classes in a test: BASE entries, and the accesses
 * of one more class. */
enum { BASE_ROOM = BASE + 3 * UARCH_TERMS };

/* A measured mix of instructions that contains the class (op) whose micro-ops are searched. All
 * numbers in a test (measured mix) are for one instruction of the class whose micro-ops are
 * searched. */
struct test {
	struct port_load base[BASE_ROOM];
	int base_count;
	int ports; /* number of ports that the first of the other instructions in the test can use
		    */
	double slots, cycles,
		spread; /* rename slots, measured cycles, and relative spread of the cycles */
	double alone; /* cycles of the slowest instruction class (op) of the mix, measured alone. An
			 op can need more cycles than its ports explain: an addition on five ports
			 needs 0.212 cycles instead of 0.2. */
	struct measured_mix mix;
};

/* The micro-ops of an instruction class (op) whose micro-ops were already found. Several
 * instruction classes (ops) often have the same micro-ops. */
struct form {
	int count;
	uint32_t set[MOST_OPS]; /* ports of each micro-op of the instruction class, in the order of
				   its terms */
	bool related;
};

struct guess {
	int count;
	uint8_t set[MOST_OPS];
	bool holds; /* true: the op has one micro-op, which holds its port for the whole time of the
		       op */
	double cost;
};

struct terms {
	struct inference *in;
	int op;
	double each, slots; /* cycles of the instruction class (op) alone, and its rename slots */
	int expected;
	bool store; /* the op is a store, and may use ports that no other op uses */
	uint32_t set[SETS];
	int set_count;
	int fresh; /* index of the first set of ports that no other instruction class (op) uses */
	struct port_load access[2 * UARCH_TERMS];
	int access_count;
	struct test own; /* a test (measured loop) in which the op runs alone */
	struct test test[TESTS];
	int test_count;
	struct form form[FORMS];
	int form_count;
	struct guess guess[GUESSES];
	int guess_count;
	int tries;
};

static double guess_cycles(
	const struct terms *t, const struct guess *guess, const struct test *test)
{
	struct port_load load[BASE_ROOM + MOST_OPS + 2 * UARCH_TERMS];
	int count = 0;

	for (int i = 0; i < guess->count; i++) {
		uint32_t ports = t->set[guess->set[i]];
		double cycles = guess->holds ? fmax(1, t->each * ports_count(ports)) : 1;

		if (count > 0 && load[count - 1].ports == ports)
			load[count - 1].cycles += cycles;
		else
			load[count++] = (struct port_load){ ports, cycles };
	}
	for (int i = 0; i < t->access_count; i++)
		load[count++] = t->access[i];
	for (int i = 0; i < test->base_count; i++)
		load[count++] = test->base[i];
	return fmax(fmax(infer_bound(load, count), test->alone),
		t->in->width > 0 ? test->slots / t->in->width : 0);
}

/* Returns the upper limit for the cost of a guess about an op's micro-ops: a guess whose cost
 * reaches the limit is not kept. */
static double worst_kept(const struct terms *t)
{
	return t->guess_count == GUESSES ? t->guess[GUESSES - 1].cost
	       : t->guess_count > 0	 ? t->guess[0].cost + 8
					 : INFINITY;
}

/* Returns by how much the cost of a guess (about an op's micro-ops) falls if another op has the
 * same micro-ops. */
static double resembles(const struct terms *t, const struct guess *guess)
{
	double most = 0;

	for (int f = 0; f < t->form_count; f++) {
		const struct form *form = &t->form[f];
		bool same = form->count == guess->count;

		for (int i = 0; i < guess->count && same; i++)
			same = t->set[guess->set[i]] == form->set[i];
		if (same)
			most = fmax(most, form->related ? 4 : 1.5);
	}
	return most;
}

/* Whether a guess gives the ports of the other op in a test more work than the measured cycles
 * allow. overfills() counts only work that no other port can do. overfills() is a quick check that
 * rejects most guesses. */
static bool overfills(const struct terms *t, const struct guess *guess, const struct test *test)
{
	double work;

	if (test->base_count != 1 || guess->holds)
		return false;
	work = test->base[0].cycles;
	for (int i = 0; i < guess->count; i++)
		if (!(t->set[guess->set[i]] & ~test->base[0].ports))
			work++;
	return work > 1.2 * test->cycles * test->ports;
}

/* Computes the cost of a guess about the micro-ops, and keeps the guess if it is among the best.
 * Returns false if the guess about the micro-ops predicts more cycles than a measurement: a guess
 * with further micro-ops would predict even more. */
static bool weigh(struct terms *t, struct guess *guess)
{
	const struct figure *each = &t->in->measured->op[t->op].each;
	double by_ports, most = worst_kept(t);
	int more = guess->count - t->expected;

	t->tries++;
	for (int i = 0; i < t->test_count; i++)
		if (overfills(t, guess, &t->test[i]))
			return false;
	by_ports = guess_cycles(t, guess, &t->own);
	if (by_ports > 1.15 * t->each)
		return false;
	guess->cost = (guess->holds ? 2 : 0) + 0.05 * guess->count - resembles(t, guess) +
		      (more > 0 ? 3.0 * more : -2.0 * more);
	for (int i = 0; i < guess->count; i++) {
		int ports = ports_count(t->set[guess->set[i]]);

		/* If two guesses about the micro-ops explain the results equally well, the guess
		 * with more ports wins. */
		guess->cost -= 0.03 * ports;
		if (i > 0 && guess->set[i] == guess->set[i - 1])
			continue;
		guess->cost += 0.6;
		if (guess->set[i] >= t->fresh)
			guess->cost += t->store ? -0.5 : 3 + 0.2 * ports;
	}
	/* If a guess about the micro-ops predicts more cycles than the op needs, the guess is
	 * wrong. If a guess predicts fewer cycles than the op needs, a unit, such as a divider, may
	 * explain the rest of the time. */
	if (by_ports > t->each)
		guess->cost += infer_miss(
			t->in, by_ports, t->each, (each->hi - each->lo) / t->each / 2, 1);
	else if (by_ports < 0.94 * t->each)
		guess->cost += t->each > 2.5 ? 1 : 4;
	for (int i = 0; i < t->test_count && guess->cost < most; i++) {
		double cycles = guess_cycles(t, guess, &t->test[i]);

		if (cycles > 1.2 * t->test[i].cycles)
			return false;
		guess->cost += infer_miss(
			t->in, cycles, t->test[i].cycles, t->test[i].spread, t->test[i].ports);
	}
	if (guess->cost < most) {
		int at = t->guess_count < GUESSES ? t->guess_count++ : GUESSES - 1;

		for (; at > 0 && t->guess[at - 1].cost > guess->cost; at--)
			t->guess[at] = t->guess[at - 1];
		t->guess[at] = *guess;
	}
	return true;
}

static void extend(struct terms *t, const struct guess *from, int most)
{
	for (int set = from->count ? from->set[from->count - 1] : 0;
		set < t->set_count && t->tries < TRIES; set++) {
		struct guess guess = *from;

		guess.set[guess.count++] = (uint8_t)set;
		if (!weigh(t, &guess))
			continue;
		if (guess.count == 1 && t->each * ports_count(t->set[set]) > 1.06) {
			guess.holds = true;
			weigh(t, &guess);
			guess.holds = false;
		}
		if (guess.count < most)
			extend(t, &guess, most);
	}
}

static void add_set(struct terms *t, uint32_t set)
{
	for (int i = 0; i < t->set_count; i++)
		if (t->set[i] == set)
			return;
	if (set && t->set_count < SETS)
		t->set[t->set_count++] = set;
}

static void find_sets(struct terms *t)
{
	struct inference *in = t->in;

	for (int g = 0; g < in->group_count; g++)
		add_set(t, in->group[g].set);
	for (int i = 0; i < in->measured->op_count; i++)
		for (int k = 0; in->to->known[i] && k < in->to->term_count[i]; k++)
			if (!(in->to->term[i][k].ports >> INFER_PORTS))
				add_set(t, in->to->term[i][k].ports);
	t->fresh = t->set_count;
	for (int ports = 1; ports <= 3 && in->ports + ports <= INFER_PORTS; ports++)
		add_set(t, ((UINT32_C(1) << ports) - 1) << in->ports);
}

/* Collects the measured mixes that contain the op t->op, and otherwise only instruction classes
 * with known micro-ops. */
static void find_tests(struct terms *t)
{
	const struct measured *m = t->in->measured;

	for (int k = 0; k < m->mix_count && t->test_count < TESTS; k++) {
		const struct measured_mix *mix = &m->mix[k];
		struct test *test = &t->test[t->test_count];
		struct mix_result result;
		double times = 0;
		bool good = mix->cycles.known && !mix->check;

		*test = (struct test){ .mix = *mix, .alone = t->each };
		for (int i = 0; i < mix->count; i++)
			if (mix->op[i] == t->op)
				times = mix->times[i];
		good = good && times > 0;
		for (int i = 0; i < t->test_count && good; i++)
			good = !infer_same_mix(&t->test[i].mix, mix);
		for (int i = 0; i < mix->count && good; i++) {
			int op = mix->op[i];
			double share = mix->times[i] / times;

			test->slots += measured_slots(&m->op[op]) * share;
			if (op == t->op)
				continue;
			test->alone = fmax(test->alone, m->op[op].each.value * share);
			good = t->in->to->known[op] && t->in->to->term_count[op] <= 4 &&
			       infer_work(t->in, op, share, test->base, &test->base_count) &&
			       test->base_count <= BASE - 4 && !infer_clash(t->in, t->op, op);
		}
		if (!good)
			continue;
		result = infer_result(t->in, mix);
		if (!result.known)
			continue;
		test->cycles = result.cycles / times;
		test->spread = result.spread;
		test->ports = ports_count(test->base[0].ports);
		t->test_count++;
	}
}

/* Builds a loop of one instruction of the op (a class) and many instructions of the class `other`.
 * The instructions of `other` alone need 30 % more time than the op. Returns false if the loop
 * would need too many instructions of the class `other`. */
static bool blocked_by(const struct terms *t, int other, struct measured_mix *mix)
{
	double each = t->in->measured->op[other].each.value,
	       times = ceil(fmax(1.3 * t->each, 2) / each - 1e-9);

	*mix = (struct measured_mix){ .count = 2, .op = { t->op, other }, .times = { 1, times } };
	/* In a longer mix of instructions, noise hides the time of one micro-op. */
	return times <= 20;
}

/* Returns the information that a measurement of the mix would give: the entropy of the cycles that
 * the guesses predict. A guess of lower cost (a better fit to the measurements) has more weight. */
static double information_of(const struct terms *t, const struct measured_mix *mix)
{
	struct test test = { .slots = t->slots, .alone = t->each };
	double at[GUESSES], weight[GUESSES] = { 0 }, total = 0, sum = 0;
	int kinds = 0;

	if (!infer_work(t->in, mix->op[1], mix->times[1], test.base, &test.base_count))
		return 0;
	test.slots += measured_slots(&t->in->measured->op[mix->op[1]]) * mix->times[1];
	for (int i = 0; i < t->guess_count; i++) {
		double cycles = guess_cycles(t, &t->guess[i], &test),
		       mass = exp(-(t->guess[i].cost - t->guess[0].cost) / 2);
		int k = 0;

		while (k < kinds && fabs(cycles / at[k] - 1) > 0.025)
			k++;
		if (k == kinds)
			at[kinds++] = cycles;
		weight[k] += mass;
		total += mass;
	}
	for (int k = 0; k < kinds; k++)
		sum -= weight[k] / total * log(weight[k] / total);
	return sum;
}

/* Asks to measure the instruction mix whose cycles give the most information about the op's
 * micro-ops. Returns false if no mix of instructions gives enough information. */
static bool ask(struct terms *t)
{
	struct inference *in = t->in;
	struct measured_mix best = { 0 };
	double most = 0;

	for (int i = 0; i < in->measured->op_count; i++) {
		bool represents = in->kind[i] == INFER_SIMPLE && in->group_of[i] >= 0 &&
				  in->group[in->group_of[i]].op == i;
		struct measured_mix mix;
		double gain;

		/* Use only the class that represents a group, or a memory access with several
		 * micro-ops. */
		if ((!represents && !(infer_is_memory(in->measured->op[i].name) &&
					    in->kind[i] == INFER_COMPLEX)) ||
			i == t->op || !in->to->known[i] || infer_clash(in, t->op, i) ||
			!blocked_by(t, i, &mix) || infer_result(in, &mix).asked)
			continue;
		/* If two mixes of instructions give equal information, prefer the mix with fewer
		 * instructions. */
		gain = information_of(t, &mix) - 0.002 * mix.times[1];
		/* A mix of instructions rarely keeps many ports busy all the time. Cycles lost on
		 * idle ports look like one more micro-op, so a class with many ports is less
		 * suitable. */
		if (represents && in->wide[i] > 3)
			gain *= 0.5;
		if (gain > most) {
			most = gain;
			best = mix;
		}
	}
	if (most <= (t->test_count == 0 ? 0 : 0.15))
		return false;
	infer_ask(in, &best, 1);
	return true;
}

static void ask_again(const struct terms *t)
{
	for (int i = 0; i < t->test_count; i++)
		if (infer_miss(t->in, guess_cycles(t, &t->guess[0], &t->test[i]), t->test[i].cycles,
			    t->test[i].spread, t->test[i].ports) > 12)
			infer_ask(t->in, &t->test[i].mix, 2);
}

/* Turns the best guess into the terms of the op: its micro-ops with the ports and cycles of each.
 */
static void settle(struct terms *t)
{
	struct measured_ports *to = t->in->to;
	const struct guess *guess = &t->guess[0];
	double stretch = t->each / guess_cycles(t, guess, &t->own);
	int count = 0;

	/* If an op needs slightly more cycles than predicted, the cause is the scheduler. If an op
	 * needs many more cycles, the cause is a unit, which infer_units() finds. */
	if (stretch < 1.1 || (stretch > 1.3 && t->each > 2.5) || !isfinite(stretch))
		stretch = 1;
	for (int i = 0; i < guess->count; i++) {
		struct uarch_term *term = &to->term[t->op][count];
		uint32_t ports = t->set[guess->set[i]];

		if (count > 0 && term[-1].ports == ports) {
			term[-1].count++;
			continue;
		}
		if (guess->holds)
			stretch = fmax(1, t->each * ports_count(ports));
		*term = (struct uarch_term){ ports, 1, (float)stretch };
		t->in->ports = (int)fmax(t->in->ports, 32 - __builtin_clz(ports));
		count++;
	}
	to->term_count[t->op] = count;
	to->known[t->op] = true;
}

static void find_forms(struct terms *t)
{
	const struct measured_ports *to = t->in->to;

	for (int i = 0; i < t->in->measured->op_count && t->form_count < FORMS; i++) {
		struct form form = { .related = infer_related(t->in, t->op, i) };

		if (i == t->op || !to->known[i] || t->in->kind[i] != INFER_COMPLEX)
			continue;
		for (int k = 0; k < to->term_count[i]; k++)
			for (int n = 0; n < (int)to->term[i][k].count && form.count < MOST_OPS; n++)
				form.set[form.count++] = to->term[i][k].ports;
		t->form[t->form_count++] = form;
	}
}

/* Whether the micro-ops of a related instruction class with equally many slots are still unknown.
 * An instruction class waits for a related class whose micro-ops are unknown, because both probably
 * have the same micro-ops. */
static bool waits_for_relative(const struct terms *t)
{
	const struct inference *in = t->in;

	for (int i = 0; i < t->op; i++)
		if (in->kind[i] == INFER_COMPLEX && infer_related(in, t->op, i) && in->open[i] &&
			measured_slots(&in->measured->op[i]) == t->slots)
			return true;
	return false;
}

/* Copies the micro-ops of a related instruction class to the op. A mix of instructions that is
 * measured later must confirm the copied micro-ops. An op may copy the micro-ops of an op with
 * equally many slots and about equal cycles. If micro-ops are copied, the cycles of long
 * operations, such as divisions, may differ. */
static bool takes_after_relative(struct terms *t)
{
	struct inference *in = t->in;
	struct measured_ports *to = in->to;

	for (int i = 0; i < t->op; i++) {
		const struct measured_op *other = &in->measured->op[i];
		struct measured_mix mix;

		if (in->kind[i] != INFER_COMPLEX || !to->known[i] || !infer_related(in, t->op, i) ||
			measured_slots(other) != t->slots ||
			(fabs(other->each.value / t->each - 1) > 0.04 &&
				fmin(other->each.value, t->each) < 2.5) ||
			(in->measured->op[t->op].bits > 256) != (other->bits > 256))
			continue;
		to->known[t->op] = true;
		to->term_count[t->op] = to->term_count[i];
		memcpy(to->term[t->op], to->term[i], sizeof(to->term[i]));
		for (int g = 0; g < in->group_count && !in->open[i]; g++)
			for (int k = 0; k < to->term_count[i]; k++)
				if (in->group[g].set == to->term[i][k].ports &&
					!infer_clash(in, t->op, in->group[g].op) &&
					blocked_by(t, in->group[g].op, &mix)) {
					infer_ask_late(in, &mix);
					return true;
				}
		return true;
	}
	return false;
}

static void find_terms(struct terms *t, struct inference *in, int op)
{
	const struct measured_op *of = &in->measured->op[op];
	struct guess none = { 0 };

	*t = (struct terms){ .in = in,
		.op = op,
		.each = of->each.value,
		.store = strstr(of->name, "store") != NULL,
		.slots = measured_slots(of),
		.own.slots = measured_slots(of),
		.expected = (int)round(measured_own_slots(of)) };
	if (!infer_accesses(in, op, 1, t->access, &t->access_count))
		return;
	/* An op that runs in microcode or makes many accesses is described as an op that holds its
	 * own unit for its whole time. */
	if (t->expected > MOST_OPS || of->accesses > 1) {
		in->to->known[op] = true;
		return;
	}
	find_sets(t);
	find_tests(t);
	if (t->test_count == 0 && takes_after_relative(t))
		return;
	find_forms(t);
	weigh(t, &none);
	extend(t, &none, (int)fmin(MOST_OPS, t->expected + (t->store ? 2 : 1)));
	if (t->guess_count == 0)
		return;
	in->open[op] = waits_for_relative(t) || ask(t);
	if (t->test_count == 0)
		return;
	ask_again(t);
	settle(t);
}

void infer_micro_ops(struct inference *in)
{
	struct terms *t = memory_new(1, sizeof(*t));

	/* Find the micro-ops of loads and stores first, because other instruction classes contain
	 * them. Next, find the micro-ops of classes without memory accesses, and finally those of
	 * classes with memory accesses. */
	for (int pass = 0; pass < 3; pass++)
		for (int i = 0; i < in->measured->op_count; i++) {
			const struct measured_op *op = &in->measured->op[i];
			int of = infer_is_memory(op->name) ? 0 : *op->load || *op->store ? 2 : 1;

			if (in->kind[i] == INFER_COMPLEX && of == pass &&
				in->question_count < in->enough)
				find_terms(t, in, i);
		}
	free(t);
}
