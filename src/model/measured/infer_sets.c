/* Groups simple classes (one micro-op) that use the same ports, and finds the set of ports of each
 * group. A mix of two classes of n ports in equal numbers needs twice the time of one class only if
 * both classes use the same ports. */
#include "model/measured/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- Groups of classes that use the same ports */

/* Whether two instruction classes (ops) with equally many ports use the same ports. If no
 * measurement of the two ops is available, returns false and asks for the mix of both. */
static bool same_ports(struct inference *in, int op, int other)
{
	int n = in->wide[op];
	double work = n * (in->stretch[op] + in->stretch[other]), equal = work / n, next;
	struct measured_mix mix = infer_pair(op, n, other, n);
	struct mix_result result = infer_result(in, &mix);

	if (!result.known) {
		infer_ask(in, &mix, 1);
		return false;
	}
	/* `next` is the number of cycles of the mix if the two instruction classes together use n +
	 * 1 ports instead of n. The rename width can make the cycles in `next` higher. */
	next = fmax(fmax(work / (n + 1), fmax(in->stretch[op], in->stretch[other])),
		in->width > 0 ? 2 * n / in->width : 0);
	if (result.apart || (result.cycles > 1.05 * next && result.cycles < 0.95 * equal))
		infer_ask(in, &mix, result.apart ? 3 : 2);
	/* If repeated measurements of the mix lie between the cycles `next` and `equal`, the ports
	 * differ, and one instruction holds its ports for longer. */
	if (result.known > 1 && !result.apart && result.cycles > 1.15 * next &&
		result.cycles < 0.88 * equal)
		return false;
	return result.cycles > sqrt(equal * next);
}

/* Returns the measured result of a mix of the op and the class that represents group g. The op
 * (instruction class) and the group of classes must use equally many ports. */
static struct mix_result group_result(const struct inference *in, int op, int g)
{
	struct measured_mix mix =
		infer_pair(op, in->group[g].ports, in->group[g].op, in->group[g].ports);

	return infer_result(in, &mix);
}

/* Whether an op (instruction class) may belong to the group g of classes with the same ports. In a
 * mix with any other group, the op must need about the same time as the representative of g. */
static bool may_be(const struct inference *in, int op, int g)
{
	for (int with = 0; with < in->group_count; with++) {
		struct mix_result mine, theirs;

		if (with == g || in->group[with].ports != in->wide[op])
			continue;
		mine = group_result(in, op, with);
		theirs = group_result(in, in->group[g].op, with);
		if (mine.known && theirs.known && fabs(mine.cycles / theirs.cycles - 1) > 0.08)
			return false;
	}
	return true;
}

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_OPEN };

/* Whether mixes of three or more related ops confirm that the op belongs to group g. A mix confirms
 * the group if its cycles show that all ops of the mix share the ports of one op. */
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

/* Returns the group of classes that contains a related op, or -1. The op is assumed to belong to
 * the group of a related op, unless a measured mix contradicts this assumption. */
static int relatives_group(struct inference *in, int op)
{
	for (int i = 0; i < op; i++) {
		int g = in->group_of[i];

		if (g < 0 || in->wide[i] != in->wide[op] || !infer_related(in, i, op) ||
			infer_clash(in, i, op))
			continue;
		if (group_result(in, op, g).asked || shown_together(in, op, g) == ANSWER_NO)
			return -1;
		return g;
	}
	return -1;
}

