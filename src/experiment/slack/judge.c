/* Finds the line of the core model (a class with its ports) that measured pressure on ports
 * contradicts.
 *
 * For each class of instructions in the loop or among the added instructions, the search tries all
 * other sets of ports. If other ports for only one class make the model agree with all exact
 * measurements, the line of this class is wrong. If other ports for several classes explain the
 * measurements, two fillers together decide: how long they take shows whether they share ports.
 */
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
 * TOOK; in a mixture of two, by the share TOOK_PAIR, which is smaller to distinguish 3 ports
 * from 4. */
#define DIFFERS	      0.2
#define DIFFERS_SHARE 0.12
#define CONTRADICTS   0.4
#define TOOK	      0.2
#define TOOK_PAIR     0.14

/* Two lines of the core model are distinguished by two fillers together if the times that they
 * predict differ by APART times TOOK_PAIR. */
#define APART 1.5

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

/* Whether two sets of ports have ports in common, but neither contains the other. */
static bool crosses(uint32_t one, uint32_t other)
{
	return (one & other) && (one & ~other) && (other & ~one);
}

/* Whether the measured pressure on a resource is only an upper bound, because the loop has
 * micro-ops that only a part of its ports executes, or that may use a part of its ports, by the
 * core model changed by a guess about one class. */
static bool is_bound(const struct slack_report *report, const struct guess *guess,
	const struct slack_resource *resource, uint32_t ports)
{
	for (int i = 0; i < report->class_count; i++)
		for (int t = 0; t < report->class[i].terms && report->class[i].count > 0; t++) {
			uint32_t own =
				ports_of(guess, &report->class[i], &report -> class[i].term[t]);

			if ((own && own != ports && !(own & ~ports)) || crosses(own, ports))
				return true;
		}
	return resource->kind == SLACK_AT_LEAST;
}

static const struct slack_class *class_of(
	const struct slack_report *report, const struct slack_filler *filler)
{
	for (int i = 0; i < report->class_count; i++)
		if (strcmp(report->class[i].name, filler->class) == 0)
			return &report->class[i];
	return NULL;
}

/* Returns the cycles that one filler takes in a mixture of equal numbers of two fillers, by the
 * core model changed by a guess. NAN: unknown, because a class has several kinds of micro-ops. */
static double pair_cycles(
	const struct slack_report *report, const struct guess *guess, const struct slack_pair *pair)
{
	uint32_t ports[2];
	double cycles[2];

	for (int i = 0; i < 2; i++) {
		const struct slack_class *class = class_of(report, &pair->filler[i]);

		if (!class || class->terms != 1 || !class->term[0].ports || !pair->filler[i].mixes)
			return NAN;
		ports[i] = ports_of(guess, class, &class->term[0]);
		cycles[i] = (double)class->term[0].count * (double)class->term[0].cycles / 2;
	}
	return fmax(fmax(cycles[0] / ports_count(ports[0]), cycles[1] / ports_count(ports[1])),
		fmax((cycles[0] + cycles[1]) / ports_count(ports[0] | ports[1]),
			report->width > 0 ? 1 / report->width : 0));
}

/* Counts the measurements of two fillers together that disagree with a guess. */
static int pair_disagreements(const struct slack_report *report, const struct guess *guess)
{
	int count = 0;

	for (int i = 0; i < report->pair_count; i++) {
		double cycles = pair_cycles(report, guess, &report->pair[i]);

		count += fabs(report->pair[i].took / cycles - 1) > TOOK_PAIR;
	}
	return count;
}

/* Counts the measured values (pressures, and times of added instructions) that disagree with the
 * core model, changed by a guess about one class. Each measured value that disagrees with the guess
 * counts as DISAGREES. Only resources with a port of `near` count. A measured upper bound that is
 * higher than the core model's pressure agrees with the guess, but counts as 1. */
static int disagreements(
	const struct slack_report *report, const struct guess *guess, uint32_t near)
{
	int count = DISAGREES * pair_disagreements(report, guess);

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *resource = &report->resource[i];
		const struct slack_filler *option = &resource->option[resource->used];
		uint32_t ports = resource->ports;
		double each = resource->each;

		if (!(ports & near))
			continue;
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
		int count = disagreements(report, &guess, all);

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
	struct guess guess;
	int disagreements; /* the result of disagreements() if the class uses these ports */
};

/* Whether the first class is likelier wrong than the second. The class with fewer unlikely values
 * is likelier wrong. If these are equal, a class of the loop is likelier wrong than a class of
 * added instructions, and then the class whose guessed ports are less unlikely. */
