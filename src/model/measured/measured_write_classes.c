/* Of a core's file from what was measured: its ports, and a line for each class. */
#include "model/measured/measured_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/core/uarch_read.h"
#include "model/measured/measured_parts.h"

struct names {
	char port[UARCH_PORTS][12];
};

static bool taken(const struct names *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names->port[i], name) == 0)
			return true;
	return false;
}

/* A unit has the name of what holds it first. */
static void name_ports(
	const struct measured *m, const struct measured_ports *ports, struct names *names)
{
	memset(names, 0, sizeof(*names));
	for (int port = 0; port < ports->ports + ports->units && port < UARCH_PORTS; port++) {
		char *name = names->port[port];

		snprintf(name, sizeof(names->port[0]), port < ports->ports ? "p%d" : "u%d",
			port < ports->ports ? port : port - ports->ports);
		for (int i = 0; i < m->op_count && port >= ports->ports && name[0] == 'u'; i++)
			for (int t = 0; t < ports->term_count[i]; t++) {
				char held[12];

				if (ports->term[i][t].ports != UINT32_C(1) << port)
					continue;
				snprintf(held, sizeof(held), "%.*s",
					(int)fmin(11, (double)strcspn(m->op[i].name, ".")),
					m->op[i].name);
				if (!taken(names, port, held))
					memcpy(name, held, sizeof(held));
				break;
			}
	}
}

static void add_ports(struct text *text, const struct names *names, uint32_t ports)
{
	for (bool first = true; ports; ports &= ports - 1, first = false)
		text_addf(text, "%s%s", first ? "" : ",", names->port[__builtin_ctz(ports)]);
}

static void add_terms(
	struct text *text, const struct measured_ports *ports, int op, const struct names *names)
{
	if (!ports->known[op])
		text_add(text, "unknown");
	else if (ports->term_count[op] == 0)
		text_add(text, "none");
	for (int t = 0; ports->known[op] && t < ports->term_count[op]; t++) {
		const struct uarch_term *term = &ports->term[op][t];

		text_add(text, t ? " + " : "");
		if (fabsf(term->count - 1) > 1e-4f) {
			write_number(text, (double)term->count, 4);
			text_add(text, "*");
		}
		add_ports(text, names, term->ports);
		if (fabsf(term->cycles - 1) > 1e-4f) {
			text_add(text, ":");
			write_number(text, write_rounded((double)term->cycles, ROUND_CYCLES), 4);
		}
	}
}

static double usual_slots(const struct measured *m, const struct measured_ports *ports, int op)
{
	double slots = 0;

	if (uarch_reserved_is_memory(m->op[op].name))
		return 1;
	for (int t = 0; ports->known[op] && t < ports->term_count[op]; t++)
		if (ports->term[op][t].ports < UINT32_C(1) << ports->ports)
			slots += (double)ports->term[op][t].count;
	return fmax(slots, 1);
}

/* A jump of which nothing is known but that more of them are taken in a cycle than there are ports
 * for branches. */
static bool jumps_early(const struct measured *m, const struct measured_ports *ports, int op)
{
	const struct figure *taken = measured_fact(m, "cap taken");

	if (ports->known[op] || strcmp(m->op[op].name, "jump") != 0 || !taken)
		return false;
	for (int i = 0; i < m->op_count; i++)
		if (strcmp(m->op[i].name, "branch") == 0 && m->op[i].each.known)
			return taken->value * m->op[i].each.value > 1.1;
	return false;
}

/* A gather or scatter that holds something of its own: for so long for each access, since others of
 * the class have more or fewer. */
static bool by_access(const struct measured *m, const struct measured_ports *ports, int op)
{
	return m->op[op].accesses > 1 && ports->known[op] && ports->term_count[op] == 1 &&
	       ports->term[op][0].ports >> ports->ports &&
	       (strncmp(m->op[op].name, "gather", 6) == 0 ||
		       strncmp(m->op[op].name, "scatter", 7) == 0);
}

bool classes_say(const struct measured *m, const struct measured_ports *ports, int op)
{
	/* A jump costs more than its port, which the cap says; where its port could not be found,
	 * it goes where branches go, unless it is quicker. */
	if (jumps_early(m, ports, op))
		return true;
	if (!ports->known[op] &&
		(strcmp(m->op[op].name, "taken") == 0 || strcmp(m->op[op].name, "jump") == 0))
		return false;
	return ports->known[op] || figure_good(&m->op[op].latency, -1, 1000) ||
	       figure_good(&m->op[op].each, 0, 1000);
}

