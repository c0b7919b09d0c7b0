/* From the measured effects of changed loops to the cost of each instruction, and what a report of
 * costs says. Pure. */
#include "experiment/cost/cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* If the costs add up to more than the loop's cycles by this share, each is an upper bound. */
#define MORE 0.05

struct cost_value cost_scaled(struct cost_value value, double factor)
{
	return (struct cost_value){ value.value * factor, value.lo * factor, value.hi * factor };
}

/* Whether a exceeds b by more than the measurement error. */
static bool exceeds(struct cost_value a, struct cost_value b)
{
	return a.value - b.value > hypot(a.value - a.lo, b.hi - b.value);
}

/* Returns the smaller of a value and a limit, with the error of the value. */
static struct cost_value at_most(struct cost_value value, double limit)
{
	double less = fmax(value.value - limit, 0);

	return (struct cost_value){ value.value - less, value.lo - less, value.hi - less };
}

/* Whether the removal of an instruction that takes most of the loop's cycles saves what the core
 * model says, but a delay of its result costs much less: its unit can hide a short delay. Measured
 * on Zen 3: in a chain of a square root and an addition, a result that comes a cycle later costs
 * 0.35 cycles, and the removal of the square root saves 20.04, its latency. */
static bool hides_delays(const struct cost_insn *insn, double cpe)
{
	return insn->model > cpe / 2 && insn->cost.value < 0.7 * insn->model &&
	       fabs(insn->saved.value - insn->model) < 0.1 * insn->model;
}

void cost_estimate(struct cost_insn *insn, double cpe)
{
	struct cost_value wait = cost_scaled(insn->later, insn->latency);

	/* Of a result that comes a cycle later, the error counts as often as the latency has
	 * cycles. */
	if (isfinite(insn->wait.value) && !exceeds(insn->wait, wait))
		wait = insn->wait;
	wait = at_most(wait, cpe);
	insn->cost = insn->twice;
	if (isnan(insn->cost.value) || exceeds(wait, insn->cost))
		insn->cost = wait;
	else if (wait.hi > insn->cost.hi)
		insn->cost.hi = wait.hi;
	if (hides_delays(insn, cpe))
		insn->cost = insn->saved;
}

double cost_sum(const struct cost_report *report)
{
	double sum = NAN;

	for (int i = 0; i < report->count; i++)
		if (isfinite(report->insn[i].cost.value))
			sum = (isnan(sum) ? 0 : sum) + report->insn[i].cost.value;
	return sum;
}

/* Returns the measurement error of the sum of all costs: below the sum, or above it. */
static double sum_error(const struct cost_report *report, bool above)
{
	double error = 0;

	for (int i = 0; i < report->count; i++) {
		const struct cost_value *cost = &report->insn[i].cost;

		if (isfinite(cost->value))
			error = hypot(
				error, above ? cost->hi - cost->value : cost->value - cost->lo);
	}
	return error;
}

bool cost_at_most(const struct cost_report *report)
{
	return cost_sum(report) - sum_error(report, false) > (1 + MORE) * report->cpe.value;
}

bool cost_at_least(const struct cost_report *report)
{
	return cost_sum(report) + sum_error(report, true) < (1 - MORE) * report->cpe.value;
}

void cost_discard(struct cost_report *report)
{
	const struct cost_value unknown = { NAN, NAN, NAN };
	static const char why[] = "with the copy, the loop would save more cycles than it takes";

	for (int i = 0; i < report->count; i++) {
		struct cost_insn *insn = &report->insn[i];

		if (!(insn->twice.value < -report->cpe.value))
			continue;
		insn->cost = insn->twice = insn->later = unknown;
		snprintf(insn->why_twice, sizeof(insn->why_twice), "%s", why);
		snprintf(insn->why_later, sizeof(insn->why_later), "%s", why);
	}
}

bool cost_below(const struct cost_report *report)
{
	for (int i = 0; i < report->count; i++)
		if (isfinite(report->insn[i].cost.value) && !report->insn[i].contended &&
			report->insn[i].cost.hi < -MORE * report->cpe.value)
			return true;
	return false;
}

const char *cost_missing(const struct cost_report *report)
{
	for (int i = 0; i < report->count; i++) {
		const struct cost_insn *insn = &report->insn[i];

		if (insn->why_twice[0] && insn->why_later[0] &&
			strcmp(insn->why_twice, COST_JUMPS) != 0)
			return insn->why_twice;
	}
	return NULL;
}

bool cost_differs(const struct cost_report *report, const struct cost_insn *insn)
{
	double most = COST_SHARE * report->cpe.value;

	return isfinite(insn->cost.value) && isfinite(insn->model) &&
	       (insn->cost.lo > insn->model + most || insn->cost.hi < insn->model - most);
}

const struct cost_insn *cost_at(const struct cost_report *report, uint64_t offset)
{
	for (int i = 0; i < report->count; i++)
		if (report->insn[i].offset == offset)
			return &report->insn[i];
	return NULL;
}
