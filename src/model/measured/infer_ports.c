/* Derives the ports of a core from measured throughputs of instructions and of instruction mixes.
 * Simple ops (classes of one micro-op) that use the same ports form a group. The search for ports
 * chooses a set of ports for each group of simple classes, and micro-ops for all other classes. The
 * search also lists the mixes of instructions to measure next. */
#include "model/measured/infer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"

/* ---- The search for ports */

/* Whether most measurements of instruction mixes with the class (op) failed. */
static bool mostly_fails(const struct measured *m, int op)
{
	int failed = 0, known = 0;

	for (int k = 0; k < m->mix_count; k++)
		for (int i = 0; i < m->mix[k].count; i++)
			if (m->mix[k].op[i] == op)
				(*(m->mix[k].cycles.known ? &known : &failed))++;
	return failed >= 3 && failed > known;
}

static enum infer_kind classify_op(struct inference *in, int i)
{
	const struct measured_op *op = &in->measured->op[i];
	double each = op->each.value, slots = measured_slots(op), whole = round(1 / each);

	in->group_of[i] = -1;
	in->stretch[i] = 1;
	/* If the measured rename slots of an instruction are near 0, the measurement failed. A
	 * memory access counts as one slot, so the slots of a memory access need no measurement. */
	if (!op->each.known || !(each > 0) || (!op->slots.known && !infer_is_memory(op->name)) ||
		(op->slots.known && op->slots.value < 0.5) || mostly_fails(in->measured, i))
		return INFER_UNKNOWN;
	if (*op->load || *op->store || strncmp(op->name + (op->name[0] == 'v'), "store", 5) == 0)
		return INFER_COMPLEX;
	/* If an op is as fast as the rename width allows, the measurement cannot show its ports. An
	 * op with a latency uses some ports; an op without a latency needs none. */
	if (in->width > 0 && each < 1.07 * slots / in->width)
		return op->latency.known && op->latency.value > 0.5 ? INFER_UNKNOWN : INFER_NONE;
	/* If an instruction class has no latency, and its throughput is just below the rename
	 * width, the rename stage executes the op. */
	if (op->latency.known && op->latency.value < 0.5 && slots < 1.2 && in->width > 0 &&
		1 / each > in->width - 0.6)
		return INFER_NONE;
	if (slots > 1.2 || each > 1.07)
		return INFER_COMPLEX;
	in->wide[i] = whole * each > 1 / 0.93 || whole * each < 0.93 ? (int)ceil(1 / each - 0.05)
								     : (int)whole;
	if (in->wide[i] > INFER_PORTS)
		return INFER_COMPLEX;
	/* If the throughput is slightly lower than the ports allow, the cause is the scheduler.
	 * The ports in a core model describe the best case, so a small difference in throughput is
	 * ignored. */
	if (in->wide[i] * each > 1.1)
		in->stretch[i] = in->wide[i] * each;
	return INFER_SIMPLE;
}

/* Some cores execute a vector in two halves: the op can use 2n ports, and holds its port for two
 * cycles. The throughput of an op in two halves on 2n ports is the same as that of an op with n
 * ports and one cycle. A mix with another op on 2n ports shows whether the first op has n ports, or
 * 2n ports for two cycles. The mix needs 1.5 cycles if the first op has n ports, and 2 cycles if it
 * executes vectors in two halves. */
static void find_halves(struct inference *in)
{
	for (int i = 0; i < in->measured->op_count; i++)
		for (int other = 0; other < in->measured->op_count && in->kind[i] == INFER_SIMPLE &&
				    in->stretch[i] < 1.1;
			other++) {
			struct mix_result result;
			struct measured_mix mix;

			if (in->kind[other] != INFER_SIMPLE || in->wide[other] != 2 * in->wide[i] ||
				in->stretch[other] > 1.1 || infer_clash(in, i, other))
				continue;
			mix = infer_pair(i, in->wide[i], other, in->wide[other]);
			result = infer_result(in, &mix);
			if (!result.known || result.apart || result.cycles < 1.85 ||
				result.cycles <
					1.2 * (in->wide[i] + in->wide[other]) / fmax(in->width, 1))
				continue;
			in->stretch[i] = in->wide[other] * in->measured->op[i].each.value;
			in->wide[i] = in->wide[other];
		}
}

