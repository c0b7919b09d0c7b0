/* Text for people: a few lines for one sample, an aligned table for a sweep. ASCII of its own, so
 * that it reads everywhere; what kernels say is passed on as it is. */
#include "cli/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/finding.h"
#include "cli/texts.h"
#include "experiment/setting/cells.h"
#include "experiment/sweep/blocks.h"
#include "experiment/sweep/sweeps.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"

enum { TEXT_WIDTH = 96 };

/* The columns of a sweep beside its knobs: figures of up to six characters, and with two knobs and
 * the flags a line of eighty. */
static const struct column {
	const char *title;
	int width;
} columns[] = {
	{ "CPE", 7 },
	{ "lo", 7 },
	{ "hi", 7 },
	{ "src", 4 },
	{ "trials", 7 },
	{ "quiet", 6 },
	{ "ns", 7 },
	{ "GHz", 6 },
	{ "GB/s", 7 },
	{ "B/cycle", 8 },
	{ "limit", 7 },
	{ "IPC", 6 },
	{ "all GB/s", 9 },
	{ "seconds", 10 },
	{ "speedup", 8 },
	{ "instr", 8 },
	{ "CPI", 7 },
	{ "mem%", 6 },
	{ "Minstr", 8 },
};

/* Which of them a report has. */
static bool has_column(const struct report *report, size_t column)
{
	const struct named_sweep *named = report->named;

	switch (column) {
	case 8:
	case 9:
		/* They give way to what a named sweep is looked at for. */
		return !named || named->figure == SWEEPS_GBPS ||
		       named->figure == SWEEPS_BYTES_PER_CYCLE;
	case 10: return report->core && report->core->uarch;
	case 11: return report->counted;
	case 12: return report->crowded;
	case 13: return named && named->figure == SWEEPS_SECONDS;
	case 14: return named && named->base >= 0;
	case 15:
		return named &&
		       (sweeps_asks(named, SWEEPS_INSTRUCTIONS) || sweeps_asks(named, SWEEPS_CPI));
	case 16:
		return named &&
		       (sweeps_asks(named, SWEEPS_CPI) || sweeps_asks(named, SWEEPS_INSTRUCTIONS));
	case 17: return named && sweeps_asks(named, SWEEPS_TRAFFIC);
	case 18: return named && sweeps_asks(named, SWEEPS_INSTRUCTIONS_TOTAL);
	default: return true;
	}
}

/* The width of a swept knob's column: its name's, or its widest value's. */
static int axis_width(const struct kernel *kernel, const struct sweep_axis *axis)
{
	const struct knob *knob = &kernel->knobs[axis->knob];
	int width = (int)strlen(knob->name);

	for (size_t i = 0; i < axis->count; i++) {
		char word[48];

		setting_format_value(knob, axis->values[i], word, sizeof(word));
		if ((int)strlen(word) > width)
			width = (int)strlen(word);
	}
	return width;
}

static bool swept(const struct report *report, int knob)
{
	for (size_t i = 0; i < report->axis_count; i++)
		if (report->axes[i].knob == knob && report->axes[i].count > 1)
			return true;
	return false;
}

/* Where in the plan an event stands that was asked for by name; -1: nowhere. */
static int asked_event(const struct report *report, int asked)
{
	const struct event_plan *plan = report->events;

	for (int i = 0; plan && i < plan->counters.count; i++)
		if (strcasecmp(plan->counters.event[i].name, report->asked[asked]) == 0)
			return i;
	return -1;
}

/* Its column: the name without that of its PMU. Returns how wide. */
static int asked_title(const struct report *report, int asked, const char **title)
{
	const char *colons = strstr(report->asked[asked], "::");
	int width;

	*title = colons ? colons + 2 : report->asked[asked];
	width = (int)strlen(*title) + 2;
	return width < 9 ? 9 : width;
}

/* Whether others run beside the measured core in any of the settings. */
static bool crowded(const struct report *report)
{
	const struct kernel *kernel = report->setting.kernel;
	int cores = kernel_asking(kernel, ASKS_CORES),
	    streams = kernel_asking(kernel, ASKS_STREAMS);

	return (cores >= 0 && (report->setting.v[cores] > 1 || swept(report, cores))) ||
	       (streams >= 0 && (report->setting.v[streams] > 0 || swept(report, streams)));
}

