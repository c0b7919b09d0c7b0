#include "recording/compare/differ_units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A processor model is rare if at most two units (hosts or files) have it, and at most this share
 * of all units. */
static const double rare_share = 0.1;
enum { RARE_MOST = 2 };

/* With fewer runs than this, other programs may have disturbed all runs of a unit. With more runs,
 * a value is unusual only if all runs, or most of them, agree. */
enum { DISTURBED_RUNS = 3 };

/* Other programs disturbed the measurement of a unit if its share of contended samples, or of
 * trials that are not quiet, is this much above the usual share. If the share is much larger, the
 * values of the core's own caches are doubtful too. If most samples are contended, another program
 * uses the core all the time, and the unit differs. */
static const double disturbed_least = 0.02, disturbed_much = 0.1, busy_least = 0.5;

/* Other programs also disturbed the measurement if the latency of a larger working set is smaller
 * by this factor. Two quiet points of a curve differ by up to 11 % (doc/accuracy.md). */
static const double drop_least = 1.15;

/* Of the values that each run measures once, this many unusual ones are more than chance. Of eight
 * quick runs of characterise on one machine, one had four unusual values, and one had three. */
enum { ONCE_MANY = 10 };

static int by_unit(const void *a, const void *b)
{
	const struct differ_odd *x = a, *y = b;
	double x_effect = fabs(log(x->ratio)), y_effect = fabs(log(y->ratio));

	if (x->unit != y->unit)
		return x->unit - y->unit;
	if (x_effect != y_effect)
		return x_effect < y_effect ? 1 : -1;
	return x->quantity - y->quantity;
}

static void find_causes(const struct compared *compared, const struct differ_fleet *fleet,
	struct differ_unit *unit, unsigned doubts)
{
	bool all_shared = true;

	unit->causes = differ_causes(&unit->facts, &fleet->usual[unit->model]);
	for (int i = 0; i < unit->odd_count; i++) {
		const struct differ_odd *odd = &fleet->odd[unit->odd_first + i];

		unsigned causes = differ_cause_of(&compared->quantity[odd->quantity], odd->ratio);

		/* On a contended core, caches and TLBs look smaller than they are. So their sizes
		 * do not show that the processor is different. */
		if (unit->disturbed || unit->causes >> CAUSE_NEIGHBOUR & 1)
			causes &= ~(1u << CAUSE_PROCESSOR);
		if (unit->disturbed)
			causes = 0;
		unit->causes |= causes;
		/* Page walks also read page tables from L3 and memory. */
		all_shared &= compared->quantity[odd->quantity].shared ||
			      strncmp(compared->quantity[odd->quantity].subject, "tlb ", 4) == 0;
	}
	if (unit->disturbed)
		unit->causes = doubts;
	else if (unit->rare)
		unit->causes |= 1u << CAUSE_PROCESSOR;
	else if (!unit->causes && all_shared)
		unit->causes = 1u << CAUSE_BEYOND;
}

/* Returns how much larger a unit's share of contended samples, or of trials that are not quiet, is
 * than the usual share. */
static double disturbance(const struct differ_facts *facts, const struct differ_facts *usual)
{
	return fmax(facts->contended - usual->contended, usual->quiet - facts->quiet);
}

/* Returns the number of a unit's unusual values that each run measures only once. */
static int count_once(const struct compared *compared, const struct differ_fleet *fleet,
	const struct differ_unit *unit)
{
	int count = 0;

	for (int i = 0; i < unit->odd_count; i++)
		count += compared->quantity[fleet->odd[unit->odd_first + i].quantity].kind ==
			 COMPARED_ONCE;
	return count;
}

/* Returns CAUSE_DISTURBED and CAUSE_ONCE, as bits, if other programs and chance explain all unusual
 * values of a unit; otherwise 0. Causes that the records state, such as another microcode, do not
 * come from other programs. */
