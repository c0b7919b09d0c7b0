/* The table of formats, and what several of them need. */
#include "cli/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/explain.h"

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

/* Bytes of the valid UTF-8 character at c (RFC 3629), or 0. */
static size_t utf8_length(const unsigned char *c)
{
	static const struct {
		unsigned char first, last, low, high, length;
	} rows[] = {
		{ 0x20, 0x7e, 0, 0, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (c[0] < rows[i].first || c[0] > rows[i].last)
			continue;
		if (rows[i].length > 1 && (c[1] < rows[i].low || c[1] > rows[i].high))
			return 0;
		for (size_t j = 2; j < rows[i].length; j++)
			if ((c[j] & 0xc0) != 0x80)
				return 0;
		return rows[i].length;
	}
	return 0;
}

void format_clean(const char *string, size_t most, struct text *text)
{
	size_t end = text->length + most;

	while (*string) {
		size_t length = utf8_length((const unsigned char *)string);

		if (text->length + (length ? length : 1) > end)
			break;
		if (length)
			text_addn(text, string, length);
		else
			text_add(text, "?");
		string += length ? length : 1;
	}
}

void format_knob(const struct knob *knob, char initial[48], char range[160])
{
	setting_format_value(knob, knob->initial, initial, 48);
	setting_range(knob, 0, range, 160);
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

static bool bound_known(const struct explanation *explanation)
{
	return explanation && status_is_ok(&explanation->status) && explanation->limits.binding >= 0;
}

double explain_bound(const struct explanation *explanation)
{
	return bound_known(explanation) ? explanation->limits.bound : NAN;
}

double explain_predicted(const struct explanation *explanation)
{
	return bound_known(explanation) ? explanation->limits.predicted : NAN;
}

const char *explain_binding(const struct explanation *explanation)
{
	return bound_known(explanation) ?
		limit_name(explanation->limits.limit[explanation->limits.binding].kind) : NULL;
}

void format_insn(const struct loop *loop, const struct insn *insn, struct text *text)
{
	bool jumps = insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP;
	int64_t apart = (int64_t)(insn->target - loop->insn[0].address);
	const char *last = strrchr(insn->text, ' ');

	/* AArch64's have further operands before the target. */
	if (!jumps || !insn->target || !last)
		text_add(text, insn->text);
	else
		text_addf(text, "%.*s %s0x%llx", (int)(last - insn->text), insn->text, apart < 0 ? "-" : "",
			(unsigned long long)(apart < 0 ? -apart : apart));
}
