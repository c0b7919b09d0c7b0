/* The costs of instructions by the core model: its prediction for the loop with the same changes
 * that are measured. */
#include "experiment/cost/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "kernels/assemble.h"
#include "kernels/nops.h"
#include "model/code/decode.h"
#include "model/graph/deps.h"

/* A register that stands for the free register of the measured loop: the loop never names it. */
enum { FREE_GENERAL = REG_GENERAL + 31, FREE_VECTOR = REG_VECTOR + 31, FREE_MASK = REG_MASK + 7 };

static int free_for(int reg)
{
	return reg >= REG_MASK ? FREE_MASK : reg >= REG_VECTOR ? FREE_VECTOR : FREE_GENERAL;
}

/* Adds an instruction to a copy of the loop, before instruction `place`, or after it. The added
 * instruction runs as often as the loop's instruction `place`, with the same memory addresses. */
static void insert(
	const struct loop *from, int place, bool after, const struct insn *added, struct loop *to)
{
	int at = place + after;

	loop_clear(to);
	loop_reserve(to, from->insn_count + 1, 2 * from->path_count);
	for (int i = 0, next = 0; i <= from->insn_count; i++) {
		struct insn *insn = &to->insn[i];

		*insn = i == at ? *added : from->insn[next++];
		if (i == at)
			insn->address = at < from->insn_count ? from->insn[at].address : 0;
		else if (i > at)
			insn->address += added->length;
	}
	to->insn_count = from->insn_count + 1;
	for (int i = 0; i < from->path_count; i++) {
		struct loop_step step = from->path[i], more = step;
		bool here = step.insn == place;

		more.insn = (uint16_t)at;
		more.taken = false;
		step.insn = (uint16_t)(step.insn + (step.insn >= at));
		if (here && !after)
			to->path[to->path_count++] = more;
		to->path[to->path_count++] = step;
		if (here && after)
			to->path[to->path_count++] = more;
	}
	to->turns = from->turns;
	to->elements = from->elements;
	to->stepped = from->stepped;
	to->varies = from->varies;
	to->forks = from->forks;
	to->insns_per_element = to->path_count / to->elements;
	to->unknown = from->unknown;
}

/* Returns the copy of an instruction whose result goes to a free register. */
static struct insn copy_of(const struct insn *insn)
{
	struct insn copy = *insn;

	for (int i = 0; i < copy.write_count; i++)
		if (copy.writes[i] < REG_CARRY)
			copy.writes[i] = (uint8_t)free_for(copy.writes[i]);
	return copy;
}

/* Returns an instruction of one cycle that copies a register to itself, and delays the result of
 * `delayed`. */
static struct insn delay_of(int reg, const struct insn *delayed)
{
	struct words vectors = words_of("v%s xmm0, xmm0, xmm0", cost_or(delayed));
	unsigned char bytes[16];
	size_t length = 0;
	struct insn insn = { .known = false };
	struct status status =
		encode_line(reg < REG_VECTOR ? "rorx rax, rax, 0" : vectors.text, bytes, &length);

	if (status_is_ok(&status))
		decode_insn(bytes, length, 0, &insn);
	insn.width = reg < REG_VECTOR ? 64 : delayed->width;
	insn.read_count = insn.write_count = 1;
	insn.reads[0] = insn.writes[0] = (uint8_t)reg;
	return insn;
}

static struct insn nop_of(int bytes)
{
	unsigned char code[NOP_LONGEST];
	size_t length = bytes < NOP_SHORTEST  ? NOP_SHORTEST
			: bytes < NOP_LONGEST ? (size_t)bytes
					      : NOP_LONGEST;
	struct insn insn = { .known = false };

	write_nop(code, length);
	decode_insn(code, length, 0, &insn);
	return insn;
}

/* ---- The cost of a rename slot */

bool cost_nops_join(const struct uarch *uarch)
{
	const struct insn first = nop_of(NOP_SHORTEST), second = nop_of(COST_NOP);

	return uarch_fuses_behind(uarch, &first, &second);
}

/* A front end may move in steps of several cycles, and of two times the rename width. */
#define RISE_CYCLES 6

/* The width limits a loop if as many nops as the core renames in one cycle take at least this part
 * of a cycle. If no other hard limit is within the part RIVAL of the loop's cycles, it is enough
 * that many nops take STEPPED of their cycles. */
#define FULL	0.9
#define STEPPED 0.87
#define RIVAL	0.9

int cost_padding(enum cost_padding padding, double width, double slots)
{
	double begin = (ceil(slots / width - 1e-6) + 1) * width - slots;

	return (int)nearbyint(padding == COST_FEW     ? width
			      : padding == COST_BEGIN ? begin
						      : begin + RISE_CYCLES * width);
}

static struct cost_value divided(struct cost_value value, double by)
{
	return (struct cost_value){ value.value / by, value.lo / by, value.hi / by };
}

