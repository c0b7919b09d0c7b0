/* The output formats text, CSV and JSON. The CSV format follows RFC 4180, but lines end in a
 * newline without a carriage return, and an unavailable value is an empty field. The JSON format
 * has one object per line, with at most RECORD_MOST bytes. */
#include "cli/format.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "experiment/sweep/sweep.h"
#include "model/core/uarch.h"
#include "model/counts/counts.h"
#include "model/limits/explain.h"

/* ---- JSON */

static void json_line(void *context, const char *line, size_t length)
{
	struct report *report = context;

	fwrite(line, 1, length, report->out);
	report->records++;
}

/* ---- CSV: one line under construction; each cell ends in a comma until line_write() */

/* Adds a cell to a line of CSV, in quotes if its text has a comma, a quote or a newline. */
static void add(struct text *line, const char *string)
{
	bool quoted = string[strcspn(string, ",\"\r\n")];

	text_add(line, quoted ? "\"" : "");
	for (; *string; string++) {
		text_add(line, *string == '"' ? "\"" : "");
		text_addn(line, string, 1);
	}
	text_add(line, quoted ? "\"," : ",");
}

static void add_real(struct text *line, double value)
{
	char number[32] = "";

	if (isfinite(value))
		snprintf(number, sizeof(number), "%.6g", value);
	add(line, number);
}

static void add_integer(struct text *line, int64_t value)
{
	text_addf(line, "%" PRId64 ",", value);
}

static void line_write(struct report *report, struct text *line)
{
	fprintf(report->out, "%.*s\n", (int)line->length - 1, text_string(line));
	text_free(line);
}

/* ---- CSV: the groups of columns of a sample */

/* Adds the name of an event's column: "c_l1_misses", "c_p2_p3", "c_stalled_back_end". The column of
 * an event that the user requested contains the event's own name. */
static void add_counter_name(struct text *line, const struct uarch_event *meaning)
{
	char name[COUNTER_NAME + 2] = "c_";

	if (meaning->role == ROLE_EXTRA)
		snprintf(name + 2, sizeof(name) - 2, "%s", meaning->name);
	else if (meaning->role == ROLE_PORTS)
		snprintf(name + 2, sizeof(name) - 2, "%s", events_title(meaning, NULL).text);
	else
		counts_role(meaning, name + 2, sizeof(name) - 2);
	for (char *c = name; meaning->role != ROLE_EXTRA && *c; c++)
		if (*c == ' ' || *c == '-')
			*c = '_';
	add(line, name);
}

/* Returns the counted value of an event; NAN: the event has no value. */
static double counted(const struct report *report, int event)
{
	const struct counts *counts = report->counts;

	return counts_any(report->events, counts) && event < counts->count &&
			       count_known(&counts->event[event])
		       ? counts->event[event].value
		       : (double)NAN;
}

/* Adds a CSV column for each event that can be counted. The first line of the output fixes the
 * columns for events. */
static void add_counters(
	struct report *report, const struct record_sample *sample, struct text *line)
{
	for (int i = 0; i < COUNTERS_MAX; i++) {
		double value = counted(report, i);

		if (!sample && isfinite(value)) {
			report->counted |= UINT64_C(1) << i;
			add_counter_name(line, &report->events->meaning[i]);
		} else if (sample && (report->counted >> i & 1)) {
			add_real(line, value);
		}
	}
}

static void add_knobs(const struct kernel *kernel, const struct setting *setting, struct text *line)
{
	for (int i = 0; i < kernel->knob_count; i++) {
		const struct knob *knob = &kernel->knobs[i];

		if (!setting)
			add(line, knob->name);
		else if (knob->kind == KNOB_CHOICE)
			add(line, setting_value(knob, setting->v[i]).text);
		else
			add_integer(line, setting->v[i]);
	}
}

/* Adds the value of one field of a sample to a line of CSV, or its column name to the first line.
 * If the kernel has a knob with the field's name, the column's name ends in _got. */
static void add_field(const struct field *field, const struct record_sample *sample,
	const struct kernel *kernel, struct text *line)
{
	struct text cell = { 0 };

	if (sample)
		field_csv(field, sample, &cell);
	else
		text_addf(&cell, "%s%s", field->name,
			kernel && field->group >= FIELDS_VALUE &&
					kernel_knob(kernel, field->name) >= 0
				? "_got"
				: "");
	add(line, text_string(&cell));
	text_free(&cell);
}

/* Adds the values of a group of CSV columns. If `sample` is NULL, adds the names of the columns
 * instead. */
static void add_group(struct report *report, const char *name, const struct record_sample *sample,
	struct text *line)
{
	static const char *const groups[FIELDS_GROUPS] = { [FIELDS_HEAD] = "head",
		[FIELDS_PLACE] = "place",
		[FIELDS_CURVE] = "curve",
		[FIELDS_VALUE] = "value",
		[FIELDS_SWEEP] = "sweep",
		[FIELDS_RECORD] = "record" };
	const struct kernel *kernel = report->setting.kernel;

	if (strcmp(name, "knobs") == 0)
		add_knobs(kernel, sample ? sample->setting : NULL, line);
	else if (strcmp(name, "counters") == 0)
		add_counters(report, sample, line);
	else if (strcmp(name, "sweep") != 0 || report->named)
		for (const struct field *field = sample_fields; field->name; field++)
			if (strcmp(groups[field->group], name) == 0)
				add_field(field, sample, kernel, line);
}

/* ---- CSV: lines */

/* One column of CSV output, read from a list such as "NAME,NAME=FIELD,NAME?": its name, the field
 * with its values, and whether it is a flag (NAME?). */
