/* The resources of a core that fillers (added instructions) keep busy, and the pressure of a loop
 * on these resources by the core model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/slack/fillers.h"
#include "kernels/nops.h"
#include "model/limits/ports.h"

static const char *const names[] = { "width", "", "loads", "vector-loads", "stores",
	"vector-stores", "taken" };

const char *slack_shown(const char *name)
{
	return strcmp(name, "v-loads") == 0    ? "vector-loads"
	       : strcmp(name, "v-stores") == 0 ? "vector-stores"
					       : name;
}

double fillers_model(const struct slack_report *report, uint32_t ports)
{
	double cycles = 0;

	for (int i = 0; i < report->class_count; i++)
		for (int t = 0; t < report->class[i].terms; t++) {
			const struct uarch_term *term = &report->class[i].term[t];

			if (term->ports && !(term->ports & ~ports))
				cycles += report->class[i].count * (double)term->count *
					  (double)term->cycles;
		}
	return ports ? cycles / ports_count(ports) : 0;
}

static const struct slack_class *class_of(const struct slack_report *report, const char *name)
{
	for (int i = 0; i < report->class_count; i++)
		if (strcmp(report->class[i].name, name) == 0)
			return &report->class[i];
	return NULL;
}

/* Returns the cycles for which one instruction of a class keeps a set of ports busy. */
static double each_of(const struct slack_class *class, uint32_t ports)
{
	double cycles = 0;

	for (int t = 0; class && t < class->terms; t++)
		if (class->term[t].ports && !(class->term[t].ports & ~ports))
			cycles += (double)class->term[t].count * (double)class->term[t].cycles;
	return ports ? cycles / ports_count(ports) : 0;
}

double fillers_each(
	const struct slack_report *report, const struct slack_filler *filler, uint32_t ports)
{
	double each = each_of(class_of(report, filler->class), ports);

	return filler->share > 0
		       ? (1 - filler->share) * each +
				 filler->share * each_of(class_of(report, filler->second), ports)
		       : each;
}

uint32_t fillers_term(
	const struct slack_report *report, const struct slack_filler *filler, int term)
{
	const struct slack_class *class = class_of(
		report, term < UARCH_TERMS || filler->share == 0 ? filler->class : filler->second);

	term %= UARCH_TERMS;
	return class && term < class->terms ? class->term[term].ports : 0;
}

struct slack_filler fillers_mixture(
	const struct slack_filler *filler, const struct slack_filler *second, unsigned share)
{
	unsigned one[2], other[2];
	struct slack_filler mixture = *filler;

	filler_numbers(filler->number, one);
	filler_numbers(second->number, other);
	mixture.number = filler_mix(one[0], other[0], share);
	mixture.share = (double)share / FILLER_TURNS;
	memcpy(mixture.second, second->class, sizeof(mixture.second));
	snprintf(mixture.line, sizeof(mixture.line), "%.28s + %.28s", filler->line, second->line);
	return mixture;
}

static void add_class(struct slack_report *report, const struct uarch_class *class, double count)
{
	struct slack_class *row = report->class;

	if (!class || !class->executes)
		return;
	while (row < report->class + report->class_count && strcmp(row->name, class->name) != 0)
		row++;
	if (row == report->class + SLACK_CLASSES)
		return;
	if (row == report->class + report->class_count) {
		report->class_count++;
		snprintf(row->name, sizeof(row->name), "%s", class->name);
		snprintf(row->where, sizeof(row->where), "%s", class->where);
		row->terms = class->term_count;
		memcpy(row->term, class->term, sizeof(row->term));
	}
	row->count += count;
}

/* Finds, among the micro-ops of a class, the kind (term) that keeps its ports busy for longest per
 * instruction. *each receives these cycles. Returns NULL if two kinds of micro-ops keep their ports
 * busy equally long. */
