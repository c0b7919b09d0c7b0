#include "cli/characterise_text.h"

#include <math.h>
#include <string.h>

/* "3.00", or "-". Columns are as wide as the widest. */
static void put(FILE *out, const struct figure *figure, int width)
{
	if (figure->known)
		fprintf(out, " %*.2f", width, figure->value);
	else
		fprintf(out, " %*s", width, "-");
}

static double spread_of(const struct figure *figure)
{
	return fmax(figure->hi - figure->value, figure->value - figure->lo);
}

/* "+-0.01": what the figure is good to; blank where it is not known. */
static void put_spread(FILE *out, const struct figure *figure)
{
	if (figure->known)
		fprintf(out, spread_of(figure) < 1 ? " +-%-5.3f" : " +-%-5.3g", spread_of(figure));
	else
		fprintf(out, " %7s", "");
}

void characterise_ports(const struct measured_ports *ports, int op, struct text *text)
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

static void put_classes(FILE *out, const struct characterise_report *report)
{
	const struct measured *measured = &report->measured;

	fprintf(out, "\n%-21s %7s %6s %6s %7s %5s %7s  %s\n", "class", "latency", "", "each", "",
		"slots", "", report->ported ? "ports" : "");
	for (int i = 0; i < measured->op_count; i++) {
		const struct measured_op *op = &measured->op[i];
		struct text ports = { 0 };

		if (report->ported)
			characterise_ports(&report->ports, i, &ports);
		fprintf(out, "%-21s", op->name);
		put(out, &op->latency, 7);
		put_spread(out, &op->latency);
		put(out, &op->each, 6);
		put_spread(out, &op->each);
		put(out, &op->slots, 5);
		put_spread(out, &op->slots);
		fprintf(out, "  %s", text_string(&ports));
		if (op->accumulate.known)
			fprintf(out, "%saddend %.2f +-%.2g", ports.length ? ", " : "",
				op->accumulate.value, spread_of(&op->accumulate));
		fprintf(out, "\n");
		text_free(&ports);
	}
}

static void put_facts(FILE *out, const struct measured *measured)
{
	if (measured->fact_count + measured->buffer_count == 0)
		return;
	fprintf(out, "\n");
	for (int i = 0; i < measured->fact_count; i++) {
		const struct measured_fact *fact = &measured->fact[i];

		if (!fact->figure.known)
			continue;
		fprintf(out, "%-34s", fact->word);
		if (fabs(fact->figure.value) >= 1000)
			fprintf(out, " %10.0f", fact->figure.value);
		else
			put(out, &fact->figure, 10);
		put_spread(out, &fact->figure);
		fprintf(out, "  %s\n", fact->words);
	}
	for (int i = 0; i < measured->buffer_count; i++) {
		const struct measured_buffer *buffer = &measured->buffer[i];

		if (buffer->knee.kind == KNEE_SHARP || buffer->knee.kind == KNEE_SOFT)
			fprintf(out, "size %-29s %10.0f +-%-5.2g  %s%s\n", buffer->word,
				buffer->knee.x + buffer->own,
				(buffer->knee.hi - buffer->knee.lo) / 2, buffer->words,
				buffer->knee.kind == KNEE_SOFT ? "; no sharp knee" : "");
	}
}

/* "latency of fadd: measured 3.00 +-0.01, shipped 3: agrees" */
static void put_difference(FILE *out, const struct model_difference *difference, const char *name)
{
	fprintf(out, "  %s: ", difference->what);
	if (isnan(difference->a))
		fprintf(out, "not measured");
	else
		fprintf(out, "measured %.4g", difference->a);
	if (!isnan(difference->a) && difference->a_spread > 0)
		fprintf(out, " +-%.2g", difference->a_spread);
	if (isnan(difference->b))
		fprintf(out, ", %s says nothing\n", name);
	else
		fprintf(out, ", %s %.4g%s\n", name, difference->b,
			difference->agrees ? ": agrees" : "");
}

/* Classes side by side: of many that differ the first show what it is about. */
enum { MIXES_SHOWN = 12 };

static void put_differences(FILE *out, const struct characterised *characterised)
{
	int agree = 0, differ = 0, alone = 0, mixes = 0;
	const char *name;

	if (!characterised->shipped)
		return;
	name = uarch_name(characterised->shipped);
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];

		if (isnan(difference->a) || isnan(difference->b))
			alone++;
		else if (difference->agrees)
			agree++;
		else
			differ++;
	}
	fprintf(out, "\nagainst %s: %d figures agree, %d differ, %d stand in one of both only%s\n",
		name, agree, differ, alone, differ ? ":" : "");
	for (int i = 0; i < characterised->difference_count; i++) {
		const struct model_difference *difference = &characterised->difference[i];
		bool both = !isnan(difference->a) && !isnan(difference->b);

		if (!characterised->agreements && (!both || difference->agrees))
			continue;
		if (strstr(difference->what, " and ") && ++mixes > MIXES_SHOWN &&
			!characterised->agreements)
			continue;
		put_difference(out, difference, name);
	}
	if (mixes > MIXES_SHOWN && !characterised->agreements)
		fprintf(out, "  ... and %d more classes side by side; --agreements lists all\n",
			mixes - MIXES_SHOWN);
}

void characterise_text(struct report *report, const struct characterised *characterised)
{
	const struct characterise_report *core = characterised->report;
	const struct measured *measured = &core->measured;
	FILE *out = report->out;

	fprintf(out, "%s: %s, measured in %.1f s\n", core->name, measured->processor,
		core->seconds);
	if (measured->width.known)
		fprintf(out, "width %.2f slots a cycle (%.2f to %.2f)\n", measured->width.value,
			measured->width.lo, measured->width.hi);
	if (core->cycles_from != SOURCE_NONE)
		fprintf(out, "cycles: %s; +-: the further quartile, or end of the range\n",
			format_cycles_source(core->cycles_from));
	if (core->ported)
		fprintf(out,
			"%d ports; of %d mixes that they follow from, %.1f %% off in the median, "
			"%.1f %% at worst\n",
			core->ports.ports, core->ports.fitted, 100 * core->ports.fitted_median,
			100 * core->ports.fitted_worst);
	if (core->ported && core->ports.disagrees[0])
		fprintf(out, "* %s\n", core->ports.disagrees);
	for (int i = 0; i < core->note_count; i++)
		fprintf(out, "* %s\n", core->note[i]);
	put_classes(out, core);
	put_facts(out, measured);
	put_differences(out, characterised);
	report->records++;
}
