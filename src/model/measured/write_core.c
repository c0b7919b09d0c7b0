/* Writes a core file (a model of a core) from measurements of the core. If a measured value is very
 * close to a whole number, the file contains the whole number, and a comment gives the measured
 * value. Numbers that were not measured are absent from the written core file. */
#include "model/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/core/uarch_inside.h"
#include "model/measured/infer.h"

struct writer {
	const struct measured *m;
	const struct measured_ports *ports;
	struct text *text, comment; /* text: the core file; comment: text of the comment at the end
				       of the current line */
	char name[UARCH_PORTS][12]; /* names of the core's ports and units in the file */
};

/* ---- Writing a number */

/* Rules for rounding a value to a whole number. Cycles are rounded if they differ from a whole
 * number by at most 0.03 cycles plus 0.3 %. A rate (a count per cycle) is rounded from 4 % below a
 * whole number to 1.5 % above. A measured rate is usually below the true rate, and only an error of
 * the clock makes a rate too high. Numbers of entries are always rounded. */
enum rounding { ROUND_CYCLES, ROUND_RATE, ROUND_ENTRIES, ROUND_NEVER };

/* Writes a decimal number without an exponent. The number has `digits` significant digits, and no
 * zeros at the end. */
static void write_number(struct text *text, double value, int digits)
{
	char word[40];
	int decimals = value > 1e-6 ? digits - 1 - (int)floor(log10(value)) : 0;
	size_t length;

	snprintf(word, sizeof(word), "%.*f", decimals > 0 ? (decimals < 6 ? decimals : 6) : 0,
		value);
	length = strlen(word);
	while (strchr(word, '.') && strchr("0.", word[length - 1]))
		word[--length] = '\0';
	text_add(text, word);
}

static double write_rounded(double value, enum rounding how)
{
	double whole = round(value);
	bool near = how == ROUND_CYCLES ? fabs(value - whole) <= 0.03 + 0.003 * value
		    : how == ROUND_RATE
			    ? whole > 0 && value >= 0.96 * whole && value <= 1.015 * whole
			    : how == ROUND_ENTRIES;

	return near ? whole : value;
}

/* Writes " WHAT VALUE±SPREAD". WHAT is the text in the parameter `what`, which may be empty. */
static void write_figure(
	struct writer *w, const char *what, const struct figure *figure, enum rounding how)
{
	double value = write_rounded(figure->value, how),
	       spread = fmax(fabs(figure->hi - value), fabs(figure->lo - value));

	text_addf(w->text, "%s%s ", *what ? " " : "", what);
	write_number(w->text, value, 5);
	text_add(w->text, "±");
	/* The written spread is at least the resolution of the measurement. */
	write_number(
		w->text, fmax(isfinite(spread) ? spread : 0, how == ROUND_ENTRIES ? 1 : 0.001), 2);
	if (fabs(value - figure->value) >= 0.0005)
		text_addf(&w->comment, "%s%s%s%.*f", w->comment.length ? ", " : "", what,
			*what ? " " : "", figure->value < 100 ? 3 : 0, figure->value);
}

static bool figure_good(const struct figure *figure, double least, double most)
{
	return figure && figure->known && isfinite(figure->value) && figure->value >= least &&
	       figure->value <= most;
}

static void write_end(struct writer *w)
{
	text_add(w->text, " [measured]");
	if (w->comment.length)
		text_addf(w->text, "      # %s", text_string(&w->comment));
	text_add(w->text, "\n");
	text_clear(&w->comment);
}

/* ---- Writing the classes */

/* Names the ports p0, p1 and so on. A unit gets the name of the first class that holds the unit. */
static void name_ports(struct writer *w)
{
	const struct measured_ports *ports = w->ports;

	for (int port = 0; port < ports->ports; port++)
		snprintf(w->name[port], sizeof(w->name[0]), "p%d", (unsigned char)port);
	for (int unit = 0; unit < ports->units; unit++) {
		int port = ports->ports + unit;
		char *name = w->name[port];

		snprintf(name, sizeof(w->name[0]), "u%d", unit);
		for (int i = 0; i < w->m->op_count && name[0] == 'u'; i++)
			for (int t = 0; t < ports->term_count[i]; t++) {
				char held[12];
				int k = 0;

				if (ports->term[i][t].ports != UINT32_C(1) << port)
					continue;
				snprintf(held, sizeof(held), "%.*s",
					(int)strcspn(w->m->op[i].name, "."), w->m->op[i].name);
				while (k < port && strcmp(w->name[k], held) != 0)
					k++;
				if (k == port)
					memcpy(name, held, sizeof(held));
				break;
			}
	}
}

