/* The unusual values of each host, next to the other hosts with its processor model. See differ.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/differences.h"
#include "base/stats.h"
#include "base/text.h"
#include "recording/compare/differ.h"
#include "recording/compare/differ_units.h"

/* The least median absolute deviation of the logarithms of a quantity's values. Four times this
 * deviation is 1 %, more than the error of a quiet sample (doc/accuracy.md).
 */
static const double floor_least = 0.0025;

/* The deviation of a host's only unusual value must be this many times the usual deviation. One of
 * thousands of values may be far out by chance. */
static const double single_factor = 2;

/* A host also counts as different if unusually many of its values are more than four median
 * absolute deviations from the median. MANY_LEAST: the least number of such values. many_floor: the
 * least median absolute deviation of the square root of the number of such values. */
enum { MANY_LEAST = 5 };
static const double many_floor = 0.25;

/* This many values beyond four median absolute deviations are enough for a host whose records state
 * a difference, such as other microcode. */
enum { STATED_LEAST = 3 };

/* The largest error of a buffer's size in one run, as a share: in 190 sizes of 12 runs, 3.3 %. */
static const double window_error = 0.05;

/* The value of one quantity on one unit (a host or a file). */
struct cell {
	int model, quantity, unit;
	struct differ_value value;
	double deviation; /* logarithm of the value minus the median of the logarithms for its
			     processor model */
	double share;	  /* size of `deviation`, divided by the deviation beyond which a value is
			     unusual */
	double mads;	  /* size of `deviation`, divided by the median absolute deviation */
	bool apart;	  /* true: even the quartile nearer to the median is more than four median
			     absolute deviations away from it */
};

struct placed {
	int model, quantity, unit;
	const struct compared_value *value;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->model != y->model)
		return x->model - y->model;
	if (x->quantity != y->quantity)
		return x->quantity - y->quantity;
	return x->unit - y->unit;
}

static int unit_of(const struct compared *compared, const struct differ_fleet *fleet, int source)
{
	const struct compared_source *from = &compared->source[source];

	return fleet->by_file ? from->file : from->host;
}

/* ---- Values of units */

/* Reduces the values of all runs of each unit (host or file) to one value for each quantity.
 * Returns the number of cells (reduced values), which are sorted by processor model, quantity and
 * unit. */
static size_t make_cells(
	const struct compared *compared, const struct differ_fleet *fleet, struct cell **cells)
{
	size_t count = compared->value_count, cell_count = 0;
	struct placed *placed = memory_new(count + 1, sizeof(*placed));
	const struct compared_value **value = memory_new(count + 1, sizeof(*value));

	*cells = memory_new(count + 1, sizeof(**cells));
	for (size_t i = 0; i < count; i++) {
		int unit = unit_of(compared, fleet, compared->value[i].source);

		placed[i] = (struct placed){ fleet->unit[unit].model, compared->value[i].quantity,
			unit, &compared->value[i] };
	}
	qsort(placed, count, sizeof(*placed), by_place);
	for (size_t i = 0; i < count; i++)
		value[i] = placed[i].value;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && by_place(&placed[end], &placed[i]) == 0; end++)
			;
		(*cells)[cell_count++] = (struct cell){ placed[i].model, placed[i].quantity,
			placed[i].unit, differ_reduce(&value[i], end - i) };
	}
	free(placed);
	free(value);
	return cell_count;
}

/* ---- Quantities of a model */

/* Compares one host's value of a quantity with the values of all hosts with the same processor
 * model. */
static void place_cell(
	const struct compared *compared, struct cell *cell, const struct differences_cloud *cloud)
{
	const struct compared_quantity *quantity = &compared->quantity[cell->quantity];
	double least = strncmp(quantity->subject, "window ", 7) == 0
			       ? window_error * exp(cloud->median)
			       : differ_condition(quantity, exp(cloud->median));
	double deviation = log(cell->value.value) - cloud->median, near;

	near = deviation > 0 ? log(cell->value.lo) - cloud->median
			     : cloud->median - log(cell->value.hi);
	cell->deviation = deviation;
	cell->share = fabs(deviation) / cloud->usual;
	cell->mads = fabs(deviation) / cloud->mad;
	cell->apart =
		near > 4 * cloud->mad && fabs(cell->value.value - exp(cloud->median)) >= least;
}

