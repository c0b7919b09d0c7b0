/* Counting what a path of the loop does. */
#include "model/limits/tally.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void use_class(struct tally *tally, const struct uarch_class *class, double count)
{
	int i = 0;

	if (!class || count <= 0)
		return;
	while (i < tally->use_count && tally->use[i].class != class)
		i++;
	if (i == tally->use_room) {
		tally->use_room = tally->use_room ? 2 * tally->use_room : 32;
		tally->use =
			memory_resize(tally->use, (size_t)tally->use_room, sizeof(*tally->use));
	}
	if (i == tally->use_count)
		tally->use[tally->use_count++] = (struct class_use){ .class = class };
	tally->use[i].count += count;
}

/* Whether a branch of the path jumps. The last branch of a loop that was only read does: it closes
 * the loop. */
static bool jumps(const struct loop *loop, int step)
{
	enum insn_flow flow = loop->insn[loop->path[step].insn].flow;

	if (flow == FLOW_NONE || flow == FLOW_OTHER)
		return false;
	return flow != FLOW_BRANCH || loop->path[step].taken ||
	       (!loop->stepped && step == loop->path_count - 1);
}

static void walk_path(struct tally *tally)
{
	const struct loop *loop = tally->loop;
	int before = loop->path_count > 0 ? loop->path[loop->path_count - 1].insn : 0;

	for (int i = 1; i < loop->insn_count; i++) {
		const struct insn *first = &loop->insn[i - 1], *second = &loop->insn[i];

		tally->insn[i].fuses = second->flow == FLOW_BRANCH && first->known &&
				       second->known && tally->facts[i - 1].known &&
				       tally->facts[i].known &&
				       first->address + first->length == second->address &&
				       uarch_fuses(tally->uarch, first, second);
		tally->insn[i].joins = !tally->insn[i].fuses && first->known && second->known &&
				       first->address + first->length == second->address &&
				       !tally->insn[i - 1].joins &&
				       uarch_fuses_behind(tally->uarch, first, second);
		tally->facts[i - 1].joined = tally->insn[i].joins && first->memory_count > 0;
	}
	for (int s = 0; s < loop->path_count; s++) {
		int now = loop->path[s].insn;
		struct insn_tally *insn = &tally->insn[now];

		insn->times++;
		insn->taken += jumps(loop, s);
		if (insn->fuses && before == now - 1) {
			insn->second++;
			tally->insn[before].first++;
		} else if (insn->joins && before == now - 1) {
			insn->joined++;
		}
		before = now;
	}
}

/* ---- Additions of constants that are done at rename */

static bool mentions(const uint8_t *registers, int count, int reg)
{
	for (int i = 0; i < count; i++)
		if (registers[i] == reg)
			return true;
	return false;
}

/* Rename adds the constant: the result is a register plus a constant until an instruction needs the
 * sum. */
static bool adds_at_rename(const struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];

	return tally->facts[number].eliminated && !insn->move && !insn->zeroing &&
	       insn->write_count > 0 &&
	       (insn->immediate || insn->address_only || insn->read_count == 1) &&
	       insn->writes[0] < REG_VECTOR;
}

/* Whether an instruction uses the result of a step otherwise than in an address or in a further
 * addition of a constant. */
static bool is_needed(const struct tally *tally, int step)
{
	const struct loop *loop = tally->loop;
	int reg = loop->insn[loop->path[step].insn].writes[0];

	for (int i = 1; i <= loop->path_count; i++) {
		int number = loop->path[(step + i) % loop->path_count].insn;
		const struct insn *insn = &loop->insn[number];

		if (mentions(insn->reads, insn->read_count, reg) && !adds_at_rename(tally, number))
			return true;
		if (mentions(insn->writes, insn->write_count, reg))
			return false;
	}
	return false;
}

/* Additions of constants that are executed after all: fused with a branch, or needed as a sum. */
static void materialise(struct tally *tally)
{
	const struct loop *loop = tally->loop;

	for (int i = 0; i < loop->insn_count; i++) {
		const struct uarch_class *alu =
			uarch_find(tally->uarch, "alu", loop->insn[i].width);

		if (tally->insn[i].first > 0 && adds_at_rename(tally, i) && alu) {
			tally->facts[i].eliminated = false;
			tally->facts[i].op = alu;
		}
	}
	if (!(uarch_fact(tally->uarch, EXTRA_MATERIALISES) > 0))
		return;
	for (int s = 0; s < loop->path_count; s++)
		if (adds_at_rename(tally, loop->path[s].insn) && is_needed(tally, s))
			tally->insn[loop->path[s].insn].materialised++;
}

/* A vector access of more than 32 bytes; one that is a vector's; any other. */
static int access_kind(const struct insn *insn, const struct insn_memory *memory)
{
	unsigned each = memory->accesses > 1 ? memory->size / memory->accesses : memory->size;

	return !insn->vector ? ACCESS_GENERAL : each > 32 ? ACCESS_512 : ACCESS_VECTOR;
}

/* Haswell to Skylake have one store AGU that takes only base + 0…2047. Whether addresses relative
 * to the instruction and of a push are as simple is not published: they count as simple. */
static bool is_simple(const struct insn *insn, const struct insn_memory *memory)
{
	return memory->index == REG_NONE && !memory->vector_index &&
	       (memory->relative || insn->writeback ||
		       (memory->base != REG_NONE && memory->disp >= 0 && memory->disp <= 2047));
}

