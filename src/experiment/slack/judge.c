/* Finds the line of the core model (a class with its ports) that measured pressure on ports
 * contradicts.
 *
 * For each class of instructions in the loop or among the added instructions, the search tries all
 * other sets of ports. If other ports for only one class make the model agree with all exact
 * measurements, the line of this class is wrong. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/slack/slack.h"
#include "model/limits/ports.h"

/* A measured pressure differs from the core model if the difference exceeds DIFFERS cycles and the
 * share DIFFERS_SHARE of the larger value, and the quartiles differ by half as much. A measured
 * pressure contradicts a line of the core model if it differs by at least CONTRADICTS cycles. An
 * added instruction takes another time than the core model states if the times differ by the share
 * TOOK. */
#define DIFFERS	      0.2
#define DIFFERS_SHARE 0.12
#define CONTRADICTS   0.4
#define TOOK	      0.2

/* A measured value that disagrees with a guess counts for more than all values that only look
 * unlikely. */
enum { DISAGREES = 2 * SLACK_RESOURCES };

static bool differs(const struct slack_resource *resource, double model, double least)
{
	double error = fmax(least, DIFFERS_SHARE * fmax(resource->pressure, model));

	return (resource->pressure_lo - model > error / 2 && resource->pressure - model > error) ||
	       (model - resource->pressure_hi > error / 2 && model - resource->pressure > error);
}

bool slack_differs(const struct slack_resource *resource, double model)
{
	return differs(resource, model, DIFFERS);
}

/* A guess: another set of ports for one class of instructions; class NULL: the ports of the core
 * model. */
struct guess {
	const struct slack_class *class;
	uint32_t ports;
};

static uint32_t ports_of(
	const struct guess *guess, const struct slack_class *class, const struct uarch_term *term)
{
	return guess->class == class ? guess->ports : term->ports;
}

/* Returns the loop's pressure on a set of ports by the core model, changed by a guess about one
 * class. */
static double pressure_of(
	const struct slack_report *report, const struct guess *guess, uint32_t ports)
{
	double cycles = 0;

	for (int i = 0; i < report->class_count; i++)
		for (int t = 0; t < report->class[i].terms; t++) {
			const struct uarch_term *term = &report->class[i].term[t];
			uint32_t own = ports_of(guess, &report->class[i], term);

			if (own && !(own & ~ports))
				cycles += report->class[i].count * (double)term->count *
					  (double)term->cycles;
		}
	return cycles / ports_count(ports);
}

static bool is_used(const struct slack_resource *resource)
{
	return resource->ports &&
	       (resource->kind == SLACK_EXACT || resource->kind == SLACK_AT_LEAST);
}

/* Whether the measured pressure on a resource is only an upper bound, because the loop has
 * micro-ops that only a part of its ports executes, by the core model changed by a guess about one
 * class. */
static bool is_bound(const struct slack_report *report, const struct guess *guess,
	const struct slack_resource *resource, uint32_t ports)
{
	for (int i = 0; i < report->class_count; i++)
		for (int t = 0; t < report->class[i].terms && report->class[i].count > 0; t++) {
			uint32_t own =
				ports_of(guess, &report->class[i], &report -> class[i].term[t]);

			if (own && own != ports && !(own & ~ports))
				return true;
		}
	return resource->kind == SLACK_AT_LEAST;
}

/* Counts the measured values (pressures, and times of added instructions) that disagree with the
 * core model, changed by a guess about one class. Each measured value that disagrees with the guess
 * counts as DISAGREES. A measured upper bound that is higher than the core model's pressure agrees
 * with the guess, but counts as 1. */
static int disagreements(const struct slack_report *report, const struct guess *guess)
{
	int count = 0;

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *resource = &report->resource[i];
		const struct slack_filler *option = &resource->option[resource->used];
		uint32_t ports = resource->ports;
		double each = resource->each;

		if (guess->class && strcmp(option->class, guess->class->name) == 0) {
			each *= (double)ports_count(ports) / ports_count(guess->ports);
			ports = guess->ports;
		}
		if (is_used(resource)) {
			double pressure = pressure_of(report, guess, ports);

			bool wrong = differs(resource, pressure, CONTRADICTS);

			if (wrong && pressure < resource->pressure &&
				is_bound(report, guess, resource, ports))
				count++;
			else
				count += DISAGREES *
					 (wrong || fabs(resource->took / each - 1) > TOOK);
		} else if (resource->ports && resource->kind == SLACK_AMBIGUOUS &&
			   resource->option_count == 1)
			count += DISAGREES * (fabs(resource->took / each - 1) > TOOK);
	}
	return count;
}

