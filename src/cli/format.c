/* The table of formats, and what several of them need. */
#include "cli/format.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

void report_pace(const struct report *report, const struct sample *sample,
	struct sample_ratios *sample_ratios)
{
	sample_ratios_find(sample, report->explanation, report->events, report->counts,
		report->peak, sample_ratios);
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
