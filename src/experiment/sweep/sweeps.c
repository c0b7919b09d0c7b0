#include "experiment/sweep/sweeps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const figure_names[SWEEPS_FIGURES] = {
	[SWEEPS_CPE] = "cpe",
	[SWEEPS_NS] = "ns",
	[SWEEPS_SECONDS] = "seconds",
	[SWEEPS_GBPS] = "gbps",
	[SWEEPS_BYTES_PER_CYCLE] = "bytes-per-cycle",
	[SWEEPS_SPEEDUP] = "speedup",
	[SWEEPS_INSTRUCTIONS] = "instructions",
	[SWEEPS_INSTRUCTIONS_TOTAL] = "instructions-total",
	[SWEEPS_CPI] = "cpi",
	[SWEEPS_TRAFFIC] = "traffic",
};

const char *sweeps_figure_name(enum sweeps_figure figure)
{
	return figure_names[figure];
}

void sweeps_clear(struct named_sweep *sweep)
{
	for (int i = 0; i < sweep->word_count; i++)
		free(sweep->word[i]);
	sweep->word_count = 0;
}

void sweeps_free(struct sweeps *sweeps)
{
	for (int i = 0; i < sweeps->count; i++)
		sweeps_clear(&sweeps->sweep[i]);
	free(sweeps->sweep);
	*sweeps = (struct sweeps){ 0 };
}

const struct named_sweep *sweeps_find(const struct sweeps *sweeps, const char *name)
{
	for (int i = 0; i < sweeps->count; i++)
		if (strcmp(sweeps->sweep[i].name, name) == 0)
			return &sweeps->sweep[i];
	return NULL;
}

struct status sweeps_override(struct named_sweep *sweep, const char *word, unsigned *given)
{
	struct setting scratch;
	struct status status;
	char name[64];
	int knob;

	setting_init(&scratch, sweep->kernel);
	/* What is wrong with a word that names no knob is the same as for one value. */
	if (!strchr(word, '=') || *word == '=')
		return setting_assign(&scratch, word, MEMORY_LIMITS_UNKNOWN);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	status = setting_find_knob(sweep->kernel, name, &knob);
	if (!status_is_ok(&status))
		return status;
	if (*given >> knob & 1)
		return status_make(STATUS_USAGE,
			"%s is given twice; write %s=A,B for several values", name, name);
	*given |= 1u << knob;
	for (int i = 0; i < sweep->word_count; i++) {
		size_t length = strcspn(sweep->word[i], "=");

		if (length != strlen(name) || strncmp(sweep->word[i], name, length) != 0)
			continue;
		free(sweep->word[i]);
		sweep->word[i] = memory_string(word);
		return status_ok();
	}
	sweep->word[sweep->word_count++] = memory_string(word);
	return status_ok();
}

/* The word that gives a knob's values, or -1. */
static int word_of(const struct named_sweep *sweep, int knob)
{
	const char *name = sweep->kernel->knobs[knob].name;

	for (int i = 0; i < sweep->word_count; i++)
		if (strncmp(sweep->word[i], name, strlen(name)) == 0 &&
			sweep->word[i][strlen(name)] == '=')
			return i;
	return -1;
}

const struct named_sweep *sweeps_usual(
	const struct sweeps *sweeps, const struct kernel *kernel, char *const *words, int count)
{
	for (int i = 0; i < sweeps->count; i++) {
		const struct named_sweep *sweep = &sweeps->sweep[i];
		bool named = false;

		if (sweep->kernel != kernel || !sweep->usual)
			continue;
		for (int k = 0; k < count && !named; k++) {
			char name[64];
			int knob;

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(words[k], "="), words[k]);
			knob = kernel_knob(kernel, name);
			named = knob >= 0 && word_of(sweep, knob) >= 0;
		}
		return named ? NULL : sweep;
	}
	return NULL;
}

/* "form=naive,blocked" with the value of that number first. */
static char *word_from(const struct knob *knob, const int64_t *values, size_t count, size_t first)
{
	struct text text = { 0 };
	char value[64];

	setting_format_value(knob, values[first], value, sizeof(value));
	text_addf(&text, "%s=%s", knob->name, value);
	for (size_t i = 0; i < count; i++) {
		if (i == first)
			continue;
		setting_format_value(knob, values[i], value, sizeof(value));
		text_addf(&text, ",%s", value);
	}
	return text.bytes;
}