/* Adds the distribution of one quantity on one processor model, and compares each unit's value with
 * it. */
static void take_quantity(const struct compared *compared, struct differ_fleet *fleet,
	struct cell *cells, size_t count, size_t comparisons)
{
	double *sorted = memory_new(count, sizeof(*sorted));
	const struct cell *least = cells, *most = cells;
	struct differences_cloud cloud;

	for (size_t i = 0; i < count; i++) {
		sorted[i] = log(cells[i].value.value);
		least = cells[i].value.value < least->value.value ? &cells[i] : least;
		most = cells[i].value.value > most->value.value ? &cells[i] : most;
	}
	stats_sort(sorted, count);
	cloud = differences_cloud(sorted, count, floor_least, comparisons);
	free(sorted);
	for (size_t i = 0; i < count && count >= DIFFER_LEAST; i++)
		place_cell(compared, &cells[i], &cloud);
	fleet->spread =
		memory_grow(fleet->spread, (size_t)fleet->spread_count, sizeof(*fleet->spread));
	fleet->spread[fleet->spread_count++] = (struct differ_spread){ .model = cells->model,
		.quantity = cells->quantity,
		.units = (int)count,
		.median = exp(cloud.median),
		.lo = exp(cloud.lo),
		.hi = exp(cloud.hi),
		.least = least->value.value,
		.most = most->value.value,
		.least_unit = least->unit,
		.most_unit = most->unit };
}

static size_t end_of(const struct cell *cells, size_t count, size_t begin)
{
	size_t end = begin;

	while (end < count && cells[end].model == cells[begin].model &&
		cells[end].quantity == cells[begin].quantity)
		end++;
	return end;
}

static void take_quantities(const struct compared *compared, struct differ_fleet *fleet,
	struct cell *cells, size_t count)
{
	size_t comparisons = 0;

	for (size_t i = 0, end; i < count; i = end) {
		end = end_of(cells, count, i);
		comparisons += end - i >= DIFFER_LEAST ? end - i : 0;
	}
	for (size_t i = 0, end; i < count; i = end) {
		end = end_of(cells, count, i);
		take_quantity(compared, fleet, &cells[i], end - i, comparisons);
	}
}

/* ---- Units with unusual values */

/* The evidence against a unit. */
struct evidence {
	int unusual;	/* number of the unit's values that deviate more than chance explains */
	double largest; /* the unit's largest deviation, divided by the deviation beyond which a
			   value is unusual */
	int beyond;	/* number of the unit's values that are more than four median absolute
			   deviations from the median */
	bool many; /* true: `beyond` is unusually large, or at least STATED_LEAST if the records
		      state a difference, such as microcode */
};

/* Each unit of a processor model, in ascending order. */
#define EACH_UNIT(i, fleet, model) \
	for (int i = (fleet)->first_of[model]; i >= 0; i = (fleet)->unit[i].next)

static size_t count_units(const struct differ_fleet *fleet, int model)
{
	size_t count = 0;

	EACH_UNIT (i, fleet, model)
		count++;
	return count;
}

/* Finds the units (hosts or files) of one processor model that have unusually many values beyond
 * four median absolute deviations. */
static void find_many(const struct differ_fleet *fleet, int model, struct evidence *evidence)
{
	size_t count = count_units(fleet, model);
	double *sorted = memory_new(count + 1, sizeof(*sorted));
	struct differences_cloud cloud;

	count = 0;
	EACH_UNIT (i, fleet, model)
		sorted[count++] = sqrt(evidence[i].beyond);
	stats_sort(sorted, count);
	cloud = differences_cloud(sorted, count, many_floor, (size_t)fleet->unit_count);
	if (count >= DIFFER_LEAST)
		EACH_UNIT (i, fleet, model)
			evidence[i].many |= evidence[i].beyond >= MANY_LEAST &&
					    sqrt(evidence[i].beyond) > cloud.median + cloud.usual;
	free(sorted);
}

