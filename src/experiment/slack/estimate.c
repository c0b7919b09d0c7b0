/* Computes the pressure on a resource from measurements with added instructions, and how certain
 * the pressure is. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/slack/slack.h"
#include "model/limits/ports.h"

/* If the computed pressure exceeds the cycles of an iteration by this share and this many cycles,
 * added instructions and loop disturb each other in an unknown way. */
#define BEYOND 0.25

/* If the quartiles of the pressure are farther apart than WIDE cycles and this share of the
 * pressure, the pressure is not exact. */
#define WIDE	   0.6
#define WIDE_SHARE 0.15

/* If an added instruction takes the time that the core model states, within the share AGREES, it
 * uses the resource that the model states. The time of a division depends on its operands, so added
 * instructions of more than a cycle may differ by the share AGREES_LONG. If added instructions
 * change the time of an iteration by less than the share FLAT, the loop has not become slower. */
#define AGREES	    0.05
#define AGREES_LONG 0.15
#define FLAT	    0.02

/* The time of an added instruction is measured between two points for which the added instructions
 * differ by at least APART cycles. */
#define APART 4.0

/* If the loop has operations that only a part of a resource executes, the core may distribute the
 * added instructions unevenly around them, and then the resource looks busier than it is. The
 * measured pressure of such a resource is exact only if operations that must use its parts explain
 * the pressure, except for CERTAIN cycles or the share CERTAIN_SHARE. */
#define CERTAIN	      0.25
#define CERTAIN_SHARE 0.1

/* The decoder counts a loop's own loads, stores, jumps and slots. So their pressure is exact only
 * if it exceeds the counted one by at most CERTAIN_COUNT cycles, or the share CERTAIN_SHARE. */
#define CERTAIN_COUNT 0.15

/* Work of one set of ports lowers the bound of a crossing set only if the crossing set looks busy
 * for less than this share of the work. */
#define MUCH_LESS 0.8

/* If an iteration takes FAR times the cycles that the core model predicts, an unknown effect limits
 * the loop. It may delay the added instructions, too. */
#define FAR 1.5

/* ---- From points to values */

/* Returns the cycles for which one filler (added instruction) keeps the resource busy. A division
 * may take longer than the core model states, because its time depends on its operands. Other
 * instructions take exactly the stated time, if the measurement agrees with it. */
static double each_of(const struct slack_resource *resource)
{
	if (resource->kind == SLACK_AMBIGUOUS)
		return resource->took;
	return resource->each > 1 ? fmax(resource->took, resource->each) : resource->each;
}

void slack_set(struct slack_resource *resource, const struct slack_report *report)
{
	double each = each_of(resource);

	resource->slack = fmax(report->cycles - resource->pressure, 0) / each;
	resource->slack_lo = fmax(report->cycles_lo - resource->pressure_hi, 0) / each;
	resource->slack_hi = fmax(report->cycles_hi - resource->pressure_lo, 0) / each;
	if (resource->kind == SLACK_AT_LEAST)
		resource->slack_hi = NAN;
}

/* Returns the point with the lowest pressure. However many added instructions there are, an
 * iteration takes at least the pressure plus the time of the added instructions. So each
 * measurement gives an upper bound on the pressure, and the lowest bound is used. Of measurements
 * that give the same pressure within the error, the measurement with the fewest added instructions
 * is the most precise. */
static const struct slack_point *lowest_point(
	const struct slack_point *point, int count, double each)
{
	double least = INFINITY;
	int i = 0;

	for (int k = 0; k < count; k++)
		least = fmin(least, point[k].cycles - point[k].fillers * each);
	while (point[i].cycles - point[i].fillers * each > least + SLACK_NONE)
		i++;
	return &point[i];
}

/* Returns the measured cycles of one added instruction, from two measurements whose added
 * instructions differ by at least APART cycles. Of several such pairs of measurements, the pair is
 * used that agrees best with the core model: with some numbers of added instructions, loop and
 * added instructions delay each other. */
static double took_of(const struct slack_point *point, int count, double each)
{
	double best = NAN;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < i; k++) {
			double fillers = point[i].fillers - point[k].fillers,
			       took = (point[i].cycles - point[k].cycles) / fillers;

			if (fillers * each >= APART && !(fabs(took - each) >= fabs(best - each)))
				best = took;
		}
	return best;
}