static void add_access(double accesses[ACCESS_KINDS], int kind, double count)
{
	accesses[kind == ACCESS_512 ? ACCESS_VECTOR : kind] += count;
	if (kind == ACCESS_512)
		accesses[ACCESS_512] += count;
}

static void count_memory(struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	double times = tally->insn[number].times;

	if (insn->address_only)
		return;
	for (int k = 0; k < insn->memory_count && k < INSN_MEMORY; k++) {
		const struct insn_memory *memory = &insn->memory[k];
		double count = times * (memory->accesses > 1 ? memory->accesses : 1);

		if (memory->load) {
			add_access(tally->loads, access_kind(insn, memory), count);
			use_class(tally, facts->load, count);
		}
		if (memory->store) {
			add_access(tally->stores, access_kind(insn, memory), count);
			use_class(tally, facts->store, count);
			if (!is_simple(insn, memory))
				tally->complex_stores += count;
		}
	}
}

/* A fused pair is one operation: the branch's. */
static void count_insn(struct tally *tally, int number)
{
	const struct insn *insn = &tally->loop->insn[number];
	const struct uarch_insn *facts = &tally->facts[number];
	const struct insn_tally *times = &tally->insn[number];
	double own = times->times - times->first, taken = facts->taken ? times->taken : 0;

	if (!facts->known || times->times <= 0)
		return;
	tally->slots += (facts->slots - facts->unlaminated) *
			(times->times - times->second - times->joined);
	tally->unlaminated += facts->unlaminated * times->times;
	tally->bytes += insn->length * times->times;
	if (insn->flow != FLOW_NONE && insn->flow != FLOW_OTHER) {
		tally->branches += times->times;
		tally->taken += times->taken;
	}
	use_class(tally, facts->op, own - taken);
	use_class(tally, uarch_find(tally->uarch, "alu", insn->width), times->materialised);
	use_class(tally, facts->taken, taken);
	use_class(tally, facts->base, times->times);
	count_memory(tally, number);
	if (facts->op && !facts->eliminated && !insn->vector && facts->op->executes &&
		facts->op->term_count == 1 &&
		(facts->op->latency == 1 || insn->flow == FLOW_BRANCH))
		tally->simple += own * (double)facts->op->term[0].count;
}

static void describe_unknown(struct tally *tally)
{
	struct limits *limits = tally->limits;
	char *names = limits->unknown_names;

	for (int i = 0; i < tally->loop->insn_count; i++) {
		const struct insn *insn = &tally->loop->insn[i];
		const char *name = insn->known ? insn->mnemonic : "undecoded";
		size_t length = strlen(names);

		if (tally->facts[i].known || tally->insn[i].times <= 0)
			continue;
		limits->unknown++;
		if (!strstr(names, name) &&
			length + strlen(name) + 3 < sizeof(limits->unknown_names))
			snprintf(names + length, sizeof(limits->unknown_names) - length, "%s%.19s",
				length ? ", " : "", name);
	}
}

void tally_begin(struct tally *tally, const struct loop *loop, const struct uarch *uarch,
	const struct limits_place *place, struct limits *limits)
{
	size_t room = (size_t)loop->insn_count + 1;

	*tally = (struct tally){ .loop = loop,
		.uarch = uarch,
		.place = place,
		.limits = limits,
		.facts = memory_new(room, sizeof(*tally->facts)),
		.insn = memory_new(room, sizeof(*tally->insn)),
		.turns = loop->turns > 0 ? loop->turns : 1,
		.elements = loop->elements > 0 ? loop->elements : 1 };
	for (int i = 0; i < loop->insn_count; i++)
		uarch_insn(uarch, &loop->insn[i], &tally->facts[i]);
	walk_path(tally);
	materialise(tally);
	for (int i = 0; i < loop->insn_count; i++)
		count_insn(tally, i);
	describe_unknown(tally);
}

void tally_end(struct tally *tally)
{
	free(tally->facts);
	free(tally->insn);
	free(tally->use);
}

/* ---- Noting limits */

/* The entry of that kind, added if there is none. */
static struct limit *entry(struct tally *tally, enum limit_kind kind)
{
	struct limits *limits = tally->limits;

	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].kind == kind)
			return &limits->limit[i];
	limits->limit[limits->limit_count] =
		(struct limit){ .kind = kind, .hard = limit_is_hard(kind) };
	return &limits->limit[limits->limit_count++];
}

void limits_add(struct tally *tally, enum limit_kind kind, double cycles, const char *format, ...)
{
	struct limit *limit;
	va_list list;

	if (!isfinite(cycles) || cycles <= 0)
		return;
	limit = entry(tally, kind);
	if (limit->known && limit->cycles >= cycles)
		return;
	limit->known = true;
	limit->cycles = cycles;
	limit->cpe = cycles / tally->elements;
	va_start(list, format);
	vsnprintf(limit->cause, sizeof(limit->cause), format, list);
	va_end(list);
	text_cut_clean(limit->cause, sizeof(limit->cause));
}

void limits_add_unknown(struct tally *tally, enum limit_kind kind, const char *format, ...)
{
	struct limit *limit = entry(tally, kind);
	va_list list;

	if (limit->known)
		return;
	va_start(list, format);
	vsnprintf(limit->cause, sizeof(limit->cause), format, list);
	va_end(list);
	text_cut_clean(limit->cause, sizeof(limit->cause));
}
