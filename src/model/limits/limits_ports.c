/* Limits of execution ports and of units: the shortest time in which the best assignment of
 * micro-ops to ports executes them. Also describes the slots, the latency and the ports of each
 * instruction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/limits/tally.h"

/* Whether the ports of a class of several micro-ops were inferred from measured mixes. The search
 * for them (infer_micro_ops.c) may give a micro-op ports that it does not use: on Zen 5, a vector
 * load takes slots of the vector unit, and the search takes them for a port of multiplications. */
static bool is_inferred(const struct uarch *uarch, const struct uarch_class *class)
{
	const struct uarch_sources *sources = &uarch->sources;

	for (int i = 0; class->term_count > 1 && i < sources->count; i++)
		if (class->tags >> i & 1 && strcmp(sources->tag[i], "measured") == 0)
			return true;
	return false;
}

/* Adds the limit of a set of ports: the work that only these ports can do needs `cycles`. */
static void add_ports(struct tally *tally, enum limit_kind kind, double cycles, uint32_t ports)
{
	struct class_uses inside = { 0 };
	struct limit_words what, where;
	bool sampled = tally->sampled;
	double instructions = 0, micro_ops = 0;

	for (int i = 0; i < tally->uses.count; i++) {
		const struct class_use *use = &tally->uses.use[i];
		bool in = false;

		for (int t = 0; use->class->executes && t < use->class->term_count; t++) {
			const struct uarch_term *term = &use->class->term[t];

			if (!term->ports || term->ports & ~ports)
				continue;
			in = true;
			micro_ops += use->count * (double)term->count;
		}
		if (in)
			uses_add(&inside, use->class, use->count);
		instructions += in ? use->count : 0;
		tally->sampled |= in && is_inferred(tally->uarch, use->class);
	}
	what = words_uses(&inside, tally->turns, 2);
	where = words_ports(tally->uarch, ports);
	if (kind == LIMIT_DIVIDER || kind == LIMIT_UNIT)
		limits_add(tally, kind, cycles, "%s, %s cycle%s of %s", what.text,
			words_turn(tally, cycles).text, words_s(tally, cycles), where.text);
	else if (fabs(micro_ops - instructions) > 1e-9)
		limits_add(tally, kind, cycles, "%s: %s micro-op%s on %s", what.text,
			words_turn(tally, micro_ops).text, words_s(tally, micro_ops), where.text);
	else
		limits_add(tally, kind, cycles, "%s on %s", what.text, where.text);
	tally->sampled = sampled;
	free(inside.use);
}

/* Names the limit of a set of units. Beside dividers, core models have units for other operations
 * that occupy the core for several cycles: locked operations, microcode, moves between register
 * files. */
static enum limit_kind unit_kind(const struct uarch *uarch, uint32_t units)
{
	for (; units; units &= units - 1)
		if (!strstr(uarch->port[__builtin_ctz(units)], "div"))
			return LIMIT_UNIT;
	return LIMIT_DIVIDER;
}

/* Appends to `ports` the ports of a class of micro-ops, for an instruction of the listing. */
static void add_class(const struct uarch *uarch, const struct uarch_class *class, double accesses,
	struct limit_words *ports)
{
	for (int t = 0; class && class->executes && t < class->term_count; t++) {
		const struct uarch_term *term = &class->term[t];
		double count = (double)term->count * accesses;

		if (term->ports)
			words_add(ports, "%s%s%s%s%s%s", *ports->text ? " + " : "",
				count > 1 ? words_number(count).text : "", count > 1 ? "*" : "",
				words_ports(uarch, term->ports).text, term->cycles > 1 ? ":" : "",
				term->cycles > 1 ? words_number((double)term->cycles).text : "");
	}
}

