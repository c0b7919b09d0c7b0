/* From throughputs and mixes to ports: simple ops form groups with the same ports, the search
 * chooses a set of ports for each group, and micro-ops for the other ops. It also lists the mixes
 * to measure next. */
#include "model/measured/infer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- mixes */

bool infer_is_memory(const char *name)
{
	return strncmp(name, "load", 4) == 0 || strncmp(name, "vload", 5) == 0 ||
	       strncmp(name, "store", 5) == 0 || strncmp(name, "vstore", 6) == 0;
}

/* The length of the name without width and without "-load". */
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

int infer_op(const struct measured *measured, const char *name)
{
	for (int i = 0; *name && i < measured->op_count; i++)
		if (strcmp(measured->op[i].name, name) == 0)
			return i;
	return -1;
}

/* The order of the ops and a common factor of their numbers do not matter. */
bool infer_same_mix(const struct measured_mix *a, const struct measured_mix *b)
{
	double ratio = 0;

	if (a->count != b->count)
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

static bool impossible(const struct measured *measured, const struct measured_mix *mix)
{
	for (int i = 0; i < mix->count; i++)
		if (mix->cycles.value < 0.92 * mix->times[i] * measured->op[mix->op[i]].each.value)
			return true;
	return false;
}

struct mix_result infer_result(const struct inference *in, const struct measured_mix *mix)
{
	const struct measured *measured = in->measured;
	struct mix_result result = { 0 };
	double value[8] = { 0 }, spread = 0;

	for (int i = 0; i < measured->mix_count; i++) {
		const struct measured_mix *other = &measured->mix[i];
		double each;
		int at;

		if (other->check != mix->check || !infer_same_mix(mix, other))
			continue;
		result.asked++;
		if (!other->cycles.known || !(other->cycles.value > 0) || result.known == 8)
			continue;
		/* The measurement is wrong: no mix is faster than one of its classes alone. */
		if (impossible(measured, other))
			continue;
		each = other->cycles.value * mix->times[0];
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
	/* Interference only adds time: of two results that differ, use the shorter. */
	result.cycles = value[(result.known - 1) / 2];
	result.spread = isfinite(spread) && spread > 0 ? spread : 0;
	result.apart = result.known == 2 && value[1] > value[0] * 1.025;
	return result;
}

struct measured_mix infer_pair(int a, int ports_a, int b, int ports_b)
{
	return (struct measured_mix){ .count = 2, .op = { a, b }, .times = { ports_a, ports_b } };
}

void infer_ask(struct inference *in, const struct measured_mix *mix, int times)
{
	struct mix_result result;

	if (in->question_count == INFER_QUESTIONS)
		return;
	for (int i = 0; i < in->question_count; i++)
		if (in->question[i].check == mix->check && infer_same_mix(&in->question[i], mix))
			return;
	result = infer_result(in, mix);
	/* A mix that failed once fails again. */
	if (result.asked >= times || result.asked > result.known)
		return;
	in->question[in->question_count] = *mix;
	in->question[in->question_count++].cycles = (struct figure){ 0 };
}

void infer_ask_late(struct inference *in, const struct measured_mix *mix)
{
	struct mix_result result;

	for (int i = 0; i < in->late_count; i++)
		if (infer_same_mix(&in->late[i], mix))
			return;
	result = infer_result(in, mix);
	if (in->late_count == INFER_QUESTIONS || result.asked)
		return;
	in->late[in->late_count] = *mix;
	in->late[in->late_count++].cycles = (struct figure){ 0 };
}

bool infer_clash(const struct inference *in, int op, int other)
{
	bool wide = in->measured->op[op].bits > 256;
	int narrow = wide ? other : op;

	return wide != (in->measured->op[other].bits > 256) && in->measured->op[narrow].bits > 0 &&
	       (in->kind[narrow] != INFER_SIMPLE || in->wide[narrow] > 1);
}

double infer_miss(
	const struct inference *in, double predicted, double cycles, double spread, int ports)
{
	double off = log(predicted / cycles), many = in->early ? 0.2 : 0.07;
	double sure = off > 0 ? 0.012 : ports <= 3 ? 0.012 + 0.008 * (ports - 1) : many;

	off = fabs(off) / hypot(sure, fmin(spread, 0.1));
	return !isfinite(off) ? 60 : fmin(off < 3 ? off * off : 9 + 4 * (off - 3), 60);
}

/* For few loads: the largest work per port over all subsets of the loads. */
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
		work /= infer_count(all[mask]);
		most = work > most ? work : most;
	}
	return most;
}

