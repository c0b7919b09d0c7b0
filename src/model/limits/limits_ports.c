/* Port groups and dividers: the best assignment possible. And the ports of each instruction of the
 * listing. */
#include "model/limits/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static uint32_t real_ports(const struct uarch *uarch)
{
	uint32_t ports = 0;

	for (int port = 0; port < uarch_port_count(uarch); port++)
		if (!uarch_port_is_unit(uarch, port))
			ports |= UINT32_C(1) << port;
	return ports;
}

/* Uses with work that can only go to these ports. */
static int uses_inside(const struct tally *tally, uint32_t ports, struct class_use *inside)
{
	int count = 0;

	for (int i = 0; i < tally->use_count; i++) {
		const struct uarch_class *class = tally->use[i].class;
		bool in = false;

		for (int t = 0; class->executes && t < class->term_count; t++)
			in |= class->term[t].ports && !(class->term[t].ports & ~ports);
		if (in)
			inside[count++] = tally->use[i];
	}
	return count;
}

static void add(struct tally *tally, enum limit_kind kind, double cycles, uint32_t ports,
	struct class_use *inside)
{
	char what[112], where[40], number[24];
	int count = uses_inside(tally, ports, inside);

	words_uses(inside, count, tally->turns, 2, what, sizeof(what));
	words_ports(tally->uarch, ports, where, sizeof(where));
	if (kind == LIMIT_DIVIDER)
		limits_add(tally, kind, cycles, CAUSE_UNIT, what,
			words_number(cycles / tally->turns, number), where);
	else
		limits_add(tally, kind, cycles, CAUSE_PORTS, what, where);
}

static void add_term(const struct uarch *uarch, const struct uarch_term *term, double accesses,
	char *buffer, size_t size)
{
	char ports[40], number[24], cycles[24], part[112];
	size_t length = strlen(buffer);
	double count = (double)term->count * accesses;

	if (!term->ports || length + 4 >= size)
		return;
	words_ports(uarch, term->ports, ports, sizeof(ports));
	snprintf(part, sizeof(part), "%s%s%s%s%s%s", length ? " + " : "",
		count > 1 ? words_number(count, number) : "", count > 1 ? "*" : "", ports,
		term->cycles > 1 ? ":" : "",
		term->cycles > 1 ? words_number((double)term->cycles, cycles) : "");
	snprintf(buffer + length, size - length, "%.*s", (int)(size - length - 1), part);
}

static void add_class(const struct uarch *uarch, const struct uarch_class *class, double accesses,
	char *buffer, size_t size)
{
	for (int t = 0; class && class->executes && t < class->term_count; t++)
		add_term(uarch, &class->term[t], accesses, buffer, size);
}

/* The listing's line of one instruction. */
static void describe(struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	const struct insn_tally *times = &tally->insn[number];
	struct limit_insn *line = &tally->limits->insn[number];
	bool loads = false;

	line->known = facts->known;
	line->count = times->times;
	line->latency = UARCH_UNKNOWN;
	if (!facts->known)
		return;
	line->fused = times->fuses;
	line->eliminated = facts->eliminated;
	line->slots = times->fuses || times->joins ? 0 : facts->slots;
	for (int k = 0; k < insn->memory_count && k < INSN_MEMORY && !insn->address_only; k++) {
		double accesses = insn->memory[k].accesses > 1 ? insn->memory[k].accesses : 1;

		loads |= insn->memory[k].load;
		if (insn->memory[k].load)
			add_class(tally->uarch, facts->load, accesses, line->ports,
				sizeof(line->ports));
		if (insn->memory[k].store)
			add_class(tally->uarch, facts->store, accesses, line->ports,
				sizeof(line->ports));
	}
	/* The first half of a fused pair: the branch carries the pair's operation. */
	if (times->first <= 0)
		add_class(tally->uarch, facts->taken && times->taken > 0 ? facts->taken : facts->op,
			1, line->ports, sizeof(line->ports));
	add_class(tally->uarch, facts->base, 1, line->ports, sizeof(line->ports));
	if (facts->eliminated)
		line->latency = 0;
	else if (insn->flow == FLOW_NONE && facts->op)
		line->latency = facts->op->latency;
	else if (loads && !facts->op)
		line->latency = 0;
	if (loads && uarch_known(line->latency) && !insn->memory[0].vector_index)
		line->latency = uarch_known(facts->load->latency)
					? line->latency + facts->load->latency
					: UARCH_UNKNOWN;
}

void limits_ports(struct tally *tally)
{
	const struct uarch *uarch = tally->uarch;
	struct limits *limits = tally->limits;
	struct port_load *load =
		memory_new((size_t)tally->use_count * UARCH_TERMS + 1, sizeof(*load));
	struct port_load *some =
		memory_new((size_t)tally->use_count * UARCH_TERMS + 1, sizeof(*some));
	struct class_use *inside = memory_new((size_t)tally->use_count + 1, sizeof(*inside));
	uint32_t real = real_ports(uarch), bottleneck;
	int count = 0, ports = uarch_port_count(uarch);
	double pressure[UARCH_PORTS], cycles;

	for (int i = 0; i < tally->use_count; i++) {
		const struct uarch_class *class = tally->use[i].class;

		for (int t = 0; class->executes && t < class->term_count; t++)
			if (class->term[t].ports)
				load[count++] = (struct port_load){ class->term[t].ports,
					tally->use[i].count * (double)class->term[t].count *
						(double)class->term[t].cycles };
	}
	limits->port_count = ports;
	ports_balance(load, count, ports, limits->pressure, NULL);
	ports_naive(load, count, ports, limits->naive);
	for (int port = 0; port < ports; port++) {
		limits->pressure[port] /= tally->turns;
		limits->naive[port] /= tally->turns;
	}
	for (int units = 0; units < 2; units++) {
		int chosen = 0;

		for (int i = 0; i < count; i++)
			if (((load[i].ports & real) == 0) == (units == 1))
				some[chosen++] = load[i];
		cycles = ports_balance(some, chosen, ports, pressure, &bottleneck);
		if (cycles <= 0)
			continue;
		if (!units)
			limits->bottleneck = bottleneck;
		add(tally, units ? LIMIT_DIVIDER : LIMIT_PORTS, cycles, bottleneck, inside);
	}
	limits->insn_count = tally->loop->insn_count;
	for (int i = 0; i < limits->insn_count; i++)
		describe(tally, i);
	free(load);
	free(some);
	free(inside);
}