static void add_ports(struct writer *w, uint32_t ports)
{
	for (const char *before = ""; ports; ports &= ports - 1, before = ",")
		text_addf(w->text, "%s%s", before, w->name[__builtin_ctz(ports)]);
}

static void add_terms(struct writer *w, int op)
{
	const struct measured_ports *ports = w->ports;

	if (!ports->known[op])
		text_add(w->text, "unknown");
	else if (ports->term_count[op] == 0)
		text_add(w->text, "none");
	for (int t = 0; ports->known[op] && t < ports->term_count[op]; t++) {
		const struct uarch_term *term = &ports->term[op][t];

		text_add(w->text, t ? " + " : "");
		if (fabsf(term->count - 1) > 1e-4f) {
			write_number(w->text, (double)term->count, 4);
			text_add(w->text, "*");
		}
		add_ports(w, term->ports);
		if (fabsf(term->cycles - 1) > 1e-4f) {
			text_add(w->text, ":");
			write_number(w->text, write_rounded((double)term->cycles, ROUND_CYCLES), 4);
		}
	}
}

static double usual_slots(const struct writer *w, int op)
{
	const struct measured_ports *ports = w->ports;
	double slots = 0;

	if (uarch_class_is_memory(w->m->op[op].name))
		return 1;
	for (int t = 0; ports->known[op] && t < ports->term_count[op]; t++)
		if (ports->term[op][t].ports < UINT32_C(1) << ports->ports)
			slots += (double)ports->term[op][t].count;
	return fmax(slots, 1);
}

/* Whether the core executes more jumps than taken branches a cycle, while the ports of jumps are
 * unknown. */
static bool jumps_early(const struct writer *w, int op)
{
	const struct figure *taken = measured_fact(w->m, "cap taken");
	int branch = infer_op(w->m, "branch");

	return !w->ports->known[op] && strcmp(w->m->op[op].name, "jump") == 0 && taken &&
	       branch >= 0 && w->m->op[branch].each.known &&
	       taken->value * w->m->op[branch].each.value > 1.1;
}

/* Whether a class is a gather or scatter that holds its own unit. The core file then states the
 * time per access, because the number of accesses differs within the class. */
static bool by_access(const struct writer *w, int op)
{
	const struct measured_ports *ports = w->ports;

	return w->m->op[op].accesses > 1 && ports->known[op] && ports->term_count[op] == 1 &&
	       ports->term[op][0].ports >> ports->ports &&
	       (strncmp(w->m->op[op].name, "gather", 6) == 0 ||
		       strncmp(w->m->op[op].name, "scatter", 7) == 0);
}

static bool classes_say(const struct writer *w, int op)
{
	const struct measured_op *of = &w->m->op[op];

	/* The cap on taken branches explains most of the cost of a jump. If the ports of jumps are
	 * unknown, jumps get the ports of branches, unless a jump is faster than a branch. */
	if (w->ports->known[op] || jumps_early(w, op))
		return true;
	return strcmp(of->name, "taken") != 0 && strcmp(of->name, "jump") != 0 &&
	       (figure_good(&of->latency, -1, 1000) || figure_good(&of->each, 0, 1000));
}

