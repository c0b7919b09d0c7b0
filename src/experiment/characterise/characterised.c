#include "experiment/characterise/characterised.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double spread_of(const struct figure *figure)
{
	return fmax(figure->hi - figure->value, figure->value - figure->lo);
}

/* Prints a value with its spread, "3.00 ±0.010", or "-" if the value is unknown. `width` is the
 * number of columns of the widest value. */
static void put(FILE *out, const struct figure *figure, int width)
{
	double spread = spread_of(figure);

	if (!figure->known) {
		fprintf(out, "  %*s %6s", width, "-", "");
		return;
	}
	fprintf(out, fabs(figure->value) >= 1000 ? "  %*.0f" : "  %*.2f", width, figure->value);
	fprintf(out,
		spread < 1     ? " ±%-5.3f"
		: spread < 10  ? " ±%-5.3g"
		: spread < 1e5 ? " ±%-5.0f"
			       : " ±%-5.0e",
		spread);
}

void characterised_ports(const struct measured_ports *ports, int op, struct text *text)
{
	if (!ports->known[op])
		return;
	if (ports->term_count[op] == 0)
		text_add(text, "none");
	for (int i = 0; i < ports->term_count[op]; i++) {
		const struct uarch_term *term = &ports->term[op][i];
		const char *comma = "";

		text_add(text, i ? " + " : "");
		if (fabs((double)term->count - 1) > 1e-6)
			text_addf(text, "%.3g*", (double)term->count);
		for (int port = 0; port < ports->ports + ports->units; port++)
			if (term->ports >> port & 1) {
				text_addf(text, "%s%s%d", comma, port < ports->ports ? "p" : "unit",
					port < ports->ports ? port : port - ports->ports);
				comma = ",";
			}
		if (fabs((double)term->cycles - 1) > 1e-6)
			text_addf(text, ":%.3g", (double)term->cycles);
	}
}

/* Prints what the columns of the table of classes are, with their units. */
static void put_units(FILE *out, enum source cycles_from)
{
	text_print(out, TEXT_COLUMNS, "\n", 0,
		"latency: cycles until the result is available; each: cycles per instruction, if "
		"instructions are independent; slots: places of the issue width that an "
		"instruction takes; ±: distance to the farther quartile, or to the end of the "
		"range");
	if (cycles_from != SOURCE_NONE)
		fprintf(out, "(cycles: %s)\n", source_of_cycles(cycles_from));
}

static void put_classes(FILE *out, const struct characterise_report *report)
{
	const struct measured *measured = &report->measured;
	int unknown = 0;

	put_units(out, report->cycles_from);
	fprintf(out, "\n%-21s  %7s %6s  %6s %6s  %5s %6s  %s\n", "class", "latency", "", "each", "",
		"slots", "", report->ported ? "ports" : "");
	for (int i = 0; i < measured->op_count; i++) {
		const struct measured_op *op = &measured->op[i];
		struct text ports = { 0 };

		if (report->ported)
			characterised_ports(&report->ports, i, &ports);
		if (!op->latency.known && !op->each.known && !op->slots.known &&
			!op->accumulate.known && !ports.length) {
			unknown++;
			text_free(&ports);
			continue;
		}
		fprintf(out, "%-21s", op->name);
		put(out, &op->latency, 7);
		put(out, &op->each, 6);
		put(out, &op->slots, 5);
		fprintf(out, "  %s", text_string(&ports));
		if (op->accumulate.known)
			fprintf(out, "%saddend %.2f ±%.2g", ports.length ? ", " : "",
				op->accumulate.value, spread_of(&op->accumulate));
		fprintf(out, "\n");
		text_free(&ports);
	}
	if (unknown)
		fprintf(out, "%d class%s without a value\n", unknown, unknown == 1 ? "" : "es");
}

static void put_facts(FILE *out, const struct measured *measured)
{
	if (measured->fact_count + measured->buffers.count == 0)
		return;
	fprintf(out, "\n");
	for (int i = 0; i < measured->fact_count; i++) {
		const struct measured_fact *fact = &measured->fact[i];

		if (!fact->figure.known)
			continue;
		fprintf(out, "%-36s", fact->word);
		put(out, &fact->figure, 10);
		fprintf(out, "  %s\n", fact->words);
	}
	for (int i = 0; i < measured->buffers.count; i++) {
		const struct measured_buffer *buffer = &measured->buffers.buffer[i];

		if (buffer->knee.kind == KNEE_SHARP || buffer->knee.kind == KNEE_SOFT)
			fprintf(out, "size %-31s  %10.0f ±%-5.2g  %s%s\n", buffer->word,
				buffer->knee.x + buffer->own,
				(buffer->knee.hi - buffer->knee.lo) / 2, buffer->words,
				buffer->knee.kind == KNEE_SOFT ? "; no sharp knee" : "");
		else
			fprintf(out,
				"size %-31s  %10s %6s  %s; no second measurement confirms %.0f to "
				"%.0f\n",
				buffer->word, "-", "", buffer->words, buffer->knee.lo + buffer->own,
				buffer->knee.hi + buffer->own);
	}
}