static const struct uarch_term *longest(const struct uarch_class *class, double *each)
{
	const struct uarch_term *found = NULL;
	bool equal = false;

	*each = 0;
	for (int t = 0; class->executes && t < class->term_count; t++) {
		const struct uarch_term *term = &class->term[t];
		double cycles = term->ports ? (double)term->count * (double)term->cycles /
						      ports_count(term->ports)
					    : 0;

		equal = cycles == *each ? true : cycles > *each ? false : equal;
		if (cycles > *each)
			found = term;
		*each = cycles > *each ? cycles : *each;
	}
	return equal ? NULL : found;
}

/* Fills in the resource that a filler (added instruction) keeps busy, with the filler as its first
 * option. Returns false if the filler does not keep a single resource busy. */
static bool describe(const struct uarch *uarch, const struct limits_work *work, unsigned number,
	struct slack_resource *resource)
{
	const struct filler *filler = &fillers[number];
	struct slack_filler *option = &resource->option[0];
	const struct uarch_class *class;
	const struct uarch_term *term = NULL;
	struct uarch_insn facts;
	struct insn insn, before;
	double rate = UARCH_UNKNOWN, count = 0;

	*resource = (struct slack_resource){ .option_count = 1,
		.took = NAN,
		.pressure = NAN,
		.pressure_lo = NAN,
		.pressure_hi = NAN,
		.slack = NAN,
		.slack_lo = NAN,
		.slack_hi = NAN };
	if (!filler_decode(number, &insn))
		return false;
	uarch_insn(uarch, &insn, &facts);
	if (!facts.known || (facts.slots != 1 && !filler->before))
		return false;
	class = facts.load ? facts.load : facts.store ? facts.store : facts.op;
	option->number = filler_only(number);
	option->mixes = filler_mixes(number);
	snprintf(option->line, sizeof(option->line), "%s", filler->line);
	snprintf(option->class, sizeof(option->class), "%s", class ? class->name : "");
	switch (filler->use) {
	case FILLS_WIDTH:
		/* If a nop shares the rename slot of the instruction before it, nops cannot fill
		 * the rename width. */
		decode_insn((const uint8_t[]){ 0x48, 0x89, 0xe0 }, 3, 0, &before);
		if ((!facts.eliminated && class && longest(class, &rate)) ||
			uarch_fuses_behind(uarch, &before, &insn))
			return false;
		rate = uarch->width;
		count = work->slots;
		break;
	case FILLS_PORTS:
		term = class && !facts.eliminated ? longest(class, &option->each) : NULL;
		break;
	case FILLS_LOADS:
		rate = uarch->fact[CAP_LOADS];
		count = work->loads;
		break;
	case FILLS_VECTOR_LOADS:
		rate = uarch->fact[CAP_LOADS_VECTOR];
		count = work->vector_loads;
		break;
	case FILLS_STORES:
		rate = uarch->fact[CAP_STORES];
		count = work->stores;
		break;
	case FILLS_VECTOR_STORES:
		rate = uarch->fact[CAP_STORES_VECTOR];
		count = work->vector_stores;
		break;
	case FILLS_TAKEN:
		/* Each added jump would be late, because another branch lies in its block. */
		if (uarch->fact[SIZE_BLOCK_BRANCHES] > 0 && uarch->fact[SIZE_BLOCK_BRANCHES] < 2)
			return false;
		rate = uarch_known(uarch->fact[CAP_TAKEN_SEVERAL]) ? uarch->fact[CAP_TAKEN_SEVERAL]
								   : uarch->fact[CAP_TAKEN];
		count = work->taken;
		break;
	}
	if (filler->use == FILLS_PORTS) {
		if (!term)
			return false;
		resource->ports = term->ports;
		limits_name_ports(uarch, term->ports, resource->name, sizeof(resource->name));
		return true;
	}
	option->each = 1 / rate;
	resource->count = count;
	resource->model = count / rate;
	strcpy(resource->name, names[filler->use]);
	return rate > 0;
}

/* Returns the resource in the report that has the same ports or name as `resource`; NULL: the
 * report lacks the resource. */