struct cost_value cost_slot(const struct cost_front *front, struct cost_value few,
	struct cost_value many, struct cost_value rise, double cpe)
{
	int end = cost_padding(COST_END, front->width, front->slots),
	    begin = cost_padding(COST_BEGIN, front->width, front->slots);
	bool full = few.value * front->iteration >= FULL,
	     stepped = front->rest < RIVAL * cpe &&
		       many.value * front->iteration >= STEPPED * end / front->width;

	if (isnan(rise.value) || !(full || stepped))
		return (struct cost_value){ 0, 0, 0 };
	return divided(rise, end - begin);
}

double cost_rest(const struct limits *limits)
{
	double rest = 0;

	for (int i = 0; i < limits->limit_count; i++)
		if (limits->limit[i].known && limits->limit[i].hard &&
			limits->limit[i].kind != LIMIT_WIDTH)
			rest = fmax(rest, limits->limit[i].cpe);
	return rest;
}

/* ---- Predictions for changed loops */

struct prediction {
	const struct explanation *explanation;
	struct loop whole;  /* the loop without a change; its arrays belong to the explanation, not
			       to this struct */
	struct loop loop;   /* the loop with a change */
	struct loop padded; /* the loop with nops */
	struct limits limits;
};

/* The prediction of a loop takes a time that grows with its path, and all iterations of a measured
 * loop are alike, so at most about STEPS executed instructions are used. */
enum { STEPS = 256 };

static struct loop shortened(const struct loop *loop)
{
	struct loop view = *loop;
	int turns = loop->turns > 0 ? loop->turns : 1, steps = loop->path_count / turns,
	    kept = steps < STEPS ? STEPS / (steps > 0 ? steps : 1) : 1;

	if (loop->path_count % turns != 0 || kept >= turns)
		return view;
	view.path_count = kept * steps;
	view.turns = kept;
	view.elements = loop->elements * kept / turns;
	return view;
}

static double predict(struct prediction *prediction, int place, bool after, struct insn added)
{
	const struct explanation *explanation = prediction->explanation;

	insert(&prediction->whole, place, after, &added, &prediction->loop);
	limits_compute(&prediction->loop, explanation->limits.uarch, &explanation->place,
		&prediction->limits);
	return prediction->limits.predicted;
}

/* Returns the core model's prediction for the loop with nops, spread evenly over the instructions
 * that the report describes. */
static double predict_nops(
	struct prediction *prediction, int first, const struct cost_report *report, int count)
{
	struct loop *from = &prediction->padded, *to = &prediction->loop;
	const struct insn nop = nop_of(COST_NOP);
	const struct explanation *explanation = prediction->explanation;

	for (int i = 0; i < count; i++) {
		/* Earlier nops come first in the order of the loop. */
		int place = first + i + i * report->count / count;
		struct loop *swap = from;

		insert(i == 0 ? &prediction->whole : from, place, false, &nop, to);
		from = to;
		to = swap;
	}
	limits_compute(from, explanation->limits.uarch, &explanation->place, &prediction->limits);
	return prediction->limits.predicted;
}

static struct cost_value exactly(double value)
{
	return (struct cost_value){ value, value, value };
}

/* Returns the cost of a rename slot by the core model. `base`: the prediction without a change. */
static double predict_slot(struct prediction *prediction, int first,
	const struct cost_report *report, const struct cost_front *front, double base)
{
	double cpe[COST_PADDINGS];

	if (front->width == 0)
		return 0;
	for (int i = 0; i < COST_PADDINGS; i++)
		cpe[i] = predict_nops(
			prediction, first, report, cost_padding(i, front->width, front->slots));
	return cost_slot(front, exactly(cpe[COST_FEW] - base), exactly(cpe[COST_END] - base),
		exactly(cpe[COST_END] - cpe[COST_BEGIN]), prediction->explanation->limits.predicted)
		.value;
}

/* Returns the cycles after which the core forwards the result of an instruction's operation to
 * every instruction that reads it; INFINITY: none reads it. A result may come earlier to some
 * operations than to others. */
static double forwarded_after(const struct loop *loop, const struct limits *limits, int index)
{
	struct uarch_insn *facts = memory_new((size_t)loop->insn_count, sizeof(*facts));
	struct deps_graph graph;
	double cycles = -INFINITY;

	for (int i = 0; i < loop->insn_count; i++)
		uarch_insn(limits->uarch, &loop->insn[i], &facts[i]);
	deps_graph(loop, limits->uarch, facts, &graph);
	for (int i = 0; i < graph.edge_count; i++) {
		const struct deps_node *from = &graph.node[graph.edge[i].from];

		if (from->part == PART_OPERATION && loop->path[from->step].insn == index)
			cycles = fmax(cycles, graph.edge[i].weight);
	}
	deps_graph_free(&graph);
	free(facts);
	return cycles > 0 ? cycles : INFINITY;
}

