#include "picture/chart_reports.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "picture/chart_knobs.h"

/* Limits on a page: the highest ones, and always the binding one. */
enum { LIMITS_MOST = 8 };

static enum chart_bar_kind kind_of(const struct limits *limits, int index)
{
	const struct limit *limit = &limits->limit[index];

	if (!limit->known)
		return BAR_UNKNOWN;
	return index == limits->binding ? BAR_BINDING : limit->hard ? BAR_HARD : BAR_SOFT;
}

static void add_limit(struct chart *chart, const struct limits *limits, int index)
{
	const struct limit *limit = &limits->limit[index];
	struct chart_bar *bar = &chart->bar[chart->bar_count++];
	char figure[24];

	*bar = (struct chart_bar){ .kind = kind_of(limits, index),
		.value = limit->known ? limit->cpe : NAN,
		.lo = NAN,
		.hi = NAN };
	snprintf(bar->name, sizeof(bar->name), "%s%s", limit_title(limit->kind),
		limit->hard ? "" : " (soft)");
	snprintf(bar->cause, sizeof(bar->cause), "%s%s",
		limit->known ? "" : "unknown: ", limit->cause);
	units_figure(limit->cpe, figure, sizeof(figure));
	snprintf(bar->value_words, sizeof(bar->value_words), "%s%s", figure,
		index == limits->binding	? " binds"
		: index == limits->predicted_by ? " predicted"
						: "");
}

static void add_rest(struct chart *chart, int count)
{
	struct chart_bar *bar = &chart->bar[chart->bar_count++];

	*bar = (struct chart_bar){ .kind = BAR_UNKNOWN, .value = NAN, .lo = NAN, .hi = NAN };
	snprintf(bar->name, sizeof(bar->name), "%d more", count);
	snprintf(bar->cause, sizeof(bar->cause), "lower or unknown");
}

static void add_measured(struct chart *chart, const struct sample *sample)
{
	struct chart_bar *bar = &chart->bar[chart->bar_count++];
	char lo[24], hi[24];

	*bar = (struct chart_bar){ .kind = BAR_MEASURED,
		.name = "measured",
		.value = sample->cpe,
		.lo = sample->cpe_lo,
		.hi = sample->cpe_hi };
	units_figure(sample->cpe, bar->value_words, sizeof(bar->value_words));
	units_figure(sample->cpe_lo, lo, sizeof(lo));
	units_figure(sample->cpe_hi, hi, sizeof(hi));
	snprintf(bar->cause, sizeof(bar->cause), "quartiles %s to %s%s%s", lo, hi,
		sample_doubt(sample) && !sample->provisional ? "; " : "",
		sample_doubt(sample) && !sample->provisional ? sample_doubt(sample) : "");
}

struct chart *chart_ladder(const struct explanation *explanation, const struct setting *setting,
	const struct sample *sample, const char *words, const struct chart_origin *origin)
{
	const struct limits *limits = &explanation->limits;
	struct chart *chart = chart_new(CHART_BARS);
	struct chart_source source = { .source = SOURCE_MODEL };
	int shown = limits->limit_count <= LIMITS_MOST ? limits->limit_count : LIMITS_MOST - 1;
	double most = 0;

	for (int i = 0; i < shown; i++)
		add_limit(chart, limits,
			i < shown - 1 || limits->binding < shown ? i : limits->binding);
	if (shown < limits->limit_count)
		add_rest(chart, limits->limit_count - shown);
	if (sample && sample->valid) {
		add_measured(chart, sample);
		chart_note(&source, sample);
	}
	for (int i = 0; i < chart->bar_count; i++) {
		most = fmax(most, isfinite(chart->bar[i].value) ? chart->bar[i].value : 0);
		most = fmax(most, isfinite(chart->bar[i].hi) ? chart->bar[i].hi : 0);
	}
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, most);
	snprintf(chart->x.title, sizeof(chart->x.title), "cycles per %s", setting->kernel->element);
	snprintf(chart->title, sizeof(chart->title), "%s: what limits it%s%s",
		setting->kernel->name, explanation->foreign ? " on another core, " : "",
		explanation->foreign && limits->uarch ? uarch_title(limits->uarch) : "");
	knob_settings(setting, 0, chart->subtitle, sizeof(chart->subtitle));
	snprintf(chart->remark, sizeof(chart->remark), "%s%s", *words ? "Measured: " : "", words);
	chart_sign(chart, origin);
	chart_cite(chart, origin->machine, &source);
	snprintf(chart->legend, sizeof(chart->legend),
		"limits M: from the loop's machine code and a model of the core");
	if (source.source == SOURCE_MODEL)
		snprintf(chart->source, sizeof(chart->source), "nothing was measured");
	return chart;
}