static void add_class(struct writer *w, int i)
{
	const struct measured_op *op = &w->m->op[i];
	double usual = usual_slots(w, i), slots = op->slots.known ? measured_own_slots(op) : usual;
	bool early = jumps_early(w, i);
	struct {
		const char *word;
		struct figure figure;
		enum rounding how;
	} values[] = { { "latency", op->latency, ROUND_CYCLES },
		{ "accumulate", op->accumulate, ROUND_CYCLES }, { "each", op->each, ROUND_NEVER } };

	text_addf(w->text, "class %s", op->name);
	if (figure_good(&op->latency, -1, 0))
		values[0].figure.value = 0;
	for (int k = 0; k < 3; k++)
		if (figure_good(&values[k].figure, 0, 1000))
			write_figure(w, values[k].word, &values[k].figure, values[k].how);
	if (fabs(slots - usual) > 0.02) {
		text_add(w->text, " slots ");
		write_number(w->text, slots, 3);
	}
	text_add(w->text, " ports ");
	if (early || by_access(w, i))
		text_add(w->text, "none");
	else
		add_terms(w, i);
	if (early)
		text_addf(&w->comment, "%sfaster than branches: not on their ports",
			w->comment.length ? ", " : "");
	write_end(w);
}

/* Adds the class of one access of a gather or scatter. The class for one access of a gather or
 * scatter has the micro-ops of a plain access. The class for one access of a gather or scatter
 * holds the unit for the shortest time per access of all measured classes. */
static void add_accesses(struct writer *w, const char *name, const char *class)
{
	const struct measured_op *of = NULL, *access;
	const struct uarch_term *held = NULL;
	double least = INFINITY;
	int op;

	for (int i = 0; i < w->m->op_count; i++) {
		const struct uarch_term *term = &w->ports->term[i][0];

		if (strncmp(w->m->op[i].name, name, strlen(name)) == 0 && by_access(w, i) &&
			(double)term->cycles / w->m->op[i].accesses < least) {
			least = (double)term->cycles / w->m->op[i].accesses;
			of = &w->m->op[i];
			held = term;
		}
	}
	op = of ? infer_op(w->m, *of->load ? of->load : of->store) : -1;
	if (op < 0 || !w->ports->known[op])
		return;
	access = &w->m->op[op];
	text_addf(w->text, "class %s", class);
	if (figure_good(&access->latency, 0, 1000)) {
		text_add(w->text, " latency ");
		write_number(w->text, write_rounded(access->latency.value, ROUND_CYCLES), 4);
	}
	text_add(w->text, " ports ");
	add_terms(w, op);
	text_add(w->text, " + ");
	add_ports(w, held->ports);
	text_add(w->text, ":");
	write_number(w->text, least, 3);
	text_addf(&w->comment, "%s: %.4g cycles, %u accesses", of->name, (double)held->cycles,
		of->accesses);
	write_end(w);
}

/* Writes "unknown" for a class that could not be measured. Without the word "unknown" for the
 * class, a reader of the core file would use the class without a vector width. */
static void add_unknown(struct writer *w, int op)
{
	const char *name = w->m->op[op].name, *dot = strchr(name, '.');
	char base[sizeof(w->m->op[op].name)];
	int plain;

	snprintf(base, sizeof(base), "%.*s", (int)strcspn(name, "."), name);
	plain = dot ? infer_op(w->m, base) : -1;
	if (plain >= 0 && classes_say(w, plain))
		text_addf(w->text, "class %s ports unknown\n", name);
}

static void add_agreement(struct writer *w, const struct measured_agreement *of, const char *before,
	const char *after)
{
	if (of->mixes)
		text_addf(w->text, "# %s%d %s: half of them within %.1f %%, all within %.1f %%.\n",
			before, of->mixes, after, 100 * of->median, 100 * of->worst);
}

static void classes_write(struct writer *w)
{
	const struct measured_ports *ports = w->ports;

	name_ports(w);
	/* A core file must name at least one port. */
	text_add(w->text, ports->ports ? "ports" : "ports p0");
	for (int port = 0; port < ports->ports; port++)
		text_addf(w->text, " %s", w->name[port]);
	text_add(w->text, ports->units ? " [measured]\nunits" : " [measured]");
	for (int unit = 0; unit < ports->units; unit++)
		text_addf(w->text, " %s", w->name[ports->ports + unit]);
	text_add(w->text, "\n\n");
	add_agreement(w, &ports->fitted, "The fewest ports that explain ", "mixes of classes");
	add_agreement(w, &ports->checked, "", "other mixes as a check");
	if (*ports->disagrees)
		text_addf(w->text, "# Worst: %s.\n", ports->disagrees);
	for (int i = 0; i < w->m->op_count; i++)
		(classes_say(w, i) ? add_class : add_unknown)(w, i);
	add_accesses(w, "gather", "gather-load");
	add_accesses(w, "scatter", "scatter-store");
}