static void text_begin(struct report *report)
{
	const struct kernel *kernel = report->setting.kernel;

	if (report->kind == REPORT_EVENTS)
		event_text_begin(report);
	if (report->kind != REPORT_SWEEP)
		return;
	if (report->named)
		fprintf(report->out, "%s: %s\n", report->named->name, report->named->title);
	/* What stays the same, once. */
	fputs(kernel->name, report->out);
	for (int i = 0; i < kernel->knob_count; i++) {
		char word[48];

		if (swept(report, i))
			continue;
		setting_format_value(&kernel->knobs[i], report->setting.v[i], word, sizeof(word));
		fprintf(report->out, " %s=%s", kernel->knobs[i].name, word);
	}
	fprintf(report->out, "   (CPE: cycles per %s)\n", kernel->element);
	report->crowded = crowded(report);
	report->counted = isfinite(counts_ipc(report->events, report->counts));
	for (size_t i = 0; i < report->axis_count; i++)
		if (report->axes[i].count > 1)
			fprintf(report->out, "%*s ", axis_width(kernel, &report->axes[i]),
				kernel->knobs[report->axes[i].knob].name);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (has_column(report, i))
			fprintf(report->out, "%*s", columns[i].width, columns[i].title);
	for (int i = 0; i < report->asked_count; i++) {
		const char *title;
		int width = asked_title(report, i, &title);

		fprintf(report->out, "%*s", width, title);
	}
	fputc('\n', report->out);
}

static void figure(struct report *report, int width, double value)
{
	char word[32];

	units_figure(value, word, sizeof(word));
	fprintf(report->out, "%*s", width, word);
}

static void percent(struct report *report, int width, double share)
{
	char word[16] = "-";

	if (isfinite(share))
		snprintf(word, sizeof(word), "%.0f%%", share * 100);
	fprintf(report->out, "%*s", width, word);
}

static void text_row(struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts)
{
	static const enum sweeps_figure paced[] = { SWEEPS_INSTRUCTIONS, SWEEPS_CPI, SWEEPS_TRAFFIC,
		SWEEPS_INSTRUCTIONS_TOTAL };
	FILE *out = report->out;
	char source[2] = { sample->cycles_from ? (char)sample->cycles_from : '-', '\0' };
	struct report_row row;

	for (size_t i = 0; i < report->axis_count; i++) {
		const struct sweep_axis *axis = &report->axes[i];
		char word[48];

		if (axis->count < 2)
			continue;
		setting_format_value(&setting->kernel->knobs[axis->knob], setting->v[axis->knob],
			word, sizeof(word));
		fprintf(out, "%*s ", axis_width(setting->kernel, axis), word);
	}
	figure(report, columns[0].width, sample->cpe);
	figure(report, columns[1].width, sample->cpe_lo);
	figure(report, columns[2].width, sample->cpe_hi);
	fprintf(out, "%*s%*u", columns[3].width, source, columns[4].width, sample->trials);
	percent(report, columns[5].width, sample->quiet);
	figure(report, columns[6].width, sample->ns);
	figure(report, columns[7].width, sample->ghz);
	if (has_column(report, 8))
		figure(report, columns[8].width, sample->gbps);
	if (has_column(report, 9))
		figure(report, columns[9].width, sample->bytes_per_cycle);
	if (has_column(report, 10))
		figure(report, columns[10].width, explain_bound(report->explanation));
	if (has_column(report, 11))
		figure(report, columns[11].width, counts_ipc(report->events, report->counts));
	if (has_column(report, 12))
		figure(report, columns[12].width,
			sample->total_gbps > 0 ? sample->total_gbps : NAN);
	if (has_column(report, 13))
		fprintf(out, "%*.4g", columns[13].width,
			sweeps_value(SWEEPS_SECONDS, sample, facts, NULL, NULL));
	if (has_column(report, 14))
		figure(report, columns[14].width, report->speedup);
	report_row(report, setting, sample, facts, &row);
	for (size_t i = 0; i < sizeof(paced) / sizeof(*paced); i++)
		if (has_column(report, 15 + i))
			figure(report, columns[15 + i].width,
				sweeps_value(paced[i], sample, facts, &row.sample_ratios, NULL));
	for (int i = 0; i < report->asked_count; i++) {
		const char *title;
		int event = asked_event(report, i), width = asked_title(report, i, &title);
		const struct count *count =
			event >= 0 && report->counts && event < report->counts->count
				? &report->counts->event[event]
				: NULL;

		figure(report, width, count && count_known(count) ? count->value : NAN);
	}
	if (sample->contended || sample->unsettled || sample->modes > 1)
		fprintf(out, " %s%s%s", sample->contended ? "c" : "", sample->unsettled ? "n" : "",
			sample->modes > 1 ? "m" : "");
	report->contended |= sample->contended;
	report->unsettled |= sample->unsettled;
	report->two_modes |= sample->modes > 1;
	fputc('\n', out);
}

