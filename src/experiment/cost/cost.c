#include "experiment/cost/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "experiment/changed.h"

/* One measurement of a changed loop ends after QUIET quiet trials. */
enum { QUIET = 40 };

/* Each changed loop is measured until it has ENOUGH undisturbed measurements, in rounds over all
 * changed loops, within the time limit, which is SECONDS if the caller gives none. The first round
 * of measurements over all changed loops is always completed. At some places in memory, a loop may
 * take longer: if the median of a loop's measurements exceeds the fastest by the share STEADY, the
 * loop gets MOST measurements. */
enum { ENOUGH = 5, MOST = 12, PLAINS = MOST * COST_INSNS };
#define STEADY	0.01
#define SECONDS 15.0

/* The standard error of the median of n values with quartiles q apart: MEDIAN × q ÷ √n (for a
 * normal distribution, 1.253 × σ ÷ √n and q = 1.349 × σ). The range of a cost is SURE standard
 * errors to each side. */
#define MEDIAN 0.93
#define SURE   2.0

/* The measurements of a loop. Measurements that other processes disturbed count only while there
 * are no undisturbed ones. */
struct points {
	int count;
	bool contended; /* the measurements are disturbed */
	double *cpe;	/* in ascending order */
	double error;	/* sum of the standard errors */
};

struct cost {
	struct cost_report report;
	double limit; /* time limit for repeated measurements, seconds */
	/* plain_cpe: measurements of the unchanged loop, one for each instruction in each round.
	 * changed_cpe: measurements of the loops with one change. */
	double plain_cpe[PLAINS], changed_cpe[COST_INSNS][COST_CHANGES][MOST];
	double nops_cpe[COST_PADDINGS][MOST];
	struct points plain, points[COST_INSNS][COST_CHANGES], nops[COST_PADDINGS];
	struct cost_front front;
	/* The loop, with its limits only after model_costs(); NULL: nothing can be measured.
	 * `first` is the index of the instruction that report.insn[0] describes. */
	struct explanation *explanation;
	int first;
	/* The following members of the struct are valid only while cost_measure() runs. */
	const struct measurer *measurer;
	struct changed changed;
	double begin;
};

/* ---- Preparing */

/* Finds the innermost loop among the instructions that ran, as decode.h does among all
 * instructions: a backward jump and its target. Returns false if there is none. */
static bool find_innermost(const struct loop *loop, int *first, int *last)
{
	int latest = -1, most = 0;

	for (int i = 0; i < loop->insn_count; i++) {
		const struct insn *insn = &loop->insn[i];
		int from = 0;

		while (from <= i && loop->insn[from].address != insn->target)
			from++;
		if ((insn->flow != FLOW_BRANCH && insn->flow != FLOW_JUMP) || from > i ||
			from <= latest)
			continue;
		latest = from;
		if (i - from + 1 > most) {
			most = i - from + 1;
			*first = from;
			*last = i;
		}
	}
	return most > 0;
}

static void describe(const struct explanation *explanation, int first, struct cost_report *report)
{
	const struct loop *loop = &explanation->loop;
	struct text text = { 0 };

	for (int i = 0; i < report->count; i++) {
		const struct insn *insn = &loop->insn[first + i];
		struct cost_insn *row = &report->insn[i];

		*row = (struct cost_insn){ .offset = insn->address - loop->insn[0].address,
			.from_top = insn->address - loop->insn[first].address,
			.cost = { NAN, NAN, NAN },
			.twice = { NAN, NAN, NAN },
			.later = { NAN, NAN, NAN },
			.wait = { NAN, NAN, NAN },
			.saved = { NAN, NAN, NAN },
			.model = NAN,
			.latency = NAN,
			.delay = 1,
			.slots = 1 };
		text_clear(&text);
		loop_insn_text(loop, insn, &text);
		snprintf(row->text, sizeof(row->text), "%s", text_string(&text));
		snprintf(row->mnemonic, sizeof(row->mnemonic), "%s", insn->mnemonic);
		cost_refuse(insn, row);
	}
	text_free(&text);
}