static unsigned doubts_about(
	const struct compared *compared, const struct differ_fleet *fleet, int number)
{
	const struct differ_unit *unit = &fleet->unit[number];
	const struct differ_facts *usual = &fleet->usual[unit->model];
	unsigned stated = differ_causes(&unit->facts, usual);
	double more = disturbance(&unit->facts, usual);
	bool busy = more > disturbed_least, unsteady = unit->facts.drop > drop_least,
	     once = count_once(compared, fleet, unit) < ONCE_MANY;
	unsigned doubts = 0;

	if (unit->rare || stated & ~(1u << CAUSE_NEIGHBOUR) || unit->facts.runs >= DISTURBED_RUNS ||
		more > busy_least)
		return 0;
	for (int i = 0; i < unit->odd_count; i++) {
		const struct differ_odd *odd = &fleet->odd[unit->odd_first + i];
		const struct compared_quantity *quantity = &compared->quantity[odd->quantity];
		bool of_size = differ_cause_of(quantity, 1) >> CAUSE_PROCESSOR & 1,
		     of_clock = strcmp(quantity->field, "ghz") == 0,
		     rough = quantity->kind >= COMPARED_UNCERTAIN || quantity->shared;

		/* Uncertain values, values of L3 and memory, and the sizes that follow from a
		 * curve change first. L3 and memory have no effect on the clock. */
		if (odd->value.contended || strcmp(quantity->field, "quiet") == 0 ||
			(unsteady && (rough || of_size) && !of_clock) ||
			(busy && (rough || of_size)) || more > disturbed_much)
			doubts |= 1u << CAUSE_DISTURBED;
		else if (quantity->kind == COMPARED_ONCE && once)
			doubts |= 1u << CAUSE_ONCE;
		else
			return 0;
	}
	return doubts;
}

/* Returns the largest deviation (logarithm of the ratio) of a unit's unusual values, by which units
 * are sorted. A rare processor comes last. */
static double effect_of(const struct differ_fleet *fleet, int unit)
{
	const struct differ_unit *at = &fleet->unit[unit];

	return at->odd_count ? fabs(log(fleet->odd[at->odd_first].ratio)) : 0;
}

/* Returns whether unit a comes before unit b in fleet->order. */
static bool comes_before(const struct differ_fleet *fleet, int a, int b)
{
	if (fleet->unit[a].disturbed != fleet->unit[b].disturbed)
		return fleet->unit[b].disturbed;
	return effect_of(fleet, a) > effect_of(fleet, b);
}

static void insert(struct differ_fleet *fleet, int unit)
{
	int at = fleet->order_count + fleet->disturbed_count;

	while (at > 0 && comes_before(fleet, unit, fleet->order[at - 1])) {
		fleet->order[at] = fleet->order[at - 1];
		at--;
	}
	fleet->order[at] = unit;
	if (fleet->unit[unit].disturbed)
		fleet->disturbed_count++;
	else
		fleet->order_count++;
}

void differ_find_units(const struct compared *compared, struct differ_fleet *fleet)
{
	if (fleet->odd_count)
		qsort(fleet->odd, (size_t)fleet->odd_count, sizeof(*fleet->odd), by_unit);
	for (int i = fleet->odd_count - 1; i >= 0; i--) {
		fleet->unit[fleet->odd[i].unit].odd_first = i;
		fleet->unit[fleet->odd[i].unit].odd_count++;
	}
	for (int i = 0; i < fleet->unit_count; i++) {
		struct differ_unit *unit = &fleet->unit[i];
		unsigned doubts;

		unit->rare = (unit->facts.model || unit->facts.uarch) &&
			     fleet->units_of[unit->model] <= RARE_MOST &&
			     fleet->units_of[unit->model] <= rare_share * fleet->measured;
		if (!unit->rare && !unit->odd_count)
			continue;
		doubts = doubts_about(compared, fleet, i);
		unit->disturbed = doubts != 0;
		find_causes(compared, fleet, unit, doubts);
		insert(fleet, i);
	}
}