bool sweeps_settle(struct named_sweep *sweep)
{
	int at = sweep->base < 0 ? -1 : word_of(sweep, sweep->base);
	const struct knob *knob = sweep->base < 0 ? NULL : &sweep->kernel->knobs[sweep->base];
	struct status status;
	int64_t *values;
	size_t count;
	char *word;

	if (at < 0)
		return !knob || knob->initial == sweep->base_value;
	word = sweep->word[at];
	memmove(sweep->word + 1, sweep->word, (size_t)at * sizeof(*sweep->word));
	sweep->word[0] = word;
	status = setting_parse_list(
		knob, strchr(word, '=') + 1, MEMORY_LIMITS_UNKNOWN, &values, &count);
	if (!status_is_ok(&status))
		return true; /* whoever assigns it says so */
	for (size_t i = 0; i < count; i++) {
		if (values[i] != sweep->base_value)
			continue;
		if (i > 0) {
			sweep->word[0] = word_from(knob, values, count, i);
			free(word);
		}
		free(values);
		return true;
	}
	free(values);
	return false;
}

void sweeps_advise(struct named_sweep *sweep, int64_t advised)
{
	for (int i = 0; i < sweep->word_count; i++) {
		char *word = sweep->word[i], *list = strchr(word, '=') + 1, *more;
		struct text text = { 0 };
		bool placed = advised <= 0, any = false;

		if (!strstr(list, "advised"))
			continue;
		text_addn(&text, word, (size_t)(list - word));
		for (char *item = strtok_r(list, ",", &more); item;
			item = strtok_r(NULL, ",", &more)) {
			bool plain = item[strspn(item, "0123456789")] == '\0';

			if (strcmp(item, "advised") == 0)
				continue;
			if (!placed && plain && strtoll(item, NULL, 10) >= advised) {
				if (strtoll(item, NULL, 10) > advised)
					text_addf(&text, "%s%lld", any ? "," : "",
						(long long)advised);
				any |= strtoll(item, NULL, 10) > advised;
				placed = true;
			}
			text_addf(&text, "%s%s", any ? "," : "", item);
			any = true;
		}
		if (!placed)
			text_addf(&text, "%s%lld", any ? "," : "", (long long)advised);
		free(word);
		sweep->word[i] = text.bytes;
	}
}

/* ---- What is drawn */

void sweeps_plain(const struct kernel *kernel, const struct sweep_axis *axes, size_t axis_count,
	struct named_sweep *sweep)
{
	*sweep = (struct named_sweep){ .kernel = kernel,
		.x = -1,
		.base = -1,
		.figure = kernel->plot_cpe ? SWEEPS_CPE : SWEEPS_GBPS };
	for (size_t i = 0; i < axis_count; i++) {
		const struct knob *knob = &kernel->knobs[axes[i].knob];
		const struct knob *x = sweep->x < 0 ? NULL : &kernel->knobs[sweep->x];

		if (axes[i].count < 2 || (x && x->axis == AXIS_SIZE))
			continue;
		if (!x || knob->axis == AXIS_SIZE || knob->kind != KNOB_CHOICE ||
			x->kind == KNOB_CHOICE)
			sweep->x = axes[i].knob;
	}
	for (size_t i = 0; i < axis_count; i++)
		if (axes[i].count > 1 && axes[i].knob != sweep->x &&
			sweep->line_count < SWEEPS_LINES)
			sweep->line[sweep->line_count++] = axes[i].knob;
	sweep->log_x = sweep->x >= 0 && kernel->knobs[sweep->x].kind == KNOB_BYTES;
	sweep->log_y = kernel->plot_cpe;
	snprintf(sweep->title, sizeof(sweep->title), "%s: %s", kernel->name, kernel->title);
	snprintf(sweep->source, sizeof(sweep->source), "%s", kernel->document);
}

const char *sweeps_x_title(const struct named_sweep *sweep)
{
	return sweep->x >= 0 ? sweep->kernel->knobs[sweep->x].name : "";
}

double sweeps_x(const struct named_sweep *sweep, const struct setting *setting)
{
	return sweep->x >= 0 ? (double)setting->v[sweep->x] : (double)NAN;
}

void sweeps_line(const struct named_sweep *sweep, const struct setting *setting, struct text *words)
{
	for (int i = 0; i < sweep->line_count; i++) {
		const struct knob *knob = &sweep->kernel->knobs[sweep->line[i]];
		char value[64];

		setting_show_value(knob, setting->v[sweep->line[i]], value, sizeof(value));
		text_addf(words, "%s%s=%s", i ? " " : "", knob->name, value);
	}
}