static struct slack_resource *listed(
	struct slack_report *report, const struct slack_resource *resource)
{
	for (int i = 0; i < report->count; i++)
		if (report->resource[i].ports == resource->ports &&
			(resource->ports || strcmp(report->resource[i].name, resource->name) == 0))
			return &report->resource[i];
	return NULL;
}

/* Moves fillers of a class that also occurs in the loop to the end of the list. If the core model
 * has wrong ports for a class, a filler of the loop's own class would show the same wrong ports,
 * and hide the error. */
static void order_options(const struct slack_report *report, struct slack_resource *resource)
{
	struct slack_filler ordered[SLACK_OPTIONS];
	int count = 0;

	for (int contained = 0; contained < 2; contained++)
		for (int i = 0; i < resource->option_count; i++) {
			const struct slack_class *class =
				class_of(report, resource->option[i].class);

			if ((class && class->count > 0) == contained)
				ordered[count++] = resource->option[i];
		}
	memcpy(resource->option, ordered, (size_t)count * sizeof(*ordered));
}

/* Whether a filler can be part of a mixture whose time the core model knows: it has one kind of
 * micro-ops. */
static bool is_simple(const struct slack_report *report, const struct slack_filler *filler)
{
	const struct slack_class *class = class_of(report, filler->class);

	return class && class->terms == 1 && filler->mixes;
}

/* Finds a mixture of fillers for a resource of at least PORTS ports. Some of its fillers use only
 * the largest part of these ports: their share is the part's share of the ports. */
static void add_mixture(const struct slack_report *report, struct slack_resource *whole)
{
	enum { PORTS = 4 };
	const struct slack_resource *best = NULL;
	int ports = ports_count(whole->ports);

	for (int i = 0; i < report->count; i++) {
		const struct slack_resource *part = &report->resource[i];

		if (part != whole && part->ports && !(part->ports & ~whole->ports) &&
			is_simple(report, &part->option[0]) &&
			(!best || ports_count(part->ports) > ports_count(best->ports)))
			best = part;
	}
	if (best && ports >= PORTS && is_simple(report, &whole->option[0]))
		whole->mixture = fillers_mixture(&whole->option[0], &best->option[0],
			(unsigned)(FILLER_TURNS * ports_count(best->ports) / ports));
}

void fillers_find(
	struct slack_report *report, const struct uarch *uarch, const struct limits_work *work)
{
	report->slots = work->slots;
	report->width = uarch->width;
	report->port_count = uarch_port_count(uarch);
	memcpy(report->port, uarch->port, sizeof(report->port));
	for (int i = 0; i < work->use_count; i++)
		add_class(report, work->use[i].class, work->use[i].count);
	for (unsigned i = 0; i < filler_count; i++) {
		struct slack_resource resource, *same;
		const struct uarch_class *class;
		double each;

		if (!filler_is_possible(i) || !describe(uarch, work, i, &resource))
			continue;
		class = uarch_find(uarch, resource.option[0].class, 0);
		add_class(report, class, 0);
		same = listed(report, &resource);
		if (same && same->option_count < SLACK_OPTIONS)
			same->option[same->option_count++] = resource.option[0];
		if (same || report->count == SLACK_RESOURCES)
			continue;
		if (resource.ports)
			resource.model = fillers_model(report, resource.ports);
		/* Loads and stores may share the ports that compute addresses, so these ports may
		 * limit the rate of loads or stores. */
		else if (class && longest(class, &each) && each >= resource.option[0].each - 1e-9)
			resource.model = fmax(resource.model,
				fillers_model(report, longest(class, &each)->ports));
		report->resource[report->count++] = resource;
	}
	for (int i = 0; i < report->count; i++)
		order_options(report, &report->resource[i]);
	for (int i = 0; i < report->count; i++)
		add_mixture(report, &report->resource[i]);
	if (report->count == 0)
		report->status = status_failed("this program knows no instruction that keeps a "
					       "single resource of %s busy",
			uarch->title);
}
