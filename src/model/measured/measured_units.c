/* What takes longer than its micro-ops keep ports holds something else: a divider, say. Two that
 * hold the same thing take as long side by side as one after the other. */
#include "model/measured/measured_parts.h"

#include <math.h>
#include <string.h>

/* Two ops in numbers that each take about as long. */
static void side_by_side(const struct inference *in, int a, int b, struct measured_mix *mix)
{
	double ea = in->measured->op[a].each.value, eb = in->measured->op[b].each.value;

	*mix = (struct measured_mix){ .count = 2,
		.op = { a, b },
		.times = { fmax(1, round(eb / ea)), fmax(1, round(ea / eb)) } };
}

static double own_cycles(const struct inference *in, int op)
{
	struct measured_mix mix = { .count = 1, .op = { op }, .times = { 1 } };

	return infer_cycles(in, &mix);
}

/* 1: they hold the same unit; 0: they do not; -1: not measured yet. */
static int same_unit(struct inference *in, int op, int other)
{
	struct infer_figure figure;
	struct measured_mix mix;
	double both, apart;

	side_by_side(in, op, other, &mix);
	infer_figure(in->measured, &mix, &figure);
	if (!figure.known) {
		infer_want(in, &mix, 1);
		return figure.asked ? 0 : -1;
	}
	both = mix.times[0] * in->measured->op[op].each.value +
	       mix.times[1] * in->measured->op[other].each.value;
	apart = fmax(
		infer_cycles(in, &mix), fmax(mix.times[0] * in->measured->op[op].each.value,
						mix.times[1] * in->measured->op[other].each.value));
	if (fabs(figure.cycles / both - 1) > 0.05 && fabs(figure.cycles / apart - 1) > 0.05)
		infer_want(in, &mix, 2);
	return figure.cycles > sqrt(both * apart);
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
	int stands[INFER_UNITS], unit_of[MEASURED_OPS];

	for (int i = 0; i < in->measured->op_count; i++) {
		double each = in->measured->op[i].each.value;
		int found = -1, open = -1;

		unit_of[i] = -1;
		if (!to->known[i] || in->kind[i] != INFER_COMPLEX ||
			own_cycles(in, i) >
				0.9 * each) /* a little longer is the scheduler's doing */
			continue;
		for (int unit = 0; unit < to->units && found < 0; unit++)
			if (related(in, i, stands[unit])) /* that one divider does all divisions is
							     no wonder */
				found = unit;
		for (int unit = 0; unit < to->units && found < 0; unit++) {
			int same = same_unit(in, i, stands[unit]);

			if (same == 1)
				found = unit;
			else if (same < 0)
				open = unit;
		}
		/* When nothing more is asked, one that may be another's is taken for its own: so it
		 * claims less than the truth, not more. */
		if (found < 0 &&
			((open >= 0 && in->enough <= INFER_WANTS) || to->units == INFER_UNITS)) {
			unit_of[i] = -2; /* it may be of a unit that is known, or there is no room
					    for one more */
			continue;
		}
		if (found < 0) {
			found = to->units++;
			stands[found] = i;
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
