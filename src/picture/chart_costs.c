/* The chart of the costs of instructions: see chart_reports.h. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "picture/chart_knobs.h"
#include "picture/chart_reports.h"

/* INSNS_MOST: largest number of instructions on a page. COSTLY: an instruction that costs at least
 * this share of the loop's cycles has a strong bar. */
enum { INSNS_MOST = 11 };
#define COSTLY 0.1

static bool is_known(const struct cost_insn *insn)
{
	return isfinite(insn->cost.value);
}

/* Returns how many known instructions cost more than this one, or as much and come earlier. */
static int rank_of(const struct cost_report *report, int index)
{
	int rank = 0;

	for (int i = 0; i < report->count; i++)
		rank += is_known(&report->insn[i]) &&
			(report->insn[i].cost.value > report->insn[index].cost.value ||
				(report->insn[i].cost.value == report->insn[index].cost.value &&
					i < index));
	return rank;
}

static void add_insn(
	struct chart *chart, const struct cost_report *report, const struct cost_insn *insn)
{
	struct chart_bar *bar = &chart->bar[chart->bar_count++];
	double value = fmax(insn->cost.value, 0);

	*bar = (struct chart_bar){ .kind = insn->contended			 ? BAR_SOFT
					   : value >= COSTLY * report->cpe.value ? BAR_BINDING
										 : BAR_HARD,
		.value = value,
		.lo = fmax(insn->cost.lo, 0),
		.hi = fmax(insn->cost.hi, 0) };
	chart_print(bar->name, "%s", insn->text);
	chart_print(bar->value_words, "%s%.2f", cost_at_most(report) ? "at most " : "", value);
	chart_print(bar->cause, "core model %s; twice %s; later %s%s",
		isfinite(insn->model) ? words_of("%.2f", insn->model).text : "unknown",
		isfinite(insn->twice.value) ? words_of("%.2f", insn->twice.value).text : "-",
		isfinite(insn->later.value) ? words_of("%.2f", insn->later.value).text : "-",
		insn->contended ? "; contended" : "");
}

struct chart *chart_costs(const struct cost_report *report, const struct chart_origin *origin)
{
	const struct chart_source source = { .source = report->cycles_from };
	struct chart *chart;
	struct chart_bar *bar;
	int known = 0;
	double most = report->cpe.hi;

	for (int i = 0; i < report->count; i++)
		known += is_known(&report->insn[i]);
	if (known == 0)
		return NULL;
	chart = chart_new(CHART_BARS);
	for (int i = 0; i < report->count; i++)
		if (is_known(&report->insn[i]) && rank_of(report, i) < INSNS_MOST) {
			add_insn(chart, report, &report->insn[i]);
			most = fmax(most, report->insn[i].cost.hi);
		}
	bar = &chart->bar[chart->bar_count++];
	*bar = (struct chart_bar){ .kind = BAR_MEASURED,
		.value = report->cpe.value,
		.lo = report->cpe.lo,
		.hi = report->cpe.hi };
	chart_print(bar->name, "one %s", report->setting.kernel->element);
	chart_print(bar->value_words, "%s", units_value(report->cpe.value).text);
	chart_print(bar->cause, "the loop as it is");
	chart->x.scale = scale_fit(SCALE_LINEAR, 0, most);
	chart_print(chart->x.title, "cycles per %s", report->setting.kernel->element);
	knob_heading(chart, &report->setting, 0);
	chart_print(chart->title, "%s: what each instruction costs", report->setting.kernel->name);
	if (known > INSNS_MOST)
		chart_print(chart->remark,
			"the %d most expensive of %d instructions, in the order of the code",
			INSNS_MOST, report->count);
	else if (known < report->count)
		chart_print(chart->remark, "the costs of %d of %d instructions are known", known,
			report->count);
	chart_cite(chart, origin, &source);
	chart_print(chart->legend,
		"cost: cycles more if the work of the instruction is done twice%s",
		report->contended ? "; light bars: contended" : "");
	return chart;
}