void slack_estimate(struct slack_resource *resource, const struct slack_report *report,
	const struct slack_point *point, int count)
{
	const struct slack_point *last = &point[count - 1], *lowest;
	double each, pressure, low, high;

	resource->took = took_of(point, count, resource->each);
	/* Every added instruction takes at least a rename slot, so a large number of them must make
	 * the loop slower. */
	if (last->cycles <= report->cycles * (1 + FLAT)) {
		resource->kind = SLACK_FAILED;
		snprintf(resource->why, sizeof(resource->why),
			"the added instructions did not run: the kernel runs other code");
		return;
	}
	resource->kind = fabs(resource->took / resource->each - 1) <=
					 (resource->each > 1 ? AGREES_LONG : AGREES)
				 ? SLACK_EXACT
				 : SLACK_AMBIGUOUS;
	each = each_of(resource);
	lowest = resource->kind == SLACK_EXACT ? lowest_point(point, count, each) : last;
	pressure = lowest->cycles - lowest->fillers * each;
	low = lowest->lo - lowest->fillers * each;
	high = lowest->hi - lowest->fillers * each;
	if (pressure > report->cycles * (1 + BEYOND) + BEYOND ||
		pressure < resource->count * resource->each - CERTAIN ||
		high - low > fmax(WIDE, WIDE_SHARE * pressure) || resource->contended)
		resource->kind = SLACK_AMBIGUOUS;
	resource->pressure = fmax(pressure, 0);
	resource->pressure_lo = fmin(fmax(low, 0), resource->pressure);
	resource->pressure_hi = fmax(high, resource->pressure);
	/* If the core cannot rename added instructions fast enough to fill the resource, the rename
	 * width limits the loop, too. If rename also limits the loop, the computed pressure is the
	 * largest possible one. */
	if (resource->ports && resource->kind != SLACK_AMBIGUOUS && report->width > 0 &&
		resource->each * report->width < SLACK_BEYOND) {
		resource->kind = SLACK_AT_LEAST;
		resource->pressure_lo = 0;
	}
	/* A division keeps its divider busy for several cycles, and takes a port for one cycle.
	 * There, it may delay a chain of the loop, which looks like pressure on the divider. */
	if (resource->each > 1 && resource->kind == SLACK_EXACT &&
		slack_differs(resource, resource->model))
		resource->kind = SLACK_AMBIGUOUS;
	slack_set(resource, report);
}

/* ---- Resources that are parts of others */

/* Returns the number of operations that a resource can begin per cycle: its ports, for example. */
static double size_of(const struct slack_resource *resource)
{
	return resource->ports ? ports_count(resource->ports) : 1 / resource->option[0].each;
}

/* Whether all operations that only the resource `part` executes also need the resource `whole`. */
static bool is_part(const struct slack_resource *part, const struct slack_resource *whole)
{
	if (part == whole)
		return false;
	if (part->ports || whole->ports)
		return part->ports && !(part->ports & ~whole->ports);
	return part->name[0] == 'v' && strcmp(part->name + 2, whole->name) == 0;
}

static bool are_apart(const struct slack_resource *one, const struct slack_resource *other)
{
	return one->ports && other->ports && !(one->ports & other->ports);
}

/* Whether the operations of a unit (a divider, for example) also need one of the ports of a
 * resource. A unit such as a divider belongs to one port, so all operations of the unit need this
 * port. */
static bool is_unit_of(const struct slack_report *report, const struct slack_resource *unit,
	const struct slack_resource *whole)
{
	return unit != whole && unit->ports && !(unit->ports & whole->ports) && whole->ports &&
	       fmax(unit->pressure, unit->model) >= SLACK_NONE &&
	       fillers_each(report, &unit->option[unit->used], whole->ports) > 0;
}

/* Returns the cycles for which the operations of the parts of a resource certainly keep the
 * resource busy. Sets *any if a part of the resource, or a unit (a divider, for example) of one of
 * its ports, has pressure. */
static double least_pressure(
	const struct slack_report *report, const struct slack_resource *whole, bool *any)
{
	double least = 0;

	*any = false;
	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *part = &report->resource[i];
		double own = part->pressure * size_of(part);

		*any |= is_unit_of(report, part, whole);
		if (!is_part(part, whole) || !(own >= SLACK_NONE * size_of(whole)))
			continue;
		*any = true;
		if (part->kind != SLACK_EXACT)
			continue;
		least = fmax(least, own);
		for (int k = 0; k < i; k++) {
			const struct slack_resource *second = &report->resource[k];

			if (second->kind == SLACK_EXACT && is_part(second, whole) &&
				are_apart(part, second))
				least = fmax(least, own + second->pressure * size_of(second));
		}
	}
	return least / size_of(whole);
}

