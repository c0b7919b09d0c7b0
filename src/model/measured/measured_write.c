/* A core's file from what was measured. Numbers are rounded only where they can hardly be anything
 * but whole, and what was measured stands beside them; what was not measured is left out. */
#include "model/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/core/uarch_read.h"
#include "model/measured/measured_rules.h"
#include "model/measured/measured_write.h"

void write_number(struct text *text, double value, int digits)
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

double write_rounded(double value, enum rounding how)
{
	double whole = round(value);

	switch (how) {
	case ROUND_CYCLES:
		return fabs(value - whole) <= 0.03 + 0.003 * value ? whole : value;
	case ROUND_RATE:
		return whole > 0 && value >= 0.96 * whole && value <= 1.015 * whole ? whole : value;
	case ROUND_ENTRIES:
		return whole;
	default:
		return value;
	}
}

void write_figure(struct text *text, struct text *comment, const char *what,
	const struct figure *figure, enum rounding how)
{
	double value = write_rounded(figure->value, how),
	       spread = fmax(fabs(figure->hi - value), fabs(figure->lo - value));

	if (!isfinite(spread))
		spread = 0;
	write_number(text, value, 5);
	text_add(text, "±");
	/* Nothing is surer than the step that it was measured in. */
	write_number(text, fmax(spread, how == ROUND_ENTRIES ? 1 : 0.001), 2);
	if (fabs(value - figure->value) >= 0.0005)
		text_addf(comment, "%s%s%s%.*f", comment->length ? ", " : "", what,
			*what ? " " : "", figure->value < 100 ? 3 : 0, figure->value);
}

bool figure_good(const struct figure *figure, double least, double most)
{
	return figure->known && isfinite(figure->value) && figure->value >= least &&
	       figure->value <= most;
}

void write_end(struct text *text, struct text *comment)
{
	text_add(text, " [measured]");
	if (comment->length)
		text_addf(text, "      # %s", text_string(comment));
	text_add(text, "\n");
	text_clear(comment);
}

const struct figure *measured_fact(const struct measured *m, const char *word)
{
	for (int i = 0; i < m->fact_count; i++)
		if (strcmp(m->fact[i].word, word) == 0 && m->fact[i].figure.known)
			return &m->fact[i].figure;
	return NULL;
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

/* Chains of single cycles side by side took so many times as long as the same instructions that
 * wait for nothing. Where a micro-op goes to whichever port is free when it is ready both take as
 * long, to 1 %; on Redwood Cove, which chooses at rename, 1.28. */
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
			"# Classes of many ports beside others of the same take %.2f times as long "
			"as need be.\n",
			ports->slower);
}

/* Whether a core's file takes a line of these words and such a number. */
static bool takes(const struct measured *m, const struct measured_ports *ports, const char *word,
	double value)
{
	enum uarch_fact fact = uarch_fact_find(word);

	if (fact < UARCH_FACTS)
		return uarch_fact_allows(fact, value);
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
		rules_about(fact->word))
		return;
	figure.value = fmax(0, figure.value);
	if (*fact->words)
		text_addf(text, "# %s\n", fact->words);
	if (strcmp(fact->word, "extra binds-ports") == 0) {
		add_early(&figure, ports, text);
		return;
	}
	if (!takes(m, ports, fact->word, figure.value)) {
		text_addf(text, "# %s: %.4g, which has no line\n", fact->word, figure.value);
		return;
	}
	text_addf(text, "%s ", fact->word);
	write_figure(text, &comment, "", &figure, rounding_of(fact->word));
	write_end(text, &comment);
	text_free(&comment);
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
		figure = measured_fact(m, word);
		/* Nothing of a cache can stand without its size. */
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
	text_free(&comment);
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
	text_addf(&comment, "%.0f fillers and %.0f of the loop's own", knee->x, buffer->own);
	if (knee->kind == KNEE_SOFT)
		text_addf(&comment, "; not sharp: the time rises from %.0f to %.0f fillers",
			knee->from, knee->to);
	write_end(text, &comment);
	text_free(&comment);
}

/* ---- the processor */

void measured_match(const struct processor *processor, char match[160])
{
	size_t used;
	int count = 0;

	match[0] = '\0';
	if (!processor->vendor[0]) {
		if (processor->implementer)
			snprintf(match, 160, "implementer %x part %x", processor->implementer,
				processor->part);
		return;
	}
	used = (size_t)snprintf(match, 160, "vendor %.15s family %x model %x stepping %x",
		processor->vendor, processor->family, processor->model, processor->stepping);
	if (processor->l1i_bytes >> 10 && ++count)
		used += (size_t)snprintf(match + used, 160 - used, " with l1i-%uk",
			(unsigned)(processor->l1i_bytes >> 10));
	/* The newest features stand last, and tell most. */
	for (int i = 0; processor_features[i]; i++)
		if (processor_has(processor, processor_features[i]))
			count++;
	for (int i = 0; processor_features[i] && used < 130; i++)
		if (processor_has(processor, processor_features[i]) && count-- <= UARCH_FEATURES)
			used += (size_t)snprintf(
				match + used, 160 - used, " with %s", processor_features[i]);
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
	text_add(text, "# Measured by slexplore characterise, without counters; nothing is from "
		       "anywhere else.");
	if (*m->words)
		text_addf(text, " %.159s", m->words);
	text_add(text, "\n# Behind ±: how far the quartiles of what was measured are from the "
		       "number. Cycles within 0.03 and 0.3 % of a whole number are\n"
		       "# written as that, counts a cycle from 4 % below to 1.5 % above; what they "
		       "were before stands behind the line.\n");
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
	rules_write(measured, text);
	for (int i = 0; i < measured->fact_count; i++)
		if (strncmp(measured->fact[i].word, "chain ", 6) != 0)
			add_fact(measured, ports, &measured->fact[i], text);
	for (int level = 1; level <= 2; level++)
		add_cache(measured, level, text);
	for (int i = 0; i < measured->buffer_count; i++)
		add_buffer(&measured->buffer[i], text);
	text_free(&comment);
}