static void settle_simple(struct inference *in)
{
	for (int i = 0; i < in->measured->op_count; i++) {
		int g = in->group_of[i];
		bool found = in->kind[i] == INFER_SIMPLE && g >= 0 && in->group[g].set;

		in->to->known[i] = in->kind[i] == INFER_NONE || found;
		if (!found)
			continue;
		in->to->term_count[i] = 1;
		in->to->term[i][0] =
			(struct uarch_term){ in->group[g].set, 1, (float)in->stretch[i] };
	}
}

/* Renumbers the units so that they follow directly after the ports. */
static void close_gap(struct inference *in)
{
	uint32_t ports = (UINT32_C(1) << INFER_PORTS) - 1;

	in->to->ports = in->ports;
	for (int i = 0; i < in->measured->op_count; i++)
		for (int t = 0; t < in->to->term_count[i]; t++) {
			uint32_t *set = &in->to->term[i][t].ports;

			*set = (*set & ports) | ((*set >> INFER_PORTS) << in->ports);
		}
}

/* ---- mixes that only check the predictions */

enum { CHECKS = 40 };

static unsigned random_number(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Chooses two or three random classes of about equal time. Each search for ports chooses the same
 * random mixes, because the random state starts at the same value. */
static bool check_mix(const struct inference *in, unsigned *state, struct measured_mix *mix)
{
	int known[MEASURED_OPS], count = 0;
	double longest = 0;

	for (int i = 0; i < in->measured->op_count; i++)
		if (in->to->known[i] && in->measured->op[i].each.known &&
			in->measured->op[i].each.value < 8)
			known[count++] = i;
	if (count < 4)
		return false;
	*mix = (struct measured_mix){ .count = 2 + (int)(random_number(state) % 2), .check = true };
	for (int i = 0; i < mix->count; i++) {
		mix->op[i] = known[random_number(state) % (unsigned)count];
		for (int k = 0; k < i; k++)
			if (mix->op[k] == mix->op[i])
				return false;
		longest = fmax(longest, in->measured->op[mix->op[i]].each.value);
	}
	if (infer_mix_clashes(in, mix))
		return false;
	for (int i = 0; i < mix->count; i++)
		mix->times[i] =
			fmax(1, round(fmax(longest, 1) / in->measured->op[mix->op[i]].each.value));
	return true;
}

/* Compares predicted with measured cycles. If check is true, only mixes that serve to check
 * predictions (mix->check) are compared; otherwise, all other mixes. */
static struct measured_agreement compare(struct inference *in, bool check, double *worst)
{
	const struct measured *m = in->measured;
	double off[MEASURED_MIXES];
	int count = 0;

	for (int i = 0; i < m->mix_count; i++) {
		const struct measured_mix *mix = &m->mix[i];
		struct mix_result result;
		struct text words = { 0 };
		double cycles, by;
		bool first = mix->cycles.known && mix->check == check;

		for (int k = 0; k < i && first; k++)
			first = !infer_same_mix(&m->mix[k], mix);
		cycles = first ? infer_cycles(in, mix) : NAN;
		if (!isfinite(cycles) || cycles <= 0 || infer_mix_clashes(in, mix))
			continue;
		result = infer_result(in, mix);
		if (!result.known)
			continue;
		by = off[count++] = fabs(cycles / result.cycles - 1);
		if (by <= *worst)
			continue;
		*worst = by;
		for (int k = 0; k < mix->count; k++)
			text_addf(&words, "%s%g %s",
				k == 0		     ? ""
				: k + 1 < mix->count ? ", "
						     : " and ",
				mix->times[k], m->op[mix->op[k]].name);
		snprintf(in->to->disagrees, sizeof(in->to->disagrees),
			"%.119s take %.3g cycles, but %.3g by these ports", text_string(&words),
			result.cycles, cycles);
		text_free(&words);
	}
	stats_sort(off, (size_t)count);
	return count ? (struct measured_agreement){ count, off[count / 2], off[count - 1] }
		     : (struct measured_agreement){ 0 };
}

/* Measures the slowdown if a class of many ports runs together with a class that can use only a
 * subset of these ports. A scheduler that chooses ports late keeps the shared ports free for the
 * class with few ports. A core that chooses ports at rename does not keep the shared ports free,
 * and is slower. */
static void find_slower(struct inference *in)
{
	double off[INFER_GROUPS * INFER_GROUPS];
	int count = 0;

	for (int a = 0; a < in->group_count; a++)
		for (int b = 0; b < in->group_count; b++) {
			const struct infer_group *many = &in->group[a], *few = &in->group[b];
			struct mix_result result;
			struct measured_mix mix;

			if (many->ports < 4 || few->ports >= many->ports || (few->set & ~many->set))
				continue;
			mix = infer_groups(many, few);
			result = infer_result(in, &mix);
			if (result.known)
				off[count++] = result.cycles / infer_cycles(in, &mix);
		}
	stats_sort(off, (size_t)count);
	in->to->nested = count;
	in->to->slower = count ? off[count / 2] : 0;
}

static void check(struct inference *in)
{
	unsigned state = 1;
	int count = 0;
	double worst = 0.05;

	for (int i = 0; i < in->measured->mix_count; i++)
		count += in->measured->mix[i].check;
	for (int tries = 0; tries < 40 * CHECKS && count < CHECKS && in->late_count == 0 &&
			    (in->question_count == 0 || in->question[0].check);
		tries++) {
		struct measured_mix mix;

		count -= in->question_count;
		if (check_mix(in, &state, &mix))
			infer_ask(in, &mix, 1);
		count += in->question_count;
	}
	in->to->fitted = compare(in, false, &worst);
	in->to->checked = compare(in, true, &worst);
}

/* Runs the search for ports until it has found `enough` instruction mixes to measure. The caller
 * frees the result. */
static struct inference *infer_all(
	const struct measured *measured, struct measured_ports *to, int enough)
{
	struct inference *in = memory_new(1, sizeof(*in));

	memset(to, 0, sizeof(*to));
	in->measured = measured;
	in->to = to;
	in->enough = enough;
	in->width = measured->width.known ? measured->width.value : 0;
	if (fabs(in->width - round(in->width)) < 0.15)
		in->width = round(in->width);
	in->early = measured_early(measured_fact(measured, "extra binds-ports"));
	for (int i = 0; i < in->measured->op_count; i++)
		in->kind[i] = classify_op(in, i);
	find_halves(in);
	infer_sets(in);
	settle_simple(in);
	infer_micro_ops(in);
	if (in->question_count < in->enough) {
		infer_units(in);
		find_slower(in);
		check(in);
		close_gap(in);
	}
	return in;
}

void measured_find_ports(const struct measured *measured, struct measured_ports *ports)
{
	free(infer_all(measured, ports, INFER_QUESTIONS + 1));
}

int measured_next(const struct measured *measured, struct measured_mix *next, int most)
{
	struct measured_ports *ports = memory_new(1, sizeof(*ports));
	struct inference *in = infer_all(measured, ports, most);
	int count = 0;

	for (int i = 0; i < in->question_count && count < most; i++)
		next[count++] = in->question[i];
	for (int i = 0; i < in->late_count && count < most; i++)
		next[count++] = in->late[i];
	free(ports);
	free(in);
	return count;
}
