/* Micro-ops of complex classes. One instruction of the class runs next to so many of a known class
 * that all work that can use other ports does: each micro-op that cannot adds time. The search
 * compares all multisets of the known sets with such results, and asks for the mix that separates
 * the best candidates. A class that takes longer than its micro-ops explain holds a unit, for
 * example a divider. */
#include "model/measured/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- micro-ops */

enum { SETS = 48, MOST_OPS = 6, GUESSES = 96, TRIES = 1600, TESTS = 32, BASE = 12, FORMS = 48 };

/* Room for one more op, with its accesses. */
enum { BASE_ROOM = BASE + 3 * UARCH_TERMS };

/* A measured mix that contains the op: one instruction of the op, and the work of the other ops. */
struct test {
	struct port_load base[BASE_ROOM];
	int base_count;
	int ports;		      /* in the set of the first base load */
	double slots, cycles, spread; /* for one instruction of the op */
	double alone; /* cycles of the slowest other op alone; can exceed the time of its ports:
			 0.212 for an addition on five ports */
	struct measured_mix mix;
};

/* The micro-ops of a solved op: other ops probably have the same. */
struct form {
	int count;
	uint32_t set[MOST_OPS]; /* in the order of the terms */
	bool related;
};

struct guess {
	int count;
	uint8_t set[MOST_OPS];
	bool holds; /* its only micro-op holds the port for the whole time of the op */
	double cost;
};

struct terms {
	struct inference *in;
	int op;
	double each, slots; /* alone; micro-ops by its slots */
	int expected;
	bool store; /* a store: it may use ports that no other op uses */
	uint32_t set[SETS];
	int set_count;
	int fresh; /* later sets have ports that no other op uses */
	struct port_load access[2 * UARCH_TERMS];
	int access_count;
	struct test test[TESTS];
	int test_count;
	struct form form[FORMS];
	int form_count;
	struct guess guess[GUESSES];
	int guess_count;
	int tries;
};

static int guess_loads(const struct terms *t, const struct guess *guess, struct port_load *load)
{
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
	return count;
}

static double guess_cycles(
	const struct terms *t, const struct guess *guess, const struct test *test)
{
	struct port_load load[BASE_ROOM + MOST_OPS + 2 * UARCH_TERMS];
	int count = guess_loads(t, guess, load);

	for (int i = 0; i < test->base_count; i++)
		load[count++] = test->base[i];
	return fmax(fmax(infer_bound(load, count), fmax(t->each, test->alone)),
		t->in->width > 0 ? test->slots / t->in->width : 0);
}

static double cycles_alone(const struct terms *t, const struct guess *guess)
{
	struct port_load load[MOST_OPS + 2 * UARCH_TERMS];
	int count = guess_loads(t, guess, load);

	return fmax(infer_bound(load, count), t->in->width > 0 ? t->slots / t->in->width : 0);
}

static double worst_kept(const struct terms *t)
{
	return t->guess_count == GUESSES ? t->guess[GUESSES - 1].cost
	       : t->guess_count > 0	 ? t->guess[0].cost + 8
					 : INFINITY;
}

static void keep(struct terms *t, const struct guess *guess)
{
	int at = t->guess_count < GUESSES ? t->guess_count++ : GUESSES - 1;

	for (; at > 0 && t->guess[at - 1].cost > guess->cost; at--)
		t->guess[at] = t->guess[at - 1];
	t->guess[at] = *guess;
}

/* The bonus of a guess that has the form of another op. */
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

/* Whether the work that cannot leave the ports of the other op already exceeds the measurement.
 * This quick test rejects most guesses. */
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

/* Computes the cost of a guess and keeps it if it is among the best. False: it takes longer than
 * some measurement, and so does every extension. */