static void find_group(struct inference *in, int op)
{
	const struct figure *latency = &in->measured->op[op].latency;
	int open = -1, best = -1, failed = 0, size[INFER_GROUPS] = { 0 };

	in->group_of[op] = relatives_group(in, op);
	if (in->group_of[op] >= 0)
		return;
	for (int i = 0; i < op; i++) {
		/* If a related op has no group yet, the op gets no group either, because both ops
		 * probably belong to one group. */
		if (in->kind[i] == INFER_SIMPLE && in->group_of[i] < 0 &&
			in->wide[i] == in->wide[op] && infer_related(in, op, i))
			return;
		if (in->group_of[i] >= 0)
			size[in->group_of[i]] += infer_related(in, op, i) ? 1000 : 1;
	}
	for (int g = 0; g < in->group_count; g++) {
		struct mix_result result;

		if (in->group[g].ports != in->wide[op] || infer_clash(in, op, in->group[g].op))
			continue;
		result = group_result(in, op, g);
		if (!result.asked) {
			if ((open < 0 || size[g] > size[open]) && may_be(in, op, g))
				open = g;
			continue;
		}
		failed += !result.known;
		if (same_ports(in, op, in->group[g].op) && (best < 0 || size[g] > size[best]))
			best = g;
	}
	if (best < 0 && open >= 0) {
		same_ports(in, op, in->group[open].op);
		return;
	}
	if (best < 0) {
		/* If the mix of the op with a group's class could not be measured, the op gets no
		 * new group, because it may belong to that group. */
		if (failed)
			return;
		/* An op that the rename stage executes needs no port, even if its throughput is
		 * high. */
		if (latency->known && latency->value < 0.5)
			in->kind[op] = INFER_NONE;
		if (in->kind[op] == INFER_NONE || in->group_count == INFER_GROUPS)
			return;
		best = in->group_count++;
		in->group[best] = (struct infer_group){ .op = op,
			.ports = in->wide[op],
			.memory = infer_is_memory(in->measured->op[op].name) };
	}
	in->group_of[op] = best;
}

/* Asks to measure instruction mixes that confirm the assumed members of each group of classes. Each
 * instruction mix to confirm a group contains the class that represents the group, and up to three
 * assumed members. */
static void make_sure(struct inference *in)
{
	for (int g = 0; g < in->group_count; g++) {
		struct measured_mix mix = {
			.count = 1, .op = { in->group[g].op }, .times = { in->group[g].ports }
		};

		for (int i = 0; i < in->measured->op_count; i++) {
			if (in->group_of[i] != g || i == in->group[g].op ||
				group_result(in, i, g).asked ||
				shown_together(in, i, g) == ANSWER_YES)
				continue;
			mix.op[mix.count] = i;
			mix.times[mix.count++] = in->wide[i];
			if (mix.count == MEASURED_PARTS) {
				infer_ask_late(in, &mix);
				mix.count = 1;
			}
		}
		if (mix.count > 1)
			infer_ask_late(in, &mix);
	}
}

static void find_groups(struct inference *in)
{
	for (int i = 0; i < in->measured->op_count; i++)
		if (in->kind[i] == INFER_SIMPLE)
			find_group(in, i);
	make_sure(in);
	for (int a = 0; a < in->group_count; a++)
		for (int b = 0; b < a; b++) {
			struct measured_mix mix = infer_groups(&in->group[a], &in->group[b]);

			/* Ports for memory accesses rarely execute other work, so a mix of memory
			 * accesses with other work is measured later. */
			if (in->group[a].memory != in->group[b].memory ||
				infer_clash(in, in->group[a].op, in->group[b].op))
				infer_ask_late(in, &mix);
			else
				infer_ask(in, &mix, 1);
		}
}

/* ---- The set of ports of each group */

enum { BEAM = 96, ATOMS = INFER_PORTS };

struct solution {
	uint32_t set[INFER_GROUPS]; /* set of ports of each group of classes, by index in
				       search->group */
	int ports;
	double cost;
};

struct search {
	struct inference *in;
	int groups;
	struct infer_group group[INFER_GROUPS]; /* the groups whose ports are searched; groups with
						   few ports come first */
	struct mix_result result[INFER_GROUPS]
				[INFER_GROUPS]; /* measured cycles of the mix of instructions from
						   two groups, for each pair of groups */
	struct solution beam[BEAM], next[BEAM];
	int count, next_count;
};

static bool groups_clash(const struct search *s, int a, int b)
{
	return infer_clash(s->in, s->group[a].op, s->group[b].op);
}

/* Returns the cost of assigning the ports set_a to group a and set_b to group b. The cost grows
 * with the difference between predicted and measured cycles. */