/* ---- Writing the numbers that belong to no class */

static enum rounding rounding_of(enum uarch_fact fact)
{
	if (fact < SIZE_COUNT)
		return ROUND_ENTRIES;
	return fact < EXTRA_SCALED_INDEX || (fact >= EXTRA_DECODE && fact < UARCH_FACTS)
		       ? ROUND_RATE
		       : ROUND_CYCLES;
}

static bool has_class(const struct writer *w, const char *name, size_t length)
{
	for (int i = 0; i < w->m->op_count; i++) {
		const char *other = w->m->op[i].name;

		if (strncmp(other, name, length) == 0 &&
			(other[length] == '\0' || other[length] == '.') && classes_say(w, i))
			return true;
	}
	return false;
}

/* The smallest ratio of two times that shows that a core chooses ports at rename. The first of the
 * two times is that of several chains of single-cycle instructions, the second that of the same
 * instructions without dependences. If a ready micro-op can go to any free port, the ratio is
 * within 1 % of 1. On Redwood Cove, which chooses ports at rename, the time of several chains
 * is 1.28 times that of independent instructions. */
#define CHOSEN_EARLY 1.125

bool measured_early(const struct figure *slower)
{
	return slower && slower->known && slower->value > CHOSEN_EARLY;
}

static void add_early(struct writer *w, const struct figure *slower)
{
	text_addf(w->text,
		"extra binds-ports %d [measured]      # chains of single cycles take %.3f (%.3f to "
		"%.3f) times as long as the same instructions free\n",
		measured_early(slower), slower->value, slower->lo, slower->hi);
	if (w->ports->nested >= 3)
		text_addf(w->text,
			"# Classes of many ports next to classes on a subset of these ports take "
			"%.2f times as long as needed.\n",
			w->ports->slower);
}

/* Whether a core file accepts a line with the given word and value. */
static bool takes(const struct writer *w, const char *word, double value)
{
	enum uarch_fact fact = uarch_fact_find(word);
	double least = 0, most = 1000;
	const char *producer = word + 6, *consumer;

	if (fact < UARCH_FACTS) {
		uarch_fact_range(fact, &least, &most);
	} else {
		consumer = strncmp(word, "chain ", 6) == 0 ? strchr(producer, ' ') : NULL;
		if (!consumer || !has_class(w, producer, (size_t)(consumer - producer)) ||
			!has_class(w, consumer + 1, strlen(consumer + 1)))
			return false;
	}
	return value >= least && value <= most;
}

static void add_fact(struct writer *w, const struct measured_fact *fact)
{
	struct figure figure = fact->figure;

	if (!figure.known || !isfinite(figure.value) || strncmp(fact->word, "cache ", 6) == 0 ||
		measured_is_rule(fact->word))
		return;
	figure.value = fmax(0, figure.value);
	if (*fact->words)
		text_addf(w->text, "# %s\n", fact->words);
	if (strcmp(fact->word, "extra binds-ports") == 0) {
		add_early(w, &figure);
	} else if (!takes(w, fact->word, figure.value)) {
		text_addf(w->text, "# %s: %.4g; core files have no line for it\n", fact->word,
			figure.value);
	} else {
		text_add(w->text, fact->word);
		write_figure(w, "", &figure, rounding_of(uarch_fact_find(fact->word)));
		write_end(w);
	}
}

static void add_cache(struct writer *w, int level)
{
	static const struct {
		const char *name;
		double least, most;
		enum rounding how;
	} rows[] = { { "bytes", 1024, 1 << 30, ROUND_ENTRIES },
		{ "latency", 0, 1000, ROUND_CYCLES }, { "lines", 0.001, 8, ROUND_NEVER } };

	for (int i = 0; i < 3; i++) {
		const struct figure *figure;
		char word[40];

		snprintf(word, sizeof(word), "cache %d %s", level, rows[i].name);
		figure = measured_fact(w->m, word);
		if (figure_good(figure, rows[i].least, rows[i].most)) {
			if (i == 0)
				text_addf(w->text, "cache %d", level);
			write_figure(w, rows[i].name, figure, rows[i].how);
		} else if (i == 0) { /* a `cache` line of a core file must state the size, so no
					line is written */
			return;
		}
	}
	write_end(w);
}