static bool weigh(struct terms *t, struct guess *guess)
{
	const struct figure *each = &t->in->measured->op[t->op].each;
	double by_ports, most = worst_kept(t);
	int more = guess->count - t->expected;

	t->tries++;
	for (int i = 0; i < t->test_count; i++)
		if (overfills(t, guess, &t->test[i]))
			return false;
	by_ports = cycles_alone(t, guess);
	if (by_ports > 1.15 * t->each)
		return false;
	guess->cost = (guess->holds ? 2 : 0) + 0.05 * guess->count - resembles(t, guess) +
		      (more > 0 ? 3.0 * more : -2.0 * more);
	for (int i = 0; i < guess->count; i++) {
		if (i == 0 || guess->set[i] != guess->set[i - 1])
			guess->cost += 0.6;
		/* Of equal explanations, prefer the one with more freedom. */
		guess->cost -= 0.03 * ports_count(t->set[guess->set[i]]);
		if (guess->set[i] >= t->fresh && (i == 0 || guess->set[i] != guess->set[i - 1]))
			guess->cost +=
				t->store ? -0.5 : 3 + 0.2 * ports_count(t->set[guess->set[i]]);
	}
	/* A guess slower than the measured time is wrong; a faster one leaves time to a unit. */
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
	if (guess->cost < most)
		keep(t, guess);
	return true;
}