static double cost_of(const struct search *s, int a, uint32_t set_a, int b, uint32_t set_b)
{
	const struct infer_group *ga = &s->group[a], *gb = &s->group[b];
	const struct mix_result *result = &s->result[a][b];
	int common = ports_count(set_a & set_b), all = ports_count(set_a | set_b);
	double stretch_a = s->in->stretch[ga->op], stretch_b = s->in->stretch[gb->op];
	double width = s->in->width > 0 ? (ga->ports + gb->ports) / s->in->width : 0;
	double cycles = fmax(fmax(stretch_a, stretch_b),
		fmax((ga->ports * stretch_a + gb->ports * stretch_b) / all, width));
	/* Each port that two groups share adds to the cost, so that only a measurement can justify
	 * sharing. Memory accesses and other work rarely share a port, so the cost of a port that
	 * they share is higher. */
	double cost = common * (ga->memory != gb->memory ? 2 : 0.05);

	if (result->cycles > 0) {
		double miss = infer_miss(s->in, cycles, result->cycles, result->spread,
			ga->ports > gb->ports ? ga->ports : gb->ports);

		cost += groups_clash(s, a, b) ? fmin(miss, 3) : miss;
	}
	return cost;
}

static void try_set(
	struct search *s, const struct solution *from, int place, uint32_t set, int fresh)
{
	double cost = from->cost + 0.02 * fresh;
	double most = s->next_count == BEAM ? s->next[BEAM - 1].cost : INFINITY;
	int ports = from->ports + fresh, at;

	if (ports > INFER_PORTS)
		return;
	set |= ((UINT32_C(1) << fresh) - 1) << from->ports;
	for (int other = 0; other < place && cost < most; other++) {
		cost += cost_of(s, place, set, other, from->set[other]);
		/* Two groups must differ in their ports, so two groups with the same set get a high
		 * cost. The high cost for two groups with equal port sets is not added if a mix of
		 * the groups may change the mode of the core. */
		if (set == from->set[other] && !groups_clash(s, place, other))
			cost += 8;
	}
	if (cost >= most)
		return;
	for (at = s->next_count < BEAM ? s->next_count++ : BEAM - 1;
		at > 0 && s->next[at - 1].cost > cost; at--)
		s->next[at] = s->next[at - 1];
	s->next[at] = *from;
	s->next[at].set[place] = set;
	s->next[at].ports = ports;
	s->next[at].cost = cost;
}

/* Finds sets of interchangeable ports (atoms). Two ports are interchangeable if the same groups use
 * both ports: only the number of ports in an atom matters. */
static int find_atoms(const struct solution *from, int place, uint32_t *atom)
{
	uint64_t seen[ATOMS]; /* groups of classes that use each atom, one bit for each group */
	int atoms = 0;

	for (int port = 0; port < from->ports; port++) {
		uint64_t users = 0;
		int k = 0;

		for (int other = 0; other < place; other++)
			users |= (uint64_t)(from->set[other] >> port & 1) << other;
		while (k < atoms && seen[k] != users)
			k++;
		if (k == atoms)
			atom[atoms++] = 0;
		seen[k] = users;
		atom[k] |= UINT32_C(1) << port;
	}
	return atoms;
}

static void choose(struct search *s, const struct solution *from, int place, const uint32_t *atom,
	int atoms, int at, uint32_t set, int left)
{
	if (at == atoms || left == 0) {
		try_set(s, from, place, set, left);
		return;
	}
	choose(s, from, place, atom, atoms, at + 1, set, left);
	for (uint32_t rest = atom[at]; rest && left > 0; rest &= rest - 1) {
		set |= rest & -rest;
		left--;
		choose(s, from, place, atom, atoms, at + 1, set, left);
	}
}

static void fill(struct search *s)
{
	/* Groups of classes with few ports come first, because such a group leaves few choices. */
	for (int ports = 1; ports <= INFER_PORTS; ports++)
		for (int g = 0; g < s->in->group_count; g++)
			if (s->in->group[g].ports == ports)
				s->group[s->groups++] = s->in->group[g];
	for (int a = 0; a < s->groups; a++)
		for (int b = 0; b < a; b++) {
			struct measured_mix mix = infer_groups(&s->group[a], &s->group[b]);

			s->result[a][b] = infer_result(s->in, &mix);
		}
}

/* If the best assignment of ports does not explain the result of a mix, asks for a second
 * measurement of the mix: noise may have changed the result. */
static void ask_again(struct search *s)
{
	for (int a = 0; a < s->groups; a++)
		for (int b = 0; b < a; b++) {
			struct measured_mix mix = infer_groups(&s->group[a], &s->group[b]);

			if (s->result[a][b].cycles > 0 && !groups_clash(s, a, b) &&
				cost_of(s, a, s->beam[0].set[a], b, s->beam[0].set[b]) >= 9)
				infer_ask(s->in, &mix, 2);
		}
}