/* Whether a resource looks busier than a larger resource that contains it. A resource cannot be
 * busier than a larger resource that contains it, so the added instructions delayed the loop in
 * another way. */
static bool exceeds_whole(const struct slack_report *report, const struct slack_resource *part)
{
	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *whole = &report->resource[i];

		if (is_part(part, whole) && part->pressure * size_of(part) >
						    (whole->pressure + CERTAIN) * size_of(whole))
			return true;
	}
	return false;
}

/* Whether the loop has operations that may use a resource but need not: operations of a larger
 * resource that contains it. */
static bool is_shared(const struct slack_report *report, const struct slack_resource *part)
{
	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *whole = &report->resource[i];

		if (is_part(part, whole) &&
			whole->pressure * size_of(whole) >
				part->pressure * size_of(part) + SLACK_NONE * size_of(whole))
			return true;
	}
	return false;
}

static bool is_larger(const struct slack_resource *one, const struct slack_resource *other)
{
	return size_of(one) > size_of(other);
}

/* Whether two sets of ports have ports in common, but neither contains the other. */
static bool crosses(const struct slack_resource *one, const struct slack_resource *other)
{
	uint32_t common = one->ports & other->ports;

	return common && common != one->ports && common != other->ports;
}

/* Operations that may use a port of the resource or another port can delay added instructions:
 * operations on fp2 and fp3 may occupy fp2, for example, and so delay added instructions on fp1 and
 * fp2. Returns the most cycles for which such operations can occupy the resource, if the core
 * spreads them evenly over their ports. */
static double crossing_pressure(
	const struct slack_report *report, const struct slack_resource *resource)
{
	double cycles = 0;

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *other = &report->resource[i];

		if (crosses(resource, other) && other->pressure >= SLACK_NONE)
			cycles += other->pressure * ports_count(resource->ports & other->ports);
	}
	return resource->ports ? cycles / ports_count(resource->ports) : 0;
}

/* Returns the work, in cycles times ports, of micro-ops that only the common ports of two sets of
 * ports execute. */
static double common_work(const struct slack_report *report, uint32_t common)
{
	double work = 0;

	for (int i = 0; i < report->count; i++)
		if (report->resource[i].ports && !(report->resource[i].ports & ~common))
			work += report->resource[i].pressure * size_of(&report->resource[i]);
	return work;
}

/* Lowers the upper bound of a resource by the measured pressures on two other resources. All
 * operations of the resource and of `other` are operations of `whole`, so together they cannot
 * exceed the work of `whole`. */
static void lower_by(const struct slack_report *report, struct slack_resource *resource,
	const struct slack_resource *other, const struct slack_resource *whole)
{
	double certain = fmax(other->pressure - crossing_pressure(report, other), 0);
	double most = (whole->pressure * size_of(whole) - certain * size_of(other) +
			      common_work(report, resource->ports & other->ports)) /
		      size_of(resource);

	/* If both sets look equally busy, the work may belong to their common ports. */
	if (other->kind != SLACK_EXACT || whole->kind != SLACK_EXACT ||
		!(most < resource->pressure) ||
		resource->pressure * size_of(resource) >
			MUCH_LESS * other->pressure * size_of(other))
		return;
	resource->pressure = fmax(most, 0);
	resource->pressure_lo = fmin(resource->pressure_lo, resource->pressure);
}

/* Lowers the upper bounds of all sets of ports. Micro-ops that certainly need one set of ports are
 * not micro-ops of another set that crosses it. Each round uses the bounds that earlier rounds have
 * lowered, so a few rounds approach the solution of this linear program. */
static void lower_crossing(struct slack_report *report)
{
	enum { ROUNDS = 8 };

	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < report->count; i++)
			for (int k = 0; k < report->count; k++)
				for (int w = 0; w < report->count; w++) {
					struct slack_resource *resource = &report->resource[i];
					const struct slack_resource *other = &report->resource[k],
								    *whole = &report->resource[w];

					if (resource->kind == SLACK_EXACT &&
						crosses(resource, other) &&
						is_part(resource, whole) && is_part(other, whole))
						lower_by(report, resource, other, whole);
				}
}