/* Returns the facts of the innermost loop on which the cost of a rename slot depends. */
static struct cost_front front_of(const struct explanation *explanation, int first, int last)
{
	const struct loop *loop = &explanation->loop;
	const struct limits *limits = &explanation->limits;
	struct cost_front front = { .rest = cost_rest(limits),
		.joins = cost_nops_join(limits->uarch),
		.width = uarch_known(limits->uarch->width) ? limits->uarch->width : 0 };
	int iterations = 0;

	for (int i = 0; i < loop->path_count; i++)
		iterations += loop->path[i].insn == last;
	front.iteration = loop->elements / fmax(iterations, 1);
	for (int i = first; i <= last; i++)
		front.slots += limits->insn[i].slots;
	return front;
}

struct cost *cost_new(const struct setting *setting, const struct explanation *explanation,
	uint64_t seed, double seconds)
{
	struct cost *cost = memory_new(1, sizeof(*cost));
	struct cost_report *report = &cost->report;
	int first = 0, last;

	report->setting = *setting;
	report->seed = seed;
	report->cpe = (struct cost_value){ NAN, NAN, NAN };
	report->model = NAN;
	cost->limit = seconds > 0 ? seconds : SECONDS;
	report->status = changed_allowed(setting, explanation);
#if !defined(__x86_64__)
	report->status = status_failed("the cost of instructions can be measured only on x86-64");
#endif
	if (!status_is_ok(&report->status))
		return cost;
	last = explanation->loop.insn_count - 1;
	if (explanation->loop.stepped && !find_innermost(&explanation->loop, &first, &last))
		report->status =
			status_failed("the kernel's code has no loop that ends with a jump back");
	else if (last - first >= COST_INSNS)
		report->status = status_failed("the loop has %d instructions, and the cost of at "
					       "most %d can be measured",
			last - first + 1, COST_INSNS);
	if (!status_is_ok(&report->status))
		return cost;
	report->count = last - first + 1;
	snprintf(report->uarch, sizeof(report->uarch), "%s", explanation->limits.uarch->name);
	snprintf(report->title, sizeof(report->title), "%s", explanation->limits.uarch->title);
	describe(explanation, first, report);
	report->model = explanation->limits.predicted;
	cost->front = front_of(explanation, first, last);
	cost->first = first;
	cost->explanation = explanation_new();
	loop_copy(&cost->explanation->loop, &explanation->loop);
	cost->explanation->place = explanation->place;
	cost->explanation->limits.uarch = explanation->limits.uarch;
	return cost;
}

void cost_free(struct cost *cost)
{
	explanation_free(cost->explanation);
	free(cost);
}

const struct cost_report *cost_report(const struct cost *cost)
{
	return &cost->report;
}

/* ---- From measurements to costs */

/* Returns the cycles per element of a loop, and sets *error to their standard error. Other
 * processes and unlucky places in memory only make a loop slower, so a fast measurement counts: the
 * fastest of ENOUGH, the second of MOST. */
static double cpe_of(const struct points *points, double *error)
{
	const double *cpe = points->cpe;
	int count = points->count;
	double spread = cpe[(count - 1) / 2] - cpe[0];

	*error = fmax(spread, points->error / count) / sqrt(count);
	return cpe[(count - 1) / 8];
}

/* Returns the difference in cycles per element between two variants of the loop. */
static struct cost_value difference(double a, double a_error, double b, double b_error)
{
	double half = SURE * sqrt(a_error * a_error + b_error * b_error);

	return (struct cost_value){ a - b, a - b - half, a - b + half };
}

static struct cost_value compare_loops(const struct points *longer, const struct points *shorter)
{
	double longer_error, shorter_error, longer_cpe, shorter_cpe;

	if (longer->count == 0 || shorter->count == 0)
		return (struct cost_value){ NAN, NAN, NAN };
	longer_cpe = cpe_of(longer, &longer_error);
	shorter_cpe = cpe_of(shorter, &shorter_error);
	return difference(longer_cpe, longer_error, shorter_cpe, shorter_error);
}

/* Returns the cycles per element that the loop takes more if the result of an instruction comes one
 * cycle later. */
static struct cost_value later_by(const struct cost_insn *row, const struct points *points)
{
	return cost_scaled(compare_loops(&points[COST_LATER], &points[COST_HELD]), 1 / row->delay);
}