/* What the flags at the ends of rows mean. */
static void text_end(struct report *report)
{
	if (report->kind == REPORT_EVENTS)
		event_text_end(report);
	if (report->contended)
		fputs("c: contended; too few quiet trials, and the value may be wrong\n",
			report->out);
	if (report->unsettled)
		fputs("n: not settled; the time of an element still drifted when the time was up\n",
			report->out);
	if (report->two_modes)
		fputs("m: the trials fall into two modes; --format csv and json tell both\n",
			report->out);
}

static void place_text(FILE *out, const struct sample *sample, const struct run_facts *facts)
{
	const struct placed placed = placed_words(facts, sample);

	if (*placed.others)
		fprintf(out, "beside   %s\n", placed.others);
	if (*placed.pages)
		fprintf(out, "pages    %s\n", placed.pages);
	if (*placed.node)
		fprintf(out, "memory   %s\n", placed.node);
}

/* What stands beside the cycles: instructions, and what memory brings. */
static void sample_ratios_text(FILE *out, const struct sample_ratios *sample_ratios)
{
	char instructions[32], cpi[32], words[160];

	if (sample_ratios->instructions > 0) {
		units_figure(sample_ratios->instructions, instructions, sizeof(instructions));
		units_figure(sample_ratios->cpi, cpi, sizeof(cpi));
		fprintf(out, "instr    %s an element (%s), %s cycles each\n", instructions,
			sample_ratios_source(sample_ratios->instructions_from), cpi);
	}
	sample_ratios_traffic_words(sample_ratios, false, words, sizeof(words));
	if (*words)
		fprintf(out, "traffic  %s (%s)\n", words,
			sample_ratios->lines_from == SOURCE_COUNTER ? "counted" : "model");
}