static void add_class(const struct measured *m, const struct measured_ports *ports, int i,
	const struct names *names, struct text *text)
{
	const struct measured_op *op = &m->op[i];
	struct text comment = { 0 };
	double slots = op->slots.known ? measured_own_slots(op) : usual_slots(m, ports, i);
	bool early = jumps_early(m, ports, i);

	text_addf(text, "class %s", op->name);
	if (figure_good(&op->latency, -1, 1000)) {
		struct figure latency = op->latency;

		latency.value = fmax(0, latency.value);
		text_add(text, " latency ");
		write_figure(text, &comment, "latency", &latency, ROUND_CYCLES);
	}
	if (figure_good(&op->accumulate, 0, 1000)) {
		text_add(text, " accumulate ");
		write_figure(text, &comment, "accumulate", &op->accumulate, ROUND_CYCLES);
	}
	if (figure_good(&op->each, 0, 1000)) {
		text_add(text, " each ");
		write_figure(text, &comment, "each", &op->each, ROUND_NEVER);
	}
	if (fabs(slots - usual_slots(m, ports, i)) > 0.02) {
		text_add(text, " slots ");
		write_number(text, slots, 3);
	}
	text_add(text, " ports ");
	if (early || by_access(m, ports, i))
		text_add(text, "none");
	else
		add_terms(text, ports, i, names);
	if (early)
		text_addf(&comment, "%smore a cycle than branches: not on their ports",
			comment.length ? ", " : "");
	write_end(text, &comment);
	text_free(&comment);
}

/* What each access of a gather or scatter takes: what any such access does, and of what they hold
 * the least that one of them showed. */
static void add_accesses(const struct measured *m, const struct measured_ports *ports,
	const char *name, const char *class, const struct names *names, struct text *text)
{
	int best = -1, access = -1;
	double least = INFINITY;

	for (int i = 0; i < m->op_count; i++)
		if (strncmp(m->op[i].name, name, strlen(name)) == 0 && by_access(m, ports, i) &&
			(double)ports->term[i][0].cycles / m->op[i].accesses < least) {
			least = (double)ports->term[i][0].cycles / m->op[i].accesses;
			best = i;
		}
	for (int i = 0; best >= 0 && i < m->op_count; i++)
		if (strcmp(m->op[i].name,
			    *m->op[best].load ? m->op[best].load : m->op[best].store) == 0 &&
			ports->known[i])
			access = i;
	if (access < 0)
		return;
	text_addf(text, "class %s", class);
	if (figure_good(&m->op[access].latency, 0, 1000)) {
		text_add(text, " latency ");
		write_number(text, write_rounded(m->op[access].latency.value, ROUND_CYCLES), 4);
	}
	text_add(text, " ports ");
	add_terms(text, ports, access, names);
	text_add(text, " + ");
	add_ports(text, names, ports->term[best][0].ports);
	text_add(text, ":");
	write_number(text, least, 3);
	text_addf(text, " [measured]      # %s: %.4g cycles, %u accesses\n", m->op[best].name,
		(double)ports->term[best][0].cycles, m->op[best].accesses);
}

/* What was tried and not found says so where something else would stand in for it: the same class
 * of another width. */
static void add_unknown(
	const struct measured *m, const struct measured_ports *ports, int op, struct text *text)
{
	size_t length = strcspn(m->op[op].name, ".");

	for (int i = 0; i < m->op_count && m->op[op].name[length]; i++)
		if (strlen(m->op[i].name) == length &&
			strncmp(m->op[i].name, m->op[op].name, length) == 0 &&
			classes_say(m, ports, i)) {
			text_addf(text, "class %s ports unknown\n", m->op[op].name);
			return;
		}
}

void classes_write(const struct measured *m, const struct measured_ports *ports, struct text *text)
{
	struct names names;

	name_ports(m, ports, &names);
	text_add(text, "ports");
	/* A core has one, whatever is known of it. */
	if (ports->ports == 0)
		text_add(text, " p0");
	for (int port = 0; port < ports->ports; port++)
		text_addf(text, " %s", names.port[port]);
	text_add(text, " [measured]\n");
	if (ports->units)
		text_add(text, "units");
	for (int unit = 0; unit < ports->units; unit++)
		text_addf(text, " %s", names.port[ports->ports + unit]);
	text_add(text, ports->units ? "\n" : "");
	text_add(text, "\n");
	if (ports->fitted)
		text_addf(text,
			"# The fewest ports that explain %d mixes of classes: half of them within "
			"%.1f %%, all within %.1f %%.\n",
			ports->fitted, 100 * ports->fitted_median, 100 * ports->fitted_worst);
	if (ports->checked)
		text_addf(text,
			"# Of %d other mixes, which nothing was taken from: half within %.1f %%, "
			"all within %.1f %%.\n",
			ports->checked, 100 * ports->checked_median, 100 * ports->checked_worst);
	if (*ports->disagrees)
		text_addf(text, "# Worst: %s.\n", ports->disagrees);
	for (int i = 0; i < m->op_count; i++)
		if (classes_say(m, ports, i))
			add_class(m, ports, i, &names, text);
		else
			add_unknown(m, ports, i, text);
	add_accesses(m, ports, "gather", "gather-load", &names, text);
	add_accesses(m, ports, "scatter", "scatter-store", &names, text);
}