/* Returns the cycles per element that the loop takes more with a copy of an instruction. */
static struct cost_value twice_of(const struct cost *cost, int i)
{
	const struct cost_insn *row = &cost->report.insn[i];
	const struct points *copied = &cost->points[i][COST_TWICE];
	struct cost_value slots = cost_scaled(cost->report.slot, row->slots),
			  work = compare_loops(copied, &cost->points[i][COST_SLOTS]);

	/* Where nops show no slot, those in place of the copy have none if they join another
	 * instruction: then `work` has the slots of the copy. Otherwise the loop as it is shows
	 * them, next to those of the moves that the copy needs. */
	if (cost->front.joins && !(cost->report.slot.value > 0)) {
		struct cost_value all = compare_loops(copied, &cost->plain);

		return work.value < all.value / 2
			       ? cost_scaled(all, (double)row->slots / (row->slots + row->moves))
			       : work;
	}
	return (struct cost_value){ work.value + slots.value, work.lo + slots.lo,
		work.hi + slots.hi };
}

static void evaluate(struct cost *cost)
{
	struct cost_report *report = &cost->report;
	double error;

	if (cost->plain.count == 0)
		return;
	report->cpe.value = cpe_of(&cost->plain, &error);
	report->cpe.lo = report->cpe.value - SURE * error;
	report->cpe.hi = report->cpe.value + SURE * error;
	report->contended = cost->plain.contended;
	for (int i = 0; i < COST_PADDINGS; i++)
		report->contended |= cost->nops[i].contended;
	if (cost->front.width > 0)
		report->slot =
			cost_slot(&cost->front, compare_loops(&cost->nops[COST_FEW], &cost->plain),
				compare_loops(&cost->nops[COST_END], &cost->plain),
				compare_loops(&cost->nops[COST_END], &cost->nops[COST_BEGIN]),
				report->cpe.value);
	for (int i = 0; i < report->count; i++) {
		struct cost_insn *row = &report->insn[i];
		const struct points *points = cost->points[i];

		row->twice = twice_of(cost, i);
		row->later = later_by(row, points);
		row->wait = cost_scaled(
			compare_loops(&points[COST_LATER_LONG], &points[COST_HELD_LONG]),
			fmax(row->latency / (cost_delays(row) * row->delay), 1));
		row->saved = compare_loops(&cost->plain, &points[COST_WITHOUT]);
		cost_estimate(row, report->cpe.value);
		row->contended = false;
		for (int kind = 0; kind < COST_CHANGES; kind++)
			row->contended |= points[kind].contended;
		report->contended |= row->contended;
	}
}

/* ---- Measuring */

/* Adds a measurement to the other measurements of the same changed loop. An undisturbed measurement
 * replaces disturbed ones, and of disturbed measurements only the fastest is kept. */
static void add_point(struct points *points, const struct changed_point *point)
{
	int place;

	if (points->count > 0 && point->contended &&
		(!points->contended || point->cpe >= points->cpe[0]))
		return;
	if (points->contended)
		points->count = 0;
	if (points->count == 0)
		points->error = 0;
	points->contended = point->contended;
	for (place = points->count++; place > 0 && points->cpe[place - 1] > point->cpe; place--)
		points->cpe[place] = points->cpe[place - 1];
	points->cpe[place] = point->cpe;
	/* The standard error of a measured median. */
	points->error += MEDIAN * (point->hi - point->lo) / sqrt(QUIET);
}

/* Returns the number of undisturbed measurements that a changed loop needs. */
static int wanted(const struct points *points)
{
	const double *cpe = points->cpe;

	return points->count >= ENOUGH && cpe[(points->count - 1) / 2] > cpe[0] * (1 + STEADY)
		       ? MOST
		       : ENOUGH;
}

/* Whether a changed loop has too few undisturbed measurements. */
static bool needs_more(const struct points *points)
{
	return points->contended || points->count < wanted(points);
}

static struct status measure_loop(
	struct cost *cost, const struct code_change *change, struct points *points)
{
	struct changed_point point;
	struct status status;

	status = changed_measure(&cost->changed, change, 1, &point);
	if (!status_is_ok(&status))
		return status;
	add_point(points, &point);
	cost->report.cycles_from = point.from;
	return status;
}

