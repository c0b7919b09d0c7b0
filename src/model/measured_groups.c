/* Simple ops, one micro-op each: those of as many ports side by side in equal numbers take twice as long as either alone exactly when their ports
 * are the same. One measurement tells, so a class is compared with one of each group until it finds its own. */
#include "model/measured_parts.h"

#include <math.h>
#include <string.h>

void infer_pair(int op_a, int ports_a, int op_b, int ports_b, struct measured_mix *mix)
{
	*mix = (struct measured_mix){ .count = 2, .op = { op_a, op_b }, .times = { ports_a, ports_b } };
}

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_OPEN };

/* Whether two ops of as many ports have the same. */
static enum answer same_ports(struct inference *in, int op, int other)
{
	int n = in->wide[op];
	double work = n * (in->stretch[op] + in->stretch[other]), equal = work / n, next;
	struct infer_figure figure;
	struct measured_mix mix;

	infer_pair(op, n, other, n, &mix);
	infer_figure(in->measured, &mix, &figure);
	if (!figure.known) {
		infer_want(in, &mix, 1);
		return figure.asked ? ANSWER_NO : ANSWER_OPEN;
	}
	/* One port more would be this fast; the width may not let it. */
	next = fmax(fmax(work / (n + 1), fmax(in->stretch[op], in->stretch[other])), in->width > 0 ? 2 * n / in->width : 0);
	if (figure.apart || fabs(figure.cycles / equal - 1) + fmin(figure.spread, 0.05) > 0.04)
		if (fabs(figure.cycles / next - 1) > 0.04)
			infer_want(in, &mix, figure.apart ? 3 : 2);
	return figure.cycles > sqrt(equal * next) ? ANSWER_YES : ANSWER_NO;
}

/* Whether an op that is of another group than `with` can be of group g: what that group's op took beside `with` is about what this one did. */
static bool may_be(const struct inference *in, int op, int g)
{
	for (int with = 0; with < in->group_count; with++) {
		struct infer_figure mine, theirs;
		struct measured_mix mix;

		if (with == g || in->group[with].ports != in->wide[op])
			continue;
		infer_pair(op, in->wide[op], in->group[with].op, in->wide[op], &mix);
		infer_figure(in->measured, &mix, &mine);
		infer_pair(in->group[g].op, in->wide[op], in->group[with].op, in->wide[op], &mix);
		infer_figure(in->measured, &mix, &theirs);
		if (mine.known && theirs.known && fabs(mine.cycles / theirs.cycles - 1) > 0.08)
			return false;
	}
	return true;
}

static void find_group(struct inference *in, int op)
{
	int open = -1, best = -1, size[INFER_GROUPS] = { 0 };

	for (int i = 0; i < op; i++) {
		/* Its relative's group will most likely be its own: wait for it. */
		if (in->kind[i] == INFER_SIMPLE && in->group_of[i] < 0 && in->wide[i] == in->wide[op] && infer_related(in, op, i))
			return;
		if (in->group_of[i] >= 0)
			size[in->group_of[i]] += infer_related(in, op, i) ? 1000 : 1;
	}
	for (int g = 0; g < in->group_count; g++) {
		struct infer_figure figure;
		struct measured_mix mix;

		if (in->group[g].ports != in->wide[op])
			continue;
		infer_pair(op, in->wide[op], in->group[g].op, in->wide[op], &mix);
		infer_figure(in->measured, &mix, &figure);
		if (!figure.asked) {
			if ((open < 0 || size[g] > size[open]) && may_be(in, op, g))
				open = g;
			continue;
		}
		if (same_ports(in, op, in->group[g].op) == ANSWER_YES)
			best = best < 0 || size[g] > size[best] ? g : best;
	}
	if (best < 0 && open >= 0) {
		same_ports(in, op, in->group[open].op);
		return;
	}
	if (best < 0) {
		if (in->group_count == INFER_GROUPS)
			return;
		best = in->group_count++;
		in->group[best] = (struct infer_group){ .op = op, .ports = in->wide[op], .memory = infer_is_memory(in->measured->op[op].name) };
	}
	in->group_of[op] = best;
}

void infer_groups(struct inference *in)
{
	for (int i = 0; i < in->measured->op_count; i++)
		if (in->kind[i] == INFER_SIMPLE)
			find_group(in, i);
	for (int a = 0; a < in->group_count; a++)
		for (int b = 0; b < a; b++) {
			struct measured_mix mix;

			infer_pair(in->group[a].op, in->group[a].ports, in->group[b].op, in->group[b].ports, &mix);
			infer_want(in, &mix, 1);
		}
}