/* Returns all ports that belong to a common resource with the given ports, directly or through
 * other resources. */
static uint32_t around(const struct slack_report *report, uint32_t ports)
{
	uint32_t before;

	do {
		before = ports;
		for (int i = 0; i < report->count; i++)
			if (report->resource[i].ports & ports)
				ports |= report->resource[i].ports;
	} while (ports != before);
	return ports;
}

/* Whether instructions of a class are in the loop, or were added to measure an exact value. */
static bool takes_part(const struct slack_report *report, const struct slack_class *class)
{
	bool filler = false;

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *resource = &report->resource[i];

		filler |= is_used(resource) &&
			  strcmp(resource->option[resource->used].class, class->name) == 0;
	}
	return class->terms == 1 && class->term[0].ports && (class->count > 0 || filler);
}

/* Returns a number for how unlikely it is that a class of instructions has this set of ports. The
 * number of ports of a class is usually known, so sets of another size are the least likely, then
 * sets with many other ports. */
static int unlikeliness(const struct slack_class *class, uint32_t ports)
{
	uint32_t stated = class->term[0].ports;
	int larger = ports_count(ports) - ports_count(stated);

	return PORTS_MAX * (larger < 0 ? -larger : larger) + ports_count(ports ^ stated);
}

/* Finds the set of ports for a class with which the fewest measured values disagree; of equal sets,
 * the likeliest one. Returns the number of disagreeing values. */
static int best_ports(
	const struct slack_report *report, const struct slack_class *class, uint32_t *best)
{
	uint32_t all = around(report, class->term[0].ports);
	int fewest = INT_MAX;

	*best = class->term[0].ports;
	/* The loop goes through all subsets of the ports in `all`. */
	for (uint32_t ports = all; ports; ports = (ports - 1) & all) {
		struct guess guess = { class, ports };
		int count = disagreements(report, &guess);

		if (count > fewest || (count == fewest && unlikeliness(class, ports) >=
								  unlikeliness(class, *best)))
			continue;
		fewest = count;
		*best = ports;
	}
	return fewest;
}

static void add_ports(const struct slack_report *report, uint32_t ports, char *text, size_t size)
{
	for (int i = 0; i < report->port_count; i++) {
		size_t used = strlen(text);

		if (ports >> i & 1 && used < size)
			snprintf(
				text + used, size - used, "%s%s", used ? "," : "", report->port[i]);
	}
}

/* A class of instructions whose line in the core model may be wrong, and the ports that fit the
 * measurements. */
struct suspect {
	const struct slack_class *class;
	uint32_t ports;
	int disagreements; /* the result of disagreements() if the core model's class uses these
			      ports */
	int count;	   /* number of classes that are equally likely */
};

/* Compares a class of instructions with the class whose ports in the core model are likeliest wrong
 * so far, and keeps the likelier one: the class with fewer unlikely values, then a class of the
 * loop's instructions before a class of added instructions. */
static void suspect_consider(
	struct suspect *suspect, const struct slack_class *class, uint32_t ports, int disagreements)
{
	int mine = unlikeliness(class, ports), other = INT_MAX;

	if (suspect->class)
		other = unlikeliness(suspect->class, suspect->ports);
	if (suspect->class && suspect->disagreements != disagreements)
		other = disagreements < suspect->disagreements ? mine + 1 : mine - 1;
	else if (suspect->class && (class->count > 0) != (suspect->class->count > 0))
		mine = class->count > 0 ? other - 1 : other + 1;
	if (mine < other)
		*suspect = (struct suspect){ class, ports, disagreements, 1 };
	else if (mine == other)
		suspect->count++;
}

void slack_judge(struct slack_report *report)
{
	const struct guess none = { NULL, 0 };
	struct suspect suspect = { .class = NULL };
	char stated[80] = "", fits[80] = "";
	uint32_t ports;

	report->contradiction[0] = '\0';
	if (disagreements(report, &none) < DISAGREES)
		return;
	for (int i = 0; i < report->class_count; i++) {
		int least = takes_part(report, &report->class[i])
				    ? best_ports(report, &report->class[i], &ports)
				    : DISAGREES;

		if (least < DISAGREES)
			suspect_consider(&suspect, &report->class[i], ports, least);
	}
	if (suspect.count != 1)
		return;
	add_ports(report, suspect.class->term[0].ports, stated, sizeof(stated));
	add_ports(report, suspect.ports, fits, sizeof(fits));
	snprintf(report->contradiction, sizeof(report->contradiction),
		"%s: class %s has the ports %s; the measured pressure fits %s",
		suspect.class->where, suspect.class->name, stated, fits);
}