/* Fills one instruction's entry in the listing of the loop: its slots, latency and ports. */
static void describe(struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	const struct insn_tally *times = &tally->insn[number];
	struct limit_insn *line = &tally->limits->insn[number];
	const struct uarch *uarch = tally->uarch;
	struct limit_words words = { "" };
	/* Rename passes on the sum, but other instructions need it in a register. */
	bool materialised = times->materialised > times->times / 2;
	bool loads = false;

	line->known = facts->known;
	line->count = times->times;
	line->latency = UARCH_UNKNOWN;
	line->loading = 0;
	if (!facts->known)
		return;
	line->fused = times->fuses;
	line->eliminated = facts->eliminated && !materialised;
	line->slots = times->fuses || times->joins ? 0 : facts->slots;
	for (int k = 0; k < INSN_MEMORY; k++) {
		double accesses = insn->memory[k].accesses > 1 ? insn->memory[k].accesses : 1;

		loads |= insn_loads(insn, k);
		if (insn_loads(insn, k))
			add_class(uarch, facts->load, accesses, &words);
		if (insn_stores(insn, k))
			add_class(uarch, facts->store, accesses, &words);
	}
	/* In a macro-fused pair, the entry of the branch shows the operation of both instructions.
	 */
	if (times->first <= 0)
		add_class(uarch, facts->taken && times->taken > 0 ? facts->taken : facts->op, 1,
			&words);
	if (materialised)
		add_class(uarch, uarch_find(uarch, "alu", insn->width), 1, &words);
	add_class(uarch, facts->base, 1, &words);
	snprintf(
		line->ports, sizeof(line->ports), "%.*s", (int)sizeof(line->ports) - 1, words.text);
	if (facts->eliminated || (loads && !facts->op))
		line->latency = 0;
	else if (insn->flow == FLOW_NONE && facts->op)
		line->latency = facts->op->latency;
	if (loads && uarch_known(line->latency) && !insn->memory[0].vector_index) {
		double extends = insn->load_extends ? fmax(uarch->fact[EXTRA_SIGN], 0) : 0,
		       load = fmax(facts->load->latency, 0) + extends;

		line->loading = line->latency > 0 ? load : 0;
		line->latency =
			uarch_known(facts->load->latency) ? line->latency + load : UARCH_UNKNOWN;
	}
}

/* Adds the limit of a class whose ports are unknown, but whose throughput was measured, if it is
 * above `cycles`. Returns whether it is. */
static bool add_measured(struct tally *tally, double cycles)
{
	struct class_uses slowest = { 0 };
	double most = cycles;

	for (int i = 0; i < tally->uses.count; i++) {
		const struct class_use *use = &tally->uses.use[i];

		if (use->class->executes || !uarch_known(use->class->each) ||
			use->count * use->class->each <= most)
			continue;
		most = use->count * use->class->each;
		slowest.count = 0;
		uses_add(&slowest, use->class, use->count);
	}
	if (slowest.count > 0)
		limits_add(tally, LIMIT_PORTS, most, "%s: %s cycle%s each, on unknown ports",
			words_uses(&slowest, tally->turns, 1).text,
			words_number(slowest.use[0].class->each).text,
			fabs(slowest.use[0].class->each - 1) < 0.005 ? "" : "s");
	free(slowest.use);
	return most > cycles;
}

/* Relative error of computed pressures: two ports whose pressures differ by less are equally full.
 */
#define EQUAL 1e-9

