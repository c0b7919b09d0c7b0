/* Which ports the groups have: sets such that every two of them have as many in common as their mix
 * says. One group after the other takes so many of each kind of the ports that are there already,
 * and the rest new; the best beginnings are kept. */
#include "model/measured/measured_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { BEAM = 96, ATOMS = INFER_PORTS };

struct beginning {
	uint32_t set[INFER_GROUPS]; /* by place in the order */
	int ports;
	double cost;
};

struct search {
	struct inference *in;
	int order[INFER_GROUPS];
	/* What the mixes of two groups said, by their places in the order; 0: nothing yet. */
	double cycles[INFER_GROUPS][INFER_GROUPS], spread[INFER_GROUPS][INFER_GROUPS];
	struct beginning beam[BEAM], next[BEAM];
	int count, next_count;
};

static double stretch_of(const struct search *s, int place)
{
	return s->in->stretch[s->in->group[s->order[place]].op];
}

/* How ill two sets go with what their groups measured. */
static double cost_of(const struct search *s, int a, uint32_t set_a, int b, uint32_t set_b)
{
	const struct infer_group *ga = &s->in->group[s->order[a]], *gb = &s->in->group[s->order[b]];
	int common = infer_count(set_a & set_b), all = infer_count(set_a | set_b);
	double work_a = ga->ports * stretch_of(s, a), work_b = gb->ports * stretch_of(s, b);
	double width = s->in->width > 0 ? (ga->ports + gb->ports) / s->in->width : 0;
	double cycles = fmax(
		fmax(work_a / ga->ports, work_b / gb->ports), fmax((work_a + work_b) / all, width));
	/* What no measurement shows is no reason to share; and what computes addresses computes
	 * nothing else, as far as is known. */
	double cost = common * (ga->memory != gb->memory ? 2 : 0.05);

	if (s->cycles[a][b] > 0) {
		double miss = infer_miss(s->in, cycles, s->cycles[a][b], s->spread[a][b],
			ga->ports > gb->ports ? ga->ports : gb->ports);

		cost += infer_clash(s->in, ga->op, gb->op) ? fmin(miss, 3) : miss;
	}
	return cost;
}

static void keep(struct search *s, const struct beginning *from, int place, uint32_t set, int ports,
	double cost)
{
	int at = s->next_count;

	if (at == BEAM && cost >= s->next[BEAM - 1].cost)
		return;
	if (at == BEAM)
		at--;
	else
		s->next_count++;
	for (; at > 0 && s->next[at - 1].cost > cost; at--)
		s->next[at] = s->next[at - 1];
	s->next[at] = *from;
	s->next[at].set[place] = set;
	s->next[at].ports = ports;
	s->next[at].cost = cost;
}

static void try_set(
	struct search *s, const struct beginning *from, int place, uint32_t set, int fresh)
{
	double cost = from->cost + 0.02 * fresh;
	double most = s->next_count == BEAM ? s->next[BEAM - 1].cost : INFINITY;
	int ports = from->ports + fresh;

	if (ports > INFER_PORTS)
		return;
	set |= ((UINT32_C(1) << fresh) - 1) << from->ports;
	for (int other = 0; other < place && cost < most; other++) {
		cost += cost_of(s, place, set, other, from->set[other]);
		/* Groups are groups because they differ, where that could be seen. */
		if (set == from->set[other] && !infer_clash(s->in, s->in->group[s->order[place]].op,
						       s->in->group[s->order[other]].op))
			cost += 8;
	}
	keep(s, from, place, set, ports, cost);
}

/* Ports that the same groups have cannot be told from each other: only how many of them matters. */
static int find_atoms(const struct beginning *from, int place, uint32_t *atom)
{
	uint64_t kind[INFER_PORTS], seen[ATOMS];
	int atoms = 0;

	for (int port = 0; port < from->ports; port++) {
		int k = 0;

		kind[port] = 0;
		for (int other = 0; other < place; other++)
			if (from->set[other] & (UINT32_C(1) << port))
				kind[port] |= UINT64_C(1) << other;
		while (k < atoms && seen[k] != kind[port])
			k++;
		if (k == atoms) {
			seen[atoms] = kind[port];
			atom[atoms++] = 0;
		}
		atom[k] |= UINT32_C(1) << port;
	}
	return atoms;
}

static void choose(struct search *s, const struct beginning *from, int place, const uint32_t *atom,
	int atoms, int at, uint32_t set, int left)
{
	uint32_t rest;

	if (at == atoms || left == 0) {
		try_set(s, from, place, set, left);
		return;
	}
	choose(s, from, place, atom, atoms, at + 1, set, left);
	for (rest = atom[at]; rest && left > 0; rest &= rest - 1) {
		set |= rest & -rest;
		left--;
		choose(s, from, place, atom, atoms, at + 1, set, left);
	}
}

