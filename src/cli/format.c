/* The table of formats, and what several of them need. */
#include "cli/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "experiment/sweep/sweeps.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

extern const struct format format_text, format_csv, format_json;

const struct format *const formats[] = {
	&format_text,
	&format_csv,
	&format_json,
	NULL,
};

const struct format *format_find(const char *name)
{
	for (const struct format *const *format = formats; *format; format++)
		if (strcmp((*format)->name, name) == 0)
			return *format;
	return NULL;
}

void report_init(struct report *report, FILE *out, enum report_kind kind)
{
	*report = (struct report){ .out = out, .kind = kind };
	/* A name that was cut is not terminated everywhere. */
	if (gethostname(report->host, sizeof(report->host)) != 0)
		snprintf(report->host, sizeof(report->host), "unknown");
	report->host[sizeof(report->host) - 1] = '\0';
}

const char *report_core(const struct report *report)
{
	return report->core && report->core->uarch ? uarch_name(report->core->uarch) : NULL;
}

bool report_misses(const struct report *report, const struct setting *setting,
	struct misses *misses, struct misses *then)
{
	const struct explanation *explanation = report->explanation;

	if (explanation && status_is_ok(&explanation->status) &&
		(explanation->misses.known || *explanation->misses.why))
		*misses = explanation->misses;
	else
		misses_of(setting->kernel, setting->v, report->machine, misses);
	if (!misses->known || !report->whatif || !report->whatif->asked)
		return false;
	misses_if(misses, report->whatif, then);
	return true;
}

void report_row(const struct report *report, const struct setting *setting,
	const struct sample *sample, const struct run_facts *facts, struct report_row *row)
{
	bool asked = report_misses(report, setting, &row->misses, &row->whatif_misses);

	sample_ratios_find(sample, report->explanation, report->events, report->counts,
		report->peak, &row->sample_ratios);
	row->what = (struct record_sample){
		.id = report->records + 1,
		.machine = report->machine ? report->machine->name : NULL,
		.setting = setting,
		.sample = sample,
		.facts = facts,
		.seed = report->seed,
		.uarch = report_core(report),
		.explanation = report->explanation,
		.events = report->events,
		.counts = report->counts,
		.misses = &row->misses,
		.whatif_misses = asked ? &row->whatif_misses : NULL,
		.sample_ratios = &row->sample_ratios,
		.sweep = report->named ? report->named->name : NULL,
		.speedup = report->named ? report->speedup : (double)NAN,
	};
}

const char *format_cycles_source(enum source source)
{
	return source == SOURCE_COUNTER	    ? "counted"
	       : source == SOURCE_REFERENCE ? "reference clock"
					    : "no clock";
}

void format_knob(const struct knob *knob, char initial[48], char range[160])
{
	setting_format_value(knob, knob->initial, initial, 48);
	setting_range(knob, MEMORY_LIMITS_UNKNOWN, range, 160);
}

void format_csv_field(struct text *text, const char *string)
{
	if (!string[strcspn(string, ",\"\r\n")]) {
		text_add(text, string);
		return;
	}
	text_add(text, "\"");
	for (; *string; string++) {
		if (*string == '"')
			text_add(text, "\"");
		text_addn(text, string, 1);
	}
	text_add(text, "\"");
}