void sweeps_figure_title(
	const struct named_sweep *sweep, enum sweeps_figure figure, struct text *title)
{
	char value[64];

	switch (figure) {
	case SWEEPS_NS:
		text_addf(title, "nanoseconds per %s", sweep->kernel->element);
		break;
	case SWEEPS_SECONDS:
		text_add(title, "seconds");
		break;
	case SWEEPS_GBPS:
		text_add(title, "GB/s");
		break;
	case SWEEPS_BYTES_PER_CYCLE:
		text_add(title, "bytes per cycle");
		break;
	case SWEEPS_SPEEDUP:
		text_add(title, "speedup");
		if (sweep->base < 0)
			break;
		setting_show_value(&sweep->kernel->knobs[sweep->base], sweep->base_value, value,
			sizeof(value));
		text_addf(title, " over %s=%s", sweep->kernel->knobs[sweep->base].name, value);
		break;
	case SWEEPS_INSTRUCTIONS:
		text_addf(title, "instructions per %s", sweep->kernel->element);
		break;
	case SWEEPS_INSTRUCTIONS_TOTAL:
		text_add(title, "million instructions");
		break;
	case SWEEPS_CPI:
		text_add(title, "cycles per instruction");
		break;
	case SWEEPS_TRAFFIC:
		text_add(title, "memory traffic, % of what one core reads at most");
		break;
	default:
		text_addf(title, "cycles per %s", sweep->kernel->element);
		break;
	}
}

bool sweeps_paced(enum sweeps_figure figure)
{
	return figure == SWEEPS_INSTRUCTIONS || figure == SWEEPS_INSTRUCTIONS_TOTAL ||
	       figure == SWEEPS_CPI || figure == SWEEPS_TRAFFIC;
}

bool sweeps_asks(const struct named_sweep *sweep, enum sweeps_figure figure)
{
	bool asks = sweep->figure == figure;

	for (int i = 0; i < sweep->published_count; i++)
		asks = asks || sweep->published[i].figure == figure;
	return asks;
}

/* From the sample's own cycles: those of its quartiles ask too. */
static double paced_value(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios)
{
	double instructions = sample_ratios && sample_ratios->instructions > 0
				      ? sample_ratios->instructions
				      : (double)NAN;

	switch (figure) {
	case SWEEPS_INSTRUCTIONS:
		return instructions;
	case SWEEPS_INSTRUCTIONS_TOTAL:
		return instructions * (double)facts->ring * 1e-6;
	case SWEEPS_CPI:
		return sample->cpe / instructions;
	default:
		if (sample_ratios && sample_ratios->lines == 0 &&
			sample_ratios->lines_from != SOURCE_NONE)
			return 0;
		return sample_ratios && sample_ratios->peak > 0 && sample_ratios->lines >= 0 &&
				       sample->ns > 0
			       ? 100 * sample_ratios->lines * SAMPLE_RATIOS_LINE / sample->ns /
					 sample_ratios->peak
			       : (double)NAN;
	}
}

double sweeps_value(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base)
{
	if (!sample->valid)
		return NAN;
	if (sweeps_paced(figure))
		return paced_value(figure, sample, facts, sample_ratios);
	switch (figure) {
	case SWEEPS_NS:
		return sample->ns;
	case SWEEPS_SECONDS:
		return sample->ns * 1e-9 * (double)facts->ring;
	case SWEEPS_GBPS:
		return sample->gbps;
	case SWEEPS_BYTES_PER_CYCLE:
		return sample->bytes_per_cycle;
	case SWEEPS_SPEEDUP:
		/* Of cycles: the clock may have wandered between the two. */
		return base && base->valid && sample->cpe > 0 ? base->cpe / sample->cpe
							      : (double)NAN;
	default:
		return sample->cpe;
	}
}

bool sweeps_published_of(const struct named_sweep *sweep, const struct sweeps_published *published,
	const struct setting *setting)
{
	for (int i = 0; i < sweep->kernel->knob_count; i++)
		if (published->named[i] && published->setting.v[i] != setting->v[i])
			return false;
	return true;
}

bool sweeps_baseline(
	const struct named_sweep *sweep, const struct setting *setting, struct setting *base)
{
	struct status status;

	if (sweep->base < 0)
		return false;
	*base = *setting;
	base->v[sweep->base] = sweep->base_value;
	kernel_fit(sweep->kernel, base->v, sweep->base);
	status = kernel_check(sweep->kernel, base->v);
	return status_is_ok(&status) && base->v[sweep->base] == sweep->base_value;
}
