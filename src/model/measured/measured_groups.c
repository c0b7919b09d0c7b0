/* Simple ops, one micro-op each: those of as many ports side by side in equal numbers take twice as
 * long as either alone exactly when their ports are the same. One measurement tells, so a class is
 * compared with one of each group until it finds its own. */
#include "model/measured/measured_parts.h"

#include <math.h>
#include <string.h>

void infer_pair(int op_a, int ports_a, int op_b, int ports_b, struct measured_mix *mix)
{
	*mix = (struct measured_mix){
		.count = 2, .op = { op_a, op_b }, .times = { ports_a, ports_b }
	};
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
	next = fmax(fmax(work / (n + 1), fmax(in->stretch[op], in->stretch[other])),
		in->width > 0 ? 2 * n / in->width : 0);
	if (figure.apart || (figure.cycles > 1.05 * next && figure.cycles < 0.95 * equal))
		infer_want(in, &mix, figure.apart ? 3 : 2);
	/* In between, and so again: one of them holds more than it seems to, and they are not the
	 * same. */
	if (figure.known > 1 && !figure.apart && figure.cycles > 1.15 * next &&
		figure.cycles < 0.88 * equal)
		return ANSWER_NO;
	return figure.cycles > sqrt(equal * next) ? ANSWER_YES : ANSWER_NO;
}

/* Whether an op that is of another group than `with` can be of group g: what that group's op took
 * beside `with` is about what this one did. */
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

/* What relatives that were taken to be of one group showed together: all of their work on as many
 * ports as one has. */
static enum answer shown_together(const struct inference *in, int op, int g)
{
	const struct measured *m = in->measured;
	enum answer answer = ANSWER_OPEN;

	for (int k = 0; k < m->mix_count; k++) {
		const struct measured_mix *mix = &m->mix[k];
		double work = 0;
		bool mine = false, rest = mix->count > 2 && mix->cycles.known && !mix->check;

		for (int i = 0; i < mix->count && rest; i++) {
			mine |= mix->op[i] == op;
			rest = mix->op[i] == op || mix->op[i] == in->group[g].op ||
			       in->group_of[mix->op[i]] == g || infer_related(in, mix->op[i], op);
			work += mix->times[i] * in->stretch[mix->op[i]];
		}
		if (mine && rest)
			answer = mix->cycles.value > 0.94 * work / in->wide[op] ? ANSWER_YES
										: ANSWER_NO;
	}
	return answer;
}

/* The group of a relative, taken on trust until they are all measured together; -1: none, or they
 * showed that it is not so. */
static int relatives_group(struct inference *in, int op)
{
	for (int i = 0; i < op; i++) {
		int g = in->group_of[i];
		struct infer_figure figure;
		struct measured_mix mix;

		if (g < 0 || in->wide[i] != in->wide[op] || !infer_related(in, i, op) ||
			infer_clash(in, i, op))
			continue;
		infer_pair(op, in->wide[op], in->group[g].op, in->wide[op], &mix);
		infer_figure(in->measured, &mix, &figure);
		if (figure.asked || shown_together(in, op, g) == ANSWER_NO)
			return -1;
		return g;
	}
	return -1;
}

static void find_group(struct inference *in, int op)
{
	int open = -1, best = -1, failed = 0, size[INFER_GROUPS] = { 0 };

	in->group_of[op] = relatives_group(in, op);
	if (in->group_of[op] >= 0)
		return;
	for (int i = 0; i < op; i++) {
		/* Its relative's group will most likely be its own: wait for it. */
		if (in->kind[i] == INFER_SIMPLE && in->group_of[i] < 0 &&
			in->wide[i] == in->wide[op] && infer_related(in, op, i))
			return;
		if (in->group_of[i] >= 0)
			size[in->group_of[i]] += infer_related(in, op, i) ? 1000 : 1;
	}
	for (int g = 0; g < in->group_count; g++) {
		struct infer_figure figure;
		struct measured_mix mix;

		if (in->group[g].ports != in->wide[op] || infer_clash(in, op, in->group[g].op))
			continue;
		infer_pair(op, in->wide[op], in->group[g].op, in->wide[op], &mix);
		infer_figure(in->measured, &mix, &figure);
		if (!figure.asked) {
			if ((open < 0 || size[g] > size[open]) && may_be(in, op, g))
				open = g;
			continue;
		}
		failed += !figure.known;
		if (same_ports(in, op, in->group[g].op) == ANSWER_YES)
			best = best < 0 || size[g] > size[best] ? g : best;
	}
	if (best < 0 && open >= 0) {
		same_ports(in, op, in->group[open].op);
		return;
	}
	if (best < 0) {
		/* It may be one of those that it could not be measured with. */
		if (failed)
			return;
		/* What is done when it is renamed wants no port, however many a cycle that makes.
		 */
		if (in->measured->op[op].latency.known &&
			in->measured->op[op].latency.value < 0.5) {
			in->kind[op] = INFER_NONE;
			return;
		}
		if (in->group_count == INFER_GROUPS)
			return;
		best = in->group_count++;
		in->group[best] = (struct infer_group){ .op = op,
			.ports = in->wide[op],
			.memory = infer_is_memory(in->measured->op[op].name) };
	}
	in->group_of[op] = best;
}

/* Those that were taken on trust, three at a time with the one that stands for the group. */
static void make_sure(struct inference *in)
{
	for (int g = 0; g < in->group_count; g++) {
		struct measured_mix mix = {
			.count = 1, .op = { in->group[g].op }, .times = { in->group[g].ports }
		};

		for (int i = 0; i < in->measured->op_count; i++) {
			struct infer_figure figure;
			struct measured_mix own;

			if (in->group_of[i] != g || i == in->group[g].op)
				continue;
			infer_pair(i, in->wide[i], in->group[g].op, in->wide[i], &own);
			infer_figure(in->measured, &own, &figure);
			if (figure.asked || shown_together(in, i, g) == ANSWER_YES)
				continue;
			mix.op[mix.count] = i;
			mix.times[mix.count++] = in->wide[i];
			if (mix.count == MEASURED_PARTS) {
				infer_want_late(in, &mix);
				mix.count = 1;
			}
		}
		if (mix.count > 1)
			infer_want_late(in, &mix);
	}
}

void infer_groups(struct inference *in)
{
	for (int i = 0; i < in->measured->op_count; i++)
		if (in->kind[i] == INFER_SIMPLE)
			find_group(in, i);
	make_sure(in);
	for (int a = 0; a < in->group_count; a++)
		for (int b = 0; b < a; b++) {
			struct measured_mix mix;

			infer_pair(in->group[a].op, in->group[a].ports, in->group[b].op,
				in->group[b].ports, &mix);
			/* What computes addresses computes nothing else, as a rule. */
			if (in->group[a].memory != in->group[b].memory ||
				infer_clash(in, in->group[a].op, in->group[b].op))
				infer_want_late(in, &mix);
			else
				infer_want(in, &mix, 1);
		}
}