static struct status measure_plain(struct cost *cost)
{
	const struct code_change change = cost_change(COST_PLAIN, NULL);

	snprintf(cost->report.doing, sizeof(cost->report.doing), "the loop as it is");
	return cost->plain.contended || cost->plain.count < PLAINS
		       ? measure_loop(cost, &change, &cost->plain)
		       : status_ok();
}

/* Measures the loop with added nops. */
static void measure_nops(struct cost *cost)
{
	const struct cost_front *front = &cost->front;

	snprintf(cost->report.doing, sizeof(cost->report.doing), "the loop with nops");
	for (int i = 0; i < COST_PADDINGS && front->width > 0; i++) {
		const struct code_change change =
			cost_nops(cost_padding(i, front->width, front->slots));

		if (needs_more(&cost->nops[i]))
			(void)measure_loop(cost, &change, &cost->nops[i]);
	}
}

/* Measures the loop with one change. If the measurement of the changed loop fails, `why` receives
 * the reason. */
static void measure_change(struct cost *cost, int i, enum cost_change kind, char *why, size_t bytes)
{
	const struct code_change change = cost_change(kind, &cost->report.insn[i]);
	struct status status;

	if (why[0] || measurer_stopped(cost->measurer) || !needs_more(&cost->points[i][kind]))
		return;
	snprintf(
		cost->report.doing, sizeof(cost->report.doing), "%.50s", cost->report.insn[i].text);
	status = measure_loop(cost, &change, &cost->points[i][kind]);
	if (status.code == STATUS_FAILED)
		snprintf(why, bytes, "%.99s", status.text);
}

/* Whether a delay by the whole latency must be measured: the delay by one cycle, times the latency,
 * would be the cost of the instruction, or the core model says so and the delay is lost in noise. A
 * small delay may also change which instruction a port
 * executes first, and such an effect does not grow with the delay. */
static bool needs_whole(const struct cost *cost, int i)
{
	const struct cost_insn *row = &cost->report.insn[i];
	const struct points *points = cost->points[i];
	double wait, twice = 0;

	if (points[COST_LATER].count == 0 || points[COST_HELD].count == 0 || row->why_later[0])
		return false;
	wait = row->latency * later_by(row, points).value;
	if (isfinite(row->model))
		wait = fmax(wait, row->model);
	if (points[COST_TWICE].count > 0)
		twice = twice_of(cost, i).value;
	return cost_delays(row) > 1 && wait > twice + COST_SHARE * cost->report.cpe.value;
}

static void measure_insn(struct cost *cost, int i)
{
	struct cost_insn *row = &cost->report.insn[i];

	measure_change(cost, i, COST_SLOTS, row->why_twice, sizeof(row->why_twice));
	measure_change(cost, i, COST_TWICE, row->why_twice, sizeof(row->why_twice));
	measure_change(cost, i, COST_HELD, row->why_later, sizeof(row->why_later));
	measure_change(cost, i, COST_LATER, row->why_later, sizeof(row->why_later));
	if (needs_whole(cost, i)) {
		measure_change(cost, i, COST_HELD_LONG, row->why_later, sizeof(row->why_later));
		measure_change(cost, i, COST_LATER_LONG, row->why_later, sizeof(row->why_later));
	}
	measure_change(cost, i, COST_WITHOUT, row->why_saved, sizeof(row->why_saved));
}

/* Whether a changed loop of an instruction has too few undisturbed measurements. */
static bool is_left(const struct cost *cost, int i)
{
	const struct cost_insn *row = &cost->report.insn[i];

	for (int kind = COST_SLOTS; kind < COST_CHANGES; kind++) {
		const struct points *points = &cost->points[i][kind];
		const char *why = kind <= COST_TWICE	? row->why_twice
				  : kind < COST_WITHOUT ? row->why_later
							: row->why_saved;
		bool whole = kind == COST_HELD_LONG || kind == COST_LATER_LONG;

		if (!why[0] && (!whole || needs_whole(cost, i)) && needs_more(points))
			return true;
	}
	return false;
}

static bool is_over(const struct cost *cost)
{
	return measurer_stopped(cost->measurer) ||
	       (cost->report.complete && measurer_now(cost->measurer) - cost->begin > cost->limit);
}