static void add_buffer(struct writer *w, const struct measured_buffer *buffer)
{
	const struct knee *knee = &buffer->knee;
	double entries = round(knee->x + buffer->own);
	struct figure figure = { true, entries, knee->lo + buffer->own, knee->hi + buffer->own };
	char word[32];

	snprintf(word, sizeof(word), "size %s", buffer->word);
	if (*buffer->words)
		text_addf(w->text, "# %s\n", buffer->words);
	if ((knee->kind != KNEE_SHARP && knee->kind != KNEE_SOFT) ||
		uarch_fact_find(word) == UARCH_FACTS || !(entries >= 1)) {
		text_addf(w->text, "# %s: %s\n", word,
			knee->kind == KNEE_NONE
				? "the time did not rise up to the largest number tried"
			: knee->kind == KNEE_UNCLEAR ? "no second measurement confirms the knee"
						     : "not measured");
		return;
	}
	text_add(w->text, word);
	write_figure(w, "", &figure, ROUND_ENTRIES);
	text_addf(&w->comment, "%.0f fillers and %.0f entries of the loop itself", knee->x,
		buffer->own);
	if (knee->kind == KNEE_SOFT)
		text_addf(&w->comment, "; not sharp: the time rises from %.0f to %.0f fillers",
			knee->from, knee->to);
	write_end(w);
}

/* ---- Writing the whole core file */

static void add_heading(struct text *text, const struct measured *m, const char *name)
{
	char title[48] = "";
	size_t used = 0;

	for (const char *at = m->processor; *at && used + 1 < sizeof(title); at++)
		if ((unsigned char)*at >= ' ' && !strchr("#[]", *at))
			title[used++] = *at;
	/* "Processor, family 1ah model 02h": a title that does not fit ends before a comma. */
	if (strlen(m->processor) >= sizeof(title) && strrchr(title, ','))
		*strrchr(title, ',') = '\0';
	text_cut_clean(title, sizeof(title));
	text_addf(
		text, "uarch %s %s, measured\nisa %s\n\n", name, *title ? title : "A core", m->isa);
	text_addf(text,
		"# Measured by slexplore characterise, without counters and without other "
		"sources.%s%.159s\n"
		"# A number after ± is the distance from the value to the farther quartile. Values "
		"near a whole number are rounded:\n"
		"# cycles within 0.03 and 0.3 %%, counts a cycle from 4 %% below to 1.5 %% above. "
		"The comment gives the value before rounding.\n",
		*m->words ? " " : "", m->words);
	if (*m->match)
		text_addf(text, "match %s [measured]\n", m->match);
	text_add(text, "\n");
}

static void add_facts(struct writer *w, bool chains)
{
	for (int i = 0; i < w->m->fact_count; i++)
		if ((strncmp(w->m->fact[i].word, "chain ", 6) == 0) == chains)
			add_fact(w, &w->m->fact[i]);
}

void measured_write(const struct measured *measured, const struct measured_ports *ports,
	const char *name, struct text *text)
{
	struct writer w = { .m = measured, .ports = ports, .text = text };

	add_heading(text, measured, name);
	if (figure_good(&measured->width, 1, 64)) {
		text_add(text, "width");
		write_figure(&w, "", &measured->width, ROUND_RATE);
		write_end(&w);
	} else {
		text_add(text, "width unknown\n");
	}
	classes_write(&w);
	text_add(text, "\n");
	add_facts(&w, true);
	measured_write_rules(measured, text);
	add_facts(&w, false);
	for (int level = 1; level <= 2; level++)
		add_cache(&w, level);
	for (int i = 0; i < measured->buffers.count; i++)
		add_buffer(&w, &measured->buffers.buffer[i]);
	text_free(&w.comment);
}