double infer_bound(const struct port_load *load, int count)
{
	struct port_load merged[48];
	uint32_t set[512];
	int sets = 1, distinct = 0;
	double most = 0;

	if (count <= 8)
		return bound_of_subsets(load, count);
	for (int i = 0; i < count && distinct < 48; i++) {
		int k = 0;

		while (k < distinct && merged[k].ports != load[i].ports)
			k++;
		if (k == distinct)
			merged[distinct++] = (struct port_load){ load[i].ports, 0 };
		merged[k].cycles += load[i].cycles;
	}
	set[0] = 0;
	for (int i = 0; i < distinct; i++)
		for (int k = 0, before = sets; k < before && sets < 512; k++) {
			uint32_t both = set[k] | merged[i].ports;
			int same = 0;

			while (same < sets && set[same] != both)
				same++;
			if (same == sets)
				set[sets++] = both;
		}
	for (int k = 1; k < sets; k++) {
		double work = 0;

		for (int i = 0; i < distinct; i++)
			if (!(merged[i].ports & ~set[k]))
				work += merged[i].cycles;
		most = fmax(most, work / infer_count(set[k]));
	}
	return most;
}

double measured_slots(const struct measured_op *op)
{
	const struct figure *slots = &op->slots;
	double whole = slots->known ? round(slots->value) : 1;

	return !slots->known || (whole > 0 && fabs(slots->value - whole) < 0.25)
		       ? whole
		       : fmax(slots->value, 0.1);
}

double measured_own_slots(const struct measured_op *op)
{
	return fmax(0, measured_slots(op) - (*op->store ? 1 : 0));
}

