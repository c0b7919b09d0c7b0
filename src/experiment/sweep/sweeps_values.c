/* Computes the axes, lines and values of a sweep for pictures and reports. Compares published
 * values of a sweep, and their order, with the measurements. */
#include "experiment/sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

void sweeps_line(const struct named_sweep *sweep, const struct setting *setting, struct text *words)
{
	for (int i = 0; i < sweep->line_count; i++) {
		const struct knob *knob = &sweep->kernel->knobs[sweep->line[i]];

		text_addf(words, "%s%s=%s", i ? " " : "", knob->name,
			setting_shown(knob, setting->v[sweep->line[i]]).text);
	}
}

const char *const sweeps_figure_names[SWEEPS_FIGURES] = { "cpe", "ns", "seconds", "gbps",
	"bytes-per-cycle", "speedup", "instructions", "instructions-total", "cpi", "traffic" };

/* Titles of the quantities. If the title of a quantity ends in "per", as in "cycles per", the name
 * of the kernel's element is added. */
static const struct {
	const char *title;
	bool paced;
} figures[SWEEPS_FIGURES] = {
	[SWEEPS_CPE] = { "cycles per" },
	[SWEEPS_NS] = { "nanoseconds per" },
	[SWEEPS_SECONDS] = { "seconds" },
	[SWEEPS_GBPS] = { "GB/s" },
	[SWEEPS_BYTES_PER_CYCLE] = { "bytes per cycle" },
	[SWEEPS_SPEEDUP] = { "speedup" },
	[SWEEPS_INSTRUCTIONS] = { "instructions per", true },
	[SWEEPS_INSTRUCTIONS_TOTAL] = { "million instructions", true },
	[SWEEPS_CPI] = { "cycles per instruction", true },
	[SWEEPS_TRAFFIC] = { "memory traffic, % of what one core reads at most", true },
};

void sweeps_figure_title(
	const struct named_sweep *sweep, enum sweeps_figure figure, struct text *title)
{
	const char *words = figures[figure].title;
	bool per = strlen(words) > 4 && strcmp(words + strlen(words) - 4, " per") == 0;

	text_addf(title, "%s%s%s", words, per ? " " : "", per ? sweep->kernel->element : "");
	if (figure == SWEEPS_SPEEDUP && sweep->base >= 0) {
		const struct knob *knob = &sweep->kernel->knobs[sweep->base];

		text_addf(title, " over %s=%s", knob->name,
			setting_shown(knob, sweep->base_value).text);
	}
}

bool sweeps_paced(enum sweeps_figure figure)
{
	return figures[figure].paced;
}

bool sweeps_asks(const struct named_sweep *sweep, enum sweeps_figure figure)
{
	return sweep->figure == figure || (sweep->also >> figure & 1) ||
	       sweeps_publishes(sweep, figure);
}

bool sweeps_publishes(const struct named_sweep *sweep, enum sweeps_figure figure)
{
	for (int i = 0; i < sweep->published_count; i++)
		if (sweep->published[i].figure == figure)
			return true;
	return false;
}

/* Returns the memory traffic in percent of one core's highest read bandwidth. */
static double traffic(const struct sample *sample, const struct sample_ratios *sample_ratios)
{
	if (!sample_ratios)
		return NAN;
	if (sample_ratios->lines == 0 && sample_ratios->lines_from != SOURCE_NONE)
		return 0;
	return sample_ratios->peak > 0 && sample_ratios->lines >= 0 && sample->ns > 0
		       ? 100 * sample_ratios->lines * SAMPLE_RATIOS_LINE / sample->ns /
				 sample_ratios->peak
		       : (double)NAN;
}

/* Computes the value only from the sample, so that the caller can pass a sample which holds a
 * quartile instead of the median. */