/* Returns the cycles that a load of the slowest chain takes longer, on average, because its data
 * are not in the first-level cache. */
static double beyond_first(const struct limits *limits)
{
	for (int i = 0; i < limits->limit_count && limits->chain.loads > 0; i++)
		if (limits->limit[i].kind == LIMIT_MEMORY_LATENCY && limits->limit[i].known)
			return fmax(limits->limit[i].cycles - limits->chain.cycles, 0) /
			       limits->chain.loads;
	return 0;
}

/* Returns the cycles from the input of an instruction to its result: the input on the slowest chain
 * of the loop, or else its registers, or else its address. */
static double latency_of(const struct loop *loop, const struct limits *limits, int index)
{
	const struct limit_insn *facts = &limits->insn[index];
	const struct insn *insn = &loop->insn[index];

	for (int i = 0; i < limits->chain.link_count; i++)
		if (loop->path[limits->chain.link[i].step].insn == index)
			return (double)limits->chain.link[i].cycles +
			       (limits->chain.link[i].load ? beyond_first(limits) : 0);
	if (!facts->known || !uarch_known(facts->latency))
		return NAN;
	return fmin(facts->latency - (insn->read_count > 0 ? facts->loading : 0),
		forwarded_after(loop, limits, index));
}

/* Returns the cycles by which the instruction that delay_of() adds delays the result of instruction
 * `index`. A vector operation takes 2 cycles on some cores. The core may also forward a result
 * early to some operations, but not to the added instruction. `prediction` is that of the loop with
 * the added instruction. */
static double delay_by(const struct prediction *prediction, int index, double latency)
{
	const struct limit_insn *added = &prediction->limits.insn[index + 1];
	double own = added->known && added->latency > 0 ? added->latency : 1,
	       late = latency_of(&prediction->loop, &prediction->limits, index) - latency;

	return own + (late > 0 ? late : 0);
}

/* Returns what the instruction `index` costs as a part of the slowest chain, cycles per element:
 * its share of the chain's cycles. 0: the chain does not limit the loop, or does without the
 * instruction. */
static double cost_in_chain(const struct loop *loop, const struct limits *limits, int index)
{
	const struct limit *by =
		limits->predicted_by >= 0 ? &limits->limit[limits->predicted_by] : NULL;
	double own = 0, all = 0;

	if (!by || by->kind != LIMIT_LATENCY)
		return 0;
	for (int i = 0; i < limits->chain.link_count; i++) {
		const double cycles = (double)limits->chain.link[i].cycles;

		all += cycles;
		own += loop->path[limits->chain.link[i].step].insn == index ? cycles : 0;
	}
	return all > 0 ? by->cpe * own / all : 0;
}

bool cost_predict(const struct explanation *explanation, int first, const struct cost_front *front,
	const struct measurer *measurer, struct cost_report *report)
{
	struct prediction prediction = { .explanation = explanation,
		.whole = shortened(&explanation->loop) };
	double base, slot;

	limits_compute(&prediction.whole, explanation->limits.uarch, &explanation->place,
		&prediction.limits);
	base = prediction.limits.predicted;
	loop_init(&prediction.loop, LOOP_INSNS, LOOP_PATH);
	loop_init(&prediction.padded, LOOP_INSNS, LOOP_PATH);
	slot = predict_slot(&prediction, first, report, front, base);
	for (int i = 0; i < report->count && !measurer_stopped(measurer); i++) {
		struct cost_insn *row = &report->insn[i];
		const struct insn *insn = &explanation->loop.insn[first + i];
		int at = first + i, target = cost_target(insn);
		double model = -INFINITY;

		row->latency = latency_of(&explanation->loop, &explanation->limits, at);
		row->delay = 1;
		row->slots = (int)fmax(nearbyint(explanation->limits.insn[at].slots), 1);
		if (!row->why_twice[0])
			model = predict(&prediction, at, false, copy_of(insn)) -
				predict(&prediction, at, false, nop_of(insn->length)) +
				row->slots * slot;
		if (!row->why_later[0]) {
			const double chained =
				cost_in_chain(&explanation->loop, &explanation->limits, at);
			double held = predict(
				       &prediction, at, true, delay_of(free_for(target), insn)),
			       later = predict(&prediction, at, true, delay_of(target, insn));

			row->delay = delay_by(&prediction, at, row->latency);
			/* What delay_of() adds may take longer by the port that it gets, so the
			 * chain itself counts if it limits the loop. */
			model = fmax(model,
				chained > 0
					? chained
					: fmin((later - held) * row->latency / row->delay, base));
		}
		row->model = isfinite(model) ? model : NAN;
	}
	loop_free(&prediction.loop);
	loop_free(&prediction.padded);
	limits_free(&prediction.limits);
	return !measurer_stopped(measurer);
}