/* Whether the measured pressure on a resource may be too high for a reason other than operations
 * that only a part of the resource executes. The core chooses the unit of a load or store early, so
 * other loads may occupy the units that vector loads need. Added loads, stores and jumps also keep
 * those of the loop from sharing a cycle, and the front end may deliver less than the rename width.
 */
static bool looks_busier(const struct slack_report *report, const struct slack_resource *resource)
{
	return exceeds_whole(report, resource) || crossing_pressure(report, resource) > 0 ||
	       (!resource->ports &&
		       (is_shared(report, resource) || resource->pressure >= SLACK_NONE));
}

/* Returns the cycles for which the loop certainly keeps a resource busy. Sets *any as
 * least_pressure() does. If both parts of the resource and crossing sets are busy, only the parts
 * count: on Zen 3, added operations on all four ports wait behind multiplications, which have one
 * of these ports, and look like 3.3 cycles of work in mul-by, or 1.5 in mul-chain, where the loops
 * have 1.5 and 0.5. */
static double certain_pressure(
	const struct slack_report *report, const struct slack_resource *resource, bool *any)
{
	double parts = least_pressure(report, resource, any),
	       crossing = crossing_pressure(report, resource);

	if (!resource->ports)
		return fmax(parts, resource->count * resource->each);
	return crossing > 0 && !*any ? fmax(parts, resource->pressure - crossing) : parts;
}

/* Returns the most cycles for which the operations of the loop that may use a resource can keep it
 * busy. Loads and stores may share the units of addresses. */
static double most_pressure(
	const struct slack_report *report, const struct slack_resource *resource)
{
	double cycles = 0;

	for (int i = 0; i < report->count && !resource->ports; i++)
		cycles += report->resource[i].count * resource->each;
	if (!resource->ports)
		return cycles;
	for (int i = 0; i < report->class_count; i++)
		for (int t = 0; t < report->class[i].terms; t++)
			if (report->class[i].term[t].ports & resource->ports)
				cycles += report->class[i].count *
					  (double)report->class[i].term[t].count *
					  (double)report->class[i].term[t].cycles;
	return cycles / size_of(resource);
}

/* Whether the added instructions show pressure that the loop cannot cause: an unknown effect makes
 * the loop slow, and a resource looks busier than all operations of the loop can keep it. */
static bool exceeds_loop(const struct slack_report *report, const struct slack_resource *resource)
{
	return report->predicted > 0 && report->cycles > FAR * report->predicted &&
	       resource->pressure > most_pressure(report, resource) +
					    fmax(CERTAIN, CERTAIN_SHARE * report->cycles);
}

void slack_bound(struct slack_report *report)
{
	struct slack_resource *order[SLACK_RESOURCES];
	int count = 0;

	/* The list starts with the resources that begin the fewest operations per cycle, because
	 * the certainty of a resource's pressure depends on the resource's parts. */
	for (int i = 0; i < report->count; i++) {
		int at = count++;

		for (; at > 0 && is_larger(order[at - 1], &report->resource[i]); at--)
			order[at] = order[at - 1];
		order[at] = &report->resource[i];
	}
	lower_crossing(report);
	for (int i = 0; i < count; i++) {
		struct slack_resource *whole = order[i];
		bool any;
		double least = certain_pressure(report, whole, &any);

		if (whole->kind == SLACK_WAITS || whole->kind == SLACK_FAILED)
			continue;
		if (whole->kind != SLACK_EXACT)
			;
		else if (whole->pressure > report->cycles * (1 + BEYOND) + BEYOND)
			whole->kind = SLACK_AMBIGUOUS;
		else if ((any || looks_busier(report, whole)) &&
			 whole->pressure - least > fmax(whole->ports ? CERTAIN : CERTAIN_COUNT,
							   CERTAIN_SHARE * whole->pressure)) {
			whole->kind = SLACK_AT_LEAST;
			whole->pressure_lo = fmin(whole->pressure_lo, least);
		}
		if (exceeds_loop(report, whole))
			whole->kind = SLACK_AMBIGUOUS;
		/* The loop cannot keep a resource busy for more cycles than an iteration has. */
		whole->pressure = fmin(whole->pressure, report->cycles);
		whole->pressure_lo = fmin(whole->pressure_lo, whole->pressure);
		whole->pressure_hi =
			fmax(fmin(whole->pressure_hi, report->cycles_hi), whole->pressure);
		slack_set(whole, report);
	}
}