double infer_slots(const struct inference *in, int op)
{
	return measured_slots(&in->measured->op[op]);
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

bool infer_work(
	const struct inference *in, int op, double times, struct port_load *load, int *count)
{
	const struct measured_op *of = &in->measured->op[op];
	const char *const access[] = { of->load, of->store };

	for (int i = 0; i < 2; i++) {
		int other = infer_op(in->measured, access[i]);

		if (*access[i] && (other < 0 || !add_terms(in, other,
							of->accesses ? times * of->accesses : times,
							load, count)))
			return false;
	}
	return add_terms(in, op, times, load, count);
}

double infer_cycles(const struct inference *in, const struct measured_mix *mix)
{
	struct port_load load[MEASURED_PARTS * 3 * UARCH_TERMS];
	double slots = 0;
	int count = 0;

	for (int i = 0; i < mix->count; i++) {
		if (!infer_work(in, mix->op[i], mix->times[i], load, &count))
			return NAN;
		slots += mix->times[i] * infer_slots(in, mix->op[i]);
	}
	return fmax(infer_bound(load, count), in->width > 0 ? slots / in->width : 0);
}

double measured_cycles(const struct measured *measured, const struct measured_ports *ports,
	const struct measured_mix *mix)
{
	struct inference in = { .measured = measured,
		.width = measured->width.known ? measured->width.value : 0 };
	struct measured_ports copy = *ports; /* never written: infer_cycles() only reads */

	in.to = &copy;
	return infer_cycles(&in, mix);
}

/* ---- ports */

/* Whether most mixes that contain this op could not be measured. */
static bool mostly_fails(const struct measured *m, int op)
{
	int failed = 0, known = 0;

	for (int k = 0; k < m->mix_count; k++)
		for (int i = 0; i < m->mix[k].count; i++)
			if (m->mix[k].op[i] == op) {
				failed += !m->mix[k].cycles.known;
				known += m->mix[k].cycles.known;
			}
	return failed >= 3 && failed > known;
}

static void classify_op(struct inference *in, int i)
{
	const struct measured_op *op = &in->measured->op[i];
	double each = op->each.value, slots = infer_slots(in, i), whole, least;

	in->group_of[i] = -1;
	in->stretch[i] = 1;
	/* Slots near 0 show that the measurement failed. A memory access needs no measured slots:
	 * it is one slot. */
	if (!op->each.known || !(each > 0) || (!op->slots.known && !infer_is_memory(op->name)) ||
		(op->slots.known && op->slots.value < 0.5) || mostly_fails(in->measured, i)) {
		in->kind[i] = INFER_UNKNOWN;
		return;
	}
	in->kind[i] = INFER_COMPLEX;
	least = in->width > 0 ? slots / in->width : 0;
	if (*op->load || *op->store || strncmp(op->name, "store", 5) == 0 ||
		strncmp(op->name, "vstore", 6) == 0)
		return;
	/* Its throughput reaches the rename width: an op with a latency does use ports, but the
	 * measurement cannot show which. */
	if (each < 1.07 * least) {
		in->kind[i] =
			op->latency.known && op->latency.value > 0.5 ? INFER_UNKNOWN : INFER_NONE;
		return;
	}
	/* No latency, and a throughput just below the rename width: renaming does it. */
	if (op->latency.known && op->latency.value < 0.5 && slots < 1.2 && in->width > 0 &&
		1 / each > in->width - 0.6) {
		in->kind[i] = INFER_NONE;
		return;
	}
	if (slots > 1.2 || each > 1.07)
		return;
	whole = round(1 / each);
	in->wide[i] = whole * each > 1 / 0.93 || whole * each < 0.93 ? (int)ceil(1 / each - 0.05)
								     : (int)whole;
	if (in->wide[i] > INFER_PORTS)
		return;
	in->kind[i] = INFER_SIMPLE;
	/* A small excess comes from the scheduler. Ports state what is possible, so it does not
	 * count. */
	if (in->wide[i] * each > 1.1)
		in->stretch[i] = in->wide[i] * each;
}

/* An op may hold n ports for two cycles instead of 2n ports for one: a vector done in two halves.
 * Next to an op of 2n ports, in numbers that keep each busy for one cycle, a mix on shared ports
 * takes 1.5 cycles; 2 cycles show halves. */
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

		in->to->known[i] = in->kind[i] == INFER_NONE ||
				   (in->kind[i] == INFER_SIMPLE && g >= 0 && in->group[g].set);
		if (in->kind[i] != INFER_SIMPLE || !in->to->known[i])
			continue;
		in->to->term_count[i] = 1;
		in->to->term[i][0] = (struct uarch_term){
			.ports = in->group[g].set, .count = 1, .cycles = (float)in->stretch[i]
		};
	}
}

/* Units follow directly after the ports. */
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

/* ---- mixes that only check the result */

enum { CHECKS = 40 };

