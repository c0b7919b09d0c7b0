/* Functions for measured loops that mix instruction classes, used by the search for ports. The
 * functions find the measured cycles of a mix, predict its cycles from the known ports, and collect
 * the mixes to measure next. */
#include "model/measured/infer.h"

#include <math.h>
#include <string.h>

bool infer_is_memory(const char *name)
{
	name += *name == 'v';
	return strncmp(name, "load", 4) == 0 || strncmp(name, "store", 5) == 0;
}

/* Returns the length of a class name without the vector width and without the ending "-load". */
static size_t bare_length(const char *name)
{
	size_t length = strcspn(name, ".");

	return length > 5 && memcmp(name + length - 5, "-load", 5) == 0 ? length - 5 : length;
}

bool infer_related(const struct inference *in, int op, int other)
{
	const char *a = in->measured->op[op].name, *b = in->measured->op[other].name;
	size_t length = bare_length(a);

	return bare_length(b) == length && memcmp(a, b, length) == 0;
}

const struct figure *measured_fact(const struct measured *m, const char *word)
{
	for (int i = 0; i < m->fact_count; i++)
		if (strcmp(m->fact[i].word, word) == 0 && m->fact[i].figure.known)
			return &m->fact[i].figure;
	return NULL;
}

int infer_op(const struct measured *measured, const char *name)
{
	for (int i = 0; *name && i < measured->op_count; i++)
		if (strcmp(measured->op[i].name, name) == 0)
			return i;
	return -1;
}

/* Whether two mixes of instructions are the same: the order of the ops may differ, and all counts
 * may differ by a common factor. */
bool infer_same_mix(const struct measured_mix *a, const struct measured_mix *b)
{
	double ratio = 0;

	if (a->count != b->count || a->check != b->check)
		return false;
	for (int i = 0; i < a->count; i++) {
		int k = 0;

		while (k < b->count && b->op[k] != a->op[i])
			k++;
		if (k == b->count || !(b->times[k] > 0))
			return false;
		if (ratio == 0)
			ratio = a->times[i] / b->times[k];
		if (!(fabs(a->times[i] / b->times[k] / ratio - 1) < 1e-6))
			return false;
	}
	return true;
}

/* Whether the measurement of a mix can be right: no mix is faster than one of its classes alone. */
static bool is_possible(const struct measured *measured, const struct measured_mix *mix)
{
	bool possible = mix->cycles.known && mix->cycles.value > 0;

	for (int i = 0; i < mix->count && possible; i++)
		possible = mix->cycles.value >=
			   0.92 * mix->times[i] * measured->op[mix->op[i]].each.value;
	return possible;
}

struct mix_result infer_result(const struct inference *in, const struct measured_mix *mix)
{
	const struct measured *measured = in->measured;
	struct mix_result result = { 0 };
	double value[8] = { 0 }, spread = 0;

	for (int i = 0; i < measured->mix_count; i++) {
		const struct measured_mix *other = &measured->mix[i];
		double each = other->cycles.value * mix->times[0];
		int at;

		if (!infer_same_mix(mix, other))
			continue;
		result.asked++;
		if (result.known == 8 || !is_possible(measured, other))
			continue;
		for (int k = 0; k < other->count; k++)
			if (other->op[k] == mix->op[0])
				each /= other->times[k];
		for (at = result.known++; at > 0 && value[at - 1] > each; at--)
			value[at] = value[at - 1];
		value[at] = each;
		spread = fmax(spread, fmax(other->cycles.hi - other->cycles.value,
					      other->cycles.value - other->cycles.lo) /
					      other->cycles.value);
	}
	if (result.known == 0)
		return result;
	/* Interference from other activity only adds time, so if two results differ, the shorter
	 * time is used. */
	result.cycles = value[(result.known - 1) / 2];
	result.spread = isfinite(spread) && spread > 0 ? spread : 0;
	result.apart = result.known == 2 && value[1] > value[0] * 1.025;
	return result;
}

struct measured_mix infer_pair(int a, int ports_a, int b, int ports_b)
{
	return (struct measured_mix){ .count = 2, .op = { a, b }, .times = { ports_a, ports_b } };
}

static void ask(const struct inference *in, const struct measured_mix *mix, int times,
	struct measured_mix list[INFER_QUESTIONS], int *count)
{
	struct mix_result result;

	if (*count == INFER_QUESTIONS)
		return;
	for (int i = 0; i < *count; i++)
		if (infer_same_mix(&list[i], mix))
			return;
	result = infer_result(in, mix);
	/* If the measurement of an instruction mix failed once, it will fail again, so the mix is
	 * not measured again. */
	if (result.asked >= times || result.asked > result.known)
		return;
	list[*count] = *mix;
	list[(*count)++].cycles = (struct figure){ 0 };
}

