#include "experiment/published.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rows.h"
#include "base/units.h"

enum { FIELDS = 7, FIELDS_LEAST = 5 };

/* Whether a setting has the kernel and all knob values that `words` lists: "KERNEL [KNOB=VALUE
 * …]". */
static bool fits(char *words, const struct setting *setting)
{
	char *rest, *word = strtok_r(words, " ", &rest);

	if (!word || strcmp(word, setting->kernel->name) != 0)
		return false;
	while ((word = strtok_r(NULL, " ", &rest))) {
		struct setting wanted = *setting;
		struct status status = setting_assign(&wanted, word, MEMORY_LIMITS_UNKNOWN);

		if (!status_is_ok(&status) || !setting_equal(&wanted, setting))
			return false;
	}
	return true;
}

/* Reads a row of data/published. Returns false, and leaves *published unchanged, if the row's
 * cycles are no number. */
static bool read_row(struct rows *rows, char *const *field, struct published *published)
{
	static const char limit[] = "limit ";
	struct published row = { .doubt = strcmp(field[6], "doubt") == 0,
		.limit = strncmp(field[2], limit, sizeof(limit) - 1) == 0 };

	if (!rows_number(rows, "the cycles", field[2] + (row.limit ? sizeof(limit) - 1 : 0), 0.001,
		    1e9, &row.cycles))
		return false;
	snprintf(row.core, sizeof(row.core), "%s", field[1]);
	snprintf(row.ports, sizeof(row.ports), "%s", field[3]);
	snprintf(row.source, sizeof(row.source), "%s", field[4]);
	snprintf(row.remark, sizeof(row.remark), "%s", field[5]);
	*published = row;
	return true;
}

bool published_find(const struct setting *setting, const char *uarch, struct published *published)
{
	struct rows rows;
	bool found = false, same = false;

	rows_load(&rows, "published");
	rows.lenient = true;
	while (!same && rows_next(&rows)) {
		char *field[FIELDS];
		int fields = rows_fields(&rows, field, FIELDS);
		bool own = uarch && strcmp(field[1], uarch) == 0;

		if (fields < FIELDS_LEAST) {
			rows_fail(&rows,
				"expected: SETTING | CORE | CYCLES | PORTS | SOURCE [| REMARK [| "
				"doubt]]");
		} else if ((own || !found) && fits(field[0], setting) &&
			   read_row(&rows, field, published)) {
			found = true;
			same = own;
		}
	}
	rows_end(&rows);
	if (found && !same)
		published->ports[0] = published->remark[0] = '\0';
	return found;
}

void published_words(const struct published *published, const struct setting *setting,
	double elements, struct text *words)
{
	text_addf(words, "%s%g cycle%s an iteration", published->limit ? "limit " : "",
		published->cycles, published->cycles == 1 ? "" : "s");
	if (elements > 1)
		text_addf(words, ", %s per %s", units_value(published->cycles / elements).text,
			setting->kernel->element);
	text_addf(words, " on %s (%s)", published->core, published->source);
}

double published_port(const struct published *published, const char *port)
{
	size_t length = strlen(port);

	for (const char *at = published->ports; (at = strstr(at, port)); at++)
		if ((at == published->ports || at[-1] == ' ') && at[length] == '=')
			return strtod(at + length + 1, NULL);
	return -1;
}

/* ---- which is right ---- */

/* Published cycles contradict the computed limit of their core if they are larger or smaller by
 * this factor. */
#define CONTRADICTS 1.5
/* Published micro-ops of a port contradict the core model if they differ by this number. */
#define PORT_CONTRADICTS 0.3

/* Computes the binding limit of the question's setting for the core called `name`. Returns false if
 * the core has no known limit for the setting. */
static bool find_limit(const struct explainer *explainer, const struct explain_question *question,
	const char *name, bool foreign, struct published_limit *limit)
{
	struct explain_question ask = *question;
	struct explanation *explanation;
	const struct limits *limits;
	struct core core;
	struct status status =
		explainer->load(explainer->context, name, question->machine->arch, &core);
	bool found;

	if (!status_is_ok(&status))
		return false;
	explanation = explanation_new();
	ask.uarch = core.uarch;
	ask.foreign = foreign;
	explainer->explain(explainer->context, &ask, explanation);
	limits = &explanation->limits;
	found = status_is_ok(&explanation->status) && limits->binding >= 0 && limits->turns > 0;
	if (found)
		*limit = (struct published_limit){ limits->bound * limits->elements / limits->turns,
			limits->limit[limits->binding].kind };
	explanation_free(explanation);
	explainer->unload(explainer->context, &core);
	return found;
}