void limits_ports(struct tally *tally)
{
	struct limits *limits = tally->limits;
	const struct class_uses *uses = &tally->uses;
	int count = 0, ports = uarch_port_count(tally->uarch);
	double highest = 0;
	struct port_load *load = memory_new((size_t)uses->count * UARCH_TERMS + 1, sizeof(*load));

	/* Ports are handled before units, such as the divider. If an instruction needs a port and a
	 * unit, the text in the listing then names the port first. */
	for (int units = 0; units < 2; units++) {
		int first = count;
		double cycles, pressure[UARCH_PORTS];
		uint32_t bottleneck;

		for (int i = 0; i < uses->count; i++) {
			const struct uarch_class *class = uses->use[i].class;

			for (int t = 0; class->executes && t < class->term_count; t++) {
				const struct uarch_term *term = &class->term[t];

				if (term->ports && (__builtin_ctz(term->ports) >=
							   tally->uarch->port_count) == units)
					load[count++] = (struct port_load){ term->ports,
						uses->use[i].count * (double)term->count *
							(double)term->cycles };
			}
		}
		cycles = ports_balance(load + first, count - first, ports, pressure, &bottleneck);
		if (cycles > highest * (1 + EQUAL))
			limits->bottleneck = 0;
		highest = fmax(highest, cycles);
		for (int port = 0; cycles > 0 && port < ports; port++)
			if (pressure[port] > highest * (1 - EQUAL))
				limits->bottleneck |= 1u << port;
		if (!units && add_measured(tally, cycles))
			continue;
		if (cycles > 0)
			add_ports(tally, units ? unit_kind(tally->uarch, bottleneck) : LIMIT_PORTS,
				cycles, bottleneck);
	}
	limits->port_count = ports;
	ports_balance(load, count, ports, limits->pressure, NULL);
	ports_naive(load, count, ports, limits->naive);
	free(load);
	for (int port = 0; port < ports; port++) {
		limits->pressure[port] /= tally->turns;
		limits->naive[port] /= tally->turns;
	}
	limits->insn_count = tally->loop->insn_count;
	for (int i = 0; i < limits->insn_count; i++)
		describe(tally, i);
}

/* ---- Results of multiplications */

/* Latencies of integer operations whose results compete with those of one cycle. Divisions have
 * units of their own. */
enum { LATE_LEAST = 2, LATE_MOST = 4 };

/* The results are a limit if they make the loop slower by this factor. */
#define LATE_COST 1.005

/* The ports of integer operations. */
static uint32_t integer_ports(const struct tally *tally)
{
	const struct uarch_class *alu = uarch_find(tally->uarch, "alu", 0);

	return alu && alu->term_count > 0 ? alu->term[0].ports : 0;
}

/* Whether an operation has its result later than a cycle after its start, on one of some of the
 * integer ports: a multiplication. */
static bool is_late(const struct uarch_class *operation, uint32_t integer)
{
	return operation && operation->executes && operation->term_count > 0 &&
	       !(operation->term[0].ports & ~integer) && operation->term[0].ports != integer &&
	       operation->latency >= LATE_LEAST && operation->latency <= LATE_MOST;
}

/* Adds the limit of multiplications, whose results compete with those of operations of one cycle: a
 * port has one result per cycle. If a path has n micro-ops on p ports, k of them late, and takes T
 * cycles, the share 1 - k / pT of the k results comes in a cycle in which the port could have the
 * result of another operation. Then pT = n + k (1 - k / pT). Measured on Zen 5 with one to four
 * multiplications next to one to eight additions: 3 % mean error; n / p is 11 % too low. */
void limits_late_results(struct tally *tally)
{
	uint32_t integer = integer_ports(tally);
	int ports = __builtin_popcount(integer);
	double work = 0, late = 0, sum, cycles;

	if (tally->uarch->fact[EXTRA_LATE_RESULTS] != LATE_RESULTS_MEAN || ports == 0)
		return;
	for (int p = 0; p < tally->limits->port_count; p++)
		work += integer >> p & 1 ? tally->limits->pressure[p] * tally->turns : 0;
	for (int i = 0; i < tally->loop->insn_count; i++)
		late += is_late(tally->facts[i].op, integer) ? tally->insn[i].times : 0;
	sum = work + late;
	if (late <= 0 || sum < 2 * late)
		return;
	cycles = (sum + sqrt(sum * sum - 4 * late * late)) / 2 / ports;
	if (cycles > tally->bound * LATE_COST)
		limits_add(tally, LIMIT_SCHEDULING, cycles,
			"%s integer operations with late results, which keep ports from others: %s "
			"cycles",
			words_turn(tally, late).text, words_turn(tally, cycles).text);
}
