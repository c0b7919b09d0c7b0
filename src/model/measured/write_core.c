/* Writes a core file from measurements. A number becomes whole only if it is very close to a whole
 * number. A comment then gives the measured value. Numbers that were not measured are absent. */
#include "model/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/core/uarch_inside.h"
#include "model/measured/infer.h"

/* ---- numbers */

/* How to round a value. Cycles become whole within 0.03 cycles and 0.3 %. A rate (a count a cycle)
 * becomes whole from 4 % below to 1.5 % above. A measured rate is usually below the true rate, and
 * only an error of the clock makes it too high. Entries are always whole. */
enum rounding { ROUND_CYCLES, ROUND_RATE, ROUND_ENTRIES, ROUND_NEVER };

/* Writes a decimal number without an exponent: `digits` significant digits, no zeros at the end. */
static void write_number(struct text *text, double value, int digits)
{
	char word[40];
	int decimals = value > 1e-6 ? digits - 1 - (int)floor(log10(value)) : 0;
	size_t length;

	snprintf(word, sizeof(word), "%.*f", decimals > 0 ? (decimals < 6 ? decimals : 6) : 0,
		value);
	length = strlen(word);
	while (strchr(word, '.') && (word[length - 1] == '0' || word[length - 1] == '.')) {
		bool point = word[length - 1] == '.';

		word[--length] = '\0';
		if (point)
			break;
	}
	text_add(text, word);
}

static double write_rounded(double value, enum rounding how)
{
	double whole = round(value);

	switch (how) {
	case ROUND_CYCLES: return fabs(value - whole) <= 0.03 + 0.003 * value ? whole : value;
	case ROUND_RATE:
		return whole > 0 && value >= 0.96 * whole && value <= 1.015 * whole ? whole : value;
	case ROUND_ENTRIES: return whole;
	default: return value;
	}
}

static void write_figure(struct text *text, struct text *comment, const char *what,
	const struct figure *figure, enum rounding how)
{
	double value = write_rounded(figure->value, how),
	       spread = fmax(fabs(figure->hi - value), fabs(figure->lo - value));

	if (!isfinite(spread))
		spread = 0;
	write_number(text, value, 5);
	text_add(text, "±");
	/* The spread cannot be smaller than the resolution of the measurement. */
	write_number(text, fmax(spread, how == ROUND_ENTRIES ? 1 : 0.001), 2);
	if (fabs(value - figure->value) >= 0.0005)
		text_addf(comment, "%s%s%s%.*f", comment->length ? ", " : "", what,
			*what ? " " : "", figure->value < 100 ? 3 : 0, figure->value);
}

static bool figure_good(const struct figure *figure, double least, double most)
{
	return figure->known && isfinite(figure->value) && figure->value >= least &&
	       figure->value <= most;
}

static void write_end(struct text *text, struct text *comment)
{
	text_add(text, " [measured]");
	if (comment->length)
		text_addf(text, "      # %s", text_string(comment));
	text_add(text, "\n");
	text_free(comment);
}

static const struct figure *find_fact(const struct measured *m, const char *word)
{
	for (int i = 0; i < m->fact_count; i++)
		if (strcmp(m->fact[i].word, word) == 0 && m->fact[i].figure.known)
			return &m->fact[i].figure;
	return NULL;
}

/* ---- classes */

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

/* The first class that holds a unit gives it its name. */
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

	if (uarch_class_is_memory(m->op[op].name))
		return 1;
	for (int t = 0; ports->known[op] && t < ports->term_count[op]; t++)
		if (ports->term[op][t].ports < UINT32_C(1) << ports->ports)
			slots += (double)ports->term[op][t].count;
	return fmax(slots, 1);
}

/* Whether the core executes more jumps than taken branches a cycle, while the ports of jumps are
 * unknown. */
static bool jumps_early(const struct measured *m, const struct measured_ports *ports, int op)
{
	const struct figure *taken = find_fact(m, "cap taken");

	if (ports->known[op] || strcmp(m->op[op].name, "jump") != 0 || !taken)
		return false;
	for (int i = 0; i < m->op_count; i++)
		if (strcmp(m->op[i].name, "branch") == 0 && m->op[i].each.known)
			return taken->value * m->op[i].each.value > 1.1;
	return false;
}

/* Whether the class is a gather or scatter that holds its own unit. Its time then counts per
 * access, because the number of accesses differs within the class. */
static bool by_access(const struct measured *m, const struct measured_ports *ports, int op)
{
	return m->op[op].accesses > 1 && ports->known[op] && ports->term_count[op] == 1 &&
	       ports->term[op][0].ports >> ports->ports &&
	       (strncmp(m->op[op].name, "gather", 6) == 0 ||
		       strncmp(m->op[op].name, "scatter", 7) == 0);
}