/* Adds to fleet->odd the unusual values of each unit (host or file) that has enough such values. */
static void find_odd(struct differ_fleet *fleet, const struct cell *cells, size_t count)
{
	struct evidence *evidence = memory_new((size_t)fleet->unit_count + 1, sizeof(*evidence));

	for (size_t i = 0; i < count; i++) {
		struct evidence *of_unit = &evidence[cells[i].unit];

		if (!cells[i].apart)
			continue;
		of_unit->beyond++;
		of_unit->unusual += cells[i].share > 1;
		of_unit->largest = fmax(of_unit->largest, cells[i].share);
	}
	for (int model = 0; model < fleet->model_count; model++)
		find_many(fleet, model, evidence);
	for (int i = 0; i < fleet->unit_count; i++) {
		const struct differ_unit *unit = &fleet->unit[i];
		unsigned stated = differ_causes(&unit->facts, &fleet->usual[unit->model]);

		evidence[i].many |=
			stated & ~CAUSES_OF_OTHERS && evidence[i].beyond >= STATED_LEAST;
	}
	for (size_t i = 0, spread = 0; i < count; i++) {
		const struct evidence *of_unit = &evidence[cells[i].unit];

		while (fleet->spread[spread].model != cells[i].model ||
			fleet->spread[spread].quantity != cells[i].quantity)
			spread++;
		if (!cells[i].apart || !(of_unit->unusual > 1 || of_unit->many ||
					       of_unit->largest > single_factor))
			continue;
		fleet->spread[spread].odd++;
		fleet->odd = memory_grow(fleet->odd, (size_t)fleet->odd_count, sizeof(*fleet->odd));
		fleet->odd[fleet->odd_count++] = (struct differ_odd){ .unit = cells[i].unit,
			.model = cells[i].model,
			.quantity = cells[i].quantity,
			.value = cells[i].value,
			.median = fleet->spread[spread].median,
			.ratio = exp(cells[i].deviation),
			.deviations = cells[i].mads };
	}
	free(evidence);
}

/* ---- Facts of units and models */

static void take_facts(const struct compared *compared, struct differ_fleet *fleet)
{
	for (int i = 0; i < compared->sources.count; i++) {
		struct differ_unit *unit = &fleet->unit[unit_of(compared, fleet, i)];

		differ_facts_add(&unit->facts, compared, i);
		if (unit->model < 0)
			unit->model = compared->source[i].model;
	}
	for (int i = 0; i < fleet->model_count; i++)
		fleet->first_of[i] = -1;
	for (int i = fleet->unit_count - 1; i >= 0; i--) {
		struct differ_unit *unit = &fleet->unit[i];
		bool measured = unit->facts.model || unit->facts.uarch;

		/* Hosts whose records name no processor form one processor model of their own. */
		if (unit->model < 0)
			unit->model = fleet->model_count - 1;
		differ_facts_mean(&unit->facts);
		fleet->units_of[unit->model] += measured;
		fleet->measured += measured;
		unit->next = fleet->first_of[unit->model];
		fleet->first_of[unit->model] = i;
	}
}

/* Returns the median of one fact, such as the load average, over the units (hosts or files) of a
 * processor model. */
static double median_fact(const struct differ_fleet *fleet, int model, size_t offset)
{
	size_t count = count_units(fleet, model);
	double *values = memory_new(count + 1, sizeof(*values)), median;

	count = 0;
	EACH_UNIT (i, fleet, model)
		values[count++] = *(
			const double *)(const void *)((const char *)&fleet->unit[i].facts + offset);
	median = stats_median(values, count);
	free(values);
	return median;
}

/* Returns the word, such as a microcode version, that is most frequent among the units of a
 * processor model. */