void infer_ask(struct inference *in, const struct measured_mix *mix, int times)
{
	ask(in, mix, times, in->question, &in->question_count);
}

void infer_ask_late(struct inference *in, const struct measured_mix *mix)
{
	ask(in, mix, 1, in->late, &in->late_count);
}

bool infer_clash(const struct inference *in, int op, int other)
{
	bool wide = in->measured->op[op].bits > 256;
	int narrow = wide ? other : op;

	return wide != (in->measured->op[other].bits > 256) && in->measured->op[narrow].bits > 0 &&
	       (in->kind[narrow] != INFER_SIMPLE || in->wide[narrow] > 1);
}

bool infer_mix_clashes(const struct inference *in, const struct measured_mix *mix)
{
	for (int i = 0; i < mix->count; i++)
		for (int k = 0; k < i; k++)
			if (infer_clash(in, mix->op[i], mix->op[k]))
				return true;
	return false;
}

double infer_miss(
	const struct inference *in, double predicted, double cycles, double spread, int ports)
{
	double off = log(predicted / cycles), many = in->early ? 0.2 : 0.07;
	double sure = off > 0 ? 0.012 : ports <= 3 ? 0.012 + 0.008 * (ports - 1) : many;

	off = fabs(off) / hypot(sure, fmin(spread, 0.1));
	return !isfinite(off) ? 60 : fmin(off < 3 ? off * off : 9 + 4 * (off - 3), 60);
}

/* Returns the largest work per port over all subsets of the given entries of work. All subsets are
 * tried, which is fast only for few entries of work. */
static double bound_of_subsets(const struct port_load *load, int count)
{
	uint32_t all[256] = { 0 };
	double most = 0;

	for (int mask = 1; mask < 1 << count; mask++) {
		double work = 0;

		all[mask] = all[mask & (mask - 1)] | load[__builtin_ctz((unsigned)mask)].ports;
		for (int i = 0; i < count; i++)
			if (!(load[i].ports & ~all[mask]))
				work += load[i].cycles;
		work /= ports_count(all[mask]);
		most = work > most ? work : most;
	}
	return most;
}

double infer_bound(const struct port_load *load, int count)
{
	double pressure[UARCH_PORTS];

	return count <= 8 ? bound_of_subsets(load, count)
			  : ports_balance(load, count, UARCH_PORTS, pressure, NULL);
}

double measured_slots(const struct measured_op *op)
{
	double slots = op->slots.known ? op->slots.value : 1, whole = round(slots);

	return whole > 0 && fabs(slots - whole) < 0.25 ? whole : fmax(slots, 0.1);
}

double measured_own_slots(const struct measured_op *op)
{
	return fmax(0, measured_slots(op) - (*op->store ? 1 : 0));
}

static bool add_terms(
	const struct inference *in, int op, double times, struct port_load *load, int *count)
{
	const struct measured_ports *to = in->to;

	if (!to->known[op])
		return false;
	for (int t = 0; t < to->term_count[op]; t++)
		load[(*count)++] = (struct port_load){ to->term[op][t].ports,
			times * (double)to->term[op][t].count * (double)to->term[op][t].cycles };
	return true;
}

bool infer_accesses(
	const struct inference *in, int op, double times, struct port_load *load, int *count)
{
	const struct measured_op *of = &in->measured->op[op];
	const char *const access[] = { of->load, of->store };

	if (of->accesses)
		times *= of->accesses;
	for (int i = 0; i < 2; i++) {
		int other = infer_op(in->measured, access[i]);

		if (*access[i] && (other < 0 || !add_terms(in, other, times, load, count)))
			return false;
	}
	return true;
}

bool infer_work(
	const struct inference *in, int op, double times, struct port_load *load, int *count)
{
	return infer_accesses(in, op, times, load, count) && add_terms(in, op, times, load, count);
}

double infer_cycles(const struct inference *in, const struct measured_mix *mix)
{
	struct port_load load[MEASURED_PARTS * 3 * UARCH_TERMS];
	double slots = 0;
	int count = 0;

	for (int i = 0; i < mix->count; i++) {
		if (!infer_work(in, mix->op[i], mix->times[i], load, &count))
			return NAN;
		slots += mix->times[i] * measured_slots(&in->measured->op[mix->op[i]]);
	}
	return fmax(infer_bound(load, count), in->width > 0 ? slots / in->width : 0);
}