static double triple_cycles(const struct search *s, const struct solution *from, const int place[3])
{
	struct port_load load[3];
	double slots = 0;

	for (int i = 0; i < 3; i++) {
		const struct infer_group *group = &s->group[place[i]];

		load[i] = (struct port_load){ from->set[place[i]],
			group->ports * s->in->stretch[group->op] };
		slots += group->ports;
	}
	return fmax(infer_bound(load, 3), s->in->width > 0 ? slots / s->in->width : 0);
}

/* Asks to measure a mix of instructions from three groups of classes. The best assignment of ports
 * and the assignment `other` must predict clearly different cycles for the mix of three groups.
 * Returns false if the two assignments of ports predict similar cycles for all mixes. */
static bool ask_to_separate(struct search *s, int other)
{
	int at[3], best[3];
	double most = 0.04;
	struct measured_mix mix = { .count = 3 };

	for (at[0] = 0; at[0] < s->groups; at[0]++)
		for (at[1] = 0; at[1] < at[0]; at[1]++)
			for (at[2] = 0; at[2] < at[1]; at[2]++) {
				double off = fabs(log(triple_cycles(s, &s->beam[0], at) /
						      triple_cycles(s, &s->beam[other], at)));

				if (off > most) {
					most = off;
					memcpy(best, at, sizeof(best));
				}
			}
	if (most <= 0.04)
		return false;
	for (int i = 0; i < 3; i++) {
		mix.op[i] = s->group[best[i]].op;
		mix.times[i] = s->group[best[i]].ports;
	}
	infer_ask(s->in, &mix, 1);
	return true;
}

/* Adds to the cost of each possible assignment of ports the cost of all measured mixes of three
 * groups. */
static void weigh_triples(struct search *s)
{
	const struct measured *m = s->in->measured;

	for (int k = 0; k < m->mix_count; k++) {
		const struct measured_mix *mix = &m->mix[k];
		int place[3];
		struct mix_result result;
		bool fits = mix->count == 3 && mix->cycles.known && !mix->check;

		for (int i = 0; i < 3 && fits; i++) {
			int g = 0;

			while (g < s->groups && s->group[g].op != mix->op[i])
				g++;
			fits = g < s->groups && mix->times[i] == s->group[g].ports;
			place[i] = g;
		}
		if (!fits)
			continue;
		result = infer_result(s->in, mix);
		for (int b = 0; b < s->count; b++)
			s->beam[b].cost += infer_miss(s->in, triple_cycles(s, &s->beam[b], place),
				result.cycles, result.spread, 3);
	}
}

static int by_cost(const void *a, const void *b)
{
	double x = ((const struct solution *)a)->cost, y = ((const struct solution *)b)->cost;

	return x < y ? -1 : x > y;
}

void infer_sets(struct inference *in)
{
	struct search *s = memory_new(1, sizeof(*s));

	find_groups(in);
	s->in = in;
	fill(s);
	s->count = 1;
	for (int place = 0; place < s->groups; place++) {
		s->next_count = 0;
		for (int i = 0; i < s->count; i++) {
			uint32_t atom[ATOMS];
			int atoms = find_atoms(&s->beam[i], place, atom);

			choose(s, &s->beam[i], place, atom, atoms, 0, 0, s->group[place].ports);
		}
		if (s->next_count ==
			0) /* no ports are left: the ports of the remaining groups stay unknown */
			break;
		memcpy(s->beam, s->next, sizeof(s->beam));
		s->count = s->next_count;
	}
	weigh_triples(s);
	qsort(s->beam, (size_t)s->count, sizeof(s->beam[0]), by_cost);
	ask_again(s);
	for (int i = 1, asked = 0;
		i < s->count && asked < 3 && s->beam[i].cost < s->beam[0].cost + 6; i++)
		asked += ask_to_separate(s, i);
	for (int g = 0; g < in->group_count; g++)
		for (int place = 0; place < s->groups; place++)
			if (s->group[place].op == in->group[g].op)
				in->group[g].set = s->beam[0].set[place];
	in->ports = s->beam[0].ports;
	free(s);
}