struct column {
	char name[32];
	const char *field;
	bool flag;
};

static bool next_column(const char **at, struct column *column)
{
	size_t length = strcspn(*at, ",");
	char *equals, *flag;

	if (!length)
		return false;
	snprintf(column->name, sizeof(column->name), "%.*s", (int)length, *at);
	*at += length + ((*at)[length] == ',');
	equals = strchr(column->name, '=');
	flag = strchr(column->name, '?');
	column->field = equals ? equals + 1 : column->name;
	column->flag = flag;
	if (equals || flag)
		*(equals ? equals : flag) = '\0';
	return true;
}

static void csv_begin(struct report *report)
{
	const char *at = report->subject->columns;
	struct text line = { 0 };
	struct column column;

	report->counted = 0;
	while (next_column(&at, &column)) {
		if (*column.name == '+')
			add_group(report, column.name + 1, NULL, &line);
		else
			add(&line, column.name);
	}
	line_write(report, &line);
}

static void add_value(struct text *line, const json_t *value, bool flag)
{
	if (json_is_string(value))
		add(line, json_string_value(value));
	else if (json_is_integer(value))
		add_integer(line, json_integer_value(value));
	else if (json_is_real(value))
		add_real(line, json_real_value(value));
	else if (json_is_boolean(value) || flag)
		add(line, json_is_true(value) ? "true" : "false");
	else
		add(line, "");
}

static void csv_row(void *context, const json_t *record)
{
	struct report *report = context;
	const char *at = report->subject->columns;
	struct text line = { 0 };
	struct column column;

	if (strcmp(json_string_value(json_object_get(record, "record")), report->subject->record) !=
		0)
		return;
	report->records++;
	while (next_column(&at, &column)) {
		if (strcmp(column.name, "id") == 0)
			add_integer(&line, report->records);
		else
			add_value(&line, json_object_get(record, column.field), column.flag);
	}
	line_write(report, &line);
}

static void csv_sample(void *context, const struct record_sample *sample)
{
	struct report *report = context;
	const char *at = report->subject->columns;
	struct text line = { 0 };
	struct text setting = { 0 };
	struct column column;
	struct report_row row;

	if (!sample->sample_ratios) {
		report_row(report, sample->setting, sample->sample, sample->facts, &row);
		row.what.part = sample->part;
		row.what.level = sample->level;
		row.what.x = (uint64_t)sample->x;
		sample = &row.what;
	}
	setting_format(sample->setting, &setting);
	report->records++;
	while (next_column(&at, &column)) {
		if (*column.name == '+')
			add_group(report, column.name + 1, sample, &line);
		else if (strcmp(column.name, "id") == 0)
			add_integer(&line, report->records);
		else if (strcmp(column.name, "host") == 0)
			add(&line, report->host);
		else if (strcmp(column.name, "setting") == 0)
			add(&line, text_string(&setting));
		else
			add(&line, sample->setting->kernel->name);
	}
	line_write(report, &line);
	text_free(&setting);
}

/* ---- Reports */

static const struct format format_text = { .name = "text" },
			   format_csv = { "csv", csv_begin,
				   { .row = csv_row, .sample = csv_sample } },
			   format_json = { "json", NULL, { .line = json_line } };

const struct format *const formats[] = { &format_text, &format_csv, &format_json, NULL };

const struct format *format_find(const char *name)
{
	for (const struct format *const *format = formats; *format; format++)
		if (strcmp((*format)->name, name) == 0)
			return *format;
	return NULL;
}

void report_init(struct report *report, const struct cli *cli, const struct subject *subject,
	const struct machine *machine)
{
	*report = (struct report){ .out = cli->out,
		.format = cli->format,
		.subject = subject,
		.machine = machine,
		.seed = cli->seed,
		.whatif = &cli->whatif,
		.asked = cli->events,
		.asked_count = cli->event_count,
		.points = cli->points };
	/* The last byte is set to 0, because some systems do not terminate a host name that was
	 * cut. */
	if (gethostname(report->host, sizeof(report->host)) != 0)
		snprintf(report->host, sizeof(report->host), "unknown");
	report->host[sizeof(report->host) - 1] = '\0';
}

static void call(struct report *report, void (*function)(struct report *report))
{
	if (function)
		function(report);
}

void report_begin(struct report *report)
{
	call(report,
		report->format == &format_text ? report->subject->begin : report->format->begin);
}

void report_write(struct report *report, const struct subject *subject, const void *item)
{
	struct records records = report->format->records;

	if (report->format == &format_text) {
		subject->text(report, item);
		report->records++;
		return;
	}
	records.context = report;
	records.host = report->host;
	subject->data(report, &records, item);
}

void report_end(struct report *report)
{
	call(report, report->format == &format_text ? report->subject->end : NULL);
}

void report_whole(struct report *report, const void *item)
{
	report_begin(report);
	report_write(report, report->subject, item);
	report_end(report);
}

const char *report_core(const struct report *report)
{
	return report->core && report->core->uarch ? report->core->uarch->name : NULL;
}

bool report_misses(const struct report *report, const struct setting *setting,
	struct misses *misses, struct misses *then)
{
	const struct explanation *explanation = report->explanation;

	if (explanation && status_is_ok(&explanation->status) &&
		(explanation->misses.known || *explanation->misses.why)) {
		*misses = explanation->misses;
	} else {
		struct cache_sizes caches = cache_sizes(report->machine, NULL, false, NULL);

		misses_of(setting->kernel, setting->v, &caches, misses);
	}
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
		.speedup = NAN,
		.published = NAN,
	};
}