static const char *frequent_word(const struct differ_fleet *fleet, int model, size_t offset)
{
	struct intern words = { 0 };
	int *count = memory_new(count_units(fleet, model) + 1, sizeof(*count)), best = 0;
	const char *found = "";

	EACH_UNIT (i, fleet, model) {
		const char *word =
			*(const char *const *)(const void *)((const char *)&fleet->unit[i].facts +
							     offset);
		int number;

		if (!word)
			continue;
		number = intern_add(&words, word);
		if (++count[number] > best) {
			best = count[number];
			found = word;
		}
	}
	intern_free(&words);
	free(count);
	return found;
}

static void find_usual(struct differ_fleet *fleet)
{
	for (int i = 0; i < fleet->model_count; i++) {
		struct differ_facts *usual = &fleet->usual[i];

		if (!fleet->units_of[i])
			continue;
		usual->huge = usual->samples = usual->shares = 1;
		usual->contended = median_fact(fleet, i, offsetof(struct differ_facts, contended));
		usual->quiet = median_fact(fleet, i, offsetof(struct differ_facts, quiet));
		usual->small = median_fact(fleet, i, offsetof(struct differ_facts, small));
		usual->on_cpu = median_fact(fleet, i, offsetof(struct differ_facts, on_cpu));
		usual->busy = median_fact(fleet, i, offsetof(struct differ_facts, busy));
		usual->load = median_fact(fleet, i, offsetof(struct differ_facts, load));
		usual->l3_bytes = median_fact(fleet, i, offsetof(struct differ_facts, l3_bytes));
		usual->model = frequent_word(fleet, i, offsetof(struct differ_facts, model));
		usual->uarch = frequent_word(fleet, i, offsetof(struct differ_facts, uarch));
		usual->microcode =
			frequent_word(fleet, i, offsetof(struct differ_facts, microcode));
	}
}

struct differ_fleet differ_fleet(const struct compared *compared, bool by_file)
{
	struct differ_fleet fleet = { .by_file = by_file,
		.unit_count = by_file ? compared->files.count : compared->hosts.count,
		.model_count = compared->models.count + 1 };
	struct cell *cells;
	size_t count;

	fleet.unit = memory_new((size_t)fleet.unit_count + 1, sizeof(*fleet.unit));
	fleet.usual = memory_new((size_t)fleet.model_count, sizeof(*fleet.usual));
	fleet.units_of = memory_new((size_t)fleet.model_count, sizeof(*fleet.units_of));
	fleet.first_of = memory_new((size_t)fleet.model_count, sizeof(*fleet.first_of));
	fleet.order = memory_new((size_t)fleet.unit_count + 1, sizeof(*fleet.order));
	for (int i = 0; i < fleet.unit_count; i++)
		fleet.unit[i].model = -1;
	take_facts(compared, &fleet);
	find_usual(&fleet);
	count = make_cells(compared, &fleet, &cells);
	take_quantities(compared, &fleet, cells, count);
	find_odd(&fleet, cells, count);
	free(cells);
	differ_find_units(compared, &fleet);
	return fleet;
}

bool differ_fleet_judged(const struct differ_fleet *fleet)
{
	bool judged = false;

	for (int i = 0; i < fleet->model_count; i++)
		judged |= fleet->units_of[i] >= DIFFER_LEAST;
	return judged;
}

bool differ_spread_alone(const struct differ_fleet *fleet, const struct differ_spread *spread)
{
	return spread->units < 2 && fleet->units_of[spread->model] > 1;
}

void differ_fleet_free(struct differ_fleet *fleet)
{
	free(fleet->unit);
	free(fleet->usual);
	free(fleet->units_of);
	free(fleet->first_of);
	free(fleet->spread);
	free(fleet->odd);
	free(fleet->order);
	*fleet = (struct differ_fleet){ 0 };
}

double differ_fleet_most(const struct differ_fleet *fleet)
{
	double most = 0;

	for (int i = 0; i < fleet->order_count; i++)
		if (fleet->unit[fleet->order[i]].rare)
			return INFINITY;
	for (int i = 0; i < fleet->odd_count; i++)
		if (!fleet->unit[fleet->odd[i].unit].disturbed)
			most = fmax(most, fabs(fleet->odd[i].ratio - 1));
	return most;
}