static void extend(struct terms *t, const struct guess *from, int most)
{
	struct guess guess = *from;

	for (int set = from->count ? from->set[from->count - 1] : 0;
		set < t->set_count && t->tries < TRIES; set++) {
		guess = *from;
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

/* Collects the measured mixes of this op whose other ops are solved. */
static void find_tests(struct terms *t)
{
	const struct measured *m = t->in->measured;

	for (int k = 0; k < m->mix_count && t->test_count < TESTS; k++) {
		const struct measured_mix *mix = &m->mix[k];
		struct test *test = &t->test[t->test_count];
		struct mix_result result;
		double times = 0;
		bool good = mix->cycles.known && !mix->check;

		*test = (struct test){ .mix = *mix };
		for (int i = 0; i < mix->count; i++)
			if (mix->op[i] == t->op)
				times = mix->times[i];
		for (int i = 0; i < t->test_count; i++)
			good = good && !infer_same_mix(&t->test[i].mix, mix);
		for (int i = 0; i < mix->count && good && times > 0; i++) {
			test->slots += measured_slots(&m->op[mix->op[i]]) * mix->times[i] / times;
			if (mix->op[i] == t->op)
				continue;
			test->alone = fmax(
				test->alone, m->op[mix->op[i]].each.value * mix->times[i] / times);
			good = t->in->to->known[mix->op[i]] &&
			       t->in->to->term_count[mix->op[i]] <= 4 &&
			       infer_work(t->in, mix->op[i], mix->times[i] / times, test->base,
				       &test->base_count);
			good = good && test->base_count <= BASE - 4;
		}
		for (int i = 0; i < mix->count && good; i++)
			good = !infer_clash(t->in, t->op, mix->op[i]);
		if (!good || times <= 0)
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

/* One instruction of the op, and so many of another that these alone take a third longer than the
 * op. */
static bool blocked_by(const struct terms *t, int other, struct measured_mix *mix)
{
	double each = t->in->measured->op[other].each.value,
	       times = ceil(fmax(1.3 * t->each, 2) / each - 1e-9);

	*mix = (struct measured_mix){ .count = 2, .op = { t->op, other }, .times = { 1, times } };
	/* In more instructions, noise hides one micro-op. */
	return times <= 20;
}

/* The information of a mix: the entropy of the cycles that the guesses predict, by their weight. */
static double information_of(const struct terms *t, const struct measured_mix *mix)
{
	struct test test = { .slots = t->slots };
	double at[GUESSES], weight[GUESSES], total = 0, sum = 0;
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
		if (k == kinds) {
			at[kinds] = cycles;
			weight[kinds++] = 0;
		}
		weight[k] += mass;
		total += mass;
	}
	for (int k = 0; k < kinds; k++)
		sum -= weight[k] / total * log(weight[k] / total);
	return sum;
}

/* Asks for the mix with the most information; false: no mix is worth it. */
static bool ask(struct terms *t)
{
	struct inference *in = t->in;
	struct measured_mix best = { 0 };
	double most = 0;

	for (int i = 0; i < in->measured->op_count; i++) {
		bool represents = in->kind[i] == INFER_SIMPLE && in->group_of[i] >= 0 &&
				  in->group[in->group_of[i]].op == i;
		struct mix_result result;
		struct measured_mix mix;
		double gain;

		/* Representatives of groups, and accesses that brought ports of their own. */
		if ((!represents && !(infer_is_memory(in->measured->op[i].name) &&
					    in->kind[i] == INFER_COMPLEX)) ||
			i == t->op || !in->to->known[i] || infer_clash(in, t->op, i) ||
			!blocked_by(t, i, &mix))
			continue;
		result = infer_result(in, &mix);
		if (result.asked)
			continue;
		gain = information_of(t, &mix);
		/* Of equal mixes, prefer few instructions. */
		gain -= 0.002 * mix.times[1];
		/* A mix rarely keeps many ports busy all the time, which looks like one more
		 * micro-op. */
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

/* Turns the best guess into terms. */
static void settle(struct terms *t)
{
	struct measured_ports *to = t->in->to;
	const struct guess *guess = &t->guess[0];
	double stretch = t->each / cycles_alone(t, guess);
	int count = 0;

	/* A small excess comes from the scheduler. A large one is the work of a unit, which
	 * infer_units() finds. */
	if (stretch < 1.1 || (stretch > 1.3 && t->each > 2.5) || !isfinite(stretch))
		stretch = 1;
	for (int i = 0; i < guess->count; i++) {
		struct uarch_term *term = &to->term[t->op][count];
		uint32_t ports = t->set[guess->set[i]];

		if (count > 0 && term[-1].ports == ports) {
			term[-1].count++;
			continue;
		}
		*term = (struct uarch_term){ .ports = ports, .count = 1, .cycles = 1 };
		term->cycles = (float)stretch;
		if (guess->holds)
			term->cycles = (float)fmax(1, t->each * ports_count(ports));
		if (guess->set[i] >= t->fresh) {
			int most = 32 - __builtin_clz(ports);

			t->in->ports = most > t->in->ports ? most : t->in->ports;
		}
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

/* A related op of the same slots comes first: its solution probably holds for this op. */
static bool waits_for_relative(const struct terms *t)
{
	const struct inference *in = t->in;

	for (int i = 0; i < t->op; i++)
		if (in->kind[i] == INFER_COMPLEX && infer_related(in, t->op, i) && in->open[i] &&
			measured_slots(&in->measured->op[i]) == t->slots)
			return true;
	return false;
}

/* Assumes that the op executes like a related op of the same slots and about the same time (or
 * another division), until a mix confirms it. */
static bool takes_after_relative(struct terms *t)
{
	struct inference *in = t->in;
	struct measured_ports *to = in->to;

	for (int i = 0; i < t->op; i++) {
		const struct measured_op *other = &in->measured->op[i];
		struct measured_mix mix;

		if (in->kind[i] != INFER_COMPLEX || !to->known[i] || !infer_related(in, t->op, i) ||
			measured_slots(&in->measured->op[i]) != t->slots ||
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

static void find_terms(struct inference *in, int op)
{
	struct terms *t = memory_new(1, sizeof(*t));
	const struct measured_op *of = &in->measured->op[op];
	struct guess none = { 0 };

	t->in = in;
	t->op = op;
	t->each = of->each.value;
	t->store = strstr(of->name, "store") != NULL;
	t->slots = measured_slots(of);
	t->expected = (int)fmax(0, round(t->slots) - (*of->store ? 1 : 0));
	if (!infer_accesses(in, op, 1, t->access, &t->access_count))
		goto done;
	/* Microcode, or many accesses: it holds a unit of its own for its whole time. */
	if (t->expected > MOST_OPS || of->accesses > 1) {
		in->to->known[op] = true;
		goto done;
	}
	find_sets(t);
	find_tests(t);
	if (t->test_count == 0 && takes_after_relative(t))
		goto done;
	find_forms(t);
	weigh(t, &none);
	extend(t, &none, (int)fmin(MOST_OPS, t->expected + (t->store ? 2 : 1)));
	if (t->guess_count == 0)
		goto done;
	in->open[op] = waits_for_relative(t) || ask(t);
	if (t->test_count == 0)
		goto done;
	ask_again(t);
	settle(t);
done:
	free(t);
}

void infer_micro_ops(struct inference *in)
{
	/* Loads and stores first, because other ops contain them; then operations without accesses.
	 */
	for (int pass = 0; pass < 3; pass++)
		for (int i = 0; i < in->measured->op_count; i++) {
			const struct measured_op *op = &in->measured->op[i];
			int of = infer_is_memory(op->name) ? 0 : *op->load || *op->store ? 2 : 1;

			if (in->kind[i] == INFER_COMPLEX && of == pass &&
				in->question_count < in->enough)
				find_terms(in, i);
		}
}

/* ---- units */

/* Whether two ops hold the same unit: 1, 0, or -1: not measured yet. */
static int same_unit(struct inference *in, int op, int other)
{
	double one = in->measured->op[op].each.value, two = in->measured->op[other].each.value;
	/* Numbers that take about as long each. */
	const struct measured_mix mix = { .count = 2,
		.op = { op, other },
		.times = { fmax(1, round(two / one)), fmax(1, round(one / two)) } };
	double both = mix.times[0] * one + mix.times[1] * two, apart;
	struct mix_result result;

	result = infer_result(in, &mix);
	if (!result.known) {
		infer_ask(in, &mix, 1);
		return result.asked ? 0 : -1;
	}
	apart = fmax(infer_cycles(in, &mix), fmax(mix.times[0] * one, mix.times[1] * two));
	if (fabs(result.cycles / both - 1) > 0.05 && fabs(result.cycles / apart - 1) > 0.05)
		infer_ask(in, &mix, 2);
	return result.cycles > sqrt(both * apart);
}

static bool related(const struct inference *in, int op, int other)
{
	const char *a = in->measured->op[op].name, *b = in->measured->op[other].name;
	size_t length = strcspn(a, ".0123456789");

	return strcspn(b, ".0123456789") == length && memcmp(a, b, length) == 0;
}

void infer_units(struct inference *in)
{
	struct measured_ports *to = in->to;
	int represents[INFER_UNITS], unit_of[MEASURED_OPS];

	for (int i = 0; i < in->measured->op_count; i++) {
		double each = in->measured->op[i].each.value;
		const struct measured_mix own = { .count = 1, .op = { i }, .times = { 1 } };
		int found = -1, open = -1;

		unit_of[i] = -1;
		if (!to->known[i] || in->kind[i] != INFER_COMPLEX ||
			infer_cycles(in, &own) >
				0.9 * each) /* a small excess comes from the scheduler */
			continue;
		for (int unit = 0; unit < to->units && found < 0; unit++)
			if (related(in, i, represents[unit])) /* no question needed: one divider
								 does all divisions */
				found = unit;
		for (int unit = 0; unit < to->units && found < 0; unit++) {
			int same = same_unit(in, i, represents[unit]);

			if (same == 1)
				found = unit;
			else if (same < 0)
				open = unit;
		}
		/* Without an answer the op gets no unit, so that the limit is too low rather than
		 * too high. */
		if (found < 0 && ((open >= 0 && in->enough <= INFER_QUESTIONS) ||
					 to->units == INFER_UNITS)) {
			unit_of[i] = -2; /* it may hold a known unit, or no unit is left */
			continue;
		}
		if (found < 0) {
			found = to->units++;
			represents[found] = i;
		}
		unit_of[i] = found;
	}
	for (int i = 0; i < in->measured->op_count; i++) {
		int count = to->term_count[i];

		if (unit_of[i] == -2 || (unit_of[i] >= 0 && count == UARCH_TERMS)) {
			to->known[i] = false;
		} else if (unit_of[i] >= 0) {
			to->term[i][count] =
				(struct uarch_term){ .ports = UINT32_C(1)
							      << (INFER_PORTS + unit_of[i]),
					.count = 1,
					.cycles = (float)in->measured->op[i].each.value };
			to->term_count[i]++;
		}
	}
}