/* Whether the compared number is the cycles of a mix, a loop with instructions of two classes side
 * by side. Both models compute it from their ports. */
static bool is_mix(const struct model_difference *difference)
{
	return strstr(difference->what, " and ");
}

/* Adds a line that compares a number of the measured core model with the shipped core model:
 * "latency of fadd: measured 3.00 ±0.01, shipped 3: agrees". */
static void add_difference(
	struct text *text, const struct model_difference *difference, const char *name)
{
	text_addf(text, "  %s: ", difference->what);
	if (isnan(difference->a))
		text_add(text, "not measured");
	else
		text_addf(text, "%s %.4g",
			is_mix(difference) ? "by the inferred ports" : "measured", difference->a);
	if (!isnan(difference->a) && difference->a_spread > 0)
		text_addf(text, " ±%.2g", difference->a_spread);
	if (isnan(difference->b))
		text_addf(text, ", %s says nothing\n", name);
	else
		text_addf(text, ", %s %.4g%s\n", name, difference->b,
			difference->agrees ? ": agrees" : "");
}

/* The largest number of printed differences of mixes. */
enum { MIXES_SHOWN = 12 };

static void put_differences(FILE *out, const struct characterised *characterised)
{
	enum { AGREES, DIFFERS, ALONE, KINDS };
	int count[KINDS] = { 0 }, mixes = 0;
	struct text list = { 0 };
	const char *name;

	if (!characterised->shipped)
		return;
	name = characterised->shipped->name;
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];
		int kind = isnan(difference->a) || isnan(difference->b) ? ALONE
			   : difference->agrees				? AGREES
									: DIFFERS;

		count[kind]++;
		if (characterised->agreements ||
			(kind == DIFFERS && (!is_mix(difference) || ++mixes <= MIXES_SHOWN)))
			add_difference(&list, difference, name);
	}
	fprintf(out,
		"\n"
		"against %s: %d values agree, %d differ, %d are in only one of the two models%s\n"
		"%s",
		name, count[AGREES], count[DIFFERS], count[ALONE], count[DIFFERS] ? ":" : "",
		text_string(&list));
	if (mixes > MIXES_SHOWN)
		fprintf(out, "  ... and %d more classes side by side; --agreements lists all\n",
			mixes - MIXES_SHOWN);
	text_free(&list);
}

/* The largest number of differences between two core models that are found. */
enum { DIFFERENCES = 2048 };

void characterised_compare(struct characterised *characterised)
{
	int count, kept = 0;

	if (!characterised->measured || !characterised->shipped)
		return;
	characterised->difference = memory_new(DIFFERENCES, sizeof(*characterised->difference));
	count = model_differences(characterised->measured, characterised->shipped,
		characterised->difference, DIFFERENCES);
	/* Ports that are a guess say nothing about mixes. */
	for (int i = 0; i < count && i < DIFFERENCES; i++)
		if (characterised->report->all_mixes || !is_mix(&characterised->difference[i]))
			characterised->difference[kept++] = characterised->difference[i];
	characterised->difference_count = kept;
}

void characterised_print(FILE *out, const struct characterised *characterised)
{
	const struct characterise_report *core = characterised->report;
	const struct measured *measured = &core->measured;

	fprintf(out, "%s: %s, measured in %.1f s\n", core->name, measured->processor,
		core->seconds);
	if (measured->width.known)
		fprintf(out, "width %.2f slots a cycle (%.2f to %.2f)\n", measured->width.value,
			measured->width.lo, measured->width.hi);
	if (core->ported)
		fprintf(out,
			"%d ports, inferred from %d mix%s of classes, which %s predicted with a "
			"median error of %.1f %%, at worst %.1f %%\n",
			core->ports.ports, core->ports.fitted.mixes,
			core->ports.fitted.mixes == 1 ? "" : "es",
			core->ports.fitted.mixes == 1 ? "is" : "are",
			100 * core->ports.fitted.median, 100 * core->ports.fitted.worst);
	if (core->ported && core->ports.disagrees[0])
		fprintf(out, "* %s\n", core->ports.disagrees);
	for (int i = 0; i < core->notes.count; i++)
		fprintf(out, "* %s\n", core->notes.note[i]);
	if (characterised->differences_first)
		put_differences(out, characterised);
	put_classes(out, core);
	put_facts(out, measured);
	if (!characterised->differences_first)
		put_differences(out, characterised);
}