static void fill(struct search *s)
{
	struct inference *in = s->in;

	for (int a = 0; a < in->group_count; a++) {
		int at = a;

		/* Few ports first: they leave few choices. */
		for (; at > 0 && in->group[s->order[at - 1]].ports > in->group[a].ports; at--)
			s->order[at] = s->order[at - 1];
		s->order[at] = a;
	}
	for (int a = 0; a < in->group_count; a++)
		for (int b = 0; b < a; b++) {
			const struct infer_group *ga = &in->group[s->order[a]],
						 *gb = &in->group[s->order[b]];
			struct infer_figure figure;
			struct measured_mix mix;

			infer_pair(ga->op, ga->ports, gb->op, gb->ports, &mix);
			infer_figure(in->measured, &mix, &figure);
			s->cycles[a][b] = s->cycles[b][a] = figure.cycles;
			s->spread[a][b] = s->spread[b][a] = figure.spread;
		}
}

/* A figure that goes with no sets may be one that was disturbed. */
static void doubt(struct search *s)
{
	for (int a = 0; a < s->in->group_count; a++)
		for (int b = 0; b < a; b++) {
			const struct infer_group *ga = &s->in->group[s->order[a]],
						 *gb = &s->in->group[s->order[b]];
			struct measured_mix mix;

			if (s->cycles[a][b] <= 0 ||
				cost_of(s, a, s->beam[0].set[a], b, s->beam[0].set[b]) < 9 ||
				infer_clash(s->in, ga->op, gb->op))
				continue;
			infer_pair(ga->op, ga->ports, gb->op, gb->ports, &mix);
			infer_want(s->in, &mix, 2);
		}
}

static double triple_cycles(
	const struct search *s, const struct beginning *from, const int place[3])
{
	struct port_load load[3];
	double slots = 0;

	for (int i = 0; i < 3; i++) {
		int ports = s->in->group[s->order[place[i]]].ports;

		load[i] =
			(struct port_load){ from->set[place[i]], ports * stretch_of(s, place[i]) };
		slots += ports;
	}
	return fmax(infer_bound(load, 3), s->in->width > 0 ? slots / s->in->width : 0);
}

/* The three groups about which the best and another that explains the pairs as well differ most. */
static bool tell_apart(struct search *s, int other)
{
	int groups = s->in->group_count, at[3], best[3] = { 0 };
	double most = 0.04;
	struct measured_mix mix = { .count = 3 };

	for (at[0] = 0; at[0] < groups; at[0]++)
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
		mix.op[i] = s->in->group[s->order[best[i]]].op;
		mix.times[i] = s->in->group[s->order[best[i]]].ports;
	}
	infer_want(s->in, &mix, 1);
	return true;
}

/* What mixes of three groups say of the beginnings that are left. */
static void weigh_triples(struct search *s)
{
	const struct measured *m = s->in->measured;

	for (int k = 0; k < m->mix_count; k++) {
		const struct measured_mix *mix = &m->mix[k];
		int place[3];
		struct infer_figure figure;
		bool fits = mix->count == 3 && mix->cycles.known && !mix->check;

		for (int i = 0; i < 3 && fits; i++) {
			int g;

			for (g = 0; g < s->in->group_count &&
				    s->in->group[s->order[g]].op != mix->op[i];
				g++)
				;
			fits = g < s->in->group_count &&
			       mix->times[i] == s->in->group[s->order[g]].ports;
			place[i] = g;
		}
		if (!fits)
			continue;
		infer_figure(m, mix, &figure);
		for (int b = 0; b < s->count; b++)
			s->beam[b].cost += infer_miss(s->in, triple_cycles(s, &s->beam[b], place),
				figure.cycles, figure.spread, 3);
	}
}

static int by_cost(const void *a, const void *b)
{
	double x = ((const struct beginning *)a)->cost, y = ((const struct beginning *)b)->cost;

	return x < y ? -1 : x > y;
}

void infer_sets(struct inference *in)
{
	struct search *s = memory_new(1, sizeof(*s));

	s->in = in;
	fill(s);
	s->count = 1;
	for (int place = 0; place < in->group_count; place++) {
		s->next_count = 0;
		for (int i = 0; i < s->count; i++) {
			uint32_t atom[ATOMS];
			int atoms = find_atoms(&s->beam[i], place, atom);

			choose(s, &s->beam[i], place, atom, atoms, 0, 0,
				in->group[s->order[place]].ports);
		}
		if (s->next_count == 0) { /* no port is left: the rest stays unknown */
			for (int rest = place; rest < in->group_count; rest++)
				for (int i = 0; i < s->count; i++)
					s->beam[i].set[rest] = 0;
			break;
		}
		memcpy(s->beam, s->next, sizeof(s->beam));
		s->count = s->next_count;
	}
	weigh_triples(s);
	qsort(s->beam, (size_t)s->count, sizeof(s->beam[0]), by_cost);
	doubt(s);
	for (int i = 1, asked = 0;
		i < s->count && asked < 3 && s->beam[i].cost < s->beam[0].cost + 6; i++)
		asked += tell_apart(s, i);
	for (int place = 0; place < in->group_count; place++)
		in->group[s->order[place]].set = s->beam[0].set[place];
	in->ports = s->beam[0].ports;
	free(s);
}