static void text_one(struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts)
{
	const struct kernel *kernel = setting->kernel;
	const char *remark = kernel->remark ? kernel->remark(setting->v) : NULL;
	FILE *out = report->out;
	struct text line = { 0 };
	char cpe[32], low[32], high[32], ns[32], ghz[32], gbps[32], bytes[32];
	struct report_row row;

	setting_format(setting, &line);
	fprintf(out, "%s\n", text_string(&line));
	text_free(&line);
	units_figure(sample->cpe, cpe, sizeof(cpe));
	units_figure(sample->cpe_lo, low, sizeof(low));
	units_figure(sample->cpe_hi, high, sizeof(high));
	units_figure(sample->ns, ns, sizeof(ns));
	units_figure(sample->ghz, ghz, sizeof(ghz));
	fprintf(out, "CPE      %s cycles per %s%s; quartiles %s to %s; source: %s\n", cpe,
		kernel->element, facts->far ? " (mean)" : "", low, high,
		source_name(sample->cycles_from));
	fprintf(out, "time     %s ns (timed) at %s GHz (%s) on core %d%s\n", ns, ghz,
		source_name(sample->cycles_from), facts->cpu,
		facts->bound ? "" : " (not bound to it)");
	if (isfinite(sample->gbps)) {
		units_figure(sample->gbps, gbps, sizeof(gbps));
		units_figure(sample->bytes_per_cycle, bytes, sizeof(bytes));
		/* So many bytes an element: quartiles are those of the cycles. */
		units_figure(
			sample->bytes_per_cycle * sample->cpe / sample->cpe_hi, low, sizeof(low));
		units_figure(
			sample->bytes_per_cycle * sample->cpe / sample->cpe_lo, high, sizeof(high));
		fprintf(out, "data     %s GB/s (%.0f MB/s; timed); pages: %s\n", gbps,
			sample->gbps * 1000, facts->pages);
		fprintf(out, "         %s bytes a cycle (%s to %s; %.3g cycles a byte; %s)\n",
			bytes, low, high, 1 / sample->bytes_per_cycle,
			source_name(sample->cycles_from));
	}
	report_row(report, setting, sample, facts, &row);
	sample_ratios_text(out, &row.sample_ratios);
	place_text(out, sample, facts);
	fields_text(&row.what, &line);
	fputs(text_string(&line), out);
	text_free(&line);
	fprintf(out, "trials   %u used, %u dropped", sample->trials, sample->dropped);
	if (isfinite(sample->quiet))
		fprintf(out, "; %.0f%% quiet", sample->quiet * 100);
	fputc('\n', out);
	if (sample->contended)
		fprintf(out, "CONTENDED: too few quiet trials; something shares this core, and the "
			     "figure may be "
			     "off\n");
	if (sample->unsettled)
		fprintf(out, "NOT SETTLED: the trials still drifted when the time was up; a longer "
			     "--time-budget may reach the steady state\n");
	if (sample->places > 1) {
		units_figure(sample->place_lo, low, sizeof(low));
		units_figure(sample->place_hi, high, sizeof(high));
		fprintf(out,
			"placing  %u placements in memory: medians from %s to %s (%.1f%% apart)\n",
			sample->places, low, high, 100 * (sample->place_hi / sample->place_lo - 1));
	}
	if (sample->modes > 1) {
		units_figure(sample->mode_low, low, sizeof(low));
		units_figure(sample->mode_high, high, sizeof(high));
		fprintf(out, "modes    two: %s (%.0f%% of the trials) and %s\n", low,
			sample->mode_share_low * 100, high);
	}
	explain_text_sample(report, sample);
	misses_text(report, setting, 9);
	counts_text_sample(report, sample);
	if (remark)
		fprintf(out, "remark   %s\n", remark);
	if (report->blocks) {
		char words[600];

		blocks_words(report->blocks, setting, NULL, words, sizeof(words));
		fprintf(out, "blocks   %s\n", words);
	}
}

static void text_sample(struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts)
{
	if (report->kind == REPORT_SWEEP)
		text_row(report, setting, sample, facts);
	else
		text_one(report, setting, sample, facts);
	report->records++;
}

static void text_kernel(struct report *report, const struct kernel *kernel)
{
	FILE *out = report->out;
	int widest = 0;

	if (report->records)
		fputc('\n', out);
	fprintf(out, "%s: %s\n", kernel->name, kernel->title);
	text_print(out, TEXT_WIDTH, "    ", 4, kernel->look_for);
	fprintf(out, "    CPE counts: %s\n    From: %s\n", kernel->element, kernel->document);
	for (int i = 0; i < kernel->knob_count; i++)
		if ((int)strlen(kernel->knobs[i].name) > widest)
			widest = (int)strlen(kernel->knobs[i].name);
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];
		char initial[48], range[160];

		format_knob(knob, initial, range);
		fprintf(out, "    %-*s = %-10s  %s: %s\n", widest, knob->name, initial, knob->help,
			range);
	}
	report->records++;
}

static void text_named(struct report *report, const struct named_sweep *sweep)
{
	if (report->records)
		fputc('\n', report->out);
	fprintf(report->out, "%s: %s\n    Sweeps: %s", sweep->name, sweep->title,
		sweep->kernel->name);
	for (int i = 0; i < sweep->word_count; i++)
		fprintf(report->out, " %s", sweep->word[i]);
	fputc('\n', report->out);
	if (*sweep->source)
		fprintf(report->out, "    From: %s\n", sweep->source);
	report->records++;
}

static void text_check(struct report *report, const struct check *check)
{
	fprintf(report->out, "%-4s  %-10s  %s\n", check_state_name(check->state), check->name,
		check->finding);
	if (*check->advice)
		text_print(report->out, TEXT_WIDTH, "                  ", 18, check->advice);
	report->records++;
}

const struct format format_text = {
	.name = "text",
	.begin = text_begin,
	.sample = text_sample,
	.kernel = text_kernel,
	.named = text_named,
	.check = text_check,
	.explain = explain_text,
	.event = event_text,
	.probe = probe_text,
	.windows = windows_text,
	.core = characterise_text,
	.end = text_end,
};