/* Whether the data fit the first cache, for which values are published, or whether that cache is
 * unknown. */
static bool fits_first_cache(const struct explain_question *question)
{
	uint64_t first = machine_cache(question->machine, 1);

	return first == 0 || kernel_footprint(question->kernel, question->v) <= first;
}

void published_limits(const struct published *published, const struct explainer *explainer,
	const struct explain_question *question, const char *running,
	struct published_limits *limits)
{
	*limits = (struct published_limits){ .known = false };
	limits->known = published->doubt && *running && question->machine &&
			fits_first_cache(question) &&
			find_limit(explainer, question, published->core,
				strcmp(published->core, running) != 0, &limits->theirs) &&
			find_limit(explainer, question, running, false, &limits->ours);
}

void published_verdict(const struct published *published, const struct published_limits *limits,
	double elements, const struct sample *sample, struct text *words)
{
	double claimed, ratio, lo, hi, middle;
	bool published_is_nearer;

	if (!limits->known || !sample->valid)
		return;
	claimed = published->cycles / limits->theirs.cycles;
	middle = sqrt(claimed);
	if (fabs(log(claimed)) < log(CONTRADICTS))
		return;
	ratio = sample->cpe * elements / limits->ours.cycles;
	lo = ratio * sample->cpe_lo / sample->cpe;
	hi = ratio * sample->cpe_hi / sample->cpe;
	published_is_nearer = (ratio > middle) == (claimed > 1);
	if (limits->ours.kind != limits->theirs.kind)
		text_addf(words,
			"Another limit binds on this core, so it cannot tell if the value "
			"published for %s or the computed limit of that core is right",
			published->core);
	else if ((lo < middle) != (hi < middle) || sample->contended)
		text_addf(words,
			"The values measured here are too noisy to tell if the published value or "
			"the limit of %s is right",
			published->core);
	else
		/* Interference only makes code slower, so a slow sample proves nothing. */
		text_addf(words, "The %s %s looks wrong, and the %s right%s",
			published_is_nearer ? "computed limit of" : "published value for",
			published->core, published_is_nearer ? "published value" : "computed limit",
			ratio > middle ? ", unless another program slowed this core" : "");
	text_addf(words,
		". %g cycle%s an iteration %s published for %s: %s times its limit of %s (%s). "
		"This "
		"core takes %s cycles (%s to %s): %s times its own limit of %s (%s).",
		published->cycles, published->cycles == 1 ? "" : "s",
		published->cycles == 1 ? "is" : "are", published->core, units_value(claimed).text,
		units_value(limits->theirs.cycles).text, limit_rows[limits->theirs.kind].name,
		units_value(sample->cpe * elements).text,
		units_value(sample->cpe_lo * elements).text,
		units_value(sample->cpe_hi * elements).text, units_value(ratio).text,
		units_value(limits->ours.cycles).text, limit_rows[limits->ours.kind].name);
}

void published_ports_verdict(const struct published *published, const struct limits *limits,
	const double *counted, struct text *words)
{
	for (int i = 0; published->doubt && i < limits->uarch->port_count; i++) {
		const char *port = limits->uarch->port[i];
		double value = published_port(published, port), model = limits->pressure[i];

		if (value < 0 || fabs(value - model) < PORT_CONTRADICTS)
			continue;
		text_addf(words, "%s%s: published %.2f, model %.2f", words->length ? " " : "", port,
			value, model);
		if (!isfinite(counted[i]))
			text_add(
				words, "; this core has no count of that port, so it cannot tell.");
		else
			text_addf(words, ", counted here %.2f: the %s is right.", counted[i],
				fabs(counted[i] - value) < fabs(counted[i] - model)
					? "published value"
					: "model");
	}
}