static bool is_likelier(const struct suspect *one, const struct suspect *other)
{
	bool in_loop = one->guess.class->count > 0, other_in_loop = other->guess.class->count > 0;

	if (one->disagreements != other->disagreements)
		return one->disagreements < other->disagreements;
	if (in_loop != other_in_loop)
		return in_loop;
	return unlikeliness(one->guess.class, one->guess.ports) <
	       unlikeliness(other->guess.class, other->guess.ports);
}

/* Lists the classes whose line in the core model may be wrong, the likeliest first. Returns their
 * number; 0: the core model explains all measurements. */
static int find_suspects(const struct slack_report *report, struct suspect suspect[SLACK_CLASSES])
{
	const struct guess none = { NULL, 0 };
	int count = 0;

	for (int i = 0; i < report->class_count; i++) {
		struct suspect new = { .guess.class = &report->class[i] };
		int at = count;

		if (!takes_part(report, &report->class[i]) ||
			disagreements(report, &none,
				around(report, report->class[i].term[0].ports)) < DISAGREES)
			continue;
		new.disagreements = best_ports(report, &report->class[i], &new.guess.ports);
		if (new.disagreements >= DISAGREES)
			continue;
		for (; at > 0 && is_likelier(&new, &suspect[at - 1]); at--)
			suspect[at] = suspect[at - 1];
		suspect[at] = new;
		count++;
	}
	return count;
}

/* ---- Measurements that decide */

static bool is_measured(const struct slack_report *report, const struct slack_pair *pair)
{
	for (int i = 0; i < report->pair_count; i++)
		if (report->pair[i].filler[0].number == pair->filler[0].number &&
			report->pair[i].filler[1].number == pair->filler[1].number)
			return true;
	return false;
}

/* Returns the number of suspects that a measurement of a pair distinguishes from the likeliest
 * suspect. */
static int told_apart(const struct slack_report *report, const struct suspect *suspect, int count,
	const struct slack_pair *pair)
{
	double first = pair_cycles(report, &suspect[0].guess, pair);
	int apart = 0;

	for (int i = 1; i < count; i++)
		apart += fabs(pair_cycles(report, &suspect[i].guess, pair) / first - 1) >
			 APART * TOOK_PAIR;
	return apart;
}

/* Finds a filler of a suspect's class that was not added yet, paired with itself: its time shows
 * how many ports the class has. Returns false if there is none. */
static bool find_own_filler(
	const struct slack_report *report, const struct slack_class *class, struct slack_pair *pair)
{
	for (int i = 0; i < report->count; i++)
		for (int k = 0; k < report->resource[i].option_count; k++) {
			const struct slack_filler *option = &report->resource[i].option[k];
			struct slack_pair new = { { *option, *option }, NAN, NAN };

			if (k == report->resource[i].used || !report->resource[i].ports ||
				!option->mixes || strcmp(option->class, class->name) != 0 ||
				is_measured(report, &new))
				continue;
			*pair = new;
			return true;
		}
	return false;
}

static const struct slack_filler *filler_of(
	const struct slack_report *report, const struct slack_class *class)
{
	for (int i = 0; i < report->count; i++)
		for (int k = 0; report->resource[i].ports && k < report->resource[i].option_count;
			k++)
			if (report->resource[i].option[k].mixes &&
				strcmp(report->resource[i].option[k].class, class->name) == 0)
				return &report->resource[i].option[k];
	return NULL;
}

/* Whether the time of the class's own added instructions was measured: it shows how many ports the
 * class has. */
static bool is_timed(const struct slack_report *report, const struct slack_class *class)
{
	bool timed = false;

	for (int i = 0; i < report->count; i++)
		timed |= is_used(&report->resource[i]) &&
			 strcmp(report->resource[i].option[report->resource[i].used].class,
				 class->name) == 0;
	for (int i = 0; i < report->pair_count; i++)
		timed |= strcmp(report->pair[i].filler[0].class, class->name) == 0 &&
			 strcmp(report->pair[i].filler[1].class, class->name) == 0;
	return timed;
}

/* Whether a filler of a class was measured together with a filler of another class. */
static bool is_paired(const struct slack_report *report, const struct slack_class *class)
{
	for (int i = 0; i < report->pair_count; i++) {
		bool first = strcmp(report->pair[i].filler[0].class, class->name) == 0,
		     second = strcmp(report->pair[i].filler[1].class, class->name) == 0;

		if (first != second)
			return true;
	}
	return false;
}