static unsigned random_number(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Two or three classes, each with about the same time; the same choice in each call. */
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
	for (int i = 0; i < mix->count; i++)
		for (int k = 0; k < i; k++)
			if (infer_clash(in, mix->op[i], mix->op[k]))
				return false;
	for (int i = 0; i < mix->count; i++)
		mix->times[i] =
			fmax(1, round(fmax(longest, 1) / in->measured->op[mix->op[i]].each.value));
	return true;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void name_mix(
	const struct measured *m, const struct measured_mix *mix, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (int i = 0; i < mix->count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%g %s",
			i == 0		     ? ""
			: i + 1 < mix->count ? ", "
					     : " and ",
			mix->times[i], m->op[mix->op[i]].name);
}

static void compare(struct inference *in)
{
	const struct measured *m = in->measured;
	double *off[2] = { memory_new(MEASURED_MIXES, sizeof(double)),
		memory_new(MEASURED_MIXES, sizeof(double)) },
	       worst = 0.05;
	int count[2] = { 0 };

	for (int i = 0; i < m->mix_count; i++) {
		const struct measured_mix *mix = &m->mix[i];
		struct mix_result result;
		double cycles, by;
		bool first = mix->cycles.known;
		int of;

		for (int k = 0; k < i && first; k++)
			first = m->mix[k].check != mix->check || !infer_same_mix(&m->mix[k], mix);
		cycles = first ? infer_cycles(in, mix) : NAN;
		if (!first || !isfinite(cycles) || !(cycles > 0))
			continue;
		result = infer_result(in, mix);
		for (int k = 0; k < mix->count * mix->count && first; k++)
			first = !infer_clash(in, mix->op[k / mix->count], mix->op[k % mix->count]);
		if (!result.known || !first)
			continue;
		by = fabs(cycles / result.cycles - 1);
		of = mix->check;
		off[of][count[of]++] = by;
		if (by > worst) {
			char words[120];

			worst = by;
			name_mix(m, mix, words, sizeof(words));
			snprintf(in->to->disagrees, sizeof(in->to->disagrees),
				"%s take %.3g cycles, by these ports %.3g", words, result.cycles,
				cycles);
		}
	}
	for (int of = 0; of < 2; of++)
		qsort(off[of], (size_t)count[of], sizeof(double), by_size);
	in->to->fitted = count[0];
	in->to->checked = count[1];
	if (count[0]) {
		in->to->fitted_median = off[0][count[0] / 2];
		in->to->fitted_worst = off[0][count[0] - 1];
	}
	if (count[1]) {
		in->to->checked_median = off[1][count[1] / 2];
		in->to->checked_worst = off[1][count[1] - 1];
	}
	free(off[0]);
	free(off[1]);
}

/* Compares classes of many ports with classes on a subset of these ports. A scheduler that chooses
 * ports late leaves the shared ports to the narrow class; a core that chooses ports at rename does
 * not. */
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
			mix = infer_pair(many->op, many->ports, few->op, few->ports);
			result = infer_result(in, &mix);
			if (result.known)
				off[count++] = result.cycles / infer_cycles(in, &mix);
		}
	qsort(off, (size_t)count, sizeof(*off), by_size);
	in->to->nested = count;
	in->to->slower = count ? off[count / 2] : 0;
}

static void check(struct inference *in)
{
	unsigned state = 1;
	int count = 0;

	for (int i = 0; i < in->measured->mix_count; i++)
		count += in->measured->mix[i].check;
	for (int tries = 0;
		in->late_count == 0 && (in->question_count == 0 || in->question[0].check);
		tries++) {
		struct measured_mix mix;
		int before = in->question_count;

		if (count >= CHECKS || tries == 40 * CHECKS)
			break;
		if (!check_mix(in, &state, &mix))
			continue;
		infer_ask(in, &mix, 1);
		count += in->question_count > before;
	}
	compare(in);
}

static void infer_all(struct inference *in)
{
	in->width = in->measured->width.known ? in->measured->width.value : 0;
	if (in->width > 0 && fabs(in->width - round(in->width)) < 0.15)
		in->width = round(in->width);
	for (int i = 0; i < in->measured->fact_count; i++)
		if (strcmp(in->measured->fact[i].word, "extra binds-ports") == 0)
			in->early = measured_early(&in->measured->fact[i].figure);
	for (int i = 0; i < in->measured->op_count; i++)
		classify_op(in, i);
	find_halves(in);
	infer_sets(in);
	settle_simple(in);
	infer_micro_ops(in);
	if (in->question_count >= in->enough)
		return;
	infer_units(in);
	find_slower(in);
	check(in);
	close_gap(in);
}

static void begin(const struct measured *measured, struct measured_ports *to, struct inference *in)
{
	memset(to, 0, sizeof(*to));
	in->measured = measured;
	in->to = to;
}

void measured_find_ports(const struct measured *measured, struct measured_ports *ports)
{
	struct inference *in = memory_new(1, sizeof(*in));

	begin(measured, ports, in);
	in->enough = INFER_QUESTIONS + 1;
	infer_all(in);
	free(in);
}

int measured_next(const struct measured *measured, struct measured_mix *next, int most)
{
	struct inference *in = memory_new(1, sizeof(*in));
	struct measured_ports *ports = memory_new(1, sizeof(*ports));
	int count;

	begin(measured, ports, in);
	in->enough = most;
	infer_all(in);
	count = in->question_count < most ? in->question_count : most;
	memcpy(next, in->question, (size_t)count * sizeof(*next));
	for (int i = 0; i < in->late_count && count < most; i++)
		next[count++] = in->late[i];
	free(ports);
	free(in);
	return count;
}