double sweeps_value(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base)
{
	const double instructions = sample_ratios && sample_ratios->instructions > 0
					    ? sample_ratios->instructions
					    : (double)NAN;

	if (!sample->valid)
		return NAN;
	switch (figure) {
	case SWEEPS_NS: return sample->ns;
	case SWEEPS_SECONDS: return sample->ns * 1e-9 * (double)facts->ring;
	case SWEEPS_GBPS: return sample->gbps;
	case SWEEPS_BYTES_PER_CYCLE: return sample->bytes_per_cycle;
	case SWEEPS_SPEEDUP:
		/* A speedup is a ratio of cycles, because the core clock may differ between the two
		 * measurements. */
		return base && base->valid && sample->cpe > 0 ? base->cpe / sample->cpe
							      : (double)NAN;
	case SWEEPS_INSTRUCTIONS: return instructions;
	case SWEEPS_INSTRUCTIONS_TOTAL: return instructions * (double)facts->ring * 1e-6;
	case SWEEPS_CPI: return sample->cpe / instructions;
	case SWEEPS_TRAFFIC: return traffic(sample, sample_ratios);
	default: return sample->cpe;
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
	if (sweep->base < 0)
		return false;
	*base = *setting;
	base->v[sweep->base] = sweep->base_value;
	kernel_fit(sweep->kernel, base->v, sweep->base);
	return kernel_check(sweep->kernel, base->v).code == STATUS_OK &&
	       base->v[sweep->base] == sweep->base_value;
}

const struct sweeps_published *sweeps_published_find(
	const struct named_sweep *sweep, enum sweeps_figure figure, const struct setting *setting)
{
	for (int i = 0; i < sweep->published_count; i++)
		if (sweep->published[i].figure == figure &&
			sweeps_published_of(sweep, &sweep->published[i], setting))
			return &sweep->published[i];
	return NULL;
}

/* ---- rows ---- */

struct units_text sweeps_number(enum sweeps_figure figure, double value)
{
	struct units_text text = units_value(value);

	if (figure == SWEEPS_SECONDS && value < 0.001 && value > 0)
		snprintf(text.text, sizeof(text.text), "%.3g", value);
	return text;
}

const struct sweeps_row *sweeps_row_find(
	const struct sweeps_row *rows, size_t count, const struct setting *setting)
{
	for (size_t i = 0; i < count; i++)
		if (setting_equal(&rows[i].setting, setting))
			return &rows[i];
	return NULL;
}

/* Returns the baseline row of a row, with which the speedup is computed. Returns NULL if there is
 * no baseline, or it was not measured. */
static const struct sweeps_row *base_of(const struct named_sweep *sweep,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count)
{
	struct setting base;

	return sweep->kernel && sweeps_baseline(sweep, &row->setting, &base)
		       ? sweeps_row_find(rows, count, &base)
		       : NULL;
}

double sweeps_row_value(const struct named_sweep *sweep, enum sweeps_figure figure,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count)
{
	const struct sweeps_row *base =
		figure == SWEEPS_SPEEDUP ? base_of(sweep, row, rows, count) : NULL;

	return sweeps_value(figure, &row->sample, &row->facts, &row->sample_ratios,
		base ? &base->sample : NULL);
}

bool sweeps_row_spread(const struct named_sweep *sweep, enum sweeps_figure figure,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count, double *lo,
	double *hi)
{
	const double quartile[2] = { row->sample.cpe_lo, row->sample.cpe_hi };
	double value[2];

	if (!row->sample.valid || row->sample.trials <= 3)
		return false;
	for (int i = 0; i < 2; i++) {
		struct sweeps_row other = *row;
		double ratio = quartile[i] / row->sample.cpe;

		other.sample.cpe = quartile[i];
		other.sample.ns *= ratio;
		other.sample.gbps /= ratio;
		other.sample.bytes_per_cycle /= ratio;
		value[i] = sweeps_row_value(sweep, figure, &other, rows, count);
	}
	*lo = fmin(value[0], value[1]);
	*hi = fmax(value[0], value[1]);
	return isfinite(*lo) && isfinite(*hi);
}

/* Returns the number of consecutive published values, starting at `first`, that belong to one
 * setting. */
static int published_together(const struct named_sweep *sweep, int first)
{
	int count = 1;

	while (first + count < sweep->published_count &&
		memcmp(sweep->published[first].named, sweep->published[first + count].named,
			sizeof(sweep->published[first].named)) == 0 &&
		setting_equal(
			&sweep->published[first].setting, &sweep->published[first + count].setting))
		count++;
	return count;
}

/* Adds the published values of one setting, and the measured values of each row at this setting. */
static void compare_one(const struct named_sweep *sweep, const struct sweeps_published *published,
	int together, const struct sweeps_row *rows, size_t count, struct text *lines)
{
	int shown = 0;

	text_add(lines, "published");
	for (int i = 0; i < sweep->kernel->knob_count; i++)
		if (published->named[i])
			text_addf(lines, " %s=%s", sweep->kernel->knobs[i].name,
				setting_value(&sweep->kernel->knobs[i], published->setting.v[i])
					.text);
	text_add(lines, ":");
	for (int i = 0; i < together; i++)
		text_addf(lines, "%s %s %s%s%s%s%s", i ? "," : "",
			sweeps_figure_names[published[i].figure], published[i].over ? "over " : "",
			sweeps_number(published[i].figure, published[i].value).text,
			*published[i].words ? " (" : "", published[i].words,
			*published[i].words ? ")" : "");
	for (size_t i = 0; i < count; i++) {
		if (!sweeps_published_of(sweep, published, &rows[i].setting))
			continue;
		for (int k = 0; k < together; k++) {
			double value =
				sweeps_row_value(sweep, published[k].figure, &rows[i], rows, count);

			if (isfinite(value))
				text_addf(lines, "%s %s", shown++ ? "," : "; here",
					sweeps_number(published[k].figure, value).text);
		}
	}
	text_add(lines, "\n");
}

void sweeps_compared(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines)
{
	for (int i = 0, together; i < sweep->published_count; i += together) {
		together = published_together(sweep, i);
		compare_one(sweep, &sweep->published[i], together, rows, count, lines);
	}
}

/* ---- the published order ---- */

/* Two values count as equal if their relative difference is below ALIKE (times) or AS_MANY
 * (instructions, cycles and limits). */
#define ALIKE	0.05
#define AS_MANY 0.1

/* A way is one value of the baseline's knob, such as form=blocked, with its published time and its
 * measured time. The published and the measured time may have different units. */
struct way {
	const struct sweeps_row *row;
	double published, here;
};

void sweeps_row_limit(struct sweeps_row *row, const struct explanation *explanation)
{
	const struct limits *limits =
		explanation && status_is_ok(&explanation->status) && !explanation->foreign
			? &explanation->limits
			: NULL;

	row->limit =
		limits && limits->binding >= 0 ? limits->limit[limits->binding].kind : LIMIT_COUNT;
	row->bound = row->limit != LIMIT_COUNT ? limits->bound : (double)NAN;
}

/* Returns the published time of the setting; 0: no time is published. If the document gives
 * speedups, the baseline's time is 1. */
static double published_time(
	const struct named_sweep *sweep, const struct setting *setting, enum sweeps_figure figure)
{
	bool any = false;

	for (int i = 0; i < sweep->published_count; i++) {
		const struct sweeps_published *published = &sweep->published[i];

		if (published->figure != figure || published->over)
			continue;
		if (sweeps_published_of(sweep, published, setting))
			return figure == SWEEPS_SPEEDUP ? 1 / published->value : published->value;
		any |= figure == SWEEPS_SPEEDUP;
	}
	return any && setting->v[sweep->base] == sweep->base_value ? 1 : 0;
}

/* Among the rows that differ from `at` only in the baseline's knob, finds the values of this knob
 * (ways) with a published and a measured time. */
static int find_ways(const struct named_sweep *sweep, const struct sweeps_row *at,
	enum sweeps_figure figure, const struct sweeps_row *rows, size_t count, struct way *ways,
	int most)
{
	int found = 0;

	for (size_t i = 0; i < count && found < most; i++) {
		struct setting setting = rows[i].setting;
		double time;

		setting.v[sweep->base] = at->setting.v[sweep->base];
		if (!setting_equal(&setting, &at->setting) || !rows[i].sample.valid ||
			rows[i].sample.unsettled)
			continue;
		time = published_time(sweep, &rows[i].setting, figure);
		if (time > 0)
			/* Seconds belong to a complete run, and speedups to an element: rings may
			 * have different numbers of elements. */
			ways[found++] = (struct way){ &rows[i], time,
				rows[i].sample.ns * (figure == SWEEPS_SPEEDUP
								    ? 1
								    : (double)rows[i].facts.ring) };
	}
	return found;
}

/* Returns the name of a way, which is a value of the baseline's knob such as "blocked". */
static struct words way_words(const struct named_sweep *sweep, const struct sweeps_row *row)
{
	return setting_shown(&sweep->kernel->knobs[sweep->base], row->setting.v[sweep->base]);
}

/* Adds the knobs that published values name, without the baseline's knob: "misplaced=25 size=384m:
 * ". */
static void place_words(
	const struct named_sweep *sweep, const struct sweeps_row *row, struct text *words)
{
	bool begun = false;

	for (int k = 0; k < sweep->kernel->knob_count; k++) {
		const struct knob *knob = &sweep->kernel->knobs[k];
		bool named = false;

		for (int i = 0; i < sweep->published_count; i++)
			named |= sweep->published[i].named[k];
		if (!named || k == sweep->base)
			continue;
		text_addf(words, "%s%s=%s", begun ? " " : "", knob->name,
			setting_value(knob, row->setting.v[k]).text);
		begun = true;
	}
	if (begun)
		text_add(words, ": ");
}

static bool fewer(double a, double b)
{
	return a > 0 && b > 0 && a < b * (1 - AS_MANY);
}

void sweeps_reason(const struct sweeps_row *fast, const struct sweeps_row *slow, const char *name,
	struct text *words)
{
	const struct sample_ratios *a = &fast->sample_ratios, *b = &slow->sample_ratios;
	bool begun = false;

	if (fewer(a->instructions, b->instructions)) {
		text_addf(words, "it runs %s instructions an element, %s %s",
			units_value(a->instructions).text, name, units_value(b->instructions).text);
		begun = true;
	}
	if (fewer(a->cpi, b->cpi)) {
		text_addf(words, "%s %s cycles an instruction, %s %s", begun ? "," : "it takes",
			units_value(a->cpi).text, name, units_value(b->cpi).text);
		begun = true;
	}
	if (fewer(fast->bound, slow->bound) && fast->limit != LIMIT_COUNT &&
		slow->limit != LIMIT_COUNT) {
		text_addf(words, "%sits limit is %s, %s cycles, %s's %s, %s", begun ? "; " : "",
			limit_rows[fast->limit].name, units_value(fast->bound).text, name,
			limit_rows[slow->limit].name, units_value(slow->bound).text);
		begun = true;
	}
	if (b->share > 0.5 && !(a->share > 0.5))
		text_addf(words, "%s%s takes %.0f %% of what memory gives a core",
			begun ? "; " : "", name, 100 * b->share);
}

/* Finds the two values of the baseline's knob (ways) whose measured order differs most from the
 * published order, and adds a line about them. Returns whether the published and measured order of
 * any two ways (values of a knob) differs. */
static bool compare_ways(
	const struct named_sweep *sweep, const struct way *ways, int count, struct text *lines)
{
	const struct way *fast = NULL, *slow = NULL;
	struct words one, two;
	struct text reason = { 0 };
	double most = 1;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < count; k++) {
			/* `there` and `here` exceed 1 if way k is faster than way i in the
			 * document, but slower in the measurement. */
			double there = ways[i].published / ways[k].published,
			       here = ways[k].here / ways[i].here;

			if (there > 1 + ALIKE && here > 1 + ALIKE && there * here > most) {
				most = there * here;
				fast = &ways[i];
				slow = &ways[k];
			}
		}
	if (!fast)
		return false;
	one = way_words(sweep, fast->row);
	two = way_words(sweep, slow->row);
	place_words(sweep, fast->row, lines);
	text_addf(lines,
		"published: %s is faster than %s by %.2f times; here %s is %.2f times as fast",
		two.text, one.text, fast->published / slow->published, one.text,
		slow->here / fast->here);
	sweeps_reason(fast->row, slow->row, two.text, &reason);
	text_addf(lines, "%s%s\n", reason.length ? ": " : "", text_string(&reason));
	text_free(&reason);
	return true;
}

void sweeps_order(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines)
{
	enum { WAYS_MOST = 16 };
	bool compared = false, differs = false;

	if (!sweep->kernel || sweep->base < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		enum sweeps_figure figure =
			sweeps_asks(sweep, SWEEPS_SECONDS) &&
					published_time(sweep, &rows[i].setting, SWEEPS_SECONDS) > 0
				? SWEEPS_SECONDS
				: SWEEPS_SPEEDUP;
		struct way ways[WAYS_MOST];
		int found;

		/* All measured rows that differ only in the baseline's knob are compared once, at
		 * the first of these rows. */
		found = find_ways(sweep, &rows[i], figure, rows, count, ways, WAYS_MOST);
		if (found < 2 || ways[0].row != &rows[i])
			continue;
		compared = true;
		differs |= compare_ways(sweep, ways, found, lines);
	}
	if (compared && !differs)
		text_add(lines, "the order is the same as the published one\n");
}
