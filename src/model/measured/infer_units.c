/* Finds the execution units that instruction classes keep busy for more than a cycle, such as a
 * divider. A class that is slower than its micro-ops explain holds a unit, for example a divider. A
 * loop that mixes two such classes of instructions shows whether both keep the same unit busy: the
 * times of both then add up. */
#include <math.h>
#include <string.h>

#include "model/measured/infer.h"

/* Returns 1 if two ops hold the same unit, 0 if they hold different units, and -1 if the mix of
 * both ops was not measured yet. */
static int same_unit(struct inference *in, int op, int other)
{
	double one = in->measured->op[op].each.value, two = in->measured->op[other].each.value;
	/* In this mix of two instruction classes, each of the two needs about the same time. */
	const struct measured_mix mix = { .count = 2,
		.op = { op, other },
		.times = { fmax(1, round(two / one)), fmax(1, round(one / two)) } };
	double both = mix.times[0] * one + mix.times[1] * two, apart;
	struct mix_result result = infer_result(in, &mix);

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

enum { UNIT_NONE = -1, UNIT_UNKNOWN = -2 };

/* Returns the unit that the op holds: a known unit, or a new unit. represents[unit] is an op that
 * holds the unit. */
static int find_unit(struct inference *in, int op, int represents[INFER_UNITS])
{
	struct measured_ports *to = in->to;
	const struct measured_mix own = { .count = 1, .op = { op }, .times = { 1 } };
	bool open = false;

	/* If an op needs slightly more cycles than its ports explain, the cause is the scheduler,
	 * not a unit. */
	if (!to->known[op] || in->kind[op] != INFER_COMPLEX ||
		infer_cycles(in, &own) > 0.9 * in->measured->op[op].each.value)
		return UNIT_NONE;
	/* Related ops hold the same unit, so no measurement is needed: for example, one divider
	 * executes all divisions. */
	for (int unit = 0; unit < to->units; unit++)
		if (related(in, op, represents[unit]))
			return unit;
	for (int unit = 0; unit < to->units; unit++) {
		int same = same_unit(in, op, represents[unit]);

		if (same == 1)
			return unit;
		open |= same < 0;
	}
	/* The op gets no unit if a measurement with a known unit is missing, or if all units are
	 * used. A limit computed without the unit is too low rather than too high. */
	if ((open && in->enough <= INFER_QUESTIONS) || to->units == INFER_UNITS)
		return UNIT_UNKNOWN;
	represents[to->units] = op;
	return to->units++;
}

void infer_units(struct inference *in)
{
	struct measured_ports *to = in->to;
	int represents[INFER_UNITS], unit_of[MEASURED_OPS];

	for (int i = 0; i < in->measured->op_count; i++)
		unit_of[i] = find_unit(in, i, represents);
	for (int i = 0; i < in->measured->op_count; i++) {
		if (unit_of[i] == UNIT_NONE)
			continue;
		to->known[i] = unit_of[i] != UNIT_UNKNOWN && to->term_count[i] < UARCH_TERMS;
		if (to->known[i])
			to->term[i][to->term_count[i]++] =
				(struct uarch_term){ UINT32_C(1) << (INFER_PORTS + unit_of[i]), 1,
					(float)in->measured->op[i].each.value };
	}
}