static bool classes_say(const struct measured *m, const struct measured_ports *ports, int op)
{
	/* The cap on taken branches explains most of the cost of a jump. A jump with unknown ports
	 * gets the ports of branches, unless it is faster than branches. */
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
	struct {
		const char *word;
		struct figure figure;
		enum rounding how;
	} values[] = { { "latency", op->latency, ROUND_CYCLES },
		{ "accumulate", op->accumulate, ROUND_CYCLES }, { "each", op->each, ROUND_NEVER } };

	text_addf(text, "class %s", op->name);
	if (figure_good(&op->latency, -1, 0))
		values[0].figure.value = 0;
	for (int k = 0; k < 3; k++) {
		if (!figure_good(&values[k].figure, 0, 1000))
			continue;
		text_addf(text, " %s ", values[k].word);
		write_figure(text, &comment, values[k].word, &values[k].figure, values[k].how);
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
		text_addf(&comment, "%sfaster than branches: not on their ports",
			comment.length ? ", " : "");
	write_end(text, &comment);
}

/* Adds the class of one access of a gather or scatter. It has the micro-ops of a plain access. It
 * holds the unit for the shortest time per access of all measured classes. */
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

/* Writes "unknown" for a class that could not be measured. Without this line, the core file would
 * apply the class without a width to it. */
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

static void classes_write(
	const struct measured *m, const struct measured_ports *ports, struct text *text)
{
	struct names names;

	name_ports(m, ports, &names);
	text_add(text, "ports");
	/* A core file needs at least one port. */
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
	if (ports->fitted.mixes)
		text_addf(text,
			"# The fewest ports that explain %d mixes of classes: half of them within "
			"%.1f %%, all within %.1f %%.\n",
			ports->fitted.mixes, 100 * ports->fitted.median, 100 * ports->fitted.worst);
	if (ports->checked.mixes)
		text_addf(text,
			"# %d other mixes as a check: half of them within %.1f %%, all within "
			"%.1f %%.\n",
			ports->checked.mixes, 100 * ports->checked.median,
			100 * ports->checked.worst);
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

/* ---- other numbers */

static enum rounding rounding_of(const char *word)
{
	if (strncmp(word, "cap ", 4) == 0 || strcmp(word, "extra decode") == 0 ||
		strcmp(word, "extra opcache-ops") == 0 || strcmp(word, "extra line-ops") == 0 ||
		strcmp(word, "extra split-load") == 0 || strcmp(word, "extra split-store") == 0 ||
		strcmp(word, "extra misses") == 0)
		return ROUND_RATE;
	if (strncmp(word, "size ", 5) == 0)
		return ROUND_ENTRIES;
	return ROUND_CYCLES;
}

static bool has_class(const struct measured *m, const struct measured_ports *ports,
	const char *name, size_t length)
{
	for (int i = 0; i < m->op_count; i++) {
		const char *other = m->op[i].name;

		if (strncmp(other, name, length) == 0 &&
			(other[length] == '\0' || other[length] == '.') && classes_say(m, ports, i))
			return true;
	}
	return false;
}

/* Several chains of single-cycle instructions run, and then the same instructions without
 * dependences. The ratio of their times is within 1 % of 1 if a ready micro-op goes to any free
 * port. It is 1.28 on Redwood Cove, which chooses ports at rename. */
#define CHOSEN_EARLY 1.125

bool measured_early(const struct figure *slower)
{
	return slower->known && slower->value > CHOSEN_EARLY;
}

static void add_early(
	const struct figure *slower, const struct measured_ports *ports, struct text *text)
{
	text_addf(text,
		"extra binds-ports %d [measured]      # chains of single cycles take %.3f (%.3f to "
		"%.3f) times as long as the same instructions free\n",
		measured_early(slower), slower->value, slower->lo, slower->hi);
	if (ports->nested >= 3)
		text_addf(text,
			"# Classes of many ports next to classes on a subset of these ports take "
			"%.2f times as long as needed.\n",
			ports->slower);
}

/* Whether a core file accepts a line with this word and value. */
static bool takes(const struct measured *m, const struct measured_ports *ports, const char *word,
	double value)
{
	enum uarch_fact fact = uarch_fact_find(word);
	double least, most;

	if (fact < UARCH_FACTS) {
		uarch_fact_range(fact, &least, &most);
		return value >= least && value <= most;
	}
	if (strncmp(word, "chain ", 6) == 0) {
		size_t from = strcspn(word + 6, " ");

		return word[6 + from] && has_class(m, ports, word + 6, from) &&
		       has_class(m, ports, word + 7 + from, strlen(word + 7 + from)) &&
		       value >= 0 && value <= 1000;
	}
	return false;
}

static void add_fact(const struct measured *m, const struct measured_ports *ports,
	const struct measured_fact *fact, struct text *text)
{
	struct text comment = { 0 };
	struct figure figure = fact->figure;

	if (!figure.known || !isfinite(figure.value) || strncmp(fact->word, "cache ", 6) == 0 ||
		measured_is_rule(fact->word))
		return;
	figure.value = fmax(0, figure.value);
	if (*fact->words)
		text_addf(text, "# %s\n", fact->words);
	if (strcmp(fact->word, "extra binds-ports") == 0) {
		add_early(&figure, ports, text);
		return;
	}
	if (!takes(m, ports, fact->word, figure.value)) {
		text_addf(text, "# %s: %.4g; core files have no line for it\n", fact->word,
			figure.value);
		return;
	}
	text_addf(text, "%s ", fact->word);
	write_figure(text, &comment, "", &figure, rounding_of(fact->word));
	write_end(text, &comment);
}

static void add_cache(const struct measured *m, int level, struct text *text)
{
	static const char *const names[] = { "bytes", "latency", "lines" };
	static const enum rounding how[] = { ROUND_ENTRIES, ROUND_CYCLES, ROUND_NEVER };
	static const double least[] = { 1024, 0, 0.001 }, most[] = { 1 << 30, 1000, 8 };
	struct text comment = { 0 };

	for (int i = 0; i < 3; i++) {
		const struct figure *figure;
		char word[40];

		snprintf(word, sizeof(word), "cache %d %s", level, names[i]);
		figure = find_fact(m, word);
		/* A cache line in the core file needs the size. */
		if (!figure || !figure_good(figure, least[i], most[i])) {
			if (i == 0)
				return;
			continue;
		}
		if (i == 0)
			text_addf(text, "cache %d", level);
		text_addf(text, " %s ", names[i]);
		write_figure(text, &comment, names[i], figure, how[i]);
	}
	write_end(text, &comment);
}

static void add_buffer(const struct measured_buffer *buffer, struct text *text)
{
	const struct knee *knee = &buffer->knee;
	double entries = round(knee->x + buffer->own);
	struct figure figure = { true, entries, knee->lo + buffer->own, knee->hi + buffer->own };
	struct text comment = { 0 };
	char word[32];

	snprintf(word, sizeof(word), "size %s", buffer->word);
	if (*buffer->words)
		text_addf(text, "# %s\n", buffer->words);
	if ((knee->kind != KNEE_SHARP && knee->kind != KNEE_SOFT) ||
		uarch_fact_find(word) == UARCH_FACTS || !(entries >= 1)) {
		text_addf(text, "# %s: %s\n", word,
			knee->kind == KNEE_NONE ? "the time did not rise with as many as were tried"
			: knee->kind == KNEE_UNCLEAR ? "noise hides where the time rises"
						     : "not measured");
		return;
	}
	text_addf(text, "%s ", word);
	write_figure(text, &comment, "", &figure, ROUND_ENTRIES);
	text_addf(
		&comment, "%.0f fillers and %.0f entries of the loop itself", knee->x, buffer->own);
	if (knee->kind == KNEE_SOFT)
		text_addf(&comment, "; not sharp: the time rises from %.0f to %.0f fillers",
			knee->from, knee->to);
	write_end(text, &comment);
}

/* ---- all of it */

static void add_title(struct text *text, const struct measured *m, const char *name)
{
	char title[48] = "";
	size_t used = 0;

	for (const char *at = m->processor; *at && used + 1 < sizeof(title); at++)
		if ((unsigned char)*at >= ' ' && *at != '#' && *at != '[' && *at != ']')
			title[used++] = *at;
	title[used] = '\0';
	text_cut_clean(title, sizeof(title));
	text_addf(
		text, "uarch %s %s, measured\nisa %s\n\n", name, *title ? title : "A core", m->isa);
}

static void add_heading(struct text *text, const struct measured *m)
{
	text_add(text, "# Measured by slexplore characterise, without counters and without other "
		       "sources.");
	if (*m->words)
		text_addf(text, " %.159s", m->words);
	text_add(text, "\n# A number after ± is the distance from the value to the farther "
		       "quartile. Values near a whole number are rounded:\n"
		       "# cycles within 0.03 and 0.3 %, counts a cycle from 4 % below to 1.5 % "
		       "above. The comment gives the value before rounding.\n");
	if (*m->match)
		text_addf(text, "match %s [measured]\n", m->match);
	text_add(text, "\n");
}

void measured_write(const struct measured *measured, const struct measured_ports *ports,
	const char *name, struct text *text)
{
	struct text comment = { 0 };

	add_title(text, measured, name);
	add_heading(text, measured);
	if (figure_good(&measured->width, 1, 64)) {
		text_add(text, "width ");
		write_figure(text, &comment, "", &measured->width, ROUND_RATE);
		write_end(text, &comment);
	} else {
		text_add(text, "width unknown\n");
	}
	classes_write(measured, ports, text);
	text_add(text, "\n");
	for (int i = 0; i < measured->fact_count; i++)
		if (strncmp(measured->fact[i].word, "chain ", 6) == 0)
			add_fact(measured, ports, &measured->fact[i], text);
	measured_write_rules(measured, text);
	for (int i = 0; i < measured->fact_count; i++)
		if (strncmp(measured->fact[i].word, "chain ", 6) != 0)
			add_fact(measured, ports, &measured->fact[i], text);
	for (int level = 1; level <= 2; level++)
		add_cache(measured, level, text);
	for (int i = 0; i < measured->buffer_count; i++)
		add_buffer(&measured->buffer[i], text);
}