/* Finds a filler of another class to test the line of a class with. The ports of both classes must
 * overlap as much as possible: be equal, or overlap without one containing the other. A core
 * distributes two classes unevenly over many ports, so equal ports are at most EQUAL. Returns false
 * if there is none. */
static bool find_partner(const struct slack_report *report, const struct slack_class *class,
	const struct slack_filler *own, struct slack_pair *pair)
{
	enum { EQUAL = 3 };
	const struct guess none = { NULL, 0 };
	uint32_t ports = class->term[0].ports;
	int best = 0;

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *other = &report->resource[i];
		struct slack_pair new = { { *own, other->option[other->used] }, NAN, NAN };
		int common = ports_count(other->ports & ports);

		if (common <= best || !is_used(other) ||
			!(crosses(other->ports, ports) ||
				(other->ports == ports && common <= EQUAL)) ||
			strcmp(new.filler[1].class, class->name) == 0 ||
			!isfinite(pair_cycles(report, &none, &new)))
			continue;
		best = common;
		*pair = new;
	}
	return best > 0;
}

/* Finds two fillers that test the line of a class of the loop. If the class's own filler was not
 * added yet, it is paired with itself. Otherwise, the second filler is of another class: the loop
 * and its class's own filler agree about any set of as many ports, and how long both fillers take
 * together shows how many ports they share. Returns false if each line is tested. */
static bool find_test(const struct slack_report *report, struct slack_pair *pair)
{
	for (int i = 0; i < report->class_count; i++) {
		const struct slack_class *class = &report->class[i];
		const struct slack_filler *own = filler_of(report, class);

		if (!own || class->count == 0 || class->terms != 1)
			continue;
		if (!is_timed(report, class) && find_own_filler(report, class, pair))
			return true;
		if (!is_paired(report, class) && find_partner(report, class, own, pair))
			return true;
	}
	return false;
}

/* Finds the pair of slack_find_pair(), without its time by the core model. */
static bool find_deciding_pair(const struct slack_report *report, struct slack_pair *pair)
{
	struct suspect suspect[SLACK_CLASSES];
	int count = find_suspects(report, suspect), best = 0;

	if (count == 1 || report->pair_count == SLACK_PAIRS)
		return false;
	if (count == 0)
		return find_test(report, pair);
	for (int i = 0; i < count; i++)
		if (find_own_filler(report, suspect[i].guess.class, pair))
			return true;
	for (int i = 0; i < report->count; i++)
		for (int k = 0; k < i; k++) {
			const struct slack_resource *one = &report->resource[i],
						    *other = &report->resource[k];

			for (int a = 0; one->ports && a < one->option_count; a++)
				for (int b = 0; other->ports && b < other->option_count; b++) {
					struct slack_pair new = {
						{ one->option[a], other->option[b] }, NAN, NAN
					};
					int apart = told_apart(report, suspect, count, &new);

					if (apart <= best || is_measured(report, &new))
						continue;
					best = apart;
					*pair = new;
				}
		}
	return best > 0;
}

bool slack_find_pair(const struct slack_report *report, struct slack_pair *pair)
{
	if (!find_deciding_pair(report, pair))
		return false;
	pair->each = pair_cycles(report, &(struct guess){ NULL, 0 }, pair);
	return true;
}

/* ---- The verdict */

/* Names two equally likely lines of the core model. */
static void name_two(struct slack_report *report, const struct suspect suspect[2])
{
	snprintf(report->contradiction, sizeof(report->contradiction),
		"%s (class %s) or %s (class %s): the measured pressure fits other ports for one of "
		"them",
		suspect[0].guess.class->where, suspect[0].guess.class->name,
		suspect[1].guess.class->where, suspect[1].guess.class->name);
}

void slack_judge(struct slack_report *report)
{
	struct suspect suspect[SLACK_CLASSES];
	int count = find_suspects(report, suspect);
	char stated[80] = "", fits[80] = "";

	report->contradiction[0] = '\0';
	if (count == 0)
		return;
	if (count > 1 && !is_likelier(&suspect[0], &suspect[1])) {
		if (count == 2 || is_likelier(&suspect[1], &suspect[2]))
			name_two(report, suspect);
		return;
	}
	add_ports(report, suspect[0].guess.class->term[0].ports, stated, sizeof(stated));
	add_ports(report, suspect[0].guess.ports, fits, sizeof(fits));
	snprintf(report->contradiction, sizeof(report->contradiction),
		"%s: class %s has the ports %s; the measured pressure fits %s",
		suspect[0].guess.class->where, suspect[0].guess.class->name, stated, fits);
}