/* Measures one round. Returns whether a further round of measurements is needed. */
static bool measure_round(struct cost *cost)
{
	struct cost_report *report = &cost->report;
	bool left = false;

	if (!is_over(cost))
		measure_nops(cost);
	for (int i = 0; i < report->count; i++) {
		if (is_over(cost))
			return false;
		if (!is_left(cost, i))
			continue;
		(void)measure_plain(cost);
		measure_insn(cost, i);
		evaluate(cost);
		report->seconds = measurer_now(cost->measurer) - cost->begin;
		left |= is_left(cost, i);
	}
	report->complete = !measurer_stopped(cost->measurer);
	return left;
}

/* ---- The model's costs */

/* Work for measurer_compute(): the views do not read `draft`. */
struct modelling {
	const struct cost *cost;
	bool complete;
	struct cost_report draft;
};

static void find_model(void *self)
{
	struct modelling *modelling = self;
	const struct cost *cost = modelling->cost;
	struct explanation *explanation = cost->explanation;

	limits_compute(&explanation->loop, explanation->limits.uarch, &explanation->place,
		&explanation->limits);
	modelling->complete = cost_predict(
		explanation, cost->first, &cost->front, cost->measurer, &modelling->draft);
}

/* Computes the costs by the core model, and the facts of each instruction on which the changes of
 * the loop depend. Returns false if the measurement must end. */
static bool model_costs(struct cost *cost)
{
	struct cost_report *report = &cost->report;
	struct modelling *modelling = memory_new(1, sizeof(*modelling));
	bool complete;

	snprintf(report->doing, sizeof(report->doing), "the core model's costs");
	modelling->cost = cost;
	modelling->draft = *report;
	complete = measurer_compute(cost->measurer, find_model, modelling) && modelling->complete;
	for (int i = 0; i < report->count && complete; i++) {
		const struct cost_insn *draft = &modelling->draft.insn[i];
		struct cost_insn *row = &report->insn[i];

		row->model = draft->model;
		row->latency = draft->latency;
		row->delay = draft->delay;
		row->slots = draft->slots;
	}
	free(modelling);
	return complete;
}

static void measure_all(struct cost *cost)
{
	const struct code_change copy = cost_change(COST_PLAIN, NULL);
	struct cost_report *report = &cost->report;

	cost->plain.cpe = cost->plain_cpe;
	for (int i = 0; i < report->count; i++)
		for (int kind = 0; kind < COST_CHANGES; kind++)
			cost->points[i][kind].cpe = cost->changed_cpe[i][kind];
	for (int i = 0; i < COST_PADDINGS; i++)
		cost->nops[i].cpe = cost->nops_cpe[i];
	if (!status_is_ok(&report->status) || !model_costs(cost))
		return;
	snprintf(report->doing, sizeof(report->doing), "the loop and its copy");
	report->status = changed_same(&cost->changed, &copy);
	if (status_is_ok(&report->status))
		report->status = measure_plain(cost);
	if (!status_is_ok(&report->status))
		return;
	while (measure_round(cost))
		;
	cost_discard(report);
	if (!cost->plain.contended)
		report->status = changed_steady(cost->plain.cpe, cost->plain.count);
}

void cost_measure(struct cost *cost, const struct measurer *measurer)
{
	cost->measurer = measurer;
	cost->begin = measurer_now(measurer);
	cost->changed = (struct changed){ .measurer = measurer,
		.setting = &cost->report.setting,
		.seed = cost->report.seed,
		.quiet = QUIET };
	measure_all(cost);
	changed_free(&cost->changed);
	cost->report.seconds = measurer_now(measurer) - cost->begin;
	cost->report.doing[0] = '\0';
}

/* ---- The measurement as a campaign */

static void cost_state(const struct cost *cost, struct campaign_state *state)
{
	const struct cost_report *report = &cost->report;
	int done = 0;

	for (int i = 0; i < report->count; i++)
		done += isfinite(report->insn[i].cost.value);
	state->done = report->count ? (double)done / report->count : 1;
	state->doing = report->doing;
	state->any = done > 0 && status_is_ok(&report->status);
	state->why = report->status.text;
}

CAMPAIGN_KIND(cost);
